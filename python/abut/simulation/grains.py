"""Kinds of grains that an insertion inserts: spheres, clusters and convex bodies."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ..base import checks
from ..base.arithmetic import lengths, logarithm, power_of_e
from ..base.arrays import Doubles, Indices
from ..base.orientations import turned
from ..base.values import Value, add_kind
from ..laws.materials import Material
from ..search.shape import ConvexShape
from .clusters import Cluster
from .convex_bodies import shape_from, stored_shape
from .given_sizes import NamedSizes, Radii, read_radii
from .sizes import Sizes

# the number of orientations that are tried before a cluster counts as too large for the box
_TRIALS = 1000


@dataclass(frozen=True)
class Grains(Value):
    """One kind of grain: spheres of a distribution of radii, one cluster, or scaled bodies.

    A grain's *size* is the radius of a sphere, the scale of a body, and 1 for a cluster.
    """

    radii: Radii | None
    material: Material
    cluster: Cluster | None = None
    shape: ConvexShape | None = None
    share: float = 1.0

    def __post_init__(self) -> None:
        if not isinstance(self.material, Material):
            raise TypeError(f"material is {self.material!r}, but must be a Material")
        if self.cluster is not None and self.shape is not None:
            raise ValueError("cluster and shape are both given: give one of them")
        if self.shape is not None:
            _check_shape(self.shape)
            if self.radii is not None:
                self._settle(radii=read_radii(self.radii))
        elif self.cluster is None:
            self._settle(radii=read_radii(self.radii))
        elif not isinstance(self.cluster, Cluster):
            raise TypeError(f"cluster is {self.cluster!r}, but must be a Cluster")
        elif self.radii is not None:
            raise ValueError("radii must be None where clusters come: they have their own")
        self._settle(share=checks.positive(self.share, "share"))
        self._check_density()

    @property
    def turns(self) -> bool:
        """Whether the grains have orientations."""
        return self.cluster is not None or self.shape is not None

    # ---- sizes ----

    def sizes(self, generator: np.random.Generator, places: Doubles) -> Doubles:
        """Draw sizes of grains; `places` fill 0 to 1 evenly."""
        count = len(places)
        if self.radii is None:
            return np.ones(count)
        if isinstance(self.radii, Sizes):
            radii = self.radii._drawn(generator, places)
        elif isinstance(self.radii, tuple):
            low, high = self.radii
            radii = low + (high - low) * generator.random(count)
        else:
            radii = np.full(count, self.radii)
        return radii if self.shape is None else radii / self._equal_radius

    @property
    def is_even(self) -> bool:
        """Whether `sizes` needs places."""
        return isinstance(self.radii, Sizes)

    @property
    def is_unknown(self) -> bool:
        """Whether a function of the user draws the sizes."""
        return isinstance(self.radii, NamedSizes)

    @property
    def extremes(self) -> tuple[float, float]:
        """The smallest and the largest size."""
        if self.radii is None:
            return 1.0, 1.0
        radii: Any = self.radii.bounds if isinstance(self.radii, Sizes) else self.radii
        low, high = radii if isinstance(radii, tuple) else (radii, radii)
        unit = 1.0 if self.shape is None else self._equal_radius
        return low / unit, high / unit

    def radius(self, size: float) -> float:
        """Radius of a grain's largest sphere, or of the circumscribed sphere of a body."""
        if self.cluster is not None:
            return float(self.cluster.radii.max())
        return size if self.shape is None else size * self.shape.circumradius

    def volume(self, size: float) -> float:
        """A lower bound of the volume of a grain."""
        if self.shape is not None:
            return self.shape.volume * (size * size * size)
        radius = self.radius(size)
        return 4 / 3 * math.pi * (radius * radius * radius)

    def mass(self, size: float) -> float:
        """The mass of a grain of this size."""
        return self._unit_mass * (size * size * size)

    @cached_property
    def _unit_mass(self) -> float:
        """The mass of a grain of size 1."""
        density = self.material.density
        if self.cluster is not None:
            return self.cluster.mass_for(density)
        volume = 4 / 3 * math.pi if self.shape is None else self.shape.volume
        return density * volume  # type: ignore[operator]

    @cached_property
    def _equal_radius(self) -> float:
        """The radius of a sphere with the volume of the shape."""
        return float(power_of_e(logarithm(0.75 / math.pi * self.shape.volume) / 3.0))  # type: ignore[union-attr]

    def _check_density(self) -> None:
        if self.cluster is not None:
            self.cluster.mass_for(self.material.density)
        elif self.material.density is None:
            what = "spheres" if self.shape is None else "bodies"
            raise ValueError(f"material is {self.material}, but needs a density for {what}")

    # ---- outlines ----

    def members(self, sizes: Doubles, turns: Doubles) -> tuple[Doubles, Doubles]:
        """Spheres that contain the grains: centers (n, k, 3) relative to positions, radii (n, k).

        Positions are centers of mass.
        """
        if self.shape is not None:
            return np.zeros((len(sizes), 1, 3)), sizes[:, None] * self.shape.circumradius
        if self.cluster is None:
            return np.zeros((len(sizes), 1, 3)), sizes[:, None]
        members = turned(turns[:, None], self.cluster.centers - self.cluster.offset)
        return members, np.tile(self.cluster.radii, (len(turns), 1))

    def check_box(self, low: Doubles, high: Doubles, across: Indices) -> None:
        """Raise a ValueError if no grain, or not the largest one, fits between these corners.

        Only the axes `across` count.
        """
        smallest = float((high - low)[across].min())
        largest = self.radius(self.extremes[1])
        what = "spheres" if self.shape is None else "bodies"
        if 2 * largest > smallest:
            raise ValueError(
                f"the box is {smallest:g} wide, but the {what}' diameter is {2 * largest:g}: give a"
                " larger box or smaller radii"
            )
        if self.cluster is None:
            return
        turns = orientations(np.random.default_rng(0), _TRIALS)
        offsets, radii = self.members(np.ones(len(turns)), turns)
        reach = radii[..., None]
        widths = (offsets + reach).max(axis=1) - (offsets - reach).min(axis=1)
        if not (widths <= high - low)[:, across].all(axis=1).any():
            raise ValueError("the cluster fits into the box in no orientation: give a larger box")


def orientations(generator: np.random.Generator, count: int) -> Doubles:
    """Random unit quaternions (n, 4), uniform over all orientations."""
    found = np.empty((0, 4))
    while len(found) < count:
        # of random points in a cube of four dimensions, keep those in the ball that fits into it
        points = 2.0 * generator.random((4 * (count - len(found)), 4)) - 1.0
        sizes = lengths(points)
        inside = (sizes > 0) & (sizes <= 1)
        found = np.concatenate([found, points[inside] / sizes[inside, None]])
    return found[:count]


def _check_shape(shape: object) -> None:
    if not isinstance(shape, ConvexShape):
        kind = checks.a_or_an(type(shape).__name__)
        raise TypeError(f"shape is {kind}, but must be a ConvexShape")
    if shape.dimension != 3:
        raise ValueError("shape is a polygon, but a Simulation is three-dimensional")


add_kind(ConvexShape, stored_shape, shape_from)
