"""The fabric tensor of a table, which measures the distribution of contact directions."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks
from ..base.arrays import Doubles

if TYPE_CHECKING:
    from .contact_table import ContactTable


def fabric(table: ContactTable, weights: ArrayLike | None) -> Doubles:
    """Compute the result of `ContactTable.fabric`."""
    normals = table.normal
    given = np.ones(len(normals)) if weights is None else _read_weights(weights, len(normals))
    # A matrix product is not used, since its last bit differs between machines.
    sums = np.array([[(given * a * b).sum() for b in normals.T] for a in normals.T])
    with np.errstate(invalid="ignore"):
        return sums / given.sum()


def _read_weights(weights: ArrayLike, count: int) -> Doubles:
    given = checks.shaped(checks.doubles(weights, "weights"), "weights", (count,))
    is_valid = (given >= 0.0) & (given < np.inf)
    if not is_valid.all():
        row = int(np.argmin(is_valid))
        raise ValueError(f"weights[{row}] is {given[row]}, but must be 0 or positive, and finite")
    return given
