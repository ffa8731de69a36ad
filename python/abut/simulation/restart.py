"""Files from which simulations go on: npz, with the same bits as without."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.checks import a_or_an, counted
from ..base.values import Value, from_dict
from ..io import npz, writing
from ..results.contacts import Contacts
from ..results.pairs import Pairs
from ..search.finder import ContactFinder
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh, warn
from ..search.shape import ConvexShape
from .bodies import Numbers, locked
from .insertion import Insertion
from .law_table import LawTable
from .motions import read_motion
from .placement import SimulationWarning
from .schedule import MOST_STEPS, Feed
from .simulation import Simulation
from .walls import WallEntry

if TYPE_CHECKING:
    from ..results.table import Table

# Changes when readers of this version could no longer make sense of a file: those that know the
# first cannot go on with bodies and half spaces, which only files of the second have.
FORMAT = 2
_WITHOUT_BODIES = 1

_Arrays = Mapping[str, NDArray[Any]]

# of spheres, what they are made of and what steps have made of them; then of clusters
_NEW = ("centers", "radii", "masses", "velocities", "spins", "materials", "clusters")
_MADE = ("forces", "torques", "images", "began", "works")
_WIDTHS = {
    "centers": 3, "velocities": 3, "spins": 3, "forces": 3, "torques": 3, "began": 3, "works": 4,
    "images": 3, "positions": 3, "orientations": 4, "angular_momenta": 3, "inertias": 3,
    "members": 3, "clusters.began": 10,
}  # fmt: skip
_CLUSTERS = (
    "positions", "orientations", "velocities", "angular_momenta", "masses", "inertias",
    "member_counts", "members", "images", "spins", "began", "works",
)  # fmt: skip
_WHOLE = ("materials", "clusters", "images", "member_counts")

# of bodies, and of their tables, by the library's numbers
_BODIES = (
    "shapes", "scales", "materials", "masses", "inertias", "axes", "positions", "orientations",
    "velocities", "angular_momenta", "states",
)  # fmt: skip
_MEETINGS = ("walls", "bodies", "spheres")

# what tables carry to the next step
_CARRIED = ("force", "moment", "spring", "roll")

# the library numbers rows, and images, in 32 bits; what lasts may be larger
_MOST_ROWS = 2**31
_LASTING = ("ids", "cluster_numbers", "body_numbers")

# members of abut_wall_state and of the account
_WALL_STATE, _ACCOUNT = 25, 4


# ---- writing -------------------------------------------------------------------------------------


def save(simulation: Simulation, path: str | os.PathLike[str]) -> None:
    """What `Simulation.save` does."""
    file = Path(path)
    if file.suffix.lower() != ".npz":
        raise ValueError(f"{file} has no known ending of simulations' files: .npz")
    arrays = _arrays_of(simulation)
    setup = json.dumps(_setup_of(simulation)).encode()
    with writing.opened(file) as stream:
        np.savez(
            stream,
            abut_simulation=FORMAT if _has_bodies(simulation) else _WITHOUT_BODIES,
            setup=np.frombuffer(setup, np.uint8),
            **arrays,  # type: ignore[arg-type]
        )


def _has_bodies(simulation: Simulation) -> bool:
    """Whether it has, or had, what the first format knows nothing of."""
    planes = any(isinstance(wall.mesh, HalfSpace) for wall in simulation.walls)
    return bool(planes or simulation.shapes or simulation._body_forces)


def _setup_of(simulation: Simulation) -> dict[str, Any]:
    """What JSON holds: no arrays of spheres, and nothing that is called."""
    laws = simulation._laws
    return {
        "step": simulation.step,
        "gravity": simulation.gravity.tolist(),
        "period": simulation.period,
        "resolution": simulation.resolution,
        "workers": simulation._workers,
        "step_count": simulation.step_count,
        "next_id": simulation._settled().next_id,
        "next_cluster": simulation._settled().next_cluster,
        "force_count": len(simulation._forces),
        "materials": [material.to_dict() for material in laws.materials],
        "laws": [[a, b, law.to_dict()] for (a, b), law in laws.laws.items()],
        "walls": [_wall_setup(entry) for entry in simulation._walls.entries],
        "feeds": [_feed_setup(feed) for feed in simulation._known.feeds],
        "said": sorted(simulation._watch.said),
    } | _body_setup(simulation)


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


def _shape(stored: Mapping[str, Any]) -> ConvexShape:
    facets = np.array(stored["indices"], np.intp), np.array(stored["offsets"], np.intp)
    return ConvexShape(stored["vertices"], facets, radius=stored["radius"])


def _wall_setup(entry: WallEntry) -> dict[str, Any]:
    motion = entry.motion
    mesh = entry.mesh
    return {
        "mesh": mesh.to_dict() if isinstance(mesh, HalfSpace) else _digest(mesh),
        "material": entry.material,
        "start": entry.start,
        "pose": entry.pose.tolist(),
        "is_given": entry.is_given,
        "motion": motion.to_dict() if isinstance(motion, Value) else None,
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


def _digest(mesh: Mesh) -> str:
    """Of vertices and facets: of two meshes with the same, contacts are the same."""
    found = hashlib.sha256()
    for array in (mesh.vertices, mesh.indices, mesh.offsets):
        found.update(np.ascontiguousarray(array).tobytes())
    return found.hexdigest()


def _arrays_of(simulation: Simulation) -> dict[str, NDArray[Any]]:
    core, walls = simulation._core, simulation._walls
    states = [core.wall(number) for number in range(len(walls.entries))]
    arrays = {
        "ids": simulation.ids,
        "cluster_numbers": simulation._settled().clusters,
        "frames": simulation._settled().frames,
        "account": core.account(),
        "walls": np.array(states).reshape(-1, _WALL_STATE),
    }
    arrays |= {f"spheres.{name}": core.read(name) for name in (*_NEW, *_MADE)}
    arrays |= {f"clusters.{name}": column for name, column in core.clusters().items()}
    contacts = _all_columns(simulation.contacts) | _carried(core.contacts())
    pairs = _all_columns(simulation.pairs) | _carried(core.pairs())
    arrays |= {f"contacts.{name}": column for name, column in contacts.items()}
    arrays |= _body_arrays(simulation) if _has_bodies(simulation) else {}
    return arrays | {f"pairs.{name}": column for name, column in pairs.items()}


def _body_arrays(simulation: Simulation) -> dict[str, NDArray[Any]]:
    found = simulation._core.bodies()
    arrays = {f"bodies.{name}": found[name] for name in _BODIES}
    arrays["body_numbers"] = simulation._settled().bodies
    for number, meeting in enumerate(_MEETINGS):
        columns = simulation._core.body_contacts(number)
        arrays |= {f"with_{meeting}.{name}": column for name, column in columns.items()}
    return arrays


def _all_columns(table: Table) -> dict[str, NDArray[Any]]:
    return {name: getattr(table, name) for name in (*table.to_dict(), *table._hidden_columns)}


def _carried(columns: _Arrays) -> dict[str, NDArray[Any]]:
    return {name: columns[name] for name in _CARRIED}


# ---- reading -------------------------------------------------------------------------------------


def load_simulation(
    path: str | os.PathLike[str],
    meshes: Any = (),
    forces: Iterable[Callable[[Simulation], Any]] = (),
    motions: Mapping[int, Callable[[float], Any]] | None = None,
    body_forces: Iterable[Callable[[Simulation], Any]] = (),
) -> Simulation:
    """Go on with a simulation that `Simulation.save` wrote to a file.

    Parameters
    ----------
    path : str or path-like
    meshes : Mesh or sequence of Mesh
        Of the walls, in the order in which they were added; the file has none. Half spaces, and
        the shapes of bodies, are in the file.
    forces : iterable of callable
        What `Simulation.add_force` was given.
    motions : dict of int to callable, optional
        Of walls that a callable moves, by their numbers.
    body_forces : iterable of callable
        What `Simulation.add_body_force` was given.

    Returns
    -------
    Simulation
        It goes on with the same bits as the one that was saved. `every` and `record` are to be
        registered anew.

    Raises
    ------
    ValueError
        If the file holds no simulation or is damaged, or meshes or motions are not those of the
        walls.
    OSError
        If the file is not there or cannot be read.

    Warns
    -----
    SimulationWarning
        If there were more or fewer forces.

    Examples
    --------
    >>> import abut, pathlib, tempfile
    >>> floor = abut.Mesh([[-1, -1, 0], [1, -1, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> ball = abut.Material(density=1000, young=1e6)
    >>> sim = abut.Simulation(step=1e-4)
    >>> sim.set_law(ball, abut.Material(), abut.Hertz(restitution=0.5))
    >>> wall = sim.add_wall(floor)
    >>> _ = sim.add_spheres([[0, 0, 0.15]], 0.1, ball)
    >>> sim.run(0.2)
    >>> path = pathlib.Path(tempfile.mkdtemp(), "a.npz")
    >>> sim.save(path)
    >>> again = abut.load_simulation(path, meshes=[floor])
    >>> sim.run(0.2)
    >>> again.run(0.2)
    >>> bool((again.centers == sim.centers).all())
    True
    """
    file = Path(path)
    with _told(file):
        arrays = _read(file)
        setup = _read_setup(arrays["setup"])
        simulation = _made(setup, arrays, _read_meshes(meshes), dict(motions or {}))
    for call in forces:
        simulation.add_force(call)
    for call in body_forces:
        simulation.add_body_force(call)
    _compare_forces(len(simulation._forces), setup["force_count"], "add_force")
    _compare_forces(
        len(simulation._body_forces), setup.get("body_force_count", 0), "add_body_force"
    )
    return simulation


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """What is wrong is told with the file's name."""
    try:
        yield
    except ValueError as error:
        text = str(error)
        raise ValueError(text if text.startswith(str(path)) else f"{path}: {text}") from None


def _read_meshes(meshes: Any) -> tuple[Mesh, ...]:
    given = [meshes] if isinstance(meshes, Mesh) else list(meshes)
    for number, mesh in enumerate(given):
        if not isinstance(mesh, Mesh):
            raise TypeError(
                f"meshes[{number}] is {a_or_an(type(mesh).__name__)}, but must be a Mesh"
            )
    return tuple(given)


def _compare_forces(given: int, count: int, adder: str) -> None:
    if given != count:
        warn(
            f"the simulation was saved with {counted(count, 'force')} of {adder}, but {given} are"
            " given",
            SimulationWarning,
        )


# ---- what a file holds ---------------------------------------------------------------------------


def _read(path: Path) -> dict[str, NDArray[Any]]:
    """All arrays of the file that are known, in their types; others are passed over."""
    known = ("abut_simulation", "setup", *_TYPES, *_TABLE_KEYS)
    headers = npz.read_headers(path, (*known, *_BODY_TYPES))
    if "abut_simulation" not in headers:
        raise ValueError("it holds no simulation: it has no abut_simulation")
    version = npz.read_arrays(path, ("abut_simulation",))["abut_simulation"].tolist()
    if version not in (_WITHOUT_BODIES, FORMAT):
        raise ValueError(f"it has abut_simulation {version}; this abut reads {FORMAT}")
    optional = _OF_PERIODS if version == FORMAT else _BODY_TYPES
    for name in (*known, *_BODY_TYPES):
        if name not in headers and name not in optional:
            raise ValueError(f"it has no {name}")
    arrays = npz.read_arrays(path, headers)
    types = {name: kind for name, kind in (_TYPES | _BODY_TYPES).items() if name in arrays}
    return arrays | {name: _typed(name, arrays[name], kind) for name, kind in types.items()}


def _typed(name: str, array: NDArray[Any], kind: type[Any]) -> NDArray[Any]:
    if not np.can_cast(array.dtype, kind, "same_kind"):
        raise ValueError(f"{name} has dtype {array.dtype}")
    typed = np.require(array, kind, ["C", "A"])
    if not np.isfinite(typed).all() and not name.endswith(_MAY_BE_NAN):
        raise ValueError(f"{name} is not finite")
    if kind is np.intp and name not in _LASTING and _are_beyond(typed):
        raise ValueError(f"{name} holds numbers beyond 32 bits")
    return typed


def _are_beyond(numbers: NDArray[np.intp]) -> bool:
    return bool(((numbers >= _MOST_ROWS) | (numbers <= -_MOST_ROWS)).any())


def _prefixed(prefix: str, names: Iterable[str]) -> dict[str, type[Any]]:
    return {f"{prefix}.{name}": np.intp if name in _WHOLE else np.float64 for name in names}


_TYPES: dict[str, type[Any]] = {
    "ids": np.intp,
    "cluster_numbers": np.intp,
    "frames": np.float64,
    "account": np.float64,
    "walls": np.float64,
    **_prefixed("spheres", (*_NEW, *_MADE)),
    **_prefixed("clusters", _CLUSTERS),
}
_TABLE_KEYS = tuple(
    f"{prefix}.{name}"
    for prefix, kind in (("contacts", Contacts), ("pairs", Pairs))
    for name in (*kind._public_columns(), *kind._hidden_columns, *_CARRIED)
)


# of a meeting's columns: what a row and a spot have
_SPOT_ROWS = {
    "i": np.intp, "j": np.intp, "mesh": np.intp, "facet": np.intp, "status": np.uint8,
    "type": np.uint8, "feature": np.intp, "normal": np.float64, "overlap": np.float64,
    "error": np.float64, "link": np.float64, "point": np.float64, "iterations": np.intp,
    "state": np.float64, "image": np.intp, "spot": np.float64, "spot_overlap": np.float64,
    "spot_type": np.uint8, "spot_feature": np.intp, "spot_offsets": np.intp,
    "spot_force": np.float64, "spring": np.float64,
}  # fmt: skip
_ABSENT = {"walls": ("j",), "bodies": ("mesh", "facet"), "spheres": ("mesh", "facet")}
_BODY_TYPES: dict[str, type[Any]] = {
    "body_numbers": np.intp,
    **{f"bodies.{name}": np.float64 for name in _BODIES},
    "bodies.shapes": np.intp,
    "bodies.materials": np.intp,
    **{
        f"with_{meeting}.{name}": kind
        for meeting in _MEETINGS
        for name, kind in _SPOT_ROWS.items()
        if name not in _ABSENT[meeting]
    },
}
_OF_PERIODS = tuple(f"with_{meeting}.image" for meeting in _MEETINGS)
# a bound that is not known; and bits of a pair's state, which are no numbers
_MAY_BE_NAN = (".error", ".state")


def _read_setup(array: NDArray[Any]) -> dict[str, Any]:
    if array.dtype != np.uint8 or array.ndim != 1:
        raise ValueError(f"setup has dtype {array.dtype} and shape {array.shape}")
    setup = json.loads(array.tobytes())
    if not isinstance(setup, dict):
        raise ValueError("its setup is no table")
    return setup


def _part(arrays: _Arrays, prefix: str, names: Iterable[str]) -> dict[str, NDArray[Any]]:
    return {name: arrays[f"{prefix}.{name}"] for name in names}


def _check_shapes(arrays: _Arrays, prefix: str, names: Iterable[str], count: int) -> None:
    for name in names:
        width = _WIDTHS.get(f"{prefix}.{name}", _WIDTHS.get(name))
        shape = (count,) if width is None else (count, width)
        if arrays[f"{prefix}.{name}"].shape != shape:
            found = arrays[f"{prefix}.{name}"].shape
            raise ValueError(f"{prefix}.{name} has shape {found}, not {shape}")


def _check_shape(arrays: _Arrays, name: str, *shape: int) -> None:
    if arrays[name].shape != shape:
        raise ValueError(f"{name} has shape {arrays[name].shape}, not {shape}")


# ---- making it again -----------------------------------------------------------------------------


def _made(
    setup: Mapping[str, Any], arrays: _Arrays, meshes: tuple[Mesh, ...], motions: dict[int, Any]
) -> Simulation:
    given = {number: read_motion(motion) for number, motion in motions.items()}
    try:
        simulation = _begin(setup)
        entries = _entries(setup["walls"], meshes, given)
        feeds = [_feed(stored) for stored in setup["feeds"]]
        shapes = [_shape(stored) for stored in setup.get("shapes", ())]
        numbers = Numbers(
            next_id=_whole(setup, "next_id"),
            next_cluster=_whole(setup, "next_cluster"),
            next_body=_whole(setup, "next_body") if "next_body" in setup else 0,
        )
        step_count = _whole(setup, "step_count")
        said = {str(kind) for kind in setup.get("said", ())}
    except (KeyError, TypeError, AttributeError, OverflowError, IndexError) as error:
        raise ValueError(f"its setup is damaged: {error!r}") from None
    _check_lasting("ids", arrays["ids"], numbers.next_id)
    _check_lasting("cluster_numbers", arrays["cluster_numbers"], numbers.next_cluster)
    if entries:
        finder = ContactFinder(list(meshes)) if meshes else None
        known = simulation._known._replace(walls=tuple(entries), finder=finder)
        simulation._walls.exchange(known)
    _add_rows(simulation, arrays)
    bodies = arrays.get("body_numbers", np.empty(0, np.intp))
    _check_lasting("body_numbers", bodies, numbers.next_body)
    _add_bodies(simulation, arrays, shapes, len(bodies))
    _restore(simulation, arrays, step_count)
    _restore_bodies(simulation, arrays)
    simulation._watch.said = said
    numbers = numbers._replace(
        ids=locked(arrays["ids"]),
        clusters=locked(arrays["cluster_numbers"]),
        frames=arrays["frames"],
        bodies=locked(bodies),
    )
    simulation._core.note(simulation._known._replace(numbers=numbers, feeds=tuple(feeds)))
    simulation._schedule.note(step_count)
    simulation._walls.check_given(simulation.time)
    return simulation


def _whole(setup: Mapping[str, Any], name: str) -> int:
    number = int(setup[name])
    if not 0 <= number < MOST_STEPS:
        raise ValueError(f"its {name} is {number}")
    return number


def _check_lasting(name: str, numbers: NDArray[np.intp], end: int) -> None:
    """Lasting numbers ascend, and are less than the next one."""
    if numbers.ndim != 1 or (np.diff(numbers, prepend=-1, append=end) <= 0).any():
        raise ValueError(f"{name} does not ascend from 0 to less than {end}")


def _begin(setup: Mapping[str, Any]) -> Simulation:
    """A simulation with its laws, and nothing else."""
    names = ("step", "gravity", "period", "resolution", "workers")
    simulation = Simulation(**{name: setup[name] for name in names})
    materials = [from_dict(stored) for stored in setup["materials"]]
    laws = LawTable()
    for material in materials:
        laws.number(material, "material")
    simulation._core.note(simulation._changed(laws=laws))
    for a, b, law in setup["laws"]:
        simulation.set_law(materials[a], materials[b], from_dict(law))
    return simulation


def _feed(stored: Mapping[str, Any]) -> Feed:
    insertion = from_dict(stored["insertion"])
    if not isinstance(insertion, Insertion):
        raise ValueError("its setup is damaged: there is no insertion where one should be")
    state = insertion.state_from_dict(stored["state"])
    seen = int(stored["seen"])
    # files of abut 0.2 do not tell since when one waits
    since = stored.get("full_since", seen if state.waiting else None)
    if since is not None and not 0 <= int(since) <= seen:
        raise ValueError(f"its setup is damaged: an insertion waits since step {since}")
    return Feed(insertion, state, float(stored["start"]), stored["until"], seen, since)


# ---- walls ----


def _entries(
    stored: Sequence[Mapping[str, Any]], meshes: tuple[Mesh, ...], motions: dict[int, Any]
) -> list[WallEntry]:
    count = sum(not isinstance(wall["mesh"], dict) for wall in stored)
    if count != len(meshes):
        walls = counted(count, "wall")
        given = counted(len(meshes), "mesh is", "meshes are")
        raise ValueError(f"it has {walls}, but {given} given")
    rest = iter(enumerate(meshes))
    entries = [_entry(number, wall, rest, motions) for number, wall in enumerate(stored)]
    if motions:
        raise ValueError(f"motions names wall {next(iter(motions))}, which no callable moved")
    return entries


def _entry(
    number: int,
    wall: Mapping[str, Any],
    meshes: Iterator[tuple[int, Mesh]],
    motions: dict[int, Any],
) -> WallEntry:
    mesh = _wall_mesh(number, wall["mesh"], meshes)
    motion = from_dict(wall["motion"]) if wall["motion"] else None
    if wall["is_given"]:
        if number not in motions:
            raise ValueError(f"a callable moved wall {number}: motions={{{number}: ...}} takes it")
        motion = motions.pop(number)
    pose = np.array(wall["pose"], np.float64).reshape(4, 4)
    return WallEntry(mesh, int(wall["material"]), motion, float(wall["start"]), pose)


def _wall_mesh(number: int, stored: Any, meshes: Iterator[tuple[int, Mesh]]) -> Mesh | HalfSpace:
    """The next mesh, or the half space that the file has."""
    if isinstance(stored, dict):
        half_space = from_dict(stored)
        if not isinstance(half_space, HalfSpace):
            raise ValueError(f"its wall {number} is neither a mesh nor a half space")
        return half_space
    place, mesh = next(meshes)
    if stored != _digest(mesh):
        raise ValueError(f"meshes[{place}] is not the mesh that wall {number} was saved with")
    return mesh


# ---- spheres, clusters and tables ----


def _add_rows(simulation: Simulation, arrays: _Arrays) -> None:
    """Spheres and clusters in the order in which they came."""
    ids, numbers, groups = (arrays[k] for k in ("ids", "cluster_numbers", "spheres.clusters"))
    _check_shape(arrays, "frames", len(numbers), 4)
    _check_shapes(arrays, "spheres", (*_NEW, *_MADE), len(ids))
    rest = [name for name in _CLUSTERS if name != "members"]
    _check_shapes(arrays, "clusters", rest, len(numbers))
    _check_shapes(arrays, "clusters", ["members"], int(np.count_nonzero(groups >= 0)))
    _check_groups(groups, arrays["clusters.member_counts"])
    spheres = _part(arrays, "spheres", _NEW)
    clusters = _part(arrays, "clusters", _CLUSTERS)
    for rows, bodies, members in _runs(groups, clusters["member_counts"]):
        part = {name: column[rows] for name, column in spheres.items()}
        if bodies is None:
            simulation._core.add(part, simulation._known)
        else:
            taken = {name: column[bodies] for name, column in clusters.items() if name != "members"}
            taken["members"] = clusters["members"][members]
            simulation._core.add_clusters(taken, part, simulation._known)


def _check_groups(groups: NDArray[np.intp], counts: NDArray[np.intp]) -> None:
    """Members of a cluster stand side by side, and clusters in their order."""
    if (groups < -1).any() or (counts < 1).any() or counts.sum() != np.count_nonzero(groups >= 0):
        raise ValueError("clusters.member_counts does not add up to the spheres of clusters")
    if not np.array_equal(groups[groups >= 0], np.repeat(np.arange(len(counts)), counts)):
        raise ValueError("spheres.clusters does not agree with clusters.member_counts")


_Run = tuple[slice, slice | None, slice]


def _runs(groups: NDArray[np.intp], counts: NDArray[np.intp]) -> Iterator[_Run]:
    """Rows that go one after the other of spheres alone, or of clusters with these numbers, and of
    their members."""
    is_member = groups >= 0
    borders = np.flatnonzero(np.diff(is_member)) + 1
    ends = np.cumsum(counts)
    for begin, end in pairwise([0, *borders.tolist(), len(groups)]):
        if begin == end or not is_member[begin]:
            yield slice(begin, end), None, slice(0)
        else:
            first, last = int(groups[begin]), int(groups[end - 1]) + 1
            members = slice(int(ends[first - 1]) if first else 0, int(ends[last - 1]))
            yield slice(begin, end), slice(first, last), members


def _restore(simulation: Simulation, arrays: _Arrays, step_count: int) -> None:
    """What the last step has left behind."""
    core, meshes = simulation._core, simulation._walls.meshes
    core.assign(_part(arrays, "spheres", _MADE))
    _check_shape(arrays, "account", _ACCOUNT)
    _check_shape(arrays, "walls", len(meshes), _WALL_STATE)
    contacts, pairs = (
        _part(arrays, prefix, [name.split(".")[1] for name in _TABLE_KEYS if prefix in name])
        for prefix in ("contacts", "pairs")
    )
    sound = npz.sound_contacts(contacts, meshes)
    sound["mesh"] = np.argsort(simulation._walls.order)[sound["mesh"]]
    core.restore(step_count, arrays["account"], arrays["walls"], sound, npz.sound_pairs(pairs))


# ---- bodies ----

# how many numbers a row has in a column of bodies and of their contacts
_BODY_WIDTHS = {
    "inertias": 3, "axes": 4, "positions": 3, "orientations": 4, "velocities": 3,
    "angular_momenta": 3, "states": _core.BODY_STATE,
}  # fmt: skip


def _add_bodies(
    simulation: Simulation, arrays: _Arrays, shapes: list[ConvexShape], count: int
) -> None:
    if not shapes:
        return
    columns = _part(arrays, "bodies", _BODIES)
    for name, column in columns.items():
        width = _BODY_WIDTHS.get(name)
        shape = (count,) if width is None else (count, width)
        if column.shape != shape:
            raise ValueError(f"bodies.{name} has shape {column.shape}, not {shape}")
    simulation._core.add_bodies(columns, simulation._changed(shapes=tuple(shapes)))


def _restore_bodies(simulation: Simulation, arrays: _Arrays) -> None:
    for number, meeting in enumerate(_MEETINGS):
        prefix = f"with_{meeting}."
        names = [name for name in arrays if name.startswith(prefix)]
        columns = {name.removeprefix(prefix): arrays[name] for name in names}
        if columns:
            simulation._core.restore_body_contacts(number, columns)
