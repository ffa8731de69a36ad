"""Periods: the vectors along which the world repeats.

A period is given as lengths along the axes, or as an array with a vector in each row. It is kept as
it was given. Both forms of one period give the same bits everywhere.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from . import checks
from .arithmetic import dots, lengths, matrix_product, unit_and_length

# A length for each axis, or None for an axis that is not periodic. Or a read-only (d, d) array
# with a vector in each row, zeros where the world does not repeat.
Period = tuple[float | None, ...] | NDArray[np.float64]

# what users may give as a period
PeriodLike = Sequence[float | None] | ArrayLike | None

# Vectors are flat if Gram's determinant is at most this part of the product of their squared
# lengths: then a point's place between them has no digits left.
FLAT = 1e-24

# A vector is parallel to a plane if the cosine of its angle with the plane's normal is at most
# this. The core has the same limit.
ALONG_PLANE = 1e-9

# A vector is replaced by one whose squared length is less by at least this part of it. Otherwise
# rounding could exchange two vectors of one length for ever.
LEAST_GAIN = 1e-12

_Vector = Sequence[Any]


def read_period(period: Any, *dimensions: int) -> Period | None:
    """Read a period: lengths along the axes, or an array with a vector in each row.

    There are 3 axes by default; `dimensions` lists the numbers that are allowed. Returns None if
    all lengths are None.
    """
    if period is None:
        return None
    allowed = dimensions or (3,)
    if getattr(period, "ndim", 0) > 1:
        return _read_vectors(period, allowed)
    try:
        items = list(period)
    except TypeError:
        raise TypeError(f"period is {period!r}, but must be {_forms(allowed)} or None") from None
    if any(map(_is_row, items)):
        return _read_vectors(items, allowed)
    return _read_lengths(items, allowed)


def vectors_of(period: Period | None, dimension: int = 3) -> NDArray[np.float64]:
    """The vectors along which the world repeats, one in each row; zeros where it does not."""
    if is_array(period):
        return period.copy()
    return np.diag([0.0 if one is None else one for one in period or (None,) * dimension])


def shifts_of(image: NDArray[Any], period: Period | None) -> NDArray[np.float64]:
    """The vectors (m, d) from image 0 to images (m, d): ``image @ vectors``.

    The core sums up in the same order. NumPy's own matrix product depends on its library.
    """
    vectors = vectors_of(period, image.shape[1])
    if is_along_axes(period):
        return image * np.diagonal(vectors)
    return matrix_product(image, vectors)


def fractions_of(points: NDArray[np.float64], period: Period | None) -> NDArray[np.float64]:
    """How many of each vector of the period add up to points (m, 3); 0 where nothing repeats."""
    vectors = vectors_of(period)
    if is_along_axes(period):
        sizes = np.diagonal(vectors)
        return np.divide(points, sizes, out=np.zeros_like(points), where=sizes > 0)
    return np.stack([dots(points, row) for row in _inverse(vectors)], axis=-1)


def is_array(period: Period | None) -> TypeGuard[NDArray[np.float64]]:
    """Whether a period was given as an array of vectors."""
    return isinstance(period, np.ndarray)


def repeats_along(period: Period | None, vector: int) -> bool:
    """Whether the world repeats along a vector of the period, or along an axis of lengths."""
    if is_array(period):
        return bool(period[vector].any())
    return period is not None and period[vector] is not None


def same_period(one: Period | None, other: Period | None) -> bool:
    """Whether the world repeats along the same vectors, in whatever form they were given."""
    if one is None or other is None:
        return one is other
    return len(one) == len(other) and bool(
        np.array_equal(vectors_of(one, len(one)), vectors_of(other, len(other)))
    )


def repeats_alike(one: Period | None, other: Period | None) -> bool:
    """Whether the world repeats along the same vectors by their numbers, of any lengths."""
    return _repeating(one) == _repeating(other)


def text_of(period: Period | None) -> str:
    """A period as text: a length for each axis, or the vectors."""
    if is_array(period):
        return "; ".join(", ".join(f"{x:.6g}" for x in row) for row in period)
    return ", ".join("none" if one is None else f"{one:.6g}" for one in period or (None,))


def tilted_vector(period: Period | None) -> int | None:
    """The first vector that does not lead along its own axis, in its positive direction, or None.

    Vectors of zeros are along their axes.
    """
    if not is_array(period):
        return None
    for k, row in enumerate(period.tolist()):
        if not all(x >= 0 if axis == k else x == 0 for axis, x in enumerate(row)):
            return k
    return None


def is_along_axes(period: Period | None) -> bool:
    """Whether lengths can describe the period."""
    return tilted_vector(period) is None


def lengths_of(period: Period | None) -> NDArray[np.float64]:
    """The lengths of a period along the axes, 0 along axes that are not periodic, (d,)."""
    if not is_along_axes(period):
        raise ValueError("period is not along the axes, so it has no lengths")
    return np.diagonal(vectors_of(period)).copy()


def spans(period: Period | None, axis: int) -> bool:
    """Whether a vector of the period has a part along an axis, so that images move along it."""
    return period is not None and bool(vectors_of(period)[:, axis].any())


def extent_along(period: Period | None, axis: int) -> tuple[float, float]:
    """Where the box that the vectors span begins and ends along an axis.

    If no vector has a part along the axis, there is no box: (inf, -inf).
    """
    parts = vectors_of(period)[:, axis].tolist()
    if not any(parts):
        return math.inf, -math.inf
    if not is_along_axes(period) and len(_repeating(period)) < len(parts):
        # a box without end along a direction that may have a part along the axis, too
        return -math.inf, math.inf
    return sum(min(part, 0.0) for part in parts), sum(max(part, 0.0) for part in parts)


def shortest_period(period: Period | None) -> float:
    """The smallest distance between a point and one of its images; infinite without a period."""
    vectors = vectors_of(period)
    if is_along_axes(period):
        return min(filter(None, np.diagonal(vectors).tolist()), default=math.inf)
    return min(float(lengths(row)) for row in _reduced(vectors))


def nearest_images(points: NDArray[np.float64], period: Period | None) -> NDArray[np.intp]:
    """The images (m, 3) of the origin that are nearest to points (m, 3).

    Points that are equally far from two images get one of them. The numbers count vectors of the
    period, in whatever form these are.
    """
    if is_along_axes(period):
        return np.rint(fractions_of(points, period)).astype(np.intp)
    basis = np.zeros((3, 3))
    rows = _reduced(vectors_of(period))
    basis[: len(rows)] = rows
    # the nearest image is at most one vector of a reduced basis away from the rounded fractions
    first = np.rint(fractions_of(points, basis))
    steps = [step for step in np.ndindex(3, 3, 3) if not any(step[len(rows) :])]
    found, least = first, np.full(len(points), np.inf)
    for step in steps:
        numbers = first + [1 - one if k < len(rows) else 0 for k, one in enumerate(step)]
        rest = points - matrix_product(numbers, basis)
        squares = dots(rest, rest)
        is_nearer = squares < least
        found = np.where(is_nearer[:, None], numbers, found)
        least = np.where(is_nearer, squares, least)
    in_period = np.rint(fractions_of(basis, period))
    return matrix_product(found, in_period).astype(np.intp)


def _reduced(vectors: NDArray[np.float64]) -> list[NDArray[np.float64]]:
    """Short vectors that lead to the same images; vectors of zeros are omitted."""
    # relative to the largest number, so that squares neither overflow nor vanish
    most = float(np.abs(vectors).max())
    rows = [row / most for row in vectors if row.any()]
    while _shorten(rows):
        pass
    return [most * row for row in rows]


def _shorten(rows: list[NDArray[np.float64]]) -> bool:
    """Replace a vector by a shorter one that leads to the same images; False if there is none.

    This is the lattice reduction of Semaev (2001), as in the core's lattice_basis.c.
    """
    for k, row in enumerate(rows):
        others = [other for number, other in enumerate(rows) if number != k]
        nearer = [row - np.rint(dots(row, other) / dots(other, other)) * other for other in others]
        if len(others) == 2:
            signs = itertools.product((-1, 1), repeat=2)
            nearer += [row + s * others[0] + t * others[1] for s, t in signs]
        for one in nearer:
            if dots(one, one) < (1 - LEAST_GAIN) * dots(row, row):
                rows[k] = one
                return True
    return False


def crossing_vector(normal: _Vector, period: Period | None) -> int | None:
    """The first vector that is not parallel to the plane with a unit normal, or None."""
    for k, vector in enumerate(vectors_of(period).tolist()):
        if any(vector) and abs(_dot(normal, unit_and_length(vector)[0])) > ALONG_PLANE:
            return k
    return None


def volume(period: Period | None) -> float:
    """The volume of the cell, or its area in the plane; 0 if space does not repeat along all axes.

    With lengths it is their product, and with the same cell as an array it has the same bits.
    """
    vectors = vectors_of(period)
    if is_along_axes(period):
        return math.prod(np.diagonal(vectors).tolist())
    # imported here, because few need it, and it loads decimal numbers
    from fractions import Fraction

    rows = _in_space(vectors.tolist())
    if len(vectors) == 2:
        rows[2] = (0.0, 0.0, 1.0)
    # rational numbers, because the terms of a thin cell cancel
    a, b, c = ([Fraction(x) for x in row] for row in rows)
    return float(abs(_dot(_cross(a, b), c)))


def _repeating(period: Period | None) -> list[int]:
    """The numbers of the vectors along which the world repeats."""
    return [] if period is None else [k for k in range(len(period)) if repeats_along(period, k)]


def _inverse(vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Rows (d, d): their scalar products with a point are its fractions. Zeros: no vector."""
    rows = _completed([unit_and_length(row)[0] if any(row) else None for row in vectors.tolist()])
    inverse = np.zeros((3, 3))
    for k, row in enumerate(vectors.tolist()):
        if any(row):
            across = np.array(_cross(rows[(k + 1) % 3], rows[(k + 2) % 3]))
            inverse[k] = across / _dot(across.tolist(), rows[k]) / unit_and_length(row)[1]
    return inverse


