"""The installed package: types, sources, version, and imported modules."""

import ast
import importlib.metadata
import importlib.resources
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import abut

ROOT = Path(__file__).parents[1]

OPTIONAL = [
    "dask",
    "distributed",
    "matplotlib",
    "meshio",
    "pandas",
    "pyarrow",
    "pyvista",
    "scipy",
    "trimesh",
    "vtk",
]


def test_import_needs_no_optional_package():
    code = f"import sys, abut; print([name for name in {OPTIONAL} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_package_is_typed():
    package = importlib.resources.files("abut")
    assert (package / "py.typed").is_file()
    assert (package / "_core.pyi").is_file()


def test_extension_has_the_stable_abi():
    assert Path(abut._core.__file__).name in ("_core.abi3.so", "_core.pyd")


def test_no_c_sources_are_installed():
    """But the header of laws that users compile."""
    installed = [str(path) for path in importlib.metadata.files("abut")]
    assert any("_core" in path or path.endswith(".pth") for path in installed)
    sources = [path for path in installed if path.endswith((".c", ".h", ".a"))]
    assert sources == ["abut/include/abut_law.h"]


def project():
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def test_version_is_the_projects():
    assert abut.__version__ == importlib.metadata.version("abut") == project()["version"]


def citation():
    yaml = pytest.importorskip("yaml")
    return yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))


def test_citation_is_of_this_version():
    found = citation()
    assert found["cff-version"] == "1.2.0"
    assert (found["version"], found["license"]) == (project()["version"], project()["license"])
    assert {"message", "title", "type", "authors"} <= found.keys()
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {found['version']} ({found['date-released']})\n" in changes


@pytest.mark.skipif(not (ROOT / ".ci").exists(), reason="an sdist has no .ci")
def test_recipe_is_of_this_version():
    recipe = (ROOT / ".ci" / "conda" / "recipe.yaml").read_text(encoding="utf-8")
    assert re.findall(r'^  version: "(.+)"$', recipe, re.MULTILINE) == [project()["version"]]


def test_citation_names_the_papers_that_the_readme_asks_to_cite():
    papers = {one["doi"]: one for one in citation()["references"]}
    asked = (ROOT / "README.md").read_text(encoding="utf-8").partition("## Citing")[2]
    assert papers.keys() == set(re.findall(r"\[doi:([^\]]+)\]", asked))
    text = " ".join(asked.replace(">", " ").split())
    for paper in papers.values():
        assert paper["title"] in text
        assert f"*{paper['journal']}* {paper['volume']} ({paper['year']})" in text
        assert f"{paper['start']}\N{EN DASH}{paper['end']}" in text
        assert all(one["family-names"] in text for one in paper["authors"])


def test_numpy_is_the_one_requirement():
    needed = [line for line in importlib.metadata.requires("abut") if "extra ==" not in line]
    assert needed == ["numpy>=2.0"]


# ---- what an import takes ------------------------------------------------------------------------

# of Python's own what takes long and few need
SLOW = (
    *("difflib", "email", "hashlib", "http", "importlib.metadata", "json", "pathlib", "socket"),
    *("tempfile", "threading", "urllib", "xml", "zipfile"),
)


def modules_after(code, before="import numpy"):
    """The modules that a fresh interpreter has after this code and had not before."""
    program = f"import sys; {before}; known = set(sys.modules)\n{code}\n"
    program += "print(*sorted(set(sys.modules) - known))"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    return run.stdout.split()


def slow_ones(modules):
    return [name for name in modules for slow in SLOW if f"{name}.".startswith(f"{slow}.")]


def test_import_brings_few_modules_beyond_numpys():
    modules = modules_after("import abut")
    assert slow_ones(modules) == []
    # benchmarks/import_time.py measures what they take
    assert len(modules) <= 8, modules


def test_what_is_asked_for_brings_no_more_than_it_needs():
    modules = modules_after("import abut; abut.find_contacts, abut.find_pairs, abut.Mesh")
    assert not [name for name in modules if name.startswith(("abut.io", "abut.simulation"))]
    assert len([name for name in modules if name.startswith("abut.")]) <= 30, modules


def test_files_bring_no_slow_modules_that_few_of_them_need():
    modules = modules_after("import abut; abut.read_mesh, abut.read_frames")
    assert not {"email", "gzip", "http", "tempfile", "xml"} & set(modules)


# ---- the public names ----------------------------------------------------------------------------


def test_names_that_are_shown_are_the_public_ones():
    assert modules_after("import abut; assert dir(abut) == sorted(abut.__all__)")
    assert not {"annotations", "importlib", "import_module"} & set(dir(abut))


def test_all_names_can_be_asked_for():
    for name in abut.__all__:
        assert getattr(abut, name) is not None
    with pytest.raises(AttributeError, match="module 'abut' has no attribute 'find_contact'"):
        _ = abut.find_contact


def test_names_are_few_and_told_apart():
    # 60 before packings, sieve curves, triaxial tests, coarse graining and compounds came
    assert len(abut.__all__) <= 67
    assert len({name.lower() for name in abut.__all__}) == len(abut.__all__)


def test_names_that_have_moved_are_passed_on_with_a_warning():
    for module, names in abut._MOVED.items():
        home = importlib.import_module(f"abut.{module}")
        for name in names:
            with pytest.warns(DeprecationWarning, match=rf"use abut\.{module}\.{name}"):
                assert getattr(abut, name) is getattr(home, name)


def test_a_star_imports_all_names():
    scope = {}
    exec("from abut import *", scope)
    assert set(abut.__all__) <= set(scope)


def test_checkers_and_the_interpreter_are_told_the_same():
    tree = ast.parse(Path(abut.__file__).read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If))
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom) and node.module]
    told = {node.module: tuple(name.name for name in node.names) for node in imports}
    assert told == abut._NAMES
    names = [name for of_module in told.values() for name in of_module]
    modules = ("examples", "grid", "laws")
    assert sorted([*names, *modules]) == sorted(abut.__all__)


def modules_of_the_package():
    """All modules except couplings, because their engines may be missing."""
    folder = Path(abut.__file__).parent
    files = [path.relative_to(folder).with_suffix("") for path in folder.rglob("*.py")]
    names = [".".join(("abut", *file.parts)).removesuffix(".__init__") for file in files]
    others = ("abut.dask", "abut.lammps", "abut.__main__")
    return sorted(name for name in names if not name.startswith(others))


def test_any_module_may_be_the_first():
    """No module relies on an earlier import of another module."""
    modules = modules_of_the_package()
    code = f"""
import pytest

import abut
for module in {modules}:
    for name in [name for name in sys.modules if name.startswith("abut.")]:
        if name != "abut._core":
            del sys.modules[name]
    __import__(module)
"""
    assert modules[-1] in modules_after(code)
