"""Time `abut.dask.map_frames` per frame, against a plain loop and other uses of Dask.

    python benchmarks/dask_frames.py --workers 1,2

Frames are npz files of spheres over a bumpy floor. For each frame the contacts are found and
counted, and their overlaps summed. Entrants take turns. A row shows for each entrant:

- the shortest time in milliseconds per frame, from the call to the finished table,
- its ratio to the plain loop's time,
- the time outside the search: reading, reducing, and data transfer where there is any.

In the first call workers receive the mesh and build their bins. "mesh as an argument" is
`dask.delayed` of a function of a file and the mesh; it is slow and therefore gets fewer frames.
"""

import argparse
import math
import tempfile
import time
from pathlib import Path

import numpy as np

import abut
from overhead import bumpy_floor

FEW = 10  # frames of a slow entrant


def write_files(folder, frame_count, sphere_count, side):
    """Write frames of spheres at random places up to two diameters above the floor."""
    rng = np.random.default_rng(1)
    for number in range(frame_count):
        centers = rng.random((sphere_count, 3)) * [side, side, 2]
        np.savez(folder / f"{number:05d}.npz", centers=centers, radii=np.full(sphere_count, 0.5))


def reduce(frame, contacts):
    return {"count": len(contacts), "overlap": float(contacts.overlap.sum())}


def loop(folder, mesh):
    """The plain loop: returns its rows, its seconds, and the seconds of the searches."""
    start, searching, rows = time.perf_counter(), 0.0, []
    finder = abut.ContactFinder(mesh)
    for number, frame in enumerate(abut.read_frames(folder)):
        begin = time.perf_counter()
        contacts = finder.find(frame.centers, frame.radii, workers=1)
        searching += time.perf_counter() - begin
        rows.append({"frame": number, **reduce(frame, contacts)})
    return rows, time.perf_counter() - start, searching


def whole_task(path, mesh):
    """A task without map_frames, as a first attempt with Dask looks."""
    spheres = abut.read_spheres(path)
    return reduce(spheres, abut.find_contacts(spheres.centers, spheres.radii, mesh, workers=1))


def nothing(number):
    return number


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def entrants_of(client, folder, mesh):
    """The entrants for this client's workers, each with its number of frames."""
    import dask

    import abut.dask

    paths = sorted(folder.glob("*.npz"))
    task, empty = dask.delayed(whole_task, pure=False), dask.delayed(nothing, pure=False)

    def mapped(**options):
        return abut.dask.map_frames(folder, mesh, reduce, client=client, **options).compute()

    return {
        "map_frames": (mapped, len(paths)),
        "map_frames, a frame a task": (lambda: mapped(block=1), len(paths)),
        "empty tasks": (lambda: dask.compute(*map(empty, range(len(paths)))), len(paths)),
        "mesh as an argument": (
            lambda: dask.compute(*(task(path, mesh) for path in paths[:FEW])),
            min(FEW, len(paths)),
        ),
    }


def check(rows, folder, mesh, client):
    """Check that the table is the plain loop's."""
    import abut.dask

    table = abut.dask.map_frames(folder, mesh, reduce, client=client).compute()
    assert table.to_dict("records") == rows


def measure(folder, mesh, worker_count, rounds):
    """Milliseconds per frame: each entrant, its first call, and the loop's searches."""
    from distributed import Client, LocalCluster

    frame_count = len(list(folder.glob("*.npz")))
    options = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=worker_count, **options) as cluster, Client(cluster) as client:
        client.run(__import__, "abut.dask")  # so that no task includes the import
        entrants = entrants_of(client, folder, mesh)
        first = 1e3 * timed(entrants["map_frames"][0]) / frame_count
        check(loop(folder, mesh)[0], folder, mesh, client)
        times = dict.fromkeys(("search", "plain loop", *entrants), math.inf)
        for _ in range(rounds):
            _, whole, searching = loop(folder, mesh)
            for name, seconds in (("plain loop", whole), ("search", searching)):
                times[name] = min(times[name], 1e3 * seconds / frame_count)
            for name, (run, count) in entrants.items():
                times[name] = min(times[name], 1e3 * timed(run) / count)
    return times, first


def counted(count, noun):
    return f"{count} {noun}{'' if count == 1 else 's'}"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--frames", type=int, default=200)
    parser.add_argument("--spheres", type=int, default=5_000)
    parser.add_argument("--facets", type=int, default=100_000)
    parser.add_argument("--workers", default="1,2")
    parser.add_argument("--rounds", type=int, default=5)
    options = parser.parse_args(arguments)
    side = 2 * math.isqrt(options.facets // 2)
    mesh = bumpy_floor(side)
    with tempfile.TemporaryDirectory() as name:
        write_files(Path(name), options.frames, options.spheres, side)
        for worker_count in map(int, options.workers.split(",")):
            times, first = measure(Path(name), mesh, worker_count, options.rounds)
            search, plain = times.pop("search"), times["plain loop"]
            print(
                f"{options.frames} frames of {options.spheres} spheres, {len(mesh)} facets,"
                f" {counted(worker_count, 'worker')}: the search is {search:.2f} ms a frame"
            )
            for label, each in [*times.items(), ("map_frames, first call", first)]:
                print(
                    f"  {label:<28} {each:8.2f} ms, {each / plain:6.2f} of the plain loop,"
                    f" beside the search {each - search:8.2f} ms"
                )


if __name__ == "__main__":
    main()
