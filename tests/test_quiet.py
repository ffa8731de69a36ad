"""The unbalanced force, and the condition that grains have come to rest."""

import math

import numpy as np
import pytest

import abut
import reference_measures
from scenes_bodies import CUBE

GRAIN = abut.Material(density=2500, young=1e7, poisson=0.25)
STEEL = abut.Material()


def bin_of(*, restitution=0.3, cohesion=None, walls=True, period=None):
    sim = abut.Simulation(step=1e-4, gravity=(0, 0, -9.81), period=period)
    for other in (GRAIN, STEEL):
        damping = {"restitution": restitution, "rolling": 0.1}
        law = abut.Hertz(friction=0.4, cohesion=cohesion, **damping)
        sim.set_law(GRAIN, other, law)
    if walls:
        sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), STEEL)
    return sim


def mixed():
    """Spheres, clusters and bodies on a floor, some of them fixed, and some bonded."""
    sim = bin_of()
    x, y, z = np.mgrid[0:4, 0:3, 0:2].reshape(3, -1) * 0.0198
    places = np.stack([x, y, z + 0.0098], axis=1)
    ids = sim.add_spheres(places[:12], 0.01, GRAIN)
    sim.add_clusters(abut.Cluster([[0, 0, 0], [0, 0.004, 0]], 0.01), places[12:18], GRAIN)
    cube = abut.ConvexShape(CUBE, radius=0.2)
    sim.add_bodies(cube, places[18:], GRAIN, scales=0.0083)
    sim.bond(ids[[[0, 1], [2, 3]]], abut.Bond(young=1e7))
    sim.fixed = np.isin(np.arange(len(sim.ids)), [0, 5, 6, 12, 13])
    sim.bodies.fixed = np.arange(6) == 2
    sim.add_force(lambda s: np.full((len(s.ids), 3), 1e-3))
    return sim


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_unbalanced_force_is_that_of_the_reference():
    sim, found = mixed(), []
    for _ in range(3):
        sim.run(steps=10)
        tables = sim.contacts, sim.pairs, sim.bonds.table, sim.body_contacts, sim.body_pairs
        assert min(map(len, (*tables, sim.body_sphere_pairs))) > 0
        expected = reference_measures.unbalanced_force(sim)
        assert sim.unbalanced_force() == pytest.approx(expected, rel=1e-12)
        found.append(expected)
    assert max(found) > 1.2 * min(found) > 0


def test_unbalanced_force_of_nothing_is_nan():
    sim = bin_of()
    assert math.isnan(sim.unbalanced_force())
    sim.add_spheres([[0, 0, 0.1]], 0.01, GRAIN)
    sim.run(steps=1)
    assert math.isnan(sim.unbalanced_force())
    assert not abut.quiet()(sim)
    sim.centers = [[0, 0, 0.0099]]
    sim.fixed = True
    sim.run(steps=1)
    assert len(sim.contacts) == 1 and math.isnan(sim.unbalanced_force())


def test_what_is_held_does_not_count():
    """A fixed ball that a heavy one presses on the floor changes nothing but one contact less."""
    sims = [bin_of(), bin_of()]
    for sim in sims:
        sim.add_spheres([[0, 0, 0.00999], [0, 0, 0.0298]], 0.01, GRAIN, fixed=[True, False])
    sims[1].add_spheres([[0.1, 0, 0.008], [0.1, 0, 0.024]], 0.01, GRAIN, fixed=True)
    for sim in sims:
        sim.run(steps=1)
    one, two = (sim.unbalanced_force() for sim in sims)
    weight = sims[0].masses[1] * 9.81
    force = sims[0].pairs.force[0, 2]
    assert one == two == pytest.approx(abs(force + weight) / abs(force))
    assert len(sims[0].contacts) == 1


