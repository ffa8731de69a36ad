"""Meshes and spheres for the tests: random ones, planes, cylinders, lattices.

A mesh is a pair: vertices (v, 3), facets as a list of lists of vertex numbers. Flat meshes are made
in the unit square first, (v, 2), and placed in space by `Frame.place`, which rounds only once.
Random builders take a `numpy.random.Generator`. Hypothesis chooses the structure of a scene (kind,
counts, sizes), so that it shrinks to few facets. It also chooses a seed for the coordinates, which
then have all their digits and no ties.
"""

from itertools import pairwise
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st
from scipy.spatial import Delaunay

import abut

# Coordinates are rounded from these, once: 11 bits more than float64 on x86, more on other Linux.
Fine = np.longdouble


class Scene(NamedTuple):
    """A mesh and the spheres around it."""

    vertices: np.ndarray
    facets: list
    centers: np.ndarray
    radii: np.ndarray


# ---- what tests compare --------------------------------------------------------------------------


def corners(mesh):
    """The numbers of each facet's vertices."""
    return [mesh.indices[begin:end].tolist() for begin, end in pairwise(mesh.offsets)]


def assert_same_bits(found, expected, names):
    for name in names:
        assert getattr(found, name).tobytes() == getattr(expected, name).tobytes(), name


# ---- meshes as a whole ---------------------------------------------------------------------------


def flat_lists(facets):
    """Facets as the pair of arrays (indices, offsets)."""
    offsets = np.cumsum([0, *map(len, facets)])
    return np.array([k for facet in facets for k in facet], np.intp), offsets


def facet_ulps(vertices, facets, dtype=float):
    """For each facet one unit in the last place of its largest coordinate, in a precision."""
    indices, offsets = flat_lists(facets)
    largest = np.maximum.reduceat(np.abs(vertices[indices]).max(axis=1), offsets[:-1])
    return np.spacing(largest.astype(dtype)).astype(float)


def join(meshes):
    """One mesh that combines several meshes."""
    vertices, facets, first = [], [], 0
    for points, polygons in meshes:
        facets += [[first + k for k in polygon] for polygon in polygons]
        vertices.append(points)
        first += len(points)
    return np.concatenate(vertices), facets


def duplicated(rng, mesh, part=0.5):
    """Some facets once more, from another corner, some of them from behind."""
    points, facets = mesh
    copies = []
    for facet in facets:
        if rng.random() < part:
            turn = rng.integers(len(facet))
            copy = [*facet[turn:], *facet[:turn]]
            copies.append(copy[::-1] if rng.random() < 0.5 else copy)
    return points, facets + copies


def shuffled(rng, facets):
    """The facets in another order, each from another corner; and the old number of each."""
    order = rng.permutation(len(facets))
    turned = []
    for old in order:
        turn = rng.integers(len(facets[old]))
        turned.append([*facets[old][turn:], *facets[old][:turn]])
    return turned, order


def split_quads(rng, facets, part=0.5):
    """Some quads cut along either diagonal."""
    out = []
    for facet in facets:
        if len(facet) != 4 or rng.random() >= part:
            out.append(facet)
            continue
        turn = rng.integers(2)
        a, b, c, d = facet[turn:] + facet[:turn]
        out += [[a, b, c], [a, c, d]]
    return out


def cut_thin(rng, points, facets, part):
    """Triangles cut in three at a point near an edge's middle or a corner: slivers and needles."""
    points, out = list(points), []
    for facet in facets:
        if rng.random() >= part:
            out.append(facet)
            continue
        a, b, c = facet
        angle = np.deg2rad(10 ** rng.uniform(-5, -1))
        start = (points[a] + points[b]) / 2 if rng.random() < 0.5 else points[a]
        middle = (points[a] + points[b] + points[c]) / 3
        points.append(start + angle * (middle - start))
        d = len(points) - 1
        out += [[a, b, d], [b, c, d], [c, a, d]]
    return np.array(points), out


