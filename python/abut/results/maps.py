"""Maps of contacts on a mesh: what its facets, or its vertices, carry."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.arrays import Doubles, Indices
from .history import check_numbers
from .sums import add_up, by_column, read_values

if TYPE_CHECKING:
    from ..options import How
    from ..search.mesh import Mesh
    from .contacts import Contacts


def mesh_of(contacts: Contacts, number: object) -> tuple[int, Mesh]:
    """A mesh's number, as an int, and the mesh; errors where the contacts do not know it."""
    index = checks.whole(number, "mesh")
    if contacts.meshes is None:
        raise ValueError(
            "the contacts do not know their mesh: load_contacts(path, meshes=mesh) tells them"
        )
    if not 0 <= index < len(contacts.meshes):
        count = checks.there_are(len(contacts.meshes), "mesh", "meshes")
        raise IndexError(f"there is no mesh {index}: {count}, from 0")
    return index, contacts.meshes[index]


def facet_values(contacts: Contacts, values: ArrayLike, how: How, number: int) -> Doubles:
    """What `Contacts.per_facet` returns."""
    reduce = checks.choice(how, "how", REDUCTIONS)
    index, mesh = mesh_of(contacts, number)
    rows = read_values(values, "values", contacts)
    facets, here = facets_of(contacts, index, len(mesh))
    return by_column(partial(reduce, len(mesh), facets), len(mesh), rows[here])


def facets_of(contacts: Contacts, mesh: int, count: int) -> tuple[Indices, NDArray[np.bool_]]:
    """The facets of a mesh, of which there are `count`, that contacts name; and which contacts."""
    here = contacts.mesh == mesh
    return _numbers(contacts.facet, here, count, "facet"), here


def vertex_values(contacts: Contacts, values: ArrayLike, number: int) -> Doubles:
    """What `Contacts.per_vertex` returns."""
    index, mesh = mesh_of(contacts, number)
    rows = read_values(values, "values", contacts)
    return vertex_sums(contacts, rows, index, len(mesh.vertices))


def vertex_sums(contacts: Contacts, values: Doubles, mesh: int, count: int) -> Doubles:
    """The sums over each of a mesh's vertices, of which there are `count`, by nodal weights."""
    rows = np.repeat(np.arange(len(contacts)), np.diff(contacts.node_offsets))
    here = contacts.mesh[rows] == mesh
    nodes = _numbers(contacts.node, here, count, "node")
    rows, weights = rows[here], contacts.weight[here]

    def shared(column: Doubles) -> Doubles:
        return add_up(count, nodes, weights * column[rows])

    return by_column(shared, count, values)


def contact_values(contacts: Contacts, values: ArrayLike, number: int) -> Doubles:
    """What `Contacts.per_contact` returns."""
    index, mesh = mesh_of(contacts, number)
    count = len(mesh.vertices)
    array = checks.doubles(values, "values")
    if array.ndim not in (1, 2) or len(array) != count:
        raise ValueError(f"values has shape {array.shape}, but must be ({count},) or ({count}, k)")
    rows = np.repeat(np.arange(len(contacts)), np.diff(contacts.node_offsets))
    here = contacts.mesh[rows] == index
    nodes = _numbers(contacts.node, here, count, "node")
    rows, weights = rows[here], contacts.weight[here]

    def at_contacts(column: Doubles) -> Doubles:
        return add_up(len(contacts), rows, weights * column[nodes])

    return by_column(at_contacts, len(contacts), array)


def normal_stress(contacts: Contacts, forces: ArrayLike, number: int) -> Doubles:
    """What `Contacts.stress` returns."""
    array = checks.points(forces, "forces")
    if len(array) != len(contacts):
        there = checks.there_are(len(contacts), "contact")
        raise ValueError(f"forces has {checks.counted(len(array), 'row')}, but {there}")
    x, y, z = (array * contacts.normal).T
    pressing = facet_values(contacts, x + y + z, "sum", number)
    return pressing / mesh_of(contacts, number)[1].areas


def _numbers(column: Indices, here: NDArray[np.bool_], count: int, name: str) -> Indices:
    """The entries of a column that number things of this mesh, of which there are `count`."""
    check_numbers(np.where(here, column, 0), max(count, 1), name)
    return column[here]


def _greatest(count: int, numbers: Indices, column: Doubles) -> Doubles:
    found = np.full(count, -np.inf)
    with np.errstate(invalid="ignore"):
        np.maximum.at(found, numbers, column)
    found[np.bincount(numbers, minlength=count) == 0] = np.nan
    return found


def _mean(count: int, numbers: Indices, column: Doubles) -> Doubles:
    with np.errstate(invalid="ignore"):
        return add_up(count, numbers, column) / np.bincount(numbers, minlength=count)


REDUCTIONS: dict[How, Callable[[int, Indices, Doubles], Doubles]] = {
    "sum": add_up,
    "max": _greatest,
    "mean": _mean,
}
