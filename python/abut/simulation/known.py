"""What a simulation knows of what its library's side has."""

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
from .bodies import Numbers

if TYPE_CHECKING:
    from ..search.finder import ContactFinder
    from ..search.shape import ConvexShape
    from .schedule import Beat, Feed
    from .wall_entries import WallEntry

_P = ParamSpec("_P")
_T = TypeVar("_T")
_S = TypeVar("_S", bound="Locked")


class Locked(Protocol):
    """A simulation, or a part of one."""

    @property
    def _core(self) -> _core.Simulation: ...


OnLeave = Literal["remove", "raise", "warn"]


class Bounds(NamedTuple):
    """Beyond which nobody is to be; None: everywhere is within."""

    corners: tuple[tuple[float, ...], ...] | None = None
    on_leave: OnLeave = "raise"
    left: int = 0  # those who left before these bounds, or were removed


class Known(NamedTuple):
    """Exchanged whole, by the very call that changes the library's side: whatever comes between two
    lines of Python, Ctrl-C or another thread, both sides agree.

    What is in it does not change. The library may have materials and shapes that are not in it yet:
    nothing has them.
    """

    beats: tuple[Beat, ...]  # the last one is that of now
    gravity: Doubles
    numbers: Numbers = Numbers()
    laws: LawTable = LawTable()
    walls: tuple[WallEntry, ...] = ()
    finder: ContactFinder | None = None  # of the walls' meshes
    shapes: tuple[ConvexShape, ...] = ()
    feeds: tuple[Feed, ...] = ()
    bounds: Bounds = Bounds()


class Fresh(NamedTuple):
    """What was read of a simulation since it has changed so many times."""

    change_count: int
    values: dict[str, Any]


def changes(
    method: Callable[Concatenate[_S, _P], _T],
) -> Callable[Concatenate[_S, _P], _T]:
    """A method that changes a simulation, or tells all of it: meanwhile nobody else may."""

    @wraps(method)
    def alone(simulation: _S, /, *arguments: _P.args, **keywords: _P.kwargs) -> _T:
        with simulation._core.lock(False):
            return method(simulation, *arguments, **keywords)

    return alone
