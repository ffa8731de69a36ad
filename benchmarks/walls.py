"""Time the contacts of spheres with a mesh, contestants interleaved in one process.

    python benchmarks/walls.py --threads 1,2
    python benchmarks/walls.py --scene wall,fill --contestants abut,embree --json out.json
    python benchmarks/walls.py --scene build

Prints the fastest and the median repeat and how they compare, and appends the figures to
results/<cpu>.csv. README.md says what each scene, contestant and column is.
"""

import argparse
import csv
import ctypes
import gc
import itertools
import json
import platform
import re
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import scenes
from abut.config import config
from contestants import CONTESTANTS, DEFAULT

RESULTS = Path(__file__).parent / "results"
OUTPUTS = ("warm", "swapped", "cold")
FIELDS = [
    "scene",
    "spheres",
    "facets",
    "spheres_a_call",
    "contestant",
    "version",
    "threads",
    "outputs",
    "simd",
    "repeats",
    "unit",
    "min_ns",
    "median_ns",
    "over_abut",
    "fastest_rival",
    "fastest_rival_over",
    "speed_up",
    "touching",
    "difference",
    "touching_spheres",
    "ns_a_touching",
    "kept",
]


class Entrant:
    """A contestant on a scene, with its number of threads and what becomes of its results."""

    def __init__(self, name, scene, threads, outputs):
        self.name, self.threads, self.outputs = name, threads, outputs
        self.contestant = CONTESTANTS[name](scene, threads)
        count = len(scene.radii)
        if scene.spheres_a_call is None:
            count = min(count, self.contestant.sphere_limit or count)
        self.sphere_count = count
        step = scene.spheres_a_call or max(count, 1)
        self.calls = [
            self.contestant.prepare(
                scene.centers[b : min(b + step, count)], scene.radii[b : min(b + step, count)]
            )
            for b in range(0, count, step)
        ]
        self.kept, self.seconds = [], []

    def run(self):
        """Search all spheres once and note the time, letting go of older results included."""
        if self.outputs == "cold":
            give_memory_back()
        begin = time.perf_counter()
        if self.outputs == "warm":
            self.kept = []
        found = [self.contestant.search(call) for call in self.calls]
        if self.outputs == "cold":
            self.kept = self.kept + found
        else:
            self.kept = found
        self.seconds.append(time.perf_counter() - begin)

    def counts(self):
        """Touching facets of each sphere; searched anew, as some tell only of their last call."""
        search, counts = self.contestant.search, self.contestant.counts
        return np.concatenate([counts(call, search(call)) for call in self.calls])

    def kept_count(self):
        """Contacts that remain of the touching facets; only abut tells."""
        return sum(len(found) for found in self.kept[-len(self.calls) :]) if is_abut(self) else ""


def is_abut(entrant):
    return entrant.name == "abut"


def give_memory_back():
    """Hand what is free to the system, so that the next results lie in fresh pages."""
    gc.collect()
    if hasattr(ctypes.CDLL(None), "malloc_trim"):
        ctypes.CDLL(None).malloc_trim(0)


# ---- measuring -----------------------------------------------------------------------------------


def enter(name, scene, threads, outputs):
    """The entrants of one contestant: those threads that it can use, outputs for abut alone."""
    most = CONTESTANTS[name].max_threads or max(threads)
    outputs = outputs if name == "abut" else ["warm"]
    return [Entrant(name, scene, t, o) for t in threads if t <= most for o in outputs]


def measure_searches(scene_name, scene, options):
    """One row an entrant: all take turns, and the first round warms up."""
    entrants = []
    for name in (n for n in options.contestants if CONTESTANTS[n].is_searched):
        entrants += enter(name, scene, options.threads, options.outputs)
    for _ in range(options.repeats + 1):
        for entrant in entrants:
            entrant.run()
    reference = next((e.counts() for e in entrants if is_abut(e)), None)
    rows = []
    for entrant in entrants:
        row = first_columns(scene_name, scene, entrant.name, entrant.threads, options)
        row |= {"spheres": entrant.sphere_count, "outputs": entrant.outputs, "unit": "sphere"}
        row["ns"] = [1e9 * s / entrant.sphere_count for s in entrant.seconds[1:]]
        rows.append(row | tally(entrant, reference))
    return rows


