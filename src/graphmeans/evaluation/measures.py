"""Accuracy by majority class, the silhouette index of the paper, the k-means objective, and the cost of a standard k-means."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import silhouette_samples
from sklearn.metrics.cluster import contingency_matrix
from sklearn.utils import check_random_state

from graphmeans.evaluation.fitted import spread_sample
from graphmeans.functions import check_weights, pairwise_distances
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.errors import GraphError
from graphmeans.space import GraphSpace


def accuracy(y: ArrayLike, labels: ArrayLike) -> float:
    """Compute the share of graphs whose class is the majority class of their cluster.

    Parameters
    ----------
    y : array of shape (N,)
        The known classes.
    labels : array of shape (N,)
        The cluster of each graph.

    Returns
    -------
    float
        The share.

    See Also
    --------
    silhouette : Needs no classes.

    Examples
    --------
    >>> from graphmeans.evaluation import accuracy
    >>> accuracy(["A", "A", "B", "B"], [0, 0, 0, 1])
    0.75
    """
    classes, labels = np.asarray(y), np.asarray(labels)
    if classes.shape != labels.shape or classes.ndim != 1:
        raise GraphError(f"classes and labels must be two lists of one length, got {classes.shape} and {labels.shape}")
    if not len(classes):
        raise GraphError("accuracy needs at least one graph")
    return float(contingency_matrix(labels, classes).max(axis=1).sum() / len(classes))


def silhouette(
    graphs: Iterable[Any] | FloatArray, labels: ArrayLike, *, sample_size: int | None = None,
    random_state: int | np.random.RandomState | None = None, **metric: Any,
) -> float:  # fmt: skip
    """Compute the paper's silhouette index: the mean over clusters of the mean silhouette width of their members.

    A graph alone in its cluster has the width 0. (scikit-learn averages over samples instead of clusters.)

    Parameters
    ----------
    graphs : collection of graphs, or array of shape (N, N)
        The graphs, or their distances.
    labels : array of shape (N,)
        The cluster of each graph.
    sample_size : int, optional
        For large collections: take at most this many random members of each cluster (at least 2).
    random_state : int, RandomState or None, optional
        Seed of that sample.
    **metric
        The parameters matcher, order, encoder, node_weight, edge_weight and n_jobs of `pairwise_distances`.

    Returns
    -------
    float
        The index, between -1 and 1.

    See Also
    --------
    plots.SilhouetteDisplay : Draws the widths.

    References
    ----------
    .. [1] P. J. Rousseeuw, "Silhouettes: a graphical aid to the interpretation and validation of cluster analysis", Journal of
       Computational and Applied Mathematics 20, 1987.

    Examples
    --------
    >>> import numpy as np
    >>> from graphmeans.evaluation import silhouette
    >>> silhouette(np.array([[0.0, 1.0, 4.0], [1.0, 0.0, 4.0], [4.0, 4.0, 0.0]]), [0, 0, 1])
    0.375
    """
    labels = np.asarray(labels)
    given = isinstance(graphs, np.ndarray) and graphs.ndim == 2
    items: Any = graphs if given else to_graphs(graphs)
    if labels.shape != (len(items),):
        raise GraphError(f"labels has shape {labels.shape} for {len(items)} graphs")
    if sample_size is not None:
        chosen = _sample(labels, sample_size, check_random_state(random_state))
        labels = labels[chosen]
        items = items[np.ix_(chosen, chosen)] if given else [items[i] for i in chosen]
    elif random_state is not None:
        raise GraphError("random_state means nothing without sample_size")
    if given and metric:
        raise GraphError(f"{next(iter(metric))} means nothing where distances are given")
    distances = np.asarray(items, dtype=np.float64) if given else pairwise_distances(items, **metric)
    if distances.shape != (len(labels), len(labels)):
        raise GraphError(f"distances must be a square array, got shape {distances.shape}")
    widths = silhouette_widths(distances, labels)
    return float(np.mean([widths[labels == label].mean() for label in np.unique(labels)]))


def silhouette_widths(distances: FloatArray, labels: NDArray[Any]) -> FloatArray:
    """The silhouette width of each graph, from the distances of all pairs; 0 for a graph alone in its cluster."""
    n_clusters = len(np.unique(labels))
    if n_clusters < 2:
        raise GraphError("the silhouette index needs at least two clusters")
    if n_clusters == len(labels):  # scikit-learn refuses this case
        return np.zeros(len(labels))
    return np.asarray(silhouette_samples(distances, labels, metric="precomputed"))


#: Members of a cluster that a graph is compared with where not all pairs can be matched.
REFERENCES = 4


def silhouette_from_references(
    space: GraphSpace, points: GraphBatch, labels: IntArray, near: IntArray, most: int, random_state: int = 0
) -> tuple[float, int, int]:
    """The silhouette index, estimated from few pairs: also where a sample would have hardly more than a graph of each cluster.

    Each graph is compared with a few members of its own cluster, and with a few of each of the clusters whose centers are
    nearest to its own, of which one is nearest to it. Mean distances over a few members are right on average.

    Parameters
    ----------
    space : GraphSpace
    points : GraphBatch
    labels : int array
    near : int array of shape (k, m)
        The nearest other clusters of each.
    most : int
        About the largest number of matchings.
    random_state : int

    Returns
    -------
    index : float
    n_graphs : int
        How many graphs were compared.
    n_matchings : int
    """
    random = np.random.RandomState(random_state)
    members = {int(label): np.flatnonzero(labels == label) for label in np.unique(labels)}
    references = {label: random.permutation(own)[: REFERENCES + 1] for label, own in members.items()}
    chosen = spread_sample(labels, max(len(members), most // (REFERENCES * (1 + near.shape[1]))), random_state)
    pairs, group = [], []  # group: the position of the graph, and 0 for its own cluster or the number of the neighbour
    for i, g in enumerate(chosen.tolist()):
        for which, label in enumerate([int(labels[g]), *near[labels[g]].tolist()]):
            others = references.get(label, np.zeros(0, dtype=np.int64))
            others = others[others != g][:REFERENCES]
            pairs.append(np.stack([np.full(len(others), g), others], axis=1))
            group.append(np.full(len(others), i * (1 + near.shape[1]) + which))
    listed, where = np.concatenate(pairs), np.concatenate(group)
    distances = space.match(points, points, listed).upper
    shape = len(chosen), 1 + near.shape[1]
    count = np.bincount(where, minlength=shape[0] * shape[1])
    with np.errstate(invalid="ignore"):
        mean = (np.bincount(where, distances, minlength=len(count)) / count).reshape(shape)
    own, other = mean[:, 0], np.nanmin(np.where(np.isnan(mean[:, 1:]), np.inf, mean[:, 1:]), axis=1, initial=np.inf)
    with np.errstate(invalid="ignore", divide="ignore"):
        widths = (other - own) / np.maximum(own, other)
    widths[~np.isfinite(widths)] = 0.0  # alone in its cluster, or all distances are 0
    index = float(np.mean([widths[labels[chosen] == label].mean() for label in np.unique(labels[chosen])]))
    return index, len(chosen), len(listed)


def objective(
    graphs: Iterable[Any], labels: ArrayLike, centers: Iterable[Any], *, sample_weight: ArrayLike | None = None,
    **metric: Any,
) -> float:  # fmt: skip
    """Compute the k-means objective J, with all graphs matched again.

    It is the weighted sum of squared distances of the graphs to their centers.

    Parameters
    ----------
    graphs : collection of graphs
        The graphs, as objects of one kind.
    labels : array of shape (N,)
        Positions in `centers`.
    centers : collection of graphs
        Mean graphs, for example ``km.centroids()``.
    sample_weight : array of shape (N,), optional
        What each graph weighs. None stands for 1 each.
    **metric
        As in `silhouette`; pass ``encoder=km.encoder_`` to measure as the estimator did.

    Returns
    -------
    float
        The objective.

    See Also
    --------
    GraphKMeans.score : Minus the objective with the nearest centers.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.evaluation.objective([gm.Graph([[0.0]]), gm.Graph([[2.0]])], [0, 0], [gm.Graph([[1.0]])])
    2.0
    """
    items, targets = to_graphs(graphs), to_graphs(centers)
    labels = np.asarray(labels)
    if labels.shape != (len(items),):
        raise GraphError(f"labels has shape {labels.shape} for {len(items)} graphs")
    if len(labels) and not (labels.min() >= 0 and labels.max() < len(targets)):
        raise GraphError(f"labels must be positions among the {len(targets)} centers")
    distances = pairwise_distances(items, targets, **metric)
    weights = check_weights(sample_weight, len(items))
    return float(weights @ distances[np.arange(len(items)), labels] ** 2)


def standard_matchings(n_graphs: int, n_clusters: int) -> int:
    """Matchings of one iteration of a standard k-means: kN to assign the graphs, and one of each graph for the means."""
    return (n_clusters + 1) * n_graphs


def _sample(labels: NDArray[Any], size: int, random: np.random.RandomState) -> IntArray:
    if size < 2:
        raise GraphError(f"sample_size must be at least 2, got {size}")
    members = [np.flatnonzero(labels == label) for label in np.unique(labels)]
    parts = [m if len(m) <= size else random.choice(m, size, replace=False) for m in members]
    return np.sort(np.concatenate(parts))
