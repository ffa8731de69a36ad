"""What tables of what touches have in common: their rows go on from one step to the next."""

from __future__ import annotations

from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base.poses import Period
from ..base.threads import worker_count
from . import history
from .table import Table

_Ids = ArrayLike | tuple[ArrayLike, ArrayLike] | None


class ContactTable(Table):
    """The base of `Contacts`, `Pairs` and `ConvexContacts`."""

    # whether the library matches rows by the two that meet, rather than by their points
    _has_partners: ClassVar = True

    normal: NDArray[np.float64]
    period: Period | None

    def of(self, i: int) -> Self:
        """The rows of one sphere: its contacts, or the pairs of which it is the first.

        Parameters
        ----------
        i : int
            Number of the sphere, 0 to n - 1; of `ConvexContacts` that of the body.

        Returns
        -------
        table of the same kind
            A selection; it keeps n and the numbers. Contacts are there nearest first. All pairs of
            a sphere, the first or the second, are ``pairs[(pairs.i == i) | (pairs.j == i)]``; so
            are the contacts of a body.

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
        """The fabric tensor: how evenly contacts point in all directions.

        Parameters
        ----------
        weights : (m,) array_like, optional
            By how much each row counts, 0 or positive, such as the length of its force. By default
            all count alike.

        Returns
        -------
        (d, d) ndarray of float64
            ``sum(w * outer(n, n)) / sum(w)`` over the rows, with the normals n: symmetric, its
            trace is 1, and it is 1 / d times the unit matrix where all directions are alike
            (Satake 1982). nan where there are no rows, or all weights are 0.

        Raises
        ------
        ValueError
            If the weights are of another shape, or one is negative or not finite.
        TypeError
            If they are no real numbers.

        See Also
        --------
        Simulation.stress : The mean of branch times force.
        Simulation.coordination : How many contacts a grain has.

        Notes
        -----
        M. Satake, Fabric tensor in granular materials, in: Deformation and Failure of Granular
        Materials, IUTAM, Balkema 1982, 63. All rows count, also those that exert no force:
        ``pairs[mask].fabric()`` is that of some.

        Examples
        --------
        A row of grains along x that carries another one on top:

        >>> import abut
        >>> pairs = abut.find_pairs([[0, 0, 0], [1.5, 0, 0], [3, 0, 0], [3, 0, 1.75]], 1.0)
        >>> pairs.fabric().round(3)
        array([[0.667, 0.   , 0.   ],
               [0.   , 0.   , 0.   ],
               [0.   , 0.   , 0.333]])
        >>> pairs.fabric(pairs.overlap).diagonal()
        array([0.8, 0. , 0.2])
        """
        from .fabric import fabric

        return fabric(self, weights)

    def match(
        self,
        previous: Self | None,
        ids: _Ids = None,
        previous_ids: _Ids = None,
        *,
        workers: int | None = None,
    ) -> NDArray[np.intp]:
        """Which row of the step before each row continues.

        For a whole loop of steps there is `Simulation`, which does this itself, and many times
        faster than a loop in Python.

        Parameters
        ----------
        previous : table of the same kind, or None
            Of the step before, with the same period; `Contacts` with the same meshes, whose poses
            may differ. None: there was no step before, and all rows are new. Ids are not looked at
            then.
        ids : (n,) array_like of int, optional
            A number for each sphere or body, where they came, went or changed their order since.
            Of `Pairs` with others a tuple of two: for the spheres, and for the others.
        previous_ids : (n of previous,) array_like of int, optional
            Likewise their numbers in the step before. By default the order is the same.
        workers : int, optional
            Number of threads at most, as for the search. The rows are the same for any number.

        Returns
        -------
        (m,) ndarray of intp
            The row of `previous` that each row continues; -1 for a new one. No row is there twice.

        Raises
        ------
        ValueError
            If `previous` is of other meshes, another period or dimension, or a search of another
            kind, the number of spheres or bodies differs without ids, an id is there twice, or
            columns of a table do not fit together.
        TypeError
            If `previous` is neither a table of the same kind nor None, or ids are no integers.

        See Also
        --------
        carry : Takes tangential vectors along.

        Notes
        -----
        Of `Contacts`: a tangential spring belongs to the surface, not to a facet. A contact
        continues the one of the same sphere whose point, carried along with the mesh, is nearest,
        provided that the normals agree (within flat_angle, or what the noise of the coordinates
        explains) or that both lie on the same feature of a mesh or on adjacent ones. Each old
        contact is continued once, those at the smallest distance first.

        Of `Pairs` and `ConvexContacts`: a row continues that of the same two. Of several images of
        the same two it continues the same image; where its normal has turned there by more than 60
        degrees, since a sphere left the box and came in on the other side, the image whose normal
        is closest. A body with a wall continues the contact on the same facet, or else the one with
        the same wall whose normal is closest, within 60 degrees: so it slides from facet to facet.

        Examples
        --------
        A sphere that slides from one of a floor's facets onto the other:

        >>> import abut
        >>> vertices = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
        >>> finder = abut.ContactFinder(abut.Mesh(vertices, [[0, 1, 2], [0, 2, 3]]))
        >>> before, now = (finder.find([[x, 0.5, 0.4]], 0.5) for x in (0.55, 0.45))
        >>> before.facet, now.facet
        (array([0]), array([1]))
        >>> now.match(before)
        array([0])

        Spheres that came, and changed their order:

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
        """Take tangential vectors, such as springs, along from the step before.

        Each is turned with its mesh, where `Contacts` are with a mesh that turns, and then by the
        smallest rotation from the old normal to the new one; its length stays. Where ids have made
        the first of a pair the second, its sign changes.

        Parameters
        ----------
        tangent : (m of previous, d) array_like
            A vector for each row of `previous`, in the world; of pairs as it acts on i.
        previous : table of the same kind, or None
            Of the step before. None: there was none, and all vectors are 0; nothing else is looked
            at then, and `tangent` may be None, too.
        match : (m,) array_like of int, optional
            As `match` returned it. By default it is asked for here.
        ids, previous_ids : optional
            As `match` takes them, or was told.
        workers : int, optional
            As `match` takes it.

        Returns
        -------
        (m, d) ndarray of float64
            The vectors for these rows; 0 where `match` is -1. As they were, to the bit, where
            neither the mesh nor the normal has turned.

        Raises
        ------
        ValueError
            If a shape is wrong, `match` names a row that there is not, or one of other spheres or
            bodies, or `previous` is of other meshes or of another period; where no match is given,
            whatever `match` raises.
        TypeError
            If `previous` is neither a table of the same kind nor None, or numbers are of the wrong
            kind.

        See Also
        --------
        match : Which row of the step before goes on.

        Examples
        --------
        A floor that turns about z by a quarter takes a sphere's spring along:

        >>> import abut
        >>> floor = abut.Mesh([[-3, -3, 0], [3, -3, 0], [0, 3, 0]], [[0, 1, 2]])
        >>> finder = abut.ContactFinder(floor)
        >>> quarter = [[0, -1, 0, 0], [1, 0, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]
        >>> before = finder.find([[0.5, 0, 0.25]], 0.5)
        >>> now = finder.find([[0, 0.5, 0.25]], 0.5, poses=quarter)
        >>> now.carry([[0.125, 0, 0]], before, now.match(before))
        array([[0.   , 0.125, 0.   ]])

        A loop of steps needs no case for the first:

        >>> springs, before = None, None
        >>> for x in 0.0, 0.25, 0.5:
        ...     now = finder.find([[x, 0, 0.25]], 0.5)
        ...     springs = now.carry(springs, before) + [0.25, 0, 0]
        ...     before = now
        >>> springs
        array([[0.75, 0.  , 0.  ]])

        Two spheres, and two squares, that have turned about each other by a quarter:

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

    def _check_previous(self, before: Any) -> None:
        """Complain of a table of the step before that is of another kind of search."""
        raise NotImplementedError

    def _step(self, whose: str) -> Any:
        """The columns as the library reads them; `whose`: how errors begin."""
        raise NotImplementedError
