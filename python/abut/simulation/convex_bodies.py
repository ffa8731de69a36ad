"""Columns of convex bodies: arguments are checked and converted to library arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arithmetic import principal_axes
from ..base.arrays import Columns, Doubles
from ..base.orientations import from_matrix
from ..laws.materials import Material
from ..search.shape import ConvexShape


def read_shape(shape: object) -> ConvexShape:
    if not isinstance(shape, ConvexShape):
        kind = checks.a_or_an(type(shape).__name__)
        raise TypeError(f"shape is {kind}, but must be a ConvexShape")
    if shape.dimension != 3:
        raise ValueError("shape is a polygon, but a Simulation is three-dimensional")
    return shape


def read_masses(
    masses: ArrayLike | None, shape: ConvexShape, scales: Doubles, material: Material
) -> Doubles:
    """The given masses, or density times volume."""
    if masses is not None:
        return positive_numbers(masses, "masses", len(scales))
    if material.density is None:
        raise ValueError(f"{material} has no density: give it one, or pass masses=")
    return material.density * shape.volume * (scales * scales * scales)


def positive_numbers(value: Any, name: str, count: int) -> Doubles:
    """Read a positive number for each body, or one for all."""
    numbers = checks.lengths(value, name, count, "position")
    sound = np.isfinite(numbers) & (numbers > 0)
    if not sound.all():
        row = int(np.argmin(sound))
        raise ValueError(f"{name}[{row}] is {numbers[row]}, but must be positive and finite")
    return numbers


def body_columns(
    shape: ConvexShape, number: int, scales: Doubles, masses: Doubles, material: int
) -> Columns:
    """Columns of bodies of one shape, without positions and velocities."""
    count = len(scales)
    moments, axes = principal_axes(np.asarray(shape.inertia))
    return {
        "shapes": np.full(count, number, np.intp),
        "scales": scales,
        "materials": np.full(count, material, np.intp),
        "masses": masses,
        "inertias": (masses * (scales * scales) / shape.volume)[:, None] * moments,
        "axes": np.tile(from_matrix(axes), (count, 1)),
        "fixed": np.zeros(count, np.intp),
    }
