"""The pairs of a search: a table of arrays."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.extras import import_extra
from ..base.poses import Period
from . import arms, sums
from .columns import columns_of
from .contact_table import ContactTable
from .history import pair_step
from .table import same_column

if TYPE_CHECKING:
    from freud.locality import NeighborList
    from scipy.sparse import csr_array

    from ..options import Canvas, PairsPlotOptions


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Pairs(ContactTable):
    """Pairs of spheres that touch: a table with one row a pair.

    Made by `find_pairs`, `PairFinder.find`, `load_pairs` and `concatenate`. Rows are sorted by i,
    then j, then image. The columns cannot be exchanged; their entries are the caller's to change.
    Vectors have as many entries as the centers had: d is 2 or 3.

    Attributes
    ----------
    i : (m,) ndarray of intp
        Number of the first sphere.
    j : (m,) ndarray of intp
        Number of the second: among the same spheres, then i < j, or i = j where a sphere touches
        its own image; or among the others that the search was given.
    normal : (m, d) ndarray of float64
        Unit vector from j's center to i's: the normal force on i is along +normal, on j along
        -normal. Where the centers are the same, +x.
    overlap : (m,) ndarray of float64
        Sum of the radii - distance of the centers, positive where they touch.
    point : (m, d) ndarray of float64
        Midway between the two surfaces, on the line of the centers; where the caller has sphere i.
    image : (m, d) ndarray of intp
        Sphere i, where the caller has it, touches sphere j shifted by ``image * period``; 0 along
        axes that are not periodic.
    force : (m, 3) ndarray of float64
        What the pair exerts on i; on j the opposite. Only `Simulation.pairs` has it, and what is
        made of that.
    offsets : (n + 1,) ndarray of intp, read-only
        The pairs whose i is k are rows ``offsets[k]:offsets[k + 1]``.
    period : tuple of d (float or None), or None
        At what lengths the world repeats along each axis.
    other_count : int, or None
        How many others the search was given; None: it was for pairs of the same spheres.

    Notes
    -----
    `image` is made when it is first asked for where the search had no period.

    Rows are selected, columns named, and tables compared and handed to what reads Arrow as those of
    `Contacts`.

    Examples
    --------
    >>> import abut
    >>> pairs = abut.find_pairs([[0, 0, 0], [1.5, 0, 0], [9, 9, 9], [1.5, 1.5, 0]], 1.0)
    >>> pairs
    Pairs(2 of 4 spheres)
    >>> pairs.i, pairs.j
    (array([0, 1]), array([1, 3]))
    >>> pairs.overlap, pairs.normal[0], pairs.point[0]
    (array([0.5, 0.5]), array([-1.,  0.,  0.]), array([0.75, 0.  , 0.  ]))

    With forces on the first of each pair, those on the spheres are

    >>> forces = 1e3 * pairs.overlap[:, None] * pairs.normal
    >>> pairs.sum(forces)[1]
    array([ 500., -500.,    0.])
    """

    _row: ClassVar = "pair"
    _columns: ClassVar = columns_of("pairs")
    _settings: ClassVar = ("period", "other_count")
    _shown: ClassVar = ("i", "j", "overlap", "point", "normal")

    i: NDArray[np.intp]
    j: NDArray[np.intp]
    normal: NDArray[np.float64]
    overlap: NDArray[np.float64]
    point: NDArray[np.float64]
    image: NDArray[np.intp] = same_column(lambda table: np.zeros(table.point.shape, np.intp))
    offsets: NDArray[np.intp]
    period: Period | None
    other_count: int | None

    def matrix(self, values: ArrayLike | None = None, *, symmetric: bool = False) -> csr_array:
        """The pairs as a sparse matrix: who touches whom, for graphs and linear algebra.

        Parameters
        ----------
        values : (m,) array_like, optional
            What the entries are; by default the overlaps.
        symmetric : bool, default False
            Whether each value is also at row j and column i, so that row k has all that sphere k
            touches, and not only those of higher numbers.

        Returns
        -------
        scipy.sparse.csr_array
            (n, n), or (n, other_count): a pair's value at row i and column j. SciPy adds up those
            of several images; where it is symmetric, a sphere that touches its own image has the
            value twice, since it is both i and j.

        Raises
        ------
        ValueError
            If `values` is of another shape, `i` or `j` hold what is no number of a sphere, or
            `symmetric` is asked for of pairs with others.
        ImportError
            If SciPy is not installed (extra ``scipy``).

        Examples
        --------
        Clusters of spheres that touch:

        >>> import abut, numpy as np
        >>> from scipy.sparse.csgraph import breadth_first_order, connected_components
        >>> centers = [[0, 0, 0], [5, 0, 0], [1.5, 0, 0], [5, 1, 0], [9, 9, 9]]
        >>> pairs = abut.find_pairs(centers, 1.0)
        >>> connected_components(pairs.matrix(), directed=False)
        (3, array([0, 1, 0, 1, 2], dtype=int32))

        The spheres that hang together with sphere 2, and how many each one touches:

        >>> touching = pairs.matrix(np.ones(len(pairs)), symmetric=True)
        >>> breadth_first_order(touching, 2, return_predecessors=False)
        array([2, 0], dtype=int32)
        >>> touching.sum(axis=1)
        array([1., 1., 1., 1., 0.])
        """
        sparse = import_extra("scipy.sparse", "scipy")
        entries = checks.doubles(self.overlap if values is None else values, "values")
        checks.shaped(entries, "values", (len(self),))
        n = len(self.offsets) - 1
        shape = n, n if self.other_count is None else self.other_count
        if symmetric:
            return self._symmetric(sparse, entries, shape)
        # the arrays are copies, since SciPy sorts and sums in place
        return sparse.csr_array((entries, self.j, self.offsets), shape, copy=True)

    def _symmetric(
        self, sparse: Any, entries: NDArray[np.float64], shape: tuple[int, int]
    ) -> csr_array:
        if self.other_count is not None:
            raise ValueError("pairs with others make no symmetric matrix: ask for matrix(values)")
        first = sums.numbers_of(self, "i", shape[0]), sums.numbers_of(self, "j", shape[1])
        rows, columns = np.concatenate([first, first[::-1]], axis=1)
        # the sum of the matrix and its transpose would drop pairs whose overlap is 0
        return sparse.coo_array((np.tile(entries, 2), (rows, columns)), shape).tocsr()

    def to_freud(self, centers: ArrayLike, others: ArrayLike | None = None) -> NeighborList:
        """The pairs as a NeighborList of freud, whose analyses take it as ``neighbors=``.

        Parameters
        ----------
        centers : (n, d) array_like
            Where the search had the spheres: freud's query points.
        others : (other_count, d) array_like, optional
            Where it had the others, freud's points; only of a search with others, and then it must
            be given.

        Returns
        -------
        freud.locality.NeighborList
            Sorted by query point, then by point, as freud sorts. Without others each pair is there
            twice, from i to j and from j to i. A vector leads from the query point to the point, of
            pairs across a period's border to its image; in the plane its third entry is 0. Weights
            are 1. freud keeps vectors as float32.

        Raises
        ------
        ImportError
            If freud-analysis is not installed (extra ``freud``).
        ValueError, TypeError
            As `arms`, or if a coordinate is not finite.

        Notes
        -----
        Those who want all neighbors within a distance, not only who touches, search with
        ``gap=``. freud wants boxes of a period around 0; vectors do not depend on where the box is.

        Examples
        --------
        >>> import abut
        >>> centers = [[0, 0, 0], [1.5, 0, 0]]
        >>> neighbors = abut.find_pairs(centers, 1.0).to_freud(centers)  # doctest: +SKIP
        >>> neighbors[:], neighbors.vectors  # doctest: +SKIP
        (array([[0, 1],
               [1, 0]], dtype=uint32), array([[ 1.5,  0. ,  0. ],
               [-1.5,  0. ,  0. ]], dtype=float32))
        """
        arm_i, arm_j = self.arms(centers, others)
        arms.check_finite(centers, others)
        from_i = np.zeros((len(self), 3))
        from_i[:, : arm_i.shape[1]] = arm_i - arm_j
        starts, ends, vectors = self.i, self.j, from_i
        if self.other_count is None:
            starts, ends = np.concatenate([self.i, self.j]), np.concatenate([self.j, self.i])
            vectors = np.concatenate([from_i, -from_i])
        order = np.lexsort([ends, starts])
        n = len(self.offsets) - 1
        return import_extra("freud.locality", "freud").NeighborList.from_arrays(
            n,
            n if self.other_count is None else self.other_count,
            starts[order],
            ends[order],
            vectors[order],
        )

    def arms(
        self, centers: ArrayLike, others: ArrayLike | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The vectors from the centers of both spheres to where they touch.

        The torque of a force on i is ``np.cross(arm_i, force)``, that of the opposite on j is
        ``np.cross(arm_j, -force)``.

        Parameters
        ----------
        centers : (n, d) array_like
            Where the search had the spheres.
        others : (other_count, d) array_like, optional
            Where it had the others; only of a search with others, and then it must be given.

        Returns
        -------
        arm_i, arm_j : (m, d) ndarray of float64
            From i's center to `point`; and from j's, shifted by ``image * period``, so that it is
            as long across the border of a periodic world as anywhere else.

        Raises
        ------
        ValueError
            If a shape is wrong, `i` or `j` hold what is no number of a sphere, or others are
            missing, or given where there are none.
        TypeError
            If they are no real numbers.

        See Also
        --------
        relative_velocity : How the surfaces move there.

        Examples
        --------
        A force across the contact turns both spheres the same way, here two that touch across the
        border of a periodic world:

        >>> import abut, numpy as np
        >>> centers = [[0.5, 0, 0], [9, 0, 0]]
        >>> pairs = abut.find_pairs(centers, 1.0, period=(10, None, None))
        >>> arm_i, arm_j = pairs.arms(centers)
        >>> arm_i, arm_j
        (array([[-0.75,  0.  ,  0.  ]]), array([[0.75, 0.  , 0.  ]]))
        >>> force = np.array([[0.0, 4.0, 0.0]])
        >>> pairs.sum(np.cross(arm_i, force), np.cross(arm_j, -force))
        array([[ 0.,  0., -3.],
               [ 0.,  0., -3.]])
        """
        return arms.pair_arms(self, centers, others)

    def relative_velocity(
        self,
        centers: ArrayLike,
        velocities: ArrayLike,
        angular_velocities: ArrayLike | None = None,
        *,
        others: tuple[Any, ...] | None = None,
    ) -> NDArray[np.float64]:
        """How fast the surface of i moves at the contact point, seen from that of j.

        Parameters
        ----------
        centers : (n, d) array_like
            Where the search had the spheres.
        velocities : (n, d) array_like
            Of their centers.
        angular_velocities : (n, 3) array_like, or (n,) where d is 2, optional
            In radians per time, counter-clockwise about their direction, or in the plane. By
            default the spheres do not turn.
        others : tuple, optional
            The same of the others, (centers, velocities) or (centers, velocities,
            angular_velocities); only of a search with others, and then it must be given.

        Returns
        -------
        (m, d) ndarray of float64
            ``v_i + omega_i x arm_i - v_j - omega_j x arm_j``, with the `arms`. Along `normal` it is
            how fast the overlap becomes less; what is left when this part is taken away is how fast
            the surfaces slide.

        Raises
        ------
        ValueError, TypeError
            As `arms`, or if others are no such tuple.

        See Also
        --------
        arms : From the centers to where the spheres touch.
        Contacts.velocity : How fast a mesh moves at its contact points.

        Examples
        --------
        A sphere turns and moves towards another; their surfaces slide and overlap more:

        >>> import abut
        >>> centers = [[0, 0, 0], [1.5, 0, 0]]
        >>> pairs = abut.find_pairs(centers, 1.0)
        >>> found = pairs.relative_velocity(centers, [[1, 0, 0], [0, 0, 0]], [[0, 0, 2], [0, 0, 0]])
        >>> found
        array([[1. , 1.5, 0. ]])
        >>> speed = (found * pairs.normal).sum(axis=1)
        >>> speed, found - speed[:, None] * pairs.normal
        (array([-1.]), array([[0. , 1.5, 0. ]]))
        """
        return arms.relative_velocity(self, centers, velocities, angular_velocities, others)

    def sum(self, on_i: ArrayLike, on_j: ArrayLike | None = None) -> Any:
        """Add up what the pairs do to each sphere, such as forces.

        Parameters
        ----------
        on_i : (m,) or (m, k) array_like
            A number, or k numbers, for each pair: what it does to sphere i.
        on_j : array_like of the same shape, optional
            What it does to j. By default ``-on_i``, as of forces.

        Returns
        -------
        (n,) or (n, k) ndarray of float64
            The sum over each sphere's pairs: of those in which it is i in their order, plus of
            those in which it is j in theirs. So the bits are the same on every run. 0 where there
            are none.
            Of a search with others a tuple of two: the sums for the spheres, and for the others,
            (other_count,) or (other_count, k).

        Raises
        ------
        ValueError
            If a shape is wrong, or `i` or `j` hold what is no number of a sphere.
        TypeError
            If `on_i` or `on_j` are no real numbers.

        Examples
        --------
        Three spheres in a row push each other apart:

        >>> import abut, numpy as np
        >>> pairs = abut.find_pairs([[0, 0], [1.5, 0], [2.75, 0]], 1.0)
        >>> pairs.sum(100 * pairs.overlap[:, None] * pairs.normal)
        array([[-50.,   0.],
               [-25.,   0.],
               [ 75.,   0.]])

        How many pairs each sphere has, and the same for spheres and others:

        >>> ones = np.ones(len(pairs))
        >>> pairs.sum(ones, ones)
        array([1., 2., 1.])
        >>> pairs = abut.find_pairs([[0, 0], [9, 0]], 1.0, others=([[1.5, 0], [0, 1.5]], 1.0))
        >>> ones = np.ones(len(pairs))
        >>> pairs.sum(ones, ones)
        (array([2., 0.]), array([1., 1.]))
        """
        return sums.pair_sum(self, on_i, on_j)

    @overload
    def plot(
        self,
        centers: ArrayLike,
        values: ArrayLike | str | None = None,
        ax: None = None,
        **options: Unpack[PairsPlotOptions],
    ) -> Any: ...

    @overload
    def plot(
        self,
        centers: ArrayLike,
        values: ArrayLike | str | None = None,
        ax: Canvas = ...,
        **options: Unpack[PairsPlotOptions],
    ) -> Canvas: ...

    def plot(self, centers: ArrayLike, values: Any = None, ax: Any = None, **options: Any) -> Any:
        """Draw a line for each pair, from center to center, as thick as its number: force chains.

        A pair of a sphere and an image beyond the box is two half lines, one out of each side.

        Parameters
        ----------
        centers : (n, d) array_like
            Where the spheres were as they were found.
        values : (m,) array_like or str, optional
            A finite number for each pair, or a column's name, as "force", of which the lengths
            count. By default "overlap". Lines are as thick as the number's magnitude; the color
            tells its sign, too.
        ax : matplotlib axes or pyvista.Plotter, optional
            What is drawn on: axes in the plane for pairs in the plane, a plotter for those in
            space; made where it is not given.
        **options
            ``others``, the centers of the others where the search was with others; ``width`` of the
            line whose number's magnitude is the largest, or that of ``limits``: in the plane points
            of the page, by default 6; in space a length, by default a fifth of the lines' median
            length; ``cmap``, ``limits`` and ``label``, by default the column's name, as for
            `Mesh.plot`; ``backend``, which may be "matplotlib" (extra ``plot``) in the plane, and
            "pyvista" (extra ``view``) in space.

        Returns
        -------
        matplotlib axes or pyvista.Plotter
            As `ConvexShape.plot`.

        Raises
        ------
        ImportError, TypeError, ValueError
            As `ConvexShape.plot`, or if an option's value is wrong, or the centers of the others
            are not given.

        Examples
        --------
        >>> import abut
        >>> centers = [[0, 0], [1.5, 0], [2.5, 1.5]]
        >>> ax = abut.find_pairs(centers, 1.0).plot(centers)  # doctest: +SKIP
        """
        from ..plot.pairs import plot_pairs

        return plot_pairs(self, centers, values, ax, **options)

    def _check_previous(self, before: Pairs) -> None:
        if (self.other_count is None) != (before.other_count is None):
            raise ValueError("one search had others, the other one had none")

    def _step(self, whose: str) -> _core._PairStep:
        if not len(self.offsets):
            count = len(self)
            raise ValueError(f"{whose}offsets do not ascend from 0 to the number of pairs, {count}")
        first = checks.indices(self.offsets, f"{whose}offsets")
        # without a period two spheres are one pair at most, and images tell nothing
        image = None if self.period is None else self.image
        return pair_step(self, whose, first, image, self.other_count)

    def __repr__(self) -> str:
        others = (
            "" if self.other_count is None else f" with {checks.counted(self.other_count, 'other')}"
        )
        return f"Pairs({len(self)} of {checks.counted(len(self.offsets) - 1, 'sphere')}{others})"
