"""STL: binary and ASCII, read and written."""

import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut.io import stl

TETRAHEDRON = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
FACETS = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]]

# counts, normals, outer loops: as exporters write them, and as they may
ASCII_STYLES = {
    "usual": "facet normal 0 0 1\n  outer loop\n{}  endloop\nendfacet\n",
    "upper case, tabs, CRLF": "FACET NORMAL 0 0 1\r\n\tOUTER LOOP\r\n{}\tENDLOOP\r\nENDFACET\r\n",
    "one line": "facet normal 0 0 1 outer loop {} endloop endfacet ",
    "no normal, old Mac": "facet\router loop\r{}endloop\rendfacet\r",
    "normal that is none": "facet normal nan nan nan\nouter loop\n{}endloop\nendfacet\n\n",
}


def ascii_file(corners, style="usual", name="solid", head="solid {}\n", tail="endsolid {}\n"):
    facet = ASCII_STYLES[style]
    end = "\r" if "Mac" in style else "\n"
    body = "".join(
        facet.format("".join("vertex {!r} {!r} {!r}{}".format(*v.tolist(), end) for v in triangle))
        for triangle in corners
    )
    return (head.format(name) + body + tail.format(name)).encode()


def binary_file(corners, head=b"", tail=b"", count=None):
    body = b"".join(struct.pack("<12fH", 0, 0, 0, *t.ravel(), 7) for t in corners)
    count = len(corners) if count is None else count
    return head.ljust(80) + struct.pack("<I", count) + body + tail


def read(tmp_path, data, **options):
    path = tmp_path / "mesh.stl"
    path.write_bytes(data)
    return abut.read_mesh(path, **options)


def same_corners(mesh, corners):
    return np.array_equal(mesh.vertices[mesh.indices].reshape(-1, 3, 3), corners)


triangles = st.lists(
    st.lists(st.integers(-(2**20), 2**20), min_size=9, max_size=9).map(
        lambda numbers: np.reshape(numbers, (3, 3)) / 1024.0
    ),
    max_size=6,
)


# ---- reading -------------------------------------------------------------------------------------


@given(corners=triangles, binary=st.booleans())
def test_facets_come_back(tmp_path_factory, corners, binary):
    path = tmp_path_factory.mktemp("stl") / "mesh.stl"
    path.write_bytes(binary_file(corners) if binary else ascii_file(corners))
    found = stl.read(path)
    assert np.array_equal(found.vertices.reshape(-1, 3, 3), np.reshape(corners, (-1, 3, 3)))
    assert found.offsets.tolist() == list(range(0, 3 * len(corners) + 1, 3))


@pytest.mark.parametrize("style", ASCII_STYLES)
@pytest.mark.parametrize("name", ["", "a b c", "facet normal 1 2 3", "endsolid", "vertex 1 2 3"])
def test_ascii_styles(tmp_path, style, name):
    corners = TETRAHEDRON[FACETS]
    mesh = read(tmp_path, ascii_file(corners, style, name))
    assert same_corners(mesh, corners)
    assert len(mesh.vertices) == 4


@pytest.mark.parametrize("head", [b"solid", b"solid box\n facet normal 0 0 1 outer loop", b"\0"])
def test_a_binary_file_may_say_solid(tmp_path, head):
    assert same_corners(read(tmp_path, binary_file(TETRAHEDRON[FACETS], head)), TETRAHEDRON[FACETS])


def test_binary_is_float32_and_ascii_is_its_digits(tmp_path):
    corners = (TETRAHEDRON[FACETS] * 1.2345678).round(6)
    noise = np.spacing(np.float32(1.234568))
    binary = read(tmp_path, binary_file(corners))
    assert binary.noise.tolist() == [noise] * 4
    np.testing.assert_allclose(read(tmp_path, ascii_file(corners)).noise, 1e-6)
    # scaling carries the noise along
    np.testing.assert_allclose(read(tmp_path, binary_file(corners), scale=1e-3).noise, noise / 1e3)


