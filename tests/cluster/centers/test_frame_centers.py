"""A stream of graphs goes on where a saved model left off."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.cluster.centers.frame_centers import FrameCenters
from strategies import Kind, random_collection


@pytest.mark.parametrize(
    "kind", [Kind(2, 1), Kind(1, 2, directed=True), Kind(0, 1), Kind(1, 1, roles=("a", "b"))], ids=str
)
def test_the_sums_are_what_they_were(kind):
    graphs = random_collection(1, kind, 60, max_nodes=4, min_nodes=1, classes=3, noise=0.4)
    km = gm.MiniBatchGraphKMeans(3, random_state=0, order={"a": 4, "b": 4} if kind.roles else 4)
    for start in range(0, 60, 20):
        km.partial_fit(graphs[start : start + 20])
    again = FrameCenters.from_means(km.space_, km._centers, km.counts_)
    old, new = km._stream.as_centers(), again.as_centers()
    np.testing.assert_allclose(again.frames.total, km._stream.frames.total)
    np.testing.assert_allclose(np.sort(new.node_support), np.sort(old.node_support))
    np.testing.assert_allclose(np.sort(new.edge_support, axis=None), np.sort(old.edge_support, axis=None))
    between = km.space_.match(old.batch, new.batch, np.stack([np.arange(3)] * 2, axis=1)).upper
    np.testing.assert_allclose(between, 0, atol=1e-9)
    for sums in ("nodes", "edges", "node_weight", "edge_weight"):
        a, b = getattr(km._stream.frames, sums), getattr(again.frames, sums)
        np.testing.assert_allclose(b.sum(), a.sum(), atol=1e-9)


def test_a_stream_goes_on_after_loading(tmp_path):
    letters, y = gm.datasets.make_letters(300, random_state=0)
    km = gm.MiniBatchGraphKMeans(15, order=12, random_state=0)
    km.partial_fit(letters[:150])
    km.save(tmp_path / "stream.gmz")
    twin = gm.load(tmp_path / "stream.gmz")
    for start in (150, 200, 250):
        km.partial_fit(letters[start : start + 50])
        twin.partial_fit(letters[start : start + 50])
    assert twin.n_steps_ == km.n_steps_ == 4
    np.testing.assert_allclose(twin.counts_, km.counts_)
    assert twin.score(letters) == pytest.approx(km.score(letters), rel=1e-6)
    assert gm.evaluation.accuracy(y, twin.predict(letters)) > 0.6
