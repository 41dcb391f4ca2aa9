"""Predictions for a collection on disk, written as a folder of Parquet parts by whoever predicts them."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from graphmeans.cluster.estimators.block_prediction import Predicted, class_names, predict_blocks
from graphmeans.files import PathLike
from graphmeans.io.parquet.labels import check_arrived, new_folder, write_part


def write_predictions(estimator: Any, collection: Any, path: PathLike, cluster: Any = None, n_jobs: int | None = None) -> int:
    """Predict a collection on disk and write a folder of Parquet parts; workers write theirs. Return the number of graphs."""
    folder = new_folder(path)
    write = partial(_write_block, str(folder), len(collection), class_names(estimator))
    counts = list(predict_blocks(estimator, collection, cluster, n_jobs, write))
    check_arrived(folder, len(counts))
    return sum(counts)


def _write_block(folder: str, of: int, names: list[str] | None, number: int, part: Any, found: Predicted) -> int:
    more = prediction_columns(found, names)
    write_part(folder, number, part.collection, part.rows, of, found.label, found.distance, **more)
    return len(found.label)


def prediction_columns(found: Predicted, names: list[str] | None) -> dict[str, Any]:
    """Return the columns of a table of predictions beside name, label and distance.

    `names` are the classes of the prototypes of a classifier.
    """
    more: dict[str, Any] = {} if names is None else {"predicted": np.array(names, dtype=object)[found.label]}
    return more | {"second": found.second.astype(np.int32), "margin": found.margin, "outlier": found.outlier}
