"""Calls of the library with odd arguments: numbers of any size, mappings that lead nowhere, matchers and means that lie."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

import graphmeans as gm
from graphmeans.graphs.batch import GraphBatch
from graphmeans.matching.auto import Auto
from graphmeans.matching.match import Matches
from graphmeans.matching.pairs import UNBOUNDED
from graphmeans.means.registry import get_mean

#: A caller who gives nonsense may be told so by these.
ALLOWED = (ValueError, TypeError, ImportError, NotImplementedError)
LARGE = (1.0, 1.0, 1.0, 1e-3, 1e160, 1e200, -1e200, 1e300, 1.7e308, 1e-160, 1e-200, 1e-310, 5e-324, 0.0)
WEIGHTS = (1.0, 1e160, 1e200, 1e300, 1.7e308, 1e-200, 5e-324, 0.0, -1.0, np.nan, np.inf, -np.inf, 2**62, "1", None, [1.0], True)
NUMBERS = (0, -1, 1, 2, 3, 7, 2**31, 2**62, -(2**62), 2**70, 1e200, np.nan, np.inf, "auto", None, True, [], 1.5)
ODD_INDICES = (-1, -2, 0, 1, 2, 5, 100, 2**31, 2**40, 2**62, -(2**62))


def case(number: int) -> Callable[[], object]:
    """The call of this number."""
    rng = np.random.default_rng([19, number])
    call = CALLS[int(rng.integers(len(CALLS)))]
    return lambda: call(rng)


# -- what is given ---------------------------------------------------------------------------------


def one_of(rng: np.random.Generator, values: Any) -> Any:
    return values[int(rng.integers(len(values)))]


def usually(rng: np.random.Generator, normal: Any, odd: Any, share: float = 0.3) -> Any:
    """Mostly what a caller would give, else something odd: a call of which everything is odd tests only the first check."""
    return one_of(rng, odd) if rng.random() < share else normal


def some_graph(
    rng: np.random.Generator, scale: float, directed: bool, width: int, most: int = 6, roles: bool = False, mixed: bool = False
) -> gm.Graph:
    n = int(rng.integers(0, most + 1))
    nodes = rng.normal(size=(n, width)) * scale
    if mixed:
        nodes = rng.choice(LARGE, size=(n, width))
    pairs = [(i, j) for i in range(n) for j in range(n) if i < j or (directed and i > j)]
    edges = [pair for pair in pairs if rng.random() < 0.4]
    values = rng.choice([1.0, scale, 2.0], size=(len(edges), 1)) if edges else None
    return gm.Graph(nodes, edges, values, directed=directed, roles=rng.integers(0, 2, size=n).tolist() if roles else None)


def some_graphs(rng: np.random.Generator, count: int = 8) -> list[gm.Graph]:
    scale, directed, width = usually(rng, 1.0, LARGE[:8]), bool(rng.random() < 0.2), int(rng.integers(1, 3))
    roles, mixed, most = bool(rng.random() < 0.2), bool(rng.random() < 0.15), one_of(rng, (3, 6, 12))
    return [some_graph(rng, scale, directed, width, most, roles, mixed) for _ in range(count)]


def plain_graphs(rng: np.random.Generator, count: int = 8, most: int = 6) -> list[gm.Graph]:
    return [gm.Graph(rng.normal(size=(n := int(rng.integers(1, most + 1)), 2)), [(i, i + 1) for i in range(n - 1)])
            for _ in range(count)]  # fmt: skip


def a_matcher(rng: np.random.Generator) -> Any:
    odd = (
        gm.Graduated(sinkhorn=one_of(rng, (1, 30, 2**62, 0, -1, "a", 1.5))),
        gm.Graduated(
            beta_max=one_of(rng, (np.inf, np.nan, 1e300, 10.0)), rate=one_of(rng, (1.075, 1.0, 1 + 1e-15, np.inf, 2.0))
        ),
        gm.Graduated(tolerance=one_of(rng, (0.0, np.nan, -1.0, np.inf)), assignments=one_of(rng, (4, 2**62))),
        gm.Search(
            effort=one_of(rng, (0, 0.1, 2.0, np.nan, -1, np.inf, "x", None)), seed=one_of(rng, (0, -1, 2**40, None, 1.5, "a"))
        ),
        gm.Exact(
            max_tree_nodes=one_of(rng, (1, 0, -1, 2**70, 1.5, "a", np.nan)), max_seconds=one_of(rng, (None, 0.01, np.nan, -1))
        ),
        Lying(int(rng.integers(2**31))),
    )
    if rng.random() < 0.6:
        return one_of(rng, ("auto", "exact", "search", "graduated"))
    return one_of(rng, ("nonsense", None, 3, *odd))


def a_method(rng: np.random.Generator) -> Any:
    named = ("lifted", "incremental", "subgradient", "set")
    return usually(rng, one_of(rng, named), ("nonsense", None, LyingMean(int(rng.integers(2**31)))))


class Lying:
    """A matcher whose mappings are short, long, negative, huge or not injective, and whose bounds are no numbers."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"seed": self.seed}

    def set_params(self, **params: Any) -> Lying:
        self.__dict__.update(params)
        return self

    def solve(self, x: Any, y: Any, pairs: Any, order: Any, n_jobs: Any = None) -> Any:
        rng = np.random.default_rng(self.seed)
        found = Auto().solve(x, y, pairs, order, 1)
        way = int(rng.integers(9))
        if way == 0:
            return replace(found, flat=odd_mapping(rng, found.flat))
        if way == 1:
            return replace(found, ptr=odd_mapping(rng, found.ptr))
        if way == 2:
            return replace(found, upper=found.upper * one_of(rng, (np.nan, np.inf, -1.0, 1e300)))
        if way == 3:
            return replace(found, lower=found.lower * one_of(rng, (np.nan, np.inf, -1.0, 2.0)))
        if way == 4:
            return replace(found, upper=found.upper[:-1])
        if way == 5:
            return one_of(rng, (None, 3, (found.lower, found.upper), found.flat))
        if way == 6:
            return Matches(found.lower.astype(np.float32), found.upper, found.ptr.astype(np.int32), found.flat.astype(np.float64))
        if way == 7:
            return replace(found, flat=np.zeros_like(found.flat))
        return replace(found, second=np.array([np.nan]))


