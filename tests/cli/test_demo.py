"""What the demo promises: fifteen mean letters, each its own prototype's, found without being told."""

from collections import Counter

import numpy as np
import pytest

import graphmeans as gm
from graphmeans import GraphKMeans


@pytest.fixture(scope="module")
def fitted(tmp_path_factory):
    """The estimator and the letters of the demo, caught while the command runs."""
    from typer.testing import CliRunner

    from graphmeans.cli import app

    caught = {}
    original = GraphKMeans.fit

    def fit(self, X, y=None, sample_weight=None):
        caught.update(estimator=self, graphs=X, y=y, weight=sample_weight)
        return original(self, X, y, sample_weight)

    patch = pytest.MonkeyPatch()
    patch.setattr(GraphKMeans, "fit", fit)
    try:
        result = CliRunner().invoke(app, ["demo", "-o", str(tmp_path_factory.mktemp("demo")), "--quiet"])
    finally:
        patch.undo()
    assert result.exit_code == 0, result.output
    return caught


def test_the_classes_never_reach_fit(fitted):
    assert fitted["y"] is None
    assert fitted["weight"] is None
    for graph in fitted["graphs"]:
        assert set(graph.nodes) == {"x", "y"}
        assert graph.roles is None


def test_names_make_no_difference(fitted):
    anonymous = [gm.Graph(g.nodes, g.edges) for g in fitted["graphs"]]
    again = gm.GraphKMeans(**fitted["estimator"].get_params()).fit(anonymous)
    np.testing.assert_array_equal(again.labels_, fitted["estimator"].labels_)


def test_every_mean_letter_is_nearest_to_its_own_prototype(fitted):
    estimator, graphs = fitted["estimator"], fitted["graphs"]
    letters = np.array([graph.name.split("_")[0] for graph in graphs])
    own = [Counter(letters[estimator.labels_ == c]).most_common(1)[0][0] for c in range(15)]
    prototypes = gm.datasets.letter_prototypes()
    assert sorted(own) == sorted(prototypes)
    pictures = [mean.cut(0.5) for mean in estimator.centroids()]
    distances = gm.pairwise_distances(pictures, list(prototypes.values()), encoder=estimator.encoder_)
    nearest = [list(prototypes)[i] for i in distances.argmin(axis=1)]
    assert nearest == own