def measure_builds(scene_name, scene, options):
    """One row a contestant and number of threads: what stands before the second search."""
    contestants = options.contestants
    if "abut" in contestants and "abut-mesh" not in contestants:
        contestants = ["abut-mesh", *contestants]
    turns = [
        (name, threads)
        for name in contestants
        for threads in options.threads
        if threads <= (CONTESTANTS[name].max_threads or threads)
    ]
    rows = [first_columns(scene_name, scene, *turn, options) | {"ns": []} for turn in turns]
    for repeat in range(options.repeats + 1):
        for row, (name, threads) in zip(rows, turns, strict=True):
            seconds = CONTESTANTS[name].build_seconds(scene, threads)
            if repeat:
                row["ns"].append(1e9 * seconds / len(scene.facets))
    return [row | {"unit": "facet"} for row in rows]


def first_columns(scene_name, scene, name, threads, options):
    return {
        "scene": scene_name,
        "spheres": len(scene.radii),
        "facets": len(scene.facets),
        "spheres_a_call": scene.spheres_a_call or "",
        "contestant": name,
        "version": CONTESTANTS[name].version(),
        "threads": threads,
        "simd": config()["instruction level"].split()[0],
        "repeats": options.repeats,
    }


def tally(entrant, reference):
    """What was counted; the difference is from abut's count on the same spheres."""
    counts = entrant.counts() if reference is None or not is_abut(entrant) else reference
    is_all = not entrant.contestant.is_closest_only
    found = {"touching_spheres": int(np.count_nonzero(counts)), "kept": entrant.kept_count()}
    if is_all:
        found["touching"] = int(counts.sum())
    if reference is not None:
        expected = reference[: entrant.sphere_count]
        expected = expected if is_all else (expected > 0)
        found["difference"] = int(counts.sum()) - int(expected.sum())
    return found


# ---- comparing -----------------------------------------------------------------------------------


def compare(rows):
    """Fill the columns that compare a row with others, and replace its repeats by two figures."""
    for row in rows:
        peers = [other for other in rows if other["threads"] == row["threads"]]
        row["over_abut"] = quotient(row, base_of(peers))
        rivals = [other for other in peers if is_whole_rival(other)]
        fastest = min(rivals, key=lambda other: statistics.median(other["ns"]), default=None)
        row["fastest_rival"] = fastest["contestant"] if fastest else ""
        row["fastest_rival_over"] = quotient(fastest, row)
        row["speed_up"] = quotient(one_thread_of(rows, row), row) if row["threads"] > 1 else ""
    for row in rows:
        times = row.pop("ns")
        row["min_ns"], row["median_ns"] = round(min(times), 2), round(statistics.median(times), 2)
        if row.get("touching"):
            per_facet = row["median_ns"] * row["spheres"] / row["touching"]
            row["ns_a_touching"] = round(per_facet, 2)
    return rows


def base_of(rows):
    """Abut's row that the others are measured by: warm, where it was run so."""
    own = [row for row in rows if row["contestant"] == "abut"]
    return min(own, key=lambda row: OUTPUTS.index(row.get("outputs", "warm")), default=None)


def is_whole_rival(row):
    """Whether a row is of a rival that finds all facets, or builds what would find them."""
    name = row["contestant"]
    return not name.startswith("abut") and not CONTESTANTS[name].is_closest_only


def one_thread_of(rows, row):
    same = ("contestant", "outputs")
    alike = [o for o in rows if o["threads"] == 1 and all(o.get(k) == row.get(k) for k in same)]
    return alike[0] if alike else None


def quotient(row, base):
    """Median over the rounds of the quotient within a round: what slows a round slows both."""
    if row is None or base is None:
        return ""
    rounds = zip(row["ns"], base["ns"], strict=True)
    return round(statistics.median(time / base_time for time, base_time in rounds), 3)


# ---- telling -------------------------------------------------------------------------------------


