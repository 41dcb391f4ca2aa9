"""The formats of graph files, one entry each: this is where a format is added.

A new format is a module in `graphmeans.io.formats` and an entry in `FORMATS`. `read_graph`, `write_graph`, `read_collection`,
`write_collection` and ``graphmeans convert`` know it from then on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import NamedTuple

from graphmeans.budget import for_a_while
from graphmeans.files import FileTree, Folder, PathLike, fail
from graphmeans.graphs.graph import Graph
from graphmeans.io.formats import gxl
from graphmeans.io.formats.gml import parse_gml, read_gml, write_gml
from graphmeans.io.formats.graphml import parse_graphml, read_graphml, write_graphml
from graphmeans.io.formats.matrices import read_matrices_npy
from graphmeans.io.formats.molecule_table import kind_of_molecules, read_molecules
from graphmeans.io.formats.molecules import parse_sdf, parse_smiles, write_molecule_csv, write_sdf, write_smiles
from graphmeans.io.formats.node_link import parse_node_link, read_node_link, write_node_link
from graphmeans.io.formats.npz import read_npz, write_npz
from graphmeans.io.formats.tudataset import holds_tudataset, read_tudataset, write_tudataset
from graphmeans.io.parquet.collection import open_collection
from graphmeans.io.parquet.writer import write_parquet

#: A graph with its class, if it has one.
Labelled = tuple[Graph, "str | None"]
Classes = Sequence[object] | None


class GraphFile(NamedTuple):
    """How one graph is read from a file and written to one."""

    read: Callable[[PathLike], Graph]
    write: Callable[[Graph, PathLike], None]


@dataclass(frozen=True)
class FoundFiles:
    """The files of one format in a folder or a zip."""

    path: Path
    tree: FileTree
    names: list[str]
    split: str | None = None
    stream: bool = False  # whether graphs are asked for one after the other, and should not all be held


@dataclass(frozen=True, kw_only=True)
class Format:
    """How the files of one format are recognised, read and written.

    Parameters
    ----------
    title : str
        What messages call it.
    endings : tuple of str
        The endings of its files in a folder or a zip, in lower case.
    found_in : callable, optional
        Tells a folder or zip of this format by other signs than the endings. It is asked before endings are looked at.
    read_file : callable, optional
        The graphs, with their classes, of one file at a path.
    file_endings : tuple of str, optional
        Further endings that `read_file` takes, but that mean nothing in a folder.
    list_endings : tuple of str, optional
        Endings of files that list the graphs of a collection. A format with lists has splits.
    read_files : callable
        The graphs, with their classes, of its files in a folder or a zip.
    graph_file : GraphFile, optional
        For formats of one graph in each file; its name must be that of the first ending.
    write : callable, optional
        Writes graphs with their classes (or None). Without it, every graph gets a file of its own.
    single_file : tuple of str, optional
        Endings with which a whole collection is written as one file.
    keeps_classes : bool
    """

    title: str
    read_files: Callable[[FoundFiles], Iterable[Labelled]]
    endings: tuple[str, ...] = ()
    found_in: Callable[[FileTree], bool] | None = None
    read_file: Callable[[Path], Iterable[Labelled]] | None = None
    file_endings: tuple[str, ...] = ()
    list_endings: tuple[str, ...] = ()
    graph_file: GraphFile | None = None
    write: Callable[[Sequence[Graph], PathLike, Classes], object] | None = None
    single_file: tuple[str, ...] = ()
    keeps_classes: bool = False


def labelled(graphs: Sequence[Graph], classes: Sequence[str] | None = None) -> Iterator[Labelled]:
    """Pair each graph with its class, or with None if there are no classes."""
    return zip(graphs, [None] * len(graphs) if classes is None else classes, strict=True)


def _one_graph_a_file(title: str, ending: str, files: GraphFile, parse: Callable[..., Graph]) -> Format:
    return Format(
        title=title, endings=(ending,), graph_file=files, read_file=lambda path: labelled([files.read(path)]),
        read_files=_parsed(lambda data, name, where: [parse(data, name, where)]),
    )  # fmt: skip


def _parsed(parse: Callable[[bytes, str | None, str], list[Graph]]) -> Callable[[FoundFiles], Iterator[Labelled]]:
    """Make a reader that parses one file after the other."""

    def read(found: FoundFiles) -> Iterator[Labelled]:
        for name in found.names:
            with for_a_while():
                graphs = parse(found.tree.read(name), PurePosixPath(name).stem, found.tree.where(name))
            yield from labelled(graphs)

    return read


def _gxl_files(found: FoundFiles) -> Iterable[Labelled]:
    if found.stream:
        return gxl.iterate_gxl_collection(found.path, found.split)
    return labelled(*gxl.read_gxl_collection(found.path, found.split))


def _one_npz_graph(path: PathLike) -> Graph:
    graphs = read_npz(path, unnamed=Path(path).stem)
    if len(graphs) != 1:
        raise fail(path, f"holds {len(graphs)} graphs, one was expected")
    return graphs[0]


def _npz_files(found: FoundFiles) -> Iterator[Labelled]:
    for name in found.names:
        if not isinstance(found.tree, Folder):
            raise fail(found.tree.where(name), "is an npz inside a zip; unpack it first")
        yield from labelled(read_npz(found.tree.root / name, unnamed=PurePosixPath(name).stem))


def _parquet_files(found: FoundFiles) -> Iterator[Labelled]:
    if not isinstance(found.tree, Folder):
        raise fail(found.tree.where(found.names[0]), "is Parquet inside a zip; unpack it first")
    return open_collection((found.tree.root / found.names[0]).parent).labelled()


def _molecules(path: Path) -> Iterator[Labelled]:
    table = read_molecules(path)
    return labelled(table.graphs, table.classes)


#: By the names that `write_collection` and ``graphmeans convert --to`` give them.
FORMATS: dict[str, Format] = {
    "gxl": Format(
        title="GXL", endings=(".gxl", ".cxl"), list_endings=(".cxl",), keeps_classes=True,
        read_file=lambda path: labelled([gxl.read_gxl(path)]), read_files=_gxl_files,
        graph_file=GraphFile(gxl.read_gxl, gxl.write_gxl),
        write=lambda graphs, path, classes: gxl.write_gxl_collection(graphs, () if classes is None else classes, path),
    ),
    "graphml": _one_graph_a_file("GraphML", ".graphml", GraphFile(read_graphml, write_graphml), parse_graphml),
    "gml": _one_graph_a_file("GML", ".gml", GraphFile(read_gml, write_gml), parse_gml),
    "json": _one_graph_a_file("JSON", ".json", GraphFile(read_node_link, write_node_link), parse_node_link),
    "npz": Format(
        title="npz", endings=(".npz",), file_endings=(".npy",), single_file=(".npz",),
        read_file=lambda path: labelled((read_matrices_npy if path.suffix.lower() == ".npy" else read_npz)(path)),
        read_files=_npz_files,
        graph_file=GraphFile(_one_npz_graph, write_npz), write=lambda graphs, path, classes: write_npz(graphs, path),
    ),
    "parquet": Format(
        title="Parquet", endings=(".parquet",), single_file=(".parquet",), keeps_classes=True,
        read_file=lambda path: open_collection(path).labelled(), read_files=_parquet_files, write=write_parquet,
    ),
    "sdf": Format(
        title="SDF", endings=(".sdf", ".mol"), file_endings=(".sd",), single_file=(".sdf",),
        read_file=_molecules, read_files=_parsed(parse_sdf), write=lambda graphs, path, classes: write_sdf(graphs, path),
    ),
    "smi": Format(
        title="SMILES", endings=(".smi", ".smiles"), single_file=(".smi",),
        read_file=_molecules, read_files=_parsed(parse_smiles), write=lambda graphs, path, classes: write_smiles(graphs, path),
    ),
    "csv": Format(
        title="CSV", file_endings=(".csv", ".tsv"), single_file=(".csv", ".tsv"), read_file=_molecules,
        read_files=lambda found: [], write=lambda graphs, path, classes: write_molecule_csv(graphs, path),
    ),
    "tu": Format(
        title="TU", found_in=holds_tudataset, keeps_classes=True,
        read_files=lambda found: labelled(*read_tudataset(found.path)), write=write_tudataset,
    ),
}  # fmt: skip

#: The formats of one graph in each file, by the ending of the file.
GRAPH_FILES: dict[str, GraphFile] = {one.endings[0]: one.graph_file for one in FORMATS.values() if one.graph_file is not None}
#: The name of the format that each ending means in a folder or a zip.
BY_ENDING: dict[str, str] = {ending: name for name, one in FORMATS.items() for ending in one.endings}
#: The name of the format that each ending means for a whole collection that is written as one file.
SINGLE_FILE: dict[str, str] = {ending: name for name, one in FORMATS.items() for ending in one.single_file}


def format_of_file(path: Path) -> Format | None:
    """Return the format of a single file with graphs, or None if its ending belongs to no format."""
    ending = path.suffix.lower()
    if ending == ".gz" and (molecules := kind_of_molecules(path)) is not None:
        return FORMATS["csv" if molecules == "tsv" else molecules]
    return next((one for one in FORMATS.values() if ending in (*one.endings, *one.file_endings)), None)
