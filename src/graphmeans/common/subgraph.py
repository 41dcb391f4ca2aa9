"""`common_subgraph`: the largest common subgraph of two or of many graphs, with a bound that says how large one can be."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from typing import Any

import numpy as np

from graphmeans.common.agreement import Names, codes, common_columns, keys, names_that_agree, read_graphs
from graphmeans.common.pair import Coded, Found, Limits, common_edges, connected_pair, unconnected_pair
from graphmeans.common.result import CommonSubgraph
from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.convert import is_one_graph
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph

#: The order in which many graphs are gone through is tried in this many ways.
MOST_ORDERS = 4


def common_subgraph(
    graphs: Any, other: Any = None, *, connected: bool = True, maximize: str = "edges", node_attributes: Names = "auto",
    edge_attributes: Names = "auto", max_tree_nodes: int = 100_000, max_seconds: float | None = None,
) -> CommonSubgraph:  # fmt: skip
    """Find the largest common subgraph of two or more graphs.

    Common are nodes with the same values of `node_attributes` (and the same role) and edges between them with the same values
    of `edge_attributes`; an edge that only one of the graphs has between common nodes does no harm. For molecules and with the
    defaults this is what RDKit's ``rdFMCS.FindMCS`` finds with ``bondCompare=CompareOrderExact``.

    Parameters
    ----------
    graphs : Graph, or a graph of networkx, igraph, PyTorch Geometric, RDKit, SMILES or an adjacency matrix, or a collection
        One of two graphs, or all graphs.
    other : Graph, or a graph as above, optional
        The other of two graphs.
    connected : bool, default=True
        Whether the subgraph must be connected. If not, it is found by the exact matcher, as the alignment at the least
        distance where an edge that is not common costs 1 and nothing else costs anything.
    maximize : {"edges", "nodes"}, default="edges"
        What the subgraph has most of; the other decides between equals. "nodes" needs a connected subgraph.
    node_attributes : "auto" or list of names, default="auto"
        What must agree. "auto": the element in molecules, elsewhere all attributes that are strings or booleans. ``[]``
        lets any two nodes agree.
    edge_attributes : "auto" or list of names, default="auto"
        What must agree. "auto": the kind of bond in molecules, elsewhere all attributes that are strings or booleans.
    max_tree_nodes : int, default=100000
        The most nodes of the search tree for a pair of graphs, or rounds of the edge program if it need not be connected;
        some 20 microseconds each for molecules of 30 atoms. Then the best one so far is returned, with what is proven.
    max_seconds : float, optional
        The most seconds for everything. Results then depend on the machine.

    Returns
    -------
    CommonSubgraph
        The subgraph, where it lies in the graphs, and how large one can be at most.

    See Also
    --------
    match : The alignment at the least distance.
    plots.draw_atom_map : Draws two molecules with what they have in common.

    Notes
    -----
    Of two graphs the search is exact: without running into a limit, its result is proven. Of more than two graphs, the search
    goes through them one after the other, in up to four orders, and no pair of the first with another has more in common than
    `upper` says; where that is larger than what was found, there may be something larger that is common to all.

    Examples
    --------
    >>> import graphmeans as gm
    >>> aspirin, salicylamide = gm.from_smiles(["CC(=O)Oc1ccccc1C(=O)O", "NC(=O)c1ccccc1O"])
    >>> found = gm.common_subgraph(aspirin, salicylamide)
    >>> found.graph.n_nodes, found.size, found.certified
    (9, 9, True)
    >>> found.smiles()
    'O=Cc1ccccc1O'
    """
    objects = _listed(graphs, other)
    _check(connected, maximize, max_tree_nodes, max_seconds)
    given = read_graphs(objects, node_attributes, edge_attributes)
    names = [names_that_agree(given, asked, part) for asked, part in ((node_attributes, "nodes"), (edge_attributes, "edges"))]
    coded = _coded(given, *names)
    end = None if max_seconds is None else time.perf_counter() + float(max_seconds)
    search = _Search(coded, connected, maximize == "nodes", Limits(int(max_tree_nodes), end))
    nodes, upper = search.many()
    edges = _common_to_all(coded, nodes)
    size = len(nodes[0]) if maximize == "nodes" else len(edges[0])
    ends = np.searchsorted(nodes[0], given[0].edges[edges[0]]).reshape(-1, 2)
    columns = common_columns(given[0].nodes, names[0], nodes[0])
    common = Graph(
        len(nodes[0]) if columns is None else columns, ends,
        common_columns(given[0].edge_attributes, names[1], edges[0]) if len(edges[0]) else None,
        node_ids=[given[0].node_ids[i] for i in nodes[0].tolist()],
        roles=None if given[0].roles is None else [given[0].roles[i] for i in nodes[0].tolist()],
    )  # fmt: skip
    return CommonSubgraph(
        common, given, nodes, edges, size, upper, size == upper, maximize, connected, names[0], names[1], search.tree_nodes
    )


class _Search:
    """The search, and what it has spent."""

    def __init__(self, graphs: list[Coded], connected: bool, by_nodes: bool, limits: Limits) -> None:
        self.graphs, self.connected, self.by_nodes, self.limits = graphs, connected, by_nodes, limits
        self.tree_nodes = 0

    def pair(self, x: Coded, y: Coded) -> Found:
        """The largest common subgraph of two."""
        found = connected_pair(x, y, self.by_nodes, self.limits) if self.connected else unconnected_pair(x, y, self.limits)
        self.tree_nodes += found.tree_nodes
        return found

    def many(self) -> tuple[list[IntArray], int]:
        """The nodes of each graph that are common to all, in corresponding order, and the bound of the size."""
        sizes = [len(graph.nodes) + len(graph.edges) for graph in self.graphs]
        hub = int(np.argmin(sizes))
        others = [t for t in range(len(self.graphs)) if t != hub]
        pairs = {t: self.pair(self.graphs[hub], self.graphs[t]) for t in others}
        upper = min(found.upper for found in pairs.values())
        order = sorted(others, key=lambda t: pairs[t].size)
        best: tuple[tuple[int, int], list[IntArray]] | None = None
        for turn in range(min(MOST_ORDERS, len(order))):
            turned = [order[turn], *order[:turn], *order[turn + 1 :]]
            nodes = self._through(hub, turned, pairs[turned[0]])
            edges = len(_common_to_all(self.graphs, nodes)[0])
            score = (len(nodes[0]), edges) if self.by_nodes else (edges, len(nodes[0]))
            if best is None or score > best[0]:
                best = score, nodes
            if best[0][0] >= upper or self.limits.is_over:
                break
        assert best is not None
        nodes = best[1]
        by_first = np.argsort(nodes[0])
        return [rows[by_first] for rows in nodes], upper

    def _through(self, hub: int, order: Sequence[int], first: Found) -> list[IntArray]:
        """What remains common as one graph after the other is looked at."""
        core, in_hub = self.graphs[hub], np.arange(len(self.graphs[hub].nodes))
        placed: dict[int, IntArray] = {}
        for turn, t in enumerate(order):
            found = first if turn == 0 else self.pair(core, self.graphs[t])
            kept = np.flatnonzero(found.into >= 0)
            edges = common_edges(core, self.graphs[t], found.into)[0]
            core, in_hub = core.part(kept, edges), in_hub[kept]
            placed = {u: rows[kept] for u, rows in placed.items()} | {t: found.into[kept]}
        placed[hub] = in_hub
        return [placed[t] for t in range(len(self.graphs))]


def _common_to_all(graphs: Sequence[Coded], nodes: Sequence[IntArray]) -> list[IntArray]:
    """The edges of each graph, between nodes in corresponding order, that all of them have."""
    first = graphs[0]
    kept, others = np.arange(len(first.edges)), []
    for graph, rows in zip(graphs[1:], nodes[1:], strict=True):
        into = np.full(len(first.nodes), -1, dtype=np.int64)
        into[nodes[0]] = rows
        mine, theirs = common_edges(first, graph, into)
        others.append(dict(zip(mine.tolist(), theirs.tolist(), strict=True)))
        kept = np.intersect1d(kept, mine)
    return [kept, *(np.array([of[e] for e in kept.tolist()], dtype=np.int64) for of in others)]


def _coded(graphs: Sequence[Graph], node_names: Sequence[str], edge_names: Sequence[str]) -> list[Coded]:
    with_roles = any(graph.roles is not None for graph in graphs)
    nodes = codes([
        keys(graph.nodes, node_names, graph.n_nodes, (graph.roles or [None] * graph.n_nodes) if with_roles else None)
        for graph in graphs
    ])  # fmt: skip
    edges = codes([keys(graph.edge_attributes, edge_names, graph.n_edges) for graph in graphs])
    return [Coded(*parts) for parts in zip(nodes, [graph.edges for graph in graphs], edges, strict=True)]


def _listed(graphs: Any, other: Any) -> list[Any]:
    if other is not None:
        return [graphs, other]
    if is_one_graph(graphs) or not isinstance(graphs, Iterable) or isinstance(graphs, (str, bytes)):
        raise GraphError("common_subgraph needs two graphs, or a collection of at least two")
    listed = list(graphs)
    if len(listed) < 2:
        raise GraphError(f"common_subgraph needs at least two graphs, got {len(listed)}")
    return listed


def _check(connected: bool, maximize: str, max_tree_nodes: int, max_seconds: float | None) -> None:
    if maximize not in ("edges", "nodes"):
        raise GraphError(f"maximize must be 'edges' or 'nodes', got {maximize!r}")
    if maximize == "nodes" and not connected:
        raise GraphError("maximize='nodes' needs connected=True: without edges, nodes that agree are merely counted")
    if isinstance(max_tree_nodes, bool) or not isinstance(max_tree_nodes, Integral) or max_tree_nodes < 1:
        raise GraphError(f"max_tree_nodes must be a whole number of at least 1, got {max_tree_nodes!r}")
    if max_seconds is not None and (isinstance(max_seconds, bool) or not isinstance(max_seconds, Real) or not max_seconds > 0):
        raise GraphError(f"max_seconds must be positive, got {max_seconds!r}")
