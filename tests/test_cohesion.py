"""Spheres that stick to each other and to walls, against the reference and closed numbers."""

import dataclasses
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import brentq

import abut
import reference_cohesion as glue
import reference_dem
import scenes_dem as scenes
from test_dem_reference import MOTIONS, PERIODS, ROLLING, build, compare, correct
from tiers import examples

pytestmark = pytest.mark.filterwarnings("ignore::abut.SimulationWarning")

POWDER = abut.Material(density=1500, young=1e7, poisson=0.3)
WALL = abut.Material()
RADIUS = 1e-3


class Case(NamedTuple):
    """A law with cohesion, and its force over the overlap."""

    law: abut.Hertz | abut.Linear

    def constants(self, other):
        """The constants in the form of the reference: arrays of one entry."""
        found = reference_dem.constants(self.law, POWDER, other)
        return reference_dem.Constants(*(np.array([x]) for x in found))

    def force(self, overlap, radius, other=POWDER):
        touch = self.touch(overlap, radius)
        return reference_dem.conservative(self.constants(other), touch)[0][0]

    def energy(self, overlap, radius, other=POWDER):
        touch = self.touch(overlap, radius)
        return reference_dem.conservative(self.constants(other), touch)[1][0]

    def touch(self, overlap, radius):
        given = dict.fromkeys(reference_dem.Touch._fields)
        given |= {"overlap": np.array([float(overlap)]), "radius": np.array([radius])}
        return reference_dem.Touch(**given)

    def reach(self, radius, other=POWDER):
        return glue.reach(self.constants(other), np.array([radius]))[0]

    def pull(self, radius, other=POWDER):
        """F_pull"""
        return glue.greatest_pull(self.constants(other), np.array([radius]))[0]


WATER = {"surface_tension": 0.072, "contact_angle": 0.35}
CASES = {
    "JKR": Case(abut.Hertz(cohesion=abut.laws.JKR(0.5))),
    "DMT": Case(abut.Hertz(cohesion=abut.laws.DMT(0.5))),
    "DMT over a gap": Case(abut.Hertz(cohesion=abut.laws.DMT(0.5, distance=1e-6))),
    "bridge": Case(abut.Hertz(cohesion=abut.laws.LiquidBridge(1e-12, **WATER))),
    "small bridge": Case(abut.Hertz(cohesion=abut.laws.LiquidBridge(3e-14, **WATER))),
    "linear DMT": Case(abut.Linear(1e4, cohesion=abut.laws.DMT(0.5, distance=1e-6))),
    "linear bridge": Case(abut.Linear(1e4, cohesion=abut.laws.LiquidBridge(1e-12, **WATER))),
}
each_case = pytest.mark.parametrize("name", CASES)
BORN_APART = ("DMT over a gap", "linear DMT")


def world(case, step=1e-6, **options):
    law = case.law if isinstance(case, Case) else case
    sim = abut.Simulation(step=step, gravity=(0, 0, 0), **options)
    sim.set_law(POWDER, POWDER, law)
    sim.set_law(POWDER, WALL, law)
    return sim


# ---- force over overlap --------------------------------------------------------------------------


def way_out(case, radius, other=POWDER):
    """A path of overlaps from pressed to separated, and back."""
    reach = case.reach(radius, other)
    apart = reach * np.array([0.05, 0.3, 0.7, 0.999]) if reach else np.array([])
    out = np.concatenate([[2e-5, 3e-6, 1e-7, 1e-9], -apart, [-1.001 * reach - 1e-9]])
    return np.concatenate([out, out[-2::-1]])


def check_way(case, radius, other, overlaps, rows):
    """Rows (overlap, force along the normal, entries) of a way out and back."""
    name = next(name for name, one in CASES.items() if one is case)
    last = len(overlaps) // 2
    for k, (overlap, (found, force, count)) in enumerate(zip(overlaps, rows, strict=True)):
        is_there = overlap > 0 or (name in BORN_APART and k != last) or k < last
        assert count == is_there
        if is_there:
            assert found == pytest.approx(overlap, abs=1e-9 * RADIUS)
            most = max(case.pull(radius, other), abs(force))
            assert abs(force - case.force(found, radius, other)) < 1e-12 * most


@each_case
def test_force_of_a_pair(name):
    """Pairs have two radii and any direction."""
    case, other = CASES[name], 2.5e-3
    sim, line = world(case), np.array([0.48, 0.6, 0.64])
    sim.add_spheres(np.outer([0, 1], line), [RADIUS, other], POWDER)
    radius = 1 / (1 / RADIUS + 1 / other)
    rows, overlaps = [], way_out(case, radius)
    for overlap in overlaps:
        scenes.lead(sim, np.outer([0, RADIUS + other - overlap], line))
        pairs = sim.pairs
        along = (pairs.force * pairs.normal).sum(axis=1)
        rows.append((pairs.overlap.sum(), along.sum(), len(pairs)))
        assert np.abs(pairs.force - along[:, None] * pairs.normal).max(initial=0) < 1e-13
        np.testing.assert_array_equal(sim.forces.sum(axis=0), 0)
    check_way(case, radius, POWDER, overlaps, rows)