class LyingMean:
    """A mean whose centers and alignments are not what they should be."""

    def __init__(self, seed: int = 0) -> None:
        self.seed = seed

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        return {"seed": self.seed}

    def set_params(self, **params: Any) -> LyingMean:
        self.__dict__.update(params)
        return self

    def compute(self, match: Any, batch: Any, groups: Any, weights: Any, order: Any, random_state: Any) -> Any:
        rng = np.random.default_rng(self.seed)
        means = get_mean("incremental").compute(match, batch, groups, weights, order, random_state)
        way = int(rng.integers(7))
        if way < 4:
            name = ("which", "group", "flat", "ptr")[way]
            return replace(means, **{name: odd_mapping(rng, getattr(means, name))})
        if way == 4:
            return replace(means, centers=replace(means.centers, batch=odd_batch(rng, means.centers.batch)))
        if way == 5:
            return replace(means, centers=replace(means.centers, node_support=odd_mapping(rng, means.centers.node_support)))
        return one_of(rng, (None, 3, means.centers))


def odd_mapping(rng: np.random.Generator, given: Any) -> Any:
    """An array that is too short or too long, or has entries that lead nowhere, or another type."""
    array = np.array(given)
    way = int(rng.integers(7))
    if way == 0:
        return array[: int(rng.integers(len(array) + 1))]
    if way == 1:
        return np.concatenate([array, array])
    if way == 2 and len(array):
        array[int(rng.integers(len(array)))] = one_of(rng, ODD_INDICES)
    if way == 3:
        return np.full_like(array, one_of(rng, ODD_INDICES))
    if way == 4:
        return array.astype(np.float64) + one_of(rng, (0.0, 0.5, np.nan))
    if way == 5:
        return rng.permutation(array)
    if way == 6:
        return one_of(rng, (array.reshape(1, -1), array.tolist(), array.astype(object), array[::-1], None))
    return array


