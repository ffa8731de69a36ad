"""Convex bodies for the tests of their tables: a heap in space, and one in the plane."""

import itertools

import numpy as np

import abut

CUBE = np.array(list(itertools.product((-1.0, 1.0), repeat=3)))
TETRA = np.array([[1.0, 1, 1], [1, -1, -1], [-1, 1, -1], [-1, -1, 1]])
SQUARE = np.array([[-1.0, -1.0], [1.0, -1.0], [1.0, 1.0], [-1.0, 1.0]])
TRIANGLE = np.array([[0.0, 1.0], [-1.0, -1.0], [1.0, -1.0]])

# of as many bodies as a heap has
COUNT = 40
PERIOD = {2: (8.0, None), 3: (8.0, None, 6.0)}


def shapes_of(dimension):
    if dimension == 2:
        return [abut.ConvexShape(SQUARE), abut.ConvexShape(TRIANGLE, radius=0.125)]
    return [abut.ConvexShape(CUBE), abut.ConvexShape(TETRA, radius=0.125)]


def finder_of(dimension, **options):
    rng = np.random.default_rng(11)
    scales = rng.uniform(0.5, 1.0, COUNT)
    return abut.ConvexFinder(shapes_of(dimension), np.arange(COUNT) % 2, scales=scales, **options)


def heap_of(dimension, step=0):
    """Positions and orientations; a step moves them a little."""
    rng = np.random.default_rng(12)
    extent = (8.0, 6.0) if dimension == 2 else (8.0, 4.0, 6.0)
    positions = rng.random((COUNT, dimension)) * extent
    positions += 1e-3 * step * rng.normal(size=(COUNT, dimension))
    if dimension == 2:
        return positions, rng.uniform(-np.pi, np.pi, COUNT) + 1e-3 * step
    return positions, rng.normal(size=(COUNT, 4)) + 1e-3 * step
