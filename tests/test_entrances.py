"""The table of entrances: what it says of a pair, and what a table does."""

import copy
import csv
import pickle

import numpy as np
import pytest

import abut
from scenes_bodies import COUNT, CUBE, finder_of, heap_of

COLUMNS = ("pair", "type", "feature", "normal", "overlap")


@pytest.fixture(scope="module", params=[2, 3])
def dimension(request):
    return request.param


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


def test_types(entrances, dimension):
    found = set(map(tuple, entrances.type.tolist()))
    sides = {(abut.VERTEX, abut.FACET), (abut.FACET, abut.VERTEX)}
    assert found == (sides if dimension == 2 else sides | {(abut.EDGE, abut.EDGE)})


def test_they_tell_who_overlaps_and_by_how_much(dimension, pairs):
    """Of sharp bodies: the least overlap is that of fds, and of slm where they are apart."""
    sharp = [shape.rounded(0) for shape in finder_of(dimension).shapes]
    made = finder_of(dimension)
    finder = abut.ConvexFinder(sharp, made.shape, scales=made.scales, method="fds")
    least = [finder.entrances(*heap_of(dimension), pairs=pairs).of(k).overlap.min()
             for k in range(len(pairs))]  # fmt: skip
    contacts = finder.find(*heap_of(dimension), pairs=pairs)
    overlapping = contacts.overlap > 0
    assert overlapping.any() and not overlapping.all()
    assert np.array_equal(np.greater(least, 0), overlapping)
    np.testing.assert_allclose(np.array(least)[overlapping], contacts.overlap[overlapping])
    assert (np.array(least)[~overlapping] >= contacts.overlap[~overlapping] - 1e-12).all()


def test_updated_is_initial(finder, dimension, pairs):
    before = finder.entrances(*heap_of(dimension), pairs=pairs)
    for step in range(1, 200, 20):
        moved = heap_of(dimension, step)
        initial = finder.entrances(*moved, pairs=pairs)
        for given in (before, before[::3], before[:0]):
            assert finder.entrances(*moved, pairs=pairs, before=given) == initial
        assert finder.entrances(*moved, pairs=pairs, before=before, workers=2) == initial
        before = initial


def test_pairs_of_tables(finder, dimension):
    contacts = finder.find(*heap_of(dimension))
    found = finder.entrances(*heap_of(dimension), pairs=contacts)
    expected = finder.entrances(
        *heap_of(dimension), pairs=np.column_stack([contacts.i, contacts.j])
    )
    assert found == expected and len(found.pairs) == len(contacts)


def test_selections(entrances):
    best = [np.flatnonzero(entrances.pair == k)[0] for k in range(len(entrances.pairs))]
    part = entrances[best]
    assert part.pair.tolist() == list(range(len(best))) and (part.counts == 1).all()
    assert np.array_equal(part.overlap, entrances.overlap[best])
    assert len(entrances.of(3)) == entrances.counts[3]
    with pytest.raises(IndexError, match="there is no pair 30: there are 30 pairs, from 0"):
        entrances.of(30)


def test_copies(entrances):
    for again in (
        copy.copy(entrances), copy.deepcopy(entrances), pickle.loads(pickle.dumps(entrances)),
    ):  # fmt: skip
        assert again == entrances and np.array_equal(again.pairs, entrances.pairs)
    for name in COLUMNS:
        other = copy.deepcopy(entrances)
        getattr(other, name)[3] += 1
        assert other != entrances, name


def test_views(entrances):
    assert repr(entrances) == f"Entrances({len(entrances)} of 30 pairs)"
    assert "vertex, facet" in entrances._repr_html_() or "facet, vertex" in entrances._repr_html_()


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


def test_to_pandas(entrances):
    pytest.importorskip("pandas")
    frame = entrances.to_pandas()
    assert np.array_equal(frame.type_i, entrances.type[:, 0]) and len(frame) == len(entrances)


def test_parquet(entrances, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    entrances.save(tmp_path / "entrances.parquet")
    table = parquet.read_table(tmp_path / "entrances.parquet")
    assert table["overlap"].to_pylist() == entrances.overlap.tolist()


def test_bad_input(finder, dimension, pairs, entrances):
    heap = heap_of(dimension)
    other = finder_of(dimension, method="fds").entrances(*heap, pairs=pairs)
    assert finder.entrances(*heap, pairs=pairs, before=other) == entrances
    strange = abut.ConvexFinder(finder.shapes, 1 - finder.shape).entrances(*heap, pairs=pairs)
    for options, error, message in (
        ({"pairs": None}, TypeError, r"pairs is None, but must be \(p, 2\)"),
        ({"pairs": [[0, 0]]}, ValueError, "pair 0 is body 0 and itself"),
        ({"pairs": [[0, COUNT]]}, ValueError, r"pairs\[0, 1\] is 40, but there are 40 bodies"),
        ({"pairs": pairs[1:], "before": entrances}, ValueError, "before has entrances of other pa"),
        ({"pairs": pairs, "before": strange}, ValueError, "before is of another finder"),
        ({"pairs": pairs, "before": 3}, TypeError, "before is an int, but must be"),
    ):
        with pytest.raises(error, match=message):
            finder.entrances(*heap, **options)


def test_before_may_hold_anything(finder, dimension, pairs, entrances):
    for name, value in (("type", 7), ("feature", -1), ("feature", 10**9)):
        before = copy.deepcopy(entrances)
        getattr(before, name)[5] = value
        found = finder.entrances(*heap_of(dimension), pairs=pairs, before=before)
        assert found == entrances


def test_none_at_all(dimension):
    finder = abut.ConvexFinder(abut.ConvexShape(CUBE))
    found = finder.entrances(np.zeros((2, 3)), pairs=[])
    assert len(found) == 0 and found.offsets.tolist() == [0] and found.normal.shape == (0, 3)
