"""Functions of a pair or of a collection of graphs: match, distance, its edge bound, pairwise distances, mean and sketch."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state

from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.convert import to_graph, to_graphs
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.encoding.molecules import make_encoder
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.matching.auto import Auto
from graphmeans.matching.edge_bound import edge_bounds
from graphmeans.matching.exact import Exact
from graphmeans.matching.match import Match, Matcher
from graphmeans.matching.registry import get_matcher
from graphmeans.matching.sketch import sketch_batch
from graphmeans.matching.sound import LARGEST
from graphmeans.means.frames import Frames
from graphmeans.means.method import MeanMethod, Means, compute_means
from graphmeans.means.registry import get_mean
from graphmeans.nearest.cascade import Cascade, pairs_within
from graphmeans.nearest.points import Points
from graphmeans.nearest.sparse import sparse_rows
from graphmeans.space import GraphSpace, Order

#: Most rounds of the edge program.
MAX_ROUNDS = 10**6


def match(
    x: Any, y: Any, matcher: str | Matcher = "auto", order: Order = "auto", *,
    encoder: Any = "auto", node_weight: float = 1.0, edge_weight: float = 1.0,
    max_tree_nodes: int | None = None, max_seconds: float | None = None, device: str = "auto",
) -> Match:  # fmt: skip
    """Align two graphs.

    Parameters
    ----------
    x : Graph, or a graph of networkx, igraph, PyTorch Geometric, RDKit or as an adjacency matrix
        One of the two graphs.
    y : Graph, or a graph of networkx, igraph, PyTorch Geometric, RDKit or as an adjacency matrix
        One of the two graphs.
    matcher : {"auto", "exact", "search", "graduated"} or Matcher, default="auto"
        What aligns two graphs. "auto" is exact for small graphs and a search for larger ones.
    order : "auto", int, mapping role -> int, or None, default="auto"
        Places for the nodes of the common space. "auto": the larger of the two graphs, role by role. None: unbounded, so
        that any two nodes may both stay unmatched.
    encoder : "auto" or fitted GraphEncoder, default="auto"
        "auto" leaves the numbers of a pair unscaled: standardising two graphs would erase what they differ in. Pass
        ``km.encoder_`` to measure as a fitted estimator does.
    node_weight : float, default=1.0
        What squared differences of nodes are multiplied by.
    edge_weight : float, default=1.0
        What squared differences of edges are multiplied by.
    max_tree_nodes : limits of the exact matcher, optional
        The most nodes of the search tree for a pair; then the interval may stay open. Only for the exact matcher.
    max_seconds : limits of the exact matcher, optional
        The most seconds for a pair. Results then depend on the machine. Only for the exact matcher.
    device : {"auto", "cpu", "cuda"}, default="auto"
        Who searches; "auto" is the CPU for a single pair of ordinary graphs.

    Returns
    -------
    Match
        The interval of the distance, and the mapping that attains its upper end.

    See Also
    --------
    distance : Only the distance.
    pairwise_distances : All pairs of a collection.
    common_subgraph : The largest part that two graphs have in common.
    plots.draw_alignment : Draws the mapping.
    plots.draw_atom_map : Draws the mapping of two molecules.

    Examples
    --------
    >>> import graphmeans as gm
    >>> x = gm.Graph([[0.0], [1.0]], [(0, 1)], node_ids=["a", "b"])
    >>> y = gm.Graph([[1.0], [0.0]], [(0, 1)], node_ids=["c", "d"])
    >>> gm.match(x, y).mapping
    {'a': 'd', 'b': 'c'}
    """
    if max_tree_nodes is not None or max_seconds is not None:
        if matcher not in ("exact", "auto"):
            raise GraphError("max_tree_nodes and max_seconds are limits of the exact matcher")
        matcher = Exact(max_tree_nodes=max_tree_nodes, max_seconds=max_seconds)
    pair = [to_graph(x), to_graph(y)]
    metric = {"order": order, "node_weight": node_weight, "edge_weight": edge_weight, "matcher": matcher,
              "n_jobs": 1, "device": device}  # fmt: skip
    _, space, batch = _in_space(pair, encoder, metric, scaled=False)
    pairs = np.array([[0, 1]])
    found = space.match(batch, batch, pairs)
    indices = found.mapping(0)
    left, right = pair[0].node_ids, pair[1].node_ids
    mapping = {left[i]: (right[j] if j >= 0 else None) for i, j in enumerate(indices)}
    certified = bool(space.certified(found)[0])
    name = _matcher_name(space, batch)
    return Match(float(found.lower[0]), float(found.upper[0]), mapping, indices, certified, name, *pair)


def distance(
    x: Any, y: Any, matcher: str | Matcher = "auto", order: Order = "auto", *,
    encoder: Any = "auto", node_weight: float = 1.0, edge_weight: float = 1.0,
) -> float:  # fmt: skip
    """Compute the distance of two graphs, with the square root taken.

    It is the `upper` of their `match`.

    Parameters
    ----------
    x : Graph, or a graph of networkx, igraph, PyTorch Geometric, RDKit or as an adjacency matrix
        One of the two graphs.
    y : Graph, or a graph of networkx, igraph, PyTorch Geometric, RDKit or as an adjacency matrix
        One of the two graphs.
    matcher : {"auto", "exact", "search", "graduated"} or Matcher, default="auto"
        What aligns two graphs. "auto" is exact for small graphs and a search for larger ones.
    order : "auto", int, mapping role -> int, or None, default="auto"
        How many nodes (of each role) the space foresees; see `match`.
    encoder : "auto" or fitted GraphEncoder, default="auto"
        "auto" leaves the numbers of a pair unscaled: standardising two graphs would erase what they differ in. Pass
        ``km.encoder_`` to measure as a fitted estimator does.
    node_weight : float, default=1.0
        What squared differences of nodes are multiplied by.
    edge_weight : float, default=1.0
        What squared differences of edges are multiplied by.

    Returns
    -------
    float
        The distance.

    See Also
    --------
    match : Also the mapping, and what is proven.
    edge_bound : A lower bound without a mapping.

    References
    ----------
    .. [1] B. J. Jain and K. Obermayer, "Structure spaces", Journal of Machine Learning Research 10, 2009.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.distance(gm.Graph([[0.0, 3.0]]), gm.Graph([[4.0, 0.0]]))
    5.0
    """
    return match(x, y, matcher, order, encoder=encoder, node_weight=node_weight, edge_weight=edge_weight).upper


def edge_bound(
    x: Any, y: Any, order: Order = "auto", *, rounds: int = 50, encoder: Any = "auto", node_weight: float = 1.0,
    edge_weight: float = 1.0,
) -> float:  # fmt: skip
    """Compute a proven lower bound of the distance of two graphs.

    It comes from a linear program over pairs of edges. Where edges are few and tell nodes apart it is the distance
    itself, or misses a few tenths of a percent.

    Parameters
    ----------
    x : Graph, or a graph of networkx, igraph, PyTorch Geometric, RDKit or as an adjacency matrix
        One of the two graphs.
    y : Graph, or a graph of networkx, igraph, PyTorch Geometric, RDKit or as an adjacency matrix
        One of the two graphs.
    order : "auto", int, mapping role -> int, or None, default="auto"
        As in `match`.
    rounds : int, default=50
        At most so many rounds of 40 steps of the solver. Any number gives a proven bound; it ends earlier when nothing is
        gained.
    encoder : "auto" or fitted GraphEncoder, default="auto"
        "auto" leaves the numbers of a pair unscaled: standardising two graphs would erase what they differ in. Pass
        ``km.encoder_`` to measure as a fitted estimator does.
    node_weight : float, default=1.0
        What squared differences of nodes are multiplied by.
    edge_weight : float, default=1.0
        What squared differences of edges are multiplied by.

    Returns
    -------
    float
        The bound, which is never larger than the distance.

    See Also
    --------
    match : The distance itself, as an interval.
    sketch : Vectors that give a weaker bound for millions of pairs.

    Examples
    --------
    >>> import graphmeans as gm
    >>> x = gm.Graph(4, [(0, 1), (1, 2), (2, 3)])
    >>> y = gm.Graph(4, [(0, 1), (0, 2), (0, 3)])
    >>> gm.edge_bound(x, y) == gm.distance(x, y)
    True
    """
    if isinstance(rounds, bool) or not isinstance(rounds, (int, np.integer)) or not 1 <= rounds <= MAX_ROUNDS:
        raise GraphError(f"rounds must be a whole number of at least 1, and at most {MAX_ROUNDS}, got {rounds!r}")
    metric = {"order": order, "node_weight": node_weight, "edge_weight": edge_weight, "n_jobs": 1}
    _, space, batch = _in_space([to_graph(x), to_graph(y)], encoder, metric, scaled=False)
    return float(edge_bounds(batch, batch, np.array([[0, 1]]), space.order, 1, rounds=int(rounds))[0])


def pairwise_distances(
    graphs: Iterable[Any], others: Iterable[Any] | None = None, matcher: str | Matcher = "auto", order: Order = "auto",
    n_jobs: int | None = None, *, encoder: Any = "auto", node_weight: float = 1.0, edge_weight: float = 1.0,
    cutoff: float | None = None, device: str = "auto",
) -> Any:  # fmt: skip
    """Compute all distances between two collections, or within one.

    The encoder is fitted, and the order taken, over all graphs given.

    Parameters
    ----------
    graphs : collection of graphs
        The graphs, as objects of one kind.
    others : collection of graphs, optional
        The graphs of the columns; `graphs` by default.
    matcher : {"auto", "exact", "search", "graduated"} or Matcher, default="auto"
        What aligns two graphs. "auto" is exact for small graphs and a search for larger ones.
    order : "auto", int, mapping role -> int, or None, default="auto"
        "auto" is the largest number of nodes (of each role) in what is given; see `match`.
    n_jobs : int, optional
        The number of threads; None for all cores. Results do not depend on it.
    encoder : {"auto", "molecule", "series"} or GraphEncoder, default="auto"
        How attributes become numbers. A fitted encoder is used as it is; "auto" stands for a new one, fitted to these
        graphs.
    node_weight : float, default=1.0
        What squared differences of nodes are multiplied by.
    edge_weight : float, default=1.0
        What squared differences of edges are multiplied by.
    cutoff : float, optional
        If it is given, only distances up to it are wanted. Then most pairs are never matched, and the result is sparse; a
        graph is no neighbor of itself. `GraphIndex` does the same for a collection that is searched more than once.
    device : {"auto", "cpu", "cuda"}
        Who solves pairs of graphs of more than ten nodes. "auto": a GPU, where there is one and the work is worth the trip.

    Returns
    -------
    array of shape (number of graphs, number of others), or csr_array
        The distances; with a cutoff, a sparse matrix with those up to it.

    See Also
    --------
    GraphIndex : Finds the nearest graphs of a collection that is searched more than once.
    distance : One pair.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.pairwise_distances([gm.Graph([[0.0]]), gm.Graph([[2.0]])])
    array([[0., 2.],
           [2., 0.]])
    """
    left = to_graphs(graphs)
    right = [] if others is None else to_graphs(others)
    metric = {"order": order, "node_weight": node_weight, "edge_weight": edge_weight, "matcher": matcher,
              "n_jobs": n_jobs, "device": device}  # fmt: skip
    _, space, batch = _in_space(left + right, encoder, metric)
    first = batch.take(np.arange(len(left)))
    second = None if others is None else batch.take(np.arange(len(left), len(left) + len(right)))
    return space.distances(first, second) if cutoff is None else _near(space, first, second, cutoff)


def _near(space: GraphSpace, first: GraphBatch, second: GraphBatch | None, cutoff: float) -> Any:
    """Distances up to a cutoff, as a sparse matrix."""
    if isinstance(cutoff, bool) or not isinstance(cutoff, (int, float, np.number)) or not 0 <= cutoff < np.inf:
        raise GraphError(f"cutoff must be a number of at least 0, got {cutoff!r}")
    reach = float(cutoff) / space.unit
    if second is None:
        row, column, distance, _ = pairs_within(Cascade(Points.of(space, first)), reach)
    else:
        found = [answer.within(reach) for answer in Cascade(Points.of(space, second)).within(first, reach)]
        row = np.repeat(np.arange(len(first)), [len(index) for index, _, _ in found])
        column = np.concatenate([np.zeros(0, dtype=np.int64), *(index for index, _, _ in found)])
        distance = np.concatenate([np.zeros(0), *(near for _, near, _ in found)])
        order = np.lexsort([column, row])
        column, distance = column[order], distance[order]
    width, ptr = len(first if second is None else second), np.searchsorted(row, np.arange(len(first) + 1))
    return sparse_rows(space.in_units_of_graphs(distance), column, ptr, width)


def mean(
    graphs: Iterable[Any], method: str | MeanMethod = "lifted", matcher: str | Matcher = "auto", order: Order = "auto",
    sample_weight: ArrayLike | None = None, random_state: int | np.random.RandomState | None = None, *,
    encoder: Any = "auto", node_weight: float = 1.0, edge_weight: float = 1.0, n_jobs: int | None = None,
) -> MeanGraph:  # fmt: skip
    """Compute the mean graph of a collection.

    Parameters
    ----------
    graphs : collection of graphs
        The graphs, as objects of one kind.
    method : {"lifted", "incremental", "subgradient", "set"} or MeanMethod, default="lifted"
        "incremental" aligns one graph after the other to the running average; "lifted" then aligns members again as long
        as that helps; "subgradient" takes small steps; "set" is the graph of the collection with the least objective.
    matcher : {"auto", "exact", "search", "graduated"} or Matcher, default="auto"
        What aligns two graphs. "auto" is exact for small graphs and a search for larger ones.
    order : "auto", int, mapping role -> int, or None, default="auto"
        "auto" is the largest number of nodes (of each role) in what is given; see `match`.
    sample_weight : array of shape (N,), optional
        What each graph weighs. None stands for 1 each.
    random_state : int, RandomState or None, optional
        The order in which graphs are taken.
    encoder : {"auto", "molecule", "series"} or GraphEncoder, default="auto"
        How attributes become numbers. A fitted encoder is used as it is; "auto" stands for a new one, fitted to these
        graphs.
    node_weight : float, default=1.0
        What squared differences of nodes are multiplied by.
    edge_weight : float, default=1.0
        What squared differences of edges are multiplied by.
    n_jobs : int, optional
        The number of threads; None for all cores. Results do not depend on it.

    Returns
    -------
    MeanGraph
        With the members' alignments, the objective F and the sum of pairwise similarities in the alignment.

    See Also
    --------
    GraphKMeans : Many means at once.
    MeanGraph : What comes back.

    References
    ----------
    .. [1] B. J. Jain and K. Obermayer, "Structure spaces", Journal of Machine Learning Research 10, 2009.

    Examples
    --------
    >>> import graphmeans as gm
    >>> mean = gm.mean([gm.Graph([[0.0]]), gm.Graph([[4.0]])])
    >>> mean.nodes[""].tolist(), mean.objective
    ([[2.0]], 4.0)
    """
    listed = to_graphs(graphs)
    random = check_random_state(random_state)
    metric = {"order": order, "node_weight": node_weight, "edge_weight": edge_weight, "matcher": matcher, "n_jobs": n_jobs}
    fitted, space, batch = _in_space(listed, encoder, metric)
    weights = check_weights(sample_weight, len(batch))
    walk = random.permutation(len(batch))
    means = compute_means(get_mean(method), space.solve, batch, [walk], weights, space.order, random)
    back = np.argsort(means.which)
    alignments = [means.flat[means.ptr[p] : means.ptr[p + 1]] for p in back]
    objective, similarity = _quality(space, batch, means, weights)
    centers = means.centers
    return fitted.decode(
        space.unweighted(centers.batch), centers.node_support, centers.edge_support, damped=centers.damped,
        names=["mean"], alignments=alignments, objective=objective, similarity=similarity,
    )[0]  # fmt: skip


def sketch(
    graphs: Iterable[Any], order: Order = "auto", kind: str = "rows", *,
    encoder: Any = "auto", node_weight: float = 1.0, edge_weight: float = 1.0,
) -> NDArray[np.float64]:  # fmt: skip
    """Compute a vector for each graph, no two farther apart than the graphs are: ``|f(X) - f(Y)| <= D(X, Y)``.

    The vectors do not depend on how nodes are numbered. They serve to discard far graphs without matching them, or
    wherever a vector is wanted. Two collections are comparable if they are sketched with one fitted encoder, one `kind`
    and one `order` given as a number.

    Parameters
    ----------
    graphs : collection of graphs
        The graphs, as objects of one kind.
    order : "auto", int, mapping role -> int, or None, default="auto"
        As in `pairwise_distances`. None: twice the largest graph of the collection.
    kind : {"rows", "projection"}, default="rows"
        "rows": sorted rows, then sorted columns; about order^2 numbers a channel. "projection": totals, row sums and
        spectrum; few numbers, mostly a weaker bound.
    encoder : {"auto", "molecule", "series"} or GraphEncoder, default="auto"
        How attributes become numbers. A fitted encoder is used as it is; "auto" stands for a new one, fitted to these
        graphs.
    node_weight : float, default=1.0
        What squared differences of nodes are multiplied by.
    edge_weight : float, default=1.0
        What squared differences of edges are multiplied by.

    Returns
    -------
    array of shape (number of graphs, dim)
        The vectors.

    See Also
    --------
    edge_bound : A tighter bound of one pair.

    Examples
    --------
    >>> import graphmeans as gm
    >>> x = gm.Graph([[1.0], [2.0]], [(0, 1)])
    >>> y = gm.Graph([[2.0], [1.0]], [(0, 1)])
    >>> bool((gm.sketch([x, y])[0] == gm.sketch([x, y])[1]).all())
    True
    """
    metric = {"order": order, "node_weight": node_weight, "edge_weight": edge_weight}
    _, space, batch = _in_space(to_graphs(graphs), encoder, metric)
    return np.asarray(space.in_units_of_graphs(sketch_batch(batch, space.order, kind)))


def warmup() -> Iterator[tuple[str, float]]:
    """Compile every kernel ahead of its first use, and yield what was compiled and the seconds it took."""
    batch = GraphEncoder().fit_transform([Graph([[0.0], [1.0]], [(0, 1)]), Graph([[1.0], [2.0]], [(0, 1)])])
    pairs, order = np.array([[0, 1]]), np.array([2])
    for name in ("exact", "search", "graduated"):
        start = time.perf_counter()
        found = get_matcher(name).solve(batch, batch, pairs, order, n_jobs=1)
        yield f"{name} matching", time.perf_counter() - start
    start = time.perf_counter()
    edge_bounds(batch, batch, pairs, order, n_jobs=1)
    yield "the edge program", time.perf_counter() - start
    start = time.perf_counter()
    frames = Frames.of_graphs(batch.take([1]))
    frames.add(batch, np.array([0]), np.array([0]), found.flat, found.ptr, np.ones(1))
    frames.aligned_distances(batch, np.array([0]), np.array([0]), found.flat, found.ptr)
    frames.centers()
    yield "means", time.perf_counter() - start


def check_weights(sample_weight: ArrayLike | None, count: int) -> NDArray[np.float64]:
    """Sample weights as an array of one non-negative number for each graph; not all of them may be zero."""
    if sample_weight is None:
        return np.ones(count)
    weights = np.asarray(sample_weight, dtype=np.float64)
    weights = np.full(count, weights) if weights.ndim == 0 else weights
    if weights.shape != (count,):
        raise GraphError(f"sample_weight has shape {weights.shape} for {count} graphs")
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise GraphError("sample_weight must be finite and not negative, and not all weights may be zero")
    with np.errstate(over="ignore"):
        total = float(weights.sum())
    if not 1.0 / LARGEST <= total <= LARGEST:  # sums of products with squares are formed of them
        raise GraphError(f"sample_weight adds up to about {total:.0e}, products of which floating point does not hold: scale it")
    return weights


def _quality(space: GraphSpace, batch: GraphBatch, means: Means, weights: NDArray[np.float64]) -> tuple[float, float]:
    """F(Y), and the (weighted) sum of pairwise inner products in the alignment."""
    which = means.which[weights[means.which] > 0]
    found = space.solve(batch, means.centers.batch, np.stack([which, np.zeros_like(which)], axis=1))
    frames = Frames.of_graphs(means.centers.batch)
    frames.add(batch, means.which, means.group, means.flat.copy(), means.ptr, weights[means.which])
    stored = np.full(len(batch), np.inf)
    if means.centers.damped:  # the mean is the average of this alignment
        stored[means.which] = frames.aligned_distances(batch, means.which, means.group, means.flat, means.ptr)
    squares = np.minimum(found.upper, stored[which]) ** 2
    similarity = 0.5 * float(frames.squared_sums()[0] - weights**2 @ batch.squared_norms)
    objective = 0.5 * float(weights[which] @ squares)
    return space.in_units_of_graphs(objective, power=2), space.in_units_of_graphs(similarity, power=2)


def _in_space(
    graphs: list[Graph], encoder: Any, metric: dict[str, Any], *, scaled: bool = True
) -> tuple[GraphEncoder, GraphSpace, GraphBatch]:
    """The fitted encoder, the space that it encodes the graphs into, and the graphs as points of that space.

    A fitted encoder is used as it is, an unfitted one is cloned and fitted, and "auto" stands for a new one, which scales
    numbers or keeps them. `metric` are options of `GraphSpace.for_graphs`.
    """
    if not hasattr(encoder, "node_columns_"):
        encoder = make_encoder(encoder, graphs, numbers="standardise" if scaled else "keep")
    graphs = encoder.graphs_of(graphs)
    batch = encoder.encode(graphs) if hasattr(encoder, "node_columns_") else encoder.fit_encode(graphs)
    space = GraphSpace.for_graphs(batch, **metric)
    return encoder, space, space.weighted(batch)


def _matcher_name(space: GraphSpace, pair: GraphBatch) -> str:
    """The name of what solves this pair; the default matcher says which of the others it picks."""
    if isinstance(space.matcher, Auto):
        return space.matcher.name_for(pair, pair, np.array([0, 1]), space.order)
    return str(getattr(space.matcher, "name", type(space.matcher).__name__))
