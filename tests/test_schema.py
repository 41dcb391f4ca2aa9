"""What a file may hold is declared, and the declaration is checked: kinds, ranges, shapes that agree, rules."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm
from graphmeans import file_schema
from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.estimators.validation import CONSTRAINTS
from graphmeans.cluster.shards.state import ShardState
from graphmeans.io.storage.packing import CLASSES, known_class, pack, unpack
from graphmeans.schema import Array, Described, Flag, Many, Nothing, Number, Record, Rule, Table, Text, Whole, check

GOOD_AND_BAD = [
    (Whole(0, 9), [0, 9], [-1, 10, 1.0, True, "1", None]),
    (Whole(-4, 4, (0,)), [-4, 4], [0, 5]),
    (Number(0, 1), [0, 1, 0.5], [-0.1, 1.1, float("nan"), float("inf"), True, "0"]),
    (Number(special=("nan",)), [float("nan"), 3], [float("inf")]),
    (Text(("a", "b")), ["a"], ["c", 1, None]),
    (Flag() | Nothing(), [True, None], [0, "x"]),
    (Many(Whole(), tuple, 2), [(1, 2)], [[1, 2], (1,), (1, -1)]),
    (Table(Text(), Whole()), [{}, {"a": 1}], [{"a": -1}, {1: 1}, []]),
    (Array("i8", (3,), least=0, below=5), [np.array([0, 4, 2])],
     [np.array([0, 5, 2]), np.array([-1, 0, 0]), np.zeros(3), [0, 1, 2]]),
    (Array("f8", (None, 2)), [np.zeros((4, 2))],
     [np.full((1, 2), np.nan), np.full((1, 2), np.inf), np.zeros((2, 3)), np.zeros(2)]),
    (Array("f8", (1,), special=True), [np.array([np.inf])], [np.array([np.nan])]),
    (Array("i8", (None,), offsets="rows"), [np.array([0, 2, 2, 5])],
     [np.array([0, 3, 2]), np.array([1, 2]), np.zeros(0, dtype=np.int64)]),
    (Array("i8", (None,), rising=True), [np.array([1, 2])], [np.array([1, 1])]),
    (Array("i8", (None,), sorted=True), [np.array([1, 1])], [np.array([2, 1])]),
    (Record("A", {"n": Whole()}, {"m": Whole()}), [Described("A", {"n": 1}), Described("A", {"n": 1, "m": 2})],
     [Described("B", {"n": 1}), Described("A", {}), Described("A", {"n": 1, "z": 1}), {"n": 1}]),
]  # fmt: skip


@pytest.mark.parametrize(("spec", "good", "bad"), GOOD_AND_BAD)
def test_a_value_is_what_is_declared(spec, good, bad):
    for value in good:
        check(spec, value, "it")
    for value in bad:
        with pytest.raises(gm.GraphError, match=r"^is not consistent in itself: it.* cannot be right"):
            check(spec, value, "it")


def test_lengths_have_names_and_must_agree():
    spec = Record(None, {"ptr": Array("i8", ("graphs+1",), offsets="nodes"), "nodes": Array("f8", ("nodes", "width"))}, rules=(
        Rule("there must be a node", lambda found, lengths: lengths["nodes"] > 0),))  # fmt: skip
    known = check(spec, {"ptr": np.array([0, 1, 3]), "nodes": np.zeros((3, 2))}, "it", width=2)
    assert known == {"graphs": 2, "nodes": 3, "width": 2}
    for nodes, lengths in ((np.zeros((4, 2)), {}), (np.zeros((3, 2)), {"width": 3}), (np.zeros((3, 2)), {"graphs": 5})):
        with pytest.raises(gm.GraphError, match="cannot be right"):
            check(spec, {"ptr": np.array([0, 1, 3]), "nodes": nodes}, "it", **lengths)
    with pytest.raises(gm.GraphError, match="there must be a node"):
        check(spec, {"ptr": np.array([0, 0]), "nodes": np.zeros((0, 2))}, "it")


def estimators():
    return {record.name: record for record in (*file_schema.ESTIMATORS, file_schema.INDEX, file_schema.CLASSIFIER)}


def test_every_parameter_of_every_estimator_is_declared():
    for name, record in estimators().items():
        declared = {*record.fields, *record.optional}
        assert set(known_class(name)().get_params(deep=False)) <= declared
    for name in ("Auto", "Exact", "Search", "Graduated"):
        assert set(known_class(name)().get_params()) == set(file_schema.MATCHER.records[name].optional)
    for name in ("Lifted", "Incremental", "SetMean", "Subgradient"):
        assert set(known_class(name)().get_params()) == set(file_schema.MEAN.records[name].optional)
    assert set(gm.GraphEncoder().get_params()) == set(file_schema._OPTIONS)
    made = {*estimators(), *file_schema.MATCHER.records, *file_schema.MEAN.records, *file_schema.GRAPH.records}
    parts = {"GraphEncoder", "MoleculeEncoder", "GraphSpace", "GraphBatch", "Centers", "Numbers", "Categories", "Angles"}
    assert set(CLASSES) == made | parts | {"Points", "Axes", "Sketches", "NameTable"}


def test_words_are_those_that_parameters_may_be():
    for name, spec in file_schema._PARAMETERS.items():
        words = {word for one in getattr(spec, "specs", (spec,)) if isinstance(one, Text) for word in one.words}
        if words and name != "engine":
            known = {*CONSTRAINTS[name].names} if name in CONSTRAINTS else {"auto"}
            assert words == known, name


def test_every_default_may_be_in_a_file():
    for name, record in estimators().items():
        for key, value in known_class(name)().get_params(deep=False).items():
            check({**record.fields, **record.optional}[key], unpack(pack(value, key, {}), {}), key)


def test_what_is_written_while_a_fit_lasts_is_declared():
    state = ShardState(np.array([0, 2, 5]))
    check(file_schema.WHOLE, state.to_arrays(), "it", graphs=2, nodes=5, k=3, times=1, slots=4)
    assert set(state.changes()) == set(file_schema.CHANGES.fields)
    batch = gm.GraphEncoder().fit_transform([gm.Graph([[1.0], [2.0]], [(0, 1)])])
    centers = FrameCenters.from_graphs(np.array([2]), batch)
    assert set(centers.to_arrays()) == set(file_schema.FRAMES.fields)
