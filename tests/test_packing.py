"""Random packings: solid fractions, no overlaps, walls, meshes, periods, and what does not fit."""

import itertools

import numpy as np
import pytest

import abut
from scenes import prism

UNIT = np.array([[0.0, 0.0, 0.0], [1.0, 1.0, 1.0]])
TILTED = np.array([[1.0, 0.0, 0.0], [0.4, 1.0, 0.0], [-0.3, 0.2, 1.0]])
LIMIT = 1e-3  # of an overlap, as a part of the smaller radius

# an L of two cubes and a half, concave along one edge; corners counter-clockwise from above
L_SHAPE = np.array([[0, 0], [2, 0], [2, 1], [1, 1], [1, 1.5], [0, 1.5]], float)


def content(radii, dimension=3):
    return (4 / 3 * np.pi * radii**3 if dimension == 3 else np.pi * radii**2).sum()


def deepest(centers, radii, vectors=None):
    """The largest overlap of two spheres, or of two images, divided by the smaller radius."""
    dimension = centers.shape[1]
    vectors = np.zeros((dimension, dimension)) if vectors is None else vectors
    smaller = np.minimum(radii[:, None], radii)
    worst = -np.inf
    for image in itertools.product((-1, 0, 1), repeat=dimension):
        ways = centers[:, None] - centers - np.array(image) @ vectors
        apart = np.linalg.norm(ways, axis=2)
        if not any(np.array(image) @ vectors):
            np.fill_diagonal(apart, np.inf)
        worst = max(worst, ((radii[:, None] + radii - apart) / smaller).max())
    return worst


# ---- boxes and cells -----------------------------------------------------------------------------


def check_box(box, radii, centers, solid, vectors=None):
    """Solid fraction, overlaps, and no sphere in a wall."""
    sides = box[1] - box[0]
    assert content(radii, len(sides)) / np.prod(sides) == pytest.approx(solid, abs=2e-3)
    assert deepest(centers, radii, vectors) < LIMIT
    for axis in range(len(sides)):
        if vectors is None or not vectors[axis].any():
            gaps = np.minimum(centers[:, axis] - box[0, axis], box[1, axis] - centers[:, axis])
            assert ((radii - gaps) / radii).max() < LIMIT


@pytest.mark.parametrize("solid", [0.2, 0.5])
def test_a_box_has_walls_on_all_sides(solid):
    box = np.array([[1.0, -2.0, 5.0], [2.0, -0.5, 5.8]])
    centers, radii = abut.pack(box, 0.08, solid)
    assert (radii == 0.08).all()
    check_box(box, radii, centers, solid)


def test_a_periodic_box_is_filled_across_its_sides():
    box = UNIT + [3.0, 0.0, -1.0]
    centers, radii = abut.pack(box, 0.1, 0.62, period=True)
    check_box(box, radii, centers, 0.62, np.eye(3))
    assert ((box[0] <= centers) & (centers <= box[1])).all()
    assert all((abs(centers - side) < radii[:, None]).any() for side in box)


def test_walls_and_periods_go_together():
    period = (1.0, None, 1.0)
    centers, radii = abut.pack(UNIT, 0.08, 0.55, period=period)
    check_box(UNIT, radii, centers, 0.55, np.diag([1.0, 0.0, 1.0]))


@pytest.mark.parametrize("region", [None, UNIT + 2.0])
def test_a_cell_may_be_tilted(region):
    centers, radii = abut.pack(region, 0.08, 0.6, period=TILTED)
    assert content(radii) == pytest.approx(0.6, abs=2e-3)
    assert deepest(centers, radii, TILTED) < LIMIT
    parts = np.linalg.solve(TILTED.T, (centers - (0.0 if region is None else 2.0)).T)
    assert (parts > -1e-12).all() and (parts < 1 + 1e-12).all()


