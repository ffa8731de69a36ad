"""Simulations: spheres, clusters and convex bodies, by the discrete element method (DEM)."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base import checks, html
from ..base.arrays import Doubles, locked
from ..base.periods import text_of
from ..laws.law_table import Law
from ..laws.materials import Material
from ..results.bonds import Breakages
from ..results.contacts import Contacts
from ..results.pairs import Pairs
from ..search.shape import ConvexShape
from .body_contacts import BodyContacts
from .body_population import BodyPopulation
from .bond_population import BondPopulation
from .bounds import Leaving
from .cell import Cells, read_deformation
from .cell_contents import cell_of
from .cluster_population import ClusterPopulation
from .deforming import Structure
from .events import Events
from .measuring import Energy, Measures
from .naming import nearest_name, with_public_names
from .population import short_form
from .python_side import changes
from .running import Running
from .schedule import Beat
from .sphere_population import SpherePopulation
from .state import State, read_gravity
from .wall_population import WallPopulation

if TYPE_CHECKING:
    from ..options import SimulationPlotOptions


@with_public_names
class Simulation(State):
    """Spheres, clusters and convex bodies that move between walls, by the discrete element method.

    Each step finds all contacts, applies the contact laws, and integrates the equations of motion
    by central differences; docs/dem.md has the equations. Any consistent units can be used.

    Parameters
    ----------
    step : float
        Time step, positive. `stable_step` returns the longest stable one.
    gravity : (3,) array_like, default (0, 0, -9.81)
        Acceleration of gravity.
    period : sequence of 3 floats or None, or (3, 3) array_like, optional
        Lengths after which the world repeats along x, y and z; None for an axis that is not
        periodic. In a tilted cell, the vectors along which the world repeats, one in each row;
        zeros for a vector along which nothing repeats. Meshes need a period along the axes.
    resolution : {"hierarchy", "sharing"}
        How the facets that a sphere touches become its contacts: see `ContactFinder.find`.
    workers : int, optional
        Greatest number of threads: see `ContactFinder.find`. Results are the same to the bit for
        any number.

    Attributes
    ----------
    ids : (n,) ndarray of intp
        Lasting numbers of the spheres, as `add_spheres` returned them. All arrays of spheres are in
        this order, the order of addition.
    centers : (n, 3) ndarray of float64
        Current centers. Along a periodic axis, the center of a sphere is from 0 to the period; in a
        tilted cell, it is in the box that the vectors span from 0. For a cluster its center of mass
        is there, and members may be outside.
    radii, masses : (n,) ndarray of float64
        A member of a cluster has an equal part of the cluster's mass. Assigning radii does not
        change masses.
    velocities, angular_velocities : (n, 3) ndarray of float64
        Velocities half a step ago.
    material : (n,) ndarray of intp
        Indices into `materials`.
    fixed : (n,) ndarray of bool
        Which spheres are fixed (frozen). A fixed sphere does not move and has no velocity. Contact
        laws use an infinite mass for it, and `forces` has the force on it. Two fixed spheres exert
        nothing on each other, but a fixed sphere and a wall do. A whole mask can be assigned;
        members of a cluster need the same value. Bodies have ``bodies.fixed``.
    forces, torques : (n, 3) ndarray of float64
        Forces and torques of contacts, bonds and callables, without gravity, at the beginning of
        the last step.
    left : int
        Number of spheres, clusters and bodies that have left the bounds so far: see `set_bounds`.
    images : (n, 3) ndarray of intp
        By how many periods each sphere has left the periodic box: ``centers + images * period``,
        or ``centers + images @ period`` for a period with vectors, is its unwrapped position.
        Assign 0 to count anew from here, for displacements; nothing moves, and no energy changes.
    materials : tuple of Material
        Materials of all spheres, walls and laws; equal ones are listed once.
    time : float
        ``step_count * step``. If `step` was assigned at the time t after n steps, it is
        ``t + (step_count - n) * step``.
    step_count : int
    step : float
        The time step. It can be assigned, even in callables of `every`. Contacts keep their
        history, and a step that is too long gives a warning immediately.
    gravity : (3,) ndarray of float64, read-only
        It can be assigned as a whole.
    period : tuple of 3 (float or None), (3, 3) ndarray of float64, or None
        As it was given, or the vectors of `cell` after it has deformed.
    cell : (3, 3) ndarray of float64
        Current vectors of the period, one in each row, with zeros where the world does not repeat:
        an image of a sphere is at ``center + image @ cell``.
    velocity_gradient : (3, 3) ndarray of float64
        The rate at which the cell deforms, in 1/s: see `deform_cell`.
    deformation : (3, 3) ndarray of float64
        Deformation gradient of the cell since the start. Vectors of the cell are exchanged, so
        strain cannot be read from them. Assign 1 to count anew.
    resolution : str
    contacts : Contacts
        Contacts of spheres with walls at the beginning of the last step. A further column, `force`,
        has the force on the sphere. `sphere` is its row in `ids`. Columns are read-only.
    pairs : Pairs
        Pairs of touching spheres at the beginning of the last step; `force` is the force on i.
        Members of one cluster, or a sphere and its own image, exert nothing and are not listed.
    spheres, clusters, bodies, bonds, walls : populations
        The populations, which have the same interface: `numbers`, columns as attributes,
        ``assign(...)`` of several columns at once, ``add``, ``remove``, ``fixed``, ``add_force``,
        ``contacts`` and ``to_dict()``. Columns that `add` takes can be assigned as a whole. Spheres
        have the columns that are listed here. Clusters and bodies have `positions`, `orientations`,
        `velocities`, `angular_velocities`, `angular_momenta`, `masses`, `forces`, `torques` and
        `images`; bodies also `centers`, `shape`, `scales` and `material`. Bonds are a table
        `Bonds`, and walls a sequence of `Wall`, without removed ones.
    shapes : tuple of ConvexShape
        Shapes of the bodies.
    body_contacts, body_pairs, body_sphere_pairs : BodyContacts
        Contacts of bodies with walls, each other, and spheres at the beginning of the last step:
        `ConvexContacts` with two further columns. `force` is the force of each contact on body i,
        and `spot_force` that of each of its spots. `i` and `j` are rows of `bodies`; in
        `body_sphere_pairs`, j is a row of the spheres. `body_contacts` has no j, but ``mesh``, the
        wall's number. Columns are read-only.
    breakages : Breakages
        A table of the bonds that have broken: when, where and why.
    energy : Energy
        Energies at the beginning of the last step: a named tuple (kinetic, rotational,
        gravitational, elastic, dissipated, wall_work).

    Raises
    ------
    ValueError
        If `step` is not positive or not finite, or another argument is wrong.
    TypeError
        If an argument is of another type.

    Notes
    -----
    Arrays are read-only, and have the current state. The state of spheres (centers, radii, masses,
    velocities, angular_velocities, material) is assigned by whole columns:
    ``sim.velocities = sim.velocities * 0.5``. Places and velocities of the members of a cluster
    follow from the cluster, whatever is assigned: assign ``sim.clusters.velocities`` instead.

    A simulation is for one thread at a time. Another thread gets a RuntimeError if it changes the
    simulation during a run or another change, or reads it during a step. Callables that `run` calls
    may change the simulation, but not run it.

    If Ctrl-C interrupts a call, its change of the simulation is either complete or not made at all.
    The simulation can continue.

    Examples
    --------
    A ball that falls on a floor, bounces and comes to rest there:

    >>> import abut
    >>> rubber = abut.Material(density=1000, young=1e6, poisson=0.4)
    >>> sim = abut.Simulation(step=1e-4)
    >>> floor = abut.Mesh([[-1, -1, 0], [1, -1, 0], [1, 1, 0], [-1, 1, 0]], [[0, 1, 2, 3]])
    >>> sim.set_law(rubber, abut.Material(), abut.Hertz(friction=0.5, restitution=0.5))
    >>> wall = sim.add_wall(floor)
    >>> sim.add_spheres([[0, 0, 0.2]], 0.1, rubber)
    array([0])
    >>> sim.run(2.0)
    >>> sim
    Simulation(1 sphere, 1 wall; 20000 steps, time 2)
    >>> sim.centers.round(3), wall.force.round(2)
    (array([[0.   , 0.   , 0.098]]), array([  0.  ,   0.  , -41.09]))
    """

    if not TYPE_CHECKING:  # else type checkers would accept any name

        def __setattr__(self, name: str, value: object) -> None:
            """Reject unknown names, because a misspelled one would have no effect."""
            if not (name.startswith("_") or hasattr(type(self), name)):
                public = [word for word in dir(type(self)) if not word.startswith("_")]
                meant = nearest_name(name, public)
                hint = f": did you mean {meant!r}?" if meant else ""
                raise AttributeError(f"a Simulation has no attribute {name!r}{hint}")
            super().__setattr__(name, value)

    # ---- parts, and their methods as short forms ----

    @property
    def spheres(self) -> SpherePopulation:
        return SpherePopulation(self)

    @property
    def clusters(self) -> ClusterPopulation:
        return ClusterPopulation(self)

    @clusters.setter
    def clusters(self, columns: Any) -> None:
        self.clusters.assign(**columns)

    @property
    def bodies(self) -> BodyPopulation:
        return BodyPopulation(self)

    @bodies.setter
    def bodies(self, columns: Any) -> None:
        self.bodies.assign(**columns)

    @property
    def bonds(self) -> BondPopulation:
        return BondPopulation(self)

    @property
    def walls(self) -> WallPopulation:
        return WallPopulation(self)

    @property
    def _events(self) -> Events:
        return Events(self)

    @property
    def _leaving(self) -> Leaving:
        return Leaving(self)

    @property
    def _cells(self) -> Cells:
        return Cells(self)

    @property
    def _measures(self) -> Measures:
        return Measures(self)

    @property
    def _running(self) -> Running:
        return Running(self)

    centers = SpherePopulation.centers
    radii = SpherePopulation.radii
    masses = SpherePopulation.masses
    velocities = SpherePopulation.velocities
    angular_velocities = SpherePopulation.angular_velocities
    material = SpherePopulation.material
    fixed = SpherePopulation.fixed
    forces = SpherePopulation.forces
    torques = SpherePopulation.torques
    images = SpherePopulation.images

    add_spheres = short_form(SpherePopulation, SpherePopulation.add)
    remove_spheres = short_form(SpherePopulation, SpherePopulation.remove)
    add_force = short_form(SpherePopulation, SpherePopulation.add_force)
    add_clusters = short_form(ClusterPopulation, ClusterPopulation.add)
    remove_clusters = short_form(ClusterPopulation, ClusterPopulation.remove)
    add_bodies = short_form(BodyPopulation, BodyPopulation.add)
    remove_bodies = short_form(BodyPopulation, BodyPopulation.remove)
    add_body_force = short_form(BodyPopulation, BodyPopulation.add_force)
    bond = short_form(BondPopulation, BondPopulation.add)
    add_wall = short_form(WallPopulation, WallPopulation.add)
    remove_wall = short_form(WallPopulation, WallPopulation.remove)
    every = short_form(Events, Events.every)
    record = short_form(Events, Events.record)
    add_insertion = short_form(Events, Events.add_insertion)
    set_bounds = short_form(Leaving, Leaving.set_bounds)
    deform_cell = short_form(Cells, Cells.deform_cell)
    run = short_form(Running, Running.run)
    stop = short_form(Running, Running.stop)
    stable_step = short_form(Running, Running.stable_step)
    statistics = short_form(Running, Running.statistics)
    stress = short_form(Measures, Measures.stress)
    coordination = short_form(Measures, Measures.coordination)
    unbalanced_force = short_form(Measures, Measures.unbalanced_force)

    @property
    def shapes(self) -> tuple[ConvexShape, ...]:
        return self._known.shapes

    @property
    def left(self) -> int:
        return self._leaving.left

    # ---- results of the last step ----

    @property
    def contacts(self) -> Contacts:
        return self._once("contacts", self._measures.contacts)

    @property
    def pairs(self) -> Pairs:
        return self._once("pairs", self._measures.pairs)

    @property
    def body_contacts(self) -> BodyContacts:
        return self._once("body_contacts", lambda: self._measures.of_bodies(_core.BODY_WALL))

    @property
    def body_pairs(self) -> BodyContacts:
        return self._once("body_pairs", lambda: self._measures.of_bodies(_core.BODY_BODY))

    @property
    def body_sphere_pairs(self) -> BodyContacts:
        return self._once("body_sphere_pairs", lambda: self._measures.of_bodies(_core.BODY_SPHERE))

    @property
    def breakages(self) -> Breakages:
        return self._once("breakages", self._measures.breakages)

    @property
    def energy(self) -> Energy:
        return Energy(*self._core.energy())

    # ---- the periodic cell ----

    @property
    def cell(self) -> Doubles:
        return locked(cell_of(self)["vectors"].copy())

    @property
    def velocity_gradient(self) -> Doubles:
        return locked(cell_of(self)["gradient"].copy())

    @property
    def deformation(self) -> Doubles:
        return locked(cell_of(self)["deformation"].copy())

    @deformation.setter
    @changes
    def deformation(self, deformation: ArrayLike) -> None:
        self._core.set_deformation(read_deformation(deformation))

    # ---- step and gravity ----

    @property
    def step(self) -> float:
        return self._beat.step

    @step.setter
    @changes
    def step(self, step: float) -> None:
        known, now = self._known, self.step_count
        beat = Beat(checks.number(step, "step"), now, self.time)
        if beat.step != self.step:
            # forget the last assigned step length if no step has used it
            before = known.beats if known.beats[-1].since < now else known.beats[:-1]
            self._core.set_step(beat.step, None, known._replace(beats=(*before, beat)))
        self._watch.look_at_new_step(self)

    @property
    def gravity(self) -> Doubles:
        return self._known.gravity

    @gravity.setter
    @changes
    def gravity(self, gravity: ArrayLike) -> None:
        pull = read_gravity(gravity)
        self._core.set_step(self.step, pull, self._known._replace(gravity=pull))

    # ---- laws ----

    @changes
    def set_law(self, a: Material, b: Material, law: Law) -> None:
        """Set the contact law between spheres, bodies and walls of two materials.

        Parameters
        ----------
        a, b : Material
            Materials in any order; the same twice for contacts within one material.
        law : Hertz, Linear, Luding, or a law of your own
            It replaces the earlier law of the two materials. A law of your own is what a function
            made by `abut.laws.law` returns when it is called with its parameters, or a
            `CompiledLaw`. For convex bodies without rounding, `Hertz` and any law with rolling need
            a `curvature`.

        Raises
        ------
        ValueError
            If the law does not fit the materials, such as Hertz between two rigid ones. If
            `RollingA` would apply to a body or a sphere of a cluster. If a law of your own fails
            its trial, or has the name of another law with different code.
        TypeError
            If an argument is of another type, or a law of your own was given without calling it
            with its parameters.

        Warns
        -----
        SimulationWarning
            If a law is replaced, and one of the materials is a new object with the same numbers.
            Materials with equal numbers count as one, unless their `name` differs. If a law of your
            own attracts at every overlap of its trial.

        Examples
        --------
        >>> import abut
        >>> glass, steel = abut.Material(2500, 6e10), abut.Material(young=2e11, poisson=0.3)
        >>> sim = abut.Simulation(step=1e-6)
        >>> sim.set_law(glass, glass, abut.Hertz(friction=0.3, restitution=0.9))
        >>> sim.set_law(glass, steel, abut.Hertz(friction=0.4, restitution=0.8))
        >>> len(sim.materials)
        2
        """
        laws = self._laws.copy()
        laws.set(a, b, law)
        laws.check_clusters(np.unique(self.material[self.spheres.cluster >= 0]))
        laws.check_bodies(np.unique(self.bodies.material))
        then = self._known._replace(laws=laws)
        self._core.set_laws(len(laws.materials), laws.numbers(), laws.own_columns(), then)

    # ---- files, copies and plots ----

    @changes
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a restart file, from which `load_simulation` continues with the same bits.

        Parameters
        ----------
        path : str or path-like
            Ends in ``.npz``. If writing fails, the previous file is unchanged.

        Raises
        ------
        ValueError
            If the path ends otherwise.
        OSError
            If the file cannot be written.
        RuntimeError
            If the file could not be read again, which is an error in abut.

        Notes
        -----
        Meshes and callables (forces, `every`, `record`, motions) are not written. Warnings that
        were given are written, and not repeated.

        Examples
        --------
        >>> import abut, pathlib, tempfile
        >>> sim = abut.Simulation(step=0.25)
        >>> sim.run(1.0)
        >>> path = pathlib.Path(tempfile.mkdtemp(), "end.npz")
        >>> sim.save(path)
        >>> abut.load_simulation(path).time
        1.0
        """
        from .saving import save

        save(self, path)

    @changes
    def copy(
        self, deform: Mapping[int, Structure] | None = None, workers: int | None = None
    ) -> Simulation:
        """An independent copy, which continues from the current state.

        Parameters
        ----------
        deform : dict of int to callable, optional
            New callables of walls that deform, by wall number, because two simulations cannot share
            them.
        workers : int, optional
            Greatest number of threads of the copy, by default that of this simulation.

        Returns
        -------
        Simulation
            It has the same state to the bit. Both give the same results until one is changed.

        Raises
        ------
        ValueError
            If a wall deforms, and no callable is given for it, or `workers` is out of its range.
        TypeError
            If an item of `deform` is not callable, or `workers` is not an integer.

        Notes
        -----
        The copy has the insertions with their random states, all laws, the bounds, and the motions
        of walls, also those that are callables of time. Callables that take the simulation are not
        copied, because they may refer to this one: register those of `add_force`,
        `add_body_force`, `every` and `record` again. Warnings are not repeated, and `statistics`
        count from 0.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-3)
        >>> _ = sim.add_spheres([[0, 0, 1]], 0.1, abut.Material(1000))
        >>> sim.run(0.1)
        >>> branch = sim.copy()
        >>> branch.gravity = (0, 0, 0)
        >>> sim.run(0.1), branch.run(0.1)
        (None, None)
        >>> bool(sim.centers[0, 2] < branch.centers[0, 2])
        True
        """
        from .restart import copied

        return copied(self, deform or {}, workers)

    def plot(
        self,
        color: str | ArrayLike | None = None,
        ax: Any = None,
        **options: Unpack[SimulationPlotOptions],
    ) -> Any:
        """Draw the spheres, bodies and walls in their current places.

        Parameters
        ----------
        color : str or (n,) array_like, optional
            Quantity that colors spheres and bodies: "speed", "spin" (length of angular velocity),
            "force", "torque" (their lengths), "radius" (circumradius of a body), "mass",
            "material", "id", "x", "y" or "z". Or finite numbers: one for each sphere, then one for
            each body. Or one color for all, such as "#8c9a5b".
        ax : matplotlib 3D axes or pyvista.Plotter, optional
            Where to draw; by default a new one. Axes become orthographic. Do not change their size
            or view afterwards, because the disks that show spheres would not follow.
        **options
            ``backend``: "matplotlib" (extra ``plot``) or "pyvista" (extra ``view``). ``walls``:
            False for none, or a list of some; half spaces are squares. ``alpha``: opacity of walls,
            0.1 by default. ``cell``: False leaves out the edges of the periodic cell. ``images``:
            True also draws periodic images of particles that reach into the cell, so no border is
            ragged. ``view``: "x", "-x", "y", "-y", "z" or "-z", an axis that points to the camera,
            for a flat picture; or a direction (3,). ``cmap``, ``limits`` and ``label``, by default
            the name of the quantity, as for `Mesh.plot`.

        Returns
        -------
        matplotlib 3D axes or pyvista.Plotter
            The axes or plotter, not shown yet.

        Raises
        ------
        ImportError
            If Matplotlib or PyVista is not installed; the message names the extra.
        ValueError
            If `color` is neither a color nor a known quantity, or has a wrong shape; or if an
            option's value is wrong.
        TypeError
            If `walls` has an item that is not a wall; the message names the first.

        See Also
        --------
        view : Show frames from files.
        Pairs.plot, Bonds.plot : Draw force chains.

        Examples
        --------
        >>> ax = sim.plot(color="speed")  # doctest: +SKIP
        >>> sim.plot("speed", backend="pyvista").show()  # doctest: +SKIP
        """
        from ..plot.simulations import plot_simulation

        return plot_simulation(self, color, ax, **options)

    def __reduce__(self) -> Any:
        raise TypeError("a Simulation cannot be pickled: use save(path) or copy()")

    def __repr__(self) -> str:
        known = self._settled()
        counts = [checks.counted(len(known.ids), "sphere")]
        if len(known.clusters):
            counts.append(checks.counted(len(known.clusters), "cluster"))
        if len(known.bodies):
            counts.append(checks.counted(len(known.bodies), "body", "bodies"))
        if len(self.bonds):
            counts.append(checks.counted(len(self.bonds), "bond"))
        counts.append(checks.counted(len(self.walls), "wall"))
        steps = checks.counted(self.step_count, "step")
        return f"Simulation({', '.join(counts)}; {steps}, time {self.time:g})"

    def _repr_html_(self) -> str:
        places = np.concatenate([self.centers, self.bodies.centers])
        energy = self.energy
        facts = {
            "step": f"{self.step:g}",
            "radii of spheres": html.span(self.radii),
            **{axis: html.span(places[:, k]) for k, axis in enumerate("xyz")},
            "period": text_of(self.period),
            "gravity": html.numbers(self.gravity),
            "contacts": str(self._running.count().contacts),
            "kinetic energy": html.numbers(energy.kinetic + energy.rotational),
            "elastic energy": html.numbers(energy.elastic),
        }
        return html.facts_table(repr(self), facts)
