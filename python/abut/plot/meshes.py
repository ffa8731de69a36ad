"""Pictures of meshes and contacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import checks
from ..base.arrays import Doubles
from .colors import color_scale, mesh_values, row_values
from .drawn import (
    Drawn,
    Painted,
    arrows_of,
    cell_around,
    copies_of,
    facet_values,
    meshes_of,
    touched_of,
    touching_of,
)
from .in_matplotlib import axes_of, draw_contacts, draw_mesh
from .in_pyvista import draw_contacts_in_pyvista, draw_mesh_in_pyvista, plotter_of
from .looks import FACET_COLOR, TYPES, backend_of, most, opacity, spheres_given
from .views import look_in_matplotlib, look_in_pyvista, read_optional

if TYPE_CHECKING:
    from ..options import At, Backend, How
    from ..results.contacts import Contacts
    from ..search.mesh import Mesh


def plot_mesh(
    mesh: Mesh,
    ax: Any = None,
    *,
    backend: Backend | None = None,
    color: Any = FACET_COLOR,
    alpha: float | None = None,
    scalars: Any = None,
    at: At | None = None,
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
    label: str | None = "",
    view: Any = None,
) -> Any:
    """
    Draw the facets of a mesh, in one color or colored by a number for each facet or vertex.

    Parameters
    ----------
    mesh : Mesh
        The mesh to draw.
    ax : matplotlib 3D axes or pyvista.Plotter, optional
        The axes or plotter to draw on. By default new ones.
    backend : {"matplotlib", "pyvista"}, optional
        By default matplotlib if it is installed, else pyvista. Matplotlib is for small scenes: it
        takes seconds for more than about 20,000 facets.
    color : color
        Color of facets without a number.
    alpha : float, optional
        Opacity of the facets, 0 to 1. By default 0.9; with `scalars` 1, so that colors are exact.
    scalars : (m,) or (v,) array_like, optional
        A number for each facet or each vertex, by which facets are colored. NaN stands for a
        missing number. Numbers for vertices need pyvista; matplotlib has one color for each facet.
    at : {"facet", "vertex"}, optional
        Whether `scalars` are for facets or vertices. Necessary only if the numbers of facets and
        vertices are equal.
    cmap : str or matplotlib.colors.Colormap
        Colors of the scalars.
    limits : (low, high), optional
        Numbers of the first and the last color. By default the smallest and the largest number.
    label : str or None
        Label of the color bar, which is drawn with `scalars`. None leaves the bar out.
    view : {"x", "-x", "y", "-y", "z", "-z"} or (3,) array_like, optional
        The direction from the scene to the camera. An axis makes a flat picture: "-y" shows x to
        the right and z upwards, "z" shows x to the right and y upwards.

    Returns
    -------
    matplotlib 3D axes or pyvista.Plotter
        The axes or plotter, not shown yet.

    Raises
    ------
    ImportError
        If the library is not installed; the message names the extra.
    ValueError
        If the value of an option is wrong, for example the shape of `scalars`; or if `scalars` for
        vertices are given with matplotlib.
    """
    painted, name = None, backend_of(backend, ax)
    direction = read_optional(view)
    if alpha is None:
        alpha = 0.9 if scalars is None else 1.0
    alpha = opacity(alpha)
    if scalars is not None:
        values, place = mesh_values(scalars, len(mesh), len(mesh.vertices), at)
        if place == "vertex" and name == "matplotlib":
            raise ValueError(
                "scalars of vertices are drawn by 'pyvista': give backend='pyvista', which the"
                " extra view brings"
            )
        scale = color_scale([values], cmap, limits, label)
        painted = Painted([values], place, scale, color, alpha, alpha)
    if name == "pyvista":
        plotter = plotter_of(ax, name, "meshes")
        draw_mesh_in_pyvista(plotter, mesh, painted, color, alpha)
        look_in_pyvista(plotter, direction)
        return plotter
    ax = draw_mesh(axes_of(ax), mesh, painted, color, alpha)
    look_in_matplotlib(ax, direction)
    return ax


def plot_contacts(
    contacts: Contacts,
    ax: Any = None,
    *,
    backend: Backend | None = None,
    mesh: Mesh | Sequence[Mesh] | None = None,
    spheres: tuple[Any, Any] | None = None,
    normals: bool | None = None,
    arrow_count: int = 500,
    sphere_count: int = 100,
    alpha: float = 0.25,
    scalars: Any = None,
    how: How = "max",
    cmap: Any = "viridis",
    limits: tuple[float, float] | None = None,
    label: str | None = "",
    cell: bool = True,
    images: bool = False,
    view: Any = None,
) -> Any:
    """
    Draw facets, the features on which contacts lie, and the normals of the contacts.

    Touched facets, touched edges and touched vertices have different colors. An arrow starts at
    each contact point along the normal, towards the sphere's center. With `scalars`, touched facets
    are colored by numbers of the contacts instead, and all other facets are plain.

    Parameters
    ----------
    contacts : Contacts
        The contacts to draw, which may be a selection.
    ax, backend
        As for `plot_mesh`.
    mesh : Mesh or sequence of Mesh, optional
        Necessary for contacts without meshes, such as from a file. Meshes are drawn in the poses of
        the contacts.
    spheres : (centers, radii), optional
        The spheres of the search, to draw those that touch. Arrows are then as long as the radii.
    normals : bool, optional
        Whether to draw the arrows. By default only without `scalars`, since arrows hide colors.
    arrow_count, sphere_count : int
        The largest numbers of arrows and spheres, picked evenly from the table. More would hide the
        other parts of the picture. All touched features are drawn.
    alpha : float
        Opacity of facets that are not touched, 0 to 1.
    scalars : (m,) array_like or str, optional
        A finite number for each contact, or the name of a column, such as "overlap". Vectors, such
        as the "force" of a simulation, count by their lengths. A contact on an edge or a vertex
        counts for the facet in its row.
    how : {"max", "sum", "mean"}
        The number of a facet with several contacts: the largest of their numbers, their sum (for
        example the load on a wall), or their mean.
    cmap, limits, label
        As for `plot_mesh`. By default the label is the name of the column.
    cell : bool, default True
        Whether to draw the edges of the periodic cell. It begins at 0 if it then holds the spheres,
        or without `spheres` the meshes. Otherwise it lies around these.
    images : bool, default False
        Whether to draw the periodic images of meshes that have contacts, with the features that
        are touched there. Otherwise these are drawn on the meshes, but arrows start on the images.
    view
        As for `plot_mesh`.

    Returns
    -------
    matplotlib 3D axes or pyvista.Plotter
        As for `plot_mesh`.

    Raises
    ------
    ImportError, ValueError
        As for `plot_mesh`, or if the contacts have no mesh and no mesh is given.
    """
    meshes, alpha = meshes_of(contacts, mesh), opacity(alpha)
    arrow_count, sphere_count = most(arrow_count, "arrow_count"), most(sphere_count, "sphere_count")
    direction = read_optional(view)
    if spheres is not None:
        spheres = _spheres_of(contacts, spheres)
    edges = cell_around(contacts, meshes, spheres) if cell else np.empty((0, 2, 3))
    copies = copies_of(contacts, meshes, images)
    touched = painted = None
    if scalars is None:
        touched = [touched_of(contacts[one.rows], one.number, one.mesh) for one in copies]
    else:
        values = facet_values(contacts, meshes, row_values(contacts, scalars, "scalars"), how)
        values = [values[one.number] for one in copies]
        scale = color_scale(values, cmap, limits, label, scalars)
        painted = Painted(values, "facet", scale, FACET_COLOR, alpha, 1.0)
    shows_arrows = scalars is None if normals is None else normals
    arrows = arrows_of(contacts, meshes, spheres, arrow_count) if shows_arrows else None
    balls = touching_of(contacts, spheres, sphere_count)
    counts = np.bincount(contacts.type, minlength=len(TYPES))
    shown = [one.mesh for one in copies]
    drawn = Drawn(shown, touched, painted, arrows, balls, counts, alpha, edges)
    if backend_of(backend, ax) == "pyvista":
        plotter = draw_contacts_in_pyvista(plotter_of(ax, "pyvista", "contacts"), drawn)
        look_in_pyvista(plotter, direction)
        return plotter
    ax = draw_contacts(axes_of(ax), drawn)
    look_in_matplotlib(ax, direction)
    return ax


def _spheres_of(contacts: Contacts, spheres: Any) -> tuple[Doubles, Doubles]:
    """Return the centers and radii of the spheres of the search; raise if they are wrong."""
    if not isinstance(spheres, (tuple, list)) or len(spheres) != 2:
        raise TypeError("spheres must be (centers, radii)")
    centers, radii = spheres_given(*spheres)
    count = len(contacts.counts)
    if len(centers) != count:
        rows = checks.counted(len(centers), "row")
        raise ValueError(f"centers has {rows}, but {checks.there_are(count, 'sphere')}")
    return centers, radii
