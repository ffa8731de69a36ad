"""The XML files of VTK and ParaView: their arrays, whichever way these are stored.

Numbers stand in an element as text or in base64, or in a section at the end, raw or in base64. All
but text may be compressed. What is written here is raw, at the end, and not compressed.

These files are read here, and not by VTK, since frames of a simulation are such files, which NumPy
alone must do for, and since VTK gives an empty mesh or another one for damaged files, or ends the
process: benchmarks/damaged_vtk.py counts how often.
"""

from __future__ import annotations

import base64
import binascii
import lzma
import mmap
import sys
import zlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import writing

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

ArraysByName = Mapping[str, NDArray]

_KINDS = {"f": "Float", "i": "Int", "u": "UInt"}
_TYPES = {
    f"{name}{8 * size}": f"{kind}{size}"
    for kind, name in _KINDS.items()
    for size in (1, 2, 4, 8)
    if kind != "f" or size >= 4
}
_ORDERS = {"LittleEndian": "<", "BigEndian": ">"}
# the types of the numbers before an array's data, which say how many bytes it has
_LENGTHS = {"UInt32": "u4", "UInt64": "u8"}
_LENGTH = np.dtype(np.uint64)

# Pieces may share arrays, but a few megabytes of pieces that all name one array would ask for
# gigabytes. So a file may ask for at most this many times what it has.
_MOST_OF_A_FILE = 16

_APPENDED, _FOOT = b"<AppendedData", b"</VTKFile>"

