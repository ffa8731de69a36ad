"""The library and the reference do the same: random scenes, step by step."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import abut
import reference_dem
import scenes_dem as scenes
from tiers import examples

STEPS = 100


# ---- scenes --------------------------------------------------------------------------------------


def draw_law(rng, kind, rolling, cohesion=None):
    """A law of this kind with random numbers."""
    options = {
        "friction": rng.uniform(0, 1),
        "restitution": rng.uniform(0.2, 1),
        "rolling": rolling(rng.uniform(0.01, 0.3)) if rolling else 0.0,
    }
    if cohesion:
        options["cohesion"] = cohesion(rng, kind)
    if kind == "luding":
        options.pop("cohesion", None)
        loading, part = rng.uniform(1e3, 1e4), rng.uniform(1.1, 5)
        stiffnesses = loading, part * loading, rng.uniform(0, 3) * loading
        return abut.laws.Luding(*stiffnesses, depth=10 ** rng.uniform(-3, -1), **options)
    if kind == "hertz":
        return abut.Hertz(**options)
    return abut.Linear(rng.uniform(1e3, 1e4), tangential=rng.uniform(0.1, 1), **options)


ROLLING = {
    "none": None,
    "A": lambda x: abut.laws.RollingA(x),
    "C": lambda x: abut.laws.RollingC(x, damping=0.4),
}


def draw_motion(rng, kind):
    turning = abut.Rotating(rng.normal(size=3), 0.01 * rng.normal(size=3), rng.uniform(-20, 20))
    going = abut.Translating(rng.uniform(-0.5, 0.5, 3))
    shaking = abut.Oscillating(0.002 * rng.normal(size=3), rng.uniform(20, 200), rng.uniform(0, 6))
    return {
        "still": None,
        "rotating": turning,
        "translating": going,
        "oscillating": shaking,
        "together": abut.Motions([turning, shaking, going]),
        "given": given_motion(rng),
    }[kind]


def given_motion(rng):
    """A callable: a turn about a tilted axis beside a shift, with poses and twists of its own."""
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    rate, velocity = rng.uniform(-10, 10), rng.uniform(-0.3, 0.3, 3)

    def motion(time):
        pose = scenes.pose(scenes.turn_about(axis, rate * time), velocity * time)
        return pose, np.concatenate([velocity, rate * axis])

    return motion


def rough_floor(rng, half):
    """A wavy sheet of triangles, from -half to half, a little above the floor."""
    vertices, facets = scenes.grid(7, 6, (-half, half), (-half, half))
    vertices[:, 2] += 5e-4 - half + rng.normal(0, 2e-4, len(vertices))
    return abut.Mesh(vertices, facets)


def build(make, seed, options):
    """A bed of spheres of several sizes and materials, loosely packed, between walls that move."""
    rng = np.random.default_rng(seed)
    period = options["period"]
    sim = make(step=5e-6, gravity=(1, -2, -9), period=period, resolution=options["resolution"])
    kind, rest = options["law"], (ROLLING[options["rolling"]], options.get("cohesion"))
    # hierarchy knows no exponent: walls may have laws of both kinds
    kinds = ["hertz", "linear"] if kind == "both" else [kind, kind]
    grains = [abut.Material(2500, 1e7, 0.3), abut.Material(1200, 4e6, 0.1)]
    plates = [abut.Material(), abut.Material(young=2e8, poisson=0.25)]
    for a, b in [(0, 0), (0, 1), (1, 1)]:
        sim.set_law(grains[a], grains[b], draw_law(rng, kinds[(a + b) % 2], *rest))
    for k in (0, 1):
        for m in (0, 1):
            sim.set_law(grains[k], plates[m], draw_law(rng, kinds[m], *rest))
    half = 0.03
    motions = [draw_motion(rng, name) for name in options["motions"]]
    sim.add_wall(scenes.box(half), plates[0], motion=motions[0])
    sim.add_wall(rough_floor(rng, half), plates[1], motion=motions[1])
    add_bed(sim, rng, grains, half)
    if options["clusters"]:
        add_dumbbells(sim, rng, grains[0], options["clusters"])
    if options["pushed"]:
        pulls = rng.normal(0, 0.05, (64, 3))
        sim.add_force(lambda s: pulls[s.ids] - 0.01 * s.velocities)
        sim.add_force(
            lambda s: (0 * s.velocities, 1e-5 * pulls[s.ids] - 1e-7 * s.angular_velocities)
        )
    return sim


def add_bed(sim, rng, grains, half):
    radii = 0.003 * rng.uniform(1, 3, 40)
    low, high = np.array([-half, -half, 6e-4 - half]), np.array([half, half, 0.01])
    centers = rng.uniform(low, high, (40, 3))
    # pushed apart until overlaps are some percent; clusters come from above
    for _ in range(60):
        found = abut.find_pairs(centers, radii, period=sim.period)
        centers = centers + found.sum(0.5 * found.overlap[:, None] * found.normal)
        centers = np.clip(centers, low + radii[:, None], high - radii[:, None])
    which = np.arange(40) % 2
    for k in (0, 1):
        rows = which == k
        velocities, spins = rng.normal(0, 0.5, (rows.sum(), 3)), rng.normal(0, 20, (rows.sum(), 3))
        sim.add_spheres(centers[rows], 0.99 * radii[rows], grains[k], velocities, spins)


def add_dumbbells(sim, rng, material, count):
    places = [[0.02 * np.cos(2 * k), 0.02 * np.sin(2 * k), 0.0175] for k in range(count)]
    turns = Rotation.from_quat(rng.normal(size=(count, 4)))
    velocities = [0, 0, -0.5] + rng.normal(0, 0.2, (count, 3))
    spins = rng.normal(0, 30, (count, 3))
    cluster = scenes.dumbbell(radius=0.004, apart=0.005)
    sim.add_clusters(cluster, places, material, turns, velocities, spins)


def change(sim, seed):
    """Remove some spheres, add others, and change the motion of walls."""
    rng = np.random.default_rng(seed + 1)
    sim.remove_spheres(sim.ids[: len(sim.ids) // 4 : 2])
    grain = sim.materials[0]
    sim.add_spheres([[0.01, 0, 0.024], [-0.01, 0.002, 0.0245]], 0.005, grain, [[0, 0, -1.0]] * 2)
    sim.walls[0].motion = abut.Translating(rng.uniform(-0.5, 0.5, 3))
    sim.walls[1].motion = abut.Motions(
        [abut.Rotating((0, 0, 1), rate=8.0), abut.Oscillating((0, 0, 3e-4), 90.0)]
    )


# ---- comparing -----------------------------------------------------------------------------------


def agree(ours, theirs, scale=0.0, what=""):
    ours, theirs = np.asarray(ours, float), np.asarray(theirs, float)
    assert ours.shape == theirs.shape, what
    size = max(np.abs(theirs).max(initial=0), scale)
    assert np.abs(ours - theirs).max(initial=0) <= 1e-9 * size, what


def compare(sim, truth):
    agree(sim.centers, truth.centers, what="centers")
    for name in ("velocities", "angular_velocities", "forces"):
        agree(getattr(sim, name), getattr(truth, name), what=name)
    # without friction they are only rounding errors
    agree(sim.torques, truth.torques, 1e-5 * np.abs(truth.forces).max(initial=0), "torques")
    for table, other, columns in (
        (sim.contacts, truth.contacts, ("sphere", "mesh", "overlap", "normal", "share")),
        (sim.pairs, truth.pairs, ("i", "j", "overlap", "normal")),
    ):
        for name in columns:
            agree(getattr(table, name), getattr(other, name), what=name)
        agree(table.force, other.force, np.abs(truth.forces).max(initial=0), "force")
    compare_walls(sim, truth)
    compare_energies(sim, truth)


def compare_walls(sim, truth):
    # a wall's torque is about a point that may be this far away
    apart = images_apart(sim, truth)
    for number, (ours, theirs) in enumerate(zip(sim.walls, truth.walls, strict=True)):
        here = truth.contacts.mesh == number
        pushes = np.abs(truth.contacts.force).sum()
        agree(ours.force, theirs.force, pushes, "wall force")
        torque = theirs.torque - np.cross(apart[here], truth.contacts.force[here]).sum(axis=0)
        agree(ours.torque, torque, 0.03 * pushes, "wall torque")
        agree(ours.power, theirs.power, pushes, "wall power")
        if not apart[here].any():
            agree(ours.nodal_forces, theirs.nodal_forces, pushes, "nodal forces")
        agree(ours.pose, theirs.pose, what="pose")


def images_apart(sim, truth):
    """The distance between each contact's places on its wall. Two sides of the box, a period apart,
    coincide, and rounding decides which of them has the contact."""
    lengths = np.array([one or 0.0 for one in truth.period or (None,) * 3])
    apart = (truth.contacts.image - sim.contacts.image) * lengths
    others = apart.any(axis=1)
    assert (sim.contacts.facet != truth.contacts.facet)[others].all(), "image"
    return apart


def compare_energies(sim, truth):
    ours, theirs = sim.energy, truth.energy
    scale = max(map(abs, theirs))
    agree(ours, theirs, scale, "energy")


MOTIONS = ("still", "rotating", "translating", "oscillating", "together", "given")
PERIODS = (None, (0.06, None, None), (0.06, 0.06, None))

scene_options = st.fixed_dictionaries(
    {
        "law": st.sampled_from(["hertz", "linear", "luding", "both"]),
        "rolling": st.sampled_from(sorted(ROLLING)),
        "resolution": st.sampled_from(["hierarchy", "sharing"]),
        "motions": st.tuples(st.sampled_from(MOTIONS), st.sampled_from(MOTIONS)),
        "period": st.sampled_from(PERIODS),
        "clusters": st.sampled_from([0, 0, 3]),
        "pushed": st.booleans(),
        "changed": st.booleans(),
    }
).map(possible := lambda options: options | correct(options))


def correct(options):
    """Make options compatible: sharing has one exponent, type A no clusters."""
    changed = {}
    if options["resolution"] == "sharing" and options["law"] == "both":
        changed["law"] = "hertz"
    if options["rolling"] == "A":
        changed["clusters"] = 0
    return changed


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
@given(seed=st.integers(0, 2**32 - 1), options=scene_options)
@examples(20)
def test_random_scenes(seed, options):
    check_scene(seed, options)


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
@given(seed=st.integers(0, 2**32 - 1), options=scene_options)
@settings(max_examples=400)
def test_more_random_scenes(seed, options):
    check_scene(seed, options)


def check_scene(seed, options):
    sim, truth = (
        build(make, seed, options) for make in (abut.Simulation, reference_dem.Simulation)
    )
    for number in range(STEPS // 10):
        if number == STEPS // 20 and options["changed"]:
            for one in (sim, truth):
                change(one, seed)
        sim.run(steps=10)
        truth.run(steps=10)
        compare(sim, truth)
    assert len(sim.pairs) + len(sim.contacts) > 0
