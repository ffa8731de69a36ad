"""Files: readers of meshes, spheres, contacts and pairs, and writers; one file a format."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..base import checks
from ..base.warnings import left_out_text, warn
from ..results.contacts import Contacts
from ..results.convex_contacts import ConvexContacts
from ..results.pairs import Pairs
from ..results.table import Table
from ..search.facets import Facets
from ..search.mesh import Mesh
from . import csv, dump, mdpa, npy, npz, npz_convex, obj, other, parquet, ply, stl, vtp, vtu
from .errors import told
from .frame import Frame
from .frames import Frames, read_frames
from .polygons import columns_of_mesh
from .spheres import Spheres, read_names, read_radius, scaled
from .weld import FEW_CORNERS
from .weld import weld as _weld

if TYPE_CHECKING:
    from ..options import OnDegenerate, Split

__all__ = [
    "Facets",
    "Frame",
    "Frames",
    "Spheres",
    "load_contacts",
    "load_convex_contacts",
    "load_pairs",
    "read_frames",
    "read_mesh",
    "read_spheres",
    "save_mesh",
    "save_table",
]

Pathlike = str | os.PathLike[str]

_MESH_READERS: dict[str, Callable[..., Facets]] = {
    ".stl": stl.read,
    ".obj": obj.read,
    ".ply": ply.read,
    ".mdpa": mdpa.read,
    ".vtp": vtp.read,
    ".vtu": vtu.read,
    # other packages read these
    **dict.fromkeys(other.ENDINGS, other.read),
}
MESH_ENDINGS = tuple(_MESH_READERS)
_MESH_WRITERS = {".vtp": vtp.save_mesh, ".vtu": vtu.save_mesh, ".stl": stl.save_mesh}
_SPHERE_READERS = {".csv": csv.read_spheres, ".npy": npy.read_spheres, ".npz": npz.read_spheres}
_TABLE_WRITERS = {
    ".npz": npz.save,
    ".csv": csv.save,
    ".vtp": vtp.save_table,
    ".parquet": parquet.save,
}


def read_mesh(
    path: Pathlike,
    *,
    scale: float = 1.0,
    weld: float = 0.0,
    part: str | None = None,
    noise: ArrayLike | None = None,
    split: Split = False,
    on_degenerate: OnDegenerate = "drop",
) -> Mesh:
    """Read a mesh from a file: STL, OBJ, PLY, VTP, VTU, Kratos mdpa, and more by other packages.

    Vertices that coincide become one, since facets share a node only where they share a vertex.
    Corners that then repeat are removed; facets with fewer than three are dropped, and a warning
    counts them.

    Parameters
    ----------
    path : str or path-like
        Ends in ``.stl`` (binary or ASCII), ``.obj``, ``.ply`` (ASCII or binary), ``.vtp``, ``.vtu``
        or ``.mdpa`` (conditions of three or four nodes, and elements that are shells, membranes or
        rigid faces). With the extra ``io``, also in ``.vtk`` (by pyvista where it is installed,
        else by meshio), ``.msh`` (by meshio), ``.off``, ``.glb`` or ``.gltf`` (by trimesh). Each of
        them with ``.gz`` after it is unpacked first.
    scale : float, default 1
        What the file's coordinates are multiplied with: 1e-3 makes meters of millimeters.
    weld : float, default 0
        Vertices within this distance become one, too, and so do those that are joined by a chain
        of such steps; the first in the file stays where it is. In the file's unit.
    part : str, optional
        The SubModelPart of an mdpa file to read, with those nested in it: its name, or where
        several have that name, the names from the outermost on, joined by dots.
    noise : float or (m,) array_like, optional
        How far a corner may be off, as for `Mesh`; one number for each facet that is read,
        in the file's unit. By default it follows from how the coordinates are written.
    split : bool or "all", default False
        As for `Mesh`.
    on_degenerate : {"drop", "raise"}
        What to do with facets without area: leave them out with a `MeshWarning`, or an error.

    Returns
    -------
    Mesh
        Its `source` has each facet's number in the file, from 0: in files of cells, such as VTP and
        VTU, the cell's, so that ``values[mesh.source]`` are those of a file's cell data. Its
        `vertex_source` tells which vertex each one in the file became.

    Raises
    ------
    ValueError
        If the file is of no known kind, broken, or cut off, or if its facets make no mesh; the
        message names the file and the first offender.
    OSError
        If the file is not there or cannot be read.
    ImportError
        If another package reads such files, and is not installed; the message names the extra.

    Warns
    -----
    MeshWarning
        If no facets are there or left, facets were dropped, or conditions, elements and cells
        passed over.

    Notes
    -----
    Six digits, which text files often carry, leave the vertices of one wall off its plane. Readers
    of text therefore take one unit in the last digit that was written as the noise of a
    coordinate, or more, as `Mesh` does. Files whose numbers are all short (at most five significant
    digits, or three where all have the same number of decimals: ``1 0 0.25``) are taken to be
    exact. What is not read here goes through `Mesh.from_any`, which takes what other packages read.

    Examples
    --------
    >>> import abut, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "square.obj")
    >>> _ = path.write_text("v 0 0 0\\nv 1 0 0\\nv 1 1 0\\nv 0 1 0\\nf 1 2 3 4\\n")
    >>> abut.read_mesh(path, scale=1e-3).areas
    array([1.e-06])
    """
    file = _path(path)
    distance = checks.distance(weld, "weld")
    factor = checks.number(scale, "scale")
    if not 0.0 < factor < np.inf:
        raise ValueError(f"scale is {factor}, but must be positive and finite")
    facets, noises = _read_welded(file, part, distance, noise)
    with told(file):
        mesh = Mesh._build(facets, noise=noises, split=split, on_degenerate=on_degenerate)
    if not len(mesh):
        warn(f"{file}: the mesh has no facets, so that nothing can touch it")
    return mesh if factor == 1.0 else mesh.scaled(factor)


def read_facets(path: Pathlike, part: str | None = None) -> Facets:
    """The facets of a mesh file as it holds them: neither welded nor validated."""
    file = _path(path)
    is_packed = file.suffix.lower() == ".gz"
    read = _by_ending(file.with_suffix("") if is_packed else file, _MESH_READERS, "mesh")
    if part is not None and read is not mdpa.read:
        raise ValueError(f"{file} has no parts: part= is for mdpa files")
    if read is mdpa.read:
        read = partial(mdpa.read, part=part)
    with told(file):
        if not is_packed:
            return read(file)
        # imported only here, since gzip and tempfile take long to import
        from .gz import unpacked

        with unpacked(file) as inner:
            return read(inner)


def _read_welded(
    file: Path, part: str | None, distance: float, noise: ArrayLike | None
) -> tuple[Facets, NDArray[np.float64] | None]:
    """Welded facets with their numbers in the file, and the noise of each where it is given."""
    facets = read_facets(file, part)
    facet_count = len(facets.offsets) - 1
    numbers = np.arange(facet_count) if facets.source is None else facets.source
    if noise is not None:
        noise = checks.lengths(noise, "noise", facet_count, "facet")
    facets, dropped = _weld(facets, distance)
    if len(dropped):
        warn(f"{file}: {left_out_text(numbers[dropped], facet_count, FEW_CORNERS)}")
    left = facets.source
    return facets._replace(source=numbers[left]), None if noise is None else noise[left]


def read_spheres(
    path: Pathlike,
    frame: int | Literal["all"] = -1,
    *,
    columns: Mapping[str, str] | None = None,
    scale: float = 1.0,
    radius: float | Mapping[int, float] | None = None,
) -> Spheres:
    """Read spheres from a file.

    Parameters
    ----------
    path : str or path-like
        One of

        - ``.csv``: a header that names the columns ``x``, ``y``, ``z``, ``radius`` (or
          ``diameter``) and, where wanted, ``id``, in any order and among any others;
        - ``.npy``: an (n, 4) array of x, y, z and radius;
        - ``.npz``: the keys ``centers`` (n, 3), ``radii`` (n,) or one number, and, where wanted,
          ``ids``;
        - a dump of LAMMPS or LIGGGHTS, told by its first line ``ITEM:``, plain or compressed by
          gzip or zstd (this needs Python 3.14 or the package ``zstandard``), with the columns
          ``radius`` or ``diameter``, coordinates ``x``, ``xu``, ``xs`` or ``xsu`` (the scaled ones
          are multiplied with the box) and, where wanted, ``id``. `read_frames` reads its frames
          one after the other, with their other columns.
    frame : int or "all", default -1
        Which frame of a dump, from 0; negative ones count from the last. "all" joins all frames.
    columns : mapping of str to str, optional
        What a csv file or a dump calls x, y, z, radius or diameter, and id, where it has other
        names: ``{"x": "X (mm)", "radius": "R"}``; of csv files in whatever case.
    scale : float, default 1
        What centers and radii are multiplied with: 1e-3 makes meters of millimeters.
    radius : float or dict of int to float, optional
        The radius of all spheres of a dump or csv file, which then needs none, or one for each
        number in its column ``type``: ``{1: 0.5e-3, 2: 1e-3}``. In the file's unit.

    Returns
    -------
    Spheres
        The named tuple (centers, radii, ids, frame). `ids` is None where the file has none, and
        `frame`, the number of each sphere's frame, is None unless `frame` is "all".

    Raises
    ------
    ValueError
        If the file is of no known kind, broken, or cut off, or a coordinate or radius is not
        finite, or a radius not positive, be it after scaling; the message names the file and the
        first offender. Or if `columns` has what is none of these names, or npy and npz files are
        given some, or a radius.
    OSError
        If the file is not there or cannot be read.

    Examples
    --------
    >>> import abut, pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "spheres.csv")
    >>> _ = path.write_text("X (mm),y,z,diameter\\n500,0,1000,500\\n")
    >>> abut.read_spheres(path, columns={"x": "X (mm)"}, scale=1e-3)
    Spheres(centers=array([[0.5, 0. , 1. ]]), radii=array([0.25]), ids=None, frame=None)
    >>> _ = path.write_text("id,x,y,z,diameter\\n7,0,0,1,0.5\\n")
    >>> abut.read_spheres(path)
    Spheres(centers=array([[0., 0., 1.]]), radii=array([0.25]), ids=array([7]), frame=None)
    """
    file, factor, called = _path(path), checks.positive(scale, "scale"), read_names(columns)
    given = read_radius(radius)
    if frame != "all":
        frame = checks.whole(frame, "frame")
    if file.suffix.lower() not in _SPHERE_READERS and dump.is_dump(file):
        with told(file):
            return scaled(dump.read_spheres(file, frame, called, given), factor)
    read = _by_ending(file, _SPHERE_READERS, "sphere", "; a dump begins with 'ITEM:'")
    if frame not in (-1, 0, "all"):
        raise ValueError(f"{file} has one frame, but no frame {frame}")
    is_csv = read is csv.read_spheres
    if not is_csv and (called or given is not None):
        what = "columns are" if called else "radius is"
        raise ValueError(f"{file}: {what} of csv files and dumps")
    with told(file):
        spheres = csv.read_spheres(file, called, given) if is_csv else read(file)
        spheres = scaled(spheres, factor)
    if frame == "all":
        return spheres._replace(frame=np.zeros(len(spheres.radii), np.intp))
    return spheres


def load_contacts(path: Pathlike, meshes: Mesh | Sequence[Mesh] | None = None) -> Contacts:
    """Read contacts that ``contacts.save`` wrote to an npz file.

    Parameters
    ----------
    path : str or path-like
    meshes : Mesh or sequence of Mesh, optional
        What was searched; files do not hold it.

    Returns
    -------
    Contacts
        The same to the bit.

    Raises
    ------
    ValueError
        If the file holds no contacts, is broken, holds numbers that are not finite, or names
        meshes that were not searched, or vertices that the meshes do not have.
    OSError
        If the file is not there or cannot be read.

    Examples
    --------
    >>> import abut, pathlib, tempfile
    >>> mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    >>> contacts = abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, mesh)
    >>> path = pathlib.Path(tempfile.mkdtemp(), "contacts.npz")
    >>> contacts.save(path)
    >>> abut.load_contacts(path, mesh) == contacts
    True
    """
    file = _saved_path(path, "contacts")
    if meshes is not None:
        meshes = (meshes,) if isinstance(meshes, Mesh) else tuple(meshes)
        for i, mesh in enumerate(meshes):
            if not isinstance(mesh, Mesh):
                raise TypeError(f"meshes[{i}] is a {type(mesh).__name__}, but must be a Mesh")
    with told(file):
        return npz.load_contacts(file, meshes)


def load_pairs(path: Pathlike) -> Pairs:
    """Read pairs that ``pairs.save`` wrote to an npz file.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Pairs
        The same to the bit.

    Raises
    ------
    ValueError, OSError
        As `load_contacts`.

    Examples
    --------
    >>> import abut, pathlib, tempfile
    >>> pairs = abut.find_pairs([[0, 0, 0], [1.5, 0, 0]], 1.0)
    >>> path = pathlib.Path(tempfile.mkdtemp(), "pairs.npz")
    >>> pairs.save(path)
    >>> abut.load_pairs(path) == pairs
    True
    """
    file = _saved_path(path, "pairs")
    with told(file):
        return npz.load_pairs(file)


def load_convex_contacts(path: Pathlike) -> ConvexContacts:
    """Read contacts of convex bodies that ``contacts.save`` wrote to an npz file.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    ConvexContacts
        The same to the bit; a finder of equal bodies takes it as ``before``.

    Raises
    ------
    ValueError, OSError
        As `load_contacts`, or if numbers are out of their range.

    Examples
    --------
    >>> import abut, pathlib, tempfile
    >>> square = abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]])
    >>> contacts = abut.find_convex_contacts(square, [[0, 0], [0.75, 0]])
    >>> path = pathlib.Path(tempfile.mkdtemp(), "contacts.npz")
    >>> contacts.save(path)
    >>> abut.load_convex_contacts(path) == contacts
    True
    """
    file = _saved_path(path, "convex_contacts")
    with told(file):
        return npz_convex.load_convex_contacts(file)


def table_writer(path: Pathlike, what: str, hint: str = "") -> Callable[..., None]:
    """What writes such tables to a file with this ending; an error where nothing does."""
    return _by_ending(_path(path), _TABLE_WRITERS, what, hint)


def save_table(
    table: Table, path: Pathlike, extra: Mapping[str, NDArray[Any]] | None = None
) -> None:
    """Write contacts, or pairs, to a file; `extra` are more columns, with an entry for each row."""
    file = _path(path)
    write = table_writer(file, f"{table._row}s")
    columns = {name: np.asarray(column) for name, column in (extra or {}).items()}
    for name, column in columns.items():
        is_known = name in table._further_columns or hasattr(table, name)
        if column.shape != (len(table),) or is_known:
            raise ValueError(f"extra column {name} has shape {column.shape}, or is there already")
    write(table, file, columns)


def save_mesh(
    mesh: Mesh,
    path: Pathlike,
    cell_data: Mapping[str, ArrayLike] | None = None,
    point_data: Mapping[str, ArrayLike] | None = None,
) -> None:
    """Write a mesh to a file, with columns of its facets and of its vertices."""
    file = _path(path)
    write = _by_ending(file, _MESH_WRITERS, "mesh")
    write(mesh, file, *columns_of_mesh(mesh, cell_data, point_data))


def _path(path: Pathlike) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        what = checks.a_or_an(type(path).__name__)
        raise TypeError(f"path is {what}, but must be a str or path-like")
    return Path(path)


def _saved_path(path: Pathlike, what: str) -> Path:
    """The path of a table that was saved so that it can be read back."""
    file = _path(path)
    if file.suffix.lower() in _TABLE_WRITERS.keys() - {".npz"} and file.exists():
        raise ValueError(
            f"{file} cannot be read back: load_{what} reads .npz files,"
            f" as {what}.save('{file.stem}.npz') writes them"
        )
    return file


def _by_ending(file: Path, table: Mapping[str, Any], what: str, hint: str = "") -> Any:
    """What reads or writes a file with this ending."""
    found = table.get(file.suffix.lower())
    if found is None:
        raise ValueError(f"{file} has no known ending of {what} files: {', '.join(table)}{hint}")
    return found
