"""Values of contacts for the facets or vertices of a mesh, and the other way round."""

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
    """Return a mesh's number as an int, and this mesh; raise if the contacts have no meshes."""
    if contacts.meshes is None:
        raise ValueError("the contacts have no mesh: use load_contacts(path, meshes=mesh)")
    index = checks.number_of(number, "mesh", len(contacts.meshes), "mesh", "meshes")
    return index, contacts.meshes[index]


def facet_values(contacts: Contacts, values: ArrayLike, how: How, number: int) -> Doubles:
    """Compute the result of `Contacts.per_facet`."""
    reduce = checks.choice(how, "how", REDUCTIONS)
    index, mesh = mesh_of(contacts, number)
    rows = read_values(values, "values", len(contacts))
    facets, here = facets_of(contacts, index, len(mesh))
    return by_column(partial(reduce, len(mesh), facets), len(mesh), rows[here])


def facets_of(contacts: Contacts, mesh: int, count: int) -> tuple[Indices, NDArray[np.bool_]]:
    """Return the facets of contacts with a mesh of `count` facets, and which contacts these are."""
    here = contacts.mesh == mesh
    return _numbers(contacts.facet, here, count, "facet"), here


def vertex_values(contacts: Contacts, values: ArrayLike, number: int) -> Doubles:
    """Compute the result of `Contacts.per_vertex`."""
    index, mesh = mesh_of(contacts, number)
    rows = read_values(values, "values", len(contacts))
    return vertex_sums(contacts, rows, index, len(mesh.vertices))


def vertex_sums(contacts: Contacts, values: Doubles, mesh: int, count: int) -> Doubles:
    """Return the sum of weight times value for each of the `count` vertices of a mesh."""
    rows, nodes, weights = _nodes_of(contacts, mesh, count)

    def shared(column: Doubles) -> Doubles:
        return add_up(count, nodes, weights * column[rows])

    return by_column(shared, count, values)


def _nodes_of(contacts: Contacts, mesh: int, count: int) -> tuple[Indices, Indices, Doubles]:
    """Return the contact, the vertex and the weight of each node on a mesh of `count` vertices."""
    rows = np.repeat(np.arange(len(contacts)), np.diff(contacts.node_offsets))
    here = contacts.mesh[rows] == mesh
    return rows[here], _numbers(contacts.node, here, count, "node"), contacts.weight[here]


def contact_values(contacts: Contacts, values: ArrayLike, number: int) -> Doubles:
    """Compute the result of `Contacts.per_contact`."""
    index, mesh = mesh_of(contacts, number)
    array = read_values(values, "values", len(mesh.vertices))
    rows, nodes, weights = _nodes_of(contacts, index, len(mesh.vertices))

    def at_contacts(column: Doubles) -> Doubles:
        return add_up(len(contacts), rows, weights * column[nodes])

    return by_column(at_contacts, len(contacts), array)


def normal_stress(contacts: Contacts, forces: ArrayLike, number: int) -> Doubles:
    """Compute the result of `Contacts.stress`."""
    array = checks.points_each(forces, "forces", len(contacts), "contact")
    x, y, z = (array * contacts.normal).T
    pressing = facet_values(contacts, x + y + z, "sum", number)
    return pressing / mesh_of(contacts, number)[1].areas


def _numbers(column: Indices, here: NDArray[np.bool_], count: int, name: str) -> Indices:
    """Return the selected entries of a column; raise if they are not 0 to count - 1."""
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
