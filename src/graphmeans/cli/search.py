"""`graphmeans search`: the nearest graphs of an index."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported
from graphmeans.cli.inputs import connected_workers, engine_address, query_graphs, with_chosen_roles
from graphmeans.cli.output import echo_json, plain_table, safe_markup, say

if TYPE_CHECKING:
    from graphmeans.search.answers import Answer

_MOST_ROWS = 60


def search_command(
    index: Annotated[
        Path, typer.Argument(metavar="INDEX", help="A file that `graphmeans index` wrote.", show_default=False)
    ],
    query: Annotated[
        str,
        typer.Argument(metavar="QUERY", help="Graphs to search for: any INPUT; or INPUT#NAME, INPUT#NUMBER for one of them.",
                       show_default=False),
    ],
    neighbors: Annotated[int, typer.Option("--neighbors", "-n", min=1, help="How many of the nearest.")] = 10,
    radius: Annotated[
        float | None, typer.Option(min=0, help="All graphs within this distance, instead of the nearest.", show_default=False)
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE.csv", help="Write the whole table.", show_default="none")
    ] = None,
    html: Annotated[
        Path | None,
        typer.Option("--html", metavar="FILE.html", help="Write a page: queries beside their neighbors.", show_default="none"),
    ] = None,
    y_down: options.YDown = False,
    labelled: options.Labelled = False,
    roles: options.Roles = None,
    engine: options.EngineOption = None,
    scheduler: options.Scheduler = None,
    device: options.DeviceOption = options.DeviceName.auto,
    jobs: options.Jobs = None,
    as_json: options.AsJson = False,
    max_memory: options.MaxMemory = None,
    debug: options.Debug = False,
) -> None:  # fmt: skip
    """Find the graphs of an index that are nearest to given ones.

    Prints a table: query, neighbor, distance, and whether it is proven to be among the nearest.

    [bold]Examples[/bold]

    graphmeans search molecules.gmi new.smi -n 10

    graphmeans search letters.gmi letters.zip#A_001 --html found.html

    graphmeans search symbols.gmi scan.gxl --radius 2.5 --json
    """
    with reported(debug):
        from graphmeans.cli.progress import shown_progress
        from graphmeans.io.storage.model import load
        from graphmeans.matching.device import check_device
        from graphmeans.plots.positions import y_down as drawn_downwards
        from graphmeans.report.search_page import write_search_page
        from graphmeans.search.index import GraphIndex

        where = engine_address(engine, scheduler)
        found = load(index)
        if not isinstance(found, GraphIndex):
            raise ValueError(f"{index}: is a model, not an index; make one with `graphmeans index`")
        check_device(device.value)
        found.n_jobs, found.device = jobs, device.value
        graphs = with_chosen_roles(query_graphs(query), labelled, roles)
        with shown_progress("searching", quiet=as_json), connected_workers(where, jobs) as workers:
            if workers is not None:
                found.engine = workers.client
            few = min(neighbors, found.n_samples_fit_)
            answers = found.query_all(graphs, few) if radius is None else found.query_all(graphs, radius=radius)
            found.close()
        names = [str(i) if graph.name is None else graph.name for i, graph in enumerate(graphs)]
        rows = _rows(names, answers)
        if html is not None:
            per_query = found.n_compared_["matchings"] / max(len(graphs), 1)
            with drawn_downwards(y_down):
                write_search_page(
                    html, answers, title=f"Nearest graphs in {index.stem}", searched=found.n_samples_fit_, matchings=per_query,
                    names=names,
                )  # fmt: skip
        if output is not None:
            _write_csv(output, rows)
        if as_json:
            echo_json(rows)
            return
        _show(rows, len(graphs), found.n_samples_fit_, found.n_compared_["matchings"])
        for path in (output, html):
            if path is not None:
                say(f"[bold green]wrote[/bold green] {safe_markup(path)}")


def _rows(names: Sequence[str], answers: Sequence[Answer]) -> list[dict[str, Any]]:
    return [
        {
            "query": name, "rank": rank, "neighbor": str(n.index) if n.name is None else n.name, "number": n.index,
            "distance": n.distance, "proven": n.certified,
        }
        for name, answer in zip(names, answers, strict=True)
        for rank, n in enumerate(answer, start=1)
    ]  # fmt: skip


def _write_csv(path: Path, rows: Sequence[dict[str, Any]]) -> None:
    import csv

    from graphmeans.cli.label_files import safe_cell

    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(["query", "rank", "neighbor", "number", "distance", "proven"])
        for row in rows:
            table.writerow(safe_cell(value) if isinstance(value, str) else value for value in row.values())


def _show(rows: Sequence[dict[str, Any]], queries: int, searched: int, matchings: int) -> None:
    from graphmeans.report.words import counted, percent

    table = plain_table("query", "neighbor", right=())
    table.add_column("distance", justify="right")
    table.add_column("")
    before = None
    for row in rows[:_MOST_ROWS]:
        query = safe_markup(row["query"], 40) if row["query"] != before else ""
        before = row["query"]
        proven = "" if row["proven"] else "[dim]not proven[/dim]"
        table.add_row(query, safe_markup(row["neighbor"], 40), f"{row['distance']:.4g}", proven)
    if len(rows) > _MOST_ROWS:
        table.add_row("…", f"{len(rows) - _MOST_ROWS} more: -o FILE.csv or --json")
    say(table)
    sure = sum(bool(row["proven"]) for row in rows)
    said = "all proven" if sure == len(rows) else f"{percent(sure / len(rows))} proven"
    spent = f"{counted(matchings, 'matching')}, alignments included, for {counted(queries * searched, 'pair')}"
    say(
        f"[bold]{counted(queries, 'query', 'queries')}[/bold] among [bold]{counted(searched, 'graph')}[/bold]: "
        f"{counted(len(rows), 'neighbor')}, {said}; {spent}"
    )
