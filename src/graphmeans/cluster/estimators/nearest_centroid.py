"""`GraphNearestCentroid`: a graph belongs to the class of the nearest mean graph."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import column_or_1d

from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.initialization import initialize
from graphmeans.cluster.algorithms.interval import interval
from graphmeans.cluster.context import CountedMatcher, FitContext
from graphmeans.cluster.engines.threads import ThreadEngine
from graphmeans.cluster.estimators.base import GraphEstimator
from graphmeans.cluster.estimators.validation import check_parameters
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray, concatenate
from graphmeans.graphs.convert import collect
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.fixed import alignments_are_fixed
from graphmeans.matching.match import Matcher
from graphmeans.matching.registry import get_matcher
from graphmeans.means.frames import Centers
from graphmeans.means.method import MeanMethod, compute_means
from graphmeans.means.registry import get_mean
from graphmeans.means.staged import staged_means
from graphmeans.space import GraphSpace, Order

#: Classes of more graphs than this have their mean found in stages, with this share of the effort.
LARGE, LIGHT = 100, 0.2


class GraphNearestCentroid(ClassifierMixin, GraphEstimator):
    """Nearest-prototype classification of whole graphs.

    Each class is summed up by its mean graph, or by several: the centers of k-means among its members. A new graph gets the
    class of the nearest. What was learned can be looked at (`centroids`), and a graph that is far from everything says so
    (`outlier_scores`).

    Parameters
    ----------
    n_prototypes : int, default=1
        The number of mean graphs of each class; a class with fewer graphs has as many as it has graphs.
    min_support : float, default=0.05
        In classes of more than 100 graphs, nodes and edges that a smaller share of them has are left out of their mean. They
        hardly change distances, but they are most of the nodes of the mean of many graphs, and every matching pays for them.
        With 0 nothing is left out.
    mean : {"auto", "lifted", "incremental", "subgradient", "set"} or MeanMethod, default="lifted"
        How the mean of a class is found; "auto" is "lifted". Several prototypes are always lifted. In classes of more than
        100 graphs the lifted mean is found from 50 of them, and then from all, with a fifth of the effort.
    matcher : {"auto", "exact", "search", "graduated"} or Matcher, default="auto"
        What aligns two graphs. "auto" is exact for small graphs and a search for larger ones.
    effort : float, default=1.0
        How hard "auto" and "search" look for the best alignment of larger graphs, relative to the default.
    encoder : {"auto", "molecule", "series"} or GraphEncoder, default="auto"
        How attributes become numbers; it is cloned and fitted.
    node_weight : float, default=1.0
        What squared differences of nodes are multiplied by.
    edge_weight : float, default=1.0
        What squared differences of edges are multiplied by.
    order : "auto", int, mapping role -> int, or None, default="auto"
        How many nodes (of each role) the space foresees; see `match`.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Who solves pairs of graphs of more than ten nodes. "auto": a GPU, where there is one and the work is worth the trip.
    n_jobs : int or None, default=None
        The number of threads; None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        The seed of everything that is drawn.

    Attributes
    ----------
    classes_ : array
        The classes, sorted.
    prototype_classes_ : array of shape (number of prototypes,)
        The position in `classes_` of the class of each prototype.
    cluster_centers_ : GraphBatch, or array for array input
        The prototypes, encoded.
    labels_ : array of shape (N,)
        The nearest prototype of each graph among those of its own class.
    distances_ : array of shape (N,)
        How far that is.
    spread_ : float
        The (weighted) mean of the squares of these distances.
    encoder_, space_ :
        The fitted encoder and the metric space.

    See Also
    --------
    GraphKMeans : Finds groups where there are no classes.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, letters = gm.datasets.make_letters(150, random_state=0)
    >>> clf = gm.GraphNearestCentroid(random_state=0).fit(graphs[:100], letters[:100])
    >>> bool(clf.score(graphs[100:], letters[100:]) > 0.9)
    True
    """

    def __init__(
        self,
        n_prototypes: int = 1,
        *,
        min_support: float = 0.05,
        mean: str | MeanMethod = "lifted",
        matcher: str | Matcher = "auto",
        effort: float = 1.0,
        encoder: Any = "auto",
        node_weight: float = 1.0,
        edge_weight: float = 1.0,
        order: Order = "auto",
        device: str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_prototypes = n_prototypes
        self.min_support = min_support
        self.mean = mean
        self.matcher = matcher
        self.effort = effort
        self.encoder = encoder
        self.node_weight = node_weight
        self.edge_weight = edge_weight
        self.order = order
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> GraphNearestCentroid:
        """Find the mean graphs of each class.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind. A collection on disk is read into memory.
        y : array of shape (N,)
            The classes.
        sample_weight : array of shape (N,), default=None
            What each graph weighs in the mean of its class. None stands for 1 each.

        Returns
        -------
        GraphNearestCentroid
            The estimator itself.
        """
        self._check_parameters()
        encoder, space, data = self._take_in(collect(X), sample_weight)
        classes, points, weights = self._check_classes(y, len(data)), data.batch, data.weights
        members = [np.flatnonzero((classes == c) & (weights > 0)) for c in range(len(self.classes_))]
        empty = [c for c, own in enumerate(members) if not len(own)]
        if empty:
            raise GraphError(f"class {self.classes_[empty[0]]!r} has no graph with a weight")
        random = check_random_state(self.random_state)
        if self.n_prototypes == 1:
            groups = [random.permutation(own) for own in members]
            prototypes = self._means(points, groups, weights, space, random)
            count = np.ones(len(members), dtype=np.int64)
        else:
            parts = [self._several(points.take(own), weights[own], space, random) for own in members]
            prototypes, count = _together(parts), np.array([len(part) for part in parts])
        self._keep_centers(encoder, space, prototypes)
        self.prototype_classes_ = np.repeat(np.arange(len(members)), count)
        self.labels_, self.distances_ = self._own_nearest(points, classes)
        self.spread_ = float(np.average(self.distances_**2, weights=weights))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Find the class of the nearest prototype of each graph.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.

        Returns
        -------
        array of shape (N,)
            The class of each graph.
        """
        nearest = self._nearest(X).label
        return np.asarray(self.classes_[self.prototype_classes_[nearest]])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Estimate how probable each class is, from the distances to its nearest prototype.

        The probability of a class is taken to be proportional to exp(-d^2 / 2 s^2), where d is the distance to its nearest
        prototype and s^2 the mean of the squared distances of the fitted graphs to theirs: classes of equal spread about their
        prototypes. The most probable class is the one that `predict` gives. Probabilities are not calibrated.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.

        Returns
        -------
        array of shape (N, number of classes)
            The probabilities; the classes are in the order of `classes_`.
        """
        squares = self.transform(X) ** 2
        nearest = np.stack([squares[:, self.prototype_classes_ == c].min(axis=1) for c in range(len(self.classes_))], axis=1)
        spread = float(getattr(self, "spread_", np.mean(self.distances_**2)))  # older files do not have it
        beyond = nearest - nearest.min(axis=1, keepdims=True)
        shares = np.exp(-beyond / (2.0 * spread)) if spread > 0 else (beyond == 0).astype(np.float64)
        return np.asarray(shares / shares.sum(axis=1, keepdims=True))

    def _means(
        self, points: GraphBatch, groups: list[IntArray], weights: FloatArray, space: GraphSpace, random: np.random.RandomState
    ) -> Centers:
        """The mean of each class; of large classes without what hardly any member has."""
        if not self._is_lifted:
            return compute_means(get_mean(self.mean), space.solve, points, groups, weights, space.order, random).centers
        fixed = alignments_are_fixed(space.order, points)  # then a matching costs nothing
        is_large = np.array([len(own) > LARGE and self.min_support > 0 and not fixed for own in groups])
        large, small = ([own for own, one in zip(groups, is_large, strict=True) if one == big] for big in (True, False))
        parts = []
        if large:
            named = isinstance(self.matcher, str) and self.matcher in ("auto", "search")
            light = replace(space, matcher=get_matcher(self.matcher, LIGHT * self.effort)) if named else space
            parts.append(staged_means(light.solve, points, large, weights, space.order, random, float(self.min_support)))
        if small:
            lifted = get_mean("lifted")
            parts.append(compute_means(lifted, space.solve, points, small, weights, space.order, random).centers)
        return _together(parts).take(np.argsort(np.argsort(~is_large, kind="stable")))

    @property
    def _is_lifted(self) -> bool:
        return isinstance(self.mean, str) and self.mean in ("auto", "lifted")

    def _check_parameters(self) -> None:
        check_parameters(self.get_params(deep=False))
        if self.n_prototypes > 1 and not self._is_lifted:
            raise GraphError(f"several prototypes are lifted means; mean={self.mean!r} would have no effect")
        default = 0.05
        if self.min_support != default and (self.n_prototypes > 1 or not self._is_lifted):
            raise GraphError("min_support is for classes with one lifted mean each; it would have no effect")

    def _check_classes(self, y: ArrayLike, count: int) -> IntArray:
        """Classes as positions in `classes_`."""
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        check_classification_targets(y)
        given = column_or_1d(y, warn=True)
        if len(given) != count:
            raise GraphError(f"y has {len(given)} classes for {count} graphs")
        self.classes_, classes = np.unique(given, return_inverse=True)
        if len(self.classes_) < 2:
            raise GraphError("y has one class; a classifier needs at least two classes")
        return np.asarray(classes.reshape(-1), dtype=np.int64)

    def _several(
        self, points: GraphBatch, weights: FloatArray, space: GraphSpace, random: np.random.RandomState
    ) -> Centers:
        """The centers of k-means among the members of a class."""
        seed = int(random.randint(np.iinfo(np.int32).max))
        context, matcher = FitContext.in_memory(points, space, get_mean("lifted"), seed, weights), CountedMatcher(space)
        k = min(int(self.n_prototypes), len(points))
        seeds = initialize(context, matcher, ThreadEngine(context, matcher, k), k, "k-means++")
        return interval(context, matcher, seeds, History(context, matcher.counters)).centers

    def _own_nearest(self, points: GraphBatch, classes: IntArray) -> tuple[NDArray[np.int32], FloatArray]:
        labels, distances = np.zeros(len(points), dtype=np.int32), np.zeros(len(points))
        for c in range(len(self.classes_)):
            own, prototypes = np.flatnonzero(classes == c), np.flatnonzero(self.prototype_classes_ == c)
            table = self.space_.distances(points.take(own), self._centers.batch.take(prototypes))
            labels[own], distances[own] = prototypes[table.argmin(axis=1)], table.min(axis=1)
        return labels, distances

    def _center_names(self) -> list[str]:
        names = []
        for place, c in enumerate(self.prototype_classes_):
            first = int(np.searchsorted(self.prototype_classes_, c))
            several = int((self.prototype_classes_ == c).sum()) > 1
            names.append(f"class {self.classes_[c]}" + (f", prototype {place - first}" if several else ""))
        return names


def _together(parts: list[Centers]) -> Centers:
    return Centers(
        concatenate([part.batch for part in parts]),
        np.concatenate([part.node_support for part in parts]),
        np.concatenate([part.edge_support for part in parts]),
    )