def planes():
    """The plane z = 0 as a half space, as one facet, two, and two hundred."""
    corners = [[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]]
    scale = 0.02
    two = abut.Mesh(scale * np.array(corners), [[0, 1, 2], [0, 2, 3]])
    vertices, facets = scenes.grid(10, 10, (-scale, scale), (-scale, scale))
    return {
        "half space": abut.HalfSpace((0, 0, 0), (0, 0, 1)),
        "one": abut.Mesh(scale * np.array(corners), [[0, 1, 2, 3]]),
        "two": two,
        "two hundred": abut.Mesh(vertices, facets),
    }


# on the diagonal of two facets, on an edge and a vertex of the two hundred, and off all of them
FEET = ((0.0, 0.0), (0.004, 0.004), (0.003, 0.0041), (0.0, 0.0008))


def pulled_off(case, surface, foot, turn):
    """Rows of a sphere that is led off a plane, in a frame that is turned."""
    sim = world(case)
    if isinstance(surface, abut.HalfSpace):
        surface = abut.HalfSpace(surface.point, turn @ surface.normal)
    else:
        surface = surface.transformed(scenes.pose(turn))
    wall = sim.add_wall(surface, WALL)
    sim.add_spheres([[0, 0, 1.0]], RADIUS, POWDER)
    rows = []
    for overlap in way_out(case, RADIUS, WALL):
        scenes.lead(sim, [turn @ [*foot, RADIUS - overlap]])
        contacts = sim.contacts
        along = (contacts.force * contacts.normal).sum(axis=1)
        rows.append((contacts.overlap.sum(), along.sum(), len(contacts)))
        np.testing.assert_allclose(wall.force, -sim.forces[0], atol=1e-18)
    return rows


@each_case
def test_force_of_walls(name):
    """The number of facets in a plane does not change any bit; there is one contact."""
    case, found = CASES[name], []
    overlaps = way_out(case, RADIUS, WALL)
    for surface in planes().values():
        for foot in FEET[:2]:
            found.append(pulled_off(case, surface, foot, np.eye(3)))
    check_way(case, RADIUS, WALL, overlaps, found[0])
    assert all(rows == found[0] for rows in found)


def test_pull_of_a_corner():
    """Walls at a right angle do not share: each pulls wholly."""
    case, gap = CASES["JKR"], 1e-7
    pull = -case.force(-gap, RADIUS, WALL)
    for resolution in ("hierarchy", "sharing"):
        sim = world(case, resolution=resolution)
        sim.add_wall(scenes.box(0.02), WALL)
        sim.add_spheres([[0, 0, 0]], RADIUS, POWDER)
        for depth in (1e-7, -gap):
            scenes.lead(sim, [[0.02 - RADIUS + depth, 0, 0.02 - RADIUS + depth - 1e-9]])
        np.testing.assert_allclose(sim.forces[0], [pull, 0, pull], rtol=2e-2)


def test_a_reach_elsewhere_does_not_change_sharing():
    """What does not push, since another plane does, may pull, whether or not some law has a
    reach."""
    forces = []
    for bridge in (None, abut.laws.LiquidBridge(1e-12, 0.07)):
        sim = world(abut.Hertz(0.5, 0.5, cohesion=abut.laws.DMT(0.05)), resolution="sharing")
        other = abut.Material(2000, 1e7)
        sim.set_law(other, other, abut.Hertz(0.5, 0.5, cohesion=bridge))
        for normal in directions(88):
            sim.add_wall(abut.HalfSpace((0, 0, 0), normal), WALL)
        sim.add_spheres([[0, 0, 1.0]], RADIUS, POWDER)
        # far into the one, and little into the other
        x, z = np.linalg.solve(directions(88)[:, ::2], [RADIUS - 1e-6, RADIUS - 6e-8])
        scenes.lead(sim, [[x, 0, z]])
        assert len(sim.contacts) == 2
        forces.append(sim.forces[0])
    np.testing.assert_array_equal(*forces)


def rubs(law):
    """A law with all that moves along a wall and turns there."""
    return law.__class__(**law.__dict__ | {"friction": 0.4, "restitution": 0.5, "rolling": 0.1})


def led_over(surface, case, turn, resolution):
    """The force on a sphere led over a plane, with and without touch, and the energies."""
    sim, rng = world(rubs(case.law), resolution=resolution), np.random.default_rng(5)
    if isinstance(surface, abut.HalfSpace):
        surface = abut.HalfSpace(surface.point, turn @ surface.normal)
    else:
        surface = surface.transformed(scenes.pose(turn))
    sim.add_wall(surface, WALL)
    sim.add_spheres([[0, 0, 1.0]], RADIUS, POWDER)
    reach = max(case.reach(RADIUS, WALL), 1e-8)
    overlaps = rng.uniform(-0.9 * reach, 0.3 * reach, 60)
    overlaps[0] = reach
    feet = np.cumsum(rng.normal(size=(60, 2)), axis=0) * 5e-4
    rows = []
    for foot, overlap in zip(feet, overlaps, strict=True):
        velocity, spin = rng.normal(size=(2, 3))
        scenes.lead(sim, [turn @ [*foot, RADIUS - overlap]], [turn @ velocity], [turn @ spin])
        rows.append([*sim.forces[0], *(sim.torques[0] / RADIUS), sim.energy.elastic / reach])
    return np.array(rows)


