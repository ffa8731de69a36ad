"""The recipes of the manual do what they say."""

import re
from pathlib import Path

import pytest

from pages import run_page, skipping_without_packages

README = Path(__file__).parents[1] / "README.md"
FOLDER = README.parent / "docs" / "howto"
INDEX = (FOLDER / "index.md").read_text(encoding="utf-8")
PAGES = sorted(path for path in FOLDER.glob("*.md") if path.name != "index.md")
# lines of a page, which is to be read at a glance; the dictionary is for looking up
LONGEST, LONGEST_DICTIONARY = 120, 180
# columns of code in the manual
WIDEST = 76
# words of the field, each with the page where a reader looks for it
TERMS = {
    "Verlet list": "other_codes",
    "neighbor list": "other_codes",
    "skin": "other_codes",
    "cutoff": "forces",
    "contact history": "laws",
    "coordination number": "networks",
    "servo wall": "moving_walls",
    "triaxial cell": "triaxial",
    "frozen particle": "driving",
    "clump": "populations",
    "multisphere": "populations",
    "restart file": "restart",
}


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
    assert len(lines) <= (LONGEST_DICTIONARY if path.stem == "other_codes" else LONGEST)


@pytest.mark.parametrize("path", [*PAGES, README], ids=lambda path: path.stem)
def test_code_is_no_wider_than_its_column(path):
    page = path.read_text(encoding="utf-8")
    code = re.findall(r"^```(?:python|py|sh|text)\n(.*?)^```", page, flags=re.DOTALL | re.MULTILINE)
    assert code
    assert [line for block in code for line in block.splitlines() if len(line) > WIDEST] == []


def test_terms_of_the_field_are_in_the_index():
    """Each term is in the manual's index once, and in the dictionary's first table."""
    found = {}
    for path in FOLDER.parent.rglob("*.md"):
        for term in re.findall(r"\{index\}`([^`]+)`", path.read_text(encoding="utf-8")):
            found.setdefault(term, []).append(path.stem)
    assert {term: found.get(term) for term in TERMS} == {t: [page] for t, page in TERMS.items()}
    page = (FOLDER / "other_codes.md").read_text(encoding="utf-8")
    words = re.search(r"^## Terms of the field\n(.*?)^## ", page, flags=re.DOTALL | re.MULTILINE)[1]
    for term in TERMS:
        assert all(word in words for word in term.split()), term
