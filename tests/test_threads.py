"""How many threads run, and that queries live with Python's own threads, forks and signals."""

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import abut
from abut.base.threads import FEW_SPHERES, worker_count

pytestmark = pytest.mark.native

CORES = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()


@pytest.fixture(autouse=True)
def defaults(monkeypatch):
    monkeypatch.delenv("ABUT_NUM_THREADS", raising=False)
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    yield
    abut.set_num_threads(None)


# ---- the number of threads -----------------------------------------------------------------------


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_default_is_the_cores_that_this_process_may_use():
    allowed = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(allowed)})
    try:
        assert worker_count(None) == worker_count(-1) == 1
    finally:
        os.sched_setaffinity(0, allowed)


def test_environment(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    assert worker_count(None) == 5
    monkeypatch.setenv("ABUT_NUM_THREADS", "7")
    assert worker_count(None) == 7
    monkeypatch.setenv("ABUT_NUM_THREADS", "-1")
    assert worker_count(None) == CORES


def test_what_is_set_goes_before_the_environment(monkeypatch):
    monkeypatch.setenv("ABUT_NUM_THREADS", "7")
    abut.set_num_threads(3)
    assert worker_count(None) == 3
    assert worker_count(2) == 2
    abut.set_num_threads(-1)
    assert worker_count(None) == CORES
    abut.set_num_threads(None)
    assert worker_count(None) == 7


@pytest.mark.parametrize(("text", "count"), [("4,2", 4), ("0", CORES), ("x", CORES), ("", CORES)])
def test_openmps_variable_is_read_as_openmp_reads_it(monkeypatch, text, count):
    monkeypatch.setenv("OMP_NUM_THREADS", text)
    assert worker_count(None) == count


@pytest.mark.parametrize("text", ["two", "1.5", "0", "-2", "99999"])
def test_wrong_number_in_our_variable_is_an_error(monkeypatch, text):
    monkeypatch.setenv("ABUT_NUM_THREADS", text)
    with pytest.raises(ValueError, match="ABUT_NUM_THREADS is '?" + text):
        worker_count(None)
    assert worker_count(1) == 1


@pytest.mark.parametrize("n", [0, -2, 1025, 10**30])
def test_numbers_that_there_are_not(n):
    with pytest.raises(ValueError, match=f"n is {n}, but must be 1 to 1024, or -1 for all cores"):
        abut.set_num_threads(n)
    with pytest.raises(ValueError, match=f"workers is {n}, but must be"):
        worker_count(n)


@pytest.mark.parametrize("count", [0, 1, FEW_SPHERES])
def test_few_spheres_need_one_thread(count, monkeypatch):
    assert worker_count(None, count) == 1
    monkeypatch.setenv("OMP_NUM_THREADS", "5")
    assert worker_count(None, count) == 1 and worker_count(None, FEW_SPHERES + 1) == 5
    monkeypatch.setenv("ABUT_NUM_THREADS", "7")
    assert worker_count(None, count) == 7 and worker_count(3, count) == 3


def test_wrong_numbers_are_errors_for_few_spheres(monkeypatch):
    finder = abut.ContactFinder(ground(2))
    with pytest.raises(ValueError, match="workers is 0"):
        finder.find(above(1, 2), 1.0, workers=0)
    monkeypatch.setenv("ABUT_NUM_THREADS", "two")
    with pytest.raises(ValueError, match="ABUT_NUM_THREADS is 'two'"):
        finder.find(above(1, 2), 1.0)


# ---- Python's threads ----------------------------------------------------------------------------


def ground(cells):
    """Rough ground of two triangles a cell, unit cells, and its finder."""
    rows = cells + 1
    x, y = np.meshgrid(np.arange(rows), np.arange(rows), indexing="ij")
    height = np.random.default_rng(1).uniform(0, 0.1, rows * rows)
    first = (np.arange(cells)[:, None] * rows + np.arange(cells)).ravel()
    lower, upper = (0, rows, rows + 1), (0, rows + 1, 1)
    facets = np.concatenate([first[:, None] + lower, first[:, None] + upper])
    return abut.Mesh(np.column_stack([x.ravel(), y.ravel(), height]), facets)


def above(count, cells, seed=2):
    return np.random.default_rng(seed).uniform((0, 0, 0.3), (cells, cells, 0.6), (count, 3))


def test_lock_is_released():
    finder, centers = abut.ContactFinder(ground(50)), above(10_000, 50)
    finder.find(centers[:1], 20.0)
    counted, done = 0, threading.Event()

    def query():
        finder.find(centers, 20.0, workers=1)
        done.set()

    thread = threading.Thread(target=query)
    start = time.perf_counter()
    thread.start()
    while not done.is_set():
        counted += 1
        time.sleep(1e-3)
    elapsed = time.perf_counter() - start
    thread.join()
    # with the lock held, this loop would stand still; a busy machine slows it down
    assert elapsed > 0.05 and counted > 10


def test_four_python_threads_share_one_finder():
    # each thread needs bins that the finder has not built yet
    radii = (0.5, 1.0, 2.0, 4.0)
    centers = above(3000, 40)
    mesh = ground(40)
    expected = [abut.ContactFinder(mesh).find(centers, radius) for radius in radii]
    for _ in range(5):
        finder = abut.ContactFinder(mesh)
        found = [None] * 4
        start = threading.Barrier(4)

        def query(k, finder=finder, found=found, start=start):
            start.wait()
            found[k] = finder.find(centers, radii[k], workers=2)

        threads = [threading.Thread(target=query, args=(k,)) for k in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert found == expected


# ---- forks, signals and memory, in processes of their own ----------------------------------------


def start_child(body):
    """Run Python source after this file's `ground` and `above` in a process of its own."""
    source = textwrap.dedent(body)
    paths = [os.path.dirname(__file__), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(paths),
        "PYTHONUNBUFFERED": "1",
    }
    return subprocess.Popen(
        [sys.executable, "-c", "from test_threads import *\n" + source],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=environment,
    )


def finish(child, timeout=60):
    try:
        output, _ = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        child.kill()
        pytest.fail(f"the child hangs after {child.communicate()[0]!r}")
    return output


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forked_child_of_a_parent_that_used_threads():
    child = start_child(
        """
        import warnings
        finder, centers = abut.ContactFinder(ground(30)), above(5000, 30)
        expected = finder.find(centers, 1.0, workers=3)
        warnings.simplefilter("ignore", DeprecationWarning)  # of a fork beside threads
        pid = os.fork()
        same = finder.find(centers, 1.0, workers=3) == expected
        fresh = abut.ContactFinder(ground(30)).find(centers, 1.0, workers=3) == expected
        other = len(finder.find(centers, 3.0, workers=3)) > 0
        if pid == 0:
            os._exit(0 if same and fresh and other else 3)
        _, status = os.waitpid(pid, 0)
        print("child", os.waitstatus_to_exitcode(status), "parent", same, fresh, other)
        """
    )
    assert finish(child) == "child 0 parent True True True\n"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_pool_of_forked_processes():
    child = start_child(
        """
        import multiprocessing
        finder, centers = abut.ContactFinder(ground(20)), above(2000, 20)
        expected = finder.find(centers, 1.0, workers=2)
        def count(part):
            return len(finder.find(part, 1.0, workers=2))
        with multiprocessing.get_context("fork").Pool(2) as pool:
            found = sum(pool.map(count, np.array_split(centers, 4)))
        print(found == len(expected))
        """
    )
    assert finish(child) == "True\n"


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGINT to a child on this system")
def test_ctrl_c_ends_a_long_query(workers):
    child = start_child(
        f"""
        finder, centers = abut.ContactFinder(ground(100)), above(60_000, 100)
        expected = finder.find(centers[:5], 100.0)
        print("ready")
        try:
            finder.find(centers, 100.0, workers={workers})
            print("the query ran to its end")
        except KeyboardInterrupt:
            print("interrupted", time.time())
        print(finder.find(centers[:5], 100.0, workers={workers}) == expected)
        """
    )
    assert child.stdout.readline() == "ready\n"
    time.sleep(0.5)
    pressed = time.time()
    child.send_signal(signal.SIGINT)
    word, when, *rest = finish(child).split()
    assert word == "interrupted" and rest == ["True"]
    # of a query that would take a minute and more
    assert float(when) - pressed < 5.0


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGALRM on this system")
def test_signal_handlers_run_during_a_query():
    child = start_child(
        """
        handled = []
        def handler(number, frame):
            handled.append(number)
            if len(handled) == 3:
                raise RuntimeError("third alarm")
        signal.signal(signal.SIGALRM, handler)
        finder, centers = abut.ContactFinder(ground(100)), above(60_000, 100)
        signal.setitimer(signal.ITIMER_REAL, 0.2, 0.2)
        try:
            finder.find(centers, 100.0)
        except RuntimeError as error:
            print(error, len(handled))
        """
    )
    assert finish(child) == "third alarm 3\n"


@pytest.mark.skipif("asan" in os.environ.get("LD_PRELOAD", ""), reason="ASan needs all addresses")
@pytest.mark.skipif(sys.platform != "linux", reason="no limit of the address space on this system")
def test_query_that_does_not_fit_into_memory():
    child = start_child(
        """
        import resource
        finder, centers = abut.ContactFinder(ground(100)), above(2000, 100)
        expected = finder.find(centers, 1.0, workers=1)
        finder.find(centers[:1], 100.0, workers=1)
        pages = int(open("/proc/self/statm").read().split()[0])
        resource.setrlimit(resource.RLIMIT_AS, (pages * resource.getpagesize() + 2**26, -1))
        try:
            finder.find(centers, 100.0, resolution="all", workers=1)
        except MemoryError:
            print("MemoryError")
        print(finder.find(centers, 1.0, workers=1) == expected)
        """
    )
    assert finish(child) == "MemoryError\nTrue\n"
