"""A collection from whatever a path is: a folder, a zip or a single file, in any format that is known."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path, PurePosixPath

from graphmeans import files as _files
from graphmeans.files import FileTree, Folder, PathLike, fail
from graphmeans.graphs.graph import Graph
from graphmeans.io.formats.gml import parse_gml
from graphmeans.io.formats.graph_files import read_graph, write_graphs
from graphmeans.io.formats.graphml import parse_graphml
from graphmeans.io.formats.gxl import iterate_gxl_collection, read_gxl_collection, write_gxl_collection
from graphmeans.io.formats.molecules import parse_sdf, parse_smiles, read_sdf, read_smiles, write_sdf, write_smiles
from graphmeans.io.formats.node_link import parse_node_link
from graphmeans.io.formats.npz import read_npz, write_npz
from graphmeans.io.formats.tudataset import holds_tudataset, read_tudataset, write_tudataset
from graphmeans.io.parquet.collection import Collection, open_collection
from graphmeans.io.parquet.writer import write_parquet

#: What the endings of file names mean.
KINDS = {".gxl": "GXL", ".cxl": "GXL", ".graphml": "GraphML", ".gml": "GML", ".json": "JSON", ".npz": "npz",
         ".parquet": "Parquet", ".sdf": "SDF", ".mol": "SDF", ".smi": "SMILES", ".smiles": "SMILES"}  # fmt: skip
_PARSERS: dict[str, Callable[[bytes, str | None, str], Graph]] = {
    "GraphML": parse_graphml, "GML": parse_gml, "JSON": parse_node_link,
}  # fmt: skip

_MANY: dict[str, Callable[[bytes, str | None, str], list[Graph]]] = {"SDF": parse_sdf, "SMILES": parse_smiles}


def read_collection(path: PathLike, split: str | None = None) -> tuple[list[Graph], list[str] | None]:
    """The graphs at a path, and their classes where it knows them.

    Parameters
    ----------
    path : path
        A folder or zip of GXL files (with CXL lists, if there are any), of GraphML, GML or node-link JSON, or of molecules
        (SDF, SMILES); a TU data set (a folder or zip with ``DS_A.txt`` and the rest); a folder of .npz or Parquet files; a single
        file of any of these, or a CSV file with a column ``smiles``. Files may lie in one folder below the path, and a
        path may go on inside a zip. Files are read in natural order (``g2`` before ``g10``), GXL in that of its lists.
    split : str, optional
        Which CXL list of a GXL collection, see `read_gxl_collection`.

    Returns
    -------
    graphs : list of Graph
        Named after their files.
    classes : list of str, or None if there are none
    """
    pairs = list(_pairs(Path(path), split, stream=False))
    classes = [label for _, label in pairs]
    known = any(label is not None for label in classes)
    return [graph for graph, _ in pairs], [label or "" for label in classes] if known else None


def open_or_read(path: PathLike) -> tuple[list[Graph] | Collection, list[str] | None]:
    """The graphs at a path and their classes as `read_collection` gives them; Parquet is only opened."""
    place = Path(path)
    lazy: Path | None = place if place.suffix.lower() == ".parquet" else None
    if lazy is None and place.is_dir():
        with _files.opened(place) as source:
            names = [] if holds_tudataset(source) else _files.topmost(source, KINDS)
            if names and all(name.lower().endswith(".parquet") for name in names):
                lazy = (place / names[0]).parent
    if lazy is None:
        return read_collection(path)
    collection = open_collection(lazy)
    return collection, collection.labels


def iterate_collection(path: PathLike, split: str | None = None) -> Iterator[tuple[Graph, str | None]]:
    """The graphs of `read_collection` one after the other, each with its class or None.

    Only one file (of Parquet: one partition) is held at a time. GXL files are read twice, because the types of their columns
    are those of the whole collection; a TU data set, an .npz and a file of molecules are read as a whole.

    Parameters
    ----------
    path : path
    split : str, optional
        See `read_collection`.

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
    return _pairs(Path(path), split, stream=True)