# ---- flat meshes of the unit square, with facets of about 1 / cells ------------------------------


def grid_quads(columns, rows, first=0):
    """Vertex numbers of the quads in a grid of (rows + 1) x (columns + 1) vertices."""
    corner = first + np.arange((rows + 1) * (columns + 1)).reshape(rows + 1, columns + 1)
    quads = np.stack([corner[:-1, :-1], corner[:-1, 1:], corner[1:, 1:], corner[1:, :-1]], -1)
    return quads.reshape(-1, 4).tolist()


def jittered_grid(rng, cells, jitter=0.2):
    steps = np.linspace(0, 1, cells + 1)
    y, x = np.meshgrid(steps, steps, indexing="ij")
    points = np.stack([x, y], -1)
    points[1:-1, 1:-1] += rng.uniform(-jitter, jitter, (cells - 1, cells - 1, 2)) / cells
    return points.reshape(-1, 2)


def quads(rng, cells):
    return jittered_grid(rng, cells), grid_quads(cells, cells)


def mixed(rng, cells):
    return jittered_grid(rng, cells), split_quads(rng, grid_quads(cells, cells))


def triangles(rng, cells):
    return jittered_grid(rng, cells), split_quads(rng, grid_quads(cells, cells), part=1)


def slivers(rng, cells):
    return cut_thin(rng, *triangles(rng, cells), part=0.5)


def fan(rng, cells):
    """Triangles that all meet at one point, up to 3,204 of them."""
    steps = np.sort(rng.random(2 * min(cells, 20) ** 2))
    side = np.array([0, *steps])
    zero, one = np.zeros_like(side), np.ones_like(side)
    ring = [(side, zero), (one, side), (1 - side, one), (zero, 1 - side)]
    border = np.concatenate([np.stack(s, -1) for s in ring])
    n = len(border)
    facets = [[0, 1 + k, 1 + (k + 1) % n] for k in range(n)]
    return np.concatenate([rng.uniform(0.45, 0.55, (1, 2)), border]), facets


def delaunay(rng, cells):
    """Delaunay's triangles of random points; the square's corners close it."""
    square = np.array([[0, 0], [1, 0], [1, 1], [0, 1]])
    points = np.concatenate([square, rng.random((cells * cells, 2))])
    return points, Delaunay(points).simplices.tolist()


def t_junctions(rng, cells):
    """Rows that are cut independently of each other, in quads and triangles."""
    heights = np.linspace(0, 1, cells + 1)
    rows = []
    for low, high in pairwise(heights):
        cuts = np.sort(rng.random(cells + rng.integers(cells) - 1))
        x = np.concatenate([[0], cuts, [1]])
        points = np.concatenate([np.stack([x, np.full_like(x, y)], -1) for y in (low, high)])
        rows.append((points, split_quads(rng, grid_quads(len(x) - 1, 1), part=0.3)))
    return join(rows)


def bricks(rng, cells, rise=0.0):
    """Bricks: hexagons with flat middle corners, or with a rise a honeycomb."""
    x, y = np.meshgrid(np.arange(2 * cells + 1), np.arange(cells + 1))
    odd = (x + y) % 2 * 2.0 - 1
    points = np.stack([x / (2 * cells), (y + rise * odd) / cells], -1).reshape(-1, 2)
    width, facets = 2 * cells + 1, []
    for row in range(cells):
        for left in range((row + 1) % 2, 2 * cells - 1, 2):
            low = row * width + left
            high = low + width
            facets.append([low, low + 1, low + 2, high + 2, high + 1, high])
    return points, facets


def honeycomb(rng, cells):
    return bricks(rng, cells, rise=1 / 6)


def doubled(rng, cells):
    return duplicated(rng, mixed(rng, cells))


FLAT_MESHES = {
    "quads": quads,
    "mixed": mixed,
    "triangles": triangles,
    "slivers": slivers,
    "fan": fan,
    "delaunay": delaunay,
    "t_junctions": t_junctions,
    "bricks": bricks,
    "honeycomb": honeycomb,
    "doubled": doubled,
}


