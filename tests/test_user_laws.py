"""Laws of one's own: in simulations, outside of them, and what is wrong with some."""

import ctypes
import math
import pickle
import shutil
import subprocess
import typing
import warnings

import numpy as np
import pytest

import abut
import laws_again
from abut.laws.evaluation import Contacts, evaluate
from abut.laws.probes import history_of, one_of, try_law
from laws_again import hertz_as, linear_as

numba = pytest.importorskip("numba")

GRAIN, OTHER, WALL = abut.Material(2500, 1e7), abut.Material(1500, 5e6), abut.Material()
HERTZ = abut.Hertz(friction=0.5, restitution=0.5)
LINEAR = abut.Linear(4e3, friction=0.4, restitution=0.6, rolling=0.05)


class Memory(typing.NamedTuple):
    """The history of Luding's law."""

    deepest: float
    spring: abut.laws.Vector


@abut.laws.law(history=Memory)
def luding(contact, old, k1, k2, kc, mu=0.5):
    """S. Luding, Granular Matter 10 (2008) 235: loading, unloading, and a branch that pulls."""
    deepest = max(old.deepest, contact.overlap)
    bearing = k2 * (contact.overlap - (1 - k1 / k2) * deepest)
    push = min(k1 * contact.overlap, max(bearing, -kc * contact.overlap))
    tangent, spring = abut.laws.slide(contact, old.spring, 0.3 * k1, 0.0, mu * max(push, 0.0))
    return abut.laws.force(push, tangent), Memory(deepest, spring)


@abut.laws.law
def spring(contact, k, c=0.0):
    return k * max(contact.overlap, 0.0) - c * contact.parting


@abut.laws.law(reach=1e-3)
def glue(contact, k, f):
    """A law that pulls beyond touch, strongest in the middle of its reach."""
    overlap = contact.overlap
    return k * overlap if overlap > 0.0 else 4e6 * f * overlap * (overlap + 1e-3)


@abut.laws.law
def breaks(contact, k, step):
    """Not finite in steps as long as this, which probes do not try."""
    return math.nan if contact.step >= step and contact.overlap > 1e-5 else k * contact.overlap


@numba.njit
def limited(overlap, is_tried):
    if overlap > 1e-5 and not is_tried:
        raise ValueError("too deep")
    return overlap


@abut.laws.law
def calls(contact, k, step):
    """A law that calls a function, which raises in late steps."""
    return k * limited(contact.overlap, contact.step < step)


@abut.laws.law
def raises(contact, k, step):
    """A law that raises itself."""
    if contact.step >= step and contact.overlap > 1e-5:
        raise ValueError("too deep")
    return k * contact.overlap


def box(length):
    corners = np.array([[x, y, z] for z in (0, 3) for x, y in ((0, 0), (1, 0), (1, 1), (0, 1))])
    facets = [[0, 1, 2, 3], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]]
    return abut.Mesh(corners * length, facets)


def drum(law_of, laws_between=None, period=None, workers=1, step=2e-5, count=6):
    """Grains of two materials that are flung about in a box, which turns."""
    sim = abut.Simulation(step=step, period=period, workers=workers)
    pairs = [(GRAIN, GRAIN), (GRAIN, OTHER), (OTHER, OTHER), (GRAIN, WALL), (OTHER, WALL)]
    for k, (a, b) in enumerate(pairs):
        law = law_of if laws_between is None or k in laws_between else law_built_in(law_of)
        sim.set_law(a, b, law(a, b))
    length = 0.0082 * count
    if period is None:
        middle = (length / 2, length / 2, 0)
        sim.add_wall(box(length), WALL, abut.Rotating((0, 0, 1), origin=middle, rate=3.0))
    rng = np.random.default_rng(0)
    axis = np.arange(0.0041, length, 0.0082)
    grid = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    centers = grid + rng.uniform(-1e-4, 1e-4, grid.shape)
    velocities = 0.3 * rng.normal(size=grid.shape)
    half = len(grid) // 2
    sim.add_spheres(centers[:half], 0.004, GRAIN, velocities=velocities[:half])
    sim.add_spheres(centers[half:], 0.0035, OTHER, velocities=velocities[half:])
    return sim


def law_built_in(law_of):
    return BUILT_IN[law_of]


def hertz(a, b):
    return HERTZ


def linear(a, b):
    return LINEAR


def own_hertz(a, b):
    return hertz_as(HERTZ, a, b)


def own_linear(a, b):
    return linear_as(LINEAR, a, b)


BUILT_IN = {own_hertz: hertz, own_linear: linear}


def same(a, b, *, energy=True):
    names = ("centers", "velocities", "angular_velocities", "forces", "torques")
    for name in names:
        np.testing.assert_array_equal(getattr(a, name), getattr(b, name), name)
    if energy:
        assert a.energy == b.energy


def both(law_of, steps, **options):
    a, b = drum(BUILT_IN[law_of], **options), drum(law_of, **options)
    a.run(steps=steps)
    b.run(steps=steps)
    return a, b


# ---- the built-in laws again ---------------------------------------------------------------------


@pytest.mark.parametrize("law_of", [own_hertz, own_linear])
def test_built_in_laws_written_again_have_their_bits(law_of):
    a, b = both(law_of, 400)
    assert len(b.pairs) > 20 and len(b.contacts) > 10
    same(a, b, energy=law_of is own_hertz)
    np.testing.assert_array_equal(a.walls[0].force, b.walls[0].force)
    np.testing.assert_array_equal(a.walls[0].torque, b.walls[0].torque)


