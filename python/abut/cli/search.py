"""The search for contacts or pairs in one or all frames of a file."""

from __future__ import annotations

import sys

import numpy as np

import abut

from ..base.checks import counted
from ..base.progress import Tally
from .output import STDOUT, open_output


class Search:
    """Searches frames for contacts or pairs, and writes the tables.

    Parameters
    ----------
    arguments : Namespace
        The arguments of the command, with the options `SEARCHING`.
    what : str
        "contact" or "pair".
    """

    def __init__(self, arguments, what):
        self._arguments, self._what = arguments, what
        # The output is opened first, so that a wrong ending is an error before the search.
        self._output = open_output(arguments, f"{what}s")
        self.found_count = self.sphere_count = self.touching_count = self.frame_count = 0

    def run(self, find):
        """Search the selected frames; `find(frame)` returns a table and further columns for it."""
        frames = abut.read_frames(self._arguments.spheres, radius=self._arguments.radius)
        if self._arguments.frame == "all":
            self._search_all(frames, find)
        else:
            number, frame = _one_of(frames, self._arguments)
            self._search_one(number, frame, find)
        self._output.close()

    def _search_all(self, frames, find):
        tally = Tally(len(frames), "frame") if sys.stderr.isatty() else None
        try:
            for number, frame in enumerate(frames):
                self._search_one(number, frame, find)
                if tally:
                    tally.update(number + 1, self._count())
        finally:
            if tally:
                tally.close()
        if not self.frame_count:
            raise ValueError(f"{self._arguments.spheres} has no frames")

    def _search_one(self, number, frame, find):
        table, columns = find(frame)
        self._output.add(number, frame, table, columns)
        self.found_count += len(table)
        self.touching_count += int(np.count_nonzero(table.counts))
        self.sphere_count += len(frame.radii)
        self.frame_count += 1

    def _count(self):
        return counted(self.found_count, self._what, style=",")

    def print_summary(self, spheres):
        """Print the number of rows and the output file; nothing if the output is stdout."""
        if self._arguments.output == STDOUT:
            return
        frames = f" in {counted(self.frame_count, 'frame', style=',')}"
        where = frames if self._arguments.frame == "all" else ""
        print(f"{self._count()} of {spheres}{where} written to {self._arguments.output}")


def _one_of(frames, arguments):
    """Return the number (from 0) and the frame of --frame; negative ones count from the end."""
    number = arguments.frame
    try:
        frame = frames[number]
    except IndexError as error:
        raise ValueError(f"{arguments.spheres}: {error}") from None
    return number % len(frames), frame
