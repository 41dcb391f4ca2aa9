"""`graphmeans demo`: the main job on letters that need no download."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from graphmeans.cli.errors import reported

if TYPE_CHECKING:
    from numpy.random import RandomState

    from graphmeans.graphs.graph import Graph

_LETTERS = 15
#: Drawings among which the start is sought, and starts of which the best is kept.
_SAMPLE, _RUNS = 200, 3


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
        from graphmeans.cluster.kmeans import GraphKMeans
        from graphmeans.datasets import make_letters

        start = perf_counter()
        graphs, letters = make_letters(samples, distortion.value, random_state=seed)
        output.mkdir(parents=True, exist_ok=True)
        estimator = GraphKMeans(_LETTERS, init=medoids_of_a_sample, n_init=_RUNS, random_state=seed)
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


def medoids_of_a_sample(graphs: list[Graph], n_clusters: int, random_state: RandomState) -> list[Graph]:
    """A start: the drawings of a sample that have the least sum of squared distances to all others of it.

    k-means can only end near where it starts, and drawing starts at random leaves some letter out nearly every time.
    Medoids are added one by one, then exchanged as long as that helps (partitioning around medoids).
    """
    import numpy as np

    from graphmeans.functions import pairwise_distances

    sample = random_state.choice(len(graphs), size=min(_SAMPLE, len(graphs)), replace=False)
    squares = pairwise_distances([graphs[i] for i in sample]) ** 2
    medoids: list[int] = []
    nearest = np.full(len(sample), np.inf)
    for _ in range(n_clusters):
        medoids.append(int(np.minimum(nearest, squares).sum(axis=1).argmin()))
        nearest = np.minimum(nearest, squares[medoids[-1]])
    exchanged = True
    while exchanged:
        exchanged = False
        for place, medoid in enumerate(medoids):
            others = squares[medoids[:place] + medoids[place + 1 :]].min(axis=0, initial=np.inf)
            costs = np.minimum(others, squares).sum(axis=1)
            best = int(costs.argmin())
            if costs[best] < costs[medoid] * (1 - 1e-12):
                medoids[place], exchanged = best, True
    return [graphs[sample[i]] for i in medoids]
