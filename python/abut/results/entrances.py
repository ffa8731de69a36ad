"""The table of entrances: feature pairs by which convex bodies can meet without overlapping."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any, ClassVar, NoReturn

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from .columns import columns_of
from .contacts import TYPE_NAMES
from .table import Table


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Entrances(Table):
    """Feature pairs by which two convex bodies can meet without overlapping: one row for each.

    Made by `ConvexFinder.entrances`. Rows are sorted by pair, then types, then features. Columns
    cannot be replaced, but their entries can be changed.

    Attributes
    ----------
    pair : (m,) ndarray of intp
        Number of the pair: its row in `pairs`.
    type : (m, 2) ndarray of uint8
        Types of the features on i and on j: (VERTEX, FACET), (FACET, VERTEX), or two EDGEs that
        cross. A polygon's sides are FACET.
    feature : (m, 2) ndarray of intp
        Numbers of these features in the `ConvexShape` of each body.
    normal : (m, d) ndarray of float64
        Unit vector from j to i, the normal of the two planes in which the features lie.
    overlap : (m,) ndarray of float64
        Overlap of these planes along the normal; negative if they are apart. If the smallest
        overlap of a pair is negative, the bodies do not touch; otherwise it is their overlap.
    offsets : (n + 1,) ndarray of intp, read-only
        The entrances of pair k are rows ``offsets[k]:offsets[k + 1]``.
    pairs : (n, 2) ndarray of intp, read-only
        The bodies i and j of each pair, as given to the search.

    Notes
    -----
    Rows are selected as in `Contacts`.

    Examples
    --------
    >>> import abut
    >>> triangle = abut.ConvexShape([[0, 0], [1, 0], [0, 1]])
    >>> finder = abut.ConvexFinder(triangle)
    >>> entrances = finder.entrances([[0, 0], [2, 0.25]], pairs=[[0, 1]])
    >>> entrances
    Entrances(6 of 1 pair)
    >>> apart = entrances.overlap.argmin()
    >>> entrances.type[apart], entrances.normal[apart], entrances.overlap[apart]
    (array([2, 0], dtype=uint8), array([-1.,  0.]), np.float64(-1.0))
    """

    _row: ClassVar = "entrance"
    _counted: ClassVar = "pair"
    _columns: ClassVar = columns_of("entrances")
    _further_columns: ClassVar = ()
    _settings: ClassVar = ("pairs", "_bodies")
    _shown: ClassVar = ("pair", "type", "feature", "overlap", "normal")

    pair: NDArray[np.intp]
    type: NDArray[np.uint8]
    feature: NDArray[np.intp]
    normal: NDArray[np.float64]
    overlap: NDArray[np.float64]
    offsets: NDArray[np.intp]
    pairs: NDArray[np.intp]
    # A hash of the bodies, which shows whether `before` is of the same ones.
    _bodies: int

    def of(self, pair: int) -> Entrances:
        """Select the entrances of one pair.

        Parameters
        ----------
        pair : int
            Number of the pair, 0 to n - 1.

        Returns
        -------
        Entrances
            A selection of rows, with the same `pairs` and numbers.

        Raises
        ------
        IndexError
            If there is no such pair.

        Examples
        --------
        >>> import abut
        >>> finder = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [0, 1]]))
        >>> entrances = finder.entrances([[0, 0], [2, 0.25]], pairs=[[0, 1], [1, 0]])
        >>> len(entrances.of(1))
        6
        """
        return self._of(pair)

    def to_pyvista(self) -> NoReturn:
        """Raise a TypeError: entrances are directions, not points."""
        raise TypeError("entrances have no points: use to_pandas, or their columns")

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file.

        Parameters
        ----------
        path : str or path-like
            Ends in ``.npz`` (all columns, for ``numpy.load``), ``.csv`` or ``.parquet`` (extra
            ``io``).

        Raises
        ------
        ValueError, OSError
            As `Contacts.save`.

        Examples
        --------
        >>> import abut, tempfile, pathlib
        >>> finder = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [0, 1]]))
        >>> entrances = finder.entrances([[0, 0], [2, 0.25]], pairs=[[0, 1]])
        >>> entrances.save(pathlib.Path(tempfile.mkdtemp(), "entrances.csv"))
        """
        if os.fspath(path).lower().endswith(".vtp"):
            raise ValueError(f"{path}: entrances have no points for .vtp files: use .npz or .csv")
        super().save(path)

    def __repr__(self) -> str:
        return f"Entrances({len(self)} of {checks.counted(len(self.pairs), 'pair')})"

    def _row_vectors(self) -> dict[str, NDArray[Any]]:
        rows = self._rows()
        for name in ("type", "feature"):
            column = rows.pop(name)
            rows |= {f"{name}_{side}": column[:, k] for k, side in enumerate("ij")}
        return rows

    def _cell(self, name: str, row: int) -> str:
        if name == "type":
            return ", ".join(TYPE_NAMES[number] for number in self.type[row])
        return super()._cell(name, row)