# ---- into space ----------------------------------------------------------------------------------


class Frame(NamedTuple):
    """The frame of a flat mesh: an origin and three perpendicular axes, the third its normal."""

    origin: np.ndarray
    axes: np.ndarray

    def place(self, points):
        """Points in the frame's coordinates, (n, 2) or (n, 3), in space, not yet rounded."""
        points = np.asarray(points, Fine)
        return self.origin + points @ self.axes[: points.shape[1]]

    def locate(self, points):
        """Points in space in the frame's coordinates."""
        return (np.asarray(points, Fine) - self.origin) @ self.axes.T


def rotation(rng):
    """A random rotation, orthonormal to the last bits of `Fine`."""
    w, x, y, z = np.asarray(rng.normal(size=4), Fine)
    half = 2 / (w * w + x * x + y * y + z * z)
    return np.array(
        [
            [1 - half * (y * y + z * z), half * (x * y - w * z), half * (x * z + w * y)],
            [half * (x * y + w * z), 1 - half * (x * x + z * z), half * (y * z - w * x)],
            [half * (x * z - w * y), half * (y * z + w * x), 1 - half * (x * x + y * y)],
        ]
    )


def frame(rng, *, turn, shift):
    """A frame `shift` away from the origin, along the axes but for what is turned.

    `turn` is "none", "in plane" (the flat mesh is still along two axes) or "in space".
    """
    axes = np.roll(np.eye(3, dtype=Fine), rng.integers(3), axis=0)
    if turn == "in plane":
        angle = Fine(rng.uniform(0, 2 * np.pi))
        u, v = axes[0].copy(), axes[1].copy()
        axes[0], axes[1] = (
            np.cos(angle) * u + np.sin(angle) * v,
            np.cos(angle) * v - np.sin(angle) * u,
        )
    elif turn == "in space":
        axes = rotation(rng)
    away = rng.normal(size=3)
    return Frame(np.asarray(shift * away / np.linalg.norm(away), Fine), axes)


def rounded(points, dtype):
    """Coordinates as a file of this precision would hold them."""
    return np.asarray(points).astype(dtype).astype(np.float64)


# ---- cylinders -----------------------------------------------------------------------------------


def cylinder(rng, strips, across, length, pieces):
    """A prism of plane strips around the third axis, radius 1, each cut `across` x `pieces`."""
    corners = ring(strips)
    parts = np.linspace(0, 1, across + 1, dtype=Fine)[:-1, None]
    following = np.roll(corners, -1, axis=0)
    outline = (corners[:, None] * (1 - parts) + following[:, None] * parts).reshape(-1, 2)
    heights = np.linspace(-length / 2, length / 2, pieces + 1)
    points = [np.column_stack([outline, np.full(len(outline), z)]) for z in heights]
    n, facets = len(outline), []
    for low in range(0, n * pieces, n):
        for k in range(n):
            after = (k + 1) % n
            facets.append([low + k, low + after, low + n + after, low + n + k])
    return np.concatenate(points), split_quads(rng, facets)


def ring(strips):
    """The corners of a regular polygon of radius 1."""
    angles = np.arange(strips, dtype=Fine) * (2 * np.arccos(Fine(-1)) / strips)
    return np.stack([np.cos(angles), np.sin(angles)], -1)


def ring_distance(strips, points):
    """The distance of points outside a regular polygon of radius 1 from it."""
    corners = ring(strips)
    edge = np.roll(corners, -1, axis=0) - corners
    away = points[:, None] - corners
    eta = np.clip((away * edge).sum(-1) / (edge * edge).sum(-1), 0, 1)
    return np.linalg.norm(away - eta[..., None] * edge, axis=-1).min(axis=1)


# ---- lattices ------------------------------------------------------------------------------------


