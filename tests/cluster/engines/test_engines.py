"""The same code on threads and on dask: shards are cut, held, called, added up, left behind, lost and built again."""

from __future__ import annotations

import gc
import os
import pickle
import resource
import signal
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pytest
from sklearn.base import clone

import graphmeans as gm
from effort import thorough
from graphmeans.cluster.algorithms.history import History
from graphmeans.cluster.data import dataset
from graphmeans.cluster.engines import dask_client
from graphmeans.cluster.engines import dask_worker as remote
from graphmeans.cluster.engines.base import ShardSettings
from graphmeans.cluster.engines.partition import spread
from graphmeans.cluster.engines.shard_store import ShardStore
from graphmeans.cluster.persistence import shard_log
from graphmeans.cluster.persistence.checkpoint import CheckpointFile
from graphmeans.cluster.shards.reductions import SumTree
from graphmeans.io import read_labels, write_parquet
from runs import OneRun, local_cluster

distributed = pytest.importorskip("distributed", reason="dask is not installed: pip install 'graphmeans[dask]'")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'graphmeans[dask]'")

N, SIZE = 240, 40


@pytest.fixture(scope="module")
def letters():
    return gm.datasets.make_letters(N, random_state=0)[0]


@pytest.fixture(autouse=True)
def small_shards(monkeypatch):
    monkeypatch.setattr(dataset, "SHARD_SIZE", SIZE)
    monkeypatch.setattr("graphmeans.cluster.estimators.kmeans.SWAPS", 0.3)  # a few of them
    monkeypatch.setattr("graphmeans.cluster.algorithms.split_merge.FLOOR", 3)


