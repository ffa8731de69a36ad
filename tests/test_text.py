"""Lines and words of text files."""

import io
import re
from itertools import islice

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut.io import text
from abut.io.text import LINE_BYTES, Lines

PLY_HEADER = """\
ply
format ascii 1.0
element other 1
property float x
element vertex 0
property float x
property float y
property float z
element face 0
property list int int vertex_indices
end_header
"""

# ---- lines ---------------------------------------------------------------------------------------


@given(
    data=st.lists(st.sampled_from([b"\n", b"\r\n", b"\r", b"a", b"bc ", b"\xff"])).map(b"".join),
    steps=st.lists(st.integers(0, 4)),
    block=st.integers(1, 5),
)
def test_lines_are_those_of_the_file(data, steps, block):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(text, "_READ_BYTES", block)
        lines = Lines(io.BytesIO(data), "line ")
        expected = list(enumerate(re.split(rb"\r\n|\r|\n", data), 1))
        expected = expected[: -1 if expected[-1][1] == b"" else None]
        for count in steps:
            left, expected = expected[:count], expected[count:]
            assert list(islice(lines, count)) == left
        assert list(lines) == expected


def test_a_byte_order_mark_is_left_out():
    mark = b"\xef\xbb\xbf"
    assert list(Lines(io.BytesIO(mark + b"a\n" + mark), "")) == [(1, b"a"), (2, mark)]


@pytest.mark.cases(2)
@pytest.mark.parametrize(
    ("name", "begin", "where"),
    [
        ("mesh.obj", "v 0 0 0\nv", "mesh.obj: line 2 has more than"),
        ("mesh.mdpa", "Begin Nodes\n1", "mesh.mdpa: line 2 has more than"),
        ("mesh.ply", "ply\nformat", "mesh.ply: line 2 is broken"),
        ("mesh.ply", PLY_HEADER, "mesh.ply: after the header, line 1 has more than"),
        ("spheres.csv", "x,y,z,radius", "spheres.csv: a line has more than"),
    ],
)
def test_lines_that_no_one_wrote(tmp_path, name, begin, where):
    (tmp_path / name).write_text(begin + " 1" * LINE_BYTES)
    read = abut.read_spheres if name.endswith("csv") else abut.read_mesh
    with pytest.raises(ValueError, match=where):
        read(tmp_path / name)


# ---- words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "word", [b"1_0", "1_0", "\uff11", "\u0661", "1\u2003", b"\xef\xbc\x91", ""]
)
def test_words_that_only_python_takes_for_numbers(word):
    good = word[:0] + (b"1" if isinstance(word, bytes) else "1")
    assert text.numbers([good, good], str).tolist() == [1, 1]
    with pytest.raises(ValueError, match=r"^1: .* is not a finite number"):
        text.numbers([good, word, good], str)


@pytest.mark.parametrize("word", [b"1_0", b"\xef\xbc\x91", b"1.0", b"", b"9" * 19, b"9" * 5000])
def test_words_that_are_no_whole_numbers(word):
    assert text.integers([b"-7", b"+1"], str).tolist() == [-7, 1]
    assert text.integers([], str).dtype == np.intp
    with pytest.raises(ValueError, match=r"^1: .* is not a whole number"):
        text.integers([b"1", word, b"x"], str)
