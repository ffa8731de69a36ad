"""Dumps of LAMMPS and LIGGGHTS: frames of "ITEM:" sections.

Files that are compressed by gzip or zstd can be read; files are written without compression.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.periods import Period
from . import series
from .boxes import Box, read_box
from .errors import CutOff
from .packed import Unpacked
from .rows import Place
from .series import Series
from .spheres import Columns, find_columns
from .text import reals, shown, wholes

# The columns of coordinates: wrapped, unwrapped, as fractions of the box, or fractions that are
# unwrapped. A dump may have several of these triples; the first one is read.
_AXES = (("x", "y", "z"), ("xu", "yu", "zu"), ("xs", "ys", "zs"), ("xsu", "ysu", "zsu"))
_SCALED = ("xs", "xsu")

_WHOLE_NAMES = {"id", "mol", "proc", "procp1", "type", "ix", "iy", "iz"}
_WHOLE_BEGINNINGS = ("i_", "i2_")  # properties of atoms that are integers
_TEXT_NAMES = {"element", "typelabel"}

_ITEM = b"ITEM:"

# The beginning of the title above the number of rows, and the label of rows that are spheres. The
# rows of a "dump local" have the label ENTRIES, or another that its option `label` sets.
_COUNT, _ATOMS = "NUMBER OF ", "ATOMS"

# number of bytes that surely contain the number of rows of the first frame
_HEAD = 4096

# Frames begin with TIMESTEP, or with UNITS or TIME, which LAMMPS writes before it.
_BEGINNING = re.compile(rb"ITEM: (?:TIME|UNITS)")
_BOX = "BOX BOUNDS"

# The largest number of lines of a head, which has about ten. A damaged file of a megabyte of gzip
# may unpack to a gigabyte, and without a bound all of it might be read as a head.
_HEAD_LINES = 64


class Head(NamedTuple):
    """The head of a frame: the sections before its rows."""

    number: int
    sphere_count: int
    names: list[str]
    sections: dict[str, list[list[bytes]]]  # the words of the lines below each title
    box_line: int | None  # the number of the line with the title BOX BOUNDS

    def box(self) -> Box | None:
        """Read the box; None if there is none."""
        for title, lines in self.sections.items():
            if title.startswith(_BOX):
                with self._errors_of_box():
                    return read_box(title[len(_BOX) :], lines)
        return None

    def period(self, box: Box) -> Period | None:
        """Return the period of a box of this frame."""
        with self._errors_of_box():
            return box.period()

    @contextmanager
    def _errors_of_box(self) -> Iterator[None]:
        try:
            yield
        except ValueError as error:
            raise ValueError(
                f"frame {self.number} has no valid 'ITEM: {_BOX}', line {self.box_line}: {error}"
            ) from None


def is_dump(path: Path) -> bool:
    """Return whether a file begins with "ITEM:", or is compressed and too damaged to find out."""
    return _begins(path) == _ITEM


def counts_atoms(path: Path) -> bool:
    """Return whether the first frame of a dump is of atoms, not of pairs or of a grid."""
    with Unpacked(path) as file:
        try:
            return f"{_COUNT}{_ATOMS}".encode() in file.read(_HEAD)
        except ValueError:
            return True


def may_become_dump(path: Path) -> bool:
    """Return whether a file is so short that it may be the beginning of a dump."""
    return _ITEM.startswith(_begins(path))


def _begins(path: Path) -> bytes:
    begin = b""
    with Unpacked(path) as file:
        try:
            while len(begin) < len(_ITEM) and (more := file.read(len(_ITEM))):
                begin += more
        except ValueError:
            return _ITEM if _ITEM.startswith(begin) else begin
    return begin[: len(_ITEM)]


# ---- an open file --------------------------------------------------------------------------------


class Dump(Series[Head]):
    """An open dump."""

    axes = _AXES

    def begins_rows(self, title: str, sections: Mapping[str, Any]) -> bool:
        """Return whether the rows follow this title; raise if they are of another kind."""
        label = label_of(sections)
        if title.startswith("GRID CELLS"):
            raise ValueError(
                f"the rows below 'ITEM: {title}' are those of a dump grid, not spheres"
            )
        if title.startswith("ENTRIES") or (label not in ("", _ATOMS) and title.startswith(label)):
            raise ValueError(
                f"the rows below 'ITEM: {title}' are those of a dump local, not spheres: if they"
                " are contacts, abut.read_pairs(path, frame) reads them"
            )
        return title.startswith(_ATOMS)

    def go_behind(self, place: Place) -> bool:
        """Move to the frame after the broken one at `place`; return False if there is none."""
        self.frame_count = place.number + 1
        try:
            return self.text.find(_BEGINNING)
        except ValueError:
            return False  # bytes after a damaged place cannot be unpacked

    def next_head(self) -> Head | None:
        """Read the next frame's head; the caller must then read or skip its rows."""
        sections: dict[str, list[list[bytes]]] = {}
        title = box_line = None
        for line, text in self._head_lines():
            self._check_title(text, sections)
            if text.startswith(_ITEM):
                title = text[len(_ITEM) :].decode("utf-8", "replace").strip()
                if self.begins_rows(title, sections):
                    self.frame_count += 1
                    return _read_head(self.frame_count - 1, title, sections, box_line)
                sections[title] = []
                box_line = line if title.startswith(_BOX) else box_line
            elif words := text.split():
                if title is None:
                    self._raise_no_title(line, text)
                sections[title].append(words)  # type: ignore[index]
        if title is not None:
            raise CutOff(f"the file ends in the head of frame {self.frame_count}: it was cut off")
        return None

    def _check_title(self, text: bytes, sections: Mapping[str, Any]) -> None:
        """Raise if a line of the head is the title of a new frame, and move back to this line."""
        at = text.rfind(_ITEM)
        title = text[len(_ITEM) :].decode("utf-8", "replace").strip()
        if at > 0 or (at == 0 and title in sections):
            line_feed = not self.text.is_open
            begin = self.text.offset - len(text) - line_feed + at
            self.text.go_back(begin, self.text.line - 1)
            raise ValueError(
                f"line {self.text.line + 1}: another frame begins in the head of frame"
                f" {self.frame_count}"
            )

    def _raise_no_title(self, line: int, text: bytes) -> None:
        if self.text.is_open and _ITEM.startswith(text):
            raise CutOff(f"the file ends in the head of frame {self.frame_count}: it was cut off")
        raise ValueError(f"line {line}: {shown(text.strip())} stands where 'ITEM:' should")

    def _head_lines(self) -> Iterator[tuple[int, bytes]]:
        for _ in range(_HEAD_LINES):
            if (text := self.text.take_line()) is None:
                return
            yield self.text.line, text
        if self.text.take_line() is not None:
            raise ValueError(
                f"line {self.text.line}: the head of frame {self.frame_count} has more than"
                f" {_HEAD_LINES} lines"
            )

    def check_block(self, head: Head, first: int, block: bytes, row_count: int) -> None:
        # Searching for the first letter takes a tenth of the time, and mostly finds none.
        if _ITEM[:1] in block and _ITEM in block:
            at = block.index(_ITEM)
            before = block.count(b"\n", 0, at)
            self.text.go_back(self.text.offset - len(block) + at, first - 1 + before)
            raise ValueError(
                f"frame {head.number} should have {head.sphere_count} {self.noun}, but after"
                f" {row_count + before} another frame begins"
            )

    def columns(self, head: Head, names: Sequence[str]) -> Columns:
        return find_columns(head.names, self.axes, names, kind_of, self.given)

    def whole(self, head: Head) -> dict[str, Any]:
        box = head.box()
        return {
            "step": step_of(head),
            "time": _time(head),
            "period": None if box is None else head.period(box),
            "origin": None if box is None else box.origin,
        }

    def placed(self, head: Head, columns: Columns, table: list[NDArray]) -> list[NDArray]:
        if columns.axes[0] in _SCALED:
            table[:3] = _unscaled(np.stack(table[:3], axis=1), head).T
        return table

    def check_behind(self, head: Head) -> None:
        behind = self.text.peek(len(_ITEM))
        if not _ITEM.startswith(behind):
            raise ValueError(
                f"frame {head.number} should have {head.sphere_count} {self.noun}, but line"
                f" {self.text.line + 1} after them does not begin another frame"
            )


