"""The notebooks run from their first cell to their last."""

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "notebooks"
RESULTS = "benchmarks/results"


def run(path, folder):
    """What the notebook's cells show, run beside copies of the files that it reads."""
    jupytext = pytest.importorskip("jupytext")
    nbclient = pytest.importorskip("nbclient")
    shutil.copytree(FOLDER / "data", folder / "notebooks" / "data")
    metadata = {"path": str(folder / "notebooks")}
    notebook = jupytext.read(path)
    nbclient.NotebookClient(notebook, timeout=120, resources={"metadata": metadata}).execute()
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def has_picture(outputs):
    return any("image/png" in output.get("data", {}) for output in outputs)


def printed(outputs):
    return "".join(output.get("text", "") for output in outputs)


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.py")), ids=lambda path: path.stem)
def test_notebook_runs(path, tmp_path):
    shutil.copytree(ROOT / RESULTS, tmp_path / RESULTS)
    assert has_picture(run(path, tmp_path))


def test_what_the_table_of_times_lacks_is_named(tmp_path):
    (tmp_path / RESULTS).mkdir(parents=True)
    outputs = run(FOLDER / "03_performance.py", tmp_path)
    assert has_picture(outputs)
    assert "not in the table: wall; wall_rotated" in printed(outputs)


def test_there_are_notebooks():
    assert list(FOLDER.glob("*.py"))
