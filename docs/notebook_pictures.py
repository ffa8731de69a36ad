"""The directive ``notebook-pictures`` shows the pictures of an executed notebook on a page."""

import base64
import re
from pathlib import Path

import jupytext
from docutils import nodes
from sphinx.util.docutils import SphinxDirective


class NotebookPictures(SphinxDirective):
    """The pictures of a notebook, each with the heading above it as its caption.

    A notebook that has not been executed has no pictures.
    """

    required_arguments = 1

    def run(self):
        name = self.arguments[0]
        pages = Path(self.env.srcdir, "tutorials")
        folder = pages / "pictures"
        folder.mkdir(exist_ok=True)
        self.env.note_dependency(str(pages / f"{name}.ipynb"))
        figures = []
        for number, (heading, picture) in enumerate(pictures(pages / f"{name}.ipynb")):
            file = folder / f"{name}_{number}.png"
            file.write_bytes(picture)
            image = nodes.image(uri=f"/tutorials/pictures/{file.name}", alt=heading)
            figures.append(nodes.figure("", image, nodes.caption("", heading)))
        return figures


def pictures(path):
    """Pairs of a heading and a PNG file's bytes."""
    heading = ""
    for cell in jupytext.read(path).cells:
        if cell.cell_type == "markdown":
            headings = re.findall(r"^#+ (.+)$", cell.source, re.MULTILINE)
            heading = headings[-1] if headings else heading
        for output in cell.get("outputs", ()):
            if "image/png" in output.get("data", {}):
                yield heading, base64.b64decode(output.data["image/png"])
