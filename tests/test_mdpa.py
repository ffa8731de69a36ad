"""Kratos mdpa."""

import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

import abut
from scenes import corners

NODES = """\
Begin Nodes
 10 0.0 0.0 0.0 // the origin
 2  1.0 0.0 0.0
 30 1.0 1.0 0.0
 4  0.0 1.0 0.0
 5  0.0 0.0 1.0
 6  1.0 0.0 1.0
End Nodes
"""
MODEL = f"""\
// made by hand
Begin ModelPartData
 VELOCITY [3] (0, 0, 1)
End ModelPartData

Begin Properties 0
 Begin Table TIME VELOCITY
  0 1
 End Table
End Properties
{NODES}
Begin Elements RigidFace3D3N // GUI group identifier: walls
 7 0 10 2 5
End Elements
Begin Conditions SurfaceCondition3D4N
 1 0 10 2 30 4
End Conditions
Begin Conditions RigidFace3D3N
 2 0 2 6 5
 7 0 10 5 4
End Conditions
Begin NodalData VELOCITY_X
 10 0 1.0
End NodalData
Begin SubModelPart Walls
 Begin SubModelPartData
  NAME walls
 End SubModelPartData
 Begin SubModelPartNodes
  10
  2
 End SubModelPartNodes
 Begin SubModelPartConditions
  2
 End SubModelPartConditions
 Begin SubModelPart Floor
  Begin SubModelPartConditions
   1 7
  End SubModelPartConditions
 End SubModelPart
 Begin SubModelPart Outer
  Begin SubModelPartElements
   7
  End SubModelPartElements
 End SubModelPart
End SubModelPart
Begin SubModelPart Lid
 Begin SubModelPart Outer
 End SubModelPart
 Begin SubModelPart Inner
  Begin SubModelPartConditions
   2
   99
  End SubModelPartConditions
 End SubModelPart
End SubModelPart
"""
OTHERS = """\
Begin Elements SphericParticle3D
 11 0 10
 12 0 2
End Elements
Begin Elements SmallDisplacementElement3D4N // a tetrahedron
 13 0 10 2 30 4
End Elements
Begin Elements Element3D3N
 14 0 10 2 30
End Elements
Begin Conditions LineCondition3D2N
 15 0 10 2
End Conditions
Begin Geometries Triangle3D3
 16 10 2 30
End Geometries
"""


def read(tmp_path, text, **options):
    path = tmp_path / "mesh.mdpa"
    path.write_text(text)
    return abut.read_mesh(path, **options)


# ---- reading -------------------------------------------------------------------------------------


def test_conditions_and_elements_that_are_facets(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        mesh = read(tmp_path, MODEL)
    assert corners(mesh) == [[0, 1, 4], [0, 1, 2, 3], [1, 5, 4], [0, 4, 3]]
    assert mesh.vertices[2].tolist() == [1, 1, 0]
    assert mesh.source.tolist() == [0, 1, 2, 3]


@pytest.mark.parametrize(
    ("kind", "name", "is_facet"),
    [
        ("Elements", "ShellThinElement3D3N", True),
        ("Elements", "ShellThickElementCorotational3D4N", True),
        ("Elements", "IsotropicShellElement3D3N", True),
        ("Elements", "MembraneElement3D4N", True),
        ("Elements", "PrestressedMembraneElement3D3N", True),
        ("Elements", "RigidFace3D4N", True),
        ("Elements", "SmallDisplacementElement3D4N", False),
        ("Elements", "Element3D3N", False),
        ("Elements", "ShellElement3D6N", False),
        ("Conditions", "SurfaceLoadCondition3D3N", True),
        ("Conditions", "Condition3D4N", True),
        ("Conditions", "RigidFace3D3N", True),
        ("Conditions", "SurfaceCondition3D8N", False),
        ("Conditions", "PointCondition3D1N", False),
        ("Geometries", "Quadrilateral3D4", False),
    ],
)
def test_what_is_a_facet(tmp_path, kind, name, is_facet):
    nodes = " ".join(["10", "2", "30", "4"][: 3 + ("4" in name[-2:])])
    text = f"{NODES}Begin {kind} {name}\n 1 0 {nodes}\nEnd {kind}\n"
    if is_facet:
        assert len(read(tmp_path, text)) == 1
    else:
        with pytest.warns(abut.MeshWarning, match=f"that are not facets: 1 {name}"):
            assert len(read(tmp_path, text)) == 0


def test_others_are_counted_in_one_warning(tmp_path):
    with pytest.warns(abut.MeshWarning) as seen:
        mesh = read(tmp_path, MODEL + OTHERS)
    assert len(mesh) == 4
    (warning,) = seen
    assert str(warning.message).endswith(
        "2 SphericParticle3D, 1 SmallDisplacementElement3D4N, 1 Element3D3N, 1 LineCondition3D2N,"
        " 1 Triangle3D3"
    )
    assert warning.filename == __file__


# ---- parts ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("part", "facets"),
    [
        ("Walls", [0, 1, 2, 3]),
        ("Walls.Floor", [1, 3]),
        ("Floor", [1, 3]),
        ("Walls.Outer", [0]),
        ("Lid", [2]),
        ("Inner", [2]),
    ],
)
def test_parts_with_what_is_nested_in_them(tmp_path, part, facets):
    whole, mesh = read(tmp_path, MODEL), read(tmp_path, MODEL, part=part)
    assert mesh.source.tolist() == facets
    assert corners(mesh) == [corners(whole)[facet] for facet in facets]


