"""Restart files: how a simulation is loaded, to continue with the same bits."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base import checks
from ..base.arrays import locked
from ..base.checks import a_or_an, counted
from ..base.threads import worker_count
from ..base.values import from_dict
from ..base.warnings import SimulationWarning, warn
from ..io import check_npz
from ..io.errors import errors_naming
from ..laws.law_table import LawTable
from ..laws.user_law_files import Given as GivenLaw
from ..laws.user_law_files import from_stored, is_other, is_stored, read_given
from ..search.finder import ContactFinder
from ..search.mesh import Mesh
from ..search.shape import ConvexShape
from .bonds import refusal
from .cell import restore_cell
from .column_input import Numbers
from .convex_bodies import shape_from
from .deforming import Structure, check_structures
from .drives import read_moving
from .given_sizes import read_given_sizes
from .insertion import Insertion
from .restart_file import (
    ACCOUNT,
    HISTORY,
    MEETINGS,
    WALL_STATE,
    bond_columns,
    check_shape,
    read_file,
    read_setup,
    sound_tables,
    state_columns,
)
from .restart_walls import read_deformed, read_drives, read_entries
from .saving import arrays_of, setup_of
from .schedule import MOST_STEPS, Beat, Feed
from .simulation import Simulation
from .wall_entries import touched_meshes

_Arrays = Mapping[str, NDArray[Any]]


class _Called(NamedTuple):
    """Callables that files do not hold: motions and deformations of walls, and radii."""

    motions: dict[int, Any]
    deform: dict[int, Structure]
    sizes: dict[str, Any]


def load_simulation(
    path: str | os.PathLike[str],
    meshes: Any = (),
    forces: Iterable[Callable[[Simulation], Any]] = (),
    motions: Mapping[int, Any] | None = None,
    body_forces: Iterable[Callable[[Simulation], Any]] = (),
    laws: Mapping[str, Any] | None = None,
    deform: Mapping[int, Structure] | None = None,
    workers: int | None = None,
    sizes: Mapping[str, Any] | None = None,
) -> Simulation:
    """Load a simulation from a restart file, which `Simulation.save` wrote.

    Parameters
    ----------
    path : str or path-like
    meshes : Mesh or sequence of Mesh
        Meshes of the walls, in the order in which they were added, without removed walls. The file
        holds no meshes. It holds half spaces and the shapes of convex bodies.
    forces : iterable of callable
        The callables that `Simulation.add_force` was called with.
    motions : dict of int to motion, optional
        Motions that are callables, and those with a `Servo` that has a callable, by wall number.
    body_forces : iterable of callable
        The callables that `Simulation.add_body_force` was called with.
    laws : dict of str to law, optional
        Laws of your own by name, as `law` made them, or a `CompiledLaw`. The file holds their
        parameters. No code of a file is executed.
    deform : dict of int to callable, optional
        Callables of walls that deform, by wall number. `meshes` has these walls as they were added;
        the file holds their current vertices.
    workers : int, optional
        Greatest number of threads, by default that of the saved simulation: see `Simulation`.
    sizes : dict of str to callable or distribution, optional
        Callables that draw radii of an `Insertion`, by their names, and frozen distributions that
        are not SciPy's own.

    Returns
    -------
    Simulation
        It continues with the same bits as the saved simulation. Call `every` and `record` again:
        the file does not hold their callables.

    Raises
    ------
    ValueError
        If the file holds no simulation or is damaged; if meshes or motions are not those of the
        walls; if a law is missing, or has another contact history; or if `workers` is out of its
        range.
    OSError
        If the file is not there or cannot be read.

    Warns
    -----
    SimulationWarning
        If the number of forces differs from that of the saved simulation, or the code of a law has
        changed.

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
    own, own_sizes = read_given(laws), read_given_sizes(sizes)
    check_structures(deform or {})
    if motions is not None and not isinstance(motions, Mapping):
        raise TypeError(f"motions is {a_or_an(type(motions).__name__)}, but must be a dict")
    worker_count(workers)  # raises an error if the argument is wrong
    check_npz(file)
    with errors_naming(file):
        arrays = read_file(file)
        setup = read_setup(arrays["setup"])
        if workers is not None:
            setup = {**setup, "workers": workers}
        begin = partial(_begin, setup, own)
        called = _Called(dict(motions or {}), dict(deform or {}), own_sizes)
        simulation = _made(setup, arrays, _read_meshes(meshes), called, begin)
    for call in forces:
        simulation.add_force(call)
    for call in body_forces:
        simulation.add_body_force(call)
    _compare_forces(len(simulation._forces), setup["force_count"], "force")
    _compare_forces(len(simulation._body_forces), setup["body_force_count"], "body force")
    return simulation


