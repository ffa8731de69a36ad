"""Contact laws that are C functions, compiled elsewhere."""

from __future__ import annotations

import ctypes
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from .. import _core
from ..base import checks
from .law import MOST_HISTORY, read_parameter, read_reach


def get_include() -> str:
    """The folder with ``abut_law.h``, for laws that are compiled in C.

    Returns
    -------
    str

    Examples
    --------
    >>> import abut, pathlib
    >>> pathlib.Path(abut.laws.get_include(), "abut_law.h").exists()
    True
    """
    return str(Path(_core.__file__).parent / "include")


class CompiledLaw:
    """A contact law that is a C function, ``void law(const abut_law_block *)``.

    The header ``abut_law.h``, in the folder that `get_include` returns, declares the block: the
    inputs of up to 64 contacts, and the outputs that the function writes.

    Parameters
    ----------
    function : int, ctypes function, cffi function pointer, PyCapsule or scipy.LowLevelCallable
        The address of the function, or an object that holds the address. The object is kept, but
        the library that contains the function must stay loaded.
    parameters : iterable of float, default ()
        Numbers to which the block's ``parameters`` points.
    vectors, scalars : int, default 0
        Contact history: how many vectors and scalars a contact keeps from step to step, at most 32
        numbers in all. Vectors come first, and are rotated with the contact.
    reach : float, default 0
        Largest gap at which the law is evaluated.
    name : str, default "compiled"
        Name of the law in messages, and in the argument ``laws`` of `load_simulation`.
    curvature : float, optional
        Radius of curvature of convex bodies without rounding.
    jumps : bool, default False
        Whether the force may jump when a contact begins.

    Raises
    ------
    TypeError, ValueError
        If the function has no address, or an argument is out of its range.

    Notes
    -----
    The function is called from several threads at once, and must not call Python. Laws with the
    same address and numbers are equal.

    Examples
    --------
    A function that numba compiled, in place of a function in C:

    >>> import abut
    >>> @abut.laws.law
    ... def spring(contact, stiffness):
    ...     return stiffness * contact.overlap
    >>> address = spring(stiffness=1.0).address
    >>> law = abut.laws.CompiledLaw(address, parameters=[1e3], name="spring")
    >>> law
    CompiledLaw(name='spring', parameters=[1000.0], vectors=0, scalars=0, reach=0.0)
    """

    def __init__(
        self,
        function: Any,
        parameters: Iterable[float] = (),
        vectors: int = 0,
        scalars: int = 0,
        reach: float = 0.0,
        name: str = "compiled",
        curvature: float | None = None,
        jumps: bool = False,
    ) -> None:
        if not isinstance(name, str) or not name:
            raise TypeError(f"name is {name!r}, but must be a string that is not empty")
        self.address, self._kept = _address_of(function), function
        self.name, self.jumps = name, bool(jumps)
        self.numbers = _read_parameters(parameters, name)
        counts = {"vectors": checks.whole(vectors, "vectors")}
        counts["scalars"] = checks.whole(scalars, "scalars")
        for what, count in counts.items():
            if count < 0:
                raise ValueError(f"{what} is {count}, but must be 0 or more")
        if 3 * counts["vectors"] + counts["scalars"] > MOST_HISTORY:
            raise ValueError(
                f"a contact keeps {3 * counts['vectors'] + counts['scalars']} numbers, three a"
                f" vector, but may keep at most {MOST_HISTORY} numbers"
            )
        self.vectors = tuple(f"vector{k}" for k in range(counts["vectors"]))
        self.scalars = tuple(f"scalar{k}" for k in range(counts["scalars"]))
        self.reach = read_reach(reach)
        self.curvature = None if curvature is None else checks.positive(curvature, "curvature")

    @property
    def parameters(self) -> dict[str, float]:
        return {f"parameters[{k}]": number for k, number in enumerate(self.numbers)}

    @property
    def source_hash(self) -> None:
        """Always None, because there is no source to compare."""
        return None

    def _key(self) -> tuple[Any, ...]:
        sizes = len(self.vectors), len(self.scalars)
        return self.address, *self.numbers, *sizes, self.reach, self.name

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, CompiledLaw) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return (
            f"CompiledLaw(name={self.name!r}, parameters={self.numbers},"
            f" vectors={len(self.vectors)}, scalars={len(self.scalars)}, reach={self.reach})"
        )


def _read_parameters(given: Iterable[float], law: str) -> list[float]:
    if not isinstance(given, Iterable):
        raise TypeError(f"parameters is {given!r}, but must be a list of numbers")
    return [read_parameter(p, f"parameters[{k}]", law) for k, p in enumerate(given)]


def _address_of(function: Any) -> int:
    """The address of the C function that an object holds."""
    inner = getattr(function, "function", None)
    if type(function).__name__ == "LowLevelCallable" and inner is not None:
        return _address_of(inner)
    if isinstance(function, int) and not isinstance(function, bool):
        address = function
    elif type(function).__name__ == "PyCapsule":
        address = _address_in_capsule(function)
    elif hasattr(type(function), "_flags_") or isinstance(function, ctypes._SimpleCData):
        address = ctypes.cast(function, ctypes.c_void_p).value or 0
    elif type(function).__module__ == "_cffi_backend":
        address = _address_in_cffi(function)
    elif hasattr(function, "address"):  # numba's cfunc
        address = int(function.address)
    else:
        kind = checks.a_or_an(type(function).__name__)
        raise TypeError(
            f"function is {kind}, but must be an address, a function of ctypes or cffi, a"
            " PyCapsule or a scipy.LowLevelCallable"
        )
    if address <= 0:
        raise ValueError(f"function has the address {address}, but must have a positive one")
    if address >= 2 ** (8 * ctypes.sizeof(ctypes.c_void_p)):
        raise ValueError(f"function has the address {address}, too large for a pointer")
    return address


def _address_in_capsule(capsule: Any) -> int:
    api = ctypes.pythonapi
    api.PyCapsule_GetName.restype = ctypes.c_char_p
    api.PyCapsule_GetName.argtypes = [ctypes.py_object]
    api.PyCapsule_GetPointer.restype = ctypes.c_void_p
    api.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    return int(api.PyCapsule_GetPointer(capsule, api.PyCapsule_GetName(capsule)) or 0)


def _address_in_cffi(pointer: Any) -> int:
    # only the module that made the pointer can cast it
    backend = __import__("_cffi_backend")
    word = backend.new_primitive_type("uintptr_t")
    return int(backend.cast(word, pointer))
