"""Spheres of files that have other names for their columns, or another unit."""

import pickle
import re

import numpy as np
import pytest

import abut

ROWS = "1,2,3,4,5\n6,7,8,9,10\n"
NAMED = {"x": "X (mm)", "y": "Y (mm)", "z": "Z (mm)", "diameter": "Size", "id": "No"}
DUMP = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF ATOMS\n1\nITEM: BOX BOUNDS pp pp ff\n0 9\n0 9\n0 9\n"


def write(folder, text, name="spheres.csv"):
    (folder / name).write_text(text)
    return folder / name


def test_columns_of_other_names(tmp_path):
    path = write(tmp_path, f"No,X (mm), y (MM) ,Z (mm),Size\n{ROWS}")
    spheres = abut.read_spheres(path, columns=NAMED, scale=0.5)
    assert spheres.centers.tolist() == [[1, 1.5, 2], [3.5, 4, 4.5]]
    assert spheres.radii.tolist() == [1.25, 2.5]
    assert spheres.ids.tolist() == [1, 6]


def test_what_is_not_named_keeps_its_name(tmp_path):
    path = write(tmp_path, f"id,x,y,z,R\n{ROWS}")
    assert abut.read_spheres(path, columns={"radius": "R"}).radii.tolist() == [5, 10]


def test_a_column_that_is_not_meant_is_passed_over(tmp_path):
    path = write(tmp_path, "x,y,z,radius,d,xcm\n1,2,3,4,10,5\n")
    spheres = abut.read_spheres(path, columns={"x": "xcm", "diameter": "d"})
    assert spheres.centers.tolist() == [[5, 2, 3]]
    assert spheres.radii.tolist() == [5]


@pytest.mark.parametrize("frame", [-1, "all"])
def test_columns_of_a_dump(tmp_path, frame):
    path = write(tmp_path, f"{DUMP}ITEM: ATOMS id x y z c_r\n7 1 2 3 4\n", "run.dump")
    spheres = abut.read_spheres(path, frame, columns={"radius": "c_r"}, scale=10)
    assert spheres.centers.tolist() == [[10, 20, 30]]
    assert spheres.radii.tolist() == [40]


@pytest.mark.parametrize("name", ["a.npy", "a.npz"])
def test_scale_is_that_of_every_format(tmp_path, name):
    if name == "a.npy":
        np.save(tmp_path / name, [[1.0, 2, 3, 4]])
    else:
        np.savez(tmp_path / name, centers=[[1.0, 2, 3]], radii=[4.0])
    spheres = abut.read_spheres(tmp_path / name, scale=2)
    assert spheres.centers.tolist() == [[2, 4, 6]]
    assert spheres.radii.tolist() == [8]
    with pytest.raises(ValueError, match=f"{name}: leave out columns=, which npz"):
        abut.read_spheres(tmp_path / name, columns={"x": "X"})


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"columns": {"x": "X (m)"}}, ValueError, "spheres.csv: there is no column 'x (m)'; the c"),
        ({"columns": {"r": "z"}}, ValueError, "columns has 'r', but its keys must be of x, y, z"),
        ({"columns": {"x": 3}}, TypeError, "columns['x'] is 3, but must be a column's name"),
        ({"columns": ["x"]}, TypeError, "columns is ['x'], but must be a dict such as {'x': 'X"),
        ({"columns": {"x": "z", "y": "Z"}}, ValueError, "columns has z twice: x and y"),
        ({"columns": {"radius": "z", "diameter": "id"}}, ValueError, "a radius and a diameter"),
        ({"scale": 0}, ValueError, "scale is 0.0, but must be positive and finite"),
        ({"scale": np.nan}, ValueError, "scale is nan"),
        ({"scale": 1e308}, ValueError, "spheres.csv: multiplied by 1e+308, row 0: x is inf"),
    ],
)
def test_wrong_options_are_errors(tmp_path, options, error, message):
    path = write(tmp_path, f"id,x,y,z,radius\n{ROWS}")
    with pytest.raises(error, match=re.escape(message)):
        abut.read_spheres(path, **options)