@pytest.mark.ci
@pytest.mark.parametrize("law_of", [own_hertz, own_linear])
def test_built_in_laws_written_again_have_their_bits_for_long(law_of):
    a, b = both(law_of, 1000, count=9)
    same(a, b, energy=law_of is own_hertz)


def test_built_in_laws_written_again_have_their_bits_across_periods():
    period = (0.0082 * 6,) * 3
    a, b = both(own_hertz, 300, period=period)
    assert len(b.pairs) > 20
    same(a, b)


def test_laws_of_all_kinds_go_beside_each_other():
    """Rows are queued by laws: of one's own, built-in, with cohesion. Sums are in another order."""
    a, b = drum(hertz), drum(own_hertz, laws_between={1, 3})
    c = drum(own_hertz, laws_between={1, 3})
    weak = abut.Hertz(friction=0.5, restitution=0.5, cohesion=abut.laws.DMT(1e-30))
    c.set_law(GRAIN, GRAIN, weak)
    for sim in (a, b, c):
        sim.run(steps=300)
    for sim in (b, c):
        np.testing.assert_allclose(sim.centers, a.centers, rtol=0, atol=1e-12)


def test_rows_go_along_with_spheres_that_come_and_go():
    a, b = both(own_hertz, 200)
    for sim in (a, b):
        sim.remove_spheres(sim.ids[::5])
        sim.run(steps=50)
        sim.add_spheres([[0.02, 0.02, 0.1]], 0.004, GRAIN)
        sim.run(steps=50)
    same(a, b)


def test_bodies_take_laws_of_ones_own():
    cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    law = abut.Hertz(friction=0.4, restitution=0.6, curvature=0.1)
    function = laws_again.hertz_again.function
    rounded = abut.laws.law(function, history=laws_again.Spring, curvature=0.1)
    sims = []
    for given in (law, rounded(**hertz_as(law, GRAIN, GRAIN).parameters)):
        sim = abut.Simulation(step=2e-4)
        sim.set_law(GRAIN, GRAIN, given)
        sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), GRAIN)
        sim.add_bodies(cube, [[0, 0, 0.1], [0.01, 0.02, 0.301]], GRAIN, scales=0.1)
        sim.add_spheres([[0.02, 0.0, 0.455]], 0.05, GRAIN)
        sim.run(steps=1500)
        sims.append(sim)
    assert len(sims[0].body_contacts) and len(sims[0].body_pairs)
    for name in ("positions", "velocities", "forces", "torques"):
        one, other = (getattr(sim.bodies, name) for sim in sims)
        np.testing.assert_array_equal(one, other, name)


# ---- what a law sees and does --------------------------------------------------------------------


def test_luding_goes_as_plain_python_does():
    """A head-on collision, stepped by hand with the function itself."""
    law = luding(k1=1e3, k2=5e3, kc=100.0)
    radius, step = 1e-3, 1e-6
    sim = abut.Simulation(step=step, gravity=(0, 0, 0))
    sim.set_law(GRAIN, GRAIN, law)
    sim.add_spheres([[0, 0, 0], [2e-3, 0, 0]], radius, GRAIN, velocities=[[0.1, 0, 0], [0, 0, 0]])
    mass = float(sim.masses[0])
    contacts = Contacts(1, step, radius=radius / 2, mass=mass / 2, is_new=1.0)
    x, v, old = np.array([0.0, 2e-3]), np.array([0.1, 0.0]), law.maker.zero()
    for _ in range(400):
        overlap = 2 * radius - (x[1] - x[0])
        if overlap >= 0.0:
            contacts.set(overlap=overlap, parting=v[1] - v[0])
            force, old = law.once(one_of(contacts, 0), old)
            v += step * force.push / mass * np.array([-1.0, 1.0])
        x += step * v
        sim.run(steps=1)
    assert old.deepest > 1e-6
    np.testing.assert_allclose(sim.centers[:, 0], x, rtol=1e-12)
    np.testing.assert_allclose(sim.velocities[:, 0], v, rtol=1e-9, atol=1e-12)


def test_compiled_code_has_the_bits_of_plain_python():
    rng = np.random.default_rng(0)
    law = luding(k1=1e3, k2=5e3, kc=1e3)
    contacts = Contacts(100, 1e-6)
    for name in contacts.columns:
        contacts[name][...] = rng.normal(size=contacts[name].shape) * 1e-3
    history = rng.normal(size=(4, 100)) * 1e-3
    answer = evaluate(law, contacts, history)
    for k in range(100):
        force, new = law.once(one_of(contacts, k), history_of(law, history, k))
        assert (force.push, *force.tangent) == (answer.push[k], *answer.tangent[k])
        assert (*new.spring, new.deepest) == tuple(answer.history[:, k])


def test_momentum_is_kept_whatever_a_law_says(monkeypatch):
    @abut.laws.law(jumps=True)
    def odd(contact, k):
        n, push = contact.normal, k * contact.overlap
        # not even in the tangent plane
        return abut.laws.force(
            push, (push * n[0], push * n[1], push * n[2]), (push * n[0], 0.0, 0.0)
        )

    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    law = odd(k=1e3)
    with pytest.raises(ValueError, match="rotated in space"):
        sim.set_law(GRAIN, GRAIN, law)
    monkeypatch.setattr("abut.laws.law_table.try_law", lambda law: None)
    sim.set_law(GRAIN, GRAIN, law)
    sim.add_spheres([[0, 0, 0], [1.9e-3, 1e-4, 0]], 1e-3, GRAIN)
    sim.run(steps=50)
    momentum = (sim.masses[:, None] * sim.velocities).sum(axis=0)
    assert np.abs(sim.velocities).max() > 0.0
    np.testing.assert_allclose(momentum, 0.0, atol=1e-18)


