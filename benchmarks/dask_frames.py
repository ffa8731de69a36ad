"""What a frame costs by `abut.dask.map_frames`, beside a plain loop and other ways with Dask.

    python benchmarks/dask_frames.py --workers 1,2

Frames are npz files of spheres over a bumpy floor; of each the contacts are found, counted and
their overlaps summed. Entrants take turns; a row shows the shortest time of each in milliseconds a
frame, from the call until the table is there, its ratio to the plain loop's, and what of it is not
the search: of the plain loop reading and reducing, of the others also what they hand around. In the
first call workers receive the mesh and build their bins. "mesh as an argument" is `dask.delayed` of
a function of a file and the mesh, on fewer frames, since it takes so long.
"""

import argparse
import math
import tempfile
import time
from pathlib import Path

import numpy as np

import abut
from overhead import bumpy_floor

FEW = 10  # frames of an entrant that takes long


def write_files(folder, frame_count, sphere_count, side):
    """Spheres at random places up to two diameters above the floor."""
    rng = np.random.default_rng(1)
    for number in range(frame_count):
        centers = rng.random((sphere_count, 3)) * [side, side, 2]
        np.savez(folder / f"{number:05d}.npz", centers=centers, radii=np.full(sphere_count, 0.5))


def reduce(frame, contacts):
    return {"count": len(contacts), "overlap": float(contacts.overlap.sum())}


def loop(folder, mesh):
    """The plain loop: its rows, and the seconds of all and of the searches alone."""
    start, searching, rows = time.perf_counter(), 0.0, []
    finder = abut.ContactFinder(mesh)
    for number, frame in enumerate(abut.read_frames(folder)):
        begin = time.perf_counter()
        contacts = finder.find(frame.centers, frame.radii, workers=1)
        searching += time.perf_counter() - begin
        rows.append({"frame": number, **reduce(frame, contacts)})
    return rows, time.perf_counter() - start, searching


def whole_task(path, mesh):
    """What one writes first with Dask."""
    spheres = abut.read_spheres(path)
    return reduce(spheres, abut.find_contacts(spheres.centers, spheres.radii, mesh, workers=1))


def nothing(number):
    return number


def timed(call):
    start = time.perf_counter()
    call()
    return time.perf_counter() - start


def entrants_of(client, folder, mesh):
    """What is timed with this client's workers, and of how many frames it is."""
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
    """The table is the plain loop's."""
    import abut.dask

    table = abut.dask.map_frames(folder, mesh, reduce, client=client).compute()
    assert table.to_dict("records") == rows


def measure(folder, mesh, worker_count, rounds):
    """Milliseconds a frame of each entrant, of its first call too, and of the loop's searches."""
    from distributed import Client, LocalCluster

    frame_count = len(list(folder.glob("*.npz")))
    options = {"threads_per_worker": 1, "dashboard_address": ":0"}
    with LocalCluster(n_workers=worker_count, **options) as cluster, Client(cluster) as client:
        client.run(__import__, "abut.dask")  # a worker's first task does not import it
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
