"""Spheres from CSV, npy and npz."""

import io
import re
import tracemalloc
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut

CENTERS = np.array([[0.0, 1, 2], [3, 4, 5], [-1, -2, 0.1]])
RADII = np.array([0.5, 1.0, 0.25])


def read(tmp_path, text, **options):
    path = tmp_path / "spheres.csv"
    path.write_bytes(text.encode())
    return abut.read_spheres(path, **options)


def npy(array):
    file = io.BytesIO()
    np.save(file, array)
    return file.getvalue()


def lying_npy(shape):
    """An npy file with a header for a much larger array."""
    data = npy(np.zeros((3, 4)))
    head, rest = data[:128], data[128:]
    new = head.replace(b"(3, 4)", repr(shape).encode())
    return new.replace(b" " * (len(new) - len(head)) + b"\n", b"\n") + rest


# ---- CSV -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "x,y,z,radius\n0,1,2,0.5\n3,4,5,1\n-1,-2,0.1,.25\n",
        "x,y,z,diameter\n0,1,2,1\n3,4,5,2\n-1,-2,0.1,.5",
        'name,"radius",z,id_of,Y , X\n"a, b",.5,2,q,1,0\n\nc,1,5,,4,3\r\n,"0.25",0.1,,-2,-1\n',
        "x;y;z;radius;diameter\n0;1;2;0.5;9\n3;4;5;1;9\n-1;-2;1e-1;.25;9\n",
        "\ufeffx\ty\tz\tradius\n0\t1\t2\t0.5\n3\t4\t5\t1\n-1\t-2\t0.1\t.25\n",
        "vx,vx,x,y,z,radius\n#,,0,1,2,0.5\n,,3,4,5,1\n,\N{SNOWMAN},-1,-2,0.1,.25\n",
    ],
)
def test_columns_in_any_order_among_any_others(tmp_path, text):
    spheres = read(tmp_path, text)
    assert spheres.centers.tolist() == CENTERS.tolist()
    assert spheres.radii.tolist() == RADII.tolist()
    assert spheres.ids is None
    assert spheres.frame is None


def test_ids(tmp_path):
    spheres = read(tmp_path, "id,x,y,z,radius\n7,0,0,0,1\n-3.0,0,0,0,1\n9007199254740992,0,0,0,1\n")
    assert spheres.ids.tolist() == [7, -3, 2**53]
    assert spheres.ids.dtype == np.intp


@pytest.mark.parametrize("rows", ["", "\n\n  \n"])
def test_no_rows(tmp_path, rows):
    spheres = read(tmp_path, "id,x,y,z,radius\n" + rows)
    assert spheres.centers.shape == (0, 3)
    assert spheres.radii.shape == spheres.ids.shape == (0,)


finite = st.floats(allow_nan=False, allow_infinity=False)


