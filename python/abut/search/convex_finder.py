"""Which convex bodies touch each other, and walls."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from ..base import checks, html
from ..base.arrays import Doubles, Indices
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
    period: Sequence[float | None] | None = None,
    workers: int | None = None,
) -> ConvexContacts:
    """Find the contacts of convex polygons or polyhedra with each other.

    Each call makes everything ready anew: for many steps build a `ConvexFinder`, whose searches can
    begin where the last one ended, which is several times as fast.

    Parameters
    ----------
    shapes, shape, scales, method, patch_angle, cp_angles, iterations
        As for `ConvexFinder`.
    positions, orientations, pairs, gap, minimum, spots, period, workers
        As for `ConvexFinder.find`.

    Returns
    -------
    ConvexContacts
        As of `ConvexFinder.find`; so are the errors, and those of `ConvexFinder`.

    Examples
    --------
    A square, and one that stands with a corner in it:

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
    """Convex bodies whose shapes and sizes stay, made ready for many searches.

    Parameters
    ----------
    shapes : ConvexShape, or sequence of ConvexShape
        All of one dimension. Bodies share them.
    shape : (n,) array_like of int, optional
        The number of each body's shape among `shapes`. By default all bodies have the only one.
    scales : float or (n,) array_like, default 1
        By what each body is larger than its shape, its rounding included; positive.
    method : {"slm", "fcp", "cp", "fds"}
        How the contact of a pair is found: the shortest link method [1]_, the fast common plane
        [2]_, Cundall's common plane [3]_ or the fast direct search [4]_. The first and the last are
        right always; common planes miss some, and do not know by how much: they are there to be
        compared with.
    patch_angle : float, default 5 degrees
        Radians, above 0 and less than pi/4: features that are tilted against the common plane by
        less bear on it, and have spots.
    cp_angles : (first, last), optional
        Radians: by what angles "cp" tilts the plane, from the first, halved down to the last. By
        default 5 and 0.01 degrees.
    iterations : int, default 100
        Of a pair, at most.

    Attributes
    ----------
    shapes : tuple of ConvexShape
        What was given.
    method : str
        Likewise.

    Raises
    ------
    ValueError
        If there is no shape, shapes are of different dimensions, a number of a shape is out of
        range, a scale is not positive, or a keyword's value is wrong. The message names the first.
    TypeError
        If a shape is no `ConvexShape`, or numbers are of the wrong kind.

    See Also
    --------
    find_convex_contacts : All of it at once.

    Notes
    -----
    What a pair's row says depends on the pair, and on its row of `before`, alone. Results are the
    same to the bit for any number of threads and instruction level.

    Threads may share a finder, and it may be pickled, as a `ContactFinder`.

    References
    ----------
    .. [1] E. G. Nezami, Y. M. A. Hashash, D. Zhao, J. Ghaboussi, "Shortest link method for contact
       detection in discrete element method", International Journal for Numerical and Analytical
       Methods in Geomechanics 30 (2006), :doi:`10.1002/nag.500`.
    .. [2] The same, "A fast contact detection algorithm for 3-D discrete element method", Computers
       and Geotechnics 31 (2004).
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

    A loop of steps hands each table to the next search, which begins where the last one ended:

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
        # where nothing tells how many bodies there are, each query builds it for as many as it has
        self._built = self._input.build(bodies.body_count or 0)

    @property
    def shapes(self) -> tuple[ConvexShape, ...]:
        return self._input.bodies.shapes

    @property
    def shape(self) -> Indices | None:
        """The number of each body's shape, (n,), read-only; None where all have the only one."""
        return self._input.bodies.numbers

    @property
    def scales(self) -> Doubles | float:
        """What was given: one number, or (n,), read-only."""
        return self._input.bodies.scales

    @property
    def method(self) -> Method:
        return next(word for word, number in METHODS.items() if number == self._input.options[0])

    @property
    def dimension(self) -> int:
        """2 of polygons, 3 of polyhedra."""
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
        period: Sequence[float | None] | None = None,
        workers: int | None = None,
    ) -> ConvexContacts:
        """Find the contacts of the bodies with each other.

        Parameters
        ----------
        positions : (n, d) array_like
            Where each body has the origin of its shape's frame.
        orientations : (n, 4) array_like, SciPy Rotation, or (n,) array_like, optional
            Quaternions x, y, z, w, of any length but 0; one for all will do. Of polygons angles in
            radians, counter-clockwise, one each or one for all. By default no body is turned.
        pairs : (m, 2) array_like of int, Pairs or ConvexContacts, optional
            Only these pairs of bodies, i and j, a row each in their order, whether they touch or
            not. By default those whose circumscribed spheres touch, as `PairFinder` finds them.
        gap : float, optional
            Report the contacts whose overlap is at least -gap. By default 0; with `pairs` all. A
            gap of some percent of the size keeps near pairs warm for the next step.
        before : ConvexContacts, optional
            Of the step before, from this finder or an equal one: pairs that are there begin with
            what was found then, which takes a fraction of the time.
        minimum : {"tracked", "global"}
            Bodies that overlap can be parted along several normals. "tracked" stays with that of
            the step before while that is a local minimum of the way apart, so that forces do not
            flip; "global" takes the least way of all, at several times the cost. "fds" has that
            always.
        spots : bool, default True
            Whether contact points are found.
        period : sequence of d floats or None, optional
            The world repeats along each axis at these lengths, and along no axis whose item is
            None. Each image that touches is a contact; of pairs that are given, the image counts
            whose circumscribed sphere is nearest.
        workers : int, optional
            As for `ContactFinder.find`.

        Returns
        -------
        ConvexContacts
            Sorted by i, then j, then image; where pairs were given, in their order.

        Raises
        ------
        ValueError
            If a number is not finite, a quaternion is 0, a pair names a body that there is not or
            one twice, `before` is of other bodies, or a shape or a keyword's value is wrong. The
            message names the first.
        TypeError
            If an argument is of the wrong kind.
        KeyboardInterrupt
            If Ctrl-C ends a long search. The finder works on after any of these.

        Examples
        --------
        A square on the side of another, and the row of a pair that is apart:

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
            placed.lengths,
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
            Meshes of facets and half spaces, numbered in their order, in which meshes come before
            half spaces. A `ContactFinder`, alone or first, stands for all its meshes; other meshes
            are made ready anew in each call.
        poses : (k, 4, 4) array_like, or sequence with an item for each mesh, optional
            Where the meshes are, as for `ContactFinder.find`.
        gap : float, optional
            Report the walls that a body overlaps by at least -gap, with all spots: of a wall that
            is touched, rows of some facets may be farther away. By default 0.
        before : ConvexContacts, optional
            Of the step before, from this finder or an equal one, with such walls. The result is the
            same.
        spots, workers
            As for `find`.

        Returns
        -------
        ConvexContacts
            Sorted by i, then mesh, then facet: the facets, and half spaces, that a body stands on.
            Facets in one plane that touch are one patch, as are those that cracks part which are
            narrower than 2 % of what the body stands on: on edges inside of a patch there are no
            spots.

        Raises
        ------
        ValueError
            As `find`; or if the bodies are polygons, or a half space stands before a mesh.
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
        period: Sequence[float | None] | None = None,
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
            Of the same pairs in the step before: most of them still are some, which is faster to
            tell than to find them. The result is the same.

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
        How far two squares overlap, and in which direction, is what their entrances say:

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
            placed.lengths,
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
            As for `ConvexShape.plot`, which tells what is returned and raised, too.
        **options
            ``color`` of all bodies, or ``colors``, one for each; ``alpha``, the opacity;
            ``numbers``, only these bodies; ``backend`` as for `ConvexShape.plot`.

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
            # assigned once it is whole, since other threads read it
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
        """How many bodies have this shape, and how large they are."""
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
