"""The command: what it writes, what it prints, and one line when something is wrong."""

from __future__ import annotations

import csv
import logging
import re
import subprocess
import sys
from pathlib import Path

import networkx as nx
import pytest
from defusedxml import ElementTree
from rich.console import Console
from rich.progress import Progress, TextColumn
from typer.testing import CliRunner, Result

import graphmeans
import graphmeans.cli.progress as progress_module
from graphmeans.cli import app
from graphmeans.cli.errors import reported
from graphmeans.cli.label_files import safe_cell
from graphmeans.cli.progress import ProgressHandler, shown_progress

HOSTILE = ["<script>alert(1)<script>", "[red]x[red]", "\x1b[31mred", "=HYPERLINK(1)"]


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="graphmeans")


def one_line(result: Result) -> str:
    """The line of a refusal: alone, on stderr, with exit code 2."""
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("graphmeans: error: ")
    assert "Traceback" not in result.stderr
    return lines[0]


@pytest.fixture
def shapes(tmp_path: Path) -> Path:
    """A folder with six lines and six triangles, each a little moved."""
    folder = tmp_path / "shapes"
    folder.mkdir()
    for i in range(12):
        graph = nx.path_graph(2) if i < 6 else nx.cycle_graph(3)
        for node in graph:
            graph.nodes[node].update(x=float(node) + 0.01 * i, y=float(node % 2))
        nx.write_graphml(graph, folder / f"{'line' if i < 6 else 'triangle'}_{i:02d}.graphml")
    return folder


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "out"


# -- what it writes --------------------------------------------------------------------------------


def test_centroids_are_decoded_once_and_the_report_encodes_once(shapes: Path, out: Path, monkeypatch: pytest.MonkeyPatch):
    calls = []
    for cls, name in ((graphmeans.GraphKMeans, "centroids"), (graphmeans.GraphEncoder, "transform")):
        method = getattr(cls, name)
        monkeypatch.setattr(cls, name, lambda *a, _name=name, _method=method, **k: calls.append(_name) or _method(*a, **k))
    assert run("cluster", shapes, "-k", 2, "-o", out, "--jobs", 1).exit_code == 0
    assert calls.count("centroids") == 1
    fit = calls.copy()
    calls.clear()
    graphmeans.GraphKMeans(2, random_state=0, n_jobs=1).fit(graphmeans.io.read_collection(shapes)[0])
    assert fit.count("transform") == calls.count("transform") + 1


def test_cluster_writes_labels_trace_centroids_and_report(shapes: Path, out: Path):
    result = run("cluster", shapes, "-k", 2, "-o", out, "--jobs", 1)
    assert result.exit_code == 0, result.output
    rows = list(csv.DictReader((out / "labels.csv").open(newline="", encoding="utf-8")))
    assert len(rows) == 12
    assert {"name", "label", "distance"} <= set(rows[0])
    lines = {row["label"] for row in rows if "line" in row["name"]}
    triangles = {row["label"] for row in rows if "triangle" in row["name"]}
    assert len(lines) == len(triangles) == 1
    assert lines != triangles
    assert all(float(row["distance"]) >= 0 for row in rows)
    written = sorted(path.name for path in (out / "centroids").iterdir())
    assert written == ["cluster_00.graphml", "cluster_00.svg", "cluster_01.graphml", "cluster_01.svg"]
    for path in (out / "centroids").iterdir():
        ElementTree.parse(path)
    assert {"iteration", "inertia"} <= set((out / "trace.csv").read_text(encoding="utf-8").splitlines()[0].split(","))
    assert f"cluster {shapes}" in (out / "report.html").read_text(encoding="utf-8")
    assert str(out / "report.html") in result.stdout
    assert "12 graphs in 2 clusters" in result.stdout


def test_the_same_seed_gives_the_same_files(shapes: Path, tmp_path: Path):
    for name in ("a", "b"):
        assert run("cluster", shapes, "-k", 2, "-o", tmp_path / name, "--seed", 5, "-q").exit_code == 0
    for name in ("labels.csv", "centroids/cluster_00.svg", "centroids/cluster_01.graphml"):
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()


