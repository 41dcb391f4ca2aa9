"""A tree in one line: what most members of a cluster have, from the root down the largest branch; and a sequence in one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

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


def outline(mean: MeanGraph) -> Outline | None:
    """The levels of a mean tree in words: the root, its children, the children of the one with the most below it, and so on.

    Only nodes and edges count that at least half of the members have, each by itself. The kinds of a level stand beside each
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
    levels = [plain_text(words[at], 24)]
    for _ in range(LEVELS):
        children = below.get(at)
        if not children:
            break
        at = max(children, key=lambda node: (most[node], support[node], -node))
        levels.append(_level([words[node] for node in sorted(children, key=lambda i: (-support[i], i))], words[at]))
    return tuple(levels)


def consensus(mean: MeanGraph) -> str | None:
    """The most frequent word in each place of a sequence, of the places that at least half of the members have; else None."""
    places, words = sequence_places(mean), node_kinds(mean)
    if places is None or words is None or has_positions(mean):
        return None
    known = [plain_text(words[i], 24) for i in np.argsort(places) if mean.node_support[i] >= LEAST]
    shown = [*known[:PLACES], *(["…"] if len(known) > PLACES else [])]
    return ("" if all(len(word) == 1 for word in shown) else " ").join(shown)


def _level(words: Sequence[str], last: str) -> str:
    """The kinds of a level with how often they occur, `last` at the end; of many the first."""
    counts = Counter(plain_text(word, 24) for word in words)
    last = plain_text(last, 24)
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
