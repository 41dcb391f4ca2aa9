"""What is in a collection of graphs, what the encoder would make of it, and what a fit would cost."""

from __future__ import annotations

import time
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from graphmeans.cluster.data.deduplicate import originals
from graphmeans.cluster.estimators.inputs import is_lazy
from graphmeans.cluster.estimators.kmeans import GraphKMeans
from graphmeans.evaluation.cost import MOST_WORK, Cost, affordable_pairs, expected_cost, pair_work
from graphmeans.evaluation.remarks import remarks
from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.encoding.encoder import ColumnSummary, GraphEncoder
from graphmeans.graphs.encoding.molecules import make_encoder
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.values import kind_in_words, missing_in, unknown_type
from graphmeans.matching.sketch import sketch_order
from graphmeans.nearest.sketches import Sketches
from graphmeans.space import GraphSpace

#: Graphs of more nodes are not even sketched: that takes seconds each.
LARGE = 1000
#: Relabelled copies are looked for if that takes no more than about this many seconds.
COMPARING = 3.0
#: The largest number of graphs that are read of a collection on disk.
READ = 20_000

@dataclass(frozen=True)
class Inspection:
    """What `inspect` found.

    Parameters
    ----------
    n_graphs : int
        The number of graphs.
    nodes : tuple (least, median, mean, most)
        The numbers of nodes.
    edges : tuple (least, median, mean, most)
        The numbers of edges.
    n_directed : int
        Graphs that are directed.
    n_empty : int
        Graphs without nodes.
    n_edgeless : int
        Graphs without edges.
    n_unnamed : int
        Graphs without a name.
    roles : dict of role to int
        The number of nodes of each role.
    copies : int or None
        Graphs that are equal to an earlier one. None if they were not sought.
    relabelled : int or None
        Graphs that are equal to an earlier one but for the numbering of nodes. None if they were not sought.
    columns : list of ColumnSummary
        What the encoder does with each column, and its share of the mean squared distance of sampled pairs.
    problem : str or None
        Why the collection cannot be encoded as it is.
    cost : Cost or None
        What a fit would take.
    notes : list of str
        What deserves a look.

    See Also
    --------
    inspect : Makes one.

    Examples
    --------
    >>> import graphmeans as gm
    >>> found = gm.evaluation.inspect([gm.Graph({"x": [0.0, 1.0]}, [(0, 1)]), gm.Graph({"x": [2.0]})], n_clusters=1)
    >>> found.n_graphs, found.n_edgeless, [column.name for column in found.columns if column.part == "node"]
    (2, 1, ['x'])
    """

    n_graphs: int
    nodes: tuple[float, float, float, float]
    edges: tuple[float, float, float, float]
    n_directed: int
    n_empty: int
    n_edgeless: int
    n_unnamed: int
    roles: dict[Any, int]
    copies: int | None
    relabelled: int | None
    columns: list[ColumnSummary]
    problem: str | None
    cost: Cost | None
    notes: list[str] = field(default_factory=list)

    def as_dict(self) -> dict[str, Any]:
        """Give everything as a dictionary, for JSON.

        Returns
        -------
        dict
            Strings, numbers, lists and dictionaries only.
        """
        made = asdict(self)
        made["roles"] = {str(role): count for role, count in self.roles.items()}
        made["columns"] = [column._asdict() for column in self.columns]
        return made


