"""The contacts of a search: a table of arrays."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _core, checks
from .extras import import_extra

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

# rows that a notebook shows
SHOWN_ROWS = 5


@dataclass(frozen=True, eq=False, repr=False, slots=True, weakref_slot=True, kw_only=True)
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
        Number of the facet. Where facets share the contact's very point, any of them.
    type : (m,) ndarray of uint8
        What the contact lies on: `FACET`, `EDGE` or `VERTEX` (0, 1, 2).
    feature : (m,) ndarray of intp
        Which one of the facet's: edge k runs from its corner k to k + 1, vertex k is its corner k;
        0 for FACET.
    point : (m, 3) ndarray of float64
        Contact point, on the mesh.
    normal : (m, 3) ndarray of float64
        Unit vector from the mesh to the sphere's center: the normal force on the sphere is along
        +normal, on the mesh along -normal. Where the center is on the mesh, the facet's normal by
        the right-hand rule.
    overlap : (m,) ndarray of float64
        Radius - distance, positive where they touch; DEM papers call it indentation or penetration.
    share : (m,) ndarray of float64
        The part of the contact law's force that the contact carries, 0 to 1: 1.
    mesh : (m,) ndarray of intp
        Number of the mesh: 0.
    image : (m, 3) ndarray of intp
        Periodic image of the mesh: 0, 0, 0.
    node : (k,) ndarray of intp
        Vertices that carry the contacts' forces: of contact c ``node[node_offsets[c]:node_offsets[c
        + 1]]``. For FACET the facet's corners that are not flat, in its order; for EDGE two, for
        VERTEX one.
    weight : (k,) ndarray of float64
        The part of the force that each node carries. A contact's weights sum up to 1, and its
        weighted nodes to its point.
    offsets : (n + 1,) ndarray of intp, read-only
        The contacts of sphere i are rows ``offsets[i]:offsets[i + 1]``.
    node_offsets : (m + 1,) ndarray of intp, read-only
        Where each contact's nodes begin.
    meshes : tuple of Mesh, or None
        What was searched. Neither files nor pickles hold it.

    Notes
    -----
    ``contacts[rows]`` selects rows by a mask, increasing indices, or a slice with a positive step.
    A selection is a `Contacts` that keeps n and the sphere numbers. A table has no single rows to
    loop over: use its columns, or `of` for one sphere.

    ``==`` tells whether all columns and offsets are equal; meshes are not compared.

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
    share: NDArray[np.float64]
    mesh: NDArray[np.intp]
    image: NDArray[np.intp]
    node: NDArray[np.intp]
    weight: NDArray[np.float64]
    offsets: NDArray[np.intp]
    node_offsets: NDArray[np.intp]
    meshes: tuple[Mesh, ...] | None

    @classmethod
    def _build(
        cls,
        columns: Mapping[str, NDArray[Any]],
        offsets: NDArray[np.intp],
        node_offsets: NDArray[np.intp],
        meshes: Iterable[Mesh] | None = None,
    ) -> Contacts:
        """A table of these very arrays; the two offsets become read-only."""
        offsets.flags.writeable = node_offsets.flags.writeable = False
        return cls(
            **columns,
            offsets=offsets,
            node_offsets=node_offsets,
            meshes=None if meshes is None else tuple(meshes),
        )

    @classmethod
    def _found(cls, found: Sequence[NDArray[Any]], meshes: tuple[Mesh, ...]) -> Contacts:
        """The columns that the library returns, in its order, with those that it has no say in."""
        *rows, offsets, node, weight, node_offsets = found
        columns: dict[str, NDArray[Any]] = dict(zip(ROW_COLUMNS, rows, strict=False))
        count = len(columns["sphere"])
        columns |= {
            "share": np.ones(count),
            "mesh": np.zeros(count, np.intp),
            "image": np.zeros((count, 3), np.intp),
            "node": node,
            "weight": weight,
        }
        return cls._build(columns, offsets, node_offsets, meshes)

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
        columns = {name: getattr(self, name)[rows] for name in ROW_COLUMNS}
        columns |= {name: getattr(self, name)[nodes] for name in NODE_COLUMNS}
        # how many of the rows taken stand before each sphere's first
        offsets = np.searchsorted(rows, self.offsets)
        return self._build(columns, offsets, node_offsets, self.meshes)

    def weight_matrix(self) -> Any:
        """The nodal weights as a sparse matrix, which carries forces from contacts to vertices.

        Returns
        -------
        scipy.sparse.csr_array
            (m, vertices). With forces (m, 3) on the spheres, ``W.T @ -forces`` are the forces on
            the vertices; they have the same sum and the same moment.

        Raises
        ------
        ValueError
            If the contacts do not know their mesh.
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
        if self.meshes is None:
            raise ValueError(
                "the contacts do not know their mesh: load_contacts(path, meshes=mesh) tells them"
            )
        shape = len(self), len(self.meshes[0].vertices)
        # a copy, since SciPy sorts and sums in place
        return sparse.csr_array((self.weight, self.node, self.node_offsets), shape, copy=True)

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
        ours, theirs = self.to_dict(), other.to_dict()
        return all(np.array_equal(ours[name], theirs[name]) for name in ours)

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
        return _rebuild(
            {name: column.copy() for name, column in self.to_dict().items()}, self.meshes
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.to_dict(),)


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
        If there are none, or if they are of different meshes.
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
    columns = {
        name: np.concatenate([getattr(table, name) for table in tables])
        for name in (*ROW_COLUMNS, *NODE_COLUMNS)
    }
    firsts = np.cumsum([0, *(len(table.counts) for table in tables[:-1])])
    columns["sphere"] += np.repeat(firsts, [len(table) for table in tables])
    offsets, node_offsets = (_joined([getattr(t, name) for t in tables]) for name in OFFSETS)
    return Contacts._build(columns, offsets, node_offsets, _common_meshes(tables))


def _joined(offsets: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    counts = [np.diff(one) for one in offsets]
    return np.concatenate([[0], np.cumsum(np.concatenate(counts))])


def _common_meshes(tables: Sequence[Contacts]) -> tuple[Mesh, ...] | None:
    known = [table.meshes for table in tables if table.meshes is not None]
    if any(meshes != known[0] for meshes in known):
        raise ValueError("the contacts are of different meshes")
    return known[0] if len(known) == len(tables) else None


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


def _rebuild(columns: dict[str, NDArray[Any]], meshes: tuple[Mesh, ...] | None = None) -> Contacts:
    offsets, node_offsets = (columns.pop(name) for name in OFFSETS)
    return Contacts._build(columns, offsets, node_offsets, meshes)