def _read_meshes(meshes: Any) -> tuple[Mesh, ...]:
    given = [meshes] if isinstance(meshes, Mesh) else list(meshes)
    for number, mesh in enumerate(given):
        if not isinstance(mesh, Mesh):
            raise TypeError(
                f"meshes[{number}] is {a_or_an(type(mesh).__name__)}, but must be a Mesh"
            )
    return tuple(given)


def _compare_forces(given: int, count: int, noun: str) -> None:
    if given != count:
        warn(
            f"the simulation was saved with {counted(count, noun)}, but"
            f" {noun.replace(' ', '_')}s= has {given}: pass the same ones",
            SimulationWarning,
        )


# ---- making the simulation -----------------------------------------------------------------------


def _made(
    setup: Mapping[str, Any],
    arrays: _Arrays,
    meshes: tuple[Mesh, ...],
    called: _Called,
    begin: Callable[[], Simulation],
) -> Simulation:
    motions, deform, sizes = called
    given = {number: read_moving(motion) for number, motion in motions.items()}
    try:
        simulation = begin()
        entries = read_entries(setup["walls"], meshes, given)
        entries = read_deformed(entries, setup["walls"], arrays, deform)
        feeds = [_feed(stored, sizes) for stored in setup["feeds"]]
        shapes = [shape_from(**stored) for stored in setup["shapes"]]
        numbers = _next_numbers(setup)
        step_count = _whole(setup, "step_count")
        order_step = _whole(setup, "order_step")
        said = {str(kind) for kind in setup["said"]}
        beats, terms = _steps(setup, simulation, step_count)
    except (KeyError, TypeError, AttributeError, OverflowError, IndexError) as error:
        raise ValueError(f"its setup is damaged: {error!r}") from None
    _check_lasting("ids", arrays["ids"], numbers.next_id)
    _check_lasting("cluster_numbers", arrays["cluster_numbers"], numbers.next_cluster)
    if entries:
        touched = touched_meshes(entries)
        finder = ContactFinder(touched) if touched else None
        known = simulation._known._replace(walls=tuple(entries), finder=finder)
        simulation._walls.exchange(known, drives=read_drives(entries, arrays))
        simulation._walls.restore_surfaces()
    restore_cell(simulation, arrays)
    _add_rows(simulation, arrays)
    bodies = arrays.get("body_numbers", np.empty(0, np.intp))
    _check_lasting("body_numbers", bodies, numbers.next_body)
    _add_bodies(simulation, arrays, shapes, len(bodies))
    _add_bonds(simulation, arrays, numbers.next_id, step_count)
    _restore(simulation, arrays, step_count, terms)
    _restore_bodies(simulation, arrays)
    _restore_order(simulation, arrays, order_step)
    simulation._watch.warned = said
    numbers = _lasting(numbers, arrays, bodies)
    known = simulation._known._replace(beats=beats, numbers=numbers, feeds=tuple(feeds))
    simulation._core.note(known)
    _set_bounds(simulation, setup)
    simulation._schedule.note(step_count, beats[-1])
    simulation._walls.check_given(simulation.time)
    return simulation


def _next_numbers(setup: Mapping[str, Any]) -> Numbers:
    """The lasting numbers that the next spheres, clusters and bodies get."""
    return Numbers(
        next_id=_whole(setup, "next_id"),
        next_cluster=_whole(setup, "next_cluster"),
        next_body=_whole(setup, "next_body"),
    )


