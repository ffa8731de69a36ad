"""Arrays: their names in annotations, and what is asked of any."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

Doubles = NDArray[np.float64]
Indices = NDArray[np.intp]
Columns = dict[str, NDArray[Any]]


def aligned(array: NDArray[Any]) -> NDArray[Any]:
    # a message that was received puts arrays that were pickled out of band anywhere
    return np.require(array, requirements=["C", "A"])


def locked(array: NDArray[Any]) -> NDArray[Any]:
    """The array itself, read-only from now on."""
    array.flags.writeable = False
    return array


def hash_of(arrays: Sequence[NDArray[Any]]) -> str:
    """Of the numbers in these arrays, and of where each array ends."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
