"""Files from which simulations go on: how `Simulation.save` writes them."""

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
from ..base.values import Value
from ..io import writing
from ..laws.law_table import Law
from ..laws.stored import to_stored
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from ..search.shape import ConvexShape
from .deforming import Deforming
from .drives import numbers
from .known import Bounds
from .restart_file import (
    ACCOUNT,
    BODIES,
    CARRIED,
    CLUSTERS,
    FORMAT,
    HISTORY,
    MADE,
    MEETINGS,
    NEW,
    WALL_STATE,
    WITHOUT_BODIES,
    WITHOUT_BONDS,
    WITHOUT_CHANGES,
    check_readable,
)
from .schedule import Beat, Feed, terms_of
from .simulation import Simulation
from .wall_entries import WallEntry

if TYPE_CHECKING:
    from ..results.table import Table

_Arrays = Mapping[str, NDArray[Any]]


def save(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """What `Simulation.save` does."""
    file = Path(path)
    if file.suffix.lower() != ".npz":
        raise ValueError(f"{file} has no known ending of simulations' files: .npz")
    arrays = arrays_of(simulation)
    setup = json.dumps(setup_of(simulation)).encode()
    try:
        check_readable(arrays, setup, simulation._walls)
    except ValueError as error:
        raise RuntimeError(
            f"{file} was not written, since it could not be read again: {error}. Please tell abut's"
            " authors how the simulation came to this"
        ) from error
    with writing.opened(file) as stream:
        np.savez(
            stream,
            abut_simulation=_format_of(simulation),
            setup=np.frombuffer(setup, np.uint8),
            **arrays,  # type: ignore[arg-type]
        )


def _format_of(simulation: Simulation) -> int:
    """The first that knows of all that it has, so that earlier versions read what they can."""
    if _has_changed(simulation) or _has_account(simulation) or _deforming(simulation):
        return FORMAT
    if _has_bonds(simulation):
        return WITHOUT_CHANGES
    return WITHOUT_BONDS if _has_bodies(simulation) else WITHOUT_BODIES


def _has_account(simulation: Simulation) -> bool:
    """Whether it has, or had, walls under load or free ones, or places that were assigned."""
    return bool(simulation._walls.derived.driven or len(_account(simulation)) > ACCOUNT[0])


def _account(simulation: Simulation) -> NDArray[np.float64]:
    account = simulation._core.account()
    return account[: next(count for count in ACCOUNT if not account[count:].any())]


def _deforming(simulation: Simulation) -> list[Deforming]:
    """What is known of walls that deform, after the last step."""
    found = (entry.deforming for entry in simulation._walls.entries)
    return [one.at(simulation.step_count) for one in found if one is not None]


def _has_bonds(simulation: Simulation) -> bool:
    """Whether it has, or had, bonds."""
    return any(simulation._core.bond_counts())


def _has_bodies(simulation: Simulation) -> bool:
    """Whether it has, or had, what the first format knows nothing of."""
    planes = any(isinstance(wall.mesh, HalfSpace) for wall in simulation.walls)
    return bool(planes or simulation.shapes or simulation._body_forces)


def setup_of(simulation: Simulation) -> dict[str, Any]:
    """What JSON holds: no arrays of spheres, and nothing that is called."""
    laws = simulation._laws
    return {
        "step": simulation.step,
        "gravity": simulation.gravity.tolist(),
        "period": simulation.period,
        "resolution": simulation.resolution,
        "workers": simulation._workers,
        "step_count": simulation.step_count,
        **_order_setup(simulation),
        **_beat_setup(simulation),
        **_bounds_setup(simulation),
        "next_id": simulation._settled().next_id,
        "next_cluster": simulation._settled().next_cluster,
        "force_count": len(simulation._forces),
        "materials": [material.to_dict() for material in laws.materials],
        "laws": [[a, b, _law_setup(law)] for (a, b), law in laws.laws.items()],
        "kept": laws.names,
        "walls": [_wall_setup(entry) for entry in simulation._walls.entries],
        "feeds": [_feed_setup(feed) for feed in simulation._known.feeds],
        "said": sorted(simulation._watch.said),
    } | _body_setup(simulation)


def _bounds_setup(simulation: Simulation) -> dict[str, Any]:
    bounds = simulation._known.bounds
    if bounds == Bounds():
        return {}
    return {
        "bounds": {"corners": bounds.corners, "on_leave": bounds.on_leave, "left": simulation.left}
    }


def _order_setup(simulation: Simulation) -> dict[str, Any]:
    """In which step spheres are sorted next, where they have been sorted."""
    step = simulation._core.order()[1]
    return {"order_step": step} if step > 0 else {}


def _beat_setup(simulation: Simulation) -> dict[str, Any]:
    """What steps went by, where that has changed."""
    if not _has_changed(simulation):
        return {}
    return {"beats": simulation._known.beats, "terms": simulation._core.terms().tolist()}


def _has_changed(simulation: Simulation) -> bool:
    """Whether steps have become others, or gravity has, or walls are off or gone, or
    something is held, or the world has bounds."""
    first = Beat(simulation.step)
    terms = terms_of(first, simulation.gravity)
    beats, walls = simulation._known.beats, simulation._walls.entries
    if simulation._known.bounds != Bounds():
        return True
    is_off = any(not entry.is_active for entry in walls)
    holds = simulation.fixed.any() or simulation.bodies.fixed.any()
    return (
        is_off
        or bool(holds)
        or beats != (first,)
        or bool((simulation._core.terms() != terms).any())
    )


def _law_setup(law: Law) -> dict[str, Any]:
    return law.to_dict() if isinstance(law, Value) else to_stored(law)


def _body_setup(simulation: Simulation) -> dict[str, Any]:
    if not _has_bodies(simulation):
        return {}
    return {
        "next_body": simulation._settled().next_body,
        "body_force_count": len(simulation._body_forces),
        "shapes": [_shape_setup(shape) for shape in simulation.shapes],
    }


def _shape_setup(shape: ConvexShape) -> dict[str, Any]:
    """Its numbers: they make an equal shape."""
    names = ("vertices", "indices", "offsets")
    return {name: getattr(shape, name).tolist() for name in names} | {"radius": shape.radius}


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
    """Of vertices and facets: of two meshes with the same, contacts are the same."""
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
        "account": _account(simulation),
        "walls": np.array(states).reshape(-1, WALL_STATE),
    }
    arrays |= {f"spheres.{name}": core.read(name) for name in (*NEW, *MADE)}
    clusters = core.rigids(_core.CLUSTERS)
    arrays |= {f"clusters.{name}": clusters[name] for name in CLUSTERS}
    if simulation.fixed.any():
        arrays["spheres.fixed"] = core.read("fixed")
    if core.order()[1] > 0:  # otherwise they are stored as they came
        arrays["spheres.order"] = core.order()[0]
    contacts, pairs = (
        _all_columns(table) | _carried(core.interactions(kind))
        for table, kind in (
            (simulation.contacts, _core.SPHERE_WALL),
            (simulation.pairs, _core.SPHERE_SPHERE),
        )
    )
    arrays |= {f"contacts.{name}": column for name, column in contacts.items()}
    arrays |= _body_arrays(simulation) if _has_bodies(simulation) else {}
    arrays |= _bond_arrays(simulation) if _has_bonds(simulation) else {}
    if surfaces := _deforming(simulation):
        arrays["surfaces"] = np.concatenate([one.columns() for one in surfaces])
    if walls.derived.driven:
        arrays["drives"] = np.array(
            [numbers(walls.drive(number)) for number in walls.derived.driven]
        )
    return arrays | {f"pairs.{name}": column for name, column in pairs.items()}


