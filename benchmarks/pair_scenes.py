"""Scenes of spheres alone that the benchmarks time: `make(name, sphere_count)`.

Scenes have fixed seeds and are the same on every machine. Spheres are in Morton order, except in
`unsorted-*`.
"""

from functools import partial
from typing import NamedTuple

import numpy as np

from scenes import in_order

VOLUME_FRACTION = 0.5
BLOB_COUNT = 100


class PairScene(NamedTuple):
    """Spheres at any places, many of them overlapping; all lengths have the same unit."""

    centers: np.ndarray  # (n, 3)
    radii: np.ndarray  # (n,)
    # of periodic scenes, which only abut runs: three lengths, or three vectors
    period: tuple[float, ...] | tuple[tuple[float, ...], ...] | None = None


def power_law(rng, count, ratio, exponent=-3.0):
    """Radii from 1 to `ratio`, their density as r**exponent.

    Inverts the distribution, for all exponents but -1. With -3 all sizes have the same volume.
    """
    power = 1.0 + exponent
    return (1.0 + rng.uniform(size=count) * (float(ratio) ** power - 1.0)) ** (1.0 / power)


def side_of(radii):
    """Side of the cube that the spheres fill to the volume fraction, overlaps counted twice."""
    return np.cbrt(4.0 / 3.0 * np.pi * np.sum(radii**3) / VOLUME_FRACTION)


def filled(sphere_count, ratio, shape=(1.0, 1.0, 1.0)):
    """Centers uniform in a box of that shape."""
    rng = np.random.default_rng(5)
    radii = power_law(rng, sphere_count, ratio)
    sides = np.asarray(shape) / np.cbrt(np.prod(shape)) * side_of(radii)
    return in_order(PairScene(rng.uniform(0.0, 1.0, (sphere_count, 3)) * sides, radii))


def unsorted(sphere_count, ratio):
    """The filled cube with its spheres in random order."""
    scene = filled(sphere_count, ratio)
    order = np.random.default_rng(6).permutation(sphere_count)
    return PairScene(scene.centers[order], scene.radii[order])


def outlier(sphere_count, ratio):
    """The filled cube, with the last sphere far away along all axes."""
    scene = filled(sphere_count, ratio)
    scene.centers[-1:] = 1e9
    return scene


def clusters(sphere_count, ratio):
    """A hundred Gaussian blobs in a cube a hundred times as wide as the filled one.

    The mean density around a sphere is that of the filled cube: a Gaussian blob's mean density at
    its own points is the density in its middle, divided by 2 to the power 3/2.
    """
    rng = np.random.default_rng(7)
    radii = power_law(rng, sphere_count, ratio)
    side = side_of(radii)
    width = side / np.cbrt(BLOB_COUNT) / np.sqrt(4.0 * np.pi)
    middles = rng.uniform(0.0, 100.0 * side, (BLOB_COUNT, 3))
    blob = rng.integers(0, BLOB_COUNT, sphere_count)
    return in_order(PairScene(middles[blob] + width * rng.normal(size=(sphere_count, 3)), radii))


def powder(sphere_count, ratio):
    """Half of the spheres in the filled cube; the others a hundredth of their size, in a corner."""
    stones = filled(sphere_count - sphere_count // 2, ratio)
    rng = np.random.default_rng(8)
    radii = np.full(sphere_count // 2, 0.01)
    corner = rng.uniform(0.0, 1.0, (len(radii), 3)) * side_of(radii)
    return in_order(
        PairScene(np.concatenate([stones.centers, corner]), np.concatenate([stones.radii, radii]))
    )


def giants(sphere_count, ratio, is_periodic):
    """The filled cube, periodic or not, with two more spheres, their radius a quarter of it."""
    scene, rng = filled(max(sphere_count - 2, 0), ratio), np.random.default_rng(9)
    side = side_of(scene.radii)
    centers = np.concatenate([scene.centers, rng.uniform(0.0, side, (2, 3))])[-sphere_count:]
    radii = np.concatenate([scene.radii, np.full(2, 0.25 * side)])[-sphere_count:]
    return PairScene(centers, radii, (side, side, side) if is_periodic else None)


def periodic(sphere_count, ratio, vectors):
    """The filled cube as a periodic cell, sheared into the shape of these vectors."""
    scene = filled(sphere_count, ratio)
    cell = side_of(scene.radii) * np.asarray(vectors)
    centers = scene.centers @ np.asarray(vectors)
    return PairScene(centers, scene.radii, tuple(map(tuple, cell.tolist())))


CUBE = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
TILTED = ((1.0, 0.0, 0.0), (0.4, 1.0, 0.0), (-0.3, 0.45, 1.0))


SCENES = {
    "omega-1": partial(filled, ratio=1),
    "omega-10": partial(filled, ratio=10),
    "omega-100": partial(filled, ratio=100),
    "omega-1000": partial(filled, ratio=1000),
    "unsorted-1": partial(unsorted, ratio=1),
    "unsorted-10": partial(unsorted, ratio=10),
    "unsorted-100": partial(unsorted, ratio=100),
    "unsorted-1000": partial(unsorted, ratio=1000),
    "outlier-1": partial(outlier, ratio=1),
    "outlier-10": partial(outlier, ratio=10),
    "thin-1": partial(filled, ratio=1, shape=(1000.0, 1.0, 1.0)),
    "thin-10": partial(filled, ratio=10, shape=(1000.0, 1.0, 1.0)),
    "clusters-1": partial(clusters, ratio=1),
    "clusters-10": partial(clusters, ratio=10),
    "clusters-100": partial(clusters, ratio=100),
    "clusters-1000": partial(clusters, ratio=1000),
    "powder-10": partial(powder, ratio=10),
    "loose-10": partial(giants, ratio=10, is_periodic=False),
    "loose-100": partial(giants, ratio=100, is_periodic=False),
    "giants-10": partial(giants, ratio=10, is_periodic=True),
    "giants-100": partial(giants, ratio=100, is_periodic=True),
    "periodic-1": partial(periodic, ratio=1, vectors=CUBE),
    "periodic-10": partial(periodic, ratio=10, vectors=CUBE),
    "tilted-1": partial(periodic, ratio=1, vectors=TILTED),
    "tilted-10": partial(periodic, ratio=10, vectors=TILTED),
}


def make(name, sphere_count=None):
    """The scene of that name, by default with a million spheres."""
    return SCENES[name](1_000_000 if sphere_count is None else sphere_count)


def base_of(name):
    """The simpler scene that a scene's time per sphere is compared with, or None.

    It has the same radii in a cube and in order. For such a scene itself, it has equal radii. For
    giants in a periodic box, it has the same spheres in an open box; for a tilted cell, a cube.
    """
    kind, ratio = name.split("-")
    if kind == "giants":
        return f"loose-{ratio}"
    if kind == "tilted":
        return f"periodic-{ratio}"
    base = "omega-1" if kind == "omega" else f"omega-{ratio}"
    return base if base != name else None
