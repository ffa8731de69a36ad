"""Scenes of two convex bodies: shapes and relative placements.

A scene is drawn from a seed and a few words, so that loops over seeds and hypothesis' strategies
(`scenes`) make the same ones. Shapes are points; a body is its shape scaled, turned, then moved.
Circumradii are about 1 before scaling.
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
from hypothesis import strategies as st
from scipy.spatial import ConvexHull
from scipy.spatial.transform import Rotation

from reference_convex import EDGE, FACET, VERTEX

# ---- shapes --------------------------------------------------------------------------------------


def tetrahedron(rng):
    """A tetrahedron, regular or not; none is flat."""
    regular = np.array([[1, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]]) / np.sqrt(3)
    return regular + rng.choice([0, 0.2]) * rng.uniform(-1, 1, (4, 3))


def box(rng, sides=None):
    half = rng.uniform(0.3, 1, 3) if sides is None else np.asarray(sides, dtype=float)
    return half * np.array(list(product((-1, 1), repeat=3)))


def cube(rng=None):
    return box(rng, (0.5, 0.5, 0.5))


def prism(rng, corners=None, height=None):
    """A right prism over a regular polygon: two large facets, and one square per corner."""
    count = rng.integers(3, 13) if corners is None else corners
    half = rng.uniform(0.2, 1) if height is None else height
    return np.concatenate(
        [np.column_stack([ring(count), np.full(count, z)]) for z in (-half, half)]
    )


def ring(count):
    angles = 2 * np.pi * np.arange(count) / count
    return np.column_stack([np.cos(angles), np.sin(angles)])


def needle(rng):
    """A needle, 20 to 1000 times as long as wide."""
    thin = 10 ** rng.uniform(-3, -1.3)
    return rng.choice([prism, box_alike])(rng) * [thin, thin, 1]


def plate(rng):
    """A plate, 20 to 1000 times as wide as thick."""
    thin = 10 ** rng.uniform(-3, -1.3)
    return rng.choice([prism, box_alike])(rng) * [1, 1, thin]


def box_alike(rng):
    return box(rng, (0.6, 0.8, 1))


def pyramid(rng=None):
    return np.array(
        [[-0.6, -0.6, -0.4], [0.6, -0.6, -0.4], [0.6, 0.6, -0.4], [-0.6, 0.6, -0.4], [0, 0, 0.8]]
    )


def fourteen(rng=None):
    """A cube with a pyramid on each side: 14 vertices, 12 rhombs."""
    tips = np.concatenate([np.eye(3), -np.eye(3)])
    return np.concatenate([0.5 * np.array(list(product((-1.0, 1), repeat=3))), tips])


def hull_of_few(rng):
    return on_ball(rng, rng.integers(4, 13))


def hull_of_many(rng):
    return on_ball(rng, rng.integers(13, 41))


def on_ball(rng, count):
    points = rng.normal(size=(count, 3))
    return points / np.linalg.norm(points, axis=1)[:, None] * rng.uniform(0.5, 1, 3)


def lattice_hull(rng):
    """Points of a coarse grid: facets of many corners, exactly in a plane."""
    while True:
        points = rng.integers(-2, 3, (rng.integers(8, 30), 3)) / 4
        if np.linalg.matrix_rank(points - points[0]) == 3:
            return points


SOLIDS = {
    "tetrahedron": tetrahedron,
    "box": box,
    "cube": cube,
    "prism": prism,
    "needle": needle,
    "plate": plate,
    "pyramid": pyramid,
    "fourteen": fourteen,
    "few": hull_of_few,
    "lattice": lattice_hull,
    "many": hull_of_many,
}


def triangle(rng):
    return ring(3) + rng.choice([0, 0.3]) * rng.uniform(-1, 1, (3, 2))


def square(rng=None):
    return np.array([[-0.5, -0.5], [0.5, -0.5], [0.5, 0.5], [-0.5, 0.5]])


def rectangle(rng):
    return square() * rng.uniform(0.2, 2, 2)


def regular(rng):
    return ring(rng.integers(3, 21))


def polygon(rng):
    angles = np.sort(rng.uniform(0, 2 * np.pi, rng.integers(5, 41)))
    return np.column_stack([np.cos(angles), np.sin(angles)]) * [1, rng.uniform(0.3, 1)]


def sliver(rng):
    return square() * [2, 10 ** rng.uniform(-3, -1.3)]


POLYGONS = {
    "triangle": triangle,
    "square": square,
    "rectangle": rectangle,
    "regular": regular,
    "polygon": polygon,
    "sliver": sliver,
}


# ---- features of a shape -------------------------------------------------------------------------


class Features:
    """Facets, edges and vertices of a hull, each with the normals that it can have."""

    def __init__(self, points):
        hull = ConvexHull(points)
        self.points, self.corners = np.asarray(points, float), hull.simplices
        self.normals = hull.equations[:, :-1]
        self.neighbors = hull.neighbors
        self.vertices = hull.vertices

    def draw(self, rng, kind):
        """A point inside of a feature of this kind, and a normal inside of its cone."""
        corners, facets = {FACET: self.facet, EDGE: self.edge, VERTEX: self.vertex}[kind](rng)
        weights, parts = (rng.dirichlet(np.full(len(x), 3.0)) for x in (corners, facets))
        normal = parts @ self.normals[facets]
        return weights @ self.points[corners], normal / np.linalg.norm(normal)

    def facet(self, rng):
        number = rng.integers(len(self.corners))
        return self.corners[number], [number]

    def edge(self, rng):
        sides = np.argwhere(np.ones_like(self.neighbors))
        others = self.neighbors[tuple(sides.T)]
        cosines = (self.normals[sides[:, 0]] * self.normals[others]).sum(axis=1)
        # skip the edges that triangles of one facet share
        number, side = rng.choice(sides[cosines < 1 - 1e-9])
        return np.delete(self.corners[number], side), [number, self.neighbors[number, side]]

    def vertex(self, rng):
        corner = rng.choice(self.vertices)
        return [corner], np.flatnonzero((self.corners == corner).any(axis=1))


# ---- scenes --------------------------------------------------------------------------------------


@dataclass
class Scene:
    """Two bodies, or more: body k is shapes[shape[k]], scaled, turned, then moved."""

    shapes: list  # of points
    shape: np.ndarray
    scales: np.ndarray
    orientations: np.ndarray  # (n, 4) quaternions, in 2D angles (n,)
    positions: np.ndarray

    @property
    def dimension(self):
        return self.positions.shape[1]

    @property
    def sizes(self):
        """The approximate circumradii."""
        spans = [
            np.linalg.norm(points - points.mean(axis=0), axis=1).max() for points in self.shapes
        ]
        return np.array(spans)[self.shape] * self.scales

    def turned(self, k):
        return turn_matrix(self.orientations[k])

    def points(self, k):
        """The corners of body k in the world, in floats."""
        return self.scales[k] * self.shapes[self.shape[k]] @ self.turned(k).T + self.positions[k]

    def swapped(self):
        return replace(
            self,
            shape=self.shape[::-1],
            scales=self.scales[::-1],
            orientations=self.orientations[::-1],
            positions=self.positions[::-1],
        )

    def scaled(self, factor):
        return replace(self, scales=self.scales * factor, positions=self.positions * factor)

    def moved(self, way):
        return replace(self, positions=self.positions + way)

    def turned_by(self, orientation):
        """The scene with all bodies turned together about the origin."""
        matrix = turn_matrix(orientation)
        orientations = [compose(orientation, own) for own in self.orientations]
        return replace(
            self, orientations=np.array(orientations), positions=self.positions @ matrix.T
        )


def turn_matrix(orientation):
    if np.ndim(orientation):
        return Rotation.from_quat(orientation).as_matrix()
    cosine, sine = np.cos(orientation), np.sin(orientation)
    return np.array([[cosine, -sine], [sine, cosine]])


def compose(first, second):
    """The orientation that turns by the second, then by the first."""
    if not np.ndim(first):
        return first + second
    return (Rotation.from_quat(first) * Rotation.from_quat(second)).as_quat()


def any_orientation(rng, dimension):
    return (
        rng.uniform(-np.pi, np.pi)
        if dimension == 2
        else Rotation.from_quat(rng.normal(size=4)).as_quat()
    )


def two(shapes, scales, orientations, positions):
    numbers = np.array([0, len(shapes) - 1])
    return Scene(
        shapes, numbers, *(np.array(x, dtype=float) for x in (scales, orientations, positions))
    )


def anyhow(rng, shapes, scales):
    """Turned at random, at any distance up to the sum of their circumradii, or a little more."""
    dimension = shapes[0].shape[1]
    orientations = [any_orientation(rng, dimension) for _ in range(2)]
    scene = two(shapes, scales, orientations, np.zeros((2, dimension)))
    way = rng.normal(size=dimension)
    way *= rng.uniform(0, 1.2) * scene.sizes.sum() / np.linalg.norm(way)
    return replace(scene, positions=np.array([0 * way, way]))


def facing(rng, shapes, scales, kinds=None, gap=None, tilt=0.0):
    """A feature of A before one of B, across a gap (in sizes of the smaller) that is negative where
    they overlap; B is tilted about the point between them. Where both kinds are facets, or edges of
    aligned bodies, they are parallel but for the tilt."""
    features = [Features(shapes[0]), Features(shapes[-1])]
    dimension = shapes[0].shape[1]
    kinds = (
        rng.choice([FACET, EDGE, VERTEX] if dimension == 3 else [FACET, VERTEX], 2)
        if kinds is None
        else kinds
    )
    gap = draw_gap(rng) if gap is None else gap
    (point, normal), (other, other_normal) = (
        f.draw(rng, kind) for f, kind in zip(features, kinds, strict=True)
    )
    turn = turn_onto(rng, other_normal, -normal, tilt)
    scene = two(shapes, scales, [identity(dimension), turn], np.zeros((2, dimension)))
    away = gap * scene.sizes.min()
    place = scales[0] * point + away * normal - scales[1] * turn_matrix(turn) @ other
    return replace(scene, positions=np.array([np.zeros(dimension), place]))


def draw_gap(rng):
    """A gap: 0, or of either sign and any magnitude from 1e-10 to 0.3."""
    return rng.choice([-1, 0, 1], p=[0.45, 0.1, 0.45]) * 10 ** rng.uniform(-10, -0.5)


def identity(dimension):
    return 0.0 if dimension == 2 else np.array([0.0, 0, 0, 1])


def turn_onto(rng, start, end, tilt):
    """An orientation that turns one unit vector to another but for the tilt, and rolls anyhow."""
    if len(start) == 2:
        return np.arctan2(end[1], end[0]) - np.arctan2(start[1], start[0]) + tilt
    frames = [np.linalg.svd(np.reshape(x, (3, 1)))[0] for x in (start, end)]
    for frame, axis in zip(frames, (start, end), strict=True):
        frame[:, 0] = axis
        frame[:, 2] *= np.sign(np.linalg.det(frame))
    onto = Rotation.from_matrix(frames[1] @ frames[0].T)
    roll = Rotation.from_rotvec(rng.uniform(0, 2 * np.pi) * end)
    across = rng.normal(size=3)
    across -= end * (across @ end)
    across /= np.linalg.norm(across)
    return (Rotation.from_rotvec(tilt * across) * roll * onto).as_quat()


def parallel(rng, shapes, scales):
    """Facets before facets or edges, at no tilt or one of any order from 1e-12 to 1e-2."""
    kinds = (FACET, rng.choice([FACET, EDGE]) if shapes[0].shape[1] == 3 else FACET)
    tilt = rng.choice([0, 1]) * 10 ** rng.uniform(-12, -2)
    return facing(rng, shapes, scales, kinds[:: rng.choice([-1, 1])], tilt=tilt)


def aligned(rng, shapes, scales):
    """Not turned to each other at all, or by a tilt: what stacked boxes have, edges and all."""
    dimension = shapes[0].shape[1]
    tilt = rng.choice([0, 1]) * 10 ** rng.uniform(-12, -2)
    turn = tilt if dimension == 2 else Rotation.from_rotvec(tilt * rng.normal(size=3)).as_quat()
    scene = two(shapes, scales, [identity(dimension), turn], np.zeros((2, dimension)))
    axis = rng.integers(dimension)
    ends = [scene.points(k)[:, axis] for k in (0, 1)]
    way = rng.choice([0, rng.uniform(-1, 1)]) * rng.uniform(-1, 1, dimension) * min(scales)
    way[axis] = ends[0].max() - ends[1].min() + draw_gap(rng) * scene.sizes.min()
    return replace(scene, positions=np.array([np.zeros(dimension), way]))


def on_plane(rng, shapes, scales):
    """A vertex on a facet's plane, to rounding; seldom inside of the facet."""
    dimension = shapes[0].shape[1]
    scene = facing(rng, shapes, scales, (FACET, VERTEX), gap=0.0)
    along = rng.normal(size=dimension)
    normal = -np.linalg.svd(scene.points(0)[:dimension] - scene.points(0)[0])[2][-1]
    along -= normal * (along @ normal)
    return (
        scene
        if rng.random() < 0.5
        else replace(
            scene, positions=scene.positions + np.array([0 * along, 0.5 * min(scales) * along])
        )
    )


