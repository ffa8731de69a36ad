"""Meshes of other packages, recognized by their attributes without importing these packages."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.extras import import_extra
from ..base.warnings import left_out_text, warn
from ..search.facets import Corners, Facets, read_facets, regular, vtk_cells
from ..search.mesh import Mesh
from .cells import CORNERS, warn_of_left_out
from .facets import (
    check_there_are_facets,
    joined_corners,
    offsets_of,
    triangles_of_strips,
)
from .polygons import columns_of_mesh, described
from .stl import fan_triangles
from .weld import FEW_CORNERS, weld

if TYPE_CHECKING:
    from ..options import Split


def build_foreign(
    obj: Any, distance: float | None, noise: ArrayLike | None, split: Split, on_degenerate: str
) -> Mesh:
    """Make a Mesh of another package's mesh, with the arguments of `Mesh.from_any`."""
    known: dict[str, NDArray[Any]] = {}
    if _is_list_of_meshes(obj):
        facets, known = _joined(obj)
    else:
        facets = read_surface(obj)
    if noise is not None:
        known = {"noise": checks.lengths(noise, "noise", len(facets.offsets) - 1, "facet")}
    if distance is not None:
        numbers = facets.source
        facets = _weld(facets, checks.distance(distance, "weld"), on_degenerate)
        known = {name: values[facets.source] for name, values in known.items()}
        if numbers is not None:
            facets = facets._replace(source=numbers[facets.source])
    return Mesh._build(facets, split=split, on_degenerate=on_degenerate, **known)


def _is_list_of_meshes(obj: Any) -> bool:
    """Return whether an object is a list of meshes to join, rather than corners of facets."""
    if not isinstance(obj, (list, tuple)):
        return False
    return any(
        isinstance(item, Mesh)
        or any(all(hasattr(item, name) for name in names) for names in READERS)
        for item in obj
    )


def _joined(parts: Sequence[Any]) -> tuple[Facets, dict[str, NDArray[Any]]]:
    """Return the facets of several meshes, one mesh after the other, and their noise.

    The noise of each mesh is measured before they are joined, as its own coordinates show it.
    """
    meshes: list[Mesh] = []
    for number, part in enumerate(parts):
        try:
            meshes.append(Mesh.from_any(part, weld=None))
        except (TypeError, ValueError) as error:
            raise type(error)(f"mesh[{number}]: {error}") from None
    vertices = np.concatenate([mesh.vertices for mesh in meshes])
    known = {
        "noise": np.concatenate([mesh.noise for mesh in meshes]),
        "normal_noise": np.concatenate([mesh._core.normal_noise for mesh in meshes]),
        "noise_origin": np.concatenate([mesh._noise_origin for mesh in meshes]),
    }
    return Facets(vertices, *joined_corners(meshes)), known


def read_surface(obj: Any) -> Facets:
    """Read facets as `read_foreign` does; raise if there are only points, as in a point cloud."""
    facets = read_foreign(obj)
    check_there_are_facets(facets, "the mesh")
    return facets


def read_foreign(obj: Any) -> Facets:
    """Read the facets from another package's mesh, or from an array of facet vertices."""
    if isinstance(obj, (str, os.PathLike)):
        raise TypeError(f"a path is not a mesh: use abut.read_mesh({os.fspath(obj)!r})")
    for names, read in READERS.items():
        if all(hasattr(obj, name) for name in names):
            return read(obj)
    if isinstance(obj, (list, tuple)):
        return _from_array(obj)
    if checks.is_array(obj):
        return _from_array(checks.as_array(obj, "mesh"))
    name = f"{type(obj).__module__}.{type(obj).__qualname__}".removeprefix("builtins.")
    raise TypeError(
        f"a mesh cannot be made of {name}: give an"
        " abut.Mesh, a trimesh, pyvista, meshio or numpy-stl mesh,"
        " or an (m, k, 3) array of facet vertices"
    )


