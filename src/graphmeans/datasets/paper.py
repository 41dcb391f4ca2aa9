"""The four collections of the paper, selected and encoded as it describes (Jain & Obermayer 2009, section 5).

Each function takes the folder with the IAM files and gives graphs with bare arrays, ready to be clustered, and their
classes. Positions are standardised over the selected graphs (mean 0, variance 1, each axis) or left raw.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.datasets.iam import load_iam
from graphmeans.files import PathLike
from graphmeans.graphs.batch import FloatArray
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.values import BLANK

PaperCollection = tuple[list[Graph], NDArray[Any]]


def letter(
    path: PathLike, *, standardised: bool = True, letters: Sequence[str] | None = None, per_class: int | None = None
) -> PaperCollection:
    """Letter LOW, test, all 750 or only some letters. Nodes: the position of an end point. Edges: 1."""
    graphs, classes = _chosen(*load_iam(path, "letter", "test"), letters, per_class)
    positions = _positions(graphs, standardised)
    return [_graph(g, x, g.edges, np.ones((g.n_edges, 1))) for g, x in zip(graphs, positions, strict=True)], classes


def grec(path: PathLike, *, standardised: bool = True, per_class: int | None = None) -> PaperCollection:
    """GREC, test, all 528. Nodes: the position. Edges: 1-of-2 line or arc, with orientation or diameter.

    A line is (1, cos 2a, sin 2a, 0, 0): an undirected line at the angle a is the same at a + pi. An arc is (0, 0, 0, 1, d)
    with the diameter d in units of the root mean square of all diameters. An edge of frequency 2 is the sum of its two.
    """
    graphs, classes = _chosen(*load_iam(path, "grec", "test"), None, per_class)
    columns = [{key: np.ma.filled(values, BLANK[values.dtype.kind]) for key, values in g.edge_attributes.items()} for g in graphs]
    diameters = [column[f"angle{i}"][column[f"type{i}"] == "arc"] for column in columns for i in "01"]
    unit = float(np.sqrt(np.mean(np.concatenate(diameters) ** 2)))

    def part(column: dict[str, NDArray[Any]], i: str) -> FloatArray:
        kind, value = column[f"type{i}"], column[f"angle{i}"]  # an edge that is a single line has no second one
        line, arc = (kind == "line").astype(float), (kind == "arc").astype(float)
        return np.stack([line, line * np.cos(2 * value), line * np.sin(2 * value), arc, arc * value / unit], axis=1)

    positions = _positions(graphs, standardised)
    encoded = [part(column, "0") + part(column, "1") for column in columns]
    return [_graph(g, x, g.edges, e) for g, x, e in zip(graphs, positions, encoded, strict=True)], classes


def fingerprint(path: PathLike, *, standardised: bool = True, per_class: int = 300) -> PaperCollection:
    """Fingerprint, test, the first 300 non-empty of each of L, R, W. Nodes: the position. Edges: existence, orientation.

    The files store every edge in both directions with angles that differ by pi; it is read as one undirected edge
    (1, cos 2a, sin 2a).
    """
    graphs, classes = load_iam(path, "fingerprint", "test")
    graphs, classes = _chosen(graphs, classes, "LRW", per_class, [g.n_nodes > 0 for g in graphs])
    encoded = []
    for graph, x in zip(graphs, _positions(graphs, standardised), strict=True):
        forward = graph.edges[:, 0] < graph.edges[:, 1]
        angle = graph.edge_attributes["angle"][forward] if graph.n_edges else np.zeros(0)
        values = np.stack([np.ones_like(angle), np.cos(2 * angle), np.sin(2 * angle)], axis=1)
        encoded.append(_graph(graph, x, graph.edges[forward], values))
    return encoded, classes


def molecules(path: PathLike, *, standardised: bool = True, per_class: int = 50, max_nodes: int = 40) -> PaperCollection:
    """Mutagenicity, test, the first 50 of each class with at most 40 nodes. Nodes: 1-of-k atoms. Edges: 1-of-k bonds.

    There is nothing to standardise; the parameter is there because all four functions have it.
    """
    graphs, classes = load_iam(path, "mutagenicity", "test")
    small = [g.n_nodes <= max_nodes for g in graphs]
    graphs, classes = _chosen(graphs, classes, ["mutagen", "nonmutagen"], per_class, small)
    atoms = np.array(sorted({atom for g in graphs for atom in g.nodes["chem"]}), dtype=object)
    bonds = np.array(sorted({bond for g in graphs for bond in g.edge_attributes["valence"]}))
    nodes = [(g.nodes["chem"][:, None] == atoms).astype(float) for g in graphs]
    values = [(g.edge_attributes["valence"][:, None] == bonds).astype(float) for g in graphs]
    return [_graph(g, x, g.edges, e) for g, x, e in zip(graphs, nodes, values, strict=True)], classes


#: The collections by the paper's names, with the number of clusters it asks for.
COLLECTIONS: dict[str, tuple[Callable[..., PaperCollection], int]] = {
    "letter": (letter, 30), "grec": (grec, 33), "fingerprint": (fingerprint, 60), "molecules": (molecules, 10),
}  # fmt: skip


def _positions(graphs: Sequence[Graph], standardised: bool) -> list[FloatArray]:
    rows = [np.stack([g.nodes["x"], g.nodes["y"]], axis=1) if g.n_nodes else np.zeros((0, 2)) for g in graphs]
    if not standardised:
        return rows
    everything = np.concatenate(rows)
    return [(x - everything.mean(axis=0)) / everything.std(axis=0) for x in rows]


def _chosen(
    graphs: list[Graph], classes: NDArray[Any], wanted: Sequence[str] | None, count: int | None, usable: Any = True
) -> PaperCollection:
    """Return the first `count` usable graphs (None: all) of each wanted class, in the order of the list."""
    names = np.unique(classes) if wanted is None else wanted
    rows = np.sort(np.concatenate([np.flatnonzero((classes == name) & usable)[:count] for name in names]))
    if not len(rows):
        raise GraphError(f"none of the classes {', '.join(names)} is among the graphs")
    return [graphs[i] for i in rows], classes[rows]


def _graph(source: Graph, nodes: FloatArray, edges: NDArray[np.int64], values: FloatArray) -> Graph:
    return Graph(nodes, edges, values, node_ids=source.node_ids, name=source.name)
