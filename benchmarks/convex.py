"""Time the contacts of convex bodies, contestants interleaved in one process, by processor time.

    python benchmarks/convex.py --scene all
    python benchmarks/convex.py --scene polygons-1,flow-500 --contestants slm,fcp,cp
    python benchmarks/convex.py --scene mixed-4 --contestants slm,slm-spots,coal,coal-patches

All contestants get the same pairs in the same poses, step after step. Prints the fastest and the
median round and how they compare, and appends the figures to results/convex/<cpu>.csv. README.md
describes each scene, contestant and column.
"""

import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import convex_scenes
import rounds
import solving
from abut.base.config import config
from convex_contestants import CONTESTANTS, CP_ANGLES, CP_CAP, STARTS

# Coal's tolerance, relative to a body's size; larger differences of distances are counted.
AGREE = 1e-6
MUCH = 1e-3  # larger differences matter to a simulation; relative to a body's size

FOUND = ("within_two", "unconverged", "capped", "touching", "spots", "entrances")
FIELDS = [
    "scene",
    "pairs",
    "steps",
    "contestant",
    "version",
    "start",
    "threads",
    "simd",
    "repeats",
    "unit",
    "min_ns",
    "median_ns",
    "spread",
    "over_slm",
    "cp_over",
    "coal_over",
    "speed_up",
    "step_ms",
    "core_ns",
    "core_cp_over",
    "around_ns",
    *FOUND,
    "differ",
    "differ_much",
    "deeper",
    "shallower",
    "cp_first",
    "cp_last",
    "cp_cap",
    "cp_directions",
]
COLUMNS = {
    "contestant": ("contestant", "<13"),
    "start": ("start", "<5"),
    "threads": ("threads", ">7"),
    "min_ns": ("min", ">8.1f"),
    "median_ns": ("median", ">8.1f"),
    "over_slm": ("/slm", ">6"),
    "core_ns": ("core", ">7"),
    "core_cp_over": ("cp/", ">6"),
    "around_ns": ("around", ">7"),
    "cp_over": ("cp/", ">6"),
    "coal_over": ("coal/", ">6"),
    "within_two": ("within 2", ">8"),
    "unconverged": ("unconv.", ">8"),
    "differ": ("differ", ">8"),
    "differ_much": ("much", ">8"),
    "deeper": ("deeper", ">9"),
    "shallower": ("shallower", ">9"),
}


class Entrant(rounds.Entrant):
    """A contestant on a stream, which it processes once per round."""

    def __init__(self, name, stream, threads, start):
        super().__init__(name, CONTESTANTS[name](stream, threads, start), threads, "warm")
        self.stream, self.start = stream, start

    def run(self):
        """Run all steps; records the processor time of all but the first."""
        seconds = 0.0
        self.contestant.begin()
        for number in range(1, len(self.stream.positions)):
            self.contestant.prepare(number)
            begin = time.process_time()
            self.contestant.step(number)
            seconds += time.process_time() - begin
        self.seconds.append(seconds)


class Pass:
    """The results of a contestant, step by step; this pass is not timed."""

    def __init__(self, contestant, stream):
        self.overlaps, self.counts = [], {}
        contestant.begin()
        for number in range(1, len(stream.positions)):
            contestant.prepare(number)
            contestant.step(number)
            self.overlaps.append(np.array(contestant.overlaps()))
            for name, count in contestant.counts().items():
                self.counts[name] = self.counts.get(name, 0) + count
        self.row_count = sum(map(len, self.overlaps))


# ---- measuring -----------------------------------------------------------------------------------


def measure(scene_name, count, contestants, options):
    """The finished rows of one scene."""
    stream = convex_scenes.make(scene_name, count, options.states)
    entrants = [entrant for name in contestants for entrant in enter(name, stream, options)]
    rounds.take_turns(entrants, options.repeats)
    passes = [Pass(entrant.contestant, stream) for entrant in entrants]
    rows = [
        row_of(scene_name, entrant, seen, options)
        for entrant, seen in zip(entrants, passes, strict=True)
    ]
    reference = next((p for e, p in zip(entrants, passes, strict=True) if e.name == "slm"), None)
    for row, seen in zip(rows, passes, strict=True):
        if reference and stream.pairs is not None:
            row.update(differences(seen, reference, stream))
    return with_core(compare(rows), stream, options)


def with_core(rows, stream, options):
    """Add the time of the core alone, the time of cp relative to it, and the time around it."""
    if not options.solving or stream.pairs is None or stream.positions.shape[2] != 3:
        return rows
    found = solving.times(options.solving, stream, options.repeats + 1)
    for row in rows:
        core = found.get((row["start"], row["contestant"]))
        if core and row["threads"] == 1:
            cp = {"ns": found[row["start"], "cp"][1:]}
            row["core_ns"] = round(float(np.median(core[1:])), 2)
            row["core_cp_over"] = rounds.quotient(cp, {"ns": core[1:]})
            row["around_ns"] = round(row["median_ns"] - row["core_ns"], 2)
    return rows


