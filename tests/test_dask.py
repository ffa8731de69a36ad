"""Dask's workers make the same table as a plain loop, and no rows are lost."""

import os
import pickle
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import abut

dask = pytest.importorskip("dask")
distributed = pytest.importorskip("distributed")
pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
psutil = pytest.importorskip("psutil")

import abut.dask  # noqa: E402
import scenes  # noqa: E402
from abut.dask import parcels  # noqa: E402
from children import end_group, run_child  # noqa: E402
from pages import blocks  # noqa: E402

HOWTO = Path(__file__).parents[1] / "docs" / "howto" / "dask.md"
CELLS = 12
FRAMES = 23
TYPES = ("facet", "edge", "vertex")
BROKEN = 7


def rough_floor(cells=CELLS, seed=1):
    """Return triangles over a square, each corner a little higher or lower."""
    heights = 0.2 * np.random.default_rng(seed).random((cells + 1, cells + 1))
    vertices, facets = scenes.sheet(cells, heights)
    return abut.Mesh(vertices * [cells, cells, 1], facets)


def spheres(number):
    """Return the spheres of a frame: 0 has none, 1 none that touches, later ones ever more."""
    rng = np.random.default_rng(number)
    centers = rng.uniform(0, CELLS, (20 * number, 3))
    centers[:, 2] = rng.uniform(0, 1, len(centers)) + (50 if number == 1 else 0)
    return centers, rng.uniform(0.3, 0.6, len(centers))


@pytest.fixture(scope="module")
def mesh():
    return rough_floor()


@pytest.fixture
def folder(tmp_path):
    for number in range(FRAMES):
        centers, radii = spheres(number)
        np.savez(tmp_path / f"{number:03d}.npz", centers=centers, radii=radii)
    return tmp_path


@pytest.fixture(scope="module", params=[(1, True), (2, True), (2, False)], ids=str)
def client(request):
    """Return a client with workers of one thread each, in separate processes or not."""
    count, has_processes = request.param
    with cluster(count, processes=has_processes) as workers, distributed.Client(workers) as made:
        yield made


@pytest.fixture
def threads():
    """Use Dask's own threads, without a cluster."""
    with dask.config.set(scheduler="threads", num_workers=2):
        yield


def cluster(count, **options):
    return distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, dashboard_address=":0", **options
    )


def sums(frame, contacts):
    """Return one row for each frame, with an integer, a float and a word."""
    return {
        "count": len(contacts),
        "overlap": float(contacts.overlap.sum()),
        "first": TYPES[contacts.type[0]] if len(contacts) else "none",
    }


def as_series(frame, contacts):
    return pandas.Series(sums(frame, contacts))


def as_table(frame, contacts):
    """Return one row for each contact."""
    return contacts.to_pandas()[["sphere", "facet", "overlap"]]


def as_arrays(frame, contacts):
    return {"sphere": contacts.sphere, "overlap": contacts.overlap, "of": len(frame.radii)}


def none_without_contacts(frame, contacts):
    return sums(frame, contacts) if len(contacts) else None


REDUCTIONS = [sums, as_series, as_table, as_arrays, none_without_contacts]


def plain_loop(folder, mesh, reduce, numbers=range(FRAMES), **options):
    """Return the expected table."""
    finder, rows = abut.ContactFinder(mesh), []
    frames = abut.read_frames(folder)
    for number in numbers:
        frame = frames[number]
        given = reduce(frame, finder.find(frame.centers, frame.radii, **options))
        if given is None:
            continue
        if not isinstance(given, pandas.DataFrame):
            has_arrays = any(isinstance(value, np.ndarray) for value in dict(given).values())
            given = pandas.DataFrame(dict(given), index=None if has_arrays else [0])
        rows.append(given.assign(frame=number))
    table = pandas.concat([table for table in rows if len(table)], ignore_index=True)
    return table[["frame", *(name for name in table if name != "frame")]]


def assert_same(table, expected, **options):
    pandas.testing.assert_frame_equal(table.reset_index(drop=True), expected, **options)


def assert_noted(caught, number, folder):
    path = folder / f"{number:03d}.npz"
    note = f"This was frame {number} of the source, in {path}."
    assert note in caught.value.__notes__


# ---- the same table ------------------------------------------------------------------------------


