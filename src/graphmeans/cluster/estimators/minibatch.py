"""`MiniBatchGraphKMeans`: for collections that are large, or never there all at once."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from graphmeans.cluster.algorithms.history import Stopping
from graphmeans.cluster.algorithms.interval import Descent
from graphmeans.cluster.centers.frame_centers import MovingCenters
from graphmeans.cluster.centers.resume import resumed
from graphmeans.cluster.context import Problem
from graphmeans.cluster.data.dataset import BLOCK, InMemory, cut
from graphmeans.cluster.estimators.kmeans import GraphKMeans
from graphmeans.cluster.estimators.prediction import fit_into
from graphmeans.cluster.estimators.verbosity import shown
from graphmeans.functions import check_weights
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import Matcher
from graphmeans.space import Order

IntArray = NDArray[np.int64]

#: A batch is doubled when an iteration lowers the objective by less than this share.
ENOUGH = 0.01


class MiniBatchGraphKMeans(GraphKMeans):
    """k-means on whole graphs, a part of the collection at a time.

    `fit` works on nested batches: it clusters some graphs, doubles their number whenever the centers have settled, and keeps
    all alignments and bounds, so that the early, restless iterations cost little and the last ones see every graph once.
    No graph counts more than once, which is what biases other mini-batch methods.

    `partial_fit` takes graphs as they come: each one is aligned to its nearest center and averaged into it, as if the
    center had seen all graphs so far.

    Parameters
    ----------
    n_clusters : int
    init : {"k-means++", "furthest-first", "medoids", "random"}, collection of graphs, or callable
        Seeds come from the first batch.
    batch_size : int
        Graphs in the first batch of `fit`; at least 10 a cluster are taken.
    reassignment_ratio : float
        Of `partial_fit`: a center with less than this share of the weight of the heaviest one is put onto the graph of
        the batch that is farthest from its center.
    matcher, effort, encoder, node_weight, edge_weight, order, max_iter, tol, n_iter_no_change, engine, n_jobs, random_state, \
    verbose :
        As of `GraphKMeans`. With `partial_fit` the first batch fixes the encoder and, for ``order="auto"``, the order: give
        a number if larger graphs may come.

    Attributes
    ----------
    n_steps_ : int
        Calls of `partial_fit`.
    counts_ : array of shape (k,)
        Weight that each center has seen.

    and those of `GraphKMeans`; after `partial_fit`, `labels_`, `distances_` and `inertia_` are those of the last batch.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, letters = gm.datasets.make_letters(300, random_state=0)
    >>> km = gm.MiniBatchGraphKMeans(n_clusters=15, random_state=0)
    >>> for start in range(0, 300, 100):
    ...     km = km.partial_fit(graphs[start : start + 100])
    >>> int(km.counts_.sum()), km.n_steps_
    (300, 3)
    """

    # What `GraphKMeans` lets one choose is fixed here.
    algorithm, mean, n_init, theta = "interval", "auto", 1, 0.0
    certify, checkpoint, warm_start = False, None, False

    def __init__(
        self,
        n_clusters: int = 8,
        *,
        init: Any = "k-means++",
        batch_size: int = 1024,
        reassignment_ratio: float = 0.01,
        matcher: str | Matcher = "auto",
        effort: float = 1.0,
        encoder: Any = "auto",
        node_weight: float = 1.0,
        edge_weight: float = 1.0,
        order: Order = "auto",
        max_iter: int = 100,
        tol: float = 0.0,
        n_iter_no_change: int = 3,
        engine: Any = "threads",
        n_jobs: int | None = None,
        random_state: int | np.random.RandomState | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_clusters = n_clusters
        self.init = init
        self.batch_size = batch_size
        self.reassignment_ratio = reassignment_ratio
        self.matcher = matcher
        self.effort = effort
        self.encoder = encoder
        self.node_weight = node_weight
        self.edge_weight = edge_weight
        self.order = order
        self.max_iter = max_iter
        self.tol = tol
        self.n_iter_no_change = n_iter_no_change
        self.engine = engine
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    # -- all at once -------------------------------------------------------------------------------

    def _fit(self, X: Any, sample_weight: ArrayLike | None) -> GraphKMeans:
        """Nested batches."""
        with self._cluster() as cluster:
            encoder, space, source, given = self._prepared(X, sample_weight, cluster)
            seed = self._seed()
            batches = nested(len(source), max(self.batch_size, 10 * self.n_clusters), seed)
            first = np.concatenate(batches[0])
            problem = Problem(source, space, self._mean(), seed, engines=cluster, rows=first)
            descent = Descent(problem, self._start(X, encoder, space, given, problem))
            stopping = Stopping(problem, self.max_iter, self.tol, self.n_iter_no_change)
            for more in batches[1:]:
                stage = Stopping(problem, self.max_iter, max(self.tol, ENOUGH), 1)
                descent.run(stage)
                stopping.take_over(stage, swap=False)
                descent.shards.extend([part for rows in more for part in cut(rows)])
            descent.run(stopping)
            result = descent.result(stopping)
            back = np.argsort(np.concatenate([rows for batch in batches for rows in batch]))
            in_order = replace(result, look=lambda: (result.labels[back], result.distances[back]), engine=None)
            self._keep(in_order, encoder, space, problem.ledger)
            self._keep_stream(descent.centers, 0)
            if cluster is not None and cluster.is_own:
                self._fetch()
        return self

    # -- as they come ------------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> MiniBatchGraphKMeans:
        """Take in some more graphs.

        Parameters
        ----------
        X : list of graphs, or array of shape (N, d)
            The first time at least as many as there are clusters: they choose the seeds and are clustered.
        y : ignored
        sample_weight : array of shape (N,), optional
        """
        with shown(self.verbose):
            if not hasattr(self, "counts_"):
                return self._begin(X, sample_weight)
            if not hasattr(self, "_stream"):  # it was loaded from a file
                self._stream = resumed(self.space_, self._centers, self.counts_)
            points = self._points(X)
            if not len(points):
                raise GraphError("partial_fit got no graphs")
            source = InMemory(points, check_weights(sample_weight, len(points)))
            large = np.flatnonzero(~fit_into(self.space_, points))
            if len(large):
                raise GraphError(
                    f"graph {large[0]} has {points.sizes[large[0]]} nodes, more than the first batch had of some role: "
                    "give an order that covers all graphs to come"
                )
            with self._cluster() as cluster:
                self._step(Problem(source, self.space_, self._mean(), 0, engines=cluster))
            return self

    def _begin(self, X: Any, sample_weight: ArrayLike | None) -> MiniBatchGraphKMeans:
        """The first batch is clustered as a whole."""
        with self._cluster() as cluster:
            encoder, space, source, given = self._prepared(X, sample_weight, cluster)
            problem = Problem(source, space, self._mean(), self._seed(), engines=cluster)
            descent = Descent(problem, self._start(X, encoder, space, given, problem))
            stopping = Stopping(problem, self.max_iter, self.tol, self.n_iter_no_change)
            descent.run(stopping)
            self._keep(replace(descent.result(stopping), engine=None), encoder, space, problem.ledger)
        self._keep_stream(descent.centers, 1)
        return self

    def _step(self, problem: Problem) -> None:
        """Graphs join their nearest centers, which follow them."""
        centers, shards = self._stream, problem.engine(self.n_clusters)
        shards.each("decide", centers)
        starved = np.flatnonzero(self.counts_ < self.reassignment_ratio * self.counts_.max())
        replaced = []
        for c in starved:
            far = shards.total("farthest", 1).graph
            if len(far):
                replaced.append(c)
                centers.replace(int(c), problem.batch.take(far))
                shards.each("abandon", int(c), centers)
                shards.each("take", far, np.array([c]), centers)
                shards.each("decide", centers)
        frames = centers.frames.copy()
        for name in frames.SUMS:
            getattr(frames, name)[replaced] = 0.0
        frames += shards.total("sums", centers)
        centers = centers.started_anew(frames)
        self._keep_prototypes(self.encoder_, self.space_, centers.centers())
        labels, self.distances_ = shards.assignment()
        self.labels_ = labels.astype(np.int32)
        self.inertia_ = float(shards.total("inertia"))
        self.n_matchings_ += problem.ledger.matchings.total()
        shards.close()
        self._keep_stream(centers, self.n_steps_ + 1)

    def _keep_stream(self, centers: MovingCenters, steps: int) -> None:
        self._stream = centers.started_anew(centers.frames)
        self.counts_: NDArray[np.float64] = centers.frames.total.copy()
        self.n_steps_ = steps

    # -- both --------------------------------------------------------------------------------------

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if isinstance(self.batch_size, bool) or not isinstance(self.batch_size, Integral) or self.batch_size < 1:
            raise GraphError(f"batch_size must be a whole number of at least 1, got {self.batch_size!r}")
        ratio = self.reassignment_ratio
        if isinstance(ratio, bool) or not isinstance(ratio, Real) or not 0 <= ratio < 1:
            raise GraphError(f"reassignment_ratio must be in [0, 1), got {ratio!r}")

    def _seed(self) -> int:
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))


def nested(n: int, size: int, seed: int) -> list[list[IntArray]]:
    """The numbers of n graphs in batches that double all graphs before them; the first has about `size`.

    A batch takes an equal share at random of each block of the collection, and lists what it takes block by block: so a
    batch is never drawn from a corner of the collection, and reading it from a disk is one pass.
    """
    walks = [
        start + np.random.RandomState([seed, start // BLOCK]).permutation(min(BLOCK, n - start)) for start in range(0, n, BLOCK)
    ]
    ends = [min(size, n)]
    while ends[-1] < n:
        ends.append(min(2 * ends[-1], n))
    batches = []
    for before, end in zip([0, *ends], ends, strict=False):
        shares = [(-(-len(walk) * before // n), -(-len(walk) * end // n)) for walk in walks]
        batches.append([np.sort(walk[a:b]) for walk, (a, b) in zip(walks, shares, strict=True)])
    return batches
