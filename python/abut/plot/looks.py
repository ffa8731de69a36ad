"""Colors and options of pictures, and the choice of the library that draws."""

from __future__ import annotations

from importlib.util import find_spec

import numpy as np

from ..base import checks
from ..base.extras import import_extra

TYPES = ("FACET", "EDGE", "VERTEX")

# The colors of the types of contacts, which color-blind people can also distinguish.
COLORS = ("#0072b2", "#e69f00", "#d0196b")
FACET_COLOR = "#c9d3dc"
LINE_COLOR = "#5c6b7a"
SPHERE_COLOR = "#8c9a5b"
LIGHT = (1, -2, 3)  # the direction from the scene to the light
EXTRAS = {
    "matplotlib": "plot",
    "mpl_toolkits": "plot",
    "pyvista": "view",
    "vtkmodules": "view",
    "PIL": "plot",
}

# The order of drawing in matplotlib, which does not hide surfaces behind others. Larger numbers are
# drawn later.
BACKGROUND, MARKS, ARROWS, SPHERES = 1, 2, 3, 4


def backend_of(name, ax):
    if name is None:
        name = _kind_of(ax) if ax is not None else _installed()
    if name not in ("matplotlib", "pyvista"):
        raise ValueError(f"backend must be 'matplotlib' or 'pyvista', not {name!r}")
    return name


def _kind_of(ax):
    return "pyvista" if type(ax).__module__.startswith("pyvista") else "matplotlib"


def _installed():
    has_matplotlib, has_pyvista = find_spec("matplotlib"), find_spec("pyvista")
    return "pyvista" if has_pyvista and not has_matplotlib else "matplotlib"


def opacity(alpha):
    """Return the opacity as a float; raise if it is not between 0 and 1."""
    found = checks.number(alpha, "alpha")
    if not 0.0 <= found <= 1.0:
        raise ValueError(f"alpha is {found}, but must be between 0 and 1")
    return found


def spheres_given(centers, radii):
    """Return centers (n, 3) and radii (n,) as arrays; raise if they are wrong."""
    centers = checks.points(centers, "centers")
    radii = checks.lengths(radii, "radii", len(centers), "center")
    for array, name in ((centers, "centers"), (radii, "radii")):
        checks.all_finite(array, name)
    for row in np.flatnonzero(radii < 0):
        raise ValueError(f"radii[{row}] is {radii[row]}, but must be 0 or positive")
    return centers, radii


def most(count, name):
    """Return the largest number of arrows, spheres or bodies to draw; raise if it is negative."""
    found = checks.whole(count, name)
    if found < 0:
        raise ValueError(f"{name} is {found}, but must be 0 or positive")
    return found


def drawing_module(module):
    return import_extra(module, EXTRAS[module.partition(".")[0]])


def evenly(length, count):
    """At most `count` whole numbers from 0 to length - 1, evenly spread."""
    return np.unique(np.linspace(0, length - 1, min(length, count)).astype(int))
