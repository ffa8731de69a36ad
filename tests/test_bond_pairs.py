"""The law of two spheres beside their bond, and after it has broken."""

import numpy as np
import pytest

import abut
from scenes_dem import lead
from test_cohesion import BORN_APART, CASES, POWDER, RADIUS

pytestmark = pytest.mark.filterwarnings("ignore::abut.SimulationWarning")

NECKS = ("JKR", "bridge", "linear bridge")
REACHING = (*NECKS, *BORN_APART)
# what a pull along x breaks, and pressing does not
GLUE = abut.Bond(young=1e7, tensile_strength=1e4)


def bonded(case, overlap, bond=GLUE, **options):
    sim = abut.Simulation(step=1e-7, gravity=(0, 0, 0), **options)
    sim.set_law(POWDER, POWDER, case.law)
    sim.add_spheres(put(overlap), RADIUS, POWDER)
    sim.bond([[0, 1]], bond)
    return sim


def put(overlap):
    return [[0.0, 0, 0], [2 * RADIUS - overlap, 0, 0]]


def at(sim, overlap):
    """What the law exerts on the first sphere there, away from the second; None: there is no
    row."""
    lead(sim, put(overlap))
    np.testing.assert_array_equal(sim.forces.sum(axis=0), 0)
    return -sim.pairs.force[0, 0] if len(sim.pairs) else None


@pytest.mark.parametrize("name", NECKS)
def test_a_neck_begins_after_the_bond(name):
    """Two spheres that touched while they were bonded have no neck."""
    case, reach = CASES[name], CASES[name].reach(RADIUS / 2)
    sim = bonded(case, 0.0, abut.Bond(young=1e7))
    assert at(sim, 1e-3 * reach) == 0.0
    assert at(sim, -0.1 * reach) is None
    assert len(sim.bonds) == 1
    weak = bonded(case, 0.0, abut.Bond(young=1e7, tensile_strength=1e-30))
    assert at(weak, 1e-3 * reach) == 0.0
    assert at(weak, -0.1 * reach) is None
    assert len(weak.breakages) == 1
    for overlap in (-0.1 * reach, -0.5 * reach, -0.05 * reach):
        assert at(weak, overlap) is None
    assert weak.forces.tolist() == [[0, 0, 0]] * 2
    # from touch on there is one
    for overlap in (1e-3 * reach, -0.1 * reach, -0.9 * reach):
        assert at(weak, overlap) == pytest.approx(case.force(overlap, RADIUS / 2), rel=1e-7)
    assert at(weak, -1.01 * reach) is None
    assert at(weak, -0.5 * reach) is None


@pytest.mark.parametrize("name", NECKS)
def test_a_neck_beside_a_bond_outlasts_it(name):
    case, reach = CASES[name], CASES[name].reach(RADIUS / 2)
    sim = bonded(case, 0.0, abut.Bond(young=1e7, tensile_strength=1e-30, contact=True))
    for overlap in (1e-3 * reach, -0.1 * reach, -0.9 * reach):
        assert at(sim, overlap) == pytest.approx(case.force(overlap, RADIUS / 2), rel=1e-7)
    assert len(sim.breakages) == 1
    # one without touch has none
    other = bonded(case, -0.5 * reach, abut.Bond(young=1e7, contact=True))
    assert at(other, -0.1 * reach) is None
    assert len(other.bonds) == 1


@pytest.mark.parametrize("name", NECKS)
def test_a_bond_ends_the_neck_that_was_there(name):
    """Two spheres with a neck are bonded: the neck ends, even if the bond breaks immediately."""
    case, reach = CASES[name], CASES[name].reach(RADIUS / 2)
    for strength in (1e9, 0.0):
        sim = bonded(case, -0.2 * reach)
        sim.run(steps=1)
        lead(sim, put(-1e-3))
        assert len(sim.bonds) == 0
        assert at(sim, 1e-3 * reach) is not None
        assert at(sim, -0.2 * reach) < 0.0
        sim.bond([[0, 1]], abut.Bond(young=1e7, tensile_strength=strength))
        assert at(sim, -0.2 * reach) is None
        assert len(sim.bonds) == (strength > 0.0)
        assert at(sim, -0.2 * reach) is None


