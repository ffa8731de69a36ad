"""Motion in time: laws, walls and bodies, the steps, and what is inserted, watched and written."""

from importlib import import_module
from typing import Any

# what pickles of 0.2 have of the module that had this name
_HOMES = {"Clusters": "cluster_part", "Energy": "measure_part", "Simulation": "simulation"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'abut.simulation' has no attribute {name!r}")
    return getattr(import_module(f"abut.simulation.{_HOMES[name]}"), name)
