"""What a plant feeds: rates of mass, distributions, velocities, faces, bodies and mixtures."""

import json
import pickle
import warnings

import numpy as np
import pytest

import abut
from abut.base.values import from_dict
from abut.simulation.cell_contents import cell_of
from scenes_simulation import state

BOX = [[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]]
# so large that grains find a place at once
WIDE = [[0.0, 0.0, 0.0], [9.0, 9.0, 9.0]]
GRAIN = abut.Material(density=2500, young=1e7)
WOOD = abut.Material(density=500, young=1e7)
ROD = abut.Cluster([[0, 0, 0], [0.05, 0, 0]], 0.03)
# not centered: the position of a body is no center of mass
WEDGE = abut.ConvexShape([[0, 0, 0], [2, 0, 0], [0, 1, 0], [0, 0, 1]], radius=0.1)
CURVE = [0.02, 0.04, 0.08], [0.0, 0.5, 1.0]
SIEVE = abut.Sizes.sieve(*CURVE)
MIX = (
    {"share": 2, "radii": (0.02, 0.03), "material": GRAIN},
    {"share": 1, "cluster": ROD, "material": WOOD},
    {"share": 1, "shape": WEDGE, "radii": 0.03, "material": WOOD},
)


def fine_and_coarse(generator, count):
    return np.where(generator.random(count) < 0.8, 0.01, 0.03)


def frozen_lognormal():
    return pytest.importorskip("scipy.stats").lognorm(0.2, scale=0.02)


def simulation(*feeds, step=1e-3, **options):
    sim = abut.Simulation(step=step, **({"gravity": (0, 0, 0)} | options))
    for pair in ((GRAIN, GRAIN), (GRAIN, WOOD), (WOOD, WOOD)):
        sim.set_law(*pair, abut.Linear(1e4))
    for feed in feeds:
        sim.add_insertion(feed)
    return sim


def passing(radii, openings):
    masses = radii**3
    return np.array([masses[2 * radii <= d].sum() for d in openings]) / masses.sum()


# ---- rates of mass, and distributions ------------------------------------------------------------


@pytest.mark.parametrize("radii", [0.02, (0.01, 0.03), SIEVE, fine_and_coarse])
def test_so_much_mass_comes_in_time(radii):
    sim = simulation(abut.Insertion(WIDE, radii, material=GRAIN, mass_rate=100.0))
    masses = sim.record(1e-2, lambda s: s.masses.sum())
    sim.run(0.3)
    largest = sim.masses.max()
    ahead = masses.values - 100.0 * masses.times
    assert ahead.max() < 1e-12 and ahead.min() > -largest
    assert len(sim.ids) > 20


def test_a_steady_rate_of_mass_is_one_of_numbers():
    mass = 2500 * 4 / 3 * np.pi * 0.02**3
    by_mass = simulation(abut.Insertion(BOX, 0.02, material=GRAIN, mass_rate=mass / 5e-3))
    by_number = simulation(abut.Insertion(BOX, 0.02, 200.0, GRAIN))
    for sim in (by_mass, by_number):
        sim.record(1e-3, lambda s: len(s.ids))
        sim.run(0.2)
    assert len(by_mass.ids) == len(by_number.ids) == 40


@pytest.mark.parametrize("rates", [{"rate": 2000.0}, {"mass_rate": 700.0}])
def test_the_mass_follows_the_sieve_curve(rates):
    """After a hundred grains at most the mass of two of the largest is amiss."""
    sim = simulation(abut.Insertion(BOX, SIEVE, material=GRAIN, **rates))
    while len(sim.ids) < 100:
        sim.run(steps=5)
    amiss = np.abs(passing(sim.radii, CURVE[0]) - CURVE[1]).max()
    assert amiss < 2 * sim.masses.max() / sim.masses.sum()


def test_frozen_distributions_are_those_of_scipy():
    frozen = frozen_lognormal()
    feed = abut.Insertion(WIDE, frozen, 5000.0, GRAIN)
    sim = simulation(feed)
    sim.run(0.1)
    ranks = np.sort(frozen.cdf(sim.radii))
    assert len(ranks) == 500
    np.testing.assert_allclose(ranks, np.arange(500) / 500, atol=0.01)
    assert repr(feed.radii) == "scipy.stats.lognorm(0.2, scale=0.02)"


