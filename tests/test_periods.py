"""Periods as lengths and as vectors: what is read, what they describe, and that both are one."""

import copy
import fractions
import itertools
import pickle

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

import abut
from abut.base import periods

CELL = np.array([[8.0, 0.0, 0.0], [0.5, 8.0, 0.0], [-1.0, 2.0, 8.0]])
GRAIN = abut.Material(density=2500, young=1e6)


def random_cell(rng, dimension=3, zeros=0):
    vectors = rng.normal(size=(dimension, dimension))
    vectors[rng.permutation(dimension)[:zeros]] = 0
    return vectors


# ---- reading -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("period", "kept"),
    [
        (None, None),
        ((None, None, None), None),
        ([2, None, 3.5], (2.0, None, 3.5)),
        (np.array([2, 3, 4]), (2.0, 3.0, 4.0)),
        (iter([2, 3, 4]), (2.0, 3.0, 4.0)),
    ],
)
def test_lengths_stay_lengths(period, kept):
    assert periods.read_period(period) == kept


@pytest.mark.parametrize(
    "period",
    [
        CELL,
        CELL.tolist(),
        CELL.astype(np.float32),
        np.asfortranarray(CELL),
        list(CELL),
        CELL[[1, 0, 2]],  # left-handed
        CELL * [1, 1, 0] * 1e-200 + CELL * [0, 0, 1],  # thin
        np.diag([2, 0, 0]),
        [[0, 0, 0], [1, 2, 3], [0, 0, 0]],
        np.diag([1e75, 1e-300, 1.0]),
    ],
)
def test_vectors_stay_vectors(period):
    read = periods.read_period(period)
    assert_array_equal(read, np.asarray(period))
    assert read.dtype == np.float64
    assert not read.flags.writeable
    assert not np.shares_memory(read, np.asarray(period))
    assert_array_equal(periods.read_period(read), read)


def test_negative_zeros_become_zeros():
    read = periods.read_period(np.diag([2.0, 3.0, 4.0]) * [[1, 1, -1], [-1, 1, 1], [1, 1, 1]])
    assert not np.signbit(read).any()


def test_the_plane_has_two_vectors():
    assert_array_equal(periods.read_period([[2, 1], [0, 3]], 2), [[2, 1], [0, 3]])
    assert_array_equal(periods.read_period([[2, 1], [0, 3]], 3, 2), [[2, 1], [0, 3]])


NAN, INF = np.nan, np.inf


@pytest.mark.parametrize(
    ("period", "error", "message"),
    [
        (5, TypeError, r"period is 5, but must be 3 lengths, a \(3, 3\) array or None"),
        ([3, 4], ValueError, r"period has 2 items, but must have 3: None for no period"),
        ([3, -4, 5], ValueError, r"period\[1\] is -4, but must be positive, or None for an axis"),
        ([3, NAN, 5], ValueError, r"period\[1\] is nan, but must be positive"),
        ("abc", TypeError, r"period\[0\] is 'a', but must be real numbers"),
        (np.eye(2), ValueError, r"period has shape \(2, 2\), but must be \(3, 3\): a vector in"),
        (np.ones((3, 2)), ValueError, r"period has shape \(3, 2\), but must be \(3, 3\): a vector"),
        (np.ones((1, 3, 3)), ValueError, r"period has shape \(1, 3, 3\), but must be \(3, 3\)"),
        ([[1, 0, 0], [0, 1], [0, 0, 1]], ValueError, "period is ragged: its rows have different"),
        ([(1, 0, 0), None, (0, 0, 1)], TypeError, r"period\[1\] is None, but must be a vector, as"),
        (
            [(1, 0, 0), (0, 1, 0), 4],
            TypeError,
            r"period\[2\] is 4, but must be a vector, as others",
        ),
        (np.eye(3) * 1j, TypeError, "period has dtype complex128, but must be real numbers"),
        (np.eye(3, dtype=bool), TypeError, "period has dtype bool, but must be real numbers"),
        (
            [[1, 0, 0], [0, NAN, 0], [0, 0, INF]],
            ValueError,
            r"period\[1, 1\] is nan, but must be f",
        ),
        ([[1, 0, 0], [0, 1, 0], [0, -INF, 1]], ValueError, r"period\[2, 1\] is -inf, but must be"),
        (np.eye(3) * 1e76, ValueError, r"period\[0, 0\] is 1e\+76, but must be finite and at most"),
        (np.zeros((3, 3)), ValueError, "period has rows of zeros alone: give None if nothing rep"),
        (
            [[1, 0, 0], [3, 0, 0], [0, 0, 1]],
            ValueError,
            r"period\[1\] lies on the line of the vectors before it: give a vector that leads out",
        ),
        (
            [[1, 2, 0], [0, 0, 0], [-3, -6, 0]],
            ValueError,
            r"period\[2\] lies on the line of the vectors before it: .* or zeros if nothing rep",
        ),
        (
            [[1, 2, 0], [0, 1, 1], [1, 3, 1]],
            ValueError,
            r"period\[2\] lies in the plane of the vectors before it",
        ),
        (
            [[1e-200, 0, 0], [0, 1e-200, 0], [1e-200, 0, 1e-213]],
            ValueError,
            r"period\[2\] lies in the plane of the vectors before it",
        ),
    ],
)
def test_errors_name_the_first_offender_and_the_cure(period, error, message):
    with pytest.raises(error, match=f"^{message}"):
        periods.read_period(period)


