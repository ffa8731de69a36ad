"""Luding's law (2008) against its published lines, followed by hand, and against the reference."""

from itertools import pairwise

import numpy as np
import pytest

import abut
import reference_dem
import scenes_dem as scenes
from abut.laws.evaluation import BuiltIn, Contacts, evaluate
from test_dem_reference import compare

GRAIN, WALL = abut.Material(2500), abut.Material()
K1, K2, KC, DEPTH = 1e4, 5e4, 2e4, 0.02
RADIUS = 1e-3
LAW = abut.laws.Luding(K1, K2, tensile=KC, depth=DEPTH)

# delta*_max, from which on nothing yields any more, of a sphere on a wall
LIMIT = K2 / (K2 - K1) * DEPTH * 2 * RADIUS


class Path:
    """The paper's three lines, and where a contact is on which."""

    def __init__(self):
        self.most = 0.0

    def force(self, overlap):
        if overlap <= 0:
            self.most = 0.0
            return 0.0
        self.most = min(max(self.most, overlap), LIMIT)
        k = K1 + (K2 - K1) * self.most / LIMIT
        rest = (1 - K1 / k) * self.most
        if k * (overlap - rest) >= K1 * overlap and overlap <= LIMIT:
            return K1 * overlap  # it yields
        if k * (overlap - rest) > -KC * overlap:
            return k * (overlap - rest)  # it springs back
        self.most = self.fallen(overlap)
        return -KC * overlap  # it sticks, and does not come back on this line

    def fallen(self, overlap):
        """The largest overlap with a line of unloading that ends at this overlap, by bisection."""
        low, high = overlap, self.most
        for _ in range(100):
            middle = (low + high) / 2
            k = K1 + (K2 - K1) * middle / LIMIT
            sticks = k * (overlap - (1 - K1 / k) * middle) < -KC * overlap
            low, high = (low, middle) if sticks else (middle, high)
        return high


def follow(overlaps, law=LAW):
    """Pushes, stored energies and largest overlaps along a path, by the library."""
    contacts = Contacts(1, 1e-6, radius=RADIUS, mass=1e-5, inertia=1.0, is_new=1.0)
    known = BuiltIn("", law.numbers(GRAIN, WALL), RADIUS)
    history, said = None, []
    for overlap in overlaps:
        contacts.set(overlap=overlap)
        answer = evaluate(known, contacts, history)
        said.append((answer.push[0], answer.stored[0], answer.history[-1, 0]))
        contacts.set(is_new=0.0)
        history = answer.history
    return np.array(said).T


def legs(*ends, count=40):
    """Overlaps from one end to the next one, by LIMIT."""
    steps = [np.linspace(a, b, count) for a, b in pairwise(ends)]
    return LIMIT * np.concatenate(steps)


def test_a_path_of_loading_unloading_reloading_and_parting():
    """The path also leaves the pulling branch and enters it again."""
    overlaps = legs(0.01, 0.6, 0.4, 0.8, 0.1, 0.35, 0.05, 0.9, 1e-9)
    pushes, _, most = follow(overlaps)
    path, wanted, kept = Path(), [], []
    for overlap in overlaps:
        wanted.append(path.force(overlap))
        kept.append(path.most)
    np.testing.assert_allclose(pushes, wanted, rtol=0, atol=1e-12 * K1 * LIMIT)
    np.testing.assert_allclose(most, kept, rtol=0, atol=1e-12 * LIMIT)
    assert (np.array(wanted) < 0).any() and max(wanted) == pytest.approx(K1 * 0.9 * LIMIT)


def test_the_branch_that_pulls_is_irreversible():
    """A new loading follows a line of unloading with force 0 at a smaller overlap."""
    parted, again = 0.05 * LIMIT, 0.06 * LIMIT
    pushes, stored, most = follow([0.8 * LIMIT, parted, again])
    assert pushes[1] == pytest.approx(-KC * parted) and pushes[2] > -KC * parted
    assert parted < most[1] == most[2] < 0.8 * LIMIT
    k = K1 + (K2 - K1) * most[1] / LIMIT
    assert pushes[2] - pushes[1] == pytest.approx(k * (again - parted))
    np.testing.assert_allclose(stored[1:], pushes[1:] ** 2 / (2 * k))


def test_the_greatest_pull():
    """The largest pull is at delta_min, where the lines of unloading and of pull meet."""
    deepest = 0.7 * LIMIT
    k = K1 + (K2 - K1) * 0.7
    least = (k - K1) / (k + KC) * deepest
    pushes, *_ = follow([deepest, 1.1 * least, least, 0.9 * least])
    np.testing.assert_allclose(pushes[1:], [k * 1.1 * least - (k - K1) * deepest, *pushes[2:]])
    np.testing.assert_allclose(pushes[2:], [-KC * least, -0.9 * KC * least])


def test_beyond_the_limit_nothing_yields():
    """Loading and unloading follow one line of the slope k_2."""
    overlaps = LIMIT * np.array([1.5, 2.0, 1.5, 1.0])
    pushes, stored, most = follow(overlaps)
    np.testing.assert_allclose(pushes, K1 * LIMIT + K2 * (overlaps - LIMIT))
    np.testing.assert_allclose(stored[0], stored[2])
    np.testing.assert_allclose(most, LIMIT)


