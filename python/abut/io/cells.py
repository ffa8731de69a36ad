"""The cell types that are facets, by meshio's names and VTK's numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..base.checks import counted
from ..base.warnings import warn
from .facets import offsets_of

# The number of corners of each cell type that is a facet; None where all points are corners.
CORNERS = {
    "triangle": 3,
    "triangle6": 3,
    "triangle7": 3,
    "quad": 4,
    "quad8": 4,
    "quad9": 4,
    "pixel": 4,
    "polygon": None,
}
_CURVED = {"triangle6", "triangle7", "quad8", "quad9"}
_WITHOUT_AREA = {"empty", "vertex", "poly_vertex", "line", "poly_line", "line3"}

VTK_NAMES = {
    0: "empty",
    1: "vertex",
    2: "poly_vertex",
    3: "line",
    4: "poly_line",
    5: "triangle",
    6: "triangle_strip",
    7: "polygon",
    8: "pixel",
    9: "quad",
    10: "tetra",
    11: "voxel",
    12: "hexahedron",
    13: "wedge",
    14: "pyramid",
    21: "line3",
    22: "triangle6",
    23: "quad8",
    24: "tetra10",
    25: "hexahedron20",
    28: "quad9",
    34: "triangle7",
    42: "polyhedron",
}
_FACET_TYPES = [number for number, name in VTK_NAMES.items() if name in CORNERS]
VTK_TRIANGLE, VTK_POLYGON, VTK_PIXEL, VTK_QUAD = 5, 7, 8, 9


def warn_of_left_out(counts: Mapping[str, int]) -> None:
    """Warn of cells that are dropped, and of curved facets that become flat.

    Parameters
    ----------
    counts : dict
        The number of cells of each type name.

    Raises
    ------
    ValueError
        If there are solid cells, and no facets.
    """
    solid = {
        name: count
        for name, count in counts.items()
        if count and name not in CORNERS and name not in _WITHOUT_AREA
    }
    facet_count = sum(count for name, count in counts.items() if name in CORNERS)
    if solid and not facet_count:
        raise ValueError(
            f"there are no facets, but {_listed(solid)}: give the surface of these cells,"
            " as pyvista's extract_surface() returns it"
        )
    if solid:
        warn(f"cells that are not facets are left out: {_listed(solid)}")
    curved = {name: count for name, count in counts.items() if count and name in _CURVED}
    if curved:
        warn(f"curved cells become flat facets between their corners: {_listed(curved)}")


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def facets_of_cells(
    types: NDArray[np.integer], indices: NDArray[np.intp], counts: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp], NDArray[np.intp]]:
    """Return the cells that are facets: their corners, offsets, and numbers among all cells.

    Parameters
    ----------
    types : (n,) ndarray
        VTK's numbers of the cell types.
    indices : (k,) ndarray of intp
        The points of all cells, one cell after the other.
    counts : (n,) ndarray of intp
        Each cell's number of points.

    Raises
    ------
    ValueError
        If a cell has fewer points than its type has corners, or there are only solid cells.
    """
    numbers, amounts = np.unique(types, return_counts=True)
    names = [VTK_NAMES.get(number, f"of type {number}") for number in numbers.tolist()]
    warn_of_left_out(dict(zip(names, amounts.tolist(), strict=True)))
    cells = np.flatnonzero(np.isin(types, _FACET_TYPES))
    corners = _corner_counts(types, counts, cells)
    starts = offsets_of(corners)
    # place: number of each corner within its cell
    place = np.arange(starts[-1]) - np.repeat(starts[:-1], corners)
    cell_of_corner = np.repeat(cells, corners)
    # VTK numbers the last two points of a pixel in the opposite order to a quad's.
    is_turned = (types[cell_of_corner] == VTK_PIXEL) & (place >= 2)
    place[is_turned] = 5 - place[is_turned]
    return indices[offsets_of(counts)[:-1][cell_of_corner] + place], starts, cells


def _corner_counts(
    types: NDArray[np.integer], counts: NDArray[np.intp], cells: NDArray[np.intp]
) -> NDArray[np.intp]:
    """Return the number of corners for each of these cells, which are all facets."""
    corners = counts[cells]
    for number in _FACET_TYPES:
        if count := CORNERS[VTK_NAMES[number]]:
            corners[types[cells] == number] = count
    short = np.flatnonzero(counts[cells] < corners)
    if len(short):
        cell = cells[short[0]]
        name, points = VTK_NAMES[int(types[cell])], counted(int(counts[cell]), "point")
        raise ValueError(f"cell {cell} is a {name}, but has {points}")
    return corners
