"""Nothing in the package assumes one system: what can be tried here is tried, and what must not be used is looked for."""

from __future__ import annotations

import ast
import os
from pathlib import Path

import pytest

from graphmeans import files
from graphmeans.cluster.engines import shard_store
from graphmeans.matching import pairs

SOURCE = Path(__file__).parents[1] / "src" / "graphmeans"
TREES = {path.relative_to(SOURCE): ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")}
#: Modules that Windows does not have.
FOREIGN = {"fcntl", "grp", "pwd", "pty", "resource", "termios"}


def calls(tree: ast.AST) -> list[tuple[str, ast.Call]]:
    named = [(node.func, node) for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return [(f.attr if isinstance(f, ast.Attribute) else getattr(f, "id", ""), node) for f, node in named]


def test_no_module_that_windows_lacks_and_no_fork():
    for path, tree in TREES.items():
        # What is tried, and done without where it is not there, is no assumption.
        tried = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.Try) and any(getattr(h.type, "id", "") == "ImportError" for h in node.handlers)
            for statement in node.body
            for inner in ast.walk(statement)
        }
        for node in ast.walk(tree):
            if isinstance(node, (ast.Import, ast.ImportFrom)) and node not in tried:
                names = {name.name for name in node.names} if isinstance(node, ast.Import) else {node.module}
                assert not names & FOREIGN, path
        assert not {"fork", "forkpty", "setsid", "getuid", "geteuid"} & {name for name, _ in calls(tree)}, path


def test_no_path_of_one_system():
    for path, tree in TREES.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                assert not node.value.startswith(("/proc/", "/tmp/", "/dev/")), (path, node.value)


def test_texts_say_their_encoding():
    """Elsewhere the default is not UTF-8."""
    for path, tree in TREES.items():
        for name, call in calls(tree):
            given = {keyword.arg for keyword in call.keywords}
            text = name in ("read_text", "write_text")
            mode = next((a.value for a in call.args if isinstance(a, ast.Constant) and isinstance(a.value, str)), "r")
            if name == "open" and isinstance(call.func, ast.Attribute) and set(mode) <= set("rwax+") and len(call.args) == 1:
                text = isinstance(call.args[0], ast.Constant)
            assert not text or "encoding" in given, f"{path}:{call.lineno}"


def test_a_file_that_is_held_open_is_replaced_later(tmp_path, monkeypatch):
    (tmp_path / "new").write_text("new", encoding="utf-8")
    (tmp_path / "old").write_text("old", encoding="utf-8")
    tried, replace = [], os.replace

    def held(source, target):
        tried.append(1)
        if len(tried) < 3:
            raise PermissionError("in use by another process")
        replace(source, target)

    monkeypatch.setattr(files.os, "replace", held)
    monkeypatch.setattr(files.time, "sleep", lambda seconds: None)
    if os.name != "nt":  # elsewhere it is not tried again: there the reason is another one
        with pytest.raises(PermissionError):
            files.replace_file(tmp_path / "new", tmp_path / "old")
        tried.clear()
        monkeypatch.setattr(files.os, "name", "nt")
    files.replace_file(tmp_path / "new", tmp_path / "old")
    monkeypatch.undo()
    assert (tmp_path / "old").read_text(encoding="utf-8") == "new"
    assert len(tried) == 3


def test_patience_ends(tmp_path, monkeypatch):
    def held(source, target):
        raise PermissionError("in use by another process")

    monkeypatch.setattr(files.os, "replace", held)
    monkeypatch.setattr(files.os, "name", "nt")
    with pytest.raises(PermissionError):
        files.replace_file(tmp_path / "new", tmp_path / "old", patience=0.0)


def test_cores_where_a_process_has_no_affinity(monkeypatch):
    monkeypatch.delattr(os, "sched_getaffinity", raising=False)
    monkeypatch.setattr(os, "cpu_count", lambda: 3)
    assert pairs.n_threads(None) == 3


@pytest.mark.parametrize("known", [("SC_PAGE_SIZE", "SC_PHYS_PAGES"), ()])
def test_memory_where_the_system_does_not_say_what_is_free(monkeypatch, known):
    def sysconf(name):
        if name not in known:
            raise ValueError("unrecognized configuration name")
        return {"SC_PAGE_SIZE": 4096, "SC_PHYS_PAGES": 1000}[name]

    monkeypatch.delenv(shard_store.MEMORY, raising=False)
    monkeypatch.setattr(os, "sysconf", sysconf, raising=False)
    found = shard_store.memory_budget(2)
    if known:
        assert found == shard_store.SHARE / 2 * 0.5 * 4096 * 1000
    else:
        assert found > 0
