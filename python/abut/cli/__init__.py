"""The command ``abut``: a module for each subcommand, and modules that they share."""

from __future__ import annotations

import argparse
import sys
import warnings

import abut

from . import contacts, demo, doctor, frames, info, pairs
from .printing import complain, forget_stdout, text_of, warn

__all__ = ["main"]

BAD_INPUT, INTERRUPTED, PIPE_CLOSED = 2, 130, 141

# The modules of the subcommands, in the order of the help text.
COMMANDS = (contacts, pairs, info, frames, demo, doctor)

DESCRIPTION = """\
Contacts of spheres with meshes and with each other: contact points, normals, overlaps and nodal
weights. For help on a command run: abut COMMAND --help."""


def main(argv: list[str] | None = None) -> int:
    """
    Run the command ``abut``.

    Parameters
    ----------
    argv : list of str, optional
        The arguments after the command's name; by default the arguments of this process.

    Returns
    -------
    int
        The exit status: 0 for success; 2 for bad input, with one line on stderr; 130 after Ctrl-C;
        141 if the output is a closed pipe.
    """
    try:
        _run(argv)
        return 0
    except BrokenPipeError:
        forget_stdout()
        return PIPE_CLOSED
    except KeyboardInterrupt:
        return complain("interrupted", INTERRUPTED)
    except Exception as error:  # users at a shell need one line, not a traceback
        return complain(f"error: {text_of(error)}", BAD_INPUT)


def _run(argv):
    # All output, even a help text, is flushed here, so that `main` can handle a closed pipe.
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
    """A parser with error messages of one line; argparse would also print the usage."""

    def error(self, message):
        self.exit(BAD_INPUT, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def _parser():
    parser = _Parser(prog="abut", description=DESCRIPTION)
    parser.add_argument("--version", action="version", version=f"abut {abut.__version__}")
    commands = parser.add_subparsers(metavar="COMMAND", required=True)
    for command in COMMANDS:
        command.add(commands)
    return parser
