"""The form of the house: who includes whom, where each hard thing lives, how long functions are."""

import ast
import re
import statistics
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

# A room includes itself and what stands before it.
ROOMS_BELOW = {
    "base": {"base"},
    "mesh": {"base", "mesh"},
    "bins": {"base", "mesh", "bins"},
    "walls": {"base", "mesh", "bins", "walls"},
    "spheres": {"base", "spheres"},
    "convex": {"base", "mesh", "bins", "spheres", "convex"},
    "flats": {"base", "mesh", "bins", "walls", "spheres", "convex", "flats"},
    "dem": {"base", "mesh", "bins", "walls", "spheres", "convex", "flats", "dem"},
}

# Inside a room a file includes those that stand before it.
FILES = {
    "base": [
        "vec3",
        "box",
        "pose",
        "tilt",
        "prefetch",
        "error",
        "span",
        "lattice",
        "memory",
        "pool",
        "parallel",
        "sort",
        "nearest",
        "simd",
        "lanes_baseline_kernel",
        "lanes_avx_kernel",
        "lanes_v3_kernel",
        "lanes_v4_kernel",
        "lanes_kernel",
    ],
    "mesh": [
        "tolerance",
        "facet",
        "planes",
        "corner_grid",
        "split",
        "precision",
        "mesh",
        "neighbors",
        "deviations",
        "walks",
        "noise",
        "build",
        "weights",
        "weights_kernel",
    ],
    "bins": [
        "pieces",
        "slices",
        "filling",
        "filling_kernel",
        "bins",
        "levels",
        "entries",
        "planes",
        "slabs",
        "sets",
    ],
    "walls": [
        "finder",
        "batch",
        "candidates",
        "kernels",
        "look_kernel",
        "feet_kernel",
        "culling_kernel",
        "collect_kernel",
        "closest_kernel",
        "hierarchy_kernel",
        "rows_kernel",
        "load",
        "line",
        "feet",
        "hierarchy",
        "sharing",
        "records",
        "scene",
        "order",
        "find",
        "contacts",
        "rows",
        "columns",
        "query",
        "motion",
        "crowd",
        "match",
    ],
    "spheres": [
        "levels",
        "grid",
        "queue",
        "kernels",
        "gather_kernel",
        "grid_kernel",
        "compare_kernel",
        "near_kernel",
        "across_kernel",
        "lists_kernel",
        "pairs_kernel",
        "cells",
        "finder",
        "pairs",
        "gather",
        "images",
        "chunks",
        "search",
        "lists",
        "find",
        "columns",
        "inspect",
        "steps",
        "twins",
        "match",
        "carry",
    ],
    "convex": [
        "hull",
        "merge",
        "shape",
        "moments",
        "build",
        "pair",
        "entrances",
        "all_entrances",
        "climb",
        "closest",
        "segments",
        "parting",
        "link",
        "overlap",
        "direct_search",
        "common_plane",
        "spots",
        "solve",
        "finder",
        "places",
        "candidates",
        "states",
        "convex_rows",
        "find",
        "columns",
        "match",
        "batch",
    ],
    "flats": ["flat", "cover", "concave", "patch", "stand", "find"],
    "dem": [
        "laws",
        "kernels",
        "laws_kernel",
        "store",
        "rigid",
        "clusters",
        "solids",
        "tables",
        "spot_tables",
        "walls",
        "simulation",
        "watch",
        "order",
        "half_spaces",
        "contacts",
        "pairs",
        "solid_search",
        "solid_laws",
        "forces",
        "move",
        "solid_energy",
        "energy",
        "sphere_rows",
        "solid_rows",
        "restart",
        "lammps",
        "lammps_near",
        "lammps_atoms",
        "lammps_slots",
    ],
}

HOMES = {
    "allocates": (
        r"\b(malloc|calloc|realloc|aligned_alloc|posix_memalign|free|strdup)\s*\(",
        r"csrc/base/memory\.c",
    ),
    "knows OpenMP": (
        r"#\s*pragma\s+omp\s+(?!simd)|\bomp_\w+\s*\(|<omp\.h>",
        r"csrc/base/parallel\.c",
    ),
    "has vector code": (r"immintrin\.h|\b_mm\d*_\w+", r"csrc/.*_kernel\.[ch]"),
    "knows Python": (r"<Python\.h>|numpy/arrayobject\.h|\bPy_\w+", r"python/abut/_core/.*"),
    "has a tolerance": (r"\b\d[\d.]*[eE]-\d", r"csrc/mesh/tolerance\.h"),
    "leaves code out": (r"#\s*if\s+0\b", r"nowhere"),
}


def c_files():
    """Yield (path from the root, text) of the library's and the extension's C files."""
    folders = [ROOT / "csrc", ROOT / "python/abut/_core"]
    for path in sorted(path for folder in folders for path in folder.rglob("*.[ch]")):
        yield path.relative_to(ROOT).as_posix(), path.read_text()


def without_comments(text):
    """Blank comments and strings, but for the names of included files."""
    pattern = r'/\*.*?\*/|//[^\n]*|(?<!#include )"(?:\\.|[^"\\\n])*"'
    return re.sub(pattern, lambda match: re.sub(r"[^\n]", " ", match.group()), text, flags=re.S)


