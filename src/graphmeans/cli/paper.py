"""`graphmeans paper`: the paper's experiments, run again."""

from __future__ import annotations

import shlex
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmeans.cli.errors import reported

if TYPE_CHECKING:
    from rich.console import Console

    from graphmeans.paper.tables import Table as PaperTable


class Matcher(str, Enum):
    """How graphs that are not letters are matched."""

    graduated = "graduated"
    search = "search"
    auto = "auto"
    exact = "exact"


class Algorithm(str, Enum):
    """The paper's algorithms, and interval."""

    lloyd = "lloyd"
    elkan = "elkan"
    gvr = "gvr"
    interval = "interval"


class Dataset(str, Enum):
    """The paper's collections."""

    letter = "letter"
    grec = "grec"
    fingerprint = "fingerprint"
    molecules = "molecules"


def paper(
    context: typer.Context,
    data: Annotated[
        Path,
        typer.Option(metavar="DIR", help="Folder with the IAM collections, as zips or unpacked.", show_default=False),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where to write.")] = Path(
        "graphmeans-paper"
    ),
    quick: Annotated[bool, typer.Option("--quick", help="One run each on a part of the data: a minute.")] = False,
    runs: Annotated[
        int | None, typer.Option(min=1, help="Runs of each algorithm everywhere (the paper: 5 and 10).", show_default=False)
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the first run; the others follow it.")] = 0,
    matcher: Annotated[Matcher, typer.Option(help="For what is not letters; those are matched exactly.")] = Matcher.graduated,
    algorithms: Annotated[
        list[Algorithm] | None, typer.Option("--algorithm", help="Only this one; may be repeated.", show_default=False)
    ] = None,
    datasets: Annotated[
        list[Dataset] | None, typer.Option("--dataset", help="Only this one; may be repeated.", show_default=False)
    ] = None,
    fresh: Annotated[bool, typer.Option("--fresh", help="Do the chosen runs again, even if their rows are there.")] = False,
    jobs: Annotated[int | None, typer.Option(help="Runs at a time; as many as cores by default.", show_default=False)] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the path of the page.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback if something goes wrong.")] = False,
) -> None:
    """Run the experiments of Elkan's k-Means for Graphs again.

    Writes results.csv (a row a run), the paper's tables with ours beside them (tables.md and CSV), pictures and
    paper.html. A command that was interrupted goes on where it was; rows that are there are not computed again.

    [bold]Examples[/bold]

    graphmeans paper --data iam -o paper

    graphmeans paper --data iam -o paper --runs 5

    graphmeans paper --data iam -o paper --algorithm interval --fresh
    """
    with reported(debug):
        from graphmeans.matching.pairs import n_threads
        from graphmeans.paper.data import Collections
        from graphmeans.paper.protocol import ALGORITHMS, DATASETS, belongs, settings
        from graphmeans.paper.results import Results

        if not data.exists():
            raise ValueError(f"{data}: no such file or folder")
        chosen = settings(
            quick=quick,
            runs=runs,
            first_seed=seed,
            matcher=matcher.value,
            algorithms=[a.value for a in algorithms] if algorithms else ALGORITHMS,
            datasets=[d.value for d in datasets] if datasets else DATASETS,
        )
        results = Results(output)
        if fresh:
            doomed = [setting.as_row() for setting in chosen]
            results.forget(lambda row: any(all(row[name] == value for name, value in one.items()) for one in doomed))

        from graphmeans.cli.paper_progress import watched
        from graphmeans.paper.page import write_all
        from graphmeans.paper.work import work

        missing = results.missing(chosen)
        try:
            with watched(len(chosen), len(chosen) - len(missing), quiet=quiet) as watcher:
                work(missing, Collections(data), results, n_threads(jobs), watcher)
        except KeyboardInterrupt:
            left = len(results.missing(chosen))
            typer.echo(
                f"graphmeans: interrupted with {len(chosen) - left} of {len(chosen)} runs in {results.path}; "
                "the same command goes on from there",
                err=True,
            )
            raise typer.Exit(130) from None
        rows = [row for row in results.rows if belongs(row, quick, matcher.value)]
        command = None if context.obj is None else shlex.join(["graphmeans", *context.obj])
        note = "Quick: a part of the data and fewer clusters, so the figures in brackets are not comparable." if quick else ""
        tables, page = write_all(output, rows, command=command, note=note)
        _show(tables, page, output, quiet)


def _show(tables: list[PaperTable], page: Path, output: Path, quiet: bool) -> None:
    from rich.console import Console
    from rich.markup import escape

    from graphmeans.plots.text import plain_text

    console = Console(highlight=False)
    if quiet:
        console.print(plain_text(page), markup=False, soft_wrap=True)
        return
    if not console.is_terminal:
        console = Console(highlight=False, width=200)
    for table in tables:
        _print_table(console, table)
    console.print(f"{escape(plain_text(output))}: results.csv, tables.md, a CSV for each table, pictures", soft_wrap=True)
    console.print(f"[bold green]page[/bold green] {escape(plain_text(page))}", soft_wrap=True)


def _print_table(console: Console, table: PaperTable) -> None:
    from rich.markup import escape
    from rich.table import Table

    shown = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 2, 0, 0), title_justify="left",
                  title=escape(table.title), title_style="bold", caption=escape(table.note), caption_justify="left")  # fmt: skip
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
