"""Contacts as CSV."""

import csv

import numpy as np
import pytest

import abut
from abut.io import save_table

NAMES = [
    "sphere", "facet", "type", "feature", "point_x", "point_y", "point_z", "normal_x", "normal_y",
    "normal_z", "overlap", "share", "mesh", "image_x", "image_y", "image_z",
]  # fmt: skip


@pytest.fixture(scope="module")
def contacts():
    mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    centers = np.random.default_rng(0).random((140_000, 3)) * [1, 1, 0.1]
    return abut.find_contacts(centers, 0.05, mesh)


def read(path):
    with open(path, newline="") as file:
        head, *rows = csv.reader(file)
    return head, rows


def test_columns_come_back_to_the_bit(contacts, tmp_path):
    contacts.save(tmp_path / "contacts.csv")
    head, rows = read(tmp_path / "contacts.csv")
    assert head == NAMES
    assert len(rows) == len(contacts) > 1 << 15
    columns = dict(zip(head, zip(*rows, strict=True), strict=True))
    assert [int(word) for word in columns["sphere"]] == contacts.sphere.tolist()
    assert [int(word) for word in columns["type"]] == contacts.type.tolist()
    for k, axis in enumerate("xyz"):
        assert [float(w) for w in columns[f"point_{axis}"]] == contacts.point[:, k].tolist()
    assert [float(word) for word in columns["overlap"]] == contacts.overlap.tolist()


def test_more_columns(contacts, tmp_path):
    save_table(contacts[:2], tmp_path / "contacts.csv", {"frame": np.array([3, 4])})
    head, rows = read(tmp_path / "contacts.csv")
    assert head == [*NAMES, "frame"]
    assert [row[-1] for row in rows] == ["3", "4"]
