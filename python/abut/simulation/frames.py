"""Frames: the state of a simulation at a time, written to files; `io.frames` reads them.

The writers are callables that take the simulation, for `Simulation.every`.
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
from ..base.periods import repeats_along
from ..base.warnings import SimulationWarning, warn
from ..io import dump, save_table, vtp, writing
from ..io.facets import joined_corners
from ..io.npz import DEFORMATION, saved_period
from ..io.pvd import Collection
from ..search.half_space import HalfSpace
from .boxes import DumpBox, cell_outline, dump_box, placed

if TYPE_CHECKING:
    from .simulation import Simulation

_Pathlike = str | os.PathLike[str]

# name of the list of frames if the path begins with a field, as "{step}.vtp" does
_NO_NAME = "frames"


def write_frames(
    path: _Pathlike,
    contacts: bool = False,
    *,
    walls: bool = True,
    cell: bool = True,
    append: bool = False,
) -> FrameWriter:
    """Make a callable that writes a simulation's spheres to a file at each call.

    Parameters
    ----------
    path : str or path-like
        It has ``{step}`` or ``{time}``, or both, in the syntax of Python's `str.format`:
        ``"out/{step:08d}.vtp"``. Missing folders are created. It ends in one of

        - ``.vtp``, for ParaView: points with the columns ``radius``, ``id``, ``velocity``,
          ``angular_velocity``, ``force``, ``torque`` and ``material`` (indices of
          `Simulation.materials`). A list of all files and their times, ``out.pvd``, is updated with
          each frame; ParaView opens and plays it (filter Glyph, Sphere, scaled by ``radius``, with
          scale factor 2). The list has the name of the folder. If file names begin with a word,
          as in ``"out/run_{step}.vtp"``, the list has this name instead: ``out/run.pvd``;
        - ``.npz``, for NumPy: arrays with the names of the simulation's attributes, such as
          ``centers``, ``radii`` and ``ids``, ``time``, ``step_count``, and the walls' ``poses``
          (w, 4, 4). `read_spheres` reads it. Convex bodies are not written.

        Both formats hold the ``period``: (3,) lengths, 0 along axes that are not periodic, or the
        (3, 3) vectors of a cell. With a period they also hold the ``deformation`` (3, 3) of the
        cell. In vtp files both are field data. `read_frames` reads both formats, one frame after
        the other.

        With vtp, convex bodies go into files of their own: ``out/00000100-bodies.vtp``, which
        ``out-bodies.pvd`` lists, with the facets of all bodies, without rounding. The columns of
        a facet are ``body`` (its number), ``velocity``, ``angular_velocity``, ``force``,
        ``torque`` and ``material``. Bonds go into ``out/00000100-bonds.vtp``: lines from center to
        center with the columns of `Simulation.bonds`, where `i` and `j` are ids.
    contacts : bool, default False
        Also write the contacts and pairs of the last step, with their forces, into files of their
        own: ``out/00000100-contacts.vtp``, which ``out-contacts.pvd`` lists, and ``-pairs``. In vtp
        files a contact is a point, and a pair a line, as `Pairs.save` writes it.
        `load_contacts` and `load_pairs` read such npz files.
    walls : bool, default True
        With vtp, also write the walls in their places, with the number ``wall`` of each facet and
        the ``force`` at each vertex: ``out/00000100-walls.vtp`` and ``out-walls.pvd``. Half spaces
        are not drawn.
    cell : bool, default True
        With vtp and a period, also write the cell's outline, 12 lines: ``out/00000100-cell.vtp``
        and ``out-cell.pvd``. Column ``vector`` has the number of the vector along which a line is,
        and ``repeats`` is 1, or 0 where the world does not repeat along it. There the outline
        encloses particles and walls.
    append : bool, default False
        By default the first frame begins new lists. Files of an earlier run with the same names are
        overwritten; others stay, but are not listed. True continues the lists of an earlier run.
        The first frame replaces entries of its time and later. Use it after `load_simulation`.

    Returns
    -------
    callable
        For `Simulation.every`; takes the `Simulation`.

    Raises
    ------
    ValueError
        If the path has another ending or another field, or no field.
    OSError
        In a call, if a file cannot be written; the previous file is then unchanged.

    Notes
    -----
    A frame has centers and places of walls at the end of a step, velocities in its middle, and
    forces, contacts and pairs at its beginning.

    Examples
    --------
    >>> import abut
    >>> abut.write_frames("out/{step:08d}.vtp", contacts=True)
    write_frames('out/{step:08d}.vtp', contacts=True)
    """
    return FrameWriter(path, contacts, walls, cell, append)


def write_dump(
    path: _Pathlike, *, origin: ArrayLike = (0, 0, 0), append: bool = False
) -> DumpWriter:
    """Make a callable that writes a simulation's spheres to a LAMMPS dump at each call.

    OVITO opens such files; `read_spheres` and `read_frames` read them.

    Parameters
    ----------
    path : str or path-like
        All frames go into one file, or with ``{step}`` or ``{time}`` in the name into separate
        files. Missing folders are created.
    origin : (3,) array_like, default (0, 0, 0)
        Corner of the box along periodic vectors, where it is as long as these. Along other axes the
        box encloses the spheres and the walls; half spaces count only if their normal is along such
        an axis.
    append : bool, default False
        By default the first frame begins a new file. True continues the file of an earlier run: the
        first frame replaces the file's frames of the same step and of later ones. Use it after
        `load_simulation`.

    Returns
    -------
    callable
        For `Simulation.every`; takes the `Simulation`.

    Raises
    ------
    ValueError
        If the path has another field, or the origin is not finite. In a call, if the file to be
        continued is not a dump, or there are convex bodies and no spheres: `write_frames` writes
        bodies.
    OSError
        In a call, if the file cannot be written; it then ends with the previous frame.

    Warns
    -----
    SimulationWarning
        At the first frame that is rotated. In LAMMPS the first vector of a cell is along x, and the
        second in the plane of x and y. The cell is rotated to this form, and with it all positions,
        velocities, angular velocities and forces.

    Notes
    -----
    A tilted cell becomes a triclinic box, ``xy xz yz``. Its vectors are read back to rounding, and
    one of a left-handed cell with the opposite sign.

    The columns are ``id type x y z radius vx vy vz omegax omegay omegaz fx fy fz``; the type is the
    number of the material plus 1. Coordinates are the simulation's, which may be outside the box
    along periodic axes. Numbers are written with all digits, so they are read with the same bits.
    Convex bodies are not written.

    Examples
    --------
    >>> import abut
    >>> abut.write_dump("run.dump")
    write_dump('run.dump')
    """
    return DumpWriter(path, origin, append)


class FrameWriter:
    """The callable that `write_frames` returns."""

    def __init__(self, path: _Pathlike, contacts: bool, walls: bool, cell: bool, append: bool):
        self._names = _Names(path)
        if not self._names.has_fields:
            raise ValueError(
                f"{self._names.template} has neither {{step}} nor {{time}} in it: each frame would"
                " overwrite the one before"
            )
        self._options = {"contacts": contacts, "walls": walls, "cell": cell, "append": append}
        writers = _writers(self._names.template)
        self._parts = {part: write for part, write in writers.items() if self._wants(part)}
        self._lists: dict[str, Collection] = {}

    def _wants(self, part: str) -> bool:
        always = part in ("", _BODIES, _BONDS)
        return always or self._options[{_WALLS: "walls", _CELL: "cell"}.get(part, "contacts")]

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
        usual = {"contacts": False, "walls": True, "cell": True, "append": False}
        shown = (f", {name}={on}" for name, on in self._options.items() if on != usual[name])
        return f"write_frames({self._names.template!r}{''.join(shown)})"


class DumpWriter:
    """The callable that `write_dump` returns."""

    def __init__(self, path: _Pathlike, origin: ArrayLike, append: bool):
        self._names = _Names(path)
        self._origin, self._append = checks.vector(origin, "origin"), append
        self._last: Path | None = None
        self._has_warned = False

    def __call__(self, simulation: Simulation) -> None:
        _check_dumped(simulation)
        path = self._names.path_of(simulation)
        step, box = int(simulation.step_count), dump_box(simulation, self._origin)
        if box.rotation is not None and not self._has_warned:
            self._has_warned = True
            warn(_ROTATED.format(path=path), SimulationWarning)
        columns = _dump_columns(simulation, box)
        text = dump.frame_text(step, float(simulation.time), box.text, columns)
        if path == self._last:
            writing.append(path, text)
        else:
            _begin_dump(path, step, text, self._append)
        self._last = path

    def __repr__(self) -> str:
        return f"write_dump({self._names.template!r}{', append=True' if self._append else ''})"


_ROTATED = (
    "{path}: the cell and all positions, velocities, angular velocities and forces are rotated,"
    " since the first vector of a cell in LAMMPS is along x, and the second in the plane of x and y"
)


# ---- names of files ------------------------------------------------------------------------------


class _Names:
    """File names made from a path with the fields {step} and {time}."""

    def __init__(self, path: _Pathlike):
        self.template = os.fspath(path)
        if not isinstance(self.template, str):
            raise TypeError(f"path is {path!r}, but must be a string or a path")
        try:
            parts = list(Formatter().parse(self.template))
            self.template.format(step=0, time=0.0)
        except (KeyError, IndexError, AttributeError):
            raise ValueError(
                f"{self.template} has a field other than {{step}} and {{time}}"
            ) from None
        except ValueError as error:
            raise ValueError(f"{self.template}: {error}") from None
        self._beginning = parts[0][0] if parts else ""
        self.has_fields = any(field is not None for _, field, _, _ in parts)

    def path_of(self, simulation: Simulation) -> Path:
        """The file name of a frame; makes its folder."""
        named = self.template.format(step=int(simulation.step_count), time=float(simulation.time))
        path = Path(named)
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def common_path(self) -> Path:
        """The path up to the first field, without separators at its end.

        It is "out/run" for "out/run_{step}.vtp", and "out" for "out/{step}.vtp".
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
    vtp.save_points(path, simulation.centers, columns, _cell(simulation))