@pytest.mark.parametrize("mark", [";", "\t"])
def test_decimal_commas(tmp_path, mark):
    text = "id;x;y;z;radius\n7;1,5;-0,25;3;1,25e-1\n8;0,5;2.5;3;1\n".replace(";", mark)
    spheres = abut.read_spheres(write(tmp_path, text))
    assert spheres.centers.tolist() == [[1.5, -0.25, 3], [0.5, 2.5, 3]]
    assert spheres.radii.tolist() == [0.125, 1]
    with pytest.raises(ValueError, match=r"line 2: '1\.000,5' is not a finite number"):
        abut.read_spheres(write(tmp_path, text.replace("1,5", "1.000,5")))


def test_commas_between_columns_are_no_decimal_commas(tmp_path):
    path = write(tmp_path, 'x,y,z,radius\n"1,234",0,0,1\n')
    with pytest.raises(ValueError, match="line 2: '1,234' is not a finite number"):
        abut.read_spheres(path)


@pytest.mark.parametrize("name", ["Points:{}", "Points_{}", "points:{}"])
def test_points_of_paraview(tmp_path, name):
    head = ",".join(f'"{name.format(k)}"' for k in range(3))
    path = write(tmp_path, f'"id","radius",{head},"v:0"\n7,0.5,1,2,3,9\n')
    (frame,) = abut.read_frames(path, ["v:0"])
    assert frame.centers.tolist() == [[1, 2, 3]]
    assert (frame.radii.tolist(), frame.columns["v:0"].tolist()) == ([0.5], [9])
    with pytest.raises(ValueError, match="no column x or y or z; the columns are id, radius"):
        abut.read_spheres(write(tmp_path, f"id,radius,{name.format(0)}\n7,1,2\n"))


# ---- the same options of frames ------------------------------------------------------------------


def test_frames_have_the_same_options(tmp_path):
    head = DUMP
    rows = "ITEM: ATOMS num xx y z size vx\n7 1 2 3 4 5\n3 6 7 8 2 9\n"
    path = write(tmp_path, head.replace("ATOMS\n1", "ATOMS\n2") + rows, "run.dump")
    called = {"x": "xx", "id": "num", "diameter": "size"}
    spheres = abut.read_spheres(path, columns=called, scale=2)
    frames = abut.read_frames(path, {**called, "speed": "vx", "size": "size"}, scale=2)
    for frame in (frames[0], next(iter(frames)), pickle.loads(pickle.dumps(frames))[0]):
        assert (frame.centers == spheres.centers).all()
        assert frame.centers.tolist() == [[2, 4, 6], [12, 14, 16]]
        assert frame.radii.tolist() == spheres.radii.tolist() == [4, 2]
        assert frame.ids.tolist() == [7, 3]
        columns = {name: column.tolist() for name, column in frame.columns.items()}
        assert columns == {"speed": [5, 9], "size": [4, 2]}
    inch = abut.read_frames(path, {**called, "speed": "vx"}, scale=2)[0].sorted()
    assert (inch.ids.tolist(), inch.columns["speed"].tolist()) == ([3, 7], [9, 5])
    assert inch.radii.tolist() == [2, 4]


