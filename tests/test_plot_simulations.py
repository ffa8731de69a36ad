"""Pictures of simulations and of frames."""

import numpy as np
import pytest

import abut

GRAIN, STEEL = abut.Material(density=2500, young=1e7), abut.Material()
CENTERS = [[0.2, 0.2, 0.3], [0.8, 0.2, 0.1], [0.5, 0.8, 0.2]]
RADII = [0.1, 0.05, 0.15]
VELOCITIES = [[3.0, 0, 4], [0, 0, 0], [0, 1, 0]]
CUBE = abut.ConvexShape([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


@pytest.fixture
def sim():
    sim = abut.Simulation(step=1e-5)
    sim.add_wall(abut.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], [[0, 1, 2, 3]]), STEEL)
    sim.add_spheres(CENTERS, RADII, GRAIN, velocities=VELOCITIES)
    return sim


def of_kind(axes, kind):
    return [one for one in axes.collections if type(one).__name__ == kind]


def disk_colors(axes):
    """Colors are in the order of the spheres, not by depth."""
    (disks,) = of_kind(axes, "Path3DCollection")
    return disks._facecolors


def sliders(plotter):
    return getattr(plotter, "widgets", plotter).slider_widgets


def test_speed_colors_the_spheres(sim, axes):
    viridis = pytest.importorskip("matplotlib").colormaps["viridis"]
    assert sim.plot(color="speed", ax=axes) is axes
    np.testing.assert_allclose(disk_colors(axes), viridis([1.0, 0.0, 0.2]))
    assert axes.figure.axes[1].get_ylabel() == "speed"


@pytest.mark.parametrize(
    ("color", "values"), [("radius", RADII), ("z", [0.3, 0.1, 0.2]), ("id", [0, 1, 2])]
)
def test_columns_color_as_their_numbers_do(sim, axes, color, values):
    figure = pytest.importorskip("matplotlib.figure")
    other = figure.Figure().add_subplot(projection="3d")
    sim.plot(color, axes)
    sim.plot(values, other, label=None)
    assert (disk_colors(axes) == disk_colors(other)).all()
    assert len(np.unique(disk_colors(axes), axis=0)) == 3
    assert len(other.figure.axes) == 1


def test_one_color_for_all(sim, axes):
    sim.plot("#ff0000", axes)
    assert len(axes.figure.axes) == 1
    assert (disk_colors(axes) == [1, 0, 0, 1]).all()


def test_walls_are_drawn_where_they_are(sim, axes):
    sim.walls[0].motion = abut.Translating((0, 0, -1))
    sim.run(0.01)
    sim.plot(ax=axes)
    (wall,) = of_kind(axes, "Poly3DCollection")
    z = np.concatenate([np.asarray(one)[:, 2] for one in wall._faces])
    np.testing.assert_allclose(z, -0.01, rtol=1e-9)


@pytest.mark.parametrize(("walls", "count"), [(True, 2), (False, 0), ("one", 1)])
def test_walls_that_are_asked_for(sim, axes, walls, count):
    floor = sim.add_wall(abut.HalfSpace((0, 0, -0.1), (0, 0, 1)), STEEL)
    sim.plot(ax=axes, walls=[floor] if walls == "one" else walls)
    assert len(of_kind(axes, "Poly3DCollection")) == count


def test_half_space_is_a_square_below_what_is_there(sim, axes):
    floor = sim.add_wall(abut.HalfSpace((7, 0, -0.1), (0, 0, 1)), STEEL)
    sim.plot(ax=axes, walls=[floor])
    (square,) = of_kind(axes, "Poly3DCollection")
    corners = np.asarray(square._faces[0])
    np.testing.assert_allclose(corners[:, 2], -0.1)
    assert (corners[:, :2].min(axis=0) < 0.1).all()
    assert (corners[:, :2].max(axis=0) > 0.9).all()


def add_cubes(sim):
    sim.add_bodies(CUBE, [[0, 0, 2], [2, 0, 2]], GRAIN, scales=[0.1, 0.2])


def test_bodies_have_the_colors_of_the_numbers_behind_those_of_the_spheres(sim, axes):
    add_cubes(sim)
    sim.plot([0, 0, 0, 1, 2], axes, walls=False, cmap="gray")
    (facets,) = of_kind(axes, "Poly3DCollection")
    shades = np.asarray(facets.get_facecolor())[:, 0]
    assert len(shades) == 12
    assert sorted(np.round(shades, 1)) == [0.5] * 6 + [1.0] * 6