@given(st.lists(st.tuples(finite, finite, finite, st.floats(1e-300, 1e300)), max_size=9))
def test_numbers_come_back(tmp_path_factory, rows):
    path = tmp_path_factory.mktemp("csv") / "spheres.csv"
    path.write_text("\n".join(["x,y,z,radius", *(",".join(map(repr, row)) for row in rows)]))
    centers, radii, _, _ = abut.read_spheres(path)
    assert centers.tolist() == [list(row[:3]) for row in rows]
    assert radii.tolist() == [row[3] for row in rows]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no column x or y or z or radius: the first line is empty, but must name the columns"),
        ("0,1,2,0.5\n", "no column x or y or z or radius: the first line holds numbers, but must"),
        ("\n\n", "radius: the first line is empty, but must name the columns"),
        ("x y z radius\n", "the columns are 'x y z radius'"),
        ("# x,y,z,radius\n", "no column x; the columns are '# x', y, z, radius"),
        ("\x1b[31mx,\x07y,z\n", "no column x or y or radius: the first line is not text, but"),
        ("x,y,radius\n", "no column z; the columns are x, y, radius"),
        ("x,y,z,size\n", "no column radius; the columns are x, y, z, size"),
        ("x,y,y,z,radius\n", "2 columns y"),
        ("x,y,z,radius\n0,0,0,1\n0,0,zero,1\n", "line 3: 'zero' is not a finite number"),
        ("x,y,z,radius\n0,0,0,1\n0,0,1_0,1\n", "line 3: '1_0' is not a finite number"),
        ("x,y,z,radius\n0,0,0,1\n0,0,\uff11,1\n", "line 3: '\uff11' is not a finite number"),
        ("x,y,z,radius\n0,0,0,1\n0,0,\u00a01,1\n", r"line 3: '\\xa01' is not a finite number"),
        ("x,y,z,radius,id\n0,0,0,1,1\n0,0,0,1,1_0\n", "line 3: '1_0' is not a finite number"),
        ("x,y,z,radius\n0,0,0,1\n0,0,,1\n", "line 3: '' is not a finite number"),
        ("x,y,z,radius\n0,0,0,1\n0,0,0\n", "line 3 has 3 words, but there are 4 columns"),
        ("x,y,z,radius\n0,0,0,1\n0,nan,0,1\n0,inf,0,1\n", "line 3: 'nan' is not a finite number"),
        ("x,y,z,radius\n0,0,0,1\n0,0,0,nan\n", "line 3: 'nan' is not a finite number"),
        ("x,y,z,radius\n0,0,0,1\n0,0,0,0\n", "row 1: the radius is 0.0"),
        ("x,y,z,diameter\n0,0,0,1\n0,0,0,-2\n", "row 1: the radius is -1.0"),
        ("x,y,z,radius\n0,0,0,inf\n", "line 2: 'inf' is not a finite number"),
        ("x,y,z,radius,id\n0,0,0,1,1\n0,0,0,1,1.5\n", "row 1: id 1.5 is not a whole number"),
        ("x,y,z,radius\n0,0,0,1\n0,0,0,1,5\n", "line 3 has 5 words, but there are 4 columns"),
        ('x,y,z,radius\n0,0,0,1\n0,0,0,"1\n' + 30_000 * "0,0,0,1\n", "field larger than"),
        ("x,y,z,radius,id\n0,0,0,1,1e17\n", "row 0: id 1e[+]17 is not a whole number"),
    ],
)
def test_broken_csv_names_the_row(tmp_path, text, message):
    with pytest.raises(ValueError, match=rf"spheres\.csv: .*{message}"):
        read(tmp_path, text)


# ---- npy and npz ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float64, np.float32, ">f8"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_npy(tmp_path, dtype, order):
    table = np.concatenate([CENTERS, RADII[:, None]], axis=1).astype(dtype, order=order)
    np.save(tmp_path / "spheres.npy", table)
    spheres = abut.read_spheres(tmp_path / "spheres.npy")
    np.testing.assert_array_equal(spheres.centers, CENTERS.astype(dtype))
    np.testing.assert_array_equal(spheres.radii, RADII)
    assert spheres.centers.dtype == spheres.radii.dtype == np.float64
    assert spheres.centers.flags.c_contiguous


@pytest.mark.parametrize("save", [np.savez, np.savez_compressed])
def test_npz(tmp_path, save):
    path = tmp_path / "spheres.npz"
    save(path, centers=CENTERS, radii=RADII, other=np.array(["a"], object), ids=np.array([3, 2, 1]))
    spheres = abut.read_spheres(path)
    np.testing.assert_array_equal(spheres.centers, CENTERS)
    np.testing.assert_array_equal(spheres.radii, RADII)
    assert spheres.ids.tolist() == [3, 2, 1]
    save(path, centers=CENTERS, radii=2)
    assert abut.read_spheres(path).radii.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"centers": CENTERS}, "has no key radii"),
        ({"radii": RADII}, "has no key centers"),
        (
            {"centers": CENTERS, "radii": RADII[:2]},
            r"radii has shape \(2,\), but must be a number or \(3,\)",
        ),
        ({"centers": CENTERS[:, :2], "radii": RADII}, r"centers has shape \(3, 2\)"),
        ({"centers": CENTERS * 1j, "radii": RADII}, "centers has dtype complex128"),
        ({"centers": CENTERS, "radii": RADII, "ids": RADII}, "ids has dtype float64"),
        ({"centers": CENTERS, "radii": RADII, "ids": [1, 2]}, r"ids has shape \(2,\)"),
        ({"centers": CENTERS, "radii": RADII * [1, np.nan, 1]}, "row 1: the radius is nan"),
        ({"centers": CENTERS.astype(object), "radii": RADII}, "is not a valid npz file"),
    ],
)
def test_npz_that_holds_no_spheres(tmp_path, arrays, message):
    np.savez(tmp_path / "spheres.npz", **arrays)
    with pytest.raises(ValueError, match=rf"spheres\.npz.*{message}"):
        abut.read_spheres(tmp_path / "spheres.npz")


