"""The structure of the sources: includes in order, hard parts in one place, short functions."""

import ast
import graphlib
import re
import statistics
from pathlib import Path

import pytest

from mutants import MUTANTS

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "python/abut"

# A room includes itself and what stands before it.
ROOMS_BELOW = {
    "base": {"base"},
    "mesh": {"base", "mesh"},
    "bins": {"base", "mesh", "bins"},
    "walls": {"base", "mesh", "bins", "walls"},
    "spheres": {"base", "spheres"},
    "convex": {"base", "mesh", "bins", "spheres", "convex"},
    "flats": {"base", "mesh", "bins", "walls", "spheres", "convex", "flats"},
    "interactions": {"base", "mesh", "bins", "walls", "spheres", "interactions"},
    "dem": {"base", "mesh", "bins", "walls", "spheres", "convex", "flats", "interactions", "dem"},
    "lammps": {
        *("base", "mesh", "bins", "walls", "spheres", "convex", "flats", "interactions", "dem"),
        "lammps",
    },
}

# Inside a room a file includes those that stand before it.
FILES = {
    "base": [
        "fused",
        "vec3",
        "box",
        "pose",
        "affine",
        "tilt",
        "series",
        "rounded",
        "prefetch",
        "columns",
        "error",
        "span",
        "lattice",
        "lattice_basis",
        "memory",
        "pool",
        "clock",
        "parallel",
        "sort",
        "simd",
        "lanes_baseline_kernel",
        "lanes_avx_kernel",
        "lanes_v3_kernel",
        "lanes_v4_kernel",
        "lanes_kernel",
        "series_kernel",
        "lattice_kernel",
    ],
    "mesh": [
        "tolerance",
        "facet",
        "planes",
        "split",
        "precision",
        "mesh_data",
        "derive",
        "neighbors",
        "deviations",
        "walks",
        "noise",
        "build_mesh",
        "refit",
        "weights",
        "weights_kernel",
    ],
    "bins": [
        "pieces",
        "slices",
        "filling",
        "filling_kernel",
        "bins",
        "bin_levels",
        "entries",
        "flat_buckets",
        "slabs",
        "sets",
    ],
    "walls": [
        "contact_finder",
        "facet_list",
        "half_spaces",
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
        "tangent_tree",
        "hierarchy",
        "sharing",
        "records",
        "scene",
        "search_order",
        "find_contacts",
        "query_contacts",
        "contact_rows",
        "contact_columns",
        "query",
        "motion",
        "match_contacts",
    ],
    "spheres": [
        "grid_levels",
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
        "pair_finder",
        "query_pairs",
        "gather",
        "copies",
        "chunks",
        "search",
        "lists",
        "find_pairs",
        "row_images",
        "pair_columns",
        "inspect",
        "steps",
        "ordered",
        "match_pairs",
        "carry",
    ],
    "convex": [
        "hull",
        "merge",
        "shape",
        "moments",
        "build_shape",
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
        "convex_finder",
        "places",
        "body_pairs",
        "states",
        "convex_rows",
        "find_convex",
        "convex_columns",
        "match_spots",
        "entrance_batch",
    ],
    "flats": ["flat", "cover", "concave", "patch", "stand", "find_flats"],
    "interactions": [
        "history",
        "user_laws",
        "cohesion_numbers",
        "cohesion_kernel",
        "law",
        "law_table",
        "mover",
        "kernels",
        "laws_kernel",
        "evaluate_laws",
        "active_candidates_kernel",
        "neighbor_list",
        "listing",
        "make_list",
        "deforming_mesh",
        "near_walls",
        "active_candidates",
        "table",
        "extend_list",
    ],
    "dem": [
        "store",
        "cell",
        "rigid",
        "rigid_set",
        "bonds",
        "population",
        "finder_bodies",
        "walls",
        "state",
        "shared",
        "pair_rows",
        "bond_pairs",
        "bond_laws",
        "view",
        "watch",
        "sphere_order",
        "deforming",
        "apart",
        "check_lists",
        "parts",
        "row_laws",
        "rows",
        "wall_contacts",
        "pairs",
        "solid_search",
        "solid_laws",
        "forces",
        "move",
        "grains",
        "energy",
        "images",
        "stable_step",
        "cell_motion",
        "cell_control",
        "drives",
        "bounds",
        "step",
        "set_laws",
        "set_walls",
        "touching",
        "bond_rows",
        "sphere_rows",
        "rigid_rows",
        "restart",
    ],
    "lammps": ["rank", "near", "atoms", "slots", "callback"],
}

