"""Instruction levels: their names, the environment's choice, and that all give the same bits."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
import scenes
from abut import _core
from abut.base.config import config

pytestmark = pytest.mark.native

NAMES = ["baseline", "v3", "v4"]
LEVELS = _core.simd_levels()

COLUMNS = (
    "sphere", "mesh", "facet", "type", "feature", "point", "normal", "overlap", "share", "_tilt",
    "image", "offsets", "node", "weight", "node_offsets",
)  # fmt: skip

OPTIONS = [
    {},
    {"resolution": "all", "gap": 0.1},
    {"resolution": "sharing"},
    {"flat_angle": 0.2},
]


@pytest.fixture(autouse=True)
def level_before():
    """Each test may set the level."""
    before = _core.simd()
    yield
    _core.set_simd(before)


# ---- names and choice ----------------------------------------------------------------------------


def test_levels_are_the_lower_ones_of_all():
    assert NAMES[: len(LEVELS)] == LEVELS


def test_best_level_is_the_last_one():
    _core.set_simd(None)
    assert _core.simd() == LEVELS[-1]


@pytest.mark.parametrize("name", NAMES)
def test_level_is_set_where_there_is_one(name):
    _core.set_simd("baseline")
    if name in LEVELS:
        _core.set_simd(name)
        assert _core.simd() == name
        assert config()["instruction level"].startswith(name)
    else:
        with pytest.raises(ValueError, match="has no such instruction level"):
            _core.set_simd(name)
        assert _core.simd() == "baseline"


@pytest.mark.parametrize("name", ["", "v2", "V3", "avx2", "v3 "])
def test_name_that_no_level_has(name):
    before = _core.simd()
    with pytest.raises(ValueError, match="the instruction levels are baseline, v3 and v4"):
        _core.set_simd(name)
    assert _core.simd() == before


@pytest.mark.parametrize("name", [3, b"v3", True])
def test_what_is_no_name(name):
    with pytest.raises(TypeError, match="name must be a string or None"):
        _core.set_simd(name)


QUERY = """
mesh = abut.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
abut.find_contacts([[0, 0, 0]], 1.0, mesh)
"""


def import_with(value, then=""):
    """The level after a fresh import of abut, and the output of further source."""
    code = "import abut; print(abut._core.simd())\n" + then
    environment = {**os.environ, "ABUT_SIMD": value}
    if value is None:
        del environment["ABUT_SIMD"]
    run = [sys.executable, "-c", code]
    return subprocess.run(run, capture_output=True, text=True, env=environment)


@pytest.mark.parametrize("value", [*LEVELS, f" {LEVELS[-1]} "])
def test_environment_names_a_level(value):
    assert import_with(value).stdout.strip() == value.strip()


@pytest.mark.parametrize("value", [None, ""])
def test_environment_names_none(value):
    assert import_with(value).stdout.strip() == LEVELS[-1]


@pytest.mark.parametrize("value", ["avx2", *NAMES[len(LEVELS) :]])
def test_environment_is_wrong(value):
    expected = f"ABUT_SIMD is {value!r}, but must be one of baseline"
    run = import_with(value, "abut.show_config()\n" + QUERY)
    assert run.returncode != 0
    assert f"ValueError: {expected}" in run.stderr
    assert f"instruction level  {expected}" in run.stdout


@pytest.mark.cases(1)
@pytest.mark.parametrize("name", ["ABUT_SIMD", "ABUT_NUM_THREADS"])
def test_command_says_in_one_line_that_the_environment_is_wrong(tmp_path, name):
    environment = {**os.environ, name: "many"}
    run = [sys.executable, "-m", "abut"]
    options = {"capture_output": True, "text": True, "env": environment, "cwd": tmp_path}
    doctor = subprocess.run([*run, "doctor"], **options)
    assert doctor.returncode == 0 and f"{name} is 'many', but must be" in doctor.stdout
    demo = subprocess.run([*run, "demo"], **options)
    assert demo.returncode == 2 and demo.stderr.startswith(f"abut: error: {name} is 'many'")
    assert len(demo.stderr.splitlines()) == 1


# ---- the same bits -------------------------------------------------------------------------------


def found_at(level, meshes, centers, radii, options):
    """The contacts at a level, with bins of their own."""
    _core.set_simd(level)
    return abut.ContactFinder(meshes).find(centers, radii, workers=1, **options)


def assert_same_at_all_levels(meshes, centers, radii, **options):
    """Every column is the same to the bit; returns the number of contacts."""
    expected, *others = (found_at(level, meshes, centers, radii, options) for level in LEVELS)
    for level, found in zip(LEVELS[1:], others, strict=True):
        for name in COLUMNS:
            one, other = getattr(expected, name), getattr(found, name)
            assert one.dtype == other.dtype and one.shape == other.shape, (level, name)
            assert one.tobytes() == other.tobytes(), (level, name)
    return len(expected)


def assert_same_however_asked(meshes, centers, radii):
    """Check queries with all kinds of options, with lengths relative to the spheres' size."""
    contacts = 0
    for options in OPTIONS:
        gap = options.get("gap", 0.0) * radii.max()
        contacts += assert_same_at_all_levels(meshes, centers, radii, **{**options, "gap": gap})
    return contacts


