"""Boxes around a simulation: those of dumps, and the outlines of periodic cells.

Along vectors of the period they are as long as these, elsewhere they enclose spheres and walls.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.outlines import Outline, Plane, completed, outline_of
from ..base.periods import is_along_axes, lengths_of, repeats_along, vectors_of
from ..base.poses import rotated
from ..io import boxes
from ..search.half_space import HalfSpace

if TYPE_CHECKING:
    from .simulation import Simulation


class DumpBox(NamedTuple):
    """The box of a frame in a dump.

    Attributes
    ----------
    text : str
        Its title and its lines.
    rotation : (3, 3) ndarray, or None
        By this all vectors of the frame must be rotated, since LAMMPS has such boxes alone.
    """

    text: str
    rotation: NDArray[np.float64] | None

    def turned(self, vectors: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return vectors as the dump has them."""
        return vectors if self.rotation is None else rotated(vectors, self.rotation)


def dump_box(simulation: Simulation, origin: tuple[float, float, float]) -> DumpBox:
    """Return the box of a dump; origin: its lower corner along vectors of the period."""
    period = simulation.period
    repeats = [repeats_along(period, k) for k in range(3)]
    if is_along_axes(period):
        return DumpBox(boxes.straight_text(_bounds(simulation, origin), repeats), None)
    rotation = boxes.rotation_to_lammps(completed(vectors_of(period)))
    outline = cell_outline(simulation, np.array(origin))
    return DumpBox(boxes.tilted_text(outline, rotation, repeats), rotation)


def cell_outline(simulation: Simulation, origin: NDArray[np.float64] | float = 0.0) -> Outline:
    """Return the outline of the periodic cell."""
    walls = simulation.walls
    meshes = [placed(wall) for wall in walls if not isinstance(wall.mesh, HalfSpace)]
    planes = [_plane(wall) for wall in walls if isinstance(wall.mesh, HalfSpace)]
    bodies = simulation.bodies
    circumradii = np.array([shape.circumradius for shape in simulation.shapes])
    return outline_of(
        simulation.period,
        np.concatenate([simulation.centers, bodies.centers]),
        np.concatenate([simulation.radii, circumradii[bodies.shape] * bodies.scales]),
        np.concatenate([np.empty((0, 3)), *meshes]),
        planes,
        origin,
    )


def placed(wall: Any) -> NDArray[np.float64]:
    """The vertices of a wall in the world."""
    places: NDArray[np.float64] = rotated(wall.mesh.vertices, wall.pose[:3, :3])
    return places + wall.pose[:3, 3]


def _plane(wall: Any) -> Plane:
    """The normal of a half space and a point on its plane, in the world."""
    point = rotated(np.array([wall.mesh.point]), wall.pose[:3, :3]) + wall.pose[:3, 3]
    return Plane(rotated(np.array([wall.mesh.normal]), wall.pose[:3, :3])[0], point[0])


def _bounds(simulation: Simulation, origin: tuple[float, float, float]) -> NDArray[np.float64]:
    """Lower and upper corner (2, 3) of a box along the axes."""
    centers, reach = simulation.centers, simulation.radii[:, None]
    walls = (_points_of(wall) for wall in simulation.walls)
    inside = np.concatenate([centers - reach, centers + reach, *walls])
    # fmin and fmax skip NaN; the bounds are 0 along an axis with NaN only
    ends = [end.reduce(inside, 0, initial=np.nan) for end in (np.fmin, np.fmax)]
    bounds = np.where(np.isnan(ends), 0.0, ends)
    for axis, length in enumerate(lengths_of(simulation.period).tolist()):
        if length:
            bounds[:, axis] = origin[axis], origin[axis] + length
    return bounds


def _points_of(wall: Any) -> NDArray[np.float64]:
    """Points of a wall that a box along the axes must enclose; NaN for coordinates to be ignored.

    For a half space, all coordinates are ignored but that along its normal. It is ignored, too, if
    the normal is not along an axis.
    """
    if not isinstance(wall.mesh, HalfSpace):
        return placed(wall)
    normal, point = _plane(wall)
    is_across = (normal != 0.0) & (np.count_nonzero(normal) == 1)
    return np.where(is_across, point, np.nan)[None]