@pytest.fixture(scope="module")
def parquet(letters, tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet") / "letters.parquet"
    write_parquet([letters[i] for i in range(N)], path, rows_per_group=70)
    return path


@pytest.fixture(scope="module")
def local():
    """A real cluster of processes, to which workers are added."""
    with local_cluster(n_workers=1, dashboard_address=None) as cluster:
        yield cluster


@pytest.fixture(scope="module")
def client(local):
    with distributed.Client(local) as client:
        yield client


def assert_same(found, expected):
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_array_equal(found.distances_, expected.distances_)
    np.testing.assert_array_equal(found.cluster_centers_.nodes, expected.cluster_centers_.nodes)
    np.testing.assert_array_equal(found.cluster_centers_.edge_values, expected.cluster_centers_.edge_values)
    assert found.inertia_ == expected.inertia_
    assert found.certified_fraction_ == expected.certified_fraction_
    for name in ("n_matchings_", "n_seeding_matchings_", "n_iter_"):
        assert getattr(found, name) == getattr(expected, name), name
    for name in ("inertia", "moved", "matchings", "assignment_bounds", "swap"):
        np.testing.assert_array_equal(found.trace_[name], expected.trace_[name])


# -- sums and places ---------------------------------------------------------------------------------


def test_sums_do_not_depend_on_who_holds_what():
    random = np.random.default_rng(0)
    for leaves in (*range(1, 20), 100):
        values = random.normal(size=(leaves, 3)) * 10.0 ** random.integers(-8, 8, size=(leaves, 1))
        whole = SumTree(leaves)
        for i in range(leaves):
            whole.add(i, values[i].copy())
        for _ in range(10):
            owner = np.sort(random.integers(4, size=leaves)) if random.integers(2) else random.integers(4, size=leaves)
            trees = [SumTree(leaves) for _ in range(4)]
            for i in range(leaves):
                trees[owner[i]].add(i, values[i].copy())
            np.testing.assert_array_equal(SumTree.merged(trees).total, whole.total)


def test_what_comes_back_does_not_grow_with_the_collection():
    for workers in (2, 3, 7):
        for shards in (64, 640, 6400):
            parts = 0
            for a, b in spread(np.ones(shards), [1] * workers):
                tree = SumTree(shards)
                for i in range(a, b):
                    tree.add(i, 1)
                parts = max(parts, len(tree.parts))
            assert parts <= 10


def test_shards_are_spread_by_cost():
    random = np.random.default_rng(0)
    costs = random.uniform(1, 3, size=200)
    costs[:20] *= 10
    for strengths in ([1], [1, 1], [1, 2, 4], [1] * 8):
        ranges = spread(costs, strengths)
        assert ranges[0][0] == 0
        assert ranges[-1][1] == 200
        assert all(a[1] == b[0] for a, b in pairwise(ranges))
        shares = np.array([costs[a:b].sum() for a, b in ranges]) / costs.sum() * sum(strengths) / np.array(strengths)
        assert shares.max() < 1.25
    assert spread(np.ones(2), [1, 1, 1, 1])[-1][1] == 2  # more workers than shards: some get none
    assert sum(b - a for a, b in spread(np.ones(2), [1, 1, 1, 1])) == 2


# -- what is left behind -----------------------------------------------------------------------------


def test_a_shard_comes_back_as_it_was(letters, tmp_path, monkeypatch):
    """After each iteration: what was left behind, most of it in changes only, is the whole state."""
    one = OneRun(letters, log_dir=tmp_path)
    loop, engine = one.loop(12), one.engine
    kinds = []
    record = History.record

    def checked(self, *args, **columns):
        for number, shard in enumerate(engine.shards):
            other = ShardStore(ShardSettings(one.space, one.context.order, 12, tmp_path), 1)
            other.add(engine._store.specs[number])
            other.restore([number], engine.checkpoint_id)
            restored = other.shard(number).state.to_arrays()
            for name, array in shard.state.to_arrays().items():
                np.testing.assert_array_equal(restored[name], array, err_msg=name)
        kinds.extend(path.name.split(".")[2] for path in tmp_path.iterdir())
        return record(self, *args, **columns)

    monkeypatch.setattr(History, "record", checked)
    loop.run(one.history())
    assert kinds.count(shard_log.CHANGES) > kinds.count(shard_log.WHOLE) / 2 > 0
    shards = -(-N // SIZE)
    assert len(list(tmp_path.iterdir())) < 2 * shards + len(kinds) / 4  # what nobody can ask for is gone


def test_what_is_damaged_is_said(letters, tmp_path):
    path = tmp_path / "arrays"
    shard_log.write_arrays(path, {"a": np.arange(5), "b": np.zeros((0, 3)), "c": np.ones((2, 2), dtype=np.float32)})
    back = shard_log.read_arrays(path)
    assert back["a"].tolist() == [0, 1, 2, 3, 4]
    assert back["b"].shape == (0, 3)
    assert back["c"].dtype == np.float32
    data = path.read_bytes()
    value = data.index(np.arange(5).tobytes())
    for bad in (data[:-3], data[:4], b"", data[:value] + b"\1" + data[value + 1 :]):
        path.write_bytes(bad)
        with pytest.raises(gm.GraphError, match="cannot be read"):
            shard_log.read_arrays(path)


# -- out of core -------------------------------------------------------------------------------------


def test_a_collection_on_disk_gives_what_a_list_gives(letters, parquet):
    expected = gm.GraphKMeans(8, random_state=1).fit(letters)
    collection = gm.open_collection(parquet)
    found = gm.GraphKMeans(8, random_state=1).fit(collection)
    # The encoder adds up averages part by part: the last digits of positions differ.
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    np.testing.assert_allclose(found.cluster_centers_.nodes, expected.cluster_centers_.nodes, atol=1e-9)
    assert isinstance(found.centroids()[0], gm.MeanGraph)
    np.testing.assert_array_equal(found.predict(collection), found.labels_)
    assert found.score(collection) == pytest.approx(-found.inertia_)
    assert found.transform(collection).shape == (N, 8)
    weights = np.random.default_rng(0).uniform(0.5, 2.0, N)
    weighted = gm.GraphKMeans(8, random_state=1).fit(collection, sample_weight=weights)
    assert weighted.inertia_ == pytest.approx(gm.GraphKMeans(8, random_state=1).fit(letters, sample_weight=weights).inertia_)
    lloyd = gm.GraphKMeans(8, random_state=1, algorithm="lloyd", max_iter=3)
    assert lloyd.fit(collection).inertia_ == pytest.approx(lloyd.fit(letters).inertia_)
    with pytest.raises(gm.GraphError, match="n_samples=240 should be >= n_clusters=241"):
        gm.GraphKMeans(241).fit(collection)


@pytest.mark.parametrize("init", [thorough("k-means++"), "k-means||"])
def test_what_does_not_fit_into_memory_waits_on_disk(parquet, monkeypatch, init):
    collection = gm.open_collection(parquet)
    expected = gm.GraphKMeans(8, random_state=1, init=init, max_iter=8).fit(collection)
    resident, call = [], ShardStore.call

    def watched(self, numbers, what):
        resident.append((self.resident, len(self.specs)))
        return call(self, numbers, what)

    monkeypatch.setattr(ShardStore, "call", watched)
    monkeypatch.setenv("GRAPHMEANS_MEMORY", "100kB")
    found = gm.GraphKMeans(8, random_state=1, init=init, max_iter=8).fit(collection)
    assert any(0 < held < held_in_all for held, held_in_all in resident)
    assert_same(found, expected)
    monkeypatch.setenv("GRAPHMEANS_MEMORY", "much")
    with pytest.raises(gm.GraphError, match="GRAPHMEANS_MEMORY must be a number of bytes"):
        gm.GraphKMeans(8).fit(collection)


def test_nested_batches_of_a_collection(letters, parquet):
    collection = gm.open_collection(parquet)
    expected = gm.MiniBatchGraphKMeans(6, batch_size=60, random_state=1).fit(letters)
    found = gm.MiniBatchGraphKMeans(6, batch_size=60, random_state=1).fit(collection)
    np.testing.assert_array_equal(found.labels_, expected.labels_)
    assert found.inertia_ == pytest.approx(expected.inertia_)


# -- dask --------------------------------------------------------------------------------------------

FITS = {
    "default": {"init": "furthest-first", "max_iter": 8},
    "restarts": {"n_init": 5, "init": "random", "max_iter": 6},
    "parallel": {"n_init": 1, "init": "k-means||"},
    "certified": {"n_init": 1, "init": "medoids", "matcher": "search", "certify": True, "max_iter": 3},
}


@pytest.mark.parametrize(
    ("workers", "fits"),
    [(2, ["default", "parallel"]), thorough(2, ["restarts", "certified"]), thorough(1, ["parallel"]), thorough(4, ["parallel"])],
)
def test_as_on_threads(letters, parquet, local, client, workers, fits):
    """Labels, centers and matchings are the same for the same seed, whoever works."""
    local.scale(workers)
    client.wait_for_workers(workers, timeout=300)
    for options in map(FITS.get, fits):
        expected = gm.GraphKMeans(8, random_state=1, **options).fit(letters)
        assert_same(gm.GraphKMeans(8, random_state=1, engine=client, **options).fit(letters), expected)
    collection = gm.open_collection(parquet)
    expected = gm.GraphKMeans(8, random_state=2, n_init=1).fit(collection)
    found = gm.GraphKMeans(8, random_state=2, n_init=1, engine=client).fit(collection)
    assert_same(found, expected)
    np.testing.assert_array_equal(found.predict(collection), expected.labels_)
    np.testing.assert_array_equal(found.predict(letters[:50]), expected.predict(letters[:50]))


@pytest.mark.thorough
def test_mini_batches_on_dask(letters, parquet, client):
    for graphs in (letters, gm.open_collection(parquet)):
        expected = gm.MiniBatchGraphKMeans(6, batch_size=60, random_state=1).fit(graphs)
        assert_same(gm.MiniBatchGraphKMeans(6, batch_size=60, random_state=1, engine=client).fit(graphs), expected)
    options = {"random_state": 1, "reassignment_ratio": 0.2}
    streams = [gm.MiniBatchGraphKMeans(6, engine=engine, **options) for engine in ("threads", client)]
    for part in (letters[:80], letters[80:160], letters[160:]):
        for km in streams:
            km.partial_fit(part)
        np.testing.assert_array_equal(streams[0].labels_, streams[1].labels_)
        np.testing.assert_array_equal(streams[0].counts_, streams[1].counts_)
    assert streams[0].n_matchings_ == streams[1].n_matchings_


def test_sums_of_many_workers_are_added_by_workers(letters, client, monkeypatch):
    expected = gm.GraphKMeans(8, random_state=1, n_init=1).fit(letters)
    monkeypatch.setattr("graphmeans.cluster.engines.dask.MERGED", 2)
    merged, submit = [], distributed.Client.submit
    monkeypatch.setattr(distributed.Client, "submit", lambda *a, **k: (merged.append(a[1]), submit(*a, **k))[1])
    assert_same(gm.GraphKMeans(8, random_state=1, n_init=1, engine=client).fit(letters), expected)
    assert (remote.merge in merged) == (len(client.nthreads()) > 2)


def test_labels_stay_with_the_workers_until_asked_for(parquet, client, tmp_path):
    collection = gm.open_collection(parquet)
    km = gm.GraphKMeans(8, random_state=1, n_init=1, max_iter=3, engine=client).fit(collection)
    assert km._result.engine is not None
    assert km.write_labels(tmp_path / "labels") == N
    names, labels, distances = read_labels(tmp_path / "labels")
    assert km._result.engine is not None
    with pytest.raises(gm.GraphError, match="is there already"):
        km.write_labels(tmp_path / "labels")
    np.testing.assert_array_equal(km.labels_, labels)
    np.testing.assert_array_equal(km.distances_, distances)
    assert names == collection.names
    assert not hasattr(km, "_result")
    km.write_labels(tmp_path / "labels.parquet", collection)
    assert read_labels(tmp_path / "labels.parquet")[1].tolist() == labels.tolist()
    local = gm.GraphKMeans(8, random_state=1, n_init=1, max_iter=3).fit(collection)
    assert clone(km).fit(collection).inertia_ == local.inertia_
    assert clone(km).engine is client
    other = pickle.loads(pickle.dumps(gm.GraphKMeans(8, random_state=1, n_init=1, max_iter=3, engine=client).fit(collection)))
    assert other.engine == client.scheduler.address
    np.testing.assert_array_equal(other.labels_, labels)


@pytest.mark.thorough
def test_workers_forget_a_fit_that_nobody_holds(letters, client):
    def soon(fits):
        for _ in range(1200):
            if sum(client.run(held).values()) == fits * len(client.nthreads()):
                return True
            time.sleep(0.1)
        return False

    gc.collect()
    assert soon(0)
    km = gm.GraphKMeans(8, random_state=1, n_init=3, max_iter=3, engine=client).fit(letters)
    assert soon(1)  # the best run
    km.labels_  # noqa: B018
    assert soon(0)
    km.fit(letters)
    del km
    gc.collect()
    assert soon(0)


def held():
    from graphmeans.cluster.engines import dask_worker as worker
    return len(worker._stores)


# -- faults ------------------------------------------------------------------------------------------


class Killer:
    """Kills a worker as soon as the n-th call of a method was handed to all of them."""

    def __init__(self, monkeypatch, client, method, n):
        self.killed, self.calls = [], 0
        submit = dask_client.DaskClient.submit

        def deadly(cluster, address, function, *args):
            future = submit(cluster, address, function, *args)
            if function is remote.work and pickle.loads(args[2]).operation.__name__ == method:
                self.calls += 1
                if self.calls > n and not self.killed:
                    pid = client.run(os.getpid, workers=[address])[address]
                    self.killed.append((address, args[1]))
                    os.kill(pid, signal.SIGKILL)
            return future

        monkeypatch.setattr(dask_client.DaskClient, "submit", deadly)


@pytest.mark.parametrize(("method", "n"), [("assign", 7), thorough("update_with_seed", 9), thorough("hartigan_moves", 1)])
def test_a_worker_that_dies_costs_time_only(parquet, local, client, monkeypatch, caplog, method, n):
    local.scale(3)
    client.wait_for_workers(3, timeout=300)
    collection = gm.open_collection(parquet)
    options = {"random_state": 5, "n_init": 1}
    expected = gm.GraphKMeans(8, **options).fit(collection)
    monkeypatch.setattr("graphmeans.cluster.engines.dask.SELDOM", 0.0)  # after each iteration, whatever it takes
    killer = Killer(monkeypatch, client, method, n)
    found = gm.GraphKMeans(8, engine=client, **options).fit(collection)
    assert_same(found, expected)
    ((_, numbers),) = killer.killed
    graphs = sum(min(SIZE, N - SIZE * number) for number in numbers)
    assert f"building {graphs} graphs again" in caplog.text
    rebuilt, repeated = found.trace_["rebuilt"], found.trace_["repeated_matchings"]
    if method == "update_with_seed":
        assert rebuilt.sum() == 0  # it happened before the first iteration
    else:
        # Only the lost shards were built again, in one iteration, and only what was done since the last one was matched again.
        assert rebuilt[rebuilt > 0].tolist() == [graphs]
        assert (repeated[rebuilt == 0] == 0).all()
        assert repeated.sum() <= expected.trace_["matchings"].max()


@pytest.mark.thorough
def test_a_worker_that_dies_again_and_again(letters, local, client, monkeypatch):
    local.scale(2)
    client.wait_for_workers(2, timeout=300)
    expected = gm.GraphKMeans(8, random_state=1, n_init=1).fit(letters)
    for n in (0, 3):
        Killer(monkeypatch, client, "assign", n)
    assert_same(gm.GraphKMeans(8, random_state=1, n_init=1, engine=client).fit(letters), expected)


def test_an_answer_that_takes_longer_than_one_is_patient(client, monkeypatch):
    """Waiting for it begins once, not anew each time that somebody looks whether the worker is still there."""
    monkeypatch.setattr(dask_client, "PATIENCE", 1e-4)
    with dask_client.DaskClient(client, None, time.time) as workers:
        (address, *_) = workers.workers()
        assert len(workers.result(workers.submit(address, bytes, 30_000_000), address)) == 30_000_000


def test_a_worker_that_nobody_reaches_is_taken_out_of_the_cluster(monkeypatch, caplog):
    """It is there and says so. Something happens to be wrong once in between: that is no reason."""
    monkeypatch.setattr(dask_client, "PATIENCE", 0.05)
    monkeypatch.setattr(dask_client, "TRIED_AFTER", 0.1)
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": False, "dashboard_address": None}
    with (
        distributed.LocalCluster(**options) as cluster,
        distributed.Client(cluster) as client,
        dask_client.DaskClient(client, None, time.time) as workers,
    ):
        cut, well = workers.workers()
        asked = []

        async def run(function, workers, **_):
            asked.append(workers)
            odd = workers == [cut] or asked.count([well]) == 2
            return {workers[0]: TimeoutError("no way there") if odd else 0}

        monkeypatch.setattr(client, "run", run)
        with pytest.raises(dask_client.WorkersLost) as lost:
            workers.result(workers.submit(cut, time.sleep, 5), cut)
        assert lost.value.addresses == {cut}
        assert list(workers.workers()) == [well]
        assert workers.result(workers.submit(well, abs, -1), well) == 1
        assert asked.count([cut]) == dask_client.MISSED
    assert f"cannot reach worker {cut}" in caplog.text


def limit_files(size):
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))


