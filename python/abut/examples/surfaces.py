"""Surfaces of several kinds, one with spheres on it."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..search.mesh import Mesh
from .rotary_mixer import grid_cells, tube


class Step(NamedTuple):
    """A floor with a step down, and spheres on it."""

    centers: np.ndarray
    radii: np.ndarray
    mesh: Mesh


def step() -> Step:
    """
    Make a floor with a step down, and three spheres: on it, at its edge, and above it.

    Returns
    -------
    Step
        The named tuple ``(centers, radii, mesh)``: centers (3, 3), radii (3,), and the `Mesh` of a
        quadrilateral and two triangles. The floor is 1 wide and 1 long, the step 0.1 high.

    Examples
    --------
    >>> import abut
    >>> abut.find_contacts(*abut.examples.step())
    Contacts(2 of 3 spheres: 1 facet, 1 edge, 0 vertex)
    """
    vertices = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [1, 0, -0.1], [1, 1, -0.1]]
    mesh = Mesh(np.array(vertices), [[0, 1, 2, 3], [1, 4, 5], [1, 5, 2]])
    centers = np.array([[0.3, 0.4, 0.009], [1.006, 0.5, 0.006], [0.5, 0.5, 0.2]])
    return Step(centers, np.full(3, 0.01), mesh)


def plane(cells: int = 8, seed: int = 0) -> Mesh:
    """
    Make the unit square at z = 0 from irregular triangles.

    Parameters
    ----------
    cells : int
        The square has ``2 * cells**2`` triangles.
    seed : int
        Seed of the inner vertices and the diagonals.

    Returns
    -------
    Mesh
        Triangles from (0, 0, 0) to (1, 1, 0); their front faces +z.

    Examples
    --------
    >>> from abut import examples
    >>> len(examples.plane(cells=4))
    32
    """
    _, vertices, facets = _triangles(cells, seed)
    return Mesh(vertices, facets)


def rough_plane(cells: int = 8, height: float = 0.05, seed: int = 0) -> Mesh:
    """
    Make the plane of `plane` rough, by random heights of its vertices.

    Parameters
    ----------
    cells : int
        The surface has ``2 * cells**2`` triangles.
    height : float
        Standard deviation of the vertices' heights.
    seed : int
        Seed of the triangles and the heights.

    Returns
    -------
    Mesh
        Triangles over the unit square; their front faces +z.

    Examples
    --------
    >>> from abut import examples
    >>> len(examples.rough_plane(cells=4))
    32
    """
    rng, vertices, facets = _triangles(cells, seed)
    vertices[:, 2] = height * rng.standard_normal(len(vertices))
    return Mesh(vertices, facets)


def bowl(radius: float = 3.0, facets: int = 60, angle: float = np.pi, length: float = 6.0) -> Mesh:
    """
    Make a bowl of flat facets with curvature in one direction: the lower part of a cylinder.

    Parameters
    ----------
    radius : float
        Distance of the facets' borders from the axis.
    facets : int
        Quadrilaterals from one rim to the other.
    angle : float
        Angle from rim to rim, in radians, less than 2 pi.
    length : float
        Length along the axis, from -length / 2 to length / 2.

    Returns
    -------
    Mesh
        The axis is y, and +z is up; the front is inside.

    Examples
    --------
    >>> from abut import examples
    >>> len(examples.bowl())
    60
    """
    turn = angle * (np.arange(facets + 1) / facets - 0.5)
    points = np.empty((2, facets + 1, 3))
    points[..., 0] = radius * np.sin(turn)
    points[..., 1] = [[-length / 2], [length / 2]]
    points[..., 2] = -radius * np.cos(turn)
    corners = grid_cells(np.arange(2 * (facets + 1)).reshape(2, facets + 1))
    return Mesh(points.reshape(-1, 3), corners[:, ::-1])


def cylinder(
    radius: float = 3.0,
    length: float = 6.0,
    strips: int = 48,
    across: int = 1,
    along: int = 1,
) -> Mesh:
    """
    Make the inside of a cylinder of plane strips; its shape does not depend on the mesh.

    Parameters
    ----------
    radius : float
        Distance of the strips' borders from the axis.
    length : float
        Length along the axis, z, from -length / 2 to length / 2.
    strips : int
        Number of planes around the axis, at least 3.
    across, along : int
        Numbers of quadrilaterals in each strip, around the axis and along it.

    Returns
    -------
    Mesh
        ``strips * across * along`` quadrilaterals; their front faces the axis.

    Examples
    --------
    >>> from abut import examples
    >>> len(examples.cylinder()), len(examples.cylinder(across=4, along=16))
    (48, 3072)
    """
    angle = 2 * np.pi * np.arange(strips) / strips
    corners = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    part = np.arange(across)[:, None] / across
    following = np.roll(corners, -1, axis=0)
    outline = (corners[:, None] * (1 - part) + following[:, None] * part).reshape(-1, 2)
    points = np.empty((along + 1, len(outline), 3))
    points[..., :2] = outline
    points[..., 2] = length * (np.arange(along + 1)[:, None] / along - 0.5)
    numbers = np.arange(points.size // 3).reshape(points.shape[:2])
    return Mesh(points.reshape(-1, 3), tube(numbers))


# ---- squares of triangles ------------------------------------------------------------------------


def _triangles(cells: int, seed: int) -> tuple[np.random.Generator, np.ndarray, np.ndarray]:
    """The vertices and triangles of `plane`, and the generator for further random numbers."""
    rng = np.random.default_rng(seed)
    vertices, corners = _jittered_square(rng, cells)
    return rng, vertices, _halved(rng, corners)


def _jittered_square(rng, cells):
    """The vertices of the unit square, and the corners (k, 4) of its jittered cells."""
    x, y = np.meshgrid(np.arange(cells + 1.0), np.arange(cells + 1.0), indexing="ij")
    x[1:-1] += rng.uniform(-0.3, 0.3, x[1:-1].shape)
    y[:, 1:-1] += rng.uniform(-0.3, 0.3, y[:, 1:-1].shape)
    vertices = np.column_stack([x.ravel(), y.ravel(), np.zeros(x.size)]) / cells
    return vertices, grid_cells(np.arange(x.size).reshape(x.shape))


def _halved(rng, corners):
    """Triangles: each cell divided along a random diagonal."""
    a, b, c, d = corners.T
    one = np.column_stack([a, b, c, a, c, d])
    other = np.column_stack([a, b, d, b, c, d])
    flipped = rng.random(a.size)[:, None] < 0.5
    return np.where(flipped, other, one).reshape(-1, 3)