@pytest.mark.parametrize("name", REACHING)
def test_those_that_rest_stick_as_smaller_spheres(name):
    """Half of an overlap from before the bond reduces each radius in the contact law."""
    case, rest = CASES[name], 0.02 * RADIUS
    radius = (RADIUS - rest / 2) / 2
    reach = case.reach(radius)
    sim = bonded(case, rest, abut.Bond(young=1e7, shear_strength=0.0))
    lead(sim, put(rest * (1 - 1e-9)))
    assert len(sim.breakages) == 1
    is_apart = name in BORN_APART
    if not is_apart:
        # parted without having been pressed beyond it, or at any gap short of touching again
        for overlap in (rest - 0.1 * reach, rest - 0.9 * reach, rest - 0.1 * reach):
            assert at(sim, overlap) in (0.0, None)
    way = [1e-3 * reach, -0.1 * reach, -0.9 * reach, -0.1 * reach]
    for gap in way[is_apart:] if is_apart else way:
        expected = case.force(gap, radius)
        assert at(sim, rest + gap) == pytest.approx(expected, rel=1e-6), gap
        assert sim.energy.elastic == pytest.approx(case.energy(gap, radius), rel=1e-5)
        assert sim.pairs.overlap[0] == pytest.approx(rest + gap, rel=1e-9)
    assert at(sim, rest - 1.01 * reach) in (0.0, None)
    assert at(sim, rest - 0.5 * reach) in (0.0, None) if not is_apart else True
    # parted beyond all reach they are whole again
    assert sim._core.counts()[6] == 1
    assert at(sim, -1.5 * case.reach(RADIUS / 2)) is None
    assert sim._core.counts()[6] == 0
    overlap = rest / 2
    assert at(sim, overlap) == pytest.approx(case.force(overlap, RADIUS / 2), rel=1e-6)


@pytest.mark.parametrize("law", [abut.Hertz, abut.Linear])
def test_those_that_rest_slide_as_smaller_spheres(law):
    """Springs load and unload across the gaps of a neck as between spheres of their size."""
    glue = abut.laws.JKR(0.5) if law is abut.Hertz else abut.laws.LiquidBridge(1e-12, 0.072, 0.35)
    options = {"friction": 0.5, "restitution": 0.7, "cohesion": glue}
    hertz = law(**options) if law is abut.Hertz else law(1e4, **options)
    rest = 0.02 * RADIUS
    small = RADIUS - rest / 2
    whole, other = (abut.Simulation(step=1e-7, gravity=(0, 0, 0)) for _ in range(2))
    for sim, radius in ((whole, RADIUS), (other, small)):
        sim.set_law(POWDER, POWDER, hertz)
        sim.add_spheres(put(rest), radius, POWDER)
    other.masses = whole.masses
    whole.bond([[0, 1]], abut.Bond(young=1e7, shear_strength=0.0))
    lead(whole, put(rest * (1 - 1e-9)))
    assert len(whole.breakages) == 1
    for gap in (1e-6, 2e-6, 1e-6, -1e-7, -3e-7, -1e-7, 5e-7):
        for sim in (whole, other):
            lead(sim, put(rest + gap), [[0, 1e-3, 0], [0, -1e-3, 5e-4]])
        most = np.abs(other.pairs.force).max()
        np.testing.assert_allclose(whole.pairs.force, other.pairs.force, atol=1e-9 * most)
        assert np.abs(other.pairs.force[0, 1:]).max() > 1e-6 * most or gap < 0.0


@pytest.mark.parametrize("name", ["DMT", "DMT over a gap", "linear DMT"])
@pytest.mark.parametrize("is_first", [False, True])
def test_spheres_that_shrink_rest_by_no_more_than_a_radius(name, is_first):
    """The law sees at least half of each radius, whether radii are assigned before the bond breaks
    or after."""
    case, bond = CASES[name], abut.Bond(young=1e7, shear_strength=0.0)
    sim = bonded(case, 0.2 * RADIUS, bond)
    if not is_first:
        sim.run(steps=1)
        assert len(sim.breakages) == 1
    before = sim.energy
    small = 0.05 * RADIUS
    sim.radii = [small, RADIUS]
    radius = 1 / (1 / (small / 2) + 1 / (RADIUS - small / 2))
    reach = case.reach(radius)
    for gap in [0.1 * RADIUS, *([-0.2 * reach, -0.4 * reach] if reach else [])]:
        lead(sim, [[0, 0, 0], [RADIUS - gap, 0, 0]])
        assert -sim.pairs.force[0, 0] == pytest.approx(case.force(gap, radius), rel=1e-6)
        # the stored energy is kept, whatever is assigned
        near = 1e-11 * max(np.abs(sim.energy).max(), np.abs(before).max())
        assert sim.energy.dissipated == pytest.approx(before.dissipated, abs=near)
    assert len(sim.breakages) == 1
    # larger ones touch by what they have grown
    grown = bonded(case, 0.2 * RADIUS, bond)
    grown.radii = [1.05 * RADIUS, RADIUS]
    radius = 1 / (1 / (0.95 * RADIUS) + 1 / (0.9 * RADIUS))
    grown.run(steps=1)
    expected = case.force(0.05 * RADIUS, radius)
    assert -grown.pairs.force[0, 0] == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("contact", [False, True])