# The largest number of files in a chain of includes, with the first and the last file.
INCLUDE_DEPTH = 11

# The rooms that headers of dem/ include, and the header on wall motion, which needs base/ alone.
# Other files that its .c files include are listed one by one: queries of listed facets and bodies
# without checks, matches, shares of pulls, reach of bodies on walls, outline errors, tolerances.
DEM_SEES = {"base", "interactions", "dem"}
DEM_MOTION = "csrc/walls/motion.h"
DEM_DOORS = {
    "csrc/walls/facet_list.h",
    "csrc/walls/match_contacts.h",
    "csrc/walls/sharing.h",
    "csrc/convex/find_convex.h",
    "csrc/convex/convex_finder.h",
    "csrc/convex/match_spots.h",
    "csrc/flats/flat.h",
    "csrc/mesh/tolerance.h",
}

# Files that go on with what another one begins, under its header: these two call each other.
GO_ON = {("hull", "merge"), ("link", "overlap")}

# The rooms of the Python side, and the modules beside them. What a module imports when it is
# imported itself stands in its own room or in one of these; what only annotations name may stand
# anywhere.
PYTHON_ROOMS_BELOW = {
    "base": set(),
    "results": {"base"},
    "search": {"base", "results"},
    "io": {"base", "results", "search"},
    "laws": {"base"},
    "grid": {"base", "search"},
    "simulation": {"base", "results", "search", "io", "laws"},
    "plot": {"base", "results", "search"},
    "options": set(),
    "examples": {"search", "simulation", "laws"},
    "lammps": {"base", "results", "search", "simulation", "laws"},
    "dask": {"base", "search", "io"},
    "cli": {"base", "results", "search", "io", "plot"},
}

# Imports inside functions may go to later rooms, because tables and meshes have methods to save and
# draw themselves.
PYTHON_DOORS = {"results": {"io", "plot"}, "search": {"io", "plot"}, "simulation": {"plot"}}

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

# Functions of NumPy, its generators and `math` with last bits that depend on the machine.
# Simulations and searches must not use them (base/arithmetic.py).
OF_THE_MACHINE = {
    *(
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "atan2",
        "arcsin",
        "arccos",
        "arctan",
        "arctan2",
    ),
    *("sinh", "cosh", "tanh", "exp", "expm1", "exp2", "log", "log1p", "log2", "log10", "pow"),
    *(
        "power",
        "float_power",
        "cbrt",
        "hypot",
        "dist",
        "dot",
        "vdot",
        "inner",
        "matmul",
        "tensordot",
    ),
    *("einsum", "linalg", "polynomial", "fft", "interp", "logspace", "geomspace", "uniform"),
    *("standard_normal", "exponential", "gamma", "lognormal"),
}

# Modules that may call these, and why no simulation or search shows it.
ON_THE_MACHINE = {
    "laws/check.py": "laws that are tried",
    "laws/probes.py": "laws that are tried",
    "grid/work.py": "levels of grids, which show in the speed alone",
    "grid/work_model.py": "levels of grids, which show in the speed alone",
    "search/units.py": "text of a warning",
    "search/doubts.py": "text of a warning",
    "simulation/watch.py": "text of a warning",
    "io/weld.py": "whether vertices lie within a distance",
    "results/coarse.py": "kernels of coarse-grained fields, which no simulation reads",
}
NUMBERS_FOR_EYES = ("plot/", "examples/", "cli/")


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


def python_modules(room):
    """The files of a room, or the file of a module outside all rooms."""
    alone = PACKAGE / f"{room}.py"
    return [alone] if alone.exists() else sorted((PACKAGE / room).rglob("*.py"))


