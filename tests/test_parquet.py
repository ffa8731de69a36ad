"""Contacts as Parquet."""

import sys

import numpy as np
import pytest

import abut
from abut.io import save_table


@pytest.fixture(scope="module")
def contacts():
    mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    centers = [[0.2, 0.2, 0.1], [0.5, -0.1, 0], [5, 5, 5], [-0.1, -0.1, 0]]
    return abut.find_contacts(centers, 0.2, mesh)


def read(path):
    return pytest.importorskip("pyarrow.parquet").read_table(path)


def test_more_columns_and_selections(contacts, tmp_path):
    pytest.importorskip("pyarrow")
    save_table(contacts[1:], tmp_path / "contacts.parquet", {"frame": np.array([3, 4])})
    table = read(tmp_path / "contacts.parquet")
    assert table["frame"].to_pylist() == [3, 4]
    assert table["node"].to_pylist() == [[0, 1], [0]]
    contacts[:0].save(tmp_path / "contacts.parquet")
    assert read(tmp_path / "contacts.parquet").num_rows == 0


def test_the_extra_is_named(contacts, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'abut\[io\]'"):
        contacts.save(tmp_path / "contacts.parquet")
    assert not (tmp_path / "contacts.parquet").exists()
