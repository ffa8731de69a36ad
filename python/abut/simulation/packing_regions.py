"""Regions that random packings fill: boxes, periodic cells, and closed meshes."""

from __future__ import annotations

from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.arithmetic import matrix_product
from ..base.arrays import Doubles, Indices
from ..base.periods import (
    Period,
    fractions_of,
    is_array,
    read_period,
    repeats_along,
    shortest_period,
    vectors_of,
    volume,
)
from ..search.finder import ContactFinder
from ..search.mesh import Mesh
from .solids import Solid

# largest relative difference between a side of the box and the period along it
_ROUNDING = 1e-9

# Random points of a closed mesh are drawn in its bounding box. After this many draws without one
# inside, the mesh has no room.
_DRAWS = 1000


class Push(NamedTuple):
    """What the walls of a region do to spheres: forces (n, d), and the largest overlap / radius."""

    forces: Doubles
    worst: float


class Region(Protocol):
    """What `pack` needs of a region."""

    @property
    def dimension(self) -> int:
        """2 or 3."""

    @property
    def volume(self) -> float:
        """The volume, or the area in the plane."""

    @property
    def period(self) -> Period | None:
        """The period of a `PairFinder`."""

    def check_radius(self, radius: float) -> None:
        """Raise a ValueError if a sphere of this radius cannot be in the region."""

    def scatter(self, generator: np.random.Generator, radii: Doubles) -> Doubles:
        """Random centers (n, d) in the region."""

    def near_walls(self, centers: Doubles, reaches: Doubles) -> Indices:
        """The rows of the spheres with a wall nearer than `reaches`."""

    def push(self, centers: Doubles, radii: Doubles) -> Push:
        """Push spheres away from walls that they overlap, by the overlaps."""

    def outside(self, centers: Doubles) -> NDArray[np.bool_]:
        """Which centers are outside the region."""

    def folded(self, centers: Doubles) -> Doubles:
        """The images of the centers that are inside the region."""


def read_region(region: Any, period: Any) -> Region:
    """Read a box, with its period, or a closed mesh."""
    if region is None or _is_box(region):
        return _read_cell(region, period)
    mesh = Mesh.from_any(region)
    if period is not None:
        raise ValueError(
            "period is given, but region is a mesh, which is closed: give a box, or no period"
        )
    return Enclosed(mesh)


def _is_box(region: Any) -> bool:
    """Whether a region is an array with two corners, rather than a mesh or a list of meshes."""
    if isinstance(region, np.ndarray):
        return region.ndim < 3
    corners = (list, tuple, np.ndarray, int, float, np.number)
    return isinstance(region, (list, tuple)) and all(
        isinstance(item, corners) and np.ndim(item) < 2 for item in region
    )


# ---- boxes and cells -----------------------------------------------------------------------------


class Cell(NamedTuple):
    """A box or a cell; `low` (d,) is its corner, the rows of `edges` (d, d) lead along its edges.

    Where the world does not repeat there are walls, with their normals along axes.
    """

    low: Doubles
    edges: Doubles
    period: Period | None

    @property
    def dimension(self) -> int:
        return len(self.low)

    @property
    def volume(self) -> float:
        return volume(self.edges)

    @property
    def walled(self) -> list[int]:
        """The axes along which there are walls."""
        return [k for k in range(len(self.low)) if not repeats_along(self.period, k)]

    def check_radius(self, radius: float) -> None:
        for axis in self.walled:
            width = float(self.edges[axis, axis])
            if 2.0 * radius > width:
                raise ValueError(
                    f"the largest diameter is {2.0 * radius:.6g}, but the box is {width:.6g} wide"
                    f" along {'xyz'[axis]}: give a larger box or smaller radii"
                )
        if 2.0 * radius > (shortest := shortest_period(self.period)):
            raise ValueError(
                f"the largest diameter is {2.0 * radius:.6g}, but images of a point are"
                f" {shortest:.6g} apart: give a longer period or smaller radii"
            )

    def scatter(self, generator: np.random.Generator, radii: Doubles) -> Doubles:
        parts = generator.random((len(radii), self.dimension))
        for axis in self.walled:
            margin = radii / self.edges[axis, axis]
            parts[:, axis] = margin + parts[:, axis] * (1.0 - 2.0 * margin)
        return self.low + matrix_product(parts, self.edges)

    def near_walls(self, centers: Doubles, reaches: Doubles) -> Indices:
        near = np.zeros(len(centers), bool)
        for axis, low, high in self._walls():
            near |= (centers[:, axis] - low < reaches) | (high - centers[:, axis] < reaches)
        return np.flatnonzero(near)

    def push(self, centers: Doubles, radii: Doubles) -> Push:
        forces, worst = np.zeros(centers.shape), 0.0
        for axis, low, high in self._walls():
            below = np.maximum(radii - (centers[:, axis] - low), 0.0)
            above = np.maximum(radii - (high - centers[:, axis]), 0.0)
            forces[:, axis] = below - above
            worst = max(worst, float((np.maximum(below, above) / radii).max(initial=0.0)))
        return Push(forces, worst)

    def outside(self, centers: Doubles) -> NDArray[np.bool_]:
        # walls push spheres back from either side
        return np.zeros(len(centers), bool)

    def folded(self, centers: Doubles) -> Doubles:
        count, dimension = centers.shape
        places, edges = np.zeros((count, 3)), np.eye(3)
        places[:, :dimension] = centers - self.low
        edges[:dimension, :dimension] = self.edges
        images = np.floor(fractions_of(places, edges))[:, :dimension]
        images[:, self.walled] = 0.0
        return centers - matrix_product(images, self.edges)

    def _walls(self) -> list[tuple[int, float, float]]:
        """Axis, lower and upper place of each two opposite walls."""
        return [
            (axis, float(self.low[axis]), float(self.low[axis] + self.edges[axis, axis]))
            for axis in self.walled
        ]


