"""The search: which spheres touch which facets."""

from __future__ import annotations

from typing import Any

from numpy.typing import ArrayLike

from . import _core, checks
from .contacts import Contacts
from .mesh import Mesh
from .threads import worker_count

RESOLUTIONS = {"hierarchy": _core.HIERARCHY, "all": _core.ALL}
WEIGHTS = {"wachspress": _core.WACHSPRESS, "zhong": _core.ZHONG}


def find_contacts(
    centers: ArrayLike,
    radii: ArrayLike,
    mesh: Any,
    *,
    resolution: str = "hierarchy",
    flat_angle: float = 0.0,
    gap: float = 0.0,
    weights: str = "wachspress",
    workers: int | None = None,
) -> Contacts:
    """Find the contacts of spheres with a mesh.

    Parameters
    ----------
    centers : (n, 3) array_like
        Centers of the spheres, in the mesh's unit of length.
    radii : (n,) array_like or float
        Their radii, positive.
    mesh : Mesh, or whatever `Mesh.from_any` takes
        The facets. To query one mesh many times, build a `ContactFinder`.
    resolution : {"hierarchy", "all"}
        How a sphere's touching facets become its contacts. "hierarchy" is the double hierarchy
        method [1]_: of the touching facets' contacts, those remain that no nearer one stands for.
        "all" keeps them all.
    flat_angle : float, default 0
        Radians, at least 0 and less than pi/2. Walls whose dihedral angle differs from flat by at
        most this count as one.
    gap : float, default 0
        Also report facets at a distance of up to radius + gap; their overlap is at least -gap.
    weights : {"wachspress", "zhong"}
        Nodal weights of FACET contacts. "wachspress" (equation 32 of [1]_ in its area form) keeps
        force and moment on any polygon; "zhong" is equation 28 on quadrilaterals, barycentric on
        triangles, and an error for other polygons.
    workers : int, optional
        Number of threads; -1 for all cores that this process may use. By default what
        `set_num_threads` or the environment says. Results are the same to the bit for any number.

    Returns
    -------
    Contacts
        Sorted by sphere, then nearest first.

    Raises
    ------
    ValueError
        If a coordinate is not finite, a radius is not positive, or a shape or a keyword's value is
        wrong. The message names the first.
    TypeError
        If an argument does not consist of real numbers.
    KeyboardInterrupt
        If Ctrl-C ends a long query.

    References
    ----------
    .. [1] M. Santasusana, J. Irazábal, E. Oñate, J. M. Carbonell, "The Double Hierarchy Method",
       Computational Particle Mechanics 3 (2016), :doi:`10.1007/s40571-016-0109-4`.

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
    """
    return ContactFinder(mesh).find(
        centers,
        radii,
        resolution=resolution,
        flat_angle=flat_angle,
        gap=gap,
        weights=weights,
        workers=workers,
    )


class ContactFinder:
    """A mesh made ready for many searches.

    Parameters
    ----------
    mesh : Mesh, or whatever `Mesh.from_any` takes
        The facets.

    Attributes
    ----------
    meshes : tuple of Mesh
        What is searched.

    Notes
    -----
    Several Python threads may query one finder at once; the interpreter lock is released meanwhile.
    A pickled finder holds its mesh, and is built anew when it is read.

    Examples
    --------
    >>> import abut
    >>> square = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
    >>> finder = abut.ContactFinder(square)
    >>> finder
    ContactFinder(1 facets)
    >>> for height in 0.4, 0.6:
    ...     print(len(finder.find([[0.5, 0.5, height]], 0.5)))
    1
    0
    """

    __slots__ = ("__weakref__", "_core", "_meshes")

    def __init__(self, mesh: Any) -> None:
        mesh = Mesh.from_any(mesh)
        self._meshes = (mesh,)
        self._core = _core.Finder(mesh._core)

    @property
    def meshes(self) -> tuple[Mesh, ...]:
        return self._meshes

    def find(
        self,
        centers: ArrayLike,
        radii: ArrayLike,
        *,
        resolution: str = "hierarchy",
        flat_angle: float = 0.0,
        gap: float = 0.0,
        weights: str = "wachspress",
        workers: int | None = None,
    ) -> Contacts:
        """Find the contacts of spheres with the mesh.

        Parameters
        ----------
        centers, radii, resolution, flat_angle, gap, weights, workers
            As for `find_contacts`.

        Returns
        -------
        Contacts
            Sorted by sphere, then nearest first.

        Raises
        ------
        ValueError, TypeError, KeyboardInterrupt
            As `find_contacts`. The finder works on after any of these.

        Examples
        --------
        >>> import abut
        >>> finder = abut.ContactFinder(abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
        >>> finder.find([[0.2, 0.2, 0.75]], 0.5, gap=0.5).overlap
        array([-0.25])
        """
        points = checks.points(centers, "centers")
        columns = self._core.find(
            points,
            checks.lengths(radii, "radii", len(points), "centers"),
            checks.number(gap, "gap"),
            checks.number(flat_angle, "flat_angle"),
            checks.choice(resolution, "resolution", RESOLUTIONS),
            checks.choice(weights, "weights", WEIGHTS),
            worker_count(workers),
        )
        return Contacts._found(columns, self._meshes)

    def __repr__(self) -> str:
        return f"ContactFinder({len(self._meshes[0])} facets)"

    def __reduce__(self) -> tuple[Any, ...]:
        return ContactFinder, self._meshes
