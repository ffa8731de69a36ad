"""Convex bodies against walls: forces do not depend on how the walls are meshed."""

import itertools

import numpy as np
import pytest
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation

import abut
from reference_convex_walls import stand

pytestmark = pytest.mark.native

HALF = 4.0
FLOOR = np.array([[-HALF, -HALF, 0], [HALF, -HALF, 0], [HALF, HALF, 0], [-HALF, HALF, 0]])


# ---- bodies and meshes ---------------------------------------------------------------------------


def box(x=0.5, y=0.5, z=0.5):
    return abut.ConvexShape(np.array(list(itertools.product((-x, x), (-y, y), (-z, z)))))


def prism(sides, radius=0.7, height=1.0):
    angles = 2 * np.pi * np.arange(sides) / sides
    ring = radius * np.column_stack([np.cos(angles), np.sin(angles)])
    ends = [np.column_stack([ring, np.full(sides, z)]) for z in (-height / 2, height / 2)]
    return abut.ConvexShape(np.concatenate(ends))


BODIES = {"cube": box(), "plate": box(0.8, 0.6, 0.05), "prism": prism(6), "wedge": prism(3)}


def grid(rng, columns, rows, quads=False):
    """Return the unit square as columns and rows with different widths."""
    x, y = (np.concatenate([[0], np.cumsum(rng.uniform(0.2, 1, n))]) for n in (columns, rows))
    points = np.stack(np.meshgrid(x / x[-1], y / y[-1]), axis=-1).reshape(-1, 2)
    first = np.arange(columns * rows) + np.arange(columns * rows) // columns
    corners = np.column_stack([first, first + 1, first + columns + 2, first + columns + 1])
    if quads:
        return points, corners.tolist()
    return points, np.concatenate([corners[:, :3], corners[:, [0, 2, 3]]]).tolist()


def triangles(rng):
    return grid(rng, 7, 9)


def quads(rng):
    return grid(rng, 6, 5, quads=True)


def delaunay(rng):
    border = np.linspace(0, 1, 6)[:-1]
    rim = [(t, 0) for t in border] + [(1, t) for t in border]
    rim += [(1 - t, 1) for t in border] + [(0, 1 - t) for t in border]
    points = np.concatenate([rim, rng.uniform(0.02, 0.98, (60, 2))])
    found = Delaunay(points).simplices
    a, b, c = (points[found[:, k]] for k in range(3))
    areas = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    return points, [list(t if area > 0 else t[::-1]) for t, area in zip(found, areas, strict=True)]


def fan(rng):
    """Return triangles that all meet in one point."""
    border = np.linspace(0, 1, 11)[:-1]
    rim = [(t, 0) for t in border] + [(1, t) for t in border]
    rim += [(1 - t, 1) for t in border] + [(0, 1 - t) for t in border]
    points = np.concatenate([rim, [rng.uniform(0.4, 0.6, 2)]])
    return points, [[k, (k + 1) % 40, 40] for k in range(40)]


def slivers(rng):
    """Return strips that are narrower than overlaps."""
    x = np.concatenate([[0], np.sort(rng.uniform(0.35, 0.65, 150)), [1]])
    points = np.concatenate(
        [np.column_stack([x, np.zeros(152)]), np.column_stack([x, np.ones(152)])]
    )
    first = np.arange(151)
    lower = np.column_stack([first, first + 1, first + 153])
    return points, np.concatenate([lower, np.column_stack([first, first + 153, first + 152])])


def junctions(rng):
    """Return two halves, each with corners on the sides of the other's facets."""
    left, of_left = grid(rng, 3, 11)
    right, of_right = grid(rng, 4, 6, quads=True)
    points = np.concatenate([left * [0.53, 1], right * [0.47, 1] + [0.53, 0]])
    return points, [*of_left, *[[k + len(left) for k in corners] for corners in of_right]]


def cracks(rng):
    """Return quads with cracks of different widths between them, which cross at corners."""
    points, facets = grid(rng, 5, 4, quads=True)
    corners = points[np.array(facets)]
    inward = np.sign(corners.mean(axis=1, keepdims=True) - corners)
    is_inside = (corners > 0) & (corners < 1)
    widths = 10 ** rng.uniform(-6, -3.3, (len(facets), 1, 2))
    apart = corners + widths * inward * is_inside
    return apart.reshape(-1, 2), np.arange(4 * len(facets)).reshape(-1, 4).tolist()


MESHES = [triangles, quads, delaunay, fan, slivers, junctions, cracks]


