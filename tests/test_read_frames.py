"""Reading frames one at a time: the choice of files, the frames, and their errors."""

import gzip
import pickle
import re
import sys
from contextlib import contextmanager
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from abut.io import arrow
from abut.io import frames as of_files

BOX = "ITEM: BOX BOUNDS pp ff pp\n-1 3\n0 2\n1 11\n"
NAMES = "id type x y z radius vx"


def text_of(rows, step=0, names=NAMES, box=BOX, more="", count=None):
    count = len(rows) if count is None else count
    lines = "".join(" ".join(map(str, row)) + " \n" for row in rows)
    head = f"ITEM: TIMESTEP\n{step}\n{more}ITEM: NUMBER OF ATOMS\n{count}\n{box}"
    return f"{head}ITEM: ATOMS {names} \n{lines}"


def rows_of(step, count):
    return [[3 * k + 1, 1 + k % 2, k + 0.1, 0.5, step, 0.25, -k / 7] for k in range(count)]


COUNTS = [3, 0, 1, 5, 2]
STEPS = [0, 50, 60, 100, 7]
PARTS = [text_of(rows_of(s, n), s) for s, n in zip(STEPS, COUNTS, strict=True)]


def zstd(data):
    try:
        from compression.zstd import compress
    except ImportError:
        compress = pytest.importorskip("zstandard").compress
    return compress(data)


PACKINGS = {"plain": bytes, "gzip": gzip.compress, "zstd": zstd}


@pytest.fixture(params=PACKINGS)
def pack(request):
    return PACKINGS[request.param]


def write(folder, text, name="run.dump", pack=bytes):
    path = folder / name
    path.write_bytes(pack(text.encode() if isinstance(text, str) else text))
    return path


def steps_of(frames):
    return [frame.step for frame in frames]


def same(one, other):
    """Return whether two frames are equal, bit by bit."""
    arrays = [
        [(name, array.dtype, array.shape, array.tobytes()) for name, array in arrays_of(frame)]
        for frame in (one, other)
    ]
    return arrays[0] == arrays[1] and one[3:6] == other[3:6]


def arrays_of(frame):
    named = {"centers": frame.centers, "radii": frame.radii, "ids": frame.ids}
    named |= {"origin": frame.origin, **frame.columns}
    return [(name, array) for name, array in named.items() if array is not None]


READERS = ["words", "pyarrow"]


@contextmanager
def reading(reader):
    """Make rows be read word by word, or by pyarrow even if they are few."""
    with pytest.MonkeyPatch.context() as patch:
        if reader == "pyarrow":
            pytest.importorskip("pyarrow")
            patch.setattr(arrow, "_FEW_BYTES", 1)
            patch.setattr(arrow, "_FEW_TO_IMPORT", 1)
        else:
            patch.setattr(arrow, "_import_csv", lambda: None)
        yield


@pytest.fixture(params=READERS)
def each_reader(request):
    with reading(request.param):
        yield


# ---- a dump --------------------------------------------------------------------------------------


def test_what_a_frame_holds(tmp_path, pack):
    path = write(tmp_path, text_of(rows_of(4, 3), 4, more="ITEM: TIME\n0.5\n"), pack=pack)
    (frame,) = abut.read_frames(path, columns=("vx", "type"))
    assert isinstance(frame, abut.Frame)
    assert frame.centers.tolist() == [[0.1, 0.5, 4], [1.1, 0.5, 4], [2.1, 0.5, 4]]
    assert frame.radii.tolist() == [0.25] * 3
    assert frame.ids.tolist() == [1, 4, 7]
    assert (frame.step, frame.time) == (4, 0.5)
    assert frame.period == (4.0, None, 10.0)
    assert frame.origin.tolist() == [-1, 0, 1]
    assert list(frame.columns) == ["vx", "type"]
    assert frame.columns["vx"].tolist() == [-0.0, -1 / 7, -2 / 7]
    assert frame.columns["type"].tolist() == [1, 2, 1]
    types = [frame.centers, frame.radii, frame.ids, *frame.columns.values()]
    assert [one.dtype for one in types] == [float, float, np.intp, float, np.intp]
    assert frame.centers.flags.c_contiguous


@pytest.mark.parametrize(
    ("flags", "period"),
    [
        ("pp pp pp", (4, 2, 10)),
        ("ff ss mm", None),
        ("pp fs fm", (4, None, None)),
        ("", None),
    ],
)
def test_periods(tmp_path, flags, period):
    box = BOX.replace("pp ff pp", flags)
    frame = abut.read_frames(write(tmp_path, text_of([], box=box)))[0]
    assert frame.period == period
    assert frame.origin.tolist() == [-1, 0, 1]


def test_what_a_dump_need_not_tell(tmp_path):
    text = "ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS x y z radius\n1 2 3 4\n"
    frame = abut.read_frames(write(tmp_path, text))[0]
    assert frame[2:] == (None, None, None, None, None, {}, None)


@pytest.mark.parametrize(
    ("names", "row", "center"),
    [
        ("xu yu zu radius", [9, -9, 0, 1], [9, -9, 0]),
        ("xs ys zs radius", [0.5, 0.25, 1, 1], [1, 0.5, 11]),
        ("xsu ysu zsu diameter", [1.5, 0.25, 1, 2], [5, 0.5, 11]),
    ],
)
def test_coordinates_are_those_of_read_spheres(tmp_path, names, row, center):
    path = write(tmp_path, text_of([row], names=names))
    frame = abut.read_frames(path)[0]
    assert frame.centers.tolist() == [center] == abut.read_spheres(path).centers.tolist()
    assert frame.radii.tolist() == [1]


