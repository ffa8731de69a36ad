"""Reads arguments: which types are accepted, how they are converted, and error messages.

Arrays are read through `numpy.asarray`, or, for other libraries, by DLPack or their `to_numpy`.
They are converted at most once, and never written. Here arguments must be numbers of the right
shape; the library checks their values.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")
S = TypeVar("S", bound=np.generic)

# two corners, the lower one first
Box = tuple[tuple[float, float, float], tuple[float, float, float]]

# kinds of numbers for a length or a coordinate, and for an index: NumPy's dtype.kind
REAL = "iuf"
WHOLE = "iu"

# DLPack's numbers of the host's memory, and of CUDA's and ROCm's memory that the host can read
HOST = (1, 3, 11, 13)

# length of the longest string that an error message contains
SHOWN_LENGTH = 80

# the dtype of nearly all arguments; an equal dtype object takes the slower path
FLOAT64 = np.dtype(np.float64)


def read(value: object, name: str, kinds: str, wanted: str) -> NDArray[Any]:
    """`value` as an array with a dtype of one of these kinds."""
    array = as_array(value, name)
    if array.dtype.kind in kinds or (array.size == 0 and array.dtype.kind == "f"):
        return array
    raise TypeError(f"{name} {_what(value, array)}, but must be {wanted}")


def as_array(value: Any, name: str) -> NDArray[Any]:
    """`value` as an array of any dtype; of objects if NumPy has no dtype for it."""
    if type(value) is np.ndarray:
        return value
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise TypeError(f"{name} has masked entries: leave them out, or fill them, first")
    try:
        array = np.asarray(value)
    except ValueError:
        raise ValueError(f"{name} is ragged: its rows have different lengths") from None
    except (TypeError, RuntimeError) as error:
        # an array on a GPU, or an object with an error of its own
        remedy = _to_host(value, name) if _is_on_device(value) else f"{name}: {error}"
        raise TypeError(remedy) from None
    if array.dtype.kind != "O" or isinstance(value, (list, tuple, np.ndarray, type)):
        return array
    return _exchanged(value, name, array)


def is_array(value: object) -> bool:
    """Whether an object is an array of NumPy or another library."""
    return any(hasattr(value, word) for word in ("__array__", "__dlpack__", "to_numpy"))


def _exchanged(value: Any, name: str, array: NDArray[Any]) -> NDArray[Any]:
    """Convert an object that NumPy does not know, by its library's own interface."""
    if array.ndim == 0 and _is_on_device(value):
        raise TypeError(_to_host(value, name))
    if array.ndim == 0 and hasattr(value, "__dlpack__"):
        return _of_dlpack(value, name)
    if not hasattr(value, "to_numpy"):
        return array
    if not hasattr(value, "isna"):
        try:
            return np.asarray(value.to_numpy())
        except (TypeError, ValueError):  # for example pyarrow's lists, which are objects
            return array
    return _of_pandas(value, array)


def _of_dlpack(value: Any, name: str) -> NDArray[Any]:
    try:
        return np.from_dlpack(value)
    except (AttributeError, BufferError, RuntimeError, TypeError) as error:
        raise TypeError(f"{name}: {error}") from None


def _of_pandas(value: Any, array: NDArray[Any]) -> NDArray[Any]:
    """Convert a pandas object with columns of Arrow's dtypes, or of dtypes for missing values."""
    of_columns = getattr(value, "dtypes", getattr(value, "dtype", None))
    dtypes: list[Any] = np.atleast_1d(np.asarray(of_columns, object)).tolist()
    plain = [getattr(dtype, "numpy_dtype", dtype) for dtype in dtypes]
    kinds = {getattr(dtype, "kind", "O") for dtype in plain}
    if not (kinds <= set(REAL) or kinds == {"b"}) or _misses(value):
        return array
    return np.asarray(value.to_numpy(dtype=np.result_type(*plain)))


def _misses(value: Any) -> bool:
    """Whether a column of pandas, polars or pyarrow has missing values."""
    if isinstance(value, type):
        return False
    if hasattr(value, "isna"):
        return bool(np.any(np.asarray(value.isna())))
    count = getattr(value, "null_count", 0)
    counts = np.asarray(count() if callable(count) else count)
    return counts.dtype.kind in WHOLE and bool(counts.any())


