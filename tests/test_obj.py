"""Wavefront OBJ."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut.io import obj
from scenes import corners

SQUARES = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 2 0 0\nv 2 1 0\n"


def write(tmp_path, text):
    path = tmp_path / "mesh.obj"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def read(tmp_path, text, **options):
    return abut.read_mesh(write(tmp_path, text), **options)


# ---- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "facets",
    [
        "f 1 2 3 4\nf 2 5 6 3\n",
        "f 1/1 2/2 3/3 4/4\nf 2/1 5/2 6/3 3/4\n",
        "f 1//1 2//1 3//1 4//1\nf 2//1 5//1 6//1 3//1\n",
        "f 1/1/1 2/2/1 3/3/1 4/4/1\nf 2/1/1 5/2/1 6/3/1 3/4/1\n",
        "f 1/ 2/ 3// 4\nf 2 5/7 6//-1 3/-1/-1\n",
        "f -6 -5 -4 -3\nf -5 -2 -1 -4\n",
        "f 1 2 -4 4 # a comment\nf 2 5 \\\n 6 3\n",
        "f 1 2 3\\\n 4\r\n\r\nf\t2 5 6 3",
        "f +1 02 3 4\ng f 1 2 3\no f\nf 2 5 6 3\nl 1 2\np 1\ns off\nvp 0 0\ncstype bezier\n",
    ],
)
def test_ways_to_write_facets(tmp_path, facets):
    head = "# made by hand\nmtllib a.mtl\nvn 0 0 1\nvt 0 0\n"
    mesh = read(tmp_path, head + SQUARES + facets)
    assert corners(mesh) == [[0, 1, 2, 3], [1, 4, 5, 2]]
    assert len(mesh.vertices) == 6


def test_negative_numbers_count_from_where_they_stand(tmp_path):
    mesh = read(tmp_path, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf -3 -2 -1\nv 0 0 1\nf -4 -2 -1\n")
    assert corners(mesh) == [[0, 1, 2], [0, 2, 3]]


def test_vertices_may_come_after_the_facets_that_name_them(tmp_path):
    assert corners(read(tmp_path, "f 1 2 3\nv 0 0 0\nv 1 0 0\nv 0 1 0\n")) == [[0, 1, 2]]


def test_more_numbers_of_a_vertex_are_passed_over(tmp_path):
    mesh = read(tmp_path, "v 0 0 0 1\nv 1 0 0 .5 .5 .5\nv 0 1 0 1 1 1 1\nf 1 2 3\n")
    assert mesh.bounds.tolist() == [[0, 0, 0], [1, 1, 0]]


def test_bytes_that_are_no_text_may_stand_in_comments(tmp_path):
    mesh = read(tmp_path, b"\xef\xbb\xbf# \xff\xe9\0\n" + SQUARES.encode() + b"o \xff\nf 1 2 3 4\n")
    assert len(mesh) == 1


def test_splitting(tmp_path):
    text = "v 0 0 0\nv 2 0 0\nv 2 2 0\nv 1 0.5 0\nf 1 2 3 4\n"
    with pytest.raises(ValueError, match=r"mesh\.obj: facet 0 "):
        read(tmp_path, text)
    mesh = read(tmp_path, text, split=True)
    assert mesh.source.tolist() == [0, 0]


def test_noise_of_each_facet_and_scale(tmp_path):
    text = SQUARES + "f 1 2 3 4\nf 2 2 3\nf 2 5 6 3\n"
    with pytest.warns(abut.MeshWarning):
        mesh = read(tmp_path, text, noise=[0.1, 0.2, 0.3], scale=10)
    assert mesh.noise.tolist() == [1.0, 3.0]
    with pytest.raises(ValueError, match="noise has 2 entries, but there are 3 facets"):
        read(tmp_path, text, noise=[0.1, 0.2])


numbers = st.floats(-1e6, 1e6).map(lambda x: x + 0.0)


@given(
    vertices=st.lists(st.tuples(numbers, numbers, numbers), min_size=1),
    data=st.data(),
    digits=st.sampled_from([6, 9, 17]),
)
def test_vertices_and_facets_come_back(tmp_path_factory, vertices, data, digits):
    corner = st.integers(0, len(vertices) - 1)
    facets = data.draw(st.lists(st.lists(corner, min_size=1, max_size=8)))
    negative = data.draw(st.booleans())
    first = -len(vertices) if negative else 1
    path = tmp_path_factory.mktemp("obj") / "mesh.obj"
    words = [[f"{x:.{digits}g}" for x in vertex] for vertex in vertices]
    lines = ["v " + " ".join(vertex) for vertex in words]
    lines += ["f " + " ".join(str(i + first) for i in facet) for facet in facets]
    path.write_text("\n".join(lines))
    found = obj.read(path)
    assert found.vertices.tolist() == [[float(word) for word in vertex] for vertex in words]
    assert corners(found) == facets


# ---- files that are broken -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("f 0 1 2", "line 8: a facet names vertex 0, but OBJ files count from 1"),
        ("f 1/1 0/1 2/1", "line 8: a facet names vertex 0"),
        ("f 1 2 7", "line 8: a facet names vertex 7, but the file has 6 vertices"),
        ("f 1 2 -7", "line 8: a facet names vertex -7, but 6 stand before it"),
        ("f 1 2 x", "line 8: 'x' is not a whole number"),
        ("f 1 2 3.0", "line 8: '3.0' is not a whole number"),
        ("f 1 2 /3", "line 8: '' is not a whole number"),
        ("f 1 2 1_0", "line 8: '1_0' is not a whole number"),
        ("v 1 2 1_0", "line 8: '1_0' is not a finite number"),
        ("f 1 2 99999999999999999999", "line 8: '99999999999999999999' is not a whole number"),
        ("v 1 2", "line 8: a vertex has 2 coordinates, not 3"),
        ("v 1 2 x", "line 8: 'x' is not a finite number"),
        ("v 1 nan 2", "line 8: 'nan' is not a finite number"),
    ],
)
def test_the_broken_line_is_named(tmp_path, line, message):
    with pytest.raises(ValueError, match=rf"mesh\.obj: {message}"):
        read(tmp_path, SQUARES + f"f 1 2 3 4\n{line}\nf 2 5 6 3\n{line}\n")


@pytest.mark.parametrize("last", ["f 2 5 6 \\", "f 2 5 6 \\\n", "f 2 5 6\\\n", "\\"])
def test_a_backslash_at_the_end(tmp_path, last):
    with pytest.raises(
        ValueError, match=r"mesh\.obj: line 8: a backslash joins the next line, but"
    ):
        read(tmp_path, SQUARES + "f 1 2 3 4\n" + last)


@pytest.mark.parametrize("data", [b"", b"\n# nothing\n", b"\0\1\2" * 100, b"solid a\nendsolid a\n"])
def test_no_obj_file(tmp_path, data):
    with pytest.raises(ValueError, match="is not an OBJ file"):
        read(tmp_path, data)
