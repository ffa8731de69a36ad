"""Where runs end: at a time, where a condition comes true, and by `stop`."""

import signal
import sys
import threading

import numpy as np
import pytest

import abut
from scenes_simulation import GRAIN, STEP, busy, state


def moving(step=0.25):
    sim = abut.Simulation(step=step, gravity=(0, 0, 0))
    sim.add_spheres([[0, 0, 0]], 1.0, GRAIN, velocities=(1, 0, 0))
    return sim


# ---- a condition ---------------------------------------------------------------------------------


def test_a_run_ends_where_its_condition_is_true():
    sim, asked = moving(), []

    def is_far(s):
        asked.append(s.step_count)
        return s.centers[0, 0] >= 1.5

    assert sim.run(10.0, until=is_far) is True
    assert sim.step_count == 6 and asked == [1, 2, 3, 4, 5, 6]
    # asked after a step, so it makes one even where the condition is true already
    assert sim.run(steps=10, until=is_far) is True
    assert sim.step_count == 7


def test_a_condition_that_does_not_come_true():
    sim = moving()
    assert sim.run(1.0, until=lambda s: False) is False
    assert sim.run(1.0, until=lambda s: np.bool_(s.time == 2.0)) is True  # by the last step
    assert sim.step_count == 8
    assert sim.run(0, until=lambda s: s.step_count == 8) is True


def test_a_condition_is_asked_at_intervals_and_at_the_end():
    sim, asked = moving(), []

    def never(s):
        asked.append(s.step_count)
        return False

    sim.run(steps=1)
    assert sim.run(steps=9, until=never, every=0.75) is False
    assert asked == [3, 6, 9, 10]
    assert sim.run(steps=3, until=never, every=100.0) is False
    assert asked[4:] == [13]


def test_intervals_follow_a_step_that_is_assigned():
    sim, asked = moving(), []

    def change(s):
        s.step = 0.125

    sim.every(1.0, change)
    assert sim.run(2.0, until=lambda s: asked.append(s.time) or False, every=0.5) is False
    assert asked == [0.5, 1.0, 1.5, 2.0]


def test_a_condition_comes_after_what_every_calls():
    sim, order = moving(), []
    sim.every(0.5, lambda s: order.append("call"))
    sim.run(steps=2, until=lambda s: order.append("question") or False)
    assert order == ["question", "call", "question"]


def test_a_condition_may_assign_a_step():
    sim = moving()

    def slows(s):
        s.step = 0.125
        return s.time > 9

    assert sim.run(2.0, until=slows, every=0.5) is False
    assert sim.time == 2.0 and sim.step_count == 2 + 12


@pytest.mark.parametrize("every", [None, 7 * STEP])
def test_checks_do_not_change_bits(every):
    sim, twin = busy(), busy()
    assert sim.run(steps=1000, until=lambda s: s.step_count >= 210, every=every)
    twin.run(steps=210)
    assert state(sim) == state(twin)


def test_a_condition_may_change_the_simulation_but_not_run_it():
    sim = moving()

    def add(s):
        s.add_spheres([[0, 10 * len(s.ids), 0]], 1.0, GRAIN)
        with pytest.raises(RuntimeError, match="running already"):
            s.run(steps=1)
        return len(s.ids) == 4

    assert sim.run(steps=10, until=add)
    assert sim.step_count == 3


@pytest.mark.parametrize("error", [ZeroDivisionError, KeyboardInterrupt])
def test_an_error_of_a_condition_leaves_the_simulation_usable(error, tmp_path):
    sim, twin = busy(), busy()

    def fails(s):
        if s.step_count == 30:
            raise error

    with pytest.raises(error):
        sim.run(steps=100, until=lambda s: fails(s) or False, workers=2)
    assert sim.step_count == 30 and sim._core.set_workers(1) == 1
    with pytest.raises(RuntimeError, match="no run is going on"):
        sim.stop()
    assert sim.run(steps=20, until=lambda s: s.step_count == 40)
    twin.run(steps=40)
    assert state(sim) == state(twin)
    sim.save(tmp_path / "a.npz")
    branch = sim.copy()
    for one in (sim, branch):
        assert one.run(steps=100, until=lambda s: s.step_count == 55) and one.step_count == 55
    assert state(sim) == state(branch)


# ---- a time --------------------------------------------------------------------------------------


