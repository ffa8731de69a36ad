"""The options of all commands, each once, and how a command takes some of them."""

from __future__ import annotations

import argparse
import math
from typing import Any

import abut

from ..base.checks import positive

# what SPHERES may be, in the help of those that read it
SPHERES = """\
SPHERES  CSV with a header (x,y,z,radius), .npy (n, 4), .npz (centers, radii) or a LAMMPS/LIGGGHTS
         dump (also .gz, .zst); a column diameter serves, too; or several such files, a frame each:
         a folder, a 'pattern*' in quotes, or a list .pvd of abut.write_frames"""
OUT = """\
OUT      .csv, .npz, .vtp (ParaView) or .parquet, by its ending; .pvd: a file .vtp a frame and the
         list of them, which ParaView plays; -: CSV to standard output, and nothing else there"""


def _frame(text):
    try:
        return text if text == "all" else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number, nor all") from None


def _length(text):
    try:
        length = float(text)
    except ValueError:
        length = math.nan
    if not 0.0 <= length < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no length, nor 0")
    return length


def _seconds(text):
    try:
        return positive(float(text), "the time")
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no time above 0") from None


# each as argparse takes it; a short name is an alias
OPTIONS: dict[str, dict[str, Any]] = {
    "mesh": {"metavar": "MESH", "help": "file of a mesh, such as .stl, .obj or .vtp"},
    "spheres": {"metavar": "SPHERES", "help": "file or files of spheres"},
    "--output": {"alias": "-o", "metavar": "OUT", "required": True, "help": "where to write"},
    "--frame": {
        "type": _frame, "default": -1, "metavar": "N|all",
        "help": "which frame of a dump, from 0; -1 is the last (default); all: every frame, and a"
        " column frame in the output, or a file a frame where OUT is .pvd",
    },
    "--gap": {
        "type": float, "default": 0.0, "metavar": "LENGTH",
        "help": "also report what is this close without touching (overlap < 0)",
    },
    "--workers": {
        "type": int, "metavar": "N",
        "help": "threads; -1: all (default: ABUT_NUM_THREADS, OMP_NUM_THREADS or all)",
    },
    "--scale": {
        "type": float, "default": 1.0, "metavar": "FACTOR",
        "help": "multiply the mesh's coordinates (1e-3: millimeters to meters); not the spheres'",
    },
    "--weld": {
        "type": float, "default": 0.0, "metavar": "LENGTH",
        "help": "make one vertex of those that are this close, in the file's unit"
        " (default 0: those that coincide)",
    },
    "--noise": {
        "type": float, "metavar": "LENGTH",
        "help": "how far corners may be off, in the file's unit (default: what the file's digits"
        " tell, or what is measured)",
    },
    "--part": {"metavar": "NAME", "help": "SubModelPart of an mdpa file"},
    "--split": {
        "action": "store_true",
        "help": "triangulate facets that are not convex or not planar, which are errors otherwise",
    },
    "--resolution": {
        "choices": ("hierarchy", "sharing", "all"), "default": "hierarchy",
        "help": "hierarchy: touching facets of one surface make one contact (default);"
        " sharing: they share its force, which does not jump but at steep corners;"
        " all: every touching facet makes a contact",
    },
    "--exponent": {
        "type": float, "default": 1.5, "metavar": "P",
        "help": "of the contact law that sharing is for, force ~ overlap^P (default 1.5: Hertz)",
    },
    "--flat-angle": {
        "type": float, "default": 0.0, "metavar": "RADIANS",
        "help": "take walls for one surface where they meet at less than this angle from flat",
    },
    "--weights": {
        "choices": ("wachspress", "zhong"), "default": "wachspress",
        "help": "nodal weights of polygons (default wachspress: keeps force and moment)",
    },
    "--period": {
        "type": _length, "nargs": 3, "metavar": ("LX", "LY", "LZ"),
        "help": "lengths at which the world repeats along x, y and z, 0: not at all (default: the"
        " box of a dump along its periodic axes (pp), the period in files of abut.write_frames,"
        " none elsewhere; 0 0 0 takes no notice of these)",
    },
    "--plot": {"metavar": "FILE.png", "help": "save a picture, too (extra plot)"},
    "--files": {
        "action": "store_true",
        "help": "write a mesh and spheres for the other commands instead: step.stl and spheres.csv",
    },
    "--simulate": {
        "type": _seconds, "metavar": "SECONDS",
        "help": "let the mixer turn for so long; 0.2 takes about a minute on one core",
    },
}  # fmt: skip

# those that several commands take together
READING = ("--scale", "--weld", "--noise", "--part")
SEARCHING = ("spheres", "--output", "--frame", "--gap", "--workers")


def add_command(commands, name, run, description, options=()):
    """Add a command with some of the options; the first sentence of its help is that in the list
    of all. Of options in a tuple of their own only one may be given."""
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
    told = dict(OPTIONS[name])
    alias = [told.pop("alias")] if "alias" in told else []
    command.add_argument(*alias, name, **told)


def read_mesh(arguments, split):
    """The mesh of a command that has the options `READING`."""
    return abut.read_mesh(
        arguments.mesh,
        scale=arguments.scale,
        weld=arguments.weld,
        noise=arguments.noise,
        part=arguments.part,
        split=split,
    )