def _cell(simulation: Simulation) -> dict[str, NDArray[np.float64]]:
    """The period of a frame, and with one the deformation of the cell."""
    found = {"period": saved_period(simulation.period)}
    return found if simulation.period is None else found | {DEFORMATION: simulation.deformation}


def _spheres_to_npz(simulation: Simulation, path: Path) -> None:
    names = ("centers", "radii", "ids", "velocities", "angular_velocities", "forces", "torques")
    columns: dict[str, Any] = {name: getattr(simulation, name) for name in (*names, "material")}
    columns["poses"] = np.array([wall.pose for wall in simulation.walls]).reshape(-1, 4, 4)
    columns |= _cell(simulation)
    columns |= {"time": float(simulation.time), "step_count": int(simulation.step_count)}
    with writing.opened(path) as file:
        np.savez(file, **columns)


def _save_contacts(simulation: Simulation, path: Path) -> None:
    save_table(simulation.contacts, path, {})


def _save_pairs(simulation: Simulation, path: Path) -> None:
    save_table(simulation.pairs, path, {})


def _walls_to_vtp(simulation: Simulation, path: Path) -> None:
    """Write the facets of all walls in their places, as one mesh; half spaces have no facets."""
    walls = _walls_with_facets(simulation)
    places = [placed(wall) for wall in walls]
    counts = [len(wall.mesh) for wall in walls]
    vtp.save_polygons(
        path,
        np.concatenate(places),
        *joined_corners([wall.mesh for wall in walls]),
        {"force": np.concatenate([wall.nodal_forces for wall in walls])},
        {"wall": np.repeat([wall.number for wall in walls], counts)},
    )


