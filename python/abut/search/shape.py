"""Convex polygons and polyhedra, which may be rounded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike

from .. import _core
from ..base import checks
from ..base.arrays import Doubles, Indices
from ..base.extras import import_extra
from .convex_hull import hull_facets
from .facets import Corners, Faceted, FacetsLike, Held, read_facets, regular
from .mesh import Mesh

if TYPE_CHECKING:
    from trimesh import Trimesh

    from ..options import Canvas, ShapePlotOptions


_BODIES = {2: "polygon", 3: "polyhedron"}


class ConvexShape(Faceted):
    """A convex polygon or polyhedron, which may be rounded, and which bodies can share.

    Parameters
    ----------
    vertices : (v, 3) or (v, 2) array_like
        Coordinates in the shape's own frame, in any unit of length. The origin of this frame, which
        may be anywhere, is at the position of a body.
    facets : (m, k) integer array, list of index sequences, or tuple (indices, offsets), optional
        The corners of each facet, as for `Mesh`: counter-clockwise as seen from outside. For a
        polygon, its sides, with two corners each and the polygon on their left. By default the
        facets of the convex hull of the vertices, which needs SciPy (extra ``scipy``).
    radius : float, default 0
        Radius of the rounding: the body is all points within this distance of the polyhedron.

    Attributes
    ----------
    vertices : (v, d) ndarray of float64
        The given vertices that are corners, in the given order.
    indices, offsets : (k,) and (m + 1,) ndarray of intp
        The corners of the facets, as in a `Mesh`.
    edges : (e, 2) ndarray of intp
        The vertices of each edge. A polygon has no edges: its sides are its facets.
    edge_facets : (e, 2) ndarray of intp
        The facets on the left and on the right of each edge, as seen from outside.
    normals : (m, d) ndarray of float64
        Unit normals of the facets, outward.
    source : (v,) ndarray of intp
        Each vertex's number among the given vertices.
    dimension : int
        2 for a polygon, 3 for a polyhedron.
    radius : float
        As given.
    centroid : (d,) ndarray of float64
        The rounded body's center of mass.
    volume : float
        Volume of the rounded body; for a polygon its area.
    inertia : (3, 3) ndarray of float64, or float
        Inertia of the rounded body about its centroid, for density 1; for a polygon the polar
        moment.
    circumradius : float
        Radius of the smallest sphere about the centroid that contains the rounded body.

    Raises
    ------
    ValueError
        If a coordinate is not finite, there are fewer than d + 1 vertices, or all are in one plane
        (on one line). If the radius is negative, or given facets are not convex, not closed or not
        outward. The message names the first wrong value.
    TypeError
        If the vertices are not real numbers, or the facets not integers.
    ImportError
        If no facets are given and SciPy is not installed.

    See Also
    --------
    ConvexFinder : Finds the contacts of bodies that have shapes.

    Notes
    -----
    Facets in one plane become one facet: a cube of 12 triangles has 6 squares. Vertices that are
    then not a corner of three facets are dropped. The features of contacts are numbers of the
    remaining facets, edges and vertices.

    A shape is immutable: its arrays are read-only. Two shapes are equal if all their numbers are.
    It can be pickled and copied, and its ``len`` is the number of facets.

    Examples
    --------
    >>> import abut
    >>> cube = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    >>> cube
    ConvexShape(polyhedron: 6 facets, 12 edges, 8 vertices)
    >>> round(cube.volume, 9), cube.centroid
    (8.0, array([0., 0., 0.]))

    With rounded edges and corners, and a triangle in the plane:

    >>> abut.ConvexShape(cube.vertices, radius=0.05)
    ConvexShape(polyhedron: 6 facets, 12 edges, 8 vertices; radius 0.05)
    >>> triangle = abut.ConvexShape([[0, 0], [3, 0], [0, 4]], [[0, 1], [1, 2], [2, 0]])
    >>> triangle.normals
    array([[ 0. , -1. ],
           [ 0.8,  0.6],
           [-1. ,  0. ]])
    """

    __slots__ = ()

    _core: _core.Shape
    _source: Indices

    dimension = Held[int]()
    edges = Held[Indices]()
    edge_facets = Held[Indices]()
    radius = Held[float]()
    centroid = Held[Doubles]()
    volume = Held[float]()
    inertia = Held[Doubles | float]()
    circumradius = Held[float]()

    def __new__(
        cls, vertices: ArrayLike, facets: FacetsLike | None = None, *, radius: float = 0.0
    ) -> ConvexShape:
        if hasattr(vertices, "vertices"):
            what = checks.a_or_an(type(vertices).__name__)
            raise TypeError(f"vertices is {what}: use ConvexShape.from_any")
        # The arrays are copied, since another thread may change the caller's arrays meanwhile.
        points = checks.points(vertices, "vertices", (3, 2)).copy()
        rounding = checks.number(radius, "radius")
        corners = _hull(points) if facets is None else read_facets(facets)
        indices, offsets = (array.copy() for array in corners)
        return cls._build(points, (indices, offsets), rounding, None)

    @classmethod
    def _build(
        cls, vertices: Doubles, corners: Corners, radius: float, source: Indices | None
    ) -> ConvexShape:
        """Make a shape of contiguous arrays; source: the number in the input of each vertex."""
        core = _core.Shape(vertices, *corners, radius)
        shape = object.__new__(cls)
        shape._core = core
        shape._source = core.source if source is None else source[core.source]
        shape._source.flags.writeable = False
        return shape

    @classmethod
    def from_any(cls, obj: Any, *, radius: float | None = None) -> ConvexShape:
        """Make a shape from a mesh, hull or polygon of another package.

        Parameters
        ----------
        obj : ConvexShape, Mesh, or other
            One of

            - a `ConvexShape`, which is returned as it is, unless `radius` differs;
            - a `Mesh`, or an object that `Mesh.from_any` takes (of trimesh, pyvista or meshio, or
              an (m, k, 3) array of facet vertices), with convex, closed and outward facets;
            - a SciPy ``ConvexHull``;
            - a shapely ``Polygon``.
        radius : float, optional
            As for `ConvexShape`; by default 0, or that of the given `ConvexShape`.

        Returns
        -------
        ConvexShape

        Raises
        ------
        TypeError
            If `obj` is of another kind.
        ValueError
            As for `ConvexShape`. For the convex hull of a mesh that is not convex use
            ``ConvexShape(obj.vertices)``.

        Examples
        --------
        >>> import abut
        >>> corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]
        >>> mesh = abut.Mesh(corners, [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]])
        >>> abut.ConvexShape.from_any(mesh, radius=0.125)
        ConvexShape(polyhedron: 4 facets, 6 edges, 4 vertices; radius 0.125)
        """
        if isinstance(obj, ConvexShape):
            same = radius is None or radius == obj.radius
            return obj if same else obj.rounded(radius)  # type: ignore[arg-type]
        rounding = 0.0 if radius is None else radius
        if hasattr(obj, "exterior"):
            return cls(*_outline(obj), radius=rounding)
        if hasattr(obj, "simplices") and hasattr(obj, "equations"):
            return cls(obj.points, radius=rounding)
        mesh = Mesh.from_any(obj)
        return cls(mesh.vertices, (mesh.indices, mesh.offsets), radius=rounding)

    def _scaled(self, factor: float) -> ConvexShape:
        return self._changed(self.vertices * factor, self.radius * factor)

    def centered(self) -> ConvexShape:
        """Return the shape with its centroid at the origin, up to rounding errors.

        The position of a body is then its center of mass.

        Returns
        -------
        ConvexShape
            With moved vertices and the same rounding.

        Examples
        --------
        >>> import abut
        >>> abut.ConvexShape([[0, 0], [3, 0], [0, 3]]).centered().vertices
        array([[-1., -1.],
               [ 2., -1.],
               [-1.,  2.]])
        """
        return self._changed(self.vertices - self.centroid, self.radius)

    def rounded(self, radius: float) -> ConvexShape:
        """Return the same polygon or polyhedron with another rounding.

        Parameters
        ----------
        radius : float
            As for `ConvexShape`; it is added to the polyhedron.

        Returns
        -------
        ConvexShape

        Examples
        --------
        >>> import abut
        >>> square = abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]])
        >>> square.rounded(1.0).volume - square.volume  # at the sides 4, at the corners pi
        7.14159265358979...
        """
        return self._changed(self.vertices, checks.number(radius, "radius"))

    def _changed(self, vertices: Doubles, radius: float) -> ConvexShape:
        return self._build(vertices, (self.indices, self.offsets), radius, self._source)

    def to_mesh(self) -> Mesh:
        """Return the facets of a polyhedron as a `Mesh`, without the rounding.

        Returns
        -------
        Mesh

        Raises
        ------
        ValueError
            If this is a polygon.

        Examples
        --------
        >>> import abut
        >>> abut.ConvexShape([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]).to_mesh()
        Mesh(4 facets, 4 vertices)
        """
        self._check_solid("mesh")
        return Mesh(self.vertices, (self.indices, self.offsets))

    def to_trimesh(self) -> Trimesh:
        """Return the facets of a polyhedron as a trimesh.Trimesh, without the rounding.

        Returns
        -------
        trimesh.Trimesh
            With the same vertices; facets are split into triangles.

        Raises
        ------
        ValueError
            If this is a polygon.
        ImportError
            If trimesh is not installed (extra ``io``).

        Examples
        --------
        >>> import abut
        >>> shape = abut.ConvexShape([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
        >>> shape.to_trimesh().is_watertight  # doctest: +SKIP
        True
        """
        self._check_solid("trimesh")
        trimesh = import_extra("trimesh", "io")
        # Each facet becomes a fan of triangles from its first corner to each side without it.
        counts = np.diff(self.offsets)
        firsts = np.repeat(self.offsets[:-1], counts - 2)
        facets = np.repeat(np.arange(len(self)), counts - 2)
        seconds = np.arange(len(facets)) + 2 * facets + 1
        corners = np.column_stack([firsts, seconds, seconds + 1])
        return trimesh.Trimesh(self.vertices.copy(), self.indices[corners], process=False)

    def _check_solid(self, what: str) -> None:
        if self.dimension == 2:
            raise ValueError(f"a polygon cannot become a {what}: use a polyhedron")

    @overload
    def plot(self, ax: Canvas, **options: Unpack[ShapePlotOptions]) -> Canvas: ...

    @overload
    def plot(self, ax: None = None, **options: Unpack[ShapePlotOptions]) -> Any: ...

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the shape in its own frame, without its rounding.

        Parameters
        ----------
        ax : matplotlib axes or pyvista.Plotter, optional
            For a polygon 2D axes, for a polyhedron a plotter; by default new ones.
        **options
            ``color``; ``alpha``, the opacity; ``backend``, which may be "matplotlib" (extra
            ``plot``) for polygons, and "pyvista" (extra ``view``) for polyhedra; and ``view`` for
            polyhedra, as for `Mesh.plot`.

        Returns
        -------
        matplotlib axes or pyvista.Plotter
            The axes or plotter, not shown yet.

        Raises
        ------
        ImportError
            If the library is not installed; the message names the extra.
        TypeError, ValueError
            If `ax` or the backend is not of the library that draws such a shape.

        Examples
        --------
        >>> import abut
        >>> ax = abut.ConvexShape([[0, 0], [1, 0], [0, 1]]).plot()  # doctest: +SKIP
        """
        from ..plot.convex import plot_shape

        return plot_shape(self, ax, **options)

    def __repr__(self) -> str:
        facets = [] if self.dimension == 2 else [(len(self), "facet"), (len(self.edges), "edge")]
        counts = [checks.counted(*count) for count in facets]
        counts.append(checks.counted(len(self.vertices), "vertex", "vertices"))
        rounding = f"; radius {self.radius:g}" if self.radius else ""
        return f"ConvexShape({_BODIES[self.dimension]}: {', '.join(counts)}{rounding})"

    def _key(self) -> tuple[Any, ...]:
        arrays = (self.vertices, self.indices, self.offsets)
        return (self.dimension, self.radius, *(array.tobytes() for array in arrays))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConvexShape):
            return NotImplemented
        return self is other or self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = (self.vertices, self.indices, self.offsets)
        return _rebuild, (*arrays, self.radius, self._source)


def _rebuild(
    vertices: Doubles, indices: Indices, offsets: Indices, radius: float, source: Indices
) -> ConvexShape:
    return ConvexShape._build(vertices, (indices, offsets), radius, source)


def _hull(vertices: Doubles) -> Corners:
    """Check points, and return the facets of their convex hull."""
    count, dimension = vertices.shape
    if count <= dimension:
        raise ValueError(
            f"a shape in {dimension} dimensions needs at least {dimension + 1} vertices, but has"
            f" {count}"
        )
    wrong = ~(np.abs(vertices) <= _core.COORDINATE_LIMIT)
    if wrong.any():
        row, axis = np.argwhere(wrong)[0].tolist()
        remedy = "; coordinates must lie within 1e75 of 0"
        value = vertices[row, axis]
        raise ValueError(
            f"vertices[{row}, {axis}] is {value:g}{remedy if np.isfinite(value) else ''}"
        )
    return hull_facets(vertices)


def _outline(polygon: Any) -> tuple[Doubles, Corners]:
    """Return the vertices of a shapely polygon, and its sides with the polygon on their left."""
    if len(polygon.interiors):
        raise ValueError("the polygon has holes: it is not convex")
    # shapely repeats the first point at the end, and may add a third coordinate.
    points = checks.points(polygon.exterior.coords, "polygon", (2, 3))[:-1, :2].copy()
    if not polygon.exterior.is_ccw:
        points = points[::-1].copy()
    loop = np.arange(len(points))
    sides = np.column_stack([loop, np.roll(loop, -1)])
    return points, (sides.ravel(), regular(len(points), 2))