def enter(name, stream, options):
    """The entrants of one contestant: one per start and number of threads that it supports."""
    kind = CONTESTANTS[name]
    return [
        Entrant(name, stream, threads, start)
        for threads in options.threads
        if threads <= (kind.max_threads or threads)
        for start in kind.starts
        if start in options.start
    ]


def row_of(scene_name, entrant, seen, options):
    """The columns of one entrant, with its results."""
    stream, steps = entrant.stream, len(entrant.stream.positions) - 1
    each = [1e9 * seconds / seen.row_count for seconds in entrant.seconds]
    found = {name: round(count / seen.row_count, 6) for name, count in seen.counts.items()}
    dimension = stream.positions.shape[2]
    return {
        "scene": scene_name,
        "pairs": round(seen.row_count / steps),
        "steps": steps,
        "contestant": entrant.name,
        "version": entrant.contestant.version(),
        "start": entrant.start,
        "threads": entrant.threads,
        "simd": config()["instruction level"].split()[0],
        "repeats": options.repeats,
        "unit": "pair",
        "ns": each,
        "spread": round(max(each) / min(each), 2),
        "step_ms": round(1e3 * float(np.median(entrant.seconds)) / steps, 3),
        **found,
        "cp_first": round(float(np.degrees(CP_ANGLES[0])), 4),
        "cp_last": round(float(np.degrees(CP_ANGLES[1])), 4),
        "cp_cap": CP_CAP,
        "cp_directions": 2 * (dimension - 1),
    }


def differences(seen, reference, stream):
    """The share of overlaps that differ from slm's, and the differences relative to body size."""
    sizes = stream.scales[stream.pairs].sum(1)
    apart = (np.array(seen.overlaps) - np.array(reference.overlaps)) / sizes
    return {
        "differ": round(float(np.mean(np.abs(apart) > AGREE)), 6),
        "differ_much": round(float(np.mean(np.abs(apart) > MUCH)), 6),
        "deeper": float(f"{max(0.0, apart.max()):.2g}"),
        "shallower": float(f"{max(0.0, -apart.min()):.2g}"),
    }


# ---- comparing -----------------------------------------------------------------------------------


def compare(rows):
    """Fill the columns of ratios within a round, and replace the repeats by two figures."""
    for row in rows:
        rival = "coal-patches" if row["contestant"] == "slm-spots" else "coal"
        row["over_slm"] = rounds.quotient(row, same(rows, row, "slm"))
        row["cp_over"] = rounds.quotient(same(rows, row, "cp"), row)
        row["coal_over"] = rounds.quotient(same(rows, row, rival), row)
        one = rounds.one_thread_of([o for o in rows if o["start"] == row["start"]], row)
        row["speed_up"] = rounds.quotient(one, row) if row["threads"] > 1 else ""
    for row in rows:
        times = row.pop("ns")
        row["min_ns"] = round(min(times), 2)
        row["median_ns"] = round(float(np.median(times)), 2)
    return rows


def same(rows, row, contestant):
    """The row of another contestant with the same start and number of threads, or None."""
    kind = (contestant, row["start"], row["threads"])
    return next((o for o in rows if (o["contestant"], o["start"], o["threads"]) == kind), None)


# ---- the table -----------------------------------------------------------------------------------


def print_table(rows):
    first = rows[0]
    title = f"{first['scene']}: {first['pairs']:,} pairs, {first['steps']:,} steps a round"
    rounds.print_table(title, COLUMNS, rows, note)
    if any(row["contestant"] == "cp" for row in rows):
        print(
            f"cp: {first['cp_directions']} directions, {first['cp_first']:g} to "
            f"{first['cp_last']:g} degrees, at most {first['cp_cap']} times",
            flush=True,
        )


def note(row):
    """The remark at the end of a row of the table."""
    told = {"spots": "contact points", "entrances": "entrances", "capped": "at the cap"}
    texts = [f"  {row[name]:.3g} {text} a pair" for name, text in told.items() if name in row]
    return "".join(texts) + (f"  {row['step_ms']:g} ms a step" if row["scene"] == "cubes" else "")


# ---- the command ---------------------------------------------------------------------------------


def parse_arguments(arguments):
    parser = rounds.parser(__doc__, f"convex/{rounds.cpu_name()}.csv", counted="count")
    rounds.add_names(parser, convex_scenes.SCENES, CONTESTANTS, "mixed-4", list(CONTESTANTS))
    add = parser.add_argument
    add("--start", type=rounds.names(STARTS), default=list(STARTS), help="warm, cold, or all")
    add("--solving", metavar="PROGRAM", help="built from solving.c; also times the core alone")
    states = Path(tempfile.gettempdir()) / "abut-states"
    add("--states", type=Path, default=states, help="settled states; default: %(default)s")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse_arguments(arguments)
    options.contestants = rounds.leave_out_missing(options.contestants, CONTESTANTS)
    rounds.measure_all(options, CONTESTANTS, measure, print_table, FIELDS)


if __name__ == "__main__":
    sys.exit(main())
