"""Writing frames and dumps: the contents of files and lists, and appending to them."""

import re
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest

import abut

MESH = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
LID = abut.Mesh([[0, 0, 1], [1, 0, 1], [0, 1, 1]], [[0, 1, 2]])


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def wall(mesh, shift, number=0):
    pose = np.eye(4)
    pose[:3, :3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    pose[:3, 3] = shift
    count = 1 if isinstance(mesh, abut.HalfSpace) else len(mesh.vertices)
    forces = np.arange(3.0 * count).reshape(-1, 3)
    return SimpleNamespace(mesh=mesh, pose=pose, nodal_forces=forces, number=number)


def simulation(step=100, count=5, period=None, walls=(), seed=0):
    """Return a simulation for writing frames, with numbers of 17 digits."""
    rng = np.random.default_rng(seed + step)
    centers, radii = rng.random((count, 3)), rng.uniform(0.1, 0.3, count)
    vectors = ("velocities", "angular_velocities", "forces", "torques")
    return SimpleNamespace(
        ids=np.arange(count) * 3 + 7,
        centers=centers,
        radii=radii,
        material=np.arange(count) % 2,
        step_count=step,
        time=step * 1e-4,
        period=period,
        deformation=np.eye(3),
        walls=walls,
        shapes=(),
        bodies=SimpleNamespace(
            numbers=np.empty(0, np.intp),
            shape=np.empty(0, np.intp),
            centers=np.empty((0, 3)),
            scales=np.empty(0),
        ),
        bonds=(),
        contacts=abut.ContactFinder(MESH).find(centers, radii),
        pairs=abut.find_pairs(centers, radii),
        **{name: rng.standard_normal((count, 3)) for name in vectors},
    )


def listed(path):
    """Return the (time, file) entries of a list, and check that the files exist."""
    found = [
        (float(entry.attrib["timestep"]), entry.attrib["file"])
        for entry in ElementTree.parse(path).getroot().iter("DataSet")
    ]
    assert all((Path(path).parent / file).exists() for _, file in found)
    return found


def arrays(path):
    """Return the arrays of a vtp file by their names."""
    head, _, tail = Path(path).read_bytes().partition(b'<AppendedData encoding="raw">\n_')
    types = {"Float64": np.float64, "Int64": np.int64, "UInt8": np.uint8}
    found = {}
    for item in ElementTree.fromstring(head + b"</VTKFile>").iter("DataArray"):
        offset, width = int(item.attrib["offset"]), int(item.get("NumberOfComponents", 1))
        size = int(np.frombuffer(tail, "<u8", 1, offset)[0])
        data = np.frombuffer(tail[offset + 8 : offset + 8 + size], types[item.attrib["type"]])
        found[item.attrib["Name"]] = data.reshape(-1, width) if width > 1 else data
    return found


# ---- vtp -----------------------------------------------------------------------------------------


def test_spheres_in_vtp():
    sim = simulation()
    abut.write_frames("out/{step:08d}.vtp")(sim)
    found = arrays("out/00000100.vtp")
    named = {
        "Points": sim.centers,
        "radius": sim.radii,
        "id": sim.ids,
        "velocity": sim.velocities,
        "angular_velocity": sim.angular_velocities,
        "force": sim.forces,
        "torque": sim.torques,
        "material": sim.material,
    }
    for name, column in named.items():
        np.testing.assert_array_equal(found[name], column)
    assert listed("out.pvd") == [(0.01, "out/00000100.vtp")]
    assert sorted(map(str, Path().rglob("*.*"))) == ["out.pvd", "out/00000100.vtp"]


def test_contacts_pairs_and_walls_are_files_of_their_own():
    sim = simulation(walls=(wall(MESH, (1, 2, 3)), wall(LID, (0, 0, 5), 1)))
    abut.write_frames("out/{step}.vtp", contacts=True)(sim)
    np.testing.assert_array_equal(arrays("out/100-contacts.vtp")["Points"], sim.contacts.point)
    np.testing.assert_array_equal(arrays("out/100-pairs.vtp")["j"], sim.pairs.j)
    found = arrays("out/100-walls.vtp")
    places = [[1, 2, 3], [1, 3, 3], [0, 3, 3], [0, 2, 3], [0, 0, 6], [0, 1, 6], [-1, 0, 6]]
    np.testing.assert_allclose(found["Points"], places, atol=1e-15)
    assert found["connectivity"].tolist() == [0, 1, 2, 3, 4, 5, 6]
    assert found["offsets"].tolist() == [4, 7]
    assert found["wall"].tolist() == [0, 1]
    assert found["force"][:, 0].tolist() == [0, 3, 6, 9, 0, 3, 6]
    for part in ("", "-contacts", "-pairs", "-walls"):
        assert listed(f"out{part}.pvd") == [(0.01, f"out/100{part}.vtp")]


# ---- lists ---------------------------------------------------------------------------------------


def test_the_list_is_whole_after_each_frame():
    write = abut.write_frames("a/b/{step:04d}.vtp")
    for k in range(1, 6):
        write(simulation(step=k * 10))
        assert listed("a/b.pvd") == [
            (n * 10 * 1e-4, f"b/{n * 10:04d}.vtp") for n in range(1, k + 1)
        ]


def test_a_frame_that_is_written_twice_is_listed_once():
    write = abut.write_frames("out/{step}.vtp")
    write(simulation(step=10))
    write(simulation(step=10, seed=5))
    assert listed("out.pvd") == [(0.001, "out/10.vtp")]
    np.testing.assert_array_equal(arrays("out/10.vtp")["Points"], simulation(10, seed=5).centers)


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("out/{step}.vtp", "out.pvd"),
        ("a/out/{time:.3f}_{step}.vtp", "a/out.pvd"),
        ("out/run_{step}.vtp", "out/run.pvd"),
        ("run-{step}.vtp", "run.pvd"),
        ("{step}.vtp", "frames.pvd"),
        ("./{step}.vtp", "frames.pvd"),
        ("{step}/spheres.vtp", "frames.pvd"),
        ("out/step.{step}.vtp", "out/step.pvd"),
        ("out_{step}/spheres.vtp", "out.pvd"),
        ("out/_{step}.vtp", "out.pvd"),
        (Path("out", "{step}.VTP"), "out.pvd"),
    ],
)
def test_names_of_lists(path, name):
    abut.write_frames(path)(simulation())
    assert [str(found) for found in Path().rglob("*.pvd")] == [name]
    assert len(listed(name)) == 1


