"""A frame: the spheres of a simulation at one time, as a file holds them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.checks import counted
from ..base.periods import Period, is_array


class Frame(NamedTuple):
    """Spheres of a simulation at one time, as `read_frames` reads them.

    Attributes
    ----------
    centers : (n, 3) ndarray of float64
        Coordinates of the file: unwrapped ones may lie outside the box.
    radii : (n,) ndarray of float64
    ids : (n,) ndarray of intp, or None
        The spheres' numbers in the file; None if it has none.
    step : int or None
        Number of the time step: a dump's ``ITEM: TIMESTEP``, or an npz file's ``step_count``.
    time : float or None
        A dump's ``ITEM: TIME``, a pvd file's ``timestep``, or an npz file's ``time``.
    period : tuple of 3 (float or None), (3, 3) ndarray of float64, or None
        The period, as `find_pairs` and all other searches take it: a length along each axis, or in
        a tilted box a vector in each row. A length is None, and a row has zeros, where the box does
        not repeat: in a dump if it is not periodic at both ends (``pp``). In files of
        `write_frames` it is the period of the simulation. None if there is no period.
    origin : (3,) ndarray of float64, or None
        The box's corner from which its edges begin; None if the file has no box.
    columns : dict of str to ndarray
        The columns that ``columns=`` requested, by their names in the file, (n,) each. In a dump,
        ``type``, ``mol``, ``proc``, ``ix`` and similar columns are intp, and so are columns with
        names that begin with ``i_`` or ``i2_``. ``element`` and ``typelabel`` are strings. All
        others are float64 and may be NaN. In a csv file all columns except ``id`` are float64.
        Columns of npz and vtp files keep their dtype, and vectors are (n, 3).
    deformation : (3, 3) ndarray of float64, or None
        The deformation gradient of the cell, `Simulation.deformation`; None if the file has none.
        Strains follow from it, not from the period, since vectors of a cell are exchanged.
    """

    centers: NDArray[np.float64]
    radii: NDArray[np.float64]
    ids: NDArray[np.intp] | None = None
    step: int | None = None
    time: float | None = None
    period: Period | None = None
    origin: NDArray[np.float64] | None = None
    columns: dict[str, NDArray] | None = None
    deformation: NDArray[np.float64] | None = None

    def sorted(self) -> Frame:
        """Return the frame with its spheres, and their columns, sorted by id.

        Dumps list spheres in the order of the processors, which changes from frame to frame. After
        this, equal rows of two frames are the same sphere if none was added or removed.

        Returns
        -------
        Frame
            With copies of the arrays.

        Raises
        ------
        ValueError
            If the frame has no ids.

        Examples
        --------
        >>> import abut, numpy as np
        >>> frame = abut.Frame(np.array([[2.0, 0, 0], [1, 0, 0]]), np.ones(2), np.array([7, 4]))
        >>> frame.sorted().ids, frame.sorted().centers[:, 0]
        (array([4, 7]), array([1., 2.]))
        """
        if self.ids is None:
            raise ValueError("the frame has no ids: read a file with a column id")
        order = np.argsort(self.ids, kind="stable")
        columns = self.columns
        if columns is not None:
            columns = {name: column[order] for name, column in columns.items()}
        return self._replace(
            centers=self.centers[order],
            radii=self.radii[order],
            ids=self.ids[order],
            columns=columns,
        )

    def __repr__(self) -> str:
        period = self.period.tolist() if is_array(self.period) else self.period
        known = {"step": self.step, "time": self.time, "period": period}
        parts = [counted(len(self.radii), "sphere")]
        parts += [f"{name} {value}" for name, value in known.items() if value is not None]
        if self.columns:
            parts.append(f"columns {', '.join(self.columns)}")
        return f"Frame({'; '.join(parts)})"
