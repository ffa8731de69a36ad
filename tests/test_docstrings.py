"""The examples of docstrings print what they say."""

import doctest
from importlib import import_module
from pathlib import Path

import pytest

import abut

# the couplings need their engines
COUPLED = ("abut.dask", "abut.lammps")
FOLDER = Path(abut.__file__).parent
MODULES = sorted(
    ".".join(["abut", *path.relative_to(FOLDER).with_suffix("").parts]).removesuffix(".__init__")
    for path in FOLDER.rglob("*.py")
    if path.name != "__main__.py"
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name, tmp_path, monkeypatch):
    if name.startswith(COUPLED):
        pytest.importorskip(name, exc_type=ImportError)
    monkeypatch.chdir(tmp_path)
    assert not doctest.testmod(import_module(name), optionflags=doctest.ELLIPSIS).failed


def test_there_are_examples():
    finder = doctest.DocTestFinder(exclude_empty=True)
    found = [
        one
        for name in MODULES
        if not name.startswith(COUPLED)
        for one in finder.find(import_module(name))
    ]
    assert sum(bool(one.examples) for one in found) > 100
