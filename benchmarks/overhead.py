"""What a step in Python takes beside its search: a pose, springs of pairs, and sums over spheres.

    python benchmarks/overhead.py

Entrants take turns; a row shows the shortest time of each in microseconds.
"""

import argparse
import time

import numpy as np

import abut

ROUNDS = 300


def shortest(entrants, rounds):
    """The shortest time of each entrant in microseconds, by its name."""
    times = dict.fromkeys(entrants, np.inf)
    for _ in range(rounds):
        for name, run in entrants.items():
            start = time.perf_counter_ns()
            run()
            times[name] = min(times[name], (time.perf_counter_ns() - start) / 1e3)
    return times


def posed(count):
    """A small query without a pose, and with one that moves nothing."""
    centers = np.random.default_rng(1).random((count, 3)) * [1, 1, 3]
    square = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
    finder, pose = abut.ContactFinder(square), np.eye(4)
    return {
        "without a pose": lambda: finder.find(centers, 0.05, workers=1),
        "with a pose": lambda: finder.find(centers, 0.05, workers=1, poses=pose),
    }


def summed(count):
    """The forces on the spheres of about as many pairs, by numpy.add.at and by sum."""
    rng = np.random.default_rng(2)
    centers = rng.random((count, 3)) * count ** (1 / 3)
    pairs = abut.find_pairs(centers, 0.5 * 0.78)
    forces = pairs.overlap[:, None] * pairs.normal

    def at():
        total = np.zeros((count, 3))
        np.add.at(total, pairs.i, forces)
        np.subtract.at(total, pairs.j, forces)

    return {"numpy.add.at": at, "pairs.sum": lambda: pairs.sum(forces)}


def stepped(count, workers=1):
    """A search of about as many pairs, and what a loop with springs does beside it."""
    rng = np.random.default_rng(3)
    centers = rng.random((count, 3)) * count ** (1 / 3)
    finder = abut.PairFinder(np.full(count, 0.5 * 0.78))
    before = finder.find(centers, workers=workers)
    centers += 0.01 * rng.normal(size=centers.shape)
    pairs = finder.find(centers, workers=workers)
    springs, rows = np.zeros(before.normal.shape), pairs.match(before)
    return {
        "search": lambda: finder.find(centers, workers=workers),
        "match": lambda: pairs.match(before, workers=workers),
        "carry": lambda: pairs.carry(springs, before, rows, workers=workers),
        "match and carry": lambda: pairs.carry(springs, before, workers=workers),
    }


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args(arguments).rounds
    for title, entrants in {
        "20 spheres and a square": posed(20),
        "2,000 spheres and a square": posed(2_000),
        "3,000 pairs": summed(3_000),
        "100,000 pairs": summed(100_000),
        "3,000 pairs from step to step": stepped(3_000),
        "1,000,000 pairs from step to step": stepped(1_000_000),
    }.items():
        times = shortest(entrants, rounds)
        print(title + ": " + ", ".join(f"{name} {one:.1f} µs" for name, one in times.items()))


if __name__ == "__main__":
    main()
