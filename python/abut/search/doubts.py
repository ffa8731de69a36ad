"""What a mesh that is made warns of: what may be noise, and facets that are left out."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from ..base.warnings import left_out_text, warn

if TYPE_CHECKING:
    from .mesh import Mesh

# The warning comes where nothing tells noise from shape for more neighbors than this many, and for
# more than this part of them; or for most of them.
DOUBTFUL_COUNT, DOUBTFUL_PART = 30, 0.1


def warn_of_doubt(mesh: Mesh) -> None:
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


def warn_of_dropped(kept: NDArray[np.intp], given: int, source: NDArray[np.intp] | None) -> None:
    dropped = np.setdiff1d(np.arange(given), kept)
    if len(dropped):
        warn(left_out_text(dropped if source is None else source[dropped], given, "no area"))
