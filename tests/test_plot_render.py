"""Simulations as pixels: `abut.plot.render`."""

import numpy as np
import pytest

import abut
from abut.plot import render
from abut.plot.rendering import _named


@pytest.fixture
def sim():
    """Two spheres on a plane inside a cylinder, in millimeters."""
    grain, steel = abut.Material(density=1.0, young=1e6), abut.Material()
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), workers=1)
    for other in (grain, steel):
        sim.set_law(grain, other, abut.Hertz())
    sim.add_wall(abut.HalfSpace((0, 0, 0), (0, 0, 1)), steel)
    sim.add_wall(abut.examples.cylinder(0.004, 0.006), steel)
    sim.add_spheres([[0, 0, 0.001], [0.002, 0, 0.002]], [0.001, 5e-4], grain)
    return sim


def redder(picture):
    """Which pixels are red."""
    pixels = np.asarray(picture).astype(int)
    return pixels[..., 0] - pixels[..., 1] > 30


def white(picture):
    """The share of white pixels."""
    return (np.asarray(picture) == 255).all(axis=2).mean()


def test_a_picture_has_the_size_that_is_given(pyvista, sim):
    picture = render(sim, "z", size=(320, 240))
    assert picture.size == (320, 240)
    assert picture.mode == "RGB"


def test_the_bar_stands_beside_the_scene(pyvista, sim):
    picture = np.asarray(render(sim, "radius", label="m", size=(400, 300)))
    assert (picture[:, 337:343] == 255).all()
    assert (picture[60:240, 346:351] < 255).any(axis=2).all()


def test_spheres_fill_the_frame(pyvista, sim):
    picture = render(sim, "#ff0000", walls=[], view=(0, -1, 0), size=(300, 300))
    columns = np.flatnonzero(redder(picture).any(axis=0))
    assert 14 <= columns.min() <= 17 and 282 <= columns.max() <= 285


@pytest.mark.parametrize("radius", [1e-4, 1.0])
def test_a_sphere_looks_the_same_in_each_unit(pyvista, radius):
    sim = abut.Simulation(step=1e-5, gravity=(0, 0, 0), workers=1)
    sim.add_spheres([[0, 0, 0]], radius, abut.Material(density=1.0, young=1e6))
    assert 0.45 < redder(render(sim, "#ff0000", size=(200, 200))).mean() < 0.7


def test_meshes_and_bodies_are_drawn(pyvista, sim):
    nothing = abut.Simulation(step=1e-5, workers=1)
    assert white(render(nothing, size=(200, 200))) > 0.9
    box = abut.examples.cylinder(1.0, 1.0)
    assert white(render(nothing, walls=box, size=(200, 200))) < 0.9
    cube = abut.ConvexShape([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)])
    nothing.add_bodies(cube, [[0, 0, 0]], abut.Material(density=1.0, young=1e6))
    assert white(render(nothing, "id", size=(200, 200))) < 0.9


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"view": (0, 0, 1)}, "view and up are parallel"),
        ({"view": (0, 0)}, "view is .* three finite numbers"),
        ({"up": (0, 0, np.nan)}, "up is .* three finite numbers"),
        ({"size": (50, 300)}, "size is .* at least 100 pixels"),
        ({"alpha": 2}, "alpha is 2"),
        ({"color": "nosuch"}, "nosuch"),
    ],
)
def test_wrong_arguments_are_named(sim, options, message):
    with pytest.raises(ValueError, match=message):
        render(sim, **options)


def test_the_first_wrong_wall_is_named(sim):
    box = abut.examples.cylinder(0.004, 0.006)
    with pytest.raises(TypeError, match=r"walls\[2\] is an int, but must be"):
        render(sim, walls=[box, sim.walls[0], 5])
    with pytest.raises(TypeError, match="walls is an int, but must be"):
        render(sim, walls=5)


@pytest.mark.parametrize(
    ("length", "name"),
    [(2.0, "2 m"), (0.05, "5 cm"), (0.002, "2 mm"), (5e-5, "50 µm"), (1e-7, "1e-07 m")],
)
def test_a_length_is_named_by_a_short_number(length, name):
    assert _named(length) == name
