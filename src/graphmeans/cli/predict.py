"""`graphmeans predict`: the nearest center of new graphs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from graphmeans.cli import options
from graphmeans.cli.errors import reported
from graphmeans.cli.how_read import HowRead, have_roles, how_it_was_read
from graphmeans.cli.inputs import connected_workers, engine_address, in_roles, model_path, read_input
from graphmeans.cli.output import echo_json
from graphmeans.files import replace_file

if TYPE_CHECKING:
    from graphmeans.graphs.graph import Graph
    from graphmeans.io.parquet.collection import Collection


def predict_command(
    model: Annotated[
        Path,
        typer.Argument(metavar="MODEL", help="A model.gmz, or the folder that `graphmeans cluster` wrote.", show_default=False),
    ],
    source: options.Input,
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", show_default="stdout",
            help="Where to write the table: CSV, or Parquet if it ends in .parquet; of a Parquet INPUT, a name without an "
            "ending is a folder of Parquet parts.",
        ),
    ] = None,
    labelled: options.Labelled = False,
    roles: options.Roles = None,
    smiles_column: options.SmilesColumn = None,
    name_column: options.NameColumn = None,
    strict: options.Strict = False,
    with_input: Annotated[
        bool,
        typer.Option(
            "--with-input", show_default=False,
            help="Write a file of molecules back as it came, with the columns added; needs -o.",
        ),
    ] = False,
    engine: options.EngineOption = None,
    scheduler: options.Scheduler = None,
    device: options.DeviceOption = options.DeviceName.auto,
    jobs: options.Jobs = None,
    as_json: options.AsJson = False,
    max_memory: options.MaxMemory = None,
    debug: options.Debug = False,
) -> None:  # fmt: skip
    """Find the cluster of new graphs, and how sure that is.

    Prints a CSV table: name, label (and class, of a classifier), distance to the nearest mean graph, second (the next
    nearest), margin (1 on the mean graph, 0 half way to the next) and outlier (distance relative to the usual one).

    Molecules that cannot be read are left out, and listed in a file beside the table: FILE.skipped.csv.

    A Parquet INPUT is read, predicted and written a block at a time; with --engine dask, workers do all of that.

    [bold]Examples[/bold]

    graphmeans predict letters/model.gmz new-letters.zip

    graphmeans predict molecules new.smi -o labels.csv

    graphmeans predict molecules new.smi --json | jq '.[] | select(.outlier > 3) | .name'

    graphmeans predict molecules new.sdf -o predicted.sdf --with-input

    graphmeans predict results more.parquet -o more-labels --scheduler tcp://10.0.0.1:8786
    """
    with reported(debug):
        from graphmeans.cli.molecule_files import list_skipped
        from graphmeans.cli.progress import shown_progress
        from graphmeans.io.parquet.predictions import write_predictions
        from graphmeans.io.storage.model import load
        from graphmeans.matching.device import check_device

        where = engine_address(engine, scheduler)
        if as_json and output is not None:
            raise ValueError("--json prints the result; leave out --json or -o")
        estimator = load(model_path(model))
        if not hasattr(estimator, "predict"):
            raise ValueError(f"{model}: is an index, not a model; `graphmeans search` searches in it")
        check_device(device.value)
        estimator.device = device.value
        graphs, _, table = read_input(source, smiles_column, name_column, None, strict)
        if with_input and (output is None or table is None):
            raise ValueError("--with-input writes a file of molecules back; give one as INPUT, and a file with -o")
        how = HowRead(labelled, roles)
        if not have_roles(graphs):
            how = how.or_roles_of(how_it_was_read(model_path(model).parent))
        graphs = in_roles(graphs, how.labelled, how.roles)
        # A table that appears on the terminal as it is made needs no other progress.
        with shown_progress("predicting", quiet=as_json or output is None), connected_workers(where, jobs) as workers:
            if with_input and output is not None and table is not None:
                table.write(output, prediction_cells(predictions(estimator, graphs, workers, jobs)))
            elif output is not None and not output.suffix and not isinstance(graphs, list):
                write_predictions(estimator, graphs, output, workers, jobs)
            elif output is not None and output.suffix.lower() == ".parquet":
                _write_parquet(output, estimator, graphs, workers, jobs)
            elif as_json:
                echo_json(list(predictions(estimator, graphs, workers, jobs)))
            else:
                _write_csv(output, predictions(estimator, graphs, workers, jobs))
        if output is not None:
            list_skipped(output, table)
            typer.echo(str(output))


def predictions(
    estimator: Any, graphs: Sequence[Graph] | Collection, workers: Any = None, jobs: int | None = None
) -> Iterator[dict[str, Any]]:
    """A row for each graph, as they come."""
    from graphmeans.cluster.estimators.prediction import class_names
    from graphmeans.cluster.estimators.prediction import predictions as predicted

    classes, alone, at = class_names(estimator), len(estimator.cluster_centers_) == 1, 0
    for found in predicted(estimator, graphs, workers, jobs):
        count = len(found.label)
        if isinstance(graphs, list):
            names = [graph.name for graph in graphs[at : at + count]]
        else:
            names = graphs.names_of(range(at, at + count))  # type: ignore[union-attr]
        for i, (name, label) in enumerate(zip(names, found.label.tolist(), strict=True)):
            yield {
                "name": str(at + i) if name is None else name, "label": label,
                **({} if classes is None else {"class": classes[label]}), "distance": float(found.distance[i]),
                "second": None if alone else int(found.second[i]), "margin": None if alone else float(found.margin[i]),
                "outlier": float(found.outlier[i]),
            }  # fmt: skip
        at += count


def prediction_cells(rows: Iterator[dict[str, Any]]) -> dict[str, list[Any]]:
    """The columns that are added to a file of molecules."""
    cells: dict[str, list[Any]] = {}
    for row in rows:
        for key, value in row.items():
            if key != "name":
                cells.setdefault("cluster" if key == "label" else key, []).append(value)
    return cells


def _write_parquet(path: Path, estimator: Any, graphs: Any, workers: Any, jobs: int | None) -> None:
    import numpy as np

    from graphmeans.cluster.estimators.prediction import Prediction, class_names
    from graphmeans.cluster.estimators.prediction import predictions as predicted
    from graphmeans.io.parquet.labels import write_labels
    from graphmeans.io.parquet.predictions import prediction_columns

    found = Prediction(*map(np.concatenate, zip(*predicted(estimator, graphs, workers, jobs), strict=True)))
    names = [graph.name for graph in graphs] if isinstance(graphs, list) else graphs.names
    known = None if isinstance(graphs, list) else graphs.labels
    write_labels(path, names, found.label, found.distance, known, **prediction_columns(found, class_names(estimator)))


def _write_csv(path: Path | None, rows: Iterator[dict[str, Any]]) -> None:
    import csv
    import sys

    if path is None:
        _table(csv.writer(sys.stdout, lineterminator="\n"), rows)
        sys.stdout.flush()
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.partial")
    try:
        with partial.open("w", encoding="utf-8", newline="") as file:
            _table(csv.writer(file), rows)
        replace_file(partial, path)
    finally:
        partial.unlink(missing_ok=True)


def _table(table: Any, rows: Iterator[dict[str, Any]]) -> None:
    from graphmeans.cli.label_files import safe_cell

    for i, row in enumerate(rows):
        if not i:
            table.writerow(row)
        table.writerow(safe_cell(value) if isinstance(value, str) else value for value in row.values())  # None is empty
