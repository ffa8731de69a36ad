"""Shares make forces continuous: on planes, over rough meshes, in bowls, cylinders and corners.

Forces are those of the law F = overlap ** exponent, times the share.
"""

import numpy as np
import pytest
from scipy.spatial import ConvexHull

import abut
import scenes
from abut import examples

EXPONENTS = [1.0, 1.5]


def forces(contacts, exponent=1.5):
    """The total normal force on each sphere, (n, 3)."""
    size = contacts.share * np.maximum(contacts.overlap, 0) ** exponent
    count = len(contacts.counts)
    parts = (contacts.normal * size[:, None]).T
    return np.stack([np.bincount(contacts.sphere, part, count) for part in parts], -1)


def lengths(vectors):
    return np.linalg.norm(vectors, axis=-1)


def unit(vectors):
    return vectors / lengths(vectors)[..., None]


# ---- planes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("size", [0.1, 1.0, 10.0])
@pytest.mark.parametrize("kind", scenes.FLAT_MESHES)
def test_plane_near_the_origin(kind, size, exponent):
    """At overlaps from 0.5 to 50 % the force is the analytic one, however the plane is meshed."""
    rng = np.random.default_rng([len(kind), ord(kind[0]), int(10 * size)])
    cells = max(5, int(np.ceil(3 / size)))
    flat, facets = scenes.FLAT_MESHES[kind](rng, cells)
    frame = scenes.frame(rng, turn=rng.choice(["none", "in plane", "in space"]), shift=0)
    # the middle of the plane is the origin
    points = np.column_stack([(flat - 0.5) * cells * size, np.zeros(len(flat))])
    mesh = abut.Mesh(scenes.rounded(frame.place(points), float), scenes.flat_lists(facets))
    overlap = rng.uniform(0.005, 0.5, 60)
    inside = 0.3 * cells * size
    feet = rng.uniform(-inside, inside, (60, 2))
    centers = scenes.rounded(frame.place(np.column_stack([feet, 1 - overlap])), float)
    overlap = 1 - np.abs(frame.locate(centers)[:, 2]).astype(float)
    found = abut.find_contacts(centers, 1.0, mesh, resolution="sharing", exponent=exponent)
    np.testing.assert_allclose(lengths(forces(found, exponent)), overlap**exponent, rtol=1e-12)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_plane_far_from_the_origin(dtype):
    """Off by the noise of the coordinates: F = overlap ** p changes by p noise / overlap."""
    for seed, kind in enumerate(["quads", "triangles", "delaunay", "bricks", "doubled"]):
        rng = np.random.default_rng(seed)
        flat, facets = scenes.FLAT_MESHES[kind](rng, 8)
        frame = scenes.frame(rng, turn="in plane", shift=1000)
        vertices = scenes.rounded(frame.place(flat * 8), dtype)
        mesh = abut.Mesh(vertices, scenes.flat_lists(facets))
        overlap = rng.uniform(0.05, 0.5, 100)
        feet = np.column_stack([rng.uniform(2.5, 5.5, (100, 2)), 1 - overlap])
        centers = scenes.rounded(frame.place(feet), float)
        overlap = 1 - np.abs(frame.locate(centers)[:, 2]).astype(float)
        found = abut.find_contacts(centers, 1.0, mesh, resolution="sharing")
        apart = np.abs(lengths(forces(found)) / overlap**1.5 - 1)
        noise = np.spacing(dtype(np.abs(vertices).max())) + np.spacing(np.abs(centers).max())
        assert np.all(apart <= 2 * 1.5 * noise / overlap)


# ---- continuity ----------------------------------------------------------------------------------


def bumpy_ball(rng, *, inside):
    """A ball of radius 3 with bumps; its front is where the spheres are."""
    direction = unit(rng.normal(size=(80, 3)))
    facets = ConvexHull(direction).simplices
    vertices = direction * (3 + 0.15 * rng.normal(size=(80, 1)))
    return abut.Mesh(vertices, facets), (-1 if inside else 1)


