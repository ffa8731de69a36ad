"""Free cooling of disks of many sizes: a simulation with a grid of several levels or of one.

    python benchmarks/cooling.py
    python benchmarks/cooling.py --steps 20000 --levels auto,1 --json out.json

The case of Krijgsman, Ogarko and Luding (doi:10.1007/s40571-014-0020-9): 10,000 disks in the plane
with solid walls, radii 1 to 20 with a density as r**-3, 40 % of the area. They gained a factor of
9.9 for the whole simulation over 250,000 steps. README.md describes this benchmark.
"""

import argparse
import json
import math
import sys
import time
from pathlib import Path

import numpy as np

import abut
import rounds
from abut.base.config import config
from pair_scenes import power_law

RATIO, AREA_FRACTION = 20.0, 0.4
RESTITUTION = 0.9
# overlap of two of the smallest disks in a blow at a common speed, over their radius
OVERLAP = 0.02
STEPS_A_CONTACT = 20
BLOCKS = 10  # blocks of steps; ratios compare times within the same block
LEVELS = {
    "auto": "auto",
    "optimal": (
        4.01,
        7.88,
        15.05,
        27.22,
        40.0,
    ),  # cell sizes in the paper's section on free cooling
    "1": 1,
}
FIELDS = [
    "disks",
    "steps",
    "levels",
    "level_count",
    "version",
    "simd",
    "tests_a_disk",
    "accesses_a_disk",
    "search_us",
    "step_us",
    "search_over_one",
    "step_over_one",
    "pairs",
    "differing_steps",
    "first_energy",
    "last_energy",
]


# ---- the disks -----------------------------------------------------------------------------------


def draw(count):
    """Centers, velocities, radii and the side of the box; overlaps of disks are small."""
    rng = np.random.default_rng(8)
    radii = power_law(rng, count, RATIO)
    side = math.sqrt(math.pi * np.sum(radii**2) / AREA_FRACTION)
    side = max(side, 2.0 * radii.max())
    centers = radii[:, None] + rng.uniform(size=(count, 2)) * (side - 2.0 * radii[:, None])
    return move_apart(centers, radii, side), rng.normal(size=(count, 2)), radii, side


def move_apart(centers, radii, side):
    """Push overlapping disks apart, the lighter one more, until none overlaps by a hundredth."""
    finder, areas = abut.PairFinder(radii), radii**2
    for _ in range(2_000):
        pairs = finder.find(centers)
        if not len(pairs) or pairs.overlap.max() < 0.01:
            break
        part = areas[pairs.j] / (areas[pairs.i] + areas[pairs.j])
        shift = 0.5 * pairs.overlap[:, None] * pairs.normal
        centers = centers + pairs.sum(part[:, None] * shift, (part[:, None] - 1.0) * shift)
        centers = np.clip(centers, radii[:, None], side - radii[:, None])
    return centers


# ---- the simulation ------------------------------------------------------------------------------


class Simulation:
    """Disks with linear springs and dashpots, stepped by velocity Verlet.

    All pairs have the same stiffness and the same coefficient of restitution.
    """

    def __init__(self, disks, levels):
        self.centers, self.velocities, self.radii, self.side = disks
        self.finder = abut.PairFinder(self.radii, levels=levels)
        self.masses = np.pi * self.radii**2
        lightest = self.masses.min()
        self.stiffness = 0.5 * lightest / (OVERLAP * self.radii.min()) ** 2
        decay = math.log(RESTITUTION)
        self.damping = -2.0 * decay / math.hypot(math.pi, decay) * math.sqrt(self.stiffness)
        contact = math.pi * math.sqrt(0.5 * lightest / self.stiffness)
        self.time_step = contact / STEPS_A_CONTACT
        self.search_seconds = self.seconds = 0.0
        self.forces = self.find_forces()

    def find_forces(self):
        begin = time.perf_counter()
        self.pairs = pairs = self.finder.find(self.centers, workers=1)
        self.search_seconds += time.perf_counter() - begin
        masses, velocities = self.masses, self.velocities
        mass = masses[pairs.i] * masses[pairs.j] / (masses[pairs.i] + masses[pairs.j])
        speed = np.einsum("ij,ij->i", velocities[pairs.i] - velocities[pairs.j], pairs.normal)
        force = self.stiffness * pairs.overlap - self.damping * np.sqrt(mass) * speed
        on_i = force[:, None] * pairs.normal
        return pairs.sum(on_i, -on_i) + self.wall_forces()

    def wall_forces(self):
        """Forces of the four walls: half-planes of infinite mass."""
        low = self.radii[:, None] - self.centers
        high = self.centers + self.radii[:, None] - self.side
        friction = self.damping * np.sqrt(self.masses)[:, None] * self.velocities
        from_low = np.where(low > 0, self.stiffness * low - friction, 0.0)
        return from_low - np.where(high > 0, self.stiffness * high + friction, 0.0)

    def step(self):
        begin = time.perf_counter()
        half = 0.5 * self.time_step
        self.velocities = self.velocities + half * self.forces / self.masses[:, None]
        self.centers = self.centers + self.time_step * self.velocities
        self.forces = self.find_forces()
        self.velocities = self.velocities + half * self.forces / self.masses[:, None]
        self.seconds += time.perf_counter() - begin

    def energy(self):
        """The kinetic energy per disk."""
        return float(0.5 * np.mean(self.masses * np.sum(self.velocities**2, axis=1)))


