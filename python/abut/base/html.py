"""Small tables that notebooks show."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

# rows that a notebook shows
SHOWN_ROWS = 5


def rows_table(caption: str, head: Iterable[str], rows: Sequence[Iterable[str]], count: int) -> str:
    """The first of `count` rows under their heads, and how many more there are."""
    heads = "".join(f"<th>{_escaped(name)}</th>" for name in head)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    more = f"<p>and {count - len(rows)} more</p>" if count > len(rows) else ""
    return f"<table>{_caption(caption)}<tr>{heads}</tr>{body}</table>{more}"


def facts_table(caption: str, facts: dict[str, str]) -> str:
    """A row for each fact, with its name in front."""
    rows = "".join(
        f"<tr><th>{_escaped(name)}</th>{_cells([fact])}</tr>" for name, fact in facts.items()
    )
    return f"<table>{_caption(caption)}{rows}</table>"


def _escaped(text: str) -> str:
    # imported when it is asked for: it brings all entities
    from html import escape

    return escape(text, quote=False)


def _caption(text: str) -> str:
    return f"<caption>{_escaped(text)}</caption>"


def _cells(row: Iterable[str]) -> str:
    return "".join(f"<td>{_escaped(cell)}</td>" for cell in row)


def numbers(values: ArrayLike) -> str:
    """One number, or those of a vector."""
    return ", ".join(f"{number:.6g}" for number in np.atleast_1d(values))


def span(values: ArrayLike) -> str:
    """From the least of these numbers to the largest; one number where they are the same.

    NaN is no number: an empty mesh has such bounds.
    """
    array = np.asarray(values, dtype=float)
    array = array[~np.isnan(array)]
    if array.size == 0:
        return "none"
    low, high = array.min(), array.max()
    return numbers(low) if low == high else f"{low:.6g} to {high:.6g}"


def period(lengths: Sequence[float | None] | None) -> str:
    """At what lengths the world repeats along each axis."""
    words = ("none" if one is None else numbers(one) for one in lengths or (None,))
    return ", ".join(words)
