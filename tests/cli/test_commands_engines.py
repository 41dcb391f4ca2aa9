"""cluster, predict, compare, inspect and choose-k on Parquet collections, with threads and with dask."""

from __future__ import annotations

import csv
import io
import json
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

import graphmeans as gm
from graphmeans.cli import app
from graphmeans.cli import inputs as cli_inputs
from graphmeans.cli.label_files import label_file
from graphmeans.cli.progress import ProgressHandler
from graphmeans.cluster.data import dataset as sources
from graphmeans.cluster.engines import dask_client as clusters
from graphmeans.cluster.estimators import prediction
from graphmeans.io import read_labels, write_parquet
from graphmeans.io.parquet import labels as label_files
from runs import hear_interrupts, local_cluster

distributed = pytest.importorskip("distributed", reason="dask is not installed: pip install 'graphmeans[dask]'")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'graphmeans[dask]'")

N = 240
FILES = {"trace.csv", "centroids", "model.gmz", "reading.json", "report.html"}


@pytest.fixture(scope="module", autouse=True)
def small_and_quick():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("graphmeans.report.facts.evidence.MOST", 300.0)
        patch.setattr("graphmeans.evaluation.cost.TRIAL", 0.1)
        patch.setattr(sources, "SHARD_SIZE", 40)
        patch.setattr(prediction, "SHARD_SIZE", 40)
        yield


@pytest.fixture(scope="module")
def letters():
    return gm.datasets.make_letters(N, random_state=0)


