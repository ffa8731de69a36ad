"""Extended XYZ files."""

import gzip

import numpy as np
import pytest

import abut

PROPERTIES = "Properties=species:S:1:pos:R:3:radius:R:1:velo:R:3:id:I:1:held:L:1"
LATTICE = 'Lattice="4 0 0 0.5 3 0 0 -0.25 2"'
KEYS = f'{LATTICE} {PROPERTIES} pbc="T T F" Time=0.5 step=7'
ROWS = ("Si 1 2 3 0.5 0.1 0.2 0.3 17 T\n", "O  -1 0.5 1e-3 0.25 0 0 1 4 F\n")


def frame_of(keys=KEYS, rows=ROWS, count=None):
    return f"{len(rows) if count is None else count}\n{keys}\n{''.join(rows)}"


def read(folder, text, *names, name="run.xyz", **options):
    (folder / name).write_text(text)
    return abut.read_frames(folder / name, columns=names, **options)


def test_a_frame(tmp_path):
    frames = read(tmp_path, frame_of(), "species", "velo", "held", "velo[1]")
    (frame,) = frames
    assert frame.centers.tolist() == [[1, 2, 3], [-1, 0.5, 1e-3]]
    assert (frame.radii.tolist(), frame.ids.tolist()) == ([0.5, 0.25], [17, 4])
    assert (frame.step, frame.time) == (7, 0.5)
    np.testing.assert_array_equal(frame.period, [[4, 0, 0], [0.5, 3, 0], [0, 0, 0]])
    np.testing.assert_array_equal(frame.origin, [0, 0, 0])
    assert {name: column.tolist() for name, column in frame.columns.items()} == {
        "species": ["Si", "O"],
        "velo": [[0.1, 0.2, 0.3], [0, 0, 1]],
        "held": [True, False],
        "velo[1]": [0.2, 0],
    }
    assert frames.columns == ("species", "pos", "radius", "velo", "id", "held")


def test_columns_may_be_any_that_are_listed(tmp_path):
    frames = read(tmp_path, frame_of())
    (frame,) = abut.read_frames(tmp_path / "run.xyz", columns=frames.columns)
    np.testing.assert_array_equal(frame.columns["pos"], frame.centers)
    np.testing.assert_array_equal(frame.columns["id"], frame.ids)


@pytest.mark.parametrize(
    ("keys", "period", "origin"),
    [
        ('Lattice="4 0 0 0 3 0 0 0 2"', (4, 3, 2), (0, 0, 0)),
        ('Lattice="4 0 0 0 3 0 0 0 2" pbc="T F T"', (4, None, 2), (0, 0, 0)),
        ('Lattice="4 0 0 0 3 0 0 0 2" pbc="F F F"', None, (0, 0, 0)),
        ('pbc="F F F"', None, None),
        ("", None, None),
        ('Lattice="4 0 0 0 3 0 0 0 2" Origin="-2 -1.5 -1"', (4, 3, 2), (-2, -1.5, -1)),
        ("Lattice = {4 0 0 1 3 0 0 0 2}", [[4, 0, 0], [1, 3, 0], [0, 0, 2]], (0, 0, 0)),
        (
            "Lattice=[[4, 0, 0], [1, 3, 0], [0, 0, 2]] pbc=[T, False, true] note=[1]",
            (4, None, 2),
            (0, 0, 0),
        ),
        ("lattice='4 3 2' pbc=\"True True False\"", (4, 3, None), (0, 0, 0)),
        ('note="a=1 \\" Lattice=2" Lattice="4 3 2"', (4, 3, 2), (0, 0, 0)),
        ('Lattice="0 3 0 -4 0 0 0 0 2"', [[0, 3, 0], [-4, 0, 0], [0, 0, 2]], (0, 0, 0)),
    ],
)
def test_boxes(tmp_path, keys, period, origin):
    (frame,) = read(tmp_path, frame_of(f"{keys} {PROPERTIES}"))
    if isinstance(period, list):
        np.testing.assert_array_equal(frame.period, period)
    else:
        assert frame.period == period
    assert (frame.origin is None) == (origin is None)
    np.testing.assert_array_equal(frame.origin, origin)


@pytest.mark.parametrize(("keys", "radii"), [("diameter", [0.25, 0.125]), ("radius", [0.5, 0.25])])
def test_sizes(tmp_path, keys, radii):
    text = frame_of(KEYS.replace("radius", keys))
    assert abut.read_spheres(_written(tmp_path, text)).radii.tolist() == radii


def _written(folder, text, name="run.xyz"):
    (folder / name).write_text(text)
    return folder / name


def test_radii_that_are_given(tmp_path):
    keys = "Properties=pos:R:3:type:I:1"
    path = _written(tmp_path, frame_of(keys, ["0 0 0 1\n", "1 0 0 2\n"]))
    assert abut.read_spheres(path, radius={1: 0.5, 2: 0.25}).radii.tolist() == [0.5, 0.25]
    assert abut.read_frames(path, radius=2)[0].radii.tolist() == [2, 2]
    with pytest.raises(ValueError, match=r"run.xyz: there is no column radius; .* Give radius="):
        abut.read_spheres(path)


def test_names_that_differ(tmp_path):
    keys = "Properties=com:R:3:R:R:1:number:I:1"
    path = _written(tmp_path, frame_of(keys, ["1 2 3 0.5 8\n"]))
    names = {"x": "com[0]", "y": "com[1]", "z": "com[2]", "radius": "R", "id": "number"}
    spheres = abut.read_spheres(path, columns=names, scale=2)
    assert (spheres.centers.tolist(), spheres.ids.tolist()) == ([[2, 4, 6]], [8])


