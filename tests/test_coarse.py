"""Coarse-grained fields: against the reference, conservation, invariance, balance of momentum."""

import itertools

import numpy as np
import pytest

import abut
import reference_coarse

pytestmark = pytest.mark.filterwarnings("ignore::abut.SimulationWarning")

TILTED = np.array([[1.0, 0, 0], [0.3, 0.9, 0], [-0.2, 0.25, 0.8]])
BOX = (1.0, 0.9, 0.8)
REGION = np.array([[0.1, -0.2, 0.2], [0.7, 0.7, 0.9]])

# relative errors of an integral along a line
LINE_ERROR = {"gauss": 2e-3, "lucy": 2e-2}


def frame_of(count=12, dimension=3, period=None, seed=1):
    rng = np.random.default_rng(seed)
    centers = rng.random((count, dimension)) * BOX[:dimension]
    columns = {"velocity": rng.normal(size=(count, dimension))}
    radii = rng.uniform(0.15, 0.2, count)
    return abut.Frame(centers, radii, period=period, columns=columns)


def with_pairs(frame, count=None, seed=2):
    """The first pairs of a frame, and forces."""
    pairs = abut.find_pairs(frame.centers, frame.radii, period=frame.period)[:count]
    assert len(pairs) >= 3
    shape = len(pairs), frame.centers.shape[1]
    return {"pairs": pairs, "forces": np.random.default_rng(seed).normal(size=shape)}


def masses_of(frame, density=2.0):
    if frame.centers.shape[1] == 2:
        return density * np.pi * frame.radii**2
    return density * 4 / 3 * np.pi * frame.radii**3


def vectors_of(frame):
    dimension = frame.centers.shape[1]
    if np.ndim(frame.period) == 2:
        return frame.period
    return np.diag([length or 0.0 for length in frame.period or (None,) * dimension])


def lines_of(frame, pairs, forces):
    ends = frame.centers[pairs.j] + pairs.image @ vectors_of(frame)
    starts = frame.centers[pairs.i]
    return list(zip(starts, ends - starts, forces, strict=True))


def near(found, expected, error=1e-12):
    np.testing.assert_allclose(found, expected, rtol=0, atol=error * abs(expected).max())


# ---- against the reference -----------------------------------------------------------------------

SCENES = {
    "box": (BOX, (3, 4, 3), 0.2),
    "tilted": (TILTED, (4, 3, 3), 0.2),
    "profile": (BOX, (1, 1, 8), 0.1),
    "tilted layers": (TILTED, (3, 1, 4), 0.2),
    "wide": (BOX, (3, 1, 1), 0.8),
    "mean": (TILTED, (1, 1, 1), 0.01),
    "plane": (BOX[:2], (4, 5), 0.15),
    "tilted plane": (TILTED[:2, :2], (5, 1), 0.15),
}


@pytest.mark.parametrize("kernel", ["gauss", "lucy"])
@pytest.mark.parametrize("name", SCENES)
def test_cells_of_a_period(name, kernel):
    period, counts, width = SCENES[name]
    dimension = len(counts)
    frame = frame_of(dimension=dimension, period=period)
    given = with_pairs(frame, 3)
    found = abut.coarse_grain(frame, counts, width, density=2.0, kernel=kernel, **given)
    edges, repeats = vectors_of(frame), [True] * dimension
    cells = reference_coarse.Cells(np.zeros(dimension), edges, counts, repeats, kernel, width)
    moving = frame.columns["velocity"]
    expected = reference_coarse.fields(cells, frame.centers, masses_of(frame), moving)
    for field, one in zip(
        (found.density, found.momentum, found.kinetic_stress), expected, strict=True
    ):
        near(field, one)
    lines = lines_of(frame, **given)
    near(found.contact_stress, reference_coarse.contact_stress(cells, lines), LINE_ERROR[kernel])
    near(found.stress, found.contact_stress + found.kinetic_stress)
    near(found.velocity, expected[1] / expected[0][..., None])
    near(found.temperature, np.trace(expected[2], axis1=-2, axis2=-1) / dimension / expected[0])
    near(found.points.reshape(-1, dimension), cells.centers)
    assert found.points.shape == (*counts, dimension)
    assert found.volume == pytest.approx(cells.volume)


