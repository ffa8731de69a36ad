"""Forces along paths of spheres and of bodies: do they jump, and is the work given back?

    python tests/paths.py               # prints what docs/method.md and docs/limits.md say of it

Spheres have the radius 1; forces are those of the law F = overlap ** exponent, times the share.
Bodies are cubes of side 1; the force at a spot is its overlap.
"""

from collections.abc import Callable
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.spatial import ConvexHull

import abut
from abut import examples

# Neighbors on a path are at last this far apart; a force that differs by more than this part there
# jumps: one that is continuous differs by less than a tenth of it.
FINEST, JUMP = 1e-7, 1e-3

# A path has the length 1. This number of its intervals is refined.
INTERVALS, CHASED = 200, 10


class Scene(NamedTuple):
    """A mesh, and where spheres that may touch it are drawn."""

    mesh: abut.Mesh
    draw: Callable[[np.random.Generator, int], np.ndarray]


class Chase(NamedTuple):
    """The largest change on each of n paths."""

    jumps: np.ndarray  # (n,): of the force, between neighbors in the end, as a part of the largest
    places: np.ndarray  # (n, 3): of the sphere, at that jump


def lengths(vectors):
    return np.linalg.norm(vectors, axis=-1)


def unit(vectors):
    return vectors / lengths(vectors)[..., None]


def forces(contacts, exponent=1.5):
    """The total normal force on each sphere, (n, 3)."""
    size = contacts.share * np.maximum(contacts.overlap, 0) ** exponent
    count = len(contacts.counts)
    parts = (contacts.normal * size[:, None]).T
    return np.stack([np.bincount(contacts.sphere, part, count) for part in parts], -1)


def largest_overlaps(contacts):
    """The largest overlap of each sphere, 0 where it touches nothing."""
    largest = np.zeros(len(contacts.counts))
    np.maximum.at(largest, contacts.sphere, contacts.overlap)
    return largest


# ---- scenes --------------------------------------------------------------------------------------


def groove(rng, degrees, cells=None):
    """Two planes of irregular triangles that meet in the line x = z = 0; each of 3 x 3."""
    cells = cells or int(3 * 10 ** rng.uniform(-0.3, 0.8)) + 1
    vertices, corners = _moved_lattice(rng, cells)
    tilt = np.deg2rad(degrees) / 2
    vertices[:, 2] = np.tan(tilt) * np.abs(vertices[:, 0])

    def draw(rng, count):
        x, y = rng.uniform(-0.3, 0.3, count), rng.uniform(-0.8, 0.8, count)
        depth = rng.uniform(0, 0.2, count)
        return np.column_stack([x, y, (1 - depth) / np.cos(tilt) + np.abs(x) * np.tan(tilt)])

    return Scene(abut.Mesh(vertices, corners), draw)


def _moved_lattice(rng, cells):
    """Triangles over 6 x 3, with a border along x = 0; all other inner vertices are moved."""
    x, y = np.linspace(-3, 3, 2 * cells + 1), np.linspace(-1.5, 1.5, cells + 1)
    flat = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1)
    inner = [*range(1, cells), *range(cells + 1, 2 * cells)]
    flat[inner, 1:-1] += rng.uniform(-0.9, 0.9, flat[inner, 1:-1].shape) / cells
    number = np.arange(flat[..., 0].size).reshape(flat.shape[:2])
    a, b = number[:-1, :-1].ravel(), number[1:, :-1].ravel()
    c, d = number[1:, 1:].ravel(), number[:-1, 1:].ravel()
    corners = np.concatenate([np.column_stack([a, b, c]), np.column_stack([a, c, d])])
    return np.column_stack([flat.reshape(-1, 2), np.zeros(number.size)]), corners


def rough_plane(rng):
    """Facets of 0.2 to 2, as rough as 2 to 30 % of that."""
    size = 10 ** rng.uniform(-0.7, 0.3)
    cells = min(40, int(5 / size) + 1)
    width = cells * size
    rough = examples.rough_plane(cells, rng.uniform(0.02, 0.3), seed=int(rng.integers(1000)))
    mesh = abut.Mesh(rough.vertices * [width, width, size], rough.indices.reshape(-1, 3))

    def draw(rng, count):
        flat = rng.uniform(0.2 * width, 0.8 * width, (count, 2))
        return np.column_stack([flat, rng.uniform(-0.5, 2, count)])

    return Scene(mesh, draw)


def bowl(rng):
    """A bowl of eight strips or more; spheres fit into its radius."""
    radius = rng.uniform(1.3, 4)
    mesh = examples.bowl(radius=radius, facets=int(rng.choice([8, 12, 24, 60])))

    def draw(rng, count):
        angle, y = rng.uniform(-1, 1, count), rng.uniform(-2, 2, count)
        out = radius - 1 + rng.uniform(-0.1 * radius, 0.2, count)
        return np.column_stack([out * np.sin(angle), y, -out * np.cos(angle)])

    return Scene(mesh, draw)


