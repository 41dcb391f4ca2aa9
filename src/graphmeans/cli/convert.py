"""`graphmeans convert`: a collection in another format."""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported
from graphmeans.cli.inputs import read_input
from graphmeans.cli.output import echo_json

if TYPE_CHECKING:
    from graphmeans.graphs.graph import Graph

#: Formats that hold molecules with all that belongs to them.
MOLECULE_FORMATS = ("sdf", "smi", "csv")
#: Formats that collections are written in.
FileFormat = Enum(
    "FileFormat",
    {"graphml": "graphml", "gml": "gml", "json": "json", "npz": "npz", "parquet": "parquet", "gxl": "gxl", "tu": "tu",
     "sdf": "sdf", "smi": "smi", "csv": "csv"},
    type=str,
)  # fmt: skip


def convert_command(
    source: options.Input,
    target: Annotated[
        Path,
        typer.Argument(
            metavar="OUTPUT", show_default=False,
            help="A folder, or a file that ends in .parquet, .npz, .sdf, .smi, .csv or .tsv.",
        ),
    ],
    kind: Annotated[
        FileFormat | None,
        typer.Option("--to", help="The format of the files.", show_default="by the ending; else GraphML or GXL"),
    ] = None,
    rows_per_file: Annotated[
        int | None,
        typer.Option(min=1, help="Parquet: write a folder of parts with at most this many graphs.", show_default="one file"),
    ] = None,
    rows_per_group: Annotated[
        int | None, typer.Option(min=1, help="Parquet: how many graphs are read at once.", show_default="10000")
    ] = None,
    smiles_column: options.SmilesColumn = None,
    name_column: options.NameColumn = None,
    class_column: options.ClassColumn = None,
    strict: options.Strict = False,
    as_json: options.AsJson = False,
    max_memory: options.MaxMemory = None,
    debug: options.Debug = False,
) -> None:
    """Write a collection in another format.

    Classes are kept where the format has room for them (Parquet, GXL with its list, TU data sets). Parquet is written in a
    stream: the collection need not fit into memory.

    Molecules are written from the molecules that were read: SDF and CSV keep charges, stereo, isotopes, hydrogens, names and all
    properties, SMILES all but the properties. Other formats hold graphs, and of a molecule only its attributes. Molecules that
    cannot be read are left out, and listed in a file beside the output: OUTPUT.skipped.csv.

    [bold]Examples[/bold]

    graphmeans convert Letter.zip letters.parquet

    graphmeans convert MUTAG.zip mutag --to gxl

    graphmeans convert library.csv library.sdf --smiles-column structure --strict

    graphmeans convert many-graphml-files parts --to parquet --rows-per-file 100000
    """
    with reported(debug):
        from graphmeans.cli.molecule_files import list_skipped
        from graphmeans.io.collection import iterate_collection, write_collection
        from graphmeans.io.formats.molecule_table import is_molecule_file
        from graphmeans.io.registry import FORMATS, SINGLE_FILE, labelled
        from graphmeans.plots.text import plain_text
        from graphmeans.report.words import counted

        if target.exists() and (target.is_file() or any(target.iterdir())):
            raise ValueError(f"{target}: exists already; name another file or folder, or remove it")
        form = SINGLE_FILE.get(target.suffix.lower()) if kind is None else kind.value
        molecules = is_molecule_file(source)
        reading = (source, smiles_column, name_column, class_column, strict)
        if form == "parquet":
            from graphmeans.io.parquet.writer import ROWS_PER_GROUP, write_rows

            whole = read_input(*reading) if molecules or any(reading[1:]) else None
            pairs = _Counted(iterate_collection(source) if whole is None else labelled(list(whole.graphs), whole.classes))
            table = None if whole is None else whole.table
            write_rows(pairs, target, rows_per_group=rows_per_group or ROWS_PER_GROUP, rows_per_file=rows_per_file)
            graphs, classes, lost = pairs.graphs, pairs.classes, False
        else:
            if rows_per_file is not None or rows_per_group is not None:
                raise ValueError("--rows-per-file and --rows-per-group are for Parquet; add --to parquet")
            read, labels, table = read_input(*reading)
            read = list(read)
            keeps = form is None or FORMATS[form].keeps_classes
            write_collection(read, target, labels if keeps else None, form)
            graphs, classes, lost = len(read), labels is not None, labels is not None and not keeps
        list_skipped(target, table)
        whole_molecules = form in MOLECULE_FORMATS
        if as_json:
            kept = {"classes_kept": not lost if classes else None, "molecules_kept": whole_molecules if molecules else None}
            echo_json({"graphs": graphs, **kept, "file": str(target)})
        else:
            without = ["their classes"] * lost + ["what their attributes do not say of the molecules"] * (
                molecules and not whole_molecules
            )
            said = f", without {' and '.join(without)}" if without else ""
            typer.echo(f"{counted(graphs, 'graph')} written to {plain_text(target)}{said}")


class _Counted:
    """A stream of graphs with their classes that counts them, and remembers whether any had a class."""

    def __init__(self, pairs: Iterator[tuple[Graph, str | None]]) -> None:
        self._pairs = pairs
        self.graphs, self.classes = 0, False

    def __iter__(self) -> Iterator[tuple[Graph, str | None]]:
        for graph, label in self._pairs:
            self.graphs += 1
            self.classes |= label is not None
            yield graph, label
