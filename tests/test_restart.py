"""Files from which simulations go on: the same bits, and errors for files that are damaged."""

import json
import warnings

import numpy as np
import pytest

import abut
from abut.simulation import saving
from abut.simulation.restart_file import FORMAT
from scenes_simulation import GRAIN, STEP, box, busy, floor, plate, state

pytestmark = pytest.mark.native

TURNING = abut.Rotating(axis=(0, 0, 1), origin=(0.5, 0.5, 0), rate=5.0)


def turning(time):
    return TURNING.pose(time), TURNING.twist(time)


def meshes_of(sim):
    return [wall.mesh for wall in sim.walls]


@pytest.mark.parametrize("steps", [3, 4, 5, 6, 9, 20, 36, 37, 100, 132])
def test_an_insertion_that_waits_goes_on_with_the_same_bits(steps, tmp_path):
    def run_on(sim, steps):
        for _ in range(steps):
            if sim.step_count % 60 == 0:
                sim.remove_spheres(sim.ids)
            sim.run(steps=1)

    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    sim.add_insertion(abut.Insertion([[0, 0, 0], [0.2, 0.2, 0.2]], (0.08, 0.1), 250, GRAIN))
    run_on(sim, steps)
    sim.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz")
    for one in (sim, again):
        run_on(one, 200 - steps)
    assert state(again) == state(sim) and sim._known.feeds[0].state.inserted > 2


def test_an_insertion_that_waits_since_later_is_an_error(tmp_path):
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0))
    sim.add_insertion(abut.Insertion([[0, 0, 0], [0.2, 0.2, 0.2]], 0.09, 250, GRAIN))
    sim.run(steps=20)
    sim.save(tmp_path / "a.npz")
    arrays = dict(np.load(tmp_path / "a.npz"))
    setup = json.loads(arrays["setup"].tobytes())
    assert setup["feeds"][0]["full_since"] == 8
    setup["feeds"][0]["full_since"] = 21
    arrays["setup"] = np.frombuffer(json.dumps(setup).encode(), np.uint8)
    np.savez(tmp_path / "b.npz", **arrays)
    with pytest.raises(ValueError, match="an insertion waits since step 21"):
        abut.load_simulation(tmp_path / "b.npz")


def crowd(count=4200):
    """Enough unsorted spheres to be sorted; each touches some others."""
    rng = np.random.default_rng(3)
    sim = abut.Simulation(step=1e-5, period=(16.0, 16.0, None))
    sim.set_law(GRAIN, GRAIN, abut.Hertz(friction=0.5, restitution=0.5))
    places = np.array(np.unravel_index(rng.permutation(16 * 16 * 17)[:count], (16, 16, 17))).T + 0.5
    velocities = rng.normal(0, 1, (count, 3))
    sim.add_spheres(places, rng.uniform(0.5, 0.505, count), GRAIN, velocities=velocities)
    return sim


def test_places_in_memory_are_kept(tmp_path):
    """Sums depend on them, and so do the steps in which spheres are sorted."""
    path, whole = tmp_path / "simulation.npz", crowd()
    whole.run(steps=20)
    whole.remove_spheres(whole.ids[::50])
    whole.save(path)
    again, copied = abut.load_simulation(path), whole.copy()
    with np.load(path) as file:
        order = file["spheres.order"]
    assert (np.sort(order) == np.arange(len(order))).all() and (np.diff(order) < 0).any()
    for sim in (whole, again, copied):
        sim.run(steps=20)
    assert len(whole.pairs) > 4000 and state(again) == state(whole) == state(copied)


@pytest.mark.parametrize("wrong", [-1, 7, 4200])
def test_wrong_places_are_an_error(wrong, tmp_path):
    """The numbers are invalid or repeated."""
    path, sim = tmp_path / "simulation.npz", crowd()
    sim.run(steps=1)
    sim.save(path)
    with np.load(path) as file:
        arrays = {**file}
    arrays["spheres.order"][np.flatnonzero(arrays["spheres.order"] != 7)[5]] = wrong
    np.savez(path, **arrays)
    with pytest.raises(ValueError, match=rf"spheres.order\[\d+\] is {wrong}, but must be one of"):
        abut.load_simulation(path)


def test_saved_again_is_the_same(tmp_path):
    sim = busy()
    sim.run(steps=300)
    sim.save(tmp_path / "a.npz")
    abut.load_simulation(tmp_path / "a.npz", meshes_of(sim)).save(tmp_path / "b.npz")
    first, second = (dict(np.load(tmp_path / f"{name}.npz")) for name in "ab")
    assert first.keys() == second.keys()
    for name, array in first.items():
        assert array.tobytes() == second[name].tobytes(), name