def test_thin_cells_are_valid_up_to_the_limit():
    thin = np.eye(3)
    thin[2] = 1, 0, 1.1e-12
    assert_array_equal(periods.read_period(thin), thin)
    thin[2] = 1, 0, 0.9e-12
    with pytest.raises(ValueError, match=r"period\[2\] lies in the plane"):
        periods.read_period(thin)


@pytest.mark.parametrize("search", [abut.find_pairs, abut.PairFinder])
def test_centers_have_the_dimension_of_the_vectors(search):
    message = r"centers has shape \(1, 3\), but period has 2 vectors: give one for each axis"
    with pytest.raises(ValueError, match=message):
        if search is abut.find_pairs:
            search([[0, 0, 0]], 1.0, period=np.eye(2))
        else:
            search([1.0], period=np.eye(2)).find([[0, 0, 0]])


# ---- what a period describes ---------------------------------------------------------------------


@pytest.mark.parametrize("dimension", [2, 3])
def test_shifts_are_whole_vectors(dimension):
    rng = np.random.default_rng(1)
    image = rng.integers(-3, 4, (20, dimension))
    cell = random_cell(rng, dimension)
    shifts = periods.shifts_of(image, periods.read_period(cell, dimension))
    assert_allclose(shifts, image @ cell, atol=1e-14)
    x = [fractions.Fraction(v) for v in cell[:, 0]]
    for row, shift in zip(image.tolist(), shifts[:, 0], strict=True):
        assert abs(sum(n * v for n, v in zip(row, x, strict=True)) - fractions.Fraction(shift)) < (
            fractions.Fraction(1, 2**49)
        )


def test_shifts_of_lengths_and_of_their_diagonal_have_the_same_bits():
    rng = np.random.default_rng(2)
    lengths = rng.random(3)
    image = rng.integers(-9, 10, (100, 3))
    of_lengths = periods.shifts_of(image, tuple(lengths))
    assert of_lengths.tobytes() == (image * lengths).tobytes()
    assert periods.shifts_of(image, np.diag(lengths)).tobytes() == of_lengths.tobytes()
    assert_array_equal(periods.shifts_of(image, None), 0)


@pytest.mark.parametrize("zeros", [0, 1, 2])
def test_fractions_are_those_of_the_inverse(zeros):
    rng = np.random.default_rng(3)
    for _ in range(20):
        cell, points = random_cell(rng, zeros=zeros), rng.normal(size=(7, 3))
        found = periods.fractions_of(points, periods.read_period(cell))
        assert_allclose(found, points @ np.linalg.pinv(cell), atol=1e-9)
        assert_array_equal(found[:, ~cell.any(axis=1)], 0)
    lengths = 0.3, None, 0.7
    points = rng.normal(size=(7, 3))
    assert_array_equal(periods.fractions_of(points, lengths)[:, 0], points[:, 0] / 0.3)
    assert_array_equal(periods.fractions_of(points, lengths)[:, 1], 0)


def test_volumes():
    rng = np.random.default_rng(4)
    for dimension in 2, 3:
        cell = random_cell(rng, dimension)
        assert periods.volume(cell) == pytest.approx(abs(np.linalg.det(cell)), rel=1e-12)
    lengths = tuple(rng.random(3).tolist())
    assert periods.volume(lengths) == periods.volume(np.diag(lengths)) == np.prod(lengths)
    assert periods.volume((2.0, None, 3.0)) == periods.volume(random_cell(rng, zeros=1)) == 0
    assert periods.volume([[1, 0, 0], [0, 1, 0], [0.1, 0.7, 1e-12]] @ np.eye(3)) == 1e-12


