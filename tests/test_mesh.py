"""What a mesh is made from, what it shows, and that it does not change."""

import copy
import gc
import math
import pickle
import sys
import warnings
import weakref
from types import SimpleNamespace

import numpy as np
import pytest

import abut
import scenes
from abut.search.facets import Facets
from scenes import corners

pytestmark = pytest.mark.native

SQUARE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
# one square as a quadrilateral, its neighbor as two triangles
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


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", ">i4", "u4", "i8", "u8", ">u8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_integer_types_of_facets(dtype, order):
    facets = np.array([[0, 1, 2], [0, 2, 3]], dtype, order=order)
    assert corners(abut.Mesh(SQUARE, facets)) == [[0, 1, 2], [0, 2, 3]]


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


def test_mesh_without_vertices():
    assert len(abut.Mesh([], []).vertices) == 0
    assert abut.Mesh(np.empty((0, 3)), []).vertices.shape == (0, 3)


# ---- what it shows -------------------------------------------------------------------------------


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


def test_mesh_keeps_its_own_vertices():
    vertices = np.array(SQUARE, float)
    mesh = abut.Mesh(vertices, [[0, 1, 2]])
    vertices[:] = 7
    assert mesh.vertices.tolist() == SQUARE


def test_meshes_are_equal_only_to_themselves(mixed):
    other = abut.Mesh(VERTICES, MIXED)
    assert mixed == mixed and mixed != other
    assert len({mixed, other, mixed}) == 2


# ---- noise ---------------------------------------------------------------------------------------


def test_noise_is_one_unit_in_the_last_place():
    third = 1 / 3
    mesh = abut.Mesh([[third, 0, 0], [1.5, 0, 0], [0, 5.5, 0], [0.5, 0, 0]], [[0, 1, 2], [3, 1, 2]])
    assert mesh.noise.tolist() == [math.ulp(5.5), np.spacing(np.float32(5.5))]
    # the facets lie at z = 0, where coordinates are exact
    assert (mesh._core.normal_noise < 1e-300).all()


@pytest.mark.parametrize("noise", [0.25, np.float32(0.25), [0.25] * 3, np.full(3, 0.25)])
def test_noise_that_is_given(noise):
    mesh = abut.Mesh(VERTICES, MIXED, noise=noise)
    assert mesh.noise.tolist() == mesh._core.normal_noise.tolist() == [0.25] * 3


def test_noise_of_each_facet():
    assert abut.Mesh(VERTICES, MIXED, noise=[1, 0, 3]).noise.tolist() == [1, 0, 3]


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


def test_nothing_is_said_where_nothing_is_dropped():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert len(abut.Mesh(LINE, [[0, 1, 3]], on_degenerate="drop")) == 1


def test_split_triangulates_what_is_not_convex():
    arrow = [[0, 0, 0], [2, 0, 0], [0.5, 0.5, 0], [0, 2, 0]]
    mesh = abut.Mesh([*arrow, [5, 0, 0]], [[0, 1, 2, 3], [0, 4, 1 + 1]], split=True)
    assert mesh.source.tolist() == [0, 0, 1]
    assert mesh.areas[:2].sum() == pytest.approx(1)


def test_split_knows_corners_on_one_line_however_they_are_turned():
    """A T that stands on its head: its arms and its stem end on one line, until rounded."""
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


def test_pickle_keeps_the_noise_of_written_digits():
    corners = np.array(SQUARE, float), np.arange(4), np.array([0, 4])
    mesh = abut.Mesh._build(Facets(*corners, units=np.full((4, 3), 1e-3)))
    assert mesh.noise.tolist() == [1e-3] and mesh._core.normal_noise.tolist() == [1e-3]
    assert same(pickle.loads(pickle.dumps(mesh)), mesh)