def test_noise_is_that_of_the_facets_that_are_read(tmp_path):
    assert read(tmp_path, MODEL, part="Floor", noise=[0.1, 0.2]).noise.tolist() == [0.1, 0.2]


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (
            "Roof",
            "'Roof' is no SubModelPart: Walls, Walls.Floor, Walls.Outer, Lid, Lid.Outer, Lid.Inner",
        ),
        ("Outer", "'Outer' stands for several SubModelParts: Walls.Outer, Lid.Outer"),
        ("alls", "'alls' is no SubModelPart"),
        ("Lid.Outer", "SubModelPart 'Lid.Outer' lists no facets"),
    ],
)
def test_parts_that_are_not_there(tmp_path, part, message):
    with pytest.raises(ValueError, match=message):
        read(tmp_path, MODEL, part=part)


def test_a_part_that_is_begun_again_goes_on(tmp_path):
    again = """\
Begin SubModelPart Walls
 Begin SubModelPart Outer
  Begin SubModelPartConditions
   2
  End SubModelPartConditions
 End SubModelPart
End SubModelPart
"""
    assert read(tmp_path, MODEL + again, part="Walls.Outer").source.tolist() == [0, 2]


def nested(*ways):
    """Parts of these names, each inside the one before; those of all lists beside each other."""
    begins = [[f"Begin SubModelPart {name}\n" for name in way] for way in ways]
    return NODES + "".join("".join(way) + "End SubModelPart\n" * len(way) for way in begins)


names = st.lists(st.sampled_from("AB"), min_size=1, max_size=7)


@given(ways=st.lists(names, max_size=5), wanted=names)
def test_parts_are_found_by_how_their_names_end(tmp_path_factory, ways, wanted):
    parts = dict.fromkeys(tuple(way[: i + 1]) for way in ways for i in range(len(way)))
    ends = [part for part in parts if list(part[-len(wanted) :]) == wanted]
    if tuple(wanted) in parts or len(ends) == 1:
        expected = "lists no facets"
    elif ends:
        expected = "stands for several SubModelParts: " + ", ".join(map(".".join, ends))
    else:
        expected = "is no SubModelPart: " + (", ".join(map(".".join, parts)) or "none")
    with pytest.raises(ValueError) as error:
        read(tmp_path_factory.mktemp("mdpa"), nested(*ways), part=".".join(wanted))
    assert str(error.value).endswith(expected)


# ---- files that are broken -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (" 2  1.0 0.0 0.0", " 2  1.0 0.0", "line 13: a node has 3 words, not 4"),
        (" 2  1.0 0.0 0.0", " 2  1.0 zero 0.0", "line 13: 'zero' is not a finite number"),
        (" 2  1.0 0.0 0.0", " 2  1.0 inf 0.0", "line 13: 'inf' is not a finite number"),
        (" 2  1.0 0.0 0.0", " 2  1_0 0.0 0.0", "line 13: '1_0' is not a finite number"),
        (" 2  1.0 0.0 0.0", " 0_2 1.0 0.0 0.0", "line 13: '0_2' must be whole numbers"),
        ("   1 7", "   1 0_7", "line 46: '1' '0_7' must be whole numbers"),
        (" 2  1.0 0.0 0.0", " x  1.0 0.0 0.0", "line 13: 'x' must be whole numbers"),
        (" 2  1.0 0.0 0.0", " 10 1.0 0.0 0.0", "line 13: node 10 is defined a second time"),
        (" 7 0 10 2 5", " 7 0 10 2", "line 21: a facet has 4 words, not 5"),
        (" 7 0 10 2 5", " 7 0 10 2 x", "line 21: .* must be whole numbers"),
        (" 7 0 10 2 5", " 7 0 10 2 99999999999999999999", "line 21: .* must be whole numbers"),
        (" 7 0 10 2 5", " 7 0 10 2 3", "line 21: a facet names node 3, which does not exist"),
        (" 7 0 10 5 4", " 7 0 10 5 -4", "line 28: a facet names node -4, which does not exist"),
        ("   1 7", "   1 x", "line 46: '1' 'x' must be whole numbers"),
        ("End Nodes", "", "line 11: 'Begin Nodes' has no end"),
        ("End Nodes", "End Elements", "line 18: 'End Elements' ends no open block, but 'Begin"),
        ("Begin Nodes\n", "", "stands where 'Begin' should"),
        ("Begin SubModelPart Walls", "Begin Other", "'SubModelPartConditions' stands in no"),
    ],
)
def test_the_broken_line_is_named(tmp_path, old, new, message):
    assert old in MODEL
    with pytest.raises(ValueError, match=rf"mesh\.mdpa: .*({message})"):
        read(tmp_path, MODEL.replace(old, new, 1))


@pytest.mark.parametrize(
    "text",
    ["", "\n// nothing\n", "Begin Nodes\nEnd Nodes\n", "Begin Properties 0\nEnd Properties\n"],
)
@pytest.mark.parametrize("part", [None, "Walls"])
def test_files_without_a_mesh(tmp_path, text, part):
    with pytest.raises(ValueError, match=r"mesh\.mdpa: it holds no mesh: it has no nodes"):
        read(tmp_path, text, part=part)


def test_a_file_that_was_cut_off(tmp_path):
    lines = MODEL.splitlines(keepends=True)
    depth = 0
    for count, line in enumerate(lines[:-1], 1):
        words = line.split()[:1]
        depth += (words == ["Begin"]) - (words == ["End"])
        if depth:
            with pytest.raises(ValueError, match=r"has no end|which does not exist"):
                read(tmp_path, "".join(lines[:count]))


def test_only_mdpa_files_have_parts(tmp_path):
    path = tmp_path / "mesh.obj"
    path.write_text("v 0 0 0\n")
    with pytest.raises(ValueError, match="has no parts: leave out part=, which is for mdpa files"):
        abut.read_mesh(path, part="Walls")
