"""Pictures of spheres as shaded disks."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..base import checks
from .in_matplotlib import axes_of, set_frame
from .looks import SPHERE_COLOR, SPHERES, drawing_module, spheres_given


def plot_spheres(
    centers: Any,
    radii: Any,
    ax: Any = None,
    *,
    values: Any = None,
    label: str = "",
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
) -> Any:
    """
    Draw spheres as shaded disks, quickly, by matplotlib.

    Parameters
    ----------
    centers : (n, 3) array_like
    radii : float or (n,) array_like
    ax : matplotlib 3D axes, optional
        What is drawn on, as wide as the meshes that are there, or where nothing is, as the spheres;
        made where it is not given. Its projection becomes orthographic, and it should keep its size
        and view from now on: disks do not.
    values : (n,) array_like, optional
        Numbers that the spheres are colored by, with a bar that tells them where `label` is given.
    label : str
        Of the bar.
    cmap : str or matplotlib.colors.Colormap
        Colors of the values.
    limits : (low, high), optional
        Values that the first and the last color stand for.

    Returns
    -------
    matplotlib 3D axes
        What was drawn on, not shown yet.

    Raises
    ------
    ImportError
        If matplotlib is not installed.
    ValueError, TypeError
        If a shape is wrong, a coordinate or radius is not finite, or a radius is negative; the
        message names the first.
    """
    centers, radii = spheres_given(centers, radii)
    ax = axes_of(ax)
    ax.set_proj_type("ortho")
    # disks are sized for one view, which axes with nothing on them do not have yet
    if not ax.has_data():
        set_frame(ax, np.concatenate([centers - radii[:, None], centers + radii[:, None]]))
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
    return ax.scatter(
        *centers.T,
        s=(2 * radii * _points_a_length(ax)) ** 2,
        **looks,
        edgecolors="#00000050",
        linewidths=0.2,
        depthshade=False,
        zorder=SPHERES,
    )


def _points_a_length(ax):
    """How many points of the page a unit of length takes, across the view."""
    figure = ax.figure
    # only a drawn figure has its layout, by which the axes have their size, and its projection
    figure.draw_without_rendering()
    proj3d = drawing_module("mpl_toolkits.mplot3d.proj3d")
    middle = np.mean([ax.get_xlim(), ax.get_ylim(), ax.get_zlim()], axis=1)
    azimuth = np.radians(ax.azim)
    across = middle + np.ptp(ax.get_xlim()) * np.array([-np.sin(azimuth), np.cos(azimuth), 0])
    ends = [proj3d.proj_transform(*point, ax.get_proj())[:2] for point in (middle, across)]
    pixels = np.linalg.norm(np.diff(ax.transData.transform(ends), axis=0))
    return pixels / np.linalg.norm(across - middle) * 72 / figure.dpi
