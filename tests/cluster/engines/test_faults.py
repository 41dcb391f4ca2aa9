"""Workers that pause, die in pairs or lose their network, and a scheduler that is restarted: the same result, or one line."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.cluster.engines import dask_client
from runs import local_cluster

pytest.importorskip("distributed")


@pytest.fixture(scope="module", autouse=True)
def _asked_for(request):
    """Timeouts of dask decide how long these take, which can be minutes: `make test-faults` runs them."""
    if not request.config.getoption("--faults"):
        pytest.skip("faults of workers are tried by make test-faults")


@pytest.fixture(scope="module")
def letters():
    """Several shards, so that every worker holds some."""
    return gm.datasets.make_letters(5_000, random_state=0)[0]


@pytest.fixture(scope="module")
def expected(letters):
    return fitted(letters, "threads")


def fitted(graphs, engine):
    return gm.GraphKMeans(8, random_state=0, n_init=1, max_iter=12, engine=engine, n_jobs=1).fit(graphs)


def assert_same(found, expected):
    assert np.array_equal(found.labels_, expected.labels_)
    assert found.inertia_ == expected.inertia_
    assert found.n_matchings_ == expected.n_matchings_


def pids(client):
    return sorted(client.run(os.getpid).values())


class Meanwhile(threading.Thread):
    """Do something when the first iterations are done, while a fit goes on."""

    def __init__(self, action):
        super().__init__(daemon=True)
        self.action, self.seen = action, threading.Event()
        import logging

        self.handler = logging.Handler(logging.DEBUG)
        self.handler.emit = self._look
        self.logger = logging.getLogger("graphmeans")

    def _look(self, record):
        if getattr(record, "trace", {}).get("phase") == "iteration" and record.trace["iteration"] >= 2:
            self.seen.set()

    def __enter__(self):
        self.before = self.logger.level
        self.logger.setLevel("DEBUG")
        self.logger.addHandler(self.handler)
        self.start()
        return self

    def __exit__(self, *_):
        self.logger.removeHandler(self.handler)
        self.logger.setLevel(self.before)
        self.seen.set()
        self.join(60)

    def run(self):
        self.seen.wait()
        self.action()


@pytest.mark.thorough
def test_workers_that_pause_and_go_on(letters, expected):
    with local_cluster(n_workers=2) as cluster, cluster.get_client() as client:
        paused = pids(client)

        def pause():
            for pid in paused:
                os.kill(pid, signal.SIGSTOP)
            time.sleep(2)
            for pid in paused:
                os.kill(pid, signal.SIGCONT)

        with Meanwhile(pause):
            found = fitted(letters, client)
        assert_same(found, expected)


@pytest.mark.thorough
def test_workers_that_are_killed_in_pairs(letters, expected):
    with local_cluster(n_workers=4) as cluster, cluster.get_client() as client:
        victims = pids(client)[:2]

        def kill():
            for pid in victims:
                os.kill(pid, signal.SIGKILL)

        with Meanwhile(kill):
            found = fitted(letters, client)
        assert_same(found, expected)


SCHEDULER = "import sys; from distributed.cli.dask_scheduler import main; main(sys.argv[1:])"
WORKER = "import sys; from distributed.cli.dask_worker import main; main(sys.argv[1:])"


class OwnCluster:
    """A scheduler and workers as processes of their own, which can be stopped and started."""

    def __init__(self, folder, count):
        self.file, self.port = folder / "scheduler.json", None
        options = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file))
        self.scheduler = self._start(SCHEDULER, *options)
        for _ in range(600):
            if self.file.exists() and self.file.stat().st_size:
                break
            time.sleep(0.1)
        import json

        self.address = json.loads(self.file.read_text())["address"]
        self.workers = [self.worker() for _ in range(count)]

    def worker(self):
        options = ("--nthreads", "1", "--no-dashboard", "--no-nanny", "--host", "127.0.0.1", "--death-timeout", "60")
        return self._start(WORKER, self.address, *options)

    @staticmethod
    def _start(code, *arguments):
        return subprocess.Popen([sys.executable, "-c", code, *arguments], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def restart_scheduler(self):
        self.scheduler.kill()
        self.scheduler.wait()
        port = self.address.rpartition(":")[2]
        self.scheduler = self._start(SCHEDULER, "--host", "127.0.0.1", "--port", port, "--no-dashboard")

    def close(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@pytest.mark.thorough
def test_a_scheduler_that_is_restarted(letters, expected, tmp_path):
    """Whoever comes after it gets the same result; the fit that it interrupts ends with it, or in one line, and never hangs."""
    from distributed import Client

    cluster = OwnCluster(tmp_path, 2)
    try:
        with Client(cluster.address, timeout=60) as client:
            client.wait_for_workers(2, timeout=60)
            with Meanwhile(cluster.restart_scheduler):
                said = None
                try:
                    found = fitted(letters, client)
                except (gm.GraphError, OSError, TimeoutError, RuntimeError) as error:
                    said = str(error)
            if said is None:
                assert_same(found, expected)
            else:
                assert said
                assert "\n" not in said
    finally:
        cluster.close()


@pytest.mark.thorough
def test_a_scheduler_that_does_not_answer(letters, tmp_path, monkeypatch):
    """It is there, and its connections stand, but nothing comes: one line, after a while."""
    from distributed import Client

    monkeypatch.setattr(dask_client, "SILENT", 5.0)
    cluster = OwnCluster(tmp_path, 1)
    try:
        with Client(cluster.address, timeout=60) as client:
            client.wait_for_workers(1, timeout=60)
            with (
                Meanwhile(lambda: cluster.scheduler.send_signal(signal.SIGSTOP)),
                pytest.raises(gm.GraphError, match=r"^the scheduler at .* is lost \(TimeoutError\)$"),
            ):
                fitted(letters, client)
            cluster.scheduler.send_signal(signal.SIGCONT)
    finally:
        cluster.close()


def may_unshare() -> bool:
    """Whether this process may make a namespace for a network of its own."""
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        return False
    return subprocess.run(["unshare", "-rn", "ip", "link", "set", "lo", "up"], capture_output=True, check=False).returncode == 0


@pytest.mark.thorough
@pytest.mark.skipif(not may_unshare(), reason="namespaces for networks are not allowed here, or there is no unshare and ip")
@pytest.mark.parametrize("how", ["cable", "address"])
def test_a_worker_whose_network_is_cut(tmp_path, how):
    """In a namespace of the test's own, while a fit goes on.

    The *cable* of a worker in another namespace is pulled: nothing goes either way. The *address* of a worker is taken away:
    it still reaches the scheduler, and says so, but nobody reaches it.
    """
    script = tmp_path / "cut.py"
    script.write_text(CUT)
    tests = os.path.dirname(os.path.dirname(os.path.dirname(__file__)))
    result = subprocess.run(
        ["unshare", "-rn", sys.executable, str(script), tests, how], capture_output=True, text=True, check=False, timeout=580,
    )  # fmt: skip
    assert result.returncode == 0, result.stderr[-2000:]
    assert result.stdout.strip().endswith("same")


CUT = """
import os, subprocess, sys, time
sys.path.insert(0, sys.argv[1])
run = lambda *words: subprocess.run(["ip", *words], check=True)
run("link", "set", "lo", "up")
os.environ |= {"DASK_DISTRIBUTED__COMM__TIMEOUTS__TCP": "20s", "DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT": "10s"}
from distributed import Client
import numpy as np, graphmeans as gm
from cluster.engines.test_faults import SCHEDULER, WORKER, Meanwhile, fitted
graphs = gm.datasets.make_letters(5000, random_state=0)[0]
expected = fitted(graphs, "threads")
nowhere = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
start = lambda *words: subprocess.Popen(words, **nowhere)
python = (sys.executable, "-c")
plain = ("--nthreads", "1", "--no-dashboard", "--no-nanny")
if sys.argv[2] == "cable":
    linked = 'until ip link set v1 up; do sleep 0.1; done; ip link set lo up; ip addr add 10.77.0.2/24 dev v1; exec "$@"'
    scheduler, away = "10.77.0.1", ("unshare", "-n", "sh", "-c", linked, "sh")