def test_the_shortest_period_is_that_of_all_images():
    rng = np.random.default_rng(5)
    images = np.array([n for n in itertools.product(range(-12, 13), repeat=3) if any(n)])
    for _ in range(30):
        cell = random_cell(rng) + 3 * rng.normal(size=3)
        shortest = np.sqrt(((images @ cell) ** 2).sum(axis=1)).min()
        assert periods.shortest_period(cell) <= shortest * (1 + 1e-12)
        skewed = np.array([[1, 40, 7], [0, 1, -300], [0, 0, 1]]) @ cell
        assert periods.shortest_period(skewed) == pytest.approx(periods.shortest_period(cell))
    assert periods.shortest_period((3.0, None, 0.1)) == 0.1
    assert periods.shortest_period(np.diag([3.0, 0.0, 0.1])) == 0.1
    tiny = 1e-200 * random_cell(rng)
    assert periods.shortest_period(tiny) == pytest.approx(
        1e-200 * periods.shortest_period(1e200 * tiny)
    )
    assert periods.shortest_period(None) == np.inf


def test_equal_periods():
    lengths, diagonal = (2.0, None, 3.0), np.diag([2.0, 0.0, 3.0])
    assert periods.same_period(lengths, diagonal)
    assert periods.same_period(CELL, CELL.copy())
    assert periods.same_period(None, None)
    assert not periods.same_period(None, CELL)
    assert not periods.same_period(CELL, np.eye(2))
    assert not periods.same_period(lengths, (2.0, 1.0, 3.0))
    assert periods.repeats_alike(lengths, CELL * [[1], [0], [1]])
    assert not periods.repeats_alike(lengths, CELL)
    assert not periods.repeats_alike(lengths, None)


@pytest.mark.parametrize(
    ("period", "tilted"),
    [
        (None, None),
        ((1.0, 2.0, None), None),
        (np.diag([1.0, 0.0, 2.0]), None),
        (CELL, 1),
        (np.diag([1.0, -2.0, 2.0]), 1),
        (np.eye(3)[[1, 0, 2]], 0),
    ],
)
def test_along_axes(period, tilted):
    assert periods.tilted_vector(period) == tilted
    assert periods.is_along_axes(period) == (tilted is None)
    if tilted is None:
        assert_array_equal(np.diag(periods.lengths_of(period)), periods.vectors_of(period))
    else:
        with pytest.raises(ValueError, match="period is not along the axes, so it has no lengths"):
            periods.lengths_of(period)


def test_the_extent_of_the_box():
    assert periods.extent_along((2.0, None, 3.0), 0) == (0, 2)
    assert periods.extent_along((2.0, None, 3.0), 1) == (np.inf, -np.inf)
    assert [periods.extent_along(CELL, k) for k in range(3)] == [(-1, 8.5), (0, 10), (0, 8)]
    slanted = np.array([[1.0, 1.0, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 2.0]])
    assert periods.extent_along(slanted, 0) == (-np.inf, np.inf)
    assert [periods.spans(slanted, k) for k in range(3)] == [True, True, True]
    assert [periods.spans((2.0, None, 3.0), k) for k in range(3)] == [True, False, True]


def test_texts():
    assert periods.text_of(None) == "none"
    assert periods.text_of((2.0, None)) == "2, none"
    assert periods.text_of(np.array([[2.0, 0.0], [1 / 3, 4.0]])) == "2, 0; 0.333333, 4"
    html = abut.PairFinder([1.0], period=CELL)._repr_html_()
    assert "<td>8, 0, 0; 0.5, 8, 0; -1, 2, 8</td>" in html


# ---- lengths and their diagonal array are the same cell ------------------------------------------


def both_forms(*lengths):
    return [lengths, np.diag([length or 0.0 for length in lengths])]


def assert_same_bits(one, other):
    first, second = one.to_dict(), other.to_dict()
    assert first.keys() == second.keys()
    assert len(one)
    for name, column in first.items():
        assert column.tobytes() == second[name].tobytes(), name