@pytest.mark.parametrize("kernel", ["gauss", "lucy"])
@pytest.mark.parametrize("period", [None, (1.2, 0.9, None), TILTED * 1.5], ids=str)
def test_grains_and_lines_in_a_region(period, kernel):
    frame = frame_of(count=30, period=period)
    given = with_pairs(frame, 25)
    options = {"density": 2.0, "kernel": kernel, "region": REGION}
    found = abut.coarse_grain(frame, (3, 3, 2), 0.25, **options, **given)
    low, high = REGION
    # The region is as long as the period along y.
    repeats = (False, np.ndim(period) == 1, False)
    cells = reference_coarse.Cells(low, np.diag(high - low), (3, 3, 2), repeats, kernel, 0.25)
    images = itertools.product(range(-2, 3), repeat=3)
    shifts = np.unique(np.array(list(images)) @ vectors_of(frame), axis=0)

    def is_in(point):
        return bool((point >= low).all() and (point < high).all())

    grains = zip(frame.centers, masses_of(frame), frame.columns["velocity"], strict=True)
    inside = [
        (center + shift, mass, velocity)
        for center, mass, velocity in grains
        for shift in shifts
        if is_in(center + shift)
    ]
    assert len(inside) > 3
    expected = reference_coarse.fields(cells, *zip(*inside, strict=True))
    for field, one in zip(
        (found.density, found.momentum, found.kinetic_stress), expected, strict=True
    ):
        near(field, one)
    lines = [
        (start + shift, arm, force)
        for start, arm, force in lines_of(frame, **given)
        for shift in shifts
        if any(is_in(start + shift + part * arm) for part in np.linspace(0, 1, 21))
    ]
    assert any(is_in(start) != is_in(start + arm) for start, arm, _ in lines)
    # The reference counts a point at the border as inside or outside.
    near(found.contact_stress, reference_coarse.contact_stress(cells, lines, is_in), 3e-2)


# ---- sums ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["gauss", "lucy"])
@pytest.mark.parametrize("period", [BOX, TILTED], ids=["box", "tilted"])
def test_mass_momentum_and_stress_sum_up_exactly(period, kernel):
    frame = frame_of(count=40, period=period)
    moved = frame._replace(centers=frame.centers + 3 * TILTED.sum(axis=0))  # out of the cell
    given = with_pairs(moved)
    fields = abut.coarse_grain(moved, (6, 5, 7), 0.13, density=2.0, kernel=kernel, **given)
    masses, velocities = masses_of(frame), frame.columns["velocity"]
    assert fields.density.sum() * fields.volume == pytest.approx(masses.sum(), rel=1e-13)
    momentum = fields.momentum.sum(axis=(0, 1, 2)) * fields.volume
    np.testing.assert_allclose(momentum, masses @ velocities, rtol=0, atol=1e-13)
    volume = abs(np.linalg.det(vectors_of(frame)))
    near(fields.contact_stress.mean(axis=(0, 1, 2)), given["pairs"].stress(given["forces"], volume))
    mean = np.nan_to_num(fields.velocity)  # some cells are empty
    of_mean = fields.density[..., None, None] * mean[..., :, None] * mean[..., None, :]
    flux = fields.kinetic_stress + of_mean
    near(flux.mean(axis=(0, 1, 2)), (masses[:, None] * velocities).T @ velocities / volume)


