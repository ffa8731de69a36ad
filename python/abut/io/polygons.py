"""Facets in VTK's XML files: the code that VTP and VTU share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..search.facets import Facets
from .facets import check_there_are_facets, joined_corners, offsets_of
from .vtk_xml import File

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from ..search.mesh import Mesh


class Piece(NamedTuple):
    """A piece of a file.

    Attributes
    ----------
    vertices : (v, 3) ndarray of float64
    indices : (k,) ndarray of intp
        The facets' corners, one facet after the other.
    offsets : (m + 1,) ndarray of intp
        Where the corners of each facet begin and end in `indices`.
    source : (m,) ndarray of intp
        The number of each facet among the cells of the piece.
    cell_count : int
        The number of cells of the piece.
    """

    vertices: NDArray[np.float64]
    indices: NDArray[np.intp]
    offsets: NDArray[np.intp]
    source: NDArray[np.intp]
    cell_count: int


def described(mesh: Mesh) -> dict[str, NDArray]:
    """Return the facets' columns that every file of a mesh has."""
    return {"normal": mesh.normals, "area": mesh.areas, "noise": mesh.noise, "source": mesh.source}


def columns_of_mesh(
    mesh: Mesh,
    cell_data: Mapping[str, ArrayLike] | None,
    point_data: Mapping[str, ArrayLike] | None,
) -> tuple[dict[str, NDArray], dict[str, NDArray]]:
    """Check and convert the columns that a caller gives for the facets and vertices of a mesh."""
    taken = described(mesh)
    of_facets = _columns(cell_data, "cell_data", len(mesh), "facet", "facets")
    for name in of_facets:
        if name in taken:
            raise ValueError(f"cell_data has {name!r}, but the mesh has its own {', '.join(taken)}")
    of_vertices = _columns(point_data, "point_data", len(mesh.vertices), "vertex", "vertices")
    return of_facets, of_vertices


def _columns(
    data: Mapping[str, ArrayLike] | None, argument: str, count: int, item: str, items: str
) -> dict[str, NDArray]:
    data = {} if data is None else data
    # pyvista's cell_data and a DataFrame have `items`, too, although they are not a Mapping.
    if not hasattr(data, "items"):
        raise TypeError(f'{argument} must be a dict of names and columns: {{"force": column}}')
    columns = dict(data.items())
    _check_names(columns, argument)
    return {
        name: _column(column, f"{argument}[{name!r}]", count, item, items)
        for name, column in columns.items()
    }


def _check_names(columns: Mapping[str, ArrayLike], what: str) -> None:
    for name in columns:
        if not isinstance(name, str):
            raise TypeError(f"{what} has the name {name!r}, but names must be str")
        # XML cannot hold control characters.
        if not name.isprintable() or not name:
            raise ValueError(f"{what} has the name {name!r}, but names must be printable")


def _column(value: ArrayLike, name: str, count: int, item: str, items: str) -> NDArray:
    """Convert a column to a type that VTK files can hold, and check that it has `count` entries."""
    array = checks.read(value, name, checks.REAL + "b", "real numbers")
    # VTK cannot read files that have a column with zero components.
    if array.shape[:1] != (count,) or array.ndim > 2 or array.shape[1:] == (0,):
        raise ValueError(
            f"{name} has shape {array.shape}, but must be ({count},) or ({count}, k):"
            f" {checks.there_are(count, item, items)}"
        )
    if array.dtype.kind == "b":
        return array.astype(np.uint8)
    if array.dtype.kind == "f" and array.dtype.itemsize not in (4, 8):
        return array.astype(np.float64)
    return array.astype(array.dtype.newbyteorder("="))


def read_polygons(path: Path, kind: str, read_piece: Callable[[File, Element], Piece]) -> Facets:
    """Read the facets of all pieces of a file, one piece after the other."""
    with File(path, kind) as file:
        facets = _joined([read_piece(file, piece) for piece in file.pieces])
    check_there_are_facets(facets, "it")
    return facets


def _joined(pieces: list[Piece]) -> Facets:
    cells = offsets_of(np.array([piece.cell_count for piece in pieces], np.intp))
    source = map(np.add, (piece.source for piece in pieces), cells)
    return Facets(
        np.concatenate([np.empty((0, 3)), *(piece.vertices for piece in pieces)]),
        *joined_corners(pieces),
        source=np.concatenate([np.empty(0, np.intp), *source]),
    )


def read_vertices(file: File, piece: Element) -> NDArray[np.float64]:
    """Read the points of a piece."""
    item = piece.find("Points/DataArray")
    vertices = np.empty((0, 3)) if item is None else file.read(item)
    if vertices.size == 0:
        return np.empty((0, 3))
    if vertices.ndim != 2 or vertices.shape[1] != 3:
        raise ValueError(f"its points have shape {vertices.shape}, but must be (n, 3)")
    finite = np.isfinite(vertices).all(axis=1)
    if not finite.all():
        raise ValueError(f"point {np.argmin(finite)} has a coordinate that is not finite")
    return vertices.astype(np.float64)


def read_cells(
    file: File, piece: Element, section: str, point_count: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Return the corners of all cells of a section, and the number of corners of each cell."""
    indices = read_wholes(file, piece, section, "connectivity")
    ends = read_wholes(file, piece, section, "offsets")
    counts = np.diff(ends, prepend=0)
    if (counts < 0).any():
        raise ValueError(f"{section}: offsets[{np.argmax(counts < 0)}] is less than the one before")
    if ends[-1:].sum() != len(indices):
        raise ValueError(f"{section}: offsets end at {ends[-1:].sum()} of {len(indices)} corners")
    outside = (indices < 0) | (indices >= point_count)
    if outside.any():
        first = np.argmax(outside)
        raise ValueError(
            f"{section}: connectivity[{first}] is point {indices[first]}, but there are"
            f" {point_count} points"
        )
    return indices, counts


def read_wholes(file: File, piece: Element, section: str, name: str) -> NDArray[np.intp]:
    """Read an array of whole numbers, which is empty if the file does not have it."""
    items = piece.findall(f"{section}/DataArray")
    item = next((item for item in items if item.get("Name") == name), None)
    if item is None:
        return np.empty(0, np.intp)
    numbers = file.read(item)
    if numbers.ndim != 1 or numbers.dtype.kind not in "iu":
        raise ValueError(f"{section}: {name} must be whole numbers with one component")
    return numbers.astype(np.intp)