def _bond_arrays(simulation: Simulation) -> dict[str, NDArray[Any]]:
    core = simulation._core
    tables = {"bonds": core.bonds(), "breakages": core.breakages(), "rests": core.rests()}
    return {
        f"{prefix}.{name}": column
        for prefix, columns in tables.items()
        for name, column in columns.items()
    }


def _body_arrays(simulation: Simulation) -> dict[str, NDArray[Any]]:
    found = simulation._core.rigids(_core.BODIES)
    arrays = {f"bodies.{name}": found[name] for name in BODIES}
    if found["fixed"].any():
        arrays["bodies.fixed"] = found["fixed"]
    arrays["body_numbers"] = simulation._settled().bodies
    for number, meeting in enumerate(MEETINGS):
        columns = simulation._core.interactions(number)
        # files have had the six numbers of a link in a row
        columns["link"] = columns["link"].reshape(-1, 6)
        arrays |= {f"with_{meeting}.{name}": column for name, column in columns.items()}
    return arrays


def _all_columns(table: Table) -> dict[str, NDArray[Any]]:
    return {name: getattr(table, name) for name in (*table.to_dict(), *table._hidden_columns)}


def _carried(columns: _Arrays) -> dict[str, NDArray[Any]]:
    return {name: columns[name] for name in (*CARRIED, HISTORY) if name in columns}