def test_frozen_distributions_may_have_ends_and_keywords():
    stats = pytest.importorskip("scipy.stats")
    uniform = abut.Insertion(BOX, stats.uniform(loc=0.01, scale=0.02), 100.0, GRAIN).radii
    assert uniform.bounds == pytest.approx((0.01, 0.03), rel=1e-14)
    normal = abut.Insertion(BOX, stats.norm(0.02, 0.002), 100.0, GRAIN).radii
    assert normal.bounds == pytest.approx((0.012, 0.028), rel=1e-9)


def test_callables_draw_radii():
    asked = []

    def sizes(generator, count):
        asked.append(count)
        return generator.permutation(np.linspace(0.01, 0.02, count))

    sim = simulation(abut.Insertion(BOX, sizes, 1000.0, GRAIN))
    sim.run(0.05)
    assert sum(asked) == len(sim.radii) == 50
    assert ((sim.radii >= 0.01) & (sim.radii <= 0.02)).all()


@pytest.mark.parametrize(
    ("returned", "message"),
    [
        ([0.01, 0.01], r"the array that .*sizes returned has shape \(2,\), but must be \(1,\)"),
        ([-0.01], r"entry 0 of the array that .*sizes returned is -0.01"),
        ([0.6], "sizes returned a radius for which a grain is 1.2 wide, but the box is 1 wide"),
    ],
)
def test_callables_that_draw_no_radii(returned, message):
    def sizes(generator, count):
        return returned

    sim = simulation(abut.Insertion(BOX, sizes, 1000.0, GRAIN))
    with pytest.raises(ValueError, match=message):
        sim.run(steps=1)
    assert len(sim.ids) == 0


def test_a_full_box_does_not_fill_the_memory():
    """No more grains wait than became due while the box was full."""
    sim = simulation(abut.Insertion(BOX, lambda generator, count: [0.3] * count, 1e5, GRAIN))
    sim.run(steps=300)
    feed = sim._known.feeds[0]
    assert len(feed.state.waiting) <= 1e5 * 2e-3


# ---- velocities, and faces -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "what", [{"radii": 0.02}, {"cluster": ROD}, {"shape": WEDGE, "radii": 0.02}]
)
def test_grains_come_with_a_velocity(what):
    sim = simulation(
        abut.Insertion(WIDE, rate=100.0, material=GRAIN, velocity=(1, 0, -2), **what),
        abut.Insertion(
            np.add(WIDE, 10), rate=1000.0, material=GRAIN, velocity=[[-1, 2, 5], [1, 2, 7]], **what
        ),
    )  # fmt: skip
    sim.run(0.1)
    items = sim.bodies if "shape" in what else sim.clusters if "cluster" in what else sim.spheres
    fast = items.velocities
    steady = (fast == [1, 0, -2]).all(axis=1)
    assert steady.sum() == 10 and len(fast) > 80
    others = fast[~steady]
    assert (others[:, 1] == 2).all()
    np.testing.assert_allclose(others.min(axis=0), [-1, 2, 5], atol=0.2)
    np.testing.assert_allclose(others.max(axis=0), [1, 2, 7], atol=0.2)


def test_without_a_velocity_grains_move_with_the_cell():
    sim = simulation(
        abut.Insertion(BOX, rate=1000.0, material=GRAIN, shape=WEDGE, radii=0.02),
        period=(1.0, 1.0, 1.0),
    )
    gradient = [[0, 3.0, 0], [0, 0, 0], [0, 0, 0]]
    sim.deform_cell(gradient)
    sim.run(steps=20)
    assert len(sim.bodies) > 10
    # they were inserted after the step, so no step has moved them
    last = sim.bodies.numbers == sim.bodies.numbers[-1]
    still = cell_of(sim)["center"]
    expected = (sim.bodies.centers - still)[last] @ np.transpose(gradient)
    np.testing.assert_allclose(sim.bodies.velocities[last], expected, atol=1e-12)


