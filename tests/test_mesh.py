"""Meshes: their inputs and attributes, and that they are immutable."""

import copy
import gc
import math
import pickle
import sys
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

import abut
import scenes
from scenes import corners

pytestmark = pytest.mark.native

SQUARE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
# A square as one quadrilateral, and its neighbor as two triangles.
VERTICES = [*SQUARE, [2, 0, 0], [2, 1, 0]]
MIXED = [[0, 1, 2, 3], [1, 4, 5], [1, 5, 2]]
ARRAYS = ("vertices", "indices", "offsets", "source", "normals", "areas", "noise")


@pytest.fixture
def mixed():
    return abut.Mesh(VERTICES, MIXED)


def same(a, b):
    return all(np.array_equal(getattr(a, name), getattr(b, name)) for name in ARRAYS) and (
        np.array_equal(a._core.normal_noise, b._core.normal_noise)
    )


# ---- forms of facets -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "facets",
    [
        MIXED,
        tuple(MIXED),
        [np.array(facet) for facet in MIXED],
        [tuple(facet) for facet in MIXED],
        (np.concatenate(MIXED), np.array([0, 4, 7, 10])),
        ([0, 1, 2, 3, 1, 4, 5, 1, 5, 2], [0, 4, 7, 10]),
        (np.concatenate(MIXED).astype(np.uint8), np.array([0, 4, 7, 10], np.uint64)),
    ],
    ids=["lists", "tuple", "arrays", "tuples", "pair", "pair of lists", "pair of small integers"],
)
def test_mixed_facets(facets, mixed):
    mesh = abut.Mesh(VERTICES, facets)
    assert corners(mesh) == MIXED
    assert same(mesh, mixed)


@pytest.mark.parametrize(
    "facets",
    [[], (), np.empty((0, 3), int), np.empty((0, 3)), ([], [0]), (np.empty(0), np.zeros(1, int))],
    ids=["list", "tuple", "array", "floats", "pair", "pair of floats"],
)
def test_mesh_without_facets(facets):
    mesh = abut.Mesh(SQUARE, facets)
    assert len(mesh) == 0 and len(mesh.vertices) == 4
    assert np.isnan(mesh.bounds).all()
    assert mesh.offsets.tolist() == [0]
    assert len(mesh.scaled(2).transformed(np.eye(4))) == 0
    assert same(pickle.loads(pickle.dumps(mesh)), mesh)


# ---- attributes ----------------------------------------------------------------------------------


def test_attributes(mixed):
    assert len(mixed) == 3
    assert repr(mixed) == "Mesh(3 facets, 6 vertices)"
    assert mixed.vertices.tolist() == VERTICES
    assert mixed.source.tolist() == [0, 1, 2]
    assert mixed.normals.tolist() == [[0, 0, 1]] * 3
    assert mixed.areas.tolist() == [1, 0.5, 0.5]
    assert mixed.bounds.tolist() == [[0, 0, 0], [2, 1, 0]]


def test_bounds_are_of_the_facets_corners_alone():
    mesh = abut.Mesh([*SQUARE, [9, 9, 9]], [[0, 1, 2]])
    assert mesh.bounds.tolist() == [[0, 0, 0], [1, 1, 0]]


def test_dtypes(mixed):
    for name in ("vertices", "normals", "areas", "noise", "bounds"):
        assert getattr(mixed, name).dtype == np.float64
    for name in ("indices", "offsets", "source"):
        assert getattr(mixed, name).dtype == np.intp


def test_arrays_are_read_only(mixed):
    for name in ARRAYS:
        array = getattr(mixed, name)
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0
        with pytest.raises(ValueError, match="WRITEABLE"):
            array.flags.writeable = True


def test_attributes_cannot_be_set(mixed):
    with pytest.raises(AttributeError):
        mixed.vertices = np.zeros((4, 3))
    with pytest.raises(AttributeError):
        mixed.name = "a new attribute"


def test_arrays_outlive_the_mesh():
    mesh = abut.Mesh(VERTICES, MIXED)
    areas, vertices, gone = mesh.areas, mesh.vertices, weakref.ref(mesh)
    del mesh
    gc.collect()
    assert gone() is None
    assert areas.tolist() == [1, 0.5, 0.5] and vertices.tolist() == VERTICES


def test_meshes_are_equal_only_to_themselves(mixed):
    other = abut.Mesh(VERTICES, MIXED)
    assert mixed == mixed and mixed != other
    assert len({mixed, other, mixed}) == 2