@pytest.mark.parametrize("cuts", [1, 4])
def test_a_reach_pulls_beyond_touch(cuts):
    """A plane with any number of facets pulls like two spheres of twice the size."""
    edges = np.linspace(-1, 1, cuts + 1)
    grid = np.array([[x, y, 0.0] for x in edges for y in edges])
    rows = [[i * (cuts + 1) + j for i, j in ((a, b), (a + 1, b), (a + 1, b + 1), (a, b + 1))]
            for a in range(cuts) for b in range(cuts)]  # fmt: skip
    sim = abut.Simulation(step=1e-6, gravity=(0, 0, 0))
    sim.set_law(GRAIN, WALL, glue(k=1e4, f=1e-3))
    sim.set_law(GRAIN, GRAIN, glue(k=1e4, f=1e-3))
    sim.add_wall(abut.Mesh(grid, rows), WALL)
    sim.add_spheres([[0, 0, 4.5e-3], [0.1, 0.1, 0.3], [0.1085, 0.1, 0.3]], 4e-3, GRAIN)
    sim.run(steps=1)
    np.testing.assert_allclose(sim.contacts.force, [[0, 0, -1e-3]], atol=1e-12)
    np.testing.assert_allclose(sim.contacts.overlap, [-5e-4], rtol=1e-9)
    np.testing.assert_allclose(sim.pairs.force, [[1e-3, 0, 0]], atol=1e-12)
    sim.velocities = [[0, 0, 10.0], [0, 0, 0], [10.0, 0, 0]]
    sim.run(steps=100)
    assert len(sim.contacts) == len(sim.pairs) == 0


class Way(typing.NamedTuple):
    """How far two have slid along each other."""

    spring: abut.laws.Vector


@abut.laws.law(history=Way, reach=1e-3)
def clings(contact, old, k):
    """Pulls, and holds on to what it slides along, also across a gap."""
    near = k * (contact.overlap + 1e-3)
    tangent, spring = abut.laws.slide(contact, old.spring, 1e3 * near, 0.0, 1e9)
    return abut.laws.force(-near, tangent, stored=-0.5 * near * near / k), Way(spring)


def clung(surface, resolution):
    """Forces on a sphere that is led along a plane, and what it stores, touching and apart."""
    sim = abut.Simulation(step=1e-6, gravity=(0, 0, 0), resolution=resolution)
    sim.set_law(GRAIN, WALL, clings(k=1e3))
    sim.add_wall(surface, WALL)
    sim.add_spheres([[-5e-3, 1e-4, 3.9e-3]], 4e-3, GRAIN)
    rows = []
    for k in range(50):
        sim.centers = [[-5e-3 + 2e-4 * k, 1e-4, 3.9e-3 + 1e-5 * k]]
        sim.velocities, sim.angular_velocities = [[200.0, 0, 10.0]], [[0, 0, 0]]
        sim.run(steps=1)
        rows.append([*sim.forces[0], 1e3 * sim.energy.elastic])
    return np.array(rows)


@pytest.mark.parametrize("cuts", [1, 20])
def test_sharing_keeps_what_a_law_remembers_across_a_gap(cuts):
    """On a plane of any number of facets as on a half space."""
    edges = np.linspace(-0.01, 0.01, cuts + 1)
    grid = np.array([[x, y, 0.0] for x in edges for y in edges])
    corner = np.arange(cuts)[:, None] * (cuts + 1) + np.arange(cuts)
    rows = np.stack([corner, corner + cuts + 1, corner + cuts + 2, corner + 1], -1).reshape(-1, 4)
    right = clung(abut.HalfSpace((0, 0, 0), (0, 0, 1)), "hierarchy")
    assert abs(right[-1, 0]) > abs(right[-1, 2])
    np.testing.assert_allclose(clung(abut.Mesh(grid, rows), "sharing"), right, rtol=1e-9)


CUBE = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
ROUNDED = abut.ConvexShape(CUBE.vertices, radius=0.2)


def test_the_spots_of_bodies_pull_beyond_touch():
    """Each as a contact does, at a wall and between two bodies."""
    sim = abut.Simulation(step=1e-6, gravity=(0, 0, 0))
    sim.set_law(GRAIN, WALL, glue(k=1e4, f=1e-3))
    sim.set_law(GRAIN, GRAIN, glue(k=1e4, f=2e-3))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), WALL)
    side, gap = 0.024, 5e-4
    sim.add_bodies(
        ROUNDED, [[0, 0, side / 2 + gap], [0, 0, 1.5 * side + 2 * gap]], GRAIN, scales=0.01
    )
    sim.run(steps=1)
    np.testing.assert_allclose(sim.bodies.forces[:, 2], [4e-3, -8e-3], rtol=1e-6)
    lower = sim.body_contacts
    np.testing.assert_allclose(lower.overlap, -gap, rtol=1e-9)
    assert sim.energy.elastic == 0.0  # the law does not tell what it stores


class Age(typing.NamedTuple):
    """How many steps a contact has seen."""

    steps: float


@abut.laws.law(history=Age, curvature=0.01)
def hardens(contact, old, k, c):
    """Twice as stiff, once its contact has begun."""
    stiffness = k if old.steps < 1.0 else 2 * k
    return stiffness * max(contact.overlap, 0.0) - c * contact.parting, Age(old.steps + 1.0)


