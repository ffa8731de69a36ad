"""Time pair searches with giants in a periodic box, relative to the same spheres in an open box.

    python benchmarks/giants.py                          # 300,000 spheres, a few minutes
    python benchmarks/giants.py --spheres 50000 --giants 1,10

A giant's radius is a quarter of the period. Both boxes take turns on one thread. The ratio compares
the processor times of their fastest rounds.
"""

import argparse
import time

import numpy as np

import abut
import pair_scenes

AXES = {"one axis": (1,), "two axes": (0, 1), "all axes": (0, 1, 2)}


def scene(count, ratio, giants):
    """Spheres that fill a cube, and giants among them with a quarter of its side as radius."""
    small = pair_scenes.filled(count, ratio)
    side, rng = pair_scenes.side_of(small.radii), np.random.default_rng(giants)
    centers = np.concatenate([small.centers, rng.uniform(0, side, (giants, 3))])
    return centers, np.concatenate([small.radii, np.full(giants, side / 4)]), side


def fastest(searches, repeats):
    """The shortest processor time of each search; searches take turns."""
    times = np.full(len(searches), np.inf)
    for _ in range(repeats + 1):
        for k, search in enumerate(searches):
            begin = time.process_time()
            search()
            times[k] = min(times[k], time.process_time() - begin)
    return times


def ratio_of(centers, radii, period, repeats):
    """Ratios of the times with and without the period: of find_pairs, and of an existing finder."""
    finders = [abut.PairFinder(radii, period=p) for p in (period, None)]
    searches = [
        *(lambda p=p: abut.find_pairs(centers, radii, period=p, workers=1) for p in (period, None)),
        *(lambda f=f: f.find(centers, workers=1) for f in finders),
    ]
    found = fastest(searches, repeats)
    pairs = [len(f.find(centers)) for f in finders]
    return found[0] / found[1], found[2] / found[3], pairs[0] / pairs[1] - 1


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--spheres", type=int, default=300_000)
    parser.add_argument("--giants", default="1,2,10,50")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    print("sizes   giants  period    find_pairs  PairFinder  more pairs")
    for ratio in (10, 100):
        for giants in map(int, options.giants.split(",")):
            centers, radii, side = scene(options.spheres, ratio, giants)
            for name, axes in AXES.items():
                period = [side if axis in axes else None for axis in range(3)]
                once, again, more = ratio_of(centers, radii, period, options.repeats)
                sizes = f"{ratio}:1"
                print(f"{sizes:6}{giants:8}  {name:8}{once:12.2f}{again:12.2f}{more:12.0%}")


if __name__ == "__main__":
    main()
