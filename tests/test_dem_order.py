"""What must not show: threads, to the bit; the order of spheres, where they are stored, and what
happens far away, to rounding."""

import numpy as np
import pytest

import abut
import scenes_dem as scenes

LAW = {"friction": 0.5, "restitution": 0.5, "rolling": 0.05}


def crowd(workers=None, order=None, count=4000, far=None):
    """Spheres that fall on each other and on a wavy floor, enough of them for several threads."""
    rng = np.random.default_rng(11)
    material = scenes.grain()
    sim = abut.Simulation(step=1e-5, period=(0.3, 0.3, None), workers=workers)
    law = abut.Hertz(**LAW)
    sim.set_law(material, material, law)
    sim.set_law(material, scenes.rigid(), law)
    vertices, facets = scenes.grid(12, 12, (0, 0.3), (0, 0.3))
    # a wave that fits the period
    x, y = 2 * np.pi / 0.3 * vertices[:, :2].T
    vertices[:, 2] = 0.001 * np.sin(2 * x) * np.cos(3 * y)
    shake = abut.Oscillating((0, 0, 0.002), 50.0)
    sim.add_wall(abut.Mesh(vertices, facets), scenes.rigid(), motion=shake)
    sim.add_spheres(*bed(rng, count, order), material)
    if far is not None:
        sim.add_spheres(far, 0.004, material)
    return sim


def bed(rng, count, order):
    """Layers of spheres that just overlap, in no order."""
    side = 36
    number = np.arange(count)
    places = np.column_stack([number % side, number // side % side, number // side**2])
    centers = 0.3 / side * (places + 0.5) + rng.uniform(-2e-4, 2e-4, (count, 3))
    centers[:, 2] += 0.0005
    radii = rng.uniform(0.0038, 0.0043, count)
    shuffle = rng.permutation(count)
    order = shuffle if order is None else shuffle[order]
    return centers[order], radii[order]


pytestmark = [pytest.mark.native, pytest.mark.filterwarnings("ignore::abut.SimulationWarning")]

STATE = ("centers", "velocities", "angular_velocities", "forces", "torques")


def state(sim):
    """All that there is, as bytes."""
    columns = [getattr(sim, name) for name in STATE]
    for table in (sim.contacts, sim.pairs):
        columns += [table.force, table.normal, table.overlap]
    columns += [np.array(sim.energy)]
    columns += [np.concatenate([w.force, w.torque, [w.power]]) for w in sim.walls]
    return b"".join(np.ascontiguousarray(column).tobytes() for column in columns)


def test_threads_do_not_show():
    """There are enough spheres to give each thread a share."""
    alone, together = (crowd(workers=count, count=12_000) for count in (1, 3))
    for steps in (10, 50):
        alone.run(steps=steps)
        together.run(steps=steps)
        assert len(alone.pairs) > 1000 and len(alone.contacts) > 100
        assert state(alone) == state(together)


def test_order_of_spheres_does_not_show():
    """Sums are in another order then: the same trajectories to rounding."""
    order = np.random.default_rng(5).permutation(2000)
    first, second = crowd(count=2000), crowd(count=2000, order=order)
    for sim in (first, second):
        sim.run(steps=60)
    for name in STATE:
        ours, theirs = getattr(first, name)[order], getattr(second, name)
        assert np.abs(ours - theirs).max() <= 1e-9 * np.abs(ours).max(), name


def test_what_happens_far_away_does_not_show():
    """Spheres that touch none of those that came, or that went, stay where they are to rounding."""
    far = [[0.15, 0.15, 2 + 0.02 * k] for k in range(50)]
    alone, with_others = crowd(count=1500), crowd(count=1500, far=far)
    late = crowd(count=1500)
    for sim in (alone, with_others, late):
        sim.run(steps=60)
    late.add_spheres(far, 0.004, scenes.grain())
    with_others.remove_spheres(with_others.ids[1500 + np.arange(0, 50, 2)])
    for sim in (alone, with_others, late):
        sim.run(steps=60)
    with_others.remove_spheres(with_others.ids[1500:])
    for sim in (alone, with_others, late):
        sim.run(steps=60)
    for name in STATE:
        expected = getattr(alone, name)
        for sim in (with_others, late):
            ours = getattr(sim, name)[:1500]
            np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def test_removing_in_the_middle_does_not_show_elsewhere():
    """One of two distant heaps is removed; the other continues with its springs."""
    two, one = (heaps(middles) for middles in ([0.0, 4.0], [4.0]))
    for sim in (two, one):
        sim.run(steps=200)
    two.remove_spheres(two.ids[two.centers[:, 0] < 1.5])
    assert len(one.pairs) > 50
    for sim in (two, one):
        sim.run(steps=500)
    for name in STATE:
        ours, expected = getattr(two, name), getattr(one, name)
        np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-9 * np.abs(expected).max())


def heaps(middles):
    """Equal heaps on a floor."""
    material = scenes.grain()
    sim = abut.Simulation(step=1e-5)
    law = abut.Hertz(**LAW)
    sim.set_law(material, material, law)
    sim.set_law(material, scenes.rigid(), law)
    sim.add_wall(scenes.quad(8.0), scenes.rigid())
    for middle in middles:
        rng = np.random.default_rng(2)
        places = np.stack(np.meshgrid(range(5), range(5), range(3)), axis=-1).reshape(-1, 3)
        # powers of two, so that both heaps round alike
        centers = np.round(0.0159 * places * 2**20) / 2**20 + [middle, 0, 0.0079]
        sim.add_spheres(centers, rng.uniform(0.0077, 0.0081, 75), material)
    return sim


# ---- periods -------------------------------------------------------------------------------------


def test_friction_goes_through_the_end_of_the_box():
    """A sphere that slides out of a periodic box and in again keeps its spring: taut all the way,
    on a wall that ends there, too."""
    law = abut.Hertz(friction=0.4, restitution=0.7)
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), period=(0.1, None, None))
    sim.set_law(scenes.grain(), scenes.rigid(), law)
    sim.add_wall(scenes.quad(0.05, (0.05, 0, 0)), scenes.rigid())
    sim.add_spheres([[0.095, 0, 0.0098]], 0.01, scenes.grain())
    ratios = []
    for k in range(1000):
        scenes.lead(sim, [[0.095 + 1e-5 * k, 0, 0.0098]], [[1, 0, 0]])
        push = sim.contacts.force.sum(axis=0)
        ratios.append(-push[0] / push[2])
    np.testing.assert_allclose(ratios[200:], 0.4, rtol=1e-9)


