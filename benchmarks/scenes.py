"""Scenes that the benchmarks time: `make(name, sphere_count)`, the same on every machine.

Spheres are in Morton order, so that neighbors in memory are neighbors in space. Exceptions are
`unsorted` and the scenes of uneven facets.
"""

import os
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

import abut
from abut import examples

MESH_FOLDER = Path(__file__).parents[1] / "../shared/meshes"


class Scene(NamedTuple):
    """Spheres near a mesh; all lengths have the same unit."""

    centers: np.ndarray  # (n, 3)
    radii: np.ndarray  # (n,)
    vertices: np.ndarray  # (v, 3)
    facets: np.ndarray  # (m, 3) triangles, the only facets that rivals support
    polygons: tuple | None = None  # indices and offsets of the same facets, not cut into triangles
    spheres_a_call: int | None = None  # spheres in each call; None is all in one call
    call: int | None = None  # number of the timed call of a new contestant; None is any call


# ---- the unit box --------------------------------------------------------------------------------


def even_radii(rng, count):
    return rng.uniform(0.004, 0.006, count)


def spread_radii(ratio, rng, count):
    """Radii with evenly spread logarithms about 0.005: each octave has equally many spheres."""
    return 0.005 * np.sqrt(ratio) ** rng.uniform(-1.0, 1.0, count)


def wall_of(facet_count, sphere_count):
    """The wall with about `facet_count` facets; radii and distances shrink with the facets.

    The number of facets that a sphere touches is therefore always the same.
    """
    cells = round(np.sqrt(facet_count / 12))
    return wall(sphere_count, lambda rng, count: 100 / cells * even_radii(rng, count), cells)


def wall(sphere_count, draw_radii=even_radii, cells=100):
    """A unit box of jittered triangles, by default 120,000 of edge 0.01; spheres touch its walls.

    Radii are 0.004 to 0.006; each center is within its radius of one of the six walls.
    """
    rng = np.random.default_rng(1)
    radii = draw_radii(rng, sphere_count)
    centers = rng.uniform(0.0, 1.0, (sphere_count, 3))
    distance = rng.uniform(0.0, 1.0, sphere_count) * radii
    axis, is_upper = rng.integers(0, 3, sphere_count), rng.integers(0, 2, sphere_count)
    centers[np.arange(sphere_count), axis] = np.where(is_upper, 1.0 - distance, distance)
    order = np.argsort(morton_codes(centers), kind="stable")
    return Scene(centers[order], radii[order], *jittered_box(cells, rng))


def wall_rotated(sphere_count):
    """The wall turned by 40 degrees about the axis (1, 2, 3), sorted by the new places.

    No facet is perpendicular to a coordinate axis any more.
    """
    scene, turn = wall(sphere_count), rotation((1.0, 2.0, 3.0), np.deg2rad(40.0))
    return in_order(
        scene._replace(centers=scene.centers @ turn.T, vertices=scene.vertices @ turn.T)
    )


def unsorted(sphere_count):
    """The wall with its spheres in random order."""
    scene = wall(sphere_count)
    order = np.random.default_rng(2).permutation(sphere_count)
    return scene._replace(centers=scene.centers[order], radii=scene.radii[order])


def fill(sphere_count, low=0.0, high=1.0):
    """The wall's mesh; centers uniform in the box, or in the cube from `low` to `high`."""
    rng = np.random.default_rng(3)
    radii, centers = even_radii(rng, sphere_count), rng.uniform(low, high, (sphere_count, 3))
    mesh = wall(0)
    return in_order(mesh._replace(centers=centers, radii=radii))


def far(sphere_count):
    """Spheres in the middle of the box, at least 0.1 from all facets, inside the mesh's bounds."""
    return fill(sphere_count, 0.1, 0.9)


def beyond(sphere_count):
    """Spheres outside the mesh's bounds, at least 1 from all facets."""
    return fill(sphere_count, 2.0, 3.0)


def one_call(sphere_count):
    """The wall, with one sphere per call."""
    return wall(sphere_count)._replace(spheres_a_call=1)