def odd_batch(rng: np.random.Generator, batch: GraphBatch) -> GraphBatch:
    """A batch of which one array is not what it should be."""
    name = one_of(rng, ("node_ptr", "nodes", "roles", "edge_ptr", "ends", "edge_values"))
    array = np.array(getattr(batch, name))
    way = int(rng.integers(5))
    if way == 0:
        array = array[: int(rng.integers(len(array) + 1))]
    elif way == 1:
        array = np.concatenate([array, array])
    elif way == 2 and array.size:
        array.flat[int(rng.integers(array.size))] = one_of(rng, ODD_INDICES[:7] if array.dtype.kind == "i" else LARGE)
    elif way == 3:
        array = array.astype(one_of(rng, (np.float32, np.int16, np.float64, np.int64)))
    else:
        array = np.asfortranarray(array) if array.ndim == 2 else array[::-1]
    return replace(batch, **{name: array})


# -- calls -----------------------------------------------------------------------------------------


def distances(rng: np.random.Generator) -> None:
    graphs = some_graphs(rng, 4)
    order = usually(rng, "auto", NUMBERS)
    weights = {"node_weight": usually(rng, 1.0, WEIGHTS), "edge_weight": usually(rng, 1.0, WEIGHTS)}
    if rng.random() < 0.5:
        found = gm.match(graphs[0], graphs[1], a_matcher(rng), order, **weights)
        assert found.lower <= found.upper or not np.isfinite(found.upper)
    else:
        gm.pairwise_distances(graphs, matcher=a_matcher(rng), order=order, n_jobs=usually(rng, 1, (0, -1, 2**40, "a")), **weights)


def warm_starts(rng: np.random.Generator) -> None:
    graphs = plain_graphs(rng, 4, most=14 if rng.random() < 0.5 else 5)
    batch = gm.GraphEncoder().fit_transform(graphs)
    space = gm.GraphSpace.for_graphs(batch, matcher=one_of(rng, ("auto", "exact", "search")), n_jobs=1)
    pairs = np.array([[0, 1], [2, 3], [1, 2]])
    warm = odd_mapping(rng, space.solve(batch, batch, pairs).flat)
    cutoffs = (np.full(3, np.nan), np.zeros(2), np.full(3, -1.0), 3.0, "a", np.ones(3))
    cutoff = None if rng.random() < 0.6 else one_of(rng, cutoffs)
    if rng.random() < 0.3:
        pairs = odd_mapping(rng, pairs.ravel())
    who = space if rng.random() < 0.5 else space.matcher
    if who is space:
        one_of(rng, (space.solve, space.match))(batch, batch, pairs, warm, cutoff)
    elif isinstance(who, gm.Search):
        who.solve(batch, batch, pairs, space.order, 1, warm)
    else:
        order = space.order if rng.random() < 0.7 else odd_mapping(rng, space.order)
        who.solve(batch, batch, pairs, order, 1, warm, cutoff)


def own_batches(rng: np.random.Generator) -> None:
    batch = gm.GraphEncoder().fit_transform(plain_graphs(rng))
    space = gm.GraphSpace.for_graphs(batch, n_jobs=1, matcher=one_of(rng, ("auto", "exact", "search", "graduated")))
    odd = odd_batch(rng, batch)
    pairs = np.array([[0, 1], [2, 3]])
    if rng.random() < 0.3:
        odd = space.weighted(odd)
    space.match(odd, batch, pairs) if rng.random() < 0.5 else space.match(batch, odd, pairs)


def means(rng: np.random.Generator) -> None:
    graphs = some_graphs(rng, 5)
    weight = one_of(rng, WEIGHTS)
    weights = None if rng.random() < 0.4 else [weight] + [1.0] * 4 if rng.random() < 0.5 else weight
    gm.mean(graphs, a_method(rng), a_matcher(rng), sample_weight=weights, random_state=0, n_jobs=1)


