"""One graph, one file: GraphML, GML, node-link JSON, .npz or GXL, told apart by the ending of the file name."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from graphmeans import files as _files
from graphmeans.files import PathLike, fail
from graphmeans.graphs.graph import Graph
from graphmeans.io.formats.gml import read_gml, write_gml
from graphmeans.io.formats.graphml import read_graphml, write_graphml
from graphmeans.io.formats.gxl import read_gxl, write_gxl
from graphmeans.io.formats.node_link import read_node_link, write_node_link
from graphmeans.io.formats.npz import read_npz, write_npz


def read_graph(path: PathLike) -> Graph:
    """The graph in a .graphml, .gml, .json, .npz or .gxl file.

    Parameters
    ----------
    path : path

    Returns
    -------
    Graph
        Named after the file, unless it was written under a name that the file could not have.
    """
    return _READERS[_known(path)](path)


def write_graph(graph: Graph, path: PathLike) -> None:
    """Write a graph in the format that the ending of the file name says: .graphml, .gml, .json, .npz or .gxl.

    Reading it gives the same graph; one without a name comes back named after its file.

    Parameters
    ----------
    graph : Graph or MeanGraph
    path : path

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm
    >>> from graphmeans.io import read_graph, write_graph
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_graph(gm.Graph({"x": [0.0, 1.0]}, [(0, 1)]), os.path.join(folder, "line.graphml"))
    ...     read_graph(os.path.join(folder, "line.graphml"))
    Graph('line', 2 nodes, 1 edge)
    """
    _WRITERS[_known(path)](graph, path)


def write_graphs(graphs: Sequence[Graph], folder: PathLike, kind: str = "graphml") -> list[Path]:
    """Write each graph into a file of its own.

    Files are called like the graphs, where the names are unique and fit for a file, else ``graph_00000`` and so on.

    Parameters
    ----------
    graphs : sequence of Graph
    folder : path
        Made if it does not exist.
    kind : {"graphml", "gml", "json", "npz", "gxl"}

    Returns
    -------
    list of Path
    """
    if f".{kind}" not in _WRITERS:
        raise fail(folder, f"cannot write {kind!r}; the kinds are {', '.join(key[1:] for key in _WRITERS)}")
    if not graphs:
        raise fail(folder, "an empty collection cannot be written")
    paths = [Path(folder) / f"{stem}.{kind}" for stem in _files.stems(graph.name for graph in graphs)]
    for graph, path in zip(graphs, paths, strict=True):
        _WRITERS[f".{kind}"](graph, path)
    return paths


def _read_one_npz(path: PathLike) -> Graph:
    graphs = read_npz(path, unnamed=Path(path).stem)
    if len(graphs) != 1:
        raise fail(path, f"holds {len(graphs)} graphs, one was expected")
    return graphs[0]


def _known(path: PathLike) -> str:
    suffix = Path(path).suffix.lower()
    if suffix not in _READERS:
        raise fail(path, f"is not a kind of graph file that is known ({', '.join(_READERS)})")
    return suffix


_READERS: dict[str, Callable[[PathLike], Graph]] = {
    ".graphml": read_graphml,
    ".gml": read_gml,
    ".json": read_node_link,
    ".npz": _read_one_npz,
    ".gxl": read_gxl,
}
_WRITERS: dict[str, Callable[[Graph, PathLike], None]] = {
    ".graphml": write_graphml,
    ".gml": write_gml,
    ".json": write_node_link,
    ".npz": write_npz,
    ".gxl": write_gxl,
}
