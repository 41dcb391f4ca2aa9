"""Networks on the same nodes, such as connectomes: every node is itself in all of them, and is matched with itself.

Also how to see that a collection probably is one, although nobody said so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.graphs.convert import kind_of_one, to_graphs
from graphmeans.graphs.convert.adjacency import Arcs, is_adjacency, is_sparse, read_matrices
from graphmeans.graphs.errors import GraphError, speaking_of
from graphmeans.graphs.graph import BARE, LOOP, LOOP_PREFIX, Graph, share_edges

#: Names such as files give to nodes that have none: a number, behind a letter or two.
_NUMBERED = re.compile(r"(?:_|n|v|node)?[ _]?(\d+)", re.IGNORECASE)
#: All graphs together may have so many times the nodes of one: then they have the same nodes, of which some lack a few.
_SPARE = 1.25
#: Graphs of fewer nodes have names in common by chance.
_FEWEST = 3
#: Numbers on diagonals are compared to so many decimals.
_DECIMALS = 12
#: So many graphs are looked at first.
_FIRST = 30


def labelled_networks(
    networks: Any, *, labels: Iterable[Hashable] | None = None,
    coordinates: ArrayLike | Mapping[Any, ArrayLike] | None = None, weight: str | None = "weight",
    directed: bool | None = None, names: Sequence[str] | None = None,
) -> list[Graph]:  # fmt: skip
    """Turn networks on the same nodes (connectomes) into graphs: every node is matched with itself.

    The distance is the Euclidean one between the matrices, and k-means is that of the matrices as vectors, at the speed of
    vectors; but centers are networks with the names of the nodes, and with the share of members that have each edge.

    Parameters
    ----------
    networks : array of shape (N, n, n), sequence of matrices of one size, of tables of pandas or of graphs, or mapping to them
        Graphs are objects of networkx, igraph or any other kind that estimators take, with unique names of nodes. A matrix
        is dense or sparse. It may be unsymmetric by rounding, as those of ``np.corrcoef`` are. A diagonal that all matrices
        share is left out. The index of a table (``DataFrame``), which its columns repeat, names its nodes, in any order. The
        keys of a mapping are the names of the networks.
    labels : sequence of labels, optional
        The names of the nodes, in the order of the rows; 0, 1, ... by default. Graphs, and tables whose index is more than
        0, 1, ..., bring names of their own: then these are the only ones that they may have.
    coordinates : array of shape (n, 2) or (n, 3), or mapping of label to point, optional
        Where the nodes are: they become the columns ``x``, ``y`` and ``z``. Being the same in all networks they add nothing
        to any distance, and every picture has one fixed layout.
    weight : str or None, default="weight"
        Of graphs: the edge attribute that is the entry of the matrix; 1 where an edge has none. None keeps all attributes of
        nodes and edges, which are then encoded as those of any other graph.
    directed : bool, optional
        Whether edges have a direction: by default not for matrices, and for graphs as they are.
    names : sequence of str, optional
        The names of the networks; by default those that graphs have, or the keys of a mapping.

    Returns
    -------
    list of Graph
        One graph for each item.

    See Also
    --------
    from_adjacency : Matrices whose nodes are to be matched.
    plots.draw_matrices : Mean matrices of a clustering side by side.

    Examples
    --------
    >>> import graphmeans as gm
    >>> gm.distance(*gm.structures.labelled_networks([[[0, 1], [1, 0]], [[0, 3], [3, 0]]])) ** 2
    8.000000000000002
    >>> import networkx as nx
    >>> trade = [nx.Graph([("France", "Japan")]), nx.Graph([("France", "Peru"), ("Peru", "Japan")])]
    >>> gm.structures.labelled_networks(trade)[0].roles
    ('France', 'Japan')
    """
    if isinstance(networks, Mapping):
        names = [str(key) for key in networks] if names is None else names
        networks = list(networks.values())
    if isinstance(networks, (str, bytes)) or not isinstance(networks, Iterable):
        raise GraphError(f"expected a collection of networks, got {type(networks).__name__}")
    if _is_table(networks):
        raise GraphError("expected a sequence of tables, got a single one; put it into a list")
    listed = networks if isinstance(networks, np.ndarray) else list(networks)
    order = None if labels is None else _listed(labels)
    if len(listed) and _is_table(listed[0]):
        graphs = _from_tables(list(listed), order, bool(directed))
    elif len(listed) and kind_of_one(listed[0]) not in (None, "adjacency"):
        graphs = _from_graphs(to_graphs(listed), order, weight, directed)
    else:
        graphs = _from_matrices(listed, order, bool(directed))
    if coordinates is not None:
        graphs = _placed(graphs, coordinates, order)
    if names is None:
        return share_edges(graphs)
    if len(names) != len(graphs):
        raise GraphError(f"{len(graphs)} networks but {len(names)} names")
    return share_edges([remade(graph, name=name) for graph, name in zip(graphs, names, strict=True)])


def with_identities(graphs: Sequence[Graph]) -> list[Graph]:
    """The same graphs, in which a node is matched only with nodes of its own name."""
    return _checked([remade(graph, roles=graph.node_ids) for graph in graphs])


def with_roles(graphs: Sequence[Graph], column: str) -> list[Graph]:
    """The same graphs with the values of a node attribute as roles; the attribute itself is no longer compared."""
    made = []
    for i, graph in enumerate(graphs):
        if not graph.n_nodes:
            made.append(graph)
            continue
        columns = dict(graph.nodes)
        if column not in columns or column == BARE:
            known = ", ".join(repr(name) for name in columns if name != BARE) or "none"
            raise GraphError(f"graph {i}: no node attribute {column!r} to take roles from; there is {known}")
        values = columns.pop(column)
        roles = values.tolist()
        if values.ndim != 1 or None in roles:
            what = "holds vectors" if values.ndim != 1 else f"is missing on node {graph.node_ids[roles.index(None)]!r}"
            raise GraphError(f"graph {i}: node attribute {column!r} cannot give roles: it {what}")
        made.append(remade(graph, nodes=columns or graph.n_nodes, roles=roles))
    return made


def remade(graph: Graph, **changed: Any) -> Graph:
    """The same graph with some of what `Graph` takes replaced."""
    nodes, edges = graph.nodes, graph.edge_attributes
    about: dict[str, Any] = {
        "nodes": nodes.get(BARE, nodes), "edges": graph.edges, "edge_attributes": edges.get(BARE, edges),
        "directed": graph.directed, "roles": graph.roles, "node_ids": graph._node_ids, "name": graph.name, "origin": graph.origin,
    }  # fmt: skip
    return Graph(**(about | changed))


# -- identities that nobody asked to keep -----------------------------------------------------------


def ignored_identities(objects: Any, graphs: Callable[[], Iterable[Graph]]) -> str | None:
    """What to say if these look like networks on the same nodes, whose identities are ignored; else None.

    `objects` is what the caller gave; `graphs` are made of it only if they need to be looked at.
    """
    matrices = _matrices_of_one_size(objects)
    if matrices is not None:
        return (
            f"{matrices} whose nodes are matched in any order; if row i is the same node in all of them, labelled_networks in "
            "gm.structures keeps that (in commands: --labelled)"
        )
    names = shared_names(graphs())
    if names is None:
        return None
    said = ", ".join(repr(name) for name in names[:2])
    return (
        f"the graphs have nodes of the same names ({said}, ...), but any node may be matched with any other; if a name is an "
        "identity (a region, a person), labelled_networks in gm.structures keeps it (in commands: --labelled)"
    )


def shared_names(graphs: Iterable[Graph]) -> list[Hashable] | None:
    """The names of the nodes, if all graphs have about the same ones and these are more than counted; else None."""
    turn = iter(graphs)
    counts: Counter[Hashable] = Counter()
    sizes: list[int] = []
    for block in (islice(turn, _FIRST), turn):
        for graph in block:
            if graph.roles is not None or graph._node_ids is None:
                return None
            if graph.packed_origin is not None and all(isinstance(name, int) for name in graph._node_ids):
                return None  # the places of its atoms in a molecule
            counts.update(graph._node_ids)
            sizes.append(graph.n_nodes)
            if len(counts) > 4 * max(sizes) + 8:
                return None
        usual = float(np.median(sizes)) if sizes else 0.0
        if len(sizes) < 2 or usual < _FEWEST or len(counts) > _SPARE * usual or _are_counted(counts):
            return None
    return list(counts)


def _are_counted(names: Collection[Hashable]) -> bool:
    """Whether these are the numbers that nodes get who have no names, from 0 or 1 on; a few of them may be lacking."""
    found = [_NUMBERED.fullmatch(str(int(name) if isinstance(name, float) and name.is_integer() else name)) for name in names]
    numbers = [int(match[1]) for match in found if match is not None]
    return len(numbers) == len(names) and max(numbers, default=0) <= _SPARE * len(numbers) + 1


def _matrices_of_one_size(objects: Any) -> str | None:
    """What is said of matrices which all have as many rows; None if these are other objects."""
    if isinstance(objects, np.ndarray) and objects.ndim == 3 and len(objects) > 1:
        return f"the array of shape {objects.shape} is read as {objects.shape[0]} graphs"
    if not isinstance(objects, (list, tuple)) or len(objects) < 2 or not all(map(is_adjacency, objects)):
        return None
    sizes = {item.shape[0] if isinstance(item, np.ndarray) or is_sparse(item) else len(item) for item in objects}
    if len(sizes) > 1 or min(sizes) < _FEWEST:
        return None
    return f"the {len(objects)} matrices of one size are read as graphs"


# -- parts ------------------------------------------------------------------------------------------


def _listed(labels: Any) -> list[Hashable]:
    """Labels as a list, whatever they come in: a list, an array, an index of pandas."""
    listed = labels.tolist() if isinstance(labels, np.ndarray) and labels.ndim == 1 else list(labels)
    for label in listed:
        try:
            hash(label)
        except TypeError:
            raise GraphError(f"labels must be hashable, got {label!r}") from None
    return listed


def _is_table(item: Any) -> bool:
    """Whether this is a table of pandas, or of what behaves like one."""
    return hasattr(item, "iloc") and hasattr(item, "columns")


def _from_tables(tables: list[Any], labels: list[Hashable] | None, directed: bool) -> list[Graph]:
    """Matrices whose rows have names. Those of the first table, or `labels`, say in which order nodes stand in all graphs."""
    _check_unique(labels or ())
    place = {label: i for i, label in enumerate(labels or ())}
    known: dict[tuple[Hashable, ...], tuple[Hashable, ...]] = {}  # graphs on the same nodes share the tuple of their roles
    made = []
    for i, table in enumerate(tables):
        if not _is_table(table):
            raise GraphError(f"graph {i} is no table, but graph 0 is one")
        rows, columns = list(table.index), list(table.columns)
        if labels is not None and len(rows) == len(labels) and rows == columns == list(range(len(rows))):
            rows = columns = labels
        at = _places_of(rows, columns)
        if at is None:
            raise GraphError(f"graph {i}: the index and the columns of the table must be the same labels, each once")
        stray = [] if labels is None else [name for name in rows if name not in place]
        if stray:
            raise GraphError(f"graph {i}: node {stray[0]!r} is not among the labels")
        by_place = sorted(range(len(rows)), key=lambda r: place.setdefault(rows[r], len(place)))
        matrix = table.to_numpy()[by_place][:, [at[r] for r in by_place]]
        own = tuple(rows[r] for r in by_place)
        own = known.setdefault(own, own)
        made.append(Arcs(matrix, f"graph {i}", directed).graph(None, True, roles=own, node_ids=own))
    return _checked(_without_common_loops(made))


def _places_of(rows: list[Hashable], columns: list[Hashable]) -> list[int] | None:
    """The column of each row, by its label; None if they have not the same labels. A file may hold numbers as strings."""
    for read in (lambda label: label, str):
        wanted, place = [read(label) for label in rows], {read(label): c for c, label in enumerate(columns)}
        if len(set(wanted)) == len(place) == len(rows) == len(columns) and all(label in place for label in wanted):
            return [place[label] for label in wanted]
    return None


def _from_matrices(matrices: Any, labels: list[Hashable] | None, directed: bool) -> list[Graph]:
    one, arcs = read_matrices(matrices, directed)
    if one:
        raise GraphError("expected a sequence of matrices, got a single one; put it into a list")
    sizes = sorted({arc.n for arc in arcs})
    if len(sizes) > 1 or (labels is not None and sizes and sizes[0] != len(labels)):
        said = f"{sizes[0]} and {sizes[-1]}" if len(sizes) > 1 else f"{sizes[0]} nodes but {len(labels or ())} labels"
        raise GraphError(f"labelled networks must all have the same nodes, got {said}")
    roles = tuple(range(sizes[0])) if labels is None and sizes else tuple(labels or ())
    _check_unique(roles)
    loops = any(not np.allclose(arc.diagonal, arcs[0].diagonal, rtol=0, atol=10.0**-_DECIMALS) for arc in arcs)
    return [arc.graph(None, loops, roles=roles, node_ids=roles) for arc in arcs]


def _from_graphs(
    graphs: list[Graph], labels: list[Hashable] | None, weight: str | None, directed: bool | None
) -> list[Graph]:
    known = None if labels is None else set(labels)
    _check_unique(labels or ())
    made = []
    for i, graph in enumerate(graphs):
        if directed is not None and directed != graph.directed:
            is_ = "directed" if graph.directed else "not directed"
            raise GraphError(f"graph {i} is {is_}; leave directed= out to take graphs as they are")
        stray = [] if known is None else [node for node in graph.node_ids if node not in known]
        if stray:
            raise GraphError(f"graph {i}: node {stray[0]!r} is not among the labels")
        with speaking_of(f"graph {i}"):
            made.append(remade(graph, roles=graph.node_ids) if weight is None else _weighted(graph, weight))
    return _checked(made if weight is None else _without_common_loops(made))


def _weighted(graph: Graph, weight: str) -> Graph:
    """The graph with one bare number on each edge, and the number of its loop on each node."""
    columns = graph.edge_attributes
    values: NDArray[np.float64]
    if BARE in columns:
        values = columns[BARE]
    elif weight in columns and columns[weight].dtype.kind == "f" and columns[weight].ndim == 1:
        values = np.ma.filled(columns[weight], 1.0).reshape(-1, 1)
    else:
        known = ", ".join(map(repr, columns))
        raise GraphError(f"graph: there is no numeric edge attribute {weight!r}; weight= names it, or None keeps all of {known}")
    kept = values.any(axis=1)  # 0 means that there is no edge
    loops = graph.nodes.get(f"{LOOP_PREFIX}{weight}", graph.nodes.get(LOOP, graph.nodes.get(BARE)))
    diagonal = graph.n_nodes if loops is None or not graph.n_nodes else np.ma.filled(loops, 0.0).reshape(graph.n_nodes, -1)
    return remade(graph, nodes=diagonal, edges=graph.edges[kept], edge_attributes=values[kept], roles=graph.node_ids)


def _without_common_loops(graphs: list[Graph]) -> list[Graph]:
    """A diagonal that is 0 in all networks, or the same wherever a node is, says nothing."""
    widest = max((graph.nodes[BARE].shape[1] for graph in graphs), default=0)
    seen: dict[Hashable, bytes] = {}
    same = True
    for graph in graphs:
        loops = graph.nodes[BARE]
        rows = (loops if loops.shape[1] == widest else np.zeros((graph.n_nodes, widest))).round(_DECIMALS) + 0.0
        both = zip(graph.node_ids, rows, strict=True)
        same = same and all(seen.setdefault(node, row.tobytes()) == row.tobytes() for node, row in both)
    if same:
        return [remade(graph, nodes=graph.n_nodes) for graph in graphs]
    return [g if g.nodes[BARE].shape[1] == widest else remade(g, nodes=np.zeros((g.n_nodes, widest))) for g in graphs]


def _checked(graphs: list[Graph]) -> list[Graph]:
    counts = Counter(role for graph in graphs for role in graph.roles or ())
    if len(graphs) > 1 and counts and max(counts.values()) == 1:
        raise GraphError("no two of these graphs have a node of the same name: the names are no identities")
    return graphs


def _placed(graphs: list[Graph], coordinates: Any, labels: list[Hashable] | None) -> list[Graph]:
    """The graphs with their coordinates as columns."""
    order = labels if labels is not None else list(dict.fromkeys(node for graph in graphs for node in graph.node_ids))
    if isinstance(coordinates, Mapping):
        lost = [node for node in order if node not in coordinates]
        if lost:
            raise GraphError(f"there are no coordinates of the node {lost[0]!r}")
        coordinates = [coordinates[node] for node in order]
    points = np.asarray(coordinates, dtype=np.float64)
    if points.ndim != 2 or len(points) != len(order) or points.shape[1] not in (2, 3):
        raise GraphError(f"coordinates must have shape ({len(order)}, 2) or ({len(order)}, 3), got {points.shape}")
    place = {node: i for i, node in enumerate(order)}
    made = []
    for i, graph in enumerate(graphs):
        if graph.n_nodes < len(order):
            absent = next(node for node in order if node not in graph.node_ids)
            raise GraphError(
                f"graph {i} has no node {absent!r}: with coordinates every network must have all nodes, because one that is "
                "missing would cost its coordinates"
            )
        own = points[[place[node] for node in graph.node_ids]]
        columns: dict[str, Any] = dict(graph.nodes)
        bare = columns.pop(BARE, None)
        if bare is not None and bare.shape[1]:
            columns[LOOP] = bare[:, 0] if bare.shape[1] == 1 else bare
        axes = {axis: own[:, c] for c, axis in enumerate("xyz"[: points.shape[1]])}
        made.append(remade(graph, nodes={**columns, **axes}))
    return made


def _check_unique(labels: Sequence[Hashable]) -> None:
    if len(set(labels)) < len(labels):
        raise GraphError("the labels of the nodes are not unique")
