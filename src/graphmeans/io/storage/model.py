"""Fitted estimators in a file: arrays with a description (see `graphmeans.array_file`), and never pickle.

The description says what the estimator is: its version, its parameters, encoder, space, centers and everything else it
learned. What is read is checked before it is used, since the file may come from anywhere.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import replace
from importlib.metadata import version as release
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from graphmeans.array_file import Arrays, read_array_file, write_array_file
from graphmeans.file_schema import MODEL
from graphmeans.files import PathLike, blaming, fail, refusing, regular_size
from graphmeans.graphs.convert import kind_of_one, to_graphs
from graphmeans.graphs.errors import GraphError
from graphmeans.io.storage.packing import build, pack, unpack
from graphmeans.matching.sound import check_batch
from graphmeans.nearest.points import plain_sketches
from graphmeans.schema import Described, check
from graphmeans.search.classifier import GraphKNeighborsClassifier
from graphmeans.search.index import GraphIndex

MODEL_FORMAT, MODEL_VERSION = "graphmeans model", 4

#: Graphs of an index that are sketched again to see that its sketches are theirs.
SKETCHES_CHECKED = 200
#: Names of version 1 that have changed since.
_RENAMED = {"Centres": "Centers", "_centres": "_centers", "centre": "center", "pruned_by_centres": "pruned_by_centers"}


def _renamed(described: Any) -> Any:
    """Translate a description of version 1 into the names of version 2."""
    if isinstance(described, list):
        return [_renamed(item) for item in described]
    if not isinstance(described, dict):
        return described
    made: dict[str, Any] = {_RENAMED.get(str(key), str(key)): _renamed(item) for key, item in described.items()}
    if "table" in made:
        made["table"] = [[_RENAMED.get(name, name), column] for name, column in made["table"]]
    if "Exact" in made and "max_nodes" in made["Exact"]:
        made["Exact"]["max_tree_nodes"] = made["Exact"].pop("max_nodes")
    return made


#: For each earlier version, the function that translates its descriptions into those of the next version.
UPGRADES: dict[int, Callable[[dict[str, Any]], dict[str, Any]]] = {
    1: lambda about: {**about, "model": _renamed(about["model"])},
    2: lambda about: about,  # a space without a unit has the unit 1
    3: lambda about: about,  # files have a seal from here on
}


def save(estimator: Any, path: PathLike) -> None:
    """Write a fitted estimator to a file that `load` reads; see `GraphKMeans.save`."""
    check_is_fitted(estimator)
    arrays: Arrays = {}
    described = pack(_writable(estimator), type(estimator).__name__, arrays)
    about = {"format": MODEL_FORMAT, "version": MODEL_VERSION, "graphmeans": release("graphmeans"), "model": described}
    with refusing(path, "cannot be written", (OSError,)):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        write_array_file(path, "model", about, arrays)


def load(path: PathLike) -> Any:
    """Load the estimator that `GraphKMeans.save` wrote. It predicts, transforms and gives centroids as the saved one did.

    A file that is damaged, cut short, not a model or not consistent in itself raises a `GraphError` of one line. Nothing in
    a file is ever executed.

    Parameters
    ----------
    path : path
        A file that `save` of an estimator or of a `GraphIndex` wrote.

    Returns
    -------
    estimator
        As it was when it was saved.

    See Also
    --------
    GraphKMeans.save : Writes the file.

    Examples
    --------
    >>> import os, tempfile
    >>> import graphmeans as gm
    >>> graphs, _ = gm.datasets.make_letters(30, random_state=0)
    >>> km = gm.GraphKMeans(3, random_state=0).fit(graphs)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     km.save(os.path.join(folder, "letters.gmz"))
    ...     same = gm.load(os.path.join(folder, "letters.gmz"))
    >>> bool((same.predict(graphs) == km.predict(graphs)).all())
    True
    """
    if not os.path.exists(path):
        raise fail(path, "no such file")
    regular_size(path)
    with blaming(path, "is not consistent in itself"):
        about, arrays = read_array_file(path, "model", check=_check_version, mapped=_is_index, unsealed=_had_no_seal)
        return _estimator(about, arrays)


def _writable(estimator: Any) -> Any:
    """Return the estimator, or a copy with default values for parameters that a file cannot hold and only a fit needs."""
    changed: dict[str, Any] = {}
    params = estimator.get_params(deep=False)
    init = params.get("init")
    if callable(init):
        changed["init"] = type(estimator)().get_params(deep=False)["init"]
    elif isinstance(init, (list, tuple)) and len(init) and kind_of_one(init[0]) not in (None, "graph"):
        changed["init"] = to_graphs(init)
    if callable(params.get("weights")):
        changed["weights"] = "uniform"
    if isinstance(params.get("random_state"), np.random.RandomState):
        changed["random_state"] = None
    if isinstance(params.get("checkpoint"), os.PathLike):
        changed["checkpoint"] = os.fspath(params["checkpoint"])
    if params.get("engine", "threads") != "threads":
        changed["engine"] = "threads"  # the workers of the fit will not be there when the file is loaded
    for name in ("init", "random_state", "weights"):
        if name in changed and not isinstance(changed[name], list):
            said = f"{name} cannot be written to a model file: the loaded estimator will have {name}={changed[name]!r}"
            warnings.warn(said, stacklevel=4)
    if not changed:
        return estimator
    if hasattr(estimator, "labels_"):
        estimator.labels_  # noqa: B018  (labels that workers hold are fetched now, for the estimator and not only for its copy)
    twin = type(estimator)(**(params | changed))
    twin.__dict__.update({key: value for key, value in vars(estimator).items() if key not in params})
    return twin


def _estimator(about: dict[str, Any], arrays: Arrays) -> Any:
    """Make the estimator of a description, which is translated first if it is of an earlier version."""
    for old in range(about["version"], MODEL_VERSION):
        about = UPGRADES[old](about)
    described = unpack(about["model"], arrays)
    if not isinstance(described, Described):
        raise GraphError("holds no estimator")
    check(MODEL, described, described.name)
    if arrays:
        raise GraphError(f"holds the array {next(iter(arrays))!r}, which is no part of a model")
    estimator = build(described)
    index = estimator.index_ if isinstance(estimator, GraphKNeighborsClassifier) else estimator
    if isinstance(index, GraphIndex):
        index._points_in = replace(index._points_in, space=index.space_)
        _check_sketches(index._points_in)
        return estimator
    check_batch(estimator._centers.batch)
    estimator.centroids("graph")  # decoding checks the values themselves
    centers = estimator.space_.unweighted(estimator._centers.batch)
    estimator.cluster_centers_ = centers.nodes if estimator._kind == "array" else centers
    return estimator


def _check_sketches(points: Any) -> None:
    """Raise unless the sketches of an index are those of its graphs: of a sample, since there may be millions of them."""
    batch, sketches, count = points.batch, points.sketches, len(points.batch)
    check_batch(batch)
    some = np.unique(np.linspace(0, count - 1, min(count, SKETCHES_CHECKED)).astype(np.int64))
    if plain_sketches(batch.take(some[:1]), points.order).shape[1] != len(points.axes.mean):
        raise GraphError("is not consistent in itself: its sketches are of another length than those of its graphs")
    again = points.sketch(batch.take(some))
    close = np.allclose(again.values, sketches.values[some], rtol=0, atol=1e-4 * max(float(sketches.norms.max()), 1e-300))
    if not (close and np.allclose(again.norms, sketches.norms[some])):
        raise GraphError("is not consistent in itself: its sketches are not those of its graphs, or those of another release")


def _had_no_seal(about: dict[str, Any]) -> bool:
    """Whether a file is of a version that had a digest of each member instead."""
    return int(about["version"]) <= 3


def _is_index(about: dict[str, Any]) -> bool:
    """Whether a file holds an index, whose arrays stay in the file."""
    kinds = {GraphIndex.__name__, GraphKNeighborsClassifier.__name__}
    return isinstance(about.get("model"), dict) and not kinds.isdisjoint(about["model"])


def _check_version(about: dict[str, Any]) -> None:
    """Raise if this is no model, or one that only a later release can read."""
    if about.get("format") != MODEL_FORMAT:
        raise GraphError("is not a model that graphmeans saved")
    version = about.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise GraphError(f"has the format version {version!r}, which never existed")
    if version > MODEL_VERSION:
        raise GraphError(
            f"was saved by graphmeans {about.get('graphmeans')} in format {version}, this release reads up to {MODEL_VERSION}: "
            "install a newer graphmeans"
        )


