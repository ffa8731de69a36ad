"""What the setup in a file of a simulation tells: who was there, and what steps went by."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from .. import _core
from ..base.checks import counted
from ..base.values import from_dict
from ..search.half_space import HalfSpace
from ..search.mesh import Mesh
from ..search.shape import ConvexShape
from .bodies import Numbers
from .insertion import Insertion
from .saving import digest
from .schedule import MOST_STEPS, Beat, Feed, terms_of
from .simulation import Simulation
from .walls import NO_MESH, WallEntry


class Found(NamedTuple):
    """What a setup tells of a simulation beside its settings and laws."""

    entries: list[WallEntry]
    feeds: tuple[Feed, ...]
    shapes: list[ConvexShape]
    numbers: Numbers
    step_count: int
    said: set[str]
    beats: tuple[Beat, ...]
    terms: NDArray[np.float64]


def found_in(
    setup: Mapping[str, Any],
    simulation: Simulation,
    meshes: tuple[Mesh, ...],
    motions: dict[int, Any],
) -> Found:
    step_count = whole(setup, "step_count")
    entries = _entries(setup["walls"], meshes, motions)
    beats, terms = _steps(setup, simulation, step_count)
    return Found(
        entries=entries,
        feeds=tuple(_feed(stored) for stored in setup["feeds"]),
        shapes=[_shape(stored) for stored in setup.get("shapes", ())],
        numbers=Numbers(
            next_id=whole(setup, "next_id"),
            next_cluster=whole(setup, "next_cluster"),
            next_body=whole(setup, "next_body") if "next_body" in setup else 0,
        ),
        step_count=step_count,
        said={str(kind) for kind in setup.get("said", ())},
        beats=beats,
        terms=terms,
    )


def whole(setup: Mapping[str, Any], name: str) -> int:
    number = int(setup[name])
    if not 0 <= number < MOST_STEPS:
        raise ValueError(f"its {name} is {number}")
    return number


def _steps(
    setup: Mapping[str, Any], simulation: Simulation, step_count: int
) -> tuple[tuple[Beat, ...], NDArray[np.float64]]:
    """What steps went by, and go by from now on."""
    first = Beat(simulation.step)
    beats = tuple(Beat(float(a), int(b), float(c)) for a, b, c in setup.get("beats", [first]))
    numbers = [beat.since for beat in beats]
    own = [beat.step for beat in beats]
    terms = np.array(setup.get("terms", terms_of(first, simulation.gravity)), np.float64)
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
        raise ValueError("its setup is damaged: what steps go by makes no sense")
    return beats, terms


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


def _entries(
    stored: Sequence[Mapping[str, Any]], meshes: tuple[Mesh, ...], motions: dict[int, Any]
) -> list[WallEntry]:
    count = sum(
        not (isinstance(wall["mesh"], dict) or wall.get("is_gone", False)) for wall in stored
    )
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
    pose = np.array(wall["pose"], np.float64).reshape(4, 4)
    entry = WallEntry(NO_MESH, int(wall["material"]), None, float(wall["start"]), pose)
    if wall.get("is_gone", False):
        return replace(entry, is_active=False, is_gone=True)
    mesh = _wall_mesh(number, wall["mesh"], meshes)
    motion = from_dict(wall["motion"]) if wall["motion"] else None
    if wall["is_given"]:
        if number not in motions:
            what = "tells the load of" if wall.get("is_asked") else "moved"
            raise ValueError(f"a callable {what} wall {number}: motions={{{number}: ...}} takes it")
        motion = motions.pop(number)
    return replace(entry, mesh=mesh, motion=motion, is_active=bool(wall.get("is_active", True)))


def _wall_mesh(number: int, stored: Any, meshes: Iterator[tuple[int, Mesh]]) -> Mesh | HalfSpace:
    """The next mesh, or the half space that the file has."""
    if isinstance(stored, dict):
        half_space = from_dict(stored)
        if not isinstance(half_space, HalfSpace):
            raise ValueError(f"its wall {number} is neither a mesh nor a half space")
        return half_space
    place, mesh = next(meshes)
    if stored != digest(mesh):
        raise ValueError(f"meshes[{place}] is not the mesh that wall {number} was saved with")
    return mesh


def _shape(stored: Mapping[str, Any]) -> ConvexShape:
    facets = np.array(stored["indices"], np.intp), np.array(stored["offsets"], np.intp)
    return ConvexShape(stored["vertices"], facets, radius=stored["radius"])
