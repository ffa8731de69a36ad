"""The directions in which pictures look at a scene."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from ..base import checks
from ..base.arrays import Doubles
from .looks import drawing_module

_Z = (0.0, 0.0, 1.0)
# Flat pictures need less room for labels than turned ones.
_ZOOM = 1.25


class View(NamedTuple):
    """The directions to the camera and up; `axis` is that of a view along an axis, or None."""

    back: Doubles
    up: Doubles
    axis: int | None


def _views_along_axes() -> dict[str, View]:
    """Views from both ends of each axis. z points up, and y where the camera looks along z."""
    found = {}
    for axis, name in enumerate("xyz"):
        for sign, prefix in ((1.0, ""), (-1.0, "-")):
            up = np.eye(3)[1 if name == "z" else 2]
            found[prefix + name] = View(sign * np.eye(3)[axis], up, axis)
    return found


_ALONG_AXES = _views_along_axes()


def read_view(view: Any, up: Any = None) -> View:
    """Read the name of a view along an axis, or the direction (3,) to the camera."""
    above = None if up is None else _direction(up, "up")
    if isinstance(view, str):
        if view not in _ALONG_AXES:
            names = ", ".join(map(repr, _ALONG_AXES))
            raise ValueError(
                f"view is {view!r}, but must be {names}, or the direction (3,) to the camera, such"
                " as (1, -1, 0.5)"
            )
        name = _ALONG_AXES[view]
        return name if above is None else name._replace(up=above)
    return View(_direction(view, "view"), np.array(_Z) if above is None else above, None)


def read_optional(view: Any, dimension: int = 3) -> View | None:
    """Read a view unless it is None; pictures in the plane have no other one."""
    if view is None:
        return None
    if dimension == 2:
        raise ValueError(
            f"view is {view!r}, but a picture of two dimensions has none: leave it out"
        )
    return read_view(view)


def _direction(given: Any, name: str) -> Doubles:
    found = checks.doubles(given, name)
    if found.shape != (3,) or not np.isfinite(found).all():
        raise ValueError(f"{name} is {given}, but must be three finite numbers")
    if not found.any():
        raise ValueError(f"{name} is {given}, but must not be 0: it is a direction")
    return found


def axes_of_view(view: View) -> Doubles:
    """Unit vectors to the right, upwards and to the camera, one in each row."""
    right = np.cross(view.up, view.back)
    if not right.any():
        raise ValueError("view and up are parallel: give directions that differ")
    rows = np.array([right, np.cross(view.back, right), view.back])
    return rows / np.linalg.norm(rows, axis=1)[:, None]


def look_in_matplotlib(ax: Any, view: View | None) -> None:
    """Turn 3D axes with limits. A view along an axis becomes flat: parallel, with two axes."""
    if view is None:
        return
    x, y, z = view.back / np.linalg.norm(view.back)
    azimuth = np.degrees(np.arctan2(y, x)) if x or y else -90.0 * z
    ax.view_init(elev=np.degrees(np.arcsin(z)), azim=azimuth)
    if view.axis is None:
        return
    ax.set_proj_type("ortho")
    hidden = (ax.xaxis, ax.yaxis, ax.zaxis)[view.axis]
    hidden.set_major_locator(drawing_module("matplotlib.ticker").NullLocator())
    for line in (hidden.label, hidden.line):
        line.set_visible(False)
    ax.set_box_aspect(np.ptp([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()], axis=1), zoom=_ZOOM)


def look_in_pyvista(plotter: Any, view: View | None) -> None:
    """Aim the camera of a plotter. A view along an axis is parallel."""
    if view is None:
        return
    if view.axis is not None:
        plotter.enable_parallel_projection()
    plotter.view_vector(view.back, view.up)