@pytest.mark.parametrize("lengths", [(1.0, 1.1, 0.9), (None, 1.1, None), (1.0, 1.1)])
def test_pairs(lengths):
    rng = np.random.default_rng(6)
    dimension = len(lengths)
    centers = rng.random((300, dimension)) * 1.4 - 0.2
    radii = 10 ** rng.uniform(-2, -0.9, 300)
    found = [
        abut.find_pairs(centers, radii, gap=0.01, period=period) for period in both_forms(*lengths)
    ]
    assert_same_bits(*found)
    kept = found[0].period, found[1].period
    assert kept[0] == lengths
    assert_array_equal(kept[1], both_forms(*lengths)[1])
    assert_same_bits(
        *(abut.PairFinder(radii, period=p).find(centers) for p in both_forms(*lengths))
    )
    push = rng.random((len(found[0]), dimension))
    for one, other in zip(*(pairs.arms(centers) for pairs in found), strict=True):
        assert one.tobytes() == other.tobytes()
    assert_array_equal(found[0].sum(push), found[1].sum(push))


def test_contacts():
    rng = np.random.default_rng(7)
    centers = rng.random((200, 3)) * 3 - 1
    corners = rng.random((40, 3, 3)) * 0.4 + rng.random((40, 1, 3)) * 0.6
    surfaces = [corners, abut.HalfSpace((0, 0, 0.1), (0, 0, 1))]
    lengths = 1.0, 1.1, None
    finder = abut.ContactFinder(surfaces)
    found = [finder.find(centers, 0.1, period=period) for period in both_forms(*lengths)]
    assert_same_bits(*found)
    assert found[0].image.any()
    twists = rng.random((2, 6))
    assert found[0].velocity(twists).tobytes() == found[1].velocity(twists).tobytes()
    assert_array_equal(found[0].match(found[1]), np.arange(len(found[0])))


@pytest.mark.parametrize("dimension", [2, 3])
def test_convex_contacts(dimension):
    rng = np.random.default_rng(8)
    finder = abut.ConvexFinder(abut.ConvexShape(rng.normal(size=(12, dimension)) * 0.07))
    positions = rng.random((150, dimension)) * 1.2
    lengths = (1.0, 1.1, None)[:dimension]
    found = [finder.find(positions, period=period) for period in both_forms(*lengths)]
    assert_same_bits(*found)
    assert found[0].image.any()
    forces = rng.random((len(found[0].spot), dimension))
    for one, other in zip(*(table.loads(forces, positions) for table in found), strict=True):
        assert one.tobytes() == other.tobytes()
    # each form continues the other
    again = [
        finder.find(positions, period=period, before=before)
        for period, before in zip(both_forms(*lengths), found[::-1], strict=True)
    ]
    assert_same_bits(*again)


def box_of_grains(period):
    sim = abut.Simulation(1e-4, period=period)
    sim.set_law(GRAIN, GRAIN, abut.Hertz(restitution=0.5, friction=0.3))
    places = np.stack(np.meshgrid(*[np.arange(0.05, 1, 0.1)] * 3), axis=-1).reshape(-1, 3)
    places += np.random.default_rng(9).uniform(-0.02, 0.02, places.shape)
    sim.add_spheres(places, 0.055, GRAIN, velocities=[[5.0, -3.0, 0.0]] * len(places))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), GRAIN)
    sim.set_bounds([[-np.inf, -np.inf, -1], [np.inf, np.inf, 2]])
    sim.bond(np.column_stack([np.arange(40), np.arange(1, 41)]), abut.Bond(young=1e5))
    return sim


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_simulations():
    sims = [box_of_grains(period) for period in both_forms(1.0, 1.0, None)]
    for sim in sims:
        sim.run(0.02)
    first, second = sims
    for name in ("centers", "velocities", "angular_velocities", "images", "forces", "torques"):
        assert getattr(first, name).tobytes() == getattr(second, name).tobytes(), name
    assert first.images.any()
    assert_same_bits(first.pairs, second.pairs)
    assert_same_bits(first.contacts, second.contacts)
    assert first.bonds.table.image.tobytes() == second.bonds.table.image.tobytes()
    region = [[0.2, 0.3, 0.1], [0.9, 1.3, 0.7]]
    assert first.stress(region).tobytes() == second.stress(region).tobytes()
    assert first.coordination() == second.coordination()
    assert first.period == (1.0, 1.0, None)
    assert_array_equal(second.period, np.diag([1.0, 1.0, 0.0]))


