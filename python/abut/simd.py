"""Which instructions the library's vector code uses."""

from __future__ import annotations

import os

from . import _core


def choose_level() -> None:
    """Use the instruction level that the environment variable ``ABUT_SIMD`` names.

    ``baseline``, ``v3`` (AVX2) or ``v4`` (AVX-512); unset or empty: the best that there is. Done
    once, when abut is imported. The results are the same to the bit at every level.

    Raises
    ------
    ValueError
        If there is no such level, or this machine does not have it.
    """
    name = os.environ.get("ABUT_SIMD", "").strip()
    try:
        _core.set_simd(name or None)
    except ValueError:
        found = ", ".join(_core.simd_levels())
        raise ValueError(
            f"ABUT_SIMD is {name!r}, but must be baseline, v3 or v4; this machine has {found}"
        ) from None