def test_facets_without_area_are_dropped_and_counted(tmp_path):
    corners = TETRAHEDRON[FACETS]
    corners[2, 2] = (corners[2, 0] + corners[2, 1]) / 2
    corners[1, 1] = corners[1, 0]
    with pytest.warns(abut.MeshWarning) as seen:
        mesh = read(tmp_path, binary_file(corners))
    assert mesh.source.tolist() == [0, 3]
    messages = [str(warning.message) for warning in seen]
    assert len(messages) == 2
    assert "1 of 4 facets has fewer than three different corners" in messages[0]
    assert "left out: facet 1" in messages[0]
    assert "left out: facet 2" in messages[1]
    assert {warning.filename for warning in seen} == {__file__}
    with pytest.raises(ValueError, match=r"mesh\.stl: facet 2 "), pytest.warns(abut.MeshWarning):
        read(tmp_path, binary_file(corners), on_degenerate="raise")


@pytest.mark.parametrize("data", [binary_file([]), b"solid nothing\nendsolid nothing\n"])
def test_no_facets(tmp_path, data):
    mesh = read(tmp_path, data)
    assert len(mesh) == len(mesh.vertices) == 0


# ---- files that are broken -----------------------------------------------------------------------


@pytest.mark.parametrize("count", [5, 3, 0, 2**32 - 1])
@pytest.mark.parametrize("head", [b"solid", b"binary"])
def test_a_lying_count(tmp_path, count, head):
    message = rf"should have {count} facets, which take {84 + 50 * count} bytes.* 284 bytes"
    tracemalloc.start()
    with pytest.raises(ValueError, match=message):
        read(tmp_path, binary_file(TETRAHEDRON[FACETS], head, count=count))
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


@pytest.mark.parametrize("data", [b"", b"solid", b"soli", b"\0" * 83, b"OFF 3 1 0 " * 20])
def test_no_stl_file(tmp_path, data):
    with pytest.raises(ValueError, match=r"mesh\.stl"):
        read(tmp_path, data)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("vertex 1.0 0.0 0.0", "vertex 1.0 0.0 zero", "facet 0: 'zero' is not a finite number"),
        ("vertex 1.0 0.0 0.0", "vertex 1.0 0.0 0_1", "facet 0: '0_1' is not a finite number"),
        ("vertex 1.0 0.0 0.0", "vertex 1.0 0.0", "line 2: facet 0 is broken"),
        ("vertex 1.0 0.0 0.0", "vertex 1 0 0\nvertex 2 0 0", "line 2: facet 0 is broken"),
        ("vertex 0.0 0.0 1.0", "vertex 0.0 0.0 nan", "facet 1: 'nan' is not a finite number"),
        ("endloop", "", "line 2: facet 0 is broken"),
        ("endfacet\nendsolid", "endfacet\nrubbish\nendsolid", "line 30: 'rubbish' stands where"),
        ("endsolid solid", "", "ends after 4 facets without 'endsolid'"),
    ],
)
def test_broken_ascii_names_the_place(tmp_path, old, new, message):
    data = ascii_file(TETRAHEDRON[FACETS]).decode()
    assert old in data
    with pytest.raises(ValueError, match=message):
        read(tmp_path, data.replace(old, new, 1).encode())


def test_a_coordinate_that_is_not_finite_names_its_facet(tmp_path):
    corners = TETRAHEDRON[FACETS]
    corners[2, 1, 0] = np.nan
    corners[3, 0, 0] = np.inf
    with pytest.raises(ValueError, match=r"mesh\.stl: facet 2 has a coordinate that is not finite"):
        read(tmp_path, binary_file(corners))


# ---- writing -------------------------------------------------------------------------------------


