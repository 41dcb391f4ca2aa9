"""Trees line by line, as files are listed in folders; what is below what in trees; and a sequence in one line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.network import sequence_places
from graphmeans.plots.positions import has_positions, node_kinds
from graphmeans.plots.text import plain_text
from graphmeans.plots.tree_layout import forest_of

#: The share of the trees that must have a line for it to be listed; and how many lines there are at most.
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
    """A kind of node below those of the lines above it, and the share of the trees with one there.

    Where at least half of the trees have several such nodes, it is also told how many, and the share with so many.
    """

    level: int
    kind: str
    share: float
    times: int
    share_of_times: float


def tree_lines(graphs: Sequence[Graph], most: int = LINES) -> list[TreeLine]:
    """What at least half of these trees have, line by line, as files are listed in folders.

    A line is a way of kinds from the root down, and counts the trees that have it; so no line has more than the one that it
    stands below. `times` is the largest number of such nodes that half of all trees have. Siblings stand in the order in
    which trees have them, on average. Of very many lines those are listed that most trees have. Nothing if these are no trees
    of words.

    Examples
    --------
    >>> loop = Graph({"kind": ["def", "for", "name", "name"]}, [(0, 1), (1, 2), (1, 3)], directed=True)
    >>> [tuple(line) for line in tree_lines([loop, Graph({"kind": ["def"]})])]
    [(0, 'def', 1.0, 1, 1.0), (1, 'for', 0.5, 1, 0.5), (2, 'name', 0.5, 2, 0.5)]
    """
    ways: dict[tuple[int, str], int] = {}
    counts, places = list[list[int]](), list[float]()
    for graph in graphs:
        words = node_kinds(graph)
        if words is None or not graph.n_nodes:
            continue
        forest = forest_of(graph, np.ones(graph.n_nodes, dtype=bool), np.ones(graph.n_edges, dtype=bool))
        if forest is None and graph.n_edges:
            return []
        parent, level = ({}, dict.fromkeys(range(graph.n_nodes), 0)) if forest is None else forest
        way: dict[int, int] = {}
        for node in sorted(level, key=lambda node: (level[node], node)):
            above = way.get(parent.get(node, -1), -1)
            way[node] = ways.setdefault((above, plain_text(words[node], 24)), len(ways))
        own = Counter(way.values())
        for new, count in own.items():
            if new >= len(counts):
                counts += [[] for _ in range(new + 1 - len(counts))]
                places += [0.0] * (new + 1 - len(places))
            counts[new].append(count)
        for node, of in way.items():
            places[of] += node / graph.n_nodes / own[of]
    return _listed(list(ways), counts, places, len(graphs), most)


def lines_of(graph: Graph, lines: Sequence[TreeLine]) -> int:
    """How many of these lines a tree has, each as often as half of the trees have it.

    Examples
    --------
    >>> loop = Graph({"kind": ["def", "for", "name", "name"]}, [(0, 1), (1, 2), (1, 3)], directed=True)
    >>> trees = [loop, Graph({"kind": ["def"]})]
    >>> [lines_of(tree, tree_lines(trees)) for tree in trees]
    [3, 1]
    """
    own = dict(_with_ways(tree_lines([graph], most=graph.n_nodes)))
    return sum(own.get(way, 0) >= times for way, times in _with_ways(lines))


def _with_ways(lines: Sequence[TreeLine]) -> list[tuple[tuple[str, ...], int]]:
    """The kinds from the root to each line, and how often it is there."""
    way: tuple[str, ...] = ()
    found = []
    for line in lines:
        way = (*way[: line.level], line.kind)
        found.append((way, line.times))
    return found


def _listed(
    ways: Sequence[tuple[int, str]], counts: Sequence[Sequence[int]], places: Sequence[float], total: int, most: int
) -> list[TreeLine]:
    """The ways that at least half of the trees have, from the root down."""
    kept = [n for n, own in enumerate(counts) if len(own) >= LEAST * total]
    kept = sorted(kept, key=lambda n: (-len(counts[n]), n))[:most]  # what stands above a line has been met before it
    below: dict[int, list[int]] = {}
    for n in sorted(kept, key=lambda n: (places[n] / len(counts[n]), n)):
        below.setdefault(ways[n][0], []).append(n)
    half = max(int(np.ceil(LEAST * total)), 1)
    found, waiting = list[TreeLine](), [(0, n) for n in reversed(below.get(-1, []))]
    while waiting:
        level, n = waiting.pop()
        times = sorted(counts[n], reverse=True)[half - 1]
        several = sum(count >= times for count in counts[n]) / total
        found.append(TreeLine(level, ways[n][1], len(counts[n]) / total, times, several))
        waiting += [(level + 1, child) for child in reversed(below.get(n, []))]
    return found


def consensus(mean: MeanGraph) -> str | None:
    """The most frequent word in each place of a sequence, of the places that at least half of the members have; else None."""
    places, words = sequence_places(mean), node_kinds(mean)
    if places is None or words is None or has_positions(mean):
        return None
    known = [plain_text(words[i], 24) for i in np.argsort(places) if mean.node_support[i] >= LEAST]
    shown = [*known[:PLACES], *(["…"] if len(known) > PLACES else [])]
    return ("" if all(len(word) == 1 for word in shown) else " ").join(shown)