def abut_imports(path):
    """Yield (dotted name below abut, whether a function holds the import) of what it imports."""
    package = path.relative_to(PACKAGE.parent).parent.parts
    for node, is_late in imports_of(ast.parse(path.read_text())):
        if isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else ()
            full = [*base, *(node.module.split(".") if node.module else [])]
            names = [[*full, alias.name] for alias in node.names]
        else:
            names = [alias.name.split(".") for alias in node.names]
        for name in names:
            if name[0] == "abut" and len(name) > 1:
                yield name[1:], is_late


def abut_files(path):
    """Yield (file, whether a function holds the import) of the modules that one imports."""
    for name, is_late in abut_imports(path):
        # the last is a module, or a name in the module before it
        for parts in (name, name[:-1]):
            files = [
                PACKAGE.joinpath(*parts).with_suffix(".py"),
                PACKAGE.joinpath(*parts, "__init__.py"),
            ]
            if found := next((file for file in files if parts and file.exists()), None):
                yield found, is_late
                break


def imports_of(node, is_late=False):
    """Yield (import, whether a function holds it), but for those that only type checkers read."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, is_late
        elif not (isinstance(child, ast.If) and ast.unparse(child.test) == "TYPE_CHECKING"):
            yield from imports_of(child, is_late or isinstance(child, ast.FunctionDef))


PUBLIC = (
    *("csrc/abut.h", "csrc/abut_law.h"),
    *(path.relative_to(ROOT).as_posix() for path in sorted((ROOT / "csrc/abut").glob("*.h"))),
)


def test_includes_run_one_way():
    for name, target in includes():
        if name.startswith("csrc/") and target not in PUBLIC:
            assert room_of(target) in ROOMS_BELOW[room_of(name)], f"{name} includes {target}"


@pytest.mark.parametrize(("room", "files"), FILES.items())
def test_includes_inside_a_room_run_one_way(room, files):
    """Includes follow the order of the list; a new file must be added at its place."""
    for name, target in includes():
        if name.startswith(f"csrc/{room}/") and target.startswith(f"csrc/{room}/"):
            place, below = files.index(Path(name).stem), files.index(Path(target).stem)
            assert below <= place, f"{name} includes {target}"


def included_files():
    """For each C file, the files that it includes directly."""
    found = {}
    for name, target in includes():
        found.setdefault(name, set()).add(target)
    return found


def test_chains_of_includes_are_short():
    """A file includes what it uses, without long chains of further includes."""
    below, depths = included_files(), {}
    for name in graphlib.TopologicalSorter(below).static_order():
        depths[name] = 1 + max((depths[target] for target in below.get(name, ())), default=0)
    deepest = max(depths, key=depths.get)
    assert depths[deepest] <= INCLUDE_DEPTH, f"{deepest} is {depths[deepest]} files deep"


def test_dem_sees_no_insides():
    """Its headers, as far as they reach, see no room of geometry, and its files doors alone."""
    below = included_files()
    own = {name for name in below if name.startswith("csrc/dem/")}
    seen, waiting = set(), {name for name in own if name.endswith(".h")}
    while waiting:
        seen |= waiting
        waiting = set().union(*(below.get(name, set()) for name in waiting)) - seen
    assert {room_of(name) for name in seen - {*PUBLIC, DEM_MOTION}} <= DEM_SEES
    targets = set().union(*(below[name] for name in own)) - {*PUBLIC, DEM_MOTION}
    assert {target for target in targets if room_of(target) not in DEM_SEES} == DEM_DOORS


# A struct used in at least MUCH_USED files needs an entry in the glossary, which is limited to
# GLOSSARY_LIMIT words.
MUCH_USED, GLOSSARY_LIMIT = 6, 150


def shared_nouns():
    """Public structs, and those of the rooms' headers that many files use."""
    files = {name: text for name, text in c_files() if name.startswith("csrc/")}
    words = {name: set(re.findall(r"\w+", code_of(text))) for name, text in files.items()}
    for name, text in files.items():
        yield from re.findall(r"^struct (abut_\w+) \{", text, flags=re.M)
        if re.fullmatch(r"csrc/\w+/\w+(?<!_kernel)\.h", name) and name not in PUBLIC:
            for noun in re.findall(r"^} (\w+);", text, flags=re.M):
                if sum(noun in used for used in words.values()) >= MUCH_USED:
                    yield noun


