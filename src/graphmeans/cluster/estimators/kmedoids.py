"""`GraphKMedoids`: clusters around graphs of the collection itself, in the same metric."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.utils import check_random_state

from graphmeans.cluster.algorithms.initialization import SEEDINGS
from graphmeans.cluster.algorithms.pam import Exchanges
from graphmeans.cluster.centers.frame_centers import LONGEST
from graphmeans.cluster.context import Problem
from graphmeans.cluster.counters import ALGORITHM, SEEDING, Ledger, Matchings
from graphmeans.cluster.estimators.base import Prototypes
from graphmeans.cluster.estimators.inputs import kind_of
from graphmeans.functions import check_weights
from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import Matcher
from graphmeans.matching.sketch import SKETCH_KINDS, sketch_batch, sketch_distances, sketch_order
from graphmeans.means.frames import Centers
from graphmeans.means.registry import get_mean
from graphmeans.space import Order

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


class GraphKMedoids(Prototypes, ClusterMixin, BaseEstimator):
    """k-medoids on whole graphs: the center of a cluster is the member with the least sum of distances to the others.

    Nothing is averaged, so centers are graphs that exist, and a few odd graphs hardly matter. It minimises the sum of
    distances (not squared) by exchanges in the manner of FasterPAM; a pair of graphs is matched only if sketches do not
    rule out that it matters. It remembers distances: 8 bytes for each pair of graphs.

    Parameters
    ----------
    n_clusters : int
    init : {"k-means++", "furthest-first", "medoids", "random"} or array of shape (k,)
        The first medoids; numbers are positions of graphs.
    n_init : int
        Runs from different starts, of which the best is kept.
    matcher, effort, encoder, node_weight, edge_weight, order, n_jobs :
        As in `GraphKMeans`.
    max_iter : int
        Most passes over all graphs a run.
    random_state : int, RandomState or None

    Attributes
    ----------
    medoid_indices_ : array of shape (k,)
        Positions of the medoids in the collection.
    labels_, distances_ : arrays of shape (N,)
    inertia_ : float
        Sum of weighted distances to the own medoids.
    cluster_centers_ : GraphBatch, or array of shape (k, d) for array input
    n_iter_ : int
        Passes of the best run, the last of which changed nothing unless `max_iter` was reached.
    n_matchings_, n_seeding_matchings_ : int
    encoder_, space_ :
        The fitted encoder and the metric space.

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
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> GraphKMedoids:
        """Cluster a collection of graphs, or the rows of a 2-D array.

        Parameters
        ----------
        X : list of graphs, or array of shape (N, d)
        y : ignored
        sample_weight : array of shape (N,), optional
        """
        self._check_parameters()
        self._kind = kind_of(X)
        encoder, batch = self._fit_encoder(X)
        if self.n_clusters > len(batch):
            raise GraphError(f"n_samples={len(batch)} should be >= n_clusters={self.n_clusters}")
        weights = check_weights(sample_weight, len(batch))
        space = self._space(encoder, batch)
        points, ledger = space.weighted(batch), Ledger()
        known = Known(points, Matchings(space, ledger))
        best, passes = None, 0
        for seed in check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=self.n_init):
            first = self._start(Problem.of(points, space, weights, get_mean("lifted"), int(seed), ledger=ledger))
            run = Exchanges(first, weights, known.bounds, known.distances, known.matchings.is_exact)
            done = run.run(self.max_iter)
            if best is None or run.objective < best.objective:
                best, passes = run, done
        assert best is not None
        self._keep_prototypes(encoder, space, Centers.of_graphs(points.take(best.medoids)))
        self.medoid_indices_ = best.medoids
        self.labels_ = best.labels.astype(np.int32)
        self.distances_ = best.near
        self.inertia_ = best.objective
        self.n_iter_ = passes
        self.n_matchings_ = ledger.matchings[ALGORITHM]
        self.n_seeding_matchings_ = ledger.matchings[SEEDING]
        return self

    def predict(self, X: Any) -> NDArray[np.int32]:
        """The nearest medoid of each graph."""
        return self._nearest(self._points(X))[0].astype(np.int32)

    def score(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the sum of weighted distances to the nearest medoids."""
        _, distances = self._nearest(self._points(X))
        return -float(check_weights(sample_weight, len(distances)) @ distances)

    def _check_parameters(self) -> None:
        for name in ("n_clusters", "n_init", "max_iter"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Integral) or value < 1:
                raise GraphError(f"{name} must be a whole number of at least 1, got {value!r}")
        if isinstance(self.init, str):
            if self.init not in SEEDINGS:
                raise GraphError(f"unknown init {self.init!r}; known are {', '.join(SEEDINGS)} or positions of graphs")
        elif self.n_init != 1:
            raise GraphError(f"n_init={self.n_init} runs from the same given medoids would all be the same")

    def _start(self, problem: Problem) -> IntArray:
        if isinstance(self.init, str):
            with problem.matchings.counted_as(SEEDING):
                return SEEDINGS[self.init](problem, self.n_clusters)
        chosen = np.asarray(self.init)
        usable = chosen.shape == (self.n_clusters,) and chosen.dtype.kind in "iu" and len(np.unique(chosen)) == len(chosen)
        if not usable or chosen.min() < 0 or chosen.max() >= len(problem):
            raise GraphError(f"init must be a name or {self.n_clusters} different positions of graphs, got {self.init!r}")
        return chosen.astype(np.int64)


class Known:
    """The distances of a collection that have been matched so far, and bounds for the others."""

    def __init__(self, points: GraphBatch, matchings: Matchings) -> None:
        self.points, self.matchings = points, matchings
        self.table = np.full((len(points), len(points)), np.nan)
        np.fill_diagonal(self.table, 0.0)
        order = sketch_order(matchings.space.order, points)
        n = int(order.sum())
        # Sketches of rows grow with the square of the largest graph: they may be as large as the table, which is there anyway.
        short = n * (points.nodes.shape[1] + n * points.edge_values.shape[1]) <= max(LONGEST, len(points))
        self.sketches = [sketch_batch(points, order, kind) for kind in (SKETCH_KINDS if short else ("projection",))]

    def distances(self, graph: int, others: IntArray) -> FloatArray:
        """Distances of a graph to some others; what is not known is matched."""
        unknown = others[np.isnan(self.table[graph, others])]
        if len(unknown):
            pairs = np.stack([np.full(len(unknown), graph), unknown], axis=1)
            found = self.matchings.match(self.points, self.points, pairs).upper
            self.table[graph, unknown] = self.table[unknown, graph] = found
        return self.table[graph, others]

    def bounds(self, graph: int) -> FloatArray:
        """What is known, and the sketches' bounds of what is not."""
        row = self.table[graph]
        least = np.max([sketch_distances(f[graph : graph + 1], f)[0] for f in self.sketches], axis=0)
        return np.where(np.isnan(row), least, row)
