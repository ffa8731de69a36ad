"""The numbered materials of a simulation, and the law of each pair of them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .. import _core
from ..base import checks
from ..base.arrays import Doubles
from ..base.warnings import SimulationWarning, warn
from .cohesion import Cohesion
from .compiled import CompiledLaw
from .evaluation import LawColumns, law_columns
from .law import LawFunction, OwnLaw
from .materials import Material
from .plain import Frictional, RollingA, built_in_laws
from .probes import only_pulls, try_law

Law = Frictional | OwnLaw | CompiledLaw
Own = OwnLaw | CompiledLaw


class LawTable:
    """Numbered materials, and their laws. Equal materials have the same number."""

    def __init__(self) -> None:
        self.materials: list[Material] = []
        self.laws: dict[tuple[int, int], Law] = {}
        # the material objects with which `set` was called, by their numbers: equal materials may be
        # different objects
        self.given: dict[tuple[int, int], tuple[Material, Material]] = {}
        # strings from `kept_by`, in order of first use; in the library, a string's place identifies
        # the contact history of its laws
        self.names: list[str] = []

    def copy(self) -> LawTable:
        """An independent copy."""
        copied = LawTable()
        copied.materials, copied.laws = [*self.materials], {**self.laws}
        copied.given = {**self.given}
        copied.names = [*self.names]
        return copied

    def numbered(self, material: object) -> tuple[LawTable, int]:
        """A table that has the material (this one, or else a copy), and the material's number."""
        if isinstance(material, Material) and material in self.materials:
            return self, self.materials.index(material)
        laws = self.copy()
        number = laws.number(material, "material")
        return laws, number

    def number(self, material: object, name: str) -> int:
        """The number of a material, which is added if it is new."""
        if not isinstance(material, Material):
            kind = checks.a_or_an(type(material).__name__)
            raise TypeError(f"{name} is {kind}, but must be a Material")
        if material not in self.materials:
            self.materials.append(material)
        return self.materials.index(material)

    def set(self, a: object, b: object, law: object) -> None:
        """Set the law of two materials in place of an earlier one."""
        if isinstance(law, LawFunction):
            raise TypeError(f"law is {law.name} without its parameters: give {law.name}(...)")
        if not isinstance(law, Law):
            raise no_law(law)
        for material, name in ((a, "a"), (b, "b")):
            if not isinstance(material, Material):
                self.number(material, name)
        assert isinstance(a, Material) and isinstance(b, Material)
        # before any change: these calls raise an error for a law that does not fit
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
        """Warn if a law is replaced by one for other, equal materials, perhaps meant to differ."""
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
        """Add the name of a user's law to `names` if it is new."""
        if isinstance(law, Own) and kept_by(law) not in self.names:
            self.names.append(kept_by(law))

    def _check_name(self, law: Own, pair: frozenset[Material]) -> None:
        """Raise a ValueError if a law with other code has the same name: it identifies history."""
        for (a, b), other in self.laws.items():
            is_same = {self.materials[a], self.materials[b]} == pair
            is_named = isinstance(other, Own) and other.name == law.name and not is_same
            if is_named and not _is_alike(other, law):
                raise ValueError(
                    f"two different laws have the name {law.name}: give one of the functions"
                    " another name"
                )

    @property
    def own(self) -> list[Own]:
        """The laws of users, each listed once, or once for each set of its parameters."""
        found: list[Own] = []
        for law in self.laws.values():
            if isinstance(law, Own) and law not in found:
                found.append(law)
        return found

    def own_columns(self) -> tuple[LawColumns, ...]:
        """The laws of users as tuples, the form that the library takes."""
        return tuple(law_columns(law, 1 + self.names.index(kept_by(law))) for law in self.own)

    def numbers(self) -> Doubles:
        """The library's table (m * m, numbers), with zeros for pairs without a law."""
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
        """The error text for two touching materials without a law."""
        return (
            f"{self.materials[a]} touches {self.materials[b]}, but the two have no law: call"
            " sim.set_law(a, b, law)"
        )

    # ---- combinations that are not possible ----

    def check_sharing(self, walls: Iterable[int]) -> None:
        """Check that all walls have laws of one kind, since shares depend on a law's exponent."""
        numbers = set(walls)
        kinds = {type(law): pair for pair, law in self.laws.items() if numbers & set(pair)}
        if len(kinds) > 1:
            shown = " and ".join(self._shown(law, pair) for law, pair in kinds.items())
            raise ValueError(
                f"resolution='sharing' needs laws of one kind for all walls, but there are {shown}"
            )

    def _shown(self, law: type[Law], pair: tuple[int, int]) -> str:
        a, b = (self.materials[number] for number in pair)
        return f"{law.__name__} of {a} with {b}"

    def check_clusters(self, materials: Iterable[int]) -> None:
        """Check that no cluster has RollingA, which acts on the spin of single spheres only."""
        self._check_brakes(materials, "spheres of clusters")

    def check_bodies(self, materials: Iterable[int]) -> None:
        """Check that no body has RollingA, which acts on the spin of single spheres only."""
        self._check_brakes(materials, "bodies")

    def _check_brakes(self, materials: Iterable[int], nouns: str) -> None:
        numbers = set(materials)
        for pair, law in self.laws.items():
            rolling = law.rolling if isinstance(law, Frictional) else None
            if not numbers & set(pair):
                continue
            if isinstance(rolling, RollingA) and rolling.coefficient > 0:
                a, b = (self.materials[number] for number in pair)
                raise ValueError(
                    f"{nouns} cannot have RollingA, as {a} with {b} has: use RollingC, for example"
                    f" rolling={rolling.coefficient:g}"
                )

    def cohesion_at(self, number: int) -> Cohesion | None:
        """The cohesion of the built-in law in this row of `numbers`."""
        a, b = divmod(number, len(self.materials))
        law = self.laws[min(a, b), max(a, b)]
        return law.cohesion if isinstance(law, Frictional) else None

    def without_radius(self, a: int, b: int) -> str:
        """The error text for a convex body without rounding under a law that needs a radius."""
        law = self.laws[min(a, b), max(a, b)]
        return (
            f"{self.materials[a]} touches {self.materials[b]} under {law}, which needs a radius of"
            " curvature: give the law curvature=, or the body a shape with radius="
        )


