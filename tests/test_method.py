"""The worked example of docs/method.md has the numbers that the library and the reference find."""

import re
from pathlib import Path

import numpy as np
import pytest

import abut
import reference
import shares
from test_readme import blocks, printed

PAGE = (Path(__file__).parent.parent / "docs" / "method.md").read_text(encoding="utf-8")
EXAMPLE = re.search(r"^### A worked example\n(.*?)^## ", PAGE, flags=re.DOTALL | re.MULTILINE)[1]
RESOLUTIONS = ["all", "hierarchy", "sharing"]
CENTER, RADIUS, EXPONENT = [0.0, 0.0, 0.9], 1.0, 1.5
LARGEST = 0.1  # the overlap whose force is 1
RAMP = [(x, y, z) for y in (-2, 2) for x, z in ((-2, 0), (0, 0), (1.92, 0.56))]
RAMP_FACETS = [[0, 1, 4, 3], [1, 2, 5, 4]]


def table(first):
    """The numbers in each row of the table with this title of its first column."""
    rows = re.search(
        rf"^\| {re.escape(first)} \|.*\n\|[-| ]+\n((?:\|.*\n)+)", EXAMPLE, re.MULTILINE
    )
    return [[float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", row)] for row in rows[1].splitlines()]


def near(values):
    """Equal to what is written with four digits."""
    return pytest.approx(np.ravel(values), abs=0.5001e-4)


@pytest.fixture(scope="module")
def groove():
    """The mesh that the page's own code makes."""
    scope = {}
    printed(exec, blocks("python", EXAMPLE)[0][0], scope)
    return scope["groove"]


def find(mesh, resolution, center=CENTER):
    """All facets that touch, in the order of the facets: shares, forces and the total."""
    touching = abut.find_contacts([center], RADIUS, mesh, resolution="all", exponent=EXPONENT)
    found = abut.find_contacts([center], RADIUS, mesh, resolution=resolution, exponent=EXPONENT)
    share = np.zeros(len(mesh))
    share[found.facet] = found.share
    every = np.argsort(touching.facet)
    force = share * (touching.overlap[every] / LARGEST) ** EXPONENT
    return share, force, force @ touching.normal[every]


def test_code_prints_what_is_written_below_it():
    for code, output in blocks("python", EXAMPLE):
        assert printed(exec, code, {}) == output


def test_contacts_are_those_of_the_library(groove):
    found = abut.find_contacts([CENTER], RADIUS, groove, resolution="all")
    force = (found.overlap / LARGEST) ** EXPONENT
    for k, row in enumerate(table("facet")):
        expected = [found.facet[k], *found.point[k], *found.normal[k], found.overlap[k], force[k]]
        assert row == near(expected)
    assert found.type.tolist() == [abut.FACET, abut.FACET, abut.EDGE]


@pytest.mark.parametrize("resolution", ["all", "hierarchy"])
def test_contacts_are_those_of_the_reference(groove, resolution):
    facets = np.split(groove.indices, groove.offsets[1:-1])
    found = reference.find_contacts(
        [CENTER], [RADIUS], groove.vertices, facets, resolution=resolution
    )
    expected = [row for row in table("facet") if resolution == "all" or row[0] != 2]
    assert len(found.facet) == len(expected)
    for k, row in enumerate(expected):
        seen = [found.facet[k], *found.point[k], *found.normal[k], found.overlap[k]]
        assert row[:-1] == near(seen)


@pytest.mark.parametrize("resolution", RESOLUTIONS)
def test_forces_are_those_of_the_library(groove, resolution):
    row = table("resolution")[RESOLUTIONS.index(resolution)]
    _, force, total = find(groove, resolution)
    assert row == near([*force, *total, np.linalg.norm(total)])


def test_forces_solve_the_problem_of_the_page():
    """The steps' numbers are those of the only solution, from the normals and overlaps written."""
    rows = np.array(table("facet"))
    normals, overlaps = rows[:, 4:7], rows[:, 7]
    g, full = shares.matrix(normals), shares.forces(overlaps, EXPONENT)
    (force,) = shares.solutions(g, full)
    assert table("resolution")[2][:3] == near(force)
    steps = EXAMPLE[EXAMPLE.index("step by step") : EXAMPLE.index("The total force")]
    for value in (g[0, 1], g[0, 2], round(g[1, 2], 3)):
        assert f"= {value:.4g}" in steps
    for value in (*full[1:], *force[:2], (g @ force)[2], (force / full)[1]):
        assert f" {value:.4f}" in steps


@pytest.mark.parametrize("row", table("$x$"), ids=lambda row: f"{row[0]}")
def test_forces_on_the_way_up_the_ramp(row):
    x, floor, ramp, hierarchy, floor_share, ramp_share, sharing = row
    mesh, center = abut.Mesh(RAMP, RAMP_FACETS), [x, 0, 0.9]
    touching = abut.find_contacts([center], RADIUS, mesh, resolution="all")
    assert [floor, ramp] == near(touching.overlap[np.argsort(touching.facet)])
    share, _, total = find(mesh, "sharing", center)
    assert [floor_share, ramp_share, sharing] == near([*share, np.linalg.norm(total)])
    assert hierarchy == near([np.linalg.norm(find(mesh, "hierarchy", center)[2])])
