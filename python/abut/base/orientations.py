"""Orientations as unit quaternions (x, y, z, w), in SciPy's order."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import checks
from .arithmetic import dots, lengths
from .arrays import Doubles


def read_orientations(value: Any, count: int, name: str) -> Doubles:
    """Read the orientations (count, 4) of bodies: None, a SciPy Rotation, or quaternions."""
    if value is None:
        return np.tile([0.0, 0.0, 0.0, 1.0], (count, 1))
    array = checks.doubles(_quaternions(value), name)
    if array.shape not in ((4,), (count, 4)):
        raise ValueError(_wrong_shape(name, array, count))
    sizes = lengths(array)[..., None]
    wrong = np.flatnonzero(~((sizes > 0) & np.isfinite(sizes)))
    if len(wrong):
        raise ValueError(
            f"{name}[{wrong[0]}] is {np.atleast_2d(array)[wrong[0]]}, but must be a quaternion of"
            " positive, finite length"
        )
    return np.array(np.broadcast_to(array / sizes, (count, 4)), order="C")


def read_turns(value: Any, count: int, dimension: int) -> Doubles | None:
    """Read orientations of bodies: quaternions (count, 4), or angles (count,) in the plane.

    None stands for no rotation. Quaternions may have any length; the library checks the numbers.
    """
    if value is None:
        return None
    if dimension == 2:
        if hasattr(value, "as_quat"):
            raise TypeError("orientations is a Rotation, but polygons need angles in radians")
        return checks.lengths(value, "orientations", count, "body", "bodies")
    array = checks.doubles(_quaternions(value), "orientations")
    if array.shape == (4,):
        return np.tile(array, (count, 1))
    if array.shape == (0,):
        array = array.reshape(0, 4)
    if array.shape != (count, 4):
        raise ValueError(_wrong_shape("orientations", array, count))
    return array


def _quaternions(value: Any) -> Any:
    return value.as_quat() if hasattr(value, "as_quat") else value


def _wrong_shape(name: str, array: Doubles, count: int) -> str:
    return (
        f"{name} has shape {array.shape}, but must be ({count}, 4): x, y, z, w of a"
        " quaternion, or a SciPy Rotation"
    )


def from_matrix(matrix: Doubles) -> Doubles:
    """The quaternion of a rotation (3, 3)."""
    # find the largest of x, y, z, w first, because a small divisor would lose digits
    trace = np.trace(matrix)
    squares = np.array([*(1.0 + 2.0 * np.diag(matrix) - trace), 1.0 + trace])
    largest = int(np.argmax(squares))
    sums, differences = matrix + matrix.T, matrix - matrix.T
    parts = np.array(
        [
            [squares[0], sums[0, 1], sums[0, 2], differences[2, 1]],
            [sums[0, 1], squares[1], sums[1, 2], differences[0, 2]],
            [sums[0, 2], sums[1, 2], squares[2], differences[1, 0]],
            [differences[2, 1], differences[0, 2], differences[1, 0], squares[3]],
        ]
    )
    return parts[largest] / lengths(parts[largest])


def product(after: Doubles, before: Doubles) -> Doubles:
    """For each row, the rotation `before` followed by the rotation `after`."""
    u, s = after[..., :3], after[..., 3:]
    v, t = before[..., :3], before[..., 3:]
    vector = s * v + t * u + np.cross(u, v)
    return np.concatenate([vector, s * t - dots(u, v)[..., None]], axis=-1)


def inverse(quaternions: Doubles) -> Doubles:
    """The inverse rotations."""
    return quaternions * [-1.0, -1.0, -1.0, 1.0]


def turned(quaternions: Doubles, vectors: Doubles) -> Doubles:
    """Vectors (..., 3), each rotated by its row's quaternion."""
    axis, scalar = quaternions[..., :3], quaternions[..., 3:]
    twice = 2.0 * np.cross(axis, vectors)
    return vectors + scalar * twice + np.cross(axis, twice)
