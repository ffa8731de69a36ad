"""The golden hash on every compiler, optimization, instruction level and number of threads.

    python tests/golden.py            # builds in a temporary folder: some minutes

Builds `tests/c/golden.c` with gcc and clang, -O0 and -O3, and for aarch64, which an emulator runs,
whichever of them the machine has; prints a row for each build, and what it hashed otherwise. Ends
with 1 where a hash differs. The hash stands in `tests/c/golden.h`, and `test_golden` of the C tests
asserts it.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
LEVELS = ("baseline", "v3", "v4")
THREADS = range(1, 9)
EMULATOR = ["qemu-aarch64", "-L", "/usr/aarch64-linux-gnu"]
FOR_AARCH64 = (
    "-DABUT_OPENMP=OFF",
    "-DCMAKE_SYSTEM_NAME=Linux",
    "-DCMAKE_SYSTEM_PROCESSOR=aarch64",
)
# glibc's own functions without fused multiply-adds: other bits of sin, exp and the like
WITHOUT_FMA = {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"}


class Build(NamedTuple):
    """A compiler, its optimization, and what runs its programs."""

    compiler: str
    optimization: str
    options: tuple[str, ...] = ()
    runner: tuple[str, ...] = ()


def builds():
    """The builds with installed tools."""
    found = [Build(name, o) for name in ("gcc", "clang") for o in ("-O0", "-O3")]
    other = ("aarch64-linux-gnu-gcc", "-O3", FOR_AARCH64, tuple(EMULATOR))
    found.append(Build(*other))
    for build in found:
        missing = [
            name for name in (build.compiler, *build.runner[:1]) if shutil.which(name) is None
        ]
        if missing:
            print(f"{build.compiler} {build.optimization}: left out, there is no {missing[0]}")
        else:
            yield build


def compiled(build, folder):
    """The program."""
    flags = f"-DCMAKE_C_FLAGS_RELEASE={build.optimization} -DNDEBUG"
    configure = ["cmake", "-S", ROOT, "-B", folder, "-DABUT_BUILD_TESTS=ON", flags, *build.options]
    make = ["cmake", "--build", folder, "--parallel", "2", "--target", "abut_golden"]
    for command in (configure, make):
        subprocess.run(
            command, check=True, stdout=subprocess.DEVNULL, env={**os.environ, "CC": build.compiler}
        )
    return folder / "abut_golden"


def hashed(build, program, *arguments, **settings):
    """The output of the program; None if it does not have the level."""
    command = [*build.runner, program, *map(str, arguments)]
    env = {**os.environ, "OMP_WAIT_POLICY": "passive", **settings}
    done = subprocess.run(command, capture_output=True, text=True, env=env)
    return done.stdout.strip() if re.fullmatch(r"[0-9a-f]{64}\n", done.stdout) else None


def rows(build, program):
    """The runs and their hashes."""
    yield "without a restart", hashed(build, program, 1, "whole")
    if build.runner:
        yield "one thread", hashed(build, program)
        return
    for level in LEVELS:
        for threads in THREADS:
            found = hashed(build, program, threads, ABUT_SIMD=level)
            if found is None and level != "baseline":
                break
            yield f"{level}, {threads} threads at most", found
    yield "glibc without fma", hashed(build, program, 1, ABUT_SIMD="baseline", **WITHOUT_FMA)


def main():
    """Print the table; returns how many hashes differ."""
    golden = re.search(r'GOLDEN_HASH "(\w+)"', (ROOT / "tests/c/golden.h").read_text())[1]
    print(golden)
    wrong = 0
    for build in builds():
        with tempfile.TemporaryDirectory() as folder:
            ran = list(rows(build, compiled(build, Path(folder))))
        others = [(what, found) for what, found in ran if found != golden]
        name = f"{build.compiler} {build.optimization}"
        print(f"{name:26} {len(ran) - len(others):2} of {len(ran)} runs have it", flush=True)
        for what, found in others:
            print(f"    {what}: {found}")
        wrong += len(others)
    return wrong


if __name__ == "__main__":
    sys.exit(main() > 0)
