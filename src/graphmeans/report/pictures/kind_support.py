"""Mean graphs whose support is that of kinds: which share of the members has a node of this kind there, and not just any node.

In a mean, nodes of several kinds may lie on each other, since a node of another kind can be the best counterpart. It is called by
the most frequent of them. What the page says of that kind must hold for it: the share of members that have a node of *this* kind
there, and an edge there between nodes of *these* kinds.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, IntArray, offsets
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.members import edge_numbers
from graphmeans.plots.positions import node_kinds

Flags = NDArray[np.bool_]


def means_by_kinds(
    means: Sequence[MeanGraph], graphs: Sequence[Graph], labels: IntArray, mappings: Sequence[IntArray]
) -> list[MeanGraph]:
    """The means with the support of their kinds of nodes; as they are where nodes have no kinds.

    `graphs` are members with the labels of their clusters and their alignments to the means. If these are not all members, the
    support of a place is known of all, and how many of its nodes are of the kind of the mean is known of these.

    Examples
    --------
    >>> mean = MeanGraph({"kind": ["If", "Call"]}, [(0, 1)], node_support=[1.0, 1.0], edge_support=[1.0])
    >>> members = [Graph({"kind": [kind, "Call"]}, [(0, 1)]) for kind in ("If", "If", "For", "If")]
    >>> (told,) = means_by_kinds([mean], members, np.zeros(4, dtype=int), [np.arange(2)] * 4)
    >>> told.node_support.tolist(), told.edge_support.tolist()
    ([0.75, 1.0], [0.75])
    """
    of_means = [node_kinds(mean) for mean in means]
    if not any(kinds is not None and any(kinds) for kinds in of_means) or not graphs:
        return list(means)
    size = max(mean.n_nodes for mean in means) + 1  # the last place is that of nodes without a counterpart
    codes: dict[str, int] = {}
    called = np.full((len(means), size), -1)
    for row, mean_kinds in zip(called, of_means, strict=True):
        if mean_kinds is not None:
            row[: len(mean_kinds)] = [codes.setdefault(kind, len(codes)) for kind in mean_kinds]
    words = [node_kinds(graph) or [""] * graph.n_nodes for graph in graphs]
    kinds = np.array([codes.get(word, -2) for row in words for word in row], dtype=np.int64)
    node_ptr = offsets(np.array([graph.n_nodes for graph in graphs]))
    edge_ptr = offsets(np.array([graph.n_edges for graph in graphs]))
    into, directed = np.concatenate(mappings), means[0].directed
    of_node, of_edge = (labels[np.repeat(np.arange(len(graphs)), np.diff(ptr))] for ptr in (node_ptr, edge_ptr))
    alike = called[of_node, into] == kinds
    every = np.concatenate([graph.edges for graph in graphs]) + np.repeat(node_ptr[:-1], np.diff(edge_ptr))[:, None]
    numbers = edge_numbers(into[every], of_edge, size, directed)
    order = [edge_numbers(mean.edges, label, size, directed) for label, mean in enumerate(means)]
    node_share = _share(of_node * size + into, alike, into >= 0, np.arange(len(means) * size)).reshape(len(means), size)
    edge_share = _share(numbers, alike[every].all(axis=1), numbers >= 0, np.concatenate(order))
    cuts = offsets(np.array([mean.n_edges for mean in means]))
    return [
        _with_support(mean, node_share[label, : mean.n_nodes], edge_share[cuts[label] : cuts[label + 1]])
        if of_means[label] is not None else mean
        for label, mean in enumerate(means)
    ]  # fmt: skip


def _share(numbers: IntArray, alike: Flags, there: Flags, wanted: IntArray) -> FloatArray:
    """Of the rows that are `there` with each of the `wanted` numbers, the share that is alike; 1 where there are none."""
    values, place = np.unique(wanted, return_inverse=True)
    at = np.minimum(np.searchsorted(values, numbers), len(values) - 1)
    known = there & (values[at] == numbers) if len(values) else np.zeros(len(numbers), dtype=bool)
    count = np.bincount(at[known], minlength=len(values))
    agreeing = np.bincount(at[known], alike[known], minlength=len(values))
    share = np.divide(agreeing, count, out=np.ones(len(values)), where=count > 0)
    return np.asarray(share[place.reshape(-1)])


def _with_support(mean: MeanGraph, nodes: FloatArray, edges: FloatArray) -> MeanGraph:
    columns, attributes = mean.nodes, mean.edge_attributes
    return MeanGraph(
        columns.get(BARE, columns) if columns else mean.n_nodes, mean.edges,
        attributes.get(BARE, attributes) if attributes else None,
        node_support=mean.node_support * nodes, edge_support=mean.edge_support * edges,
        directed=mean.directed, roles=mean.roles, node_ids=mean.node_ids,
    )  # fmt: skip
