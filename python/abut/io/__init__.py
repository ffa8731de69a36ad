"""Readers and writers of meshes, spheres, contacts and pairs; one module for each file format."""

from __future__ import annotations

import os
import zipfile
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
from . import (
    csv,
    data_file,
    dump,
    gsd,
    mdpa,
    npy,
    npz,
    npz_convex,
    obj,
    other,
    parquet,
    ply,
    stl,
    vtk_legacy,
    vtp,
    vtu,
    xyz,
)
from .errors import errors_naming
from .frame import Frame
from .frames import Frames, read_frames
from .polygons import columns_of_mesh
from .spheres import NOTHING, Given, Spheres, read_names, read_radius, scaled
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
    # Other packages read these formats.
    **dict.fromkeys(other.ENDINGS, other.read),
}
MESH_ENDINGS = tuple(_MESH_READERS)
_MESH_WRITERS = {".vtp": vtp.save_mesh, ".vtu": vtu.save_mesh, ".stl": stl.save_mesh}
_SPHERE_READERS = {
    ".csv": csv.read_spheres,
    ".npy": npy.read_spheres,
    ".npz": npz.read_spheres,
    ".vtk": vtk_legacy.read_spheres,
    ".vtp": vtp.read_spheres,
}
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

    Vertices that coincide are welded to one, since facets share a node only where they share a
    vertex. Corners that then repeat are removed. Facets with fewer than three corners are dropped,
    and a warning counts them.

    Parameters
    ----------
    path : str or path-like
        The ending chooses the format:

        - ``.stl`` (binary or ASCII), ``.obj``, ``.ply`` (ASCII or binary, with triangle strips),
          ``.vtp``, ``.vtu``;
        - ``.mdpa``: conditions of three or four nodes, and elements that are shells, membranes or
          rigid faces;
        - with the extra ``io``: ``.vtk`` (by pyvista where it is installed, otherwise by meshio),
          ``.msh`` (by meshio), ``.off``, ``.glb`` or ``.gltf`` (by trimesh).

        A file that ends in ``.gz`` after one of these is unpacked first.
    scale : float, default 1
        Factor for the file's coordinates: 1e-3 converts millimeters to meters.
    weld : float, default 0
        In the file's unit. Vertices within this distance of each other are welded, too, and so are
        vertices that a chain of such distances joins. The first of them in the file remains.
    part : str, optional
        The SubModelPart of an mdpa file to read, with the parts nested in it: its name, or where
        several have that name, the names from the outermost part on, joined by dots.
    noise : float or (m,) array_like, optional
        How far a corner may be from its true place, as for `Mesh`: one number, or one for each
        facet of the file, in the file's unit. The default depends on the digits in the file.
    split : bool or "all", default False
        As for `Mesh`.
    on_degenerate : {"drop", "raise"}
        What to do with facets without area: leave them out with a `MeshWarning`, or raise an error.

    Returns
    -------
    Mesh
        Its `source` has each facet's number in the file, from 0. In files of cells, such as VTP and
        VTU, this is the cell's number: ``values[mesh.source]`` picks the facets' entries of the
        file's cell data. Its `vertex_source` has the number in the mesh of each vertex of the file.

    Raises
    ------
    ValueError
        If the file is of an unknown kind, broken, or cut off, or if its facets do not make a valid
        mesh; the message names the file and the first wrong value.
    OSError
        If the file does not exist or cannot be read.
    ImportError
        If the package that reads such files is not installed; the message names the extra.

    Warns
    -----
    MeshWarning
        If the mesh has no facets, if facets were dropped, or if the file has conditions, elements
        or cells that are not facets.

    Notes
    -----
    Text files often have six digits, and then the vertices of one wall do not lie exactly in its
    plane. For text, the noise of a coordinate is therefore one unit in the last written digit, or
    more if `Mesh` would find more. Files with only short numbers count as exact: at most five
    significant digits (``1 0 0.25``), or three if all have the same number of decimals.
    `Mesh.from_any` converts what other packages read.

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
    with errors_naming(file):
        mesh = Mesh._build(facets, noise=noises, split=split, on_degenerate=on_degenerate)
    if not len(mesh):
        warn(f"{file}: the mesh has no facets, so nothing can touch it")
    return mesh if factor == 1.0 else mesh.scaled(factor)


def read_facets(path: Pathlike, part: str | None = None) -> Facets:
    """Read the facets of a mesh file, without welding or validating them."""
    file = _path(path)
    is_packed = file.suffix.lower() == ".gz"
    inner = file.with_suffix("") if is_packed else file
    read = _by_ending(inner, _MESH_READERS, "meshes", hint_of(file))
    if part is not None and read is not mdpa.read:
        raise ValueError(f"{file} has no parts: leave out part=, which is for mdpa files")
    if read is mdpa.read:
        read = partial(mdpa.read, part=part)
    with errors_naming(file):
        if not is_packed:
            return read(file)
        # Imported only here, since gzip and tempfile take long to import.
        from .gz import unpacked

        with unpacked(file) as inner:
            return read(inner)


