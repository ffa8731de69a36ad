"""Whether spheres that are to come overlap what a simulation has already."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.arithmetic import dots
from ..base.arrays import Doubles, Indices
from ..base.warnings import warn
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from ..search.pair_finder import find_pairs

if TYPE_CHECKING:
    from .sphere_part import SpherePart


# Overlaps of more than this part of the smaller radius are none that a law makes: such spheres fly
# apart.
_DEEP = 0.1


class SimulationWarning(UserWarning):
    """A simulation goes on, but something in it is not as it should be; the message says what."""


class _Overlaps(NamedTuple):
    """Those of new spheres with others, or with walls."""

    rows: Indices  # of the new spheres
    depths: Doubles  # parts of the smaller radius
    names: Callable[[int], str]  # of what the k-th one is with


def touching(simulation: SpherePart, centers: Doubles, radii: Doubles) -> NDArray[np.bool_]:
    """Which of these spheres touch a sphere or a wall of the simulation where it is now, or the
    sphere about a body."""
    touches = np.zeros(len(centers), bool)
    rows = _rows_near(simulation, centers, radii)
    if len(rows):
        others = simulation.centers[rows], simulation.radii[rows]
        touches[find_pairs(centers, radii, others=others, period=simulation.period).i] = True
    for spheres, _, _ in _walls_now(simulation, centers, radii):
        touches[spheres] = True
    return touches | _touch_bodies(simulation, centers, radii)


def warn_of_overlaps(
    simulation: SpherePart, centers: Doubles, radii: Doubles, clusters: Indices
) -> None:
    """Give a warning where new spheres overlap anything by far; members of one cluster may."""
    numbers_fit = np.isfinite(centers).all() and np.isfinite(radii).all() and (radii > 0).all()
    if not len(centers) or not numbers_fit:
        # the library tells what is wrong with them
        return
    count, first = 0, (len(centers), "")
    for found in _overlaps(simulation, centers, radii, clusters):
        deep = np.flatnonzero(found.depths > _DEEP)
        count += len(deep)
        if len(deep):
            k = int(deep[np.argmin(found.rows[deep])])
            shown = f"centers[{found.rows[k]}] with {found.names(k)}, {found.depths[k]:.0%}"
            first = min(first, (int(found.rows[k]), shown))
    if count:
        warn(
            f"{checks.counted(count, 'overlap')} of more than {_DEEP:.0%} of a radius will make"
            f" spheres fly apart; the first: {first[1]}",
            SimulationWarning,
        )


def _overlaps(
    simulation: SpherePart, centers: Doubles, radii: Doubles, clusters: Indices
) -> Iterator[_Overlaps]:
    """With each other, with what is there, and with walls."""
    rows, period = _rows_near(simulation, centers, radii), simulation.period
    there = simulation.radii[rows]
    # all that are deep are found of smaller spheres, too, and of others fewer
    smallest = min(radii.min(), there.min(initial=np.inf))
    shrunk = _DEEP / 2 * smallest
    pairs = find_pairs(centers, radii - shrunk, period=period)
    pairs = pairs[(pairs.i != pairs.j) & _are_apart(clusters[pairs.i], clusters[pairs.j])]
    depths = (pairs.overlap + 2 * shrunk) / np.minimum(radii[pairs.i], radii[pairs.j])
    second = pairs.j
    yield _Overlaps(pairs.i, depths, lambda k: f"centers[{second[k]}]")
    if len(rows):
        others = simulation.centers[rows], there - shrunk
        pairs = find_pairs(centers, radii - shrunk, others=others, period=period)
        depths = (pairs.overlap + 2 * shrunk) / np.minimum(radii[pairs.i], there[pairs.j])
        ids = simulation.ids[rows[pairs.j]]
        yield _Overlaps(pairs.i, depths, lambda k: f"sphere {ids[k]}")
    for spheres, overlaps, numbers in _walls_now(simulation, centers, radii):
        yield _wall_overlaps(spheres, overlaps / radii[spheres], numbers)


def _rows_near(simulation: SpherePart, centers: Doubles, radii: Doubles) -> Indices:
    """Spheres of the simulation whose boxes meet that of the new ones: a search of these alone is
    that of all."""
    near = np.full(len(simulation.radii), len(centers) > 0)
    for axis, length in enumerate(simulation.period or (None,) * 3):
        if length is None and len(centers):
            low, high = (centers[:, axis] - radii).min(), (centers[:, axis] + radii).max()
            there = simulation.centers[:, axis]
            near &= (there + simulation.radii >= low) & (there - simulation.radii <= high)
    return np.flatnonzero(near)


def _are_apart(first: Indices, second: Indices) -> NDArray[np.bool_]:
    """Whether spheres of these clusters, -1 for none, are no rigid body."""
    return (first < 0) | (first != second)


def _wall_overlaps(spheres: Indices, depths: Doubles, numbers: Indices) -> _Overlaps:
    return _Overlaps(spheres, depths, lambda k: f"wall {numbers[k]}")


def _walls_now(
    simulation: SpherePart, centers: Doubles, radii: Doubles
) -> Iterator[tuple[Indices, Doubles, Indices]]:
    """Contacts with walls where they are now: spheres, overlaps and numbers of walls."""
    walls = simulation._walls
    active = [(k, entry) for k, entry in enumerate(walls.entries) if entry.is_active]
    meshes = [k for k, entry in active if isinstance(entry.mesh, Mesh)]
    if walls.finder is not None:
        poses = np.array([walls.state_now(k).pose for k in meshes])
        found = walls.finder.find(centers, radii, poses=poses, period=simulation.period)
        yield found.sphere, found.overlap, np.array(meshes)[found.mesh]
    for k, entry in active:
        if isinstance(entry.mesh, HalfSpace):
            pose = walls.state_now(k).pose
            turn = pose[:3, :3]
            point = dots(turn, np.array(entry.mesh.point)) + pose[:3, 3]
            normal = dots(turn, np.array(entry.mesh.normal))
            overlaps = radii - dots(centers - point, normal)
            rows = np.flatnonzero(overlaps >= 0)
            yield rows, overlaps[rows], np.full(len(rows), k)


def _touch_bodies(simulation: SpherePart, centers: Doubles, radii: Doubles) -> NDArray[np.bool_]:
    touches = np.zeros(len(centers), bool)
    others = simulation._outlines()
    if len(centers) and len(others[1]):
        touches[find_pairs(centers, radii, others=others, period=simulation.period).i] = True
    return touches
