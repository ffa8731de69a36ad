"""Boxes of dumps, of any shape, and the periods that they make."""

from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut

ROWS = "ITEM: ATOMS id x y z radius\n7 0.5 0.25 0.125 0.25\n"


def dump_of(title, *lines):
    head = "ITEM: TIMESTEP\n3\nITEM: NUMBER OF ATOMS\n1\n"
    return f"{head}ITEM: BOX BOUNDS {title}\n" + "".join(f"{line}\n" for line in lines) + ROWS


def read(folder, title, *lines):
    (folder / "run.dump").write_text(dump_of(title, *lines))
    return abut.read_frames(folder / "run.dump")[0]


@dataclass
class Case:
    """A box in a dump, and what it must be read as: vectors or lengths, and the origin."""

    title: str
    lines: tuple[str, ...]
    period: object
    origin: tuple[float, ...] = (0, 0, 0)


# The bounds are those of the box around the tilted one, as in "Howto triclinic" of LAMMPS' manual:
# xlo_bound = xlo + min(0, xy, xz, xy + xz), ylo_bound = ylo + min(0, yz); max for the high ends.
CASES = {
    "tilts to the right": Case(
        "xy xz yz pp pp pp",
        ("1 5.75 0.5", "2 5.5 0.25", "3 7 0.5"),
        [[4, 0, 0], [0.5, 3, 0], [0.25, 0.5, 4]],
        (1, 2, 3),
    ),
    "tilts to the left": Case(
        "xy xz yz pp pp pp",
        ("-0.75 4 -0.5", "-0.5 3 -0.25", "0 4 -0.5"),
        [[4, 0, 0], [-0.5, 3, 0], [-0.25, -0.5, 4]],
    ),
    "tilts both ways": Case(
        "xy xz yz pp pp pp",
        ("-0.5 4.25 -0.5", "0 3 0.25", "0 4 0"),
        [[4, 0, 0], [-0.5, 3, 0], [0.25, 0, 4]],
    ),
    "a tilted edge that does not repeat": Case(
        "xy xz yz pp pp ff",
        ("0 4.5 0.5", "0 3 0", "0 4 0"),
        [[4, 0, 0], [0.5, 3, 0], [0, 0, 0]],
    ),
    "the first edge does not repeat": Case(
        "xy xz yz fs pp pp",
        ("0 4 0", "0 3.5 0", "0 4 0.5"),
        [[0, 0, 0], [0, 3, 0], [0, 0.5, 4]],
    ),
    "only the straight edge repeats": Case(
        "xy xz yz pp ff ff", ("0 4.5 0.5", "0 3 0", "0 4 0"), (4, None, None)
    ),
    "tilts that are zero": Case(
        "xy xz yz pp ff pp", ("-1 3 0", "0 2 0", "1 11 0"), (4, None, 10), (-1, 0, 1)
    ),
    "nothing repeats": Case("xy xz yz ff ff mm", ("0 4.5 0.5", "0 3 0", "0 4 0"), None),
    "any edges": Case(
        "abc origin pp pp pp",
        ("1 1 0 5", "-1 1 0.5 6", "0 0.25 2 7"),
        [[1, 1, 0], [-1, 1, 0.5], [0, 0.25, 2]],
        (5, 6, 7),
    ),
    "any edges of which one does not repeat": Case(
        "abc origin pp ff pp",
        ("1 1 0 5", "-1 1 0.5 6", "0 0.25 2 7"),
        [[1, 1, 0], [0, 0, 0], [0, 0.25, 2]],
        (5, 6, 7),
    ),
    "edges along the axes": Case(
        "abc origin pp pp ff", ("2 0 0 -1", "0 3 0 0", "0 0 4 0"), (2, 3, None), (-1, 0, 0)
    ),
    "edges along the axes, but backwards": Case(
        "abc origin pp pp pp",
        ("-2 0 0 0", "0 -3 0 0", "0 0 4 0"),
        [[-2, 0, 0], [0, -3, 0], [0, 0, 4]],
    ),
    "no words about the ends": Case("xy xz yz", ("0 4.5 0.5", "0 3 0", "0 4 0"), None),
    "LIGGGHTS": Case("pp pp ff", ("-1 3", "0 2", "1 11"), (4, 2, None), (-1, 0, 1)),
}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_boxes_of_dumps(tmp_path, case):
    frame = read(tmp_path, case.title, *case.lines)
    np.testing.assert_array_equal(frame.origin, case.origin)
    assert frame.centers.tolist() == [[0.5, 0.25, 0.125]]
    if isinstance(case.period, list):
        np.testing.assert_array_equal(frame.period, case.period)
        assert not frame.period.flags.writeable
    else:
        assert frame.period == case.period


