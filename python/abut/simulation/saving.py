"""Restart files: how `Simulation.save` writes them."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.periods import is_array, vectors_of
from ..base.values import Value
from ..io import writing
from ..laws.law_table import Law
from ..laws.user_law_files import to_stored
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from .cell_contents import cell_of
from .convex_bodies import stored_shape
from .deforming import Deforming
from .drives import numbers
from .python_side import Bounds
from .restart_file import (
    CARRIED,
    FORMAT,
    HISTORY,
    MEETINGS,
    WALL_STATE,
    check_readable,
)
from .schedule import Feed
from .simulation import Simulation
from .wall_entries import WallEntry

if TYPE_CHECKING:
    from ..results.table import Table

_Arrays = Mapping[str, NDArray[Any]]


def save(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """Write a simulation as `Simulation.save` does."""
    file = Path(path)
    if file.suffix.lower() != ".npz":
        raise ValueError(f"{file} must end in .npz: a simulation is written as a NumPy archive")
    _check_names(simulation)
    arrays = arrays_of(simulation)
    setup = json.dumps(setup_of(simulation)).encode()
    try:
        check_readable(arrays, setup, simulation._walls)
    except ValueError as error:
        raise RuntimeError(
            f"{file} was not written, because it could not be read again: {error}. This is an error"
            " in abut: please report it with the script that led to it"
        ) from error
    with writing.opened(file) as stream:
        np.savez(
            stream,
            abut_simulation=FORMAT,
            setup=np.frombuffer(setup, np.uint8),
            **arrays,  # type: ignore[arg-type]
        )


def _check_names(simulation: Simulation) -> None:
    """Raise a ValueError if functions for the radii of insertions differ, but not their names."""
    known: dict[str, Any] = {}
    for feed in simulation._known.feeds:
        for name, function in feed.insertion.own_sizes:
            if known.setdefault(name, function) is not function:
                raise ValueError(
                    f"two functions for radii of insertions have the name {name}, by which a file"
                    " names them: rename one"
                )


def _deforming(simulation: Simulation) -> list[Deforming]:
    """States, after the last step, of the walls that deform."""
    found = (entry.deforming for entry in simulation._walls.entries)
    return [one.at(simulation.step_count) for one in found if one is not None]


def _has_deformed(simulation: Simulation) -> bool:
    """Whether the periodic cell has ever deformed, or deforms from now on."""
    cell = cell_of(simulation)
    is_as_given = np.array_equal(cell["vectors"], vectors_of(simulation._period))
    is_counted = not np.array_equal(cell["deformation"], np.eye(3))
    return not is_as_given or is_counted or bool(cell["deforms"] or cell["has_moved"])


def _has_bonds(simulation: Simulation) -> bool:
    """Whether the simulation has bonds, or had bonds before."""
    return any(simulation._core.counts()[4:])


def _has_bodies(simulation: Simulation) -> bool:
    """Whether the simulation has convex bodies, or had bodies before."""
    return bool(simulation.shapes)


def setup_of(simulation: Simulation) -> dict[str, Any]:
    """The part of a restart file that is stored as JSON: all but arrays and callables."""
    laws, period = simulation._laws, simulation._period
    return {
        "step": simulation.step,
        "gravity": simulation.gravity.tolist(),
        "period": period.tolist() if is_array(period) else period,
        "resolution": simulation.resolution,
        "workers": simulation._workers,
        "step_count": simulation.step_count,
        "order_step": simulation._core.order()[1],
        "beats": simulation._known.beats,
        "terms": simulation._core.terms().tolist(),
        "bounds": _bounds_setup(simulation),
        "next_id": simulation._settled().next_id,
        "next_cluster": simulation._settled().next_cluster,
        "next_body": simulation._settled().next_body,
        "force_count": len(simulation._forces),
        "body_force_count": len(simulation._body_forces),
        "shapes": [stored_shape(shape) for shape in simulation.shapes],
        "materials": [material.to_dict() for material in laws.materials],
        "laws": [[a, b, _law_setup(law)] for (a, b), law in laws.laws.items()],
        "kept": laws.names,
        "walls": [_wall_setup(entry) for entry in simulation._walls.entries],
        "feeds": [_feed_setup(feed) for feed in simulation._known.feeds],
        "said": sorted(simulation._watch.warned),
    }


def _bounds_setup(simulation: Simulation) -> dict[str, Any] | None:
    bounds = simulation._known.bounds
    if bounds == Bounds():
        return None
    return {"corners": bounds.corners, "on_leave": bounds.on_leave, "left": simulation.left}


def _law_setup(law: Law) -> dict[str, Any]:
    return law.to_dict() if isinstance(law, Value) else to_stored(law)


def _wall_setup(entry: WallEntry) -> dict[str, Any]:
    motion = entry.motion
    mesh = entry.mesh
    return {
        "mesh": mesh.to_dict() if isinstance(mesh, HalfSpace) else digest(mesh),
        "material": entry.material,
        "start": entry.start,
        "pose": entry.pose.tolist(),
        "is_given": entry.is_given or entry.is_asked,
        "motion": motion.to_dict() if isinstance(motion, Value) and not entry.is_asked else None,
        **({"is_asked": True} if entry.is_asked else {}),
        **({} if entry.deforming is None else {"deformed": entry.deforming.step_count}),
        **({} if entry.is_active else {"is_active": False, "is_gone": entry.is_gone}),
    }


def _feed_setup(feed: Feed) -> dict[str, Any]:
    return {
        "insertion": feed.insertion.to_dict(),
        "state": feed.state.to_dict(),
        "start": feed.start,
        "until": feed.until,
        "seen": feed.seen,
        "full_since": feed.full_since,
    }


def digest(mesh: Mesh) -> str:
    """A hash of the vertices and facets. Meshes with equal hashes give equal contacts."""
    found = hashlib.sha256()
    for array in (mesh.vertices, mesh.indices, mesh.offsets):
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def arrays_of(simulation: Simulation) -> dict[str, NDArray[Any]]:
    core, walls = simulation._core, simulation._walls
    states = [core.wall(number) for number in range(len(walls.order))]
    arrays = {
        "ids": simulation.ids,
        "cluster_numbers": simulation._settled().clusters,
        "frames": simulation._settled().frames,
        "account": core.account(),
        "walls": np.array(states).reshape(-1, WALL_STATE),
    }
    arrays |= _under("spheres", core.read(_core.SPHERES))
    arrays["spheres.order"] = core.order()[0]
    arrays |= _under("clusters", core.read(_core.CLUSTERS))
    contacts, pairs = (
        _all_columns(table) | _carried(core.interactions(kind))
        for table, kind in (
            (simulation.contacts, _core.SPHERE_WALL),
            (simulation.pairs, _core.SPHERE_SPHERE),
        )
    )
    arrays |= _under("contacts", contacts) | _under("pairs", pairs)
    arrays |= _body_arrays(simulation) if _has_bodies(simulation) else {}
    arrays |= _bond_arrays(simulation) if _has_bonds(simulation) else {}
    if _has_deformed(simulation):
        arrays["cell"] = core.cell()
    if surfaces := _deforming(simulation):
        arrays["surfaces"] = np.concatenate([one.columns() for one in surfaces])
    if walls.derived.driven:
        arrays["drives"] = np.array(
            [numbers(walls.drive(number)) for number in walls.derived.driven]
        )
    return arrays


def _under(prefix: str, columns: _Arrays) -> dict[str, NDArray[Any]]:
    return {f"{prefix}.{name}": column for name, column in columns.items()}


def _bond_arrays(simulation: Simulation) -> dict[str, NDArray[Any]]:
    core = simulation._core
    return (
        _under("bonds", core.read(_core.BONDS))
        | _under("breakages", core.read(_core.BREAKAGES))
        | _under("rests", core.read(_core.RESTS))
    )


def _body_arrays(simulation: Simulation) -> dict[str, NDArray[Any]]:
    arrays = _under("bodies", simulation._core.read(_core.BODIES))
    arrays["body_numbers"] = simulation._settled().bodies
    for number, meeting in enumerate(MEETINGS):
        arrays |= _under(f"with_{meeting}", simulation._core.interactions(number))
    return arrays


def _all_columns(table: Table) -> dict[str, NDArray[Any]]:
    return {name: getattr(table, name) for name in (*table.to_dict(), *table._hidden_columns)}


def _carried(columns: _Arrays) -> dict[str, NDArray[Any]]:
    return {name: columns[name] for name in (*CARRIED, HISTORY) if name in columns}