def shaken_bed():
    """Spheres, dumbbells and bonds above a floor, in a world with a period along x and y."""
    rng = np.random.default_rng(1)
    grain, steel = abut.Material(density=2500, young=1e7), abut.Material()
    sim = abut.Simulation(step=1e-5, period=(0.5, 0.4, None))
    for other in (grain, steel):
        sim.set_law(grain, other, abut.Hertz(friction=0.4))
    places = 0.1 * np.mgrid[0:5, 0:4, 0:4].reshape(3, -1).T + [0, 0, 0.05]
    places += rng.uniform(-0.002, 0.002, places.shape)
    velocities = rng.normal(size=places.shape)
    ids = sim.add_spheres(places[:60], rng.uniform(0.05, 0.052, 60), grain, velocities[:60])
    dumbbell = abut.Cluster([[0, 0, 0], [0.03, 0, 0]], [0.045, 0.03])
    sim.add_clusters(dumbbell, places[60:], grain, velocities=velocities[60:])
    sim.bond(np.array([[ids[0], ids[1]]]), abut.Bond(young=1e6))
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), steel)
    sim.run(steps=5)
    assert min(len(sim.pairs), len(sim.contacts)) >= 10
    return sim


@pytest.mark.parametrize(
    "region", [[[0, 0, -0.1], [0.5, 0.4, 0.5]], [[0.1, 0.1, 0.1], [0.35, 0.3, 0.33]]]
)
def test_mean_of_a_simulation_is_its_stress(region):
    sim = shaken_bed()
    fields = abut.coarse_grain(sim, (5, 4, 6), 0.07, region=region)
    near(fields.contact_stress.mean(axis=(0, 1, 2)), sim.stress(region))
    whole = abut.coarse_grain(sim, (1, 1, 1), 0.06, region=region)
    near(whole.stress[0, 0, 0], sim.stress(region, kinetic=True))


def test_a_frame_of_a_simulation_gives_the_same_fields():
    rng = np.random.default_rng(3)
    grain = abut.Material(density=2500, young=1e7)
    sim = abut.Simulation(step=1e-5, period=BOX, gravity=(0, 0, 0))
    sim.set_law(grain, grain, abut.Hertz())
    places = rng.random((40, 3)) * BOX
    sim.add_spheres(places, 0.1, grain, rng.normal(size=places.shape))
    sim.add_wall(abut.Mesh([[0, 0, 0.4], [1, 0, 0.4], [0, 0.9, 0.4]], [[0, 1, 2]]), grain)
    sim.run(steps=1)
    frame = abut.Frame(places, sim.radii, period=BOX)
    walls = sim.contacts, sim.contacts.force
    assert len(sim.contacts) > 2
    options = {"density": 2500, "pairs": sim.pairs, "walls": walls}
    given = abut.coarse_grain(frame, (4, 4, 4), 0.15, **options)
    fields = abut.coarse_grain(sim, (4, 4, 4), 0.15)
    near(given.density, fields.density)
    near(given.contact_stress, fields.contact_stress, 2e-3)  # lines of pairs have other points


@pytest.mark.parametrize("period", [None, (1.0, None), (1.0, 1.0)], ids=str)
def test_a_region_in_the_plane(period):
    rng = np.random.default_rng(5)
    frame = abut.Frame(rng.random((40, 2)), np.full(40, 0.08), period=period)
    region = [[0, -1], [1, 2]] if period != (1.0, 1.0) else [[0, 0], [1, 1]]
    given = with_pairs(frame)
    fields = abut.coarse_grain(frame, (5, 12), 0.15, region=region, density=2.0, **given)
    assert fields.density.sum() * fields.volume == pytest.approx(masses_of(frame).sum())
    area = 60 * fields.volume
    near(fields.contact_stress.mean(axis=(0, 1)), given["pairs"].stress(given["forces"], area))
    assert fields.points.shape == (5, 12, 2)
    with pytest.raises(ValueError, match=r"region has shape \(2, 3\), but must be \(2, 2\)"):
        abut.coarse_grain(frame, (5, 12), 0.15, region=REGION, density=2.0)