@pytest.mark.filterwarnings("ignore::abut.SimulationWarning")
def test_a_whole_cell_has_the_stress_of_both_forms():
    found = []
    for period in both_forms(0.3, 0.4, 0.5):
        sim = abut.Simulation(1e-5, gravity=(0, 0, 0), period=period)
        sim.set_law(GRAIN, GRAIN, abut.Hertz(restitution=0.5))
        sim.add_spheres([[0.01, 0.01, 0.01], [0.29, 0.39, 0.49]], 0.05, GRAIN)
        sim.run(2e-5)
        found.append(sim.stress())
    assert found[0].any()
    assert found[0].tobytes() == found[1].tobytes()


# ---- files, pickles, copies ----------------------------------------------------------------------


LOADERS = {
    "pairs": abut.load_pairs,
    "disks": abut.load_pairs,
    "contacts": abut.load_contacts,
    "bodies": abut.load_convex_contacts,
    "polygons": abut.load_convex_contacts,
}


@pytest.fixture(scope="module")
def tables():
    half = abut.HalfSpace((0, 0, 0), (0, 0, 1))
    body = abut.ConvexFinder(abut.ConvexShape([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    polygon = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [0, 1]]))
    plane = [[3.0, 0.0], [0.5, 3.0]]
    return {
        "pairs": abut.find_pairs([[0, 0, 0], [1.0, 0, 0]], 1.0, period=CELL),
        "disks": abut.find_pairs([[0, 0], [1.0, 0]], 1.0, period=plane),
        "contacts": abut.find_contacts([[0, 0, 0.5]], 1.0, half, period=CELL * [[1], [1], [0]]),
        "bodies": body.find([[0, 0, 0], [0.2, 0.2, 0]], period=CELL),
        "polygons": polygon.find([[0, 0], [0.2, 0.2]], period=plane),
    }


@pytest.mark.parametrize("name", LOADERS)
def test_files_pickles_and_copies_keep_the_vectors(tables, name, tmp_path):
    table = tables[name]
    assert len(table)
    table.save(tmp_path / "table.npz")
    others = [
        LOADERS[name](tmp_path / "table.npz"),
        pickle.loads(pickle.dumps(table)),
        copy.copy(table),
        copy.deepcopy(table),
        table[:],
        abut.concatenate([table]),
    ]
    for other in others:
        assert other == table
        assert_array_equal(other.period, table.period)
        assert not other.period.flags.writeable


def test_files_of_lengths_are_those_of_before(tmp_path):
    pairs = abut.find_pairs([[0, 0, 0], [1.0, 0, 0]], 1.0, period=(3.0, None, 4.0))
    pairs.save(tmp_path / "pairs.npz")
    with np.load(tmp_path / "pairs.npz") as file:
        assert file["period"].tolist() == [3.0, 0.0, 4.0]
    assert abut.load_pairs(tmp_path / "pairs.npz").period == (3.0, None, 4.0)


@pytest.mark.parametrize("name", LOADERS)
@pytest.mark.parametrize(
    ("period", "message"),
    [
        (np.ones((4, 4)), r"period has shape \(4, 4\), but must be \(.,\) or \(., .\)"),
        (np.ones(5), r"period has shape \(5,\), but must be"),
        (np.full((3, 3), "a"), r"period has dtype <U1, but must be float64"),
    ],
)
def test_broken_files_are_named(tables, name, period, message, tmp_path):
    tables[name].save(tmp_path / "table.npz")
    with np.load(tmp_path / "table.npz") as file:
        arrays = dict(file)
    np.savez(tmp_path / "broken.npz", **arrays | {"period": period})
    with pytest.raises(ValueError, match=message):
        LOADERS[name](tmp_path / "broken.npz")


def test_flat_vectors_in_a_file_are_named(tables, tmp_path):
    tables["pairs"].save(tmp_path / "pairs.npz")
    with np.load(tmp_path / "pairs.npz") as file:
        arrays = dict(file)
    np.savez(tmp_path / "flat.npz", **arrays | {"period": np.ones((3, 3))})
    with pytest.raises(ValueError, match=r"period\[1\] lies on the line of the vectors before it"):
        abut.load_pairs(tmp_path / "flat.npz")


def test_finders_are_pickled_with_their_vectors():
    finder = pickle.loads(pickle.dumps(abut.PairFinder([1.0, 1.0], period=CELL)))
    assert_array_equal(finder.period, CELL)
    assert not finder.period.flags.writeable


