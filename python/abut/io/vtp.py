"""VTP, the XML format of VTK and ParaView for points and polygons, with appended raw data.

Points that are spheres are read, too.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, NamedTuple
from xml.etree import ElementTree
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import NDArray

from ..poses import Period
from .frame import Frame
from .npz import check_period, read_saved_period
from .spheres import check_arrays, from_arrays

if TYPE_CHECKING:
    from ..mesh import Mesh
    from ..table import Table

_Arrays = Mapping[str, NDArray]

_KINDS = {"f": "Float", "i": "Int", "u": "UInt"}

# the number before each array that says how many bytes it has
_LENGTH = np.dtype(np.uint64)


def save_table(table: Table, path: Path, extra: _Arrays) -> None:
    """Write contact points, a cell each, with all columns but the nodal weights as point data."""
    columns = table._in_space() | dict(extra)
    save_points(path, columns.pop("point"), columns)


def save_points(
    path: Path, points: NDArray, columns: _Arrays, fields: _Arrays | None = None
) -> None:
    """Write points, a cell each, with these columns as point data, and arrays of the whole."""
    places = np.arange(len(points))
    _write(
        path,
        [
            ("Points", {"Points": points}),
            ("Verts", {"connectivity": places, "offsets": places + 1}),
            ("PointData", columns),
        ],
        fields,
    )


def save_mesh(mesh: Mesh, path: Path) -> None:
    """Write a mesh's polygons, with each facet's normal, area, noise and source as cell data."""
    data = {"normal": mesh.normals, "area": mesh.areas, "noise": mesh.noise, "source": mesh.source}
    save_polygons(path, mesh.vertices, mesh.indices, mesh.offsets, {}, data)


def save_polygons(
    path: Path,
    vertices: NDArray,
    indices: NDArray,
    offsets: NDArray,
    of_vertices: _Arrays,
    of_facets: _Arrays,
) -> None:
    """Write polygons with these columns as point data and as cell data."""
    _write(
        path,
        [
            ("Points", {"Points": vertices}),
            ("Polys", {"connectivity": indices, "offsets": offsets[1:]}),
            ("PointData", of_vertices),
            ("CellData", of_facets),
        ],
    )


def _write(path: Path, sections: list[tuple[str, _Arrays]], fields: _Arrays | None = None) -> None:
    fields = fields or {}
    arrays = [array for _, named in sections for array in named.values()]
    arrays += fields.values()
    with open(path, "wb") as file:
        file.write(_head(sections, fields).encode())
        for array in arrays:
            file.write(_LENGTH.type(array.nbytes).tobytes())
            np.ascontiguousarray(array).tofile(file)
        file.write(b"\n</AppendedData>\n</VTKFile>\n")


def _head(sections: list[tuple[str, _Arrays]], fields: _Arrays) -> str:
    """The XML before the data, which says where each array begins."""
    counts = {"Points": 0, "Verts": 0, "Polys": 0}
    body, at = [], 0
    for section, arrays in sections:
        counts[section] = len(arrays.get("offsets", arrays.get("Points", ())))
        body.append(f"<{section}>")
        for name, array in arrays.items():
            body.append(_described(name, array, at))
            at += _LENGTH.itemsize + array.nbytes
        body.append(f"</{section}>")
    whole = []
    for name, array in fields.items():
        whole.append(_described(name, array, at, f' NumberOfTuples="{len(array)}"'))
        at += _LENGTH.itemsize + array.nbytes
    data = "<FieldData>\n" + "\n".join(whole) + "\n</FieldData>\n" if whole else ""
    order = "LittleEndian" if sys.byteorder == "little" else "BigEndian"
    return (
        '<?xml version="1.0"?>\n'
        f'<VTKFile type="PolyData" version="1.0" byte_order="{order}" header_type="UInt64">\n'
        f"<PolyData>\n{data}"
        f'<Piece NumberOfPoints="{counts["Points"]}" NumberOfVerts="{counts["Verts"]}"'
        f' NumberOfLines="0" NumberOfStrips="0" NumberOfPolys="{counts["Polys"]}">\n'
        + "\n".join(body)
        + '\n</Piece>\n</PolyData>\n<AppendedData encoding="raw">\n_'
    )


def _described(name: str, array: NDArray, offset: int, size: str = "") -> str:
    components = array.shape[1] if array.ndim == 2 else 1
    return (
        f'<DataArray type="{_KINDS[array.dtype.kind]}{8 * array.dtype.itemsize}"'
        f' Name={quoteattr(name)} NumberOfComponents="{components}"{size} format="appended"'
        f' offset="{offset}"/>'
    )


# ---- reading -------------------------------------------------------------------------------------

_POINTS, _PERIOD = "Points", "period"
_APPENDED = b"<AppendedData"
_ORDERS = {"LittleEndian": "<", "BigEndian": ">"}
_LENGTHS = {"UInt32": "u4", "UInt64": "u8"}
_TYPES = {
    f"{name}{8 * size}": f"{kind}{size}"
    for kind, name in _KINDS.items()
    for size in (1, 2, 4, 8)
    if kind != "f" or size >= 4
}

# heads have a line an array: what has more is no such file
_HEAD_BYTES = 1 << 20


class _Array(NamedTuple):
    """An array of a file, before it is read."""

    dtype: np.dtype
    width: int  # numbers of an entry
    begin: int  # of the number that says how many bytes it has


class _Head(NamedTuple):
    length_type: np.dtype  # of the numbers before arrays
    arrays: dict[str, _Array]  # of points, by their names
    period: _Array | None


def read_frame(path: Path, names: Sequence[str]) -> Frame:
    """Read points that have a radius, as `save_points` writes them, and further columns."""
    try:
        with open(path, "rb") as file:
            head = _read_head(file)
            found = _read_arrays(file, head.length_type, head.arrays, names)
            period = _read_period(file, head)
    except (ValueError, ElementTree.ParseError) as error:
        raise ValueError(f"{path}: {error}") from None
    own = (found["radius"], found.get("id"))
    check_arrays(path, found[_POINTS], *own)
    spheres = from_arrays(path, found[_POINTS], *own)
    return Frame(*spheres[:3], period=period, columns={name: found[name] for name in names})


def _read_period(file: BinaryIO, head: _Head) -> Period | None:
    if head.period is None:
        return None
    lengths = _read_array(file, head.length_type, _PERIOD, head.period)
    check_period(lengths)
    return read_saved_period({_PERIOD: lengths}, 3)


def _read_head(file: BinaryIO) -> _Head:
    text, mark, rest = file.read(_HEAD_BYTES).partition(_APPENDED)
    root = ElementTree.fromstring(text + b"</VTKFile>" if mark else text)
    tag = rest.partition(b"_")[0]
    is_raw = mark and b'encoding="raw"' in tag and not root.get("compressor")
    if root.get("type") != "PolyData" or not is_raw:
        raise ValueError(
            "it is no vtp file with appended raw data that is not compressed, as write_frames"
            " writes it"
        )
    order = _named(_ORDERS, root, "byte_order", "LittleEndian")
    length_type = np.dtype(order + _named(_LENGTHS, root, "header_type", "UInt32"))
    begin = len(text) + len(mark) + len(tag) + 1
    pieces = root.findall("PolyData/Piece")
    if len(pieces) != 1:
        raise ValueError(f"it has {len(pieces)} pieces, but one is read")
    items = [*pieces[0].findall("Points/DataArray"), *pieces[0].findall("PointData/DataArray")]
    names = [_POINTS, *(item.get("Name", "") for item in items[1:])]
    arrays = {
        name: _described_array(item, order, begin) for name, item in zip(names, items, strict=False)
    }
    fields = root.findall("PolyData/FieldData/DataArray")
    period = next((item for item in fields if item.get("Name") == _PERIOD), None)
    return _Head(
        length_type, arrays, None if period is None else _described_array(period, order, begin)
    )


def _named(table: Mapping[str, str], item: ElementTree.Element, key: str, usual: str) -> str:
    value = item.get(key, usual)
    if value not in table:
        raise ValueError(f"its {key} is {value!r}, but must be {' or '.join(table)}")
    return table[value]


def _described_array(item: ElementTree.Element, order: str, data: int) -> _Array:
    if item.get("format") != "appended":
        raise ValueError(f"{item.get('Name')} is {item.get('format')}, but must be appended")
    dtype = np.dtype(order + _named(_TYPES, item, "type", ""))
    width, offset = int(item.get("NumberOfComponents", "1")), int(item.get("offset", "0"))
    if width < 1 or offset < 0:
        raise ValueError(f"{item.get('Name')} has {width} components at {offset}")
    return _Array(dtype, width, data + offset)


def _read_arrays(
    file: BinaryIO, length_type: np.dtype, arrays: Mapping[str, _Array], names: Sequence[str]
) -> dict[str, NDArray]:
    there = ", ".join(name for name in arrays if name != _POINTS)
    for name in (_POINTS, "radius", *names):
        if name not in arrays:
            raise ValueError(f"there is no column {name}; the columns are {there}")
    found = {
        name: _read_array(file, length_type, name, arrays[name])
        for name in (_POINTS, "radius", "id", *names)
        if name in arrays
    }
    for name, array in found.items():
        if len(array) != len(found[_POINTS]):
            raise ValueError(
                f"{name} has {len(array)} entries, but there are {len(found[_POINTS])} points"
            )
    return found


def _read_array(file: BinaryIO, length_type: np.dtype, name: str, array: _Array) -> NDArray:
    left = file.seek(0, 2) - array.begin - length_type.itemsize
    if left < 0:
        raise ValueError(f"the file ends before {name}: it was cut off")
    file.seek(array.begin)
    size = int(np.frombuffer(file.read(length_type.itemsize), length_type)[0])
    entry = array.width * array.dtype.itemsize
    if size > left or size % entry:
        raise ValueError(f"{name} says that it has {size} bytes, but {left} are there: cut off?")
    numbers = np.frombuffer(file.read(size), array.dtype).astype(array.dtype.newbyteorder("="))
    return numbers.reshape(-1, array.width) if array.width > 1 else numbers
