"""`read_collection`: whatever a path is."""

from __future__ import annotations

import os
import zipfile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from typer.testing import CliRunner

import graphmeans as gm
from graphmeans.cli import app
from graphmeans.io import read_collection, write_collection, write_graph, write_graphs, write_npz
from graphmeans.io.registry import FORMATS, GRAPH_FILES
from io_helpers import any_graphs, assert_same

GRAPHS = [gm.Graph({"x": [float(i), 1.0]}, [(0, 1)], name=f"g{i}") for i in range(12)]


@pytest.mark.parametrize("kind", ["graphml", "json", "npz", "gxl"])
def test_a_folder_of_one_kind_in_natural_order(kind, tmp_path):
    write_graphs(GRAPHS, tmp_path / "in", kind)
    (tmp_path / "in" / "README.txt").write_text("not a graph")
    (tmp_path / "in" / f".hidden.{kind}").write_text("nor this")
    for path in (tmp_path / "in", tmp_path):  # the folder, or one above it
        graphs, classes = read_collection(path)
        assert classes is None
        assert [graph.name for graph in graphs] == [f"g{i}" for i in range(12)]
        for found, expected in zip(graphs, GRAPHS, strict=True):
            assert found.nodes["x"].tolist() == expected.nodes["x"].tolist()


@pytest.mark.parametrize("kind", ["graphml", "json", "gxl"])
def test_a_zip_of_one_kind(kind, tmp_path):
    with zipfile.ZipFile(tmp_path / "z.zip", "w") as target:
        for path in write_graphs(GRAPHS, tmp_path / "in", kind):
            target.write(path, f"below/{path.name.upper()}")
    graphs, _ = read_collection(tmp_path / "z.zip")
    assert [graph.name for graph in graphs] == [f"G{i}" for i in range(12)]


@pytest.mark.parametrize("kind", ["graphml", "json", "npz", "gxl"])
def test_a_single_file_is_a_collection_of_one(kind, tmp_path):
    write_graph(GRAPHS[3], tmp_path / f"g3.{kind}")
    graphs, classes = read_collection(str(tmp_path / f"g3.{kind}"))
    assert classes is None
    assert len(graphs) == 1
    assert graphs[0].name == "g3"


@given(graphs=st.lists(any_graphs(), min_size=1, max_size=4))
@pytest.mark.parametrize("kind", ["graphml", "json", "npz"])
def test_graphs_of_any_kind_come_back(kind, graphs, tmp_path_factory):
    folder = tmp_path_factory.mktemp("in")
    paths = write_graphs(graphs, folder, kind)
    found = {graph.name: graph for graph in read_collection(folder)[0]}
    for graph, path in zip(graphs, paths, strict=True):
        name = path.stem if graph.name is None else graph.name
        if sum(name == (p.stem if g.name is None else g.name) for g, p in zip(graphs, paths, strict=True)) == 1:
            assert_same(found[name], graph, named=path.stem)


def test_writing_a_collection(tmp_path):
    write_collection(GRAPHS, tmp_path / "all.npz")
    assert read_collection(tmp_path / "all.npz") == (GRAPHS, None)
    write_collection(GRAPHS, tmp_path / "classes", ["A"] * 12)
    assert read_collection(tmp_path / "classes", "collection")[1] == ["A"] * 12
    assert read_collection(tmp_path / "classes" / "collection.cxl")[1] == ["A"] * 12
    write_collection(GRAPHS, tmp_path / "graphml")
    assert len(list((tmp_path / "graphml").glob("*.graphml"))) == 12
    with pytest.raises(gm.GraphError, match="npz files do not keep classes"):
        write_collection(GRAPHS, tmp_path / "all.npz", ["A"] * 12)
    with pytest.raises(gm.GraphError, match="cannot write 'xls'"):
        write_collection(GRAPHS, tmp_path / "x", kind="xls")