def grid_mesh(cells=60, seed=1):
    """A rough square of 2 * cells**2 triangles with a `vertex_source`, as files have it."""
    x, y = np.meshgrid(np.arange(cells + 1.0), np.arange(cells + 1.0))
    heights = np.random.default_rng(seed).random(x.size)
    number = np.arange(x.size).reshape(x.shape)
    a, b, c, d = (
        part.ravel()
        for part in (number[:-1, :-1], number[:-1, 1:], number[1:, 1:], number[1:, :-1])
    )
    facets = np.concatenate([np.column_stack([a, b, d]), np.column_stack([b, c, d])])
    vertices = np.column_stack([x.ravel(), y.ravel(), heights])
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


def test_arrays_may_come_unaligned():
    """As they lie in a message, one after the other."""
    data, buffers = pickled_out_of_band(grid_mesh())
    received = [memoryview(b"x" + bytes(buffer.raw()))[1:] for buffer in buffers]
    assert same(pickle.loads(data, buffers=received), grid_mesh())


def test_a_mesh_keeps_nothing_of_what_it_was_pickled_in():
    data, buffers = pickled_out_of_band(grid_mesh())
    received = [bytearray(buffer.raw()) for buffer in buffers]
    again = pickle.loads(data, buffers=received)
    for buffer in received:
        buffer.clear()  # refused while something looks into it
    assert same(again, grid_mesh())


# ---- what Dask asks for --------------------------------------------------------------------------


def test_token_follows_from_the_content(mixed):
    token = mixed.__dask_tokenize__()
    assert token == abut.Mesh(VERTICES, MIXED).__dask_tokenize__()
    assert mixed.vertex_source.tolist() == list(range(6))  # it is made when it is asked for
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


def test_token_knows_which_facets_were_left_out():
    with pytest.warns(abut.MeshWarning):
        left = abut.Mesh(LINE, [[0, 1, 2], [0, 1, 3]], on_degenerate="drop")
    whole = abut.Mesh(LINE, [[0, 1, 3]], noise=left.noise)
    assert left.__dask_tokenize__() != whole.__dask_tokenize__()


def test_content_hash_is_made_once(mixed):
    assert mixed._hash is None
    assert mixed._content_hash is mixed._content_hash
    assert pickle.loads(pickle.dumps(mixed))._hash == mixed._content_hash


def test_size_counts_the_memory_of_the_core():
    small, large = grid_mesh(20), grid_mesh(60)
    facets = len(large) - len(small)
    arrays = sum(getattr(large, name).nbytes - getattr(small, name).nbytes for name in ARRAYS)
    grown = sys.getsizeof(large) - sys.getsizeof(small)
    # a triangle's own record is 128 bytes
    assert arrays + 128 * facets < grown < arrays + 256 * facets


def test_copies_are_the_mesh_itself(mixed):
    assert copy.copy(mixed) is mixed and copy.deepcopy([mixed])[0] is mixed


# ---- other units and places ----------------------------------------------------------------------


def test_scaled_carries_noise(mixed):
    scaled = mixed.scaled(1e-3)
    assert scaled.vertices.tolist() == (np.array(VERTICES) * 1e-3).tolist()
    assert scaled.noise.tolist() == (mixed.noise * 1e-3).tolist()
    assert scaled._core.normal_noise.tolist() == (mixed._core.normal_noise * 1e-3).tolist()


def test_scaled_carries_source():
    with pytest.warns(abut.MeshWarning):
        mesh = abut.Mesh(LINE, [[0, 1, 2], [0, 1, 3]], on_degenerate="drop")
    assert mesh.scaled(2).source.tolist() == [1]
    assert mesh.transformed(np.eye(4)).source.tolist() == [1]


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
    # along the normal, which is z, nothing was rounded
    assert far._core.normal_noise[0] < 1e-300
    assert exact.transformed(turn(1, 0.3, (1e6, 0, 0)))._core.normal_noise[0] > 0.2 * math.ulp(1e6)
    coarse = abut.Mesh(SQUARE, [[0, 1, 2, 3]], noise=0.01)
    assert coarse.transformed(turn(2, 0.3, (1e6, 0, 0))).noise[0] == 0.01


