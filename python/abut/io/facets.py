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


def check_there_are_facets(facets: Facets, whose: str) -> None:
    """Raise a ValueError if there are points but no facets, as in a point cloud."""
    if len(facets.vertices) and not len(facets.indices):
        points = counted(len(facets.vertices), "point")
        raise ValueError(f"{whose} has {points}, but no facets between them")
