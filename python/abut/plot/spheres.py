"""Pictures of spheres as shaded disks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import checks
from .in_matplotlib import axes_of, set_frame
from .looks import SPHERE_COLOR, SPHERES, drawing_module, spheres_given
from .views import look_in_matplotlib, read_optional


def plot_spheres(
    centers: Any,
    radii: Any,
    ax: Any = None,
    *,
    values: Any = None,
    label: str = "",
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
    view: Any = None,
) -> Any:
    """
    Draw spheres as shaded disks by matplotlib, which is fast.

    Parameters
    ----------
    centers : (n, 3) array_like
    radii : float or (n,) array_like
    ax : matplotlib 3D axes, optional
        The axes to draw on. By default new ones. Empty axes get limits that fit the spheres. The
        projection becomes orthographic. Do not change the size or the view of the axes afterwards,
        since the sizes of the disks depend on them.
    values : (n,) array_like, optional
        A number for each sphere, by which it is colored. With a `label` there is a color bar.
    label : str
        Label of the color bar.
    cmap : str or matplotlib.colors.Colormap
        Colors of the values.
    limits : (low, high), optional
        Values of the first and the last color.
    view : {"x", "-x", "y", "-y", "z", "-z"} or (3,) array_like, optional
        The direction from the scene to the camera, as for `plot_mesh`.

    Returns
    -------
    matplotlib 3D axes
        The axes, not shown yet.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError, TypeError
        If a shape is wrong, a coordinate or radius is not finite, or a radius is negative. The
        message names the first wrong value.
    """
    centers, radii = spheres_given(centers, radii)
    direction = read_optional(view)
    ax = axes_of(ax)
    ax.set_proj_type("ortho")
    # The size of disks depends on the limits of the axes, which empty axes do not have yet.
    if not ax.has_data():
        set_frame(ax, np.concatenate([centers - radii[:, None], centers + radii[:, None]]))
    look_in_matplotlib(ax, direction)
    low, high = (None, None) if limits is None else limits
    looks: dict[str, Any] = {"c": SPHERE_COLOR}
    if values is not None:
        shades = checks.lengths(values, "values", len(centers), "center")
        looks = {"c": shades, "cmap": cmap, "vmin": low, "vmax": high}
    disks = draw_disks(ax, centers, radii, looks)
    if label:
        ax.figure.colorbar(disks, ax=ax, label=label, shrink=0.6)
    return ax


def draw_disks(ax, centers, radii, looks):
    limits = ax.get_xlim(), ax.get_ylim(), ax.get_zlim()
    disks = ax.scatter(
        *centers.T,
        s=(2 * radii * _points_a_length(ax)) ** 2,
        **looks,
        edgecolors="#00000050",
        linewidths=0.2,
        depthshade=False,
        zorder=SPHERES,
    )
    # on axes without other contents, matplotlib has set limits that hold the centers alone
    for change, ends in zip((ax.set_xlim, ax.set_ylim, ax.set_zlim), limits, strict=True):
        change(ends, auto=True)
    return disks


def _points_a_length(ax):
    """How many typographic points (1/72 inch) one unit of length takes in the picture."""
    figure = ax.figure
    # The layout and the projection are determined when the figure is drawn.
    figure.draw_without_rendering()
    proj3d = drawing_module("mpl_toolkits.mplot3d.proj3d")
    middle = np.mean([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()], axis=1)
    azimuth = np.radians(ax.azim)
    across = middle + np.ptp(ax.get_xlim()) * np.array([-np.sin(azimuth), np.cos(azimuth), 0])
    ends = [proj3d.proj_transform(*point, ax.get_proj())[:2] for point in (middle, across)]
    pixels = np.linalg.norm(np.diff(ax.transData.transform(ends), axis=0))
    return pixels / np.linalg.norm(across - middle) * 72 / figure.dpi
