"""Where k-means starts: furthest-first, k-means++, k-means||, medoids, random or given graphs."""

from __future__ import annotations

import logging
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, replace
from zlib import crc32

import numpy as np
from sklearn.utils.random import sample_without_replacement

from graphmeans.cluster.algorithms.exchanges import disjoint_exchanges, put_centers
from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.algorithms.interval import interval
from graphmeans.cluster.algorithms.moving import centers_of_graphs, no_centers
from graphmeans.cluster.algorithms.pam import best_medoids
from graphmeans.cluster.algorithms.result import Result
from graphmeans.cluster.algorithms.seeds import Seeds, draw_by_distance, draw_one
from graphmeans.cluster.centers.vector_centers import MovingCenters, VectorCenters
from graphmeans.cluster.context import SEEDING, CountedMatcher, FitContext
from graphmeans.cluster.engines.base import Engine
from graphmeans.cluster.engines.threads import ThreadEngine
from graphmeans.cluster.shards import estimate, sample
from graphmeans.cluster.shards.assign import assign_labels
from graphmeans.cluster.shards.estimate import Closeness
from graphmeans.cluster.shards.reductions import Sample
from graphmeans.cluster.shards.seed import select_seeds, update_with_seed, update_with_seeds
from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.means.frames import Centers
from graphmeans.means.registry import get_mean
from graphmeans.space import PAIRS_AT_ONCE

logger = logging.getLogger("graphmeans")