def test_a_full_disk(letters, client, tmp_path):
    """Files that cannot grow: without a checkpoint it is said and the fit goes on, with one the last is kept."""
    expected = gm.GraphKMeans(8, random_state=1, n_init=1).fit(letters)
    client.run(limit_files, 2000)
    try:
        with pytest.warns(UserWarning, match="cannot be written .File too large."):
            assert_same(gm.GraphKMeans(8, random_state=1, n_init=1, engine=client).fit(letters), expected)
        with pytest.raises(gm.GraphError, match="the last checkpoint is kept") as said:
            gm.GraphKMeans(8, random_state=1, n_init=1, engine=client, checkpoint=tmp_path / "c").fit(letters)
        assert "\n" not in str(said.value)
    finally:
        client.run(limit_files, resource.RLIM_INFINITY)


def test_a_killed_fit_goes_on_whoever_works(letters, client, tmp_path, monkeypatch):
    """A checkpoint that dask workers left behind is taken up by threads, and the other way round."""
    expected = gm.GraphKMeans(8, random_state=1, n_init=1).fit(letters)
    write, path = CheckpointFile.write, tmp_path / "c"
    for first, second in ((client, "threads"), ("threads", client)):
        written = []

        def dying(self, *args, written=written):
            write(self, *args)
            written.append(1)
            if len(written) == 4:
                raise RuntimeError("killed")

        monkeypatch.setattr("graphmeans.cluster.persistence.checkpoint.CheckpointFile.write", dying)
        with pytest.raises(RuntimeError, match="killed"):
            gm.GraphKMeans(8, random_state=1, n_init=1, checkpoint=path, engine=first).fit(letters)
        monkeypatch.setattr("graphmeans.cluster.persistence.checkpoint.CheckpointFile.write", write)
        resumed = gm.GraphKMeans(8, random_state=1, n_init=1, checkpoint=path, engine=second).fit(letters)
        np.testing.assert_array_equal(resumed.labels_, expected.labels_)
        assert resumed.inertia_ == expected.inertia_
        assert resumed.n_matchings_ == expected.n_matchings_
        for name in ("iteration", "inertia", "moved", "matchings"):  # the trace of both processes together
            np.testing.assert_array_equal(resumed.trace_[name], expected.trace_[name])
        assert not path.exists()
        assert not list(tmp_path.iterdir())