def identical(rng, shapes, scales):
    """One body twice, in the same place or slightly displaced."""
    dimension = shapes[0].shape[1]
    turn = any_orientation(rng, dimension)
    way = rng.choice([0, 1]) * 10 ** rng.uniform(-14, -2) * rng.normal(size=dimension) * scales[0]
    return two(shapes[:1], [scales[0]] * 2, [turn, turn], [np.zeros(dimension), way])


def inside(rng, shapes, scales):
    """A small body near the middle of a larger one."""
    scene = anyhow(rng, shapes, [scales[0], scales[0] * 10 ** rng.uniform(-2, -0.5)])
    middle = [scene.points(k).mean(axis=0) for k in (0, 1)]
    way = rng.choice([0, 0.05]) * rng.normal(size=scene.dimension) * scales[0]
    return replace(
        scene, positions=scene.positions + np.array([0 * way, middle[0] - middle[1] + way])
    )


PLACES = {
    "anyhow": anyhow,
    "facing": facing,
    "parallel": parallel,
    "aligned": aligned,
    "on_plane": on_plane,
    "identical": identical,
    "inside": inside,
}
# sizes of about 1 near the origin; of 1:1000 to 1000:1; of 1e-6 to 1e6; 1e4 sizes from the origin
UNITS = ("plain", "ratio", "scaled", "far")


