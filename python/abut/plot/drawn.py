"""The parts of a picture of meshes and their contacts, for each library that draws."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base import checks
from ..base.poses import rotated
from ..results.maps import REDUCTIONS, facets_of
from .colors import ColorScale
from .looks import TYPES, evenly


class Placed(NamedTuple):
    """A mesh in its pose, with the arrays that are drawn."""

    vertices: np.ndarray
    indices: np.ndarray
    offsets: np.ndarray
    normals: np.ndarray
    areas: np.ndarray


class Touched(NamedTuple):
    """The features with contacts: numbers of facets, ends of edges, coordinates of vertices."""

    facets: np.ndarray
    edges: np.ndarray
    vertices: np.ndarray


class Painted(NamedTuple):
    """Facets in the colors of their values, with one array for each mesh.

    A facet with the value NaN is plain: it has `color` and `alpha`. Others have `opacity`.
    """

    values: list[np.ndarray]
    place: str
    scale: ColorScale
    color: Any
    alpha: float
    opacity: float


class Drawn(NamedTuple):
    """A picture of contacts: with the touched features, or with facets in colors of values."""

    meshes: list[Placed]
    touched: list[Touched] | None
    painted: Painted | None
    arrows: tuple[np.ndarray, np.ndarray] | None
    balls: tuple[np.ndarray, np.ndarray]
    counts: np.ndarray
    alpha: float


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


def polygons(mesh, facets=slice(None)):
    """The corners of facets, one array (k, 3) each."""
    starts, ends = mesh.offsets[:-1][facets], mesh.offsets[1:][facets]
    spans = zip(starts, ends, strict=True)
    return [mesh.vertices[mesh.indices[start:end]] for start, end in spans]


def touched_of(contacts, number, mesh):
    """The features of one mesh that have contacts, each once."""
    facets, edges, corners = (_of_type(contacts, number, kind) for kind in range(len(TYPES)))
    ends = np.column_stack([_vertex(mesh, *edges), _vertex(mesh, edges[0], edges[1] + 1)])
    return Touched(
        np.unique(facets[0]),
        mesh.vertices[np.unique(np.sort(ends, axis=1), axis=0)],
        mesh.vertices[np.unique(_vertex(mesh, *corners))],
    )


def _of_type(contacts, number, kind):
    """The facet and feature columns of one mesh's contacts of one type."""
    rows = (contacts.mesh == number) & (contacts.type == kind)
    return contacts.facet[rows], contacts.feature[rows]


def _vertex(mesh, facets, corners):
    """The vertex number of a corner of each facet. After the last corner comes the first."""
    first = mesh.offsets[facets]
    return mesh.indices[first + corners % (mesh.offsets[facets + 1] - first)]


def facet_values(contacts, meshes, values, how):
    """The contacts' values, reduced to one for each facet of each mesh; NaN without contacts."""
    reduce = checks.choice(how, "how", REDUCTIONS)
    found = []
    for number, mesh in enumerate(meshes):
        count = len(mesh.areas)
        facets, here = facets_of(contacts, number, count)
        is_touched = np.bincount(facets, minlength=count) > 0
        found.append(np.where(is_touched, reduce(count, facets, values[here]), np.nan))
    return found


def arrows_of(contacts, meshes, spheres, count):
    """Start points and vectors of at most `count` normals, evenly spread over the table."""
    rows = evenly(len(contacts), count)
    if spheres is not None:
        length = spheres[1][contacts.sphere[rows]][:, None]
    else:
        length = _arrow_length(contacts, meshes)
    return contacts.point[rows], contacts.normal[rows] * length


def _arrow_length(contacts, meshes):
    """About the width of a touched facet, at most a fifth of the picture."""
    corners = np.concatenate([mesh.vertices[mesh.indices] for mesh in meshes])
    areas = [
        mesh.areas[np.unique(contacts.facet[contacts.mesh == k])] for k, mesh in enumerate(meshes)
    ]
    if len(contacts) == 0:
        return 0.0
    largest = np.linalg.norm(np.ptp(corners, axis=0)) / 5
    return min(np.sqrt(np.median(np.concatenate(areas))), largest)


def touching_of(contacts, spheres, count):
    """Centers and radii of the spheres that touch, at most `count`."""
    if spheres is None:
        return np.empty((0, 3)), np.empty(0)
    centers, radii = spheres
    numbers = np.unique(contacts.sphere)
    numbers = numbers[evenly(len(numbers), count)]
    return centers[numbers], radii[numbers]
