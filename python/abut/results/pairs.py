"""The table of pairs of touching spheres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.extras import import_extra
from ..base.periods import Period
from . import arms, sums
from .columns import columns_of
from .contact_table import ContactTable
from .history import pair_step
from .table import same_column

if TYPE_CHECKING:
    from freud.box import Box
    from freud.locality import NeighborList
    from scipy.sparse import csr_array

    from ..options import Canvas, PairsPlotOptions


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Pairs(ContactTable):
    """Pairs of touching spheres: a table with one row for each pair.

    Made by `find_pairs`, `PairFinder.find`, `load_pairs`, `read_pairs` and `concatenate`. Rows
    are sorted by i, then j, then image. Columns cannot be replaced, but their entries can be
    changed. Vectors have the dimension d of the centers, 2 or 3.

    Attributes
    ----------
    i : (m,) ndarray of intp
        Number of the first sphere.
    j : (m,) ndarray of intp
        Number of the second sphere; i < j, or i = j if a sphere touches its own image. In a search
        with others, the number of the second sphere among the others.
    normal : (m, d) ndarray of float64
        Unit vector from j's center to i's: the normal force on i is along +normal, on j along
        -normal. If the centers coincide, it is +x.
    overlap : (m,) ndarray of float64
        Sum of both radii minus the centers' distance, positive if the spheres touch.
    point : (m, d) ndarray of float64
        Midpoint between the two surfaces on the line of the centers, for sphere i at its given
        center.
    image : (m, d) ndarray of intp
        Sphere i at its given center touches sphere j shifted by ``image * period``, or
        ``image @ period`` for a period with vectors; 0 where nothing repeats.
    force : (m, 3) ndarray of float64
        Force of the pair on i; the opposite force acts on j. Only tables of `Simulation.pairs` and
        `read_pairs`, and tables made from these, have this column.
    offsets : (n + 1,) ndarray of intp, read-only
        The pairs with i = k are rows ``offsets[k]:offsets[k + 1]``.
    period : tuple of d (float or None), (d, d) ndarray, or None
        As given: lengths of the world's periods along the axes, or vectors as rows.
    other_count : int, or None
        Number of others in the search; None if the search had no others.

    Notes
    -----
    Without a period, `image` becomes an array when it is first used.

    Selections of rows, columns by name, comparison and Arrow are as for `Contacts`.

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

    Forces on the first sphere of each pair give these forces on the spheres:

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
        """Return the pairs as a sparse matrix, such as for graphs and linear algebra.

        Parameters
        ----------
        values : (m,) array_like, optional
            The entries of the matrix; by default the overlaps.
        symmetric : bool, default False
            Whether each value is also at row j and column i. Row k then has all spheres that sphere
            k touches, not only spheres with higher numbers.

        Returns
        -------
        scipy.sparse.csr_array
            (n, n), or (n, other_count): a pair's value is at row i and column j. If i and j touch
            through several images, SciPy adds up their values. In a symmetric matrix, the value of
            a sphere that touches its own image counts twice, since the sphere is both i and j.

        Raises
        ------
        ValueError
            If `values` has another shape, `i` or `j` has wrong numbers, or `symmetric` is True for
            pairs with others.
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

        The cluster of sphere 2, and for each sphere, the number of spheres that it touches:

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
        # The arrays are copied, since SciPy sorts and sums in place.
        return sparse.csr_array((entries, self.j, self.offsets), shape, copy=True)

    def _symmetric(
        self, sparse: Any, entries: NDArray[np.float64], shape: tuple[int, int]
    ) -> csr_array:
        if self.other_count is not None:
            raise ValueError("pairs with others make no symmetric matrix: use matrix(values)")
        first = sums.numbers_of(self, "i", shape[0]), sums.numbers_of(self, "j", shape[1])
        rows, columns = np.concatenate([first, first[::-1]], axis=1)
        # The sum of the matrix and its transpose would drop pairs with an overlap of 0.
        return sparse.coo_array((np.tile(entries, 2), (rows, columns)), shape).tocsr()

    def to_freud(self, centers: ArrayLike, others: ArrayLike | None = None) -> NeighborList:
        """Return the pairs as a NeighborList of freud, for ``neighbors=`` in freud's analyses.

        Parameters
        ----------
        centers : (n, d) array_like
            Centers of the spheres in the search: freud's query points.
        others : (other_count, d) array_like, optional
            Centers of the others, freud's points. Required after a search with others, and only
            then.

        Returns
        -------
        freud.locality.NeighborList
            Sorted by query point, then by point, as in freud. Without others each pair occurs
            twice, from i to j and from j to i. A vector points from the query point to the point,
            or to its image across the border of a period; in the plane its third entry is 0.
            Weights are 1. freud stores vectors as float32.

        Raises
        ------
        ImportError
            If freud-analysis is not installed (extra ``freud``).
        ValueError, TypeError
            As `arms`, or if a coordinate is not finite.

        Notes
        -----
        For all neighbors within a distance, not only touching ones, search with ``gap=``. freud's
        analyses also take points and a box, which `freud_box` makes: ``compute((box, centers),
        neighbors=neighbors)``. Its boxes are around 0; vectors do not depend on their place.

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

    def freud_box(self, centers: ArrayLike) -> Box:
        """Return the period as a box of freud, for the ``system`` of freud's analyses.

        Parameters
        ----------
        centers : (n, d) array_like
            Centers of the spheres in the search. Along axes that are not periodic, the box is so
            large that it holds them.

        Returns
        -------
        freud.box.Box
            With tilt factors if the cell is tilted. Its attribute ``periodic`` has the axes along
            which the period repeats.

        Raises
        ------
        ImportError
            If freud-analysis is not installed (extra ``freud``).
        ValueError, TypeError
            If the centers are not finite or of a wrong shape. If the first vector of the cell is
            not along x, or the second not in the plane of x and y, as freud requires: rotate the
            centers and the cell before the search.

        See Also
        --------
        to_freud : The pairs themselves.

        Notes
        -----
        A vector that leads backwards becomes its opposite, with which the same lattice repeats.

        Examples
        --------
        >>> import abut
        >>> centers = [[0, 0, 0], [1.5, 0, 0]]
        >>> pairs = abut.find_pairs(centers, 1, period=[[4, 0, 0], [2, 4, 0], [0, 0, 4]])
        >>> pairs.freud_box(centers)  # doctest: +SKIP
        freud.box.Box(Lx=4.0, Ly=4.0, Lz=4.0, xy=0.5, xz=0.0, yz=0.0, is2D=False)
        """
        # imported here, since few searches need it
        from . import freud_boxes

        places = checks.doubles(centers, "centers")
        checks.shaped(places, "centers", (len(self.offsets) - 1, self.point.shape[1]))
        checks.all_finite(places, "centers")
        return freud_boxes.freud_box(self.period, places)

    def arms(
        self, centers: ArrayLike, others: ArrayLike | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Compute the vectors from the centers of both spheres to the contact point.

        The torque of a force on i is ``np.cross(arm_i, force)``. The torque of the opposite force
        on j is ``np.cross(arm_j, -force)``.

        Parameters
        ----------
        centers : (n, d) array_like
            Centers of the spheres in the search.
        others : (other_count, d) array_like, optional
            Centers of the others. Required after a search with others, and only then.

        Returns
        -------
        arm_i, arm_j : (m, d) ndarray of float64
            From i's center to `point`, and from j's center, shifted to its `image`, to `point`. So
            both are also correct across the border of a periodic world.

        Raises
        ------
        ValueError
            If a shape is wrong, `i` or `j` has wrong numbers, or others are missing, or given after
            a search without others.
        TypeError
            If the centers are not real numbers.

        See Also
        --------
        relative_velocity : Relative velocity of the surfaces at the contact point.

        Examples
        --------
        A tangential force turns both spheres in the same direction. These two touch across the
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
        """Compute the velocity of i's surface relative to j's at the contact point.

        Parameters
        ----------
        centers : (n, d) array_like
            Centers of the spheres in the search.
        velocities : (n, d) array_like
            Velocities of the centers.
        angular_velocities : (n, 3) array_like, or (n,) where d is 2, optional
            In radians per time (right-hand rule), in the plane counter-clockwise. By default the
            spheres do not turn.
        others : tuple, optional
            (centers, velocities) or (centers, velocities, angular_velocities) of the others.
            Required after a search with others, and only then.

        Returns
        -------
        (m, d) ndarray of float64
            ``v_i + omega_i x arm_i - v_j - omega_j x arm_j``, with the `arms`. Its component along
            `normal` is the speed of separation, at which the overlap decreases. The rest is the
            sliding velocity.

        Raises
        ------
        ValueError, TypeError
            As `arms`, or if `others` is not such a tuple.

        See Also
        --------
        arms : Vectors from the centers to the contact point.
        Contacts.velocity : Velocity of a mesh at its contact points.

        Examples
        --------
        A sphere turns and moves towards another; their surfaces slide, and the overlap grows:

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
        """Sum values of the pairs, such as forces, for each sphere.

        Parameters
        ----------
        on_i : (m,) or (m, k) array_like
            A number, or k numbers, for each pair: the value for sphere i.
        on_j : array_like of the same shape, optional
            The values for j. By default ``-on_i``, as for forces.

        Returns
        -------
        (n,) or (n, k) ndarray of float64
            For each sphere, the sum over the pairs in which it is i, plus the sum over those in
            which it is j; 0 without pairs. Both are added in the order of rows, so that each run
            gives the same bits. After a search with others it is a tuple of two: the sums for the
            spheres, and the sums for the others, (other_count,) or (other_count, k).

        Raises
        ------
        ValueError
            If a shape is wrong, or `i` or `j` has wrong numbers.
        TypeError
            If `on_i` or `on_j` are not real numbers.

        Examples
        --------
        Three spheres in a row push each other apart:

        >>> import abut, numpy as np
        >>> pairs = abut.find_pairs([[0, 0], [1.5, 0], [2.75, 0]], 1.0)
        >>> pairs.sum(100 * pairs.overlap[:, None] * pairs.normal)
        array([[-50.,   0.],
               [-25.,   0.],
               [ 75.,   0.]])

        The number of pairs of each sphere, and the same for spheres and others:

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
        """Draw a line from center to center for each pair, such as force chains.

        A pair with an image beyond the box is drawn as two half lines, one on each side.

        Parameters
        ----------
        centers : (n, d) array_like
            Centers of the spheres in the search.
        values : (m,) array_like or str, optional
            A finite number for each pair, or a column's name, such as "force"; vectors count by
            their magnitudes. By default "overlap". The width of a line shows the magnitude of the
            number, and its color shows the number with its sign.
        ax : matplotlib axes or pyvista.Plotter, optional
            2D axes for pairs in the plane, a plotter for pairs in space; by default new ones.
        **options
            ``others``: the centers of the others, after a search with others. ``width``: the width
            of the line with the largest magnitude (that of ``limits`` if given). In the plane it is
            in points, 6 by default. In space it is a length, by default a fifth of the lines'
            median length. ``cell``: False leaves out the edges of the periodic cell; it begins at 0
            if it then holds the centers, and otherwise lies around these. ``cmap``, ``limits`` and
            ``label`` (by default the column's name): as for `Mesh.plot`. ``backend``: "matplotlib"
            (extra ``plot``) in the plane, "pyvista" (extra ``view``) in space.

        Returns
        -------
        matplotlib axes or pyvista.Plotter
            As `ConvexShape.plot`.

        Raises
        ------
        ImportError, TypeError, ValueError
            As `ConvexShape.plot`, or if an option is wrong, or the centers of the others are
            missing.

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
            raise ValueError("one of the two searches had others, and the other one did not")

    def _step(self, whose: str) -> _core._PairStep:
        if not len(self.offsets):
            count = len(self)
            raise ValueError(f"{whose}offsets do not ascend from 0 to the number of pairs, {count}")
        first = checks.indices(self.offsets, f"{whose}offsets")
        # Without a period, all images are 0, and two spheres are at most one pair.
        image = None if self.period is None else self.image
        return pair_step(self, whose, first, image, self.other_count)

    def __repr__(self) -> str:
        others = (
            "" if self.other_count is None else f" with {checks.counted(self.other_count, 'other')}"
        )
        return f"Pairs({len(self)} of {checks.counted(len(self.offsets) - 1, 'sphere')}{others})"
