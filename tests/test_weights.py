"""Nodal weights carry a force's sum and its moment from the contact point to the nodes."""

import numpy as np
import pytest

import abut
import scenes


def thin(rng, sides):
    """A polygon with a height down to 1e-6 of its length."""
    return scenes.convex_outline(rng, sides) * [1, 10 ** rng.uniform(-6, -1)]


def outward(a, b):
    """The side from a to b, turned out of a polygon that runs counter-clockwise."""
    return np.array([b[1] - a[1], a[0] - b[0]])


def short_edges(rng, sides):
    """A polygon with two corners as close as 1e-6 of its size."""
    a, b, *rest = scenes.convex_outline(rng, sides)
    near = 10 ** rng.uniform(-6, -1)
    return np.array([a, a + near * (b - a) + 0.1 * near * outward(a, b), b, *rest])


def flat_corners(rng, sides):
    """A polygon with hanging nodes, which only rounding takes off its sides."""
    return scenes.with_flat_corners(rng, scenes.convex_outline(rng, sides).astype(scenes.Fine))


def nearly_flat_corners(rng, sides):
    """A polygon with corners that stand out from a side by anything from noise on."""
    out, outline = [], scenes.convex_outline(rng, sides).astype(scenes.Fine)
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        height = 10 ** rng.uniform(-17, -2)
        out += [a, a + (b - a) * rng.uniform(0.2, 0.8) + height * outward(a, b)]
    return np.array(out)


def bent(rng, sides):
    """A polygon that is off its plane by anything from rounding to nearly the limit."""
    return scenes.bent_outline(rng, max(sides, 4), 10 ** rng.uniform(-17, -3.7))


KINDS = {
    "plane": scenes.convex_outline,
    "triangle": lambda rng, sides: scenes.convex_outline(rng, 3),
    "quad": lambda rng, sides: scenes.convex_outline(rng, 4),
    "sliver": lambda rng, sides: scenes.sliver_outline(rng, -7),
    "thin": thin,
    "short_edges": short_edges,
    "flat_corners": flat_corners,
    "nearly_flat_corners": nearly_flat_corners,
    "bent": bent,
    "many_sides": lambda rng, sides: scenes.convex_outline(rng, 5 * sides, smallest_step=1.0),
}


# What is still a convex polygon when float32 rounds it 10 sizes from the origin.
STOUT = ["plane", "triangle", "quad", "flat_corners", "bent"]


def facets_of(rng, kind, count, shift, dtype):
    """Facets of a kind, turned at random, as one mesh."""
    meshes = []
    for _ in range(count):
        outline = KINDS[kind](rng, int(rng.integers(3, 9)))
        frame = scenes.frame(rng, turn=rng.choice(["none", "in plane", "in space"]), shift=shift)
        points = scenes.rounded(frame.place(outline * 10 ** rng.uniform(-1, 1)), dtype)
        meshes.append((points, [list(range(len(points)))]))
    return scenes.join(meshes)


def point_in(rng, corners):
    """A point of a facet: anywhere, near its border or a corner, or on one of them."""
    n, where = len(corners), rng.integers(4)
    if where == 0:
        return rng.dirichlet(np.ones(n)) @ corners
    if where == 1:
        return rng.dirichlet(np.full(n, 0.05)) @ corners
    k, eta = rng.integers(n), rng.choice([rng.random(), 0, 10 ** rng.uniform(-16, -1)])
    border = corners[k] + eta * (corners[(k + 1) % n] - corners[k])
    inward = 0 if where == 2 else 10 ** rng.uniform(-17, -1)
    return border + inward * (corners.mean(axis=0) - border)


def spheres_on(rng, mesh, each):
    """Spheres above, below, beside and exactly on their facets, close and far."""
    centers, radii = [], []
    for number, corners in enumerate(corner_lists(mesh)):
        size = np.ptp(corners, axis=0).max()
        for _ in range(each):
            distance = size * rng.choice([0, 10 ** rng.uniform(-9, 1)])
            away = rng.choice([-1, 1]) * mesh.normals[number]
            if rng.random() < 0.2:
                away = rng.normal(size=3)
            centers.append(point_in(rng, corners) + distance * away / np.linalg.norm(away))
            radii.append(1.5 * distance + 1e-6 * size + 4 * mesh.noise[number])
    return np.array(centers), np.array(radii)


def corner_lists(mesh):
    """The corners of each facet."""
    return np.split(mesh.vertices[mesh.indices], mesh.offsets[1:-1])


def assert_moments_kept(mesh, contacts, dtype=np.float64):
    """Sum and moment of each contact's weights: 1e-12 of its facet's size, 4 ulp of coordinates."""
    starts = contacts.node_offsets[:-1]
    weight = contacts.weight.astype(scenes.Fine)
    moment = np.add.reduceat(weight[:, None] * mesh.vertices[contacts.node], starts)
    size = np.array([np.ptp(corners, axis=0).max() for corners in corner_lists(mesh)])
    largest = np.array([np.abs(corners).max() for corners in corner_lists(mesh)])
    limit = (1e-12 * size + 4 * np.spacing(largest.astype(dtype)))[contacts.facet]
    assert np.abs(np.add.reduceat(weight, starts) - 1).max() <= 1e-12
    off = np.abs(moment - contacts.point).max(axis=1) - limit
    assert off.max() <= 0, f"contact {off.argmax()} is off by {off.max() + limit[off.argmax()]}"


