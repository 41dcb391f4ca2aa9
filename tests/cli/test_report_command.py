"""`graphmeans report` makes the page of some results again, without fitting."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

import graphmeans as gm
from graphmeans.cli import app
from graphmeans.io import write_collection


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    folder = tmp_path_factory.mktemp("report")
    graphs, y = gm.datasets.make_letters(60, random_state=0)
    write_collection(graphs, folder / "letters", classes=y.tolist(), kind="gxl")
    write_collection(graphs[::-1], folder / "reversed", kind="gxl")
    write_collection(graphs[:30], folder / "half", kind="gxl")
    call("cluster", folder / "letters", "-k", 4, "-o", folder / "out", "--n-init", 1, "--members", 12)
    return folder


def call(*arguments: object, code: int = 0) -> str:
    done = CliRunner().invoke(app, [str(a) for a in arguments])
    assert done.exit_code == code, done.output
    return done.output


def drawn(page: Path) -> int:
    return len(re.findall(r'"i":\d+,"c":', page.read_text(encoding="utf-8")))


def test_more_members_another_title_and_direction(results, monkeypatch, tmp_path):
    monkeypatch.setattr("graphmeans.cluster.estimators.kmeans.GraphKMeans.fit", None)  # nothing is fitted
    first = results / "out" / "report.html"
    assert drawn(first) < 60
    before = first.read_text(encoding="utf-8")
    said = call("report", results / "out", results / "letters", "--members", "all", "-o", tmp_path / "page.html", "-q")
    assert said.strip() == str(tmp_path / "page.html")
    assert first.read_text(encoding="utf-8") == before
    assert drawn(tmp_path / "page.html") == 60
    assert "graphmeans cluster" in (tmp_path / "page.html").read_text(encoding="utf-8")  # how the results were made
    assert "<h1>letters</h1>" in (tmp_path / "page.html").read_text(encoding="utf-8")
    shutil.copytree(results / "out", tmp_path / "out")
    call("report", tmp_path / "out", results / "letters", "--title", "Other <letters>", "--y-down", "--members", "20")
    page = tmp_path / "out" / "report.html"
    text = page.read_text(encoding="utf-8")
    assert "<h1>Other &lt;letters&gt;</h1>" in text
    assert "y in pictures" in text
    assert 20 <= drawn(page) < 60


def test_what_does_not_belong_together_is_refused(results, tmp_path):
    assert "was fitted to 60 graphs, but there are 30" in call("report", results / "out", results / "half", code=2)
    assert "in the input" in call("report", results / "out", results / "reversed", code=2)
    assert "holds no model.gmz" in call("report", tmp_path, results / "letters", code=2)
    assert "neither a number" in call("report", results / "out", results / "letters", "--members", "some", code=2)


def test_a_page_that_cannot_be_made_costs_no_results(results, monkeypatch, tmp_path):
    def fails(*_: object, **__: object) -> None:
        raise KeyError("no such thing")

    with monkeypatch.context() as patch:
        patch.setattr("graphmeans.cli.results.write_report", fails)
        said = call("cluster", results / "letters", "-k", 4, "-o", tmp_path / "out", "--n-init", 1, "-q", code=1)
    assert "the page could not be made, but labels, model and all other files are there" in said
    assert "internal error: KeyError" in said
    call("report", tmp_path / "out", results / "letters", "-q")
    assert drawn(tmp_path / "out" / "report.html")
