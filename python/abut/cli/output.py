"""Output of tables: to one file, to a file for each frame with a pvd list, or to stdout."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import abut

from ..base.extras import import_extra
from ..base.periods import same_period
from ..base.warnings import warn
from ..io import save_table, table_writer
from ..io.csv import write
from ..io.pvd import Collection

STDOUT, LIST = "-", ".pvd"
_HINT = f"; use {LIST} for one file per frame, or {STDOUT} for standard output"


def open_output(arguments, what):
    """Return an object that writes the tables of frames; raise if OUT cannot be written."""
    path = Path(arguments.output)
    if arguments.output == STDOUT:
        return _Whole(None, arguments.frame == "all")
    _check_not_read(path, arguments)
    if path.suffix.lower() == LIST:
        return _EachFrame(path, what)
    table_writer(path, what, _HINT)
    if path.suffix.lower() == ".parquet":
        import_extra("pyarrow", "io")
    return _Whole(path, arguments.frame == "all")


def _check_not_read(path, arguments):
    """Raise if an input would be overwritten: if it is OUT, or the folder of a pvd list."""
    folder = path.with_suffix("") if path.suffix.lower() == LIST else path
    for given in (getattr(arguments, "mesh", None), arguments.spheres):
        for written in (path, folder):
            if given and written.exists() and Path(given).exists() and written.samefile(given):
                raise ValueError(f"{path} would overwrite the input {given}: use another name")


class _Whole:
    """Writes one table of all frames to a file or, without a path, to stdout."""

    def __init__(self, path, has_frames):
        self._path, self._has_frames = path, has_frames
        self._tables, self._columns = [], []

    def add(self, number, _frame, table, columns):
        if self._has_frames:
            columns = {**columns, "frame": np.full(len(table), number)}
        self._tables.append(table)
        self._columns.append(columns)

    def close(self):
        table, columns = _joined(self._tables), _joined_columns(self._columns)
        if self._path is None:
            write(table, sys.stdout, columns)
        else:
            save_table(table, self._path, columns)


def _joined(tables):
    """Join the tables of all frames to one table."""
    periods = [getattr(table, "period", None) for table in tables]
    if not all(same_period(one, periods[0]) for one in periods):
        # If the box grows or shrinks, the frames have no common period.
        tables = [replace(table, period=None) for table in tables]
    return abut.concatenate(tables)


def _joined_columns(parts):
    """Join the further columns that all frames have."""
    names = [name for name in parts[0] if all(name in part for part in parts)]
    return {name: np.concatenate([part[name] for part in parts]) for name in names}


class _EachFrame:
    """Writes a list ``out.pvd``, and a file for each frame, such as ``out/pairs-000012.vtp``."""

    def __init__(self, path, what):
        self._folder, self._what = path.with_suffix(""), what
        self._list = _List(path)

    def add(self, number, frame, table, columns):
        self._folder.mkdir(exist_ok=True)
        file = self._folder / f"{self._what}-{number:06d}.vtp"
        save_table(table, file, columns)
        self._list.add(number, frame.step if frame.time is None else frame.time, file)

    def close(self):
        """Do nothing, since the list is complete after each frame."""


class _List:
    """A pvd list of files with their times or steps, or frame numbers if these do not ascend."""

    def __init__(self, path):
        self._path, self._files = path, []
        self._list, self._last = Collection(path, append=False), -np.inf
        self._has_times = True

    def add(self, number, time, file):
        if self._has_times and (time is None or time <= self._last):
            self._change_to_numbers(number, time)
        self._files.append((number, file))
        self._last = time
        self._list.add(float(time if self._has_times else number), file)

    def _change_to_numbers(self, number, time):
        if self._files:
            why = "has no time" if time is None else f"is at {time:g}, after {self._last:g}"
            warn(f"frame {number} {why}: {self._path} has frame numbers instead of times")
        self._has_times = False
        self._list = Collection(self._path, append=False)
        for earlier, file in self._files:
            self._list.add(float(earlier), file)
