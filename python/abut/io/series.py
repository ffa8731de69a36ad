"""Text files with several frames: reading them one at a time, in any order, or all at once.

A format is a class derived from `Series`, which reads heads of frames; the rows below them are read
here.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from .errors import CutOff, errors_naming
from .frame import Frame
from .packed import Unpacked
from .rows import Place, Text, read_block
from .spheres import NOTHING, Columns, Given, Spheres, find_columns, from_table, joined, more_of

# The number of frames that are joined at a time, since many small arrays take more memory.
_JOINED_FRAMES = 1 << 10


class Head(Protocol):
    """The head of a frame: what a file holds before the frame's rows."""

    @property
    def number(self) -> int: ...

    @property
    def sphere_count(self) -> int: ...

    @property
    def names(self) -> list[str]:
        """The names of the columns."""


_Head = TypeVar("_Head", bound=Head)
_Format = type["Series[Any]"]


# ---- spheres of a file ---------------------------------------------------------------------------


def read_spheres(opened: _Format, path: Path, frame: int | str, given: Given) -> Spheres:
    """Read the spheres of one frame or of all frames.

    opened: the class of the format. frame: its number, counted from 0 or, if negative, from the
    end; or "all".
    """
    if isinstance(frame, str):
        return _all_of(opened, path, given)
    place = frame if frame >= 0 else _last_place(opened, path, -frame)
    return _one_of(opened, path, place, given)


def _one_of(opened: _Format, path: Path, frame: int | Place, given: Given) -> Spheres:
    """Read the spheres of the frame with this number, or of the frame that begins at a place."""
    with Unpacked(path) as file:
        series = opened(file, given)
        number = frame if isinstance(frame, int) else series.go_to(frame).number
        while head := series.next_head():
            if head.number == number:
                return series.spheres(head)
            series.skip(head)
    raise ValueError(f"there are {series.frame_count} frames, but no frame {number}")


def _last_place(opened: _Format, path: Path, number: int) -> Place:
    """Return where the frame begins that is the `number`-th from the end; 1 is the last one."""
    places: deque[Place] = deque()
    with Unpacked(path) as file:
        series = opened(file)
        while (place := series.next_place()) and (head := series.next_head()):
            series.skip(head)
            places.append(place)
            if len(places) > number:
                places.popleft()
    if len(places) < number:
        raise ValueError(f"there are {len(places)} frames, but no frame {-number}")
    return places[0]


def _all_of(opened: _Format, path: Path, given: Given) -> Spheres:
    blocks: list[Spheres] = []
    frames: list[Spheres] = []
    with Unpacked(path) as file:
        series = opened(file, given)
        while head := series.next_head():
            spheres = series.spheres(head)
            number = np.full(len(spheres.radii), head.number, np.intp)
            frames.append(spheres._replace(frame=number))
            if len(frames) == _JOINED_FRAMES:
                blocks.append(joined_spheres(frames))
                frames = []
    return joined_spheres([*blocks, *frames])


def joined_spheres(parts: list[Spheres]) -> Spheres:
    """Join the spheres of frames; they have ids only if those of all frames do."""
    centers, radii, ids, frame = zip(*parts, strict=True)
    return Spheres(
        np.concatenate(centers),
        np.concatenate(radii),
        None if any(one is None for one in ids) else np.concatenate(ids),
        np.concatenate(frame),
    )


# ---- frames of a file ----------------------------------------------------------------------------


def find_places(opened: _Format, path: Path, drop: bool) -> list[Place]:
    """Return where the frames begin.

    Broken frames are included, and reading one raises the error. With `drop`, a frame is omitted
    if it is broken only because the file ends too early.
    """
    places: list[Place] = []
    with Unpacked(path) as file:
        series = opened(file)
        while place := series.next_place():
            try:
                if not series.pass_frame():
                    break
            except CutOff:
                if not drop:
                    places.append(place)
                break
            except ValueError:
                places.append(place)
                if not series.go_behind(place):
                    break
            else:
                places.append(place)
    return places


def read_frames(
    opened: _Format, path: Path, names: Sequence[str], drop: bool, given: Given
) -> Iterator[Frame]:
    """Read all frames of a file, one after the other, with the further columns `names`."""
    with Unpacked(path) as file:
        series = opened(file, given)
        while True:
            try:
                with errors_naming(path):
                    frame = series.next_frame(names)
            except CutOff:
                if drop:
                    return
                raise
            if frame is None:
                return
            yield frame


def read_places(
    opened: _Format, path: Path, names: Sequence[str], places: Iterable[Place], given: Given
) -> Iterator[Frame]:
    """Read the frames at these places, in this order; to go back, the file is opened again."""
    left = deque(places)
    while left:
        with Unpacked(path) as file:
            series = opened(file, given)
            while left and left[0].offset >= series.text.offset:
                with errors_naming(path):
                    frame = series.frame_at(left.popleft(), names)
                yield frame