def _from_trimesh(obj: Any) -> Facets:
    return Facets(checks.points(obj.vertices, "vertices"), *read_facets(obj.faces))


def _from_scene(obj: Any) -> Facets:
    merged = obj.to_mesh()
    if len(merged.faces) == 0:
        raise ValueError("the trimesh scene has no meshes")
    return _from_trimesh(merged)


def _from_numpy_stl(obj: Any) -> Facets:
    return _from_array(np.asarray(obj.vectors))


def _from_pyvista(obj: Any) -> Facets:
    indices, offsets = _from_vtk(obj.faces)
    # The cells of a PolyData are numbered in the order points, lines, facets, strips.
    first = getattr(obj, "n_verts", 0) + getattr(obj, "n_lines", 0)
    source = first + np.arange(len(offsets) - 1)
    points = checks.points(obj.points, "points")
    if getattr(obj, "n_strips", 0):
        corners, borders = _from_vtk(obj.strips)
        triangles, strip = triangles_of_strips(corners, np.diff(borders))
        indices = np.concatenate([indices, triangles])
        counts = np.concatenate([np.diff(offsets), np.full(len(strip), 3, np.intp)])
        source = np.concatenate([source, first + len(offsets) - 1 + strip])
        offsets = offsets_of(counts)
    return Facets(points, indices, offsets, source=source)


def _from_grid(obj: Any) -> Facets:
    """Return the surface of a pyvista grid with the grid's points; `source` has the cells."""
    if obj.n_cells == 0:
        return Facets(
            checks.points(obj.points, "points"), np.zeros(0, np.intp), np.zeros(1, np.intp)
        )
    surface = obj.extract_surface(
        pass_pointid=True, pass_cellid=True, nonlinear_subdivision=0, algorithm="dataset_surface"
    )
    indices, offsets = _from_vtk(surface.faces)
    points = surface.point_data["vtkOriginalPointIds"]
    cells = surface.cell_data["vtkOriginalCellIds"]
    return Facets(
        checks.points(obj.points, "points"),
        checks.indices(points[indices], "points"),
        offsets,
        # The numbers of points and lines come first, then the numbers of facets.
        source=checks.indices(cells[len(cells) - len(offsets) + 1 :], "cells"),
    )


def _from_blocks(obj: Any) -> Facets:
    """Return the facets of all blocks of a pyvista MultiBlock, one block after the other."""
    parts = [read_foreign(block) for block in obj if block is not None]
    vertices = np.concatenate([np.empty((0, 3)), *(part.vertices for part in parts)])
    return Facets(vertices, *joined_corners(parts))


def _from_vtk(faces: Any) -> Corners:
    """Return the facets of VTK's flat list [3, a, b, c, 4, d, ...]."""
    flat = checks.indices(faces, "faces").ravel()
    counts, starts, at = flat.tolist(), [], 0
    while at < len(counts):
        starts.append(at)
        if counts[at] < 0:
            raise ValueError(f"faces[{at}] is {counts[at]}, but must be a number of corners")
        at += counts[at] + 1
    if at != len(counts):
        raise ValueError("faces ends within a facet")
    is_corner = np.ones(len(flat), bool)
    is_corner[starts] = False
    return flat[is_corner], offsets_of(flat[starts])


def _from_meshio(obj: Any) -> Facets:
    counts: Counter[str] = Counter()
    none = np.zeros(0, np.intp)
    indices, sides, source = [none], [none], [none]
    for block in obj.cells:
        if block.type in CORNERS:
            corners, offsets = read_facets(_corners(block.data, CORNERS[block.type]))
            indices.append(corners)
            sides.append(np.diff(offsets))
            source.append(counts.total() + np.arange(len(block.data)))
        counts[block.type] += len(block.data)
    warn_of_left_out(counts)
    return Facets(
        checks.points(obj.points, "points"),
        np.concatenate(indices),
        offsets_of(np.concatenate(sides)),
        source=np.concatenate(source),
    )


