"""The manual builds without a warning, and reads well in a browser.

``ABUT_MANUAL`` names a folder with a built manual. Without it the test builds one; its tutorials
have the outputs of the copies that ``ABUT_NOTEBOOKS`` names, or of the stored copies.
"""

import functools
import importlib
import os
import re
import shutil
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from pathlib import Path
from urllib.parse import urldefrag

import pytest

import abut

ROOT = Path(__file__).parent.parent
NOTEBOOKS = sorted(path.stem for path in (ROOT / "notebooks").glob("*.py"))
MODULES = ("abut.examples", "abut.grid", "abut.laws", "abut.plot", "abut.lammps", "abut.dask")
PHONE = 375  # pixels
# what is there for machines, or for whoever looks for it
NOT_LED_TO = {"genindex.html", "py-modindex.html", "search.html"}


@pytest.fixture(scope="module")
def manual(tmp_path_factory):
    """The folder of the built manual."""
    if folder := os.environ.get("ABUT_MANUAL"):
        return Path(folder)
    for package in ("sphinx", "numpydoc", "pydata_sphinx_theme", "myst_nb", "jupytext"):
        pytest.importorskip(package, reason="needs the extra docs")
    folder = tmp_path_factory.mktemp("manual")
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-n", "-q", "-b", "html"]
    told = subprocess.run(
        [*command, "-d", folder / "doctrees", ROOT / "docs", folder / "html"],
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    return folder / "html"


# imports the couplings as docs/conf.py lets Sphinx import them where the extra docs is all there is
WITHOUT_ENGINES = """
import runpy, sys
import sphinx.ext.autodoc.mock as autodoc
engines = ("dask", "distributed", "lammps", "mpi4py", "pandas", "pyarrow")
sys.modules |= dict.fromkeys(engines)  # cannot be imported
made_up = runpy.run_path(sys.argv[1])["autodoc_mock_imports"]
for name in engines:
    del sys.modules[name]
before = set(sys.modules)
with autodoc.mock(made_up):
    import abut.dask, abut.lammps
new = {name.partition(".")[0] for name in set(sys.modules) - before}
print(*sorted(new - set(made_up) - {"abut", "numpy"} - sys.stdlib_module_names))
"""


def test_reference_needs_no_engine():
    pytest.importorskip("sphinx", reason="needs the extra docs")
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT_ENGINES, ROOT / "docs/conf.py"],
        capture_output=True,
        text=True,
    )
    assert told.returncode == 0, told.stderr
    assert told.stdout == "\n"


class Silent(SimpleHTTPRequestHandler):
    def log_message(self, *arguments):
        pass


@pytest.fixture(scope="module")
def address(manual):
    """Where a server shows the manual."""
    handler = functools.partial(Silent, directory=manual)
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}/"
        server.shutdown()


