"""The memory of results: what the caller drops is used again, and given back in time."""

import gc
import os
import subprocess
import sys
import textwrap
import threading
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from numpy._core.multiarray import get_handler_name

import abut

pytestmark = pytest.mark.native

# the columns of so many contacts are of the pool, but for those of bytes
N = 40_000
ROWS = ("sphere", "facet", "feature", "point", "normal", "overlap", "node_offsets", "offsets")


@pytest.fixture
def finder():
    return abut.ContactFinder(abut.Mesh([[0, 0, 0], [9, 0, 0], [0, 9, 0]], [[0, 1, 2]]))


def above(count):
    """Spheres that touch the triangle, with a contact each."""
    return np.random.default_rng(8).uniform((0, 0, 0.1), (4, 4, 0.4), (count, 3)), 0.5


def spans(contacts):
    """The addresses at which each large column begins and ends."""
    begins = {name: getattr(contacts, name).__array_interface__["data"][0] for name in ROWS}
    return {name: (begin, begin + getattr(contacts, name).nbytes) for name, begin in begins.items()}


def pages(contacts):
    return {page for a, b in spans(contacts).values() for page in range(a // 4096 + 1, b // 4096)}


def test_dropped_memory_is_used_again(finder):
    contacts = finder.find(*above(N))
    first = pages(contacts)
    del contacts
    assert pages(finder.find(*above(N))) == first


def test_kept_results_stay_as_they_are(finder):
    kept = [finder.find(*above(N)) for _ in range(3)]
    columns = [contacts.overlap.copy() for contacts in kept]
    for _ in range(3):
        finder.find(above(N)[0] + (0, 0, 0.01), 0.5)
    assert all((a.overlap == b).all() for a, b in zip(kept, columns, strict=True))
    assert not pages(kept[0]) & pages(kept[1]) and not pages(kept[1]) & pages(kept[2])


def test_a_column_alone_keeps_its_memory(finder):
    overlap = finder.find(*above(N)).overlap
    before = overlap.copy()
    begin = overlap.__array_interface__["data"][0]
    found = [finder.find(above(N)[0] + (0, 0, 0.01), 0.5) for _ in range(3)]
    assert (overlap == before).all()
    for contacts in found:
        assert all(b <= begin or a >= begin + overlap.nbytes for a, b in spans(contacts).values())


def test_columns_do_not_overlap(finder):
    for count in (N, N + 5000, N // 2, 2 * N):
        ends = sorted(spans(finder.find(*above(count))).values())
        assert all(a[1] <= b[0] for a, b in pairwise(ends))


def test_columns_are_ordinary_arrays(finder):
    for _ in range(3):
        contacts = finder.find(*above(N))
        for name in ROWS:
            column = getattr(contacts, name)
            assert type(column) is np.ndarray and column.base is None and column.flags.owndata
            assert get_handler_name(column) == "abut"
            assert column.__array_interface__["data"][0] % 64 == 0


def test_columns_may_be_resized(finder):
    overlap = finder.find(*above(N)).overlap
    for count in (2 * N, 3 * N // 2, 100, 2):
        before = overlap.copy()
        overlap.resize(count, refcheck=False)
        same = min(count, len(before))
        assert (overlap[:same] == before[:same]).all() and not overlap[same:].any()


def test_zeros_in_used_memory():
    mesh = abut.Mesh([[0, 0, 0], [9, 0, 0], [0, 9, 0]], [[0, 1, 2]])
    finder = abut.ContactFinder([mesh, mesh.transformed(np.diag([1, -1, -1, 1]))])
    for _ in range(3):
        contacts = finder.find(*above(N), period=(20, None, None))
        assert get_handler_name(contacts.mesh) == get_handler_name(contacts.image) == "abut"
        assert not contacts.image.any() and set(contacts.mesh) == {0}
        contacts.mesh[:], contacts.image[:] = 7, 7
        del contacts


def test_arrays_outlive_the_finder(finder):
    contacts = finder.find(*above(N))
    expected = contacts.overlap.copy()
    finder.find(*above(N))
    column = contacts.overlap
    del finder, contacts
    gc.collect()
    again = abut.ContactFinder(abut.Mesh([[0, 0, 0], [9, 0, 0], [0, 9, 0]], [[0, 1, 2]]))
    again.find(*above(N))
    assert (column == expected).all()


def test_dropped_by_other_threads(finder):
    results, expected = [], finder.find(*above(N))

    def drop():
        while results:
            try:
                assert results.pop() == expected
            except IndexError:
                return

    for _ in range(3):
        results += [finder.find(*above(N)) for _ in range(6)]
        threads = [threading.Thread(target=drop) for _ in range(3)]
        for thread in threads:
            thread.start()
        found = [finder.find(*above(N)) for _ in range(3)]
        for thread in threads:
            thread.join()
        assert all(contacts == expected for contacts in found) and not results


def test_tracemalloc_counts_columns_once(finder):
    finder.find(*above(N))
    tracemalloc.start()
    try:
        contacts = finder.find(*above(N))
        size = sum(column.nbytes for column in vars(contacts).values() if hasattr(column, "nbytes"))
        assert size <= tracemalloc.get_traced_memory()[0] <= size + 100_000
        del contacts
        assert tracemalloc.get_traced_memory()[0] < 100_000
    finally:
        tracemalloc.stop()


# ---- how long memory is kept, in processes of their own ------------------------------------------


def run(body):
    """The words that Python source prints that knows `finder`, `above` and `resident`."""
    preamble = """
        import abut, numpy as np
        from test_pool import above
        mesh = abut.Mesh([[0, 0, 0], [9, 0, 0], [0, 9, 0]], [[0, 1, 2]])
        finder = abut.ContactFinder(mesh)

        def resident():
            # MiB
            return int(open("/proc/self/statm").read().split()[1]) * 4096 // 2**20

        few, many = above(10), above(300_000)
        finder.find(*above(30_000), workers=1)
        begin = resident()
    """
    source = textwrap.dedent(preamble) + textwrap.dedent(body)
    # freed memory is returned to the system immediately
    malloc = {"MALLOC_MMAP_THRESHOLD_": "65536"}
    environment = {**os.environ, **malloc, "PYTHONPATH": os.path.dirname(__file__)}
    done = subprocess.run(
        [sys.executable, "-c", source], capture_output=True, text=True, env=environment, check=True
    )
    return [int(word) for word in done.stdout.split()]


resident = pytest.mark.skipif(
    sys.platform != "linux" or "asan" in os.environ.get("LD_PRELOAD", ""),
    reason="no /proc on this system, or ASan, which keeps what is freed",
)


@resident
def test_memory_that_a_few_queries_do_not_use_is_freed():
    kept, after_four, after_five = run(
        """
        finder.find(*many, workers=1)
        print(resident() - begin)
        for _ in range(4):
            finder.find(*few)
        print(resident() - begin)
        finder.find(*few)
        print(resident() - begin)
        """
    )
    # 121 bytes a contact
    assert kept > 25 and after_four > 25
    assert after_five < 12


@resident
def test_memory_of_a_finder_that_is_gone_is_freed():
    kept, closed, dropped = run(
        """
        contacts = finder.find(*many, workers=1)
        finder.find(*many, workers=1)
        print(resident() - begin)
        del finder
        print(resident() - begin)
        del contacts
        print(resident() - begin)
        """
    )
    assert kept > 60
    assert 25 < closed < 48
    assert dropped < 12


@pytest.mark.ci
@resident
def test_memory_does_not_grow_from_step_to_step():
    first, last = run(
        """
        for step in range(30):
            contacts = finder.find(many[0] + (0, 0, 0.001 * step), 0.4, workers=1)
            if step == 5:
                print(resident() - begin)
        print(resident() - begin)
        """
    )
    assert last <= first + 20
