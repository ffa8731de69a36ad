"""What every mesh reader returns."""

from typing import NamedTuple

import numpy as np


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
