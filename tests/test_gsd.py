"""GSD files of HOOMD-blue."""

import pickle
import sys

import numpy as np
import pytest

import abut

BOX = [4, 2, 8, 0.5, -0.25, 0.125]  # Lx, Ly, Lz, and the tilts as ratios
# The vectors are (Lx, 0, 0), (xy Ly, Ly, 0) and (xz Lz, yz Lz, Lz).
CELL = [[4, 0, 0], [1, 2, 0], [-2, 1, 8]]


@pytest.fixture
def hoomd():
    pytest.importorskip("gsd")
    return pytest.importorskip("gsd.hoomd")


def frame_of(hoomd, step, places, box=BOX, **more):
    frame = hoomd.Frame()
    frame.configuration.step, frame.configuration.box = step, box
    frame.particles.N, frame.particles.position = len(places), places
    for name, values in more.items():
        owner = frame.configuration if name == "dimensions" else frame.particles
        setattr(owner, name, values)
    return frame


def written(hoomd, folder, *frames):
    with hoomd.open(str(folder / "run.gsd"), "w") as file:
        for frame in frames:
            file.append(frame)
    return folder / "run.gsd"


def test_a_frame(hoomd, tmp_path):
    given = frame_of(
        hoomd,
        7,
        [[0.5, 0.25, -1], [1, 0, 0.125]],
        diameter=[0.5, 1],
        velocity=[[1, 2, 3], [4, 5, 6]],
        typeid=[0, 1],
        types=["A", "B"],
    )
    given.log["particles/heat"], given.log["energy"] = np.array([0.5, 0.75]), np.array([9.0])
    frames = abut.read_frames(
        written(hoomd, tmp_path, given), columns=["velocity", "typeid", "particles/heat"]
    )
    (frame,) = frames
    assert frame.centers.tolist() == [[0.5, 0.25, -1], [1, 0, 0.125]]
    assert frame.radii.tolist() == [0.25, 0.5]
    assert (frame.step, frame.time, frame.ids) == (7, None, None)
    np.testing.assert_array_equal(frame.period, CELL)
    # The box is around 0.
    np.testing.assert_array_equal(frame.origin, [-1.5, -1.5, -4])
    assert {name: column.tolist() for name, column in frame.columns.items()} == {
        "velocity": [[1, 2, 3], [4, 5, 6]],
        "typeid": [0, 1],
        "particles/heat": [0.5, 0.75],
    }
    assert {"position", "diameter", "particles/heat"} < set(frames.columns)
    assert "energy" not in frames.columns


def test_boxes_along_the_axes(hoomd, tmp_path):
    straight = frame_of(hoomd, 0, [[0, 0, 0]], [4, 3, 2, 0, 0, 0])
    flat = frame_of(hoomd, 1, [[0, 0, 0]], [4, 3, 1, 0, 0, 0], dimensions=2)
    tilted = frame_of(hoomd, 2, [[0, 0, 0]], [4, 2, 0, 0.5, 0, 0], dimensions=2)
    frames = abut.read_frames(written(hoomd, tmp_path, straight, flat, tilted))
    assert [frame.period for frame in frames[:2]] == [(4, 3, 2), (4, 3, None)]
    np.testing.assert_array_equal(frames[2].period, [[4, 0, 0], [1, 2, 0], [0, 0, 0]])
    assert frames[0].origin.tolist() == [-2, -1.5, -1]
    assert [frame.radii.tolist() for frame in frames] == [[0.5]] * 3  # the format's default


def test_frames_of_a_file(hoomd, tmp_path):
    parts = [frame_of(hoomd, k, np.full((k, 3), k)) for k in (1, 0, 2)]
    path = written(hoomd, tmp_path, *parts)
    frames = abut.read_frames(path, radius=0.25)
    assert [frame.step for frame in frames] == [1, 0, 2]
    assert (len(frames), frames[-1].step, frames[0].step) == (3, 2, 1)
    assert [frame.step for frame in pickle.loads(pickle.dumps(frames[1:]))] == [0, 2]
    assert frames[2].radii.tolist() == [0.25, 0.25]
    assert [frame.step for frame in abut.read_frames(tmp_path)] == [1, 0, 2]
    assert len(abut.read_spheres(path).radii) == 2
    assert abut.read_spheres(path, 0, scale=2).centers.tolist() == [[2, 2, 2]]
    assert abut.read_spheres(path, frame="all").frame.tolist() == [0, 2, 2]
    types = written(hoomd, tmp_path, frame_of(hoomd, 0, np.zeros((2, 3)), typeid=[1, 0]))
    assert abut.read_spheres(types, radius={0: 0.5, 1: 2}).radii.tolist() == [2, 0.5]


def test_what_is_wrong(hoomd, tmp_path):
    path = written(hoomd, tmp_path, frame_of(hoomd, 0, [[0, 0, 0]]))
    with pytest.raises(ValueError, match=r"run\.gsd: there are 1 frames, but no frame 1"):
        abut.read_spheres(path, 1)
    with pytest.raises(ValueError, match=r"run\.gsd: leave out columns=, since the names in gsd"):
        abut.read_spheres(path, columns={"x": "X"})
    with pytest.raises(ValueError, match=r"run\.gsd: frame 0: there is no column vx; the columns"):
        abut.read_frames(path, columns=["vx"])[0]
    flat = written(hoomd, tmp_path, frame_of(hoomd, 0, [[0, 0, 0]], [1, 0, 1, 0, 0, 0]))
    with pytest.raises(ValueError, match=r"gsd: frame 0: the box repeats along its edge 1, which"):
        abut.read_frames(flat)[0]
    wrong = written(hoomd, tmp_path, frame_of(hoomd, 0, [[0, 0, np.nan]]))
    with pytest.raises(ValueError, match=r"run\.gsd: frame 0: row 0: z is nan"):
        abut.read_frames(wrong)[0]
    path.write_bytes(path.read_bytes()[:600])
    for read in (abut.read_spheres, lambda one: len(abut.read_frames(one)), _all_of):
        with pytest.raises(ValueError, match=r"run\.gsd: it is broken, or was cut off: "):
            read(path)
    path.unlink()
    with pytest.raises(FileNotFoundError, match=r"run\.gsd"):
        abut.read_frames(path)


def _all_of(path):
    return [frame.step for frame in abut.read_frames(path)]


def test_the_package_is_named_where_it_is_missing(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "gsd", None)
    monkeypatch.setitem(sys.modules, "gsd.hoomd", None)
    (tmp_path / "run.gsd").write_bytes(b"")
    with pytest.raises(ImportError, match=r"this needs gsd: pip install 'abut\[gsd\]'"):
        abut.read_spheres(tmp_path / "run.gsd")
