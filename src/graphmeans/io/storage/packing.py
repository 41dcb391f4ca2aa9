"""Turn objects into JSON with arrays beside it, and back. Only the classes listed here are made; there is no pickle.

JSON's own values stand for themselves; everything else is an object with one key that says what it is: ``{"tuple": [...]}``,
``{"array": name}``, ``{"Numbers": {field: value}}``.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.array_file import Arrays
from graphmeans.cluster.algorithms.result import TRACE_FIELDS, Trace
from graphmeans.graphs.errors import GraphError
from graphmeans.schema import Described

#: The classes that a file may hold, and their modules.
CLASSES = {
    "GraphKMeans": "cluster.estimators.kmeans", "MiniBatchGraphKMeans": "cluster.estimators.minibatch",
    "GraphIndex": "search.index", "Points": "nearest.points", "Axes": "nearest.points", "Sketches": "nearest.sketches",
    "NameTable": "search.names", "GraphKNeighborsClassifier": "search.classifier",
    "GraphKMedoids": "cluster.estimators.kmedoids", "GraphNearestCentroid": "cluster.estimators.nearest_centroid",
    "Numbers": "graphs.encoding.columns", "Categories": "graphs.encoding.columns", "Angles": "graphs.encoding.columns",
    "GraphEncoder": "graphs.encoding.encoder", "MoleculeEncoder": "graphs.encoding.molecules",
    "GraphBatch": "graphs.batch", "GraphSpace": "space",
    "Graph": "graphs.graph", "MeanGraph": "graphs.mean_graph", "Centers": "means.frames", "SetMean": "means.set_mean",
    "Auto": "matching.auto", "Exact": "matching.exact", "Search": "matching.search", "Graduated": "matching.graduated",
    "Incremental": "means.incremental", "Lifted": "means.lifted", "Subgradient": "means.subgradient",
}  # fmt: skip
#: What is kept of a graph; a mean graph has more. Alignments of its members are not kept.
_GRAPH = ("nodes", "edges", "edge_attributes", "directed", "roles", "node_ids", "name")
_MEAN = ("node_support", "edge_support", "objective", "similarity", "damped")
#: Fitted attributes whose names do not end as scikit-learn's do.
_PRIVATE = frozenset({"_kind", "_centers", "_n_features_out", "_points_in"})
#: What is computed from the rest.
_COMPUTED = frozenset({"cluster_centers_", "_sklearn_output_config"})


def known_class(name: str) -> Any:
    """Return the class of this name, which must be listed."""
    if name not in CLASSES:
        raise GraphError(f"{name!r} is nothing that a file may hold")
    return getattr(import_module(f"graphmeans.{CLASSES[name]}"), name)


# -- packing ---------------------------------------------------------------------------------------


def pack(value: Any, where: str, arrays: Arrays) -> Any:
    """Return a value as JSON can hold it. Arrays of numbers are put into `arrays`."""
    if isinstance(value, np.generic):
        value = value.item()
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else {"float": repr(value)}
    if isinstance(value, (list, tuple, frozenset)):
        items = sorted(value, key=repr) if isinstance(value, frozenset) else value
        listed = [pack(item, f"{where}/{i}", arrays) for i, item in enumerate(items)]
        return listed if isinstance(value, list) else {type(value).__name__: listed}
    if isinstance(value, Mapping):
        return {"map": [[pack(k, where, arrays), pack(v, f"{where}/{k}", arrays)] for k, v in value.items()]}
    if isinstance(value, np.ndarray):
        return _pack_array(value, where, arrays)
    name = type(value).__name__
    if name not in CLASSES or type(value) is not known_class(name):
        raise GraphError(f"{where} is {type(value).__name__}, which a model file cannot hold (pickle can)")
    return {name: {key: pack(item, f"{where}/{key}", arrays) for key, item in _state(value).items()}}


def _state(value: Any) -> dict[str, Any]:
    if is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if hasattr(value, "get_params"):
        fitted = {key: item for key, item in vars(value).items() if _is_fitted(key) and key not in _COMPUTED}
        return value.get_params(deep=False) | fitted
    names = _GRAPH + _MEAN if type(value).__name__ == "MeanGraph" else _GRAPH
    state = {key: getattr(value, key) for key in names}
    if list(value.node_ids) == list(range(value.n_nodes)):
        state["node_ids"] = None
    return state


def _pack_array(value: NDArray[Any], where: str, arrays: Arrays) -> Any:
    if isinstance(value, np.ma.MaskedArray):
        parts = (("values", np.ma.getdata(value)), ("missing", np.ma.getmaskarray(value)))
        return {"masked": [pack(np.asarray(part), f"{where}/{key}", arrays) for key, part in parts]}
    if value.dtype.names is not None:
        return {"table": [[name, pack(np.asarray(value[name]), f"{where}/{name}", arrays)] for name in value.dtype.names]}
    if value.dtype.kind not in "biuf":
        kind = "O" if value.dtype.kind == "O" else "U"
        return {"labels": [kind, [pack(item, where, arrays) for item in value.tolist()]]}
    arrays[where] = value
    return {"array": where}


# -- unpacking -------------------------------------------------------------------------------------


def unpack(value: Any, arrays: Arrays) -> Any:
    """Return what `pack` was given, with a `Described` in place of every object of a class: nothing is made yet."""
    if isinstance(value, list):
        return [unpack(item, arrays) for item in value]
    if not isinstance(value, dict):
        return value
    if len(value) != 1:
        raise GraphError(f"a value is described by {len(value)} keys instead of one")
    name, content = next(iter(value.items()))
    if name == "float":
        return float(content)
    if name in ("tuple", "frozenset"):
        return (tuple if name == "tuple" else frozenset)(unpack(content, arrays))
    if name == "map":
        return {unpack(key, arrays): unpack(item, arrays) for key, item in content}
    if name == "array":
        return arrays.pop(content)  # removed, so that no two values share an array
    if name == "masked":
        data, missing = unpack(content, arrays)
        return np.ma.MaskedArray(data, mask=missing)
    if name == "labels":
        kind, listed = content
        return _labels(kind, unpack(listed, arrays))
    if name == "table":
        return Described("Trace", {"columns": {key: unpack(item, arrays) for key, item in content}})
    if name not in CLASSES:
        raise GraphError(f"{name!r} is nothing that a file may hold")
    return Described(name, {str(key): unpack(item, arrays) for key, item in content.items()})


def build(value: Any) -> Any:
    """Make the objects of what `unpack` gave, after it was checked (`graphmeans.file_schema`)."""
    if isinstance(value, (list, tuple, frozenset)):
        return type(value)(build(item) for item in value)
    if isinstance(value, dict):
        return {build(key): build(item) for key, item in value.items()}
    if not isinstance(value, Described):
        return value
    if value.name == "Trace":
        return _table(value.fields["columns"])
    return _make(known_class(value.name), {key: build(item) for key, item in value.fields.items()})


def _make(cls: Any, given: dict[str, Any]) -> Any:
    plain: bool = is_dataclass(cls)
    if plain:
        return cls(**given)
    if hasattr(cls, "get_params"):
        known = set(cls().get_params(deep=False))
        strange = sorted(key for key in given if key not in known and not _is_fitted(key))
        if strange:
            raise GraphError(f"{cls.__name__} has no parameter {strange[0]!r} in this version of graphmeans")
        made = cls(**{key: item for key, item in given.items() if key in known})
        for key, item in given.items():
            if key not in known:
                setattr(made, key, item)
        return made
    for key in ("nodes", "edge_attributes"):
        columns = given[key]
        given[key] = columns[""] if list(columns) == [""] else columns or (None if key == "edge_attributes" else 0)
    return cls(**given)


def _is_fitted(name: str) -> bool:
    return name in _PRIVATE or (name.endswith("_") and not name.startswith("_"))


def _labels(kind: str, listed: list[Any]) -> NDArray[Any]:
    made = np.empty(len(listed), dtype=object)
    made[:] = listed
    return made.astype(str) if kind == "U" else made


def _table(columns: dict[str, NDArray[Any]]) -> Any:
    """Return a trace. Columns that this version does not know are left out, and those that the file lacks are 0."""
    made = np.zeros(len(next(iter(columns.values()))), dtype=TRACE_FIELDS)
    for name in TRACE_FIELDS.names or ():
        if name in columns:
            made[name] = columns[name]
    return made.view(Trace)
