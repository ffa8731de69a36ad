"""Estimate how steps scale on more cores than available, by scheduling recorded chunks.

    python benchmarks/scaling.py
    python benchmarks/scaling.py --scene settled,spheres-100 --threads 1,16

Builds abut in a separate folder with ABUT_RECORD_CHUNKS and records the time of each chunk of each
parallel run on one thread. Prints a line for each scene and number of threads:
`scene threads scheduled measured`. README.md describes what the schedule leaves out.
"""

import argparse
import ctypes
import heapq
import os
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

import abut
import dem_scenes
import rounds

ROOT = Path(__file__).parents[1]
SCENES = {
    **{name: name for name in ("settled", "moving", "spheres-1", "spheres-10", "spheres-100")},
    "million": "box",
}
THREADS = [1, 2, 4, 8, 16, 32, 64]
WARM_STEPS = 5  # steps that allocate memory and build neighbor lists, not timed
ROUNDS = 3

# Delay in seconds of each further thread of a run. By regions.c, a run without work takes 4 us on
# 16 threads and 0.5 us on 2.
HAND_OUT = 0.25e-6


# ---- a build that records ------------------------------------------------------------------------


def install(folder):
    """Build the package in the folder, which keeps object files; returns the package's path."""
    package = folder / "package"
    command = [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--upgrade"]
    command += ["--target", package, f"--config-settings=build-dir={folder / 'build'}"]
    command += ["--config-settings=cmake.define.ABUT_RECORD_CHUNKS=ON"]
    command += ["--no-build-isolation"] if find_spec("scikit_build_core") else []
    subprocess.run([*command, ROOT], check=True)
    return package


def run_with(package, arguments):
    """Run this program with that package; -S, since hooks of editable installs would win."""
    paths = os.pathsep.join([str(package), *sys.path])
    command = [sys.executable, "-S", __file__, "--recording", *arguments]
    subprocess.run(command, env={**os.environ, "PYTHONPATH": paths}, check=True)


# ---- schedules -----------------------------------------------------------------------------------


class Run(NamedTuple):
    """A recorded parallel run."""

    threads: int  # number of threads that its amount of work justifies
    chunks: np.ndarray  # seconds of each chunk


def split_rows(rows):
    """The seconds outside of parallel runs, and the runs."""
    begins = np.flatnonzero(rows[:, 0])
    parts = np.split(rows[:, 1], begins)[1:]
    runs = [
        Run(int(threads), part[1:])
        for threads, part in zip(rows[begins, 0], parts, strict=True)
        if len(part) > 1
    ]
    return float(rows[begins, 1].sum()), runs


def makespan(run, threads, hand_out=HAND_OUT):
    """Seconds of a run: threads start one by one; the next free thread takes the next chunk."""
    threads = min(threads, run.threads, len(run.chunks))
    if threads == 1:
        return float(run.chunks.sum())
    free = [hand_out * k for k in range(threads)]  # sorted, as a heap is
    for seconds in run.chunks:
        heapq.heapreplace(free, free[0] + seconds)
    return float(max(free))


def speed_up(serial, runs, threads):
    one, several = (serial + sum(makespan(run, n) for run in runs) for n in (1, threads))
    return one / several


# ---- measuring -----------------------------------------------------------------------------------


def steps_of(scene, workers, begin=lambda: None, end=lambda: None):
    """The seconds of a new simulation's steps, after WARM_STEPS."""
    simulation = dem_scenes.simulation(scene, workers)
    with dem_scenes.quietly():
        simulation.run(steps=WARM_STEPS)
        begin()
        start = time.perf_counter()
        simulation.run(steps=scene.steps)
        seconds = time.perf_counter() - start
        end()
    return seconds


def record(scene, workers):
    """The rows that the core records; rounds differ only in the seconds."""
    core = ctypes.CDLL(abut._core.__file__)
    with tempfile.NamedTemporaryFile() as file:
        path = file.name.encode()
        # warm steps are recorded, too: they run on one thread, and no OpenMP thread spins
        core.parallel_record(os.devnull.encode())
        steps_of(
            scene, workers, lambda: core.parallel_record(path), lambda: core.parallel_record(None)
        )
        return np.fromfile(file.name).reshape(-1, 2)


def measure(scene, threads):
    """The shortest times of several rounds: of recorded rows, and of steps with these threads."""
    cores = os.cpu_count()
    times = {n: [] for n in {1, *threads} if n <= cores}
    rows = []
    for _ in range(ROUNDS):
        rows.append(record(scene, max(threads)))
        for n, seconds in times.items():
            seconds.append(steps_of(scene, n))
    return np.minimum.reduce(rows), {n: min(seconds) for n, seconds in times.items()}


def print_scene(name, options):
    scene = dem_scenes.make(SCENES[name], options.spheres, options.settle, options.states)
    scene = scene._replace(steps=options.steps or scene.steps)
    rows, measured = measure(scene, options.threads)
    serial, runs = split_rows(rows)
    share = 100 * serial / rows[:, 1].sum()
    each = len(runs) / scene.steps
    print(f"# {name}: {len(scene.radii)} spheres, {share:.1f} % serial, {each:.1f} runs a step")
    for threads in options.threads:
        real = f"{measured[1] / measured[threads]:.2f}" if threads in measured else "-"
        print(f"{name} {threads} {speed_up(serial, runs, threads):.2f} {real}", flush=True)


# ---- the command ---------------------------------------------------------------------------------


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add, whole = parser.add_argument, rounds.whole(1)
    temporary = Path(tempfile.gettempdir())
    add("--scene", type=rounds.names(SCENES), default=list(SCENES), help="comma-separated, or all")
    add("--spheres", type=whole, help="default: the scene's own number")
    add("--steps", type=whole, help="recorded steps; default: the scene's own")
    add("--threads", type=rounds.several(whole), default=THREADS, help="default: 1,2,4 ... 64")
    add("--settle", type=whole, default=5_000, help="steps that settle a scene's spheres")
    add("--states", type=Path, default=temporary / "abut-states", help="folder for settled states")
    add("--build", type=Path, default=temporary / "abut-recording", help="folder for the build")
    add("--recording", action="store_true", help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse_arguments(arguments)
    if not options.recording:
        run_with(install(options.build), sys.argv[1:] if arguments is None else arguments)
        return
    print("scene threads scheduled measured", flush=True)
    for name in options.scene:
        print_scene(name, options)


if __name__ == "__main__":
    main()