def _is_on_device(value: Any) -> bool:
    """Whether an array lies in memory that the host cannot read, such as that of a GPU."""
    if hasattr(value, "__cuda_array_interface__"):
        return True
    try:
        return value.__dlpack_device__()[0] not in HOST
    except (AttributeError, TypeError):
        return False


def _to_host(value: object, name: str) -> str:
    copies = [f"{name}.{word}()" for word in ("get", "cpu") if hasattr(value, word)]
    remedy = copies[0] if copies else "a copy in the memory of the host"
    return f"{name} is in the memory of a GPU: give {remedy}"


def _what(value: object, array: NDArray[Any]) -> str:
    """A description of what was given in place of numbers."""
    if value is None or (isinstance(value, str) and len(value) <= SHOWN_LENGTH):
        return f"is {value!r}"
    if _misses(value):
        return "has missing values"
    if array.dtype.kind == "O" and array.ndim == 0:
        return f"is {a_or_an(type(value).__name__)}"
    return f"has dtype {array.dtype}"


def doubles(value: object, name: str) -> NDArray[np.float64]:
    """`value` as a contiguous float64 array of any shape."""
    if type(value) is np.ndarray and value.dtype is FLOAT64:
        flags = value.flags
        if flags.c_contiguous and flags.aligned:
            return value
    array = read(value, name, REAL, "real numbers")
    # a long double beyond float64 becomes infinite, which the library reports
    with np.errstate(over="ignore"):
        return np.require(array, np.float64, ["C", "A"])


def points(value: object, name: str, dimensions: tuple[int, ...] = (3,)) -> NDArray[np.float64]:
    """`value` as (n, d) coordinates with d of `dimensions`; an empty list has no points."""
    array = doubles(value, name)
    if array.shape == (0,):
        return array.reshape(0, dimensions[0])
    if array.ndim == 2 and array.shape[1] in dimensions:
        return array
    shapes = " or ".join(f"(n, {d})" for d in dimensions)
    raise ValueError(f"{name} has shape {array.shape}, but must be {shapes}{_points_remedy(array)}")


def points_each(
    value: object,
    name: str,
    count: int,
    item: str,
    items: str | None = None,
    dimensions: tuple[int, ...] = (3,),
) -> NDArray[np.float64]:
    """`value` as coordinates, with a row for each of `count` items."""
    array = points(value, name, dimensions)
    if len(array) != count:
        there = there_are(count, item, items)
        raise ValueError(f"{name} has {counted(len(array), 'row')}, but {there}")
    return array


def shaped(array: NDArray[S], name: str, shape: tuple[int, ...]) -> NDArray[S]:
    """The array, which must have exactly this shape."""
    if array.shape != shape:
        raise ValueError(f"{name} has shape {array.shape}, but must be {shape}")
    return array


def _points_remedy(array: NDArray[Any]) -> str:
    if array.shape == (3,):
        return ": give one point as [[x, y, z]]"
    if array.ndim != 2:
        return ""
    if array.shape[1] == 2:
        return ": points in the plane need z = 0 as a third column"
    if array.shape[1] == 4 and array.shape[0] != 3:
        return ": give its first three columns, if these are x, y and z"
    return ": give its transpose" if array.shape[0] == 3 else ""


def lengths(
    value: object, name: str, count: int, item: str, items: str | None = None
) -> NDArray[np.float64]:
    """`value`, a number or one for each of `count` items, as (count,)."""
    if type(value) is float:
        return _repeated(value, count)
    array = doubles(value, name)
    if array.ndim == 0:
        return _repeated(float(array), count)
    if array.ndim != 1:
        raise ValueError(
            f"{name} has shape {array.shape}, but must be a number or ({count},):"
            f" give {name}.ravel()"
        )
    if len(array) != count:
        entries = counted(len(array), "entry", "entries")
        raise ValueError(f"{name} has {entries}, but {there_are(count, item, items)}")
    return array


def counted(count: int, one: str, several: str | None = None, style: str = "") -> str:
    """A count and its noun, as in "1 mesh" and "2 meshes"; `style` formats the number."""
    return f"{count:{style}} {one if count == 1 else several or one + 's'}"


def a_or_an(noun: str) -> str:
    """A noun with its article: "a Mesh", "an ndarray"."""
    return f"{'an' if noun.lower().startswith((*'aeio', 'nd')) else 'a'} {noun}"


