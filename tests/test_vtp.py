"""VTP, as VTK reads it."""

import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import abut
from abut.io import save_table

SQUARE = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 0], [2, 1, 0]]
TYPES = {"Float64": np.float64, "Int64": np.int64, "Int32": np.int32, "UInt8": np.uint8}


@pytest.fixture
def mesh():
    return abut.Mesh(SQUARE, [[0, 1, 2, 3], [1, 4, 2], [4, 5, 2]])


@pytest.fixture
def contacts(mesh):
    return abut.find_contacts([[0.5, 0.5, 0.1], [1.8, 0.9, -0.1], [-0.1, 0.5, 0]], 0.3, mesh)


def read(path):
    """The arrays of a file by section and name, and its counts, read by hand by the format."""
    head, _, tail = path.read_bytes().partition(b'<AppendedData encoding="raw">\n_')
    root = ElementTree.fromstring(head + b"</VTKFile>")
    assert root.attrib["header_type"] == "UInt64"
    assert root.attrib["byte_order"] == "LittleEndian"
    piece = root.find("PolyData/Piece")
    found, end = {}, 0
    for section in piece:
        for item in section:
            offset = int(item.attrib["offset"])
            assert offset == end
            size = int(np.frombuffer(tail, "<u8", 1, offset)[0])
            end = offset + 8 + size
            data = np.frombuffer(tail[offset + 8 : end], TYPES[item.attrib["type"]])
            shape = int(item.get("NumberOfComponents", 1))
            found[section.tag, item.attrib["Name"]] = data.reshape(-1, shape) if shape > 1 else data
    assert tail[end:].split() == [b"</AppendedData>", b"</VTKFile>"]
    return found, {key: int(value) for key, value in piece.attrib.items()}


def test_a_mesh(mesh, tmp_path):
    mesh.save(tmp_path / "mesh.vtp")
    found, counts = read(tmp_path / "mesh.vtp")
    assert (counts["NumberOfPoints"], counts["NumberOfPolys"]) == (6, 3)
    np.testing.assert_array_equal(found["Points", "Points"], mesh.vertices)
    np.testing.assert_array_equal(found["Polys", "connectivity"], mesh.indices)
    np.testing.assert_array_equal(found["Polys", "offsets"], mesh.offsets[1:])
    for name, column in [("normal", "normals"), ("area", "areas"), ("noise", "noise")]:
        np.testing.assert_array_equal(found["CellData", name], getattr(mesh, column))


def test_contacts(contacts, tmp_path):
    contacts.save(tmp_path / "contacts.VTP")
    found, counts = read(tmp_path / "contacts.VTP")
    assert len(contacts) > 2
    assert (counts["NumberOfPoints"], counts["NumberOfVerts"]) == (len(contacts),) * 2
    np.testing.assert_array_equal(found["Points", "Points"], contacts.point)
    np.testing.assert_array_equal(found["Verts", "connectivity"], np.arange(len(contacts)))
    np.testing.assert_array_equal(found["Verts", "offsets"], 1 + np.arange(len(contacts)))
    names = ["sphere", "facet", "type", "feature", "normal", "overlap", "share", "mesh", "image"]
    for name in names:
        np.testing.assert_array_equal(found["PointData", name], getattr(contacts, name))
    assert len(found) == 3 + len(names)


PERIOD = np.array([[4.0, 0, 0], [1.5, 3, 0], [0, 0, 5]])


@pytest.mark.parametrize("dimension", [2, 3])
def test_pairs_are_lines_from_center_to_center(tmp_path, dimension):
    rng = np.random.default_rng(3)
    period = PERIOD[:dimension, :dimension]
    centers = rng.uniform(-3, 3, (40, dimension))
    pairs = abut.find_pairs(centers, rng.uniform(0.2, 0.6, 40), period=period)
    assert (pairs.image != 0).any()
    pairs = type(pairs)._build(
        pairs._made_columns() | {"force": rng.normal(size=pairs.normal.shape)}, pairs._search()
    )
    save_table(pairs, tmp_path / "chains.vtp", {"id_i": pairs.i + 7})
    found, counts = read(tmp_path / "chains.vtp")
    assert (counts["NumberOfPoints"], counts["NumberOfLines"]) == (2 * len(pairs), len(pairs))
    np.testing.assert_array_equal(found["Lines", "offsets"], 2 + 2 * np.arange(len(pairs)))
    ends = found["Points", "Points"].reshape(-1, 2, 3)[:, :, :dimension]
    shifts = pairs.image @ period
    assert ends[:, 0] == pytest.approx(centers[pairs.i], abs=1e-12)
    assert ends[:, 1] == pytest.approx(centers[pairs.j] + shifts, abs=1e-12)
    np.testing.assert_array_equal(found["CellData", "force"][:, :dimension], pairs.force)
    np.testing.assert_array_equal(found["CellData", "point"][:, :dimension], pairs.point)
    np.testing.assert_array_equal(found["CellData", "id_i"], pairs.i + 7)


def test_pairs_in_pyvista_are_those_lines(tmp_path):
    pytest.importorskip("pyvista")
    centers = np.random.default_rng(3).uniform(-3, 3, (40, 3))
    pairs = abut.find_pairs(centers, 0.6, period=PERIOD)
    pairs.save(tmp_path / "pairs.vtp")
    found, _ = read(tmp_path / "pairs.vtp")
    lines = pairs.to_pyvista()
    assert lines.n_lines == lines.n_cells == len(pairs) > 3
    assert lines.lines.tolist() == [
        number for k in range(len(pairs)) for number in (2, 2 * k, 2 * k + 1)
    ]
    np.testing.assert_array_equal(lines.points.ravel(), found["Points", "Points"].ravel())
    for name in ("i", "overlap", "normal", "point"):
        np.testing.assert_array_equal(lines.cell_data[name], found["CellData", name])
    assert pairs[:0].to_pyvista().n_cells == 0
    settings = pairs._search() | {"_radii": None}
    old = type(pairs)._build(pairs._made_columns(), settings).to_pyvista()
    np.testing.assert_array_equal(old.points, pairs.point)


def test_pairs_with_others_are_lines(tmp_path):
    pairs = abut.find_pairs([[0, 0, 0]], 1.0, others=([[9.0, 0, 0], [0, 2.5, 0]], [1.0, 2.0]))
    pairs.save(tmp_path / "pairs.vtp")
    found, _ = read(tmp_path / "pairs.vtp")
    assert found["Points", "Points"].tolist() == [[0, 0, 0], [0, 2.5, 0]]


def test_pairs_of_unknown_radii_are_points(tmp_path):
    pairs = abut.find_pairs([[0, 0, 0], [1.5, 0, 0]], 1.0)
    settings = pairs._search() | {"_radii": None}
    type(pairs)._build(pairs._made_columns(), settings).save(tmp_path / "pairs.vtp")
    found, counts = read(tmp_path / "pairs.vtp")
    assert counts["NumberOfVerts"] == 1
    assert found["Points", "Points"].tolist() == [[0.75, 0, 0]]


def test_more_columns(contacts, tmp_path):
    frames = np.arange(len(contacts))
    save_table(contacts, tmp_path / "contacts.vtp", {'<&"frame">': frames})
    found, _ = read(tmp_path / "contacts.vtp")
    np.testing.assert_array_equal(found["PointData", '<&"frame">'], frames)
