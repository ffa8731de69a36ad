"""The columns of tables, each of which stands once, in csrc/abut.h: what there is to know."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .. import _core

# The library tells a column's width as a number, or by one of these two.
_DIMENSION, _TWO_VECTORS = -1, -2


class Column(NamedTuple):
    """A column of a table.

    Attributes
    ----------
    name : str
        What the attribute is called; with an underscore where it is the library's own.
    type : str
        "intp", "uint8" or "float64".
    width : int
        Numbers a row: 0 for one number, without an axis of its own.
    per : str
        What it has an entry for: "row", "entry" (a node or a spot), or "entry offsets" and
        "offsets", which tell where each row's entries, and each sphere's or body's rows, begin.
    when : str
        "always", or what a search must have for the column to be there.
    unit : str
        Its dimension, such as "length"; empty for numbers without one.
    meaning : str
        A sentence.
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
        """The lengths of all axes but the first, in a space of so many dimensions."""
        special = {0: (), _DIMENSION: (dimension,), _TWO_VECTORS: (2, dimension)}
        return special.get(self.width, (self.width,))


def columns_of(table: str) -> tuple[Column, ...]:
    """The columns of a table, in the library's order.

    It is one of "contacts", "pairs", "convex", "entrances", "bonds", "breakages", "rests",
    "spheres", "rigids" and "drives"."""
    return tuple(Column(*one) for one in _core.columns(table))


def names(columns: tuple[Column, ...], *per: str) -> tuple[str, ...]:
    """Those with an entry for one of these that are for users."""
    return tuple(c.name for c in columns if c.per in per and not c.name.startswith("_"))
