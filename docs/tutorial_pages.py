"""The notebooks as pages of the manual, each with a copy to download.

What cells print and draw comes from executed copies: those of the folder
that ``ABUT_NOTEBOOKS`` names, where ``tests/test_notebooks.py`` left them,
or else those that the repository keeps in ``notebooks/executed``: also where that folder lacks
one, such as the gallery's, which run rarely.
"""

import os
import re
import shutil
from pathlib import Path

import jupytext

FOLDER = os.environ.get("ABUT_NOTEBOOKS")
KEPT = "executed"
CHANGED = """

:::{note}
This notebook has changed since it was run: what its cells print and draw is not here.
:::"""

# what leads from a notebook to its neighbors leads to pages
LINKS = {
    r"\]\(((?:\d\d|gallery)_\w+)\.py\)": r"](\1.ipynb)",
    r"\]\(data/README\.md\)": r"](index.md)",
    r"\]\(\.\./docs/(\w+\.md)\)": r"](../\1)",
}


def write(sources, pages):
    """A page for each notebook of a folder, and what they read."""
    pages = Path(pages)
    copies = pages / "copies"
    for folder in (copies, pages / "data"):
        shutil.rmtree(folder, ignore_errors=True)
    copies.mkdir()
    shutil.copytree(Path(sources, "data"), pages / "data")
    for source in sorted(Path(sources).glob("*.py")):
        notebook = executed(source)
        for cell in notebook.cells:
            cell.source = relinked(cell.source) if cell.cell_type == "markdown" else cell.source
        jupytext.write(notebook, copies / f"{source.stem}.ipynb")
        add_download(notebook, f"copies/{source.stem}.ipynb")
        if not any(cell.get("outputs") for cell in notebook.cells):
            notebook.cells[0].source += CHANGED
        jupytext.write(notebook, pages / f"{source.stem}.ipynb")


def executed(source):
    """A notebook with the outputs of its executed copy. A copy that is kept may be of other code:
    then it is without."""
    notebook = jupytext.read(source)
    name = f"{source.stem}.ipynb"
    folders = [Path(FOLDER or source.parent / KEPT), source.parent / KEPT]
    copy = jupytext.read(next(one / name for one in folders if (one / name).exists()))
    if code(copy) == code(notebook):
        for cell, done in zip(code_cells(notebook), code_cells(copy), strict=True):
            cell.outputs, cell.execution_count = done.outputs, done.execution_count
    elif FOLDER:
        raise ValueError(f"{FOLDER}: {source.stem}.ipynb was made of another {source.name}")
    return notebook


def code_cells(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def code(notebook):
    return [cell.source for cell in code_cells(notebook)]


def relinked(text):
    for pattern, target in LINKS.items():
        text = re.sub(pattern, target, text)
    return text


def add_download(notebook, path):
    """A line below the title."""
    cell = notebook.cells[0]
    title, rest = cell.source.split("\n", 1)
    name = Path(path).name
    cell.source = f"{title}\n\n{{download}}`Download this page as {name} <{path}>`\n{rest}"
