"""`graphmeans index`: makes an index of a collection, in which `graphmeans search` finds the nearest graphs."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported
from graphmeans.cli.inputs import connected_workers, encoder_of, engine_address, input_graphs
from graphmeans.cli.output import echo_json, safe_markup, say


def index_command(
    source: options.Input,
    output: Annotated[
        Path, typer.Option("--output", "-o", metavar="FILE", help="Where to write the index.")
    ] = Path("graphs.gmi"),
    matcher: options.MatcherOption = options.MatcherName.auto,
    effort: options.Effort = 1.0,
    labelled: options.Labelled = False,
    roles: options.Roles = None,
    node_weight: options.NodeWeight = 1.0,
    edge_weight: options.EdgeWeight = 1.0,
    order: Annotated[
        int | None, typer.Option(min=1, help="Nodes that the largest graph may have; by default those of the largest here.",
                                 show_default=False)
    ] = None,
    raw: options.Raw = False,
    encoder: options.EncoderJson = None,
    engine: options.EngineOption = None,
    scheduler: options.Scheduler = None,
    device: options.DeviceOption = options.DeviceName.auto,
    jobs: options.Jobs = None,
    as_json: options.AsJson = False,
    max_memory: options.MaxMemory = None,
    debug: options.Debug = False,
) -> None:  # fmt: skip
    """Make an index of a collection, to search for the nearest graphs.

    The index is one file. It holds the graphs as numbers and can be larger than memory: it stays on disk while it is searched.

    [bold]Examples[/bold]

    graphmeans index molecules.smi -o molecules.gmi

    graphmeans index letters.parquet -o letters.gmi --raw

    graphmeans index letters.parquet -o letters.gmi --engine dask
    """
    with reported(debug):
        from graphmeans.cli.progress import shown_progress
        from graphmeans.report.words import counted, duration
        from graphmeans.search.index import GraphIndex

        start = time.perf_counter()
        where = engine_address(engine, scheduler)
        graphs, _ = input_graphs(source, labelled, roles)
        index = GraphIndex(
            encoder=encoder_of(raw, encoder), order="auto" if order is None else order, matcher=matcher.value, effort=effort,
            node_weight=node_weight, edge_weight=edge_weight, device=device.value, n_jobs=jobs,
        )  # fmt: skip
        with shown_progress("making the index", quiet=as_json), connected_workers(where, jobs) as workers:
            if workers is not None:
                index.engine = workers.client
            index.fit(graphs)
            index.save(output)
            index.close()
        seconds = time.perf_counter() - start
        if as_json:
            echo_json({"graphs": index.n_samples_fit_, "seconds": seconds, "bytes": output.stat().st_size, "file": str(output)})
            return
        size = f"{output.stat().st_size / 1e6:,.1f} MB"
        say(f"[bold]{counted(index.n_samples_fit_, 'graph')}[/bold] in {size}, {duration(seconds)}")
        say(f"[bold green]index[/bold green] {safe_markup(output)}")
