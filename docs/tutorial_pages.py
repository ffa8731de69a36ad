"""The notebooks as pages of the manual, each with a copy to download.

The outputs of the cells come from executed copies. ``tests/test_notebooks.py`` writes them to the
folder that the variable ``ABUT_NOTEBOOKS`` names. A notebook without a copy there, as most of the
gallery, takes the copy that the repository keeps in ``notebooks/executed``.
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
This notebook has changed since it was executed. Its outputs are not shown.
:::"""

# Links from a notebook to other files become links to pages.
LINKS = {
    r"\]\(((?:\d\d|gallery)_\w+)\.py\)": r"](\1.ipynb)",
    r"\]\(data/README\.md\)": r"](index.md)",
    r"\]\(\.\./docs/(\w+\.md)\)": r"](../\1)",
}


def write(sources, pages):
    """Write a page for each notebook of a folder, and the files that notebooks read."""
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
    """A notebook with the outputs of its executed copy.

    If the code of a kept copy differs, the notebook has no outputs.
    """
    notebook = jupytext.read(source)
    name = f"{source.stem}.ipynb"
    folders = [Path(FOLDER or source.parent / KEPT), source.parent / KEPT]
    copy = jupytext.read(next(one / name for one in folders if (one / name).exists()))
    if code(copy) == code(notebook):
        for cell, done in zip(code_cells(notebook), code_cells(copy), strict=True):
            cell.outputs, cell.execution_count = done.outputs, done.execution_count
    elif FOLDER:
        raise ValueError(
            f"{FOLDER}: {source.stem}.ipynb has other code than {source.name}: execute it again"
        )
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
    """Add a link to the copy below the title."""
    cell = notebook.cells[0]
    title, rest = cell.source.split("\n", 1)
    name = Path(path).name
    cell.source = f"{title}\n\n{{download}}`Download this page as {name} <{path}>`\n{rest}"