def _walls_with_facets(simulation: Simulation) -> list[Any]:
    return [wall for wall in simulation.walls if not isinstance(wall.mesh, HalfSpace)]


def _bodies_to_vtp(simulation: Simulation, path: Path) -> None:
    """Write the facets of all bodies in their places, without rounding."""
    bodies = simulation.bodies
    shapes = [simulation.shapes[number] for number in bodies.shape]
    vertices = [shape.vertices for shape in shapes]
    counts = [len(points) for points in vertices]
    sized = np.concatenate(vertices) * np.repeat(bodies.scales, counts)[:, None]
    places = turned(np.repeat(bodies.orientations, counts, axis=0), sized)
    facets = [len(shape.normals) for shape in shapes]
    vtp.save_polygons(
        path,
        places + np.repeat(bodies.positions, counts, axis=0),
        *joined_corners(shapes),
        {},
        {
            name: np.repeat(column, facets, axis=0)
            for name, column in {
                "body": bodies.numbers,
                "velocity": bodies.velocities,
                "angular_velocity": bodies.angular_velocities,
                "force": bodies.forces,
                "torque": bodies.torques,
                "material": bodies.material,
            }.items()
        },
    )


def _bonds_to_vtp(simulation: Simulation, path: Path) -> None:
    """Write a line from center to center for each bond, with the columns of the bond."""
    bonds = simulation.bonds
    columns = bonds.to_dict()
    ids = simulation.ids
    columns |= {"i": ids[bonds.i], "j": ids[bonds.j], "contact": bonds.contact.astype(np.uint8)}
    vtp.save_lines(path, bonds.lines(simulation.centers), columns)


