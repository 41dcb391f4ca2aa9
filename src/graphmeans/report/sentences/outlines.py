"""A mean tree line by line, as files are listed in folders; what is below what in trees; and a sequence in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from graphmeans.graphs.batch import FloatArray
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.network import sequence_places
from graphmeans.plots.positions import has_positions, node_kinds
from graphmeans.plots.text import plain_text
from graphmeans.plots.tree_layout import forest_of

#: The share of members that must have a node for it to be listed; and how many lines there are at most.
LEAST, LINES = 0.5, 28
#: Places of a sequence that are told.
PLACES = 40
#: What stands between two levels.
BELOW = " › "

#: How many nodes of the second kind, at most, stand below one node of the first, in one graph.
Branches = Mapping[tuple[str, str], int]


def branches(graphs: Sequence[Graph]) -> list[Branches]:
    """What is below what in each of these trees; nothing where edges do not lead down, or nodes have no kinds.

    Examples
    --------
    >>> branches([Graph({"kind": ["f", "x", "x"]}, [(0, 1), (0, 2)], directed=True)])
    [{('f', 'x'): 2}]
    """
    found: list[Branches] = []
    for graph in graphs:
        words = [plain_text(word, 24) for word in node_kinds(graph) or ()] if graph.directed else []
        most: dict[tuple[str, str], int] = {}
        for (i, under), count in Counter((i, words[j]) for i, j in graph.edges.tolist() if words).items():
            pair = words[i], under
            most[pair] = max(most.get(pair, 0), count)
        found.append(most)
    return found


class TreeLine(NamedTuple):
    """A node of a mean tree in a line of its own: how far down, its kind, and the share of the members that have it there."""

    level: int
    kind: str
    share: float


def tree_lines(mean: MeanGraph, across: FloatArray | None = None, most: int = LINES) -> list[TreeLine]:
    """What at least half of the members of a cluster of trees have, line by line, as files are listed in folders.

    A node stands below the one that most members have it below. Siblings stand in the order of the column ``place``, else as
    they are drawn: `across` says where from left to right. Of very many nodes those that most members have are listed. Nothing
    if the mean is no tree of words.

    Examples
    --------
    >>> shares = dict(node_support=[1.0, 0.75, 0.5, 0.25], edge_support=[0.75, 0.5, 0.25])
    >>> kinds = {"kind": ["def", "if", "call", "name"]}
    >>> [tuple(line) for line in tree_lines(MeanGraph(kinds, [(0, 1), (1, 2), (2, 3)], directed=True, **shares))]
    [(0, 'def', 1.0), (1, 'if', 0.75), (2, 'call', 0.5)]
    """
    words = node_kinds(mean)
    if words is None or has_positions(mean):
        return []
    support, kept = mean.node_support, mean.node_support >= LEAST
    if kept.sum() > most:
        kept[:] = False
        kept[np.argsort(-support, kind="stable")[:most]] = True
    edges = np.flatnonzero(kept[mean.edges].all(axis=1))
    chosen = np.zeros(mean.n_edges, dtype=bool)
    strongest: dict[int, int] = {}
    for e in edges[np.argsort(-mean.edge_support[edges], kind="stable")].tolist():
        strongest.setdefault(int(mean.edges[e, 1]), e)
    chosen[list(strongest.values()) if mean.directed else edges] = True
    forest = forest_of(mean, kept, chosen)
    if forest is None:
        return []
    below: dict[int | None, list[int]] = {}
    for node in forest.level:
        below.setdefault(forest.parent.get(node), []).append(node)
    place = mean.nodes.get("place")
    by = place if place is not None and place.dtype.kind == "f" else np.zeros(mean.n_nodes) if across is None else across
    found, waiting = list[TreeLine](), [(0, node) for node in _in_order(below.get(None, []), by, support)]
    while waiting:
        level, node = waiting.pop()
        found.append(TreeLine(level, plain_text(words[node], 24), float(support[node])))
        waiting += [(level + 1, child) for child in _in_order(below.get(node, []), by, support)]
    return found


def _in_order(nodes: Sequence[int], by: FloatArray, support: FloatArray) -> list[int]:
    """Siblings from the last to the first, as a stack takes them."""
    return sorted(nodes, key=lambda node: (-by[node], support[node], -node))


def consensus(mean: MeanGraph) -> str | None:
    """The most frequent word in each place of a sequence, of the places that at least half of the members have; else None."""
    places, words = sequence_places(mean), node_kinds(mean)
    if places is None or words is None or has_positions(mean):
        return None
    known = [plain_text(words[i], 24) for i in np.argsort(places) if mean.node_support[i] >= LEAST]
    shown = [*known[:PLACES], *(["…"] if len(known) > PLACES else [])]
    return ("" if all(len(word) == 1 for word in shown) else " ").join(shown)