def jittered_box(cells, rng):
    """Vertices and triangles of a unit box of cells x cells x 2 triangles a side, facing inwards.

    Vertices inside a side are moved in its plane by up to a quarter of a cell: sides stay flat.
    """
    sides = []
    j, k = np.meshgrid(np.arange(cells), np.arange(cells), indexing="ij")
    steps = np.array([[0, 0], [1, 0], [1, 1], [0, 0], [1, 1], [0, 1]])
    corners = np.stack([j, k], -1).reshape(-1, 1, 2) + steps
    for axis in range(3):
        for level in (0, cells):
            side = np.insert(corners, axis, level, axis=-1).reshape(-1, 3, 3)
            # the other two axes keep their order, which flips the orientation for the middle axis
            turns_out = (level == 0) == (axis == 1)
            sides.append(side[:, ::-1] if turns_out else side)
    lattice, facets = np.unique(np.concatenate(sides).reshape(-1, 3), axis=0, return_inverse=True)
    is_inside = (lattice > 0) & (lattice < cells)
    is_jittered = is_inside & (is_inside.sum(1, keepdims=True) == 2)
    jitter = rng.uniform(-0.25, 0.25, lattice.shape) * is_jittered
    return (lattice + jitter) / cells, facets.reshape(-1, 3)


# ---- real meshes, and the package's mixer --------------------------------------------------------


def cad_mesh(file, sphere_count):
    """Spheres near the surface of a mesh from the folder ABUT_TEST_MESHES or ../shared/meshes."""
    folder = Path(os.environ.get("ABUT_TEST_MESHES", MESH_FOLDER))
    mesh = abut.read_mesh(folder / file)
    return near_surface(mesh.vertices, cut(mesh), sphere_count)


def slivers(sphere_count):
    """Spheres near the paddles of `abut.examples.mixer`, cut into 26,880 slivers."""
    mesh = examples.mixer().mesh
    triangles = cut(mesh)
    paddles = triangles[-28 * examples.PADDLE_COUNT :]  # 12 triangles of an arm, 16 of a blade
    used, facets = np.unique(paddles, return_inverse=True)
    vertices, facets = sliver_fans(mesh.vertices[used], facets.reshape(-1, 3), 16)
    return near_surface(vertices, facets, sphere_count)


def mixer(sphere_count):
    """The bed and the facets of `abut.examples.mixer`: 1,600 quadrilaterals and 848 triangles."""
    centers, radii, mesh = examples.mixer()
    polygons = (mesh.indices, mesh.offsets)
    spheres = centers[:sphere_count], radii[:sphere_count]
    return in_order(Scene(*spheres, mesh.vertices, cut(mesh), polygons))


def near_surface(vertices, facets, sphere_count):
    """Spheres uniform over the surface, on both sides, with centers within a radius of it.

    The radius is 0.5 % of the mesh's longest side.
    """
    rng = np.random.default_rng(4)
    corners = vertices[facets]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    facet = rng.choice(len(facets), sphere_count, p=areas / areas.sum())
    weights = rng.dirichlet([1.0, 1.0, 1.0], sphere_count)
    radius = 0.005 * np.ptp(vertices, axis=0).max()
    height = rng.uniform(-radius, radius, sphere_count) / areas[facet]
    centers = np.einsum("ij,ijk->ik", weights, corners[facet]) + height[:, None] * normals[facet]
    return in_order(Scene(centers, np.full(sphere_count, radius), vertices, facets))


def cut(mesh):
    """The mesh's polygons as fans of triangles (m, 3)."""
    sides = np.diff(mesh.offsets)
    polygon = np.repeat(np.arange(len(sides)), sides - 2)
    first = mesh.offsets[:-1][polygon]
    step = np.arange(len(polygon)) - np.repeat(np.cumsum(sides - 2) - (sides - 2), sides - 2)
    return np.column_stack([mesh.indices[first + k] for k in (0, step + 1, step + 2)])


def sliver_fans(vertices, facets, cuts):
    """Each triangle as a fan about its centroid, its edges cut into `cuts` pieces.

    Triangles that share an edge cut it at the same points: the mesh stays closed.
    """
    outlines = []
    for k in range(3):
        begin, end = facets[:, k], facets[:, (k + 1) % 3]
        low, high = vertices[np.minimum(begin, end)], vertices[np.maximum(begin, end)]
        along = np.arange(cuts) / cuts * np.ones((len(facets), 1))
        along = np.where((begin < end)[:, None], along, 1 - along)[:, :, None]
        outlines.append((1 - along) * low[:, None] + along * high[:, None])
    outline = np.concatenate(outlines, axis=1)
    middle = np.broadcast_to(vertices[facets].mean(1)[:, None], outline.shape)
    corners = np.stack([outline, np.roll(outline, -1, axis=1), middle], axis=2).reshape(-1, 3)
    vertices, facets = np.unique(corners, axis=0, return_inverse=True)
    return vertices, facets.reshape(-1, 3)


