"""Where k-means starts: furthest-first, k-means++, medoids, random or given graphs."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.matchings import SEEDING
from graphmeans.cluster.moving import MovingCentres
from graphmeans.cluster.problem import Problem
from graphmeans.graphs.errors import GraphError
from graphmeans.means.frames import Centres
from graphmeans.means.mean import get_mean

logger = logging.getLogger("graphmeans")

IntArray = NDArray[np.int64]

#: Graphs among which medoids are sought: at least so many, and so many for each cluster.
SAMPLE, SAMPLE_PER_CLUSTER = 200, 10


class Seeds:
    """Seeds chosen one by one. Shards meet each new one: a graph is matched with it only if nothing proves that it is no
    nearer than the nearest seed so far. What is found out is never sought again.
    """

    def __init__(self, problem: Problem, k: int) -> None:
        self.problem, self.k = problem, k
        self.chosen: list[int] = []
        self.centres = MovingCentres(problem.order, problem.batch, k)

    def add(self, number: int) -> None:
        """Take this graph. Seeds are always matched with each other."""
        graph, c = self.problem.engine.graph(number), len(self.chosen)
        pairs = np.stack([np.zeros(c, dtype=np.int64), np.arange(c)], axis=1)
        between = self.problem.match(graph, self.centres.batch, pairs).lower
        self.centres.append(graph)
        self.chosen.append(number)
        if c < self.k - 1:  # the last one is met by the algorithm
            self.problem.engine.each("meet", number, between, self.centres)

    def done(self) -> IntArray:
        """The chosen graphs; the shards stay as they are for an algorithm that can use them."""
        self.problem.seeds = self.centres
        return np.array(self.chosen)

    def anyone(self, random: np.random.RandomState) -> int:
        """A graph that was not chosen, where all have a copy among the seeds: by weight, if any has one."""
        mass = self.problem.weights.copy()
        mass[self.chosen] = 0.0
        if not mass.any():
            mass = np.ones(len(mass))
            mass[self.chosen] = 0.0
        return _draw(random, mass)


def furthest_first(problem: Problem, k: int) -> IntArray:
    """The paper's start. First the graph closest to the sample mean of all; then the one farthest from all chosen."""
    random = problem.random("seeding")
    everyone = [random.permutation(len(problem))]
    mean = get_mean("incremental").compute(
        problem.match, problem.batch, everyone, problem.weights, problem.space.order, random
    )
    everybody = np.arange(len(problem))
    to_mean = problem.distances(everybody, mean.centres, np.zeros_like(everybody))
    seeds = Seeds(problem, k)
    seeds.add(int(np.where(problem.weights > 0, to_mean, np.inf).argmin()))
    while len(seeds.chosen) < k:
        number, _, far = (np.concatenate(parts) for parts in zip(*problem.engine.each("farthest", 1), strict=True))
        seeds.add(int(number[far.argmax()]) if len(number) else seeds.anyone(random))
    return seeds.done()


def k_means_plus_plus(problem: Problem, k: int) -> IntArray:
    """Each further graph is drawn with a probability proportional to its weighted squared distance from all chosen."""
    random = problem.random("seeding")
    seeds = Seeds(problem, k)
    seeds.add(_draw(random, problem.weights))
    while len(seeds.chosen) < k:
        mass = np.cumsum(problem.engine.each("inertia"))
        if mass[-1] > 0:
            target = random.uniform() * mass[-1]
            shard = int(
                min(np.searchsorted(mass, target, side="right"), np.flatnonzero(np.diff(mass, prepend=0.0))[-1])
            )
            seeds.add(problem.engine.one(shard, "draw", target - (mass[shard - 1] if shard else 0.0)))
        else:
            seeds.add(seeds.anyone(random))
    return seeds.done()


def medoids(problem: Problem, k: int) -> IntArray:
    """The k graphs of a random sample with the least sum of squared distances to all of it.

    Partitioning around medoids: they are added one by one, then exchanged as long as that helps. The sample has
    max(200, 10 k) graphs, all pairs of which are matched. Slow, but no other start leaves fewer groups out.
    """
    size = min(len(problem), max(SAMPLE, SAMPLE_PER_CLUSTER * k))
    sample = np.sort(problem.random("seeding").choice(len(problem), size=size, replace=False))
    rows, columns = np.triu_indices(size, k=1)
    squares = np.zeros((size, size))
    squares[rows, columns] = (
        problem.distances(sample[rows], Centres.of_graphs(problem.batch.take(sample)), columns) ** 2
    )
    squares += squares.T
    return sample[_partition(squares * problem.weights[sample], k)]


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
    weights = problem.weights / problem.weights.sum()
    enough = (weights > 0).sum() >= k
    return problem.random("seeding").choice(len(problem), size=k, replace=False, p=weights if enough else None)


#: A start: (problem, k) -> numbers of k graphs.
SEEDINGS: dict[str, Callable[[Problem, int], IntArray]] = {
    "furthest-first": furthest_first,
    "k-means++": k_means_plus_plus,
    "medoids": medoids,
    "random": random_graphs,
}


def seeds(problem: Problem, k: int, init: str) -> Centres:
    """Centres from the start of this name; its matchings are counted as seeding."""
    if init not in SEEDINGS:
        raise GraphError(f"unknown init {init!r}; known are {', '.join(SEEDINGS)}, graphs or a callable")
    logger.debug(
        "seeding: %s", init, extra={"trace": {"phase": "seeding", "run": problem.run, "n_runs": problem.n_runs}}
    )
    with problem.matchings.counted_as(SEEDING):
        chosen = SEEDINGS[init](problem, k)
    return Centres.of_graphs(problem.batch.take(chosen)) if problem.seeds is None else problem.seeds.centres()


def _draw(random: np.random.RandomState, mass: NDArray[np.float64]) -> int:
    total = np.cumsum(mass)
    return int(min(np.searchsorted(total, random.uniform() * total[-1], side="right"), np.flatnonzero(mass)[-1]))
