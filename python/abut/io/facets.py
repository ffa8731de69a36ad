"""What mesh readers have in common."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..base.checks import counted
from ..search.facets import Facets


def offsets_of(counts: np.ndarray) -> np.ndarray:
    """Where facets of so many corners begin and end."""
    offsets = np.zeros(len(counts) + 1, dtype=np.intp)
    np.cumsum(counts, out=offsets[1:])
    return offsets


def joined_corners(parts: Sequence[Any]) -> tuple[np.ndarray, np.ndarray]:
    """Indices and offsets of all facets, of parts whose vertices follow one another."""
    none = np.empty(0, np.intp)
    firsts = offsets_of(np.array([len(part.vertices) for part in parts], np.intp))
    indices = [part.indices + first for part, first in zip(parts, firsts[:-1], strict=True)]
    counts = [np.diff(part.offsets) for part in parts]
    return np.concatenate([none, *indices]), offsets_of(np.concatenate([none, *counts]))


def check_there_are_facets(facets: Facets, whose: str) -> None:
    """Complain of points, such as a cloud of them, that have no facets between them."""
    if len(facets.vertices) and not len(facets.indices):
        points = counted(len(facets.vertices), "point")
        raise ValueError(f"{whose} has {points}, but no facets between them")