def test_plain_files(tmp_path):
    rows = ["Si 0 0 0\n", "Si 1.5 0 0\n"]
    (frame,) = read(tmp_path, frame_of("silicon, drawn by hand", rows), "species", radius=0.75)
    assert frame.centers.tolist() == [[0, 0, 0], [1.5, 0, 0]]
    assert frame.columns["species"].tolist() == ["Si", "Si"]
    assert (frame.period, frame.step, frame.time, frame.ids) == (None, None, None, None)


@pytest.mark.parametrize("name", ["run.xyz", "run.extxyz", "run.xyz.gz", "RUN.XYZ"])
def test_frames_of_a_file(tmp_path, name):
    parts = [frame_of(), frame_of(rows=()), frame_of(rows=ROWS[1:]).replace("step=7", "step=9")]
    data = ("".join(parts) + "\n\n").encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    frames = abut.read_frames(tmp_path / name)
    assert [len(frame.radii) for frame in frames] == [2, 0, 1]
    assert len(frames) == 3
    assert [frames[k].step for k in (2, 0, -1)] == [9, 7, 9]
    assert [frame.step for frame in frames[1:]] == [7, 9]
    assert len(abut.read_spheres(tmp_path / name).radii) == 1
    assert abut.read_spheres(tmp_path / name, frame="all").frame.tolist() == [0, 0, 2]
    assert len(abut.read_spheres(tmp_path / name, frame=0).radii) == 2
    with pytest.raises(ValueError, match="there are 3 frames, but no frame 3"):
        abut.read_spheres(tmp_path / name, frame=3)


def test_a_folder_of_files(tmp_path):
    for k in (20, 3, 100):
        _written(tmp_path, frame_of().replace("step=7", f"step={k}"), f"run.{k}.xyz")
    assert [frame.step for frame in abut.read_frames(tmp_path)] == [3, 20, 100]


def test_every_cut(tmp_path):
    text = frame_of() + frame_of()
    for size in range(len(text) + 1):
        path = _written(tmp_path, text[:size])
        count = (size >= len(frame_of())) + (size == len(text))
        frames = abut.read_frames(path, on_truncated="drop")
        assert len([frame for frame in frames]) == len(frames) == count  # noqa: C416
        if size not in (0, len(text) // 2, len(text)):
            with pytest.raises(ValueError, match=r"ends|has no end|cut off"):
                list(abut.read_frames(path))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("hello\n\n", "line 1: 'hello' stands where the number of spheres of frame 0 should"),
        ("-1\n\n", "line 1: '-1' stands where the number"),
        (frame_of(count=3), "frame 0 should have 3 spheres, but the file ends after 2"),
        (frame_of(count=1), "line 4: 'O  -1 0.5 1e-3 0.25 0 0 1 4 F' stands where"),
        (frame_of().replace("Si 1", "Si one"), "line 3: 'one' is not a finite number"),
        (frame_of().replace(" 17 T", " 17"), "line 3 has 9 words, but there are 10 columns"),
        (frame_of().replace(" 17 T", " 17 2"), "row 0: held is 2, but must be T or F"),
        (frame_of().replace("0.25 0 0", "-1 0 0"), "row 1: the radius is -1"),
        (frame_of(KEYS.replace("T T F", "T T")), "line 2: pbc is 'T T', but must be three of T"),
        (frame_of(KEYS.replace("T T F", "1 1 0")), "line 2: pbc is '1 1 0', but must be three"),
        (frame_of(KEYS.replace("4 0 0", "4 0")), "line 2: lattice is .*, but must be 3 or 9 fin"),
        (frame_of(KEYS.replace("4 0 0", "x 0 0")), "line 2: lattice is .*, but must be 3 or 9"),
        (frame_of(KEYS.replace("4 0 0", "0 0 0")), "line 2: Lattice and pbc make no period: the"),
        (frame_of(KEYS.replace("4 0 0", "1 6 0")), "line 2: Lattice .* period.1. lies on the lin"),
        (frame_of(KEYS.replace(LATTICE, "")), "line 2: pbc has T, but there is no Lattice="),
        (frame_of(KEYS + " Origin=1"), "line 2: origin is '1', but must be 3 finite numbers"),
        (frame_of(KEYS.replace("R:3:radius", "R:radius")), "line 2: Properties has 'pos:R:radius'"),
        (frame_of(KEYS.replace(":held:L:1", ":held:L")), "line 2: Properties has 'held:L', but"),
        (frame_of(KEYS.replace("velo:R:3", "velo:X:3")), "with a type of R, I, S, L"),
        (frame_of(KEYS.replace("velo:R:3", "velo:R:0")), "line 2: Properties has 'velo:R:0'"),
        (frame_of(KEYS.replace("velo:R:3", "velo:R:40000")), "has 40007 columns, more than 32768"),
        (frame_of(KEYS.replace("pos", "position")), "there is no column x or y or z; the columns"),
        (frame_of("", ["Si 0 0 0 1\n"]), "there is no column radius"),
    ],
)
def test_files_that_are_wrong(tmp_path, text, message):
    with pytest.raises(ValueError, match=rf"run\.xyz: .*{message}"):
        list(read(tmp_path, text, "held"))


def test_frames_before_a_broken_one_are_read(tmp_path):
    frames = read(tmp_path, frame_of() + "what\n" + frame_of())
    assert len(frames) == 2
    assert frames[0].step == 7
    with pytest.raises(ValueError, match="line 5: 'what' stands where the number of spheres of"):
        frames[1]