# ---- uneven facets, as in CAD and terrain; grids of one size are slow for them -------------------


def uneven(draw, sphere_count):
    """The scene that `draw` makes, searched in several calls, of which the third is timed.

    The first two calls build everything needed for spheres of these sizes, and no more.
    """
    vertices, facets, spheres = draw(np.random.default_rng(29), sphere_count)
    return Scene(*spheres, vertices, facets, call=3)


def mixed(ratio, count, rng, sphere_count):
    """A sheet of 45,000 facets of size 0.001, and `count` facets around it, `ratio` times larger.

    Spheres are at the sheet.
    """
    vertices, facets = rough_sheet(rng, 150)
    edge = 1e-3 * ratio
    mesh = join([(vertices, facets), soup(rng, count, (-2 * edge, 2 * edge), edge)])
    return *mesh, touching_spheres(rng, vertices, facets, sphere_count, 1e-3)


def two_parts(rng, sphere_count):
    """Two sheets of 28,800 facets, at a distance of 100,000 facet sizes."""
    vertices, facets = rough_sheet(rng, 120)
    mesh = join([(vertices, facets), (vertices + [300.0, 200.0, 100.0], facets)])
    return *mesh, touching_spheres(rng, *mesh, sphere_count, 1e-3)


def power_law(rng, sphere_count):
    """60,000 triangles of size 0.0001 to 0.3 in a unit cube; spheres of 0.0003 to 0.01."""
    vertices, facets = soup(rng, 60_000, (0, 1), 10 ** rng.uniform(-4, -0.5, 60_000))
    radii = 10 ** rng.uniform(-3.5, -2, sphere_count)
    return vertices, facets, (rng.uniform(0, 1, (sphere_count, 3)), radii)


def needles(rng, sphere_count):
    """20,000 triangles, 0.5 long and 0.0001 wide, in a unit cube; spheres of 0.003."""
    begin, along = rng.uniform(0, 1, (20_000, 3)), rng.normal(size=(20_000, 3))
    along *= 0.5 / np.linalg.norm(along, axis=1, keepdims=True)
    third = begin + along / 2 + rng.normal(scale=1e-4, size=begin.shape)
    vertices = np.stack([begin, begin + along, third], axis=1).reshape(-1, 3)
    facets = np.arange(len(vertices)).reshape(-1, 3)
    radii = np.full(sphere_count, 0.003)
    return vertices, facets, (rng.uniform(0, 1, (sphere_count, 3)), radii)


def terrain(rng, sphere_count):
    """Ground of 10 m facets, 4 km wide, and above it a drum of 16 mm facets with all spheres."""
    ground, facets = jittered_grid(rng, 400)
    ground = 10.0 * ground
    ground[:, 2] = 20.0 * np.sin(ground[:, 0] / 300.0) * np.cos(ground[:, 1] / 200.0)
    drum = capped(*tube(200, 0.5, 2.0, cuts=120))
    drum = drum[0] + [2000.0, 2000.0, 60.0], drum[1]
    spheres = touching_spheres(rng, *drum, sphere_count, 0.02)
    return *join([(ground, facets), drum]), spheres


def duplicates(rng, sphere_count):
    """A sheet of 1,800 facets, each repeated thirty times."""
    vertices, facets = rough_sheet(rng, 30)
    facets = np.repeat(facets, 30, axis=0)
    return vertices, facets, touching_spheres(rng, vertices, facets, sphere_count, 1e-3)


def star(rng, sphere_count):
    """40,000 slivers that share one corner."""
    angle = np.linspace(0, 2 * np.pi, 40_000, endpoint=False)
    rim = np.column_stack([np.cos(angle), np.sin(angle), 0.3 * np.sin(7 * angle)])
    k = np.arange(1, len(rim) + 1)
    facets = np.column_stack([np.zeros_like(k), k, np.roll(k, -1)])
    vertices = np.concatenate([np.zeros((1, 3)), rim])
    return vertices, facets, touching_spheres(rng, vertices, facets, sphere_count, 0.02)


