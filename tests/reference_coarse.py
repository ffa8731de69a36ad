"""A slow and obvious reference for `abut.coarse_grain`: all points, images and cells."""

import itertools

import numpy as np

POINTS = 60  # of a line


def gauss(distances, width):
    return np.where(distances <= 4 * width, np.exp(-0.5 * (distances / width) ** 2), 0.0)


def lucy(distances, width):
    q = distances / (2 * width)
    return np.where(q < 1, (1 + 3 * q) * (1 - q) ** 3, 0.0)


KERNELS = {"gauss": gauss, "lucy": lucy}


class Cells:
    """Cells of a box with edges as rows, which repeats along some of them."""

    def __init__(self, origin, edges, counts, repeats, kernel, width):
        self.edges, self.counts = np.array(edges, float), counts
        self.kernel, self.width = KERNELS[kernel], width
        numbers = np.array(list(np.ndindex(*counts))) + 0.5
        self.centers = np.array(origin, float) + (numbers / counts) @ self.edges
        most = int(np.ceil(4 * width / np.linalg.norm(self.edges, axis=1).min())) + 1
        ranges = [range(-most, most + 1) if one else (0,) for one in repeats]
        self.shifts = np.array(list(itertools.product(*ranges))) @ self.edges
        # directions along which nothing is resolved
        single = self.edges[np.array(counts) == 1]
        self.removed = np.linalg.svd(single)[2][: len(single)] if len(single) else []
        self.volume = abs(np.linalg.det(self.edges)) / np.prod(counts)

    def weights(self, point):
        """The weight of each cell at a point; their sum is 1."""
        ways = point - self.centers[:, None] + self.shifts
        for one in self.removed:
            ways = ways - (ways @ one)[..., None] * one
        found = self.kernel(np.linalg.norm(ways, axis=-1), self.width).sum(axis=1)
        return found.reshape(self.counts) / found.sum()


def fields(cells, centers, masses, velocities):
    """Density, momentum and kinetic stress of grains in the box."""
    dimension = len(cells.edges)
    weights = [cells.weights(center) for center in centers]
    density, momentum = np.zeros(cells.counts), np.zeros((*cells.counts, dimension))
    for weight, mass, velocity in zip(weights, masses, velocities, strict=True):
        density += mass * weight / cells.volume
        momentum += mass * weight[..., None] * velocity / cells.volume
    kinetic = np.zeros((*cells.counts, dimension, dimension))
    for cell in np.ndindex(*cells.counts):
        for weight, mass, velocity in zip(weights, masses, velocities, strict=True):
            if density[cell]:
                apart = velocity - momentum[cell] / density[cell]
                kinetic[cell] += mass * weight[cell] * np.outer(apart, apart) / cells.volume
    return density, momentum, kinetic


def contact_stress(cells, lines, is_in=lambda point: True):
    """The stress of lines (start, arm, force), each of many points, of those in the box."""
    dimension = len(cells.edges)
    found = np.zeros((*cells.counts, dimension, dimension))
    for start, arm, force in lines:
        for part in (np.arange(POINTS) + 0.5) / POINTS:
            point = start + part * arm
            if is_in(point):
                weights = cells.weights(point)[..., None, None]
                found -= weights * np.outer(arm, force) / POINTS / cells.volume
    return found