def own_code(rng: np.random.Generator) -> None:
    graphs, seed = plain_graphs(rng), int(rng.integers(2**31))
    algorithm = one_of(rng, ("interval", "lloyd", "elkan", "gvr"))
    if rng.random() < 0.5 or algorithm in ("interval", "gvr"):
        one_of(rng, (
            lambda: gm.GraphKMeans(3, algorithm=algorithm, matcher=Lying(seed), random_state=0, n_jobs=1, max_iter=5).fit(graphs),
            lambda: gm.GraphKMedoids(3, matcher=Lying(seed), random_state=0, n_jobs=1).fit(graphs),
            lambda: gm.GraphIndex(matcher=Lying(seed), n_jobs=1).fit(graphs).kneighbors(graphs, 2),
            lambda: gm.mean(graphs, matcher=Lying(seed), random_state=0, n_jobs=1),
        ))()  # fmt: skip
    else:
        mean = LyingMean(seed)
        gm.GraphKMeans(3, algorithm=algorithm, mean=mean, random_state=0, n_jobs=1, max_iter=5).fit(graphs)


def fits(rng: np.random.Generator) -> None:
    data: Any = some_graphs(rng)
    if rng.random() < 0.5:
        data = rng.normal(size=(12, 3)) * usually(rng, 1.0, LARGE, 0.5)
        if rng.random() < 0.3:
            data[rng.random(data.shape) < 0.1] = one_of(rng, LARGE)
    weight = one_of(rng, WEIGHTS)
    weights = None if rng.random() < 0.5 else [weight] + [1.0] * (len(data) - 1) if rng.random() < 0.7 else weight
    params: dict[str, Any] = {"random_state": 0, "n_jobs": 1, "max_iter": 5}
    for name, values in (("node_weight", WEIGHTS), ("edge_weight", WEIGHTS), ("tol", WEIGHTS), ("theta", WEIGHTS)):
        if rng.random() < 0.1:
            params[name] = one_of(rng, values)
    if rng.random() < 0.2:
        params["order"] = one_of(rng, ("auto", None, 3, 10, 2**20, 2**31, 2**40, 2**62, -1, 1e200, "x"))
    if rng.random() < 0.3 and isinstance(data, list):
        columns = [{"x": g.nodes[""].ravel()} for g in data if g.nodes[""].shape[1] == 1]
        data = [gm.Graph(one) for one in columns] or data
        params["encoder"] = gm.GraphEncoder(weights={"x": one_of(rng, WEIGHTS)}, presence=one_of(rng, WEIGHTS))
    k = usually(rng, 3, (1, 2, 8, 0, -1, 100, 2**40, 1.5, "a", None), 0.2)
    algorithm = one_of(rng, ("interval", "lloyd", "elkan", "gvr"))
    if algorithm != "gvr":
        params.pop("theta", None)
    if algorithm == "interval":
        params["certify"] = bool(rng.random() < 0.2)
    km = gm.GraphKMeans(k, algorithm=algorithm, **params).fit(data, sample_weight=weights)
    use(rng, km, data)


