"""Read and write collections and single graphs: a folder, a zip or a file, in any format of the registry."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath

from graphmeans import files as _files
from graphmeans.budget import metered, reading
from graphmeans.files import FileTree, Folder, PathLike, fail
from graphmeans.graphs.graph import Graph
from graphmeans.io.parquet.collection import Collection, open_collection
from graphmeans.io.registry import BY_ENDING, FORMATS, GRAPH_FILES, SINGLE_FILE, FoundFiles, GraphFile, format_of_file


def read_collection(
    path: PathLike, split: str | None = None, *, max_memory: float | str | None = None
) -> tuple[list[Graph], list[str] | None]:
    """Read the graphs at a path, and their classes if the files tell them.

    Parameters
    ----------
    path : path
        A folder or zip of GXL files (with CXL lists, if there are any), of GraphML, GML or node-link JSON, or of molecules
        (SDF, SMILES); a TU data set (a folder or zip with ``DS_A.txt`` and the rest); a folder of .npz or Parquet files; a single
        file of any of these, or a CSV or TSV file with a column ``smiles``; files of molecules may be packed by gzip (``.gz``).
        A ``.npy`` file, or an ``.npz`` of NumPy's, with one array of shape (N, n, n) holds N networks on the same n nodes.
        Files may lie in one folder below the path, and a
        path may go on inside a zip. Files are read in natural order (``g2`` before ``g10``), GXL in that of its lists.
    split : str, optional
        Which CXL list of a GXL collection, see `read_gxl_collection`.
    max_memory : float or str, optional
        Bytes, or a text such as ``"2GB"``: a collection that would take more is refused while it is read. By default 512 MiB and
        200 times the bytes on disk; see `graphmeans.budget`.

    Returns
    -------
    graphs : list of Graph
        Named after their files.
    classes : list of str or None
        None if the files tell no classes.

    See Also
    --------
    iterate_collection : One graph at a time.
    write_collection : The way back.
    open_collection : A collection larger than memory.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_collection, write_collection
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_collection([gm.Graph(2, [(0, 1)], name="a"), gm.Graph(3, name="b")], folder, classes=["x", "y"])
    ...     read_collection(folder)
    ([Graph('a', 2 nodes, 1 edge), Graph('b', 3 nodes, 0 edges)], ['x', 'y'])
    """
    with reading(max_memory):
        pairs = list(_pairs(Path(path), split, stream=False))
    classes = [label for _, label in pairs]
    known = any(label is not None for label in classes)
    return [graph for graph, _ in pairs], [label or "" for label in classes] if known else None


def open_or_read(path: PathLike) -> tuple[list[Graph] | Collection, list[str] | None]:
    """Read the graphs at a path and their classes, as `read_collection` does; a Parquet collection is only opened."""
    place = Path(path)
    lazy: Path | None = place if place.suffix.lower() == ".parquet" else None
    if lazy is None and place.is_dir():
        with _files.opened(place) as tree:
            names = [] if _recognised(tree) else _files.topmost(tree, BY_ENDING)
            if names and all(name.lower().endswith(".parquet") for name in names):
                lazy = (place / names[0]).parent
    if lazy is None:
        return read_collection(path)
    collection = open_collection(lazy)
    return collection, collection.labels


def iterate_collection(path: PathLike, split: str | None = None) -> Iterator[tuple[Graph, str | None]]:
    """Yield the graphs of `read_collection` one after the other, each with its class or None.

    Only one file (of Parquet: one partition) is held at a time. GXL files are read twice, because the types of their columns
    are those of the whole collection; a TU data set, an .npz and a file of molecules are read as a whole.

    Parameters
    ----------
    path : path
        See `read_collection`.
    split : str, optional
        See `read_collection`.

    Returns
    -------
    iterator of (Graph, str or None)
        Each graph with its class.

    See Also
    --------
    read_collection : All graphs at once.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm
    >>> from graphmeans.io import iterate_collection, write_collection
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_collection([gm.Graph(2, [(0, 1)], name="a"), gm.Graph(3, name="b")], folder)
    ...     for graph, label in iterate_collection(folder):
    ...         print(graph, label)
    Graph('a', 2 nodes, 1 edge) None
    Graph('b', 3 nodes, 0 edges) None
    """
    with reading() as budget:
        return metered(_pairs(Path(path), split, stream=True), budget)


def _pairs(path: Path, split: str | None, stream: bool) -> Iterator[tuple[Graph, str | None]]:
    ending = path.suffix.lower()
    single = format_of_file(path)
    if single is not None and ending in single.list_endings:
        yield from single.read_files(FoundFiles(path, Folder(path.parent), [path.name], split, stream))
        return
    if single is not None and single.read_file is not None and split is None and not os.path.isdir(path):
        yield from single.read_file(path)
        return
    if os.path.isfile(path) and ending != ".zip":
        reason = f"has no split {split!r}" if split is not None else f"is none of {', '.join(BY_ENDING)}, a zip or a folder"
        raise fail(path, reason)
    with _files.opened(path) as tree:
        name, names = _recognised(tree), []
        if name is None:
            names = _files.topmost(tree, BY_ENDING)
            name = _only_format(names, tree)
        if split is not None and not FORMATS[name].list_endings:
            raise fail(tree.where(), f"has no split {split!r}; only GXL collections have lists")
        yield from FORMATS[name].read_files(FoundFiles(path, tree, names, split, stream))


def _recognised(tree: FileTree) -> str | None:
    """Return the name of the format that a folder or zip shows by other signs than the endings of its files."""
    return next((name for name, one in FORMATS.items() if one.found_in is not None and one.found_in(tree)), None)


def _only_format(names: list[str], tree: FileTree) -> str:
    """Return the name of the one format that all of these files have."""
    counts = Counter(BY_ENDING[PurePosixPath(name).suffix.lower()] for name in names)
    if len(counts) > 1:
        found = " and ".join(f"{count} {title}" for title, count in sorted((FORMATS[key].title, n) for key, n in counts.items()))
        raise fail(tree.where(), f"mixes kinds of files ({found}); keep each kind in a folder of its own")
    if not counts:
        top: list[str] = next(filter(None, tree.levels()), [])
        others = sorted({PurePosixPath(name).suffix.lower() or "no ending" for name in top})
        found = f"only files with {', '.join(others[:6])}" if others else "it is empty"
        raise fail(tree.where(), f"holds no graphs: {found}; known are {', '.join(BY_ENDING)}")
    return next(iter(counts))


def write_collection(
    graphs: Sequence[Graph], path: PathLike, classes: Sequence[object] | None = None, kind: str | None = None
) -> None:
    """Write a collection that `read_collection` reads.

    Parameters
    ----------
    graphs : sequence of Graph
        The graphs.
    path : path
        One file if it ends in ``.npz``, ``.parquet``, ``.sdf``, ``.smi``, ``.csv`` or ``.tsv`` (or ``.zip``, for a TU data
        set), else a folder.
    classes : sequence of labels, optional
        Only GXL, TU data sets and Parquet keep them.
    kind : {"graphml", "gml", "json", "npz", "gxl", "tu", "parquet", "sdf", "smi", "csv"}, optional
        The format, by its name in `graphmeans.io.registry`. By default the one that the ending says; of a folder, GXL if
        there are classes, else GraphML.

    See Also
    --------
    read_collection : The way back.
    write_parquet : A stream of graphs.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import write_collection
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_collection([gm.Graph(2, [(0, 1)], name="a"), gm.Graph(3, name="b")], folder, kind="gml")
    ...     sorted(os.listdir(folder))
    ['a.gml', 'b.gml']
    """
    ending = Path(path).suffix.lower()
    if kind is None:
        kind = SINGLE_FILE.get(ending, "graphml" if classes is None else "gxl")
    known = FORMATS.get(kind)
    if classes is not None and (known is None or not known.keeps_classes):
        raise fail(path, f"{kind} files do not keep classes; write GXL, Parquet or a TU data set, or leave the classes out")
    as_a_whole = known is not None and (known.graph_file is None or classes is not None or ending in known.single_file)
    if as_a_whole and known is not None and known.write is not None:
        known.write(graphs, path, classes)
    else:
        write_graphs(graphs, path, kind)


# -- files that hold one graph; the ending of the name says in which format -------------------------


def read_graph(path: PathLike) -> Graph:
    """Read the graph in a .graphml, .gml, .json, .npz or .gxl file.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    Graph
        Named after the file, unless it was written under a name that the file could not have.

    See Also
    --------
    write_graph : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_graph, write_graph
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_graph(gm.Graph(2, [(0, 1)]), os.path.join(folder, "line.gml"))
    ...     read_graph(os.path.join(folder, "line.gml"))
    Graph('line', 2 nodes, 1 edge)
    """
    with reading():
        return _known(path).read(path)


def write_graph(graph: Graph, path: PathLike) -> None:
    """Write a graph in the format that the ending of the file name says: .graphml, .gml, .json, .npz or .gxl.

    Reading it gives the same graph; one without a name comes back named after its file.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.
    path : path
        The file to write.

    See Also
    --------
    read_graph : The way back.

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
        The graphs.
    folder : path
        Made if it does not exist.
    kind : {"graphml", "gml", "json", "npz", "gxl"}, default="graphml"
        The format.

    Returns
    -------
    list of Path
        The files written.

    See Also
    --------
    write_collection : Also keeps classes.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import write_graphs
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [path.name for path in write_graphs([gm.Graph(2, name="a"), gm.Graph(3, name="b")], folder)]
    ['a.graphml', 'b.graphml']
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
