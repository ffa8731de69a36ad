"""Printing of tables, and of errors and warnings in one line each."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

# Keywords in messages of the library, and the options that replace them in the command's messages.
_OPTIONS = {
    "split=True": "--split",
    "noise=": "--noise ",
    "part=,": "--part,",
    "Give radius=, a number or a dict by type": "Give --radius, such as 1e-3 or 1:0.5e-3,2:1e-3",
    "but radius= has only": "but --radius has only",
    "read_mesh(..., scale=1e-3), or --scale 1e-3 of the command,": "--scale 1e-3",
}


def print_table(rows):
    """Print names and values in two columns; whole numbers are aligned to the right."""
    counts = {name: f"{value:,}" for name, value in rows if isinstance(value, int | np.integer)}
    name_width = max(len(name) for name, _ in rows)
    count_width = max(map(len, counts.values()), default=0)
    for name, value in rows:
        print(f"{name:<{name_width}}  {counts.get(name, str(value)):>{count_width}}")


def text_of(error):
    """Return one line for an error."""
    if isinstance(error, OSError) and error.strerror:
        name = f"{error.filename}: " if error.filename is not None else ""
        return f"{name}{error.strerror}"
    text = _in_options(str(error))
    if isinstance(error, MemoryError):
        return text or "out of memory"
    if isinstance(error, ValueError | TypeError | OSError | ImportError):
        return text or type(error).__name__
    return f"{type(error).__name__}: {text}"


def _in_options(text):
    """Return a message of the library in one line, with options in place of keywords."""
    line = " ".join(text.split())
    for keyword, option in _OPTIONS.items():
        line = line.replace(keyword, option)
    return line


def _printable(text):
    """Escape control characters: a file's name may have some, which would control the terminal."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def complain(message, status):
    print(f"abut: {_printable(message)}", file=sys.stderr)
    return status


def warn(message, *_where, **_rest):
    print("abut: warning:", _printable(_in_options(str(message))), file=sys.stderr)


def forget_stdout():
    """Discard further output after a closed pipe, so that the flush at exit raises no error."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