@pytest.mark.parametrize("name", REACHING)
def test_the_ledger_closes_over_breaks(name, contact, tmp_path):
    """A heap of sticky spheres with breaking bonds, over a restart."""
    sim = abut.Simulation(step=2e-7, gravity=(0, 0, 0))
    sim.set_law(POWDER, POWDER, CASES[name].law)
    rng = np.random.default_rng(4)
    grid = np.stack(np.meshgrid(*[np.arange(4)] * 3, indexing="ij"), -1).reshape(-1, 3)
    sim.add_spheres(1.995 * RADIUS * grid + rng.normal(size=grid.shape) * 5e-6, RADIUS, POWDER)
    sim.velocities = rng.normal(size=grid.shape) * 0.3
    near = abut.find_pairs(sim.centers, RADIUS, gap=0.02 * RADIUS)
    strengths = 1e4 * rng.uniform(0.3, 3, len(near))
    sim.bond(near, abut.Bond(young=1e7, contact=contact), strengths)
    sim.run(steps=1)
    before, momentum = sum(sim.energy), sim.masses @ sim.velocities
    sim.run(steps=150)
    sim.save(tmp_path / "a.npz")
    again = abut.load_simulation(tmp_path / "a.npz")
    assert again.energy == sim.energy
    for one in (sim, again):
        one.run(steps=150)
    assert len(sim.breakages) > 20
    assert sim._core.counts()[6] > 5 or contact
    # to second order of the step
    assert sum(sim.energy) == pytest.approx(before, rel=1e-4)
    now = sim.masses @ sim.velocities
    np.testing.assert_allclose(now, momentum, atol=1e-12 * sim.masses.sum())
    np.testing.assert_array_equal(sim.centers, again.centers)
    np.testing.assert_array_equal(sim.pairs.force, again.pairs.force)
    assert again.energy == sim.energy


# ---- several images ------------------------------------------------------------------------------

GRAIN = abut.Material(density=2500, young=1e7, poisson=0.25)
HERTZ = abut.Hertz(friction=0.5, restitution=0.5)
# two touch on both sides in it
SHORT = 3.9 * RADIUS


def ring(speed=0.0, turned=False, bond=GLUE, law=HERTZ):
    """Two spheres in a short box, bonded across it where they are nearer, as the second is behind
    the first, or before it."""
    sim = abut.Simulation(step=1e-6, gravity=(0, 0, 0), period=(SHORT, None, None))
    sim.set_law(GRAIN, GRAIN, law)
    x = np.array([0.3 * RADIUS, (0.3 + (1.96 if turned else 1.94)) * RADIUS])
    sim.add_spheres(np.stack([x, 0 * x, 0 * x], 1), RADIUS, GRAIN)
    sim.velocities = [[speed, 0, 0]] * 2
    sim.bond([[0, 1]], bond)
    return sim


def by_rank(sim):
    """Forces along x and overlaps of the two rows, the bond's own image first."""
    assert len(sim.pairs) == 2
    order = np.argsort(-sim.pairs.overlap)
    return sim.pairs.force[order, 0], sim.pairs.overlap[order]


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("bond", [GLUE, abut.Bond(young=1e7, shear_strength=0.0)])
def test_a_bond_hides_the_law_at_its_own_image_alone(turned, bond):
    """Before and after it has broken."""
    sim = ring(0.0, turned, bond)
    free = ring(0.0, turned, abut.Bond(young=1e7, shear_strength=0.0, contact=True))
    for one in (sim, free):
        one.run(steps=1)
    force, overlap = by_rank(sim)
    whole, same = by_rank(free)
    np.testing.assert_array_equal(overlap, same)
    assert overlap == pytest.approx([0.06 * RADIUS, 0.04 * RADIUS])
    assert force[0] == 0.0
    assert force[1] == whole[1] != 0.0
    assert np.abs(sim.forces[0, 0]) == pytest.approx(abs(whole[1]))
    assert sim._core.counts()[6] == (sim.bonds.i.size == 0)
    case = 0.4 * np.abs(whole * overlap)
    assert sim.energy.elastic == pytest.approx(case[1], rel=1e-9)
    assert free.energy.elastic == pytest.approx(case.sum(), rel=1e-9)


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("broken", [False, True])
def test_images_follow_spheres_around(turned, broken, tmp_path):
    """Wherever the two are in the box, and over a restart."""
    strength = 0.0 if broken else np.inf
    bond = abut.Bond(young=1e6, shear_strength=strength, damping=0.01)
    still, moving = (ring(speed, turned, bond) for speed in (0.0, 30.0))
    seen = set()
    for k in range(200):
        still.run(steps=1)
        moving.run(steps=1)
        assert by_rank(moving)[0] == pytest.approx(by_rank(still)[0], rel=1e-5, abs=1e-9)
        assert moving.energy.elastic == pytest.approx(still.energy.elastic, rel=1e-5)
        assert broken or (by_rank(moving)[0] == 0.0).tolist() == [True, False]
        seen.add(tuple(moving.images[:, 0].tolist()))
        if k % 50 == 10:
            moving.save(tmp_path / "a.npz")
            again = abut.load_simulation(tmp_path / "a.npz")
            assert again.energy == moving.energy
            moving = again
    assert len(seen) > 3
