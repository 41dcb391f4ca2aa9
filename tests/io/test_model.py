"""Estimators in files: they come back as they were, and what is not a sound file is refused in one line."""

from __future__ import annotations

import io
import json
import pickle
import subprocess
import sys
import zipfile
from pathlib import Path

import joblib
import networkx as nx
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import graphmeans as gm
from graphmeans.array_file import seal
from graphmeans.io import write_npz
from graphmeans.means.lifted import Lifted
from strategies import Kind, random_collection

DATA = Path(__file__).parents[1] / "data"


def coloured(count: int = 18) -> list[gm.Graph]:
    """Named columns of every type, with missing values and angles on the edges."""
    rng = np.random.default_rng(1)
    result = []
    for i in range(count):
        n = 2 + i % 3
        nodes = {
            "x": (rng.normal(size=n) + 3 * (i % 2)).tolist(),
            "colour": [("red", "blue")[(i + j) % 2] for j in range(n)],
            "ring": [bool((i + j) % 3) for j in range(n)],
            "vector": rng.normal(size=(n, 2)),
        }
        nodes["x"][0] = None if i % 5 == 0 else nodes["x"][0]
        edges = [(j, j + 1) for j in range(n - 1)]
        result.append(gm.Graph(nodes, edges, {"angle": rng.uniform(0, 3, len(edges))}, name=f"g{i}"))
    return result


def networkx_graphs() -> list[nx.Graph]:
    return [nx.cycle_graph(3 + i % 2) if i % 3 else nx.path_graph(3) for i in range(12)]


COLLECTIONS = {
    "bare": lambda: random_collection(0, Kind(2, 1), 14, max_nodes=4, classes=3),
    "directed": lambda: random_collection(1, Kind(1, 2, directed=True), 14, max_nodes=3, classes=3),
    "roles": lambda: random_collection(2, Kind(1, 1, roles=("a", "b")), 14, max_nodes=4, classes=3),
    "nothing but structure": lambda: random_collection(3, Kind(0, 1), 14, max_nodes=4),
    "typed columns": coloured,
    "networkx": networkx_graphs,
    "array": lambda: np.random.default_rng(0).normal(size=(30, 3)),
}
OPTIONS = {"typed columns": {"encoder": gm.GraphEncoder(orientations=["angle"], weights={"x": 2.0}, presence=0.5)}}


def fitted(name: str, **options: object) -> tuple[gm.GraphKMeans, object]:
    data = COLLECTIONS[name]()
    options = {"n_init": 1, "random_state": 0, **OPTIONS.get(name, {}), **options}
    return gm.GraphKMeans(3, **options).fit(data), data


def assert_same(a: gm.GraphKMeans, b: gm.GraphKMeans, data: object) -> None:
    assert vars(a).keys() - {"_alignments"} == vars(b).keys() - {"_alignments"}  # these stay in the process of the fit
    np.testing.assert_array_equal(a.predict(data), b.predict(data))
    np.testing.assert_array_equal(a.transform(data), b.transform(data))
    assert a.score(data) == b.score(data)
    np.testing.assert_array_equal(a.labels_, b.labels_)
    np.testing.assert_array_equal(a.distances_, b.distances_)
    np.testing.assert_array_equal(np.asarray(a.trace_), np.asarray(b.trace_))
    for key in ("inertia_", "n_iter_", "n_matchings_", "n_seeding_matchings_", "n_evaluation_matchings_", "_kind"):
        assert getattr(a, key) == getattr(b, key)
        assert type(getattr(a, key)) is type(getattr(b, key))
    np.testing.assert_equal(a.certified_fraction_, b.certified_fraction_)
    assert a.centroids("graph") == b.centroids("graph")
    assert [m.mapping for m in a.align(data)] == [m.mapping for m in b.align(data)]
    if isinstance(a.cluster_centers_, np.ndarray):
        np.testing.assert_array_equal(a.cluster_centers_, b.cluster_centers_)


