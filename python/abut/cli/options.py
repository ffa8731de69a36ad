"""The options of all commands, and functions that add them to a command."""

from __future__ import annotations

import argparse
import math
from typing import Any

import abut

from ..base.checks import positive

# Texts about SPHERES and OUT for the help of the commands that have them.
SPHERES = """\
SPHERES  CSV with a header (x,y,z,radius or diameter), .npy (n, 4), .npz (centers, radii), or a
         LAMMPS/LIGGGHTS dump, data file or .xyz (also .gz, .zst), or points with a radius in .vtk
         or .vtp. Several files with one frame each: a folder, a 'pattern*' in quotes, or a .pvd
         list that abut.write_frames wrote"""
OUT = """\
OUT      .csv, .npz, .vtp (for ParaView) or .parquet; .pvd writes one .vtp file for each frame and a
         list of them, which ParaView plays; - writes CSV to standard output"""


def _frame(text):
    try:
        return text if text == "all" else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number or all") from None


def _length(text):
    try:
        length = float(text)
    except ValueError:
        length = math.nan
    if not 0.0 <= length < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is not a length or 0")
    return length


def _coordinate(text):
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a finite number")
    return number


def _radii(text):
    """Return a radius, or a dict of radii by type for a text such as 1:0.5e-3,2:1e-3."""
    try:
        if ":" not in text:
            return positive(float(text), "the radius")
        pairs = [part.split(":") for part in text.split(",")]
        return {int(kind): positive(float(radius), "a radius") for kind, radius in pairs}
    except ValueError:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a radius above 0, nor radii by type such as 1:0.5e-3,2:1e-3"
        ) from None


def _seconds(text):
    try:
        return positive(float(text), "the time")
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is not a time above 0") from None


# For each option, the keyword arguments of argparse's add_argument, and its short name ("alias").
OPTIONS: dict[str, dict[str, Any]] = {
    "mesh": {"metavar": "MESH", "help": "file of a mesh, such as .stl, .obj or .vtp"},
    "spheres": {"metavar": "SPHERES", "help": "file or files of spheres"},
    "--output": {"alias": "-o", "metavar": "OUT", "required": True, "help": "output file"},
    "--frame": {
        "type": _frame, "default": -1, "metavar": "N|all",
        "help": "number of the frame, from 0; -1 is the last (default). all: every frame, with a"
        " column frame in OUT, or one file for each frame if OUT is .pvd",
    },
    "--radius": {
        "type": _radii, "metavar": "R",
        "help": "radius of the spheres if the file has none, or one for each type: 1:0.5e-3,2:1e-3",
    },
    "--gap": {
        "type": float, "default": 0.0, "metavar": "LENGTH",
        "help": "also report gaps up to this length (their overlap is negative; default 0)",
    },
    "--workers": {
        "type": int, "metavar": "N",
        "help": "number of threads; -1: all cores (default: ABUT_NUM_THREADS, OMP_NUM_THREADS, or"
        " all cores)",
    },
    "--scale": {
        "type": float, "default": 1.0, "metavar": "FACTOR",
        "help": "multiply the mesh's coordinates, not the spheres' (1e-3: millimeters to meters)",
    },
    "--weld": {
        "type": float, "default": 0.0, "metavar": "LENGTH",
        "help": "join vertices within this distance, in the file's unit (default 0: only vertices"
        " that coincide)",
    },
    "--noise": {
        "type": float, "metavar": "LENGTH",
        "help": "error of the corners, in the file's unit (default: from the digits in the file,"
        " or measured)",
    },
    "--part": {"metavar": "NAME", "help": "SubModelPart of an mdpa file"},
    "--split": {
        "action": "store_true",
        "help": "triangulate facets that are not convex or not planar; otherwise they are errors",
    },
    "--resolution": {
        "choices": ("hierarchy", "sharing", "all"), "default": "hierarchy",
        "help": "hierarchy: one contact for touching facets of one surface (default);"
        " sharing: these facets share the force, which jumps only at steep corners;"
        " all: one contact for each touching facet",
    },
    "--exponent": {
        "type": float, "default": 1.5, "metavar": "P",
        "help": "power in the contact law, force ~ overlap^P, for sharing (default 1.5: Hertz)",
    },
    "--flat-angle": {
        "type": float, "default": 0.0, "metavar": "RADIANS",
        "help": "walls that meet within this angle from flat count as one surface (default 0)",
    },
    "--weights": {
        "choices": ("wachspress", "zhong"), "default": "wachspress",
        "help": "nodal weights of polygons (default wachspress, which keeps force and moment)",
    },
    "--period": {
        "type": _length, "nargs": 3, "metavar": ("LX", "LY", "LZ"),
        "help": "lengths of the periodic box along x, y and z, 0 for axes that are not periodic"
        " (default: the box of a dump along its periodic edges (pp), or the period in files of"
        " abut.write_frames). 0 0 0 ignores these",
    },
    "--cell": {
        "type": _coordinate, "nargs": 9,
        "metavar": ("AX", "AY", "AZ", "BX", "BY", "BZ", "CX", "CY", "CZ"),
        "help": "vectors of a tilted periodic cell, 0 0 0 for one that does not repeat; instead of"
        " --period",
    },
    "--plot": {"metavar": "FILE.png", "help": "also save a picture (needs the extra plot)"},
    "--files": {
        "action": "store_true",
        "help": "only write example files for the other commands: step.stl and spheres.csv",
    },
    "--simulate": {
        "type": _seconds, "metavar": "SECONDS",
        "help": "run the mixer for this time; 0.2 takes about a minute on one core",
    },
}  # fmt: skip

# Groups of options that several commands share.
READING = ("--scale", "--weld", "--noise", "--part")
SEARCHING = ("spheres", "--radius", "--output", "--frame", "--gap", "--workers")


def add_command(commands, name, run, description, options=()):
    """Add a command with these options; options in an inner tuple exclude each other.

    The first line of the description is the command's line in `abut --help`.
    """
    command = commands.add_parser(
        name,
        description=description,
        help=description.splitlines()[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    for option in options:
        if isinstance(option, tuple):
            either = command.add_mutually_exclusive_group()
            for one in option:
                _add(either, one)
        else:
            _add(command, option)
    command.set_defaults(run=run)


def _add(command, name):
    settings = dict(OPTIONS[name])
    alias = [settings.pop("alias")] if "alias" in settings else []
    command.add_argument(*alias, name, **settings)


def read_mesh(arguments, split):
    """Read the mesh of a command that has the options `READING`."""
    return abut.read_mesh(
        arguments.mesh,
        scale=arguments.scale,
        weld=arguments.weld,
        noise=arguments.noise,
        part=arguments.part,
        split=split,
    )
