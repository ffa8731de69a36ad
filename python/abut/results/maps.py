"""Values of contacts for the facets or vertices of a mesh, and the other way round."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.arrays import Doubles, Indices
from ..base.extras import import_extra
from .contact_table import ContactTable
from .history import check_numbers
from .sums import add_up, by_column, read_values

if TYPE_CHECKING:
    from scipy.sparse import csr_array

    from ..options import How
    from ..search.mesh import Mesh


class MeshValues(ContactTable):
    """The methods of `Contacts` that make maps on a mesh."""

    facet: NDArray[np.intp]
    mesh: NDArray[np.intp]
    node: NDArray[np.intp]
    weight: NDArray[np.float64]
    node_offsets: NDArray[np.intp]
    meshes: tuple[Mesh, ...] | None

    def weight_matrix(self, mesh: int = 0) -> csr_array:
        """Return the nodal weights as a sparse matrix, to distribute forces to vertices.

        Parameters
        ----------
        mesh : int, default 0
            Number of the mesh. Rows of contacts with other meshes are empty.

        Returns
        -------
        scipy.sparse.csr_array
            W, (m, vertices of the mesh). With forces (m, 3) on the spheres, ``W.T @ -forces`` are
            the forces on the vertices, in the world. Their sum equals the sum of the forces at the
            contacts with this mesh. Their moment is also equal, with vertices moved by pose and
            image.

        Raises
        ------
        IndexError
            If there is no such mesh.
        ValueError
            If the contacts have no meshes.
        ImportError
            If SciPy is not installed (extra ``scipy``).

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.5, 0.25, 0.5]], 1.0, mesh)
        >>> contacts.weight_matrix().toarray()
        array([[0.25, 0.5 , 0.25]])
        """
        sparse = import_extra("scipy.sparse", "scipy")
        number, touched = mesh_of(self, mesh)
        shape = len(self), len(touched.vertices)
        counts = np.diff(self.node_offsets)
        here = self.mesh == number
        nodes = np.repeat(here, counts)
        offsets = np.concatenate([[0], np.cumsum(counts * here)])
        # These arrays are not the columns themselves, since SciPy sorts and sums in place.
        return sparse.csr_array((self.weight[nodes], self.node[nodes], offsets), shape)

    def per_facet(self, values: ArrayLike, how: How = "sum", mesh: int = 0) -> NDArray[np.float64]:
        """Reduce values of the contacts to one for each facet of a mesh, such as for a map of wear.

        Parameters
        ----------
        values : (m,) or (m, k) array_like
            A number, or k numbers, for each contact, including those with other meshes. Forces on
            the mesh are opposite to forces on the spheres: give ``-forces``.
        how : {"sum", "max", "mean"}
            The result for each facet: the sum, the maximum or the mean over its contacts.
        mesh : int, default 0
            Number of the mesh.

        Returns
        -------
        (facets of the mesh,) or (facets, k) ndarray of float64
            In the order of the mesh's facets. For facets without contacts the sum is 0, and the
            maximum and mean are NaN, since 0 may be a real value. ParaView shows NaN in a special
            color; ``np.nanmax`` ignores it, and ``np.nan_to_num`` replaces it by 0.

        Raises
        ------
        ValueError
            If `values` has the wrong shape, `how` is none of these words, the contacts have no
            meshes, or `facet` has wrong numbers.
        IndexError
            If there is no such mesh.
        TypeError
            If `values` are not real numbers.

        See Also
        --------
        per_vertex : Sums for vertices, with nodal weights.
        stress : Normal force divided by area.

        Notes
        -----
        A contact with an edge or a vertex counts only for the facet in the column `facet`.

        Examples
        --------
        Two spheres on one facet of a floor, and one on the other:

        >>> import abut, numpy as np
        >>> vertices = [[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]]
        >>> floor = abut.Mesh(vertices, [[0, 1, 2], [0, 2, 3]])
        >>> contacts = abut.find_contacts([[2, 1, 0.5], [3, 1, 0.75], [1, 2, 0.5]], 1.0, floor)
        >>> forces = 100 * contacts.overlap[:, None] * contacts.normal
        >>> contacts.per_facet(-forces)[:, 2]
        array([-75., -50.])
        >>> contacts.per_facet(contacts.overlap, "max")
        array([0.5, 0.5])
        >>> contacts[1:2].per_facet(contacts[1:2].overlap, "mean")
        array([0.25,  nan])

        How many contacts each facet has:

        >>> contacts.per_facet(np.ones(len(contacts)))
        array([2., 1.])
        """
        return facet_values(self, values, how, mesh)

    def per_vertex(self, values: ArrayLike, mesh: int = 0) -> NDArray[np.float64]:
        """Sum values of the contacts for each vertex of a mesh, with nodal weights.

        Parameters
        ----------
        values, mesh
            As for `per_facet`.

        Returns
        -------
        (vertices of the mesh,) or (vertices, k) ndarray of float64
            The sum of weight times value over each vertex's contacts; 0 without contacts. The sum
            over all vertices equals the sum of the values over the contacts with this mesh.

        Raises
        ------
        ValueError, IndexError, TypeError
            As `per_facet`, but for wrong numbers in `node`.

        See Also
        --------
        per_facet : A map on facets.
        weight_matrix : The weights as a sparse matrix W; ``W.T @ values`` is the same result.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.5, 0.25, 0.5]], 1.0, mesh)
        >>> contacts.per_vertex([[0, 0, -8]])
        array([[ 0.,  0., -2.],
               [ 0.,  0., -4.],
               [ 0.,  0., -2.]])
        """
        return vertex_values(self, values, mesh)

    def per_contact(self, values: ArrayLike, mesh: int = 0) -> NDArray[np.float64]:
        """Interpolate values of a mesh's vertices, such as velocities, at each contact with it.

        Parameters
        ----------
        values : (vertices of the mesh,) or (vertices, k) array_like
            A number, or k numbers, for each vertex.
        mesh : int, default 0
            As for `per_facet`.

        Returns
        -------
        (m,) or (m, k) ndarray of float64
            The sum of weight times value over each contact's nodes; 0 for contacts with other
            meshes. Values that are linear on a facet are reproduced exactly. This is the transpose
            of `per_vertex`: nodal forces by `per_vertex` do the same work on nodal velocities as
            contact forces do on velocities by `per_contact`.

        Raises
        ------
        ValueError, IndexError, TypeError
            As `per_vertex`, with `values` for vertices.

        Examples
        --------
        A plate has one corner that moves up; its velocity below a sphere:

        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> contacts = abut.find_contacts([[0.5, 0.25, 0.5]], 1.0, mesh)
        >>> contacts.per_contact([[0, 0, 0], [0, 0, 8], [0, 0, 0]])
        array([[0., 0., 4.]])
        """
        return contact_values(self, values, mesh)

    def stress(self, forces: ArrayLike, mesh: int = 0) -> NDArray[np.float64]:
        """Compute the normal stress on each facet of a mesh: normal force divided by area.

        Parameters
        ----------
        forces : (m, 3) array_like
            Force of each contact on its sphere, including contacts with other meshes, such as
            `force` in a `Simulation`.
        mesh : int, default 0
            As for `per_facet`.

        Returns
        -------
        (facets of the mesh,) ndarray of float64
            Force per area: positive if the spheres press on the facet, negative if they pull, 0
            without contacts. It is the sum of the scalar products of force and normal over the
            facet's contacts, divided by the facet's area.

        Raises
        ------
        ValueError, IndexError, TypeError
            As `per_facet`, for `forces`.

        See Also
        --------
        per_facet : Other maps; ``per_facet(-forces)`` has the total force on each facet.
        virial : The walls' part in the mean stress of the spheres.

        Notes
        -----
        The normals of the contacts, which point to the spheres, are used, not those of the facets.
        So the map does not depend on the order of corners. Forces on a facet's back and on its
        front add up, although their resultant may be 0. If a sphere touches an edge or a vertex,
        its whole normal force counts for the facet in `facet`. Friction, which is perpendicular to
        the normal, does not count.

        A half space has no area: in tables of a `Simulation`, its facet is a triangle of area 0.5.

        Examples
        --------
        Spheres press on a floor of two facets from above and from below:

        >>> import abut
        >>> vertices = [[0, 0, 0], [4, 0, 0], [4, 4, 0], [0, 4, 0]]
        >>> floor = abut.Mesh(vertices, [[0, 1, 2], [0, 2, 3]])
        >>> contacts = abut.find_contacts([[3, 1, 0.5], [3, 1, -0.5], [1, 2, 0.5]], 1.0, floor)
        >>> forces = 100 * contacts.overlap[:, None] * contacts.normal
        >>> floor.areas
        array([8., 8.])
        >>> contacts.stress(forces)
        array([12.5 ,  6.25])
        """
        return normal_stress(self, forces, mesh)


def mesh_of(contacts: MeshValues, number: object) -> tuple[int, Mesh]:
    """Return a mesh's number as an int, and this mesh; raise if the contacts have no meshes."""
    if contacts.meshes is None:
        raise ValueError("the contacts have no mesh: use load_contacts(path, meshes=mesh)")
    index = checks.number_of(number, "mesh", len(contacts.meshes), "mesh", "meshes")
    return index, contacts.meshes[index]