def _lasting(numbers: Numbers, arrays: _Arrays, bodies: NDArray[np.intp]) -> Numbers:
    """Complete `numbers` with the lasting numbers of the loaded spheres, clusters and bodies."""
    return numbers._replace(
        ids=locked(arrays["ids"]),
        clusters=locked(arrays["cluster_numbers"]),
        frames=arrays["frames"],
        bodies=locked(bodies),
    )


def _whole(setup: Mapping[str, Any], name: str) -> int:
    number = int(setup[name])
    if not 0 <= number < MOST_STEPS:
        raise ValueError(f"its {name} is {number}, but must be 0 to 2^53")
    return number


def _steps(
    setup: Mapping[str, Any], simulation: Simulation, step_count: int
) -> tuple[tuple[Beat, ...], NDArray[np.float64]]:
    """All step lengths so far, and the library's settings of steps, `terms` of csrc/dem/state.h."""
    beats = tuple(Beat(float(a), int(b), float(c)) for a, b, c in setup["beats"])
    numbers = [beat.since for beat in beats]
    own = [beat.step for beat in beats]
    terms = np.array(setup["terms"], np.float64)
    is_sound = terms.shape == (_core.STEP_TERMS,) and bool(
        np.isfinite([*terms, *sum(beats, ())]).all()
    )
    if (
        not is_sound
        or numbers != sorted({*numbers})
        or not 0 <= numbers[0] <= numbers[-1] <= step_count
        or min(*own, terms[0], terms[5]) <= 0.0
        or (own[-1], *terms[10:]) != (simulation.step, beats[-1].start, beats[-1].since)
        or (terms[0], *terms[1:4]) != (simulation.step, *simulation.gravity)
    ):
        raise ValueError("its setup is damaged: its step lengths do not fit together")
    return beats, terms


def _set_bounds(simulation: Simulation, setup: Mapping[str, Any]) -> None:
    try:
        stored = setup["bounds"]
        if stored is None:
            return
        left = _whole(stored, "left")
        simulation.set_bounds(stored["corners"], stored["on_leave"])
    except (KeyError, TypeError) as error:
        raise ValueError(f"its setup is damaged: {error!r}") from None
    known = simulation._known
    simulation._core.note(known._replace(bounds=known.bounds._replace(left=left)))


def _check_lasting(name: str, numbers: NDArray[np.intp], end: int) -> None:
    """Raise a ValueError unless lasting numbers ascend, from 0 or more to less than `end`."""
    if numbers.ndim != 1 or (np.diff(numbers, prepend=-1, append=end) <= 0).any():
        raise ValueError(f"{name} does not ascend from 0 to less than {end}")


def _begin(setup: Mapping[str, Any], own: Mapping[str, GivenLaw]) -> Simulation:
    """A simulation with the settings and laws of a file, without particles and walls."""
    names = ("step", "gravity", "period", "resolution", "workers")
    simulation = Simulation(**{name: setup[name] for name in names})
    materials = [from_dict(stored) for stored in setup["materials"]]
    laws = LawTable()
    for material in materials:
        laws.number(material, "material")
    laws.names = [str(name) for name in setup["kept"]]
    simulation._core.note(simulation._changed(laws=laws))
    changed = set()
    for a, b, stored in setup["laws"]:
        law = from_stored(stored, own) if is_stored(stored) else from_dict(stored)
        simulation.set_law(materials[a], materials[b], law)
        if is_stored(stored) and is_other(stored, law):
            changed.add(stored["name"])
    for name in sorted(changed):
        warn(
            f"the code of the law {name} has changed since the simulation was saved: it may not"
            " continue with the same bits",
            SimulationWarning,
        )
    return simulation


