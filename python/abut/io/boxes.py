"""Boxes of simulations in files: their corners, their edges, and along which of these they repeat.

A dump has one of three forms of a box, as "Howto triclinic" in the manual of LAMMPS describes them:
along the axes, tilted, or with any three edges.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..base.arithmetic import lengths
from ..base.outlines import Outline, is_lower_triangular
from ..base.periods import Period, is_along_axes, lengths_of, read_period
from ..base.poses import rotated
from .text import Word, numbers

# The word in a title BOX BOUNDS for an edge that is periodic at both ends.
_PERIODIC = "pp"

# The words in a title BOX BOUNDS that are not about the ends of edges.
_OF_TILTED, _OF_GENERAL = ("xy", "xz", "yz"), ("abc", "origin")


class Box(NamedTuple):
    """A box of a file.

    Attributes
    ----------
    origin : (3,) ndarray
        The corner that belongs to the fractions 0 along all edges.
    edges : (3, 3) ndarray
        The edges from there, one in each row.
    repeats : tuple of 3 bool
        Whether the world repeats along each edge.
    """

    origin: NDArray[np.float64]
    edges: NDArray[np.float64]
    repeats: tuple[bool, ...]

    def period(self) -> Period | None:
        """The period, as searches take it: lengths if the edges that repeat are along the axes.

        Edges that do not repeat become zeros. None if no edge repeats. Raises a ValueError if the
        edges make no period.
        """
        if not any(self.repeats):
            return None
        rows = zip(self.edges, self.repeats, strict=True)
        vectors = np.array([edge if repeats else np.zeros(3) for edge, repeats in rows])
        for k, edge in enumerate(vectors):
            if self.repeats[k] and not edge.any():
                raise ValueError(f"the box repeats along its edge {k}, which has no length")
        period = read_period(vectors)
        if not is_along_axes(period):
            return period
        return read_period([length or None for length in lengths_of(period).tolist()])

    def unscaled(self, fractions: NDArray[np.float64]) -> NDArray[np.float64]:
        """Convert fractions of the edges, (n, 3), to coordinates."""
        # A matrix product is not used, since its last bit would differ between machines.
        x, y, z = (fractions[:, k : k + 1] * self.edges[k] for k in range(3))
        return self.origin + x + y + z


def read_box(title: str, lines: Iterable[Sequence[Word]]) -> Box:
    """Read the box of a dump; raise a ValueError if it is not one.

    title: the words after BOX BOUNDS. lines: the words of the lines below it.
    """
    rows = [numbers(words, lambda k: f"number {k}") for words in lines]
    shape = (len(rows), *sorted({len(row) for row in rows}))
    if shape not in _FORMS:
        raise ValueError(
            "it needs three lines, each with low and high, with low, high and a tilt, or with an"
            " edge and a coordinate of the origin"
        )
    ends = [word for word in title.split() if word not in (*_OF_TILTED, *_OF_GENERAL)]
    repeats = tuple(word == _PERIODIC for word in (*ends, "", "", "")[:3])
    return Box(*_FORMS[shape](np.array(rows)), repeats)


# The origin and the edges of a box.
_Form = tuple[NDArray[np.float64], NDArray[np.float64]]


def _straight_box(rows: NDArray[np.float64]) -> _Form:
    """Return the origin and the edges of a box from its lines "low high"."""
    low, high = rows[:, 0].copy(), rows[:, 1]
    _check_ends(low, high)
    return low, np.diag(high - low)


def _tilted_box(rows: NDArray[np.float64]) -> _Form:
    """Return the origin and the edges of a tilted box from its lines "low high tilt".

    low, high: the bounds of the whole box. tilt: xy, xz and yz, one in each line.
    """
    xy, xz, yz = rows[:, 2].tolist()
    below, above = beyond_bounds(xy, xz, yz)
    low, high = rows[:, 0] - below, rows[:, 1] - above
    _check_ends(low, high)
    edges = np.diag(high - low)
    edges[1, 0], edges[2, 0], edges[2, 1] = xy, xz, yz
    return low, edges


def _general_box(rows: NDArray[np.float64]) -> _Form:
    """Return the origin and the edges of a box from its lines "x y z origin".

    x, y, z: one edge in each line. origin: one coordinate of the origin in each line.
    """
    return rows[:, 3].copy(), rows[:, :3].copy()


# The numbers of lines and of words in each, with the function that reads them.
_FORMS: dict[tuple[int, ...], Callable[[NDArray[np.float64]], _Form]] = {
    (3, 2): _straight_box,
    (3, 3): _tilted_box,
    (3, 4): _general_box,
}


def beyond_bounds(
    xy: float, xz: float, yz: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return how far a tilted box reaches beyond its own low and high ends, (3,) each.

    LAMMPS writes the bounds of the whole box, which its tilts move out: by these two vectors, of
    which the first has no positive entry, and the second no negative one.
    """
    below = (min(0.0, xy, xz, xy + xz), min(0.0, yz), 0.0)
    above = (max(0.0, xy, xz, xy + xz), max(0.0, yz), 0.0)
    return np.array(below), np.array(above)


def _check_ends(low: NDArray[np.float64], high: NDArray[np.float64]) -> None:
    for axis, (first, last) in enumerate(zip(low.tolist(), high.tolist(), strict=True)):
        if first > last:
            raise ValueError(
                f"along {'xyz'[axis]} its low end {first} is above its high end {last}"
            )


# ---- writing -------------------------------------------------------------------------------------


def straight_text(bounds: NDArray[np.float64], repeats: Sequence[bool]) -> str:
    """Return the lines of a box along the axes with this lower and upper corner, (2, 3)."""
    rows = [f"{low!r} {high!r}" for low, high in bounds.T.tolist()]
    return "\n".join([f"ITEM: BOX BOUNDS {_ends_text(repeats)}", *rows])


def tilted_text(
    outline: Outline, rotation: NDArray[np.float64] | None, repeats: Sequence[bool]
) -> str:
    """Return the lines of a box with these edges, rotated to the form that LAMMPS has.

    Edges that LAMMPS must have the other way round begin at their other ends.
    """
    low, edges = outline.origin.copy(), outline.edges.copy()
    if rotation is not None:
        low, edges = rotated(low[None], rotation)[0], rotated(edges, rotation)
    for k in range(3):
        if edges[k, k] < 0.0:
            low, edges[k] = low + edges[k], -edges[k]
    high, tilts = low + np.diagonal(edges), edges[[1, 2, 2], [0, 0, 1]] + 0.0
    below, above = beyond_bounds(*tilts.tolist())
    table = np.column_stack([low + below, high + above, tilts])
    rows = [" ".join(map(repr, row)) for row in table.tolist()]
    return "\n".join([f"ITEM: BOX BOUNDS xy xz yz {_ends_text(repeats)}", *rows])


def _ends_text(repeats: Sequence[bool]) -> str:
    return " ".join("pp" if one else "ff" for one in repeats)


def rotation_to_lammps(edges: NDArray[np.float64]) -> NDArray[np.float64] | None:
    """Return the rotation of edges to the form that LAMMPS has; None if they have it.

    In this form the first edge is along x, and the second in the plane of x and y. LAMMPS' edges
    also lead in the positive directions of x, y and z, for which no rotation is needed: -x repeats
    as x does.
    """
    if is_lower_triangular(edges):
        return None
    first = edges[0] / lengths(edges[0])
    last = np.cross(first, edges[1])
    last /= lengths(last)
    return np.array([first, np.cross(last, first), last])
