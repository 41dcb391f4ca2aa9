"""What a match, a trace and estimators look like in a terminal and in a notebook."""

from __future__ import annotations

import pytest

import graphmeans as gm


@pytest.fixture(scope="module")
def graphs():
    return gm.datasets.make_letters(12, random_state=0)[0]


def test_a_match_shows_its_distance_and_a_picture(graphs):
    match = gm.match(graphs[0], graphs[1])
    aligned = sum(other is not None for other in match.mapping.values())
    nodes = f"{aligned} of {graphs[0].n_nodes} nodes aligned"
    assert repr(match) == f"Match(distance {match.upper:.4g}, proven optimal, {nodes}, by {match.matcher})"
    html = match._repr_html_()
    assert html.count("<svg") == 1
    assert f"distance {match.upper:.4g}" in html
    unknown = gm.Match(1.0, 2.0, {0: None}, match.indices[:0], False, "search")
    assert "<svg" not in unknown._repr_html_()
    assert repr(unknown) == "Match(distance 1 to 2, the best found, 0 of 0 nodes aligned, by search)"
    assert gm.match(graphs[0], graphs[1]).graphs == (graphs[0], graphs[1])


def test_a_trace_and_its_rows(graphs):
    km = gm.GraphKMeans(3, n_init=1, random_state=0).fit(graphs)
    trace = km.trace_
    matchings = int(trace["matchings"].sum())
    assert repr(trace).startswith(f"Trace({len(trace)} iteration")
    assert f"{matchings:,} matchings" in repr(trace)
    assert f"to {km.inertia_:.6g}" in repr(trace)
    html = trace._repr_html_()
    assert html.count("<tr>") == len(trace) + 1
    assert repr(trace[:0]).startswith("Trace([]")


@pytest.mark.parametrize("kind", [gm.GraphKMeans, gm.MiniBatchGraphKMeans, gm.GraphKMedoids])
def test_estimators_show_their_centers(graphs, kind):
    fitted = kind(3, random_state=0).fit(graphs)
    assert repr(fitted).startswith(f"{kind.__name__}(")
    assert fitted._repr_html_().count("<svg") >= 3
    assert "12 graphs" in fitted._repr_html_()


def test_classifiers_show_their_centers(graphs):
    fitted = gm.GraphNearestCentroid().fit(graphs, ["a", "b"] * 6)
    assert repr(fitted) == "GraphNearestCentroid()"
    assert fitted._repr_html_().count("<svg") >= 2
