"""Dumps of LAMMPS and LIGGGHTS."""

import gzip
import signal
import sys
import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut

BOX = "ITEM: BOX BOUNDS pp pp ff\n-1 3\n0 2\n1 11\n"


def frame(rows, names="id type x y z radius", box=BOX, step=100, count=None, more=""):
    count = len(rows) if count is None else count
    lines = "".join(" ".join(map(str, row)) + " \n" for row in rows)
    head = f"ITEM: TIMESTEP\n{step}\n{more}ITEM: NUMBER OF ATOMS\n{count}\n{box}"
    return f"{head}ITEM: ATOMS {names} \n{lines}"


FRAMES = [
    frame([[1, 1, 0.5, 1, 2, 0.25]], step=0),
    frame([[2, 1, 1.5, 1, 2, 0.5], [1, 1, 0.25, 1, 2, 0.25]], step=50),
    frame([], step=60),
    frame([[1, 1, 7, 8, 9, 1]], step=100),
]


def read(tmp_path, text, name="dump.100", packed=False, **options):
    path = tmp_path / name
    data = text.encode() if isinstance(text, str) else text
    path.write_bytes(gzip.compress(data) if packed else data)
    return abut.read_spheres(path, **options)


# ---- frames --------------------------------------------------------------------------------------


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    "name", ["dump.100", "run.liggghts", "run.dump.gz", "run.lammpstrj", "run"]
)
def test_the_last_frame_under_any_name(tmp_path, name, packed):
    spheres = read(tmp_path, "".join(FRAMES), name, packed)
    assert spheres.centers.tolist() == [[7, 8, 9]]
    assert spheres.radii.tolist() == [1]
    assert spheres.ids.tolist() == [1]
    assert spheres.frame is None


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize(
    ("number", "ids"), [(0, [1]), (1, [2, 1]), (2, []), (3, [1]), (-2, []), (-3, [2, 1]), (-4, [1])]
)
def test_frames_from_both_ends(tmp_path, packed, number, ids):
    spheres = read(tmp_path, "".join(FRAMES), packed=packed, frame=number)
    assert spheres.ids.tolist() == ids
    assert spheres.centers.shape == (len(ids), 3)


@pytest.mark.parametrize("number", [4, -5, 10**20])
def test_frames_that_are_not_there(tmp_path, number):
    with pytest.raises(ValueError, match=rf"dump\.100: there are 4 frames, but no frame {number}"):
        read(tmp_path, "".join(FRAMES), frame=number)


# ---- columns -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("names", "row"),
    [
        ("x y z radius", [0.5, 1, 2, 0.25]),
        ("diameter z y x vx", [0.5, 2, 1, 0.5, "-nan"]),
        ("id type type x y z ix iy iz radius", [1, 1, 1, 0.5, 1, 2, 0, 0, 0, 0.25]),
        ("xu yu zu radius element", [0.5, 1, 2, 0.25, "Si"]),
        ("xs ys zs radius", [0.375, 0.5, 0.1, 0.25]),
        ("xsu ysu zsu radius", [0.375, 0.5, 0.1, 0.25]),
        # where there are several, the wrapped ones
        ("xs ys zs xu yu zu x y z radius", [9, 9, 9, 8, 8, 8, 0.5, 1, 2, 0.25]),
    ],
)
def test_names_of_columns(tmp_path, names, row):
    spheres = read(tmp_path, frame([row], names))
    np.testing.assert_allclose(spheres.centers, [[0.5, 1, 2]], rtol=1e-15)
    assert spheres.radii.tolist() == [0.25]


def corners_of(origin, edges):
    return np.array(origin) + np.indices((2, 2, 2)).reshape(3, -1).T @ np.array(edges)


@given(
    lengths=st.tuples(*[st.floats(0.1, 10)] * 3),
    tilts=st.tuples(*[st.floats(-5, 5)] * 3),
    origin=st.tuples(*[st.floats(-10, 10)] * 3),
    general=st.booleans(),
)
def test_scaled_coordinates_in_tilted_boxes(tmp_path_factory, lengths, tilts, origin, general):
    (x, y, z), (xy, xz, yz) = lengths, tilts
    edges = np.array([[x, 0, 0], [xy, y, 0], [xz, yz, z]])
    corners = corners_of(origin, edges)
    low, high = corners.min(axis=0), corners.max(axis=0)
    if general:
        lines = [[*edge, start] for edge, start in zip(edges, origin, strict=True)]
        box = "ITEM: BOX BOUNDS abc origin pp pp pp\n"
    else:
        lines = [[a, b, t] for a, b, t in zip(low, high, tilts, strict=True)]
        box = "ITEM: BOX BOUNDS xy xz yz pp pp pp\n"
    box += "".join(" ".join(repr(float(word)) for word in line) + "\n" for line in lines)
    scaled = np.indices((2, 2, 2)).reshape(3, -1).T
    text = frame([[*row, 1] for row in scaled.tolist()], "xs ys zs radius", box)
    spheres = read(tmp_path_factory.mktemp("dump"), text)
    np.testing.assert_allclose(spheres.centers, corners, atol=1e-13)