@pytest.fixture(scope="module")
def parquet(letters, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("parquet") / "letters.parquet"
    write_parquet(letters[0], path, letters[1].tolist(), rows_per_group=50)
    return path


@pytest.fixture(scope="module")
def scheduler():
    """The address of a cluster that somebody else has started."""
    with local_cluster(n_workers=2, dashboard_address=":0") as cluster:
        yield cluster.scheduler_address


@pytest.fixture(scope="module")
def by_threads(parquet, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("threads") / "out"
    succeeded("cluster", parquet, "-k", 8, "-o", path, "--n-init", 1, "-q")
    return path


def run(*arguments: object) -> Result:
    return CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="graphmeans")


def succeeded(*arguments: object) -> str:
    result = run(*arguments)
    assert result.exit_code == 0, result.output
    return result.stdout


def one_line(*arguments: object) -> str:
    """The line of a refusal: alone, on stderr, with exit code 2."""
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert result.stdout == ""
    lines = result.stderr.strip().splitlines()
    assert len(lines) == 1, result.stderr
    assert lines[0].startswith("graphmeans: error: ")
    return lines[0]


def proofs(path: Path) -> list[list[object]]:
    """The columns of labels that say what is proven."""
    files = sorted(path.iterdir()) if path.is_dir() else [path]
    tables = [pq.read_table(file, columns=["proven", "proven_margin"]) for file in files]
    return [[value for table in tables for value in table.column(n).to_pylist()] for n in range(2)]


# -- cluster ---------------------------------------------------------------------------------------


def test_threads_write_labels_beside_the_other_results(parquet, by_threads, letters):
    assert {path.name for path in by_threads.iterdir()} == FILES | {"labels.parquet"}
    km = gm.load(by_threads / "model.gmz")
    names, labels, distances = read_labels(by_threads / "labels.parquet")
    assert names == gm.open_collection(parquet).names
    np.testing.assert_array_equal(labels, km.labels_)
    np.testing.assert_array_equal(distances, km.distances_)
    assert proofs(by_threads / "labels.parquet") == [km.certified_.tolist(), km.certified_margins_.tolist()]
    page = (by_threads / "report.html").read_text()
    assert "240 graphs fall into 8 clusters" in page
    assert "The known classes were only used to check" in page


def test_dask_gives_the_same_and_workers_write_the_labels(parquet, by_threads, scheduler, tmp_path):
    found = json.loads(
        succeeded("cluster", parquet, "-k", 8, "-o", tmp_path, "--n-init", 1, "--scheduler", scheduler, "--json")
    )
    assert {path.name for path in tmp_path.iterdir()} == FILES | {"labels"}
    assert Path(found["files"]["labels"]) == tmp_path / "labels" == label_file(tmp_path)
    assert len(list((tmp_path / "labels").iterdir())) == 6  # a part a shard
    expected = read_labels(by_threads / "labels.parquet")
    names, labels, distances = read_labels(tmp_path / "labels")
    assert names == expected[0]
    np.testing.assert_array_equal(labels, expected[1])
    np.testing.assert_array_equal(distances, expected[2])
    assert proofs(tmp_path / "labels") == proofs(by_threads / "labels.parquet")
    model = gm.load(tmp_path / "model.gmz")
    assert model.engine == "threads"  # what was learned does not depend on machines that will be gone
    np.testing.assert_array_equal(model.labels_, labels)
    same = json.loads(succeeded("compare", tmp_path, by_threads, "-o", tmp_path / "compared", "--json"))
    assert same["moved"] == []
    assert same["graphs"] == N
    assert same["accuracy"][0] == same["accuracy"][1] == found["accuracy"]  # classes come with the labels
    assert "dask, 2 workers" in (tmp_path / "report.html").read_text()


def test_results_of_an_earlier_run_go_and_nothing_else(parquet, by_threads, scheduler, tmp_path):
    options = ["-k", 3, "--n-init", 1, "-q", "-o", tmp_path]
    succeeded("cluster", parquet, *options, "--scheduler", scheduler, "--init", "k-means||")
    succeeded("cluster", parquet, *options)
    assert label_file(tmp_path) == tmp_path / "labels.parquet"
    assert not (tmp_path / "labels").exists()
    (tmp_path / "labels").mkdir()
    (tmp_path / "labels" / "part-0000000.parquet").write_bytes(parquet.read_bytes())  # graphs, not labels
    assert "is where labels are to be written" in one_line("cluster", parquet, *options)
    assert (tmp_path / "labels" / "part-0000000.parquet").exists()


def test_graphs_that_are_no_parquet_keep_their_table(letters, scheduler, tmp_path):
    gm.io.write_collection(letters[0][:60], tmp_path / "in", letters[1][:60].tolist())
    succeeded("cluster", tmp_path / "in", "-k", 3, "-o", tmp_path / "out", "-q", "--n-init", 1, "--scheduler", scheduler)
    assert label_file(tmp_path / "out").name == "labels.csv"
    found = gm.load(tmp_path / "out" / "model.gmz")
    rows = list(csv.DictReader((tmp_path / "out" / "labels.csv").open(newline="")))
    assert [int(row["label"]) for row in rows] == found.labels_.tolist()


def test_labels_are_fetched_if_workers_do_not_see_the_folder(parquet, scheduler, tmp_path, monkeypatch):
    def elsewhere(estimator, path, X=None):
        if X is None:
            raise label_files.NotShared("not here")
        return real(estimator, path, X)

    real = label_files.write_fitted
    monkeypatch.setattr("graphmeans.io.parquet.labels.write_fitted", elsewhere)
    result = run("cluster", parquet, "-k", 3, "-o", tmp_path, "-q", "--n-init", 1, "--scheduler", scheduler)
    assert result.exit_code == 0
    assert "workers do not see" in result.stderr
    assert read_labels(tmp_path / "labels.parquet")[1].tolist() == gm.load(tmp_path / "model.gmz").labels_.tolist()


# -- predict ---------------------------------------------------------------------------------------


def test_predict_says_the_same_in_every_form(parquet, by_threads, scheduler, letters, tmp_path):
    km = gm.load(by_threads / "model.gmz")
    table = list(csv.DictReader(io.StringIO(succeeded("predict", by_threads, parquet))))
    assert [int(row["label"]) for row in table] == km.labels_.tolist()
    assert [row["name"] for row in table] == [graph.name for graph in letters[0]]
    expected = np.array([float(row["distance"]) for row in table])
    np.testing.assert_allclose(expected, km.distances_, atol=1e-9)
    for engine in ([], ["--scheduler", scheduler]):
        place = tmp_path / ("threads" if not engine else "dask")
        succeeded("predict", by_threads, parquet, "-o", place, *engine)
        succeeded("predict", by_threads, parquet, "-o", f"{place}.parquet", *engine)
        succeeded("predict", by_threads, parquet, "-o", f"{place}.csv", *engine)
        assert list(csv.DictReader(io.StringIO(Path(f"{place}.csv").read_text()))) == table
        for path in (place, f"{place}.parquet"):
            names, labels, distances = read_labels(path)
            assert labels.tolist() == km.labels_.tolist()
            assert names == [graph.name for graph in letters[0]]
            np.testing.assert_array_equal(distances, expected)
        rows = json.loads(succeeded("predict", by_threads, parquet, "--json", *engine))
        assert [row["margin"] for row in rows] == [float(row["margin"]) for row in table]
    assert len(list((tmp_path / "dask").iterdir())) > 1
    assert "is there already" in one_line("predict", by_threads, parquet, "-o", tmp_path / "dask")


def test_a_table_that_could_not_be_finished_is_not_left_behind(by_threads, damaged, tmp_path):
    for output in ("p.csv", "p.parquet"):
        assert "partition 3 cannot be read" in one_line("predict", by_threads, damaged, "-o", tmp_path / output)
        assert not list(tmp_path.iterdir())


# -- what goes wrong -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def damaged(parquet, tmp_path_factory) -> Path:
    data = bytearray(parquet.read_bytes())
    at = gm.open_collection(parquet)._files[0].metadata.row_group(3).column(3).data_page_offset
    for i in range(at + 20, at + 60):
        data[i] ^= 0xFF
    path = tmp_path_factory.mktemp("damaged") / "bad.parquet"
    path.write_bytes(bytes(data))
    return path


def test_refusals(parquet, by_threads, damaged, scheduler, tmp_path, monkeypatch):
    out = ["-k", 3, "-o", tmp_path / "out"]
    assert "--scheduler is for --engine dask" in one_line("cluster", parquet, *out, "--engine", "threads", "--scheduler", "x")
    assert "elkan works with --engine threads only" in one_line(
        "cluster", parquet, *out, "--engine", "dask", "--algorithm", "elkan"
    )
    assert "bad.parquet: partition 3 cannot be read" in one_line("cluster", damaged, *out)
    assert "bad.parquet: partition 3 cannot be read" in one_line("cluster", damaged, *out, "--scheduler", scheduler)
    assert "240 graphs" in one_line("cluster", parquet, "-k", 241, "-o", tmp_path / "out")
    (tmp_path / "s.json").write_text("[]")
    assert "is not a file that a dask scheduler wrote" in one_line("cluster", parquet, *out, "--scheduler", tmp_path / "s.json")
    assert "no such file" in one_line("cluster", parquet, *out, "--scheduler", tmp_path / "none.json")
    assert "--json" in one_line("predict", by_threads, parquet, "--json", "-o", tmp_path / "p.csv")
    assert "Invalid value" in one_line("cluster", parquet, *out, "--engine", "spark")

    connect = distributed.Client.__init__
    soon = lambda client, address, timeout: connect(client, address, timeout=0.5)  # noqa: E731
    monkeypatch.setattr(distributed.Client, "__init__", soon)
    assert "no scheduler at tcp://127.0.0.1:9" in one_line("predict", by_threads, parquet, "--scheduler", "tcp://127.0.0.1:9")
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert "pip install 'graphmeans[dask]'" in one_line("cluster", parquet, *out, "--engine", "dask")


def test_the_file_of_a_scheduler(parquet, scheduler, tmp_path):
    path = tmp_path / "scheduler.json"
    path.write_text(json.dumps({"type": "Scheduler", "address": scheduler}))
    assert cli_inputs.engine_address(None, str(path)) == scheduler
    assert cli_inputs.engine_address(None, None) == "threads"
    assert cli_inputs.engine_address(cli_inputs.EngineName.dask, None) == "dask"


@pytest.mark.thorough
def test_a_lost_worker_is_said(parquet, scheduler, tmp_path, monkeypatch):
    submit, killed = clusters.DaskClient.submit, []

    def deadly(cluster, address, function, *args):
        future = submit(cluster, address, function, *args)
        if function.__name__ == "work" and not killed:
            pid = cluster.client.run(os.getpid, workers=[address])[address]
            killed.append(address)
            os.kill(pid, signal.SIGKILL)
        return future

    monkeypatch.setattr(clusters.DaskClient, "submit", deadly)
    result = run("cluster", parquet, "-k", 8, "-o", tmp_path, "--n-init", 1, "--scheduler", scheduler, "-q")
    assert result.exit_code == 0, result.output
    assert f"graphmeans: warning: lost {killed[0]}: building" in result.stderr


def test_ctrl_c_on_a_terminal_keeps_the_last_iteration(tmp_path):
    """It is sent to all processes of the terminal's group; the workers must outlive it."""
    graphs, _ = gm.datasets.make_letters(500, random_state=0)
    write_parquet(graphs, tmp_path / "in.parquet")
    command = ["cluster", tmp_path / "in.parquet", "-k", 30, "-o", tmp_path / "out", "--checkpoint", tmp_path / "state", "-q"]
    process = subprocess.Popen(
        [sys.executable, "-m", "graphmeans", *map(str, command), "--engine", "dask", "--jobs", "1"],
        start_new_session=True, stderr=subprocess.PIPE, text=True, preexec_fn=hear_interrupts,
    )  # fmt: skip
    while not (tmp_path / "state").exists() and process.poll() is None:  # until an iteration is complete
        time.sleep(0.02)
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=600)
    assert process.returncode == 130, said
    assert said.strip() == "graphmeans: warning: interrupted: the last complete iteration is returned"
    assert len(read_labels(tmp_path / "out" / "labels")[1]) == 500


