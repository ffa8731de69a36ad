"""PLY: ASCII and binary, with anything else that such files hold."""

import itertools
import struct
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut.io import ply
from scenes import corners

FORMATS = ("ascii", "binary_little_endian", "binary_big_endian")
CODES = {
    "char": "b", "uchar": "B", "short": "h", "ushort": "H", "int": "i", "uint": "I",
    "float": "f", "double": "d", "int8": "b", "uint8": "B", "int32": "i", "float64": "d",
    "int64": "q", "uint64": "Q",
}  # fmt: skip

VERTICES = [[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0], [2, 0, 0], [2, 1, 0], [1.5, 2, 0]]
FACETS = [[0, 1, 2, 3], [1, 4, 2], [4, 5, 2], [2, 5, 6]]
XYZ = [("x", "float"), ("y", "float"), ("z", "float")]
CORNERS = [("vertex_indices", "uchar int")]


def header(form, *elements, count=None):
    lines = ["ply", f"format {form} 1.0", "comment made by a test", "obj_info nothing"]
    for name, properties, rows in elements:
        lines.append(f"element {name} {len(rows) if count is None else count}")
        for property_name, types in properties:
            listed = "list " if " " in types else ""
            lines.append(f"property {listed}{types} {property_name}")
    return "\n".join([*lines, "end_header\n"]).encode()


def body(form, properties, row):
    """One row: a number for each property, or a sequence for a list."""
    words, data = [], b""
    order = ">" if "big" in form else "<"
    for (_, types), value in zip(properties, row, strict=True):
        *length, code = types.split()
        values = value if length else [value]
        words += [str(len(values))] * len(length) + [repr(v) for v in values]
        data += b"".join(struct.pack(order + CODES[c], len(values)) for c in length)
        data += b"".join(struct.pack(order + CODES[code], v) for v in values)
    return (" ".join(words) + "\n").encode() if form == "ascii" else data


def ply_file(form, *elements, **options):
    rows = (body(form, properties, row) for _, properties, rows in elements for row in rows)
    return header(form, *elements, **options) + b"".join(rows)


def squares(form, properties=CORNERS):
    vertex = ("vertex", XYZ, [[float(x) for x in v] for v in VERTICES])
    return ply_file(form, vertex, ("face", properties, [[facet] for facet in FACETS]))


def read(tmp_path, data):
    path = tmp_path / "mesh.ply"
    path.write_bytes(data)
    return abut.read_mesh(path)


# ---- reading -------------------------------------------------------------------------------------


STRIPS = [0, 1, 2, 3, -1, 3, 2, 4, 4, 0, -1, -1, 1, 2]
TRIANGLES = [[0, 1, 2], [1, 3, 2], [3, 2, 4]]


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("rows", [[STRIPS], [STRIPS[:4], [], STRIPS[5:]]])
@pytest.mark.parametrize("with_faces", [False, True])
def test_triangle_strips(tmp_path, form, rows, with_faces):
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0], [2, 3, 1]]
    strips = ("tristrips", [("vertex_indices", "int int")], [[row] for row in rows])
    face = ("face", CORNERS, [[[0, 1, 3, 2]]])
    vertex = ("vertex", XYZ, [[float(x) for x in v] for v in corners])
    parts = [vertex, strips, *([face] if with_faces else [])]
    mesh = read(tmp_path, ply_file(form, *parts))
    expected = [[0, 1, 3, 2]] * with_faces + TRIANGLES
    borders = itertools.pairwise(mesh.offsets)
    places = [mesh.vertices[mesh.indices[a:b]].tolist() for a, b in borders]
    assert len(places) == len(expected)
    first = [0, 1, 3, 2] if with_faces else expected[0]
    assert places[0] == [corners[k] for k in first]
    assert places[-1] == [corners[k] for k in (3, 2, 4)]
    # The strip's second triangle is turned, so that both look to one side.
    assert mesh.normals[-2].tolist() == mesh.normals[-3].tolist()


def test_triangle_strips_that_are_broken(tmp_path):
    vertex = ("vertex", XYZ, [[0.0, 0.0, 0.0]] * 3)
    strips = ("tristrips", [("vertex_indices", "int int")], [[[0, 1, 3]]])
    with pytest.raises(ValueError, match=r"mesh\.ply: facet 0 names vertex 3, but there are 3"):
        read(tmp_path, ply_file("ascii", vertex, strips))
    with pytest.raises(ValueError, match="the header has 2 elements tristrips, not one"):
        read(tmp_path, ply_file("ascii", vertex, strips, strips))


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize(
    "types", ["uchar int", "uint8 uint", "int ushort", "short char", "char short", "int64 uint64"]
)
@pytest.mark.parametrize("name", ["vertex_indices", "vertex_index"])
def test_types_and_byte_orders(tmp_path, form, types, name):
    mesh = read(tmp_path, squares(form, [(name, types)]))
    assert corners(mesh) == FACETS
    assert mesh.vertices.tolist() == VERTICES


