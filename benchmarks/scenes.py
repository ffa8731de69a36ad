"""Scenes that the benchmarks time: `SCENES[name](sphere_count)`, the same on every machine."""

from typing import NamedTuple

import numpy as np


class Scene(NamedTuple):
    """Spheres near a mesh; lengths in one unit."""

    centers: np.ndarray  # (n, 3)
    radii: np.ndarray  # (n,)
    vertices: np.ndarray  # (v, 3)
    facets: np.ndarray  # (m, 3)


def wall(sphere_count):
    """A unit box of 120,000 jittered triangles of edge 0.01, and spheres that touch its six walls.

    Radii are 0.004 to 0.006; each center is within its radius of one wall. Sorted in Morton order.
    """
    rng = np.random.default_rng(1)
    radii = rng.uniform(0.004, 0.006, sphere_count)
    centers = rng.uniform(0.0, 1.0, (sphere_count, 3))
    distance = rng.uniform(0.0, 1.0, sphere_count) * radii
    axis, is_upper = rng.integers(0, 3, sphere_count), rng.integers(0, 2, sphere_count)
    centers[np.arange(sphere_count), axis] = np.where(is_upper, 1.0 - distance, distance)
    order = np.argsort(morton_codes(centers), kind="stable")
    return Scene(centers[order], radii[order], *jittered_box(100, rng))


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
            # the other two axes keep their order, which turns once more for the middle one
            turns_out = (level == 0) == (axis == 1)
            sides.append(side[:, ::-1] if turns_out else side)
    lattice, facets = np.unique(np.concatenate(sides).reshape(-1, 3), axis=0, return_inverse=True)
    is_inside = (lattice > 0) & (lattice < cells)
    is_jittered = is_inside & (is_inside.sum(1, keepdims=True) == 2)
    jitter = rng.uniform(-0.25, 0.25, lattice.shape) * is_jittered
    return (lattice + jitter) / cells, facets.reshape(-1, 3)


def morton_codes(points):
    """Position of each point of the unit cube along the Z-order curve, 21 bits an axis."""
    codes = np.zeros(len(points), np.uint64)
    cells = np.clip(points * 2**21, 0, 2**21 - 1).astype(np.uint64)
    for bit in range(21):
        for axis in range(3):
            digit = (cells[:, axis] >> np.uint64(bit)) & np.uint64(1)
            codes |= digit << np.uint64(3 * bit + axis)
    return codes


SCENES = {"wall": wall}
