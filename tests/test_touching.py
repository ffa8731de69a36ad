"""Which new spheres would touch a particle or a wall: the library against slow Python."""

import numpy as np
import pytest

import abut
from abut.simulation.events import touching
from scenes_simulation import GRAIN

CORNERS = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
CUBE = abut.ConvexShape(0.5 * np.array(CORNERS))


def touching_one_by_one(sim, centers, radii):
    """Each new sphere is compared with each particle and each wall."""
    return np.array([touches_any(sim, c[None], r) for c, r in zip(centers, radii, strict=True)])


def touches_any(sim, center, radius):
    reaches = np.array([shape.circumradius for shape in sim.shapes])[sim.bodies.shape]
    bodies = sim.bodies.centers, reaches * sim.bodies.scales
    for others in ((sim.centers, sim.radii), bodies):
        if len(abut.find_pairs(center, radius, others=others, period=sim.period)):
            return True
    on = [wall for wall in sim.walls if wall.active]
    return any(len(contacts_with(sim, wall, center, radius)) for wall in on)


def contacts_with(sim, wall, center, radius):
    # the wall is where it begins its next step
    poses = sim._walls.state_now(wall.number).pose[None]
    period = sim.period if isinstance(wall.mesh, abut.Mesh) else None
    return abut.find_contacts(center, radius, [wall.mesh], poses=poses, period=period)


def falling(period=None):
    """Spheres of many sizes, two cubes and a cluster in a cell of 4."""
    sim = abut.Simulation(1e-4, period=period)
    for other in (GRAIN, abut.Material()):
        sim.set_law(GRAIN, other, abut.Linear(1e4))
    rng = np.random.default_rng(1)
    sim.add_spheres(4 * rng.random((30, 3)), 0.05 + 0.3 * rng.random(30), GRAIN)
    sim.add_bodies(CUBE, [[1, 1, 1], [3, 3, 3.5]], GRAIN, scales=[0.5, 1.0])
    dumbbell = abut.Cluster([[0, 0, 0], [0.4, 0, 0]], 0.25)
    sim.add_clusters(dumbbell, [[2, 2, 2]], GRAIN)
    return sim


def among_walls():
    """A plate that moves, one that is off, a floor, and a half space that moves."""
    sim = falling()
    lift = abut.Translating((0, 0, 50.0))
    sim.add_wall(plate(0.0), abut.Material(), motion=lift)
    sim.add_wall(plate(2.0), abut.Material()).active = False
    sim.add_wall(abut.HalfSpace((0, 0, -1), (0, 0, 1)), abut.Material())
    sim.add_wall(abut.HalfSpace((0, 0, 3.9), (0, 0, -1)), abut.Material(), motion=lift)
    return sim


def plate(z):
    corners = [[0, 0, z], [4, 0, z], [4, 4, z], [0, 4, z]]
    return abut.Mesh(corners, [[0, 1, 2], [0, 2, 3]])


def in_a_tilted_cell():
    return falling(period=[[4, 0, 0], [1, 4, 0], [0, 0, 4]])


@pytest.mark.parametrize(
    "make",
    [
        falling,
        among_walls,
        lambda: falling((4.0, None, 4.0)),
        lambda: falling((2.5, 4.0, None)),
        in_a_tilted_cell,
    ],
    ids=["open", "walls", "two_periods", "narrow", "tilted"],
)
@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_each_new_sphere_as_slow_python_finds_it(make):
    sim = make()
    rng = np.random.default_rng(2)
    for count in (1, 1, 40):
        sim.run(steps=2)
        centers, radii = 5 * rng.random((count, 3)) - 0.5, 0.02 + 0.2 * rng.random(count)
        found = touching(sim, centers, radii)
        assert found.dtype == bool and found.shape == (count,)
        assert found.tolist() == touching_one_by_one(sim, centers, radii).tolist()
    assert 0 < found.sum() < count


def test_spheres_that_just_touch():
    sim = abut.Simulation(1e-4)
    sim.add_spheres([[0, 0, 0]], 0.5, GRAIN)
    sim.add_wall(abut.HalfSpace((0, 0, -4), (0, 0, 1)), abut.Material())
    sim.add_wall(plate(8.0), abut.Material())
    just = np.array([[1, 0, 0], [0, 0, -3.5], [1, 1, 8.5]], float)
    away = [[2.0**-40, 0, 0], [0, 0, 2.0**-40], [0, 0, 2.0**-40]]
    assert touching(sim, just, np.full(3, 0.5)).all()
    assert not touching(sim, just + away, np.full(3, 0.5)).any()


def test_nothing_and_no_new_sphere():
    sim = abut.Simulation(1e-4)
    assert not touching(sim, np.zeros((2, 3)), np.ones(2)).any()
    assert len(touching(sim, np.empty((0, 3)), np.empty(0))) == 0


def test_bad_spheres_are_errors():
    sim = falling()
    with pytest.raises(ValueError, match="radii"):
        touching(sim, sim.centers[:1].copy(), np.array([1e-80]))
    with pytest.raises(ValueError, match="centers"):
        touching(sim, np.zeros((2, 3)), np.ones(1))


@pytest.mark.parametrize("velocity", [None, [[-1, -1, -2], [1, 1, -1]]])
def test_one_sphere_alone_comes_as_among_others(velocity):
    """The short way for one sphere returns what the general way returns."""
    box = [[0.0, 1.0, 2.0], [1.0, 1.5, 3.0]]
    feed = abut.Insertion(box, (0.05, 0.25), 1.0, GRAIN, velocity=velocity)
    short, general = feed.begin(), feed.begin()
    object.__setattr__(other := abut.Insertion(**vars_of(feed)), "_is_simple", False)

    def near(centers, radii):
        return (centers[:, 0] < 0.5) & (radii > 0.1)

    arrived = 0
    for time in np.arange(1, 60):
        one, two = feed.arrive(short, time, near), other.arrive(general, time, near)
        assert short.to_dict() == general.to_dict() and len(one) == len(two)
        for a, b in zip(one, two, strict=True):
            for left, right in zip(a, b, strict=True):
                np.testing.assert_array_equal(left, right)
            arrived += len(a.sizes)
    assert 10 < arrived < 60 and arrived == short.inserted


def vars_of(feed):
    names = ("box", "radii", "rate", "material", "velocity")
    return {name: getattr(feed, name) for name in names}