@pytest.mark.parametrize("turn", [np.eye(3), scenes.TILT], ids=["level", "tilted"])
@each_case
def test_sharing_slides_over_borders(name, turn):
    """Over the borders of facets as over a half space, with all that is carried along."""
    case, surfaces = CASES[name], planes()
    right = led_over(surfaces["half space"], case, turn, "hierarchy")
    for surface in ("half space", "two", "two hundred"):
        rows = led_over(surfaces[surface], case, turn, "sharing")
        np.testing.assert_allclose(rows, right, rtol=0, atol=1e-9 * np.abs(right).max())


def edge(degrees):
    """Two planes that turn by an angle at x = z = 0, upwards: a groove, or a ridge."""
    x, z = 0.02 * np.cos(np.radians(degrees)), 0.02 * np.sin(np.radians(degrees))
    corners = [[a, y, b] for a, b in ((-0.02, 0), (0, 0), (x, z)) for y in (-0.02, 0.02)]
    return abut.Mesh(corners, [[0, 2, 3, 1], [2, 4, 5, 3]])


def directions(degrees):
    """Normals of both planes."""
    angle = np.radians(degrees)
    return np.array([[0, 0, 1.0], [-np.sin(angle), 0, np.cos(angle)]])


@each_case
def test_pull_round_a_convex_edge(name):
    """At one gap the force is the same all the way round; it points at the edge."""
    case, degrees = CASES[name], -50
    sim = world(case, resolution="sharing")
    sim.add_wall(edge(degrees), WALL)
    sim.add_spheres([[0, 0, 1.0]], RADIUS, POWDER)
    gap = 0.3 * case.reach(RADIUS, WALL) if case.reach(RADIUS, WALL) else -1e-7
    for overlap, tilt in ((1e-9, 0), *((-gap, tilt) for tilt in np.linspace(-20, 70, 31))):
        # tilt 0 to 50: round the edge; before and behind: along the planes
        angle = np.radians(np.clip(tilt, 0, -degrees))
        normal, along = np.array([np.sin(angle), 0, np.cos(angle)]), np.radians(tilt) - angle
        way = np.array([np.cos(angle), 0, -np.sin(angle)]) * RADIUS * along
        scenes.lead(sim, [way + (RADIUS - overlap) * normal])
        right = case.force(overlap, RADIUS, WALL) * normal
        np.testing.assert_allclose(sim.forces[0], right, atol=1e-9 * case.pull(RADIUS, WALL))


def shared_pull(case, gaps, degrees):
    """By the equations of sharing (docs/dem.md, section 2)."""
    pulls = np.array([case.force(-gap, RADIUS, WALL) for gap in gaps])
    root = 1 if case.law.cohesion.__class__ is abut.laws.JKR else (-pulls) ** 0.25
    weight, cosine = (case.reach(RADIUS, WALL) - gaps) * root, np.cos(np.radians(degrees))
    loads = np.array([weight[0] - cosine * weight[1], weight[1] - cosine * weight[0]])
    loads = loads / (1 - cosine**2) if (loads > 0).all() else weight * (loads > 0)
    return (loads / weight * pulls) @ directions(degrees)


@pytest.mark.parametrize("degrees", [20, 60, 90])
@pytest.mark.parametrize("name", ["JKR", "DMT over a gap", "bridge", "small bridge"])
def test_pulls_in_a_groove(name, degrees):
    """Two half spaces that have been touched: the pull passes over from one to the other."""
    case, normals = CASES[name], directions(degrees)
    sim = world(case, resolution="sharing")
    for normal in normals:
        sim.add_wall(abut.HalfSpace((0, 0, 0), normal), WALL)
    middle = np.linalg.lstsq(normals, [1, 1], rcond=None)[0]
    sim.add_spheres([(RADIUS - 1e-9) * middle], RADIUS, POWDER)
    sim.run(steps=1)
    reach = case.reach(RADIUS, WALL)
    for parts in ([0.3, 0.3], [0.3, 0.32], [0.1, 0.4], [0.5, 0.4], [0.3, 0.31], [0.8, 0.2]):
        gaps = reach * np.array(parts)
        scenes.lead(sim, [np.linalg.lstsq(normals, RADIUS + gaps, rcond=None)[0]])
        right = shared_pull(case, gaps, degrees)
        np.testing.assert_allclose(sim.forces[0], right, atol=1e-8 * case.pull(RADIUS, WALL))