def test_shared_nouns_have_a_line():
    lines = re.findall(r"^\| (.*) \|", (ROOT / "csrc/README.md").read_text(), flags=re.M)
    explained = set(re.findall(r"`(\w+)`", "\n".join(lines)))
    assert set(shared_nouns()) - explained == set()
    _, _, glossary = (ROOT / "csrc/README.md").read_text().partition("## Nouns")
    terms = re.findall(r"^\| ((?:`?\w+`?(?:, )?)+) \| \w", glossary, flags=re.M)
    assert sum(len(line.split(", ")) for line in terms) <= GLOSSARY_LIMIT


def test_every_file_has_its_place():
    found = {(path.parent.name, path.stem) for path in (ROOT / "csrc").glob("*/*.[ch]")}
    found -= {(path.parent.name, path.stem) for path in map(Path, PUBLIC)}
    named = {(room, file) for room, files in FILES.items() for file in files}
    assert found == named


def test_file_names_are_unique():
    """Only the tables of each room's kernels share names."""
    names = [path.name for path in (ROOT / "csrc").glob("*/*.[ch]")]
    assert {name for name in names if names.count(name) > 1} == {"kernels.c", "kernels.h"}


def code_of(text):
    """C code without comments and strings."""
    return re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"', "", text, flags=re.S)


def defined_functions():
    """For each function shared by files, the file that defines it."""
    declared = set()
    for name, text in c_files():
        if name.endswith(".h"):
            declared |= set(
                re.findall(r"^\w[\w ]*\**\b(\w+)\([^{]*?\);", code_of(text), flags=re.M | re.S)
            )
    found = {}
    for name, text in c_files():
        if name.startswith("csrc/") and name.endswith(".c"):
            for function in re.findall(
                r"^(?!static)\w[\w ]*\**\b(\w+)\([^;{]*\)\s*\{", code_of(text), flags=re.M
            ):
                if function in declared:
                    found[function] = name
    return found


def test_calls_run_one_way():
    """A file calls functions of those before it, through whatever header it knows them."""
    homes = defined_functions()
    assert len(homes) > 400
    for name, text in c_files():
        if not (name.startswith("csrc/") and name.endswith(".c")):
            continue
        room, file = name.split("/")[1], Path(name).stem
        for function in set(re.findall(r"\b(\w+)\(", code_of(text))) & homes.keys():
            other_room, other = homes[function].split("/")[1], Path(homes[function]).stem
            assert other_room in ROOMS_BELOW[room], f"{name} calls {function} of {homes[function]}"
            if other_room == room and (file, other) not in GO_ON:
                places = FILES[room].index(other), FILES[room].index(file)
                assert places[0] <= places[1], f"{name} calls {function} of {homes[function]}"


def test_extension_includes_only_the_public_header():
    """No file under _core/ contains geometry."""
    for name, target in includes():
        if name.startswith("python/"):
            assert is_public_or_own(name, target), f"{name} includes {target}"


def test_public_headers_stand_alone():
    for name, target in includes():
        if name in PUBLIC:
            assert target in PUBLIC, f"{name} includes {target}"
    of_laws = (ROOT / "csrc/abut_law.h").read_text()
    assert re.findall(r"#\s*include\s+(\S+)", of_laws) == ["<stdint.h>"]
    assert {path.name for path in (ROOT / "csrc").glob("*.h")} == {"abut.h", "abut_law.h"}


def test_stepping_example_is_the_one_that_is_compiled():
    """The lines of the header's example, and those of the test that runs it."""
    header = (ROOT / "csrc/abut/contacts.h").read_text()
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


@pytest.mark.parametrize("room", PYTHON_ROOMS_BELOW)
def test_python_imports_run_one_way(room):
    for path in python_modules(room):
        for target, is_late in abut_imports(path):
            above = PYTHON_DOORS.get(room, set()) if is_late else set()
            allowed = {room, "_core", *PYTHON_ROOMS_BELOW[room], *above}
            assert target[0] in allowed, f"{path.relative_to(ROOT)} imports {'.'.join(target)}"


def test_python_rooms_have_an_order():
    """No two rooms import each other, nor do two modules."""
    modules = {path: set() for path in PACKAGE.rglob("*.py")}
    for path, below in modules.items():
        below |= {file for file, is_late in abut_files(path) if not is_late and file != path}
    for graph in (PYTHON_ROOMS_BELOW, modules):
        assert tuple(graphlib.TopologicalSorter(graph).static_order())


