"""Meshes of other packages, made by these packages, and the way back to them."""

import gzip

import numpy as np
import pytest

import abut
from scenes import corners

VERTICES = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 0], [2, 1, 0]]
MIXED = [[0, 1, 2, 3], [1, 4, 5, 2]]


def places(mesh):
    """The corners of each facet, independent of its first corner and the facets' order."""
    facets = np.split(mesh.vertices[mesh.indices], mesh.offsets[1:-1])
    return sorted(sorted(map(tuple, facet.tolist())) for facet in facets)


# ---- trimesh -------------------------------------------------------------------------------------


def test_a_scene_is_its_meshes_in_their_places():
    trimesh = pytest.importorskip("trimesh")
    scene = trimesh.Scene()
    box = trimesh.creation.box()
    scene.add_geometry(box)
    scene.add_geometry(box, transform=trimesh.transformations.translation_matrix([3, 0, 0]))
    mesh = abut.Mesh.from_any(scene)
    assert len(mesh) == 24
    np.testing.assert_array_equal(mesh.bounds, [[-0.5, -0.5, -0.5], [3.5, 0.5, 0.5]])


def test_to_trimesh():
    pytest.importorskip("trimesh")
    mesh = abut.Mesh(VERTICES, [[0, 1, 2, 3], [1, 4, 2], [4, 5, 2]])
    found = mesh.to_trimesh()
    assert found.face_attributes["facet"].tolist() == [0, 0, 1, 2]
    np.testing.assert_array_equal(found.vertices, mesh.vertices)
    assert found.area == mesh.areas.sum()
    np.testing.assert_allclose(found.face_normals, [[0, 0, 1]] * 4)
    again = abut.Mesh.from_any(found)
    np.testing.assert_allclose(np.bincount([0, 0, 1, 2], again.areas), mesh.areas)


@pytest.mark.parametrize("ending", [".ply", ".stl", ".obj", ".off", ".glb"])
def test_to_trimesh_and_back_through_a_file(tmp_path, ending):
    pytest.importorskip("trimesh")
    mesh = abut.Mesh(VERTICES, [[0, 1, 2, 3], [1, 4, 2], [4, 5, 2]])
    path = tmp_path / f"mesh{ending}"
    mesh.to_trimesh().export(path)
    found = abut.read_mesh(path)
    assert (len(found), found.areas.sum()) == (4, mesh.areas.sum())


# ---- numpy-stl -----------------------------------------------------------------------------------


def test_numpy_stl(tmp_path):
    stl = pytest.importorskip("stl")
    mesh = abut.Mesh(VERTICES, [[0, 1, 2], [0, 2, 3]])
    mesh.save(tmp_path / "square.stl")
    found = abut.Mesh.from_any(stl.mesh.Mesh.from_file(str(tmp_path / "square.stl")))
    assert len(found) == 2 and len(found.vertices) == 4
    np.testing.assert_array_equal(found.areas, mesh.areas)


# ---- pyvista -------------------------------------------------------------------------------------


def test_a_grid_is_its_surface(pyvista):
    grid = pyvista.ImageData(dimensions=(3, 3, 3)).cast_to_structured_grid()
    for kind in (grid, grid.cast_to_unstructured_grid(), pyvista.ImageData(dimensions=(3, 3, 3))):
        mesh = abut.Mesh.from_any(kind)
        assert len(mesh) == 24 and mesh.areas.sum() == 24
        np.testing.assert_array_equal(mesh.bounds, [[0, 0, 0], [2, 2, 2]])
        # the cell that each facet is of
        middle = mesh.vertices[mesh.indices].reshape(24, 4, 3).mean(axis=1)
        cell = np.array([kind.find_containing_cell(m * 0.98 + 0.02) for m in middle])
        np.testing.assert_array_equal(mesh.source, cell)
        # and the vertex that each point became
        np.testing.assert_array_equal(mesh.vertices[mesh.vertex_source], kind.points)


def test_strips_of_pyvista(pyvista, tmp_path):
    cylinder = pyvista.Cylinder(resolution=12, capping=True).triangulate()
    stripped = cylinder.strip()
    assert stripped.n_strips
    mesh = abut.Mesh.from_any(stripped)
    assert len(mesh) == len(abut.Mesh.from_any(cylinder))
    assert mesh.areas.sum() == pytest.approx(cylinder.area)
    middle = cylinder.points.mean(axis=0)
    corners = mesh.vertices[mesh.indices.reshape(-1, 3)].mean(axis=1)
    assert (((corners - middle) * mesh.normals).sum(axis=1) > 0).all()
    stripped.save(tmp_path / "strips.vtp")
    again = abut.read_mesh(tmp_path / "strips.vtp")
    assert again.areas.tolist() == mesh.areas.tolist()
    assert again.source.tolist() == mesh.source.tolist()


def test_blocks_follow_one_another(pyvista):
    far = pyvista.Cube(center=(5, 0, 0))
    blocks = pyvista.MultiBlock(
        [pyvista.Cube(), None, pyvista.MultiBlock([far.cast_to_unstructured_grid()])]
    )
    mesh = abut.Mesh.from_any(blocks)
    assert len(mesh) == 12
    assert mesh.vertices[mesh.indices[mesh.offsets[6] :]][:, 0].min() == 4.5


