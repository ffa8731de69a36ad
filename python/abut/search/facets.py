"""Facets, which are converted from all forms of input to two arrays, `indices` and `offsets`."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from typing import Any, Generic, NamedTuple, Self, TypeAlias, TypeVar, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.arrays import Doubles, Indices

Corners: TypeAlias = tuple[NDArray[np.intp], NDArray[np.intp]]
FacetsLike: TypeAlias = ArrayLike | Sequence[ArrayLike] | tuple[ArrayLike, ArrayLike]

FORMS = "an (m, k) integer array, a list of index sequences, or the tuple (indices, offsets)"


class Facets(NamedTuple):
    """The facets of a mesh, in the form that all readers of meshes return.

    Attributes
    ----------
    vertices : ndarray (v, 3) of float64
    indices : ndarray (k,) of intp
        The facets' corners, one facet after the other.
    offsets : ndarray (m + 1,) of intp
        Facet f has the corners ``indices[offsets[f]:offsets[f + 1]]``.
    units : ndarray (v, 3) of float64 or None
        The unit of each coordinate's last written digit; None if float32 or float64 determines it.
    source : ndarray (m,) of intp or None
        The number in the input of each facet, or of its cell; None if the numbers are the same.
    vertex_source : ndarray (vertices of the input,) of intp or None
        The number in `vertices` of each vertex of the input; None if the numbers are the same.
    """

    vertices: np.ndarray
    indices: np.ndarray
    offsets: np.ndarray
    units: np.ndarray | None = None
    source: np.ndarray | None = None
    vertex_source: np.ndarray | None = None


def read_facets(facets: object) -> Corners:
    """Convert `facets` in any form to contiguous intp arrays; vertex numbers are not checked."""
    if isinstance(facets, tuple) and len(facets) == 2:
        return _read_pair(*facets)
    if isinstance(facets, (list, tuple)) and _is_ragged(facets):
        return _read_ragged(facets)
    array = checks.indices(facets, "facets")
    if array.ndim == 2:
        return _read_rows(array)
    if array.size == 0:
        return array.ravel(), np.zeros(1, np.intp)
    raise ValueError(f"facets has shape {array.shape}, but must be {FORMS}{_remedy(array)}")


def regular(facet_count: int, corner_count: int) -> NDArray[np.intp]:
    """Return the offsets of facets that all have the same number of corners."""
    return np.arange(facet_count + 1, dtype=np.intp) * corner_count


def vtk_cells(indices: NDArray[np.intp], offsets: NDArray[np.intp]) -> NDArray[np.intp]:
    """Convert facets to the flat list of VTK and pyvista: count, corner, corner, ..., count, ..."""
    return np.insert(indices, offsets[:-1], np.diff(offsets))


def _remedy(array: NDArray[np.intp]) -> str:
    if array.ndim == 1 and array[0] in (3, 4) and len(array) > array[0]:
        return (
            ": a flat VTK array, [3, a, b, c, 4, ...], is not read;"
            " use Mesh.from_any with the pyvista mesh"
        )
    return ": give one facet as [[a, b, c]]" if array.ndim == 1 else ""


def _read_pair(indices: object, offsets: object) -> Corners:
    pair = checks.indices(indices, "facets[0]"), checks.indices(offsets, "facets[1]")
    for array, name in zip(pair, ("indices", "offsets"), strict=True):
        if array.ndim != 1:
            raise ValueError(
                f"facets is a tuple of two, (indices, offsets), and its {name} have shape"
                f" {array.shape}, but must be one-dimensional: give two facets as a list"
            )
    if len(pair[1]) == 0:
        raise ValueError("facets is (indices, offsets) and its offsets are empty: begin with 0")
    return pair


def _is_ragged(facets: Sequence[Any]) -> bool:
    try:
        return len({len(facet) for facet in facets}) > 1
    except TypeError:
        # Some items have no length, which is an error that NumPy raises later.
        return any(hasattr(facet, "__len__") for facet in facets)


def _read_ragged(facets: Sequence[Any]) -> Corners:
    for i, facet in enumerate(facets):
        if not hasattr(facet, "__len__"):
            raise TypeError(f"facets[{i}] is {facet!r}, but must be a sequence of vertex numbers")
    counts = np.fromiter(map(len, facets), np.intp, len(facets))
    indices = checks.indices(list(chain.from_iterable(facets)), "facets")
    if indices.ndim != 1:
        raise ValueError(f"facets is nested too deeply, but must be {FORMS}")
    return indices, np.concatenate([[0], np.cumsum(counts)])


def _read_rows(array: NDArray[np.intp]) -> Corners:
    padded = np.flatnonzero((array[:, 3:] == -1).any(axis=1))
    if len(padded):
        raise ValueError(
            f"facets[{padded[0]}] has a corner -1: padding is not read;"
            " give a list, [row[row >= 0] for row in facets]"
        )
    facet_count, corner_count = array.shape
    return array.ravel(), regular(facet_count, corner_count)


T = TypeVar("T")


# A read-only attribute that returns the attribute of the same name of the extension's object. It
# has no docstring, since `help` would show it for each attribute.
class Held(Generic[T]):
    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, holder: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(self, holder: Faceted, owner: type | None = None) -> T: ...

    def __get__(self, holder: Faceted | None, owner: type | None = None) -> Any:
        return self if holder is None else getattr(holder._core, self._name)


class Faceted:
    """An immutable object with facets: the base of `Mesh` and `ConvexShape`."""

    __slots__ = ("__weakref__", "_core", "_source")

    _core: Any  # the extension's object, which holds the arrays
    _source: Indices

    vertices = Held[Doubles]()
    indices = Held[Indices]()
    offsets = Held[Indices]()
    normals = Held[Doubles]()

    @property
    def source(self) -> Indices:
        return self._source

    def scaled(self, s: float) -> Self:
        """Return a copy with another size, or in another unit of length.

        Parameters
        ----------
        s : float
            Positive; coordinates, noise and radius are multiplied by it.

        Returns
        -------
        Mesh or ConvexShape
            With the same `source`, and for a mesh the same `vertex_source`. Facets of a mesh that
            lose their area by rounding are dropped with a `MeshWarning`.

        Raises
        ------
        ValueError
            If `s` is not positive and finite.

        See Also
        --------
        ConvexFinder : Its `scales` give bodies different sizes with one shape.

        Examples
        --------
        >>> import abut
        >>> millimeters = abut.Mesh([[0, 0, 0], [10, 0, 0], [0, 10, 0]], [[0, 1, 2]])
        >>> millimeters.scaled(1e-3).bounds[1]
        array([0.01, 0.01, 0.  ])
        >>> square = abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]])
        >>> square.scaled(3).volume
        9.0
        """
        return self._scaled(checks.positive(s, "s"))

    def _scaled(self, factor: float) -> Self:
        raise NotImplementedError

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self
