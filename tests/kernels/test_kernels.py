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
import graphmeans
from graphmeans.kernels.jit import announce
from graphmeans.kernels.caller import caller
announce(caller)
print(caller(3.0))
print(sum(caller.stats.cache_hits.values()), sum(caller.stats.cache_misses.values()))
"""
#: A kernel that is quickly compiled, and a function of another file that it calls.
CALLER = """
from graphmeans.kernels.callee import callee
from graphmeans.kernels.jit import kernel

@kernel
def caller(x):
    return callee(x) + 1.0
"""
CALLEE = """
from graphmeans.kernels.jit import inner

@inner
def callee(x):
    return 2.0 * x
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package that may be changed, with a cache of its own."""
    root = tmp_path_factory.mktemp("copy")
    ignore = shutil.ignore_patterns("__pycache__")
    shutil.copytree(Path(graphmeans.__file__).parent, root / "graphmeans", ignore=ignore)
    for name, text in (("caller", CALLER), ("callee", CALLEE)):
        (root / "graphmeans" / "kernels" / f"{name}.py").write_text(text)
    return root


def run(root, **environment):
    own = {"PYTHONPATH": str(root), "NUMBA_CACHE_DIR": str(root / "cache"), "NUMBA_DISABLE_JIT": "0"}
    settings = {**os.environ, **own, **environment}
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
    callee = copy / "graphmeans" / "kernels" / "callee.py"
    callee.write_text(callee.read_text().replace("2.0 * x", "3.0 * x"))
    other, hits, misses, _ = run(copy)
    assert (hits, misses) == (0, 1)
    assert (value, other) == (7.0, 10.0)


def test_the_cache_can_be_switched_off(copy):
    _, hits, _, said = run(copy, GRAPHMEANS_CACHE="0")
    assert hits == 0
    assert "compiling" in said
