"""`GraphKMedoids`: clusters around graphs of the collection itself, in the same metric."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin
from sklearn.utils import check_random_state

from graphmeans.cluster.algorithms.initialization import INITIALIZATIONS, choose_graphs
from graphmeans.cluster.algorithms.pam import Pam
from graphmeans.cluster.context import ALGORITHM, SEEDING, CountedMatcher, FitContext
from graphmeans.cluster.engines.threads import ThreadEngine
from graphmeans.cluster.estimators.base import GraphEstimator
from graphmeans.cluster.estimators.inputs import ARRAY, is_lazy
from graphmeans.cluster.estimators.validation import (
    Constraint,
    check_count,
    check_given_start,
    check_parameters,
    one_of,
    whole,
)
from graphmeans.functions import check_weights
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.convert import collect
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import Matcher
from graphmeans.matching.sketch import SKETCH_KINDS, sketch_batch, sketch_distances, sketch_order
from graphmeans.means.frames import Centers
from graphmeans.means.registry import get_mean
from graphmeans.nearest.sketches import LONGEST
from graphmeans.space import GraphSpace, Order


class GraphKMedoids(ClusterMixin, GraphEstimator):
    """Cluster whole graphs by k-medoids.

    The center of a cluster is the member with the least sum of distances to the others. Nothing is averaged, so centers
    are graphs that exist, and a few odd graphs hardly matter. It minimises the sum of distances (not squared) by
    exchanges in the manner of FasterPAM [1]_; a pair of graphs is matched only if sketches do not rule out that it
    matters. It remembers distances: 8 bytes for each pair of graphs, all of which are in memory.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    init : {"k-means++", "k-means||", "furthest-first", "medoids", "random"} or array of shape (k,), default="k-means++"
        The first medoids; numbers are positions of graphs.
    n_init : int, default=1
        The number of runs from different starts, of which the best is kept.
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
    max_iter : int, default=100
        The most passes over all graphs in a run.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Who solves pairs of graphs of more than ten nodes. "auto": a GPU, where there is one and the work is worth the trip.
    n_jobs : int or None, default=None
        The number of threads; None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        The seed of everything that is drawn.

    Attributes
    ----------
    medoid_indices_ : array of shape (k,)
        The positions of the medoids in the collection.
    labels_ : array of shape (N,)
        The cluster of each graph.
    distances_ : array of shape (N,)
        The distances to the own medoids.
    inertia_ : float
        The sum of weighted distances to the own medoids.
    cluster_centers_ : GraphBatch, or array of shape (k, d) for array input
        The medoids, encoded.
    n_iter_ : int
        The passes of the best run, the last of which changed nothing unless `max_iter` was reached.
    n_matchings_, n_seeding_matchings_ : int
        Pairs handed to a matcher by the exchanges, and by the start; over all runs.
    encoder_, space_ :
        The fitted encoder and the metric space.

    See Also
    --------
    GraphKMeans : Its centers are means.

    References
    ----------
    .. [1] E. Schubert and P. J. Rousseeuw, "Fast and eager k-medoids clustering", Information Systems 101, 2021.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, letters = gm.datasets.make_letters(60, random_state=0)
    >>> km = gm.GraphKMedoids(15, random_state=0).fit(graphs)
    >>> bool((km.labels_[km.medoid_indices_] == range(15)).all())
    True
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        n_init: int = 1,
        matcher: str | Matcher = "auto",
        effort: float = 1.0,
        encoder: Any = "auto",
        node_weight: float = 1.0,
        edge_weight: float = 1.0,
        order: Order = "auto",
        max_iter: int = 100,
        device: str = "auto",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.n_init = n_init
        self.matcher = matcher
        self.effort = effort
        self.encoder = encoder
        self.node_weight = node_weight
        self.edge_weight = edge_weight
        self.order = order
        self.max_iter = max_iter
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> GraphKMedoids:
        """Cluster a collection of graphs, or the rows of a 2-D array.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind. A collection on disk is read into memory.
        y : object, default=None
            It is ignored, and here because scikit-learn's pipelines pass it.
        sample_weight : array of shape (N,), default=None
            What the distance of each graph is multiplied by. None stands for 1 each.

        Returns
        -------
        GraphKMedoids
            The estimator itself.
        """
        positions = Constraint("positions of graphs", kinds=(Sequence, np.ndarray))
        check_parameters(self.get_params(deep=False), n_init=whole(1), init=one_of(*INITIALIZATIONS) | positions)
        X = collect(X)
        encoder, space, data = self._take_in(X, sample_weight)
        check_count(len(data), self.n_clusters)
        check_given_start(self.init, self.n_clusters, self.n_init, "medoids")
        matcher = CountedMatcher(space)
        known = KnownDistances(data.batch, matcher)
        best, passes = None, 0
        for seed in check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_init):
            first = self._start(FitContext(data, space, get_mean("lifted"), int(seed)), matcher)
            run = Pam(first, data.weights, known.bounds, known.distances, matcher.is_exact)
            done = run.run(self.max_iter)
            if best is None or run.objective < best.objective:
                best, passes = run, done
        assert best is not None
        self._keep_centers(encoder, space, Centers.of_graphs(self._as_given(X, encoder, space, data.batch, best.medoids)))
        self.medoid_indices_ = best.medoids
        self.labels_ = best.labels.astype(np.int32)
        self.distances_ = space.in_units_of_graphs(best.near)
        self.inertia_ = space.in_units_of_graphs(best.objective)
        self.n_iter_ = passes
        self.n_matchings_ = matcher.counters.matchings[ALGORITHM]
        self.n_seeding_matchings_ = matcher.counters.matchings[SEEDING]
        return self

    def _as_given(self, X: Any, encoder: Any, space: GraphSpace, points: GraphBatch, medoids: IntArray) -> GraphBatch:
        """The medoids as points whose nodes are numbered as the user numbers them."""
        if self._kind == ARRAY:
            return points.take(medoids)
        graphs = X if is_lazy(X) else encoder.graphs_of(X)
        return space.weighted(encoder.encode([graphs[i] for i in medoids.tolist()]))

    def _start(self, context: FitContext, matcher: CountedMatcher) -> IntArray:
        """Positions of the first medoids."""
        if isinstance(self.init, str):
            engine = ThreadEngine(context, matcher, self.n_clusters)
            return choose_graphs(context, matcher, engine, self.n_clusters, self.init).numbers
        chosen = np.asarray(self.init)
        usable = chosen.shape == (self.n_clusters,) and chosen.dtype.kind in "iu" and len(np.unique(chosen)) == len(chosen)
        if not usable or chosen.min() < 0 or chosen.max() >= len(context):
            raise GraphError(f"init must be a name or {self.n_clusters} different positions of graphs, got {self.init!r}")
        return chosen.astype(np.int64)

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Find the nearest medoid of each graph.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.

        Returns
        -------
        array of shape (N,)
            The number of the nearest medoid of each graph.
        """
        return self._nearest(X).label.astype(np.int32)

    def score(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Compute minus the sum of weighted distances to the nearest medoids.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.
        y : object, default=None
            It is ignored, and here because scikit-learn's pipelines pass it.
        sample_weight : array of shape (N,), optional
            What each graph weighs. None stands for 1 each.

        Returns
        -------
        float
            Minus the sum of weighted distances.
        """
        distances = self._nearest(X).distance
        return -float(check_weights(sample_weight, len(distances)) @ distances)