_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    | {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


# ---- writing -------------------------------------------------------------------------------------


class Section(NamedTuple):
    """A part of a file's one piece, such as ``PointData``, and its arrays."""

    name: str
    arrays: ArraysByName


def write(
    path: Path,
    kind: str,
    counts: Mapping[str, int],
    sections: Sequence[Section],
    fields: ArraysByName | None = None,
) -> None:
    """Write a file of one piece.

    Parameters
    ----------
    path : Path
    kind : str
        ``PolyData`` or ``UnstructuredGrid``.
    counts : dict
        How many there are, by the piece's attributes, such as ``NumberOfPoints``.
    sections : sequence of Section
    fields : dict, optional
        Arrays of the whole.
    """
    fields = fields or {}
    arrays = [array for section in sections for array in section.arrays.values()]
    arrays += fields.values()
    with writing.opened(path) as file:
        file.write(_head(kind, counts, sections, fields).encode())
        for array in arrays:
            file.write(_LENGTH.type(array.nbytes).tobytes())
            # ndarray.tofile raises nothing where a full disk lacks less than 4096 bytes
            file.write(np.ascontiguousarray(array))
        file.write(b"\n</AppendedData>\n</VTKFile>\n")


def _head(
    kind: str, counts: Mapping[str, int], sections: Sequence[Section], fields: ArraysByName
) -> str:
    """The XML before the data, which says where each array begins."""
    body, at = [], 0
    for section in sections:
        body.append(f"<{section.name}>")
        for name, array in section.arrays.items():
            body.append(_described(name, array, at))
            at += _LENGTH.itemsize + array.nbytes
        body.append(f"</{section.name}>")
    whole = []
    for name, array in fields.items():
        whole.append(_described(name, array, at, f' NumberOfTuples="{len(array)}"'))
        at += _LENGTH.itemsize + array.nbytes
    data = "<FieldData>\n" + "\n".join(whole) + "\n</FieldData>\n" if whole else ""
    order = "LittleEndian" if sys.byteorder == "little" else "BigEndian"
    counted = "".join(f' {name}="{count}"' for name, count in counts.items())
    return (
        '<?xml version="1.0"?>\n'
        f'<VTKFile type="{kind}" version="1.0" byte_order="{order}" header_type="UInt64">\n'
        f"<{kind}>\n{data}<Piece{counted}>\n"
        + "\n".join(body)
        + f'\n</Piece>\n</{kind}>\n<AppendedData encoding="raw">\n_'
    )


def quoted(text: str) -> str:
    """The value of an attribute, as xml.sax.saxutils makes it, which takes long to import."""
    return f'"{text.translate(_ESCAPES)}"'


def _described(name: str, array: NDArray, offset: int, size: str = "") -> str:
    components = f' NumberOfComponents="{array.shape[1]}"' if array.ndim == 2 else ""
    return (
        f'<DataArray type="{_KINDS[array.dtype.kind]}{8 * array.dtype.itemsize}"'
        f' Name={quoted(name)}{components}{size} format="appended" offset="{offset}"/>'
    )


# ---- reading -------------------------------------------------------------------------------------


class _Form(NamedTuple):
    """How the numbers of a file are stored."""

    order: str
    length: np.dtype
    decompress: Callable[[bytes, int], bytes] | None
    is_raw: bool  # whether appended data are raw, and not base64


class File:
    """A file that is open, as a context: its elements, and what reads their arrays.

    Parameters
    ----------
    path : Path
    kind : str
        What it must be of: ``PolyData`` or ``UnstructuredGrid``.

    Attributes
    ----------
    pieces : list of Element
    fields : list of Element
        The arrays of the whole.

    Raises
    ------
    ValueError
        If it is no such file; the message does not name it.
    """

    def __init__(self, path: Path, kind: str):
        with open(path, "rb") as file:
            if not file.seek(0, 2):
                raise ValueError("it is empty")
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            root = self._parse()
            if root.get("type") != kind:
                raise ValueError(f"it is no VTK file of type {kind}, but {root.get('type')}")
            self.pieces = root.findall(f"{kind}/Piece")
            self.fields = root.findall(f"{kind}/FieldData/DataArray")
        except BaseException:
            self._data.close()
            raise

    def _parse(self) -> Element:
        """The elements; what is appended raw is no XML, and ends them."""
        # imported only here, since it takes as long as the rest of this room
        from xml.etree import ElementTree

        at = self._data.find(_APPENDED)
        try:
            root = ElementTree.fromstring(self._data[:] if at < 0 else self._data[:at] + _FOOT)
        # an unknown encoding is a LookupError
        except (ElementTree.ParseError, LookupError) as error:
            raise ValueError(f"it is no XML file, or was cut off: {error}") from None
        is_raw, self._begin = True, len(self._data)
        if at >= 0:
            start = self._data.find(b"_", at)
            self._begin = len(self._data) if start < 0 else start + 1
            is_raw = b'"base64"' not in self._data[at : self._begin]
        order = _known(_ORDERS, root, "byte_order", "LittleEndian")
        length = np.dtype(order + _known(_LENGTHS, root, "header_type", "UInt32"))
        compressor = _known(_COMPRESSORS, root, "compressor", "")
        # where the appended arrays begin that were read; how many bytes these take in the file, how
        # many unpacked, and how many were read a second time
        self._offsets: set[int] = set()
        self._taken = self._unpacked = self._repeated = 0
        self._form = _Form(order, length, compressor, is_raw)
        return root

    def __enter__(self) -> File:
        return self

    def __exit__(self, *exception: object) -> None:
        self._data.close()

    def read(self, item: Element) -> NDArray:
        """The numbers of a DataArray, (n,) or (n, components)."""
        name = item.get("Name", item.tag)
        dtype = np.dtype(self._form.order + _known(_TYPES, item, "type", ""))
        width = _whole(item, "NumberOfComponents", 1)
        if width < 1:
            raise ValueError(f"{name} has {width} components")
        try:
            numbers = self._numbers(item, dtype)
        except (zlib.error, lzma.LZMAError, binascii.Error) as error:
            raise ValueError(f"{name} is broken, or was cut off: {error}") from None
        except (ValueError, OverflowError) as error:
            raise ValueError(f"{name}: {error}") from None
        if len(numbers) % width:
            raise ValueError(f"{name} has {len(numbers)} numbers, but {width} make an entry")
        return numbers.reshape(-1, width) if width > 1 else numbers

    def _numbers(self, item: Element, dtype: np.dtype) -> NDArray:
        kept = item.get("format", "ascii")
        if kept == "ascii":
            return _of_text(item.text or "", dtype)
        if kept == "binary":
            content = _content(_Base64((item.text or "").strip().encode(), 0), self._form)
        elif kept == "appended":
            content = self._appended(_whole(item, "offset", 0))
        else:
            raise ValueError(f"its format is {kept!r}, but must be ascii, binary or appended")
        if len(content) % dtype.itemsize:
            raise ValueError(f"its {len(content)} bytes are no whole number of {dtype.name}")
        return np.frombuffer(content, dtype).astype(dtype.newbyteorder("="))

    def _appended(self, offset: int) -> bytes:
        """The bytes of an array behind the elements."""
        begin = self._begin + offset
        if not self._begin <= begin < len(self._data):
            raise ValueError(f"the file ends before it, at {begin}: it was cut off")
        data = (_Raw if self._form.is_raw else _Base64)(self._data, begin)
        content = _content(data, self._form)
        self._count(offset, data.at - begin, len(content))
        return content

    def _count(self, offset: int, taken: int, unpacked: int) -> None:
        """Complain where what is read, in the file or unpacked, is far more than there is."""
        if offset in self._offsets:
            self._repeated += unpacked
        else:
            self._offsets.add(offset)
            self._taken += taken
            self._unpacked += unpacked
        size = len(self._data)
        asked = max(self._taken / size, self._repeated / (size + self._unpacked))
        if asked > _MOST_OF_A_FILE:
            raise ValueError(
                "too many arrays are of the same appended data: they ask for more than"
                f" {_MOST_OF_A_FILE} times what is there"
            )


def _known(table: Mapping, item: Element, key: str, usual: str):
    value = item.get(key, usual)
    if value not in table:
        names = " or ".join(name or "none" for name in table)
        raise ValueError(f"its {key} is {value!r}, but must be {names}")
    return table[value]


def _whole(item: Element, key: str, usual: int) -> int:
    text = item.get(key, str(usual))
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"{item.get('Name', item.tag)} has {key}={text!r}") from None