def hint_of(file: Path) -> str:
    """Return the end of a message: which function reads this file, unless it is a mesh."""
    inner = file.with_suffix("") if file.suffix.lower() == ".gz" else file
    if inner.suffix.lower() in _MESH_READERS or not file.is_file():
        return ""
    if inner.suffix.lower() == ".npz" and zipfile.is_zipfile(file):
        return npz.hint_of(file)
    is_array = inner.suffix.lower() in _SPHERE_READERS
    if not (is_array or _series_of(file) or data_file.is_data(file)):
        return ""
    if not is_array and dump.is_dump(file) and not dump.counts_atoms(file):
        return (
            "; this one is a 'dump local', from which abut.read_pairs(path, frame) reads contacts"
        )
    return (
        "; this one holds spheres, which abut.read_frames reads, and in the shell abut frames and"
        " abut pairs"
    )


def check_npz(file: Path) -> None:
    """Raise a ValueError that names the right reader if a file is known, and not an npz file."""
    if file.suffix.lower() == ".npz" or not file.is_file() or zipfile.is_zipfile(file):
        return
    if hint := hint_of(file):
        raise ValueError(f"{file}: it is not a valid npz file{hint}")


def _read_welded(
    file: Path, part: str | None, distance: float, noise: ArrayLike | None
) -> tuple[Facets, NDArray[np.float64] | None]:
    """Read and weld facets; return them with their numbers in the file, and their given noise."""
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
          ``diameter``) and optionally ``id``, in any order, among any other columns. ``Points:0``
          etc. of ParaView are x, y and z. Columns are separated by commas, or by semicolons or
          tabs, and then numbers may have decimal commas;
        - ``.npy``: an (n, 4) array of x, y, z and radius;
        - ``.npz``: the keys ``centers`` (n, 3), ``radii`` (n,) or one number, and optionally
          ``ids``;
        - a dump of LAMMPS or LIGGGHTS, recognized by its first line ``ITEM:``, plain or compressed
          by gzip or zstd (zstd needs Python 3.14 or the package ``zstandard``). Its columns are
          ``radius`` or ``diameter``, coordinates ``x``, ``xu``, ``xs`` or ``xsu`` (the scaled ones
          are multiplied by the box) and optionally ``id``. `read_frames` reads its frames one
          after the other, with their other columns;
        - a data file of LAMMPS (``read_data``, ``write_data``), recognized by its line ``N atoms``,
          plain or compressed. The title of its section names the atom style: ``Atoms # sphere``.
          Styles without a diameter, such as ``atomic``, need ``radius=``;
        - ``.vtk``, a legacy file of VTK in text or binary, as LIGGGHTS (``dump custom/vtk``) and
          LPP write it, or ``.vtp``: points with an array ``radius`` or ``diameter``, and optionally
          ``id``;
        - ``.xyz`` or ``.extxyz``, plain or compressed (``.xyz.gz``): extended XYZ. Its key
          ``Properties`` names ``pos:R:3``, ``radius:R:1`` (or ``diameter:R:1``) and optionally
          ``id:I:1``;
        - ``.gsd``, a file of HOOMD-blue (extra ``gsd``), with ``position`` and ``diameter``.
    frame : int or "all", default -1
        Number of the frame in a dump, xyz or gsd file, from 0; negative ones count from the last.
        "all" joins all frames.
    columns : mapping of str to str, optional
        The file's names of the columns x, y, z, radius (or diameter) and id, where they differ:
        ``{"x": "X (mm)", "radius": "R"}``. Case does not matter in csv files. Points of vtk and vtp
        files, and columns of gsd, npz and npy files, have fixed names.
    scale : float, default 1
        Factor for centers and radii: 1e-3 converts millimeters to meters.
    radius : float or dict of int to float, optional
        The radius of all spheres of a file, which then needs no column of radii; or one for each
        number in its column ``type`` (``typeid`` in gsd files): ``{1: 0.5e-3, 2: 1e-3}``. In the
        file's unit. Not for npz and npy files, which have radii.

    Returns
    -------
    Spheres
        The named tuple (centers, radii, ids, frame). `ids` is None if the file has none, and
        `frame`, the number of each sphere's frame, is None unless `frame` is "all".

    Raises
    ------
    ValueError
        If the file is of an unknown kind, broken, or cut off. If after scaling a coordinate or
        radius is not finite, or a radius is not positive. If `columns` has another key than these,
        or if `columns` or `radius` is given for npy or npz files, or the rows are not spheres. The
        message names the file and the first wrong value.
    OSError
        If the file does not exist or cannot be read.

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
    file, factor = _path(path), checks.positive(scale, "scale")
    given = Given(read_names(columns), read_radius(radius))
    if frame != "all":
        frame = checks.whole(frame, "frame")
    if series := _series_of(file):
        with errors_naming(file):
            return scaled(series.read_spheres(file, frame, given), factor)
    is_data = file.suffix.lower() not in _SPHERE_READERS and data_file.is_data(file)
    hint = ", .xyz, .gsd; a dump begins with 'ITEM:', a data file has a line 'N atoms'"
    read = data_file.read_spheres if is_data else _by_ending(file, _SPHERE_READERS, "spheres", hint)
    if frame not in (-1, 0, "all"):
        raise ValueError(f"{file} has one frame, but no frame {frame}: leave out frame=")
    is_array = read in (npy.read_spheres, npz.read_spheres)
    if is_array and given != NOTHING:
        what = "columns" if given.called else "radius"
        raise ValueError(f"{file}: leave out {what}=, which npz and npy files do not need")
    with errors_naming(file):
        spheres = scaled(read(file) if is_array else read(file, given), factor)
    if frame == "all":
        return spheres._replace(frame=np.zeros(len(spheres.radii), np.intp))
    return spheres


