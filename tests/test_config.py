"""The output of show_config."""

import importlib.metadata
import platform

import numpy as np
import pytest

import abut
from abut import _core
from abut.base.config import config


def test_every_label_is_printed(capsys):
    assert abut.show_config() is None
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(config())
    for line, (label, value) in zip(lines, config().items(), strict=True):
        assert line.startswith(label) and line.endswith(value)


def test_versions():
    found = config()
    assert found["abut"] == abut.__version__ == importlib.metadata.version("abut")
    assert found["Python"].startswith(platform.python_version())
    assert found["NumPy"] == np.__version__
    assert platform.machine() in found["instruction level"]


@pytest.mark.parametrize(("has_openmp", "threads"), [(True, "3"), (False, "1")])
def test_threads_are_those_of_a_query(monkeypatch, has_openmp, threads):
    monkeypatch.setattr(_core, "has_openmp", lambda: has_openmp)
    monkeypatch.setenv("ABUT_NUM_THREADS", "3")
    assert config()["OpenMP"].startswith("yes" if has_openmp else "no")
    assert config()["threads"] == threads


@pytest.mark.parametrize(("policy", "words"), [("passive", "is passive"), ("", "is not set")])
def test_wait_policy(monkeypatch, policy, words):
    monkeypatch.setattr(_core, "has_openmp", lambda: True)
    monkeypatch.setenv("OMP_WAIT_POLICY", policy)
    assert config()["OpenMP"] == f"yes, OMP_WAIT_POLICY {words}"


@pytest.mark.parametrize("has_openmp", [True, False])
def test_wrong_environment_is_shown_rather_than_raised(monkeypatch, has_openmp):
    monkeypatch.setattr(_core, "has_openmp", lambda: has_openmp)
    monkeypatch.setenv("ABUT_NUM_THREADS", "many")
    assert "ABUT_NUM_THREADS is 'many'" in config()["threads"]
