"""Distributions of radii: their shares, ends and bits, and arguments that are wrong."""

import json
import pickle
from fractions import Fraction
from statistics import NormalDist

import numpy as np
import pytest

import abut
from abut.base.values import from_dict
from abut.simulation.sizes import normal_quantiles, strata

NORMAL = abut.Sizes.normal(2e-3, 2e-4)
LOGNORMAL = abut.Sizes.lognormal(1e-3, 0.3)
WEIBULL = abut.Sizes.weibull(1e-3, 4.0)
CUT = abut.Sizes.normal(1.0, 0.5, low=0.2, high=2.0)
CURVES = [
    ([1.0, 2.0, 4.0], [0.0, 0.3, 1.0]),
    ([0.5, 0.7, 1.0, 1.4, 2.0, 2.8], [0.0, 0.1, 0.3, 0.6, 0.9, 1.0]),
    ([1.0, 2.0, 2.0, 3.0], [0.0, 0.2, 0.7, 1.0]),
]
ALL = [NORMAL, LOGNORMAL, WEIBULL, CUT, *(abut.Sizes.sieve(*curve) for curve in CURVES)]


def draw(sizes, count, seed=0):
    return sizes(np.random.default_rng(seed), count)


def passing(radii, openings, power=3):
    """The part that passes each opening; by number with a power of 0."""
    shares = radii**power
    return np.array([shares[2 * radii <= d].sum() for d in openings]) / shares.sum()


@pytest.mark.parametrize("curve", CURVES, ids=["steep", "sieves", "a step"])
@pytest.mark.parametrize("seed", range(5))
def test_the_mass_follows_the_curve_from_the_first_hundred_grains_on(curve, seed):
    """At most the mass of two of the largest grains is amiss, however many were drawn."""
    openings = curve[0]
    parts = np.array([max(p for d, p in zip(*curve, strict=True) if d <= end) for end in openings])
    radii = draw(abut.Sizes.sieve(*curve), 3000, seed)
    for count in (100, 300, 1000, 3000):
        some = radii[:count]
        grain = some.max() ** 3 / (some**3).sum()
        amiss = np.abs(passing(some, openings) - parts).max()
        assert amiss < 2 * grain
    assert amiss < 0.02
    # between two openings the curve is straight
    middle = 0.5 * (openings[0] + openings[1])
    assert passing(radii, [middle])[0] == pytest.approx(curve[1][1] / 2, abs=0.01)


def test_curves_by_number():
    openings, parts = CURVES[1]
    radii = draw(abut.Sizes.sieve(openings, parts, by="number"), 100)
    assert passing(radii, openings, 0) == pytest.approx(parts, abs=0.021)


def test_curves_may_be_given_downwards_and_scaled():
    openings, parts = map(np.array, CURVES[1])
    sizes = abut.Sizes.sieve(openings, parts)
    assert abut.Sizes.sieve(openings[::-1], parts[::-1]) == sizes
    huge = draw(abut.Sizes.sieve(2.0**600 * openings, parts), 50)
    assert huge.tolist() == (2.0**600 * draw(sizes, 50)).tolist()


def test_parts_that_are_summed_end_at_one():
    parts = np.concatenate([[0.0], np.cumsum(np.full(10, 0.1))])
    assert parts[-1] != 1.0
    assert abut.Sizes.sieve(np.arange(1, 12), parts).passing[-1] == 1.0


@pytest.mark.parametrize("sizes", ALL, ids=str)
def test_radii_are_spread_evenly_from_end_to_end(sizes):
    places = np.linspace(0, 1, 1001)
    radii = sizes.radii(places)
    assert np.all(np.diff(radii) >= 0)
    assert radii[[0, -1]] == pytest.approx(sizes.bounds, rel=1e-14)
    some = np.sort(draw(sizes, 200))
    assert np.all((some >= sizes.bounds[0]) & (some <= sizes.bounds[1]))
    below, above = (np.searchsorted(radii, some, side) / 1000 for side in ("left", "right"))
    ranks = np.arange(200) / 200
    assert np.all((below - 0.025 < ranks) & (ranks < above + 0.025))


def test_moments():
    radii = draw(NORMAL, 10_000)
    assert (radii.mean(), radii.std()) == pytest.approx((2e-3, 2e-4), rel=2e-3)
    logarithms = np.log(draw(LOGNORMAL, 10_000))
    assert (logarithms.mean(), logarithms.std()) == pytest.approx((np.log(1e-3), 0.3), rel=2e-3)
    above = [(draw(WEIBULL, 10_000) > r).mean() for r in (0.5e-3, 1e-3, 1.2e-3)]
    assert above == pytest.approx(np.exp([-(0.5**4), -1, -(1.2**4)]), abs=1e-3)


def test_sizes_are_those_of_scipy():
    stats = pytest.importorskip("scipy.stats")
    tail = stats.norm.cdf(-4.0)
    places = np.linspace(0.0, 1.0, 101)
    inside = tail + places * (1 - 2 * tail)
    known = {
        NORMAL: stats.norm(2e-3, 2e-4),
        LOGNORMAL: stats.lognorm(0.3, scale=1e-3),
        WEIBULL: stats.weibull_min(4.0, scale=1e-3),
    }
    for sizes, frozen in known.items():
        assert sizes.radii(places) == pytest.approx(frozen.ppf(inside), rel=1e-11)
    cut = stats.truncnorm(-1.6, 2.0, 1.0, 0.5)
    assert CUT.radii(places) == pytest.approx(cut.ppf(places), rel=1e-11)