@pytest.mark.parametrize(
    ("direction", "is_flat"),
    [("x", False), ("-x", True), ("y", True), ("-y", False), ("z", False), ("-z", True)],
)
def test_grains_come_in_through_a_face(direction, is_flat):
    axis, sign = "xyz".index(direction[-1]), -1.0 if len(direction) == 2 else 1.0
    box = np.array(BOX)
    face = box[1 if sign < 0 else 0, axis]
    if is_flat:
        box[:, axis] = face
    kinds = [
        {"share": 1, "radii": (0.02, 0.05), "material": GRAIN},
        {"share": 1, "cluster": ROD, "material": GRAIN},
    ]
    velocity = sign * np.eye(3)[axis]
    sim = simulation(
        abut.Insertion(box, rate=3000.0, mix=kinds, velocity=velocity, direction=direction)
    )
    sim.run(steps=1)
    beyond = sign * (sim.centers[:, axis] - face) - sim.radii
    groups = np.where(sim.spheres.cluster < 0, -1 - sim.ids, sim.spheres.cluster)
    firsts = [beyond[groups == group].min() for group in np.unique(groups)]
    assert len(firsts) == 3
    np.testing.assert_allclose(firsts, 0, atol=1e-15)
    sim.run(0.2)
    beyond = sign * (sim.centers[:, axis] - face) - sim.radii
    # they go one behind the other: more of them than find a place at once
    assert beyond.min() > -1e-12 and beyond.max() > 0.15
    others = np.delete(sim.centers, axis, axis=1)
    assert (others - sim.radii[:, None]).min() > -1e-12
    assert (others + sim.radii[:, None]).max() < 1 + 1e-12


def test_grains_keep_away_from_half_spaces_that_stand_moved_and_move():
    sim = simulation()
    for place, normal in (((0, 0, 0.2), (0, 0, 1)), ((0, 0, 0), (1, 0, 0)), ((0, 0, 0), (0, 1, 0))):
        sim.add_wall(abut.HalfSpace(place, normal), GRAIN)
    moved, moving = sim.walls[1:]
    moved.motion = moving.motion = abut.Translating((3.0, 1.0, 0.0))
    sim.run(0.1)
    moved.motion = None
    sim.run(0.1)
    # the planes x = 0.3, y = 0.2 and z = 0.2, of which the second one moves on
    sim.add_insertion(abut.Insertion(BOX, 0.05, 1e5, GRAIN))
    sim.run(steps=1)
    lowest = (sim.centers - sim.radii[:, None]).min(axis=0)
    assert len(sim.ids) > 20
    assert (lowest > [0.3, 0.201, 0.2]).all() and (lowest < [0.4, 0.3, 0.3]).all()
    sim.walls[0].active, moving.motion = False, None
    sim.run(steps=80)
    assert (sim.centers[:, 2] - sim.radii).min() < 0.1


# ---- bodies, and mixtures ------------------------------------------------------------------------


def test_bodies_are_in_the_box_apart_and_turned():
    sim = simulation(abut.Insertion(BOX, (0.03, 0.05), 2000.0, GRAIN, shape=WEDGE))
    sim.run(0.05)
    bodies = sim.bodies
    assert len(bodies) > 30
    reach = (bodies.scales * WEDGE.circumradius)[:, None]
    assert (bodies.centers - reach).min() >= 0 and (bodies.centers + reach).max() <= 1
    assert len(abut.find_pairs(bodies.centers, reach.ravel())) == 0
    equal = np.cbrt(3 * bodies.masses / (4 * np.pi * 2500))
    assert ((equal > 0.03) & (equal < 0.05)).all() and np.ptp(equal) > 0.015
    np.testing.assert_allclose((bodies.orientations**2).mean(axis=0), 0.25, atol=0.1)


def test_bodies_have_the_size_of_their_shape_by_default():
    sim = simulation(abut.Insertion(WIDE, rate=1000.0, material=GRAIN, shape=WEDGE))
    sim.run(steps=3)
    assert sim.bodies.scales.tolist() == [1.0] * 3


@pytest.mark.parametrize("rates", [{"rate": 1000.0}, {"mass_rate": 150.0}])
def test_mixtures_have_their_shares_of_the_mass(rates):
    sim = simulation(abut.Insertion(WIDE, mix=MIX, **rates))
    sim.run(0.2)
    alone = sim.masses[sim.spheres.cluster < 0]
    parts = [alone.sum(), sim.clusters.masses.sum(), sim.bodies.masses.sum()]
    largest = max(alone.max(), *sim.clusters.masses, *sim.bodies.masses)
    total = sum(parts)
    assert total > 40 * largest and not sim._known.feeds[0].state.waiting
    np.testing.assert_allclose(np.array(parts) / total, [0.5, 0.25, 0.25], atol=largest / total)
    assert [sim.materials[k] for k in np.unique(sim.spheres.material)] == [GRAIN, WOOD]