def there_are(count: int, one: str, several: str | None = None) -> str:
    """A count with its verb: "there is 1 mesh", "there are 2 meshes"."""
    return f"there {'is' if count == 1 else 'are'} {counted(count, one, several)}"


def _repeated(number: float, count: int) -> NDArray[np.float64]:
    # takes a third of the time of np.full
    array = np.empty(count)
    array.fill(number)
    return array


def indices(value: object, name: str) -> NDArray[np.intp]:
    """`value` as a contiguous intp array of any shape; an empty one may have a float dtype."""
    array = read(value, name, WHOLE, "integers")
    if array.size and array.dtype.kind == "u" and array.max() > np.iinfo(np.intp).max:
        raise ValueError(f"{name} holds {array.max()}, but indices must be less than 2^63")
    return np.require(array, np.intp, ["C", "A"])


def number(value: object, name: str) -> float:
    """`value` as one real number."""
    if type(value) is float:
        return value
    array = doubles(value, name)
    if array.ndim:
        raise ValueError(f"{name} has shape {array.shape}, but must be one number")
    return float(array)


def distance(value: object, name: str) -> float:
    """`value` as a distance, which may be 0."""
    found = number(value, name)
    return _sound(found, name, 0.0 <= found < np.inf, "a finite distance, or 0")


def positive(value: object, name: str) -> float:
    """`value` as one number above 0."""
    found = number(value, name)
    return _sound(found, name, 0.0 < found < np.inf, "positive and finite")


def not_negative(value: object, name: str) -> float:
    """`value` as one number that is 0 or above."""
    found = number(value, name)
    return _sound(found, name, 0.0 <= found < np.inf, "0 or positive, and finite")


def finite(value: object, name: str) -> float:
    """`value` as one finite number."""
    found = number(value, name)
    return _sound(found, name, bool(np.isfinite(found)), "finite")


def _sound(found: float, name: str, is_sound: bool, wanted: str) -> float:
    if not is_sound:
        raise ValueError(f"{name} is {found}, but must be {wanted}")
    return found


def vector(value: object, name: str) -> tuple[float, float, float]:
    """`value` as three finite numbers."""
    array = shaped(doubles(value, name), name, (3,))
    if not np.isfinite(array).all():
        axis = int(np.argmin(np.isfinite(array)))
        raise ValueError(f"{name}[{axis}] is {array[axis]}, but must be finite")
    x, y, z = array.tolist()
    return x, y, z


def all_finite(array: NDArray[Any], name: str) -> None:
    """Raise a ValueError for the first entry that is not finite."""
    wrong = np.argwhere(~np.isfinite(array))
    if len(wrong):
        place = tuple(wrong[0].tolist())
        index = ", ".join(map(str, place))
        raise ValueError(f"{name}[{index}] is {array[place]}, but must be finite")


def box(value: object, name: str) -> Box:
    """`value` as the two corners of a box that is not empty."""
    array = doubles(value, name)
    if array.shape != (2, 3):
        raise ValueError(f"{name} has shape {array.shape}, but must be (2, 3): two corners")
    low, high = (vector(corner, f"{name}[{k}]") for k, corner in enumerate(array))
    for axis, along in enumerate("xyz"):
        if not low[axis] < high[axis]:
            raise ValueError(
                f"{name} goes from {low[axis]:g} to {high[axis]:g} along {along}: the second corner"
                " must be above the first"
            )
    return low, high


def whole(value: object, name: str) -> int:
    """`value` as an int."""
    if isinstance(value, (bool, np.bool_)):
        raise TypeError(f"{name} is {value}, but must be an integer")
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} is {value!r}, but must be an integer") from None


def number_of(value: object, name: str, count: int, item: str, items: str | None = None) -> int:
    """`value` as the number of one of `count` items."""
    found = whole(value, name)
    if not 0 <= found < count:
        raise IndexError(f"there is no {item} {found}: {there_are(count, item, items)}, from 0")
    return found


def choice(value: object, name: str, choices: Mapping[Any, T]) -> T:
    """The value of a word in `choices`."""
    if isinstance(value, str) and value in choices:
        return choices[value]
    words = " or ".join(repr(word) for word in choices)
    error = ValueError if isinstance(value, str) else TypeError
    raise error(f"{name} is {value!r}, but must be {words}")
