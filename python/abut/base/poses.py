"""Poses, which are rigid transforms from a mesh's own frame to the world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from . import checks

# Tolerance of a rigid pose: it accepts a rotation that was written with six decimals, or in
# float32.
RIGID_TOLERANCE = 1e-6

# A small matrix as rows of plain floats. They take a tenth of the time of NumPy's calls on arrays
# that small, and reading poses may be the longest part of a query.
_Rows = Sequence[Sequence[float]]

_IDENTITY = ((1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.0, 0.0, 1.0, 0.0), (0.0, 0.0, 0.0, 1.0))
# what `_gram` returns for an orthonormal frame
_ONES = (1.0, 1.0, 1.0, 0.0, 0.0, 0.0)


def read_pose(pose: object, name: str) -> NDArray[np.float64]:
    """Read a pose, a (4, 4) array, SciPy Rotation or RigidTransform, and make it orthonormal."""
    return np.array(_rigid(_rows(pose, name), name))


def read_poses(poses: object, count: int) -> NDArray[np.float64] | None:
    """Read the poses of `count` meshes as a read-only (count, 4, 4) array, or None."""
    if poses is None:
        return None
    items = _items(poses, count)
    stack = np.array(
        [_IDENTITY if rows is None else _rigid(rows, f"poses[{k}]") for k, rows in enumerate(items)]
    )
    stack.flags.writeable = False
    return stack


def rotated(points: NDArray[np.float64], rotation: NDArray[np.float64]) -> NDArray[np.float64]:
    """Points (m, 3) rotated by one rotation (3, 3), or by one for each (m, 3, 3)."""
    # the last bit of a matrix product would depend on the machine
    x, y, z = (points[:, k : k + 1] * rotation[..., k] for k in range(3))
    return x + y + z


def _matrix(pose: Any, name: str) -> NDArray[np.float64]:
    if not hasattr(pose, "as_matrix"):
        return checks.doubles(pose, name)
    matrix = checks.doubles(pose.as_matrix(), name)
    if matrix.shape[-2:] != (3, 3):
        return matrix
    # a Rotation is about the origin of the mesh's frame
    whole = np.zeros((*matrix.shape[:-2], 4, 4))
    whole[..., :3, :3], whole[..., 3, 3] = matrix, 1
    return whole


def _items(poses: Any, count: int) -> Sequence[_Rows | None]:
    """The pose of each mesh as rows, not checked yet."""
    if isinstance(poses, (list, tuple)) and any(
        one is None or hasattr(one, "as_matrix") for one in poses
    ):
        _check_count(len(poses), count)
        return [None if one is None else _rows(one, f"poses[{k}]") for k, one in enumerate(poses)]
    stack = _matrix(poses, "poses")
    if stack.shape[-2:] != (4, 4) or stack.ndim > 3:
        raise ValueError(
            f"poses has shape {stack.shape}, but must be ({count}, 4, 4)"
            + (" or (4, 4)" if count == 1 else "")
        )
    items = stack.tolist() if stack.ndim == 3 else [stack.tolist()]
    _check_count(len(items), count)
    return items


def _check_count(given: int, count: int) -> None:
    if given != count:
        raise ValueError(
            f"poses has {checks.counted(given, 'item')},"
            f" but {checks.there_are(count, 'mesh', 'meshes')}"
        )


def _rows(pose: object, name: str) -> _Rows:
    matrix = _matrix(pose, name)
    rows: _Rows = checks.shaped(matrix, name, (4, 4)).tolist()
    return rows


def _rigid(rows: _Rows, name: str) -> _Rows:
    """The rows of a rigid transform, with its rotation made orthonormal."""
    first, second, third, last = rows
    rotation = first[:3], second[:3], third[:3]
    _check_rigid(rows, rotation, name)
    u, v, w = _orthonormal(rotation)
    return (*u, first[3]), (*v, second[3]), (*w, third[3]), last


def _check_rigid(rows: _Rows, rotation: _Rows, name: str) -> None:
    if not all(map(math.isfinite, chain(*rows))):
        raise ValueError(f"{name} has an entry that is not finite")
    if rows[3] != [0, 0, 0, 1]:
        last = np.array(rows[3])
        raise ValueError(f"{name} is not rigid: its last row is {last}, but must be 0, 0, 0, 1")
    _check_orthonormal(rotation, name)
    (a, b, c), (d, e, f), (g, h, i) = rotation
    if a * (e * i - f * h) + b * (f * g - d * i) + c * (d * h - e * g) < 0:
        raise ValueError(f"{name} is not rigid: it mirrors, which would turn facets inside out")
    shift = max(abs(rows[0][3]), abs(rows[1][3]), abs(rows[2][3]))
    if shift > _core.COORDINATE_LIMIT:
        raise ValueError(f"{name} moves by {shift:g}, but may move by at most 1e75")


def _check_orthonormal(rotation: _Rows, name: str) -> None:
    off = [abs(entry - one) for entry, one in zip(_gram(*rotation), _ONES, strict=True)]
    # squares of huge entries are infinite, so max is compared before NaN can appear
    if not max(off) <= RIGID_TOLERANCE:
        raise ValueError(
            f"{name} is not rigid: its rotation times its transpose is off 1 by {np.max(off):.2g}"
        )


def _orthonormal(rotation: _Rows) -> _Rows:
    """The nearest rotation, by one step of Newton's method, R (3 - R^T R) / 2."""
    # exact for the identity and other matrices of 0 and 1
    xx, yy, zz, xy, xz, yz = _gram(*zip(*rotation, strict=True))
    a, b, c = (3 - xx) / 2, (0 - xy) / 2, (0 - xz) / 2
    d, e, f = (3 - yy) / 2, (0 - yz) / 2, (3 - zz) / 2
    return [
        (x * a + y * b + z * c, x * b + y * d + z * e, x * c + y * e + z * f)
        for x, y, z in rotation
    ]


def _gram(u: Sequence[float], v: Sequence[float], w: Sequence[float]) -> Sequence[float]:
    """Scalar products of three vectors with themselves and each other, in the order of _ONES."""
    (a, b, c), (d, e, f), (g, h, i) = u, v, w
    return (
        a * a + b * b + c * c, d * d + e * e + f * f, g * g + h * h + i * i,
        a * d + b * e + c * f, a * g + b * h + c * i, d * g + e * h + f * i,
    )  # fmt: skip
