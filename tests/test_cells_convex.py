"""Convex bodies in periodic cells of any shape, against copies of bodies in an open world."""

from typing import NamedTuple

import numpy as np
import pytest

import abut
import reference
import scenes_cells as cells
from scenes_bodies import shapes_of

pytestmark = pytest.mark.native

# each seed stands for this many scenes
SCENES = 5
SEEDS = [*range(4), *(pytest.param(seed, marks=pytest.mark.long) for seed in range(4, 100))]

# of shapes with the scale 1, two circumscribed spheres that touch are not farther apart
REACH = 4.0


class Bodies(NamedTuple):
    """Bodies in a cell; they are `moved` by these numbers of vectors from their first places."""

    shape: np.ndarray
    scales: np.ndarray
    positions: np.ndarray
    turns: np.ndarray
    vectors: np.ndarray
    moved: np.ndarray

    @property
    def given(self):
        return self.positions + self.moved @ self.vectors


def random_bodies(rng, dimension):
    count = int(rng.integers(1, 9))
    scales = 10.0 ** rng.uniform(-1, 0, count)
    turns = rng.uniform(-3, 3, count) if dimension == 2 else rng.normal(size=(count, 4))
    while True:
        vectors = cells.KINDS[rng.integers(len(cells.KINDS))](rng, dimension)
        rank, per_volume = cells.density(vectors)
        vectors *= rng.choice([1.0, 2.0, 4.0]) * per_volume ** (1 / rank)
        if cells.image_count(vectors, REACH) * count < 1000:
            break
    positions = cells.places_in(rng, vectors, count)
    repeats = vectors.any(axis=1)
    moved = rng.integers(-9, 10, (count, dimension)) * (rng.integers(2) * repeats)
    shape = np.arange(count) % 2
    return Bodies(shape, scales, positions, turns, vectors, moved)


def copies_of(bodies):
    """The bodies and copies of them at all images that may be near: arguments, bodies, images."""
    inverse = reference.inverse_of(bodies.vectors)
    fractions = (bodies.positions[:, None] - bodies.positions) @ inverse
    images = reference.images_in_cell(inverse, fractions, REACH * bodies.scales.max())
    images = images[np.argsort((images != 0).any(axis=1), kind="stable")]  # 0 is the first one
    count = len(bodies.scales)
    body, image = np.tile(np.arange(count), len(images)), np.repeat(images, count, axis=0)
    places = bodies.positions[body] + image @ bodies.vectors
    return places, body, image


def in_open_world(bodies, gap):
    """The contacts of all bodies and copies, one row of each two opposite ones, in order."""
    shapes, (places, body, image) = shapes_of(bodies.vectors.shape[1]), copies_of(bodies)
    finder = abut.ConvexFinder(shapes, bodies.shape[body], scales=bodies.scales[body])
    found = finder.find(places, bodies.turns[body], gap=gap, minimum="global")
    i, j = found.i, body[found.j]
    k = image[found.j]
    given = k + bodies.moved[body[found.i]] - bodies.moved[j]
    first = np.take_along_axis(k, np.argmax(k != 0, axis=1)[:, None], 1)[:, 0]
    rows = np.flatnonzero((i < len(bodies.scales)) & ((i < j) | ((i == j) & (first > 0))))
    order = rows[np.lexsort((*given[rows].T[::-1], j[rows], i[rows]))]
    return found, order, j[order], given[order]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_contacts_are_those_with_copies(seed, dimension):
    rng = np.random.default_rng([54, seed])
    for _ in range(SCENES):
        bodies, gap = random_bodies(rng, dimension), float(rng.choice([0.0, 0.2]))
        finder = abut.ConvexFinder(shapes_of(dimension), bodies.shape, scales=bodies.scales)
        options = {"gap": gap, "period": bodies.vectors, "minimum": "global"}
        found = finder.find(bodies.given, bodies.turns, **options)
        open_world, rows, j, image = in_open_world(bodies, gap)
        assert found.i.tolist() == open_world.i[rows].tolist()
        assert found.j.tolist() == j.tolist() and found.image.tolist() == image.tolist()
        np.testing.assert_allclose(found.overlap, open_world.overlap[rows], 1e-9, 1e-9)
        moved = (bodies.moved @ bodies.vectors)[found.i]
        np.testing.assert_allclose(found.point - moved, open_world.point[rows], 1e-6, 1e-6)
        np.testing.assert_allclose(found.normal, open_world.normal[rows], 1e-6, 1e-6)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("dimension", [2, 3])
def test_given_pairs_take_the_nearest_image(seed, dimension):
    """The truly nearest one, which rounding of fractions misses in skewed cells."""
    rng = np.random.default_rng([55, seed])
    shape = abut.ConvexShape(np.vstack([np.eye(dimension), -np.eye(dimension)]))
    for _ in range(SCENES):
        bodies = random_bodies(rng, dimension)
        count = len(bodies.scales)
        i, j = (side.ravel() for side in np.indices((count, count)))
        found = abut.find_convex_contacts(
            shape, bodies.given, pairs=np.column_stack([i, j]), scales=0.1, period=bodies.vectors,
            shape=np.zeros(count, int),
        )  # fmt: skip
        apart = bodies.given[i] - bodies.given[j]
        distance = np.linalg.norm(apart - found.image @ bodies.vectors, axis=1)
        images = copies_of(bodies)[2][::count]
        begin = (bodies.moved[i] - bodies.moved[j])[:, None] + images
        far = np.linalg.norm(apart[:, None] - begin @ bodies.vectors, axis=2)
        far[(begin == 0).all(axis=2) & (i == j)[:, None]] = np.inf  # not the body itself
        shortest = far.min(axis=1)
        assert (distance <= shortest + 1e-9 * (1 + shortest)).all()
        assert found.image[i == j].any(axis=1).all()