@pytest.mark.parametrize(
    ("array", "message"),
    [
        (CENTERS, r"has shape \(3, 3\), but must be \(n, 4\)"),
        (RADII, r"has shape \(3,\)"),
        (np.array([["a"] * 4]), "centers has dtype <U1"),
        (np.zeros((2, 4), bool), "centers has dtype bool"),
        (np.zeros((2, 4), object), "is not a valid npy file"),
        (np.zeros((2, 4)), "row 0: the radius is 0.0"),
    ],
)
def test_npy_that_holds_no_spheres(tmp_path, array, message):
    (tmp_path / "spheres.npy").write_bytes(npy(array))
    with pytest.raises(ValueError, match=rf"spheres\.npy.*{message}"):
        abut.read_spheres(tmp_path / "spheres.npy")


@pytest.mark.parametrize("ending", ["npy", "npz"])
@pytest.mark.parametrize("shape", [(10**12, 4), (4000, 4), (10**9, 4)])
def test_a_header_beyond_the_file(tmp_path, ending, shape):
    path = tmp_path / f"spheres.{ending}"
    path.write_bytes(lying_npy(shape))
    if ending == "npz":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("centers.npy", lying_npy(shape))
            archive.writestr("radii.npy", npy(RADII))
    tracemalloc.start()
    with pytest.raises(ValueError, match=rf"should have shape \({shape[0]}, 4\)"):
        abut.read_spheres(path)
    assert tracemalloc.get_traced_memory()[1] < 10**6
    tracemalloc.stop()


def npy_of(header, data=b""):
    """An npy file with any header."""
    text = header.encode("latin1") + b"\n"
    return b"\x93NUMPY\1\0" + len(text).to_bytes(2, "little") + text + data


def write(tmp_path, ending, data):
    """Write such an array as a file, or as the centers of an npz file."""
    path = tmp_path / f"spheres.{ending}"
    path.write_bytes(data)
    if ending == "npz":
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("centers.npy", data)
            archive.writestr("radii.npy", npy(RADII))
    return path


HEADER = "{'descr': '<f8', 'fortran_order': False, 'shape': (3, 4)}"


@pytest.mark.parametrize("ending", ["npy", "npz"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("'<f8'", "()"),
        ("'<f8'", "3"),
        ("'<f8'", "'O'"),
        ("'<f8'", "'(2,2)f8'"),
        ("'<f8'", "'f8,f8'"),
        ("'<f8'", "[('x', '<f8')]"),
        ("'<f8'", "'V0'"),
        ("'<f8'", "'<M8[s]'"),
        ("(3, 4)", "(10**30, 0)"),
        ("(3, 4)", f"({10**30}, 0)"),
        ("(3, 4)", f"(0, {10**30})"),
        ("(3, 4)", f"({10**15}, 0, 4)"),
        ("(3, 4)", "(-3, -4)"),
        ("(3, 4)", "(3.0, 4)"),
        ("(3, 4)", "(True, 4)"),
        ("(3, 4)", "()"),
        ("(3, 4)", "(3, 4, " + 70 * "1, " + ")"),
        ("(3, 4)", "(0, " + 70 * "1, " + ")"),
        ("(3, 4)", "0x" + 6000 * "f"),
        ("(3, 4)", "(0x" + 6000 * "f" + ",)"),
        ("'descr'", "{}"),
        (HEADER, "-" * 9000 + "1"),
        (HEADER, "(" * 9000),
        (HEADER, "[" * 150 + "]" * 150),
        (HEADER, "{[]: 1}"),
        (HEADER, "\0"),
        (HEADER, ""),
        (HEADER, " " * 20_000),
    ],
)
def test_headers_that_are_broken(tmp_path, ending, old, new):
    path = write(tmp_path, ending, npy_of(HEADER.replace(old, new), bytes(96)))
    with pytest.raises(ValueError, match=rf"spheres\.{ending}") as error:
        abut.read_spheres(path)
    assert len(str(error.value)) < 1000


