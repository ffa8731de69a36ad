"""PLY files, ASCII or binary in either byte order: their vertices and polygons."""

from __future__ import annotations

import os
from array import array
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from struct import Struct
from typing import BinaryIO, NamedTuple

import numpy as np

from ..search.facets import Facets
from .digits import Coordinates
from .facets import offsets_of, triangles_of_strips
from .text import BLOCK, LINE_BYTES, Lines, integers, shown

# NumPy's name of each type of PLY. Most types have two names; only trimesh writes 64-bit integers.
_TYPES = {
    "char": "i1", "int8": "i1", "uchar": "u1", "uint8": "u1",
    "short": "i2", "int16": "i2", "ushort": "u2", "uint16": "u2",
    "int": "i4", "int32": "i4", "uint": "u4", "uint32": "u4", "int64": "i8", "uint64": "u8",
    "float": "f4", "float32": "f4", "double": "f8", "float64": "f8",
}  # fmt: skip
_STRUCT = {"i1": "b", "u1": "B", "i2": "h", "u2": "H", "i4": "i", "u4": "I", "i8": "q", "u8": "Q"}
_ORDERS = {b"ascii": "", b"binary_little_endian": "<", b"binary_big_endian": ">"}
_AXES = ("x", "y", "z")
_FACES, _STRIPS = "face", "tristrips"
_CORNERS = ("vertex_indices", "vertex_index")


class _Property(NamedTuple):
    name: str
    type: str  # NumPy's name of the type, without the byte order
    count_type: str  # for a list, the type of its length; empty for a single value

    def smallest(self) -> int:
        """Return the smallest number of bytes of this property in a row of a binary file."""
        return int((self.count_type or self.type)[1])


class _Element(NamedTuple):
    name: str
    row_count: int
    properties: list[_Property]

    def axes(self) -> list[int]:
        """Return the indices of the properties x, y and z."""
        names = [item.name for item in self.properties if not item.count_type]
        for axis in _AXES:
            if axis not in names:
                raise ValueError(f"element vertex has no property {axis}")
        return [[item.name for item in self.properties].index(axis) for axis in _AXES]

    def corners(self) -> int:
        """Return the index of the property that lists the corners of a facet."""
        for i, item in enumerate(self.properties):
            if item.name in _CORNERS and item.count_type and item.type in _STRUCT:
                return i
        raise ValueError(f"element {self.name} has no list of whole numbers {_CORNERS[0]}")


class _Column(NamedTuple):
    """One property of all rows: all its values, and the number of values in each row."""

    values: np.ndarray
    counts: np.ndarray


def read(path: Path) -> Facets:
    """Read the elements vertex, face and tristrips of a PLY file; other elements are skipped."""
    with open(path, "rb") as file:
        order, elements = _read_header(file)
        _check_names(elements)
        body = _Binary(file, order) if order else _Ascii(file)
        return _read_elements(body, elements)


def _read_elements(body: _Ascii | _Binary, elements: list[_Element]) -> Facets:
    parts: list[_Column] = []
    for element in elements:
        body.check_count(element)
        if element.name == "vertex":
            vertices, units = body.vertices(element)
        elif element.name == _FACES:
            parts.insert(0, body.corners(element))
        elif element.name == _STRIPS:
            parts.append(_triangles(body.corners(element)))
        else:
            body.skip(element)
    corners = _Column(*(np.concatenate(column) for column in zip(*parts, strict=True)))
    _check_corners(corners, len(vertices))
    return Facets(vertices, corners.values.astype(np.intp), offsets_of(corners.counts), units)


