"""Shared by the benchmarks: entrants in turns, ratios within a round, tables and options.

A row is a dictionary of an entrant's columns; `ns` has its times until `compare` uses them.
"""

import argparse
import csv
import ctypes
import gc
import itertools
import json
import math
import platform
import re
import statistics
import sys
import time
from pathlib import Path

from abut.base.threads import MAX_THREADS

RESULTS = Path(__file__).parent / "results"
OUTPUTS = ("warm", "swapped", "cold")

# columns between those of the entrant and those of its results
TIMES = [
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
]

# title and format of each column in printed tables
COLUMNS = {
    "contestant": ("contestant", "<15"),
    "threads": ("threads", ">7"),
    "outputs": ("outputs", "<7"),
    "min_ns": ("min", ">9.1f"),
    "median_ns": ("median", ">9.1f"),
    "over_abut": ("/abut", ">7"),
    "fastest_rival_over": ("rival/", ">7"),
    "speed_up": ("speed-up", ">9"),
}
FOUND = {
    "touching": ("touching", ">10"),
    "difference": ("difference", ">10"),
    "ns_a_touching": ("ns/touch", ">8"),
}


class Entrant:
    """A contestant on a scene, with its number of threads and whether its results are kept."""

    def __init__(self, name, contestant, threads, outputs):
        self.name, self.contestant = name, contestant
        self.threads, self.outputs = threads, outputs
        self.kept, self.seconds = [], []

    def search(self):
        """The results that a caller keeps, as a list."""
        return [self.contestant.search()]

    def clocked(self, found, seconds):
        """The seconds to record for a search: measured here, or by the contestant's own clock."""
        return seconds

    def run(self):
        """Search all spheres once; records the time, with the release of older results."""
        if self.outputs == "cold":
            give_memory_back()
        begin = time.perf_counter()
        if self.outputs == "warm":
            self.kept = []
        found = self.search()
        if self.outputs == "cold":
            self.kept = self.kept + found
        else:
            self.kept = found
        self.seconds.append(self.clocked(found, time.perf_counter() - begin))


def give_memory_back():
    """Return free memory to the system, so that the next results use new pages."""
    gc.collect()
    if hasattr(ctypes.CDLL(None), "malloc_trim"):
        ctypes.CDLL(None).malloc_trim(0)


def take_turns(entrants, repeats):
    """Let all entrants search once per round; the times of the first round are dropped."""
    for _ in range(repeats + 1):
        for entrant in entrants:
            entrant.run()
    for entrant in entrants:
        del entrant.seconds[0]


# ---- comparing -----------------------------------------------------------------------------------


def compare(rows, is_rival):
    """Fill the columns that compare rows, and replace the repeats by two figures."""
    for row in rows:
        peers = [other for other in rows if other["threads"] == row["threads"]]
        row["over_abut"] = quotient(row, base_of(peers))
        rivals = [other for other in peers if is_rival(other["contestant"])]
        fastest = min(rivals, key=lambda other: statistics.median(other["ns"]), default=None)
        row["fastest_rival"] = fastest["contestant"] if fastest else ""
        row["fastest_rival_over"] = quotient(fastest, row)
        row["speed_up"] = quotient(one_thread_of(rows, row), row) if row["threads"] > 1 else ""
    for row in rows:
        times = row.pop("ns")
        row["min_ns"], row["median_ns"] = round(min(times), 2), round(statistics.median(times), 2)
        if row.get("touching"):
            each = row["median_ns"] * row["spheres"] / row["touching"]
            row["ns_a_touching"] = round(each, 2)
    return rows


def base_of(rows):
    """The row of abut that others are compared with: the warm one, if there is one."""
    own = [row for row in rows if row["contestant"] == "abut"]
    return min(own, key=lambda row: OUTPUTS.index(row.get("outputs", "warm")), default=None)


def one_thread_of(rows, row):
    same = ("contestant", "outputs")
    alike = [o for o in rows if o["threads"] == 1 and all(o.get(k) == row.get(k) for k in same)]
    return alike[0] if alike else None


def quotient(row, base):
    """Median of the ratio of both times in a round; disturbances of a round slow both."""
    if row is None or base is None:
        return ""
    rounds = zip(row["ns"], base["ns"], strict=True)
    return round(statistics.median(time / base_time for time, base_time in rounds), 3)


