"""Types as a user's checker sees them: words that options take, what comes back."""

import importlib
import inspect
import os
import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import get_args

import pytest

import abut
from abut import options
from abut.grid import work
from abut.plot import colors
from abut.results import maps
from abut.search import convex_input, finder, mesh, pair_finder
from abut.simulation import walls

RIGHT = """
from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import abut
from abut.options import Resolution


def total_force(
    path: str, centers: NDArray[np.float64], resolution: Resolution = "sharing"
) -> NDArray[np.float64]:
    mesh = abut.read_mesh(path, scale=1e-3, on_degenerate="drop")
    finder = abut.ContactFinder([mesh, mesh.transformed(np.eye(4))])
    contacts = finder.find(
        centers, 0.5, resolution=resolution, weights="zhong", poses=[None, np.eye(4)]
    )
    deep = contacts[contacts.overlap > 0.1]
    forces: NDArray[np.float64] = 1e3 * deep.overlap[:, None] * deep.normal
    return deep.sum(forces)


def pictures(mesh: abut.Mesh, centers: list[list[float]]) -> None:
    contacts = abut.find_contacts(centers, [0.5, 0.25], mesh)
    ax = contacts.plot(scalars="overlap", how="sum", limits=(0, 1), label="overlap in m")
    ax.set_title("contacts")
    mesh.plot(ax, scalars=mesh.areas, at="facet", alpha=0.5)
    flat = [center[:2] for center in centers]
    pairs = abut.find_pairs(flat, 0.5, levels="auto", search="bottom-up")
    pairs.plot(flat, 1e3 * pairs.overlap, ax.figure.add_subplot()).set_title("chains")
    abut.find_pairs(centers, 0.5).plot(centers, label=None, backend="pyvista").show()


def run() -> float:
    sim = abut.Simulation(step=1e-4, resolution="hierarchy")
    grain = abut.Material(density=2500.0, young=1e7)
    sim.set_law(grain, grain, abut.Hertz(friction=0.5))
    sim.add_spheres([[0, 0, 0]], 0.5, grain)
    sim.velocities = sim.velocities + [1, 0, 0]
    sim.velocities = [[1, 0, 0]]
    sim.run(steps=3)
    sim.plot("speed", alpha=0.2, walls=sim.walls, limits=(0, 1))
    frames = abut.read_frames("run.dump", on_truncated="drop")
    return float(frames[0].centers[0, 0] + len(frames[1:]) + sim.forces.max())


def bodies(shape: abut.ConvexShape) -> abut.Entrances:
    finder = abut.ConvexFinder(shape, scales=[1.0, 2.0], method="fcp")
    contacts = finder.find([[0, 0, 0], [1, 0, 0]], minimum="global")
    return finder.entrances([[0, 0, 0], [1, 0, 0]], pairs=contacts)
"""

WRONG = """
import abut

mesh = abut.read_mesh("drum.stl", on_degenerate="ignore")  # wrong
finder = abut.ContactFinder(mesh)
contacts = finder.find([[0, 0, 0]], 0.5, resolution="sharng")  # wrong
print(contacts.overlaps)  # wrong
contacts.plot(scalars="overlap", how="median")  # wrong
sim = abut.Simulation(step="1e-4")  # wrong
sim.plot("speed", colour="red")  # wrong
"""
WRONG_LINES = [n for n, line in enumerate(WRONG.split("\n"), 1) if line.endswith("# wrong")]

PACKAGE = Path(abut.__file__).parents[1]


def checked(folder, text, *command):
    """The lines of a script with errors of a type checker, and its whole output.

    The checker finds the package where this Python does, and checks only the script.
    """
    script = folder / "script.py"
    script.write_text(text)
    is_installed = PACKAGE.name == "site-packages"
    environment = os.environ if is_installed else {**os.environ, "MYPYPATH": str(PACKAGE)}
    done = subprocess.run(
        [sys.executable, "-m", *command, script.name],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
    )
    said = done.stdout + done.stderr
    return [int(line) for line in re.findall(r"script\.py:(\d+)\S* (?:- )?error", said)], said


@pytest.fixture(scope="module")
def mypy(tmp_path_factory):
    pytest.importorskip("mypy")
    folder = tmp_path_factory.mktemp("mypy")
    # one cache for both scripts; errors of the package itself are those of CI's own run of mypy
    options = ["--cache-dir=cache", "--follow-imports=silent", "--strict"]
    return lambda text: checked(folder, text, "mypy", *options)


@pytest.mark.ci
def test_mypy_finds_a_users_mistakes(mypy):
    lines, said = mypy(WRONG)
    assert lines == WRONG_LINES, said
    assert len(lines) == 6


@pytest.mark.ci
def test_mypy_passes_a_right_script(mypy):
    lines, said = mypy(RIGHT)
    assert lines == [], said
    assert "Success: no issues found" in said


@pytest.mark.skipif(find_spec("pyright") is None, reason="pyright is not installed")
def test_pyright_says_the_same(tmp_path):
    lines, said = checked(tmp_path, WRONG, "pyright", "--pythonpath", sys.executable)
    assert lines == WRONG_LINES, said
    lines, said = checked(tmp_path, RIGHT, "pyright", "--pythonpath", sys.executable)
    assert lines == [], said


@pytest.mark.parametrize(
    ("alias", "known"),
    [
        (options.Resolution, finder.RESOLUTIONS),
        (options.WallResolution, walls.RESOLUTIONS),
        (options.Weights, finder.WEIGHTS),
        (options.OnDegenerate, mesh.ON_DEGENERATE),
        (options.Search, pair_finder.SEARCHES),
        (options.Family, work.FAMILIES),
        (options.Method, convex_input.METHODS),
        (options.Minimum, convex_input.MINIMA),
        (options.How, maps.REDUCTIONS),
        (options.At, colors.AT),
    ],
)
def test_words_of_types_are_those_that_are_read(alias, known):
    assert get_args(alias) == tuple(known)


@pytest.mark.parametrize(
    ("taken", "draw"),
    [
        (options.MeshPlotOptions, "meshes.plot_mesh"),
        (options.ContactsPlotOptions, "meshes.plot_contacts"),
        (options.PairsPlotOptions, "pairs.plot_pairs"),
        (options.ShapePlotOptions, "convex.plot_shape"),
        (options.BodiesPlotOptions, "convex.plot_bodies"),
        (options.ConvexPlotOptions, "convex.plot_convex_contacts"),
    ],
)
def test_options_of_pictures_are_those_that_are_drawn(taken, draw):
    module, name = draw.split(".")
    function = getattr(importlib.import_module(f"abut.plot.{module}"), name)
    parameters = inspect.signature(function).parameters.values()
    known = {one.name for one in parameters if one.kind is one.KEYWORD_ONLY}
    assert taken.__annotations__.keys() | {"backend"} == known


def test_types_import_nothing():
    names = {"abut.options", "matplotlib", "pandas", "pyvista", "scipy", "trimesh"}
    code = f"import sys, abut; print(sorted({names} & sys.modules.keys()))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.ci
def test_mypy_knows_the_names_and_no_others(mypy):
    lines, said = mypy(
        "import abut\nabut.find_contacts\nabut.examples.mixer\nabut.__version__\n"
        "abut.find_contact\nabut.Meshes\n"
    )
    assert lines == [5, 6], said
