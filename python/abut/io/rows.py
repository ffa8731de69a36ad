"""Rows of numbers in the text of a dump: read in blocks of whole lines."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from . import arrow
from .packed import Unpacked
from .spheres import Columns, read_table

# Rows have at most a few hundred columns: a longer line is not a row.
_LINE_BYTES = 1 << 16

# Bytes that are read at once: at first, at most in blocks that fit into a cache, and at most. Heads
# have a few hundred bytes, frames up to gigabytes.
_LEAST, _CACHED, _MOST = 1 << 16, 1 << 18, 1 << 23

# Most rows have fewer bytes.
_LIKELY_BYTES = 256

_LINE_FEED = ord("\n")

# All patterns that `find` searches are shorter.
_PATTERN_BYTES = 32


class Text:
    """The lines of a file, taken one by one or in blocks.

    Attributes
    ----------
    offset, line : int
        The numbers of bytes and lines that were taken.
    is_open : bool
        Whether the last line of the file was taken, and has no line feed.
    """

    def __init__(self, file: Unpacked):
        self._file = file
        self._ahead = b""  # bytes that were read; those before _at are taken
        self._at = 0
        self._first_size = _LEAST  # bytes to read at first for the next rows
        self._failure: ValueError | None = None  # the error that the next read raises
        self.offset = self.line = 0
        self.is_open = False

    def go_to(self, offset: int, line: int) -> None:
        """Move forward to a place."""
        ahead = len(self._ahead) - self._at
        distance = offset - self.offset
        if distance > ahead:
            self._file.pass_over(distance - ahead)
        self._at += min(distance, ahead)
        self.offset, self.line = offset, line

    def go_back(self, offset: int, line: int) -> None:
        """Move back to a place in the line or block that was taken last."""
        self._at -= self.offset - offset
        self.offset, self.line, self.is_open = offset, line, False

    def find(self, pattern: re.Pattern[bytes]) -> bool:
        """Move forward to the first match of a short pattern; return False at the end."""
        while not (found := pattern.search(self._ahead, self._at)):
            # A match may begin in the last of these bytes and end in the next ones.
            end = max(self._at, len(self._ahead) - _PATTERN_BYTES)
            self._take(end, self._ahead.count(b"\n", self._at, end))
            if not self._read_more(_LEAST):
                return False
        self._take(found.start(), self._ahead.count(b"\n", self._at, found.start()))
        return True

    def peek(self, count: int) -> bytes:
        """Return the next letters that are not blank, without taking them; fewer at the end."""
        while True:
            ahead = self._ahead[self._at : self._at + _LINE_BYTES]
            letters = ahead.lstrip()[:count]
            if len(letters) == count or len(ahead) == _LINE_BYTES or not self._read_ahead():
                return letters

    def _read_ahead(self) -> bool:
        """Read more for `peek`; an error is kept until the bytes are taken."""
        try:
            return self._failure is None and self._read_on(_LEAST)
        except ValueError as error:
            self._failure = error
            return False

    def take_line(self) -> bytes | None:
        """Take the next line, without its end; None at the file's end."""
        while (end := self._ahead.find(b"\n", self._at)) < 0:
            if not self._read_on(_LEAST):
                return self._take_rest()
        self._check_length(end)
        line = self._ahead[self._at : end]
        self._take(end + 1, 1)
        return line

    def take_rows(self, count: int) -> Iterator[tuple[int, bytes, int]]:
        """Take `count` lines, or all that remain.

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
        # The next frame is probably as long as this one. Its length bounds what is read at once,
        # since a small file may unpack to gigabytes.
        self._first_size = min(max(_LEAST, self.offset - begin), _MOST)

    def pass_rows(self, count: int) -> Iterator[tuple[int, bytes, int]]:
        """Take rows in blocks that fit into a cache, which is fastest for skipping them."""
        return self._blocks(count, _LEAST, _CACHED)

    def _blocks(self, count: int, size: int, largest: int) -> Iterator[tuple[int, bytes, int]]:
        """Take lines in blocks, of about `size` bytes at first and then larger ones."""
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
        """Return the end and the number of whole lines that were read ahead, at most `most`."""
        # The search is bounded, since thousands of small frames may have been read ahead.
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
        """Read more to complete a line; return False at the file's end."""
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

    line, row: numbers of the first row in errors.
    """
    table = arrow.read_block(block, line_count, columns)
    if table is not None:
        return table
    # An iterator, not a list: a block may have as many lines as bytes.
    lines = enumerate(io.BytesIO(block), line)
    return read_table(((number, text.split()) for number, text in lines), columns, row)
