"""Options, fixtures, tiers and profiles of all tests: README.md describes their use."""

import datetime
import os
import signal
import tracemalloc
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

import tiers

# One process a core is enough; tests of threads ask for theirs. Before abut reads it.
IS_WORKER = "PYTEST_XDIST_WORKER" in os.environ
if IS_WORKER:
    os.environ["ABUT_NUM_THREADS"] = "1"

# Examples are the same on every run and machine, except in `ci`, where the day is the seed. There
# is no deadline, because geometry in rational numbers is slow.
settings.register_profile(
    "quick",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=20,
    print_blob=True,
    # how many examples a test passes over differs from day to day in the tier `ci`
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)
settings.register_profile("ci", settings.get_profile("quick"), derandomize=False, max_examples=100)
settings.register_profile("long", settings.get_profile("quick"), max_examples=1000)


def pytest_addoption(parser):
    parser.addoption("--ci", action="store_true", help="the tests that are marked `ci`, too")
    parser.addoption("--long", action="store_true", help="all tests, with more examples")


@pytest.hookimpl(tryfirst=True)
def pytest_cmdline_main(config):
    """One worker a core, where a folder of tests is to run and pytest-xdist is installed."""
    asked = 0 if IS_WORKER else config.getoption("numprocesses", default=0)
    if asked is None and all(Path(argument).is_dir() for argument in config.args):
        config.option.numprocesses = "auto"
        config.option.dist = "loadfile"


def profile(config):
    return "long" if config.getoption("--long") else "ci" if config.getoption("--ci") else "quick"


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    # what is started in a shell's background may ignore Ctrl-C, and so would all that tests start
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.load_profile(profile(config))
    if profile(config) == "ci" and config.getoption("hypothesis_seed") is None:
        config.option.hypothesis_seed = datetime.date.today().toordinal()


def pytest_report_header(config):
    seed = config.getoption("hypothesis_seed")
    drawn = "always the same examples" if seed is None else f"--hypothesis-seed={seed}"
    return f"tier: {profile(config)}, {drawn}"


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config, items):
    tiers.mark_cases(items)
    for item in items:
        if "pyvista" in item.fixturenames:
            item.add_marker("pyvista")
    if config.getoption("--ci"):
        tiers.mark_drawn(items)
    opened = [tiers.is_open(item, config) for item in items]
    config.hook.pytest_deselected(items=[i for i, o in zip(items, opened, strict=True) if not o])
    items[:] = [i for i, o in zip(items, opened, strict=True) if o]


@pytest.fixture(scope="module", params=[2, 3])
def dimension(request):
    """The dimension: the plane or space."""
    return request.param


@pytest.fixture(scope="session")
def pyvista():
    """The package pyvista; tests with this fixture get a marker, and are skipped without it."""
    return pytest.importorskip("pyvista")


@pytest.fixture(scope="session")
def cad_meshes():
    """The folder of real meshes that ABUT_TEST_MESHES names."""
    folder = os.environ.get("ABUT_TEST_MESHES")
    if not folder:
        pytest.skip("ABUT_TEST_MESHES names no folder of meshes")
    return Path(folder)


@pytest.fixture
def bounded():
    """A block in which Python and NumPy must not allocate more than `limit` bytes."""

    @contextmanager
    def block(size):
        tracemalloc.start()
        try:
            yield
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        assert peak < size

    return block


@pytest.fixture
def axes():
    figure = pytest.importorskip("matplotlib.figure")
    return figure.Figure().add_subplot(projection="3d")


@pytest.fixture
def plotter(pyvista):
    plotter = pyvista.Plotter(off_screen=True)
    yield plotter
    plotter.close()
