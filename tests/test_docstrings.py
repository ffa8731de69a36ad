"""The examples of docstrings print what they say."""

import doctest
import pkgutil
from importlib import import_module

import pytest

import abut

# the couplings need their engines
COUPLED = ("abut.dask", "abut.lammps")
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(abut.__path__, "abut.")
    if not module.name.endswith("__main__")
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
