"""Arrays that another thread changes while they are read: errors or wrong numbers, never more."""

import subprocess
import sys
from pathlib import Path

import pytest

from racing import KINDS

pytestmark = pytest.mark.native

# of a child that would not end: each call takes a part of a second, under sanitizers some
PATIENCE = 120


@pytest.mark.cases(8)
@pytest.mark.parametrize("kind", KINDS)
def test_writer(kind, request):
    seconds = 10 if request.config.getoption("--long") else 0.3
    command = [sys.executable, Path(__file__).with_name("racing.py"), kind, str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=seconds + PATIENCE)
    assert done.returncode == 0, done.stderr
    calls, errors = map(int, done.stdout.split())
    assert calls > errors
