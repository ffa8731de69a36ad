"""Checks of arguments for finders of convex bodies and their queries."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base import checks
from ..base.arrays import Doubles, Indices
from ..base.orientations import read_turns
from ..base.periods import Period, read_period, repeats_alike, text_of, vectors_of
from ..base.simd import level
from ..results.convex_contacts import ConvexContacts
from ..results.entrances import Entrances
from ..results.pairs import Pairs
from .shape import ConvexShape

if TYPE_CHECKING:
    from ..options import Method, Minimum


METHODS: dict[Method, int] = {"slm": 0, "fcp": 1, "cp": 2, "fds": 3}
MINIMA: dict[Minimum, int] = {"tracked": 0, "global": 1}

# The first and the last angle by which method "cp" tilts the plane. In LMGC90 the last one is
# 0.1 degrees.
CP_ANGLES = (np.radians(5.0), np.radians(0.01))


class _Bodies(NamedTuple):
    """Shapes, and the shape's number and the scale of each body; `body_count`: None if unknown."""

    shapes: tuple[ConvexShape, ...]
    numbers: Indices | None
    scales: Doubles | float
    body_count: int | None


class Built(NamedTuple):
    """The extension's finder for a number of bodies."""

    body_count: int
    core: _core.ConvexFinder
    digest: int


class Input(NamedTuple):
    bodies: _Bodies
    options: tuple[int, float, float, float, int]

    def build(self, count: int) -> Built:
        shapes, numbers, scales, _ = self.bodies
        sizes = np.full(count, scales) if isinstance(scales, float) else scales
        core = _core.ConvexFinder(
            tuple(shape._core for shape in shapes), count, numbers, sizes, *self.options
        )
        all_numbers = np.zeros(count, np.intp) if numbers is None else numbers
        keys = [shape._key() for shape in shapes]
        return Built(count, core, digest_of(keys, all_numbers.tobytes(), sizes.tobytes()))


def digest_of(*parts: Any) -> int:
    """Return a hash of 63 bits, not 0, by which equal bodies or walls are recognized."""
    digest = hashlib.blake2b(digest_size=8)
    for part in parts:
        digest.update(part if isinstance(part, bytes) else repr(part).encode())
        # Without a separator, ("ab", "c") and ("a", "bc") would give the same bytes.
        digest.update(b";")
    return int.from_bytes(digest.digest(), "little") >> 1 | 1


def read_bodies(shapes: Any, shape: Any, scales: Any) -> _Bodies:
    all_shapes = read_shapes(shapes)
    numbers = read_shape_numbers(shape, len(all_shapes))
    sizes = checks.doubles(scales, "scales")
    count = None if numbers is None else len(numbers)
    if sizes.ndim == 0:
        return _Bodies(all_shapes, numbers, checks.positive(scales, "scales"), count)
    if count is None and sizes.ndim == 1:
        count = len(sizes)
    sizes = checks.lengths(sizes, "scales", count or 0, "body", "bodies").copy()
    sizes.flags.writeable = False
    return _Bodies(all_shapes, numbers, sizes, count)


def read_shapes(shapes: Any) -> tuple[ConvexShape, ...]:
    """Read one shape, or a sequence of shapes that is not empty."""
    if isinstance(shapes, ConvexShape):
        return (shapes,)
    if not isinstance(shapes, Iterable) or isinstance(shapes, (str, np.ndarray)):
        raise TypeError(
            f"shapes is {checks.a_or_an(type(shapes).__name__)}, but must be a ConvexShape or a"
            " sequence of these: ConvexShape(vertices) is the convex hull of points"
        )
    found = tuple(shapes)
    if not found:
        raise ValueError("the sequence of shapes is empty: give at least one")
    for k, one in enumerate(found):
        if not isinstance(one, ConvexShape):
            what = checks.a_or_an(type(one).__name__)
            raise TypeError(f"shapes[{k}] is {what}, but must be a ConvexShape")
    return found


def read_shape_numbers(shape: Any, shape_count: int) -> Indices | None:
    """Read the number of each body's shape; None if it is not given for a single shape."""
    if shape is None:
        if shape_count > 1:
            raise ValueError(
                f"there are {shape_count} shapes: give shape=, the number of each body's"
            )
        return None
    numbers = checks.indices(shape, "shape").copy()
    if numbers.ndim != 1:
        raise ValueError(f"shape has shape {numbers.shape}, but must be (n,)")
    numbers.flags.writeable = False
    return numbers


def read_cp_angles(cp_angles: Any) -> tuple[float, float]:
    if cp_angles is None:
        return CP_ANGLES
    angles = checks.doubles(cp_angles, "cp_angles")
    if angles.shape != (2,):
        raise ValueError(f"cp_angles has shape {angles.shape}, but must be (first, last)")
    first, last = angles.tolist()
    return first, last