@pytest.mark.parametrize("name", COLLECTIONS)
def test_a_loaded_model_is_the_saved_one(name, tmp_path):
    km, data = fitted(name)
    path = tmp_path / "deep" / "model.gmz"
    km.save(path)
    twin = gm.load(path)
    assert_same(km, twin, data)
    assert repr(twin.get_params()) == repr(km.get_params())
    twin.save(tmp_path / "again.gmz")
    assert (tmp_path / "again.gmz").read_bytes() == path.read_bytes()
    assert type(twin.centroids()[0]) is type(km.centroids()[0])
    np.testing.assert_array_equal(clone(twin).fit(data).labels_, km.labels_)


@pytest.mark.parametrize(
    "options",
    [
        {"algorithm": "lloyd", "matcher": gm.Exact(max_tree_nodes=500), "mean": "subgradient"},
        {"algorithm": "elkan", "matcher": "graduated", "node_weight": 0.25, "edge_weight": 3.0},
        {"algorithm": "lloyd", "order": None, "mean": Lifted(max_sweeps=3), "tol": 1e-3},
        {"algorithm": "lloyd", "mean": "set"},
        {"algorithm": "gvr", "theta": 0.25, "matcher": "search", "effort": 0.5, "order": 5},
        {"init": "furthest-first", "n_jobs": 1, "random_state": 3},
    ],
)
def test_every_parameter_is_kept(options, tmp_path):
    km, data = fitted("bare", **options)
    km.save(tmp_path / "model.gmz")
    twin = gm.load(tmp_path / "model.gmz")
    assert_same(km, twin, data)
    assert repr(twin.get_params()) == repr(km.get_params())


def test_given_starts_are_kept(tmp_path):
    for name in ("bare", "typed columns", "networkx", "array"):
        data = COLLECTIONS[name]()
        km, data = fitted(name, init=data[:3])
        km.save(tmp_path / "model.gmz")
        twin = gm.load(tmp_path / "model.gmz")
        np.testing.assert_array_equal(clone(twin).fit(data).labels_, km.labels_)
    km, data = fitted("bare")
    again = gm.GraphKMeans(3, init=km.centroids(), random_state=0).fit(data)
    again.save(tmp_path / "model.gmz")
    assert gm.load(tmp_path / "model.gmz").init == km.centroids()


def test_what_a_file_cannot_hold_is_said(tmp_path):
    def start(X, n_clusters, random_state):
        return [X[i] for i in random_state.permutation(len(X))[:n_clusters]]

    km, data = fitted("bare", init=start, random_state=np.random.RandomState(0))
    with pytest.warns(UserWarning, match="cannot be written to a model file") as warned:
        km.save(tmp_path / "model.gmz")
    assert len(warned) == 2
    twin = gm.load(tmp_path / "model.gmz")
    assert twin.init == "k-means++"
    assert twin.random_state is None
    assert callable(km.init)
    assert_same(km, twin, data)

    class Mine(gm.Exact):
        """Not of this package."""

    other, _ = fitted("bare", matcher=Mine())
    with pytest.raises(gm.GraphError, match=r"matcher is Mine, which a model file cannot hold \(pickle can\)"):
        other.save(tmp_path / "other.gmz")
    assert not (tmp_path / "other.gmz").exists()
    with pytest.raises(NotFittedError):
        gm.GraphKMeans(3).save(tmp_path / "never.gmz")
    with pytest.raises(gm.GraphError, match="cannot be written"):
        fitted("bare")[0].save(tmp_path)


def test_it_predicts_the_same_in_a_fresh_process(tmp_path):
    km, data = fitted("typed columns")
    km.save(tmp_path / "model.gmz")
    write_npz(data, tmp_path / "graphs.npz")
    script = (
        "import sys, numpy, graphmeans as gm; from graphmeans.io import read_npz;"
        "km = gm.load(sys.argv[1]); graphs = read_npz(sys.argv[2]);"
        "numpy.savez(sys.argv[3], labels=km.predict(graphs), distances=km.transform(graphs),"
        " centers=km.cluster_centers_.nodes, x=numpy.concatenate([c.nodes['x'] for c in km.centroids()]))"
    )
    paths = [str(tmp_path / name) for name in ("model.gmz", "graphs.npz", "out.npz")]
    subprocess.run([sys.executable, "-c", script, *paths], check=True, timeout=600)
    with np.load(paths[2]) as out:
        np.testing.assert_array_equal(out["labels"], km.predict(data))
        np.testing.assert_array_equal(out["distances"], km.transform(data))
        np.testing.assert_array_equal(out["centers"], km.cluster_centers_.nodes)
        np.testing.assert_array_equal(out["x"], np.concatenate([c.nodes["x"] for c in km.centroids()]))


