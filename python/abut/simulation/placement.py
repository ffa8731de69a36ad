"""Whether new spheres overlap particles or walls of a simulation."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..base.arithmetic import dots
from ..base.arrays import Doubles, Indices
from ..base.periods import spans
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from ..search.pair_finder import find_pairs

if TYPE_CHECKING:
    from .simulation import Simulation


def touching(simulation: Simulation, centers: Doubles, radii: Doubles) -> NDArray[np.bool_]:
    """Which of these spheres touch a sphere, a wall, or the circumscribed sphere of a body."""
    touches = np.zeros(len(centers), bool)
    rows = _rows_near(simulation, centers, radii)
    if len(rows):
        others = simulation.centers[rows], simulation.radii[rows]
        touches[find_pairs(centers, radii, others=others, period=simulation.period).i] = True
    for spheres in _touch_walls(simulation, centers, radii):
        touches[spheres] = True
    return touches | _touch_bodies(simulation, centers, radii)


def _rows_near(simulation: Simulation, centers: Doubles, radii: Doubles) -> Indices:
    """Rows of the spheres that meet the bounding box of all new ones; others touch no new one."""
    near = np.full(len(simulation.radii), len(centers) > 0)
    for axis in range(3) if len(centers) else ():
        if not spans(simulation.period, axis):
            low, high = (centers[:, axis] - radii).min(), (centers[:, axis] + radii).max()
            there = simulation.centers[:, axis]
            near &= (there + simulation.radii >= low) & (there - simulation.radii <= high)
    return np.flatnonzero(near)


def _touch_walls(simulation: Simulation, centers: Doubles, radii: Doubles) -> Iterator[Indices]:
    """Yield the rows of the spheres that touch walls in their current places."""
    walls = simulation._walls
    active = [(k, entry) for k, entry in enumerate(walls.entries) if entry.is_active]
    if walls.finder is not None:
        meshes = [k for k, entry in active if isinstance(entry.mesh, Mesh)]
        poses = np.array([walls.state_now(k).pose for k in meshes])
        yield walls.finder.find(centers, radii, poses=poses, period=simulation.period).sphere
    for k, entry in active:
        if isinstance(entry.mesh, HalfSpace):
            pose = walls.state_now(k).pose
            turn = pose[:3, :3]
            point = dots(turn, np.array(entry.mesh.point)) + pose[:3, 3]
            normal = dots(turn, np.array(entry.mesh.normal))
            yield np.flatnonzero(radii - dots(centers - point, normal) >= 0)


def _touch_bodies(simulation: Simulation, centers: Doubles, radii: Doubles) -> NDArray[np.bool_]:
    touches = np.zeros(len(centers), bool)
    others = simulation.bodies._outlines()
    if len(centers) and len(others[1]):
        touches[find_pairs(centers, radii, others=others, period=simulation.period).i] = True
    return touches