def work_round_a_groove(case, degrees):
    """The work of a groove's pull on the way out along one plane, up and back into the middle, in
    parts of that on the way back in. Both planes were touched."""
    sim, reach = world(case, resolution="sharing"), case.reach(RADIUS, WALL)
    normals = directions(degrees)
    for normal in normals:
        sim.add_wall(abut.HalfSpace((0, 0, 0), normal), WALL)
    parts = [[0.03, 0.03], [0.03, 0.99], [0.99, 0.99]]
    corners = [np.linalg.lstsq(normals, RADIUS + reach * np.array(p), rcond=None)[0] for p in parts]
    legs = [np.linspace(a, b, 60) for a, b in zip(corners, corners[1:] + corners[:1], strict=True)]
    sim.add_spheres([corners[0] * (RADIUS - 1e-9) / (RADIUS + 0.03 * reach)], RADIUS, POWDER)
    sim.run(steps=1)
    works = []
    for leg in legs:
        forces = []
        for place in leg:
            scenes.lead(sim, [place])
            forces.append(sim.forces[0])
        works.append((np.diff(leg, axis=0) * (np.array(forces[1:]) + forces[:-1]) / 2).sum())
    return sum(works) / works[-1]


@pytest.mark.parametrize(
    ("name", "degrees", "work"),
    [("JKR", 70, 0.1005), ("bridge", 70, 0.0217), ("DMT over a gap", 70, 0.013), ("JKR", 90, 0)],
)
def test_shared_pulls_are_not_conservative(name, degrees, work):
    """docs/limits.md has these numbers."""
    assert work_round_a_groove(CASES[name], degrees) == pytest.approx(work, abs=1e-3)


@pytest.mark.parametrize("resolution", ["hierarchy", "sharing"])
@pytest.mark.parametrize(("degrees", "jump"), [(5, 0.22), (20, 0.92)])
def test_bridge_goes_over_a_concave_edge(degrees, jump, resolution):
    """To a plane that was never touched, at once where the hierarchy drops the first one."""
    case, angle, gap = CASES["bridge"], np.radians(degrees), 1e-5
    sim = world(case, resolution=resolution)
    sim.add_wall(edge(degrees), WALL)
    sim.add_spheres([[-3e-4, 0, RADIUS]], RADIUS, POWDER)
    sim.run(steps=1)
    normals, forces = directions(degrees), []
    middle = np.linalg.lstsq(normals, [RADIUS + gap] * 2, rcond=None)[0]
    for way in np.linspace(-1e-4, 3e-4, 41):
        along = np.array([np.cos(angle), 0, np.sin(angle)] if way > 0 else [1, 0, 0])
        scenes.lead(sim, [middle + way * along])
        forces.append(sim.forces[0])
    steps = np.linalg.norm(np.diff(forces, axis=0), axis=1)
    pull = case.force(-gap, RADIUS, WALL)
    right = [pull * normals[0], pull * normals[1]]
    np.testing.assert_allclose([forces[0], forces[-1]], right, rtol=1e-9, atol=1e-15)
    assert steps.max() == pytest.approx(jump * -pull, rel=0.05)


def test_opposite_walls_pull_wholly():
    """A bridge to each side of a slot, whichever is nearer."""
    case, half = CASES["bridge"], RADIUS + 2e-5
    sim = world(case, resolution="sharing")
    sim.add_wall(scenes.box(half), WALL)
    sim.add_spheres([[0, 0, 0]], RADIUS, POWDER)
    for x in (half - RADIUS, RADIUS - half, -3e-6, 0.0, 3e-6):
        scenes.lead(sim, [[x, 0, 0]])
    gaps = half - RADIUS + np.array([-3e-6, 3e-6])
    right = case.force(-gaps[1], RADIUS, WALL) - case.force(-gaps[0], RADIUS, WALL)
    np.testing.assert_allclose(sim.forces[0], [right, 0, 0], rtol=1e-9, atol=1e-15)


@abut.laws.law(reach=2e-5)
def pulls_apart(contact, k):
    return k * (contact.overlap + 2e-5)


def give_law(sim, law):
    for other in (WALL, POWDER):
        sim.set_law(POWDER, other, law)


def give_material(sim, law):
    other = dataclasses.replace(POWDER, name="other")
    for one in (WALL, other):
        sim.set_law(other, one, law)
    sim.material = np.full(len(sim.ids), sim.materials.index(other))


