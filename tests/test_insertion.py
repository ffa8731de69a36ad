"""Insertion into a simulation: numbers, places, and no overlaps."""

import json
import pickle

import numpy as np
import pytest

import abut
from abut.base.values import from_dict

BOX = [[0.0, 1.0, 2.0], [1.0, 1.5, 3.0]]
GRAIN = abut.Material(density=2500, young=1e7)
DUMBBELL = abut.Cluster([[0, 0, 0], [0.1, 0, 0]], [0.05, 0.03])


class Scene:
    """Existing spheres, and a loop of steps with an insertion."""

    def __init__(self, feed, state=None, period=None):
        self.feed, self.period = feed, period
        self.state = feed.begin() if state is None else state
        self.centers, self.radii, self.counts = np.empty((0, 3)), np.empty(0), []

    def near(self, centers, radii):
        assert radii.shape == (len(centers),)
        others = self.centers, self.radii
        touched = np.zeros(len(radii), bool)
        touched[abut.find_pairs(centers, radii, others=others, period=self.period).i] = True
        return touched

    def run(self, times):
        for t in times:
            drawn = self.feed.draw(self.state, t, self.near, self.period)
            centers, radii = drawn if self.feed.cluster is None else self.spheres(*drawn)
            self.counts.append(len(drawn[0]))
            self.centers = np.concatenate([self.centers, centers])
            self.radii = np.concatenate([self.radii, radii])
        return self

    def spheres(self, positions, orientations):
        """Members of clusters, turned by SciPy."""
        rotation = pytest.importorskip("scipy.spatial.transform").Rotation
        cluster = self.feed.cluster
        members = cluster.centers - cluster.offset
        turns = [rotation.from_quat(one).apply(members) for one in orientations]
        centers = np.array([p + m for p, m in zip(positions, turns, strict=True)]).reshape(-1, 3)
        return centers, np.tile(cluster.radii, len(positions))

    def overlaps(self):
        """The number of pairs that are not within one cluster."""
        size = 1 if self.feed.cluster is None else len(self.feed.cluster.radii)
        pairs = abut.find_pairs(self.centers, self.radii, period=self.period)
        return np.count_nonzero(pairs.i // size != pairs.j // size)


def test_so_many_come_in_time():
    feed = abut.Insertion(BOX, 0.01, rate=100.0, material=GRAIN)
    scene = Scene(feed).run(np.arange(0, 101) * 0.001)
    assert len(scene.radii) == 10
    assert scene.counts[0] == 0
    # one each hundredth
    assert np.flatnonzero(scene.counts).tolist() == list(range(10, 101, 10))


@pytest.mark.parametrize("rate", [3.0, 7.0, 1e3, 1 / 3, 49.0])
def test_rounding_makes_none_late(rate):
    feed = abut.Insertion(BOX, 0.01, rate, GRAIN)
    assert [feed.due(k / rate) for k in range(1000)] == list(range(1000))


@pytest.mark.parametrize("radii", [0.02, (0.01, 0.03)])
def test_all_are_in_the_box_and_apart(radii):
    scene = Scene(abut.Insertion(BOX, radii, 5000.0, GRAIN, seed=4)).run(np.arange(1, 200) * 1e-3)
    low, high = np.array(BOX)
    size = scene.radii[:, None]
    assert len(size) > 500
    assert np.all(scene.centers - size >= low) and np.all(scene.centers + size <= high)
    # spheres are inserted near all sides
    assert np.all((scene.centers - size).min(axis=0) < low + 0.02)
    assert np.all((scene.centers + size).max(axis=0) > high - 0.02)
    assert scene.overlaps() == 0


def test_clusters_are_in_the_box_and_apart():
    feed = abut.Insertion(BOX, None, 2000.0, GRAIN, cluster=DUMBBELL)
    scene = Scene(feed).run(np.arange(1, 100) * 1e-3)
    low, high = np.array(BOX)
    size = scene.radii[:, None]
    assert 50 < len(size) / 2 == scene.state.inserted
    assert np.all(scene.centers - size >= low - 1e-15)
    assert np.all(scene.centers + size <= high + 1e-15)
    assert scene.overlaps() == 0


def test_clusters_are_turned_all_ways():
    feed = abut.Insertion([[0, 0, 0], [9, 9, 9]], None, 1e4, GRAIN, cluster=DUMBBELL)
    _, orientations = feed.draw(feed.begin(), 0.1, lambda centers, radii: radii < 0)
    np.testing.assert_allclose(np.linalg.norm(orientations, axis=1), 1, rtol=1e-14)
    np.testing.assert_allclose(orientations.mean(axis=0), 0, atol=0.05)
    np.testing.assert_allclose((orientations**2).mean(axis=0), 0.25, atol=0.05)


def test_positions_of_clusters_are_their_centers_of_mass():
    far = abut.Cluster(DUMBBELL.centers + 100.0, DUMBBELL.radii)
    feed = abut.Insertion(BOX, None, 100.0, GRAIN, cluster=far)
    positions, _ = feed.draw(feed.begin(), 0.1, lambda centers, radii: radii < 0)
    assert len(positions) > 0
    assert np.all((positions > BOX[0]) & (positions < BOX[1]))


def test_what_finds_no_place_waits():
    feed = abut.Insertion(BOX, (0.01, 0.02), 1000.0, GRAIN)
    state = feed.begin()
    centers, _ = feed.draw(state, 0.01, lambda centers, radii: radii > 0)
    waiting = list(state.waiting)
    assert (len(centers), state.inserted, len(waiting)) == (0, 0, 10)
    _, radii = feed.draw(state, 0.01, lambda centers, radii: radii < 0)
    assert radii.tolist() == waiting
    assert (state.inserted, state.waiting) == (10, [])


@pytest.mark.parametrize("radii", [(0.01, 0.02), None])
def test_of_several_places_the_first_counts_where_nothing_is(radii):
    cluster = DUMBBELL if radii is None else None
    feed = abut.Insertion(BOX, radii, 1000.0, GRAIN, cluster=cluster)
    state, asked = feed.begin(), []
    edge = 0.9 if cluster is None else 0.7

    def right(centers, radii):
        asked.append(len(radii))
        return centers[:, 0] < edge

    size = 1 if cluster is None else 2
    positions, _ = feed.draw(state, 0.02, right, tries=8)
    assert asked[0] > 4 * 20 * size
    # of 20 some find a place at the right end in 8 tries, and none twice
    assert 3 < len(positions) == state.inserted == 20 - len(state.waiting)
    assert (positions[:, 0] > edge - 0.02).all()
    many = feed.begin()
    feed.draw(many, 1.0, right, tries=8)
    # of a thousand each is tried once
    assert asked[1] <= 1000 * size


def test_radii_are_spread_evenly_however_full_the_box_is():
    scene = Scene(abut.Insertion(BOX, (0.01, 0.05), 4000.0, GRAIN)).run(np.arange(1, 300) * 1e-3)
    sizes = np.concatenate([scene.radii, scene.state.waiting])
    assert len(scene.state.waiting) > 100
    assert np.histogram(sizes, 4, (0.01, 0.05))[0] / len(sizes) == pytest.approx(0.25, abs=0.05)


def test_no_more_are_tried_than_the_box_would_hold():
    tried = []

    def near(centers, radii):
        tried.append(len(radii))
        return np.ones(len(radii), bool)

    feed = abut.Insertion(BOX, 0.1, 1e12, GRAIN)
    state = feed.begin()
    for _ in range(3):
        feed.draw(state, 1.0, near)
    assert tried == [120, 120, 120]  # 0.5 / (4/3 pi 0.001), and one


def test_nothing_is_asked_where_nothing_is_due():
    feed = abut.Insertion(BOX, 0.1, 1.0, GRAIN)
    state = feed.begin()
    before = state.to_dict()
    centers, radii = feed.draw(state, 0.5, lambda centers, radii: 1 / 0)
    assert centers.shape == (0, 3) and radii.shape == (0,)
    assert state.to_dict() == before
    cluster = abut.Insertion(BOX, None, 1.0, GRAIN, cluster=DUMBBELL)
    positions, turns = cluster.draw(cluster.begin(), 0.5, lambda centers, radii: 1 / 0)
    assert positions.shape == (0, 3) and turns.shape == (0, 4)


def test_periodic_boxes():
    """A box that is longer than the period: images, too, are apart."""
    period = (0.5, None, None)
    scene = Scene(abut.Insertion(BOX, 0.05, 1e4, GRAIN), period=period).run([0.01, 0.02, 0.03])
    assert len(scene.radii) > 50
    assert scene.overlaps() == 0


@pytest.mark.parametrize("radii", [(0.01, 0.03), None])
def test_the_seed_tells_what_comes(radii):
    cluster = DUMBBELL if radii is None else None
    times = np.arange(1, 50) * 1e-3

    def centers(seed):
        return Scene(abut.Insertion(BOX, radii, 900.0, GRAIN, seed, cluster)).run(times).centers

    one, again, other = centers(1), centers(1), centers(2)
    assert one.tolist() == again.tolist()
    assert one[:4].tolist() != other[:4].tolist()


@pytest.mark.parametrize("radii", [(0.01, 0.05), None])
def test_a_stored_state_goes_on_with_the_same_bits(radii):
    feed = abut.Insertion(BOX, radii, 3000.0, GRAIN, 3, DUMBBELL if radii is None else None)
    times = np.arange(1, 100) * 1e-3
    through = Scene(feed).run(times)
    first = Scene(feed).run(times[:40])
    assert first.state.waiting
    copy = from_dict(json.loads(json.dumps(feed.to_dict())))
    stored = json.loads(json.dumps(first.state.to_dict()))
    second = Scene(copy, copy.state_from_dict(stored))
    second.centers, second.radii = first.centers, first.radii
    assert second.run(times[40:]).centers.tolist() == through.centers.tolist()
    assert copy == feed and pickle.loads(pickle.dumps(feed)) == feed


def changed(**arguments):
    known = {"box": BOX, "radii": 0.1, "rate": 10.0, "material": GRAIN}
    return abut.Insertion(**(known | arguments))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"box": BOX[0]}, r"box has shape \(3,\), but must be \(2, 3\)"),
        ({"box": [BOX[0], [1, np.nan, 3]]}, r"box\[1\]\[1\] is nan"),
        ({"box": BOX[::-1]}, "box goes from 1 to 0 along x"),
        ({"radii": 0.0}, "radii is 0.0"),
        ({"radii": (0.1, -0.2)}, r"radii\[1\] is -0.2"),
        ({"radii": (0.2, 0.1)}, r"radii is \(0.2, 0.1\), but must be \(low, high\)"),
        ({"radii": [0.1] * 3}, r"radii has shape \(3,\)"),
        ({"radii": (0.1, 0.26)}, "the box is 0.5 wide, but the spheres' diameter is 0.52"),
        ({"rate": 0.0}, "rate is 0.0"),
        ({"rate": np.nan}, "rate is nan"),
        ({"material": abut.Material()}, "but needs a density for spheres"),
        ({"seed": -1}, "seed is -1"),
        ({"cluster": DUMBBELL}, "radii must be None where clusters come"),
        (
            {"cluster": DUMBBELL, "radii": None, "material": abut.Material()},
            "has no mass and its material no density",
        ),
        (
            {"cluster": abut.Cluster([[0, 0, 0], [3, 0, 0]], 0.1), "radii": None},
            "the cluster fits into the box in no orientation",
        ),
    ],
)
def test_what_is_no_insertion(arguments, message):
    with pytest.raises(ValueError, match=message):
        changed(**arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"radii": None}, "radii is None"),
        ({"rate": "fast"}, "rate is 'fast'"),
        ({"material": 2500}, "material is 2500, but must be a Material"),
        ({"seed": 1.5}, "seed is 1.5"),
        ({"cluster": [[0, 0, 0]], "radii": None}, "but must be a Cluster"),
    ],
)
def test_what_is_of_another_type(arguments, message):
    with pytest.raises(TypeError, match=message):
        changed(**arguments)
