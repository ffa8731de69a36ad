"""Time a packing in a periodic cell that is sheared, relative to the same packing at rest.

    python benchmarks/sheared.py                       # 100,000 spheres, some minutes
    python benchmarks/sheared.py --spheres 10000 --rates 0.1,1,10

The packing grows to a solid fraction of 0.62 in a cube. At each rate it shears by a strain of 0.01;
a copy of it comes to rest. Both take turns on one thread. The ratio compares the processor times of
their fastest rounds. Each round has at least one new neighbor list if the strain between two lists
is below the strain of a round, which is printed with the number of lists.
"""

import argparse
import tempfile
import time

import numpy as np

import dem_scenes

SOLID = 0.62  # grains touch and bear a pressure
SETTLING = 3_000  # steps in which the spheres grow


def packed(count, folder):
    """A simulation of spheres at rest that touch, in a periodic cube."""
    scene = dem_scenes.make("spheres-1", count, SETTLING, folder)
    growth = np.cbrt(SOLID / dem_scenes.VOLUME_FRACTION)
    scene = scene._replace(radii=growth * scene.radii, velocities=0.0 * scene.velocities)
    sim = dem_scenes.simulation(scene)
    with dem_scenes.quietly():
        sim.run(steps=SETTLING)
    return sim


def sheared(sim, rate):
    """A copy of the simulation, sheared at a steady rate by a strain of 0.01."""
    moving = sim.copy()
    moving.deform_cell(rate=rate * np.outer([1, 0, 0], [0, 1, 0]))
    moving.run(0.01 / rate)
    return moving


def resting(moving):
    """A copy of a sheared simulation, in the same cell, which stands still."""
    still = moving.copy()
    still.deform_cell(rate=np.zeros((3, 3)))
    still.run(steps=SETTLING)
    return still


def times_of(simulations, steps, rounds):
    """The shortest processor time of a round, and the lists made in all rounds."""
    times = np.full((rounds, len(simulations)), np.inf)
    before = [sim.statistics().lists_moved for sim in simulations]
    for turn in range(rounds):
        for k, sim in enumerate(simulations):
            begin = time.process_time()
            sim.run(steps=steps)
            times[turn, k] = time.process_time() - begin
    made = [
        sim.statistics().lists_moved - first for sim, first in zip(simulations, before, strict=True)
    ]
    return times.min(axis=0), made


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spheres", type=int, default=100_000)
    parser.add_argument("--rates", default="0.01,0.1", help="shear rates in 1/s")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=200, help="steps in each round")
    parser.add_argument("--states", help="folder that keeps the grown packing")
    options = parser.parse_args()
    print("rate     I         sheared   at rest   ratio  strain of a round  lists")
    with tempfile.TemporaryDirectory() as folder:
        start = packed(options.spheres, options.states or folder)
    for rate in map(float, options.rates.split(",")):
        print(row_of(start, rate, options.steps, options.rounds), flush=True)


def row_of(start, rate, steps, rounds):
    """A line of the table: processor times in ns for a sphere and a step, and their ratio."""
    moving = sheared(start, rate)
    times, lists = times_of([moving, resting(moving)], steps, rounds)
    moved, stood = 1e9 * times / (steps * len(start.radii))
    strain = rate * steps * start.step
    return (
        f"{rate:<8g} {inertial_number(moving, rate):<9.2g} {moved:<9.1f} {stood:<9.1f} "
        f"{moved / stood:<6.3f} {strain:<18.2g} {lists[0]} and {lists[1]}"
    )


def inertial_number(sim, rate):
    """The inertial number of a sheared packing, with the mean diameter."""
    pressure = np.trace(sim.stress()) / 3.0
    return rate * 2.0 * sim.radii.mean() * np.sqrt(dem_scenes.GRAIN.density / pressure)


if __name__ == "__main__":
    main()