def includes():
    """Yield (file, file that it includes), both from the root."""
    for name, text in c_files():
        for target in re.findall(r'#\s*include\s+"([^"]+)"', text):
            beside = (ROOT / name).parent / target
            found = beside if beside.exists() else ROOT / "csrc" / target
            yield name, found.resolve().relative_to(ROOT.resolve()).as_posix()


def is_public_or_own(name, target):
    """Whether a file includes the public header, or a file of its own room."""
    return target == "csrc/abut.h" or Path(name).parent == Path(target).parent


def room_of(name):
    return name.split("/")[1]


def c_function_lengths():
    """Yield (where, lines); the formatter puts a function's braces in column 0."""
    for name, text in c_files():
        begin = None
        for number, line in enumerate(text.split("\n"), 1):
            if line == "{":
                begin = number
            elif line == "}" and begin:
                yield f"{name}:{begin}", number - begin + 1
                begin = None


def python_function_lengths():
    """Yield (where, lines without the docstring)."""
    for folder in ("python", "tests", "benchmarks", "docs"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            for node in ast.walk(ast.parse(path.read_text())):
                if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                    body = node.body[1:] if ast.get_docstring(node) else node.body
                    begin = body[0].lineno if body else node.end_lineno
                    yield f"{path.relative_to(ROOT)}:{node.lineno}", node.end_lineno - begin + 1


def test_includes_run_one_way():
    for name, target in includes():
        if name.startswith("csrc/") and target != "csrc/abut.h":
            assert room_of(target) in ROOMS_BELOW[room_of(name)], f"{name} includes {target}"


@pytest.mark.parametrize(("room", "files"), FILES.items())
def test_includes_inside_a_room_run_one_way(room, files):
    """The include lines tell the pipeline; a new file takes its place in the list."""
    for name, target in includes():
        if name.startswith(f"csrc/{room}/") and target.startswith(f"csrc/{room}/"):
            place, below = files.index(Path(name).stem), files.index(Path(target).stem)
            assert below <= place, f"{name} includes {target}"


def test_every_noun_has_a_line():
    """What files share is explained to who reads them first."""
    lines = re.findall(r"^\| (.*) \|", (ROOT / "csrc/README.md").read_text(), flags=re.M)
    explained = set(re.findall(r"`(\w+)`", "\n".join(lines)))
    for name, text in c_files():
        if re.fullmatch(r"csrc/\w+/\w+(?<!_kernel)\.h", name):
            nouns = re.findall(r"^} (\w+);", text, flags=re.M)
            assert not set(nouns) - explained, f"{name} has nouns that csrc/README.md does not"


def test_every_file_has_its_place():
    found = {(path.parent.name, path.stem) for path in (ROOT / "csrc").glob("*/*.[ch]")}
    named = {(room, file) for room, files in FILES.items() for file in files}
    assert found == named


def test_extension_includes_only_the_public_header():
    """Nothing under _core/ knows geometry."""
    for name, target in includes():
        if name.startswith("python/"):
            assert is_public_or_own(name, target), f"{name} includes {target}"


def test_public_header_stands_alone():
    header = (ROOT / "csrc/abut.h").read_text()
    assert re.findall(r"#\s*include\s+(\S+)", header) == ["<stddef.h>", "<stdint.h>"]
    assert list((ROOT / "csrc").glob("*.h")) == [ROOT / "csrc/abut.h"]


def test_stepping_example_is_the_one_that_is_compiled():
    """The lines of the header's example, and those of the test that runs it."""
    header = (ROOT / "csrc/abut.h").read_text()
    begin = header.index("a loop of steps")
    comment = header[begin : header.index("*/", begin)]
    shown = re.findall(r"^ \*     (.*)$", comment, flags=re.M)
    lines = [line for line in (ROOT / "tests/c/test_stepping.c").read_text().split("\n") if line]
    first = lines.index(shown[0])
    assert len(shown) > 20
    assert lines[first : first + len(shown)] == shown


@pytest.mark.parametrize("what", HOMES)
def test_hard_thing_has_one_home(what):
    pattern, home = HOMES[what]
    for name, text in c_files():
        if not re.fullmatch(home, name):
            found = re.search(pattern, without_comments(text))
            assert not found, f"{name} {what}: {found.group()}"


def test_files_are_written_in_one_place():
    """But for what is unpacked for a time, and what nobody reads."""
    writes = r"""\bopen\(.*["']([wax]b?|rb?\+)["']|\.write_(text|bytes)\(|savetxt\(["']"""
    homes = ("io/writing.py", "io/gz.py", "cli/printing.py")
    for path in (ROOT / "python/abut").rglob("*.py"):
        for line in [] if path.as_posix().endswith(homes) else path.read_text().split("\n"):
            assert ">>>" in line or not re.search(writes, line), f"{path.name}: {line.strip()}"


@pytest.mark.parametrize("lengths", [c_function_lengths, python_function_lengths])
def test_functions_are_short(lengths):
    """Median at most 15 lines, 90 % at most 40, none over 60."""
    found = sorted(lengths(), key=lambda pair: pair[1])
    counts = [lines for _, lines in found]
    assert found[-1][1] <= 60, f"{found[-1][0]} has {found[-1][1]} lines"
    assert counts[int(0.9 * (len(counts) - 1))] <= 40
    assert statistics.median(counts) <= 15


def test_files_carry_no_leftovers():
    for name, text in c_files():
        assert not re.search(r"\bTODO\b|\bFIXME\b|\bXXX\b", text), name
        assert max(map(len, text.split("\n"))) <= 100, name
