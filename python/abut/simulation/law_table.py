"""The materials of a simulation, numbered, and the law that each two of them have."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

import numpy as np

from .. import _core
from ..base import checks
from ..base.arrays import Doubles, Indices
from .cohesion import LiquidBridge
from .laws import Hertz, Linear, RollingA
from .materials import Material

Law = Hertz | Linear

# of a collision, for a step of spheres that touch nothing yet (docs/dem.md, section 2)
_PART = 0.3


class LawTable:
    """Materials are numbered as they come; equal ones are one."""

    def __init__(self) -> None:
        self.materials: list[Material] = []
        self.laws: dict[tuple[int, int], Law] = {}

    def copy(self) -> LawTable:
        """The same laws, which do not change with these."""
        copied = LawTable()
        copied.materials, copied.laws = [*self.materials], {**self.laws}
        return copied

    def numbered(self, material: object) -> tuple[LawTable, int]:
        """Laws in which a material has a number, these where it has one already, and the number."""
        laws = self.copy()
        number = laws.number(material, "material")
        return (self if number < len(self.materials) else laws), number

    def number(self, material: object, name: str) -> int:
        """The number of a material, which is new perhaps."""
        if not isinstance(material, Material):
            kind = checks.a_or_an(type(material).__name__)
            raise TypeError(f"{name} is {kind}, but must be a Material")
        if material not in self.materials:
            self.materials.append(material)
        return self.materials.index(material)

    def set(self, a: object, b: object, law: object) -> None:
        """Give two materials a law, instead of the one that they have."""
        if not isinstance(law, Law):
            kind = checks.a_or_an(type(law).__name__)
            raise TypeError(f"law is {kind}, but must be a Hertz or a Linear")
        for material, name in ((a, "a"), (b, "b")):
            if not isinstance(material, Material):
                self.number(material, name)
        assert isinstance(a, Material) and isinstance(b, Material)
        # before any is numbered: it complains of materials that do not fit
        law.numbers(a, b)
        first, second = sorted((self.number(a, "a"), self.number(b, "b")))
        self.laws[first, second] = law

    def numbers(self) -> Doubles:
        """What the library takes: (m * m, numbers), zeros where two have no law."""
        count = len(self.materials)
        table = np.zeros((count, count, len(_core.LAW_NUMBERS)))
        for (a, b), law in self.laws.items():
            numbers = law.numbers(self.materials[a], self.materials[b])
            table[a, b] = table[b, a] = [numbers[name] for name in _core.LAW_NUMBERS]
        return table.reshape(-1, len(_core.LAW_NUMBERS))

    def missing(self, a: int, b: int) -> str:
        """Two materials that meet without a law."""
        return (
            f"{self.materials[a]} meets {self.materials[b]}, and the two have no law:"
            " set_law(a, b, law) gives them one"
        )

    # ---- what does not go together ----

    def check_sharing(self, walls: Iterable[int]) -> None:
        """Shares follow from one exponent, so that all walls need laws of one kind."""
        numbers = set(walls)
        kinds = {type(law): pair for pair, law in self.laws.items() if numbers & set(pair)}
        if len(kinds) > 1:
            shown = " and ".join(self._shown(law, pair) for law, pair in kinds.items())
            raise ValueError(
                f"resolution='sharing' needs walls' laws of one kind, but there are {shown}"
            )

    def _shown(self, law: type[Law], pair: tuple[int, int]) -> str:
        a, b = (self.materials[number] for number in pair)
        return f"{law.__name__} of {a} with {b}"

    def check_clusters(self, materials: Iterable[int]) -> None:
        """A torque against the spin of one sphere means nothing in a rigid body."""
        self._check_brakes(materials, "spheres of clusters")

    def check_bodies(self, materials: Iterable[int]) -> None:
        """Nor does it in a convex one."""
        self._check_brakes(materials, "bodies")

    def _check_brakes(self, materials: Iterable[int], whose: str) -> None:
        ours = set(materials)
        for pair, law in self.laws.items():
            brakes = isinstance(law.rolling, RollingA) and law.rolling.coefficient > 0
            if brakes and ours & set(pair):
                a, b = (self.materials[number] for number in pair)
                raise ValueError(
                    f"{whose} cannot have RollingA, as {a} with {b}:"
                    " give RollingC, which a number means"
                )

    @property
    def has_bridges(self) -> bool:
        """Whether any law is wet."""
        return any(isinstance(law.cohesion, LiquidBridge) for law in self.laws.values())

    def check_bridges(self, least: Mapping[int, float]) -> None:
        """Willett's fits end at some volume: of the smallest radius of each material, infinite for
        walls; of materials that nothing has there is none."""
        for (a, b), law in self.laws.items():
            bridge = law.cohesion
            if not isinstance(bridge, LiquidBridge) or a not in least or b not in least:
                continue
            curved = 1.0 / least[a] + 1.0 / least[b]
            if bridge.smallest_radius() * curved > 2.0:
                raise ValueError(
                    f"{bridge} of {self.materials[a]} with {self.materials[b]} is too much liquid"
                    f" for R = 2 R* = {2.0 / curved:.4g}: the volume must be at most 0.1 R^3,"
                    f" {0.1 * (2.0 / curved) ** 3:.4g}"
                )

    def without_radius(self, a: int, b: int) -> str:
        """A body that is not rounded meets something under a law that asks for a radius."""
        law = self.laws[min(a, b), max(a, b)]
        return (
            f"{self.materials[a]} meets {self.materials[b]} under {law}, which asks for a radius of"
            " curvature: give the law curvature=, or the body a shape with radius="
        )

    # ---- the longest steps of spheres that touch nothing ----

    def free_steps(self, materials: Indices, radii: Doubles, masses: Doubles) -> Doubles:
        """A part of Rayleigh's time of each sphere, and of the time of a linear spring."""
        waves = np.array([self._wave_factor(k) for k in range(len(self.materials))])
        springs = np.array([self._spring_factor(k) for k in range(len(self.materials))])
        # R sqrt(density) = sqrt(m / (4/3 pi R))
        lengths = np.sqrt(masses / (4.0 / 3.0 * math.pi * radii))
        return np.minimum(waves[materials] * lengths, springs[materials] * np.sqrt(masses))

    def _partners(self, number: int) -> list[tuple[Law, Material]]:
        """Laws that a material has, and whom with."""
        return [
            (law, self.materials[b if a == number else a])
            for (a, b), law in self.laws.items()
            if number in (a, b)
        ]

    def _wave_factor(self, number: int) -> float:
        """Rayleigh's time over R sqrt(density); of a rigid material that of whom it meets."""
        own = self.materials[number]
        elastic = [
            own if own.shear else other
            for law, other in self._partners(number)
            if isinstance(law, Hertz)
        ]
        return _PART * min((_rayleigh(one) for one in elastic), default=math.inf)

    def _spring_factor(self, number: int) -> float:
        stiff = [law.stiffness for law, _ in self._partners(number) if isinstance(law, Linear)]
        return _PART * math.pi / math.sqrt(max(stiff)) if stiff else math.inf


def _rayleigh(material: Material) -> float:
    assert material.shear is not None  # since Hertz' law of two rigid ones is an error
    return math.pi / math.sqrt(material.shear) / (0.1631 * material.poisson + 0.8766)