def _completed(units: list[_Vector | None]) -> list[_Vector]:
    """Three unit vectors: those that are None are perpendicular to all others."""
    found = [one for one in units if one is not None]
    given = len(found)
    while len(found) < 3:
        if len(found) == 2:
            found.append(unit_and_length(_cross(found[0], found[1]))[0])
        else:
            # the axis along which the vector has its smallest part
            least = min(range(3), key=lambda axis: abs(found[0][axis]))
            axis = [float(k == least) for k in range(3)]
            found.append(unit_and_length(_cross(found[0], axis))[0])
    added = iter(found[given:])
    return [next(added) if one is None else one for one in units]


def _read_lengths(items: list[Any], allowed: tuple[int, ...]) -> Period | None:
    if len(items) not in allowed:
        raise ValueError(
            f"period has {checks.counted(len(items), 'item')},"
            f" but must have {_either(allowed)}: None for no period"
        )
    lengths = tuple(_length(item, f"period[{k}]") for k, item in enumerate(items))
    return None if lengths.count(None) == len(lengths) else lengths


def _length(item: object, name: str) -> float | None:
    if item is None:
        return None
    length = checks.number(item, name)
    if not 0 < length <= _core.COORDINATE_LIMIT:
        raise ValueError(
            f"{name} is {length:g}, but must be positive, or None for an axis without a period"
        )
    return length