@pytest.mark.parametrize(
    ("give", "resolution"),
    [(give_law, "hierarchy"), (give_law, "sharing"), (give_material, "hierarchy")],
)
@pytest.mark.parametrize("name", ["JKR", "bridge"])
def test_laws_that_begin_at_touch_ask_for_one(name, resolution, give):
    """After a law that begins apart there are no necks and bridges where none touch; others are."""
    for before in (CASES["DMT over a gap"].law, pulls_apart(k=1.0)):
        sim, reach = world(before, resolution=resolution), CASES[name].reach(RADIUS / 2)
        sim.add_wall(planes()["two hundred"], WALL)
        gaps = np.array([0.1 * reach, -1e-8])
        sim.add_spheres(
            [[k * 5 * RADIUS, 1e-4, RADIUS + gaps[k]] for k in range(2)], RADIUS, POWDER
        )
        places = [[k * 5 * RADIUS, 0, 0.1 + z] for k in range(2) for z in (0, 2 * RADIUS + gaps[k])]
        sim.add_spheres(places, RADIUS, POWDER)
        sim.run(steps=1)
        assert len(sim.contacts) == len(sim.pairs) == 2
        give(sim, CASES[name].law)
        places = sim.centers.copy()
        places[[0, 1, 3, 5], 2] += 0.1 * reach
        scenes.lead(sim, places)
        assert sim.contacts.sphere.tolist() == [1] and sim.pairs.i.tolist() == [4]
        assert sim.contacts.overlap[0] < 0 and sim.pairs.overlap[0] < 0
        assert sim.forces[1, 2] < 0 < sim.forces[4, 2]


# ---- pulled off by a wall that moves -------------------------------------------------------------


@each_case
def test_pull_off(name):
    """A sphere is held while its wall goes."""
    case = CASES[name]
    sim = world(case, step=1e-5)
    reach = case.reach(RADIUS, WALL)
    speed = (reach + 1e-7) / (300 * sim.step)
    wall = sim.add_wall(scenes.quad(0.1), WALL, motion=abut.Translating((0, 0, -speed)))
    place = np.array([[0, 0, RADIUS - 1e-7]])
    sim.add_spheres(place, RADIUS, POWDER)
    forces = []

    def hold(sim):
        sim.centers, sim.velocities = place, np.zeros((1, 3))
        forces.append(wall.force[2])

    sim.every(sim.step, hold)
    sim.run(steps=320)
    forces = np.array(forces)
    assert (forces[-10:] == 0).all()
    most = case.pull(RADIUS, WALL)
    assert forces.max() == pytest.approx(most, rel=1e-2)
    # of the damping of Hertz' law there is none here
    if name == "JKR":
        last = forces[forces != 0][-1]
        assert 5 / 6 * np.pi * 0.5 * RADIUS <= last < 1.05 * np.pi * 0.5 * RADIUS
        assert most == pytest.approx(1.5 * np.pi * 0.5 * RADIUS, rel=1e-12)


# ---- friction and rolling ------------------------------------------------------------------------


@each_case
def test_limit_of_friction(name):
    """It holds though nothing presses: mu (F_n + 2 F_pull), with bridges mu times what presses."""
    case = CASES[name]
    sim = world(case.law.__class__(**case.law.__dict__ | {"friction": 0.4}))
    sim.add_wall(scenes.quad(0.1), WALL)
    overlap = 2e-6
    sim.add_spheres([[0, 0, RADIUS - overlap]], RADIUS, POWDER)
    for x in np.linspace(0, 1e-4, 60):
        scenes.lead(sim, [[x, 0, RADIUS - overlap]], [[1e-4 / 59 / sim.step, 0, 0]])
    found = sim.contacts.overlap[0]
    push, pull = case.force(found, RADIUS, WALL), case.pull(RADIUS, WALL)
    pressed = push + (1 if "bridge" in name else 2) * pull
    assert pressed > 0
    np.testing.assert_allclose(sim.forces[0], [-0.4 * pressed, 0, push], rtol=1e-11, atol=1e-15)


@pytest.mark.parametrize("name", ["bridge", "DMT over a gap", "linear bridge"])
def test_a_gap_does_not_rub(name):
    case = CASES[name]
    sim = world(
        case.law.__class__(
            **case.law.__dict__ | {"friction": 0.4, "restitution": 0.3, "rolling": 0.2}
        )
    )
    sim.add_wall(scenes.quad(0.1), WALL)
    sim.add_spheres([[0, 0, 1.0]], RADIUS, POWDER)
    gap = 0.2 * case.reach(RADIUS, WALL)
    for k, overlap in enumerate((1e-6, 1e-6, 1e-6, -gap, -gap)):
        where, spin = [[k * 1e-6, 0, RADIUS - overlap]], [[5.0, 30.0, 0]]
        scenes.lead(sim, where, [[1.0, 0, -0.3]], spin)
    assert sim.contacts.overlap[0] == pytest.approx(-gap, rel=1e-9)
    np.testing.assert_array_equal(sim.torques[0], 0)
    pull = case.force(sim.contacts.overlap[0], RADIUS, WALL)
    np.testing.assert_allclose(sim.forces[0], [0, 0, pull], rtol=1e-11, atol=1e-30)


