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
