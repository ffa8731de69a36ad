"""The golden hash through Python, on this machine and with its code chosen otherwise."""

import hashlib
import os
import re
import sys
from pathlib import Path

import pytest

from children import run_child
from python_golden import GOLDEN_HASH, golden_hash

ROOT = Path(__file__).parents[1]

# These choose the code of NumPy, BLAS, the C library and abut, where the processor has more. What a
# machine has set for its BLAS stays: other code may crash there.
VARIATIONS = [
    {"OPENBLAS_CORETYPE": "Haswell"},
    {"OPENBLAS_CORETYPE": "Prescott", "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL"},
    {"NPY_DISABLE_CPU_FEATURES": "X86_V3 X86_V4 AVX512_ICL", "ABUT_NUM_THREADS": "3"},
    {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4", "ABUT_SIMD": "baseline"},
    {"ABUT_SIMD": "v3", "ABUT_NUM_THREADS": "2"},
]
KEPT = {name: os.environ[name] for name in ("OPENBLAS_CORETYPE",) if name in os.environ}


def test_the_hash():
    assert golden_hash() == GOLDEN_HASH


@pytest.mark.ci
def test_the_restart_does_not_show():
    assert golden_hash(restart=False) == GOLDEN_HASH


@pytest.mark.ci
@pytest.mark.parametrize("variation", VARIATIONS, ids=lambda v: " ".join(v.values()))
def test_other_code_of_the_libraries_does_not_show(variation):
    program = [sys.executable, ROOT / "tests/python_golden.py"]
    run = run_child(program, environment=variation | KEPT)
    if "ABUT_SIMD" in run.stderr:
        pytest.skip(run.stderr.strip().splitlines()[-1])
    assert run.stdout.strip() == GOLDEN_HASH, run.stderr


def test_the_manual_has_both_hashes():
    page = (ROOT / "docs/install.md").read_text(encoding="utf-8")
    in_c = re.search(r'GOLDEN_HASH "(\w+)"', (ROOT / "tests/c/golden.h").read_text())[1]
    assert len(GOLDEN_HASH) == hashlib.sha256().digest_size * 2
    assert set(re.findall(r"\b[0-9a-f]{64}\b", page)) == {in_c, GOLDEN_HASH}
