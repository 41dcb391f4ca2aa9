"""Displays: what they compute from an estimator, axes in and out, and what they refuse."""

from __future__ import annotations

import matplotlib
import numpy as np
import pytest

matplotlib.use("Agg")

from matplotlib import pyplot as plt

import graphmeans as gm
from graphmeans import Graph, GraphError
from graphmeans.evaluation.fitted import align_to_center, centers_of, points_of, spread_sample
from graphmeans.plots.embedding import landmark_map, scaled_plane
from graphmeans.plots.pen import COLOURS, hues
from reports import drawings, fitted, letters


@pytest.fixture(scope="module")
def lettered():
    return letters(150)


@pytest.fixture(autouse=True)
def _close():
    yield
    plt.close("all")


def test_silhouettes_are_those_of_the_estimators_metric(lettered):
    graphs, _, km = lettered
    display = gm.plots.SilhouetteDisplay.from_estimator(km, graphs)
    distances = km.space_.distances(points_of(km, graphs))
    assert display.index == pytest.approx(gm.evaluation.silhouette(distances, km.labels_))
    by_cluster = [display.widths[display.labels == c].mean() for c in np.unique(display.labels)]
    assert np.mean(by_cluster) == pytest.approx(display.index)
    assert len(display.ax_.patches) == 150


def test_a_sample_of_silhouettes_is_stated(lettered):
    graphs, _, km = lettered
    display = gm.plots.SilhouetteDisplay.from_estimator(km, graphs, sample_size=60)
    assert len(display.widths) <= 60
    assert set(display.labels) == set(km.labels_)
    assert f"{len(display.widths)} of 150 graphs" in display.ax_.get_title()
    again = gm.plots.SilhouetteDisplay.from_estimator(km, graphs, sample_size=60)
    assert np.array_equal(display.widths, again.widths)


def test_convergence_shows_the_trace(lettered):
    km = lettered[2]
    display = gm.plots.ConvergenceDisplay.from_estimator(km)
    line = display.ax_.lines[0]
    assert np.array_equal(line.get_ydata(), km.trace_["inertia"])
    assert [bar.get_height() for bar in display.matchings_ax_.patches] == km.trace_["matchings"].tolist()
    assert f"{int(km.trace_['matchings'].sum()):,}" in display.ax_.get_title()


def test_elbow_fits_clones_and_marks_the_bend():
    graphs = drawings(20)
    estimator = gm.GraphKMeans(2, algorithm="elkan", n_init=1, random_state=0)
    display = gm.plots.ElbowDisplay.from_estimator(estimator, graphs, n_clusters=[1, 2, 5, 99])
    assert display.n_clusters.tolist() == [1, 2, 5]
    assert display.inertia[1] == pytest.approx(
        gm.GraphKMeans(2, algorithm="elkan", n_init=1, random_state=0).fit(graphs).inertia_
    )
    assert display.bend == 2
    assert not hasattr(estimator, "labels_")
    assert gm.plots.ElbowDisplay([3, 1], [1.0, 2.0]).bend is None
    assert gm.plots.ElbowDisplay([1, 2, 3], [1.0, 1.0, 1.0]).bend is None
    with pytest.raises(GraphError, match="2 numbers of clusters, but 1"):
        gm.plots.ElbowDisplay([3, 1], [1.0])
    with pytest.raises(GraphError, match="suits 3 graphs"):
        gm.plots.ElbowDisplay.from_estimator(estimator, graphs[:3], n_clusters=[8])


def test_the_map_puts_members_near_their_center(lettered):
    graphs, _, km = lettered
    display = gm.plots.EmbeddingDisplay.from_estimator(km, graphs)
    apart = np.linalg.norm(display.points[:, None] - display.centers[None], axis=2)
    assert (apart.argmin(axis=1) == display.labels).mean() > 0.4  # by chance it would be 1 in 15
    assert 0.4 < display.fidelity <= 1
    assert len(display.ax_.child_axes) == 15
    few = gm.plots.EmbeddingDisplay.from_estimator(km, graphs, max_graphs=40, n_landmarks=6, pictures=False)
    assert len(few.points) <= 40
    assert "of 150 graphs" in few.ax_.get_title()
    assert len(few.ax_.texts) == 15


@pytest.mark.parametrize("k", [1, 2, 3])
def test_maps_of_few_clusters(k: int):
    graphs = drawings(12)
    display = gm.plots.EmbeddingDisplay.from_estimator(fitted(graphs, k, algorithm="elkan"), graphs)
    assert np.isfinite(display.points).all()
    assert display.centers.shape == (k, 2)


def test_flat_distances_are_reproduced():
    points = np.random.default_rng(0).normal(size=(12, 2))
    apart = np.linalg.norm(points[:, None] - points[None], axis=2)
    found = scaled_plane(apart)
    assert np.linalg.norm(found[:, None] - found[None], axis=2) == pytest.approx(apart, abs=1e-6)


