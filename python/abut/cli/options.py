"""Options that several commands have."""

from __future__ import annotations

import argparse

import abut

# what SPHERES may be, in the help of those that read it
SPHERES = """\
SPHERES  CSV with a header (x,y,z,radius), .npy (n, 4), .npz (centers, radii) or a LAMMPS/LIGGGHTS
         dump (also .gz, .zst); a column diameter serves, too; or several such files, a frame each:
         a folder, a 'pattern*' in quotes, or a list .pvd of abut.write_frames"""
OUT = """\
OUT      .csv, .npz, .vtp (ParaView) or .parquet, by its ending; .pvd: a file .vtp a frame and the
         list of them, which ParaView plays; -: CSV to standard output, and nothing else there"""


def add_command(commands, name, run, description):
    """Add a command without options; the first sentence of its help is that in the list of all."""
    command = commands.add_parser(
        name,
        description=description,
        help=description.splitlines()[0],
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    command.set_defaults(run=run)
    return command


def add_reading(command):
    """Add how a mesh is read."""
    command.add_argument(
        "--scale", type=float, default=1.0, metavar="FACTOR",
        help="multiply the mesh's coordinates (1e-3: millimeters to meters); not the spheres'",
    )  # fmt: skip
    command.add_argument(
        "--weld", type=float, default=0.0, metavar="LENGTH",
        help="make one vertex of those that are this close, in the file's unit"
        " (default 0: those that coincide)",
    )  # fmt: skip
    command.add_argument(
        "--noise", type=float, metavar="LENGTH",
        help="how far corners may be off, in the file's unit (default: what the file's digits"
        " tell, or what is measured)",
    )  # fmt: skip
    command.add_argument("--part", metavar="NAME", help="SubModelPart of an mdpa file")


def read_mesh(arguments, split):
    """The mesh of a command that has the options of `add_reading`."""
    return abut.read_mesh(
        arguments.mesh,
        scale=arguments.scale,
        weld=arguments.weld,
        noise=arguments.noise,
        part=arguments.part,
        split=split,
    )


def add_searching(command):
    """Add what searches of frames have in common."""
    command.add_argument("spheres", metavar="SPHERES", help="file or files of spheres")
    command.add_argument("-o", "--output", metavar="OUT", required=True, help="where to write")
    command.add_argument(
        "--frame", type=_frame, default=-1, metavar="N|all",
        help="which frame of a dump, from 0; -1 is the last (default); all: every frame, and a"
        " column frame in the output, or a file a frame where OUT is .pvd",
    )  # fmt: skip
    command.add_argument(
        "--gap", type=float, default=0.0, metavar="LENGTH",
        help="also report what is this close without touching (overlap < 0)",
    )  # fmt: skip
    command.add_argument(
        "--workers", type=int, metavar="N",
        help="threads; -1: all (default: ABUT_NUM_THREADS, OMP_NUM_THREADS or all)",
    )  # fmt: skip


def _frame(text):
    try:
        return text if text == "all" else int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number, nor all") from None
