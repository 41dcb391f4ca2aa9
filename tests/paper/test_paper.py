"""The paper's experiments: a small version of the command on files made here, and one row on the real data."""

from __future__ import annotations

import csv
import logging
import signal
import subprocess
import sys
import time

import numpy as np
import pytest
from rich.console import Console
from rich.progress import Progress, TextColumn
from typer.testing import CliRunner

import graphmeans as gm
from effort import thorough
from graphmeans.cli import app
from graphmeans.cli.progress import PaperProgress
from graphmeans.datasets import paper as encodings
from graphmeans.paper import protocol
from graphmeans.paper import run as run_module
from graphmeans.paper.experiment_data import ExperimentCollections
from graphmeans.paper.page import table_markdown
from graphmeans.paper.protocol import RAW, settings
from graphmeans.paper.results_csv import FIELDS, ResultsFile
from graphmeans.paper.run import paper_count, run
from graphmeans.paper.tables import all_tables, groups
from iam import iam_path
from paper_data import write_collections
from runs import hear_interrupts


def command(*arguments):
    return CliRunner().invoke(app, ["paper", *map(str, arguments)], prog_name="graphmeans")


def rows_of(folder):
    with (folder / "results.csv").open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return write_collections(tmp_path_factory.mktemp("iam"), np.random.default_rng(0))


@pytest.fixture(scope="module")
def done(data, tmp_path_factory):
    """The whole command, small."""
    folder = tmp_path_factory.mktemp("paper")
    result = command("--data", data, "-o", folder, "--quick")
    assert result.exit_code == 0, result.output
    return folder, result


# -- the command -----------------------------------------------------------------------------------


def test_everything_is_written(done):
    folder, result = done
    names = {path.name for path in folder.iterdir()}
    assert names >= {"results.csv", "tables.md", "paper.html", "table1.csv", "table2.csv", "table2_ours.csv", "table3.csv",
                     "table4.csv", "interval.csv", "speedup_k.svg", "speedup_silhouette.svg",
                     "speedup_dimension.svg"}  # fmt: skip
    assert "Table 2: four data sets" in result.stdout
    assert str(folder / "paper.html") in result.stdout.replace("\n", "")
    page = (folder / "paper.html").read_text()
    assert page.count("<svg") == 3
    assert "<script" not in page
    assert "src=" not in page
    assert "Quick: a part of the data" in page
    ids = [part.split('"')[0] for part in page.split('id="')[1:]]
    assert len(ids) == len(set(ids))


def test_a_row_a_run_with_its_settings_and_measures(done):
    rows = rows_of(done[0])
    assert len(rows) == len(settings(quick=True))
    assert list(rows[0]) == FIELDS
    for row in rows:
        assert row["init"] == "furthest-first"
        assert row["n_iter_no_change"] == "3"
        raw = row["encoding"] == RAW
        assert row["matcher"] == ("exact" if row["dataset"] == "letter" else "search" if raw else "graduated")
        n, k, t = int(row["graphs"]), int(row["k"]), int(row["iterations"])
        if row["algorithm"] == "lloyd":
            assert int(row["matchings_paper"]) == t * (k + 1) * n
            assert int(row["matchings"]) <= t * (k * n + n - k)
        assert float(row["error"]) == pytest.approx(float(row["objective"]) / n)
        assert float(row["error_common"]) <= float(row["error"]) + 1e-9
        assert 0 < float(row["accuracy"]) <= 1
        assert -1 <= float(row["silhouette"]) <= 1
        assert 0 <= float(row["outside_share"]) <= 1
        assert (row["certified"] == "nan") == (row["algorithm"] != "interval")
    for dataset in ("letter", "grec", "fingerprint"):
        assert {row["encoding"] for row in rows if row["dataset"] == dataset} == {"standardised", "raw"}


def test_cells_come_from_rows(done):
    folder, _ = done
    rows = rows_of(folder)
    with (folder / "table2.csv").open(newline="", encoding="utf-8") as file:
        table = list(csv.DictReader(file))
    assert [line["algorithm"] for line in table if line["data"] == "grec"] == ["std", "elk", "gvr 0", "gvr .5", "interval"]
    names = {"std": "lloyd", "elk": "elkan", "interval": "interval"}
    for line in table:
        algorithm, theta = names.get(line["algorithm"], "gvr"), line["algorithm"].removeprefix("gvr ")
        dataset, _, other = line["data"].partition(", ")
        wanted = ("table 2", dataset, algorithm, line["seed"])
        found = [
            row for row in rows if tuple(row[name] for name in ("experiment", "dataset", "algorithm", "seed")) == wanted
            and (row["encoding"] == RAW) == (other == "raw")
            and (algorithm != "gvr" or float(row["theta"]) == float(theta))
        ]  # fmt: skip
        assert len(found) == 1
        assert line["accuracy"].split()[0] == f"{float(found[0]['accuracy']):.2f}"
        assert line["iterations"].split()[0] == found[0]["iterations"]


