"""Time all touching pairs of spheres of any sizes, contestants interleaved in one process.

    python benchmarks/pairs.py --threads 1,2
    python benchmarks/pairs.py --scene omega-1,unsorted-1 --contestants abut,warp --json out.json

Grids and trees are built and searched inside the clock. Prints the fastest and the median repeat
and how they compare, and appends the figures to results/pairs/<cpu>.csv. README.md describes each
scene, contestant and column.
"""

import sys

import pair_scenes
import rounds
from abut.base.config import config
from pair_contestants import CONTESTANTS, DEFAULT

FIELDS = [
    "scene",
    "spheres",
    *rounds.TIMES,
    "base",
    "over_base",
    "touching",
    "difference",
    "ns_a_touching",
]


class Entrant(rounds.Entrant):
    """A contestant on a scene."""

    def __init__(self, name, scene_name, scene, threads, outputs):
        super().__init__(name, CONTESTANTS[name](scene, threads), threads, outputs)
        self.scene_name, self.sphere_count = scene_name, len(scene.radii)

    def clocked(self, found, seconds):
        own = self.contestant.seconds(found[0])
        return seconds if own is None else own


def enter(name, scene_name, scene, options):
    """The entrants of one contestant by number of threads, for abut also by outputs.

    Only abut enters periodic scenes, because rivals would ignore the period."""
    if scene.period and not name.startswith("abut"):
        return []
    most = CONTESTANTS[name].max_threads or max(options.threads)
    outputs = options.outputs if name.startswith("abut") else ["warm"]
    return [
        Entrant(name, scene_name, scene, t, o)
        for t in options.threads
        if t <= most
        for o in outputs
    ]


def measure(scene_name, sphere_count, contestants, options):
    """The finished rows of one scene, compared with abut's rows of its simpler scene."""
    scene, base = pair_scenes.make(scene_name, sphere_count), pair_scenes.base_of(scene_name)
    entrants, base_entrants = [], []
    for name in contestants:
        entrants += enter(name, scene_name, scene, options)
        if base and name.startswith("abut"):
            base_entrants += enter(name, base, pair_scenes.make(base, sphere_count), options)
    rounds.take_turns(entrants + base_entrants, options.repeats)
    reference = next((pair_count(e) for e in entrants if e.name == "abut"), None)
    rows = [row_of(entrant, reference, options) for entrant in entrants]
    # abut's entrants of both scenes were made in the same order
    own = [row for row in rows if base and row["contestant"].startswith("abut")]
    for entrant, row in zip(base_entrants, own, strict=True):
        row["base"] = base
        row["over_base"] = rounds.quotient(row, row_of(entrant, None, options))
    return rounds.compare(rows, is_rival)


def row_of(entrant, reference, options):
    """The columns of one entrant, with the difference of its number of pairs from abut's."""
    count = pair_count(entrant)
    return {
        "scene": entrant.scene_name,
        "spheres": entrant.sphere_count,
        "contestant": entrant.name,
        "version": CONTESTANTS[entrant.name].version(),
        "threads": entrant.threads,
        "outputs": entrant.outputs,
        "simd": config()["instruction level"].split()[0],
        "repeats": options.repeats,
        "unit": "sphere",
        "ns": [1e9 * seconds / entrant.sphere_count for seconds in entrant.seconds],
        "touching": count,
        "difference": "" if reference is None else count - reference,
    }


def pair_count(entrant):
    return entrant.contestant.pair_count(entrant.kept[-1])


def is_rival(name):
    """Whether a contestant is a rival with its whole search timed, as abut's is."""
    return not name.startswith("abut") and not CONTESTANTS[name].is_list_only


# ---- the table -----------------------------------------------------------------------------------


def print_table(rows):
    title = f"{rows[0]['scene']}: {rows[0]['spheres']:,} spheres"
    columns = rounds.COLUMNS | {"over_base": ("/base", ">6")} | rounds.FOUND
    rounds.print_table(title, columns, rows, note)


def note(row):
    """The remark at the end of a row of the table."""
    if row["contestant"] == "abut" and row["fastest_rival"]:
        return f"  fastest rival: {row['fastest_rival']}"
    return "  its own clock, neighbor list only" if is_list_only(row["contestant"]) else ""


def is_list_only(name):
    return CONTESTANTS[name].is_list_only


def main(arguments=None):
    parser = rounds.parser(__doc__, f"pairs/{rounds.cpu_name()}.csv")
    rounds.add_names(parser, pair_scenes.SCENES, CONTESTANTS, "omega-10", DEFAULT)
    rounds.add_outputs(parser)
    options = parser.parse_args(arguments)
    options.contestants = rounds.leave_out_missing(options.contestants, CONTESTANTS)
    rounds.measure_all(options, CONTESTANTS, measure, print_table, FIELDS)


if __name__ == "__main__":
    sys.exit(main())
