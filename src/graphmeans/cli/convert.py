"""`graphmeans convert`: a collection in another format."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from graphmeans.cli.common import AsJson, Debug, Source, echo_json
from graphmeans.cli.errors import reported


class Kind(str, Enum):
    """Formats that collections are written in."""

    graphml = "graphml"
    gml = "gml"
    json = "json"
    npz = "npz"
    gxl = "gxl"
    tu = "tu"
    sdf = "sdf"
    smi = "smi"


def convert(
    source: Source,
    target: Annotated[
        Path, typer.Argument(metavar="OUTPUT", help="A folder, or a file that ends in .npz, .sdf or .smi.", show_default=False)
    ],
    kind: Annotated[
        Kind | None, typer.Option("--to", help="The format of the files.", show_default="by the ending; else GraphML or GXL")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Write a collection in another format.

    Classes are kept where the format has room for them (GXL with its list, TU data sets).

    [bold]Examples[/bold]

    graphmeans convert Letter.zip letters.npz

    graphmeans convert MUTAG.zip mutag --to gxl
    """
    with reported(debug):
        from graphmeans.io.collection import read_collection, write_collection
        from graphmeans.plots.text import plain_text
        from graphmeans.report.words import counted

        graphs, classes = read_collection(source)
        if target.exists() and (target.is_file() or any(target.iterdir())):
            raise ValueError(f"{target}: is there already; name another, or remove it")
        form = None if kind is None else kind.value
        keeps = form in ("gxl", "tu") or (form is None and target.suffix.lower() not in (".npz", ".sdf", ".smi"))
        write_collection(graphs, target, classes if keeps else None, form)
        lost = classes is not None and not keeps
        if as_json:
            echo_json({"graphs": len(graphs), "classes_kept": None if classes is None else keeps, "file": str(target)})
        else:
            typer.echo(f"{counted(len(graphs), 'graph')} written to {plain_text(target)}{', without their classes' * lost}")
