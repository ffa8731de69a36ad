"""The search for contacts of spheres with facets and half spaces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base import checks, html
from ..base.periods import Period, PeriodLike, read_period, tilted_vector, vectors_of
from ..base.poses import read_poses
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
    period: PeriodLike = None,
    exponent: float = 1.5,
    keep_zero: bool = False,
) -> Contacts:
    """Find the contacts of spheres with meshes and half spaces.

    Parameters
    ----------
    centers, radii
        As for `ContactFinder.find`.
    mesh : Mesh, any object that `Mesh.from_any` takes, HalfSpace, or a list or tuple of these
        The facets, and half spaces, each of which counts as one infinite facet. The resolution of
        contacts treats all of them together as one mesh. Each call prepares them again: to query
        meshes many times, build a `ContactFinder`.
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
        If a whole mesh lies deep inside a sphere. Or if nothing touches, and the spheres and the
        mesh seem to be in different units or places. Then their bounding boxes do not meet, or
        their sizes differ by a factor of 300 or more. `ContactFinder.find` does not warn, since in
        a simulation spheres may be falling.

    Examples
    --------
    A sphere above the middle of a square, and a sphere next to it:

    >>> import abut
    >>> square = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
    >>> contacts = abut.find_contacts([[0.5, 0.5, 0.25], [1.25, 0.5, 0]], 0.5, square)
    >>> contacts
    Contacts(2 of 2 spheres: 1 facet, 1 edge, 0 vertex)
    >>> contacts.overlap
    array([0.25, 0.25])
    >>> contacts.normal[0]
    array([0., 0., 1.])

    A half space next to the square; the first sphere is in the corner and touches both:

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
    # A half space is infinite, so it has no size and no box.
    if not len(contacts) and finder._planes is None:
        warn_of_units(points, sizes, checks.number(gap, "gap"), contacts)
    return contacts


