"""The base of all tables of results: their columns, selections, comparison and exports."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks, html
from ..base.extras import import_extra
from ..base.periods import is_array
from .columns import Column, names

if TYPE_CHECKING:
    from pandas import DataFrame
    from pyvista import PolyData


def same_column(make: Callable[[Any], NDArray[Any]]) -> Any:
    """Declare a column with equal entries, for which an array is made when it is first used.

    If a table is made with an array for this column, that array is used. The entries can be changed
    if those of the other columns can. The return type is Any, so that type checkers accept this as
    the default of a field of any type, as they do dataclasses.field.
    """
    return _SameColumn(make)


class _SameColumn:
    """The descriptor that `same_column` returns."""

    def __init__(self, make: Callable[[Any], NDArray[Any]]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, table: Table | None, owner: type | None = None) -> Any:
        if table is None:
            # Only a table has a value of the column, the class has none.
            raise AttributeError(self._name)
        column = self._make(table)
        # Columns of a simulation's tables are read-only, those of other tables are not.
        column.flags.writeable = table.overlap.flags.writeable
        # If several threads do this at once, all use the array of the first thread.
        return vars(table).setdefault(self._name, column)


class Table:
    """A table of arrays: the base of `Contacts`, `Pairs` and others, which are frozen dataclasses.

    Rows are sorted by sphere; `offsets` has each sphere's first row. Each class defines its
    columns. An optional column is None in tables that do not have it.
    """

    # The nouns for a row ("contact"), and for the items that `offsets` is for ("sphere").
    _row: ClassVar[str]
    _counted: ClassVar[str] = "sphere"
    # All columns as the library lists them. The names below are derived from this list.
    _columns: ClassVar[tuple[Column, ...]]
    # Public columns with one entry for each row, such as `point`, `normal` and `overlap`.
    _row_columns: ClassVar[tuple[str, ...]]
    # Columns that only the library reads.
    _hidden_columns: ClassVar[tuple[str, ...]]
    # Columns with several entries for each row.
    _list_columns: ClassVar[tuple[str, ...]]
    # The name of the column that has, for each row, where its entries in list columns begin.
    _list_offsets: ClassVar[str]
    # Read-only columns with offsets: of each sphere's rows, and of each row's list entries.
    _offset_columns: ClassVar[tuple[str, ...]]
    # Columns that only tables of a `Simulation` or `read_pairs` have, one entry for each row.
    _further_columns: ClassVar[tuple[str, ...]] = ("force",)
    # The names of the search's settings, which hold for all rows.
    _settings: ClassVar[tuple[str, ...]]
    # The columns that a notebook shows.
    _shown: ClassVar[tuple[str, ...]]
    # Names of columns in other packages, with our names, for error messages.
    _synonyms: ClassVar = dict.fromkeys(("depth", "penetration", "indentation"), "overlap")

    point: NDArray[np.float64]
    overlap: NDArray[np.float64]
    offsets: NDArray[np.intp]
    # This is no field of the dataclass, since only some tables have forces.
    force: NDArray[np.float64]

    def __init_subclass__(cls) -> None:
        columns = vars(cls).get("_columns")
        if columns:
            cls._row_columns = names(columns, "row")
            cls._hidden_columns = tuple(c.name for c in columns if c.name.startswith("_"))
            cls._list_columns = names(columns, "entry")
            cls._list_offsets = "".join(names(columns, "entry offsets"))
            cls._offset_columns = names(columns, "offsets", "entry offsets")

    @classmethod
    def _found(cls, columns: dict[str, NDArray[Any]], settings: dict[str, Any]) -> Self:
        """Make a table from the library's columns; `columns` itself becomes the table's dict."""
        fields: dict[str, Any] = columns
        fields.update(settings)
        table = object.__new__(cls)
        # __init__ would set the fields one by one, which takes longer than a search for one sphere.
        object.__setattr__(table, "__dict__", fields)
        return table

    @classmethod
    def _build(cls, columns: dict[str, NDArray[Any]], settings: dict[str, Any]) -> Self:
        """Make a table of these arrays, without copies; offsets and vectors become read-only."""
        for name in columns.keys() & cls._offset_columns:
            columns[name].flags.writeable = False
        if is_array(settings.get("period")):
            settings["period"].flags.writeable = False
        return cls._found(columns, settings)

    @classmethod
    def _public_columns(cls) -> tuple[str, ...]:
        return (*cls._row_columns, *cls._list_columns, *cls._offset_columns)

    def _made(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Return the columns that are arrays already; in any other column all entries are equal."""
        return {name: vars(self)[name] for name in names if name in vars(self)}

    def _made_columns(self) -> dict[str, NDArray[Any]]:
        names = (*self._public_columns(), *self._further_columns, *self._hidden_columns)
        return self._made(names)

    def _made_rows(self) -> dict[str, NDArray[Any]]:
        return self._made((*self._row_columns, *self._further_columns, *self._hidden_columns))

    def _rows(self) -> dict[str, NDArray[Any]]:
        """Return all public columns with one entry for each row."""
        return self._there(self._row_columns) | self._made(self._further_columns)

    def _there(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Return the columns with these names, except those that this table does not have."""
        columns = {name: getattr(self, name) for name in names}
        return {name: column for name, column in columns.items() if column is not None}

    def _search(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._settings}

    @property
    def counts(self) -> NDArray[np.intp]:
        """For each sphere, the number of contacts, or of pairs in which it is i, (n,)."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.overlap)

    # Type checkers must not see these methods: they would accept every name.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Python calls this only for names that do not exist.
            kind = type(self).__name__
            if name.startswith("_"):
                raise AttributeError(f"{kind!r} object has no attribute {name!r}")
            if name in self._further_columns:
                raise AttributeError(
                    f"{kind} of a search has no {name!r}: only those of a Simulation, and of"
                    " read_pairs, have it"
                )
            raise AttributeError(f"{kind} has no {name!r}{self._instead_of(name)}")

        def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
            rows = f"{self._row}s"
            raise TypeError(
                f"{type(self).__name__} is a table, not an array: use a column, such as"
                f" {rows}.overlap, or {rows}.to_dict(), or {rows}.to_pandas()"
            )

        # With this, NumPy does not convert the table in `array == table`, but calls its __eq__.
        __array_ufunc__ = None

    def _instead_of(self, name: str) -> str:
        """Return the end of a message for a wrong name: the most similar name, or all columns."""
        public = [word for word in dir(self) if not word.startswith("_")]
        return self._close_to(name, [*self._public_columns(), *public], self._public_columns())

    def _close_to(self, name: str, words: Iterable[str], columns: Iterable[str]) -> str:
        singular = name.removesuffix("s")
        meant = self._synonyms.get(name, self._synonyms.get(singular, singular))
        close = difflib.get_close_matches(meant, words, 1, 0.75)
        return f": there is {close[0]!r}" if close else f"; its columns are {', '.join(columns)}"

    # Without this line, a loop over a table would use table[0], table[1], ...
    __iter__ = None

    # ---- columns by their names, and selections of rows ----

    # A str is also an array_like for type checkers, so the two signatures overlap.
    @overload
    def __getitem__(self, rows: str) -> NDArray[Any]: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self, rows: slice | ArrayLike) -> Self: ...
    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, str):
            return self._column(rows)
        return self._take(_read_rows(rows, len(self), self._row))

    def _column(self, name: str) -> NDArray[Any]:
        """Return the column with this name; raise if this table does not have it."""
        column = None
        if name in self._public_columns() or name in self._made(self._further_columns):
            column = getattr(self, name)
        if column is None:
            there = list(self.to_dict())
            kind = type(self).__name__
            raise KeyError(f"{kind} has no column {name!r}{self._close_to(name, there, there)}")
        return column

    def _take(self, rows: NDArray[np.intp]) -> Self:
        return self._build(self._selected(rows), self._search())

    def _selected(self, rows: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
        """Return the columns of a selection."""
        columns = {name: column[rows] for name, column in self._made_rows().items()}
        # A sphere's new offset is the number of selected rows before its first row.
        for name in self._made(("offsets",)):
            columns[name] = np.searchsorted(rows, self.offsets)
        return columns | self._selected_lists(rows)

    def _selected_lists(self, rows: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
        """Return the list columns of a selection, and their offsets."""
        lists = self._made(self._list_columns)
        if not lists:
            return {}
        all_offsets = getattr(self, self._list_offsets)
        counts = np.diff(all_offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        # shifts: by how much the index of each row's first entry has decreased
        shifts = all_offsets[:-1][rows] - offsets[:-1]
        entries = np.arange(offsets[-1]) + np.repeat(shifts, counts)
        columns = {name: column[entries] for name, column in lists.items()}
        return columns | {self._list_offsets: offsets}

    def _of(self, i: int) -> Self:
        i = checks.number_of(i, "i", len(self.offsets) - 1, self._counted)
        return self[self.offsets[i] : self.offsets[i + 1]]

    # ---- exports ----

    def to_dict(self, flat: bool = False) -> dict[str, NDArray[Any]]:
        """Return all columns and offsets by their names; the arrays are not copied.

        Parameters
        ----------
        flat : bool, default False
            Return only columns with one entry for each row, and vectors as ``point_x``,
            ``point_y``, ``point_z`` etc.: the columns of `to_pandas`, for use in other libraries.
            They are the table's own arrays or views of them.

        Returns
        -------
        dict of str to ndarray

        See Also
        --------
        copy : A table with copies of the arrays, which can be changed.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh)
        >>> contacts.to_dict()["point"]
        array([[0.2, 0.2, 0. ]])
        >>> contacts.to_dict(flat=True)["point_x"]
        array([0.2])
        """
        if flat:
            return self._flat()
        names = (*self._list_columns, *self._offset_columns)
        return self._rows() | self._there(names)

    def _flat(self) -> dict[str, NDArray[Any]]:
        """Return the columns with one entry for each row; vectors are split into _x, _y and _z."""
        return flattened(self._row_vectors())

    def _row_vectors(self) -> dict[str, NDArray[Any]]:
        """Return the columns with a number or a vector for each row."""
        return self._rows()

    def _flat_lists(self) -> dict[str, NDArray[Any]]:
        """Return the list columns; vectors are split into _x, _y and _z."""
        return flattened(self._there(self._list_columns))

    def _in_space(self) -> dict[str, NDArray[Any]]:
        """Return the columns with one entry for each row; vectors in the plane get z = 0."""
        return {
            name: np.pad(column, ((0, 0), (0, 1))) if column.shape[1:] == (2,) else column
            for name, column in self._row_vectors().items()
        }

    def _ends(self) -> NDArray[np.float64] | None:
        """Return both ends of each row's line in space, (m, 2, 3); None if rows are points."""
        return None

    def to_pandas(self) -> DataFrame:
        """Return the table as a pandas.DataFrame (extra ``io``), without nodal weights.

        Returns
        -------
        pandas.DataFrame
            One row for each contact or pair; vectors become ``point_x``, ``point_y``, ``point_z``
            etc. For convex bodies, `state` and spots are missing, and columns for both bodies
            become ``type_i``, ``type_j``, ``link_i_x``. The arrays are copies.

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

    def to_pyvista(self) -> PolyData:
        """Return the table as a pyvista.PolyData (extra ``view``).

        Returns
        -------
        pyvista.PolyData
            Contacts are points, and pairs of spheres are lines from center to center, as `save`
            writes them to VTP files. The columns, except the nodal weights of contacts, are point
            data of points and cell data of lines. Pairs of old files, which have no radii, are
            points. The arrays are copies.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh)
        >>> contacts.to_pyvista()["overlap"]  # doctest: +SKIP
        pyvista_ndarray([0.5])
        """
        pyvista = import_extra("pyvista", "view")
        columns, ends = self._in_space(), self._ends()
        if ends is None:
            found = pyvista.PolyData(columns.pop("point").copy())
            data = found.point_data
        else:
            rows = np.column_stack([np.full(len(ends), 2), np.arange(2 * len(ends)).reshape(-1, 2)])
            found = pyvista.PolyData(ends.reshape(-1, 3), lines=rows.ravel())
            data = found.cell_data
        # pyvista raises an error for empty arrays.
        for name, column in columns.items() if len(self) else ():
            data[name] = column.copy()
        return found

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        """Export the table to programs that read Arrow: pyarrow, polars, pandas, DuckDB and others.

        The exported table has the columns of `to_pandas`, and the nodal weights of contacts as
        lists; the arrays are copies. ``pyarrow.table(contacts)``, ``polars.DataFrame(contacts)``
        and ``pandas.DataFrame.from_arrow(contacts)`` call this. It needs pyarrow (extra ``io``).

        Parameters
        ----------
        requested_schema : PyCapsule, optional
            As in Arrow's PyCapsule interface.

        Returns
        -------
        PyCapsule
            An ``arrow_array_stream``.

        Examples
        --------
        >>> import abut, pyarrow
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.25, 0.25, 0.5]], 1.0, mesh)
        >>> table = pyarrow.table(contacts)
        >>> table["point_x"].to_pylist(), table["node"].to_pylist()
        ([0.25], [[0, 1, 2]])
        """
        from ..io.parquet import arrow_table

        return arrow_table(self.copy(), {}).__arrow_c_stream__(requested_schema)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the table to a file.

        Parameters
        ----------
        path : str or path-like
            Ends in ``.npz`` (all columns, for `load_contacts`, `load_pairs` or
            `load_convex_contacts`), ``.csv``, ``.vtp`` (for ParaView) or ``.parquet`` (extra
            ``io``). The meshes of contacts are not written. In a vtp file contacts are points, and
            a pair of spheres is a line from the center of i to that of j, or of j's `image`, with
            columns as cell data. In ParaView, "Cell Data to Point Data" and then "Tube", with the
            radius by the vector `force`, draw force chains.

        Raises
        ------
        ValueError
            If the ending is unknown.
        OSError
            If the file cannot be written; an existing file then remains unchanged.

        Examples
        --------
        >>> import abut, tempfile, pathlib
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh)
        >>> contacts.save(pathlib.Path(tempfile.mkdtemp(), "contacts.npz"))
        """
        from ..io import save_table

        save_table(self, path)

    # ---- comparison, views, copies ----

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        further = self._made(self._further_columns)
        if further.keys() != other._made(self._further_columns).keys():
            return False
        names = self._public_columns()
        made = self._made(names) | other._made(names) | further
        return all(self._is_same(getattr(self, name), getattr(other, name)) for name in made)

    @staticmethod
    def _is_same(column: NDArray[Any] | None, other: NDArray[Any] | None) -> bool:
        return np.array_equal(column, other)  # type: ignore[arg-type]

    def _repr_html_(self) -> str:
        shown = self._there(self._shown)
        count = min(html.SHOWN_ROWS, len(self))
        rows = [[self._cell(name, row) for name in shown] for row in range(count)]
        return html.rows_table(repr(self), shown, rows, len(self))

    def _cell(self, name: str, row: int) -> str:
        value = getattr(self, name)[row]
        return html.numbers(value)

    def copy(self) -> Self:
        """Return a table with copies of the arrays, which can be changed; meshes are not copied.

        Returns
        -------
        Contacts, Pairs, ConvexContacts or Entrances
            As from ``copy.deepcopy``.

        Examples
        --------
        >>> import abut
        >>> pairs = abut.find_pairs([[0, 0, 0], [1.5, 0, 0]], 1.0)
        >>> other = pairs.copy()
        >>> other.overlap[:] = 0
        >>> pairs.overlap
        array([0.5])
        """
        return self.__deepcopy__({})

    def __copy__(self) -> Self:
        # This makes all arrays, so that the table and its copy share them.
        self._rows()
        return self._found(dict(vars(self)), {})

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # Settings of the search never change, so they are not copied.
        columns = {name: column.copy() for name, column in self._made_columns().items()}
        return self._build(columns, self._search())

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (type(self), self._made_columns(), self._search())


