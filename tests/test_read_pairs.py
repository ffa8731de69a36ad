"""Pairs of other codes, read from dumps of LAMMPS' command `dump local`."""

import gzip
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut

NAMES = {"i": "id1", "j": "id2", "force": ("fx", "fy", "fz")}
SPHERES = abut.Frame(
    np.array([[0.0, 0, 0], [1.5, 0, 0], [1.5, 1.5, 0], [9, 9, 9]]),
    np.ones(4),
    ids=np.array([40, 10, 30, 20]),
    step=50,
)
ROWS = ["10 40 1 2 3 ", "30 10 4 5 6 "]
BOX = "ITEM: BOX BOUNDS pp pp pp\n0 4\n0 4\n0 4\n"


def text_of(rows=ROWS, step=50, label="ENTRIES", names="id1 id2 fx fy fz", count=None):
    count = len(rows) if count is None else count
    head = f"ITEM: TIMESTEP\n{step}\nITEM: NUMBER OF {label}\n{count}\n{BOX}"
    return head + f"ITEM: {label} {names} \n" + "".join(f"{row}\n" for row in rows)


def read(folder, text, frame=SPHERES, columns=NAMES, name="pairs.dump"):
    path = folder / name
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return abut.read_pairs(path, frame, columns)


def refuse(folder, match, text=None, frame=SPHERES, columns=NAMES):
    with pytest.raises(ValueError, match=match) as caught:
        read(folder, text_of() if text is None else text, frame, columns)
    assert "pairs.dump: " in str(caught.value)


# ---- pairs ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("label", ["ENTRIES", "CONTACTS"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_ids_become_rows_in_order(tmp_path, label, pack):
    pairs = read(tmp_path, pack(text_of(label=label).encode()))
    assert isinstance(pairs, abut.Pairs)
    assert (pairs.i.tolist(), pairs.j.tolist()) == ([0, 1], [1, 2])
    # Both rows have the larger row of the frame in other columns: only the first one turns.
    assert pairs.force.tolist() == [[-1, -2, -3], [-4, -5, -6]]
    assert pairs.offsets.tolist() == [0, 1, 2, 2, 2]
    assert pairs == with_forces(abut.find_pairs(SPHERES.centers, 1.0), pairs.force)
    assert pairs.image.tolist() == [[0, 0, 0]] * 2
    assert (pairs.radius_i == 1).all() and (pairs.radius_j == 1).all()
    assert pairs.stress(pairs.force, 3.0).tolist() == [[0.5, 1, 1.5], [2, 2.5, 3], [0, 0, 0]]


def with_forces(pairs, forces):
    columns = pairs._made_columns() | {"force": forces}
    return abut.Pairs._build(columns, pairs._search())


def test_one_column_is_the_normal_force(tmp_path):
    pairs = read(tmp_path, text_of(), columns={"i": "id1", "j": "id2", "force": "fx"})
    assert pairs.force.tolist() == [[-1, 0, 0], [0, -4, 0]]
    assert np.sum(pairs.force * pairs.normal, axis=1).tolist() == [1, 4]


def test_pairs_without_forces(tmp_path):
    pairs = read(tmp_path, text_of(), columns={"i": "id1", "j": "id2"})
    assert pairs == abut.find_pairs(SPHERES.centers, 1.0)
    with pytest.raises(AttributeError, match="only those of a Simulation, and of read_pairs"):
        _ = pairs.force


def test_a_pair_from_both_sides_is_one(tmp_path):
    pairs = read(tmp_path, text_of([*ROWS, "40 10 -1 -2 -3"]))
    assert pairs == read(tmp_path, text_of())
    refuse(
        tmp_path,
        "rows 0 and 2 are both the pair of spheres 40 and 10, with different forces",
        text_of([*ROWS, "40 10 1 2 3"]),
    )


def test_pairs_that_do_not_touch_are_kept(tmp_path):
    pairs = read(tmp_path, text_of(["20 30 0 0 0"]))
    assert pairs.overlap.tolist() == [pytest.approx(2 - np.sqrt(2 * 7.5**2 + 81))]


def test_spheres_with_one_center(tmp_path):
    frame = SPHERES._replace(centers=np.zeros((4, 3)))
    pairs = read(tmp_path, text_of(), frame)
    assert pairs.normal.tolist() == [[1, 0, 0]] * 2
    assert pairs.overlap.tolist() == [2, 2]


