"""Dumps of LAMMPS and LIGGGHTS: frames of "ITEM:" sections.

Files that are compressed by gzip or zstd can be read; files are written without compression.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.periods import Period
from .boxes import Box, read_box
from .errors import CutOff, errors_naming
from .frame import Frame, check_kind
from .packed import Unpacked
from .rows import Text, read_block
from .spheres import Columns, Radius, Spheres, find_columns, from_table, joined, more_of, renamed
from .text import reals, shown, wholes

# The columns of coordinates: wrapped, unwrapped, as fractions of the box, or fractions that are
# unwrapped. A dump may have several of these triples; the first one is read.
_AXES = (("x", "y", "z"), ("xu", "yu", "zu"), ("xs", "ys", "zs"), ("xsu", "ysu", "zsu"))
_SCALED = ("xs", "xsu")

_WHOLE_NAMES = {"id", "mol", "proc", "procp1", "type", "ix", "iy", "iz"}
_WHOLE_BEGINNINGS = ("i_", "i2_")  # properties of atoms that are integers
_TEXT_NAMES = {"element", "typelabel"}

_ITEM = b"ITEM:"

# Frames begin with TIMESTEP, or with UNITS or TIME, which LAMMPS writes before it.
_BEGINNING = re.compile(rb"ITEM: (?:TIME|UNITS)")
_BOX = "BOX BOUNDS"

# The largest number of lines of a head, which has about ten. A damaged file of a megabyte of gzip
# may unpack to a gigabyte, and without a bound all of it might be read as a head.
_HEAD_LINES = 64

# The number of frames that are joined at a time, since many small arrays take more memory.
_JOINED_FRAMES = 1 << 10


class _Head(NamedTuple):
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


class Place(NamedTuple):
    """Where a frame begins."""

    offset: int  # in bytes of the unpacked text
    line: int  # the number of lines before it
    number: int


def is_dump(path: Path) -> bool:
    """Return whether a file begins with "ITEM:", or is compressed and too damaged to find out."""
    return _begins(path) == _ITEM


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


# ---- spheres of a file ---------------------------------------------------------------------------


def read_spheres(
    path: Path, frame: int | str, called: Mapping[str, str], radius: Radius
) -> Spheres:
    """Read the spheres of one frame or of all frames.

    frame: its number, counted from 0 or, if negative, from the end; or "all". called: by our names
    of columns, the file's names where they differ.
    """
    if isinstance(frame, str):
        return _all_of(path, called, radius)
    place = frame if frame >= 0 else _last_place(path, -frame)
    return _one_of(path, place, called, radius)


def _one_of(path: Path, frame: int | Place, called: Mapping[str, str], radius: Radius) -> Spheres:
    """Read the spheres of the frame with this number, or of the frame that begins at a place."""
    with Unpacked(path) as file:
        dump = _Dump(file, radius)
        number = frame if isinstance(frame, int) else dump.go_to(frame).number
        while head := dump.next_head():
            if head.number == number:
                return dump.spheres(head, called)
            dump.skip(head)
    raise ValueError(f"there are {dump.frame_count} frames, but no frame {number}")


def _last_place(path: Path, number: int) -> Place:
    """Return where the frame begins that is the `number`-th from the end; 1 is the last one."""
    places: deque[Place] = deque()
    with Unpacked(path) as file:
        dump = _Dump(file)
        while (place := dump.next_place()) and (head := dump.next_head()):
            dump.skip(head)
            places.append(place)
            if len(places) > number:
                places.popleft()
    if len(places) < number:
        raise ValueError(f"there are {len(places)} frames, but no frame {-number}")
    return places[0]


def _all_of(path: Path, called: Mapping[str, str], radius: Radius) -> Spheres:
    blocks: list[Spheres] = []
    frames: list[Spheres] = []
    with Unpacked(path) as file:
        dump = _Dump(file, radius)
        while head := dump.next_head():
            spheres = dump.spheres(head, called)
            number = np.full(len(spheres.radii), head.number, np.intp)
            frames.append(spheres._replace(frame=number))
            if len(frames) == _JOINED_FRAMES:
                blocks.append(_joined(frames))
                frames = []
    return _joined([*blocks, *frames])


def _joined(parts: list[Spheres]) -> Spheres:
    centers, radii, ids, frame = zip(*parts, strict=True)
    return Spheres(
        np.concatenate(centers),
        np.concatenate(radii),
        None if any(one is None for one in ids) else np.concatenate(ids),
        np.concatenate(frame),
    )


# ---- frames of a file ----------------------------------------------------------------------------


def find_places(path: Path, drop: bool) -> list[Place]:
    """Return where the frames begin.

    Broken frames are included, and reading one raises the error. With `drop`, a frame is omitted
    if it is broken only because the file ends too early.
    """
    places: list[Place] = []
    with Unpacked(path) as file:
        dump = _Dump(file)
        while place := dump.next_place():
            try:
                if not dump.pass_frame():
                    break
            except CutOff:
                if not drop:
                    places.append(place)
                break
            except ValueError:
                places.append(place)
                if not dump.go_behind(place):
                    break
            else:
                places.append(place)
    return places


def read_frames(path: Path, names: Sequence[str], drop: bool, radius: Radius) -> Iterator[Frame]:
    """Read all frames of a file, one after the other, with the further columns `names`."""
    with Unpacked(path) as file:
        dump = _Dump(file, radius)
        while True:
            try:
                with errors_naming(path):
                    frame = dump.next_frame(names)
            except CutOff:
                if drop:
                    return
                raise
            if frame is None:
                return
            yield frame


def read_places(
    path: Path, names: Sequence[str], places: Iterable[Place], radius: Radius
) -> Iterator[Frame]:
    """Read the frames at these places, in this order; to go back, the file is opened again."""
    left = deque(places)
    while left:
        with Unpacked(path) as file:
            dump = _Dump(file, radius)
            while left and left[0].offset >= dump.text.offset:
                with errors_naming(path):
                    frame = dump.frame_at(left.popleft(), names)
                yield frame


def read_column_names(path: Path) -> list[str]:
    """Read the column names of the first frame."""
    with Unpacked(path) as file:
        head = _Dump(file).next_head()
        return [] if head is None else list(head.names)


# ---- an open file --------------------------------------------------------------------------------


class _Dump:
    """An open dump, read frame by frame from the current place on."""

    def __init__(self, file: Unpacked, radius: Radius = None):
        self.text, self.radius = Text(file), radius
        self.frame_count = 0

    def next_place(self) -> Place:
        return Place(self.text.offset, self.text.line, self.frame_count)

    def go_to(self, place: Place) -> Place:
        """Move forward to the beginning of a frame, and return this place."""
        self.text.go_to(place.offset, place.line)
        self.frame_count = place.number
        return place

    def frame_at(self, place: Place, names: Sequence[str]) -> Frame:
        """Move forward to a place and read the frame that begins there."""
        self.go_to(place)
        frame = self.next_frame(names)
        if frame is None:
            raise ValueError(f"frame {place.number} is no longer there: the file has changed")
        return frame

    def pass_frame(self) -> bool:
        """Skip the next frame; raise if it is not whole. Return False if there is none."""
        if not (head := self.next_head()):
            return False
        self.skip(head)
        self.check_end(head)
        self._check_behind(head)
        return True

    def go_behind(self, place: Place) -> bool:
        """Move to the frame after the broken one at `place`; return False if there is none."""
        self.frame_count = place.number + 1
        try:
            return self.text.find(_BEGINNING)
        except ValueError:
            return False  # bytes after a damaged place cannot be unpacked

    def next_head(self) -> _Head | None:
        """Read the next frame's head; the caller must then read or skip its rows."""
        sections: dict[str, list[list[bytes]]] = {}
        title = box_line = None
        for line, text in self._head_lines():
            self._check_title(text, sections)
            if text.startswith(_ITEM):
                title = text[len(_ITEM) :].decode("utf-8", "replace").strip()
                check_kind(title)
                if title.startswith("ATOMS"):
                    self.frame_count += 1
                    names = title.split()[1:]
                    return _read_head(self.frame_count - 1, names, sections, box_line)
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

    def skip(self, head: _Head) -> None:
        """Skip the rows of a frame, after its head was read; raise if there are too few."""
        row_count = 0
        for first, block, lines in self.text.pass_rows(head.sphere_count):
            # Searching for the first letter takes a tenth of the time, and mostly finds none.
            if _ITEM[:1] in block and _ITEM in block:
                at = block.index(_ITEM)
                before = block.count(b"\n", 0, at)
                row_count += before
                self.text.go_back(self.text.offset - len(block) + at, first - 1 + before)
                raise ValueError(
                    f"frame {head.number} should have {head.sphere_count} spheres, but after"
                    f" {row_count} another frame begins"
                )
            row_count += lines
        _check_count(head, row_count)

    def table(
        self, head: _Head, columns: Columns, rows: Iterable[tuple[int, bytes, int]]
    ) -> list[NDArray]:
        """Read the picked columns of a frame from blocks of its rows."""
        row_count, blocks = 0, []
        for line, block, lines in rows:
            blocks.append(read_block(block, lines, columns, line, row_count))
            row_count += lines
        _check_count(head, row_count)
        table = joined(blocks or [read_block(b"", 0, columns, 0, 0)])
        if columns.axes[0] in _SCALED:
            table[:3] = _unscaled(np.stack(table[:3], axis=1), head).T
        return table

    def spheres(self, head: _Head, called: Mapping[str, str]) -> Spheres:
        """Read the spheres of a frame, after its head was read."""
        columns = find_columns(renamed(head.names, called), _AXES, radius=self.radius)
        rows = self.text.take_rows(head.sphere_count)
        return from_table(self.table(head, columns, rows), columns)

    def next_frame(self, names: Sequence[str]) -> Frame | None:
        """Read the next frame, with the further columns `names`; None at the end."""
        head = self.next_head()
        return None if head is None else self._frame(head, names)

    def _frame(self, head: _Head, names: Sequence[str]) -> Frame:
        # This must come first: if the last line is still being written, it may lack columns.
        self.check_end(head)
        try:
            columns = find_columns(head.names, _AXES, names, _kind_of, self.radius)
            box = head.box()
            period = None if box is None else head.period(box)
            table = self.table(head, columns, self._ended_rows(head))
            self._check_behind(head)
            spheres = from_table(table, columns)
        except CutOff:
            raise
        except ValueError as error:
            raise ValueError(_with_frame(str(error), head.number)) from None
        return Frame(
            *spheres[:3],
            step=_step_number(head),
            time=_time(head),
            period=period,
            origin=None if box is None else box.origin,
            columns=more_of(table, columns),
        )

    def _ended_rows(self, head: _Head) -> Iterator[tuple[int, bytes, int]]:
        """Return blocks of the frame's rows; raise if the last line has no end."""
        for block in self.text.take_rows(head.sphere_count):
            self.check_end(head)
            yield block

    def _check_behind(self, head: _Head) -> None:
        """Raise if there are more rows than the number in the head."""
        behind = self.text.peek(len(_ITEM))
        if not _ITEM.startswith(behind):
            raise ValueError(
                f"frame {head.number} should have {head.sphere_count} spheres, but line"
                f" {self.text.line + 1} after them does not begin another frame"
            )

    def check_end(self, head: _Head) -> None:
        """Raise if the last line has no end: another program may still be writing it."""
        if self.text.is_open:
            raise CutOff(
                f"the last line of frame {head.number} has no end: it may be cut off. If it is"
                " whole, add a line feed after it"
            )


