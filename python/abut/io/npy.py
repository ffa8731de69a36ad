"""NumPy's npy: one array, and spheres as rows of x, y, z and radius."""

from __future__ import annotations

import lzma
import math
import os
import struct
import tokenize
import zipfile
import zlib
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from .spheres import Spheres, from_arrays

# what a file that is damaged makes zipfile and NumPy raise; OSError for places before its beginning
DAMAGE = (
    EOFError,
    OSError,
    RuntimeError,
    SyntaxError,
    ValueError,
    lzma.LZMAError,
    struct.error,
    tokenize.TokenError,
    zipfile.BadZipFile,
    zlib.error,
)

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_spheres(path: Path) -> Spheres:
    """Read an (n, 4) array: x, y, z and radius."""
    with open(path, "rb") as file:
        try:
            table = read_array(file, os.fstat(file.fileno()).st_size)
        except DAMAGE as error:
            raise ValueError(f"{path} is no sound npy file: {error}") from None
    if table.ndim != 2 or table.shape[1] != 4:
        raise ValueError(f"{path} has shape {table.shape}, but must be (n, 4): x, y, z, radius")
    return from_arrays(path, table[:, :3], table[:, 3])


def read_array(file: IO[bytes], size: int) -> NDArray:
    """An array from a file of so many bytes; its header may not say that it has more."""
    version = np.lib.format.read_magic(file)
    if version not in _HEADERS:
        raise ValueError(f"its format is {version}, not 1.0 or 2.0")
    shape, _, dtype = _HEADERS[version](file)
    if math.prod(shape) * dtype.itemsize > size:
        raise ValueError(f"an array says that it has shape {shape}, but {size} bytes are there")
    file.seek(0)
    return np.lib.format.read_array(file, allow_pickle=False)