@pytest.fixture(scope="module")
def browser():
    """Chromium, as wide as a phone; it keeps what pages ask for and complain of."""
    webdriver = pytest.importorskip("selenium.webdriver", reason="needs the extra browser")
    driver, chromium = shutil.which("chromedriver"), shutil.which("chromium")
    if not driver or not chromium:
        pytest.skip("needs chromium and chromium-driver")
    options = webdriver.ChromeOptions()
    options.binary_location = chromium
    for argument in ("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    found = webdriver.Chrome(options, webdriver.ChromeService(driver))
    phone = {"width": PHONE, "height": 800, "deviceScaleFactor": 1, "mobile": True}
    found.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", phone)
    yield found
    found.quit()


# the beginning of what is cut off at the right, and does not scroll by itself
CUT_OFF = """
const scrolls = part => ['auto', 'scroll'].includes(getComputedStyle(part).overflowX);
const isIn = (part, article) => {
    for (let above = part.parentElement; above !== article; above = above.parentElement) {
        if (scrolls(above)) return true;
    }
    return false;
};
const found = [];
for (const article of document.querySelectorAll('article')) {
    for (const part of article.querySelectorAll('*')) {
        const box = part.getBoundingClientRect();
        if (box.width && box.right > innerWidth + 1 && !isIn(part, article)) {
            found.push(`${part.tagName} ${part.textContent.slice(0, 40)}`);
        }
    }
}
return found.slice(0, 3);
"""
LINKS = "return [...document.querySelectorAll(arguments[0])].map(link => link.href)"
SETTLED = """
const done = arguments[0];
const typeset = window.MathJax ? MathJax.startup.promise : null;
Promise.all([document.fonts.ready, typeset]).then(() => done());
"""


@pytest.fixture(scope="module")
def pages(browser, address):
    """What there is to say of each page that links within the manual lead to."""
    waiting, seen = [address + "index.html"], {}
    while waiting:
        page = waiting.pop()
        browser.get(page)
        browser.execute_async_script(SETTLED)
        seen[page.removeprefix(address)] = looked_at(browser)
        links = browser.execute_script(LINKS, "nav a[href], main a[href], .sidebar-primary a[href]")
        inside = {urldefrag(link).url for link in links if link.startswith(address)}
        new = {link for link in inside if link.endswith(".html")} - set(waiting)
        waiting += sorted(link for link in new if link.removeprefix(address) not in seen)
    return seen


def looked_at(browser):
    """A page's width, its formulas and pictures, and the browser's messages."""
    ask = browser.execute_script
    requests = [entry["message"] for entry in browser.get_log("performance")]
    return {
        "width": ask("return document.scrollingElement.scrollWidth"),
        "cut_off": ask(CUT_OFF),
        "formulas": ask("return document.querySelectorAll('.math').length"),
        "typeset": ask("return document.querySelectorAll('.math mjx-container').length"),
        "wrong": ask("return document.querySelectorAll('mjx-merror').length"),
        "pictures": ask(
            "return [...document.querySelectorAll('main img')].filter(i => i.naturalWidth).length"
        ),
        "missing": ask(
            "return [...document.querySelectorAll('main img')]"
            ".filter(i => i.complete && !i.naturalWidth).map(i => i.src)"
        ),
        "links": ask(LINKS, "main a[href]"),
        "complaints": [
            entry["message"]
            for entry in browser.get_log("browser")
            if entry["level"] not in ("DEBUG", "INFO")
        ],
        "asked": {
            url for text in requests for url in re.findall(r'"request":\{.*?"url":"([^"]*)"', text)
        },
    }


def test_navigation_leads_to_every_page(manual, pages):
    there = {path.relative_to(manual).as_posix() for path in manual.rglob("*.html")}
    there = {path for path in there if not path.startswith(("_static", "_downloads"))}
    assert there - NOT_LED_TO == set(pages) - NOT_LED_TO


def test_browser_has_nothing_to_complain_of(pages):
    found = {page: seen["complaints"] for page, seen in pages.items() if seen["complaints"]}
    assert not found


def test_nothing_comes_from_another_host(pages, address):
    own = (address, "data:", "blob:", "about:", "chrome")
    asked = {url for seen in pages.values() for url in seen["asked"]}
    assert any(url.startswith(address) for url in asked)
    assert not [url for url in asked if not url.startswith(own)]


def test_no_page_is_wider_than_a_phone(pages):
    assert {page: seen["width"] for page, seen in pages.items() if seen["width"] > PHONE} == {}
    assert {page: seen["cut_off"] for page, seen in pages.items() if seen["cut_off"]} == {}


def test_formulas_are_typeset(pages):
    for page in ("method.html", "dem.html", "convex.html"):
        assert pages[page]["formulas"] > 20, page
    for page, seen in pages.items():
        assert seen["typeset"] == seen["formulas"], page
        assert not seen["wrong"], page


def test_no_picture_is_missing(pages):
    assert not [picture for seen in pages.values() for picture in seen["missing"]]


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_tutorial_can_be_downloaded(pages, manual, address, name):
    links = pages[f"tutorials/{name}.html"]["links"]
    copies = [link for link in links if link.endswith(f"/{name}.ipynb")]
    assert copies
    jupytext = pytest.importorskip("jupytext")
    notebook = jupytext.read(manual / copies[0].removeprefix(address))
    assert len(notebook.cells) == len(jupytext.read(ROOT / f"notebooks/{name}.py").cells)


@pytest.mark.parametrize("name", ["performance", "validation"])
def test_results_show_what_notebooks_draw(pages, name):
    assert pages[f"{name}.html"]["pictures"] >= 3


def test_search_finds(browser, address, pages):
    waiting = pytest.importorskip("selenium.webdriver.support.ui").WebDriverWait(browser, 20)
    browser.get(f"{address}search.html?q=hierarchy")
    selector = "#search-results a[href]"
    found = waiting.until(lambda browser: browser.execute_script(LINKS, selector))
    waiting.until(
        lambda browser: f"{address}method.html" in {
            urldefrag(link).url.partition("?")[0]
            for link in browser.execute_script(LINKS, selector)
        }
    )  # fmt: skip
    assert len(found) > 1


def described(manual):
    """The names that the reference has, from Sphinx's inventory."""
    inventory = pytest.importorskip("sphinx.util.inventory").InventoryFile
    with (manual / "objects.inv").open("rb") as file:
        found = inventory.load(file, "", lambda base, path: path)
    return {kind: set(names) for kind, names in found.items()}


def test_every_public_name_has_its_place(manual):
    found = described(manual)
    there = {name for kind, names in found.items() if kind.startswith("py:") for name in names}
    names = {f"abut.{name}" for name in abut.__all__}
    for module in MODULES:
        try:
            # what is a name of `abut` itself is shown as that
            names |= {f"{module}.{name}" for name in public_names(module) - {*abut.__all__}}
        except ImportError:
            continue  # an engine is not there
    assert names - there == set()


def public_names(module):
    """The public names that a module defines itself."""
    there = importlib.import_module(module)
    names = getattr(there, "__all__", vars(there))
    made_in = {name: getattr(vars(there)[name], "__module__", None) or "" for name in names}
    own = {name for name, place in made_in.items() if f"{place}.".startswith(f"{module}.")}
    return {name for name in own if not name.startswith("_")}


def test_every_name_of_the_header_has_its_place(manual, monkeypatch):
    monkeypatch.syspath_prepend(ROOT / "docs")
    c_header = import_module("c_header")
    # columns in place of their lists
    header = c_header.expanded(c_header.joined(ROOT / "csrc/abut.h"))
    code = re.sub(r"/\*.*?\*/", "", header, flags=re.DOTALL)
    names = set(re.findall(r"\b(?:abut|ABUT)_\w+\b", code)) - {"ABUT_H"}
    found = described(manual)
    there = {name for kind, names in found.items() if kind.startswith("c:") for name in names}
    assert names - {name.rpartition(".")[2] for name in there} == set()
