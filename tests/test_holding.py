"""What is changed on the way: steps and gravity, against the reference and what is exact."""

import numpy as np
import pytest

import abut
import reference_dem
import scenes_dem as scenes
from scenes_simulation import GRAIN, STEEL, STEP, busy, floor, laws, state
from test_dem_reference import build, compare

OPTIONS = {
    "law": "both",
    "rolling": "C",
    "resolution": "hierarchy",
    "motions": ("together", "given"),
    "period": (0.06, None, None),
    "clusters": 3,
    "pushed": True,
    "changed": False,
}


# ---- steps and gravity ---------------------------------------------------------------------------


@pytest.mark.parametrize("rolling", ["A", "C"])
@pytest.mark.parametrize("seed", [3, 4])
def test_other_steps_and_gravity_are_those_of_the_reference(seed, rolling):
    options = OPTIONS | {"rolling": rolling, "clusters": 0 if rolling == "A" else 3}
    both = [build(kind, seed, options) for kind in (abut.Simulation, reference_dem.Simulation)]
    for change in (
        lambda sim: None,
        lambda sim: setattr(sim, "step", 2e-6),
        lambda sim: setattr(sim, "gravity", (9.0, 1.0, -1.0)),
        lambda sim: (setattr(sim, "step", 4e-6), setattr(sim, "gravity", (-3.0, 0, -9))),
    ):
        for sim in both:
            change(sim)
        for _ in range(12):
            for sim in both:
                sim.run(steps=1)
            compare(*both)
        assert both[0].time == pytest.approx(both[1].time, rel=1e-15)