def test_options_reach_the_estimator(shapes: Path, out: Path):
    options = ["--algorithm", "lloyd", "--init", "random", "--n-init", "2", "--matcher", "exact", "--mean", "lifted"]
    options += ["--max-iter", "7", "--node-weight", "0.5", "--edge-weight", "2", "--raw", "--jobs", "1"]
    assert run("cluster", shapes, "-k", 2, "-o", out, *options).exit_code == 0
    page = re.sub(r"<[^>]+>", " ", (out / "report.html").read_text(encoding="utf-8"))
    settings = re.sub(r"\s+", " ", page[page.index("Settings") :])
    for said in ("algorithm lloyd", "init random", "n_init 2", "matcher exact", "mean lifted", "max_iter 7"):
        assert said in settings
    for said in ("node_weight 0.5", "edge_weight 2.0", "n_jobs 1"):
        assert said in settings
    assert "keep" in settings


def test_a_second_run_with_fewer_clusters_leaves_no_old_centroids(shapes: Path, out: Path):
    assert run("cluster", shapes, "-k", 3, "-o", out, "-q").exit_code == 0
    (out / "centroids" / "mine.svg").write_text("kept")
    assert run("cluster", shapes, "-k", 1, "-o", out, "-q").exit_code == 0
    names = sorted(path.name for path in (out / "centroids").iterdir())
    assert names == ["cluster_00.graphml", "cluster_00.svg", "mine.svg"]


def test_quiet_prints_the_path_of_the_report_only(shapes: Path, out: Path):
    result = run("cluster", shapes, "-k", 2, "-o", out, "--quiet")
    assert result.stdout == f"{out / 'report.html'}\n"
    assert result.stderr == ""


def test_hostile_names_stay_text(tmp_path: Path, out: Path):
    folder = tmp_path / "hostile"
    folder.mkdir()
    for name in HOSTILE:
        graph = nx.path_graph(3)
        nx.set_node_attributes(graph, {0: "<script>", 1: "[red]", 2: "=1"}, "kind")
        nx.write_graphml(graph, folder / f"{name}.graphml")
    result = run("cluster", folder, "-k", 1, "-o", out)
    assert result.exit_code == 0, result.output
    assert "\x1b" not in result.stdout
    labels = (out / "labels.csv").read_text(encoding="utf-8")
    assert "\x1b" not in labels
    assert not re.search(r"^\W?=", labels.replace("'=", ""), re.MULTILINE)
    page = (out / "report.html").read_text(encoding="utf-8")
    assert page.count("<script") == 2 + 1  # the page's own: its data, that of the members of its cluster, and its script
    assert "\x1b" not in page
    assert "<script" not in (out / "centroids" / "cluster_00.svg").read_text(encoding="utf-8")


@pytest.mark.parametrize("cell", ["=1", "+cmd", "-cmd|x", "@sum", "\t=1", " \n+x"])
def test_no_name_becomes_a_formula(cell: str):
    assert not safe_cell(cell).lstrip().startswith(("=", "+", "-", "@"))


def test_demo_finds_letters(out: Path):
    result = run("demo", "-o", out, "--samples", 150)
    assert result.exit_code == 0, result.output
    assert "150 graphs in 15 clusters" in result.stdout
    rows = list(csv.DictReader((out / "labels.csv").open(newline="", encoding="utf-8")))
    assert len({row["class"] for row in rows}) == 15
    assert str(out / "report.html") in result.stdout


def test_warmup_says_where_time_went():
    result = run("warmup")
    assert result.exit_code == 0, result.output
    assert "in all" in result.stdout
    assert run("warmup", "--quiet").output == ""


# -- what it refuses -------------------------------------------------------------------------------


def test_missing_input_is_named(tmp_path: Path, out: Path):
    assert "nowhere" in one_line(run("cluster", tmp_path / "nowhere", "-k", 2, "-o", out))
    assert not out.exists()


def test_an_empty_folder_is_refused(tmp_path: Path, out: Path):
    (tmp_path / "empty").mkdir()
    assert "empty" in one_line(run("cluster", tmp_path / "empty", "-k", 2, "-o", out))


def test_a_broken_file_is_named(shapes: Path, out: Path):
    (shapes / "line_03.graphml").write_text("<graphml><graph>")
    assert "line_03.graphml" in one_line(run("cluster", shapes, "-k", 2, "-o", out))


def test_an_attribute_at_fault_is_named(shapes: Path, out: Path):
    path = shapes / "line_03.graphml"
    path.write_text(re.sub(r'(<data key="d\d">)0\.03', r"\1nan", path.read_text()))
    line = one_line(run("cluster", shapes, "-k", 2, "-o", out))
    assert "line_03" in line
    assert "'x'" in line


