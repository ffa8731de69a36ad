"""Convex bodies of a simulation, on their way from users to the library, and back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.arithmetic import principal_axes
from ..base.arrays import Columns, Doubles, Indices, locked
from ..base.orientations import from_matrix, turned
from ..laws.materials import Material
from ..search.shape import ConvexShape


class Bodies(NamedTuple):
    """The convex bodies of a simulation, in the order in which they came.

    `positions`, `orientations`, `velocities`, `angular_momenta` and `fixed` can be assigned:
    ``sim.bodies = sim.bodies._replace(velocities=...)``.
    """

    numbers: Indices  # (b,): lasting, as `add_bodies` returned them
    positions: Doubles  # (b, 3): of the origins of the shapes' frames
    orientations: Doubles  # (b, 4): quaternions x, y, z, w, from the shape's frame to the world
    velocities: Doubles  # (b, 3): of the centers of mass, half a step ago
    angular_velocities: Doubles  # (b, 3): half a step ago
    angular_momenta: Doubles  # (b, 3): about the centers of mass, in the world
    forces: Doubles  # (b, 3): of contacts and of callbacks, at the beginning of the last step
    torques: Doubles  # (b, 3): likewise, about the centers of mass
    centers: Doubles  # (b, 3): of mass
    masses: Doubles  # (b,)
    shape: Indices  # (b,): numbers into `Simulation.shapes`
    scales: Doubles  # (b,)
    material: Indices  # (b,): numbers into `Simulation.materials`
    images: Indices  # (b, 3): by how many periods each has left the box
    fixed: NDArray[np.bool_]  # (b,): which are held, as `Simulation.fixed`


# those that follow from others, or do not change
_FIXED = (
    "angular_velocities", "forces", "torques", "centers", "masses", "shape", "scales", "material",
    "images",
)  # fmt: skip


# those that the library calls the same
_SAME = (
    "positions", "orientations", "velocities", "angular_momenta", "forces", "torques", "masses",
    "scales", "images",
)  # fmt: skip


def check_assigned(given: Bodies, now: Bodies) -> None:
    """Complain of what cannot be assigned."""
    if not np.array_equal(given.numbers, now.numbers):
        raise ValueError("bodies are assigned whole: numbers must be those of now")
    for name in _FIXED:
        if not np.array_equal(getattr(given, name), getattr(now, name)):
            raise ValueError(
                f"{name} of bodies cannot be assigned: positions, orientations, velocities,"
                " angular_momenta and fixed can"
            )


def read_shape(shape: object) -> ConvexShape:
    if not isinstance(shape, ConvexShape):
        kind = checks.a_or_an(type(shape).__name__)
        raise TypeError(f"shape is {kind}, but must be a ConvexShape")
    if shape.dimension != 3:
        raise ValueError("shape is a polygon, but simulations are in three dimensions")
    return shape


def read_masses(
    masses: ArrayLike | None, shape: ConvexShape, scales: Doubles, material: Material
) -> Doubles:
    """As given, or by the material's density."""
    if masses is not None:
        return positive_numbers(masses, "masses", len(scales))
    if material.density is None:
        raise ValueError(f"{material} has no density, but bodies without masses= need one")
    return material.density * shape.volume * (scales * scales * scales)


def positive_numbers(value: Any, name: str, count: int) -> Doubles:
    """A number for each body, or one for all."""
    numbers = checks.lengths(value, name, count, "position")
    sound = np.isfinite(numbers) & (numbers > 0)
    if not sound.all():
        row = int(np.argmin(sound))
        raise ValueError(f"{name}[{row}] is {numbers[row]}, but must be positive and finite")
    return numbers


def body_columns(
    shape: ConvexShape, number: int, scales: Doubles, masses: Doubles, material: int
) -> Columns:
    """Bodies with one shape, without where they are and how they move."""
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


def bodies_of(numbers: Indices, found: Columns, shapes: tuple[ConvexShape, ...]) -> Bodies:
    """What users see of the library's columns."""
    offsets = np.array([shape.centroid for shape in shapes]).reshape(-1, 3)[found["shapes"]]
    arms = turned(found["orientations"], offsets * found["scales"][:, None])
    centers = found["positions"] + arms
    centers.flags.writeable = False
    return Bodies(
        numbers=numbers,
        angular_velocities=found["spins"],
        centers=centers,
        shape=found["shapes"],
        material=found["materials"],
        fixed=locked(found["fixed"] != 0),
        **{name: found[name] for name in _SAME},
    )