def copied(
    simulation: Simulation, deform: Mapping[int, Structure], workers: int | None
) -> Simulation:
    """Copy a simulation as if through a file, but with laws and motions that files cannot hold."""
    check_structures(deform)
    threads = simulation._workers if workers is None else checks.whole(workers, "workers")
    worker_count(threads)  # raises a ValueError if the number is out of its range
    entries = simulation._walls.entries
    there = [entry for entry in entries if not entry.is_gone]
    meshes = tuple(entry.mesh for entry in there if isinstance(entry.mesh, Mesh))
    motions = {k: e.motion for k, e in enumerate(entries) if e.is_given or e.is_asked}
    setup = json.loads(json.dumps(setup_of(simulation)))
    for stored, feed in zip(setup["feeds"], simulation._known.feeds, strict=True):
        stored["insertion"] = feed.insertion
    called = _Called(motions, dict(deform), {})
    begin = partial(_alike, simulation, threads)
    return _made(setup, arrays_of(simulation), meshes, called, begin)


def _alike(simulation: Simulation, workers: int | None) -> Simulation:
    """A simulation with the same settings and laws, without particles and walls."""
    names = ("step", "gravity", "resolution")
    found = Simulation(
        **{name: getattr(simulation, name) for name in names},
        period=simulation._period,
        workers=workers,
    )
    found._core.note(found._changed(laws=simulation._laws))
    return found


def _feed(stored: Mapping[str, Any], sizes: Mapping[str, Any]) -> Feed:
    # a copy has the insertion itself
    insertion = stored["insertion"]
    if isinstance(insertion, dict):
        insertion = from_dict(insertion)
    if not isinstance(insertion, Insertion):
        raise ValueError("its setup is damaged: it has something else where an insertion must be")
    if isinstance(stored["insertion"], dict):
        insertion = insertion.with_given(sizes)
    state = insertion.state_from_dict(stored["state"])
    seen, since = int(stored["seen"]), stored["full_since"]
    if since is not None and not 0 <= int(since) <= seen:
        raise ValueError(f"its setup is damaged: an insertion waits since step {since}")
    return Feed(insertion, state, float(stored["start"]), stored["until"], seen, since)


# ---- spheres, clusters and tables ----------------------------------------------------------------


def _add_rows(simulation: Simulation, arrays: _Arrays) -> None:
    """Add spheres and clusters in the order of their rows."""
    ids, numbers, groups = (arrays[k] for k in ("ids", "cluster_numbers", "spheres.clusters"))
    check_shape(arrays, "frames", len(numbers), 4)
    spheres = state_columns(arrays, "spheres", len(ids))
    clusters = state_columns(arrays, "clusters", len(numbers), int(np.count_nonzero(groups >= 0)))
    places = clusters.pop("members")
    _check_groups(groups, clusters["member_counts"])
    for rows, bodies, members in _runs(groups, clusters["member_counts"]):
        part = {name: column[rows] for name, column in spheres.items()}
        if bodies is None:
            simulation._core.add(_core.SPHERES, part, {}, simulation._known)
        else:
            taken = {name: column[bodies] for name, column in clusters.items()}
            taken["members"] = places[members]
            simulation._core.add(_core.CLUSTERS, taken, part, simulation._known)


def _check_groups(groups: NDArray[np.intp], counts: NDArray[np.intp]) -> None:
    """Check that members of a cluster follow each other, and clusters are in order."""
    if (groups < -1).any() or (counts < 1).any() or counts.sum() != np.count_nonzero(groups >= 0):
        raise ValueError("clusters.member_counts does not add up to the spheres of clusters")
    if not np.array_equal(groups[groups >= 0], np.repeat(np.arange(len(counts)), counts)):
        raise ValueError("spheres.clusters does not agree with clusters.member_counts")


_Run = tuple[slice, slice | None, slice]


def _runs(groups: NDArray[np.intp], counts: NDArray[np.intp]) -> Iterator[_Run]:
    """Split spheres into runs of rows: single spheres, or members of clusters.

    For each run, yield the rows of its spheres, the rows of their clusters (None for single
    spheres), and the places of the spheres among all members of clusters.
    """
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