def test_simulations_keep_their_vectors(tmp_path):
    sim = abut.Simulation(1e-4, gravity=(0, 0, 0), period=CELL)
    sim.add_spheres([[4, 4, 4], [7, 4, 4]], 0.5, GRAIN, velocities=[[1, 0, 0], [0, 2, 0]])
    sim.run(0.01)
    sim.save(tmp_path / "restart.npz")
    others = [abut.load_simulation(tmp_path / "restart.npz"), sim.copy()]
    sim.run(0.01)
    for other in others:
        assert_array_equal(other.period, CELL)
        other.run(0.01)
        assert other.centers.tobytes() == sim.centers.tobytes()


# ---- one step to the next ------------------------------------------------------------------------


def test_pairs_are_matched_although_the_cell_has_deformed():
    centers = np.array([[0.1, 0.5, 0.5], [3.9, 0.5, 0.5], [2.0, 2.0, 2.0]])
    before = abut.find_pairs(centers, 0.3, period=(4, 4, 4))
    now = abut.find_pairs(centers * [1.01, 1, 1], 0.3, period=(4.04, 4, None))
    with pytest.raises(
        ValueError, match=r"previous has the period 4, 4, 4, but it is 4\.04, 4, none"
    ):
        now.match(before)
    now = abut.find_pairs(centers * [1.01, 1, 1], 0.3, period=np.diag([4.04, 4, 4]))
    assert len(now) == 1
    assert now.match(before).tolist() == [0]
    assert now.carry([[0.0, 1.0, 0.0]], before).tolist() == [[0.0, 1.0, 0.0]]
    with pytest.raises(ValueError, match="previous has the period none, but it is"):
        now.match(abut.find_pairs(centers, 0.3))


def test_bodies_go_on_although_the_cell_has_deformed():
    finder = abut.ConvexFinder(abut.ConvexShape([[0, 0], [1, 0], [1, 1], [0, 1]]))
    before = finder.find([[0.2, 0], [3.4, 0.1]], period=(4, 4))
    now = finder.find([[0.2, 0], [3.43, 0.1]], period=(4.04, 4), before=before)
    assert now.match(before).tolist() == [0]
    with pytest.raises(ValueError, match="before has the period 4, 4, but it is none now"):
        finder.find([[0.2, 0], [3.43, 0.1]], before=before)


def test_contacts_need_the_cell_of_before():
    floor = abut.HalfSpace((0, 0, 0), (0, 0, 1))
    flat = CELL * [[1], [1], [0]]
    before, now = (
        abut.find_contacts([[0, 0, 0.5]], 1.0, floor, period=cell) for cell in (flat, 2 * flat)
    )
    assert before.match(before).tolist() == [0]
    with pytest.raises(
        ValueError, match=r"previous has the period 8, 0, 0; 0\.5, 8, 0; 0, 0, 0, but"
    ):
        now.match(before)


def test_tables_of_other_cells_are_not_joined():
    first, second = (
        abut.find_pairs([[0, 0, 0], [1, 0, 0]], 1.0, period=cell) for cell in (CELL, 2 * CELL)
    )
    with pytest.raises(ValueError, match="the pairs have different period"):
        abut.concatenate([first, second])
    forms = [
        abut.find_pairs([[0, 0, 0], [1, 0, 0]], 1, period=p) for p in both_forms(9.0, 9.0, 9.0)
    ]
    assert abut.concatenate(forms).i.tolist() == [0, 2]


# ---- walls and bounds of a tilted cell -----------------------------------------------------------

TRIANGLE = [[[0, 0, 0], [1, 0, 0], [0, 1, 0]]]


@pytest.mark.parametrize(
    ("period", "row"), [(CELL, 1), (np.diag([1.0, 1.0, -1.0]), 2), (np.eye(3)[[1, 0, 2]], 0)]
)
def test_a_mesh_needs_a_cell_along_the_axes(period, row):
    why = rf"can repeat along the axes alone, but period\[{row}\] is \[.*\]: give vectors along the"
    mesh = abut.Mesh.from_any(np.array(TRIANGLE, float))
    surfaces = [abut.HalfSpace((0, 0, 0), (0, 0, 1)), mesh]
    with pytest.raises(ValueError, match=f"mesh 0 {why}"):
        abut.find_contacts([[0, 0, 0]], 1.0, mesh, period=period)
    with pytest.raises(ValueError, match=f"mesh 1 {why}"):
        abut.ContactFinder(surfaces).find([[0, 0, 0]], 1.0, period=period)
    sim = abut.Simulation(1e-4, period=period)
    with pytest.raises(ValueError, match=f"the mesh of wall 0 {why}"):
        sim.add_wall(mesh)
    assert len(sim.walls) == 0


