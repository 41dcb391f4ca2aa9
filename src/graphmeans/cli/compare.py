"""`graphmeans compare`: two clusterings of the same graphs side by side."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported
from graphmeans.cli.output import plain_table, safe_markup, say

if TYPE_CHECKING:
    from graphmeans.graphs.graph import Graph
    from graphmeans.report.comparison import Comparison

_MOST_ROWS, _MOST_NAMES = 40, 8
#: Colours of what happened to a cluster; everything else is red.
_EVENT_COLOURS = {"merged": "yellow", "split": "yellow", "changed": "cyan", "new": "green"}


def compare_command(
    first: Annotated[
        Path, typer.Argument(metavar="DIR_A", help="What `graphmeans cluster` wrote.", show_default=False)
    ],
    second: Annotated[
        Path, typer.Argument(metavar="DIR_B", help="Another one, of the same graphs.", show_default=False)
    ],
    output: options.OutputFolder = Path("graphmeans-compare"),
    y_down: options.YDown = False,
    as_json: options.AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the path of the picture.")] = False,
    debug: options.Debug = False,
) -> None:
    """Compare two clusterings: which clusters split, merged or moved.

    The two may differ in the number of clusters, the algorithm or the weights; graphs are recognised by their names.
    Writes comparison.json and flow.svg, a picture of where the graphs of each cluster went.

    [bold]Examples[/bold]

    graphmeans compare letters-15 letters-30

    graphmeans compare elkan interval --json
    """
    with reported(debug):
        import json

        from graphmeans.cli.label_files import read_label_file
        from graphmeans.plots.flow import flow_svg
        from graphmeans.plots.positions import y_down as drawn_downwards
        from graphmeans.report.comparison import compare_clusterings

        left, left_classes = read_label_file(first)
        right, right_classes = read_label_file(second)
        found = compare_clusterings(left, right, left_classes or right_classes)
        output.mkdir(parents=True, exist_ok=True)
        text = json.dumps({"a": str(first), "b": str(second), **found.as_dict()}, indent=1, ensure_ascii=False)
        (output / "comparison.json").write_text(text + "\n", encoding="utf-8")
        pictures = read_means(first), read_means(second)
        with drawn_downwards(y_down):
            titles = first.name or str(first), second.name or str(second)
            picture = flow_svg(found.table, titles=titles, pictures=pictures)
        (output / "flow.svg").write_text(picture, encoding="utf-8")
        if as_json:
            typer.echo(text)
        elif quiet:
            typer.echo(str(output / "flow.svg"))
        else:
            _show(found, first, second, output)


def read_means(directory: Path) -> dict[int, Graph]:
    """The mean graphs in centroids/, as far as they can be read: the picture does without those that cannot."""
    import re

    from graphmeans.io.collection import read_graph

    means: dict[int, Graph] = {}
    for path in sorted((directory / "centroids").glob("cluster_*.graphml")):
        if found := re.fullmatch(r"cluster_(\d+)", path.stem):
            with suppress(ValueError, OSError):
                means[int(found.group(1))] = read_graph(path)
    return means


def _show(found: Comparison, first: Path, second: Path, output: Path) -> None:
    from graphmeans.report.words import counted, number, percent

    names = safe_markup(first.name or first, 60), safe_markup(second.name or second, 60)
    table = plain_table("what", f"from {names[0]} to {names[1]}", right=("graphs", "went elsewhere"))
    events = [event for event in found.events if event.kind != "same"]
    for event in events[:_MOST_ROWS]:
        kind = f"[{_EVENT_COLOURS.get(event.kind, 'red')}]{event.kind}[/]"
        table.add_row(kind, event.said(), number(event.graphs), number(event.moved))
    if len(events) > _MOST_ROWS:
        table.add_row("…", f"and {len(events) - _MOST_ROWS} more in comparison.json")
    same = len(found.events) - len(events)
    if events:
        say(table)
    say(
        f"{counted(same, 'cluster')} of {len(found.table)} stayed the same; "
        f"with clusters paired one to one, [bold]{number(len(found.moved))}[/bold] of {counted(len(found.names), 'graph')} "
        f"changed cluster; adjusted Rand index [bold]{found.agreement:.3f}[/bold]"
    )
    if found.accuracy is not None:
        a, b = found.accuracy
        say(f"graphs in the majority class of their cluster: {percent(a)} and {percent(b)}")
    for folder, only in ((first, found.only_left), (second, found.only_right)):
        if only:
            some = ", ".join(safe_markup(name, 60) for name in only[:_MOST_NAMES])
            dots = " …" if len(only) > _MOST_NAMES else ""
            say(f"only in {safe_markup(folder, 60)}: {counted(len(only), 'graph')} ({some}{dots})")
    say(f"[bold green]flow[/bold green] {safe_markup(output / 'flow.svg')}")