# ---- invariance ----------------------------------------------------------------------------------


def test_fluctuations_do_not_depend_on_the_observer():
    frame = frame_of(count=40, period=BOX)
    velocities = frame.columns["velocity"]
    still, moving = (
        abut.coarse_grain(frame, (4, 4, 4), 0.15, density=2.0, velocities=velocities + boost)
        for boost in (np.zeros(3), [1e5, -2e5, 3e5])
    )
    near(moving.velocity - [1e5, -2e5, 3e5], still.velocity, 1e-9)
    near(moving.kinetic_stress, still.kinetic_stress, 1e-9)
    near(moving.temperature, still.temperature, 1e-9)


def test_other_vectors_of_one_lattice_give_the_same_field():
    """The cells are the same, with other numbers."""
    box = np.diag(BOX)
    slanted = box.copy()
    slanted[1, 0] = 2 * BOX[0]
    fields = []
    for period in (box, slanted):
        frame = frame_of(count=20, period=period)
        pairs = abut.find_pairs(frame.centers, frame.radii, period=period)
        forces = pairs.overlap[:, None] * pairs.normal
        given = {"pairs": pairs, "forces": forces, "density": 2.0}
        fields.append(abut.coarse_grain(frame, (4, 4, 4), 0.3, **given))
    places = [(one.points / BOX % 1.0 * 4 - 0.5).round().astype(int) for one in fields]
    for name in ("density", "momentum", "kinetic_stress", "contact_stress"):
        first, second = (getattr(one, name) for one in fields)
        at = tuple(np.moveaxis(places[1], -1, 0))
        near(second, first[at])


def test_a_cell_that_deforms_has_its_linear_field():
    rate = np.array([[0.3, 2.0, 0], [0, -0.1, 0], [0, 0, -0.2]])
    grain = abut.Material(density=2500, young=1e7)
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), period=np.diag(BOX))
    sim.set_law(grain, grain, abut.Hertz())
    sim.add_spheres(np.random.default_rng(4).random((50, 3)) * BOX, 0.01, grain)
    sim.deform_cell(rate)
    sim.run(steps=20)
    fields = abut.coarse_grain(sim, (3, 3, 3), 0.2)
    assert fields.temperature.max() < 1e-6
    mean = fields.velocity.mean(axis=(0, 1, 2))
    expected = (fields.points - fields.points.mean(axis=(0, 1, 2))) @ rate.T
    near(fields.velocity - mean, expected, 1e-3)


# ---- balance of momentum -------------------------------------------------------------------------


@pytest.mark.parametrize("kernel", ["gauss", "lucy"])
def test_static_grains_are_in_balance(kernel):
    """A column of grains at rest: the stress grows with depth as the weight does."""
    count, radius, gravity = 20, 0.05, 9.81
    heights = radius * (2 * np.arange(count) + 1) * 0.999
    frame = abut.Frame(
        np.column_stack([np.full((count, 2), 0.1), heights]), np.full(count, radius),
        period=(0.2, 0.2, None),
    )  # fmt: skip
    pairs = abut.find_pairs(frame.centers, frame.radii, period=frame.period)
    assert len(pairs) == count - 1
    weight = 2500 * 4 / 3 * np.pi * radius**3 * gravity
    forces = np.zeros((count - 1, 3))
    forces[:, 2] = -weight * (count - 1 - np.arange(count - 1))  # on the lower grain
    contacts = abut.find_contacts(
        frame.centers, frame.radii, abut.HalfSpace((0, 0, 0), (0, 0, 1)), period=frame.period
    )
    walls = contacts, [[0.0, 0.0, weight * count]]
    region = [[0, 0, -0.5], [0.2, 0.2, 2.5]]
    fields = abut.coarse_grain(
        frame, (1, 1, 300), 0.04, region=region, density=2500, kernel=kernel,
        velocities=np.zeros((count, 3)), pairs=pairs, forces=forces, walls=walls,
    )  # fmt: skip
    z, stress = fields.points[0, 0, :, 2], fields.stress[0, 0, :, 2, 2]
    slopes = np.gradient(stress, z)
    # The weight of half a width at the floor is borne by it.
    inner = z > 0.2
    expected = -fields.density[0, 0] * gravity
    near(slopes[inner], expected[inner], {"gauss": 2e-2, "lucy": 5e-2}[kernel])
    assert abs(expected[inner]).max() > 1e3
    # in the mean over some grains the pressure is the weight above
    middle = abs(z - 1.0) < 0.0999
    above = weight * (heights[:, None] > z[middle]).sum(axis=0).mean() / 0.2**2
    assert stress[middle].mean() == pytest.approx(above, rel=0.02)