# ---- the table -----------------------------------------------------------------------------------


def cpu_name():
    """The processor's name as a file name."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        found = re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text())
        name = found.group(1) if found else name
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def print_table(title, columns, rows, note):
    """Print a line for each row, with the remark that `note` returns."""
    print(f"\n{title}")
    heads = [f"{head:{form.split('.')[0]}}" for head, form in columns.values()]
    print(" ".join(heads) + f"  (ns a {rows[0]['unit']})")
    for row in rows:
        cells = [f"{row.get(field, ''):{form}}" for field, (_, form) in columns.items()]
        print((" ".join(cells) + note(row)).rstrip(), flush=True)


def append_csv(rows, path, fields):
    """Append the rows to a file; a file with other columns is rewritten with the new columns."""
    path.parent.mkdir(parents=True, exist_ok=True)
    older = []
    if path.exists():
        with path.open(newline="") as file:
            older = list(csv.DictReader(file))
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fields, extrasaction="ignore", lineterminator="\n")
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


def whole(least, most=math.inf):
    """A reader of whole numbers within bounds, for argparse."""
    bound = f"at least {least}" if most == math.inf else f"{least} to {most}"

    def read(text):
        if not text.strip().lstrip("-").isdecimal():
            raise argparse.ArgumentTypeError(f"{text!r} is no whole number; it must be {bound}")
        if not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{int(text)} is out of bounds; it must be {bound}")
        return int(text)

    return read


def positive(text):
    """Read a finite number above 0, for argparse."""
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not 0 < found < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return found


def several(read):
    return lambda text: [read(part) for part in text.split(",")]


def parser(description, table, counted="spheres"):
    """A parser with the options of every benchmark; rows are appended to the file `table`."""
    made = argparse.ArgumentParser(
        description=description, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = made.add_argument
    add(
        f"--{counted}",
        dest="spheres",
        type=several(whole(1)),
        default=[None],
        help="default: the scene's own number",
    )
    threads = several(whole(1, MAX_THREADS))
    add("--threads", type=threads, default=[1], help="comma-separated, as in 1,2")
    add("--repeats", type=whole(1), default=5, help="timed rounds, after one to warm up")
    add("--json", metavar="OUT", help="file to which rows are also written")
    add("--csv", type=Path, default=RESULTS / table, help="table; default: %(default)s")
    return made


def add_names(made, scenes, contestants, scene, default):
    """Add the options that choose scenes and contestants of a benchmark."""
    add = made.add_argument
    add("--scene", type=names(scenes), default=[scene], help="comma-separated, or all")
    add("--contestants", type=names(contestants), default=default, help="comma-separated, or all")


def add_outputs(made):
    """Add the option `--outputs`, for benchmarks in which results are kept."""
    made.add_argument(
        "--outputs",
        type=names(OUTPUTS),
        default=["warm", "cold"],
        help="memory of abut's results: warm, cold",
    )


def leave_out_missing(chosen, contestants):
    """The chosen contestants that are installed; prints why others cannot take part."""
    present = []
    for name in chosen:
        reason = contestants[name].missing()
        if reason:
            print(f"{name} is left out: {reason}")
        else:
            present.append(name)
    return present


def admit(scene_name, options, contestants):
    """The contestants that run on a scene; prints why others do not."""
    admitted = []
    for name in options.contestants:
        reason = contestants[name].reason_against(scene_name, options.threads)
        if reason:
            print(f"{name} is left out of {scene_name}: {reason}")
        else:
            admitted.append(name)
    return admitted


def measure_all(options, contestants, measure, print_table, fields):
    """Measure every scene; the rows of each are stored before the next scene begins."""
    rows = []
    for scene_name, sphere_count in itertools.product(options.scene, options.spheres):
        admitted = admit(scene_name, options, contestants)
        if not admitted:
            print(f"{scene_name} is left out: no contestant runs on it", flush=True)
            continue
        try:
            found = measure(scene_name, sphere_count, admitted, options)
        except FileNotFoundError as error:
            print(f"{scene_name} is left out: {error}", flush=True)
            continue
        rows += found
        append_csv(found, options.csv, fields)
        if options.json:
            Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")
        print_table(found)
    if not rows:
        sys.exit("error: nothing was timed: every scene was left out, for the reasons above")