def test_pairs_go_through_the_end_of_the_box():
    """A chain of spheres moves through the box: its inner state is that of one that rests."""
    found = []
    for velocity in (0.0, 10.0):
        sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), period=(0.128, None, None))
        material = scenes.grain()
        sim.set_law(material, material, abut.Hertz(friction=0.5, restitution=0.5, rolling=0.1))
        centers = [[0.016 * k, 1e-4 * (-1) ** k, 0] for k in range(8)]
        spins = [[0, 0, 20.0 * (-1) ** k] for k in range(8)]
        sim.add_spheres(centers, 0.0081, material, [[velocity, 0, 0]] * 8, spins)
        sim.run(0.02)
        relative = sim.velocities - [velocity, 0, 0]
        found.append((relative, sim.angular_velocities, sim.forces))
        assert len(sim.pairs) == 8
    for still, moving in zip(*found, strict=True):
        np.testing.assert_allclose(moving, still, atol=1e-7 * max(1, np.abs(still).max()))


def test_torque_of_a_wall_that_is_touched_as_an_image():
    """Forces on a wall act where the wall is, whichever image a sphere touches."""
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), period=(1.0, None, None))
    sim.set_law(scenes.grain(), scenes.rigid(), abut.Hertz())
    wall = sim.add_wall(scenes.quad(0.1, (0.05, 0, 0)), scenes.rigid())
    # the plate reaches from -0.05 to 0.15; the sphere at 0.98 touches it at -0.02
    sim.add_spheres([[0.98, 0, 0.0099]], 0.01, scenes.grain())
    sim.run(steps=1)
    push = wall.force[2]
    assert push < 0 and sim.contacts.image.tolist() == [[1, 0, 0]]
    np.testing.assert_allclose(wall.torque, [0, 0.02 * push, 0], rtol=1e-9, atol=1e-15)
    vertices = wall.mesh.vertices
    moment = np.cross(vertices, wall.nodal_forces).sum(axis=0)
    np.testing.assert_allclose(moment, wall.torque, rtol=1e-9, atol=1e-15)
