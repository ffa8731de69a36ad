"""Imports modules of benchmarks/; one of them has the name `scenes`, as a module of the tests."""

import contextlib
import importlib
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "benchmarks"


@contextlib.contextmanager
def imported(names):
    """Modules by name; afterwards those are there again that had the names of benchmarks' own."""
    own = [path.stem for path in FOLDER.glob("*.py")]
    others = {name: sys.modules.pop(name) for name in own if name in sys.modules}
    sys.path.insert(0, str(FOLDER))
    try:
        yield {name: importlib.import_module(name) for name in names}
    finally:
        sys.path.remove(str(FOLDER))
        for name in own:
            sys.modules.pop(name, None)
        sys.modules.update(others)