def test_every_python_module_has_its_room():
    alone, inside = PACKAGE.glob("*.py"), PACKAGE.glob("*/*.py")
    found = {path.stem for path in alone} | {path.parent.name for path in inside}
    assert found - {"__init__", "__main__"} == PYTHON_ROOMS_BELOW.keys()


def test_python_modules_are_short():
    """A module has at most 600 lines; a longer one must be divided."""
    lengths = {path: path.read_text().count("\n") for path in PACKAGE.rglob("*.py")}
    longest = max(lengths, key=lengths.get)
    assert lengths[longest] <= 600, f"{longest.relative_to(ROOT)} has {lengths[longest]} lines"


def test_files_are_written_in_one_place():
    """But for what is unpacked for a time, and what nobody reads."""
    writes = r"""\bopen\(.*["']([wax]b?|rb?\+)["']|\.write_(text|bytes)\(|savetxt\(["']"""
    homes = ("io/writing.py", "io/gz.py", "cli/printing.py")
    for path in PACKAGE.rglob("*.py"):
        for line in [] if path.as_posix().endswith(homes) else path.read_text().split("\n"):
            assert ">>>" in line or not re.search(writes, line), f"{path.name}: {line.strip()}"


def is_of_the_machine(node):
    """Whether this is a matrix product, a power other than of 2, a function that libraries round in
    their own way, or a sort that leaves the order of equal numbers open."""
    match node:
        case ast.BinOp(op=ast.MatMult()) | ast.AugAssign(op=ast.MatMult() | ast.Pow()):
            return True
        case ast.BinOp(op=ast.Pow(), left=left):
            return not (isinstance(left, ast.Constant) and left.value == 2)
        case ast.Attribute(attr=name):
            return name in OF_THE_MACHINE
        case ast.Call(func=ast.Attribute(attr="argsort"), keywords=given):
            return "kind" not in {keyword.arg for keyword in given}
    return False


def bits_of_the_machine(text):
    """Lines, with what stands there."""
    nodes = filter(is_of_the_machine, ast.walk(ast.parse(text)))
    return [f"line {node.lineno}: {ast.unparse(node)}" for node in nodes]


def test_bits_do_not_depend_on_the_machine():
    """Only listed modules may use such functions, and every listed one does."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        name = path.relative_to(PACKAGE).as_posix()
        hits = bits_of_the_machine(path.read_text())
        if hits and not name.startswith(NUMBERS_FOR_EYES):
            found[name] = hits
    assert {name: found[name] for name in found.keys() - ON_THE_MACHINE.keys()} == {}
    assert found.keys() == ON_THE_MACHINE.keys()


def test_what_depends_on_the_machine_is_found():
    lines = (
        "a @ b",
        "a **= 3",
        "np.linalg.norm(a)",
        "math.sin(a)",
        "np.argsort(a)",
        "2.0**a * b**a",
    )
    for line in lines:
        assert len(bits_of_the_machine(line)) == 1, line
    same = "2**a + np.argsort(a, kind='stable') + a * a + math.sqrt(a) + np.cross(a, b)"
    assert not bits_of_the_machine(same)


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


def test_equations_that_code_names_are_there():
    """Equations of docs/dem.md are numbered in their order, without gaps."""
    tags = re.findall(r"\\tag\{(\d+)\}", (ROOT / "docs/dem.md").read_text(encoding="utf-8"))
    assert [int(tag) for tag in tags] == list(range(1, len(tags) + 1))
    for name, text in c_files():
        joined = re.sub(r"\s+(?:\* )?", " ", text)
        for numbers in re.findall(r"docs/dem\.md eq\. ([\d, and to]+)", joined):
            assert max(map(int, re.findall(r"\d+", numbers))) <= len(tags), name


def test_mutants_are_places_of_the_sources():
    for mutant in MUTANTS:
        assert (ROOT / mutant.file).read_text().count(mutant.old) == 1, mutant.what
        for noun in mutant.near.split():
            assert (ROOT / f"tests/test_{noun}.py").exists(), mutant.what