def test_stable_step_of_bodies_knows_the_slope():
    """Also the damper's, and what contacts remember."""
    law = abut.Linear(2e3, tangential=0.0, restitution=0.3)
    damping = 2 * abut.laws.damping_ratio(0.3)
    steps = []
    for given in (law, law, hardens):
        sim = abut.Simulation(step=1e-6)
        sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), WALL)
        sim.add_bodies(CUBE, [[0, 0, 0.00999]], GRAIN, scales=0.01)
        if given is hardens:
            mass = float(sim.bodies.masses[0]) / 4
            given = hardens(k=1e3, c=damping * np.sqrt(2e3 * mass))
        sim.set_law(GRAIN, WALL, given)
        sim.run(steps=2)
        steps.append(sim.stable_step())
    np.testing.assert_allclose(steps[2], steps[0], rtol=1e-5)


def test_stable_step_knows_the_slope():
    law = abut.Linear(2e3, tangential=0.25)
    steps = []
    for given in (law, linear_as(law, GRAIN, WALL)):
        sim = abut.Simulation(step=1e-5)
        sim.set_law(GRAIN, WALL, given)
        sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), WALL)
        sim.add_spheres([[0, 0, 1e-3]], 1e-3, GRAIN)
        free = sim.stable_step()
        sim.run(steps=20)
        steps.append((free, sim.stable_step()))
    np.testing.assert_allclose(steps[0], steps[1], rtol=1e-5)


@abut.laws.law(history=Memory)
def by_difference(contact, old, k, c, share):
    """A damper, of the overlap's own change; `slide` across the normal."""
    rate = 0.0 if contact.is_new else (contact.overlap - old.deepest) / contact.step
    push = k * contact.overlap + c * rate
    tangent, spring = abut.laws.slide(contact, old.spring, share * k, 0.0, push)
    return abut.laws.force(push, tangent), Memory(contact.overlap, spring)


@pytest.mark.parametrize("share", [0.0, 0.5])  # of the stiffness across the normal
def test_stable_step_of_a_law_that_divides_by_the_step(share):
    """Its slope is that of the spring, as in a contact that has a past."""
    steps = []
    for given in (
        abut.Linear(1e3, tangential=share, friction=1.0),
        by_difference(k=1e3, c=1e-6, share=share),
    ):
        sim = abut.Simulation(step=1e-6)
        sim.set_law(GRAIN, GRAIN, given)
        sim.add_spheres([[0, 0, 0], [0, 0, 1.99e-3]], 1e-3, GRAIN)
        sim.run(steps=2)
        steps.append(sim.stable_step())
    np.testing.assert_allclose(steps[1], steps[0], rtol=1e-5)


# ---- threads, files ------------------------------------------------------------------------------


def test_threads_and_restarts_do_not_show(tmp_path):
    one, three = drum(own_hertz), drum(own_hertz, workers=3)
    one.run(steps=200)
    three.run(steps=200)
    same(one, three)
    one.save(tmp_path / "a.npz")
    with pytest.raises(ValueError, match=r"a law of your own, hertz_again.*laws="):
        abut.load_simulation(tmp_path / "a.npz", [one.walls[0].mesh])
    laws = {"hertz_again": laws_again.hertz_again}
    again = abut.load_simulation(tmp_path / "a.npz", [one.walls[0].mesh], laws=laws)
    assert len(again.pairs)
    for sim in (one, again):
        sim.run(steps=100)
    same(one, again)


def test_a_file_tells_whether_a_law_is_another_one(tmp_path):
    @abut.laws.law(history=Memory)
    def other(contact, old, k1, k2, kc, mu=0.5):
        return k1 * contact.overlap, old

    sim = abut.Simulation(step=1e-5)
    sim.set_law(GRAIN, GRAIN, luding(k1=1e3, k2=5e3, kc=1e3))
    sim.save(tmp_path / "a.npz")
    with pytest.warns(abut.SimulationWarning, match="code of the law luding"):
        loaded = abut.load_simulation(tmp_path / "a.npz", laws={"luding": other})
    assert loaded._laws.own[0].parameters == {"k1": 1e3, "k2": 5e3, "kc": 1e3, "mu": 0.5}
    with pytest.raises(ValueError, match=r"vectors spring, but the given law.*has none"):
        abut.load_simulation(tmp_path / "a.npz", laws={"luding": spring})
    with pytest.raises(TypeError, match="laws\\['luding'\\] is an int"):
        abut.load_simulation(tmp_path / "a.npz", laws={"luding": 3})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        abut.load_simulation(tmp_path / "a.npz", laws={"luding": luding})


@pytest.mark.parametrize(
    ("parameters", "reach", "said"),
    [
        ([1e3], 1e-4, "soft was saved with 2 parameters, but the given law has 1$"),
        (
            [1e3, 0.0, 1.0],
            1e-4,
            "soft was saved with 2 parameters, but the given law has 3$",
        ),
        (
            [1e3, 0.0],
            2e-4,
            "soft was saved with reach 0.0001, but the given law has 0.0002$",
        ),
    ],
)
def test_a_file_asks_for_laws_like_those_that_were_saved(tmp_path, parameters, reach, said):
    """A function that reads more parameters than it is given would read what is not its own."""
    address = spring(k=1.0).address
    sim = abut.Simulation(step=1e-5)
    sim.set_law(GRAIN, GRAIN, abut.laws.CompiledLaw(address, [1e3, 0.0], reach=1e-4, name="soft"))
    sim.save(tmp_path / "a.npz")
    other = abut.laws.CompiledLaw(address, parameters, reach=reach, name="soft")
    with pytest.raises(ValueError, match=said):
        abut.load_simulation(tmp_path / "a.npz", laws={"soft": other})