@pytest.mark.parametrize("reduce", REDUCTIONS)
def test_table_is_that_of_a_plain_loop(reduce, folder, mesh, client):
    table = abut.dask.map_frames(folder, mesh, reduce, client=client, block=4)
    assert table.npartitions == 6
    computed = client.compute(table).result()
    assert_same(computed, plain_loop(folder, mesh, reduce))
    assert table.dtypes.to_dict() == computed.dtypes.to_dict()


@pytest.mark.parametrize("scheduler", ["sync", "threads", "processes"])
def test_table_without_a_client(scheduler, folder, mesh):
    with dask.config.set(scheduler=scheduler, num_workers=2, chunksize=1):
        table = abut.dask.map_frames(folder, mesh, sums)
        assert_same(table.compute(), plain_loop(folder, mesh, sums))


@pytest.mark.parametrize("block", [1, 5, 100])
def test_table_with_any_block(block, folder, mesh, threads):
    table = abut.dask.map_frames(folder, mesh, as_table, block=block)
    assert table.npartitions == -(-FRAMES // block)
    assert_same(table.compute(), plain_loop(folder, mesh, as_table))


def test_pairs(folder, client):
    def coordination(frame, pairs):
        return {"pairs": len(pairs), "overlap": float(pairs.overlap.sum())}

    expected = [
        {"frame": number, **coordination(None, abut.find_pairs(*spheres(number), gap=0.1))}
        for number in range(FRAMES)
    ]
    table = abut.dask.map_pairs(folder, coordination, client=client, gap=0.1)
    assert_same(client.compute(table).result(), pandas.DataFrame(expected))


# ---- periodic frames -----------------------------------------------------------------------------


@pytest.fixture
def periodic(tmp_path):
    """Write a dump of a box that is periodic along x, with a sphere at its border."""
    sim = abut.Simulation(step=1e-3, period=(4.0, None, None))
    grain = abut.Material(density=1000, young=1e6)
    sim.set_law(grain, grain, abut.Hertz(restitution=0.5))
    sim.add_spheres([[3.75, 1, 1], [0.25, 1, 1]], 0.375, grain)
    abut.write_dump(tmp_path / "run.dump")(sim)
    return tmp_path / "run.dump"


def count(frame, table):
    return {"count": len(table)}


def test_period_is_the_frames(periodic, threads):
    pairs = abut.dask.map_pairs(periodic, count)
    assert pairs.compute()["count"].tolist() == [1]
    assert abut.dask.map_pairs(periodic, count, period=None).compute()["count"].tolist() == [0]
    assert abut.dask.map_pairs(periodic, count, period=(4.0, 2.0, 0.7)).compute()["count"][0] > 1


def test_meshes_are_repeated_with_the_frame(periodic, threads):
    beyond = abut.Mesh([[4.0, 0, 0], [4.0, 2, 0], [4.0, 1, 2]], [[0, 1, 2]])
    assert abut.dask.map_frames(periodic, beyond, count).compute()["count"].tolist() == [2]
    alone = abut.dask.map_frames(periodic, beyond, count, period=None)
    assert alone.compute()["count"].tolist() == [1]


def test_frames_of_a_tilted_cell(tmp_path, threads):
    cell = [[4.0, 0, 0], [1.5, 4.0, 0], [0, 0, 4.0]]
    sim = abut.Simulation(step=1e-3, gravity=(0, 0, 0), period=cell)
    # the second sphere touches the first one across the border that the second vector joins
    sim.add_spheres([[2, 0.25, 1], [3.5, 3.75, 1]], 0.375, abut.Material(density=1000))
    abut.write_dump(tmp_path / "tilted.dump")(sim)
    pairs = abut.dask.map_pairs(tmp_path / "tilted.dump", count)
    assert pairs.compute()["count"].tolist() == [1]
    straight = abut.dask.map_pairs(tmp_path / "tilted.dump", count, period=(4, 4, 4))
    assert straight.compute()["count"].tolist() == [0]


@pytest.fixture
def falling(tmp_path):
    """Write a dump with six frames of three spheres that fall on the floor."""
    sim = abut.Simulation(step=1e-3)
    grain = abut.Material(density=1000, young=1e6)
    sim.set_law(grain, grain, abut.Hertz(restitution=0.5))
    sim.add_spheres([[3, 3, 0.7], [5, 5, 1.2], [7, 7, 3]], 0.5, grain)
    sim.every(0.1, abut.write_dump(tmp_path / "run.dump"))
    sim.run(0.6)
    return tmp_path / "run.dump"


def fall(frame, contacts):
    return {"step": frame.step, "speed": frame.columns["vz"].min(), "count": len(contacts)}


def test_frames_of_a_dump(falling, mesh, client):
    frames = abut.read_frames(falling, columns=["vz"])
    options = {"client": client, "block": 2, "columns": ["vz"]}
    table = abut.dask.map_frames(falling, mesh, fall, **options)
    rows = [
        {"frame": k, **fall(frame, abut.find_contacts(frame.centers, frame.radii, mesh))}
        for k, frame in enumerate(frames)
    ]
    assert len(rows) == 6 and any(row["count"] for row in rows)
    assert_same(client.compute(table).result(), pandas.DataFrame(rows))


# ---- delayed frames ------------------------------------------------------------------------------

FORMS = {
    "Spheres": lambda number: abut.Spheres(*spheres(number), None, None),
    "tuple": spheres,
    "list": lambda number: list(spheres(number)),
}


@pytest.mark.parametrize("form", FORMS)
def test_source_may_be_delayed(form, folder, mesh, client):
    made = [dask.delayed(FORMS[form])(number) for number in range(FRAMES)]
    table = abut.dask.map_frames(made, mesh, sums, client=client, block=4)
    assert_same(client.compute(table).result(), plain_loop(folder, mesh, sums))


def test_delayed_frames_that_are_none(mesh, threads):
    with pytest.raises(TypeError, match="a delayed frame is a dict, but must have centers"):
        abut.dask.map_frames([dask.delayed(dict)()], mesh, sums)
    with pytest.raises(TypeError, match=r"source\[1\] is a str, but must be Delayed"):
        abut.dask.map_frames([dask.delayed(spheres)(1), "1.npz"], mesh, sums)
    with pytest.raises(ValueError, match="columns= and on_truncated= are for paths"):
        abut.dask.map_frames([dask.delayed(spheres)(1)], mesh, sums, columns=("vx",))


# ---- columns and dtypes --------------------------------------------------------------------------


def by_number(values):
    """Return a reduction to values of the frame's number, found from its number of spheres."""
    return lambda frame, contacts: values(len(frame.radii) // 20)


@pytest.mark.parametrize(
    "values",
    [
        lambda number: {"a": None if number < 5 else 0.5 * number},
        lambda number: None if number < 5 else {"a": number},
        lambda number: {"a": number if number % 2 else float(number)},
        lambda number: {"a": float(number) if number % 3 else None},
        lambda number: {"a": np.int16(number), "b": np.float32(number)},
        lambda number: {"a": pandas.Timestamp(2026, 1, 1 + number)},
        lambda number: {"b": number, "a": 1} if number % 2 else {"a": 1, "b": number},
        lambda number: pandas.DataFrame({"a": np.arange(number)}),
    ],
)
def test_values_of_any_frame_have_a_place(values, folder, mesh, threads):
    reduce = by_number(values)
    table = abut.dask.map_frames(folder, mesh, reduce, block=4)
    rows = [values(number) for number in range(FRAMES)]
    if isinstance(rows[0], pandas.DataFrame):
        expected = pandas.concat([row.assign(frame=k) for k, row in enumerate(rows)])
        expected = expected[["frame", "a"]].reset_index(drop=True)
    else:
        expected = pandas.DataFrame(
            [{"frame": number, **row} for number, row in enumerate(rows) if row is not None]
        )
    assert_same(table.compute(), expected[list(table.columns)])
    assert table.compute().dtypes.to_dict() == table.dtypes.to_dict()


@pytest.mark.parametrize("block", [1, 6])
@pytest.mark.parametrize(
    "options", [{"meta": {"a": "Int64"}}, {"errors": "skip"}, {}], ids=["meta", "skip", "none"]
)
@pytest.mark.parametrize("lacking", [None, {"a": None}], ids=["no row", "no value"])
def test_large_integers_keep_their_bits_beside_none(lacking, options, block, folder, mesh, threads):
    reduce = by_number(lambda number: lacking if number == 4 else {"a": 2**60 + 1})
    table = abut.dask.map_frames(folder, mesh, reduce, block=block, **options)
    if lacking and not options:  # an int64 cannot hold it
        with pytest.raises(ValueError, match=r"frame 4: 'a' is None, but .* is int64"):
            table.compute()
        return
    numbers = [number for number in range(FRAMES) if lacking or number != 4]
    computed = table.compute()
    assert computed["frame"].tolist() == numbers
    assert computed["a"].isna().tolist() == [number == 4 for number in numbers]
    assert {int(value) for value in computed["a"].dropna()} == {2**60 + 1}


@pytest.mark.parametrize("block", [1, 6])
def test_integers_that_floats_round_are_refused(block, folder, mesh, threads):
    reduce = by_number(lambda number: {"a": 2**60 + 1 if number == 4 else 0.5})
    table = abut.dask.map_frames(folder, mesh, reduce, block=block)
    with pytest.raises(ValueError, match=f"frame 4: 'a' is {2**60 + 1}, but .* is float64"):
        table.compute()


def test_values_that_have_no_place_name_their_frame(folder, mesh, threads):
    reduce = by_number(lambda number: {"a": number if number < 9 else 0.5})
    table = abut.dask.map_frames(folder, mesh, reduce, block=FRAMES)
    message = r"frame 9: 'a' is 0.5, but the table's column is int64, .* meta=\{'a': float\}"
    with pytest.raises(ValueError, match=message) as caught:
        table.compute()
    assert_noted(caught, 9, folder)
    cured = abut.dask.map_frames(folder, mesh, reduce, meta={"a": float}).compute()
    assert cured["a"].tolist() == [*range(9), *[0.5] * (FRAMES - 9)]


@pytest.mark.parametrize(
    ("row", "error", "message"),
    [
        ({"frame": 1}, ValueError, "a column 'frame', but the table has"),
        (0.5, TypeError, "^frame 0: reduce returned a float, but must return"),
        ({"a": [1, 2], "b": [1, 2, 3]}, ValueError, "All arrays must be of the same length"),
        (None, ValueError, r"no frame that was tried has rows .* give meta=.*'force': float"),
    ],
)
def test_what_is_no_row_is_refused_at_once(row, error, message, folder, mesh):
    with pytest.raises(error, match=message):
        abut.dask.map_frames(folder, mesh, lambda frame, contacts: row)


@pytest.mark.parametrize(
    ("row", "has"), [({"a": 1}, "'a'"), ({"a": 1, "b": 1, "c": 1}, "'a', 'b', 'c'"), ({}, None)]
)
def test_columns_stay_those_of_the_first_frame(row, has, folder, mesh, threads):
    reduce = by_number(lambda number: row if number == 11 else {"a": 1, "b": 2})
    table = abut.dask.map_frames(folder, mesh, reduce)
    columns = f"the columns {has}" if has else "no columns"
    message = f"^frame 11: reduce returned {columns}, but the table has the columns 'a', 'b'"
    with pytest.raises(ValueError, match=message) as caught:
        table.compute()
    assert_noted(caught, 11, folder)


@pytest.mark.parametrize(
    "twice",
    [
        pandas.Series([1, 2], index=["a", "a"]),
        pandas.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]),
        pandas.DataFrame(columns=["b", "a", "a"]),
    ],
    ids=["Series", "DataFrame", "empty"],
)
@pytest.mark.parametrize("options", [{"block": 1}, {"block": FRAMES, "meta": {"a": int}}], ids=str)
def test_columns_come_once(twice, options, folder, mesh, threads):
    reduce = by_number(lambda number: twice if number == 4 else {"a": 1})
    message = "frame 4: reduce returned the column 'a' more than once"
    table = abut.dask.map_frames(folder, mesh, reduce, **options)
    with pytest.raises(ValueError, match=f"^{message}"):
        table.compute()
    with pytest.raises(ValueError, match=r"^frame 0: reduce returned the column 'a' more"):
        abut.dask.map_frames(folder, mesh, lambda *_: twice)
    table = abut.dask.map_frames(folder, mesh, reduce, errors="skip", **options)
    with pytest.warns(UserWarning, match=message):
        assert table.compute()["error"].notna().sum() == 1