def test_a_frame_shows_its_vectors(tmp_path):
    frame = read(tmp_path, "xy xz yz pp pp ff", "0 4.5 0.5", "0 3 0", "0 4 0")
    text = "Frame(1 sphere; step 3; period [[4.0, 0.0, 0.0], [0.5, 3.0, 0.0], [0.0, 0.0, 0.0]])"
    assert repr(frame) == text


@given(
    lengths=st.tuples(*[st.floats(0.1, 10)] * 3),
    tilts=st.tuples(*[st.floats(-5, 5)] * 3),
    origin=st.tuples(*[st.floats(-10, 10)] * 3),
)
def test_both_forms_of_a_tilted_box_are_one(tmp_path_factory, lengths, tilts, origin):
    (x, y, z), (xy, xz, yz) = lengths, tilts
    edges = np.array([[x, 0, 0], [xy, y, 0], [xz, yz, z]])
    corners = np.array(origin) + np.indices((2, 2, 2)).reshape(3, -1).T @ edges
    bounds = np.column_stack([corners.min(axis=0), corners.max(axis=0), tilts])
    general = np.column_stack([edges, origin])
    folder = tmp_path_factory.mktemp("dump")
    for title, rows in (("xy xz yz", bounds), ("abc origin", general)):
        frame = read(folder, f"{title} pp pp pp", *(" ".join(map(repr, r)) for r in rows.tolist()))
        np.testing.assert_allclose(frame.origin, origin, rtol=0, atol=1e-14)
        period = frame.period if isinstance(frame.period, np.ndarray) else np.diag(frame.period)
        np.testing.assert_allclose(period, edges, rtol=0, atol=1e-14)


@pytest.mark.parametrize(
    ("title", "lines", "message"),
    [
        ("xy xz yz pp pp pp", ("0 4 0", "0 3 0"), "it needs three lines, each with low and high"),
        ("xy xz yz pp pp pp", ("0 4 0", "0 3", "0 4 0"), "it needs three lines"),
        ("xy xz yz pp pp pp", ("0 4 0", "0 x 0", "0 4 0"), "number 1: 'x' is not a finite number"),
        (
            "xy xz yz pp pp pp",
            ("0 1 2", "0 3 0", "0 4 0"),
            "along x its low end 0.0 is above .* -1",
        ),
        (
            "xy xz yz pp pp pp",
            ("0 4 1", "0 3 0", "0 0 0"),
            "repeats along its edge 2, which has no",
        ),
        ("pp pp pp", ("0 4", "0 3", "1 1"), "repeats along its edge 2, which has no length"),
        ("abc origin pp pp pp", ("1 0 0 0", "2 0 0 0", "0 0 1 0"), "period.1. lies on the line of"),
        ("abc origin pp pp pp", ("1 0 0 0", "0 1 0 0", "1 1 0 0"), "period.2. lies in the plane"),
    ],
)
def test_boxes_that_are_wrong(tmp_path, title, lines, message):
    with pytest.raises(
        ValueError, match=rf"frame 0 has no valid 'ITEM: BOX .*, line 5: .*{message}"
    ):
        read(tmp_path, title, *lines)
