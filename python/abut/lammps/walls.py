"""Walls that LAMMPS' spheres touch."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from types import TracebackType
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import checks
from ..base.arithmetic import lengths
from ..base.arrays import Doubles, Indices
from ..base.warnings import MeshWarning, SimulationWarning, warn
from ..laws.law_table import Law
from ..laws.materials import Material
from ..results.contacts import Contacts
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from ..search.units import scales_apart
from ..simulation import walls as known
from ..simulation.wall_checks import check_half_space
from ..simulation.wall_entries import WallEntry
from ..simulation.watch import LONGEST, too_long
from .arguments import (
    each,
    is_list,
    read_laws,
    read_motions,
    read_name,
    read_slots,
    read_steps,
    read_surfaces,
)
from .connection import HELD, Connection, drop
from .engine import (
    MPI,
    LocalError,
    aborting,
    check_settings,
    check_style,
    communicator,
    group_bit,
    period,
    period_of,
    read_lammps,
    traits,
)

if TYPE_CHECKING:
    from ..options import WallResolution


class Walls(Connection):
    """Walls that LAMMPS' spheres touch.

    Each step of LAMMPS finds the contacts of spheres with walls, and adds the forces and torques of
    a law to those of LAMMPS' pairs. Each process handles its own spheres. The contact history moves
    with the spheres from process to process, and is in restart files; data files of ``write_data``
    do not have it. The force of walls on each sphere is the same to the bit for any number of
    processes. The last bits of LAMMPS' own forces between spheres may depend on that number.

    Parameters
    ----------
    lmp : lammps.lammps
        LAMMPS with a box, spheres (``atom_style sphere`` or another one with radius, rmass, omega
        and torque) and units in which force is mass times acceleration: si, cgs, lj, micro or nano.
        All arguments are in these units.
    meshes : Mesh, HalfSpace, or whatever `Mesh.from_any` takes, or a list or tuple of these
        The walls in their places at the start. Spheres touch both sides of a mesh. Along periodic
        axes of LAMMPS' box the walls are repeated with it.
    law : Hertz, Linear or Luding
        Law of spheres with the walls.
    grain : Material
        Material of the spheres. Its moduli are used; masses are LAMMPS' own.
    wall : Material, or a list with one for each wall, optional
        Material of all walls, or an item for each; None is rigid, ``Material()``.
    motion : Rotating, Translating, Oscillating, Motions or callable, or a list of these, optional
        Motion of a single wall, or a list with an item for each; None: the wall stands still. Axes
        and origins are in the world. A callable takes the time and returns a pose (4, 4) and a
        twist (6,), as for `abut.Wall`.
    group : str, default "all"
        Group of LAMMPS; only its spheres touch the walls.
    slots : int, default 8
        Largest number of contacts of a sphere with walls; more end the run with an error.
        Each slot takes 136 bytes per sphere.
    resolution : {"hierarchy", "sharing"}
        How the facets that a sphere touches become its contacts, as for `ContactFinder.find`. Use
        ``"sharing"`` for a drum or a pipe, where a sphere touches several facets at once.
    name : str, default "abut"
        Letters, digits and underscores. LAMMPS gets a fix of this name, and one with ``_history``
        added. Several `Walls` at once need different names.
    start : float, default 0
        LAMMPS' time at which the motions begin.

    Attributes
    ----------
    meshes : tuple of Mesh or HalfSpace
    name : str
    motion : as the parameter, but a tuple for a list
        How the walls move. A motion that is assigned begins now, at the wall's current place, as
        for `abut.Wall`. In a list, motions that a wall has already continue. All processes must
        assign it. A restart file has no motion: to continue from one, give a callable that covers
        all motions.
    contacts : Contacts
        Contacts of this process's spheres with the walls in the last step. A further column,
        `force`, has the force on the sphere. `sphere` is a row in the order of `ids`. Columns are
        read-only.
    ids : (n,) ndarray of intp
        LAMMPS' ids of this process's spheres in the last step.
    poses : (w, 4, 4) ndarray of float64
        Poses of the walls in the last step.
    force : (w, 3) ndarray of float64
        Force of all spheres of all processes on each wall, in the last step.
    torque : (w, 3) ndarray of float64
        Torque of these forces, about the origin that `abut.Wall` uses.
    power : (w,) ndarray of float64
        Power of these forces on the moving walls.
    nodal_forces : list of (v, 3) ndarray of float64
        Force of spheres at each vertex of each mesh, by the contacts' nodal weights; for a half
        space (1, 3), at its point.

    Raises
    ------
    ImportError
        If the module is imported without LAMMPS, mpi4py or MPICH (extra ``lammps``).
    ValueError
        If LAMMPS is not ready, or has settings that walls do not support; if the law does not fit
        the materials, lists have different lengths, or a value is wrong.
    TypeError
        If an argument is of another type.
    RuntimeError
        If LAMMPS is closed, or the processes are not connected, because mpiexec belongs to another
        MPI.

    Warns
    -----
    MeshWarning
        If LAMMPS' box and the meshes differ in size by a factor of 300 or more, as if one were in
        meters and the other in millimeters.

    Notes
    -----
    For a single wall that is not in a list, `poses`, `force`, `torque`, `power` and `nodal_forces`
    have no first axis: (3,) in place of (w, 3). Each step sums `force`, `torque` and `power` over
    processes. LAMMPS has them as the vector of the fix, with 7 numbers for each wall:
    ``f_abut[1]`` to ``f_abut[3]`` are the first wall's force, then follow its torque and its power.
    So ``thermo_style custom`` prints them (in units lj per atom, unless ``thermo_modify norm no``
    is set), and ``fix ave/time`` averages them. `nodal_forces` are summed when they are read, so
    all processes must read them. The last bits of these sums depend on the number of processes.
    `contacts` and `ids` are those of this process.

    Time is LAMMPS' number of steps times their length, and walls are where their motion is at this
    time. So a run from a restart file has the same bits as one that was not interrupted. For that,
    make the same `Walls` after ``read_restart``. If ``unfix`` has removed only the fix of this
    name, the contact history continues in the next `Walls` of the name.

    `run` raises the error of a step: more contacts than slots, a sphere without a finite position,
    or an error of a callable. With several processes, the one with the error prints it and ends all
    by MPI's Abort. After ``lmp.command("run ...")``, the run ends early, LAMMPS makes no more
    steps, and the next access to the walls raises the error. In the failed step no wall exerted a
    force: `close` the walls, and continue from a restart file.

    LAMMPS' energies do not include the elastic energy of wall contacts, nor its pressure their
    forces. Do not use walls with ``minimize``, which has iterations in place of steps. The longest
    stable step is that of `abut.Simulation` for contacts with walls only: docs/dem.md has it.

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

    __slots__ = ()

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
        self._lmp = read_lammps(lmp)
        self._comm = communicator(lmp)
        self._name, self._group = read_name(lmp, name), group
        self._slots = read_slots(slots)
        self._is_single = isinstance(meshes, HalfSpace) or not is_list(meshes)
        self._warned_step = 0.0
        kept = checks.choice(resolution, "resolution", known.RESOLUTIONS)
        surfaces = read_surfaces(meshes, self._is_single, period(lmp))
        count = len(surfaces)
        walls = [wall] * count if isinstance(wall, Material) else wall
        is_one = self._is_single and not isinstance(wall, Material)
        self._laws, numbers = read_laws(law, grain, each(walls, "wall", count, is_one))
        motions = read_motions(each(motion, "motion", count, self._is_single))
        self._warn_of_units(surfaces)
        begin = checks.finite(start, "start")
        entries = [
            WallEntry(*parts, begin, np.eye(4))
            for parts in zip(surfaces, numbers, motions, strict=True)
        ]
        self._make_core(entries, kept)
        self._make_history()
        self._connect()

    def close(self) -> None:
        """Remove the walls, with their contact history.

        An error of a step that was not raised yet is dropped. LAMMPS can make steps again after an
        error; a ``timer timeout`` of your own is off then. Closing twice does no harm.

        Examples
        --------
        A lid that is used for a while:

        >>> with abut.lammps.Walls(lmp, lid, law, grain, name="lid") as walls:  # doctest: +SKIP
        ...     walls.run(10_000)
        """
        if self._lmp.lmp and HELD.get(self._key) is self._called:
            for fix in (self._name, f"{self._name}_history"):
                if self._lmp.has_id("fix", fix):
                    self._lmp.command(f"unfix {fix}")
            with suppress(BaseException):
                self._called.raise_error(self._lmp)
            if self._called.error is not None:
                # the callback's lammps_force_timeout would end all later runs
                self._lmp.command("timer timeout off")
        self._end.detach()
        drop(self._key, self._called)

    def __enter__(self) -> Walls:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            # LAMMPS' own run does not raise the error of a step
            if error is None and self._is_open():
                self._called.raise_error(self._lmp)
        finally:
            self.close()

    # ---- runs ----

    def run(
        self,
        steps: int,
        every: int | None = None,
        call: Callable[[int], object] | None = None,
        *,
        setup: bool = False,
    ) -> None:
        """Run LAMMPS, and raise the errors of its steps.

        Parameters
        ----------
        steps : int
            Number of steps; 0 only computes forces.
        every : int, optional
            Steps between two calls of `call`.
        call : callable, optional
            Takes the number of LAMMPS' step. It is called after each step with a multiple of
            `every` as its number, on all processes.
        setup : bool, default False
            Whether LAMMPS makes a full setup after each call, for example if `call` moves spheres.

        Raises
        ------
        ValueError, FloatingPointError
            The error of a step; the message names the sphere by LAMMPS' id.
        Exception
            What LAMMPS, `call` or a motion raises.
        KeyboardInterrupt
            On Ctrl-C; `run` continues from there.

        Warns
        -----
        SimulationWarning
            If LAMMPS' step is longer than 1.5 times the longest stable one of the walls' laws. This
            is checked when the run begins, after each call and at the end. Or if LAMMPS ends the
            run early (``timer timeout``, ``fix halt``). The first process gives the warning.

        Notes
        -----
        With `call`, LAMMPS makes one ``run`` after another, all but the first with ``pre no``:
        spheres move as they would without calls. LAMMPS makes a full setup after a call that has
        changed the number of atoms, the time step or the box, or has added or removed fixes,
        computes, groups, regions, dumps or variables. If `call` changes anything else but
        velocities, set `setup`. A setup sorts neighbors again, so that the last bits of pair forces
        differ. LAMMPS' table of ``thermo`` shows the progress.

        Examples
        --------
        >>> walls.run(100_000, 1_000, lambda step: print(step, walls.force))  # doctest: +SKIP
        """
        count, interval = read_steps(steps, every, call)
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
            # an error of a step may be the cause of LAMMPS' error
            self._check()
            if isinstance(error, LocalError) and self._comm.size > 1:
                # the other processes would wait for this one without end
                aborting(self._comm)(error)
            raise
        self._check()

    def _call(self, call: Callable[[int], object], step: int) -> bool:
        """Call the callable, and return whether LAMMPS must make a setup."""
        before = traits(self._lmp)
        call(step)
        self._check()
        if self._step() != step:
            raise RuntimeError(
                f"call has run LAMMPS from step {step} to step {self._step()}: it must not"
                " run steps"
            )
        return traits(self._lmp) != before

    def _check_lammps(self) -> None:
        """Check LAMMPS' settings again, which may have changed."""
        check_settings(self._lmp)
        check_style(self._lmp)
        for mesh in self.meshes:
            if isinstance(mesh, HalfSpace):
                check_half_space(mesh, period(self._lmp))

    def _warn_of_end(self, end: int) -> None:
        """Warn that LAMMPS ended the run before this step."""
        for (handle, _), called in HELD.items():
            if handle == self._key[0]:
                called.raise_error(self._lmp)
        self._warn(
            f"LAMMPS ended the run after step {self._step()}, before step {end}. Its log names the"
            " fix halt or the timer that did"
        )

    def _warn_of_units(self, surfaces: list[Mesh | HalfSpace]) -> None:
        box = np.array([self._lmp.extract_global(word) for word in ("boxlo", "boxhi")])
        meshes = [one for one in surfaces if isinstance(one, Mesh)]
        found = scales_apart(meshes, box, "LAMMPS' box")
        if found:
            self._warn(found, MeshWarning)

    def _free_step(self) -> float:
        """The longest stable step of this process's spheres without contacts, if they had one."""
        lmp, core = self._lmp, self._core
        names = ("id", "mask", "radius", "rmass", "v")
        count = lmp.extract_setting("nlocal")
        if not count:
            return math.inf
        ids, mask, radii, masses, velocities = (
            lmp.numpy.extract_atom(name)[:count] for name in names
        )
        touching = core.ids()[self._walls.contacts(None).sphere]
        free = ((mask & group_bit(lmp, self._group)) != 0) & ~np.isin(ids, touching)
        # no warnings here, because a step reports a wrong radius or mass
        with np.errstate(all="ignore"):
            speeds = lengths(velocities[free])
        return core.free_step(len(speeds), radii[free], masses[free], speeds)

    def _warn_of_step(self, free: float = math.inf) -> None:
        """Warn once if LAMMPS' step is too long for the walls' laws."""
        step = self._lmp.extract_global("dt")
        if step <= self._warned_step:
            return
        own = min(free, self._core.stable_step())
        stable = self._comm.allreduce(own, MPI.MIN)
        if step > LONGEST * stable:
            self._warned_step = step
            self._warn(f"{too_long(step, stable, 'timestep ')}. The walls' law sets this limit")

    def _warn(self, message: str, kind: type[Warning] = SimulationWarning) -> None:
        """Give a warning, which would be the same on all processes, on the first one only."""
        if self._comm.rank:
            return
        try:
            warn(message, kind)
        except kind as error:
            if self._comm.size > 1:
                # the other processes, where the warning is no error, would wait for this one
                aborting(self._comm)(error)
            raise

    def _step(self) -> int:
        return int(self._lmp.extract_global("ntimestep"))

    # ---- results ----

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
        motions = read_motions(each(motion, "motion", len(self.meshes), self._is_single))
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
        return self._walls.contacts(period_of(self._core.period))

    @property
    def ids(self) -> Indices:
        self._check()
        return self._core.ids()

    @property
    def poses(self) -> Doubles:
        self._check()
        return self._per_wall([self._walls.state(k).pose for k in self._numbers()])

    @property
    def force(self) -> Doubles:
        return self._per_wall(self._loads()[:, :3])

    @property
    def torque(self) -> Doubles:
        return self._per_wall(self._loads()[:, 3:6])

    @property
    def power(self) -> Any:
        return self._per_wall(self._loads()[:, 6])

    @property
    def nodal_forces(self) -> Any:
        contacts = self.contacts
        own = [self._walls.nodal_forces(k, contacts) for k in self._numbers()]
        found = [self._summed(forces) for forces in own]
        return found[0] if self._is_single else found

    def _numbers(self) -> range:
        return range(len(self._walls.entries))

    def _loads(self) -> Doubles:
        """Force, torque and power of each wall, summed over processes by the step."""
        self._check()
        return self._core.loads()

    def _summed(self, own: Doubles) -> Doubles:
        """The sum of an array over all processes."""
        total = np.zeros_like(own, dtype=np.float64)
        self._comm.Allreduce(own.astype(np.float64, copy=False), total)
        return total

    def _per_wall(self, values: Any) -> Any:
        """The values of all walls, or the value of a single wall."""
        return values[0] if self._is_single else np.array(values)

    def __reduce__(self) -> Any:
        raise TypeError("Walls cannot be pickled or copied: LAMMPS' restart files hold contacts")

    def __repr__(self) -> str:
        spaces = sum(isinstance(mesh, HalfSpace) for mesh in self.meshes)
        counts = [(len(self.meshes) - spaces, "mesh", "meshes"), (spaces, "half space", None)]
        shown = ", ".join(checks.counted(*count) for count in counts if count[0])
        return f"Walls({shown}; fix {self._name} of group {self._group})"