def run(steps, **options):
    write = abut.write_frames("out/{step}.vtp", **options)
    for step in steps:
        write(simulation(step=step))
    return [file for _, file in listed("out.pvd")]


def test_a_new_run_begins_a_new_list():
    run([10, 20, 30])
    assert run([20]) == ["out/20.vtp"]
    assert Path("out/30.vtp").exists()  # still exists, but is no longer listed


def test_a_run_that_goes_on_keeps_what_was_before():
    run([10, 20, 30])
    kept = ["out/10.vtp", "out/20.vtp", "out/25.vtp", "out/26.vtp"]
    assert run([25, 26], append=True) == kept
    assert run([40], append=True) == [*kept, "out/40.vtp"]


# ---- npz -----------------------------------------------------------------------------------------


def test_npz():
    sim = simulation(walls=(wall(MESH, (1, 2, 3)),))
    abut.write_frames("out/{step:04d}.npz", contacts=True)(sim)
    with np.load("out/0100.npz") as found:
        for name in ("centers", "radii", "ids", "velocities", "angular_velocities", "forces"):
            np.testing.assert_array_equal(found[name], getattr(sim, name))
        assert (found["time"], found["step_count"]) == (0.01, 100)
        np.testing.assert_array_equal(found["poses"], [sim.walls[0].pose])
    spheres = abut.read_spheres("out/0100.npz")
    np.testing.assert_array_equal(spheres.ids, sim.ids)
    assert abut.load_contacts("out/0100-contacts.npz") == sim.contacts
    assert abut.load_pairs("out/0100-pairs.npz") == sim.pairs
    assert not list(Path().rglob("*.pvd"))


