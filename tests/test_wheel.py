"""The built wheel in a bare environment: every command does its work there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def bare(tmp_path_factory):
    """A function that runs a program of an environment in which nothing but the wheel was installed."""
    folder = tmp_path_factory.mktemp("bare")
    shutil.copytree(
        ROOT, folder / "source", ignore=shutil.ignore_patterns(".git", ".venv*", "_build", "__pycache__", "tests", "*.egg-info")
    )
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check"]
    built = subprocess.run(
        [*pip, "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder / "dist"), str(folder / "source")],
        capture_output=True, text=True,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr[-2000:]
    (wheel,) = (folder / "dist").glob("graphmeans-*.whl")
    venv.create(folder / "env", with_pip=False)
    programs = folder / "env" / ("Scripts" if os.name == "nt" else "bin")
    installed = subprocess.run(
        [*pip, "--python", str(programs / "python"), "install", "--quiet", str(wheel)], capture_output=True, text=True
    )
    if installed.returncode and "No matching distribution" in installed.stderr:
        pytest.skip("the dependencies cannot be fetched here")
    assert installed.returncode == 0, installed.stderr[-2000:]
    # Plain Python in place of compiled kernels: what is tried is the package, and compiling would take a minute.
    surroundings = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    surroundings |= {"NUMBA_DISABLE_JIT": "1", "MPLBACKEND": "agg", "OMP_NUM_THREADS": "1"}

    def run(program, *arguments):
        done = subprocess.run(
            [str(programs / program), *map(str, arguments)], cwd=folder, env=surroundings, capture_output=True, text=True
        )
        assert done.returncode == 0, done.stderr[-2000:]
        return done.stdout

    run.folder = folder
    return run


def test_every_command(bare):
    place = bare.folder
    make = (
        "import graphmeans as gm; from graphmeans.io import write_collection; "
        "graphs, classes = gm.datasets.make_letters(16, random_state=0); write_collection(graphs, 'letters', classes=classes); "
        "print(gm.__file__)"
    )
    assert "env" in Path(bare("python", "-c", make).strip()).parts
    assert "graphmeans" in bare("graphmeans", "--version")
    tried = {"demo", "paper", "warmup"}
    bare("graphmeans", "demo", "--samples", 15, "-o", "demo", "--quiet")
    assert (place / "demo" / "report.html").stat().st_size > 10_000
    bare("graphmeans", "paper", "--help")  # its data are not ours to ship
    bare("graphmeans", "warmup")

    def command(name, *arguments):
        tried.add(name)
        return bare("graphmeans", name, *arguments)

    assert json.loads(command("inspect", "letters", "-k", 3, "--json"))["n_graphs"] == 16
    command("choose-k", "letters", "-k", "2-3", "--seeds", 2, "-o", "choice")
    command("cluster", "letters", "-k", 3, "-o", "three", "--quiet")
    command("cluster", "letters", "-k", 2, "-o", "two", "--quiet")
    assert len((place / "three" / "labels.csv").read_text(encoding="utf-8").splitlines()) == 17
    assert len(json.loads(command("predict", "three", "letters", "--json"))) == 16
    command("mean", "letters", "-o", "mean")
    command("distance", "letters#0", "letters#1")
    command("index", "letters", "-o", "letters.gmi")
    command("search", "letters.gmi", "letters#0", "-n", 3)
    command("compare", "three", "two", "-o", "compared", "--quiet")
    command("report", "three", "letters", "--members", "all")
    command("convert", "letters", "letters.npz")
    command("doctor")
    listed = "import graphmeans.cli as cli, typer; print(*typer.main.get_command(cli.app).commands)"
    assert set(bare("python", "-c", listed).split()) == tried
