"""Rates, loads, speeds and gravity that are assigned during a run, in callables of `every`."""

import numpy as np
import pytest

import abut
from scenes_simulation import state

GRAIN = abut.Material(density=2500, young=1e7, poisson=0.25)
STEEL = abut.Material()
SIDE = 0.04


def box(**options):
    """Eight grains between six planes, or in a cell."""
    sim = abut.Simulation(step=1e-4, gravity=(0, 0, 0), **options)
    for other in (GRAIN, STEEL):
        sim.set_law(GRAIN, other, abut.Hertz(friction=0.3, restitution=0.3))
    places = 0.02 * (np.argwhere(np.ones((2, 2, 2))) + 0.5)
    sim.add_spheres(places, 0.01, GRAIN)
    if not options:
        for axis in np.eye(3):
            sim.add_wall(abut.HalfSpace((0, 0, 0), axis), STEEL)
            sim.add_wall(abut.HalfSpace(SIDE * axis, -axis), STEEL)
    return sim


def sheared():
    sim = box(period=(SIDE, SIDE, SIDE))

    def turns_back(s):
        way = -1 if round(s.time / 0.02) % 2 else 1
        s.deform_cell([[0, way, 0], [0, 0, 0], [0, 0, 0]])

    return sim, turns_back


def held():
    sim = box(period=(SIDE, SIDE, SIDE))
    return sim, lambda s: s.deform_cell(stress=1e3 * (1 + round(s.time / 0.02) % 2))


def loaded():
    sim = box()
    lid = sim.walls[5]

    def loads(s):
        load = 1 + round(s.time / 0.02) % 2
        s.walls[5].motion = abut.Servo(force=(0, 0, -load))

    lid.motion = abut.Servo(force=(0, 0, -1))
    return sim, loads


def moved():
    sim = box()

    def moves(s):
        s.walls[5].motion = abut.Translating((0, 0, 1e-3 * (-1) ** round(s.time / 0.02)))

    return sim, moves


def shaken():
    sim = box()

    def tilts(s):
        s.gravity = (0, 0, 9.81 * (-1) ** round(s.time / 0.02))

    return sim, tilts


@pytest.mark.parametrize("scene", [sheared, held, loaded, moved, shaken])
def test_what_is_assigned_in_a_run_is_as_between_runs(scene, tmp_path):
    sim, change = scene()
    between, change_between = scene()
    restarted, change_restarted = scene()
    sim.every(0.02, change)
    sim.run(0.1)
    for _ in range(5):
        between.run(0.02)
        change_between(between)
    restarted.every(0.02, change_restarted)
    assert restarted.run(1.0, until=lambda s: s.step_count == 430)
    restarted.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz")
    again.every(0.02, change_restarted)
    again.run(until=0.1)
    assert state(sim) == state(between) == state(again)


def test_a_cycle_of_loads_is_followed():
    sim, change = loaded()
    sim.every(0.02, change)
    forces = sim.record(0.02, lambda s: s.walls[5].force[2])
    sim.run(0.16)
    np.testing.assert_allclose(forces.values[1:], [2, 1, 2, 1, 2, 1, 2], rtol=0.05)


def test_a_cycle_of_strains_returns():
    sim, change = sheared()
    sim.deform_cell([[0, 1, 0], [0, 0, 0], [0, 0, 0]])
    sim.every(0.02, change)
    strains = sim.record(0.02, lambda s: s.deformation[0, 1])
    sim.run(0.08)
    np.testing.assert_allclose(strains.values, [0.02, 0.0, 0.02, 0.0], atol=1e-12)


def test_a_cycle_of_stresses_is_followed():
    sim, change = held()
    sim.deform_cell(stress=1e3)
    sim.every(0.02, change)
    pressures = sim.record(0.02, lambda s: s.stress(kinetic=True).trace() / 3)
    sim.run(0.16)
    np.testing.assert_allclose(pressures.values[3:], 1e3 * np.array([2, 1, 2, 1, 2]), rtol=0.05)
