"""The command ``abut``: one file a command, and what they share."""

from __future__ import annotations

import argparse
import sys
import warnings

import abut

from . import contacts, demo, doctor, frames, info, pairs
from .printing import complain, forget_stdout, text_of, warn

__all__ = ["main"]

BAD_INPUT, INTERRUPTED, PIPE_CLOSED = 2, 130, 141

# in the order in which the help lists them
COMMANDS = (contacts, pairs, info, frames, demo, doctor)

DESCRIPTION = """\
Contacts of spheres with meshes and with each other: contact points, normals, overlaps and nodal
weights. Each COMMAND explains itself: abut COMMAND --help."""


def main(argv: list[str] | None = None) -> int:
    """
    Run the command ``abut``.

    Parameters
    ----------
    argv : list of str, optional
        The arguments after the command's name; by default those of this process.

    Returns
    -------
    int
        The exit status: 0; 2 for bad input, with one line on stderr; 130 after Ctrl-C; 141 where
        nobody reads what is printed any more.
    """
    try:
        _run(argv)
        return 0
    except BrokenPipeError:
        forget_stdout()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return complain("interrupted", INTERRUPTED)
    except Exception as error:  # a person at a shell reads one line, not a traceback
        return complain(f"error: {text_of(error)}", BAD_INPUT)


def _run(argv):
    # what is printed leaves this process here, also a help text, so that a pipe that nobody reads
    # any more is noticed in time
    try:
        arguments = _parser().parse_args(argv)
        with warnings.catch_warnings():
            warnings.showwarning = warn
            warnings.simplefilter("always", abut.MeshWarning)
            warnings.simplefilter("always", abut.SimulationWarning)
            arguments.run(arguments)
    finally:
        sys.stdout.flush()


class _Parser(argparse.ArgumentParser):
    """Complains in one line; argparse would print the usage, too."""

    def error(self, message):
        self.exit(BAD_INPUT, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def _parser():
    parser = _Parser(prog="abut", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"abut {abut.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