def mesh_of(walls, make, rng, pose=None, single=False):
    """Return one mesh of several walls, which are parallelograms."""
    rotation, shift = pose or (np.eye(3), np.zeros(3))
    points, facets, count = [], [], 0
    for wall in walls:
        flat, corners = make(rng)
        flat = np.clip(flat, 0, 1)
        points.append(
            wall[0] + flat[:, :1] * (wall[1] - wall[0]) + flat[:, 1:] * (wall[3] - wall[0])
        )
        facets += [[int(k) + count for k in facet] for facet in corners]
        count += len(flat)
    vertices = np.concatenate(points) @ rotation.T + shift
    if single:
        vertices = vertices.astype(np.float32)
    return abut.Mesh(vertices, facets, on_degenerate="drop")


# ---- loads ---------------------------------------------------------------------------------------


def load(contacts, about):
    """Return the force and torque of springs with stiffness 1."""
    rows = np.repeat(np.arange(len(contacts)), np.diff(contacts.spot_offsets))
    forces = np.maximum(contacts.spot_overlap, 0)[:, None] * contacts.normal[rows]
    return forces.sum(0), np.cross(contacts.spot - about, forces).sum(0)


def check(contacts, kept, about, tolerance):
    """Check that spots, force and torque are those of the reference."""
    spots = np.concatenate([s.points for s in kept]) if kept else np.empty((0, 3))
    overlaps = np.concatenate([s.overlaps for s in kept]) if kept else np.empty(0)
    assert len(contacts.spot) == len(spots)
    for point, overlap in zip(spots, overlaps, strict=True):
        off = np.abs(contacts.spot - point).max(1) + np.abs(contacts.spot_overlap - overlap)
        assert off.min() <= tolerance
    loads = [s.load(about) for s in kept]
    expected = np.sum(loads, axis=0) if loads else np.zeros((2, 3))
    np.testing.assert_allclose(load(contacts, about), expected, atol=8 * tolerance)


def find(shape, position, rotation, mesh, gap=0.0, **options):
    finder = abut.ConvexFinder(shape)
    turns = Rotation.from_matrix(rotation)
    return finder.find_walls([position], turns.as_quat()[None], mesh, gap=gap, **options)


def draw_pose(rng, kind):
    if kind == "here":
        return np.eye(3), np.zeros(3)
    return Rotation.random(random_state=rng).as_matrix(), rng.uniform(-20, 20, 3)


def draw_body(rng, place):
    """Draw a body over a floor, turned by any angle about the normal, and tilted by some angle."""
    tilt = rng.choice([0, 1e-4, 0.02, 0.3])
    lean = Rotation.from_rotvec(tilt * np.array([0.6, 0.8, 0]))
    return place, (lean * Rotation.from_euler("z", rng.uniform(0, 7))).as_matrix()


# ---- planes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("single", [False, True], ids=["double", "float32"])
@pytest.mark.parametrize("where", ["here", "turned"])
@pytest.mark.parametrize("make", MESHES)
def test_floor(make, where, single):
    rng = np.random.default_rng(5)
    for shape in BODIES.values():
        pose = draw_pose(rng, where)
        mesh = mesh_of([FLOOR], make, rng, pose, single)
        for _ in range(6):
            low = -shape.vertices[:, 2].min()
            place = np.append(rng.uniform(-1, 1, 2), low - rng.choice([1e-3, 0.01, 0.04]))
            place, turn = draw_body(rng, place)
            kept = stand(
                shape, pose[0] @ place + pose[1], pose[0] @ turn, [FLOOR @ pose[0].T + pose[1]]
            )
            position = pose[0] @ place + pose[1]
            contacts = find(shape, position, pose[0] @ turn, mesh)
            check(contacts, kept, position, 2e-5 if single else 1e-6)


@pytest.mark.parametrize("make", MESHES)
def test_floor_is_the_half_space(make):
    """All columns equal those of a half space's row, except for the facet of each spot."""
    rng = np.random.default_rng(6)
    mesh = mesh_of([FLOOR], make, rng)
    plane = abut.HalfSpace((0, 0, 0), (0, 0, 1))
    position, turn = draw_body(rng, [0.2, 0.1, 0.48])
    on_mesh, on_plane = (find(BODIES["cube"], position, turn, w) for w in (mesh, plane))
    assert len(on_plane) == 1 and on_plane.mesh.tolist() == [0] and on_plane.facet.tolist() == [0]
    assert on_mesh.overlap.max() == pytest.approx(on_plane.overlap[0], abs=1e-12)
    np.testing.assert_allclose(on_mesh.normal, np.tile([0, 0, 1], (len(on_mesh), 1)), atol=1e-12)
    names = [sorted(map(tuple, c.spot_feature)) for c in (on_mesh, on_plane)]
    assert names[0] == names[1]
    keys = list(zip(on_mesh.mesh, on_mesh.facet, strict=True))
    assert keys == sorted(set(keys))


