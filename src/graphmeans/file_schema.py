"""What files may hold: models, indexes, checkpoints, shard logs, npz, Parquet and reading.json, declared in one place.

Kernels do not check the arrays that they are given, so everything that a file brings in is declared here, and checked by
`graphmeans.schema.check` before anything is made of it. A new field of something that is written gets an entry here; until it has
one, files that hold it are refused, which a test notices.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphmeans.schema import (
    Array,
    Described,
    Flag,
    Label,
    Lengths,
    Many,
    Nothing,
    Number,
    OneOf,
    Record,
    Rule,
    Spec,
    Table,
    Text,
    Whole,
    unsound,
)

#: The largest order of a space, number of threads, effort and number of steps that a file may ask for: they cost memory and time.
MAX_ORDER, MAX_JOBS, MAX_EFFORT, MAX_STEPS = 1 << 14, 1024, 1e4, 10_000
#: The number that stands for "no limit" in an order.
UNBOUNDED = 1 << 40
#: The widest attribute, and the most bounds that a shard remembers of a graph.
MAX_WIDTH, MAX_SLOTS = 100_000, 64
#: A share may exceed 1 by this much, because of rounding.
ROUNDING = 1e-9
_POSITIVE = 5e-324
_NONE = Nothing()

# -- graphs in packed arrays -------------------------------------------------------------------------


def _edges_fit(found: Mapping[str, Any], lengths: Lengths) -> bool:
    """Whether edges go from a node to a later one of the same graph, none of them twice."""
    sizes, counts, ends = np.diff(found["node_ptr"]), np.diff(found["edge_ptr"]), found["ends"]
    if not ((ends[:, 0] >= 0) & (ends[:, 0] < ends[:, 1]) & (ends[:, 1] < np.repeat(sizes, counts))).all():
        return False
    owner = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((ends[:, 1], ends[:, 0], owner))
    same = (np.diff(owner[order]) == 0) & (np.diff(ends[order], axis=0) == 0).all(axis=1)
    return not same.any()


#: `GraphBatch`, without its class.
PACKED: dict[str, Spec] = {
    "node_ptr": Array("i8", ("graphs+1",), offsets="nodes"),
    "nodes": Array("f8", ("nodes", "dv")),
    "roles": Array("i4", ("nodes",), least=0, below="roles"),
    "edge_ptr": Array("i8", ("graphs+1",), offsets="edges"),
    "ends": Array("i4", ("edges", 2), least=0),
    "edge_values": Array("f8", ("edges", "de")),
}
_EDGES = Rule("edges must go from a node to a later one of the same graph, each once", _edges_fit)
#: The names of the roles say how many there are, so they come first.
BATCH = Record(
    "GraphBatch", {"role_names": Many(Label(), tuple, "roles", least=1), "directed": Flag(), **PACKED}, rules=(_EDGES,)
)
_SUPPORT: dict[str, Spec] = {
    "node_support": Array("f8", ("nodes",), least=_POSITIVE, most=1 + ROUNDING),
    "edge_support": Array("f8", ("edges", "directions"), least=0, most=1 + ROUNDING),
}
CENTERS = Record("Centers", {"batch": BATCH, **_SUPPORT}, {"damped": Flag()})

# -- encoder, space, matchers, means -----------------------------------------------------------------


def _column(name: str, own: dict[str, Spec], *rules: Rule) -> Record:
    average = Array("f8", ("width",))
    common = {"name": Text(), "factor": Number(_POSITIVE), "average": average, "not_of": Many(Label(), frozenset)}
    return Record(name, common | own, rules=rules, own=True)


def _one_type(found: Mapping[str, Any], lengths: Lengths) -> bool:
    kinds = {type(value) for value in found["categories"]}
    return len(found["categories"]) == lengths["width"] and len(kinds) <= 1 and kinds <= {bool, float, str}


_NUMBERS = _column(
    "Numbers",
    {"center": Array("f8", ("width",)), "scale": Array("f8", ("width",), least=_POSITIVE), "scalar": Flag(),
     "scaling": Text(("standardise", "robust", "keep"))},
    Rule("a single number has the width 1", lambda found, lengths: not found["scalar"] or lengths["width"] == 1),
)  # fmt: skip
_CATEGORIES = _column(
    "Categories", {"categories": Many(Label(), tuple), "blank": _NONE | Text()},
    Rule("categories must be of one type, as many as the column is wide", _one_type),
)  # fmt: skip
_ANGLES = _column(
    "Angles", {"period": Number(_POSITIVE), "low": Number()},
    Rule("an angle is two numbers", lambda found, lengths: lengths["width"] == 2),
)  # fmt: skip
_COLUMNS = Many(OneOf(_NUMBERS, _CATEGORIES, _ANGLES))
_NAMES = Many(Text(), tuple) | Many(Text(), list)
_OPTIONS: dict[str, Spec] = {
    "numbers": Text(("standardise", "robust", "keep")) | Table(Text(), Text(("standardise", "robust", "keep"))),
    "presence": Number(0), "edge_presence": Text(("auto",)) | Number(0), "weights": _NONE | Table(Text(), Number(0)),
    "categories": _NAMES, "directions": _NAMES, "orientations": _NAMES, "angle_unit": Text(("radians", "degrees")),
    "missing": Text(("average", "columns", "refuse")), "unknown": Text(("average", "refuse")),
    "directed": Text(("auto",)) | Flag(),
}  # fmt: skip
_FITTED_ENCODER: dict[str, Spec] = {
    "node_columns_": _COLUMNS, "edge_columns_": _COLUMNS, "roles_": Many(Label(), tuple, "roles", least=1),
    "directed_": Flag(), "edge_presence_": Number(0),
    "left_out_": Table(Text(("node", "edge")), Many(Label() | Many(Label(), tuple))),
}  # fmt: skip
_PLAIN_ENCODER = Record(
    "GraphEncoder", _FITTED_ENCODER, _OPTIONS,
    rules=(Rule("left_out_ must speak of nodes and edges", lambda found, _: set(found["left_out_"]) == {"node", "edge"}),),
)  # fmt: skip

_MOLECULE_OPTIONS: dict[str, Spec] = {
    "surroundings": Text(("no", "near", "wide")), "links": Flag(), "stereo": Flag(), "isotopes": Flag(),
    "hydrogens": Text(("fold", "keep")), "fragments": Text(("keep", "largest")),
    "standardise": Text(("no", "cleanup", "uncharge", "tautomer")),
    **{key: _OPTIONS[key] for key in ("weights", "missing", "unknown")},
}  # fmt: skip
ENCODER = OneOf(_PLAIN_ENCODER, Record("MoleculeEncoder", _FITTED_ENCODER, _MOLECULE_OPTIONS, rules=_PLAIN_ENCODER.rules))

_EFFORT = Number(0, MAX_EFFORT)
MATCHER = OneOf(
    Record("Auto", {}, {"effort": _EFFORT}),
    Record("Exact", {}, {"max_tree_nodes": _NONE | Whole(1), "max_seconds": _NONE | Number(_POSITIVE)}),
    Record("Search", {}, {"effort": _EFFORT, "seed": Whole(0, 2**32 - 1)}),
    Record("Graduated", {}, {
        "beta0": Number(_POSITIVE, 1e6), "beta_max": Number(_POSITIVE, 1e6), "rate": Number(1.001, 1e6),
        "assignments": Whole(1, MAX_STEPS), "sinkhorn": Whole(1, MAX_STEPS), "tolerance": Number(0),
    }, rules=(Rule("temperatures must fall", lambda found, _: found.get("beta0", 0.5) <= found.get("beta_max", 10.0)),)),
)  # fmt: skip
MEAN = OneOf(
    Record("Lifted", {}, {"max_sweeps": Whole(0, MAX_STEPS)}), Record("Incremental", {}), Record("SetMean", {}),
    Record("Subgradient", {}, {"epochs": Whole(1, MAX_STEPS), "eta0": Number(_POSITIVE), "power": Number(0)}),
)  # fmt: skip


def _order_fits(found: Mapping[str, Any], lengths: Lengths) -> bool:
    order = found["order"]
    return bool(order[order < UNBOUNDED].sum() <= MAX_ORDER)


_POWER_OF_TWO = Rule("its unit must be a power of two", lambda found, _: np.frexp(found.get("unit", 1.0))[0] == 0.5)
SPACE = Record(
    "GraphSpace",
    {"roles": Many(Label(), tuple, "roles", least=1), "order": Array("i8", ("roles",), least=0, most=UNBOUNDED),
     "node_weight": Number(_POSITIVE), "edge_weight": Number(_POSITIVE), "matcher": MATCHER,
     "n_jobs": _NONE | Whole(-MAX_JOBS, MAX_JOBS, (0,))},
    {"unit": Number(_POSITIVE), "shift": _NONE | Array("f8", ("dv",)), "layout": _NONE, "device": Text(("auto", "cpu", "cuda"))},
    rules=(Rule(f"an order is at most {MAX_ORDER}", _order_fits), _POWER_OF_TWO),
)  # fmt: skip

# -- graphs as objects: a start that was given -------------------------------------------------------


class Anything(Spec):
    """A column of a graph, which checks itself when it is made."""

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        pass


class Row(Spec):
    """An array of labels or numbers with one axis."""

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        if not isinstance(value, np.ndarray) or isinstance(value, np.ma.MaskedArray) or value.ndim != 1:
            raise unsound(where, "it must be a row of labels")


_LABELS = _NONE | Many(Label(), tuple) | Many(Label(), list)
_GRAPH_FIELDS: dict[str, Spec] = {
    "nodes": Table(Text(), Anything()), "edges": Array("i8 i4", (None, 2)), "edge_attributes": Table(Text(), Anything()),
    "directed": Flag(), "roles": _LABELS, "node_ids": _LABELS, "name": _NONE | Text(),
}  # fmt: skip
GRAPH = OneOf(
    Record("Graph", _GRAPH_FIELDS),
    Record("MeanGraph", _GRAPH_FIELDS | {
        "node_support": Array("f8", (None,), least=0, most=1 + ROUNDING),
        "edge_support": Array("f8", (None,), least=0, most=1 + ROUNDING),
        "objective": _NONE | Number(), "similarity": _NONE | Number(), "damped": Flag(),
    }),
)  # fmt: skip

# -- estimators --------------------------------------------------------------------------------------

_COUNT = Whole(0)
_AT_LEAST_ONE = Whole(1, 2**40)
_PARAMETERS: dict[str, Spec] = {
    "n_clusters": _AT_LEAST_ONE, "n_prototypes": _AT_LEAST_ONE, "n_neighbors": _AT_LEAST_ONE, "radius": Number(0),
    "min_support": Number(0, 1), "weights": Text(("uniform", "distance")),
    "algorithm": Text(("interval", "lloyd", "elkan", "gvr")),
    "init": Text(("k-means++", "k-means||", "furthest-first", "medoids", "random")) | Many(GRAPH) | Many(GRAPH, tuple)
    | Array("f8 f4 i8 i4", (None, None)) | Many(Many(Number()) | Many(Number(), tuple))
    | Array("i8 i4", (None,), least=0) | Many(_COUNT) | Many(_COUNT, tuple),
    "n_init": Text(("auto",)) | _AT_LEAST_ONE, "mean": Text(("auto", "incremental", "lifted", "subgradient", "set")) | MEAN,
    "matcher": Text(("auto", "exact", "search", "graduated")) | MATCHER, "effort": _EFFORT, "certify": Flag(),
    "encoder": Text(("auto", "molecule", "series")) | Record("GraphEncoder", {}, _OPTIONS | _FITTED_ENCODER, own=True)
    | Record("MoleculeEncoder", {}, _MOLECULE_OPTIONS | _FITTED_ENCODER, own=True),
    "node_weight": Number(_POSITIVE), "edge_weight": Number(_POSITIVE),
    "order": Text(("auto",)) | _NONE | Whole(0, UNBOUNDED) | Table(Label(), Whole(0, UNBOUNDED)),
    "max_iter": _AT_LEAST_ONE, "tol": Number(0, 1), "n_iter_no_change": _AT_LEAST_ONE, "theta": Number(0),
    "batch_size": _AT_LEAST_ONE, "reassignment_ratio": Number(0, 1), "engine": Text(("threads",)),
    "device": Text(("auto", "cpu", "cuda")),
    "n_jobs": _NONE | Whole(-MAX_JOBS, MAX_JOBS, (0,)), "random_state": _NONE | Whole(0, 2**32 - 1),
    "verbose": Flag() | _COUNT, "checkpoint": _NONE | Text(), "warm_start": Flag(),
}  # fmt: skip
_KINDS = ("array", "collection", "graph", "networkx", "igraph", "pyg", "rdkit", "smiles", "adjacency", "pandas")
_COLUMNS_OF_TRACE = Table(Text(), Array("i8 i4 f8", ("iterations",), nan=True))
_FITTED: dict[str, Spec] = {
    "_n_features_out": _COUNT, "n_features_in_": _COUNT,
    "spread_": Number(0),
    "labels_": Array("i4 i8", ("members",), least=0, below="graphs"), "distances_": Array("f8", ("members",), least=0),
    "certified_": Array("b1", ("members",)), "certified_margins_": Array("f8", ("members",), least=0, most=1),
    "inertia_": Number(0), "n_iter_": _COUNT, "certified_fraction_": Number(0, 1, ("nan",)),
    "trace_": Record("Trace", {"columns": _COLUMNS_OF_TRACE}, own=True), "hint_": _NONE | Text(),
    "n_matchings_": _COUNT, "n_seeding_matchings_": _COUNT, "n_evaluation_matchings_": _COUNT,
    "counts_": Array("f8", ("graphs",), least=0), "n_steps_": _COUNT, "n_seen_": _COUNT,
    "medoid_indices_": Array("i8", ("graphs",), least=0), "feature_names_in_": Row(),
}  # fmt: skip


def _width(columns: list[Described]) -> int:
    return sum(len(column.fields["average"]) for column in columns)


def _widths_fit(found: Mapping[str, Any], lengths: Lengths) -> bool:
    """Whether nodes and edges are as wide as the columns of the encoder make them."""
    encoder = found["encoder_"].fields
    directions = 1 + encoder["directed_"]
    edges = (_width(encoder["edge_columns_"]) + bool(encoder["edge_presence_"])) * directions
    nodes = _width(encoder["node_columns_"]) + bool(encoder.get("presence", 0.0))
    return (lengths["dv"], lengths["de"], lengths.get("directions", directions)) == (nodes, edges, directions)


def _agree(found: Mapping[str, Any], lengths: Lengths) -> bool:
    """Whether encoder, space and graphs have the same roles and directions, and the order has places for the graphs."""
    encoder, space = found["encoder_"].fields, found["space_"].fields
    batch = (found["_centers"] if "_centers" in found else found["_points_in"]).fields["batch"].fields
    if not encoder["roles_"] == space["roles"] == batch["role_names"] or batch["directed"] != encoder["directed_"]:
        return False
    n_roles = len(space["roles"])
    owner = np.repeat(np.arange(lengths["graphs"]), np.diff(batch["node_ptr"]))
    counts = np.bincount(owner * n_roles + batch["roles"], minlength=lengths["graphs"] * n_roles).reshape(-1, n_roles)
    return bool((counts <= space["order"]).all())


_SAME_SPACE = Rule("encoder, space and graphs must have the same roles, directions and order", _agree)
_SAME_WIDTH = Rule("graphs must be as wide as the columns of the encoder", _widths_fit)
_SOME = Rule("there must be a center", lambda found, lengths: lengths["graphs"] > 0)
_ARRAY_WIDTH = Rule(
    "the number of features must be that of the centers",
    lambda found, lengths: found["_kind"] != "array" or found.get("n_features_in_") == lengths["dv"],
)


def _estimator(name: str, parameters: str, fitted: dict[str, Spec], optional: str = "", *rules: Rule) -> Record:
    """An estimator with centers: what it was told, and what it has learned."""
    common: dict[str, Spec] = {"_kind": Text(_KINDS), "encoder_": ENCODER, "space_": SPACE, "_centers": CENTERS}
    told = {key: _PARAMETERS[key] for key in f"{parameters} {_COMMON}".split()}
    learned = {key: _FITTED[key] for key in f"{optional} {_LEARNED}".split()}
    rules = (_SAME_SPACE, _SAME_WIDTH, _SOME, _ARRAY_WIDTH, *rules)
    return Record(name, common | fitted, told | learned, rules)


_COMMON = "matcher effort encoder node_weight edge_weight order device n_jobs random_state"
_LEARNED = "_n_features_out n_features_in_ feature_names_in_ labels_ distances_"
_RUN = (
    "inertia_ n_iter_ certified_ certified_margins_ certified_fraction_ trace_ hint_ n_matchings_ n_seeding_matchings_ "
    "n_evaluation_matchings_"
)
_AS_MANY = Rule("there must be as many centers as clusters", lambda found, lengths: found["n_clusters"] == lengths["graphs"])
_IN_RANGE = Rule(
    "prototypes must be of known classes",
    lambda found, _: found["prototype_classes_"].max(initial=0) < len(found["classes_"]),
)
ESTIMATORS = (
    _estimator(
        "GraphKMeans",
        "algorithm init n_init mean certify max_iter tol n_iter_no_change theta engine verbose checkpoint warm_start",
        {"n_clusters": _PARAMETERS["n_clusters"]}, _RUN, _AS_MANY,
    ),
    _estimator(
        "MiniBatchGraphKMeans", "init max_iter tol n_iter_no_change batch_size reassignment_ratio engine verbose",
        {"n_clusters": _PARAMETERS["n_clusters"], "counts_": _FITTED["counts_"]}, f"{_RUN} n_steps_ n_seen_", _AS_MANY,
    ),
    _estimator(
        "GraphKMedoids", "init n_init max_iter", {"n_clusters": _PARAMETERS["n_clusters"]},
        f"medoid_indices_ {_RUN}", _AS_MANY,
    ),
    _estimator(
        "GraphNearestCentroid", "n_prototypes min_support mean",
        {"classes_": Row(), "prototype_classes_": Array("i8 i4", ("graphs",), least=0)}, "spread_", _IN_RANGE,
    ),
)  # fmt: skip

# -- an index ----------------------------------------------------------------------------------------

_POINTS = Record("Points", {
    "batch": BATCH,
    "axes": Record("Axes", {"mean": Array("f8", ("dim",)), "directions": Array("f8", ("dim", "along"))}),
    "sketches": Record("Sketches", {"values": Array("f4", ("graphs", None)), "norms": Array("f8", ("graphs",), least=0)}),
}, {"space": SPACE})  # fmt: skip
_NAME_TABLE = Record("NameTable", {
    "letters": Array("u1", ("letters",)), "ptr": Array("i8", ("graphs+1",), offsets="letters"),
    "present": Array("b1", ("graphs",)),
})  # fmt: skip


def _sketches_fit(found: Mapping[str, Any], lengths: Lengths) -> bool:
    dim, along = lengths["dim"], lengths["along"]
    width = found["_points_in"].fields["sketches"].fields["values"].shape[1]
    return along <= min(dim, 256) and dim <= MAX_ORDER**2 and width == along + (along < dim)


INDEX = Record(
    "GraphIndex",
    {"_kind": Text(_KINDS), "encoder_": ENCODER, "space_": SPACE, "_points_in": _POINTS,
     "indices_": Array("i8", ("graphs",), least=0, rising=True), "names_": _NAME_TABLE, "n_seen_": Whole(1)},
    {key: _PARAMETERS[key] for key in f"{_COMMON} n_neighbors radius engine".split() if key != "random_state"}
    | {"_n_features_out": _COUNT, "n_features_in_": _COUNT, "feature_names_in_": Row()},
    rules=(
        _SAME_SPACE, _SAME_WIDTH, _SOME, _ARRAY_WIDTH, Rule("its sketches must be as long as its axes are many", _sketches_fit),
        Rule("its numbers must be of graphs that it has seen", lambda found, _: found["indices_"][-1] < found["n_seen_"]),
    ),
)  # fmt: skip
CLASSIFIER = Record(
    "GraphKNeighborsClassifier",
    {"index_": INDEX, "classes_": Row(), "targets_": Array("i8", ("graphs",), least=0)},
    {key: _PARAMETERS[key] for key in f"{_COMMON} n_neighbors weights".split() if key != "random_state"}
    | {"n_features_in_": _COUNT, "feature_names_in_": Row()},
    rules=(
        Rule("its graphs must be of known classes", lambda found, _: found["targets_"].max() < len(found["classes_"])),
        Rule("its index must hold all graphs that it was given",
             lambda found, lengths: found["index_"].fields["n_seen_"] == lengths["graphs"]),
    ),
)  # fmt: skip
#: What a model file may hold.
MODEL = OneOf(*ESTIMATORS, INDEX, CLASSIFIER)

# -- checkpoints and shard logs ----------------------------------------------------------------------

_MATCHINGS = Table(Text(("algorithm", "seeding", "evaluation")), _COUNT)
_OBJECTIVE = Number(0, special=("inf",))
_SWAPS = Record(None, {
    "budget": Number(0), "sketch_share": Number(0), "lap_share": Number(0), "tried": _COUNT, "kept": _COUNT, "kept_at": _COUNT,
    "drawn_at": _COUNT, "in_vain": Many(Many(_COUNT, list)), "doubt_of_center": Many(Number(0), list, "k"),
    "doubt_of_cluster": Many(Number(0), list, "k"), "costs": Many(Many(Number(0), list)), "exhausted": Flag(),
    "done": Flag(),
}, rules=(
    Rule("swaps are of centers and candidates, or of three clusters", lambda found, lengths: all(
        (len(one) == 2 and one[0] < lengths["k"] and one[1] < max(lengths["k"], 40))
        or (len(one) == 3 and max(one) < lengths["k"]) for one in found["in_vain"])),
    Rule("costs are of two clusters", lambda found, lengths: all(
        len(one) == 3 and max(one[:2]) < lengths["k"] for one in found["costs"])),
    Rule("swaps are counted", lambda found, _: (
        max(found["kept"], found["kept_at"], found["drawn_at"]) <= found["tried"] <= MAX_STEPS)),
))  # fmt: skip
_HISTORY = Record(None, {
    "iteration": _COUNT, "recent": Many(Number(0)), "least": _OBJECTIVE, "since_best": _COUNT, "counted_from": _COUNT,
    "spent": Record(None, {"matchings": _COUNT, "evaluation_matchings": _COUNT}),
})  # fmt: skip
#: What a checkpoint says of the fit: which it is, how far it is, and what it has spent.
_FIT_FACTS: dict[str, Spec] = {
    "version": Whole(1, 10**6), "fingerprint": Text(), "fit": Text(), "run": Whole(0, 10**6),
    "seeds": Many(Whole(0, 2**32 - 1), list, "runs", least=1), "target": Number(0), "before": _MATCHINGS,
}  # fmt: skip
_THIS_RUN = Rule("the run must be one of those that there are", lambda found, lengths: found["run"] < lengths["runs"])
#: The facts of a run that has begun and has made no iteration yet, and those of one that has.
BEGUN = Record(None, _FIT_FACTS, rules=(_THIS_RUN,))
FACTS = Record(None, _FIT_FACTS | {
    "iteration": Whole(0, 10**6), "history": _HISTORY, "slack": Number(0, 1), "assigned": _COUNT, "swaps": _NONE | _SWAPS,
    "checkpoint_id": Whole(1), "matchings": _MATCHINGS,
}, rules=(_THIS_RUN,))  # fmt: skip


def _anchors_fit(found: Mapping[str, Any], lengths: Lengths) -> bool:
    """Whether every time is represented by one whose position is kept, not before it."""
    times, anchor = found["snapshot_times"], found["anchor"]
    return bool(np.isin(anchor, times).all() and (anchor >= np.arange(len(anchor))).all() and times[-1] == len(anchor) - 1)


#: The centers of a checkpoint where graphs are rows: `VectorCenters.to_arrays`.
ROWS = Record(None, {
    "rows": Array("f8", ("k", "width")), "now": Array("i8", (1,), least=0), "shift": Array("f8", ("k",), least=0, special=True),
})

#: The centers of a checkpoint: `FrameCenters.to_arrays`.
FRAMES = Record(None, {
    "total": Array("f8", ("k",), least=0), "nodes": Array("f8", ("k", "capacity", "dv")),
    "edges": Array("f8", ("k", "capacity", "capacity", "de")), "node_weight": Array("f8", ("k", "capacity"), least=0),
    "edge_weight": Array("f8", ("k", "capacity", "capacity"), least=0),
    "shift": Array("f8", ("times", "k"), least=0, special=True), "anchor": Array("i8", ("times",), least=0, below="times"),
    "offset": Array("f8", ("times", "k"), least=0), "placed_at": Array("i8", ("k",), least=0, below="times"),
    "snapshot_times": Array("i8", ("snapshots",), least=0, below="times", rising=True),
    "snapshot_nodes": Array("f8", ("snapshots", "k", "capacity", "dv")),
    "snapshot_edges": Array("f8", ("snapshots", "k", "capacity", "capacity", "de")),
}, rules=(
    Rule("every center must have members", lambda found, _: (found["total"] > 0).all()),
    Rule("weights must not exceed the total", lambda found, _: all(
        (weight <= found["total"].reshape(-1, *[1] * (weight.ndim - 1)) * (1 + ROUNDING)).all()
        for weight in (found["node_weight"], found["edge_weight"]))),
    Rule("times must be represented by times that are kept", _anchors_fit),
    Rule("no center has moved since now", lambda found, _: (found["shift"][-1] == 0).all()),
))  # fmt: skip
#: The best run before this one: `restarts._to_arrays`.
BEST = Record(None, PACKED | _SUPPORT | {
    "labels": Array("i8 i4", ("members",), least=0, below="graphs"), "distances": Array("f8", ("members",), least=0),
    "others": Array("f8", ("members",), special=True), "numbers": Array("f8", (4,), least=0),
    "certified": Array("f8", (None,), least=0, most=1), "hint": Array("u1", (None,)), "trace": Anything(),
}, rules=(_EDGES,))  # fmt: skip


def _shard(graphs: Any, nodes: Any, table: Any) -> dict[str, Spec]:
    """The arrays of a shard's state: of all its graphs, or of those that have changed."""
    return {
        "labels": Array("i8", (graphs,), least=0, below="k"), "upper": Array("f8", (graphs,), least=0, special=True),
        "matched_at": Array("i8", (graphs,), least=-1, below="times"),
        "fresh_at": Array("i8", (graphs,), least=-1, below="times"),
        "own_lower": Array("f8", (graphs,), least=0), "second_alignment": Array("f8", (graphs,), least=0, special=True),
        "lower_bound": Array("f8", (graphs,), special=True), "lower_bound_at": Array("i8", (graphs,), least=0, below="times"),
        "unfinished": Array("b1", (graphs,)), "others": Array("f8", (graphs,), special=True),
        "slots": Array("i8", (nodes,), least=-1, below="slots"), "upper_at": Array("i8", (1,), least=0, below="times"),
        "bounds_center": Array("i2 i4", (table, "kept"), least=-1, below="k"),
        "bounds_values": Array("f4", (table, "kept", 2), least=0),
        "bounds_times": Array("i2", (table, "kept", 2), least=0, below="times"),
    }  # fmt: skip