def test_a_tilted_cell_may_have_walls():
    vectors = np.array([[1.0, 0.0, 0.0], [0.5, 1.0, 0.0], [0.0, 0.0, 0.0]])
    centers, radii = abut.pack(UNIT, 0.08, 0.55, period=vectors)
    assert deepest(centers, radii, vectors) < LIMIT
    assert (np.minimum(centers[:, 2], 1 - centers[:, 2]) > radii * (1 - LIMIT)).all()


@pytest.mark.parametrize("period", [None, True])
def test_discs_fill_a_rectangle(period):
    box = np.array([[0.0, 1.0], [2.0, 2.0]])
    sizes = np.linspace(1.0, 2.0, 80)
    centers, radii = abut.pack(box, sizes, 0.75, period=period)
    assert radii / radii[0] == pytest.approx(sizes)
    check_box(box, radii, centers, 0.75, np.diag([2.0, 1.0]) if period else None)


# ---- sizes ---------------------------------------------------------------------------------------


def test_sizes_may_differ_by_ten():
    rng = np.random.default_rng(3)
    sizes = (1 + rng.random(300) * (10**-3.0 - 1)) ** (-1 / 3)
    centers, radii = abut.pack(UNIT, sizes, 0.6, period=True)
    assert radii.max() / radii.min() > 6 and radii / radii[0] == pytest.approx(sizes / sizes[0])
    assert content(radii) == pytest.approx(0.6, rel=1e-12)
    assert deepest(centers, radii, np.eye(3)) < LIMIT


def test_sizes_are_drawn_until_their_volume_is_reached():
    sizes = abut.Sizes.sieve([0.08, 0.12, 0.2], [0, 0.5, 1])
    centers, radii = abut.pack(UNIT, sizes, 0.3)
    assert radii.min() >= 0.04 / 1.03 and radii.max() <= 0.1 * 1.03
    check_box(UNIT, radii, centers, 0.3)
    # half of the volume is that of grains that pass the sieve in the middle
    assert content(radii[radii < 0.06]) / content(radii) == pytest.approx(0.5, abs=0.05)


def test_a_callable_draws_as_many_as_are_asked_for():
    asked = []

    def sizes(generator, count):
        asked.append(count)
        return 0.02 + 0.02 * generator.random(count)

    _, radii = abut.pack(UNIT, sizes, 0.2, period=True)
    assert sum(asked) >= len(radii) > asked[0]
    assert content(radii) == pytest.approx(0.2, abs=2e-3)


def test_distributions_of_scipy_are_drawn_from():
    stats = pytest.importorskip("scipy.stats")
    _, radii = abut.pack(UNIT, stats.uniform(0.06, 0.03), 0.3, period=True)
    assert 0.06 / 1.03 < radii.min() < 0.065 and 0.085 < radii.max() < 0.09 * 1.03
    # they are spread evenly, so that few of them have the distribution's mean
    assert radii.mean() == pytest.approx(0.075, rel=2e-3)
    with pytest.raises(TypeError, match="radii is a distribution without parameters: freeze it"):
        abut.pack(UNIT, stats.uniform, 0.3)


def test_few_spheres_are_scaled_to_the_solid_fraction():
    centers, radii = abut.pack(UNIT, 0.2, 0.5, period=True)
    assert len(radii) == 15 and radii[0] != 0.2 and radii[0] == pytest.approx(0.2, rel=0.01)
    check_box(UNIT, radii, centers, 0.5, np.eye(3))


# ---- meshes --------------------------------------------------------------------------------------


@pytest.mark.parametrize("turn", [1, -1])
def test_a_mesh_is_filled_whichever_side_its_fronts_are_on(turn):
    centers, radii = abut.pack(prism(L_SHAPE, turn=turn), 0.1, 0.5)
    assert content(radii) / 2.5 == pytest.approx(0.5, abs=2e-3)
    assert deepest(centers, radii) < LIMIT
    x, y, z = centers.T
    room = radii * (1 - LIMIT)
    # distances from the sides that are convex, and from the edge that is concave
    assert (np.minimum.reduce([x, y, z, 2 - x, 1.5 - y, 1 - z]) > room).all()
    beyond = np.stack([np.maximum(1 - x, 0), np.maximum(1 - y, 0)])
    assert (np.hypot(*beyond) > room).all()
    # both legs are filled
    assert (x > 1.2).any() and (y > 1.2).any()