def _restore(
    simulation: Simulation, arrays: _Arrays, step_count: int, terms: NDArray[np.float64]
) -> None:
    """Restore energies, walls, contacts and pairs of the last step."""
    core, walls = simulation._core, simulation._walls
    check_shape(arrays, "account", ACCOUNT)
    check_shape(arrays, "walls", len(walls.order), WALL_STATE)
    sound, sound_pairs = sound_tables(arrays, walls.meshes, walls.derived.stored)
    core.restore(step_count, arrays["account"], terms, arrays["walls"])
    for prefix, columns in (("contacts", sound), ("pairs", sound_pairs)):
        if f"{prefix}.{HISTORY}" in arrays:
            columns[HISTORY] = arrays[f"{prefix}.{HISTORY}"]
    core.restore_interactions(_core.SPHERE_WALL, sound)
    core.restore_interactions(_core.SPHERE_SPHERE, sound_pairs)


def _restore_order(simulation: Simulation, arrays: _Arrays, step: int) -> None:
    """Restore the order in which the library stores spheres, and the step of the next sort."""
    order, count = arrays["spheres.order"], len(arrays["ids"])
    check_shape(arrays, "spheres.order", count)
    is_sound = np.zeros(count, bool)
    is_sound[np.unique(order, return_index=True)[1]] = True
    is_sound &= (order >= 0) & (order < count)
    if not is_sound.all():
        at = int(np.argmin(is_sound))
        raise ValueError(
            f"spheres.order[{at}] is {order[at]}, but must be one of {count} spheres, each once"
        )
    simulation._core.restore_order(order, step)


def _add_bonds(simulation: Simulation, arrays: _Arrays, next_id: int, step_count: int) -> None:
    bonds, breakages, rests = (
        bond_columns(arrays, prefix) for prefix in ("bonds", "breakages", "rests")
    )
    if bonds is None or breakages is None or rests is None:
        return
    stopped = simulation._core.add(_core.BONDS, bonds, {}, simulation._known)
    if stopped is not None:
        status, row, first, second = stopped
        raise refusal(status, row, first, int(second))
    simulation._core.restore_breakages(breakages, rests)
    _check_bond_ids(bonds, arrays["ids"])
    _check_breakages(breakages, next_id, step_count)


def _check_bond_ids(bonds: _Arrays, ids: NDArray[np.intp]) -> None:
    """Check that the rows and the ids of bonds name the same spheres."""
    i, j = ids[bonds["i"]], ids[bonds["j"]]
    wrong = np.flatnonzero((bonds["ids"] != np.stack([i, j], axis=1)).any(axis=1))
    if len(wrong):
        first = wrong[0]
        raise ValueError(
            f"bonds.ids[{first}] is {bonds['ids'][first]}, but its spheres are {i[first]} and"
            f" {j[first]}"
        )


def _check_breakages(breakages: _Arrays, next_id: int, step_count: int) -> None:
    ids, steps = breakages["ids"], breakages["step"]
    wrong = np.flatnonzero(((ids < 0) | (ids >= next_id)).any(axis=1))
    if len(wrong):
        raise ValueError(
            f"breakages.ids[{wrong[0]}] is {ids[wrong[0]]}, but ids must be 0 or more, and less"
            f" than {next_id}"
        )
    late = np.flatnonzero(steps >= step_count)
    if len(late):
        raise ValueError(
            f"breakages.step[{late[0]}] is {steps[late[0]]}, but {step_count} steps are done"
        )


# ---- bodies --------------------------------------------------------------------------------------


def _add_bodies(
    simulation: Simulation, arrays: _Arrays, shapes: list[ConvexShape], count: int
) -> None:
    if not shapes:
        return
    columns = state_columns(arrays, "bodies", count)
    simulation._core.add(_core.BODIES, columns, {}, simulation._changed(shapes=tuple(shapes)))


def _restore_bodies(simulation: Simulation, arrays: _Arrays) -> None:
    for number, meeting in enumerate(MEETINGS):
        prefix = f"with_{meeting}."
        names = [name for name in arrays if name.startswith(prefix)]
        columns = {name.removeprefix(prefix): arrays[name] for name in names}
        if columns:
            simulation._core.restore_interactions(number, columns)