def _series_of(file: Path) -> Any:
    """Return the module that reads a file with several frames; None for other files."""
    if xyz.is_xyz(file):
        return xyz
    if file.suffix.lower() == gsd.ENDING:
        return gsd
    return dump if file.suffix.lower() not in _SPHERE_READERS and dump.is_dump(file) else None


def load_contacts(path: Pathlike, meshes: Mesh | Sequence[Mesh] | None = None) -> Contacts:
    """Read contacts that ``contacts.save`` wrote to an npz file.

    Parameters
    ----------
    path : str or path-like
    meshes : Mesh or sequence of Mesh, optional
        The meshes that were searched; files do not hold them.

    Returns
    -------
    Contacts
        Equal, bit by bit, to those that were saved.

    Raises
    ------
    ValueError
        If the file is broken or holds no contacts, or a number is not finite. If the contacts refer
        to meshes that were not searched, or to vertices that the meshes do not have.
    OSError
        If the file does not exist or cannot be read.

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
    with errors_naming(file):
        return npz.load_contacts(file, meshes)


def load_pairs(path: Pathlike) -> Pairs:
    """Read pairs that ``pairs.save`` wrote to an npz file.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    Pairs
        Equal, bit by bit, to those that were saved.

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
    with errors_naming(file):
        return npz.load_pairs(file)


def load_convex_contacts(path: Pathlike) -> ConvexContacts:
    """Read contacts of convex bodies that ``contacts.save`` wrote to an npz file.

    Parameters
    ----------
    path : str or path-like

    Returns
    -------
    ConvexContacts
        Equal, bit by bit, to those that were saved; a finder of equal bodies takes them as
        ``before``.

    Raises
    ------
    ValueError, OSError
        As `load_contacts`, and a ValueError if numbers are out of their range.

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
    with errors_naming(file):
        return npz_convex.load_convex_contacts(file)


def table_writer(path: Pathlike, what: str, hint: str = "") -> Callable[..., None]:
    """Return the function that writes tables to a file with this ending; raise if none does."""
    return _by_ending(_path(path), _TABLE_WRITERS, what, hint)


def save_table(
    table: Table, path: Pathlike, extra: Mapping[str, NDArray[Any]] | None = None
) -> None:
    """Write contacts or pairs to a file, with `extra` columns that have one entry for each row."""
    file = _path(path)
    write = table_writer(file, f"{table._row}s")
    columns = {name: np.asarray(column) for name, column in (extra or {}).items()}
    for name, column in columns.items():
        is_known = name in table._further_columns or hasattr(table, name)
        if column.shape != (len(table),) or is_known:
            raise ValueError(f"extra column {name} has shape {column.shape}, or its name is taken")
    write(table, file, columns)


def save_mesh(
    mesh: Mesh,
    path: Pathlike,
    cell_data: Mapping[str, ArrayLike] | None = None,
    point_data: Mapping[str, ArrayLike] | None = None,
) -> None:
    """Write a mesh to a file, with further columns of its facets and vertices."""
    file = _path(path)
    write = _by_ending(file, _MESH_WRITERS, "meshes")
    write(mesh, file, *columns_of_mesh(mesh, cell_data, point_data))


def _path(path: Pathlike) -> Path:
    if not isinstance(path, (str, os.PathLike)):
        what = checks.a_or_an(type(path).__name__)
        raise TypeError(f"path is {what}, but must be a str or path-like")
    return Path(path)


def _saved_path(path: Pathlike, what: str) -> Path:
    """Return the path; raise if its format can be written, but not read back."""
    file = _path(path)
    if file.suffix.lower() in _TABLE_WRITERS.keys() - {".npz"} and file.exists():
        raise ValueError(
            f"{file} cannot be read back: load_{what} reads .npz files,"
            f" as {what}.save('{file.stem}.npz') writes them"
        )
    check_npz(file)
    return file


def _by_ending(file: Path, table: Mapping[str, Any], what: str, hint: str = "") -> Any:
    """Return the function of `table` that reads or writes files with this ending."""
    found = table.get(file.suffix.lower())
    if found is None:
        known = f"files of {what} end in {', '.join(table)}{hint}"
        raise ValueError(f"{file} has no known ending: {known}")
    return found
