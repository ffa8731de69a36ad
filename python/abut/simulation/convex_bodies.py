"""Columns of convex bodies: arguments are checked and converted to library arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arithmetic import principal_axes
from ..base.arrays import Columns, Doubles, Indices
from ..base.orientations import from_matrix, turned
from ..laws.materials import Material
from ..search.convex_input import read_shape_numbers, read_shapes
from ..search.shape import ConvexShape


def read_shaped(shapes: Any, shape: Any, count: int) -> tuple[tuple[ConvexShape, ...], Indices]:
    """Read polyhedra, one or several, and the number of each body's shape among them."""
    found = read_shapes(shapes)
    for k, one in enumerate(found):
        if one.dimension != 3:
            name = "shapes" if isinstance(shapes, ConvexShape) else f"shapes[{k}]"
            raise ValueError(f"{name} is a polygon, but a Simulation is three-dimensional")
    numbers = read_shape_numbers(shape, len(found))
    if numbers is None:
        return found, np.zeros(count, np.intp)
    if len(numbers) != count:
        entries = checks.counted(len(numbers), "entry", "entries")
        raise ValueError(f"shape has {entries}, but {checks.there_are(count, 'position')}")
    wrong = np.flatnonzero((numbers < 0) | (numbers >= len(found)))
    if len(wrong):
        last = len(found) - 1
        raise ValueError(f"shape[{wrong[0]}] is {numbers[wrong[0]]}, but must be 0 to {last}")
    return found, numbers


def read_masses(
    masses: ArrayLike | None, volumes: Doubles, scales: Doubles, material: Material
) -> Doubles:
    """The given masses, or density times volume; `volumes` are those of bodies with scale 1."""
    if masses is not None:
        return positive_numbers(masses, "masses", len(scales))
    if material.density is None:
        raise ValueError(f"{material} has no density: give it one, or pass masses=")
    return material.density * volumes * (scales * scales * scales)


def positive_numbers(value: Any, name: str, count: int) -> Doubles:
    """Read a positive number for each body, or one for all."""
    numbers = checks.lengths(value, name, count, "position")
    sound = np.isfinite(numbers) & (numbers > 0)
    if not sound.all():
        row = int(np.argmin(sound))
        raise ValueError(f"{name}[{row}] is {numbers[row]}, but must be positive and finite")
    return numbers


def volumes_of(shapes: Sequence[ConvexShape], numbers: Indices) -> Doubles:
    """The volumes of bodies with these shapes, for scale 1."""
    return np.array([shape.volume for shape in shapes])[numbers]


def body_columns(
    shapes: Sequence[ConvexShape],
    numbers: Indices,
    scales: Doubles,
    masses: Doubles,
    material: int,
) -> Columns:
    """Columns of bodies, without positions and velocities; `numbers` are those of their shapes."""
    count = len(scales)
    principal = [principal_axes(np.asarray(shape.inertia)) for shape in shapes]
    moments = np.array([moment for moment, _ in principal])[numbers]
    axes = np.array([from_matrix(columns) for _, columns in principal])[numbers]
    per_moment = masses * (scales * scales) / volumes_of(shapes, numbers)
    return {
        "shapes": numbers,
        "scales": scales,
        "materials": np.full(count, material, np.intp),
        "masses": masses,
        "inertias": per_moment[:, None] * moments,
        "axes": axes,
        "fixed": np.zeros(count, np.intp),
    }


def centers_of(shapes: Sequence[ConvexShape], numbers: Indices, columns: Columns) -> Doubles:
    """The centers of mass (n, 3) of bodies with these positions, orientations and scales."""
    centroids = np.array([shape.centroid for shape in shapes])[numbers]
    arms = turned(columns["orientations"], columns["scales"][:, None] * centroids)
    return np.asarray(columns["positions"] + arms)


def stored_shape(shape: ConvexShape) -> dict[str, Any]:
    """The numbers from which `shape_from` makes an equal shape, as JSON values."""
    names = ("vertices", "indices", "offsets")
    return {name: getattr(shape, name).tolist() for name in names} | {"radius": shape.radius}


def shape_from(vertices: Any, indices: Any, offsets: Any, radius: float) -> ConvexShape:
    """The shape of the numbers that `stored_shape` returned."""
    facets = np.array(indices, np.intp), np.array(offsets, np.intp)
    return ConvexShape(vertices, facets, radius=radius)
