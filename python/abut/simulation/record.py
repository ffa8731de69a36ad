"""Records: values of a simulation at regular times."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io import writing


class Record:
    """Values that a callable returned at regular times; `Simulation.record` makes it.

    Attributes
    ----------
    times : (k,) ndarray of float64
        Simulation times, one for each value.
    values : (k, ...) ndarray
        The returned numbers, or arrays of one shape. If the shapes differ, for example because
        spheres were added, it is a list of k arrays.

    Examples
    --------
    >>> import abut
    >>> ball = abut.Material(density=1000, young=1e7)
    >>> sim = abut.Simulation(step=1e-4)
    >>> _ = sim.add_spheres([[0, 0, 1]], 0.1, ball)
    >>> height = sim.record(0.05, lambda s: s.centers[0, 2])
    >>> sim.run(0.15)
    >>> height.times
    array([0.05, 0.1 , 0.15])
    >>> height.values.round(3)
    array([0.988, 0.951, 0.89 ])
    """

    __slots__ = ("_end", "_rows")

    def __init__(self) -> None:
        self._rows: list[tuple[float, NDArray[Any]]] = []
        self._end: Callable[[], None] | None = None  # removes the record from its simulation

    def __getstate__(self) -> tuple[None, dict[str, Any]]:
        # copied and pickled records have the values, but belong to no simulation
        return None, {"_rows": self._rows}

    def remove(self) -> None:
        """End the record: it keeps its values, and no value is added.

        Raises
        ------
        RuntimeError
            If another thread runs the simulation.
        """
        end = getattr(self, "_end", None)
        if end is not None:
            end()

    def _add(self, time: float, value: Any) -> None:
        if value is None:
            raise TypeError("the callable of record returned None, but must return a value")
        # a call that Ctrl-C interrupted is repeated, and must not add its row twice
        if not self._rows or self._rows[-1][0] != time:
            # a copy, because the returned array may change later
            self._rows.append((time, np.array(value)))

    @property
    def _times(self) -> list[float]:
        return [time for time, _ in self._rows]

    @property
    def times(self) -> NDArray[np.float64]:
        return np.array(self._times)

    @property
    def values(self) -> NDArray[Any] | list[NDArray[Any]]:
        found = [value for _, value in self._rows]
        shapes = {value.shape for value in found}
        return np.array(found) if len(shapes) < 2 else [value.copy() for value in found]

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a table with a row for each time.

        Parameters
        ----------
        path : str or path-like
            Ends in ``.csv``. The columns are ``time`` and ``value``; for arrays ``value_0``,
            ``value_1`` and so on; for arrays with two axes ``value_0_0``.

        Raises
        ------
        ValueError
            If the path ends otherwise, or the values have different shapes.
        OSError
            If the file cannot be written; the previous file is then unchanged.

        Examples
        --------
        >>> import abut, pathlib, tempfile
        >>> sim = abut.Simulation(step=0.25)
        >>> steps = sim.record(0.5, lambda s: s.step_count)
        >>> sim.run(1.0)
        >>> path = pathlib.Path(tempfile.mkdtemp(), "steps.csv")
        >>> steps.save(path)
        >>> print(path.read_text())
        time,value
        0.5,2
        1.0,4
        <BLANKLINE>
        """
        file = Path(path)
        if file.suffix.lower() != ".csv":
            raise ValueError(f"{file} must end in .csv: a record is written as a table")
        values = self.values
        if isinstance(values, list):
            one, other = sorted({value.shape for value in values})[:2]
            raise ValueError(
                f"the values have different shapes, such as {one} and {other}: a table needs one"
                " shape"
            )
        numbers = values.reshape(len(self), -1) if len(self) else values.reshape(0, 1)
        with writing.opened(file, "w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, lineterminator="\n")
            writer.writerow(["time", *self._names(values.shape[1:])])
            rows = zip(self._times, numbers.tolist(), strict=True)
            writer.writerows([time, *row] for time, row in rows)

    def _names(self, shape: Sequence[int]) -> list[str]:
        """A name for each number of a value."""
        return ["_".join(map(str, ("value", *index))) for index in np.ndindex(*shape)]

    def __len__(self) -> int:
        return len(self._rows)

    def __repr__(self) -> str:
        times = self._times
        if not times:
            return "Record(no values yet)"
        return f"Record({len(self)} values, times {times[0]:g} to {times[-1]:g})"
