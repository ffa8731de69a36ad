"""The columns of tables and their properties, as csrc/abut.h defines them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import _core

# Special values of a column's width: one vector in each row, or two.
_DIMENSION, _TWO_VECTORS = -1, -2


class Column(NamedTuple):
    """A column of a table.

    Attributes
    ----------
    name : str
        Name of the attribute. It begins with an underscore if only the library reads the column.
    type : str
        "intp", "uint8" or "float64".
    width : int
        The number of numbers in each row; 0 for one number and an array with a single axis.
    per : str
        What has an entry: each "row", or each "entry" (a node or a spot). "entry offsets" are where
        each row's entries begin, "offsets" where each sphere's rows begin.
    when : str
        "always", or the kind of search that gives tables with the column.
    unit : str
        The physical dimension, such as "length"; empty for numbers without a dimension.
    meaning : str
        A sentence that explains the column.
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
        """Return the shape of one row's entry, in a space of this dimension."""
        special = {0: (), _DIMENSION: (dimension,), _TWO_VECTORS: (2, dimension)}
        return special.get(self.width, (self.width,))


def columns_of(table: str) -> tuple[Column, ...]:
    """Return the columns of a table, in the library's order.

    table: "contacts", "pairs", "convex", "entrances", "bonds", "breakages", "rests", "spheres",
    "rigids" or "drives".
    """
    return tuple(Column(*one) for one in _core.columns(table))


def names(columns: tuple[Column, ...], *per: str) -> tuple[str, ...]:
    """Return the names of the public columns that have one of these words as `Column.per`."""
    return tuple(c.name for c in columns if c.per in per and not c.name.startswith("_"))
