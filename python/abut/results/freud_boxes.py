"""Periods as boxes of freud."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..base.arithmetic import dots
from ..base.arrays import Doubles
from ..base.extras import import_extra
from ..base.outlines import completed, fractions_of, is_lower_triangular
from ..base.periods import Period, repeats_along, vectors_of

if TYPE_CHECKING:
    from freud.box import Box

# A box that does not repeat is this much larger than needed, since freud has floats of 32 bits.
_ROOM = 1.001


def freud_box(period: Period | None, centers: Doubles) -> Box:
    """Return the box of `Pairs.freud_box`."""
    d = centers.shape[1]
    edges = completed(vectors_of(period, d))
    if not is_lower_triangular(edges):
        raise ValueError(
            "a box of freud has its first vector along x, and its second in the plane of x and y:"
            " rotate the centers and the period, and search again"
        )
    repeats = [repeats_along(period, k) for k in range(d)]
    for k, across in enumerate(fractions_of(edges)):
        if not repeats[k]:
            # the box is around 0
            largest = float(np.abs(dots(centers, across)).max(initial=0.0))
            edges[k] *= 2 * _ROOM * largest or 1.0
    edges *= np.where(np.diagonal(edges) < 0, -1.0, 1.0)[:, None]
    sizes = np.diagonal(edges)
    tilts = (edges / sizes[:, None])[np.tril_indices(d, -1)].tolist()
    names = ("xy", "xz", "yz")[: len(tilts)]
    box = import_extra("freud.box", "freud").Box(
        *sizes.tolist(), is2D=d == 2, **dict(zip(names, tilts, strict=True))
    )
    box.periodic = [*repeats, True][:3]  # freud gives flat boxes a third period, too
    return box
