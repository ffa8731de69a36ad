"""Options, fixtures and profiles of all tests."""

import os
import signal
import tracemalloc
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# The same examples on every run and machine; geometry in rational numbers has no deadline.
settings.register_profile(
    "short",
    derandomize=True,
    database=None,
    deadline=None,
    max_examples=100,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("long", settings.get_profile("short"), max_examples=1000)


def pytest_addoption(parser):
    parser.addoption("--long", action="store_true", help="more examples of the same tests")


def pytest_configure(config):
    # what is started in a shell's background may ignore Ctrl-C, and so would all that tests start
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    settings.load_profile("long" if config.getoption("--long") else "short")


def pytest_collection_modifyitems(config, items):
    if config.getoption("--long"):
        return
    left_out = [item for item in items if item.get_closest_marker("long")]
    config.hook.pytest_deselected(items=left_out)
    items[:] = [item for item in items if item not in left_out]


@pytest.fixture(scope="session")
def cad_meshes():
    """The folder of real meshes that ABUT_TEST_MESHES names."""
    folder = os.environ.get("ABUT_TEST_MESHES")
    if not folder:
        pytest.skip("ABUT_TEST_MESHES names no folder of meshes")
    return Path(folder)


@pytest.fixture
def bounded():
    """A block in which Python and NumPy must not take more than so many bytes."""

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