def big_spheres(rng, sphere_count):
    """A sheet of 45,000 facets; spheres twenty times as large, which touch 2,000 facets each."""
    vertices, facets = rough_sheet(rng, 150)
    return vertices, facets, touching_spheres(rng, vertices, facets, sphere_count, 0.02)


def giants(rng, sphere_count):
    """A sheet of 45,000 facets; spheres of their size, and one in 5,000 that touches nearly all."""
    vertices, facets = rough_sheet(rng, 150)
    centers, radii = touching_spheres(rng, vertices, facets, sphere_count, 1e-3)
    # giants above the middle of the sheet, which reach beyond its corners
    large = np.arange(2_501, sphere_count, 5_000)
    centers[large] = [0.075, 0.075, 0.05] + 0.01 * rng.uniform(-1, 1, (len(large), 3))
    radii[large] = 0.15
    return vertices, facets, (centers, radii)


def tubes(rng, sphere_count):
    """A rotated bed of 100 parallel tubes, of strips nearly 400 times as long as wide."""
    one, facets = tube(48, 0.08, 4.0)
    places = 0.2 * np.insert(np.indices((10, 10)).reshape(2, -1).T, 2, 0, axis=1)
    vertices, facets = join([(one + place, facets) for place in places])
    turn, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    vertices = vertices @ turn.T
    return vertices, facets, touching_spheres(rng, vertices, facets, sphere_count, 0.003)


def jittered_grid(rng, cells):
    """A flat square of cells x cells x 2 triangles; cells of size 1, inner vertices jittered."""
    lines = np.indices((cells + 1, cells + 1)).astype(float)
    lines[:, 1:-1, 1:-1] += rng.uniform(-0.2, 0.2, (2, cells - 1, cells - 1))
    number = np.arange((cells + 1) ** 2).reshape(cells + 1, cells + 1)
    corners = number[:-1, :-1], number[1:, :-1], number[1:, 1:], number[:-1, 1:]
    a, b, c, d = (corner.ravel() for corner in corners)
    facets = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    return np.insert(lines.reshape(2, -1).T, 2, 0.0, axis=1), facets


def rough_sheet(rng, cells, edge=1e-3):
    vertices, facets = jittered_grid(rng, cells)
    vertices[:, 2] = rng.normal(scale=0.1, size=len(vertices))
    return edge * vertices, facets


def soup(rng, count, bounds, edges):
    """`count` triangles that share no corner, with their middles at random places in a cube."""
    middles = rng.uniform(*bounds, (count, 1, 3))
    corners = middles + rng.normal(size=(count, 3, 3)) * np.reshape(edges, (-1, 1, 1)) / 2
    return corners.reshape(-1, 3), np.arange(3 * count).reshape(-1, 3)


def tube(strips, radius, length, cuts=1):
    """A tube about the third axis, of strips that are cut into `cuts` pieces."""
    angle = np.linspace(0, 2 * np.pi, strips, endpoint=False)
    ring = radius * np.column_stack([np.cos(angle), np.sin(angle)])
    heights = np.linspace(0, length, cuts + 1)
    vertices = np.concatenate([np.insert(ring, 2, height, axis=1) for height in heights])
    low = np.arange(strips * cuts).reshape(cuts, strips)
    a, b = low.ravel(), np.roll(low, -1, axis=1).ravel()
    lower, upper = np.column_stack([a, b, a + strips]), np.column_stack([b, b + strips, a + strips])
    return vertices, np.stack([lower, upper], axis=1).reshape(-1, 3)


def capped(vertices, facets):
    """The tube with a fan at each end."""
    strips = int(np.count_nonzero(vertices[:, 2] == vertices[0, 2]))
    parts = [(vertices, facets)]
    for ring in (vertices[:strips], vertices[-strips:]):
        k = np.arange(1, strips + 1)
        fan = np.column_stack([k, np.roll(k, -1), np.zeros_like(k)])
        parts.append((np.concatenate([[ring.mean(0)], ring]), fan))
    return join(parts)


def join(meshes):
    """One mesh of several."""
    firsts = np.cumsum([0, *(len(vertices) for vertices, _ in meshes)])
    facets = [np.add(facets, first) for (_, facets), first in zip(meshes, firsts, strict=False)]
    return np.concatenate([vertices for vertices, _ in meshes]), np.concatenate(facets)


