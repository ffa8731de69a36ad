"""The connection of `Walls` to LAMMPS: callback, per-atom history, and lifetime."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .. import _core
from ..base.simd import level
from ..laws.law_table import LawTable
from ..search.mesh import Mesh
from ..simulation import walls as known
from ..simulation.coupled_walls import CoupledWalls
from .engine import MPI, aborting, adding, address, group_bit

# how many numbers of each wall are in the vector of the fix: force, torque and power
_LOADS = 7

# functions of LAMMPS' library that the callback calls
_CALLED = ("extract_atom", "extract_global", "force_timeout", "fix_external_set_vector")

# code with which lammps_extract_atom_size returns the number of columns
_COLUMNS = 5

# type of lammps_set_fix_external_callback; LAMMPS' own prototype takes Python functions only
_SET_CALLBACK = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p
)


class _Called:
    """The objects that LAMMPS' callback needs, and the error of a step that ended the run."""

    def __init__(self, walls: CoupledWalls, core: _core.Coupling) -> None:
        self.walls, self.core = walls, core
        self.error: BaseException | None = None

    def raise_error(self, lmp: Any) -> None:
        """Raise the error of a failed step, if it was not raised yet."""
        try:
            self.core.raise_error()
        except KeyboardInterrupt:
            # Ctrl-C ended LAMMPS' run after a whole step, and would end all later ones
            lmp.command("timer timeout off")
            raise
        except BaseException as error:
            self.error = error
            raise


# The objects that callbacks need, by the address of LAMMPS' handle and the name of the fix. They
# live as long as LAMMPS may call the callback, even without its Walls.
_Key = tuple[int, str]
HELD: dict[_Key, _Called] = {}


class Connection:
    """The base of `Walls`: the callback, the contact history in LAMMPS, and whether both exist."""

    # a misspelled attribute is an error
    __slots__ = (
        "__weakref__", "_called", "_comm", "_core", "_end", "_group", "_is_single", "_key",
        "_laws", "_lmp", "_name", "_slots", "_walls", "_warned_step",
    )  # fmt: skip
    if TYPE_CHECKING:
        _lmp: Any
        _comm: Any
        _name: str
        _group: str
        _slots: int
        _is_single: bool
        _warned_step: float
        _laws: LawTable

    def _make_core(self, entries: list[known.WallEntry], resolution: int) -> None:
        """Make the C side of the coupling, with the callback that LAMMPS calls."""
        lmp, comm = self._lmp, self._comm
        level()  # raises a ValueError if the environment names an unknown level
        placing = _Placing()
        self._core = _core.Coupling(
            lmp.lmp.value,
            {word: address(lmp, f"lammps_{word}") for word in _CALLED},
            tuple(entry.mesh._core for entry in entries if isinstance(entry.mesh, Mesh)),
            len(self._laws.materials),
            self._laws.numbers(),
            known.wall_columns(entries),
            known.wall_order(entries),
            self._name,
            group_bit(lmp, self._group),
            lmp.extract_setting("tagint"),
            self._slots,
            resolution,
            placing,
            adding(comm) if comm.size > 1 else None,
            aborting(comm) if comm.size > 1 else None,
        )
        self._walls = CoupledWalls(self._core, lmp.extract_global("dt"), entries)
        self._called = _Called(self._walls, self._core)
        placing.walls = weakref.ref(self._walls)
        self._walls.check_given(self._core.now())

    def _make_history(self) -> None:
        """Add the per-atom columns that keep the contact history from step to step."""
        lmp, name, slots = self._lmp, self._name, self._slots
        columns = {f"i2_{name}_keys": _core.SLOT_KEYS, f"d2_{name}_states": _core.SLOT_STATES}
        if slots > 1:
            columns[f"i2_{name}_more_keys"] = _core.SLOT_KEYS * (slots - 1)
            columns[f"d2_{name}_more_states"] = _core.SLOT_STATES * (slots - 1)
        if not lmp.has_id("fix", f"{name}_history"):
            words = " ".join(f"{column} {count}" for column, count in columns.items())
            # without "writedata no", read_data would need this fix; data files have no contacts
            lmp.command(
                f"fix {name}_history all property/atom i_{name}_count {words} ghost no writedata no"
            )
        if any(lmp.extract_atom_size(*item) != count for item, count in _sizes(columns)):
            raise ValueError(
                f"LAMMPS has a fix {name}_history with another number of slots than {slots}: give"
                " the slots of the Walls that made it, or another name=, or unfix it"
            )
        self._check_history()

    def _check_history(self) -> None:
        """Check that a restart file was written with the same number of slots.

        The number is stored with each atom's count of contacts, because LAMMPS reads columns of
        another length without an error.
        """
        counts = self._lmp.numpy.extract_atom(f"i_{self._name}_count")
        written = counts[: self._lmp.extract_setting("nlocal")] >> 16
        other = int(written[written != self._slots].max(initial=0))
        other = self._comm.allreduce(other, MPI.MAX)
        if other:
            self._lmp.command(f"unfix {self._name}_history")
            raise ValueError(
                f"the restart file has contacts with {other} slots, but slots is {self._slots}:"
                f" read the file again, and give slots={other}"
            )

    def _connect(self) -> None:
        """Make LAMMPS call the walls in each step."""
        lmp, name = self._lmp, self._name
        lmp.command(f"fix {name} {self._group} external pf/callback 1 1")
        lmp.fix_external_set_vector_length(name, _LOADS * len(self._walls.entries))
        self._hold()
        set_callback = _SET_CALLBACK(address(lmp, "lammps_set_fix_external_callback"))
        set_callback(lmp.lmp, name.encode(), self._core.callback, self._core.pointer)

    def _hold(self) -> None:
        """Keep the objects that the callback needs alive until LAMMPS or its fix ends."""
        self._key = self._lmp.lmp.value, self._name
        HELD[self._key] = self._called
        self._end = weakref.finalize(self._lmp, drop, self._key, self._called)
        self._end.atexit = False
        if not self._lmp.opened:
            # LAMMPS that Python did not open may outlive its Python object
            self._end.detach()

    def _is_open(self) -> bool:
        is_ours = bool(self._lmp.lmp) and HELD.get(self._key) is self._called
        return is_ours and self._lmp.has_id("fix", self._name)

    def _check(self) -> None:
        """Raise a RuntimeError if the walls were closed, or a step has failed."""
        if not self._lmp.lmp:
            raise RuntimeError("LAMMPS is closed, and its walls with it")
        if not self._is_open():
            raise RuntimeError(
                f"these walls are closed: close, or LAMMPS' unfix or clear, removed the fix"
                f" {self._name}"
            )
        if self._called.error is not None:
            raise RuntimeError(
                "these walls ended with an error: close them, and continue from a restart file"
            ) from self._called.error
        self._called.raise_error(self._lmp)


def _sizes(columns: dict[str, int]) -> list[tuple[tuple[str, int], int]]:
    return [((column, _COLUMNS), count) for column, count in columns.items()]


def drop(key: _Key, called: _Called) -> None:
    """Release the objects of a callback that LAMMPS does not call any more."""
    if HELD.get(key) is called:
        del HELD[key]


class _Placing:
    """A callable that places the walls that callables move, without keeping the walls alive."""

    def __init__(self) -> None:
        self.walls: Callable[[], CoupledWalls | None] = lambda: None

    def __call__(self, time: float) -> None:
        walls = self.walls()
        if walls is not None:
            walls.place_given(time)
