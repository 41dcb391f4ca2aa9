"""Networks in an array of NumPy: a .npy file, or an .npz with the names of the rows."""

from __future__ import annotations

import io
import zipfile

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.graphs.labelled import labelled_networks, with_identities
from graphmeans.io import read_collection, read_graph

REGIONS = ["Precentral L", "Precentral R", "Cuneus L", "Cuneus R", "Insula L"]


@pytest.fixture
def matrices():
    rng = np.random.default_rng(0)
    found = rng.normal(size=(7, 5, 5))
    return found + found.transpose(0, 2, 1)


def refused(path) -> str:
    with pytest.raises(gm.GraphError) as error:
        read_collection(path)
    line = str(error.value)
    assert line.startswith(str(path))
    assert "\n" not in line
    return line


def same(found, expected) -> None:
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert a.node_ids == b.node_ids
        assert a.directed == b.directed
        assert np.array_equal(gm.to_adjacency(a), gm.to_adjacency(b))
        assert {key: column.tolist() for key, column in a.nodes.items()} == {k: c.tolist() for k, c in b.nodes.items()}


@pytest.mark.parametrize("labels", ["labels", "names", "bytes", None])
def test_an_array_holds_networks(labels, matrices, tmp_path):
    if labels is None:
        np.save(tmp_path / "brains.npy", matrices)
        path, names = tmp_path / "brains.npy", [f"row {i}" for i in range(5)]
    else:
        given = np.array(REGIONS) if labels != "bytes" else np.array(REGIONS).astype("S")
        np.savez_compressed(tmp_path / "brains.npz", matrices, **{"labels" if labels == "bytes" else labels: given})
        path, names = tmp_path / "brains.npz", REGIONS
    graphs, classes = read_collection(path)
    assert classes is None
    assert all(graph.roles is None and graph.name is None for graph in graphs)
    expected = labelled_networks(matrices, labels=names)
    same(graphs, expected)
    kept = with_identities(graphs)
    assert gm.distance(kept[0], kept[1]) == pytest.approx(gm.distance(expected[0], expected[1]))
    with pytest.warns(UserWarning, match="nodes of the same names"):
        gm.GraphKMeans(2, n_init=1, random_state=0).fit(graphs)


@pytest.mark.parametrize("dtype", ["<f4", ">f8", "<i2", "bool", "f2"])
def test_numbers_of_any_kind_and_order(dtype, matrices, tmp_path):
    stored = np.asfortranarray((matrices * 3).astype(dtype))
    np.save(tmp_path / "x.npy", stored)
    same(read_collection(tmp_path / "x.npy")[0], labelled_networks(stored, labels=[f"row {i}" for i in range(5)]))


def test_one_matrix_is_one_network(matrices, tmp_path):
    np.save(tmp_path / "one.npy", matrices[0])
    (graph,) = read_collection(tmp_path / "one.npy")[0]
    assert np.array_equal(gm.to_adjacency(graph) != 0, (matrices[0] != 0) & ~np.eye(5, dtype=bool))
    np.savez(tmp_path / "one.npz", matrices[0])
    assert read_graph(tmp_path / "one.npz").name == "one"


def test_rounding_makes_no_directions_but_asymmetry_does(matrices, tmp_path):
    rounded = matrices.astype(np.float32)
    rounded[:, 0, 1] *= 1 + 2e-7
    np.save(tmp_path / "rounded.npy", rounded)
    assert not any(graph.directed for graph in read_collection(tmp_path / "rounded.npy")[0])
    matrices[3, 0, 1] += 0.5
    np.save(tmp_path / "arcs.npy", matrices)
    graphs = read_collection(tmp_path / "arcs.npy")[0]
    assert all(graph.directed for graph in graphs)
    same(graphs, labelled_networks(matrices, labels=[f"row {i}" for i in range(5)], directed=True))


def test_a_folder_of_arrays(matrices, tmp_path):
    np.savez(tmp_path / "a.npz", matrices[:2])
    np.savez(tmp_path / "b.npz", matrices[2])
    assert [graph.name for graph in read_collection(tmp_path)[0]] == ["a 0", "a 1", "b"]


def header(shape: object, descr: str = "<f8", order: str = "False") -> bytes:
    text = f"{{'descr': {descr!r}, 'fortran_order': {order}, 'shape': {shape}, }}".encode()
    return b"\x93NUMPY\x02\x00" + len(text).to_bytes(4, "little") + text