def test_more_clusters_than_graphs(shapes: Path, out: Path):
    line = one_line(run("cluster", shapes, "-k", 13, "-o", out))
    assert "13 clusters" in line
    assert "12 graphs" in line


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        (["-k", "0"], "-k"),
        (["-k", "two"], "-k"),
        ([], "-k"),
        (["-k", "2", "--colour"], "--colour"),
        (["-k", "2", "--algorithm", "magic"], "--algorithm"),
        (["-k", "2", "--n-init", "0"], "--n-init"),
        (["-k", "2", "--n-init", "many"], "--n-init"),
        (["-k", "2", "--node-weight", "-1"], "--node-weight"),
        (["-k", "2", "--node-weight", "nan"], "weight"),
        (["-k", "2", "extra"], "extra"),
    ],
)
def test_usage_errors_are_one_line(shapes: Path, out: Path, arguments: list[str], word: str):
    assert word in one_line(run("cluster", shapes, "-o", out, *arguments))


def test_an_unknown_command_is_one_line():
    assert "cloister" in one_line(run("cloister"))


def test_an_output_that_is_a_file_is_refused(shapes: Path, tmp_path: Path):
    (tmp_path / "taken").write_text("mine")
    assert "taken" in one_line(run("cluster", shapes, "-k", 2, "-o", tmp_path / "taken"))
    assert (tmp_path / "taken").read_text() == "mine"


def test_debug_shows_the_traceback(tmp_path: Path):
    result = run("cluster", tmp_path / "nowhere", "-k", 2, "--debug")
    assert isinstance(result.exception, (OSError, ValueError))


def test_a_bug_is_told_from_bad_input(capsys: pytest.CaptureFixture[str]):
    import typer

    with pytest.raises(typer.Exit) as left, reported(False):
        {}["[red]key[/red]\x1b"]
    assert left.value.exit_code == 1
    assert (
        capsys.readouterr().err == "graphmeans: internal error: KeyError: '[red]key[/red]\\x1b' (--debug shows where)\n"
    )


def test_ctrl_c_is_one_line(monkeypatch: pytest.MonkeyPatch, shapes: Path, out: Path):
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("graphmeans.io.collection.read_collection", interrupted)
    result = run("cluster", shapes, "-k", 2, "-o", out)
    assert result.exit_code == 130
    assert result.stderr == "graphmeans: interrupted\n"


def test_warnings_are_one_line(capsys: pytest.CaptureFixture[str]):
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        with reported(False):
            warnings.warn("not [bold]converged", stacklevel=1)
    assert capsys.readouterr().err == "graphmeans: warning: not [bold]converged\n"


# -- what it shows ---------------------------------------------------------------------------------


def test_version_and_help():
    assert run("--version").stdout == f"graphmeans {graphmeans.__version__}\n"
    for command in ("demo", "cluster", "warmup"):
        result = run(command, "--help")
        assert result.exit_code == 0
        assert f"graphmeans {command}" in result.stdout
        assert "Example" in result.stdout


def record(message: str = "", level: int = logging.DEBUG, **trace: object) -> logging.LogRecord:
    made = logging.LogRecord("graphmeans", level, __file__, 1, message, None, None)
    if trace:
        made.trace = trace
    return made


def test_progress_shows_iterations_and_compilation():
    progress = Progress(TextColumn("{task.description}"), console=Console(quiet=True))
    handler = ProgressHandler(progress, progress.add_task("start", total=None))
    (task,) = progress.tasks
    state = {"run": 1, "n_runs": 4, "iteration": 5, "n_graphs": 500, "inertia": 81.25, "moved": 3, "matchings": 1234}
    handler.emit(record(**state, phase="iteration"))
    assert task.description == "run 2 of 4, iteration 5, objective 81.25, 3 moved"
    assert task.total == 4
    assert 1.5 < task.completed < 2.0  # the second run has nearly settled
    handler.emit(record(run=0, n_runs=1, iteration=0, inertia=0.0, moved=0, matchings=7, phase="seeding"))
    assert task.description == "seeding"
    handler.emit(record("compiling [x] once\x1b", phase="compile"))
    assert task.description == r"compiling \[x] once" or task.description == "compiling [x] once"
    handler.emit(record("plain record without a trace"))


