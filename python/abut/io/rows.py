"""The text of dumps, read line by line or in blocks of whole lines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import arrow
from .packed import Unpacked
from .spheres import Columns, read_table

# The largest number of bytes of a line. Rows are shorter: they have a few hundred columns at most.
_LINE_BYTES = 1 << 16

_LEAST = 1 << 16  # the number of bytes that are read at first: a head has a few hundred bytes
_CACHED = 1 << 18  # the largest number of bytes that are read to skip rows: they fit into a cache
_MOST = 1 << 23  # the largest number of bytes that are read at once: a frame may have gigabytes

# The number of bytes of a long row; few rows are longer.
_LIKELY_BYTES = 256

_LINE_FEED = ord("\n")

# The largest number of bytes of a match that `find` may search.
_PATTERN_BYTES = 32


class Place(NamedTuple):
    """Where a frame begins."""

    offset: int  # in bytes of the unpacked text
    line: int  # the number of lines before it
    number: int


class Text:
    """The lines of a file. Taking lines returns them, and moves on to the next line.

    Attributes
    ----------
    offset, line : int
        The numbers of bytes and lines that were taken so far.
    is_open : bool
        Whether the last line of the file was taken, and has no line feed.
    """

    def __init__(self, file: Unpacked):
        self._file = file
        self._ahead = b""  # bytes that were read; the bytes before _at were taken
        self._at = 0
        self._first_size = _LEAST  # bytes to read at first for the next rows
        self._failure: ValueError | None = None  # the error that the next read raises
        self.offset = self.line = 0
        self.is_open = False

    def go_to(self, offset: int, line: int) -> None:
        """Move forward to a byte, which is in the line with this number, from 0."""
        ahead = len(self._ahead) - self._at
        distance = offset - self.offset
        if distance > ahead:
            self._file.pass_over(distance - ahead)
        self._at += min(distance, ahead)
        self.offset, self.line = offset, line

    def go_back(self, offset: int, line: int) -> None:
        """Move back to a byte of the line or block that was taken last."""
        self._at -= self.offset - offset
        self.offset, self.line, self.is_open = offset, line, False

    def find(self, pattern: re.Pattern[bytes]) -> bool:
        """Move forward to the next match of a pattern; return False if there is none."""
        while not (found := pattern.search(self._ahead, self._at)):
            # The last bytes are kept, since a match may begin there and end in the next bytes.
            end = max(self._at, len(self._ahead) - _PATTERN_BYTES)
            self._take(end, self._ahead.count(b"\n", self._at, end))
            if not self._read_more(_LEAST):
                return False
        self._take(found.start(), self._ahead.count(b"\n", self._at, found.start()))
        return True

    def peek(self, count: int) -> bytes:
        """Return `count` letters after any blanks, fewer at the end, without taking them."""
        while True:
            ahead = self._ahead[self._at : self._at + _LINE_BYTES]
            letters = ahead.lstrip()[:count]
            if len(letters) == count or len(ahead) == _LINE_BYTES or not self._read_ahead():
                return letters

    def _read_ahead(self) -> bool:
        """Read more for `peek`; an error is raised only when the bytes before it are taken."""
        try:
            return self._failure is None and self._read_on(_LEAST)
        except ValueError as error:
            self._failure = error
            return False

    def take_line(self) -> bytes | None:
        """Take and return the next line, without its end; None at the file's end."""
        while (end := self._ahead.find(b"\n", self._at)) < 0:
            if not self._read_on(_LEAST):
                return self._take_rest()
        self._check_length(end)
        line = self._ahead[self._at : end]
        self._take(end + 1, 1)
        return line

    def take_rows(self, count: int) -> Iterator[tuple[int, bytes, int]]:
        """Take the next `count` lines in blocks; fewer if the file ends before.

        Yields
        ------
        line : int
            The first line's number, from 1.
        block : bytes
            Lines with their ends; the last line of the file may have no end.
        line_count : int
        """
        begin = self.offset
        yield from self._blocks(count, self._first_size, _MOST)
        # The next frame is probably as long as this one. Reading more at once is avoided, since a
        # small file may unpack to gigabytes.
        self._first_size = min(max(_LEAST, self.offset - begin), _MOST)

    def pass_rows(self, count: int) -> Iterator[tuple[int, bytes, int]]:
        """Take the next `count` lines in blocks that fit into a cache, to skip them fast."""
        return self._blocks(count, _LEAST, _CACHED)

    def _blocks(self, count: int, size: int, largest: int) -> Iterator[tuple[int, bytes, int]]:
        """Take the next `count` lines in blocks: first about `size` bytes, finally `largest`."""
        while count:
            end, line_count = self._whole_lines(count)
            if line_count:
                first, block = self.line + 1, self._ahead[self._at : end]
                self._take(end, line_count)
                count -= line_count
                yield first, block, line_count
            elif self._read_on(size):
                size = min(4 * size, largest)
            else:
                first, rest = self.line + 1, self._take_rest()
                if rest:
                    yield first, rest, 1
                return

    def _whole_lines(self, most: int) -> tuple[int, int]:
        """Return the end and the number of the next whole lines that were read, at most `most`."""
        # Only the next bytes are searched, since thousands of small frames may have been read.
        likely = self._at + max(_LINE_BYTES + 1, _LIKELY_BYTES * most)
        end = self._ahead.rfind(b"\n", self._at, likely) + 1
        if not end:
            return 0, 0
        is_end = np.frombuffer(self._ahead, np.uint8)[self._at : end] == _LINE_FEED
        line_count = int(np.count_nonzero(is_end))
        if line_count <= most:
            return end, line_count
        return self._at + int(np.flatnonzero(is_end)[most - 1]) + 1, most

    def _read_on(self, size: int) -> bool:
        """Read more bytes, since no line ends in those that were read; return False at the end."""
        self._check_length(len(self._ahead))
        return self._read_more(size)

    def _read_more(self, size: int) -> bool:
        if self._failure is not None:
            raise self._failure
        more = self._file.read(size)
        if more:
            self._ahead, self._at = self._ahead[self._at :] + more, 0
        return bool(more)

    def _check_length(self, end: int) -> None:
        if end - self._at > _LINE_BYTES:
            raise ValueError(f"line {self.line + 1} has more than {_LINE_BYTES} bytes")

    def _take(self, end: int, line_count: int) -> None:
        self.offset += end - self._at
        self._at = end
        self.line += line_count

    def _take_rest(self) -> bytes | None:
        rest = self._ahead[self._at :]
        if not rest:
            return None
        self.is_open = True
        self._take(len(self._ahead), 1)
        return rest


def read_block(
    block: bytes, line_count: int, columns: Columns, line: int, row: int
) -> list[NDArray]:
    """Read the picked columns of rows.

    line, row: the line and the number of the first row, for errors.
    """
    table = arrow.read_block(block, line_count, columns)
    if table is not None:
        return table
    # This is not a list, since a block may have as many lines as bytes.
    lines = enumerate(io.BytesIO(block), line)
    return read_table(((number, text.split()) for number, text in lines), columns, row)
