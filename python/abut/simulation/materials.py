"""What spheres and walls are made of."""

from __future__ import annotations

from dataclasses import dataclass

from ..base import checks
from ..base.values import Value

# Of a material that keeps its shape: beyond, pressing from all sides, or shearing, would give
# energy.
POISSON_BOUNDS = (-1.0, 0.5)


@dataclass(frozen=True)
class Material(Value):
    """What spheres or a wall are made of.

    Equal ones are one material. Units are yours, as long as all are consistent.

    Parameters
    ----------
    density : float, optional
        Mass a volume. Spheres need it, walls do not.
    young : float, optional
        Young's modulus, a pressure. None: rigid.
    poisson : float, default 0.2
        Poisson's ratio, above -1 and below 0.5.

    Attributes
    ----------
    shear : float or None
        The shear modulus, young / (2 (1 + poisson)); None of a rigid material.

    Raises
    ------
    ValueError
        If `density` or `young` is not positive and finite, or `poisson` out of its bounds.
    TypeError
        If one of them is no real number.

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
    """

    density: float | None = None
    young: float | None = None
    poisson: float = 0.2

    def __post_init__(self) -> None:
        density = None if self.density is None else checks.positive(self.density, "density")
        young = None if self.young is None else checks.positive(self.young, "young")
        poisson = checks.number(self.poisson, "poisson")
        low, high = POISSON_BOUNDS
        if not low < poisson < high:
            raise ValueError(f"poisson is {poisson}, but must be above {low} and below {high}")
        self._settle(density=density, young=young, poisson=poisson)

    @property
    def shear(self) -> float | None:
        """The shear modulus; None of a rigid material."""
        return None if self.young is None else self.young / (2.0 * (1.0 + self.poisson))
