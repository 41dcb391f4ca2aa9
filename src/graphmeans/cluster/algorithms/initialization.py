"""Where k-means starts: furthest-first, k-means++, k-means||, medoids, random or given graphs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.random import sample_without_replacement

from graphmeans.cluster.centers.frame_centers import MovingCenters
from graphmeans.cluster.context import Problem
from graphmeans.cluster.counters import SEEDING
from graphmeans.cluster.shards.reductions import Sample
from graphmeans.graphs.errors import GraphError
from graphmeans.means.frames import Centers
from graphmeans.means.registry import get_mean
from graphmeans.space import PAIRS_AT_ONCE

logger = logging.getLogger("graphmeans")

IntArray = NDArray[np.int64]

#: Graphs among which medoids are sought: at least so many, and so many for each cluster.
SAMPLE, SAMPLE_PER_CLUSTER = 200, 10
#: Of more graphs than this, furthest-first sees a sample.
WHOLE = 50_000
#: k-means||: passes over the collection, and the graphs drawn in each, as a multiple of k.
PASSES, OVERSAMPLING = 5, 2.0
NOBODY = np.zeros(0, dtype=np.int64)


class Seeds:
    """Seeds chosen one by one. Shards meet each new one: a graph is matched with it only if nothing proves that it is no
    nearer than the nearest seed so far. What is found out is never sought again.
    """

    def __init__(self, problem: Problem, k: int) -> None:
        self.problem, self.k = problem, k
        self.engine = problem.engine(k)
        self.chosen: list[int] = []
        self.centers = MovingCenters(problem.order, problem.source.like, k)
        self.inertia: list[float] = []  # of each shard

    def add(self, seed: Sample) -> None:
        """Take this graph. Seeds are always matched with each other."""
        number, c = int(seed.graph[0]), len(self.chosen)
        pairs = np.stack([np.zeros(c, dtype=np.int64), np.arange(c)], axis=1)
        between = self.problem.match(seed.batch, self.centers.batch, pairs).lower
        self.centers.append(seed.batch)
        self.chosen.append(number)
        if c < self.k - 1:  # the last one is met by the algorithm
            self.inertia = self.engine.each("meet", number, between, self.centers)

    def done(self) -> IntArray:
        """The chosen graphs; the shards stay as they are for an algorithm that can use them."""
        self.problem.seeds = self.centers
        return np.array(self.chosen)

    def anyone(self, random: np.random.RandomState) -> Sample:
        """A graph that was not chosen, by weight; if none of them has a weight, any."""
        without = np.array(self.chosen, dtype=np.int64)
        even = not any(self.engine.each("weight", without))
        mass = self.engine.each("weight", without, even)
        return drawn(self.engine, "draw_by_weight", random, mass, without, even)


def drawn(engine: Any, method: str, random: np.random.RandomState, mass: list[float], *args: Any) -> Sample:
    """One graph, by masses of which each shard has so much."""
    total = np.cumsum(mass)
    target = random.uniform() * total[-1]
    shard = int(min(np.searchsorted(total, target, side="right"), np.flatnonzero(mass)[-1]))
    sample: Sample = engine.one(shard, method, target - (total[shard - 1] if shard else 0.0), *args)
    return sample


def furthest_first(problem: Problem, k: int) -> IntArray:
    """The paper's start. First the graph closest to the sample mean of all; then the one farthest from all chosen.

    Of more than `WHOLE` graphs a random sample of that size is taken: the farthest of millions would be freaks.
    """
    n = len(problem.engine(k))
    if n > WHOLE:
        return _on_a_sample(problem, k, WHOLE, furthest_first)
    random = problem.random("seeding")
    everyone = [random.permutation(n)]
    graphs = _picked(problem, np.arange(n))
    mean = get_mean("incremental").compute(
        problem.match, graphs.batch, everyone, graphs.weight, problem.space.order, random
    )
    to_mean = np.concatenate(
        [
            problem.match(graphs.batch, mean.centers.batch, np.stack([x, np.zeros_like(x)], axis=1)).upper
            for x in np.array_split(np.arange(n), -(-n // PAIRS_AT_ONCE))
        ]
    )
    seeds = Seeds(problem, k)
    seeds.add(_picked(problem, np.array([np.where(graphs.weight > 0, to_mean, np.inf).argmin()])))
    while len(seeds.chosen) < k:
        far = seeds.engine.total("farthest", 1)
        seeds.add(_picked(problem, far.graph) if len(far.graph) else seeds.anyone(random))
    return seeds.done()


def k_means_plus_plus(problem: Problem, k: int) -> IntArray:
    """Each further graph is drawn with a probability proportional to its weighted squared distance from all chosen."""
    random = problem.random("seeding")
    seeds = Seeds(problem, k)
    seeds.add(seeds.anyone(random))
    while len(seeds.chosen) < k:
        if any(seeds.inertia):
            seeds.add(drawn(seeds.engine, "draw", random, seeds.inertia))
        else:
            seeds.add(seeds.anyone(random))
    return seeds.done()


def k_means_parallel(problem: Problem, k: int) -> IntArray:
    """k-means||: a few passes over the collection instead of k.

    In each of them about 2 k graphs are drawn at once, with probabilities as for k-means++, and met by all. What was drawn,
    each weighted by the graphs nearest to it, is clustered, and the graphs that are closest to those means are the seeds.
    """
    random, engine = problem.random("seeding"), problem.engine(k)
    first = drawn(engine, "draw_by_weight", random, engine.each("weight", NOBODY), NOBODY)
    candidates = _Candidates(problem, first)
    for step in range(PASSES):
        if candidates.inertia <= 0:
            break
        seed = [problem.seed, crc32(b"oversampling"), step]
        candidates.meet(engine.total("draw_some", OVERSAMPLING * k / candidates.inertia, seed))
    while len(candidates.graphs.graph) < k:  # copies of each other, or nearly
        chosen = candidates.graphs.graph
        even = not any(engine.each("weight", chosen))
        candidates.meet(drawn(engine, "draw_by_weight", random, engine.each("weight", chosen, even), chosen, even))
    return candidates.reduced(k)


class _Candidates:
    """Graphs of which k become seeds, met by all shards."""

    def __init__(self, problem: Problem, first: Sample) -> None:
        self.problem, self.engine = problem, problem.engine()
        self.graphs, self.inertia = first, 0.0
        self._let_meet(first)

    def meet(self, more: Sample) -> None:
        """More of them, but for those that were drawn before."""
        new = np.flatnonzero(~np.isin(more.graph, self.graphs.graph))
        if len(new):
            more = Sample(more.graph[new], more.label[new], more.weight[new], more.batch.take(new))
            self.graphs += more
            self._let_meet(more)

    def _let_meet(self, more: Sample) -> None:
        self.inertia = self.engine.total("meet_some", more.graph, self._centers(np.arange(len(self.graphs.graph))))

    def _centers(self, which: IntArray) -> MovingCenters:
        centers = MovingCenters(self.problem.order, self.problem.source.like, len(which))
        for c in which:
            centers.append(self.graphs.batch.take([c]))
        return centers

    def reduced(self, k: int) -> IntArray:
        """The k best; shards keep what they know of them."""
        from graphmeans.cluster.algorithms.interval import interval

        problem, count = self.problem, len(self.graphs.graph)
        weights = self.engine.total("mass", count)
        few = Problem.of(self.graphs.batch, problem.space, weights, get_mean("lifted"), problem.seed, ledger=problem.ledger)
        few.matchings.purpose = SEEDING
        result = interval(few, seeds(few, k, "k-means++"), max_iter=20, tol=0.0, n_iter_no_change=3)
        chosen: list[int] = []
        for c in range(k):
            rest = np.where(np.isin(np.arange(count), chosen), np.inf, result.distances)
            own = np.where(result.labels == c, rest, np.inf)
            chosen.append(int((own if np.isfinite(own).any() else rest).argmin()))
        place = np.full(count, -1, dtype=np.int64)
        place[chosen] = np.arange(k)
        self.engine.each("select", place)
        problem.seeds = self._centers(np.array(chosen))
        return self.graphs.graph[chosen]


def medoids(problem: Problem, k: int) -> IntArray:
    """The k graphs of a random sample with the least sum of squared distances to all of it.

    Partitioning around medoids: they are added one by one, then exchanged as long as that helps. The sample has
    max(200, 10 k) graphs, all pairs of which are matched. Slow, but no other start leaves fewer groups out.
    """
    n = len(problem.engine(k))
    size = min(n, max(SAMPLE, SAMPLE_PER_CLUSTER * k))
    _say_sample("medoids", size, n)
    graphs = _picked(problem, np.sort(sample_without_replacement(n, size, random_state=problem.random("seeding"))))
    rows, columns = np.triu_indices(size, k=1)
    squares = np.zeros((size, size))
    for part in np.array_split(np.arange(len(rows)), -(-len(rows) // PAIRS_AT_ONCE) or 1):
        pairs = np.stack([rows[part], columns[part]], axis=1)
        squares[rows[part], columns[part]] = problem.match(graphs.batch, graphs.batch, pairs).upper ** 2
    squares += squares.T
    return graphs.graph[_partition(squares * graphs.weight, k)]


def _partition(squares: NDArray[np.float64], k: int) -> IntArray:
    """Rows that serve as medoids; squares[i, j] is what graph j costs in the cluster of graph i."""
    chosen: list[int] = []
    nearest = np.full(squares.shape[1], np.inf)
    for _ in range(k):
        costs = np.minimum(nearest, squares).sum(axis=1)
        costs[chosen] = np.inf
        chosen.append(int(costs.argmin()))
        nearest = np.minimum(nearest, squares[chosen[-1]])
    exchanged = True
    while exchanged:
        exchanged = False
        for place, medoid in enumerate(chosen):
            others = squares[chosen[:place] + chosen[place + 1 :]].min(axis=0, initial=np.inf)
            costs = np.minimum(others, squares).sum(axis=1)
            costs[chosen[:place] + chosen[place + 1 :]] = np.inf
            best = int(costs.argmin())
            if costs[best] < costs[medoid] * (1 - 1e-12):
                chosen[place], exchanged = best, True
    return np.array(chosen)


def random_graphs(problem: Problem, k: int) -> IntArray:
    """k different graphs, drawn by weight."""
    seeds: list[int] = []
    random, engine = problem.random("seeding"), problem.engine(k)
    while len(seeds) < k:
        without = np.array(seeds, dtype=np.int64)
        even = not any(engine.each("weight", without))
        sample = drawn(engine, "draw_by_weight", random, engine.each("weight", without, even), without, even)
        seeds += sample.graph.tolist()
    return np.array(seeds)


def _picked(problem: Problem, numbers: IntArray) -> Sample:
    """The graphs of these numbers, in this order."""
    sample: Sample = problem.engine().total("pick", numbers)
    back = np.searchsorted(sample.graph, numbers)
    if (back == np.arange(len(numbers))).all():
        return sample
    return Sample(sample.graph[back], sample.label[back], sample.weight[back], sample.batch.take(back))


def _on_a_sample(problem: Problem, k: int, size: int, seeding: Callable[[Problem, int], IntArray]) -> IntArray:
    n = len(problem.engine())
    _say_sample(seeding.__name__.replace("_", "-"), size, n)
    numbers = np.sort(sample_without_replacement(n, size, random_state=problem.random("sample")))
    graphs = _picked(problem, numbers)
    some = Problem.of(graphs.batch, problem.space, graphs.weight, problem.mean, problem.seed, ledger=problem.ledger)
    some.matchings.purpose = SEEDING
    return numbers[seeding(some, k)]


def _say_sample(name: str, size: int, n: int) -> None:
    if size < n:
        logger.info("%s: on a random sample of %d of the %d graphs", name, size, n)


#: A start: (problem, k) -> numbers of k graphs.
SEEDINGS: dict[str, Callable[[Problem, int], IntArray]] = {
    "furthest-first": furthest_first,
    "k-means++": k_means_plus_plus,
    "k-means||": k_means_parallel,
    "medoids": medoids,
    "random": random_graphs,
}


def seeds(problem: Problem, k: int, init: str) -> Centers:
    """Centers from the start of this name; its matchings are counted as seeding."""
    if init not in SEEDINGS:
        raise GraphError(f"unknown init {init!r}; known are {', '.join(SEEDINGS)}, graphs or a callable")
    logger.debug(
        "seeding: %s", init, extra={"trace": {"phase": "seeding", "run": problem.run, "n_runs": problem.n_runs}}
    )
    with problem.matchings.counted_as(SEEDING):
        chosen = SEEDINGS[init](problem, k)
        if problem.seeds is not None:
            return problem.seeds.centers()
        return Centers.of_graphs(_picked(problem, chosen).batch)
