"""GXL graphs and their CXL lists, the format of the IAM graph database, read from a folder or straight from a zip.

The rules, where the format leaves a choice:

- Columns belong to the collection. ``float``, ``int`` and ``Integer`` are numbers, ``string`` and ``String`` strings,
  ``bool`` booleans, a ``tup`` or ``seq`` of numbers a vector. A string column whose every value in the collection reads
  as a number is one of numbers (the angles of GREC); U+FFFD, which is how Java prints NaN, then counts as missing. A
  column that is a number here and a word there is an error.
- A value that a node or edge lacks is missing, and neither 0 nor "". All graphs of a collection have the same columns: one
  that lacks a column has nothing but missing values in it.
- Node ids are those of the file. A graph is called like its file, because graph ids repeat (GREC).
- A graph is directed if its ``edgemode`` says so or, as in the DTD, if it does not say. Edges stored in both directions
  stay two edges of a directed graph (Fingerprint).
- Parallel edges are merged and self-loops become node attributes, by the rules of `graphs.convert.records`.
- Classes are stripped of blanks. A file that is listed twice is read once and returned twice.

What the writer adds for an exact way back (roles, supports, bare arrays, ids that are no strings) is the graph
attribute ``graphmeans``, which other programs ignore; most graphs do not need it.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from graphmeans import files as _files
from graphmeans.budget import budgeted, for_a_while
from graphmeans.files import FileTree, PathLike, called, fail
from graphmeans.graphs.convert import MARK
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.io.formats import gxl_graphs
from graphmeans.io.formats.gxl_graphs import NUMBER, RawGraph, parse_gxl, typed_graphs
from graphmeans.io.formats.table import graph_from_table, graph_to_table, labels_to_text
from graphmeans.io.formats.xml import parse_xml, xml_text

_SPLITS = {"valid": "validation", "validate": "validation", "val": "validation", "training": "train", "testing": "test"}


@budgeted
def read_gxl(path_or_bytes: PathLike | bytes) -> Graph:
    """Read one graph from a GXL file, or from the bytes of one.

    Parameters
    ----------
    path_or_bytes : path or bytes
        The file, or what is in it.

    Returns
    -------
    Graph
        Named after the file; after the id of the graph if bytes are given.

    See Also
    --------
    write_gxl : The way back.
    read_gxl_collection : A folder of such files with its lists.

    Examples
    --------
    >>> from graphmeans.io import read_gxl
    >>> read_gxl(b'<gxl><graph id="g" edgemode="undirected"><node id="a"/><node id="b"/>'
    ...          b'<edge from="a" to="b"/></graph></gxl>')
    Graph('g', 2 nodes, 1 edge)
    """
    data, name, where = _files.named_content(path_or_bytes, "GXL")
    raw = parse_gxl(data, where)
    raw.name = raw.name if name is None else name
    return typed_graphs([raw], raw.where)[0]


@budgeted
def read_gxl_collection(path: PathLike, split: str | None = None) -> tuple[list[Graph], list[str] | None]:
    """Read the graphs of a collection and their classes, in the order of its CXL lists.

    Parameters
    ----------
    path : path
        A folder or a zip with GXL files and CXL lists, at the top or in one folder below it; or one CXL file. A path
        may go on inside a zip: ``Letter.zip/Letter/LOW``.
    split : str, optional
        Which list: ``"test"``, ``"train"``, ``"validation"`` (or ``"valid"``), or the name of any other CXL file. By
        default all of them, one after the other in the order of their names.

    Returns
    -------
    graphs : list of Graph
        The graphs.
    classes : list of str or None
        None if there is no CXL list: then every GXL file is read, in the order of names.

    See Also
    --------
    write_gxl_collection : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_gxl_collection, write_gxl_collection
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_gxl_collection([gm.Graph(2, [(0, 1)], name="a")], ["first"], folder)
    ...     read_gxl_collection(folder)
    ([Graph('a', 2 nodes, 1 edge)], ['first'])
    """
    with _listed(path, split) as (source, listed):
        unique = list(dict.fromkeys(name for name, _ in listed))
        graphs = dict(zip(unique, typed_graphs([_read_raw(source, name) for name in unique], source.where()), strict=True))
        classes = [label for _, label in listed if label is not None]
        return [graphs[name] for name, _ in listed], classes or None


def iterate_gxl_collection(path: PathLike, split: str | None = None) -> Iterator[tuple[Graph, str | None]]:
    """Yield the graphs of `read_gxl_collection` with their classes, one after the other; only one is held in memory.

    Every file is read twice, because columns belong to the collection: once for the types of the columns, once for the graphs.
    """
    with _listed(path, split) as (source, listed):
        unique = dict.fromkeys(name for name, _ in listed)
        raws = (_read_raw(source, name) for name in unique)
        fill = gxl_graphs.column_filler(gxl_graphs.telling_graphs(raws, source.where()))
        for name, label in listed:
            with for_a_while():
                raw = _read_raw(source, name)
            yield graph_from_table(fill(raw, gxl_graphs.bare_table(raw)), raw.where), label


@contextlib.contextmanager
def _listed(path: PathLike, split: str | None) -> Iterator[tuple[FileTree, list[tuple[str, str | None]]]]:
    """Open the folder or zip, and list its files with their classes; a class is None if there is no CXL list."""
    one_list = str(path).lower().endswith(".cxl")
    if one_list and split is not None:
        raise fail(path, f"is one list, so split={split!r} chooses nothing")
    with _files.opened(Path(path).parent if one_list else path) as source:
        lists, folder = [Path(path).name], ""
        if not one_list:
            found = _files.topmost(source, (".gxl", ".cxl"))
            if not found:
                raise fail(source.where(), "holds no GXL files")
            folder = str(PurePosixPath(found[0]).parent)
            lists = _chosen([name for name in found if name.lower().endswith(".cxl")], split, source)
        if lists:
            yield source, [entry for name in lists for entry in _parse_cxl(source, name, folder)]
        else:
            yield source, [(name, None) for name in found]


def write_gxl(graph: Graph, path: PathLike) -> None:
    """Write one graph as a GXL file.

    Parameters
    ----------
    graph : Graph or MeanGraph
        The graph.
    path : path
        The file to write.

    See Also
    --------
    read_gxl : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_gxl, write_gxl
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_gxl(gm.Graph(2, [(0, 1)]), os.path.join(folder, "line.gxl"))
    ...     read_gxl(os.path.join(folder, "line.gxl"))
    Graph('line', 2 nodes, 1 edge)
    """
    _files.write_file(path, _gxl(graph, Path(path).stem, keep_ones=False))


def write_gxl_collection(
    graphs: Sequence[Graph], classes: Sequence[object], folder: PathLike, split: str = "collection"
) -> None:
    """Write a collection as GXL files with one CXL list.

    Parameters
    ----------
    graphs : sequence of Graph
        Files are called like the graphs, where the names are unique and fit for a file, else ``graph_00000`` and so on.
    classes : sequence of as many labels
        The class of each graph.
    folder : path
        The folder, which is made if it does not exist.
    split : str, default="collection"
        Name of the list, without ``.cxl``.

    See Also
    --------
    read_gxl_collection : The way back.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm

    >>> from graphmeans.io import read_gxl_collection, write_gxl_collection
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_gxl_collection([gm.Graph(2, [(0, 1)], name="a")], ["first"], folder)
    ...     read_gxl_collection(folder)
    ([Graph('a', 2 nodes, 1 edge)], ['first'])
    """
    if len(graphs) != len(classes):
        raise fail(folder, f"{len(graphs)} graphs but {len(classes)} classes")
    if not graphs:
        raise fail(folder, "an empty collection cannot be written")
    keep_ones = any(BARE in edges and (edges[BARE] != 1).any() for edges in (graph.edge_attributes for graph in graphs))
    names = _files.stems(graph.name for graph in graphs)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', f'<GraphCollection>\n<graphs count="{len(graphs)}">']
    for graph, name, label in zip(graphs, names, classes, strict=True):
        _files.write_file(Path(folder) / f"{name}.gxl", _gxl(graph, name, keep_ones))
        lines.append(f'<print file="{name}.gxl" class="{xml_text(str(label), f"class {label!r}")}"/>')
    _files.write_file(Path(folder) / f"{split}.cxl", "\n".join([*lines, "</graphs>\n</GraphCollection>\n"]).encode())


# -- lists -----------------------------------------------------------------------------------------


def _chosen(lists: list[str], split: str | None, source: FileTree) -> list[str]:
    if split is None:
        return lists
    wanted = split.lower().removesuffix(".cxl")
    stems = {PurePosixPath(name).stem.lower(): name for name in lists}
    for stem, name in stems.items():
        if _SPLITS.get(stem, stem) == _SPLITS.get(wanted, wanted):
            return [name]
    raise fail(source.where(), f"has no list {split!r}; there is {', '.join(sorted(stems)) or 'none at all'}")


def _parse_cxl(source: FileTree, name: str, folder: str) -> list[tuple[str, str | None]]:
    """Return the files of a list, relative to the source, and their classes. Any element with `file` and `class` counts."""
    entries: list[tuple[str, str | None]] = []
    where = source.where(name)

    def start(tag: str, attributes: dict[str, str]) -> None:
        if tag == "print" or ("file" in attributes and "class" in attributes):
            if "file" not in attributes or "class" not in attributes:
                raise fail(where, f"an entry lacks its {'file' if 'class' in attributes else 'class'}")
            file = attributes["file"].strip()
            parts = PurePosixPath(file).parts
            if not parts or file.startswith("/") or ".." in parts or set(file) & set("\\:\0"):
                raise fail(where, f"lists {file!r}, which is not inside its folder")
            entries.append((str(PurePosixPath(folder, *parts)), attributes["class"].strip()))

    parse_xml(source.read(name), start, lambda tag: None, lambda text: None, where)
    if not entries:
        raise fail(where, "lists no graphs")
    return entries


def _read_raw(source: FileTree, name: str) -> RawGraph:
    raw = parse_gxl(source.read(name), source.where(name))
    raw.name = PurePosixPath(name).stem
    return raw


# -- writing ---------------------------------------------------------------------------------------


def _gxl(graph: Graph, stem: str, keep_ones: bool) -> bytes:
    table = graph_to_table(graph, stem, keep_ones=keep_ones)
    labels_to_text(table)
    for part, columns in (("node", table.nodes), ("edge", table.edges)):
        words = [key for key, values in columns.items() if len(values) and isinstance(values[0], str)]
        if numeric := [key for key in words if all(map(NUMBER.fullmatch, columns[key]))]:
            table.mark[f"{part}_strings"] = numeric
    who = called(graph.name)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>\n<gxl>']
    mode = "directed" if table.directed else "undirected"
    lines.append(f'<graph id="{xml_text(graph.name or stem, who)}" edgeids="false" edgemode="{mode}">')
    if table.mark:
        lines.append(f'<attr name="{MARK}"><string>{xml_text(json.dumps(table.mark), who)}</string></attr>')
    ids = [xml_text(label, f"{who}: node id {label!r}") for label in table.ids]
    nodes, edges = _attrs(table.nodes, "node", len(ids), who), _attrs(table.edges, "edge", len(table.ends), who)
    lines += [f'<node id="{label}">{attrs}</node>' for label, attrs in zip(ids, nodes, strict=True)]
    lines += [f'<edge from="{ids[i]}" to="{ids[j]}">{attrs}</edge>'
              for (i, j), attrs in zip(table.ends.tolist(), edges, strict=True)]  # fmt: skip
    return "\n".join([*lines, "</graph>\n</gxl>\n"]).encode()


def _attrs(columns: dict[str, Any], part: str, rows: int, who: str) -> list[str]:
    result = [""] * rows
    for key, values in columns.items():
        what = f"{who}: {part} attribute {key!r}"
        before = f'<attr name="{xml_text(key, what)}">'
        for row, value in enumerate(values.tolist() if isinstance(values, np.ndarray) else values):
            result[row] += f"{before}{_element(value, what)}</attr>"
    return result


def _element(value: Any, what: str) -> str:
    if isinstance(value, list):
        return f"<tup>{''.join(_element(part, what) for part in value)}</tup>"
    if isinstance(value, str):
        return f"<string>{xml_text(value, what)}</string>"
    return f"<bool>{str(value).lower()}</bool>" if isinstance(value, bool) else f"<float>{value!r}</float>"