# ---- noise ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("noise", [0.25, np.float32(0.25), [0.25] * 3, np.full(3, 0.25)])
def test_noise_that_is_given(noise):
    mesh = abut.Mesh(VERTICES, MIXED, noise=noise)
    assert mesh.noise.tolist() == mesh._core.normal_noise.tolist() == [0.25] * 3


# ---- dropped and split facets --------------------------------------------------------------------

LINE = [[0, 0, 0], [1, 0, 0], [2, 0, 0], [0, 1, 0]]


def test_degenerate_facets_are_dropped_with_one_warning():
    with pytest.warns(abut.MeshWarning) as caught:
        mesh = abut.Mesh(LINE, [[0, 1, 3], [0, 1, 2], [0, 2, 1]], on_degenerate="drop")
    assert [str(one.message) for one in caught] == [
        "2 of 3 facets have no area and are left out; the first is 1"
    ]
    assert caught[0].filename == __file__
    assert mesh.source.tolist() == [0] and len(mesh) == 1


def test_split_triangulates_what_is_not_convex():
    arrow = [[0, 0, 0], [2, 0, 0], [0.5, 0.5, 0], [0, 2, 0]]
    mesh = abut.Mesh([*arrow, [5, 0, 0]], [[0, 1, 2, 3], [0, 4, 1 + 1]], split=True)
    assert mesh.source.tolist() == [0, 0, 1]
    assert mesh.areas[:2].sum() == pytest.approx(1)


def test_split_knows_corners_on_one_line_however_they_are_turned():
    """In an inverted T, the ends of arms and stem are on one line, except for rounding."""
    plan = [[0, 0], [3, 0], [3, 1], [2, 1], [2, 2], [1, 2], [1, 1], [0, 1]]
    rng = np.random.default_rng(3)
    for _ in range(300):
        axes, _ = np.linalg.qr(rng.normal(size=(3, 3)))
        mesh = abut.Mesh(plan @ axes[:2], [list(range(8))], split=True)
        assert mesh.areas.sum() == pytest.approx(4)


# ---- pickles and copies --------------------------------------------------------------------------


def test_pickle_carries_everything():
    with pytest.warns(abut.MeshWarning):
        mesh = abut.Mesh(LINE, [[0, 1, 2], [0, 1, 3]], noise=[1, 0.125], on_degenerate="drop")
    again = pickle.loads(pickle.dumps(mesh.scaled(3)))
    assert same(again, mesh.scaled(3))
    assert again.source.tolist() == [1] and again.noise.tolist() == [0.375]


def grid_mesh(cells=60, seed=1):
    """Return a rough square of 2 * cells**2 triangles with a `vertex_source`, as from a file."""
    heights = np.random.default_rng(seed).random((cells + 1, cells + 1))
    vertices, facets = scenes.sheet(cells, heights)
    return abut.Mesh.from_any(vertices[facets], weld=0.0)


def pickled_out_of_band(mesh):
    buffers = []
    data = pickle.dumps(mesh, protocol=5, buffer_callback=buffers.append)
    return data, buffers


@pytest.mark.parametrize("make", [grid_mesh, lambda: abut.Mesh(VERTICES, MIXED)])
def test_arrays_are_pickled_out_of_band(make):
    mesh = make()
    data, buffers = pickled_out_of_band(mesh)
    assert len(data) < 1000
    assert sum(buffer.raw().nbytes for buffer in buffers) >= 8 * (mesh.vertices.size + len(mesh))
    again = pickle.loads(data, buffers=buffers)
    assert same(again, mesh)
    assert again.vertex_source.tolist() == mesh.vertex_source.tolist()
    assert again._noise_origin.tolist() == mesh._noise_origin.tolist()
    assert again._content_hash == mesh._content_hash


def test_a_mesh_keeps_nothing_of_what_it_was_pickled_in():
    data, buffers = pickled_out_of_band(grid_mesh())
    received = [bytearray(buffer.raw()) for buffer in buffers]
    again = pickle.loads(data, buffers=received)
    for buffer in received:
        buffer.clear()  # refused while a view of it exists
    assert same(again, grid_mesh())


# ---- tokens and sizes for Dask -------------------------------------------------------------------


