"""Optional packages, imported when they are asked for."""

from __future__ import annotations

import importlib
from typing import Any


def import_extra(module: str, extra: str) -> Any:
    """Import an optional module; where it is missing, say which extra of abut brings it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"this needs {package}: pip install 'abut[{extra}]'", name=package
        ) from error
