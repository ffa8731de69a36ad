"""Pages in Markdown: their code is run, and prints what is written below it."""

import contextlib
import io
import re
import shlex
from importlib.util import find_spec

import pytest

from abut import cli


def blocks(language, page):
    """The code blocks of a language, each with the text block right below it, or ""."""
    return [(code, output) for _, code, output in _found(language, page)]


def printed(run, *arguments):
    with contextlib.redirect_stdout(io.StringIO()) as out:
        run(*arguments)
    return out.getvalue()


def run_page(page):
    """Run the blocks of a page in their order, Python in one namespace; each must print the text
    below it. Of the shell the lines that begin with abut are run."""
    scope, found = {"__name__": "__main__"}, _found("python|sh", page)
    assert found
    for language, code, output in found:
        if language == "python":
            written = printed(exec, code, scope)
        else:
            written = printed(_run_commands, code)
        is_shown = output or language == "python"
        assert written == output or not is_shown, f"{code}has printed\n{written}"


@contextlib.contextmanager
def skipping_without_packages():
    """Skip the test where the block asks for a package that is not there."""
    try:
        yield
    except ImportError as error:
        if error.name is None or find_spec(error.name.partition(".")[0]) is not None:
            raise
        pytest.skip(f"the page needs {error.name}")


def _found(languages, page):
    pattern = rf"```({languages})\n(.*?)```(?:\n\n```text\n(.*?)```)?"
    return re.findall(pattern, page, flags=re.DOTALL)


def _run_commands(code):
    for line in code.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["abut"]:
            assert cli.main(words[1:]) == 0, line
