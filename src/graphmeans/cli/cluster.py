"""`graphmeans cluster`: cluster a collection of graphs and write what came out."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import exit_code, reported, was_stopped
from graphmeans.cli.how_read import HowRead, folder_of_results
from graphmeans.cli.inputs import connected_workers, encoder_of, engine_address, title_of, warn_of_identities
from graphmeans.cli.output import echo_json

if TYPE_CHECKING:
    from graphmeans.cluster.estimators.kmeans import GraphKMeans

#: How long a fit takes is estimated for so many graphs, or for graphs of so many nodes; it is said if it is more than so many
#: seconds.
MANY, LARGE, LONG = 1000, 100, 30.0

InitName = Enum(
    "InitName",
    {"kmeans": "k-means++", "parallel": "k-means||", "furthest": "furthest-first", "medoids": "medoids",
     "random": "random"},
    type=str,
)  # fmt: skip
MeanName = Enum(
    "MeanName",
    {"auto": "auto", "incremental": "incremental", "lifted": "lifted", "subgradient": "subgradient", "set": "set"},
    type=str,
)


def parse_n_init(text: str) -> str:
    """Check a number of runs, or "auto"."""
    if text != "auto" and not (text.isascii() and text.isdigit() and int(text) > 0):
        raise typer.BadParameter(f"{text!r} is neither a number of runs nor auto")
    return text


def cluster_command(
    context: typer.Context,
    source: options.Input,
    n_clusters: Annotated[int, typer.Option("--clusters", "-k", min=1, help="Number of clusters.", show_default=False)],
    output: options.OutputFolder = Path("graphmeans-out"),
    algorithm: Annotated[
        options.AlgorithmName, typer.Option(help="interval needs the fewest matchings; lloyd and elkan are the paper's.")
    ] = options.AlgorithmName.interval,
    init: Annotated[
        InitName,
        typer.Option(
            metavar="NAME", help="How the first centers are chosen: k-means++, k-means||, furthest-first, medoids or random."
        ),
    ] = InitName.kmeans,
    n_init: Annotated[
        str, typer.Option(callback=parse_n_init, help="Runs, of which the best is kept.", metavar="N|auto")
    ] = "auto",
    mean: Annotated[MeanName, typer.Option(help="How mean graphs are computed.")] = MeanName.auto,
    matcher: options.MatcherOption = options.MatcherName.auto,
    effort: options.Effort = 1.0,
    theta: Annotated[float, typer.Option(min=0, help="How far gvr trusts an alignment while its center moves.")] = 0.0,
    certify: Annotated[bool, typer.Option("--certify", help="Match more until every label is proven (interval).")] = False,
    max_iter: Annotated[int, typer.Option(min=1, help="Iterations at most, in one run.")] = 100,
    seed: options.Seed = 0,
    labelled: options.Labelled = False,
    roles: options.Roles = None,
    node_weight: options.NodeWeight = 1.0,
    edge_weight: options.EdgeWeight = 1.0,
    raw: options.Raw = False,
    encoder: options.EncoderJson = None,
    smiles_column: options.SmilesColumn = None,
    name_column: options.NameColumn = None,
    class_column: options.ClassColumn = None,
    strict: options.Strict = False,
    checkpoint: Annotated[
        Path | None,
        typer.Option(help="A file to continue from if the run is killed (interval).", metavar="FILE", show_default=False),
    ] = None,
    engine: options.EngineOption = None,
    scheduler: options.Scheduler = None,
    y_down: options.YDown = False,
    members: options.Members = None,
    device: options.DeviceOption = options.DeviceName.auto,
    jobs: options.Jobs = None,
    as_json: options.AsJson = False,
    quiet: options.Quiet = False,
    max_memory: options.MaxMemory = None,
    debug: options.Debug = False,
) -> None:
    """Cluster a collection of graphs.

    Writes labels.csv, trace.csv, centroids/ (the mean graphs as GraphML and SVG), model.gmz (for `graphmeans predict` and
    `gm.load`), reading.json (how INPUT was read, for `graphmeans report` and `predict`) and report.html. Classes in the input are
    never clustered on; the report counts them.

    A file of molecules is also written back as it came, as clustered.sdf, .csv, .tsv or .smi: every record, in its order, with
    cluster, distance, margin and proven added. Records that cannot be read are left out, kept there, and listed in skipped.csv.

    A Parquet INPUT (see `graphmeans convert`) need not fit into memory. Its labels are Parquet, too: labels.parquet, or a
    folder labels/ to which the workers of a dask cluster have written their parts.

    [bold]Examples[/bold]

    graphmeans cluster Letter/LOW -k 30 -o letters

    graphmeans cluster molecules.smi -k 8 -o molecules --n-init 10 --edge-weight 0.5

    graphmeans cluster library.csv.gz -k 50 -o library --smiles-column canonical_smiles --class-column target

    graphmeans cluster prints.zip -k 60 --encoder '{"orientations": ["orient"], "weights": {"angle": 0}}' --json

    graphmeans cluster graphs.parquet -k 100 --init "k-means||" --scheduler tcp://10.0.0.1:8786
    """
    with reported(debug):
        from time import perf_counter

        from graphmeans.cli.progress import shown_progress

        start = perf_counter()
        quiet = quiet or as_json
        settings = encoder_of(raw, encoder)
        where = engine_address(engine, scheduler)
        if where != options.EngineName.threads.value and algorithm != options.AlgorithmName.interval:
            raise ValueError(f"--algorithm {algorithm.value} works with --engine threads only; dask takes interval")
        with shown_progress(f"reading {source}", quiet=quiet):
            how = HowRead(labelled, roles, smiles_column, name_column, class_column, strict)
            graphs, classes, table = how.read(source)
            if not isinstance(graphs, list):
                warn_of_identities(graphs)
        if n_clusters > len(graphs):
            raise ValueError(f"{source}: {n_clusters} clusters asked for, but there are only {len(graphs)} graphs")

        from graphmeans.cli.label_files import check_place
        from graphmeans.cli.molecule_files import check_back
        from graphmeans.cli.results import as_dict, show_results, write_results  # late, because they load slowly
        from graphmeans.cluster.estimators.kmeans import GraphKMeans

        estimator = GraphKMeans(
            n_clusters, algorithm=algorithm.value, init=init.value, n_init=n_init if n_init == "auto" else int(n_init),
            mean=mean.value, matcher=matcher.value, effort=effort, theta=theta, certify=certify, encoder=settings,
            node_weight=node_weight, edge_weight=edge_weight, max_iter=max_iter, device=device.value,
            n_jobs=jobs, random_state=seed,
            checkpoint=None if checkpoint is None else str(checkpoint),
        )  # fmt: skip
        with folder_of_results(output):  # better to fail now than after hours
            if not isinstance(graphs, list):
                check_place(output)
            check_back(output, source, table)
            resumed = checkpoint is not None and checkpoint.exists()
            if not quiet and where == options.EngineName.threads.value:
                _say_how_long(graphs, estimator)
            with shown_progress("clustering", quiet=quiet), connected_workers(where, jobs) as workers:
                if workers is not None:
                    estimator.engine = workers.client
                estimator.fit(graphs)
                seconds = perf_counter() - start
                summary = write_results(
                    output, estimator=estimator, graphs=graphs, classes=classes, title=title_of(source), how_read=how,
                    arguments=context.obj, seconds=None if resumed else seconds, y_down=y_down, members=members, table=table,
                )  # fmt: skip
        if as_json:
            echo_json(as_dict(estimator, summary, output, seconds, resumed) | {"partial": was_stopped()})
        else:
            show_results(estimator, summary, output, seconds, quiet=quiet, resumed=resumed)
            if table is not None and settings == "auto" and not quiet:
                typer.echo("Molecules are compared atom by atom; --encoder series groups them by ring systems and substructures.")
        if was_stopped():
            raise typer.Exit(exit_code())


def _say_how_long(graphs: Any, estimator: GraphKMeans) -> None:
    """Say before a long fit begins about how long it will take; nothing if it is short."""
    if not isinstance(graphs, list) or (len(graphs) < MANY and max(graph.n_nodes for graph in graphs) < LARGE):
        return
    from graphmeans.cli.progress import shown_progress
    from graphmeans.evaluation.cost import forecast
    from graphmeans.report.words import duration

    with shown_progress("estimating how long it takes", quiet=False):
        cost = forecast(graphs, estimator)
    if cost is not None and cost.seconds > LONG:
        typer.echo(
            f"this takes about {duration(cost.seconds)} (a matching {1e3 * cost.seconds_a_matching:.2g} ms, the longest at most "
            f"{duration(cost.seconds_longest_matching)}); Ctrl-C keeps what there is by then",
            err=True,
        )