def touching_spheres(rng, vertices, facets, count, radius):
    """Spheres of about `radius`, uniform over the facets, which they touch."""
    corners = vertices[facets]
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    areas = np.linalg.norm(normals, axis=1)
    facet = rng.choice(len(facets), count, p=areas / areas.sum())
    places = np.einsum("ij,ijk->ik", rng.dirichlet([1.0, 1.0, 1.0], count), corners[facet])
    way = rng.normal(size=(count, 3))
    radii = radius * rng.uniform(0.8, 1.2, count)
    distance = radii * rng.uniform(0, 1, count) / np.linalg.norm(way, axis=1)
    return places + distance[:, None] * way, radii


# ---- order and turns -----------------------------------------------------------------------------


def in_order(scene):
    """The scene with its spheres in Morton order of the cube that holds their centers."""
    low = scene.centers.min(0)
    size = np.ptp(scene.centers, axis=0).max() or 1.0  # it is 0 for a single center
    order = np.argsort(morton_codes((scene.centers - low) / size), kind="stable")
    return scene._replace(centers=scene.centers[order], radii=scene.radii[order])


def morton_codes(points):
    """Position of each point of the unit cube along the Z-order curve, 21 bits an axis."""
    cells = np.clip(points * 2**21, 0, 2**21 - 1).astype(np.uint64)
    x, y, z = (spread_bits(cells[:, axis]) for axis in range(3))
    return x | y << np.uint64(1) | z << np.uint64(2)


def spread_bits(numbers):
    """Move bit k of the lowest 21 to bit 3 k, by moving halves apart, then quarters and so on."""
    steps = [
        (32, 0x1F00000000FFFF),
        (16, 0x1F0000FF0000FF),
        (8, 0x100F00F00F00F00F),
        (4, 0x10C30C30C30C30C3),
        (2, 0x1249249249249249),
    ]
    for shift, mask in steps:
        numbers = (numbers | numbers << np.uint64(shift)) & np.uint64(mask)
    return numbers


def rotation(axis, angle):
    """Rotation matrix (3, 3) about an axis through the origin, by Rodrigues' formula."""
    x, y, z = np.asarray(axis) / np.linalg.norm(axis)
    cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * cross + (1 - np.cos(angle)) * cross @ cross


UNEVEN = {
    **{
        f"mixed_{ratio}_{count}": partial(mixed, ratio, count)
        for ratio in (30, 1_000, 100_000)
        for count in (12, 1_000, 10_000)
    },
    "two_parts": two_parts,
    "power_law": power_law,
    "needles": needles,
    "terrain": terrain,
    "duplicates": duplicates,
    "star": star,
    "big_spheres": big_spheres,
    "giants": giants,
    "tubes": tubes,
}
SCENES = {
    "wall": wall,
    "wall_rotated": wall_rotated,
    "unsorted": unsorted,
    "fill": fill,
    "fill_large": fill,
    "far": far,
    "beyond": beyond,
    "ratio_10": partial(wall, draw_radii=partial(spread_radii, 10)),
    "ratio_100": partial(wall, draw_radii=partial(spread_radii, 100)),
    # facets of edge 0.2 or 0.0025, for a mean sphere diameter of 0.01
    "large_facets": partial(wall, cells=5),
    "small_facets": partial(wall, cells=400),
    # other numbers of facets than wall's 120,000
    "facets_1k": partial(wall_of, 1_000),
    "facets_10k": partial(wall_of, 10_000),
    "facets_1m": partial(wall_of, 1_000_000),
    "vessel": partial(cad_mesh, "vessel.obj"),
    "internal_mixer": partial(cad_mesh, "internal_mixer.obj"),
    "hourglass": partial(cad_mesh, "hourglass.obj"),
    "casing": partial(cad_mesh, "casing.stl"),
    "drum": partial(cad_mesh, "drum.stl"),
    "slivers": slivers,
    "mixer": mixer,
    "one_call": one_call,
    "build": wall,
    **{name: partial(uneven, draw) for name, draw in UNEVEN.items()},
}
SPHERE_COUNTS = {
    **dict.fromkeys(UNEVEN, 20_000),
    "big_spheres": 1_000,
    "fill_large": 10_000_000,
    "mixer": examples.SPHERE_COUNT,
    "one_call": 1_000,
    "build": 10_000,
}


def make(name, sphere_count=None):
    """The scene of that name, by default with its own number of spheres."""
    if sphere_count is None:
        sphere_count = SPHERE_COUNTS.get(name, 1_000_000)
    return SCENES[name](sphere_count)
