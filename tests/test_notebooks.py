"""The notebooks run from their first cell to their last.

The folder that ``ABUT_NOTEBOOKS`` names gets the executed copies, which the manual shows.
"""

import os
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "notebooks"
RESULTS = "benchmarks/results"


def run(path, folder):
    """The executed notebook, run beside copies of the files that it reads."""
    jupytext = pytest.importorskip("jupytext")
    nbclient = pytest.importorskip("nbclient")
    shutil.copytree(FOLDER / "data", folder / "notebooks" / "data")
    metadata = {"path": str(folder / "notebooks")}
    notebook = jupytext.read(path)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": metadata}).execute()
    return notebook


def outputs_of(notebook):
    """What the notebook's cells show."""
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def keep(notebook, name):
    """Leave the executed copy for the manual, where a folder for it is named."""
    folder = os.environ.get("ABUT_NOTEBOOKS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        pytest.importorskip("jupytext").write(notebook, Path(folder, f"{name}.ipynb"))


def has_picture(outputs):
    return any("image/png" in output.get("data", {}) for output in outputs)


def printed(outputs):
    return "".join(output.get("text", "") for output in outputs)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path):
    shutil.copytree(ROOT / RESULTS, tmp_path / RESULTS)
    notebook = run(path, tmp_path)
    keep(notebook, path.stem)
    assert has_picture(outputs_of(notebook))


def test_what_the_table_of_times_lacks_is_named(tmp_path):
    (tmp_path / RESULTS).mkdir(parents=True)
    outputs = outputs_of(run(FOLDER / "03_performance.py", tmp_path))
    assert has_picture(outputs)
    assert "not in the table: wall; wall_rotated" in printed(outputs)


def test_there_are_notebooks():
    assert list(FOLDER.glob("*.py"))
