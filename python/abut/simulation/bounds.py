"""Bounds of a simulation, and what happens to particles that leave them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base import checks
from ..base.arrays import Doubles, Indices
from ..base.periods import extent_along
from ..base.warnings import SimulationWarning, warn
from .population import Part
from .python_side import Bounds, OnLeave, changes

_WAYS: dict[OnLeave, int] = {"remove": 0, "raise": 1, "warn": 2}


class Leaving(Part):
    """Sets the bounds of a `Simulation`, and handles particles that leave them."""

    __slots__ = ()

    @changes
    def set_bounds(self, bounds: ArrayLike | None, on_leave: OnLeave = "raise") -> None:
        """Set the bounds of the simulation, and what happens to particles that leave them.

        Parameters
        ----------
        bounds : (2, 3) array_like or None
            Lower and upper corner; entries may be infinite. None removes the bounds.
        on_leave : {"raise", "remove", "warn"}
            What happens to particles with a center outside the bounds. "raise": the run ends with
            an error that names the first one. "remove": they are removed, with their bonds. "warn":
            they stay, and the run warns at its end if particles have left.

        Raises
        ------
        ValueError
            If the upper corner is not above the lower one, a number is NaN, the bounds cut into a
            periodic axis, or `on_leave` has another value.
        TypeError
            If the bounds are not numbers.

        Notes
        -----
        The check follows each step. Clusters and bodies leave as a whole, when their center of mass
        is outside. `left` is the number of particles that have left; a cluster counts as one.
        Particles that were placed outside are removed, or raise the error, after the next step.
        The warning counts only particles that moved out.

        Examples
        --------
        >>> import abut
        >>> sim = abut.Simulation(step=1e-3)
        >>> ids = sim.add_spheres([[0, 0, 0.1], [0, 0, 9]], 0.1, abut.Material(1000))
        >>> sim.set_bounds([[-1, -1, 0], [1, 1, 10]], on_leave="remove")
        >>> sim.run(0.5)
        >>> sim.ids, sim.left
        (array([1]), 1)
        """
        way: OnLeave = on_leave
        checks.choice(on_leave, "on_leave", _WAYS)
        corners = None if bounds is None else self._read_bounds(bounds)
        stored = None if corners is None else tuple(map(tuple, corners.tolist()))
        then = Bounds(stored, way, self.left - self._counted_again(way))
        self._core.set_bounds(corners, way != "warn", self._sim._changed(bounds=then))

    def _read_bounds(self, bounds: ArrayLike) -> Doubles:
        corners = np.array(checks.doubles(bounds, "bounds"))
        if corners.shape != (2, 3):
            raise ValueError(f"bounds has shape {corners.shape}, but must be (2, 3): two corners")
        for axis, name in enumerate("xyz"):
            low, high = corners[:, axis].tolist()
            if not low < high:
                raise ValueError(
                    f"bounds go from {low} to {high} along {name}: the upper corner must be above"
                    " the lower one"
                )
            self._check_periodic(axis, low, high)
        return corners

    def _check_periodic(self, axis: int, low: float, high: float) -> None:
        """Raise if bounds along an axis cut the periodic box."""
        start, end = extent_along(self._sim.period, axis)
        if low > start or high < end:
            raise ValueError(
                f"bounds go from {low} to {high} along {'xyz'[axis]}, but the world is periodic"
                f" there, from {start:g} to {end}: use -inf and inf"
            )

    def _counted_again(self, way: OnLeave) -> int:
        """The number of particles outside that `left` has counted and would count again."""
        bounds = self._sim._known.bounds
        if way != "remove" or bounds.on_leave == "remove" or bounds.corners is None:
            return 0
        spheres, bodies = (np.flatnonzero(mask) for mask in self._core.outside())
        return min(self._core.left_count(), self._leavers(spheres)[0] + len(bodies))

    def _leavers(self, spheres: Indices) -> tuple[int, Indices]:
        """The number of particles to which these spheres belong, and the rows of their clusters.

        A cluster counts as one particle. `spheres` are rows.
        """
        groups = self._sim.spheres.cluster[spheres]
        clusters = np.unique(groups[groups >= 0])
        return int(np.count_nonzero(groups < 0)) + len(clusters), clusters

    @property
    def left(self) -> int:
        bounds = self._sim._known.bounds
        still_there = 0 if bounds.on_leave == "remove" else self._core.left_count()
        return bounds.left + still_there

    def leave(self) -> None:
        """Remove the particles outside the bounds, or raise an error that names the first."""
        bounds = self._sim._known.bounds
        if bounds.corners is None or bounds.on_leave == "warn":
            return
        spheres, bodies = (np.flatnonzero(mask) for mask in self._core.outside())
        if not len(spheres) and not len(bodies):
            return
        if bounds.on_leave == "raise":
            raise ValueError(self._outside_text(spheres, bodies))
        if len(spheres):
            count, clusters = self._leavers(spheres)
            self._sim.spheres._remove(
                spheres, clusters, bounds=bounds._replace(left=bounds.left + count)
            )
            bounds = self._sim._known.bounds
        if len(bodies):
            then: dict[str, Any] = {"bounds": bounds._replace(left=bounds.left + len(bodies))}
            left = self._sim._settled().without_bodies(bodies)
            marks = self._sim.bodies._marks(bodies)
            self._core.remove(_core.BODIES, marks, self._sim._changed(numbers=left, **then))

    def _outside_text(self, spheres: Any, bodies: Any) -> str:
        """The error message for the first particle outside the bounds."""
        numbers = self._sim._settled()
        if len(spheres):
            row = spheres[0]
            cluster = int(self._sim.spheres.cluster[row])
            name, center = f"sphere {numbers.ids[row]}", self._sim.centers[row]
            if cluster >= 0:
                name = f"cluster {numbers.clusters[cluster]}"
                center = self._sim.clusters.positions[cluster]
        else:
            name, center = f"body {numbers.bodies[bodies[0]]}", self._sim.bodies.centers[bodies[0]]
        return (
            f"{name} has left the bounds: its center is at {center} after step"
            f' {self._sim.step_count}. set_bounds(bounds, on_leave="remove") removes what leaves'
        )

    def warn_of_left(self, before: int) -> None:
        """Warn of particles that left in a run; `before` is `left` at the start of the run."""
        count = self.left - before
        if self._sim._known.bounds.on_leave == "warn" and count > 0:
            names = checks.counted(
                count, "sphere, cluster or body has", "spheres, clusters or bodies have"
            )
            warn(
                f'{names} left the bounds in this run: on_leave="remove" removes them',
                SimulationWarning,
            )