number = st.floats(-1e9, 1e9)


# ---- files that are broken -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (FRAMES[1].replace(" 0.5 \n", " half \n"), "line 10: 'half' is not a finite number"),
        (FRAMES[1].replace(" 0.5 \n", " 0_5 \n"), "line 10: '0_5' is not a finite number"),
        (FRAMES[0].replace("OF ATOMS\n1", "OF ATOMS\n0_1"), "no valid 'ITEM: NUMBER OF ATOMS'"),
        (
            frame([[0, 0, 0, 1]], "xs ys zs radius", BOX.replace("-1", "-1_0")),
            "no valid 'ITEM: BOX",
        ),
        (FRAMES[1].replace(" 0.25 \n", " nan \n"), "line 11: 'nan' is not a finite number"),
        (FRAMES[1].replace(" 0.25 \n", " -1 \n"), "row 1: the radius is -1.0"),
        (FRAMES[1].replace(" 0.5 \n", " \n"), "line 10 has 5 words, but there are 6 columns"),
        (FRAMES[1].replace("radius", "size"), "no column radius; the columns are id, type, x, y"),
        (FRAMES[1].replace(" x y", " y x y"), "2 columns y"),
        (FRAMES[1].replace(" type", " x"), "2 columns x"),
        (frame([[1, 1, 0, 0, 0, 1]], count=2), "should have 2 spheres, but .* ends after 1"),
        (frame([[1, 1, 0, 0, 0, 1]] * 2, count=1), "line 11: '1 1 0 0 0 1' stands where 'ITEM:'"),
        (FRAMES[0].replace("OF ATOMS\n1", "OF ATOMS\n-1"), "no valid 'ITEM: NUMBER OF ATOMS'"),
        (FRAMES[0].replace("OF ATOMS\n1", "OF ATOMS\nx"), "no valid 'ITEM: NUMBER OF ATOMS'"),
        (FRAMES[0].replace("NUMBER OF ATOMS", "COUNT"), "no valid 'ITEM: NUMBER OF ATOMS'"),
        (FRAMES[0][:30], "the file ends in the head of frame 0"),
        (frame([[0, 0, 0, 1]], "xs ys zs radius", ""), "no valid 'ITEM: BOX BOUNDS'"),
        (frame([[0, 0, 0, 1]], "xs ys zs radius", BOX[:-5]), "no valid 'ITEM: BOX BOUNDS'"),
        (frame([[0, 0, 0, 1]], "xs ys zs radius", BOX + "1 2\n"), "no valid 'ITEM: BOX BOUNDS'"),
        (
            FRAMES[0].replace("-1 3\n", "-1 3\n" * 80),
            "line 65: the head of frame 0 has more than 64",
        ),
        ("ITEM: X\n", "the file ends in the head of frame 0"),
    ],
)
def test_the_broken_line_is_named(tmp_path, text, message):
    with pytest.raises(ValueError, match=rf"dump\.100: .*{message}"):
        read(tmp_path, text)


@pytest.mark.parametrize("number", [0, -1, "all"])
def test_a_count_beyond_the_file(tmp_path, number):
    tracemalloc.start()
    with pytest.raises(ValueError, match=f"should have {10**12} spheres, but .* ends after 1"):
        read(tmp_path, frame([[1, 1, 0, 0, 0, 1]], count=10**12), frame=number)
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


# ---- files that never end ------------------------------------------------------------------------

ATOMS = "ITEM: NUMBER OF ATOMS\n{}\nITEM: ATOMS x y z radius"