def test_a_corrupt_partition_is_named(parquet, client, tmp_path):
    data = bytearray(parquet.read_bytes())
    collection = gm.open_collection(parquet)
    at = collection._files[0].metadata.row_group(3).column(3).data_page_offset
    for i in range(at + 20, at + 60):
        data[i] ^= 0xFF
    bad = tmp_path / "bad.parquet"
    bad.write_bytes(bytes(data))
    for engine in ("threads", client):
        with pytest.raises(gm.GraphError, match=r"bad\.parquet: partition 3 cannot be read") as said:
            gm.GraphKMeans(4, engine=engine).fit(gm.open_collection(bad))
        assert "\n" not in str(said.value)


def test_a_graph_that_does_not_fit_the_encoder_is_named(letters, client, tmp_path):
    path = tmp_path / "odd.parquet"
    km = gm.GraphKMeans(4, random_state=0, n_init=1, engine=client).fit(letters[:60])
    write_parquet([*letters[:30], gm.Graph({"x": [0.0], "z": [1.0]}, [], name="odd one")], path)
    with pytest.raises(gm.GraphError, match="odd one") as said:
        km.predict(gm.open_collection(path))
    assert "\n" not in str(said.value)


def test_workers_are_checked(letters, client, monkeypatch):
    real = remote.installed_version
    monkeypatch.setattr(remote, "installed_version", lambda name: "0.0" if name == "graphmeans" else real(name))
    with pytest.raises(gm.GraphError, match=r"has graphmeans .*, here it is 0\.0: they must be the same"):
        gm.GraphKMeans(4, engine=client).fit(letters)
    monkeypatch.setattr(remote, "installed_version", lambda name: "0.0" if name == "numba" else real(name))
    with pytest.warns(UserWarning, match=r"has numba .*: the last digits"):
        gm.GraphKMeans(4, engine=client, n_init=1).fit(letters[:40])