@pytest.mark.parametrize(
    ("color", "error", "message"),
    [
        ("sped", ValueError, "color is 'sped', which is neither a color nor one of speed, spin"),
        ([1, 2], ValueError, r"color has shape \(2,\), but must be \(3,\): one a particle"),
        ([1, np.nan, np.inf], ValueError, r"color\[1\] is nan"),
        ([True, False, True], TypeError, "color"),
    ],
)
def test_wrong_colors_are_errors(sim, axes, color, error, message):
    with pytest.raises(error, match=message):
        sim.plot(color, axes)
    assert not axes.collections


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"walls": 3}, TypeError, "walls is an int, but must be a list of the simulation's walls"),
        ({"walls": ["floor"]}, TypeError, r"walls\[0\] is a str"),
        ({"alpha": "x"}, TypeError, "alpha is 'x', but must be real numbers"),
        ({"alpha": 2}, ValueError, "alpha is 2.0, but must be between 0 and 1"),
        ({"alpha": np.nan}, ValueError, "alpha is nan"),
    ],
)
def test_wrong_options_are_errors(sim, axes, options, error, message):
    with pytest.raises(error, match=message):
        sim.plot(ax=axes, **options)
    assert not axes.collections


def test_pyvista_draws_simulations(sim, plotter):
    add_cubes(sim)
    assert sim.plot("speed", plotter, limits=(0, 8)) is plotter
    balls = plotter.actors["spheres"].mapper
    assert balls.scalar_range == (0, 8)
    np.testing.assert_allclose(np.unique(balls.dataset["values"]), [0, 1, 5])
    low, high = np.reshape(balls.dataset.bounds, (3, 2)).T
    np.testing.assert_allclose(low, [0.1, 0.1, 0.05], atol=0.01)
    np.testing.assert_allclose(high, [0.85, 0.95, 0.4], atol=0.01)


@pytest.fixture
def frames(sim, tmp_path):
    sim.every(1e-5, abut.write_frames(tmp_path / "{step}.vtp"))
    sim.run(3e-5)
    return abut.read_frames(tmp_path, columns=["velocity"])


def test_frames_have_a_slider_and_one_scale(frames, plotter):
    assert abut.view(frames, "speed", plotter) is plotter
    (slider,) = sliders(plotter)
    assert slider.GetSliderRepresentation().GetMaximumValue() == len(frames) - 1
    ends = frames[0], frames[len(frames) - 1]
    speeds = [np.linalg.norm(one.columns["velocity"], axis=1) for one in ends]
    scale = plotter.actors["spheres"].mapper.scalar_range
    np.testing.assert_allclose(scale, (np.min(speeds), np.max(speeds)))


def test_slider_draws_its_frame(frames, plotter):
    moved = [frames[0], frames[0]._replace(centers=frames[0].centers + [0, 0, 5])]
    abut.view(moved, plotter=plotter)
    (slider,) = sliders(plotter)
    assert plotter.actors["spheres"].mapper.dataset.bounds[5] == pytest.approx(5.4, abs=0.01)
    slider.GetSliderRepresentation().SetValue(0)
    slider.InvokeEvent("EndInteractionEvent")
    assert plotter.actors["spheres"].mapper.dataset.bounds[5] == pytest.approx(0.4, abs=0.01)


def test_frame_lacks_what_was_not_read(frames, plotter):
    with pytest.raises(ValueError, match="color is 'force', which is neither a color nor one of"):
        abut.view(frames, "force", plotter)


def test_there_must_be_a_frame(plotter):
    with pytest.raises(ValueError, match="there are no frames"):
        abut.view([], plotter=plotter)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"color": [1.0]}, TypeError, "color is a list, but must be a color or a column's name"),
        ({"plotter": 3}, TypeError, "plotter is an int, but must be a pyvista.Plotter"),
        ({"walls": None}, TypeError, "walls is a NoneType, but must be a Mesh or a list of these"),
        ({"walls": [3]}, TypeError, r"walls\[0\] is an int"),
        ({"alpha": 2}, ValueError, "alpha is 2.0"),
    ],
)
def test_wrong_options_of_view_are_errors(frames, options, error, message):
    with pytest.raises(error, match=message):
        abut.view(frames, **options)


def test_what_is_no_frame_is_an_error(frames, sim, plotter):
    others = [(sim, "Simulation"), (iter(frames), "generator"), ("out/*.vtp", "str")]
    for wrong, name in [(frames[0], "Frame"), *others]:
        with pytest.raises(TypeError, match=f"frames is a {name}, but must be a sequence of Frame"):
            abut.view(wrong, plotter=plotter)
    with pytest.raises(TypeError, match=r"frames\[1\] is a str, but must be a Frame"):
        abut.view([frames[0], "1.vtp"], plotter=plotter)
