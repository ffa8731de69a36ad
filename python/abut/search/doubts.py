"""Warnings for a new mesh about coordinate noise and dropped facets."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.warnings import left_out_text, warn

if TYPE_CHECKING:
    from .mesh import Mesh

# A warning is given if noise cannot be distinguished from shape at more than 30 edges and at more
# than a tenth of all edges between two facets, or at more than half of them.
DOUBTFUL_COUNT, DOUBTFUL_PART = 30, 0.1

NOISE_GIVEN = 4  # ABUT_NOISE_GIVEN of abut.h

# A warning is given if noise exceeds this part of a facet's size: it then hides angles of up to
# about 4 degrees between walls. CAD meshes in float32 or in six digits have less noise.
LARGE_NOISE_PART = 1e-3


def warn_of_noise(mesh: Mesh) -> None:
    """Warn if noise cannot be distinguished from shape, or is large; not if the caller gave it."""
    if (mesh._core.noise_origin != NOISE_GIVEN).any():
        _warn_of_doubt(mesh)
        _warn_of_large_noise(mesh)


def _warn_of_doubt(mesh: Mesh) -> None:
    neighbors, doubtful, facet, noise = mesh._core.doubt
    if doubtful <= max(DOUBTFUL_COUNT, DOUBTFUL_PART * neighbors) and not (
        doubtful > 1 and 2 * doubtful > neighbors
    ):
        return
    unit = 10.0 ** math.floor(math.log10(noise))
    warn(
        f"{doubtful} of {neighbors} neighbors are almost coplanar, but off one plane by more than"
        f" the digits of their coordinates explain; the first is facet {mesh.source[facet]}. This"
        f" is taken for shape. If it is noise, give"
        f" noise={unit * math.ceil(noise / unit):.1g} (in the unit of the coordinates)"
    )


def _warn_of_large_noise(mesh: Mesh) -> None:
    noise, sizes = mesh.noise, _sizes(mesh)
    large = np.flatnonzero(noise > LARGE_NOISE_PART * sizes)
    if len(large) == 0:
        return
    worst = large[np.argmax(noise[large] / sizes[large])]
    exact = np.spacing(np.abs(mesh.vertices[mesh.indices]).max())
    warn(
        f"the noise of the coordinates exceeds {LARGE_NOISE_PART:g} of the size of"
        f" {checks.counted(len(large), 'facet')} of {len(mesh)}: it is {noise[worst]:.2g} at"
        f" facet {mesh.source[worst]}, of size {sizes[worst]:.2g}. Walls that differ by less count"
        f" as one. If the coordinates are exact, give noise={exact:.1g} (in their unit)"
    )


def _sizes(mesh: Mesh) -> NDArray[np.float64]:
    """Return the largest extent of each facet along an axis."""
    corners, starts = mesh.vertices[mesh.indices], mesh.offsets[:-1]
    extents = np.maximum.reduceat(corners, starts) - np.minimum.reduceat(corners, starts)
    return extents.max(axis=1)


def warn_of_dropped(kept: NDArray[np.intp], given: int, source: NDArray[np.intp] | None) -> None:
    dropped = np.setdiff1d(np.arange(given), kept)
    if len(dropped):
        warn(left_out_text(dropped if source is None else source[dropped], given, "no area"))
