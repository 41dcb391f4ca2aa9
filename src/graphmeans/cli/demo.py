"""`graphmeans demo`: the main job on letters that need no download."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import exit_code, reported, was_stopped
from graphmeans.cli.how_read import folder_of_results

_LETTERS = 15
#: Starts of which the best is kept.
_RUNS = 3

DistortionName = Enum("DistortionName", {"low": "low", "medium": "medium", "high": "high"}, type=str)


def demo_command(
    context: typer.Context,
    output: options.OutputFolder = Path("graphmeans-demo"),
    samples: Annotated[int, typer.Option(min=_LETTERS, help="Number of letters drawn.")] = 750,
    distortion: Annotated[DistortionName, typer.Option(help="How badly they are drawn.")] = DistortionName.low,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same letters and clusters.")] = 0,
    quiet: options.Quiet = False,
    debug: options.Debug = False,
) -> None:
    """See what it does: cluster distorted letters, and write the report.

    Draws the fifteen capitals that are made of straight lines, badly, and clusters the drawings without being told
    which is which.

    [bold]Examples[/bold]

    graphmeans demo

    graphmeans demo -o harder --distortion medium --samples 1500
    """
    with reported(debug):
        from time import perf_counter

        from graphmeans.cli.progress import shown_progress
        from graphmeans.cli.results import show_results, write_results
        from graphmeans.cluster.estimators.kmeans import GraphKMeans
        from graphmeans.datasets import make_letters

        start = perf_counter()
        graphs, letters = make_letters(samples, distortion.value, random_state=seed)
        estimator = GraphKMeans(_LETTERS, init="medoids", n_init=_RUNS, random_state=seed)
        with folder_of_results(output):
            with shown_progress("clustering", quiet=quiet):
                estimator.fit(graphs)
            seconds = perf_counter() - start
            summary = write_results(
                output, estimator=estimator, graphs=graphs, classes=letters.tolist(), seconds=seconds,
                title="Fifteen letters, found without being told", arguments=context.obj,
            )  # fmt: skip
        show_results(estimator, summary, output, seconds, quiet=quiet)
        if was_stopped():
            raise typer.Exit(exit_code())
