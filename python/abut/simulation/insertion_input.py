"""Arguments of insertions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ..base import checks
from ..base.arrays import Indices
from .grains import Grains

# axis and sign of the directions in which grains come in through a face
DIRECTIONS = {sign + name: (axis, sign) for axis, name in enumerate("xyz") for sign in ("", "-")}


def read_optional(value: object, name: str) -> float | None:
    return None if value is None else checks.positive(value, name)


def read_seed(value: object) -> int:
    seed = checks.whole(value, "seed")
    if seed < 0:
        raise ValueError(f"seed is {seed}, but must be 0 or positive")
    return seed


def read_direction(value: object) -> str | None:
    if value is not None:
        checks.choice(value, "direction", DIRECTIONS)
    return value  # type: ignore[return-value]


def read_box(value: object, across: Indices) -> checks.Box:
    """Read two corners, of a box that may be flat along the axis that is not in `across`."""
    corners = checks.doubles(value, "box")
    if len(across) == 3 and corners.shape == (2, 3) and (corners[0] == corners[1]).sum() == 1:
        along = "xyz"[int((corners[0] == corners[1]).argmax())]
        raise ValueError(
            f'box is flat along {along}, which only a stream may be: give direction="{along}" or'
            f' "-{along}", or a higher box'
        )
    if len(across) == 3 or corners.shape != (2, 3):
        return checks.box(corners, "box")
    axis = 3 - int(across.sum())
    wide = corners.copy()
    wide[1, axis] += wide[0, axis] == wide[1, axis]
    low, high = checks.box(wide, "box")
    return low, (*high[:axis], float(corners[1, axis]), *high[axis + 1 :])  # type: ignore[return-value]


def read_velocity(value: object) -> Any:
    """Read a velocity, or the lowest and the highest components, as tuples."""
    if value is None:
        return None
    velocity = checks.doubles(value, "velocity")
    if velocity.shape == (3,):
        return checks.vector(velocity, "velocity")
    if velocity.shape != (2, 3):
        raise ValueError(
            f"velocity has shape {velocity.shape}, but must be (3,), or (2, 3): the lowest and the"
            " highest components"
        )
    low, high = (checks.vector(row, f"velocity[{k}]") for k, row in enumerate(velocity))
    for axis, along in enumerate("xyz"):
        if low[axis] > high[axis]:
            raise ValueError(
                f"velocity goes from {low[axis]:g} to {high[axis]:g} along {along}, but the lowest"
                " components come first"
            )
    return low, high


def read_mix(value: Any) -> tuple[Grains, ...]:
    if isinstance(value, Mapping) or not isinstance(value, Sequence):
        kind = checks.a_or_an(type(value).__name__)
        raise TypeError(f"mix is {kind}, but must be a list of one or more dicts")
    if not value:
        raise ValueError("mix is empty, but must be a list of one or more dicts")
    return tuple(_read_kind(one, f"mix[{k}]") for k, one in enumerate(value))


def _read_kind(value: Any, name: str) -> Grains:
    """Read one kind of grain of a mixture; errors begin with `name`."""
    if isinstance(value, Grains):
        return value
    if not isinstance(value, Mapping):
        kind = checks.a_or_an(type(value).__name__)
        raise TypeError(f"{name} is {kind}, but must be a dict")
    words = ("share", "radii", "material", "cluster", "shape")
    for word in value:
        if word not in words:
            raise ValueError(f"{name} has {word!r}, but its keys are {', '.join(words)}")
    for word in ("share", "material"):
        if word not in value:
            raise ValueError(f"{name} has no {word!r}")
    try:
        return Grains(**{"radii": None} | dict(value))
    except (ValueError, TypeError) as error:
        raise type(error)(f"{name}: {error}") from None
