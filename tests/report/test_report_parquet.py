"""The report of a collection on disk: the same page, and only what it shows is read."""

from __future__ import annotations

import json
import re
import shutil

import numpy as np
import pytest

import graphmeans as gm
from graphmeans import Graph
from graphmeans.io import write_parquet
from graphmeans.report import write_report
from graphmeans.report.facts.report_graphs import ReportGraphs

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'graphmeans[dask]'")

N, COPIES = 1000, 20


@pytest.fixture(scope="module")
def letters():
    return gm.datasets.make_letters(N, random_state=0)


@pytest.fixture(scope="module")
def fitted(letters):
    return gm.GraphKMeans(10, random_state=0, n_init=1).fit(letters[0])


@pytest.fixture(scope="module")
def folder(letters, tmp_path_factory):
    """20,000 graphs: the same file many times."""
    path = tmp_path_factory.mktemp("many")
    write_parquet(letters[0], path / "part-0.parquet", letters[1].tolist(), rows_per_group=250)
    for i in range(1, COPIES):
        shutil.copy(path / "part-0.parquet", path / f"part-{i}.parquet")
    return path


@pytest.fixture
def made(monkeypatch):
    """How many graphs have been made."""
    count, init = [0], Graph.__init__

    def counting(self, *args, **options):
        count[0] += 1
        init(self, *args, **options)

    monkeypatch.setattr(Graph, "__init__", counting)
    return count


def data_of(page: str) -> dict[str, object]:
    return json.loads(re.search(r'<script type="application/json"[^>]*>(.*?)</script>', page, re.DOTALL)[1])


def test_the_page_is_the_same(letters, fitted, folder, tmp_path):
    collection = gm.open_collection(folder / "part-0.parquet")
    options = {"estimator": fitted, "title": "letters", "seconds": 1.0}
    listed = write_report(tmp_path / "a.html", graphs=letters[0], classes=letters[1], **options).read_text()
    lazy = write_report(tmp_path / "b.html", graphs=collection, classes=collection.labels, **options).read_text()
    assert lazy == listed


def many(fitted, tmp_path):
    km = gm.load(saved(fitted, tmp_path))
    for name in ("labels_", "distances_", "certified_", "certified_margins_"):
        setattr(km, name, np.tile(getattr(km, name), COPIES))
    return km


def saved(fitted, tmp_path):
    fitted.save(tmp_path / "model.gmz")
    return tmp_path / "model.gmz"


def test_a_large_collection_is_not_held(fitted, folder, tmp_path, made, monkeypatch):
    monkeypatch.setattr("graphmeans.report.facts.evidence.MOST", 2000.0)
    km, collection = many(fitted, tmp_path), gm.open_collection(folder)
    assert len(collection) == N * COPIES
    made[0] = 0
    page = write_report(tmp_path / "r.html", estimator=km, graphs=collection, classes=collection.labels).read_text()
    assert "20,000 graphs fall into 10 clusters" in page
    shown = len(data_of(page)["graphs"])
    assert 200 < shown < 4001
    assert shown <= made[0] <= shown + 400 + 10 * 4  # those that are shown, those whose sizes were looked at, the means
    assert len(data_of(page)["everyone"]["names"]) == N * COPIES
    # Names of that many letters would make the page too large: they are not read to the end, and the page knows.
    monkeypatch.setattr("graphmeans.report.data.page_data.MOST_LETTERS", 10_000)
    read, table = [], gm.io.Collection._table
    monkeypatch.setattr(gm.io.Collection, "_table", lambda self, i, columns=None: read.append(columns) or table(self, i, columns))
    page = write_report(tmp_path / "r.html", estimator=km, graphs=collection).read_text()
    data = data_of(page)
    assert "everyone" not in data
    assert data["unnamed"] == 1
    whole = [columns for columns in read if columns is None]
    # Each part is read once for the sizes and once for the sample, and the first once to see whether its graphs are molecules.
    assert len(whole) <= 2 * collection.n_partitions + 1
    assert len(read) - len(whole) <= collection.n_partitions + 10_000 // 250


def test_one_graph_after_the_other(folder, letters):
    collection = gm.open_collection(folder)
    read, table = [], collection._table
    collection._table = lambda i, columns=None: read.append(i) or table(i, columns)
    assert collection[3].name == letters[0][3].name
    assert collection[-1].name == letters[0][-1].name
    assert [graph.name for graph in collection[999:1002]] == [letters[0][i].name for i in (999, 0, 1)]
    read.clear()
    np.testing.assert_array_equal(collection[4].nodes["x"], letters[0][4].nodes["x"])
    assert read == []  # it lies beside the one before
    for i in range(0, N * COPIES, 2500):
        collection[i]
    assert len(collection._recent) == 4
    for beyond in (N * COPIES, -N * COPIES - 1):
        with pytest.raises(IndexError):
            collection[beyond]


def test_graphs_on_disk_as_a_sequence(folder, letters, made):
    graphs = ReportGraphs(gm.open_collection(folder))
    graphs.read([5, 1500, 5])
    assert made[0] == 2
    assert graphs[5].name == letters[0][5].name
    assert [graph.name for graph in graphs[5:7]] == [letters[0][5].name, letters[0][6].name]
    assert made[0] == 3
    assert graphs.names([1001, 2]) == [letters[0][1].name, letters[0][2].name]
    assert graphs.all_names(10) is None
    assert len(graphs.all_names(10**6)) == N * COPIES
    assert made[0] == 3