_NARROW = Rule(f"at most {MAX_SLOTS} bounds are remembered of a graph", lambda found, lengths: lengths["kept"] <= MAX_SLOTS)
#: What a shard writes: its whole state, or what has changed. The lengths graphs, nodes, slots, k and times are known beforehand.
WHOLE = Record(None, _shard("graphs", "nodes", "graphs"), rules=(_NARROW,))
CHANGES = Record(None, {
    f"rows_{part}": Array("i4", (length,), least=0, below="graphs", rising=True)
    for part, length in (("assignment", "changed"), ("upper", "moved"), ("bounds", "learned"))
} | _shard("changed", "changed nodes", "learned") | {
    "upper": Array("f8", ("moved",), least=0, special=True),
}, rules=(_NARROW,))  # fmt: skip
#: What the description of a shard log says, so that none is taken for another: the run, the shard, the checkpoint, and the kind.
LOG = Record(None, {"run": Text(), "shard": _COUNT, "checkpoint_id": Whole(1), "kind": Text(("whole", "changes"))})

# -- npz and Parquet ---------------------------------------------------------------------------------

_TYPES = ("number", "bool", "string", "number?", "bool?", "string?")
_WIDTH = _NONE | Whole(0, MAX_WIDTH)


class Column(Spec):
    """Name, type and width of a column, as a list of three."""

    def __init__(self, *types: str) -> None:
        self.of = Record(None, {"name": Text(), "type": Text(types), "width": _WIDTH}, rules=(
            Rule("only numbers are vectors", lambda found, _: found["width"] is None or found["type"].startswith("number")),
        ))  # fmt: skip

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        Many(Anything(), list, 3).check(value, where, lengths)
        self.of.check(dict(zip(("name", "type", "width"), value, strict=True)), where, lengths)


