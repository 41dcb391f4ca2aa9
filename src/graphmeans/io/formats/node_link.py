"""Node-link JSON, the form of ``networkx.node_link_data``: one graph in each file, ``edges`` or ``links`` as the key."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

from graphmeans import files as _files
from graphmeans.budget import budgeted, for_a_while
from graphmeans.files import PathLike, decoded, fail, parse_json
from graphmeans.graphs.convert import MARK
from graphmeans.graphs.graph import Graph
from graphmeans.io.formats import table as tables
from graphmeans.io.formats.table import GraphTable, columns_of_rows, graph_from_table, graph_to_table


@budgeted
def read_node_link(path_or_bytes: PathLike | bytes) -> Graph:
    """Read one graph from a node-link JSON file, or from the bytes of one.

    Attributes are numbers, equally long lists of numbers, strings or booleans; one that is null, or that some nodes (edges)
    do not have, is missing there. The graph is called like its file; from bytes, what the JSON says.

    Parameters
    ----------
    path_or_bytes : path or bytes
        The file, or what is in it.

    Returns
    -------
    Graph
        The graph.

    See Also
    --------
    write_node_link : The way back.
    read_collection : A folder of such files.

    Examples
    --------
    >>> from graphmeans.io import read_node_link
    >>> read_node_link(b'{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2}]}')
    Graph(2 nodes, 1 edge)
    """
    return parse_node_link(*_files.named_content(path_or_bytes, "JSON"))


def write_node_link(graph: Graph, path: PathLike) -> None:
    """Write one graph as node-link JSON that ``networkx.node_link_graph`` reads.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.
    path : path
        The file to write.

    See Also
    --------
    read_node_link : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_node_link, write_node_link
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_node_link(gm.Graph(2, [(0, 1)]), os.path.join(folder, "line.json"))
    ...     read_node_link(os.path.join(folder, "line.json"))
    Graph('line', 2 nodes, 1 edge)
    """
    table = graph_to_table(
        graph, Path(path).stem, reserved_nodes=("id",), reserved_edges=("source", "target", "key"), holes=True
    )
    about: dict[str, Any] = {} if graph.name is None else {"name": graph.name}
    if table.mark:
        about[MARK] = table.mark
    ids = table.ids
    nodes = [{"id": label, **row} for label, row in zip(ids, _rows(table.nodes, len(ids)), strict=True)]
    rows = zip(table.ends.tolist(), _rows(table.edges, len(table.ends)), strict=True)
    edges = [{"source": ids[i], "target": ids[j], **row} for (i, j), row in rows]
    document = {"directed": table.directed, "multigraph": False, "graph": about, "nodes": nodes, "edges": edges}
    _files.write_file(path, (json.dumps(document) + "\n").encode())


def parse_node_link(data: bytes, name: str | None, where: str) -> Graph:
    """Return the graph in these bytes. It is called `name` unless that is None."""
    with for_a_while():
        return _graph(data, name, where)


def _graph(data: bytes, name: str | None, where: str) -> Graph:
    document = parse_json(decoded(data, where), where)
    about = (document.get("graph") or {}) if isinstance(document, dict) else None
    if not isinstance(about, dict) or not isinstance(document.get("nodes"), list):
        raise fail(where, "is not node-link JSON, an object with the lists 'nodes' and 'edges' (or 'links')")
    links = document.get("edges", document.get("links", []))
    if not isinstance(links, list):
        raise fail(where, "is not node-link JSON: its edges must be a list")
    mark = tables.checked_mark(about.get(MARK, {}), where)
    rows, labels = _popped(document["nodes"], ("id",), "node", where)
    edge_rows, ends = _popped(links, ("source", "target"), "edge", where)
    ids = [label for (label,) in labels]
    if document.get("multigraph"):
        for row in edge_rows:
            row.pop("key", None)
    stored = about.get("name")
    chosen = name if name is not None or not isinstance(stored, str) else stored or None
    directed, places = bool(document.get("directed", False)), tables.end_positions(ids, ends, where)
    nodes, edges = columns_of_rows(rows, where), columns_of_rows(edge_rows, where)
    return graph_from_table(GraphTable(chosen, directed, ids, places, nodes, edges, mark), where)


def _rows(columns: dict[str, Any], n: int) -> list[dict[str, Any]]:
    lists = {key: values.tolist() if isinstance(values, np.ndarray) else values for key, values in columns.items()}
    return [{key: values[row] for key, values in lists.items()} for row in range(n)]


def _popped(rows: list[Any], keys: tuple[str, ...], what: str, where: str) -> tuple[list[dict[str, Any]], list[Any]]:
    """Return the rows without these keys, and the values of the keys."""
    rest, labels = [], []
    for i, row in enumerate(rows):
        if not isinstance(row, dict):
            raise fail(where, f"{what} {i} is not an object")
        for key in keys:
            if key not in row:
                raise fail(where, f"{what} {i} has no {key!r}")
        try:
            labels.append(tuple(tables.frozen_label(row[key]) for key in keys))
        except ValueError as error:
            raise fail(where, f"{what} {i}: {error}") from None
        rest.append({key: value for key, value in row.items() if key not in keys})
    return rest, labels
