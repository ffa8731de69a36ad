"""Clusters (clumps, multispheres): rigid bodies made of spheres, which may overlap."""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.arithmetic import principal_axes
from ..base.arrays import Doubles
from ..base.poses import rotated
from ..base.values import NEW, Value
from .cluster_from_mesh import fit_cluster
from .inscribed import Distance
from .unions import union_moments

# An inertia may violate symmetry, and the triangle inequality of its moments, by this fraction of
# its largest entry. So an inertia that was written with six digits is accepted.
_INERTIA_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Cluster(Value):
    """A rigid body made of spheres (clump, multisphere), for `Simulation.add_clusters`.

    Mass, center of mass and inertia are those of the union of the spheres, filled with the
    material's density; where spheres overlap, the volume counts once. Mass or volume can be given
    instead, with the inertia, for a body that the spheres only approximate; `from_mesh` makes such
    spheres for a mesh.

    Parameters
    ----------
    centers : (k, 3) array_like
        Centers of the spheres, in the cluster's own frame.
    radii : float or (k,) array_like
    mass : float, optional
        Mass of the whole body.
    inertia : (3,) or (3, 3) array_like, optional
        About the center of mass: moments of inertia about the frame's axes, or the tensor. Give it
        if and only if `mass` or `volume` is given; with `volume` it is the inertia at a density of
        1, in length to the power of 5.
    volume : float, optional
        Volume of the whole body, in place of `mass`, which is then the material's density times
        this volume.
    center : (3,) array_like, optional
        The center of mass in the given frame, if `mass` or `volume` is given; by default the
        frame's origin.

    Attributes
    ----------
    centers : (k, 3) ndarray of float64
    radii : (k,) ndarray of float64
    offset : (3,) ndarray of float64
        The center of mass in the given frame.
    axes : (3, 3) ndarray of float64
        The principal axes in the given frame, as columns: right-handed, smallest moment first. If
        the inertia was given as three numbers, they are the axes of the given frame.
    members : (k, 3) ndarray of float64
        The spheres' centers relative to the center of mass, in the frame of the principal axes.
    distance : tuple (to_spheres, to_mesh), or None
        How far the surfaces of the spheres and of the mesh are apart, if `from_mesh` made the
        cluster.

    Raises
    ------
    ValueError
        If there is no sphere, a radius is not positive, a coordinate is not finite, or no body
        can have this mass and inertia. If both mass and volume are given, or one without inertia.
    TypeError
        If an argument is not an array of real numbers.

    Notes
    -----
    Mass and inertia of the union are integrals over plane cuts. Each cut is exact; Gauss'
    quadrature integrates over the cuts. The relative error is below 1e-6, in most cases 1e-10.

    Examples
    --------
    >>> import abut
    >>> dumbbell = abut.Cluster([[0, 0, 0], [1, 0, 0]], 1.0)
    >>> round(dumbbell.mass_for(density=1.0), 9)  # 9 pi / 4, not 8 pi / 3
    7.068583471
    >>> dumbbell.inertia_for(density=1.0).round(6)
    array([3.004148, 5.21308 , 5.21308 ])
    """

    centers: Doubles
    radii: Doubles
    mass: float | None = None
    inertia: Doubles | None = None
    volume: float | None = field(default=None, metadata={NEW: True})
    center: Doubles | None = field(default=None, metadata={NEW: True})

    def __post_init__(self) -> None:
        centers = checks.points(self.centers, "centers")
        if not len(centers):
            raise ValueError("centers is empty, but a cluster needs at least one sphere")
        radii = checks.lengths(self.radii, "radii", len(centers), "center")
        _check_spheres(centers, radii)
        self._check_given()
        given = self.inertia is not None
        self._settle(
            centers=_own(centers),
            radii=_own(radii),
            mass=None if self.mass is None else checks.positive(self.mass, "mass"),
            inertia=_read_inertia(self.inertia) if given else None,
            volume=None if self.volume is None else checks.positive(self.volume, "volume"),
            center=None if self.center is None else _read_center(self.center),
        )

    def _check_given(self) -> None:
        if self.mass is not None and self.volume is not None:
            raise ValueError("mass and volume are given, but the material's density relates them")
        name = "mass" if self.volume is None else "volume"
        given = self.mass is not None or self.volume is not None
        if given != (self.inertia is not None):
            raise ValueError(f"{name} and inertia go together: give both, or none")
        if self.center is not None and not given:
            raise ValueError("center is given without mass or volume: give these, too, or none")

    @classmethod
    def from_mesh(cls, mesh: Any, spheres: int = 30, *, smooth: float | None = None) -> Cluster:
        """Fill a closed mesh with spheres, for a body with the mesh's mass and inertia.

        The spheres are inside the mesh and touch it; they overlap each other. The first one is the
        largest that fits. Each further one is placed where it brings the surfaces nearest.

        Parameters
        ----------
        mesh : Mesh, mesh of another package, list of these, or (m, k, 3) array_like
            A closed mesh, or what `Mesh.from_any` makes one from; its fronts may be inside or
            outside. It may be concave, have holes and cavities. Several closed meshes must not
            overlap.
        spheres : int, default 30
            The largest number of spheres, at most 1000.
        smooth : float, optional
            A length: no more spheres are added when the mean distance from points of the mesh to
            the spheres is below it. By default 0.002 of the cube root of the volume.

        Returns
        -------
        Cluster
            Its spheres are sorted, the largest first. The given frame is that of the mesh, so
            `offset` is the mesh's center of mass. `volume` and `inertia` are exactly those of the
            mesh, by the divergence theorem. `distance` has the mean and the largest distance
            between the surfaces in the mesh's unit: ``distance.to_spheres.mean`` and ``.largest``
            from points of the mesh to the spheres, ``distance.to_mesh.mean`` and ``.largest`` from
            points on the outside of the spheres to the mesh. Restart files do not contain it.

        Raises
        ------
        ValueError
            If the mesh is not closed: the message names the edge. If it encloses no volume, or a
            number is out of range.
        TypeError
            If an argument is of another kind.

        Warns
        -----
        SimulationWarning
            If a point of the mesh is farther from the spheres than half the cube root of
            the volume, or a given `smooth` is not reached: there are too few spheres.

        Notes
        -----
        Candidates are the largest balls inside that touch the surface at given points, as in
        Ferellec and McDowell (Granular Matter 2010). Of these, the one is taken that lowers the
        mean square of the distances from the mesh to the spheres most, and is then moved to where
        it lowers it further. Centers on the medial axis, the largest first, and overlaps are also
        the recipe of CLUMP (Angelidakis et al., SoftwareX 2021), which uses a grid. Here there is
        no grid, so thin parts need no more time. The same mesh always has the same spheres. The
        time grows with the square of their number: one second for 30 and some minutes for 1000.

        Examples
        --------
        An L of two boxes, 3 wide and 2 high:

        >>> import abut
        >>> outline = [[0, 0], [3, 0], [3, 1], [1, 1], [1, 2], [0, 2]]
        >>> vertices = [[x, y, z] for z in (0, 1) for x, y in outline]
        >>> sides = [[k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6] for k in range(6)]
        >>> ends = [[0, 3, 2, 1], [0, 5, 4, 3], [6, 7, 8, 9], [6, 9, 10, 11]]
        >>> stone = abut.Cluster.from_mesh(abut.Mesh(vertices, sides + ends), spheres=20)
        >>> len(stone.radii), round(stone.volume, 12), stone.offset
        (20, 4.0, array([1.25, 0.75, 0.5 ]))
        >>> stone.distance.to_spheres.mean < 0.08
        True
        """
        found = fit_cluster(mesh, spheres, smooth)
        cluster = cls(*found.balls, inertia=found.inertia, volume=found.volume, center=found.center)
        cluster._settle(_distance=found.distance)
        return cluster

    @property
    def distance(self) -> Distance | None:
        """Distances between the spheres' surface and the mesh's, if made by `from_mesh`."""
        return vars(self).get("_distance")

    def mass_for(self, density: float | None) -> float:
        """The given mass, or that of the given volume or the spheres' union at this density."""
        if self.mass is not None:
            return self.mass
        return _density(density) * (self._body[0] if self.volume is None else self.volume)

    def inertia_for(self, density: float | None) -> Doubles:
        """The moments of inertia about the principal axes, (3,)."""
        principal = self._principal[0]
        return principal.copy() if self.mass is not None else _density(density) * principal

    @property
    def offset(self) -> Doubles:
        """The center of mass in the given frame, (3,)."""
        if self.inertia is None:
            return self._body[1]
        return np.zeros(3) if self.center is None else self.center.copy()

    @property
    def axes(self) -> Doubles:
        """The principal axes in the given frame, as columns (3, 3)."""
        return self._principal[1]

    @property
    def members(self) -> Doubles:
        """The spheres' centers relative to the center of mass, along the principal axes."""
        return rotated(self.centers - self.offset, self.axes.T)

    @cached_property
    def _body(self) -> tuple[float, Doubles, Doubles]:
        """The union's volume, center of mass, and inertia about this center for a density of 1."""
        # moments about the middle of the spheres, because far from it digits would cancel
        middle = self.centers.mean(axis=0)
        volume, first, second = union_moments(self.centers - middle, self.radii)
        center = first / volume
        spread = second - volume * (center[:, None] * center)
        inertia = np.trace(spread) * np.eye(3) - spread
        return volume, middle + center, inertia

    @cached_property
    def _principal(self) -> tuple[Doubles, Doubles]:
        """Principal moments, and axes as columns, of the given inertia or a union of density 1."""
        inertia = self._body[2] if self.inertia is None else self.inertia
        if inertia.ndim == 1:
            return inertia, np.eye(3)
        return principal_axes(inertia)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Cluster):
            return NotImplemented
        return self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((len(self.radii), self.mass, float(self.radii.sum())))

    def __repr__(self) -> str:
        parts = [checks.counted(len(self.radii), "sphere")]
        if self.mass is not None:
            parts.append(f"mass={self.mass:g}")
        if self.volume is not None:
            parts.append(f"volume={self.volume:g}")
        if self.distance is not None:
            mean, largest = self.distance.to_spheres
            parts.append(f"{mean:.2g} from the mesh, at most {largest:.2g}")
        return f"Cluster({', '.join(parts)})"

    def __getstate__(self) -> dict[str, Any]:
        # cached results are not stored, because they can be computed again
        kept = (*(entry.name for entry in fields(self)), "_distance")
        return {name: vars(self)[name] for name in kept if name in vars(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        # pickles of earlier versions have no volume and no center
        state = {"volume": None, "center": None} | state
        self._settle(**{k: _own(v) if isinstance(v, np.ndarray) else v for k, v in state.items()})


def _check_spheres(centers: Doubles, radii: Doubles) -> None:
    if not np.isfinite(centers).all():
        row, axis = np.argwhere(~np.isfinite(centers))[0]
        raise ValueError(f"centers[{row}, {axis}] is {centers[row, axis]}, but must be finite")
    sound = np.isfinite(radii) & (radii > 0)
    if not sound.all():
        row = int(np.argmin(sound))
        raise ValueError(f"radii[{row}] is {radii[row]}, but must be positive and finite")


def _read_center(value: object) -> Doubles:
    center = np.array(checks.vector(value, "center"))
    center.flags.writeable = False
    return center


def _read_inertia(value: object) -> Doubles:
    inertia = checks.doubles(value, "inertia")
    if inertia.shape not in ((3,), (3, 3)):
        raise ValueError(f"inertia has shape {inertia.shape}, but must be (3,) or (3, 3)")
    if not np.isfinite(inertia).all():
        raise ValueError("inertia has an entry that is not finite")
    slack = _INERTIA_TOLERANCE * np.abs(inertia).max()
    if inertia.ndim == 2:
        if np.abs(inertia - inertia.T).max() > slack:
            raise ValueError("inertia is not symmetric")
        inertia = (inertia + inertia.T) / 2
    _check_moments(inertia if inertia.ndim == 1 else principal_axes(inertia)[0], slack)
    return _own(inertia)


def _check_moments(moments: NDArray[Any], slack: float) -> None:
    if moments.min() <= 0:
        raise ValueError(f"inertia has the moment {moments.min():g}, but all must be positive")
    if 2 * moments.max() > moments.sum() + slack:
        raise ValueError(
            f"inertia has the moments {', '.join(f'{m:g}' for m in moments)}, but none may be"
            " larger than the sum of the other two"
        )


def _own(array: Doubles) -> Doubles:
    """A read-only copy."""
    array = array.copy()
    array.flags.writeable = False
    return array


def _density(density: float | None) -> float:
    if density is None:
        raise ValueError(
            "the cluster has no mass and its material no density: give Material(density=...)"
        )
    return density
