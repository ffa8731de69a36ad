"""What a search did, in numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..base.checks import counted


@dataclass(frozen=True, repr=False, slots=True)
class Statistics:
    """What a finder's last query did, and what its bins hold.

    Made by `ContactFinder.statistics`. A query looks up the candidates of each sphere in bins,
    rules most of them out by their boxes, computes the closest points of the others exactly, and
    makes contacts of the facets that touch.

    Attributes
    ----------
    spheres : int
        Spheres of the last query; 0 before the first.
    candidates : int
        Entries of bins that they were compared with.
    tests : int
        Closest points that were computed exactly, one for each triangle: a facet of k corners may
        take up to k - 2.
    touching : int
        Facets (not triangles) that were found to touch, summed over the spheres. With
        ``resolution="hierarchy"`` more may touch: where all facets near a sphere lie in one plane,
        those that its center does not stand on are left out untested, as none of them can stay a
        contact.
    contacts : int
        What the resolution made of them.
    sets : int
        Sets of bins built so far: one an octave of the radius plus gap, for each mesh, as queries
        need them.
    cells : int
        Cells of all sets.
    occupied : int
        Those that have entries.
    entries : int
        Facets in cells; a facet is in all cells that a sphere may touch it from.
    bytes : int
        Memory of all sets.
    facets : int
        Facets of the finder's meshes.

    Examples
    --------
    >>> from abut.search.statistics import Statistics
    >>> Statistics(10, 120, 30, 24, 12, sets=1, cells=64, occupied=20, entries=90,
    ...                 bytes=4096, facets=30)
    Statistics(10 spheres; candidates 120 : tests 30 : touching 24 : contacts 12;
        1 set of bins, 20 of 64 cells occupied, 90 entries of 30 facets, 4096 bytes)
    """

    spheres: int
    candidates: int
    tests: int
    touching: int
    contacts: int
    sets: int
    cells: int
    occupied: int
    entries: int
    bytes: int
    facets: int

    @property
    def candidates_per_sphere(self) -> float:
        """How many candidates a sphere has; NaN without spheres."""
        return _ratio(self.candidates, self.spheres)

    @property
    def tests_per_touching(self) -> float:
        """Exact tests, of triangles, for each facet that touches; NaN where none touches."""
        return _ratio(self.tests, self.touching)

    @property
    def entries_per_facet(self) -> float:
        """In how many cells a facet is, of all sets together; NaN without facets."""
        return _ratio(self.entries, self.facets)

    def __repr__(self) -> str:
        return (
            f"Statistics({counted(self.spheres, 'sphere')}; candidates {self.candidates} :"
            f" tests {self.tests} : touching {self.touching} : contacts {self.contacts};\n"
            f"    {counted(self.sets, 'set')} of bins,"
            f" {self.occupied} of {counted(self.cells, 'cell')} occupied,"
            f" {counted(self.entries, 'entry', 'entries')} of {counted(self.facets, 'facet')},"
            f" {counted(self.bytes, 'byte')})"
        )


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class PairStatistics:
    """What a finder's last query for pairs did, level by level.

    Made by `PairFinder.statistics`. The counts are those of `expected_work`: every sphere looks
    into cells of its own level, and of those below or above it, and each sphere that is there is
    a pair to be tested.

    Attributes
    ----------
    spheres : int
        Spheres of the last query; 0 before the first. Where it was given others, these look, and
        the levels are those of the others.
    pairs : int
        Pairs that it found.
    distances : int
        Distances that were computed: less than pairs to be tested, since cells that a sphere
        cannot reach are left out.
    bytes : int
        Memory that the finder keeps for its next query.
    sizes : (L,) ndarray of float64
        Of the levels, ascending: spheres up to this diameter, gap included, are on them.
    lengths : (L, d) ndarray of float64
        Of the cells along each axis: not less than the size, and parts of a period.
    level_spheres : (L,) ndarray of intp
        Spheres on each level.
    cells : (L,) ndarray of intp
        Cells that there are.
    occupied : (L,) ndarray of intp
        Those that hold spheres.
    pair_tests : (L,) ndarray of intp
        Spheres in the cells that the level's spheres look into; half of those in its own cell.
    cell_accesses : (L,) ndarray of intp
        Those cells; of its own level half, and its own cell.

    Examples
    --------
    >>> import abut
    >>> finder = abut.PairFinder([1.0, 1.0, 0.5], levels=[1.0, 2.0])
    >>> pairs = finder.find([[0, 0, 0], [1.5, 0, 0], [1.5, 1, 0]])
    >>> finder.statistics().level_spheres
    array([1, 2])
    """

    spheres: int
    pairs: int
    distances: int
    bytes: int
    sizes: NDArray[np.float64]
    lengths: NDArray[np.float64]
    level_spheres: NDArray[np.intp]
    cells: NDArray[np.intp]
    occupied: NDArray[np.intp]
    pair_tests: NDArray[np.intp]
    cell_accesses: NDArray[np.intp]

    @property
    def spheres_per_cell(self) -> NDArray[np.float64]:
        """Spheres for each cell of a level, (L,); NaN where it has no cells."""
        cells = self.cells.astype(float)
        return np.divide(
            self.level_spheres, cells, out=np.full(len(cells), np.nan), where=cells > 0
        )

    @property
    def pair_tests_per_sphere(self) -> float:
        """Pairs to be tested, of all levels, for each sphere; NaN without spheres."""
        return _ratio(int(self.pair_tests.sum()), self.spheres)

    @property
    def cell_accesses_per_sphere(self) -> float:
        """Cells looked into, of all levels, for each sphere; NaN without spheres."""
        return _ratio(int(self.cell_accesses.sum()), self.spheres)

    def __repr__(self) -> str:
        return (
            f"PairStatistics({counted(self.spheres, 'sphere')};"
            f" cell accesses {int(self.cell_accesses.sum())} :"
            f" pair tests {int(self.pair_tests.sum())} : distances {self.distances} :"
            f" pairs {self.pairs};\n"
            f"    {counted(len(self.sizes), 'level')},"
            f" {int(self.occupied.sum())} of {counted(int(self.cells.sum()), 'cell')} occupied,"
            f" {counted(self.bytes, 'byte')})"
        )


# the names that statistics show for the parts of a step, in the order of these
_PARTS = {
    "neighbors": "neighbor lists",
    "find_walls": "find walls",
    "wall_laws": "match and laws of walls",
    "pair_laws": "pairs and their laws",
    "sums": "sums",
    "move": "motion",
    "order": "order",
}

# further parts of a step where there are convex bodies
_BODY_PARTS = {"find_bodies": "find bodies' contacts", "body_laws": "laws of bodies"}

# and where there are bonds
_BOND_PARTS = {"bond_laws": "bonds"}

# parts of `Simulation.run` beside its steps, each shown where it has taken time
_RUN_PARTS = {"insertion": "insertion", "calls": "Python callables", "rest": "rest of run"}


class Clock:
    """Tells how long each part of a run takes; one part at a time."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        # the part that it counts at the moment, and when that began
        self._part: str | None = None
        self._since = 0.0

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Count this part meanwhile, and then again the one that it counted before."""
        before = self._part
        self._turn_to(part)
        try:
            yield
        finally:
            self._turn_to(before)

    def seconds(self) -> dict[str, float]:
        """How long each part took so far."""
        self._turn_to(self._part)
        return dict(self._seconds)

    def _turn_to(self, part: str | None) -> None:
        now = perf_counter()
        if self._part is not None:
            known = self._seconds.get(self._part, 0.0)
            self._seconds[self._part] = known + now - self._since
        self._part, self._since = part, now


@dataclass(frozen=True, repr=False, slots=True)
class SimulationStatistics:
    """What the steps of a simulation did, and where the time went.

    Made by `Simulation.statistics`; its text is a table of the parts of a step.

    Attributes
    ----------
    steps : int
        Done so far; a simulation that was loaded counts on.
    spheres, contacts, pairs : int
        There are now; contacts and pairs as the last step found them.
    neighbors, find_walls, wall_laws, pair_laws, sums, move, order : float
        How many seconds the parts of all steps took since the simulation was made or loaded: to
        look whether neighbor lists are whole and make them anew, to find contacts with walls, to
        match them and apply their laws, to find pairs and apply their laws, to sum up forces, to
        move the spheres, and to keep them in the order of their places. Of fewer than 1,000 spheres
        each 16th step is asked how it spends its time, and counts for all.
    bytes : int
        Memory of the simulation, but for what its finders keep.
    sphere_steps : int
        Steps times spheres, and bodies, since then.
    find_bodies, body_laws : float
        As the parts above: to find what convex bodies touch, and to apply their laws.
    bodies, body_contacts : int
        Bodies that there are, and their contacts with walls, each other and spheres, as the last
        step found them.
    lists_moved, lists_changed, lists_of_walls : int
        How often the list of who may come to touch whom was made since then: since a sphere had
        used up the way that it was allowed, since spheres had come, gone, or changed in size or in
        their order; and its part of who is near walls alone, since walls had moved too far.
    candidates : int
        Pairs of those lists that were looked at, in all steps together.
    bond_laws : float
        As the parts above: what bonds exert, and which of them break.
    bonds, breakages : int
        Bonds that there are, and that have broken so far.
    insertion, calls, rest : float
        What `Simulation.run` took beside these parts: to let spheres come in, what is called
        (`add_force`, `add_body_force`, `every`, `record`, motions that are callables), and all
        that remains.
    left : int
        How many spheres, clusters and bodies have left the bounds so far.
    seconds : float
        All parts together: how long `run` took, since then.

    Examples
    --------
    >>> from abut.search.statistics import SimulationStatistics
    >>> SimulationStatistics(1000, 100, 20, 50, 0.002, 0.01, 0.004, 0.018, 0.001, 0.002,
    ...                           0.0005, 20_000, 100_000, lists_moved=24, lists_changed=1,
    ...                           candidates=140_000)
    SimulationStatistics(1000 steps; 100 spheres, 20 contacts, 50 pairs; 200 bytes a sphere)
        part of a step            seconds   ns a sphere-step
        neighbor lists              0.002               20.0
        find walls                   0.01              100.0
        match and laws of walls     0.004               40.0
        pairs and their laws        0.018              180.0
        sums                        0.001               10.0
        motion                      0.002               20.0
        order                      0.0005                5.0
        all                        0.0375              375.0
        neighbor lists: 25 made (24 moved, 1 changed); 1.4 candidates a sphere
    """

    steps: int
    spheres: int
    contacts: int
    pairs: int
    neighbors: float
    find_walls: float
    wall_laws: float
    pair_laws: float
    sums: float
    move: float
    order: float
    bytes: int
    sphere_steps: int
    find_bodies: float = 0.0
    body_laws: float = 0.0
    bodies: int = 0
    body_contacts: int = 0
    lists_moved: int = 0
    lists_changed: int = 0
    lists_of_walls: int = 0
    candidates: int = 0
    bond_laws: float = 0.0
    bonds: int = 0
    breakages: int = 0
    insertion: float = 0.0
    calls: float = 0.0
    rest: float = 0.0
    left: int = 0

    @classmethod
    def of(cls, counted: Mapping[str, Any], run: Mapping[str, float]) -> SimulationStatistics:
        """From what the library counts of steps, and the clock of `run`."""
        found = cls(**counted)
        # the library and Python have clocks of their own, whose difference may be below 0
        rest = max(0.0, run.get("run", 0.0) - found.seconds)
        insertion, calls = run.get("insertion", 0.0), run.get("calls", 0.0)
        return replace(found, insertion=insertion, calls=calls, rest=rest)

    @property
    def seconds(self) -> float:
        """Time of all parts."""
        return sum(
            getattr(self, name) for name in (*_PARTS, *_BODY_PARTS, *_BOND_PARTS, *_RUN_PARTS)
        )

    @property
    def ns_per_sphere_step(self) -> float:
        """Nanoseconds that a sphere, or a body, takes in a step; NaN before the first."""
        return self._ns(self.seconds)

    def _ns(self, seconds: float) -> float:
        return 1e9 * seconds / self.sphere_steps if self.sphere_steps else float("nan")

    def __repr__(self) -> str:
        parts = _PARTS | (_BODY_PARTS if self.bodies else {})
        parts |= _BOND_PARTS if self.bond_laws else {}
        parts |= {name: text for name, text in _RUN_PARTS.items() if getattr(self, name)}
        rows = [(text, getattr(self, name)) for name, text in parts.items()]
        bodies = f", {counted(self.bodies, 'body', 'bodies')}" if self.bodies else ""
        bonds = f", {counted(self.bonds, 'bond')}" if self.bonds else ""
        one = "body" if self.bodies else "sphere"
        lines = [
            f"    {text:<24}{seconds:>9.4g}{self._ns(seconds):>19.1f}"
            for text, seconds in [*rows, ("all", self.seconds)]
        ]
        return "\n".join(
            [
                f"SimulationStatistics({counted(self.steps, 'step')};"
                f" {counted(self.spheres, 'sphere')}{bodies}, {counted(self.contacts, 'contact')},"
                f" {counted(self.pairs, 'pair')}{bonds};"
                f" {_ratio(self.bytes, self.spheres + self.bodies):.0f} bytes a {one})",
                f"    {'part of a step':<24}{'seconds':>9}{f'ns a {one}-step':>19}",
                *lines,
                *([f"    {self.left} left the bounds"] if self.left else []),
                *self._lists(),
            ]
        )

    def _lists(self) -> list[str]:
        """What the text says of neighbor lists; nothing where there were none."""
        made = self.lists_moved + self.lists_changed
        if not made:
            return []
        walls = f", {self.lists_of_walls} more of walls" if self.lists_of_walls else ""
        each = _ratio(self.candidates, self.sphere_steps)
        return [
            f"    neighbor lists: {made} made ({self.lists_moved} moved,"
            f" {self.lists_changed} changed){walls}; {each:.1f} candidates a sphere"
        ]


def _ratio(count: int, of: int) -> float:
    return count / of if of else float("nan")
