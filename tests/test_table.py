"""Common features of all tables: columns, rows, comparison, copies, files, other libraries."""

import copy
import csv
import inspect
import pickle
import re
import sys

import numpy as np
import pytest

import abut
from test_html import shown

SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]
CORNERS = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
TRIANGLE = abut.Mesh(CORNERS, [[0, 1, 2]])


def places(dimension, size=1.0):
    return size * np.random.default_rng(3).random((12, dimension))


def contacts():
    return abut.find_contacts([*places(3) * [1, 1, 0.1], [9, 9, 9]], 0.2, TRIANGLE)


def stepped():
    """Contacts of a simulation, which have forces."""
    steel = abut.Material(density=7800.0, young=1e7)
    sim = abut.Simulation(step=1e-5)
    sim.set_law(steel, steel, abut.Hertz())
    sim.add_wall(TRIANGLE, steel)
    sim.add_spheres([[0.2, 0.2, 0.0999], [0.5, 0.2, 0.0998]], 0.1, steel)
    sim.run(steps=1)
    return sim.contacts


def pairs():
    return abut.find_pairs(places(3), 0.3, period=(1, None, None))


def disks():
    return abut.find_pairs([[0.0, 0.0], [1.0, 0.0]], 1.0)


def convex():
    return abut.find_convex_contacts(abut.ConvexShape(SQUARE), places(2, 3.0))


def of_given_pairs():
    """Unsorted pairs, which have no offsets."""
    given = [[2, 1], [0, 3], [5, 4]]
    return abut.find_convex_contacts(abut.ConvexShape(SQUARE), places(2, 2.0), pairs=given)


def on_walls():
    finder = abut.ConvexFinder(abut.ConvexShape(CORNERS + [[0, 0, 1]]))
    return finder.find_walls([[0, 0, -0.01], [0.1, 0.2, -0.02]], None, TRIANGLE)


def without_spots():
    shape = abut.ConvexShape(SQUARE)
    return abut.find_convex_contacts(shape, [[0, 0], [0.75, 0]], spots=False)


def entrances():
    finder = abut.ConvexFinder(abut.ConvexShape(SQUARE))
    return finder.entrances([[0, 0], [2, 0.25], [0, 2]], pairs=[[0, 1], [2, 0]])


MAKERS = [
    contacts, stepped, pairs, disks, convex, of_given_pairs, on_walls, without_spots, entrances
]  # fmt: skip


@pytest.fixture(params=MAKERS, ids=lambda maker: maker.__name__)
def table(request):
    found = request.param()
    assert len(found) > 0
    return found


# ---- columns by their names ----------------------------------------------------------------------


def test_columns_by_their_names(table):
    for name, column in table.to_dict().items():
        assert table[name] is column and column is getattr(table, name)
        assert table[np.str_(name)] is column


def test_names_that_are_no_columns(table):
    kind = type(table).__name__
    with pytest.raises(KeyError, match=f"{kind} has no column 'overlaps': there is 'overlap'"):
        table["overlaps"]
    listed = ", ".join(table.to_dict())
    for name in ("zzz", "to_pandas", "__len__", "_tilt", ""):
        with pytest.raises(KeyError, match=f"no column '{name}'; its columns are {listed}"):
            table[name]


def test_columns_cannot_be_exchanged(table):
    for name, column in table.to_dict().items():
        with pytest.raises(AttributeError):
            setattr(table, name, column)
        with pytest.raises(AttributeError):
            delattr(table, name)
        assert not column.flags.writeable or name not in table._offset_columns, name
    with pytest.raises((AttributeError, TypeError)):
        table.anything = "a new attribute"


# ---- selections ----------------------------------------------------------------------------------


def row_of(table, row):
    """All that a table has in a row, as lists."""
    others = (*table._list_columns, *table._offset_columns)
    columns = table.to_dict()
    found = [columns[name][row].tolist() for name in columns if name not in others]
    for name in table._list_columns:
        if (column := getattr(table, name)) is not None:
            found.append(column[slice(*getattr(table, table._list_offsets)[row:][:2])].tolist())
    return found


def assert_has_rows(part, table, rows):
    assert type(part) is type(table) and len(part) == len(rows)
    assert [row_of(part, k) for k in range(len(part))] == [row_of(table, row) for row in rows]
    whose = getattr(table, table._row_columns[0])[rows]
    assert part.counts.tolist() == np.bincount(whose, minlength=len(table.counts)).tolist()
    assert (part.offsets is None) == (table.offsets is None)
    assert part.offsets is None or np.diff(part.offsets).tolist() == part.counts.tolist()
    assert part._search() == table._search() and not np.shares_memory(part.overlap, table.overlap)
    for name in table._offset_columns:
        assert getattr(part, name) is None or not getattr(part, name).flags.writeable