def read_iterations(iterations: Any) -> int:
    count = checks.whole(iterations, "iterations")
    if not 1 <= count < 2**31:
        raise ValueError(f"iterations is {count}, but must be 1 or more")
    return count


# ---- arguments of queries ------------------------------------------------------------------------


class Placed(NamedTuple):
    """The positions and orientations of the bodies, and the period."""

    positions: Doubles
    turns: Doubles | None
    period: Period | None

    @property
    def body_count(self) -> int:
        return len(self.positions)

    @property
    def vectors(self) -> Doubles | None:
        return None if self.period is None else vectors_of(self.period)


def read_placed(
    positions: Any, orientations: Any, period: Any, dimension: int, count: int | None
) -> Placed:
    """Check positions and orientations; `count` is the required number of bodies, or None."""
    points = checks.points(positions, "positions", (dimension,))
    if count is not None:
        checks.points_each(points, "positions", count, "body", "bodies", (dimension,))
    level()  # raises an error if ABUT_SIMD is not an instruction level
    turns = read_turns(orientations, len(points), dimension)
    return Placed(points, turns, read_period(period, dimension))


def table(columns: dict[str, NDArray[Any]], placed: Placed, digest: int) -> ConvexContacts:
    settings = {"body_count": placed.body_count, "period": placed.period, "_bodies": digest}
    return ConvexContacts._build(columns, settings)


def read_gap(gap: Any) -> float:
    return 0.0 if gap is None else checks.number(gap, "gap")


def read_pairs(pairs: Any, body_count: int) -> tuple[Indices | None, Indices | None]:
    if pairs is None:
        return None, None
    if isinstance(pairs, (Pairs, ConvexContacts)):
        if pairs.j is None:
            raise ValueError("pairs has contacts with walls, but must have pairs of bodies")
        if isinstance(pairs, Pairs) and pairs.other_count is not None:
            raise ValueError("pairs is of spheres and others, but must have pairs of bodies")
        return checks.indices(pairs.i, "pairs.i"), checks.indices(pairs.j, "pairs.j")
    array = checks.indices(pairs, "pairs")
    if array.shape == (0,):
        array = array.reshape(0, 2)
    if array.ndim != 2 or array.shape[1] != 2:
        hint = ": give one pair as [[i, j]]" if array.shape == (2,) else ""
        raise ValueError(f"pairs has shape {array.shape}, but must be (m, 2){hint}")
    _check_numbers(array, body_count)
    return np.ascontiguousarray(array[:, 0]), np.ascontiguousarray(array[:, 1])


def _check_numbers(pairs: Indices, body_count: int) -> None:
    """Raise if a body does not exist. The message names `pairs`; the library's names i or j."""
    if pairs.size == 0 or (pairs.min() >= 0 and pairs.max() < body_count):
        return
    row, column = np.argwhere((pairs < 0) | (pairs >= body_count))[0]
    bodies = checks.there_are(body_count, "body", "bodies")
    raise ValueError(f"pairs[{row}, {column}] is {pairs[row, column]}, but {bodies}")


def read_before(before: Any, digest: int, placed: Placed, has_walls: bool) -> Any:
    """Check the table of the step before; return its columns for the library, or None."""
    if before is None:
        return None
    _check_before(before, ConvexContacts, digest)
    if (before.j is None) != has_walls:
        kinds = ("with walls", "of bodies") if before.j is None else ("of bodies", "with walls")
        raise ValueError(f"before has contacts {kinds[0]}, but must have contacts {kinds[1]}")
    if not repeats_alike(before.period, placed.period):
        was, is_now = text_of(before.period), text_of(placed.period)
        raise ValueError(f"before has the period {was}, but it is {is_now} now")
    image = None if before.period is None else checks.indices(before.image, "before.image")
    state = checks.doubles(before.state, "before.state")
    names = ("i", "mesh", "facet") if has_walls else ("i", "j")
    columns = [checks.indices(getattr(before, name), f"before.{name}") for name in names]
    return (*columns, state) if has_walls else (*columns, image, state)


def _check_before(before: Any, kind: type[Any], digest: int) -> None:
    if not isinstance(before, kind):
        what = checks.a_or_an(type(before).__name__)
        raise TypeError(
            f"before is {what}, but must be the result of the step before: {kind.__name__}"
        )
    if before._bodies != digest:
        raise ValueError(
            "before is of another finder: shapes, scales, walls or the number of bodies differ"
        )


def read_entrances(before: Any, pairs: Indices, digest: int) -> Any:
    if before is None:
        return None
    _check_before(before, Entrances, digest)
    if not np.array_equal(before.pairs, pairs):
        raise ValueError("before has entrances of other pairs")
    return (
        checks.indices(before.offsets, "before.offsets"),
        np.require(before.type, np.uint8, ["C", "A"]),
        checks.indices(before.feature, "before.feature"),
    )
