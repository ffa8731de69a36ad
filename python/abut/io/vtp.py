"""VTP, the XML format of VTK and ParaView for points and polygons, with appended raw data."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from ..mesh import Mesh
    from ..table import Table

_Arrays = Mapping[str, NDArray]

_KINDS = {"f": "Float", "i": "Int", "u": "UInt"}

# the number before each array that says how many bytes it has
_LENGTH = np.dtype(np.uint64)


def save_table(table: Table, path: Path, extra: _Arrays) -> None:
    """Write contact points, a cell each, with all columns but the nodal weights as point data."""
    columns = table._in_space() | dict(extra)
    save_points(path, columns.pop("point"), columns)


def save_points(path: Path, points: NDArray, columns: _Arrays) -> None:
    """Write points, a cell each, with these columns as point data."""
    places = np.arange(len(points))
    _write(
        path,
        [
            ("Points", {"Points": points}),
            ("Verts", {"connectivity": places, "offsets": places + 1}),
            ("PointData", columns),
        ],
    )


def save_mesh(mesh: Mesh, path: Path) -> None:
    """Write a mesh's polygons, with each facet's normal, area, noise and source as cell data."""
    data = {"normal": mesh.normals, "area": mesh.areas, "noise": mesh.noise, "source": mesh.source}
    save_polygons(path, mesh.vertices, mesh.indices, mesh.offsets, {}, data)


def save_polygons(
    path: Path,
    vertices: NDArray,
    indices: NDArray,
    offsets: NDArray,
    of_vertices: _Arrays,
    of_facets: _Arrays,
) -> None:
    """Write polygons with these columns as point data and as cell data."""
    _write(
        path,
        [
            ("Points", {"Points": vertices}),
            ("Polys", {"connectivity": indices, "offsets": offsets[1:]}),
            ("PointData", of_vertices),
            ("CellData", of_facets),
        ],
    )


def _write(path: Path, sections: list[tuple[str, _Arrays]]) -> None:
    arrays = [array for _, named in sections for array in named.values()]
    with open(path, "wb") as file:
        file.write(_head(sections).encode())
        for array in arrays:
            file.write(_LENGTH.type(array.nbytes).tobytes())
            np.ascontiguousarray(array).tofile(file)
        file.write(b"\n</AppendedData>\n</VTKFile>\n")


def _head(sections: list[tuple[str, _Arrays]]) -> str:
    """The XML before the data, which says where each array begins."""
    counts = {"Points": 0, "Verts": 0, "Polys": 0}
    body, at = [], 0
    for section, arrays in sections:
        counts[section] = len(arrays.get("offsets", arrays.get("Points", ())))
        body.append(f"<{section}>")
        for name, array in arrays.items():
            body.append(_described(name, array, at))
            at += _LENGTH.itemsize + array.nbytes
        body.append(f"</{section}>")
    order = "LittleEndian" if sys.byteorder == "little" else "BigEndian"
    return (
        '<?xml version="1.0"?>\n'
        f'<VTKFile type="PolyData" version="1.0" byte_order="{order}" header_type="UInt64">\n'
        f'<PolyData>\n<Piece NumberOfPoints="{counts["Points"]}" NumberOfVerts="{counts["Verts"]}"'
        f' NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="{counts["Polys"]}">\n'
        + "\n".join(body)
        + '\n</Piece>\n</PolyData>\n<AppendedData encoding="raw">\n_'
    )


def _described(name: str, array: NDArray, offset: int) -> str:
    components = array.shape[1] if array.ndim == 2 else 1
    return (
        f'<DataArray type="{_KINDS[array.dtype.kind]}{8 * array.dtype.itemsize}"'
        f' Name={quoteattr(name)} NumberOfComponents="{components}" format="appended"'
        f' offset="{offset}"/>'
    )
