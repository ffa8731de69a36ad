"""What laws of users cost: a settled heap under Hertz' law, built in and written again, in turns.

    python benchmarks/own_laws.py [--spheres 20000] [--turns 7]

The rows have parts of a step by themselves, as `Simulation.statistics` tells; both simulations have
the same bits, which is checked.
"""

import argparse
import math
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import abut

# the built-in laws written again, which tests hold to their bits
sys.path.append(str(Path(__file__).parents[1] / "tests"))
import laws_again

STEP, RADIUS, STEPS = 1e-5, 1e-3, 100


@abut.law
def spring_alone(contact, stiffness):
    """As little as a law can say."""
    return stiffness * max(contact.overlap, 0.0)


def heap(count, law_of):
    """Spheres in a box that press on each other."""
    grain, wall = abut.Material(density=2500, young=1e7), abut.Material()
    sim = abut.Simulation(step=STEP, workers=1)
    for other in (grain, wall):
        sim.set_law(grain, other, law_of(grain, other))
    side = math.ceil(count ** (1.0 / 3.0))
    grid = np.stack(np.meshgrid(*[np.arange(side)] * 3, indexing="ij"), -1).reshape(-1, 3)[:count]
    noise = np.random.default_rng(0).uniform(-0.01, 0.01, grid.shape)
    centers = (grid + 0.5 + noise) * (1.96 * RADIUS)
    length = side * 1.96 * RADIUS
    for axis in range(3):
        normal = np.eye(3)[axis]
        sim.add_wall(abut.HalfSpace(np.zeros(3), normal), wall)
        sim.add_wall(abut.HalfSpace(length * normal, -normal), wall)
    sim.add_spheres(centers, RADIUS, grain)
    return sim


def laws():
    """Each law by its name."""
    built_in = abut.Hertz(friction=0.5, restitution=0.5)

    return {
        "built in": lambda a, b: built_in,
        "again": lambda a, b: laws_again.hertz_as(built_in, a, b),
        "spring alone": lambda a, b: spring_alone(stiffness=1e3),
    }


def seconds_of(sim):
    """Of a run: all of it, and of the laws of pairs."""
    before, begin = sim.statistics().pair_laws, time.perf_counter()
    sim.run(steps=STEPS)
    whole = time.perf_counter() - begin
    return np.array([whole, sim.statistics().pair_laws - before])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spheres", type=int, default=20_000)
    parser.add_argument("--turns", type=int, default=7)
    options = parser.parse_args()
    sims = {name: heap(options.spheres, law_of) for name, law_of in laws().items()}
    found = {name: [] for name in sims}
    for turn in range(options.turns + 1):
        for name, sim in sims.items():
            seconds = seconds_of(sim)
            if turn:
                found[name].append(seconds / STEPS / options.spheres * 1e9)
    same = np.array_equal(sims["built in"].centers, sims["again"].centers)
    print(f"pairs a sphere {len(sims['built in'].pairs) / options.spheres:.2f}, same bits: {same}")
    for name, times in found.items():
        whole, of_laws = (statistics.median(column) for column in zip(*times, strict=True))
        base = statistics.median(time[1] for time in found["built in"])
        print(
            f"{name:14} step {whole:6.1f}, laws of pairs {of_laws:5.1f} ns a sphere, "
            f"{of_laws / base:.2f} of built in"
        )


if __name__ == "__main__":
    main()