# ---- means over frames ---------------------------------------------------------------------------


def test_sums_of_fields_are_means_over_frames():
    frames = [frame_of(count=10, period=BOX, seed=seed) for seed in (1, 2, 3)]
    options = {"cells": (4, 4, 4), "width": 0.13, "density": 2.0}
    fields = [abut.coarse_grain(one, **options, **with_pairs(one)) for one in frames]
    mean = sum(fields)
    assert (mean.frames, fields[0].frames) == (3, 1)
    # the grains of all frames together, each with a third of its mass
    columns = {"velocity": np.concatenate([one.columns["velocity"] for one in frames])}
    centers = np.concatenate([one.centers for one in frames])
    radii = np.concatenate([one.radii for one in frames])
    pooled = abut.Frame(centers, radii, period=BOX, columns=columns)
    together = abut.coarse_grain(pooled, **options | {"density": 2.0 / 3})
    for name in ("density", "velocity", "kinetic_stress", "temperature"):
        near(getattr(mean, name), getattr(together, name))
    near(mean.contact_stress, np.mean([one.contact_stress for one in fields], axis=0))
    other = fields[0] + (fields[1] + fields[2])
    near(other.temperature, mean.temperature)


def test_frames_with_empty_cells():
    left, right = (
        abut.Frame([[x, 0.5, 0.5]], [0.1], columns={"velocity": np.array([[x, 0.0, 0.0]])})
        for x in (0.5, 9.5)
    )
    options = {"region": [[0, 0, 0], [10, 1, 1]], "density": 1.0}
    first, second = (abut.coarse_grain(one, (20, 1, 1), 0.3, **options) for one in (left, right))
    assert np.isnan(first.velocity[10]).all() and np.isnan(first.temperature[10]).all()
    both = first + second
    assert np.isnan(both.velocity[10]).all()
    assert both.velocity[0, 0, 0, 0] == pytest.approx(0.5)
    assert both.velocity[-1, 0, 0, 0] == pytest.approx(9.5)
    assert np.nanmax(both.temperature) < 1e-12


def test_only_fields_that_are_alike_add_up():
    frame = frame_of(period=BOX)
    options = {"cells": (4, 4, 4), "width": 0.2, "density": 1.0}
    fields = abut.coarse_grain(frame, **options)
    for changed, message in (
        ({"cells": (4, 4, 5)}, r"the shapes \(4, 4, 4\) and \(4, 4, 5\)"),
        ({"region": [[0.5, 0, 0], [1.5, 0.9, 0.8]]}, "different cells"),
        ({"kernel": "lucy"}, "different kernels or widths"),
        ({"width": 0.21}, "different kernels or widths"),
        (with_pairs(frame), "only one of the fields has contact_stress"),
    ):
        with pytest.raises(ValueError, match=message):
            fields + abut.coarse_grain(frame, **options | changed)
    with pytest.raises(TypeError):
        fields + 1
    with pytest.raises(TypeError):
        1 + fields


