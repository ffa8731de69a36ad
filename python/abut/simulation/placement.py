"""Whether new spheres overlap particles or walls of a simulation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

import numpy as np
from numpy.typing import NDArray

from ..base.arithmetic import dots
from ..base.arrays import Doubles, Indices
from ..base.periods import Period, spans
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from ..search.pair_finder import find_pairs
from .wall_entries import plane_at

if TYPE_CHECKING:
    from .simulation import Simulation


def touching(simulation: Simulation, centers: Doubles, radii: Doubles) -> NDArray[np.bool_]:
    """Which of these spheres touch a sphere, a wall, or the circumscribed sphere of a body."""
    touches = np.zeros(len(centers), bool)
    if not len(centers):
        return touches
    period = simulation.period
    spheres = simulation.centers, simulation.radii
    for others in (spheres, simulation.bodies._outlines()):
        rows = _rows_near(*others, centers, radii, period) if len(others[1]) else ()
        if len(rows):
            near = others[0][rows], others[1][rows]
            touches[find_pairs(centers, radii, others=near, period=period).i] = True
    for rows in _touch_walls(simulation, centers, radii, period):
        touches[rows] = True
    return touches


def _rows_near(
    there: Doubles, sizes: Doubles, centers: Doubles, radii: Doubles, period: Period | None
) -> Indices:
    """Rows of the spheres that meet the bounding box of all new ones; others touch no new one."""
    rows = np.arange(len(sizes))
    for axis in range(3):
        if not spans(period, axis):
            low, high = (centers[:, axis] - radii).min(), (centers[:, axis] + radii).max()
            places, reach = there[rows, axis], sizes[rows]
            rows = rows[(places + reach >= low) & (places - reach <= high)]
    return rows


def _touch_walls(
    simulation: Simulation, centers: Doubles, radii: Doubles, period: Period | None
) -> Iterator[Indices]:
    """Yield the rows of the spheres that touch walls in their current places."""
    walls = simulation._walls
    if walls.finder is not None:
        meshes = [
            k
            for k, entry in enumerate(walls.entries)
            if entry.is_active and isinstance(entry.mesh, Mesh)
        ]
        poses = np.array([walls.state_now(k).pose for k in meshes])
        yield walls.finder.find(centers, radii, poses=poses, period=period).sphere
    points, normals, moving = walls.derived.planes
    if len(points):
        apart = dots(centers[:, None] - points, normals)
        yield np.flatnonzero((radii[:, None] - apart >= 0).any(axis=1))
    for k in moving:
        space = cast(HalfSpace, walls.entries[k].mesh)
        point, normal = plane_at(space, walls.state_now(k).pose)
        yield np.flatnonzero(radii - dots(centers - point, normal) >= 0)
