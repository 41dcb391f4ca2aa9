"""The command `graphmeans`: one file a command. The library is loaded inside the commands, so that help is quick."""

from __future__ import annotations

from typing import Annotated

import typer

from graphmeans import __version__
from graphmeans.cli.choose_k import choose_k
from graphmeans.cli.cluster import cluster
from graphmeans.cli.compare import compare
from graphmeans.cli.convert import convert
from graphmeans.cli.demo import demo
from graphmeans.cli.distance import distance
from graphmeans.cli.errors import OneLineGroup
from graphmeans.cli.inspect import inspect
from graphmeans.cli.mean import mean
from graphmeans.cli.paper import paper
from graphmeans.cli.predict import predict
from graphmeans.cli.warmup import warmup

app = typer.Typer(
    name="graphmeans",
    cls=OneLineGroup,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="rich",
    epilog="Start with [bold]graphmeans demo[/bold]; [bold]graphmeans COMMAND --help[/bold] shows examples.",
)
app.command()(demo)
app.command()(inspect)
app.command("choose-k")(choose_k)
app.command()(cluster)
app.command()(predict)
app.command()(mean)
app.command()(distance)
app.command()(compare)
app.command()(convert)
app.command()(paper)
app.command()(warmup)


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


def main() -> None:
    """The console script."""
    app(prog_name="graphmeans")