# ---- for pyvista ---------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["box", "tilted", "plane"])
def test_to_pyvista(kind):
    pytest.importorskip("pyvista")
    period = {"box": BOX, "tilted": np.diag(BOX) + [[0, 0, 0], [0.2, 0, 0], [0.1, 0.3, 0]]}
    frame = frame_of(period=period.get(kind, BOX))
    if kind == "plane":
        velocity = frame.columns["velocity"][:, :2]
        frame = abut.Frame(
            frame.centers[:, :2], frame.radii, period=BOX[:2], columns={"velocity": velocity}
        )
    size = (4, 3, 2)[: frame.centers.shape[1]]
    fields = abut.coarse_grain(frame, size, 0.3, density=2.0, **with_pairs(frame))
    grid = fields.to_pyvista()
    assert grid.n_cells == np.prod(size)
    measure = "Area" if kind == "plane" else "Volume"
    near(grid.compute_cell_sizes()[measure], np.full(grid.n_cells, fields.volume))
    names = ["density", "velocity", "temperature", "contact_stress", "kinetic_stress", "stress"]
    assert sorted(grid.cell_data.keys()) == sorted(names)
    places = grid.cell_centers().points
    for row, cell in enumerate(np.ndindex(*size[::-1])):
        at = cell[::-1]
        near(places[row, : len(size)], fields.points[at])
        for name in names:
            found, wanted = grid.cell_data[name][row], getattr(fields, name)[at]
            if wanted.ndim == 2:
                found = found.reshape(3, 3)[: len(size), : len(size)]
            assert (found[: len(size)] == wanted).all() if wanted.ndim else found == wanted
    frame = frame._replace(columns=None)
    few = abut.coarse_grain(frame, size, 0.3, density=2.0)
    assert few.to_pyvista().cell_data.keys() == ["density"]
    both = (fields + fields).to_pyvista()
    assert (both.points == grid.points).all()


# ---- what is known, and errors -------------------------------------------------------------------


def test_what_is_not_given_is_not_known():
    frame = frame_of(period=BOX)._replace(columns=None)
    fields = abut.coarse_grain(frame, (2, 2, 2), 0.3, density=1.0)
    for name, message in (
        ("momentum", "give velocities="),
        ("kinetic_stress", "give velocities="),
        ("contact_stress", "give pairs= and forces="),
        ("velocity", "give velocities="),
        ("temperature", "give velocities="),
        ("stress", "give pairs= and forces="),
    ):
        with pytest.raises(ValueError, match=message):
            getattr(fields, name)
    still = abut.coarse_grain(frame, (2, 2, 2), 0.3, density=1.0, **with_pairs(frame))
    with pytest.raises(ValueError, match="give velocities="):
        still.stress  # noqa: B018
    assert still.contact_stress.shape == (2, 2, 2, 3, 3)


def test_velocities_in_columns_of_dumps():
    frame = frame_of(period=BOX)
    x, y, z = frame.columns["velocity"].T
    dumped = frame._replace(columns={"vx": x, "vy": y, "vz": z})
    fields = [abut.coarse_grain(one, (2, 2, 2), 0.3, density=1.0) for one in (frame, dumped)]
    np.testing.assert_array_equal(fields[0].momentum, fields[1].momentum)


def test_cells_begin_at_the_origin_of_the_frame():
    frame = frame_of(period=BOX)
    moved = frame._replace(origin=np.array([0.1, 0.2, 0.3]))
    fields = abut.coarse_grain(moved, (2, 2, 2), 0.3, density=1.0)
    np.testing.assert_allclose(fields.points[0, 0, 0], [0.1 + 0.25, 0.2 + 0.225, 0.3 + 0.2])


def test_nothing_gives_empty_fields():
    empty = abut.Frame(np.empty((0, 3)), np.empty(0), period=BOX)
    fields = abut.coarse_grain(empty, (2, 2, 2), 0.3, density=1.0, velocities=np.empty((0, 3)))
    assert (fields.density == 0).all() and np.isnan(fields.velocity).all()
    fields = abut.coarse_grain(abut.Simulation(step=1e-5, period=BOX), (2, 2, 2), 0.3)
    assert (fields.stress == 0).all()