def ball(rng):
    """A ball with bumps, and spheres around it or inside."""
    inside = rng.random() < 0.7
    directions = unit(rng.normal(size=(rng.choice([80, 300]), 3)))
    radius, bumps = rng.uniform(1.5, 4), rng.choice([0, 0.05, 0.15])
    vertices = directions * (radius + bumps * rng.normal(size=(len(directions), 1)))
    mesh = abut.Mesh(vertices, ConvexHull(directions).simplices)

    def draw(rng, count):
        away = rng.uniform(0.5, 1.4, (count, 1))
        return unit(rng.normal(size=(count, 3))) * (radius - away if inside else radius + away)

    return Scene(mesh, draw)


def pipe(rng):
    """A pipe of 5 to 12 sides, narrower than the spheres, which touch all sides."""
    sides, inner = int(rng.integers(5, 13)), rng.uniform(0.96, 0.99)
    mesh = examples.cylinder(radius=inner / np.cos(np.pi / sides), strips=sides)

    def draw(rng, count):
        return np.column_stack([rng.uniform(-0.1, 0.1, (count, 2)), rng.uniform(-1, 1, count)])

    return Scene(mesh, draw)


SCENES = {
    "groove of 5 to 80 degrees": lambda rng: groove(rng, rng.uniform(5, 80)),
    "rough plane": rough_plane,
    "bowl": bowl,
    "ball": ball,
    "groove of 85 to 90 degrees": lambda rng: groove(rng, rng.uniform(85, 90)),
    "pipe": pipe,
}


# ---- jumps ---------------------------------------------------------------------------------------


def begin(finder, scene, rng, count, deepest):
    """Centers of spheres with a largest overlap between 0 and `deepest`."""
    found = []
    while sum(map(len, found)) < count:
        centers = scene.draw(rng, 20 * count)
        largest = largest_overlaps(finder.find(centers, 1.0))
        found.append(centers[(largest > 0) & (largest <= deepest)])
    return np.concatenate(found)[:count]


def draw_paths(finder, scene, rng, count, deepest):
    """The starts and the directions of paths, both (count, 3)."""
    start = begin(finder, scene, rng, count, deepest)
    return start, unit(rng.normal(size=(count, 3)) * [1, 1, 0.3])


def steps_between(finder, centers, deepest, resolution):
    """How the force changes between neighbors on paths (n, k, 3): (n, k - 1, 3), in parts of that
    at the overlap `deepest`; 0 where one has a larger overlap, or touches nothing."""
    found = finder.find(centers.reshape(-1, 3), 1.0, resolution=resolution)
    total, largest = forces(found) / deepest**1.5, largest_overlaps(found)
    total[(largest > deepest) | (largest == 0)] = np.nan
    return np.nan_to_num(np.diff(total.reshape(centers.shape), axis=1))


def most_bent(steps):
    """The intervals where the step differs most from its neighbors; a slope has steps, too."""
    beside = np.pad(steps, ((0, 0), (1, 1), (0, 0)), mode="edge")
    unlike = lengths(steps - (beside[:, :-2] + beside[:, 2:]) / 2)
    return np.argsort(-unlike, axis=1)[:, :CHASED]


def chase(finder, begin, along, deepest, resolution="sharing"):
    """Look closer and closer where the force changes most: a slope gets lower there, a jump stays.

    Paths begin at (n, 3) and go along unit vectors, without parts where the overlap exceeds
    `deepest`.
    """
    return _chase(lambda at: steps_between(finder, at, deepest, resolution), begin, along)


def _chase(steps, begin, along):
    """`chase` for any function that returns the steps between neighbors on paths (n, k, 3)."""
    spacing = 1 / INTERVALS
    at = begin[:, None] + along[:, None] * (spacing * np.arange(INTERVALS + 1))[:, None]
    here = most_bent(steps(at))
    at = np.take_along_axis(at, here[..., None], axis=1).reshape(-1, 3)
    along = np.repeat(along, CHASED, axis=0)
    while spacing > FINEST:
        spacing = max(spacing / 10, FINEST)
        on = at[:, None] + along[:, None] * (spacing * np.arange(11))[:, None]
        change = lengths(steps(on))
        at = on[np.arange(len(on)), change.argmax(axis=1)]
    change = change.max(axis=1).reshape(-1, CHASED)
    most, row = change.argmax(axis=1), np.arange(len(change))
    return Chase(change[row, most], at.reshape(-1, CHASED, 3)[row, most])


def chase_in(kind, seed, deepest, count=200, resolution="sharing"):
    """A finder of one scene of the kind, and what changes most on random paths there."""
    rng = np.random.default_rng([seed, len(kind)])
    scene = SCENES[kind](rng)
    finder = abut.ContactFinder(scene.mesh)
    start, along = draw_paths(finder, scene, rng, count, deepest)
    return finder, chase(finder, start, along, deepest, resolution)


# ---- bodies --------------------------------------------------------------------------------------

CUBE = abut.ConvexShape(np.array(np.meshgrid(*[[-0.5, 0.5]] * 3)).reshape(3, -1).T)