#: Graphs among which medoids are sought: at least so many, and so many for each cluster.
SAMPLE, SAMPLE_PER_CLUSTER = 200, 10
#: The same for k-means++ where matchings are dear; of fewer than twice as many graphs it sees all.
DEAR_SAMPLE, DEAR_SAMPLE_PER_CLUSTER = 1000, 30
#: What swaps of centers in that sample may cost, as a multiple of the work of its run: there they are cheap.
SAMPLE_SWAPS = 2.0
#: A graph of the sample takes about so many times as long as one of the others, which need neither seeds nor swaps.
SAMPLE_TIME = 1.3
#: Of more graphs than this, furthest-first sees a sample.
WHOLE = 50_000
#: k-means||: passes over the collection, and the graphs drawn in each, as a multiple of k.
PASSES, OVERSAMPLING = 5, 2.0
#: k-means++ leaves a distance open that bounds estimate to be too long; bounds below this share of u are not trusted so far.
MOST_SLACK = 0.5
#: Exchanges of seeds: the graphs drawn for one (at least, or k of them), how many seeds at once, how much they must promise as a
#: share of what a cluster contributes, and how many in a row may be in vain.
CANDIDATES, EXCHANGED, WORTH_IT, PATIENCE = 10, 2, 1e-3, 6
NOBODY = np.zeros(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Initialization:
    """What every start works with: the context of the run, the counted matcher, and who holds the shards."""

    context: FitContext
    matcher: CountedMatcher
    engine: Engine
    k: int

    def pick(self, numbers: IntArray) -> Sample:
        """The graphs of these numbers, in this order."""
        found = self.engine.sum(sample.pick, numbers)
        back = np.searchsorted(found.graph, numbers)
        return found if (back == np.arange(len(numbers))).all() else found.take(back)

    def anyone(self, random: np.random.RandomState, without: IntArray = NOBODY) -> Sample:
        """A graph other than these, by weight; if none of them has a weight, any."""
        mass = self.engine.each(sample.total_weight, without, False)
        even = not any(mass)
        if even:
            mass = self.engine.each(sample.total_weight, without, True)
        return draw_one(self.engine, random, mass, sample.draw_by_weight, without, even)

    def of_some(self, graphs: Sample, part: tuple[float, float] = (0.0, 1.0)) -> Initialization:
        """What a start works with if it sees only some of the graphs, in memory; `part` is that of its context."""
        context = FitContext.in_memory(
            graphs.batch, self.context.space, self.context.mean, self.context.seed, graphs.weight
        )
        context = replace(context, run=self.context.run, n_runs=self.context.n_runs, part=part)
        return Initialization(context, self.matcher, ThreadEngine(context, self.matcher, self.k), self.k)


@dataclass(frozen=True)
class Chosen:
    """The numbers of the graphs that a start has chosen, and the same in frames if shards were updated with them.

    `means`, where there are any, are better centers to begin with than these graphs.
    """

    numbers: IntArray
    in_frames: MovingCenters | None = None
    means: Centers | None = None


class _OneByOne:
    """Seeds chosen one by one. Shards are updated with each new one: a graph is matched with it only if nothing proves that
    it is no nearer than the nearest seed so far. What is found out is never sought again.

    If it is `lazy`, nothing need prove it: it is enough that bounds, divided by what they have made up of distances so far,
    say so. Seeds to come will be nearer, and most of what was left open is never asked.
    """

    def __init__(self, init: Initialization, lazy: bool = False) -> None:
        self.init, self.lazy = init, lazy
        self.numbers: list[int] = []
        self.centers = no_centers(init.context, init.k)
        self.shard_inertia: list[float] = []
        self.closeness = Closeness()
        self._sums = np.zeros(3)
        self._firsts = init.engine.each(sample.first_graph)

    @property
    def _slack(self) -> float:
        return min(1.0 - self.closeness.lap, MOST_SLACK) if self.lazy else 0.0

    def add(self, seed: Sample) -> None:
        """Take this graph. Seeds are always matched with each other."""
        number, c = int(seed.graph[0]), len(self.numbers)
        _say(self.init.context, f"{c} of {self.init.k} seeds", share=c / self.init.k)
        pairs = np.stack([np.zeros(c, dtype=np.int64), np.arange(c)], axis=1)
        between = self.init.matcher.match(seed.batch, self.centers.batch, pairs).lower
        self.centers.append(seed.batch)
        self.numbers.append(number)
        if c < self.init.k - 1 or isinstance(self.centers, VectorCenters):  # else the algorithm looks at the last one first
            found = self.init.engine.each(update_with_seed, number, between, self.centers, self._slack)
            self.shard_inertia = [inertia for inertia, _ in found]
            self._sums = sum((sums for _, sums in found), self._sums)
            self.closeness = Closeness.of(self._sums)

    def draw(self, random: np.random.RandomState, count: int) -> Sample:
        """Some graphs, drawn by their weighted squared distances from the seeds."""
        return draw_by_distance(self.init.engine, random, self.shard_inertia, self._firsts, count)

    def best_of(self, drawn: Sample) -> Sample:
        """The one of these graphs that seems to lower the objective most."""
        gains = self.init.engine.sum(estimate.addition_gains, drawn.batch, self.closeness)
        return drawn.take(np.array([gains.argmax()]))

    def exchange(self, random: np.random.RandomState) -> None:
        """Exchange seeds for graphs that seem to serve better, as long as the objective falls now and then."""
        engine, k = self.init.engine, self.init.k
        inertia, failed = self._assign(), 0
        in_vain: list[int] = []
        for _ in range(k):
            if not inertia > 0 or failed == PATIENCE:
                break
            drawn = self.draw(random, max(k, CANDIDATES))
            gains = engine.sum(estimate.exchange_gains, drawn.batch, self.centers, self.closeness)
            gains.saved[np.isin(drawn.graph, in_vain)] = -np.inf
            out, new = disjoint_exchanges(gains, drawn.label, EXCHANGED, least=WORTH_IT * inertia / k)
            if not len(out):
                break
            before = copy(self.centers), self.numbers.copy(), self.shard_inertia
            engine.each(sample.snapshot)
            put_centers(engine, self.centers, out, drawn.take(new))
            for c, number in zip(out.tolist(), drawn.graph[new].tolist(), strict=True):
                self.numbers[c] = number
            now = self._assign()
            if now < inertia:
                inertia, failed, in_vain = now, 0, []
            else:
                failed += 1
                in_vain += drawn.graph[new].tolist()
                self.centers, self.numbers, self.shard_inertia = before
                engine.each(sample.rollback)

    def _assign(self) -> float:
        """Find the nearest seed of every graph; returns the objective."""
        self.init.engine.each(assign_labels, self.centers, self._slack)
        self.shard_inertia = self.init.engine.each(sample.inertia)
        return self.init.engine.sum(sample.inertia)

    def anyone(self, random: np.random.RandomState) -> Sample:
        """A graph that was not chosen, by weight."""
        return self.init.anyone(random, np.array(self.numbers, dtype=np.int64))

    def chosen(self) -> Chosen:
        """The seeds; the shards stay as they are for an algorithm that can use them."""
        return Chosen(np.array(self.numbers), self.centers)


def furthest_first(init: Initialization) -> Chosen:
    """The paper's start. First the graph closest to the sample mean of all; then the one farthest from all chosen.

    Of more than `WHOLE` graphs a random sample of that size is taken: the farthest of millions would be freaks.
    """
    context, match, n = init.context, init.matcher.match, len(init.engine)
    if n > WHOLE:
        _log_sample("furthest-first", WHOLE, n)
        numbers = np.sort(sample_without_replacement(n, WHOLE, random_state=context.random("sample")))
        return Chosen(numbers[furthest_first(init.of_some(init.pick(numbers))).numbers])
    random = context.random("seeding")
    everyone = [random.permutation(n)]
    graphs = init.pick(np.arange(n))
    mean = get_mean("incremental").compute(match, graphs.batch, everyone, graphs.weight, context.space.order, random)
    to_mean = np.concatenate(
        [
            match(graphs.batch, mean.centers.batch, np.stack([x, np.zeros_like(x)], axis=1)).upper
            for x in np.array_split(np.arange(n), -(-n // PAIRS_AT_ONCE))
        ]
    )
    seeds = _OneByOne(init)
    seeds.add(init.pick(np.array([np.where(graphs.weight > 0, to_mean, np.inf).argmin()])))
    while len(seeds.numbers) < init.k:
        far = init.engine.sum(sample.farthest, 1)
        seeds.add(init.pick(far.graph) if len(far.graph) else seeds.anyone(random))
    return seeds.chosen()


def k_means_plus_plus(init: Initialization) -> Chosen:
    """Greedy k-means++: of several graphs drawn by their weighted squared distances the one that helps most is taken.

    How much each would lower the objective is estimated from bounds; only the one that is taken is matched. In the end seeds are
    exchanged for other graphs where that helps.

    Where matchings are dear and graphs are many, that is done for a sample, which is then clustered: its means are the start.
    """
    size = sample_size(init.matcher, len(init.engine), init.k)
    if size:
        return _means_of_sample(init, size)
    random, draws = init.context.random("seeding"), 2 + int(np.log(init.k))
    seeds = _OneByOne(init, lazy=True)
    seeds.add(seeds.anyone(random))
    while len(seeds.numbers) < init.k:
        more = any(seeds.shard_inertia)
        seeds.add(seeds.best_of(seeds.draw(random, draws)) if more else seeds.anyone(random))
    if init.k > 1:
        seeds.exchange(random)
    return seeds.chosen()


def sample_size(matcher: CountedMatcher, n: int, k: int) -> int:
    """Of how many of n graphs the start of k clusters is made, so that it does not cost more than the run; 0: of all."""
    size = max(DEAR_SAMPLE, DEAR_SAMPLE_PER_CLUSTER * k)
    return size if matcher.sifts and n >= 2 * size else 0


def _means_of_sample(init: Initialization, size: int) -> Chosen:
    """The means of a random sample of this size, and the graphs that are nearest to them."""
    n = len(init.engine)
    _log_sample("k-means++", size, n)
    numbers = np.sort(sample_without_replacement(n, size, random_state=init.context.random("sample")))
    some = init.of_some(init.pick(numbers), (0.0, SAMPLE_TIME * size / (SAMPLE_TIME * size + n)))
    seeds = initialize(some.context, some.matcher, some.engine, init.k, "k-means++")
    history = History(some.context, some.matcher.counters)
    result = interval(some.context, some.matcher, seeds, history, engine=some.engine, swaps=SAMPLE_SWAPS, polish=False)
    return Chosen(numbers[_nearest_to_centers(result, init.k)], means=result.centers)


def k_means_parallel(init: Initialization) -> Chosen:
    """k-means||: a few passes over the collection instead of k.

    In each of them about 2 k graphs are drawn at once, with probabilities as for k-means++, and all shards are updated with
    them. What was drawn, each weighted by the graphs nearest to it, is clustered, and the graphs that are closest to those
    means are the seeds.
    """
    random, k = init.context.random("seeding"), init.k
    candidates = _Candidates(init, init.anyone(random))
    for step in range(PASSES):
        if candidates.inertia <= 0:
            break
        seed = [init.context.seed, crc32(b"oversampling"), step]
        candidates.add(init.engine.sum(sample.draw_some, OVERSAMPLING * k / candidates.inertia, seed))
    while len(candidates.graphs.graph) < k:  # copies of each other, or nearly
        candidates.add(init.anyone(random, candidates.graphs.graph))
    return candidates.reduced()


class _Candidates:
    """Graphs of which k become seeds; all shards are updated with them."""

    def __init__(self, init: Initialization, first: Sample) -> None:
        self.init, self.graphs, self.inertia = init, first, 0.0
        self._update(first)

    def add(self, more: Sample) -> None:
        """Take more of them, but for those that were drawn before."""
        new = np.flatnonzero(~np.isin(more.graph, self.graphs.graph))
        if len(new):
            more = more.take(new)
            self.graphs += more
            self._update(more)

    def _update(self, more: Sample) -> None:
        centers = centers_of_graphs(self.init.context, self.graphs.batch)
        self.inertia = self.init.engine.sum(update_with_seeds, more.graph, centers)

    def reduced(self) -> Chosen:
        """The k best; shards keep what they know of them."""
        init, k, count = self.init, self.init.k, len(self.graphs.graph)
        weights = init.engine.sum(sample.cluster_weights, count)
        context = FitContext.in_memory(
            self.graphs.batch, init.context.space, get_mean("lifted"), init.context.seed, weights
        )
        start = initialize(context, init.matcher, ThreadEngine(context, init.matcher, k), k, "k-means++")
        result = interval(context, init.matcher, start, History(context, init.matcher.counters, max_iter=20))
        chosen = _nearest_to_centers(result, k)
        number = np.full(count, -1, dtype=np.int64)
        number[chosen] = np.arange(k)
        init.engine.each(select_seeds, number)
        in_frames = centers_of_graphs(init.context, self.graphs.batch.take(chosen))
        return Chosen(self.graphs.graph[chosen], in_frames)


def _nearest_to_centers(result: Result, k: int) -> list[int]:
    """For each center another graph that is near to it, if possible the nearest of its own."""
    chosen: list[int] = []
    for c in range(k):
        rest = np.where(np.isin(np.arange(len(result.labels)), chosen), np.inf, result.distances)
        own = np.where(result.labels == c, rest, np.inf)
        chosen.append(int((own if np.isfinite(own).any() else rest).argmin()))
    return chosen


def medoids(init: Initialization) -> Chosen:
    """The k graphs of a random sample with the least sum of squared distances to all of it.

    Partitioning around medoids: they are added one by one, then exchanged as long as that helps. The sample has
    max(200, 10 k) graphs, all pairs of which are matched. Slow, but no other start leaves fewer groups out.
    """
    n = len(init.engine)
    size = min(n, max(SAMPLE, SAMPLE_PER_CLUSTER * init.k))
    _log_sample("medoids", size, n)
    random = init.context.random("seeding")
    graphs = init.pick(np.sort(sample_without_replacement(n, size, random_state=random)))
    rows, columns = np.triu_indices(size, k=1)
    squares = np.zeros((size, size))
    for part in np.array_split(np.arange(len(rows)), -(-len(rows) // PAIRS_AT_ONCE) or 1):
        pairs = np.stack([rows[part], columns[part]], axis=1)
        squares[rows[part], columns[part]] = init.matcher.match(graphs.batch, graphs.batch, pairs).upper ** 2
    squares += squares.T
    return Chosen(graphs.graph[best_medoids(squares, graphs.weight, init.k)])


def random_graphs(init: Initialization) -> Chosen:
    """k different graphs, drawn by weight."""
    numbers, random = NOBODY, init.context.random("seeding")
    while len(numbers) < init.k:
        numbers = np.concatenate([numbers, init.anyone(random, numbers).graph])
    return Chosen(numbers)


def _say(context: FitContext, said: str, share: float) -> None:
    """Log how much of the seeding is done."""
    if logger.isEnabledFor(logging.DEBUG):
        logger.debug("seeding: %s", said, extra={"trace": {"phase": "seeding", "share": share, **context.whereabouts()}})


def _log_sample(name: str, size: int, n: int) -> None:
    if size < n:
        logger.info("%s: on a random sample of %d of the %d graphs", name, size, n)


#: The starts, by the name that `init` takes.
INITIALIZATIONS: dict[str, Callable[[Initialization], Chosen]] = {
    "furthest-first": furthest_first,
    "k-means++": k_means_plus_plus,
    "k-means||": k_means_parallel,
    "medoids": medoids,
    "random": random_graphs,
}


def choose_graphs(context: FitContext, matcher: CountedMatcher, engine: Engine, k: int, name: str) -> Chosen:
    """The k graphs that the start of this name chooses; its matchings are counted as seeding."""
    if name not in INITIALIZATIONS:
        raise GraphError(f"unknown init {name!r}; known are {', '.join(INITIALIZATIONS)}, graphs or a callable")
    _say(context, name, share=0.0)
    with matcher.counted_as(SEEDING):
        return INITIALIZATIONS[name](Initialization(context, matcher, engine, k))


def initialize(context: FitContext, matcher: CountedMatcher, engine: Engine, k: int, name: str) -> Seeds:
    """The seeds that the start of this name chooses, with what the shards of the engine know of them."""
    chosen = choose_graphs(context, matcher, engine, k, name)
    if chosen.means is not None:
        return Seeds(chosen.means, engine=engine)
    if chosen.in_frames is not None:
        return Seeds(chosen.in_frames.as_centers(), chosen.in_frames, engine)
    picked = Initialization(context, matcher, engine, k).pick(chosen.numbers)
    return Seeds(Centers.of_graphs(picked.batch), engine=engine)