def run(simulations, steps):
    """Step all in turns. Returns energies, block times, and the steps with different pairs."""
    first = next(iter(simulations.values()))
    told = {name: {"search": [], "step": [], "energy": []} for name in simulations}
    differing = dict.fromkeys(simulations, 0)
    ends = [steps * (block + 1) // BLOCKS for block in range(BLOCKS)]
    for begin, end in zip([0, *ends[:-1]], ends, strict=True):
        for name, simulation in simulations.items():
            told[name]["energy"].append((begin * simulation.time_step, simulation.energy()))
            simulation.search_seconds = simulation.seconds = 0.0
        for _ in range(begin, end):
            for name, simulation in simulations.items():
                simulation.step()
                differing[name] += not is_same(simulation.pairs, first.pairs)
        for name, simulation in simulations.items():
            told[name]["search"].append(1e6 * simulation.search_seconds / max(end - begin, 1))
            told[name]["step"].append(1e6 * simulation.seconds / max(end - begin, 1))
    for name, simulation in simulations.items():
        told[name]["energy"].append((steps * simulation.time_step, simulation.energy()))
    return told, differing


def is_same(pairs, others):
    return np.array_equal(pairs.i, others.i) and np.array_equal(pairs.j, others.j)


# ---- the table -----------------------------------------------------------------------------------


def rows_of(simulations, told, differing, steps):
    one = told.get("1")
    rows = []
    for name, simulation in simulations.items():
        times, counted = told[name], simulation.finder.statistics()
        row = {
            "disks": len(simulation.radii),
            "steps": steps,
            "levels": name,
            "level_count": len(counted.sizes),
            "version": abut.__version__,
            "simd": config()["instruction level"].split()[0],
            "tests_a_disk": round(counted.pair_tests_per_sphere, 3),
            "accesses_a_disk": round(counted.cell_accesses_per_sphere, 3),
            "search_us": round(float(np.median(times["search"])), 1),
            "step_us": round(float(np.median(times["step"])), 1),
            "pairs": len(simulation.pairs),
            "differing_steps": differing[name],
            "first_energy": times["energy"][0][1],
            "last_energy": times["energy"][-1][1],
        }
        for what in ("search", "step"):
            row[f"{what}_over_one"] = ratio(one[what], times[what]) if one else ""
        rows.append(row)
    return rows


def ratio(times, others):
    """Median of the ratios that two simulations have in the same block."""
    return rounds.quotient({"ns": times}, {"ns": others})


def print_tables(rows, told):
    first = rows[0]
    print(f"\nfree cooling: {first['disks']:,} disks, {first['steps']:,} steps; us a step")
    print("levels      of      search gained        step gained  tests accesses  pairs  differing")
    for row in rows:
        print(
            "{levels:8} {level_count:>5} {search_us:>11.1f} {search_over_one:>6} "
            "{step_us:>11.1f} {step_over_one:>6} {tests_a_disk:>6.2f} {accesses_a_disk:>8.2f} "
            "{pairs:>6} {differing_steps:>10}".format(**row)
        )
    print(f"\n{'time':>10}" + "".join(f"{name:>14}" for name in told) + "  (energy a disk)")
    for moment in zip(*(times["energy"] for times in told.values()), strict=True):
        print(f"{moment[0][0]:10.3f}" + "".join(f"{energy:14.8g}" for _, energy in moment))


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--steps", type=rounds.whole(BLOCKS), default=5_000, help="the paper has 250,000")
    add("--particles", type=rounds.whole(1), default=10_000, help="the paper has 10,000")
    add("--levels", type=rounds.names(LEVELS), default=list(LEVELS), help="auto, optimal, 1")
    add("--json", metavar="OUT", help="file to which rows and energies are also written")
    table = rounds.RESULTS / f"cooling/{rounds.cpu_name()}.csv"
    add("--csv", type=Path, default=table, help="default: %(default)s")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse_arguments(arguments)
    disks = draw(options.particles)
    simulations = {name: Simulation(disks, LEVELS[name]) for name in options.levels}
    told, differing = run(simulations, options.steps)
    rows = rows_of(simulations, told, differing, options.steps)
    print_tables(rows, told)
    rounds.append_csv(rows, options.csv, FIELDS)
    if options.json:
        full = [row | {"energy": told[row["levels"]]["energy"]} for row in rows]
        Path(options.json).write_text(json.dumps(full, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