def test_polygons_are_written_as_fans(tmp_path):
    angle = np.arange(7) * 2 * np.pi / 7
    ring = np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1).astype(np.float32)
    vertices = np.concatenate([ring, [[0, 0, 2]]])
    mesh = abut.Mesh(vertices, [[0, 1, 2, 3, 4, 5, 6], [0, 1, 7], [3, 4, 5, 7][:3]])
    mesh.save(tmp_path / "mesh.stl")
    found = abut.read_mesh(tmp_path / "mesh.stl")
    assert len(found) == 5 + 1 + 1
    np.testing.assert_allclose(found.areas[:5].sum(), mesh.areas[0], rtol=1e-6)
    np.testing.assert_allclose(found.normals[:5], np.tile([0, 0, 1], (5, 1)), atol=1e-6)
    # each fan begins at its lexicographically smallest corner
    smallest = min(map(tuple, ring.tolist()))
    for facet in range(5):
        assert tuple(found.vertices[found.indices[3 * facet]]) == smallest


def test_triangles_are_written_as_they_are(tmp_path):
    mesh = abut.Mesh(TETRAHEDRON, FACETS)
    mesh.save(tmp_path / "mesh.stl")
    data = (tmp_path / "mesh.stl").read_bytes()
    assert not data.startswith(b"solid")
    records = np.frombuffer(data, stl._RECORD, offset=84)
    assert struct.unpack_from("<I", data, 80) == (4,)
    np.testing.assert_allclose(records["normal"], mesh.normals, rtol=1e-7)
    found = abut.read_mesh(tmp_path / "mesh.stl")
    shifted = [sorted(map(tuple, found.vertices[found.indices[3 * f :][:3]])) for f in range(4)]
    assert shifted == [sorted(map(tuple, TETRAHEDRON[facet])) for facet in FACETS]
    np.testing.assert_array_equal(found.normals, mesh.normals)


def test_what_float32_does_not_hold_is_refused(tmp_path):
    mesh = abut.Mesh(TETRAHEDRON * 1e39, FACETS)
    with pytest.raises(ValueError, match="exceeds float32"):
        mesh.save(tmp_path / "mesh.stl")
    assert not (tmp_path / "mesh.stl").exists()


def test_others_read_what_is_written(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    mesh = abut.Mesh(TETRAHEDRON, FACETS)
    mesh.save(tmp_path / "mesh.stl")
    found = trimesh.load(tmp_path / "mesh.stl")
    assert found.volume == pytest.approx(1 / 6)


@pytest.mark.parametrize("tail", ["endsolid", "end solid", "end solid lid", "END  SOLID"])
@pytest.mark.parametrize("head", ["solid", "solid lid"])
def test_ends_with_and_without_names(tmp_path, head, tail):
    facet = "facet normal 0 0 1 outer loop vertex 0 0 0 vertex 1 0 0 vertex 0 1 0 endloop endfacet"
    mesh = read(tmp_path, f"{head}\n{facet}\n{tail}\n{head}\n{tail}\n".encode())
    assert len(mesh) == 1
    with pytest.raises(ValueError, match="line 3: 'end' stands where"):
        read(tmp_path, f"{head}\n{facet}\nend\n".encode())


def test_decimal_commas(tmp_path):
    text = (
        "solid a,b\nfacet normal 0,0 0,0 1,0\nouter loop\nvertex 0,25 0 0\n"
        "vertex 1,5e0 0,125 0\nvertex 0 1 -0,5\nendloop\nendfacet\nendsolid\n"
    )
    with_commas, with_points = read(tmp_path, text.encode()), None
    with_points = read(tmp_path, text.replace(",", ".").encode())
    assert with_commas.vertices.tolist() == [[0.25, 0, 0], [1.5, 0.125, 0], [0, 1, -0.5]]
    assert with_commas.noise.tolist() == with_points.noise.tolist()
    with pytest.raises(ValueError, match="facet 0: '1,5,0' is not a finite number"):
        read(tmp_path, text.replace("1,5e0", "1,5,0").encode())