def _cell_to_vtp(simulation: Simulation, path: Path) -> None:
    """Write the edges of the periodic cell as lines, and of a box where it does not repeat."""
    outline = cell_outline(simulation)
    vectors = np.array(outline.repetitions())
    repeats = np.array([repeats_along(simulation.period, k) for k in range(3)], np.uint8)
    vtp.save_lines(path, outline.lines(), {"vector": vectors, "repeats": repeats[vectors]})


_WALLS, _BODIES, _BONDS, _CELL = "-walls", "-bodies", "-bonds", "-cell"
_TABLES = {"-contacts": _save_contacts, "-pairs": _save_pairs}


def _has(simulation: Simulation, part: str) -> bool:
    """Whether the simulation has anything to write into this part of a frame."""
    if part == _BODIES:
        return len(simulation.bodies.numbers) > 0
    if part == _BONDS:
        return len(simulation.bonds) > 0
    if part == _CELL:
        return simulation.period is not None
    return part != _WALLS or len(_walls_with_facets(simulation)) > 0


_Writers = dict[str, Callable[["Simulation", Path], None]]
_WRITERS: dict[str, _Writers] = {
    ".vtp": {
        "": _spheres_to_vtp,
        **_TABLES,
        _WALLS: _walls_to_vtp,
        _BODIES: _bodies_to_vtp,
        _BONDS: _bonds_to_vtp,
        _CELL: _cell_to_vtp,
    },
    ".npz": {"": _spheres_to_npz, **_TABLES},
}


def _writers(template: str) -> _Writers:
    """The functions that write the parts of a frame, by the suffixes of their file names."""
    ending = Path(template).suffix.lower()
    if ending not in _WRITERS:
        known = " or ".join(_WRITERS)
        raise ValueError(f"{template} ends in {ending or 'nothing'!r}, but must end in {known}")
    return _WRITERS[ending]


# ---- dumps ---------------------------------------------------------------------------------------


def _check_dumped(simulation: Simulation) -> None:
    # without spheres there is no error if an insertion may still add some
    if not len(simulation.ids) and len(simulation.bodies.numbers) and not simulation._known.feeds:
        raise ValueError(
            "the simulation has bodies and no spheres, but a dump holds spheres only:"
            ' use abut.write_frames("out/{step}.vtp")'
        )


def _begin_dump(path: Path, step: int, text: bytes, append: bool) -> None:
    """Write a frame into a new file, or with `append` after frames of earlier steps."""
    if append and path.exists() and path.stat().st_size:
        if not dump.is_dump(path):
            raise ValueError(f"{path} is not a LAMMPS dump, which append=True could continue")
        writing.replace_end(path, dump.find_step(path, step), text)
        return
    with writing.opened(path) as file:
        file.write(text)


def _dump_columns(simulation: Simulation, box: DumpBox) -> dict[str, NDArray[Any]]:
    vectors = {
        "x y z": simulation.centers,
        "vx vy vz": simulation.velocities,
        "omegax omegay omegaz": simulation.angular_velocities,
        "fx fy fz": simulation.forces,
    }
    flat = {
        name: array[:, axis]
        for names, array in ((names, box.turned(array)) for names, array in vectors.items())
        for axis, name in enumerate(names.split())
    }
    first = {"id": simulation.ids, "type": simulation.material + 1}
    places = {name: flat.pop(name) for name in "xyz"}
    return first | places | {"radius": simulation.radii} | flat
