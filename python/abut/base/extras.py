"""Optional packages, imported on first use."""

from __future__ import annotations

import importlib
from typing import Any


def import_extra(module: str, extra: str) -> Any:
    """Import an optional module; an ImportError names the extra of abut that installs it."""
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        package = module.partition(".")[0]
        raise ImportError(
            f"this needs {package}: pip install 'abut[{extra}]'", name=package
        ) from error
