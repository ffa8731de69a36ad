"""The command ``abut contacts``: what touches a mesh."""

from __future__ import annotations

from pathlib import Path

import abut

from ..base.checks import counted
from ..io import MESH_ENDINGS
from ..search.units import warn_of_enclosed, warn_of_units
from .options import OUT, READING, SEARCHING, SPHERES, add_command, read_mesh
from .search import Search

DESCRIPTION = f"""\
Find every contact of the spheres in SPHERES with the mesh in MESH and write them as a table.

MESH     STL, OBJ, PLY, VTP, VTU or Kratos mdpa; VTK, MSH, OFF or glTF with the extra "io"; or .gz
{SPHERES}
{OUT}

Where SPHERES has ids, OUT has them, too, in a column id. A dump frame by frame, for ParaView:

    abut contacts drum.stl run.dump --frame all -o out.pvd

The mesh stands still, and is there once, also where a dump is periodic: for walls that move or
repeat there are poses= and period= in Python, abut.ContactFinder(mesh).find(...)."""


def add(commands):
    """Add the command to those of the parser."""
    own = ("--split", "--resolution", "--exponent", "--flat-angle", "--weights")
    add_command(commands, "contacts", _run, DESCRIPTION, ("mesh", *SEARCHING, *READING, *own))


def _run(arguments):
    _check_order(arguments)
    search = Search(arguments, "contact")
    finder = abut.ContactFinder(read_mesh(arguments, arguments.split))
    last = None

    def find(frame):
        nonlocal last
        if last is None:
            warn_of_enclosed(frame.centers, frame.radii, finder.meshes, None)
        contacts = _find(finder, frame, arguments)
        last = frame, contacts
        columns = {} if frame.ids is None else {"id": frame.ids[contacts.sphere]}
        return contacts, columns

    search.run(find)
    if last and not search.found_count:
        frame, contacts = last
        warn_of_units(frame.centers, frame.radii, arguments.gap, contacts)
    spheres = counted(search.sphere_count, "sphere", style=",")
    search.tell(f"{search.touching_count:,} of {spheres}")


def _find(finder, frame, arguments):
    return finder.find(
        frame.centers,
        frame.radii,
        resolution=arguments.resolution,
        exponent=arguments.exponent,
        flat_angle=arguments.flat_angle,
        gap=arguments.gap,
        weights=arguments.weights,
        workers=arguments.workers,
    )


def _check_order(arguments):
    """Both files would be of no known kind, if they were taken for each other."""
    mesh, spheres = Path(arguments.mesh), Path(arguments.spheres)
    if _may_be_mesh(spheres) and not _may_be_mesh(mesh):
        raise ValueError(f"{spheres} is a mesh, which comes first: abut contacts {spheres} {mesh}")


def _may_be_mesh(path):
    packed = path.suffix.lower() == ".gz"
    return (path.with_suffix("") if packed else path).suffix.lower() in MESH_ENDINGS