@pytest.mark.parametrize("cohesion", [None, abut.laws.JKR(20.0)])
def test_a_bed_is_quiet_when_it_has_come_to_rest(cohesion):
    sim = bin_of(cohesion=cohesion, period=(0.05, 0.05, None))
    rng = np.random.default_rng(3)
    places = np.mgrid[0:2, 0:2, 0:5].reshape(3, -1).T * 0.025 + 0.012
    places += rng.uniform(-1e-3, 1e-3, places.shape)
    sim.add_spheres(places, rng.uniform(0.009, 0.012, len(places)), GRAIN)
    assert sim.run(5.0, until=abut.quiet(), every=5e-3)
    assert 0.05 < sim.time < 4.0
    energy = sim.energy
    assert (energy.elastic < 0) == (cohesion is not None)
    assert energy.kinetic < 1e-6 * abs(energy.elastic)
    assert sim.unbalanced_force() < 0.01
    below = sim.centers.copy()
    sim.run(0.1)
    assert abs(sim.centers - below).max() < 1e-5


def test_spins_that_nothing_stops_do_not_count():
    """A ball on the floor, between two that hold it, and in the air."""
    sim = bin_of()
    low = 0.01 - 1e-5
    places = [[0, 0, low], [0.1, 0, low], [0.1, 0, 3 * low], [0.1, 0, 5 * low], [0.2, 0, 1]]
    sim.add_spheres(places, 0.01, GRAIN, fixed=[False, True, False, True, False])
    sim.gravity = (0, 0, 0)
    standing = np.zeros((5, 3))
    for row, axis, counts in ((0, 2, False), (0, 1, True), (2, 2, False), (2, 0, True),
                              (4, 0, False)):  # fmt: skip
        sim.velocities = sim.angular_velocities = standing
        sim.angular_velocities = standing + np.eye(5)[:, [row]] * np.eye(3)[axis]
        sim.run(steps=1)
        assert sim.energy.rotational > 1e-6 * sim.energy.elastic
        assert abut.quiet(unbalanced=None, kinetic=1e-2)(sim) is not counts
        sim.centers = places


def test_a_ball_at_its_turning_point_is_not_quiet():
    """It has hardly any kinetic energy there, but its force is not balanced."""
    sim = bin_of(restitution=1.0)
    sim.add_spheres([[0, 0, 0.012]], 0.01, GRAIN)
    energies = sim.record(sim.step, lambda s: (s.energy.kinetic, s.energy.elastic))
    assert not sim.run(0.1, until=abut.quiet(kinetic=0.01))
    kinetic, elastic = energies.values.T
    assert (kinetic < 0.01 * elastic).any()
    assert sim.run(0.1, until=abut.quiet(kinetic=0.01, unbalanced=None))


def test_a_sheared_cell_is_quiet_relative_to_its_field():
    """Without contacts between rows, grains that flow with the cell have no velocity of their own,
    though they have kinetic energy."""
    sim = bin_of(walls=False, period=(0.04, 0.06, 0.02))
    sim.step, sim.gravity = 5e-5, (0, 0, 0)
    # rows along z of grains that touch each other: pairs that bear a force
    places = [[0.01, 0.01, 0.005], [0.01, 0.01, 0.015], [0.03, 0.05, 0.005], [0.03, 0.05, 0.015]]
    sim.add_spheres(places, 0.00501, GRAIN)
    sim.deform_cell([[0, 5.0, 0], [0, 0, 0], [0, 0, 0]])
    sim.run(steps=3)
    assert sim.energy.kinetic > 0.01 * sim.energy.elastic
    assert abut.quiet()(sim)
    sim.velocities = sim.velocities + np.array([[0.1, 0, 0], [0.1, 0, 0], [0, 0, 0], [0, 0, 0]])
    sim.run(steps=1)
    assert not abut.quiet(unbalanced=None)(sim)


def cubic(period=True):
    """A cubic packing at rest in a cell, which presses on all of its 64 grains."""
    sim = bin_of(walls=False, period=(0.08,) * 3 if period else None)
    sim.step, sim.gravity = 1e-5, (0, 0, 0)
    places = 0.02 * (np.argwhere(np.ones((4, 4, 4))) + 0.5)
    sim.add_spheres(places, 0.01005, GRAIN)
    return sim