def test_progress_names_phases_goes_on_and_says_what_is_left(monkeypatch: pytest.MonkeyPatch):
    progress = Progress(TextColumn("{task.description}"), console=Console(quiet=True))
    handler = ProgressHandler(progress, progress.add_task("start", total=None))
    handler.began = 0.0
    monkeypatch.setattr("graphmeans.cli.progress.time.monotonic", lambda: 60.0)
    (task,) = progress.tasks
    run = {"run": 0, "n_runs": 1, "max_iter": 100, "n_graphs": 500, "swaps_follow": True}
    done = []
    for trace in (
        {"phase": "seeding", "share": 0.5, **run},
        {"phase": "iteration", "iteration": 1, "moved": 500, "inertia": 9.0, **run},
        {"phase": "iteration", "iteration": 9, "moved": 3, "inertia": 8.0, **run},
        {"phase": "swap", "iteration": 1, "moved": 3, "inertia": 8.5, **run},
        {"phase": "swaps", "share": 0.5, "tried": 7, "kept": 2, "inertia": 8.0, **run},
    ):
        handler.emit(record(**trace))
        done.append(task.completed)
    assert done == sorted(done)
    assert done[-1] == pytest.approx(0.85)
    assert task.description == "moving centers elsewhere: 7 swaps tried, 2 kept, objective 8, about 10.6 s left"


def test_progress_of_a_run_that_begins_with_a_sample(monkeypatch: pytest.MonkeyPatch):
    """The sample is a part of the run, with seeds and swaps of its own; what follows goes on from where that ends."""
    handler = ProgressHandler(progress := Progress(console=Console(quiet=True)), progress.add_task("start", total=None))
    run, sample = {"run": 0, "n_runs": 1, "sifts": True}, {"part": (0.0, 0.6), "n_graphs": 1200}
    whole = {"part": (0.0, 1.0), "n_graphs": 3200, "swaps_follow": True}
    done = []
    for trace in (
        {"phase": "seeding", "share": 0.0, **run, **whole},
        {"phase": "seeding", "share": 1.0, **run, **sample},
        {"phase": "iteration", "iteration": 40, "moved": 1, "inertia": 9.0, "swaps_follow": True, **run, **sample},
        {"phase": "swaps", "share": 1.0, "tried": 25, "kept": 0, "inertia": 9.0, **run, **sample},
        {"phase": "iteration", "iteration": 1, "moved": 3000, "inertia": 8.0, **run, **whole},
        {"phase": "iteration", "iteration": 60, "moved": 0, "inertia": 8.0, **run, **whole},
    ):
        handler.emit(record(**trace))
        done.append(handler.done)
    assert done == sorted(done)
    seeded, ran = progress_module.SEEDING_OF_LARGE_ENDS, progress_module.RUN_OF_LARGE_ENDS
    assert done[1:4] == pytest.approx([0.6 * seeded, 0.6 * (seeded + (ran - seeded) * 0.9902), 0.6], abs=1e-3)
    assert 0.6 < done[4] < 0.7 < 0.85 < done[5] < 0.6 + 0.4 * ran


def test_a_pipe_gets_no_progress_but_warnings(capsys: pytest.CaptureFixture[str]):
    logger = logging.getLogger("graphmeans")
    with shown_progress("work", quiet=False):
        logger.debug("step", extra={"trace": {"iteration": 1}})
        logger.warning("look [red]here[/red]")
    assert capsys.readouterr().err == "graphmeans: warning: look [red]here[/red]\n"
    assert logger.handlers == []


def test_as_a_module_without_loading_what_is_not_needed():
    code = "import sys, graphmeans.cli; print('numpy' in sys.modules, 'numba' in sys.modules)"
    seen = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    assert seen == "False False\n"
    help_page = subprocess.run(
        [sys.executable, "-m", "graphmeans", "--help"], capture_output=True, text=True, check=True
    )
    assert "demo" in help_page.stdout
    refused = subprocess.run(
        [sys.executable, "-m", "graphmeans", "cluster", "nowhere", "-k", "2"], capture_output=True, text=True
    )
    assert refused.returncode == 2
    assert refused.stderr.count("\n") == 1
    assert "nowhere" in refused.stderr


def test_effort_and_theta_reach_the_estimator_or_are_refused(shapes: Path, out: Path):
    done = run("cluster", shapes, "-k", 2, "-o", out, "--algorithm", "gvr", "--theta", 0.25, "--effort", 0.5)
    assert done.exit_code == 0, done.output
    page = (out / "report.html").read_text()
    assert "gvr" in page
    assert "theta" in page
    assert "theta" in one_line(run("cluster", shapes, "-k", 2, "-o", out, "--theta", 0.25))
    assert "effort" in one_line(run("cluster", shapes, "-k", 2, "-o", out, "--matcher", "exact", "--effort", 2))