def test_token_follows_from_the_content(mixed):
    token = mixed.__dask_tokenize__()
    assert token == abut.Mesh(VERTICES, MIXED).__dask_tokenize__()
    assert mixed.vertex_source.tolist() == list(range(6))  # made when it is first used
    assert pickle.loads(pickle.dumps(mixed)).__dask_tokenize__() == token


@pytest.mark.parametrize(
    "other",
    [
        lambda: abut.Mesh([*VERTICES[:-1], [2, 1, 1e-9]], MIXED),
        lambda: abut.Mesh(VERTICES, MIXED[::-1]),
        lambda: abut.Mesh(VERTICES, MIXED[:2]),
        lambda: abut.Mesh(VERTICES, MIXED, noise=1e-3),
        lambda: abut.Mesh(VERTICES, [[1, 2, 3, 0], *MIXED[1:]]),
        lambda: abut.Mesh([*VERTICES, [5, 5, 5]], MIXED),
    ],
    ids=["vertex", "order", "fewer", "noise", "first corner", "vertex of no facet"],
)
def test_token_tells_meshes_apart(other, mixed):
    assert other().__dask_tokenize__() != mixed.__dask_tokenize__()


def test_size_counts_the_memory_of_the_core():
    small, large = grid_mesh(20), grid_mesh(60)
    facets = len(large) - len(small)
    arrays = sum(getattr(large, name).nbytes - getattr(small, name).nbytes for name in ARRAYS)
    grown = sys.getsizeof(large) - sys.getsizeof(small)
    # The record of a triangle has 128 bytes.
    assert arrays + 128 * facets < grown < arrays + 256 * facets


def test_copies_are_the_mesh_itself(mixed):
    assert copy.copy(mixed) is mixed and copy.deepcopy([mixed])[0] is mixed


# ---- other units and places ----------------------------------------------------------------------


def test_scaled_carries_noise(mixed):
    scaled = mixed.scaled(1e-3)
    assert scaled.vertices.tolist() == (np.array(VERTICES) * 1e-3).tolist()
    assert scaled.noise.tolist() == (mixed.noise * 1e-3).tolist()
    assert scaled._core.normal_noise.tolist() == (mixed._core.normal_noise * 1e-3).tolist()


def turn(axis, angle, shift=(0, 0, 0)):
    pose = np.eye(4)
    i, j = (k for k in range(3) if k != axis)
    pose[[i, i, j, j], [i, j, i, j]] = (
        math.cos(angle),
        -math.sin(angle),
        math.sin(angle),
        math.cos(angle),
    )
    pose[:3, 3] = shift
    return pose


def test_transformed_moves_points(mixed):
    pose = turn(2, 0.3, (1, 2, 3)) @ turn(0, 1.1)
    moved = mixed.transformed(pose)
    expected = mixed.vertices @ pose[:3, :3].T + pose[:3, 3]
    np.testing.assert_allclose(moved.vertices, expected, atol=1e-15)
    np.testing.assert_allclose(moved.areas, mixed.areas, rtol=1e-14)


def test_transformed_keeps_the_greater_noise():
    exact = abut.Mesh(SQUARE, [[0, 1, 2, 3]], noise=0)
    far = exact.transformed(turn(2, 0.3, (1e6, 0, 0)))
    assert far.noise[0] == math.ulp(1e6)
    # Along the normal, which is z, there was no rounding.
    assert far._core.normal_noise[0] < 1e-300
    assert exact.transformed(turn(1, 0.3, (1e6, 0, 0)))._core.normal_noise[0] > 0.2 * math.ulp(1e6)
    coarse = abut.Mesh(SQUARE, [[0, 1, 2, 3]], noise=0.01)
    assert coarse.transformed(turn(2, 0.3, (1e6, 0, 0))).noise[0] == 0.01


@pytest.mark.parametrize(
    ("pose", "message"),
    [
        (np.eye(3), r"pose has shape \(3, 3\), but must be \(4, 4\)"),
        (
            np.diag([2, 2, 2, 1]),
            "pose is not rigid: its rotation times its transpose is off 1 by 3",
        ),
        (np.diag([1, 1, -1, 1]), "pose is not rigid: it mirrors"),
        (np.diag([1, 1, 1, 2]), "pose is not rigid: its last row"),
        (np.full((4, 4), np.nan), "pose has an entry that is not finite"),
    ],
)
def test_poses_that_are_not_rigid(mixed, pose, message):
    with pytest.raises(ValueError, match=message):
        mixed.transformed(pose)


