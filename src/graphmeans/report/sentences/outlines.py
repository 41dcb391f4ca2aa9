"""A tree in one line: what most members of a cluster have, from the root down the largest branch; and a sequence in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.network import sequence_places
from graphmeans.plots.positions import has_positions, node_kinds
from graphmeans.plots.text import plain_text
from graphmeans.plots.tree_layout import forest_of

#: The share of members that must have a node for it to be named; levels below the root; and kinds of nodes on a level.
LEAST, LEVELS, KINDS = 0.5, 4, 4
#: Places of a sequence that are told.
PLACES = 40
#: What stands between two levels.
BELOW = " › "

Outline = tuple[str, ...]
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


def outline(mean: MeanGraph, members: Sequence[Branches] = ()) -> Outline | None:
    """The levels of a mean tree in words: the root, its children, the children of the one with the most below it, and so on.

    Only nodes and edges count that at least half of the members have, each by itself: in their places, and of kinds that as many
    of these `members` have below each other anywhere, as sentences count them. The kinds of a level stand beside each
    other, the most frequent node first; the one whose children come next stands last. None if the mean is no tree of words.
    """
    words = node_kinds(mean)
    if words is None or has_positions(mean):
        return None
    nodes = mean.node_support >= LEAST
    edges = (mean.edge_support >= LEAST) & nodes[mean.edges].all(axis=1)
    forest = forest_of(mean, nodes, edges)
    if forest is None:
        return None
    below: dict[int, list[int]] = {}
    for child, parent in forest.parent.items():
        below.setdefault(parent, []).append(child)
    most = dict.fromkeys(forest.level, 1)  # nodes in the branch that begins here
    for node in sorted(forest.level, key=lambda node: -forest.level[node]):
        most[node] += sum(most[child] for child in below.get(node, ()))
    support = mean.node_support
    at = max((node for node in forest.level if node not in forest.parent), key=lambda node: (most[node], support[node], -node))
    known = [plain_text(word, 24) for word in words]
    levels = [known[at]]
    for _ in range(LEVELS):
        children = sorted(below.get(at, ()), key=lambda i: (-support[i], i))
        counts = Counter(known[child] for child in children)
        held = {kind: _held(members, (known[at], kind), count) for kind, count in counts.items()}
        children = [child for child in children if held[known[child]]]
        if not children:
            break
        goes_on = {
            child: any(_held(members, (known[child], known[i]), 1) for i in below.get(child, ())) for child in children
        }  # fmt: skip
        at = max(children, key=lambda node: (goes_on[node], most[node], support[node], -node))
        levels.append(_level({kind: count for kind, count in held.items() if count}, known[at]))
    return tuple(levels) if len(levels) > 1 else None


def _held(members: Sequence[Branches], pair: tuple[str, str], most: int) -> int:
    """How many nodes, of so many, at least half of the members have of the second kind below one of the first."""
    counts = sorted((pairs.get(pair, 0) for pairs in members), reverse=True)
    return min(most, counts[(len(counts) - 1) // 2]) if any(map(bool, members)) else most


def consensus(mean: MeanGraph) -> str | None:
    """The most frequent word in each place of a sequence, of the places that at least half of the members have; else None."""
    places, words = sequence_places(mean), node_kinds(mean)
    if places is None or words is None or has_positions(mean):
        return None
    known = [plain_text(words[i], 24) for i in np.argsort(places) if mean.node_support[i] >= LEAST]
    shown = [*known[:PLACES], *(["…"] if len(known) > PLACES else [])]
    return ("" if all(len(word) == 1 for word in shown) else " ").join(shown)


def _level(counts: Mapping[str, int], last: str) -> str:
    """The kinds of a level with how often they occur, `last` at the end; of many the first."""
    kinds = [kind for kind in counts if kind != last]
    shown = [*kinds[: KINDS - 1], *(["…"] if len(kinds) >= KINDS else []), last]
    return ", ".join(f"{kind} ×{counts[kind]}" if counts[kind] > 1 else kind for kind in shown)


def without_common_head(outlines: Sequence[Outline | None]) -> list[Outline | None]:
    """Outlines without what all of them begin with: levels, at least one of each being kept, and kinds in the first that is left.

    Examples
    --------
    >>> without_common_head([("Module", "doc, For", "Name"), ("Module", "doc, x ×2, If")])
    [('For', 'Name'), ('x ×2, If',)]
    """
    known = [one for one in outlines if one]
    shared = 0
    while known and all(len(one) > shared + 1 for one in known) and len({one[shared] for one in known}) == 1:
        shared += 1
    first = [one[shared].split(", ") for one in known]
    # The last kind of a level is the one whose children come next.
    common = set.intersection(*map(set, first)) - {kinds[-1] for kinds in first} if len(known) > 1 else set()
    rest = (", ".join(kind for kind in kinds if kind not in common) for kinds in first)
    return [(next(rest), *one[shared + 1 :]) if one else one for one in outlines]