literals = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.binary()
    | st.sampled_from(["<f8", "O", "V4", "S0", "f8,f8", "(2,)f4", "descr", "shape", "a" * 99]),
    lambda few: st.lists(few, max_size=4) | st.lists(few, max_size=4).map(tuple)
    | st.dictionaries(st.sampled_from(["descr", "fortran_order", "shape"]) | st.text(), few),
)  # fmt: skip
parts = st.sampled_from(
    ["'descr'", "'shape'", "'fortran_order'", ":", ",", "(", ")", "[", "]", "{", "}", "'<f8'", "-",
     "1", "10", "3L", "True", "'", '"', "\\", "\n", " ", "lambda", "0x", "e9", "j", "*", "#"]
)  # fmt: skip


@given(
    header=st.dictionaries(st.sampled_from(["descr", "fortran_order", "shape"]), literals).map(
        lambda changes: repr({"descr": "<f8", "fortran_order": False, "shape": (3, 4)} | changes)
    )
    | st.lists(parts, max_size=20).map("".join)
    | st.tuples(st.integers(0, len(HEADER)), st.integers(0, 9), st.lists(parts).map("".join)).map(
        lambda cut: HEADER[: cut[0]] + cut[2] + HEADER[cut[0] + cut[1] :]
    ),
    ending=st.sampled_from(["npy", "npz"]),
)
@pytest.mark.filterwarnings("ignore")
def test_any_header_is_told_or_read(tmp_path_factory, header, ending):
    data = np.tile([0.0, 0, 0, 1], 3).tobytes()
    text = header.encode("latin1", "replace").decode("latin1")
    path = write(tmp_path_factory.mktemp("npy"), ending, npy_of(text, data))
    try:
        spheres = abut.read_spheres(path)
    except ValueError as error:
        assert f"spheres.{ending}" in str(error)
    else:
        assert len(spheres.radii) <= 12


@pytest.mark.parametrize(
    ("name", "dtype", "shape", "message"),
    [
        ("centers", np.float64, (10**6, 4), "centers has shape (1000000, 4)"),
        ("centers", "U4", (10**6, 3), "centers has dtype <U4"),
        ("radii", np.float64, (10**6,), "radii has shape (1000000,), but must be a number"),
        ("ids", np.int64, (10**6,), "ids has shape (1000000,)"),
        ("ids", np.float64, (10**6,), "ids has dtype float64"),
    ],
)
def test_what_unpacks_to_much_is_judged_before_it_is_read(
    tmp_path, name, dtype, shape, message, bounded
):
    path = tmp_path / "spheres.npz"
    arrays = {"centers": CENTERS, "radii": RADII, name: np.zeros(shape, dtype)}
    np.savez_compressed(path, **arrays)
    with bounded(10**6), pytest.raises(ValueError, match=f"npz: {re.escape(message)}"):
        abut.read_spheres(path)


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_ways_to_pack(tmp_path, method):
    path = tmp_path / "spheres.npz"
    with zipfile.ZipFile(path, "w", method) as archive:
        archive.writestr("centers.npy", npy(CENTERS))
        archive.writestr("radii.npy", npy(2.0))
    with pytest.raises(ValueError, match=r"spheres\.npz: .*centers is compressed by"):
        abut.read_spheres(path)


# ---- frames --------------------------------------------------------------------------------------


@pytest.mark.parametrize("frame", [0, -1, np.int64(-1)])
def test_other_files_have_one_frame(tmp_path, frame):
    assert read(tmp_path, "x,y,z,radius\n0,1,2,0.5\n", frame=frame).frame is None


@pytest.mark.parametrize(
    ("frame", "error"),
    [(1, ValueError), (-2, ValueError), ("last", TypeError), (1.0, TypeError), (True, TypeError)],
)
def test_frames_that_are_none(tmp_path, frame, error):
    with pytest.raises(error, match="frame"):
        read(tmp_path, "x,y,z,radius\n0,1,2,0.5\n", frame=frame)