def rough_paths(rng, count):
    """Over a rough plane: the mesh, where spheres of radius 1 begin, and where they go."""
    rough = examples.rough_plane(cells=10, height=0.03, seed=int(rng.integers(1000)))
    mesh = abut.Mesh(rough.vertices * [10, 10, 10], rough.indices.reshape(-1, 3))
    begin = np.column_stack([rng.uniform(3, 7, (count, 2)), rng.uniform(0.4, 1.4, count)])
    along = rng.normal(size=(count, 3)) * [1, 1, 0.2]
    return mesh, begin, unit(along)


def ball_paths(rng, count, *, inside):
    mesh, side = bumpy_ball(rng, inside=inside)
    out = unit(rng.normal(size=(count, 3)))
    begin = out * (3 + side * rng.uniform(0.6, 1.3, (count, 1)))
    across = np.cross(out, rng.normal(size=(count, 3)))
    return mesh, begin, unit(across)


PATHS = {
    "rough plane": rough_paths,
    "ball": lambda rng, count: ball_paths(rng, count, inside=False),
    "cave": lambda rng, count: ball_paths(rng, count, inside=True),
}

SPACINGS = 10.0 ** -np.arange(2, 8)


def sample(finder, begin, along, spacing, resolution):
    """Forces at 11 points of each path, (n, 11, 3); nan where an overlap exceeds 20 %."""
    steps = spacing * np.arange(11)
    centers = begin[:, None] + along[:, None] * steps[:, None]
    found = finder.find(centers.reshape(-1, 3), 1.0, resolution=resolution)
    total = forces(found)
    deepest = np.zeros(len(total))
    np.maximum.at(deepest, found.sphere, found.overlap)
    total[(deepest > 0.2) | (deepest == 0)] = np.nan
    return total.reshape(len(begin), 11, 3)


def largest_steps(finder, begin, along, resolution):
    """Each path's largest change of the force at finer and finer spacings, as a part of the force
    at 20 %, (6, n); and where it is at last.

    At each spacing the paths go on where they changed most: a jump is not lost by zooming in.
    """
    largest = []
    for spacing in SPACINGS:
        total = sample(finder, begin, along, spacing, resolution)
        change = np.nan_to_num(lengths(np.diff(total, axis=1))) / 0.2**1.5
        begin = begin + along * (spacing * change.argmax(axis=1))[:, None]
        largest.append(change.max(axis=1))
    return np.array(largest), begin


def has_one_solution(finder, center):
    """Whether G of all contacts is positive definite, but for coplanar ones."""
    found = finder.find(center[None], 1.0, resolution="sharing", keep_zero=True)
    cosines = np.maximum(0, found.normal @ found.normal.T)
    return np.linalg.eigvalsh(cosines).min() > -1e-9


