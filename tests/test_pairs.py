"""The table of pairs: selections, exports, copies, files."""

import copy
import pickle
from itertools import pairwise

import numpy as np
import pytest

import abut
from test_npz import FALLING, change

pytestmark = pytest.mark.native

N = 60
PERIOD = {2: (1.0, None), 3: (1.0, None, 0.8)}


@pytest.fixture(scope="module")
def spheres(dimension):
    rng = np.random.default_rng(5)
    return rng.random((N, dimension)), rng.uniform(0.05, 0.2, N)


@pytest.fixture
def pairs(spheres):
    return abut.find_pairs(*spheres)


@pytest.fixture
def periodic(spheres, dimension):
    found = abut.find_pairs(*spheres, period=PERIOD[dimension])
    assert found.image.any()
    return found


# ---- columns -------------------------------------------------------------------------------------


def test_columns(periodic, dimension):
    m = len(periodic)
    shapes = dict.fromkeys(("normal", "point", "image"), (m, dimension))
    for name, column in periodic.to_dict().items():
        if name != "offsets":
            assert column.shape == shapes.get(name, (m,)), name
            assert column.dtype == (float if name in ("normal", "point", "overlap") else np.intp)
            assert column.flags.owndata and column.flags.writeable and column.flags.c_contiguous
    assert tuple(periodic.to_dict()) == (*abut.Pairs._row_columns, "offsets")
    assert (np.repeat(np.arange(N), periodic.counts) == periodic.i).all()


def test_image_is_made_when_it_is_asked_for(pairs, spheres, dimension):
    assert "image" not in vars(pairs)
    for table in (copy.deepcopy(pairs), pickle.loads(pickle.dumps(pairs)), pairs[3:], pairs.of(2)):
        assert "image" not in vars(table)
    assert pairs == abut.find_pairs(*spheres) and "image" not in vars(pairs)
    image = pairs.image
    assert image.shape == (len(pairs), dimension) and image.dtype == np.intp and not image.any()
    assert pairs.image is image and image.flags.owndata
    image[1] = 5
    assert pairs[1:].image[0].tolist() == [5] * dimension and pairs != abut.find_pairs(*spheres)


# ---- exports -------------------------------------------------------------------------------------


def test_matrix(pairs):
    pytest.importorskip("scipy")
    dense = np.zeros((N, N))
    dense[pairs.i, pairs.j] = pairs.overlap
    matrix = pairs.matrix()
    assert matrix.format == "csr" and (matrix.toarray() == dense).all()
    matrix.data[:] = 5
    assert pairs.overlap.max() < 1
    assert pairs.matrix(range(len(pairs))).sum() == sum(range(len(pairs)))
    with pytest.raises(ValueError, match=r"values has shape \(3,\), but must be"):
        pairs.matrix([1, 2, 3])


def test_symmetric_matrix(periodic):
    pytest.importorskip("scipy")
    dense = np.zeros((N, N))
    np.add.at(dense, (periodic.i, periodic.j), periodic.overlap)
    np.add.at(dense, (periodic.j, periodic.i), periodic.overlap)
    matrix = periodic.matrix(symmetric=True)
    assert matrix.format == "csr" and matrix.has_canonical_format
    np.testing.assert_allclose(matrix.toarray(), dense, rtol=1e-15)
    ones = np.ones(len(periodic))
    degrees = periodic.matrix(ones, symmetric=True).sum(axis=1)
    assert degrees.tolist() == periodic.sum(ones, ones).tolist()


def test_symmetric_matrix_of_selections_own_images_and_overlaps_of_0(pairs):
    pytest.importorskip("scipy")
    for rows in (slice(1, None, 2), slice(0)):
        dense = pairs[rows].matrix().toarray()
        assert (pairs[rows].matrix(symmetric=True).toarray() == dense + dense.T).all()
    own = abut.find_pairs([[0, 0, 0]], 0.75, period=(1, None, None))
    assert own.matrix(symmetric=True).toarray().tolist() == [[2 * own.overlap.sum()]]
    touching = abut.find_pairs([[0, 0, 0], [2, 0, 0]], 1.0)
    assert touching.overlap.tolist() == [0.0]
    assert touching.matrix(symmetric=True).nnz == 2


def test_matrix_with_others(spheres):
    pytest.importorskip("scipy")
    found = abut.find_pairs(*spheres, others=(spheres[0][:7], 0.1))
    assert found.matrix().shape == (N, 7) and found.matrix().nnz == len(found)
    with pytest.raises(ValueError, match="pairs with others make no symmetric matrix"):
        found.matrix(symmetric=True)


@pytest.mark.parametrize("shape", [(), (1,), (3,), (0,)])
def test_sum(periodic, shape):
    rng = np.random.default_rng(3)
    on_i, on_j = rng.normal(size=(2, len(periodic), *shape))
    for given, expected_j in ((None, -on_i), (on_j, on_j)):
        first, second = np.zeros((2, N, *shape))
        np.add.at(first, periodic.i, on_i)
        np.add.at(second, periodic.j, expected_j)
        found = periodic.sum(on_i, given)
        assert found.shape == (N, *shape) and found.tobytes() == (first + second).tobytes()


def test_sum_with_others(spheres):
    centers, radii = spheres
    found = abut.find_pairs(centers[:20], radii[:20], others=(centers[20:], radii[20:]))
    on_i = np.random.default_rng(4).normal(size=(len(found), 2))
    expected = np.zeros((20, 2)), np.zeros((N - 20, 2))
    np.add.at(expected[0], found.i, on_i)
    np.add.at(expected[1], found.j, -on_i)
    sums = found.sum(on_i)
    assert isinstance(sums, tuple) and len(found) > 3
    assert [one.tolist() for one in sums] == [one.tolist() for one in expected]
    assert found.sum(on_i, 2 * on_i)[1].tolist() == (-2 * expected[1]).tolist()