def test_frames_of_csv_and_vtp_files_with_other_names(tmp_path):
    path = write(tmp_path, "ID,X (mm),y,z,Speed\n7,1,2,3,4\n")
    called = {"x": "x (MM)", "v": "SPEED"}
    (frame,) = abut.read_frames(path, called, radius=0.5, scale=2)
    assert frame.centers.tolist() == [[2, 4, 6]]
    assert (frame.radii.tolist(), frame.columns["v"].tolist()) == ([1], [4])
    sim = abut.Simulation(step=1e-3, period=(8, None, None))
    sim.add_spheres([[1, 2, 3]], 0.1, abut.Material(density=1))
    abut.write_frames(tmp_path / "{step}.vtp")(sim)
    (frame,) = abut.read_frames(tmp_path / "0.vtp", {"id": "material"}, radius=3, scale=0.5)
    assert (frame.ids.tolist(), frame.radii.tolist(), frame.period) == ([0], [1.5], (4, None, None))
    assert abut.read_spheres(tmp_path / "0.vtp").radii.tolist() == [0.1]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"columns": {"x": "X (m)"}}, ValueError, "spheres.csv: there is no column 'x (m)'; the c"),
        ({"columns": {"v": 3}}, TypeError, "columns['v'] is 3, but must be a column's name"),
        ({"columns": {3: "x"}}, TypeError, "columns has the key 3, but its keys must be names"),
        ({"columns": {"v": "speed"}}, ValueError, "there is no column speed; the columns are id,"),
        ({"scale": 0}, ValueError, "scale is 0.0, but must be positive and finite"),
        ({"scale": 1e308}, ValueError, "spheres.csv: multiplied by 1e+308, row 0: x is inf"),
        ({"radius": {1: 2}}, ValueError, "spheres.csv: there is no column type; the columns are"),
    ],
)
def test_wrong_options_of_frames_are_errors(tmp_path, options, error, message):
    path = write(tmp_path, f"id,x,y,z,radius\n{ROWS}")
    with pytest.raises(error, match=re.escape(message)):
        _ = abut.read_frames(path, **options)[0]


def test_sorting_needs_ids(tmp_path):
    frame = abut.read_frames(write(tmp_path, "x,y,z,radius\n0,0,0,1\n"))[0]
    with pytest.raises(ValueError, match="the frame has no ids: read a file with a column id"):
        frame.sorted()
    with pytest.raises(ValueError, match="leave out a name in columns= for x, y, z"):
        np.save(tmp_path / "a.npy", [[1.0, 2, 3, 4]])
        abut.read_frames(tmp_path / "a.npy", {"x": "X"})


# ---- what may be asked for -----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["run.dump", "a.csv", "a.npz", "a.npy", "0.vtp"])
def test_frames_tell_their_columns(tmp_path, name):
    path = tmp_path / name
    names = ("id", "x", "y", "z", "radius", "Speed (m/s)")
    if name == "run.dump":
        write(tmp_path, f"{DUMP}ITEM: ATOMS id x y z radius vx\n7 1 2 3 4 5\n", name)
        names = (*names[:5], "vx")
    elif name == "a.csv":
        write(tmp_path, ",".join(names) + "\n1,2,3,4,5,6\n", name)
    elif name == "a.npz":
        names = ("centers", "radii", "ids", "speed")
        np.savez(path, centers=[[1.0, 2, 3]], radii=[4.0], ids=[3], speed=[2.0])
    elif name == "a.npy":
        np.save(path, [[1.0, 2, 3, 4]])
        names = ()
    else:
        sim = abut.Simulation(step=1e-3)
        sim.add_spheres([[1, 2, 3]], 0.1, abut.Material(density=1))
        abut.write_frames(tmp_path / "{step}.vtp")(sim)
        names = ("radius", "id", "velocity", "angular_velocity", "force", "torque", "material")
    frames = abut.read_frames(path)
    assert frames.columns == names
    own = {"id", "x", "y", "z", "radius", "centers", "radii", "ids"}
    further = [one for one in names if one not in own]
    assert list(abut.read_frames(path, columns=further)[0].columns) == further


def test_broken_file_tells_no_columns(tmp_path):
    frames = abut.read_frames(write(tmp_path, "no XML", "0.vtp"))
    with pytest.raises(ValueError, match=r"0\.vtp: it is not an XML file"):
        _ = frames.columns


def test_bonds_beside_a_frame_are_no_frame(tmp_path):
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0))
    grain = abut.Material(density=1000, young=1e6)
    sim.set_law(grain, grain, abut.Hertz())
    sim.bond([sim.add_spheres([[0, 0, 0], [0.2, 0, 0]], 0.1, grain)], abut.Bond(1e6, 0.2))
    sim.every(1e-5, abut.write_frames(tmp_path / "{step}.vtp"))
    sim.run(2e-5)
    assert (tmp_path / "2-bonds.vtp").exists()
    frames = abut.read_frames(tmp_path)
    assert [len(frame.radii) for frame in frames] == [2, 2]
