"""Laws of one's own beside bonds, and after these have broken."""

import typing

import numpy as np
import pytest

import abut

pytest.importorskip("numba")

from test_user_laws import glue, luding

GRAIN = abut.Material(density=2500, young=1e7, poisson=0.25)
RADIUS = 0.004
LUDING = luding(k1=1e3, k2=5e3, kc=1e3)


class Steps(typing.NamedTuple):
    """How many a contact has had before."""

    count: float


@abut.laws.law(history=Steps)
def ages(contact, old, k):
    """A spring that grows by a hundredth of itself in each step."""
    return k * contact.overlap * (1.0 + 0.01 * old.count), Steps(old.count + 1.0)


def pair(law, overlap, **options):
    sim = abut.Simulation(step=1e-6, gravity=(0, 0, 0))
    sim.set_law(GRAIN, GRAIN, law)
    sim.add_spheres([[0, 0, 0], [2 * RADIUS - overlap, 0, 0]], RADIUS, GRAIN)
    sim.bond([[0, 1]], abut.Bond(young=1e3, **options))
    return sim


def put(sim, overlap, twist=0.0):
    """Where the spheres begin the next step, which is done; the push on the first one."""
    sim.centers = [[0, 0, 0], [2 * RADIUS - overlap, 0, 0]]
    sim.velocities = np.zeros((2, 3))
    sim.angular_velocities = [[0, 0, 0], [twist / sim.step, 0, 0]]
    sim.run(steps=1)
    return -sim.pairs.force[0, 0] if len(sim.pairs) else None


@pytest.mark.parametrize("contact", [False, True])
def test_what_a_contact_keeps_begins_where_its_law_does(contact, tmp_path):
    """A contact law next to a bond continues when the bond breaks. Without one, it begins then,
    without the earlier overlap."""
    overlap, rest = 0.02 * RADIUS, 0.01 * RADIUS
    sim = pair(ages(k=1e3), rest, contact=contact, shear_strength=1e-6)
    for step in range(4):
        push = 1e3 * overlap * (1 + 0.01 * step) if contact else 0.0
        assert put(sim, overlap, 1e-3 * (step == 3)) == pytest.approx(push, rel=1e-9)
    assert len(sim.bonds) == 1
    # the bond was twisted, and breaks in the next step
    first, whole = (4, overlap) if contact else (0, overlap - rest)
    for step in range(first, first + 4):
        push = 1e3 * whole * (1 + 0.01 * step)
        assert put(sim, overlap) == pytest.approx(push, rel=1e-9)
        assert len(sim.breakages) == 1
        sim.save(tmp_path / "a.npz")
        sim = abut.load_simulation(tmp_path / "a.npz", laws={"ages": ages})


def test_a_contact_that_is_bonded_keeps_nothing():
    """Even if the bond breaks in its first step."""
    sim = pair(ages(k=1e3), 0.01 * RADIUS, contact=True, shear_strength=0.0)
    for step in range(3):
        push = 10.0 * RADIUS * (1 + 0.01 * step)
        assert put(sim, 0.01 * RADIUS) == pytest.approx(push, rel=1e-9)
    assert len(sim.bonds) == 0
    # moved away at once, it would rest by what it overlaps there
    sim.centers = [[0, 0, 0], [1.99 * RADIUS, 0, 0]]
    sim.bond([[0, 1]], abut.Bond(young=1e3, shear_strength=0.0))
    assert put(sim, 0.03 * RADIUS) == pytest.approx(20.0 * RADIUS, rel=1e-9)
    assert len(sim.breakages) == 2


def test_what_reaches_acts_after_the_bond_within_its_reach():
    """As if the two were smaller by what they had overlapped, from the step after the break on."""
    law = glue(k=1e3, f=1e-3)
    sim = pair(law, 0.05 * RADIUS, shear_strength=1e-6)
    assert put(sim, 0.0) == 0.0
    assert put(sim, -1e-4) is None
    assert put(sim, 0.0, 1e-3) == 0.0
    rest = 0.05 * RADIUS
    for gap in (1e-4, 5e-4, 9e-4):
        pull = 4e6 * 1e-3 * -gap * (1e-3 - gap)
        assert put(sim, rest - gap) == pytest.approx(pull, rel=1e-9)
        assert len(sim.bonds) == 0
    assert put(sim, rest - 1.1e-3) is None
    # beyond its reach they are whole again
    assert put(sim, -1.1e-3) is None
    assert put(sim, -5e-4) == pytest.approx(-1e-3, rel=1e-9)


def lump(law, workers=1, contact=False, strength=3e4, bonds=True):
    """Grains that move fast in a lump with breaking bonds."""
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), workers=workers)
    sim.set_law(GRAIN, GRAIN, law)
    rng = np.random.default_rng(3)
    grid = np.stack(np.meshgrid(*[np.arange(6)] * 3, indexing="ij"), -1).reshape(-1, 3)
    sim.add_spheres(1.99 * RADIUS * grid + rng.normal(size=grid.shape) * 1e-5, RADIUS, GRAIN)
    sim.velocities = rng.normal(size=grid.shape) * 0.5
    near = abut.find_pairs(sim.centers, RADIUS, gap=0.1 * RADIUS)
    if bonds:
        strengths = strength * rng.uniform(0.3, 3, len(near))
        sim.bond(near, abut.Bond(young=1e6, contact=contact), strengths, strength)
    return sim


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_bonds_that_all_break_at_once_leave_no_trace():
    one, other = lump(LUDING, contact=True, strength=0.0), lump(LUDING, bonds=False)
    one.run(steps=100)
    other.run(steps=100)
    assert len(one.bonds) == 0 < len(one.breakages)
    np.testing.assert_array_equal(one.centers, other.centers)
    np.testing.assert_array_equal(one.pairs.force, other.pairs.force)