def test_frames_by_number_part_and_loop(tmp_path, pack):
    path = write(tmp_path, "".join(PARTS), pack=pack)
    frames = abut.read_frames(path, columns=["vx"])
    assert steps_of(frames) == STEPS
    assert len(frames) == 5
    for k in range(-5, 5):
        assert frames[k].step == STEPS[k]
        assert len(frames[k].radii) == COUNTS[k]
    for part in (slice(1, 3), slice(None), slice(-2, None), slice(None, None, 2), slice(9, 3)):
        assert isinstance(frames[part], abut.Frames)
        assert steps_of(frames[part]) == STEPS[part]
        assert len(frames[part]) == len(STEPS[part])
    assert steps_of(frames[::-1]) == steps_of(reversed(frames)) == STEPS[::-1]
    assert frames[1:4][1:][0].step == 60
    assert frames[np.int64(3)].step == 100
    assert all(map(same, frames, [frames[k] for k in range(5)]))


@pytest.mark.parametrize("number", [5, -6, 10**20])
def test_numbers_that_are_not_there(tmp_path, number):
    frames = abut.read_frames(write(tmp_path, "".join(PARTS)))
    with pytest.raises(IndexError, match=f"there are 5 frames, but no frame {number}"):
        frames[number]


def test_repr_reads_nothing(tmp_path):
    frames = abut.read_frames(write(tmp_path, "".join(PARTS)))
    assert repr(frames) == "Frames(of run.dump, not yet counted)"
    assert len(frames) == 5
    assert repr(frames) == "Frames(5 frames of run.dump)"
    assert repr(frames[:1]) == "Frames(1 frame of run.dump)"


# ---- pickling ------------------------------------------------------------------------------------


def test_parts_pickle_small_and_read_elsewhere(tmp_path, monkeypatch, pack):
    path = write(tmp_path, "".join(text_of(rows_of(s, 2), s) for s in range(500)), pack=pack)
    monkeypatch.chdir(tmp_path)
    frames = abut.read_frames(path.name, columns=("type",))
    part = pickle.dumps(frames[100:110])
    assert len(part) < 1000 + len(str(path))
    monkeypatch.chdir("/")
    found = pickle.loads(part)
    assert steps_of(found) == list(range(100, 110))
    assert found[-1].columns["type"].tolist() == [1, 2]
    assert steps_of(pickle.loads(pickle.dumps(frames))) == list(range(500))


def test_the_index_is_made_once(tmp_path, monkeypatch):
    found = []
    find = of_files.dump.find_places
    monkeypatch.setattr(
        of_files.dump, "find_places", lambda *args: found.append(args) or find(*args)
    )
    frames = abut.read_frames(write(tmp_path, "".join(PARTS)))
    assert steps_of(frames) == STEPS
    assert not found
    assert len(frames) == len(frames[1:]) + 1 == 5
    assert frames[2].step == frames[1:][1].step == 60
    assert len(found) == 1


def test_a_file_is_unpacked_once_in_a_loop(tmp_path, monkeypatch, pack):
    path = write(tmp_path, "".join(PARTS) * 50, pack=pack)
    opened = []
    unpacked = of_files.dump.series.Unpacked

    def open_it(path):
        opened.append(path)
        return unpacked(path)

    frames = abut.read_frames(path)
    part = frames[10:200:3]
    monkeypatch.setattr(of_files.dump.series, "Unpacked", open_it)
    assert len(list(frames)) == 250
    assert len(list(part)) == len(part)
    assert opened == [path, path]


# ---- columns -------------------------------------------------------------------------------------


@pytest.mark.usefixtures("each_reader")
def test_columns_of_all_kinds(tmp_path):
    names = "id x y z radius element ix f_fix[1] c_force v_word i_flag i2_flag[2] d_flag mol type"
    row = [1, 0, 0, 0, 1, "Si", -3, "nan", "-inf", "1e300", 7, 8, 7, 2, 1]
    wanted = names.split()[5:]
    path = write(tmp_path, text_of([row, row], names=names))
    frame = abut.read_frames(path, columns=wanted)[0]
    assert list(frame.columns) == wanted
    kinds = [frame.columns[name].dtype.kind for name in wanted]
    assert kinds == ["U", "i", "f", "f", "f", "i", "i", "f", "i", "i"]
    assert frame.columns["element"].tolist() == ["Si", "Si"]
    assert frame.columns["ix"].tolist() == [-3, -3]
    assert np.isnan(frame.columns["f_fix[1]"]).all()
    assert frame.columns["c_force"].tolist() == [-np.inf] * 2
    assert frame.columns["v_word"].tolist() == [1e300] * 2


@pytest.mark.parametrize("word", ["Si", "\u00e9", "\udcff", "null", '"a"', "7"])
def test_text_is_read_by_pyarrow_as_word_by_word(tmp_path, monkeypatch, word):
    text = text_of([[k, 1, 0, 0, 0, 1, word] for k in range(9)], names=NAMES[:-2] + "element")
    path = write(tmp_path, text.encode(errors="surrogateescape"))
    with reading("words"):
        expected = abut.read_frames(path, columns=["element"])[0]
    read, found = arrow.read_block, []
    with reading("pyarrow"), monkeypatch.context() as patch:
        patch.setattr(arrow, "read_block", lambda *args: found.append(read(*args)) or found[-1])
        assert same(abut.read_frames(path, columns=["element"])[0], expected)
    assert found[0] is not None


@pytest.mark.usefixtures("each_reader")
def test_columns_of_the_spheres_are_columns_too(tmp_path):
    path = write(tmp_path, PARTS[0])
    frame = abut.read_frames(path, columns=("x", "radius", "id", "x"))[0]
    assert list(frame.columns) == ["x", "radius", "id"]
    assert frame.columns["x"].tolist() == frame.centers[:, 0].tolist()
    assert frame.columns["id"].tolist() == frame.ids.tolist()


