"""Warnings for spheres and meshes that seem to have different units of length."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..base.periods import Period, spans
from ..base.poses import rotated
from ..base.warnings import warn
from ..results.contacts import Contacts
from .mesh import Mesh

# Sizes that differ by this factor or more are suspicious. Units usually differ by a factor of 1000,
# as millimeters and meters, but sizes in the same unit may also differ by a factor above 100.
FACTOR = 300.0

REMEDY = (
    "are all lengths in one unit? If not, use read_mesh(..., scale=1e-3), or --scale 1e-3 of the"
    " command, for a mesh in millimeters"
)

_Box = NDArray[np.float64]  # (2, 3): the lowest and the highest coordinates


def warn_of_enclosed(
    centers: NDArray[np.float64],
    radii: NDArray[np.float64],
    surfaces: Sequence[object],
    poses: NDArray[np.float64] | None,
) -> None:
    """Warn if a whole mesh lies deep inside a sphere.

    It must be called before the search, in which this sphere would touch every facet.
    """
    for number, mesh in enumerate(surfaces):
        if isinstance(mesh, Mesh) and len(mesh) and len(radii):
            box = _placed_box(mesh, None if poses is None else poses[number])
            deep = _holding(centers, radii, box)
            if len(deep):
                warn(f"sphere {deep[0]} contains all of mesh {number}: {REMEDY}")
                return


@np.errstate(invalid="ignore", over="ignore")
def _holding(
    centers: NDArray[np.float64], radii: NDArray[np.float64], box: _Box
) -> NDArray[np.intp]:
    """Return the spheres that contain the box and have their centers within half a radius of it."""
    # Many spheres are too small to contain the box, which needs no computation with centers.
    large = np.flatnonzero(radii >= _size(box) / 2)
    below, above = box[0] - centers[large], centers[large] - box[1]
    farthest = np.linalg.norm(np.maximum(-below, -above), axis=1)
    nearest = np.linalg.norm(np.maximum(0, np.maximum(below, above)), axis=1)
    return large[(farthest <= radii[large]) & (nearest <= radii[large] / 2)]


def warn_of_units(
    centers: NDArray[np.float64], radii: NDArray[np.float64], reach: float, empty: Contacts
) -> None:
    """Warn if the spheres and the meshes differ much in size, or are in different places.

    empty: the result, without contacts, of a search with the gap `reach`. This check takes as
    long as such a search. Simulations do not call it, since their spheres may be falling.
    """
    poses = empty.poses
    boxes = [
        _placed_box(mesh, None if poses is None else poses[k])
        for k, mesh in enumerate(empty.meshes or ())
        if len(mesh)
    ]
    if not len(centers) or not boxes:
        return
    around = (radii + reach)[:, None]
    spheres = np.stack([(centers - around).min(axis=0), (centers + around).max(axis=0)])
    lowest, highest = np.swapaxes(boxes, 0, 1)
    meshes = np.stack([lowest.min(axis=0), highest.max(axis=0)])
    found = _sizes_apart(spheres, meshes, radii.max(), empty.period)
    found = found or _places_apart(spheres, meshes, empty.period)
    if found:
        warn(f"nothing touches: {found}; {REMEDY}")


def scales_apart(meshes: Sequence[Mesh], box: _Box, name: str) -> str:
    """Return a text if the meshes and a box differ in size by FACTOR or more; otherwise "".

    name: the name of the box in the text.
    """
    boxes = np.array([mesh.bounds for mesh in meshes if len(mesh)])
    if not len(boxes):
        return ""
    size = _size(np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)]))
    if size >= FACTOR * _size(box):
        return f"the meshes' box is {_about(size / _size(box))} times as large as {name}; {REMEDY}"
    if _size(box) >= FACTOR * size:
        return f"{name} is {_about(_size(box) / size)} times as large as the meshes'; {REMEDY}"
    return ""


def _placed_box(mesh: Mesh, pose: NDArray[np.float64] | None) -> _Box:
    """Return a box in the world that contains the mesh."""
    bounds = mesh.bounds
    if pose is None:
        return bounds
    picks = np.indices((2, 2, 2)).reshape(3, -1).T
    corners = rotated(bounds[picks, range(3)], pose[:3, :3]) + pose[:3, 3]
    return np.stack([corners.min(axis=0), corners.max(axis=0)])


def _sizes_apart(spheres: _Box, meshes: _Box, radius: float, period: Period | None) -> str:
    """Return a text if the meshes and the spheres differ in size by FACTOR or more; else ""."""
    size, sphere_size = _size(meshes), _size(spheres)
    if size >= FACTOR * radius:
        return f"the mesh is {_about(size / radius)} times as large as the largest radius"
    if period is None and sphere_size >= FACTOR * size:
        return f"the spheres' box is {_about(sphere_size / size)} times as large as the mesh"
    return ""


def _size(box: _Box) -> float:
    """Return the length of a box's diagonal."""
    return float(np.linalg.norm(box[1] - box[0]))


def _about(factor: float) -> str:
    """Return a factor with two digits, in plain form: 1,500."""
    return f"{factor:.2g}" if factor >= 1e9 else f"{float(f'{factor:.2g}'):,.0f}"


def _places_apart(spheres: _Box, meshes: _Box, period: Period | None) -> str:
    """Return a text if the boxes do not meet along an axis without a period; otherwise ""."""
    for axis, name in enumerate("xyz"):
        (low, high), (mesh_low, mesh_high) = spheres[:, axis], meshes[:, axis]
        if not spans(period, axis) and (high < mesh_low or mesh_high < low):
            # The text has no numbers, since Python shows equal warnings only once: with numbers,
            # each call with moved spheres would show a new warning.
            return f"along {name} the spheres' box does not meet the mesh's"
    return ""