def mesh_of(scene):
    return abut.Mesh(scene.vertices, scenes.flat_lists(scene.facets))


def centers_on(rng, mesh, count):
    """Points exactly on vertices, on edges and in facets, as near as rounding lets them be."""
    facets = np.split(mesh.indices, mesh.offsets[1:-1])
    points = []
    for _ in range(count):
        corners = mesh.vertices[facets[rng.integers(len(facets))]]
        k, parts = rng.integers(len(corners)), rng.integers(3, size=len(corners))
        edge = (corners[k - 1] + corners[k]) / 2
        inside = parts @ corners / parts.sum() if parts.any() else corners.mean(axis=0)
        points.append([corners[k], edge, inside][rng.integers(3)])
    return np.array(points)


def radii_that_end_at(rng, mesh, centers, sizes):
    """Radii that are exactly the distance of a facet, or one digit off; else `sizes`."""
    finder = abut.ContactFinder(mesh)
    every = finder.find(centers, sizes, resolution="all")
    radii = sizes.copy()
    for row in rng.permutation(len(every)):
        sphere = every.sphere[row]
        distance = sizes[sphere] - every.overlap[row]
        radii[sphere] = distance if distance > 0 else sizes[sphere]
    step = rng.integers(-1, 2, len(radii))
    return np.where(step == 0, radii, np.nextafter(radii, np.where(step < 0, 0, np.inf)))


@pytest.mark.parametrize("turn", ["none", "in plane", "in space"])
@pytest.mark.parametrize("kind", scenes.FLAT_MESHES)
def test_plane(kind, turn):
    rng = np.random.default_rng([len(kind), ord(kind[0]), len(turn)])
    flat, facets = scenes.FLAT_MESHES[kind](rng, 8)
    frame = scenes.frame(rng, turn=turn, shift=rng.choice([0, 1000]))
    vertices = scenes.rounded(frame.place(flat * 8), float)
    contacts = 0
    for radius in (0.1, 0.7, 5.0):
        spheres = scenes.spheres_near(rng, vertices, facets, 120, radius)
        mesh = mesh_of(scenes.Scene(vertices, facets, *spheres))
        contacts += assert_same_however_asked(mesh, *spheres)
    assert contacts > 360


@given(scenes.scenes(), st.sampled_from(OPTIONS))
def test_random_scenes(scene, options):
    """Numbers of spheres that fill some vectors, with one size and several."""
    rng = np.random.default_rng(len(scene.facets))
    mesh, radius = mesh_of(scene), scene.radii[0]
    centers, radii = scenes.spheres_near(rng, scene.vertices, scene.facets, 40, radius)
    options = {**options, "gap": options.get("gap", 0.0) * radius}
    assert_same_at_all_levels(mesh, centers, radii, **options)
    assert_same_at_all_levels(mesh, centers, radii * 100 ** rng.uniform(-1, 1, 40), **options)


@given(scenes.scenes(), st.sampled_from(OPTIONS))
def test_near_ties(scene, options):
    """Centers on facets, edges and vertices, radii that are distances, and facets twice."""
    rng = np.random.default_rng(len(scene.facets))
    mesh = mesh_of(scene._replace(facets=scenes.duplicated(rng, scene[:2])[1]))
    sizes = np.full(60, scene.radii[0])
    centers = centers_on(rng, mesh, 60)
    centers[:40] += rng.choice([-0.5, 0, 0.5], (40, 3)) * sizes[0]
    radii = radii_that_end_at(rng, mesh, centers, sizes)
    options = {**options, "gap": options.get("gap", 0.0) * scene.radii[0]}
    assert_same_at_all_levels(mesh, centers, radii, **options)


@given(st.lists(scenes.scenes(), min_size=2, max_size=3), st.sampled_from(OPTIONS), st.booleans())
def test_several_meshes_with_poses_and_a_period(several, options, periodic):
    rng = np.random.default_rng(len(several))
    pose = np.eye(4)
    pose[:3, :3] = scenes.rotation(rng)
    pose[:3, 3] = rng.normal(size=3)
    poses = [pose, *[None] * (len(several) - 1)]
    first = several[0]
    radius = min(scene.radii[0] for scene in several)
    options = {**options, "gap": options.get("gap", 0.0) * radius, "poses": poses}
    if periodic:
        extent = max(np.abs(scene.vertices).max() for scene in several)
        options["period"] = (extent + radius, None, 4 * extent + radius)
    centers = np.concatenate([scene.centers for scene in several])
    centers[: len(first.centers)] = first.centers @ pose[:3, :3].T + pose[:3, 3]
    meshes = [mesh_of(scene) for scene in several]
    assert_same_at_all_levels(meshes, centers, np.full(len(centers), radius), **options)
