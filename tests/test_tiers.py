"""The tests that run by default, with --ci, with --long, and by name."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SOURCE = """
import pytest
from hypothesis import given, settings, strategies

def test_always(): pass

@pytest.mark.ci
def test_ci(): pass

@pytest.mark.long
def test_long(): pass

@pytest.mark.cases(2)
@pytest.mark.parametrize("x", range(10))
def test_cases(x): pass

@given(x=strategies.integers())
def test_drawn(x):
    print("examples:", settings.default.max_examples)
"""


@pytest.fixture
def run(tmp_path):
    for name in ("conftest.py", "tiers.py"):
        shutil.copy(HERE / name, tmp_path)
    (tmp_path / "test_it.py").write_text(SOURCE)
    (tmp_path / "pytest.ini").write_text(
        "[pytest]\naddopts = --strict-markers\nmarkers =\n    ci\n    long\n    cases\n"
    )

    def run(*arguments):
        command = [sys.executable, "-m", "pytest", "-v", "-p", "no:cacheprovider", *arguments]
        env = {name: value for name, value in os.environ.items() if "XDIST" not in name}
        done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout + done.stderr
        passed = re.findall(r"::test_(\S+) PASSED|PASSED \S+::test_(\S+)", done.stdout)
        return ["".join(names) for names in passed], done.stdout

    return run


DEFAULT = ["always", "cases[0]", "cases[5]", "drawn"]
CASES = [f"cases[{k}]" for k in range(10)]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ((), DEFAULT),
        (("test_it.py", "--ci"), ["always", "ci", *CASES, "drawn"]),
        (
            ("test_it.py", "--ci", "-m", "ci"),
            ["ci", *(c for c in CASES if c not in DEFAULT), "drawn"],
        ),
        (("test_it.py", "--long"), ["always", "ci", "long", *CASES, "drawn"]),
        (("test_it.py::test_ci",), ["ci"]),
        (("test_it.py::test_cases",), CASES),
    ],
)
def test_what_runs(run, arguments, expected):
    passed, output = run(*arguments or ("test_it.py",))
    assert passed == expected
    assert "worker" not in output


@pytest.mark.parametrize(("arguments", "count"), [((), 20), (("--ci",), 100), (("--long",), 1000)])
def test_number_of_examples(run, arguments, count):
    output = run("-s", "-k", "drawn", "test_it.py", *arguments)[1]
    assert f"examples: {count}\n" in output


def test_ci_says_its_seed(run):
    assert "--hypothesis-seed=" in run("--ci", "test_it.py")[1]
    assert "--hypothesis-seed=5\n" in run("--ci", "--hypothesis-seed=5", "test_it.py")[1]


def test_a_folder_is_shared_among_workers(run):
    pytest.importorskip("xdist")
    passed, output = run(".")
    assert len(passed) == len(DEFAULT)
    assert "[gw" in output
