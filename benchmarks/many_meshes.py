"""Time spheres that are each near one of many meshes, against a finder of one mesh.

    python benchmarks/many_meshes.py --meshes 1000 --spheres 200000

The meshes are boxes of a few hundred triangles, each with its own pose. Every sphere is near the
surface of one mesh. Spheres are ordered mesh by mesh, or not at all. The cost of ten looks is twice
the time that five more meshes, far away, add to a finder of one mesh. Entrants take turns on one
thread; a row shows the shortest time of each.
"""

import argparse

import numpy as np

import abut
from overhead import shortest
from scenes import jittered_box

CELLS = 5  # cells along a box's edge, so a box has 300 triangles
APART = 2.5  # distance of the boxes' middles in edge lengths, more than a diagonal


def box():
    vertices, facets = jittered_box(CELLS, np.random.default_rng(1))
    return abut.Mesh(vertices - 0.5, facets)


def poses_of(count, rng):
    """Poses on a cubic lattice, each turned about a random axis."""
    side = int(np.ceil(count ** (1 / 3)))
    poses = np.tile(np.eye(4), (count, 1, 1))
    turns = np.linalg.qr(rng.normal(size=(count, 3, 3)))[0]
    turns[:, :, 0] *= np.linalg.det(turns)[:, None]
    poses[:, :3, :3] = turns
    poses[:, :3, 3] = APART * np.stack(np.unravel_index(np.arange(count), (side,) * 3), axis=1)
    return poses


def near_surface(count, rng):
    """Places within a radius of the box's surface, and radii of half a triangle's edge."""
    radii = rng.uniform(0.4, 0.6, count) / CELLS
    places = rng.uniform(-0.5, 0.5, (count, 3))
    axes, sides = rng.integers(0, 3, count), rng.choice([-0.5, 0.5], count)
    places[np.arange(count), axes] = sides * (1 - radii)
    return places, radii


def entrants_of(mesh_count, sphere_count):
    rng = np.random.default_rng(2)
    places, radii = near_surface(sphere_count, rng)
    places, radii = places[np.lexsort(np.round(CELLS * places).T)], radii
    poses = poses_of(mesh_count, rng)
    whose = np.sort(rng.integers(0, mesh_count, sphere_count))
    moved = np.einsum("nij,nj->ni", poses[whose, :3, :3], places) + poses[whose, :3, 3]
    mixed = rng.permutation(sphere_count)
    mixed_places, mixed_radii = moved[mixed], radii[mixed]
    few = poses[:6].copy()
    few[0], few[1:, :3, 3] = np.eye(4), [1e3, 0, 0]
    one, six, many = (abut.ContactFinder([box()] * count) for count in (1, 6, mesh_count))
    still = np.eye(4)[None]
    return {
        "one": lambda: one.find(places, radii, poses=still, workers=1),
        "six": lambda: six.find(places, radii, poses=few, workers=1),
        "mesh by mesh": lambda: many.find(moved, radii, poses=poses, workers=1),
        "in any order": lambda: many.find(mixed_places, mixed_radii, poses=poses, workers=1),
    }


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--meshes", type=int, default=1_000)
    parser.add_argument("--spheres", type=int, default=200_000)
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args(arguments)
    times = shortest(entrants_of(options.meshes, options.spheres), options.rounds)
    each = {name: 1e3 * time / options.spheres for name, time in times.items()}
    ten = 2 * (each["six"] - each["one"])
    allowed = 2 * each["one"] + ten
    print(f"one mesh {each['one']:.0f} ns a sphere, ten looks {ten:.0f} ns")
    for name in ("mesh by mesh", "in any order"):
        print(f"{options.meshes} meshes, {name}: {each[name]:.0f} ns, allowed {allowed:.0f} ns")


if __name__ == "__main__":
    main()
