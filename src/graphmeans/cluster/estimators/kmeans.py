"""`GraphKMeans`: the estimator. Parameters in, fitted attributes out; the arithmetic is elsewhere."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClusterMixin
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from graphmeans.cluster.algorithms.few_graphs import nearest_of_few
from graphmeans.cluster.algorithms.initialization import initialize
from graphmeans.cluster.algorithms.restarts import Restarts
from graphmeans.cluster.algorithms.result import Result
from graphmeans.cluster.algorithms.seeds import Seeds
from graphmeans.cluster.context import ALGORITHM, EVALUATION, SEEDING, CountedMatcher, Counters, FitContext
from graphmeans.cluster.data.dataset import Dataset, InMemoryDataset, to_points
from graphmeans.cluster.data.deduplicate import Copies, find_copies
from graphmeans.cluster.engines.base import Engine
from graphmeans.cluster.engines.dask_client import DaskClient
from graphmeans.cluster.estimators.base import GraphEstimator, shown
from graphmeans.cluster.estimators.inputs import ARRAY, COLLECTION, GRAPH, kind_of, rows_to_batch
from graphmeans.cluster.estimators.validation import (
    AUTO_MEAN,
    check_algorithm_options,
    check_count,
    check_given_start,
    check_parameters,
)
from graphmeans.cluster.estimators.workers import engine_factory, open_workers
from graphmeans.cluster.persistence.checkpoint import CheckpointFile, fit_fingerprint
from graphmeans.functions import check_weights
from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.convert import collect
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import Matcher
from graphmeans.matching.vectors import VectorLayout
from graphmeans.means.frames import Centers
from graphmeans.means.method import MeanMethod
from graphmeans.means.registry import get_mean
from graphmeans.space import OURS, GraphSpace, Order, resolve_order

#: What n_init="auto" spends on swapping centers, as a multiple of the work of the run before, and where graphs are rows.
SWAPS, SWAPS_OF_ROWS = 2.0, 5.0


@dataclass(frozen=True, eq=False)
class Prepared:
    """What a fit begins with: the fitted encoder, the space, the points with their weights, and the start if it is given."""

    encoder: GraphEncoder
    space: GraphSpace
    data: Dataset
    given: GraphBatch | None


class BaseGraphKMeans(ClusterMixin, GraphEstimator, ABC):
    """What `GraphKMeans` and `MiniBatchGraphKMeans` share."""

    n_clusters: int
    init: Any
    engine: Any
    random_state: int | np.random.RandomState | None
    verbose: int

    # -- fitting -----------------------------------------------------------------------------------

    def fit(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> Any:
        """Cluster a collection of graphs, or the rows of a 2-D array.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind. A collection on disk (`open_collection`) need not fit into memory.
        y : object, default=None
            It is ignored, and here because scikit-learn's pipelines pass it.
        sample_weight : array of shape (N,), default=None
            What each graph weighs in the objective and in the means. None stands for 1 each.

        Returns
        -------
        GraphKMeans
            The estimator itself.
        """
        self._check_parameters()
        with shown(self.verbose), open_workers(self.engine, self.n_jobs) as client:
            self._fit(collect(X), sample_weight, client)
            if client is not None and client.is_own:
                self._fetch_assignment()
        return self

    @abstractmethod
    def _check_parameters(self) -> None:
        """Say what is wrong with the parameters."""

    @abstractmethod
    def _fit(self, X: Any, sample_weight: ArrayLike | None, client: DaskClient | None) -> None:
        """Fit on these workers, or on threads of this process."""

    def _prepare(
        self, X: Any, sample_weight: ArrayLike | None, client: DaskClient | None, before: Any = None
    ) -> Prepared:
        """Encode the graphs and lay out the space; `before` are centers of an earlier fit to start from."""
        self._kind = kind_of(X)
        if self._kind == COLLECTION:
            check_count(len(X), self.n_clusters)  # before anything is read
        encoder, found = self._fit_encoder(X, client)
        check_count(len(found) if isinstance(found, GraphBatch) else len(X), self.n_clusters)
        given = self._given_start(encoder, before)
        space = self._make_space(encoder, *(some for some in (found, given) if some is not None))
        space.check_squares()
        return Prepared(encoder, space, self._make_data(X, encoder, space, found, sample_weight), given)

    def _given_start(self, encoder: GraphEncoder, before: Any) -> GraphBatch | None:
        """The centers of the fit before, or the graphs that were given; None if a start is to be found."""
        if before is None:
            return None if isinstance(self.init, str) or callable(self.init) else self._encode_start(encoder, self.init)
        if isinstance(before, np.ndarray) != (self._kind == ARRAY) or len(before) != self.n_clusters:
            raise GraphError(f"warm_start: the fit before had {len(before)} centers of another kind or number")
        return self._encode_start(encoder, before)

    def _encode_start(self, encoder: GraphEncoder, init: Any) -> GraphBatch:
        if isinstance(init, GraphBatch):
            return init
        if self._kind == ARRAY:
            rows = np.array(init, dtype=np.float64, ndmin=2)
            if rows.shape[1] != self.n_features_in_:
                raise GraphError(f"init has {rows.shape[1]} features, X has {self.n_features_in_}")
            return rows_to_batch(rows)
        try:
            return encoder.encode(encoder.graphs_of(init))
        except GraphError as error:
            raise GraphError(f"init: {error}") from None

    def _start(
        self, X: Any, made: Prepared, context: FitContext, matcher: CountedMatcher, new_engine: Callable[[], Engine]
    ) -> Seeds:
        """The seeds of a run."""
        given = made.given
        if given is None and isinstance(self.init, str):
            return initialize(context, matcher, new_engine(), self.n_clusters, self.init)
        if given is None:
            chosen = self.init(X, self.n_clusters, random_state=context.random("seeding"))
            given = self._encode_start(made.encoder, chosen)
            if len(given) != self.n_clusters:
                raise GraphError(f"init returned {len(given)} graphs for n_clusters={self.n_clusters}")
            resolve_order(_as_order(made.space), given)  # an error if a seed is larger than the space
        points = to_points(made.space, given)
        layout = context.space.layout
        return Seeds.of_graphs(points if layout is None else layout.flatten(points))

    def _keep_result(self, best: Result, made: Prepared, counters: Counters) -> None:
        if best.n_filled < self.n_clusters:
            warnings.warn(
                f"Number of distinct clusters ({best.n_filled}) found smaller than n_clusters ({self.n_clusters}). "
                "Possibly due to duplicate graphs in X.",
                ConvergenceWarning,
                stacklevel=4,
            )
        self._keep_centers(made.encoder, made.space, best.centers)
        self._alignments = best.alignments
        self._keep_assignment(best)
        self.inertia_ = made.space.in_units_of_graphs(best.inertia, power=2)
        self.n_iter_ = best.n_iter
        self.certified_fraction_ = float("nan") if best.certified is None else best.certified
        self.trace_ = best.trace
        self.trace_["inertia"][:] = made.space.in_units_of_graphs(best.trace["inertia"], power=2)
        self.hint_ = best.hint
        self.n_matchings_ = counters.matchings[ALGORITHM]
        self.n_seeding_matchings_ = counters.matchings[SEEDING]
        self.n_evaluation_matchings_ = counters.matchings[EVALUATION]

    # -- using -------------------------------------------------------------------------------------

    def predict(self, X: Any) -> NDArray[np.int32]:
        """Find the nearest center of each graph.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The graphs, as objects of one kind, or the rows of an array.

        Returns
        -------
        array of shape (N,)
            The number of the nearest center of each graph.
        """
        return self._nearest(X).label.astype(np.int32)

    def fit_predict(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> NDArray[np.int32]:
        """Fit, then return the labels.

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
        array of shape (N,)
            The cluster of each graph.
        """
        labels: NDArray[np.int32] = self.fit(X, sample_weight=sample_weight).labels_
        return labels

    def fit_transform(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> NDArray[np.float64]:
        """Fit, then return the distances to the centers.

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
        array of shape (N, k)
            The distances of each graph to each center.
        """
        X = collect(X)
        distances: NDArray[np.float64] = self.fit(X, sample_weight=sample_weight).transform(X)
        return distances

    def score(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> float:
        """Compute minus the sum of weighted squared distances to the nearest centers.

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
            Minus the objective on these graphs, so that more is better.
        """
        distances = self._nearest(X).distance
        return -float(check_weights(sample_weight, len(distances)) @ distances**2)

    def __sklearn_clone__(self) -> Any:
        """A clone works on the same cluster: a Client cannot be copied."""
        bare = copy(self)
        bare.engine = "threads"
        other = super(BaseGraphKMeans, bare).__sklearn_clone__()
        other.engine = self.engine
        return other

    def __getstate__(self) -> Any:
        state = super().__getstate__()
        if not isinstance(self.engine, str):
            state = {**state, "engine": self.engine.scheduler.address}  # a Client stays where it is
        return state


class GraphKMeans(BaseGraphKMeans):
    """Cluster whole graphs by k-means, with mean graphs as centers.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    algorithm : {"interval", "lloyd", "elkan", "gvr"}, default="interval"
        How the objective is lowered. "interval" keeps graphs aligned to their centers and bounds on all other distances,
        and matches almost nothing. "lloyd" is standard k-means and "elkan" the paper's, which avoids many of its matchings;
        with the exact matcher both give the same. "gvr" is elkan with stored alignments.
    init : {"k-means++", "k-means||", "furthest-first", "medoids", "random"}, graphs or callable, default="k-means++"
        Where the first centers come from. "furthest-first" is the paper's (of more than 50,000 graphs it sees a sample);
        "medoids" (of a sample) costs most and leaves out fewest groups; "k-means||" takes a few passes over the collection
        where "k-means++" takes k. A callable gets ``(X, n_clusters, random_state)`` and returns graphs (rows, for an array).
    n_init : "auto" or int, default="auto"
        The number of runs from different starts, of which the best is kept. "auto" with the interval algorithm and a start
        by name makes one run and then spends up to twice its work (on vectors five times) on swapping centers, which never
        ends in a worse objective. With the other algorithms "auto" makes 10 runs for "random" and callables, else 1. From given
        graphs there is always one run.
    mean : {"auto", "incremental", "lifted", "subgradient", "set"} or MeanMethod, default="auto"
        How a center is found. "auto" is lifted for interval, and incremental, as in the paper, for the others; "interval"
        and "gvr" take no other.
    matcher : {"auto", "exact", "search", "graduated"} or Matcher, default="auto"
        What aligns two graphs. "auto" is exact for small graphs and a search for larger ones.
    effort : float, default=1.0
        How hard "auto" and "search" look for the best alignment of larger graphs, relative to the default.
    certify : bool, default=False
        Whether "interval" spends more matchings until every label is proven nearest or a limit is reached.
    encoder : {"auto", "molecule", "series"} or GraphEncoder, default="auto"
        How attributes become numbers; it is cloned and fitted. "auto" standardises numbers, makes strings 1-of-k, and leaves
        bare arrays as they are; of molecules (objects of RDKit, SMILES, or what is read from files of them) it is "molecule",
        which stands for `MoleculeEncoder`. "series" compares what atoms are part of, too: clusters of molecules are then series.
    node_weight : float, default=1.0
        What squared differences of nodes are multiplied by.
    edge_weight : float, default=1.0
        What squared differences of edges are multiplied by.
    order : "auto", int, mapping role -> int, or None, default="auto"
        How many nodes (of each role) the space foresees; see `match`. "auto" is the largest number in the collection.
    max_iter : int, default=100
        The most updates of the means in a run.
    tol : float, default=0.0
        An objective counts as better if it is lower by more than this share.
    n_iter_no_change : int, default=3
        A run stops after this many iterations without a better objective. The best iteration is returned.
    theta : float, default=0.0
        How far, for "gvr", a center may have moved since a graph was matched with it for the alignment to be trusted.
    engine : "threads", "dask", address or dask.distributed.Client, default="threads"
        Who works: threads of this process; processes on this machine, started for the fit; the workers of a dask cluster.
        The result does not depend on it. Only "interval" takes another than "threads".
    device : {"auto", "cpu", "cuda"}, default="auto"
        Who solves pairs of graphs of more than ten nodes. "auto": a GPU, where there is one and the work is worth the trip.
    n_jobs : int or None, default=None
        The number of threads (or of processes with engine="dask"); None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        The seed of everything that is drawn.
    verbose : int, default=0
        How much is logged: 1 for a line each run, 2 for a line each iteration.
    checkpoint : path or None, default=None
        A file that "interval" replaces after each iteration. If it is there when a fit with the same graphs and parameters
        begins, the fit goes on from it; when the fit is done it is removed.
    warm_start : bool, default=False
        Whether a further fit starts from the centers of the one before, in one run without swaps, instead of from `init`.

    Attributes
    ----------
    labels_ : array of shape (N,)
        The cluster of each graph.
    cluster_centers_ : GraphBatch, or array of shape (k, d) for array input
        The centers, encoded. See `centroids` for mean graphs in original units.
    inertia_ : float
        The sum of weighted squared distances to the own centers.
    distances_ : array of shape (N,)
        The distances to the own centers.
    n_iter_ : int
        The iterations of the best run.
    certified_ : bool array of shape (N,)
        Which labels are proven: no other center is nearer, whatever the alignment. With algorithms other than "interval"
        nothing is known of that, and all are False.
    certified_margins_ : array of shape (N,)
        What `margins` is at least, proven: 1 - distance / (lower bound of the distances to all other centers). It is 0 where
        the label is not proven.
    certified_fraction_ : float
        The share of labels that are proven nearest; NaN for algorithms that do not know.
    n_matchings_, n_seeding_matchings_, n_evaluation_matchings_ : int
        Pairs handed to a matcher by the algorithm, by its start, and only to know the objective; over all runs.
    trace_ : structured array
        What happened in each iteration of the best run; ``trace_.to_pandas()`` makes a table of it.
    hint_ : str or None
        What makes the result look as if there were a better one, if anything does: a cluster of one graph beside large ones, or
        swaps that still helped when their budget ended. Only "interval" says so.
    encoder_, space_ :
        The fitted encoder and the metric space.
    n_features_in_ : int
        The width of the array, for array input only.

    See Also
    --------
    MiniBatchGraphKMeans : For collections that are large, or never there all at once.
    GraphKMedoids : Clusters around graphs of the collection itself.
    evaluation.choose_k : Recommends a number of clusters.
    report.write_report : Shows the result on a page.

    References
    ----------
    .. [1] B. J. Jain and K. Obermayer, "Elkan's k-means for graphs", arXiv:0912.4598, 2009.
    .. [2] C. Elkan, "Using the triangle inequality to accelerate k-means", ICML 2003.
    .. [3] D. Arthur and S. Vassilvitskii, "k-means++: the advantages of careful seeding", SODA 2007.

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
        device: str = "auto",
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
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose
        self.checkpoint = checkpoint
        self.warm_start = warm_start

    def _check_parameters(self) -> None:
        params = self.get_params(deep=False)
        check_parameters(params)
        check_given_start(self.init, self.n_clusters, self.n_init)
        check_algorithm_options(params)

    def _fit(self, X: Any, sample_weight: ArrayLike | None, client: DaskClient | None) -> None:
        made = self._prepare(X, sample_weight, client, self._centers_before())
        data, copies = made.data, None
        if self.algorithm != "interval":
            data = data.in_memory()
        space, layout = made.space, self._layout(made)
        if layout is not None:
            space, data = space.of_rows(layout), data.flattened(layout)
        if self.algorithm == "interval" and isinstance(data, InMemoryDataset):
            copies = find_copies(data, self.n_clusters)
        if copies is not None and len(copies.data) >= self.n_clusters:
            data = copies.data
        seeds = self._random_seeds(1 if made.given is not None else self._n_runs())
        restarts = Restarts(
            algorithm=self.algorithm,
            settings=self._settings(made.given, space, len(data)),
            rules={"max_iter": self.max_iter, "tol": self.tol, "n_iter_no_change": self.n_iter_no_change},
            context=FitContext(data, space, self._mean_method(), seeds[0]),
            k=self.n_clusters,
            start=lambda *run: self._start(X, made, *run),
            random_seeds=seeds,
            new_engine=engine_factory(client),
            workers=client,
        )
        if self.checkpoint is not None:
            restarts.file = CheckpointFile(self.checkpoint, fit_fingerprint(data, self._identity()))
            if client is not None:
                client.kept = "; the last checkpoint is kept"
        best = restarts.best()
        if copies is not None:
            best = _with_copies(best, copies, CountedMatcher(space, restarts.counters))
        if layout is not None:
            centers = Centers(*layout.to_graphs(best.centers.batch.nodes), damped=best.centers.damped)
            best = replace(best, centers=centers)
        self._keep_result(best, made, restarts.counters)

    def _layout(self, made: Prepared) -> VectorLayout | None:
        """How graphs become rows, where they can be aligned in one way only; None if they stay graphs."""
        drawn_by_caller = callable(self.init) and self._kind != ARRAY  # its graphs may have what no other has
        if type(made.space.matcher) not in OURS or drawn_by_caller:
            return None
        given = () if made.given is None else (made.given,)
        return made.data.layout(made.space.order, *given)

    def _settings(self, given: GraphBatch | None, space: GraphSpace, n: int) -> dict[str, Any]:
        """What the algorithm takes besides n graphs, seeds and rules."""
        if self.algorithm == "gvr":
            return {"theta": float(self.theta)}
        if self.algorithm != "interval":
            return {}
        swaps = SWAPS if space.layout is None else SWAPS_OF_ROWS
        if self.n_init != "auto" or not isinstance(self.init, str) or given is not None or self.n_clusters == 1:
            swaps = 0.0
        return {"swaps": swaps, "certify": self.certify}

    def _mean_method(self) -> MeanMethod:
        return get_mean(AUTO_MEAN[self.algorithm] if isinstance(self.mean, str) and self.mean == "auto" else self.mean)

    def _n_runs(self) -> int:
        if self.n_init != "auto":
            return int(self.n_init)
        drawn = callable(self.init) or (isinstance(self.init, str) and self.init == "random")
        return 10 if drawn and (self.algorithm != "interval" or callable(self.init)) else 1

    def _random_seeds(self, count: int) -> list[int]:
        seeds: list[int] = check_random_state(self.random_state).randint(np.iinfo(np.int32).max, size=count).tolist()
        return seeds

    def _centers_before(self) -> Any:
        """The centers of the fit before, if this one is to start from them."""
        if not (self.warm_start and hasattr(self, "_centers")):
            return None
        return self.centroids(ARRAY if self._kind == ARRAY else GRAPH)

    def _identity(self) -> dict[str, Any]:
        """The parameters that a result depends on, for checkpoints: what they mean for the metric is in the graphs."""
        free = {"n_jobs", "verbose", "checkpoint", "max_iter", "encoder", "node_weight", "edge_weight", "engine"}
        params = {name: value for name, value in self.get_params(deep=False).items() if name not in free}
        if not isinstance(self.random_state, Integral):
            del params["random_state"]
        if not isinstance(self.init, str):
            params["init"] = "given"
        return params


def _with_copies(best: Result, copies: Copies, matcher: CountedMatcher) -> Result:
    """The result for all graphs: copies have what is known of the first of them."""
    engine = best.engine
    if len(copies.data) < len(best.centers):
        best = nearest_of_few(best, copies.data, matcher)
    here = best.assignment.take(copies.which)
    if engine is not None:
        engine.close()
    certified = None if best.certified is None else float(here.proven.mean())  # copies count one by one
    alignments = None if best.alignments is None else best.alignments.take(copies.which)
    return replace(best, get_assignment=lambda: here, certified=certified, engine=None, alignments=alignments)


def _as_order(space: GraphSpace) -> Order:
    if space.roles == (None,):
        return int(space.order[0])
    return {role: int(n) for role, n in zip(space.roles, space.order, strict=True)}