def test_pickle_and_joblib_too(tmp_path):
    km, data = fitted("typed columns")
    joblib.dump(km, tmp_path / "model.joblib", compress=1)
    for twin in (joblib.load(tmp_path / "model.joblib"), pickle.loads(pickle.dumps(km))):
        assert_same(km, twin, data)


@pytest.mark.parametrize("name", ["model_v1", "model_v1_interval", "model_v2"])
def test_a_file_of_an_earlier_version_still_loads(name):
    letters, _ = gm.datasets.make_letters(30, random_state=0)
    km = gm.load(DATA / f"{name}.gmz")
    expected = json.loads((DATA / f"{name}.json").read_text())
    assert km.predict(letters).tolist() == expected["labels"]
    np.testing.assert_allclose(km.transform(letters)[:5], expected["distances"], rtol=1e-9)
    assert [mean.n_nodes for mean in km.centroids()] == expected["nodes"]
    assert km.trace_["inertia"][-1] > 0
    if name != "model_v1":
        assert km.matcher.max_tree_nodes == 500
        assert km.trace_["pruned_by_sketches"].sum() > 0


# -- files that are no good ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("saved") / "model.gmz"
    fitted("typed columns")[0].save(path)
    return path


def refused(path: Path) -> str:
    """The line with which a file is refused."""
    with pytest.raises(gm.GraphError) as caught:
        gm.load(path)
    line = str(caught.value)
    assert line.startswith(str(path))
    assert "\n" not in line
    assert len(line) < 1000
    return line


def attempt(action, path: Path | None):
    """What the action gives, None if it is refused in one line; any other exception is a failure."""
    try:
        return action()
    except gm.GraphError as error:
        line = str(error)
    assert "\n" not in line
    assert line
    assert path is None or line.startswith(str(path))
    return None


def resigned(source: Path, target: Path, change) -> Path:
    """The model after `change(about, arrays)`, with a checksum that is right again."""
    with zipfile.ZipFile(source) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    about = json.loads(members["model.json"])
    arrays = {name: np.load(io.BytesIO(members[member])) for name, member in about["arrays"].items()}
    change(about, arrays)
    files = {}
    for i, (name, array) in enumerate(arrays.items()):
        stream = io.BytesIO()
        np.save(stream, array, allow_pickle=True)
        files[f"arrays/{i}.npy"] = stream.getvalue()
        about["arrays"][name] = f"arrays/{i}.npy"
    files |= {"model.json": json.dumps(about).encode()}
    return sealed(target, files)


def sealed(path: Path, files: dict[str, bytes], packed: int = zipfile.ZIP_STORED) -> Path:
    """A zip of these files whose checksum is right."""
    with path.open("w+b") as stream:
        with zipfile.ZipFile(stream, "w", packed) as archive:
            for name, data in files.items():
                archive.writestr(name, data)
            archive.comment = b"graphmeans sha256 " + 64 * b"0"
        seal(stream)
    return path


def test_resigning_by_itself_changes_nothing(saved, tmp_path):
    km = gm.load(resigned(saved, tmp_path / "model.gmz", lambda about, arrays: None))
    assert_same(km, gm.load(saved), coloured())


def test_a_thousand_damaged_files(saved, tmp_path):
    """A flipped byte or a lost end is refused in one line: every byte is under a checksum."""
    whole, rng, path = saved.read_bytes(), np.random.default_rng(0), tmp_path / "model.gmz"
    for i in range(1000):
        damaged = bytearray(whole)
        if i % 4 == 0:
            damaged = damaged[: rng.integers(len(whole))]
        elif i % 4 == 1:
            damaged[rng.integers(len(whole))] ^= 1 << rng.integers(8)
        elif i % 4 == 2:
            start = rng.integers(len(whole))
            damaged[start : start + 16] = rng.bytes(16)
        else:
            start = rng.integers(len(whole))
            del damaged[start : start + rng.integers(1, 400)]
        if bytes(damaged) != whole:
            path.write_bytes(damaged)
            assert attempt(lambda: gm.load(path), path) is None


