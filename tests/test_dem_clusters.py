"""Rigid bodies of spheres: how they turn, and how they bounce."""

import numpy as np
import pytest

import abut
import scenes_dem as scenes
from scenes_dem import GRAVITY

# the third axis of a body with inertia (2, 2, 1) at t = 10
TOP_AXIS = np.array([0.65569594, 0.16071603, 0.73772163])


def top(step):
    """A free body with inertia (2, 2, 1) that turns by (0.6, 0, 3) at first."""
    sim = abut.Simulation(step=step, gravity=(0, 0, 0))
    material = abut.Material(density=1, young=1e7)
    sim.set_law(material, material, abut.Hertz())
    cluster = abut.Cluster([[0, 0, -0.5], [0, 0, 0.5]], 0.1, mass=1.0, inertia=(2, 2, 1))
    sim.add_clusters(cluster, [[0, 0, 0]], material, angular_velocities=[[0.6, 0, 3]])
    return sim


def axis_of_symmetry():
    """By the closed solution: the axis turns about L at |L| / I_1, the body about its axis."""
    momentum = np.array([2 * 0.6, 0, 3.0])
    size = np.linalg.norm(momentum)
    turn = scenes.turn_about(momentum / size, size / 2 * 10)
    return turn @ [0, 0, 1]


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_free_top():
    """The error falls with the square of the step; the angular momentum does not change."""
    np.testing.assert_allclose(axis_of_symmetry(), TOP_AXIS, atol=1e-8)
    errors = []
    for step in (1e-2, 5e-3, 2.5e-3):
        sim = top(step)
        before = sim.clusters.angular_momenta.copy()
        sim.run(10.0)
        np.testing.assert_array_equal(sim.clusters.angular_momenta, before)
        ends = sim.centers[1] - sim.centers[0]
        errors.append(np.linalg.norm(ends / np.linalg.norm(ends) - TOP_AXIS))
    assert (np.array(errors) < [3.4e-4, 8.4e-5, 2.1e-5]).all()
    np.testing.assert_allclose(np.divide(errors[:-1], errors[1:]), 4, rtol=0.02)


# ---- a dumbbell that falls on a floor without friction -------------------------------------------


def bounced(young):
    """Velocity and spin of a dumbbell after it met the floor at 1 m/s, at 30 degrees."""
    material = abut.Material(density=2000, young=young, poisson=0.2)
    # the duration of a contact goes with stiffness to the power -2/5: 600 steps here
    step = 2e-7 * (1e8 / young) ** 0.4
    sim = abut.Simulation(step=step, gravity=(0, 0, 0))
    sim.set_law(material, material, abut.Hertz())
    sim.set_law(material, scenes.rigid(), abut.Hertz())
    sim.add_wall(scenes.quad(), scenes.rigid())
    cluster = abut.Cluster([[-0.0075, 0, 0], [0.0075, 0, 0]], 0.01)
    tilt = np.deg2rad(30)
    quaternion = [0, np.sin(tilt / 2), 0, np.cos(tilt / 2)]
    height = 0.01 + 0.0075 * np.sin(tilt) + 1e-6
    speed = [[0, 0, -1.0]]
    sim.add_clusters(cluster, [[0, 0, height]], material, [quaternion], velocities=speed)
    sim.run(steps=4000)
    assert len(sim.contacts) == 0
    return sim.clusters.velocities[0], sim.angular_velocities[0]


def impulse_limit():
    """The result of a rigid blow: v' and w from the mass and inertia of both spheres' union."""
    cluster = abut.Cluster([[-0.0075, 0, 0], [0.0075, 0, 0]], 0.01)
    mass, across = cluster.mass_for(2000), cluster.inertia_for(2000).max()
    arm = 0.0075 * np.cos(np.deg2rad(30))
    impulse = 2 / (1 / mass + arm**2 / across)
    return impulse / mass - 1, impulse * arm / across


def test_dumbbell_bounces():
    """Without friction, without loss: towards the blow of rigid bodies as they get stiffer."""
    velocity, spin = impulse_limit()
    assert velocity == pytest.approx(0.407375, abs=1e-6)
    assert spin == pytest.approx(91.2406, abs=1e-4)
    soft, stiff = bounced(1e8), bounced(1e10)
    assert soft[0][2] == pytest.approx(0.403801, abs=2e-5)
    assert stiff[0][2] == pytest.approx(0.406801, abs=2e-5)
    assert abs(stiff[1][1]) == pytest.approx(spin, rel=2e-3)
    for moving, turning in (soft, stiff):
        assert np.abs(moving[:2]).max() < 1e-9 and np.abs(turning[[0, 2]]).max() < 1e-6


def test_cluster_falls_as_a_sphere_does():
    """Members carry no forces among themselves, and gravity turns nothing."""
    sim = abut.Simulation(step=1e-4)
    material = scenes.grain()
    sim.set_law(material, material, abut.Hertz(friction=0.5))
    sim.add_clusters(scenes.dumbbell(), [[0, 0, 1]], material, angular_velocities=[[0, 5, 0]])
    sim.run(0.2)
    # v of half a step before: the sum of 2,000 steps
    assert sim.clusters.velocities[0, 2] == pytest.approx(-GRAVITY * 0.2, rel=1e-12)
    np.testing.assert_allclose(sim.angular_velocities, [[0, 5, 0]] * 2, atol=1e-5)
    assert len(sim.pairs) == 0


def test_images_of_members():
    """Where each sphere would be without a period: a cluster that is placed beside the box, or
    crosses its end, takes all of its spheres along."""
    sim = abut.Simulation(step=1e-3, period=(1.0, 1.0, None), gravity=(0, 0, 0))
    dumbbell = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.05)
    sim.add_clusters(dumbbell, [[0.97, 1.5, 0.0]], abut.Material(1000), velocities=(1.0, 0, 0))
    whole = np.array([[0.92, 1.5, 0.0], [1.02, 1.5, 0.0]])
    for _ in range(2):
        shifts = sim.images * [1.0, 1.0, 0.0]
        np.testing.assert_allclose(sim.centers + shifts, whole, atol=1e-12)
        sim.run(steps=50)
        whole = whole + [0.05, 0.0, 0.0]
    assert sim.images.tolist() == [[1, 1, 0], [1, 1, 0]]


def test_cluster_rolls_over_a_period():
    """A dumbbell that rolls across the border of a periodic box moves as in an open box."""
    found = []
    for period in (None, (0.1, None, None)):
        sim = abut.Simulation(step=1e-5, period=period)
        material = scenes.grain()
        law = abut.Hertz(friction=0.5, restitution=0.5)
        sim.set_law(material, material, law)
        sim.set_law(material, scenes.rigid(), law)
        # a floor that ends where the box does
        half = 1.0 if period is None else 0.05
        sim.add_wall(scenes.quad(half, (0.05, 0, 0)), scenes.rigid())
        cluster, place = scenes.dumbbell(), [[0.05, 0, 0.012]]
        # the dumbbell is perpendicular to its motion
        turn = [[0, 0, np.sqrt(0.5), np.sqrt(0.5)]]
        sim.add_clusters(cluster, place, material, turn, velocities=[[0.5, 0, 0]])
        sim.run(0.25)
        found.append((sim.clusters.positions[0], sim.clusters.velocities[0], sim.clusters))
    (there, fast, _), (inside, alike, _) = found
    assert there[0] > 0.1 and 0 <= inside[0] < 0.1
    np.testing.assert_allclose(np.mod(there[0], 0.1), inside[0], atol=1e-9)
    np.testing.assert_allclose(fast, alike, atol=1e-7)