@pytest.mark.parametrize(
    ("array", "said"),
    [
        (np.zeros((3, 4, 5)), "shape (3, 4, 5); expected N networks on n nodes, (N, n, n)"),
        (np.zeros(4), "shape (4,)"),
        (np.zeros((2, 2, 3, 3)), "shape (2, 2, 3, 3)"),
        (np.zeros((0, 4, 4)), "shape (0, 4, 4)"),
        (np.zeros((4, 0, 0)), "shape (4, 0, 0)"),
        (np.full((2, 3, 3), np.nan), "NaN or infinity"),
        (np.full((2, 3, 3), np.inf), "NaN or infinity"),
        (np.zeros((2, 3, 3), dtype=complex), "complex128, not numbers"),
        (np.zeros((2, 3, 3), dtype="U3"), "not numbers"),
        (np.zeros((2, 3, 3), dtype=[("a", "f8"), ("b", "f8")]), "not matrices of numbers"),
        (np.array([[[None, 1], [1, None]]], dtype=object), "Python objects, which are never read"),
    ],
)
def test_odd_arrays_are_refused_in_one_line(array, said, tmp_path):
    np.save(tmp_path / "odd.npy", array, allow_pickle=True)
    assert said in refused(tmp_path / "odd.npy")
    np.savez(tmp_path / "odd.npz", array)
    assert said in refused(tmp_path / "odd.npz")


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "unreadable header"),
        (b"\x93NUMPY\x01\x00", "unreadable header"),
        (header((2, 3, 3)), "do not fit its shape"),
        (header((10**12, 400, 400)) + bytes(800), "do not fit its shape"),
        (header((10**15, 0, 0)), "expected N networks"),
        (header((-2, 3, 3)) + bytes(144), "shape (-2, 3, 3)"),
        (header("(" + "1, " * 9000 + ")"), "unreadable header"),
        (header("__import__('os')"), "unreadable header"),
        (header((1 << 40, 3, 3), "<U0"), "not numbers"),
    ],
)
def test_hostile_arrays_are_refused_in_one_line(data, said, tmp_path):
    (tmp_path / "hostile.npy").write_bytes(data)
    assert said in refused(tmp_path / "hostile.npy")


def npz(**members: bytes) -> bytes:
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w") as archive:
        for name, data in members.items():
            archive.writestr(f"{name}.npy", data)
    return target.getvalue()


def saved(array) -> bytes:
    stream = io.BytesIO()
    np.save(stream, array, allow_pickle=True)
    return stream.getvalue()


STACK = np.ones((2, 3, 3))


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ({}, "holds nothing"),
        ({"a": saved(STACK), "b": saved(STACK)}, "holds 'a', 'b'; expected"),
        ({"labels": saved(np.array(["a", "b", "c"]))}, "holds 'labels'; expected"),
        ({"a": saved(STACK), "labels": saved(np.array(["a", "b"]))}, "2 labels, but the networks have 3 nodes"),
        ({"a": saved(STACK), "labels": saved(np.array(["a", "b", "b"]))}, "not unique"),
        ({"a": saved(STACK), "labels": saved(np.array([["a", "b", "c"]]))}, "expected a row of names"),
        ({"a": saved(STACK), "labels": saved(np.array(["a", "b", None], dtype=object))}, "Python objects"),
        ({"a": saved(STACK), "labels": saved(np.arange(3))}, "not strings"),
        ({"a": saved(STACK), "labels": saved(np.array([b"\xff", b"a", b"b"]))}, "not UTF-8"),
        ({"a": saved(STACK), "labels": header((1 << 40,), "<U0")}, "not strings"),
        ({"a": saved(STACK), "labels": header((3,), "<U1") + b"\xff" * 12}, "is no text"),
        ({"a": saved(STACK), "labels": header((3,), ">U1") + b"\0\0\xd8\0" * 3}, "is no text"),
        ({"a": saved(STACK), "labels": saved(np.array(["a", "b", "c"])), "names": saved(np.array(["a", "b", "c"]))}, "expected"),
    ],
)
def test_odd_files_of_arrays_are_refused_in_one_line(members, said, tmp_path):
    (tmp_path / "odd.npz").write_bytes(npz(**members))
    assert said in refused(tmp_path / "odd.npz")


def test_what_is_read_is_charged(tmp_path, matrices):
    np.save(tmp_path / "large.npy", np.ones((200, 30, 30)))
    with pytest.raises(gm.GraphError, match="would take more than"):
        read_collection(tmp_path / "large.npy", max_memory="3MB")
    assert len(read_collection(tmp_path / "large.npy")[0]) == 200