number = st.floats(-1e3, 1e3, width=32).map(lambda x: x + 0.0)
extra = st.sampled_from([("quality", "float"), ("flags", "uchar"), ("tags", "uchar short")])


def fill(properties, values, numbers):
    """A row with the given values by name, and arbitrary other values."""
    return [
        values[name] if name in values else (numbers[:2] if " " in types else numbers[0])
        for name, types in properties
    ]


@given(
    form=st.sampled_from(FORMATS),
    vertices=st.lists(st.tuples(number, number, number), min_size=1, max_size=9),
    before=st.lists(extra, max_size=2, unique=True),
    after=st.lists(st.just(("last", "ushort int")), max_size=1),
    facets_first=st.booleans(),
    same_length=st.booleans(),
    data=st.data(),
)
def test_any_elements_and_properties(
    tmp_path_factory, form, vertices, before, after, facets_first, same_length, data
):
    corner = st.integers(0, len(vertices) - 1)
    length = {"min_size": 3, "max_size": 3} if same_length else {"max_size": 5}
    facets = data.draw(st.lists(st.lists(corner, **length), max_size=9))
    axes = data.draw(st.permutations([("x", "double"), ("y", "float"), ("z", "float64")]))
    plain = [item for item in before if " " not in item[1]]
    vertex_properties = [*plain, *axes]
    face_properties = [*before, ("vertex_index", "uchar int"), *after]
    vertex_rows = [
        fill(vertex_properties, dict(zip("xyz", v, strict=True)), [3, 4]) for v in vertices
    ]
    face_rows = [
        fill(face_properties, {"vertex_index": f}, [i % 7, 5]) for i, f in enumerate(facets)
    ]
    elements = [
        ("vertex", vertex_properties, vertex_rows),
        (
            "edge",
            [("vertex1", "int"), ("list", "uchar double")],
            [[1, [0.5] * k] for k in range(3)],
        ),
        ("face", face_properties, face_rows),
        ("end", [("value", "char")], [[1]]),
    ]
    path = tmp_path_factory.mktemp("ply") / "mesh.ply"
    path.write_bytes(ply_file(form, *(elements[::-1] if facets_first else elements)))
    found = ply.read(path)
    assert found.vertices.tolist() == [list(vertex) for vertex in vertices]
    assert corners(found) == facets


def test_lists_among_the_properties_of_vertices(tmp_path):
    for form in FORMATS:
        rows = [[[1, 2][: i % 3], *map(float, v)] for i, v in enumerate(VERTICES)]
        vertex = ("vertex", [("tags", "uchar short"), *XYZ], rows)
        data = ply_file(form, vertex, ("face", CORNERS, [[facet] for facet in FACETS]))
        mesh = read(tmp_path, data)
        assert mesh.vertices.tolist() == VERTICES
        assert corners(mesh) == FACETS


def test_noise(tmp_path):
    vertex = ("vertex", [(x, "double") for x in "xyz"], [[0.1, 0.2, 0.3], [1.1, 0, 0], [0, 1.3, 0]])
    face = ("face", CORNERS, [[[0, 1, 2]]])
    as_text = ply_file("ascii", vertex, face).replace(b"0.3", b"0.3000000")
    np.testing.assert_allclose(read(tmp_path, as_text).noise, 1e-6)
    as_double = ply_file("binary_little_endian", vertex, face)
    assert read(tmp_path, as_double).noise.tolist() == [np.spacing(1.3)]
    as_float = ply_file("binary_little_endian", ("vertex", XYZ, vertex[2]), face)
    assert read(tmp_path, as_float).noise.tolist() == [np.spacing(np.float32(1.3))]


@pytest.mark.parametrize("form", FORMATS)
def test_no_facets(tmp_path, form):
    mesh = read(tmp_path, ply_file(form, ("vertex", XYZ, []), ("face", CORNERS, [])))
    assert len(mesh) == 0


# ---- files that are broken -----------------------------------------------------------------------


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("count", [10**12, 10**18, 10**30])
@pytest.mark.parametrize("name", ["vertex", "face", "other"])
def test_a_count_beyond_the_file(tmp_path, form, count, name):
    data = squares(form)
    if name == "other":
        data = data.replace(b"element face", b"element other 3\nproperty int a\nelement face")
    data = data.replace(f"element {name} ".encode(), f"element {name} {count}".encode(), 1)
    tracemalloc.start()
    with pytest.raises(ValueError, match=rf"the header announces {count}\d rows of element"):
        read(tmp_path, data)
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