read_spheres = partial(series.read_spheres, Dump)
find_places = partial(series.find_places, Dump)
read_frames = partial(series.read_frames, Dump)
read_places = partial(series.read_places, Dump)
read_column_names = partial(series.read_column_names, Dump)


def kind_of(name: str) -> str:
    if name in _TEXT_NAMES:
        return "text"
    return "whole" if name in _WHOLE_NAMES or name.startswith(_WHOLE_BEGINNINGS) else "real"


# ---- heads ---------------------------------------------------------------------------------------


def label_of(sections: Mapping[str, Any]) -> str:
    """Return the word for the rows that a head counts, such as ATOMS; empty if it counts none."""
    title = next((title for title in sections if title.startswith(_COUNT)), "")
    return title.removeprefix(_COUNT).strip()


def _read_head(
    number: int, title: str, sections: dict[str, list[list[bytes]]], box_line: int | None
) -> Head:
    """Make the head of a frame; `title` has the rows' label and the names of their columns."""
    label = label_of(sections) or _ATOMS
    try:
        (count,) = wholes(sections[_COUNT + label][0][:1])
        if count < 0:
            raise ValueError
    except (IndexError, KeyError, ValueError):
        raise ValueError(f"frame {number} has no valid 'ITEM: {_COUNT}{label}'") from None
    names = title.removeprefix(label).split()
    return Head(number, count, names, sections, box_line)