def _pairs(path: Path, split: str | None, stream: bool) -> Iterator[tuple[Graph, str | None]]:
    suffix = path.suffix.lower()
    if suffix == ".cxl":
        yield from _gxl_pairs(path, split, stream)
        return
    if (suffix in KINDS or suffix == ".csv") and not os.path.isdir(path) and split is None:
        if suffix == ".parquet":
            yield from open_collection(path).labelled()
        else:
            yield from _without_class(_read_file(path, suffix))
        return
    if os.path.isfile(path) and suffix != ".zip":
        reason = f"has no split {split!r}" if split is not None else f"is none of {', '.join(KINDS)}, a zip or a folder"
        raise fail(path, reason)
    with _files.opened(path) as source:
        tu = holds_tudataset(source)
        names = [] if tu else _files.topmost(source, KINDS)
        kind = "TU" if tu else _only_kind(names, source)
        if split is not None and kind != "GXL":
            raise fail(source.where(), f"has no split {split!r}; only GXL collections have lists")
        if kind == "TU":
            graphs, classes = read_tudataset(path)
            yield from zip(graphs, classes if classes is not None else [None] * len(graphs), strict=True)
        elif kind == "Parquet":
            if not isinstance(source, Folder):
                raise fail(source.where(names[0]), "is Parquet inside a zip; unpack it first")
            yield from open_collection((source.root / names[0]).parent).labelled()
        elif kind != "GXL":
            yield from _without_class(graph for name in names for graph in _read(source, name, kind))
    if kind == "GXL":
        yield from _gxl_pairs(path, split, stream)


def _gxl_pairs(path: Path, split: str | None, stream: bool) -> Iterator[tuple[Graph, str | None]]:
    if stream:
        yield from iterate_gxl_collection(path, split)
    else:
        graphs, classes = read_gxl_collection(path, split)
        yield from zip(graphs, classes if classes is not None else [None] * len(graphs), strict=True)


def _without_class(graphs: Iterable[Graph]) -> Iterator[tuple[Graph, None]]:
    return ((graph, None) for graph in graphs)


def write_collection(
    graphs: Sequence[Graph], path: PathLike, classes: Sequence[object] | None = None, kind: str | None = None
) -> None:
    """Write a collection that `read_collection` reads.

    Parameters
    ----------
    graphs : sequence of Graph
    path : path
        One file if it ends in ``.npz``, ``.parquet``, ``.sdf`` or ``.smi`` (or ``.zip``, for a TU data set), else a folder.
    classes : sequence of labels, optional
        Only GXL, TU data sets and Parquet keep them.
    kind : {"graphml", "gml", "json", "npz", "gxl", "tu", "parquet", "sdf", "smi"}, optional
        Of the files in a folder; by default GXL if there are classes, else GraphML.
    """
    if kind is None:
        suffix = Path(path).suffix.lower()
        kind = suffix[1:] if suffix in (".npz", ".parquet", ".sdf", ".smi") else "graphml" if classes is None else "gxl"
    if kind == "tu":
        write_tudataset(graphs, path, classes)
    elif kind == "parquet":
        write_parquet(graphs, path, classes)
    elif classes is not None:
        if kind != "gxl":
            raise fail(path, f"{kind} files do not keep classes; write GXL, Parquet or a TU data set, or leave the classes out")
        write_gxl_collection(graphs, classes, path)
    elif kind in ("sdf", "smi"):
        (write_sdf if kind == "sdf" else write_smiles)(graphs, path)
    elif kind == "npz" and Path(path).suffix.lower() == ".npz":
        write_npz(graphs, path)
    else:
        write_graphs(graphs, path, kind)


def _read_file(path: Path, suffix: str) -> list[Graph]:
    if suffix == ".npz":
        return read_npz(path)
    if suffix == ".csv" or KINDS[suffix] == "SMILES":
        return read_smiles(path)
    return read_sdf(path) if KINDS[suffix] == "SDF" else [read_graph(path)]


def _only_kind(names: list[str], source: FileTree) -> str:
    counts = Counter(KINDS[PurePosixPath(name).suffix.lower()] for name in names)
    if len(counts) > 1:
        found = " and ".join(f"{count} {kind}" for kind, count in sorted(counts.items()))
        raise fail(source.where(), f"mixes kinds of files ({found}); keep each kind in a folder of its own")
    if not counts:
        top: list[str] = next(filter(None, source.levels()), [])
        others = sorted({PurePosixPath(name).suffix.lower() or "no ending" for name in top})
        found = f"only files with {', '.join(others[:6])}" if others else "it is empty"
        raise fail(source.where(), f"holds no graphs: {found}; known are {', '.join(KINDS)}")
    return next(iter(counts))


def _read(source: FileTree, name: str, kind: str) -> list[Graph]:
    stem = PurePosixPath(name).stem
    if kind in _MANY:
        return _MANY[kind](source.read(name), stem, source.where(name))
    if kind != "npz":
        return [_PARSERS[kind](source.read(name), stem, source.where(name))]
    if not isinstance(source, Folder):
        raise fail(source.where(name), "is an npz inside a zip; unpack it first")
    return read_npz(source.root / name, unnamed=stem)
