"""`GraphKNeighborsClassifier`: a graph belongs to the class of most of its nearest neighbors."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, Union

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d

from graphmeans.cluster.estimators.validation import check_parameters
from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import Matcher
from graphmeans.search.index import GraphIndex
from graphmeans.space import Order

Weights = Union[str, Callable[[FloatArray], FloatArray]]


class GraphKNeighborsClassifier(ClassifierMixin, BaseEstimator):
    """Classification of whole graphs by a vote of the nearest ones, which are found by a `GraphIndex`.

    It follows scikit-learn's `KNeighborsClassifier`. What it says of a graph can be looked at: its neighbors are graphs
    (``clf.index_.query(graph)``), with the alignments that make them near.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many neighbors vote.
    weights : {"uniform", "distance"} or callable, default="uniform"
        What each vote counts: the same, or the inverse of the distance (neighbors at distance 0 then vote alone). A callable
        makes an array of weights of an array of distances.
    encoder : "auto" or GraphEncoder, default="auto"
        How attributes become numbers; it is cloned and fitted. See `GraphKMeans`.
    order : "auto", int, mapping role -> int, or None, default="auto"
        How many nodes (of each role) the space foresees; see `GraphIndex`.
    matcher : {"auto", "exact", "search", "graduated"} or Matcher, default="auto"
        What aligns two graphs. "auto" is exact for small graphs and a search for larger ones.
    effort : float, default=1.0
        How hard "auto" and "search" look for the best alignment of larger graphs, relative to the default.
    node_weight : float, default=1.0
        What squared differences of nodes are multiplied by.
    edge_weight : float, default=1.0
        What squared differences of edges are multiplied by.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Who solves pairs of graphs of more than ten nodes. "auto": a GPU, where there is one and the work is worth the trip.
    n_jobs : int or None, default=None
        The number of threads; None for all cores. Results do not depend on it.

    Attributes
    ----------
    classes_ : array
        The classes, sorted.
    index_ : GraphIndex
        The index of the graphs that were fitted.
    targets_ : int array of shape (N,)
        The position in `classes_` of the class of each fitted graph.

    See Also
    --------
    GraphNearestCentroid : Compares with one mean graph for each class, which takes fewer matchings.
    GraphIndex : The neighbors themselves.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, letters = gm.datasets.make_letters(150, random_state=0)
    >>> clf = gm.GraphKNeighborsClassifier(n_neighbors=3).fit(graphs[:120], letters[:120])
    >>> bool(clf.score(graphs[120:], letters[120:]) > 0.9)
    True
    >>> clf.predict_proba(graphs[120:]).shape
    (30, 15)
    """

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        weights: Weights = "uniform",
        encoder: Any = "auto",
        order: Order = "auto",
        matcher: str | Matcher = "auto",
        effort: float = 1.0,
        node_weight: float = 1.0,
        edge_weight: float = 1.0,
        device: str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.encoder = encoder
        self.order = order
        self.matcher = matcher
        self.effort = effort
        self.node_weight = node_weight
        self.edge_weight = edge_weight
        self.device = device
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike) -> GraphKNeighborsClassifier:
        """Take in graphs and their classes.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind.
        y : array of shape (N,)
            The classes.

        Returns
        -------
        GraphKNeighborsClassifier
            The estimator itself.
        """
        given = self.get_params(deep=False)
        check_parameters(given)
        if y is None:
            raise ValueError(f"{type(self).__name__} requires y to be passed, but the target y is None")
        del given["weights"]
        index = GraphIndex(**given).fit(X)
        check_classification_targets(y)
        targets = column_or_1d(y, warn=True)
        if len(targets) != index.n_samples_fit_:
            raise GraphError(f"y has {len(targets)} classes for {index.n_samples_fit_} graphs")
        self.index_ = index
        self.classes_, positions = np.unique(targets, return_inverse=True)
        self.targets_: IntArray = np.asarray(positions.reshape(-1), dtype=np.int64)
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(index, name):
                setattr(self, name, getattr(index, name))
        return self

    def kneighbors(self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """Find the nearest of the fitted graphs for each graph.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection, default=None
            The graphs. None stands for the fitted graphs, none of which is its own neighbor.
        n_neighbors : int or None, default=None
            How many; None for the parameter of the classifier.
        return_distance : bool, default=True
            Whether to return distances.

        Returns
        -------
        distances : array of shape (N, n_neighbors)
            In increasing order. Only if `return_distance`.
        indices : int array of shape (N, n_neighbors)
            The numbers of the neighbors, in the order of `fit`.
        """
        check_is_fitted(self)
        self.index_.n_jobs, self.index_.device = self.n_jobs, self.device
        return self.index_.kneighbors(X, self.n_neighbors if n_neighbors is None else n_neighbors, return_distance)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Give the share of the votes that each class has.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.

        Returns
        -------
        array of shape (N, number of classes)
            The shares; the classes are in the order of `classes_`.
        """
        distances, numbers = self.kneighbors(X)
        votes = np.zeros((len(numbers), len(self.classes_)))
        rows = np.repeat(np.arange(len(numbers)), numbers.shape[1])
        np.add.at(votes, (rows, self.targets_[numbers].ravel()), self._weigh(distances).ravel())
        total = votes.sum(axis=1, keepdims=True)
        return np.divide(votes, total, out=np.full_like(votes, 1.0 / len(self.classes_)), where=total > 0)

    def predict(self, X: Any) -> NDArray[Any]:
        """Find the class with most votes for each graph; of equal ones the first in `classes_`.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.

        Returns
        -------
        array of shape (N,)
            The class of each graph.
        """
        shares = self.predict_proba(X)
        return np.asarray(self.classes_[shares.argmax(axis=1)])

    def save(self, path: Any) -> None:
        """Write the classifier to a file (by convention ``.gmi``) that `gm.load` reads: no pickle, with checksums.

        Parameters
        ----------
        path : path
            The file to write.
        """
        check_is_fitted(self)
        import_module("graphmeans.io.storage.model").save(self, path)  # files are a layer above estimators

    def _weigh(self, distances: FloatArray) -> FloatArray:
        if callable(self.weights):
            weights = np.asarray(self.weights(distances), dtype=np.float64)
            if weights.shape != distances.shape:
                raise GraphError(f"weights must give an array of shape {distances.shape}, got {weights.shape}")
            return weights
        if self.weights == "uniform":
            return np.ones_like(distances)
        same = distances == 0
        inverse = np.divide(1.0, distances, out=np.zeros_like(distances), where=~same)
        return np.where(same.any(axis=1, keepdims=True), same.astype(np.float64), inverse)
