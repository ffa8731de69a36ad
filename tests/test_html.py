"""Small tables that notebooks show, of meshes and finders."""

from html.parser import HTMLParser

import pytest

import abut
from abut.base import html

SQUARE = abut.Mesh(
    [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0], [4, 4, 1]], [[0, 1, 2, 3], [1, 4, 2], [2, 4, 3]]
)


class Reader(HTMLParser):
    """Rows of cells; a tag that is not closed is an error."""

    def __init__(self, text):
        super().__init__()
        self.rows, self.words, self._open = [], [], []
        self.feed(text)
        assert not self._open

    def handle_starttag(self, tag, attributes):
        self._open.append(tag)
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_endtag(self, tag):
        assert self._open.pop() == tag

    def handle_data(self, data):
        if self._open[-1] in ("th", "td"):
            self.rows[-1][-1] += data
        else:
            self.words.append(data)


def shown(thing):
    reader = Reader(thing._repr_html_())
    assert reader.words[0] == repr(thing)
    return reader


def test_mesh_shows_its_size():
    facts = dict(shown(SQUARE).rows)
    assert facts["facets"] == "2 with 3 corners, 1 with 4 corners"
    assert (facts["x"], facts["y"], facts["z"]) == ("0 to 4", "0 to 4", "0 to 1")
    assert facts["total area"] == f"{SQUARE.areas.sum():.6g}"


@pytest.mark.parametrize("count", [1, 7])
def test_contact_finder_shows_its_meshes(count):
    reader = shown(abut.ContactFinder([SQUARE] * count))
    assert reader.rows[1] == ["0", "3", "5", "0 to 4", "0 to 4", "0 to 1"]
    assert len(reader.rows) == 1 + min(count, html.SHOWN_ROWS)
    assert reader.words[1:] == (["and 2 more"] if count == 7 else [])


def test_pair_finder_shows_its_spheres():
    facts = dict(shown(abut.PairFinder([1.0, 3.0], gap=[0.5, 0.25], period=(9, None, 20))).rows)
    assert facts["radii"] == "1 to 3"
    assert facts["gap"] == "0.25 to 0.5"
    assert facts["period"] == "9, none, 20"
    assert facts["search"] == "top-down"
    assert dict(shown(abut.PairFinder([])).rows)["radii"] == "none"


def test_simulation_shows_its_state():
    grain = abut.Material(density=2500, young=1e7)
    sim = abut.Simulation(step=1e-4, gravity=(0, 0, -2), period=(3, None, None))
    facts = dict(shown(sim).rows)
    assert facts["radii of spheres"] == facts["x"] == "none" and facts["contacts"] == "0"
    sim.set_law(grain, grain, abut.Hertz())
    sim.add_spheres([[0, 0, 0], [1, 0, 0.999], [1, 0, 2]], [0.1, 0.5, 0.501], grain)
    tetra = abut.ConvexShape([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    sim.add_bodies(tetra, [[0, 0, 7]], grain)
    sim.run(steps=1)
    facts = dict(shown(sim).rows)
    assert facts["step"] == "0.0001" and facts["period"] == "3, none, none"
    assert facts["radii of spheres"] == "0.1 to 0.501" and facts["gravity"] == "0, 0, -2"
    assert (facts["x"], facts["z"]) == ("0 to 1", "-2e-08 to 7.25")
    assert facts["contacts"] == "1"
    assert float(facts["elastic energy"]) == pytest.approx(sim.energy.elastic, rel=1e-5)
    assert float(facts["kinetic energy"]) == pytest.approx(sim.energy.kinetic, rel=1e-5)


def test_text_is_escaped():
    reader = Reader(html.facts_table("<b>", {"a & b": "<i>"}))
    assert reader.words == ["<b>"]
    assert reader.rows == [["a & b", "<i>"]]
    assert "&lt;i&gt;" in html.rows_table("", ["<"], [["<i>"]], 1)
