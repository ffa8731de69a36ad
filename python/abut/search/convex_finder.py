"""The search for contacts of convex bodies with each other and with walls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks, html
from ..base.arrays import Doubles, Indices
from ..base.periods import PeriodLike
from ..base.threads import worker_count
from ..results.convex_contacts import ConvexContacts
from ..results.entrances import Entrances
from ..results.pairs import Pairs
from .convex_input import (
    METHODS,
    MINIMA,
    Built,
    Input,
    Placed,
    digest_of,
    read_before,
    read_bodies,
    read_cp_angles,
    read_entrances,
    read_gap,
    read_iterations,
    read_pairs,
    read_placed,
    table,
)
from .convex_walls import read_walls
from .shape import ConvexShape

if TYPE_CHECKING:
    from ..options import (
        BodiesPlotOptions,
        Canvas,
        Method,
        Minimum,
        Orientations,
        Poses,
    )


def find_convex_contacts(
    shapes: ConvexShape | Sequence[ConvexShape],
    positions: ArrayLike,
    orientations: Orientations | None = None,
    *,
    shape: ArrayLike | None = None,
    scales: ArrayLike = 1.0,
    method: Method = "slm",
    patch_angle: float = np.radians(5.0),
    cp_angles: tuple[float, float] | None = None,
    iterations: int = 100,
    pairs: ArrayLike | Pairs | ConvexContacts | None = None,
    gap: float | None = None,
    minimum: Minimum = "tracked",
    spots: bool = True,
    period: PeriodLike = None,
    workers: int | None = None,
) -> ConvexContacts:
    """Find the contacts of convex polygons or polyhedra with each other.

    Each call prepares everything again. For many steps, build a `ConvexFinder`: its searches can
    start from the last result, which is several times as fast.

    Parameters
    ----------
    shapes, shape, scales, method, patch_angle, cp_angles, iterations
        As for `ConvexFinder`.
    positions, orientations, pairs, gap, minimum, spots, period, workers
        As for `ConvexFinder.find`.

    Returns
    -------
    ConvexContacts
        As for `ConvexFinder.find`. Errors are those of `ConvexFinder` and `ConvexFinder.find`.

    Examples
    --------
    A square, and another one that overlaps it with a corner:

    >>> import abut, numpy as np
    >>> square = abut.ConvexShape([[-1, -1], [1, -1], [1, 1], [-1, 1]])
    >>> positions, angles = [[0, 0], [0, 2.25]], [0, np.pi / 4]
    >>> contacts = abut.find_convex_contacts(square, positions, angles)
    >>> contacts.overlap.round(6), contacts.type  # a side and a vertex
    (array([0.164214]), array([[0, 2]], dtype=uint8))
    """
    finder = ConvexFinder(
        shapes,
        shape,
        scales=scales,
        method=method,
        patch_angle=patch_angle,
        cp_angles=cp_angles,
        iterations=iterations,
    )
    return finder.find(
        positions,
        orientations,
        pairs=pairs,
        gap=gap,
        minimum=minimum,
        spots=spots,
        period=period,
        workers=workers,
    )


class ConvexFinder:
    """Convex bodies with fixed shapes and sizes, prepared for many searches.

    Parameters
    ----------
    shapes : ConvexShape, or sequence of ConvexShape
        Shapes of one dimension, which bodies share.
    shape : (n,) array_like of int, optional
        The number of each body's shape among `shapes`. By default all bodies share a single shape.
    scales : float or (n,) array_like, default 1
        Each body's size as a multiple of its shape's, the rounding included; positive.
    method : {"slm", "fcp", "cp", "fds"}
        The method for finding the contact of a pair: the shortest link method [1]_, the fast common
        plane [2]_, Cundall's common plane [3]_ or the fast direct search [4]_. "slm" and "fds" find
        all contacts. "fcp" and "cp", for comparison, miss some and do not bound their error.
    patch_angle : float, default 5 degrees
        Radians, above 0 and below pi/4. Features that are tilted by less than this angle against
        the common plane have contact points (spots).
    cp_angles : (first, last), optional
        Radians. "cp" tilts the plane by the first angle, then by half of it, and so on down to the
        last. By default 5 and 0.01 degrees.
    iterations : int, default 100
        The largest number of iterations for a pair.

    Attributes
    ----------
    shapes : tuple of ConvexShape
        As given.
    method : str
        As given.

    Raises
    ------
    ValueError
        If there is no shape, or shapes have different dimensions. If a number of a shape is out of
        range, a scale is not positive, or a keyword's value is wrong. The message names the first
        wrong value.
    TypeError
        If a shape is not a `ConvexShape`, or numbers are of the wrong kind.

    See Also
    --------
    find_convex_contacts : Makes a finder and searches once.

    Notes
    -----
    The row of a pair depends only on the pair and on its row of `before`. Results are equal, bit by
    bit, for any number of threads and instruction level.

    Like a `ContactFinder`, it can be shared by threads and pickled.

    References
    ----------
    .. [1] E. G. Nezami, Y. M. A. Hashash, D. Zhao, J. Ghaboussi, "Shortest link method for contact
       detection in discrete element method", International Journal for Numerical and Analytical
       Methods in Geomechanics 30 (2006), :doi:`10.1002/nag.500`.
    .. [2] E. G. Nezami, Y. M. A. Hashash, D. Zhao, J. Ghaboussi, "A fast contact detection
       algorithm for 3-D discrete element method", Computers and Geotechnics 31 (2004).
    .. [3] P. A. Cundall, "Formulation of a three-dimensional distinct element model",
       International Journal of Rock Mechanics and Mining Sciences 25 (1988).
    .. [4] "A fast direct search algorithm for contact detection of convex polygonal or polyhedral
       particles", Computers and Geotechnics 87 (2017).

    Examples
    --------
    >>> import abut, numpy as np
    >>> cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    >>> corners = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    >>> tetra = abut.ConvexShape(corners, radius=0.05)
    >>> finder = abut.ConvexFinder([cube, tetra], shape=[0, 1, 0], scales=[1, 0.5, 2])
    >>> finder
    ConvexFinder(3 bodies of 2 shapes, 'slm')

    In a loop of steps, each search starts from the table of the last one:

    >>> contacts = None
    >>> for z in 1.6, 1.5, 1.4:
    ...     contacts = finder.find([[0, 0, 0], [0, 0, z], [9, 9, 9]], before=contacts)
    >>> contacts.overlap.round(6)
    array([0.125])
    """

    __slots__ = ("__weakref__", "_built", "_input")

    def __init__(
        self,
        shapes: ConvexShape | Sequence[ConvexShape],
        shape: ArrayLike | None = None,
        *,
        scales: ArrayLike = 1.0,
        method: Method = "slm",
        patch_angle: float = np.radians(5.0),
        cp_angles: tuple[float, float] | None = None,
        iterations: int = 100,
    ) -> None:
        bodies = read_bodies(shapes, shape, scales)
        options = (
            checks.choice(method, "method", METHODS),
            checks.number(patch_angle, "patch_angle"),
            *read_cp_angles(cp_angles),
            read_iterations(iterations),
        )
        self._input = Input(bodies, options)
        # If the number of bodies is still unknown, the first query builds this again.
        self._built = self._input.build(bodies.body_count or 0)

    @property
    def shapes(self) -> tuple[ConvexShape, ...]:
        return self._input.bodies.shapes

    @property
    def shape(self) -> Indices | None:
        """The number of each body's shape, (n,), read-only; None if there is only one shape."""
        return self._input.bodies.numbers

    @property
    def scales(self) -> Doubles | float:
        """The scales as given: one number, or a read-only array (n,)."""
        return self._input.bodies.scales

    @property
    def method(self) -> Method:
        return next(word for word, number in METHODS.items() if number == self._input.options[0])

    @property
    def dimension(self) -> int:
        """2 for polygons, 3 for polyhedra."""
        return self.shapes[0].dimension

    def find(
        self,
        positions: ArrayLike,
        orientations: Orientations | None = None,
        *,
        pairs: ArrayLike | Pairs | ConvexContacts | None = None,
        gap: float | None = None,
        before: ConvexContacts | None = None,
        minimum: Minimum = "tracked",
        spots: bool = True,
        period: PeriodLike = None,
        workers: int | None = None,
    ) -> ConvexContacts:
        """Find the contacts of the bodies with each other.

        Parameters
        ----------
        positions : (n, d) array_like
            The position of each body, where the origin of its shape's frame is.
        orientations : (n, 4) array_like, SciPy Rotation, or (n,) array_like, optional
            Quaternions x, y, z, w, of any length except 0; for polygons, angles in radians,
            counter-clockwise. One may be given for all. By default no body is turned.
        pairs : (m, 2) array_like of int, Pairs or ConvexContacts, optional
            The pairs of bodies i and j to search: each gives one row, in this order, even if it
            does not touch. By default all pairs with touching circumscribed spheres.
        gap : float, optional
            Only contacts with an overlap of at least -gap are returned. By default 0; with `pairs`
            all rows are returned. A gap of a few percent of the size keeps the state of near pairs.
        before : ConvexContacts, optional
            The result of the step before, of this finder or an equal one. The search of each pair
            starts from its state there, which takes a fraction of the time. The cell may have
            deformed since; images are matched by their numbers.
        minimum : {"tracked", "global"}
            Overlapping bodies can be separated along several normals. "tracked" keeps the normal of
            the step before while it is a local minimum of the separation distance, so that forces
            do not jump. "global" takes the normal with the smallest distance of all, at several
            times the cost. Method "fds" always takes the global minimum.
        spots : bool, default True
            Whether to find contact points.
        period : sequence of d floats or None, or (d, d) array_like, optional
            The lengths of the world's periods along each axis; None for an axis without a period.
            In a tilted cell, the vectors along which the world repeats, one in each row; zeros for
            a vector along which nothing repeats. Each image that touches is a contact. For given
            `pairs`, the image with the nearest circumscribed sphere counts.
        workers : int, optional
            As for `ContactFinder.find`.

        Returns
        -------
        ConvexContacts
            Sorted by i, then j, then image; given pairs keep their order.

        Raises
        ------
        ValueError
            If a number is not finite, a quaternion is 0, or a pair has a body twice or a body that
            does not exist. If `before` is of other bodies, or a shape or a keyword's value is
            wrong. The message names the first wrong value.
        TypeError
            If an argument is of the wrong kind.
        KeyboardInterrupt
            If Ctrl-C ends a long search. The finder can be used after any of these errors.

        Examples
        --------
        A square on the side of another, and the row of a pair that does not touch:

        >>> import abut
        >>> finder = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]]))
        >>> positions = [[0, 0], [0.5, 0.75], [3, 0]]
        >>> contacts = finder.find(positions)
        >>> contacts.i, contacts.j, contacts.overlap, contacts.spot_overlap
        (array([0]), array([1]), array([0.25]), array([0.25, 0.25]))
        >>> finder.find(positions, pairs=[[0, 2]]).overlap
        array([-2.])
        """
        placed = self._read_placed(positions, orientations, period)
        built = self._built_for(placed.body_count)
        columns = built.core.find(
            placed.positions,
            placed.turns,
            *read_pairs(pairs, placed.body_count),
            pairs is not None and gap is None,
            read_gap(gap),
            read_before(before, built.digest, placed, has_walls=False),
            checks.choice(minimum, "minimum", MINIMA),
            bool(spots),
            placed.vectors,
            worker_count(workers, placed.body_count),
        )
        return table(columns, placed, built.digest)

    def find_walls(
        self,
        positions: ArrayLike,
        orientations: Any,
        walls: Any,
        *,
        poses: Poses | None = None,
        gap: float | None = None,
        before: ConvexContacts | None = None,
        spots: bool = True,
        workers: int | None = None,
    ) -> ConvexContacts:
        """Find the contacts of polyhedra with walls.

        Parameters
        ----------
        positions, orientations
            As for `find`.
        walls : ContactFinder, Mesh, HalfSpace, or a sequence of these
            Meshes and half spaces, numbered in this order; meshes must come first. A
            `ContactFinder`, alone or as the first item, stands for all its meshes. Meshes that are
            given directly are prepared again in each call.
        poses : (k, 4, 4) array_like, or sequence with an item for each mesh, optional
            The poses of the meshes, as for `ContactFinder.find`.
        gap : float, optional
            Return the contacts with walls that a body overlaps by at least -gap, with all spots.
            Some facets of such a wall may be farther away. By default 0.
        before : ConvexContacts, optional
            The result of the step before, of this finder or an equal one, with the same walls. It
            saves time, and the result is the same.
        spots, workers
            As for `find`.

        Returns
        -------
        ConvexContacts
            The facets and half spaces that a body touches, sorted by i, then mesh, then facet.
            Touching facets in one plane are one patch, without spots on its inner edges. Cracks
            between facets that are narrower than 2 % of the touched area's size do not count.

        Raises
        ------
        ValueError
            As `find`; or if the bodies are polygons, or a half space comes before a mesh.
        TypeError
            If an argument is of the wrong kind.
        KeyboardInterrupt
            As `find`.

        Examples
        --------
        A cube on a floor:

        >>> import abut
        >>> cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        >>> finder = abut.ConvexFinder(cube)
        >>> floor = abut.HalfSpace(point=(0, 0, 0), normal=(0, 0, 1))
        >>> contacts = finder.find_walls([[0, 0, 0.875], [5, 0, 3]], None, floor)
        >>> contacts.i, contacts.mesh, contacts.overlap, len(contacts.spot)
        (array([0]), array([0]), array([0.125]), 4)
        """
        if self.dimension == 2:
            raise ValueError("walls are for polyhedra: polygons have no walls")
        placed = self._read_placed(positions, orientations, None)
        built = self._built_for(placed.body_count)
        found = read_walls(walls, poses)
        digest = digest_of(built.digest, *found.counts)
        columns = built.core.find_walls(
            placed.positions,
            placed.turns,
            read_gap(gap),
            read_before(before, digest, placed, has_walls=True),
            bool(spots),
            found.core,
            worker_count(workers, placed.body_count),
        )
        return table(columns, placed, digest)

    def entrances(
        self,
        positions: ArrayLike,
        orientations: Orientations | None = None,
        *,
        pairs: ArrayLike | Pairs | ConvexContacts,
        before: Entrances | None = None,
        period: PeriodLike = None,
        workers: int | None = None,
    ) -> Entrances:
        """Find the features by which pairs of bodies can meet without overlapping.

        Parameters
        ----------
        positions, orientations, period, workers
            As for `find`.
        pairs : (p, 2) array_like of int, Pairs or ConvexContacts
            The pairs of bodies, i and j.
        before : Entrances, optional
            The entrances of the same pairs in the step before. Many of them are entrances again,
            and checking this is faster than a new search. The result is the same.

        Returns
        -------
        Entrances
            Sorted by pair.

        Raises
        ------
        ValueError, TypeError, KeyboardInterrupt
            As `find`; or if `before` is of other pairs.

        Examples
        --------
        The entrance with the smallest overlap gives the overlap of two squares and its direction:

        >>> import abut
        >>> finder = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]]))
        >>> entrances = finder.entrances([[0, 0], [0.5, 0.75]], [0, 0.125], pairs=[[0, 1]])
        >>> least = entrances.overlap.argmin()
        >>> entrances.normal[least], entrances.overlap[least]
        (array([ 0., -1.]), np.float64(0.25))
        """
        placed = self._read_placed(positions, orientations, period)
        built = self._built_for(placed.body_count)
        i, j = read_pairs(pairs, placed.body_count)
        if i is None or j is None:
            raise TypeError("pairs is None, but must be (p, 2) numbers of bodies")
        rows = np.column_stack([i, j])
        rows.flags.writeable = False
        columns = built.core.entrances(
            placed.positions,
            placed.turns,
            i,
            j,
            read_entrances(before, rows, built.digest),
            placed.vectors,
            worker_count(workers, len(i)),
        )
        return Entrances._build(columns, {"pairs": rows, "_bodies": built.digest})

    @overload
    def plot(
        self,
        positions: ArrayLike,
        orientations: Orientations | None = None,
        ax: None = None,
        **options: Unpack[BodiesPlotOptions],
    ) -> Any: ...

    @overload
    def plot(
        self,
        positions: ArrayLike,
        orientations: Orientations | None = None,
        ax: Canvas = ...,
        **options: Unpack[BodiesPlotOptions],
    ) -> Canvas: ...

    def plot(
        self,
        positions: ArrayLike,
        orientations: Orientations | None = None,
        ax: Any = None,
        **options: Any,
    ) -> Any:
        """Draw the bodies, without their rounding.

        Parameters
        ----------
        positions, orientations
            As for `find`.
        ax : matplotlib axes or pyvista.Plotter, optional
            As for `ConvexShape.plot`. So are the return value and the errors.
        **options
            ``color``, for all bodies, or ``colors``, one for each; ``alpha``, the opacity;
            ``numbers``, the bodies to draw; ``backend`` and ``view`` as for `ConvexShape.plot`.

        Examples
        --------
        >>> import abut
        >>> finder = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]]))
        >>> ax = finder.plot([[0, 0], [0.75, 0.5]], [0, 0.5])  # doctest: +SKIP
        """
        from ..plot.convex import plot_bodies

        return plot_bodies(self, positions, orientations, ax, **options)

    def _read_placed(self, positions: Any, orientations: Any, period: Any) -> Placed:
        count = self._input.bodies.body_count
        return read_placed(positions, orientations, period, self.dimension, count)

    def _built_for(self, count: int) -> Built:
        built = self._built
        if built.body_count != count:
            # This is assigned only when it is complete, since other threads read it.
            self._built = built = self._input.build(count)
        return built

    def __repr__(self) -> str:
        count, shapes = self._input.bodies.body_count, checks.counted(len(self.shapes), "shape")
        bodies = "any bodies" if count is None else checks.counted(count, "body", "bodies")
        return f"ConvexFinder({bodies} of {shapes}, {self.method!r})"

    def _repr_html_(self) -> str:
        rows = [
            [str(number), repr(shape), *self._shape_facts(number)]
            for number, shape in enumerate(self.shapes[: html.SHOWN_ROWS])
        ]
        head = "shape", "", "bodies", "circumradii"
        return html.rows_table(repr(self), head, rows, len(self.shapes))

    def _shape_facts(self, number: int) -> tuple[str, str]:
        """Return texts for the number of bodies with this shape, and for their circumradii."""
        _, numbers, scales, count = self._input.bodies
        sizes = np.asarray(scales)
        if numbers is not None:
            chosen = numbers == number
            sizes = np.broadcast_to(sizes, len(numbers))[chosen]
            count = len(sizes)
        radii = html.span(self.shapes[number].circumradius * sizes)
        return "any" if count is None else str(count), radii

    def __reduce__(self) -> tuple[Any, ...]:
        _, patch_angle, first, last, iterations = self._input.options
        make = partial(
            ConvexFinder,
            scales=self.scales,
            method=self.method,
            patch_angle=patch_angle,
            cp_angles=(first, last),
            iterations=iterations,
        )
        return make, (self.shapes, self.shape)
