"""Every estimator takes a collection on disk, for fitting and for everything after it."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.io import write_parquet

pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'graphmeans[dask]'")

ESTIMATORS = {
    "kmeans": lambda: gm.GraphKMeans(4, random_state=0),
    "lloyd": lambda: gm.GraphKMeans(4, algorithm="lloyd", max_iter=3, random_state=0),
    "minibatch": lambda: gm.MiniBatchGraphKMeans(4, batch_size=40, random_state=0),
    "kmedoids": lambda: gm.GraphKMedoids(4, random_state=0),
    "centroid": lambda: gm.GraphNearestCentroid(2, random_state=0),
}


@pytest.fixture(scope="module")
def letters(tmp_path_factory):
    graphs, classes = gm.datasets.make_letters(120, random_state=0)
    path = tmp_path_factory.mktemp("lazy") / "letters.parquet"
    write_parquet(graphs, path, rows_per_group=50)
    return graphs, classes, gm.open_collection(path)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_collection_on_disk_gives_what_a_list_gives(name, letters):
    graphs, classes, collection = letters
    weights = np.random.default_rng(0).uniform(0.5, 2.0, 120)
    listed, lazy = (ESTIMATORS[name]().fit(X, classes, sample_weight=weights) for X in (graphs, collection))
    np.testing.assert_array_equal(lazy.labels_, listed.labels_)
    np.testing.assert_allclose(lazy.distances_, listed.distances_, atol=1e-9)
    np.testing.assert_array_equal(lazy.predict(collection), listed.predict(graphs))
    np.testing.assert_allclose(lazy.transform(collection), listed.transform(graphs), atol=1e-9)
    np.testing.assert_allclose(lazy.margins(collection), listed.margins(graphs), atol=1e-9)
    np.testing.assert_allclose(lazy.outlier_scores(collection), listed.outlier_scores(graphs), atol=1e-9)
    assert [m.upper for m in lazy.align(collection)] == pytest.approx([m.upper for m in listed.align(graphs)])
    assert all(isinstance(mean, gm.MeanGraph) for mean in lazy.centroids())


def test_a_stream_of_collections(letters):
    graphs, _, collection = letters
    listed, lazy = (gm.MiniBatchGraphKMeans(4, order=12, random_state=0) for _ in range(2))
    for _ in range(2):
        listed.partial_fit(graphs)
        lazy.partial_fit(collection)
    np.testing.assert_array_equal(lazy.labels_, listed.labels_)
    np.testing.assert_allclose(lazy.counts_, listed.counts_)
