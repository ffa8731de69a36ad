"""Time convex bodies in simulations: a heap of them, and a few among many spheres.

A heap of as many spheres takes turns with the heap of cubes.

    python benchmarks/bodies.py                # a minute
    python benchmarks/bodies.py --rounds 5 --steps 400

Prints microseconds of the fastest round with one worker: for the heaps per body or sphere and step,
for the other scene per step. To compare two versions, run it with each in turns.
"""

import argparse
import itertools

import numpy as np

import abut

CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
SOFT = abut.Material(density=2500, young=5e6, poisson=0.25)
SIZE = 0.004

# parts of a step: the fields of Simulation.statistics() with their times
PARTS = [
    "neighbors", "find_walls", "wall_laws", "pair_laws", "sums", "move", "order",
    "find_bodies", "body_laws",
]  # fmt: skip


def lattice(counts, pitch, rng):
    places = np.array(list(itertools.product(*map(range, counts)))) + 0.5
    return pitch * (places + rng.uniform(-0.02, 0.02, places.shape))


def box(side):
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, -9.81), workers=1)
    sim.set_law(SOFT, SOFT, abut.Linear(2e4, friction=0.4, restitution=0.3))
    for axis, sign in [(2, 1), (0, 1), (0, -1), (1, 1), (1, -1)]:
        normal = np.zeros(3)
        normal[axis] = sign
        sim.add_wall(abut.HalfSpace((0, 0, 0) if sign > 0 else (side, side, 0), normal), SOFT)
    return sim


def add_cubes(sim, places, rng):
    """Add cubes that are turned a little, so that they do not overlap."""
    turns = rng.normal(0, 0.02, size=(len(places), 4)) + [0, 0, 0, 1]
    sim.add_bodies(abut.ConvexShape(CUBE), places, SOFT, orientations=turns, scales=SIZE)


def heap(count, add):
    """A simulation of particles that fall into a box."""
    rng = np.random.default_rng(1)
    pitch, side = 2.4 * SIZE, 7
    sim = box(side * pitch)
    add(sim, lattice((side, side, -(-count // side**2)), pitch, rng)[:count], rng)
    return sim


def add_spheres(sim, places, rng):
    sim.add_spheres(places, SIZE, SOFT)


def few_among(bodies, spheres):
    """A simulation of spheres that fall into a box, with cubes in their middle."""
    rng = np.random.default_rng(2)
    pitch = 2.05 * SIZE
    side = round(spheres ** (1 / 3))
    sim = box(side * pitch)
    places = lattice((side, side, -(-spheres // side**2)), pitch, rng)[:spheres]
    around = np.array(list(itertools.product((0.25, 0.5, 0.75), repeat=3)))[:bodies] * side * pitch
    add_cubes(sim, around, rng)
    is_free = np.linalg.norm(places[:, None] - around, axis=2).min(axis=1) > 2.8 * SIZE
    sim.add_spheres(places[is_free], SIZE, SOFT)
    return sim


def measure(sim, steps):
    """Seconds per step: all parts, the search for contacts of bodies, and their laws."""
    before = sim.statistics()
    sim.run(steps=steps)
    after = sim.statistics()
    took = {name: (getattr(after, name) - getattr(before, name)) / steps for name in PARTS}
    return np.array([sum(took.values()), took["find_bodies"], took["body_laws"]])


def settled(sim, steps):
    sim.run(steps=steps)
    return sim


def rounds_of(sims, options):
    """Seconds per step of each round (rounds, 3), for simulations that take turns."""
    turns = [[measure(sim, options.steps) for sim in sims] for _ in range(options.rounds)]
    return np.moveaxis(np.array(turns), 1, 0)


def report(name, rounds, count):
    """Print the fastest of some rounds, in microseconds per step, divided by `count`."""
    whole, finding, laws = 1e6 * np.min(rounds, axis=0) / count
    apart = 1e6 * np.min(rounds[:, 0] - rounds[:, 1]) / count
    print(
        f"{name}: all {whole:.2f} us, finding {finding:.2f}, laws {laws:.2f}, "
        f"apart from finding {apart:.2f}"
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--bodies", type=int, default=500, help="number in the heap")
    parser.add_argument("--spheres", type=int, default=20000, help="spheres around 20 bodies")
    parser.add_argument("--steps", type=int, default=200, help="steps in each round")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args()
    # cubes come to rest in stacks, spheres fall into denser places
    heaps = [
        settled(heap(options.bodies, add_cubes), 8000),
        settled(heap(options.bodies, add_spheres), 25_000),
    ]
    cubes, spheres = rounds_of(heaps, options)
    report("heap, a body and step", cubes, options.bodies)
    report("heap of spheres, a sphere and step", spheres, options.bodies)
    print(f"a body takes as long as {np.median(cubes[:, 0] / spheres[:, 0]):.1f} spheres")
    (few,) = rounds_of([settled(few_among(20, options.spheres), 300)], options)
    report("20 bodies among spheres, a step", few, 1)


if __name__ == "__main__":
    main()
