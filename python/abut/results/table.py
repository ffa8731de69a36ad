"""What the tables of results have in common: columns, selections, comparison, exports."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, Self, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks, html
from ..base.extras import import_extra
from .columns import Column, names

if TYPE_CHECKING:
    from pandas import DataFrame
    from pyvista import PolyData


def same_column(make: Callable[[Any], NDArray[Any]]) -> Any:
    """A column whose entries are all the same: it is made when it is first asked for.

    It may be changed where the table's other columns may. A column that the table was made with
    goes before it. To type checkers it is of any type, as what dataclasses.field returns: the
    field's annotation tells which.
    """
    return _SameColumn(make)


class _SameColumn:
    """What `same_column` returns."""

    def __init__(self, make: Callable[[Any], NDArray[Any]]) -> None:
        self._make = make

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, table: Table | None, owner: type | None = None) -> Any:
        if table is None:
            # asked of the class: only a table has a value
            raise AttributeError(self._name)
        column = self._make(table)
        # columns of a simulation's tables are read-only, those of others are not
        column.flags.writeable = table.overlap.flags.writeable
        # several threads that ask at once all get the array of the first one
        return vars(table).setdefault(self._name, column)


class Table:
    """A table of arrays: the base of `Contacts`, `Pairs` and others, frozen dataclasses.

    Rows are sorted by the sphere that `offsets` counts. Each kind of table says what it has; of a
    column that not every table of its kind has, the others have None.
    """

    # the nouns for a row, and for the things that `offsets` counts
    _row: ClassVar[str]
    _counted: ClassVar[str] = "sphere"
    # all columns that the library lists; the names below follow from these
    _columns: ClassVar[tuple[Column, ...]]
    # columns with an entry for each row, that is `point`, `normal`, `overlap` and more
    _row_columns: ClassVar[tuple[str, ...]]
    # likewise, but not for users: only the library reads them
    _hidden_columns: ClassVar[tuple[str, ...]]
    # columns with several entries for a row
    _list_columns: ClassVar[tuple[str, ...]]
    # the name of the offsets that say where a row's entries in such columns begin
    _list_offsets: ClassVar[str]
    # read-only: where each sphere's rows begin, and where each row's entries in such columns do
    _offset_columns: ClassVar[tuple[str, ...]]
    # columns with an entry for each row that only tables of a `Simulation` have
    _further_columns: ClassVar[tuple[str, ...]] = ("force",)
    # the names of what is common to all rows
    _settings: ClassVar[tuple[str, ...]]
    # the columns that a notebook shows
    _shown: ClassVar[tuple[str, ...]]
    # words of other packages, with the column that each of them means here
    _synonyms: ClassVar = dict.fromkeys(("depth", "penetration", "indentation"), "overlap")

    point: NDArray[np.float64]
    overlap: NDArray[np.float64]
    offsets: NDArray[np.intp]
    # only tables of a simulation have forces, so this is no field of the dataclass
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
        """A table of what the library returned; the dict becomes the table's own."""
        fields: dict[str, Any] = columns
        fields.update(settings)
        table = object.__new__(cls)
        # __init__ sets the fields one by one, which takes longer than the search for one sphere
        object.__setattr__(table, "__dict__", fields)
        return table

    @classmethod
    def _build(cls, columns: dict[str, NDArray[Any]], settings: dict[str, Any]) -> Self:
        """A table of these very arrays; offsets become read-only."""
        for name in columns.keys() & cls._offset_columns:
            columns[name].flags.writeable = False
        return cls._found(columns, settings)

    @classmethod
    def _public_columns(cls) -> tuple[str, ...]:
        return (*cls._row_columns, *cls._list_columns, *cls._offset_columns)

    def _made(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Those of the columns that are made already; in all others every entry is the same."""
        return {name: vars(self)[name] for name in names if name in vars(self)}

    def _made_columns(self) -> dict[str, NDArray[Any]]:
        names = (*self._public_columns(), *self._further_columns, *self._hidden_columns)
        return self._made(names)

    def _made_rows(self) -> dict[str, NDArray[Any]]:
        return self._made((*self._row_columns, *self._further_columns, *self._hidden_columns))

    def _rows(self) -> dict[str, NDArray[Any]]:
        """All public columns with an entry for each row."""
        return self._there(self._row_columns) | self._made(self._further_columns)

    def _there(self, names: Iterable[str]) -> dict[str, NDArray[Any]]:
        """Those of these columns that this table has."""
        columns = {name: getattr(self, name) for name in names}
        return {name: column for name, column in columns.items() if column is not None}

    def _search(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in self._settings}

    @property
    def counts(self) -> NDArray[np.intp]:
        """The number of contacts of each sphere, or of its pairs as the first, (n,)."""
        return np.diff(self.offsets)

    def __len__(self) -> int:
        return len(self.overlap)

    # hidden from type checkers, which would then accept every name
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            # Python calls this only where nothing of this name is there
            kind = type(self).__name__
            if name.startswith("_"):
                raise AttributeError(f"{kind!r} object has no attribute {name!r}")
            if name in self._further_columns:
                raise AttributeError(f"{kind} of a search has no {name!r}: a Simulation's has")
            raise AttributeError(f"{kind} has no {name!r}{self._instead_of(name)}")

        def __array__(self, dtype: Any = None, copy: Any = None) -> NoReturn:
            rows = f"{self._row}s"
            raise TypeError(
                f"{type(self).__name__} is a table and no array: ask for a column, as"
                f" {rows}.overlap, for a dict of all, {rows}.to_dict(), or for {rows}.to_pandas()"
            )

        # makes NumPy leave `array == table` to the table, instead of making an array of it
        __array_ufunc__ = None

    def _instead_of(self, name: str) -> str:
        """Which column an unknown name probably means; where that is not plain, all columns."""
        public = [word for word in dir(self) if not word.startswith("_")]
        return self._close_to(name, [*self._public_columns(), *public], self._public_columns())

    def _close_to(self, name: str, words: Iterable[str], columns: Iterable[str]) -> str:
        singular = name.removesuffix("s")
        meant = self._synonyms.get(name, self._synonyms.get(singular, singular))
        close = difflib.get_close_matches(meant, words, 1, 0.75)
        return f": there is {close[0]!r}" if close else f"; its columns are {', '.join(columns)}"

    # without this line Python would loop over table[0], table[1], ...
    __iter__ = None

    # ---- columns by their names, and selections of rows ----

    # for a type checker a str is an array_like, too; here it is the name of a column
    @overload
    def __getitem__(self, rows: str) -> NDArray[Any]: ...  # type: ignore[overload-overlap]
    @overload
    def __getitem__(self, rows: slice | ArrayLike) -> Self: ...
    def __getitem__(self, rows: Any) -> Any:
        if isinstance(rows, str):
            return self._column(rows)
        return self._take(_read_rows(rows, len(self), self._row))

    def _column(self, name: str) -> NDArray[Any]:
        """The column of this name; an error where this table does not have it."""
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
        """The columns of a selection."""
        columns = {name: column[rows] for name, column in self._made_rows().items()}
        # counts the selected rows that stand before each sphere's first one
        for name in self._made(("offsets",)):
            columns[name] = np.searchsorted(rows, self.offsets)
        return columns | self._selected_lists(rows)

    def _selected_lists(self, rows: NDArray[np.intp]) -> dict[str, NDArray[Any]]:
        """The columns with several entries for a row, and their offsets."""
        lists = self._made(self._list_columns)
        if not lists:
            return {}
        all_offsets = getattr(self, self._list_offsets)
        counts = np.diff(all_offsets)[rows]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        # by how much each row's entries have moved towards the beginning
        shifts = all_offsets[:-1][rows] - offsets[:-1]
        entries = np.arange(offsets[-1]) + np.repeat(shifts, counts)
        columns = {name: column[entries] for name, column in lists.items()}
        return columns | {self._list_offsets: offsets}

    def _of(self, i: int) -> Self:
        i = checks.number_of(i, "i", len(self.offsets) - 1, self._counted)
        return self[self.offsets[i] : self.offsets[i + 1]]

    # ---- exports ----

    def to_dict(self, flat: bool = False) -> dict[str, NDArray[Any]]:
        """All columns and offsets by their names; the arrays are the table's own.

        Parameters
        ----------
        flat : bool, default False
            Only columns with an entry for each row, vectors as ``point_x``, ``point_y``,
            ``point_z`` and so on: the columns of `to_pandas`. What other libraries take as a table
            is made of these. They are the table's own arrays, or views of them.

        Returns
        -------
        dict of str to ndarray

        See Also
        --------
        copy : A table of its own, whose arrays may be changed.

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
        """The columns with an entry for each row, those of vectors as _x, _y and _z."""
        return flattened(self._row_vectors())

    def _row_vectors(self) -> dict[str, NDArray[Any]]:
        """The columns with a number or a vector for each row."""
        return self._rows()

    def _flat_lists(self) -> dict[str, NDArray[Any]]:
        """As `_flat`, of the columns with several entries for a row."""
        return flattened(self._there(self._list_columns))

    def _in_space(self) -> dict[str, NDArray[Any]]:
        """The columns with an entry for each row, vectors of the plane with a third number, 0."""
        return {
            name: np.pad(column, ((0, 0), (0, 1))) if column.shape[1:] == (2,) else column
            for name, column in self._row_vectors().items()
        }

    def to_pandas(self) -> DataFrame:
        """The table as a pandas.DataFrame (extra ``io``), without the nodal weights of contacts.

        Returns
        -------
        pandas.DataFrame
            One row a contact, or a pair; vectors as ``point_x``, ``point_y``, ``point_z`` and so
            on. Of convex bodies without `state` and spots; what is of both as ``type_i``,
            ``type_j``, ``link_i_x``. Its arrays are copies.

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
        """The contact points as a pyvista.PolyData (extra ``view``).

        Returns
        -------
        pyvista.PolyData
            One point a contact, or a pair, with the other columns as point data. Its arrays are
            copies; the nodal weights of contacts are left out.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh)
        >>> contacts.to_pyvista()["overlap"]  # doctest: +SKIP
        pyvista_ndarray([0.5])
        """
        pyvista = import_extra("pyvista", "view")
        columns = self._in_space()
        cloud = pyvista.PolyData(columns.pop("point").copy())
        # pyvista takes no empty arrays
        for name, column in columns.items() if len(self) else ():
            cloud.point_data[name] = column.copy()
        return cloud

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> Any:
        """The table for whatever reads Arrow: pyarrow, polars, pandas, DuckDB and others.

        It has the columns of `to_pandas`, and the nodal weights of contacts as lists, as a Parquet
        file has; the arrays are copies. ``pyarrow.table(contacts)``, ``polars.DataFrame(contacts)``
        and ``pandas.DataFrame.from_arrow(contacts)`` ask for it. It takes pyarrow (extra ``io``).

        Parameters
        ----------
        requested_schema : PyCapsule, optional
            As Arrow's PyCapsule interface has it.

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
            Ends in ``.npz`` (all columns; `load_contacts`, `load_pairs` or `load_convex_contacts`
            reads it back), ``.csv``, ``.vtp`` (for ParaView) or ``.parquet`` (extra ``io``). The
            meshes of contacts are not written.

        Raises
        ------
        ValueError
            If the ending is another.
        OSError
            If the file cannot be written; what was there then stays as it was.

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
        """A table of its own arrays, which may be changed; meshes are the same.

        Returns
        -------
        Contacts, Pairs, ConvexContacts or Entrances
            As ``copy.deepcopy`` makes it.

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
        # makes all columns now, so that the table and its copy share them
        self._rows()
        return self._found(dict(vars(self)), {})

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        # what is common to all rows never changes, so it need not be copied
        columns = {name: column.copy() for name, column in self._made_columns().items()}
        return self._build(columns, self._search())

    def __reduce__(self) -> tuple[Any, ...]:
        return rebuild, (type(self), self._made_columns(), self._search())


def flattened(columns: dict[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """Columns with a number for each row: those of vectors as _x, _y and _z."""
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
    """Make a table of what pickle has kept of it."""
    return kind._build(columns, settings)


def _read_rows(rows: slice | ArrayLike, count: int, row: str) -> NDArray[np.intp]:
    """The numbers of the rows that an index means, increasing."""
    if isinstance(rows, slice):
        if rows.step is not None and rows.step < 0:
            raise ValueError(
                f"a slice of {row}s must have a positive step: their order stays;"
                f" columns can be reversed, as {row}s.overlap[::-1]"
            )
        return np.arange(count)[rows]
    if isinstance(rows, tuple) and any(isinstance(item, slice) for item in rows):
        raise TypeError(f"{row}s are selected by one index, but there are {len(rows)}")
    array = checks.as_array(rows, "indices")
    if array.ndim == 0:
        raise TypeError(
            f"{row}s are selected by a mask, indices or a slice, not by {rows!r}:"
            f" {row}s[i:i + 1] is one row, {row}s.of(i) one sphere's"
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
            f"indices of {row}s must increase: their order stays, and each is there once;"
            f" columns take any order, as {row}s.overlap[indices]"
        )
    return indices
