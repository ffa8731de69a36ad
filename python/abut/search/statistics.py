"""Counts and times of searches and simulations."""

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
    """Counts of a finder's last query, and of its bins, as `ContactFinder.statistics` returns them.

    A query finds the candidates of each sphere in bins. It excludes many of them by their boxes,
    computes the closest point of each remaining one, and makes contacts of touching facets.

    Attributes
    ----------
    spheres : int
        Spheres of the last query; 0 before the first query.
    candidates : int
        Entries of bins that the spheres were compared with.
    tests : int
        Closest points that were computed exactly, one for each triangle: a facet of k corners needs
        up to k - 2.
    touching : int
        Facets (not triangles) that were found to touch, summed over the spheres. With
        ``resolution="hierarchy"`` more may touch: if all facets near a sphere lie in one plane,
        only those below its center are tested, since the others cannot become contacts.
    contacts : int
        Contacts that remain after the resolution.
    sets : int
        Sets of bins that were built so far. For each mesh, queries need one for each octave of
        radius plus gap.
    cells : int
        Cells of all sets.
    occupied : int
        Cells that have entries.
    entries : int
        Facets in cells; a facet is in all cells from which a sphere may touch it.
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
        """Candidates per sphere; NaN without spheres."""
        return _ratio(self.candidates, self.spheres)

    @property
    def tests_per_touching(self) -> float:
        """Exact tests of triangles per touching facet; NaN if no facet touches."""
        return _ratio(self.tests, self.touching)

    @property
    def entries_per_facet(self) -> float:
        """Entries per facet, in all sets together; NaN without facets."""
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
    """Counts of a finder's last query for pairs, level by level, from `PairFinder.statistics`.

    The counts correspond to `expected_work`: every sphere accesses cells of its own level and of
    the levels below or above it, and each sphere in these cells makes a pair to test.

    Attributes
    ----------
    spheres : int
        Spheres of the last query; 0 before the first. In a query with others, the spheres search
        the levels of the others.
    pairs : int
        Pairs that were found.
    distances : int
        Distances that were computed: fewer than `pair_tests`, since cells that a sphere cannot
        reach are skipped.
    bytes : int
        Memory that the finder keeps for its next query.
    sizes : (L,) ndarray of float64
        The levels' sizes, ascending: the largest diameter, gap included, that spheres may have.
    lengths : (L, d) ndarray of float64
        The cells' lengths along each axis: at least the size.
    level_spheres : (L,) ndarray of intp
        Spheres on each level.
    cells : (L,) ndarray of intp
        Cells of each level.
    occupied : (L,) ndarray of intp
        Cells that hold spheres.
    pair_tests : (L,) ndarray of intp
        Spheres in the cells that the level's spheres access; in a sphere's own cell, half of them.
    cell_accesses : (L,) ndarray of intp
        Cells that the level's spheres access: on the own level half of them, and the own cell.

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
        """Spheres per cell of each level, (L,); NaN for a level without cells."""
        cells = self.cells.astype(float)
        return np.divide(
            self.level_spheres, cells, out=np.full(len(cells), np.nan), where=cells > 0
        )

    @property
    def pair_tests_per_sphere(self) -> float:
        """Pairs to test on all levels, per sphere; NaN without spheres."""
        return _ratio(int(self.pair_tests.sum()), self.spheres)

    @property
    def cell_accesses_per_sphere(self) -> float:
        """Accesses to cells on all levels, per sphere; NaN without spheres."""
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


# The parts of a step, in order, and their names in the text of statistics.
_PARTS = {
    "neighbors": "neighbor lists",
    "find_walls": "find walls",
    "wall_laws": "match and laws of walls",
    "pair_laws": "pairs and their laws",
    "sums": "sums",
    "move": "motion",
    "order": "order",
}

# Further parts of a step, which are shown if there are convex bodies.
_BODY_PARTS = {"find_bodies": "find bodies' contacts", "body_laws": "laws of bodies"}

# A further part of a step, which is shown if there are bonds.
_BOND_PARTS = {"bond_laws": "bonds"}

# The parts of `Simulation.run` that are not in its steps. A part is shown if it has taken time.
_RUN_PARTS = {"insertion": "insertion", "calls": "Python callables", "rest": "rest of run"}


