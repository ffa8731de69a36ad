"""Where nothing touches: whether spheres and meshes look as if they had different units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ..base.poses import Period, rotated
from ..base.warnings import warn
from ..results.contacts import Contacts
from .mesh import Mesh

# Wrong units are mostly a factor of 1000 off, as millimeters and meters are. Sizes in one unit may
# well differ by up to some hundreds, so a factor above a third of 1000 is suspect.
FACTOR = 300.0

REMEDY = (
    "are all lengths in one unit? read_mesh(..., scale=...), or --scale of the command, changes"
    " the mesh's"
)

_Box = NDArray[np.float64]  # (2, 3): the lowest and the highest coordinates


def warn_of_units(
    centers: NDArray[np.float64], radii: NDArray[np.float64], reach: float, none: Contacts
) -> None:
    """Give a warning where these spheres, which touch nothing up to `reach`, look out of place.

    To look at all of them takes as long as a search that finds nothing: who searches in every step
    of a simulation, where spheres may well be falling still, need not ask.
    """
    boxes = [_placed_box(mesh, none, k) for k, mesh in enumerate(none.meshes or ()) if len(mesh)]
    if not len(centers) or not boxes:
        return
    around = (radii + reach)[:, None]
    spheres = np.stack([(centers - around).min(axis=0), (centers + around).max(axis=0)])
    lowest, highest = np.swapaxes(boxes, 0, 1)
    meshes = np.stack([lowest.min(axis=0), highest.max(axis=0)])
    found = _sizes_apart(spheres, meshes, radii.max(), none.period)
    found = found or _places_apart(spheres, meshes, none.period)
    if found:
        warn(f"nothing touches: {found}; {REMEDY}")


def scales_apart(meshes: Sequence[Mesh], box: _Box, name: str) -> str:
    """What a warning says where all meshes together are of another size than a box of that name,
    in which the spheres are; or nothing."""
    boxes = np.array([mesh.bounds for mesh in meshes if len(mesh)])
    if not len(boxes):
        return ""
    size = _size(np.stack([boxes[:, 0].min(axis=0), boxes[:, 1].max(axis=0)]))
    if size >= FACTOR * _size(box):
        return f"the meshes' box is {_about(size / _size(box))} times as large as {name}; {REMEDY}"
    if _size(box) >= FACTOR * size:
        return f"{name} is {_about(_size(box) / size)} times as large as the meshes'; {REMEDY}"
    return ""


def _placed_box(mesh: Mesh, contacts: Contacts, number: int) -> _Box:
    """A box in the world that holds the mesh."""
    bounds = mesh.bounds
    if contacts.poses is None:
        return bounds
    pose = contacts.poses[number]
    picks = np.indices((2, 2, 2)).reshape(3, -1).T
    corners = rotated(bounds[picks, range(3)], pose[:3, :3]) + pose[:3, 3]
    return np.stack([corners.min(axis=0), corners.max(axis=0)])


def _sizes_apart(spheres: _Box, meshes: _Box, radius: float, period: Period | None) -> str:
    """How much larger one is than the other, in words, or nothing."""
    size, sphere_size = _size(meshes), _size(spheres)
    if size >= FACTOR * radius:
        return f"the mesh is {_about(size / radius)} times as large as the largest radius"
    if period is None and sphere_size >= FACTOR * size:
        return f"the spheres' box is {_about(sphere_size / size)} times as large as the mesh"
    return ""


def _size(box: _Box) -> float:
    """The length of the diagonal of a box."""
    return float(np.linalg.norm(box[1] - box[0]))


def _about(factor: float) -> str:
    """Two digits of it, as a person writes them: 1,500."""
    return f"{factor:.2g}" if factor >= 1e9 else f"{float(f'{factor:.2g}'):,.0f}"


def _places_apart(spheres: _Box, meshes: _Box, period: Period | None) -> str:
    """Along which axis the boxes do not meet, in words, or nothing."""
    for axis, name in enumerate("xyz"):
        (low, high), (mesh_low, mesh_high) = spheres[:, axis], meshes[:, axis]
        is_repeated = period is not None and period[axis] is not None
        if not is_repeated and (high < mesh_low or mesh_high < low):
            # The text has no numbers, since Python shows an equal text only once. With numbers, a
            # caller that moves spheres would be warned in every call.
            return f"along {name} the spheres' box does not meet the mesh's"
    return ""
