"""Time the contacts of spheres with a mesh, contestants interleaved in one process.

    python benchmarks/walls.py --threads 1,2
    python benchmarks/walls.py --spheres 100000 --contestants abut --json out.json

A contestant is built before its clock starts. Prints the fastest and the median repeat, and the
median over abut's with as many threads; appends the figures to results/<cpu>.csv.
"""

import argparse
import csv
import importlib.metadata
import json
import platform
import re
import statistics
import sys
import time
from pathlib import Path

import numpy as np

import abut
from scenes import SCENES

RESULTS = Path(__file__).parent / "results"


def abut_contestant(scene, threads):
    """All columns of the contacts that the double hierarchy keeps."""
    finder = abut.ContactFinder(abut.Mesh(scene.vertices, scene.facets))

    def run():
        contacts = finder.find(scene.centers, scene.radii, workers=threads)
        return {"kept": len(contacts)}

    def count():
        every = finder.find(scene.centers, scene.radii, resolution="all", workers=threads)
        return {"touching": len(every)}

    return run, count


def ckdtree_contestant(scene, threads, chunk=20_000):
    """All that touch, nothing more: a tree of the facets' centroids, then exact distances."""
    from scipy.spatial import cKDTree

    corners = scene.vertices[scene.facets]
    centroids = corners.mean(1)
    reach = np.linalg.norm(corners - centroids[:, None], axis=2).max()
    tree = cKDTree(centroids)

    def run():
        touching = 0
        for begin in range(0, len(scene.radii), chunk):
            centers, radii = (
                scene.centers[begin : begin + chunk],
                scene.radii[begin : begin + chunk],
            )
            near = tree.query_ball_point(
                centers, radii + reach, workers=threads, return_sorted=False
            )
            sphere = np.repeat(np.arange(len(near)), [len(facets) for facets in near])
            facet = np.concatenate(near).astype(np.intp)
            distance_sq = triangle_distance_sq(centers[sphere], corners[facet])
            touching += int(np.count_nonzero(distance_sq <= radii[sphere] ** 2))
        return {"touching": touching}

    return run, dict


def dot(a, b):
    return np.einsum("ij,ij->i", a, b)


def triangle_distance_sq(points, corners):
    """Squared distance of each point (n, 3) from its triangle (n, 3, 3)."""
    normals = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    is_above = np.ones(len(points), bool)
    nearest = np.full(len(points), np.inf)
    for k in range(3):
        begin, edge = corners[:, k], corners[:, (k + 1) % 3] - corners[:, k]
        offset = points - begin
        is_above &= dot(np.cross(normals, edge), offset) >= 0
        along = np.clip(dot(offset, edge) / dot(edge, edge), 0.0, 1.0)
        from_edge = offset - along[:, None] * edge
        nearest = np.minimum(nearest, dot(from_edge, from_edge))
    height_sq = dot(points - corners[:, 0], normals) ** 2 / dot(normals, normals)
    return np.where(is_above, height_sq, nearest)


# name: (what builds it, the package that it is from)
CONTESTANTS = {"abut": (abut_contestant, "abut"), "ckdtree": (ckdtree_contestant, "scipy")}


def is_installed(package):
    try:
        importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def time_interleaved(runs, repeats):
    """Seconds of every repeat by entrant, and what each counted; a first round warms up."""
    seconds, counts = {entrant: [] for entrant in runs}, {}
    for repeat in range(repeats + 1):
        for entrant, run in runs.items():
            begin = time.perf_counter()
            counts[entrant] = run()
            if repeat:
                seconds[entrant].append(time.perf_counter() - begin)
    return seconds, counts


def measure(scene_name, sphere_count, names, threads, repeats):
    """One row a contestant and number of threads."""
    scene = SCENES[scene_name](sphere_count)
    entrants = {(n, t): CONTESTANTS[n][0](scene, t) for t in threads for n in names}
    runs = {entrant: run for entrant, (run, _) in entrants.items()}
    seconds, counts = time_interleaved(runs, repeats)
    rows = []
    for (name, thread_count), found in counts.items():
        found |= entrants[name, thread_count][1]()
        per_sphere = [1e9 * s / sphere_count for s in seconds[name, thread_count]]
        rows.append(
            {
                "scene": scene_name,
                "spheres": sphere_count,
                "facets": len(scene.facets),
                "contestant": name,
                "version": importlib.metadata.version(CONTESTANTS[name][1]),
                "threads": thread_count,
                "repeats": repeats,
                "min_ns": round(min(per_sphere), 1),
                "median_ns": round(statistics.median(per_sphere), 1),
                "touching": found.get("touching", ""),
                "kept": found.get("kept", ""),
            }
        )
    return rows


def print_table(rows):
    print(f"{rows[0]['scene']}: {rows[0]['spheres']:,} spheres, {rows[0]['facets']:,} facets")
    print("contestant  threads  min ns  median ns  ratio    touching        kept   (ns a sphere)")
    base = {row["threads"]: row["median_ns"] for row in rows if row["contestant"] == "abut"}
    for row in rows:
        ratio = row["median_ns"] / base.get(row["threads"], float("nan"))
        times = f"{row['min_ns']:6.0f}  {row['median_ns']:9.0f}  {ratio:5.1f}"
        counts = f"{row['touching']:>10}  {row['kept']:>10}"
        print(f"{row['contestant']:10}  {row['threads']:7}  {times}  {counts}")


def cpu_name():
    """The processor's name as a file name."""
    name = platform.processor() or platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        found = re.search(r"model name\s*:\s*(.+)", cpuinfo.read_text())
        name = found.group(1) if found else name
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def append_csv(rows, path):
    path.parent.mkdir(exist_ok=True)
    is_new = not path.exists()
    with path.open("a", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        if is_new:
            writer.writeheader()
        writer.writerows(rows)


def parse_arguments(arguments):
    installed = [name for name, (_, package) in CONTESTANTS.items() if is_installed(package)]
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--scene", choices=SCENES, default="wall")
    parser.add_argument("--spheres", type=int, default=1_000_000)
    parser.add_argument("--threads", default="1", help="comma-separated, as in 1,2")
    parser.add_argument("--contestants", default=",".join(installed), help="default: %(default)s")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--json", metavar="OUT", help="also write the rows there")
    return parser.parse_args(arguments)


def main(arguments=None):
    options = parse_arguments(arguments)
    threads = [int(count) for count in options.threads.split(",")]
    names = options.contestants.split(",")
    rows = measure(options.scene, options.spheres, names, threads, options.repeats)
    print_table(rows)
    append_csv(rows, RESULTS / f"{cpu_name()}.csv")
    if options.json:
        Path(options.json).write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    sys.exit(main())