def test_sum_refuses_other_shapes(pairs):
    count = len(pairs)
    with pytest.raises(ValueError, match=rf"on_i has shape \(3,\), but must be \({count},\) or"):
        pairs.sum([1, 2, 3])
    with pytest.raises(ValueError, match=rf"on_j has shape \({count}, 1\), but on_i has \({count}"):
        pairs.sum(np.ones(count), np.ones((count, 1)))
    with pytest.raises(TypeError, match="on_j has dtype bool"):
        pairs.sum(np.ones(count), np.ones(count, bool))
    for name in "ij":
        changed = copy.deepcopy(pairs)
        getattr(changed, name)[1] = N
        with pytest.raises(ValueError, match=rf"{name}\[1\] is {N}, but must be 0 to {N - 1}"):
            changed.sum(np.ones(count))


# ---- joins ---------------------------------------------------------------------------------------


def test_concatenate_with_others_is_one_search(spheres, dimension):
    centers, radii = spheres
    for options in ({}, {"period": PERIOD[dimension]}):
        found = [
            abut.find_pairs(centers[a:b], radii[a:b], others=spheres, **options)
            for a, b in pairwise((0, 1, 1, 25, N))
        ]
        joined = abut.concatenate(iter(found))
        assert joined == abut.find_pairs(*spheres, others=spheres, **options)
        assert joined.other_count == N and joined.period == found[0].period
        assert not joined.offsets.flags.writeable


def test_concatenate_chunks_apart_is_one_search(spheres):
    """Chunks so far apart that no pair is lost."""
    centers, radii = spheres
    chunks = [(centers[:25], radii[:25]), (centers[25:] + 100, radii[25:])]
    whole = abut.find_pairs(*map(np.concatenate, zip(*chunks, strict=True)))
    assert abut.concatenate(abut.find_pairs(*chunk) for chunk in chunks) == whole


def test_concatenate_wants_one_search(pairs, periodic, spheres, dimension):
    one, two = (abut.find_pairs(*spheres, others=(spheres[0][:n], 1.0)) for n in (1, 2))
    for other, message in (
        (periodic, "the pairs have different period"),
        (one, "the pairs have different other_count"),
        (abut.find_pairs(np.zeros((1, 5 - dimension)), 1.0), "the pairs are in different dim"),
    ):
        with pytest.raises(ValueError, match=message):
            abut.concatenate([pairs, other])
    with pytest.raises(ValueError, match="the pairs have different other_count"):
        abut.concatenate([one, two])
    with pytest.raises(TypeError, match=r"tables\[1\] is int, but must be Pairs"):
        abut.concatenate([pairs, 3])


# ---- files ---------------------------------------------------------------------------------------


def saved(pairs, path):
    pairs.save(path)
    with np.load(path) as file:
        return dict(file)


def test_npz_gives_every_bit_back(pairs, periodic, spheres, tmp_path):
    others = abut.find_pairs(*spheres, others=(spheres[0][:7], 0.1))
    for table in (pairs, periodic, others, pairs[:0], pairs[[0, 2]]):
        assert saved(table, tmp_path / "pairs.npz")["abut_format"] == 1
        found = abut.load_pairs(tmp_path / "pairs.npz")
        assert (found.period, found.other_count) == (table.period, table.other_count)
        for name in (*abut.Pairs._row_columns, "offsets"):
            column, expected = getattr(found, name), getattr(table, name)
            assert column.dtype == expected.dtype and column.tobytes() == expected.tobytes()
            assert column.flags.writeable == (name != "offsets")


def swap_two(arrays):
    """Two pairs of a sphere in the wrong order."""
    row = np.flatnonzero((np.diff(arrays["i"]) == 0) & (np.diff(arrays["j"]) > 0))[0]
    arrays["j"][[row, row + 1]] = arrays["j"][[row + 1, row]]


@pytest.mark.parametrize(
    ("apply", "message"),
    [
        (lambda a: a.pop("j"), "has no column j"),
        (lambda a: a.update(normal=a["normal"][:, :1]), r"normal has shape \(\d+, 1\)"),
        (lambda a: a.update(j=a["j"] * 1.0), "j has dtype float64, but must be"),
        (lambda a: a.update(overlap=a["overlap"][1:]), r"overlap has \d+ entries, not \d+"),
        (change("i", 0, 7), "i disagrees with offsets"),
        (change("j", 0, -1), r"j\[0\] is -1, which is not a partner of sphere"),
        (change("j", -1, N), rf"is {N}, which is not a partner of sphere"),
        (swap_two, r"j\[\d+\] is less than that of the row before"),
        (lambda a: a.update(period=-a["period"]), r"period\[0\] is -1, but must be positive"),
        (lambda a: a.update(other_count=1.5), "other_count has dtype float64, but must be int64"),
        (lambda a: a.update(other_count=-1), "other_count is -1"),
        (change("point", (2, 1), np.inf), r"point\[2, 1\] is inf"),
        (change("offsets", slice(1, 4), FALLING), "offsets does not ascend"),
        (lambda a: a.update(other_count=3), "which is not a partner of sphere"),
    ],
)
def test_what_is_broken_is_named(periodic, tmp_path, apply, message):
    arrays = saved(periodic, tmp_path / "pairs.npz")
    apply(arrays)
    np.savez(tmp_path / "pairs.npz", **arrays)
    with pytest.raises(ValueError, match=rf"pairs\.npz.*{message}"):
        abut.load_pairs(tmp_path / "pairs.npz")