@pytest.mark.parametrize("names", [("vx", "vy"), ["vy"]])
def test_a_column_that_is_missing_is_named(tmp_path, names):
    frames = abut.read_frames(write(tmp_path, PARTS[0]), columns=names)
    message = r"run\.dump: frame 0: there is no column vy; the columns are id, type, x, y, z, rad"
    with pytest.raises(ValueError, match=message):
        frames[0]
    with pytest.raises(ValueError, match=message):
        list(frames)


@pytest.mark.parametrize(
    ("columns", "message"), [("vx", r"columns is 'vx', .*\('vx',\)"), ([1], r"columns\[0\] is 1")]
)
def test_columns_that_are_no_names(tmp_path, columns, message):
    with pytest.raises(TypeError, match=message):
        abut.read_frames(write(tmp_path, PARTS[0]), columns=columns)


# ---- numbers, to the bit -------------------------------------------------------------------------

words = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.floats(-1e30, 1e30).map("{:.17g}".format),
    st.floats(-1e9, 1e9).map("{:g}".format),
    st.floats(-1e9, 1e9).map("{:.10f}".format),
    st.tuples(st.integers(-(10**20), 10**20), st.integers(-400, 400)).map("%de%d".__mod__),
    st.from_regex(r"\A[-+]?0*[0-9]{0,25}\.?[0-9]{1,25}([eE][-+]?0?[0-9]{1,2})?\Z"),
)


@pytest.mark.parametrize("reader", READERS)
@given(found=st.lists(words, min_size=1))
def test_numbers_are_those_of_python(tmp_path_factory, reader, found):
    rows = [[k, 1, 0, 0, 0, 1, word] for k, word in enumerate(found)]
    path = write(tmp_path_factory.mktemp("dump"), text_of(rows))
    with reading(reader):
        frame = abut.read_frames(path, columns=["vx"])[0]
    expected = np.array([float(word) for word in found])
    assert frame.columns["vx"].tobytes() == expected.tobytes()


def near_ties():
    """Return decimals of 17 to 19 digits as near as possible to the middle of two doubles."""
    rng = np.random.default_rng(0)
    for power in range(-150, 20):
        for mantissa in rng.integers(2**52, 2**53, 20).tolist():
            with localcontext(prec=400):
                middle = Decimal(2 * mantissa + 1) * Decimal(2) ** power
            for digits in (17, 18, 19):
                yield f"{middle:.{digits - 1}e}"


@pytest.mark.usefixtures("each_reader")
def test_numbers_near_the_middle_of_two_doubles(tmp_path):
    found = list(near_ties())
    rows = [[k, 1, 0, 0, 0, 1, word] for k, word in enumerate(found)]
    frame = abut.read_frames(write(tmp_path, text_of(rows)), columns=["vx"])[0]
    expected = np.array([float(word) for word in found])
    assert frame.columns["vx"].tobytes() == expected.tobytes()


@pytest.mark.usefixtures("each_reader")
@pytest.mark.parametrize("number", [2**53 + 1, 2**63 - 1, -(2**63) + 1, -(2**63), 0])
def test_ids_of_64_bits(tmp_path, number):
    path = write(tmp_path, text_of([[number, 1, 0, 0, 0, 1, 0]]))
    assert abut.read_frames(path)[0].ids.tolist() == [number]
    assert abut.read_spheres(path).ids.tolist() == [number]


@pytest.mark.usefixtures("each_reader")
def test_whole_numbers_may_be_written_otherwise(tmp_path):
    path = write(tmp_path, text_of([["7.0", "1e0", 0, 0, 0, 1, 0], ["+8", "02", 0, 0, 0, 1, 0]]))
    frame = abut.read_frames(path, columns=["type"])[0]
    assert frame.ids.tolist() == [7, 8]
    assert frame.columns["type"].tolist() == [1, 2]


@pytest.mark.usefixtures("each_reader")
@pytest.mark.parametrize("blank", [" ", "  ", "\t", " \t ", "\v", "\f"])
@pytest.mark.parametrize("end", ["\n", "\r\n", " \n", "\t \r\n"])
def test_blanks_between_words(tmp_path, blank, end):
    rows = "".join(blank + blank.join(map(str, row)) + end for row in rows_of(0, 4))
    path = write(tmp_path, text_of([], count=4) + rows)
    assert same(
        abut.read_frames(path, columns=["vx"])[0],
        abut.read_frames(write(tmp_path, text_of(rows_of(0, 4)), "other"), columns=["vx"])[0],
    )


@pytest.mark.parametrize("width", [65_534, 65_535, 65_536, 65_537, 70_000])
def test_the_longest_row(tmp_path, width):
    row = "1 1 0 0 0 1 "
    path = write(tmp_path, text_of([], count=2) + (row + "0" * (width - len(row)) + "\n") * 2)
    frames = abut.read_frames(path, columns=["vx"])
    if width <= 65_536:
        assert frames[0].columns["vx"].tolist() == [0, 0]
        return
    with pytest.raises(ValueError, match=r"run\.dump: .*line 10 has more than 65536 bytes"):
        frames[0]


# ---- what is broken ------------------------------------------------------------------------------


