"""Convex bodies that stick: each spot pulls as a contact of its own, beyond touch."""

import itertools

import numpy as np
import pytest

import abut
import reference_cohesion as reference

WOOD = abut.Material(density=1500, young=1e7, poisson=0.3)
E = 1e7 / (1 - 0.3**2) / 2
W = 0.05
HALF, ROUND = 1e-3, 1e-4

CORNERS = np.array(list(itertools.product([ROUND - HALF, HALF - ROUND], repeat=3)))
CUBE = abut.ConvexShape(CORNERS, radius=ROUND)
TABLE = np.array([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]) / 100

WALLS = {
    "half space": abut.HalfSpace((0, 0, 0), (0, 0, 1)),
    "2 facets": abut.Mesh(TABLE, [[0, 1, 2], [0, 2, 3]]),
}
LAWS = {
    "JKR": abut.laws.JKR(W),
    "DMT": abut.laws.DMT(W),
    "DMT with a distance": abut.laws.DMT(W, 1e-7),
    "bridge": abut.laws.LiquidBridge(1e-13, 0.072, 0.2),
}


def world(cohesion):
    sim = abut.Simulation(gravity=(0, 0, 0), step=1e-6)
    sim.set_law(WOOD, WOOD, abut.Hertz(restitution=1.0, cohesion=cohesion))
    return sim


def lift(sim, steps=300):
    """The heights of the first body, and the force on it along z, in each step."""
    heights, forces = [], []
    for _ in range(steps):
        heights.append(sim.bodies.positions[0, 2])
        sim.run(steps=1)
        tables = [sim.body_contacts, sim.body_pairs, sim.body_sphere_pairs]
        forces.append(sum(table.force[:, 2].sum() for table in tables))
    return np.array(heights), np.array(forces)


def exerts(sim):
    """Whether anything that a body touches or is near to acts on it."""
    tables = [sim.body_contacts, sim.body_pairs, sim.body_sphere_pairs]
    return any(table.force.any() for table in tables)


def jkr(overlap, radius, spots):
    """Until it snaps, since when it touched."""
    lives = overlap >= -reference.jkr_reach(W, radius, E)
    return np.where(lives, spots * reference.jkr_force(overlap, W, radius, E), 0.0)


@pytest.mark.parametrize("wall", WALLS)
def test_a_cube_is_pulled_off_a_wall(wall):
    sim = world(LAWS["JKR"])
    sim.add_wall(WALLS[wall], WOOD)
    sim.add_bodies(CUBE, [[0, 0, HALF - 1e-8]], WOOD, velocities=(0, 0, 0.01))
    heights, forces = lift(sim)
    expected = jkr(HALF - heights, ROUND, 4)
    np.testing.assert_allclose(forces, expected, rtol=1e-9, atol=1e-12 * abs(expected).max())
    assert (forces[:10] < 0).all() and not forces[-10:].any()
    # what the four necks have taken
    work = 4 * 7.0922 * (W**5 * ROUND**4 / E**2) ** (1 / 3)
    np.testing.assert_allclose(sim.energy.dissipated, work, rtol=0.1)


@pytest.mark.parametrize("kind", LAWS)
def test_as_on_a_half_space(kind):
    """However many facets a wall has, each spot pulls once."""
    found = []
    for wall in WALLS.values():
        sim = world(LAWS[kind])
        sim.add_wall(wall, WOOD)
        sim.add_bodies(CUBE, [[0, 0, HALF - 1e-8]], WOOD, velocities=(0, 0, 0.01))
        found.append(lift(sim)[1])
    np.testing.assert_allclose(found[1], found[0], rtol=1e-9, atol=1e-15)
    assert (found[0] < 0).sum() > 1


@pytest.mark.parametrize("kind", ["JKR", "bridge"])
@pytest.mark.parametrize("other", ["half space", "2 facets", "cube", "sphere"])
def test_laws_that_begin_at_touch_ask_for_one(kind, other):
    """After a law that begins apart, what it has pulled across a gap has no neck and no bridge; a
    spot that overlaps has."""
    for gap, pulls in ((1e-7, False), (-1e-8, True)):
        sim = world(LAWS["DMT with a distance"])
        if other in WALLS:
            sim.add_wall(WALLS[other], WOOD)
        elif other == "cube":
            sim.add_bodies(CUBE, [[0, 0, -HALF]], WOOD)
        else:
            sim.add_spheres([[0, 0, -5e-4]], 5e-4, material=WOOD)
        sim.add_bodies(CUBE, [[0, 0, HALF + gap]], WOOD)
        sim.run(steps=1)
        assert exerts(sim)
        sim.set_law(WOOD, WOOD, abut.Hertz(restitution=1.0, cohesion=LAWS[kind]))
        places = np.array(sim.bodies.positions)
        places[-1, 2] += 2e-8
        sim.bodies.assign(positions=places)
        sim.run(steps=1)
        assert exerts(sim) == pulls


