"""A collection from whatever a path is: a folder, a zip or a single file, in any format that is known."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath

from graphmeans.graphs.graph import Graph
from graphmeans.io import _files
from graphmeans.io._files import Folder, PathLike, Source, fail
from graphmeans.io.gml import parse_gml
from graphmeans.io.graph_files import read_graph, write_graphs
from graphmeans.io.graphml import parse_graphml
from graphmeans.io.gxl import read_gxl_collection, write_gxl_collection
from graphmeans.io.molecules import parse_sdf, parse_smiles, read_sdf, read_smiles, write_sdf, write_smiles
from graphmeans.io.node_link import parse_node_link
from graphmeans.io.npz import read_npz, write_npz
from graphmeans.io.tudataset import holds_tudataset, read_tudataset, write_tudataset

#: What the endings of file names mean.
KINDS = {".gxl": "GXL", ".cxl": "GXL", ".graphml": "GraphML", ".gml": "GML", ".json": "JSON", ".npz": "npz",
         ".sdf": "SDF", ".mol": "SDF", ".smi": "SMILES", ".smiles": "SMILES"}  # fmt: skip
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
        (SDF, SMILES); a TU data set (a folder or zip with ``DS_A.txt`` and the rest); a folder of .npz files; a single
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
    path = Path(path)
    suffix = path.suffix.lower()
    if suffix == ".cxl":
        return read_gxl_collection(path, split)
    if (suffix in KINDS or suffix == ".csv") and not os.path.isdir(path) and split is None:
        return _read_file(path, suffix), None
    if os.path.isfile(path) and suffix != ".zip":
        reason = f"has no split {split!r}" if split is not None else f"is none of {', '.join(KINDS)}, a zip or a folder"
        raise fail(path, reason)
    with _files.opened(path) as source:
        if holds_tudataset(source):
            if split is not None:
                raise fail(source.where(), f"has no split {split!r}; only GXL collections have lists")
            return read_tudataset(path)
        names = _files.topmost(source, KINDS)
        kind = _only_kind(names, source)
        if kind != "GXL":
            if split is not None:
                raise fail(source.where(), f"has no split {split!r}; only GXL collections have lists")
            return [graph for name in names for graph in _read(source, name, kind)], None
    return read_gxl_collection(path, split)


def write_collection(
    graphs: Sequence[Graph], path: PathLike, classes: Sequence[object] | None = None, kind: str | None = None
) -> None:
    """Write a collection that `read_collection` reads.

    Parameters
    ----------
    graphs : sequence of Graph
    path : path
        One file if it ends in ``.npz``, ``.sdf`` or ``.smi`` (or ``.zip``, for a TU data set), else a folder.
    classes : sequence of labels, optional
        Only GXL and TU data sets keep them.
    kind : {"graphml", "gml", "json", "npz", "gxl", "tu", "sdf", "smi"}, optional
        Of the files in a folder; by default GXL if there are classes, else GraphML.
    """
    if kind is None:
        suffix = Path(path).suffix.lower()
        kind = suffix[1:] if suffix in (".npz", ".sdf", ".smi") else "graphml" if classes is None else "gxl"
    if kind == "tu":
        write_tudataset(graphs, path, classes)
    elif classes is not None:
        if kind != "gxl":
            raise fail(path, f"{kind} files do not keep classes; write GXL or a TU data set, or leave the classes out")
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


def _only_kind(names: list[str], source: Source) -> str:
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


def _read(source: Source, name: str, kind: str) -> list[Graph]:
    stem = PurePosixPath(name).stem
    if kind in _MANY:
        return _MANY[kind](source.read(name), stem, source.where(name))
    if kind != "npz":
        return [_PARSERS[kind](source.read(name), stem, source.where(name))]
    if not isinstance(source, Folder):
        raise fail(source.where(name), "is an npz inside a zip; unpack it first")
    return read_npz(source.root / name, unnamed=stem)