def saddle(radius, cells):
    """z = (x² - y²) / (2 radius) over 4 x 4, of 2 x cells x cells triangles."""
    line = np.linspace(-2, 2, cells + 1)
    x, y = (axis.ravel() for axis in np.meshgrid(line, line))
    first = (np.arange(cells)[:, None] * (cells + 1) + np.arange(cells)).ravel()
    beside = [first + 1, first + cells + 2, first + cells + 1]
    corners = [np.column_stack([first, beside[k], beside[k + 1]]) for k in (0, 1)]
    return abut.Mesh(
        np.column_stack([x, y, (x * x - y * y) / (2 * radius)]), np.concatenate(corners)
    )


def body_forces(finder, places, turns, mesh):
    """The total normal force on a cube at each of the places, (n, 3)."""
    found = finder.find_walls(places, turns, mesh)
    size = np.maximum(found.spot_overlap, 0)
    spots = np.repeat(np.arange(len(found)), np.diff(found.spot_offsets))
    parts = (found.normal[spots] * size[:, None]).T
    return np.stack([np.bincount(found.i[spots], part, len(places)) for part in parts], -1)


def chase_on_saddle(cells, seed, count=10, radius=8.0, depth=0.03):
    """A cube slides level over a saddle, `depth` deep in its middle, on paths of length 1 in any
    direction: the largest jumps of the force, and its mean."""
    rng = np.random.default_rng([seed, cells])
    mesh = abut.ContactFinder(saddle(radius, cells))
    angles = rng.uniform(0, np.pi, 2)
    turn = [0, 0, np.sin(angles[0] / 2), np.cos(angles[0] / 2)]
    along = np.tile([np.cos(angles[1]), np.sin(angles[1]), 0], (count, 1))
    start = np.column_stack([rng.uniform(-0.7, 0.7, (count, 2)), np.full(count, 0.5 - depth)])

    def forces_at(at):
        places = at.reshape(-1, 3)
        finder = abut.ConvexFinder(CUBE, np.zeros(len(places), int))
        return body_forces(finder, places, [turn] * len(places), mesh).reshape(at.shape)

    found = _chase(lambda at: np.diff(forces_at(at), axis=1), start, along)
    path = start[:, None] + along[:, None] * np.linspace(0, 1, INTERVALS)[:, None]
    return found.jumps, lengths(forces_at(path)).mean()


# ---- work ----------------------------------------------------------------------------------------


def work_round_a_loop(degrees, exponent, resolution, depth=0.2, count=20_000):
    """What a groove of two planes takes from a sphere that is pressed down into its middle, moved
    along one plane until it has left the other, lifted off, and brought back: as a part of the work
    that the first leg takes."""
    tilt = np.deg2rad(degrees) / 2
    rise = 9 * np.tan(tilt)
    rows = [[x, y, z] for y in (-9, 9) for x, z in ((-9, rise), (0, 0), (9, rise))]
    finder = abut.ContactFinder(abut.Mesh(rows, [[0, 1, 4, 3], [1, 2, 5, 4]]))
    up, along = np.array([0, 0, 1 / np.cos(tilt)]), np.array([np.cos(tilt), 0, np.sin(tilt)])
    corners = [up, (1 - depth) * up, (1 - depth) * up + along, up + along, up]
    works = []
    for start, end in pairwise(corners):
        on = start + (end - start) * ((np.arange(count) + 0.5) / count)[:, None]
        found = finder.find(on, 1.0, resolution=resolution, exponent=exponent)
        works.append(forces(found, exponent).mean(axis=0) @ (end - start))
    return abs(sum(works)) / abs(works[0])


# ---- what is printed -----------------------------------------------------------------------------


def print_jumps(scene_count=30, path_count=1000):
    for kind in SCENES:
        for deepest in (0.05, 0.1, 0.2):
            jumps = np.array(
                [chase_in(kind, seed, deepest, path_count)[1].jumps for seed in range(scene_count)]
            )
            there = jumps > JUMP
            print(
                f"{kind}, overlaps to {deepest:.0%}: jumps in {there.any(axis=1).sum()} of"
                f" {scene_count} scenes, on {there.sum()} of {there.size:,} paths,"
                f" at most {np.where(there, jumps, 0).max():.1%} of the largest force"
            )


def print_bodies(scene_count=4):
    for cells in (8, 16):
        found = [chase_on_saddle(cells, seed) for seed in range(scene_count)]
        parts = np.array([jumps.max() / mean for jumps, mean in found])
        print(
            f"cube on a saddle of facets of {4 / cells:.3g} its side: the largest jump on ten paths"
            f" is {parts.min():.2f} to {parts.max():.2f} of the mean force"
        )


def print_works():
    for exponent, resolution in ((1.5, "sharing"), (1.0, "sharing"), (1.5, "hierarchy")):
        works = [work_round_a_loop(degrees, exponent, resolution) for degrees in (45, 70)]
        text = ", ".join(f"{work:.1e}" for work in works)
        print(f"work round a loop, planes that turn by 45 and 70 degrees: {text} of that of")
        print(f"  pressing a sphere in; {resolution}, exponent {exponent}")


if __name__ == "__main__":
    print_jumps()
    print_bodies()
    print_works()