else:
    run("addr", "add", "10.77.0.2/32", "dev", "lo")
    scheduler, away = "127.0.0.1", ()
worker = lambda host: (*python, WORKER, f"tcp://{scheduler}:8786", "--host", host, *plain)
processes = [start(*away, *worker("10.77.0.2"))]
if away:
    its_network = f"/proc/{processes[0].pid}/ns/net"
    while os.readlink(its_network) == os.readlink("/proc/self/ns/net"):
        time.sleep(0.1)
    run("link", "add", "v0", "type", "veth", "peer", "name", "v1", "netns", str(processes[0].pid))
    run("addr", "add", "10.77.0.1/24", "dev", "v0")
    run("link", "set", "v0", "up")
processes += [start(*python, SCHEDULER, "--host", scheduler, "--port", "8786", "--no-dashboard"), start(*worker(scheduler))]
cut = ("link", "set", "v0", "down") if away else ("addr", "del", "10.77.0.2/32", "dev", "lo")
with Client(f"tcp://{scheduler}:8786", timeout=60) as client:
    client.wait_for_workers(2, timeout=60)
    with Meanwhile(lambda: run(*cut)):
        found = fitted(graphs, client)
    assert np.array_equal(found.labels_, expected.labels_) and found.n_matchings_ == expected.n_matchings_
    left = list(client.nthreads())
    assert not any("10.77.0.2" in address for address in left), left
for process in processes:
    process.kill()
print("same", flush=True)
os._exit(0)
"""


@pytest.mark.thorough
def test_workers_on_this_machine_listen_on_loopback_only():
    from graphmeans.cluster.engines.dask_local import local_cluster as started

    with started(1) as cluster:
        cluster.wait_for_workers(1, timeout=60)
        addresses = [cluster.scheduler_address, *cluster.scheduler_info["workers"]]
        assert len(addresses) == 2
        assert all(address.startswith("tcp://127.0.0.1:") for address in addresses)
        import psutil

        ours = psutil.Process().children(recursive=True)
        listening = [c.laddr.ip for process in ours for c in process.net_connections("tcp") if c.status == psutil.CONN_LISTEN]
        assert listening
        assert set(listening) == {"127.0.0.1"}
