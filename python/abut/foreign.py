"""Meshes of other packages, told by what they look like, so that none of these has to be there."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import checks
from .facets import Corners, read_facets, regular
from .io.facets import Facets, offsets_of
from .io.weld import FEW_CORNERS, weld
from .mesh import Mesh, left_out_text, warn

# meshio's names of cells that are facets, and of those that no sphere touches
MESHIO_FACETS = {"triangle", "quad", "polygon"}
MESHIO_LINES = {"vertex", "line", "line3"}


def build_foreign(
    obj: Any, distance: float | None, noise: ArrayLike | None, split: bool, on_degenerate: str
) -> Mesh:
    """What `Mesh.from_any` returns for what is no Mesh."""
    facets = _read_foreign(obj)
    if noise is not None:
        noise = checks.lengths(noise, "noise", len(facets.offsets) - 1, "facet")
    if distance is not None:
        facets = _weld(facets, checks.distance(distance, "weld"), on_degenerate)
        noise = noise if noise is None else noise[facets.source]
    return Mesh._build(
        facets.vertices,
        facets.indices,
        facets.offsets,
        noise=noise,
        split=split,
        on_degenerate=on_degenerate,
        source=facets.source,
        vertex_source=facets.vertex_source,
    )


def _read_foreign(obj: Any) -> Facets:
    if isinstance(obj, (str, os.PathLike)):
        raise TypeError(f"a path is no mesh: abut.read_mesh({os.fspath(obj)!r}) reads one")
    if hasattr(obj, "vertices") and hasattr(obj, "faces"):
        return _from_trimesh(obj)
    if hasattr(obj, "points") and hasattr(obj, "cells"):
        return _from_meshio(obj)
    if hasattr(obj, "points") and hasattr(obj, "faces"):
        return _from_pyvista(obj)
    if hasattr(obj, "geometry") and hasattr(obj, "to_mesh"):
        raise TypeError("a trimesh scene is no mesh: scene.to_mesh() makes one")
    if isinstance(obj, (list, tuple)):
        return _from_array(obj)
    if checks.is_array(obj):
        return _from_array(checks.as_array(obj, "mesh"))
    name = f"{type(obj).__module__}.{type(obj).__qualname__}".removeprefix("builtins.")
    raise TypeError(
        f"no mesh can be made of {name}: give an"
        " abut.Mesh, a trimesh, pyvista or meshio mesh, or an (m, k, 3) array of facet vertices"
    )


def _from_trimesh(obj: Any) -> Facets:
    return Facets(checks.points(obj.vertices, "vertices"), *read_facets(obj.faces))


def _from_pyvista(obj: Any) -> Facets:
    if getattr(obj, "n_strips", 0):
        raise ValueError("the pyvista mesh has triangle strips: give polydata.triangulate()")
    return Facets(checks.points(obj.points, "points"), *_from_vtk(obj.faces))


def _from_vtk(faces: Any) -> Corners:
    """The facets of [3, a, b, c, 4, d, ...]."""
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
    if not isinstance(obj.cells, list):
        raise TypeError("a pyvista grid is no surface: give grid.extract_surface()")
    facets = [read_facets(block.data) for block in obj.cells if block.type in MESHIO_FACETS]
    left_out = [
        f"{len(block.data)} {block.type}"
        for block in obj.cells
        if block.type not in MESHIO_FACETS | MESHIO_LINES
    ]
    if left_out:
        warn(f"cells that are no facets are left out: {', '.join(left_out)}")
    indices = [np.zeros(0, np.intp), *(corners for corners, _ in facets)]
    counts = [np.zeros(0, np.intp), *(np.diff(offsets) for _, offsets in facets)]
    offsets = offsets_of(np.concatenate(counts))
    return Facets(checks.points(obj.points, "points"), np.concatenate(indices), offsets)


def _from_array(obj: Any) -> Facets:
    if not isinstance(obj, np.ndarray) and any(isinstance(item, Mesh) for item in obj):
        raise TypeError("a sequence of meshes is no mesh: ContactFinder(meshes) takes them all")
    if _is_vertices_and_facets(obj):
        raise TypeError("vertices and facets are no mesh yet: abut.Mesh(vertices, facets) is one")
    corners = checks.doubles(obj, "mesh")
    if corners.ndim != 3 or corners.shape[2] != 3:
        raise ValueError(
            f"mesh has shape {corners.shape}, but an array of facet vertices is (m, k, 3):"
            " abut.Mesh(vertices, facets) takes vertices and their numbers"
        )
    outside = np.argwhere(~np.isfinite(corners))
    if len(outside):
        where = tuple(outside[0].tolist())
        raise ValueError(f"mesh{list(where)} is {corners[where]}")
    facet_count, corner_count, _ = corners.shape
    numbers = np.arange(facet_count * corner_count)
    return Facets(corners.reshape(-1, 3), numbers, regular(facet_count, corner_count))


def _is_vertices_and_facets(obj: Any) -> bool:
    """Whether these are the two arguments of `Mesh`, and not the corners of two facets."""
    if isinstance(obj, np.ndarray) or len(obj) != 2:
        return False
    try:
        vertices, facets = map(np.asarray, obj)
    except ValueError:  # facets of different numbers of corners
        return np.ndim(obj[0]) == 2
    if vertices.ndim != 2 or facets.ndim != 2:
        return False
    if vertices.shape != facets.shape:
        return True
    return isinstance(obj, tuple) and (vertices.dtype.kind, facets.dtype.kind) == ("f", "i")


def _weld(facets: Facets, distance: float, on_degenerate: str) -> Facets:
    """Give facets that meet common vertices; those that have fewer than three then have no area."""
    welded, dropped = weld(facets, distance)
    if len(dropped):
        if on_degenerate != "drop":
            raise ValueError(
                f'facet {dropped[0]} has {FEW_CORNERS}; on_degenerate="drop" leaves such facets out'
            )
        warn(left_out_text(dropped, len(facets.offsets) - 1, FEW_CORNERS))
    return welded
