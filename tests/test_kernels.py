"""The kernels' decorator: compiled once, kept, and compiled anew when any kernel changes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import graphmeans

PROGRAM = """
import time, graphmeans as gm
start = time.perf_counter()
print(gm.distance(gm.Graph([[0.0], [1.0]], [(0, 1)]), gm.Graph([[2.0], [1.0]], [(0, 1)])))
from graphmeans.kernels.exact import exact_pairs
print(sum(exact_pairs.stats.cache_hits.values()), sum(exact_pairs.stats.cache_misses.values()))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package that may be changed, with a cache of its own."""
    root = tmp_path_factory.mktemp("copy")
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(graphmeans.__file__).parent, root / "graphmeans", ignore=ignore)
    return root


def run(root, **environment):
    settings = {**os.environ, "PYTHONPATH": str(root), "NUMBA_CACHE_DIR": str(root / "cache"), **environment}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=settings, capture_output=True, text=True, check=True)
    value, counts = done.stdout.split("\n")[:2]
    hits, misses = map(int, counts.split())
    return float(value), hits, misses, done.stderr


def test_compiled_once_then_read_and_compiled_anew_when_a_callee_changes(copy):
    value, hits, misses, said = run(copy)
    assert (hits, misses) == (0, 1)
    assert said.count("compiling") == 1
    again, hits, misses, said = run(copy)
    assert again == value
    assert (hits, misses) == (1, 0)
    assert "compiling" not in said
    callee = copy / "graphmeans" / "kernels" / "pair.py"
    line = "difference = x_nodes[i, d] - y_nodes[j, d]"
    assert line in callee.read_text()
    callee.write_text(callee.read_text().replace(line, f"{line}\n                    difference *= 2"))
    other, hits, misses, _ = run(copy)
    assert (hits, misses) == (0, 1)
    assert other != value


def test_the_cache_can_be_switched_off(copy):
    _, hits, _, said = run(copy, GRAPHMEANS_CACHE="0")
    assert hits == 0
    assert "compiling" in said