def test_a_law_in_a_file_keeps_its_reach(tmp_path):
    sim = abut.Simulation(step=1e-5)
    sim.set_law(GRAIN, GRAIN, glue(k=1e4, f=1e-3))
    sim.save(tmp_path / "a.npz")
    nearer = abut.laws.law(glue.function, reach=5e-4)
    with pytest.raises(ValueError, match=r"glue was saved with reach 0\.001.*has 0\.0005"):
        abut.load_simulation(tmp_path / "a.npz", laws={"glue": nearer})


def test_a_law_is_pickled_by_its_name():
    assert pickle.loads(pickle.dumps(luding)) is luding
    law = luding(k1=1.0, k2=2.0, kc=3.0)
    assert pickle.loads(pickle.dumps(law)) == law


def test_what_is_kept_stays_where_other_laws_come():
    """Another pair's law that keeps more makes rows larger, and changes no bit."""
    a, b = drum(own_hertz), drum(own_hertz)
    for sim in (a, b):
        sim.run(steps=100)
    b.set_law(abut.Material(1.0), WALL, own_linear(GRAIN, WALL))
    for sim in (a, b):
        sim.run(steps=100)
    same(a, b)


# ---- compiled elsewhere --------------------------------------------------------------------------

SOURCE = """
#include "abut_law.h"
void law(const abut_law_block *b)
{
    for (int64_t k = 0; k < b->count; k++) {
        const double push = b->parameters[0] * b->overlap[k];
        b->push[k] = push > 0.0 ? push : 0.0;
        b->history_out[k] = b->history_in[k] + b->step;
    }
}

void count(const abut_law_block *b)
{
    for (int64_t k = 0; k < 30 * ABUT_LAW_ROWS; k++) {
        const int64_t row = k % ABUT_LAW_ROWS, is_z = k / ABUT_LAW_ROWS % 3 == 2;
        const double more = b->parameters[0] == 0.0 ? 1.0 : is_z ? b->normal[row] : 0.0;
        b->history_out[k] = row < b->count ? b->history_in[k] + more : 0.0;
    }
}
"""


def compiled(folder):
    """The library of the source above."""
    (folder / "law.c").write_text(SOURCE)
    library = folder / "law.so"
    command = ["cc", "-shared", "-fPIC", "-O2", "-I", abut.laws.get_include(), "-o", str(library)]
    subprocess.run([*command, str(folder / "law.c")], check=True)
    return ctypes.CDLL(str(library))


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_laws_keep_as_much_as_there_may_be(tmp_path):
    """One law stores vectors, the other numbers; rows have both, with zeros for unused ones."""
    count = compiled(tmp_path).count
    sim = abut.Simulation(step=1e-6, gravity=(0, 0, 0))
    sim.set_law(GRAIN, GRAIN, abut.laws.CompiledLaw(count, [1.0], vectors=10, name="vectors"))
    sim.set_law(OTHER, OTHER, abut.laws.CompiledLaw(count, [0.0], scalars=32, name="numbers"))
    for place, material in ((0.0, GRAIN), (1.0, OTHER)):
        sim.add_spheres([[0, 0, place], [1.99e-3, 0, place]], 1e-3, material)
    sim.run(steps=3)
    first, second = sim._core.interactions(abut._core.SPHERE_SPHERE)["history"]
    np.testing.assert_allclose(first[:30].reshape(10, 3), [[0, 0, -3.0]] * 10, atol=1e-14)
    assert not first[30:62].any() and not second[:30].any()
    assert (second[30:60] == 3.0).all()


@pytest.mark.skipif(shutil.which("cc") is None, reason="there is no C compiler")
def test_a_law_in_c(tmp_path):
    law = abut.laws.CompiledLaw(compiled(tmp_path).law, parameters=[1e3], scalars=1, name="in C")
    sims = []
    for given in (law, abut.Linear(1e3, tangential=0.0)):
        sim = abut.Simulation(step=1e-5)
        sim.set_law(GRAIN, WALL, given)
        sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), WALL)
        sim.add_spheres([[0, 0, 0.99e-3]], 1e-3, GRAIN)
        sim.run(steps=10)
        sims.append(sim)
    same(*sims, energy=False)
    kept = sims[0]._core.interactions(3)["history"]
    np.testing.assert_allclose(kept[0, 0], 10e-5)
    sims[0].save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz", laws={"in C": law})
    for sim in (sims[0], again):
        sim.run(steps=5)
    same(sims[0], again)


def test_addresses_of_all_kinds():
    address = spring(k=1.0).address
    capsule = ctypes.pythonapi.PyCapsule_New
    capsule.restype = ctypes.py_object
    capsule.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
    of_ctypes = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
    given = [address, of_ctypes, ctypes.c_void_p(address), capsule(address, b"law", None)]
    given.append(spring.compiled)
    assert {abut.laws.CompiledLaw(one, [1.0, 0.0]).address for one in given} == {address}