def test_to_pyvista(pyvista):
    mesh = abut.Mesh(VERTICES, [[0, 1, 2, 3], [1, 4, 2], [4, 5, 2]])
    found = mesh.to_pyvista({"wear": [1, 2, 3]}, {"force": np.ones((6, 3))})
    np.testing.assert_array_equal(found.points, mesh.vertices)
    np.testing.assert_array_equal(found.cell_data["wear"], [1, 2, 3])
    np.testing.assert_array_equal(found.cell_data["area"], mesh.areas)
    np.testing.assert_array_equal(found.point_data["force"], np.ones((6, 3)))
    assert corners(abut.Mesh.from_any(found)) == corners(mesh)
    found.points[:] = 0.0
    assert mesh.vertices[1, 0] == 1.0


# ---- meshio --------------------------------------------------------------------------------------


@pytest.fixture
def meshio():
    return pytest.importorskip("meshio")


def test_curved_cells_of_meshio(meshio):
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.5, -0.1, 0], [0.6, 0.6, 0], [0, 0.5, 0]]
    curved = meshio.Mesh(points, [("triangle6", [[0, 1, 2, 3, 4, 5]])])
    with pytest.warns(abut.MeshWarning, match="flat facets between their corners: 1 triangle6"):
        mesh = abut.Mesh.from_any(curved)
    assert corners(mesh) == [[0, 1, 2]]


def test_facets_of_meshio_are_numbered_as_cells(meshio):
    cells = [("line", [[0, 1]]), ("triangle", [[0, 1, 2]]), ("vertex", [[3]]), ("quad", MIXED)]
    assert abut.Mesh.from_any(meshio.Mesh(VERTICES, cells)).source.tolist() == [1, 3, 4]


def test_blocks_of_polygons(meshio):
    cells = [("polygon", [[0, 1, 4, 5, 3]]), ("triangle", [[1, 4, 2]])]
    assert corners(abut.Mesh.from_any(meshio.Mesh(VERTICES, cells))) == [[0, 1, 4, 5, 3], [1, 4, 2]]


# ---- files ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ending", "kind"),
    [(".vtk", "vtk"), (".msh", "gmsh"), (".msh", "gmsh22"), (".msh", "ansys")]
    + [(".off", None), (".glb", None)],
)
def test_files_that_other_packages_write(ending, kind, tmp_path):
    meshio, trimesh = pytest.importorskip("meshio"), pytest.importorskip("trimesh")
    mesh = abut.Mesh(VERTICES, [[0, 1, 2], [0, 2, 3], [1, 4, 5]])
    path = tmp_path / f"mesh{ending}"
    if kind:
        triangles = [("triangle", mesh.indices.reshape(-1, 3))]
        meshio.write(path, meshio.Mesh(mesh.vertices, triangles), file_format=kind)
    else:
        trimesh.Trimesh(mesh.vertices, mesh.indices.reshape(-1, 3), process=False).export(path)
    found = abut.read_mesh(path, scale=2.0)
    assert places(found) == places(mesh.scaled(2.0))


def test_legacy_files_without_pyvista(tmp_path, monkeypatch):
    meshio = pytest.importorskip("meshio")
    path = tmp_path / "mesh.vtk"
    meshio.write(path, meshio.Mesh(VERTICES, [("quad", MIXED)]))
    monkeypatch.setattr("abut.io.other.find_spec", lambda name: None)
    assert corners(abut.read_mesh(path)) == MIXED


@pytest.mark.parametrize("ending", [".vtk", ".msh", ".off", ".glb", ".gltf"])
@pytest.mark.parametrize("content", [b"", b"nonsense\n" * 9, b"# vtk DataFile Version 3.0\n"])
def test_broken_files_of_other_packages(ending, content, tmp_path):
    pytest.importorskip("meshio"), pytest.importorskip("trimesh")
    path = tmp_path / f"mesh{ending}"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=f"mesh{ending}: .+"):
        abut.read_mesh(path)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=f"mesh{ending}"):
        abut.read_mesh(path)


def test_a_missing_package_names_the_extra(tmp_path, monkeypatch):
    path = tmp_path / "mesh.msh"
    path.write_text("$MeshFormat\n")
    monkeypatch.setitem(__import__("sys").modules, "meshio", None)
    monkeypatch.setitem(__import__("sys").modules, "meshio.gmsh", None)
    with pytest.raises(ImportError, match=r"this needs meshio: pip install 'abut\[io\]'"):
        abut.read_mesh(path)


def test_packed_files(tmp_path):
    mesh = abut.Mesh(VERTICES, MIXED)
    mesh.save(tmp_path / "mesh.vtp")
    data = (tmp_path / "mesh.vtp").read_bytes()
    path = tmp_path / "mesh.vtp.gz"
    path.write_bytes(gzip.compress(data))
    assert corners(abut.read_mesh(path)) == MIXED
    path.write_bytes(gzip.compress(data[:300]))
    with pytest.raises(ValueError, match=r"mesh\.vtp\.gz: it is not an XML file"):
        abut.read_mesh(path)
    for broken in (data, gzip.compress(data)[:-20]):
        path.write_bytes(broken)
        with pytest.raises(ValueError, match=r"mesh\.vtp\.gz: it is not a gzip file, or"):
            abut.read_mesh(path)
    with pytest.raises(FileNotFoundError, match=r"none\.stl\.gz"):
        abut.read_mesh(tmp_path / "none.stl.gz")