@pytest.mark.parametrize("s", [0, -1, np.nan, np.inf])
def test_scales_must_be_positive(mixed, s):
    with pytest.raises(ValueError, match=f"s is {float(s)}, but must be positive and finite"):
        mixed.scaled(s)


# ---- meshes of other packages --------------------------------------------------------------------


def test_from_any_returns_a_mesh_as_it_is(mixed):
    assert abut.Mesh.from_any(mixed) is mixed


def test_from_any_takes_what_looks_like_trimesh():
    mesh = abut.Mesh.from_any(SimpleNamespace(vertices=SQUARE, faces=[[0, 1, 2], [0, 2, 3]]))
    assert corners(mesh) == [[0, 1, 2], [0, 2, 3]]


def test_from_any_takes_what_looks_like_pyvista():
    flat = np.array([4, 0, 1, 2, 3, 3, 1, 4, 5, 3, 1, 5, 2])
    mesh = abut.Mesh.from_any(SimpleNamespace(points=np.float32(VERTICES), faces=flat, n_strips=0))
    assert corners(mesh) == MIXED


def meshio_like(*blocks):
    cells = [SimpleNamespace(type=kind, data=np.array(data)) for kind, data in blocks]
    return SimpleNamespace(points=np.array(VERTICES, float), cells=cells)


def test_from_any_takes_what_looks_like_meshio():
    mesh = abut.Mesh.from_any(
        meshio_like(("quad", MIXED[:1]), ("line", [[0, 1]]), ("triangle", MIXED[1:]))
    )
    assert corners(mesh) == MIXED


def test_from_any_says_what_it_leaves_out():
    solid = meshio_like(("tetra", [[0, 1, 2, 4]]), ("triangle", MIXED[1:]))
    with pytest.warns(abut.MeshWarning, match="not facets are left out: 1 tetra") as caught:
        assert corners(abut.Mesh.from_any(solid)) == MIXED[1:]
    assert caught[0].filename == __file__


def soup(vertices, facets):
    """Return an object like another library's mesh, with facets that share no vertices."""
    corners = np.array(vertices, float)[np.array(facets)].reshape(-1, 3)
    return SimpleNamespace(vertices=corners, faces=np.arange(len(corners)).reshape(-1, 3))


def test_from_any_welds_what_coincides():
    obj = soup(SQUARE, [[0, 1, 2], [0, 2, 3]])
    mesh = abut.Mesh.from_any(obj)
    assert corners(mesh) == [[0, 1, 2], [0, 2, 3]] and len(mesh.vertices) == 4
    assert mesh.vertex_source.tolist() == [0, 1, 2, 0, 2, 3]
    np.testing.assert_array_equal(mesh.vertices[mesh.vertex_source], obj.vertices)
    apart = abut.Mesh.from_any(obj, weld=None)
    np.testing.assert_array_equal(apart.vertices, obj.vertices)
    assert apart.vertex_source.tolist() == list(range(6))
    moved = np.array(obj.vertices)
    moved[3] += 1e-3
    near = SimpleNamespace(vertices=moved, faces=obj.faces)
    assert len(abut.Mesh.from_any(near).vertices) == 5
    assert len(abut.Mesh.from_any(near, weld=2e-3).vertices) == 4


@pytest.mark.parametrize("weld", [-1.0, np.nan, np.inf])
def test_from_any_names_a_distance_that_is_none(weld):
    with pytest.raises(ValueError, match=f"weld is {weld}, but must be a finite distance, or 0"):
        abut.Mesh.from_any(soup(SQUARE, [[0, 1, 2]]), weld=weld)


def test_vertex_source_is_carried_along():
    mesh = abut.Mesh.from_any(soup(SQUARE, [[0, 1, 2], [0, 2, 3]]))
    for other in (mesh.scaled(2), mesh.transformed(np.eye(4)), pickle.loads(pickle.dumps(mesh))):
        assert other.vertex_source.tolist() == mesh.vertex_source.tolist()
    with pytest.raises(ValueError, match="read-only"):
        mesh.vertex_source[0] = 1
    assert abut.Mesh(SQUARE, [[0, 1, 2]]).vertex_source.tolist() == [0, 1, 2, 3]


def test_from_any_knows_triangles_that_are_written_as_quads():
    quads = np.array(VERTICES, float)[[[0, 1, 2, 3], [1, 4, 5, 5]]]
    assert corners(abut.Mesh.from_any(quads)) == [[0, 1, 2, 3], [1, 4, 5]]