def lattice(rng, cells, spacing, part):
    """Three walls of a box on a lattice, some quads cut; they meet in a concave corner."""
    steps = spacing * np.arange(cells + 1.0)
    y, x = np.meshgrid(steps, steps, indexing="ij")
    flat = np.stack([x, y, np.zeros_like(x)], -1).reshape(-1, 3)
    facets = grid_quads(cells, cells)
    walls = [(np.roll(flat, turn, axis=1), split_quads(rng, facets, part)) for turn in range(3)]
    return join(walls)


def lattice_spheres(cells, spacing):
    """Spheres on the corners, edges and middles of a lattice, in steps of half a cell."""
    steps = spacing / 2 * np.arange(2 * cells + 1)
    centers = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), -1).reshape(-1, 3)
    return np.repeat(centers, 3, axis=0), np.tile([0.5, 0.75, 1.5], len(centers)) * spacing


# ---- single facets -------------------------------------------------------------------------------


def convex_outline(rng, sides, smallest_step=0.3):
    """A strictly convex polygon (n, 2): corners on an ellipse, none close to another."""
    gaps = smallest_step + rng.random(sides)
    angles = 2 * np.pi * (np.cumsum(gaps) / gaps.sum() + rng.random())
    return np.stack([np.cos(angles), np.sin(angles)], -1) * rng.uniform([0.3, 0.3], [1, 1])


def sliver_outline(rng, smallest=-6.0):
    """A triangle with a height down to 1e-6 of its base."""
    return np.array([[-1, 0], [1, 0], [rng.uniform(-1, 1), 10 ** rng.uniform(smallest, -2)]])


def bent_outline(rng, sides, bend):
    """A convex polygon (n, 3) with corners off its plane by up to `bend`."""
    return np.column_stack([convex_outline(rng, sides), rng.uniform(-bend, bend, sides)])


def with_flat_corners(rng, outline):
    """The outline with a few more corners on its sides, as exact as its type."""
    out = []
    for a, b in zip(outline, np.roll(outline, -1, axis=0), strict=True):
        out.append(a)
        if rng.random() < 0.5:
            out.append((a + b) / 2)
    return np.array(out)


def lattice_outline(rng, sides):
    """A strictly convex polygon with even integer corners: sorted edges of distinct directions."""
    edges = np.unique(rng.integers(-9, 10, (4 * sides, 2)) * 2, axis=0)
    edges = edges[np.any(edges != 0, axis=1)]
    _, first = np.unique(np.arctan2(edges[:, 1], edges[:, 0]), return_index=True)
    edges = rng.permutation(edges[first])[: sides - 1]
    edges = np.concatenate([edges, -edges.sum(axis=0, keepdims=True)])
    edges = edges[np.argsort(np.arctan2(edges[:, 1], edges[:, 0]))]
    return np.cumsum(edges, axis=0).astype(float)


def is_strictly_convex(outline):
    """Whether a closed polygon turns left at each corner, once around."""
    step = np.roll(outline, -1, axis=0) - outline
    after = np.roll(step, -1, axis=0)
    turn = step[:, 0] * after[:, 1] - step[:, 1] * after[:, 0]
    angle = np.arctan2(turn, (step * after).sum(axis=1)).sum()
    return bool((turn > 0).all() and abs(angle - 2 * np.pi) < 1)


def lattice_facet(rng, sides, *, flat, bent):
    """A polygon with exact coordinates: integer steps along two small integer vectors, and none or
    few off that plane. So it is plane, and its flat corners are flat, exactly."""
    outline = lattice_outline(rng, sides)
    while not is_strictly_convex(outline):
        outline = lattice_outline(rng, sides)
    height = 2 * rng.integers(-1, 2, len(outline)) * (2.0**-14 if bent else 0)
    corners = np.column_stack([outline, height])
    if flat:
        corners = with_flat_corners(rng, corners)
    basis = rng.integers(-2, 3, (2, 3))
    while not np.cross(*basis).any():
        basis = rng.integers(-2, 3, (2, 3))
    basis = np.array([*basis, np.cross(*basis)])
    return corners @ basis / 16 + rng.integers(-64, 65, 3) / 8


