"""The search for contacts or pairs in one frame."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..search.finder import ContactFinder
from ..search.mesh import Mesh
from ..search.pair_finder import find_pairs
from .parcels import Parcel, finder_of

if TYPE_CHECKING:
    pass


class ContactSearch(NamedTuple):
    options: dict[str, Any]

    def check(self, parcel: Parcel) -> None:
        """Raise if an option would be an error in every frame."""
        _check_names(self.options, ContactFinder.find, "ContactFinder.find")
        known = {k: v for k, v in self.options.items() if k != "poses" or not callable(v)}
        _checking_finder(parcel, known).find(np.empty((0, 3)), np.empty(0), **known)

    def __call__(self, frame: Any, parcel: Parcel) -> Any:
        options = {**_frame_options(frame), **self.options}
        if callable(options.get("poses")):
            options["poses"] = options["poses"](frame)
        return finder_of(parcel).find(frame.centers, frame.radii, **options)


def _checking_finder(parcel: Parcel, options: dict[str, Any]) -> ContactFinder:
    """Return a small finder that raises the same errors for options as the meshes' finder."""
    if str(options.get("weights")) == "zhong":  # an error for facets with too many corners
        return finder_of(parcel)
    triangle = Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    return ContactFinder([triangle] * len(parcel.meshes()))


class PairSearch(NamedTuple):
    options: dict[str, Any]

    def check(self) -> None:
        """Raise if an option would be an error in every frame."""
        _check_names(self.options, find_pairs, "find_pairs")
        if np.ndim(self.options.get("gap", 0.0)) == 0:  # an array needs the number of spheres
            find_pairs(np.empty((0, 3)), np.empty(0), **self.options)

    def __call__(self, frame: Any, parcel: None) -> Any:
        return find_pairs(frame.centers, frame.radii, **{**_frame_options(frame), **self.options})


def _check_names(options: dict[str, Any], function: Callable[..., Any], title: str) -> None:
    """Raise if an option is unknown, here and not in a worker for each frame."""
    parameters = inspect.signature(function).parameters.values()
    known = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
    for name in options:
        if name not in known:
            raise TypeError(f"{name!r} is not an option: {title} has {', '.join(known)}")


def _frame_options(frame: Any) -> dict[str, Any]:
    """Return the options that a frame determines if the caller does not give them."""
    return {"period": getattr(frame, "period", None)}