def test_addresses_of_other_packages():
    scipy = pytest.importorskip("scipy")
    address = spring(k=1.0).address
    of_ctypes = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
    given = [scipy.LowLevelCallable(of_ctypes)]
    try:
        import cffi

        given.append(cffi.FFI().cast("void (*)(void *)", address))
    except ImportError:
        pass
    assert {abut.laws.CompiledLaw(one).address for one in given} == {address}


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ((print,), TypeError, "function is a builtin"),
        ((0,), ValueError, "address 0"),
        ((8, ["a"]), TypeError, "parameters\\[0\\]"),
        ((8, [], -1), ValueError, "vectors is -1"),
        ((8, [], 10, 3), ValueError, "32 numbers"),
        ((8, [], 0, 0, -1.0), ValueError, "reach"),
        ((8, [], 0, 0, 0.0, ""), TypeError, "name"),
        (
            (2**70,),
            ValueError,
            "function has the address 1180591620717411303424, too large for a pointer",
        ),
        ((8, 5), TypeError, "parameters is 5, but must be a list of numbers"),
        ((8, [1.0, math.nan]), ValueError, r"parameters\[1\] of compiled is nan"),
        ((8, [], 0, 0, 1e300), ValueError, r"reach is 1e\+300, but must be at most 1e\+75"),
    ],
)
def test_compiled_laws_are_read(arguments, error, said):
    with pytest.raises(error, match=said):
        abut.laws.CompiledLaw(*arguments)


# ---- mistakes ------------------------------------------------------------------------------------


def test_laws_of_lammps_are_built_in_ones():
    pytest.importorskip("mpi4py")
    from abut.lammps.arguments import read_laws

    with pytest.raises(ValueError, match="law is spring, a law of your own"):
        read_laws(spring(k=1.0), GRAIN, [None])


def attribute(contact, k):
    return k * contact.overlapp


def holes(contact, k):
    return k / contact.overlap


def turned(contact, k):
    return k * contact.overlap * (1.0 + contact.normal[2] ** 2)


def one_sided(contact, k):
    return k * contact.overlap / contact.radius_i


def jumps(contact, k):
    return k + k * contact.overlap


def opens(contact, k):
    return k * len(open.__name__) * contact.overlap


def two(contact, k):
    return k * contact.overlap, 0.0


def short(contact, k):
    return abut.laws.force(k * contact.overlap, (1.0, 2.0))


def added(contact, k):
    return abut.laws.force(k * contact.overlap, contact.sliding + contact.sliding)


@pytest.mark.parametrize(
    ("function", "error", "said"),
    [
        (attribute, AttributeError, "attribute: .*overlapp.*a contact has overlap, normal"),
        (holes, ValueError, "holes: push is inf at overlap 0, parting"),
        (turned, ValueError, "turned: push is different when everything is rotated"),
        (one_sided, ValueError, "one_sided: push.*must be antisymmetric"),
        (jumps, ValueError, "jumps: the force jumps by 1 at touch.*jumps=True"),
        (opens, TypeError, "opens, line \\d+: "),
        (two, TypeError, "two returns a tuple"),
        (short, TypeError, "short: tangent is .*three numbers"),
        (added, TypeError, "no \\+"),
    ],
)
def test_mistakes_are_told_when_a_law_is_set(function, error, said):
    sim = abut.Simulation(step=1e-5)
    with pytest.raises(error, match=said):
        sim.set_law(GRAIN, GRAIN, abut.laws.law(function)(k=1.0))
    assert not sim.materials


def test_a_law_may_jump_where_it_says_so():
    try_law(abut.laws.law(jumps=True)(jumps)(k=1.0))


def returns_other(contact, old, k):
    return k * contact.overlap, (1.0, abut.laws.Vector(0.0, 0.0, 0.0))


def returns_one(contact, old, k):
    return k * contact.overlap


@pytest.mark.parametrize(
    ("function", "said"), [(returns_other, "returns tuple beside"), (returns_one, "returns float")]
)
def test_histories_are_checked(function, said):
    with pytest.raises(TypeError, match=said):
        try_law(abut.laws.law(history=Memory)(function)(k=1.0))


class Wrong(typing.NamedTuple):
    count: int


class Large(typing.NamedTuple):
    a: abut.laws.Vector
    b: abut.laws.Vector


def test_what_the_decorator_is_given():
    with pytest.raises(TypeError, match=r"count of the history of returns_one is .*int"):
        abut.laws.law(history=Wrong)(returns_one)
    with pytest.raises(TypeError, match="history of returns_one is 3"):
        abut.laws.law(history=3)(returns_one)
    with pytest.raises(TypeError, match="got an int"):
        abut.laws.law(3)
    with pytest.raises(TypeError, match="has 0 arguments, but must take the contact first"):
        abut.laws.law(lambda: 0.0)
    with pytest.raises(ValueError, match="reach"):
        abut.laws.law(reach=-1.0)(two)
    with pytest.raises(ValueError, match=r"reach is 1e\+300, but must be at most 1e\+75"):
        abut.laws.law(reach=1e300)(two)
    with pytest.raises(ValueError, match="c of <lambda> is nan"):
        abut.laws.law(lambda contact, c=math.nan: 0.0)
    with pytest.raises(TypeError, match="plain parameters only"):
        abut.laws.law(lambda contact, *more: 0.0)


def test_a_history_may_be_of_a_function():
    """Annotations may be texts with names that only the function defines."""
    from abut.laws import Vector as Turned

    class Local(typing.NamedTuple):
        spring: "Turned"
        age: "float"

    class Unknown(typing.NamedTuple):
        spring: "Turnd"  # noqa: F821

    assert abut.laws.law(history=Local)(returns_one).kinds == {"spring": Turned, "age": float}
    assert abut.laws.law(returns_one, history=Local).vectors == ("spring",)
    with pytest.raises(TypeError, match="history of returns_one: name 'Turnd' is not defined"):
        abut.laws.law(history=Unknown)(returns_one)