# ---- scenes for the reference --------------------------------------------------------------------


def facet_shape(rng, kind, sides):
    """One facet of a soup around the origin, (n, 2) or (n, 3)."""
    if kind == "sliver":
        return sliver_outline(rng)
    if kind == "bent":
        return bent_outline(rng, max(sides, 4), 10 ** rng.uniform(-5, -3.7))
    return convex_outline(rng, sides)


def soup(rng, kinds, sides):
    """Facets here and there, each with its own vertices."""
    meshes = []
    for kind, count in zip(kinds, sides, strict=True):
        points = 10 ** rng.uniform(-0.7, 0.3) * facet_shape(rng, kind, count)
        where = Frame(np.asarray(rng.normal(size=3), Fine), rotation(rng))
        meshes.append((rounded(where.place(points), float), [list(range(len(points)))]))
    return join(meshes)


def lattice_soup(rng, sides):
    """Facets with exact coordinates, some with flat corners, some bent."""
    meshes = []
    for count in sides:
        flat, bent = rng.random(2) < [0.5, 0.2]
        points = lattice_facet(rng, count, flat=flat, bent=bent)
        meshes.append((points, [list(range(len(points)))]))
    return join(meshes)


def sheet(cells, heights=0.0):
    """The unit square in squares of two triangles each, with heights (cells + 1, cells + 1)."""
    x, y = np.meshgrid(*[np.linspace(0, 1, cells + 1)] * 2, indexing="ij")
    vertices = np.stack([x, y, heights + 0 * x], axis=-1).reshape(-1, 3)
    at = np.arange((cells + 1) ** 2).reshape(cells + 1, -1)
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], axis=-1).reshape(-1, 4)
    return vertices, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def terrain(rng, cells):
    """A rough surface of triangles that share their vertices."""
    flat, facets = triangles(rng, cells)
    height = rng.normal(size=len(flat)) * 10 ** rng.uniform(-2, 0)
    return np.column_stack([cells * flat, height]), facets


def folded(rng, strips, pieces):
    """A folded sheet of plane strips, ridges and valleys; where strips are cut otherwise than their
    neighbors, corners are flat."""
    profile = np.column_stack([np.arange(strips + 1.0), rng.normal(size=strips + 1)])
    heights = np.sort(rng.random(pieces - 1)) * pieces
    levels = np.concatenate([[0], heights, [pieces]])
    points = [np.column_stack([profile, np.full(strips + 1, y)])[:, [0, 2, 1]] for y in levels]
    facets = []
    for k in range(strips):
        cuts = [0, *(np.flatnonzero(rng.random(pieces - 1) < 0.6) + 1), pieces]
        for low, high in pairwise(cuts):
            right = [level * (strips + 1) + k + 1 for level in range(low, high + 1)]
            left = [level * (strips + 1) + k for level in range(high, low - 1, -1)]
            facets.append(left[-1:] + right + left[:-1])
    return np.concatenate(points), facets


def spheres_near(rng, vertices, facets, count, radius):
    """Spheres that touch or nearly touch random points of random facets."""
    centers = []
    for _ in range(count):
        corners = vertices[facets[rng.integers(len(facets))]]
        away = rng.normal(size=3)
        reach = radius * rng.uniform(0.1, 1.1) / np.linalg.norm(away)
        centers.append(rng.dirichlet(np.ones(len(corners))) @ corners + reach * away)
    return np.array(centers), np.full(count, radius)


