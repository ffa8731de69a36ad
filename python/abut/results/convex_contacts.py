"""The contacts of convex bodies: a table of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Self, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.periods import Period
from ..base.threads import worker_count
from . import history, sums
from .columns import columns_of
from .contact_table import ContactTable
from .table import Table, flattened, same_column

if TYPE_CHECKING:
    from ..options import Canvas, ConvexPlotOptions

# Values of the column `status`.
SEPARATED, TOUCHING, OVERLAPPING, UNCONVERGED = range(4)
STATUS_NAMES = ("separated", "touching", "overlapping", "unconverged")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class ConvexContacts(ContactTable):
    """Contacts of n convex bodies with each other or with walls: one row for each contact.

    Made by `find_convex_contacts`, `ConvexFinder.find`, `ConvexFinder.find_walls`,
    `load_convex_contacts` and `concatenate`. Rows are sorted by i, then j, then image, or are in
    the order of the given pairs; rows with walls are sorted by i, then mesh, then facet. Columns
    cannot be replaced, but their entries can be changed. Vectors have the dimension d of the
    positions, 2 or 3.

    Attributes
    ----------
    i : (m,) ndarray of intp
        Number of the first body.
    j : (m,) ndarray of intp, or None
        Number of the second body; None for contacts with walls.
    mesh, facet : (m,) ndarray of intp, or None
        For contacts with walls: number of the wall, and of the facet in its mesh, 0 for a half
        space. Otherwise None.
    status : (m,) ndarray of uint8
        `SEPARATED`, `TOUCHING` (by rounding), `OVERLAPPING` or `UNCONVERGED` (0 to 3).
    type : (m, 2) ndarray of uint8
        Types of the features on i and on j where the shortest link ends: `FACET`, `EDGE` or
        `VERTEX`. A polygon's sides are FACET.
    feature : (m, 2) ndarray of intp
        Numbers of these features in the `ConvexShape` of each body.
    normal : (m, d) ndarray of float64
        Unit vector from j to i, the normal of the common plane: the force on i is along +normal, on
        j along -normal.
    overlap : (m,) ndarray of float64
        Overlap of the bodies along the normal, positive if they touch; otherwise the negative
        distance.
    error : (m,) ndarray of float64
        The true overlap is between ``overlap - error`` and `overlap`; NaN for the methods "fcp" and
        "cp", which do not bound it.
    link : (m, 2, d) ndarray of float64
        The ends of the shortest link, on i and on j, for body i at its given position.
    point : (m, d) ndarray of float64
        Midpoint of the contact on the common plane.
    iterations : (m,) ndarray of intp
        Number of iterations that the method took.
    state : (m, 12) ndarray of float64
        The start of the next search, if this table is its ``before``.
    image : (m, d) ndarray of intp
        Body i at its given position touches body j shifted by ``image * period``, or
        ``image @ period`` for a period with vectors; 0 where nothing repeats.
    offsets : (n + 1,) ndarray of intp, read-only, or None
        The contacts with i = k are rows ``offsets[k]:offsets[k + 1]``. None for given pairs.
    spot : (k, d) ndarray of float64, or None
        Contact points, one or more in a contact: ``spot[spot_offsets[c]:spot_offsets[c + 1]]`` in
        contact c. This and the following columns are None after a search with ``spots=False``.
    spot_overlap : (k,) ndarray of float64, or None
        Overlap of the bodies at the spot along the contact's normal; negative if the features do
        not touch. If forces grow with ``np.maximum(spot_overlap, 0)``, their center moves
        continuously while the bodies tilt.
    spot_type : (k, 2) ndarray of uint8, or None
        Types of the features on i and on j that cross at the spot. Together with `spot_feature`
        they identify a spot in its contact, also in the next step.
    spot_feature : (k, 2) ndarray of intp, or None
        Numbers of these features in the `ConvexShape` of each body.
    spot_offsets : (m + 1,) ndarray of intp, read-only, or None
        Where each contact's spots begin.
    body_count : int
        Number n of bodies in the search.
    period : tuple of d (float or None), (d, d) ndarray, or None
        As given: lengths of the world's periods along the axes, or vectors as rows.

    Notes
    -----
    Without a period, `image` becomes an array when it is first used.

    Selections of rows (which include their spots), columns by name, comparison and Arrow are as for
    `Contacts`.

    Examples
    --------
    >>> import abut, numpy as np
    >>> cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    >>> contacts = abut.find_convex_contacts(cube, [[0, 0, 0], [9, 9, 9], [0.5, 0.5, 1.875]])
    >>> contacts
    ConvexContacts(1 of 3 bodies: 0 separated, 0 touching, 1 overlapping, 0 unconverged)
    >>> contacts.i, contacts.j, contacts.overlap, contacts.normal
    (array([0]), array([2]), array([0.125]), array([[ 0.,  0., -1.]]))

    Both facets overlap in a square. Forces at its corners give these forces on the bodies, and
    torques about their positions:

    >>> len(contacts.spot), contacts.spot_overlap
    (4, array([0.125, 0.125, 0.125, 0.125]))
    >>> push = 100 * contacts.spot_overlap[:, None] * contacts.normal[contacts.spot_row]
    >>> forces, torques = contacts.loads(push, [[0, 0, 0], [9, 9, 9], [0.5, 0.5, 1.875]])
    >>> forces[2], torques[2]
    (array([ 0.,  0., 50.]), array([-12.5,  12.5,   0. ]))
    """

    _row: ClassVar = "contact"
    _counted: ClassVar = "body"
    _columns: ClassVar = columns_of("convex")
    _settings: ClassVar = ("body_count", "period", "_bodies")
    _shown: ClassVar = ("i", "j", "mesh", "facet", "status", "overlap", "point", "normal")
    _synonyms: ClassVar = Table._synonyms | {
        "contact_point": "spot", "manifold": "spot", "face": "facet", "entrance": "type",
    }  # fmt: skip

    i: NDArray[np.intp]
    j: NDArray[np.intp] | None = None
    mesh: NDArray[np.intp] | None = None
    facet: NDArray[np.intp] | None = None
    status: NDArray[np.uint8]
    type: NDArray[np.uint8]
    feature: NDArray[np.intp]
    normal: NDArray[np.float64]
    overlap: NDArray[np.float64]
    error: NDArray[np.float64]
    link: NDArray[np.float64]
    point: NDArray[np.float64]
    iterations: NDArray[np.intp]
    state: NDArray[np.float64]
    image: NDArray[np.intp] = same_column(lambda table: np.zeros(table.point.shape, np.intp))
    # For each row, the row of the step before that `match` tries first, to save time. Wrong entries
    # do not change the result.
    _before: NDArray[np.intp] | None = None
    offsets: NDArray[np.intp] | None = None  # type: ignore[assignment]
    spot: NDArray[np.float64] | None = None
    spot_overlap: NDArray[np.float64] | None = None
    spot_type: NDArray[np.uint8] | None = None
    spot_feature: NDArray[np.intp] | None = None
    spot_offsets: NDArray[np.intp] | None = None
    body_count: int
    period: Period | None
    # A digest that shows whether `before` is of the same bodies and walls; 0 if unknown.
    _bodies: int

    @property
    def counts(self) -> NDArray[np.intp]:
        """For each body, the number of contacts in which it is i, (n,)."""
        return np.bincount(self.i, minlength=self.body_count)

    @property
    def spot_row(self) -> NDArray[np.intp]:
        """The row of each spot, (k,), as in ``contacts.normal[contacts.spot_row]``."""
        return np.repeat(np.arange(len(self)), np.diff(self._spots()))

    def _spots(self) -> NDArray[np.intp]:
        """Return where each row's spots begin; raise if there are none."""
        if self.spot_offsets is None:
            raise ValueError("these contacts have no spots: search with spots=True")
        return self.spot_offsets

    def _of(self, i: int) -> Self:
        return self[self.i == checks.number_of(i, "i", self.body_count, "body", "bodies")]

    def sum(self, on_i: ArrayLike, on_j: ArrayLike | None = None) -> NDArray[np.float64]:
        """Sum values of the contacts, such as forces, for each body.

        Parameters
        ----------
        on_i : (m,) or (m, k) array_like
            A number, or k numbers, for each contact: the value for body i.
        on_j : array_like of the same shape, optional
            The values for j. By default ``-on_i``, as for forces. Not used with walls.

        Returns
        -------
        (n,) or (n, k) ndarray of float64
            For each body, the sum over the contacts in which it is i, plus the sum over those in
            which it is j; 0 without contacts. Both are added in the order of rows, so that each run
            gives the same bits.

        Raises
        ------
        ValueError
            If a shape is wrong, `i` or `j` has wrong numbers, or `on_j` is given for contacts with
            walls.
        TypeError
            If `on_i` or `on_j` are not real numbers.

        See Also
        --------
        loads : Forces and torques from forces at the spots.

        Examples
        --------
        The number of contacts of each body:

        >>> import abut, numpy as np
        >>> square = abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]])
        >>> contacts = abut.find_convex_contacts(square, [[0, 0], [0.75, 0], [1.5, 0]])
        >>> contacts.sum(np.ones(len(contacts)), np.ones(len(contacts)))
        array([1., 2., 1.])
        """
        return sums.convex_sum(self, on_i, on_j)

    def loads(
        self, forces: ArrayLike, positions: ArrayLike
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Compute the forces and torques on the bodies from forces at the spots.

        Parameters
        ----------
        forces : (k, d) array_like
            The force on i at each spot; the opposite acts on j, or on the wall.
        positions : (n, d) array_like
            For each body, the point about which the torque is computed: its center of mass, which
            may differ from its position.

        Returns
        -------
        forces : (n, d) ndarray of float64
        torques : (n, 3) ndarray of float64; in the plane (n,)

        Raises
        ------
        ValueError
            If a shape is wrong, or the contacts have no spots.
        TypeError
            If an argument does not consist of real numbers.

        Examples
        --------
        A square with its center above the end of another, so that it tilts:

        >>> import abut
        >>> square = abut.ConvexShape([[-1, -1], [1, -1], [1, 1], [-1, 1]])
        >>> positions = [[0, 0], [1, 1.75]]
        >>> contacts = abut.find_convex_contacts(square, positions)
        >>> contacts.spot_overlap
        array([0.25, 0.25])
        >>> push = 4 * contacts.spot_overlap[:, None] * contacts.normal[contacts.spot_row]
        >>> forces, torques = contacts.loads(push, positions)
        >>> forces[1], torques
        (array([0., 2.]), array([-1., -1.]))
        """
        self._spots()
        return sums.spot_loads(self, forces, positions)

    def match_spots(
        self,
        previous: ConvexContacts | None,
        match: ArrayLike | None = None,
        ids: ArrayLike | None = None,
        previous_ids: ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> NDArray[np.intp]:
        """Find the spot of the step before that each spot continues.

        A spot continues the spot with the same `spot_type` and `spot_feature` in the contact that
        its own contact continues. On walls, if there is none, it may continue such a spot on
        another facet of the same wall, with a normal within 60 degrees: spots can slide from facet
        to facet.

        Parameters
        ----------
        previous, match, ids, previous_ids, workers
            As for `carry`; `match` is the match of contacts, not of spots.

        Returns
        -------
        (k,) ndarray of intp
            The spot of `previous` that each spot continues; -1 for a new spot.

        Raises
        ------
        ValueError, TypeError
            As `carry`, or if a table has no spots.

        Examples
        --------
        A square slides over the end of another; the spots at its corner and at this end continue:

        >>> import abut
        >>> finder = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]]))
        >>> before, now = (finder.find([[0, 0], [x, 0.75]]) for x in (0.5, 0.625))
        >>> now.match_spots(before)
        array([0, 1])
        """
        count = self._spots()[-1]
        if previous is None:
            worker_count(workers)
            return np.full(count, -1, np.intp)
        return history.match_spots(self, previous, match, (ids, previous_ids), workers)

    def carry_spots(
        self,
        tangent: ArrayLike | None,
        previous: ConvexContacts | None,
        match: ArrayLike | None = None,
        ids: ArrayLike | None = None,
        previous_ids: ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> NDArray[np.float64]:
        """Transfer tangential vectors of spots, such as springs, from the step before.

        `match_spots` gives the spot to which each vector is transferred. The vector is turned as in
        `carry`.

        Parameters
        ----------
        tangent : (k of previous, d) array_like
            A vector for each spot of `previous`; it acts on i.
        previous, match, ids, previous_ids, workers
            As for `carry`; `match` is the match of contacts, not of spots.

        Returns
        -------
        (k, d) ndarray of float64
            The vectors for these spots; 0 for new spots.

        Raises
        ------
        ValueError, TypeError
            As `carry`, or if a table has no spots.

        Examples
        --------
        A loop of steps needs no special case for the first step:

        >>> import abut
        >>> finder = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]]))
        >>> springs, before = None, None
        >>> for x in 0.5, 0.625, 0.75:
        ...     now = finder.find([[0, 0], [x, 0.75]], before=before)
        ...     springs = now.carry_spots(springs, before) + [0.125, 0]
        ...     before = now
        >>> springs
        array([[0.375, 0.   ],
               [0.375, 0.   ]])
        """
        count = self._spots()[-1]
        if previous is None:
            worker_count(workers)
            return np.zeros((count, self.point.shape[1]))
        return history.carry_spots(tangent, self, previous, match, (ids, previous_ids), workers)

    @overload
    def plot(self, ax: Canvas, **options: Unpack[ConvexPlotOptions]) -> Canvas: ...

    @overload
    def plot(self, ax: None = None, **options: Unpack[ConvexPlotOptions]) -> Any: ...

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw links, spots and normals, and optionally the bodies.

        A line joins the ends of each link, a dot marks each spot, and an arrow starts at each
        contact point along the normal, towards i.

        Parameters
        ----------
        ax : matplotlib axes or pyvista.Plotter, optional
            As for `ConvexShape.plot`. So are the return value and the errors. matplotlib draws
            contacts of polygons, pyvista contacts of polyhedra.
        **options
            ``bodies``, the tuple (finder, positions) or (finder, positions, orientations), draws
            bodies with contacts; ``alpha`` is their opacity, 0.25 by default. ``normals``: whether
            to draw arrows (default True). ``cell``: False leaves out the edges of the periodic
            cell, placed as by `Pairs.plot`. ``body_count`` and ``arrow_count``: the largest numbers
            drawn, picked evenly from the table (default 500). ``backend`` and
            ``view``: as for `ConvexShape.plot`.

        Examples
        --------
        >>> import abut
        >>> square = abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]])
        >>> finder, positions = abut.ConvexFinder(square), [[0, 0], [0.75, 0.5]]
        >>> ax = finder.find(positions).plot(bodies=(finder, positions))  # doctest: +SKIP
        """
        from ..plot.convex import plot_convex_contacts

        return plot_convex_contacts(self, ax, **options)

    def __repr__(self) -> str:
        counts = np.bincount(self.status, minlength=len(STATUS_NAMES))
        by_status = ", ".join(
            f"{count} {name}" for count, name in zip(counts, STATUS_NAMES, strict=False)
        )
        bodies = checks.counted(self.body_count, "body", "bodies")
        walls = " with walls" if self.j is None else ""
        return f"ConvexContacts({len(self)} of {bodies}{walls}: {by_status})"

    # ---- from step to step ----

    def _check_previous(self, before: ConvexContacts) -> None:
        if (self.j is None) != (before.j is None):
            raise ValueError("one table has contacts with walls, the other one contacts of bodies")

    def _step(self, whose: str) -> _core._PairStep:
        """Return the rows as pairs for the library; walls take the place of the second bodies."""
        image, wall_count = self.image, None
        if self.mesh is not None and self.facet is not None:
            wall_count = int(self.mesh.max(initial=-1)) + 1
            image = np.zeros(self.normal.shape, np.intp)
            image[:, 0] = self.facet
        step = history.pair_step(self, whose, self.body_count, image, wall_count, self._before)
        for name in ("i",) if self.j is None else ("i", "j"):
            history.check_numbers(getattr(self, name), self.body_count, f"{whose}{name}")
        return step

    # ---- columns for the methods of the base ----

    def _row_vectors(self) -> dict[str, NDArray[Any]]:
        rows = self._rows()
        del rows["state"]
        return self._of_each(rows)

    def _flat_lists(self) -> dict[str, NDArray[Any]]:
        return flattened(self._of_each(self._there(self._list_columns)))

    def _of_each(self, columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
        """Split each column with entries for both bodies into one column for each body."""
        sides = "i", "j" if self.mesh is None else "wall"
        both = {"type", "feature", "link", "spot_type", "spot_feature"}
        split: dict[str, NDArray[Any]] = {}
        for name, column in columns.items():
            if name in both:
                split |= {f"{name}_{side}": column[:, k] for k, side in enumerate(sides)}
            else:
                split[name] = column
        return split

    @staticmethod
    def _is_same(column: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
        # `error` is NaN for methods that do not estimate it; such entries count as equal.
        is_real = column is not None and column.dtype.kind == "f"
        return np.array_equal(column, other, equal_nan=is_real)  # type: ignore[arg-type]

    def _cell(self, name: str, row: int) -> str:
        return STATUS_NAMES[self.status[row]] if name == "status" else super()._cell(name, row)
