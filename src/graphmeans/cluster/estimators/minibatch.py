"""`MiniBatchGraphKMeans`: for collections that are large, or never there all at once."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.interval_loop import IntervalLoop
from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.context import CountedMatcher, FitContext
from graphmeans.cluster.data.dataset import BLOCK, Dataset, InMemoryDataset, split_into_shards
from graphmeans.cluster.engines.dask_client import DaskClient
from graphmeans.cluster.estimators.base import shown
from graphmeans.cluster.estimators.kmeans import BaseGraphKMeans, Prepared
from graphmeans.cluster.estimators.validation import check_given_start, check_parameters
from graphmeans.cluster.estimators.workers import engine_factory, open_workers
from graphmeans.cluster.shards import sample
from graphmeans.cluster.shards.assign import assign_labels, claim_graphs, dissolve_clusters
from graphmeans.functions import check_weights
from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.convert import collect
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import Matcher
from graphmeans.matching.pairs import are_larger
from graphmeans.means.frames import Frames
from graphmeans.means.registry import get_mean
from graphmeans.space import Order

#: A batch is doubled when an iteration lowers the objective by less than this share.
ENOUGH = 0.01


class MiniBatchGraphKMeans(BaseGraphKMeans):
    """Cluster whole graphs by k-means, a part of the collection at a time.

    `fit` works on nested batches: it clusters some graphs, doubles their number whenever the centers have settled, and keeps
    all alignments and bounds, so that the early, restless iterations cost little and the last ones see every graph once.
    No graph counts more than once, which is what biases other mini-batch methods.

    `partial_fit` takes graphs as they come: each one is aligned to its nearest center and averaged into it, as if the
    center had seen all graphs so far. The first batch fixes the encoder and, for ``order="auto"``, the order.

    Parameters
    ----------
    n_clusters : int, default=8
        The number of clusters.
    init : {"k-means++", "k-means||", "furthest-first", "medoids", "random"}, graphs or callable, default="k-means++"
        Where the first centers come from; seeds are sought in the first batch.
    batch_size : int, default=1024
        The graphs in the first batch of `fit`; at least 10 for each cluster are taken.
    reassignment_ratio : float, default=0.01
        In `partial_fit`, a center with less than this share of the weight of the heaviest one is put onto the graph of the
        batch that is farthest from its center.
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
        How many nodes (of each role) the space foresees; see `match`. Give a number if larger graphs than those of the first
        batch may come.
    max_iter : int, default=100
        The most updates of the means while the last batch is worked on.
    tol : float, default=0.0
        An objective counts as better if it is lower by more than this share.
    n_iter_no_change : int, default=3
        The fit stops after this many iterations without a better objective.
    engine : "threads", "dask", address or dask.distributed.Client, default="threads"
        Who works; see `GraphKMeans`.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Who solves pairs of graphs of more than ten nodes. "auto": a GPU, where there is one and the work is worth the trip.
    n_jobs : int or None, default=None
        The number of threads (or of processes with engine="dask"); None for all cores. Results do not depend on it.
    random_state : int, RandomState or None, default=None
        The seed of everything that is drawn.
    verbose : int, default=0
        How much is logged: 2 for a line each iteration.

    Attributes
    ----------
    n_steps_ : int
        The number of calls of `partial_fit`.
    counts_ : array of shape (k,)
        The weight that each center has seen.
    labels_, distances_, inertia_ : arrays and float
        As for `GraphKMeans`; after `partial_fit` they are those of the last batch. The other attributes of `GraphKMeans`
        are there, too.

    See Also
    --------
    GraphKMeans : Sees all graphs in every iteration.
    open_collection : A collection on disk that need not fit into memory.

    References
    ----------
    .. [1] J. Newling and F. Fleuret, "Nested mini-batch k-means", NIPS 2016.

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
        device: str = "auto",
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
        self.device = device
        self.n_jobs = n_jobs
        self.random_state = random_state
        self.verbose = verbose

    def _check_parameters(self) -> None:
        check_parameters(self.get_params(deep=False))
        check_given_start(self.init, self.n_clusters, n_init=1)

    # -- all at once -------------------------------------------------------------------------------

    def _fit(self, X: Any, sample_weight: ArrayLike | None, client: DaskClient | None) -> None:
        """Work on nested batches."""
        made = self._prepare(X, sample_weight, client)
        seed = self._seed()
        batches = nested(len(made.data), max(self.batch_size, 10 * self.n_clusters), seed)
        loop, matcher = self._begin_loop(X, made, seed, client, rows=np.concatenate(batches[0]))
        history = self._history(loop.context, matcher, self.tol, self.n_iter_no_change)
        for more in batches[1:]:
            stage = self._history(loop.context, matcher, max(self.tol, ENOUGH), 1)
            loop.run(stage)
            history.append(stage, swap=False)
            loop.engine.extend([part for rows in more for part in split_into_shards(rows)])
        loop.run(history)
        result = loop.result(history)
        back = np.argsort(np.concatenate([rows for batch in batches for rows in batch]))
        in_order = replace(result, get_assignment=lambda: result.assignment.take(back), engine=None, alignments=None)
        self._keep_result(in_order, made, matcher.counters)
        assert isinstance(loop.centers, FrameCenters)
        self._keep_stream(loop.centers, 0)

    def _begin_loop(
        self, X: Any, made: Prepared, seed: int, client: DaskClient | None, rows: IntArray | None = None
    ) -> tuple[IntervalLoop, CountedMatcher]:
        context, matcher = self._new_context(made.data, made.space, seed)
        engine = engine_factory(client)(context, matcher, self.n_clusters, rows=rows)
        seeds = self._start(X, made, context, matcher, lambda: engine)
        return IntervalLoop.from_seeds(context, engine, seeds), matcher

    def _new_context(self, data: Dataset, space: Any, seed: int) -> tuple[FitContext, CountedMatcher]:
        return FitContext(data, space, get_mean("lifted"), seed), CountedMatcher(space)

    def _history(self, context: FitContext, matcher: CountedMatcher, tol: float, n_iter_no_change: int) -> History:
        rules = {"max_iter": self.max_iter, "n_iter_no_change": n_iter_no_change}
        return History(context, matcher.counters, tol=tol, **rules)

    # -- as they come ------------------------------------------------------------------------------

    def partial_fit(self, X: Any, y: object = None, sample_weight: ArrayLike | None = None) -> MiniBatchGraphKMeans:
        """Take in some more graphs.

        Parameters
        ----------
        X : list of graphs, array of shape (N, d), or Collection
            The first time at least as many as there are clusters: they choose the seeds and are clustered.
        y : object, default=None
            It is ignored, and here because scikit-learn's pipelines pass it.
        sample_weight : array of shape (N,), default=None
            What each graph weighs. None stands for 1 each.

        Returns
        -------
        MiniBatchGraphKMeans
            The estimator itself.
        """
        self._check_parameters()
        with shown(self.verbose), open_workers(self.engine, self.n_jobs) as client:
            if not hasattr(self, "counts_"):
                self._first_batch(collect(X), sample_weight, client)
                return self
            if not hasattr(self, "_stream"):  # it was loaded from a file
                self._stream = FrameCenters.from_means(self.space_, self._centers, self.counts_)
            points = self._points(X)
            if not len(points):
                raise GraphError("partial_fit got no graphs")
            large = np.flatnonzero(are_larger(points, self.space_.order))
            if len(large):
                raise GraphError(
                    f"graph {large[0]} has {points.sizes[large[0]]} nodes, more than the first batch had of some role: "
                    "give an order that covers all graphs to come"
                )
            self._step(InMemoryDataset(points, check_weights(sample_weight, len(points))), client)
        return self

    def _first_batch(self, X: Any, sample_weight: ArrayLike | None, client: DaskClient | None) -> None:
        """Cluster the first batch as a whole."""
        made = self._prepare(X, sample_weight, client)
        loop, matcher = self._begin_loop(X, made, self._seed(), client)
        history = self._history(loop.context, matcher, self.tol, self.n_iter_no_change)
        loop.run(history)
        self._keep_result(replace(loop.result(history), engine=None), made, matcher.counters)
        assert isinstance(loop.centers, FrameCenters)
        self._keep_stream(loop.centers, 1)

    def _step(self, data: InMemoryDataset, client: DaskClient | None) -> None:
        """Assign graphs to their nearest centers, which move with them."""
        context, matcher = self._new_context(data, self.space_, 0)
        engine, centers = engine_factory(client)(context, matcher, self.n_clusters), self._stream
        engine.each(assign_labels, centers, 0.0)
        starved = np.flatnonzero(self.counts_ < self.reassignment_ratio * self.counts_.max())
        replaced = []
        for c in starved:
            far = engine.sum(sample.farthest, 1).graph
            if len(far):
                replaced.append(c)
                centers.replace(np.array([c]), data.batch.take(far))
                engine.each(dissolve_clusters, np.array([c]), centers)
                engine.each(claim_graphs, far, np.array([c]), centers)
                engine.each(assign_labels, centers, 0.0)
        frames = centers.frames.copy()
        for name in frames.SUMS:
            getattr(frames, name)[replaced] = 0.0
        added = engine.sum(sample.sums, centers)
        assert isinstance(added, Frames)
        frames += added
        centers = centers.with_sums(frames)
        self._keep_centers(self.encoder_, self.space_, centers.as_centers())
        self._set_assignment(engine.assignment())
        self.certified_fraction_ = float("nan")  # the centers have moved since
        self.inertia_ = self.space_.in_units_of_graphs(engine.sum(sample.inertia), power=2)
        self.n_matchings_ += matcher.counters.matchings.total()
        engine.close()
        self._keep_stream(centers, self.n_steps_ + 1)

    def _keep_stream(self, centers: FrameCenters, steps: int) -> None:
        self._stream = centers.with_sums(centers.frames)
        self.counts_: NDArray[np.float64] = centers.frames.total.copy()
        self.n_steps_ = steps

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
