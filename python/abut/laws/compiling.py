"""Compiles laws in Python, by numba, to loops over blocks of contacts in machine code.

A block is the `abut_law_block` of csrc/abut_law.h. The text of the loop is generated here, from the
law's history and number of parameters. The law's own function is compiled unchanged. If it raises
an exception, the push of this contact and of all later ones in the block is NaN. The simulation's
step detects NaN.
"""

from __future__ import annotations

import re
from functools import cache
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import _core
from ..base.extras import import_extra
from .contact import HELPERS, ZERO, Contact, Force, Vector

if TYPE_CHECKING:
    from .law import LawFunction

# the place of each member of a block, counted in words of eight bytes
_WORDS = dict(_core.LAW_BLOCK)


def compile_law(law: LawFunction) -> Any:
    """Compile a law to numba's cfunc; a TypeError names the line that numba does not support."""
    tools = _tools()
    user = tools.njit(law.function)
    names = {
        "user": user,
        "block_columns": tools.columns,
        "address_of": tools.pointer,
        "as_force": tools.as_force,
        "carray": tools.carray,
        "nan": np.nan,
        "int64": np.int64,
        "float64": np.float64,
        "Contact": Contact,
        "Vector": Vector,
        "History": law.history,
    }
    exec(_loop_of(law), names)
    names["contacts"] = tools.njit(names["contacts"])
    try:
        return tools.cfunc(names["loop"])
    except tools.errors.NumbaError as error:
        raise TypeError(_error_text(law, str(error))) from None


def _word(member: str) -> str:
    return f"words[{_WORDS[member]}]"


def _all_columns(columns: Any) -> str:
    """The expression for an array of all these columns, which follow each other in memory."""
    return f"block_columns({_word(columns[0][0])}, {sum(numbers for _, numbers in columns)})"


def _loop_of(law: LawFunction) -> str:
    """The text of the loop over contacts, in a function that catches exceptions. Without this
    function, numba would print exceptions and continue."""
    lines = [
        "def loop(block):",
        "    try:",
        "        contacts(block)",
        "    except Exception:",
        "        pass",
        "",
        "def contacts(block):",
        f"    words = carray(block, ({len(_WORDS)},), int64)",
        f"    step = carray(block, ({len(_WORDS)},), float64)[{_WORDS['step']}]",
        f"    a = {_all_columns(_core.LAW_INPUTS)}",
        f"    o = {_all_columns(_core.LAW_OUTPUTS)}",
    ]
    count = len(law.parameters)
    if count:
        lines.append(f"    p = carray(address_of({_word('parameters')}), ({count},), float64)")
        lines += [f"    p{k} = p[{k}]" for k in range(count)]
    if law.history is not None:
        size = 3 * len(law.vectors) + len(law.scalars)
        lines.append(f"    h = block_columns({_word('history_in')}, {size})")
        lines.append(f"    g = block_columns({_word('history_out')}, {size})")
    lines.append(f"    o[0, :{_word('count')}] = nan")
    lines.append(f"    for k in range({_word('count')}):")
    lines += ["        " + line for line in _body_of(law)]
    return "\n".join(lines)


def _body_of(law: LawFunction) -> list[str]:
    """The lines inside the loop, which evaluate contact k."""
    inputs = _read("a", _core.LAW_INPUTS)
    given = ", ".join(f"{name}={text}" for name, text in inputs.items())
    parameters = "".join(f", p{k}" for k in range(len(law.parameters)))
    lines = [f"contact = Contact({given}, step=step)"]
    if law.history is None:
        lines.append(f"force = as_force(user(contact{parameters}))")
    else:
        kept = [(name, 3) for name in law.vectors] + [(name, 1) for name in law.scalars]
        old = ", ".join(f"{name}={text}" for name, text in _read("h", kept).items())
        lines.append(f"answer, new = user(contact, History({old}){parameters})")
        lines.append("force = as_force(answer)")
        lines += _written("g", "new", kept)
    return lines + _written("o", "force", _core.LAW_OUTPUTS)


def _read(array: str, columns: Any) -> dict[str, str]:
    """For each name, the expression that reads its numbers from the columns of an array."""
    texts, at = {}, 0
    for name, numbers in columns:
        parts = [f"{array}[{at + axis}, k]" for axis in range(numbers)]
        texts[name] = parts[0] if numbers == 1 else f"Vector({', '.join(parts)})"
        at += numbers
    return texts


def _written(array: str, source: str, columns: Any) -> list[str]:
    lines, at = [], 0
    for name, numbers in columns:
        if numbers == 1:
            lines.append(f"{array}[{at}, k] = {source}.{name}")
        else:
            lines += [f"{array}[{at + m}, k] = {source}.{name}[{m}]" for m in range(numbers)]
        at += numbers
    return lines


# ---- numba ---------------------------------------------------------------------------------------


@cache
def _tools() -> SimpleNamespace:
    """The parts of numba that are used here; the first call registers the helpers of laws."""
    numba = import_extra("numba", "law")
    extending, types = numba.extending, numba.types

    @extending.intrinsic  # type: ignore[untyped-decorator]
    def pointer(_context: Any, address: Any) -> Any:
        def generate(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], numba.core.cgutils.voidptr_t)

        return types.voidptr(types.int64), generate

    @numba.njit(inline="always")  # type: ignore[untyped-decorator]
    def columns(address: Any, count: Any) -> Any:
        return numba.carray(pointer(address), (count, _core.LAW_ROWS), np.float64)

    for helper in HELPERS:
        extending.register_jitable(helper)
    return SimpleNamespace(
        # forceinline: instructions evaluate several contacts only if the law is inside the loop
        njit=numba.njit(error_model="numpy", nogil=True, forceinline=True),
        cfunc=numba.cfunc(types.void(types.voidptr), nopython=True, error_model="numpy"),
        carray=numba.carray,
        columns=columns,
        pointer=pointer,
        as_force=_register_as_force(numba),
        errors=numba.core.errors,
    )


def as_force(answer: Any) -> Force:
    """Convert what a law returns to a Force; a number is a push without other parts."""
    return answer if isinstance(answer, Force) else Force(answer, ZERO, ZERO, 0.0)


def _register_as_force(numba: Any) -> Any:
    @numba.extending.overload(as_force)  # type: ignore[untyped-decorator]
    def _as_force(answer):
        if isinstance(answer, numba.types.BaseNamedTuple):
            return lambda answer: answer
        return lambda answer: Force(answer, ZERO, ZERO, 0.0)

    return as_force


# ---- numba's errors ------------------------------------------------------------------------------

_REASONS = re.compile(
    r"Unknown attribute|No implementation|NameError|Cannot unify|Untyped global|not supported"
    r"|[Uu]nsupported|not defined|cannot determine",
)


def _error_text(law: LawFunction, text: str) -> str:
    """numba's message, reduced to the reason and the line of the law's function."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", text)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    why = next((line for line in lines if _REASONS.search(line)), lines[0] if lines else "")
    code = law.function.__code__
    file = re.escape(re.split(r"[/\\]", code.co_filename)[-1])
    found = [int(n) for n in re.findall(rf'{file}", line (\d+)', text)]
    line = next((n for n in reversed(found) if n >= code.co_firstlineno), code.co_firstlineno)
    attribute = re.search(r"Unknown attribute '(\w+)' of type Contact", why)
    if attribute:
        why = f"a contact has no {attribute[1]}; it has {', '.join(Contact._fields)}"
    return f"{law.name}, line {line}: {why[:200]}"
