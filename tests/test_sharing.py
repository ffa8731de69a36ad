"""Shares make forces continuous: on planes, over rough meshes, in bowls, cylinders and corners.

Forces are those of the law F = overlap ** exponent, times the share. Where they do jump, and what
work they do, `paths.py` measures.
"""

import numpy as np
import pytest

import abut
import paths
import scenes
from abut import examples
from paths import forces, lengths

EXPONENTS = [1.0, 1.5]


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
    """Forces have errors by coordinate noise: F = overlap ** p changes by p noise / overlap."""
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


GENTLE = [kind for kind in paths.SCENES if kind not in ("groove of 85 to 90 degrees", "pipe")]
SEEDS = [*range(6), pytest.param(range(6, 60), marks=pytest.mark.long)]


def widest_angle(finder, center):
    """The widest angle in degrees between two contact normals of a sphere."""
    found = finder.find(center[None], 1.0, resolution="sharing", keep_zero=True)
    return np.rad2deg(np.arccos((found.normal @ found.normal.T).clip(-1, 1).min()))


@pytest.mark.cases(8)
@pytest.mark.parametrize("seeds", SEEDS)
@pytest.mark.parametrize("kind", GENTLE)
def test_force_does_not_jump_up_to_overlaps_of_five_percent(kind, seeds):
    for seed in np.atleast_1d(seeds):
        _, found = paths.chase_in(kind, seed, 0.05)
        assert found.jumps.max() < paths.JUMP


@pytest.mark.cases(1)
@pytest.mark.parametrize("kind", GENTLE)
def test_chase_sees_the_jumps_of_the_hierarchy(kind):
    found = [paths.chase_in(kind, seed, 0.2, resolution="hierarchy")[1] for seed in range(6)]
    assert max(one.jumps.max() for one in found) > 0.2


@pytest.mark.ci
@pytest.mark.parametrize(
    ("degrees", "deepest", "most"), [(80, 0.2, 0.2), (88, 0.2, 0.2), (88, 0.1, 0.1)]
)
def test_force_jumps_in_steep_grooves(degrees, deepest, most):
    """The force jumps by some percent, and only if two normals differ by more than 90 degrees."""
    jumps = []
    for seed in range(3):
        rng = np.random.default_rng(seed)
        scene = paths.groove(rng, degrees, cells=12)
        finder = abut.ContactFinder(scene.mesh)
        found = paths.chase(finder, *paths.draw_paths(finder, scene, rng, 600, deepest), deepest)
        there = found.jumps > paths.JUMP
        assert all(widest_angle(finder, place) > 90 for place in found.places[there])
        jumps += found.jumps[there].tolist()
    assert 10 * paths.JUMP < max(jumps) < most


@pytest.mark.cases(1)
@pytest.mark.parametrize("degrees", [5, 15])
def test_force_does_not_jump_where_normals_are_within_a_right_angle(degrees):
    """At overlaps up to 20 % normals lean up to 36.9 degrees from their plane's: by 2 x 36.9 and
    the angle between the planes, those of a sphere differ."""
    for seed in range(3):
        rng = np.random.default_rng(seed)
        scene = paths.groove(rng, degrees, cells=12)
        finder = abut.ContactFinder(scene.mesh)
        start, along = paths.draw_paths(finder, scene, rng, 300, 0.2)
        assert max(widest_angle(finder, center) for center in start) < 90
        assert paths.chase(finder, start, along, 0.2).jumps.max() < paths.JUMP


def test_force_jumps_in_a_pipe_that_is_too_narrow():
    jumps = [paths.chase_in("pipe", seed, 0.05, count=50)[1].jumps.max() for seed in range(8)]
    assert 0.05 < max(jumps) < 0.3


# ---- work ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("degrees", "part"), [(20, 0.005), (45, 0.020), (70, 0.028)])
def test_work_round_a_loop_of_hertz_law(degrees, part):
    """The shared force is not quite conservative; the part is the same for any overlap."""
    for depth in (0.05, 0.2):
        work = paths.work_round_a_loop(degrees, 1.5, "sharing", depth)
        assert work == pytest.approx(part, abs=5e-4)


@pytest.mark.parametrize(
    ("exponent", "resolution"), [(1.0, "sharing"), (1.0, "hierarchy"), (1.5, "hierarchy")]
)
def test_no_work_round_a_loop(exponent, resolution):
    """A linear law, shared, or contacts that each have the full force: to what the sums are off."""
    assert paths.work_round_a_loop(45, exponent, resolution) < 1e-7


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


@pytest.mark.ci
def test_energy_in_a_bowl():
    """Kept within 0.1 % over 30 s, most of it the integrator's; the hierarchy makes or loses more
    than 2 %."""
    energies = rolling_energies("sharing", 30)
    assert np.abs(energies / energies[0] - 1).max() < 1e-3
    energies = rolling_energies("hierarchy", 15)
    assert np.abs(energies / energies[0] - 1).max() > 0.02


# ---- coarse and fine -----------------------------------------------------------------------------


def apart_in_a_cylinder(overlap, resolution, cuts=(8, 120), count=300):
    """The relative difference of forces inside a cylinder with a coarse and a fine mesh."""
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
    sums up to m cos^2 a, and all F are equal. The mean share is therefore 1 / (m cos^2 a), and the
    force along the axis is m f cos a = F / cos a. Each of three sides has that share; for more
    sides G is singular, and only the force is unique."""
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


@pytest.mark.ci
def test_force_on_a_body_jumps_on_a_saddle():
    """The force jumps by about its mean (docs/limits.md) when a plane begins or ceases to count."""
    jumps, mean = paths.chase_on_saddle(8, 0, count=2)
    assert 0.1 < jumps.max() / mean < 3


@pytest.mark.parametrize("exponent", [1.0, 1.5])
def test_flat_walls_up_to_which_overlap(exponent):
    """docs/limits.md: the share of the nearest is 1 up to p / (1 + p) of the radius."""
    floor = abut.Mesh(
        [[x, y, 0.0] for x in (-3, 0, 3) for y in (-3, 3)], [[0, 2, 3, 1], [2, 4, 5, 3]]
    )
    x = np.linspace(0.01, 0.8, 80)
    most = exponent / (1 + exponent)
    for overlap, is_exact in ((most - 1e-3, True), (most + 0.1, False)):
        centers = np.column_stack([x, 0 * x, 0 * x + 1 - overlap])
        found = abut.find_contacts(centers, 1.0, floor, resolution="sharing", exponent=exponent)
        force = found.share * (found.overlap / overlap) ** exponent
        error = np.linalg.norm(found.sum(force[:, None] * found.normal) - [0, 0, 1], axis=1).max()
        assert (error < 1e-12) == is_exact and is_exact == (error < 0.03)
