"""What the commands print: tables, errors and warnings, each of a line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import numpy as np

# what messages of the library call what the command calls otherwise
_OPTIONS = {
    "split=True": "--split",
    "noise=": "--noise ",
    "read_mesh(..., scale=...), or --scale of the command,": "--scale",
}


def print_table(rows):
    """Two columns: names, and values, of which counts stand to the right."""
    counts = {name: f"{value:,}" for name, value in rows if isinstance(value, int | np.integer)}
    name_width = max(len(name) for name, _ in rows)
    count_width = max(map(len, counts.values()), default=0)
    for name, value in rows:
        print(f"{name:<{name_width}}  {counts.get(name, str(value)):>{count_width}}")


def text_of(error):
    """One line for an error."""
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
    """A message of the library as one line, which names options where that names keywords."""
    line = " ".join(text.split())
    for keyword, option in _OPTIONS.items():
        line = line.replace(keyword, option)
    return line


def _printable(text):
    """Without what would move a terminal's cursor, or change its colors: names of files may."""
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def complain(message, status):
    print(f"abut: {_printable(message)}", file=sys.stderr)
    return status


def warn(message, *_where, **_rest):
    print("abut: warning:", _printable(_in_options(str(message))), file=sys.stderr)


def forget_stdout():
    """Nobody reads any more: keep the interpreter from complaining when it flushes at its end."""
    with Path(os.devnull).open("w") as nowhere:
        os.dup2(nowhere.fileno(), sys.stdout.fileno())
