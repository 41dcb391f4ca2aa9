"""Graphs in one .npz file: flat arrays for the whole collection, no pickle.

Graphs with the same columns form a group ``g``, and their rows stand one below the other: ``g/node_graph`` and
``g/edge_graph`` say which graph of the group a row belongs to, ``g/edges`` holds the end nodes, ``g/node.c`` and
``g/edge.c`` column c, and ``g/node.c.missing`` which of its values are not known, where some are not. Strings are
UTF-8 bytes with offsets. ``about`` is JSON: the format, its version, the names of the graphs and, for each group, its
columns; ``group`` is the group of each graph. Numbers come back bit for bit. The alignments of a mean graph are not kept.

A stated count is never trusted: a node exists because ``node_graph`` has a row for it.
"""

from __future__ import annotations

import contextlib
import functools
import io
import json
import zipfile
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.array_file import Arrays, read_npy, write_npy
from graphmeans.budget import GRAPH, budgeted, charge, keep
from graphmeans.file_schema import NPZ, npz_group
from graphmeans.files import Archive, PathLike, blaming, called, parse_json, write_file
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.io.formats.matrices import holds_matrices, read_matrices_npz
from graphmeans.io.formats.table import frozen_label, plain_label
from graphmeans.schema import Array, Record, check

NPZ_FORMAT, NPZ_VERSION = "graphmeans graphs", 1

Reader = Callable[..., NDArray[Any]]


def write_npz(graphs: Graph | Sequence[Graph], path: PathLike) -> None:
    """Write one graph, or a whole collection, as one .npz file.

    Parameters
    ----------
    graphs : Graph or sequence of Graph
        They need not have the same columns.
    path : path
        The file to write.

    See Also
    --------
    read_npz : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_npz, write_npz
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_npz([gm.Graph(2, name="a"), gm.Graph(3, name="b")], os.path.join(folder, "two.npz"))
    ...     read_npz(os.path.join(folder, "two.npz"))
    [Graph('a', 2 nodes, 0 edges), Graph('b', 3 nodes, 0 edges)]
    """
    write_file(path, npz_bytes([graphs] if isinstance(graphs, Graph) else list(graphs)))


def npz_bytes(graphs: Sequence[Graph]) -> bytes:
    """Return the bytes of an .npz file with these graphs."""
    groups: dict[str, list[int]] = {}
    for i, graph in enumerate(graphs):
        groups.setdefault(json.dumps(_description(graph)), []).append(i)
    arrays: Arrays = {"group": np.zeros(len(graphs), np.int64)}
    for g, (description, members) in enumerate(groups.items()):
        arrays["group"][members] = g
        _write_group(f"{g}/", json.loads(description), [graphs[i] for i in members], arrays)
    about = {"format": NPZ_FORMAT, "version": NPZ_VERSION, "names": [graph.name for graph in graphs],
             "groups": [json.loads(description) for description in groups]}  # fmt: skip
    arrays["about"] = np.frombuffer(json.dumps(about).encode(), np.uint8)
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, array in arrays.items():
            write_npy(archive, f"{name}.npy", array)
    return target.getvalue()


@budgeted
def read_npz(path: PathLike, *, unnamed: str | None = None) -> list[Graph]:
    """Read the graphs of an .npz file that `write_npz` wrote, in their order, or networks that ``numpy.savez`` wrote.

    Networks on the same nodes may be one array of shape (N, n, n), with a second array ``labels`` (or ``names``) of n strings. A
    matrix that is not symmetric is that of a directed network.

    Parameters
    ----------
    path : path
        The file.
    unnamed : str, optional
        Name for graphs that were written without one; several networks are numbered.

    Returns
    -------
    list of Graph
        The graphs.

    See Also
    --------
    write_npz : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm
    >>> from graphmeans.io import read_npz, write_npz
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_npz([gm.Graph([[0.5], [1.5]], [(0, 1)])], os.path.join(folder, "graphs.npz"))
    ...     read_npz(os.path.join(folder, "graphs.npz"))
    [Graph(2 nodes, 1 edge)]
    """
    return _read(Archive(Path(path)), str(path), unnamed)


def parse_npz(data: bytes, where: str) -> list[Graph]:
    """Return the graphs in the bytes of an .npz file."""
    return _read(Archive(Path(where), data=data), where, None)