PAIRS = with_pairs(frame_of(period=BOX))


@pytest.mark.parametrize(
    ("wrong", "error", "message"),
    [
        ({"spheres": [frame_of()]}, TypeError, "spheres is a list, but must be a Simulation, or a"),
        ({"cells": 4}, ValueError, "cells is 4, but must be 3 numbers"),
        ({"cells": (4, 4)}, ValueError, r"cells is \(4, 4\), but must be 3 numbers"),
        ({"cells": (4, 0, 4)}, ValueError, r"cells\[1\] is 0, but must be at least 1"),
        ({"cells": (4, 1.5, 4)}, TypeError, r"cells\[1\] is 1.5, but must be an integer"),
        ({"width": 0}, ValueError, "width is 0.0, but must be positive"),
        ({"width": 0.1}, ValueError, "width is 0.1, but cells are 0.25 long along axis 0: give a"),
        ({"cells": (40,) * 3, "width": 1.0}, ValueError, "width is 1, so that a kernel reaches"),
        ({"kernel": "box"}, ValueError, "kernel is 'box', but must be 'gauss' or 'lucy'"),
        ({"density": None}, ValueError, "density is missing"),
        ({"density": [1.0]}, ValueError, "density has 1 entry, but there are 12 spheres"),
        ({"density": 0.0}, ValueError, r"density\[0\] is 0.0, but must be positive"),
        ({"velocities": np.ones((3, 3))}, ValueError, "velocities has 3 rows"),
        ({"velocities": np.full((12, 3), np.nan)}, ValueError, r"velocities\[0, 0\] is nan"),
        ({"forces": [[0, 0, 0]]}, ValueError, "forces is given, but pairs is missing"),
        ({"pairs": PAIRS["pairs"]}, ValueError, "forces is missing"),
        ({**PAIRS, "forces": [[0, 0, 0]]}, ValueError, "forces has 1 row"),
        ({**PAIRS, "spheres": frame_of()}, ValueError, "pairs has the period 1, 0.9, 0.8, but the"),
        ({"spheres": frame_of()}, ValueError, "region is None, but the world has no period along"),
        ({"pairs": 3}, TypeError, "pairs is an int, but must be Pairs"),
        ({"walls": (3, 4)}, TypeError, r"walls\[0\] is an int, not Contacts"),
        (
            {"spheres": frame_of(period=BOX)._replace(radii=-np.ones(12))},
            ValueError,
            r"radii\[0\] is -1.0, but must be positive",
        ),
        (
            {"spheres": frame_of(period=BOX[:2])},
            ValueError,
            "period has 2 items, but must have 3",
        ),
        ({"walls": 3}, TypeError, r"walls must be \(contacts, forces\)"),
        (
            {"region": [[0, 0, 0], [2, 1, 1]]},
            ValueError,
            "region is 2 wide along x, but may be one",
        ),
        ({"region": [[0, 0, 0], [0, 1, 1]]}, ValueError, "region goes from 0 to 0 along x"),
        (
            {"spheres": abut.Simulation(step=1e-5, period=BOX)},
            ValueError,
            "density is given, but is for frames",
        ),
    ],
)
def test_refuses(wrong, error, message):
    given = {"spheres": frame_of(period=BOX), "cells": (4, 4, 4), "width": 0.2, "density": 1.0}
    with pytest.raises(error, match=message):
        abut.coarse_grain(**given | wrong)


def test_pairs_with_others_are_refused():
    frame = frame_of()
    pairs = abut.find_pairs(frame.centers, 0.2, others=(frame.centers, 0.2))
    region = [[0, 0, 0], [1, 1, 1]]
    with pytest.raises(ValueError, match="pairs is of a search with others"):
        abut.coarse_grain(frame, (1, 1, 1), 1, region=region, density=1, pairs=pairs)
