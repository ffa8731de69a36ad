"""Pairs as neighbor lists of freud: its own query is the truth."""

import sys

import numpy as np
import pytest

import abut


def rows_of(neighbors):
    """The two numbers and the vector of each row, in the list's order."""
    return np.column_stack([neighbors.query_point_indices, neighbors.point_indices]), np.array(
        neighbors.vectors
    )


@pytest.mark.parametrize("dimension", [2, 3])
@pytest.mark.parametrize("is_periodic", [False, True])
@pytest.mark.parametrize("has_others", [False, True])
def test_freud_has_what_its_own_query_finds(dimension, is_periodic, has_others):
    freud = pytest.importorskip("freud")
    rng = np.random.default_rng(1)
    length, radius = 10.0, 0.6
    points = np.zeros((400 if dimension == 3 else 80, 3))
    points[:, :dimension] = rng.uniform(0, length, (len(points), dimension))
    others = points[::3] + np.array([0.1, 0.2, 0.0])
    size = length if is_periodic else 4 * length
    box = freud.box.Box.cube(size) if dimension == 3 else freud.box.Box.square(size)
    own = (points[:, :dimension], others[:, :dimension]) if has_others else (points[:, :dimension],)
    pairs = abut.find_pairs(
        own[0],
        radius,
        others=(own[1], radius) if has_others else None,
        period=dimension * (length,) if is_periodic else None,
    )
    there = box.wrap(others if has_others else points)
    query = freud.locality.AABBQuery(box, there).query(
        box.wrap(points), {"r_max": 2 * radius, "exclude_ii": not has_others}
    )
    wanted, found = query.toNeighborList(sort_by_distance=False), pairs.to_freud(*own)
    assert len(found) == len(wanted) > 50
    order = np.lexsort([wanted.point_indices, wanted.query_point_indices])
    numbers, vectors = rows_of(found)
    np.testing.assert_array_equal(numbers, rows_of(wanted)[0][order])
    np.testing.assert_allclose(vectors, rows_of(wanted)[1][order], atol=1e-5)
    np.testing.assert_allclose(found.distances, wanted.distances[order], atol=1e-5)
    assert (found.num_query_points, found.num_points) == (len(points), len(there))


def test_freud_takes_no_pairs():
    pytest.importorskip("freud")
    assert len(abut.find_pairs([[0, 0, 0]], 1.0).to_freud([[0, 0, 0]])) == 0


def test_freud_wants_the_centers_of_the_search():
    with pytest.raises(ValueError, match="centers"):
        abut.find_pairs([[0, 0, 0], [1, 0, 0]], 1.0).to_freud([[0, 0, 0]])


def test_freud_wants_finite_centers():
    pairs = abut.find_pairs([[0, 0, 0], [1, 0, 0]], 1.0, others=([[0, 1, 0]], 1.0))
    with pytest.raises(ValueError, match=r"centers\[1, 2\] is nan"):
        pairs.to_freud([[0, 0, 0], [1, 0, np.nan]], [[0, 1, 0]])
    with pytest.raises(ValueError, match=r"others\[0, 0\] is inf"):
        pairs.to_freud([[0, 0, 0], [1, 0, 0]], [[np.inf, 1, 0]])


def test_freud_is_named_where_it_is_missing(monkeypatch):
    monkeypatch.setitem(sys.modules, "freud", None)
    monkeypatch.setitem(sys.modules, "freud.locality", None)
    centers = [[0, 0, 0], [1, 0, 0]]
    with pytest.raises(ImportError, match=r"this needs freud: pip install 'abut\[freud\]'"):
        abut.find_pairs(centers, 1.0).to_freud(centers)


@pytest.mark.parametrize("dimension", [2, 3])
def test_freud_finds_the_same_in_its_box_of_a_tilted_cell(dimension):
    freud = pytest.importorskip("freud")
    rng = np.random.default_rng(1)
    cell = np.array([[10.0, 0, 0], [4, 9, 0], [-3, 2, 8]])[:dimension, :dimension]
    size = 400 if dimension == 3 else 80
    points = rng.uniform(-4, 4, (size, dimension))
    pairs = abut.find_pairs(points, 0.6, period=cell)
    box = pairs.freud_box(points)
    there = np.zeros((size, 3))
    there[:, :dimension] = points
    query = freud.locality.AABBQuery(box, box.wrap(there))
    wanted = query.query(box.wrap(there), {"r_max": 1.2, "exclude_ii": True})
    wanted, found = wanted.toNeighborList(sort_by_distance=False), pairs.to_freud(points)
    assert len(found) == len(wanted) > 50
    order = np.lexsort([wanted.point_indices, wanted.query_point_indices])
    numbers, vectors = rows_of(found)
    np.testing.assert_array_equal(numbers, rows_of(wanted)[0][order])
    np.testing.assert_allclose(vectors, rows_of(wanted)[1][order], atol=1e-5)
    density = freud.density.LocalDensity(1.0, 0.5).compute((box, there), neighbors=found)
    expected = freud.density.LocalDensity(1.0, 0.5).compute((box, there), neighbors=wanted)
    np.testing.assert_allclose(density.num_neighbors, expected.num_neighbors, atol=1e-4)


def test_boxes_of_freud_from_lengths():
    freud = pytest.importorskip("freud")
    centers = [[1, 2, -3], [0, 0, 0]]
    pairs = abut.find_pairs(centers, 0.5, period=(4, None, 5))
    box = pairs.freud_box(centers)
    assert (box.Lx, box.Lz, box.xy, box.xz, box.yz) == (4, 5, 0, 0, 0)
    assert 4 < box.Ly < 4.01
    assert list(box.periodic) == [True, False, True]
    density = freud.density.LocalDensity(1.0, 0.5)
    assert len(density.compute((box, centers), neighbors=pairs.to_freud(centers)).density) == 2
    open_box = abut.find_pairs(centers, 0.5).freud_box(centers)
    assert not any(open_box.periodic)
    assert abut.find_pairs([[0, 0, 0]], 0.5).freud_box([[0, 0, 0]]).Lx == 1
    backwards = abut.find_pairs(centers, 0.5, period=np.diag([-4, 6, 5])).freud_box(centers)
    assert (backwards.Lx, backwards.Ly) == (4, 6)


def test_freud_has_no_boxes_of_other_cells():
    pairs = abut.find_pairs([[0, 0, 0]], 0.1, period=[[1, 1, 0], [0, 1, 0], [0, 0, 1]])
    with pytest.raises(ValueError, match=r"first vector along x, .* rotate the centers and the"):
        pairs.freud_box([[0, 0, 0]])
    with pytest.raises(ValueError, match=r"centers has shape \(2, 3\), but must be \(1, 3\)"):
        pairs.freud_box([[0, 0, 0], [1, 1, 1]])