def assert_kept_on(rng, vertices, facets, dtype):
    """Moments are kept on each facet, in contacts of every type."""
    mesh = abut.Mesh(vertices, facets)
    centers, radii = spheres_on(rng, mesh, 40)
    contacts = abut.find_contacts(centers, radii, mesh, resolution="all")
    assert len(contacts) >= 0.9 * len(radii)
    assert set(np.unique(contacts.type)) == {0, 1, 2}
    assert contacts.weight.min() >= 0
    assert_moments_kept(mesh, contacts, dtype)


@pytest.mark.parametrize("count", [20, pytest.param(1000, marks=pytest.mark.long)])
@pytest.mark.parametrize("shift", [0, 1000])
@pytest.mark.parametrize("kind", KINDS)
def test_sum_and_moment(kind, shift, count):
    rng = np.random.default_rng([len(kind), shift])
    assert_kept_on(rng, *facets_of(rng, kind, count, shift, np.float64), np.float64)


@pytest.mark.parametrize("shift", [0, 10])
@pytest.mark.parametrize("kind", STOUT)
def test_sum_and_moment_where_the_coordinates_were_float32(kind, shift):
    """Their last digits are float32's: what is off its plane by these counts as plane."""
    rng = np.random.default_rng([len(kind), shift, 32])
    assert_kept_on(rng, *facets_of(rng, kind, 20, shift, np.float32), np.float32)


def test_weights_of_many_corners_far_away():
    """The sum of forty weights is so near to 1 that it moves no far corner."""
    rng = np.random.default_rng(6)
    angles = 2 * np.pi / 40 * np.arange(40)
    polygon = 0.1 * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(40)])
    mesh = abut.Mesh(polygon + [1000, 1000, 0], [list(range(40))])
    contacts = abut.find_contacts(*spheres_on(rng, mesh, 5000), mesh)
    assert_moments_kept(mesh, contacts)


def test_a_corner_that_is_hardly_not_flat():
    """Corner 1, next to the point, is reflex by slightly less than an error would need."""
    corners = [
        [0.07078893489224738, 0, -0.22410176041983504],
        [-0.08133525265188084, 0, -0.10702568164098757],
        [-0.23345944019600912, 0, 0.01005039713785986],
        [-0.08823170181428461, 0, 0.2176268922845076],
        [0.23196042093212357, 0, -0.02755686898733052],
    ]
    center = [-0.4132605628260888, -1.077365587174445, -0.8529696833180482]
    mesh = abut.Mesh(corners, [[0, 1, 2, 3, 4]])
    contacts = abut.find_contacts([center], [2.0], mesh)
    assert_moments_kept(mesh, contacts)


def test_zhong_keeps_the_moment_on_parallelograms():
    rng = np.random.default_rng(4)
    meshes = []
    for _ in range(50):
        a, b, origin = rng.normal(size=(3, 3))
        meshes.append((np.array([origin, origin + a, origin + a + b, origin + b]), [[0, 1, 2, 3]]))
    vertices, facets = scenes.join(meshes)
    mesh = abut.Mesh(vertices, facets)
    spheres = spheres_on(rng, mesh, 20)
    contacts = abut.find_contacts(*spheres, mesh, resolution="all", weights="zhong")
    assert_moments_kept(mesh, contacts)


def test_a_flat_corner_carries_nothing_of_a_facet_contact():
    square = [[0, 0, 0], [0.5, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    mesh = abut.Mesh(square, [[0, 1, 2, 3, 4]])
    above = abut.find_contacts([[0.25, 0.5, 0.1]], [0.2], mesh)
    assert above.node.tolist() == [0, 2, 3, 4]
    np.testing.assert_allclose(above.weight, [0.375, 0.125, 0.125, 0.375], rtol=1e-14)
    beside = abut.find_contacts([[0.25, -0.1, 0]], [0.2], mesh)
    assert beside.node.tolist() == [0, 1]
    np.testing.assert_allclose(beside.weight, [0.5, 0.5], rtol=1e-14)


def test_weight_matrix_carries_force_and_moment():
    """Forces on the spheres, -forces on the nodes: both totals are kept."""
    rng = np.random.default_rng(5)
    vertices, facets = scenes.folded(rng, 6, 6)
    centers, radii = scenes.spheres_near(rng, vertices, facets, 200, 0.4)
    contacts = abut.find_contacts(centers, radii, abut.Mesh(vertices, facets))
    forces = contacts.overlap[:, None] * contacts.normal + rng.normal(size=contacts.point.shape)
    on_nodes = contacts.weight_matrix().T @ -forces
    assert on_nodes.shape == vertices.shape
    np.testing.assert_allclose(on_nodes.sum(axis=0), -forces.sum(axis=0), atol=1e-10)
    moment = np.cross(vertices, on_nodes).sum(axis=0)
    np.testing.assert_allclose(moment, np.cross(contacts.point, -forces).sum(axis=0), atol=1e-9)


@pytest.mark.parametrize("scheme", ["wachspress", "zhong"])
def test_weights_of_tiny_facets(scheme):
    kite = np.array([[0, 0, 0], [1, 0, 0], [1.5, 1, 0], [0, 1, 0]])
    weights = []
    for scale in (1.0, 2.0**-300):
        mesh = abut.Mesh(scale * kite, [[0, 1, 2, 3]])
        center = scale * np.array([[0.25, 0.5, 0.5]])
        weights.append(abut.find_contacts(center, [scale], mesh, weights=scheme).weight.tolist())
    assert weights[0] == weights[1]