def others(rng: np.random.Generator) -> None:
    data: Any = some_graphs(rng, 9)
    if rng.random() < 0.4:
        data = rng.normal(size=(12, 3)) * usually(rng, 1.0, LARGE)
    weight = one_of(rng, WEIGHTS)
    weights = None if rng.random() < 0.6 else [weight] + [1.0] * (len(data) - 1)
    way = int(rng.integers(4))
    if way == 0:
        made = gm.GraphKMedoids(one_of(rng, (1, 3, 0, "a")), random_state=0, n_jobs=1, node_weight=usually(rng, 1.0, WEIGHTS))
        made.fit(data, sample_weight=weights)
    elif way == 1:
        made = gm.MiniBatchGraphKMeans(3, batch_size=one_of(rng, (4, 1, 0, 2**40)), random_state=0, n_jobs=1, max_iter=3)
        made.fit(data, sample_weight=weights)
        made.partial_fit(data if rng.random() < 0.5 else some_graphs(rng, 4))
    elif way == 2:
        y = one_of(rng, ([0, 1, 2] * (len(data) // 3), [np.nan] * len(data), ["a", 1, None] * (len(data) // 3), [0] * len(data)))
        made = gm.GraphNearestCentroid(n_jobs=1, random_state=0).fit(data, y)
    else:
        made = gm.GraphIndex(n_jobs=1).fit(data)
        queries = data if rng.random() < 0.5 else some_graphs(rng, 3)
        if rng.random() < 0.5:
            made.kneighbors(queries, one_of(rng, (1, 2, 0, -1, 100, 2**62, "a", None)))
        else:
            made.radius_neighbors(queries, one_of(rng, (0.0, 1.0, -1.0, np.nan, np.inf, 1e300, "a")))
        return
    use(rng, made, data)


def use(rng: np.random.Generator, made: Any, data: Any) -> None:
    """What is fitted answers for what it was fitted to, and for other graphs."""
    other = data
    if rng.random() < 0.5:
        rows = rng.normal(size=(3, usually(rng, 3, (2, 4)))) * usually(rng, 1.0, LARGE)
        other = rows if isinstance(data, np.ndarray) else some_graphs(rng, 3)
    names = ("predict", "transform") if isinstance(made, gm.GraphNearestCentroid) else ("predict", "transform", "score", "align")
    getattr(made, one_of(rng, names), made.predict)(other)
    made.centroids()


def functions(rng: np.random.Generator) -> None:
    graphs = some_graphs(rng, 4)
    way = int(rng.integers(4))
    if way == 0:
        order = one_of(rng, ("auto", None, 3, 10, 2**31, 2**40, -1, "x"))
        gm.sketch(graphs, order, one_of(rng, ("rows", "projection", "x", None)))
    elif way == 1:
        gm.edge_bound(graphs[0], graphs[1], rounds=one_of(rng, (1, 5, 0, -1, 2**40, 2**70, "a", None, 1.5)))
    elif way == 2:
        gm.near_duplicates(graphs, one_of(rng, (0.0, 1.0, -1.0, np.nan, np.inf, 1e300, "a", None)))
    else:
        gm.pairwise_distances(graphs, cutoff=one_of(rng, (0.0, 1.0, -1.0, np.nan, np.inf, 1e300, "a")), n_jobs=1)


def indexes(rng: np.random.Generator) -> None:
    graphs = plain_graphs(rng, 6) if rng.random() < 0.8 else some_graphs(rng, 6)
    order = usually(rng, "auto", (None, 3, 10, 2**14, 2**31, 2**39, 2**40, 2**62, -1, 1.5, "x"))
    matcher = "auto" if rng.random() < 0.8 else a_matcher(rng)
    index = gm.GraphIndex(order=order, matcher=matcher, n_jobs=1, node_weight=usually(rng, 1.0, WEIGHTS, 0.1)).fit(graphs)
    for _ in range(2):
        other = usually(rng, graphs[:2], ([], None, graphs[0], 3, np.zeros((2, 2))))
        other = some_graphs(rng, 2) if rng.random() < 0.3 else other
        way = int(rng.integers(5))
        if way == 0:
            index.kneighbors(other, usually(rng, 2, NUMBERS))
        elif way == 1:
            index.radius_neighbors(other, usually(rng, 1.0, WEIGHTS))
        elif way == 2:
            index.add(other)
        elif way == 3:
            index.remove(usually(rng, [0], ([-1], [100], [2**62], [0, 0], [], "x", None, [0.5], [True], list(range(6)))))
        else:
            index.query(other, **{one_of(rng, ("n_neighbors", "radius")): usually(rng, 1, WEIGHTS)})


def spaces(rng: np.random.Generator) -> None:
    batch = gm.GraphEncoder().fit_transform(plain_graphs(rng))
    order = one_of(rng, (np.array([6]), np.array([0]), np.array([-1]), np.array([2**62]), np.array([UNBOUNDED]),
                         np.array([2**20]), np.zeros(0, int), np.array([6.0]), np.array([6, 6]), [6], 6, None))  # fmt: skip
    space = gm.GraphSpace(order, n_jobs=1, unit=usually(rng, 1.0, (3.0, 0.0, np.nan, 2.0**-1000, 2.0**1000)),
                          shift=one_of(rng, (None, None, np.zeros(2), np.zeros(3), np.array([np.nan, 0.0]))))  # fmt: skip
    space.match(space.weighted(batch), space.weighted(batch), np.array([[0, 1]]))


CALLS = (distances, warm_starts, own_batches, means, own_code, fits, fits, others, functions, spaces, indexes)
