"""Spheres, clusters, bodies, bonds and walls of a simulation have one protocol."""

import numpy as np
import pytest

import abut
from scenes_simulation import state

GRAIN = abut.Material(density=1000)
ROD = abut.Cluster([[0, 0, 0], [0.15, 0, 0]], 0.1)
TETRA = abut.ConvexShape([[0, 0, 0], [0.2, 0, 0], [0, 0.2, 0], [0, 0, 0.2]])
PLATE = abut.Mesh([[-9, -9, 5], [9, -9, 5], [9, 9, 5], [-9, 9, 5]], [[0, 3, 2, 1]])


def scene():
    """Two of each, which touch a floor, and a plate that is free above them."""
    sim = abut.Simulation(step=1e-4, gravity=(0, 0, 0))
    sim.set_law(GRAIN, GRAIN, abut.Linear(1e4))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), GRAIN)
    sim.add_wall(PLATE, GRAIN, motion=abut.Free(mass=2.0))
    sim.add_spheres([[0.19 * k, 0, 0.099] for k in range(3)], 0.1, GRAIN)
    sim.add_clusters(ROD, [[0, 2, 0.099], [1, 2, 0.099]], GRAIN)
    sim.add_bodies(TETRA, [[0, 4, -0.001], [1, 4, -0.001]], GRAIN)
    sim.bond([[0, 1], [1, 2]], abut.Bond(young=1e5))
    sim.run(steps=1)
    return sim


COUNTS = {"spheres": 7, "clusters": 2, "bodies": 2, "bonds": 2, "walls": 2}
POPULATIONS = sorted(COUNTS)

# a column that is assigned, and one that is not
ASSIGNED = {
    "spheres": ("radii", "forces"),
    "clusters": ("velocities", "masses"),
    "bodies": ("velocities", "masses"),
    "bonds": ("tensile_strength", "force"),
    "walls": ("active", "force"),
}

NEW = {
    "spheres": lambda p: p.add([[5, 5, 1]], 0.1, GRAIN),
    "clusters": lambda p: p.add(ROD, [[5, 5, 1]], GRAIN),
    "bodies": lambda p: p.add(TETRA, [[5, 5, 1]], GRAIN),
    "bonds": lambda p: p.add([[0, 2]], abut.Bond(young=1e5)),
    "walls": lambda p: p.add(abut.HalfSpace((0, 0, -1), (0, 0, 1)), GRAIN),
}


@pytest.mark.parametrize("name", POPULATIONS)
def test_columns_are_read(name):
    population = getattr(scene(), name)
    assert len(population) == len(population.numbers) == COUNTS[name]
    for column in population.to_dict().values():
        assert len(column) == COUNTS[name]
    with pytest.raises(ValueError, match="read-only"):
        getattr(population, ASSIGNED[name][0])[0] = 0
    assert name[:4] in repr(population).lower()


@pytest.mark.parametrize("name", POPULATIONS)
def test_columns_are_assigned(name):
    sim = scene()
    population, (column, made) = getattr(sim, name), ASSIGNED[name]
    new = np.zeros_like(getattr(population, column)) + (name != "walls")
    setattr(population, column, new)
    np.testing.assert_array_equal(getattr(population, column), new)
    population.assign(**{column: new})
    before = state(sim)
    for call, error, text in (
        (lambda: setattr(population, column, new[1:]), ValueError, f"{column} has shape"),
        (lambda: setattr(population, column, ["x"] * len(new)), TypeError, column),
        (lambda: population.assign(**{column: new, "colour": new}), AttributeError, "'colour'"),
    ):
        with pytest.raises(error, match=text):
            call()
    with pytest.raises(AttributeError):
        setattr(population, made, getattr(population, made))
    with pytest.raises(AttributeError):
        population.velocitys = new
    assert state(sim) == before


@pytest.mark.parametrize("name", ["spheres", "clusters", "bodies", "bonds"])
def test_the_first_wrong_number_is_named(name):
    sim = scene()
    population, column = getattr(sim, name), ASSIGNED[name][0]
    new = np.array(getattr(population, column), float)
    new[1:] = np.nan
    before = state(sim)
    with pytest.raises(ValueError, match=r"\b1\b.*nan|nan.*\b1\b"):
        setattr(population, column, new)
    assert state(sim) == before


@pytest.mark.parametrize("name", POPULATIONS)
def test_they_come_and_go(name):
    sim = scene()
    population = getattr(sim, name)
    NEW[name](population)
    assert len(population) == COUNTS[name] + 1
    if name in ("bodies", "walls"):
        population.remove(population.numbers[:1])
    elif name == "bonds":
        population.remove([1])
    else:
        population.remove(population.numbers[:1], break_bonds=True)
    assert len(population) == COUNTS[name]
    with pytest.raises(ValueError, match=r"there is no .* 99"):
        population.remove([99])
    with pytest.raises(TypeError, match="mask"):
        population.remove([True])
    sim.run(steps=2)


