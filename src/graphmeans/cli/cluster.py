"""`graphmeans cluster`: cluster a collection of graphs and write what came out."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from graphmeans.cli.common import (
    AsJson,
    Debug,
    EdgeWeight,
    Encoder,
    Jobs,
    Matcher,
    Matching,
    NodeWeight,
    Raw,
    Seed,
    Source,
    YDown,
    echo_json,
    encoder_of,
)
from graphmeans.cli.engine import Engine, Scheduler, Workers, chosen
from graphmeans.cli.errors import reported


class Algorithm(str, Enum):
    """How the clusters are found."""

    interval = "interval"
    elkan = "elkan"
    lloyd = "lloyd"
    gvr = "gvr"


class Init(str, Enum):
    """Where the clusters start."""

    kmeans = "k-means++"
    parallel = "k-means||"
    furthest = "furthest-first"
    medoids = "medoids"
    random = "random"


class Mean(str, Enum):
    """How a mean graph is computed."""

    auto = "auto"
    incremental = "incremental"
    lifted = "lifted"
    subgradient = "subgradient"
    set = "set"


def parse_n_init(text: str) -> str:
    """Check a number of runs, or "auto"."""
    if text != "auto" and not (text.isascii() and text.isdigit() and int(text) > 0):
        raise typer.BadParameter(f"{text!r} is neither a number of runs nor auto")
    return text


def cluster(
    context: typer.Context,
    source: Source,
    n_clusters: Annotated[int, typer.Option("--clusters", "-k", min=1, help="Number of clusters.", show_default=False)],
    output: Annotated[Path, typer.Option("--output", "-o", metavar="DIR", help="Where to write.")] = Path("graphmeans-out"),
    algorithm: Annotated[
        Algorithm, typer.Option(help="interval needs the fewest matchings; lloyd and elkan are the paper's.")
    ] = Algorithm.interval,
    init: Annotated[
        Init,
        typer.Option(
            metavar="NAME", help="How the first centers are chosen: k-means++, k-means||, furthest-first, medoids or random."
        ),
    ] = Init.kmeans,
    n_init: Annotated[
        str, typer.Option(callback=parse_n_init, help="Runs, of which the best is kept.", metavar="N|auto")
    ] = "auto",
    mean: Annotated[Mean, typer.Option(help="How mean graphs are computed.")] = Mean.auto,
    matcher: Matching = Matcher.auto,
    effort: Annotated[float, typer.Option(min=0, help="How hard larger graphs are matched (auto, search).")] = 1.0,
    theta: Annotated[float, typer.Option(min=0, help="How far gvr trusts an alignment while its center moves.")] = 0.0,
    certify: Annotated[bool, typer.Option("--certify", help="Match more until every label is proven (interval).")] = False,
    max_iter: Annotated[int, typer.Option(min=1, help="Iterations at most, in one run.")] = 100,
    seed: Seed = 0,
    node_weight: NodeWeight = 1.0,
    edge_weight: EdgeWeight = 1.0,
    raw: Raw = False,
    encoder: Encoder = None,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="A file to go on from if the run is killed (interval).", metavar="FILE", show_default=False),
    ] = None,
    engine: Workers = None,
    scheduler: Scheduler = None,
    y_down: YDown = False,
    jobs: Jobs = None,
    as_json: AsJson = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print nothing but the path of the report.")] = False,
    debug: Debug = False,
) -> None:
    """Cluster a collection of graphs.

    Writes labels.csv, trace.csv, centroids/ (the mean graphs as GraphML and SVG), model.gmz (for `graphmeans predict` and
    `gm.load`) and report.html. Classes in the input are never clustered on; the report counts them.

    A Parquet INPUT (see `graphmeans convert`) need not fit into memory; its labels are Parquet, too: labels.parquet, or a
    folder labels/ to which the workers of a dask cluster have written their parts.

    [bold]Examples[/bold]

    graphmeans cluster Letter/LOW -k 30 -o letters

    graphmeans cluster molecules.smi -k 8 -o molecules --n-init 10 --edge-weight 0.5

    graphmeans cluster prints.zip -k 60 --encoder '{"orientations": ["orient"], "weights": {"angle": 0}}' --json

    graphmeans cluster graphs.parquet -k 100 --init "k-means||" --scheduler tcp://10.0.0.1:8786
    """
    with reported(debug):
        from time import perf_counter

        from graphmeans.cli.engine import working
        from graphmeans.cli.progress import shown_progress
        from graphmeans.io.collection import open_or_read

        start = perf_counter()
        quiet = quiet or as_json
        settings = encoder_of(raw, encoder)
        where = chosen(engine, scheduler)
        if where != Engine.threads.value and algorithm != Algorithm.interval:
            raise ValueError(f"--algorithm {algorithm.value} works with --engine threads only; dask takes interval")
        with shown_progress(f"reading {source}", quiet=quiet):
            graphs, classes = open_or_read(source)
        if n_clusters > len(graphs):
            raise ValueError(f"{source}: {n_clusters} clusters asked for, but there are only {len(graphs)} graphs")
        output.mkdir(parents=True, exist_ok=True)  # better to fail now than after hours

        from graphmeans.cli.labels import check_place
        from graphmeans.cli.results import (  # not before: they take their time to load
            as_dict,
            show_results,
            write_results,
        )
        from graphmeans.cluster.estimators.kmeans import GraphKMeans

        if not isinstance(graphs, list):
            check_place(output)

        estimator = GraphKMeans(
            n_clusters,
            algorithm=algorithm.value,
            init=init.value,
            n_init=_n_init(n_init),
            mean=mean.value,
            matcher=matcher.value,
            effort=effort,
            theta=theta,
            certify=certify,
            encoder=settings,
            node_weight=node_weight,
            edge_weight=edge_weight,
            max_iter=max_iter,
            n_jobs=jobs,
            random_state=seed,
            checkpoint=None if checkpoint is None else str(checkpoint),
        )
        with shown_progress("clustering", quiet=quiet), working(where, jobs) as workers:
            if workers is not None:
                estimator.engine = workers.client
            estimator.fit(graphs)
            seconds = perf_counter() - start
            report = write_results(
                output,
                estimator=estimator,
                graphs=graphs,
                classes=classes,
                title=source.resolve().name,
                arguments=context.obj,
                seconds=seconds,
                y_down=y_down,
            )
        if as_json:
            echo_json(as_dict(estimator, classes, report, seconds))
        else:
            show_results(estimator, classes, report, seconds, quiet=quiet)


def _n_init(text: str) -> int | str:
    return text if text == "auto" else int(text)