def shape(draw, rng):
    """A random mesh of one of the kinds above."""
    kind = draw(st.sampled_from(["soup", "lattice", "terrain", "folded"]), label="kind")
    if kind == "terrain":
        return terrain(rng, draw(st.integers(1, 4)))
    if kind == "folded":
        return folded(rng, draw(st.integers(1, 4)), draw(st.integers(1, 4)))
    sides = draw(st.lists(st.integers(3, 8), min_size=1, max_size=8), label="sides")
    if kind == "lattice":
        return lattice_soup(rng, sides)
    outline = st.sampled_from(["plane", "plane", "plane", "bent", "sliver"])
    outlines = draw(st.lists(outline, min_size=len(sides), max_size=len(sides)), label="outlines")
    return soup(rng, outlines, sides)


@st.composite
def meshes(draw):
    """A random mesh, of any size and anywhere, and the generator of its numbers.

    Powers of two and whole shifts keep what is exactly plane or flat so.
    """
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    vertices, facets = shape(draw, rng)
    shift = draw(st.sampled_from([0, 0, 0, 1024]), label="shift")
    scale = 2.0 ** draw(st.sampled_from([0, 0, -20, 20]), label="scale")
    return rng, ((vertices + shift * np.array([1, -1, 2])) * scale, facets)


@st.composite
def scenes(draw):
    """A random mesh and a few spheres of one size, from far smaller than its facets to larger."""
    rng, (vertices, facets) = draw(meshes())
    extent = np.ptp(vertices, axis=0).max()
    radius = extent * 10 ** draw(st.floats(-2.5, 1), label="size")
    count = draw(st.integers(1, 4), label="spheres")
    return Scene(vertices, facets, *spheres_near(rng, vertices, facets, count, radius))


def prism(outline, height=1.0, turn=1, shift=(0.0, 0.0, 0.0)):
    """A closed mesh of quads and two ends that are fans around the outline's first corner."""
    count = len(outline)
    low = np.column_stack([outline, np.zeros(count)])
    around = np.arange(count)
    sides = np.column_stack([around, np.roll(around, -1)])
    sides = np.column_stack([sides, sides[:, ::-1] + count])
    fan = np.array([[0, k, k + 1] for k in range(1, count - 1)])
    facets = [*sides.tolist(), *fan[:, ::-1].tolist(), *(fan + count).tolist()]
    vertices = np.concatenate([low, low + [0, 0, height]]) + shift
    return abut.Mesh(vertices, [f[::turn] for f in facets])


def unit_cube():
    """Vertices and facets of a unit cube of six squares."""
    vertices = np.indices((2, 2, 2)).reshape(3, 8).T
    facets = [[0, 1, 3, 2], [4, 6, 7, 5], [0, 4, 5, 1], [2, 3, 7, 6], [0, 2, 6, 4], [1, 5, 7, 3]]
    return vertices, facets


# ---- spheres among themselves --------------------------------------------------------------------


class Cloud(NamedTuple):
    """Spheres, or disks, that may touch each other."""

    centers: np.ndarray
    radii: np.ndarray
    gap: object
    period: tuple | None


def largest(values):
    return values.max() if len(values) else 1.0


def smallest(values):
    return values.min() if len(values) else 1.0


def power_law(rng, count, ratio, alpha=-3.0):
    """Radii from 1 to `ratio` with a density like r^alpha."""
    if alpha == -1:
        return ratio ** rng.random(count)
    power = 1 + alpha
    return (1 + rng.random(count) * (ratio**power - 1)) ** (1 / power)


def box_side(radii, dimension, volume_fraction):
    """The side of a box in which spheres take this part of the room."""
    unit = {2: np.pi, 3: 4 / 3 * np.pi}[dimension]
    return (unit * (radii**dimension).sum() / volume_fraction) ** (1 / dimension)


def random_cloud(rng, count, ratio, dimension, volume_fraction=0.5, alpha=-3.0):
    """Spheres at random places in a box, and the box's side."""
    radii = power_law(rng, count, ratio, alpha)
    side = box_side(radii, dimension, volume_fraction)
    return side * rng.random((count, dimension)), radii, side


def in_a_box(rng, radii, dimension):
    return box_side(radii, dimension, 0.3) * rng.random((len(radii), dimension))


