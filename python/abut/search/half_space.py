"""Half spaces: walls with one infinite plane, alone and together with meshes."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from .. import _core
from ..base import checks
from ..base.arithmetic import lengths, unit_and_length
from ..base.arrays import Doubles, Indices
from ..base.values import Value
from .mesh import Mesh

_Vector = tuple[float, float, float]

# A normal with a length of 1, up to this tolerance, is not normalized. Otherwise a half space that
# is made with the normal of another half space might not be equal to it.
_UNIT_TOLERANCE = 4 * sys.float_info.epsilon


@dataclass(frozen=True)
class HalfSpace(Value):
    """A wall that fills the space behind a plane.

    Parameters
    ----------
    point : (3,) array_like
        Any point of the plane.
    normal : (3,) array_like
        Perpendicular to the plane, from the wall into the free space. It may have any length except
        0, and is normalized.

    Attributes
    ----------
    point : tuple of 3 floats
        As given.
    normal : tuple of 3 floats
        The unit vector along the given normal.

    Raises
    ------
    ValueError
        If a number is not finite, a shape is wrong, or the normal has no direction.
    TypeError
        If the arguments are not real numbers.

    See Also
    --------
    find_contacts, ContactFinder : Spheres against half spaces and meshes.
    ConvexFinder.find_walls : Convex bodies against half spaces and meshes.
    Simulation.add_wall : Adds a wall, which may be a half space.

    Notes
    -----
    A half space is immutable, and two with the same numbers are equal. Unlike a mesh in the same
    plane it has no edges, and needs only one test per sphere or body. Whatever is behind the plane
    is pushed out along the normal, however deep it is. In a periodic world the normal must be
    perpendicular to the period: to the periodic axes, or to each vector of a tilted cell.

    Examples
    --------
    >>> import abut
    >>> floor = abut.HalfSpace(point=(0, 0, -1), normal=(0, 0, 2))
    >>> floor
    HalfSpace(point=(0.0, 0.0, -1.0), normal=(0.0, 0.0, 1.0))
    """

    point: _Vector
    normal: _Vector

    def __post_init__(self) -> None:
        point = checks.vector(self.point, "point")
        self._settle(point=point, normal=_unit(checks.vector(self.normal, "normal")))


def _unit(vector: _Vector) -> _Vector:
    if not any(vector):
        raise ValueError(f"normal is {vector}, which has no direction")
    unit, length = unit_and_length(vector)
    return vector if math.isclose(length, 1.0, rel_tol=_UNIT_TOLERANCE) else unit


def plane_rows(half_spaces: Sequence[HalfSpace]) -> Doubles:
    """Return the point and the normal of each half space, (h, 6), for the library."""
    rows = [(*plane.point, *plane.normal) for plane in half_spaces]
    return np.array(rows, np.float64).reshape(-1, 6)


# ---- half spaces together with meshes ------------------------------------------------------------

Surface = Mesh | HalfSpace

# In tables a triangle represents a half space. This many are cached, so that equal half spaces have
# the same mesh.
_KEPT = 1024


def read_surface(item: Any) -> Surface:
    """Check the coordinates of a half space; convert other objects by `Mesh.from_any`."""
    if not isinstance(item, HalfSpace):
        return Mesh.from_any(item)
    for axis, x in enumerate(item.point):
        if abs(x) > _core.COORDINATE_LIMIT:
            raise ValueError(f"point[{axis}] is {x:g}; coordinates must lie within 1e75 of 0")
    return item


def library_order(surfaces: Sequence[object]) -> Indices:
    """Return the numbers of surfaces in the library's order: meshes, then half spaces."""
    return np.argsort([isinstance(one, HalfSpace) for one in surfaces], kind="stable")


def facets_of(surface: Surface) -> Mesh:
    """Return the mesh, or for a half space the triangle that represents it in tables."""
    return surface if isinstance(surface, Mesh) else _triangle(surface)


@lru_cache(maxsize=_KEPT)
def _triangle(half_space: HalfSpace) -> Mesh:
    """Make a triangle in the plane, with sides of about 1 and its first corner at the point."""
    point, normal = np.array(half_space.point), np.array(half_space.normal)
    first = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    first /= lengths(first)
    return Mesh([point, point + first, point + np.cross(normal, first)], [[0, 1, 2]])
