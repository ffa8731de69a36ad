"""Simulations: spheres and bodies that move in time, by the discrete element method."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Unpack

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base import checks
from ..base.arrays import Indices
from ..base.warnings import warn
from ..laws.law_table import Law
from ..laws.materials import Material
from ..search.half_space import HalfSpace, read_surface
from .deforming import Deforming, Structure
from .drives import Drive, Free
from .known import changes
from .measure_part import MeasurePart
from .motions import Motion
from .naming import with_public_names
from .wall_entries import WallEntry
from .walls import Wall, check_half_space

if TYPE_CHECKING:
    from ..options import SimulationPlotOptions


@with_public_names
class Simulation(MeasurePart):
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
        bodies is in `bodies`.
    forces, torques : (n, 3) ndarray of float64
        Of contacts, bonds and callbacks, without gravity, at the beginning of the last step.
    left : int
        How many spheres, clusters and bodies have left the bounds so far: see `set_bounds`.
    images : (n, 3) ndarray of intp
        By how many periods each has left the box: ``centers + images * period`` is where it would
        be without.
    materials : tuple of Material
        Those that spheres, walls and laws have named; equal ones are one.
    walls : tuple of Wall
        Those that were not removed.
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
    clusters : Clusters
        A named tuple (numbers, positions, orientations, velocities, angular_momenta), in the order
        in which they came.
    bodies : Bodies
        A named tuple (numbers, positions, orientations, velocities, angular_velocities,
        angular_momenta, forces, torques, centers, masses, shape, scales, material, images) of the
        convex bodies, in the order in which they came: as `ConvexFinder` takes them, positions are
        those of the origins of the shapes' frames.
    shapes : tuple of ConvexShape
        Those of the bodies.
    body_contacts, body_pairs, body_sphere_pairs : BodyContacts
        What bodies touched at the beginning of the last step: walls, each other, and spheres.
        `ConvexContacts` with two further columns: `force`, what each contact exerts on body i, and
        `spot_force`, what each of its spots does. `i` and `j` are rows of `bodies`, j of
        `body_sphere_pairs` rows of the spheres; of `body_contacts` there is no j, but ``mesh``, the
        wall's number. Their columns are read-only.
    bonds : Bonds
        A table of those that hold, with what they exerted at the beginning of the last step.
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
    follows from the cluster, whatever is assigned; ``sim.clusters = sim.clusters._replace(...)``
    assigns that.

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

    # ---- laws ----

    @changes
    def set_law(self, a: Material, b: Material, law: Law) -> None:
        """Say what force spheres and walls of two materials exert on each other.

        Parameters
        ----------
        a, b : Material
            In any order; the same twice: among themselves.
        law : Hertz, Linear, or a law of your own
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
        laws.check_clusters(self._clustered_materials())
        laws.check_bodies(self._body_materials())
        then = self._known._replace(laws=laws)
        self._core.set_laws(len(laws.materials), laws.numbers(), laws.told_own(), then)

    def _clustered_materials(self) -> Indices:
        if not len(self._settled().clusters):
            return np.empty(0, np.intp)
        return np.unique(self.material[self._core.read("clusters") >= 0])

    def _body_materials(self) -> Indices:
        if not len(self._settled().bodies):
            return np.empty(0, np.intp)
        return np.unique(self._core.rigids(_core.BODIES)["materials"])

    # ---- walls ----

    @changes
    def add_wall(
        self,
        mesh: Any,
        material: Material | None = None,
        motion: Motion | Drive | Callable[[float], Any] | None = None,
        deform: Structure | None = None,
    ) -> Wall:
        """Add a wall.

        Parameters
        ----------
        mesh : Mesh, or whatever `Mesh.from_any` takes, or HalfSpace
            Where the wall is now; both sides of a mesh are hard. Of a half space a contact's facet
            is 0, and its normal must be perpendicular to axes with a period.
        material : Material, optional
            By default a rigid one, ``Material()``.
        motion : Rotating, Translating, Oscillating, Motions, Servo, Free or callable, optional
            How it moves from now on: see `Wall`. By default it stands still.
        deform : callable, optional
            In place of a motion: where the vertices of a mesh of triangles are. It is called once a
            step, when the forces of the step are known, with the time at the end of the step and
            what spheres exert at the vertices at its beginning, (v, 3). It returns the vertices at
            the end of the step, (v, 3), and their velocities in its middle, as those of spheres
            are: what a solver by central differences has, or the difference to the vertices before,
            by `step`. The two are not compared. Spheres alone touch such walls. docs/dem.md,
            section 14.

        Returns
        -------
        Wall
            Tells what spheres and bodies exert on it, and takes another motion.

        Raises
        ------
        ValueError
            If the motion of a callable is not rigid, or pose and twist do not agree; a half
            space does not go with a period; or a `Servo` or a `Free` not with the mesh: it has no
            area along the normal of a pressure, or no inertia; or a wall has a motion and deforms,
            or a facet of it is no triangle.
        TypeError
            If an argument is of another type.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> lid = abut.Mesh([[-1, -1, 1], [-1, 1, 1], [1, 1, 1], [1, -1, 1]], [[0, 1, 2, 3]])
        >>> wall = sim.add_wall(lid, motion=abut.Translating((0, 0, -0.1)))
        >>> wall.number, wall.force
        (0, array([0., 0., 0.]))
        """
        laws, number = self._laws.numbered(Material() if material is None else material)
        surface = read_surface(mesh)
        if isinstance(surface, HalfSpace):
            check_half_space(surface, self._period)
        elif not len(surface):
            warn("the wall is a mesh without facets, so that nothing can touch it")
        entry = WallEntry(surface, number, None, self.time, np.eye(4))
        if deform is not None:
            if motion is not None:
                raise ValueError("a wall has a motion, or deforms, and not both")
            begun = Deforming.begin(deform, surface, self.step_count)
            entry = replace(entry, deforming=begun)
        self._walls.add(entry, motion, self.time, self._changed(laws=laws))
        return self.walls[-1]

    @changes
    def _move_wall(self, number: int, motion: object) -> None:
        self._check_wall(number)
        self._walls.move(number, motion, self.time)

    @changes
    def _switch_wall(self, number: int, is_active: object) -> None:
        self._check_wall(number)
        if not isinstance(is_active, bool | np.bool_):
            kind = checks.a_or_an(type(is_active).__name__)
            raise TypeError(f"active is {kind}, but must be True or False")
        self._walls.switch(number, bool(is_active))

    @changes
    def remove_wall(self, wall: Wall) -> None:
        """Take a wall away.

        Parameters
        ----------
        wall : Wall
            As `add_wall` returned it. Other walls keep their numbers, and none gets this one again.

        Raises
        ------
        ValueError
            If it was removed before, or is one of another simulation.
        TypeError
            If it is no Wall.

        Notes
        -----
        Its contacts go with it, and what they held counts as dissipated. `Wall.active` switches a
        wall off and on again instead.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-3)
        >>> gate = sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)))
        >>> sim.remove_wall(gate)
        >>> sim.walls, gate
        ((), Wall(0: removed))
        """
        if not isinstance(wall, Wall):
            kind = checks.a_or_an(type(wall).__name__)
            raise TypeError(f"wall is {kind}, but must be a Wall, as add_wall returned it")
        if wall._simulation is not self:
            raise ValueError(f"{wall!r} is a wall of another simulation")
        self._check_wall(wall.number)
        self._walls.remove(wall.number)

    def _check_wall(self, number: int) -> None:
        if self._walls.entries[number].is_gone:
            raise ValueError(f"wall {number} was removed")

    @changes
    def _push_wall(self, number: int, **changed: Any) -> None:
        self._check_wall(number)
        motion = self._walls.entries[number].motion
        if not isinstance(motion, Free):
            raise ValueError(f"wall {number} is not Free: nothing can be applied to it")
        self._walls.set_drive(number, **changed)

    @property
    def walls(self) -> tuple[Wall, ...]:
        entries = enumerate(self._walls.entries)
        return tuple(Wall(self, number) for number, entry in entries if not entry.is_gone)

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
        bonds = self._core.bond_counts()[0]
        if bonds:
            counts.append(checks.counted(bonds, "bond"))
        counts.append(checks.counted(len(self.walls), "wall"))
        steps = checks.counted(self.step_count, "step")
        return f"Simulation({', '.join(counts)}; {steps}, time {self.time:g})"