def test_new_things_get_new_numbers(tmp_path):
    sim = busy()
    sim.run(steps=100)
    sim.remove_spheres(sim.ids[-1:])
    sim.remove_clusters([1])
    sim.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz", meshes_of(sim))
    rod = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], 0.1)
    for one in (sim, again):
        one.add_spheres([[5, 5, 5]], 0.1, GRAIN)
        assert one.add_clusters(rod, [[7, 7, 7]], GRAIN).tolist() == [2]
    assert (again.ids == sim.ids).all() and len(np.unique(sim.ids)) == len(sim.ids)
    # clusters with a sphere between them
    sim.save(tmp_path / "b.npz")
    again = abut.load_simulation(tmp_path / "b.npz", meshes_of(sim))
    for one in (sim, again):
        one.run(steps=3)
    assert state(again) == state(sim)


def test_before_the_first_step(tmp_path):
    sim, whole = busy(), busy()
    sim.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz", meshes_of(sim))
    again.run(steps=200)
    whole.run(steps=200)
    assert state(again) == state(whole)
    abut.Simulation(step=1.0).save(tmp_path / "b.npz")
    assert len(abut.load_simulation(tmp_path / "b.npz").ids) == 0


def test_saved_on_the_way(tmp_path):
    sim = busy()
    sim.every(50 * STEP, lambda s: s.save(tmp_path / f"{s.step_count}.npz"))
    sim.run(steps=150)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["100.npz", "150.npz", "50.npz"]
    again = abut.load_simulation(tmp_path / "50.npz", meshes_of(sim))
    again.run(steps=100)
    assert state(again) == state(sim)


# ---- what a file does not hold -------------------------------------------------------------------


def test_callables_are_given_again(tmp_path):
    def wind(sim):
        return 0.3 * ([1.0, 0, 0] - sim.velocities)

    sim = busy(motion=turning)
    sim.add_force(wind)
    sim.run(steps=200)
    sim.save(tmp_path / "a.npz")
    meshes = meshes_of(sim)
    again = abut.load_simulation(tmp_path / "a.npz", meshes, [wind], {1: turning})
    assert again.walls[1].motion is turning
    sim.run(steps=200)
    again.run(steps=200)
    assert state(again) == state(sim)
    with pytest.raises(ValueError, match=r"a callable moved wall 1: pass motions=\{1: ...\}"):
        abut.load_simulation(tmp_path / "a.npz", meshes, [wind])
    with pytest.raises(ValueError, match="motions names wall 0, which no callable moved"):
        abut.load_simulation(tmp_path / "a.npz", meshes, [wind], {0: turning, 1: turning})
    with pytest.raises(TypeError, match="motion is 'round'"):
        abut.load_simulation(tmp_path / "a.npz", meshes, [wind], {1: "round"})
    with pytest.raises(TypeError, match="motions is a list, but must be a dict"):
        abut.load_simulation(tmp_path / "a.npz", meshes, [wind], [turning])
    with pytest.raises(TypeError, match="deform is a list, but must be a dict"):
        abut.load_simulation(tmp_path / "a.npz", meshes, [wind], deform=[turning])
    with pytest.warns(abut.SimulationWarning, match="saved with 1 force, but forces= has 0"):
        abut.load_simulation(tmp_path / "a.npz", meshes, motions={1: turning})


def test_what_is_registered_anew_counts_as_before(tmp_path):
    sim = busy()
    sim.run(steps=50)
    sim.save(tmp_path / "a.npz")
    again, seen = abut.load_simulation(tmp_path / "a.npz", meshes_of(sim)), []
    again.every(25 * STEP, lambda s: seen.append(s.step_count))
    again.run(steps=50)
    assert seen == [75, 100]


def test_other_meshes_are_an_error(tmp_path):
    sim = busy()
    sim.save(tmp_path / "a.npz")
    wrong = {
        r"it has 2 walls with a mesh, but 0 meshes are given": (),
        r"it has 2 walls with a mesh, but 1 mesh is given": box(),
        r"meshes\[0\] is not the mesh that wall 0": [plate(), box()],
        r"meshes\[1\] is not the mesh that wall 1": [box(), plate(0.5 + 1e-15)],
    }
    for message, meshes in wrong.items():
        with pytest.raises(ValueError, match=f"a.npz: {message}"):
            abut.load_simulation(tmp_path / "a.npz", meshes)
    with pytest.raises(TypeError, match=r"meshes\[1\] is a str"):
        abut.load_simulation(tmp_path / "a.npz", [box(), "plate"])
    abut.load_simulation(tmp_path / "a.npz", (box(), plate()))


