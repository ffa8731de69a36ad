"""Half spaces: walls that are one plane without an end."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..base import checks
from ..base.arrays import Doubles
from ..base.values import Value

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
    largest = max(map(abs, vector))
    if largest == 0.0:
        raise ValueError(f"normal is {vector}, which is no direction")
    if math.isclose(math.hypot(*vector), 1.0, rel_tol=_UNIT_TOLERANCE):
        return vector
    # divided by the largest entry first, since the length may be beyond the largest number
    x, y, z = (entry / largest for entry in vector)
    length = math.hypot(x, y, z)
    return x / length, y / length, z / length


def plane_rows(half_spaces: Sequence[HalfSpace]) -> Doubles:
    """(h, 6): points and normals, as the library takes them."""
    rows = [(*plane.point, *plane.normal) for plane in half_spaces]
    return np.array(rows, np.float64).reshape(-1, 6)
