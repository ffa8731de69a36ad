"""Ctrl-C at any moment, and other threads: a simulation is as before or as after, and runs on."""

import gc
import signal
import sys
import threading
import time
import weakref
from functools import partial

import numpy as np
import pytest

import abut
from scenes_simulation import GRAIN, STEEL, STEP, floor, laws, plate, state

pytestmark = pytest.mark.native

CUBE = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
SHAPES = [abut.ConvexShape(CUBE * size) for size in ((1, 1, 1), (1, 2, 1), (1, 1, 3))]
ROD = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.1)
WOOD = abut.Material(density=500)
POWDERS = [abut.Material(density=1000.0 + k, young=1e6) for k in range(4)]

has_timer = pytest.mark.skipif(sys.platform == "win32", reason="no SIGALRM on this system")


def swinging(time):
    """A pose and its twist."""
    pose = np.eye(4)
    pose[0, 3] = 0.1 * np.sin(5 * time)
    return pose, [0.5 * np.cos(5 * time), 0, 0, 0, 0, 0]


class Recorded(abut.Simulation):
    """One with a record of its own."""

    heights = None


def scene():
    """A few grains of every kind, which fall onto a floor and hit moving walls."""
    sim = Recorded(step=STEP, workers=1)
    laws(sim)
    law = abut.Linear(1e5, friction=0.3, restitution=0.5)
    for partner in (WOOD, GRAIN, STEEL):
        sim.set_law(WOOD, partner, law)
    sim.add_wall(floor(), STEEL)
    sim.add_wall(plate(), STEEL, motion=abut.Translating((0, 0, 0.1)))
    sim.add_wall(plate(0.2), STEEL, motion=swinging)
    sim.add_wall(abut.HalfSpace((9, 0, 0), (-1, 0, 0)), STEEL)
    sim.add_spheres([[0.5, 0.5, 0.595], [2, 2, 0.1], [2.2, 2, 0.1]], 0.1, GRAIN)
    sim.add_clusters(ROD, [[3, 3, 0.1]], GRAIN)
    sim.add_bodies(SHAPES[0], [[4, 4, 0.1], [4, 4.2, 0.1]], WOOD, scales=0.1)
    feed = abut.Insertion([[5, 5, 1], [5.5, 5.5, 1.5]], (0.1, 0.2), 1000, GRAIN)
    sim.add_insertion(feed, until=0.01)
    sim.heights = sim.record(2 * STEP, lambda s: s.centers[:, 2].sum())
    sim.record(3 * STEP, lambda s: s.walls[2].force)
    return sim


def whole(sim):
    """The whole state of a simulation."""
    known = sim._core.known
    feeds = [(feed.state.to_dict(), feed.seen) for feed in known.feeds]
    arrays = [
        *sim.bodies.to_dict().values(),
        sim.radii,
        sim.masses,
        sim.material,
        sim._core.account(),
    ]
    arrays += [sim.heights.times, sim.heights.values]
    return (
        state(sim),
        [array.tobytes() for array in arrays],
        [known.numbers.next_id, known.numbers.next_cluster, known.numbers.next_body],
        (sim.materials, dict(known.laws.laws)),
        [(repr(wall.mesh), wall.material, wall.motion) for wall in sim.walls],
        [(entry.start, entry.pose.tobytes()) for entry in known.walls],
        (sim.shapes, feeds, sim.statistics().sphere_steps, sim.step_count),
    )


# ---- what is interrupted -------------------------------------------------------------------------


