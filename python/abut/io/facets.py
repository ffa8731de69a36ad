"""Helpers that mesh readers share."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.checks import counted
from ..search.facets import Facets


def offsets_of(counts: np.ndarray) -> np.ndarray:
    """Return the offsets (m + 1,) of facets in the list of all corners, from their counts (m,)."""
    offsets = np.zeros(len(counts) + 1, dtype=np.intp)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def joined_corners(parts: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Join the facets of meshes, in order with their vertices; return indices and offsets."""
    none = np.empty(0, np.intp)
    firsts = offsets_of(np.array([len(part.vertices) for part in parts], np.intp))
    indices = [part.indices + first for part, first in zip(parts, firsts[:-1], strict=True)]
    counts = [np.diff(part.offsets) for part in parts]
    return np.concatenate([none, *indices]), offsets_of(np.concatenate([none, *counts]))


def triangles_of_strips(indices: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return the corners (3 t,) of the triangles of strips, and the strip of each triangle (t,).

    Triangle k of a strip has the corners k, k + 1 and k + 2, of which the last two are exchanged if
    k is odd. A triangle that has a corner twice only joins two parts of a strip, and is dropped.

    Parameters
    ----------
    indices : (c,) ndarray of intp
        The corners of all strips, one strip after the other.
    counts : (s,) ndarray of intp
        The number of corners of each strip.
    """
    sizes = np.maximum(counts - 2, 0)
    strip = np.repeat(np.arange(len(counts)), sizes)
    step = np.arange(len(strip)) - offsets_of(sizes)[strip]
    odd = step % 2
    first = offsets_of(counts)[strip] + step
    corners = indices[np.stack([first, first + 1 + odd, first + 2 - odd], axis=1)]
    a, b, c = corners.T
    is_whole = (a != b) & (b != c) & (c != a)
    return corners[is_whole].ravel(), strip[is_whole]


def check_there_are_facets(facets: Facets, whose: str) -> None:
    """Raise a ValueError if there are points but no facets, as in a point cloud."""
    if len(facets.vertices) and not len(facets.indices):
        points = counted(len(facets.vertices), "point")
        raise ValueError(
            f"{whose} has {points}, but no facets between them: for spheres use read_spheres"
        )