def test_a_damper_pulls_no_harder_than_jkr():
    case = CASES["JKR"]
    sim = world(abut.Hertz(restitution=0.1, cohesion=case.law.cohesion))
    sim.add_wall(scenes.quad(0.1), WALL)
    sim.add_spheres([[0, 0, RADIUS]], RADIUS, POWDER)
    for _ in range(2):
        scenes.lead(sim, [[0, 0, RADIUS - 1e-7]], [[0, 0, 5.0]])
    assert sim.forces[0, 2] == pytest.approx(-case.pull(RADIUS, WALL), rel=1e-12)


# ---- energy --------------------------------------------------------------------------------------

MASS = 1500 * 4 / 3 * np.pi * RADIUS**3 / 2  # m*


def thrown(name, step, speed=0.2):
    """Two spheres that meet head-on; what is dissipated in each step while a pair is there, and in
    the end."""
    sim, case = world(CASES[name], step), CASES[name]
    gap = 1e-8 + (case.reach(RADIUS / 2) if name in BORN_APART else 0)
    places = [[0, 0, 0], [2 * RADIUS + gap, 0, 0]]
    sim.add_spheres(places, RADIUS, POWDER, [[speed / 2, 0, 0], [-speed / 2, 0, 0]])
    lost, sums = [], []
    for _ in range(100_000):
        sim.run(steps=1)
        if len(sim.pairs):
            lost.append(sim.energy.dissipated)
            sums.append(sim.energy.kinetic + sim.energy.elastic + sim.energy.dissipated)
        elif lost:
            break
    speeds = sim.velocities[1, 0] - sim.velocities[0, 0]
    return np.array(lost), np.array(sums), sim.energy.dissipated, speeds


def work_lost(name):
    case = CASES[name]
    if name in BORN_APART or name == "DMT":
        return 0.0
    return case.energy(-case.reach(RADIUS / 2), RADIUS / 2)


@pytest.mark.cases(4)
@each_case
def test_ledger_of_energy(name):
    """While two spheres hold each other, no energy is lost, to second order of the step. The loss
    after separation is known in closed form."""
    before, drifts = 0.5 * MASS * 0.2**2, []
    for step in (2e-6, 1e-6):
        lost, sums, last, speed = thrown(name, step)
        # in a step in which a force comes or goes it acts for some part of it
        sure = case_error(name, step)
        assert last == pytest.approx(work_lost(name), abs=sure)
        assert 0.5 * MASS * speed**2 == pytest.approx(before - last, rel=1e-9)
        np.testing.assert_allclose(sums[3:-3], before, rtol=5e-3)
        drifts.append(np.ptp(lost[3:-3]))
    assert drifts[1] < 3e-3 * before
    assert drifts[1] < 0.5 * drifts[0]


def case_error(name, step, speed=0.2):
    return 1.5 * CASES[name].pull(RADIUS / 2) * speed * step + 2e-4 * 0.5 * MASS * speed**2


def test_closed_work_of_jkr():
    modulus = 1e7 / (1 - 0.3**2) / 2
    work = (0.5**5 * (RADIUS / 2) ** 4 / modulus**2) ** (1 / 3)
    assert work_lost("JKR") == pytest.approx(7.0922 * work, rel=1e-5)
    lost = thrown("JKR", 2.5e-7)[2]
    assert lost == pytest.approx(7.0922 * work, rel=1.5e-2)


@pytest.mark.ci
@pytest.mark.parametrize("over", [0.97, 1.05, 1.5])
def test_sticking_speed(over):
    speed = np.sqrt(2 * work_lost("JKR") / MASS)
    sim = world(CASES["JKR"], 2e-7)
    places = [[0, 0, 0], [2 * RADIUS + 1e-9, 0, 0]]
    sim.add_spheres(places, RADIUS, POWDER, [[over * speed / 2, 0, 0], [-over * speed / 2, 0, 0]])
    sim.run(steps=8000)
    assert (len(sim.pairs) == 1) == (over < 1)
    if over > 1:
        found = sim.velocities[1, 0] - sim.velocities[0, 0]
        assert found / (over * speed) == pytest.approx(np.sqrt(1 - over**-2), rel=2e-2)


@pytest.mark.parametrize("name", ["JKR", "DMT", "bridge", "linear bridge"])
def test_stable_step(name):
    """A sphere that sticks to a floor oscillates stably with nearly the longest step."""
    case = CASES[name]
    rest = brentq(lambda x: case.force(x, RADIUS, WALL), 1e-9, 1e-5, xtol=1e-14)
    sim = world(case)
    sim.add_wall(scenes.quad(0.1), WALL)
    sim.add_spheres([[0, 0, RADIUS - rest]], RADIUS, POWDER)
    sim.run(steps=1)
    slope = (case.force(1.01 * rest, RADIUS, WALL) - case.force(rest, RADIUS, WALL)) / rest * 100
    longest = 2 * np.sqrt(2 * MASS / slope)
    stable = sim.stable_step()
    assert 0.25 * longest < stable < 1.02 * longest
    again = world(case, step=0.97 * stable)
    again.add_wall(scenes.quad(0.1), WALL)
    again.add_spheres([[0, 0, RADIUS - 1.001 * rest]], RADIUS, POWDER)
    again.run(steps=2000)
    assert abs(again.centers[0, 2] - RADIUS + rest) < 0.02 * rest


