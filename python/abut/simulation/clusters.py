"""Clusters (clumps, multispheres): rigid bodies made of spheres, which may overlap."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base import checks
from ..base.arithmetic import principal_axes
from ..base.arrays import Doubles
from ..base.poses import rotated
from ..base.values import Value
from .unions import union_moments

# An inertia may violate symmetry, and the triangle inequality of its moments, by this fraction of
# its largest entry. So an inertia that was written with six digits is accepted.
_INERTIA_TOLERANCE = 1e-6


@dataclass(frozen=True, eq=False, repr=False)
class Cluster(Value):
    """A rigid body made of spheres (clump, multisphere), for `Simulation.add_clusters`.

    Mass, center of mass and inertia are those of the union of the spheres, filled with the
    material's density; where spheres overlap, the volume counts once. Mass and inertia can be given
    instead, for a body that the spheres only approximate.

    Parameters
    ----------
    centers : (k, 3) array_like
        Centers of the spheres, in the cluster's own frame.
    radii : float or (k,) array_like
    mass : float, optional
        Mass of the whole body. The frame's origin is then its center of mass.
    inertia : (3,) or (3, 3) array_like, optional
        About the frame's origin: moments of inertia about the frame's axes, or the tensor.
        Give it if and only if `mass` is given.

    Attributes
    ----------
    centers : (k, 3) ndarray of float64
    radii : (k,) ndarray of float64
    offset : (3,) ndarray of float64
        The center of mass in the given frame; zeros if the mass was given.
    axes : (3, 3) ndarray of float64
        The principal axes in the given frame, as columns: right-handed, smallest moment first. If
        the inertia was given as three numbers, they are the axes of the given frame.
    members : (k, 3) ndarray of float64
        The spheres' centers relative to the center of mass, in the frame of the principal axes.

    Raises
    ------
    ValueError
        If there is no sphere, a radius is not positive, a coordinate is not finite, or no body
        can have this mass and inertia.
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

    def __post_init__(self) -> None:
        centers = checks.points(self.centers, "centers")
        if not len(centers):
            raise ValueError("centers is empty, but a cluster needs at least one sphere")
        radii = checks.lengths(self.radii, "radii", len(centers), "center")
        _check_spheres(centers, radii)
        given = self.mass is not None
        if given != (self.inertia is not None):
            raise ValueError("mass and inertia go together: give both, or none")
        self._settle(
            centers=_own(centers),
            radii=_own(radii),
            mass=checks.positive(self.mass, "mass") if given else None,
            inertia=_read_inertia(self.inertia) if given else None,
        )

    def mass_for(self, density: float | None) -> float:
        """The given mass, or the mass of the union of the spheres with this density."""
        if self.mass is not None:
            return self.mass
        return _density(density) * self._body[0]

    def inertia_for(self, density: float | None) -> Doubles:
        """The moments of inertia about the principal axes, (3,)."""
        principal = self._principal[0]
        return principal.copy() if self.mass is not None else _density(density) * principal

    @property
    def offset(self) -> Doubles:
        """The center of mass in the given frame, (3,)."""
        return np.zeros(3) if self.mass is not None else self._body[1]

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
        mass = "" if self.mass is None else f", mass={self.mass:g}"
        return f"Cluster({checks.counted(len(self.radii), 'sphere')}{mass})"

    def __getstate__(self) -> dict[str, Any]:
        # cached results are not stored, because they can be computed again
        return {name: vars(self)[name] for name in ("centers", "radii", "mass", "inertia")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._settle(**{k: _own(v) if isinstance(v, np.ndarray) else v for k, v in state.items()})


def _check_spheres(centers: Doubles, radii: Doubles) -> None:
    if not np.isfinite(centers).all():
        row, axis = np.argwhere(~np.isfinite(centers))[0]
        raise ValueError(f"centers[{row}, {axis}] is {centers[row, axis]}, but must be finite")
    sound = np.isfinite(radii) & (radii > 0)
    if not sound.all():
        row = int(np.argmin(sound))
        raise ValueError(f"radii[{row}] is {radii[row]}, but must be positive and finite")


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
