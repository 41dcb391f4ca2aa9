"""Parquet: what is written comes back, in a stream; parts are read lazily, and encoded straight from the buffers."""

from __future__ import annotations

import dataclasses
import pickle
import sys
import zipfile

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import graphmeans as gm
from effort import examples, thorough
from graphmeans import files as _files
from graphmeans import io as gio
from graphmeans.cli import app
from graphmeans.graphs.encoding.flat import Flat
from graphmeans.io.parquet.labels import read_label_table
from iam import iam_path
from io_helpers import ANY_TEXT, any_graphs, assert_same, corruptions, only_graph_errors
from strategies import kinds, random_collection, round_collections


def written(graphs, path, **options):
    gio.write_parquet(graphs, path, **options)
    return gm.open_collection(path)


def assert_same_batch(ours, theirs):
    for one in dataclasses.fields(theirs):
        mine, other = getattr(ours, one.name), getattr(theirs, one.name)
        if isinstance(other, np.ndarray):
            assert mine.dtype == other.dtype, one.name
            np.testing.assert_array_equal(mine, other, err_msg=one.name)
        else:
            assert mine == other, one.name


def letters(count, seed=0):
    """Graphs with columns of every type: what the files of users look like."""
    rng = np.random.default_rng(seed)
    graphs = []
    for i in range(count):
        n = int(rng.integers(2, 7))
        ends = [(j, j + 1) for j in range(n - 1)]
        nodes = {
            "x": rng.normal(size=n), "pos": rng.normal(size=(n, 2)), "kind": rng.choice(["a", "b", "ü"], n).tolist(),
            "end": [True] + [False] * (n - 1), "sometimes": [None if rng.random() < 0.3 else float(v) for v in range(n)],
        }  # fmt: skip
        edges = {"w": rng.random(n - 1) + 0.5, "bond": rng.choice(["one", "two"], n - 1).tolist()}
        graphs.append(gm.Graph(nodes, ends, edges, name=f"g{i}"))
    return graphs


# -- round trips -----------------------------------------------------------------------------------