@pytest.mark.parametrize("name", ["spheres", "clusters", "bodies", "walls"])
def test_they_are_held(name):
    sim = scene()
    population = getattr(sim, name)
    population.fixed = True
    assert population.fixed.all() and population.fixed.dtype == bool
    with pytest.raises(ValueError, match="fixed has shape"):
        population.fixed = [True] * 9
    with pytest.raises(TypeError, match="fixed has dtype"):
        population.fixed = [1] * COUNTS[name]
    if name == "walls":
        with pytest.raises(ValueError, match=r"wall 0 stands still: assign sim.walls\[0\].motion"):
            population.fixed = False
    else:
        with pytest.raises(ValueError, match="is fixed and cannot move"):
            population.velocities = np.ones((COUNTS[name], 3))
        population.fixed = False
        assert not population.fixed.any()


def test_bonds_are_held_by_their_spheres():
    sim = scene()
    assert not sim.bonds.fixed.any()
    sim.fixed = sim.ids < 2
    assert sim.bonds.fixed.tolist() == [True, False]
    with pytest.raises(AttributeError):
        sim.bonds.fixed = True


def test_clusters_are_held_with_their_members():
    sim = scene()
    sim.clusters.fixed = [False, True]
    assert sim.fixed.tolist() == [False] * 5 + [True] * 2


@pytest.mark.parametrize("name", POPULATIONS)
def test_they_are_pushed(name):
    """The push is so strong that contacts do not matter."""
    sim = scene()
    population = getattr(sim, name)
    push = np.zeros((COUNTS[name], 3))
    push[1] = [0, 1e3, 0]
    handle = population.add_force(lambda s: push)
    assert repr(handle).startswith("Handle(")
    sim.run(steps=10)
    if name == "bonds":
        assert sim.velocities[1, 1] > 0.01 and sim.velocities[2, 1] < -0.01
    elif name == "walls":
        assert sim.walls.twist[1, 1] > 0.1 and not sim.walls.twist[0].any()
    else:
        assert population.velocities[1, 1] > 0.01 and abs(population.velocities[0, 1]) < 0.01
    handle.remove()
    with pytest.raises(TypeError, match="must be a callable"):
        population.add_force(3)
    population.add_force(lambda s: push[1:])
    with pytest.raises(ValueError, match=r"the force array of .* has shape"):
        sim.run(steps=1)


def test_forces_on_clusters_act_on_their_centers_of_mass():
    """Such a force acts like forces on all members, up to rounding; torques turn the cluster."""
    pushed, whole = scene(), scene()
    pushed.clusters.add_force(lambda s: ([[3, 1, 2]] * 2, [[0, 0, 0.1]] * 2))
    half = np.repeat([[1.5, 0.5, 1]], 7, axis=0) * (np.arange(7) >= 3)[:, None]
    whole.add_force(lambda s: (half, np.array([[0, 0, 0.05]]) * (half > 0)[:, :1]))
    for sim in (pushed, whole):
        sim.run(steps=20)
    for column in ("positions", "velocities", "angular_velocities"):
        one, other = (getattr(sim.clusters, column) for sim in (pushed, whole))
        np.testing.assert_allclose(one, other, atol=1e-12)
        assert np.abs(one).max() > 1e-6


def test_walls_that_are_not_free_take_no_force():
    sim = scene()
    sim.walls.add_force(lambda s: np.ones((2, 3)))
    with pytest.raises(ValueError, match="wall 0 is not Free"):
        sim.run(steps=1)


@pytest.mark.parametrize("name", POPULATIONS)
def test_what_they_touch(name):
    sim = scene()
    found = getattr(sim, name).contacts
    counts = {"spheres": 7, "clusters": 4, "bodies": 2, "bonds": 2, "walls": 7}
    assert len(found) == counts[name]
    if name == "clusters":
        assert (found.sphere >= 3).all()


def test_bonds_that_go_leave_no_breakage():
    """What they held is dissipated, and spheres rest by what they overlapped when they were
    bonded."""
    sim = scene()
    sim.velocities = np.eye(7, 3)
    sim.run(steps=50)
    before = sim.energy
    sim.bonds.remove([0])
    after = sim.energy
    assert len(sim.breakages) == 0 and before.elastic > after.elastic
    np.testing.assert_allclose(sum(after), sum(before), rtol=1e-12)
    sim.run(steps=1)
    np.testing.assert_allclose(sum(sim.energy), sum(before), atol=1e-3 * before.kinetic)


def test_what_assigned_whole_tuples_still_does():
    sim = scene()
    with pytest.warns(DeprecationWarning, match=r"use sim.bodies.assign\(...\)"):
        sim.bodies = sim.bodies._replace(velocities=np.ones((2, 3)))
    with pytest.warns(DeprecationWarning, match=r"use sim.clusters.assign\(...\)"):
        sim.clusters = sim.clusters._replace(velocities=np.ones((2, 3)))
    assert (sim.bodies.velocities == 1).all() and (sim.clusters.velocities == 1).all()


def test_short_forms_read_as_methods():
    """Signature, docstring and name in errors are those of a method of the simulation."""
    assert abut.Simulation.add_spheres.__qualname__ == "Simulation.add_spheres"
    assert abut.Simulation.add_spheres.__name__ == "add_spheres"
    assert abut.Simulation.add_spheres.__doc__.startswith("Add spheres.")
    with pytest.raises(TypeError, match=r"Simulation.add_bodies\(\) missing"):
        scene().add_bodies()
    with pytest.raises(TypeError, match=r"BodyPopulation.add\(\) missing"):
        scene().bodies.add()
