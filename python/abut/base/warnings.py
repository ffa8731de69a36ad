"""Classes of warnings, and a function that attributes a warning to the caller's line."""

from __future__ import annotations

import sys
import warnings

import numpy as np
from numpy.typing import NDArray

from .checks import counted


class MeshWarning(UserWarning):
    """Something in a mesh was removed or repaired; the message counts it and names the first.

    It is also given if nothing touches a mesh that seems to have another unit than the spheres.
    """


class SimulationWarning(UserWarning):
    """Something in a simulation is not as it should be; the message names the remedy."""


def warn(message: str, kind: type[Warning] = MeshWarning) -> None:
    """Give a warning that names the first line outside of abut that led to it."""
    depth, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("abut."):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(message, kind, stacklevel=depth)


def left_out_text(facets: NDArray[np.intp], given: int, fault: str) -> str:
    """The text of a warning about facets that are dropped for a fault."""
    part = f"{len(facets)} of {counted(given, 'facet')}"
    if len(facets) == 1:
        return f"{part} has {fault} and is left out: facet {facets[0]}"
    return f"{part} have {fault} and are left out; the first is {facets[0]}"