# ---- scenes, against the reference ---------------------------------------------------------------


def draw_cohesion(rng, kind):
    """A cohesion of random strength among grains of 3 to 9 mm."""
    drawn = rng.integers(0, 5)
    if drawn == 0 and kind == "hertz":
        return abut.laws.JKR(rng.uniform(1, 20))
    if drawn <= 1:
        return abut.laws.DMT(rng.uniform(1, 20))
    if drawn == 2:
        return abut.laws.DMT(rng.uniform(1, 20), distance=rng.uniform(1e-6, 1e-5))
    if drawn == 3:
        volume = 10 ** rng.uniform(-13, -9)
        return abut.laws.LiquidBridge(volume, rng.uniform(1, 10), rng.uniform(0, 0.8))
    return None


scene_options = st.fixed_dictionaries(
    {
        "law": st.sampled_from(["hertz", "hertz", "linear", "both"]),
        "rolling": st.sampled_from(sorted(ROLLING)),
        "resolution": st.sampled_from(["hierarchy", "hierarchy", "sharing"]),
        "motions": st.tuples(st.sampled_from(MOTIONS), st.sampled_from(MOTIONS)),
        "period": st.sampled_from(PERIODS),
        "clusters": st.sampled_from([0, 0, 3]),
        "pushed": st.booleans(),
        "cohesion": st.just(draw_cohesion),
    }
).map(lambda options: options | correct(options))


@given(seed=st.integers(0, 2**32 - 1), options=scene_options)
@examples(8)
def test_random_scenes(seed, options):
    check_scene(seed, options, steps=60)


@pytest.mark.long
@given(seed=st.integers(0, 2**32 - 1), options=scene_options)
@examples(80)
def test_more_random_scenes(seed, options):
    check_scene(seed, options, steps=200)


def check_scene(seed, options, steps):
    sim, truth = (
        build(make, seed, options) for make in (abut.Simulation, reference_dem.Simulation)
    )
    for _ in range(steps // 10):
        sim.run(steps=10)
        truth.run(steps=10)
        compare(sim, truth)


# ---- what must not show --------------------------------------------------------------------------

STICKY = abut.Material(2500, 1e7, 0.3)
GLUES = {
    "JKR": abut.Hertz(0.5, 0.5, 0.05, cohesion=abut.laws.JKR(5.0)),
    "DMT": abut.Hertz(0.5, 0.5, 0.05, cohesion=abut.laws.DMT(5.0, distance=2e-6)),
    "bridge": abut.Linear(
        1e4, friction=0.5, restitution=0.5, cohesion=abut.laws.LiquidBridge(1e-10, 0.5, 0.3)
    ),
}


def test_momentum_of_a_cluster_that_sticks_together():
    """Without external forces grains stick, and their momenta are conserved."""
    sim = abut.Simulation(step=2e-6, gravity=(0, 0, 0))
    sim.set_law(STICKY, STICKY, GLUES["JKR"])
    rng = np.random.default_rng(6)
    places = 0.0045 * np.stack(np.meshgrid(*[np.arange(4)] * 3), axis=-1).reshape(-1, 3)
    middle = places.mean(axis=0)
    sim.add_spheres(places, 0.002, STICKY, 40 * (middle - places) + rng.normal(0, 0.01, (64, 3)))
    masses = sim.masses[:, None]
    before = (masses * sim.velocities).sum(axis=0)
    turned = (masses * np.cross(sim.centers, sim.velocities)).sum(axis=0)
    sim.run(steps=2000)
    assert len(sim.pairs) > 40
    scale = np.abs(masses * sim.velocities).sum() + np.linalg.norm(before)
    assert np.abs((masses * sim.velocities).sum(axis=0) - before).max() < 1e-11 * scale
    spins = (0.4 * masses * sim.radii[:, None] ** 2 * sim.angular_velocities).sum(axis=0)
    after = (masses * np.cross(sim.centers, sim.velocities)).sum(axis=0) + spins
    # places belong to the end of the step, velocities to its middle
    assert np.abs(after - turned).max() < 1e-9 * scale * 0.01


# ---- errors --------------------------------------------------------------------------------------


TOO_MUCH = (
    r"LiquidBridge\(volume=%s, .* between %s has too much liquid for R = 2 R\* = %s: its volume"
)


@pytest.mark.native
def test_too_much_liquid():
    """The limit of two spheres; at a wall R* is twice as large and allows eight times as much."""
    sim = world(abut.Linear(1e4, cohesion=abut.laws.LiquidBridge(1.1e-10, 0.07)))
    sim.set_law(POWDER, WALL, abut.Linear(1e4, cohesion=abut.laws.LiquidBridge(7.9e-10, 0.07)))
    sim.add_wall(scenes.quad(), WALL)
    sim.add_spheres([[0, 0, 1e-3], [0, 0, 3e-3]], [1e-3, 1.3e-3], POWDER)
    sim.run(steps=1)
    assert len(sim.pairs) == len(sim.contacts) == 1
    sim.radii = np.array([1e-3, 1.01e-3])
    before = sim.velocities
    message = TOO_MUCH % ("1.1e-10", "sphere 0 and sphere 1", "0.001005")
    with pytest.raises(ValueError, match=message + r" must be at most 0.1 R\^3, 1.015e-10"):
        sim.run(steps=1)
    assert sim.step_count == 1 and (sim.velocities == before).all()
    sim.set_law(POWDER, POWDER, abut.Linear(1e4, cohesion=abut.laws.LiquidBridge(1e-10, 0.07)))
    sim.run(steps=1)
    sim.set_law(POWDER, WALL, abut.Linear(1e4, cohesion=abut.laws.LiquidBridge(8.1e-10, 0.07)))
    with pytest.raises(ValueError, match=TOO_MUCH % ("8.1e-10", "sphere 0 and wall 0", "0.002")):
        sim.run(steps=1)
    assert sim.step_count == 2


@pytest.mark.native
def test_too_much_liquid_at_bodies():
    """The limit depends on the rounding radius of bodies, or on the law's curvature."""
    most = 0.1 * (2 * 0.2e-3) ** 3
    for half, shape, options in ((1.2e-3, BOX, {}), (1e-3, CUBE, {"curvature": 0.2e-3})):
        sim = world(wet(0.99 * most / 8, **options))
        sim.set_law(POWDER, WALL, wet(0.99 * most, **options))
        sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), WALL)
        sim.add_bodies(shape, [[0, 0, half], [0, 0, 3 * half - 1e-7]], POWDER, scales=1e-3)
        sim.run(steps=1)
        assert len(sim.body_contacts) == len(sim.body_pairs) == 1
        sim.set_law(POWDER, WALL, wet(1.01 * most, **options))
        with pytest.raises(ValueError, match=TOO_MUCH % (".*", "body 0 and wall 0", "0.0004")):
            sim.run(steps=1)
        sim.set_law(POWDER, WALL, wet(most, **options))
        sim.set_law(POWDER, POWDER, wet(1.01 * most / 8, **options))
        with pytest.raises(ValueError, match=TOO_MUCH % (".*", "body 0 and body 1", "0.0002")):
            sim.run(steps=1)