def flattened(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Split columns of vectors into columns _x, _y and _z."""
    flat: dict[str, NDArray[Any]] = {}
    for name, column in columns.items():
        if column.ndim == 1:
            flat[name] = column
        else:
            flat |= {
                f"{name}_{axis}": column[:, k] for k, axis in enumerate("xyz"[: column.shape[1]])
            }
    return flat


def rebuild(kind: type[Table], columns: dict[str, NDArray[Any]], settings: dict[str, Any]) -> Table:
    """Make a table from its pickled columns and settings."""
    return kind._build(columns, settings)


def _read_rows(rows: slice | ArrayLike, count: int, row: str) -> NDArray[np.intp]:
    """Convert an index to increasing numbers of rows."""
    if isinstance(rows, slice):
        if rows.step is not None and rows.step < 0:
            raise ValueError(
                f"a slice of {row}s must have a positive step, since tables keep their order:"
                f" reverse columns instead, as {row}s.overlap[::-1]"
            )
        return np.arange(count)[rows]
    if isinstance(rows, tuple) and any(isinstance(item, slice) for item in rows):
        raise TypeError(f"{row}s are selected by one index, not by {len(rows)}")
    array = checks.as_array(rows, "indices")
    if array.ndim == 0:
        raise TypeError(
            f"{row}s are selected by a mask, indices or a slice, not by {rows!r}: use"
            f" {row}s[i:i + 1] for one row, or {row}s.of(i) for one sphere"
        )
    if array.dtype == bool:
        return _read_mask(array, count)
    return _read_indices(checks.indices(rows, "indices"), count, row)


def _read_mask(mask: NDArray[np.bool_], count: int) -> NDArray[np.intp]:
    if mask.shape != (count,):
        raise IndexError(f"the mask has shape {mask.shape}, but must be ({count},)")
    return np.flatnonzero(mask)


def _read_indices(indices: NDArray[np.intp], count: int, row: str) -> NDArray[np.intp]:
    if indices.ndim != 1:
        raise IndexError(f"the indices have shape {indices.shape}, but must be (k,)")
    outside = np.flatnonzero((indices < 0) | (indices >= count))
    if len(outside):
        there = checks.there_are(count, row)
        raise IndexError(f"there is no {row} {indices[outside[0]]}: {there}, from 0")
    if (np.diff(indices) <= 0).any():
        raise ValueError(
            f"indices of {row}s must increase, since tables keep their order: for another order"
            f" use columns, as {row}s.overlap[indices]"
        )
    return indices
