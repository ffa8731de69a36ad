"""The contacts of a search: a table of arrays."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.periods import Period, same_period, shifts_of, vectors_of
from . import sums
from .columns import columns_of
from .history import check_numbers
from .maps import MeshValues
from .table import Table, rebuild, same_column

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d import Axes3D
    from pyvista import Plotter

    from ..options import Backend, Canvas, ContactsPlotOptions, Matplotlib, Pyvista
    from ..search.mesh import Mesh

FACET = _core.FACET
EDGE = _core.EDGE
VERTEX = _core.VERTEX
TYPE_NAMES = ("facet", "edge", "vertex")

# The settings of the search, which hold for all rows of a table.
SEARCH = ("meshes", "poses", "period", "flat_angle")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Contacts(MeshValues):
    """Contacts of n spheres with meshes: a table with one row for each contact.

    Made by `find_contacts`, `ContactFinder.find`, `load_contacts` and `concatenate`. Rows are
    sorted by sphere, then nearest first. Columns cannot be replaced, but their entries can be
    changed.

    Attributes
    ----------
    sphere : (m,) ndarray of intp
        Number of the sphere.
    facet : (m,) ndarray of intp
        Number of the facet in its mesh; 0 for a half space. If several facets share the contact
        point, it is the number of any of them.
    type : (m,) ndarray of uint8
        Feature that the contact lies on: `FACET`, `EDGE` or `VERTEX` (0, 1, 2).
    feature : (m,) ndarray of intp
        Number of the feature in its facet: edge k runs from corner k to k + 1, vertex k is corner
        k; 0 for FACET.
    point : (m, 3) ndarray of float64
        Contact point in the world, on the mesh's image.
    normal : (m, 3) ndarray of float64
        Unit vector in the world, from the mesh to the sphere's center: the normal force on the
        sphere is along +normal, on the mesh along -normal. If the center is on the mesh, it is the
        facet's normal by the right-hand rule; for a half space it is always the plane's normal.
    overlap : (m,) ndarray of float64
        Radius minus distance, positive if they touch; DEM papers call it indentation, penetration.
    share : (m,) ndarray of float64
        The factor for the contact law's normal force at `overlap`, 0 to 1. It is always 1 except
        with ``resolution="sharing"``.
    mesh : (m,) ndarray of intp
        Number of the mesh among `meshes`.
    image : (m, 3) ndarray of intp
        The sphere at its given center touches the mesh shifted by ``image * period``, or
        ``image @ period`` for a period with vectors; 0 where nothing repeats.
    force : (m, 3) ndarray of float64
        Force of the contact on the sphere; the opposite force acts on the mesh. Only tables of
        `Simulation.contacts`, and tables made from these, have this column.
    node : (k,) ndarray of intp
        Vertices of the mesh to which a contact's force is distributed: for contact c
        ``node[node_offsets[c]:node_offsets[c + 1]]``. For FACET these are the facet's corners, in
        its order, without flat ones; for EDGE two vertices, for VERTEX one.
    weight : (k,) ndarray of float64
        The part of the force at each node. The sum of a contact's weights is 1. The weighted sum of
        its nodes, moved by pose and image, is its point.
    offsets : (n + 1,) ndarray of intp, read-only
        The contacts of sphere i are rows ``offsets[i]:offsets[i + 1]``.
    node_offsets : (m + 1,) ndarray of intp, read-only
        Where each contact's nodes begin.
    meshes : tuple of Mesh, or None
        The searched meshes. A half space is represented by a triangle in its plane; only the first
        vertex has a meaning: the half space's point. Files and pickles do not hold meshes.
    poses : (k, 4, 4) ndarray of float64, read-only, or None
        The pose of each mesh in the search, a rigid transform from its frame to the world. None if
        no mesh had moved.
    period : tuple of 3 (float or None), (3, 3) ndarray, or None
        As given: lengths of the world's periods along x, y and z, or vectors as rows.
    flat_angle : float
        Radians, as given to the search.

    Notes
    -----
    If all entries of `share`, `mesh` or `image` are equal, the column becomes an array when it is
    first used.

    ``contacts[rows]`` selects rows by a mask, increasing indices, or a slice with a positive step.
    A selection is a `Contacts` with the same n and sphere numbers. There are no single rows to loop
    over: use columns, or `of` for one sphere. ``contacts["overlap"]`` is the column `overlap`.

    Programs that read Arrow accept the table itself: ``polars.DataFrame(contacts)``,
    ``pyarrow.table(contacts)``.

    ``==`` compares all columns and offsets, but not meshes and poses.

    Examples
    --------
    >>> import abut
    >>> square = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
    >>> contacts = abut.find_contacts([[0.5, 0.5, 0.5], [9, 9, 9], [1.5, 1.5, 0]], 1.0, square)
    >>> contacts
    Contacts(2 of 3 spheres: 1 facet, 0 edge, 1 vertex)
    >>> contacts.sphere, contacts.type
    (array([0, 2]), array([0, 2], dtype=uint8))
    >>> contacts.weight
    array([0.25, 0.25, 0.25, 0.25, 1.  ])
    >>> contacts[contacts.type == abut.VERTEX].point
    array([[1., 1., 0.]])
    """

    _has_partners: ClassVar = False
    _row: ClassVar = "contact"
    _columns: ClassVar = columns_of("contacts")
    _settings: ClassVar = SEARCH
    _shown: ClassVar = ("sphere", "facet", "type", "overlap", "point", "normal")
    _synonyms: ClassVar = Table._synonyms | {
        "face": "facet", "element": "facet", "triangle": "facet", "particle": "sphere",
        "vertex": "node", "vertices": "node",
    }  # fmt: skip

    sphere: NDArray[np.intp]
    facet: NDArray[np.intp]
    type: NDArray[np.uint8]
    feature: NDArray[np.intp]
    point: NDArray[np.float64]
    normal: NDArray[np.float64]
    overlap: NDArray[np.float64]
    share: NDArray[np.float64] = same_column(lambda table: np.ones(len(table)))
    mesh: NDArray[np.intp] = same_column(lambda table: np.zeros(len(table), np.intp))
    image: NDArray[np.intp] = same_column(lambda table: np.zeros((len(table), 3), np.intp))
    node: NDArray[np.intp]
    weight: NDArray[np.float64]
    offsets: NDArray[np.intp]
    node_offsets: NDArray[np.intp]
    meshes: tuple[Mesh, ...] | None
    poses: NDArray[np.float64] | None
    period: Period | None
    flat_angle: float
    # For `match`: the angle in radians by which noise, or flat_angle, may tilt each normal.
    _tilt: NDArray[np.float64]

    @classmethod
    def _build(cls, columns: dict[str, NDArray[Any]], settings: dict[str, Any]) -> Contacts:
        """Make a table of these arrays, without copies; offsets and poses become read-only."""
        if settings["poses"] is not None:
            settings["poses"].flags.writeable = False
        # Files of earlier versions have no tilt: flat_angle is used instead.
        if "_tilt" not in columns:
            columns["_tilt"] = np.full(len(columns["sphere"]), settings["flat_angle"])
        return super()._build(columns, settings)

    def sum(self, values: ArrayLike) -> NDArray[np.float64]:
        """Sum values of the contacts, such as forces, for each sphere.

        Parameters
        ----------
        values : (m,) or (m, k) array_like
            A number, or k numbers, for each contact.

        Returns
        -------
        (n,) or (n, k) ndarray of float64
            The sum over each sphere's contacts, added in the order of rows, so that each run gives
            the same bits. 0 for spheres without contacts.

        Raises
        ------
        ValueError
            If `values` has another shape, or `sphere` has wrong numbers.
        TypeError
            If `values` are not real numbers.

        See Also
        --------
        weight_matrix : Sums for the vertices of a mesh.

        Examples
        --------
        The forces on a sphere in a corner, a sphere without contacts, and a sphere on the floor:

        >>> import abut
        >>> floor = abut.Mesh([[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]], [[0, 1, 2, 3]])
        >>> wall = abut.Mesh([[0, 0, 0], [0, 4, 0], [0, 4, 4], [0, 0, 4]], [[0, 1, 2, 3]])
        >>> centers = [[0.75, 2, 0.5], [9, 9, 9], [2, 2, 0.5]]
        >>> contacts = abut.find_contacts(centers, 1.0, [floor, wall])
        >>> contacts.sum(100 * contacts.overlap[:, None] * contacts.normal)
        array([[25.,  0., 50.],
               [ 0.,  0.,  0.],
               [ 0.,  0., 50.]])
        >>> contacts.sum(contacts.overlap)
        array([0.75, 0.  , 0.5 ])
        """
        return sums.contact_sum(self, values)

    def virial(self, forces: ArrayLike, centers: ArrayLike, volume: float) -> NDArray[np.float64]:
        """Compute the part of walls in the mean stress in a volume, positive in compression.

        Parameters
        ----------
        forces : (m, 3) array_like
            Force of each contact on its sphere, such as the column `force` of a `Simulation`.
        centers : (n, 3) array_like
            Centers of the spheres in the search.
        volume : float
            Volume of the region that holds the spheres.

        Returns
        -------
        (3, 3) ndarray of float64
            ``sum(outer(center - point, force)) / volume``; 0 without contacts. With `Pairs.stress`
            it adds up to the stress of Love (1927) and Weber (1966) of spheres between walls.

        Raises
        ------
        ValueError
            If a shape is wrong, a force is not finite, the volume is not positive, or `sphere` has
            wrong numbers.
        TypeError
            If an argument does not consist of real numbers.

        See Also
        --------
        Pairs.stress : The part of pairs.
        stress : A map of the normal stress on the facets of a mesh.

        Examples
        --------
        A grain of radius 1 is pressed from below with a force of 50, in a box of the volume 8:

        >>> import abut
        >>> floor = abut.Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2, 3]])
        >>> centers = [[0, 0, 0.5]]
        >>> contacts = abut.find_contacts(centers, 1.0, floor)
        >>> contacts.virial([[0, 0, 50]], centers, 8.0).diagonal()
        array([0.   , 0.   , 3.125])
        """
        from .means import contact_virial

        return contact_virial(self, forces, centers, volume)

    def velocity(self, twists: ArrayLike) -> NDArray[np.float64]:
        """Compute the velocity of the mesh at each contact point.

        Parameters
        ----------
        twists : (k, 6) array_like
            For each mesh, the velocity of its frame's origin and its angular velocity in radians
            per time (right-hand rule), both along the world's axes. For one mesh, (6,) is enough.
            Meshes without facets, such as removed walls of a simulation, may all be left out.

        Returns
        -------
        (m, 3) ndarray of float64
            ``v + omega x (point - origin)``. The origin is at ``pose[:3, 3]`` of the mesh, or at 0
            without poses, moved to the contact's image.

        Raises
        ------
        ValueError
            If `twists` has the wrong shape or is not finite.

        Examples
        --------
        A plate that turns about z by 2 radians per unit of time:

        >>> import abut
        >>> mesh = abut.Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2, 3]])
        >>> contacts = abut.find_contacts([[0.5, 0, 0.25]], 0.5, mesh)
        >>> contacts.velocity([0, 0, 0, 0, 0, 2])
        array([[0., 1., 0.]])
        """
        moving = self._read_twists(twists)[self.mesh]
        arm = self.point - shifts_of(self.image, self.period)
        if self.poses is not None:
            arm -= self.poses[self.mesh, :3, 3]
        return moving[:, :3] + np.cross(moving[:, 3:], arm)

    def _read_twists(self, twists: ArrayLike) -> NDArray[np.float64]:
        array = checks.doubles(twists, "twists")
        given = array.shape
        array = np.atleast_2d(array)
        count = self._mesh_count()
        there = [k for k, mesh in enumerate(self.meshes or ()) if len(mesh)]
        if len(array) == len(there) < count and array.shape[1:] == (6,):
            array, given_rows = np.zeros((count, 6)), array
            array[there] = given_rows
        # Without meshes or poses only the largest mesh number with a contact is known, so more
        # twists may be right.
        known = self.meshes is not None or self.poses is not None
        fits = len(array) == count if known else len(array) >= count
        if array.ndim != 2 or array.shape[1] != 6 or not fits:
            raise ValueError(f"twists has shape {given}, but must be ({count}, 6)")
        checks.all_finite(array, "twists")
        return array

    def _mesh_count(self) -> int:
        """Return the number of meshes; for contacts without meshes, as far as it is known."""
        if self.meshes is not None:
            return len(self.meshes)
        return int(self.mesh.max(initial=-1)) + 1 if self.poses is None else len(self.poses)

    def _may_continue(self, period: Period | None) -> bool:
        """Whether rows of a table with this period can be matched, by points on the meshes."""
        return same_period(self.period, period)

    def _check_previous(self, before: Contacts) -> None:
        if self.meshes is not None and before.meshes is not None and self.meshes != before.meshes:
            raise ValueError("previous holds contacts with other meshes")
        count, previous_count = self._mesh_count(), before._mesh_count()
        poses = (sys.maxsize if one.poses is None else len(one.poses) for one in (self, before))
        if max(count, previous_count) > min(poses):
            raise ValueError(
                f"previous holds contacts with {checks.counted(previous_count, 'mesh', 'meshes')},"
                f" but {checks.there_are(count, 'mesh', 'meshes')} now"
            )

    def _step(self, whose: str) -> _core._Step:
        """Return the columns for the library; `mesh` and `image` are None if all entries are 0."""
        if self.period is not None:
            check_numbers(self.sphere, len(self.offsets) - 1, f"{whose}sphere")
        columns, poses = vars(self), self.poses
        return (
            self.offsets, columns.get("mesh"), self.point, self.normal, self._tilt,
            columns.get("image"), self.node, self.node_offsets,
            None if poses is None else poses.reshape(-1, 16),
            None if self.period is None else vectors_of(self.period),
        )  # fmt: skip

    @overload
    def plot(
        self, ax: Canvas, *, backend: Backend | None = None, **options: Unpack[ContactsPlotOptions]
    ) -> Canvas: ...

    @overload
    def plot(
        self, ax: None = None, *, backend: Pyvista, **options: Unpack[ContactsPlotOptions]
    ) -> Plotter: ...

    @overload
    def plot(
        self, ax: None = None, *, backend: Matplotlib = None, **options: Unpack[ContactsPlotOptions]
    ) -> Axes3D: ...

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the touched features and the normals on the facets, with matplotlib or pyvista.

        Parameters
        ----------
        ax : matplotlib 3D axes or pyvista.Plotter, optional
            As for `Mesh.plot`.
        **options
            ``backend``, ``mesh``, ``spheres``, ``normals``, ``arrow_count``, ``sphere_count``,
            ``alpha``, ``scalars``, ``how``, ``cmap``, ``limits``, ``label``, ``cell``, ``images``
            and ``view``, as for :func:`abut.plot.plot_contacts`.

        Returns
        -------
        matplotlib 3D axes or pyvista.Plotter
            As `Mesh.plot`.

        Raises
        ------
        ImportError, ValueError
            As `Mesh.plot`, or if the contacts have no mesh and no mesh is given.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh)
        >>> ax = contacts.plot()  # doctest: +SKIP
        >>> ax = contacts.plot(scalars="overlap", label="overlap in m")  # doctest: +SKIP
        """
        from ..plot.meshes import plot_contacts

        return plot_contacts(self, ax, **options)

    def __repr__(self) -> str:
        counts = np.bincount(self.type, minlength=len(TYPE_NAMES))
        by_type = ", ".join(
            f"{count} {name}" for count, name in zip(counts, TYPE_NAMES, strict=False)
        )
        spheres = checks.counted(len(self.offsets) - 1, "sphere")
        return f"Contacts({len(self)} of {spheres}: {by_type})"

    def _cell(self, name: str, row: int) -> str:
        return TYPE_NAMES[self.type[row]] if name == "type" else super()._cell(name, row)

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (type(self), self._made_columns(), self._search() | {"meshes": None})
