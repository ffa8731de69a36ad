"""What a mesh that is made warns of: what may be noise, and facets that are left out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.warnings import left_out_text, warn

if TYPE_CHECKING:
    from .mesh import Mesh

# The warning comes where nothing tells noise from shape for more neighbors than this many, and for
# more than this part of them; or for most of them.
DOUBTFUL_COUNT, DOUBTFUL_PART = 30, 0.1

# `ABUT_NOISE_GIVEN` of abut.h
NOISE_GIVEN = 4

# Noise of this part of a facet's size hides walls that turn by less than some 4 degrees from it.
# Facets of CAD meshes in float32, or in six digits, have less.
LARGE_NOISE_PART = 1e-3


def warn_of_noise(mesh: Mesh) -> None:
    """Warn of what may be noise or shape, and of noise that hides walls; unless it is given."""
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
        f" the digits of their coordinates explain, and nothing tells whether that is noise or"
        f" shape; the first is facet {mesh.source[facet]}. It is taken for shape: if it is noise,"
        f" give noise={unit * math.ceil(noise / unit):.1g} (in the unit of the coordinates)"
    )


def _warn_of_large_noise(mesh: Mesh) -> None:
    noise, sizes = mesh.noise, _sizes(mesh)
    large = np.flatnonzero(noise > LARGE_NOISE_PART * sizes)
    if len(large) == 0:
        return
    worst = large[np.argmax(noise[large] / sizes[large])]
    exact = np.spacing(np.abs(mesh.vertices[mesh.indices]).max())
    warn(
        f"what is taken for noise of the coordinates is more than {LARGE_NOISE_PART:g} of the size"
        f" of {checks.counted(len(large), 'facet')} of {len(mesh)}: it is {noise[worst]:.2g} at"
        f" facet {mesh.source[worst]}, of size {sizes[worst]:.2g}. Walls that differ by less count"
        f" as one. If the coordinates are exact, give noise={exact:.1g} (in their unit)"
    )


def _sizes(mesh: Mesh) -> NDArray[np.float64]:
    """The largest extent of each facet along an axis."""
    corners, starts = mesh.vertices[mesh.indices], mesh.offsets[:-1]
    extents = np.maximum.reduceat(corners, starts) - np.minimum.reduceat(corners, starts)
    return extents.max(axis=1)


def warn_of_dropped(kept: NDArray[np.intp], given: int, source: NDArray[np.intp] | None) -> None:
    dropped = np.setdiff1d(np.arange(given), kept)
    if len(dropped):
        warn(left_out_text(dropped if source is None else source[dropped], given, "no area"))
