"""Time contact laws: equal grains on a cubic lattice, one simulation per law, in turns.

    python benchmarks/laws.py [--side 20] [--turns 7] [--laws Hertz,JKR]

Each grain touches its six neighbors (three contacts per grain), and all move a little. Prints for
each law the processor time of a step, and its ratio to Hertz' law. "Again" marks Hertz' law with
friction as a user law, in Python compiled by numba, and in C++. Both store a spring and an overlap.
"""

import argparse
import sys
import time
from functools import cache
from pathlib import Path

import numpy as np

import abut
import compiled

# tests/ contains the built-in laws as user laws; tests compare the bits of both
sys.path.append(str(Path(__file__).parents[1] / "tests"))
import laws_again

STEP, RADIUS, STEPS = 1e-5, 1e-3, 100
OVERLAP, NOISE, SPEED = 2e-3, 2e-4, 1e-4  # overlap and noise in radii, speed in m/s
GRAIN = abut.Material(density=2500, young=1e7)
HERTZ = abut.Hertz(friction=0.5, restitution=0.5)


@abut.laws.law
def spring_alone(contact, stiffness):
    """The shortest user law: a linear spring."""
    return stiffness * max(contact.overlap, 0.0)


@cache
def library():
    options = ["-I", abut.laws.get_include(), "-ffp-contract=off", "-fno-math-errno"]
    return compiled.library(Path(__file__).parent / "hertz_again.cpp", options)


def hertz_in_c():
    numbers, damping = HERTZ.numbers(GRAIN, GRAIN), abut.laws.damping_ratio(HERTZ.restitution)
    shear = 8.0 * numbers["shear"]
    damper = 2.0 * damping * np.sqrt(5.0 / 6.0)
    stiffness = numbers["stiffness"]
    parameters = [
        4.0 / 3.0 * stiffness,
        shear,
        damper * np.sqrt(2.0 * stiffness),
        damper * np.sqrt(shear),
        HERTZ.friction,
    ]
    return abut.laws.CompiledLaw(library().hertz_again, parameters, vectors=1, scalars=1)


def sticky(cohesion):
    return abut.Hertz(friction=0.5, restitution=0.5, cohesion=cohesion)


# N/m, for which the step is short enough
SPRING = 2e3

LAWS = {
    "Hertz": lambda: HERTZ,
    "Linear": lambda: abut.Linear(SPRING, friction=0.5, restitution=0.5),
    "JKR": lambda: sticky(abut.laws.JKR(0.02)),
    "DMT": lambda: sticky(abut.laws.DMT(0.02, distance=1e-9)),
    "bridges": lambda: sticky(abut.laws.LiquidBridge(1e-12, 0.07, 0.3)),
    "small-bridges": lambda: sticky(abut.laws.LiquidBridge(1e-14, 0.07, 0.3)),
    "Luding": lambda: abut.laws.Luding(SPRING, 5 * SPRING, tensile=SPRING, friction=0.5),
    "again-numba": lambda: laws_again.hertz_as(HERTZ, GRAIN, GRAIN),
    "again-C++": hertz_in_c,
    "spring": lambda: spring_alone(stiffness=1e3),
}


def lattice(side, law):
    """Grains in a periodic cube, large enough that no liquid bridge joins two grains twice."""
    rng = np.random.default_rng(0)
    spacing = (2.0 - OVERLAP) * RADIUS
    cells = np.stack(np.unravel_index(np.arange(side**3), [side] * 3), axis=1)
    noise = RADIUS * rng.uniform(-NOISE, NOISE, cells.shape)
    sim = abut.Simulation(STEP, gravity=(0, 0, 0), period=[side * spacing] * 3, workers=1)
    sim.set_law(GRAIN, GRAIN, law)
    velocities, spins = rng.normal(0.0, SPEED, (2, *cells.shape))
    sim.add_spheres((cells + 0.5) * spacing + noise, RADIUS, GRAIN, velocities, spins / RADIUS)
    return sim


def nanoseconds(sim, steps):
    """Processor time per grain and step."""
    begin = time.process_time()
    sim.run(steps=steps)
    return (time.process_time() - begin) / steps / len(sim.radii) * 1e9


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--side", type=int, default=20, help="side of the lattice in grains")
    parser.add_argument("--turns", type=int, default=7)
    parser.add_argument("--steps", type=int, default=STEPS, help="steps in each turn")
    parser.add_argument("--laws", default=",".join(LAWS), help="default: %(default)s")
    options = parser.parse_args(arguments)
    print_costs(options, {name: lattice(options.side, LAWS[name]()) for name in names(options)})


def names(options):
    """The names of the laws, with Hertz' law first, because all are compared with it."""
    return list(dict.fromkeys(["Hertz", *options.laws.split(",")]))


def print_costs(options, sims):
    for sim in sims.values():
        sim.run(steps=options.steps)
    turns = [
        [nanoseconds(sim, options.steps) for sim in sims.values()] for _ in range(options.turns)
    ]
    least = np.min(turns, axis=0)
    print(f"{'law':14} {'ns':>6} {'ratio':>6} contacts")
    for (name, sim), own in zip(sims.items(), least, strict=True):
        contacts = len(sim.pairs) / len(sim.radii)
        print(f"{name:14} {own:6.1f} {own / least[0]:6.2f} {contacts:8.2f}")


if __name__ == "__main__":
    main()
