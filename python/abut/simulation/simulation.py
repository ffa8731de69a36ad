"""Simulations: spheres and bodies that move in time, by the discrete element method."""

from __future__ import annotations

import difflib
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base import checks
from ..base.arrays import Doubles
from ..laws.law_table import Law
from ..laws.materials import Material
from ..results.bonds import Breakages
from ..results.contacts import Contacts
from ..results.pairs import Pairs
from ..search.shape import ConvexShape
from .body_contacts import BodyContacts
from .bonding import BondPopulation
from .bounds import Leaving
from .deforming import Structure
from .events import Events
from .known import changes
from .measuring import Energy, Measures
from .naming import with_public_names
from .population import short_form
from .rigid_clusters import ClusterPopulation
from .running import Running
from .schedule import Beat
from .solids import BodyPopulation
from .spheres import SpherePopulation
from .state import State, read_gravity
from .wall_population import WallPopulation

if TYPE_CHECKING:
    from ..options import SimulationPlotOptions


@with_public_names
class Simulation(State):
    """Spheres, clusters and convex bodies that move in time, between walls, by the discrete element
    method.

    Each step finds who touches whom, applies the laws of contact, and moves everything by central
    differences; docs/dem.md has the equations. Any consistent units will do.

    Parameters
    ----------
    step : float
        Of time, positive. `stable_step` tells how long it may be.
    gravity : (3,) array_like, default (0, 0, -9.81)
        Acceleration.
    period : sequence of 3 floats or None, optional
        The world repeats along x, y and z at these lengths, and along no axis whose item is None.
    resolution : {"hierarchy", "sharing"}
        How the facets that a sphere touches become its contacts, as for `ContactFinder.find`.
    workers : int, optional
        Number of threads at most, as for `ContactFinder.find`. Results are the same to the bit for
        any number.

    Attributes
    ----------
    ids : (n,) ndarray of intp
        Lasting numbers of the spheres, in the order in which they came, as `add_spheres` returned
        them. So are all arrays here.
    centers : (n, 3) ndarray of float64
        Now; along an axis with a period from 0 to that, of a cluster its center of mass.
    radii, masses : (n,) ndarray of float64
        A member of a cluster has an equal part of the cluster's mass. Masses stay where radii are
        assigned.
    velocities, angular_velocities : (n, 3) ndarray of float64
        Half a step ago.
    material : (n,) ndarray of intp
        Numbers into `materials`.
    fixed : (n,) ndarray of bool
        Which spheres are held: they touch others, to whose laws their mass is infinite, but do not
        move, and have no velocity; `forces` are told. Two of them exert nothing on each other, on
        walls they do. A mask may be assigned whole, the same for all members of a cluster; that of
        bodies is ``bodies.fixed``.
    forces, torques : (n, 3) ndarray of float64
        Of contacts, bonds and callbacks, without gravity, at the beginning of the last step.
    left : int
        How many spheres, clusters and bodies have left the bounds so far: see `set_bounds`.
    images : (n, 3) ndarray of intp
        By how many periods each has left the box: ``centers + images * period`` is where it would
        be without.
    materials : tuple of Material
        Those that spheres, walls and laws have named; equal ones are one.
    time : float
        ``step_count * step``; where `step` was assigned at the time t after n steps,
        ``t + (step_count - n) * step``.
    step_count : int
    step : float
        It may be assigned, also by what `every` calls: what contacts remember goes on, and
        `stable_step` is asked at once.
    gravity : (3,) ndarray of float64, read-only
        It may be assigned, too, whole.
    period : tuple of 3 (float or None), or None
    resolution : str
    contacts : Contacts
        With walls at the beginning of the last step; in a further column, `force`, what each
        exerts on its sphere. Rows count spheres in the order of `ids`.
        Its columns are read-only.
    pairs : Pairs
        Likewise of spheres; `force` is that on i. Pairs within a cluster, and spheres that touch
        their own image, exert nothing and are left out.
    spheres, clusters, bodies, bonds, walls : populations
        What has a state, in the order in which it came, by one protocol: `numbers`, columns as
        attributes, of which those that can be given are assigned whole, ``assign(...)`` of several
        at once, ``add``, ``remove``, ``fixed``, ``add_force``, ``contacts`` and ``to_dict()``.
        Spheres have the columns that are listed here; clusters and bodies `positions`,
        `orientations`, `velocities`, `angular_velocities`, `angular_momenta`, `masses`, `forces`,
        `torques` and `images`; bodies also `centers`, `shape`, `scales` and `material`. Bonds are a
        table `Bonds`, walls a sequence of `Wall` that were not removed.
    shapes : tuple of ConvexShape
        Those of the bodies.
    body_contacts, body_pairs, body_sphere_pairs : BodyContacts
        What bodies touched at the beginning of the last step: walls, each other, and spheres.
        `ConvexContacts` with two further columns: `force`, what each contact exerts on body i, and
        `spot_force`, what each of its spots does. `i` and `j` are rows of `bodies`, j of
        `body_sphere_pairs` rows of the spheres; of `body_contacts` there is no j, but ``mesh``, the
        wall's number. Their columns are read-only.
    breakages : Breakages
        A table of those that have broken: when, where, why.
    energy : Energy
        A named tuple (kinetic, rotational, gravitational, elastic, dissipated, wall_work).

    Raises
    ------
    ValueError
        If `step` is not positive or not finite, or another argument is wrong.
    TypeError
        If an argument is of another type.

    Notes
    -----
    Arrays are read-only, and of this moment. Those of what spheres are and where they go (centers,
    radii, masses, velocities, angular_velocities, material) are assigned whole:
    ``sim.velocities = sim.velocities * 0.5``. Where members of a cluster are and how they move
    follows from the cluster, whatever is assigned: ``sim.clusters.velocities = ...`` assigns that.

    A simulation is for one thread at a time: another one that changes it while it runs or is
    changed, or reads it while a step is under way, gets a RuntimeError. Callables that `run` calls
    may change it, but not run it.

    Ctrl-C leaves a simulation as it was before what it comes into, or as it is after: it goes on.

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

    if not TYPE_CHECKING:  # which would take any name then

        def __setattr__(self, name: str, value: object) -> None:
            """Assign what there is: a misspelled name would be kept, and change nothing."""
            if not (name.startswith("_") or hasattr(type(self), name)):
                public = [word for word in dir(type(self)) if not word.startswith("_")]
                close = difflib.get_close_matches(name, public, 1)
                meant = f": did you mean {close[0]!r}?" if close else ""
                raise AttributeError(f"a Simulation has no attribute {name!r}{meant}")
            super().__setattr__(name, value)

    # ---- parts, and short forms of what they do ----

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
    run = short_form(Running, Running.run)
    stable_step = short_form(Running, Running.stable_step)
    statistics = short_form(Running, Running.statistics)
    stress = short_form(Measures, Measures.stress)
    coordination = short_form(Measures, Measures.coordination)

    @property
    def shapes(self) -> tuple[ConvexShape, ...]:
        return self._known.shapes

    @property
    def left(self) -> int:
        return self._leaving.left

    # ---- what the last step has left behind ----

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

    # ---- what steps go by ----

    @property
    def step(self) -> float:
        return self._beat.step

    @step.setter
    @changes
    def step(self, step: float) -> None:
        known, now = self._known, self.step_count
        beat = Beat(checks.number(step, "step"), now, self.time)
        if beat.step != self.step:
            # steps that none was done of leave no trace
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
        """Say what force spheres and walls of two materials exert on each other.

        Parameters
        ----------
        a, b : Material
            In any order; the same twice: among themselves.
        law : Hertz, Linear, Luding, or a law of your own
            It takes the place of the one that they had. A law of your own is what a function made
            by `abut.laws.law` returns when it is called with its parameters, or a `CompiledLaw`. Of
            convex bodies that are not rounded, `Hertz`, and any law with rolling, asks for its
            `curvature`.

        Raises
        ------
        ValueError
            If the law does not fit the materials, as Hertz between two rigid ones; a cluster's
            sphere, or a body, would have `RollingA`; or a law of your own fails where it is tried,
            or has the name of another one whose function differs.
        TypeError
            If an argument is of another type, or a law of your own was given without its
            parameters.

        Warns
        -----
        SimulationWarning
            If another law of two materials is replaced, and one of them is another object than
            before with equal numbers: equal materials are one, unless their `name` differs. If a
            law of your own pulls at every overlap that is tried, and never pushes.

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
        self._core.set_laws(len(laws.materials), laws.numbers(), laws.told_own(), then)

    # ---- files, and what it is shown as ----

    @changes
    def save(self, path: str | os.PathLike[str]) -> None:
        """Write everything to a file from which `load_simulation` goes on, to the bit.

        Parameters
        ----------
        path : str or path-like
            Ends in ``.npz``. The file is there whole, or what was there before.

        Raises
        ------
        ValueError
            If the ending is another.
        OSError
            If the file cannot be written.
        RuntimeError
            If what it would hold could not be read again, which is a fault of abut's.

        Notes
        -----
        Meshes, and what is called (forces, `every`, `record`, motions that are callables), are not
        written. What was warned of is: the simulation that goes on does not say it again.

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
    def copy(self, deform: Mapping[int, Structure] | None = None) -> Simulation:
        """Another simulation that goes on from here: what one does, the other does not see.

        Parameters
        ----------
        deform : dict of int to callable, optional
            Of walls that deform, by their numbers, as for `load_simulation`: other structures than
            those that this simulation goes on to ask.

        Returns
        -------
        Simulation
            With the same state to the bit: left alone, both do the same, to the bit.

        Raises
        ------
        ValueError
            If a wall deforms, and no structure is given for it.
        TypeError
            If what is given is no callable.

        Notes
        -----
        What comes in (insertions, with their random states), laws, also those of your own, bounds
        and motions of walls, also callables of time, are taken along. What is called with the
        simulation is not, since it may hold on to this one: give `add_force`, `add_body_force`,
        `every` and `record` to the copy anew. What was warned of is not said again, and
        `statistics` count from 0.

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

        return copied(self, deform or {})

    def plot(
        self,
        color: str | ArrayLike | None = None,
        ax: Any = None,
        **options: Unpack[SimulationPlotOptions],
    ) -> Any:
        """Draw the spheres, bodies and walls as they are now.

        Parameters
        ----------
        color : str or (n,) array_like, optional
            What colors spheres and bodies: "speed", "spin" (the length of the angular velocity),
            "force" and "torque" (their lengths), "radius" (of a body its circumradius), "mass",
            "material", "id", "x", "y" or "z"; or finite numbers, those of the spheres, then those
            of the bodies; or one color for all, as "#8c9a5b".
        ax : matplotlib 3D axes or pyvista.Plotter, optional
            What is drawn on; made where it is not given. Axes become orthographic, and should keep
            their size and view from now on: the disks that spheres are do not.
        **options
            ``backend``, "matplotlib" (extra ``plot``) or "pyvista" (extra ``view``); ``walls``,
            False for none or a list of some, half spaces as squares; their opacity ``alpha``, by
            default 0.1; ``cmap``, ``limits`` and ``label``, by default what colors, as for
            `Mesh.plot`.

        Returns
        -------
        matplotlib 3D axes or pyvista.Plotter
            What was drawn on, not shown yet.

        Raises
        ------
        ImportError
            If the library is not installed; the message names the extra.
        ValueError
            If `color` is no color, nor anything that is known of spheres, or has another shape; or
            an option's value is wrong.
        TypeError
            If `walls` has what is no wall; the message names the first.

        See Also
        --------
        view : Frames of files.
        Pairs.plot, Bonds.plot : Chains of forces.

        Examples
        --------
        >>> ax = sim.plot(color="speed")  # doctest: +SKIP
        >>> sim.plot("speed", backend="pyvista").show()  # doctest: +SKIP
        """
        from ..plot.simulations import plot_simulation

        return plot_simulation(self, color, ax, **options)

    def __reduce__(self) -> Any:
        raise TypeError("a Simulation is not pickled: save writes it to a file, copy makes another")

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
