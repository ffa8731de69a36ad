"""The table of entrances: its rows for a pair, and its methods."""

import csv

import numpy as np
import pytest

import abut
from scenes_bodies import COUNT, finder_of, heap_of

COLUMNS = ("pair", "type", "feature", "normal", "overlap")


@pytest.fixture(scope="module")
def finder(dimension):
    return finder_of(dimension)


@pytest.fixture(scope="module")
def pairs():
    rng = np.random.default_rng(2)
    return np.array([rng.permutation(COUNT)[:2] for _ in range(30)])


@pytest.fixture
def entrances(finder, dimension, pairs):
    return finder.entrances(*heap_of(dimension), pairs=pairs)


def test_columns(entrances, dimension, pairs):
    m = len(entrances)
    shapes = {
        "type": (m, 2), "feature": (m, 2), "normal": (m, dimension), "offsets": (len(pairs) + 1,),
    }  # fmt: skip
    for name, column in entrances.to_dict().items():
        assert column.shape == shapes.get(name, (m,)), name
        kind = {"normal": float, "overlap": float, "type": np.uint8}.get(name, np.intp)
        assert column.dtype == kind and column.flags.writeable == (name != "offsets"), name
    assert tuple(entrances.to_dict()) == (*COLUMNS, "offsets")
    assert np.array_equal(entrances.pairs, pairs) and not entrances.pairs.flags.writeable
    assert np.array_equal(np.repeat(np.arange(len(pairs)), entrances.counts), entrances.pair)
    np.testing.assert_allclose(np.linalg.norm(entrances.normal, axis=1), 1)


def test_pairs_of_tables(finder, dimension):
    contacts = finder.find(*heap_of(dimension))
    found = finder.entrances(*heap_of(dimension), pairs=contacts)
    expected = finder.entrances(
        *heap_of(dimension), pairs=np.column_stack([contacts.i, contacts.j])
    )
    assert found == expected and len(found.pairs) == len(contacts)


def test_exports(entrances, tmp_path, dimension):
    entrances.save(tmp_path / "entrances.csv")
    with open(tmp_path / "entrances.csv", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [int(row["feature_j"]) for row in rows] == entrances.feature[:, 1].tolist()
    entrances.save(tmp_path / "entrances.npz")
    with np.load(tmp_path / "entrances.npz") as file:
        assert np.array_equal(file["overlap"], entrances.overlap)
        assert np.array_equal(file["pairs"], entrances.pairs)
    with pytest.raises(ValueError, match="entrances have no points"):
        entrances.save(tmp_path / "entrances.vtp")
    with pytest.raises(TypeError, match="entrances have no points"):
        entrances.to_pyvista()


def test_bad_input(finder, dimension, pairs, entrances):
    heap = heap_of(dimension)
    other = finder_of(dimension, method="fds").entrances(*heap, pairs=pairs)
    assert finder.entrances(*heap, pairs=pairs, before=other) == entrances
    strange = abut.ConvexFinder(finder.shapes, 1 - finder.shape).entrances(*heap, pairs=pairs)
    for options, error, message in (
        ({"pairs": None}, TypeError, r"pairs is None, but must be \(p, 2\)"),
        ({"pairs": [[0, 0]]}, ValueError, "pair 0 has body 0 twice"),
        ({"pairs": [[0, COUNT]]}, ValueError, r"pairs\[0, 1\] is 40, but there are 40 bodies"),
        ({"pairs": pairs[1:], "before": entrances}, ValueError, "before has entrances of other pa"),
        ({"pairs": pairs, "before": strange}, ValueError, "before is of another finder"),
        ({"pairs": pairs, "before": 3}, TypeError, "before is an int, but must be"),
    ):
        with pytest.raises(error, match=message):
            finder.entrances(*heap, **options)