def test_from_any_drops_facets_without_area_where_told():
    triangles = np.array(VERTICES, float)[[[0, 1, 1], [0, 1, 2]]]
    with pytest.raises(ValueError, match="facet 0 has fewer than three different corners; on_deg"):
        abut.Mesh.from_any(triangles)
    with pytest.warns(
        abut.MeshWarning, match="of 2 facets has fewer than three .* is left out: facet 0"
    ):
        mesh = abut.Mesh.from_any(triangles, noise=[1, 2], on_degenerate="drop")
    assert mesh.source.tolist() == [1] and mesh.noise.tolist() == [2]


def square_at(x, noise=None):
    """Return a unit square in the plane z = 0 with a corner at (x, 0, 0)."""
    corners = [[x, 0, 0], [x + 1, 0, 0], [x + 1, 1, 0], [x, 1, 0]]
    return abut.Mesh(corners, [[0, 1, 2, 3]], noise=noise)


def test_meshes_are_joined_to_one():
    triangle = np.array([[[9.0, 0, 0], [10, 0, 0], [9, 1, 0]]])
    parts = [square_at(0, 1e-9), square_at(1, 2e-9), triangle]
    mesh = abut.Mesh.from_any(parts)
    assert (len(mesh), len(mesh.vertices)) == (3, 9)
    assert mesh.noise[:2].tolist() == [1e-9, 2e-9]
    assert mesh.source.tolist() == [0, 1, 2]
    assert mesh.vertex_source.tolist() == [0, 1, 2, 3, 1, 4, 5, 2, 6, 7, 8]
    # A sphere on the seam touches one surface, where two meshes are two.
    assert len(abut.find_contacts([[1, 0.5, 0.5]], 1.0, mesh)) == 1
    assert len(abut.find_contacts([[1, 0.5, 0.5]], 1.0, parts[:2], resolution="all")) == 2
    apart = abut.Mesh.from_any(parts, weld=None)
    assert len(apart.vertices) == 11
    near = abut.Mesh.from_any([square_at(0), square_at(1.001)], weld=0.01, noise=[3, 4])
    assert (len(near.vertices), near.noise.tolist()) == (6, [3, 4])
    assert abut.Mesh.from_any((square_at(0),)).vertices.tolist() == square_at(0).vertices.tolist()


def test_a_list_may_hold_lists_that_are_one_mesh():
    finder = abut.ContactFinder([[square_at(0), square_at(1)], square_at(5)])
    assert [len(mesh.vertices) for mesh in finder.meshes] == [6, 4]


def test_strips_are_triangles():
    strip = SimpleNamespace(points=SQUARE, faces=[3, 0, 1, 2], n_strips=1, strips=[4, 0, 1, 3, 2])
    mesh = abut.Mesh.from_any(strip)
    assert mesh.indices.reshape(-1, 3).tolist() == [[0, 1, 2], [0, 1, 3], [1, 2, 3]]
    assert mesh.source.tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("obj", "error", "message"),
    [
        ("drum.stl", TypeError, r"use abut.read_mesh\('drum.stl'\)"),
        (None, TypeError, "a mesh cannot be made of NoneType"),
        ([abut.Mesh(SQUARE, []), 3], TypeError, r"mesh\[1\]: a mesh cannot be made of int"),
        ([abut.Mesh(SQUARE, []), "a.stl"], TypeError, r"mesh\[1\]: a path is not a mesh"),
        (SQUARE, ValueError, r"mesh has shape \(4, 3\)"),
        ([[[0, 0, 0], [1, 0, np.nan], [0, 1, 0]]], ValueError, r"mesh\[0, 1, 2\] is nan"),
        (
            SimpleNamespace(points=SQUARE, faces=[3, 0, 1]),
            ValueError,
            "faces ends within a facet",
        ),
        (
            SimpleNamespace(points=SQUARE, faces=[-1, 0, 1]),
            ValueError,
            r"faces\[0\] is -1, but must be a number of corners",
        ),
        (
            SimpleNamespace(points=SQUARE, faces=[], n_strips=1, strips=[4, 0, 1]),
            ValueError,
            "faces ends within a facet",
        ),
    ],
)
def test_from_any_names_what_is_no_mesh(obj, error, message):
    with pytest.raises(error, match=message):
        abut.Mesh.from_any(obj)