def draw(seed, kinds=("box", "box"), place="anyhow", units="plain"):
    """A scene of two bodies with these kinds of shapes and this kind of place."""
    rng = np.random.default_rng(seed)
    makers = SOLIDS if kinds[0] in SOLIDS else POLYGONS
    shapes = [makers[kind](rng) for kind in kinds]
    if kinds[0] == kinds[1] and rng.random() < 0.5:
        shapes = shapes[:1]
    scales = [1.0, 10 ** rng.uniform(-3, 3) if units == "ratio" else rng.uniform(0.5, 1)]
    scene = PLACES[place](rng, shapes, scales)
    if units == "scaled":
        scene = scene.scaled(10 ** rng.uniform(-6, 6))
    if units == "far":
        scene = scene.moved(1e4 * scene.sizes.max() * rng.normal(size=scene.dimension))
    return scene


def scenes(shapes=SOLIDS, places=PLACES, units=UNITS):
    """hypothesis: scenes of two bodies."""
    kind = st.sampled_from(list(shapes))
    return st.builds(
        draw,
        seed=st.integers(0, 2**32 - 1),
        kinds=st.tuples(kind, kind),
        place=st.sampled_from(list(places)),
        units=st.sampled_from(list(units)),
    )


ANY = scenes() | scenes(POLYGONS)


