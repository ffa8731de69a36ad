"""Pictures of meshes and contacts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..base import checks
from ..base.arrays import Doubles
from .colors import color_scale, mesh_values, row_values
from .drawn import Drawn, Painted, arrows_of, facet_values, meshes_of, touched_of, touching_of
from .in_matplotlib import axes_of, draw_contacts, draw_mesh
from .in_pyvista import draw_contacts_in_pyvista, draw_mesh_in_pyvista, plotter_of
from .looks import FACET_COLOR, TYPES, backend_of, most, opacity, spheres_given

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
) -> Any:
    """
    Draw the facets of a mesh, in one color or by numbers that they or the vertices have.

    Parameters
    ----------
    mesh : Mesh
        The facets.
    ax : matplotlib 3D axes or pyvista.Plotter, optional
        What is drawn on; made where it is not given.
    backend : {"matplotlib", "pyvista"}, optional
        By default matplotlib where it is installed, else pyvista. Matplotlib is for small scenes:
        it wants seconds for more than some 20,000 facets.
    color : color
        Of the facets, and of those that have no number.
    alpha : float, optional
        Opacity of the facets, 0 to 1. By default 0.9; with `scalars` 1, which keeps their colors.
    scalars : (m,) or (v,) array_like, optional
        A number for each facet, or for each vertex, that the facets are colored by. NaN: it has
        none. Those of vertices are drawn by pyvista alone, as matplotlib gives a facet one color.
    at : {"facet", "vertex"}, optional
        What `scalars` are for; it follows from their number but where there are as many facets as
        vertices.
    cmap : str or matplotlib.colors.Colormap
        Colors of the scalars.
    limits : (low, high), optional
        Numbers that the first and the last color stand for. By default the least and the largest.
    label : str or None
        Of the color bar, which is there where scalars are; None leaves it out.

    Returns
    -------
    matplotlib 3D axes or pyvista.Plotter
        What was drawn on, not shown yet.

    Raises
    ------
    ImportError
        If the library is not installed; the message names the extra.
    ValueError
        If an option's value is wrong: `scalars` are of another shape or infinite, say; or if
        matplotlib is to draw numbers of vertices.
    """
    painted, name = None, backend_of(backend, ax)
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
        return draw_mesh_in_pyvista(plotter, mesh, painted, color, alpha)
    return draw_mesh(axes_of(ax), mesh, painted, color, alpha)


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
) -> Any:
    """
    Draw the features that contacts lie on, and their normals, on the facets.

    Touched facets, edges and vertices have a color each; an arrow leads from each contact point
    along the normal, from the mesh to the sphere's center. With `scalars` the facets that contacts
    name are colored by the contacts' numbers instead, and the others are plain.

    Parameters
    ----------
    contacts : Contacts
        The contacts; a selection draws these alone.
    ax, backend
        As for `plot_mesh`.
    mesh : Mesh or sequence of Mesh, optional
        For contacts that do not know their meshes any more (read from a file). They are drawn where
        the contacts' poses have them; periodic images are not drawn, but arrows start there.
    spheres : (centers, radii), optional
        Draws the touching spheres too, and the arrows as long as their radii.
    normals : bool, optional
        Whether to draw the arrows; by default where there are no `scalars`, which they would hide.
    arrow_count, sphere_count : int
        At most so many arrows and spheres, taken evenly from the table: more of them hide
        the picture. Touched features are all drawn.
    alpha : float
        Opacity of the facets that are not touched, 0 to 1.
    scalars : (m,) array_like or str, optional
        A finite number for each contact, or a column's name, as "overlap"; of a column of vectors,
        as the "force" of a simulation, the lengths count. A contact on an edge or a vertex counts
        for the facet that its row names.
    how : {"max", "sum", "mean"}
        What the color of a facet with several contacts tells: the largest of their numbers, their
        sum, as for a wall's load, or their mean.
    cmap, limits, label
        As for `plot_mesh`; the label is the column's name by default.

    Returns
    -------
    matplotlib 3D axes or pyvista.Plotter
        As of `plot_mesh`.

    Raises
    ------
    ImportError, ValueError
        As `plot_mesh`, or if the contacts do not know their mesh and none is given.
    """
    meshes, alpha = meshes_of(contacts, mesh), opacity(alpha)
    arrow_count, sphere_count = most(arrow_count, "arrow_count"), most(sphere_count, "sphere_count")
    if spheres is not None:
        spheres = _spheres_of(contacts, spheres)
    touched = painted = None
    if scalars is None:
        touched = [touched_of(contacts, k, one) for k, one in enumerate(meshes)]
    else:
        values = facet_values(contacts, meshes, row_values(contacts, scalars, "scalars"), how)
        scale = color_scale(values, cmap, limits, label, scalars)
        painted = Painted(values, "facet", scale, FACET_COLOR, alpha, 1.0)
    shows_arrows = scalars is None if normals is None else normals
    arrows = arrows_of(contacts, meshes, spheres, arrow_count) if shows_arrows else None
    balls = touching_of(contacts, spheres, sphere_count)
    counts = np.bincount(contacts.type, minlength=len(TYPES))
    drawn = Drawn(meshes, touched, painted, arrows, balls, counts, alpha)
    if backend_of(backend, ax) == "pyvista":
        return draw_contacts_in_pyvista(plotter_of(ax, "pyvista", "contacts"), drawn)
    return draw_contacts(axes_of(ax), drawn)


def _spheres_of(contacts: Contacts, spheres: Any) -> tuple[Doubles, Doubles]:
    """Those that the search was given."""
    if not isinstance(spheres, (tuple, list)) or len(spheres) != 2:
        raise TypeError("spheres must be (centers, radii)")
    centers, radii = spheres_given(*spheres)
    count = len(contacts.counts)
    if len(centers) != count:
        rows = checks.counted(len(centers), "row")
        raise ValueError(f"centers has {rows}, but {checks.there_are(count, 'sphere')}")
    return centers, radii
