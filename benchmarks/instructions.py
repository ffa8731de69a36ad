"""Count the instructions of fixed scenes and compare them with the stored numbers.

    python benchmarks/instructions.py BUILD/abut_instructions            # compare
    python benchmarks/instructions.py BUILD/abut_instructions --update   # keep the new numbers

Times on shared machines are noisy; instruction counts by valgrind are the same in every run. CMake
builds the program from instructions.c with ABUT_BUILD_TESTS. It runs at level v3 unless ABUT_SIMD
names another, because valgrind does not support AVX-512. instructions.txt stores the numbers of
some compilers; the numbers of other compilers are only printed.
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

# A part counts as slower if its instructions exceed its bound by more than this share.
SLACK = 0.05

# The functions that each part consists of.
PARTS = {
    "build": ["abut_mesh_build", "abut_finder_build"],
    "search": ["abut_contacts_find", "abut_contacts_write"],
    "far": ["finds_none_far"],
    "pairs": ["abut_pair_finder_build", "abut_pairs_find", "abut_pairs_write"],
    "steps": ["abut_simulation_run"],
}


def run(program, part):
    """Run one part; returns the line that the program prints, and the part's instructions."""
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
    """The stored numbers of instructions, by (compiler, level, part)."""
    lines = path.read_text().splitlines() if path.exists() else []
    rows = [line.split() for line in lines if not line.startswith("#")]
    return {(compiler, level, part): int(number) for compiler, level, part, number in rows}


def write_bounds(bounds, path=BOUNDS):
    lines = [f"{' '.join(key)} {number}\n" for key, number in sorted(bounds.items())]
    path.write_text(HEADER + "".join(lines))


def compare(found, bounds):
    """Print each part with its bound; returns whether a part exceeds its bound and slack."""
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
    parser.add_argument("program", type=Path, help="path of abut_instructions, built by CMake")
    parser.add_argument("--update", action="store_true", help="store the new numbers as bounds")
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
