"""The XML files of VTK and ParaView: reading arrays in any storage, and writing them.

Numbers are stored in an element as text or base64, or in a section at the end, raw or as base64.
All except text may be compressed. This module writes numbers raw, at the end, not compressed.

VTK itself is not used, for two reasons. Reading the frames of a simulation, which are such files,
must need only NumPy. For damaged files VTK returns an empty or wrong mesh, or ends the process:
benchmarks/damaged_vtk.py counts how often.
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
# The possible types of the number of bytes that precedes the data of an array.
_LENGTHS = {"UInt32": "u4", "UInt64": "u8"}
_LENGTH = np.dtype(np.uint64)

# The largest size of all arrays that are read, as a multiple of the file's size. A few megabytes of
# pieces that all refer to one array would need gigabytes.
_MOST_OF_A_FILE = 16

_APPENDED, _FOOT = b"<AppendedData", b"</VTKFile>"

_ESCAPES = str.maketrans(
    {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;"}
    | {"\t": "&#9;", "\n": "&#10;", "\r": "&#13;"}
)


# ---- writing -------------------------------------------------------------------------------------


class Section(NamedTuple):
    """A section of the piece in a file, such as ``PointData``, with its arrays."""

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
        The counts in the head of the piece, such as ``NumberOfPoints``.
    sections : sequence of Section
    fields : dict, optional
        Arrays that belong to the whole file, not to points or cells.
    """
    fields = fields or {}
    arrays = [array for section in sections for array in section.arrays.values()]
    arrays += fields.values()
    with writing.opened(path) as file:
        file.write(_head(kind, counts, sections, fields).encode())
        for array in arrays:
            file.write(_LENGTH.type(array.nbytes).tobytes())
            # ndarray.tofile raises no error if a full disk lacks less than 4096 bytes.
            file.write(np.ascontiguousarray(array))
        file.write(b"\n</AppendedData>\n</VTKFile>\n")


def _head(
    kind: str, counts: Mapping[str, int], sections: Sequence[Section], fields: ArraysByName
) -> str:
    """Return the XML before the data, with the offset of each array."""
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
    """Quote the value of an attribute. xml.sax.saxutils is not used: its import takes long."""
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
    is_raw: bool  # whether appended data are raw, not base64


class File:
    """An open file, for use in a ``with`` block. `read` returns the array of an element.

    Parameters
    ----------
    path : Path
    kind : str
        The type that the file must have: ``PolyData`` or ``UnstructuredGrid``.

    Attributes
    ----------
    pieces : list of Element
    fields : list of Element
        The elements of the arrays that belong to the whole file.

    Raises
    ------
    ValueError
        If the file is not of this type; the message does not name the file.
    """

    def __init__(self, path: Path, kind: str):
        with open(path, "rb") as file:
            if not file.seek(0, 2):
                raise ValueError("it is empty")
            self._data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        try:
            root = self._parse()
            if root.get("type") != kind:
                raise ValueError(f"it is a VTK file of type {root.get('type')}, not {kind}")
            self.pieces = root.findall(f"{kind}/Piece")
            self.fields = root.findall(f"{kind}/FieldData/DataArray")
        except BaseException:
            self._data.close()
            raise

    def _parse(self) -> Element:
        """Parse and return the elements, without the appended section, which may not be XML."""
        # Imported only when needed, since this takes as long as the rest of this package.
        from xml.etree import ElementTree

        at = self._data.find(_APPENDED)
        try:
            root = ElementTree.fromstring(self._data[:] if at < 0 else self._data[:at] + _FOOT)
        # An unknown encoding raises a LookupError.
        except (ElementTree.ParseError, LookupError) as error:
            raise ValueError(f"it is not an XML file, or was cut off: {error}") from None
        is_raw, self._begin = True, len(self._data)
        if at >= 0:
            start = self._data.find(b"_", at)
            self._begin = len(self._data) if start < 0 else start + 1
            is_raw = b'"base64"' not in self._data[at : self._begin]
        order = _known(_ORDERS, root, "byte_order", "LittleEndian")
        length = np.dtype(order + _known(_LENGTHS, root, "header_type", "UInt32"))
        compressor = _known(_COMPRESSORS, root, "compressor", "")
        # For the limit in `_count`: the offsets of the appended arrays that were read, the sums of
        # their bytes in the file and unpacked, and the unpacked bytes of arrays read again.
        self._offsets: set[int] = set()
        self._taken = self._unpacked = self._repeated = 0
        self._form = _Form(order, length, compressor, is_raw)
        return root

    def __enter__(self) -> File:
        return self

    def __exit__(self, *exception: object) -> None:
        self._data.close()

    def read(self, item: Element) -> NDArray:
        """Read the numbers of a DataArray, (n,) or (n, components)."""
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
            raise ValueError(f"{name} has {len(numbers)} numbers, but {width} components")
        return numbers.reshape(-1, width) if width > 1 else numbers

    def _numbers(self, item: Element, dtype: np.dtype) -> NDArray:
        storage = item.get("format", "ascii")
        if storage == "ascii":
            return _of_text(item.text or "", dtype)
        if storage == "binary":
            content = _content(_Base64((item.text or "").strip().encode(), 0), self._form)
        elif storage == "appended":
            content = self._appended(_whole(item, "offset", 0))
        else:
            raise ValueError(f"its format is {storage!r}, but must be ascii, binary or appended")
        if len(content) % dtype.itemsize:
            raise ValueError(f"its {len(content)} bytes are not a multiple of a {dtype.name}")
        return np.frombuffer(content, dtype).astype(dtype.newbyteorder("="))

    def _appended(self, offset: int) -> bytes:
        """Return the unpacked bytes of an array in the appended section."""
        begin = self._begin + offset
        if not self._begin <= begin < len(self._data):
            raise ValueError(f"the file ends before its byte {begin}: it was cut off")
        data = (_Raw if self._form.is_raw else _Base64)(self._data, begin)
        content = _content(data, self._form)
        self._count(offset, data.at - begin, len(content))
        return content

    def _count(self, offset: int, taken: int, unpacked: int) -> None:
        """Count the bytes of an appended array in the file and in memory; raise if too many."""
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
                "too many arrays share the same appended data: they need more than"
                f" {_MOST_OF_A_FILE} times the bytes of the file"
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
    """A reader of raw bytes."""

    def __init__(self, data, begin: int):
        self._data, self.at = data, begin

    def take(self, size: int) -> bytes:
        left = len(self._data) - self.at
        if size > left:
            raise ValueError(f"it should have {size} bytes, but {left} remain: it may be cut off")
        taken = self._data[self.at : self.at + size]
        self.at += size
        return taken

    def end_block(self) -> None:
        """Start a new block of base64; does nothing here, since raw bytes have no blocks."""


class _Base64(_Raw):
    """A reader of bytes in base64. Some programs end a block after the lengths, others do not."""

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
            if text.endswith(b"="):  # the end of a block of base64
                taken, self._decoded = self._decoded[:size], b""
                return taken
        taken, self._decoded = self._decoded[:size], self._decoded[size:]
        return taken

    def end_block(self) -> None:
        self._decoded = b""


def _content(data: _Raw, form: _Form) -> bytes:
    """Return the unpacked bytes of an array.

    Before it, the data have its length or, if it is compressed, the lengths of its blocks.
    """
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


# Both functions allow one byte more than `size`, so that `_checked` notices data that are longer.
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
