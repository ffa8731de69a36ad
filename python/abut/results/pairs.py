"""The table of pairs of touching spheres."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.periods import Period
from . import sums
from .columns import columns_of
from .history import pair_step
from .pair_networks import PairNetwork
from .table import same_column

if TYPE_CHECKING:
    from ..options import Canvas, PairsPlotOptions
    from .contacts import Contacts


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Pairs(PairNetwork):
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
    radius_i, radius_j : (m,) ndarray of float64
        Radii of both spheres, as given to the search. They are made at each use. Tables of files
        that were written by versions up to 0.2 do not have them.

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
    _settings: ClassVar = ("period", "other_count", "_radii", "_other_radii")
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
    # Radii of all spheres and of all others; None if they are not known.
    _radii: NDArray[np.float64] | None = None
    _other_radii: NDArray[np.float64] | None = None

    @property
    def radius_i(self) -> NDArray[np.float64]:
        return self._radii_of("i", self._radii)

    @property
    def radius_j(self) -> NDArray[np.float64]:
        radii = self._radii if self.other_count is None else self._other_radii
        return self._radii_of("j", radii)

    def _radii_of(self, side: str, radii: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """The radius of i or j (`side`) in each row."""
        if radii is None:
            raise ValueError(
                "the radii of these pairs are not known, since the table is of an old file: search"
                " with find_pairs again"
            )
        return radii[sums.numbers_of(self, side, len(radii))]

    def _ends(self) -> NDArray[np.float64] | None:
        if self._radii is None:
            return None
        of_i = self.point + (self.radius_i - self.overlap / 2)[:, None] * self.normal
        of_j = self.point - (self.radius_j - self.overlap / 2)[:, None] * self.normal
        ends = np.stack([of_i, of_j], axis=1)
        return np.pad(ends, ((0, 0), (0, 0), (0, 3 - ends.shape[2])))

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
        from .arms import pair_arms

        return pair_arms(self, centers, others)

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
        from .arms import relative_velocity

        return relative_velocity(self, centers, velocities, angular_velocities, others)

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

    def stress(self, forces: ArrayLike, volume: float) -> NDArray[np.float64]:
        """Compute the mean stress of the pairs in a volume, positive in compression.

        Parameters
        ----------
        forces : (m, d) array_like
            Force of each pair on i, such as the column `force` of a `Simulation`.
        volume : float
            Volume of the region that holds the spheres, such as the cell of a period; in the plane
            its area.

        Returns
        -------
        (d, d) ndarray of float64
            ``sum(outer(x_i - x_j, force)) / volume`` with the centers x, of j at its `image`: the
            stress of Love (1927) and Weber (1966). Entry [a, b] is a force along b per area across
            a. The branch ``x_i - x_j`` is ``(radius_i + radius_j - overlap) * normal``, so centers
            are not needed. 0 without pairs.

        Raises
        ------
        ValueError
            If the forces have another shape or are not finite, the volume is not positive, or the
            radii are not known (a table of an old file).
        TypeError
            If an argument does not consist of real numbers.

        See Also
        --------
        Contacts.virial : The part of walls, to be added.
        Simulation.stress : All parts, in a region, also of clusters, bodies and bonds.
        coarse_grain : The field of stress on a grid.

        Notes
        -----
        All rows count with their whole branch. docs/dem.md, section 15, has the sources.

        Examples
        --------
        Two grains that are pressed together, in a periodic cell of the volume 64:

        >>> import abut
        >>> pairs = abut.find_pairs([[0, 0, 0], [1.5, 0, 0]], 1.0, period=(4, 4, 4))
        >>> forces = 100 * pairs.overlap[:, None] * pairs.normal
        >>> pairs.stress(forces, 64).diagonal()
        array([1.171875, 0.      , 0.      ])
        """
        from .means import pair_stress

        return pair_stress(self, forces, volume)

    def coordination(self, *, walls: Contacts | None = None, rattlers: bool = True) -> float:
        """Compute the coordination number: the mean number of contacts of a sphere.

        Parameters
        ----------
        walls : Contacts, optional
            Contacts of the same spheres with walls, which also count.
        rattlers : bool, default True
            Whether spheres with fewer than two contacts count. Without them it is the mechanical
            coordination number, eq. 54 of docs/dem.md (Thornton 2000).

        Returns
        -------
        float
            The mean over all n spheres; nan if no sphere counts. Each pair counts for both of its
            spheres, and twice if a sphere touches its own image. After a search with others it
            counts for i alone.

        Raises
        ------
        ValueError
            If `walls` has contacts of another number of spheres, or `i` or `j` has wrong numbers.

        See Also
        --------
        Simulation.coordination : For a region, also of clusters, bodies and bonds.

        Notes
        -----
        Rows with an overlap of at least 0 are contacts, with or without a force. So rows that only
        a ``gap`` has found do not count. `Simulation.coordination` counts rows that exert a force.

        Examples
        --------
        Three grains in a row, and one that touches nothing:

        >>> import abut
        >>> pairs = abut.find_pairs([[0, 0], [1.5, 0], [3, 0], [9, 0]], 1.0)
        >>> pairs.coordination(), pairs.coordination(rattlers=False)
        (1.0, 2.0)
        """
        from .means import coordination

        return coordination(self, walls, rattlers)

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
            (extra ``plot``) in the plane, "pyvista" (extra ``view``) in space. ``view``: in space,
            as for `Mesh.plot`.

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