def place(k):
    """A free place for a new grain."""
    return [[-8 + 0.5 * (k % 30), 10 + 0.5 * (k // 30), 1]]


def fly(sim, k):
    sim.bodies.velocities = 0.9 * sim.bodies.velocities


ACTIONS = {
    "run": lambda s, k: s.run(steps=1 + k % 3),
    "run until": lambda s, k: s.run(steps=1 + k % 3, until=lambda s: False, workers=2),
    "set_law": lambda s, k: s.set_law(GRAIN, STEEL, abut.Hertz(restitution=0.1 * (1 + k % 7))),
    "set_law of a material": lambda s, k: s.set_law(
        POWDERS[k % 4], STEEL, abut.Hertz(friction=0.3)
    ),
    "add_spheres": lambda s, k: s.add_spheres(place(k), 0.05, POWDERS[k % 4]),
    "remove_spheres": lambda s, k: s.remove_spheres(free_spheres(s)[-2:-1]),
    "add_clusters": lambda s, k: s.add_clusters(ROD, place(k), POWDERS[k % 4]),
    "remove_clusters": lambda s, k: s.remove_clusters(s.clusters.numbers[:1]),
    "add_bodies": lambda s, k: s.add_bodies(SHAPES[k % 3], place(k), WOOD, scales=0.05),
    "remove_bodies": lambda s, k: s.remove_bodies(s.bodies.numbers[2:][:1]),
    "velocities": lambda s, k: setattr(s, "velocities", 0.99 * s.velocities),
    "clusters": lambda s, k: s.clusters.assign(velocities=s.clusters.velocities),
    "bodies": fly,
    "motion": lambda s, k: setattr(s.walls[1], "motion", abut.Translating((0, 0, 0.01 * (k % 5)))),
    "motion of a callable": lambda s, k: setattr(s.walls[2], "motion", (None, swinging)[k % 2]),
}

RUNS = ("run", "run until")

# those that leave more behind each time
ONCE = {
    "add_wall": lambda s, k: s.add_wall(plate(0.1), POWDERS[k % 4]),
    "add_wall of a callable": lambda s, k: s.add_wall(plate(3.0), POWDERS[k % 4], motion=swinging),
    "add_insertion": lambda s, k: s.add_insertion(
        abut.Insertion([[8, 8, 8], [9, 9, 9]], 0.1, 1000, POWDERS[k % 4])
    ),
}


def free_spheres(sim):
    return sim.ids[sim.spheres.cluster < 0]


def compare(sim, twin, act):
    """What an interrupted action has left is as before, or as after: the twin's, which goes along.
    Whether it is as after."""
    if whole(sim) == whole(twin):
        return False
    act(twin)
    assert whole(sim) == whole(twin)
    return True


def go_to_the_end(sim, twin, act):
    """An interrupted run continues to the same end as its twin, to the bit."""
    act(twin)
    sim.run(steps=twin.step_count - sim.step_count)
    assert whole(sim) == whole(twin)


# ---- at random moments ---------------------------------------------------------------------------


# a signal to another thread may arrive after the call has ended
IS_AWAITED = [False]


def interrupt(number, frame):
    if IS_AWAITED[0]:
        raise KeyboardInterrupt


@pytest.fixture
def alarm():
    before = signal.signal(signal.SIGALRM, interrupt)
    yield
    signal.signal(signal.SIGALRM, before)


def is_struck(call, delay):
    """Call, and press Ctrl-C after so many seconds. Whether it came into the call.

    Where it comes into a comparison of NumPy's, that makes a TypeError of it.
    """
    try:
        try:
            IS_AWAITED[0] = True
            signal.setitimer(signal.ITIMER_REAL, delay)
            call()
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            IS_AWAITED[0] = False
    except (KeyboardInterrupt, TypeError):
        return True
    return False


def seconds_of(call):
    begin = time.perf_counter()
    call()
    return time.perf_counter() - begin


def strike(sim, twin, count, seed):
    """Interrupt so many actions on one simulation, one after the other."""
    rng = np.random.default_rng(seed)
    names = list(ACTIONS)
    seconds, struck, k = {}, 0, 0
    while struck < count:
        k += 1
        name = names[rng.integers(len(names))]

        act = partial(ACTIONS[name], k=k)
        if name not in seconds:
            seconds[name] = seconds_of(partial(act, sim))
            act(twin)
        elif not is_struck(partial(act, sim), rng.uniform(1e-6, 1.2 * seconds[name])):
            act(twin)
        else:
            struck += 1
            (go_to_the_end if name in RUNS else compare)(sim, twin, act)


def check_scene(count, seed):
    """However often it was interrupted, it runs on as its twin does."""
    sim, twin = scene(), scene()
    strike(sim, twin, count, seed)
    sim.run(steps=5)
    twin.run(steps=5)
    assert whole(sim) == whole(twin)


@has_timer
@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_interrupts_at_random_moments(alarm):
    for seed in range(3):
        check_scene(40, seed)


@has_timer
@pytest.mark.long
@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_thousands_of_interrupts_of_everything(alarm):
    for seed in range(100, 150):
        check_scene(100, seed)


@has_timer
@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_thousands_of_interrupts_of_a_loop(alarm):
    """Each interrupt ends a loop of short runs, and the next run starts normally."""
    sim = abut.Simulation(step=STEP, workers=1)
    laws(sim)
    sim.add_spheres([[0, 0, 0]], 0.1, GRAIN)
    rng, step_count = np.random.default_rng(1), 0

    def loop():
        while True:
            sim.run(steps=1)

    for delay in rng.uniform(1e-5, 2e-4, 2000):
        assert is_struck(loop, delay)
        sim.run(steps=1)
        assert sim.step_count > step_count
        step_count = sim.step_count


# ---- before each instruction ---------------------------------------------------------------------


class Tracer:
    """Raises KeyboardInterrupt before one of the instructions of abut that are run."""

    def __init__(self, number):
        self._left = number

    def __call__(self, frame, event, argument):
        if not frame.f_globals.get("__name__", "").startswith("abut"):
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            self._left -= 1
            if self._left == 0:
                raise KeyboardInterrupt
        return self

    def ran(self, call):
        """Whether all instructions of the call have run."""
        before = sys.gettrace()
        sys.settrace(self)
        try:
            call()
        except KeyboardInterrupt:
            return False
        finally:
            sys.settrace(before)
        return True


def instructions(call):
    """How many there are."""
    tracer = Tracer(0)
    assert tracer.ran(call)
    return -tracer._left


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
@pytest.mark.parametrize("name", [*ACTIONS, *ONCE])
def test_interrupt_before_any_instruction(name, request):
    call = (ACTIONS | ONCE)[name]
    sim, twin = scene(), scene()
    first = scene()
    count = instructions(lambda: call(first, 1))
    seen = set()
    spread = 200 if request.config.getoption("--long") else 6
    # most go on in the library's call, at the end
    last = range(count - (6 if name in ONCE else 20), count)
    for k, number in enumerate([*np.linspace(1, count, spread).astype(int), *last], 1):
        if name in ONCE:
            sim, twin = scene(), scene()

        act = partial(call, k=k)
        if Tracer(number).ran(partial(act, sim)):
            act(twin)
        elif name in RUNS:
            go_to_the_end(sim, twin, act)
        else:
            seen.add(compare(sim, twin, act))
        sim.run(steps=1)
        twin.run(steps=1)
        assert whole(sim) == whole(twin)
    assert name in RUNS or False in seen


# ---- one at a time -------------------------------------------------------------------------------


class Asking:
    """An array that calls something when it is read, in the midst of a change."""

    def __init__(self, array, call):
        self._array, self._calls = np.array(array, float), [call]

    def __array__(self, dtype=None, copy=None):
        while self._calls:
            self._calls.pop()()
        return self._array


MIDST = {
    "add_spheres": lambda s, asking: s.add_spheres(asking([[7, 7, 7]]), 0.1, GRAIN),
    "add_clusters": lambda s, asking: s.add_clusters(ROD, asking([[7, 7, 7]]), GRAIN),
    "add_bodies": lambda s, asking: s.add_bodies(SHAPES[0], asking([[7, 7, 7]]), WOOD, scales=0.1),
    "add_wall": lambda s, asking: s.add_wall(plate(), motion=still(asking)),
    "velocities": lambda s, asking: setattr(s, "velocities", asking(s.velocities)),
    "clusters": lambda s, asking: setattr(s.clusters, "velocities", asking(s.clusters.velocities)),
    "bodies": lambda s, asking: setattr(s.bodies, "velocities", asking(s.bodies.velocities)),
    "motion": lambda s, asking: setattr(s.walls[1], "motion", still(asking)),
}


def still(asking):
    """The motion of a wall that stands."""
    pose = asking(np.eye(4))
    return lambda time: (pose, np.zeros(6))


CHANGES = ACTIONS | ONCE | {
    "add_force": lambda s, k: s.add_force(lambda s: np.zeros((len(s.ids), 3))),
    "add_body_force": lambda s, k: s.add_body_force(lambda s: np.zeros((len(s.bodies.masses), 3))),
    "every": lambda s, k: s.every(1.0, print),
    "record": lambda s, k: s.record(1.0, lambda s: 1),
    "save": lambda s, k: s.save("nowhere.npz"),
}  # fmt: skip


@pytest.mark.parametrize("is_other", [False, True])
@pytest.mark.parametrize("name", MIDST)
def test_a_change_in_the_midst_of_a_change_is_turned_away(name, is_other):
    sim, twin, told = scene(), scene(), {}

    def ask():
        for change, call in CHANGES.items():
            with pytest.raises(RuntimeError, match=r"at work.* that changes it") as error:
                call(sim, 1)
            told[change] = error

    def in_a_thread():
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()

    MIDST[name](sim, lambda array: Asking(array, in_a_thread if is_other else ask))
    assert told.keys() == CHANGES.keys()
    MIDST[name](twin, lambda array: array)
    same = slice(None) if name not in ("add_wall", "motion") else slice(4)
    assert whole(sim)[same] == whole(twin)[same]
    sim.run(steps=1)


def test_another_thread_cannot_change_what_runs():
    sim, told = scene(), {}

    def ask():
        for change, call in CHANGES.items():
            if change not in RUNS:
                with pytest.raises(RuntimeError, match=r"at work.* that steps it") as error:
                    call(sim, 1)
                told[change] = error
        with pytest.raises(RuntimeError, match="is running already"):
            sim.run(steps=1)

    def watch(sim):
        thread = threading.Thread(target=ask)
        thread.start()
        thread.join()

    sim.every(STEP, watch)
    sim.run(steps=1)
    assert told.keys() == CHANGES.keys() - {*RUNS}
    sim.every(STEP, lambda s: ACTIONS["add_bodies"](s, 1))
    sim.run(steps=1)
    assert len(sim.bodies.numbers) == 3


@pytest.mark.parametrize("kind", ["spheres", "clusters", "bodies"])
def test_two_threads_that_add_get_all_or_an_error(kind):
    sim, added, wrong = scene(), [], []
    begin = threading.Barrier(2)

    def add(number):
        begin.wait()
        for k in range(100):
            try:
                added.extend(ACTIONS[f"add_{kind}"](sim, 1000 * number + k).tolist())
            except RuntimeError as error:
                wrong.append(str(error))

    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    try:
        threads = [threading.Thread(target=add, args=(number,)) for number in (1, 2)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(interval)
    assert len(added) + len(wrong) == 200 and all("at work" in text for text in wrong)
    numbers = {"spheres": sim.ids, "clusters": sim.clusters.numbers, "bodies": sim.bodies.numbers}
    assert sorted(added) == numbers[kind][-len(added) :].tolist()
    assert len(sim.ids) == len(sim.centers) and len(sim.bodies.masses) == len(sim.bodies.numbers)
    sim.run(steps=1)


def test_a_read_that_a_change_comes_into_is_no_mixture():
    sim = scene()
    sim.run(steps=3)
    core, interactions = sim._core, sim._core.interactions

    class Changing:
        """The library's simulation, which another thread steps while contacts are read."""

        def __getattr__(self, name):
            if name != "interactions":
                return getattr(core, name)
            sim._core = sim._walls._core = core
            thread = threading.Thread(target=sim.run, kwargs={"steps": 1})
            thread.start()
            thread.join()
            return interactions

    sim._core = sim._walls._core = Changing()
    with pytest.raises(RuntimeError, match="has changed it while it was read"):
        _ = sim.contacts
    again = scene()
    again.run(steps=4)
    assert state(sim) == state(again)


def test_an_interrupted_call_is_called_again_and_a_record_has_no_row_twice():
    sim, seen, pressed = scene(), [], []

    def watch(sim):
        seen.append(sim.step_count)
        if sim.step_count == 2 and not pressed:
            pressed.append(True)
            raise KeyboardInterrupt

    sim.every(STEP, watch)
    counts = sim.record(STEP, lambda s: s.step_count)
    with pytest.raises(KeyboardInterrupt):
        sim.run(steps=3)
    assert sim.step_count == 2
    sim.run(steps=1)
    assert seen == [1, 2, 2, 3] and counts.values.tolist() == [1, 2, 3]


def test_what_a_callable_leads_back_to_is_collected():
    def begin():
        sim = scene()
        sim.add_wall(plate(), motion=lambda time: (np.eye(4), np.zeros(6)) if sim else None)
        sim.every(STEP, lambda s: sim.time)
        sim.run(steps=1)
        return weakref.ref(sim)

    gone = begin()
    gc.collect()
    assert gone() is None