def test_stored_energy_is_what_springs_back():
    """Along a line of unloading it changes by the work; where two are pulled apart it falls, and is
    0 where they part."""
    overlaps = legs(0.8, 0.0, count=4000)
    pushes, stored, most = follow(overlaps)
    springs = most == most[0]
    work = -0.5 * (pushes[1:] + pushes[:-1]) * np.diff(overlaps)
    gained = stored[0] - stored[1:] - work.cumsum()
    np.testing.assert_allclose(gained[springs[1:]], 0.0, atol=1e-6 * K1 * LIMIT**2)
    assert 0.1 < springs.mean() < 0.9 and (np.diff(stored[~springs]) < 0).all()
    assert stored[-1] == pytest.approx(0.0, abs=1e-20)


def test_no_pull_and_no_dent_without_their_numbers():
    """Without k_c a contact never pulls; a new contact has no plastic overlap."""
    law = abut.laws.Luding(K1, K2, depth=DEPTH)
    assert (follow(legs(0.0, 0.9, 0.0), law)[0] >= 0).all()
    pushes, *_ = follow([0.5 * LIMIT])
    assert pushes[0] == pytest.approx(K1 * 0.5 * LIMIT)


@pytest.mark.parametrize("law", [LAW, abut.laws.Luding(K1, K2, restitution=0.8, depth=DEPTH)])
def test_what_yields_counts_as_dissipated(law):
    """A sphere hits a wall and returns: energies add up at each step, and the dissipated energy
    never decreases. Without a damper it is the area of the loop."""
    sim = abut.Simulation(step=5e-7, gravity=(0, 0, 0))
    sim.set_law(GRAIN, WALL, law)
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), WALL)
    sim.add_spheres([[0, 0, RADIUS]], RADIUS, GRAIN, [[0, 0, -0.4]])
    begin, energies, deepest = sim.energy, [], 0.0
    while sim.time == 0.0 or len(sim.contacts):
        sim.run(steps=1)
        energies.append(sim.energy)
        deepest = max(deepest, sim.contacts.overlap.max(initial=0.0))
    total = [e.kinetic + e.elastic + e.dissipated for e in energies]
    np.testing.assert_allclose(total, begin.kinetic, rtol=1e-4)
    gone = np.array([e.dissipated for e in energies])
    assert (np.diff(gone) > -1e-4 * begin.kinetic).all() and energies[-1].elastic == 0.0
    if law is LAW:
        _, stored, _ = follow([deepest], law)
        k = K1 + (K2 - K1) * deepest / LIMIT
        rest = (1 - K1 / k) * deepest
        pulled = 0.5 * KC * k * rest / (k + KC) * rest
        area = K1 * deepest**2 / 2 - stored[0] + pulled
        assert gone[-1] == pytest.approx(area, rel=1e-3) and 0.2 < area / begin.kinetic < 1.0


def sticky_cloud(make, resolution):
    law = abut.laws.Luding(1e4, 4e4, 2e4, 0.02, friction=0.5, restitution=0.6, rolling=0.1)
    sim = make(step=4e-6, resolution=resolution)
    sim.set_law(GRAIN, GRAIN, law)
    sim.set_law(GRAIN, WALL, law)
    sim.add_wall(scenes.quad(0.05), WALL)
    rng = np.random.default_rng(3)
    places = 0.0061 * np.stack(np.meshgrid(*[np.arange(3)] * 3), axis=-1).reshape(-1, 3)
    velocities = 60 * (places.mean(axis=0) - places) + rng.normal(0, 0.2, (27, 3))
    sim.add_spheres(places + [0, 0, 0.003], 0.003, GRAIN, velocities)
    return sim


@pytest.mark.parametrize("resolution", ["hierarchy", pytest.param("sharing", marks=pytest.mark.ci)])
def test_as_the_reference(resolution):
    """Also energies, while some push and others pull."""
    sim, truth = (
        sticky_cloud(make, resolution) for make in (abut.Simulation, reference_dem.Simulation)
    )
    pulls = pushes = 0
    for _ in range(8):
        sim.run(steps=20)
        truth.run(steps=20)
        compare(sim, truth)
        along = (sim.pairs.force * sim.pairs.normal).sum(axis=1)
        pulls, pushes = pulls + (along < 0).sum(), pushes + (along > 0).sum()
    assert pulls > 5 and pushes > 5


def test_a_restart_keeps_the_dent(tmp_path):
    """A file has the largest overlaps; those of another law are none of this one."""
    sim = sticky_cloud(abut.Simulation, "hierarchy")
    sim.run(steps=100)
    sim.save(tmp_path / "saved.npz")
    other = abut.load_simulation(tmp_path / "saved.npz", meshes=[wall.mesh for wall in sim.walls])
    for one in (sim, other):
        one.run(steps=60)
    assert (sim.centers == other.centers).all() and sim.energy == other.energy
    sim.set_law(GRAIN, GRAIN, abut.Linear(1e4))
    sim.run(steps=1)
    sim.set_law(GRAIN, GRAIN, LAW)
    sim.run(steps=1)
    along, overlaps = (sim.pairs.force * sim.pairs.normal).sum(axis=1), sim.pairs.overlap
    yields = overlaps < K2 / (K2 - K1) * DEPTH * 0.003
    np.testing.assert_allclose(along[yields], K1 * overlaps[yields], rtol=1e-9)
    assert yields.sum() > 10


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"loading": 0}, "loading is 0.0, but must be positive"),
        ({"unloading": K1}, "unloading is 10000.0, but must be above loading, 10000.0"),
        ({"tensile": -1}, "tensile is -1.0"),
        ({"depth": 0}, "depth is 0.0, but must be positive"),
        ({"depth": 1.5}, "depth is 1.5, but must be at most 1"),
    ],
)
def test_bad_numbers(options, said):
    with pytest.raises(ValueError, match=said):
        abut.laws.Luding(**{"loading": K1, "unloading": K2} | options)