def test_no_entries(tmp_path):
    pairs = read(tmp_path, text_of([]))
    assert (len(pairs), pairs.offsets.tolist()) == (0, [0] * 5)
    assert pairs.force.shape == pairs.normal.shape == (0, 3)
    none = abut.Frame(np.zeros((0, 3)), np.zeros(0), ids=np.zeros(0, np.intp), step=50)
    assert len(read(tmp_path, text_of([]), none)) == 0
    refuse(tmp_path, "row 0 has a sphere with the id 10, which is not in the", frame=none)


PERIODS = {
    "lengths": (4.0, 5.0, None),
    "tilted": np.array([[4.0, 0, 0], [1.7, 5, 0], [-1.9, 2.1, 6]]),
    "long way": np.array([[4.0, 0, 0], [41.7, 5, 0], [-23.9, 52.1, 6]]),
    "layer": np.array([[4.0, 0, 1], [1.7, 5, 0], [0, 0, 0]]),
}


@pytest.mark.parametrize("name", PERIODS)
@pytest.mark.parametrize("seed", range(3))
def test_the_nearest_images_are_those_of_a_search(tmp_path, name, seed):
    period = PERIODS[name]
    rng = np.random.default_rng(seed)
    centers = rng.uniform(-9, 9, (60, 3))
    radii = rng.uniform(0.6, 1.0, 60)
    ids = rng.permutation(60) + 1
    found = abut.find_pairs(centers, radii, period=period)
    # Pairs through several images have the same ids.
    keys, counts = np.unique(60 * found.i + found.j, return_counts=True)
    found = found[np.isin(60 * found.i + found.j, keys[counts == 1]) & (found.i != found.j)]
    assert len(found) > 40
    assert (found.image != 0).any()
    forces = rng.normal(size=(len(found), 3)).round(3)
    rows = [
        f"{ids[i]} {ids[j]} {x!r} {y!r} {z!r}"
        for i, j, (x, y, z) in zip(found.i, found.j, forces.tolist(), strict=True)
    ]
    frame = abut.Frame(centers, radii, ids=ids, step=50, period=abut_period(period))
    pairs = read(tmp_path, text_of(rng.permutation(rows).tolist()), frame)
    for column in ("i", "j", "image"):
        assert (pairs[column] == found[column]).all()
    for column in ("overlap", "normal", "point"):
        assert pairs[column] == pytest.approx(found[column], abs=1e-12)
    assert (pairs.force == forces).all()
    arm_i, arm_j = pairs.arms(centers)
    assert np.linalg.norm(arm_i - arm_j, axis=1) == pytest.approx(
        radii[pairs.i] + radii[pairs.j] - pairs.overlap
    )


def abut_period(period):
    return abut.find_pairs(np.zeros((1, 3)), 1.0, period=period).period


# ---- time steps ----------------------------------------------------------------------------------


def test_the_step_of_the_frame_is_read(tmp_path):
    text = text_of(["10 40 9 9 9"], step=0) + text_of() + text_of([], step=100)
    assert read(tmp_path, text) == read(tmp_path, text_of())
    first = read(tmp_path, text, SPHERES._replace(step=0))
    assert first.force.tolist() == [[-9, -9, -9]]
    refuse(
        tmp_path,
        "it has no entries of step 7, which is that of the frame; it has 3 time steps: 0, 50, 100",
        text,
        SPHERES._replace(step=7),
    )
    nameless = SPHERES._replace(step=None)
    refuse(tmp_path, r"the frame has no step, and .* give frame\._replace", text, nameless)
    assert read(tmp_path, text_of(), nameless) == read(tmp_path, text_of())


# ---- errors --------------------------------------------------------------------------------------


def test_files_of_other_kinds(tmp_path):
    atoms = "ITEM: TIMESTEP\n50\nITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS id x y z radius\n1 0 0 0 1\n"
    refuse(
        tmp_path, r"'ITEM: ATOMS' are not pairs: abut\.read_frames reads dumps of spheres", atoms
    )
    refuse(tmp_path, "does not begin with 'ITEM:', as a 'dump local'", "x,y\n1,2\n")
    (tmp_path / "run.dump").write_text(text_of(label="CONTACTS"))
    for reader in (abut.read_spheres, lambda path: abut.read_frames(path)[0]):
        with pytest.raises(ValueError, match=r"those of a dump local.*abut\.read_pairs\(path, fra"):
            reader(tmp_path / "run.dump")


