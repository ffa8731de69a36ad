"""Time a second thread: its gain on free cores, and its cost on busy cores.

    python benchmarks/threads.py                 # free cores, then one busy program per core
    python benchmarks/threads.py --load free --seconds 20

Each line is a separate process with the OMP_WAIT_POLICY that it names. OpenMP's idle threads spin
for some ms (default), or sleep immediately (passive). Blocks of queries on one thread and on two
take turns. `best` compares the shortest times, which are those of free cores. `mean` compares the
mean times, which a user of a busy machine experiences.
"""

import argparse
import contextlib
import os
import subprocess
import sys
import time

import numpy as np

import abut
import pair_scenes
import scenes

POLICIES = {"default": None, "passive": "passive"}
BLOCK = 0.1  # seconds of a block of queries

PAIR_COUNTS = (5_000, 20_000, 100_000, 1_000_000)
WALL_COUNTS = (5_000, 20_000, 100_000, 1_000_000)


def wall(count):
    scene = scenes.make("wall", count)
    finder = abut.ContactFinder(abut.Mesh(scene.vertices, scene.facets))
    return lambda workers: finder.find(scene.centers, scene.radii, workers=workers)


def pairs(count):
    scene = pair_scenes.make("omega-1", count)
    finder = abut.PairFinder(scene.radii)
    return lambda workers: finder.find(scene.centers, workers=workers)


def disks(count):
    rng = np.random.default_rng(1)
    centers = rng.random((count, 2)) * count**0.5
    finder = abut.PairFinder(np.full(count, 0.5))
    return lambda workers: finder.find(centers, workers=workers)


SCENES = {
    "disks 10000": lambda: disks(10_000),
    **{f"pairs {count}": lambda count=count: pairs(count) for count in PAIR_COUNTS},
    **{f"wall {count}": lambda count=count: wall(count) for count in WALL_COUNTS},
}


def block(find, workers):
    """Times of the queries in a block, without the first two.

    After these, memory is warm and the threads of the previous block sleep."""
    times, end = [], time.perf_counter() + BLOCK
    while len(times) < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        find(workers)
        times.append(time.perf_counter() - start)
    return times[2:]


def measure(name, seconds):
    """The times of queries in seconds, on one thread and on two."""
    find, times = SCENES[name](), {1: [], 2: []}
    end = time.perf_counter() + seconds
    while not times[2] or time.perf_counter() < end:
        for workers, of_workers in times.items():
            of_workers += block(find, workers)
    return times[1], times[2]


def print_row(name, seconds):
    one, two = measure(name, seconds)
    best, mean = [f(one) / f(two) for f in (min, np.mean)]
    micros = " ".join(f"{f(of) * 1e6:9.0f}" for f in (min, np.mean) for of in (one, two))
    print(f"{name:14} {micros} {best:6.2f} {mean:6.2f}", flush=True)


@contextlib.contextmanager
def load(is_busy):
    """Context in which, if `is_busy`, each core has a program that computes all the time."""
    count = os.cpu_count() if is_busy else 0
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(count)]
    try:
        yield
    finally:
        for other in others:
            other.kill()
            other.wait()


def environment(policy):
    """The environment of a process with this wait policy."""
    rest = {name: value for name, value in os.environ.items() if name != "OMP_WAIT_POLICY"}
    return rest if policy is None else {**rest, "OMP_WAIT_POLICY": policy}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", default=",".join(SCENES), help="default: %(default)s")
    parser.add_argument("--load", choices=["free", "busy", "both"], default="both")
    parser.add_argument("--seconds", type=float, default=4.0, help="duration of each line")
    parser.add_argument("--row", action="store_true", help="measure in this process and print JSON")
    options = parser.parse_args(arguments)
    names = options.scene.split(",")
    if options.row:
        print_row(names[0], options.seconds)
        return
    for state in ["free", "busy"] if options.load == "both" else [options.load]:
        for policy, value in POLICIES.items():
            print(f"\n{state} cores, {policy} wait policy; us, and one thread's over two threads'")
            print(f"{'':14} {'best 1':>9} {'2':>9} {'mean 1':>9} {'2':>9} {'best':>6} {'mean':>6}")
            for name in names:
                command = [sys.executable, __file__, "--row", "--scene", name]
                command += ["--seconds", str(options.seconds)]
                with load(state == "busy"):
                    subprocess.run(command, env=environment(value), check=True)


if __name__ == "__main__":
    main()
