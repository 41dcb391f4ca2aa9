"""Where k-means starts: furthest-first, k-means++, medoids, random or given graphs."""

from __future__ import annotations

import logging
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.known import Known
from graphmeans.cluster.problem import SEEDING, Problem
from graphmeans.graphs.errors import GraphError
from graphmeans.means.frames import Centres
from graphmeans.means.mean import get_mean

logger = logging.getLogger("graphmeans")

IntArray = NDArray[np.int64]

#: Graphs among which medoids are sought: at least so many, and so many for each cluster.
SAMPLE, SAMPLE_PER_CLUSTER = 200, 10


def furthest_first(problem: Problem, k: int) -> IntArray:
    """The paper's start. First the graph closest to the sample mean of all; then the one farthest from all chosen."""
    random = problem.random("seeding")
    everyone = [random.permutation(len(problem))]
    mean = get_mean("incremental").compute(
        problem.match, problem.batch, everyone, problem.weights, problem.space.order, random
    )
    everybody = np.arange(len(problem))
    usable = problem.weights > 0
    to_mean = problem.distances(everybody, mean.centres, np.zeros_like(everybody))
    known = Known(problem, k)
    seed = int(np.where(usable, to_mean, np.inf).argmin())
    while len(known.seeds) < k - 1:
        nearest = known.add(seed)
        seed = _best(nearest, usable, known.seeds)
    problem.known = known
    return np.array([*known.seeds, seed])


def k_means_plus_plus(problem: Problem, k: int) -> IntArray:
    """Each further graph is drawn with a probability proportional to its weighted squared distance from all chosen."""
    random = problem.random("seeding")
    known = Known(problem, k)
    seed = _draw(random, problem.weights)
    while len(known.seeds) < k - 1:
        mass = problem.weights * known.add(seed) ** 2
        mass[known.seeds] = 0.0
        if not mass.any():  # only copies of chosen graphs are left
            mass = np.where(problem.weights > 0, problem.weights, 0.0)
            mass[known.seeds] = 0.0
        if not mass.any():
            mass = np.ones(len(problem))
            mass[known.seeds] = 0.0
        seed = _draw(random, mass)
    problem.known = known
    return np.array([*known.seeds, seed])


def medoids(problem: Problem, k: int) -> IntArray:
    """The k graphs of a random sample with the least sum of squared distances to all of it.

    Partitioning around medoids: they are added one by one, then exchanged as long as that helps. The sample has
    max(200, 10 k) graphs, all pairs of which are matched. Slow, but no other start leaves fewer groups out.
    """
    size = min(len(problem), max(SAMPLE, SAMPLE_PER_CLUSTER * k))
    sample = np.sort(problem.random("seeding").choice(len(problem), size=size, replace=False))
    rows, columns = np.triu_indices(size, k=1)
    squares = np.zeros((size, size))
    squares[rows, columns] = problem.distances(sample[rows], Centres.of_graphs(problem.batch.take(sample)), columns) ** 2
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
    usable = problem.weights > 0
    if usable.sum() < k:
        return problem.random("seeding").choice(len(problem), size=k, replace=False)
    return problem.random("seeding").choice(len(problem), size=k, replace=False, p=problem.weights / problem.weights.sum())


#: A start: (problem, k) -> positions of k graphs.
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
    logger.debug("seeding: %s", init, extra={"trace": {"phase": "seeding", "run": problem.run, "n_runs": problem.n_runs}})
    with problem.counted_as(SEEDING):
        return Centres.of_graphs(problem.batch.take(SEEDINGS[init](problem, k)))


def _best(value: NDArray[np.float64], usable: NDArray[np.bool_], chosen: list[int]) -> int:
    score = np.where(usable, value, -1.0)
    score[chosen] = -2.0
    return int(score.argmax())


def _draw(random: np.random.RandomState, mass: NDArray[np.float64]) -> int:
    total = np.cumsum(mass)
    return int(min(np.searchsorted(total, random.uniform() * total[-1], side="right"), np.flatnonzero(mass)[-1]))
