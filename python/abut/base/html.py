"""Small HTML tables for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

# largest number of rows of a table that a notebook shows
SHOWN_ROWS = 5


def rows_table(caption: str, head: Iterable[str], rows: Sequence[Iterable[str]], count: int) -> str:
    """A table of `rows`, which are the first of `count` rows, and the number of further rows."""
    heads = "".join(f"<th>{_escaped(name)}</th>" for name in head)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    more = f"<p>and {count - len(rows)} more</p>" if count > len(rows) else ""
    return f"<table>{_caption(caption)}<tr>{heads}</tr>{body}</table>{more}"


def facts_table(caption: str, facts: dict[str, str]) -> str:
    """A table with a row for each fact: its name, then its value."""
    rows = "".join(
        f"<tr><th>{_escaped(name)}</th>{_cells([fact])}</tr>" for name, fact in facts.items()
    )
    return f"<table>{_caption(caption)}{rows}</table>"


def _escaped(text: str) -> str:
    # imported here, because it loads all HTML entities
    from html import escape

    return escape(text, quote=False)


def _caption(text: str) -> str:
    return f"<caption>{_escaped(text)}</caption>"


def _cells(row: Iterable[str]) -> str:
    return "".join(f"<td>{_escaped(cell)}</td>" for cell in row)


def numbers(values: ArrayLike) -> str:
    """One number, or the numbers of a vector, as text."""
    return ", ".join(f"{number:.6g}" for number in np.atleast_1d(values))


def span(values: ArrayLike) -> str:
    """The range of numbers as text; one number if all are the same.

    NaN does not count: an empty mesh has such bounds.
    """
    array = np.asarray(values, dtype=float)
    array = array[~np.isnan(array)]
    if array.size == 0:
        return "none"
    low, high = array.min(), array.max()
    return numbers(low) if low == high else f"{low:.6g} to {high:.6g}"
