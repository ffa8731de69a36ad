"""Poses, rigid transforms from a mesh's own frame to the world, and periods of the world."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from . import _core, checks

# How far a pose may be off rigid: a rotation written with six decimals, or in float32, is read as
# one.
RIGID_TOLERANCE = 1e-6

# A length for each axis, or None.
Period = tuple[float | None, ...]


def read_pose(pose: object, name: str) -> NDArray[np.float64]:
    """A (4, 4) array, SciPy Rotation or RigidTransform as a rigid transform, orthonormal."""
    matrix = _matrix(pose, name)
    if matrix.shape != (4, 4):
        raise ValueError(f"{name} has shape {matrix.shape}, but must be (4, 4)")
    _check_rigid(matrix, name)
    rigid = matrix.copy()
    rigid[:3, :3] = _orthonormal(matrix[:3, :3])
    return rigid


def read_poses(poses: object, count: int) -> NDArray[np.float64] | None:
    """The poses of `count` meshes as a read-only (count, 4, 4) array, or None."""
    if poses is None:
        return None
    items = _items(poses, count)
    if len(items) != count:
        raise ValueError(
            f"poses has {checks.counted(len(items), 'item')},"
            f" but {checks.there_are(count, 'mesh', 'meshes')}"
        )
    stack = np.stack(
        [
            np.eye(4) if item is None else read_pose(item, f"poses[{k}]")
            for k, item in enumerate(items)
        ]
    )
    stack.flags.writeable = False
    return stack


def read_period(period: object, *dimensions: int) -> Period | None:
    """Lengths, each positive or None, one for each axis; None where no axis is periodic.

    There are 3 axes, unless it is told otherwise how many there may be.
    """
    if period is None:
        return None
    may_be = " or ".join(map(str, dimensions or (3,)))
    try:
        items = list(period)  # type: ignore[call-overload]
    except TypeError:
        raise TypeError(f"period is {period!r}, but must be {may_be} lengths or None") from None
    if len(items) not in (dimensions or (3,)):
        raise ValueError(f"period has {checks.counted(len(items), 'item')}, but must have {may_be}")
    lengths = tuple(_length(item, f"period[{k}]") for k, item in enumerate(items))
    return None if lengths.count(None) == len(lengths) else lengths


def lengths_of(period: Period | None) -> NDArray[np.float64]:
    """The periods along all axes, 0 where there is none; (3,) zeros without any."""
    return np.array([0.0 if one is None else one for one in period or (None,) * 3])


def rotated(points: NDArray[np.float64], rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """(m, 3) points turned by one rotation (3, 3), or by one each (m, 3, 3)."""
    # not a matrix product, whose last bit differs from one machine to another
    x, y, z = (points[:, k : k + 1] * rotation[..., k] for k in range(3))
    return x + y + z


def _matrix(pose: Any, name: str) -> NDArray[np.float64]:
    if not hasattr(pose, "as_matrix"):
        return checks.doubles(pose, name)
    matrix = checks.doubles(pose.as_matrix(), name)
    if matrix.shape[-2:] != (3, 3):
        return matrix
    # a Rotation turns about the origin of the mesh's frame
    whole = np.zeros((*matrix.shape[:-2], 4, 4))
    whole[..., :3, :3], whole[..., 3, 3] = matrix, 1
    return whole


def _items(poses: Any, count: int) -> Sequence[Any]:
    """The pose of each mesh, as they came in."""
    if isinstance(poses, (list, tuple)) and any(
        one is None or hasattr(one, "as_matrix") for one in poses
    ):
        return poses
    stack = _matrix(poses, "poses")
    if stack.shape[-2:] != (4, 4) or stack.ndim > 3:
        raise ValueError(
            f"poses has shape {stack.shape}, but must be ({count}, 4, 4)"
            + (" or (4, 4)" if count == 1 else "")
        )
    return list(stack.reshape(-1, 4, 4))


def _length(item: object, name: str) -> float | None:
    if item is None:
        return None
    length = checks.number(item, name)
    if not 0 < length <= _core.COORDINATE_LIMIT:
        raise ValueError(
            f"{name} is {length:g}, but must be positive, or None: not repeated along this axis"
        )
    return length


def _check_rigid(matrix: NDArray[np.float64], name: str) -> None:
    if not np.isfinite(matrix).all():
        raise ValueError(f"{name} has an entry that is not finite")
    rotation, shift, last = matrix[:3, :3], matrix[:3, 3], matrix[3]
    if (last != (0, 0, 0, 1)).any():
        raise ValueError(f"{name} is not rigid: its last row is {last}, but must be 0, 0, 0, 1")
    # entries that are huge make it infinite or NaN, which is not within the tolerance either
    with np.errstate(over="ignore", invalid="ignore"):
        off = np.abs(rotated(rotation, rotation) - np.eye(3)).max()
    if not off <= RIGID_TOLERANCE:
        raise ValueError(
            f"{name} is not rigid: its rotation times its transpose is off 1 by {off:.2g}"
        )
    if np.linalg.det(rotation) < 0:
        raise ValueError(f"{name} is not rigid: it mirrors, which turns facets inside out")
    if np.abs(shift).max() > _core.COORDINATE_LIMIT:
        raise ValueError(f"{name} moves by {np.abs(shift).max():g}, but at most by 1e75")


def _orthonormal(rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """The rotation without what it is off: one step of Newton's method, R (3 - R^T R) / 2."""
    # exact for the identity and other matrices of 0 and 1
    gram = rotated(rotation.T, rotation.T)
    return rotated(rotation, 3 * np.eye(3) - gram) / 2
