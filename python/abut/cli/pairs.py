"""The command ``abut pairs``: which spheres touch each other."""

from __future__ import annotations

import argparse
import math

import abut

from ..base.checks import counted
from .frames import Search
from .options import OUT, SPHERES, add_command, add_searching

DESCRIPTION = f"""\
Find every pair of spheres in SPHERES that touch each other and write them as a table.

{SPHERES}
{OUT}

A row has the numbers i and j of the two spheres, from 0; where SPHERES has ids, OUT has these, too,
in columns id_i and id_j."""


def add(commands):
    """Add the command to those of the parser."""
    command = add_command(commands, "pairs", _run, DESCRIPTION)
    add_searching(command)
    command.add_argument(
        "--period", type=_length, nargs=3, metavar=("LX", "LY", "LZ"),
        help="lengths at which the world repeats along x, y and z, 0: not at all (default: the"
        " box of a dump along its periodic axes (pp), the period in files of abut.write_frames,"
        " none elsewhere; 0 0 0 takes no notice of these)",
    )  # fmt: skip


def _length(text):
    try:
        length = float(text)
    except ValueError:
        length = math.nan
    if not 0.0 <= length < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no length, nor 0")
    return length


def _run(arguments):
    search = Search(arguments, "pair")

    def find(frame):
        pairs = abut.find_pairs(
            frame.centers,
            frame.radii,
            gap=arguments.gap,
            period=_period(arguments, frame),
            workers=arguments.workers,
        )
        if frame.ids is None:
            return pairs, {}
        return pairs, {"id_i": frame.ids[pairs.i], "id_j": frame.ids[pairs.j]}

    search.run(find)
    search.tell(counted(search.sphere_count, "sphere", style=","))


def _period(arguments, frame):
    if arguments.period is None:
        return frame.period
    return [length or None for length in arguments.period] if any(arguments.period) else None
