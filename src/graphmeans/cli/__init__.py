"""The command `graphmeans`, with one file for each of its commands.

The functions of the commands import the library when they run, and not when their modules are loaded: `graphmeans --help`
and messages about wrong options then come at once.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from inspect import cleandoc
from typing import Annotated

import typer

from graphmeans import __version__
from graphmeans.cli.choose_k import choose_k_command
from graphmeans.cli.cluster import cluster_command
from graphmeans.cli.compare import compare_command
from graphmeans.cli.convert import convert_command
from graphmeans.cli.demo import demo_command
from graphmeans.cli.distance import distance_command
from graphmeans.cli.doctor import doctor_command
from graphmeans.cli.errors import OneLineGroup
from graphmeans.cli.index import index_command
from graphmeans.cli.inspect import inspect_command
from graphmeans.cli.mean import mean_command
from graphmeans.cli.paper import paper_command
from graphmeans.cli.predict import predict_command
from graphmeans.cli.report import report_command
from graphmeans.cli.search import search_command
from graphmeans.cli.warmup import warmup_command

#: The commands, in the order in which the help lists them.
COMMANDS: tuple[Callable[..., None], ...] = (
    demo_command, inspect_command, choose_k_command, cluster_command, predict_command, mean_command, distance_command,
    report_command, index_command, search_command, compare_command, convert_command, paper_command, warmup_command,
    doctor_command,
)  # fmt: skip

app = typer.Typer(
    name="graphmeans", cls=OneLineGroup, no_args_is_help=True, pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    epilog="Start with [bold]graphmeans demo[/bold]; [bold]graphmeans COMMAND --help[/bold] shows examples.",
)  # fmt: skip


def _unwrapped(text: str) -> str:
    """Paragraphs on one line each: the terminal, not the source, decides where the help is wrapped."""
    return "\n\n".join(" ".join(part.split()) for part in cleandoc(text).split("\n\n"))


for _command in COMMANDS:
    _name = _command.__name__.removesuffix("_command").replace("_", "-")
    app.command(_name, help=_unwrapped(_command.__doc__ or ""))(_command)


def _show_version(asked: bool) -> None:
    if asked:
        typer.echo(f"graphmeans {__version__}")
        raise typer.Exit


@app.callback()
def _graphmeans(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Cluster whole graphs, and see the mean graph of every cluster."""


#: How the names of threads begin that a command gives up when it is interrupted.
GIVEN_UP = "graphmeans-paper"


def main() -> None:
    """The console script.

    A thread that was given up may still be inside a compiled kernel. It cannot be ended, and it aborts the process if it comes
    back from there while Python shuts down. So the process ends without that, once everything is written.
    """
    try:
        app(prog_name="graphmeans")
    finally:
        if any(thread.name.startswith(GIVEN_UP) for thread in threading.enumerate()):
            sys.stdout.flush()
            sys.stderr.flush()
            code = getattr(sys.exc_info()[1], "code", 1)
            os._exit(code if isinstance(code, int) else 1)