def test_only_two_frames_are_reduced_before_the_table_is_asked_for(folder, mesh, threads):
    calls = []

    def reduce(frame, contacts):
        calls.append(len(frame.radii))
        return {"a": len(frame.radii)}

    table = abut.dask.map_frames(folder, mesh, reduce)
    assert calls == [0, 20 * (FRAMES // 2)]
    table.compute()
    assert sorted(calls) == sorted([0, 20 * (FRAMES // 2), *range(0, 20 * FRAMES, 20)])


# ---- errors --------------------------------------------------------------------------------------


@pytest.fixture
def broken(folder):
    """Cut off one file of the folder."""
    os.truncate(folder / f"{BROKEN:03d}.npz", 100)
    return folder


def test_a_broken_file_names_itself(broken, mesh, client):
    table = abut.dask.map_frames(broken, mesh, sums, client=client, block=4)
    with pytest.raises(ValueError, match=f"{BROKEN:03d}.npz") as caught:
        client.compute(table).result()
    assert_noted(caught, BROKEN, broken)
    others = client.compute(table.partitions[0]).result()
    assert_same(others, plain_loop(broken, mesh, sums, range(4)))


@pytest.mark.parametrize("reduce", [sums, as_table])
def test_skipping_loses_no_other_rows(reduce, broken, mesh, client):
    table = abut.dask.map_frames(broken, mesh, reduce, client=client, block=4, errors="skip")
    message = f"frame {BROKEN} is skipped: .*{BROKEN:03d}.npz"
    with pytest.warns(UserWarning, match=message) as warned:
        computed = client.compute(table).result()
        wait_for(lambda: len(warned), 30)  # the warning comes from a worker
    failed = computed[computed["error"].notna()]
    assert failed["frame"].tolist() == [BROKEN]
    assert f"{BROKEN:03d}.npz" in failed["error"].item() and "ValueError" in failed["error"].item()
    assert failed.drop(columns=["frame", "error"]).isna().all(axis=None)
    others = computed[computed["error"].isna()].drop(columns="error")
    numbers = [number for number in range(FRAMES) if number != BROKEN]
    assert_same(others, plain_loop(broken, mesh, reduce, numbers), check_dtype=False)
    assert computed["frame"].is_monotonic_increasing
    assert computed.dtypes.to_dict() == table.dtypes.to_dict()


@pytest.mark.parametrize("block", [1, 6])
@pytest.mark.parametrize(
    ("odd", "fault"),
    [
        ({"a": 0.5}, "'a' is 0.5, but the table's column is Int64"),
        ({"a": [1, 0.5]}, "'a' is 0.5, but the table's column is Int64"),
        ({"a": "x"}, "'a' is 'x', but the table's column is Int64"),
        ({"a": 2**70}, f"'a' is {2**70}, but the table's column is Int64"),
        ({"b": 1}, "reduce returned the columns 'b'"),
        (3, "reduce returned an int, but must return a dict"),
    ],
)
def test_rows_without_a_place_are_skipped(odd, fault, block, folder, mesh, threads):
    reduce = by_number(lambda number: odd if number == 9 else {"a": number})
    table = abut.dask.map_frames(folder, mesh, reduce, block=block, errors="skip")
    with pytest.warns(UserWarning, match=f"frame 9 is skipped: .*{fault}"):
        computed = table.compute()
    assert computed["frame"].tolist() == list(range(FRAMES))
    assert computed["error"].notna().tolist() == [number == 9 for number in range(FRAMES)]
    assert fault in computed["error"][computed["frame"] == 9].item()
    expected = [number for number in range(FRAMES) if number != 9]
    assert computed["a"].dropna().tolist() == expected
    assert computed.dtypes.to_dict() == table.dtypes.to_dict()


def test_skipping_goes_on_where_the_first_frame_is_broken(folder, mesh, threads):
    (folder / "000.npz").write_bytes(b"")
    with pytest.raises(ValueError, match=r"000.npz"):
        abut.dask.map_frames(folder, mesh, sums)
    with pytest.warns(UserWarning, match="frame 0 is skipped"):
        table = abut.dask.map_frames(folder, mesh, sums, errors="skip").compute()
    assert table["error"].notna().tolist() == [True] + [False] * (FRAMES - 1)


def test_skipping_everything_tells_why(folder, mesh):
    for path in folder.iterdir():
        path.write_bytes(b"")
    with pytest.raises(ValueError, match="no frame that was tried") as caught:
        abut.dask.map_frames(folder, mesh, sums, errors="skip")
    assert "000.npz" in str(caught.value.__cause__)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"resolutoin": "all"}, TypeError, "'resolutoin' is not an option: .* has resolution"),
        ({"resolution": "best"}, ValueError, "resolution is 'best'"),
        ({"poses": np.eye(3)}, ValueError, "poses has shape"),
        ({"workers": 0}, ValueError, "workers is 0"),
        ({"block": 0}, ValueError, "block is 0, but must be 1 or more"),
        ({"block": 2.5}, TypeError, "block is 2.5, but must be an integer"),
        ({"errors": "ignore"}, ValueError, "errors is 'ignore', but must be 'raise' or 'skip'"),
        ({"client": "tcp://here:1"}, TypeError, "client is a str, but must be a distributed.Cl"),
        ({"meta": 3}, TypeError, "meta is 3, but must be a dict of dtypes"),
    ],
)
@pytest.mark.parametrize("skip", [{}, {"errors": "skip"}])
def test_bad_options_are_refused_at_once(options, error, message, skip, folder, mesh):
    with pytest.raises(error, match=message):
        abut.dask.map_frames(folder, mesh, sums, **{**skip, **options})


def test_other_bad_input_is_refused(folder, mesh, tmp_path):
    with pytest.raises(TypeError, match="reduce is 3, but must be a function"):
        abut.dask.map_frames(folder, mesh, 3)
    with pytest.raises(TypeError, match="'poses' is not an option: find_pairs has gap"):
        abut.dask.map_pairs(folder, count, poses=None)
    with pytest.raises(ValueError, match="source has no frames"):
        abut.dask.map_frames(abut.read_frames(folder)[:0], mesh, sums)
    with pytest.raises(OSError):
        abut.dask.map_frames(tmp_path / "nothing.dump", mesh, sums)


def test_a_cluster_without_workers_is_told_at_once(folder, mesh):
    with cluster(0, processes=False) as workers, distributed.Client(workers) as client:
        start = time.monotonic()
        with pytest.raises(
            RuntimeError, match=r"no workers yet: call client.wait_for_workers\(1\)"
        ):
            abut.dask.map_frames(folder, mesh, sums, client=client)
        assert time.monotonic() - start < 10
        workers.scale(1)
        client.wait_for_workers(1)
        table = abut.dask.map_frames(folder, mesh, sums, client=client)
        assert_same(client.compute(table).result(), plain_loop(folder, mesh, sums))


# ---- meshes of workers ---------------------------------------------------------------------------


def count_rebuilt():
    """Make this process count the meshes that it unpickles."""
    module = sys.modules["abut.search.mesh"]
    rebuild = getattr(module._rebuild, "counted", module._rebuild)

    def counting(*arrays):
        counting.count += 1
        return rebuild(*arrays)

    counting.count, counting.counted = 0, rebuild
    module._rebuild = counting


def rebuilt():
    return sys.modules["abut.search.mesh"]._rebuild.count


def prepare_counting():
    import abut.dask  # noqa: F401

    count_rebuilt()


def test_a_large_mesh_is_scattered_once(folder):
    large = rough_floor(cells=500)
    assert len(large) == 500_000
    with cluster(2, processes=True) as workers, distributed.Client(workers) as client:
        client.run(prepare_counting)
        tables = [
            abut.dask.map_frames(folder, mesh, sums, block=2)
            for mesh in (large, pickle.loads(pickle.dumps(large)))
        ]
        assert tables[0].npartitions == 12
        computed = [table.compute() for table in tables]
        assert list(client.run(rebuilt).values()) == [1, 1]
        held = [key for key in client.futures if key.startswith("abut-meshes")]
        assert len(held) == 1
        sizes = client.run(lambda dask_worker: dask_worker.data.fast.total_weight)
        assert max(sizes.values()) > 500_000 * 128  # Dask may give copies back
    expected = plain_loop(folder, large, sums)
    for table in computed:
        assert_same(table, expected)


@pytest.mark.parametrize("protocol", range(2, 6))
def test_parcels_are_equal_where_their_meshes_are(protocol, mesh):
    parcel = parcels.Parcel((mesh, mesh.scaled(2)))
    again = pickle.loads(pickle.dumps(pickle.loads(pickle.dumps(parcel, protocol)), protocol))
    assert again == parcel and hash(again) == hash(parcel) and again != parcels.Parcel((mesh,))
    assert parcels.finder_of(again) is parcels.finder_of(parcel)
    assert [one._content_hash for one in again.meshes()] == [
        one._content_hash for one in parcel.meshes()
    ]


@pytest.mark.parametrize("options", [{}, {"errors": "skip"}, {"meta": {"count": int}, "block": 4}])
def test_meshes_and_their_weights_are_checked_at_once(options, folder, mesh):
    angles = np.arange(5) * 0.4 * np.pi
    corners = np.column_stack([np.cos(angles), np.sin(angles), 0 * angles])
    pentagon = abut.Mesh(corners, [[0, 1, 2, 3, 4]])
    with pytest.raises(ValueError, match="facet 0 of mesh 1 has 5 corners"):
        abut.dask.map_frames(folder, [mesh, pentagon], count, weights="zhong", **options)
    with pytest.raises(TypeError, match=r"meshes\[1\]: "):
        abut.dask.map_frames(folder, [mesh, "floor.stl"], count, **options)
    with pytest.raises(ValueError, match="the sequence of meshes is empty"):
        abut.dask.map_frames(folder, [], count, **options)


def test_a_source_that_has_changed_is_read_again(folder, mesh, client):
    def ask():
        table = abut.dask.map_frames(folder, mesh, sums, client=client, block=4)
        return client.persist(table)

    first = ask()
    assert_same(client.compute(first).result(), plain_loop(folder, mesh, sums))
    np.savez(folder / "003.npz", centers=[[1, 1, 0.2]], radii=[0.5])
    assert_same(client.compute(ask()).result(), plain_loop(folder, mesh, sums))
    assert len(first)


# ---- Ctrl-C --------------------------------------------------------------------------------------

SCRIPT = """
import sys, time
import dask, numpy as np
import abut, abut.dask

def slow(frame, contacts):
    open(sys.argv[2], "a").write("x")
    time.sleep(10)
    return {{"count": len(contacts)}}

def main():
    square = abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]])
    options = {{"meta": {{"count": int}}, "block": 1}}
    {begin}

if __name__ == "__main__":
    main()
"""
CLUSTER = """from distributed import Client, LocalCluster
    cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=":0")
    client = Client(cluster)
    abut.dask.map_frames(sys.argv[1], square, slow, **options).compute()"""
PROCESSES = """dask.config.set(scheduler="processes", num_workers=2, chunksize=1)
    abut.dask.map_frames(sys.argv[1], square, slow, **options).compute()"""


@pytest.mark.parametrize("begin", [CLUSTER, PROCESSES], ids=["cluster", "processes"])
@pytest.mark.parametrize("whole_group", [True, False], ids=["terminal", "kill"])
def test_ctrl_c_leaves_no_workers(begin, whole_group, folder, tmp_path_factory):
    work = tmp_path_factory.mktemp("script")
    script, started = work / "script.py", work / "started"
    script.write_text(SCRIPT.format(begin=begin))
    command = [sys.executable, str(script), str(folder), str(started)]
    with open(work / "output", "wb") as output:
        run = subprocess.Popen(command, start_new_session=True, stdout=output, stderr=output)
    try:
        wait_for(lambda: started.exists() and len(started.read_text()) >= 2, 60)
        family = psutil.Process(run.pid).children(recursive=True)
        assert len(family) >= 2
        # A terminal signals all processes of the group, kill -INT only the first one.
        (os.killpg if whole_group else os.kill)(run.pid, signal.SIGINT)
        assert run.wait(timeout=90) != 0
        wait_for(lambda: not any(map(is_alive, family)), 30)
    finally:
        end_group(run)
        run.wait()
    assert "KeyboardInterrupt" in (work / "output").read_text()


def is_alive(process):
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE


def wait_for(condition, seconds):
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.05)


# ---- how-to page ---------------------------------------------------------------------------------


def test_howto_is_a_script(falling, tmp_path):
    """The page's second block runs as a separate program, which each worker imports."""
    (_, (code, _), *_) = blocks("python", HOWTO.read_text(encoding="utf-8"))
    (tmp_path / "script.py").write_text(code)
    abut.Mesh([[0, 0, 0], [9, 0, 0], [0, 9, 0]], [[0, 1, 2]]).save(tmp_path / "drum.vtp")
    command = [sys.executable, "script.py"]
    run = run_child(command, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    steps = list(range(100, 700, 100))
    assert run.stdout == f"['frame', 'step', 'contacts', 'overlap'] {steps}\n"


# ---- without Dask --------------------------------------------------------------------------------


@pytest.mark.parametrize("missing", ["dask", "pandas", "pyarrow"])
def test_import_names_the_extra(missing):
    code = (
        f"import sys; sys.modules[{missing!r}] = None\n"
        "import abut\n"
        "try: import abut.dask\n"
        "except ImportError as error: print(error)"
    )
    run = run_child([sys.executable, "-c", code])
    assert run.stdout.strip() == f"this needs {missing}: pip install 'abut[dask]'"
