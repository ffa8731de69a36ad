"""The command ``abut pairs``: which spheres touch each other."""

from __future__ import annotations

import abut

from ..base.checks import counted
from .options import OUT, SEARCHING, SPHERES, add_command
from .search import Search

DESCRIPTION = f"""\
Find every pair of spheres in SPHERES that touch each other and write them as a table.

{SPHERES}
{OUT}

A row has the numbers i and j of the two spheres, from 0; where SPHERES has ids, OUT has these, too,
in columns id_i and id_j."""


def add(commands):
    """Add the command to those of the parser."""
    add_command(commands, "pairs", _run, DESCRIPTION, (*SEARCHING, "--period"))


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
