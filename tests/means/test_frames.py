"""`Frames`: distances along alignments, against plain dense arrays."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
import oracle
from graphmeans.means.frames import Frames
from strategies import Kind, random_collection


@pytest.mark.parametrize("kind", [Kind(2, 1), Kind(0, 2), Kind(1, 2, directed=True), Kind(0, 1, directed=True)])
def test_aligned_distances_are_those_of_dense_arrays(kind):
    rng = np.random.default_rng(3)
    graphs = random_collection(3, kind, 12, max_nodes=6, min_nodes=0)
    batch = gm.GraphEncoder(numbers="keep").fit_transform(graphs)
    places = 9
    frames = Frames(3, batch, places)
    frames.size[:] = places
    flat = np.concatenate([rng.permutation(places)[:n] for n in batch.sizes]).astype(np.int64)
    frame, weight = rng.integers(0, 3, 12), rng.uniform(0.5, 2.0, 12)
    frames.add(batch, np.arange(12), frame, flat.copy(), batch.node_ptr, weight)

    def laid_out(g, places_of):
        nodes, edges = np.zeros((places, kind.dv)), np.zeros((places, places, kind.de))
        nodes[places_of] = oracle.node_values(graphs[g])
        for (i, j), value in zip(graphs[g].edges, oracle.edge_values(graphs[g]), strict=True):
            edges[places_of[i], places_of[j]] = value
            if not kind.directed:
                edges[places_of[j], places_of[i]] = value
        return oracle.Dense(nodes, edges)

    own = [flat[batch.node_ptr[g] : batch.node_ptr[g + 1]] for g in range(12)]
    averages = [
        oracle.average([laid_out(g, own[g]) for g in np.flatnonzero(frame == k)], weight[frame == k]) for k in range(3)
    ]
    # Each graph along its alignment to another frame's average, in no order, one of them twice.
    which, to = np.array([5, 0, 11, 3, 3, 8, 2]), np.array([2, 0, 1, 0, 2, 2, 1])
    mappings = np.concatenate([own[g] for g in which])
    ptr = np.concatenate([[0], np.cumsum(batch.sizes[which])])
    expected = [np.sqrt(oracle.squared(laid_out(g, own[g]), averages[k])) for g, k in zip(which, to, strict=True)]
    np.testing.assert_allclose(frames.aligned_distances(batch, which, to, mappings, ptr), expected, rtol=1e-12)
    # A node that is matched with nothing costs its own square, and so do its edges.
    none = np.full(len(mappings), -1)
    apart = [np.sqrt(batch.squared_norms[g] + oracle.inner(averages[k], averages[k])) for g, k in zip(which, to, strict=True)]
    np.testing.assert_allclose(frames.aligned_distances(batch, which, to, none, ptr), apart, rtol=1e-12)
