"""`GraphKMeans`: the estimator. Parameters in, fitted attributes out; the arithmetic is elsewhere."""

from __future__ import annotations

import logging
import warnings
from contextlib import nullcontext
from copy import copy
from dataclasses import replace
from functools import partial
from importlib import import_module
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from graphmeans.cluster.algorithms.initialization import seeds
from graphmeans.cluster.algorithms.restarts import ALGORITHMS, Runs
from graphmeans.cluster.algorithms.result import Result
from graphmeans.cluster.context import Problem
from graphmeans.cluster.counters import ALGORITHM, EVALUATION, SEEDING, Ledger
from graphmeans.cluster.data.dataset import InMemory, OnDisk, Source, Survey, blocks
from graphmeans.cluster.data.deduplicate import collapsed, expanded
from graphmeans.cluster.estimators.assigned import Assigned
from graphmeans.cluster.estimators.base import Prototypes
from graphmeans.cluster.estimators.inputs import ARRAY, COLLECTION, GRAPH, is_lazy, kind_of, vectors
from graphmeans.cluster.estimators.prediction import nearest_in
from graphmeans.cluster.estimators.validation import AUTO_MEAN, check_engine, check_parameters
from graphmeans.cluster.estimators.verbosity import shown
from graphmeans.cluster.persistence.checkpoint import Checkpoint, fingerprint
from graphmeans.functions import check_weights
from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import Matcher
from graphmeans.means.frames import Centers
from graphmeans.means.method import MeanMethod
from graphmeans.means.registry import get_mean
from graphmeans.space import GraphSpace, Order, resolve_order

logger = logging.getLogger("graphmeans")

#: What n_init="auto" spends on swapping centers, as a multiple of the matchings of the run before.
SWAPS = 2.0


