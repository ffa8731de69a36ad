"""All readers and writers: endings, errors and damaged files."""

import gzip
import os
import re
import warnings
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut

OBJ = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1.5\nf 1 2 3\nf 1/1 2/1 4/1\nf -4 -2 -1\n"
PLY = """\
ply
format {} 1.0
element vertex 4
property float x
property float y
property float z
element face 2
property list uchar int vertex_indices
end_header
"""
MDPA = """\
Begin Nodes
 1 0 0 0
 2 1 0 0
 3 0 1 0
End Nodes
Begin Conditions RigidFace3D3N
 1 0 1 2 3
End Conditions
Begin SubModelPart Walls
 Begin SubModelPartConditions
  1
 End SubModelPartConditions
End SubModelPart
"""
STL = """\
solid a
facet normal 0 0 1
 outer loop
  vertex 0 0 0
  vertex 1 0 0
  vertex 0 1 0
 endloop
endfacet
endsolid a
"""
DUMP = """\
ITEM: TIMESTEP
0
ITEM: NUMBER OF ATOMS
2
ITEM: BOX BOUNDS pp pp pp
0 1
0 1
0 1
ITEM: ATOMS id xs ys zs radius
1 0.5 0.5 0.5 0.1
2 0.25 0.5 0.5 0.1
"""
CORNERS = np.float32([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])


def ply(order):
    faces = [np.uint8(3), np.array([0, 1, 2], order + "i4"), np.uint8(3)]
    rows = [CORNERS.astype(order + "f4"), *faces, np.array([0, 1, 3], order + "i4")]
    form = "binary_little_endian" if order == "<" else "binary_big_endian"
    return PLY.format(form).encode() + b"".join(row.tobytes() for row in rows)


def saved(tmp_path, name, write):
    write(tmp_path / name)
    return (tmp_path / name).read_bytes()


def mesh_files(tmp_path):
    triangle = abut.Mesh(CORNERS, [[0, 1, 2], [0, 1, 3]])
    rows = "\n".join(" ".join(map(str, row)) for row in CORNERS.tolist())
    return {
        "ascii.stl": STL.encode(),
        "binary.stl": saved(tmp_path, "mesh.stl", triangle.save),
        "mesh.obj": OBJ.encode(),
        "ascii.ply": (PLY.format("ascii") + rows + "\n3 0 1 2\n3 0 1 3\n").encode(),
        "little.ply": ply("<"),
        "big.ply": ply(">"),
        "mesh.mdpa": MDPA.encode(),
        "mesh.vtp": saved(tmp_path, "mesh.vtp", triangle.save),
        "mesh.vtu": saved(tmp_path, "mesh.vtu", triangle.save),
    }


def sphere_files(tmp_path):
    table = np.array([[0, 0, 0, 1.0], [1, 2, 3, 0.5]])
    return {
        "spheres.csv": b"id,x,y,z,radius\n1,0,0,0,1\n2,1,2,3,0.5\n",
        "spheres.npy": saved(tmp_path, "a.npy", lambda path: np.save(path, table)),
        "spheres.npz": saved(
            tmp_path, "a.npz", lambda path: np.savez(path, centers=table[:, :3], radii=table[:, 3])
        ),
        "dump.0": DUMP.encode(),
        "dump.gz": gzip.compress(DUMP.encode(), mtime=0),
    }