# -- progress --------------------------------------------------------------------------------------


def test_progress_of_runs_side_by_side():
    from rich.progress import Progress

    progress = Progress()
    handler = ProgressHandler(progress, progress.add_task("", total=None))

    def emit(level: int, message: str, **trace: object) -> tuple[str, float]:
        record = logging.LogRecord("graphmeans", level, "", 0, message, None, None)
        if trace:
            record.trace = trace
        handler.emit(record)
        return progress.tasks[0].description, progress.tasks[0].completed

    assert emit(logging.INFO, "starting 2 worker processes")[0] == "starting 2 worker processes"
    before = emit(logging.DEBUG, "", phase="iteration", iteration=50, moved=2, n_graphs=100, run=2, n_runs=4)[1]
    assert 2.5 < before < 3.0
    said, done = emit(logging.DEBUG, "", phase="iteration", iteration=3, n_graphs=100, run=1, n_runs=4, inertia=8.0)
    assert said == "run 2 of 4, iteration 3, objective 8"
    assert done == before  # the bar does not go back
    assert emit(logging.DEBUG, "worker is ready")[0] == said


# -- inspect and choose-k --------------------------------------------------------------------------


@pytest.mark.thorough
def test_inspect_and_choose_k_open_parquet(parquet, tmp_path, monkeypatch):
    monkeypatch.setattr("graphmeans.evaluation.inspecting.READ", 100)
    found = json.loads(succeeded("inspect", parquet, "--json"))
    assert found["n_graphs"] == N
    assert "random sample of 100 of the 240 graphs" in found["notes"][0]
    assert found["cost"]["n_sample"] <= 100
    chosen = json.loads(succeeded("choose-k", parquet, "-k", "2,3", "--seeds", 2, "-o", tmp_path, "--json"))
    assert chosen["n_sample"] == N
    assert chosen["recommended"] in (2, 3)
