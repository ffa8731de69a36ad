"""Pairs of convex bodies that move a little from step to step: `make(name, count, folder)`.

Scenes have fixed seeds and are the same on every machine. The first pose of most pairs is built
from their contact: a surface point and normal of one body are aligned with those of the other.
This gives the distance without a search.
"""

from functools import partial
from typing import NamedTuple

import numpy as np
from scipy.spatial.transform import Rotation

import abut
import convex_flow
from dem_scenes import kept

STEPS = 20  # steps of a stream after the first pose
NEAR, DEEP = (0.01, 0.1), (0.001, 0.05)  # ranges of gaps and overlaps, in circumscribed radii
SPACING = 6.0  # distance between pairs, which never meet


class Solid(NamedTuple):
    """A convex body with its centroid in the origin and its farthest vertex at distance 1."""

    vertices: np.ndarray  # (v, 3) of a polyhedron, or (v, 2) in order of a polygon
    facets: tuple = ()  # loops of vertices, counter-clockwise from outside; empty for a polygon


class Stream(NamedTuple):
    """Bodies in all steps, and the pairs that contestants compute in every step."""

    solids: tuple
    solid: np.ndarray  # (n,) the number of each body's solid
    scales: np.ndarray  # (n,)
    positions: np.ndarray  # (t, n, d)
    orientations: np.ndarray  # (t, n, 4): quaternions x, y, z, w; or (t, n): angles
    pairs: np.ndarray | None  # (m, 2), or None where contestants have to find them
    gaps: np.ndarray | None = None  # (m,) in the first step; nan where they are not known
    gap: float | None = None  # largest gap of the pairs to find, where `pairs` is None


# ---- solids --------------------------------------------------------------------------------------


def unit(vertices, facets=()):
    vertices = np.asarray(vertices, float)
    return Solid(vertices / np.linalg.norm(vertices, axis=1).max(), facets)


