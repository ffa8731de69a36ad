"""Materials of spheres, bodies and walls."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..base import checks
from ..base.values import NEW, Value

# Poisson's ratio of a stable material: beyond these bounds, compressing or shearing it would
# release energy. With 1/2 its volume does not change; contacts and bonds have finite stiffnesses
# then. With -1 the shear modulus is infinite.
_POISSON_BOUNDS = (-1.0, 0.5)


def read_poisson(value: object) -> float:
    """Read Poisson's ratio; raise if it is out of its bounds."""
    poisson = checks.number(value, "poisson")
    low, high = _POISSON_BOUNDS
    if not low < poisson <= high:
        raise ValueError(f"poisson is {poisson}, but must be above {low} and at most {high}")
    return poisson


@dataclass(frozen=True)
class Material(Value):
    """The material of spheres, bodies or a wall.

    Equal materials are the same material. If two materials have the same numbers but different
    laws, give each a `name`. Any consistent units can be used.

    Parameters
    ----------
    density : float, optional
        Mass per volume. Spheres need it, walls do not.
    young : float, optional
        Young's modulus, a pressure. None means rigid.
    poisson : float, default 0.2
        Poisson's ratio, above -1 and at most 0.5 (rubber, which keeps its volume).
    name : str, optional
        Distinguishes materials with the same numbers, for example two rigid walls with different
        friction.

    Attributes
    ----------
    shear : float or None
        The shear modulus, young / (2 (1 + poisson)); None for a rigid material.

    Raises
    ------
    ValueError
        If `density` or `young` is not positive and finite, `poisson` is out of its bounds, or
        `name` is empty.
    TypeError
        If one of the first three is not a real number, or `name` is not a string.

    Examples
    --------
    >>> import abut
    >>> glass = abut.Material(density=2500, young=6e10, poisson=0.2)
    >>> glass.shear
    25000000000.0
    >>> glass == abut.Material(2500, 6e10)
    True
    >>> abut.Material()  # a rigid wall
    Material(density=None, young=None, poisson=0.2)
    >>> abut.Material(name="smooth") == abut.Material(name="rough")
    False
    """

    density: float | None = None
    young: float | None = None
    poisson: float = 0.2
    name: str | None = field(default=None, metadata={NEW: True})

    def __post_init__(self) -> None:
        density = None if self.density is None else checks.positive(self.density, "density")
        young = None if self.young is None else checks.positive(self.young, "young")
        poisson = read_poisson(self.poisson)
        if self.name is not None and not isinstance(self.name, str):
            kind = checks.a_or_an(type(self.name).__name__)
            raise TypeError(f"name is {kind}, but must be a string")
        if self.name == "":
            raise ValueError("name is empty: give the material a name, or leave it out")
        self._settle(density=density, young=young, poisson=poisson)

    def __repr__(self) -> str:
        named = "" if self.name is None else f", name={self.name!r}"
        return (
            f"Material(density={self.density}, young={self.young}, poisson={self.poisson}{named})"
        )

    @property
    def shear(self) -> float | None:
        """The shear modulus; None for a rigid material."""
        return None if self.young is None else self.young / (2.0 * (1.0 + self.poisson))
