"""Many contacts at once, for evaluating laws outside of a simulation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from .. import _core
from ..base.arithmetic import matrix_product
from ..base.arrays import Doubles

if TYPE_CHECKING:
    from .compiled import CompiledLaw
    from .law import OwnLaw

WIDTHS = dict(_core.LAW_INPUTS)
OUTPUTS = dict(_core.LAW_OUTPUTS)


class Answer(NamedTuple):
    """Results for n contacts: push, stored (n,); tangent, moment (n, 3); history (numbers, n)."""

    push: Doubles
    tangent: Doubles
    moment: Doubles
    stored: Doubles
    history: Doubles


class BuiltIn:
    """A built-in law, given by the library's numbers, with the interface of users' laws."""

    vectors, scalars = ("spring", "roll"), ("overlap", "most")

    def __init__(self, shown: str, numbers: dict[str, float], radius: float) -> None:
        self._shown = shown
        self.numbers = np.array([[numbers.get(name, 0.0) for name in _core.LAW_NUMBERS]])
        # the largest gap at which the law acts for this R*, and the overlap at which contacts begin
        self.reach, self.begins = _core.law_reach(self.numbers, radius)

    def __repr__(self) -> str:
        return self._shown


class Contacts:
    """Columns of n contacts: numbers (n,) and vectors (n, 3), which are set by name."""

    def __init__(self, count: int, step: float, **columns: Any) -> None:
        self.count, self.step = count, step
        self.columns = {
            name: np.zeros((count, width) if width > 1 else count) for name, width in WIDTHS.items()
        }
        self.columns["normal"][:, 2] = 1.0
        self.set(**columns)

    def set(self, **columns: Any) -> None:
        for name, values in columns.items():
            self.columns[name][...] = values

    def __getitem__(self, name: str) -> Doubles:
        return self.columns[name]

    def packed(self) -> Doubles:
        """All columns in one array, which the library takes."""
        columns = [self.columns[name].reshape(self.count, -1).T for name in WIDTHS]
        return np.ascontiguousarray(np.concatenate(columns))

    def rows(self) -> dict[str, Any]:
        """A copy of the columns."""
        return {name: column.copy() for name, column in self.columns.items()}


def history_count(law: OwnLaw | CompiledLaw | BuiltIn) -> int:
    return 3 * len(law.vectors) + len(law.scalars)


LawColumns = tuple[int, Doubles, int, int, int, float]


def law_columns(law: OwnLaw | CompiledLaw, identity: int = 1) -> LawColumns:
    """A user's law as a tuple, the form that the library takes."""
    numbers = np.array(law.numbers, np.float64)
    return law.address, numbers, len(law.vectors), len(law.scalars), identity, law.reach


def evaluate(
    law: OwnLaw | CompiledLaw | BuiltIn,
    contacts: Contacts,
    history: Doubles | None = None,
    repeats: int = 1,
) -> Answer:
    """Evaluate a law for contacts. By default all numbers of their history are 0."""
    kept = history_count(law)
    old = np.zeros((kept, contacts.count)) if history is None else np.ascontiguousarray(history)
    taken = law.numbers if isinstance(law, BuiltIn) else law_columns(law)
    outputs, new = _core.apply_law(
        taken, contacts.step, contacts.count, contacts.packed(), old, repeats
    )
    parts, at = [], 0
    for width in OUTPUTS.values():
        rows = outputs[at : at + width]
        parts.append(rows[0] if width == 1 else rows.T)
        at += width
    push, tangent, moment, stored = parts
    return Answer(push, tangent, moment, stored, new)


def turned(law: OwnLaw | CompiledLaw, history: Doubles, rotation: Doubles) -> Doubles:
    """The history with all vectors transformed by a rotation or a reflection."""
    new = history.copy()
    for k in range(len(law.vectors)):
        new[3 * k : 3 * k + 3] = matrix_product(rotation, history[3 * k : 3 * k + 3])
    return new