def in_one_cell(rng, radii, dimension):
    return smallest(radii) * rng.uniform(-0.1, 0.1, (len(radii), dimension))


def coincident(rng, radii, dimension):
    spots = in_a_box(rng, radii, dimension)[: 1 + len(radii) // 4]
    return spots[rng.integers(len(spots), size=len(radii))] if len(radii) else spots


def on_a_lattice(rng, radii, dimension):
    """Many whole numbers: spheres that just touch, and centers on the borders of cells."""
    count = max(1, round(len(radii) ** (1 / dimension)))
    return rng.integers(-count, count + 1, (len(radii), dimension)) * smallest(radii)


def on_a_line(rng, radii, dimension):
    centers = np.zeros((len(radii), dimension))
    centers[:, rng.integers(dimension)] = np.cumsum(2 * radii * rng.uniform(0.4, 1.2, len(radii)))
    return centers


def just_touching(rng, radii, dimension):
    """Each sphere is next to another one, where both barely touch or barely do not."""
    centers = in_a_box(rng, radii, dimension)
    for i in range(1, len(radii)):
        away = rng.normal(size=dimension)
        j = rng.integers(i)
        centers[i] = centers[j] + (radii[i] + radii[j]) / np.linalg.norm(away) * away
    return centers


LAYOUTS = [in_a_box, in_one_cell, coincident, on_a_lattice, on_a_line, just_touching]


def cloud_radii(draw, rng, count):
    """Radii: many sizes, two sizes, one size, or whole numbers."""
    kind = draw(st.sampled_from(["all", "two", "one", "whole"]), label="radii")
    ratio = 10.0 ** draw(st.sampled_from([0.1, 1, 2, 4]), label="ratio")
    if kind == "all":
        return power_law(rng, count, ratio, rng.choice([-1.0, -3.0, 0.0]))
    if kind == "two":
        return np.where(rng.random(count) < 0.1, ratio, 1.0)
    return np.ones(count) if kind == "one" else rng.integers(1, 5, count).astype(float)


def cloud_gap(draw, rng, radii):
    """A gap: None, one for all spheres, or one for each."""
    kind = draw(st.sampled_from(["none", "none", "number", "each"]), label="gap")
    if kind == "each":
        return radii * rng.random(len(radii)) * (rng.random(len(radii)) < 0.7)
    return 0.0 if kind == "none" else float(rng.random() * smallest(radii))


def cloud_period(draw, rng, centers, reach):
    """A period: None, or lengths along any axes, far longer than the largest sphere or shorter."""
    dimension = centers.shape[1]
    axes = draw(st.sampled_from([0, 0, *range(2**dimension)]), label="periodic axes")
    if not axes:
        return None
    factor = draw(st.sampled_from([0.8, 2.0, 3.0, 8.0, 40.0]), label="period")
    lengths = factor * reach * rng.choice([1.0, 1.0, 1.3], dimension)
    return tuple(float(x) if axes >> k & 1 else None for k, x in enumerate(lengths))


@st.composite
def clouds(draw, max_count=100):
    """A few spheres of any sizes anywhere, in space or in the plane, in a box or not."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1), label="seed"))
    dimension = draw(st.sampled_from([2, 3]), label="dimension")
    count = draw(st.one_of(st.integers(0, 3), st.integers(4, max_count)), label="spheres")
    radii = cloud_radii(draw, rng, count)
    layout = draw(st.sampled_from(LAYOUTS), label="layout")
    scale = 2.0 ** draw(st.sampled_from([0, 0, -20, 20]), label="scale")
    centers = layout(rng, radii, dimension) * scale
    radii = radii * scale
    gap = cloud_gap(draw, rng, radii)
    period = cloud_period(draw, rng, centers, largest(2 * radii + gap))
    shift = draw(st.sampled_from([0, 0, -3, 1000]), label="shift")
    return rng, Cloud(centers + shift * scale, radii, gap, period)
