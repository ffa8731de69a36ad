"""Rivals' programs in C++: compiled for this machine at their first use, and kept."""

import ctypes
import hashlib
import os
import subprocess
import tempfile
from pathlib import Path

FLAGS = ("-O3", "-march=native", "-std=c++17", "-shared", "-fPIC", "-pthread", "-DNDEBUG")


def library(source, *choices):
    """The shared library of a source, compiled with the first choice of options that works."""
    told = source.read_bytes() + repr((FLAGS, choices)).encode()
    home = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "abut-benchmarks"
    built = home / f"{source.stem}-{hashlib.sha256(told).hexdigest()[:16]}.so"
    if not built.exists():
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=home) as folder:
            fresh = Path(folder) / built.name
            compile_first(source, fresh, choices)
            fresh.rename(built)
    return ctypes.CDLL(str(built))


def compile_first(source, built, choices):
    compiler = os.environ.get("CXX", "c++")
    for number, options in enumerate(choices, 1):
        command = [compiler, *FLAGS, str(source), "-o", str(built), *options]
        try:
            subprocess.run(command, check=True, capture_output=True, text=True)
            return
        except subprocess.CalledProcessError:
            if number == len(choices):
                raise


def declare(library, types):
    """Declare the return type and the argument types of each function."""
    for name, (result, arguments) in types.items():
        getattr(library, name).restype = result
        getattr(library, name).argtypes = arguments
    return library


def reason_of(make):
    """Why `make` fails to build its library, as one line; None if it succeeds."""
    try:
        make()
    except (ImportError, OSError, subprocess.CalledProcessError) as error:
        text = getattr(error, "stderr", "") or str(error)
        return next((line for line in text.splitlines() if "error" in line), text.splitlines()[0])
    return None