def test_several_meshes_are_filled_together():
    meshes = [prism(L_SHAPE), prism(L_SHAPE + [5.0, 0.0])]
    centers, radii = abut.pack(meshes, 0.15, 0.4)
    is_second = centers[:, 0] > 3.5
    assert content(radii) / 5.0 == pytest.approx(0.4, abs=2e-3)
    assert is_second.any() and not is_second.all() and deepest(centers, radii) < LIMIT


def test_a_mesh_may_be_fine_and_round():
    turns = np.linspace(0, 2 * np.pi, 97)[:-1]
    drum = prism(np.column_stack([np.cos(turns), np.sin(turns)]), 0.6)
    centers, radii = abut.pack(drum, 0.1, 0.5)
    inside = np.cos(np.pi / 96) - np.hypot(*centers.T[:2])
    assert deepest(centers, radii) < LIMIT
    assert (np.minimum.reduce([inside + 1e-3, centers[:, 2], 0.6 - centers[:, 2]]) > 0.0999).all()


def test_points_on_edges_are_inside_or_outside_but_not_both():
    """Two prisms that share a side: each point, even one on the side, is in just one of them."""
    from abut.simulation.packing_regions import Enclosed

    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    halves = [prism(square[[0, 1, 2]]), prism(square[[0, 2, 3]])]
    line = np.linspace(0.05, 0.95, 19)
    points = np.stack([*np.meshgrid(line, line), np.full((19, 19), 0.5)], axis=-1).reshape(-1, 3)
    inside = [~Enclosed(half).outside(points) for half in halves]
    assert (inside[0] ^ inside[1]).all()
    outside = points + [1.5, 0.0, 0.0]
    assert all(Enclosed(half).outside(outside).all() for half in halves)


# ---- seeds and threads ---------------------------------------------------------------------------


def test_packings_depend_on_the_seed_and_not_on_threads():
    packings = {}
    try:
        for threads, seed in ((1, 0), (2, 0), (1, 1)):
            abut.set_num_threads(threads)
            packings[threads, seed] = abut.pack(UNIT, 0.1, 0.5, seed=seed)[0]
    finally:
        abut.set_num_threads(None)
    assert (packings[1, 0] == packings[2, 0]).all()
    assert (packings[1, 0] != packings[1, 1]).all()


def test_a_packing_is_at_rest_in_a_simulation():
    grain = abut.Material(density=2500, young=1e7)
    centers, radii = abut.pack(UNIT, 0.1, 0.55, period=True)
    sim = abut.Simulation(step=1e-4, gravity=(0, 0, 0), period=(1, 1, 1))
    sim.add_spheres(centers, radii, grain)
    sim.run(steps=10)
    assert abs(sim.velocities).max() < 1e-3


# ---- what does not fit ---------------------------------------------------------------------------


def test_the_error_says_which_solid_fraction_is_reached():
    with pytest.raises(ValueError, match=r"solid is 0\.75, but random packings .* about 0\.6\d\d"):
        abut.pack(UNIT, 0.15, 0.75, period=True)


@pytest.mark.ci
def test_what_the_error_says_is_reached():
    sizes = np.linspace(1, 1.4, 30)
    with pytest.raises(ValueError, match="reach about") as error:
        abut.pack(UNIT, sizes, 0.66)
    reached = float(str(error.value).split("about ")[1].split(":")[0])
    centers, radii = abut.pack(UNIT, sizes, reached - 0.02)
    assert deepest(centers, radii) < LIMIT