def test_whatever_a_byte_of_the_description_becomes(saved, tmp_path):
    """The checksums are right, the contents are not: no traceback, no crash in a kernel."""
    rng, data = np.random.default_rng(1), coloured()
    with zipfile.ZipFile(saved) as archive:
        text = archive.read("model.json").decode()

    def mutated(about, arrays):
        keys = list(arrays)
        key = keys[rng.integers(len(keys))]
        array = arrays[key]
        if rng.random() < 0.5 and array.size:
            flat = array.reshape(-1)
            flat[rng.integers(array.size)] = np.array(rng.choice([-1, 0, 1, 7, 100, 2**30])).astype(array.dtype)
        elif rng.random() < 0.5:
            arrays[key] = array[:-1]
        else:
            arrays[key] = array.astype([np.int64, np.float64, np.int32, bool][rng.integers(4)])

    def scribbled(about, arrays):
        leaves: list = []

        def walk(node):
            for key in node if isinstance(node, dict) else range(len(node)):
                leaves.append((node, key))
                if isinstance(node[key], (dict, list)):
                    walk(node[key])

        walk(about["model"])
        node, key = leaves[rng.integers(len(leaves))]
        node[key] = [None, -1, "x", 1e300, [], {}, True, {"tuple": [1]}, {"array": "x"}][rng.integers(9)]

    assert len(text) > 1000
    loaded = 0
    for i in range(400):
        path = resigned(saved, tmp_path / "model.gmz", mutated if i % 2 else scribbled)
        km = attempt(lambda path=path: gm.load(path), path)
        if km is not None:
            loaded += 1  # another model, but a sound one
            found = attempt(lambda km=km: km.transform(data), None)
            assert found is None or found.shape == (len(data), 3)
    assert 0 < loaded < 200


def set_in(name, value):
    def change(about, arrays):
        key = next(key for key in arrays if key.endswith(name))
        arrays[key] = value(arrays[key]) if callable(value) else value

    return change


def set_field(path, value):
    def change(about, arrays):
        node = about
        for key in path[:-1]:
            node = node[key]
        node[path[-1]] = value

    return change