@pytest.mark.usefixtures("each_reader")
@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (" 0.5 50 ", " half 50 ", "frame 1: line 25: 'half' is not a finite number"),
        (" 0.5 50 ", " 0_5 50 ", "frame 1: line 25: '0_5' is not a finite number"),
        (" 0.5 50 ", " 0.5e 50 ", "frame 1: line 25: '0.5e' is not a finite number"),
        (" 0.5 50 ", " 50 ", "frame 1: line 25 has 6 words, but there are 7 columns"),
        (" 0.5 50 ", " 0.5 1 50 ", "frame 1: line 25 has 8 words, but there are 7 columns"),
        (" 0.5 50 ", " nan 50 ", "frame 1: line 25: 'nan' is not a finite number"),
        (" 0.5 50 ", " 1e999 50 ", "frame 1: line 25: '1e999' is not a finite number"),
        ("50 0.25", "50 -0.25", "frame 1: row 0: the radius is -0.25"),
        ("0.25 0.0 ", "0.25 fast ", "frame 1: line 25: 'fast' is not a number"),
        (" \n1 1 0.1", " \n1.5 1 0.1", "frame 1: row 0: id 1.5 is not a whole number"),
        (" \n1 1 0.1", " \n1 1.5 0.1", "frame 1: row 0: type 1.5 is not a whole number"),
        (" \n1 1 0.1", " \n1 one 0.1", "frame 1: line 25: 'one' is not a finite number"),
        ("STEP\n50", "STEP\nfifty", "frame 1 has no valid 'ITEM: TIMESTEP'"),
        ("TIME\n2", "TIME\nlate", "frame 1 has no valid 'ITEM: TIME'"),
        ("-1 3", "3 -1", "frame 1 has no valid 'ITEM: BOX BOUNDS'"),
        ("-1 3", "-1 inf", "frame 1 has no valid 'ITEM: BOX BOUNDS'"),
        (" 0.5 50 ", "  50 ", "frame 1: line 25 has 6 words, but there are 7 columns"),
        ("0.25 0.0 \n", "0.25 0.0 9\n", "frame 1: line 25 has 8 words, but there are 7 columns"),
        ("0.25 0.0 \n", "0.25 \n", "frame 1: line 25 has 6 words, but there are 7 columns"),
        ("0.25 0.0 \n", "0.25  \n", "frame 1: line 25 has 6 words, but there are 7 columns"),
        (" \n1 1 0.1", " \n1  0.1", "frame 1: line 25 has 6 words, but there are 7 columns"),
        (" \n1 1 0.1", " \n 1 0.1", "frame 1: line 25 has 6 words, but there are 7 columns"),
        (" \n1 1 0.1", " \n0x1 1 0.1", "frame 1: line 25: '0x1' is not a finite number"),
        ("0.25 0.0 ", "0.25 nan(1) ", "frame 1: line 25: 'nan(1)' is not a number"),
        ("0.25 0.0 ", "0.25 null ", "frame 1: line 25: 'null' is not a number"),
        ("0.25 0.0 ", '0.25 "0.0" ', "frame 1: line 25: '\"0.0\"' is not a number"),
        (" 0.5 50 ", " 0.5\t50 ", ""),
        ("0.25 0.0 \n", "0.25 0.0\n", ""),
        ("x y", "y y", "frame 1: there is no column x"),
    ],
)
def test_a_broken_frame_is_named_and_loses_no_other(tmp_path, old, new, message):
    parts = [text_of(rows_of(s, 2), s, more="ITEM: TIME\n2\n") for s in (0, 50, 100)]
    begin, found, end = parts[1].partition(old)
    assert found
    path = write(tmp_path, parts[0] + begin + new + end + parts[2])
    frames = abut.read_frames(path, columns=("vx", "type"))
    if not message:
        assert same(
            frames[1], abut.read_frames(write(tmp_path, parts[1], "1"), frames._options[0])[0]
        )
        return
    message = rf"run\.dump: {re.escape(message)}"
    with pytest.raises(ValueError, match=message):
        frames[1]
    assert steps_of([frames[0], frames[2]]) == [0, 100]
    with pytest.raises(ValueError, match=message):
        list(frames)


def check_frames_around(path, broken, steps, message, on_truncated="raise"):
    """Check that errors name the broken frames, and that all other frames can be read."""
    frames = abut.read_frames(path, columns=["vx"], on_truncated=on_truncated)
    for has_index in (False, True):
        assert not has_index or len(frames) == len(steps)
        found = []
        with pytest.raises(ValueError, match=rf"run\.dump: .*{message}"):
            # A separate loop, since list.extend would use the length, and so count the frames.
            found.extend(frame.step for frame in frames)
        assert found == steps[: broken[0]]
    for k, step in enumerate(steps):
        if k in broken:
            with pytest.raises(ValueError, match=rf"run\.dump: .*frame {k}\b"):
                frames[k]
        else:
            assert frames[k].step == step
    last = broken[-1] + 1
    assert steps_of(frames[last:]) == steps[last:]


@pytest.mark.cases(24)
@pytest.mark.parametrize("name", ["plain", "gzip"])
@pytest.mark.parametrize("on_truncated", ["raise", "drop"])
@pytest.mark.parametrize(("count", "told"), [(40, 41), (40, 39), (4_000, 4_001), (4_000, 3_999)])
@pytest.mark.parametrize("more", ["", "ITEM: TIME\n0.5\n"])
@pytest.mark.parametrize("broken", [0, 30, 60])
def test_a_wrong_number_of_rows_loses_no_other(
    tmp_path, name, on_truncated, count, told, more, broken
):
    if broken == 60 and told > count:
        return  # the frame is cut off
    # LAMMPS writes the time first.
    texts = [more + text_of(rows_of(k, 3), k) for k in range(61)]
    texts[broken] = more + text_of(rows_of(broken, count), broken, count=told)
    path = write(tmp_path, "".join(texts), pack=PACKINGS[name])
    check_frames_around(path, [broken], list(range(61)), f"frame {broken}", on_truncated)
    frames = abut.read_frames(path)
    good = [k for k in range(61) if k != broken]
    assert [frames[k].time for k in good] == [0.5 if more else None] * 60


