"""Memory and time per sphere of searches with very many spheres (Linux).

    python benchmarks/many_spheres.py 1e6 1e7 1e8

Each number of spheres runs in a separate process, where a lack of memory raises MemoryError.
Spheres of one size lie on a cubic lattice, each displaced by up to a quarter of a spacing.
`find_pairs` gets all spheres in one call. `find_contacts` searches their contacts with a wavy floor
of 20,000 triangles through the middle, in chunks of CHUNK spheres, which are independent.

Bytes are the peak resident memory of the process less its memory before the call. They do not
include the centers, 24 bytes per sphere. They do include the table of pairs, which is also listed
alone.
"""

import argparse
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

import abut
from dem_memory import reset_mark, resident
from rounds import positive

RADIUS = 0.42  # in lattice spacings
CHUNK = 1_000_000
FLOOR = 100  # squares along a side
COLUMNS = ("i", "j", "normal", "overlap", "point", "image", "offsets")


def centers_of(count):
    """Centers on the disturbed lattice, computed in place to need no other memory."""
    side = int(np.ceil(count ** (1 / 3)))
    centers = np.empty((count, 3))
    rng = np.random.default_rng(1)
    for begin in range(0, count, CHUNK):
        numbers = np.arange(begin, min(begin + CHUNK, count))
        place = np.stack(np.unravel_index(numbers, (side, side, side)), axis=1)
        centers[begin : begin + CHUNK] = place + rng.uniform(-0.25, 0.25, place.shape)
    return centers


def floor_through(centers):
    side = centers[-1, 0] + 1
    x, y = np.meshgrid(*2 * [np.linspace(-1, side, FLOOR + 1)], indexing="ij")
    z = side / 2 + np.sin(8 * np.pi * x / side) * np.sin(6 * np.pi * y / side)
    corner = np.arange((FLOOR + 1) ** 2).reshape(FLOOR + 1, FLOOR + 1)
    a, b, c, d = (
        k.ravel() for k in (corner[:-1, :-1], corner[1:, :-1], corner[1:, 1:], corner[:-1, 1:])
    )
    facets = np.concatenate([np.stack([a, b, c], 1), np.stack([a, c, d], 1)])
    return abut.Mesh(np.stack([x, y, z], axis=-1).reshape(-1, 3), facets)


def measured(call):
    """The result of a call, its seconds, and its peak memory in bytes."""
    reset_mark()
    before, begin = resident("VmRSS"), time.perf_counter()
    found = call()
    return found, time.perf_counter() - begin, resident("VmHWM") - before


def find_in_chunks(finder, centers):
    chunks = range(0, len(centers), CHUNK)
    return sum(len(finder.find(centers[k : k + CHUNK], RADIUS)) for k in chunks)


def measure(count):
    available = 1024 * int(
        re.search(r"MemAvailable:\s*(\d+) kB", Path("/proc/meminfo").read_text())[1]
    )
    resource.setrlimit(resource.RLIMIT_DATA, (available, available))
    try:
        search(count)
    except MemoryError:
        print(f"{count:>11,} spheres: more than the {available / 2**30:.1f} GiB that are free")


def search(count):
    centers = centers_of(count)
    finder = abut.ContactFinder(floor_through(centers))
    contacts, seconds, size = measured(lambda: find_in_chunks(finder, centers))
    tell("find_contacts", count, contacts, seconds, size)
    pairs, seconds, size = measured(lambda: abut.find_pairs(centers, RADIUS))
    table = sum(getattr(pairs, name).nbytes for name in COLUMNS)
    tell("find_pairs", count, len(pairs), seconds, size, f"; {table / count:.0f} of them the table")


def tell(call, count, found, seconds, size, more=""):
    print(
        f"{count:>11,} spheres, {call:13}: {found:>11,} rows, {1e9 * seconds / count:5.0f} ns and "
        f"{size / count:5.1f} bytes a sphere{more}",
        flush=True,
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("counts", nargs="+", type=positive, help="numbers of spheres, as in 1e8")
    parser.add_argument("--here", action="store_true", help="run in this process")
    options = parser.parse_args()
    for count in map(int, options.counts):
        if count < 1:
            parser.error("a count is less than 1")
        elif options.here:
            measure(count)
        else:
            subprocess.run([sys.executable, __file__, "--here", str(count)], check=True)


if __name__ == "__main__":
    main()
