"""Which attributes of mean graphs are known: where most members have no value, a mean has one that was filled in.

A missing value is encoded as the average of the collection. The mean of such values is an average, too, but it says nothing
about the members, so the page shows it as missing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.graph import BARE, Columns, Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.graphs.values import missing_in
from graphmeans.plots.members import edge_key

#: A value of a mean is known if at least this share of the members that have the node or edge know it.
KNOWN = 0.5


def means_as_known(
    means: Sequence[MeanGraph], graphs: Sequence[Graph], labels: IntArray, mappings: Sequence[IntArray]
) -> list[MeanGraph]:
    """The means, without the values that fewer than half of the members have that are aligned there.

    `graphs` are members with the labels of their clusters and their alignments to the means. Where no value of any graph is
    missing, the means are handed back as they are.
    """
    holes = any(_with_holes(graph.nodes) or _with_holes(graph.edge_attributes) for graph in graphs)
    if not holes:
        return list(means)
    return [
        _masked(mean, [(graph, into) for graph, of, into in zip(graphs, labels.tolist(), mappings, strict=True) if of == label])
        for label, mean in enumerate(means)
    ]


def _with_holes(columns: Columns) -> bool:
    return any(isinstance(values, np.ma.MaskedArray) and bool(missing_in(values).any()) for values in columns.values())


def _masked(mean: MeanGraph, members: Sequence[tuple[Graph, IntArray]]) -> MeanGraph:
    at = {edge_key(i, j, mean.directed): e for e, (i, j) in enumerate(mean.edges.tolist())}
    rows = [([graph.nodes for graph, _ in members], [into for _, into in members])]
    places = [
        np.array([at.get(edge_key(a, b, mean.directed), -1) for a, b in into[graph.edges].tolist()], dtype=np.int64)
        for graph, into in members
    ]
    rows.append(([graph.edge_attributes for graph, _ in members], places))
    nodes, edges = (
        {key: _hidden(values, _known_share(key, len(values), *part)) for key, values in columns.items()}
        for columns, part in zip((mean.nodes, mean.edge_attributes), rows, strict=True)
    )
    return MeanGraph(
        nodes.get(BARE, nodes) if nodes else mean.n_nodes, mean.edges, edges.get(BARE, edges) if edges else None,
        node_support=mean.node_support,
        edge_support=mean.edge_support, directed=mean.directed, roles=mean.roles, node_ids=mean.node_ids,
    )  # fmt: skip


def _known_share(key: str, count: int, tables: Sequence[Columns], places: Sequence[IntArray]) -> FloatArray:
    """Of the rows of members that are aligned to each row of the mean, the share that has a value.

    Where there are none, as not all members are drawn, nothing is known if some value of the column is missing, else everything.
    """
    aligned, known = np.zeros(count), np.zeros(count)
    for columns, place in zip(tables, places, strict=True):
        there = place >= 0
        np.add.at(aligned, place[there], 1.0)
        if key in columns:
            np.add.at(known, place[there & ~missing_in(columns[key])], 1.0)
    whole = all(key in columns and not missing_in(columns[key]).any() for columns in tables)
    return np.divide(known, aligned, out=np.full(count, float(whole)), where=aligned > 0)


def _hidden(values: NDArray[Any], share: FloatArray) -> NDArray[Any]:
    gone = share < KNOWN
    if not gone.any():
        return values
    mask = np.ma.getmaskarray(values) | (gone if values.ndim == 1 else gone[:, None])
    return np.ma.MaskedArray(np.ma.getdata(values), mask=mask)
