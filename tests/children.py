"""Programs that tests start; none outlives its test."""

import contextlib
import os
import signal
import subprocess
import tempfile

import pytest


def run_child(command, timeout=300, environment=None, cwd=None):
    """Run a program and return its output. If it hangs, the test fails with its Python traceback.
    All processes that it has started are ended."""
    # files, not pipes: reading a pipe would wait for every process that holds it open
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        child = subprocess.Popen(
            [str(word) for word in command],
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            cwd=cwd,
            env={**os.environ, "PYTHONFAULTHANDLER": "1", **(environment or {})},
            start_new_session=True,
        )
        hangs = not has_ended(child, timeout)
        if hangs:
            end_group(child, signal.SIGABRT)
            has_ended(child, 10)
        end_group(child)
        child.wait()
        texts = [written(file) for file in (output, errors)]
    if hangs:
        pytest.fail(f"the program hangs; it has written {texts}")
    return subprocess.CompletedProcess(command, child.returncode, *texts)


def has_ended(child, timeout):
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(timeout)
    return child.returncode is not None


def written(file):
    file.seek(0)
    return file.read()


def end_group(child, number=signal.SIGKILL):
    """Send a signal to a child that leads a session, and to all processes of the session."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)
