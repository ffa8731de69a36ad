"""Checks of walls for convex bodies: meshes, and half spaces after them."""

from __future__ import annotations

from typing import Any, NamedTuple

from .. import _core
from ..base import checks
from ..base.arrays import Doubles
from ..base.poses import read_poses
from .finder import ContactFinder
from .half_space import HalfSpace, plane_rows
from .mesh import Mesh


class Walls(NamedTuple):
    """The walls as the library takes them, and each wall's number of facets (-1: half space)."""

    core: tuple[_core.Finder | None, Doubles | None, Doubles | None]
    counts: tuple[int, ...]


def read_walls(walls: Any, poses: Any) -> Walls:
    """Check walls: a ContactFinder, Mesh or HalfSpace, or a sequence of these."""
    items = list(walls) if isinstance(walls, (list, tuple)) else [walls]
    if not items:
        raise ValueError("the sequence of walls is empty: give at least one")
    first = next((k for k, one in enumerate(items) if isinstance(one, HalfSpace)), len(items))
    planes = items[first:]
    for k, one in enumerate(planes, first):
        if not isinstance(one, HalfSpace):
            raise ValueError(
                f"walls[{first}] is a HalfSpace, but walls[{k}] is not: give meshes before"
                " half spaces"
            )
    finder = _read_meshes(items[:first])
    meshes = () if finder is None else finder._facets
    given = read_poses(poses, len(meshes))
    rows = None if given is None else given.reshape(-1, 16)
    counts = (*map(len, meshes), *(-1 for _ in planes))
    return Walls((None if finder is None else finder._core, rows, _read_planes(planes)), counts)


def _read_meshes(items: list[Any]) -> ContactFinder | None:
    if not items:
        return None
    if not isinstance(items[0], ContactFinder):
        return ContactFinder([_read_mesh(item, k) for k, item in enumerate(items)])
    if len(items[0]._facets) < len(items[0].meshes):
        raise ValueError(
            "walls[0] is a ContactFinder that has half spaces: make one with the meshes only, and"
            " give the half spaces after it"
        )
    if len(items) > 1:
        what = checks.a_or_an(type(items[1]).__name__)
        raise ValueError(
            f"walls[0] is a ContactFinder, but walls[1] is {what}: only half spaces may follow, so"
            " make the ContactFinder with all meshes"
        )
    return items[0]


def _read_mesh(item: Any, number: int) -> Mesh:
    if isinstance(item, ContactFinder):
        raise ValueError(f"walls[{number}] is a ContactFinder, which must be the first wall")
    try:
        return Mesh.from_any(item)
    except (TypeError, ValueError) as error:
        raise type(error)(f"walls[{number}]: {error}") from None


def _read_planes(planes: list[HalfSpace]) -> Doubles | None:
    return plane_rows(planes) if planes else None
