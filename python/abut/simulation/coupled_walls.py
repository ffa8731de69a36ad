"""Walls of a coupling, such as the one with LAMMPS."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

from .. import _core
from ..base.arrays import Doubles
from ..results.contacts import Contacts
from ..results.maps import vertex_sums
from ..search.mesh import Mesh
from .motions import Given, Motion
from .wall_entries import WallEntry, wall_columns
from .walls import Walls


class CoupledWalls(Walls):
    """Walls of a coupling. No wall can be added or removed; motions can change."""

    def __init__(self, core: _core.Coupling, step: float, entries: Sequence[WallEntry]) -> None:
        super().__init__(core)
        self._length, self._entries = step, entries

    @property
    def _step(self) -> float:
        return self._length

    @property
    def entries(self) -> Sequence[WallEntry]:
        return self._entries

    def move_some(self, motions: Mapping[int, Motion | Given | None], time: float) -> None:
        """Give walls new motions, from the walls' current places on. An error changes nothing."""
        begun = {number: self._moved(number, motion, time) for number, motion in motions.items()}
        states = {number: self._checked(e, time) for number, e in begun.items() if e.is_given}
        entries = [*(dict(enumerate(self._entries)) | begun).values()]
        try:
            self._send(entries)
            self._entries = entries
        except BaseException:
            # the library may have the new walls when Ctrl-C arrives: send the old walls again
            self._send(self._entries)
            raise
        for number, state in states.items():
            self._core.place(self._stored(number), state)

    def nodal_forces(self, number: int, contacts: Contacts) -> Doubles:
        """Forces of these contacts at the vertices of a wall's mesh, or at a half space's point."""
        mesh = self.entries[number].mesh
        count = len(mesh.vertices) if isinstance(mesh, Mesh) else 1
        return vertex_sums(contacts, -contacts.force, number, count)

    def _send(self, entries: Sequence[WallEntry]) -> None:
        cast(_core.Coupling, self._core).set_walls(wall_columns(entries))