@pytest.mark.parametrize(
    ("columns", "kind", "match"),
    [
        (None, TypeError, "columns is None, but must be a dict such as"),
        ({"i": "id1"}, TypeError, r"columns\['j'\] is missing, but must be a column's name"),
        ({"i": "id1", "j": 2}, TypeError, r"columns\['j'\] is 2, but must be a column's name"),
        (NAMES | {"k": "fx"}, ValueError, "columns has 'k', but its keys must be of i, j, force"),
        (NAMES | {"force": ("fx", "fy")}, TypeError, r"\['force'\] is \('fx', 'fy'\), but must be"),
        (NAMES | {"force": 1}, TypeError, r"columns\['force'\] is 1, but must be three names"),
        (NAMES | {"j": "id3"}, ValueError, "no column id3; the columns are id1, id2, fx, fy, fz"),
    ],
)
def test_wrong_columns(tmp_path, columns, kind, match):
    with pytest.raises(kind, match=match):
        read(tmp_path, text_of(), columns=columns)


@pytest.mark.parametrize(
    ("rows", "match"),
    [
        (["10 40 1 2 3", "10 77 1 2 3"], "row 1 has a sphere with the id 77, which is not in"),
        (["10 10 1 2 3"], "row 0 is a pair of sphere 10 with itself"),
        (["10 40 1 2"], "line 10 has 4 words, but there are 5 columns"),
        (["10 40 1 nan 3"], "line 10: 'nan' is not a finite number"),
        (["10 4.5 1 2 3"], "row 0: id2 4.5 is not a whole number"),
        (["10 forty 1 2 3"], "line 10: 'forty' is not a finite number"),
    ],
)
def test_wrong_rows(tmp_path, rows, match):
    refuse(tmp_path, match, text_of(rows))


def test_frames_that_do_not_fit(tmp_path):
    refuse(tmp_path, "the frame has no ids", frame=SPHERES._replace(ids=None))
    twice = SPHERES._replace(ids=np.array([40, 10, 30, 40]))
    refuse(tmp_path, "the frame has two spheres with the id 40", frame=twice)
    with pytest.raises(TypeError, match=r"frame is an ndarray, but must be a Frame, such as"):
        read(tmp_path, text_of(), SPHERES.centers)
    with pytest.raises(TypeError, match="path is an int, but must be"):
        abut.read_pairs(3, SPHERES, NAMES)
    with pytest.raises(FileNotFoundError):
        abut.read_pairs(tmp_path / "none.dump", SPHERES, NAMES)


def test_more_or_fewer_rows_than_the_head_announces(tmp_path):
    refuse(tmp_path, "should have 3 entries, but the file ends after 2", text_of(count=3))
    refuse(tmp_path, "should have 1 entries, but line 11 after them", text_of(count=1))
    text = text_of(count=4) + text_of(step=60)
    refuse(tmp_path, "line 12 has 2 words, but there are 5 columns", text)
    later = SPHERES._replace(step=60)
    refuse(tmp_path, "should have 4 entries, but after 2 another frame begins", text, later)


def test_a_file_that_is_cut_off_anywhere(tmp_path):
    text = text_of()
    whole = read(tmp_path, text)
    for end in range(len(text)):
        try:
            pairs = read(tmp_path, text[:end])
        except ValueError as error:
            assert re.search(r"pairs\.dump: \S", str(error))
        else:
            # Only the end of the last row is missing: a blank, the line feed, or digits.
            assert end > text.rindex("30 10")
            assert (pairs.i == whole.i).all()


@given(
    place=st.integers(0, len(text_of()) - 1),
    word=st.binary(min_size=0, max_size=3),
    length=st.integers(0, 9),
)
def test_damaged_files(tmp_path_factory, place, word, length):
    text = text_of().encode()
    damaged = text[:place] + word + text[place + length :]
    try:
        pairs = read(tmp_path_factory.getbasetemp(), damaged)
    except ValueError as error:
        assert "pairs.dump: " in str(error)
    else:
        assert np.isfinite(pairs.force).all()
