"""Wavefront OBJ files: vertices and polygons; textures, normals, lines and curves are ignored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from ..search.facets import Facets
from .digits import Coordinates
from .facets import offsets_of
from .text import BLOCK, Lines, check_encoding, gathered, integers


def read(path: Path) -> Facets:
    """Read the lines "v x y z" and "f a b c ..."; a corner is v, v/vt, v//vn or v/vt/vn."""
    coordinates, facets = Coordinates(), _Facets()
    vertex_count = 0
    with open(path, "rb") as file:
        check_encoding(file.read(2))
        file.seek(0)
        for line, words in _statements(Lines(file)):
            if words[0] == b"v":
                _check_vertex(line, words)
                coordinates.add(words[1:4], line)
                vertex_count += 1
            elif words[0] == b"f":
                facets.add(words[1:], line, vertex_count)
    vertices, units = coordinates.finish()
    indices, offsets = facets.finish(vertex_count)
    if not vertex_count and len(offsets) == 1:
        raise ValueError("it is not an OBJ file: it has no lines 'v x y z' or 'f a b c'")
    return Facets(vertices, indices, offsets, units)


def _statements(lines: Lines) -> Iterator[tuple[int, list[bytes]]]:
    """Return each line's words without comments; a line that ends in a backslash continues."""
    words: list[bytes] = []
    number, is_joined = 0, False
    for number, line in lines:
        added = line.partition(b"#")[0].split()
        is_joined = bool(added) and added[-1].endswith(b"\\")
        words += added
        if is_joined:
            _drop_backslash(words)
        elif words:
            yield number, words
            words = []
    if is_joined:
        raise ValueError(f"line {number}: a backslash joins the next line, but the file ends")


def _drop_backslash(words: list[bytes]) -> None:
    words[-1] = words[-1][:-1]
    if not words[-1]:
        words.pop()


def _check_vertex(line: int, words: Sequence[bytes]) -> None:
    if len(words) < 4:
        raise ValueError(f"line {line}: a vertex has {len(words) - 1} coordinates, not 3")


class _Facets:
    """The facets of a file. Vertices are numbered from 1; -1 is the last one before the facet."""

    def __init__(self) -> None:
        self._words: list[bytes] = []
        self._counts: list[int] = []
        self._lines: list[int] = []
        self._before: list[int] = []
        self._blocks: list[tuple[np.ndarray, np.ndarray, np.ndarray]] = []

    def add(self, words: Sequence[bytes], line: int, vertex_count: int) -> None:
        """Add a facet by the words of its corners, with `vertex_count` vertices before it."""
        self._words += words
        self._counts.append(len(words))
        self._lines.append(line)
        self._before.append(vertex_count)
        if len(self._words) >= BLOCK:
            self._flush()

    def _flush(self) -> None:
        counts, lines = np.array(self._counts, np.intp), np.array(self._lines, np.intp)
        corner_lines = np.repeat(lines, counts)
        words = [word.partition(b"/")[0] for word in self._words]
        indices = integers(words, lambda i: f"line {corner_lines[i]}")
        before = np.repeat(np.array(self._before, np.intp), counts)
        outside = np.flatnonzero((indices == 0) | (indices < -before))
        if len(outside):
            bad = outside[0]
            why = f"{before[bad]} stand before it" if indices[bad] else "OBJ files count from 1"
            raise _no_such_vertex(corner_lines[bad], indices[bad], why)
        indices += np.where(indices > 0, -1, before)
        self._blocks.append((indices, counts, lines))
        self._words, self._counts, self._lines, self._before = [], [], [], []

    def finish(self, vertex_count: int) -> tuple[np.ndarray, np.ndarray]:
        """Return the corners of all facets, with vertices numbered from 0, and the offsets."""
        self._flush()
        indices, counts, lines = (
            gathered([block[column] for block in self._blocks]) for column in range(3)
        )
        beyond = np.flatnonzero(indices >= vertex_count)
        if len(beyond):
            line = np.repeat(lines, counts)[beyond[0]]
            why = f"the file has {vertex_count} vertices"
            raise _no_such_vertex(line, indices[beyond[0]] + 1, why)
        return indices, offsets_of(counts)


def _no_such_vertex(line: int, vertex: int, why: str) -> ValueError:
    return ValueError(f"line {line}: a facet names vertex {vertex}, but {why}")