def test_parameters_are_told_by_name():
    with pytest.raises(TypeError, match="luding has no parameter k3; its parameters are k1, k2"):
        luding(k1=1.0, k3=2.0)
    with pytest.raises(TypeError, match="luding needs k2"):
        luding(k1=1.0)
    with pytest.raises(TypeError, match="k1 of luding is"):
        luding(k1="a", k2=1.0, kc=1.0)
    with pytest.raises(ValueError, match="k1 of luding is nan"):
        luding(k1=math.nan, k2=1.0, kc=1.0)
    assert luding(k1=1.0, k2=1.0, kc=1.0, mu=math.inf).parameters["mu"] == math.inf
    sim = abut.Simulation(step=1e-5)
    with pytest.raises(TypeError, match="luding without its parameters"):
        sim.set_law(GRAIN, GRAIN, luding)


def test_names_of_laws_differ():
    other = abut.laws.law(history=Memory)(luding.function)
    sim = abut.Simulation(step=1e-5)
    sim.set_law(GRAIN, GRAIN, luding(k1=1e3, k2=5e3, kc=1e3))
    sim.set_law(GRAIN, WALL, luding(k1=2e3, k2=5e3, kc=1e3))
    with pytest.raises(ValueError, match="two different laws have the name luding"):
        sim.set_law(GRAIN, GRAIN, other(k1=1e3, k2=5e3, kc=1e3))


@pytest.mark.parametrize(
    ("function", "told"),
    [
        (breaks, "push is nan, at overlap "),
        (calls, "push is nan, where plain Python raises ValueError: too deep, at overlap "),
        (raises, "push is nan, where plain Python raises ValueError: too deep, at overlap "),
    ],
)
def test_a_step_that_is_not_finite_leaves_all_as_it_was(function, told, capfd):
    law = function(k=1e3, step=1e-5)
    said = []
    for workers in (1, 3):
        sim, again = (drum(hertz, workers=workers) for _ in range(2))
        for one in (sim, again):
            one.run(steps=50)
            one.set_law(GRAIN, OTHER, law)
        with pytest.raises(FloatingPointError) as caught:
            sim.run(steps=200)
        again.run(steps=sim.step_count - 50)
        same(sim, again)
        said.append(str(caught.value))
    assert said[0] == said[1]
    for part in (
        f"{law!r} returned a value that is not finite for sphere",
        told,
        f"in step {sim.step_count}:",
    ):
        assert part in said[0]
    assert not capfd.readouterr().err
    sim.set_law(GRAIN, OTHER, HERTZ)
    sim.run(steps=10)


@abut.laws.law
def negative(contact, k):
    if contact.overlap == 0.0:
        raise ValueError("nothing is there")
    return k * contact.overlap


@numba.njit
def inverse(x):
    return 1.0 / x  # which raises, unlike laws


@abut.laws.law
def inverted(contact, k):
    return k / inverse(contact.overlap)


@pytest.mark.parametrize(
    ("law", "said"),
    [
        (negative, "negative: plain Python raises ValueError: nothing is there at overlap 0, part"),
        (inverted, "inverted: push is nan, where plain Python raises ZeroDivisionError.*overlap 0"),
    ],
)
def test_what_a_law_raises_is_told_when_it_is_set(law, said):
    sim = abut.Simulation(step=1e-5)
    with pytest.raises(ValueError, match=said):
        sim.set_law(GRAIN, GRAIN, law(k=1.0))


# ---- check_law -----------------------------------------------------------------------------------


@pytest.mark.parametrize("law", [HERTZ, LINEAR])
def test_check_law_finds_what_built_in_laws_are_given(law):
    as_own = hertz_as if law is HERTZ else linear_as
    for given in (law, as_own(law, GRAIN, GRAIN)):
        found = abut.laws.check_law(given, GRAIN, GRAIN, radius=1e-3)
        np.testing.assert_allclose(found.restitution, law.restitution, atol=3e-3)
        assert found.pull_off_force == found.pull_off_work == found.reach == 0.0
        assert all(-0.01 < gain < 1e-5 for gain in found.gained.values())
    assert (found.cost is None) is False
    assert "restitution" in str(found)
    if law is LINEAR:
        np.testing.assert_allclose(found.stiffness, 4e3, rtol=1e-6)
        np.testing.assert_allclose(found.shear_stiffness, 4e3 * 2 / 7, rtol=1e-6)


def test_check_law_finds_pull_off():
    work, radius = 0.05, 1e-4
    law = abut.Hertz(cohesion=abut.laws.JKR(work))
    found = abut.laws.check_law(law, GRAIN, WALL, radius=radius)
    stiffness = law.numbers(GRAIN, WALL)["stiffness"]
    np.testing.assert_allclose(found.pull_off_force, 1.5 * math.pi * work * radius, rtol=1e-4)
    out = (work**5 * radius**4 / stiffness**2) ** (1 / 3)
    # from where nothing pushes, u^3 = 3/2, which is 1.6493 of that from touch
    np.testing.assert_allclose(found.pull_off_work, 1.6493 * 7.0922 * out, rtol=2e-3)
    assert found.tabor > 5.0 and found.cost is None
    own = abut.laws.check_law(glue(k=1e3, f=1e-3), GRAIN, WALL, radius=4e-3)
    np.testing.assert_allclose(own.pull_off_force, 1e-3, rtol=1e-4)
    np.testing.assert_allclose(own.pull_off_work, 4e6 * 1e-3 * 1e-9 / 6, rtol=1e-4)
    assert own.reach == 1e-3 and abs(own.jump) < 1e-9


