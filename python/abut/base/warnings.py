"""Warnings: of meshes, and all that point at the line outside of abut from which they came."""

from __future__ import annotations

import sys
import warnings

import numpy as np
from numpy.typing import NDArray

from .checks import counted


class MeshWarning(UserWarning):
    """Something in a mesh was left out or repaired; the message counts it and names the first.

    Or nothing touches a mesh whose unit of length looks as if it were not that of the spheres.
    """


class SimulationWarning(UserWarning):
    """A simulation goes on, but something in it is not as it should be; the message says what."""


def warn(message: str, kind: type[Warning] = MeshWarning) -> None:
    """Give a warning that points at the line outside of abut from which it came."""
    depth, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("abut."):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=depth)


def left_out_text(facets: NDArray[np.intp], given: int, fault: str) -> str:
    """What a warning says of facets that have this fault, and are dropped therefore."""
    of = f"{len(facets)} of {counted(given, 'facet')}"
    if len(facets) == 1:
        return f"{of} has {fault} and is left out: facet {facets[0]}"
    return f"{of} have {fault} and are left out; the first is {facets[0]}"
