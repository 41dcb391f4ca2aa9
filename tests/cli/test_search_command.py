"""`graphmeans index` and `graphmeans search` in a shell."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

import graphmeans as gm
from graphmeans.cli import app


@pytest.fixture(scope="module")
def letters():
    return gm.datasets.make_letters(80, random_state=0)[0]


@pytest.fixture(scope="module")
def folder(letters, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("search")
    gm.io.write_parquet(letters[:70], path / "letters.parquet")
    gm.io.write_parquet(letters[70:74], path / "new.parquet")
    return path


@pytest.fixture(scope="module")
def index(folder) -> Path:
    found = json.loads(succeeded("index", folder / "letters.parquet", "-o", folder / "letters.gmi", "--json"))
    assert found["graphs"] == 70
    assert found["bytes"] == (folder / "letters.gmi").stat().st_size
    return folder / "letters.gmi"


def succeeded(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*arguments: object) -> str:
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    assert result.exit_code == 2, result.output
    (line,) = result.stderr.strip().splitlines()
    return line


def test_the_rows_are_those_of_the_library(index, folder, letters, tmp_path):
    rows = json.loads(succeeded("search", index, folder / "new.parquet", "-n", 3, "--json", "-o", tmp_path / "found.csv"))
    distances, numbers = gm.load(index).kneighbors(letters[70:74], 3)
    assert [row["number"] for row in rows] == numbers.ravel().tolist()
    np.testing.assert_allclose([row["distance"] for row in rows], distances.ravel())
    assert [row["query"] for row in rows] == [graph.name for graph in letters[70:74] for _ in range(3)]
    assert [row["neighbor"] for row in rows] == [letters[i].name for i in numbers.ravel()]
    assert all(row["proven"] for row in rows)
    written = list(csv.DictReader((tmp_path / "found.csv").open(newline="")))
    assert [row["neighbor"] for row in written] == [row["neighbor"] for row in rows]
    assert [row["rank"] for row in written[:3]] == ["1", "2", "3"]


def test_a_table_for_people(index, folder):
    said = succeeded("search", index, f"{folder / 'new.parquet'}#1", "-n", 4)
    assert "1 query among 70 graphs: 4 neighbors, all proven" in " ".join(said.split())
    everyone = succeeded("search", index, folder / "letters.parquet", "-n", 100)  # no more than there are
    assert "4,900 neighbors" in everyone
    assert "4840 more" in everyone


def test_all_within_a_radius(index, folder, letters):
    rows = json.loads(succeeded("search", index, folder / "new.parquet", "--radius", 0.5, "--json"))
    near = gm.load(index).radius_neighbors(letters[70:74], 0.5)[1]
    assert len(rows) == sum(map(len, near)) > 0
    assert json.loads(succeeded("search", index, folder / "new.parquet", "--radius", 0, "--json")) == []


def test_a_page_with_pictures(index, folder, tmp_path, letters):
    succeeded("search", index, folder / "new.parquet", "-n", 3, "--html", tmp_path / "page" / "found.html")
    page = (tmp_path / "page" / "found.html").read_text()
    assert page.count("<svg") == 4 * 4
    assert all(graph.name in page for graph in letters[70:74])
    assert "Every neighbor below is proven to be among the nearest" in page
    assert "<script" not in page


def test_options_of_an_index(folder, tmp_path):
    succeeded("index", folder / "letters.parquet", "-o", tmp_path / "a.gmi", "--order", 12, "--raw", "--node-weight", 2)
    index = gm.load(tmp_path / "a.gmi")
    assert index.space_.order.tolist() == [12]
    assert index.space_.node_weight == 2
    assert index.encoder_.numbers == "keep"


def test_mistakes(index, folder, tmp_path, letters):
    gm.GraphKMeans(2, n_init=1, random_state=0).fit(letters[:20]).save(tmp_path / "model.gmz")
    assert "is a model, not an index; make one with `graphmeans index`" in refused("search", tmp_path / "model.gmz", index)
    assert "no such file" in refused("search", tmp_path / "nothing.gmi", folder / "new.parquet")
    assert "no graph 'nobody'" in refused("search", index, f"{folder / 'new.parquet'}#nobody")
    assert "order 1 is smaller than the largest graph" in refused("index", folder / "letters.parquet", "--order", 1)
    assert "is an index" in refused("predict", index, folder / "new.parquet")
