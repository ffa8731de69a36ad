"""Tables of columns in the manual, from the X-lists in csrc/abut.h."""

from docutils import nodes
from docutils.parsers.rst import Directive

from abut.results.columns import columns_of

HEAD = ("column", "dtype", "shape", "unit", "what it is", "there")
WIDTHS = (12, 8, 14, 8, 48, 10)
ROWS = {"row": "m", "entry": "k", "entry offsets": "m + 1", "offsets": "n + 1"}
WHEN = {"always": "always", "order": "where rows are sorted by i"}


class ColumnTable(Directive):
    """``.. columns:: contacts`` inserts the columns of a table; `columns_of` has the names."""

    required_arguments = 1

    def run(self):
        columns = [c for c in columns_of(self.arguments[0]) if not c.name.startswith("_")]
        group = nodes.tgroup(cols=len(HEAD))
        group += [nodes.colspec(colwidth=width) for width in WIDTHS]
        group += nodes.thead("", row_of(HEAD))
        group += nodes.tbody("", *(row_of(entries(column)) for column in columns))
        return [nodes.table("", group)]


def entries(column):
    axes = [ROWS[column.per], *map(str, column.shape("d"))]
    shape = f"({', '.join(axes)}{',' if len(axes) == 1 else ''})"
    there = WHEN.get(column.when, f"with {column.when}")
    return column.name, column.type, shape, column.unit, column.meaning, there


def row_of(texts):
    return nodes.row("", *(nodes.entry("", nodes.paragraph(text=text)) for text in texts))