@pytest.mark.parametrize(
    ("arguments", "keywords", "text"),
    [
        ((UNIT, 0.1, 60), {}, "solid is 60, but must be less than 1: divide percent by 100"),
        ((UNIT, 0.6, 0.5), {}, "the largest diameter is 1.2, but the box is 1 wide along x"),
        ((UNIT, 0.6, 0.5), {"period": True}, "but images of a point are 1 apart"),
        ((UNIT, [0.1, -1]), {}, r"radii\[1\] is -1, but must be positive and finite"),
        ((UNIT, [[1, 2]]), {}, r"radii has shape \(1, 2\), but must be a number or \(n,\)"),
        ((UNIT, lambda g, n: [1.0]), {}, r"radii has shape \(1,\), but must be \(1000,\)"),
        ((UNIT, lambda g, n: np.zeros(n)), {}, r"distribution's radii\[0\] is 0, but must be"),
        ((UNIT, 1e-6), {}, "ask for 1.4e.17 spheres, but at most 1e7 are packed"),
        ((UNIT, 0.3, 0.02), {}, "1 sphere of these radii would be a solid fraction of 0.1131"),
        ((UNIT, 0.1), {"period": (2, None, 1)}, r"period\[0\] is 2, but the box is 1 long along x"),
        (
            (UNIT, 0.1),
            {"period": [[1, 0, 0.5], [0, 1, 0], [0, 0, 0]]},
            r"period\[0\] leads along z, too, where the box has walls",
        ),
        ((None, 0.1), {}, "region is None, but the period does not repeat along all its vectors"),
        ((None, 0.1), {"period": True}, "period is True, but region is None: give a box"),
        (([1, 2, 3], 0.1), {}, r"region has shape \(3,\), but must be \(2, 3\) or \(2, 2\)"),
        (([[1, 0, 0], [1, 1, 1]], 0.1), {}, "region goes from 1 to 1 along x"),
        ((UNIT, 0.1), {"seed": -1}, "seed is -1, but must be 0 or positive"),
        ((prism(L_SHAPE), 0.1), {"period": True}, "region is a mesh, which is closed: give a box"),
        ((prism(L_SHAPE), 0.6), {}, "the largest diameter is 1.2, but the mesh is 1 wide"),
    ],
)
def test_bad_arguments_are_named(arguments, keywords, text):
    with pytest.raises(ValueError, match=text):
        abut.pack(*arguments, **keywords)


@pytest.mark.parametrize("radii", [None, "fine", True])
def test_radii_of_a_wrong_type_are_named(radii):
    with pytest.raises(
        TypeError, match=rf"radii is {radii!r}, .* a number, \(low, high\), an array"
    ):
        abut.pack(UNIT, radii)


@pytest.mark.parametrize("period", [False, 1, 2.0, "x"])
def test_a_period_of_a_wrong_type_is_named(period):
    with pytest.raises(TypeError, match=f"period is {period!r}, but must be True, lengths"):
        abut.pack(UNIT, 0.1, period=period)


def test_a_tuple_of_two_is_a_uniform_distribution():
    centers, radii = abut.pack(UNIT, (0.05, 0.08), 0.55, period=True)
    check_box(UNIT, radii, centers, 0.55, np.eye(3))
    assert len(radii) > 400 and 0.0485 < radii.min() < 0.052 and 0.078 < radii.max() < 0.0825
    assert np.quantile(radii, [0.25, 0.5, 0.75]) == pytest.approx([0.0575, 0.065, 0.0725], rel=0.04)
    assert len(abut.pack(UNIT, [0.05, 0.08], 0.2)[1]) == 2
    with pytest.raises(ValueError, match=r"radii is \(0.08, 0.05\), but must be \(low, high\)"):
        abut.pack(UNIT, (0.08, 0.05))


def test_meshes_that_are_not_closed_are_named():
    whole = prism(L_SHAPE)
    facets = [f.tolist() for f in np.split(whole.indices, whole.offsets[1:-1])]
    with pytest.raises(ValueError, match=r"edge from vertex \d+ to vertex \d+ belongs to facet"):
        abut.pack(abut.Mesh(whole.vertices, facets[1:]), 0.1)
    facets[2].reverse()
    with pytest.raises(ValueError, match=r"facets \d+ and \d+ that both run along the edge"):
        abut.pack(abut.Mesh(whole.vertices, facets), 0.1)
