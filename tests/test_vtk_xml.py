"""VTP and VTU as VTK and meshio write and read them, in every form that VTK has."""

import base64
import lzma
import zlib

import numpy as np
import pytest

import abut
from scenes import corners

VERTICES = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 0], [2, 1, 0], [0.5, 1.5, 0]]
FACETS = [[0, 1, 2, 3], [1, 4, 2], [4, 5, 2]]
MODES = ["ascii", "binary", "raw", "base64"]
COMPRESSORS = ["none", "zlib", "lzma"]


@pytest.fixture
def mesh():
    return abut.Mesh(np.float32(VERTICES), FACETS)


def write_by_vtk(pyvista, data, path, mode, compressor="none", *, wide=False, big=False):
    vtk = pytest.importorskip("vtkmodules.vtkIOXML")
    is_surface = isinstance(data, pyvista.PolyData)
    writer = (vtk.vtkXMLPolyDataWriter if is_surface else vtk.vtkXMLUnstructuredGridWriter)()
    writer.SetInputData(data)
    writer.SetFileName(str(path))
    writer.SetDataMode({"ascii": 0, "binary": 1}.get(mode, 2))
    writer.SetEncodeAppendedData(mode == "base64")
    writer.SetCompressorType({"none": 0, "zlib": 1, "lzma": 3, "lz4": 2}[compressor])
    writer.SetHeaderTypeToUInt64() if wide else writer.SetHeaderTypeToUInt32()
    writer.SetByteOrder(0 if big else 1)
    writer.SetBlockSize(64)  # several blocks an array
    assert writer.Write()


@pytest.mark.parametrize("wide", [False, True])
@pytest.mark.parametrize("compressor", COMPRESSORS)
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("ending", [".vtp", ".vtu"])
def test_every_form_of_vtk(pyvista, mesh, tmp_path, ending, mode, compressor, wide):
    data = mesh.to_pyvista()
    if ending == ".vtu":
        data = data.cast_to_unstructured_grid()
    path = tmp_path / f"mesh{ending}"
    write_by_vtk(pyvista, data, path, mode, compressor, wide=wide)
    found = abut.read_mesh(path)
    assert corners(found) == corners(mesh)
    np.testing.assert_array_equal(found.vertices, mesh.vertices)


def test_an_unknown_compressor(pyvista, mesh, tmp_path):
    path = tmp_path / "mesh.vtp"
    write_by_vtk(pyvista, mesh.to_pyvista(), path, "binary", "lz4")
    with pytest.raises(ValueError, match=r"mesh\.vtp: its compressor is 'vtkLZ4DataCompressor'"):
        abut.read_mesh(path)


def test_points_alone_are_no_mesh(mesh, tmp_path):
    path = tmp_path / "contacts.vtp"
    abut.find_contacts([[0.5, 0.5, 0.1]], 0.3, mesh).save(path)
    with pytest.raises(
        ValueError,
        match=r"contacts\.vtp: it has 1 point, but no facets .*: for spheres use read_spheres",
    ):
        abut.read_mesh(path)


def test_pieces_follow_one_another(mesh, tmp_path):
    mesh.save(tmp_path / "mesh.vtp")
    text = """<VTKFile type="PolyData"><PolyData>{0}{0}</PolyData></VTKFile>""".format(
        """<Piece><Points><DataArray type="Float64" NumberOfComponents="3">0 0 0 1 0 0 0 1 0
        </DataArray></Points><Polys><DataArray type="Int32" Name="connectivity">0 1 2</DataArray>
        <DataArray type="Int32" Name="offsets">3</DataArray></Polys></Piece>"""
    )
    path = tmp_path / "two.vtp"
    path.write_text(text)
    found = abut.read_mesh(path)
    assert corners(found) == [[0, 1, 2], [0, 1, 2]]  # welded
    assert found.vertex_source.tolist() == [0, 1, 2, 0, 1, 2]


