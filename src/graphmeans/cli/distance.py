"""`graphmeans distance`: how far two graphs are apart, and how they are aligned."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported
from graphmeans.cli.inputs import model_path, one_graph, with_chosen_roles
from graphmeans.cli.output import echo_json, plain_table, safe_markup, say

if TYPE_CHECKING:
    from graphmeans.graphs.graph import Graph
    from graphmeans.matching.match import Match

_MOST_ROWS = 60
_WHICH = "A file with one graph; or INPUT#NAME, INPUT#NUMBER of a collection."


def distance_command(
    first: Annotated[str, typer.Argument(metavar="A", help=_WHICH, show_default=False)],
    second: Annotated[str, typer.Argument(metavar="B", help="Another one.", show_default=False)],
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.svg", help="Draw the alignment.", show_default="no picture")
    ] = None,
    model: Annotated[
        Path | None,
        typer.Option(help="Measure as this model does: its encoding, weights and order.", metavar="MODEL", show_default=False),
    ] = None,
    matcher: options.MatcherOption = options.MatcherName.auto,
    labelled: options.Labelled = False,
    roles: options.Roles = None,
    node_weight: options.NodeWeight = 1.0,
    edge_weight: options.EdgeWeight = 1.0,
    y_down: options.YDown = False,
    as_json: options.AsJson = False,
    max_memory: options.MaxMemory = None,
    debug: options.Debug = False,
) -> None:
    """Measure the distance of two graphs, and draw their alignment.

    Numbers are taken as they are (standardising two graphs would erase what they differ in), or as a model takes them.

    [bold]Examples[/bold]

    graphmeans distance a.graphml b.graphml -o alignment.svg

    graphmeans distance letters.zip#A_001 letters.zip#7 --model letters/model.gmz

    graphmeans distance a.gml b.gml --matcher exact --json
    """
    with reported(debug):
        x, y = with_chosen_roles([one_graph(first), one_graph(second)], labelled, roles)
        found = _match(x, y, model, matcher, node_weight, edge_weight)
        if output is not None:
            _draw(x, y, found, output, y_down)
        if as_json:
            echo_json({
                "distance": found.upper, "lower": found.lower, "upper": found.upper, "certified": found.certified,
                "matcher": found.matcher, "mapping": [[a, b] for a, b in found.mapping.items()],
                "file": None if output is None else str(output),
            })  # fmt: skip
        else:
            _show(x, y, found, output)


def _match(x: Graph, y: Graph, model: Path | None, matcher: options.MatcherName, node_weight: float, edge_weight: float) -> Match:
    from graphmeans.functions import match

    if model is None:
        return match(x, y, matcher.value, node_weight=node_weight, edge_weight=edge_weight)
    if (matcher, node_weight, edge_weight) != (options.MatcherName.auto, 1.0, 1.0):
        raise ValueError("--model brings its own matcher and weights; leave --matcher and the weights out")
    from graphmeans.io.storage.model import load

    estimator = load(model_path(model))
    space = estimator.space_
    return match(
        x, y, space.matcher, _order(space), encoder=estimator.encoder_, node_weight=space.node_weight,
        edge_weight=space.edge_weight,
    )  # fmt: skip


def _order(space: Any) -> Any:
    """The order of a space in the terms of `match`."""
    from graphmeans.matching.pairs import UNBOUNDED

    if (space.order >= UNBOUNDED).any():
        return None
    if space.roles == (None,):
        return int(space.order[0])
    return {role: int(places) for role, places in zip(space.roles, space.order, strict=True)}


def _draw(x: Graph, y: Graph, found: Match, path: Path, y_down: bool) -> None:
    from matplotlib.figure import Figure

    from graphmeans.plots.members import draw_alignment
    from graphmeans.plots.positions import y_down as drawn_downwards

    figure = Figure(figsize=(7.5, 3.6))
    with drawn_downwards(y_down):
        draw_alignment(x, y, found.indices, figure.subplots())
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, format=path.suffix.lstrip(".") or "svg", bbox_inches="tight")


def _show(x: Graph, y: Graph, found: Match, output: Path | None) -> None:
    from graphmeans.report.words import number

    def said(text: object) -> str:
        return safe_markup(text, 60)

    proven = "proven" if found.certified else f"at least {number(found.lower)}"
    say(f"distance [bold]{found.upper:.10g}[/bold] ({proven}; {said(found.matcher)})")
    table = plain_table(said(x.name or "A"), said(y.name or "B"))
    rows = list(found.mapping.items())
    for a, b in rows[:_MOST_ROWS]:
        table.add_row(said(a), "[dim]–[/dim]" if b is None else said(b))
    taken = set(found.mapping.values())
    for b in [node for node in y.node_ids if node not in taken][: max(0, _MOST_ROWS - len(rows))]:
        table.add_row("[dim]–[/dim]", said(b))
    if len(rows) > _MOST_ROWS:
        table.add_row("…", f"{len(rows) - _MOST_ROWS} more, see --json")
    say(table)
    if output is not None:
        say(f"[bold green]alignment[/bold green] {said(output)}")
