"""What the arguments of several commands mean: an encoder, one graph of a collection, a model file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from graphmeans.graphs.encoding.encoder import GraphEncoder
    from graphmeans.graphs.graph import Graph


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
    """The model file, where the folder may be given that `graphmeans cluster` wrote."""
    if not path.is_dir():
        return path
    if not (path / "model.gmz").is_file():
        raise ValueError(f"{path}: holds no model.gmz; give a folder that `graphmeans cluster` wrote")
    return path / "model.gmz"
