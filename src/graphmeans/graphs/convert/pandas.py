"""Tables of edges and nodes of pandas in and out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmeans.graphs.convert.records import Records, need, to_rows
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import Graph

if TYPE_CHECKING:
    import pandas as pd


def from_pandas(
    edges: pd.DataFrame, nodes: pd.DataFrame | None = None, *, graph: str | None = "graph",
    source: str = "source", target: str = "target", node: str = "node",
    directed: bool = False, roles: str | None = None, node_attributes: Sequence[str] | None = None,
    edge_attributes: Sequence[str] | None = None, parallel: str = "mean",
) -> Any:  # fmt: skip
    """Make graphs of a table with a row for each edge, and perhaps a table with a row for each node.

    All other columns are attributes; NaN, NaT, None and NA are missing values. Parallel edges and self-loops are treated as
    in `from_networkx`. Graphs come in the order in which their ids first appear, in the table of nodes if there is one.

    Parameters
    ----------
    edges : DataFrame
        The edges.
    nodes : DataFrame, optional
        Without it, the nodes are the ends of the edges and have no attributes.
    graph : str or None, default="graph"
        The column with the id of the graph that a row belongs to, in both tables. None: all rows are one graph, and a single
        `Graph` comes back.
    source : str, default="source"
        The columns of `edges` with the two ends, and of `nodes` with the id of the node.
    target : str, default="target"
        The columns of `edges` with the two ends, and of `nodes` with the id of the node.
    node : str, default="node"
        The columns of `edges` with the two ends, and of `nodes` with the id of the node.
    directed : bool, default=False
        Whether edges have a direction.
    roles : str, optional
        The column of `nodes` with the role.
    node_attributes : sequences of names, optional
        The attributes that are taken; all by default.
    edge_attributes : sequences of names, optional
        The attributes that are taken; all by default.
    parallel : {"mean", "sum"}, default="mean"
        What becomes of the numbers of parallel edges.

    Returns
    -------
    list of Graph, or Graph
        One for each id of a graph; a single one if `graph` is None.

    See Also
    --------
    to_pandas : The way back.

    Examples
    --------
    >>> import graphmeans as gm, pandas as pd
    >>> table = pd.DataFrame({"graph": [1, 1, 2], "source": list("aba"), "target": list("bcb"), "weight": [1.0, 2.0, 3.0]})
    >>> gm.from_pandas(table)
    [Graph('1', 3 nodes, 2 edges), Graph('2', 2 nodes, 1 edge)]
    """
    pandas = need("pandas", "pandas", "from_pandas")
    for table, name, wanted in ((edges, "edges", [source, target]), (nodes, "nodes", [node])):
        if table is None:
            continue
        if not isinstance(table, pandas.DataFrame):
            raise GraphError(f"{name} must be a pandas DataFrame, got {type(table).__name__}")
        for column in [*wanted, *([] if graph is None else [graph])]:
            if column not in table.columns:
                raise GraphError(f"the table of {name} has no column {column!r}; it has {', '.join(map(str, table.columns))}")
            if table[column].isna().any():
                raise GraphError(f"column {column!r} of the table of {name} has missing values")
    ends = zip(_plain(edges[source]), _plain(edges[target]), strict=True)
    edge_rows = _rows(edges, {source, target, graph}, edge_attributes)
    listed_edges = list(zip(_keys(edges, graph), ends, edge_rows, strict=True))
    listed_nodes = None
    if nodes is not None:
        if node_attributes is not None and roles is not None:
            node_attributes = [*node_attributes, roles]
        node_rows = _rows(nodes, {node, graph}, node_attributes)
        listed_nodes = list(zip(_keys(nodes, graph), _plain(nodes[node]), node_rows, strict=True))
    made = [records.graph(roles=roles, parallel=parallel) for records in _records(listed_edges, listed_nodes, directed)]
    if graph is None:
        return made[0] if made else Graph(0, directed=directed)
    return made


def to_pandas(graphs: Graph | Iterable[Graph]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make a table of edges and a table of nodes, as `from_pandas` takes them.

    Supports are the column ``support``. The column ``graph`` holds the names of the graphs, or their numbers if they have
    none.

    Parameters
    ----------
    graphs : Graph, or a collection of them
        The graphs.

    Returns
    -------
    edges : DataFrame
        A row for each edge.
    nodes : DataFrame
        A row for each node.

    See Also
    --------
    from_pandas : The way back.

    Examples
    --------
    >>> import graphmeans as gm
    >>> edges, nodes = gm.to_pandas(gm.Graph({"kind": ["a", "b"]}, [(0, 1)]))
    >>> len(edges), nodes["kind"].tolist()
    (1, ['a', 'b'])
    """
    pandas = need("pandas", "pandas", "to_pandas")
    listed = [graphs] if isinstance(graphs, Graph) else list(graphs)
    names = [one.name for one in listed]
    if None in names or len(set(names)) < len(names):
        names = list(range(len(listed)))  # type: ignore[arg-type]
    node_rows: list[dict[str, Any]] = []
    edge_rows: list[dict[str, Any]] = []
    for name, one in zip(names, listed, strict=True):
        own_nodes, own_edges, _ = to_rows(one)
        ids = one.node_ids
        node_rows += [{"graph": name, "node": label, **row} for label, row in zip(ids, own_nodes, strict=True)]
        edge_rows += [{"graph": name, "source": ids[i], "target": ids[j], **row}
                      for (i, j), row in zip(one.edges.tolist(), own_edges, strict=True)]  # fmt: skip
    tables = (edge_rows, ["graph", "source", "target"]), (node_rows, ["graph", "node"])
    edges, nodes = (pandas.DataFrame(rows) if rows else pandas.DataFrame(columns=names) for rows, names in tables)
    return edges, nodes