def test_folders_that_hold_nothing_or_too_much(tmp_path):
    (tmp_path / "empty").mkdir()
    with pytest.raises(gm.GraphError, match=r"empty: holds no graphs: it is empty; known are \.gxl"):
        read_collection(tmp_path / "empty")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "a.txt").write_text("")
    with pytest.raises(gm.GraphError, match=r"holds no graphs: only files with \.txt; known are"):
        read_collection(tmp_path / "other")
    write_graph(GRAPHS[0], tmp_path / "mixed" / "a.json")
    write_graph(GRAPHS[0], tmp_path / "mixed" / "b.json")
    write_graph(GRAPHS[0], tmp_path / "mixed" / "a.graphml")
    with pytest.raises(gm.GraphError, match=r"mixed: mixes kinds of files \(1 GraphML and 2 JSON\)"):
        read_collection(tmp_path / "mixed")
    write_graph(GRAPHS[0], tmp_path / "two" / "a" / "a.json")
    write_graph(GRAPHS[0], tmp_path / "two" / "b" / "a.json")
    with pytest.raises(gm.GraphError, match=r"two: has graphs in 2 folders \(a, b\)"):
        read_collection(tmp_path / "two")


def test_paths_that_are_nothing_we_know(tmp_path):
    with pytest.raises(gm.GraphError, match="no such file or folder"):
        read_collection(tmp_path / "absent")
    with pytest.raises(gm.GraphError, match=r"absent\.json: cannot be read"):
        read_collection(tmp_path / "absent.json")
    with pytest.raises(gm.GraphError, match="no such file"):
        read_collection("with\0nul")
    (tmp_path / "a.pdf").write_text("")
    with pytest.raises(gm.GraphError, match=r"a.pdf: is none of \.gxl"):
        read_collection(tmp_path / "a.pdf")
    (tmp_path / "a.zip").write_bytes(b"PK\3\4 but no more")
    with pytest.raises(gm.GraphError, match=r"a\.zip: is not a readable zip file"):
        read_collection(tmp_path / "a.zip")
    os.mkfifo(tmp_path / "pipe.json")
    with pytest.raises(gm.GraphError, match=r"pipe\.json: is not an ordinary file"):
        read_collection(tmp_path / "pipe.json")


def test_a_split_needs_lists(tmp_path):
    write_graph(GRAPHS[0], tmp_path / "g.json")
    for path in (tmp_path, tmp_path / "g.json"):
        with pytest.raises(gm.GraphError, match="has no split 'test'"):
            read_collection(path, "test")


def test_the_file_at_fault_is_named(tmp_path):
    write_graphs(GRAPHS, tmp_path, "json")
    (tmp_path / "g7.json").write_text('{"nodes": [')
    with pytest.raises(gm.GraphError, match=r"g7\.json: is not valid JSON"):
        read_collection(tmp_path)
    (tmp_path / "g7.json").write_bytes(b"\xff\xff")
    with pytest.raises(gm.GraphError, match=r"g7\.json: is not UTF-8"):
        read_collection(tmp_path)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="the superuser may read everything")
def test_a_file_that_may_not_be_read(tmp_path):
    write_npz(GRAPHS, tmp_path / "g.npz")
    write_graph(GRAPHS[0], tmp_path / "g.json")
    for name in ("g.npz", "g.json"):
        (tmp_path / name).chmod(0)
        with pytest.raises(gm.GraphError, match=r"g\.(npz|json): .*Permission denied"):
            read_collection(tmp_path / name)


@pytest.mark.parametrize("name", FORMATS)
def test_the_convert_command_knows_every_format(name, tmp_path):
    result = CliRunner().invoke(app, ["convert", str(tmp_path / "absent"), str(tmp_path / "out"), "--to", name])
    assert "absent: no such file or folder" in result.output


def test_no_ending_means_two_formats():
    for endings in (
        [ending for one in FORMATS.values() for ending in (*one.endings, *one.file_endings)],
        [ending for one in FORMATS.values() for ending in one.single_file],
    ):
        assert len(set(endings)) == len(endings)
    assert all(FORMATS[ending[1:]].graph_file == known for ending, known in GRAPH_FILES.items())


def test_classes_may_be_an_array(tmp_path):
    graphs, classes = gm.datasets.make_letters(12, random_state=0)
    write_collection(graphs, tmp_path / "gxl", classes=classes, kind="gxl")
    assert list(read_collection(tmp_path / "gxl")[1]) == classes.tolist()
