"""Handles: what takes callables and insertions off a simulation again."""

import numpy as np
import pytest

import abut
from scenes_simulation import GRAIN


def free():
    sim = abut.Simulation(step=0.25, gravity=(0, 0, 0))
    sim.add_spheres([[0, 0, 0]], 10.0, GRAIN)  # too large to move by a radius in a step
    return sim


def test_a_force_ends():
    sim, push = free(), lambda s: s.masses[:, None] * [1.0, 0, 0]
    first, second = sim.add_force(push), sim.add_force(push)  # the same callable, twice
    sim.run(steps=4)
    assert sim.velocities[0, 0] == pytest.approx(2.0)
    first.remove()
    sim.run(steps=4)
    assert sim.velocities[0, 0] == pytest.approx(3.0)
    second.remove()
    second.remove()  # harmless
    sim.run(steps=4)
    assert sim.velocities[0, 0] == pytest.approx(3.0)


def test_a_force_on_bodies_ends():
    sim = abut.Simulation(step=0.25, gravity=(0, 0, 0))
    tetra = abut.ConvexShape([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    sim.add_bodies(tetra, [[0, 0, 0]], GRAIN, masses=2.0)
    handle = sim.add_body_force(lambda s: [[0.04, 0, 0]])
    sim.run(steps=2)
    handle.remove()
    sim.run(steps=2)
    assert sim.bodies.velocities[0, 0] == pytest.approx(0.01)


def test_a_call_that_fails_is_taken_off():
    sim, calls = free(), []

    def fails(s):
        raise ZeroDivisionError(s.step_count)

    handle = sim.every(0.5, fails)
    sim.every(0.5, lambda s: calls.append(s.step_count))
    with pytest.raises(ZeroDivisionError, match="2"):
        sim.run(steps=8)
    handle.remove()
    sim.run(steps=6)
    assert sim.step_count == 8 and calls == [2, 4, 6, 8]


def test_a_call_takes_others_and_itself_off():
    sim, calls = free(), []

    def once(s):
        calls.append("once")
        first.remove()
        last.remove()

    first = sim.every(0.25, once)
    last = sim.every(0.25, lambda s: calls.append("last"))  # is due already when it is removed
    sim.every(0.25, lambda s: calls.append("stays"))
    sim.run(steps=2)
    assert calls == ["once", "stays", "stays"]


def test_a_record_ends():
    sim = free()
    record = sim.record(0.25, lambda s: s.time)
    sim.run(steps=2)
    record.remove()
    sim.run(steps=2)
    assert record.values.tolist() == [0.25, 0.5]


def test_an_insertion_ends():
    sim = abut.Simulation(step=0.25, gravity=(0, 0, 0))
    boxes = [[[k, 0, 0], [k + 1, 1, 1]] for k in (0, 5)]
    feed, other = (
        sim.add_insertion(abut.Insertion(box, 0.01, rate=4, material=GRAIN)) for box in boxes
    )
    sim.run(steps=4)
    feed.remove()
    sim.run(steps=4)
    assert np.sum(sim.centers[:, 0] < 3) < np.sum(sim.centers[:, 0] > 3) == 8
    other.remove()
    sim.run(steps=4)
    assert np.sum(sim.centers[:, 0] > 3) == 8


def test_what_was_taken_off_is_not_asked_for_after_loading(tmp_path):
    sim = free()
    sim.add_force(lambda s: np.zeros((1, 3))).remove()
    box = [[0, 0, 11], [1, 1, 12]]
    sim.add_insertion(abut.Insertion(box, 0.01, rate=4, material=GRAIN)).remove()
    sim.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz")
    again.run(steps=8)
    assert len(again.ids) == 1


def test_it_says_what_it_is():
    sim = free()
    assert repr(sim.every(0.5, print)) == "Handle(every 0.5: print)"
    assert repr(sim.add_force(np.zeros_like)) == "Handle(add_force: zeros_like)"