def print_table(rows):
    first = rows[0]
    print(f"\n{first['scene']}: {first['spheres']:,} spheres, {first['facets']:,} facets")
    print(
        f"{'contestant':10} threads outputs {'min':>9} {'median':>9}  /abut  rival/  speed-up"
        f" {'touching':>10} {'difference':>10} {'ns/touch':>8} {'kept':>9}  (ns a {first['unit']})"
    )
    for row in rows:
        cell = {field: row.get(field, "") for field in FIELDS}
        print(
            "{contestant:10} {threads:>7} {outputs:7} {min_ns:9.1f} {median_ns:9.1f} "
            "{over_abut:>6} {fastest_rival_over:>7} {speed_up:>9} "
            "{touching:>10} {difference:>10} {ns_a_touching:>8} {kept:>9}".format(**cell),
            end="",
        )
        print(note(row))


def note(row):
    """What a reader of the table's line must know beside it."""
    notes = []
    if row["contestant"] == "abut" and row["fastest_rival"]:
        notes.append(f"fastest rival: {row['fastest_rival']}")
    if CONTESTANTS[row["contestant"]].is_closest_only:
        notes.append(f"closest facet only: {row['touching_spheres']:,} spheres touch")
    if row["spheres_a_call"] or row["scene"] == "mixer":
        call = row["median_ns"] * (row["spheres_a_call"] or row["spheres"])
        notes.append(f"{call / 1e3:,.1f} us a call")
    limit = CONTESTANTS[row["contestant"]].sphere_limit
    if row["spheres"] == limit:
        notes.append(f"the first {limit:,} spheres")
    return "  " + "; ".join(notes) if notes else ""


def cpu_name():
    """The processor's name as a file name."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        found = re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text())
        name = found.group(1) if found else name
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def append_csv(rows, path):
    """Add the rows; a file with other columns is written anew with today's."""
    path.parent.mkdir(exist_ok=True)
    older = []
    if path.exists():
        with path.open(newline="") as file:
            older = list(csv.DictReader(file))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerows([*older, *rows])


# ---- the command ---------------------------------------------------------------------------------


def names(allowed):
    def read(text):
        found = list(allowed) if text == "all" else text.split(",")
        unknown = [name for name in found if name not in allowed]
        if unknown:
            raise argparse.ArgumentTypeError(f"{unknown[0]!r} is none of {', '.join(allowed)}")
        return found

    return read


def numbers(text):
    return [int(number) for number in text.split(",")]


def parse_arguments(arguments):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--scene", type=names(scenes.SCENES), default=["wall"], help="comma-separated, or all")
    add("--spheres", type=numbers, default=[None], help="default: the scene's, mostly a million")
    add("--threads", type=numbers, default=[1], help="comma-separated, as in 1,2")
    add("--contestants", type=names(CONTESTANTS), default=DEFAULT, help="comma-separated, or all")
    add("--outputs", type=names(OUTPUTS), default=["warm", "cold"], help="for abut; see README.md")
    add("--repeats", type=int, default=5, help="rounds that count, after one that does not")
    add("--json", metavar="OUT", help="also write the rows there")
    add("--csv", type=Path, default=RESULTS / f"{cpu_name()}.csv", help="default: %(default)s")
    return parser.parse_args(arguments)


def leave_out_missing(contestants):
    """Those that can take part; says why the others cannot."""
    present = []
    for name in contestants:
        reason = CONTESTANTS[name].missing()
        if reason:
            print(f"{name} is left out: {reason}")
        else:
            present.append(name)
    return present


def measure(scene_name, sphere_count, options):
    """The finished rows of one scene."""
    scene = scenes.make(scene_name, sphere_count)
    run = measure_builds if scene_name == "build" else measure_searches
    return compare(run(scene_name, scene, options))


def main(arguments=None):
    options = parse_arguments(arguments)
    options.contestants = leave_out_missing(options.contestants)
    rows = []
    for scene_name, sphere_count in itertools.product(options.scene, options.spheres):
        try:
            found = measure(scene_name, sphere_count, options)
        except FileNotFoundError as error:
            print(f"{scene_name} is left out: {error}")
            continue
        print_table(found)
        append_csv(found, options.csv)
        rows += found
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
