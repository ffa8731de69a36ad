"""Time a step in Python beyond its search: poses, contact history, sums, and single-step runs.

    python benchmarks/overhead.py

Entrants take turns; a row shows the shortest time of each in microseconds.
"""

import argparse
import math
import time

import numpy as np

import abut

ROUNDS = 300

# slow entrants have fewer rounds by this factor, which suffice for their shortest time
FEWER_ROUNDS = 30


def shortest(entrants, rounds):
    """The shortest time of each entrant in microseconds, by name."""
    times = dict.fromkeys(entrants, np.inf)
    for _ in range(rounds):
        for name, run in entrants.items():
            start = time.perf_counter_ns()
            run()
            times[name] = min(times[name], (time.perf_counter_ns() - start) / 1e3)
    return times


def posed(count):
    """A small query without a pose, and with the identity as a pose."""
    centers = np.random.default_rng(1).random((count, 3)) * [1, 1, 3]
    square = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
    finder, pose = abut.ContactFinder(square), np.eye(4)
    return {
        "without a pose": lambda: finder.find(centers, 0.05, workers=1),
        "with a pose": lambda: finder.find(centers, 0.05, workers=1, poses=pose),
    }


def bumpy_floor(side):
    """An uneven floor with facets a little larger than the spheres."""
    x, y = np.meshgrid(np.arange(0, side + 2, 2.0), np.arange(0, side + 2, 2.0))
    vertices = np.column_stack([x.ravel(), y.ravel(), 0.02 * np.sin(x + 2 * y).ravel()])
    numbers = np.arange(x.size).reshape(x.shape)
    corner, right, top = (
        numbers[:-1, :-1].ravel(),
        numbers[:-1, 1:].ravel(),
        numbers[1:, :-1].ravel(),
    )
    lower = np.column_stack([corner, right, top])
    upper = np.column_stack([right, top + 1, top])
    return abut.Mesh(vertices, np.concatenate([lower, upper]))


def carried(count):
    """A search with about `count` contacts on a turning floor, and the transfer of history."""
    side = math.isqrt(count)
    x, y = np.meshgrid(np.arange(side) + 0.5, np.arange(side) + 0.5)
    centers = np.column_stack([x.ravel(), y.ravel(), np.full(x.size, 0.48)])
    finder = abut.ContactFinder(bumpy_floor(side))
    turn = np.array([[1, -1e-9, 0, 0], [1e-9, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]])
    for _ in range(8):
        before = finder.find(centers, 0.5)
    now = finder.find(centers + 1e-4, 0.5, poses=turn)
    springs = np.cross(before.normal, [0.3, -0.2, 0.7])
    return {
        "find": lambda: finder.find(centers + 1e-4, 0.5, poses=turn),
        "match": lambda: now.match(before),
        "carry with its match": lambda: now.carry(springs, before),
    }


def summed(count):
    """The forces on the spheres from about `count` pairs, by numpy.add.at and by `sum`."""
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
    """A search with about `count` pairs, and the other work of a loop with springs."""
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


def run_singly(count, steps=20):
    """Steps of touching spheres in a periodic box: in one call of `run`, and one call per step."""
    side = round(count ** (1 / 3))
    grain = abut.Material(density=1000, young=1e7)
    sim = abut.Simulation(1e-6, gravity=(0, 0, 0), period=[1.98 * side] * 3, workers=1)
    sim.set_law(grain, grain, abut.Hertz(friction=0.5))
    places = np.stack(np.unravel_index(np.arange(side**3), [side] * 3), axis=1)
    sim.add_spheres(1.98 * places, 1.0, grain)
    sim.run(steps=steps)

    def by_calls():
        for _ in range(steps):
            sim.run(steps=1)

    return {"one call": lambda: sim.run(steps=steps), "a call for each": by_calls}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    rounds = parser.parse_args(arguments).rounds
    for title, entrants, part in (
        ("20 spheres and a square", posed(20), 1),
        ("2,000 spheres and a square", posed(2_000), 1),
        ("3,000 contacts from step to step", carried(3_000), 1),
        ("1,000,000 contacts from step to step", carried(1_000_000), FEWER_ROUNDS),
        ("3,000 pairs from step to step", stepped(3_000), 1),
        ("1,000,000 pairs from step to step", stepped(1_000_000), FEWER_ROUNDS),
        ("3,000 pairs", summed(3_000), 1),
        ("100,000 pairs", summed(100_000), 1),
        ("20 steps of 1,000 spheres", run_singly(1_000), 1),
        ("20 steps of 8,000 spheres", run_singly(8_000), FEWER_ROUNDS),
    ):
        times = shortest(entrants, -(-rounds // part))
        print(title + ": " + ", ".join(f"{name} {one:.1f} µs" for name, one in times.items()))


if __name__ == "__main__":
    main()