def tetrahedron():
    vertices = [[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    return unit(vertices, ((0, 1, 2), (0, 2, 3), (0, 3, 1), (1, 3, 2)))


def pyramid():
    """A square pyramid, as high as wide, with its centroid at a quarter of its height."""
    base = [[1, 1, -0.5], [-1, 1, -0.5], [-1, -1, -0.5], [1, -1, -0.5]]
    sides = tuple((k, (k + 1) % 4, 4) for k in range(4))
    return unit([*base, [0, 0, 1.5]], (*sides, (3, 2, 1, 0)))


CUBE_VERTICES = [[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]
CUBE_FACETS = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def cube():
    return unit(CUBE_VERTICES, CUBE_FACETS)


def fourteen():
    """A cube with a low pyramid on each side: 14 vertices on a sphere, 24 triangles."""
    corners = np.array(CUBE_VERTICES) / np.sqrt(3)
    middles = np.array([corners[list(loop)].sum(0) for loop in CUBE_FACETS])
    tips = middles / np.linalg.norm(middles, axis=1)[:, None]
    facets = [
        (loop[k], loop[(k + 1) % 4], 8 + n) for n, loop in enumerate(CUBE_FACETS) for k in range(4)
    ]
    return unit(np.concatenate([corners, tips]), tuple(facets))


GRAINS = (tetrahedron(), pyramid(), cube(), fourteen())


class Features(NamedTuple):
    """The features of a solid by kind: the corners of each, and the corners of its normal cone.

    Any mean of a feature's corners is a point of it; any mean of its normals points outwards.
    """

    facet: list
    edge: list
    vertex: list


def features_of(solid):
    normals = [normal_of(solid.vertices[list(loop)]) for loop in solid.facets]
    sides = {}
    for number, loop in enumerate(solid.facets):
        for k, begin in enumerate(loop):
            sides[begin, loop[(k + 1) % len(loop)]] = number
    edges = [
        (solid.vertices[[a, b]], np.array([normals[facet], normals[sides[b, a]]]))
        for (a, b), facet in sides.items()
        if a < b
    ]
    around = [
        np.array([normals[f] for f, loop in enumerate(solid.facets) if v in loop])
        for v in range(len(solid.vertices))
    ]
    return Features(
        [(solid.vertices[list(f)], n[None]) for f, n in zip(solid.facets, normals, strict=True)],
        edges,
        [(solid.vertices[[v]], around[v]) for v in range(len(solid.vertices))],
    )


def normal_of(corners):
    normal = np.cross(corners[1] - corners[0], corners[2] - corners[0])
    return normal / np.linalg.norm(normal)


FEATURES = tuple(features_of(solid) for solid in GRAINS)


# ---- pairs built from their contact --------------------------------------------------------------


class Touch(NamedTuple):
    """A point of a body's surface, a normal there, and a direction across it along the feature."""

    point: np.ndarray
    normal: np.ndarray
    along: np.ndarray


def touch(rng, kind, solid):
    """A random point well inside a feature, with a normal well inside its normal cone."""
    of_kind = getattr(FEATURES[solid], kind)
    corners, normals = of_kind[rng.integers(len(of_kind))]
    point = rng.dirichlet(np.full(len(corners), 3.0)) @ corners
    normal = rng.dirichlet(np.full(len(normals), 3.0)) @ normals
    normal /= np.linalg.norm(normal)
    along = corners[1] - corners[0] if len(corners) > 1 else np.cross(normal, rng.normal(size=3))
    return Touch(point, normal, along / np.linalg.norm(along))


def frame(normal, along):
    """The rotation with the columns along, across and normal."""
    return np.stack([along, np.cross(normal, along), normal], axis=1)


class Placed(NamedTuple):
    """One pair in the frame of its body A: the pose of B, and how B moves."""

    solids: tuple
    rotation: Rotation
    position: np.ndarray
    normal: np.ndarray
    gap: float


def place(rng, kinds, gap, spin, tilt):
    """Place B's feature at a gap from A's, turned by `spin` about the normal, then tilted."""
    solids = tuple(rng.integers(len(GRAINS), size=2))
    a, b = (touch(rng, kind, solid) for kind, solid in zip(kinds, solids, strict=True))
    turn = Rotation.from_rotvec(spin * a.normal).as_matrix()
    facing = turn @ frame(a.normal, a.along) @ frame(-b.normal, b.along).T
    rotation = Rotation.from_rotvec(tilt * a.along) * Rotation.from_matrix(facing)
    position = a.point + gap * a.normal - rotation.apply(b.point)
    return Placed(solids, rotation, position, a.normal, gap if tilt == 0.0 else np.nan)


POINTED = (
    (0.225, ("vertex", "facet")),
    (0.225, ("facet", "vertex")),
    (0.4, ("edge", "edge")),
    (0.05, ("vertex", "edge")),
    (0.05, ("edge", "vertex")),
    (0.05, ("vertex", "vertex")),
)
CROSSING = (
    (0.3, ("vertex", "facet")),
    (0.3, ("facet", "vertex")),
    (0.4, ("edge", "edge")),
)
FLUSH = (
    (0.6, ("facet", "facet")),
    (0.1, ("facet", "edge")),
    (0.1, ("edge", "facet")),
    (0.2, ("edge", "edge")),
)


def draw(rng, kinds):
    parts, chosen = zip(*kinds, strict=True)
    return chosen[rng.choice(len(chosen), p=parts)]


def between(rng, bounds):
    """A random number within the bounds, with a uniform logarithm."""
    return np.exp(rng.uniform(*np.log(bounds)))


def any_angle(rng):
    return rng.uniform(0.0, 2.0 * np.pi)


def apart(rng, reach):
    return place(rng, draw(rng, POINTED), between(rng, NEAR) + reach, any_angle(rng), 0.0)


def overlapping(rng, reach):
    return place(rng, draw(rng, CROSSING), -between(rng, DEEP) - reach, any_angle(rng), 0.0)


def parallel(rng, reach):
    """Parallel edges: half exactly parallel, the others tilted by 1e-12 to 1e-2."""
    kinds = draw(rng, FLUSH)
    spin = np.pi * rng.integers(2) if kinds == ("edge", "edge") else any_angle(rng)
    tilt = rng.choice([0.0, between(rng, (1e-12, 1e-2))])
    return place(rng, kinds, between(rng, NEAR), spin, tilt)


def flush(rng, reach):
    """Two facets, tilted by 1e-12 to 1e-8, so that the nearest corners change with each step."""
    kinds, tilt = ("facet", "facet"), between(rng, (1e-12, 1e-8))
    return place(rng, kinds, between(rng, NEAR), any_angle(rng), tilt)


# ---- how they move -------------------------------------------------------------------------------


def circle(rng, step, normal=None):
    """Points (STEPS + 1, 3) around a circle through the origin, `step` apart.

    The circle is perpendicular to `normal` if given. It is closed, so pairs do not drift apart.
    """
    first, second = np.linalg.qr(rng.normal(size=(3, 2)))[0].T
    if normal is not None:
        first = np.cross(normal, first)
        first /= np.linalg.norm(first)
        second = np.cross(normal, first)
    angle = 2.0 * np.pi * np.arange(STEPS + 1)[:, None] / STEPS
    return radius_of(step) * ((np.cos(angle) - 1.0) * first + np.sin(angle) * second)


def radius_of(step):
    return 0.5 * step / np.sin(np.pi / STEPS)


def freely(rng, step, placed):
    """B's poses relative to A: shifted and turned about random axes."""
    turns = Rotation.from_rotvec(circle(rng, step)) * placed.rotation
    return placed.position + circle(rng, step), turns


def sliding(rng, step, placed):
    """B's poses relative to A: shifted across the normal, and turned about it."""
    angle = 2.0 * np.pi * np.arange(STEPS + 1)[:, None] / STEPS
    turn = Rotation.from_rotvec(radius_of(step) * np.sin(angle) * placed.normal)
    return placed.position + circle(rng, step, placed.normal), turn * placed.rotation


PARTS = {
    "apart": ((1.0, apart, freely),),
    "parallel": ((1.0, parallel, sliding),),
    "flush": ((1.0, flush, freely),),
    "overlapping": ((1.0, overlapping, freely),),
    "mixed": (
        (0.5, apart, freely),
        (0.2, parallel, sliding),
        (0.3, overlapping, freely),
    ),
}


def stream(count, folder, kind, step):
    """A stream of `count` pairs in random orientations; no body belongs to two pairs."""
    rng = np.random.default_rng(19)
    shares, makers, motions = zip(*PARTS[kind], strict=True)
    chosen = rng.choice(len(shares), size=count or 10_000, p=shares)
    reach = 4.0 * radius_of(step)
    placed = [makers[k](rng, reach) for k in chosen]
    moved = [motions[k](rng, step, pair) for k, pair in zip(chosen, placed, strict=True)]
    return assemble(rng, placed, moved)


def assemble(rng, placed, moved):
    """The stream of pairs on a lattice, bodies A and B alternating."""
    count = len(placed)
    turned = Rotation.random(count, random_state=rng)
    positions = np.repeat(SPACING * lattice(count), 2, axis=0) + np.zeros((STEPS + 1, 1, 1))
    orientations = np.empty((STEPS + 1, 2 * count, 4))
    for k, (shift, turn) in enumerate(moved):
        positions[:, 2 * k + 1] += turned[k].apply(shift)
        orientations[:, 2 * k] = turned[k].as_quat()
        orientations[:, 2 * k + 1] = (turned[k] * turn).as_quat()
    return Stream(
        GRAINS,
        np.array([pair.solids for pair in placed]).ravel(),
        np.ones(2 * count),
        positions,
        orientations,
        np.arange(2 * count).reshape(count, 2),
        np.array([pair.gap for pair in placed]),
    )


def lattice(count, dimension=3):
    """`count` points of a cubic or square lattice."""
    across = int(np.ceil(count ** (1.0 / dimension) - 1e-9))
    return np.stack(np.unravel_index(np.arange(count), [across] * dimension), 1).astype(float)


# ---- polygons ------------------------------------------------------------------------------------


def regular(corners, turn=0.0):
    angle = 2.0 * np.pi * (np.arange(corners) + turn) / corners
    return unit(np.stack([np.cos(angle), np.sin(angle)], axis=1))


def polygon(*vertices):
    """The polygon, shifted to the mean of its vertices, with its farthest vertex at distance 1."""
    vertices = np.asarray(vertices, float)
    return unit(vertices - vertices.mean(0))


class Configuration(NamedTuple):
    """Two polygons, A at the origin, with the position, size and angle of B."""

    told: str
    a: Solid
    b: Solid
    position: tuple
    angle: float = 0.0
    scale: float = 1.0


SQUARE, TRIANGLE = regular(4, 0.5), regular(3)
CONFIGURATIONS = (
    Configuration("triangle's vertex before a square's side", SQUARE, TRIANGLE, (1.75, 0.1), np.pi),
    Configuration("squares, sides parallel", SQUARE, SQUARE, (1.45, 0.4)),
    Configuration("triangles, vertex to vertex", TRIANGLE, TRIANGLE, (2.05, 0.0), np.pi),
    Configuration("hexagon and pentagon", regular(6), regular(5), (1.5, 1.1), 0.3),
    Configuration(
        "needle across a square", SQUARE, polygon((-1, 0), (0, -0.05), (1, 0), (0, 0.05)),
        (0.6, 0.8), 0.1,
    ),
    Configuration("24-gons", regular(24), regular(24), (1.6, 1.3), 0.05),
    Configuration("square, and a 16-gon of a tenth", SQUARE, regular(16), (0.9, 0.5), 0.2, 0.1),
    Configuration(
        "trapezium and triangle, sides half a degree from parallel",
        polygon((-1, -0.4), (1, -0.4), (0.5, 0.4), (-0.5, 0.4)), TRIANGLE,
        (0.1, 1.0), np.radians(30.5),
    ),
    Configuration(
        "irregular heptagon and pentagon, three to one",
        polygon((1, 0.1), (0.7, 0.6), (0, 0.8), (-0.7, 0.5), (-1, 0), (-0.5, -0.7), (0.6, -0.6)),
        polygon((1, 0), (0.2, 0.7), (-0.8, 0.5), (-0.9, -0.4), (0.1, -0.8)),
        (-1.2, -0.7), 1.0, 1.0 / 3.0,
    ),
)  # fmt: skip


def configuration(count, folder, number):
    """`count` copies of two polygons that do not move, in random orientations."""
    rng = np.random.default_rng(19)
    count, told = count or 10_000, CONFIGURATIONS[number]
    angle = rng.uniform(0.0, 2.0 * np.pi, count)
    places = SPACING * lattice(count, 2)
    c, s = np.cos(angle), np.sin(angle)
    x, y = told.position
    shift = np.stack([c * x - s * y, s * x + c * y], axis=1)
    positions = np.stack([places, places + shift], axis=1).reshape(-1, 2)
    angles = np.stack([angle, angle + told.angle], axis=1).ravel()
    return Stream(
        (told.a, told.b),
        np.tile([0, 1], count),
        np.tile([1.0, told.scale], count),
        np.repeat(positions[None], 3, axis=0),
        np.repeat(angles[None], 3, axis=0),
        np.arange(2 * count).reshape(count, 2),
    )


POLYGONS = tuple(regular(corners) for corners in (3, 4, 5, 12))


def flat_pairs(count, folder, kind, step):
    """Polygons that move, a vertex of B before a side ("v-e") or a vertex ("v-v") of A."""
    rng = np.random.default_rng(19)
    count = count or 10_000
    solids = rng.integers(len(POLYGONS), size=(count, 2))
    half = np.pi / np.array([len(p.vertices) for p in POLYGONS])[solids]  # between two vertices
    off = rng.uniform(-0.3, 0.3, (count, 2)) * half  # angles between vertex directions and normal
    if kind == "v-e":
        a_angle = half[:, 0]
        along = rng.uniform(-0.5, 0.5, count) * np.sin(a_angle)
        point = np.stack([np.cos(a_angle), along], axis=1)
    else:
        a_angle = off[:, 0]
        point = directions(a_angle)
    gaps = np.exp(rng.uniform(*np.log(NEAR), count)) + 4.0 * radius_of(step)
    position = point + gaps[:, None] * [1.0, 0.0] + directions(off[:, 1])
    angles = np.stack([a_angle, np.pi + off[:, 1]], axis=1)
    return flat_stream(rng, solids, position, angles, step)._replace(gaps=gaps)


def directions(angles):
    return np.stack([np.cos(angles), np.sin(angles)], axis=-1)


def flat_stream(rng, solids, position, angles, step):
    """Pairs in random orientations, in which B moves around a circle and swings."""
    count = len(solids)
    way = 2.0 * np.pi * np.arange(STEPS + 1) / STEPS
    phase = rng.uniform(0.0, 2.0 * np.pi, count)
    round_it = directions(way[:, None] + phase) - directions(phase)
    moved = position + radius_of(step) * round_it
    turn = rng.uniform(0.0, 2.0 * np.pi, count)
    cos, sin = np.cos(turn), np.sin(turn)
    x, y = np.moveaxis(moved, -1, 0)
    positions = np.repeat(SPACING * lattice(count, 2), 2, axis=0) + np.zeros((STEPS + 1, 1, 1))
    positions[:, 1::2] += np.stack([cos * x - sin * y, sin * x + cos * y], axis=-1)
    orientations = np.repeat((angles + turn[:, None]).reshape(1, -1), STEPS + 1, axis=0)
    orientations[:, 1::2] += radius_of(step) * np.sin(way)[:, None]
    pairs = np.arange(2 * count).reshape(count, 2)
    scales = np.ones(2 * count)
    return Stream(POLYGONS, solids.ravel(), scales, positions, orientations, pairs)


# ---- heaps ---------------------------------------------------------------------------------------

SIZES = (0.02, 0.05)  # range of the grains' circumscribed diameters


def jostle(count, folder):
    """Densely packed grains of two to five centimeters, which tremble."""
    rng = np.random.default_rng(19)
    count = count or 2_000
    scales = 0.5 * rng.uniform(*SIZES, count)
    places = 1.05 * np.mean(SIZES) * lattice(count) + 0.1 * SIZES[0] * rng.normal(size=(count, 3))
    pairs = abut.find_pairs(places, scales)
    return trembling(
        rng, rng.integers(len(GRAINS), size=count), scales, places, np.stack([pairs.i, pairs.j], 1)
    )


def trembling(rng, solid, scales, places, pairs):
    """Each grain moves on its own circle, in steps of a thousandth of its size."""
    count = len(solid)
    turned = Rotation.random(count, random_state=rng)
    shifts = np.stack([circle(rng, 1e-3) for _ in range(count)], axis=1)
    turns = np.stack([circle(rng, 1e-3) for _ in range(count)], axis=1)
    positions = places + scales[:, None] * shifts
    orientations = np.stack([(Rotation.from_rotvec(turn) * turned).as_quat() for turn in turns])
    return Stream(GRAINS, solid, scales, positions, orientations, pairs)


POSES = 100  # recorded poses of a flow


def flow(count, folder, grains):
    """Grains that flow out of a box; with few of them, a short one."""
    count, poses = count or grains, POSES if count is None else 5
    shapes = [abut.ConvexShape(solid.vertices, solid.facets) for solid in GRAINS]
    times = {} if count == grains else {"settling": 0.05, "before": 0.005}
    make = partial(convex_flow.record, shapes, count, poses, **times)
    return Stream(GRAINS, **kept(folder, f"flow-{count}-{poses}", make))


CUBE_SPACING = 1.15  # in edge lengths
TILT = 0.15


def cubes(count, folder):
    """Cubes of edge 1 on a slightly disturbed lattice, filling 65 % of space; they tremble."""
    rng = np.random.default_rng(19)
    count = count or 100_000
    half_diagonal = np.sqrt(0.75)
    places = CUBE_SPACING * lattice(count) + rng.uniform(-0.05, 0.05, (count, 3))
    tilt = Rotation.from_rotvec(rng.normal(0.0, TILT, (count, 3)))
    shift, turn = (1e-3 * half_diagonal * rng.normal(size=(3, count, 3)) for _ in range(2))
    shift[0] = turn[0] = 0.0
    orientations = np.stack([(Rotation.from_rotvec(t) * tilt).as_quat() for t in turn])
    scales = np.full(count, half_diagonal)
    return Stream(
        (cube(),), np.zeros(count, int), scales, places + shift, orientations, None, gap=0.01
    )


SCENES = {
    **{f"polygons-{k + 1}": partial(configuration, number=k) for k in range(len(CONFIGURATIONS))},
    **{
        f"{kind}-{name}": partial(stream, kind=kind, step=step)
        for kind in PARTS
        for name, step in (("4", 1e-4), ("3", 1e-3))
    },
    "jostle": jostle,
    **{f"flow-{grains}": partial(flow, grains=grains) for grains in (500, 2_000, 5_000)},
    "entrances-v-e": partial(flat_pairs, kind="v-e", step=1e-3),
    "entrances-v-v": partial(flat_pairs, kind="v-v", step=1e-3),
    "entrances-3d": partial(stream, kind="apart", step=1e-3),
    "cubes": cubes,
}


def kind_of(name):
    """The kind of a scene, by which contestants decide whether they run on it."""
    first = name.split("-")[0]
    return {"jostle": "heap", "flow": "heap"}.get(first, "pairs" if first in PARTS else first)


def make(name, count=None, folder=None):
    """The scene of that name; `folder` caches the states that simulations produce."""
    return SCENES[name](count, folder)