def _is_row(item: object) -> bool:
    """Whether an item of a period is a vector rather than a length."""
    return hasattr(item, "__len__") and not isinstance(item, str) and getattr(item, "ndim", 1) != 0


def _read_vectors(period: Any, allowed: tuple[int, ...]) -> NDArray[np.float64]:
    for k, row in enumerate(period if isinstance(period, list) else ()):
        if not _is_row(row):
            raise TypeError(f"period[{k}] is {row!r}, but must be a vector, as others are")
    given = checks.doubles(period, "period")
    if given.ndim != 2 or len(given) not in allowed or given.shape[0] != given.shape[1]:
        shapes = " or ".join(f"({d}, {d})" for d in allowed)
        raise ValueError(
            f"period has shape {given.shape}, but must be {shapes}: a vector in each row, zeros"
            " where nothing repeats"
        )
    # a sum turns -0 into 0, so that equal periods have equal bits
    vectors: NDArray[np.float64] = given + 0.0
    _check_vectors(vectors.tolist())
    vectors.flags.writeable = False
    return vectors


def _check_vectors(rows: Sequence[_Vector]) -> None:
    for k, row in enumerate(rows):
        for axis, x in enumerate(row):
            if not abs(x) <= _core.COORDINATE_LIMIT:
                raise ValueError(
                    f"period[{k}, {axis}] is {x:g}, but must be finite and at most 1e75"
                )
    if not any(map(any, rows)):
        raise ValueError("period has rows of zeros alone: give None if nothing repeats")
    _check_flat(rows)


def _check_flat(rows: Sequence[_Vector]) -> None:
    """Raise if a vector lies on the line, or in the plane, of those before it."""
    units: list[_Vector] = []
    for k, row in enumerate(_in_space(rows)):
        if any(row):
            units.append(unit_and_length(row)[0])
            if _gram(units) <= FLAT:
                where = ("on the line", "in the plane")[len(units) - 2]
                raise ValueError(
                    f"period[{k}] lies {where} of the vectors before it: give a vector that leads"
                    " out of it, or zeros if nothing repeats there"
                )


def _gram(units: Sequence[_Vector]) -> float:
    """Gram's determinant of one to three unit vectors."""
    if len(units) == 1:
        return 1.0
    across = _cross(units[0], units[1])
    if len(units) == 2:
        return _dot(across, across)
    volume = _dot(across, units[2])
    return volume * volume


def _in_space(rows: Sequence[_Vector]) -> list[_Vector]:
    """Vectors with three numbers each, and three of them."""
    lacks = (0.0,) * (3 - len(rows))
    return [*((*row, *lacks) for row in rows), *((0.0, 0.0, 0.0) for _ in lacks)]


def _cross(a: _Vector, b: _Vector) -> _Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


def _dot(a: _Vector, b: _Vector) -> Any:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


def _either(dimensions: Sequence[int]) -> str:
    return " or ".join(map(str, dimensions))


def _forms(dimensions: Sequence[int]) -> str:
    """The forms that a period may have, for messages."""
    arrays = " or ".join(f"({d}, {d})" for d in dimensions)
    return f"{_either(dimensions)} lengths, a {arrays} array"