def test_half_spaces_are_parallel_to_each_vector():
    flat = [[2, 0, 1], [0.5, 3, 0.25], [0, 0, 0]]
    normal = np.cross(flat[0], flat[1])
    contacts = abut.find_contacts(
        [[0, 0, 0], [5, 7, 3]], 1.0, abut.HalfSpace((0, 0, -0.5), normal), period=flat
    )
    assert contacts.sphere.tolist() == [0, 1]
    sim = abut.Simulation(1e-4, period=flat)
    sim.add_wall(abut.HalfSpace((0, 0, 0), normal))
    with pytest.raises(
        ValueError, match=r"must be perpendicular to period\[1\], along which the wo"
    ):
        sim.add_wall(abut.HalfSpace((0, 0, 0), np.cross(flat[0], (0, 0, 1))))
    with pytest.raises(ValueError, match="half space 0"):
        abut.find_contacts(
            [[0, 0, 0]], 1, abut.HalfSpace((0, 0, 0), np.cross(flat[0], (0, 0, 1))), period=flat
        )


def test_bounds_contain_a_tilted_cell():
    sim = abut.Simulation(1e-4, period=CELL)
    sim.set_bounds([[-1, 0, 0], [8.5, 10, 8]])
    with pytest.raises(
        ValueError, match=r"along x, but the world is periodic there, from -1 to 8\.5"
    ):
        sim.set_bounds([[0, 0, 0], [9, 10, 8]])
    sim = abut.Simulation(1e-4, period=[[2, 2, 0], [0, 0, 0], [0, 0, 0]])
    sim.set_bounds([[-np.inf, -np.inf, 0], [np.inf, np.inf, 1]])
    with pytest.raises(ValueError, match="along y, but the world is periodic there, from -inf to"):
        sim.set_bounds([[-np.inf, -9, 0], [np.inf, 9, 1]])


def test_a_sphere_larger_than_the_shortest_period_is_warned_of():
    sim = abut.Simulation(1e-4, period=[[2, 0, 0], [1.9, 0.5, 0], [0, 0, 2]])
    with pytest.warns(
        abut.SimulationWarning, match="sphere 0 is larger than a period, 0.509902, an"
    ):
        sim.add_spheres([[0, 0, 0]], 0.3, GRAIN)
        sim.run(1e-4)


def test_regions_of_a_tilted_cell():
    sim = abut.Simulation(1e-4, period=CELL)
    sim.add_spheres([[4, 4, 4], [8, 4, 4]], 0.5, GRAIN)
    sim.run(1e-4)
    with pytest.raises(
        ValueError, match=r"region overlaps its image at \[-?0.5, -?8.0, -?0.0\]: give"
    ):
        sim.stress([[0, 0, 0], [1, 8.5, 1]])
    assert sim.stress([[0, 0, 0], [8, 8, 8]]).shape == (3, 3)
    open_to_z = abut.Simulation(1e-4, period=CELL * [[1], [1], [0]])
    with pytest.raises(
        ValueError, match=r"region is None, but period\[2\] is 0, so nothing repeats"
    ):
        open_to_z.stress()


def test_images_of_a_region_are_those_of_all_images():
    from abut.simulation.measures import read_region

    rng = np.random.default_rng(10)
    images = np.array([*itertools.product(range(-6, 7), repeat=3)])
    for zeros in 0, 1:
        cell = random_cell(rng, zeros=zeros) + np.eye(3) * ([2], [2], [2 * (zeros == 0)])
        region = read_region([[0.1, 0.2, 0.3], [0.3, 0.5, 0.6]], periods.read_period(cell))
        least = rng.normal(size=(40, 3))
        most = least + 0.1
        found = {}
        for shift, meets in region.images(least, most):
            found[tuple(shift.round(9))] = meets
        for shift in np.unique((images @ cell).round(9), axis=0):
            low, high = region.low + shift, region.high + shift
            meets = ((most >= low) & (least < high)).all(axis=1)
            assert_array_equal(found.get(tuple(shift), np.zeros(40, bool)), meets)
