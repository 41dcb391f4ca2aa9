"""`graphmeans report`: make the page of some results again, without fitting."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported
from graphmeans.cli.how_read import HowRead, how_it_was_read
from graphmeans.cli.output import safe_markup, say


def report_command(
    results: Annotated[
        Path, typer.Argument(metavar="RESULTS", show_default=False, help="A folder that `graphmeans cluster` wrote.")
    ],
    source: options.Input,
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", metavar="FILE", show_default=False, help="The page; by default report.html in RESULTS."),
    ] = None,
    title: Annotated[
        str | None, typer.Option(help="The title of the page; by default the name of INPUT.", show_default=False)
    ] = None,
    members: options.Members = None,
    labelled: options.Labelled = False,
    roles: options.Roles = None,
    smiles_column: options.SmilesColumn = None,
    name_column: options.NameColumn = None,
    class_column: options.ClassColumn = None,
    strict: options.Strict = False,
    y_down: options.YDown = False,
    quiet: options.Quiet = False,
    max_memory: options.MaxMemory = None,
    debug: options.Debug = False,
) -> None:
    """Make the page of some results again, without fitting.

    With another title, with y in the other direction, or with more members. INPUT is what was clustered: its graphs have to be
    those of the labels in RESULTS, in the same order. It is read as it was then, which RESULTS/reading.json says (--labelled,
    --roles, the columns of molecules); the options are for results that do not say it, and for an INPUT in another form.

    [bold]Examples[/bold]

    graphmeans report letters Letter/LOW --members all

    graphmeans report symbols GREC.zip --y-down --title "Symbols of drawings" -o symbols.html
    """
    with reported(debug):
        from graphmeans.cli.inputs import model_path, title_of
        from graphmeans.cli.progress import shown_progress

        model = model_path(results)
        asked = HowRead(labelled, roles, smiles_column, name_column, class_column, strict)
        how = asked.or_as_before(how_it_was_read(model.parent), source)
        with shown_progress(f"reading {source}", quiet=quiet):
            graphs, classes, _ = how.read(source)

        from graphmeans.cli.results import REPORT, rewrite_report

        with shown_progress("making the report", quiet=quiet):
            path = rewrite_report(
                output or model.parent / REPORT, model, graphs, classes, title=title or title_of(source),
                members=members, y_down=y_down,
            )  # fmt: skip
        say(safe_markup(path) if quiet else f"[bold green]report[/bold green] {safe_markup(path)}")