def _unlike(key: str) -> Rule:
    return Rule(f"{key} have names that occur once", lambda found, _: len({c[0] for c in found[key]}) == len(found[key]))


_LABEL_TYPE = _NONE | Text(("int", "string", "json"))
#: What the description in an npz file says.
NPZ = Record(None, {
    "format": Text(), "version": Whole(1), "names": Many(_NONE | Text()),
    "groups": Many(Record(None, {
        "mean": Flag(), "directed": Flag(), "nodes": Many(Column(*_TYPES)), "edges": Many(Column(*_TYPES)),
        "ids": _LABEL_TYPE, "roles": _LABEL_TYPE,
    }, rules=(_unlike("nodes"), _unlike("edges")))),
})  # fmt: skip


def npz_group(description: Mapping[str, Any]) -> dict[str, Spec]:
    """The arrays of a group of graphs in an npz file, by their names in the group, as the description of the group says."""
    found: dict[str, Spec] = {
        "node_graph": Array("i8", ("nodes",), least=0, below="graphs", sorted=True),
        "edge_graph": Array("i8", ("edges",), least=0, below="graphs", sorted=True),
        "edges": Array("i8", ("edges", 2)),
    }
    listed = [(f"{part}.{c}", kind, f"{part}s", width)
              for part in ("node", "edge") for c, (_, kind, width) in enumerate(description[f"{part}s"])]  # fmt: skip
    listed += [(name, description[name], "nodes", None) for name in ("ids", "roles") if description[name] is not None]
    for name, kind, rows, width in listed:
        shape: tuple[Any, ...] = (rows,) if width is None else (rows, width)
        if kind.endswith("?"):
            found[f"{name}.missing"] = Array("b1", shape)
        if kind.rstrip("?") in ("string", "json"):
            found[f"{name}.bytes"] = Array("u1", (f"bytes of {name}",))
            found[f"{name}.offsets"] = Array("i8", (f"{rows}+1",), offsets=f"bytes of {name}")
        else:
            dtype = {"number": "f8", "bool": "b1", "int": "i8"}[kind.rstrip("?")]
            found[name] = Array(dtype, shape, special=True, nan=True)  # the graph says which attribute is no number
    if description["mean"]:
        found["node_support"] = Array("f8", ("nodes",), least=0, most=1 + ROUNDING)
        found["edge_support"] = Array("f8", ("edges",), least=0, most=1 + ROUNDING)
        found["objective"] = Array("f8", ("graphs",), nan=True)
    return found


#: What the description in a Parquet file says.
PARQUET = Record(None, {
    "format": Text(), "version": Whole(1), "directed": Flag(), "nodes": Many(Column(*_TYPES[:3])),
    "edges": Many(Column(*_TYPES[:3])), "node_ids": _LABEL_TYPE, "roles": _LABEL_TYPE,
}, rules=(_unlike("nodes"), _unlike("edges")))  # fmt: skip

#: What a folder of results says about how INPUT was read.
READING = Record(None, {}, {
    "labelled": Flag(), "roles": _NONE | Text(), "smiles_column": _NONE | Text(), "name_column": _NONE | Text(),
    "class_column": _NONE | Text(), "strict": Flag(),
})  # fmt: skip
