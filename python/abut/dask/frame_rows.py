"""The results of frames as rows of one pandas table, all with the same columns and dtypes.

Only modules that need pandas import this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from ..base.checks import a_or_an
from ..base.extras import import_extra

pandas = import_extra("pandas", "dask")

FRAME = "frame"  # the column with the number of a row's frame
ERROR = "error"  # the column with the reason why a frame has no rows

# The pandas dtypes that can have missing values, by the kind of the NumPy dtype that cannot.
_MISSING = {"i": "Int{}", "u": "UInt{}", "b": "boolean"}


class Failed(NamedTuple):
    """What a frame has instead of rows if it could not be read, searched or reduced."""

    message: str


def read_rows(result: Any, number: int, names: set[Any] | None = None) -> Any:
    """Convert what the caller's `reduce` returned for a frame to a dict, DataFrame or None.

    A dict is one row of scalars. names: the columns that the result must have.
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
            "reduce returned a column 'frame', but the table has the frame's number there: give it"
            " another name"
        )
    if names is not None and given != names:
        raise ValueError(f"reduce returned {_listed(given)}, but the table has {_listed(names)}")
    return rows


def check_unique(names: Any, subject: str) -> None:
    """Raise if two of the names are equal; subject: the beginning of the message."""
    is_repeat = names.duplicated()
    if is_repeat.any():
        raise ValueError(f"{subject} the column {names[is_repeat][0]!r} more than once")


def _read_form(result: Any) -> Any:
    if isinstance(result, pandas.DataFrame):
        check_unique(result.columns, "reduce returned")
        return result
    if isinstance(result, pandas.Series):
        check_unique(result.index, "reduce returned")
        return result.to_dict()
    if not isinstance(result, Mapping):
        raise TypeError(
            f"reduce returned {a_or_an(type(result).__name__)}, but must return a dict, a Series, a"
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
    """Return an empty table with the columns of these rows, and whether all dtypes are known.

    A dtype is unknown if there are no rows, or if all values of the column are missing.
    """
    if rows is None:
        return None, False
    table = numbered(rows, 0)
    vague = [table[name].dtype == object and table[name].isna().all() for name in table]
    return table.iloc[:0], len(table) > 0 and not any(vague)


def with_errors(meta: Any) -> Any:
    """Return the empty table with a column for errors, and dtypes that allow missing values."""
    if ERROR in meta:
        raise ValueError(
            "reduce returned a column 'error', which is for skipped frames: give it another name"
        )
    dtypes = {name: _nullable(dtype) for name, dtype in meta.dtypes.items() if name != FRAME}
    return meta.astype(dtypes).assign(**{ERROR: pandas.Series(["why"]).iloc[:0]})


def _nullable(dtype: Any) -> Any:
    kind = dtype.kind if isinstance(dtype, np.dtype) else ""
    return _MISSING[kind].format(8 * dtype.itemsize) if kind in _MISSING else dtype


def fit(rows: Any, number: int, meta: Any) -> Any:
    """Convert the rows of one frame to the columns and dtypes of the whole table, or raise.

    A dict remains a dict: `table_of` converts such rows of many frames together, which is faster.
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
    """Return whether a value certainly fits a dtype, so that it need not be cast on its own."""
    if isinstance(dtype, pandas.StringDtype):
        return isinstance(value, str)
    if dtype == np.dtype(object):
        return True
    if not isinstance(value, (bool, int, float, np.generic)):
        return False
    return bool(np.asarray(value).dtype == getattr(dtype, "numpy_dtype", dtype))


def table_of(results: Iterable[tuple[int, Any]], meta: Any) -> Any:
    """Make one table of the rows that `fit` has returned, with the numbers of their frames.

    A frame that failed has one row, with the error.
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
    # The values remain objects, since pandas would convert integers with None to floats.
    table = pandas.DataFrame({FRAME: [row[FRAME] for row in single]})
    for name in single[0]:
        if name != FRAME:
            table[name] = pandas.Series([row[name] for row in single], dtype=object)
    return [_fitted(table, meta)]


def numbered(rows: Any, number: int) -> Any:
    """Return the rows of one frame as a table, with the frame's number as the first column."""
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
    """Return rows with the columns and dtypes of the whole table; raise if values do not fit."""
    if ERROR in meta:
        table[ERROR] = pandas.Series([None] * len(table), dtype=meta.dtypes[ERROR])
    columns = {
        name: table[name] if table[name].dtype == dtype else _cast(table[name], dtype, table[FRAME])
        for name, dtype in meta.dtypes.items()
    }
    return pandas.DataFrame(columns)


def _cast(column: Any, dtype: Any, frames: Any) -> Any:
    """Convert a column to another dtype; raise if a value would change."""
    try:
        cast = column.astype(dtype)
    except (TypeError, ValueError, OverflowError):
        # Either a value does not fit the dtype, or pandas can cast such values only one by one.
        cast = _cast_singly(column, dtype)
    is_same = _same(cast, column)
    if is_same.all():
        return cast
    place = int(np.argmin(is_same))
    value = column.iloc[place : place + 1].tolist()[0]  # as Python's own number
    raise ValueError(
        f"frame {frames.iloc[place]}: {column.name!r} is {value!r}, but the table's"
        f" column is {dtype}, as in the first rows: let reduce always return one type, or give"
        f" meta=, as in meta={{{column.name!r}: float}}"
    )


def _same(a: Any, b: Any) -> np.ndarray[Any, Any]:
    """Return, for each row, whether both columns have equal values or both values are missing."""
    missing = a.isna().to_numpy(bool), b.isna().to_numpy(bool)
    is_same = missing[0] & missing[1]
    present = ~(missing[0] | missing[1])
    is_same[present] = a[present].to_numpy(object) == b[present].to_numpy(object)
    return is_same


def _cast_singly(column: Any, dtype: Any) -> Any:
    """Convert values one by one; a value that does not fit becomes an object unequal to all."""
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
