"""`graphmeans paper`: the paper's experiments, run again."""

from __future__ import annotations

import shlex
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported
from graphmeans.cli.output import plain_table, safe_markup, say

if TYPE_CHECKING:
    from rich.console import Console

    from graphmeans.paper.tables import PaperTable

#: The paper's collections.
Dataset = Enum(
    "Dataset", {"letter": "letter", "grec": "grec", "fingerprint": "fingerprint", "molecules": "molecules"}, type=str
)


def paper_command(
    context: typer.Context,
    data: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Folder with the IAM collections, as zips or unpacked.", show_default=False),
    ],
    output: options.OutputFolder = Path("graphmeans-paper"),
    quick: Annotated[bool, typer.Option("--quick", help="One run each on a part of the data: a minute.")] = False,
    runs: Annotated[
        int | None, typer.Option(min=1, help="Runs of each algorithm everywhere (the paper: 5 and 10).", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first run; the others follow it.")] = 0,
    matcher: Annotated[
        options.MatcherName, typer.Option(help="For the data sets other than letter, which is matched exactly.")
    ] = options.MatcherName.graduated,
    algorithms: Annotated[
        list[options.AlgorithmName] | None,
        typer.Option("--algorithm", help="Only this one; may be repeated.", show_default=False),
    ] = None,
    datasets: Annotated[
        list[Dataset] | None, typer.Option("--dataset", help="Only this one; may be repeated.", show_default=False)
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do the chosen runs again, even if their rows are there.")] = False,
    jobs: Annotated[int | None, typer.Option(help="Runs at a time; as many as cores by default.", show_default=False)] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the path of the page.")] = False,
    debug: options.Debug = False,
) -> None:
    """Run the experiments of Elkan's k-Means for Graphs again.

    Writes results.csv (one row for each run), the paper's tables with our figures beside the published ones (tables.md and
    CSV), pictures and paper.html. A command that was interrupted continues where it was: runs whose rows are there are not
    computed again.

    [bold]Examples[/bold]

    graphmeans paper --data iam -o paper

    graphmeans paper --data iam -o paper --runs 5

    graphmeans paper --data iam -o paper --algorithm interval --fresh
    """
    with reported(debug):
        from graphmeans.matching.pairs import n_threads
        from graphmeans.paper.experiment_data import ExperimentCollections
        from graphmeans.paper.protocol import DATASETS, PAPER_ALGORITHMS, belongs, settings
        from graphmeans.paper.results_csv import ResultsFile

        if not data.exists():
            raise ValueError(f"{data}: no such file or folder")
        chosen = settings(
            quick=quick, runs=runs, first_seed=seed, matcher=matcher.value,
            algorithms=[a.value for a in algorithms] if algorithms else PAPER_ALGORITHMS,
            datasets=[d.value for d in datasets] if datasets else DATASETS,
        )  # fmt: skip
        results = ResultsFile(output)
        if fresh:
            doomed = [setting.as_row() for setting in chosen]
            results.forget(lambda row: any(all(row[name] == value for name, value in one.items()) for one in doomed))

        from graphmeans.cli.progress import watched
        from graphmeans.paper.page import write_all
        from graphmeans.paper.run import run_all

        missing = results.missing(chosen)
        try:
            with watched(len(chosen), len(chosen) - len(missing), quiet=quiet) as watcher:
                run_all(missing, ExperimentCollections(data), results, n_threads(jobs), watcher)
        except KeyboardInterrupt:
            done = f"{len(chosen) - len(results.missing(chosen))} of {len(chosen)} runs in {results.path}"
            typer.echo(f"graphmeans: interrupted with {done}; the same command continues from there", err=True)
            raise typer.Exit(130) from None
        rows = [row for row in results.rows if belongs(row, quick, matcher.value)]
        command = None if context.obj is None else shlex.join(["graphmeans", *context.obj])
        note = "Quick: a part of the data and fewer clusters, so the figures in brackets are not comparable." if quick else ""
        tables, page = write_all(output, rows, command=command, note=note)
        _show(tables, page, output, quiet)


def _show(tables: list[PaperTable], page: Path, output: Path, quiet: bool) -> None:
    from rich.console import Console

    if quiet:
        say(safe_markup(page))
        return
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=200)
    for table in tables:
        _print_table(console, table)
    say(f"{safe_markup(output)}: results.csv, tables.md, a CSV for each table, pictures")
    say(f"[bold green]page[/bold green] {safe_markup(page)}")


def _print_table(console: Console, table: PaperTable) -> None:
    from rich.markup import escape

    shown = plain_table(gap=2)
    shown.title, shown.title_style, shown.title_justify = escape(table.title), "bold", "left"
    shown.caption, shown.caption_justify = escape(table.note), "left"
    for i, name in enumerate(table.header):
        shown.add_column(name, justify="left" if i < 2 else "right", overflow="fold")
    previous = None
    for row in table.rows:
        if previous is not None and row[0] != previous and len(table.rows) > len({r[0] for r in table.rows}):
            shown.add_section()
        previous = row[0]
        shown.add_row(*row, style="bold" if row[1] == "interval" else None)
    console.print(shown)
    console.print()
