"""Arguments of clusters that are made from meshes, their inertia, and warnings about them."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base import checks
from ..base.arithmetic import logarithm, power_of_e
from ..base.arrays import Doubles
from ..base.warnings import SimulationWarning, warn
from ..search.mesh import Mesh
from .inscribed import Balls, Distance, Fit, fit_spheres
from .solids import Solid

# more spheres in a cluster take too much memory, and time in simulations
_MOST = 1000

# By default, no sphere is added if the mean distance is below this part of the solid's size, the
# cube root of its volume.
_SMOOTH = 2e-3

# A point of the mesh is bare if it is farther from the spheres than this part of the size.
_BARE = 0.5


class MeshCluster(NamedTuple):
    """Spheres for a mesh; volume, center and inertia (for a density of 1) of the mesh."""

    balls: Balls
    distance: Distance
    volume: float
    center: Doubles
    inertia: Doubles


def fit_cluster(mesh: Any, spheres: int, smooth: float | None) -> MeshCluster:
    """The spheres of `Cluster.from_mesh`, with the moments of the mesh."""
    count = checks.whole(spheres, "spheres")
    if not 1 <= count <= _MOST:
        raise ValueError(f"spheres is {count}, but must be from 1 to {_MOST}")
    limit = None if smooth is None else checks.positive(smooth, "smooth")
    given = Mesh.from_any(mesh)
    moments, middle = Solid(given, "mesh").moments()
    centered, exponent = _normalized(given, middle)
    solid = Solid(centered, "mesh")
    size = float(power_of_e(logarithm(abs(solid.volume)) / 3.0))
    wanted = _SMOOTH * size if limit is None else float(np.ldexp(limit, -exponent))
    fit = _scaled(fit_spheres(centered, solid, count, wanted), middle, exponent)
    _warn_of_few(fit, float(np.ldexp(size, exponent)), limit)
    arm = moments.first / moments.volume
    spread = moments.second - moments.volume * (arm[:, None] * arm)
    inertia = np.trace(spread) * np.eye(3) - spread
    return MeshCluster(fit.balls, fit.distance, moments.volume, middle + arm, inertia)


def _normalized(mesh: Mesh, middle: Doubles) -> tuple[Mesh, int]:
    """The mesh moved to the origin and scaled to about 1, and the power of 2 of its size.

    So the spheres do not depend on the place of the mesh nor on the unit of length.
    """
    pose = np.eye(4)
    pose[:3, 3] = -middle
    moved = mesh.transformed(pose)
    exponent = int(np.frexp(np.ptp(moved.bounds, axis=0).max())[1])
    return moved.scaled(float(np.ldexp(1.0, -exponent))), exponent


def _scaled(fit: Fit, middle: Doubles, exponent: int) -> Fit:
    """A fit in the unit and the place of the given mesh."""
    balls = Balls(
        np.ldexp(fit.balls.centers, exponent) + middle, np.ldexp(fit.balls.radii, exponent)
    )
    gaps = [type(gap)(*np.ldexp(gap, exponent).tolist()) for gap in fit.distance]
    return Fit(balls, Distance(*gaps), np.ldexp(fit.farthest, exponent) + middle)


def _warn_of_few(fit: Fit, size: float, limit: float | None) -> None:
    number = checks.counted(len(fit.balls.radii), "sphere")
    mean, largest = fit.distance.to_spheres
    if largest > _BARE * size:
        x, y, z = fit.farthest
        warn(
            f"parts of the mesh are bare: with {number}, the point ({x:.6g}, {y:.6g}, {z:.6g}) is"
            f" {largest:.3g} away. Give more spheres",
            SimulationWarning,
        )
    elif limit is not None and mean > limit:
        warn(
            f"with {number}, the mean distance from the mesh is {mean:.3g}, but smooth is"
            f" {limit:.3g}: give more spheres",
            SimulationWarning,
        )