def _triangles(strips: _Column) -> _Column:
    """Return the triangles of strips; in a row, -1 ends a strip, and another one begins."""
    values = strips.values.astype(np.intp)
    is_end = values == -1
    # the number of rows and of ends before each value is the same for values of one strip only
    row = np.repeat(np.arange(len(strips.counts)), strips.counts)
    strip = (row + np.cumsum(is_end))[~is_end]
    counts = np.unique(strip, return_counts=True)[1]
    corners, _ = triangles_of_strips(values[~is_end], counts)
    return _Column(corners, np.full(len(corners) // 3, 3, np.intp))


def _check_corners(corners: _Column, vertex_count: int) -> None:
    indices, counts = corners
    outside = np.flatnonzero((indices < 0) | (indices >= vertex_count))
    if len(outside):
        facet = np.repeat(np.arange(len(counts)), counts)[outside[0]]
        raise ValueError(
            f"facet {facet} names vertex {indices[outside[0]]}, but there are {vertex_count}"
            " vertices"
        )


# ---- header ----


def _read_header(file: BinaryIO) -> tuple[str, list[_Element]]:
    """Read the header, and return the byte order (empty for ASCII) and the elements."""
    if file.readline(16).strip() != b"ply":
        raise ValueError("it is not a PLY file: the first line is not 'ply'")
    order, elements = None, []
    for number, line in enumerate(iter(partial(file.readline, LINE_BYTES), b""), 2):
        words = line.split()
        if words == [b"end_header"]:
            break
        try:
            if words[:1] == [b"format"]:
                order = _ORDERS[words[1]]
            elif words[:1] == [b"element"]:
                elements.append(_read_element(words))
            elif words[:1] == [b"property"]:
                elements[-1].properties.append(_read_property(words))
        except (IndexError, KeyError, ValueError):
            raise ValueError(f"line {number} is broken: {shown(line.strip())}") from None
    else:
        raise ValueError("the header has no end_header")
    if order is None:
        raise ValueError("the header has no line 'format'")
    return order, elements


def _read_element(words: list[bytes]) -> _Element:
    _, name, digits = words
    if not digits.isdigit():
        raise ValueError
    return _Element(name.decode(), int(digits), [])


def _read_property(words: list[bytes]) -> _Property:
    if words[1] != b"list":
        _, code, name = (word.decode() for word in words)
        return _Property(name, _TYPES[code], "")
    _, _, count, code, name = (word.decode() for word in words)
    if _TYPES[count] not in _STRUCT:
        raise ValueError
    return _Property(name, _TYPES[code], _TYPES[count])


def _check_names(elements: list[_Element]) -> None:
    names = [element.name for element in elements]
    for name in ("vertex", _FACES, _STRIPS):
        is_needed = name != _STRIPS and (name != _FACES or _STRIPS not in names)
        if names.count(name) > 1 or (is_needed and name not in names):
            raise ValueError(f"the header has {names.count(name)} elements {name}, not one")


def _too_many(element: _Element, size: int) -> ValueError:
    return ValueError(
        f"the header announces {element.row_count} rows of element {element.name},"
        f" but the remaining {size} bytes cannot hold them"
    )


def _cut_off(element: _Element, row: int) -> ValueError:
    return ValueError(
        f"the header announces {element.row_count} rows of element {element.name},"
        f" but the file ends in row {row}"
    )


def _bad_row(element: _Element, row: int, why: str) -> ValueError:
    return ValueError(f"row {row} of element {element.name} {why}")


# ---- ASCII ----


class _Ascii:
    """Rows of an ASCII file, one in each line."""

    def __init__(self, file: BinaryIO):
        self._size = os.fstat(file.fileno()).st_size - file.tell()
        lines = Lines(file, "after the header, line ")
        self._rows_left = (words for _, line in lines if (words := line.split()))

    def check_count(self, element: _Element) -> None:
        # Each row has at least two bytes, a digit and a line end, but the last may have no end.
        if element.properties and 2 * element.row_count - 1 > self._size:
            raise _too_many(element, self._size)

    def vertices(self, element: _Element) -> tuple[np.ndarray, np.ndarray | None]:
        coordinates = Coordinates("vertex ")
        axes = element.axes()
        for row, fields in self._rows(element):
            coordinates.add([fields[axis][0] for axis in axes], row)
        return coordinates.finish()

    def corners(self, element: _Element) -> _Column:
        wanted = element.corners()
        blocks: list[np.ndarray] = []
        counts = array("q")
        words: list[bytes] = []
        rows: list[int] = []
        for row, fields in self._rows(element):
            corners = fields[wanted]
            words += corners
            rows += [row] * len(corners)
            counts.append(len(corners))
            if len(words) >= BLOCK:
                blocks.append(_corner_numbers(element, rows, words))
                words, rows = [], []
        blocks.append(_corner_numbers(element, rows, words))
        return _Column(np.concatenate(blocks), np.array(counts, np.intp))

    def skip(self, element: _Element) -> None:
        for _ in self._rows(element):
            pass

    def _rows(self, element: _Element) -> Iterator[tuple[int, list[list[bytes]]]]:
        """Return each row's number, and one list of words for each property."""
        rows = 0
        # An element without properties has only blank lines, which `_rows_left` skips.
        for words in islice(self._rows_left, element.row_count if element.properties else 0):
            yield rows, _fields(words, element, rows)
            rows += 1
        if element.properties and rows < element.row_count:
            raise _cut_off(element, rows)


def _corner_numbers(element: _Element, rows: list[int], words: list[bytes]) -> np.ndarray:
    """Convert words to numbers of vertices; `rows` has each word's row, for errors."""
    return integers(words, lambda i: f"row {rows[i]} of element {element.name}")


def _fields(words: list[bytes], element: _Element, row: int) -> list[list[bytes]]:
    fields, at = [], 0
    for item in element.properties:
        count = 1
        if item.count_type:
            count = _list_length(words[at : at + 1])
            at += 1
        if count < 0:
            raise _bad_row(element, row, "has a list without its length")
        fields.append(words[at : at + count])
        at += count
    if at != len(words):
        raise _bad_row(element, row, f"has {len(words)} words, but its properties take {at}")
    return fields


def _list_length(words: list[bytes]) -> int:
    """Return the length of a list, which is its first word; -1 if there is no such word."""
    return int(words[0]) if words and words[0].isdigit() else -1


# ---- binary ----


class _Binary:
    """Rows of a binary file, without gaps between them."""

    def __init__(self, file: BinaryIO, order: str):
        self._data = file.read()
        self._at = 0
        self._order = order

    def check_count(self, element: _Element) -> None:
        size = len(self._data) - self._at
        if element.row_count * sum(item.smallest() for item in element.properties) > size:
            raise _too_many(element, size)

    def vertices(self, element: _Element) -> tuple[np.ndarray, np.ndarray | None]:
        columns = self._columns(element, element.axes())
        with np.errstate(invalid="ignore"):  # converting a signaling NaN raises this flag
            vertices = np.stack([column.values.astype(np.float64) for column in columns], axis=1)
        finite = np.isfinite(vertices).all(axis=1)
        if not finite.all():
            raise _bad_row(element, int(np.argmin(finite)), "has a coordinate that is not finite")
        return vertices, None

    def corners(self, element: _Element) -> _Column:
        return self._columns(element, [element.corners()])[0]

    def skip(self, element: _Element) -> None:
        self._columns(element, [])

    def _columns(self, element: _Element, wanted: list[int]) -> list[_Column]:
        """Return the wanted properties of all rows."""
        if not element.row_count or not element.properties:
            nothing = np.empty(0, np.intp)
            return [_Column(nothing, nothing) for _ in wanted]
        rows = self._uniform_rows(element)
        if rows is None:
            return self._mixed_columns(element, wanted)
        self._at += rows.nbytes
        values = [rows[str(i)].reshape(len(rows), -1) for i in wanted]
        return [_Column(v.reshape(-1), np.full(len(rows), v.shape[1], np.intp)) for v in values]

    def _uniform_rows(self, element: _Element) -> np.ndarray | None:
        """Return the rows as one array; None if some lists are not as long as the first row's."""
        dtype = self._first_dtype(element)
        if dtype is None or self._at + element.row_count * dtype.itemsize > len(self._data):
            return None
        rows = np.frombuffer(self._data, dtype, element.row_count, self._at)
        lengths = [rows[name] for name in dtype.names or () if name.startswith("length")]
        return rows if all((length == length[0]).all() for length in lengths) else None

    def _first_dtype(self, element: _Element) -> np.dtype | None:
        """Return the layout of the first row as a dtype; None if the file ends within this row.

        Its fields are "0", "1", ... for the properties, and "length 0", ... for lengths of lists.
        """
        fields: list[tuple] = []
        at = self._at
        for i, item in enumerate(element.properties):
            count = 1
            if item.count_type:
                length = np.dtype(self._order + item.count_type)
                if at + length.itemsize > len(self._data):
                    return None
                count = int(np.frombuffer(self._data, length, 1, at)[0])
                fields.append((f"length {i}", length))
                at += length.itemsize
            value = np.dtype(self._order + item.type)
            at += count * value.itemsize
            if count < 0 or at > len(self._data):
                return None
            fields.append((str(i), value, (count,)))
        return np.dtype(fields)

    def _mixed_columns(self, element: _Element, wanted: list[int]) -> list[_Column]:
        """Return the wanted properties of rows with lists of different lengths, read one by one."""
        pieces = [_Pieces(self._order + item.type) for item in element.properties]
        steps = [self._step(item) for item in element.properties]
        taken = [piece if i in wanted else None for i, piece in enumerate(pieces)]
        at, data = self._at, self._data
        for row in range(element.row_count):
            for (unpack, length_size, size), piece in zip(steps, taken, strict=True):
                count = 1
                if unpack:
                    count = unpack(data, at)[0] if at + length_size <= len(data) else 0
                    at += length_size
                if count < 0:
                    raise _bad_row(element, row, f"has a list of {count} entries")
                if piece:
                    piece.add(data[at : at + count * size])
                at += count * size
            if at > len(data):
                raise _cut_off(element, row)
        self._at = at
        return [pieces[i].finish() for i in wanted]

    def _step(self, item: _Property) -> tuple[Callable[..., tuple] | None, int, int]:
        """Return the function that reads a list's length, and the bytes of a length and a value."""
        size = int(item.type[1])
        if not item.count_type:
            return None, 0, size
        length = Struct(self._order + _STRUCT[item.count_type])
        return length.unpack_from, length.size, size


class _Pieces:
    """The values of one property, collected from rows of different lengths."""

    def __init__(self, dtype: str):
        self._dtype = np.dtype(dtype)
        self._pieces: list[bytes] = []
        self._blocks: list[_Column] = []

    def add(self, piece: bytes) -> None:
        self._pieces.append(piece)
        if len(self._pieces) >= BLOCK:
            self._flush()

    def _flush(self) -> None:
        sizes = np.fromiter(map(len, self._pieces), np.intp, len(self._pieces))
        # The last value is dropped if it is cut off; the caller then raises the error.
        values = b"".join(self._pieces)
        whole = len(values) // self._dtype.itemsize
        column = _Column(np.frombuffer(values, self._dtype, whole), sizes // self._dtype.itemsize)
        self._blocks.append(column)
        self._pieces = []

    def finish(self) -> _Column:
        self._flush()
        return _Column(*(np.concatenate(column) for column in zip(*self._blocks, strict=True)))
