"""What a fit would take: from a few pairs that are matched, and from a fit of a few graphs where that is a matter of seconds.

How long a matching takes grows with about the cube of the nodes. So pairs of moderate size are timed, and what larger ones take
is inferred: nothing here waits for a large pair.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np
from sklearn.base import clone
from sklearn.utils import check_random_state

from graphmeans.cluster.estimators.kmeans import GraphKMeans
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.kernels.jit import kernels_ready
from graphmeans.matching.sketch import sketch_order
from graphmeans.nearest.sketches import Sketches
from graphmeans.space import GraphSpace

T = TypeVar("T")

#: Pairs that are matched to see which column counts and how long a matching takes.
SAMPLED_PAIRS = 200
#: Fewer pairs where graphs are large: a matching takes about the cube of their nodes, and all together no more than this.
MOST_WORK = 6e7
#: A single pair of more work than this is not matched.
LARGEST_PAIR = 3e8
#: Pairs whose sizes say what the average one takes.
SIZED_PAIRS = 2000
#: About how many seconds a trial fit may take, and how many graphs it has at least and at most.
TRIAL, LEAST_TRIAL, MOST_TRIAL = 6.0, 24, 500
#: What a fit takes for each graph, in matchings, where nothing else is known; a cluster of a trial has at least so many graphs.
MATCHINGS_A_GRAPH, A_CLUSTER = 20, 8
#: Nodes of a union of graphs that shows what large ones take.
UNION = 150
#: A single pair takes at most so many times what is inferred for the largest.
AT_MOST = 2.0
#: Bytes for each graph: a bound to each of the nearest centers (twice, because swaps may be taken back), how many of these there
#: are, and labels and the like; then how many arrays as large as all centers there are, and what the interpreter takes.
BOUND, NEAREST, REST, FRAMES, PROCESS = 28, 64, 200, 8, 3e8


@dataclass(frozen=True)
class Cost:
    """What a fit would take, extrapolated from a fit of a sample, or from matched pairs alone (`n_sample` is 0)."""

    n_clusters: int
    seconds: float
    matchings: float
    bytes: float
    seconds_a_matching: float
    seconds_longest_matching: float
    n_sample: int


def pair_work(points: GraphBatch, pairs: IntArray) -> FloatArray:
    """What matching each pair takes, about: the cube of the nodes of the larger graph."""
    return points.sizes[pairs].max(axis=1).astype(np.float64) ** 3


def affordable_pairs(points: GraphBatch, random: np.random.RandomState) -> IntArray:
    """Random pairs of different graphs, as many as can be matched in a moment; the smallest ones if all are large."""
    pairs = _random_pairs(points, random, SAMPLED_PAIRS)
    work = pair_work(points, pairs)
    moderate = pairs[work <= MOST_WORK / 10]
    if len(moderate):
        return moderate[: int(np.searchsorted(np.cumsum(pair_work(points, moderate)), MOST_WORK, side="right"))]
    smallest = pairs[np.argsort(work, kind="stable")[:2]]
    return smallest[pair_work(points, smallest) <= LARGEST_PAIR]


def _random_pairs(points: GraphBatch, random: np.random.RandomState, size: int) -> IntArray:
    count = len(points)
    if count < 2:
        return np.zeros((0, 2), dtype=np.int64)
    first = random.randint(count, size=size)
    return np.stack([first, (first + random.randint(1, count, size=size)) % count], axis=1)


def expected_cost(
    graphs: Sequence[Graph], estimator: GraphKMeans, space: GraphSpace, points: GraphBatch, pairs: IntArray,
    sketching: float, random: np.random.RandomState,
) -> Cost:  # fmt: skip
    """What a fit of all graphs would take, from timed pairs and a trial fit of graphs that are no larger than those."""
    seconds, _ = warm_seconds(lambda: space.solve(points, points, pairs))
    a_unit = seconds / pair_work(points, pairs).sum()
    k, largest = int(estimator.n_clusters), int(points.sizes[pairs].max())
    most = float(points.sizes.max()) ** 3
    of_large = _unit_of_large_pairs(space, points, a_unit) if most > 8 * largest**3 else a_unit
    works = pair_work(points, _random_pairs(points, random, SIZED_PAIRS))
    each = float((works * np.where(works <= largest**3, a_unit, of_large)).mean())
    longest = float(AT_MOST * max(each, a_unit * largest**3, of_large * most))
    usable = np.flatnonzero(points.sizes <= largest)
    timed = a_unit * float((points.sizes[usable].astype(np.float64) ** 3).mean())
    size = int(min(len(usable), MOST_TRIAL, TRIAL / max(timed * MATCHINGS_A_GRAPH, 1e-9)))
    memory = _memory(graphs, space, points, k)
    others = len(graphs) - len(usable)
    if size < min(LEAST_TRIAL, len(graphs)):
        matchings = float(len(graphs) * MATCHINGS_A_GRAPH)
        return Cost(k, matchings * each, matchings, memory, each, longest, 0)
    seconds, spent, iterations = _trial(graphs, estimator, usable, size, random)
    grows = len(graphs) / size
    seconds, matchings = seconds * grows, spent * grows
    # Graphs that are larger than those of the trial are matched, too.
    seconds += others * MATCHINGS_A_GRAPH * longest / AT_MOST
    if estimator.algorithm == "interval" and np.isfinite(sketching):
        # Graphs are sketched once, centers whenever they move: at the order of the whole collection.
        seconds += sketching * (len(graphs) + k * iterations)
    return Cost(k, seconds, matchings, memory, each, longest, size)


def warm_seconds(action: Callable[[], T]) -> tuple[float, T]:
    """How many seconds an action takes, and its answer. If kernels were compiled for it, it is done once more without that."""
    while True:
        ready, start = kernels_ready(), time.perf_counter()
        answer = action()
        seconds = time.perf_counter() - start
        if kernels_ready() == ready:
            return seconds, answer


def _unit_of_large_pairs(space: GraphSpace, points: GraphBatch, a_unit: float) -> float:
    """Seconds for each unit of work of pairs that are much larger than those that were timed: of two unions of small graphs.

    Small pairs say too much: less is tried where there are many nodes.
    """
    small = np.argsort(points.sizes, kind="stable")
    count = int(np.searchsorted(np.cumsum(points.sizes[small]), UNION)) + 1
    union = _union(points.take(small[:count]))
    if (union.role_counts > space.order[: union.role_counts.shape[1]]).any() or len(union.nodes) < UNION:
        return a_unit
    itself = np.zeros((1, 2), dtype=np.int64)
    seconds, _ = warm_seconds(lambda: space.solve(union, union, itself))
    return min(a_unit, seconds / float(pair_work(union, itself)[0]))


def _union(batch: GraphBatch) -> GraphBatch:
    """All graphs of a batch as one graph."""
    first = np.repeat(batch.node_ptr[:-1], np.diff(batch.edge_ptr))
    ends = (batch.ends + first[:, None]).astype(batch.ends.dtype)
    return replace(batch, node_ptr=batch.node_ptr[[0, -1]], edge_ptr=batch.edge_ptr[[0, -1]], ends=ends)


def _trial(
    graphs: Sequence[Graph], estimator: GraphKMeans, usable: IntArray, size: int, random: np.random.RandomState
) -> tuple[float, int, int]:
    """Seconds, matchings and iterations of a fit of so many of these graphs, with clusters of a reasonable size."""
    sample = [graphs[i] for i in random.choice(usable, size=size, replace=False)]
    trial = clone(estimator).set_params(n_clusters=max(1, min(int(estimator.n_clusters), size // A_CLUSTER or 1)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        few = clone(trial).set_params(n_clusters=min(2, len(sample)))
        few.fit(sample[: max(2, size // 20)])  # compiles whatever else a fit needs
        seconds, _ = warm_seconds(lambda: trial.fit(sample))
    return seconds, trial.n_matchings_ + trial.n_seeding_matchings_ + trial.n_evaluation_matchings_, int(trial.n_iter_)


def forecast(graphs: Sequence[Graph], estimator: GraphKMeans, random_state: Any = 0) -> Cost | None:
    """What fitting this estimator would take; None if that cannot be said, or if the fit will say what is wrong."""
    random, encoder = check_random_state(random_state), estimator.encoder
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            encoder = GraphEncoder() if isinstance(encoder, str) else clone(encoder)
            batch = encoder.fit_transform(graphs)
            space = GraphSpace.for_graphs(
                batch, order=estimator.order, roles=encoder.roles_, node_weight=estimator.node_weight,
                edge_weight=estimator.edge_weight, matcher=estimator.matcher, effort=estimator.effort, n_jobs=estimator.n_jobs,
                device=estimator.device,
            )  # fmt: skip
            points = space.weighted(batch)
            pairs = affordable_pairs(points, random)
            if not len(pairs):
                return None
            return expected_cost(graphs, estimator, space, points, pairs, np.inf, random)
    except (GraphError, ValueError):
        return None


def _memory(graphs: Sequence[Graph], space: GraphSpace, points: GraphBatch, k: int) -> float:
    """Bytes that the graphs take, and that interval k-means keeps beside them: sketches, bounds, labels and alignments."""
    one = Sketches.of(points.take([0]), sketch_order(space.order, points))
    arrays = points.node_ptr, points.nodes, points.roles, points.edge_ptr, points.ends, points.edge_values
    packed = sum(array.nbytes for array in arrays)
    some = graphs[:: max(1, len(graphs) // 100)]
    objects = np.mean([_object_bytes(graph) for graph in some]) * len(graphs)
    own = 4 * one.values.shape[1] + BOUND * min(k, NEAREST) + REST
    frames = 8.0 * k * float(min(int(space.order.sum()), 10**6)) ** 2 * (points.edge_values.shape[1] + 1)
    return float(PROCESS + objects + 2 * packed + own * len(graphs) + FRAMES * frames)


def _object_bytes(graph: Graph) -> float:
    arrays = [graph.edges, *graph.nodes.values(), *graph.edge_attributes.values()]
    return 500.0 + sum(160.0 + array.nbytes for array in arrays)