def falling(step=1e-3, gravity=(0, 0, -10.0)):
    sim = abut.Simulation(step=step, gravity=gravity)
    sim.add_spheres([[0, 0, 0]], 0.1, GRAIN)
    cluster = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.1)
    sim.add_clusters(cluster, [[1.0, 0, 0]], GRAIN)
    cube = abut.ConvexShape([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    sim.add_bodies(cube, [[3.0, 0, 0]], GRAIN)
    sim.run(steps=1)
    return sim


def fallen(sim):
    return np.array(
        [sim.centers[0, 2], sim.clusters.positions[0, 2], sim.bodies.centers[0, 2] - 0.5]
    )


def test_a_fall_stays_on_its_parabola():
    sim = falling()
    for step, steps in ((1e-4, 700), (3e-3, 50), (7e-4, 31)):
        sim.step = step
        sim.run(steps=steps)
        # it was let go half a step of 1e-3 before
        at = sim.time + 0.5e-3
        assert fallen(sim) == pytest.approx(-5.0 * (at**2 - 0.25e-6), rel=1e-12)


def test_a_turn_of_gravity_counts_from_where_it_is():
    sim, total = falling(), 0.0
    sim.run(0.2)
    total = sum(sim.energy)
    for gravity in ((0, 0, 5.0), (3.0, -4.0, 0), (0, 0, 0)):
        sim.gravity = gravity
        before = sim.energy
        sim.run(steps=1)
        assert before.gravitational == pytest.approx(sim.energy.gravitational, rel=0.05)
        sim.run(0.1)
        assert sum(sim.energy) == pytest.approx(total, rel=1e-12)
        assert tuple(sim.gravity) == tuple(map(float, gravity))


def test_energies_told_after_a_change_are_those_of_the_last_step():
    sim = busy()
    sim.run(steps=40)
    before = sim.energy
    sim.gravity = (5.0, 0, 0)
    sim.step = 0.3 * STEP
    assert sim.energy == before


def test_the_ledger_closes_to_second_order():
    """A frictionless ball that bounces, whose steps change while it touches."""

    def error(step):
        ball, plate = abut.Material(1000, 1e6, 0.3), abut.Material()
        sim = abut.Simulation(step=step)
        sim.set_law(ball, plate, abut.Hertz())
        sim.add_wall(scenes.quad(), plate)
        sim.add_spheres([[0, 0, 0.099]], 0.1, ball, [[0, 0, -0.5]])
        sim.run(2e-3)
        total, worst = sum(sim.energy), 0.0
        for factor in (0.5, 1.5, 1.0, 0.7):
            sim.step = factor * step
            sim.run(1e-3)
            worst = max(worst, abs(sim.energy.dissipated), abs(sum(sim.energy) - total))
        return worst / total

    errors = [error(step) for step in (1e-4, 5e-5, 2.5e-5)]
    assert errors[1] < 0.3 * errors[0]
    assert errors[2] < 0.3 * errors[1]


def test_an_assigned_step_before_the_first_one_is_as_if_it_were_given():
    sim, same = busy(), busy()
    sim.step, sim.gravity = 0.1 * STEP, (1.0, 0, 0)
    sim.step, sim.gravity = same.step, same.gravity
    sim.run(steps=30)
    same.run(steps=30)
    assert state(sim) == state(same)


def test_time_and_walls_go_on():
    sim = abut.Simulation(step=0.25)
    wall = sim.add_wall(floor(), STEEL, motion=abut.Translating((1.0, 0, 0)))
    shaken = sim.add_wall(floor(), STEEL, motion=abut.Oscillating((1.0, 0, 0), 0.01))
    sim.run(steps=3)
    before = wall.pose, shaken.pose
    sim.step = 0.5
    assert sim.time == 0.75
    assert np.array_equal(before, (wall.pose, shaken.pose))
    sim.run(1.0)
    assert (sim.step_count, sim.time) == (5, 1.75)
    assert wall.pose[0, 3] == 1.75
    assert shaken.pose[0, 3] == pytest.approx(np.sin(0.02 * np.pi * 1.75))


def test_events_keep_their_times():
    sim = abut.Simulation(step=0.25)
    half, fine, two = (sim.record(t, lambda s: s.step) for t in (0.5, 0.1, 2.0))
    sim.run(0.75)
    sim.step = 0.12
    sim.run(12 * 0.12)
    assert half.times == pytest.approx([0.5, 0.99, 1.47, 1.95])
    assert fine.times == pytest.approx([0.25, 0.5, *(0.75 + 0.12 * np.arange(13))])
    assert two.times == pytest.approx([1.95])


def test_a_run_takes_its_time_though_steps_change_on_the_way():
    sim = abut.Simulation(step=0.25)
    sim.every(0.5, lambda s: setattr(s, "step", s.step / 2))
    sim.run(1.0)
    assert sim.time == pytest.approx(1.0)
    assert sim.step < 0.25
    sim.run(steps=7)
    assert sim.step_count > 7


def test_what_comes_in_keeps_its_rate():
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    feed = abut.Insertion([[0, 0, 0], [9, 9, 9]], 0.01, rate=100, material=GRAIN)
    sim.add_insertion(feed, until=0.3)
    sim.run(0.1)
    assert len(sim.ids) == 10
    sim.step = 1e-4
    sim.run(0.1)
    assert len(sim.ids) == 20
    sim.step = 1e-2
    sim.run(0.5)
    assert len(sim.ids) == 30


def test_a_step_that_is_assigned_is_looked_at_once():
    sim = busy()
    sim.run(steps=3)
    with pytest.warns(abut.SimulationWarning, match="times the longest stable one"):
        sim.step = 10 * sim.stable_step()
    with pytest.warns(abut.SimulationWarning, match="times the longest stable one"):
        sim.step = 8 * sim.stable_step()
    sim.step = STEP


@pytest.mark.parametrize(
    ("name", "value", "error", "text"),
    [
        ("step", 0.0, ValueError, "step is 0"),
        ("step", np.nan, ValueError, "step is nan"),
        ("step", "long", TypeError, "step"),
        ("gravity", (0, np.inf, 0), ValueError, r"gravity\[1\] is inf"),
        ("gravity", (0, 1), ValueError, r"gravity has shape \(2,\)"),
        ("gravity", None, TypeError, "gravity"),
    ],
)
def test_steps_and_gravity_that_are_none(name, value, error, text):
    sim = busy()
    sim.run(steps=5)
    before = state(sim)
    with pytest.raises(error, match=text):
        setattr(sim, name, value)
    assert state(sim) == before
    assert not sim.gravity.flags.writeable


def test_breakages_tell_their_times_where_steps_change():
    sim = abut.Simulation(step=1e-4, gravity=(0, 0, 0))
    ids = sim.add_spheres([[0, 0, 0], [2, 0, 0], [0, 9, 0], [2, 9, 0]], 1.0, GRAIN)
    sim.bond(ids.reshape(2, 2), abut.Bond(1e6, 0.0, 0.5, tensile_strength=1e3))
    sim.run(steps=10)
    assert len(sim.breakages) == 0
    sim.step = 1e-5
    sim.run(steps=20)
    pulled = np.zeros((4, 3))
    pulled[:2, 0] = -5.0, 5.0
    sim.velocities = pulled
    sim.run(steps=30)
    sim.step = 2e-5
    pulled[2:] = pulled[:2]
    sim.velocities = pulled
    sim.run(steps=100)
    times = sim.breakages.time
    assert 1e-3 + 20e-5 < times[0] < 1e-3 + 50e-5 < times[1] < sim.time


def changed():
    sim = busy()
    sim.run(steps=20)
    sim.step = 0.4 * STEP
    sim.run(steps=11)
    sim.gravity = (2.0, 0.5, -8.0)
    sim.run(steps=5)
    sim.step, sim.gravity = 0.7 * STEP, (0, 1.0, -9.0)
    return sim


@pytest.mark.parametrize("steps", [0, 1, 9])
def test_changes_go_through_a_file(tmp_path, steps):
    sim = changed()
    sim.run(steps=steps)
    sim.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz", [wall.mesh for wall in sim.walls])
    assert (again.step, again.time, again.energy) == (sim.step, sim.time, sim.energy)
    for one in (sim, again):
        one.run(steps=20)
    assert state(sim) == state(again)
    assert sim.energy == again.energy
    assert sim._known.beats == again._known.beats


def test_same_bits_for_any_number_of_threads():
    found = []
    for workers in (1, 4):
        sim = abut.Simulation(step=STEP, workers=workers)
        laws(sim)
        sim.add_wall(floor(), STEEL)
        centers = (np.indices((9, 9, 9)).reshape(3, -1).T + 0.5) / 9
        sim.add_spheres(centers, 0.056, GRAIN)
        sim.run(steps=10)
        sim.step, sim.gravity = 0.5 * STEP, (4.0, 0, -8.0)
        sim.run(steps=10)
        found.append(state(sim))
    assert found[0] == found[1]
