"""Half spaces: walls that are one plane without an end, alone and beside meshes."""

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

# A vector whose length is as near to 1 as rounding allows stays as it is. Otherwise a half space
# made of the normal of another one would not be equal to it.
_UNIT_TOLERANCE = 4 * sys.float_info.epsilon


@dataclass(frozen=True)
class HalfSpace(Value):
    """A wall that fills all of space behind a plane.

    Parameters
    ----------
    point : (3,) array_like
        Any point of the plane.
    normal : (3,) array_like
        Perpendicular to the plane, out of the wall into the space that is free. Its length does not
        matter: it is made a unit vector.

    Attributes
    ----------
    point : tuple of 3 floats
        As given.
    normal : tuple of 3 floats
        The unit vector.

    Raises
    ------
    ValueError
        If a number is not finite, a shape is wrong, or the normal has no direction.
    TypeError
        If they are no real numbers.

    See Also
    --------
    find_contacts, ContactFinder : Spheres against half spaces and meshes.
    ConvexFinder.find_walls : Convex bodies against them.
    Simulation.add_wall : Takes half spaces, too.

    Notes
    -----
    A half space does not change; equal ones are equal. Against a mesh of the same plane it has no
    rim, and takes a single test a sphere or body. What is behind the plane, however deep, is pushed
    out along the normal. Where the world repeats, the normal must be perpendicular to the axes of
    the period: behind its plane the world ends.

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
        raise ValueError(f"normal is {vector}, which is no direction")
    unit, length = unit_and_length(vector)
    return vector if math.isclose(length, 1.0, rel_tol=_UNIT_TOLERANCE) else unit


def plane_rows(half_spaces: Sequence[HalfSpace]) -> Doubles:
    """(h, 6): points and normals, as the library takes them."""
    rows = [(*plane.point, *plane.normal) for plane in half_spaces]
    return np.array(rows, np.float64).reshape(-1, 6)


# ---- beside meshes -------------------------------------------------------------------------------

Surface = Mesh | HalfSpace

# Half spaces whose stand-ins are kept, so that two searches of equal ones are of the same meshes.
_KEPT = 1024


def read_surface(item: Any) -> Surface:
    """A half space whose coordinates are not too large, or what `Mesh.from_any` makes of it."""
    if not isinstance(item, HalfSpace):
        return Mesh.from_any(item)
    for axis, x in enumerate(item.point):
        if abs(x) > _core.COORDINATE_LIMIT:
            raise ValueError(f"point[{axis}] is {x:g}; coordinates must lie within 1e75 of 0")
    return item


def library_order(surfaces: Sequence[object]) -> Indices:
    """Their numbers in the order of the library: meshes, then half spaces."""
    return np.argsort([isinstance(one, HalfSpace) for one in surfaces], kind="stable")


def facets_of(surface: Surface) -> Mesh:
    """The mesh; of a half space the triangle that stands for it in tables."""
    return surface if isinstance(surface, Mesh) else _triangle(surface)


@lru_cache(maxsize=_KEPT)
def _triangle(half_space: HalfSpace) -> Mesh:
    """A facet with sides of about 1, whose first corner is the half space's point."""
    point, normal = np.array(half_space.point), np.array(half_space.normal)
    first = np.cross(normal, np.eye(3)[np.abs(normal).argmin()])
    first /= lengths(first)
    return Mesh([point, point + first, point + np.cross(normal, first)], [[0, 1, 2]])