def write_pieces(path, piece_count, compressor=None):
    """Pieces that all name one array of points, and each half of the facet's corners."""
    points = np.zeros((5000, 3))
    points[:3] = np.eye(3)
    raw = [points.tobytes(), np.arange(3).tobytes(), np.array([3]).tobytes()]
    if compressor:
        packed = [zlib.compress(one) for one in raw]
        heads = [[1, len(one), 0, len(other)] for one, other in zip(raw, packed, strict=True)]
    else:
        packed, heads = raw, [[len(one)] for one in raw]
    data = [np.uint64(head).tobytes() + one for head, one in zip(heads, packed, strict=True)]
    at = np.cumsum([0, *map(len, data)])
    item = '<DataArray type="{}" NumberOfComponents="{}" Name="{}" format="appended" offset="{}"/>'
    piece = "".join([
        f'<Piece><Points>{item.format("Float64", 3, "", at[0])}</Points>',
        f'<Polys>{item.format("Int64", 1, "connectivity", at[1])}',
        f'{item.format("Int64", 1, "offsets", at[2])}</Polys></Piece>',
    ])  # fmt: skip
    head = 'type="PolyData" header_type="UInt64"' + (
        f' compressor="{compressor}"' * bool(compressor)
    )
    path.write_bytes(
        f"<VTKFile {head}><PolyData>{piece * piece_count}</PolyData>"
        '<AppendedData encoding="raw">_'.encode()
        + b"".join(data)
        + b"</AppendedData></VTKFile>"
    )


@pytest.mark.parametrize("compressor", [None, "vtkZLibDataCompressor"])
def test_pieces_that_name_the_same_arrays(tmp_path, bounded, compressor):
    """A few may; of many that do, not all that they ask for is read."""
    path = tmp_path / "mesh.vtp"
    write_pieces(path, 10, compressor)
    assert len(abut.read_mesh(path)) == 10
    write_pieces(path, 1000, compressor)
    assert path.stat().st_size < 600_000
    with bounded(25_000_000), pytest.raises(ValueError, match=r"mesh\.vtp: .*same appended data"):
        abut.read_mesh(path)


def test_arrays_that_overlap(tmp_path, bounded):
    """Each begins with how long it is, but all are nearly the same bytes."""
    piece = """<Piece><Points><DataArray type="Float64" NumberOfComponents="3" format="appended"
    offset="{}"/></Points></Piece>"""
    text = "".join(piece.format(8 * k) for k in range(1000))
    head = f"""<VTKFile type="PolyData" header_type="UInt64"><PolyData>{text}</PolyData>
    <AppendedData encoding="raw">_"""
    path = tmp_path / "mesh.vtp"
    data = np.full(11_000, 8 * 9_000, np.uint64).tobytes()
    path.write_bytes(head.encode() + data + b"</AppendedData></VTKFile>")
    with bounded(25_000_000), pytest.raises(ValueError, match=r"mesh\.vtp: .*same appended data"):
        abut.read_mesh(path)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("0 1 2<", "0 1 3<", r"Polys: connectivity\[2\] is point 3, but there are 3 points"),
        (">3<", ">4<", "Polys: offsets end at 4 of 3 corners"),
        (">3<", ">3 2<", r"Polys: offsets\[1\] is less than the one before"),
        ("1 0 0", "1 nan 0", "point 1 has a coordinate that is not finite"),
        ('Components="3"', 'Components="9"', r"its points have shape \(1, 9\)"),
        ("0 1 2<", f"0 1 {2**80}<", "connectivity: Python int"),
        (
            "0 1 2<",
            f"0 1 {2**32}<",
            f"connectivity: Python integer {2**32} out of bounds for int32",
        ),
        ("<VTKFile", '<?xml version="1.0" encoding="of"?><VTKFile', "unknown encoding: of"),
        ('"Float64"', '"Float16"', "type is 'Float16', but must be"),
        ('"Int32" Name="offsets"', '"Float32" Name="offsets"', "offsets must be whole numbers"),
        ("<Polys>", "<Strips><X/></Strips><Polys>", None),
    ],
)
def test_files_that_say_what_cannot_be(tmp_path, old, new, message):
    text = """<VTKFile type="PolyData"><PolyData><Piece><Points><DataArray type="Float64"
    NumberOfComponents="3">0 0 0 1 0 0 0 1 0</DataArray></Points><Polys><DataArray type="Int32"
    Name="connectivity">0 1 2</DataArray><DataArray type="Int32" Name="offsets">3</DataArray>
    </Polys></Piece></PolyData></VTKFile>""".replace("\n    ", " ")
    assert old in text
    path = tmp_path / "mesh.vtp"
    path.write_text(text.replace(old, new))
    if message is None:
        assert len(abut.read_mesh(path)) == 1
        return
    with pytest.raises(ValueError, match=rf"mesh\.vtp: .*{message}"):
        abut.read_mesh(path)