def table_files(tmp_path):
    triangle = abut.Mesh(CORNERS, [[0, 1, 2], [0, 1, 3]])
    contacts = abut.find_contacts([[0.2, 0.2, 0.5]], 1.0, triangle)
    pairs = abut.find_pairs(CORNERS, 0.75)
    convex = abut.find_convex_contacts(abut.ConvexShape(CORNERS), [[0, 0, 0], [0.25, 0, 0]])
    loaders = abut.load_contacts, abut.load_pairs, abut.load_convex_contacts
    names = "contacts.npz", "pairs.npz", "convex.npz"
    tables = zip(names, loaders, (contacts, pairs, convex), strict=True)
    return {name: (load, saved(tmp_path, name, table.save)) for name, load, table in tables}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Return the reader and the bytes of each kind of file."""
    folder = tmp_path_factory.mktemp("files")
    found = {name: (abut.read_mesh, data) for name, data in mesh_files(folder).items()}
    found |= {name: (abut.read_spheres, data) for name, data in sphere_files(folder).items()}
    return found | table_files(folder)


# Each file, with the number of bytes that its end may lack without an error: tags, or columns that
# a mesh does not need. None: any beginning of the text may be a valid file.
KINDS = {
    "ascii.stl": 3, "binary.stl": 0, "mesh.obj": None, "ascii.ply": 1, "little.ply": 0,
    "big.ply": 0, "mesh.mdpa": None, "mesh.vtp": 156, "mesh.vtu": 156, "spheres.csv": None,
    "spheres.npy": 0, "spheres.npz": 0, "dump.0": 5, "dump.gz": 0, "contacts.npz": 0,
    "pairs.npz": 0, "convex.npz": 0,
}  # fmt: skip


# ---- any bytes -----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", KINDS)
def test_sound_files_are_read(files, tmp_path, name):
    read, data = files[name]
    (tmp_path / name).write_bytes(data)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = read(tmp_path / name)
    assert len(found.radii if isinstance(found, abut.Spheres) else found) > 0


@pytest.mark.parametrize("name", [name for name, end in KINDS.items() if end is not None])
def test_every_cut_is_told(files, tmp_path, name):
    read, data = files[name]
    end = len(data) - KINDS[name]
    # Long files are not cut at every byte, which would take seconds.
    for size in (*range(len("ITEM:"), end, 1 + end // 150), *range(end - 9, end)):
        (tmp_path / name).write_bytes(data[:size])
        with pytest.raises(ValueError, match=re.escape(name)):
            read(tmp_path / name)


def assert_told_or_read(read, path, content):
    """Check that the file is read, or raises an error of one line that names it."""
    path.write_bytes(content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", abut.MeshWarning)
        try:
            read(path)
        except ValueError as error:
            assert path.name in str(error) and "\n" not in str(error)


@pytest.mark.parametrize("name", KINDS)
@given(data=st.data())
def test_damage_is_told_in_one_way(files, tmp_path_factory, name, data):
    read, content = files[name]
    content = bytearray(content)
    for _ in range(data.draw(st.integers(1, 4))):
        at = data.draw(st.integers(0, len(content) - 1))
        end = at + data.draw(st.integers(0, 3))
        content[at:end] = data.draw(st.binary(max_size=3))
    assert_told_or_read(read, tmp_path_factory.mktemp("damage") / name, content)


@pytest.mark.parametrize("name", KINDS)
@given(content=st.binary(max_size=200))
def test_any_bytes(files, tmp_path_factory, name, content):
    read, _ = files[name]
    assert_told_or_read(read, tmp_path_factory.mktemp("bytes") / name, content)


# ---- paths ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("read", "ending"),
    [(abut.read_mesh, ending) for ending in (".stl", ".obj", ".ply", ".mdpa")]
    + [(abut.read_spheres, ending) for ending in (".csv", ".npy", ".npz", ".dump", "")]
    + [(abut.load_contacts, ".npz")],
)
def test_files_that_are_not_there(tmp_path, read, ending):
    with pytest.raises(FileNotFoundError, match="nothing"):
        read(tmp_path / f"nothing{ending}")


@pytest.mark.parametrize("ending", ["", ".step", ".stl.bak"])
def test_unknown_endings_name_the_known_ones(tmp_path, ending):
    path = tmp_path / f"mesh{ending}"
    path.write_text(STL)
    with pytest.raises(ValueError, match=r"\.stl, \.obj, \.ply, \.mdpa, \.vtp, \.vtu, \.vtk"):
        abut.read_mesh(path)
    with pytest.raises(
        ValueError,
        match=r"\.csv, \.npy, \.npz, \.vtk, \.vtp, \.xyz, \.gsd; a dump begins with 'ITEM:'",
    ):
        abut.read_spheres(path)
    mesh = abut.Mesh(CORNERS, [[0, 1, 2]])
    with pytest.raises(ValueError, match=r"\.vtp, \.vtu, \.stl"):
        mesh.save(path)
    with pytest.raises(ValueError, match=r"\.npz, \.csv, \.vtp, \.parquet"):
        abut.find_contacts([[0, 0, 0]], 1, mesh).save(path)
    assert path.read_text() == STL


def test_folders_are_no_files(tmp_path):
    (tmp_path / "mesh.stl").mkdir()
    with pytest.raises(OSError, match=r"mesh\.stl"):
        abut.read_mesh(tmp_path / "mesh.stl")


def test_ways_to_name_a_file(tmp_path, monkeypatch):
    class Other(os.PathLike):
        def __fspath__(self):
            return str(tmp_path / "mesh.OBJ")

    (tmp_path / "mesh.OBJ").write_text(OBJ)
    monkeypatch.chdir(tmp_path)
    for path in (Other(), tmp_path / "mesh.OBJ", "mesh.OBJ", Path("mesh.OBJ")):
        assert len(abut.read_mesh(path)) == 3


@pytest.mark.parametrize(
    ("path", "what"),
    [(None, "a NoneType"), (3, "an int"), (b"mesh.obj", "a bytes"), (["mesh.obj"], "a list")],
)
@pytest.mark.parametrize("read", [abut.read_mesh, abut.read_spheres, abut.load_contacts])
def test_what_is_no_path(read, path, what):
    with pytest.raises(TypeError, match=f"path is {what}, but must be"):
        read(path)


# ---- options of read_mesh ------------------------------------------------------------------------


def test_scale(tmp_path):
    (tmp_path / "mesh.obj").write_text(OBJ)
    mesh = abut.read_mesh(tmp_path / "mesh.obj", scale=1e-3)
    assert mesh.bounds.tolist() == [[0, 0, 0], [1e-3, 1e-3, 1.5e-3]]


@pytest.mark.parametrize(
    ("options", "error"),
    [
        ({"scale": 0.0}, ValueError),
        ({"scale": np.nan}, ValueError),
        ({"scale": "1"}, TypeError),
        ({"weld": "1"}, TypeError),
        ({"noise": -1.0}, ValueError),
        ({"on_degenerate": "keep"}, ValueError),
    ],
)
def test_options_that_are_none(tmp_path, options, error):
    (tmp_path / "mesh.obj").write_text(OBJ)
    with pytest.raises(error, match=next(iter(options))):
        abut.read_mesh(tmp_path / "mesh.obj", **options)


def test_the_mesh_s_error_names_the_facet_of_the_file(tmp_path):
    text = OBJ + "f 1 1 2\nv 2 0 0\nv 0.5 0.5 0\nv 0 2 0\nf 1 5 6 7\n"
    (tmp_path / "mesh.obj").write_text(text)
    with (
        pytest.raises(ValueError, match=r"mesh\.obj: facet 4 "),
        pytest.warns(abut.MeshWarning, match="1 of 5 facets has .* and is left out: facet 3"),
    ):
        abut.read_mesh(tmp_path / "mesh.obj")


def test_meshio_reads_other_kinds(tmp_path):
    meshio = pytest.importorskip("meshio")
    path = tmp_path / "mesh.off"
    path.write_text("OFF\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n")
    assert len(abut.Mesh.from_any(meshio.read(path))) == 1


# ---- text, encodings and empty meshes ------------------------------------------------------------


@pytest.mark.parametrize("ending", ["\r", "\r\n"])
def test_lines_may_end_in_carriage_returns(tmp_path, ending):
    path = tmp_path / "mesh.obj"
    path.write_bytes(OBJ.replace("\n", ending).encode())
    (tmp_path / "same.obj").write_text(OBJ)
    same = abut.read_mesh(tmp_path / "same.obj")
    np.testing.assert_array_equal(abut.read_mesh(path).indices, same.indices)
    path.write_bytes((OBJ + "f 1 2 none\n").replace("\n", ending).encode())
    with pytest.raises(ValueError, match=f"line {OBJ.count(chr(10)) + 1}: 'none'"):
        abut.read_mesh(path)


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("points.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\n"),
        ("empty.stl", "solid empty\nendsolid empty\n"),
        ("dropped.obj", "v 0 0 0\nv 1 0 0\nv 2 0 0\nf 1 2 3\n"),
    ],
)
@pytest.mark.filterwarnings("ignore:.*left out")
def test_a_mesh_without_facets_gives_a_warning(tmp_path, name, text):
    (tmp_path / name).write_text(text)
    with pytest.warns(abut.MeshWarning, match=f"{name}: the mesh has no facets"):
        mesh = abut.read_mesh(tmp_path / name)
    with pytest.warns(abut.MeshWarning, match="the mesh of the wall has no facets"):
        abut.Simulation(step=1e-5).add_wall(mesh)


OFF = "OFF\n4 2 0\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n3 0 1 2\n3 0 2 3\n"


def test_off_that_is_cut_is_an_error(tmp_path):
    pytest.importorskip("trimesh")
    path = tmp_path / "mesh.off"
    path.write_text(OFF)
    assert len(abut.read_mesh(path)) == 2
    rows = OFF.splitlines()
    for count in range(1, len(rows)):
        path.write_text("\n".join(rows[:count]) + "\n")
        ends = "ends before the numbers" if count == 1 else r"should have \d \w+, but ends in"
        with pytest.raises(ValueError, match=rf"mesh\.off: it {ends}"):
            abut.read_mesh(path)


@pytest.mark.parametrize("name", ["mesh.stl", "mesh.obj"])
@pytest.mark.parametrize("code", ["utf-16-le", "utf-16-be"])
def test_text_in_utf_16_is_an_error_that_says_so(tmp_path, name, code):
    text = "\ufeffsolid a\nendsolid a\n" + 9 * "v 0 0 0\n"
    (tmp_path / name).write_bytes(text.encode(code))
    with pytest.raises(ValueError, match=f"{name}: it is text in UTF-16: save it as UTF-8"):
        abut.read_mesh(tmp_path / name)


def test_legacy_vtk_names_the_extra_that_reads_it(tmp_path, monkeypatch):
    pytest.importorskip("meshio")
    monkeypatch.setattr("abut.io.other.find_spec", lambda name: None)
    head = "# vtk DataFile Version 3.0\na\nASCII\nDATASET POLYDATA\n"
    (tmp_path / "mesh.vtk").write_text(
        head + "POINTS 3 float\n0 0 0 1 0 0 0 1 0\nPOLYGONS 1 4\n3 0 1 2\n"
    )
    with pytest.raises(ValueError, match=r"pyvista reads .*: pip install 'abut\[view\]'"):
        abut.read_mesh(tmp_path / "mesh.vtk")


MSH = """\
$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
1
2 1 "wall"
$EndPhysicalNames
$Entities
0 0 2 0
1 0 0 0 1 1 0 1 1 0
2 1 0 0 2 1 0 0 0
$EndEntities
$Nodes
1 5 1 5
2 1 0 5
1
2
3
4
5
0 0 0
1 0 0
1 1 0
0 1 0
2 0 0
$EndNodes
$Elements
2 2 1 2
2 1 2 1
1 1 2 3
2 2 2 1
2 2 5 3
$EndElements
"""


def test_msh_whose_entities_have_physical_groups_only_in_part(tmp_path):
    pytest.importorskip("meshio")
    (tmp_path / "mesh.msh").write_text(MSH)
    mesh = abut.read_mesh(tmp_path / "mesh.msh")
    assert mesh.areas.tolist() == [0.5, 0.5]
