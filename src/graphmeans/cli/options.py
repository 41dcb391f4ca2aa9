"""The arguments and options that several commands share, and the names that they may take."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

MatcherName = Enum(
    "MatcherName", {"auto": "auto", "exact": "exact", "search": "search", "graduated": "graduated"}, type=str
)
AlgorithmName = Enum(
    "AlgorithmName", {"interval": "interval", "elkan": "elkan", "lloyd": "lloyd", "gvr": "gvr"}, type=str
)
DeviceName = Enum("DeviceName", {"auto": "auto", "cpu": "cpu", "cuda": "cuda"}, type=str)
EngineName = Enum("EngineName", {"threads": "threads", "dask": "dask"}, type=str)

Input = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT", show_default=False,
        help="A folder or zip of GXL (with its CXL lists), GraphML, GML or node-link JSON, a TU data set, or a .parquet, "
        ".npz, SMILES, SDF, CSV or TSV file (of molecules also .gz, and - for standard input); or networks as an array of shape "
        "(N, n, n) in a .npy or .npz file.",
    ),
]  # fmt: skip
OutputFolder = Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where to write.")]
Raw = Annotated[bool, typer.Option("--raw", help="Leave numbers as they are instead of standardising them.")]
EncoderJson = Annotated[
    str | None,
    typer.Option(
        "--encoder", metavar="NAME|JSON", show_default=False,
        help="molecule, the default for molecules; series, which groups them by ring systems and neighbors of atoms. Or "
        "parameters of GraphEncoder, as JSON or a file of it: "
        """'{"weights": {"x": 2}, "orientations": ["angle"]}'; of molecules, those of MoleculeEncoder: """
        """'{"preset": "molecule", "stereo": true}'.""",
    ),
]  # fmt: skip
Labelled = Annotated[
    bool,
    typer.Option(
        "--labelled",
        help="The names of nodes are identities (regions, people): a node is matched only with nodes of its own name.",
    ),
]
Roles = Annotated[
    str | None,
    typer.Option(
        "--roles", metavar="COLUMN", show_default=False,
        help="The node attribute that holds roles: a node is matched only with nodes of its own role.",
    ),
]  # fmt: skip
NodeWeight = Annotated[float, typer.Option(min=0, help="Weight of node attributes.")]
EdgeWeight = Annotated[float, typer.Option(min=0, help="Weight of edge attributes.")]
Effort = Annotated[float, typer.Option(min=0, help="How hard larger graphs are matched (auto, search).")]
MatcherOption = Annotated[MatcherName, typer.Option("--matcher", help="How two graphs are matched.")]
EngineOption = Annotated[
    EngineName | None,
    typer.Option(
        "--engine", show_default="threads",
        help="What works: threads here, or dask (worker processes here, or those of --scheduler). The result is the same.",
    ),
]  # fmt: skip
Scheduler = Annotated[
    str | None,
    typer.Option(
        metavar="ADDRESS", show_default=False,
        help="A running dask scheduler: its address (tcp://host:8786), or the file it wrote with --scheduler-file. "
        "Implies --engine dask.",
    ),
]  # fmt: skip
DeviceOption = Annotated[
    DeviceName,
    typer.Option("--device", help="Who matches larger graphs; auto: a GPU, where there is one and the work is worth the trip."),
]  # fmt: skip
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]
Jobs = Annotated[int | None, typer.Option(help="Threads; all cores by default.", show_default=False)]
def _allow(text: str | None) -> str | None:
    from graphmeans.budget import set_max_memory

    try:
        set_max_memory(text)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None
    return text


MaxMemory = Annotated[
    str | None,
    typer.Option(
        "--max-memory", metavar="SIZE", show_default=False, callback=_allow,
        help="What reading INPUT may take, such as 2GB. By default 512 MiB and 200 times the bytes on disk.",
    ),
]  # fmt: skip
SmilesColumn = Annotated[
    str | None,
    typer.Option("--smiles-column", metavar="NAME", show_default="smiles", help="The column of a CSV or TSV file with SMILES."),
]
NameColumn = Annotated[
    str | None,
    typer.Option(
        "--name-column", metavar="NAME", show_default="name, id or title",
        help="The column of a CSV or TSV file, or the property of SDF, with the names of molecules.",
    ),
]  # fmt: skip
ClassColumn = Annotated[
    str | None,
    typer.Option(
        "--class-column", metavar="NAME", show_default=False,
        help="The column of a CSV or TSV file, or the property of SDF, with the classes of molecules.",
    ),
]  # fmt: skip
Strict = Annotated[
    bool, typer.Option("--strict", help="Stop at the first molecule that cannot be read, instead of leaving it out.")
]


def parse_members(text: str | None) -> str | None:
    """Check a number of members, or "all"."""
    if text is not None and text != "all" and not (text.isascii() and text.isdigit() and int(text) > 0):
        raise typer.BadParameter(f"{text!r} is neither a number of graphs nor all")
    return text


Members = Annotated[
    str | None,
    typer.Option(
        "--members", metavar="N|all", show_default=False, callback=parse_members,
        help="How many graphs are drawn on the page; by default what a fifth of the cost of the fit pays for, at most 4,000.",
    ),
]  # fmt: skip
YDown = Annotated[bool, typer.Option("--y-down", help="Draw positions with y downwards, as in images.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the path of the report.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show a traceback if something goes wrong.")]
