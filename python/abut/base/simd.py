"""Which instructions the library's vector code uses."""

from __future__ import annotations

import os

from .. import _core

# what is wrong with the environment's level
_complaint: str | None = None


def choose_level() -> None:
    """Use the instruction level that the environment variable ``ABUT_SIMD`` names.

    ``baseline``, ``v3`` (AVX2) or ``v4`` (AVX-512); unset or empty: the best that there is. Done
    once, when abut is imported. The results are the same to the bit at every level.

    Notes
    -----
    A name that is none of these, or of a level that this machine does not have, is an error when a
    query starts, as a wrong ``ABUT_NUM_THREADS`` is: `show_config` and ``abut doctor`` still work.
    """
    global _complaint
    name = os.environ.get("ABUT_SIMD", "").strip()
    try:
        _core.set_simd(name or None)
    except ValueError:
        found = ", ".join(_core.simd_levels())
        _complaint = (
            f"ABUT_SIMD is {name!r}, but must be baseline, v3 or v4; this machine has {found}"
        )


def level() -> str:
    """The level in use; raises ValueError where the environment names a wrong one."""
    if _complaint is not None:
        raise ValueError(_complaint)
    return _core.simd()