def _with_frame(message: str, number: int) -> str:
    name = f"frame {number}"
    return message if name in message else f"{name}: {message}"


def _check_count(head: _Head, rows: int) -> None:
    if rows < head.sphere_count:
        raise CutOff(
            f"frame {head.number} should have {head.sphere_count} spheres,"
            f" but the file ends after {rows}"
        )


def _kind_of(name: str) -> str:
    if name in _TEXT_NAMES:
        return "text"
    return "whole" if name in _WHOLE_NAMES or name.startswith(_WHOLE_BEGINNINGS) else "real"


# ---- heads ---------------------------------------------------------------------------------------


def _read_head(
    number: int, names: list[str], sections: dict[str, list[list[bytes]]], box_line: int | None
) -> _Head:
    try:
        (count,) = wholes(sections["NUMBER OF ATOMS"][0][:1])
        if count < 0:
            raise ValueError
    except (IndexError, KeyError, ValueError):
        raise ValueError(f"frame {number} has no valid 'ITEM: NUMBER OF ATOMS'") from None
    return _Head(number, count, names, sections, box_line)


def _step_number(head: _Head) -> int | None:
    if "TIMESTEP" not in head.sections:
        return None
    try:
        (step,) = wholes(head.sections["TIMESTEP"][0])
    except (IndexError, ValueError):
        raise ValueError(f"frame {head.number} has no valid 'ITEM: TIMESTEP'") from None
    return step


