"""The arguments and options that several commands share, and the names that they may take."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer


class MatcherName(str, Enum):
    """How two graphs are matched."""

    auto = "auto"
    exact = "exact"
    search = "search"
    graduated = "graduated"


class AlgorithmName(str, Enum):
    """How the clusters are found."""

    interval = "interval"
    elkan = "elkan"
    lloyd = "lloyd"
    gvr = "gvr"


class EngineName(str, Enum):
    """What does the work."""

    threads = "threads"
    dask = "dask"


Input = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT",
        help="A folder or zip of GXL (with its CXL lists), GraphML, GML or node-link JSON, a TU data set, or a .parquet, "
        ".npz, SMILES, SDF or CSV file.",
        show_default=False,
    ),
]
OutputFolder = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where to write.")]
Raw = Annotated[bool, typer.Option("--raw", help="Leave numbers as they are instead of standardising them.")]
EncoderJson = Annotated[
    str | None,
    typer.Option(
        "--encoder",
        metavar="JSON",
        help="Parameters of GraphEncoder, as JSON or a file of it: "
        """'{"weights": {"x": 2}, "orientations": ["angle"]}'.""",
        show_default=False,
    ),
]
NodeWeight = Annotated[float, typer.Option(min=0, help="Weight of node attributes.")]
EdgeWeight = Annotated[float, typer.Option(min=0, help="Weight of edge attributes.")]
MatcherOption = Annotated[MatcherName, typer.Option("--matcher", help="How two graphs are matched.")]
EngineOption = Annotated[
    EngineName | None,
    typer.Option(
        "--engine",
        help="What works: threads here, or dask (worker processes here, or those of --scheduler). The result is the same.",
        show_default="threads",
    ),
]
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS",
        help="A running dask scheduler: its address (tcp://host:8786), or the file it wrote with --scheduler-file. "
        "Implies --engine dask.",
        show_default=False,
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]
Jobs = Annotated[int | None, typer.Option(help="Threads; all cores by default.", show_default=False)]
YDown = Annotated[bool, typer.Option("--y-down", help="Draw positions with y downwards, as in images.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the path of the report.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show a traceback if something goes wrong.")]