class KnownDistances:
    """The distances of a collection that have been matched so far, and bounds for the others."""

    def __init__(self, points: GraphBatch, matcher: CountedMatcher) -> None:
        self.points, self.matcher = points, matcher
        self.table = np.full((len(points), len(points)), np.nan)
        np.fill_diagonal(self.table, 0.0)
        order = sketch_order(matcher.space.order, points)
        n = int(order.sum())
        # Sketches of rows grow with the square of the largest graph: they may be as large as the table, which is there anyway.
        short = n * (points.nodes.shape[1] + n * points.edge_values.shape[1]) <= max(LONGEST, len(points))
        self.sketches = [sketch_batch(points, order, kind) for kind in (SKETCH_KINDS if short else ("projection",))]

    def distances(self, graph: int, others: IntArray) -> FloatArray:
        """Distances of a graph to some others; what is not known is matched."""
        unknown = others[np.isnan(self.table[graph, others])]
        if len(unknown):
            pairs = np.stack([np.full(len(unknown), graph), unknown], axis=1)
            found = self.matcher.match(self.points, self.points, pairs).upper
            self.table[graph, unknown] = self.table[unknown, graph] = found
        return self.table[graph, others]

    def bounds(self, graph: int) -> FloatArray:
        """What is known, and the sketches' bounds of what is not."""
        row = self.table[graph]
        least = np.max([sketch_distances(f[graph : graph + 1], f)[0] for f in self.sketches], axis=0)
        return np.where(np.isnan(row), least, row)
