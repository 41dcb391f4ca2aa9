"""`graphmeans demo`: the main job on letters that need no download."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from graphmeans.cli.errors import reported

_LETTERS = 15
#: Starts of which the best is kept.
_RUNS = 3


class Distortion(str, Enum):
    """How badly the letters are drawn."""

    low = "low"
    medium = "medium"
    high = "high"


def demo(
    context: typer.Context,
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where to write.")] = Path(
        "graphmeans-demo"
    ),
    samples: Annotated[int, typer.Option(min=_LETTERS, help="Number of letters drawn.")] = 750,
    distortion: Annotated[Distortion, typer.Option(help="How badly they are drawn.")] = Distortion.low,
    seed: Annotated[int, typer.Option(min=0, help="The same seed gives the same letters and clusters.")] = 0,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the path of the report.")] = False,
    debug: Annotated[bool, typer.Option("--debug", help="Show a traceback if something goes wrong.")] = False,
) -> None:
    """See what it does: cluster distorted letters, and open the report.

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
        output.mkdir(parents=True, exist_ok=True)
        estimator = GraphKMeans(_LETTERS, init="medoids", n_init=_RUNS, random_state=seed)
        with shown_progress("clustering", quiet=quiet):
            estimator.fit(graphs)
        seconds = perf_counter() - start
        report = write_results(
            output,
            estimator=estimator,
            graphs=graphs,
            classes=letters.tolist(),
            title="Fifteen letters, found without being told",
            arguments=context.obj,
            seconds=seconds,
        )
        show_results(estimator, letters.tolist(), report, seconds, quiet=quiet)