def test_rattlers_without_gravity_do_not_count():
    """Grains in the holes of a packing fly for ever, or have one contact."""
    sim = cubic()
    holes = 0.02 * np.array([[1, 1, 1], [2, 2, 2], [3, 3, 3]])
    sim.add_spheres(holes, 0.003, GRAIN, velocities=[[1, 0, 0], [0, 1, 0], [0, 0, 1]])
    sim.add_clusters(
        abut.Cluster([[0, 0, 0], [0.002, 0, 0]], 0.002),
        [[0.02, 0.04, 0.06]],
        GRAIN,
        velocities=[0, 0.5, 0],
        angular_velocities=[0, 0, 300],
    )
    # it touches the grain at (0.05, 0.03, 0.03) alone
    one = [0.05, 0.03, 0.03] - 0.01304 / np.sqrt(3) * np.ones(3)
    sim.add_spheres([one], 0.003, GRAIN, velocities=[0.05, 0, 0])
    sim.run(steps=1)
    assert len(sim.pairs) == 3 * 64 + 1
    assert sim.energy.kinetic > 1e-3 * sim.energy.elastic
    assert abut.quiet(unbalanced=None)(sim)
    for force in (sim.add_force, sim.add_body_force):
        handle = force(lambda s: np.zeros((0, 3)))
        assert not abut.quiet(unbalanced=None)(sim)
        handle.remove()
    sim.gravity = (0, 0, -1e-9)
    assert not abut.quiet(unbalanced=None)(sim)


def test_a_gas_is_not_quiet_where_two_grains_touch():
    """Two grains push each other at rest, but 62 others fly."""
    sim = cubic()
    sim.radii = np.full(64, 0.009)
    sim.centers = np.concatenate([[sim.centers[1] + [0, 0, -0.0021]], sim.centers[1:]])
    velocities = np.random.default_rng(1).normal(size=(64, 3))
    velocities[:2] = 0
    sim.velocities = velocities
    sim.run(steps=1)
    assert len(sim.pairs) == 1
    assert not abut.quiet(unbalanced=None)(sim)


def test_a_common_drift_counts_only_with_something_that_stands():
    sim = cubic()
    sim.velocities = np.tile([0.1, 0.2, 0.3], (64, 1))
    sim.run(steps=1)
    assert sim.energy.kinetic > 0.1 * sim.energy.elastic
    assert abut.quiet()(sim)
    branch = sim.copy()
    branch.fixed = np.arange(64) == 3
    branch.run(steps=1)
    assert not abut.quiet(unbalanced=None)(branch)
    corners = np.full((3, 3), 0.02) + 1e-3 * np.eye(3)
    sim.add_wall(abut.Mesh(corners, [[0, 1, 2]]), STEEL)
    sim.run(steps=1)
    assert not len(sim.contacts)
    assert not abut.quiet(unbalanced=None)(sim)


def test_a_spin_of_bonded_grains_and_clusters_counts():
    sim = cubic()
    ids = sim.add_spheres([[0.02, 0.02, 0.018], [0.02, 0.02, 0.022]], 0.002, GRAIN)
    sim.bond([ids], abut.Bond(young=1e7))
    sim.run(steps=1)
    assert abut.quiet(unbalanced=None)(sim)
    sim.angular_velocities = np.concatenate([np.zeros((64, 3)), np.tile([100.0, 0, 0], (2, 1))])
    sim.run(steps=1)
    assert not abut.quiet(unbalanced=None)(sim)


def test_wrong_limits():
    for kinetic, unbalanced, words in (
        (0.0, 0.01, "kinetic is 0.0, but must be positive"),
        (1e-6, -1, "unbalanced is -1.0, but must be positive"),
        (None, None, "kinetic and unbalanced are both None"),
    ):
        with pytest.raises(ValueError, match=words):
            abut.quiet(kinetic, unbalanced)
    with pytest.raises(TypeError, match="kinetic"):
        abut.quiet("1")
    with pytest.raises(TypeError, match=r"give until=abut\.quiet\(\)"):
        bin_of().run(steps=1, until=abut.quiet)  # without parentheses
    assert repr(abut.quiet()) == "quiet(kinetic=1e-06, unbalanced=0.01)"