# ---- paths ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("out.vtp", "has neither {step} nor {time} in it"),
        ("{step}.csv", "ends in '.csv', but must end in .vtp or .npz"),
        ("out/{step}", "ends in 'nothing'"),
        ("{frame}.vtp", "has a field other than {step} and {time}"),
        ("{}.vtp", "has a field other"),
        ("{step.real.x}.vtp", "has a field other"),
        ("{step:q}.vtp", "Unknown format code"),
        ("{step.vtp", "expected '}'"),
    ],
)
def test_paths_that_name_no_frame(path, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        abut.write_frames(path)


@pytest.mark.parametrize("make", [abut.write_frames, abut.write_dump])
def test_paths_are_text(make):
    with pytest.raises(TypeError):
        make(b"out/{step}.vtp")
    with pytest.raises(TypeError):
        make(3)


def test_a_folder_that_cannot_be_made():
    Path("out").touch()
    with pytest.raises(OSError):
        abut.write_frames("out/{step}.vtp")(simulation())


def test_they_show_how_they_were_made():
    assert repr(abut.write_frames("{step}.vtp")) == "write_frames('{step}.vtp')"
    shown = repr(abut.write_frames("{step}.npz", True, walls=False, append=True))
    assert shown == "write_frames('{step}.npz', contacts=True, walls=False, append=True)"
    assert repr(abut.write_dump("a.dump", append=True)) == "write_dump('a.dump', append=True)"


# ---- dumps ---------------------------------------------------------------------------------------


def test_a_dump_is_read_back_to_the_bit():
    write, sims = abut.write_dump("out/run.dump"), [simulation(step=k, count=k) for k in (3, 0, 9)]
    for sim in sims:
        write(sim)
    for frame, sim in enumerate(sims):
        spheres = abut.read_spheres("out/run.dump", frame=frame)
        np.testing.assert_array_equal(spheres.centers, sim.centers.reshape(-1, 3))
        np.testing.assert_array_equal(spheres.radii, sim.radii)
        np.testing.assert_array_equal(spheres.ids, sim.ids)
    assert len(abut.read_spheres("out/run.dump", frame="all").radii) == 12


def test_a_frame_of_a_dump():
    sim = simulation(count=2, period=(2.0, None, 0.5))
    abut.write_dump("run.dump", origin=(-1, 7, 0.25))(sim)
    lines = Path("run.dump").read_text().splitlines()
    # As with LAMMPS' `dump_modify time yes`: readers take the time for the beginning of a frame.
    assert lines[:2] == ["ITEM: TIME", "0.01"]
    assert lines[2:7] == [
        "ITEM: TIMESTEP", "100", "ITEM: NUMBER OF ATOMS", "2", "ITEM: BOX BOUNDS pp ff pp"
    ]  # fmt: skip
    low, high = (sim.centers[:, 1] - sim.radii).min(), (sim.centers[:, 1] + sim.radii).max()
    assert lines[7:10] == ["-1.0 1.0", f"{float(low)} {float(high)}", "0.25 0.75"]
    names = "id type x y z radius vx vy vz omegax omegay omegaz fx fy fz"
    assert lines[10] == f"ITEM: ATOMS {names}"
    columns = [
        sim.ids, sim.material + 1, sim.centers, sim.radii, sim.velocities,
        sim.angular_velocities, sim.forces,
    ]  # fmt: skip
    rows = np.array([[float(word) for word in line.split()] for line in lines[11:]])
    np.testing.assert_array_equal(rows, np.column_stack(columns))
    assert lines[11].split()[:2] == ["7", "1"]


def box_of(path):
    lines = Path(path).read_text().splitlines()
    first = 1 + next(k for k, line in enumerate(lines) if line.startswith("ITEM: BOX BOUNDS"))
    return [[float(word) for word in line.split()] for line in lines[first : first + 3]]


def test_the_box_of_a_dump_holds_spheres_and_walls():
    plane, slope = abut.HalfSpace((5, 5, -2), (0, 0, -3)), abut.HalfSpace((9, 9, 9), (1, 1, 0))
    walls = [wall(LID, (-3, 0.25, 0)), wall(plane, (0, 0, -1)), wall(slope, (0, 0, 0))]
    sim = simulation(count=1, walls=walls)
    (center,), (radius,) = sim.centers, sim.radii
    abut.write_dump("run.dump")(sim)
    # wall() turns by a quarter about z, so LID is from -1 to 0 along x and from 0 to 1 along y.
    assert box_of("run.dump") == [
        [-4, center[0] + radius],
        [min(0.25, center[1] - radius), max(1.25, center[1] + radius)],
        [-3, 1],
    ]
    abut.write_dump("walls.dump")(simulation(count=0, walls=walls[1:2]))
    assert box_of("walls.dump") == [[0, 0], [0, 0], [-3, -3]]
    abut.write_dump("all.dump", origin=(1, 2, 3))(simulation(walls=walls, period=(2, 2, 2)))
    assert box_of("all.dump") == [[1, 3], [2, 4], [3, 5]]


def steps_of(path):
    words = Path(path).read_text().split("ITEM: TIMESTEP\n")[1:]
    return [int(word.split("\n")[0]) for word in words]


def run_dump(steps, path="run.dump", **options):
    write = abut.write_dump(path, **options)
    for step in steps:
        write(simulation(step=step))
    return steps_of(path) if Path(path).exists() else None


def test_a_run_that_goes_on_cuts_off_what_comes_again():
    run_dump([10, 20, 30, 40])
    assert run_dump([30, 50], append=True) == [10, 20, 30, 50]
    assert run_dump([60], append=True) == [10, 20, 30, 50, 60]
    assert run_dump([5], append=True) == [5]
    np.testing.assert_array_equal(abut.read_spheres("run.dump").centers, simulation(5).centers)


@pytest.mark.parametrize("head", ["", "ITEM: UNITS\nsi\n", "ITEM: UNITS\nsi\nITEM: TIME\n0.2\n"])
def test_dumps_of_others_go_on(head):
    """A frame begins before its time and units, if it has them."""
    rows = "ITEM: NUMBER OF ATOMS\n1\nITEM: ATOMS id x y z radius\n1 0 0 0 1\n"
    Path("run.dump").write_text("".join(f"{head}ITEM: TIMESTEP\n{k}\n{rows}" for k in (10, 20)))
    assert run_dump([20, 30], append=True) == [10, 20, 30]
    assert Path("run.dump").read_text().count("UNITS") == (1 if head else 0)
    frames = abut.read_frames("run.dump")
    assert [(frame.step, frame.time) for frame in frames[1:]] == [(20, 0.002), (30, 0.003)]


@pytest.mark.parametrize(
    "cut", ["ITEM: TIME\n", "ITEM: TIME\n0.0", "ITEM: TIME\n2\nITEM: TIMESTEP\n"]
)
def test_a_head_that_was_cut_off_goes(cut):
    run_dump([10])
    whole = Path("run.dump").read_text()
    Path("run.dump").write_text(whole + cut)
    assert run_dump([30], append=True) == [10, 30]
    assert Path("run.dump").read_text().startswith(whole + "ITEM: TIME\n0.003\n")


def test_only_a_dump_goes_on():
    Path("run.dump").write_text("x,y,z\n")
    with pytest.raises(ValueError, match=r"run\.dump is not a LAMMPS dump"):
        run_dump([10], append=True)
    Path("run.dump").write_text("ITEM: TIMESTEP\nten\n")
    with pytest.raises(ValueError, match="the time step 'ten' is not a number"):
        run_dump([10], append=True)


def test_dumps_hold_no_bodies():
    wood = abut.Material(density=500)
    sim = abut.Simulation(step=1e-3)
    sim.add_bodies(abut.ConvexShape(np.eye(4, 3)), [[0, 0, 0]], wood)
    with pytest.raises(ValueError, match=r"bodies and no spheres.*write_frames"):
        abut.write_dump("run.dump")(sim)
    assert not Path("run.dump").exists()
    # Spheres may be inserted later.
    sim.add_insertion(abut.Insertion([[5, 5, 5], [6, 6, 6]], 0.1, rate=1.0, material=wood))
    abut.write_dump("run.dump")(sim)
    sim.add_spheres([[2, 2, 2]], 0.1, wood)
    abut.write_dump("run.dump")(sim)
    assert len(abut.read_spheres("run.dump").radii) == 1


# ---- a simulation --------------------------------------------------------------------------------


def falling():
    """Return a simulation of two balls that fall on a rising plate."""
    ball, steel = abut.Material(density=1000, young=1e6), abut.Material()
    sim = abut.Simulation(step=1e-4, workers=1)
    for other in (ball, steel):
        sim.set_law(ball, other, abut.Hertz(friction=0.5, restitution=0.5))
    sim.add_wall(MESH, steel, motion=abut.Translating((0, 0, 0.1)))
    sim.add_spheres([[0.5, 0.5, 0.1], [0.5, 0.695, 0.12]], 0.1, ball)
    return sim


def test_frames_of_a_simulation():
    sim = falling()
    sim.every(1e-3, abut.write_frames("out/{step:03d}.vtp", contacts=True))
    sim.every(2e-3, abut.write_dump("run.dump"))
    sim.run(4e-3)
    names = [f"out/{step:03d}.vtp" for step in (10, 20, 30, 40)]
    assert [file for _, file in listed("out.pvd")] == names
    assert [time for time, _ in listed("out-walls.pvd")] == pytest.approx([1e-3, 2e-3, 3e-3, 4e-3])
    assert steps_of("run.dump") == [20, 40]
    np.testing.assert_array_equal(arrays(names[-1])["Points"], sim.centers)
    np.testing.assert_array_equal(abut.read_spheres("run.dump").centers, sim.centers)
    assert len(sim.contacts) > 0 and len(sim.pairs) > 0
    for part, table in (("contacts", sim.contacts), ("pairs", sim.pairs)):
        np.testing.assert_array_equal(arrays(f"out/040-{part}.vtp")["force"], table.force)
    walls = arrays("out/040-walls.vtp")
    np.testing.assert_allclose(walls["Points"][:, 2], 0.1 * sim.time)
    np.testing.assert_allclose(walls["force"].sum(axis=0), sim.walls[0].force)


def test_a_loaded_simulation_goes_on_with_its_lists():
    def write(sim, **options):
        sim.every(1e-3, abut.write_frames("out/{step:03d}.vtp", **options))
        sim.every(1e-3, abut.write_dump("run.dump", **options))

    sim = falling()
    write(sim)
    sim.run(2e-3)
    sim.save("at-20.npz")
    sim.run(2e-3)
    loaded = abut.load_simulation("at-20.npz", meshes=[MESH])
    write(loaded, append=True)
    loaded.run(1e-3)
    assert [file for _, file in listed("out.pvd")] == [f"out/0{step}.vtp" for step in (10, 20, 30)]
    assert steps_of("run.dump") == [10, 20, 30]
