"""What the README says is what happens."""

import re
from pathlib import Path

import numpy as np
import pytest

import abut
from abut import cli
from pages import blocks, printed, run_page

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = ["README.md", "CONTRIBUTING.md"]
PAGES += sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
LINES = re.DOTALL | re.MULTILINE
COMMANDS = [
    "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/abut demo"
    "      # the main job, on a mesh that the package makes itself",
    ".venv/bin/pip install '.[test]' && .venv/bin/pytest                           # the tests",
]


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def test_the_two_commands_come_first():
    assert blocks("", README)[0][0].splitlines() == COMMANDS


@pytest.mark.parametrize("page", ["README.md", "docs/dem.md"])
def test_python_blocks_print_what_is_written_below_them(page):
    run_page((ROOT / page).read_text(encoding="utf-8"))


def test_the_first_blocks_leave_a_table():
    scope = {}
    for code, _ in blocks("python", README)[:2]:
        printed(exec, code, scope)
    assert Path("contacts.csv").exists()


def test_the_example_has_twelve_lines():
    assert len(blocks("python", README)[0][0].splitlines()) == 12


def test_demo_prints_what_is_written():
    written = re.search(r"and prints\n\n```text\n(.*?)```", README, flags=re.DOTALL)[1]
    out = printed(cli.main, ["demo"])
    # time and threads are of the machine
    rest = re.compile(r"^(time per sphere|threads) .*\n", flags=re.MULTILINE)
    assert rest.sub("", out) == rest.sub("", written)


def test_columns_are_those_of_the_table():
    rows = re.findall(r"^\| ((?:`\w+`(?:, )?)+) \|", README, flags=re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(\w+)`", row)}
    mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    columns = abut.find_contacts([[0.2, 0.2, 0.1]], 0.2, mesh).to_dict()
    assert set(columns) <= named


@pytest.mark.parametrize("page", PAGES)
def test_links_lead_somewhere(page):
    path = ROOT / page
    text = re.sub(r"^```.*?^```|`[^`\n]*`", "code", path.read_text(encoding="utf-8"), flags=LINES)
    for shown, target in re.findall(r"\[([^\]]*)\]\(([^)#:]+)(?:#[\w-]+)?\)", text):
        assert (path.parent / target).exists(), target
        assert shown, f"a link to {target} without words, of which GitHub shows nothing"


def test_shell_lines_run_after_the_demo_has_left_its_files():
    lines = re.findall(r"`(abut (?:doctor|\w+ [^`]+))`", README)
    lines = [line for line in lines if line.split()[1] != "demo"]
    assert {"contacts", "pairs", "info", "doctor"} == {line.split()[1] for line in lines}
    assert cli.main(["demo", "--files"]) == 0
    for line in lines:
        assert cli.main(line.split()[1:]) == 0, line
    contacts = abut.find_contacts(*abut.examples.step())
    rows = Path("contacts.csv").read_text(encoding="utf-8").splitlines()
    assert len(rows) == 1 + len(contacts)
    column = rows[0].split(",").index("type")
    assert [int(row.split(",")[column]) for row in rows[1:]] == contacts.type.tolist()


def test_the_example_is_that_of_the_demo():
    scope = {}
    printed(exec, blocks("python", README)[0][0], scope)
    centers, radii, mesh = abut.examples.step()
    np.testing.assert_array_equal(scope["centers"], centers)
    np.testing.assert_array_equal(scope["mesh"].vertices, mesh.vertices)
    np.testing.assert_array_equal(scope["mesh"].indices, mesh.indices)
    assert scope["contacts"] == abut.find_contacts(centers, radii, mesh)
