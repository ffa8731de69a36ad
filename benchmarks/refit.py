"""Time moving the vertices of a mesh, against building a new mesh.

    python benchmarks/refit.py --facets 100000 --updates 50

A wavy sheet of triangles swings by a part of a facet from step to step. Prints the shortest of
several times on one thread, in nanoseconds per facet:

- building the mesh, with measured noise and with `noise=`;
- moving its vertices;
- updating a finder, which keeps its bins or discards them;
- the first query after an update for one sphere, with kept and with new bins.
"""

import argparse
from time import perf_counter

import numpy as np

import abut


def sheet(facet_count):
    side = int(np.sqrt(facet_count / 2))
    x, y = np.meshgrid(*[np.linspace(0, 1, side + 1)] * 2, indexing="ij")
    vertices = np.stack([x, y, 0.02 * np.sin(7 * x) * np.cos(5 * y)], axis=-1).reshape(-1, 3)
    at = np.arange((side + 1) ** 2).reshape(side + 1, -1)
    quads = np.stack([at[:-1, :-1], at[1:, :-1], at[1:, 1:], at[:-1, 1:]], axis=-1).reshape(-1, 4)
    return vertices, np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])


def seconds(call):
    begin = perf_counter()
    call()
    return perf_counter() - begin


def shortest(call, count=7):
    return min(seconds(call) for _ in range(count))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--facets", type=int, default=100_000)
    parser.add_argument("--updates", type=int, default=50)
    parser.add_argument("--swing", type=float, default=0.02, help="facet sizes per step")
    arguments = parser.parse_args()
    abut.set_num_threads(1)
    vertices, facets = sheet(arguments.facets)
    mesh = abut.Mesh(vertices, facets)
    size = 1 / np.sqrt(len(facets) / 2)
    swings = [vertices + [0, 0, arguments.swing * size * step] for step in range(arguments.updates)]
    finder = abut.ContactFinder(mesh)
    updates = [seconds(lambda at=at: finder.update(0, at)) for at in swings]
    finder.update(0, vertices)
    queries, ball = [], ([[0.5, 0.5, 0.0]], 0.5 * size)
    for at in swings:
        finder.update(0, at)
        queries.append(seconds(lambda: finder.find(*ball)))
    found = {
        "build": shortest(lambda: abut.Mesh(vertices, facets), 3),
        "build with noise=": shortest(lambda: abut.Mesh(vertices, facets, noise=1e-15)),
        "moved": shortest(lambda: mesh.moved(swings[1])),
        "update, shortest": min(updates),
        "update, mean": np.mean(updates),
        "first query, shortest": min(queries),
        "first query, mean": np.mean(queries),
    }
    print(f"{len(facets)} facets")
    for name, time in found.items():
        print(f"{name:>22}: {1e9 * time / len(facets):7.1f} ns a facet")
    print(f"an update is {found['update, mean'] / found['build']:.3f} of building")


if __name__ == "__main__":
    main()
