"""Shared fixtures, the Hypothesis profile (no deadline, always the same examples), and what a thorough run adds.

Tests marked ``thorough`` are left out unless ``--thorough`` is given; properties then get all their examples, too.
Where several processes run the tests, kernels are compiled before the first of them starts.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, settings

import effort

settings.register_profile(
    "graphmeans",
    deadline=None,
    derandomize=True,
    database=None,
    print_blob=False,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
settings.load_profile("graphmeans")


def pytest_addoption(parser):
    parser.addoption("--thorough", action="store_true", help="also run what is marked thorough, and properties at full length")
    parser.addoption("--faults", action="store_true", help="also try workers that pause, die in pairs or lose their network")
    parser.addoption("--gpu", action="store_true", help="run the tests of the CUDA source on a GPU instead of the host")


def pytest_configure(config):
    effort.THOROUGH = config.getoption("--thorough")


#: Files that take long are handed out first, so that no process is left with one at the end.
LONG = (
    "test_engines.py", "test_report_browser.py", "test_commands_engines.py", "test_paper.py", "test_interval.py",
    "test_choosing.py", "test_commands.py", "test_sklearn.py", "test_kmeans.py", "test_gvr.py", "test_examples.py",
)  # fmt: skip


def pytest_collection_modifyitems(config, items):
    place = {name: number for number, name in enumerate(LONG)}
    items.sort(key=lambda item: place.get(item.path.name, len(LONG)))
    if not config.getoption("--thorough"):
        left_out = [item for item in items if item.get_closest_marker("thorough")]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if not item.get_closest_marker("thorough")]


def pytest_sessionstart(session):
    """Each worker would compile all kernels for itself: they find them on disk instead. One thread each for BLAS is enough."""
    options = session.config.option
    worker = hasattr(session.config, "workerinput")
    if not worker and getattr(options, "numprocesses", None) and not options.collectonly and effort.COMPILED:
        os.environ.setdefault("OMP_NUM_THREADS", "1")
        compile_kernels()


def compile_kernels():
    command = [sys.executable, str(Path(__file__).parent / "kernels" / "compile_all.py")]
    side_by_side = [subprocess.Popen([*command, part]) for part in ("exact", "others")]
    for process in side_by_side:
        process.wait()
    subprocess.run([*command, "fit"])


@pytest.fixture
def threads_used(monkeypatch):
    """Threads even for the smallest batch of pairs; the set of the numbers of threads that were asked for."""
    from graphmeans.matching import pairs

    used, pool = set(), pairs._pool
    monkeypatch.setattr(pairs, "WORTH_A_CHUNK", 1)
    monkeypatch.setattr(pairs, "_pool", lambda threads: (used.add(threads), pool(threads))[1])
    return used


@pytest.fixture
def rng():
    return np.random.default_rng(0)