def inspect(
    graphs: Any, n_clusters: int = 8, *, random_state: int | np.random.RandomState | None = 0, **options: Any
) -> Inspection:
    """Say what is in a collection, and what a fit would cost.

    Parameters
    ----------
    graphs : collection of graphs
        Of a `Collection` on disk with more than 20,000 graphs a random sample of 20,000 is read, and a note says so.
    n_clusters : int, default=8
        For the estimate of time and memory.
    random_state : int, RandomState or None, default=0
        Seed of the samples.
    **options
        Of `GraphKMeans`: encoder, matcher, node_weight, ...

    Returns
    -------
    Inspection
        What was found.

    See Also
    --------
    choose_k : Recommends a number of clusters.
    GraphEncoder.describe : The columns alone.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, _ = gm.datasets.make_letters(60, random_state=0)
    >>> found = gm.evaluation.inspect(graphs)
    >>> [(column.name, column.treatment) for column in found.columns if column.part == "node"]
    [('x', 'standardised'), ('y', 'standardised')]
    """
    if is_lazy(graphs) and len(graphs) > READ:
        return _inspected_sample(graphs, n_clusters, random_state, options)
    listed = to_graphs(graphs)
    if not listed:
        raise GraphError("the collection is empty")
    estimator = GraphKMeans(min(n_clusters, len(listed)), **{"random_state": 0, **options})
    encoder = make_encoder(estimator.encoder, listed)
    notes: list[str] = []
    problem, columns, cost, copies, relabelled = None, _raw_columns(listed), None, None, None
    try:
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            batch = encoder.fit_transform(listed)
            columns = encoder.describe(listed)
        notes += [str(warning.message) for warning in said]
    except GraphError as error:
        problem = str(error)
    else:
        space = GraphSpace.for_graphs(
            batch, order=estimator.order, roles=encoder.roles_, node_weight=estimator.node_weight,
            edge_weight=estimator.edge_weight, matcher=estimator.matcher, effort=estimator.effort, n_jobs=estimator.n_jobs,
            device=estimator.device,
        )  # fmt: skip
        points = space.weighted(batch)
        random = check_random_state(random_state)
        sketching = _sketch_seconds(points, space)
        copies, relabelled = _duplicates(points, space, sketching)
        pairs = affordable_pairs(points, random)
        if len(pairs):
            columns = _with_shares(columns, distance_shares(encoder, space, points, pairs))
            cost = expected_cost(listed, estimator, space, points, pairs, sketching, random)
        if len(points) > 1 and cost is None:
            notes.append("the graphs are so large that none are matched here: what a fit would take is not known")
    roles = Counter(role for graph in listed for role in graph.roles or ())
    found = Inspection(
        len(listed), _spread([g.n_nodes for g in listed]), _spread([g.n_edges for g in listed]),
        sum(g.directed for g in listed), sum(not g.n_nodes for g in listed), sum(not g.n_edges for g in listed),
        sum(g.name is None for g in listed), dict(roles.most_common()), copies, relabelled, columns, problem, cost,
        notes,
    )  # fmt: skip
    notes += remarks(found, listed, graphs)
    return found


def _inspected_sample(graphs: Any, n_clusters: int, random_state: Any, options: dict[str, Any]) -> Inspection:
    """What is found in a sample of the graphs, with the cost for the whole collection."""
    count = len(graphs)
    rows = check_random_state(random_state).choice(count, size=READ, replace=False)
    found = inspect(graphs.take(np.sort(rows)), n_clusters, random_state=random_state, **options)
    if found.cost is not None:
        grows, cost = count / READ, found.cost
        cost = replace(cost, seconds=cost.seconds * grows, matchings=cost.matchings * grows, bytes=cost.bytes * grows)
        found = replace(found, cost=cost)
    note = (
        f"sizes, attributes and copies are those of a random sample of {READ:,} of the {count:,} graphs; "
        "what does not fit into memory waits on disk"
    )
    return replace(found, n_graphs=count, n_directed=round(found.n_directed * count / READ), notes=[note, *found.notes])


def _spread(counts: Sequence[int]) -> tuple[float, float, float, float]:
    return float(min(counts)), float(np.median(counts)), float(np.mean(counts)), float(max(counts))


def _raw_columns(graphs: Sequence[Graph]) -> list[ColumnSummary]:
    """The columns as they are stored, whether or not they can be encoded."""
    found: dict[tuple[str, str], list[NDArray[Any]]] = {}
    for graph in graphs:
        for part, columns in (("node", graph.nodes), ("edge", graph.edge_attributes)):
            for name, values in columns.items():
                found.setdefault((part, name), []).append(values)
    lines = []
    for (part, name), parts in found.items():
        kinds = sorted({kind_in_words(values) for values in parts if not unknown_type(values)}) or ["nothing"]
        count, lost = sum(map(len, parts)), sum(int(missing_in(values).sum()) for values in parts)
        where = f"in {len(parts)} of {len(graphs)} graphs"
        lines.append(ColumnSummary(part, name, " or ".join(kinds), where, 1.0, count, lost, 0, 0.0))
    return lines


def _sketch_seconds(points: GraphBatch, space: GraphSpace) -> float:
    """Seconds that the sketch of one graph takes; they grow with the largest graph of the collection, here up to a limit."""
    if int(points.sizes.max(initial=0)) > LARGE:
        return float("inf")
    some = points.take(np.linspace(0, len(points) - 1, min(len(points), 4)).astype(np.int64))
    order = sketch_order(space.order, points)
    Sketches.of(some.take([0]), order)
    start = time.perf_counter()
    Sketches.of(some, order)
    return (time.perf_counter() - start) / len(some)


