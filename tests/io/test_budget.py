"""Reading takes no more than was allowed, and says so; what is no ordinary file is refused and never waited for."""

from __future__ import annotations

import io
import os
import zipfile

import numpy as np
import pytest
from typer.testing import CliRunner

import graphmeans as gm
from graphmeans import budget
from graphmeans.cli import app
from graphmeans.io import iterate_collection, read_collection, read_gml, read_graph, write_collection

MANY = 20_000
#: Files that are small when they are packed, and large when they are read.
REPETITIVE = {
    "gml": b"graph [" + b" ".join(b"node [ id %d ]" % i for i in range(MANY)) + b"]",
    "graphml": b"<graphml><graph>" + b"".join(b'<node id="n%d"/>' % i for i in range(MANY)) + b"</graph></graphml>",
    "json": b'{"nodes": [' + b",".join(b'{"id": %d}' % i for i in range(MANY)) + b'], "edges": []}',
    "gxl": b"<gxl><graph>" + b"".join(b'<node id="n%d"/>' % i for i in range(MANY)) + b"</graph></gxl>",
}


def packed(path, files):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


@pytest.mark.parametrize("kind", REPETITIVE)
def test_a_small_zip_does_not_take_more_than_was_allowed(kind, tmp_path):
    path = packed(tmp_path / "many.zip", {f"{i}.{kind}": REPETITIVE[kind] for i in range(2)})
    with pytest.raises(gm.GraphError, match=r"many\.zip.*would take more than 2 MiB of memory.*--max-memory"):
        read_collection(path, max_memory="2MB")
    assert len(read_collection(path, max_memory="2GB")[0]) == 2
    with pytest.raises(gm.GraphError, match="would take more than"):
        list(_allowed("2MB", lambda: iterate_collection(path)))


def _allowed(text, function):
    budget.set_max_memory(text)
    try:
        yield from function()
    finally:
        budget.set_max_memory(None)


def test_tables_and_arrays_are_bounded_too(tmp_path):
    tu = {"DS_graph_indicator.txt": b"1\n" * MANY, "DS_A.txt": b"1, 2\n", "DS_node_labels.txt": b"1\n" * MANY}
    path = packed(tmp_path / "tu.zip", tu)
    with pytest.raises(gm.GraphError, match="would take more than 2 MiB"):
        read_collection(path, max_memory="2MB")
    write_collection([gm.Graph(np.zeros((MANY * 10, 2)))], tmp_path / "one.npz")
    with pytest.raises(gm.GraphError, match=r"one\.npz.*would take more than 2 MiB"):
        read_collection(tmp_path / "one.npz", max_memory="2MB")
    with pytest.raises(gm.GraphError, match="SMILES of 6000 characters are not read"):
        gm.io.read_smiles(b"C" * 6000)


def test_nodes_without_attributes_are_counted(tmp_path):
    """A Parquet file needs no byte for a node without attributes."""
    pytest.importorskip("pyarrow")
    write_collection([gm.Graph(3_000_000) for _ in range(4)], tmp_path / "bare.parquet")
    assert (tmp_path / "bare.parquet").stat().st_size < 20_000
    with pytest.raises(gm.GraphError, match=r"bare\.parquet: partition 0.*more than 512 MiB of memory \(9000000 nodes"):
        read_collection(tmp_path / "bare.parquet")


def test_the_budget_grows_with_what_is_on_disk(tmp_path):
    graphs, _ = gm.datasets.make_letters(30, random_state=0)
    write_collection(graphs, tmp_path / "letters", kind="graphml")
    with budget.reading() as found:
        read_collection(tmp_path / "letters")
        assert found.limit == budget.FREE + budget.RATIO * sum(f.stat().st_size for f in (tmp_path / "letters").iterdir())
        assert found.nodes == sum(graph.n_nodes for graph in graphs)
        assert found.edges == sum(graph.n_edges for graph in graphs)
        assert 0 < found.kept < found.limit
        assert found.parsing == 0  # what it took to parse is given back
    assert budget._current.get() is None


def test_what_was_read_halfway_leaves_no_budget_behind(tmp_path):
    graphs, _ = gm.datasets.make_letters(5, random_state=0)
    write_collection(graphs, tmp_path / "letters", kind="gml")
    some = iterate_collection(tmp_path / "letters")
    next(some)
    assert budget._current.get() is None
    del some
    with pytest.raises(gm.GraphError):
        read_gml(b"graph [")
    assert budget._current.get() is None


@pytest.mark.parametrize(("text", "size"), [("2GB", 2 << 30), ("1.5 MiB", 3 << 19), ("800k", 800 << 10), ("12", 12), (12.0, 12)])
def test_sizes(text, size):
    assert budget.parse_bytes(text, "it") == size


@pytest.mark.parametrize("text", ["", "much", "-1", "0", "1XB", 0, -5, None, True])
def test_sizes_that_are_none(text):
    with pytest.raises(gm.GraphError, match="it must be a number of bytes such as 800MB or 2GB"):
        budget.parse_bytes(text, "it")