#: The graph that a row belongs to, its node or the two ends of its edge, and its attributes.
_Listed = tuple[Any, Any, dict[str, Any]]


def _records(edges: list[_Listed], nodes: list[_Listed] | None, directed: bool) -> list[Records]:
    """The `Records` of each graph."""
    found = {name: Records([], [], [], [], directed, str(name) or None) for name, _, _ in [*(nodes or ()), *edges]}
    places: dict[Any, dict[Any, int]] = {name: {} for name in found}

    def add(name: Any, label: Any, row: dict[str, Any]) -> None:
        places[name][label] = len(places[name])
        found[name].nodes.append(row)

    for name, label, row in nodes or ():
        if label in places[name]:
            raise GraphError(f"graph {str(name)!r}: node {label!r} has two rows in the table of nodes")
        add(name, label, row)
    for name, pair, row in edges:
        for label in pair:
            if label not in places[name]:
                if nodes is not None:
                    raise GraphError(f"graph {str(name)!r}: the table of nodes has no node {label!r}, to which an edge leads")
                add(name, label, {})
        found[name].ends.append((places[name][pair[0]], places[name][pair[1]]))
        found[name].edges.append(row)
    for name, records in found.items():
        records.ids = list(places[name])
    return list(found.values())


def _keys(table: pd.DataFrame, graph: str | None) -> list[Any]:
    return [""] * len(table) if graph is None else _plain(table[graph])


def _plain(column: pd.Series) -> list[Any]:
    """Python values, None where one is missing."""
    values = column.astype(object).where(column.notna(), None).tolist()
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _rows(table: pd.DataFrame, without: set[str | None], names: Sequence[str] | None) -> list[dict[str, Any]]:
    wanted = [name for name in table.columns if name not in without] if names is None else list(names)
    for name in wanted:
        if name not in table.columns:
            raise GraphError(f"there is no column {name!r}; there is {', '.join(map(str, table.columns))}")
    lists = {str(name): _plain(table[name]) for name in wanted}
    return [{name: values[i] for name, values in lists.items()} for i in range(len(table))]
