"""Count the instructions of fixed scenes and compare them with those that were counted before.

    python benchmarks/instructions.py BUILD/abut_instructions            # compare
    python benchmarks/instructions.py BUILD/abut_instructions --update   # keep the new numbers

Times on shared machines are noise; instructions, which valgrind counts, are the same in every run.
The program is built by CMake with ABUT_BUILD_TESTS, see instructions.c. It runs at level v3 unless
ABUT_SIMD names another: valgrind does not know AVX-512. instructions.txt holds the numbers of
compilers that were counted; another compiler's are printed only.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

BOUNDS = Path(__file__).with_suffix(".txt")
HEADER = "# compiler level part instructions\n"

# A part may take so much more before it counts as slower.
SLACK = 0.05

# The functions whose instructions are a part's.
PARTS = {
    "build": ["abut_mesh_build", "abut_finder_build"],
    "search": ["abut_contacts_find", "abut_contacts_write"],
    "far": ["finds_none_far"],
    "pairs": ["abut_pair_finder_build", "abut_pairs_find", "abut_pairs_write"],
    "steps": ["abut_simulation_run"],
}


def run(program, part):
    """The line that the program prints, and the instructions of a part."""
    toggles = [f"--toggle-collect={name}" for name in PARTS[part]]
    environment = {"ABUT_SIMD": "v3", **os.environ}
    with tempfile.TemporaryDirectory() as folder:
        command = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={folder}/out", *toggles]
        done = subprocess.run(
            [*command, program, part], capture_output=True, text=True, env=environment
        )
    counted = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not counted:
        sys.exit(f"{program} under valgrind failed:\n{done.stderr}")
    return done.stdout, int(counted[1])


def count(program):
    """Instructions by (compiler, level, part)."""
    found = {}
    for part in PARTS:
        line, instructions = run(program, part)
        compiler, level, *_ = line.split()
        found[compiler, level, part] = instructions
    return found


def read_bounds(path=BOUNDS):
    """What was counted before, by (compiler, level, part)."""
    lines = path.read_text().splitlines() if path.exists() else []
    rows = [line.split() for line in lines if not line.startswith("#")]
    return {(compiler, level, part): int(number) for compiler, level, part, number in rows}


def write_bounds(bounds, path=BOUNDS):
    lines = [f"{' '.join(key)} {number}\n" for key, number in sorted(bounds.items())]
    path.write_text(HEADER + "".join(lines))


def compare(found, bounds):
    """Print each part beside its bound; whether one takes more than its bound and slack."""
    is_slower = False
    for key, instructions in found.items():
        text = f"{' '.join(key):<24} {instructions:>12,}"
        if key not in bounds:
            print(f"{text}, not compared: no number to compare with")
            continue
        change = instructions / bounds[key] - 1
        too_many = change > SLACK
        is_slower = is_slower or too_many
        print(f"{text}, {change:+.1%} of {bounds[key]:,}{': TOO MANY' if too_many else ''}")
    return is_slower


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("program", type=Path, help="abut_instructions, as CMake built it")
    parser.add_argument("--update", action="store_true", help="keep the new numbers as bounds")
    arguments = parser.parse_args()
    bounds = read_bounds()
    found = count(arguments.program.resolve())
    is_slower = compare(found, bounds)
    if arguments.update:
        write_bounds({**bounds, **found})
    elif is_slower:
        sys.exit("more instructions than before; where that is meant, --update keeps them")


if __name__ == "__main__":
    main()