def test_mixtures_overlap_nothing():
    sim = simulation(abut.Insertion(BOX, rate=1e5, mix=MIX))
    sim.run(steps=40)
    spheres, bodies = sim.spheres, sim.bodies
    assert len(bodies) > 20 and len(sim.clusters) > 20 and sim._known.feeds[0].state.waiting
    clusters = np.where(spheres.cluster < 0, -1 - sim.ids, spheres.cluster)
    centers = np.concatenate([sim.centers, bodies.centers])
    reach = np.concatenate([sim.radii, bodies.scales * WEDGE.circumradius])
    owners = np.concatenate([clusters, 1000 + bodies.numbers])
    pairs = abut.find_pairs(centers, reach)
    assert (owners[pairs.i] == owners[pairs.j]).all()
    assert (centers - reach[:, None]).min() > -1e-12
    assert (centers + reach[:, None]).max() < 1 + 1e-12


def test_an_error_between_two_kinds_inserts_none_twice(monkeypatch):
    sim, whole = (simulation(abut.Insertion(BOX, rate=9000.0, mix=MIX)) for _ in range(2))
    whole.run(steps=2)

    def fail(self, *arguments, **parts):
        raise MemoryError("no more")

    with monkeypatch.context() as patch:
        patch.setattr(type(sim.clusters), "_put", fail)
        with pytest.raises(MemoryError):
            sim.run(steps=1)
    assert len(sim.ids) > 0 and len(sim.clusters) == len(sim.bodies) == 0
    sim.run(steps=1)
    for items in ("spheres", "clusters", "bodies"):
        assert len(getattr(sim, items)) == len(getattr(whole, items)) > 0


# ---- the same bits -------------------------------------------------------------------------------

FEEDS = {
    "sieve": lambda: abut.Insertion(BOX, SIEVE, material=GRAIN, mass_rate=4000.0),
    "numbers": lambda: abut.Insertion(BOX, SIEVE, 3000.0, GRAIN),
    "callable": lambda: abut.Insertion(BOX, fine_and_coarse, 9000.0, GRAIN, 3),
    "frozen": lambda: abut.Insertion(BOX, frozen_lognormal(), material=GRAIN, mass_rate=400.0),
    "bodies": lambda: abut.Insertion(BOX, SIEVE, 2000.0, GRAIN, shape=WEDGE),
    "mix": lambda: abut.Insertion(BOX, rate=9000.0, mix=MIX, seed=5),
    "mix of mass": lambda: abut.Insertion(
        BOX, mass_rate=4000.0, mix=[*MIX, {"share": 1, "radii": fine_and_coarse, "material": WOOD}]
    ),
    "face": lambda: abut.Insertion(
        BOX, (0.02, 0.04), 9000.0, GRAIN, direction="-z", velocity=[[0, 0, -2], [0, 0, -1]]
    ),
}


@pytest.mark.parametrize("name", FEEDS)
def test_runs_in_parts_copies_and_files_have_the_same_bits(name, tmp_path):
    sim, parts = (simulation(FEEDS[name]()) for _ in range(2))
    sim.run(steps=60)
    for steps in (7, 1, 22):
        parts.run(steps=steps)
    branch = parts.copy()
    parts.save(tmp_path / "a.npz")
    sizes = {"fine_and_coarse": fine_and_coarse}
    again = abut.load_simulation(tmp_path / "a.npz", sizes=sizes)
    for other in (parts, branch, again):
        assert len(other.ids) + len(other.bodies) > 10
        other.run(steps=30)
        assert state(other) == state(sim)
        assert len(other.bodies) == len(sim.bodies)
        if len(sim.bodies):
            assert other.bodies.positions.tolist() == sim.bodies.positions.tolist()
            assert other.bodies.velocities.tolist() == sim.bodies.velocities.tolist()


