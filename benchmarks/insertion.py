"""Time steps in which spheres are inserted, removed, or wait for a free place.

    python benchmarks/insertion.py --spheres 280
    python benchmarks/insertion.py --fed 20000 --every 5
    python benchmarks/insertion.py --rain 5000

First scene: a box is full of spheres at rest, so that an insertion finds no free place. Shown are
microseconds per step without and with the insertion, their ratio, and its number of attempts.

Second scene: spheres rain into a box by an `Insertion`, one by one, or the same number in batches
of 20, each tried as soon as it is complete. Shown are the ratio of processor times, and how often
neighbor lists were made.

Other scenes: spheres are added to or removed from a bed at rest, one every few steps, or 20 at a
time at the same rate. They are added above the bed, removed above the bed, or removed from its
highest layer. Shown are microseconds of processor time per step, and the ratio of both.
"""

import argparse
import itertools
import time

import numpy as np

import abut

GRAIN, RADIUS, STEP = abut.Material(density=2500.0, young=1e7), 0.01, 1e-5


def simulation(count, waits, apart=1.0):
    """Spheres on a cubic lattice, `apart` diameters apart; if `waits`, with an insertion."""
    side = int(np.ceil(count ** (1 / 3)))
    places = np.stack(np.unravel_index(np.arange(count), (side,) * 3)[::-1], axis=1)
    sim = abut.Simulation(STEP)
    for other in (GRAIN, abut.Material()):
        sim.set_law(GRAIN, other, abut.Hertz(0.5, 0.5))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)))
    sim.add_spheres((2 * places + 1) * apart * RADIUS, RADIUS, GRAIN)
    if waits:
        width = 2 * side * RADIUS
        box = [[0, 0, 0], [width, width, 0.8 * width]]
        sim.add_insertion(abut.Insertion(box, RADIUS, 1000.0, GRAIN))
    return sim


def microseconds(sim, steps):
    begin = time.perf_counter()
    sim.run(steps=steps)
    return 1e6 * (time.perf_counter() - begin) / steps


def count_looks(sim, steps):
    """Run steps; returns how often an insertion draws a place."""
    asked, draw = [], abut.Insertion.draw

    def counted(*arguments):
        asked.append(1)
        return draw(*arguments)

    abut.Insertion.draw = counted
    try:
        sim.run(steps=steps)
    finally:
        abut.Insertion.draw = draw
    return len(asked)


# ---- rain ----------------------------------------------------------------------------------------


