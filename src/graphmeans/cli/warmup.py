"""`graphmeans warmup`: compile everything once, so that the first real run does not have to."""

from __future__ import annotations

from typing import Annotated

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported


def warmup_command(
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing.")] = False,
    debug: options.Debug = False,
) -> None:
    """Compile the inner loops once; they are kept for later runs.

    [bold]Example[/bold]

    graphmeans warmup
    """
    with reported(debug):
        from graphmeans.cli.output import safe_markup, say
        from graphmeans.cli.progress import shown_progress
        from graphmeans.functions import warmup as compile_all
        from graphmeans.report.words import duration

        total = 0.0
        with shown_progress("compiling, once", quiet=quiet):
            for name, seconds in compile_all():
                total += seconds
                if not quiet:
                    say(f"{duration(seconds):>12}  {safe_markup(name)}")
        if not quiet:
            say(f"[bold]{duration(total):>12}  in all[/bold]")