@pytest.mark.parametrize("name", FEEDS)
def test_insertions_are_values(name):
    feed = FEEDS[name]()
    assert pickle.loads(pickle.dumps(feed)) == feed
    copy = from_dict(json.loads(json.dumps(feed.to_dict())))
    assert copy.with_given({"fine_and_coarse": fine_and_coarse}) == feed
    assert hash(feed) == hash(FEEDS[name]())
    begun = feed.begin()
    assert (
        feed.state_from_dict(json.loads(json.dumps(begun.to_dict()))).to_dict() == begun.to_dict()
    )


def test_plain_insertions_are_stored_as_before():
    feed = abut.Insertion(BOX, (0.01, 0.02), 100.0, GRAIN)
    assert list(feed.to_dict()) == ["kind", "box", "radii", "rate", "material", "seed", "cluster"]
    assert list(feed.begin().to_dict()) == ["generator", "inserted", "waiting"]


def test_callables_are_given_to_load_simulation(tmp_path):
    sim = simulation(abut.Insertion(BOX, fine_and_coarse, 9000.0, GRAIN))
    sim.save(tmp_path / "a.npz")
    with pytest.raises(ValueError, match=r"radii of your own, fine_and_coarse, .* pass sizes="):
        abut.load_simulation(tmp_path / "a.npz")
    with pytest.raises(TypeError, match=r"sizes\['fine_and_coarse'\] is an int, but must be a"):
        abut.load_simulation(tmp_path / "a.npz", sizes={"fine_and_coarse": 3})


def test_callables_with_one_name_are_not_saved(tmp_path):
    feeds = [abut.Insertion(BOX, lambda g, n, r=r: [r] * n, 10.0, GRAIN) for r in (0.01, 0.02)]
    sim = simulation(*feeds)
    with pytest.raises(ValueError, match="two functions for radii of insertions have the name"):
        sim.save(tmp_path / "a.npz")
    sim.copy().run(steps=1)


def test_distributions_that_scipy_does_not_have(tmp_path):
    stats = pytest.importorskip("scipy.stats")

    class Ramp(stats.rv_continuous):
        def _cdf(self, x):
            return (100 * x - 1) ** 2

    ramp = Ramp(a=0.01, b=0.02, name="ramp")()
    sim = simulation(abut.Insertion(BOX, ramp, 1000.0, GRAIN))
    sim.run(0.1)
    np.testing.assert_allclose(np.sort(ramp.cdf(sim.radii)), np.arange(100) / 100, atol=0.03)
    sim.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz", sizes={"ramp": ramp})
    for other in (sim, again):
        other.run(0.05)
    assert state(again) == state(sim)


# ---- errors --------------------------------------------------------------------------------------

SPHERES = {"radii": 0.02, "rate": 10.0, "material": GRAIN}


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"rate": None}, "rate and mass_rate are missing: give one of them"),
        ({"mass_rate": 1.0}, "rate and mass_rate are both given"),
        ({"rate": None, "mass_rate": -1.0}, "mass_rate is -1.0, but must be positive"),
        ({"velocity": (1, 2)}, r"velocity has shape \(2,\), but must be \(3,\), or \(2, 3\)"),
        ({"velocity": (1, np.nan, 2)}, r"velocity\[1\] is nan"),
        ({"velocity": [[0, 1, 0], [0, 0, 0]]}, "velocity goes from 1 to 0 along y"),
        ({"direction": "up"}, "direction is 'up', but must be 'x' or '-x'"),
        (
            {"direction": "-z", "velocity": (0, 0, 1)},
            "a component of 1 along z, but grains come in",
        ),
        ({"direction": "x", "velocity": [[-1, 0, 0], [1, 0, 0]]}, "a component of -1 along x"),
        ({"box": [[0, 0, 0], [1, 1, 0]]}, r"flat along z, .*: give direction=\"z\""),
        ({"box": [[0, 0, 0], [1, 0.01, 0]], "direction": "z"}, "the box is 0.01 wide"),
        ({"shape": WEDGE, "cluster": ROD}, "cluster and shape are both given"),
        ({"shape": WEDGE, "material": abut.Material()}, "needs a density for bodies"),
        ({"shape": WEDGE, "radii": 0.4}, "the box is 1 wide, but the bodies' diameter is"),
        ({"shape": abut.ConvexShape([[0, 0], [1, 0], [0, 1]])}, "shape is a polygon"),
        ({"radii": abut.Sizes.lognormal(0.1, 1.0)}, "the box is 1 wide, but the spheres' diameter"),
        ({"mix": MIX}, "radii and mix are both given: put radii into mix"),
    ],
)
def test_arguments_that_do_not_fit(arguments, message):
    with pytest.raises(ValueError, match=message):
        abut.Insertion(**({"box": BOX} | SPHERES | arguments))


