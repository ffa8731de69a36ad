"""Programs that tests start, none of which outlives its test."""

import contextlib
import os
import signal
import subprocess

import pytest


def run_child(command, timeout=300, environment=None, cwd=None):
    """What a program and all that it starts have written, once it has ended; where it hangs, the
    test fails with where its Python code stands, and nothing of it is left."""
    child = subprocess.Popen(
        [str(word) for word in command],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=cwd,
        env={**os.environ, "PYTHONFAULTHANDLER": "1", **(environment or {})},
        start_new_session=True,
    )
    try:
        output, errors = child.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        pytest.fail(f"the program hangs after {last_words(child)!r}")
    finally:
        end_group(child)
    return subprocess.CompletedProcess(command, child.returncode, output, errors)


def last_words(child):
    """What a child that hangs has written, and where it stands."""
    for number in (signal.SIGABRT, signal.SIGKILL):
        end_group(child, number)
        # who has left the session holds the pipes open
        with contextlib.suppress(subprocess.TimeoutExpired):
            return child.communicate(timeout=10)
    return None


def end_group(child, number=signal.SIGKILL):
    """Send a signal to a child that leads a session, and to all that it has started there."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)
