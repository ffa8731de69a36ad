"""Convex shapes: their inputs, errors, and conversions to and from other packages."""

import copy
import itertools
import pickle
import sys
import types

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut

CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
QUADS = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
TRIANGLES = [[q[a], q[b], q[c]] for q in QUADS for a, b, c in ((0, 1, 2), (0, 2, 3))]
SQUARE = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.0], [0.0, 1.0]])
SIDES = [[0, 1], [1, 2], [2, 3], [3, 0]]
TETRA = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]


@pytest.fixture(scope="module")
def cube():
    return abut.ConvexShape(CUBE)


@pytest.fixture(scope="module")
def square():
    return abut.ConvexShape(SQUARE)


def loops_of(shape):
    """Return the vertices of each facet, starting with the smallest."""
    spans = itertools.pairwise(shape.offsets.tolist())
    loops = [shape.source[shape.indices[begin:end]].tolist() for begin, end in spans]
    turned = [loop[loop.index(min(loop)) :] + loop[: loop.index(min(loop))] for loop in loops]
    return sorted(turned)


def assert_is_sound(shape):
    """Check by its own columns that a shape is closed, convex and outward."""
    vertices, normals = shape.vertices, shape.normals
    size = np.ptp(vertices, axis=0).max()
    firsts = vertices[shape.indices[shape.offsets[:-1]]]
    heights = (vertices[None] - firsts[:, None]) @ normals[..., None]
    assert heights.max() <= 1e-9 * size
    assert np.linalg.norm(normals, axis=1) == pytest.approx(1.0)
    sides = [(a, b) for loop in loops_of(shape) for a, b in itertools.pairwise([*loop, loop[0]])]
    if shape.dimension == 3:
        assert len(set(sides)) == len(sides) == 2 * len(shape.edges)
        assert {(b, a) for a, b in sides} == set(sides)
        assert len(vertices) - len(shape.edges) + len(shape) == 2


# ---- inputs and attributes -----------------------------------------------------------------------


def test_cube(cube):
    assert (cube.dimension, cube.radius, len(cube)) == (3, 0.0, 6)
    assert np.array_equal(cube.vertices, CUBE) and cube.source.tolist() == list(range(8))
    assert cube.edges.shape == cube.edge_facets.shape == (12, 2)
    assert np.diff(cube.offsets).tolist() == [4] * 6
    assert sorted(cube.normals.tolist()) == sorted([*np.eye(3).tolist(), *(-np.eye(3)).tolist()])
    assert cube.volume == pytest.approx(8) and cube.centroid == pytest.approx([0, 0, 0])
    assert cube.inertia == pytest.approx(np.eye(3) * 16 / 3)
    assert cube.circumradius == pytest.approx(np.sqrt(3))
    assert_is_sound(cube)


def test_square(square):
    assert (square.dimension, len(square)) == (2, 4)
    assert loops_of(square) == sorted(sorted(side, key=lambda v: v != min(side)) for side in SIDES)
    assert square.edges.shape == (0, 2)
    assert square.volume == pytest.approx(2) and square.centroid == pytest.approx([1, 0.5])
    assert square.inertia == pytest.approx(2 * (4 + 1) / 12) and isinstance(square.inertia, float)
    assert square.circumradius == pytest.approx(np.hypot(1, 0.5))


@pytest.mark.parametrize(
    "facets",
    [
        QUADS,
        np.array(QUADS, np.uint8),
        TRIANGLES,
        [*QUADS[:3], *TRIANGLES[6:]],
        (np.concatenate(QUADS), 4 * np.arange(7)),
    ],
)
def test_facets_in_all_forms_are_the_hull(cube, facets):
    shape = abut.ConvexShape(CUBE, facets)
    assert loops_of(shape) == loops_of(cube)
    assert shape.volume == pytest.approx(8)