def test_rows(table):
    every = np.arange(len(table))
    for rows in (slice(None), slice(0), slice(1, 7), slice(None, None, 3), slice(-2, None)):
        assert_has_rows(table[rows], table, every[rows])
    for rows in ([], [0], [*range(1, len(table), 2)]):
        for given in (rows, tuple(rows), np.array(rows, np.uint8)):
            assert_has_rows(table[given], table, rows)
    mask = every % 2 == 0
    for given in (mask, mask.tolist()):
        assert_has_rows(table[given], table, every[mask])
    assert_has_rows(table[mask][1:], table, every[mask][1:])


def test_rows_of_one(table):
    whose = getattr(table, table._row_columns[0])
    for i in range(len(table.counts)):
        assert_has_rows(table.of(np.int16(i)), table, np.flatnonzero(whose == i))


def test_rows_that_there_are_not(table):
    name = table._row
    with pytest.raises(TypeError, match=r"use \w+\[i:i \+ 1\] for one row"):
        table[3]
    with pytest.raises(IndexError, match=f"there is no {name} 1000000"):
        table[[10**6]]
    with pytest.raises(IndexError, match=r"the mask has shape \(99,\)"):
        table[[True] * 99]
    with pytest.raises(ValueError, match=r"indices of .* must increase"):
        table[[0, 0]]
    with pytest.raises(ValueError, match=r"a slice of .* must have a positive step"):
        table[::-1]
    with pytest.raises(IndexError, match=r"there is no \w+ -1: there"):
        table.of(-1)
    with pytest.raises(TypeError, match="not iterable"):
        iter(table)


# ---- comparison and copies -----------------------------------------------------------------------


def test_equality_compares_all_columns(table):
    for name in (*table._row_columns, *table._list_columns):
        if getattr(table, name) is not None:
            other = copy.deepcopy(table)
            assert other == table
            getattr(other, name)[-1] += 1
            assert other != table, name
    assert table != 3 and table != table[1:]
    with pytest.raises(TypeError, match="unhashable"):
        hash(table)


def test_shallow_copies_deep_ones_and_pickles(table):
    shallow, deep = copy.copy(table), copy.deepcopy(table)
    for again in (shallow, deep, pickle.loads(pickle.dumps(table))):
        assert again == table and (again.offsets is None) == (table.offsets is None)
        assert again.offsets is None or not again.offsets.flags.writeable
        np.testing.assert_equal({**again._search(), "meshes": 0}, {**table._search(), "meshes": 0})
    assert shallow.overlap is table.overlap and not np.shares_memory(deep.overlap, table.overlap)
    if isinstance(table, abut.Contacts):
        assert shallow.meshes is deep.meshes is table.meshes


def test_copy(table):
    before, copied = copy.deepcopy(table), table.copy()
    assert copied == table and type(copied) is type(table)
    for name, column in copied.to_dict().items():
        assert not np.shares_memory(column, table[name])
        if column.flags.writeable:
            column[...] = 1
    assert table == before
    if isinstance(table, abut.Contacts):
        assert copied.meshes is table.meshes


# ---- arrays --------------------------------------------------------------------------------------


def test_a_table_is_no_array(table):
    rows = f"{table._row}s"
    message = rf"is a table, not an array: use a column, such as {rows}\.overlap, .*to_pandas\(\)"
    for convert in (np.asarray, np.array, lambda one: np.asarray(one, float)):
        with pytest.raises(TypeError, match=message):
            convert(table)


def test_a_table_is_no_argument():
    with pytest.raises(TypeError, match="radii: Contacts is a table, not an array"):
        abut.find_contacts([[0, 0, 0]], contacts(), TRIANGLE)


def test_a_table_equals_no_array(table):
    for array in (np.ones(len(table)), table.overlap, np.float64(1)):
        assert (table == array) is False and (array == table) is False
    with pytest.raises(TypeError):
        table.overlap * table


# ---- views and files -----------------------------------------------------------------------------


def test_html_shows_the_first_rows(table):
    head, *rows = shown(table).rows
    assert len(rows) == min(len(table), 5) and "overlap" in head
    assert (f"and {len(table) - 5} more" in table._repr_html_()) == (len(table) > 5)
    assert len(shown(table[:0]).rows) == 1


def test_csv(table, tmp_path):
    table.save(tmp_path / "table.csv")
    with open(tmp_path / "table.csv", newline="") as file:
        head, *rows = csv.reader(file)
    flat = table.to_dict(flat=True)
    assert [name for name in head if name in flat] == head and "overlap" in head
    for name, words in zip(head, zip(*rows, strict=True), strict=True):
        assert [float(word) for word in words] == flat[name].tolist(), name


def test_parquet(table, tmp_path):
    parquet = pytest.importorskip("pyarrow.parquet")
    for part in (table, table[1:], table[:0]):
        part.save(tmp_path / "table.parquet")
        check_arrow(parquet.read_table(tmp_path / "table.parquet"), part)


