"""The pictures of README and manual, which docs/pictures.py draws."""

import sys
from itertools import pairwise
from pathlib import Path

import pytest

pytest.importorskip("pyvista")
plt = pytest.importorskip("matplotlib.pyplot")
pytestmark = pytest.mark.pyvista

FOLDER = Path(__file__).parents[1] / "docs"


@pytest.fixture
def pictures(monkeypatch):
    monkeypatch.syspath_prepend(FOLDER)
    import pictures

    yield pictures
    plt.close("all")
    sys.modules.pop("pictures")


def test_the_script_draws_every_picture_and_defines_all_before_it_runs():
    source = (FOLDER / "pictures.py").read_text()
    assert source.endswith('\n\nif __name__ == "__main__":\n    main()\n')
    kept = {path.name for path in FOLDER.iterdir() if path.suffix in (".png", ".gif")}
    assert kept == {name for name in kept if f'FOLDER / "{name}"' in source}


FIGURES = ["method", "sharing", "convex", "laws", "nine_codes"]


@pytest.mark.parametrize("name", [*FIGURES, pytest.param("impacts", marks=pytest.mark.ci)])
def test_titles_stand_apart_and_inside(pictures, name):
    if name == "impacts":
        pytest.importorskip("numba")
    figure = getattr(pictures, f"{name}_figure")()
    figure.draw_without_rendering()
    titles = [ax.title.get_window_extent() for ax in figure.axes]
    assert titles[0].x0 > 0 and titles[-1].x1 < figure.bbox.width
    for left, right in pairwise(titles):
        assert left.x1 + 10 < right.x0


def test_every_color_of_the_mixer_has_a_name(pictures, tmp_path, monkeypatch):
    named = []
    add_color_names = pictures.add_color_names

    def noted(plotter, names, colors):
        named.extend(zip(names, colors, strict=True))
        add_color_names(plotter, names, colors)

    monkeypatch.setattr(pictures, "add_color_names", noted)
    pictures.draw_mixer(tmp_path / "mixer.png")
    assert {color for _, color in named} == {*pictures.COLORS, pictures.BED_COLOR}
    assert (tmp_path / "mixer.png").stat().st_size > 100_000