def test_the_option_of_the_command(tmp_path, monkeypatch):
    path = packed(tmp_path / "many.zip", {f"{i}.gml": REPETITIVE["gml"] for i in range(2)})
    result = CliRunner().invoke(app, ["convert", str(path), str(tmp_path / "out.npz"), "--max-memory", "2MB"])
    assert result.exit_code == 2
    assert "would take more than 2 MiB of memory" in result.stderr
    result = CliRunner().invoke(app, ["convert", str(path), str(tmp_path / "out.npz"), "--max-memory", "much"])
    assert result.exit_code == 2
    assert "--max-memory must be a number of bytes" in result.stderr
    monkeypatch.setenv("GRAPHMEANS_MAX_MEMORY", "2MB")
    result = CliRunner().invoke(app, ["convert", str(path), str(tmp_path / "out.npz")])
    assert "would take more than 2 MiB of memory" in result.stderr


# -- what is no ordinary file ------------------------------------------------------------------------


@pytest.mark.parametrize("ending", ["parquet", "npz", "gml", "graphml", "json", "gxl", "smi", "sdf", "csv", "gmz"])
def test_a_pipe_is_refused_and_never_waited_for(ending, tmp_path):
    path = tmp_path / f"pipe.{ending}"
    os.mkfifo(path)
    with pytest.raises(gm.GraphError, match=r"pipe\.[a-z]+: is not an ordinary file but a pipe"):
        gm.load(path) if ending == "gmz" else read_collection(path)


def test_devices_and_folders_with_the_name_of_a_file(tmp_path):
    (tmp_path / "null.json").symlink_to("/dev/null")
    with pytest.raises(gm.GraphError, match=r"null\.json: is not an ordinary file"):
        read_graph(tmp_path / "null.json")
    (tmp_path / "model.gmz").mkdir()
    with pytest.raises(gm.GraphError, match=r"model\.gmz: is a folder, not a file"):
        gm.load(tmp_path / "model.gmz")
    (tmp_path / "graph.gml").mkdir()
    with pytest.raises(gm.GraphError, match=r"graph\.gml: is a folder, not a file"):
        read_graph(tmp_path / "graph.gml")
    with pytest.raises(gm.GraphError, match=r"graph\.gml: holds no graphs"):
        read_collection(tmp_path / "graph.gml")


@pytest.mark.parametrize("kind", ["gml", "parquet"])
def test_links_stay_in_their_folder(kind, tmp_path):
    """One that leads out is refused, one that stays is followed, and one that the caller names is followed, too."""
    graphs = [gm.Graph(2, [(0, 1)], name="g")]
    write_collection(graphs, tmp_path / ("out.parquet" if kind == "parquet" else "out"), kind=kind)
    outside = tmp_path / "out.parquet" if kind == "parquet" else tmp_path / "out" / "g.gml"
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / f"link.{kind}").symlink_to(outside)
    with pytest.raises(gm.GraphError, match="leads out of the folder"):
        read_collection(folder)
    assert len(read_collection(folder / f"link.{kind}")[0]) == 1
    (folder / f"link.{kind}").unlink()
    (folder / f"a.{kind}").write_bytes(outside.read_bytes())
    (folder / f"b.{kind}").symlink_to(folder / f"a.{kind}")
    assert len(read_collection(folder)[0]) == 2
    (folder / f"c.{kind}").symlink_to(folder / f"c.{kind}")
    with pytest.raises(gm.GraphError, match=r"cannot be read|no such file"):
        read_collection(folder)


def test_a_member_without_a_name_is_no_traceback(tmp_path):
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        archive.writestr("x", b"")
    (tmp_path / "odd.zip").write_bytes(target.getvalue().replace(b"x", b""))
    with pytest.raises(gm.GraphError):
        read_collection(tmp_path / "odd.zip")


def test_a_number_of_many_digits_takes_no_time_to_speak_of():
    """What reads numbers must not try all ways to split them: this took minutes."""
    digits = b"9" * 200_000
    with pytest.raises(gm.GraphError):
        read_gml(b"graph [ node [ id 0 x " + digits + b"x ] ]")
    assert read_gml(b"graph [ node [ id 0 x " + digits + b"e-199999 ] ]").n_nodes == 1
    with pytest.raises(gm.GraphError):
        gm.io.read_gxl(b'<gxl><graph id="g"><node id="a"><attr name="x"><string>' + digits + b"x</string></attr></node>"
                       b'<node id="b"><attr name="x"><float>' + digits + b"y</float></attr></node></graph></gxl>")  # fmt: skip


def test_names_of_any_length_make_one_line():
    import pickle

    error = gm.GraphError("x" * 5000 + " is at fault")
    assert len(str(error)) < 1000
    assert str(error).endswith("is at fault")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