def _time(head: _Head) -> float | None:
    if "TIME" not in head.sections:
        return None
    try:
        (time,) = reals(head.sections["TIME"][0]).tolist()
    except (IndexError, ValueError):
        raise ValueError(f"frame {head.number} has no valid 'ITEM: TIME'") from None
    return float(time)


def _unscaled(scaled: NDArray[np.float64], head: _Head) -> NDArray[np.float64]:
    """Convert coordinates that are fractions of the box to coordinates in space."""
    box = head.box()
    if box is None:
        raise ValueError(f"frame {head.number} has no valid 'ITEM: {_BOX}', which xs ys zs need")
    return box.unscaled(scaled)


# ---- writing -------------------------------------------------------------------------------------


def frame_text(
    step: int,
    time: float,
    bounds: np.ndarray,
    is_periodic: Sequence[bool],
    columns: Mapping[str, NDArray],
) -> bytes:
    """Return the text of a frame, with digits that restore the same bits.

    bounds: (2, 3), the lower and the upper corner of the box. columns: (n,) each.
    """
    kinds = " ".join("pp" if one else "ff" for one in is_periodic)
    rows = zip(*(map(repr, column.tolist()) for column in columns.values()), strict=True)
    lines = [
        f"ITEM: TIME\n{time!r}",
        f"ITEM: TIMESTEP\n{step}",
        f"ITEM: NUMBER OF ATOMS\n{len(next(iter(columns.values())))}",
        f"ITEM: BOX BOUNDS {kinds}",
        *(f"{low!r} {high!r}" for low, high in bounds.T.tolist()),
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