def step_of(head: Head) -> int | None:
    if "TIMESTEP" not in head.sections:
        return None
    try:
        (step,) = wholes(head.sections["TIMESTEP"][0])
    except (IndexError, ValueError):
        raise ValueError(f"frame {head.number} has no valid 'ITEM: TIMESTEP'") from None
    return step


def _time(head: Head) -> float | None:
    if "TIME" not in head.sections:
        return None
    try:
        (time,) = reals(head.sections["TIME"][0]).tolist()
    except (IndexError, ValueError):
        raise ValueError(f"frame {head.number} has no valid 'ITEM: TIME'") from None
    return float(time)


def _unscaled(scaled: NDArray[np.float64], head: Head) -> NDArray[np.float64]:
    """Convert coordinates that are fractions of the box to coordinates in space."""
    box = head.box()
    if box is None:
        raise ValueError(f"frame {head.number} has no valid 'ITEM: {_BOX}', which xs ys zs need")
    return box.unscaled(scaled)


# ---- writing -------------------------------------------------------------------------------------


def frame_text(step: int, time: float, box_text: str, columns: Mapping[str, NDArray]) -> bytes:
    """Return the text of a frame, with digits that restore the same bits.

    box_text: the lines of the box. columns: (n,) each.
    """
    rows = zip(*(map(repr, column.tolist()) for column in columns.values()), strict=True)
    lines = [
        f"ITEM: TIME\n{time!r}",
        f"ITEM: TIMESTEP\n{step}",
        f"ITEM: NUMBER OF ATOMS\n{len(next(iter(columns.values())))}",
        box_text,
        f"ITEM: ATOMS {' '.join(columns)}",
        *map(" ".join, rows),
    ]
    return ("\n".join(lines) + "\n").encode("ascii")


def find_step(path: Path, step: int) -> int:
    """Return the byte at which the first frame of this step or later begins, or the file's end."""
    begin = at = 0
    is_begun = is_step = False
    with open(path, "rb") as file:
        for line in file:
            if is_step and _step_of(path, line) >= step:
                return begin
            is_step = line.startswith(_TIMESTEP)
            if line.startswith(_ITEM):
                if _BEGINNING.match(line) and not is_begun:
                    begin = at
                is_begun = bool(_BEGINNING.match(line))
            at += len(line)
    return begin if is_begun else at


_TIMESTEP = b"ITEM: TIMESTEP"


def _step_of(path: Path, line: bytes) -> int:
    try:
        return int(line)
    except ValueError:
        raise ValueError(f"{path}: the time step {shown(line.strip())} is not a number") from None
