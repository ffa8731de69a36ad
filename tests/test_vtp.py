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


def test_more_columns(contacts, tmp_path):
    frames = np.arange(len(contacts))
    save_table(contacts, tmp_path / "contacts.vtp", {'<&"frame">': frames})
    found, _ = read(tmp_path / "contacts.vtp")
    np.testing.assert_array_equal(found["PointData", '<&"frame">'], frames)