@pytest.mark.parametrize("seed", [0, 1, pytest.param(range(2, 60), marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", PATHS)
def test_force_is_continuous(kind, seed):
    """Its steps fall in proportion to the spacing, down to 1e-7 of the radius, but for one path in
    10,000, where the problem has several solutions; the hierarchy's do not fall."""
    jumps = paths = 0
    for k in np.atleast_1d(seed):
        rng = np.random.default_rng([k, len(kind)])
        mesh, begin, along = PATHS[kind](rng, 3000)
        finder = abut.ContactFinder(mesh)
        steps, places = largest_steps(finder, begin, along, "sharing")
        jumping = np.any(steps > 50 * SPACINGS[:, None], axis=0)
        assert not any(has_one_solution(finder, place) for place in places[jumping])
        assert np.all(steps[-1] < 0.1)
        jumps, paths = jumps + np.count_nonzero(jumping), paths + len(begin)
        if kind != "ball":
            steps, _ = largest_steps(finder, begin, along, "hierarchy")
            assert steps.max(axis=1).min() > 0.2
    assert jumps <= paths / 10_000


# ---- energy --------------------------------------------------------------------------------------

GRAVITY, STIFFNESS, STEP = 9.81, 1e4, 2e-4


def rolling_energies(resolution, seconds):
    """A sphere of radius and mass 1 in a bowl, let go at 60 degrees: its energy above that at rest
    at the bottom, at the start and after each step."""
    finder = abut.ContactFinder(examples.bowl(radius=3, facets=60))
    start = np.pi / 3
    place = 2 * np.array([np.sin(start), 0.0, -np.cos(start)])
    velocity = np.zeros(3)
    push, stored = push_and_energy(finder, place, resolution)
    energies = [stored + GRAVITY * (place[2] + 2)]
    for _ in range(round(seconds / STEP)):
        velocity += 0.5 * STEP * push
        place = place + STEP * velocity
        push, stored = push_and_energy(finder, place, resolution)
        velocity += 0.5 * STEP * push
        energies.append(0.5 * velocity @ velocity + GRAVITY * (place[2] + 2) + stored)
    return np.array(energies)


def push_and_energy(finder, place, resolution):
    """The acceleration, and what Hertz' law stores in the contacts."""
    found = finder.find(place[None], 1.0, resolution=resolution, workers=1)
    size = STIFFNESS * found.share * found.overlap**1.5
    push = size @ found.normal
    push[2] -= GRAVITY
    return push, 0.4 * (size @ found.overlap)


def test_energy_in_a_bowl():
    """Kept within 0.1 % over 30 s, most of it the integrator's; the hierarchy makes or loses more
    than 2 %."""
    energies = rolling_energies("sharing", 30)
    assert np.abs(energies / energies[0] - 1).max() < 1e-3
    energies = rolling_energies("hierarchy", 15)
    assert np.abs(energies / energies[0] - 1).max() > 0.02


# ---- coarse and fine -----------------------------------------------------------------------------


def apart_in_a_cylinder(overlap, resolution, cuts=(8, 120), count=300):
    """By how much the forces inside a cylinder meshed coarse and fine differ, as a part."""
    rng = np.random.default_rng(int(1000 * overlap))
    angle, normals = rng.uniform(0, 2 * np.pi, count), 2 * np.pi * (np.arange(48) + 0.5) / 48
    # at that overlap with the nearest of the 48 planes
    apothem = 3 * np.cos(np.pi / 48)
    toward = np.cos(angle[:, None] - normals).max(axis=1)
    away = (apothem - 1 + overlap) / toward
    centers = np.column_stack(
        [away * np.cos(angle), away * np.sin(angle), rng.uniform(-1, 1, count)]
    )
    coarse = examples.cylinder(strips=48)
    fine = examples.cylinder(strips=48, across=cuts[0], along=cuts[1])
    one, other = (
        forces(abut.find_contacts(centers, 1.0, mesh, resolution=resolution))
        for mesh in (coarse, fine)
    )
    return (lengths(one - other) / lengths(one)).max()


@pytest.mark.parametrize("overlap", [0.01, 0.02, 0.05, 0.09])
def test_cylinder_meshed_coarse_and_fine_below_ten_percent(overlap):
    assert apart_in_a_cylinder(overlap, "sharing") < 1e-11


@pytest.mark.parametrize("overlap", [0.1, 0.15, 0.2])
def test_cylinder_meshed_coarse_and_fine_to_twenty_percent(overlap):
    assert apart_in_a_cylinder(overlap, "sharing") < 0.01


@pytest.mark.parametrize(("overlap", "most"), [(0.05, 0.003), (0.1, 0.006), (0.2, 0.015)])
def test_cylinder_meshed_coarse_and_fine_otherwise(overlap, most):
    """Where a fine facet ends beside a strip's own contact, it takes over a little of its force."""
    assert 0 < apart_in_a_cylinder(overlap, "sharing", cuts=(6, 60)) < most


def test_hierarchy_depends_on_the_mesh_of_a_cylinder():
    assert max(apart_in_a_cylinder(overlap, "hierarchy") for overlap in (0.05, 0.1, 0.2)) > 0.3


# ---- agreement with the hierarchy ----------------------------------------------------------------


def convex_ball(rng):
    """A convex body of triangles, radius 3."""
    points = 3 * unit(rng.normal(size=(60, 3)))
    return points, ConvexHull(points).simplices.tolist()


def prism(rng):
    return scenes.cylinder(rng, 7, 3, 6, 3)


def flat_plane(rng):
    flat, facets = scenes.FLAT_MESHES["mixed"](rng, 12)
    return np.column_stack([8 * flat - 4, np.zeros(len(flat))]), facets


@pytest.mark.parametrize(("exponent", "most"), [(1.5, 0.6), (1.0, 0.5)])
@pytest.mark.parametrize("shape", [flat_plane, prism, convex_ball])
def test_agreement_where_the_hierarchy_keeps_one_contact(shape, exponent, most):
    """On planes and over convex edges and vertices."""
    rng = np.random.default_rng(7)
    points, facets = shape(rng)
    points = np.asarray(points, float)
    mesh = abut.Mesh(points, scenes.flat_lists(facets))
    # from points inside along any direction, until the sphere has its overlap
    out = unit(rng.normal(size=(4000, 3)))
    foot = 0.5 * points[rng.integers(len(points), size=4000)]
    centers = foot + out * rng.uniform(0, 4, (4000, 1))
    alone = abut.find_contacts(centers, 1.0, mesh)
    first = alone.offsets[:-1]
    one = alone.counts == 1
    one[one] = (alone.overlap[first[one]] <= most) & (alone.overlap[first[one]] > 1e-3)
    shared = abut.find_contacts(centers, 1.0, mesh, resolution="sharing", exponent=exponent)
    expected, found = forces(alone, exponent)[one], forces(shared, exponent)[one]
    assert len(found) > 200
    assert np.all(lengths(found - expected) <= 1e-12 * lengths(expected))


# ---- closed forms --------------------------------------------------------------------------------


def half_plane(normal, along, size=20.0):
    """A rectangle that lies to the left of a line through the origin, seen from the front."""
    inward = np.cross(normal, along)
    return size * np.array([-1.0 * along, along, along + inward, inward - along])


def joined(*polygons):
    return abut.Mesh(np.concatenate(polygons), np.arange(4 * len(polygons)).reshape(-1, 4))


def shares_by_normal(contacts, normal):
    """The sum of the shares of the contacts with one wall."""
    return contacts.share[contacts.normal @ normal > 1 - 1e-12].sum()


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("cells", [1, 6])
def test_perpendicular_corner(cells, exponent):
    """n_i . n_j = 0: G is the identity, f = F, and every wall carries its full force."""
    rng = np.random.default_rng(0)
    mesh = abut.Mesh(*scenes.lattice(rng, cells, 6 / cells, 0.0))
    center = [[0.95, 0.85, 0.9]]
    found = abut.find_contacts(center, 1.0, mesh, resolution="sharing", exponent=exponent)
    for axis in np.eye(3):
        assert shares_by_normal(found, axis) == pytest.approx(1, rel=1e-14)
    expected = (1 - np.array(center)) ** exponent
    np.testing.assert_allclose(forces(found, exponent), expected, rtol=1e-13)


@pytest.mark.parametrize("cells", [1, 5])
def test_slot_between_parallel_plates(cells):
    """n_i . n_j = -1, and max(0, -1) = 0: each plate carries its full force, 0.1 ** 1.5 from
    below and 0.05 ** 1.5 from above."""
    rng = np.random.default_rng(0)
    flat, facets = scenes.FLAT_MESHES["quads"](rng, cells)
    floor = np.column_stack([6 * flat - 3, np.zeros(len(flat))])
    mesh = abut.Mesh(*scenes.join([(floor, facets), (floor + [0, 0, 1.85], facets)]))
    found = abut.find_contacts([[0.1, 0.2, 0.9]], 1.0, mesh, resolution="sharing")
    for normal in ([0, 0, 1], [0, 0, -1]):
        assert shares_by_normal(found, np.array(normal)) == pytest.approx(1, rel=1e-14)
    expected = [[0, 0, 0.1**1.5 - 0.05**1.5]]
    np.testing.assert_allclose(forces(found), expected, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize("exponent", EXPONENTS)
@pytest.mark.parametrize("degrees", [2.0, 20.0, 70.0])
def test_groove(degrees, exponent):
    """Two planes, c = n_1 . n_2: f_1 = (F_1 - c F_2) / (1 - c^2) and likewise f_2 while both are
    positive; past that the nearer plane carries F and the other 0."""
    tilt = np.deg2rad(degrees) / 2
    normals = np.array([[np.sin(tilt), 0, np.cos(tilt)], [-np.sin(tilt), 0, np.cos(tilt)]])
    along = np.array([0, 1, 0])
    mesh = joined(half_plane(normals[0], along), half_plane(normals[1], -along))
    c = normals[0] @ normals[1]
    for shift in np.linspace(-1, 1, 41) * np.sin(tilt) / 4:
        center = np.array([shift, 0.0, 0.9 / np.cos(tilt)])
        overlap = 1 - normals @ center
        size = overlap**exponent
        expected = (size - c * size[::-1]) / (1 - c * c)
        if expected.min() < 0:
            expected = np.where(size == size.max(), size, 0)
        found = abut.find_contacts(
            center[None], 1.0, mesh, resolution="sharing", exponent=exponent, keep_zero=True
        )
        carried = found.share * np.maximum(found.overlap, 0) ** exponent
        each = [carried[found.normal @ n > 1 - 1e-12].sum() for n in normals]
        np.testing.assert_allclose(each, expected, rtol=0, atol=1e-12 * size.max() / (1 - c * c))


def pyramid(sides, tilt):
    """The inside of a pyramid that stands on its tip, the origin; the slope of its sides."""
    angle = 2 * np.pi * np.arange(sides) / sides
    slope = np.tan(tilt) * np.cos(np.pi / sides)
    rim = 9 * np.column_stack([np.cos(angle), np.sin(angle), np.full(sides, slope)])
    facets = [[0, 1 + k, 1 + (k + 1) % sides] for k in range(sides)]
    return abut.Mesh(np.concatenate([[[0, 0, 0]], rim]), facets)


@pytest.mark.parametrize("degrees", [1.0, 10.0, 25.0])
@pytest.mark.parametrize("sides", [3, 4, 6, 12])
def test_tip_of_a_blunt_pyramid_from_inside(sides, degrees):
    """n_i . n_j = cos^2 a + sin^2 a cos(phi_i - phi_j) with a the tilt of the sides. A row of G
    sums up to m cos^2 a, all F are the same, so the shares' mean is 1 / (m cos^2 a), and the force
    along the axis m f cos a = F / cos a. Of three sides each has that share; G of more than three
    is singular, and only the force is one."""
    tilt = np.deg2rad(degrees)
    center = np.array([[0.0, 0.0, 0.9 / np.cos(tilt)]])
    mesh = pyramid(sides, tilt)
    found = abut.find_contacts(center, 1.0, mesh, resolution="sharing", keep_zero=True)
    assert len(found) == sides
    share = 1 / (sides * np.cos(tilt) ** 2)
    assert found.share.mean() == pytest.approx(share, rel=1e-12)
    if sides == 3:
        np.testing.assert_allclose(found.share, share, rtol=1e-10)
    expected = [[0, 0, 0.1**1.5 / np.cos(tilt)]]
    np.testing.assert_allclose(forces(found), expected, rtol=1e-11, atol=1e-13)