class GraphKMeans(Assigned, Prototypes, ClusterMixin, BaseEstimator):
    """k-means on whole graphs.

    Parameters
    ----------
    n_clusters : int
    algorithm : {"interval", "lloyd", "elkan", "gvr"}
        "interval" keeps graphs aligned to their centers and bounds on all other distances, and matches almost nothing.
        "lloyd" is standard k-means and "elkan" the paper's, which avoids many of its matchings: with the exact matcher both
        give the same. "gvr" is elkan with stored alignments. "gvr" takes incremental means only, "interval" lifted ones.
    init : {"k-means++", "k-means||", "furthest-first", "medoids", "random"}, collection of graphs, or callable
        "furthest-first" is the paper's (of more than 50,000 graphs it sees a sample); "medoids" (of a sample) costs most and
        leaves out fewest groups; "k-means||" takes a few passes over the collection where "k-means++" takes k. A callable
        gets ``(X, n_clusters, random_state)`` and returns graphs (rows, for an array).
    n_init : "auto" or int
        Runs from different starts, the best of which is kept. "auto" with the interval algorithm and a start by name: one
        run, then up to twice its matchings go into swapping centers; never a worse objective than without. With
        the other algorithms 10 runs for "random" and callables, else 1. From given graphs it is always one run.
    mean : {"auto", "incremental", "lifted", "subgradient", "set"} or MeanMethod
        How a center is found. "auto" is lifted for interval, and incremental, as in the paper, for the others.
    matcher : {"auto", "exact", "search", "graduated"} or Matcher
    effort : float
        How hard "auto" and "search" look for the best alignment of larger graphs, relative to the default.
    certify : bool
        Of "interval": spend more matchings until every label is proven nearest or a limit is reached.
    encoder : "auto" or GraphEncoder
        How attributes become numbers; it is cloned and fitted. "auto": numbers standardised, strings 1-of-k, bare arrays
        as they are.
    node_weight, edge_weight : float
        What squared differences of nodes and of edges are multiplied by.
    order : "auto", int, mapping role -> int, or None
        Places for the nodes of the space, see `match`.
    max_iter : int
        Most updates of the means a run.
    tol : float
        An objective is better if it is lower by more than this share.
    n_iter_no_change : int
        Stop after this many iterations without a better objective. The best iteration is returned.
    theta : float
        Of "gvr": how far a center may have moved since a graph was matched with it for the alignment to be trusted.
    engine : "threads", "dask", address or dask.distributed.Client
        Who works: threads of this process; processes on this machine, started for the fit; the workers of a dask cluster.
        The result does not depend on it. For "interval" only.
    n_jobs : int or None
        Threads (or processes of engine="dask"); None for all cores. Results do not depend on it.
    random_state : int, RandomState or None
    verbose : int
        1 logs a line a run, 2 a line an iteration.
    checkpoint : path, optional
        Of "interval": a file that is replaced after each iteration. If it is there when a fit with the same graphs and
        parameters begins, the fit goes on from it; when the fit is done it is removed.
    warm_start : bool
        Whether a further fit starts from the centers of the one before, in one run without swaps, instead of from `init`.

    Attributes
    ----------
    labels_ : array of shape (N,)
    cluster_centers_ : GraphBatch, or array of shape (k, d) for array input
        The centers, encoded. See `centroids` for mean graphs in original units.
    inertia_ : float
        Sum of weighted squared distances to the own centers.
    distances_ : array of shape (N,)
        Distances to the own centers.
    n_iter_ : int
        Iterations of the best run.
    certified_fraction_ : float
        Share of labels that are proven nearest; NaN for algorithms that do not know.
    n_matchings_, n_seeding_matchings_, n_evaluation_matchings_ : int
        Pairs handed to a matcher by the algorithm, by its start, and only to know the objective; over all runs.
    trace_ : structured array
        A row an iteration of the best run; ``trace_.to_pandas()``.
    encoder_, space_ :
        The fitted encoder and the metric space.
    n_features_in_ : int
        Width of the array, for array input only.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, letters = gm.datasets.make_letters(60, random_state=0)
    >>> km = gm.GraphKMeans(n_clusters=15, init="furthest-first", random_state=0).fit(graphs)
    >>> len(km.centroids()), km.labels_.shape
    (15, (60,))
    """

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        algorithm: str = "interval",
        init: Any = "k-means++",
        n_init: str | int = "auto",
        mean: str | MeanMethod = "auto",
        matcher: str | Matcher = "auto",
        effort: float = 1.0,
        certify: bool = False,
        encoder: Any = "auto",
        node_weight: float = 1.0,
        edge_weight: float = 1.0,
        order: Order = "auto",
        max_iter: int = 100,
        tol: float = 0.0,
        n_iter_no_change: int = 3,
        theta: float = 0.0,
        engine: Any = "threads",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
        checkpoint: Any = None,
        warm_start: bool = False,
    ) -> None:
        self.n_clusters = n_clusters
        self.algorithm = algorithm
        self.init = init
        self.n_init = n_init
        self.mean = mean
        self.matcher = matcher
        self.effort = effort
        self.certify = certify
        self.encoder = encoder
        self.node_weight = node_weight
        self.edge_weight = edge_weight
        self.order = order
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.theta = theta
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.warm_start = warm_start

    # -- fitting -----------------------------------------------------------------------------------

    def fit(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> GraphKMeans:
        """Cluster a collection of graphs, or the rows of a 2-D array.

        Parameters
        ----------
        X : list of Graph or networkx graphs, array of shape (N, d), or Collection
            A collection on disk (`open_collection`) need not fit into memory.
        y : ignored
        sample_weight : array of shape (N,), optional
        """
        with shown(self.verbose):
            return self._fit(X, sample_weight)

    def _fit(self, X: Any, sample_weight: ArrayLike | None) -> GraphKMeans:
        with self._cluster() as cluster:
            encoder, space, source, given = self._prepared(X, sample_weight, cluster)
            which = None
            if self.algorithm == "interval" and isinstance(source, InMemory):
                source, which = collapsed(source, self.n_clusters)
            n_runs = self._n_runs() if given is None else 1
            seeds = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=n_runs).tolist()
            problem = Problem(source, space, self._mean(), seeds[0], engines=cluster)
            settings = {"max_iter": self.max_iter, "tol": self.tol, "n_iter_no_change": self.n_iter_no_change}
            if self.algorithm == "gvr":
                settings["theta"] = float(self.theta)
            if self.algorithm == "interval":
                swaps = self.n_init == "auto" and isinstance(self.init, str) and given is None and self.n_clusters > 1
                settings |= {"swaps": SWAPS if swaps else 0.0, "certify": self.certify}
            runs = Runs(self.algorithm, settings, problem, partial(self._start, X, encoder, space, given), seeds)
            if self.checkpoint is not None:
                runs.checkpoint = Checkpoint(self.checkpoint, fingerprint(source, self._identity()))
                if cluster is not None:
                    cluster.kept = "; the last checkpoint is kept"
            self._keep(expanded(runs.best(), which), encoder, space, problem.ledger)
            if cluster is not None and cluster.is_own:
                self._fetch()
        return self

    def _cluster(self) -> Any:
        """The machines that do the work, as a context; None for this one."""
        check_engine(self.engine, self.algorithm)
        if isinstance(self.engine, str) and self.engine == "threads":
            return nullcontext()
        from graphmeans.cluster.engines.dask_client import Cluster

        return Cluster(self.engine, self.n_jobs)

    def _prepared(
        self, X: Any, sample_weight: ArrayLike | None, cluster: Any = None
    ) -> tuple[GraphEncoder, GraphSpace, Source, GraphBatch | None]:
        """Encoder, space, its points with their weights, and the start if it is given."""
        self._check_parameters()
        before = self._before()
        self._kind = kind_of(X)
        if self.n_clusters > (n := len(X) if self._kind == COLLECTION else np.inf):
            raise GraphError(f"n_samples={n} should be >= n_clusters={self.n_clusters}")
        encoder, found = self._fit_encoder(X, cluster)
        if self.n_clusters > (n := len(found) if isinstance(found, GraphBatch) else len(X)):
            raise GraphError(f"n_samples={n} should be >= n_clusters={self.n_clusters}")
        given = self._given_start(encoder, before)
        space = self._space(encoder, *(some for some in (found, given) if some is not None))
        if isinstance(found, GraphBatch):
            return encoder, space, InMemory(space.weighted(found), check_weights(sample_weight, n)), given
        weights = None if sample_weight is None else check_weights(sample_weight, n)
        source: Source = OnDisk(X, encoder, space, found, weights)
        if self.algorithm != "interval":
            source = InMemory(source.batch, source.weights)
        return encoder, space, source, given

    def _before(self) -> Any:
        """The centers of the fit before, if this one is to start from them."""
        if not (self.warm_start and hasattr(self, "_centers")):
            return None
        return self.centroids(ARRAY if self._kind == ARRAY else GRAPH)

    def _given_start(self, encoder: GraphEncoder, before: Any) -> GraphBatch | None:
        """The centers of the fit before, or the graphs that were given; None if a start is to be found."""
        if before is None:
            return None if isinstance(self.init, str) or callable(self.init) else self._given(encoder, self.init)
        if isinstance(before, np.ndarray) != (self._kind == ARRAY) or len(before) != self.n_clusters:
            raise GraphError(f"warm_start: the fit before had {len(before)} centers of another kind or number")
        return self._given(encoder, before)

    def _identity(self) -> dict[str, Any]:
        """The parameters that a result depends on, for checkpoints: what they mean for the metric is in the graphs."""
        free = {"n_jobs", "verbose", "checkpoint", "max_iter", "encoder", "node_weight", "edge_weight", "engine"}
        params = {name: value for name, value in self.get_params(deep=False).items() if name not in free}
        if not isinstance(self.random_state, Integral):
            del params["random_state"]
        if not isinstance(self.init, str):
            params["init"] = "given"
        return params

    def _keep(self, best: Result, encoder: GraphEncoder, space: GraphSpace, ledger: Ledger) -> None:
        found = best.filled
        if found < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({found}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate graphs in X.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self._keep_prototypes(encoder, space, best.centers)
        self._keep_assignment(best)
        self.inertia_ = best.inertia
        self.n_iter_ = best.n_iter
        self.certified_fraction_ = float("nan") if best.certified is None else best.certified
        self.trace_ = best.trace
        self.n_matchings_ = ledger.matchings[ALGORITHM]
        self.n_seeding_matchings_ = ledger.matchings[SEEDING]
        self.n_evaluation_matchings_ = ledger.matchings[EVALUATION]

    def _check_parameters(self) -> None:
        check_parameters(self, ALGORITHMS)
        self._mean()

    def _mean(self) -> MeanMethod:
        return get_mean(AUTO_MEAN[self.algorithm] if isinstance(self.mean, str) and self.mean == "auto" else self.mean)

    def _n_runs(self) -> int:
        if self.n_init != "auto":
            return int(self.n_init)
        drawn = callable(self.init) or (isinstance(self.init, str) and self.init == "random")
        return 10 if drawn and (self.algorithm != "interval" or callable(self.init)) else 1

    def _start(
        self, X: Any, encoder: GraphEncoder, space: GraphSpace, given: GraphBatch | None, problem: Problem
    ) -> Centers:
        if given is None and isinstance(self.init, str):
            return seeds(problem, self.n_clusters, self.init)
        if given is None:
            made = self.init(X, self.n_clusters, random_state=problem.random("seeding"))
            given = self._given(encoder, made)
            if len(given) != self.n_clusters:
                raise GraphError(f"init returned {len(given)} graphs for n_clusters={self.n_clusters}")
            resolve_order(_as_order(space), given)  # an error if a seed is larger than the space
        return Centers.of_graphs(space.weighted(given))

    def _given(self, encoder: GraphEncoder, init: Any) -> GraphBatch:
        if isinstance(init, GraphBatch):
            return init
        if self._kind == ARRAY:
            rows = np.array(init, dtype=np.float64, ndmin=2)
            if rows.shape[1] != self.n_features_in_:
                raise GraphError(f"init has {rows.shape[1]} features, X has {self.n_features_in_}")
            return vectors(rows)
        try:
            return encoder.transform(init)
        except GraphError as error:
            raise GraphError(f"init: {error}") from None

    def __sklearn_clone__(self) -> Any:
        """A clone works on the same cluster: a Client cannot be copied."""
        bare = copy(self)
        bare.engine = "threads"
        other = super(GraphKMeans, bare).__sklearn_clone__()
        other.engine = self.engine
        return other

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        if not isinstance(self.engine, str):
            state = {**state, "engine": self.engine.scheduler.address}  # a Client stays where it is
        return state

    # -- using -------------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[np.int32]:
        """The nearest center of each graph."""
        return self._nearest_of(X)[0].astype(np.int32)

    def _nearest_of(self, X: Any) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """Label and distance of each graph, a block of the collection at a time where it is on disk, or by the cluster."""
        check_is_fitted(self)
        if is_lazy(X):
            source: Source = OnDisk(X, self.encoder_, self.space_, Survey.of(self._centers.batch), None)
        elif isinstance(self.engine, str) and self.engine == "threads":
            return self._nearest(self._points(X))
        else:
            points = self._points(X)
            source = InMemory(points, np.ones(len(points)))
        with self._cluster() as cluster:
            space = self.space_ if cluster is None else replace(self.space_, n_jobs=1)
            tasks: list[Any] = [(nearest_in, space, source.part(rows), self._centers.batch) for rows in blocks(len(source))]
            found = cluster.map(tasks) if cluster else [function(*args) for function, *args in tasks]
        return np.concatenate([labels for labels, _ in found]), np.concatenate([distances for _, distances in found])

    def fit_predict(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> NDArray[np.int32]:
        """Fit, then return the labels."""
        labels: NDArray[np.int32] = self.fit(X, sample_weight=sample_weight).labels_
        return labels

    def fit_transform(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
        """Fit, then return the distances to the centers."""
        return self.fit(X, sample_weight=sample_weight).transform(X)

    def score(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Minus the sum of weighted squared distances to the nearest centers."""
        _, distances = self._nearest_of(X)
        return -float(check_weights(sample_weight, len(distances)) @ distances**2)

    def _html_repr(self) -> str:
        return str(
            import_module("graphmeans.plots.notebook").estimator_html(self)
        )  # it stands above: loaded when shown


def _as_order(space: GraphSpace) -> Order:
    if space.roles == (None,):
        return int(space.order[0])
    return {role: int(n) for role, n in zip(space.roles, space.order, strict=True)}
