"""Runs that are interrupted, and runs that go on from a checkpoint: what stays behind, and how long they say that they took."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from typer.testing import CliRunner

import graphmeans as gm
from graphmeans.cli import app
from graphmeans.cluster.algorithms.interval_loop import IntervalLoop
from graphmeans.io import write_collection


def run(*arguments: object) -> tuple[int, str, str]:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments], prog_name="graphmeans")
    return result.exit_code, result.stdout, result.stderr


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    path = tmp_path_factory.mktemp("letters") / "letters.npz"
    write_collection(gm.datasets.make_letters(300, "medium", random_state=0)[0], path)
    return path


def stopping(error: type[BaseException]):
    def fit(*_: object, **__: object) -> None:
        raise error("stopped")

    return fit


@pytest.mark.parametrize(("error", "code"), [(KeyboardInterrupt, 130), (ValueError, 2), (KeyError, 1)])
def test_no_empty_folder_stays_behind(error, code, letters, tmp_path, monkeypatch):
    monkeypatch.setattr("graphmeans.cluster.estimators.kmeans.GraphKMeans.fit", stopping(error))
    assert run("cluster", letters, "-k", 3, "-o", tmp_path / "a" / "b", "-q")[0] == code
    assert run("demo", "-o", tmp_path / "a" / "b", "-q")[0] == code
    assert not (tmp_path / "a").exists()
    (tmp_path / "mine").mkdir()
    assert run("cluster", letters, "-k", 3, "-o", tmp_path / "mine", "-q")[0] == code
    assert (tmp_path / "mine").is_dir()  # it was there before
    (tmp_path / "mine" / "notes.txt").write_text("kept")
    assert run("cluster", letters, "-k", 3, "-o", tmp_path / "mine" / "deeper", "-q")[0] == code
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_a_run_that_went_on_does_not_call_its_second_part_all(letters, tmp_path, monkeypatch):
    state, out, calls = tmp_path / "state", tmp_path / "out", []
    write = IntervalLoop.write_checkpoint

    def killed(self, history):
        write(self, history)
        calls.append(history.iteration)
        for row in history.rows:
            row["seconds"] = 100.0  # the first part takes much longer than the second
        if len(calls) == 3:
            raise MemoryError

    command = ("cluster", letters, "-k", 15, "-o", out, "--checkpoint", state, "--n-init", 1)
    with monkeypatch.context() as patch:
        patch.setattr(IntervalLoop, "write_checkpoint", killed)
        assert run(*command, "-q")[0] == 2
    assert state.exists()
    assert not out.exists()
    code, said, _ = run(*command, "--json")
    assert code == 0
    assert not state.exists()
    found = json.loads(said)
    assert found["resumed"] is True
    assert found["seconds_of_iterations"] > 150 > found["seconds"]
    trace = np.genfromtxt(out / "trace.csv", delimiter=",", names=True)
    assert trace["seconds"].sum() == pytest.approx(found["seconds_of_iterations"])
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "time of the iterations" in page
    assert "in all; " not in page
    assert re.search(r"<td>[2-9] min", page)

    code, said, _ = run(*command, "--json")
    found = json.loads(said)
    assert found["resumed"] is False
    assert found["seconds_of_iterations"] <= found["seconds"]
    assert "in all; " in (out / "report.html").read_text(encoding="utf-8")


def test_the_terminal_says_both_times(letters, tmp_path):
    state = tmp_path / "state"
    km = gm.GraphKMeans(15, n_init=1, random_state=0, checkpoint=str(state))
    said = []
    original = IntervalLoop.write_checkpoint

    def killed(self, history):
        original(self, history)
        said.append(0)
        if len(said) == 3:
            raise RuntimeError

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(IntervalLoop, "write_checkpoint", killed)
        with pytest.raises(RuntimeError):
            km.fit(gm.io.read_collection(letters)[0])
    code, out, err = run("cluster", letters, "-k", 15, "-o", tmp_path / "out", "--checkpoint", state, "--n-init", 1)
    assert code == 0, err
    assert "for these, " in " ".join(out.split())
    assert "since it went on" in " ".join(out.split())
