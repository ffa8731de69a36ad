"""Periodic cells of any shape, and spheres of any sizes in them."""

from typing import NamedTuple

import numpy as np

import scenes

# A reference loops over all images that may be near, and lists all pairs.
MOST_IMAGES, MOST_PAIRS = 2000, 20_000


def turn(rng, dimension):
    """A random rotation or, as often, a reflection: a reflection makes cells left-handed."""
    matrix, upper = np.linalg.qr(rng.normal(size=(dimension, dimension)))
    return matrix * np.sign(np.diag(upper))


def other_basis(rng, vectors, steps=4, most=3):
    """Other vectors that lead to the same images, and the whole numbers that lead to them."""
    dimension = len(vectors)
    numbers = np.eye(dimension, dtype=int)
    kept = np.flatnonzero(vectors.any(axis=1))
    for _ in range(steps if len(kept) > 1 else 0):
        a, b = rng.permutation(kept)[:2]
        numbers[a] += rng.integers(-most, most + 1) * numbers[b]
    if rng.random() < 0.5:
        numbers[rng.choice(kept)] *= -1
    return numbers @ vectors, numbers


def tilted(rng, dimension):
    """A cell as LAMMPS has it: along x, in the plane of x and y, and any."""
    vectors = np.tril(rng.uniform(-1.0, 1.0, (dimension, dimension)))
    np.fill_diagonal(vectors, rng.uniform(0.5, 2.0, dimension))
    return vectors


def along(rng, dimension):
    return np.diag(rng.uniform(0.5, 2.0, dimension))


def turned(rng, dimension):
    return tilted(rng, dimension) @ turn(rng, dimension)


def skewed(rng, dimension):
    return other_basis(rng, turned(rng, dimension))[0]


def thin(rng, dimension):
    """One of the vectors lies almost in the plane, or on the line, of the others."""
    vectors = turned(rng, dimension)
    part = 10.0 ** -rng.uniform(0.5, 3.0)
    vectors[-1] = part * vectors[-1] + rng.uniform(-1, 1, dimension - 1) @ vectors[:-1]
    return vectors[rng.permutation(dimension)]


def fewer(rng, dimension):
    """Space repeats along one vector, or along two of three."""
    vectors = rng.choice([tilted, turned, skewed])(rng, dimension)
    vectors[rng.permutation(dimension)[: rng.integers(1, dimension)]] = 0.0
    return vectors


KINDS = [tilted, along, turned, skewed, thin, fewer]


def density(vectors):
    """The rank, and the number of images per volume, area or length."""
    kept = vectors[vectors.any(axis=1)]
    return len(kept), 1 / np.sqrt(np.linalg.det(kept @ kept.T))


def image_count(vectors, reach):
    """About how many images a loop over all of them has."""
    kept = vectors[vectors.any(axis=1)]
    widths = 1 / np.linalg.norm(np.linalg.pinv(kept), axis=0)
    return np.prod(3 + 2 * reach / widths)


class CellScene(NamedTuple):
    """Spheres in a cell."""

    centers: np.ndarray
    radii: np.ndarray
    gap: object
    vectors: np.ndarray


def gap_of(rng, radii):
    """No gap, one for all spheres, or one for each."""
    kind = rng.integers(3)
    if kind == 2:
        return radii * rng.random(len(radii))
    return float(kind * rng.random() * radii.min())


def places_in(rng, vectors, count, far=1.0):
    """Places in the cell, or in `far` cells along each vector; and anywhere along no vector."""
    centers = (far * rng.random((count, len(vectors))) - 0.3 * (far - 1)) @ vectors
    is_free = not vectors.any(axis=1).all()
    length = np.linalg.norm(vectors, axis=1).max()
    return centers + is_free * length * rng.uniform(-0.5, 0.5, centers.shape)


def random_scene(rng):
    """Spheres with sizes up to 1:1000 in a cell that may be smaller than the largest sphere."""
    while True:
        dimension = int(rng.integers(2, 4))
        count = int(rng.choice([1, 2, 3, *rng.integers(4, 31, 3)]))
        radii = scenes.power_law(rng, count, 10.0 ** rng.uniform(0, 3), rng.choice([-1.0, -3.0]))
        gap = gap_of(rng, radii)
        vectors = KINDS[rng.integers(len(KINDS))](rng, dimension)
        reach = (2 * radii + gap).max()
        rank, per_volume = density(vectors)
        vectors *= rng.choice([0.3, 0.7, 1.0, 2.0, 5.0, 20.0]) * reach * per_volume ** (1 / rank)
        pairs = count**2 * (2 * reach) ** rank * density(vectors)[1]
        if image_count(vectors, reach) <= MOST_IMAGES and pairs <= MOST_PAIRS:
            far = rng.choice([1.0, 1.0, 4.0, 1000.0])
            return CellScene(places_in(rng, vectors, count, far), radii, gap, vectors)


def others_of(rng, scene):
    """Other spheres in the same cell, with gaps of their own or without."""
    count = int(rng.integers(1, 20))
    radii = scene.radii[rng.integers(len(scene.radii), size=count)] * rng.uniform(0.5, 1.0, count)
    centers = places_in(rng, scene.vectors, count, rng.choice([1.0, 4.0]))
    if np.ndim(scene.gap) == 0 and rng.random() < 0.5:
        return centers, radii
    return centers, radii, radii * rng.random(count)
