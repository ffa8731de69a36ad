"""The search for pairs of touching spheres."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base import checks, html
from ..base.arrays import Doubles
from ..base.periods import Period, PeriodLike, is_array, read_period, text_of, vectors_of
from ..base.simd import level
from ..base.threads import worker_count
from ..results.pairs import Pairs
from .statistics import PairStatistics

if TYPE_CHECKING:
    from ..options import Levels, Others, Search

SEARCHES: dict[Search, int] = {"top-down": _core.TOP_DOWN, "bottom-up": _core.BOTTOM_UP}


# A finder without spheres, which keeps the memory of a call of find_pairs for the next call.
_LENDER = _core.PairFinder(3, np.empty(0), 0.0, None, None, 0, _core.TOP_DOWN, None, 1, None)


def find_pairs(
    centers: ArrayLike,
    radii: ArrayLike,
    *,
    gap: ArrayLike = 0.0,
    period: PeriodLike = None,
    others: Others | None = None,
    levels: Levels = "auto",
    search: Search = "top-down",
    workers: int | None = None,
) -> Pairs:
    """Find the pairs of touching spheres of any sizes.

    Parameters
    ----------
    centers, others, workers
        As for `PairFinder.find`.
    radii : (n,) array_like or float
        Radii of the spheres, positive.
    gap, period, levels, search
        As for `PairFinder`.

    Returns
    -------
    Pairs
        Sorted by i, then j, then image.

    Notes
    -----
    Allocating new memory takes longer than the search. So the memory of the search, about 100 bytes
    per sphere, is kept for the next call, and so is the memory of results that the caller has
    deleted. A call for a few spheres frees most of it.

    Raises
    ------
    ValueError, TypeError, KeyboardInterrupt
        As `PairFinder` and `PairFinder.find`.

    See Also
    --------
    PairFinder : For many searches with the same radii.

    Examples
    --------
    >>> import abut
    >>> centers = [[0, 0, 0], [1.5, 0, 0], [1.5, 0.5, 0]]
    >>> pairs = abut.find_pairs(centers, [1.0, 0.75, 0.125])
    >>> pairs.i, pairs.j, pairs.overlap
    (array([0, 1]), array([1, 2]), array([0.25 , 0.375]))

    In a box that is periodic along x, the first sphere also touches an image of the second:

    >>> pairs = abut.find_pairs(centers[:2], 1.0, period=(3, None, None))
    >>> pairs.image[:, 0], pairs.normal[:, 0]
    (array([-1,  0]), array([ 1., -1.]))

    In a tilted cell, an image is at ``x + image @ cell``:

    >>> cell = [[8, 0, 0], [0.5, 8, 0], [0, 0, 8]]
    >>> pairs = abut.find_pairs([[0, 0, 0], [0.5, 7, 0]], 1.0, period=cell)
    >>> pairs.image, pairs.point + 0.0
    (array([[ 0, -1,  0]]), array([[ 0. , -0.5,  0. ]]))
    """
    box = _read_box(period)
    points = _read_centers(centers, box)
    given = _read_input(
        checks.lengths(radii, "radii", len(points), "center"), gap, levels, search, box
    )
    threads = worker_count(workers, len(points))
    core = given.build(points.shape[1], threads, _LENDER)
    # copied for the table, because the caller may change them later
    given = given._replace(radii=given.radii.copy())
    return _search(core, given, points, others, threads)


class PairFinder:
    """Spheres with fixed sizes, prepared for many searches for pairs.

    Parameters
    ----------
    radii : (n,) array_like
        Radii of the spheres, positive.
    gap : float or (n,) array_like, default 0
        Also find pairs with a gap between them: their overlap is at least -gap, or with a gap g for
        each sphere at least ``-(g[i] + g[j]) / 2``.
    levels : "auto", int, or sequence of float
        The number of levels of the grid, 1 to 64, or their sizes, ascending. The last size must be
        at least the largest diameter plus gap, others included. A sphere is on the first level that
        is large enough. By default the cells of all levels hold the same number of spheres on
        average, and the number of levels has the smallest `expected_work` with an ``overhead`` of
        7. If large and small spheres lie in different places, so that some cells hold far more,
        there is one level for each octave. Only the time depends on the levels, not the pairs.
    search : {"top-down", "bottom-up"}
        Whether the search goes from each sphere to smaller ones on the levels below, or to larger
        ones on the levels above. The pairs are the same.
    period : sequence of 3 (or 2) floats or None, or (3, 3) (or (2, 2)) array_like, optional
        The lengths of the world's periods along each axis; None for an axis without a period. In a
        tilted cell, the vectors along which the world repeats, one in each row; zeros for a vector
        along which nothing repeats. Spheres may be anywhere, even outside the box, and larger than
        a period. Each image that touches is a pair, with its number in ``pairs.image``. A sphere
        that touches its own image is a pair with i = j. A period so short that spheres reach
        thousands of images is an error. By default nothing repeats.

    Attributes
    ----------
    radii : (n,) ndarray, read-only
        As given.
    search : str
        As given.
    period : tuple of float or None, ndarray, or None
        As given: lengths as a tuple, vectors as a read-only array.

    Raises
    ------
    ValueError
        If a radius is not positive, or a shape or a keyword's value is wrong.
    TypeError
        If an argument does not consist of real numbers.

    Notes
    -----
    All lengths, including the results, are in the caller's unit. The grid and its searches are
    described in [1]_, section 2 (eq. 4: the cells that a sphere accesses).

    As with a `ContactFinder`, threads may share a finder, it can be pickled, and memory of large
    results is reused. A finder is built with the number of threads of `set_num_threads` or the
    environment.

    References
    ----------
    .. [1] D. Krijgsman, V. Ogarko, S. Luding, "Optimal parameters for a hierarchical grid data
       structure for contact detection in arbitrarily polydisperse particle systems", Computational
       Particle Mechanics 1 (2014), :doi:`10.1007/s40571-014-0020-9`.

    Examples
    --------
    >>> import abut
    >>> finder = abut.PairFinder([1.0, 1.0, 0.5])
    >>> finder
    PairFinder(3 spheres, 1 level)
    >>> for x in 1.5, 2.5:
    ...     print(finder.find([[0, 0, 0], [x, 0, 0], [x, 1, 0]]))
    Pairs(2 of 3 spheres)
    Pairs(1 of 3 spheres)
    """

    __slots__ = ("__weakref__", "_cores", "_input", "_last")

    def __init__(
        self,
        radii: ArrayLike,
        *,
        gap: ArrayLike = 0.0,
        levels: Levels = "auto",
        search: Search = "top-down",
        period: PeriodLike = None,
    ) -> None:
        sizes = checks.doubles(radii, "radii").copy()
        if sizes.ndim != 1:
            hint = ": one for each sphere; find_pairs takes a number" if sizes.ndim == 0 else ""
            raise ValueError(f"radii has shape {sizes.shape}, but must be (n,){hint}")
        self._input = _read_input(sizes, gap, levels, search, _read_box(period))
        self._last = self._input.box.dimensions[0]
        # One core for each dimension that centers have had so far.
        self._cores = {self._last: self._input.build(self._last)}

    @property
    def radii(self) -> Doubles:
        radii = self._input.radii.view()
        radii.flags.writeable = False
        return radii

    @property
    def sizes(self) -> Doubles:
        """The sizes of the levels, (L,).

        If they are not given, they depend on the dimension of the last query's centers. Before the
        first query the dimension is that of `period`, or 3. ``statistics().sizes`` has the sizes
        of the last query.
        """
        return self._cores[self._last].sizes()

    @property
    def search(self) -> Search:
        return next(word for word, number in SEARCHES.items() if number == self._input.search)

    @property
    def period(self) -> Period | None:
        return self._input.box.period

    def find(
        self,
        centers: ArrayLike,
        *,
        others: Others | None = None,
        workers: int | None = None,
    ) -> Pairs:
        """Find the pairs of touching spheres.

        Parameters
        ----------
        centers : (n, 3) or (n, 2) array_like
            Centers of the spheres, or of disks in the plane: one for each radius.
        others : tuple of (centers, radii) or (centers, radii, gaps), optional
            Other spheres. Then only pairs of a sphere and one of the others are found, and
            ``pairs.j`` is the number of the other. One radius or gap may be given for all others;
            if the finder's `gap` is a number, the gaps can be left out.
        workers : int, optional
            The largest number of threads, as for `ContactFinder.find`.

        Returns
        -------
        Pairs
            Sorted by i, then j, then image.

        Raises
        ------
        ValueError, TypeError, KeyboardInterrupt
            As `ContactFinder.find`. The finder can be used after any of these errors.

        Examples
        --------
        >>> import abut
        >>> finder = abut.PairFinder([1.0, 1.0], gap=0.5)
        >>> finder.find([[0, 0, 0], [2.25, 0, 0]]).overlap
        array([-0.25])

        Spheres and others:

        >>> pairs = finder.find([[0, 0, 0], [1, 0, 0]], others=([[2, 0, 0]], 0.75))
        >>> pairs.i, pairs.j
        (array([0, 1]), array([0, 0]))
        """
        points = _read_centers(centers, self._input.box)
        count = len(self._input.radii)
        if len(points) != count:
            rows = checks.counted(len(points), "row")
            raise ValueError(
                f"centers has {rows}, but {checks.there_are(count, 'radius', 'radii')}"
            )
        core = self._core_of(points.shape[1])
        return _search(core, self._input, points, others, worker_count(workers, count))

    def _core_of(self, dimension: int) -> _core.PairFinder:
        core = self._cores.get(dimension)
        if core is None:
            core = self._cores.setdefault(dimension, self._input.build(dimension))
        # Assigned after the core is stored: `statistics` in another thread may look up the core of
        # this dimension immediately.
        self._last = dimension
        return core

    def statistics(self) -> PairStatistics:
        """Count the last query's work, which takes about as long as the query.

        Returns
        -------
        PairStatistics
            If several threads made queries at once, the counts of one of these queries. After a
            query that ended with an error, all counts are 0.

        Examples
        --------
        >>> import abut
        >>> finder = abut.PairFinder([1.0, 1.0, 0.5])
        >>> pairs = finder.find([[0, 0, 0], [1.5, 0, 0], [1.5, 1, 0]])
        >>> statistics = finder.statistics()
        >>> statistics.spheres, statistics.pairs, statistics.sizes
        (3, 2, array([2.]))
        """
        return PairStatistics(*self._cores[self._last].statistics())

    def __repr__(self) -> str:
        levels = checks.counted(len(self.sizes), "level")
        return f"PairFinder({checks.counted(len(self._input.radii), 'sphere')}, {levels})"

    def _repr_html_(self) -> str:
        given = self._input
        facts = {
            "radii": html.span(given.radii),
            "gap": html.span(given.gap if given.gaps is None else given.gaps),
            "sizes of levels": html.numbers(self.sizes),
            "search": self.search,
            "period": text_of(self.period),
        }
        return html.facts_table(repr(self), facts)

    def __reduce__(self) -> tuple[Any, ...]:
        given = self._input
        levels: Levels = given.levels or "auto" if given.sizes is None else given.sizes
        gap = given.gap if given.gaps is None else given.gaps
        make = partial(PairFinder, gap=gap, levels=levels, search=self.search, period=self.period)
        return make, (given.radii,)


class _Box(NamedTuple):
    """The period, and the possible dimensions of the centers."""

    period: Period | None
    dimensions: tuple[int, ...]


class _Input(NamedTuple):
    """The inputs of a finder; a number of levels of 0 means "auto"."""

    radii: Doubles
    gap: float
    gaps: Doubles | None
    sizes: Doubles | None
    levels: int
    search: int
    box: _Box

    def build(
        self,
        dimension: int,
        workers: int | None = None,
        lender: _core.PairFinder | None = None,
    ) -> _core.PairFinder:
        period = self.box.period
        return _core.PairFinder(
            dimension,
            *self[:6],
            None if period is None else vectors_of(period),
            workers or worker_count(None, len(self.radii)),
            lender,
        )


def _read_input(radii: Doubles, gap: ArrayLike, levels: Any, search: Search, box: _Box) -> _Input:
    number, gaps = _read_gap(gap, len(radii))
    return _Input(
        radii,
        number,
        gaps,
        *_read_levels(levels),
        checks.choice(search, "search", SEARCHES),
        box,
    )


def _read_box(period: Any) -> _Box:
    if period is None:
        return _Box(None, (3, 2))
    is_iterator = isinstance(period, Iterable) and not checks.is_array(period)
    given = tuple(period) if is_iterator else period
    return _Box(read_period(given, 3, 2), (len(given),))


def _read_centers(centers: ArrayLike, box: _Box) -> Doubles:
    array = checks.doubles(centers, "centers")
    axes = array.shape[1] if array.ndim == 2 else 0
    if axes in (2, 3) and axes not in box.dimensions:
        items = "vectors" if is_array(box.period) else "items"
        raise ValueError(
            f"centers has shape {array.shape}, but period has {box.dimensions[0]} {items}:"
            " give one for each axis"
        )
    return checks.points(array, "centers", box.dimensions)


def _read_gap(gap: ArrayLike, count: int) -> tuple[float, Doubles | None]:
    """Read the gap: one for all spheres, or one for each."""
    array = checks.doubles(gap, "gap")
    if array.ndim == 0:
        return float(array), None
    return 0.0, checks.lengths(array, "gap", count, "sphere").copy()


def _read_levels(levels: Any) -> tuple[Doubles | None, int]:
    """Read the sizes of the levels, or their number; 0 means "auto"."""
    if isinstance(levels, str):
        return None, checks.choice(levels, "levels", {"auto": 0})
    if levels is None:
        raise TypeError("levels is None, but must be 'auto', a number or sizes")
    if not isinstance(levels, Sequence) and np.ndim(levels) == 0:
        count = checks.whole(levels, "levels")
        if not 1 <= count <= _core.LEVEL_LIMIT:
            raise ValueError(f"levels is {count}, but must be 1 to {_core.LEVEL_LIMIT}")
        return None, count
    sizes = checks.doubles(levels, "levels")
    if sizes.ndim != 1 or not len(sizes):
        raise ValueError(f"levels has shape {sizes.shape}, but must be (L,), at least one size")
    return sizes.copy(), 0


def _read_others(
    others: tuple[Any, ...] | None, given: _Input, dimension: int
) -> tuple[Doubles | None, Doubles | None, Doubles | None]:
    """Read the centers, radii and gaps of the others; each is None if it is not given."""
    if others is None:
        return None, None, None
    if not isinstance(others, (tuple, list)) or len(others) not in (2, 3):
        raise TypeError("others must be (centers, radii) or (centers, radii, gaps)")
    points = checks.points(others[0], "others: centers", (dimension,))
    radii = checks.lengths(others[1], "others: radii", len(points), "center")
    if len(others) == 3:
        return points, radii, checks.lengths(others[2], "others: gaps", len(points), "center")
    if given.gaps is not None:
        raise ValueError(
            "each sphere has a gap, but the others have none: give others=(centers, radii, gaps)"
        )
    return points, radii, None


def _search(
    core: _core.PairFinder,
    given: _Input,
    points: Doubles,
    others: tuple[Any, ...] | None,
    workers: int,
) -> Pairs:
    second = _read_others(others, given, points.shape[1])
    level()  # raises an error if ABUT_SIMD is not an instruction level
    columns = core.find(points, *second, workers)
    settings = {
        "period": given.box.period,
        "other_count": None if second[0] is None else len(second[0]),
        "_radii": given.radii,
        "_other_radii": None if second[1] is None else second[1].copy(),
    }
    return Pairs._found(columns, settings)
