"""Reads and checks the arguments of `Walls`."""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _core
from ..base import checks
from ..base.periods import Period
from ..laws.compiled import CompiledLaw
from ..laws.law import LawFunction, OwnLaw
from ..laws.law_table import Law, LawTable
from ..laws.materials import Material
from ..laws.plain import Frictional, built_in_laws
from ..search.finder import is_one_mesh
from ..search.half_space import HalfSpace, Surface, read_surface
from ..simulation.drives import drive_of
from ..simulation.motions import Given, Motion, read_motion
from ..simulation.wall_checks import check_half_space

if TYPE_CHECKING:
    pass


# names that LAMMPS allows for fixes and per-atom arrays
_NAME = re.compile("[A-Za-z0-9_]+")


def read_name(lmp: Any, name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"name is {name!r}, but must be a str")
    if not _NAME.fullmatch(name):
        raise ValueError(f"name is {name!r}, but must be of letters, digits and underscores")
    if lmp.has_id("fix", name):
        raise ValueError(
            f"LAMMPS has a fix {name} already: close the Walls that made it, or give another name="
        )
    return name


def read_slots(slots: object) -> int:
    count = checks.whole(slots, "slots")
    if not 1 <= count <= _core.SLOT_LIMIT:
        raise ValueError(f"slots is {count}, but must be 1 to {_core.SLOT_LIMIT}")
    return count


def is_list(meshes: object) -> bool:
    return isinstance(meshes, list | tuple) and not is_one_mesh(meshes)


def read_surfaces(meshes: Any, is_single: bool, period: Period | None) -> list[Surface]:
    items = [meshes] if is_single else meshes
    if not items:
        raise ValueError("the list of meshes is empty: give at least one")
    surfaces = [_named(f"meshes[{k}]", read_surface, item) for k, item in enumerate(items)]
    for surface in surfaces:
        if isinstance(surface, HalfSpace):
            check_half_space(surface, period)
    return surfaces


def _named(name: str, read: Callable[[Any], Any], item: Any) -> Any:
    """Read an item; an error names it."""
    try:
        return read(item)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def each(value: Any, name: str, count: int, is_single: bool) -> list[Any]:
    """A list with an item for each wall, from one value or a list."""
    if value is None:
        return [None] * count
    is_list = isinstance(value, list | tuple)
    if is_single and not is_list:
        return [value]
    if is_single or not is_list:
        kind = checks.a_or_an(type(value).__name__)
        wanted = "one value" if is_single else "a list with an item for each mesh"
        raise TypeError(f"{name} is {kind}, but must be {wanted}, as meshes is")
    if len(value) != count:
        items = checks.counted(len(value), "item")
        raise ValueError(f"{name} has {items}, but {checks.there_are(count, 'mesh', 'meshes')}")
    return list(value)


def read_motions(motions: list[Any]) -> list[Motion | Given | None]:
    if len(motions) == 1:
        return [_read_motion(motions[0])]
    return [_named(f"motion[{k}]", _read_motion, item) for k, item in enumerate(motions)]


def _read_motion(value: Any) -> Motion | Given | None:
    drive = drive_of(value)
    if drive is not None:
        raise TypeError(
            f"motion is a {type(drive).__name__}, but walls of LAMMPS take prescribed motions only:"
            " use Rotating, Translating, Oscillating, Motions or a callable of the time"
        )
    return read_motion(value)


def read_laws(
    law: Law, grain: Material, walls: list[Material | None]
) -> tuple[LawTable, list[int]]:
    """The laws of the grain (material 0) with all walls, and the material number of each wall."""
    *others, last = built_in_laws()
    built_in = f"{', '.join(others)} or {last}"
    if isinstance(law, LawFunction | OwnLaw | CompiledLaw):
        raise ValueError(
            f"law is {law.name}, a law of your own, but walls of LAMMPS take {built_in}:"
            " LAMMPS' atoms have no room for the history of other laws"
        )
    if not isinstance(law, Frictional):
        kind = checks.a_or_an(type(law).__name__)
        raise TypeError(f"law is {kind}, but must be {built_in}")
    table = LawTable()
    table.number(grain, "grain")
    materials = [Material() if material is None else material for material in walls]
    numbers = [table.number(material, "wall") for material in materials]
    for material in materials:
        table.set(grain, material, law)
    return table, numbers


def read_steps(steps: object, every: object, call: object) -> tuple[int, int]:
    """The number of steps of a run, and that between two calls; unlimited without a call."""
    count = checks.whole(steps, "steps")
    if count < 0:
        raise ValueError(f"steps is {count}, but must be 0 or more")
    if every is None and call is None:
        return count, sys.maxsize
    if every is None or call is None:
        raise TypeError("every and call go together: give both, or none")
    if not callable(call):
        kind = checks.a_or_an(type(call).__name__)
        raise TypeError(f"call is {kind}, but must be a callable that takes the step's number")
    interval = checks.whole(every, "every")
    if interval < 1:
        raise ValueError(f"every is {interval}, but must be 1 or more")
    return count, interval