def test_check_law_sees_energy_that_comes_from_nowhere():
    @abut.laws.law(history=Memory)
    def gains(contact, old, k):
        """A law that is softer in loading than in unloading."""
        way_out = 1.0 if contact.overlap < old.deepest else 0.0
        spring = abut.laws.Vector(0.0, 0.0, 0.0)
        return k * contact.overlap * (1.0 + way_out), Memory(contact.overlap, spring)

    found = abut.laws.check_law(gains(k=1e3), GRAIN, GRAIN, radius=1e-3)
    assert found.gained["normal"] > 0.5


@abut.laws.law(history=Memory)
def rubs_as_once(contact, old, k, damping, mu):
    """Friction of version 0.2: while it slides, the spring takes over the damper's part."""
    push = max(k * contact.overlap - damping * contact.parting, 0.0)
    a, b, c = contact.sliding
    way = 0.3 * k * contact.step
    spring = abut.laws.Vector(
        old.spring.x - way * a, old.spring.y - way * b, old.spring.z - way * c
    )
    x, y, z = spring.x - damping * a, spring.y - damping * b, spring.z - damping * c
    length = math.sqrt(x * x + y * y + z * z)
    if length > mu * push:
        part = mu * push / length
        spring = abut.laws.Vector(x * part, y * part, z * part)
        return abut.laws.force(push, spring), Memory(0.0, spring)
    return abut.laws.force(push, abut.laws.Vector(x, y, z)), Memory(0.0, spring)


@pytest.mark.ci
def test_check_law_sees_energy_from_friction():
    numbers = {"k": 1e3, "damping": 2e-4, "mu": 0.7}
    found = abut.laws.check_law(rubs_as_once(**numbers), GRAIN, WALL, radius=1e-3)
    assert found.gained["collision"] > 0.05
    found = abut.laws.check_law(
        abut.Linear(1e3, friction=0.7, restitution=0.8), GRAIN, WALL, radius=1e-3
    )
    assert -0.1 < found.gained["collision"] < 0.0


@abut.laws.law
def pulls(contact, k):
    """A spring with the sign of another convention."""
    return -k * contact.overlap


def test_a_law_that_only_pulls_is_told():
    sim = abut.Simulation(step=1e-6)
    with pytest.warns(abut.SimulationWarning, match=r"pulls\(k=1000.0\) pulls at every overlap"):
        sim.set_law(GRAIN, GRAIN, pulls(k=1e3))
    sim.set_law(GRAIN, GRAIN, hertz_as(HERTZ, GRAIN, GRAIN))


@pytest.mark.ci
def test_check_law_tells_of_what_only_pulls():
    with pytest.warns(abut.SimulationWarning, match="never pushes"):
        abut.laws.check_law(pulls(k=1e3), GRAIN, GRAIN, radius=1e-3)
    soft = abut.Material(1000, 1e3)
    with pytest.warns(abut.SimulationWarning, match="Hertz.* never pushes"):
        abut.laws.check_law(abut.Hertz(cohesion=abut.laws.DMT(1.0)), soft, WALL, radius=1e-4)


def test_check_law_checks_its_arguments():
    with pytest.raises(TypeError, match="law is an int"):
        abut.laws.check_law(3, GRAIN, GRAIN, radius=1.0)
    with pytest.raises(ValueError, match="no density"):
        abut.laws.check_law(HERTZ, WALL, GRAIN, radius=1.0)
    with pytest.raises(ValueError, match="holes: push is inf"):
        abut.laws.check_law(abut.laws.law(holes)(k=1.0), GRAIN, GRAIN, radius=1.0)


# ---- necks ---------------------------------------------------------------------------------------


class Neck(typing.NamedTuple):
    """Whether a neck has begun, and has not snapped."""

    holds: float


@abut.laws.law(history=Neck, reach=2e-5, jumps=True)
def sticky(contact, old, young, work):
    holds = 1.0 if contact.overlap >= 0.0 or old.holds > 0.0 else 0.0
    pull = abut.laws.jkr(contact, young, work)
    return holds * pull, Neck(holds if pull != 0.0 else 0.0)


def test_necks_are_those_of_jkr():
    """Two spheres collide, stick for a while, and separate when the neck breaks."""
    young = GRAIN.young / (1 - GRAIN.poisson**2) / 2
    built_in = abut.Hertz(restitution=1.0, cohesion=abut.laws.JKR(0.5))
    tracks = []
    for law in (built_in, sticky(young=young, work=0.5)):
        sim = abut.Simulation(gravity=(0, 0, 0), step=2e-7)
        sim.set_law(GRAIN, GRAIN, law)
        sim.add_spheres([[0, 0, 0], [2.0001e-3, 0, 0]], 1e-3, GRAIN)
        sim.velocities = [[0, 0, 0], [-1.0, 0, 0]]
        track = []
        for _ in range(300):
            sim.run(steps=10)
            track.append([*sim.forces[0], *sim.velocities[0]])
        tracks.append(np.array(track))
    push = tracks[0][:, 0]
    assert (push > 0).any() and (push < 0).any() and not push[-1]
    np.testing.assert_allclose(tracks[1], tracks[0], rtol=1e-8, atol=1e-9 * abs(push).max())
