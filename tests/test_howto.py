"""The recipes of the manual do what they say."""

import re
from pathlib import Path

import pytest

from pages import run_page, skipping_without_packages

FOLDER = Path(__file__).parents[1] / "docs" / "howto"
INDEX = (FOLDER / "index.md").read_text(encoding="utf-8")
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")
# lines of a page, which is to be read at a glance
LONGEST = 120


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_runs(path, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with skipping_without_packages():
        run_page(path.read_text(encoding="utf-8"))


def test_index_has_every_page():
    listed = re.findall(r"^\* \[.+?\]\((\w+)\.md\): ", INDEX, flags=re.MULTILINE)
    tree = re.search(r"```\{toctree\}\n(?::.*\n)*\n(.*?)```", INDEX, flags=re.DOTALL)[1].split()
    assert listed == tree
    assert sorted(tree) == [path.stem for path in PAGES]


@pytest.mark.parametrize("path", [FOLDER / "index.md", *PAGES], ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    page = path.read_text(encoding="utf-8")
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page):
        assert (FOLDER / target).exists(), target


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_page_has_one_title_and_is_short(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if line.startswith("# ")][:1] == lines[:1]
    assert len(lines) <= LONGEST