@pytest.mark.parametrize("size", [0, 48, 71, 73, 2**63, 2**64 - 1])
@pytest.mark.parametrize("compressor", ["vtkZLibDataCompressor", "vtkLZMADataCompressor"])
def test_blocks_of_other_sizes_than_announced(tmp_path, compressor, size):
    pack = zlib.compress if "ZLib" in compressor else lzma.compress
    packed = pack(np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0.0]]).tobytes())
    head = np.array([1, size, 0, len(packed)], np.uint64).tobytes()
    points = base64.b64encode(head).decode() + base64.b64encode(packed).decode()
    path = tmp_path / "mesh.vtp"
    path.write_text(
        f"""<VTKFile type="PolyData" header_type="UInt64" compressor="{compressor}"><PolyData>
        <Piece><Points><DataArray type="Float64" NumberOfComponents="3" format="binary">{points}
        </DataArray></Points></Piece></PolyData></VTKFile>"""
    )
    with pytest.raises(ValueError, match=r"mesh\.vtp: DataArray: "):
        abut.read_mesh(path)


# ---- cells ---------------------------------------------------------------------------------------


def test_cells_that_are_facets(pyvista, tmp_path):
    kinds = pyvista.CellType
    cells = [3, 0, 1, 2, 2, 0, 1, 4, 0, 1, 3, 2, 5, 0, 1, 4, 5, 2, 4, 0, 1, 2, 6]
    types = [kinds.TRIANGLE, kinds.LINE, kinds.PIXEL, kinds.POLYGON, kinds.TETRA]
    grid = pyvista.UnstructuredGrid(cells, types, np.array(VERTICES, float))
    grid.save(tmp_path / "mesh.vtu")
    with pytest.warns(abut.MeshWarning, match="not facets are left out: 1 tetra"):
        mesh = abut.read_mesh(tmp_path / "mesh.vtu", split=True)
    assert corners(mesh)[:2] == [[0, 1, 2], [0, 1, 2, 3]]
    assert mesh.source.tolist() == [0, 2, *[3] * (len(mesh) - 2)]


@pytest.mark.parametrize("ending", [".vtp", ".vtu"])
def test_facets_are_numbered_as_cells(pyvista, tmp_path, ending):
    data = pyvista.PolyData(
        np.array(VERTICES, float), verts=[1, 6], lines=[2, 5, 6], faces=[3, 0, 1, 2, 3, 1, 4, 5]
    )
    data = data if ending == ".vtp" else data.cast_to_unstructured_grid()
    path = tmp_path / f"mesh{ending}"
    data.save(path)
    for mesh in (abut.read_mesh(path), abut.Mesh.from_any(data)):
        assert corners(mesh) == [[0, 1, 2], [1, 4, 5]] and mesh.source.tolist() == [2, 3]
    write_by_vtk(pyvista, data, path, "ascii")
    piece = path.read_text().partition("<Piece")[2].partition("</Piece>")[0]
    path.write_text(path.read_text().replace("</Piece>", f"</Piece><Piece{piece}</Piece>"))
    assert abut.read_mesh(path).source.tolist() == [2, 3, 6, 7]


def grid_file(path, connectivity, ends, types):
    path.write_text(
        f"""<VTKFile type="UnstructuredGrid"><UnstructuredGrid><Piece><Points><DataArray
        type="Float64" NumberOfComponents="3">0 0 0 1 0 0 0 1 0 1 1 0</DataArray></Points><Cells>
        <DataArray type="Int32" Name="connectivity">{connectivity}</DataArray>
        <DataArray type="Int32" Name="offsets">{ends}</DataArray>
        <DataArray type="UInt8" Name="types">{types}</DataArray></Cells></Piece>
        </UnstructuredGrid></VTKFile>"""
    )


