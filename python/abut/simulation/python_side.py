"""The Python side's record of a simulation, and the lock of methods that change it."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import (
    TYPE_CHECKING,
    Any,
    Concatenate,
    Literal,
    NamedTuple,
    ParamSpec,
    Protocol,
    TypeVar,
)

from .. import _core
from ..base.arrays import Doubles
from ..laws.law_table import LawTable
from .column_input import Numbers

if TYPE_CHECKING:
    from ..search.finder import ContactFinder
    from ..search.shape import ConvexShape
    from .cell_stress import Held
    from .schedule import Beat, Feed
    from .wall_entries import WallEntry

_P = ParamSpec("_P")
_T = TypeVar("_T")
_S = TypeVar("_S", bound="Locked")


class Locked(Protocol):
    """A simulation or a `Part` of a simulation, both with the lock in `_core`."""

    @property
    def _core(self) -> _core.Simulation: ...


OnLeave = Literal["remove", "raise", "warn"]


class Bounds(NamedTuple):
    """Bounds of a simulation; `corners` is None if there are none."""

    corners: tuple[tuple[float, ...], ...] | None = None
    on_leave: OnLeave = "raise"
    left: int = 0  # number of particles that left earlier bounds, or were removed


class Known(NamedTuple):
    """The Python side of a simulation, replaced as a whole by the call that changes the C side.

    So both sides agree even if Ctrl-C or another thread interrupts between two lines of Python. It
    is immutable. The C side may have more materials and shapes, which nothing uses.
    """

    beats: tuple[Beat, ...]  # the last one is the current one
    gravity: Doubles
    numbers: Numbers = Numbers()
    laws: LawTable = LawTable()
    walls: tuple[WallEntry, ...] = ()
    finder: ContactFinder | None = None  # of the walls' meshes
    shapes: tuple[ConvexShape, ...] = ()
    feeds: tuple[Feed, ...] = ()
    bounds: Bounds = Bounds()
    held: Held | None = None  # a callable that returns targets of the cell's stress


class Fresh(NamedTuple):
    """Cached values by name, which are valid until the `change_count` of a simulation grows."""

    change_count: int
    values: dict[str, Any]


def changes(
    method: Callable[Concatenate[_S, _P], _T],
) -> Callable[Concatenate[_S, _P], _T]:
    """Run a method that changes a simulation, or reads all of it, with the simulation's lock."""

    @wraps(method)
    def alone(simulation: _S, /, *arguments: _P.args, **keywords: _P.kwargs) -> _T:
        with simulation._core.lock(False):
            return method(simulation, *arguments, **keywords)

    return alone
