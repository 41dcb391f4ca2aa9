"""Signals, closed pipes, and surroundings in which something is missing: all work, or say one line."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pytest

import graphmeans as gm
from graphmeans.io import write_collection
from runs import hear_interrupts

COMMAND = [sys.executable, "-m", "graphmeans"]


def deaf():
    """For `preexec_fn`: both signals do what they do by default."""
    hear_interrupts()
    signal.signal(signal.SIGTERM, signal.SIG_DFL)


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    path = tmp_path_factory.mktemp("letters") / "letters.npz"
    write_collection(gm.datasets.make_letters(400, random_state=0)[0], path)
    return path


@pytest.mark.thorough
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_signal_keeps_what_there_is_and_calls_it_partial(number, code, letters, tmp_path):
    state, out = tmp_path / "state", tmp_path / "out"
    options = ["-k", "20", "-o", out, "--checkpoint", state, "--json", "--jobs", "1", "--n-init", "50"]
    process = subprocess.Popen(
        [*COMMAND, "cluster", letters, *map(str, options)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        preexec_fn=deaf,
    )  # fmt: skip
    while not state.exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(number)
    said, errors = process.communicate(timeout=300)
    assert process.returncode == code, errors
    assert errors.strip() == "graphmeans: warning: interrupted: the last complete iteration is returned"
    found = json.loads(said)
    assert found["partial"] is True
    assert "partial" in found["hint"]
    assert len((out / "labels.csv").read_text().splitlines()) == 401
    assert "result is partial" in (out / "report.html").read_text()


@pytest.mark.thorough
def test_a_signal_before_there_is_anything(tmp_path):
    process = subprocess.Popen(
        [*COMMAND, "demo", "-o", tmp_path / "out", "--samples", "3000"], stderr=subprocess.PIPE, stdout=subprocess.PIPE,
        text=True, preexec_fn=deaf,
    )  # fmt: skip
    while not (tmp_path / "out").exists() and process.poll() is None:
        time.sleep(0.02)
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=300)
    assert process.returncode == 143
    assert errors.strip().splitlines()[-1] in (
        "graphmeans: interrupted", "graphmeans: warning: interrupted: the last complete iteration is returned",
    )  # fmt: skip
    assert "Traceback" not in errors


@pytest.mark.parametrize("arguments", [["--help"], ["doctor", "--help"]])
def test_a_closed_pipe_ends_quietly(arguments):
    reading, writing = os.pipe()
    os.close(reading)
    process = subprocess.run([*COMMAND, *arguments], stdout=writing, stderr=subprocess.PIPE, text=True, check=False)
    os.close(writing)
    assert process.stderr == ""
    assert process.returncode in (0, 1, 141)  # 1 is what typer makes of it


#: Surroundings in which something is missing.
BARE = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": os.environ.get("PYTHONPATH", ""), "LC_ALL": "C"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    "missing", ["everything", "a folder for temporary files", "a cache that can be written", "a cache that is whole"]
)
def test_surroundings_in_which_something_is_missing(missing, letters, tmp_path):
    """No HOME, no TMPDIR, the C locale, no terminal; a cache of kernels that is read-only or damaged."""
    surroundings = dict(BARE)
    if missing == "a folder for temporary files":
        surroundings |= {"TMPDIR": str(tmp_path / "nowhere")}
    if missing == "a cache that can be written":
        surroundings |= {"NUMBA_CACHE_DIR": "/proc/nothing"}
    if missing == "a cache that is whole":
        cache = tmp_path / "cache"
        surroundings |= {"NUMBA_CACHE_DIR": str(cache)}
        subprocess.run([sys.executable, "-c", KERNEL], env=surroundings, check=True, capture_output=True)
        files = [path for path in cache.rglob("*") if path.is_file()]
        assert files
        for i, path in enumerate(files):
            path.write_bytes(path.read_bytes()[: 100 * i] if i % 2 else b"\x80\x04not what it was")
    program = KERNEL if "cache" in missing else DISTANCE
    result = subprocess.run(
        [sys.executable, "-c", program], env=surroundings, capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "1.0"
    assert "Traceback" not in result.stderr


#: The smallest kernel that is cached: distances of vectors.
KERNEL = """
import numpy as np, graphmeans as gm
from graphmeans.matching.fixed import solve_fixed
batch = gm.GraphEncoder(numbers="keep").fit_transform([gm.Graph([[0.0]]), gm.Graph([[1.0]])])
print(float(solve_fixed(batch, batch, np.array([[0, 1]]), 1, 1).upper[0]))
"""
DISTANCE = "import graphmeans as gm; print(gm.distance(gm.Graph([[0.0]]), gm.Graph([[1.0]])))"


@pytest.mark.thorough
def test_eight_processes_compile_at_once(tmp_path):
    surroundings = BARE | {"NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    processes = [
        subprocess.Popen(
            [sys.executable, "-c", KERNEL], env=surroundings, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for _ in range(8)
    ]
    for process in processes:
        said, errors = process.communicate(timeout=600)
        assert (process.returncode, said.strip()) == (0, "1.0"), errors
    left = [path.name for path in (tmp_path / "cache").rglob("*") if path.is_file()]
    assert left
    assert not [name for name in left if name.endswith(".partial")]
