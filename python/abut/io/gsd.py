"""GSD files of HOOMD-blue, read by the package ``gsd``.

Its schema: https://gsd.readthedocs.io/en/stable/schema-hoomd.html
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.extras import import_extra
from .boxes import Box
from .errors import errors_naming
from .frame import Frame
from .rows import Place
from .series import joined_spheres
from .spheres import Given, Radius, Spheres, from_arrays, given_radii

ENDING = ".gsd"

# The quantities of particles in the schema, which files may leave out for default values.
_COLUMNS = (
    *("position", "orientation", "typeid", "mass", "charge", "diameter", "body"),
    *("moment_inertia", "velocity", "angmom", "image"),
)


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open a file and return its frames."""
    with open(path, "rb"):
        pass  # raises an OSError that names the path if there is no such file
    hoomd = import_extra("gsd.hoomd", "gsd")
    try:
        with hoomd.open(str(path), "r") as frames:
            yield frames
    except (ImportError, MemoryError, OSError, ValueError):
        raise
    # The package raises errors of any type for broken files.
    except Exception as error:
        raise ValueError(f"it is broken, or was cut off: {error}") from error


def read_spheres(path: Path, frame: int | str, given: Given) -> Spheres:
    """Read the spheres of one frame or of all frames, as `series.read_spheres` does."""
    radius = _radius_of(given)
    with _opened(path) as frames:
        if isinstance(frame, str):
            parts = [_spheres_of(one, radius) for one in frames]
            numbers = [np.full(len(one.radii), k, np.intp) for k, one in enumerate(parts)]
            return joined_spheres(
                [one._replace(frame=k) for one, k in zip(parts, numbers, strict=True)]
            )
        if not -len(frames) <= frame < len(frames):
            raise ValueError(f"there are {len(frames)} frames, but no frame {frame}")
        return _spheres_of(frames[frame], radius)


def find_places(path: Path, drop: bool) -> list[Place]:
    """Return the places of all frames; a file that cannot be read counts as one frame.

    drop: not used, since a file only lists frames that are whole.
    """
    with errors_naming(path), _opened(path) as frames:
        return [Place(number, 0, number) for number in range(len(frames))]


def read_frames(path: Path, names: Sequence[str], drop: bool, given: Given) -> Iterator[Frame]:
    """Read all frames of a file, one after the other, with the further columns `names`."""
    with errors_naming(path), _opened(path) as frames:
        for number in range(len(frames)):
            yield _frame_of(frames[number], number, names, _radius_of(given))


def read_places(
    path: Path, names: Sequence[str], places: Iterable[Place], given: Given
) -> Iterator[Frame]:
    """Read the frames at these places, in this order."""
    with errors_naming(path), _opened(path) as frames:
        for place in places:
            if place.number >= len(frames):
                number = place.number
                raise ValueError(f"frame {number} is no longer there: the file has changed")
            yield _frame_of(frames[place.number], place.number, names, _radius_of(given))


def read_column_names(path: Path) -> list[str]:
    """Read the names of quantities that have one entry for each particle, with logged ones."""
    with _opened(path) as frames:
        return list(_columns_of(frames[0])) if len(frames) else []


def _radius_of(given: Given) -> Radius:
    if given.called:
        raise ValueError("leave out columns=, since the names in gsd files are always the same")
    return given.radius


def _frame_of(frame: Any, number: int, names: Sequence[str], radius: Radius) -> Frame:
    try:
        spheres, box = _spheres_of(frame, radius), _box_of(frame)
        columns = _columns_of(frame)
        for name in names:
            if name not in columns:
                there = ", ".join(columns)
                raise ValueError(f"there is no column {name}; the columns are {there}")
        return Frame(
            *spheres[:3],
            step=int(frame.configuration.step),
            period=box.period(),
            origin=box.origin,
            columns={name: columns[name] for name in names},
        )
    except ValueError as error:
        raise ValueError(f"frame {number}: {error}") from None


def _spheres_of(frame: Any, radius: Radius) -> Spheres:
    particles = frame.particles
    centers = np.asarray(particles.position, np.float64).reshape(-1, 3)
    if radius is None:
        return from_arrays(centers, np.asarray(particles.diameter, np.float64) / 2.0)
    return from_arrays(centers, given_radii(radius, np.asarray(particles.typeid)))


def _columns_of(frame: Any) -> dict[str, NDArray]:
    count = int(frame.particles.N)
    found = {name: np.asarray(getattr(frame.particles, name)) for name in _COLUMNS}
    for name, values in vars(frame)["log"].items():
        if name.startswith("particles/") and len(values) == count:
            found[name] = np.asarray(values)
    return found


def _box_of(frame: Any) -> Box:
    """Return the box, which is around 0; a flat one repeats in the plane alone.

    Tilt factors are ratios: the second edge is (xy Ly, Ly, 0), the third (xz Lz, yz Lz, Lz).
    """
    x, y, z, xy, xz, yz = np.asarray(frame.configuration.box, np.float64).tolist()
    edges = np.array([[x, 0.0, 0.0], [xy * y, y, 0.0], [xz * z, yz * z, z]])
    is_flat = int(frame.configuration.dimensions) == 2
    return Box(-edges.sum(axis=0) / 2, edges, (True, True, not is_flat))