# -- writing ---------------------------------------------------------------------------------------


def _description(graph: Graph) -> dict[str, Any]:
    """Describe what the graphs of one group have in common."""
    ids = list(graph.node_ids)
    return {
        "mean": isinstance(graph, MeanGraph),
        "directed": graph.directed,
        "nodes": [[key, *_kind(column)] for key, column in graph.nodes.items()],
        "edges": [[key, *_kind(column)] for key, column in graph.edge_attributes.items()],
        "ids": None if ids == list(range(len(ids))) and _label_kind(ids) == "int" else _label_kind(ids),
        "roles": None if graph.roles is None else _label_kind(list(graph.roles)),
    }


def _kind(column: NDArray[Any]) -> tuple[str, int | None]:
    kind = {"f": "number", "b": "bool", "O": "string"}[column.dtype.kind]
    if isinstance(column, np.ma.MaskedArray):
        kind = f"{kind}?"
    return kind, column.shape[1] if column.ndim == 2 else None


def _label_kind(labels: list[Any]) -> str:
    if all(type(label) is int and abs(label) < 2**63 for label in labels):
        return "int"
    return "string" if all(isinstance(label, str) for label in labels) else "json"


def _write_group(at: str, description: dict[str, Any], graphs: list[Graph], arrays: Arrays) -> None:
    arrays[f"{at}node_graph"] = np.repeat(np.arange(len(graphs)), [graph.n_nodes for graph in graphs])
    arrays[f"{at}edge_graph"] = np.repeat(np.arange(len(graphs)), [graph.n_edges for graph in graphs])
    arrays[f"{at}edges"] = np.concatenate([graph.edges for graph in graphs])
    for part, columns in (("node", description["nodes"]), ("edge", description["edges"])):
        for c, (key, kind, _) in enumerate(columns):
            parts = [(graph.nodes if part == "node" else graph.edge_attributes)[key] for graph in graphs]
            _put(f"{at}{part}.{c}", kind, np.concatenate([np.ma.getdata(p) for p in parts]), arrays)
            if any(isinstance(p, np.ma.MaskedArray) for p in parts):
                arrays[f"{at}{part}.{c}.missing"] = np.concatenate([np.ma.getmaskarray(p) for p in parts])
    if description["ids"] is not None:
        ids = [plain_label(label, "node id", graph) for graph in graphs for label in graph.node_ids]
        _put(f"{at}ids", description["ids"], ids, arrays)
    if description["roles"] is not None:
        roles = [plain_label(role, "role", graph) for graph in graphs for role in graph.roles or ()]
        _put(f"{at}roles", description["roles"], roles, arrays)
    if means := [graph for graph in graphs if isinstance(graph, MeanGraph)]:
        arrays[f"{at}node_support"] = np.concatenate([mean.node_support for mean in means])
        arrays[f"{at}edge_support"] = np.concatenate([mean.edge_support for mean in means])
        arrays[f"{at}objective"] = np.array([mean.objective for mean in means], np.float64)  # None becomes NaN


def _put(name: str, kind: str, values: Any, arrays: Arrays) -> None:
    kind = kind.rstrip("?")
    if kind in ("string", "json"):
        texts = [json.dumps(value) if kind == "json" else value for value in values]
        coded = [text.encode("utf-8", "surrogatepass") for text in texts]
        arrays[f"{name}.bytes"] = np.frombuffer(b"".join(coded), np.uint8)
        arrays[f"{name}.offsets"] = np.cumsum([0, *map(len, coded)], dtype=np.int64)
    else:
        arrays[name] = np.asarray(values, {"number": np.float64, "bool": np.bool_, "int": np.int64}[kind])


# -- reading ---------------------------------------------------------------------------------------


def _array(archive: Archive, name: str) -> NDArray[Any]:
    """Read one array; what it must be is declared in `graphmeans.file_schema`."""
    charge(archive.where(name), size=2 * archive.size(f"{name}.npy"))  # the array, and the parts that graphs take of it
    return read_npy(archive.read(f"{name}.npy", limit=None), name)


