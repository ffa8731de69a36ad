"""The instruction level of the library's vector code."""

from __future__ import annotations

import os

from .. import _core

# the error message, if ABUT_SIMD names no level of this machine
_complaint: str | None = None


def choose_level() -> None:
    """Set the instruction level that the environment variable ``ABUT_SIMD`` names.

    It can be ``baseline``, ``v3`` (AVX2) or ``v4`` (AVX-512); if it is unset or empty, the best
    available one is used. It is read once, when abut is imported. Results are the same to the bit.

    Notes
    -----
    An unknown name, or a level that this machine does not have, is an error when a query starts, as
    a wrong ``ABUT_NUM_THREADS`` is. So `show_config` and ``abut doctor`` still work.
    """
    global _complaint
    name = os.environ.get("ABUT_SIMD", "").strip()
    try:
        _core.set_simd(name or None)
    except ValueError:
        found = ", ".join(_core.simd_levels())
        _complaint = (
            f"ABUT_SIMD is {name!r}, but must be one of {found}, which this machine has, or unset"
        )


def level() -> str:
    """The level in use; a ValueError if the environment names a wrong one."""
    if _complaint is not None:
        raise ValueError(_complaint)
    return _core.simd()
