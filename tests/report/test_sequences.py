"""Sequences are written in lines, on the page and elsewhere, and told by what is most frequent in each place."""

from __future__ import annotations

import re

import numpy as np
import pytest
from test_report_browser import Tab, browser  # noqa: F401

import graphmeans as gm
from graphmeans import Graph, MeanGraph
from graphmeans.plots.positions import common_layouts, layout
from graphmeans.report import write_report
from graphmeans.report.sentences.outlines import consensus
from reports import fitted


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    random = np.random.default_rng(0)
    texts = ["".join(c if random.random() < 0.9 else "A" for c in word) for word in ("GATTACA", "CCTTGGA") * 12]
    graphs = gm.structures.sequences(texts)
    estimator = fitted(graphs, 2)
    path = tmp_path_factory.mktemp("sequences") / "r.html"
    return texts, estimator, write_report(path, estimator=estimator, graphs=graphs)


def test_sequences_are_read_as_text_is():
    for word in ("A", "GATTACA", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"):
        points = layout(gm.structures.sequences([word])[0])
        order = np.lexsort((points[:, 0], -points[:, 1]))
        assert "".join(word[i] for i in order) == word
    long, short = common_layouts(gm.structures.sequences(["ABCDEFGHIJKL", "ABCD"]))
    np.testing.assert_array_equal(long[:4], short)  # the same place in both
    turned = Graph({"symbol": ["B", "A"]}, roles=[1, 0])  # roles say what is first
    assert layout(turned)[:, 0].tolist() == [1.0, 0.0]
    for roles in ([0, 2**70], [5, 900], ["a", "b"], [True, False]):  # no places in a sequence
        assert np.isfinite(layout(Graph({"symbol": ["B", "A"]}, roles=roles))).all()


def test_a_sequence_is_told_by_the_most_frequent_of_each_place(run):
    texts, estimator, path = run
    html = path.read_text(encoding="utf-8")
    for label in (0, 1):
        inside = [text for text, of in zip(texts, estimator.labels_, strict=True) if of == label]
        most = "".join(max(sorted(set(column)), key=column.count) for column in zip(*inside, strict=True))
        assert f"Most frequent in each place: <b>{most}</b>" in html
        assert most in re.findall(r'<small title="(.*?)">', html.split(f'<li data-c="{label}">')[1].split("</li>")[0])


def test_consensus_leaves_out_what_few_have_and_stops_somewhere():
    mean = MeanGraph({"word": ["yes", "no", "so"]}, node_support=[1, 0.4, 0.6], edge_support=[], roles=[2, 1, 0])
    assert consensus(mean) == "so yes"
    long = MeanGraph({"word": ["A"] * 50}, node_support=[1] * 50, edge_support=[], roles=list(range(50)))
    assert consensus(long) == "A" * 40 + "…"
    assert consensus(MeanGraph({"word": ["A"]}, node_support=[1], edge_support=[])) is None
    assert consensus(MeanGraph({"size": [1.0]}, node_support=[1], edge_support=[], roles=[0])) is None


def test_single_letters_are_written_in_small_pictures(browser, run):  # noqa: F811
    texts, _, path = run
    tab = Tab(browser, path).open("#cluster-0")
    tab.until("document.querySelectorAll('#cluster-0 .thumb text').length > 5")
    thumbs = "[...document.querySelectorAll('#cluster-0 .thumb')]"
    shown = tab.js(f"{thumbs}.map((b) => [+b.dataset.g, b.querySelector('svg').textContent])")
    assert shown
    for i, text in shown:
        assert text == texts[i]
    assert tab.errors() == []