def test_what_is_no_corner_is_left_out():
    inner = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [1, 1, 0.5], [0.2, -0.3, 0.1]]
    shape = abut.ConvexShape([*inner, *CUBE])
    assert shape.source.tolist() == list(range(5, 13)) and np.array_equal(shape.vertices, CUBE)
    assert len(shape) == 6
    flat = abut.ConvexShape([[1, 0], *SQUARE, [1, 1], [0.5, 0.5]])
    assert flat.source.tolist() == [1, 2, 3, 4] and len(flat) == 4


def test_rounding():
    sharp, round_one = abut.ConvexShape(CUBE), abut.ConvexShape(CUBE, radius=0.5)
    assert round_one.radius == 0.5 and np.array_equal(round_one.vertices, CUBE)
    # The sum of faces, quarter cylinders along the edges, and a sphere for the corners.
    expected = 8 + 24 * 0.5 + 24 * np.pi * 0.25 / 4 + 4 / 3 * np.pi * 0.125
    assert round_one.volume == pytest.approx(expected)
    assert round_one.circumradius == pytest.approx(sharp.circumradius + 0.5)
    assert sharp.rounded(0.5) == round_one and round_one.rounded(0) == sharp


def test_inputs_are_read_once_and_kept_apart():
    vertices = CUBE.astype(np.float32)
    shape = abut.ConvexShape(vertices)
    vertices[:] = 7
    assert np.array_equal(shape.vertices, CUBE)
    frozen = CUBE.copy()
    frozen.flags.writeable = False
    assert abut.ConvexShape(frozen[::1], QUADS).volume == pytest.approx(8)


# ---- hulls ---------------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1), st.integers(4, 40), st.sampled_from([1e-6, 1.0, 1e6]))
def test_hulls_of_points_are_sound(seed, count, scale):
    rng = np.random.default_rng(seed)
    for dimension in (2, 3):
        offset = rng.choice([0.0, 1e4]) * rng.normal(size=dimension)
        stretch = rng.choice([1.0, 1e-3], dimension)
        points = scale * (rng.normal(size=(count, dimension)) * stretch + offset)
        shape = abut.ConvexShape(points)
        assert_is_sound(shape)
        # Every point is inside the hull.
        firsts = shape.vertices[shape.indices[shape.offsets[:-1]]]
        heights = np.einsum("fk,pfk->pf", shape.normals, points[:, None] - firsts)
        assert heights.max() <= 1e-9 * np.ptp(points, axis=0).max()


@pytest.mark.parametrize("noise", [3e-13, 1e-12, 3e-12])
def test_hulls_of_points_that_are_coplanar_but_for_noise(noise):
    """Noise is about the tolerance for merging facets; making the result's hull changes nothing."""
    grid = np.array([p for p in itertools.product((0, 0.5, 1), repeat=3) if p != (0.5, 0.5, 0.5)])
    for seed in (119, *range(6)):
        points = grid + noise * np.random.default_rng(seed).normal(size=grid.shape)
        shape = abut.ConvexShape(points)
        assert_is_sound(shape)
        assert shape.volume == pytest.approx(1.0, abs=30 * noise)
        assert pickle.loads(pickle.dumps(shape)) == shape == shape.scaled(2.0).scaled(0.5)


# ---- errors --------------------------------------------------------------------------------------