def _of_text(text: str, dtype: np.dtype) -> NDArray:
    return np.array(text.split(), dtype=dtype.newbyteorder("="))


class _Raw:
    """Bytes one after the other."""

    def __init__(self, data, begin: int):
        self._data, self.at = data, begin

    def take(self, size: int) -> bytes:
        left = len(self._data) - self.at
        if size > left:
            raise ValueError(f"it says that it has {size} bytes, but {left} are there: cut off?")
        taken = self._data[self.at : self.at + size]
        self.at += size
        return taken

    def end_block(self) -> None:
        """What follows is encoded anew; raw bytes are not encoded at all."""


class _Base64(_Raw):
    """Bytes in base64, of which writers end a block after the lengths, or do not."""

    def __init__(self, data, begin: int):
        super().__init__(data, begin)
        self._decoded = b""

    def take(self, size: int) -> bytes:
        missing = size - len(self._decoded)
        if missing > 0:
            text = super().take(-(-missing // 3) * 4)
            self._decoded += base64.b64decode(text, validate=True)
            if len(self._decoded) < size:
                raise ValueError(f"it ends after {len(self._decoded)} of {size} bytes")
            if text.endswith(b"="):  # base64 ends a block so
                taken, self._decoded = self._decoded[:size], b""
                return taken
        taken, self._decoded = self._decoded[:size], self._decoded[size:]
        return taken

    def end_block(self) -> None:
        self._decoded = b""


def _content(data: _Raw, form: _Form) -> bytes:
    """The bytes of an array, after the lengths that stand before them."""
    size = form.length.itemsize
    first = int(np.frombuffer(data.take(size), form.length)[0])
    if form.decompress is None:
        return data.take(first)
    if first == 0:
        return b""
    lengths = np.frombuffer(data.take(size * (2 + first)), form.length).tolist()
    data.end_block()
    block, last, packed = lengths[0], lengths[1], lengths[2:]
    sizes = [block] * first
    sizes[-1] = last or block
    return b"".join(
        form.decompress(data.take(length), size) for length, size in zip(packed, sizes, strict=True)
    )


# asks for one byte more than announced, which would show that there are more
def _inflate(packed: bytes, size: int) -> bytes:
    return _checked(zlib.decompressobj().decompress(packed, size + 1), size)


def _unpack_lzma(packed: bytes, size: int) -> bytes:
    return _checked(lzma.LZMADecompressor().decompress(packed, size + 1), size)


def _checked(content: bytes, size: int) -> bytes:
    if len(content) != size:
        more = " or more" if len(content) > size else ""
        raise ValueError(f"a block of it has {len(content)} bytes{more}, but {size} are announced")
    return content


_COMPRESSORS = {
    "": None,
    "vtkZLibDataCompressor": _inflate,
    "vtkLZMADataCompressor": _unpack_lzma,
}
