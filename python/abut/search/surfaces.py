"""What a sphere can touch: meshes and half spaces, in any order."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from .. import _core
from ..base.arrays import Indices
from .half_space import HalfSpace
from .mesh import Mesh

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
    first /= np.linalg.norm(first)
    return Mesh([point, point + first, point + np.cross(normal, first)], [[0, 1, 2]])
