"""Which cells of other packages' meshes are facets, by meshio's names and VTK's numbers of them."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from ..checks import counted
from ..mesh import warn
from .facets import offsets_of

# how many corners those have that are facets; a polygon has as many as it has points
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
_TOUCHED_BY_NONE = {"vertex", "poly_vertex", "line", "poly_line", "line3"}

VTK_NAMES = {
    1: "vertex",
    2: "poly_vertex",
    3: "line",
    4: "poly_line",
    5: "triangle",
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
VTK_TRIANGLE, VTK_POLYGON, VTK_PIXEL, VTK_QUAD = 5, 7, 8, 9


def tell_left_out(counts: Mapping[str, int]) -> None:
    """Warn of what does not become a facet as it is; complain where there is no facet, but solids.

    Parameters
    ----------
    counts : dict
        How many cells there are of each name.

    Raises
    ------
    ValueError
        If there are cells with an inside, and no facets.
    """
    solid = {
        name: count
        for name, count in counts.items()
        if count and name not in CORNERS and name not in _TOUCHED_BY_NONE
    }
    facet_count = sum(count for name, count in counts.items() if name in CORNERS)
    if solid and not facet_count:
        raise ValueError(
            f"there are no facets, but {_listed(solid)}: give the surface of these cells,"
            " as pyvista's extract_surface() finds it"
        )
    if solid:
        warn(f"cells that are no facets are left out: {_listed(solid)}")
    curved = {name: count for name, count in counts.items() if count and name in _CURVED}
    if curved:
        warn(f"curved cells become flat facets between their corners: {_listed(curved)}")


def _listed(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def facets_of_cells(
    types: NDArray[np.integer], indices: NDArray[np.intp], counts: NDArray[np.intp]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The facets among cells, in their order: their corners, and how many each has.

    Parameters
    ----------
    types : (n,) ndarray
        VTK's numbers of what the cells are.
    indices : (k,) ndarray of intp
        The points of all cells.
    counts : (n,) ndarray of intp
        How many each cell has.
    """
    numbers, first, amounts = np.unique(types, return_index=True, return_counts=True)
    names = [VTK_NAMES.get(number, f"cells of type {number}") for number in numbers.tolist()]
    tell_left_out(dict(zip(names, amounts.tolist(), strict=True)))
    corners = np.zeros(len(types), np.intp)
    for number, name, cell in zip(numbers, names, first, strict=True):
        if name in CORNERS:
            chosen = types == number
            corners[chosen] = CORNERS[name] or counts[chosen]
            if (counts[chosen] < corners[chosen]).any():
                raise ValueError(
                    f"cell {cell} or one after it is a {name},"
                    f" but has fewer than {counted(int(CORNERS[name] or 0), 'point')}"
                )
    kept = np.flatnonzero(corners)
    ends = np.cumsum(corners[kept])
    # the place of each corner in its cell
    place = np.arange(ends[-1] if len(ends) else 0) - np.repeat(ends - corners[kept], corners[kept])
    cell_of_corner = np.repeat(kept, corners[kept])
    # a pixel's last two points stand the other way round
    is_turned = (types[cell_of_corner] == VTK_PIXEL) & (place >= 2)
    place[is_turned] = 5 - place[is_turned]
    return indices[offsets_of(counts)[:-1][cell_of_corner] + place], corners[kept]
