"""Restart files: the walls of a simulation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.checks import counted
from ..base.values import from_dict
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from .deforming import Deforming, Structure
from .drives import check_rows, drive_of
from .restart_file import SURFACE, check_shape
from .saving import digest
from .wall_entries import NO_MESH, WallEntry

_Arrays = Mapping[str, NDArray[Any]]


def read_entries(
    stored: Sequence[Mapping[str, Any]], meshes: tuple[Mesh, ...], motions: dict[int, Any]
) -> list[WallEntry]:
    count = sum(
        not (isinstance(wall["mesh"], dict) or wall.get("is_gone", False)) for wall in stored
    )
    if count != len(meshes):
        walls = counted(count, "wall")
        given = counted(len(meshes), "mesh is", "meshes are")
        raise ValueError(f"it has {walls} with a mesh, but {given} given: pass meshes=[...]")
    rest = iter(enumerate(meshes))
    entries = [_entry(number, wall, rest, motions) for number, wall in enumerate(stored)]
    if motions:
        raise ValueError(f"motions names wall {next(iter(motions))}, which no callable moved")
    return entries


def _entry(
    number: int,
    wall: Mapping[str, Any],
    meshes: Iterator[tuple[int, Mesh]],
    motions: dict[int, Any],
) -> WallEntry:
    pose = np.array(wall["pose"], np.float64).reshape(4, 4)
    entry = WallEntry(NO_MESH, int(wall["material"]), None, float(wall["start"]), pose)
    if wall.get("is_gone", False):
        return replace(entry, is_active=False, is_gone=True)
    mesh = _wall_mesh(number, wall["mesh"], meshes)
    motion = from_dict(wall["motion"]) if wall["motion"] else None
    if wall["is_given"]:
        if number not in motions:
            what = "returns the load of" if wall.get("is_asked") else "moved"
            raise ValueError(f"a callable {what} wall {number}: pass motions={{{number}: ...}}")
        motion = motions.pop(number)
    return replace(entry, mesh=mesh, motion=motion, is_active=bool(wall.get("is_active", True)))


def read_drives(entries: Sequence[WallEntry], arrays: _Arrays) -> dict[int, NDArray[np.float64]]:
    """The rows of the walls with a Servo or a Free, by wall number."""
    drives = {k: drive_of(entry.motion) for k, entry in enumerate(entries)}
    driven = {k: drive for k, drive in drives.items() if drive is not None}
    if not driven:
        return {}
    check_shape(arrays, "drives", len(driven), _core.DRIVE_NUMBERS)
    check_rows(arrays["drives"], driven.values())
    return dict(zip(driven, arrays["drives"], strict=True))


def read_deformed(
    entries: list[WallEntry],
    stored: Sequence[Mapping[str, Any]],
    arrays: _Arrays,
    deform: dict[int, Structure],
) -> list[WallEntry]:
    """The entries, completed with the state of the walls that deform."""
    numbers = [k for k, wall in enumerate(stored) if "deformed" in wall]
    for number in deform:
        if number not in numbers:
            raise ValueError(f"deform names wall {number}, which did not deform")
    counts = [_vertex_count(entries[k], k, deform) for k in numbers]
    if numbers:
        check_shape(arrays, "surfaces", sum(counts), SURFACE)
    parts = np.split(arrays["surfaces"], np.cumsum(counts)[:-1]) if numbers else []
    for number, columns in zip(numbers, parts, strict=True):
        mesh, steps = entries[number].mesh, int(stored[number]["deformed"])
        assert isinstance(mesh, Mesh)
        known = Deforming.restored(deform[number], mesh, columns, steps)
        entries[number] = replace(entries[number], deforming=known)
    return entries


def _vertex_count(entry: WallEntry, number: int, deform: Mapping[int, Structure]) -> int:
    if number not in deform:
        raise ValueError(f"a callable deforms wall {number}: pass deform={{{number}: ...}}")
    if not isinstance(entry.mesh, Mesh):
        raise ValueError(f"its setup is damaged: wall {number} deforms, but is no mesh")
    return len(entry.mesh.vertices)


def _wall_mesh(number: int, stored: Any, meshes: Iterator[tuple[int, Mesh]]) -> Mesh | HalfSpace:
    """The mesh or half space of a wall: the next given mesh, or the half space in the file."""
    if isinstance(stored, dict):
        half_space = from_dict(stored)
        if not isinstance(half_space, HalfSpace):
            raise ValueError(f"its wall {number} is neither a mesh nor a half space")
        return half_space
    place, mesh = next(meshes)
    if stored != digest(mesh):
        raise ValueError(f"meshes[{place}] is not the mesh that wall {number} was saved with")
    return mesh
