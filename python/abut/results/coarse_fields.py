"""Coarse-grained fields on a grid, and their means over frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.arithmetic import matrix_product
from ..base.extras import import_extra

if TYPE_CHECKING:
    from pyvista import StructuredGrid


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
    momentum : (nx, ny, nz, d) ndarray of float64
        Momentum of grains per volume.
    velocity : (nx, ny, nz, d) ndarray of float64
        ``momentum / density``; NaN where there are no grains.
    temperature : (nx, ny, nz) ndarray of float64
        Granular temperature, a squared velocity: the mean square of velocity fluctuations, weighted
        by mass, divided by d. NaN where there are no grains.
    contact_stress : (nx, ny, nz, d, d) ndarray of float64
        Stress of contacts, positive in compression. Entry [a, b] is a force along b per area
        across a.
    kinetic_stress : (nx, ny, nz, d, d) ndarray of float64
        Momentum flux of fluctuations, positive.
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
        If a field is used that needs velocities or pairs, and these were not given. If fields that
        are added have different grids or kernels, or not the same fields.
    """

    points: NDArray[np.float64]
    volume: float
    density: NDArray[np.float64]
    frames: int
    kernel: str
    width: float
    # None if velocities or pairs are not known
    _momentum: NDArray[np.float64] | None
    _contact: NDArray[np.float64] | None
    _kinetic: NDArray[np.float64] | None
    # edges of a cell, (3, 3), one in each row
    _edges: NDArray[np.float64]

    @property
    def momentum(self) -> NDArray[np.float64]:
        return self._moving(self._momentum)

    @property
    def velocity(self) -> NDArray[np.float64]:
        return _divided(self.momentum, self.density[..., None])

    @property
    def temperature(self) -> NDArray[np.float64]:
        squares = np.trace(self.kinetic_stress, axis1=-2, axis2=-1)
        # The difference of squares may be below 0 by rounding.
        return _divided(np.maximum(squares, 0.0) / self.points.shape[-1], self.density)

    @property
    def contact_stress(self) -> NDArray[np.float64]:
        if self._contact is None:
            raise ValueError("the stress of contacts is not known: give pairs= and forces=")
        return self._contact

    @property
    def kinetic_stress(self) -> NDArray[np.float64]:
        return self._moving(self._kinetic)

    @property
    def stress(self) -> NDArray[np.float64]:
        return self.contact_stress + self.kinetic_stress

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

        kinetic = mean("_kinetic")
        if kinetic is not None:
            kinetic += _between(self, other, parts)
        return CoarseFields(
            points=self.points,
            volume=self.volume,
            density=mean("density"),
            frames=frames,
            kernel=self.kernel,
            width=self.width,
            _momentum=mean("_momentum"),
            _contact=mean("_contact"),
            _kinetic=kinetic,
            _edges=self._edges,
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
        for name, field in (("momentum", "_momentum"), ("contact_stress", "_contact")):
            if (getattr(self, field) is None) != (getattr(other, field) is None):
                raise ValueError(f"only one of the fields has {name}, so they do not add up")

    def to_pyvista(self) -> StructuredGrid:
        """Return the cells as a pyvista.StructuredGrid (extra ``view``).

        Returns
        -------
        pyvista.StructuredGrid
            With the cells of the grid, which may be tilted, and the fields as cell data:
            ``density``, ``velocity``, ``temperature``, ``contact_stress``, ``kinetic_stress`` and
            ``stress``, as far as they are known. Vectors have 3 components, and stresses 9, row by
            row. A grid in the plane lies at z = 0. The arrays are copies.

        Examples
        --------
        >>> import abut
        >>> frame = abut.Frame([[1, 2, 2], [2.5, 2, 2]], [1.0, 1.0], period=(4, 4, 4))
        >>> fields = abut.coarse_grain(frame, (8, 4, 1), 0.5, density=2.0)
        >>> fields.to_pyvista().plot(scalars="density")  # doctest: +SKIP
        """
        pyvista = import_extra("pyvista", "view")
        counts, dimension = self.density.shape, self.points.shape[-1]
        numbers = np.indices([count + 1 for count in counts], np.float64)
        numbers = np.moveaxis(numbers, 0, -1).reshape(-1, dimension)
        edges = self._edges[:dimension, :dimension]
        first = self.points[(0,) * dimension] - 0.5 * edges.sum(axis=0)
        corners = first + matrix_product(numbers, edges)
        shape = (*(count + 1 for count in counts), 1)[:3]
        grid = pyvista.StructuredGrid(*_in_space(corners, 1).T.reshape(3, *shape))
        # the first number of a cell changes fastest in VTK
        order = np.arange(self.density.size).reshape(counts).ravel(order="F")
        for name, field in self._known().items():
            axes = field.ndim - len(counts)
            columns = _in_space(field, axes).reshape(len(order), -1)[order]
            grid.cell_data[name] = columns if axes else columns.ravel()
        return grid

    def _known(self) -> dict[str, NDArray[np.float64]]:
        """The fields that are known."""
        names = ["density"]
        if self._momentum is not None:
            names += ["velocity", "temperature", "kinetic_stress"]
        if self._contact is not None:
            names += ["contact_stress"]
        if len(names) == 5:
            names += ["stress"]
        return {name: getattr(self, name) for name in names}

    def __repr__(self) -> str:
        cells = " x ".join(map(str, self.density.shape))
        frames = checks.counted(self.frames, "frame")
        return f"CoarseFields({cells} cells, {frames}, {self.kernel}, width {self.width:g})"


def _in_space(field: NDArray[np.float64], axes: int) -> NDArray[np.float64]:
    """A field with 3 entries along its last `axes` axes; entries in the plane get zeros."""
    missing = 3 - field.shape[-1] if axes else 0
    return np.pad(field, [(0, 0)] * (field.ndim - axes) + [(0, missing)] * axes)


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