def test_two_cubes():
    sim = world(LAWS["JKR"])
    sim.add_bodies(CUBE, [[0, 0, 2 * HALF - 1e-8], [0, 0, 0]], WOOD)
    sim.bodies.assign(velocities=np.array([[0, 0, 0.01], [0, 0, 0]]))
    heights, forces = [], []
    for _ in range(300):
        at = sim.bodies.positions[:, 2]
        heights.append(at[0] - at[1])
        sim.run(steps=1)
        forces.append(sim.body_pairs.force[:, 2].sum())
    expected = jkr(2 * HALF - np.array(heights), ROUND / 2, 4)
    np.testing.assert_allclose(forces, expected, rtol=1e-7, atol=1e-10 * abs(expected).max())
    assert expected[0] < 0 and not expected[-10:].any()


def test_a_cube_and_a_sphere():
    radius = 5e-4
    sim = world(LAWS["JKR"])
    sim.add_bodies(CUBE, [[0, 0, HALF + radius - 1e-8]], WOOD, velocities=(0, 0, 0.02))
    sim.add_spheres([[0, 0, 0]], radius, material=WOOD)
    gaps, forces = [], []
    for _ in range(300):
        gaps.append(sim.bodies.positions[0, 2] - sim.centers[0, 2] - HALF - radius)
        sim.run(steps=1)
        forces.append(sim.body_sphere_pairs.force[:, 2].sum())
    expected = jkr(-np.array(gaps), radius * ROUND / (radius + ROUND), 1)
    np.testing.assert_allclose(forces, expected, rtol=1e-7, atol=1e-10 * abs(expected).max())
    assert expected[0] < 0 and not expected[-10:].any()


def test_what_never_touched_does_not_pull():
    sim = world(LAWS["bridge"])
    sim.add_wall(WALLS["half space"], WOOD)
    sim.add_bodies(CUBE, [[0, 0, HALF + 1e-8]], WOOD)
    sim.run(steps=10)
    assert not sim.body_contacts.force.any()


@pytest.mark.parametrize("wall", WALLS)
def test_a_neck_ends_where_the_next_corner_is_nearest(wall):
    """A cube turns on an edge at a constant gap, a case of docs/limits.md."""
    sim = world(LAWS["JKR"])
    sim.add_wall(WALLS[wall], WOOD)
    sim.add_bodies(CUBE, [[0, 0, 2 * HALF]], WOOD, fixed=True)
    found = []
    gaps = [-1e-8, *[1e-8] * 8]
    for angle, gap in zip(np.radians([20, 20, 30, 40, 60, 80, 110, 120, 130]), gaps, strict=True):
        low = (HALF - ROUND) * (np.cos(angle) + np.sin(angle)) if angle < np.pi / 2 else 0.0
        if angle > np.pi / 2:
            low = (HALF - ROUND) * (np.sin(angle) - np.cos(angle))
        sim.bodies.assign(
            positions=np.array([[0, 0, low + ROUND + gap]]),
            orientations=np.array([[0, np.sin(angle / 2), 0, np.cos(angle / 2)]]),
        )
        sim.run(steps=1)
        found.append(sim.body_contacts.force[:, 2].sum())
    expected = 2 * reference.jkr_force(np.array(-1e-8), W, ROUND, E)
    np.testing.assert_allclose(found[1:6], expected, rtol=1e-6)
    assert not any(found[6:])


def test_restart_where_necks_are_stretched(tmp_path):
    sim = world(LAWS["JKR"])
    sim.add_wall(WALLS["2 facets"], WOOD)
    sim.add_bodies(CUBE, [[0, 0, HALF - 1e-8]], WOOD, velocities=(0, 0, 0.01))
    sim.run(steps=20)
    assert (sim.body_contacts.overlap < 0).all() and sim.body_contacts.force.any()
    sim.save(tmp_path / "state.npz")
    again = abut.load_simulation(tmp_path / "state.npz", meshes=[WALLS["2 facets"]])
    for one in (sim, again):
        one.run(steps=20)
    np.testing.assert_array_equal(again.bodies.positions, sim.bodies.positions)
    np.testing.assert_array_equal(again.body_contacts.force, sim.body_contacts.force)


def test_a_body_that_is_not_rounded_has_no_neck():
    sim = world(LAWS["JKR"])
    sim.add_wall(WALLS["half space"], WOOD)
    sim.add_bodies(abut.ConvexShape(CORNERS), [[0, 0, HALF - ROUND - 1e-8]], WOOD)
    with pytest.raises(ValueError, match="curvature"):
        sim.run(steps=1)
