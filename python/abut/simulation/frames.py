"""Frames: what a simulation is at a time, written to files while it runs; `io.frames` reads them.

What writes them is called with the simulation, by `Simulation.every` or by anyone, and uses what
everybody sees of it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from string import Formatter
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.orientations import turned
from ..base.poses import lengths_of, rotated
from ..io import dump, save_table, vtp, writing
from ..io.facets import joined_corners
from ..io.pvd import Collection
from ..search.half_space import HalfSpace

if TYPE_CHECKING:
    from .simulation import Simulation

_Pathlike = str | os.PathLike[str]

_FIELDS = ("step", "time")

# of files whose names begin with a field and that lie in no folder of their own
_NO_NAME = "frames"


def write_frames(
    path: _Pathlike, contacts: bool = False, *, walls: bool = True, append: bool = False
) -> FrameWriter:
    """Make what writes a simulation's spheres to a file each time that it is called.

    Parameters
    ----------
    path : str or path-like
        With ``{step}`` or ``{time}``, or both, and what Python's `str.format` takes:
        ``"out/{step:08d}.vtp"``. Folders are made. It ends in one of

        - ``.vtp``, for ParaView: points with the columns ``radius``, ``id``, ``velocity``,
          ``angular_velocity``, ``force``, ``torque`` and ``material`` (numbers into
          `Simulation.materials`). Beside them a list of all files and their times, ``out.pvd``, is
          up to date after each frame: ParaView opens and plays it (filter Glyph, Sphere, scaled by
          ``radius``, with scale factor 2). It is named after the folder, or where names begin with
          a word, as in ``"out/run_{step}.vtp"``, lies in the folder and is named after this:
          ``out/run.pvd``;
        - ``.npz``, for NumPy: ``centers``, ``radii``, ``ids`` and so on, as the simulation's
          attributes are called, ``time``, ``step_count``, and the walls' ``poses`` (w, 4, 4).
          `read_spheres` reads it. Bodies are in none.

        Both hold the ``period`` (3,), 0 along axes that are not periodic; in vtp files it is field
        data. `read_frames` reads both, one frame after the other.

        Convex bodies go into files of their own beside those of vtp: ``out/00000100-bodies.vtp``,
        listed by ``out-bodies.pvd``, with the polygons of all bodies, without their rounding, and
        of each polygon its ``body``'s number, ``velocity``, ``angular_velocity``, ``force``,
        ``torque`` and ``material``. Bonds likewise, as lines from center to center with the columns
        of `Simulation.bonds`, `i` and `j` being ids: ``out/00000100-bonds.vtp``.
    contacts : bool, default False
        Also write the contacts and pairs of the last step, with their forces, into further files
        of their own: ``out/00000100-contacts.vtp``, which ``out-contacts.pvd`` lists, and
        ``-pairs``. Of npz `load_contacts` and `load_pairs` read them.
    walls : bool, default True
        Of vtp, also write where the walls are, with the ``wall``'s number of each facet and the
        ``force`` at each vertex: ``out/00000100-walls.vtp`` and ``out-walls.pvd``. Nothing without
        meshes: half spaces are not drawn.
    append : bool, default False
        By default the first frame begins new lists: files of an earlier run that have the same
        names are written over, others stay where they are, but are listed no more. True goes on
        with the lists that are there, but for entries of the first frame's time and later ones: for
        a run that was loaded from a file.

    Returns
    -------
    callable
        For `Simulation.every`; takes the `Simulation`.

    Raises
    ------
    ValueError
        If the path has another ending, another field, or none.
    OSError
        When it is called, if a file cannot be written; what was there then stays as it was.

    Notes
    -----
    Centers and walls' places are those after a step, velocities those of its middle; forces,
    contacts and pairs those of its beginning.

    Examples
    --------
    >>> import abut
    >>> abut.write_frames("out/{step:08d}.vtp", contacts=True)
    write_frames('out/{step:08d}.vtp', contacts=True)
    """
    return FrameWriter(path, contacts, walls, append)


def write_dump(
    path: _Pathlike, *, origin: ArrayLike = (0, 0, 0), append: bool = False
) -> DumpWriter:
    """Make what writes a simulation's spheres as LAMMPS dumps them each time that it is called.

    OVITO opens such files; `read_spheres` and `read_frames` read them.

    Parameters
    ----------
    path : str or path-like
        All frames go into one file, one after the other; with ``{step}`` or ``{time}`` in it into
        as many as there are names. Folders are made.
    origin : (3,) array_like, default (0, 0, 0)
        Along periodic axes the box that is told begins there and is a period long; along others it
        is as wide as the spheres and the walls; of half spaces those count that are perpendicular
        to an axis.
    append : bool, default False
        By default the first frame begins a new file. True goes on with the one that is there, but
        for its frames of that step and later ones: for a run that was loaded from a file.

    Returns
    -------
    callable
        As of `write_frames`.

    Raises
    ------
    ValueError
        If the path has another field, or the origin is not finite; when it is called, if a file to
        go on with is no dump, or there are bodies and no spheres: `write_frames` writes bodies.
    OSError
        When it is called, if the file cannot be written: then it ends with the frame before.

    Notes
    -----
    The columns are ``id type x y z radius vx vy vz omegax omegay omegaz fx fy fz``; the type is the
    number of the material and 1. Coordinates are the simulation's, which may be outside the box
    along periodic axes. Numbers have as many digits as give them back to the bit. Bodies are in no
    dump.

    Examples
    --------
    >>> import abut
    >>> abut.write_dump("run.dump")
    write_dump('run.dump')
    """
    return DumpWriter(path, origin, append)


class FrameWriter:
    """What `write_frames` returns."""

    def __init__(self, path: _Pathlike, contacts: bool, walls: bool, append: bool):
        self._names = _Names(path)
        if not self._names.has_fields:
            raise ValueError(
                f"{self._names.template} has neither {{step}} nor {{time}} in it: each frame would"
                " be written over the one before"
            )
        self._options = {"contacts": contacts, "walls": walls, "append": append}
        writers = _writers(self._names.template)
        self._parts = {part: write for part, write in writers.items() if self._wants(part)}
        self._lists: dict[str, Collection] = {}

    def _wants(self, part: str) -> bool:
        always = part in ("", _BODIES, _BONDS)
        return always or self._options["walls" if part == _WALLS else "contacts"]

    def __call__(self, simulation: Simulation) -> None:
        path = self._names.path_of(simulation)
        for part, write in self._parts.items():
            if not _has(simulation, part):
                continue
            file = path.with_name(f"{path.stem}{part}{path.suffix}")
            write(simulation, file)
            if file.suffix.lower() == ".vtp":
                self._list_of(part).add(float(simulation.time), file)

    def _list_of(self, part: str) -> Collection:
        if part not in self._lists:
            path = self._names.common_path()
            path = path.with_name(f"{path.name}{part}.pvd")
            self._lists[part] = Collection(path, self._options["append"])
        return self._lists[part]

    def __repr__(self) -> str:
        usual = {"contacts": False, "walls": True, "append": False}
        shown = (f", {name}={on}" for name, on in self._options.items() if on != usual[name])
        return f"write_frames({self._names.template!r}{''.join(shown)})"


class DumpWriter:
    """What `write_dump` returns."""

    def __init__(self, path: _Pathlike, origin: ArrayLike, append: bool):
        self._names = _Names(path)
        self._origin, self._append = checks.vector(origin, "origin"), append
        self._last: Path | None = None

    def __call__(self, simulation: Simulation) -> None:
        _check_dumped(simulation)
        path = self._names.path_of(simulation)
        step = int(simulation.step_count)
        text = dump.frame_text(
            step,
            float(simulation.time),
            *_box(simulation, self._origin),
            _dump_columns(simulation),
        )
        if path == self._last:
            writing.append(path, text)
        else:
            _begin_dump(path, step, text, self._append)
        self._last = path

    def __repr__(self) -> str:
        return f"write_dump({self._names.template!r}{', append=True' if self._append else ''})"


# ---- names of files ------------------------------------------------------------------------------


class _Names:
    """A path with fields."""

    def __init__(self, path: _Pathlike):
        self.template = os.fspath(path)
        if not isinstance(self.template, str):
            raise TypeError(f"path is {path!r}, but must be a string or a path")
        try:
            parts = list(Formatter().parse(self.template))
            self.template.format(step=0, time=0.0)
        except (KeyError, IndexError, AttributeError):
            raise ValueError(
                f"{self.template} has another field than {{step}} and {{time}} in it"
            ) from None
        except ValueError as error:
            raise ValueError(f"{self.template}: {error}") from None
        self._beginning = parts[0][0] if parts else ""
        self.has_fields = any(field is not None for _, field, _, _ in parts)

    def path_of(self, simulation: Simulation) -> Path:
        """The file of a frame, whose folder is there."""
        named = self.template.format(step=int(simulation.step_count), time=float(simulation.time))
        path = Path(named)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def common_path(self) -> Path:
        """What the names of all frames begin with, without what only parts words; or their folder.

        "out/run" of "out/run_{step}.vtp", and "out" of "out/{step}.vtp".
        """
        path = Path(self._beginning.rstrip("_-. "))
        return path if path.name else path / _NO_NAME


# ---- what a frame holds --------------------------------------------------------------------------


def _spheres_to_vtp(simulation: Simulation, path: Path) -> None:
    columns = {
        "radius": simulation.radii,
        "id": simulation.ids,
        "velocity": simulation.velocities,
        "angular_velocity": simulation.angular_velocities,
        "force": simulation.forces,
        "torque": simulation.torques,
        "material": simulation.material,
    }
    period = lengths_of(simulation.period)
    vtp.save_points(path, simulation.centers, columns, {"period": period})


def _spheres_to_npz(simulation: Simulation, path: Path) -> None:
    names = ("centers", "radii", "ids", "velocities", "angular_velocities", "forces", "torques")
    columns: dict[str, Any] = {name: getattr(simulation, name) for name in (*names, "material")}
    columns["poses"] = np.array([wall.pose for wall in simulation.walls]).reshape(-1, 4, 4)
    columns["period"] = lengths_of(simulation.period)
    columns |= {"time": float(simulation.time), "step_count": int(simulation.step_count)}
    with writing.opened(path) as file:
        np.savez(file, **columns)


def _save_contacts(simulation: Simulation, path: Path) -> None:
    save_table(simulation.contacts, path, {})


def _save_pairs(simulation: Simulation, path: Path) -> None:
    save_table(simulation.pairs, path, {})


def _walls_to_vtp(simulation: Simulation, path: Path) -> None:
    """All facets in their places, as one mesh; half spaces have none."""
    walls = _walls_with_facets(simulation)
    places = [_placed(wall) for wall in walls]
    counts = [len(wall.mesh) for wall in walls]
    vtp.save_polygons(
        path,
        np.concatenate(places),
        *joined_corners([wall.mesh for wall in walls]),
        {"force": np.concatenate([wall.nodal_forces for wall in walls])},
        {"wall": np.repeat([wall.number for wall in walls], counts)},
    )


def _placed(wall: Any) -> NDArray[np.float64]:
    """The vertices of a wall where it is."""
    places: NDArray[np.float64] = rotated(wall.mesh.vertices, wall.pose[:3, :3])
    return places + wall.pose[:3, 3]


def _walls_with_facets(simulation: Simulation) -> list[Any]:
    return [wall for wall in simulation.walls if not isinstance(wall.mesh, HalfSpace)]


def _bodies_to_vtp(simulation: Simulation, path: Path) -> None:
    """All facets of the bodies in their places, without their rounding."""
    of = simulation.bodies
    shapes = [simulation.shapes[number] for number in of.shape]
    vertices = [shape.vertices for shape in shapes]
    counts = [len(of_shape) for of_shape in vertices]
    sized = np.concatenate(vertices) * np.repeat(of.scales, counts)[:, None]
    places = turned(np.repeat(of.orientations, counts, axis=0), sized)
    facets = [len(shape.normals) for shape in shapes]
    vtp.save_polygons(
        path,
        places + np.repeat(of.positions, counts, axis=0),
        *joined_corners(shapes),
        {},
        {
            name: np.repeat(column, facets, axis=0)
            for name, column in {
                "body": of.numbers,
                "velocity": of.velocities,
                "angular_velocity": of.angular_velocities,
                "force": of.forces,
                "torque": of.torques,
                "material": of.material,
            }.items()
        },
    )


def _bonds_to_vtp(simulation: Simulation, path: Path) -> None:
    """A line from center to center of each, with what it exerted."""
    of = simulation.bonds
    columns = of.to_dict()
    ids = simulation.ids
    columns |= {"i": ids[of.i], "j": ids[of.j], "contact": of.contact.astype(np.uint8)}
    vtp.save_lines(path, of.lines(simulation.centers), columns)


_WALLS, _BODIES, _BONDS = "-walls", "-bodies", "-bonds"
_TABLES = {"-contacts": _save_contacts, "-pairs": _save_pairs}


def _has(simulation: Simulation, part: str) -> bool:
    """Whether there is anything to write."""
    if part == _BODIES:
        return len(simulation.bodies.numbers) > 0
    if part == _BONDS:
        return len(simulation.bonds) > 0
    return part != _WALLS or len(_walls_with_facets(simulation)) > 0


_Writers = dict[str, Callable[["Simulation", Path], None]]
_WRITERS: dict[str, _Writers] = {
    ".vtp": {
        "": _spheres_to_vtp,
        **_TABLES,
        _WALLS: _walls_to_vtp,
        _BODIES: _bodies_to_vtp,
        _BONDS: _bonds_to_vtp,
    },
    ".npz": {"": _spheres_to_npz, **_TABLES},
}


def _writers(template: str) -> _Writers:
    """What writes the parts of a frame, by what their files' names end in."""
    ending = Path(template).suffix.lower()
    if ending not in _WRITERS:
        known = " or ".join(_WRITERS)
        raise ValueError(f"{template} ends in {ending or 'nothing'!r}, but must end in {known}")
    return _WRITERS[ending]


