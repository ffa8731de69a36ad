"""The command ``abut pairs``: pairs of touching spheres."""

from __future__ import annotations

import numpy as np

import abut

from ..base.checks import counted
from .options import OUT, SEARCHING, SPHERES, add_command
from .search import Search

DESCRIPTION = f"""\
Find all pairs of touching spheres in SPHERES and write them as a table.

{SPHERES}
{OUT}

Columns i and j of OUT are the numbers of the two spheres, from 0. If SPHERES has ids, OUT also has
columns id_i and id_j."""


def add(commands):
    """Add the command to the parser."""
    add_command(commands, "pairs", _run, DESCRIPTION, (*SEARCHING, ("--period", "--cell")))


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
    search.print_summary(counted(search.sphere_count, "sphere", style=","))


def _period(arguments, frame):
    if arguments.cell is not None:
        return np.reshape(arguments.cell, (3, 3))
    if arguments.period is None:
        return frame.period
    return [length or None for length in arguments.period] if any(arguments.period) else None
