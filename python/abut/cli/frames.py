"""The command ``abut frames``: what the frames of a file, or of several, are."""

from __future__ import annotations

import abut

from .options import SPHERES, add_command

DESCRIPTION = f"""\
List the frames of SPHERES: number, step, time, spheres, and their radii.

{SPHERES}

A frame that a file does not tell the step or time of has - there. The numbers are those that
--frame of the other commands takes."""

HEAD = ("frame", "step", "time", "spheres", "radii", "period")


def add(commands):
    """Add the command to those of the parser."""
    add_command(commands, "frames", _run, DESCRIPTION, ("spheres",))


def _run(arguments):
    for number, frame in enumerate(abut.read_frames(arguments.spheres)):
        # what is no file of spheres is told first
        for row in (HEAD, _row(number, frame)) if number == 0 else (_row(number, frame),):
            print("  ".join(f"{word:>12}" for word in row))


def _row(number, frame):
    """What is printed of a frame, in the order of `HEAD`."""
    ends = (frame.radii.min(), frame.radii.max()) if len(frame.radii) else ()
    radii = " to ".join(dict.fromkeys(f"{radius:.4g}" for radius in ends))
    period = " ".join(_told(length) for length in frame.period or ())
    spheres = f"{len(frame.radii):,}"
    step = "-" if frame.step is None else str(frame.step)
    return str(number), step, _told(frame.time), spheres, radii or "-", period or "-"


def _told(number):
    return "-" if number is None else f"{number:.7g}"