def wet(volume, **options):
    return abut.Linear(1e4, cohesion=abut.laws.LiquidBridge(volume, 0.07), **options)


CUBE = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
BOX = abut.ConvexShape(CUBE.vertices, radius=0.2)


@pytest.mark.parametrize("name", ["linear DMT", "linear bridge"])
def test_bodies_without_a_radius(name):
    """Cohesion needs a radius; a linear law alone does not."""
    sim = world(CASES[name])
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), WALL)
    sim.add_bodies(CUBE, [[0, 0, 0.999e-3]], POWDER, scales=1e-3)
    with pytest.raises(ValueError, match=r"needs a radius of curvature: give the law curvature"):
        sim.run(steps=1)


@pytest.mark.parametrize("name", CASES)
def test_the_spots_of_a_body(name):
    """Each pulls as a contact with the radius of the shape's rounding."""
    case = CASES[name]
    sim = world(case)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), WALL)
    sim.add_bodies(BOX, [[0, 0, 1.2e-3 - 1e-7]], POWDER, scales=1e-3)
    sim.run(steps=1)
    expected = 4 * case.force(1e-7, 0.2e-3, WALL)
    assert sim.bodies.forces[0, 2] == pytest.approx(expected, rel=1e-6)


# ---- laws that are exchanged while contacts span a gap -------------------------------------------


@pytest.mark.parametrize("law", [abut.Hertz(), abut.Linear(1e4), CASES["bridge"].law])
def test_a_law_for_another_across_a_gap(law):
    """The law is exchanged while a neck is stretched: the dissipated energy is kept, and the other
    energies are those of the new law."""
    sim = world(CASES["JKR"], 2e-7)
    speeds = [[-0.005, 0, 0], [0.005, 0, 0]]
    sim.add_spheres([[0, 0, 0], [2 * RADIUS - 1e-8, 0, 0]], RADIUS, POWDER, speeds)
    while sim.time == 0.0 or sim.pairs.overlap[0] > -1e-7:
        sim.run(steps=1)
    before = sim.energy
    assert before.elastic != 0.0
    sim.set_law(POWDER, POWDER, law)
    after = sim.energy
    near = {"rel": 0.0, "abs": 1e-12 * before.kinetic}
    assert after.dissipated == pytest.approx(before.dissipated, **near)
    assert (after.elastic == 0.0) == (law.cohesion is None)
    sim.add_spheres([[0, 0, 1]], RADIUS, POWDER)
    assert sim.energy.dissipated == pytest.approx(before.dissipated, **near)
    sim.run(steps=100)
    assert np.isfinite(sim.energy.dissipated)
