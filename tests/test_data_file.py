"""Data files of LAMMPS."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut

HEAD = """LAMMPS data file via write_data, version 22 Jul 2025, timestep = 3000, units = si

3 atoms
2 atom types

-1 3 xlo xhi
0 2 ylo yhi
1 11 zlo zhi
"""
SPHERES = ["7 1 0.5 2500 1 0.5 4 ", "2 2 1 2500 2 1 5 # a comment", "5 1 0.5 2500 2.5 1.5 6"]
MOVING = ["5 1 2 3 4 5 6", "7 -1 -2 -3 -4 -5 -6", "2 0 0 0 0.5 0 0"]


def text_of(rows=SPHERES, style="# sphere", head=HEAD, more=""):
    lines = "".join(f"{row}\n" for row in rows)
    masses = "Masses\n\n1 0.1\n2 0.2\n\n"
    return f"{head}\n{masses}Atoms {style}\n\n{lines}{more}"


WHOLE = text_of(more="\nVelocities\n\n" + "\n".join(MOVING) + "\n")


def write(folder, text, name="data.run"):
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def frame_of(folder, text, columns=None, **options):
    (frame,) = abut.read_frames(write(folder, text), columns, **options)
    return frame


@pytest.mark.parametrize("pack", [str, lambda text: gzip.compress(text.encode())])
def test_spheres_with_velocities(tmp_path, pack):
    names = ("vz", "density", "omegax", "type")
    frame = frame_of(tmp_path, pack(WHOLE), names)
    assert frame.ids.tolist() == [7, 2, 5]
    assert frame.radii.tolist() == [0.25, 0.5, 0.25]
    assert frame.centers.tolist() == [[1, 0.5, 4], [2, 1, 5], [2.5, 1.5, 6]]
    assert (frame.step, frame.period) == (3000, (4.0, 2.0, 10.0))
    assert frame.origin.tolist() == [-1, 0, 1]
    assert tuple(frame.columns) == names
    assert frame.columns["vz"].tolist() == [-3, 0, 3]
    assert frame.columns["omegax"].tolist() == [-4, 0.5, 4]
    assert frame.columns["type"].tolist() == [1, 2, 1]
    assert frame.columns["type"].dtype == np.intp
    spheres = abut.read_spheres(write(tmp_path, pack(WHOLE)), scale=2)
    assert spheres.radii.tolist() == [0.5, 1, 0.5]
    frames = abut.read_frames(write(tmp_path, pack(WHOLE)))
    speeds = ("vx", "vy", "vz", "omegax", "omegay", "omegaz")
    assert frames.columns == ("id", "type", "diameter", "density", "x", "y", "z", *speeds)


@pytest.mark.parametrize(
    ("style", "row", "names"),
    [
        ("# atomic", "7 1 1 2 3", ()),
        ("", "7 1 1 2 3", ()),
        ("", "7 1 1 2 3 0 -1 2", ("ix", "iy", "iz")),
        ("# full", "7 4 1 0.5 1 2 3 0 -1 2", ("mol", "q", "iy")),
        ("# charge", "7 1 0.5 1 2 3", ("q",)),
        ("# molecular", "7 4 1 1 2 3", ("mol",)),
        ("# ellipsoid", "7 1 1 0.5 1 2 3", ("ellipsoidflag",)),
    ],
)
def test_styles(tmp_path, style, row, names):
    head = HEAD.replace("3 atoms", "1 atoms")
    known = {"ix": 0, "iy": -1, "iz": 2, "mol": 4, "q": 0.5, "ellipsoidflag": 1}
    frame = frame_of(tmp_path, text_of([row], style, head), names, radius={1: 0.25})
    assert frame.centers.tolist() == [[1, 2, 3]]
    assert (frame.ids.tolist(), frame.radii.tolist()) == ([7], [0.25])
    assert {name: column.tolist() for name, column in frame.columns.items()} == {
        name: [known[name]] for name in names
    }
    with pytest.raises(ValueError, match=r"there is no column radius; .* Give radius="):
        frame_of(tmp_path, text_of([row], style, head))


BOXES = {
    "tilted": ("0.5 -0.25 1 xy xz yz\n", [[4, 0, 0], [0.5, 2, 0], [-0.25, 1, 10]]),
    "general": (
        "4 0 1 avec\n0 2 0 bvec\n0 1 9 cvec\n-1 0 1 abc origin\n",
        [[4, 0, 1], [0, 2, 0], [0, 1, 9]],
    ),
}


@pytest.mark.parametrize("name", BOXES)
def test_tilted_boxes(tmp_path, name):
    lines, vectors = BOXES[name]
    frame = frame_of(tmp_path, text_of(head=HEAD + lines))
    assert frame.period.tolist() == vectors
    assert frame.origin.tolist() == [-1, 0, 1]
    half = frame_of(tmp_path, text_of(head=HEAD + lines), scale=0.5)
    assert half.period.tolist() == (np.array(vectors) / 2).tolist()
    assert half.origin.tolist() == [-0.5, 0, 0.5]


def test_labels_of_types(tmp_path):
    labels = "Atom Type Labels\n\n1 sand\n2 gravel\n\n"
    rows = [row.replace(" 1 ", " sand ", 1).replace(" 2 ", " gravel ", 1) for row in SPHERES]
    text = text_of(rows).replace("Masses", f"{labels}Masses")
    frame = frame_of(tmp_path, text, ["type"], radius={1: 0.25, 2: 1})
    assert frame.columns["type"].tolist() == [1, 2, 1]
    assert frame.radii.tolist() == [0.25, 1, 0.25]


def test_no_atoms_and_no_box(tmp_path):
    frame = frame_of(tmp_path, "comment\n\n0 atoms\n\nAtoms # sphere\n\n")
    assert (len(frame.radii), frame.period, frame.step) == (0, None, None)


def test_other_files_of_lammps_are_no_data_files(tmp_path):
    for text in (
        "LAMMPS (22 Jul 2025)\nReading data file ...\n  reading atoms ...\n  600 atoms\n",
        "# a molecule\n\n3 atoms\n\nCoords\n\n1 0 0 0\n2 1 0 0\n3 2 0 0\n",
    ):
        with pytest.raises(ValueError, match=r"has no known ending: .* has a line 'N atoms'"):
            abut.read_frames(write(tmp_path, text))


def test_a_folder_of_a_run_has_its_dumps_as_frames(tmp_path):
    write(tmp_path, WHOLE)
    assert len(abut.read_frames(tmp_path)[0].radii) == 3
    write(tmp_path, "# vtk DataFile Version 2.0\n", "mesh_100.vtk")
    rows = "ITEM: ATOMS id x y z radius\n1 0 0 0 1\n"
    for step in (1, 2):
        text = f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF ATOMS\n1\n{rows}"
        write(tmp_path, text, f"dump.{step}")
    assert [frame.step for frame in abut.read_frames(tmp_path)] == [1, 2]


# ---- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "match"),
    [
        (text_of(style=""), r"line 15: Atoms has no style in its comment: write 'Atoms # sphere'"),
        (text_of(style="# hybrid"), r"line 15: Atoms has the style 'hybrid' in its comment"),
        (text_of(SPHERES[:2]), "line 15: Atoms should have 3 rows, .* header says, but has 2"),
        (text_of([*SPHERES, SPHERES[0]]), "line 15: Atoms should have 3 rows, .*, but has 4"),
        (text_of(["7 1 0.5 2500 1 0.5", *SPHERES[1:]]), "line 17 has 6 words, but atoms of the"),
        (text_of([SPHERES[0], "5 1 2", SPHERES[2]]), "line 18 has 3 words, but there are 7 col"),
        (text_of([SPHERES[0], "x 1 0.5 2500 1 0.5 4", SPHERES[2]]), "line 18: 'x' is not a fini"),
        (text_of(["7 1 0 2500 1 0.5 4 ", *SPHERES[1:]]), "row 0: the radius is 0.0"),
        (HEAD + "\nMasses\n\n1 1\n", "it has no section Atoms: it was cut off"),
        (text_of(head=HEAD.replace("-1 3 xlo", "4 3 xlo")), "xlo that is not below xhi"),
        (text_of(head=HEAD.replace("0 2 ylo", "a 2 ylo")), "line 7: 'a' is not a finite number"),
        (WHOLE.replace("\n5 1 2 3", "\n6 1 2 3"), "Velocities has no row of the atom 5"),
        (WHOLE.replace("\n5 1 2 3", "\n5.5 1 2 3"), "line 23: '5.5' is not a whole number"),
        (WHOLE.replace("\n5 1 2 3", "\n5 1 2 inf"), "line 23: 'inf' is not a finite number"),
        (WHOLE.replace("\n5 1 2 3 4 5 6", ""), "line 21: Velocities should have 3 rows"),
        (text_of(more="\nAtoms # sphere\n\n1 1\n"), "line 21: there is another section Atoms"),
    ],
)
def test_broken_files(tmp_path, text, match):
    names = ["vz"] if "Velocities" in text else None
    with pytest.raises(ValueError, match=rf"data\.run: .*{match}"):
        frame_of(tmp_path, text, names)


def test_columns_that_are_not_there(tmp_path):
    with pytest.raises(ValueError, match="no column vx; the columns are id, type, diameter, dens"):
        frame_of(tmp_path, text_of(), ["vx"])


def test_a_file_that_is_cut_off_anywhere(tmp_path):
    whole = frame_of(tmp_path, WHOLE, ["vx"])
    for end in range(len(WHOLE)):
        try:
            frame = frame_of(tmp_path, WHOLE[:end], ["vx"])
        except ValueError as error:
            assert re.search(r"data\.run", str(error))
        else:
            assert end > WHOLE.rindex("\n2 0 0")
            assert frame.ids.tolist() == whole.ids.tolist()


@given(
    place=st.integers(0, len(WHOLE) - 1),
    word=st.binary(min_size=0, max_size=3),
    length=st.integers(0, 9),
)
def test_damaged_files(tmp_path_factory, place, word, length):
    text = WHOLE.encode()
    damaged = text[:place] + word + text[place + length :]
    try:
        frame = frame_of(tmp_path_factory.getbasetemp(), damaged)
    except ValueError as error:
        assert "data.run" in str(error)
    else:
        assert np.isfinite(frame.centers).all()
        assert (frame.radii > 0).all()