def test_what_is_there_is_not_done_again(done, data, monkeypatch):
    folder, _ = done
    before = (folder / "results.csv").read_text()
    lines = before.splitlines(keepends=True)
    (folder / "results.csv").write_text("".join(lines[:-3]) + lines[-3][:20])  # the last one cut off in the middle
    asked = []
    real = run_module.run
    monkeypatch.setattr("graphmeans.paper.run.run", lambda setting, one: asked.append(setting) or real(setting, one))
    assert command("--data", data, "-o", folder, "--quick", "--quiet").exit_code == 0
    assert len(asked) == 3
    after = (folder / "results.csv").read_text().splitlines(keepends=True)
    assert after[:-3] == lines[:-3]
    key = len(protocol.SETTING_FIELDS)
    assert {tuple(line.split(",")[:key]) for line in after} == {tuple(line.split(",")[:key]) for line in lines}
    asked.clear()
    options = ("--algorithm", "interval", "--dataset", "molecules", "--fresh")
    assert command("--data", data, "-o", folder, "--quick", *options).exit_code == 0
    assert [(s.dataset, s.algorithm) for s in asked] == [("molecules", "interval")]
    assert len(rows_of(folder)) == len(lines) - 1


def test_the_same_seed_gives_the_same_row(done, data):
    row = next(row for row in rows_of(done[0]) if row["dataset"] == "grec" and row["algorithm"] == "elkan")
    setting = next(s for s in settings(quick=True) if s.as_row().items() <= row.items())
    again = run(setting, ExperimentCollections(data)(setting))
    for name in ("objective", "matchings", "accuracy", "iterations", "silhouette"):
        assert float(row[name]) == pytest.approx(again[name], rel=1e-12)


def test_ctrl_c_keeps_the_rows_and_says_how_to_go_on(data, tmp_path):
    arguments = ["--data", str(data), "-o", str(tmp_path), "--runs", "50", "--dataset", "letter"]
    process = subprocess.Popen(
        [sys.executable, "-m", "graphmeans", "paper", *arguments], stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
        preexec_fn=hear_interrupts,
    )  # fmt: skip
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and not ((tmp_path / "results.csv").exists() and len(rows_of(tmp_path)) >= 2):
        time.sleep(0.1)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=300)
    assert process.returncode == 130, said
    line = said.strip().splitlines()[-1]
    assert line.startswith("graphmeans: interrupted with ")
    assert "the same command continues from there" in line
    assert len(rows_of(tmp_path)) >= 2


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--data", "absent"], "absent: no such file or folder"),
        (["--dataset", "letter"], "Missing option '--data'"),
        (["--data", ".", "--algorithm", "k-means"], "'k-means' is not one of"),
    ],
)
def test_one_line_when_something_is_wrong(options, said, tmp_path):
    result = command("-o", tmp_path / "out", *options)
    assert result.exit_code == 2
    assert said in result.stderr
    assert result.stderr.count("\n") == 1


def test_data_that_is_not_there(tmp_path):
    result = command("--data", tmp_path, "-o", tmp_path / "out", "--dataset", "grec")
    assert result.exit_code == 2
    assert "holds no grec; expected one of GREC.zip" in result.stderr
    assert not list((tmp_path / "out").glob("*.html"))


def test_progress_says_what_each_thread_does():
    setting = settings(datasets=["letter"], algorithms=["elkan"])[0]
    with Progress(TextColumn("{task.description}"), console=Console(quiet=True)) as progress:
        shown = PaperProgress(progress, total=5, done=1)
        shown.started(setting)
        record = logging.makeLogRecord({"trace": {"phase": "iteration", "iteration": 3, "inertia": 2.5, "moved": 4}})
        shown.emit(record)
        shown.finished(setting)
        lines = [task.description for task in progress.tasks]
        assert lines[1] == "table 2, letter, k = 30, elkan, seed 0: iteration 3, objective 2.5, 4 moved"
        assert progress.tasks[0].completed == 2


# -- its parts -------------------------------------------------------------------------------------