def test_engines_that_make_no_sense(letters, client, monkeypatch):
    monkeypatch.setattr(dask_client, "CONNECT", 1.0)
    for engine in ("spark", 3, None):
        with pytest.raises(gm.GraphError, match="engine must be"):
            gm.GraphKMeans(3, engine=engine).fit(letters)
    with pytest.raises(gm.GraphError, match="works with engine='threads' only"):
        gm.GraphKMeans(3, engine=client, algorithm="elkan").fit(letters)
    with pytest.raises(gm.GraphError, match=r"no scheduler at tcp://127\.0\.0\.1:9"):
        gm.GraphKMeans(3, engine="tcp://127.0.0.1:9").fit(letters)


SCRIPT = """
import sys, os, signal, logging
import graphmeans as gm
from graphmeans.cluster.data import dataset
dataset.SHARD_SIZE = 40
graphs, _ = gm.datasets.make_letters(240, random_state=0)
if sys.argv[1] == "fit":  # no guard of __main__ is needed
    km = gm.GraphKMeans(8, random_state=1, n_init=1, engine="dask", n_jobs=2).fit(graphs)
    print(km.inertia_, hasattr(km, "_result"))
if sys.argv[1] == "scheduler lost":
    from distributed.deploy.subprocess import SubprocessCluster
    from distributed import Client
    from graphmeans.cluster.algorithms.history import History
    local = SubprocessCluster(n_workers=1, threads_per_worker=1, silence_logs=logging.CRITICAL)
    client = Client(local)
    record, seen = History.record, []
    def deadly(self, *args, **columns):
        seen.append(1)
        if len(seen) == 3:
            os.kill(local.scheduler.process.pid, signal.SIGKILL)
        return record(self, *args, **columns)
    History.record = deadly
    try:
        gm.GraphKMeans(8, random_state=1, n_init=1, engine=client, checkpoint=sys.argv[2]).fit(graphs)
    except gm.GraphError as error:
        print("said:", error)
    os._exit(0)
"""


@pytest.mark.thorough
def test_processes_of_its_own(letters):
    expected = gm.GraphKMeans(8, random_state=1, n_init=1).fit(letters)
    ran = subprocess.run([sys.executable, "-c", SCRIPT, "fit"], capture_output=True, text=True, timeout=600)
    assert ran.stdout.split() == [str(expected.inertia_), "False"], ran.stderr


@pytest.mark.thorough
def test_a_lost_scheduler_is_said(tmp_path):
    path = tmp_path / "c"
    environment = {**os.environ, "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "2s"}
    command = [sys.executable, "-c", SCRIPT, "scheduler lost", str(path)]
    ran = subprocess.run(command, capture_output=True, text=True, timeout=600, env=environment)
    (line,) = [line for line in ran.stdout.splitlines() if line.startswith("said:")] or [ran.stderr]
    assert "is lost" in line
    assert "the last checkpoint is kept" in line
    assert path.exists()
