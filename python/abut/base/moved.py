"""Modules under the names that they had up to 0.2: pickles that were written then name them."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

# the old name, and the module that it is today
MOVED = {
    "body_contacts": "simulation.body_contacts",
    "chunks": "results.chunks",
    "clusters": "simulation.clusters",
    "config": "base.config",
    "contacts": "results.contacts",
    "convex_bodies": "simulation.convex_bodies",
    "convex_contacts": "results.convex_contacts",
    "convex_finder": "search.convex_finder",
    "convex_shape": "search.shape",
    "entrances": "results.entrances",
    "finder": "search.finder",
    "frames": "simulation.frames",
    "half_space": "search.half_space",
    "insertion": "simulation.insertion",
    "laws": "simulation.laws",
    "materials": "simulation.materials",
    "mesh": "search.mesh",
    "motions": "simulation.motions",
    "pair_finder": "search.pair_finder",
    "pairs": "results.pairs",
    "placement": "simulation.placement",
    "record": "simulation.record",
    "statistics": "search.statistics",
    "table": "results.table",
    "threads": "base.threads",
    "work": "search.work_model",
}


class _Moved(ModuleType):
    """What a module has under its old name; it is imported when the first of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        # what Python asks of every module that there is must import nothing
        if name.startswith("__"):
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        home = import_module(f"abut.{MOVED[self.__name__.removeprefix('abut.')]}")
        # what a module does not make any more is found by its public name
        return getattr(home, name) if hasattr(home, name) else getattr(import_module("abut"), name)


class _OldNames:
    """A finder of modules and their loader, as importlib wants them."""

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        is_old = name.startswith("abut.") and name.removeprefix("abut.") in MOVED
        return ModuleSpec(name, self) if is_old else None  # type: ignore[arg-type]

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return _Moved(spec.name)

    def exec_module(self, module: ModuleType) -> None:
        """A module that has moved has nothing of its own to run."""


def keep_old_names() -> None:
    """Let the old names be imported, as `pickle` does, after all that there is by these names."""
    sys.meta_path.append(_OldNames())  # type: ignore[arg-type]
