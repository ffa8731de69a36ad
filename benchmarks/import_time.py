"""Time `import abut` beyond `import numpy`, and the first use of each part.

    python benchmarks/import_time.py

Each row is a separate program; the programs take turns. A row shows the milliseconds that it takes
more than `import numpy`, as medians over the rounds: of wall-clock time, and of processor time,
which other programs disturb less.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time

ROUNDS = 40
FIRST = "import numpy"
PROGRAMS = (
    FIRST,
    "import abut",
    "import abut; abut.find_contacts",
    "import abut; abut.find_pairs",
    "import abut; abut.find_convex_contacts",
    "import abut; abut.read_mesh",
    "import abut; abut.Simulation",
    "from abut import *",
)


def timed(program, environment):
    """Milliseconds of a new interpreter with a program: wall-clock and processor time."""
    code = f"{program}\nimport time; print(time.process_time())"
    start = time.perf_counter()
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    return 1e3 * (time.perf_counter() - start), 1e3 * float(run.stdout)


def measured(programs, rounds):
    """The times (wall-clock, processor) of each program in all rounds."""
    times = {program: [] for program in programs}
    with tempfile.TemporaryDirectory() as folder:
        # the first round, which does not count, compiles the modules, as pip does
        environment = {**os.environ, "PYTHONPYCACHEPREFIX": folder}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        for number in range(rounds + 1):
            for program in programs:
                both = timed(program, environment)
                if number:
                    times[program].append(both)
    return times


def more(times, first):
    """The median of a program's time less the first program's in the same round."""
    pairs = zip(times, first, strict=True)
    differences = [(own[0] - base[0], own[1] - base[1]) for own, base in pairs]
    return [statistics.median(column) for column in zip(*differences, strict=True)]


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    times = measured(PROGRAMS, parser.parse_args(arguments).rounds)
    wall, processor = (statistics.median(column) for column in zip(*times[FIRST], strict=True))
    print(f"{FIRST:40} {wall:6.0f} ms, {processor:6.0f} ms of the processor")
    for program in PROGRAMS[1:]:
        wall, processor = more(times[program], times[FIRST])
        print(f"{program:40} {wall:+6.0f} ms, {processor:+6.0f} ms of the processor")


if __name__ == "__main__":
    main()