def test_matchings_of_a_map_are_bounded(lettered):
    graphs, _, km = lettered
    counted = []

    class Counting:
        def distances(self, x, y=None):
            counted.append(len(x) * (len(x) - 1) // 2 if y is None else len(x) * len(y))
            return km.space_.distances(x, y)

    landmark_map(Counting(), points_of(km, graphs), centers_of(km), n_landmarks=5)
    assert sum(counted) <= 5 * 15 + 10 + 15 * 5 + 150 * 5


def test_prototypes_stand_by_size(lettered):
    km = lettered[2]
    display = gm.plots.PrototypeDisplay.from_estimator(km)
    assert display.sizes == sorted(np.bincount(km.labels_, minlength=15), reverse=True)
    assert [cell.get_title() for cell in display.axes_] == [
        f"{c}: {n}" for c, n in zip(display.labels, display.sizes, strict=True)
    ]


def test_axes_come_in_and_go_out(lettered):
    graphs, _, km = lettered
    for draw in (
        lambda ax: gm.plots.SilhouetteDisplay.from_estimator(km, graphs, sample_size=40, ax=ax).ax_,
        lambda ax: gm.plots.ConvergenceDisplay.from_estimator(km, ax=ax).ax_,
        lambda ax: gm.plots.ElbowDisplay([1, 2, 3], [3.0, 1.0, 0.9]).plot(ax).ax_,
        lambda ax: gm.plots.EmbeddingDisplay.from_estimator(km, graphs, ax=ax).ax_,
        lambda ax: gm.plots.PrototypeDisplay.from_estimator(km, ax=ax).ax_,
        lambda ax: gm.plots.draw(graphs[0], ax),
        lambda ax: gm.plots.draw_alignment(graphs[0], graphs[1], ax=ax),
        lambda ax: gm.plots.contact_sheet(graphs[:5], ax),
        lambda ax: gm.plots.draw_cluster(km, graphs, 0, ax),
    ):
        figure, (first, second) = plt.subplots(1, 2, figsize=(6, 3))
        assert draw(second) is second
        assert not first.collections
        assert not first.child_axes
        figure.canvas.draw()


def test_arrays_can_be_displayed_too():
    rows = np.random.default_rng(0).normal(size=(30, 3)) + np.repeat([[0], [6]], 15, axis=0)
    km = gm.GraphKMeans(2, algorithm="lloyd", init="k-means++", n_init=1, random_state=0).fit(rows)
    display = gm.plots.EmbeddingDisplay.from_estimator(km, rows)
    assert display.means is None
    assert gm.plots.SilhouetteDisplay.from_estimator(km, rows).index > 0.5


def test_what_does_not_fit_is_refused(lettered):
    graphs, _, km = lettered
    with pytest.raises(GraphError, match="fitted to 150 graphs, not to 3"):
        gm.plots.EmbeddingDisplay.from_estimator(km, graphs[:3])
    with pytest.raises(GraphError, match="fitted to 150 graphs, not to 3"):
        gm.plots.draw_cluster(km, graphs[:3], 0)
    with pytest.raises(GraphError, match="no cluster 15"):
        gm.plots.draw_cluster(km, graphs, 15)
    with pytest.raises(GraphError, match="1 titles for 2 graphs"):
        gm.plots.contact_sheet(graphs[:2], titles=["x"])
    with pytest.raises(GraphError, match="columns must be at least 1"):
        gm.plots.contact_sheet(graphs[:2], columns=0)
    with pytest.raises(GraphError, match="at least two clusters"):
        gm.plots.SilhouetteDisplay.from_estimator(fitted(graphs[:5], 1, algorithm="elkan"), graphs[:5])
    with pytest.raises(ValueError, match="not fitted"):
        gm.plots.PrototypeDisplay.from_estimator(gm.GraphKMeans(2))


def test_samples_are_spread_over_clusters():
    labels = np.repeat([0, 1, 2], [1000, 50, 2])
    chosen = spread_sample(labels, 60)
    assert len(chosen) == 60
    assert np.bincount(labels[chosen]).tolist() == [29, 29, 2]
    assert np.array_equal(spread_sample(labels, 5000), np.arange(1052))


def test_alignments_are_those_of_the_estimator(lettered):
    graphs, _, km = lettered
    ours = align_to_center(km.space_, points_of(km, graphs[:20]), centers_of(km), km.labels_[:20])
    theirs = km.align(graphs[:20])
    for i in range(20):
        if km.predict([graphs[i]])[0] == km.labels_[i]:
            assert np.array_equal(ours.mapping(i), theirs[i].indices)


def test_near_clusters_have_different_colours():
    centers = np.random.default_rng(0).normal(size=(60, 2))
    colours = hues(centers, len(COLOURS))
    assert set(colours) == set(range(len(COLOURS)))
    apart = np.linalg.norm(centers[:, None] - centers[None], axis=2) + 9 * np.eye(60)
    assert np.mean([colours[i] != colours[apart[i].argmin()] for i in range(60)]) > 0.9


def test_graphs_that_are_hard_to_draw():
    for graph in (
        Graph(0),
        Graph(1),
        Graph(4),
        Graph([[0.0, 0.0]] * 3, [(0, 1)]),
        Graph({"a": ["$x$", "_^\\"]}, [(0, 1)]),
    ):
        gm.plots.draw(graph).figure.canvas.draw()
    gm.plots.contact_sheet([]).figure.canvas.draw()
