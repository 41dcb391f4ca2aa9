"""What several commands share: their arguments, JSON for scripts, one graph out of a collection."""

from __future__ import annotations

import json
import math
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

if TYPE_CHECKING:
    from graphmeans.graphs.encoding.encoder import GraphEncoder
    from graphmeans.graphs.graph import Graph


class Matcher(str, Enum):
    """How two graphs are matched."""

    auto = "auto"
    exact = "exact"
    search = "search"
    graduated = "graduated"


Source = Annotated[
    Path,
    typer.Argument(
        metavar="INPUT",
        help="A folder or zip of GXL (with its CXL lists), GraphML, GML or node-link JSON, a TU data set, or a .parquet, "
        ".npz, SMILES, SDF or CSV file.",
        show_default=False,
    ),
]
Raw = Annotated[bool, typer.Option("--raw", help="Leave numbers as they are instead of standardising them.")]
Encoder = Annotated[
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
Matching = Annotated[Matcher, typer.Option("--matcher", help="How two graphs are matched.")]
Seed = Annotated[int, typer.Option(min=0, help="The same seed gives the same result.")]
Jobs = Annotated[int | None, typer.Option(help="Threads; all cores by default.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON, and nothing else.")]
YDown = Annotated[bool, typer.Option("--y-down", help="Draw positions with y downwards, as in images.")]
Debug = Annotated[bool, typer.Option("--debug", help="Show a traceback if something goes wrong.")]


def encoder_of(raw: bool, described: str | None) -> GraphEncoder | str:
    """The encoder that the options ask for: "auto" if they say nothing."""
    if described is None:
        if not raw:
            return "auto"
        from graphmeans.graphs.encoding.encoder import GraphEncoder

        return GraphEncoder(numbers="keep")
    if raw:
        raise ValueError("--raw and --encoder both say what becomes of numbers; write \"numbers\": \"keep\" into --encoder")
    text = described
    if not described.lstrip().startswith("{"):
        text = Path(described).read_text(encoding="utf-8")
    try:
        given = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"--encoder is not valid JSON ({error})") from None
    from graphmeans.graphs.encoding.encoder import GraphEncoder

    known = GraphEncoder().get_params()
    strange = sorted(set(given) - set(known)) if isinstance(given, dict) else []
    if not isinstance(given, dict) or strange:
        what = f"GraphEncoder has no parameter {strange[0]!r}" if strange else "give an object"
        raise ValueError(f"--encoder: {what}; known are {', '.join(known)}")
    return GraphEncoder(**given)


def echo_json(value: Any) -> None:
    """Print JSON that every reader accepts: what is not a number becomes null."""
    typer.echo(json.dumps(_finite(value), indent=1, ensure_ascii=False, allow_nan=False))


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(item) for item in value]
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def one_graph(where: str) -> Graph:
    """The graph at ``FILE``, or ``INPUT#NAME`` or ``INPUT#NUMBER`` in a collection (numbers begin at 0)."""
    from graphmeans.io.collection import read_collection

    path, _, which = (where, "", "") if Path(where).exists() else where.rpartition("#")
    if not path:
        path, which = where, ""
    graphs, _ = read_collection(Path(path))
    if not which:
        if len(graphs) != 1:
            raise ValueError(f"{path}: holds {len(graphs)} graphs; say which one: {path}#NAME or {path}#NUMBER")
        return graphs[0]
    named = [graph for graph in graphs if graph.name == which]
    if len(named) == 1:
        return named[0]
    if named:
        raise ValueError(f"{path}: {len(named)} graphs are called {which!r}; give the number of one")
    if which.isascii() and which.isdigit() and int(which) < len(graphs):
        return graphs[int(which)]
    raise ValueError(f"{path}: no graph {which!r}; there are {len(graphs)}, the first is {graphs[0].name!r}")


def model_path(path: Path) -> Path:
    """A model file, also if the folder is given that `graphmeans cluster` wrote."""
    return path / "model.gmz" if path.is_dir() else path
