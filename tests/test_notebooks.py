"""The notebooks run from their first cell to their last.

The executed copies, which the manual shows, go to the folder in the variable ``ABUT_NOTEBOOKS``.
"""

import base64
import io
import os
import re
import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "notebooks"
RESULTS = "benchmarks/results"
NOTEBOOKS = sorted(FOLDER.glob("*.py"))
TUTORIALS = [path for path in NOTEBOOKS if path.stem[0].isdigit()]
GALLERY = sorted(FOLDER.glob("gallery_*.py"))
# The most lines of a notebook of the gallery, without jupytext's header.
LINES = 100
# The most characters of a line of code that the manual's column shows.
COLUMNS = 76
# These run in the tier `ci`, the others in `long`.
OFTEN = {"gallery_agglomerate", "gallery_collapse"}
KEPT = FOLDER / "executed"
# The colors of a picture that is kept.
COLORS = 128


def run(path, folder):
    """The notebook, executed beside copies of the files that it reads."""
    jupytext = pytest.importorskip("jupytext")
    nbclient = pytest.importorskip("nbclient")
    shutil.copytree(FOLDER / "data", folder / "notebooks" / "data")
    metadata = {"path": str(folder / "notebooks")}
    notebook = jupytext.read(path)
    client = nbclient.NotebookClient(
        notebook, timeout=120, record_timing=False, resources={"metadata": metadata}
    )
    client.execute()
    return notebook


def outputs_of(notebook):
    """The outputs of all cells."""
    return [output for cell in notebook.cells for output in cell.get("outputs", [])]


def keep(notebook, name):
    """Write the executed copy for the manual, if the variable names a folder for it."""
    folder = os.environ.get("ABUT_NOTEBOOKS")
    if folder:
        Path(folder).mkdir(parents=True, exist_ok=True)
        for number, cell in enumerate(notebook.cells):
            cell["id"] = str(number)  # would differ in each run
            if cell.cell_type == "code":
                # warnings of other packages, with paths of this machine
                cell.outputs = [one for one in cell.outputs if one.get("name") != "stderr"]
        for output in outputs_of(notebook):
            if "image/png" in output.get("data", {}):
                output.data.pop("image/jpeg", None)  # the same picture once more
                output.data["image/png"] = smaller(output.data["image/png"])
        pytest.importorskip("jupytext").write(notebook, Path(folder, f"{name}.ipynb"))


def smaller(picture):
    """A PNG file in base64, with fewer colors."""
    image = pytest.importorskip("PIL.Image")
    file = io.BytesIO()
    whole = image.open(io.BytesIO(base64.b64decode(picture))).convert("RGB")
    few = whole.quantize(COLORS, method=image.Quantize.MEDIANCUT, dither=image.Dither.NONE)
    few.save(file, "PNG", optimize=True)
    return base64.b64encode(file.getvalue()).decode()


def has_picture(outputs):
    return any("image/png" in output.get("data", {}) for output in outputs)


def printed(outputs):
    return "".join(output.get("text", "") for output in outputs)


def needs_pyvista(path):
    return "abut.plot import render" in path.read_text()


@pytest.mark.cases(1)
@pytest.mark.parametrize(
    "path",
    [
        pytest.param(one, marks=pytest.mark.pyvista if needs_pyvista(one) else ())
        for one in TUTORIALS
    ],
    ids=lambda path: path.stem,
)
def test_notebook_runs(path, tmp_path):
    if needs_pyvista(path):
        pytest.importorskip("pyvista")
    shutil.copytree(ROOT / RESULTS, tmp_path / RESULTS)
    notebook = run(path, tmp_path)
    keep(notebook, path.stem)
    assert has_picture(outputs_of(notebook))


@pytest.mark.parametrize(
    "path",
    [
        pytest.param(one, marks=pytest.mark.ci if one.stem in OFTEN else pytest.mark.long)
        for one in GALLERY
    ],
    ids=lambda path: path.stem,
)
def test_gallery_runs(path, tmp_path, pyvista):
    notebook = run(path, tmp_path)
    shown = outputs_of(notebook)
    complaints = printed(output for output in shown if output.get("name") == "stderr")
    assert "SimulationWarning" not in complaints
    keep(notebook, path.stem)
    assert has_picture(outputs_of(notebook))
    assert re.search(r"\d", printed(outputs_of(notebook)))


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_code_fits_into_the_column_of_the_manual(path):
    jupytext = pytest.importorskip("jupytext")
    lines = [line for code in code_of(jupytext.read(path)) for line in code.splitlines()]
    assert [line for line in lines if len(line) > COLUMNS] == []


def test_gallery_runs_in_its_tiers():
    assert {path.stem for path in GALLERY} > OFTEN
    assert sorted([*TUTORIALS, *GALLERY]) == NOTEBOOKS


@pytest.mark.parametrize("path", GALLERY, ids=lambda path: path.stem)
def test_gallery_is_short_and_ends_with_a_number_and_a_picture(path):
    jupytext = pytest.importorskip("jupytext")
    lines = path.read_text().split("# ---\n", 2)[2].strip().splitlines()
    assert len(lines) <= LINES
    title, *_ = jupytext.read(path).cells
    assert re.search(r"\((19|20)\d\d\)", title.source), "no source of a value in the literature"
    copy = jupytext.read(KEPT / f"{path.stem}.ipynb")
    *_, last = [cell for cell in copy.cells if cell.cell_type == "code"]
    assert re.search(r"\d", printed(last.outputs))
    assert has_picture(last.outputs)


@pytest.mark.ci
def test_what_the_table_of_times_lacks_is_named(tmp_path):
    (tmp_path / RESULTS).mkdir(parents=True)
    outputs = outputs_of(run(FOLDER / "03_performance.py", tmp_path))
    assert has_picture(outputs)
    assert "not in the table: wall; wall_rotated" in printed(outputs)


def code_of(notebook):
    return [cell.source for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_kept_copy_is_of_this_notebook(path):
    """If not, CONTRIBUTING.md, "Manual", has the command that writes the copy anew."""
    jupytext = pytest.importorskip("jupytext")
    copy = jupytext.read(KEPT / f"{path.stem}.ipynb")
    assert code_of(copy) == code_of(jupytext.read(path))
    assert has_picture(outputs_of(copy))
    assert not any(output.output_type == "error" for output in outputs_of(copy))


def test_every_kept_copy_has_its_notebook():
    assert NOTEBOOKS
    assert sorted(path.stem for path in KEPT.iterdir()) == [path.stem for path in NOTEBOOKS]
