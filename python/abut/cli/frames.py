"""The command ``abut frames``: a list of the frames in files."""

from __future__ import annotations

import abut

from ..base.periods import is_array
from .options import SPHERES, add_command

DESCRIPTION = f"""\
List the frames of SPHERES: number, step, time, number of spheres, radii and period.

{SPHERES}

The period has the length along each axis, or the vectors of a tilted box: x y z; x y z; x y z. A
dash (-) stands for a step, time or period that the file does not have. The first column has the
numbers for --frame of the other commands."""

HEAD = ("frame", "step", "time", "spheres", "radii", "period")


def add(commands):
    """Add the command to the parser."""
    add_command(commands, "frames", _run, DESCRIPTION, ("spheres", "--radius"))


def _run(arguments):
    frames = abut.read_frames(arguments.spheres, radius=arguments.radius)
    for number, frame in enumerate(frames):
        # The head is printed only after the first frame was read, which may raise an error.
        for row in (HEAD, _row(number, frame)) if number == 0 else (_row(number, frame),):
            print("  ".join(f"{word:>12}" for word in row))


def _row(number, frame):
    """Return the words that are printed for a frame, in the order of `HEAD`."""
    ends = (frame.radii.min(), frame.radii.max()) if len(frame.radii) else ()
    radii = " to ".join(dict.fromkeys(f"{radius:.4g}" for radius in ends))
    period = _period(frame.period)
    spheres = f"{len(frame.radii):,}"
    step = "-" if frame.step is None else str(frame.step)
    return str(number), step, _shown(frame.time), spheres, radii or "-", period or "-"


def _period(period):
    """Return the lengths along the axes, or the vectors, as text."""
    rows = period.tolist() if is_array(period) else [period or ()]
    return "; ".join(" ".join(map(_shown, row)) for row in rows)


def _shown(number):
    return "-" if number is None else f"{number:.7g}"
