"""What is installed: types, sources, version, and what an import drags in."""

import importlib.metadata
import importlib.resources
import subprocess
import sys
import tomllib
from pathlib import Path

import abut

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
    installed = [str(path) for path in importlib.metadata.files("abut")]
    assert any("_core" in path or path.endswith(".pth") for path in installed)
    assert not [path for path in installed if path.endswith((".c", ".h", ".a"))]


def test_version_is_the_projects():
    project = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]
    assert abut.__version__ == importlib.metadata.version("abut") == project["version"]


def test_numpy_is_the_one_requirement():
    needed = [line for line in importlib.metadata.requires("abut") if "extra ==" not in line]
    assert needed == ["numpy>=2.0"]