SPACE = ["model", "GraphKMeans", "space_", "GraphSpace"]
HOSTILE = {
    "an end node far outside": (set_in("batch/ends", lambda a: a + 1000), "edges must go from a node to a later one"),
    "offsets that run backwards": (set_in("batch/node_ptr", lambda a: a[::-1].copy()), "offsets must rise from 0"),
    "roles that do not exist": (set_in("batch/roles", lambda a: a + 5), "batch/roles cannot be right"),
    "infinite centers": (set_in("batch/nodes", lambda a: a + np.inf), "batch/nodes cannot be right"),
    "a wider graph": (set_in("batch/nodes", lambda a: np.hstack([a, a])), "as wide as the columns"),
    "no support": (set_in("node_support", lambda a: a * 0), "node_support cannot be right"),
    "labels of no cluster": (set_in("labels_", lambda a: a + 7), "labels_ cannot be right"),
    "a space beyond all memory": (set_in("space_/order", np.array([10**9])), "an order is at most 16384"),
    "a space too small": (set_in("space_/order", np.array([0])), "the same roles, directions and order"),
    "pickled objects": (set_in("labels_", np.array([{"a": 1}], dtype=object)), "holds Python objects"),
    "a million threads": (set_field([*SPACE, "n_jobs"], 4096), "n_jobs cannot be right"),
    "effort without end": (set_field([*SPACE, "matcher", "Auto", "effort"], 1e300), "effort cannot be right"),
    "a weight below zero": (set_field([*SPACE, "node_weight"], -1.0), "node_weight"),
    "another class": (set_field([*SPACE, "matcher"], {"Popen": {"args": "ls"}}), "nothing that a file may hold"),
    "a dunder": (set_field(["model", "GraphKMeans", "__class__"], 1), "'__class__' is no part of it"),
    "a method": (set_field(["model", "GraphKMeans", "predict"], 1), "'predict' is no part of it"),
    "no estimator": (set_field(["model"], {"Exact": {}}), "must be one of GraphKMeans"),
    "a later version": (set_field(["version"], 99), "install a newer graphmeans"),
    "no version": (set_field(["version"], None), "never existed"),
    "another format": (set_field(["format"], "?"), "is not a model"),
    "a parameter of the future": (set_field(["model", "GraphKMeans", "shiny"], 1), "'shiny' is no part of it"),
    "the same array twice": (
        set_field(["model", "GraphKMeans", "distances_"], {"array": "GraphKMeans/labels_"}), "not consistent",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_with_good_checksums_are_refused(name, saved, tmp_path):
    change, said = HOSTILE[name]
    assert said in refused(resigned(saved, tmp_path / "model.gmz", change))


def test_files_that_are_no_models(saved, tmp_path):
    path = tmp_path / "model.gmz"
    assert "no such file" in refused(path)
    assert "is a folder, not a file" in refused(tmp_path)
    for content in (b"", b"PK\x03\x04", b"hello" * 100, saved.read_bytes()[:-300]):
        path.write_bytes(content)
        assert "is not a readable zip file" in refused(path)
    path.write_bytes(saved.read_bytes()[:-30])
    assert "does not have its seal" in refused(path)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert "is not a model that graphmeans saved" in refused(path)
    pickle.dump({"a": 1}, path.open("wb"))
    assert "is not a readable zip file" in refused(path)


def test_zip_tricks_are_refused(saved, tmp_path):
    path = tmp_path / "model.gmz"
    path.write_bytes(saved.read_bytes())
    with zipfile.ZipFile(path, "a") as archive:
        archive.writestr("../../outside.txt", "x")
    assert "do not have their checksum" in refused(path)
    with zipfile.ZipFile(saved) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    sealed(path, members | {"../../outside.txt": b"x"})
    assert "'../../outside.txt', which is no part of a model" in refused(path)
    assert not (tmp_path.parent.parent / "outside.txt").exists()
    sealed(path, members, zipfile.ZIP_DEFLATED)
    assert "is compressed, where it must not be" in refused(path)
    sealed(path, {"model.json": b"[" + b" " * 2**27 + b"]"}, zipfile.ZIP_DEFLATED)
    assert "more than 200 times its size" in refused(path)
    sealed(path, {"model.json": b"[" + b" " * 2**25 + b"]"}, zipfile.ZIP_DEFLATED)
    assert "is larger than 16 MiB" in refused(path)
    sealed(path, {"model.json": b"{}"}, zipfile.ZIP_BZIP2)
    assert "method other than deflate" in refused(path)
    sealed(path, {"model.json": b"[" * 200_000})
    assert "is not valid JSON" in refused(path)


@pytest.mark.parametrize("member", ["model.json", "arrays/3.npy"])
def test_members_of_a_file_of_an_earlier_version_have_their_checksums(member, tmp_path):
    path = tmp_path / "model.gmz"
    with zipfile.ZipFile(DATA / "model_v2.gmz") as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data[:-1] + bytes([data[-1] ^ 1]) if name == member else data)
    assert "does not have its checksum" in refused(path) or "is not valid JSON" in refused(path)


def test_a_file_of_this_version_needs_its_seal(saved, tmp_path):
    path = tmp_path / "model.gmz"
    with zipfile.ZipFile(saved) as old, zipfile.ZipFile(path, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name))
    assert "does not have its seal" in refused(path)


def test_a_failed_save_leaves_the_old_file(saved, tmp_path, monkeypatch):
    path = tmp_path / "model.gmz"
    km = gm.load(saved)
    km.save(path)
    before = path.read_bytes()

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "writestr", full)
    with pytest.raises(gm.GraphError, match="No space left on device"):
        km.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