INWARD = [quad[::-1] for quad in QUADS]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((CUBE[:3],), "a shape in 3 dimensions needs at least 4 vertices, but has 3"),
        ((SQUARE[:2],), "a shape in 2 dimensions needs at least 3 vertices, but has 2"),
        ((np.zeros((0, 3)),), "needs at least 4 vertices, but has 0"),
        ((CUBE[:4],), "the shape is flat: all vertices lie in one plane"),
        (([[0, 0], [1, 1], [2, 2]],), "the shape is flat: all vertices lie on one line"),
        ((np.ones((9, 3)),), "the shape is flat: all vertices lie in one plane"),
        ((CUBE[:, :1],), "vertices has shape (8, 1), but must be (n, 3) or (n, 2)"),
        ((CUBE.ravel(),), "vertices has shape (24,), but must be (n, 3) or (n, 2)"),
        ((np.where(CUBE[:, :] == CUBE[5], np.nan, CUBE),), "vertices[0, 1] is nan"),
        ((np.where([[0, 0, 1]] * 8, np.inf, CUBE),), "vertices[0, 2] is inf"),
        ((np.where([[0, 0, 1]] * 8, np.inf, CUBE), QUADS), "vertices[0, 2] is inf"),
        ((CUBE * 1e76,), "vertices[0, 0] is -1e+76; coordinates must lie within 1e75 of 0"),
        ((CUBE * 1e76, QUADS), "vertices[0, 0] is -1e+76; coordinates must lie within 1e75 of 0"),
        ((CUBE, [[0, 1, 9]] * 6), "facet 0 names vertex 9, but the shape has 8 vertices"),
        ((CUBE, QUADS[:5]), "the facets are not closed: the edge between vertices"),
        ((CUBE, INWARD), "facet 0 looks inward"),
        ((CUBE, [*QUADS[:5], QUADS[5][::-1]]), "facet 5 looks inward"),
        ((SQUARE, [side[::-1] for side in SIDES]), "facet 0 looks inward; a polygon's sides"),
        ((SQUARE, SIDES[:3]), "the sides are not closed: at vertex"),
        (
            (SQUARE, [*SIDES[:3], [3, 0, 1]]),
            "facet 3 of a polygon has 3 corners, but must be a side of 2",
        ),
        ((CUBE + 0.1 * (CUBE == 1).all(1, keepdims=True), QUADS), "is not planar: vertex"),
    ],
)
def test_bad_shapes(arguments, message):
    with pytest.raises(ValueError) as caught:
        abut.ConvexShape(*arguments)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("cube",), "vertices is 'cube', but must be real numbers"),
        ((None,), "vertices is None"),
        ((abut.Mesh(CUBE, QUADS),), "vertices is a Mesh: use ConvexShape.from_any"),
        ((CUBE.astype(bool),), "vertices has dtype bool"),
        ((CUBE + 1j,), "vertices has dtype complex128"),
        ((CUBE, [[0.5, 1.0, 2.0]]), "facets has dtype float64, but must be integers"),
    ],
)
def test_wrong_types(arguments, message):
    with pytest.raises(TypeError) as caught:
        abut.ConvexShape(*arguments)
    assert message in str(caught.value)


# ---- equality and pickles ------------------------------------------------------------------------


def test_equal_numbers_make_equal_shapes(cube):
    assert cube == abut.ConvexShape(CUBE) and hash(cube) == hash(abut.ConvexShape(CUBE))
    others = [CUBE * 2, CUBE[::-1], [*CUBE[:-1], [1, 1, 2]]]
    assert cube not in [abut.ConvexShape(points) for points in others]
    assert cube != abut.ConvexShape(CUBE, radius=0.1) and cube != 3
    assert copy.copy(cube) is cube and copy.deepcopy(cube) is cube


@pytest.mark.parametrize(
    "shape",
    [
        abut.ConvexShape([[0.3, 0.1, 0.2], *CUBE], radius=0.25),
        abut.ConvexShape([[0.3, 0.1], *SQUARE]),
        abut.ConvexShape(np.random.default_rng(3).normal(size=(40, 3))),
    ],
)
def test_pickles_are_equal(shape):
    again = pickle.loads(pickle.dumps(shape))
    assert again == shape and hash(again) == hash(shape)
    names = ("source", "edges", "normals", "centroid", "inertia")
    for name in names:
        assert np.array_equal(getattr(again, name), getattr(shape, name)), name
    assert (again.volume, again.circumradius) == (shape.volume, shape.circumradius)


# ---- other frames and sizes ----------------------------------------------------------------------


