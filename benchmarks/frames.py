"""Time the reading of a frame of a LAMMPS dump, against pandas.

    python benchmarks/frames.py --rows 800000 --digits 6,17

The dump has the columns id type x y z radius vx vy vz. Numbers have six digits, LAMMPS' default, or
17, which restore every number exactly. All entrants read id, center and radius of each sphere:

- `abut`: `read_frames(path)[0]`, which counts the frames first,
- `count`: this count alone,
- `loop`: a loop over the frames, which does not count them first,
- `spheres`: `read_spheres`,
- pandas: gets the first row and the columns as arguments, and does not check rows.

Entrants take turns. A row shows for each entrant the median of its times, and the median of pandas'
time divided by its time in the same round.
"""

import argparse
import tempfile
import time
from collections import deque
from pathlib import Path

import numpy as np

import abut

NAMES = "id type x y z radius vx vy vz"
HEAD = (
    "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n{}\nITEM: BOX BOUNDS pp pp ff\n0 1\n0 1\n0 1\n"
    f"ITEM: ATOMS {NAMES} \n"
)


def write_dump(path, row_count, digits):
    rng = np.random.default_rng(1)
    columns = rng.standard_normal((7, row_count))
    columns[3] = rng.uniform(0.5, 1.5, row_count)
    words = [[f"{x:.{digits}g}" for x in column] for column in columns.tolist()]
    with open(path, "w") as file:
        file.write(HEAD.format(row_count))
        for number, row in enumerate(zip(*words, strict=True), 1):
            file.write(f"{number} 1 {' '.join(row)} \n")


def read_with_pandas(path):
    import pandas

    table = pandas.read_csv(
        path,
        sep=" ",
        header=None,
        names=[*NAMES.split(), "end"],
        usecols=["id", "x", "y", "z", "radius"],
        skiprows=HEAD.count("\n"),
    )
    return table[["x", "y", "z"]].to_numpy(), table["radius"].to_numpy(), table["id"].to_numpy()


def entrants_of(path):
    return {
        "abut": lambda: abut.read_frames(path)[0],
        "loop": lambda: deque(abut.read_frames(path), maxlen=1),
        "spheres": lambda: abut.read_spheres(path),
        "count": lambda: len(abut.read_frames(path)),
        "pandas": lambda: read_with_pandas(path),
    }


def timed(run):
    begin = time.perf_counter()
    run()
    return time.perf_counter() - begin


def times_of(entrants, rounds):
    """Times (rounds,) of each entrant in seconds, after a round that does not count."""
    times = [{name: timed(run) for name, run in entrants.items()} for _ in range(rounds + 1)]
    return {name: np.array([one[name] for one in times[1:]]) for name in entrants}


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=800_000)
    parser.add_argument("--digits", default="6,17")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args(arguments)
    print("| digits | entrant | ns a row | pandas / |\n| --- | --- | --- | --- |")
    for digits in map(int, options.digits.split(",")):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.dump")
            write_dump(path, options.rows, digits)
            times = times_of(entrants_of(path), options.rounds)
        for name, own in times.items():
            each = 1e9 * np.median(own) / options.rows
            ratio = np.median(times["pandas"] / own)
            print(f"| {digits} | `{name}` | {each:.0f} | {ratio:.2f} |")


if __name__ == "__main__":
    main()
