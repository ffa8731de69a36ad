"""Images of grains, which are counted anew from where 0 is assigned."""

import numpy as np
import pytest

import abut
from scenes_bodies import CUBE

pytestmark = pytest.mark.filterwarnings("ignore::abut.SimulationWarning")

GRAIN = abut.Material(density=2500, young=1e7, poisson=0.25)
BOX = np.array([0.5, 0.6, 0.4])
POPULATIONS = ("spheres", "clusters", "bodies")


def drifting(rate=0.0):
    """Spheres, dumbbells and cubes that cross the borders, with bonds that hold and that break."""
    rng = np.random.default_rng(4)
    sim = abut.Simulation(step=1e-5, gravity=(50, 3, -9.81), period=tuple(BOX))
    sim.set_law(GRAIN, GRAIN, abut.Hertz(friction=0.4, restitution=0.5))
    places = 0.1 * (np.mgrid[0:5, 0:6, 0:4].reshape(3, -1).T + 0.5)
    rng.shuffle(places)
    places += rng.uniform(-0.004, 0.004, places.shape)
    velocities = rng.normal(size=places.shape) + [300, -200, 100]
    ids = sim.add_spheres(places[:80], 0.052, GRAIN, velocities[:80])
    dumbbell = abut.Cluster([[0, 0, 0], [0.03, 0, 0]], [0.04, 0.03])
    sim.add_clusters(dumbbell, places[80:100], GRAIN, velocities=velocities[80:100])
    cube = abut.ConvexShape(CUBE, radius=0.2)
    sim.add_bodies(cube, places[100:], GRAIN, scales=0.036, velocities=velocities[100:])
    pairs = abut.find_pairs(places[:80], 0.052, period=tuple(BOX))
    chosen = np.stack([ids[pairs.i], ids[pairs.j]], axis=1)
    sim.bond(chosen[::2], abut.Bond(young=1e6))
    sim.bond(chosen[1::2], abut.Bond(young=1e6), 1.0, 1.0)  # these break at once
    if rate:
        sim.deform_cell([[0, rate, 0], [0, 0, 0], [0, 0, -rate]])
    return sim


def unwrapped(sim, name):
    population = getattr(sim, name)
    places = population.centers if name == "spheres" else population.positions
    return places + population.images @ sim.cell


def moving(sim):
    """What does not depend on where images count from, as bytes."""
    columns = [getattr(sim, name) for name in ("centers", "velocities", "forces", "torques")]
    for name in POPULATIONS[1:]:
        population = getattr(sim, name)
        columns += [population.positions, population.orientations, population.velocities]
    for table in (sim.pairs, sim.bonds, sim.breakages, sim.body_pairs, sim.body_sphere_pairs):
        columns += table.to_dict().values()
    return b"".join(np.ascontiguousarray(column).tobytes() for column in columns)


@pytest.mark.parametrize("rate", [0.0, 20.0])
def test_nothing_moves_when_images_are_counted_anew(rate, tmp_path):
    sim = drifting(rate)
    sim.run(steps=300)
    assert len(sim.breakages) > 0 and len(sim.bonds) > 0
    for name in POPULATIONS:
        assert (np.ptp(getattr(sim, name).images, axis=0) > 0).any()
    twin, before = sim.copy(), sim.energy
    sim.images = 0
    assert not sim.images.any() and not sim.clusters.images.any() and sim.bodies.images.any()
    sim.bodies.images = 0
    assert not sim.bodies.images.any()
    np.testing.assert_allclose(sim.energy, before, rtol=1e-9)
    assert moving(sim) == moving(twin)
    starts = [unwrapped(one, name) for one in (sim, twin) for name in POPULATIONS]
    sim.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz")
    for one in (sim, twin, again):
        one.run(steps=200)
    assert moving(sim) == moving(twin) == moving(again)
    assert sim.images.any() and (sim.images != twin.images).any()
    np.testing.assert_allclose(sum(sim.energy), sum(twin.energy), rtol=1e-9)
    np.testing.assert_allclose(sim.energy, twin.energy, rtol=1e-7)
    if not rate:
        ends = [unwrapped(one, name) for one in (sim, twin) for name in POPULATIONS]
        ways = [end - start for start, end in zip(starts, ends, strict=True)]
        for k in range(3):
            np.testing.assert_allclose(ways[k], ways[k + 3], atol=1e-12)
            assert abs(ways[k]).min() > 0.1


def test_images_of_clusters_are_those_of_their_members():
    sim = drifting()
    sim.run(steps=300)
    members = sim.spheres.cluster >= 0
    singles = sim.images[~members]
    sim.clusters.images = 0
    assert not sim.images[members].any() and not sim.clusters.images.any()
    np.testing.assert_array_equal(sim.images[~members], singles)


def test_images_before_the_first_step():
    sim = abut.Simulation(step=1e-3, period=(1, 1, 1))
    sim.add_spheres([[0.5, 0.5, -1.5]], 0.1, GRAIN)
    assert sim.images.tolist() == [[0, 0, -2]]
    sim.images = 0
    assert sim.images.tolist() == [[0, 0, 0]]
    sim.run(steps=1)
    assert sim.energy.gravitational == pytest.approx(9.81 * sim.masses[0] * 0.5)


def test_nothing_but_0_can_be_assigned():
    sim = drifting()
    for wrong in (1, np.zeros((len(sim.ids), 3), int), None, "0"):
        with pytest.raises(ValueError, match="images can be assigned 0, which counts anew"):
            sim.images = wrong
    with pytest.raises(AttributeError, match="images of bodies cannot be assigned with other"):
        sim.bodies.assign(images=0)