def facet_values(contacts: MeshValues, values: ArrayLike, how: How, number: int) -> Doubles:
    """Compute the result of `Contacts.per_facet`."""
    reduce = checks.choice(how, "how", REDUCTIONS)
    index, mesh = mesh_of(contacts, number)
    rows = read_values(values, "values", len(contacts))
    facets, here = facets_of(contacts, index, len(mesh))
    return by_column(partial(reduce, len(mesh), facets), len(mesh), rows[here])


def facets_of(contacts: MeshValues, mesh: int, count: int) -> tuple[Indices, NDArray[np.bool_]]:
    """Return the facets of contacts with a mesh of `count` facets, and which contacts these are."""
    here = contacts.mesh == mesh
    return _numbers(contacts.facet, here, count, "facet"), here


def vertex_values(contacts: MeshValues, values: ArrayLike, number: int) -> Doubles:
    """Compute the result of `Contacts.per_vertex`."""
    index, mesh = mesh_of(contacts, number)
    rows = read_values(values, "values", len(contacts))
    return vertex_sums(contacts, rows, index, len(mesh.vertices))


def vertex_sums(contacts: MeshValues, values: Doubles, mesh: int, count: int) -> Doubles:
    """Return the sum of weight times value for each of the `count` vertices of a mesh."""
    rows, nodes, weights = _nodes_of(contacts, mesh, count)

    def shared(column: Doubles) -> Doubles:
        return add_up(count, nodes, weights * column[rows])

    return by_column(shared, count, values)


def _nodes_of(contacts: MeshValues, mesh: int, count: int) -> tuple[Indices, Indices, Doubles]:
    """Return the contact, the vertex and the weight of each node on a mesh of `count` vertices."""
    rows = np.repeat(np.arange(len(contacts)), np.diff(contacts.node_offsets))
    here = contacts.mesh[rows] == mesh
    return rows[here], _numbers(contacts.node, here, count, "node"), contacts.weight[here]


def contact_values(contacts: MeshValues, values: ArrayLike, number: int) -> Doubles:
    """Compute the result of `Contacts.per_contact`."""
    index, mesh = mesh_of(contacts, number)
    array = read_values(values, "values", len(mesh.vertices))
    rows, nodes, weights = _nodes_of(contacts, index, len(mesh.vertices))

    def at_contacts(column: Doubles) -> Doubles:
        return add_up(len(contacts), rows, weights * column[nodes])

    return by_column(at_contacts, len(contacts), array)


def normal_stress(contacts: MeshValues, forces: ArrayLike, number: int) -> Doubles:
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
