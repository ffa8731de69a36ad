"""What every mesh reader returns."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ..base.checks import counted


class Facets(NamedTuple):
    """Facets as a file holds them, before coinciding vertices are welded.

    Attributes
    ----------
    vertices : ndarray (v, 3) of float64
    indices : ndarray (k,) of intp
        The facets' corners, one facet after the other.
    offsets : ndarray (m + 1,) of intp
        Facet f has the corners ``indices[offsets[f]:offsets[f + 1]]``.
    units : ndarray (v, 3) of float64 or None
        The last digit that was written of each coordinate; None where float32 or float64 tells.
    source : ndarray (m,) of intp or None
        Each facet's number in the file, or that of its cell; None where that is its number here.
    vertex_source : ndarray (vertices in the file,) of intp or None
        The number here of each vertex in the file; None where that is its number there.
    """

    vertices: np.ndarray
    indices: np.ndarray
    offsets: np.ndarray
    units: np.ndarray | None = None
    source: np.ndarray | None = None
    vertex_source: np.ndarray | None = None


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