def test_the_paper_s_count():
    assert paper_count("lloyd", 750, 30, 21, 1) == 488_250  # the paper prints 488.4 thousand
    assert paper_count("elkan", 100, 10, 3, 5000) == 5000 + 2 * 10 + 100 + 10
    assert paper_count("gvr", 100, 10, 3, 5000) == 5000 + 2 * 10 + 100 + 10
    assert paper_count("interval", 100, 10, 3, 5000) == 5000


def test_the_protocol():
    everything = settings()
    assert len(everything) == len(set(everything))
    gvr = {(s.dataset, s.theta) for s in everything if s.algorithm == "gvr" and s.experiment == "table 2"}
    assert gvr >= {("letter", 0.0), ("letter", 0.05), ("grec", 0.5), ("molecules", 0.75), ("fingerprint", 0.0)}
    assert all(s.matcher == "exact" for s in everything if s.dataset == "letter")
    assert {s.matcher for s in settings(matcher="auto") if s.dataset != "letter"} == {"auto", "search"}
    assert {s.seed for s in settings(runs=5, first_seed=7)} == {7, 8, 9, 10, 11}
    assert {s.k for s in everything if s.experiment == "table 3"} == {4, 8, 12, 16}
    assert {s.k for s in everything if s.experiment == "table 4"} == {3, 15}
    with pytest.raises(gm.GraphError, match="no algorithm is called 'pam'"):
        settings(algorithms=["pam"])


def test_results_of_another_version_or_shape(tmp_path):
    (tmp_path / "results.csv").write_text("a,b\n1,2\n")
    with pytest.raises(gm.GraphError, match="has other columns than this version writes"):
        ResultsFile(tmp_path)
    setting = settings(datasets=["letter"])[0]
    fresh = ResultsFile(tmp_path / "new")
    fresh.add(setting, {"objective": 1.5, "version": "0.0.0"})
    assert ResultsFile(tmp_path / "new").missing([setting]) == [setting]
    fresh.add(setting, {"objective": 1.5, "version": gm.__version__})
    assert ResultsFile(tmp_path / "new").missing([setting]) == []


def test_tables_of_nothing_and_of_one_algorithm(done):
    assert all_tables([]) == []
    rows = [row for row in rows_of(done[0]) if row["algorithm"] == "interval"]
    tables = {table.key: table for table in all_tables(rows)}
    assert "interval" not in tables  # nobody to beat
    assert table_markdown(tables["table2"]).startswith("| data | algorithm | error |")
    assert len(groups(rows, "table 2")) == 7


def test_selections_and_encodings(data):
    graphs, classes = encodings.letter(data, letters="AEFH")
    assert sorted(set(classes)) == list("AEFH")
    assert len(graphs) == 20
    raw = encodings.letter(data, standardised=False)[0]
    assert np.concatenate([g.nodes[""] for g in encodings.letter(data)[0]]).std(axis=0) == pytest.approx([1, 1])
    assert np.concatenate([g.nodes[""] for g in raw]).std(axis=0) != pytest.approx([1, 1])
    graphs, classes = encodings.fingerprint(data, per_class=10)
    assert np.unique(classes, return_counts=True)[1].tolist() == [10, 10, 10]
    assert all(g.n_nodes > 0 and not g.directed for g in graphs)
    assert len(encodings.grec(data, per_class=2)[0]) == 12
    with pytest.raises(gm.GraphError, match="none of the classes Q"):
        encodings.letter(data, letters="Q")


# -- the real data ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dataset", "nodes", "edges"),
    [
        ("letter", (4.68, 8), (3.13, 6)),
        ("grec", (11.48, 24), (11.91, 29)),
        thorough("fingerprint", (8.35, 26), (14.05, 48)),
        thorough("molecules", (24.59, 40), (25.2, 44)),
    ],
)
def test_table_1(dataset, nodes, edges):
    setting = settings(datasets=[dataset])[0]
    found = ExperimentCollections(iam_path())(setting).characteristics
    assert (found["nodes_avg"], found["edges_avg"]) == pytest.approx((nodes[0], edges[0]), abs=0.006)
    assert (found["nodes_max"], found["edges_max"]) == (nodes[1], edges[1])


@pytest.mark.thorough
def test_one_row_on_the_real_data():
    """elk on letters from one start: as good as the paper's, with its savings."""
    setting = next(s for s in settings(datasets=["letter"], algorithms=["elkan"], first_seed=2) if s.encoding != RAW)
    row = run(setting, ExperimentCollections(iam_path())(setting))
    assert row["graphs"] == 750
    assert row["accuracy"] > 0.88
    assert 31 * 750 / (row["matchings_paper"] / row["iterations"]) > 6