def test_quantiles_of_the_normal_distribution():
    far = 10.0 ** -np.arange(2, 16)
    places = np.concatenate([np.linspace(0.001, 0.999, 999), far, 1 - far])
    known = [NormalDist().inv_cdf(place) for place in places.tolist()]
    assert normal_quantiles(places) == pytest.approx(known, rel=1e-14, abs=1e-16)


def test_the_seed_shifts_all_grains():
    one, again, other = (draw(NORMAL, 20, seed) for seed in (1, 1, 2))
    assert one.tolist() == again.tolist()
    assert not np.isin(one, other).any()
    assert draw(NORMAL, 0).shape == (0,)


def test_places_are_those_of_whole_numbers():
    """Multiples of the golden ratio, in Python's integers."""
    start = 12345678901234567890
    golden = 0x9E3779B97F4A7C15
    turns = [(start + k * golden) % 2**64 for k in range(7, 107)]
    assert strata(start, 7, 100).tolist() == [
        float(Fraction(turn >> 12) + Fraction(1, 2)) / 2**52 for turn in turns
    ]
    assert golden / 2**64 == pytest.approx((np.sqrt(5) - 1) / 2, rel=1e-15)


@pytest.mark.parametrize("sizes", ALL, ids=str)
def test_sizes_are_values(sizes):
    copy = from_dict(json.loads(json.dumps(sizes.to_dict())))
    assert copy == sizes == pickle.loads(pickle.dumps(sizes))
    assert hash(copy) == hash(sizes)
    assert isinstance(sizes, abut.Sizes) and repr(sizes).startswith("Sizes.")
    assert draw(copy, 30).tolist() == draw(sizes, 30).tolist()


def test_all_alike():
    assert draw(abut.Sizes.normal(2.0, 0.0), 3).tolist() == [2.0] * 3
    assert draw(abut.Sizes.lognormal(2.0, 0.0), 3).tolist() == [2.0] * 3
    assert draw(abut.Sizes.sieve([3.0, 3.0], [0, 1]), 3).tolist() == [1.5] * 3


@pytest.mark.parametrize(
    ("make", "arguments", "message"),
    [
        ("normal", (0.0, 1.0), "mean is 0.0, but must be positive"),
        ("normal", (1.0, -1.0), "deviation is -1.0"),
        (
            "normal",
            (1.0, 0.3),
            "goes down to a radius of -0.2, .*: give a smaller deviation, or low=",
        ),
        ("lognormal", (1.0, np.inf), "sigma is inf"),
        ("lognormal", (1.0, 40.0), "sigma is 40, but is the deviation of the natural logarithm"),
        ("weibull", (1.0, 0.01), "shape is 0.01, but must be at least 0.1"),
        ("sieve", ([1.0], [1.0]), r"openings has shape \(1,\)"),
        ("sieve", ([1, 2, 3], [0, 1]), r"passing has shape \(2,\), but must be \(3,\)"),
        ("sieve", ([1, 3, 2, 4], [0, 0.1, 0.2, 1]), "openings goes from 3 to 2"),
        ("sieve", ([1, 2, 3], [0, 0.5, 0.4]), "passing goes from 0.5 to 0.4"),
        ("sieve", ([1, np.nan], [0, 1]), r"openings\[1\] is nan"),
        ("sieve", ([0, 1], [0, 1]), "openings has 0, but openings are positive diameters"),
        ("sieve", ([1, 2], [0.1, 1]), "passing is 0.1 at the smallest opening, 1"),
        ("sieve", ([1, 2], [0, 100]), "must end at 1: divide percent by 100"),
        ("sieve", ([1, 2], [0, 0.9]), "passing is 0.9 at the largest opening, 2"),
        ("sieve", ([1, 2], [0, 1], "volume"), "by is 'volume', but must be 'mass' or 'number'"),
    ],
)
def test_numbers_that_make_no_distribution(make, arguments, message):
    with pytest.raises(ValueError, match=message):
        getattr(abut.Sizes, make)(*arguments)


def test_ends_that_make_no_distribution():
    with pytest.raises(ValueError, match=r"low is -1\.0"):
        abut.Sizes.normal(1.0, 0.1, low=-1.0)
    with pytest.raises(ValueError, match="has no radius between 2 and 1"):
        abut.Sizes.weibull(1.0, 2.0, low=2.0, high=1.0)
    with pytest.raises(TypeError, match="mean is 'fine'"):
        abut.Sizes.normal("fine", 0.1)


def test_calls_that_draw_nothing():
    with pytest.raises(TypeError, match=r"Sizes takes no numbers: use Sizes\.normal"):
        abut.Sizes(1.0, 0.1)
    with pytest.raises(TypeError, match=r"generator is 0, but must be np\.random\.default_rng"):
        NORMAL(0, 5)
    with pytest.raises(ValueError, match="count is -5, but must be 0 or positive"):
        draw(NORMAL, -5)
    with pytest.raises(TypeError, match=r"count is 5\.5, but must be an integer"):
        draw(NORMAL, 5.5)


@pytest.mark.parametrize("places", [[-1, 2], [0.5, 1.5], [np.nan]])
def test_places_are_fractions(places):
    for sizes in (abut.Sizes.normal(1.0, 0.1), abut.Sizes.sieve([1, 2], [0, 1])):
        with pytest.raises(
            ValueError, match=r"places has .*, but places are fractions from 0 to 1"
        ):
            sizes.radii(places)