@pytest.mark.parametrize("name", ["plain", "gzip"])
@pytest.mark.parametrize("feed", ["", "\n"])
def test_a_restart_behind_every_cut_of_a_frame(tmp_path, name, feed):
    """A new run appends to a dump with a truncated last frame of an earlier run."""
    cut = text_of(rows_of(50, 2), 50)
    # A last word that lacks digits is still a number.
    for size in range(len("ITEM: TIMESTEP\n5"), cut.rindex("0.25") + len("0.25 ")):
        text = PARTS[0] + cut[:size] + feed + PARTS[3] + PARTS[4]
        path = write(tmp_path, text, pack=PACKINGS[name])
        check_frames_around(path, [1], [0, None, 100, 7], "frame 1")


def test_a_frame_behind_one_that_does_not_tell_how_many_rows_it_has(tmp_path):
    path = write(tmp_path, PARTS[0] + PARTS[1].replace("OF ATOMS\n0", "OF ATOMS\nmany") + PARTS[2])
    frames = abut.read_frames(path, on_truncated="drop")
    assert len(frames) == 3
    assert [frames[0].step, frames[2].step] == [0, 60]
    for read in (lambda: frames[1], lambda: list(frames)):
        with pytest.raises(ValueError, match=r"run\.dump: frame 1 has no valid 'ITEM: NUMBER OF"):
            read()


def test_a_file_that_changed(tmp_path):
    path = write(tmp_path, "".join(PARTS))
    frames = abut.read_frames(path)
    assert len(frames) == 5
    write(tmp_path, PARTS[0])
    with pytest.raises(ValueError, match=r"run\.dump: frame 4 is no longer there"):
        frames[4]
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"run\.dump"):
        frames[0]


def test_a_dump_of_a_list_that_cannot_be_opened_loses_no_other(tmp_path):
    paths = [write(tmp_path, PARTS[k], f"run.{k}") for k in range(3)]
    frames = abut.read_frames(paths)
    paths[1].unlink()
    assert len(frames) == 3
    assert [frames[0].step, frames[2].step] == [0, 60]
    for read in (lambda: frames[1], lambda: list(frames)):
        with pytest.raises(FileNotFoundError, match=r"run\.1"):
            read()


# ---- a last frame that is still being written ----------------------------------------------------

TWO = text_of(rows_of(0, 2), 0, more="ITEM: TIME\n0.25\n") + text_of(rows_of(50, 3), 50)
ENDS = [0, TWO.rindex("ITEM: TIMESTEP"), len(TWO)]


@pytest.mark.cases(107)
@pytest.mark.parametrize("size", range(len(TWO) + 1))
def test_every_cut_of_a_dump(tmp_path, size):
    path = write(tmp_path, TWO[:size])
    whole = sum(end <= size for end in ENDS) - 1
    frames = abut.read_frames(path, on_truncated="drop")
    # A comprehension, since list() would use the length first, which makes the index.
    assert len([frame for frame in frames]) == whole  # noqa: C416
    assert len(frames) == len(list(frames)) == len(list(frames[:])) == whole
    assert all(map(same, frames, abut.read_frames(write(tmp_path, TWO, "whole"))))
    if size in ENDS[1:]:
        assert len(abut.read_frames(path)) == whole
        return
    if size < len("ITEM:"):
        with pytest.raises(ValueError, match=r"run\.dump has no known ending: files of frames"):
            abut.read_frames(path)
        return
    frames = abut.read_frames(path)
    assert len(frames) == whole + 1
    assert steps_of(frames[:-1]) == [0, 50][:whole]
    readers = (
        lambda: frames[-1],
        lambda: list(frames),
        lambda: [frame for frame in abut.read_frames(path)],  # noqa: C416
    )
    for read in readers:
        with pytest.raises(ValueError, match=rf"run\.dump: .*frame {whole}"):
            read()


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_every_cut_of_a_compressed_dump(tmp_path, name):
    data = PACKINGS[name](TWO.encode())
    whole = list(abut.read_frames(write(tmp_path, TWO, "whole")))
    counts = []
    for size in range(len(data)):
        path = write(tmp_path, data[:size])
        frames = abut.read_frames(path, on_truncated="drop") if size > 3 else []
        found = [frame for frame in frames]  # noqa: C416
        assert len(frames) == len(found) == len(list(frames))
        assert all(map(same, found, whole))
        counts.append(len(found))
    assert counts == sorted(counts)
    assert set(counts) <= {0, 1, 2}
    with pytest.raises(ValueError, match=r"run\.dump: .*its (gzip|zstd) stream is cut off"):
        list(abut.read_frames(write(tmp_path, data[:-1])))


