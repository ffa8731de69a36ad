"""What frames came to, as rows of one table: whose columns and dtypes are those of its first rows.

Imported by what needs pandas; the tables are pandas' own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..base.checks import a_or_an
from ..base.extras import import_extra

pandas = import_extra("pandas", "dask")

# the number of a row's frame, and why a frame has no rows
FRAME, ERROR = "frame", "error"

# what a row of a frame that was skipped may lack, by the kind of dtype that has no missing values
_MISSING = {"i": "Int{}", "u": "UInt{}", "b": "boolean"}


class Failed(NamedTuple):
    """Stands for the rows of a frame that could not be read, searched or reduced."""

    message: str


def read_rows(result: Any, number: int, names: set[Any] | None = None) -> Any:
    """What a caller's function returned of this frame, as a dict of numbers or the like, a
    DataFrame, or None.

    `names`: what the columns must be called.
    """
    try:
        return None if result is None else _read_rows(result, names)
    except (TypeError, ValueError) as error:
        raise type(error)(f"frame {number}: {error}") from error


def _read_rows(result: Any, names: set[Any] | None) -> Any:
    rows = _read_form(result)
    given = set(rows)
    if FRAME in given:
        raise ValueError(
            "reduce gave a column 'frame', which is the frame's number in the table: give it"
            " another name"
        )
    if names is not None and given != names:
        raise ValueError(f"reduce gave {_listed(given)}, but the table has {_listed(names)}")
    return rows


def check_unique(names: Any, whose: str) -> None:
    """Complain of a name that a table would have twice."""
    is_again = names.duplicated()
    if is_again.any():
        raise ValueError(f"{whose} the column {names[is_again][0]!r} more than once")


def _read_form(result: Any) -> Any:
    if isinstance(result, pandas.DataFrame):
        check_unique(result.columns, "reduce gave")
        return result
    if isinstance(result, pandas.Series):
        check_unique(result.index, "reduce gave")
        return result.to_dict()
    if not isinstance(result, Mapping):
        raise TypeError(
            f"reduce gave {a_or_an(type(result).__name__)}, but must give a dict, a Series, a"
            " DataFrame or None"
        )
    if any(map(_is_column, result.values())):
        return pandas.DataFrame(dict(result))
    return {name: _scalar(value) for name, value in result.items()}


def _is_column(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.ndim > 0
    return isinstance(value, (list, tuple, pandas.Series, pandas.Index))


def _scalar(value: Any) -> Any:
    return value[()] if isinstance(value, np.ndarray) else value


def _listed(names: set[Any]) -> str:
    return "the columns " + ", ".join(sorted(map(repr, names))) if names else "no columns"


def columns_of(rows: Any) -> tuple[Any, bool]:
    """An empty table with the columns of these rows, and whether each has a value to tell its
    dtype."""
    if rows is None:
        return None, False
    table = numbered(rows, 0)
    vague = [table[name].dtype == object and table[name].isna().all() for name in table]
    return table.iloc[:0], len(table) > 0 and not any(vague)


def with_errors(meta: Any) -> Any:
    """The empty table that also has room for frames that failed."""
    if ERROR in meta:
        raise ValueError(
            "reduce gave a column 'error', which tells of the frames that are skipped: give it"
            " another name"
        )
    dtypes = {name: _nullable(dtype) for name, dtype in meta.dtypes.items() if name != FRAME}
    return meta.astype(dtypes).assign(**{ERROR: pandas.Series(["why"]).iloc[:0]})


def _nullable(dtype: Any) -> Any:
    kind = dtype.kind if isinstance(dtype, np.dtype) else ""
    return _MISSING[kind].format(8 * dtype.itemsize) if kind in _MISSING else dtype


def fit(rows: Any, number: int, meta: Any) -> Any:
    """The rows of one frame as they have a place in the whole table; an error where they do not.

    A row that is a dict stays one: those of many frames are cast together, which is faster.
    """
    if rows is None or not (isinstance(rows, dict) or len(rows)):
        return None
    if not isinstance(rows, dict):
        return _fitted(numbered(rows, number), meta)
    for name, value in rows.items():
        if not _surely_fits(value, meta.dtypes[name]):
            column = pandas.Series([value], dtype=object, name=name)
            _cast(column, meta.dtypes[name], pandas.Series([number]))
    return rows


def _surely_fits(value: Any, dtype: Any) -> bool:
    """Tell quickly of usual values; others have to be cast."""
    if isinstance(dtype, pandas.StringDtype):
        return isinstance(value, str)
    if dtype == np.dtype(object):
        return True
    if not isinstance(value, (bool, int, float, np.generic)):
        return False
    return bool(np.asarray(value).dtype == getattr(dtype, "numpy_dtype", dtype))


def table_of(results: Iterable[tuple[int, Any]], meta: Any) -> Any:
    """One table of the numbers of frames and their rows, or why there are none.

    Rows are those that `fit` returned.
    """
    pieces: list[Any] = []
    single: list[dict[Any, Any]] = []
    for number, rows in results:
        if isinstance(rows, dict):
            single.append({FRAME: number, **rows})
            continue
        pieces += _joined(single, meta)
        single = []
        if isinstance(rows, Failed):
            pieces.append(_failure(number, rows, meta))
        elif rows is not None:
            pieces.append(rows)
    pieces += _joined(single, meta)
    return pandas.concat(pieces, ignore_index=True) if pieces else meta.copy()


def _joined(single: list[dict[Any, Any]], meta: Any) -> list[Any]:
    if not single:
        return []
    # as objects: of integers and None together pandas would make floats, which round
    table = pandas.DataFrame({FRAME: [row[FRAME] for row in single]})
    for name in single[0]:
        if name != FRAME:
            table[name] = pandas.Series([row[name] for row in single], dtype=object)
    return [_fitted(table, meta)]


def numbered(rows: Any, number: int) -> Any:
    """The rows of one frame with its number."""
    if isinstance(rows, dict):
        return pandas.DataFrame([{FRAME: number, **rows}])
    table = rows.reset_index(drop=True)
    table.insert(0, FRAME, number)
    return table


def _failure(number: int, failed: Failed, meta: Any) -> Any:
    known = {FRAME: number, ERROR: failed.message}
    return pandas.DataFrame(
        {name: pandas.Series([known.get(name)], dtype=dtype) for name, dtype in meta.dtypes.items()}
    )


def _fitted(table: Any, meta: Any) -> Any:
    """The rows with the columns of the whole table."""
    if ERROR in meta:
        table[ERROR] = pandas.Series([None] * len(table), dtype=meta.dtypes[ERROR])
    columns = {
        name: table[name] if table[name].dtype == dtype else _cast(table[name], dtype, table[FRAME])
        for name, dtype in meta.dtypes.items()
    }
    return pandas.DataFrame(columns)


def _cast(column: Any, dtype: Any, frames: Any) -> Any:
    """The same values with another dtype."""
    try:
        cast = column.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        # it holds a value that has no place there, or several that pandas casts only one by one
        cast = _cast_singly(column, dtype)
    is_same = _same(cast, column)
    if is_same.all():
        return cast
    place = int(np.argmin(is_same))
    value = column.iloc[place : place + 1].tolist()[0]  # as Python's own number
    raise ValueError(
        f"frame {frames.iloc[place]}: {column.name!r} is {value!r}, but the table's"
        f" column is of {dtype}, as the first rows were: let reduce always give one type, or give"
        f" meta=, as in meta={{{column.name!r}: float}}"
    )


def _same(a: Any, b: Any) -> np.ndarray[Any, Any]:
    """Where two columns have equal values, or both have none."""
    lacking = a.isna().to_numpy(bool), b.isna().to_numpy(bool)
    is_same = lacking[0] & lacking[1]
    there = ~(lacking[0] | lacking[1])
    is_same[there] = a[there].to_numpy(object) == b[there].to_numpy(object)
    return is_same


def _cast_singly(column: Any, dtype: Any) -> Any:
    """Each value by itself; those that have no place there become what equals nothing."""
    cells = [_cast_one(value, dtype) for value in column]
    if all(cell is not None for cell in cells):
        return pandas.concat(cells, ignore_index=True)
    values = [object() if cell is None else cell.iloc[0] for cell in cells]
    return pandas.Series(values, dtype=object)


def _cast_one(value: Any, dtype: Any) -> Any:
    try:
        return pandas.Series([value], dtype=object).astype(dtype)
    except (TypeError, ValueError, OverflowError):
        return None
