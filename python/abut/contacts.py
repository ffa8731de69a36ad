"""The contacts of a search: a table of arrays."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, checks, history
from .extras import import_extra
from .poses import Period, lengths_of

if TYPE_CHECKING:
    from .mesh import Mesh

FACET = _core.FACET
EDGE = _core.EDGE
VERTEX = _core.VERTEX
TYPE_NAMES = ("facet", "edge", "vertex")

# columns with an entry for each contact, and for each node of a contact
ROW_COLUMNS = (
    "sphere", "facet", "type", "feature", "point", "normal", "overlap", "share", "mesh", "image",
)  # fmt: skip
NODE_COLUMNS = ("node", "weight")
OFFSETS = ("offsets", "node_offsets")

# what all rows of a table have in common
SEARCH = ("meshes", "poses", "period", "flat_angle")

# with what is for the library alone
_PER_CONTACT = (*ROW_COLUMNS, "_tilt")
_ALL_COLUMNS = (*_PER_CONTACT, *NODE_COLUMNS, *OFFSETS)

# rows that a notebook shows
SHOWN_ROWS = 5


class _SameColumn:
    """A column whose entries are all the same: it is made when it is first asked for.

    A column that the table was made with goes before it.
    """

    def __init__(self, make: Callable[[int], NDArray[Any]]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, table: Contacts | None, owner: type | None = None) -> Any:
        if table is None:
            # no value for all tables, but that of each
            raise AttributeError(self._name)
        # of several threads that ask at once, all get the same
        return vars(table).setdefault(self._name, self._make(len(table)))


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Contacts:
    """Contacts of n spheres with meshes: a table with one row a contact.

    Made by `find_contacts`, `ContactFinder.find`, `load_contacts` and `concatenate`. Rows are
    sorted by sphere, then nearest first. The columns cannot be exchanged; their entries are the
    caller's to change.

    Attributes
    ----------
    sphere : (m,) ndarray of intp
        Number of the sphere.
    facet : (m,) ndarray of intp
        Number of the facet in its mesh. Where facets share the contact's very point, any of them.
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
        facet's normal by the right-hand rule.
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
        What was searched. Neither files nor pickles hold it.
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
    loop over: use its columns, or `of` for one sphere.

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

    sphere: NDArray[np.intp]
    facet: NDArray[np.intp]
    type: NDArray[np.uint8]
    feature: NDArray[np.intp]
    point: NDArray[np.float64]
    normal: NDArray[np.float64]
    overlap: NDArray[np.float64]
    share: NDArray[np.float64] = _SameColumn(np.ones)
    mesh: NDArray[np.intp] = _SameColumn(lambda count: np.zeros(count, np.intp))
    image: NDArray[np.intp] = _SameColumn(lambda count: np.zeros((count, 3), np.intp))
    node: NDArray[np.intp]
    weight: NDArray[np.float64]
    offsets: NDArray[np.intp]
    node_offsets: NDArray[np.intp]
    meshes: tuple[Mesh, ...] | None
    poses: NDArray[np.float64] | None
    period: Period | None
    flat_angle: float
    # by how much noise, or flat_angle, may tilt each normal, in radians: `match` asks
    _tilt: NDArray[np.float64]

    @classmethod
    def _build(
        cls,
        columns: Mapping[str, NDArray[Any]],
        offsets: NDArray[np.intp],
        node_offsets: NDArray[np.intp],
        meshes: Iterable[Mesh] | None = None,
        *,
        poses: NDArray[np.float64] | None = None,
        period: Period | None = None,
        flat_angle: float = 0.0,
    ) -> Contacts:
        """A table of these very arrays; offsets and poses become read-only."""
        offsets.flags.writeable = node_offsets.flags.writeable = False
        if poses is not None:
            poses.flags.writeable = False
        # 0 where it was not written down: then `match` goes by that of the other contact
        if "_tilt" not in columns:
            columns = {**columns, "_tilt": np.full(len(columns["sphere"]), flat_angle)}
        return cls._found(
            {**columns, "offsets": offsets, "node_offsets": node_offsets},
            None if meshes is None else tuple(meshes),
            poses,
            period,
            flat_angle,
        )

    @classmethod
    def _found(
        cls,
        columns: dict[str, NDArray[Any]],
        meshes: tuple[Mesh, ...] | None,
        poses: NDArray[np.float64] | None,
        period: Period | None,
        flat_angle: float,
    ) -> Contacts:
        """A table of what the library returned; the dict becomes the table's own."""
        fields: dict[str, Any] = columns
        fields["meshes"] = meshes
        fields["poses"] = poses
        fields["period"] = period
        fields["flat_angle"] = flat_angle
        table = object.__new__(cls)
        # to set the fields one by one, as __init__ does, takes longer than to search for a sphere
        object.__setattr__(table, "__dict__", fields)
        return table

    def _made(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Those of the columns that are there already; the entries of others are all the same."""
        return {name: vars(self)[name] for name in names if name in vars(self)}

    def _search(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in SEARCH}

    @property
    def counts(self) -> NDArray[np.intp]:
        """The number of contacts of each sphere, (n,)."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.node_offsets) - 1

    # without it, Python would loop over contacts[0], contacts[1], ...
    __iter__ = None

    def __getitem__(self, rows: slice | ArrayLike) -> Contacts:
        return self._take(_read_rows(rows, len(self)))

    def of(self, i: int) -> Contacts:
        """The contacts of one sphere.

        Parameters
        ----------
        i : int
            Number of the sphere, 0 to n - 1.

        Returns
        -------
        Contacts
            A selection, nearest first; it keeps n and the sphere numbers.

        Raises
        ------
        IndexError
            If there is no such sphere.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.2, 0.2, 0.5], [0.3, 0.3, 0.25]], 1.0, mesh)
        >>> contacts.of(1).overlap
        array([0.75])
        """
        i, n = checks.whole(i, "i"), len(self.offsets) - 1
        if not 0 <= i < n:
            raise IndexError(f"there is no sphere {i}: the {n} spheres are numbered from 0")
        return self[self.offsets[i] : self.offsets[i + 1]]

    def _take(self, rows: NDArray[np.intp]) -> Contacts:
        counts = np.diff(self.node_offsets)[rows]
        node_offsets = np.concatenate([[0], np.cumsum(counts)])
        # each contact's nodes moved from where they were to where they are now
        shifts = self.node_offsets[:-1][rows] - node_offsets[:-1]
        nodes = np.arange(node_offsets[-1]) + np.repeat(shifts, counts)
        columns = {name: column[rows] for name, column in self._made(_PER_CONTACT).items()}
        columns |= {name: column[nodes] for name, column in self._made(NODE_COLUMNS).items()}
        # how many of the rows taken stand before each sphere's first
        offsets = np.searchsorted(rows, self.offsets)
        return self._build(columns, offsets, node_offsets, **self._search())

    def weight_matrix(self, mesh: int = 0) -> Any:
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
            If SciPy is not installed (extra ``sparse``).

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.5, 0.25, 0.5]], 1.0, mesh)
        >>> contacts.weight_matrix().toarray()
        array([[0.25, 0.5 , 0.25]])
        """
        sparse = import_extra("scipy.sparse", "sparse")
        number = checks.whole(mesh, "mesh")
        if self.meshes is None:
            raise ValueError(
                "the contacts do not know their mesh: load_contacts(path, meshes=mesh) tells them"
            )
        if not 0 <= number < len(self.meshes):
            raise IndexError(
                f"there is no mesh {number}: the {len(self.meshes)} meshes are numbered from 0"
            )
        shape = len(self), len(self.meshes[number].vertices)
        counts = np.diff(self.node_offsets)
        here = self.mesh == number
        nodes = np.repeat(here, counts)
        offsets = np.concatenate([[0], np.cumsum(counts * here)])
        # the arrays are copies, since SciPy sorts and sums in place
        return sparse.csr_array((self.weight[nodes], self.node[nodes], offsets), shape)

    def velocity(self, twists: ArrayLike) -> NDArray[np.float64]:
        """The velocity of the mesh at each contact point.

        Parameters
        ----------
        twists : (k, 6) array_like
            For each mesh the linear velocity of the origin of its frame and its angular velocity in
            radians per time, counter-clockwise about its direction, both along the world's axes.
            For one mesh, (6,) will do.

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
        count = history.mesh_count(self)
        # contacts of a file do not know of meshes that nothing touches
        known = self.meshes is not None or self.poses is not None
        fits = len(array) == count if known else len(array) >= count
        if array.ndim != 2 or array.shape[1] != 6 or not fits:
            raise ValueError(f"twists has shape {given}, but must be ({count}, 6)")
        outside = np.argwhere(~np.isfinite(array))
        if len(outside):
            row, column = outside[0]
            raise ValueError(f"twists[{row}, {column}] is {array[row, column]}")
        return array

    def match(
        self,
        previous: Contacts,
        ids: ArrayLike | None = None,
        previous_ids: ArrayLike | None = None,
        *,
        workers: int | None = None,
    ) -> NDArray[np.intp]:
        """Which contact of the step before each contact continues.

        A tangential spring belongs to the surface, not to a facet. A contact continues the one of
        the same sphere whose point, carried along with the mesh, is nearest, provided that the
        normals agree (within flat_angle, or what the noise of the coordinates explains) or that
        both lie on the same feature of a mesh or on adjacent ones. Each old contact is continued
        once, those at the smallest distance first.

        Parameters
        ----------
        previous : Contacts
            Of the step before, with the same meshes and period; poses may differ.
        ids : (n,) array_like of int, optional
            A number for each sphere, where spheres came, went or changed their order since.
        previous_ids : (n of previous,) array_like of int, optional
            Their numbers in the step before. By default the spheres are in the same order.
        workers : int, optional
            Number of threads at most, as for `find_contacts`.

        Returns
        -------
        (m,) ndarray of intp
            The row of `previous` that each contact continues; -1 for a new contact.

        Raises
        ------
        ValueError
            If `previous` is of other meshes or of another period, the number of spheres differs
            without ids, or an id is there twice.
        TypeError
            If `previous` is no `Contacts`, or ids are no integers.

        See Also
        --------
        carry : Takes tangential vectors along.

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
        """
        return history.match(self, previous, ids, previous_ids, workers)

    def carry(
        self, tangent: ArrayLike, previous: Contacts, match: ArrayLike
    ) -> NDArray[np.float64]:
        """Take tangential vectors, such as springs, along from the step before.

        Each is turned with its mesh, and then by the smallest rotation from the old normal to the
        new one; its length stays.

        Parameters
        ----------
        tangent : (m of previous, 3) array_like
            A vector for each contact of `previous`, in the world.
        previous : Contacts
            Of the step before.
        match : (m,) array_like of int
            As `match` returned it.

        Returns
        -------
        (m, 3) ndarray of float64
            The vectors for these contacts; 0 where `match` is -1.

        Raises
        ------
        ValueError
            If a shape is wrong, `match` names a row that there is not, or `previous` is of other
            meshes or of another period.

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
        """
        return history.carry(tangent, self, previous, match)

    def to_dict(self) -> dict[str, NDArray[Any]]:
        """All columns and the two offsets by their names; the arrays are the table's own.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh).to_dict()["overlap"]
        array([0.5])
        """
        return {name: getattr(self, name) for name in (*ROW_COLUMNS, *NODE_COLUMNS, *OFFSETS)}

    def _flat(self) -> dict[str, NDArray[Any]]:
        """The columns with an entry for each contact, those of vectors as _x, _y and _z."""
        flat: dict[str, NDArray[Any]] = {}
        for name in ROW_COLUMNS:
            column = getattr(self, name)
            if column.ndim == 1:
                flat[name] = column
            else:
                flat |= {f"{name}_{axis}": column[:, k] for k, axis in enumerate("xyz")}
        return flat

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame, without the nodal weights.

        Returns
        -------
        pandas.DataFrame
            One row a contact; vectors as ``point_x``, ``point_y``, ``point_z`` and so on. Its
            arrays are copies.

        Raises
        ------
        ImportError
            If pandas is not installed (extra ``io``).

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh).to_pandas().overlap  # doctest: +SKIP
        0    0.5
        Name: overlap, dtype: float64
        """
        pandas = import_extra("pandas", "io")
        return pandas.DataFrame({name: column.copy() for name, column in self._flat().items()})

    def to_pyvista(self) -> Any:
        """The contact points as a pyvista.PolyData, with the other columns as its point data.

        Returns
        -------
        pyvista.PolyData
            One point a contact. Its arrays are copies; the nodal weights are left out.

        Raises
        ------
        ImportError
            If pyvista is not installed (extra ``view``).

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh)
        >>> contacts.to_pyvista()["overlap"]  # doctest: +SKIP
        pyvista_ndarray([0.5])
        """
        pyvista = import_extra("pyvista", "view")
        cloud = pyvista.PolyData(self.point.copy())
        # pyvista takes no empty arrays
        for name in ROW_COLUMNS if len(self) else ():
            if name != "point":
                cloud.point_data[name] = getattr(self, name).copy()
        return cloud

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the contacts to a file.

        Parameters
        ----------
        path : str or path-like
            Ends in ``.npz`` (all columns; `load_contacts` reads it back), ``.csv``, ``.vtp`` (for
            ParaView) or ``.parquet`` (extra ``io``). The meshes are not written.

        Raises
        ------
        ValueError
            If the ending is another.
        OSError
            If the file cannot be written.

        Examples
        --------
        >>> import abut, tempfile, pathlib
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh)
        >>> contacts.save(pathlib.Path(tempfile.mkdtemp(), "contacts.npz"))
        """
        from .io import save_contacts

        save_contacts(self, path)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the touched features and the normals on the facets, by matplotlib or pyvista.

        Parameters
        ----------
        ax : matplotlib 3D axes or pyvista.Plotter, optional
            What is drawn on; made where it is not given.
        **options
            ``backend``, "matplotlib" (extra ``plot``) or "pyvista" (extra ``view``); ``mesh``, for
            contacts that do not know theirs; ``spheres``, the tuple (centers, radii), draws those
            that touch; ``normals``, ``arrow_count``, ``sphere_count``; ``alpha``, the opacity of
            the other facets.

        Returns
        -------
        matplotlib 3D axes or pyvista.Plotter
            What was drawn on, not shown yet.

        Raises
        ------
        ImportError
            If the library is not installed; the message names the extra.
        ValueError
            If the contacts do not know their mesh and none is given.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> ax = abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh).plot()  # doctest: +SKIP
        """
        from .plot import plot_contacts

        return plot_contacts(self, ax, **options)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Contacts):
            return NotImplemented
        names = (*ROW_COLUMNS, *NODE_COLUMNS, *OFFSETS)
        made = self._made(names) | other._made(names)
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in made)

    def __repr__(self) -> str:
        counts = np.bincount(self.type, minlength=len(TYPE_NAMES))
        by_type = ", ".join(
            f"{count} {name}" for count, name in zip(counts, TYPE_NAMES, strict=False)
        )
        return f"Contacts({len(self)} of {len(self.offsets) - 1} spheres: {by_type})"

    def _repr_html_(self) -> str:
        names = ("sphere", "facet", "type", "overlap", "point", "normal")
        head = "".join(f"<th>{name}</th>" for name in names)
        rows = "".join(
            "<tr>" + "".join(f"<td>{_cell(self, name, row)}</td>" for name in names) + "</tr>"
            for row in range(min(SHOWN_ROWS, len(self)))
        )
        rest = len(self) - SHOWN_ROWS
        more = f"<p>and {rest} more</p>" if rest > 0 else ""
        return f"<table><caption>{self!r}</caption><tr>{head}</tr>{rows}</table>{more}"

    def __copy__(self) -> Contacts:
        return replace(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Contacts:
        # the meshes do not change
        columns = {name: column.copy() for name, column in self._made(_ALL_COLUMNS).items()}
        return _rebuild(columns, **self._search())

    def __reduce__(self) -> tuple[Any, ...]:
        search = (self.poses, self.period, self.flat_angle)
        return _rebuild, (self._made(_ALL_COLUMNS), None, *search)


def concatenate(contacts: Iterable[Contacts]) -> Contacts:
    """Join the contacts of chunks of spheres.

    Parameters
    ----------
    contacts : iterable of Contacts
        At least one; each has the spheres after those of the one before.

    Returns
    -------
    Contacts
        Of all spheres, numbered on through the chunks. It knows its meshes if all chunks do.

    Raises
    ------
    ValueError
        If there are none, or if they are of different meshes, poses, periods or flat_angle.
    TypeError
        If an item is no `Contacts`.

    Examples
    --------
    >>> import abut
    >>> finder = abut.ContactFinder(abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]))
    >>> chunks = [finder.find([[0.2, 0.2, z]], 1.0) for z in (0.5, 2.0, 0.75)]
    >>> abut.concatenate(chunks).sphere
    array([0, 2])
    """
    tables = list(contacts)
    if not tables:
        raise ValueError("there are no contacts to concatenate")
    for i, table in enumerate(tables):
        if not isinstance(table, Contacts):
            raise TypeError(f"contacts[{i}] is no Contacts, but {type(table).__name__}")
    made = set().union(*map(vars, tables))
    columns = {
        name: np.concatenate([getattr(table, name) for table in tables])
        for name in (*_PER_CONTACT, *NODE_COLUMNS)
        if name in made
    }
    firsts = np.cumsum([0, *(len(table.counts) for table in tables[:-1])])
    columns["sphere"] += np.repeat(firsts, [len(table) for table in tables])
    offsets, node_offsets = (_joined([getattr(t, name) for t in tables]) for name in OFFSETS)
    search = tables[0]._search() | {"meshes": _common_meshes(tables)}
    _check_common(tables)
    return Contacts._build(columns, offsets, node_offsets, **search)


def _joined(offsets: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    counts = [np.diff(one) for one in offsets]
    return np.concatenate([[0], np.cumsum(np.concatenate(counts))])


def _common_meshes(tables: Sequence[Contacts]) -> tuple[Mesh, ...] | None:
    known = [table.meshes for table in tables if table.meshes is not None]
    if any(meshes != known[0] for meshes in known):
        raise ValueError("the contacts are of different meshes")
    return known[0] if len(known) == len(tables) else None


def _check_common(tables: Sequence[Contacts]) -> None:
    for name in SEARCH[1:]:
        first, *others = (getattr(table, name) for table in tables)
        if any(not np.array_equal(first, other) for other in others):
            raise ValueError(f"the contacts have different {name}")


def _read_rows(rows: slice | ArrayLike, count: int) -> NDArray[np.intp]:
    """The numbers of the rows that an index means, increasing."""
    if isinstance(rows, slice):
        if rows.step is not None and rows.step < 0:
            raise ValueError("a slice of contacts must have a positive step")
        return np.arange(count)[rows]
    array = np.asarray(rows)
    if array.ndim == 0:
        raise TypeError(
            f"contacts are selected by a mask, indices or a slice, not by {rows!r}:"
            " contacts[i:i + 1] is one row, contacts.of(i) one sphere's"
        )
    if array.dtype == bool:
        return _read_mask(array, count)
    return _read_indices(checks.indices(rows, "indices"), count)


def _read_mask(mask: NDArray[np.bool_], count: int) -> NDArray[np.intp]:
    if mask.shape != (count,):
        raise IndexError(f"the mask has shape {mask.shape}, but must be ({count},)")
    return np.flatnonzero(mask)


def _read_indices(indices: NDArray[np.intp], count: int) -> NDArray[np.intp]:
    if indices.ndim != 1:
        raise IndexError(f"the indices have shape {indices.shape}, but must be (k,)")
    outside = np.flatnonzero((indices < 0) | (indices >= count))
    if len(outside):
        raise IndexError(f"there is no contact {indices[outside[0]]}: there are {count}, from 0 on")
    if (np.diff(indices) <= 0).any():
        raise ValueError("indices of contacts must increase: np.unique sorts them")
    return indices


def _cell(contacts: Contacts, name: str, row: int) -> str:
    value = getattr(contacts, name)[row]
    if name == "type":
        return TYPE_NAMES[value]
    return ", ".join(f"{number:.6g}" for number in np.atleast_1d(value))


def _rebuild(
    columns: dict[str, NDArray[Any]],
    meshes: tuple[Mesh, ...] | None = None,
    poses: NDArray[np.float64] | None = None,
    period: Period | None = None,
    flat_angle: float = 0.0,
) -> Contacts:
    offsets, node_offsets = (columns.pop(name) for name in OFFSETS)
    return Contacts._build(
        columns, offsets, node_offsets, meshes, poses=poses, period=period, flat_angle=flat_angle
    )
