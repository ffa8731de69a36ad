"""The work model of the hierarchical grid: against the paper's case, a table and plain loops."""

import math
import re
import sys
from math import comb

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import abut

SEARCHES = ["top-down", "bottom-up"]
FAMILIES = ["linear", "exponential", "constant", "optimal"]

# Work per sphere (and levels) in three dimensions, top-down, volume fraction 0.6. The keys are
# exponent and ratio of the radii; values are for one level, and for the best number by family.
TABLE = {
    (0, 10): ("58.5", "29.51 (3)", "47.84 (2)", "26.61 (4)", "26.27 (4)"),
    (-2, 10): ("284.1", "20.68 (5)", "24.20 (3)", "20.69 (6)", "20.46 (5)"),
    (-3, 10): ("853.6", "19.19 (10)", "19.10 (4)", "18.71 (7)", "18.63 (6)"),
    (-3, 100): ("7.81e4", "67.69 (12)", "11.20 (4)", "10.79 (11)", "10.76 (7)"),
    (-4, 100): ("1.12e6", "890.90 (12)", "14.48 (10)", "14.48 (10)", "14.47 (7)"),
}

# the paper's one case that is stated in full, in the plane: sizes in smallest radii
PLANE = {"dimension": 2, "volume_fraction": 0.4}
PLANE_SIZES = [4.01, 7.88, 15.05, 27.22, 40]