@pytest.mark.parametrize(
    ("gravity", "velocity", "warns"),
    [
        ((0, 0, 0), None, True),
        ((0, 0, 9.81), None, True),
        ((9.81, 0, 0), (0, 0, 0), True),
        ((0, 0, 0), (1, 0, 0), True),
        ((0, 0, 0), (0, 0, -1), False),
        ((0, 0, 9.81), [[0, 0, -1], [0, 0, 0]], False),
        ((0, 0, -9.81), None, False),
    ],
)
def test_a_stream_that_stays_at_its_face_warns_once(gravity, velocity, warns):
    sim = abut.Simulation(step=1e-3, gravity=gravity)
    feed = abut.Insertion(BOX, direction="-z", velocity=velocity, **SPHERES)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        sim.add_insertion(feed)
        sim.run(steps=5)
    assert [str(one.message)[:34] for one in caught] == [
        'grains come in along "-z", but wit'
    ] * warns


def test_a_stream_that_forces_carry_does_not_warn():
    sims = [abut.Simulation(step=1e-3, gravity=(0, 0, 0), period=(1, 1, 1)) for _ in range(2)]
    sims[0].add_force(lambda s: np.zeros((len(s.ids), 3)))
    sims[1].deform_cell(np.diag([0, 0, -1.0]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for sim in sims:
            sim.add_insertion(abut.Insertion(BOX, direction="-z", **SPHERES))


@pytest.mark.parametrize(
    ("mix", "error", "message"),
    [
        ([], ValueError, "mix is empty, but must be a list of one or more dicts"),
        (MIX[0], TypeError, "mix is a dict, but must be a list"),
        ([MIX[0], 3], TypeError, r"mix\[1\] is an int, but must be a dict"),
        ([MIX[0] | {"size": 1}], ValueError, r"mix\[0\] has 'size', but its keys are share, radii"),
        ([{"radii": 0.1, "material": GRAIN}], ValueError, r"mix\[0\] has no 'share'"),
        ([MIX[0] | {"share": 0}], ValueError, r"mix\[0\]: share is 0.0, but must be positive"),
        ([*MIX[:2], MIX[2] | {"radii": -1}], ValueError, r"mix\[2\]: radii is -1.0"),
        ([MIX[0] | {"material": 3}], TypeError, r"mix\[0\]: material is 3"),
    ],
)
def test_mixtures_that_are_wrong(mix, error, message):
    with pytest.raises(error, match=message):
        abut.Insertion(BOX, rate=1.0, mix=mix)


def test_distributions_that_give_no_radii():
    stats = pytest.importorskip("scipy.stats")
    with pytest.raises(ValueError, match=r"radii is scipy.stats.norm\(0.1, 0.1\), which has radii"):
        abut.Insertion(BOX, stats.norm(0.1, 0.1), 1.0, GRAIN)
    with pytest.raises(TypeError, match="radii is a distribution without parameters: freeze it"):
        abut.Insertion(BOX, stats.lognorm, 1.0, GRAIN)


def test_a_mixture_draws_by_arrive():
    feed = abut.Insertion(BOX, rate=1000.0, mix=MIX)
    with pytest.raises(ValueError, match="there is a mix: use arrive"):
        feed.draw(feed.begin(), 0.01, lambda centers, radii: radii < 0)
    with pytest.raises(ValueError, match="depends on their masses"):
        abut.Insertion(BOX, 0.1, material=GRAIN, mass_rate=1.0).due(1.0)
    arrivals = feed.arrive(feed.begin(), 0.02, lambda centers, radii: radii < 0)
    assert [one.kind for one in arrivals] == [0, 1, 2]
    assert sum(len(one.sizes) for one in arrivals) == 20
