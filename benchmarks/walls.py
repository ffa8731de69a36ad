"""Time the contacts of spheres with a mesh, contestants interleaved in one process.

    python benchmarks/walls.py --threads 1,2
    python benchmarks/walls.py --scene wall,fill --contestants abut,embree --json out.json
    python benchmarks/walls.py --scene build

Prints the fastest and the median repeat and how they compare, and appends the figures to
results/<cpu>.csv. README.md describes each scene, contestant and column.
"""

import sys

import numpy as np

import rounds
import scenes
from abut.base.config import config
from contestants import CONTESTANTS, DEFAULT

FIELDS = [
    "scene",
    "spheres",
    "facets",
    "spheres_a_call",
    *rounds.TIMES,
    "first_ns",
    "touching",
    "difference",
    "touching_spheres",
    "ns_a_touching",
    "kept",
]


class Entrant(rounds.Entrant):
    """A contestant on a scene, with the spheres of each call."""

    def __init__(self, name, scene, threads, outputs):
        super().__init__(name, CONTESTANTS[name](scene, threads), threads, outputs)
        count = len(scene.radii)
        if scene.spheres_a_call is None:
            count = min(count, self.contestant.sphere_limit or count)
        self.sphere_count = count
        self.call, self.firsts = scene.call, []
        step = scene.spheres_a_call or max(count, 1)
        self.calls = [
            self.contestant.prepare(
                scene.centers[b : min(b + step, count)], scene.radii[b : min(b + step, count)]
            )
            for b in range(0, count, step)
        ]

    def search(self):
        return [self.contestant.search(call) for call in self.calls]

    def run(self):
        """Search once; if the scene times a later call, search up to it with a new finder."""
        if self.call is None:
            super().run()
            return
        building = self.contestant.renew()
        for _ in range(self.call):
            super().run()
        first, *_, last = self.seconds[-self.call :]
        self.seconds[-self.call :] = [last]
        if building is not None:
            self.firsts.append(building + first)

    def first_ns(self):
        """Nanoseconds per sphere of the first call with building, without the first round."""
        each = [1e9 * seconds / self.sphere_count for seconds in self.firsts[1:]]
        return round(np.median(each), 2) if each else ""

    def counts(self):
        """Touching facets of each sphere, by a new search: some rivals count only the last call."""
        search, counts = self.contestant.search, self.contestant.counts
        return np.concatenate([counts(call, search(call)) for call in self.calls])

    def kept_count(self):
        """The number of contacts that abut keeps of the touching facets; "" for rivals."""
        return sum(len(found) for found in self.kept[-len(self.calls) :]) if is_abut(self) else ""


def is_abut(entrant):
    return entrant.name == "abut"


# ---- measuring -----------------------------------------------------------------------------------


def enter(name, scene, threads, outputs):
    """The entrants of one contestant by number of threads, for abut also by outputs."""
    most = CONTESTANTS[name].max_threads or max(threads)
    outputs = outputs if name == "abut" else ["warm"]
    return [Entrant(name, scene, t, o) for t in threads if t <= most for o in outputs]


def measure_searches(scene_name, scene, contestants, options):
    """The rows of the searches, one per entrant."""
    entrants = []
    for name in contestants:
        entrants += enter(name, scene, options.threads, options.outputs)
    rounds.take_turns(entrants, options.repeats)
    reference = next((e.counts() for e in entrants if is_abut(e)), None)
    rows = []
    for entrant in entrants:
        row = first_columns(scene_name, scene, entrant.name, entrant.threads, options)
        row |= {"spheres": entrant.sphere_count, "outputs": entrant.outputs, "unit": "sphere"}
        row["ns"] = [1e9 * s / entrant.sphere_count for s in entrant.seconds]
        row["first_ns"] = entrant.first_ns()
        rows.append(row | tally(entrant, reference))
    return rows


def measure_builds(scene_name, scene, contestants, options):
    """The rows of building, one per contestant and number of threads."""
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
        "facets": CONTESTANTS[name].facet_count(scene),
        "spheres_a_call": scene.spheres_a_call or "",
        "contestant": name,
        "version": CONTESTANTS[name].version(),
        "threads": threads,
        "simd": config()["instruction level"].split()[0],
        "repeats": options.repeats,
    }


def tally(entrant, reference):
    """The counts of an entrant, and their difference from abut's on the same spheres."""
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


def is_whole_rival(name):
    """Whether a contestant is a rival that finds all touching facets."""
    return not name.startswith("abut") and not CONTESTANTS[name].is_closest_only


# ---- the table -----------------------------------------------------------------------------------


def print_table(rows):
    fewest, most = (choose(row["facets"] for row in rows) for choose in (min, max))
    title = f"{rows[0]['scene']}: {rows[0]['spheres']:,} spheres, {fewest:,} facets"
    if most > fewest:
        title += f" (to rivals {most:,} triangles)"
    columns = rounds.COLUMNS | rounds.FOUND | {"kept": ("kept", ">9")}
    rounds.print_table(title, columns, rows, note)


def note(row):
    """The remark at the end of a row of the table."""
    notes = []
    if row["contestant"] == "abut" and row["fastest_rival"]:
        notes.append(f"fastest rival: {row['fastest_rival']}")
    if CONTESTANTS[row["contestant"]].is_closest_only and "touching_spheres" in row:
        notes.append(f"closest facet only: {row['touching_spheres']:,} spheres touch")
    if row["spheres_a_call"] or row["scene"] == "mixer":
        call = row["median_ns"] * (row["spheres_a_call"] or row["spheres"])
        notes.append(f"{call / 1e3:,.1f} us a call")
    if row.get("first_ns"):
        notes.append(f"first call, with building: {row['first_ns']:,.1f}")
    limit = CONTESTANTS[row["contestant"]].sphere_limit
    if row["spheres"] == limit:
        notes.append(f"the first {limit:,} spheres")
    return "  " + "; ".join(notes) if notes else ""


# ---- the command ---------------------------------------------------------------------------------


def measure(scene_name, sphere_count, contestants, options):
    """The finished rows of one scene."""
    scene = scenes.make(scene_name, sphere_count)
    run = measure_builds if scene_name == "build" else measure_searches
    return rounds.compare(run(scene_name, scene, contestants, options), is_whole_rival)


def main(arguments=None):
    parser = rounds.parser(__doc__, f"{rounds.cpu_name()}.csv")
    rounds.add_names(parser, scenes.SCENES, CONTESTANTS, "wall", DEFAULT)
    rounds.add_outputs(parser)
    options = parser.parse_args(arguments)
    options.contestants = rounds.leave_out_missing(options.contestants, CONTESTANTS)
    rounds.measure_all(options, CONTESTANTS, measure, print_table, FIELDS)


if __name__ == "__main__":
    sys.exit(main())
