"""Molecules for scale: parts of real ones, put together anew. Nothing of it is stored."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import networkx as nx
import numpy as np

import graphmeans as gm


def recombined(graphs: Sequence[gm.Graph], count: int, most: int = 40, seed: int = 0) -> list[gm.Graph]:
    """So many molecules, each of two halves: molecules are cut at a bond that is in no ring, and a half of one is bound to one of
    another. All have at most `most` atoms and at least 5."""
    random = np.random.RandomState(seed)
    halves = [half for graph in graphs for half in _halves(graph)]
    made: list[gm.Graph] = []
    while len(made) < count:
        first, second = (halves[i] for i in random.randint(len(halves), size=2))
        if 5 <= len(first) + len(second) <= most:
            made.append(_bound(first, second, f"made_{len(made)}"))
    return made


def _halves(graph: gm.Graph) -> Iterator[nx.Graph]:
    """Both sides of each bond that is in no ring, if they have two atoms and more; where it was cut is kept."""
    whole = gm.convert.to_networkx(graph)
    for a, b in list(nx.bridges(whole)):
        bond = dict(whole.edges[a, b])
        whole.remove_edge(a, b)
        sides = [whole.subgraph(nx.node_connected_component(whole, end)).copy() for end in (a, b)]
        whole.add_edge(a, b, **bond)
        if min(map(len, sides)) >= 2:
            for side, end in zip(sides, (a, b), strict=True):
                side.graph.update(end=end, bond=bond)
                yield side


def _bound(first: nx.Graph, second: nx.Graph, name: str) -> gm.Graph:
    """Two halves, bound to each other where they were cut."""
    joined = nx.disjoint_union(first, second)
    ends = list(first).index(first.graph["end"]), len(first) + list(second).index(second.graph["end"])
    joined.add_edge(*ends, **first.graph["bond"])
    joined.graph = {"name": name}
    return gm.from_networkx([joined])[0]