def test_scaled(cube):
    large = cube.rounded(0.5).scaled(4)
    assert np.array_equal(large.vertices, 4 * CUBE) and large.radius == 2.0
    assert large.volume == pytest.approx(64 * cube.rounded(0.5).volume)
    for wrong in (0, -1, np.nan, np.inf):
        with pytest.raises(ValueError, match=r"s is .*, but must be positive and finite"):
            cube.scaled(wrong)


def test_centered():
    for points in (CUBE + [5, 6, 7], SQUARE):
        shape = abut.ConvexShape(points, radius=0.5)
        middle = shape.centered()
        assert middle.centroid == pytest.approx(np.zeros(shape.dimension), abs=1e-14)
        assert middle.radius == 0.5 and middle.volume == pytest.approx(shape.volume)


# ---- from and to others --------------------------------------------------------------------------


def test_from_mesh(cube):
    mesh = abut.Mesh(CUBE, TRIANGLES)
    shape = abut.ConvexShape.from_any(mesh, radius=0.5)
    assert loops_of(shape) == loops_of(cube) and shape.radius == 0.5
    assert abut.ConvexShape.from_any(shape) is shape
    assert abut.ConvexShape.from_any(shape, radius=0.5) is shape
    assert abut.ConvexShape.from_any(shape, radius=0) == shape.rounded(0)
    corners = CUBE[np.array(QUADS)]
    assert abut.ConvexShape.from_any(corners).volume == pytest.approx(8)


def test_from_and_to_trimesh(cube):
    trimesh = pytest.importorskip("trimesh")
    shape = abut.ConvexShape.from_any(trimesh.creation.box((1, 2, 3)))
    assert (len(shape), len(shape.edges), len(shape.vertices)) == (6, 12, 8)
    assert shape.volume == pytest.approx(6)
    ball = abut.ConvexShape.from_any(trimesh.creation.icosphere(2))
    assert len(ball) == 320
    for one in (cube, ball, abut.ConvexShape(np.random.default_rng(1).normal(size=(30, 3)))):
        mesh = one.to_trimesh()
        assert mesh.is_watertight and mesh.is_winding_consistent
        assert mesh.volume == pytest.approx(one.volume)
        assert mesh.center_mass == pytest.approx(one.centroid)
        assert mesh.moment_inertia == pytest.approx(one.inertia)
        assert np.array_equal(mesh.vertices, one.vertices)
    with pytest.raises(ValueError, match=r"the shape is not convex|looks inward|not closed"):
        abut.ConvexShape.from_any(trimesh.creation.torus(3, 1))


@pytest.mark.parametrize("step", [1, -1])
def test_from_polygon(step):
    """Objects like those of shapely are read in either direction."""
    points = SQUARE[::step]
    ring = types.SimpleNamespace(coords=[*points, points[0]], is_ccw=step == 1)
    shape = abut.ConvexShape.from_any(types.SimpleNamespace(exterior=ring, interiors=[]))
    assert shape.volume == pytest.approx(2) and len(shape) == 4
    holed = types.SimpleNamespace(exterior=ring, interiors=[ring])
    with pytest.raises(ValueError, match="the polygon has holes"):
        abut.ConvexShape.from_any(holed)


def test_from_what_is_no_shape():
    with pytest.raises(TypeError, match="a mesh cannot be made of"):
        abut.ConvexShape.from_any(object())
    with pytest.raises(ValueError, match="not closed"):
        abut.ConvexShape.from_any(abut.Mesh(CUBE, QUADS[:5]))


def test_to_mesh(cube, square):
    mesh = cube.to_mesh()
    assert isinstance(mesh, abut.Mesh) and len(mesh) == 6
    np.testing.assert_allclose(mesh.normals, cube.normals, atol=1e-15)
    for make in (square.to_mesh, square.to_trimesh):
        with pytest.raises(ValueError, match="a polygon cannot become"):
            make()


def test_hulls_need_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.spatial", None)
    with pytest.raises(ImportError, match=r"pip install 'abut\[scipy\]'"):
        abut.ConvexShape(TETRA)
    assert abut.ConvexShape(CUBE, QUADS).volume == pytest.approx(8)
