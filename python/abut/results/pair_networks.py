"""Pairs as networks: sparse matrices, and neighbor lists of freud."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.extras import import_extra
from . import sums
from .contact_table import ContactTable

if TYPE_CHECKING:
    from freud.box import Box
    from freud.locality import NeighborList
    from scipy.sparse import csr_array


class PairNetwork(ContactTable):
    """The methods of `Pairs` that make a network of the pairs."""

    i: NDArray[np.intp]
    j: NDArray[np.intp]
    image: NDArray[np.intp]
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
        from .arms import check_finite, pair_arms

        arm_i, arm_j = pair_arms(self, centers, others)
        check_finite(centers, others)
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
