"""An index whose graphs are with the workers of a dask cluster finds what threads find."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time

import numpy as np
import pytest
from sklearn.base import clone

import graphmeans as gm
from graphmeans.io import write_parquet
from graphmeans.search import remote
from runs import hear_interrupts, local_cluster, wait_for_children

distributed = pytest.importorskip("distributed", reason="dask is not installed: pip install 'graphmeans[dask]'")
pytest.importorskip("pyarrow", reason="pyarrow is not installed: pip install 'graphmeans[dask]'")
pytestmark = pytest.mark.thorough


@pytest.fixture(scope="module")
def letters():
    return gm.datasets.make_letters(330, random_state=5)[0]


@pytest.fixture(scope="module")
def parquet(letters, tmp_path_factory):
    path = tmp_path_factory.mktemp("parquet") / "letters.parquet"
    write_parquet(letters[:300], path, rows_per_group=70)
    return path


@pytest.fixture(scope="module")
def client():
    with local_cluster(n_workers=2, dashboard_address=None) as cluster, distributed.Client(cluster) as client:
        yield client


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    monkeypatch.setattr(remote, "FEWEST", 60)
    monkeypatch.setattr(remote, "QUERIES_AT_ONCE", 20)


def assert_same(one, other, queries):
    for call in (
        lambda i: i.kneighbors(queries, 4, return_certified=True),
        lambda i: i.kneighbors(n_neighbors=3),
        lambda i: i.radius_neighbors(queries, 0.6, sort_results=True, return_certified=True),
        lambda i: i.radius_neighbors(radius=0.5, return_certified=True),
    ):
        for a, b in zip(call(one), call(other), strict=True):
            for x, y in zip(a, b, strict=True):
                np.testing.assert_allclose(x, y, atol=1e-12)


@pytest.mark.parametrize("on_disk", [False, True])
def test_as_on_threads(letters, parquet, client, tmp_path, on_disk):
    given = gm.open_collection(parquet) if on_disk else letters[:300]
    threads = gm.GraphIndex(n_jobs=1).fit(given)
    index = gm.GraphIndex(engine=client).fit(given)
    assert len(index._remote.shards) == 2
    assert not hasattr(index, "_points_in")
    assert_same(threads, index, letters[300:])
    for one in (threads, index):
        assert one.add(letters[300:310]).tolist() == list(range(300, 310))
        one.remove([0, 170, 171, 305])
    assert_same(threads, index, letters[310:])
    assert list(index.names_) == list(threads.names_)
    ours, theirs = (one.query(letters[320], 3) for one in (index, threads))
    assert [(n.index, n.name, n.match.mapping) for n in ours] == [(n.index, n.name, n.match.mapping) for n in theirs]
    index.save(tmp_path / "letters.gmi")
    assert_same(threads, gm.load(tmp_path / "letters.gmi"), letters[310:])
    assert_same(threads, pickle.loads(pickle.dumps(index)).set_params(engine="threads"), letters[310:])
    assert clone(index).engine is client
    index.set_params(engine="threads")  # the graphs come back
    assert_same(threads, index, letters[310:])


def test_an_index_from_a_file_is_sent_to_workers(letters, client, tmp_path):
    threads = gm.GraphIndex(n_jobs=1).fit(letters[:150])
    threads.save(tmp_path / "letters.gmi")
    index = gm.load(tmp_path / "letters.gmi").set_params(engine=client)
    assert_same(threads, index, letters[300:])
    index.close()


def test_a_worker_that_dies_costs_time_only(letters, client):
    threads, index = gm.GraphIndex(n_jobs=1).fit(letters[:300]), gm.GraphIndex(engine=client).fit(letters[:300])
    gone = sorted(client.scheduler_info()["workers"])[0]
    client.run(lambda: __import__("os")._exit(1), workers=[gone], on_error="ignore")
    assert_same(threads, index, letters[300:])


def test_a_space_without_a_limit(letters, client):
    threads = gm.GraphIndex(order=None, n_jobs=1).fit(letters[:130])
    index = gm.GraphIndex(order=None, engine=client).fit(letters[:130])
    assert_same(threads, index, letters[300:310])
    index.close()
    with pytest.raises(gm.GraphError, match="this index was closed"):
        index.kneighbors(letters[:1])


@pytest.mark.parametrize("engine", ["threads", "dask"])
def test_an_interrupted_command_leaves_nothing(tmp_path, engine):
    write_parquet((g for seed in range(8) for g in gm.datasets.make_letters(5000, random_state=seed)[0]), tmp_path / "a.parquet")
    command = [sys.executable, "-m", "graphmeans", "search", tmp_path / "a.gmi", tmp_path / "a.parquet", "-o", tmp_path / "a.csv"]
    made = subprocess.run(
        [sys.executable, "-m", "graphmeans", "index", tmp_path / "a.parquet", "-o", tmp_path / "a.gmi"], check=True,
        capture_output=True,
    )  # fmt: skip
    assert b"40,000 graphs" in made.stdout
    running = subprocess.Popen(
        [*command, "--engine", engine, "--jobs", "2"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        preexec_fn=hear_interrupts,
    )  # fmt: skip
    if engine == "dask":  # on a busy machine they take a while
        wait_for_children(running, 3)
    time.sleep(8)
    assert running.poll() is None
    running.send_signal(2)
    _, said = running.communicate(timeout=120)
    assert running.returncode in (130, -2)  # where Python was inside of exec, it ends by the signal, which a shell calls 130, too
    assert said.decode().strip() == "graphmeans: interrupted"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.gmi", "a.parquet"]