# ---- edges of walls ------------------------------------------------------------------------------

TOP = np.array([[-4.0, -4, 0], [0, -4, 0], [0, 4, 0], [-4, 4, 0]])
SIDE = np.array([[0.0, -4, -4], [0, 4, -4], [0, 4, 0], [0, -4, 0]])
RISE = np.array([[0.0, -4, 0], [0, -4, 4], [0, 4, 4], [0, 4, 0]])
RAMP = np.array([[0.0, -4, 0], [3, -4, 1], [3, 4, 1], [0, 4, 0]])
POST = np.array([[-0.3, -0.2, 0], [0.25, -0.2, 0], [0.25, 0.35, 0], [-0.3, 0.35, 0]])


@pytest.mark.cases(8)
@pytest.mark.parametrize("make", MESHES)
@pytest.mark.parametrize(
    "walls",
    [[TOP, SIDE], [TOP, RISE], [TOP, RAMP], [POST]],
    ids=["convex", "concave", "ramp", "post"],
)
def test_across_edges(make, walls):
    """Over the edge of a table, in the corner of a floor and a wall, up a ramp, on a post: each
    wall pushes within its own extent."""
    rng = np.random.default_rng(8)
    mesh = mesh_of(walls, make, rng)
    for x in np.linspace(-0.9, 0.45, 28):
        if walls[-1] is RISE and x > -0.45:
            break
        for angle in (0, 0.4):
            turn = Rotation.from_euler("z", angle).as_matrix()
            position = np.array([x, 0.1, 0.49])
            kept = stand(BODIES["cube"], position, turn, walls)
            if kept:
                check(find(BODIES["cube"], position, turn, mesh), kept, position, 1e-6)


@pytest.mark.parametrize("make", MESHES)
def test_into_a_corner(make):
    """Floor and wall both push, each by its own overlap, as soon as the body touches it."""
    rng = np.random.default_rng(9)
    mesh = mesh_of([TOP, RISE], make, rng)
    for into in np.linspace(-0.01, 0.05, 25):
        contacts = find(BODIES["cube"], [-0.5 + into, 0.1, 0.49], np.eye(3), mesh)
        force, _ = load(contacts, np.zeros(3))
        expected = [-4 * max(into, 0), 0, 0.04]
        np.testing.assert_allclose(force, expected, atol=1e-6)


def test_table_carries_what_is_over_it():
    """The spots are two corners on the table and two crossings of its edge, with such names."""
    mesh = mesh_of([TOP, SIDE], triangles, np.random.default_rng(11))
    contacts = find(BODIES["cube"], [0.2, 0.1, 0.49], np.eye(3), mesh)
    types = sorted(map(tuple, contacts.spot_type.tolist()))
    assert types == [(abut.EDGE, abut.EDGE)] * 2 + [(abut.VERTEX, abut.FACET)] * 2
    np.testing.assert_allclose(load(contacts, np.zeros(3))[0], [0, 0, 0.04], atol=1e-9)


# ---- rounding, poses, threads --------------------------------------------------------------------


def test_rounded_bodies_and_poses():
    """A mesh has a pose, and a body has a rounding radius."""
    rng = np.random.default_rng(12)
    mesh = mesh_of([FLOOR], delaunay, rng)
    shape = abut.ConvexShape(BODIES["cube"].vertices, radius=0.1)
    pose = np.eye(4)
    pose[:3, :3] = Rotation.random(random_state=1).as_matrix()
    pose[:3, 3] = [3, -2, 5]
    position = pose[:3, :3] @ [0.3, 0.2, 0.58] + pose[:3, 3]
    contacts = find(shape, position, pose[:3, :3], abut.ContactFinder([mesh]), poses=[pose])
    np.testing.assert_allclose(contacts.spot_overlap, 0.02, atol=1e-9)
    np.testing.assert_allclose(contacts.normal, np.tile(pose[:3, 2], (len(contacts), 1)), atol=1e-9)
    assert len(contacts.spot) == 4


def test_threads_and_order_of_facets():
    """Any number of threads gives the same bits, any order of facets the same spots."""
    rng = np.random.default_rng(14)
    mesh = mesh_of([TOP, SIDE], delaunay, rng)
    finder = abut.ConvexFinder(BODIES["prism"])
    positions = rng.uniform(-1, 1, (200, 3)) * [2, 2, 0.8]
    turns = Rotation.random(200, random_state=2).as_quat()
    one, many = (finder.find_walls(positions, turns, mesh, workers=k) for k in (1, 4))
    for name in ("i", "mesh", "facet", "overlap", "normal", "spot", "spot_overlap", "link"):
        np.testing.assert_array_equal(getattr(one, name), getattr(many, name))