def test_a_run_ends_at_a_time():
    sim = moving()
    assert sim.run(until=1.0) is True and sim.step_count == 4
    assert sim.run(until=1.1) is True and sim.step_count == 4  # the nearest step is done
    assert sim.run(until=0.5) is True and sim.step_count == 4
    assert sim.run(until=1.2) is True and sim.step_count == 5
    assert sim.run(1.0, until=9.0) is False and sim.step_count == 9
    assert sim.run(1.0, until=2.5) is True and sim.step_count == 10
    assert sim.run(steps=3, until=9.0) is False and sim.step_count == 13
    assert sim.run(steps=3, until=3.5) is True and sim.step_count == 14


def test_times_in_a_row_make_all_steps():
    sim = moving(0.1)
    for k in range(1, 40):
        sim.run(until=0.1 * k)
        assert sim.step_count == k


def test_a_time_follows_a_step_that_is_assigned():
    sim = moving()

    def change(s):
        s.step = 0.1

    sim.every(1.0, change)
    assert sim.run(until=2.0) is True
    assert sim.time == pytest.approx(2.0) and sim.step_count == 14


# ---- stop ----------------------------------------------------------------------------------------


def test_stop_ends_a_run_after_the_step():
    sim, order = moving(), []
    sim.every(0.75, lambda s: s.stop())
    sim.every(0.75, lambda s: order.append(s.step_count))  # due after the same step
    assert sim.run(5.0) is None
    assert sim.step_count == 3 and order == [3]
    assert sim.run(5.0, until=lambda s: False) is False and sim.step_count == 6
    assert sim.run(until=9.0) is False and sim.step_count == 9
    assert sim.run(5.0, until=lambda s: s.step_count == 12, every=100.0) is True


def stops_forces(sim):
    sim.add_force(lambda s: s.stop() or np.zeros((1, 3)))


def stops_records(sim):
    sim.record(0.25, lambda s: s.stop() or s.time)


def stops_motions(sim):
    mesh = abut.Mesh([[9, 0, 0], [9, 1, 0], [9, 0, 1]], [[0, 1, 2]])

    def still(time):
        if time > 0.3 and sim.step_count:  # add_wall calls it for several times
            sim.stop()
        return np.eye(4), np.zeros(6)

    sim.add_wall(mesh, motion=still)


def stops_bounds(sim):
    sim.every(0.25, lambda s: s.set_bounds([[-1, -1, -1], [0.3, 1, 1]], "remove") or s.stop())


@pytest.mark.parametrize(
    ("way", "steps"),
    [(stops_forces, 1), (stops_records, 1), (stops_motions, 2), (stops_bounds, 1)],
)
def test_any_callable_may_stop_a_run(way, steps):
    sim = moving()
    way(sim)
    sim.run(5.0)
    assert sim.step_count == steps


def test_a_condition_may_stop_a_run():
    sim = moving()
    assert sim.run(5.0, until=lambda s: s.stop() or False) is False
    assert sim.step_count == 1


def test_stop_without_a_run_is_an_error():
    sim = moving()
    with pytest.raises(RuntimeError, match="no run is going on: call stop"):
        sim.stop()
    sim.run(steps=2)
    assert sim.step_count == 2


def test_a_call_that_stops_and_one_that_fails():
    sim = moving()
    sim.every(0.25, lambda s: s.stop())
    sim.every(0.25, lambda s: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        sim.run(5.0)
    with pytest.raises(ZeroDivisionError):
        sim.run(5.0)  # the stop of the first run is forgotten
    assert sim.step_count == 2


def test_another_thread_stops_a_run():
    sim, seen = busy(), threading.Event()
    sim.every(STEP, lambda s: seen.set())
    thread = threading.Thread(target=lambda: seen.wait(60) and sim.stop())
    thread.start()
    sim.run(steps=10**9)
    thread.join()
    assert 0 < sim.step_count < 10**9


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="no timers on this system")
def test_a_signal_handler_stops_a_run():
    sim = busy()
    before = signal.signal(signal.SIGALRM, lambda number, frame: sim.stop())
    try:
        sim.every(
            STEP, lambda s: signal.setitimer(signal.ITIMER_REAL, 0.01) if s.step_count == 1 else 0
        )
        sim.run(steps=10**9)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert sim.step_count < 10**9


# ---- workers -------------------------------------------------------------------------------------