@examples(200)
@given(graph=any_graphs(ANY_TEXT))
def test_any_graph_comes_back(graph, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "one.parquet"
    assert_same(next(iter(written([graph], path))), graph)


@examples(100)
@given(graphs=st.lists(any_graphs(ANY_TEXT), min_size=1, max_size=6), rows=st.integers(1, 4), stream=st.booleans())
def test_collections_of_graphs_that_have_nothing_in_common_come_back(graphs, rows, stream, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "many.parquet"
    collection = written(iter(graphs) if stream else graphs, path, rows_per_group=rows)
    assert collection.sizes.tolist() == [min(rows, len(graphs) - i) for i in range(0, len(graphs), rows)]
    found = list(collection)
    assert len(found) == len(graphs)
    for ours, theirs in zip(found, graphs, strict=True):
        assert type(ours) is type(theirs)
        assert ours.node_ids == theirs.node_ids
        if type(theirs) is gm.Graph:
            assert with_ids(ours) == with_ids(theirs)
        else:
            assert_same(ours, theirs)


def with_ids(graph):
    """The same graph, with ids even if they are 0, 1, ...: that is the same to everybody but ``==``."""
    nodes, edges = graph.nodes, graph.edge_attributes
    given = {"directed": graph.directed, "roles": graph.roles, "node_ids": graph.node_ids, "name": graph.name}
    return gm.Graph(nodes.get("", nodes), graph.edges, edges.get("", edges), **given)


@given(graphs=round_collections())
def test_bare_arrays_come_back(graphs, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "bare.parquet"
    for ours, theirs in zip(written(graphs, path, rows_per_group=2), graphs, strict=True):
        assert_same(ours, theirs)
        assert ours == theirs


def test_numbers_come_back_bit_for_bit(tmp_path):
    values = [0.0, -0.0, 5e-324, -1e308, 0.1, 1 / 3]
    found = next(iter(written([gm.Graph({"x": values, "v": np.array(values).reshape(6, 1)})], tmp_path / "a.parquet")))
    assert found.nodes["x"].tobytes() == np.array(values).tobytes()
    assert found.nodes["v"].tobytes() == np.array(values).tobytes()


def test_alike_graphs_need_no_row_apart_and_other_readers_understand_the_table(tmp_path):
    graphs = letters(50)
    written(graphs, tmp_path / "a.parquet", classes=[i % 3 for i in range(50)])
    table = pq.read_table(tmp_path / "a.parquet")
    assert table.column("apart").null_count == 50
    assert table.column("label").to_pylist()[:4] == ["0", "1", "2", "0"]
    assert table.column("nodes.x").to_pylist()[7] == graphs[7].nodes["x"].tolist()
    assert table.column("nodes.sometimes").to_pylist()[7] == graphs[7].nodes["sometimes"].tolist()
    assert table.column("nodes.kind").to_pylist()[7] == graphs[7].nodes["kind"].tolist()
    assert table.column("nodes.pos").to_pylist()[7] == graphs[7].nodes["pos"].reshape(-1).tolist()
    assert table.column("source").to_pylist()[7] == graphs[7].edges[:, 0].tolist()
    assert pq.read_metadata(tmp_path / "a.parquet").metadata[b"graphmeans.apart"] == b"0"


def test_a_graph_with_a_new_column_late_in_the_stream_is_kept_too(tmp_path):
    graphs = [*letters(20), gm.Graph({"new": [1.0]}, name="stranger"), gm.Graph(3), *letters(3)]
    collection = written(iter(graphs), tmp_path / "a.parquet", rows_per_group=10)
    assert list(collection) == graphs
    assert pq.read_metadata(tmp_path / "a.parquet").metadata[b"graphmeans.apart"] == b"1"


def test_node_ids_and_roles_of_every_type(tmp_path):
    graphs = [gm.Graph(2, [(0, 1)], node_ids=ids, roles=roles)
              for ids in (None, ["a", "b"], [7, -3], [("a", 1), "b"]) for roles in (None, ["x", "y"], [True, None])]  # fmt: skip
    assert list(written(graphs, tmp_path / "a.parquet")) == graphs
    with pytest.raises(gm.GraphError, match=r"graph 'g': node id frozenset\(.*cannot be written"):
        gio.write_parquet([gm.Graph(1, node_ids=[frozenset({1})], name="g")], tmp_path / "b.parquet")
    assert not (tmp_path / "b.parquet").exists()


# -- writing in a stream ---------------------------------------------------------------------------


def test_never_more_than_a_row_group_is_held(tmp_path):
    alive, most = set(), 0

    class Watched(gm.Graph):
        __slots__ = ("__weakref__", "number")

        def __del__(self):
            alive.discard(self.number)

    def stream():
        nonlocal most
        for i in range(200):
            graph = Watched({"x": [1.0, 2.0]}, [(0, 1)])
            graph.number = i
            alive.add(i)
            most = max(most, len(alive))
            yield graph

    assert gio.write_parquet(stream(), tmp_path / "a.parquet", rows_per_group=20) == 200
    assert most <= 2 * 20 + 2  # the group being gathered and, until it is replaced, the one just written


def test_a_folder_of_parts_is_one_collection(tmp_path):
    graphs = letters(25)
    classes = [str(i % 2) for i in range(25)]
    collection = written(iter(graphs), tmp_path / "many", classes=iter(classes), rows_per_group=4, rows_per_file=10)
    assert sorted(p.name for p in (tmp_path / "many").iterdir()) == [f"part-0000{i}.parquet" for i in range(3)]
    assert collection.sizes.tolist() == [4, 4, 2, 4, 4, 2, 4, 1]
    assert (list(collection), collection.labels, len(collection)) == (graphs, classes, 25)
    assert collection.names == [graph.name for graph in graphs]
    with pytest.raises(gm.GraphError, match="many: is there already"):
        gio.write_parquet(graphs, tmp_path / "many", rows_per_file=10)


@pytest.mark.parametrize("rows_per_file", [None, 5])
def test_what_fails_leaves_nothing_behind(tmp_path, rows_per_file):
    def broken():
        yield from letters(12)
        raise gm.GraphError("the disk is gone")

    with pytest.raises(gm.GraphError, match="the disk is gone"):
        gio.write_parquet(broken(), tmp_path / "a.parquet", rows_per_group=2, rows_per_file=rows_per_file)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(gm.GraphError, match=r"a\.parquet: an empty collection"):
        gio.write_parquet(iter(()), tmp_path / "a.parquet", rows_per_file=rows_per_file)
    for classes in ([1] * 11, [1] * 13):
        with pytest.raises(gm.GraphError, match=r"a\.parquet: there are (more|fewer) graphs than classes"):
            gio.write_parquet(iter(letters(12)), tmp_path / "a.parquet", classes, rows_per_file=rows_per_file)
    with pytest.raises(gm.GraphError, match="rows_per_group must be at least 1"):
        gio.write_parquet(letters(2), tmp_path / "a.parquet", rows_per_group=0)
    assert list(tmp_path.iterdir()) == []


# -- reading in parts ------------------------------------------------------------------------------


def test_batches_take_and_partitions(tmp_path, monkeypatch):
    graphs = letters(23)
    monkeypatch.chdir(tmp_path)
    collection = written(graphs, "a.parquet", rows_per_group=5)
    for size in (1, 4, 5, 12, 100):
        batches = collection.batches(size)
        assert [len(batch) for batch in batches] == [min(size, 23 - i) for i in range(0, 23, size)]
        assert [graph for batch in batches for graph in batch] == graphs  # a second time
    assert [len(batch) for batch in collection.batches()] == collection.sizes.tolist() == [5, 5, 5, 5, 3]
    which = [22, 0, 7, 7, -1, 3]
    assert collection.take(which) == [graphs[i] for i in which]
    assert collection.take([]) == []
    sent = pickle.dumps(collection.partition(4))
    assert len(sent) < 2000
    monkeypatch.chdir(tmp_path.parent)
    part = pickle.loads(sent)
    assert (list(part), part.names, len(part), part.n_partitions) == (graphs[20:], ["g20", "g21", "g22"], 3, 1)
    monkeypatch.chdir(tmp_path)
    assert collection.labels is None
    assert collection.columns == {
        "nodes": {"x": "number", "pos": "vector of 2", "kind": "string", "end": "bool", "sometimes": "number"},
        "edges": {"w": "number", "bond": "string"},
    }
    assert not collection.directed
    assert collection.schema.field("nodes.x").type == pa.list_(pa.float64())
    assert repr(collection).endswith("a.parquet', 23 graphs, 5 partitions)")
    for wrong in (lambda: collection.take([23]), lambda: collection.partition(5)):
        with pytest.raises(IndexError, match=r"of 5|23 graphs"):
            wrong()
    with pytest.raises(gm.GraphError, match="at least one graph"):
        list(collection.batches(0))


def test_only_the_partition_at_hand_is_read(tmp_path, monkeypatch):
    collection = written(letters(40), tmp_path / "a.parquet", rows_per_group=10)
    asked = []
    read = pq.ParquetFile.read_row_group
    monkeypatch.setattr(pq.ParquetFile, "read_row_group", lambda self, i, **how: asked.append(i) or read(self, i, **how))
    collection.take([12, 31, 13])
    assert asked == [1, 3]
    next(iter(collection.batches(3)))
    next(iter(collection))
    assert asked == [1, 3, 0, 0]


# -- encoding --------------------------------------------------------------------------------------


@examples(60)
@given(graphs=round_collections(min_size=2, max_size=6), size=st.integers(1, 7))
def test_encoding_from_the_buffers_equals_transform_on_bare_arrays(graphs, size, tmp_path_factory):
    path = tmp_path_factory.getbasetemp() / "encoded.parquet"
    collection = written(graphs, path, rows_per_group=3)
    encoder = gm.GraphEncoder().fit(graphs)
    for i, batch in enumerate(collection.encoded(encoder, size)):
        assert_same_batch(batch, encoder.transform(graphs[i * size : (i + 1) * size]))


@pytest.mark.parametrize("options", [
    {}, {"numbers": "robust", "presence": 1.0, "edge_presence": 2.0}, {"missing": "columns", "categories": ["x"]},
    {"weights": {"kind": 2, "pos": 0}, "directions": ["x"], "numbers": {"w": "keep"}}, {"directed": True},
])  # fmt: skip
def test_encoding_from_the_buffers_equals_transform_on_columns_of_every_type(tmp_path, options, monkeypatch):
    graphs = letters(60)
    roles = [gm.Graph(g.nodes, g.edges, g.edge_attributes, roles=["first"] + ["rest"] * (g.n_nodes - 1)) for g in graphs]
    for some, nothing in ((graphs, gm.Graph(0)), (roles, gm.Graph(0, roles=[]))):
        collection = written([*some, nothing], tmp_path / "a.parquet", rows_per_group=16)
        encoder = gm.GraphEncoder(**options).fit(some)
        slow = [encoder.transform(batch) for batch in collection.batches(20)]
        assert all(isinstance(flat, Flat) for flat in collection.arrays())
        monkeypatch.setattr(gm.GraphEncoder, "transform", None)  # the long way is not taken
        for ours, theirs in zip(collection.encoded(encoder, 20), slow, strict=True):
            assert_same_batch(ours, theirs)
        monkeypatch.undo()


@given(kind=kinds(), seed=st.integers(0, 99), directed=st.sampled_from(["auto", True, False]))
def test_directed_and_undirected_encode_alike(kind, seed, directed, tmp_path_factory):
    graphs = random_collection(seed, kind, 8)
    collection = written(graphs, tmp_path_factory.getbasetemp() / "directed.parquet")
    encoder = gm.GraphEncoder(directed=directed).fit(graphs)
    assert_same_batch(next(iter(collection.encoded(encoder))), encoder.transform(graphs))


def test_graphs_that_lack_a_column_or_stand_apart_go_the_long_way(tmp_path):
    mean = gm.MeanGraph({"x": [1.0]}, node_support=[0.5], edge_support=[])
    graphs = [*letters(6), gm.Graph({"x": [1.0, 2.0]}, name="poor"), mean]
    collection = written(graphs, tmp_path / "a.parquet")
    encoder = gm.GraphEncoder(missing="columns").fit(graphs)
    assert_same_batch(next(iter(collection.encoded(encoder))), encoder.transform(graphs))


def test_roles_that_the_encoder_has_not_seen_are_numbered_over_the_batch(tmp_path):
    graphs = [gm.Graph([[1.0], [2.0]], [(0, 1)], roles=roles) for roles in (["a", "b"], ["b", "z"], ["y", "z"], ["y", "a"])]
    collection = written(graphs, tmp_path / "a.parquet", rows_per_group=1)
    encoder = gm.GraphEncoder().fit(graphs[:1])
    assert_same_batch(next(iter(collection.encoded(encoder, 4))), encoder.transform(graphs))


def test_a_graph_that_does_not_fit_the_encoder_is_named_with_its_partition(tmp_path):
    graphs = letters(12)
    odd = graphs[9]
    graphs[9] = gm.Graph({**odd.nodes, "kind": ["new"] * odd.n_nodes}, odd.edges, odd.edge_attributes, name="odd")
    collection = written(graphs, tmp_path / "a.parquet", rows_per_group=5)
    encoder = gm.GraphEncoder(unknown="refuse").fit(graphs[:9])
    problem = r"a\.parquet: partition 1: graph 4 \('odd'\): node attribute 'kind' has the unknown value 'new'"
    with pytest.raises(gm.GraphError, match=problem):
        list(collection.encoded(encoder))


# -- fitting an encoder in one pass ----------------------------------------------------------------


def assert_same_encoder(ours, theirs):
    assert (ours.roles_, ours.directed_, ours.left_out_) == (theirs.roles_, theirs.directed_, theirs.left_out_)
    assert ours.edge_presence_ == theirs.edge_presence_
    for mine, other in ((ours.node_columns_, theirs.node_columns_), (ours.edge_columns_, theirs.edge_columns_)):
        assert [type(column) for column in mine] == [type(column) for column in other]
        for one, two in zip(mine, other, strict=True):
            for key, value in vars(two).items():
                if isinstance(value, np.ndarray):
                    np.testing.assert_allclose(vars(one)[key], value, rtol=1e-12, atol=1e-12)
                else:
                    assert vars(one)[key] == value


OPTIONS = [
    {}, {"numbers": "robust"}, {"numbers": "keep"}, {"categories": ["x"]}, {"directions": ["x"]}, {"missing": "columns"},
    {"edge_presence": 0.5}, {"weights": {"edges.w": 3}},
]  # fmt: skip


@pytest.mark.parametrize("options", OPTIONS)
@pytest.mark.parametrize("size", [1, 7, 40])
def test_fitting_in_batches_equals_fitting_at_once(tmp_path, options, size):
    graphs = letters(40)
    fifth = graphs[5]
    graphs[5] = gm.Graph({**fifth.nodes, "sometimes": [None] * fifth.n_nodes}, fifth.edges, fifth.edge_attributes)
    collection = written(graphs, tmp_path / "a.parquet", rows_per_group=size)
    expected = gm.GraphEncoder(**options).fit(graphs)
    assert_same_encoder(gm.GraphEncoder(**options).fit_batches(collection.arrays()), expected)
    assert_same_encoder(gm.GraphEncoder(**options).fit_batches(collection.batches(size)), expected)


@examples(60)
@given(graphs=round_collections(min_size=1, max_size=6), size=st.integers(1, 4))
def test_fitting_bare_arrays_in_batches(graphs, size):
    try:
        expected = gm.GraphEncoder().fit(graphs)
    except gm.GraphError:
        expected = None
    batches = [graphs[i : i + size] for i in range(0, len(graphs), size)]
    if expected is None:
        with pytest.raises(gm.GraphError):
            gm.GraphEncoder().fit_batches(batches)
    else:
        assert_same_encoder(gm.GraphEncoder().fit_batches(batches), expected)


@st.composite
def uneven_collections(draw):
    """Graphs some of which lack columns, loops or attributes, with roles that some columns do not apply to."""
    roles = draw(st.booleans())
    graphs = []
    for _ in range(draw(st.integers(1, 6))):
        n = draw(st.integers(0, 3))
        names = draw(st.sampled_from([["x"], ["x"], ["x", "loop"], ["x", "y"], []]))
        number = st.one_of(st.none(), st.sampled_from([0.0, 0.0, 1.0, 2.5]))
        nodes = {name: draw(st.lists(number if name != "loop" else st.sampled_from([0.0, 1.0, 3.0]), min_size=n, max_size=n))
                 for name in names}  # fmt: skip
        ends = [(0, 1)] if n > 1 and draw(st.booleans()) else []
        edges = draw(st.sampled_from([None, None, {"multiplicity": [2.0] * len(ends)}, {"w": [0.0] * len(ends)}]))
        kinds_ = [draw(st.sampled_from("ab")) for _ in range(n)] if roles else None
        graphs.append(gm.Graph(nodes or n, ends, edges, roles=kinds_))
    return graphs


@examples(300)
@given(graphs=uneven_collections(), size=st.integers(1, 3), missing=st.sampled_from(["average", "columns", "refuse"]))
def test_fitting_uneven_graphs_in_batches_succeeds_and_fails_alike(graphs, size, missing):
    batches = [graphs[i : i + size] for i in range(0, len(graphs), size)]
    try:
        expected = gm.GraphEncoder(missing=missing).fit(graphs)
    except gm.GraphError:
        with pytest.raises(gm.GraphError):
            gm.GraphEncoder(missing=missing).fit_batches(batches)
        return
    assert_same_encoder(gm.GraphEncoder(missing=missing).fit_batches(batches), expected)


def test_what_two_batches_disagree_about_is_named_with_the_place_in_the_collection():
    one, other = gm.Graph({"x": [1.0, 2.0]}, [(0, 1)]), gm.Graph({"x": ["a", "b"]}, [(0, 1)], name="words")
    with pytest.raises(gm.GraphError, match=r"^graph 2 \('words'\): node attribute 'x' is a string but a number in graph 0$"):
        gm.GraphEncoder().fit_batches([[one, one], [other]])
    with pytest.raises(gm.GraphError, match=r"^graph 1 is directed but graph 0 is undirected"):
        gm.GraphEncoder().fit_batches([[one], [gm.Graph({"x": [1.0, 2.0]}, [(0, 1)], directed=True)]])
    with pytest.raises(gm.GraphError, match="the collection is empty"):
        gm.GraphEncoder().fit_batches([])
    zero = [[gm.Graph(2, [(0, 1)], {"w": [value]})] for value in (1.0, -1.0)]
    with pytest.raises(gm.GraphError, match="needs the batches a second time"):
        gm.GraphEncoder().fit_batches(iter(zero))
    assert gm.GraphEncoder().fit_batches(zero).edge_presence_ == 0


def test_parts_may_be_summarised_elsewhere(tmp_path):
    graphs = letters(30)
    collection = written(graphs, tmp_path / "a.parquet", rows_per_group=8)
    encoder = gm.GraphEncoder()
    sent = [pickle.dumps((encoder, collection.partition(i), 8 * i)) for i in range(4)]
    back = []
    for there, part, start in map(pickle.loads, sent):
        back += [pickle.dumps(there.summarise(flat, start)) for flat in part.arrays()]
    found = encoder.fit_summaries(map(pickle.loads, back), lambda: pytest.fail("lengths are all positive"))
    assert_same_encoder(found, gm.GraphEncoder().fit(graphs))


def test_means_of_large_numbers_do_not_cancel():
    rng = np.random.default_rng(0)
    graphs = [gm.Graph({"x": 1e9 + rng.normal(size=3)}) for _ in range(300)]
    expected = gm.GraphEncoder().fit(graphs).node_columns_[0]
    found = gm.GraphEncoder().fit_batches([graphs[i : i + 7] for i in range(0, 300, 7)]).node_columns_[0]
    np.testing.assert_allclose(found.scale, expected.scale, rtol=1e-6)  # what float64 has left of them beside 1e9
    np.testing.assert_allclose(found.center, expected.center, rtol=1e-15)


# -- files that are not right ----------------------------------------------------------------------


def test_foreign_and_absent_files_give_one_line(tmp_path):
    pq.write_table(pa.table({"a": [1, 2]}), tmp_path / "foreign.parquet")
    (tmp_path / "text.parquet").write_text("no Parquet at all")
    (tmp_path / "empty.parquet").write_bytes(b"")
    (tmp_path / "hollow").mkdir()
    (tmp_path / "graph.json").write_text("{}")
    for name, problem in (
        ("foreign.parquet", "is a Parquet file, but not a collection of graphs written by graphmeans"),
        ("text.parquet", "is not a readable Parquet file"), ("empty.parquet", "is not a readable Parquet file"),
        ("hollow", "holds no Parquet files"), ("gone.parquet", "no such file"), ("graph.json", "is no Parquet file"),
    ):  # fmt: skip
        with pytest.raises(gm.GraphError, match=f"{name}: {problem}"):
            gm.open_collection(tmp_path / name)


def test_a_corrupt_partition_is_named_and_the_others_are_read(tmp_path):
    graphs = letters(30)
    collection = written(graphs, tmp_path / "a.parquet", rows_per_group=10)
    chunk = pq.read_metadata(tmp_path / "a.parquet").row_group(1).column(5)
    data = bytearray((tmp_path / "a.parquet").read_bytes())
    data[chunk.data_page_offset + chunk.total_compressed_size // 2] ^= 1
    (tmp_path / "a.parquet").write_bytes(data)
    assert list(collection.partition(0)) == graphs[:10]
    assert list(collection.partition(2)) == graphs[20:]
    with pytest.raises(gm.GraphError, match=r"a\.parquet: partition 1 cannot be read \("):
        list(collection)


def test_spoilt_files_give_one_line_or_the_graphs(tmp_path):
    gio.write_parquet(letters(12), tmp_path / "a.parquet", rows_per_group=5, classes=range(12))
    data = (tmp_path / "a.parquet").read_bytes()
    path = tmp_path / "b.parquet"
    refused = 0
    for spoilt in corruptions(data, np.random.default_rng(0), 400):
        path.write_bytes(spoilt)
        refused += isinstance(only_graph_errors(lambda: list(gm.open_collection(path))), str)
    assert refused > 300


def hostile(table, path, **columns):
    for name, values in columns.items():
        name = name.replace("__", ".")
        place = table.schema.get_field_index(name)
        one = table.schema.field(place)
        table = table.set_column(place, one.with_nullable(True), pa.array(values, one.type))
    pq.write_table(table, path)
    return gm.open_collection(path)


@pytest.mark.parametrize(("columns", "problem"), [
    ({"source": [[7]]}, r"graph 'g': edge \(7, 1\) leads to a node"), ({"source": [[1]]}, "self-loop"),
    ({"target": [[1, 0]], "source": [[0, 1]], "edges__w": [[1.0, 1.0]]}, "given twice"), ({"source": [[0, 1]]}, "only one end"),
    ({"source": [[None]]}, "an edge lacks an end"),
    ({"nodes__x": [[1.0]]}, "graph 'g': attribute 'x' has 1 values for 2 rows"),
    ({"nodes__x": [[1.0, float("nan")]]}, "graph 'g': node attribute 'x' contains NaN"), ({"n_nodes": [-1]}, "number of nodes"),
    ({"n_nodes": [None]}, "number of nodes"), ({"apart": [b"no zip"]}, "graph 'g': apart: is not a readable zip"),
    ({"n_nodes": [2**31 - 1], "nodes__x": [None], "source": [[]], "target": [[]], "edges__w": [[]]}, "without any attribute"),
])  # fmt: skip
def test_hostile_columns_are_refused_with_the_graph_named_also_when_encoding(tmp_path, columns, problem):
    good = gm.Graph({"x": [1.0, 2.0]}, [(0, 1)], {"w": [1.0]}, name="g")
    gio.write_parquet([good], tmp_path / "a.parquet")
    collection = hostile(pq.read_table(tmp_path / "a.parquet"), tmp_path / "b.parquet", **columns)
    encoder = gm.GraphEncoder().fit([good])
    for read in (lambda: list(collection), lambda: list(collection.encoded(encoder))):
        with pytest.raises(gm.GraphError, match=problem) as caught:
            read()
        assert str(caught.value).startswith(f"{tmp_path / 'b.parquet'}: ")
        assert "\n" not in str(caught.value)


def test_descriptions_that_lie_are_refused(tmp_path):
    gio.write_parquet([gm.Graph({"x": [1.0]})], tmp_path / "a.parquet")
    table = pq.read_table(tmp_path / "a.parquet")
    about = table.schema.metadata[b"graphmeans"]
    for old, new, problem in (
        (b'"version": 1', b'"version": 9', "format version 9"), (b'"number"', b'"string"', "column 'nodes.x' is list<"),
        (b'"number"', b'"anything"', "cannot be right"), (b'"directed": false', b'"directed": 0', "cannot be right"),
        (b'"x"', b'"y"', "column 'nodes.y' is absent"), (b'"nodes"', b'"knots"', "cannot be right"),
        (b"{", b"[", "not valid JSON"),
        (b"null", b"-4", "cannot be right"), (b"format", b"fort", "not a collection"),
    ):  # fmt: skip
        pq.write_table(table.replace_schema_metadata({"graphmeans": about.replace(old, new)}), tmp_path / "b.parquet")
        with pytest.raises(gm.GraphError, match=rf"b\.parquet: .*{problem}"):
            gm.open_collection(tmp_path / "b.parquet")


def test_without_pyarrow_the_command_to_install_it_is_said(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    path = tmp_path / "a.parquet"
    for call in (lambda: gio.write_parquet([gm.Graph(1)], path), lambda: gm.open_collection(path)):
        with pytest.raises(ImportError, match=r"Parquet needs the package pyarrow: pip install 'graphmeans\[dask\]'"):
            call()


# -- results beside it -----------------------------------------------------------------------------


def test_labels_beside_the_collection(tmp_path):
    gio.write_parquet(letters(6), tmp_path / "c" / "a.parquet")
    gio.write_labels(tmp_path / "c" / "labels.parquet", ["a", None, "c"], [1, 0, 1], [0.5, 1.5, 0.0])
    names, labels, distances = gio.read_labels(tmp_path / "c" / "labels.parquet")
    assert (names, labels.tolist(), distances.tolist()) == (["a", None, "c"], [1, 0, 1], [0.5, 1.5, 0.0])
    assert len(gm.open_collection(tmp_path / "c")) == 6  # labels in the folder are passed over
    gio.write_labels(tmp_path / "l.parquet", ["a"], [1])
    assert gio.read_labels(tmp_path / "l.parquet")[2] is None
    with pytest.raises(gm.GraphError, match="3 names, 2 clusters"):
        gio.write_labels(tmp_path / "l.parquet", ["a", "b", "c"], [1, 2])
    with pytest.raises(gm.GraphError, match="is no table of labels"):
        gio.read_labels(tmp_path / "c" / "a.parquet")
    with pytest.raises(gm.GraphError, match="not a collection of graphs"):
        gm.open_collection(tmp_path / "l.parquet")


def test_a_folder_of_labels_is_read_in_its_order(tmp_path):
    names = [f"g{i}" for i in range(12)]
    for number, first in ((0, 0), (1, 5), (10, 10)):  # the order of names is not that of numbers
        rows = range(first, min(first + 5, 12))
        labels, classes = [i % 3 for i in rows], [None if i % 2 else "even" for i in rows]
        path = tmp_path / f"part-{number}.parquet"
        gio.write_labels(path, [names[i] for i in rows], labels, [i / 2 for i in rows], classes, part=(first, 12))
    found = read_label_table(tmp_path)
    assert found.names == names
    assert found.labels.tolist() == [i % 3 for i in range(12)]
    assert found.distances.tolist() == [i / 2 for i in range(12)]
    assert found.classes == ["even", None] * 6
    assert gio.read_labels(tmp_path)[0] == names
    assert gio.read_labels(tmp_path / "part-1.parquet")[0] == names[5:10]  # one of them by itself
    for missing, held, at in (("part-1.parquet", 7, 5), ("part-10.parquet", 10, 10)):
        part = (tmp_path / missing).rename(tmp_path / "elsewhere")
        said = f"{held} graphs, those from graph {at}"
        with pytest.raises(gm.GraphError, match=f"a part is missing: there are labels of {said} on are not there"):
            gio.read_labels(tmp_path)
        part.rename(tmp_path / missing)
    (tmp_path / "empty").mkdir()
    with pytest.raises(gm.GraphError, match="holds no labels"):
        gio.read_labels(tmp_path / "empty")
    gio.write_parquet(letters(2), tmp_path / "graphs.parquet")
    with pytest.raises(gm.GraphError, match=r"graphs\.parquet: is no table of labels"):
        gio.read_labels(tmp_path)


def test_further_columns_of_labels(tmp_path):
    path = tmp_path / "l.parquet"
    gio.write_labels(path, ["a", "b"], [0, 1], margin=[0.5, 0.25], predicted=np.array(["x", "y"], dtype=object))
    table = pq.read_table(path)
    assert table.column_names == ["name", "cluster", "margin", "predicted"]
    assert table.column("predicted").to_pylist() == ["x", "y"]
    assert gio.read_labels(path)[1].tolist() == [0, 1]


# -- from every other format, in a stream ----------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "classes"),
    [(kind, None) for kind in ("graphml", "gml", "json", "npz", "gxl", "tu", "parquet")]
    + [(kind, ["a", "b", "a"]) for kind in ("gxl", "tu", "parquet")],
)
def test_every_collection_can_be_iterated_over(tmp_path, kind, classes):
    graphs = [gm.Graph({"x": [0.5, 1.5], "kind": ["a", "b"]}, [(0, 1)], {"w": [2.0]}, name=f"g{i}") for i in range(3)]
    path = tmp_path / ("all.parquet" if kind == "parquet" else "all")
    gio.write_collection(graphs, path, classes, kind)
    read, labels = gio.read_collection(path)
    pairs = list(gio.iterate_collection(path))
    assert len(read) == 3
    assert ([graph for graph, _ in pairs], [label for _, label in pairs]) == (read, labels or [None] * 3)
    assert labels == classes


@pytest.mark.parametrize("kind", ["graphml", "json", "gxl"])
def test_files_are_read_one_after_the_other(tmp_path, kind, monkeypatch):
    gio.write_collection([gm.Graph({"x": [float(i)]}, name=f"g{i}") for i in range(5)], tmp_path, None, kind)
    read = []
    original = _files.Folder.read
    monkeypatch.setattr(_files.Folder, "read", lambda self, name, *rest: read.append(name) or original(self, name, *rest))
    stream = gio.iterate_collection(tmp_path)
    next(stream)
    before = 5 if kind == "gxl" else 0  # the types of the columns are those of all files
    assert len(read) == before + 1
    assert len(list(stream)) == 4


@pytest.mark.parametrize(
    ("name", "split"),
    [("Letter-LOW", "test"), thorough("GREC", None), thorough("Fingerprint", "test"), thorough("Mutagenicity", "validation")],
)
def test_real_gxl_comes_in_a_stream_as_it_comes_at_once(name, split):
    path = iam_path() / f"{name}.zip"
    graphs, classes = gio.read_collection(path, split)
    pairs = list(gio.iterate_collection(path, split))
    assert [graph for graph, _ in pairs] == graphs
    assert [label for _, label in pairs] == classes


GXL = '<gxl><graph id="g" edgemode="undirected"><node id="n">{}</node></graph></gxl>'


@pytest.mark.parametrize("values", [
    ["<string>1</string>", "<string>2.5</string>", "<string>x</string>"], ["<string>\ufffd</string>"] * 3,
    ["<string>\ufffd</string>", "<string>3</string>", "<string>4</string>"], ["<float>1</float>", None, "<float>2</float>"],
    ["<float>1</float>", "<string>7</string>", "<string>8</string>"],
    ["<float>1</float>", "<string>x</string>", "<float>1</float>"],
    ["<bool>true</bool>", "<bool>false</bool>", "<bool>no</bool>"],
    ["<tup><float>1</float><float>2</float></tup>", None, "<tup><float>3</float><float>4</float></tup>"],
    ["<tup><float>1</float><float>2</float></tup>", "<tup><float>3</float></tup>", None],
])  # fmt: skip
def test_types_of_gxl_columns_are_those_of_the_collection_also_in_a_stream(tmp_path, values):
    for i, value in enumerate([*values, values[0]]):
        attr = "" if value is None else f'<attr name="a">{value}</attr>'
        (tmp_path / f"g{i}.gxl").write_text(GXL.format(attr), encoding="utf-8")
    expected = only_graph_errors(lambda: gio.read_collection(tmp_path)[0])
    assert only_graph_errors(lambda: [graph for graph, _ in gio.iterate_collection(tmp_path)]) == expected


def test_parquet_in_folders_below_and_in_zips(tmp_path):
    graphs = letters(4)
    gio.write_parquet(graphs, tmp_path / "outer" / "inner" / "a.parquet", ["1", None, "2", "3"])
    assert gio.read_collection(tmp_path / "outer") == (graphs, ["1", "", "2", "3"])
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(tmp_path / "outer" / "inner" / "a.parquet", "a.parquet")
    with pytest.raises(gm.GraphError, match=r"a\.zip/a\.parquet: is Parquet inside a zip; unpack it first"):
        gio.read_collection(tmp_path / "a.zip")
    with pytest.raises(gm.GraphError, match=r"gone\.parquet: no such file"):
        gio.read_collection(tmp_path / "gone.parquet")
    with pytest.raises(gm.GraphError, match="has no split 'test'"):
        gio.read_collection(tmp_path / "outer", "test")


def test_the_command_converts_to_parquet_and_back(tmp_path):
    graphs = letters(9)
    gio.write_collection(graphs, tmp_path / "json", None, "json")
    run = CliRunner()

    def convert(*arguments):
        result = run.invoke(app, ["convert", *map(str, arguments)])
        return result.exit_code, result.output

    assert convert(tmp_path / "json", tmp_path / "a.parquet")[0] == 0
    assert list(gm.open_collection(tmp_path / "a.parquet")) == graphs
    sizes = ["--rows-per-file", 4, "--rows-per-group", 2]
    code, said = convert(tmp_path / "a.parquet", tmp_path / "parts", "--to", "parquet", *sizes)
    assert (code, said.split(" written")[0]) == (0, "9 graphs")
    assert gm.open_collection(tmp_path / "parts").sizes.tolist() == [2, 2, 2, 2, 1]
    assert convert(tmp_path / "parts", tmp_path / "again", "--to", "json")[0] == 0
    assert gio.read_collection(tmp_path / "again")[0] == graphs
    code, said = convert(tmp_path / "json", tmp_path / "b.npz", "--rows-per-file", 4)
    assert (code, said.count("\n")) == (2, 1)
    assert "are for Parquet" in said
    gio.write_collection(graphs, tmp_path / "classes.parquet", list("abcabcabc"))
    assert convert(tmp_path / "classes.parquet", tmp_path / "c.parquet")[0] == 0
    assert gm.open_collection(tmp_path / "c.parquet").labels == list("abcabcabc")


# -- sizes and roles from the columns --------------------------------------------------------------


def assert_same_sizes(collection, encoder, rows):
    batch = collection.encoded_rows(encoder, rows)
    names, counts = collection.role_sizes(encoder, rows)
    assert names == batch.role_names
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(counts, batch.role_counts)


def with_roles(count, roles, seed=0):
    rng = np.random.default_rng(seed)
    sizes = rng.integers(0, 5, count)
    return [gm.Graph({"x": rng.random(n)}, roles=[roles[int(r)] for r in rng.integers(len(roles), size=n)]) for n in sizes]


SIZED = {
    "no roles": lambda: letters(20),
    "no columns": lambda: [gm.Graph(n) for n in (0, 3, 1, 2)],
    "nothing but empty graphs": lambda: [gm.Graph(0), gm.Graph(0)],
    "words": lambda: with_roles(20, ["a", "b", "c"]),
    "numbers": lambda: with_roles(20, [3, 1]),
    "anything": lambda: with_roles(20, [("a", 1), 2, "x"]),
    "one stands apart": lambda: [*with_roles(9, ["a", "b"]), gm.Graph({"x": [0.5]}, roles=["c"], name="\ud800")],
    "vectors": lambda: [gm.Graph(np.ones((n, 3))) for n in (2, 1, 4)],
}


@pytest.mark.parametrize("name", SIZED)
def test_sizes_and_roles_come_from_the_columns(name, tmp_path, monkeypatch):
    graphs = SIZED[name]()
    collection = written(graphs, tmp_path / "a.parquet", rows_per_group=4)
    encoder = gm.GraphEncoder().fit(graphs)
    for rows in (range(len(graphs)), range(1, len(graphs) - 1), np.array([len(graphs) - 1, 0, 1]), range(0)):
        assert_same_sizes(collection, encoder, rows)
    read = []
    table = gio.Collection._table

    def counted(self, i, columns=None):
        read.append(columns)
        return table(self, i, columns)

    monkeypatch.setattr(gio.Collection, "_table", counted)
    collection.role_sizes(encoder, range(len(graphs)))
    assert read.count(None) == (name == "one stands apart")  # which is encoded with its partition


def test_roles_that_the_encoder_does_not_know_are_counted_behind_the_others(tmp_path):
    graphs = [*with_roles(6, ["b"]), *with_roles(6, ["z", "b", "y"], 1), *with_roles(6, ["x", "z"], 2)]
    collection = written(graphs, tmp_path / "a.parquet", rows_per_group=5)
    assert_same_sizes(collection, gm.GraphEncoder().fit(with_roles(6, ["a", "b"])), range(18))


@pytest.mark.parametrize("sizes", [[2, 10**9, 2], [2, -1, 2], [2, None, 2], [2, 3, 2]])
def test_a_number_of_nodes_is_not_believed(sizes, tmp_path):
    graphs = [gm.Graph({"x": [0.0, 1.0]}, [(0, 1)], name=f"g{i}") for i in range(3)]
    gio.write_parquet(graphs, tmp_path / "a.parquet")
    table = pq.read_table(tmp_path / "a.parquet")
    field = table.schema.field("n_nodes").with_nullable(True)
    at = table.schema.get_field_index("n_nodes")
    pq.write_table(table.set_column(at, field, pa.array(sizes, pa.int32())), tmp_path / "a.parquet")
    collection = gm.open_collection(tmp_path / "a.parquet")
    encoder = gm.GraphEncoder().fit(graphs)
    for read in (collection.role_sizes, collection.encoded_rows):
        with pytest.raises(gm.GraphError, match=r"a\.parquet: partition 0"):
            read(encoder, range(3))


def test_a_graph_without_roles_among_roles_is_refused_alike(tmp_path):
    collection = written(letters(3), tmp_path / "a.parquet")
    encoder = gm.GraphEncoder().fit(with_roles(6, ["a", "b"]))
    messages = [
        only_graph_errors(read, encoder, range(3)) for read in (collection.role_sizes, collection.encoded_rows)
    ]
    assert messages[0] == messages[1]
    assert isinstance(messages[0], str)


def test_a_survey_is_what_encoding_would_tell(tmp_path):
    from graphmeans.cluster.data.dataset import Survey, surveyed

    graphs = with_roles(30, ["a", "b", "c"])
    collection = written(graphs, tmp_path / "a.parquet", rows_per_group=7)
    encoder = gm.GraphEncoder().fit(graphs)
    found, expected = surveyed(collection, encoder), Survey.of(encoder.transform(graphs))
    assert_same_batch(found.like, expected.like)
    np.testing.assert_array_equal(found.largest, expected.largest)
    np.testing.assert_array_equal(found.cost, expected.cost)
