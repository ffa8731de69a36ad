"""Names of array types for annotations, and small functions of arrays."""

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
    # arrays that were pickled out of band may lie at any address of a received message
    return np.require(array, requirements=["C", "A"])


def locked(array: NDArray[Any]) -> NDArray[Any]:
    """Make an array read-only, and return it."""
    array.flags.writeable = False
    return array


def hash_of(arrays: Sequence[NDArray[Any]]) -> str:
    """A hash of the numbers in these arrays, and of their shapes and types."""
    digest = hashlib.blake2b(digest_size=16)
    for array in arrays:
        digest.update(f"{array.dtype.str} {array.shape}".encode())
        digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()