class InBatches(abut.Insertion):
    """An insertion by which grains become due in batches."""

    def due(self, time_elapsed):
        number = super().due(time_elapsed)
        return number - number % BATCH

    def next_time(self, state):
        return (state.inserted // BATCH + 1) * BATCH / self.rate


def rain(given, kind):
    """Seconds that grains take to rain into a box, and how often neighbor lists were made."""
    side = 2.0 * RADIUS * np.ceil(np.sqrt(given.rain / 8))
    sim = abut.Simulation(4 * STEP)
    for other in (GRAIN, abut.Material()):
        sim.set_law(GRAIN, other, abut.Hertz(0.5, 0.5))
    for place, normal in (
        ((0, 0, 0), (0, 0, 1)),
        ((0, 0, 0), (1, 0, 0)),
        ((0, 0, 0), (0, 1, 0)),
        ((side, side, 0), (-1, 0, 0)),
        ((side, side, 0), (0, -1, 0)),
    ):
        sim.add_wall(abut.HalfSpace(place, normal), abut.Material())
    rate = 1.0 / (given.every * sim.step)
    box = [[0, 0, 0.5], [side, side, 0.5 + 10 * RADIUS]]
    sim.add_insertion(kind(box, RADIUS, rate, GRAIN, velocity=(0, 0, -1)))
    begin = time.process_time()
    sim.run(steps=given.every * given.rain)
    lists = sim.statistics()
    return time.process_time() - begin, lists.lists_moved + lists.lists_changed, len(sim.ids)


def print_rain(given):
    rounds = [
        [rain(given, kind) for kind in (abut.Insertion, InBatches)] for _ in range(given.rounds)
    ]
    times = np.min([[run[0] for run in both] for both in rounds], axis=0)
    (_, one, count), (_, several, _) = rounds[0]
    print(
        f"{count} spheres rain in, one every {given.every} steps: {times[0]:.2f} s of processor"
        f" time,\n{times[1]:.2f} in batches of {BATCH}: {times[0] / times[1]:.2f} times as long;"
        f" {one} and {several} neighbor lists"
    )


# ---- spheres that are added and removed ----------------------------------------------------------

BATCH = 20


def bed_and_places(count, others):
    """A simulation of a bed, and places above it for other spheres."""
    sim = simulation(count, waits=False)
    side = int(np.ceil(count ** (1 / 3)))
    numbers = np.arange(others)
    places = np.stack([numbers % side, numbers // side % side, numbers // side**2], axis=1)
    return sim, RADIUS * (2.1 * places + [1.0, 1.0, 2 * side + 2.0])


def timed(sim, others, every, batch, change):
    """Microseconds per step, with a batch of the others added or removed at regular times."""
    batches = iter(np.split(others, range(batch, len(others), batch)))

    def next_batch(sim):
        for some in itertools.islice(batches, 1):
            change(some)

    sim.run(steps=20)
    sim.every(every * batch * sim.step, next_batch)
    begin = time.process_time()
    sim.run(steps=every * len(others))
    return 1e6 * (time.process_time() - begin) / (every * len(others))


def come(given, batch):
    sim, places = bed_and_places(given.fed, given.arrivals)
    return timed(sim, places, given.every, batch, lambda some: sim.add_spheres(some, RADIUS, GRAIN))


def leave(given, batch):
    sim, places = bed_and_places(given.fed, given.arrivals)
    ids = sim.add_spheres(places, RADIUS, GRAIN)
    return timed(sim, ids, given.every, batch, sim.remove_spheres)


def leave_bed(given, batch):
    sim = simulation(given.fed, waits=False, apart=0.9999)
    return timed(sim, sim.ids[-given.arrivals :], given.every, batch, sim.remove_spheres)


def print_changes(given, what, change):
    rounds = [[change(given, batch) for batch in (1, BATCH)] for _ in range(given.rounds)]
    one, several = np.min(rounds, axis=0)
    print(
        f"{given.fed} spheres, of which one {what} every {given.every} steps: {one:.0f} us a step,"
    )
    print(f"{several:.0f} where {BATCH} do at once: {one / several:.2f} times as long")


# ---- the command ---------------------------------------------------------------------------------


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--spheres", type=int, default=280)
    parser.add_argument("--steps", type=int, default=1000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--fed", type=int, default=20_000, help="number of spheres in the bed")
    parser.add_argument("--arrivals", type=int, default=200)
    parser.add_argument("--every", type=int, default=5, help="steps between two spheres")
    parser.add_argument("--rain", type=int, help="number of spheres that rain in; only this scene")
    given = parser.parse_args(arguments)
    if given.rain is not None:
        print_rain(given)
        return
    with_one, without = (simulation(given.spheres, waits) for waits in (True, False))
    rounds = [
        [microseconds(sim, given.steps) for sim in (without, with_one)] for _ in range(given.rounds)
    ]
    shortest, ratio = np.min(rounds, axis=0), np.median([b / a for a, b in rounds])
    looks = count_looks(with_one, given.steps)
    print(f"{given.spheres} spheres: {shortest[0]:.1f} us a step, {shortest[1]:.1f} with one that")
    print(f"waits: {ratio:.2f} times as long; {looks} looks in {given.steps} steps")
    print_changes(given, "comes", come)
    print_changes(given, "leaves", leave)
    print_changes(given, "leaves the bed", leave_bed)


if __name__ == "__main__":
    main()
