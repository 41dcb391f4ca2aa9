"""Two fits with one checkpoint: the second is told so; a lock that a killed process left behind is in nobody's way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import graphmeans as gm
from graphmeans.cluster.persistence.checkpoint import CheckpointFile
from graphmeans.cluster.persistence.lock import BEHIND, FileLock

HOLDER = """
import sys, time, pathlib
from graphmeans.cluster.persistence.lock import FileLock
FileLock(pathlib.Path(sys.argv[1])).acquire()
print("held", flush=True)
time.sleep(600)
"""


def test_the_second_fit_is_told_and_a_killed_one_leaves_no_lock(tmp_path):
    path, (graphs, _) = tmp_path / "c", gm.datasets.make_letters(20, random_state=0)
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, str(path)], stdout=subprocess.PIPE, text=True)
    try:
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(gm.GraphError, match=rf"c: another fit is writing this checkpoint \(process {holder.pid}\)"):
            gm.GraphKMeans(3, random_state=0, checkpoint=path, n_jobs=1).fit(graphs)
    finally:
        holder.send_signal(signal.SIGKILL)
        holder.wait()
    assert (tmp_path / "c.lock").exists()
    gm.GraphKMeans(3, random_state=0, checkpoint=path, n_jobs=1).fit(graphs)
    assert list(tmp_path.iterdir()) == []


def test_a_fit_inside_the_same_process_is_told_too(tmp_path):
    first, second = FileLock(tmp_path / "c"), FileLock(tmp_path / "c")
    first.acquire()
    first.acquire()  # it has it already
    with pytest.raises(gm.GraphError, match=f"process {os.getpid()}"):
        second.acquire()
    first.release()
    second.acquire()
    second.release()
    second.release()
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_is_removed_while_one_waits_is_not_the_lock(tmp_path):
    """Whoever has opened a file that its owner removes must not believe that it holds the lock."""
    lock = FileLock(tmp_path / "c")
    descriptor = os.open(lock.path, os.O_RDWR | os.O_CREAT)
    lock.path.unlink()
    assert not lock._is_there(descriptor)
    os.close(descriptor)


def test_the_lock_of_windows(tmp_path, monkeypatch):
    """With what Windows has instead: it locks a byte at the present position, and removes no file that is open."""
    held, opened = set(), set()

    def locking(file, mode, count):
        assert (mode, count) == ("at once", 1)
        at = os.fstat(file).st_ino, os.lseek(file, 0, os.SEEK_CUR)
        if at in held:
            raise PermissionError
        held.add(at)
        opened.add(file)

    def close(file, system=os.close):
        if file in opened:
            opened.remove(file)
            held.clear()
        system(file)

    def unlink(path, system=Path.unlink):
        assert not opened
        system(path)

    monkeypatch.setattr("graphmeans.cluster.persistence.lock.fcntl", None)
    windows = SimpleNamespace(locking=locking, LK_NBLCK="at once")
    monkeypatch.setattr("graphmeans.cluster.persistence.lock.msvcrt", windows, raising=False)
    monkeypatch.setattr(os, "close", close)
    monkeypatch.setattr(Path, "unlink", unlink)
    first, second = FileLock(tmp_path / "c"), FileLock(tmp_path / "c")
    first.acquire()
    assert {position for _, position in held} == {BEHIND}
    with pytest.raises(gm.GraphError, match=rf"another fit is writing this checkpoint \(process {os.getpid()}\)"):
        second.acquire()
    first.release()
    second.acquire()
    second.release()
    assert list(tmp_path.iterdir()) == []


def test_what_belongs_to_no_run_is_removed(tmp_path):
    """Logs of an earlier run of the same fit, of another fit, and anything else in the folder."""
    path, (graphs, _) = tmp_path / "c", gm.datasets.make_letters(30, random_state=0)
    expected = gm.GraphKMeans(3, random_state=0, n_init=3, n_jobs=1).fit(graphs)
    write, left = CheckpointFile.write, [4]

    def stopping(self, *args):
        write(self, *args)
        left[0] -= 1
        if not left[0]:
            raise InterruptedError("stopped")

    km = gm.GraphKMeans(3, random_state=0, n_init=3, n_jobs=1, checkpoint=path)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(CheckpointFile, "write", stopping)
        with pytest.raises(InterruptedError):
            km.fit(graphs)
    (own,) = (tmp_path / "c.shards").iterdir()
    foreign = tmp_path / "c.shards" / f"{'0' * 32}-0"
    foreign.mkdir()
    for log in own.iterdir():
        (foreign / log.name).write_bytes(log.read_bytes())
    (tmp_path / "c.shards" / "0000000.000000009.whole").write_bytes(b"of an earlier release")
    seen = []

    def looking(self, *args):
        seen.append(sorted(entry.name for entry in (tmp_path / "c.shards").iterdir()))
        write(self, *args)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(CheckpointFile, "write", looking)
        km.fit(graphs)
    assert all(len(names) <= 2 for names in seen)  # the run that begins, and the one before it until that is written down
    assert all(name.startswith(own.name[:32]) for names in seen for name in names)
    assert km.labels_.tolist() == expected.labels_.tolist()
    assert (km.n_matchings_, km.inertia_) == (expected.n_matchings_, expected.inertia_)
    assert list(tmp_path.iterdir()) == []


def test_the_disk_has_the_logs_before_the_checkpoint_that_names_them(tmp_path, monkeypatch):
    """Each file is synced before it gets its name, and then the folder that holds the name."""
    synced, plain_sync, plain_replace = [], os.fsync, os.replace

    def sync(file):
        synced.append(os.fstat(file).st_ino)
        plain_sync(file)

    def replace(source, target):
        assert synced[-1] == os.stat(source).st_ino
        plain_replace(source, target)
        named.append((Path(target), len(synced)))

    named = []
    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(os, "replace", replace)
    graphs, _ = gm.datasets.make_letters(30, random_state=0)
    gm.GraphKMeans(3, random_state=0, n_init=1, n_jobs=1, checkpoint=tmp_path / "c").fit(graphs)
    names = [path.name for path, _ in named]
    logs = [name for name in names if name.endswith(("whole", "changes"))]
    assert "c" in names
    assert logs
    assert names.index(logs[0]) < names.index("c")
    parent = os.stat(tmp_path).st_ino
    assert all(synced[count] == parent for path, count in named if path.name == "c")


def test_a_log_of_another_run_is_not_taken_for_its_own(tmp_path):
    path, (graphs, _) = tmp_path / "c", gm.datasets.make_letters(30, random_state=0)
    write = CheckpointFile.write

    def stopping(self, *args):
        write(self, *args)
        raise InterruptedError("stopped")

    for name in ("c", "d"):
        with pytest.MonkeyPatch.context() as patched:
            patched.setattr(CheckpointFile, "write", stopping)
            with pytest.raises(InterruptedError):
                gm.GraphKMeans(3, random_state=0, n_jobs=1, checkpoint=tmp_path / name).fit(graphs)
    (ours,), (theirs,) = ((tmp_path / f"{name}.shards").iterdir() for name in ("c", "d"))
    for log in theirs.iterdir():
        (ours / log.name).write_bytes(log.read_bytes())
    with pytest.raises(gm.GraphError, match="of another run"):
        gm.GraphKMeans(3, random_state=0, n_jobs=1, checkpoint=path).fit(graphs)