def test_moving_back_and_forth_does_not_lose_noise():
    # the coordinates come back as if they were exact, but were rounded on the way
    mesh = abut.Mesh(SQUARE, [[0, 1, 2, 3]], noise=0)
    there, back = turn(2, 0, (1e9, 0, 0)), turn(2, 0, (-1e9, 0, 0))
    assert mesh.transformed(there).transformed(back).noise[0] >= math.ulp(1e9)


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


def test_pose_in_float32_is_rigid_enough(mixed):
    assert len(mixed.transformed(turn(2, 0.3).astype(np.float32))) == 3


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
    with pytest.warns(abut.MeshWarning, match="no facets are left out: 1 tetra") as caught:
        assert corners(abut.Mesh.from_any(solid)) == MIXED[1:]
    assert caught[0].filename == __file__


def test_from_any_takes_trimesh():
    trimesh = pytest.importorskip("trimesh")
    mesh = abut.Mesh.from_any(trimesh.creation.box())
    assert len(mesh) == 12 and mesh.areas.sum() == 6


def test_from_any_takes_pyvista(pyvista):
    mesh = abut.Mesh.from_any(pyvista.Cube())
    assert np.diff(mesh.offsets).tolist() == [4] * 6


def test_from_any_takes_meshio():
    meshio = pytest.importorskip("meshio")
    mesh = abut.Mesh.from_any(meshio.Mesh(VERTICES, [("quad", MIXED[:1]), ("triangle", MIXED[1:])]))
    assert corners(mesh) == MIXED


def test_from_any_welds_facet_vertices():
    triangles = np.array(VERTICES, float)[[[0, 1, 2], [0, 2, 3]]]
    triangles[1, 0] = -0.0
    mesh = abut.Mesh.from_any(triangles)
    assert corners(mesh) == [[0, 1, 2], [0, 2, 3]] and len(mesh.vertices) == 4


def soup(vertices, facets):
    """What another library's mesh looks like whose facets share no vertices."""
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


def test_springs_go_on_where_other_libraries_share_no_vertices():
    """Contacts go on from facet to facet by the nodes that these share."""
    rng = np.random.default_rng(2)
    points, facets = scenes.triangles(rng, 12)
    points = np.column_stack([4 * points, 0.1 * rng.random(len(points))])
    finder = abut.ContactFinder(abut.Mesh.from_any(soup(points, facets)))
    centers = np.column_stack([rng.uniform(0.5, 3.5, (2000, 2)), np.full(2000, 0.5)])
    before = finder.find(centers, 0.5)
    now = finder.find(centers + [0.02, 0.01, 0], 0.5)
    shared = abut.ContactFinder(abut.Mesh(points, facets))
    expected = shared.find(centers + [0.02, 0.01, 0], 0.5).match(shared.find(centers, 0.5))
    np.testing.assert_array_equal(now.match(before), expected)


def test_nodal_forces_find_back(tmp_path):
    """W.T @ f is on the mesh's vertices; `vertex_source` takes it to those of the input."""
    obj = soup(SQUARE, [[0, 1, 2], [0, 2, 3]])
    mesh = abut.Mesh.from_any(obj)
    contacts = abut.find_contacts([[0.7, 0.2, 0.4]], 0.5, mesh)
    on_vertices = contacts.weight_matrix().T @ -contacts.normal
    assert on_vertices[mesh.vertex_source].shape == (6, 3)
    path = tmp_path / "square.stl"
    mesh.save(path)
    again = abut.read_mesh(path)
    assert len(again.vertex_source) == 6 and len(again.vertices) == 4


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


@pytest.mark.parametrize(
    ("obj", "error", "message"),
    [
        ("drum.stl", TypeError, r"abut.read_mesh\('drum.stl'\) reads one"),
        (None, TypeError, "no mesh can be made of NoneType"),
        ([abut.Mesh(SQUARE, [])], TypeError, "a sequence of meshes is no mesh"),
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
            SimpleNamespace(points=SQUARE, faces=[], n_strips=1),
            ValueError,
            r"polydata.triangulate\(\)",
        ),
    ],
)
def test_from_any_names_what_is_no_mesh(obj, error, message):
    with pytest.raises(error, match=message):
        abut.Mesh.from_any(obj)
