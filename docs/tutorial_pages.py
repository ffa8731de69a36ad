"""The notebooks as pages of the manual, each with a copy to download.

Executed copies come from the folder that ``ABUT_NOTEBOOKS`` names, where
``tests/test_notebooks.py`` left them. Without it the pages show the
cells, and not what these print.
"""

import os
import re
import shutil
from pathlib import Path

import jupytext

# what leads from a notebook to its neighbors leads to pages
LINKS = {
    r"\]\((\d\d_\w+)\.py\)": r"](\1.ipynb)",
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
        jupytext.write(notebook, pages / f"{source.stem}.ipynb")


def executed(source):
    """The executed copy of a notebook, or where there is no folder of them, the notebook itself."""
    folder = os.environ.get("ABUT_NOTEBOOKS")
    notebook = jupytext.read(source)
    if not folder:
        return notebook
    copy = jupytext.read(Path(folder, f"{source.stem}.ipynb"))
    if [cell.source for cell in copy.cells] != [cell.source for cell in notebook.cells]:
        raise ValueError(f"{folder}: {source.stem}.ipynb was made of another {source.name}")
    return copy


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