class Clock:
    """A clock that adds up the time of each part of a run. Only one part is current at a time."""

    def __init__(self) -> None:
        self._seconds: dict[str, float] = {}
        # The current part, and the time when it became current.
        self._part: str | None = None
        self._since = 0.0

    @contextmanager
    def of(self, part: str) -> Iterator[None]:
        """Make this part current in the block; afterwards the previous part is current again."""
        before = self._part
        self._turn_to(part)
        try:
            yield
        finally:
            self._turn_to(before)

    def seconds(self) -> dict[str, float]:
        """Return the seconds of each part so far."""
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
    """Counts of a simulation's steps and the times of their parts, from `Simulation.statistics`.

    Its text is a table of the parts of a step. Times and counts begin when the simulation is made
    or loaded, except for `steps`.

    Attributes
    ----------
    steps : int
        Steps so far, including those before a simulation was saved and loaded.
    spheres, contacts, pairs : int
        Numbers of spheres now, and of contacts and pairs in the last step.
    neighbors, find_walls, wall_laws, pair_laws, sums, move, order : float
        Seconds for the parts of all steps. `neighbors`: to check and make neighbor lists.
        `find_walls`, `wall_laws`: to find contacts with walls; to match them and apply their laws.
        `pair_laws`: to find pairs and apply their laws. `sums`: to add up forces. `move`, `order`:
        to move the spheres; to keep them sorted by place. With fewer than 1,000 spheres, only each
        16th step is timed and stands for all.
    bytes : int
        Memory of the simulation, without the memory that its finders keep.
    sphere_steps : int
        Sum over the steps of the number of spheres and bodies.
    find_bodies, body_laws : float
        Seconds for finding the contacts of convex bodies, and for applying their laws.
    bodies, body_contacts : int
        Numbers of bodies now, and of their contacts with walls, each other and spheres in the last
        step.
    lists_moved, lists_changed, lists_of_walls : int
        How often neighbor lists were made. `lists_moved`: a sphere had moved farther than its skin
        allows. `lists_changed`: spheres were added, removed, resized or sorted. `lists_of_walls`:
        only the part for walls was made, since walls had moved too far.
    candidates : int
        Pairs of neighbor lists that were tested, in all steps.
    bond_laws : float
        Seconds for the forces of bonds and for breaking them.
    bonds, breakages : int
        Numbers of bonds now, and of bonds that have broken so far.
    insertion, calls, rest : float
        Seconds of `Simulation.run` besides the steps: for inserting spheres, for callables
        (`add_force`, `add_body_force`, `every`, `record`, and motions), and for the rest.
    left : int
        Number of spheres, clusters and bodies that have left the bounds so far.
    seconds : float
        Sum of all parts: the time of `run`.

    Examples
    --------
    >>> from abut.search.statistics import SimulationStatistics
    >>> SimulationStatistics(1000, 100, 20, 50, 0.002, 0.01, 0.004, 0.018, 0.001, 0.002,
    ...                           0.0005, 20_000, 100_000, lists_moved=24, lists_changed=1,
    ...                           candidates=140_000)
    SimulationStatistics(1000 steps; 100 spheres, 20 contacts, 50 pairs; 200 bytes per sphere)
        part of a step            seconds   ns per sphere-step
        neighbor lists              0.002                 20.0
        find walls                   0.01                100.0
        match and laws of walls     0.004                 40.0
        pairs and their laws        0.018                180.0
        sums                        0.001                 10.0
        motion                      0.002                 20.0
        order                      0.0005                  5.0
        all                        0.0375                375.0
        neighbor lists: 25 made (24 moved, 1 changed); 1.4 candidates per sphere
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
        """Make statistics from the library's counts and the seconds that `Clock` has measured."""
        found = cls(**counted)
        # The library and Python use different clocks, so the difference may be negative.
        rest = max(0.0, run.get("run", 0.0) - found.seconds)
        insertion, calls = run.get("insertion", 0.0), run.get("calls", 0.0)
        return replace(found, insertion=insertion, calls=calls, rest=rest)

    @property
    def seconds(self) -> float:
        """Sum of all parts, in seconds."""
        return sum(
            getattr(self, name) for name in (*_PARTS, *_BODY_PARTS, *_BOND_PARTS, *_RUN_PARTS)
        )

    @property
    def ns_per_sphere_step(self) -> float:
        """Nanoseconds per sphere or body and step; NaN before the first step."""
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
            f"    {text:<24}{seconds:>9.4g}{self._ns(seconds):>21.1f}"
            for text, seconds in [*rows, ("all", self.seconds)]
        ]
        return "\n".join(
            [
                f"SimulationStatistics({counted(self.steps, 'step')};"
                f" {counted(self.spheres, 'sphere')}{bodies}, {counted(self.contacts, 'contact')},"
                f" {counted(self.pairs, 'pair')}{bonds};"
                f" {_ratio(self.bytes, self.spheres + self.bodies):.0f} bytes per {one})",
                f"    {'part of a step':<24}{'seconds':>9}{f'ns per {one}-step':>21}",
                *lines,
                *([f"    {self.left} left the bounds"] if self.left else []),
                *self._lists(),
            ]
        )

    def _lists(self) -> list[str]:
        """Return the line about neighbor lists in a list; the list is empty if none were made."""
        made = self.lists_moved + self.lists_changed
        if not made:
            return []
        walls = f", {self.lists_of_walls} more of walls" if self.lists_of_walls else ""
        each = _ratio(self.candidates, self.sphere_steps)
        return [
            f"    neighbor lists: {made} made ({self.lists_moved} moved,"
            f" {self.lists_changed} changed){walls}; {each:.1f} candidates per sphere"
        ]


def _ratio(count: int, total: int) -> float:
    return count / total if total else float("nan")
