"""NumPy's npy files: one array, or spheres as rows of x, y, z and radius."""

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

# The errors that zipfile and NumPy raise for damaged files (OSError: at a negative position).
_DAMAGE = (
    EOFError,
    OSError,
    RuntimeError,
    ValueError,
    struct.error,
    zipfile.BadZipFile,
    zlib.error,
)

# The largest number of letters of such an error's message that our message repeats.
_SHOWN = 200

# The bytes of a number of NumPy's widest type, a complex long double.
_LARGEST_NUMBER = 32

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_spheres(path: Path) -> Spheres:
    """Read an (n, 4) array: x, y, z and radius."""
    with open(path, "rb") as file:
        with damage_as_value_error("npy"):
            header = read_header(file, os.fstat(file.fileno()).st_size)
        if header.ndim != 2 or header.shape[1] != 4:
            raise ValueError(f"it has shape {header.shape}, but must be (n, 4): x, y, z, radius")
        check_arrays(header[:, :3], header[:, 3])
        with damage_as_value_error("npy"):
            table = read_array(file)
    return from_arrays(table[:, :3], table[:, 3])


def read_frame(path: Path, names: Sequence[str]) -> Frame:
    """Read spheres; raise if `names` is not empty, since the file has no further columns."""
    if names:
        raise ValueError(f"it has no column {names[0]}: it holds only x, y, z and radius")
    return Frame(*read_spheres(path)[:3], columns={})


def read_column_names(path: Path) -> list[str]:
    """Check that the file holds spheres; return no names, since an array has none."""
    read_spheres(path)
    return []


@contextmanager
def damage_as_value_error(kind: str) -> Iterator[None]:
    """Turn the errors that NumPy and zipfile raise for a damaged file into a ValueError."""
    try:
        yield
    except _DAMAGE as error:
        raise ValueError(f"it is not a valid {kind} file: {str(error)[:_SHOWN]}") from None


def read_header(file: IO[bytes], size: int) -> NDArray:
    """Read the shape and dtype of a file's array.

    Returns an array of this shape and dtype that uses no memory for its items.

    Parameters
    ----------
    file : binary file
    size : int
        The largest possible size of the file in bytes; if the array needs more, raise a ValueError.
    """
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"its format is {version}, not 1.0 or 2.0")
    shape, dtype = _shape_and_dtype(file, version)
    # Each axis is compared with the file's size: if one axis is 0, the product is 0 for any length
    # of the others. The type is checked, since NumPy's reader accepts True as 1.
    sound = all(type(n) is int and 0 <= n <= size for n in shape)
    if not sound or math.prod(shape) * dtype.itemsize > size:
        raise ValueError(f"an array should have shape {shape}, but there are only {size} bytes")
    if dtype.kind in "OV" or dtype.itemsize > _LARGEST_NUMBER:
        raise ValueError(f"an array has dtype {dtype}, which is not a number")
    return np.broadcast_to(np.empty((), dtype), shape)


def _shape_and_dtype(file: IO[bytes], version: tuple[int, int]) -> tuple[tuple[int, ...], np.dtype]:
    try:
        shape, _, dtype = _HEADERS[version](file)
    except Exception as error:
        # NumPy evaluates the header as a Python expression. A wrong header may raise any error, for
        # example IndexError, MemoryError, OverflowError, SyntaxError or TypeError.
        raise ValueError(f"its header is broken: {error}") from None
    return shape, dtype


def read_array(file: IO[bytes]) -> NDArray:
    """Read the array of a file, after its header has been checked."""
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)
