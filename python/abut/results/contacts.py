"""The contacts of a search: a table of arrays."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.extras import import_extra
from ..base.poses import Period, lengths_of
from . import sums
from .columns import columns_of
from .contact_table import ContactTable
from .history import check_numbers
from .maps import contact_values, facet_values, mesh_of, normal_stress, vertex_values
from .table import Table, rebuild, same_column

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d import Axes3D
    from pyvista import Plotter
    from scipy.sparse import csr_array

    from ..options import Backend, Canvas, ContactsPlotOptions, How, Matplotlib, Pyvista
    from ..search.mesh import Mesh

FACET = _core.FACET
EDGE = _core.EDGE
VERTEX = _core.VERTEX
TYPE_NAMES = ("facet", "edge", "vertex")

# what describes the search, and is common to all rows of a table
SEARCH = ("meshes", "poses", "period", "flat_angle")


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Contacts(ContactTable):
    """Contacts of n spheres with meshes: a table with one row a contact.

    Made by `find_contacts`, `ContactFinder.find`, `load_contacts` and `concatenate`. Rows are
    sorted by sphere, then nearest first. The columns cannot be exchanged; their entries are the
    caller's to change.

    Attributes
    ----------
    sphere : (m,) ndarray of intp
        Number of the sphere.
    facet : (m,) ndarray of intp
        Number of the facet in its mesh; 0 of a half space. Where facets share the contact's very
        point, any of them.
    type : (m,) ndarray of uint8
        What the contact lies on: `FACET`, `EDGE` or `VERTEX` (0, 1, 2).
    feature : (m,) ndarray of intp
        Which one of the facet's: edge k runs from its corner k to k + 1, vertex k is its corner k;
        0 for FACET.
    point : (m, 3) ndarray of float64
        Contact point in the world, on the mesh's image.
    normal : (m, 3) ndarray of float64
        Unit vector in the world, from the mesh to the sphere's center: the normal force on the
        sphere is along +normal, on the mesh along -normal. Where the center is on the mesh, the
        facet's normal by the right-hand rule; of a half space always its own.
    overlap : (m,) ndarray of float64
        Radius - distance, positive where they touch; DEM papers call it indentation or penetration.
    share : (m,) ndarray of float64
        The part of the contact law's normal force that the contact carries, 0 to 1: multiply the
        force at `overlap` with it. 1 but for ``resolution="sharing"``.
    mesh : (m,) ndarray of intp
        Number of the mesh among `meshes`.
    image : (m, 3) ndarray of intp
        The sphere, where the caller has it, touches the mesh shifted by ``image * period``; 0
        along axes that are not periodic.
    force : (m, 3) ndarray of float64
        What the contact exerts on the sphere; on the mesh the opposite. Only `Simulation.contacts`
        has it, and what is made of that.
    node : (k,) ndarray of intp
        Vertices of its mesh that carry a contact's force: of contact c
        ``node[node_offsets[c]:node_offsets[c + 1]]``. For FACET the facet's corners that are not
        flat, in its order; for EDGE two, for VERTEX one.
    weight : (k,) ndarray of float64
        The part of the force that each node carries. A contact's weights sum up to 1, and its
        weighted nodes, where pose and image have them, to its point.
    offsets : (n + 1,) ndarray of intp, read-only
        The contacts of sphere i are rows ``offsets[i]:offsets[i + 1]``.
    node_offsets : (m + 1,) ndarray of intp, read-only
        Where each contact's nodes begin.
    meshes : tuple of Mesh, or None
        What was searched; for a half space stands a triangle in its plane, whose first vertex is
        its point, and whose other numbers mean nothing. Neither files nor pickles hold it.
    poses : (k, 4, 4) ndarray of float64, read-only, or None
        Where each mesh was, as the search read it: rigid transforms from its frame to the world.
        None: every mesh where its vertices say.
    period : tuple of 3 (float or None), or None
        At what lengths the world repeats along x, y and z.
    flat_angle : float
        Radians, as the search was told.

    Notes
    -----
    `share`, `mesh` and `image` are made when they are first asked for where the search left them
    the same for all rows; then they are arrays of the table like the others.

    ``contacts[rows]`` selects rows by a mask, increasing indices, or a slice with a positive step.
    A selection is a `Contacts` that keeps n and the sphere numbers. A table has no single rows to
    loop over: use its columns, or `of` for one sphere. ``contacts["overlap"]`` is the column.

    What reads Arrow takes the table as it is: ``polars.DataFrame(contacts)``,
    ``pyarrow.table(contacts)``.

    ``==`` tells whether all columns and offsets are equal; meshes and poses are not compared.

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
    # the angle in radians by which noise, or flat_angle, may tilt each normal; `match` needs it
    _tilt: NDArray[np.float64]

    @classmethod
    def _build(cls, columns: dict[str, NDArray[Any]], settings: dict[str, Any]) -> Contacts:
        """A table of these very arrays; offsets and poses become read-only."""
        if settings["poses"] is not None:
            settings["poses"].flags.writeable = False
        # files of earlier versions have no tilt: with 0, `match` goes by that of the other contact
        if "_tilt" not in columns:
            columns["_tilt"] = np.full(len(columns["sphere"]), settings["flat_angle"])
        return super()._build(columns, settings)

    def weight_matrix(self, mesh: int = 0) -> csr_array:
        """The nodal weights as a sparse matrix, which carries forces from contacts to vertices.

        Parameters
        ----------
        mesh : int, default 0
            Number of the mesh. Rows of contacts with other meshes are empty.

        Returns
        -------
        scipy.sparse.csr_array
            (m, vertices of the mesh). With forces (m, 3) on the spheres, ``W.T @ -forces`` are the
            forces on the vertices, in the world; they have the same sum as those at the contacts
            with this mesh, and the same moment where its pose and images have the vertices.

        Raises
        ------
        IndexError
            If there is no such mesh.
        ValueError
            If the contacts do not know their meshes.
        ImportError
            If SciPy is not installed (extra ``scipy``).

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.5, 0.25, 0.5]], 1.0, mesh)
        >>> contacts.weight_matrix().toarray()
        array([[0.25, 0.5 , 0.25]])
        """
        sparse = import_extra("scipy.sparse", "scipy")
        number, touched = mesh_of(self, mesh)
        shape = len(self), len(touched.vertices)
        counts = np.diff(self.node_offsets)
        here = self.mesh == number
        nodes = np.repeat(here, counts)
        offsets = np.concatenate([[0], np.cumsum(counts * here)])
        # the arrays are copies, since SciPy sorts and sums in place
        return sparse.csr_array((self.weight[nodes], self.node[nodes], offsets), shape)

    def sum(self, values: ArrayLike) -> NDArray[np.float64]:
        """Add up what the contacts do to each sphere, such as forces.

        Parameters
        ----------
        values : (m,) or (m, k) array_like
            A number, or k numbers, for each contact.

        Returns
        -------
        (n,) or (n, k) ndarray of float64
            The sum over each sphere's contacts, in their order: the same bits on every run. 0 where
            there are none.

        Raises
        ------
        ValueError
            If `values` is of another shape, or `sphere` holds what is no number of a sphere.
        TypeError
            If `values` are no real numbers.

        See Also
        --------
        weight_matrix : What the contacts do to the vertices of a mesh.

        Examples
        --------
        The forces on a sphere in a corner, on one that touches nothing, and on one on the floor:

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

    def per_facet(self, values: ArrayLike, how: How = "sum", mesh: int = 0) -> NDArray[np.float64]:
        """What the contacts do to each facet of a mesh: a map of forces, wear, or counts.

        Parameters
        ----------
        values : (m,) or (m, k) array_like
            A number, or k numbers, for each contact, those with other meshes too. What acts on the
            mesh is the opposite of what acts on the spheres: ``-forces``.
        how : {"sum", "max", "mean"}
            What is made of the values of a facet's contacts, column by column.
        mesh : int, default 0
            Number of the mesh.

        Returns
        -------
        (facets of the mesh,) or (facets, k) ndarray of float64
            In the order of the mesh's facets. Of facets without contacts the sum is 0, and the
            greatest value and the mean are nan: there is none, and 0 may be a value. ParaView shows
            nan in a color of its own; ``np.nanmax`` passes over it, ``np.nan_to_num`` makes it 0.

        Raises
        ------
        ValueError
            If `values` is of another shape, `how` is another word, the contacts do not know their
            meshes, or `facet` holds what is no number of a facet.
        IndexError
            If there is no such mesh.
        TypeError
            If `values` are no real numbers.

        See Also
        --------
        per_vertex : The same for vertices, by nodal weights.
        stress : Forces by area.

        Notes
        -----
        A contact with an edge or a vertex counts for the one of its facets that `facet` names.

        Examples
        --------
        Two spheres on one of a floor's facets, and one on the other:

        >>> import abut, numpy as np
        >>> vertices = [[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]]
        >>> floor = abut.Mesh(vertices, [[0, 1, 2], [0, 2, 3]])
        >>> contacts = abut.find_contacts([[2, 1, 0.5], [3, 1, 0.75], [1, 2, 0.5]], 1.0, floor)
        >>> forces = 100 * contacts.overlap[:, None] * contacts.normal
        >>> contacts.per_facet(-forces)[:, 2]
        array([-75., -50.])
        >>> contacts.per_facet(contacts.overlap, "max")
        array([0.5, 0.5])
        >>> contacts[1:2].per_facet(contacts[1:2].overlap, "mean")
        array([0.25,  nan])

        How many contacts each facet has:

        >>> contacts.per_facet(np.ones(len(contacts)))
        array([2., 1.])
        """
        return facet_values(self, values, how, mesh)

    def per_vertex(self, values: ArrayLike, mesh: int = 0) -> NDArray[np.float64]:
        """What the contacts do to each vertex of a mesh, shared out by their nodal weights.

        Parameters
        ----------
        values, mesh
            As for `per_facet`.

        Returns
        -------
        (vertices of the mesh,) or (vertices, k) ndarray of float64
            The sum over each vertex's contacts of weight times value, 0 where there are none. All
            together they are the sum of the values of the contacts with this mesh.

        Raises
        ------
        ValueError, IndexError, TypeError
            As `per_facet`; `node` must hold numbers of vertices.

        See Also
        --------
        per_facet : The same for facets.
        weight_matrix : The weights as a sparse matrix W; this is ``W.T @ values``, without SciPy.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.5, 0.25, 0.5]], 1.0, mesh)
        >>> contacts.per_vertex([[0, 0, -8]])
        array([[ 0.,  0., -2.],
               [ 0.,  0., -4.],
               [ 0.,  0., -2.]])
        """
        return vertex_values(self, values, mesh)

    def per_contact(self, values: ArrayLike, mesh: int = 0) -> NDArray[np.float64]:
        """What vertices of a mesh have, such as velocities, at each contact with it.

        Parameters
        ----------
        values : (vertices of the mesh,) or (vertices, k) array_like
            A number, or k numbers, for each vertex.
        mesh : int, default 0
            As for `per_facet`.

        Returns
        -------
        (m,) or (m, k) ndarray of float64
            The sum over each contact's nodes of weight times value, which is linear in the place on
            each facet; 0 for contacts with other meshes. What `per_vertex` makes of forces does the
            same work on nodal velocities as the forces do on what this makes of these.

        Raises
        ------
        ValueError, IndexError, TypeError
            As `per_vertex`, of the vertices' values.

        Examples
        --------
        The velocity of a plate, one corner of which is lifted, below a sphere:

        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.5, 0.25, 0.5]], 1.0, mesh)
        >>> contacts.per_contact([[0, 0, 0], [0, 0, 8], [0, 0, 0]])
        array([[0., 0., 4.]])
        """
        return contact_values(self, values, mesh)

    def stress(self, forces: ArrayLike, mesh: int = 0) -> NDArray[np.float64]:
        """The normal stress on each facet of a mesh: what presses on it, by its area.

        Parameters
        ----------
        forces : (m, 3) array_like
            What each contact exerts on its sphere, as `force` of a `Simulation`, those with other
            meshes too.
        mesh : int, default 0
            As for `per_facet`.

        Returns
        -------
        (facets of the mesh,) ndarray of float64
            In units of force by length squared: positive where the spheres press on the facet,
            negative where they pull at it, 0 without contacts. It is the sum of force times normal
            over the facet's contacts, by `areas` of the mesh.

        Raises
        ------
        ValueError, IndexError, TypeError
            As `per_facet`, of `forces`.

        See Also
        --------
        per_facet : Other maps; the load of a facet as a vector is ``per_facet(-forces)``.

        Notes
        -----
        The normals are those of the contacts, which point to the spheres, and not the facets',
        which point where the order of the corners has them. So the map does not depend on this
        order, and what presses on a facet's back counts as what presses on its front: forces on
        both sides add up, though they move the facet nowhere. Where a sphere touches an edge or a
        vertex, its whole normal force counts, for the facet that `facet` names. Friction, which is
        perpendicular to the normal, does not count.

        A half space of a `Simulation` has no area: its one facet is a triangle of area 0.5.

        Examples
        --------
        Spheres press on a floor of two facets from above, and from below:

        >>> import abut
        >>> vertices = [[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]]
        >>> floor = abut.Mesh(vertices, [[0, 1, 2], [0, 2, 3]])
        >>> contacts = abut.find_contacts([[3, 1, 0.5], [3, 1, -0.5], [1, 2, 0.5]], 1.0, floor)
        >>> forces = 100 * contacts.overlap[:, None] * contacts.normal
        >>> floor.areas
        array([8., 8.])
        >>> contacts.stress(forces)
        array([12.5 ,  6.25])
        """
        return normal_stress(self, forces, mesh)

    def velocity(self, twists: ArrayLike) -> NDArray[np.float64]:
        """The velocity of the mesh at each contact point.

        Parameters
        ----------
        twists : (k, 6) array_like
            For each mesh the linear velocity of the origin of its frame and its angular velocity in
            radians per time, counter-clockwise about its direction, both along the world's axes.
            For one mesh, (6,) will do. Meshes without facets, such as walls of a simulation that
            were removed, may be left out, all of them.

        Returns
        -------
        (m, 3) ndarray of float64
            ``v + omega x (point - origin)``, where the origin is at ``pose[:3, 3]`` of the mesh,
            and at 0, 0, 0 without poses, moved to the contact's image.

        Raises
        ------
        ValueError
            If `twists` is of another shape or not finite.

        Examples
        --------
        A disk that turns about z by 2 radians in a unit of time:

        >>> import abut
        >>> mesh = abut.Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2, 3]])
        >>> contacts = abut.find_contacts([[0.5, 0, 0.25]], 0.5, mesh)
        >>> contacts.velocity([0, 0, 0, 0, 0, 2])
        array([[0., 1., 0.]])
        """
        moving = self._read_twists(twists)[self.mesh]
        arm = self.point - self.image * lengths_of(self.period)
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
            array, told = np.zeros((count, 6)), array
            array[there] = told
        # contacts that were read from a file do not know of meshes that nothing touches
        known = self.meshes is not None or self.poses is not None
        fits = len(array) == count if known else len(array) >= count
        if array.ndim != 2 or array.shape[1] != 6 or not fits:
            raise ValueError(f"twists has shape {given}, but must be ({count}, 6)")
        checks.all_finite(array, "twists")
        return array

    def _mesh_count(self) -> int:
        """The number of meshes, as far as contacts that were read from a file know it."""
        if self.meshes is not None:
            return len(self.meshes)
        return int(self.mesh.max(initial=-1)) + 1 if self.poses is None else len(self.poses)

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
        """The columns that the library reads; None stands for one whose entries are all 0."""
        if self.period is not None:
            check_numbers(self.sphere, len(self.offsets) - 1, f"{whose}sphere")
        columns, poses = vars(self), self.poses
        return (
            self.offsets, columns.get("mesh"), self.point, self.normal, self._tilt,
            columns.get("image"), self.node, self.node_offsets,
            None if poses is None else poses.reshape(-1, 16),
            None if self.period is None else lengths_of(self.period),
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
        """Draw the touched features and the normals on the facets, by matplotlib or pyvista.

        Parameters
        ----------
        ax : matplotlib 3D axes or pyvista.Plotter, optional
            As for `Mesh.plot`.
        **options
            ``backend``, ``mesh``, ``spheres``, ``normals``, ``arrow_count``, ``sphere_count``,
            ``alpha``, ``scalars``, ``how``, ``cmap``, ``limits`` and ``label``:
            :func:`abut.plot.plot_contacts` says what they are.

        Returns
        -------
        matplotlib 3D axes or pyvista.Plotter
            As `Mesh.plot`.

        Raises
        ------
        ImportError, ValueError
            As `Mesh.plot`, or if the contacts do not know their mesh and none is given.

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