def test_cells_with_too_few_points(tmp_path):
    path = tmp_path / "mesh.vtu"
    grid_file(path, "0 1 3 2 1 3 2 0 1", "4 7 9", "9 9 5")
    with pytest.raises(ValueError, match=r"mesh\.vtu: cell 1 is a quad, but has 3 points"):
        abut.read_mesh(path)
    grid_file(path, "0 1 2 1 3 2", "3 3 6", "5 7 5")  # a polygon without points
    with pytest.warns(abut.MeshWarning, match="1 of 3 facets has fewer than three .*: facet 1"):
        assert abut.read_mesh(path).source.tolist() == [0, 2]


@pytest.mark.parametrize("ending", [".vtp", ".vtu"])
def test_columns_of_facets_and_vertices(pyvista, mesh, tmp_path, ending):
    path = tmp_path / f"wear{ending}"
    force = np.arange(21).reshape(7, 3).astype(np.float32)
    mesh.save(path, cell_data={"wear": [1.5, 0, 2], "hit": [True, False, True]},
              point_data={"force": force})  # fmt: skip
    found = pyvista.read(path)
    np.testing.assert_array_equal(found.cell_data["wear"], [1.5, 0, 2])
    np.testing.assert_array_equal(found.cell_data["hit"], [1, 0, 1])
    np.testing.assert_array_equal(found.cell_data["area"], mesh.areas)
    np.testing.assert_array_equal(found.point_data["force"], force)
    assert corners(abut.read_mesh(path)) == corners(mesh)


def test_meshio_reads_vtu(mesh, tmp_path):
    meshio = pytest.importorskip("meshio")
    mesh.save(tmp_path / "mesh.vtu", cell_data={"wear": [1.5, 0, 2]})
    found = meshio.read(tmp_path / "mesh.vtu")
    assert {block.type: block.data.tolist() for block in found.cells} == {
        "quad": [[0, 1, 2, 3]],
        "triangle": [[1, 4, 2], [4, 5, 2]],
    }
    np.testing.assert_array_equal(np.concatenate(found.cell_data["wear"]), [1.5, 0, 2])
    meshio.write(tmp_path / "again.vtu", found)
    assert corners(abut.read_mesh(tmp_path / "again.vtu")) == corners(mesh)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"cell_data": {"wear": [1, 2]}}, ValueError, r"cell_data\['wear'\] has shape \(2,\), but"),
        ({"cell_data": {"area": [1, 2, 3]}}, ValueError, "cell_data has 'area', but the mesh"),
        (
            {"point_data": {"a": [[[1]]] * 7}},
            ValueError,
            r"point_data\['a'\] has shape \(7, 1, 1\)",
        ),
        ({"point_data": {"a": ["b"] * 7}}, TypeError, r"point_data\['a'\] has dtype <U1, but must"),
        ({"cell_data": np.ones(3)}, TypeError, "cell_data must be a dict of names and columns"),
        ({"cell_data": {3: [1] * 3}}, TypeError, "cell_data has the name 3, but names must be str"),
        ({"cell_data": {"a\x01": [1] * 3}}, ValueError, r"cell_data has the name 'a\\x01', but"),
        ({"point_data": {"": [1] * 7}}, ValueError, "point_data has the name '', but names must"),
    ],
)
@pytest.mark.parametrize("ending", [".vtp", ".vtu"])
def test_columns_that_do_not_fit(mesh, tmp_path, ending, options, error, message):
    with pytest.raises(error, match=message):
        mesh.save(tmp_path / f"mesh{ending}", **options)
    assert not list(tmp_path.iterdir())


def test_names_that_xml_has_other_uses_for(pyvista, mesh, tmp_path):
    name = """<AppendedData a="1"> & 'größe'"""
    mesh.save(tmp_path / "mesh.vtp", cell_data={name: [1, 2, 3]})
    assert pyvista.read(tmp_path / "mesh.vtp").cell_data[name].tolist() == [1, 2, 3]
    assert corners(abut.read_mesh(tmp_path / "mesh.vtp")) == corners(mesh)


def test_stl_holds_no_columns(mesh, tmp_path):
    with pytest.raises(ValueError, match=r"STL files hold no columns: leave out 'wear'"):
        mesh.save(tmp_path / "mesh.stl", cell_data={"wear": [1, 2, 3]})
