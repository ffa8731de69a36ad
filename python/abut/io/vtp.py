"""VTP files, the XML format of VTK and ParaView for points and polygons.

Points with a radius are read as spheres, polygons as a mesh.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from ..base.periods import Period
from ..search.facets import Facets
from . import vtk_xml
from .facets import offsets_of, triangles_of_strips
from .frame import Frame
from .npz import DEFORMATION, check_deformation, check_period, read_saved_period
from .polygons import Piece, described, read_cells, read_polygons, read_vertices, read_wholes
from .spheres import NOTHING, Given, Spheres, find_arrays, from_points
from .vtk_xml import ArraysByName, Section

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from ..results.table import Table
    from ..search.mesh import Mesh

_KIND = "PolyData"
_POINTS, _PERIOD = "Points", "period"


def save_table(table: Table, path: Path, extra: ArraysByName) -> None:
    """Write all columns except nodal weights: contacts as points, pairs of spheres as lines."""
    columns = table._in_space() | dict(extra)
    ends = table._ends()
    if ends is None:
        save_points(path, columns.pop("point"), columns)
    else:
        save_lines(path, ends, columns)


def save_points(
    path: Path, points: NDArray, columns: ArraysByName, fields: ArraysByName | None = None
) -> None:
    """Write points, one cell each, with columns as point data; `fields` are for the whole file."""
    places = np.arange(len(points))
    sections = [
        Section("Points", {"Points": points}),
        Section("Verts", {"connectivity": places, "offsets": places + 1}),
        Section("PointData", columns),
    ]
    vtk_xml.write(path, _KIND, _counts(points=len(points), verts=len(points)), sections, fields)


def save_lines(path: Path, ends: NDArray, columns: ArraysByName) -> None:
    """Write lines with the given ends (m, 2, 3), and columns as cell data."""
    places = np.arange(2 * len(ends))
    sections = [
        Section("Points", {"Points": ends.reshape(-1, 3)}),
        Section("Lines", {"connectivity": places, "offsets": places[1::2] + 1}),
        Section("CellData", columns),
    ]
    counts = _counts(points=len(places), lines=len(ends))
    vtk_xml.write(path, _KIND, counts, sections)


def save_mesh(mesh: Mesh, path: Path, of_facets: ArraysByName, of_vertices: ArraysByName) -> None:
    """Write a mesh with its normals, areas, noise and source, and further columns."""
    save_polygons(
        path,
        mesh.vertices,
        mesh.indices,
        mesh.offsets,
        of_vertices,
        {**described(mesh), **of_facets},
    )


def save_polygons(
    path: Path,
    vertices: NDArray,
    indices: NDArray,
    offsets: NDArray,
    of_vertices: ArraysByName,
    of_facets: ArraysByName,
) -> None:
    """Write polygons, with columns of vertices as point data and of facets as cell data."""
    sections = [
        Section("Points", {"Points": vertices}),
        Section("Polys", {"connectivity": indices, "offsets": offsets[1:]}),
        Section("PointData", of_vertices),
        Section("CellData", of_facets),
    ]
    counts = _counts(points=len(vertices), polys=len(offsets) - 1)
    vtk_xml.write(path, _KIND, counts, sections)


def _counts(points: int, verts: int = 0, polys: int = 0, lines: int = 0) -> dict[str, int]:
    counts = (points, verts, lines, 0, polys)
    names = ("Points", "Verts", "Lines", "Strips", "Polys")
    return {f"NumberOf{name}": count for name, count in zip(names, counts, strict=True)}


# ---- reading -------------------------------------------------------------------------------------


def read(path: Path) -> Facets:
    """Read the polygons and triangle strips of a file; points and lines are ignored."""
    return read_polygons(path, _KIND, _read_piece)


def _read_piece(file: vtk_xml.File, piece: Element) -> Piece:
    vertices = read_vertices(file, piece)
    indices, counts = read_cells(file, piece, "Polys", len(vertices))
    strips = read_cells(file, piece, "Strips", len(vertices))
    triangles, strip = triangles_of_strips(*strips)
    # VTK numbers the cells of a piece in this order: points, lines, polygons, strips.
    first = sum(len(read_wholes(file, piece, name, "offsets")) for name in ("Verts", "Lines"))
    last = first + len(counts)
    return Piece(
        vertices,
        np.concatenate([indices, triangles]),
        offsets_of(np.concatenate([counts, np.full(len(strip), 3, np.intp)])),
        np.concatenate([np.arange(first, last), last + strip]),
        last + len(strips[1]),
    )


def read_spheres(path: Path, given: Given = NOTHING) -> Spheres:
    """Read points with a radius or diameter, and perhaps an id."""
    return Spheres(*read_frame(path, (), given)[:3])


def read_frame(path: Path, names: Sequence[str], given: Given = NOTHING) -> Frame:
    """Read spheres, which are points with a radius, and the further columns `names`."""
    with vtk_xml.File(path, _KIND) as file:
        arrays = find_arrays([name for name in _point_data(file) if name], given)
        found = _read_columns(file, (arrays.size, arrays.ids, *names))
        period, deformation = _read_period(file), _read_field(file, DEFORMATION)
    if deformation is not None:
        check_deformation(deformation)
    spheres = from_points(found[_POINTS], found, arrays, given)
    columns = {name: found[name] for name in names}
    return Frame(*spheres[:3], period=period, columns=columns, deformation=deformation)


def read_column_names(path: Path) -> list[str]:
    """Read the names of the point data."""
    with vtk_xml.File(path, _KIND) as file:
        return [name for name in _point_data(file) if name]


def _point_data(file: vtk_xml.File) -> dict[str, Any]:
    """Return the elements of the point data by their names."""
    if len(file.pieces) != 1:
        raise ValueError(f"it has {len(file.pieces)} pieces, but spheres are read from one piece")
    return {item.get("Name", ""): item for item in file.pieces[0].findall("PointData/DataArray")}


def _read_period(file: vtk_xml.File) -> Period | None:
    saved = _read_field(file, _PERIOD)
    if saved is None:
        return None
    check_period(saved)
    return read_saved_period({_PERIOD: saved}, 3)


def _read_field(file: vtk_xml.File, name: str) -> NDArray | None:
    """Read an array that belongs to the whole file; None if there is none."""
    item = next((item for item in file.fields if item.get("Name") == name), None)
    return None if item is None else file.read(item)


def _read_columns(file: vtk_xml.File, names: Sequence[str | None]) -> dict[str, NDArray]:
    columns = _point_data(file)
    points = file.pieces[0].find("Points/DataArray")
    if points is None:
        raise ValueError("it has no points")
    wanted = dict.fromkeys(name for name in names if name is not None)
    for name in wanted:
        if name not in columns and name != _POINTS:
            raise ValueError(f"there is no column {name}; the columns are {', '.join(columns)}")
    found = {_POINTS: file.read(points)}
    found |= {name: file.read(columns[name]) for name in wanted if name != _POINTS}
    for name, array in found.items():
        if len(array) != len(found[_POINTS]):
            raise ValueError(
                f"{name} has {len(array)} entries, but there are {len(found[_POINTS])} points"
            )
    return found