def _read_cell(region: Any, period: Any) -> Cell:
    box = None if region is None else _read_box(region)
    if period is True:
        if box is None:
            raise ValueError("period is True, but region is None: give a box, or the period's cell")
        period = tuple((box[1] - box[0]).tolist())
    elif period is not None and not np.ndim(period):
        wanted = "True, lengths along the axes, vectors of a cell, or None for walls"
        raise TypeError(f"period is {period!r}, but must be {wanted}")
    found = read_period(period, *((3, 2) if box is None else (box.shape[1],)))
    if box is None:
        return _read_cell_alone(found)
    edges = np.diag(box[1] - box[0])
    vectors = vectors_of(found, len(edges))
    for k in range(len(edges)):
        if repeats_along(found, k):
            _check_side(edges[k, k], vectors[k, k], k, is_array(found))
            edges[k] = vectors[k]
    cell = Cell(box[0], edges, found)
    for axis in cell.walled:
        across = np.flatnonzero(vectors[:, axis])
        if len(across):
            raise ValueError(
                f"period[{across[0]}] leads along {'xyz'[axis]}, too, where the box has walls: give"
                " a vector without that part, or a period along it"
            )
    return cell


def _read_cell_alone(period: Period | None) -> Cell:
    """A cell at the origin, which must repeat along all its vectors."""
    if period is None or not all(repeats_along(period, k) for k in range(len(period))):
        raise ValueError(
            "region is None, but the period does not repeat along all its vectors: give the box"
            " between the walls"
        )
    edges = vectors_of(period)
    return Cell(np.zeros(len(edges)), edges, period)


def _read_box(region: Any) -> Doubles:
    """Two corners, (2, 3) or (2, 2)."""
    box = checks.doubles(region, "region")
    if box.shape == (2, 2):
        corners = np.column_stack([box, [0.0, 1.0]])
    elif box.shape == (2, 3):
        corners = box
    else:
        raise ValueError(
            f"region has shape {box.shape}, but must be (2, 3) or (2, 2): two corners of a box, or"
            " a closed Mesh"
        )
    low, high = checks.box(corners, "region")
    return np.array([low, high])[:, : box.shape[1]]


def _check_side(side: float, along: float, axis: int, is_cell: bool) -> None:
    if abs(side - along) > _ROUNDING * side:
        name = f"period[{axis}, {axis}]" if is_cell else f"period[{axis}]"
        raise ValueError(
            f"{name} is {along:.16g}, but the box is {side:.16g} long along {'xyz'[axis]}: give"
            " equal ones, or None as the region for a cell at the origin"
        )


# ---- closed meshes -------------------------------------------------------------------------------


class Enclosed:
    """The inside of a closed mesh."""

    dimension = 3
    period = None

    def __init__(self, mesh: Mesh) -> None:
        self._solid = Solid(mesh, "region")
        self.volume = abs(self._solid.volume)
        self._bounds = mesh.bounds
        self._finder = ContactFinder(mesh)

    def check_radius(self, radius: float) -> None:
        shortest = float((self._bounds[1] - self._bounds[0]).min())
        if 2.0 * radius > shortest:
            raise ValueError(
                f"the largest diameter is {2.0 * radius:.6g}, but the mesh is {shortest:.6g} wide:"
                " give a larger mesh or smaller radii, or scale the mesh to their unit"
            )

    def scatter(self, generator: np.random.Generator, radii: Doubles) -> Doubles:
        centers = np.empty((len(radii), 3))
        wanted, (low, high) = np.arange(len(radii)), self._bounds
        for _ in range(_DRAWS):
            if not len(wanted):
                break
            centers[wanted] = low + generator.random((len(wanted), 3)) * (high - low)
            wanted = wanted[self.outside(centers[wanted])]
        return centers

    def near_walls(self, centers: Doubles, reaches: Doubles) -> Indices:
        return np.unique(self._finder.find(centers, reaches).sphere)

    def push(self, centers: Doubles, radii: Doubles) -> Push:
        found = self._finder.find(centers, radii)
        away = found.overlap[:, None] * found.normal
        forces = np.zeros(centers.shape)
        for axis in range(3):
            forces[:, axis] = np.bincount(found.sphere, away[:, axis], len(centers))
        return Push(forces, float((found.overlap / radii[found.sphere]).max(initial=0.0)))

    def outside(self, centers: Doubles) -> NDArray[np.bool_]:
        return self._solid.outside(centers)

    def folded(self, centers: Doubles) -> Doubles:
        return centers