def _corners(cells: Any, count: int | None) -> Any:
    """Return the corners of cells, without the points on the edges of curved cells."""
    return cells if count is None else np.asarray(cells)[:, :count]


def _from_array(obj: Any) -> Facets:
    if _is_vertices_and_facets(obj):
        raise TypeError("vertices and facets are not a mesh yet: use abut.Mesh(vertices, facets)")
    corners = checks.doubles(obj, "mesh")
    if corners.ndim != 3 or corners.shape[2] != 3:
        raise ValueError(
            f"mesh has shape {corners.shape}, but an array of facet vertices is (m, k, 3):"
            " for vertices and facets use abut.Mesh(vertices, facets)"
        )
    checks.all_finite(corners, "mesh")
    facet_count, corner_count, _ = corners.shape
    numbers = np.arange(facet_count * corner_count)
    return Facets(corners.reshape(-1, 3), numbers, regular(facet_count, corner_count))


# The attributes of each kind of mesh, and the function that reads it. The first entry that matches
# is used. PolyData comes before grids, since it also has `extract_surface`.
READERS: dict[tuple[str, ...], Callable[[Any], Facets]] = {
    ("vertices", "faces"): _from_trimesh,
    ("vectors", "v0"): _from_numpy_stl,
    ("points", "faces"): _from_pyvista,
    ("points", "extract_surface"): _from_grid,
    ("points", "cells"): _from_meshio,
    ("n_blocks", "combine"): _from_blocks,
    ("geometry", "to_mesh"): _from_scene,
}


def _is_vertices_and_facets(obj: Any) -> bool:
    """Return whether `obj` is (vertices, facets), the arguments of `Mesh`, and not two facets."""
    if isinstance(obj, np.ndarray) or len(obj) != 2:
        return False
    try:
        vertices, facets = map(np.asarray, obj)
    except ValueError:  # the facets have different numbers of corners
        return np.ndim(obj[0]) == 2
    if vertices.ndim != 2 or facets.ndim != 2:
        return False
    if vertices.shape != facets.shape:
        return True
    return isinstance(obj, tuple) and (vertices.dtype.kind, facets.dtype.kind) == ("f", "i")


def _weld(facets: Facets, distance: float, on_degenerate: str) -> Facets:
    """Weld vertices; drop facets that then have fewer than three corners, or raise."""
    welded, dropped = weld(facets, distance)
    if len(dropped):
        if on_degenerate != "drop":
            raise ValueError(
                f'facet {dropped[0]} has {FEW_CORNERS}; on_degenerate="drop" leaves it out'
            )
        warn(left_out_text(dropped, len(facets.offsets) - 1, FEW_CORNERS))
    return welded


# ---- meshes for other packages -------------------------------------------------------------------


def to_pyvista(
    mesh: Mesh,
    cell_data: Mapping[str, ArrayLike] | None,
    point_data: Mapping[str, ArrayLike] | None,
) -> Any:
    """Make a pyvista mesh; the arguments are those of `Mesh.to_pyvista`."""
    of_facets, of_vertices = columns_of_mesh(mesh, cell_data, point_data)
    cells = vtk_cells(mesh.indices, mesh.offsets)
    found = import_extra("pyvista", "view").PolyData(mesh.vertices.copy(), cells)
    columns = [(found.cell_data, {**described(mesh), **of_facets}), (found.point_data, of_vertices)]
    for data, arrays in columns:
        for name, column in arrays.items():
            if len(column):  # pyvista refuses empty arrays
                data[name] = column.copy()
    return found


def to_trimesh(mesh: Mesh) -> Any:
    """Make a trimesh mesh, as described at `Mesh.to_trimesh`."""
    facets = np.repeat(np.arange(len(mesh)), np.diff(mesh.offsets) - 2)
    return import_extra("trimesh", "io").Trimesh(
        mesh.vertices.copy(),
        fan_triangles(mesh.vertices, mesh.indices, mesh.offsets),
        face_attributes={"facet": facets},
        process=False,
    )