@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_a_compressed_dump_of_several_streams(tmp_path, name):
    pack = PACKINGS[name]
    path = write(tmp_path, b"".join(pack(part.encode()) for part in PARTS))
    assert steps_of(abut.read_frames(path)) == STEPS
    last = pack(PARTS[0].encode())
    path = write(tmp_path, path.read_bytes() + last[: len(last) // 2])
    assert steps_of(abut.read_frames(path, on_truncated="drop")) == STEPS
    assert steps_of(abut.read_frames(path)[:5]) == STEPS
    with pytest.raises(ValueError, match=r"run\.dump: .*stream is cut off"):
        abut.read_frames(path)[5]


@pytest.mark.parametrize("on_truncated", ["raise", "drop"])
@pytest.mark.parametrize("name", ["gzip", "zstd"])
def test_a_compressed_dump_that_is_damaged(tmp_path, name, on_truncated):
    data = bytearray(PACKINGS[name]("".join(PARTS).encode()))
    data[len(data) // 2] ^= 255
    frames = abut.read_frames(write(tmp_path, bytes(data)), on_truncated=on_truncated)
    for read in (lambda: frames[-1], lambda: list(frames)):
        with pytest.raises(ValueError, match=r"run\.dump: "):
            read()


def test_zstd_without_a_library(tmp_path, monkeypatch):
    if sys.version_info >= (3, 14):
        pytest.skip("Python brings it")
    path = write(tmp_path, PARTS[0], pack=zstd)
    monkeypatch.setitem(sys.modules, "zstandard", None)
    for read in (abut.read_frames, abut.read_spheres):
        with pytest.raises(ImportError, match=r"needs zstandard: pip install 'abut\[io\]'"):
            read(path)


# ---- files of one frame --------------------------------------------------------------------------

CENTERS = np.array([[0.0, 1, 2], [3, 4, 5], [-1, -2, 0.1]])
RADII = np.array([0.5, 1.0, 0.25])


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Write files of a simulation of three spheres to the current folder."""
    monkeypatch.chdir(tmp_path)
    grain = abut.Material(density=2500, young=1e7)
    sim = abut.Simulation(step=1e-4, period=(10, None, None))
    sim.set_law(grain, grain, abut.Hertz(friction=0.5, restitution=0.1))
    sim.add_wall(abut.Mesh([[0, 0, -5], [9, 0, -5], [0, 9, -5]], [[0, 1, 2]]), grain)
    sim.add_spheres(CENTERS, RADII, grain, velocities=[[1, 0, 0], [0, 0, 0], [0, 0, 0]])
    names = ("vtp/{step:04d}.vtp", "npz/{step}.npz", "sets/run_{step}.vtp")
    writers = [abut.write_frames(name, contacts=True) for name in names]
    writers.append(abut.write_dump("run.dump"))
    kept = []
    for write_it in (
        *writers,
        lambda sim: kept.append((sim.centers.copy(), sim.velocities.copy())),
    ):
        sim.every(0.005, write_it)
    sim.run(0.06)
    return kept


@pytest.mark.parametrize(
    ("path", "name", "knows_step", "knows_time"),
    [
        ("vtp.pvd", "velocity", False, True),
        ("vtp", "velocity", False, False),
        ("vtp/*.vtp", "velocity", False, False),
        ("sets/run.pvd", "velocity", False, True),
        ("npz", "velocities", True, True),
        ("npz/*0.npz", "velocities", True, True),
        ("run.dump", "vx", True, True),
    ],
)
def test_what_a_simulation_wrote(run, path, name, knows_step, knows_time):
    frames = abut.read_frames(path, columns=[name])
    assert len(frames) == len(run) == 12
    for k, (frame, (centers, velocities)) in enumerate(zip(frames, run, strict=True), 1):
        np.testing.assert_array_equal(frame.centers, centers)
        np.testing.assert_array_equal(frame.radii, RADII)
        np.testing.assert_array_equal(frame.ids, [0, 1, 2])
        expected = velocities[:, 0] if name == "vx" else velocities
        np.testing.assert_array_equal(frame.columns[name], expected)
        assert frame.step == (50 * k if knows_step else None)
        assert frame.time == (pytest.approx(0.005 * k) if knows_time else None)
        assert frame.period == (10, None, None)


@pytest.mark.parametrize("path", ["vtp.pvd", "vtp", "npz", "run.dump"])
@pytest.mark.parametrize("period", [(10, None, None), (None, 0.3, 7), (10, 10, 10), None])
def test_the_period_of_a_simulation(tmp_path, monkeypatch, path, period):
    monkeypatch.chdir(tmp_path)
    grain = abut.Material(density=2500, young=1e7)
    sim = abut.Simulation(step=1e-4, period=period)
    sim.set_law(grain, grain, abut.Hertz(friction=0.5, restitution=0.1))
    sim.add_spheres([[0.05, 0.1, 0.1], [9.95, 0.1, 0.1]], [0.051, 0.051], grain)
    names = ("vtp/{step}.vtp", "npz/{step}.npz")
    for write_it in (*map(abut.write_frames, names), abut.write_dump("run.dump")):
        write_it(sim)
    (frame,) = abut.read_frames(path)
    assert frame.period == period
    pairs = abut.find_pairs(frame.centers, frame.radii, period=frame.period)
    assert len(pairs) == (period is not None and period[0] == 10)
    assert len(abut.find_pairs(sim.centers, sim.radii, period=period)) == len(pairs)


@pytest.mark.parametrize(
    ("period", "message"),
    [
        ([1.0, 2.0], r"period has shape \(2,\), but must be \(3,\)"),
        ([1.0, -2.0, 0.0], r"period\[1\] is -2"),
        ([1.0, 0.0, np.nan], r"period\[2\] is nan"),
    ],
)
def test_periods_that_are_broken(tmp_path, period, message):
    period = np.array(period)
    np.savez(tmp_path / "a.npz", centers=CENTERS, radii=RADII, period=period)
    of_files.vtp.save_points(tmp_path / "a.vtp", CENTERS, {"radius": RADII}, {"period": period})
    for name in ("a.npz", "a.vtp"):
        with pytest.raises(ValueError, match=rf"{name}: {message}"):
            abut.read_frames(tmp_path / name)[0]


def spheres_files(folder):
    np.savez(folder / "a.npz", centers=CENTERS, radii=RADII)
    np.save(folder / "a.npy", np.column_stack([CENTERS, RADII]))
    lines = [",".join(map(str, (*c, r))) for c, r in zip(CENTERS, RADII, strict=True)]
    (folder / "a.csv").write_text("X,y,z,radius\n" + "\n".join(lines))
    rows = [[*c, r] for c, r in zip(CENTERS, RADII, strict=True)]
    write(folder, text_of(rows, names="x y z radius"), "a.dump")
    return [folder / f"a.{ending}" for ending in ("npz", "npy", "csv", "dump")]


def test_lists_of_files_of_any_kind(tmp_path):
    paths = spheres_files(tmp_path)
    frames = abut.read_frames(map(str, paths))
    assert len(frames) == 4
    for frame, path in zip(frames, paths, strict=True):
        np.testing.assert_array_equal(frame.centers, CENTERS)
        np.testing.assert_array_equal(frame.radii, RADII)
        np.testing.assert_array_equal(frame.centers, abut.read_spheres(path).centers)
    for path in paths:
        assert len(abut.read_frames(path)) == 1
    assert len(abut.read_frames([])) == 0


def test_columns_of_csv_and_npz(tmp_path):
    (tmp_path / "a.csv").write_text("x,y,z,radius,Speed,type,i_x,ID\n0,0,0,1,2.5,3,0.5,7\n")
    frame = abut.read_frames(tmp_path / "a.csv", columns=("Speed", "type", "i_x", "id"))[0]
    assert [column.tolist() for column in frame.columns.values()] == [[2.5], [3], [0.5], [7]]
    assert [column.dtype.kind for column in frame.columns.values()] == ["f", "f", "f", "i"]
    np.savez(tmp_path / "a.npz", centers=CENTERS, radii=RADII, v=CENTERS, few=[1], step_count=7)
    frame = abut.read_frames(tmp_path / "a.npz", columns=["v"])[0]
    np.testing.assert_array_equal(frame.columns["v"], CENTERS)
    assert (frame.step, frame.time) == (7, None)


@pytest.mark.parametrize(
    ("name", "columns", "message"),
    [
        ("a.csv", ["vx"], "there is no column vx; the columns are x, y, z, radius"),
        ("a.npy", ["vx"], "it has no column vx: it holds only x, y, z and radius"),
        ("a.npz", ["vx"], "there is no column vx; the columns are centers, radii"),
    ],
)
def test_files_that_lack_a_column(tmp_path, name, columns, message):
    spheres_files(tmp_path)
    with pytest.raises(ValueError, match=rf"{name}:? {message}"):
        abut.read_frames(tmp_path / name, columns=columns)[0]


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"radii": RADII}, "has no key centers"),
        ({"centers": CENTERS, "radii": RADII, "v": [1]}, r"v has shape \(1,\), but must be \(3, "),
        ({"centers": CENTERS, "radii": RADII, "v": RADII, "time": RADII}, "time has shape"),
        ({"centers": CENTERS, "radii": RADII, "v": RADII, "step_count": 1.5}, "step_count has dt"),
    ],
)
def test_a_broken_npz_loses_no_other(tmp_path, arrays, message):
    for k in (1, 2, 3):
        np.savez(tmp_path / f"{k}.npz", centers=CENTERS, radii=RADII, v=RADII)
    np.savez(tmp_path / "2.npz", **arrays)
    frames = abut.read_frames(tmp_path, columns=["v"])
    assert len(frames) == 3
    assert len(frames[0].radii) == len(frames[2].radii) == 3
    with pytest.raises(ValueError, match=rf"2\.npz.*{message}"):
        frames[1]


# ---- which files ---------------------------------------------------------------------------------


def names_of(frames):
    return [file.path.name for file in frames._files]


def test_a_folder_in_the_order_of_its_numbers(tmp_path):
    order = [f"dump.{step}" for step in (0, 20, 100, 3000)] + ["other-1", "other-09", "other-10"]
    for name in reversed(order):
        write(tmp_path, PARTS[0], name)
    (tmp_path / "more").mkdir()
    write(tmp_path, PARTS[0], "more/dump.1")
    for name in ("log.lammps", "in.mixer", "drum.stl", ".dump.5", "README"):
        write(tmp_path, "no frames", name)
    assert names_of(abut.read_frames(tmp_path)) == order
    assert names_of(abut.read_frames(str(tmp_path / "dump.*"))) == order[:4]
    assert names_of(abut.read_frames(tmp_path / "**" / "dump.[12]*")) == [
        "dump.20",
        "dump.100",
        "dump.1",
    ]


def test_frames_of_several_dumps(tmp_path):
    write(tmp_path, PARTS[0] + PARTS[1], "run.1")
    write(tmp_path, "", "run.02")
    write(tmp_path, PARTS[2] + PARTS[3] + PARTS[4], "run.3", gzip.compress)
    frames = abut.read_frames([tmp_path / "run.1", tmp_path / "run.3"])
    assert steps_of(frames) == STEPS
    assert steps_of(frames[1:4]) == STEPS[1:4]
    assert frames[-1].step == 7
    assert repr(frames) == "Frames(5 frames of 2 files)"
    frames = abut.read_frames(tmp_path, on_truncated="drop")
    assert steps_of(frames) == STEPS
    # An empty file counts as a broken frame, like any other file with such a name.
    frames = abut.read_frames(tmp_path)
    assert len(frames) == 6
    with pytest.raises(ValueError, match=r"run\.02 has no known ending"):
        frames[2]
    assert frames[5].step == 7


@pytest.mark.parametrize(
    "names", [["0.3", "0.25"], ["1.5", "1.25"], ["1e-05", "0.001"], ["run1.20", "run1.100"]]
)
def test_an_order_that_is_not_clear(tmp_path, names):
    for name in names:
        write(tmp_path, PARTS[0], f"{name}.dump")
    with pytest.raises(ValueError, match=r"it is not clear whether .* comes first.* give a list"):
        abut.read_frames(tmp_path)


def test_several_kinds_are_not_clear(tmp_path):
    spheres_files(tmp_path)
    message = r"several kinds, \.csv \(a\.csv\), \.npy \(a\.npy\), \.npz \(a\.npz\), dump \(a\.du"
    for path in (tmp_path, tmp_path / "*"):
        with pytest.raises(ValueError, match=message):
            abut.read_frames(path)


def test_parts_of_frames_are_passed_over_where_the_frame_is_there(tmp_path):
    for name in ("1", "1-walls", "2", "2-contacts", "3-pairs"):
        np.savez(tmp_path / f"{name}.npz", centers=CENTERS, radii=RADII)
    assert names_of(abut.read_frames(tmp_path)) == ["1.npz", "2.npz", "3-pairs.npz"]


@pytest.mark.parametrize("make", [lambda folder: folder, lambda folder: folder / "*"])
def test_no_frames(tmp_path, make):
    with pytest.raises(ValueError, match=r"there are no files of frames: \.npz, \.vtp"):
        abut.read_frames(make(tmp_path))
    write(tmp_path, "no frames", "log.lammps")
    with pytest.raises(ValueError, match=r"there are no files of frames: \.npz, \.vtp"):
        abut.read_frames(make(tmp_path))


@pytest.mark.parametrize("make", [lambda path: path, lambda path: [path, path]])
def test_files_of_no_known_kind(tmp_path, make):
    path = write(tmp_path, "no frames", "log.lammps")
    with pytest.raises(ValueError, match=r"log\.lammps has no known ending: .*; a dump begins"):
        abut.read_frames(make(path))


@pytest.mark.parametrize("name", ["run.dump", "run.npz", "run.pvd", "run.csv"])
def test_files_that_are_not_there(tmp_path, name):
    for path in (tmp_path / name, [tmp_path / name]):
        with pytest.raises(FileNotFoundError, match=re.escape(name)):
            abut.read_frames(path)


@pytest.mark.parametrize(
    ("path", "message"),
    [
        (None, "path is a NoneType"),
        (3, "path is an int"),
        (b"run.dump", r"path\[0\] is an int"),
        ([3], r"path\[0\] is an int"),
        (["a", None], r"path\[1\] is a NoneType"),
    ],
)
def test_what_is_no_path(path, message):
    with pytest.raises(TypeError, match=message):
        abut.read_frames(path)


# ---- lists of files and vtp ----------------------------------------------------------------------

PVD = '<VTKFile type="Collection"><Collection>{}</Collection></VTKFile>'


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no element found"),
        (PVD.format("<DataSet"), "not well-formed"),
        ('<VTKFile type="PolyData"/>', "is not a list of files"),
        (PVD.format('<DataSet file="a.vtp"/>'), "a DataSet has no timestep"),
        (PVD.format('<DataSet timestep="1"/>'), "a DataSet has no file"),
        (PVD.format('<DataSet timestep="now" file="a.vtp"/>'), "could not convert"),
        (
            PVD.format(2 * '<DataSet timestep="1" part="0" file="a.vtp"/>'),
            "more than one file for the time 1.0",
        ),
    ],
)
def test_lists_that_are_broken(tmp_path, text, message):
    path = write(tmp_path, text, "run.pvd")
    with pytest.raises(ValueError, match=rf"run\.pvd: .*{message}"):
        abut.read_frames(path)


POINTS = b'"Points" NumberOfComponents="3"'


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"raw"', b'"base64"', "Points is broken"),
        (b"PolyData", b"ImageData", "it is a VTK file of type ImageData, not PolyData"),
        (b"LittleEndian", b"MiddleEndian", "byte_order is 'MiddleEndian', but must be"),
        (b'"UInt64"', b'"UInt8"', "header_type is 'UInt8', but must be"),
        (b'"Float64"', b'"String"', "type is 'String', but must be"),
        (b'"appended"', b'"ascii"', r"period has shape \(0,\), but must be \(3,\)"),
        (b'"appended"', b'"packed"', "format is 'packed', but must be ascii, binary or appended"),
        (b'"radius"', b'"size"', "no column radius; the columns are size, id"),
        (b'offset="0"', b'offset="99999"', "Points: the file ends before its byte"),
        (b'offset="0"', b'offset="3"', "Points: it should have"),
        (b'offset="0"', b'offset="-9"', "Points: the file ends before its byte"),
        (POINTS, POINTS.replace(b"3", b"4"), "Points has 9 numbers, but 4 components"),
        (POINTS, POINTS.replace(b"3", b"1"), "entries, but there are 9 points"),
        (b"<Piece", b"<Pieces", "mismatched tag"),
    ],
)
def test_vtp_files_that_are_broken(run, old, new, message):
    path = abut.read_frames("vtp.pvd")._files[0].path
    data = path.read_bytes()
    assert old in data
    path.write_bytes(data.replace(old, new, -1 if old == b"PolyData" else 1))
    with pytest.raises(ValueError, match=rf"0050\.vtp: .*({message})"):
        abut.read_frames(path)[0]


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize("length", ["u4", "u8"])
def test_vtp_files_of_other_orders(tmp_path, order, length):
    arrays = {"Points": CENTERS, "radius": RADII.astype("f4"), "id": np.array([5, 6, 7], "i4")}
    kinds, items, data = {"f8": "Float64", "f4": "Float32", "i4": "Int32"}, [], b""
    for name, array in arrays.items():
        kind = kinds[array.dtype.str[1:]]
        width = array.size // len(array)
        items.append(
            f'<DataArray type="{kind}" Name="{name}" NumberOfComponents="{width}"'
            f' format="appended" offset="{len(data)}"/>'
        )
        data += np.array(array.nbytes, order + length).tobytes()
        data += array.astype(array.dtype.newbyteorder(order)).tobytes()
    order_name = {"<": "LittleEndian", ">": "BigEndian"}[order]
    head = (
        f'<VTKFile type="PolyData" byte_order="{order_name}"'
        f' header_type="UInt{8 * int(length[1])}">'
        f"<PolyData><Piece><PointData>{items[1]}{items[2]}</PointData><Points>{items[0]}</Points>"
        f'</Piece></PolyData><AppendedData encoding="raw">_'
    )
    path = tmp_path / "a.vtp"
    path.write_bytes(head.encode() + data + b"</AppendedData></VTKFile>")
    frame = abut.read_frames(path)[0]
    np.testing.assert_array_equal(frame.centers, CENTERS)
    np.testing.assert_array_equal(frame.radii, RADII)
    assert frame.ids.tolist() == [5, 6, 7]
    assert frame.ids.dtype == np.intp
