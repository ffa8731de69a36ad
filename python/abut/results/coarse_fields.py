"""Coarse-grained fields on a grid, and their means over frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base import checks


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class CoarseFields:
    """Density, velocity, stress and temperature on a grid, as `coarse_grain` returns them.

    Fields of several frames add up to their mean: ``sum(fields)`` is the mean over all frames, as
    is ``a + b``, with the same weight for each frame. Velocities are means weighted by mass, and
    fluctuations are relative to the mean velocity over all frames.

    Attributes
    ----------
    points : (nx, ny, nz, d) ndarray of float64
        Centers of the cells; in the plane (nx, ny, 2).
    volume : float
        Volume of a cell, in the plane its area.
    density : (nx, ny, nz) ndarray of float64
        Mass of grains per volume. ``density.sum() * volume`` is the mass of all grains. Divided by
        the density of the material it is the solid fraction.
    momentum : (nx, ny, nz, d) ndarray of float64, or None
        Momentum of grains per volume; None if velocities are not known.
    velocity : (nx, ny, nz, d) ndarray of float64
        ``momentum / density``; NaN where there are no grains.
    temperature : (nx, ny, nz) ndarray of float64
        Granular temperature, a squared velocity: the mean square of velocity fluctuations, weighted
        by mass, divided by d. NaN where there are no grains.
    contact_stress : (nx, ny, nz, d, d) ndarray of float64, or None
        Stress of contacts, positive in compression; None if pairs are not known. Entry [a, b] is a
        force along b per area across a.
    kinetic_stress : (nx, ny, nz, d, d) ndarray of float64, or None
        Momentum flux of fluctuations, positive; None if velocities are not known.
    stress : (nx, ny, nz, d, d) ndarray of float64
        The sum of both stresses.
    frames : int
        Number of frames.
    kernel : str
        As given.
    width : float
        As given.

    Raises
    ------
    ValueError
        If `velocity`, `temperature` or `stress` is used, and velocities or pairs are not known. If
        fields that are added have different grids or kernels, or not the same fields.
    """

    points: NDArray[np.float64]
    volume: float
    density: NDArray[np.float64]
    momentum: NDArray[np.float64] | None
    contact_stress: NDArray[np.float64] | None
    kinetic_stress: NDArray[np.float64] | None
    frames: int
    kernel: str
    width: float

    @property
    def velocity(self) -> NDArray[np.float64]:
        return _divided(self._moving(self.momentum), self.density[..., None])

    @property
    def temperature(self) -> NDArray[np.float64]:
        squares = np.trace(self._moving(self.kinetic_stress), axis1=-2, axis2=-1)
        # The difference of squares may be below 0 by rounding.
        return _divided(np.maximum(squares, 0.0) / self.points.shape[-1], self.density)

    @property
    def stress(self) -> NDArray[np.float64]:
        if self.contact_stress is None:
            raise ValueError("the stress of contacts is not known: give pairs= and forces=")
        return self.contact_stress + self._moving(self.kinetic_stress)

    @staticmethod
    def _moving(field: NDArray[np.float64] | None) -> NDArray[np.float64]:
        if field is None:
            raise ValueError("the velocities of the grains are not known: give velocities=")
        return field

    def __add__(self, other: CoarseFields) -> CoarseFields:
        if not isinstance(other, CoarseFields):
            return NotImplemented
        self._check_alike(other)
        frames = self.frames + other.frames
        parts = self.frames / frames, other.frames / frames

        def mean(name: str) -> Any:
            first, second = getattr(self, name), getattr(other, name)
            return None if first is None else parts[0] * first + parts[1] * second

        kinetic = mean("kinetic_stress")
        if kinetic is not None:
            kinetic += _between(self, other, parts)
        return CoarseFields(
            points=self.points,
            volume=self.volume,
            density=mean("density"),
            momentum=mean("momentum"),
            contact_stress=mean("contact_stress"),
            kinetic_stress=kinetic,
            frames=frames,
            kernel=self.kernel,
            width=self.width,
        )

    def __radd__(self, other: object) -> CoarseFields:
        # `sum` begins with 0
        if isinstance(other, int) and other == 0:
            return self
        return NotImplemented

    def _check_alike(self, other: CoarseFields) -> None:
        if self.points.shape != other.points.shape:
            raise ValueError(
                f"fields have the shapes {self.points.shape[:-1]} and {other.points.shape[:-1]}:"
                " only fields of one grid add up"
            )
        if (self.kernel, self.width) != (other.kernel, other.width):
            raise ValueError("fields have different kernels or widths, so they do not add up")
        # Cells that are equal may differ by rounding.
        if np.abs(self.points - other.points).max() > 1e-9 * self.width:
            raise ValueError("fields have different cells: only fields of one grid add up")
        for name in ("momentum", "contact_stress"):
            if (getattr(self, name) is None) != (getattr(other, name) is None):
                raise ValueError(f"only one of the fields has {name}, so they do not add up")

    def __repr__(self) -> str:
        cells = " x ".join(map(str, self.density.shape))
        frames = checks.counted(self.frames, "frame")
        return f"CoarseFields({cells} cells, {frames}, {self.kernel}, width {self.width:g})"


def _divided(field: NDArray[np.float64], density: NDArray[np.float64]) -> NDArray[np.float64]:
    """A field divided by the density; NaN where there are no grains."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(density > 0.0, field / density, np.nan)


def _between(
    first: CoarseFields, second: CoarseFields, parts: tuple[float, float]
) -> NDArray[np.float64]:
    """The momentum flux of the difference of two mean velocities (Chan et al. 1979)."""
    masses = parts[0] * first.density, parts[1] * second.density
    both = masses[0] + masses[1]
    apart = np.nan_to_num(first.velocity) - np.nan_to_num(second.velocity)
    with np.errstate(divide="ignore", invalid="ignore"):
        reduced = np.where(both > 0.0, masses[0] * masses[1] / both, 0.0)
    return reduced[..., None, None] * apart[..., :, None] * apart[..., None, :]
