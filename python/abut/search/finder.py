"""The search: which spheres touch which facets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base import checks, html
from ..base.poses import lengths_of, read_period, read_poses
from ..base.simd import level
from ..base.threads import worker_count
from ..results.contacts import Contacts
from .mesh import Mesh
from .statistics import Statistics
from .units import warn_of_enclosed, warn_of_units

if TYPE_CHECKING:
    from ..base.arrays import Doubles, Indices
    from ..options import Poses, Resolution, Weights
    from .half_space import Surface

_Read = TypeVar("_Read")

RESOLUTIONS: dict[Resolution, int] = {
    "hierarchy": _core.HIERARCHY,
    "sharing": _core.SHARING,
    "all": _core.ALL,
}
WEIGHTS: dict[Weights, int] = {"wachspress": _core.WACHSPRESS, "zhong": _core.ZHONG}


def find_contacts(
    centers: ArrayLike,
    radii: ArrayLike,
    mesh: Any,
    *,
    resolution: Resolution = "hierarchy",
    flat_angle: float = 0.0,
    gap: float = 0.0,
    weights: Weights = "wachspress",
    workers: int | None = None,
    poses: Poses | None = None,
    period: Sequence[float | None] | None = None,
    exponent: float = 1.5,
    keep_zero: bool = False,
) -> Contacts:
    """Find the contacts of spheres with meshes and half spaces.

    Parameters
    ----------
    centers, radii
        As for `ContactFinder.find`.
    mesh : Mesh, or whatever `Mesh.from_any` takes, or HalfSpace, or a list or tuple of these
        The facets, and half spaces, each of which counts as one facet without an end. A sphere's
        contacts are those with one mesh of all these. Each call makes everything ready anew: to
        query meshes many times, build a `ContactFinder`.
    resolution, flat_angle, gap, weights, workers, poses, period, exponent, keep_zero
        As for `ContactFinder.find`.

    Returns
    -------
    Contacts
        Sorted by sphere, then nearest first.

    Raises
    ------
    ValueError, TypeError, KeyboardInterrupt
        As `ContactFinder.find`.

    Warns
    -----
    MeshWarning
        If a sphere holds all of a mesh deep inside; or if nothing touches, and the box of the
        spheres does not meet the mesh's, or their sizes differ by a factor of 300 or more, as they
        do where one is in meters and the other in millimeters. `ContactFinder.find` does not look:
        in a simulation spheres may be falling.

    Examples
    --------
    A sphere above the middle of a square, and one beside it:

    >>> import abut
    >>> square = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
    >>> contacts = abut.find_contacts([[0.5, 0.5, 0.25], [1.25, 0.5, 0]], 0.5, square)
    >>> contacts
    Contacts(2 of 2 spheres: 1 facet, 1 edge, 0 vertex)
    >>> contacts.overlap
    array([0.25, 0.25])
    >>> contacts.normal[0]
    array([0., 0., 1.])

    A half space beside the square: in the corner of both the first sphere touches both.

    >>> wall = abut.HalfSpace(point=(0.1, 0, 0), normal=(1, 0, 0))
    >>> contacts = abut.find_contacts([[0.5, 0.5, 0.25], [1.25, 0.5, 0]], 0.5, [square, wall])
    >>> contacts.sphere, contacts.mesh
    (array([0, 0, 1]), array([0, 1, 0]))
    >>> contacts.of(0).normal
    array([[0., 0., 1.],
           [1., 0., 0.]])
    """
    _check_order(centers, radii, mesh)
    finder = ContactFinder(mesh)
    points = checks.points(centers, "centers")
    sizes = checks.lengths(radii, "radii", len(points), "center")
    warn_of_enclosed(points, sizes, finder.meshes, read_poses(poses, len(finder.meshes)))
    contacts = finder.find(
        points,
        sizes,
        resolution=resolution,
        flat_angle=flat_angle,
        gap=gap,
        weights=weights,
        workers=workers,
        poses=poses,
        period=period,
        exponent=exponent,
        keep_zero=keep_zero,
    )
    # a half space has no size, and its half of the world no box
    if not len(contacts) and finder._planes is None:
        warn_of_units(points, sizes, checks.number(gap, "gap"), contacts)
    return contacts


class ContactFinder:
    """Meshes and half spaces made ready for many searches.

    Parameters
    ----------
    meshes : Mesh, or whatever `Mesh.from_any` takes, or HalfSpace, or a list or tuple of these
        The facets and half spaces, each mesh in its own frame. One may be there several times.

    Attributes
    ----------
    meshes : tuple of Mesh or HalfSpace
        What is searched.

    Notes
    -----
    A half space counts as a facet without an end, `facet` 0 of its number among `meshes`: what is
    behind its plane touches it, with an overlap of more than the radius where the center is behind.
    In tables a triangle stands for it (`Contacts.meshes`), whose first vertex, the half space's
    point, is the only node.

    Several Python threads may query one finder at once; the interpreter lock is released meanwhile.
    Of arrays that are changed during a query any numbers may be read, and an error may name them.
    A pickled finder holds what it was made with, and is built anew when it is read.

    The memory of large results is used again: a finder keeps that of contacts which the caller has
    dropped, until one of its next queries needs it, or four have not, or the finder is dropped,
    too. Where queries with many spheres, ordered by place, follow one another, it makes room for
    about as many contacts as the last one found, and writes them while it searches.

    Examples
    --------
    >>> import abut
    >>> square = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
    >>> finder = abut.ContactFinder(square)
    >>> finder
    ContactFinder(1 facet)
    >>> for height in 0.4, 0.6:
    ...     print(len(finder.find([[0.5, 0.5, height]], 0.5)))
    1
    0

    The square as a floor, and once more as a lid that comes down:

    >>> import numpy as np
    >>> finder = abut.ContactFinder([square, square])
    >>> lid = np.diag([1.0, -1, -1, 1])  # turned about the x axis
    >>> for height in 1.2, 0.85:
    ...     lid[:3, 3] = 0, 1, height
    ...     contacts = finder.find([[0.5, 0.5, 0.4]], 0.5, poses=[None, lid])
    ...     print(contacts.mesh, contacts.normal[:, 2])
    [0] [1.]
    [0 1] [ 1. -1.]

    A floor without an end in place of the square:

    >>> finder = abut.ContactFinder([abut.HalfSpace((0, 0, 0), (0, 0, 1)), square])
    >>> finder
    ContactFinder(1 mesh, 1 half space, 1 facet)
    >>> finder.find([[9, 9, 0.4]], 0.5).overlap.round(15)
    array([0.1])
    """

    __slots__ = ("__weakref__", "_core", "_meshes", "_order", "_planes", "_shown")

    def __init__(self, meshes: Any) -> None:
        self._meshes = _read_surfaces(meshes)
        self._order, self._planes, self._shown = _arranged(self._meshes)
        self._core = _core.Finder(tuple(mesh._core for mesh in self._facets))

    @property
    def meshes(self) -> tuple[Surface, ...]:
        return self._meshes

    @property
    def _facets(self) -> list[Mesh]:
        """The surfaces that are meshes."""
        return [one for one in self._meshes if isinstance(one, Mesh)]

    def find(
        self,
        centers: ArrayLike,
        radii: ArrayLike,
        *,
        resolution: Resolution = "hierarchy",
        flat_angle: float = 0.0,
        gap: float = 0.0,
        weights: Weights = "wachspress",
        workers: int | None = None,
        poses: Poses | None = None,
        period: Sequence[float | None] | None = None,
        exponent: float = 1.5,
        keep_zero: bool = False,
    ) -> Contacts:
        """Find the contacts of spheres with the meshes and half spaces.

        Parameters
        ----------
        centers : (n, 3) array_like
            Centers of the spheres in the world, in the mesh's unit of length.
        radii : (n,) array_like or float
            Their radii, positive.
        resolution : {"hierarchy", "sharing", "all"}
            How a sphere's touching facets become its contacts. "hierarchy" is the double hierarchy
            method [1]_: of the touching facets' contacts, those remain that no nearer one stands
            for. "sharing" keeps them with the part of the force that each carries,
            ``contacts.share``, so that the force is continuous in the sphere's position, at least
            where the normals of its contacts are within a right angle of each other. "all" keeps
            them all.
        flat_angle : float, default 0
            Radians, at least 0 and less than pi/2. Walls whose dihedral angle differs from flat by
            at most this count as one.
        gap : float, default 0
            Also report facets at a distance of up to radius + gap; their overlap is at least -gap.
        weights : {"wachspress", "zhong"}
            Nodal weights of FACET contacts. "wachspress" (equation 32 of [1]_ in its area form)
            keeps force and moment on any polygon; "zhong" is equation 28 on quadrilaterals,
            barycentric on triangles, and an error for other polygons.
        workers : int, optional
            Number of threads at most; -1 for all cores that this process may use. By default what
            `set_num_threads` or the environment says. Results are the same to the bit for any
            number.
        poses : (k, 4, 4) array_like, or sequence with an item for each mesh, optional
            Rigid transforms from each mesh's own frame, and each half space's, to the world: a
            vertex v is at ``pose[:3, :3] @ v + pose[:3, 3]``. An item is a (4, 4) array, a SciPy
            ``Rotation`` (about the origin of the mesh's frame) or ``RigidTransform``, or None,
            where the mesh has not moved. For one mesh, (4, 4) will do. Rotations are made
            orthonormal. By default no mesh has moved. Other poses do not build anything anew: each
            mesh is searched in its own frame.
        period : sequence of 3 floats or None, optional
            The world repeats along x, y and z at these lengths, and along no axis whose item is
            None. Every mesh is repeated; spheres may be anywhere and larger than a period. A half
            space, behind which the world ends, must have a normal perpendicular to these axes.
            ``contacts.image`` tells which repetition a sphere touches. By default nothing is
            repeated.
        exponent : float, default 1.5
            For "sharing": of the contact law whose force grows as overlap**exponent, positive; 1.5
            is Hertz's law, 1 a linear spring.
        keep_zero : bool, default False
            For "sharing": keep contacts whose share is 0, too; across a gap those of them that the
            hierarchy keeps.

        Returns
        -------
        Contacts
            Sorted by sphere, then nearest first. They keep the poses, the period and flat_angle.

        Raises
        ------
        ValueError
            If a coordinate is not finite, a radius is not positive, a pose is more than 1e-6 off a
            rigid transform, a half space does not go with the period, or a shape or a keyword's
            value is wrong. The message names the first.
        TypeError
            If an argument does not consist of real numbers.
        KeyboardInterrupt
            If Ctrl-C ends a long query.

        Notes
        -----
        The finder works on after any of these errors.

        References
        ----------
        .. [1] M. Santasusana, J. Irazábal, E. Oñate, J. M. Carbonell, "The Double Hierarchy
           Method", Computational Particle Mechanics 3 (2016), :doi:`10.1007/s40571-016-0109-4`.

        Examples
        --------
        >>> import abut
        >>> finder = abut.ContactFinder(abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
        >>> finder.find([[0.2, 0.2, 0.75]], 0.5, gap=0.5).overlap
        array([-0.25])

        In a box that is periodic along x a sphere touches the triangle's repetition beside it:

        >>> contacts = finder.find([[2.2, 0.2, 0.25]], 0.5, period=(2, None, None))
        >>> contacts.image, contacts.point
        (array([[1, 0, 0]]), array([[2.2, 0.2, 0. ]]))
        """
        points = checks.points(centers, "centers")
        angle = checks.number(flat_angle, "flat_angle")
        rigid = read_poses(poses, len(self._meshes))
        lengths = read_period(period)
        level()  # raises an error where ABUT_SIMD names no level of instructions
        columns = self._core.find(
            points,
            checks.lengths(radii, "radii", len(points), "center"),
            checks.number(gap, "gap"),
            angle,
            checks.choice(resolution, "resolution", RESOLUTIONS),
            checks.number(exponent, "exponent"),
            bool(keep_zero),
            checks.choice(weights, "weights", WEIGHTS),
            self._planes,
            None if rigid is None else rigid[self._order].reshape(-1, 16),
            None if lengths is None else lengths_of(lengths),
            worker_count(workers, len(points)),
        )
        if self._planes is not None and "mesh" in columns:
            columns["mesh"] = self._order[columns["mesh"]]
        settings = {
            "meshes": self._shown,
            "poses": rigid,
            "period": lengths,
            "flat_angle": angle,
        }
        return Contacts._found(columns, settings)

    def prepare(self, reach: float) -> None:
        """Make the finest bins for spheres of one size at once, since many queries will come.

        A finder builds coarse bins when a query first needs them, and finer ones once 10^5 spheres
        or more have asked for them: one query then waits for these. After `prepare` no query of
        such spheres builds any. Results are the same to the bit.

        Parameters
        ----------
        reach : float
            Radius plus gap of the spheres, positive; of spheres of several sizes, of the largest.
            Where sizes differ so much that queries use several sets of bins, each may be prepared.

        Raises
        ------
        ValueError
            If `reach` is not positive or not finite.
        TypeError
            If `reach` is no real number.
        MemoryError
            If there is no memory for the bins.

        See Also
        --------
        statistics : Tells how many sets of bins there are, and their memory.

        Examples
        --------
        >>> import abut
        >>> square = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
        >>> finder = abut.ContactFinder(square)
        >>> finder.prepare(0.25)
        >>> finder.statistics().sets
        1
        >>> for height in 0.26, 0.24:
        ...     print(len(finder.find([[0.5, 0.5, height]], 0.25)))
        0
        1
        >>> finder.statistics().sets
        1
        """
        self._core.prepare(checks.number(reach, "reach"))

    def update(self, mesh: int, vertices: ArrayLike, *, workers: int | None = None) -> None:
        """Exchange the vertices of a mesh, which has deformed.

        Parameters
        ----------
        mesh : int
            Number of the mesh among `meshes`, where `Mesh.moved` of it will stand.
        vertices, workers
            As for `Mesh.moved`.

        Raises
        ------
        ValueError, TypeError
            As `Mesh.moved`, or if there is a half space of that number. The finder is as it was.
        IndexError
            If there is no such mesh.
        RuntimeError
            If another thread queries the finder.

        Notes
        -----
        Contacts are those of a finder of the moved meshes, to the bit. Bins are filled with facets
        grown by an eighth of their usual size, and stay until a vertex has gone farther: then the
        next query fills them anew. Contacts that were found before keep the mesh as it was.

        Examples
        --------
        >>> import abut
        >>> floor = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> finder = abut.ContactFinder(floor)
        >>> finder.update(0, floor.vertices + [0, 0, 0.25])
        >>> finder.find([[0.25, 0.25, 0.5]], 0.5).overlap
        array([0.25])
        >>> finder.meshes[0].vertices[:, 2]
        array([0.25, 0.25, 0.25])
        """
        number = checks.number_of(mesh, "mesh", len(self._meshes), "mesh", "meshes")
        before = self._meshes[number]
        if not isinstance(before, Mesh):
            raise TypeError(f"mesh {number} is a half space, which has no vertices to move")
        moved = before.moved(vertices, workers=workers)
        place = sum(isinstance(one, Mesh) for one in self._meshes[:number])
        self._core.update(place, moved._core)
        self._meshes = exchanged(self._meshes, number, moved)
        self._shown = exchanged(self._shown, number, moved)

    def statistics(self) -> Statistics:
        """What the last query did, and what the bins hold that were built so far.

        Returns
        -------
        Statistics
            Of queries that several threads made at once, of that which ended last.

        Examples
        --------
        >>> import abut
        >>> square = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
        >>> finder = abut.ContactFinder(square)
        >>> contacts = finder.find([[0.5, 0.5, 0.4], [9, 9, 9]], 0.5)
        >>> statistics = finder.statistics()
        >>> statistics.spheres, statistics.touching, statistics.contacts
        (2, 1, 1)
        """
        return Statistics(*self._core.statistics(), sum(map(len, self._facets)))

    def __repr__(self) -> str:
        meshes, planes = len(self._facets), len(self._meshes) - len(self._facets)
        parts = (
            [checks.counted(meshes, "mesh", "meshes")] if len(self._meshes) > 1 and meshes else []
        )
        parts += [checks.counted(planes, "half space")] if planes else []
        parts += [checks.counted(sum(map(len, self._facets)), "facet")] if meshes else []
        return f"ContactFinder({', '.join(parts)})"

    def _repr_html_(self) -> str:
        rows = [
            [str(number), *_shown_row(one)]
            for number, one in enumerate(self._meshes[: html.SHOWN_ROWS])
        ]
        head = "mesh", "facets", "vertices", "x", "y", "z"
        return html.rows_table(repr(self), head, rows, len(self._meshes))

    def __reduce__(self) -> tuple[Any, ...]:
        return ContactFinder, (self._meshes,)


def _arranged(surfaces: tuple[Surface, ...]) -> tuple[Indices, Doubles | None, tuple[Mesh, ...]]:
    """Surfaces in the order of the library, planes of the half spaces, and the meshes that tables
    show."""
    meshes = tuple(one for one in surfaces if isinstance(one, Mesh))
    if len(meshes) == len(surfaces):
        return np.arange(len(meshes)), None, meshes
    from .half_space import facets_of, library_order, plane_rows

    planes = [one for one in surfaces if not isinstance(one, Mesh)]
    return library_order(surfaces), plane_rows(planes), tuple(map(facets_of, surfaces))


def exchanged(items: tuple[_Read, ...], number: int, item: _Read) -> tuple[_Read, ...]:
    """A tuple with another item at a place."""
    return (*items[:number], item, *items[number + 1 :])


def _shown_row(surface: Surface) -> list[str]:
    if not isinstance(surface, Mesh):
        return ["half space", "", "", "", ""]
    counts = [str(len(surface)), str(len(surface.vertices))]
    return [*counts, *map(html.span, surface.bounds.T)]


def _check_order(centers: Any, radii: Any, mesh: Any) -> None:
    """Say what the order is where an argument is plainly in another's place."""
    order = "the order is find_contacts(centers, radii, mesh)"
    for value, name in ((centers, "centers"), (radii, "radii")):
        if isinstance(value, Mesh) or hasattr(value, "faces") or hasattr(value, "cells"):
            raise TypeError(f"{name} is {checks.a_or_an(type(value).__name__)}: {order}")
    if isinstance(radii, np.ndarray) and radii.ndim == 2 and radii.shape[1] == 3:
        raise ValueError(f"radii has shape {radii.shape}, as centers have: {order}")
    depth = _depth(mesh)
    if depth == 0 or (depth == 1 and len(mesh) > 0):
        raise TypeError(f"mesh is {'a list of numbers' if depth else 'a number'}: {order}")


def _read_surfaces(given: Any) -> tuple[Surface, ...]:
    """One mesh or half space, or those of a list or tuple."""
    return _read_each(given, _read_surface)


def _read_surface(item: Any) -> Surface:
    """What is a mesh needs nothing of half spaces, which take longer to import."""
    if isinstance(item, Mesh):
        return item
    from .half_space import read_surface

    return read_surface(item)


def read_meshes(given: Any) -> tuple[Mesh, ...]:
    """One mesh, or those of a list or tuple."""
    return _read_each(given, Mesh.from_any)


def _read_each(given: Any, read: Callable[[Any], _Read]) -> tuple[_Read, ...]:
    if not isinstance(given, (list, tuple)) or is_one_mesh(given):
        return (read(given),)
    if not given:
        raise ValueError("the sequence of meshes is empty: give at least one")
    return tuple(_read_numbered(item, k, read) for k, item in enumerate(given))


def _read_numbered(item: Any, number: int, read: Callable[[Any], _Read]) -> _Read:
    try:
        return read(item)
    except (TypeError, ValueError) as error:
        raise type(error)(f"meshes[{number}]: {error}") from None


def is_one_mesh(given: Sequence[Any]) -> bool:
    """Whether a list or tuple holds the facet vertices of one mesh: (k, 3) arrays, or the like."""
    return len(given) > 0 and all(_depth(item) < 3 for item in given)


def _depth(item: Any) -> int:
    """How deep lists of numbers are nested; what is no list is a mesh, and as deep as one."""
    if isinstance(item, np.ndarray):
        return item.ndim
    if isinstance(item, (list, tuple)):
        return 1 + max(map(_depth, item[:1]), default=0)
    return 0 if np.isscalar(item) and not isinstance(item, str) else 3
