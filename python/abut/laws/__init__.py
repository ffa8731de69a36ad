"""Contact laws: the force and the moment that two overlapping things exert on each other.

`Hertz`, `Linear` and `Luding` are built in, with friction. `RollingA` and `RollingC` add rolling
resistance, `JKR`, `DMT` and `LiquidBridge` cohesion. `law` makes a law of a Python function, which
numba compiles. The function takes a `Contact`, may use `Vector`, and returns a `Force`; `force`,
`slide`, `roll`, `hertz` and `jkr` compute parts of it. `CompiledLaw` takes a function that another
compiler made. `check_law` tries a law before a simulation uses it.
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
