"""Where k-means starts: furthest-first, k-means++, random or given graphs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.problem import SEEDING, Problem
from graphmeans.graphs.errors import GraphError
from graphmeans.means.frames import Centres
from graphmeans.means.mean import get_mean

IntArray = NDArray[np.int64]


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
    chosen = [int(np.where(usable, to_mean, np.inf).argmin())]
    nearest = np.full(len(problem), np.inf)
    while len(chosen) < k:
        nearest = np.minimum(nearest, _distances_to(problem, chosen[-1]))
        chosen.append(_best(nearest, usable, chosen))
    return np.array(chosen)


def k_means_plus_plus(problem: Problem, k: int) -> IntArray:
    """Each further graph is drawn with a probability proportional to its weighted squared distance from all chosen."""
    random = problem.random("seeding")
    chosen = [_draw(random, problem.weights)]
    nearest = np.full(len(problem), np.inf)
    while len(chosen) < k:
        nearest = np.minimum(nearest, _distances_to(problem, chosen[-1]))
        mass = problem.weights * nearest**2
        mass[chosen] = 0.0
        if not mass.any():  # only copies of chosen graphs are left
            mass = np.where(problem.weights > 0, problem.weights, 0.0)
            mass[chosen] = 0.0
        if not mass.any():
            mass = np.ones(len(problem))
            mass[chosen] = 0.0
        chosen.append(_draw(random, mass))
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
    "random": random_graphs,
}


def seeds(problem: Problem, k: int, init: str) -> Centres:
    """Centres from the start of this name; its matchings are counted as seeding."""
    if init not in SEEDINGS:
        raise GraphError(f"unknown init {init!r}; known are {', '.join(SEEDINGS)}, graphs or a callable")
    with problem.counted_as(SEEDING):
        return Centres.of_graphs(problem.batch.take(SEEDINGS[init](problem, k)))


def _distances_to(problem: Problem, graph: int) -> NDArray[np.float64]:
    """D of every graph and one of them, which is not matched with itself."""
    others = np.delete(np.arange(len(problem)), graph)
    centre = Centres.of_graphs(problem.batch.take([graph]))
    distances = np.zeros(len(problem))
    distances[others] = problem.distances(others, centre, np.zeros_like(others))
    return distances


def _best(value: NDArray[np.float64], usable: NDArray[np.bool_], chosen: list[int]) -> int:
    score = np.where(usable, value, -1.0)
    score[chosen] = -2.0
    return int(score.argmax())


def _draw(random: np.random.RandomState, mass: NDArray[np.float64]) -> int:
    total = np.cumsum(mass)
    return int(min(np.searchsorted(total, random.uniform() * total[-1], side="right"), np.flatnonzero(mass)[-1]))
