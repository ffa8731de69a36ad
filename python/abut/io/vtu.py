"""VTU files, the XML format of VTK and ParaView for any cells; only facets are used."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from ..search.facets import Facets
from . import vtk_xml
from .cells import VTK_POLYGON, VTK_QUAD, VTK_TRIANGLE, facets_of_cells
from .polygons import Piece, described, read_cells, read_polygons, read_vertices, read_wholes
from .vtk_xml import ArraysByName, Section

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

    from ..search.mesh import Mesh

_KIND = "UnstructuredGrid"


def save_mesh(mesh: Mesh, path: Path, of_facets: ArraysByName, of_vertices: ArraysByName) -> None:
    """Write a mesh with its normals, areas, noise and source, and further columns."""
    counts = np.diff(mesh.offsets)
    types = np.full(len(mesh), VTK_POLYGON, np.uint8)
    types[counts == 3], types[counts == 4] = VTK_TRIANGLE, VTK_QUAD
    cells: ArraysByName = {
        "connectivity": mesh.indices,
        "offsets": mesh.offsets[1:],
        "types": types,
    }
    sections = [
        Section("Points", {"Points": mesh.vertices}),
        Section("Cells", cells),
        Section("PointData", of_vertices),
        Section("CellData", {**described(mesh), **of_facets}),
    ]
    numbers = {"NumberOfPoints": len(mesh.vertices), "NumberOfCells": len(mesh)}
    vtk_xml.write(path, _KIND, numbers, sections)


def read(path: Path) -> Facets:
    """Read the facets among the cells of a file."""
    return read_polygons(path, _KIND, _read_piece)


def _read_piece(file: vtk_xml.File, piece: Element) -> Piece:
    vertices = read_vertices(file, piece)
    indices, counts = read_cells(file, piece, "Cells", len(vertices))
    types = read_wholes(file, piece, "Cells", "types")
    if len(types) != len(counts):
        raise ValueError(f"it has {len(types)} types, but {len(counts)} cells")
    return Piece(vertices, *facets_of_cells(types, indices, counts), len(types))
