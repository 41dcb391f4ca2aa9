"""`graphmeans mean`: the mean graph of a collection."""

from __future__ import annotations

from enum import Enum
from pathlib import Path
from typing import Annotated

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported
from graphmeans.cli.inputs import encoder_of, input_graphs
from graphmeans.cli.output import echo_json

MeanMethodName = Enum(
    "MeanMethodName",
    {"lifted": "lifted", "incremental": "incremental", "subgradient": "subgradient", "set": "set"},
    type=str,
)


def mean_command(
    source: options.Input,
    output: options.OutputFolder = Path("graphmeans-mean"),
    method: Annotated[
        MeanMethodName, typer.Option(help="How the mean is computed; set takes the most central graph of the collection.")
    ] = MeanMethodName.lifted,
    support: Annotated[
        float, typer.Option(min=0, max=1, help="Draw nodes and edges that at least this share of the graphs have.")
    ] = 0.0,
    matcher: options.MatcherOption = options.MatcherName.auto,
    labelled: options.Labelled = False,
    roles: options.Roles = None,
    node_weight: options.NodeWeight = 1.0,
    edge_weight: options.EdgeWeight = 1.0,
    raw: options.Raw = False,
    encoder: options.EncoderJson = None,
    y_down: options.YDown = False,
    seed: options.Seed = 0,
    jobs: options.Jobs = None,
    as_json: options.AsJson = False,
    max_memory: options.MaxMemory = None,
    debug: options.Debug = False,
) -> None:
    """Average a collection of graphs.

    Writes mean.graphml (each node and edge with its support, the share of graphs that have it) and mean.svg.

    [bold]Examples[/bold]

    graphmeans mean letters-A -o A

    graphmeans mean molecules.smi --method set --support 0.5
    """
    with reported(debug):
        import graphmeans as gm
        from graphmeans.io.collection import write_graph
        from graphmeans.plots.positions import y_down as drawn_downwards
        from graphmeans.plots.svg import draw_svg
        from graphmeans.plots.text import plain_text
        from graphmeans.report.words import counted, number

        graphs = list(input_graphs(source, labelled, roles)[0])
        found = gm.mean(
            graphs, method.value, matcher.value, random_state=seed, encoder=encoder_of(raw, encoder), node_weight=node_weight,
            edge_weight=edge_weight, n_jobs=jobs,
        )  # fmt: skip
        output.mkdir(parents=True, exist_ok=True)
        paths = output / "mean.graphml", output / "mean.svg"
        write_graph(found, paths[0])
        drawn = found.cut(support) if support > 0 else found
        title = f"Mean of {counted(len(graphs), 'graph')}"
        with drawn_downwards(y_down):
            paths[1].write_text(draw_svg(drawn, size=400, color="#17508f", title=title), encoding="utf-8")
        core = found.cut(0.5)
        if as_json:
            echo_json({
                "graphs": len(graphs), "nodes": found.n_nodes, "edges": found.n_edges, "objective": found.objective,
                "node_support": found.node_support.tolist(), "edge_support": found.edge_support.tolist(),
                "files": [str(path) for path in paths],
            })  # fmt: skip
            return
        typer.echo(
            f"mean of {counted(len(graphs), 'graph')}: {counted(core.n_nodes, 'node')} and {counted(core.n_edges, 'edge')} "
            f"in at least half of them; half the sum of squared distances {number(found.objective or 0.0)}"
        )
        for path in paths:
            typer.echo(plain_text(path))
