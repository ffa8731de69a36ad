"""Time the steps of simulations, contestants interleaved in one process, by processor time.

    python benchmarks/dem.py --scene all --threads 1,2
    python benchmarks/dem.py --scene settled --contestants abut,kratos --json out.json
    python benchmarks/dem.py --scene box

Prints the fastest and the median round, how they compare, and the parts of abut's time. Appends the
figures to results/dem/<cpu>.csv. README.md describes each scene, contestant and column.
"""

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import dem_memory
import dem_scenes
import rounds
from abut.base.config import config
from dem_contestants import CONTESTANTS, PARTS

FIELDS = [
    "scene",
    "spheres",
    "steps",
    *(name for name in rounds.TIMES if name != "outputs"),
    "wall_ns",
    "spread",
    "step_us",
    "pairs_a_sphere",
    "speed",
    "height",
    *PARTS,
    "bytes_resident",
    "bytes_counted",
    "bytes_beside",
]
COLUMNS = {
    **{name: rounds.COLUMNS[name] for name in rounds.COLUMNS if name != "outputs"},
    "spread": ("spread", ">6"),
    "step_us": ("us/step", ">10.2f"),
    "pairs_a_sphere": ("pairs", ">6"),
    "speed": ("speed", ">8"),
}


class Entrant(rounds.Entrant):
    """A contestant on a scene, which advances by the same number of steps in each round."""

    def __init__(self, name, scene, threads):
        super().__init__(name, CONTESTANTS[name](scene, threads), threads, "warm")
        self.steps, self.sphere_count, self.wall_seconds = scene.steps, len(scene.radii), []

    def run(self):
        """Run a round; records the processor time of all threads, and the wall-clock time."""
        wall, cpu = time.perf_counter(), time.process_time()
        self.contestant.step(self.steps)
        self.seconds.append(time.process_time() - cpu)
        self.wall_seconds.append(time.perf_counter() - wall)

    def each(self, seconds):
        """Nanoseconds per sphere and step of all rounds but the first, which is not counted."""
        count = len(self.seconds)
        return [1e9 * s / (self.steps * self.sphere_count) for s in seconds[-count:]]


# ---- measuring -----------------------------------------------------------------------------------


def measure(scene_name, sphere_count, contestants, options):
    """The finished rows of one scene."""
    scene = dem_scenes.make(scene_name, sphere_count, options.settle, options.states)
    scene = scene._replace(steps=options.steps or scene.steps)
    entrants = [
        Entrant(name, scene, threads)
        for name in contestants
        for threads in options.threads
        if threads <= (CONTESTANTS[name].max_threads or threads)
    ]
    rounds.take_turns(entrants, options.repeats)
    rows = [row_of(scene_name, entrant, options) for entrant in entrants]
    speed_ups = [speed_up(entrants, entrant) for entrant in entrants]
    memory = memory_of(len(scene.radii)) if scene_name == "box" else {}
    rows = rounds.compare(rows, lambda name: name != "abut")
    return [row | {"speed_up": up} | memory for row, up in zip(rows, speed_ups, strict=True)]


def row_of(scene_name, entrant, options):
    """The columns of one entrant, with the final state of its spheres."""
    contestant, times = entrant.contestant, entrant.each(entrant.seconds)
    touching = contestant.touching()
    return {
        "scene": scene_name,
        "spheres": entrant.sphere_count,
        "steps": entrant.steps,
        "contestant": entrant.name,
        "version": contestant.version(),
        "threads": entrant.threads,
        "simd": config()["instruction level"].split()[0],
        "repeats": options.repeats,
        "unit": "sphere and step",
        "ns": times,
        "wall_ns": round(float(np.median(entrant.each(entrant.wall_seconds))), 2),
        "spread": round(max(times) / min(times), 2),
        "step_us": round(float(np.median(times)) * entrant.sphere_count / 1e3, 2),
        "pairs_a_sphere": "" if touching is None else round(touching / entrant.sphere_count, 3),
        "speed": round(float(np.sqrt(np.mean(np.square(contestant.velocities())))), 5),
        "height": round(float(contestant.centers()[:, 2].mean()), 6),
        **contestant.parts(),
    }


def speed_up(entrants, entrant):
    """The speed-up by threads in wall-clock time; processor time never falls."""
    alike = [e for e in entrants if e.name == entrant.name and e.threads == 1]
    if entrant.threads == 1 or not alike:
        return ""
    one, several = (e.each(e.wall_seconds) for e in (alike[0], entrant))
    return rounds.quotient({"ns": one}, {"ns": several})


def memory_of(sphere_count):
    """The columns on memory, measured in a separate process."""
    command = [sys.executable, dem_memory.__file__, str(sphere_count)]
    return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)


# ---- the table -----------------------------------------------------------------------------------


def print_table(rows):
    first = rows[0]
    title = f"{first['scene']}: {first['spheres']:,} spheres, {first['steps']:,} steps a round"
    rounds.print_table(title, COLUMNS, rows, note)
    for row in rows:
        if "pair_laws" in row:
            print_parts(row)
    if "bytes_beside" in first:
        told = [f"{name[6:]} {first[name]:,.0f}" for name in FIELDS if name.startswith("bytes_")]
        print(f"bytes a sphere: {', '.join(told)}", flush=True)


def print_parts(row):
    told = [f"{name.replace('_', ' ')} {row[name]:.0f}" for name in PARTS]
    print(f"percent of abut's step on {row['threads']}: {', '.join(told)}", flush=True)


def note(row):
    """The remark at the end of a row of the table."""
    if row["contestant"] == "abut" and row["fastest_rival"]:
        return f"  fastest rival: {row['fastest_rival']}"
    return ""


# ---- the command ---------------------------------------------------------------------------------


def parse_arguments(arguments):
    parser = rounds.parser(__doc__, f"dem/{rounds.cpu_name()}.csv")
    rounds.add_names(parser, dem_scenes.SCENES, CONTESTANTS, "settled", list(CONTESTANTS))
    add = parser.add_argument
    whole = rounds.whole(1)
    add("--steps", type=whole, help="steps in each round; default: the scene's own")
    add("--settle", type=whole, default=5_000, help="steps that settle a scene's spheres")
    states = Path(tempfile.gettempdir()) / "abut-states"
    add("--states", type=Path, default=states, help="settled states; default: %(default)s")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse_arguments(arguments)
    options.contestants = rounds.leave_out_missing(options.contestants, CONTESTANTS)
    rounds.measure_all(options, CONTESTANTS, measure, print_table, FIELDS)


if __name__ == "__main__":
    sys.exit(main())
