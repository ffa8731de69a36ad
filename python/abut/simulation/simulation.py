"""Simulations: spheres and bodies that move in time, by the discrete element method."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks
from ..base.orientations import from_matrix, inverse, product, read_orientations
from ..base.poses import Period, lengths_of, read_period
from ..base.progress import Counts, Progress
from ..base.simd import level
from ..base.threads import worker_count
from ..results.contacts import Contacts
from ..results.pairs import Pairs
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from ..search.shape import ConvexShape
from ..search.statistics import Clock, SimulationStatistics
from .bodies import (
    Numbers,
    angular_momenta,
    check_finite,
    cluster_columns,
    find,
    locked,
    member_columns,
    read_forces,
    read_points,
    read_vectors,
    sphere_columns,
    table_columns,
)
from .body_contacts import BodyContacts, body_contacts
from .clusters import Cluster
from .columns import AssignedColumn, Column
from .convex_bodies import (
    Bodies,
    bodies_of,
    body_columns,
    check_assigned,
    positive_numbers,
    read_masses,
    read_shape,
)
from .convex_bodies import angular_momenta as body_momenta
from .insertion import Insertion
from .known import Fresh, Known, changes
from .law_table import Law, LawTable
from .materials import Material
from .motions import Motion
from .placement import touching, warn_of_overlaps
from .record import Record
from .schedule import MOST_STEPS, Feed, Schedule
from .walls import RESOLUTIONS, KnownWalls, Wall, WallEntry, check_half_space
from .watch import BODY, SPHERE, StableStep, Watch

if TYPE_CHECKING:
    from ..options import Orientations, WallResolution
    from ..search.finder import ContactFinder

_Doubles = NDArray[np.float64]
_Indices = NDArray[np.intp]
_T = TypeVar("_T")

# what ends a step and names a body
_OF_BODIES = (
    _core.BODY_LAW,
    _core.BODY_LOST,
    _core.BODY_IMAGES,
    _core.BODY_MANY_IMAGES,
    _core.BODY_TOO_SMALL,
)

# spheres that ask a finder before it builds its finest bins by itself: from here on they are worth
# building at once
_MANY_QUERIES = 100_000


class Energy(NamedTuple):
    """Energies at the beginning of the last step; their sum is kept, as docs/dem.md says."""

    kinetic: float
    rotational: float
    gravitational: float
    elastic: float
    dissipated: float
    wall_work: float


class Clusters(NamedTuple):
    """The clusters of a simulation, in the order in which they came."""

    numbers: _Indices  # (c,): lasting, as `add_clusters` returned them
    positions: _Doubles  # (c, 3): of the centers of mass
    orientations: _Doubles  # (c, 4): quaternions x, y, z, w, from a cluster's frame to the world
    velocities: _Doubles  # (c, 3)
    angular_momenta: _Doubles  # (c, 3): about the center of mass, in the world


class Simulation:
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
        How the facets that a sphere touches become its contacts, as for `find_contacts`.
    workers : int, optional
        Number of threads at most, as for `find_contacts`. Results are the same to the bit for any
        number.

    Attributes
    ----------
    ids : (n,) ndarray of intp
        Lasting numbers of the spheres, in the order in which they came, as `add_spheres` returned
        them. So are all arrays here.
    centers : (n, 3) ndarray of float64
        Now; along an axis with a period from 0 to that.
    radii, masses : (n,) ndarray of float64
        A member of a cluster has an equal part of the cluster's mass. Masses stay where radii are
        assigned.
    velocities, angular_velocities : (n, 3) ndarray of float64
        Half a step ago.
    material : (n,) ndarray of intp
        Numbers into `materials`.
    forces, torques : (n, 3) ndarray of float64
        Of contacts and of callbacks, without gravity, at the beginning of the last step.
    images : (n, 3) ndarray of intp
        By how many periods each has left the box: ``centers + images * period`` is where it would
        be without.
    materials : tuple of Material
        Those that spheres, walls and laws have named; equal ones are one.
    walls : tuple of Wall
    time : float
        ``step_count * step``.
    step_count : int
    step : float
    gravity : (3,) ndarray of float64, read-only
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

    centers = AssignedColumn[np.float64]("centers")
    radii = AssignedColumn[np.float64]("radii")
    masses = AssignedColumn[np.float64]("masses")
    velocities = AssignedColumn[np.float64]("velocities")
    angular_velocities = AssignedColumn[np.float64]("spins")
    material = AssignedColumn[np.intp]("materials")
    forces = Column[np.float64]("forces")
    torques = Column[np.float64]("torques")
    images = Column[np.intp]("images")

    def __init__(
        self,
        step: float,
        gravity: ArrayLike = (0.0, 0.0, -9.81),
        period: Sequence[float | None] | None = None,
        resolution: WallResolution = "hierarchy",
        workers: int | None = None,
    ) -> None:
        self._step = checks.number(step, "step")
        self._gravity = np.array(checks.vector(gravity, "gravity"))
        self._gravity.flags.writeable = False
        self._period = read_period(period)
        self._resolution, self._workers = resolution, workers
        self._core = _core.Simulation(
            self._step,
            self._gravity,
            lengths_of(self._period),
            checks.choice(resolution, "resolution", RESOLUTIONS),
            worker_count(workers),
        )
        self._core.note(Known())
        self._walls = KnownWalls(self._core, self._step)
        self._forces: list[Callable[[Simulation], Any]] = []
        self._body_forces: list[Callable[[Simulation], Any]] = []
        self._schedule = Schedule()
        self._fresh = Fresh(-1, {})
        self._watch = Watch()
        self._clock = Clock()
        # the finder that is prepared for spheres up to a radius
        self._prepared: tuple[ContactFinder | None, float] = (None, 0.0)

    if not TYPE_CHECKING:  # which would take any name then

        def __setattr__(self, name: str, value: object) -> None:
            """Assign what there is: a misspelled name would be kept, and change nothing."""
            if not (name.startswith("_") or hasattr(type(self), name)):
                public = [word for word in dir(type(self)) if not word.startswith("_")]
                close = difflib.get_close_matches(name, public, 1)
                meant = f": did you mean {close[0]!r}?" if close else ""
                raise AttributeError(f"a Simulation has no attribute {name!r}{meant}")
            super().__setattr__(name, value)

    # ---- what it is ----

    @property
    def step(self) -> float:
        return self._step

    @property
    def gravity(self) -> _Doubles:
        return self._gravity

    @property
    def period(self) -> Period | None:
        return self._period

    @property
    def resolution(self) -> WallResolution:
        return self._resolution

    @property
    def step_count(self) -> int:
        return self._core.counts()[0]

    @property
    def time(self) -> float:
        return self.step_count * self._step

    @property
    def ids(self) -> _Indices:
        return self._settled().ids

    @property
    def materials(self) -> tuple[Material, ...]:
        return tuple(self._laws.materials)

    @property
    def walls(self) -> tuple[Wall, ...]:
        return tuple(Wall(self, number) for number in range(len(self._walls.entries)))

    def _once(self, name: str, make: Callable[[], _T]) -> _T:
        """What is made when it is first asked for after something has changed."""
        fresh, count = self._fresh, self._core.change_count
        if fresh.change_count != count:
            fresh = self._fresh = Fresh(count, {})
        if name not in fresh.values:
            made = make()
            if self._core.change_count != count:
                raise RuntimeError(
                    "the simulation is at work: it has changed while it was read, by another"
                    " thread or by what a signal has called"
                )
            fresh.values[name] = made
        value: _T = fresh.values[name]
        return value

    # ---- what is known of the library's side ----

    @property
    def _known(self) -> Known:
        known: Known = self._core.known
        return known

    def _settled(self) -> Numbers:
        """The lasting numbers of what the library has now."""
        return self._known.numbers

    @property
    def _laws(self) -> LawTable:
        return self._known.laws

    def _changed(self, **parts: Any) -> Known:
        """What is known after a change of these parts. The library has the materials and shapes
        then that are new, with no effect on what is there."""
        now = self._known
        then = now._replace(**parts)
        if then.laws is not now.laws:
            self._core.set_laws(len(then.laws.materials), then.laws.numbers(), now)
        if then.shapes is not now.shapes:
            self._core.set_shapes(tuple(shape._core for shape in then.shapes))
        return then

    # ---- laws ----

    @changes
    def set_law(self, a: Material, b: Material, law: Law) -> None:
        """Say what force spheres and walls of two materials exert on each other.

        Parameters
        ----------
        a, b : Material
            In any order; the same twice: among themselves.
        law : Hertz or Linear
            It takes the place of the one that they had. Bodies have linear laws, without rolling.

        Raises
        ------
        ValueError
            If the law does not fit the materials, as Hertz between two rigid ones, or a cluster's
            sphere would have `RollingA`, or a body Hertz or any rolling.
        TypeError
            If an argument is of another type.

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
        self._core.set_laws(len(laws.materials), laws.numbers(), then)

    def _clustered_materials(self) -> _Indices:
        if not len(self._settled().clusters):
            return np.empty(0, np.intp)
        return np.unique(self.material[self._core.read("clusters") >= 0])

    def _body_materials(self) -> _Indices:
        if not len(self._settled().bodies):
            return np.empty(0, np.intp)
        return np.unique(self._core.bodies()["materials"])

    # ---- spheres ----

    @changes
    def add_spheres(
        self,
        centers: ArrayLike,
        radii: ArrayLike,
        material: Material,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
    ) -> _Indices:
        """Add spheres.

        Parameters
        ----------
        centers : (n, 3) array_like
        radii : (n,) array_like or float
        material : Material
            With a density.
        velocities, angular_velocities : (n, 3) or (3,) array_like, optional
            By default they are at rest.

        Returns
        -------
        (n,) ndarray of intp
            Their ids: lasting numbers, none of which comes twice.

        Raises
        ------
        ValueError
            If a number is not finite, a radius not positive, a shape wrong, or the material has no
            density.
        TypeError
            If an argument is of another type.

        Warns
        -----
        SimulationWarning
            If spheres overlap each other, or what is there, by more than 10 % of a radius; or if
            one is so large that it touches its own image.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> grain = abut.Material(density=1000, young=1e7)
        >>> sim.add_spheres([[0, 0, 0], [0, 0, 1]], [0.1, 0.2], grain)
        array([0, 1])
        >>> sim.masses.round(2)
        array([ 4.19, 33.51])
        """
        points = read_points(centers, "centers")
        sizes = checks.lengths(radii, "radii", len(points), "center")
        laws, number = self._laws.numbered(material)
        columns = self._sphere_columns(points, sizes, material, number) | {
            "velocities": read_vectors(velocities, "velocities", len(points)),
            "spins": read_vectors(angular_velocities, "angular_velocities", len(points)),
        }
        warn_of_overlaps(self, points, sizes, columns["clusters"])
        return self._put(columns, laws=laws)

    def _sphere_columns(
        self, centers: _Doubles, radii: _Doubles, material: Material, number: int
    ) -> dict[str, NDArray[Any]]:
        if material.density is None:
            raise ValueError(f"{material} has no density, but spheres need one")
        return sphere_columns(centers, radii, material.density, number)

    def _put(self, columns: dict[str, NDArray[Any]], **parts: Any) -> _Indices:
        """Add spheres, and change these parts of what is known; their ids."""
        count = len(columns["radii"])
        numbers = self._settled().with_spheres(count)
        self._core.add(columns, self._changed(numbers=numbers, **parts))
        self._check_images()
        return numbers.ids[len(numbers.ids) - count :].copy()

    @changes
    def remove_spheres(self, ids: ArrayLike) -> None:
        """Take spheres away.

        Parameters
        ----------
        ids : (k,) array_like of int
            As `add_spheres` returned them.

        Raises
        ------
        ValueError
            If there is no such sphere, or one is a member of a cluster: `remove_clusters` takes
            the whole.
        TypeError
            If they are no integers.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> ids = sim.add_spheres([[0, 0, 0], [0, 0, 1]], 0.1, abut.Material(1000, 1e7))
        >>> sim.remove_spheres(sim.ids[sim.centers[:, 2] < 0.5])
        >>> sim.ids
        array([1])
        """
        numbers = self._settled()
        rows = find(numbers.ids, ids, "sphere", "ids", "sim.ids")
        if len(numbers.clusters):
            self._check_members(rows)
        self._remove(rows, np.empty(0, np.intp))

    def _check_members(self, rows: _Indices) -> None:
        """Complain of members of clusters among spheres that are to go."""
        clusters = self._core.read("clusters")[rows]
        members = np.flatnonzero(clusters >= 0)
        if len(members):
            numbers = self._settled()
            raise ValueError(
                f"sphere {numbers.ids[rows[members[0]]]} is a member of cluster"
                f" {numbers.clusters[clusters[members[0]]]}: remove_clusters takes the whole"
            )

    def _remove(self, rows: _Indices, cluster_rows: _Indices) -> None:
        numbers = self._settled()
        is_gone = np.zeros(len(numbers.ids), np.uint8)
        is_gone[rows] = 1
        self._core.remove(is_gone, self._changed(numbers=numbers.without(rows, cluster_rows)))

    def _assign(self, stored: str, array: NDArray[Any]) -> None:
        self._core.assign({stored: array})
        if stored == "radii":
            self._check_images()

    def _check_images(self) -> None:
        """Warn once of spheres that reach over a period."""
        lengths = [length for length in self._period or () if length is not None]
        if "image" in self._watch.said or not lengths:
            return
        large = np.flatnonzero(2.0 * self.radii > min(lengths))
        if len(large):
            self._watch.tell(
                "image",
                f"sphere {self.ids[large[0]]} is larger than a period, {min(lengths):g}, and"
                " touches its own image, which exerts nothing",
            )

    # ---- clusters ----

    @changes
    def add_clusters(
        self,
        cluster: Cluster,
        positions: ArrayLike,
        material: Material,
        orientations: Orientations | None = None,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
    ) -> _Indices:
        """Add rigid bodies that are all alike.

        Parameters
        ----------
        cluster : Cluster
        positions : (c, 3) array_like
            Of their centers of mass: of the union of the spheres, or the origin of the cluster's
            frame where its mass was given.
        material : Material
            Of all spheres; with a density, but for a cluster whose mass was given.
        orientations : (c, 4) array_like or scipy.spatial.transform.Rotation, optional
            From the cluster's frame to the world: quaternions x, y, z, w, normalized here.
        velocities, angular_velocities : (c, 3) or (3,) array_like, optional
            By default they are at rest.

        Returns
        -------
        (c,) ndarray of intp
            Their numbers, which last. Their spheres have ids, too.

        Raises
        ------
        ValueError
            If a number is not finite, a shape wrong, the material has no density, or one of its
            laws has `RollingA`.
        TypeError
            If an argument is of another type.

        Warns
        -----
        SimulationWarning
            As `add_spheres`.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> dumbbell = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.1)
        >>> sim.add_clusters(dumbbell, [[0, 0, 0], [0, 0, 1]], abut.Material(1000, 1e7))
        array([0, 1])
        >>> sim.clusters.positions[1], len(sim.ids)
        (array([0., 0., 1.]), 4)
        """
        if not isinstance(cluster, Cluster):
            kind = checks.a_or_an(type(cluster).__name__)
            raise TypeError(f"cluster is {kind}, but must be a Cluster")
        places = read_points(positions, "positions")
        count = len(places)
        turns = read_orientations(orientations, count, "orientations")
        spins = read_vectors(angular_velocities, "angular_velocities", count)
        laws, number = self._laws.numbered(material)
        bodies, spheres = self._cluster_columns(cluster, material, number, places, turns)
        bodies["velocities"] = read_vectors(velocities, "velocities", count)
        bodies["angular_momenta"] = angular_momenta(bodies, spins)
        warn_of_overlaps(self, spheres["centers"], spheres["radii"], spheres["clusters"])
        return self._put_clusters(cluster, bodies, spheres, laws=laws)

    def _cluster_columns(
        self,
        cluster: Cluster,
        material: Material,
        number: int,
        positions: _Doubles,
        turns: _Doubles,
    ) -> tuple[dict[str, NDArray[Any]], dict[str, NDArray[Any]]]:
        """Clusters at rest, and their spheres."""
        self._laws.check_clusters([number])
        principal = product(turns, from_matrix(cluster.axes))
        bodies = cluster_columns(cluster, material, positions, principal)
        return bodies, member_columns(cluster, bodies, number)

    def _put_clusters(
        self,
        cluster: Cluster,
        bodies: dict[str, NDArray[Any]],
        spheres: dict[str, NDArray[Any]],
        **parts: Any,
    ) -> _Indices:
        """Add clusters, and change these parts of what is known; their numbers."""
        count = len(bodies["masses"])
        numbers = self._settled().with_spheres(len(spheres["radii"]))
        numbers = numbers.with_clusters(count, from_matrix(cluster.axes))
        self._core.add_clusters(bodies, spheres, self._changed(numbers=numbers, **parts))
        self._check_images()
        return numbers.clusters[len(numbers.clusters) - count :].copy()

    @changes
    def remove_clusters(self, numbers: ArrayLike) -> None:
        """Take clusters away, with all of their spheres.

        Parameters
        ----------
        numbers : (k,) array_like of int
            As `add_clusters` returned them.

        Raises
        ------
        ValueError
            If there is no such cluster.
        TypeError
            If they are no integers.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> dumbbell = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.1)
        >>> numbers = sim.add_clusters(dumbbell, [[0, 0, 0], [0, 0, 1]], abut.Material(1000, 1e7))
        >>> sim.remove_clusters(numbers[:1])
        >>> sim.clusters.numbers, sim.ids
        (array([1]), array([2, 3]))
        """
        known = self._settled().clusters
        clusters = find(known, numbers, "cluster", "numbers", "sim.clusters.numbers")
        members = np.flatnonzero(np.isin(self._core.read("clusters"), clusters))
        self._remove(members, clusters)

    @property
    def clusters(self) -> Clusters:
        return self._once("clusters", self._read_clusters)

    @clusters.setter
    @changes
    def clusters(self, clusters: Clusters) -> None:
        now = self._core.clusters()
        numbers, positions, turns, velocities, momenta = clusters
        known = self._settled()
        if not np.array_equal(numbers, known.clusters):
            raise ValueError("clusters are assigned whole: numbers must be those of now")
        count = len(known.clusters)
        users = read_orientations(turns, count, "orientations")
        given = {
            "positions": read_vectors(positions, "positions", count),
            "orientations": product(users, known.frames),
            "velocities": read_vectors(velocities, "velocities", count),
            "angular_momenta": read_vectors(momenta, "angular_momenta", count),
        }
        self._core.assign_clusters(now | given)

    def _read_clusters(self) -> Clusters:
        found, known = self._core.clusters(), self._settled()
        turns = locked(product(found["orientations"], inverse(known.frames)))
        return Clusters(
            known.clusters,
            found["positions"],
            turns,
            found["velocities"],
            found["angular_momenta"],
        )

    # ---- convex bodies ----

    @changes
    def add_bodies(
        self,
        shape: ConvexShape,
        positions: ArrayLike,
        material: Material,
        *,
        orientations: Orientations | None = None,
        scales: ArrayLike = 1.0,
        masses: ArrayLike | None = None,
        velocities: ArrayLike | None = None,
        angular_velocities: ArrayLike | None = None,
    ) -> _Indices:
        """Add convex bodies of one shape.

        They touch each other, spheres and walls. Each spot of a contact has the force of a
        `Linear` law: its stiffness times the spot's own overlap, damping, and friction with a
        spring of its own. docs/dem.md, section 10, says more.

        Parameters
        ----------
        shape : ConvexShape
            A polyhedron.
        positions : (b, 3) array_like
            Where each has the origin of the shape's frame: as `ConvexFinder` takes them.
        material : Material
            With a density, unless masses are given. Its laws must be `Linear`, without rolling.
        orientations : (b, 4) array_like or scipy.spatial.transform.Rotation, optional
            From the shape's frame to the world: quaternions x, y, z, w, normalized here.
        scales : (b,) array_like or float, default 1
            By which each is larger than its shape.
        masses : (b,) array_like or float, optional
            By default density x volume, rounding included. The inertia goes with the mass.
        velocities : (b, 3) or (3,) array_like, optional
            Of the centers of mass. By default they are at rest.
        angular_velocities : (b, 3) or (3,) array_like, optional

        Returns
        -------
        (b,) ndarray of intp
            Their numbers, which last.

        Raises
        ------
        ValueError
            If a number is not finite, a scale or mass not positive, an array's shape wrong, the
            shape a polygon, the material has no density, or one of its laws is `Hertz` or has
            rolling.
        TypeError
            If an argument is of another type.

        Examples
        --------
        A cube that falls on a floor and comes to rest there:

        >>> import abut
        >>> cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        >>> wood, rigid = abut.Material(density=500), abut.Material()
        >>> sim = abut.Simulation(step=2e-4)
        >>> sim.set_law(wood, rigid, abut.Linear(1e6, friction=0.5, restitution=0.2))
        >>> floor = sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), rigid)
        >>> sim.add_bodies(cube, [[0, 0, 0.2]], wood, scales=0.1)
        array([0])
        >>> sim.run(1.0)
        >>> floor.force.round(3) + 0.0
        array([  0.  ,   0.  , -39.24])
        >>> sim.bodies.positions.round(4) + 0.0
        array([[0. , 0. , 0.1]])
        """
        read_shape(shape)
        places = read_points(positions, "positions")
        check_finite(places, "positions")
        count = len(places)
        sizes = positive_numbers(scales, "scales", count)
        heavy = read_masses(masses, shape, sizes, material)
        turns = read_orientations(orientations, count, "orientations")
        spins = read_vectors(angular_velocities, "angular_velocities", count)
        laws, number = self._laws.numbered(material)
        laws.check_bodies([number])
        shapes = self.shapes if shape in self.shapes else (*self.shapes, shape)
        columns = body_columns(shape, shapes.index(shape), sizes, heavy, number)
        columns |= {"positions": places, "orientations": turns}
        columns["velocities"] = read_vectors(velocities, "velocities", count)
        columns["angular_momenta"] = body_momenta(columns, spins)
        numbers = self._settled().with_bodies(count)
        then = self._changed(numbers=numbers, laws=laws, shapes=shapes)
        self._core.add_bodies(columns, then)
        return numbers.bodies[len(numbers.bodies) - count :].copy()

    @changes
    def remove_bodies(self, numbers: ArrayLike) -> None:
        """Take bodies away.

        Parameters
        ----------
        numbers : (k,) array_like of int
            As `add_bodies` returned them.

        Raises
        ------
        ValueError
            If there is no such body.
        TypeError
            If they are no integers.

        Examples
        --------
        >>> import abut
        >>> tetra = abut.ConvexShape([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> sim = abut.Simulation(step=1e-3)
        >>> numbers = sim.add_bodies(tetra, [[0, 0, 0], [0, 0, 2]], abut.Material(density=1000))
        >>> sim.remove_bodies(numbers[:1])
        >>> sim.bodies.numbers
        array([1])
        """
        known = self._settled()
        rows = find(known.bodies, numbers, "body", "numbers", "sim.bodies.numbers")
        is_gone = np.zeros(len(known.bodies), np.uint8)
        is_gone[rows] = 1
        self._core.remove_bodies(is_gone, self._changed(numbers=known.without_bodies(rows)))

    @property
    def shapes(self) -> tuple[ConvexShape, ...]:
        return self._known.shapes

    @property
    def bodies(self) -> Bodies:
        return self._once("bodies", self._read_bodies)

    @bodies.setter
    @changes
    def bodies(self, bodies: Bodies) -> None:
        check_assigned(bodies, self.bodies)
        count = len(bodies.numbers)
        given = {
            name: read_vectors(getattr(bodies, name), name, count)
            for name in ("positions", "velocities", "angular_momenta")
        }
        turns = read_orientations(bodies.orientations, count, "orientations")
        self._core.assign_bodies(given | {"orientations": turns})

    def _read_bodies(self) -> Bodies:
        return bodies_of(self._settled().bodies, self._core.bodies(), self.shapes)

    def _outlines(self) -> tuple[_Doubles, _Doubles]:
        """Centers and radii of the spheres about the bodies."""
        of = self.bodies
        reaches = np.array([shape.circumradius for shape in self.shapes])[of.shape]
        return of.centers, reaches * of.scales

    @property
    def body_contacts(self) -> BodyContacts:
        return self._once("body_contacts", lambda: self._read_meeting(0))

    @property
    def body_pairs(self) -> BodyContacts:
        return self._once("body_pairs", lambda: self._read_meeting(1))

    @property
    def body_sphere_pairs(self) -> BodyContacts:
        return self._once("body_sphere_pairs", lambda: self._read_meeting(2))

    def _read_meeting(self, number: int) -> BodyContacts:
        columns = self._core.body_contacts(number)
        count = len(self._settled().bodies)
        return body_contacts(columns, self._walls.order, count, self._period)

    # ---- walls ----

    @changes
    def add_wall(
        self,
        mesh: Any,
        material: Material | None = None,
        motion: Motion | Callable[[float], Any] | None = None,
    ) -> Wall:
        """Add a wall.

        Parameters
        ----------
        mesh : Mesh, or whatever `Mesh.from_any` takes, or HalfSpace
            Where the wall is now; both sides of a mesh are hard. Of a half space a contact's facet
            is 0, and its normal must be perpendicular to axes with a period.
        material : Material, optional
            By default a rigid one, ``Material()``.
        motion : Rotating, Translating, Oscillating, Motions or callable, optional
            How it moves from now on: see `Wall`. By default it stands still.

        Returns
        -------
        Wall
            Tells what spheres and bodies exert on it, and takes another motion.

        Raises
        ------
        ValueError
            If the motion of a callable is not rigid, or pose and twist do not agree; or a half
            space does not go with a period, or with resolution "sharing".
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
        surface = mesh if isinstance(mesh, HalfSpace) else Mesh.from_any(mesh)
        if isinstance(surface, HalfSpace):
            check_half_space(surface, self._period, self._resolution)
        entry = WallEntry(surface, number, None, self.time, np.eye(4))
        self._walls.add(entry, motion, self.time, self._changed(laws=laws))
        return self.walls[-1]

    @changes
    def _move_wall(self, number: int, motion: object) -> None:
        self._walls.move(number, motion, self.time)

    # ---- what happens on the way ----

    @changes
    def add_force(self, call: Callable[[Simulation], Any]) -> None:
        """Add forces of your own, such as drag or a field.

        Parameters
        ----------
        call : callable
            Takes the simulation at the beginning of each step, and returns forces (n, 3), or a
            tuple (forces, torques) of both. Of several callables they add up.

        Raises
        ------
        TypeError
            If `call` cannot be called.

        Notes
        -----
        What `run` raises for a wrong shape, or for NaN, names the callable; what the callable
        raises comes out of `run` unchanged. The simulation has done whole steps then, and goes on.
        With a callable each step goes through Python, where it takes some microseconds and the
        callable's own time.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=0.01, gravity=(0, 0, 0))
        >>> _ = sim.add_spheres([[0, 0, 0]], 0.1, abut.Material(density=1000))
        >>> sim.add_force(lambda s: -4.0 * s.velocities + [8.0, 0, 0])
        >>> sim.run(20.0)
        >>> sim.velocities.round(3)
        array([[2., 0., 0.]])
        """
        self._forces.append(_read_call(call))

    @changes
    def add_body_force(self, call: Callable[[Simulation], Any]) -> None:
        """Add forces of your own on convex bodies, as `add_force` does on spheres.

        Parameters
        ----------
        call : callable
            Takes the simulation at the beginning of each step, and returns forces (b, 3) on the
            centers of mass, or a tuple (forces, torques) of both.

        Raises
        ------
        TypeError
            If `call` cannot be called.

        Examples
        --------
        >>> import abut
        >>> tetra = abut.ConvexShape([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> sim = abut.Simulation(step=0.01, gravity=(0, 0, 0))
        >>> _ = sim.add_bodies(tetra, [[0, 0, 0]], abut.Material(), masses=2.0)
        >>> sim.add_body_force(lambda s: [[4.0, 0, 0]])
        >>> sim.run(1.0)
        >>> sim.bodies.velocities.round(3)
        array([[2., 0., 0.]])
        """
        self._body_forces.append(_read_call(call))

    @changes
    def every(self, interval: float, call: Callable[[Simulation], Any]) -> None:
        """Call something at regular times: after each step whose number is a multiple.

        Parameters
        ----------
        interval : float
            Of time; rounded to whole steps, at least one.
        call : callable
            Takes the simulation. What is called after the same step is called in the order in
            which it was registered; nothing is called at the start. A call that Ctrl-C interrupts
            is made again when the simulation goes on.

        Raises
        ------
        ValueError
            If `interval` is not positive.
        TypeError
            If `call` cannot be called.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=0.25)
        >>> sim.every(0.5, lambda s: print(s.time))
        >>> sim.run(1.0)
        0.5
        1.0
        """
        self._add_event(interval, partial(_read_call(call), self))

    @changes
    def record(self, interval: float, call: Callable[[Simulation], Any]) -> Record:
        """Write down a number, or an array, at regular times.

        Parameters
        ----------
        interval : float
            As for `every`.
        call : callable
            Takes the simulation and returns the value.

        Returns
        -------
        Record
            With `times` and `values`; it grows while the simulation goes on.

        Raises
        ------
        ValueError, TypeError
            As `every`.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=0.25)
        >>> counts = sim.record(0.5, lambda s: s.step_count)
        >>> sim.run(1.0)
        >>> counts.times, counts.values
        (array([0.5, 1. ]), array([2, 4]))
        """
        record, value = Record(), _read_call(call)
        self._add_event(interval, lambda: record._add(self.time, value(self)))
        return record

    def _add_event(self, interval: float, call: Callable[[], object]) -> None:
        steps = self._steps_of(checks.positive(interval, "interval"), "interval")
        self._schedule.add(max(1, steps), self.step_count, call)

    @changes
    def add_insertion(self, feed: Insertion, until: float | None = None) -> None:
        """Let spheres or clusters come in from now on.

        Parameters
        ----------
        feed : Insertion
            What comes, where and how fast.
        until : float, optional
            Time of the simulation after which nothing comes any more.

        Raises
        ------
        ValueError
            If `until` is no number, or a cluster's laws have `RollingA`.
        TypeError
            If `feed` is no Insertion.

        Examples
        --------
        >>> import abut
        >>> grain = abut.Material(density=1000, young=1e7)
        >>> sim = abut.Simulation(step=1e-3)
        >>> box = [[0, 0, 0], [1, 1, 1]]
        >>> sim.add_insertion(abut.Insertion(box, 0.01, rate=100, material=grain), until=0.05)
        >>> sim.run(0.1)
        >>> len(sim.ids)
        5
        """
        if not isinstance(feed, Insertion):
            kind = checks.a_or_an(type(feed).__name__)
            raise TypeError(f"feed is {kind}, but must be an Insertion")
        end = None if until is None else checks.finite(until, "until")
        laws, number = self._laws.numbered(feed.material)
        if feed.cluster is not None:
            laws.check_clusters([number])
        begun = Feed(feed, feed.begin(), self.time, end, self.step_count)
        self._core.note(self._changed(laws=laws, feeds=(*self._known.feeds, begun)))

    # ---- going on ----

    def run(
        self, duration: float | None = None, *, steps: int | None = None, progress: bool = False
    ) -> None:
        """Go on.

        Parameters
        ----------
        duration : float, optional
            Of time: ``round(duration / step)`` steps.
        steps : int, optional
            Their number, instead.
        progress : bool, default False
            Write a line on standard error now and then, by tqdm where it is installed: spheres,
            contacts, nanoseconds a sphere and step, and the time that is left.

        Raises
        ------
        ValueError
            If the duration is negative or no number, two materials meet without a law, or what a
            callable returned is wrong.
        FloatingPointError
            If the center of a sphere is not finite any more; the message names sphere and step.
        KeyboardInterrupt
            On Ctrl-C.
        RuntimeError
            If it runs already.

        Warns
        -----
        SimulationWarning
            If `step` is longer than 1.5 times the longest stable one: at the start, after two
            steps, and then every 200 steps, of fewer than 20 spheres and bodies less often. If a
            sphere moves by more than its radius in a step, and may pass through a wall. If an
            overlap grows beyond 10 % of a radius, the smaller one of two spheres. Of a convex body
            the radius is that of the largest sphere about its center of mass that is inside of it.

        Notes
        -----
        Of each thing a simulation warns once, and names the first who does it: also where it runs
        on by another call, and where it was saved and loaded in between.

        Whatever ends a run, the simulation is as it was after a whole step, and `run` goes on from
        there.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=0.25)
        >>> sim.run(1.0)
        >>> sim.run(steps=6)
        >>> sim.step_count, sim.time
        (10, 2.5)
        """
        count = self._read_steps(duration, steps)
        level()  # complains where the environment names a wrong one
        with self._core.lock(True), self._clock.of("run"):
            self._prepare(count)
            told = Progress(count, self._count) if progress else None
            try:
                self._go_on(self.step_count + count, told)
            finally:
                if told is not None:
                    told.close()

    def _read_steps(self, duration: float | None, steps: int | None) -> int:
        if (duration is None) == (steps is None):
            raise TypeError("run takes a duration, or steps=, and not both")
        if duration is not None:
            return self._steps_of(checks.not_negative(duration, "duration"), "duration")
        count = checks.whole(steps, "steps")
        if count < 0:
            raise ValueError(f"steps is {count}, but must be 0 or more")
        return count

    def _steps_of(self, time: float, name: str) -> int:
        steps = time / self._step
        if not steps < MOST_STEPS:
            raise ValueError(f"{name} is {time:g}, which is more steps than can be counted")
        return round(steps)

    def _prepare(self, count: int) -> None:
        """What is looked at once a run."""
        if self._resolution == "sharing":
            self._laws.check_sharing(entry.material for entry in self._walls.entries)
        self._core.lend(partial(self._walls.check_given, self.time))
        largest = float(self.radii.max(initial=0.0))
        finder, (prepared, radius) = self._walls.finder, self._prepared
        is_new = largest > (radius if finder is prepared else 0.0)
        if finder is not None and is_new and count * len(self.ids) >= _MANY_QUERIES:
            finder.prepare(largest)
            self._prepared = finder, largest

    def _go_on(self, end: int, told: Progress | None) -> None:
        # of the step before, what Ctrl-C or an error has left over
        self._finish_step()
        if self.step_count == end:
            return
        self._watch.begin(self)
        while self.step_count < end:
            self._advance(self._next_step(end, told) - self.step_count)
            self._watch.look(self)
            self._finish_step()
            if told is not None:
                told.update()

    def _next_step(self, end: int, told: Progress | None) -> int:
        """The number of the step up to which the library may go on by itself."""
        now = self.step_count
        if self._forces or self._body_forces or self._walls.has_given:
            return now + 1
        ahead = [feed.steps_ahead(now, self._step) for feed in self._known.feeds]
        if told is not None:
            ahead.append(told.steps_ahead(now))
        ends = [now + steps for steps in ahead]
        return min(self._schedule.next_step(now, end), *ends, self._watch.due, end)

    def _advance(self, steps: int) -> None:
        if self._forces or self._body_forces:
            with self._clock.of("calls"):
                self._apply_forces()
        try:
            stopped = self._core.run(steps)
        finally:
            self._watch.take(self)
        if stopped is not None:
            self._watch.give()
            raise self._error(*stopped)
        if self._walls.has_given:
            with self._clock.of("calls"):
                self._core.lend(partial(self._walls.place_given, self.time))

    def _error(self, status: int, row: int, detail: int, value: float) -> Exception:
        """What ended a run, with the sphere's id, or the body's number."""
        if status in _OF_BODIES:
            return self._body_error(status, row, detail, value)
        sphere = self.ids[row]
        if status == _core.TOO_MANY_IMAGES:
            return _images_error(f"sphere {sphere}")
        if status == _core.SPHERE_LOST:
            return FloatingPointError(
                f"sphere {sphere} is lost in step {detail}: its center is not finite, or too far"
                " away; stable_step() tells how long a step may be"
            )
        return ValueError(f"sphere {sphere} of {self._laws.missing(detail, int(value))}")

    def _body_error(self, status: int, row: int, detail: int, value: float) -> Exception:
        body = f"body {self._settled().bodies[row]}"
        if status == _core.BODY_LOST:
            return FloatingPointError(
                f"{body} is lost in step {detail}: its position is not finite, or too far away;"
                " stable_step() tells how long a step may be"
            )
        if status == _core.BODY_IMAGES:
            return ValueError(
                f"{body} meets sphere {self.ids[detail]} at more than one image: the period is too"
                " short for them"
            )
        if status == _core.BODY_MANY_IMAGES:
            return _images_error(body)
        if status == _core.BODY_TOO_SMALL:
            return ValueError(
                f"{body} has the circumscribed radius {value}, but needs at least 1e-75"
            )
        return ValueError(f"{body} of {self._laws.missing(detail, int(value))}")

    def _apply_forces(self) -> None:
        """Ask the callables; where one fails, nothing is applied."""
        if self._body_forces:
            count = len(self._settled().bodies)
            asked = partial(self._asked, self._body_forces, count, "add_body_force")
            self._core.apply_to_bodies(*self._core.lend(asked))
        if self._forces:
            asked = partial(self._asked, self._forces, len(self.ids), "add_force")
            self._core.apply(*self._core.lend(asked))

    def _asked(
        self, calls: list[Callable[[Simulation], Any]], count: int, adder: str
    ) -> tuple[_Doubles, _Doubles]:
        """Forces and torques of all callables."""
        forces, torques = np.zeros((2, count, 3))
        for k, call in enumerate(calls):
            force, torque = read_forces(call(self), count, k, adder)
            forces += force
            torques += torque
        return forces, torques

    def _finish_step(self) -> None:
        """What is to happen after the last step, and has not happened yet."""
        now = self.step_count
        for number, feed in enumerate(self._known.feeds):
            if feed.seen < now and feed.is_due(now, self._step):
                with self._clock.of("insertion"):
                    self._insert(number, feed)
        self._schedule.note(now)
        if self._schedule.has_due:
            with self._clock.of("calls"):
                self._core.lend(self._schedule.call_due)

    def _insert(self, number: int, feed: Feed) -> None:
        """Add what is due and finds a place; where that fails, it is due again."""
        insertion, since, now = feed.insertion, self.time - feed.start, self.step_count
        state, near = feed.state.copy(), partial(touching, self)
        where, what = insertion.draw(state, since, near, self._period, feed.tries(now))
        feeds = [*self._known.feeds]
        feeds[number] = feed.asked(now, state)
        parts: dict[str, Any] = {"feeds": tuple(feeds)}
        if not len(where):
            self._core.note(self._changed(**parts))
            return
        material = self._laws.numbered(insertion.material)[1]
        if insertion.cluster is None:
            self._put(self._sphere_columns(where, what, insertion.material, material), **parts)
            return
        turns = np.ascontiguousarray(what)
        found = self._cluster_columns(insertion.cluster, insertion.material, material, where, turns)
        self._put_clusters(insertion.cluster, *found, **parts)

    # ---- what came of it ----

    @property
    def contacts(self) -> Contacts:
        return self._once("contacts", lambda: self._walls.contacts(self._period))

    @property
    def pairs(self) -> Pairs:
        return self._once("pairs", self._read_pairs)

    def _read_pairs(self) -> Pairs:
        settings = {"period": self._period, "other_count": None}
        return Pairs._found(table_columns(self._core.pairs()), settings)

    @property
    def energy(self) -> Energy:
        return Energy(*self._core.energy())

    def stable_step(self) -> float:
        """The longest stable step.

        Returns
        -------
        float
            Of spheres and bodies that touched something at the beginning of the last step, by the
            stiffness and the damping of their contacts; of other spheres 0.3 of Rayleigh's time, or
            with linear laws 0.3 pi sqrt(m / k), of other bodies as if four spots bore them.
            Infinite without spheres, bodies and laws.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-5)
        >>> glass = abut.Material(density=2500, young=6e10)
        >>> sim.set_law(glass, glass, abut.Hertz())
        >>> _ = sim.add_spheres([[0, 0, 0]], 1e-3, glass)
        >>> f"{sim.stable_step():.3g}"
        '3.28e-07'
        """
        return self._longest_step().step

    def _longest_step(self) -> StableStep:
        free = self._laws.free_steps(self.material, self.radii, self.masses)
        step, row, contacts = self._core.stable_step(free)
        of_bodies, number, spots = self._core.stable_step_of_bodies()
        if of_bodies < step:
            return StableStep(of_bodies, BODY, number, spots)
        return StableStep(step, SPHERE, row, contacts)

    def _count(self) -> Counts:
        found = self.statistics()
        touching = found.contacts + found.pairs + found.body_contacts
        return Counts(found.steps, found.spheres + found.bodies, touching, found.sphere_steps)

    def statistics(self) -> SimulationStatistics:
        """What the steps did so far, and where the time went.

        Returns
        -------
        SimulationStatistics
            Its text is a table of the parts of a step.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=0.25)
        >>> sim.run(1.0)
        >>> sim.statistics().steps
        4
        """
        return SimulationStatistics.of(self._core.statistics(), self._clock.seconds())

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
        from .restart import save

        save(self, path)

    def __reduce__(self) -> Any:
        raise TypeError("a Simulation is neither pickled nor copied: save writes it to a file")

    def __repr__(self) -> str:
        known = self._settled()
        counts = [checks.counted(len(known.ids), "sphere")]
        if len(known.clusters):
            counts.append(checks.counted(len(known.clusters), "cluster"))
        if len(known.bodies):
            counts.append(checks.counted(len(known.bodies), "body", "bodies"))
        counts.append(checks.counted(len(self._walls.entries), "wall"))
        steps = checks.counted(self.step_count, "step")
        return f"Simulation({', '.join(counts)}; {steps}, time {self.time:g})"


def _images_error(name: str) -> ValueError:
    return ValueError(
        f"{name} may touch more than a million periodic images of walls: its size, the walls and"
        " the period must be in one unit"
    )


def _read_call(call: Any) -> Callable[..., Any]:
    if not callable(call):
        kind = checks.a_or_an(type(call).__name__)
        raise TypeError(f"call is {kind}, but must be a callable that takes the simulation")
    called: Callable[..., Any] = call
    return called
