"""The base of tables of contacts, with contact history: rows that continue from step to step."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.periods import Period, repeats_alike
from ..base.threads import worker_count
from . import history
from .table import Table

_Ids = ArrayLike | tuple[ArrayLike, ArrayLike] | None


class ContactTable(Table):
    """The base of `Contacts`, `Pairs` and `ConvexContacts`."""

    # Whether the library matches rows by both partners (True), or by points (False).
    _has_partners: ClassVar = True

    normal: NDArray[np.float64]
    period: Period | None

    def of(self, i: int) -> Self:
        """Select the rows of one sphere: its contacts, or the pairs in which it is the first.

        Parameters
        ----------
        i : int
            Number of the sphere, 0 to n - 1; in `ConvexContacts` the number of the body.

        Returns
        -------
        table of the same kind
            A selection of rows, with the same n and numbers. Contacts are sorted nearest first. To
            get the pairs or contacts in which i is either the first or the second, use
            ``pairs[(pairs.i == i) | (pairs.j == i)]``.

        Raises
        ------
        IndexError
            If there is no such sphere or body.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.2, 0.2, 0.5], [0.3, 0.3, 0.25]], 1.0, mesh)
        >>> contacts.of(1).overlap
        array([0.75])
        >>> abut.find_pairs([[0, 0, 0], [1.5, 0, 0], [1.5, 1.5, 0]], 1.0).of(1).j
        array([2])
        >>> square = abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]])
        >>> abut.find_convex_contacts(square, [[0, 0], [0.75, 0], [0.75, 0.75]]).of(1).j
        array([2])
        """
        return self._of(i)

    def fabric(self, weights: ArrayLike | None = None) -> NDArray[np.float64]:
        """Compute the fabric tensor, which measures the distribution of contact directions.

        Parameters
        ----------
        weights : (m,) array_like, optional
            Weights of the rows, 0 or positive, such as the magnitudes of their forces. By default
            all weights are equal.

        Returns
        -------
        (d, d) ndarray of float64
            ``sum(w * outer(n, n)) / sum(w)`` over the rows, with normals n and weights w (Satake
            1982). It is symmetric with trace 1. If all directions are equally frequent, it is 1 / d
            times the unit matrix. NaN without rows, or if all weights are 0.

        Raises
        ------
        ValueError
            If the weights have another shape, or one is negative or not finite.
        TypeError
            If the weights are not real numbers.

        See Also
        --------
        Pairs.stress, Simulation.stress : The mean of branch times force.
        Pairs.coordination, Simulation.coordination : The number of contacts per grain.

        Notes
        -----
        M. Satake, Fabric tensor in granular materials, in: Deformation and Failure of Granular
        Materials, IUTAM, Balkema 1982, 63. All rows count, even without a force; use
        ``pairs[mask].fabric()`` to select rows.

        Examples
        --------
        A row of three grains along x, with a fourth grain on top of one of them:

        >>> import abut
        >>> pairs = abut.find_pairs([[0, 0, 0], [1.5, 0, 0], [3, 0, 0], [3, 0, 1.75]], 1.0)
        >>> pairs.fabric().round(3)
        array([[0.667, 0.   , 0.   ],
               [0.   , 0.   , 0.   ],
               [0.   , 0.   , 0.333]])
        >>> pairs.fabric(pairs.overlap).diagonal()
        array([0.8, 0. , 0.2])
        """
        from .means import fabric

        return fabric(self, weights)

    def match(
        self,
        previous: Self | None,
        ids: _Ids = None,
        previous_ids: _Ids = None,
        *,
        workers: int | None = None,
    ) -> NDArray[np.intp]:
        """Find the row of the step before that each row continues (contact history).

        `Simulation` does this in its steps, many times faster than a loop in Python.

        Parameters
        ----------
        previous : table of the same kind, or None
            The table of the step before. For `Contacts` it has the same period and the same meshes,
            in any poses. For other tables the cell may have deformed since: images are matched by
            their numbers. None if there was no step before: all rows are new, and ids are ignored.
        ids : (n,) array_like of int, optional
            An id for each sphere or body. Necessary if spheres or bodies were added, removed or
            sorted since. For `Pairs` with others a tuple of two: ids of spheres, ids of others.
        previous_ids : (n of previous,) array_like of int, optional
            The ids in the step before. By default the spheres are the same, in the same order.
        workers : int, optional
            The largest number of threads, as for the search. The result is the same for any number.

        Returns
        -------
        (m,) ndarray of intp
            The row of `previous` that each row continues; -1 for a new row. No row of `previous`
            is continued twice.

        Raises
        ------
        ValueError
            If `previous` has other meshes, another dimension, or is of another kind of search. If
            it has another period, for `Contacts`, or repeats along other vectors. If the number of
            spheres or bodies differs and ids are not given, an id occurs twice, or columns of a
            table do not fit together.
        TypeError
            If `previous` is neither a table of the same kind nor None, or ids are not integers.

        See Also
        --------
        carry : Transfers tangential vectors to these rows.

        Notes
        -----
        For `Contacts`: a tangential spring belongs to the surface, not to a facet. A contact
        continues the nearest old contact of the same sphere, after its point has moved with the
        mesh. Either the normals must agree (within flat_angle or the noise of the coordinates), or
        both contacts must lie on the same feature of a mesh or on adjacent features. Each old
        contact is continued at most once; the nearest contacts are matched first.

        For `Pairs` and `ConvexContacts`: a row continues the row of the same two partners, and if
        they touch through several images, of the same image. A sphere may leave the box and enter
        it on the other side, so that the normal turns by more than 60 degrees. The row then
        continues the image with the closest normal. A body's contact with a wall continues its
        contact on the same facet. If there is none, it continues its contact with the same wall and
        the closest normal within 60 degrees, since bodies can slide from facet to facet.

        Examples
        --------
        A sphere that slides from one facet of a floor to the other:

        >>> import abut
        >>> vertices = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
        >>> finder = abut.ContactFinder(abut.Mesh(vertices, [[0, 1, 2], [0, 2, 3]]))
        >>> before, now = (finder.find([[x, 0.5, 0.4]], 0.5) for x in (0.55, 0.45))
        >>> before.facet, now.facet
        (array([0]), array([1]))
        >>> now.match(before)
        array([0])

        Spheres that were added and sorted:

        >>> before = abut.find_pairs([[0, 0, 0], [1.5, 0, 0], [1.5, 1.5, 0]], 1.0)
        >>> now = abut.find_pairs([[0, 0, 0], [9, 0, 0], [1.6, 1.6, 0], [1.6, 0, 0]], 1.0)
        >>> now.i, now.j
        (array([0, 2]), array([3, 3]))
        >>> now.match(before, ids=[7, 10, 9, 8], previous_ids=[7, 8, 9])
        array([0, 1])

        Squares:

        >>> finder = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]]))
        >>> before = finder.find([[0, 0], [0.75, 0], [1.5, 0]])
        >>> now = finder.find([[0, 0], [0.75, 0.75], [1.5, 0.75]])
        >>> now.i, now.j, now.match(before)
        (array([0, 1]), array([1, 2]), array([0, 1]))
        """
        if previous is None:
            worker_count(workers)
            return np.full(len(self), -1, np.intp)
        return history.match(self, previous, (ids, previous_ids), workers)

    def carry(
        self,
        tangent: ArrayLike | None,
        previous: Self | None,
        match: ArrayLike | None = None,
        ids: _Ids = None,
        previous_ids: _Ids = None,
        *,
        workers: int | None = None,
    ) -> NDArray[np.float64]:
        """Transfer tangential vectors, such as springs, from the step before to these rows.

        In `Contacts`, each vector is first turned with its mesh. Then it is turned by the smallest
        rotation from the old normal to the new one; its length is unchanged. If i and j of a pair
        are swapped according to the ids, the sign of its vector changes.

        Parameters
        ----------
        tangent : (m of previous, d) array_like
            A vector for each row of `previous`, in the world; for pairs, the vector acts on i.
        previous : table of the same kind, or None
            The table of the step before. None in the first step: all vectors are then 0, the other
            arguments are ignored, and `tangent` may also be None.
        match : (m,) array_like of int, optional
            The result of `match`. By default it is computed here.
        ids, previous_ids : optional
            As for `match`.
        workers : int, optional
            As for `match`.

        Returns
        -------
        (m, d) ndarray of float64
            The vectors for these rows; 0 where `match` is -1. If neither the mesh nor the normal
            has turned, a vector is unchanged, bit by bit.

        Raises
        ------
        ValueError
            If a shape is wrong, or the method `match` does not take `previous`. If `match` has a
            row that does not exist, or is of other spheres or bodies. If `match` is not given, also
            the errors of the method `match`.
        TypeError
            If `previous` is neither a table of the same kind nor None, or numbers are of the wrong
            kind.

        See Also
        --------
        match : The row of the step before that each row continues.

        Examples
        --------
        A floor turns about z by 90 degrees, and a sphere's spring turns with it:

        >>> import abut
        >>> floor = abut.Mesh([[-3, -3, 0], [3, -3, 0], [0, 3, 0]], [[0, 1, 2]])
        >>> finder = abut.ContactFinder(floor)
        >>> quarter = [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        >>> before = finder.find([[0.5, 0, 0.25]], 0.5)
        >>> now = finder.find([[0, 0.5, 0.25]], 0.5, poses=quarter)
        >>> now.carry([[0.125, 0, 0]], before, now.match(before))
        array([[0.   , 0.125, 0.   ]])

        A loop of steps needs no special case for the first step:

        >>> springs, before = None, None
        >>> for x in 0.0, 0.25, 0.5:
        ...     now = finder.find([[x, 0, 0.25]], 0.5)
        ...     springs = now.carry(springs, before) + [0.25, 0, 0]
        ...     before = now
        >>> springs
        array([[0.75, 0.  , 0.  ]])

        Two spheres, and two squares, that have turned about each other by 90 degrees:

        >>> before = abut.find_pairs([[0, 0, 0], [1.5, 0, 0]], 1.0)
        >>> now = abut.find_pairs([[0, 0, 0], [0, 1.5, 0]], 1.0)
        >>> now.carry([[0, 0.125, 0]], before, now.match(before))
        array([[-0.125,  0.   ,  0.   ]])
        >>> finder = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]]))
        >>> before, now = finder.find([[0, 0], [0.75, 0]]), finder.find([[0, 0], [0, 0.75]])
        >>> now.carry([[0, 0.125]], before)
        array([[-0.125,  0.   ]])
        """
        if previous is None:
            worker_count(workers)
            return np.zeros(self.normal.shape)
        return history.carry(tangent, self, previous, match, (ids, previous_ids), workers)

    def _may_continue(self, period: Period | None) -> bool:
        """Whether rows of a table with this period can be matched, by the numbers of images."""
        return repeats_alike(self.period, period)

    def _check_previous(self, before: Any) -> None:
        """Raise if the table of the step before comes from another kind of search."""
        raise NotImplementedError

    def _step(self, whose: str) -> Any:
        """Return the columns as the library takes them; whose: the beginning of error messages."""
        raise NotImplementedError
