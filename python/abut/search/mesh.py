"""Meshes: immutable facets with areas, normals and the noise of their coordinates."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Unpack, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .. import _core
from ..base import checks, html
from ..base.arrays import Doubles, Indices, aligned, hash_of
from ..base.poses import read_pose, rotated
from ..base.threads import worker_count
from .doubts import warn_of_dropped, warn_of_noise
from .facets import Faceted, Facets, FacetsLike, Held, read_facets

if TYPE_CHECKING:
    from mpl_toolkits.mplot3d import Axes3D
    from pyvista import Plotter, PolyData
    from trimesh import Trimesh

    from ..options import (
        Backend,
        Canvas,
        Matplotlib,
        MeshPlotOptions,
        OnDegenerate,
        Pose,
        Pyvista,
        Split,
    )

ON_DEGENERATE: dict[OnDegenerate, bool] = {"raise": False, "drop": True}


class Mesh(Faceted):
    """Planar convex facets with shared vertices.

    Parameters
    ----------
    vertices : (v, 3) array_like
        Coordinates, in any unit of length. They are kept as given and never renumbered.
    facets : (m, k) integer array, list of index sequences, or tuple (indices, offsets)
        The corners of each facet as numbers of vertices, counter-clockwise as seen from its front.
        A list may have polygons with different numbers of corners. In a tuple of two arrays, facet
        f has the corners ``indices[offsets[f]:offsets[f + 1]]``.
    noise : float or (m,) array_like, optional
        The largest error of a corner, as a length. By default it is one unit in the last place of
        a facet's largest coordinate, in the precision of the numbers (float32, decimals of 6 to 13
        digits, or float64). It is larger if facets that are almost coplanar differ by more, as in a
        float32 mesh that was moved in float64. Walls that differ only by noise count as one wall. A
        `MeshWarning` reports noise above a thousandth of a facet's size. Most of the time for
        building a mesh is for measuring noise, which is not needed if noise is given.
    split : bool or "all", default False
        True splits facets that are not convex or not planar into triangles; by default they are
        errors. "all" splits all facets, which is necessary for meshes that deform.
    on_degenerate : {"raise", "drop"}
        What to do with facets without area: raise an error, or leave them out with a `MeshWarning`.

    Attributes
    ----------
    vertices : (v, 3) ndarray of float64
        As given.
    indices : (k,) ndarray of intp
        The corners of all facets, one after the other.
    offsets : (m + 1,) ndarray of intp
        Facet f has the corners ``indices[offsets[f]:offsets[f + 1]]``.
    source : (m,) ndarray of intp
        Each facet's number in the input, which differs where facets were dropped or split.
    normals : (m, 3) ndarray of float64
        Unit normals by the right-hand rule.
    areas : (m,) ndarray of float64
        Areas, in the square of the vertices' unit.
    noise : (m,) ndarray of float64
        The largest error of each facet's corners, in any direction.
    vertex_source : (vertices of the input,) ndarray of intp
        The vertex of the mesh that each vertex of the input became by welding. If `values` are at
        the mesh's vertices, ``values[mesh.vertex_source]`` are at those of the input.
    bounds : (2, 3) ndarray of float64
        Lowest and highest coordinates of the facets' corners.

    Raises
    ------
    ValueError
        If a coordinate is not finite. If a facet has fewer than three corners, has a vertex twice
        or a vertex that does not exist, has no area, or is not convex. If a corner is off the
        facet's plane by more than 1e-3 of the longest diagonal; a polygon that is bent by less acts
        as a fan of triangles. The message names the first wrong value.
    TypeError
        If the vertices are not real numbers, or the facets not integers.

    Warns
    -----
    MeshWarning
        If facets were dropped. Or if many pairs of adjacent facets are off one plane by slightly
        more than the digits explain, which may be noise or shape. Many are more than half of the
        pairs, or more than 30 and a tenth.

    See Also
    --------
    read_mesh : Reads a file.
    Mesh.from_any : Takes meshes of other packages.

    Notes
    -----
    A mesh is immutable: its arrays are read-only. Two meshes are equal only if they are the same
    object. It can be pickled and copied, and its ``len`` is the number of facets. With protocol 5
    or higher, its arrays are pickled out of band if the pickler takes buffers. Dask identifies it
    by a hash of its content, and ``sys.getsizeof`` includes all its memory.

    Examples
    --------
    A unit square of two triangles, and a unit square of one quadrilateral:

    >>> import abut
    >>> vertices = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]]
    >>> mesh = abut.Mesh(vertices, [[0, 1, 2], [0, 2, 3]])
    >>> mesh
    Mesh(2 facets, 4 vertices)
    >>> mesh.areas
    array([0.5, 0.5])
    >>> abut.Mesh(vertices, [[0, 1, 2, 3]]).normals
    array([[0., 0., 1.]])
    """

    __slots__ = ("_hash", "_noise_origin", "_vertex_source")

    _core: _core.Mesh
    _hash: str | None
    _source: Indices
    _vertex_source: Indices | None
    _noise_origin: NDArray[np.uint8]

    areas = Held[Doubles]()
    noise = Held[Doubles]()

    def __new__(
        cls,
        vertices: ArrayLike,
        facets: FacetsLike,
        *,
        noise: ArrayLike | None = None,
        split: Split = False,
        on_degenerate: OnDegenerate = "raise",
    ) -> Mesh:
        # The arrays are copied, since the library checks and reads them without the interpreter
        # lock: another thread may write to the caller's arrays in between.
        points = checks.points(vertices, "vertices").copy()
        indices, offsets = (array.copy() for array in read_facets(facets))
        if noise is not None:
            noise = checks.lengths(noise, "noise", len(offsets) - 1, "facet")
        given = Facets(points, indices, offsets)
        return cls._build(given, noise=noise, split=split, on_degenerate=on_degenerate)

    @classmethod
    def from_any(
        cls,
        obj: Any,
        *,
        weld: float | None = 0.0,
        noise: ArrayLike | None = None,
        split: Split = False,
        on_degenerate: OnDegenerate = "raise",
    ) -> Mesh:
        """Make a mesh from a mesh of another package, or one from several meshes.

        Vertices that coincide are welded, since only there can facets share a node, and a contact's
        history go on. `vertex_source` has the vertex that each vertex of the input became.

        Parameters
        ----------
        obj : Mesh, mesh of another package, list of these, or (m, k, 3) array_like
            A `Mesh` is returned as it is. Several meshes are joined to one, with their noise;
            `source` numbers all their facets. Meshes that move are for `ContactFinder`. Else one of

            - ``trimesh.Trimesh``, or a ``Scene``, merged with its transforms;
            - ``pyvista.PolyData``; the surface of any grid (``UnstructuredGrid``,
              ``StructuredGrid``, ...), with each facet's cell in `source`; a ``MultiBlock``, with
              the facets of all blocks in order;
            - ``meshio.Mesh``: cells that are not facets are dropped with a `MeshWarning`, and
              curved ones (``triangle6``, ``quad8``, ...) become flat facets between their corners;
              `source` numbers the cells through all blocks;
            - ``stl.mesh.Mesh`` of numpy-stl.
        weld : float or None, default 0
            Vertices within this distance are welded, too, as in `read_mesh`; None does not weld.
        noise, split, on_degenerate
            As for `Mesh`.

        Returns
        -------
        Mesh

        Raises
        ------
        TypeError
            If `obj` is of another kind. For a path use `read_mesh`.
        ValueError
            As for `Mesh`, or if a meshio mesh has only solid cells, or a scene has no meshes.

        Examples
        --------
        >>> import abut
        >>> abut.Mesh.from_any([[[0, 0, 0], [1, 0, 0], [0, 1, 0]]])
        Mesh(1 facet, 3 vertices)

        Two triangles with a common edge become one mesh:

        >>> other = abut.Mesh([[1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> abut.Mesh.from_any([abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), other])
        Mesh(2 facets, 4 vertices)
        """
        if isinstance(obj, Mesh):
            return obj
        # Imported here, since that module imports this one.
        from ..io.foreign import build_foreign

        return build_foreign(obj, weld, noise, split, on_degenerate)

    @classmethod
    def _build(
        cls,
        facets: Facets,
        *,
        noise: Doubles | None = None,
        normal_noise: Doubles | None = None,
        noise_origin: NDArray[np.uint8] | None = None,
        split: Split = False,
        on_degenerate: str = "raise",
    ) -> Mesh:
        """Make a mesh of contiguous arrays.

        noise_origin: how the given noise was first determined; by default the caller gave it.
        """
        drop = checks.choice(on_degenerate, "on_degenerate", ON_DEGENERATE)
        source = facets.source
        core = _core.Mesh(*facets[:4], noise, normal_noise, drop, _read_split(split), source)
        mesh = object.__new__(cls)
        mesh._core = core
        mesh._source = core.source if source is None else source[core.source]
        mesh._source.flags.writeable = False
        mesh._vertex_source = facets.vertex_source
        mesh._hash = None
        mesh._noise_origin = core.noise_origin
        if noise_origin is not None:
            mesh._noise_origin = noise_origin[core.source]
        warn_of_noise(mesh)
        if drop:
            warn_of_dropped(core.source, len(facets.offsets) - 1, source)
        return mesh

    @property
    def vertex_source(self) -> Indices:
        if self._vertex_source is None:
            self._vertex_source = np.arange(len(self.vertices))
        self._vertex_source.flags.writeable = False
        return self._vertex_source

    @property
    def bounds(self) -> Doubles:
        if len(self) == 0:
            return np.full((2, 3), np.nan)
        corners = self.vertices[self.indices]
        return np.stack([corners.min(axis=0), corners.max(axis=0)])

    def _scaled(self, factor: float) -> Mesh:
        noise, normal_noise = self.noise * factor, self._core.normal_noise * factor
        return self._moved(self.vertices * factor, noise, normal_noise)

    def transformed(self, pose: Pose) -> Mesh:
        """Return a moved and rotated copy of the mesh.

        Parameters
        ----------
        pose : (4, 4) array_like, scipy Rotation or RigidTransform
            A rigid transform: a point p moves to ``pose[:3, :3] @ p + pose[:3, 3]``.

        Returns
        -------
        Mesh
            With the same `source` and `vertex_source`. Its noise is the larger one of the old noise
            and the rounding of the new coordinates. Facets that lose their area by rounding are
            dropped with a `MeshWarning`.

        Raises
        ------
        ValueError
            If `pose` differs from a rigid transform by more than 1e-6, such as by scaling, shear or
            reflection. To scale a mesh use `scaled`.

        See Also
        --------
        ContactFinder.find : Its `poses` move meshes between searches without building them again.

        Examples
        --------
        >>> import abut
        >>> import numpy as np
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> pose = np.eye(4)
        >>> pose[:3, 3] = 0, 0, 5
        >>> mesh.transformed(pose).bounds[:, 2]
        array([5., 5.])
        """
        matrix = read_pose(pose, "pose")
        rotation, shift = matrix[:3, :3], matrix[:3, 3]
        vertices = rotated(self.vertices, rotation) + shift
        # The rounding error of a sum depends on the sizes of its terms, even if these cancel.
        sizes = rotated(np.abs(self.vertices), np.abs(rotation)) + np.abs(shift)
        ulps = np.spacing(np.maximum.reduceat(sizes[self.indices], self.offsets[:-1], axis=0))
        along_normal = (ulps * np.abs(rotated(self.normals, rotation))).sum(axis=1)
        noise = np.maximum(self.noise, ulps.max(axis=1))
        return self._moved(vertices, noise, np.maximum(self._core.normal_noise, along_normal))

    def moved(self, vertices: ArrayLike, *, workers: int | None = None) -> Mesh:
        """Return a mesh with the same facets and other vertices, such as after deformation.

        Parameters
        ----------
        vertices : (v, 3) array_like
            The new coordinates of the vertices, in the same order. A facet must not lose its area
            or turn by 90 degrees or more. To turn the whole mesh use `transformed` or poses.
        workers : int, optional
            As for `ContactFinder.find`.

        Returns
        -------
        Mesh
            With the same `indices`, `source`, `vertex_source` and `noise`. Noise is not measured
            again, so this takes about a sixth of the time of a new mesh. The result equals a new
            mesh, bit by bit, except for the noise along the normals, which is also kept. In a new
            `Mesh` with ``noise=mesh.noise`` it would be larger: equal to `noise`.

        Raises
        ------
        ValueError
            If `vertices` has another shape or is not finite. If a facet is not a triangle, loses
            its area, or turns by 90 degrees or more. The message names the first wrong value.
        TypeError
            If `vertices` are not real numbers.

        See Also
        --------
        ContactFinder.update : Moves a mesh of a finder, and keeps its bins while they are valid.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> mesh.moved([[0, 0, 0], [1, 0, 0], [0, 2, 0]]).areas
        array([1.])
        """
        count = len(self.vertices)
        points = checks.points_each(vertices, "vertices", count, "vertex", "vertices")
        mesh = object.__new__(type(self))
        mesh._core = self._core.moved(points, worker_count(workers, len(self)))
        mesh._source, mesh._vertex_source = self._source, self._vertex_source
        mesh._noise_origin = self._noise_origin
        mesh._hash = None
        return mesh

    def _moved(self, vertices: Doubles, noise: Doubles, normal_noise: Doubles) -> Mesh:
        moved = self._facets()._replace(vertices=vertices)
        return self._build(
            moved,
            noise=noise,
            normal_noise=normal_noise,
            noise_origin=self._noise_origin,
            on_degenerate="drop",
        )

    def _facets(self) -> Facets:
        corners = self.vertices, self.indices, self.offsets
        return Facets(*corners, None, self.source, self._vertex_source)

    def save(
        self,
        path: str | os.PathLike[str],
        *,
        cell_data: Mapping[str, ArrayLike] | None = None,
        point_data: Mapping[str, ArrayLike] | None = None,
    ) -> None:
        """Write the mesh to a file, with further columns of its facets and vertices.

        Parameters
        ----------
        path : str or path-like
            Ends in ``.vtp`` (for ParaView), ``.vtu`` (for ParaView and meshio) or ``.stl`` (binary:
            triangles in float32). VTP and VTU files keep polygons, and have each facet's
            ``normal``, ``area``, ``noise`` and ``source``.
        cell_data : dict of str to (m,) or (m, k) array_like, optional
            Further columns with one entry for each facet, such as from `Contacts.per_facet`.
        point_data : dict of str to (v,) or (v, k) array_like, optional
            Columns with one entry for each vertex, such as ``contacts.per_vertex(-forces)``.

        Raises
        ------
        ValueError
            If the ending is unknown, or if columns are given for STL. If a column has the wrong
            length, or the name of a column that the mesh has already. The message names the first.
        TypeError
            If a column does not have real numbers.
        OSError
            As `Contacts.save`.

        Examples
        --------
        >>> import abut, tempfile, pathlib
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> path = pathlib.Path(tempfile.mkdtemp(), "wear.vtp")
        >>> mesh.save(path, cell_data={"wear": [0.25]})
        >>> abut.read_mesh(path)
        Mesh(1 facet, 3 vertices)
        """
        from ..io import save_mesh

        save_mesh(self, path, cell_data, point_data)

    def to_pyvista(
        self,
        cell_data: Mapping[str, ArrayLike] | None = None,
        point_data: Mapping[str, ArrayLike] | None = None,
    ) -> PolyData:
        """Make a pyvista mesh (extra ``view``).

        Parameters
        ----------
        cell_data, point_data
            As for `save`.

        Returns
        -------
        pyvista.PolyData
            With copies of the vertices and polygons, the ``normal``, ``area``, ``noise`` and
            ``source`` of each facet, and the given columns.

        Raises
        ------
        ImportError
            If pyvista is not installed; the message names the extra.
        ValueError, TypeError
            As for `save`.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> mesh.to_pyvista({"wear": [0.25]}).plot(scalars="wear")  # doctest: +SKIP
        """
        from ..io.foreign import to_pyvista

        return to_pyvista(self, cell_data, point_data)

    def to_trimesh(self) -> Trimesh:
        """Make a trimesh mesh (extra ``io``).

        Returns
        -------
        trimesh.Trimesh
            With the same vertices, and polygons as the fans of triangles that searches use. Its
            ``face_attributes["facet"]`` has the facet to which each triangle belongs.

        Raises
        ------
        ImportError
            If trimesh is not installed; the message names the extra.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
        >>> triangles = mesh.to_trimesh()
        >>> triangles.face_attributes["facet"]
        array([0, 0])
        """
        from ..io.foreign import to_trimesh

        return to_trimesh(self)

    @overload
    def plot(
        self, ax: Canvas, *, backend: Backend | None = None, **options: Unpack[MeshPlotOptions]
    ) -> Canvas: ...

    @overload
    def plot(
        self, ax: None = None, *, backend: Pyvista, **options: Unpack[MeshPlotOptions]
    ) -> Plotter: ...

    @overload
    def plot(
        self, ax: None = None, *, backend: Matplotlib = None, **options: Unpack[MeshPlotOptions]
    ) -> Axes3D: ...

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw the facets in one color, or colored by values, with matplotlib or pyvista.

        Parameters
        ----------
        ax : matplotlib 3D axes or pyvista.Plotter, optional
            The axes or plotter to draw on; by default new ones.
        **options
            ``backend``, "matplotlib" (extra ``plot``) or "pyvista" (extra ``view``); ``color``,
            ``alpha``, ``scalars``, ``at``, ``cmap``, ``limits``, ``label`` and ``view``, as for
            :func:`abut.plot.plot_mesh`.

        Returns
        -------
        matplotlib 3D axes or pyvista.Plotter
            The axes or plotter, not shown yet. Errors are those of `plot_mesh`.

        Examples
        --------
        >>> import abut
        >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
        >>> ax = mesh.plot()  # doctest: +SKIP
        >>> ax = mesh.plot(scalars=mesh.areas, label="area")  # doctest: +SKIP
        """
        from ..plot.meshes import plot_mesh

        return plot_mesh(self, ax, **options)

    def __repr__(self) -> str:
        facets = checks.counted(len(self), "facet")
        return f"Mesh({facets}, {checks.counted(len(self.vertices), 'vertex', 'vertices')})"

    def _repr_html_(self) -> str:
        sides, counts = np.unique(np.diff(self.offsets), return_counts=True)
        corners = (f"{n} with {k} corners" for k, n in zip(sides, counts, strict=True))
        facts = {"facets": ", ".join(corners) or "none"}
        facts |= dict(zip("xyz", map(html.span, self.bounds.T), strict=True))
        facts |= {
            "areas": html.span(self.areas),
            "total area": html.numbers(self.areas.sum()),
            "noise": html.span(self.noise),
        }
        return html.facts_table(repr(self), facts)

    @property
    def _content_hash(self) -> str:
        # Cached, since hashing a million triangles takes a tenth of a second.
        if self._hash is None:
            *arrays, vertex_source = self._content()
            if vertex_source is None:
                vertex_source = np.arange(len(self.vertices))
            self._hash = hash_of([*arrays, vertex_source])
        return self._hash

    def _content(self) -> tuple[Any, ...]:
        """Return all arrays from which `_rebuild` makes an equal mesh."""
        arrays = (self.vertices, self.indices, self.offsets)
        noise = (self.noise, self._core.normal_noise, self._noise_origin)
        return (*arrays, *noise, self.source, self._vertex_source)

    def __dask_tokenize__(self) -> tuple[str, str]:
        return "abut.Mesh", self._content_hash

    def __sizeof__(self) -> int:
        arrays = (self._source, self._vertex_source, self._noise_origin)
        # Arrays with a base are views of the core's memory, which `_core.bytes` includes.
        extra = sum(array.nbytes for array in arrays if array is not None and array.base is None)
        return object.__sizeof__(self) + self._core.bytes + extra

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (*self._content(), self._hash)


def _read_split(split: object) -> int:
    """Convert the option `split` to the library's constant."""
    if isinstance(split, str):
        return checks.choice(split, "split", {"all": _core.SPLIT_ALL})
    return int(bool(split))


def _rebuild(
    vertices: Doubles,
    indices: Indices,
    offsets: Indices,
    noise: Doubles,
    normal_noise: Doubles,
    noise_origin: NDArray[np.uint8],
    source: Indices,
    vertex_source: Indices | None,
    content_hash: str | None = None,
) -> Mesh:
    if vertex_source is not None:
        # It is copied, since in an out-of-band pickle it is a view of a whole buffer in memory.
        vertex_source = vertex_source.copy()
    corners = aligned(vertices), aligned(indices), aligned(offsets)
    facets = Facets(*corners, None, aligned(source), vertex_source)
    mesh = Mesh._build(
        facets,
        noise=aligned(noise),
        normal_noise=aligned(normal_noise),
        noise_origin=noise_origin,
    )
    mesh._hash = content_hash
    return mesh