def endless(tmp_path, begin, again):
    """A gzip file of 10 MB that unpacks to 10 GB: some text, and then another again and again."""
    block = (again * (10**7 // len(again))).encode()
    path = tmp_path / "dump.100"
    path.write_bytes(gzip.compress(begin.encode()) + 1000 * gzip.compress(block))
    return path


@pytest.mark.parametrize(
    ("begin", "again", "message"),
    [
        ("ITEM: TIMESTEP\n", "\n", "line 65: the head of frame 0 has more than 64 lines"),
        ("ITEM: TIMESTEP\n", "1\n", "line 65: the head of frame 0 has more than 64 lines"),
        ("", "ITEM: TIMESTEP\n", "line 2: another frame begins in the head of frame 0"),
        (ATOMS.format(0) + "\n", "\n", "line 68: the head of frame 1 has more than 64 lines"),
        ("ITEM: TIMESTEP\n", " ", "line 2 has more than 65536 bytes"),
        ("ITEM: ", "x", "line 1 has more than 65536 bytes"),
        (ATOMS.format(9), " x", "line 3 has more than 65536 bytes"),
        (ATOMS.format(9) + "\n", "1 ", "line 4 has more than 65536 bytes"),
        (ATOMS.format(10**9) + "\n", "\n", "line 4 has 0 words, but there are 4 columns"),
    ],
)
def test_little_is_read_of_files_that_unpack_to_much(tmp_path, begin, again, message, bounded):
    path = endless(tmp_path, begin, again)
    with bounded(10**6), pytest.raises(ValueError, match=rf"dump\.100: {message}"):
        abut.read_spheres(path, frame="all")


@pytest.mark.cases(1)
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGALRM on this system")
@pytest.mark.parametrize(
    ("begin", "again"),
    [("", ATOMS.format(0) + "\n"), (ATOMS.format(10**12) + "\n", "1 1 1 1\n")],
)
@pytest.mark.parametrize("number", [-1, 10**9])
def test_ctrl_c_ends_a_long_read(tmp_path, begin, again, number):
    def press(signum, frame):
        raise KeyboardInterrupt

    path = endless(tmp_path, begin, again)
    earlier = signal.signal(signal.SIGALRM, press)
    signal.setitimer(signal.ITIMER_REAL, 0.2)
    try:
        with pytest.raises(KeyboardInterrupt):
            abut.read_spheres(path, frame=number)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


@pytest.mark.parametrize(
    ("title", "kind"), [("ENTRIES c_1[1] c_1[2]", "dump local"), ("GRID CELLS nx ny", "dump grid")]
)
def test_dumps_of_other_things_are_told(tmp_path, title, kind):
    text = f"ITEM: TIMESTEP\n0\nITEM: NUMBER OF ENTRIES\n1\nITEM: {title}\n1 2\n"
    (tmp_path / "run.dump").write_text(text)
    with pytest.raises(ValueError, match=f"are those of a {kind}, not spheres"):
        abut.read_spheres(tmp_path / "run.dump")
    with pytest.raises(ValueError, match=f"are those of a {kind}, not spheres"):
        next(iter(abut.read_frames(tmp_path / "run.dump")))


RADIUS_FREE = frame(["7 1 0 0 1", "8 2 0 0 5"], names="id type x y z")


@pytest.mark.parametrize(("radius", "radii"), [(0.5, [0.5, 0.5]), ({1: 0.25, 2: 1}, [0.25, 1])])
def test_a_radius_that_is_given(tmp_path, radius, radii):
    path = tmp_path / "run.dump"
    path.write_text(2 * RADIUS_FREE)
    with pytest.raises(ValueError, match=r"there is no column radius; .*\. Give radius=, a number"):
        abut.read_spheres(path)
    spheres = abut.read_spheres(path, radius=radius, scale=2)
    assert spheres.radii.tolist() == [2 * one for one in radii]
    assert spheres.ids.tolist() == [7, 8]
    frames = abut.read_frames(path, columns=["type"], radius=radius)
    assert [one.radii.tolist() for one in (*frames, frames[-1])] == 3 * [radii]
    assert frames[0].columns["type"].tolist() == [1, 2]
    table = tmp_path / "spheres.csv"
    table.write_text("x,y,z,type\n0,0,1,1\n0,0,5,2\n")
    assert abut.read_spheres(table, radius=radius).radii.tolist() == radii
    assert abut.read_frames(table, radius=radius)[0].radii.tolist() == radii


def test_a_radius_that_does_not_fit(tmp_path):
    path = tmp_path / "run.dump"
    path.write_text(RADIUS_FREE)
    with pytest.raises(ValueError, match="row 1 has type 2, but radius= has only 1, 3"):
        abut.read_spheres(path, radius={1: 0.5, 3: 1})
    with pytest.raises(ValueError, match=r"radius\[2\] is -1"):
        abut.read_spheres(path, radius={1: 0.5, 2: -1})
    np.save(tmp_path / "spheres.npy", np.ones((2, 4)))
    for read in (abut.read_spheres, abut.read_frames):
        with pytest.raises(ValueError, match="leave out radius="):
            read(tmp_path / "spheres.npy", radius=1)
