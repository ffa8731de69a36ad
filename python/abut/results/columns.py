"""The properties of the columns of tables, which csrc/abut.h defines once for all languages."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import _core

# The library describes a column's width by a number or one of these two constants.
_DIMENSION, _TWO_VECTORS = -1, -2


class Column(NamedTuple):
    """A column of a table.

    Attributes
    ----------
    name : str
        Name of the attribute; it begins with an underscore if it is only for the library.
    type : str
        "intp", "uint8" or "float64".
    width : int
        Numbers in each row; 0 for one number without an axis of its own.
    per : str
        The kind of its entries: one for each "row", one for each "entry" (a node or a spot), or
        "entry offsets" and "offsets", where each row's entries and each sphere's rows begin.
    when : str
        "always", or the feature of a search that the column needs.
    unit : str
        Its dimension, such as "length"; empty for numbers without one.
    meaning : str
        A sentence that explains it.
    """

    name: str
    type: str
    width: int
    per: str
    when: str
    unit: str
    meaning: str

    @property
    def dtype(self) -> np.dtype:
        """The column's NumPy type."""
        return np.dtype(self.type)

    def shape(self, dimension: int) -> tuple[int, ...]:
        """Return the lengths of all axes except the first, in a space of this dimension."""
        special = {0: (), _DIMENSION: (dimension,), _TWO_VECTORS: (2, dimension)}
        return special.get(self.width, (self.width,))


def columns_of(table: str) -> tuple[Column, ...]:
    """Return the columns of a table, in the library's order.

    table: "contacts", "pairs", "convex", "entrances", "bonds", "breakages", "rests", "spheres",
    "rigids" or "drives".
    """
    return tuple(Column(*one) for one in _core.columns(table))


def names(columns: tuple[Column, ...], *per: str) -> tuple[str, ...]:
    """Return the names of public columns with these kinds of entries."""
    return tuple(c.name for c in columns if c.per in per and not c.name.startswith("_"))
