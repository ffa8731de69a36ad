"""README and docs/install.md say what happens."""

import re
from pathlib import Path

import numpy as np
import pytest

import abut
from abut import cli
from pages import blocks, printed, run_page

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
INSTALL = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
PAGES = ["README.md", "CONTRIBUTING.md"]
PAGES += sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md"))
LINES = re.DOTALL | re.MULTILINE
COMMANDS = [
    "python3 -m venv .venv && .venv/bin/pip install . && .venv/bin/abut demo"
    "      # finds contacts of spheres with a mesh that the package makes",
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


def test_two_minutes_are_enough_to_read_it():
    lines = README.splitlines()
    assert len(lines) <= 180
    assert "`Simulation`" in " ".join(lines[:10])


def test_demo_prints_what_is_written():
    written = re.search(r"The output is\n\n```text\n(.*?)```", INSTALL, flags=re.DOTALL)[1]
    out = printed(cli.main, ["demo"])
    # time and threads are of the machine
    rest = re.compile(r"^(time per sphere|threads) .*\n", flags=re.MULTILINE)
    assert rest.sub("", out) == rest.sub("", written)


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


def test_the_example_of_contacts_is_that_of_the_demo():
    (code,) = [code for code, _ in blocks("python", README) if "find_contacts" in code]
    scope = {"abut": abut}
    printed(exec, code, scope)
    assert Path("contacts.csv").exists()
    centers, radii, mesh = abut.examples.step()
    np.testing.assert_array_equal(scope["centers"], centers)
    np.testing.assert_array_equal(scope["mesh"].vertices, mesh.vertices)
    np.testing.assert_array_equal(scope["mesh"].indices, mesh.indices)
    assert scope["contacts"] == abut.find_contacts(centers, radii, mesh)


def test_readme_counts_its_tutorials():
    """A new notebook changes these numbers in the README."""
    text = " ".join(README.split())
    counts = re.search(r"(\d+) notebooks, .*? and a gallery of (\d+) scripts", text).groups()
    notebooks = [path.stem for path in (ROOT / "notebooks").glob("*.py")]
    gallery = [name for name in notebooks if name.startswith("gallery_")]
    assert tuple(map(int, counts)) == (len(notebooks) - len(gallery), len(gallery))