class ContactFinder:
    """Meshes and half spaces, prepared for many searches.

    Parameters
    ----------
    meshes : Mesh, any object that `Mesh.from_any` takes, HalfSpace, or a list or tuple of these
        The facets and half spaces, each mesh in its own frame. A mesh may occur several times.

    Attributes
    ----------
    meshes : tuple of Mesh or HalfSpace
        The meshes and half spaces that are searched.

    Notes
    -----
    A half space counts as an infinite facet: its contacts have `facet` 0, and as `mesh` its place
    among `meshes`. Spheres behind its plane touch it; if the center is behind, the overlap exceeds
    the radius. In tables (`Contacts.meshes`) a triangle represents it. Its first vertex, which is
    the half space's point, is the only node.

    Several Python threads may query one finder at once, since queries release the interpreter lock.
    Do not change the arrays during a query: the results, or the numbers in an error message, could
    then be wrong. A pickled finder holds its meshes, and is built again when it is read.

    Memory of large results is reused: after the caller has deleted contacts, the finder keeps their
    memory for its next queries. It frees this memory if four queries have not needed it. In a
    series of queries with many spheres that are sorted by place, it allocates about as many
    contacts as the last query found, and writes them during the search.

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

    The square as a floor, and a second time as a lid that moves down:

    >>> import numpy as np
    >>> finder = abut.ContactFinder([square, square])
    >>> lid = np.diag([1.0, -1, -1, 1])  # turned about the x axis
    >>> for height in 1.2, 0.85:
    ...     lid[:3, 3] = 0, 1, height
    ...     contacts = finder.find([[0.5, 0.5, 0.4]], 0.5, poses=[None, lid])
    ...     print(contacts.mesh, contacts.normal[:, 2])
    [0] [1.]
    [0 1] [ 1. -1.]

    An infinite floor and the square:

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
        period: PeriodLike = None,
        exponent: float = 1.5,
        keep_zero: bool = False,
    ) -> Contacts:
        """Find the contacts of spheres with the meshes and half spaces.

        Parameters
        ----------
        centers : (n, 3) array_like
            Centers of the spheres in the world, in the mesh's unit of length.
        radii : (n,) array_like or float
            Radii of the spheres, positive.
        resolution : {"hierarchy", "sharing", "all"}
            How a sphere's touching facets become its contacts. "hierarchy" is the double hierarchy
            method [1]_: a contact is dropped if a nearer one already represents it. "sharing" also
            gives each contact a part of the force, ``contacts.share``. This makes the force
            continuous in the sphere's position, at least if the angles between the normals of its
            contacts are at most 90 degrees. "all" keeps one contact for each touching facet.
        flat_angle : float, default 0
            Radians, at least 0 and below pi/2. Two walls with a dihedral angle that differs from
            flat by at most this count as one.
        gap : float, default 0
            Also find facets at a distance of up to radius + gap; their overlap is at least -gap.
        weights : {"wachspress", "zhong"}
            Nodal weights of FACET contacts. "wachspress" (equation 32 of [1]_ in its area form)
            keeps force and moment on any polygon; "zhong" is equation 28 on quadrilaterals,
            barycentric on triangles, and an error for other polygons.
        workers : int, optional
            The largest number of threads; -1 for all cores that this process may use. By default
            the number of `set_num_threads` or the environment. Results are equal, bit by bit, for
            any number.
        poses : (k, 4, 4) array_like, or sequence with an item for each mesh, optional
            Rigid transforms from the own frame of each mesh and half space to the world: a vertex v
            is at ``pose[:3, :3] @ v + pose[:3, 3]``. An item is a (4, 4) array, a SciPy
            ``RigidTransform`` or ``Rotation`` (about the origin of the mesh's frame), or None for a
            mesh that has not moved. For one mesh, (4, 4) is enough. Rotations are made orthonormal.
            By default no mesh has moved. Each mesh is searched in its own frame, so new poses need
            no new preparation.
        period : sequence of 3 floats or None, or (3, 3) array_like, optional
            The lengths of the world's periods along x, y and z; None for an axis without a period.
            Or the vectors along which the world repeats, one in each row; zeros for a vector along
            which nothing repeats. Every mesh repeats; spheres may be anywhere and larger than a
            period. Meshes repeat only along the axes: a tilted cell is for half spaces, which must
            be parallel to its vectors. ``contacts.image`` has the number of the repetition that a
            sphere touches. By default nothing repeats.
        exponent : float, default 1.5
            For "sharing": the power of the contact law, force ~ overlap**exponent, positive; 1.5 is
            Hertz's law, 1 a linear spring.
        keep_zero : bool, default False
            For "sharing": also keep contacts with a share of 0. If they do not touch (`gap`), only
            those are kept that "hierarchy" keeps.

        Returns
        -------
        Contacts
            Sorted by sphere, then nearest first. They hold the poses, the period and flat_angle.

        Raises
        ------
        ValueError
            If a coordinate is not finite, a radius is not positive, or a pose differs from a rigid
            transform by more than 1e-6. If a mesh or a half space does not fit the period, or a
            shape or a keyword's value is wrong. The message names the first wrong value.
        TypeError
            If an argument does not consist of real numbers.
        KeyboardInterrupt
            If Ctrl-C ends a long query.

        Notes
        -----
        The finder can be used after any of these errors.

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

        In a box that is periodic along x, a sphere touches the next repetition of the triangle:

        >>> contacts = finder.find([[2.2, 0.2, 0.25]], 0.5, period=(2, None, None))
        >>> contacts.image, contacts.point
        (array([[1, 0, 0]]), array([[2.2, 0.2, 0. ]]))
        """
        points = checks.points(centers, "centers")
        angle = checks.number(flat_angle, "flat_angle")
        rigid = read_poses(poses, len(self._meshes))
        repeats = read_period(period)
        check_meshes_repeat(self._meshes, repeats)
        level()  # raises an error if ABUT_SIMD is not an instruction level
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
            None if repeats is None else vectors_of(repeats),
            worker_count(workers, len(points)),
        )
        if self._planes is not None and "mesh" in columns:
            columns["mesh"] = self._order[columns["mesh"]]
        settings = {
            "meshes": self._shown,
            "poses": rigid,
            "period": repeats,
            "flat_angle": angle,
        }
        return Contacts._found(columns, settings)

    def prepare(self, reach: float) -> None:
        """Build the finest bins for spheres of one size before many queries.

        By default the first query that needs bins builds coarse ones. After at least 10^5 spheres,
        a query replaces them by finer ones, which makes this query slower. After `prepare`, no
        query with such spheres builds bins. Results are equal, bit by bit.

        Parameters
        ----------
        reach : float
            Radius plus gap of the spheres, positive; for several sizes, of the largest sphere. If
            sizes differ so much that queries use several sets of bins, call this for each set.

        Raises
        ------
        ValueError
            If `reach` is not positive or not finite.
        TypeError
            If `reach` is not a real number.
        MemoryError
            If there is not enough memory for the bins.

        See Also
        --------
        statistics : Has the number of sets of bins, and their memory.

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
        """Replace the vertices of a mesh that has deformed.

        Parameters
        ----------
        mesh : int
            Number of the mesh in `meshes`, where the result of `Mesh.moved` replaces it.
        vertices, workers
            As for `Mesh.moved`.

        Raises
        ------
        ValueError, TypeError
            As `Mesh.moved`, or if this is a half space. The finder remains unchanged.
        IndexError
            If there is no such mesh.
        RuntimeError
            If another thread queries the finder.

        Notes
        -----
        Contacts equal, bit by bit, those of a new finder of the moved meshes. In the bins, facets
        are enlarged by an eighth of a typical facet's size. If a vertex has moved farther, the next
        query fills the bins again. Contacts that were found before keep the old mesh.

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
            raise TypeError(f"mesh {number} is a half space: it has no vertices to move")
        moved = before.moved(vertices, workers=workers)
        place = sum(isinstance(one, Mesh) for one in self._meshes[:number])
        self._core.update(place, moved._core)
        self._meshes = exchanged(self._meshes, number, moved)
        self._shown = exchanged(self._shown, number, moved)

    def statistics(self) -> Statistics:
        """Return counts of the last query's work, and of the bins that were built so far.

        Returns
        -------
        Statistics
            If several threads made queries at once, the counts of the query that ended last.

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
    """Return the numbers of the surfaces in the library's order, and the half spaces' planes.

    Also returns a mesh for each surface, for tables.
    """
    meshes = tuple(one for one in surfaces if isinstance(one, Mesh))
    if len(meshes) == len(surfaces):
        return np.arange(len(meshes)), None, meshes
    from .half_space import facets_of, library_order, plane_rows

    planes = [one for one in surfaces if not isinstance(one, Mesh)]
    return library_order(surfaces), plane_rows(planes), tuple(map(facets_of, surfaces))


def exchanged(items: tuple[_Read, ...], number: int, item: _Read) -> tuple[_Read, ...]:
    """Return the tuple with `item` at index `number`."""
    return (*items[:number], item, *items[number + 1 :])


def check_meshes_repeat(surfaces: Sequence[Surface], period: Period | None) -> None:
    """Raise a ValueError if there is a mesh, and the period is not along the axes."""
    tilted = tilted_vector(period)
    if tilted is None:
        return
    for number, one in enumerate(surfaces):
        if isinstance(one, Mesh):
            raise ValueError(f"mesh {number} {why_not_tilted(period, tilted)}")


def why_not_tilted(period: Period | None, tilted: int) -> str:
    """The end of a message: why a mesh does not fit a period with this tilted vector."""
    vector = vectors_of(period)[tilted].tolist()
    return (
        f"can repeat along the axes alone, but period[{tilted}] is {vector}: give vectors along the"
        " positive x, y and z axes, or a HalfSpace in place of the mesh"
    )


def _shown_row(surface: Surface) -> list[str]:
    if not isinstance(surface, Mesh):
        return ["half space", "", "", "", ""]
    counts = [str(len(surface)), str(len(surface.vertices))]
    return [*counts, *map(html.span, surface.bounds.T)]


def _check_order(centers: Any, radii: Any, mesh: Any) -> None:
    """Raise if the arguments are clearly in the wrong order; the message has the right one."""
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
    """Read one mesh or half space, or all items of a list or tuple."""
    return _read_each(given, _read_surface)


def _read_surface(item: Any) -> Surface:
    """Read a mesh or half space; the module of half spaces is imported only if needed (slow)."""
    if isinstance(item, Mesh):
        return item
    from .half_space import read_surface

    return read_surface(item)


def read_meshes(given: Any) -> tuple[Mesh, ...]:
    """Read one mesh, or all meshes of a list or tuple."""
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
    """Return whether a list or tuple holds facet vertices of one mesh, such as (k, 3) arrays."""
    return len(given) > 0 and all(_depth(item) < 3 for item in given)


def _depth(item: Any) -> int:
    """Return the depth of nested lists of numbers; 3 for other objects, which may be meshes."""
    if isinstance(item, np.ndarray):
        return item.ndim
    if isinstance(item, (list, tuple)):
        return 1 + max(map(_depth, item[:1]), default=0)
    return 0 if np.isscalar(item) and not isinstance(item, str) else 3
