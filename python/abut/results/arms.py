"""Arms of pairs (vectors from centers to contact points), and velocities of the surfaces there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arrays import Doubles
from ..base.periods import shifts_of
from .sums import numbers_of

if TYPE_CHECKING:
    from .pair_networks import PairNetwork
    from .pairs import Pairs


def pair_arms(
    pairs: PairNetwork, centers: ArrayLike, others: ArrayLike | None
) -> tuple[Doubles, Doubles]:
    """Compute the result of `Pairs.arms`."""
    _check_others(pairs, others)
    dimension, count = pairs.point.shape[1], len(pairs.offsets) - 1
    first = _vectors(centers, "centers", dimension, count)
    second = first
    if pairs.other_count is not None:
        second = _vectors(others, "others", dimension, pairs.other_count)
    shifts = shifts_of(pairs.image, pairs.period)
    return (
        pairs.point - first[numbers_of(pairs, "i", len(first))],
        pairs.point - second[numbers_of(pairs, "j", len(second))] - shifts,
    )


def check_finite(centers: ArrayLike, others: ArrayLike | None) -> None:
    for given, name in ((centers, "centers"), (others, "others")):
        if given is not None:
            checks.all_finite(checks.doubles(given, name), name)


def relative_velocity(
    pairs: Pairs,
    centers: ArrayLike,
    velocities: ArrayLike,
    angular_velocities: ArrayLike | None,
    others: tuple[Any, ...] | None,
) -> Doubles:
    """Compute the result of `Pairs.relative_velocity`."""
    _check_others(pairs, others)
    count = len(pairs.offsets) - 1
    if others is None:
        arm_i, arm_j = pair_arms(pairs, centers, None)
        moving = (velocities, angular_velocities)
        of_i = _surface(pairs, "i", arm_i, *moving, count)
        return of_i - _surface(pairs, "j", arm_j, *moving, count)
    if not isinstance(others, (tuple, list)) or len(others) not in (2, 3):
        raise TypeError(
            "others must be (centers, velocities) or (centers, velocities, angular_velocities)"
        )
    arm_i, arm_j = pair_arms(pairs, centers, others[0])
    of_i = _surface(pairs, "i", arm_i, velocities, angular_velocities, count)
    turning = others[2] if len(others) == 3 else None
    assert pairs.other_count is not None
    return of_i - _surface(pairs, "j", arm_j, others[1], turning, pairs.other_count, "others: ")


def _check_others(pairs: PairNetwork, others: object) -> None:
    """Raise if others are given but the search had none, or if they are missing."""
    if pairs.other_count is None and others is not None:
        raise ValueError("others are given, but the search had none: leave them out")
    if pairs.other_count is not None and others is None:
        raise ValueError("the search was for pairs with others: give others, too")


def _surface(
    pairs: Pairs,
    side: str,
    arms: Doubles,
    velocities: ArrayLike,
    angular_velocities: ArrayLike | None,
    count: int,
    prefix: str = "",
) -> Doubles:
    """Return the velocity of the surface of i or j (`side`) at each contact point.

    prefix: the beginning of the names in error messages.
    """
    dimension, numbers = arms.shape[1], numbers_of(pairs, side, count)
    moving = _vectors(velocities, f"{prefix}velocities", dimension, count)[numbers]
    if angular_velocities is None:
        return moving
    name = f"{prefix}angular_velocities"
    if dimension == 3:
        return moving + np.cross(_vectors(angular_velocities, name, 3, count)[numbers], arms)
    turning = checks.shaped(checks.doubles(angular_velocities, name), name, (count,))
    return moving + turning[numbers, None] * np.column_stack([-arms[:, 1], arms[:, 0]])


def _vectors(given: Any, name: str, dimension: int, count: int) -> Doubles:
    item = "other" if name.startswith("others") else "sphere"
    return checks.points_each(given, name, count, item, dimensions=(dimension,))
