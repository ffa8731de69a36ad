"""The command ``abut contacts``: contacts of spheres with a mesh."""

from __future__ import annotations

from pathlib import Path

import abut

from ..base.checks import counted
from ..io import MESH_ENDINGS
from ..search.units import warn_of_enclosed, warn_of_units
from .options import OUT, READING, SEARCHING, SPHERES, add_command, read_mesh
from .search import Search

DESCRIPTION = f"""\
Find all contacts of the spheres in SPHERES with the mesh in MESH and write them as a table.

MESH     STL, OBJ, PLY, VTP, VTU or Kratos mdpa, also with .gz at the end; with the extra "io" also
         VTK, MSH, OFF or glTF
{SPHERES}
{OUT}

If SPHERES has ids, OUT has a column id. To write each frame of a dump for ParaView, run:

    abut contacts drum.stl run.dump --frame all -o out.pvd

The mesh does not move, and does not repeat in a periodic box. For moving or periodic walls use
Python: abut.ContactFinder(mesh).find(centers, radii, poses=..., period=...)."""


def add(commands):
    """Add the command to the parser."""
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
    search.print_summary(f"{search.touching_count:,} of {spheres}")


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
    """Raise if MESH and SPHERES are swapped.

    Without this check, the errors would say only that the kinds of the files are unknown.
    """
    mesh, spheres = Path(arguments.mesh), Path(arguments.spheres)
    if _may_be_mesh(spheres) and not _may_be_mesh(mesh):
        raise ValueError(
            f"{spheres} is a mesh: give it first, as in abut contacts {spheres} {mesh}"
        )


def _may_be_mesh(path):
    packed = path.suffix.lower() == ".gz"
    return (path.with_suffix("") if packed else path).suffix.lower() in MESH_ENDINGS
