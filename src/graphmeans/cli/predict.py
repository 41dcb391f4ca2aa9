"""`graphmeans predict`: the nearest centre of new graphs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmeans.cli.common import AsJson, Debug, Source, echo_json, model_path
from graphmeans.cli.errors import reported

if TYPE_CHECKING:
    from graphmeans.graphs.graph import Graph


def predict(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="A model.gmz, or the folder that `graphmeans cluster` wrote.", show_default=False),
    ],
    source: Source,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", metavar="FILE", help="Where to write the table.", show_default="stdout")
    ] = None,
    as_json: AsJson = False,
    debug: Debug = False,
) -> None:
    """Find the cluster of new graphs, with how sure that is.

    Prints a CSV table: name, label (and class, of a classifier), distance to the nearest mean graph, second (the next
    nearest), margin (1 on the mean graph, 0 half way to the next) and outlier (distance relative to the usual one).

    [bold]Examples[/bold]

    graphmeans predict letters/model.gmz new-letters.zip

    graphmeans predict molecules new.smi -o labels.csv

    graphmeans predict molecules new.smi --json | jq '.[] | select(.outlier > 3) | .name'
    """
    with reported(debug):
        from graphmeans.io.collection import read_collection
        from graphmeans.io.model import load

        estimator = load(model_path(model))
        graphs, _ = read_collection(source)
        rows = predictions(estimator, graphs)
        if as_json:
            echo_json(rows)
        elif output is not None:
            output.parent.mkdir(parents=True, exist_ok=True)
            output.write_text(_csv(rows), encoding="utf-8", newline="")
            typer.echo(str(output))
        else:
            typer.echo(_csv(rows), nl=False)


def predictions(estimator: Any, graphs: Sequence[Graph]) -> list[dict[str, Any]]:
    """A row a graph."""
    from graphmeans.cluster.scores import outlier_scores, two_nearest

    points = estimator._points(list(graphs))
    near = two_nearest(estimator.space_, points, estimator._centres.batch)
    odd = outlier_scores(near.distance, estimator._usual()[near.label])
    alone = len(estimator._centres) == 1
    rows = []
    for i, graph in enumerate(graphs):
        row: dict[str, Any] = {"name": str(i) if graph.name is None else graph.name, "label": int(near.label[i])}
        if hasattr(estimator, "prototype_classes_"):
            row["class"] = str(estimator.classes_[estimator.prototype_classes_[near.label[i]]])
        row["distance"] = float(near.distance[i])
        row["second"] = None if alone else int(near.second[i])
        row["margin"] = None if alone else float(near.margin[i])
        row["outlier"] = float(odd[i])
        rows.append(row)
    return rows


def _csv(rows: Sequence[dict[str, Any]]) -> str:
    import csv
    import io

    from graphmeans.cli.results import safe_cell

    text = io.StringIO()
    table = csv.writer(text)
    table.writerow(rows[0] if rows else ["name", "label", "distance", "second", "margin", "outlier"])
    for row in rows:
        table.writerow([
            safe_cell(value) if isinstance(value, str) else "" if value is None else value for value in row.values()
        ])  # fmt: skip
    return text.getvalue()