def no_law(given: object) -> TypeError:
    """The TypeError for an argument that is not a law."""
    if isinstance(given, type):
        kind, hint = given.__name__, f": give {given.__name__}(...)"
    else:
        kind, hint = checks.a_or_an(type(given).__name__), ""
    wanted = f"{', '.join(built_in_laws())} or a law of your own"
    return TypeError(f"law is {kind}, but must be {wanted}{hint}")


def pulling(law: Law) -> str:
    """The warning for a law that never repels."""
    return (
        f"{law} pulls at every overlap up to R*, and never pushes: particles will sink into each"
        " other. The push must be positive to repel"
    )


def kept_by(law: Own) -> str:
    """The law's name with the fields of its history, which identifies histories."""
    return f"{law.name}({', '.join((*law.vectors, '|', *law.scalars))})"


def _is_alike(a: Law, b: Law) -> bool:
    """Whether two laws are equal except for their parameters."""
    if isinstance(a, OwnLaw) and isinstance(b, OwnLaw):
        return a.maker is b.maker
    if isinstance(a, CompiledLaw) and isinstance(b, CompiledLaw):
        kept = [(law.address, law.vectors, law.scalars, law.reach) for law in (a, b)]
        return kept[0] == kept[1]
    return False


def _own_numbers(law: Own, number: int) -> dict[str, float]:
    return {"kind": _core.USER_LAW, "curvature": law.curvature or 0.0, "number": number}
