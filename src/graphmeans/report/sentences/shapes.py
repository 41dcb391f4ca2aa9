"""The shapes of graphs in numbers, for sentences: hubs, pieces and cycles; where graphs have places, extents and directions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from graphmeans.graphs.batch import FloatArray, IntArray, offsets
from graphmeans.graphs.graph import Graph
from graphmeans.plots.positions import Positions, draws_down, node_kinds, own_positions
from graphmeans.plots.text import plain_text

#: Numbers of graphs, and shares of the length of the lines of a drawing: their names begin with these words.
HUB, PIECES, CYCLES = "most edges ", "pieces of a graph", "cycles of a graph"
WIDTH, HEIGHT, ACROSS, UP = "width of a graph", "height of a graph", "x of a graph", "y of a graph"
RUNS = "share of the length of lines that is "
#: How many edges nodes of a kind have on average, where there are at most so many kinds.
DEGREE, KINDS = "edges at nodes of kind ", 4
#: Ways in which lines run, each within 22.5 degrees, from level anticlockwise.
WAYS = ("level", "rising to the right", "steep", "falling to the right")


#: Forms that a graph may have, as sentences tell them.
EMPTY, NODE, LINE, STAR, ARMS, CHAIN, RING, LOOSE, PARTS = FORMS = (
    "empty", "node", "line", "star", "arms", "chain", "ring", "loose", "parts",
)  # fmt: skip


class Joined(NamedTuple):
    """Some graphs side by side: their nodes are numbered one after the other. Arcs that all have their opposite are edges."""

    sizes: IntArray
    ptr: IntArray
    ends: IntArray
    of: IntArray  # the graph of each edge
    directed: bool
    pieces: FloatArray
    two_way: bool = False


def join_graphs(graphs: Sequence[Graph]) -> Joined:
    """What `shapes` and `forms` begin with."""
    sizes, counts = np.array([graph.n_nodes for graph in graphs]), np.array([graph.n_edges for graph in graphs])
    ptr, of = offsets(sizes), np.repeat(np.arange(len(graphs)), counts)
    ends = np.concatenate([graph.edges for graph in graphs]) + ptr[of, None]
    directed = bool(len(ends)) and graphs[0].directed
    if directed and _both_ways(ends, int(ptr[-1])):  # then directions say nothing
        one = ends[:, 0] < ends[:, 1]
        directed, ends, of = False, ends[one], of[one]
    two_way = len(ends) > 0 and graphs[0].directed and not directed
    if len(ends):
        joined = coo_array((np.ones(len(ends), bool), (ends[:, 0], ends[:, 1])), shape=(ptr[-1], ptr[-1]))
        first = np.unique(connected_components(joined, directed=False)[1], return_index=True)[1]
        pieces = np.bincount(np.searchsorted(ptr, first, side="right") - 1, minlength=len(graphs)).astype(np.float64)
    else:
        pieces = sizes.astype(np.float64)
    return Joined(sizes, ptr, ends, of, directed, pieces, two_way)


def shapes(graphs: Sequence[Graph], joined: Joined | None = None) -> dict[str, FloatArray]:
    """Numbers of each of these graphs by what they are; NaN where a graph has no such number.

    Examples
    --------
    >>> star, path = Graph(4, [(0, 1), (0, 2), (0, 3)]), Graph(4, [(0, 1), (1, 2)])
    >>> {what: values.tolist() for what, values in shapes([star, path]).items()}
    {'most edges at one node': [3.0, 2.0], 'pieces of a graph': [1.0, 2.0], 'cycles of a graph': [0.0, 0.0]}
    """
    sizes, ptr, ends, of, directed, pieces, _ = join_graphs(graphs) if joined is None else joined
    if not sizes.sum():
        return {}
    found: dict[str, FloatArray] = {}
    if len(ends):
        rows = {"into": ends[:, 1], "out of": ends[:, 0]} if directed else {"at": ends.ravel()}
        for where, nodes in rows.items():
            found[f"{HUB}{where} one node"] = _most(np.bincount(nodes, minlength=ptr[-1]), sizes, ptr)
        found[PIECES] = np.where(sizes > 0, pieces, np.nan)
        if not directed:
            found[CYCLES] = np.bincount(of, minlength=len(graphs)) - sizes + found[PIECES]
            found |= _degrees_of_kinds(graphs, sizes, np.bincount(ends.ravel(), minlength=ptr[-1]))
    return found | _in_the_plane(graphs, sizes, ptr, ends, of)


def _degrees_of_kinds(graphs: Sequence[Graph], sizes: IntArray, degrees: IntArray) -> dict[str, FloatArray]:
    """For each kind of nodes how many edges these have in each graph, on average; nothing if there are no, one or many kinds."""
    if not any(node_kinds(graph) for graph in graphs[:20]):
        return {}
    words = [kind for graph in graphs for kind in node_kinds(graph) or [""] * graph.n_nodes]
    kinds = sorted(set(words))
    if not 1 < len(kinds) <= KINDS or "" in kinds:
        return {}
    of, code = np.repeat(np.arange(len(graphs)), sizes), np.searchsorted(kinds, words)
    found = {}
    for n, kind in enumerate(kinds):
        chosen = code == n
        count = np.bincount(of[chosen], minlength=len(graphs))
        total = np.bincount(of[chosen], degrees[chosen], minlength=len(graphs))
        found[f"{DEGREE}{plain_text(kind, 24)}"] = np.divide(total, count, out=np.full(len(graphs), np.nan), where=count > 0)
    return found


def forms(joined: Joined) -> list[str]:
    """What each of these graphs is: one of `FORMS`, or "" where it is nothing that has a name.

    Chains and rings of arcs lead from node to node; in a star one node is in all edges, whichever way they go. A star with
    arms has one node from which at least three lines of nodes go out, some of more than one.

    Examples
    --------
    >>> forms(join_graphs([Graph(4, [(0, 1), (0, 2), (0, 3)]), Graph(3, [(0, 1), (1, 2)]), Graph(3, [(0, 1)]), Graph(2)]))
    ['star', 'chain', 'parts', 'loose']
    """
    sizes, ptr, ends, of, directed, pieces, _ = joined
    edges = np.bincount(of, minlength=len(sizes))
    degrees = np.bincount(ends.ravel(), minlength=ptr[-1])
    most = _most(degrees, sizes, ptr)
    whole = pieces == 1
    thin = most <= 2
    if directed:
        thin &= np.nan_to_num(_most(np.bincount(ends[:, 0], minlength=ptr[-1]), sizes, ptr)) <= 1
        thin &= np.nan_to_num(_most(np.bincount(ends[:, 1], minlength=ptr[-1]), sizes, ptr)) <= 1
    tree = whole & (edges == sizes - 1)
    found = np.full(len(sizes), "", dtype="<U8")
    for name, holds in (
        (PARTS, (pieces > 1) & (edges > 0)), (LOOSE, (sizes > 1) & (edges == 0)),
        (RING, whole & thin & (sizes > 2) & (edges == sizes)), (CHAIN, tree & thin & (sizes > 2)),
        (ARMS, tree & (_many(degrees, sizes, ptr) == 1)), (STAR, tree & (sizes > 3) & (most == sizes - 1)),
        (LINE, (sizes == 2) & (edges == 1)), (NODE, (sizes == 1) & (edges == 0)), (EMPTY, sizes == 0),
    ):  # fmt: skip
        found[holds] = name
    return list(map(str, found.tolist()))


def _both_ways(ends: IntArray, count: int) -> bool:
    """Whether every arc has its opposite."""
    return bool(np.isin(ends[:, 1] * count + ends[:, 0], ends[:, 0] * count + ends[:, 1]).all())


def _most(values: IntArray, sizes: IntArray, ptr: IntArray) -> FloatArray:
    """The largest value among the nodes of each graph."""
    found = np.full(len(sizes), np.nan)
    found[sizes > 0] = np.maximum.reduceat(values, ptr[:-1][sizes > 0])
    return found


def _many(degrees: IntArray, sizes: IntArray, ptr: IntArray) -> IntArray:
    """How many nodes of each graph are in three edges or more."""
    return np.bincount(np.repeat(np.arange(len(sizes)), sizes), degrees >= 3, minlength=len(sizes)).astype(np.int64)


def _in_the_plane(graphs: Sequence[Graph], sizes: IntArray, ptr: IntArray, ends: IntArray, of: IntArray) -> dict[str, FloatArray]:
    """Extents, middles and the directions of lines, if all graphs have places in the plane."""
    points = _places(graphs)
    if points is None:
        return {}
    filled = sizes > 0
    low, high = np.full((2, len(graphs), 2), np.nan)
    low[filled] = np.minimum.reduceat(points, ptr[:-1][filled])
    high[filled] = np.maximum.reduceat(points, ptr[:-1][filled])
    found = dict(zip((WIDTH, HEIGHT, ACROSS, UP), (*(high - low).T, *((high + low) / 2).T), strict=True))
    if len(ends):
        step = points[ends[:, 1]] - points[ends[:, 0]]
        length = np.hypot(*step.T)
        way = np.round(np.arctan2(step[:, 1], step[:, 0]) / (np.pi / 4)).astype(np.int64) % 4
        totals = np.bincount(of, length, minlength=len(graphs))
        sums = np.bincount(4 * of + way, length, minlength=4 * len(graphs)).reshape(-1, 4)
        shares = np.divide(sums, totals[:, None], out=np.full_like(sums, np.nan), where=totals[:, None] > 0)
        found |= {f"{RUNS}{said}": share for said, share in zip(WAYS, shares.T, strict=True)}
    return found


def _places(graphs: Sequence[Graph]) -> Positions | None:
    """The places of the nodes of all graphs, y upwards; None if a graph has none."""
    columns = [graph.nodes for graph in graphs]
    if all(len(of) == 2 and "x" in of and "y" in of for of in columns):  # as most have it: that is quick
        both = [column for key in "xy" for column in [of[key] for of in columns]]
        if all(type(column) is np.ndarray and column.dtype.kind == "f" and column.ndim == 1 for column in both):
            x, y = np.concatenate(both).reshape(2, -1)
            return np.column_stack([x, -y if draws_down() else y])
    known = [places for graph in graphs if (places := own_positions(graph)) is not None]
    return np.concatenate(known) if len(known) == len(graphs) else None
