"""NumPy's npy: one array, and spheres as rows of x, y, z and radius."""

from __future__ import annotations

import math
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from .frame import Frame
from .spheres import Spheres, check_arrays, from_arrays

# zipfile and NumPy raise these of damaged files, OSError where a place lies before the beginning.
_DAMAGE = (
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)

# how many letters of their message are shown
_SHOWN = 200

# a complex long double, which is the widest type, has so many bytes
_LARGEST_NUMBER = 32

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_spheres(path: Path) -> Spheres:
    """Read an (n, 4) array: x, y, z and radius."""
    with open(path, "rb") as file:
        with damage_told("npy"):
            header = read_header(file, os.fstat(file.fileno()).st_size)
        if header.ndim != 2 or header.shape[1] != 4:
            raise ValueError(f"it has shape {header.shape}, but must be (n, 4): x, y, z, radius")
        check_arrays(header[:, :3], header[:, 3])
        with damage_told("npy"):
            table = read_array(file)
    return from_arrays(table[:, :3], table[:, 3])


def read_frame(path: Path, names: Sequence[str]) -> Frame:
    """Read spheres; there are no further columns."""
    if names:
        raise ValueError(f"it has no column {names[0]}: it holds x, y, z and radius alone")
    return Frame(*read_spheres(path)[:3], columns={})


def read_column_names(path: Path) -> list[str]:
    """An array has none."""
    read_spheres(path)
    return []


@contextmanager
def damage_told(kind: str) -> Iterator[None]:
    """What a damaged file makes NumPy and zipfile raise becomes a ValueError."""
    try:
        yield
    except _DAMAGE as error:
        raise ValueError(f"it is no sound {kind} file: {str(error)[:_SHOWN]}") from None


def read_header(file: IO[bytes], size: int) -> NDArray:
    """What stands for the array of a file, before it is read: shape and dtype, but no memory.

    Parameters
    ----------
    file : binary file
    size : int
        How many bytes it has at most; a header that says more raises a ValueError.
    """
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"its format is {version}, not 1.0 or 2.0")
    shape, dtype = _shape_and_dtype(file, version)
    # Where one axis is 0 any length of another one would pass, so each is compared with the file's
    # size. NumPy takes True for 1, so types are compared, too.
    sound = all(type(n) is int and 0 <= n <= size for n in shape)
    if not sound or math.prod(shape) * dtype.itemsize > size:
        raise ValueError(f"an array says that it has shape {shape}, but {size} bytes are there")
    if dtype.kind in "OV" or dtype.itemsize > _LARGEST_NUMBER:
        raise ValueError(f"an array holds no numbers, but {dtype}")
    return np.broadcast_to(np.empty((), dtype), shape)


def _shape_and_dtype(file: IO[bytes], version: tuple[int, int]) -> tuple[tuple[int, ...], np.dtype]:
    try:
        shape, _, dtype = _HEADERS[version](file)
    except Exception as error:
        # NumPy evaluates the header as a Python expression, so a wrong one may raise anything,
        # IndexError, MemoryError, OverflowError, SyntaxError and TypeError among them
        raise ValueError(f"its header is broken: {error}") from None
    return shape, dtype


def read_array(file: IO[bytes]) -> NDArray:
    """The array of a file whose header was found sound."""
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)
