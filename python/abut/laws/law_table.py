"""The materials of a simulation, numbered, and the law that each two of them have."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .. import _core
from ..base import checks
from ..base.arrays import Doubles
from ..base.warnings import SimulationWarning, warn
from .cohesion import Cohesion
from .compiled import CompiledLaw
from .contacts import Told, told
from .law import LawFunction, OwnLaw
from .materials import Material
from .plain import Frictional, Hertz, Linear, Luding, RollingA
from .probes import only_pulls, try_law

Law = Hertz | Linear | Luding | OwnLaw | CompiledLaw
Own = OwnLaw | CompiledLaw


class LawTable:
    """Materials are numbered as they come; equal ones are one."""

    def __init__(self) -> None:
        self.materials: list[Material] = []
        self.laws: dict[tuple[int, int], Law] = {}
        # the objects that `set` was called with for each pair of numbers: equal materials may be
        # several objects
        self.given: dict[tuple[int, int], tuple[Material, Material]] = {}
        # what laws of users have kept, in the order in which they came: what contacts keep is told
        # apart by places in it
        self.names: list[str] = []

    def copy(self) -> LawTable:
        """The same laws, which do not change with these."""
        copied = LawTable()
        copied.materials, copied.laws = [*self.materials], {**self.laws}
        copied.given = {**self.given}
        copied.names = [*self.names]
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
        if isinstance(law, LawFunction):
            raise TypeError(f"law is {law.name} without its parameters: give {law.name}(...)")
        if not isinstance(law, Law):
            raise no_law(law)
        for material, name in ((a, "a"), (b, "b")):
            if not isinstance(material, Material):
                self.number(material, name)
        assert isinstance(a, Material) and isinstance(b, Material)
        # before any is numbered: they complain of what does not fit
        if isinstance(law, Own):
            self._check_name(law, frozenset((a, b)))
            try_law(law)
            if only_pulls(law):
                warn(pulling(law), SimulationWarning)
        else:
            law.numbers(a, b)
        pair = (a, b) if self.number(a, "a") <= self.number(b, "b") else (b, a)
        numbers = (self.number(pair[0], "a"), self.number(pair[1], "b"))
        self._check_given(numbers, pair, law)
        self.laws[numbers], self.given[numbers] = law, pair
        self.name(law)

    def _check_given(
        self, numbers: tuple[int, int], pair: tuple[Material, Material], law: Law
    ) -> None:
        """Warn where a law replaces that of materials which may have been meant as others."""
        before = self.given.get(numbers)
        if before is None or self.laws[numbers] == law:
            return
        for one, other in zip(before, pair, strict=True):
            if one is not other:
                warn(
                    f"set_law replaces {self.laws[numbers]}: {other} was given as two objects with"
                    " equal numbers, which are one material. Give each object a name=, or use the"
                    " same object in both calls",
                    SimulationWarning,
                )
                return

    def name(self, law: Law) -> None:
        """Have a law of a user, whose number is its identity."""
        if isinstance(law, Own) and kept_by(law) not in self.names:
            self.names.append(kept_by(law))

    def _check_name(self, law: Own, pair: frozenset[Material]) -> None:
        """What contacts keep goes by the name of their law."""
        for (a, b), other in self.laws.items():
            is_same = {self.materials[a], self.materials[b]} == pair
            is_named = isinstance(other, Own) and other.name == law.name and not is_same
            if is_named and not _is_alike(other, law):
                raise ValueError(
                    f"there are two laws of the name {law.name}, which are other functions: the"
                    " names of a simulation's laws must differ"
                )

    @property
    def own(self) -> list[Own]:
        """Laws of users, each once: of those with other parameters each is one."""
        found: list[Own] = []
        for law in self.laws.values():
            if isinstance(law, Own) and law not in found:
                found.append(law)
        return found

    def told_own(self) -> tuple[Told, ...]:
        """The laws of users as the library takes them."""
        return tuple(told(law, 1 + self.names.index(kept_by(law))) for law in self.own)

    def numbers(self) -> Doubles:
        """What the library takes: (m * m, numbers), zeros where two have no law."""
        count = len(self.materials)
        table = np.zeros((count, count, len(_core.LAW_NUMBERS)))
        own = self.own
        for (a, b), law in self.laws.items():
            if isinstance(law, Own):
                numbers = _own_numbers(law, own.index(law))
            else:
                numbers = law.numbers(self.materials[a], self.materials[b])
            table[a, b] = table[b, a] = [numbers.get(name, 0.0) for name in _core.LAW_NUMBERS]
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
            rolling = law.rolling if isinstance(law, Frictional) else None
            brakes = isinstance(rolling, RollingA) and rolling.coefficient > 0
            if brakes and ours & set(pair):
                a, b = (self.materials[number] for number in pair)
                raise ValueError(
                    f"{whose} cannot have RollingA, as {a} with {b}:"
                    " give RollingC, which a number means"
                )

    def cohesion_at(self, number: int) -> Cohesion | None:
        """That of the built-in law in a row of `numbers`."""
        a, b = divmod(number, len(self.materials))
        law = self.laws[min(a, b), max(a, b)]
        return law.cohesion if isinstance(law, Frictional) else None

    def without_radius(self, a: int, b: int) -> str:
        """A body that is not rounded meets something under a law that asks for a radius."""
        law = self.laws[min(a, b), max(a, b)]
        return (
            f"{self.materials[a]} meets {self.materials[b]} under {law}, which asks for a radius of"
            " curvature: give the law curvature=, or the body a shape with radius="
        )


def no_law(given: object) -> TypeError:
    """What is given as a law, and is none."""
    kind = checks.a_or_an(type(given).__name__)
    return TypeError(f"law is {kind}, but must be a Hertz, a Linear, a Luding or a law of your own")


def pulling(law: Law) -> str:
    """A law that never repels."""
    return (
        f"{law} pulls at every overlap up to R*, and never pushes: what touches is drawn in deeper"
        " and deeper. A push above 0 repels"
    )


def kept_by(law: Own) -> str:
    """The law's name, with what contacts keep under it."""
    return f"{law.name}({', '.join((*law.vectors, '|', *law.scalars))})"


def _is_alike(a: Law, b: Law) -> bool:
    """Whether two laws differ by parameters alone."""
    if isinstance(a, OwnLaw) and isinstance(b, OwnLaw):
        return a.of is b.of
    if isinstance(a, CompiledLaw) and isinstance(b, CompiledLaw):
        kept = [(law.address, law.vectors, law.scalars, law.reach) for law in (a, b)]
        return kept[0] == kept[1]
    return False


def _own_numbers(law: Own, number: int) -> dict[str, float]:
    return {"kind": _core.USER_LAW, "curvature": law.curvature or 0.0, "number": number}
