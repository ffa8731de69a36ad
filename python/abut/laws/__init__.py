"""Laws of contact: what force and what moment two things that overlap exert on each other.

`Hertz`, `Linear` and `Luding` are built in, with friction; `RollingA` and `RollingC` add resistance
to rolling, `JKR`, `DMT` and `LiquidBridge` cohesion. `law` makes a law of a function in Python,
which numba compiles; its arguments and results are a `Contact`, `Vector` and a `Force`, and
`force`, `slide`, `roll`, `hertz` and `jkr` compute parts of them. `CompiledLaw` takes a function
that another compiler made. `check_law` tries a law before it is used.
"""

from .check import LawCheck, check_law
from .cohesion import DMT, JKR, LiquidBridge
from .compiled import CompiledLaw, get_include
from .contact import Contact, Force, Vector, force, hertz, jkr, roll, slide
from .law import law
from .plain import Hertz, Linear, Luding, RollingA, RollingC, damping_ratio

__all__ = [
    "DMT",
    "JKR",
    "CompiledLaw",
    "Contact",
    "Force",
    "Hertz",
    "LawCheck",
    "Linear",
    "LiquidBridge",
    "Luding",
    "RollingA",
    "RollingC",
    "Vector",
    "check_law",
    "damping_ratio",
    "force",
    "get_include",
    "hertz",
    "jkr",
    "law",
    "roll",
    "slide",
]