# ---- from step to step, and many at once ---------------------------------------------------------


def walk(rng, scene, steps, size=1e-3):
    """The scenes in which B moves and turns, by `size` of the smaller body per step."""
    way = rng.normal(size=scene.dimension)
    way *= size * scene.sizes.min() / np.linalg.norm(way)
    turn = size if scene.dimension == 2 else np.append(0.5 * size * rng.normal(size=3), 1.0)
    for _ in range(steps):
        yield scene
        positions, orientations = scene.positions.copy(), scene.orientations.copy()
        positions[1] += way
        orientations[1] = compose(turn, orientations[1])
        scene = replace(scene, positions=positions, orientations=orientations)


def many(rng, count, shapes=SOLIDS, pool=60):
    """Pairs 2k, 2k + 1 in all kinds of places, with shapes from a pool."""
    shapes = [rng.choice(list(shapes.values()))(rng) for _ in range(pool)]
    chosen = rng.integers(pool, size=(count, 2))
    rows = [one_of_many(rng, shapes, pair) for pair in chosen]
    scene = Scene(
        shapes,
        np.concatenate([row[0] for row in rows]),
        *(np.concatenate(column) for column in zip(*[row[1] for row in rows], strict=True)),
    )
    return scene, np.arange(2 * count).reshape(-1, 2)


def one_of_many(rng, shapes, numbers):
    place = PLACES[rng.choice(list(PLACES))]
    scales = [1.0, rng.choice([1.0, 10 ** rng.uniform(-3, 3)])]
    scene = place(rng, [shapes[k] for k in numbers], scales)
    used = numbers if len(scene.shapes) > 1 else numbers[[0, 0]]
    return used, (scene.scales, scene.orientations, scene.positions)


def heap(rng, count, shapes=SOLIDS):
    """Bodies of several kinds and sizes, some of which overlap."""
    kinds = [make(rng) for make in list(shapes.values())[:6]]
    dimension = kinds[0].shape[1]
    box = (2.0 * count) ** (1 / dimension)
    orientations = [any_orientation(rng, dimension) for _ in range(count)]
    return Scene(
        kinds,
        rng.integers(len(kinds), size=count),
        rng.uniform(0.4, 1.2, count),
        np.array(orientations),
        rng.uniform(0, box, (count, dimension)),
    )


def part(scene, rows):
    columns = ("shape", "scales", "orientations", "positions")
    return replace(scene, **{name: getattr(scene, name)[rows] for name in columns})
