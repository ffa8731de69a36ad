"""Checks of walls: of their surfaces in a periodic world, and of areas between walls."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ..base.arithmetic import dots
from ..base.arrays import Doubles
from ..base.periods import Period, crossing_vector, is_along_axes, tilted_vector
from ..base.poses import rotated
from ..search.finder import why_not_tilted
from ..search.half_space import HalfSpace, Surface
from .wall_entries import WallEntry

# largest deviation of the cosine of the angle between normals that face each other
_PARALLEL = 1e-9


# ---- periods -------------------------------------------------------------------------------------


def check_surface(surface: Surface, number: int, period: Period | None) -> None:
    """Raise a ValueError if a new wall, which gets this number, does not fit the period."""
    if isinstance(surface, HalfSpace):
        check_half_space(surface, period)
        return
    tilted = tilted_vector(period)
    if tilted is not None:
        raise ValueError(f"the mesh of wall {number} {why_not_tilted(period, tilted)}")


def check_half_space(half_space: HalfSpace, period: Period | None) -> None:
    """Raise a ValueError if the normal of a half space has a part along a vector of the period."""
    crossing = crossing_vector(half_space.normal, period)
    if crossing is not None:
        wanted = (
            f"be 0 along {'xyz'[crossing]}, where the world is periodic"
            if is_along_axes(period)
            else f"be perpendicular to period[{crossing}], along which the world repeats"
        )
        raise ValueError(f"the normal of a HalfSpace is {half_space.normal}, but must {wanted}")


# ---- walls that bound the area of a load ---------------------------------------------------------


def check_sides(
    entry: WallEntry, entries: Sequence[WallEntry], pose_of: Callable[[int], Doubles]
) -> None:
    """Raise a ValueError if the walls around the area of a Servo are not two pairs of half spaces.

    pose_of: returns the current pose of the wall with this number.
    """
    planes = [_plane(number, entries, pose_of) for number in entry.sides]
    for k, (normal, other) in enumerate(zip(planes[::2], planes[1::2], strict=True)):
        if dots(normal, other) > -1 + _PARALLEL:
            first, second = entry.sides[2 * k : 2 * k + 2]
            raise ValueError(
                f"area[{k}] has the walls {first} and {second}, which do not face each other: give"
                " two half spaces with opposite normals"
            )


def _plane(number: int, entries: Sequence[WallEntry], pose_of: Callable[[int], Doubles]) -> Doubles:
    """The current normal of a half space."""
    if not 0 <= number < len(entries) or entries[number].is_gone:
        raise ValueError(f"area has wall {number}, but there is no such wall")
    mesh = entries[number].mesh
    if not isinstance(mesh, HalfSpace):
        raise ValueError(f"area has wall {number}, which is a mesh: give half spaces")
    if not entries[number].is_active:
        raise ValueError(f"area has wall {number}, which is switched off: switch it on first")
    return rotated(np.array([mesh.normal]), pose_of(number)[:3, :3])[0]


def check_not_side(number: int, entries: Sequence[WallEntry], leaving: Sequence[int]) -> None:
    """Raise a ValueError if the wall bounds the area of the Servo of a wall that does not leave."""
    for other, entry in enumerate(entries):
        if other != number and other not in leaving and number in entry.sides:
            raise ValueError(
                f"wall {number} bounds the area of wall {other}'s Servo: give wall {other} another"
                " motion first"
            )