def test_workers_of_a_run_are_those_of_this_run():
    sim, twin, seen = busy(workers=1), busy(workers=1), []

    def look(s):
        threads = s._core.set_workers(1)
        s._core.set_workers(threads)
        seen.append(threads)

    handle = sim.every(STEP, look)
    sim.run(steps=100, workers=3)
    handle.remove()
    assert set(seen) == {3} and sim._core.set_workers(1) == 1
    twin.run(steps=100)
    assert state(sim) == state(twin)


def test_workers_of_copies_and_restart_files(tmp_path):
    sim = busy(workers=1, insertion=False)
    sim.run(steps=20)
    sim.save(tmp_path / "a.npz")
    meshes = [wall.mesh for wall in sim.walls]
    motions = {k: wall.motion for k, wall in enumerate(sim.walls) if callable(wall.motion)}
    given = {"meshes": meshes, "motions": motions}
    one = abut.load_simulation(tmp_path / "a.npz", **given)
    two = abut.load_simulation(tmp_path / "a.npz", **given, workers=np.int64(2))
    three = sim.copy(workers=3)
    four = three.copy()
    two.save(tmp_path / "b.npz")
    five = abut.load_simulation(tmp_path / "b.npz", **given)
    assert [s._core.set_workers(1) for s in (one, two, three, four, five)] == [1, 2, 3, 3, 2]
    for other in (sim, one, two, three, four, five):
        other.run(steps=20)
        assert state(other) == state(sim)


@pytest.mark.parametrize(("workers", "error"), [(0, ValueError), (1.5, TypeError)])
def test_wrong_workers(workers, error, tmp_path):
    sim = moving()
    sim.save(tmp_path / "a.npz")
    calls = (
        lambda: sim.run(steps=1, workers=workers),
        lambda: sim.copy(workers=workers),
        lambda: abut.load_simulation(tmp_path / "a.npz", workers=workers),
    )
    for call in calls:
        with pytest.raises(error, match=f"^workers is {workers}"):
            call()
    assert sim.step_count == 0


# ---- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({}, TypeError, "either a duration or steps=, or a time as until="),
        ({"duration": 1.0, "steps": 4}, TypeError, "either a duration or steps=, not both"),
        ({"until": lambda s: True}, TypeError, "also needs the longest duration"),
        ({"steps": 2, "every": 1.0}, TypeError, "every= is the time between two calls of until="),
        ({"until": 2.0, "every": 1.0}, TypeError, "every= is the time between two calls of until="),
        ({"steps": 2, "until": "rest"}, TypeError, "until"),
        ({"until": np.inf}, ValueError, "until is inf"),
        ({"until": 1e300}, ValueError, r"until is 1e\+300, which is more than 2\^53 steps"),
        ({"steps": 2, "until": bool, "every": 0}, ValueError, "every is 0.0"),
        ({"steps": 2, "until": lambda s: None}, TypeError, "returned None, but must return True"),
        ({"steps": 2, "until": lambda s: np.ones(2)}, TypeError, "returned an ndarray"),
        ({"duration": 0.1}, ValueError, "shorter than half a step of 0.25"),
        ({"duration": 0.1, "until": bool}, ValueError, "shorter than half a step of 0.25"),
    ],
)
def test_wrong_ends(given, error, words):
    sim = moving()
    with pytest.raises(error, match=words):
        sim.run(**given)
    sim.run(steps=1)
    assert sim.step_count in (1, 2)


def test_nothing_is_left_of_a_duration():
    sim = moving(0.1)
    sim.run(0.3)
    for time in (0.3, 0.1 + 0.2, 0.3 + 1e-17):
        sim.run(max(0.0, time - sim.time))
    sim.run(1e-17)
    assert sim.step_count == 3


# ---- progress ------------------------------------------------------------------------------------


def test_progress_follows_a_step_that_is_assigned(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    sim = moving()

    def change(s):
        s.step = 0.125

    sim.every(1.0, change)
    sim.run(2.0, progress=True)
    assert "100% of 12 steps: 1 sphere" in capsys.readouterr().err


def test_progress_says_that_a_run_ended_early(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "tqdm", None)
    sim = moving()
    sim.run(steps=1000, until=lambda s: s.step_count == 999, every=0.25, progress=True)
    err = capsys.readouterr().err
    assert " 99% of 1000 steps: 1 sphere" in err and err.endswith("ended early, after 0:00\n")
    assert "100%" not in err