# ---- files ---------------------------------------------------------------------------------------


def test_wrong_ending_and_missing_file(tmp_path):
    sim = abut.Simulation(step=1.0)
    with pytest.raises(ValueError, match=r"a.txt must end in .npz"):
        sim.save(tmp_path / "a.txt")
    with pytest.raises(FileNotFoundError):
        sim.save(tmp_path / "nowhere" / "a.npz")
    with pytest.raises(FileNotFoundError):
        abut.load_simulation(tmp_path / "a.npz")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A file, and the meshes that it needs."""
    path = tmp_path_factory.mktemp("saved") / "a.npz"
    sim = busy()
    sim.run(steps=600)
    assert len(sim.contacts) and len(sim.pairs)
    sim.save(path)
    return path, meshes_of(sim)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("contacts.mesh", lambda rows: rows + 1, "mesh"),
        ("spheres.centers", lambda rows: rows * np.nan, "spheres.centers is not finite"),
        ("spheres.radii", lambda rows: rows[1:], "spheres.radii has shape"),
    ],
)
def test_what_could_not_be_read_again_is_not_written(
    saved, tmp_path, monkeypatch, name, change, message
):
    sim = abut.load_simulation(*saved)
    path = tmp_path / "kept.npz"
    sim.save(path)
    before, arrays_of = path.read_bytes(), saving.arrays_of

    def wrong_arrays(simulation):
        arrays = arrays_of(simulation)
        return arrays | {name: change(arrays[name])}

    monkeypatch.setattr(saving, "arrays_of", wrong_arrays)
    with pytest.raises(RuntimeError, match=f"kept.npz was not written, .*{message}"):
        sim.save(path)
    assert path.read_bytes() == before
    assert [one.name for one in tmp_path.iterdir()] == ["kept.npz"]


def test_truncated_file(saved, tmp_path):
    path, meshes = saved
    whole = path.read_bytes()
    for length in [0, 1, 100, len(whole) // 3, len(whole) // 2, len(whole) - 30, len(whole) - 1]:
        (tmp_path / "cut.npz").write_bytes(whole[:length])
        with pytest.raises(ValueError, match=r"cut.npz.*not a valid npz file"):
            abut.load_simulation(tmp_path / "cut.npz", meshes)


def test_other_files(saved, tmp_path):
    path, meshes = saved
    abut.find_pairs([[0, 0, 0]], 1.0).save(tmp_path / "pairs.npz")
    with pytest.raises(ValueError, match=r"pairs\.npz: it holds no simulation"):
        abut.load_simulation(tmp_path / "pairs.npz", meshes)
    with pytest.raises(ValueError, match="no contacts"):
        abut.load_contacts(path)


def test_files_of_another_kind_name_their_reader(saved, tmp_path):
    head = "ITEM: TIMESTEP\n0\nITEM: NUMBER OF {}\n1\nITEM: BOX BOUNDS pp pp pp\n" + 3 * "0 1\n"
    atoms = head.format("ATOMS") + "ITEM: ATOMS id x y z radius\n1 0 0 0 1\n"
    local = head.format("ENTRIES") + "ITEM: ENTRIES c_1[1] c_1[2]\n1 2\n"
    (tmp_path / "s.dump").write_text(atoms)
    (tmp_path / "l.dump").write_text(local)
    for load in (abut.load_simulation, abut.load_pairs, abut.load_contacts):
        with pytest.raises(ValueError, match=r"s\.dump: .*not a valid npz .*abut\.read_frames"):
            load(tmp_path / "s.dump")
        with pytest.raises(ValueError, match=r"l\.dump: .*not a valid npz .*abut\.read_pairs"):
            load(tmp_path / "l.dump")
    abut.find_pairs([[0, 0, 0]], 1.0).save(tmp_path / "pairs.npz")
    for read in (abut.read_spheres, lambda path: list(abut.read_frames(path)), abut.read_mesh):
        with pytest.raises(ValueError, match=r"a restart file, which abut\.load_simulation reads"):
            read(saved[0])
        with pytest.raises(ValueError, match=r"holds pairs, which abut\.load_pairs reads"):
            read(tmp_path / "pairs.npz")
    np.savez(tmp_path / "spheres.npz", centers=np.zeros((1, 3)), radii=1.0)
    with pytest.raises(ValueError, match=r"holds spheres, which abut\.read_spheres and"):
        abut.load_pairs(tmp_path / "spheres.npz")


def test_unknown_keys_are_passed_over(saved, tmp_path):
    path, meshes = saved
    arrays = dict(np.load(path))
    setup = json.loads(arrays["setup"].tobytes()) | {"later": [1, 2]}
    arrays |= {
        "setup": np.frombuffer(json.dumps(setup).encode(), np.uint8),
        "of a later version": np.arange(3),
        "spheres.temperature": np.zeros(7),
    }
    np.savez(tmp_path / "b.npz", **arrays)
    first, second = (abut.load_simulation(p, meshes) for p in (path, tmp_path / "b.npz"))
    assert state(first) == state(second)


@pytest.mark.parametrize("other", [1, FORMAT - 1, FORMAT + 1])
def test_another_format(saved, tmp_path, other):
    path, meshes = saved
    np.savez(tmp_path / "b.npz", **dict(np.load(path)) | {"abut_simulation": other})
    with pytest.raises(ValueError, match=f"has abut_simulation {other}, but .* run the simulation"):
        abut.load_simulation(tmp_path / "b.npz", meshes)


def damages(array):
    """Arrays in its place that no simulation has saved."""
    yield array[:-1] if array.ndim else array.reshape(1)
    yield array[..., None]
    yield np.array(["x"])
    if array.dtype.kind == "f" and array.size:
        spoiled = array.copy()
        spoiled.flat[-1] = np.nan
        yield spoiled
    if array.dtype.kind == "i" and array.size:
        for value in (-7, 2**40):
            spoiled = array.copy()
            spoiled.flat[-1] = value
            yield spoiled


# what any number may be
FREE = {"contacts.facet", "contacts.feature", "contacts.image", "pairs.image", "spheres.images",
        "clusters.images"}  # fmt: skip


def test_damaged_arrays_are_errors_and_nothing_more(saved, tmp_path):
    path, meshes = saved
    arrays = dict(np.load(path))
    for name in arrays:
        for number, damaged in enumerate(damages(arrays[name])):
            np.savez(tmp_path / "b.npz", **arrays | {name: damaged})
            is_number = number >= 3 and arrays[name].dtype.kind == "i"
            if is_number and name in FREE:
                goes_on_or_is_told(tmp_path / "b.npz", meshes)
                continue
            with pytest.raises(ValueError, match=r"b\.npz"):
                abut.load_simulation(tmp_path / "b.npz", meshes)
        np.savez(tmp_path / "b.npz", **{key: a for key, a in arrays.items() if key != name})
        with pytest.raises(ValueError, match=r"it ha|holds no"):
            abut.load_simulation(tmp_path / "b.npz", meshes)


def goes_on_or_is_told(path, meshes):
    try:
        sim = abut.load_simulation(path, meshes)
    except ValueError:
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim.run(steps=3)


SETUPS = [
    ("step", "soon"), ("step", -1.0), ("gravity", [0, 0]), ("period", 5), ("resolution", "none"),
    ("materials", [{"kind": "Wood"}]), ("materials", 3), ("laws", [[0, 9, {}]]), ("laws", [[0]]),
    ("walls", []), ("walls", [{}, {}]), ("walls", None), ("feeds", [{}]), ("feeds", 1),
    ("step_count", None), ("step_count", -5), ("next_id", "x"), ("workers", 0),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), SETUPS)
def test_damaged_setup(saved, tmp_path, name, value):
    path, meshes = saved
    arrays = dict(np.load(path))
    setup = json.loads(arrays["setup"].tobytes())
    for changed in (setup | {name: value}, {key: v for key, v in setup.items() if key != name}):
        text = np.frombuffer(json.dumps(changed).encode(), np.uint8)
        np.savez(tmp_path / "b.npz", **arrays | {"setup": text})
        with pytest.raises(ValueError, match=r"b\.npz"):
            abut.load_simulation(tmp_path / "b.npz", meshes)


def test_setup_that_is_no_json(saved, tmp_path):
    path, meshes = saved
    for text in (b"", b"{", b"[1]", b"\xff\xfe"):
        np.savez(
            tmp_path / "b.npz", **dict(np.load(path)) | {"setup": np.frombuffer(text, np.uint8)}
        )
        with pytest.raises(ValueError, match=r"b\.npz"):
            abut.load_simulation(tmp_path / "b.npz", meshes)


def test_floor_of_a_file_is_the_one_that_was_loaded(saved):
    path, meshes = saved
    again = abut.load_simulation(path, meshes)
    assert again.walls[0].mesh is meshes[0] and again.contacts.meshes == tuple(meshes)
    other = again.add_wall(floor())
    again.run(steps=3)
    assert other.number == 2