def power_law(alpha, ratio, count=20_000):
    """Radii from 1 to `ratio` and their probabilities: Gauss' rule in pieces of log r."""
    nodes, weights = np.polynomial.legendre.leggauss(2)
    places = (np.arange(count // 2)[:, None] + (nodes + 1) / 2).ravel() / (count // 2)
    radii = float(ratio) ** places
    probability = radii ** (alpha + 1) * np.tile(weights, count // 2)
    # the ends count nothing, but are where levels begin and end
    radii = np.concatenate([[1], radii, [ratio]])
    return radii, np.concatenate([[0], probability / probability.sum(), [0]])


def work_of(law, family, **options):
    radii, probability = law
    sizes = abut.grid.cell_sizes(radii, family=family, probability=probability, **options)
    return abut.grid.expected_work(radii, sizes, probability=probability)


def reference(radii, sizes, search, overhead, dimension, fraction, probability):
    """The formulas one by one: (pair tests, cell accesses), each (L, L), and the work of both."""
    levels = range(len(sizes))
    ball = {2: math.pi, 3: 4 / 3 * math.pi}[dimension]
    # of all space for one sphere
    space = ball * sum(p * r**dimension for r, p in zip(radii, probability, strict=True)) / fraction
    on = [next(h for h in levels if 2 * r <= sizes[h]) for r in radii]
    part = [sum(p for p, at in zip(probability, on, strict=True) if at == h) for h in levels]
    per_cell = [part[h] * sizes[h] ** dimension / space for h in levels]
    tests, accesses = np.zeros((2, len(sizes), len(sizes)))
    for h in levels:
        tests[h, h] = 3**dimension / 2 * per_cell[h] * part[h]
        accesses[h, h] = (3**dimension + 1) / 2 * part[h]
        others = range(h) if search == "top-down" else range(h + 1, len(sizes))
        for j in (j for j in others if part[j] > 0):
            for power in range(dimension + 1):
                moment = sum(
                    p * r**power for r, p, at in zip(radii, probability, on, strict=True) if at == h
                )
                accesses[h, j] += 2**dimension * comb(dimension, power) * moment / sizes[j] ** power
            tests[h, j] = accesses[h, j] * per_cell[j]
    return tests, accesses, tests.sum() + overhead * accesses.sum()


# ---- the paper's case, and the table -------------------------------------------------------------


def test_case_of_the_paper():
    radii, probability = power_law(-3, 20, 200_000)
    options = PLANE | {"probability": probability}
    best = abut.grid.cell_sizes(radii, family="optimal", levels=5, **options)
    assert np.allclose(best, PLANE_SIZES, rtol=3e-3)
    assert np.allclose(best, [4.0, 7.9, 15.1, 27.2, 40.0], atol=0.06)
    work = abut.grid.expected_work(radii, best, **options)
    single = abut.grid.expected_work(radii, [40], **options)
    assert work.total == pytest.approx(4.403, abs=1e-3)
    assert single.total == pytest.approx(153.62, abs=0.01)
    assert single.total / work.total == pytest.approx(34.89, abs=0.01)
    stated = abut.grid.expected_work(radii, PLANE_SIZES, **options)
    assert stated.pair_tests == pytest.approx(2.397, abs=5e-3)
    assert stated.cell_accesses == pytest.approx(10.03, abs=0.02)


def test_case_of_the_paper_bottom_up():
    radii, probability = power_law(-3, 20)
    options = PLANE | {"probability": probability, "search": "bottom-up"}
    stated = abut.grid.expected_work(radii, [3.16, 6.03, 11.53, 21.65, 40], **options)
    assert stated.total == pytest.approx(8.81, abs=5e-3)
    best = abut.grid.cell_sizes(radii, family="optimal", **options)
    assert 8.7 < abut.grid.expected_work(radii, best, **options).total <= 8.81


@pytest.mark.cases(2)
@pytest.mark.parametrize(("alpha", "ratio"), TABLE)
def test_table(alpha, ratio):
    law = power_law(alpha, ratio, 100_000)
    single, *others = TABLE[alpha, ratio]
    assert work_of(law, "linear", levels=1).total == pytest.approx(float(single), rel=1e-3)
    for family, entry in zip(FAMILIES, others, strict=True):
        least, levels = re.fullmatch(r"(\S+) \((\d+)\)", entry).groups()
        work = work_of(law, family, levels=int(levels))
        assert work.total == pytest.approx(float(least), abs=0.006)
        found = work_of(law, family)
        if family != "optimal":
            assert len(found.sizes) == int(levels)
        # more than 7 levels were not looked at there
        assert work.total - 0.006 <= found.total <= work.total + 1e-9 or family == "optimal"


# ---- measured radii ------------------------------------------------------------------------------


@st.composite
def scenes(draw):
    some = draw(st.integers(1, 7))
    radius = st.floats(0.01, 100)
    radii = draw(st.lists(radius, min_size=some, max_size=some))
    parts = draw(st.lists(st.integers(0, 5), min_size=some, max_size=some))
    parts[0] += 1
    inner = draw(st.lists(st.floats(0.005, 250), max_size=4, unique=True))
    last = 2 * max(radii) * draw(st.sampled_from([1.0, 1.5]))
    sizes = [*sorted(size for size in inner if size < last), last]
    return np.array(radii), np.array(sizes), np.array(parts) / sum(parts)


@given(
    scenes(), st.sampled_from(SEARCHES), st.sampled_from([2, 3]), st.floats(0.01, 2), st.booleans()
)
def test_against_plain_loops(scene, search, dimension, fraction, measured):
    radii, sizes, probability = scene
    if measured:
        probability = np.full(len(radii), 1 / len(radii))
    work = abut.grid.expected_work(
        radii,
        sizes,
        search=search,
        overhead=0.3,
        dimension=dimension,
        volume_fraction=fraction,
        probability=None if measured else probability,
    )
    tests, accesses, total = reference(radii, sizes, search, 0.3, dimension, fraction, probability)
    assert np.allclose(work.pair_tests_by_level, tests, rtol=1e-9, atol=1e-12 * tests.max())
    assert np.allclose(work.cell_accesses_by_level, accesses, rtol=1e-9, atol=1e-9)
    assert work.total == pytest.approx(total)
    assert work.fractions.sum() == pytest.approx(1)


@settings(deadline=None)
@given(scenes(), st.sampled_from(FAMILIES), st.sampled_from(SEARCHES), st.integers(1, 9))
def test_sizes_ascend_to_the_largest_diameter(scene, family, search, levels):
    radii, _, probability = scene
    for count in (levels, None):
        sizes = abut.grid.cell_sizes(
            radii, family=family, levels=count, search=search, probability=probability
        )
        assert (np.diff(sizes) > 0).all() and sizes[0] >= 2 * radii.min()
        assert sizes[-1] == 2 * radii.max()
        assert 1 <= len(sizes) <= (count or 12)


def test_constant_holds_the_same_in_each_cell():
    radii, probability = power_law(-2, 10, 100_000)
    for levels in (2, 5, 9):
        work = work_of((radii, probability), "constant", levels=levels)
        assert len(work.sizes) == levels
        assert np.ptp(work.per_cell) < 2e-3 * work.per_cell[0]


@pytest.mark.parametrize("family", FAMILIES)
def test_equal_radii_are_one_level(family):
    for radii in ([3.0], [3.0] * 5):
        assert abut.grid.cell_sizes(radii, family=family).tolist() == [6.0]
        assert abut.grid.cell_sizes(radii, family=family, levels=4).tolist() == [6.0]


@pytest.mark.parametrize("scale", [2.0**-200, 2.0**200])
def test_the_unit_of_length_does_not_matter(scale):
    radii = 30.0 ** np.random.default_rng(3).random(1000)
    for family in FAMILIES[:3]:
        sizes = abut.grid.cell_sizes(radii, family=family)
        scaled = abut.grid.cell_sizes(radii * scale, family=family)
        assert scaled == pytest.approx(sizes * scale)
    one = abut.grid.expected_work(radii, sizes)
    assert abut.grid.expected_work(radii * scale, sizes * scale).total == pytest.approx(one.total)


def test_inputs_are_not_written_and_may_come_in_any_order():
    radii = 30.0 ** np.random.default_rng(4).random(1000)
    radii.setflags(write=False)
    sizes = abut.grid.cell_sizes(radii)
    assert (abut.grid.cell_sizes(radii[::-1]) == sizes).all()
    sizes.setflags(write=False)
    work = abut.grid.expected_work(radii, sizes)
    assert work.total == pytest.approx(abut.grid.expected_work(list(radii), list(sizes)).total)


# ---- cells longer than their level's size --------------------------------------------------------


def test_lengths_of_cells():
    radii, sizes = [0.5, 0.5, 0.5, 3.0], [1.0, 6.0]
    by_default = abut.grid.expected_work(radii, sizes)
    same = abut.grid.expected_work(radii, sizes, lengths=sizes)
    assert same.total == by_default.total
    longer = abut.grid.expected_work(radii, sizes, lengths=[[1.0, 1.2, 1.25], [6.0, 7.0, 8.0]])
    assert longer.per_cell == pytest.approx(by_default.per_cell * [1.2 * 1.25, 7 * 8 / 36])
    # the box of a sphere on level 2 in level 1: its diameter and a cell, and one cell more
    cells = (2 + 6) * (2 + 6 / 1.2) * (2 + 6 / 1.25)
    assert longer.cell_accesses_by_level[1, 0] == pytest.approx(cells / 4)
    assert longer.pair_tests_by_level[1, 0] == pytest.approx(cells / 4 * longer.per_cell[0])


# ---- what is returned, and errors ----------------------------------------------------------------


def test_work_is_a_table_of_levels():
    work = abut.grid.expected_work([1, 1, 2, 8], [4, 16])
    assert isinstance(work, abut.grid.Work) and work.overhead == 0.2
    assert work.fractions.tolist() == [0.75, 0.25]
    assert work.pair_tests_by_level[0, 1] == work.cell_accesses_by_level[0, 1] == 0
    assert work.pair_tests == work.pair_tests_by_level.sum()
    assert (
        repr(work) == "Work(20.77 per sphere: 7.172 pair tests + 0.2 x 68 cell accesses, 2 levels)"
    )
    with pytest.raises(AttributeError):
        work.overhead = 1


ERRORS = {
    "radii[1] is nan": {"radii": [1, math.nan]},
    "radii[0] is -1": {"radii": [-1, math.nan]},
    "radii[0] is 1e+76": {"radii": [1e76]},
    "radii is empty": {"radii": []},
    "radii has shape (1, 1)": {"radii": [[1]]},
    "dimension is 4": {"dimension": 4},
    "volume_fraction is 0": {"volume_fraction": 0},
    "volume_fraction is nan": {"volume_fraction": math.nan},
    "overhead is -0.1": {"overhead": -0.1},
    "search is 'up', but must be 'top-down' or 'bottom-up'": {"search": "up"},
    "probability has 2 entries, but there is 1 radius": {"probability": [0.5, 0.5]},
    "probability has 1 entry, but there are 2 radii": {"radii": [1, 1], "probability": [1.0]},
    "probability[0] is -1": {"probability": [-1]},
    "probability sums to 0.5": {"probability": [0.5]},
    "probability has shape ()": {"probability": 1.0},
}
OF_SIZES = {
    "sizes has 0 entries": {"sizes": []},
    "sizes has 65 entries": {"sizes": np.arange(1, 66)},
    "sizes[1] is 1; sizes must be positive and ascend": {"sizes": [1, 1]},
    "sizes[0] is -1": {"sizes": [-1, 2]},
    "sizes[1] is nan": {"sizes": [1, math.nan]},
    "sizes[1] is 1.5, but the largest diameter is 2": {"sizes": [1, 1.5]},
    "sizes has shape ()": {"sizes": 2.0},
    "lengths has shape (2,), but must be (1,) or (1, 3)": {"lengths": [2, 2]},
    "lengths of level 0 include 1.5": {"lengths": [[2, 1.5, 2]]},
}
OF_FAMILIES = {
    "family is 'best', but must be 'constant' or 'linear'": {"family": "best"},
    "levels is 0, but must be 1 to 64": {"levels": 0},
    "levels is 65": {"levels": 65},
}


@pytest.mark.parametrize("message", [*ERRORS, *OF_SIZES])
def test_errors_of_expected_work(message):
    arguments = {"radii": [1.0], "sizes": [2.0]} | (ERRORS | OF_SIZES)[message]
    with pytest.raises(ValueError, match=re.escape(message)):
        abut.grid.expected_work(**arguments)


@pytest.mark.parametrize("message", [*ERRORS, *OF_FAMILIES])
def test_errors_of_cell_sizes(message):
    arguments = {"radii": [1.0]} | (ERRORS | OF_FAMILIES)[message]
    with pytest.raises(ValueError, match=re.escape(message)):
        abut.grid.cell_sizes(**arguments)


@pytest.mark.parametrize("wrong", [{"radii": [True]}, {"levels": 2.0}, {"search": 1}])
def test_types(wrong):
    with pytest.raises(TypeError):
        abut.grid.cell_sizes(**({"radii": [1.0, 2.0]} | wrong))


def test_without_scipy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scipy.optimize", None)
    with pytest.raises(ImportError, match=r"this needs scipy"):
        abut.grid.cell_sizes([1.0, 2.0, 3.0], family="optimal", levels=2)
    assert len(abut.grid.cell_sizes([1.0, 2.0, 3.0], levels=2)) == 2