def _duplicates(points: GraphBatch, space: GraphSpace, sketching: float) -> tuple[int, int | None]:
    """The number of exact copies, and of copies with renumbered nodes, which have equal sketches and are then matched."""
    first = originals(points, renumbered=False)
    different = np.flatnonzero(first == np.arange(len(points)))
    copies = len(points) - len(different)
    if len(different) * sketching > COMPARING:
        return copies, None
    sketches = Sketches.of(points.take(different), sketch_order(space.order, points)).values
    alike: dict[bytes, int] = {}
    pairs = []
    for g, row in zip(different.tolist(), np.round(sketches, 4) + 0.0, strict=True):
        other = alike.setdefault(row.tobytes(), g)
        if other != g:
            pairs.append((g, other))
    if not pairs:
        return copies, 0
    listed = np.array(pairs)
    if pair_work(points, listed).sum() > MOST_WORK:
        return copies, None
    upper = space.solve(points, points, listed).upper
    return copies, int((upper <= 1e-9 * np.sqrt(points.squared_norms[listed[:, 0]])).sum())


def _with_shares(columns: Sequence[ColumnSummary], shares: dict[tuple[str, str], float]) -> list[ColumnSummary]:
    lines = [column._replace(share=shares.get((column.part, column.name), 0.0)) for column in columns]
    extra = [key for key in shares if key[1] == PRESENCE]
    return lines + [ColumnSummary(p, n, "a number", "always the same", 1.0, 0, 0, 1, shares[p, n]) for p, n in extra]




#: Names of the channels that say "there is a node (an edge)".
PRESENCE = "(presence)"


def distance_shares(
    encoder: GraphEncoder, space: GraphSpace, points: GraphBatch, pairs: IntArray
) -> dict[tuple[str, str], float]:
    """The share of each column, (part, name), in the sum of squared distances of these pairs of graphs."""
    found = space.match(points, points, pairs)
    nodes, edges = np.zeros(points.nodes.shape[1]), np.zeros(points.edge_values.shape[1])
    for p, (x, y) in enumerate(pairs.tolist()):
        of_nodes, of_edges = channel_squares(points, x, y, found.mapping(p))
        nodes += of_nodes
        edges += of_edges
    if points.directed:
        edges = edges[: len(edges) // 2] + edges[len(edges) // 2 :]
    sums: dict[tuple[str, str], float] = {}
    for part, columns, presence, values in (
        ("node", encoder.node_columns_, encoder.presence, nodes),
        ("edge", encoder.edge_columns_, encoder.edge_presence_, edges),
    ):
        start = 0
        for column in columns:
            sums[part, column.name] = float(values[start : start + column.width].sum())
            start += column.width
        if presence:
            sums[part, PRESENCE] = float(values[start:].sum())
    total = sum(sums.values()) or 1.0
    return {key: value / total for key, value in sums.items()}


def channel_squares(points: GraphBatch, x: int, y: int, mapping: IntArray) -> tuple[FloatArray, FloatArray]:
    """Squared differences of two aligned graphs, channel by channel: of the nodes, and of the edges from both ends.

    Their sum is the squared distance along the mapping.
    """
    x_nodes = points.nodes[points.node_ptr[x] : points.node_ptr[x + 1]]
    y_nodes = points.nodes[points.node_ptr[y] : points.node_ptr[y + 1]]
    matched = mapping >= 0
    lone = np.setdiff1d(np.arange(len(y_nodes)), mapping[matched])
    nodes = ((x_nodes[matched] - y_nodes[mapping[matched]]) ** 2).sum(axis=0)
    nodes += (x_nodes[~matched] ** 2).sum(axis=0) + (y_nodes[lone] ** 2).sum(axis=0)

    of_y = dict(_edges(points, y))
    edges = np.zeros(points.edge_values.shape[1])
    for (i, j), value in _edges(points, x):
        a, b = int(mapping[i]), int(mapping[j])
        swapped = a > b
        other = of_y.pop((b, a) if swapped else (a, b), None) if min(a, b) >= 0 else None
        if other is None:
            edges += value**2
        else:
            edges += (value - (np.roll(other, len(other) // 2) if swapped and points.directed else other)) ** 2
    for value in of_y.values():
        edges += value**2
    return nodes, 2.0 * edges


def _edges(points: GraphBatch, g: int) -> list[tuple[tuple[int, int], FloatArray]]:
    rows = slice(points.edge_ptr[g], points.edge_ptr[g + 1])
    return [((i, j), value) for (i, j), value in zip(points.ends[rows].tolist(), points.edge_values[rows], strict=True)]