def _read(archive: Archive, path: str, unnamed: str | None) -> list[Graph]:
    with contextlib.closing(archive), blaming(path, "holds arrays that do not fit together"):
        if holds_matrices(archive):
            return read_matrices_npz(archive, path, unnamed)
        return _read_groups(functools.partial(_array, archive), path, unnamed)


def _read_groups(array: Reader, path: str, unnamed: str | None) -> list[Graph]:
    described = array("about")
    check(Array("u1", (None,)), described, "about")
    about = parse_json(described.tobytes().decode("utf-8"), path)
    if not isinstance(about, dict) or about.get("format") != NPZ_FORMAT:
        raise GraphError("was not written by graphmeans")
    if about.get("version") != NPZ_VERSION:
        raise GraphError(f"has format version {about.get('version')!r}, this release reads {NPZ_VERSION}")
    check(NPZ, about, "about")
    names, groups, group = about["names"], about["groups"], array("group")
    check(Array("i8", ("graphs",), least=0, below="groups"), group, "group", graphs=len(names), groups=len(groups))
    names = [unnamed if name is None else name for name in names]
    charge(path, size=(GRAPH + 8) * len(names))
    result: list[Graph | None] = [None] * len(group)
    order = np.argsort(group, kind="stable")
    bounds = np.searchsorted(group[order], np.arange(len(groups) + 1)).tolist()
    for g, description in enumerate(groups):
        members = order[bounds[g] : bounds[g + 1]].tolist()
        graphs = _read_group(f"{g}/", description, [names[i] for i in members], array)
        for i, graph in zip(members, graphs, strict=True):
            result[i] = graph
    return result  # type: ignore[return-value]


def _read_group(at: str, description: dict[str, Any], names: list[Any], array: Reader) -> list[Graph]:
    declared = npz_group(description)
    arrays = {name: array(f"{at}{name}") for name in declared}
    check(Record(None, declared), arrays, f"group {at[:-1]}", graphs=len(names))
    nodes, edges = (np.searchsorted(arrays[f"{part}_graph"], np.arange(len(names) + 1)).tolist() for part in ("node", "edge"))
    columns = {
        part: {str(key): _get(f"{part}.{c}", kind, arrays) for c, (key, kind, _) in enumerate(description[f"{part}s"])}
        for part in ("node", "edge")
    }
    ids, roles = (None if description[key] is None else _get(key, description[key], arrays) for key in ("ids", "roles"))
    graphs: list[Graph] = []
    for i, name in enumerate(names):
        own, own_edges = slice(nodes[i], nodes[i + 1]), slice(edges[i], edges[i + 1])
        keep(called(name), own.stop - own.start, own_edges.stop - own_edges.start)
        graph: dict[str, Any] = {
            "nodes": _cut(columns["node"], own) if columns["node"] else own.stop - own.start,
            "edges": arrays["edges"][own_edges],
            "edge_attributes": _cut(columns["edge"], own_edges) if columns["edge"] else None,
            "directed": description["directed"],
            "roles": None if roles is None else list(roles[own]),
            "node_ids": None if ids is None else list(ids[own]),
            "name": name,
        }
        if description["mean"]:
            graph["node_support"] = arrays["node_support"][own]
            graph["edge_support"] = arrays["edge_support"][own_edges]
            value = float(arrays["objective"][i])
            graphs.append(MeanGraph(**graph, objective=None if np.isnan(value) else value))
        else:
            graphs.append(Graph(**graph))
    return graphs


def _get(name: str, kind: str, arrays: Arrays) -> Any:
    if kind.endswith("?"):
        return np.ma.MaskedArray(_get(name, kind[:-1], arrays), mask=arrays[f"{name}.missing"])
    if kind in ("string", "json"):
        data, offsets = arrays[f"{name}.bytes"].tobytes(), arrays[f"{name}.offsets"]
        charge(name, values=len(offsets), size=len(data))
        texts = [data[i:j].decode("utf-8", "surrogatepass") for i, j in pairwise(offsets.tolist())]
        return [frozen_label(json.loads(text)) for text in texts] if kind == "json" else np.array(texts, dtype=object)
    return arrays[name].tolist() if kind == "int" else arrays[name]


def _cut(columns: dict[str, Any], rows: slice) -> Any:
    return columns[BARE][rows] if BARE in columns else {key: column[rows] for key, column in columns.items()}
