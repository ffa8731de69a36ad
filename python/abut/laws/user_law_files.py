"""Users' laws in restart files: their names and parameters, but no code."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..base import checks
from .compiled import CompiledLaw
from .law import LawFunction, OwnLaw

Given = LawFunction | CompiledLaw


def to_stored(law: OwnLaw | CompiledLaw) -> dict[str, Any]:
    """The entry of a restart file for a law."""
    return {
        "kind": "own law",
        "name": law.name,
        "parameters": law.parameters,
        "vectors": list(law.vectors),
        "scalars": list(law.scalars),
        "reach": law.reach,
        "hash": law.source_hash,
    }


def is_stored(stored: Mapping[str, Any]) -> bool:
    return stored.get("kind") == "own law"


def read_given(laws: object) -> dict[str, Given]:
    """Read the argument `laws` of `load_simulation`."""
    if laws is None:
        return {}
    if not isinstance(laws, Mapping):
        kind = checks.a_or_an(type(laws).__name__)
        raise TypeError(f"laws is {kind}, but must be a dict of names to laws")
    found = dict(laws)
    for name, law in found.items():
        if isinstance(law, OwnLaw):
            found[name] = law = law.maker
        if not isinstance(law, Given):
            kind = checks.a_or_an(type(law).__name__)
            raise TypeError(
                f"laws[{name!r}] is {kind}, but must be an abut.laws.law or a CompiledLaw"
            )
    return found


def from_stored(stored: Mapping[str, Any], given: Mapping[str, Given]) -> OwnLaw | CompiledLaw:
    """The law of a file's entry, with the file's parameters; a ValueError if it does not fit."""
    name = stored["name"]
    if name not in given:
        raise ValueError(
            f"the simulation uses a law of your own, {name}, and the file has no code: pass"
            f" laws={{{name!r}: ...}}"
        )
    law = given[name]
    _check_kept(name, law, stored)
    _check_alike(name, law, stored)
    numbers = {key: float(value) for key, value in stored["parameters"].items()}
    if isinstance(law, LawFunction):
        try:
            return law(**numbers)
        except TypeError as error:
            raise ValueError(str(error)) from None
    return CompiledLaw(
        law._kept, list(numbers.values()), len(law.vectors), len(law.scalars), law.reach, name,
        law.curvature, law.jumps,
    )  # fmt: skip


def _check_kept(name: str, law: Given, stored: Mapping[str, Any]) -> None:
    for what in ("vectors", "scalars"):
        kept, now = tuple(stored[what]), tuple(getattr(law, what))
        if kept != now:
            raise ValueError(
                f"{name} was saved with the history {what} {_listed(kept)}, but the given law has"
                f" {_listed(now)}"
            )


def _check_alike(name: str, law: Given, stored: Mapping[str, Any]) -> None:
    """Raise a ValueError if the reach, or the number of a C function's parameters, differs from the
    file."""
    then, now = len(stored["parameters"]), len(law.parameters)
    if isinstance(law, CompiledLaw) and then != now:
        parameters = checks.counted(then, "parameter")
        raise ValueError(f"{name} was saved with {parameters}, but the given law has {now}")
    if stored["reach"] != law.reach:
        raise ValueError(
            f"{name} was saved with reach {stored['reach']}, but the given law has {law.reach}"
        )


def _listed(names: tuple[str, ...]) -> str:
    return ", ".join(names) or "none"


def is_other(stored: Mapping[str, Any], law: OwnLaw | CompiledLaw) -> bool:
    """Whether the law's code has changed since it was saved."""
    return stored["hash"] is not None and stored["hash"] != law.source_hash