# ---- dumps ---------------------------------------------------------------------------------------


def _check_dumped(simulation: Simulation) -> None:
    # where an insertion waits, spheres are still to come
    if not len(simulation.ids) and len(simulation.bodies.numbers) and not simulation._known.feeds:
        raise ValueError(
            "there are bodies and no spheres, but dumps hold spheres alone:"
            ' abut.write_frames("out/{step}.vtp") writes bodies'
        )


def _begin_dump(path: Path, step: int, text: bytes, append: bool) -> None:
    """Write a frame as the first one, or behind those of earlier steps."""
    if append and path.exists() and path.stat().st_size:
        if not dump.is_dump(path):
            raise ValueError(f"{path} is no dump to go on with")
        writing.replace_end(path, dump.find_step(path, step), text)
        return
    with writing.opened(path) as file:
        file.write(text)


def _box(
    simulation: Simulation, origin: tuple[float, float, float]
) -> tuple[NDArray[np.float64], list[bool]]:
    """Lower and upper corner (2, 3), and along which axes it is periodic."""
    centers, reach = simulation.centers, simulation.radii[:, None]
    walls = (_points_of(wall) for wall in simulation.walls)
    inside = np.concatenate([centers - reach, centers + reach, *walls])
    # fmin and fmax pass over NaN; where there is nothing else, the box is at 0
    ends = [end.reduce(inside, 0, initial=np.nan) for end in (np.fmin, np.fmax)]
    bounds = np.where(np.isnan(ends), 0.0, ends)
    period = simulation.period or (None, None, None)
    for axis, length in enumerate(period):
        if length is not None:
            bounds[:, axis] = origin[axis], origin[axis] + length
    return bounds, [length is not None for length in period]


def _points_of(wall: Any) -> NDArray[np.float64]:
    """What of a wall is to be in the box: of a plane across an axis where it is there, else NaN."""
    if not isinstance(wall.mesh, HalfSpace):
        return _placed(wall)
    point = rotated(np.array([wall.mesh.point]), wall.pose[:3, :3]) + wall.pose[:3, 3]
    normal = rotated(np.array([wall.mesh.normal]), wall.pose[:3, :3])
    is_across = (normal != 0.0) & (np.count_nonzero(normal) == 1)
    return np.where(is_across, point, np.nan)


def _dump_columns(simulation: Simulation) -> dict[str, NDArray[Any]]:
    vectors = {
        "x y z": simulation.centers,
        "vx vy vz": simulation.velocities,
        "omegax omegay omegaz": simulation.angular_velocities,
        "fx fy fz": simulation.forces,
    }
    flat = {
        name: array[:, axis]
        for names, array in vectors.items()
        for axis, name in enumerate(names.split())
    }
    first = {"id": simulation.ids, "type": simulation.material + 1}
    places = {name: flat.pop(name) for name in "xyz"}
    return first | places | {"radius": simulation.radii} | flat
