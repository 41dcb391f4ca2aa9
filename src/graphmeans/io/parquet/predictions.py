"""Predictions as Parquet: each block of a collection is written by whoever predicted it."""

from __future__ import annotations

from typing import Any

import numpy as np

from graphmeans.cluster.estimators.prediction import Prediction, Predictor, by_blocks, class_names, predictor_of
from graphmeans.files import PathLike
from graphmeans.io.parquet.labels import check_arrived, new_folder, write_part


def write_predictions(
    estimator: Any, collection: Any, path: PathLike, client: Any = None, n_jobs: int | None = None
) -> int:
    """Predict a collection on disk and write a folder of Parquet parts; workers write theirs. How many graphs there are."""
    folder = new_folder(path)
    args = client, str(folder), len(collection), class_names(estimator)
    counts = list(by_blocks(_write_block, predictor_of(estimator, n_jobs), estimator._data(collection), *args))
    check_arrived(folder, len(counts))
    return sum(counts)


def _write_block(predictor: Predictor, part: Any, number: int, folder: str, of: int, names: list[str] | None) -> int:
    found = predictor.describe(part)
    more = prediction_columns(found, names)
    write_part(folder, number, part.collection, part.rows, of, found.label, found.distance, **more)
    return len(found.label)


def prediction_columns(found: Prediction, names: list[str] | None) -> dict[str, Any]:
    """What a table of predictions holds beside name, label and distance; `names` are those of a classifier's prototypes."""
    more: dict[str, Any] = {} if names is None else {"predicted": np.array(names, dtype=object)[found.label]}
    return more | {"second": found.second.astype(np.int32), "margin": found.margin, "outlier": found.outlier}
