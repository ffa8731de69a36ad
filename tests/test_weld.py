"""Welding: merged vertices and remaining facets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut.io.facets import offsets_of
from abut.io.weld import weld
from abut.search.facets import Facets
from scenes import corners


def facets_of(vertices, facets):
    counts = np.array([len(facet) for facet in facets], np.intp)
    indices = np.array([corner for facet in facets for corner in facet], np.intp)
    return Facets(np.array(vertices, float).reshape(-1, 3), indices, offsets_of(counts))


def joined(points, distance):
    """A slow reference: for each point, the first point of its chain of near points."""
    root = list(range(len(points)))
    for _ in points:
        for i, p in enumerate(points):
            for j, q in enumerate(points):
                x, y, z = np.subtract(p, q)
                if np.hypot(np.hypot(x, y), z) <= distance:
                    root[i] = root[j] = min(root[i], root[j])
    return root


def as_points(points):
    """Facets that show which vertex each point has become."""
    return facets_of(points, [[i] for i in range(len(points))])


def welded_points(points, distance):
    """For each point the number of the point with which it is merged."""
    points = np.array(points, float)
    others = 1e6 * np.array([[1, 0, 0], [0, 1, 0]])
    every = np.concatenate([others, points])
    triangles = [[0, 1, 2 + i] for i in range(len(points))]
    found, dropped = weld(facets_of(every, triangles), distance)
    assert len(dropped) == 0
    # each vertex that stays is bit by bit one of the file's
    number = {tuple(point): i for i, point in reversed(list(enumerate(points + 0.0)))}
    return [number[tuple(found.vertices[corner[2]])] for corner in corners(found)]


# ---- vertices ------------------------------------------------------------------------------------


def test_equal_vertices_become_the_first_of_them():
    vertices = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [-0.0, 0, 0], [1, -0.0, 0], [1, 1, 0]]
    found, dropped = weld(facets_of(vertices, [[0, 1, 2], [3, 4, 5]]))
    assert found.vertices.tolist() == [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]]
    assert corners(found) == [[0, 1, 2], [0, 1, 3]]
    assert not np.signbit(found.vertices).any()
    assert len(dropped) == 0


points = st.lists(
    st.tuples(*[st.integers(-4, 4).map(lambda k: k / 4)] * 3), min_size=1, max_size=12
)


@given(points, st.sampled_from([0.0, 0.25, 0.3, 0.5, 1.0, 5.0]))
def test_vertices_within_the_distance_become_one_by_chains(points, distance):
    first = joined(points, distance)
    assert welded_points(points, distance) == [points.index(points[i]) for i in first]


@given(
    st.lists(st.tuples(*[st.floats(-1, 1)] * 3), min_size=1, max_size=12),
    st.floats(0, 2),
    st.sampled_from([1e-200, 1e-9, 1.0, 1e3]),
)
def test_at_any_scale(points, distance, scale):
    points = [tuple(scale * x for x in point) for point in points]
    if max(abs(x) for point in points for x in point) > 1e5:
        return
    first = joined(points, scale * distance)
    assert welded_points(points, scale * distance) == [points.index(points[i]) for i in first]


def test_a_long_chain_is_one():
    line = np.zeros((5000, 3))
    line[:, 0] = np.random.default_rng(0).permutation(5000) * 0.999
    assert set(welded_points(line, 1.0)) == {0}
    assert len(set(welded_points(line, 0.998))) == 5000


def test_a_distance_over_much_of_a_fine_mesh_is_refused():
    # two dense sheets that are farther apart than the distance: every pair would be measured
    sheet = np.random.default_rng(2).random((20_000, 3)) * [1, 1, 0]
    above = sheet + np.array([0, 0, 1.001])
    with pytest.raises(ValueError, match=r"weld=1\.0 is too far for this mesh"):
        weld(as_points(np.concatenate([sheet, above])), 1.0)


# ---- facets --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("facet", "left"),
    [
        ([0, 1, 2], [0, 1, 2]),
        ([0, 0, 1, 2], [0, 1, 2]),
        ([0, 1, 2, 0], [0, 1, 2]),
        ([0, 1, 1, 1, 2, 2, 3], [0, 1, 2, 3]),
        ([0, 1, 2, 1], None),  # to 2 and straight back
        ([0, 1, 0, 2], None),
        ([0, 1, 2, 3, 2], [0, 1, 2]),
        ([3, 0, 1, 2, 0], [0, 1, 2]),
        ([0, 1, 2, 0, 3], [0, 1, 2]),
        ([0, 1, 4, 3, 4, 1, 2], [0, 1, 2]),
        ([0, 0, 0], None),
        ([0, 1], None),
        ([0], None),
        ([], None),
        # a corner that two loops share is for the mesh to refuse
        ([0, 1, 2, 0, 3, 4], [0, 1, 2, 0, 3, 4]),
    ],
)
def test_corners_that_repeat(facet, left):
    vertices = np.random.default_rng(0).random((5, 3))
    found, dropped = weld(facets_of(vertices, [[1, 2, 3], facet, [2, 3, 4]]))
    assert corners(found) == [[1, 2, 3], *([left] if left else []), [2, 3, 4]]
    assert dropped.tolist() == ([] if left else [1])
    assert found.source.tolist() == ([0, 1, 2] if left else [0, 2])


@given(st.lists(st.lists(st.integers(0, 3), max_size=8), max_size=5))
def test_no_corner_is_beside_itself(facets):
    found, dropped = weld(facets_of(np.eye(4, 3), facets))
    assert sorted([*found.source, *dropped]) == list(range(len(facets)))
    for facet in corners(found):
        assert len(facet) >= 3
        for i, corner in enumerate(facet):
            assert corner != facet[i - 1]
            assert facet[i - 2] != corner or len(facet) == 2


def test_a_facet_of_very_many_corners_takes_no_long_time():
    there = list(range(100_000))
    found, dropped = weld(
        facets_of(np.random.default_rng(0).random((100_000, 3)), [there[::-1] + there])
    )
    assert dropped.tolist() == [0]
    assert len(found.indices) == 0


# ---- through read_mesh ---------------------------------------------------------------------------


def test_one_warning_counts_what_is_dropped(tmp_path):
    path = tmp_path / "mesh.obj"
    path.write_text(
        "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 0\nv 0.001 0 0\n"
        "f 1 2 3\nf 1 4 2\nf 4 2 3\nf 1 5 3\nf 1 2\n"
    )
    with pytest.warns(abut.MeshWarning, match="2 of 5 facets .* the first is 1") as seen:
        mesh = abut.read_mesh(path)
    assert len(seen) == 1
    assert mesh.source.tolist() == [0, 2, 3]
    with pytest.warns(abut.MeshWarning, match="3 of 5 facets .* the first is 1") as seen:
        mesh = abut.read_mesh(path, weld=0.01)
    assert len(seen) == 1
    assert mesh.source.tolist() == [0, 2]


@pytest.mark.parametrize("distance", [-1.0, np.nan, np.inf])
def test_a_weld_distance_must_be_one(tmp_path, distance):
    path = tmp_path / "mesh.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
    with pytest.raises(ValueError, match="weld is"):
        abut.read_mesh(path, weld=distance)
