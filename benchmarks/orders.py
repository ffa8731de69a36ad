"""Measure the order of accuracy of every law, motion and integrator, by halving the step.

`python benchmarks/orders.py` prints for each scene of tests/scenes_orders.py:

- the order of the error of positions, spins and orientations,
- the change by the last halving, in radii,
- the order and the size of the energy drift.
"""

import argparse
import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "tests"))

import scenes_orders as scenes
from rounds import whole

HEAD = ("scene", "order", "last change / R", "order of the drift", "last drift / energy")


def row(*cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--halvings", type=whole(2), default=5)
    parser.add_argument("--group", choices=scenes.GROUPS, action="append", help="default: all")
    given = parser.parse_args()
    for group in given.group or scenes.GROUPS:
        print(f"\n{group}\n")
        row(*HEAD)
        row(*("---" for _ in HEAD))
        for name, scene in scenes.GROUPS[group][0].items():
            step = scenes.longest_step(name, group)
            changed, drifts = scenes.halved(scene, step, given.halvings)
            numbers = scenes.order(changed), changed[-1] / scenes.RADIUS, scenes.order(drifts)
            forms = ("{:.2f}", "{:.0e}", "{:.2f}")
            cells = (form.format(x) for form, x in zip(forms, numbers, strict=True))
            row(name, *cells, f"{drifts[-1]:.0e}")


if __name__ == "__main__":
    main()
