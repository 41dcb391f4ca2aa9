"""Read and write files that hold one graph; the ending of the file name says in which format."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from graphmeans import files as _files
from graphmeans.files import PathLike, fail
from graphmeans.graphs.graph import Graph
from graphmeans.io.registry import GRAPH_FILES, GraphFile


def read_graph(path: PathLike) -> Graph:
    """Read the graph in a .graphml, .gml, .json, .npz or .gxl file.

    Parameters
    ----------
    path : path

    Returns
    -------
    Graph
        Named after the file, unless it was written under a name that the file could not have.
    """
    return _known(path).read(path)


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
    _known(path).write(graph, path)


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
    ending = f".{kind}"
    if ending not in GRAPH_FILES:
        raise fail(folder, f"cannot write {kind!r}; the kinds are {', '.join(known[1:] for known in GRAPH_FILES)}")
    if not graphs:
        raise fail(folder, "an empty collection cannot be written")
    paths = [Path(folder) / f"{stem}{ending}" for stem in _files.stems(graph.name for graph in graphs)]
    for graph, path in zip(graphs, paths, strict=True):
        GRAPH_FILES[ending].write(graph, path)
    return paths


def _known(path: PathLike) -> GraphFile:
    ending = Path(path).suffix.lower()
    if ending not in GRAPH_FILES:
        raise fail(path, f"is not a kind of graph file that is known ({', '.join(GRAPH_FILES)})")
    return GRAPH_FILES[ending]
