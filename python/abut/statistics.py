"""What a search did, in numbers."""

from __future__ import annotations

from dataclasses import dataclass

from .checks import counted


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
        Facets (not triangles) that touch, summed over the spheres.
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
    >>> import abut
    >>> abut.Statistics(10, 120, 30, 24, 12, sets=1, cells=64, occupied=20, entries=90,
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


def _ratio(count: int, of: int) -> float:
    return count / of if of else float("nan")