@pytest.mark.parametrize(
    ("call", "module", "extra"),
    [
        (lambda: contacts().weight_matrix(), "scipy", "scipy"),
        (lambda: pairs().matrix(), "scipy", "scipy"),
        (lambda: convex().to_pandas(), "pandas", "io"),
        (lambda: contacts().to_pyvista(), "pyvista", "view"),
    ],
)
def test_missing_packages_are_named(monkeypatch, call, module, extra):
    hidden = [name for name in sys.modules if name.split(".")[0] == module]
    for name in {*hidden, module}:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(ImportError, match=rf"needs {module}: pip install 'abut\[{extra}\]'"):
        call()


# ---- other libraries -----------------------------------------------------------------------------


def test_flat_dict(table):
    flat, columns = table.to_dict(flat=True), table.to_dict()
    assert {column.shape for column in flat.values()} == {(len(table),)}
    assert flat["overlap"] is table.overlap and not flat.keys() & {*table._offset_columns}
    for name in ("normal", "point"):
        for axis, values in zip("xyz", columns.get(name, np.empty(0)).T, strict=False):
            assert np.array_equal(flat[f"{name}_{axis}"], values)
            assert np.shares_memory(flat[f"{name}_{axis}"], columns[name])


def list_columns(table):
    offsets = None if table._flat_lists() == {} else getattr(table, table._list_offsets)
    return {
        name: [part.tolist() for part in np.split(column, offsets[1:-1])][: len(table)]
        for name, column in table._flat_lists().items()
    }


def check_arrow(found, table):
    """The pyarrow.Table has the columns of the table."""
    lists, flat = list_columns(table), table.to_dict(flat=True)
    assert found.column_names == [*flat, *lists] and found.num_rows == len(table)
    for name, column in flat.items():
        assert found[name].to_numpy().dtype == column.dtype
        np.testing.assert_array_equal(found[name].to_numpy(), column)
    for name, column in lists.items():
        assert found[name].to_pylist() == column


def test_pyarrow(table):
    pyarrow = pytest.importorskip("pyarrow")
    found = pyarrow.table(table)
    check_arrow(found, table)
    assert found.schema.metadata[b"abut_format"] == b"1"
    check_arrow(pyarrow.RecordBatchReader.from_stream(table).read_all(), table)


def test_pyarrow_of_selections_and_of_none(table):
    pyarrow = pytest.importorskip("pyarrow")
    for rows in (slice(1, None), slice(0)):
        check_arrow(pyarrow.table(table[rows]), table[rows])


def test_pyarrow_has_copies(table):
    pyarrow = pytest.importorskip("pyarrow")
    found, before = pyarrow.table(table), table.copy()
    for column in table.to_dict().values():
        if column.flags.writeable:
            column[...] = 7
    check_arrow(found, before)


def test_pandas_from_arrow(table):
    pandas = pytest.importorskip("pandas")
    if not hasattr(pandas.DataFrame, "from_arrow"):
        pytest.skip("pandas < 3")
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame.from_arrow(table)
    pandas.testing.assert_frame_equal(frame[[*table.to_dict(flat=True)]], table.to_pandas())


def test_polars(table):
    polars = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame = polars.DataFrame(table)
    check_arrow(frame.to_arrow(), table)


def test_the_extra_is_named(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(ImportError, match=r"pip install 'abut\[io\]'"):
        table.__arrow_c_stream__()


# ---- columns -------------------------------------------------------------------------------------

KINDS = [abut.Contacts, abut.Pairs, abut.ConvexContacts, abut.Entrances]


def described(kind):
    """The shape and type of each attribute by its docstring."""
    text = inspect.getdoc(kind).partition("Attributes\n----------\n")[2].partition("\n\n")[0]
    found = re.findall(r"^([\w, ]+) : (\(.*?\)) ndarray of (\w+)", text, re.M)
    return {name: (shape, dtype) for names, *rest in found for name in names.split(", ")
            for shape, dtype in [rest]}  # fmt: skip


@pytest.mark.parametrize("kind", KINDS)
def test_each_column_is_described_as_the_library_lists_it(kind):
    counts = {"row": "m", "entry": "k", "entry offsets": "m + 1", "offsets": "n + 1"}
    said = described(kind)
    for column in kind._columns:
        if not column.name.startswith("_"):
            shape = ", ".join([counts[column.per], *map(str, column.shape("d"))])
            shape = f"({shape},)" if "," not in shape else f"({shape})"
            assert said.pop(column.name) == (shape, column.type), column.name
        assert column.type in kind.__annotations__[column.name], column.name
    # arrays that describe the search are no columns
    assert not said.keys() & kind.__annotations__.keys() - {"pairs", "poses"}


@pytest.mark.parametrize("kind", KINDS)
def test_each_column_has_a_meaning(kind):
    assert len({column.name for column in kind._columns}) == len(kind._columns)
    assert all(column.meaning for column in kind._columns)
    assert {c.unit for c in kind._columns} <= {"", "length", "rad"}
