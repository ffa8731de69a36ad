"""A frame: the spheres of a simulation at a time, as files hold them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.checks import counted
from ..base.poses import Period

# How sections of dumps begin that hold no atoms.
_OTHER_KINDS = {"ENTRIES": "dump local", "GRID CELLS": "dump grid"}


class Frame(NamedTuple):
    """Spheres of a simulation at a time, as `read_frames` reads them.

    Attributes
    ----------
    centers : (n, 3) ndarray of float64
        As the file has them: unwrapped ones may be outside the box.
    radii : (n,) ndarray of float64
    ids : (n,) ndarray of intp, or None
        The numbers that the file gives the spheres; None where it gives none.
    step : int or None
        Number of the time step: a dump's ``ITEM: TIMESTEP``, an npz file's ``step_count``.
    time : float or None
        A dump's ``ITEM: TIME``, the ``timestep`` in the list of a pvd file, an npz file's ``time``.
    period : tuple of 3 (float or None), or None
        As ``find_contacts(period=...)`` and all other searches take it: of a dump, the box's length
        along each axis that is periodic at both ends (``pp``); of files of `write_frames`, the
        simulation's. None without such an axis, or where the file does not tell.
    origin : (3,) ndarray of float64, or None
        The box's lower corner; None where the file tells no box.
    columns : dict of str to ndarray
        What was asked for with ``columns``, by its name in the file, (n,) each. Of a dump, whole
        numbers (``type``, ``mol``, ``proc``, ``ix`` and alike, and names that begin with ``i_`` or
        ``i2_``) are intp, ``element`` and ``typelabel`` are strings, all others float64, which may
        be NaN. Of a csv file all but ``id`` are float64. Of npz and vtp files each has its dtype,
        and vectors are (n, 3).
    """

    centers: NDArray[np.float64]
    radii: NDArray[np.float64]
    ids: NDArray[np.intp] | None = None
    step: int | None = None
    time: float | None = None
    period: Period | None = None
    origin: NDArray[np.float64] | None = None
    columns: dict[str, NDArray] | None = None

    def __repr__(self) -> str:
        told = {"step": self.step, "time": self.time, "period": self.period}
        parts = [counted(len(self.radii), "sphere")]
        parts += [f"{name} {value}" for name, value in told.items() if value is not None]
        if self.columns:
            parts.append(f"columns {', '.join(self.columns)}")
        return f"Frame({'; '.join(parts)})"


def check_kind(title: str) -> None:
    """Complain of dumps whose rows are no atoms."""
    kind = next((kind for begin, kind in _OTHER_KINDS.items() if title.startswith(begin)), None)
    if kind:
        raise ValueError(f"the rows below 'ITEM: {title}' are those of a {kind}, and no spheres")