@pytest.mark.parametrize("form", FORMATS[1:])
@pytest.mark.parametrize("length", ["int", "uint"])
def test_a_lying_list(tmp_path, form, length):
    order = ">" if "big" in form else "<"
    data = squares(form, [("vertex_indices", f"{length} int")])
    start = data.index(b"end_header\n") + 11 + 12 * len(VERTICES)
    lie = struct.pack(order + CODES[length], 2**31 - 1)
    for at in (start, start + 20):
        tracemalloc.start()
        with pytest.raises(ValueError, match="the file ends in row"):
            read(tmp_path, data[:at] + lie + data[at + 4 :])
        assert tracemalloc.get_traced_memory()[1] < 10**6
        tracemalloc.stop()
    if length == "int":
        with pytest.raises(ValueError, match="row 1 of element face has a list of -1 entries"):
            read(tmp_path, data[: start + 20] + struct.pack(order + "i", -1) + data[start + 24 :])


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("corner", [7, -1])
def test_the_first_vertex_that_is_not_there_is_named(tmp_path, form, corner):
    facets = [[[0, 1, 2]], [[0, 1, 2, corner]], [[99, 1, 2]]]
    vertex = ("vertex", XYZ, [[float(x) for x in v] for v in VERTICES])
    data = ply_file(form, vertex, ("face", CORNERS, facets))
    with pytest.raises(
        ValueError, match=f"facet 1 names vertex {corner}, but there are 7 vertices"
    ):
        read(tmp_path, data)


@pytest.mark.parametrize("form", FORMATS)
def test_a_coordinate_that_is_not_finite_is_named(tmp_path, form):
    vertex = ("vertex", XYZ, [[0.0, 0.0, 0.0], [1.0, float("nan"), 0.0], [0.0, 1.0, 0.0]])
    with pytest.raises(ValueError, match=r"(vertex 1|row 1 of element vertex)\b.* finite"):
        read(tmp_path, ply_file(form, vertex, ("face", CORNERS, [[[0, 1, 2]]])))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ply\n", "plx\n", "not a PLY file"),
        ("format ascii", "format text", "line 2 is broken: 'format text 1.0'"),
        ("format ascii 1.0\n", "", "no line 'format'"),
        ("element vertex 7", "element vertex -7", "line 5 is broken"),
        ("element vertex 7", "element vertex seven", "line 5 is broken"),
        ("element vertex 7\n", "", "line 5 is broken: 'property float x'"),
        ("property float y", "property real y", "line 7 is broken"),
        ("property float y", "property float w", "element vertex has no property y"),
        ("property float y", "property float x", "element vertex has no property y"),
        ("list uchar int", "list float int", "line 10 is broken"),
        ("list uchar int", "list uchar float", "has no list of whole numbers vertex_indices"),
        ("vertex_indices", "corners", "has no list of whole numbers vertex_indices"),
        ("element face 4", "element facet 4", "the header has 0 elements face, not one"),
        ("element face", "element vertex", "the header has 2 elements vertex, not one"),
        ("end_header\n", "", "the header has no end_header"),
        ("\n3 1 4 2\n", "\n3 1 4\n", "row 1 of element face has 3 words, but .* take 4"),
        ("\n3 1 4 2\n", "\n3 1 4 2 9\n", "row 1 of element face has 5 words, but .* take 4"),
        ("\n3 1 4 2\n", "\n3 1 4 x\n", "row 1 of element face: 'x' is not a whole number"),
        ("\n3 1 4 2\n", "\n3 1 0_4 2\n", "row 1 of element face: '0_4' is not a whole number"),
        ("\n3 1 4 2\n", "\n0_3 1 4 2\n", "row 1 of element face has a list without its length"),
        ("element vertex 7", "element vertex 0_7", "line 5 is broken"),
        ("\n1.0 1.0 0.0\n", "\n1.0 1_0 0.0\n", "vertex 2: '1_0' is not a finite number"),
        ("\n3 1 4 2\n", "\n-3 1 4 2\n", "row 1 of element face has a list without its length"),
        ("\n1.0 1.0 0.0\n", "\n1.0 zero 0.0\n", "vertex 2: 'zero' is not a finite number"),
        ("\n1.0 1.0 0.0\n", "\n1.0 1.0\n", "row 2 of element vertex has 2 words"),
    ],
)
def test_broken_ascii_names_the_place(tmp_path, old, new, message):
    text = squares("ascii").decode()
    assert old in text
    with pytest.raises(ValueError, match=rf"mesh\.ply: .*{message}"):
        read(tmp_path, text.replace(old, new, 1).encode())
