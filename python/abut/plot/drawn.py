"""The parts of a picture of meshes and contacts, before matplotlib or pyvista draws them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base import checks
from ..base.periods import shifts_of
from ..base.poses import rotated
from ..results.maps import REDUCTIONS, facets_of
from .cells import cell_lines, origin_around
from .colors import ColorScale
from .looks import TYPES, evenly

# Edges that are at most this part of the scene's diagonal are not drawn: they would hide colors.
FINE = 1 / 80


class Placed(NamedTuple):
    """The arrays of a mesh that are drawn, with the vertices moved by its pose."""

    vertices: np.ndarray
    indices: np.ndarray
    offsets: np.ndarray
    normals: np.ndarray
    areas: np.ndarray


class Copy(NamedTuple):
    """A mesh or an image of it: the mesh's number, the places, and which contacts lie there."""

    number: int
    mesh: Placed
    rows: np.ndarray


class Touched(NamedTuple):
    """The features that have contacts: facet numbers, ends of edges, points of vertices."""

    facets: np.ndarray
    edges: np.ndarray
    vertices: np.ndarray


class Painted(NamedTuple):
    """Facets that are colored by values; `values` has one array for each mesh.

    A facet with the value NaN has the plain `color` and the opacity `alpha`. All other facets have
    the color of their value and the opacity `opacity`.
    """

    values: list[np.ndarray]
    place: str
    scale: ColorScale
    color: Any
    alpha: float
    opacity: float


class Drawn(NamedTuple):
    """A picture of contacts, with either the touched features or facets colored by values."""

    meshes: list[Placed]
    touched: list[Touched] | None
    painted: Painted | None
    arrows: tuple[np.ndarray, np.ndarray] | None
    balls: tuple[np.ndarray, np.ndarray]
    counts: np.ndarray
    alpha: float
    cell: np.ndarray


def placed(mesh, pose):
    vertices, normals = mesh.vertices, mesh.normals
    if pose is not None:
        vertices = rotated(vertices, pose[:3, :3]) + pose[:3, 3]
        normals = rotated(normals, pose[:3, :3])
    return Placed(vertices, mesh.indices, mesh.offsets, normals, mesh.areas)


def meshes_of(contacts, mesh):
    meshes = contacts.meshes if mesh is None else mesh
    if meshes is None:
        raise ValueError("these contacts have no mesh: give it as mesh=")
    meshes = tuple(meshes) if isinstance(meshes, (list, tuple)) else (meshes,)
    poses = (None,) * len(meshes) if contacts.poses is None else contacts.poses
    if len(poses) != len(meshes):
        raise ValueError(f"the contacts are of {len(poses)} meshes, but {len(meshes)} are given")
    return [placed(one, pose) for one, pose in zip(meshes, poses, strict=True)]


def edge_part(mesh):
    """The median length of the edges, as a part of the diagonal of the box around the mesh."""
    corners = mesh.vertices[mesh.indices]
    if not len(corners):
        return 1.0
    after = np.arange(1, len(corners) + 1)
    after[mesh.offsets[1:] - 1] = mesh.offsets[:-1]
    diagonal = np.linalg.norm(np.ptp(corners, axis=0))
    lengths = np.linalg.norm(corners[after] - corners, axis=1)
    return float(np.median(lengths) / (diagonal or 1.0))


def cell_around(contacts, meshes, spheres):
    """The edges of the cell of contacts: around the spheres, or around the meshes."""
    corners = np.concatenate([mesh.vertices[mesh.indices] for mesh in meshes])
    centers, radii = (contacts.point[:0], np.empty(0)) if spheres is None else spheres
    origin = origin_around(contacts.period, centers if len(centers) else corners)
    return cell_lines(contacts.period, centers, radii, corners, origin)


def polygons(mesh, facets=slice(None)):
    """The corners of facets, as one array (k, 3) for each facet."""
    starts, ends = mesh.offsets[:-1][facets], mesh.offsets[1:][facets]
    spans = zip(starts, ends, strict=True)
    return [mesh.vertices[mesh.indices[start:end]] for start, end in spans]


def touched_of(contacts, number, mesh):
    """The features of a mesh that have contacts, without repetitions."""
    facets, edges, corners = (_of_type(contacts, number, kind) for kind in range(len(TYPES)))
    ends = np.column_stack([_vertex(mesh, *edges), _vertex(mesh, edges[0], edges[1] + 1)])
    return Touched(
        np.unique(facets[0]),
        mesh.vertices[np.unique(np.sort(ends, axis=1), axis=0)],
        mesh.vertices[np.unique(_vertex(mesh, *corners))],
    )


def _of_type(contacts, number, kind):
    """The columns `facet` and `feature` of the contacts of one type with one mesh."""
    rows = (contacts.mesh == number) & (contacts.type == kind)
    return contacts.facet[rows], contacts.feature[rows]


def _vertex(mesh, facets, corners):
    """The vertex at the given corner of each facet; the corner after the last one is the first."""
    first = mesh.offsets[facets]
    return mesh.indices[first + corners % (mesh.offsets[facets + 1] - first)]


def copies_of(contacts, meshes, images):
    """The meshes that are drawn, with their contacts; `images`: also images that have contacts."""
    copies = []
    for number, mesh in enumerate(meshes):
        is_own = contacts.mesh == number
        if not images or contacts.period is None:
            copies.append(Copy(number, mesh, is_own))
            continue
        others = contacts.image[is_own & (contacts.image != 0).any(axis=1)]
        for image in np.unique(np.concatenate([np.zeros((1, 3), others.dtype), others]), axis=0):
            way = shifts_of(image[None], contacts.period)
            rows = is_own & (contacts.image == image).all(axis=1)
            copies.append(Copy(number, mesh._replace(vertices=mesh.vertices + way), rows))
    return copies


def facet_values(contacts, meshes, values, how):
    """The contacts' values, reduced to one for each facet; NaN for facets without contacts."""
    reduce = checks.choice(how, "how", REDUCTIONS)
    found = []
    for number, mesh in enumerate(meshes):
        count = len(mesh.areas)
        facets, here = facets_of(contacts, number, count)
        is_touched = np.bincount(facets, minlength=count) > 0
        found.append(np.where(is_touched, reduce(count, facets, values[here]), np.nan))
    return found


def arrows_of(contacts, meshes, spheres, count):
    """Points and vectors of arrows for at most `count` contacts, evenly spread over the table."""
    rows = evenly(len(contacts), count)
    if spheres is not None:
        length = spheres[1][contacts.sphere[rows]][:, None]
    else:
        length = _arrow_length(contacts, meshes)
    return contacts.point[rows], contacts.normal[rows] * length


def _arrow_length(contacts, meshes):
    """The length of arrows: about the width of a touched facet, at most a fifth of the scene."""
    corners = np.concatenate([mesh.vertices[mesh.indices] for mesh in meshes])
    areas = [
        mesh.areas[np.unique(contacts.facet[contacts.mesh == k])] for k, mesh in enumerate(meshes)
    ]
    if len(contacts) == 0:
        return 0.0
    largest = np.linalg.norm(np.ptp(corners, axis=0)) / 5
    return min(np.sqrt(np.median(np.concatenate(areas))), largest)


def touching_of(contacts, spheres, count):
    """The centers and radii of spheres that have contacts, at most `count`."""
    if spheres is None:
        return np.empty((0, 3)), np.empty(0)
    centers, radii = spheres
    numbers = np.unique(contacts.sphere)
    numbers = numbers[evenly(len(numbers), count)]
    return centers[numbers], radii[numbers]