def read_column_names(opened: _Format, path: Path) -> list[str]:
    """Read the column names of the first frame."""
    with Unpacked(path) as file:
        head = opened(file).next_head()
        return [] if head is None else opened.column_names(head)


# ---- an open file --------------------------------------------------------------------------------


class Series(ABC, Generic[_Head]):
    """An open file, read frame by frame from the current place on."""

    # The possible names of the three columns of coordinates; the first three that exist are read.
    axes: ClassVar[tuple[tuple[str, str, str], ...]] = (("x", "y", "z"),)
    # What the rows are, for messages.
    noun: ClassVar[str] = "spheres"

    def __init__(self, file: Unpacked, given: Given = NOTHING):
        self.text, self.given = Text(file), given
        self.frame_count = 0

    # What a format must add.

    @abstractmethod
    def next_head(self) -> _Head | None:
        """Read the next frame's head; the caller must then read or skip its rows."""

    @abstractmethod
    def columns(self, head: _Head, names: Sequence[str]) -> Columns:
        """Find the columns of spheres and the further columns `names`."""

    @abstractmethod
    def whole(self, head: _Head) -> dict[str, Any]:
        """Return the attributes of a frame that belong to all spheres: time, step, period ..."""

    @staticmethod
    def column_names(head: Any) -> list[str]:
        """Return the names that `columns` accepts as further columns."""
        return list(head.names)

    def go_behind(self, place: Place) -> bool:
        """Move to the frame after the broken one at `place`; return False if there is none."""
        return False

    def check_behind(self, head: _Head) -> None:
        """Raise if there are more rows than the number in the head."""

    def placed(self, head: _Head, columns: Columns, table: list[NDArray]) -> list[NDArray]:
        """Return the table with coordinates in space."""
        return table

    def further(
        self, head: _Head, names: Sequence[str], found: dict[str, NDArray]
    ) -> dict[str, NDArray]:
        """Return the further columns `names`, made of those that were found in the table."""
        return found

    # What all formats have.

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
        self.check_behind(head)
        return True

    def skip(self, head: _Head) -> None:
        """Skip the rows of a frame, after its head was read; raise if there are too few."""
        row_count = 0
        for first, block, lines in self.text.pass_rows(head.sphere_count):
            self.check_block(head, first, block, row_count)
            row_count += lines
        self.check_count(head, row_count)

    def check_block(self, head: _Head, first: int, block: bytes, row_count: int) -> None:
        """Raise if the frame ends within a block of its rows, which begins with line `first`."""

    def spheres(self, head: _Head) -> Spheres:
        """Read the spheres of a frame, after its head was read."""
        columns = find_columns(head.names, self.axes, given=self.given)
        rows = self.text.take_rows(head.sphere_count)
        return from_table(self._table(head, columns, rows), columns)

    def next_frame(self, names: Sequence[str]) -> Frame | None:
        """Read the next frame, with the further columns `names`; None at the end."""
        head = self.next_head()
        return None if head is None else self._frame(head, names)

    def _frame(self, head: _Head, names: Sequence[str]) -> Frame:
        # This must come first: if the last line is still being written, it may lack columns.
        self.check_end(head)
        try:
            columns = self.columns(head, names)
            whole = self.whole(head)
            table = self._table(head, columns, self._ended_rows(head))
            self.check_behind(head)
            spheres = from_table(table, columns)
            further = self.further(head, names, more_of(table, columns))
        except CutOff:
            raise
        except ValueError as error:
            raise ValueError(_with_frame(str(error), head.number)) from None
        return Frame(*spheres[:3], **whole, columns=further)

    def _table(
        self, head: _Head, columns: Columns, rows: Iterable[tuple[int, bytes, int]]
    ) -> list[NDArray]:
        """Read the picked columns of a frame from blocks of its rows."""
        row_count, blocks = 0, []
        for line, block, lines in rows:
            blocks.append(read_block(block, lines, columns, line, row_count))
            row_count += lines
        self.check_count(head, row_count)
        return self.placed(head, columns, joined(blocks or [read_block(b"", 0, columns, 0, 0)]))

    def _ended_rows(self, head: _Head) -> Iterator[tuple[int, bytes, int]]:
        """Return blocks of the frame's rows; raise if the last line has no end."""
        for block in self.text.take_rows(head.sphere_count):
            self.check_end(head)
            yield block

    def check_end(self, head: _Head) -> None:
        """Raise if the last line has no end: another program may still be writing it."""
        if self.text.is_open:
            raise CutOff(
                f"the last line of frame {head.number} has no end: it may be cut off. If it is"
                " whole, add a line feed after it"
            )

    def check_count(self, head: _Head, row_count: int) -> None:
        """Raise if there are fewer rows than the number in the head."""
        if row_count < head.sphere_count:
            raise CutOff(
                f"frame {head.number} should have {head.sphere_count} {self.noun},"
                f" but the file ends after {row_count}"
            )


def _with_frame(message: str, number: int) -> str:
    name = f"frame {number}"
    return message if name in message else f"{name}: {message}"
