"""
Six methods on nearest neighbors
================================

DBSCAN, HDBSCAN, UMAP, t-SNE, spectral clustering and a kNN classifier on the nearest neighbors of graphs.

Each of them takes a sparse matrix with the distances of every graph to its nearest neighbors. An index finds these neighbors,
so that nothing of size N x N is ever made; ``python benchmarks/search.py neighbors`` does the same with 20,000 graphs.
"""

from __future__ import annotations

import warnings
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from scipy.sparse.csgraph import connected_components
from sklearn.cluster import DBSCAN, HDBSCAN, SpectralClustering
from sklearn.manifold import TSNE
from sklearn.metrics import adjusted_rand_score
from sklearn.neighbors import KNeighborsClassifier, NearestNeighbors, sort_graph_by_row_values

import graphmeans as gm


def dbscan(graphs: list[gm.Graph], letters: Any, near: Any) -> str:
    """Groups of any shape. The radius must be one at which nobody has more neighbors than the matrix holds, or few have."""
    radius = float(np.quantile(near.data.reshape(len(graphs), -1)[:, 9], 0.5))
    inside = gm.GraphIndex().fit(graphs).radius_neighbors_graph(radius=radius, mode="distance")
    labels = DBSCAN(eps=radius, min_samples=10, metric="precomputed").fit_predict(inside)
    return f"{labels.max() + 1} groups, {np.mean(labels < 0):.0%} in none, {_agreement(letters, labels)}"


def hdbscan(graphs: list[gm.Graph], letters: Any, near: Any) -> str:
    """Groups of different densities. They lie in one tree, so parts of the collection that are not connected are joined first."""
    labels = HDBSCAN(min_cluster_size=15, min_samples=5, metric="precomputed", copy=True).fit_predict(connected(near))
    return f"{labels.max() + 1} groups, {np.mean(labels < 0):.0%} in none, {_agreement(letters, labels)}"


def umap(graphs: list[gm.Graph], letters: Any, near: Any) -> str:
    """A map by UMAP, which takes neighbors as two arrays, every graph being its own nearest."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            from umap import UMAP
    except ImportError:
        return "skipped: umap-learn is not installed (pip install umap-learn)"
    n, k = len(graphs), near.nnz // len(graphs)
    indices = np.column_stack([np.arange(n), near.indices.reshape(n, k)])
    distances = np.column_stack([np.zeros(n), near.data.reshape(n, k)])
    model = UMAP(n_neighbors=k + 1, precomputed_knn=(indices, distances, None), random_state=0, n_jobs=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        places = model.fit_transform(np.zeros((n, 1), dtype=np.float32))  # its numbers are not used: the neighbors are given
    return f"{_on_map(letters, places):.0%} of the graphs are beside one of their own letter"


def tsne(graphs: list[gm.Graph], letters: Any, near: Any) -> str:
    """A map by t-SNE, which wants three neighbors for each unit of perplexity."""
    places = tsne_places(near)
    return f"{_on_map(letters, places):.0%} of the graphs are beside one of their own letter"


def tsne_places(near: Any) -> Any:
    """Where t-SNE puts the graphs."""
    per_row = near.nnz // near.shape[0]
    model = TSNE(metric="precomputed", init="random", perplexity=(per_row - 1) / 3, random_state=0)
    return model.fit_transform(with_itself(near))


def spectral(graphs: list[gm.Graph], letters: Any, near: Any) -> str:
    """Spectral clustering of the graph of neighbors: each distance relative to those that are usual for both of its ends."""
    usual = near.data.reshape(len(graphs), -1)[:, 6]
    like = near.tocoo()
    like.data = np.exp(-(like.data**2) / np.maximum(usual[like.row] * usual[like.col], 1e-12))
    like = like.tocsr()
    both = (like + like.T) * 0.5
    model = SpectralClustering(len(set(letters)), affinity="precomputed", assign_labels="cluster_qr", random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        labels = model.fit_predict(both)
    return f"{len(set(labels))} groups, {_agreement(letters, labels)}"


def knn(graphs: list[gm.Graph], letters: Any, near: Any) -> str:
    """A classifier: the index is its memory, and is asked for the neighbors of what is new."""
    half = len(graphs) // 2
    index = gm.GraphIndex().fit(graphs[:half])
    model = KNeighborsClassifier(5, metric="precomputed", weights="distance")
    model.fit(with_itself(index.kneighbors_graph(n_neighbors=5, mode="distance")), letters[:half])
    new = index.kneighbors_graph(graphs[half:], n_neighbors=5, mode="distance")
    return f"{np.mean(model.predict(new) == letters[half:]):.1%} of {len(graphs) - half} new graphs are told right"


METHODS = {
    "DBSCAN": dbscan, "HDBSCAN": hdbscan, "UMAP": umap, "t-SNE": tsne, "spectral clustering": spectral, "kNN classifier": knn,
}  # fmt: skip


def with_itself(near: Any) -> Any:
    """The neighbors of known graphs, each of which is its own nearest."""
    near = near.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says that this makes room for new entries
        near.setdiag(0.0)
    return sort_graph_by_row_values(near, warn_when_not_sorted=False)


def connected(near: Any) -> Any:
    """Distances both ways, with an edge that is longer than all others between parts that nothing else connects."""
    both = near.maximum(near.T).tolil()
    count, part = connected_components(both, directed=False)
    first = [int(np.flatnonzero(part == c)[0]) for c in range(count)]
    for other in first[1:]:
        both[first[0], other] = both[other, first[0]] = 2.0 * near.data.max()
    return both.tocsr()


def _agreement(letters: Any, labels: Any) -> str:
    grouped = labels >= 0
    return f"Rand index with the letters {adjusted_rand_score(letters[grouped], labels[grouped]):.2f}"


def _on_map(letters: Any, places: Any) -> float:
    beside = NearestNeighbors(n_neighbors=2).fit(places).kneighbors(places, return_distance=False)[:, 1]
    return float(np.mean(letters[beside] == letters))


if __name__ == "__main__":
    graphs, letters = gm.datasets.make_letters(400, random_state=0)
    near = gm.GraphIndex().fit(graphs).kneighbors_graph(n_neighbors=30, mode="distance")
    for name, method in METHODS.items():
        if name != "t-SNE":
            print(f"{name}: {method(graphs, letters, near)}")
    places = tsne_places(near)
    found = _on_map(letters, places)
    print(f"t-SNE: agreement with the letters, of neighbors on the map: {found:.2f}")
    figure, axes = plt.subplots(figsize=(6, 5))
    for letter in sorted(set(letters)):
        own = places[letters == letter]
        axes.scatter(own[:, 0], own[:, 1], s=10)
        axes.annotate(letter, np.median(own, axis=0), fontsize=16, ha="center", va="center")
    axes.set(xticks=[], yticks=[])
    plt.show()
