"""Long runs: what the next iteration depends on, written after each one, so that a killed process can go on.

The centers and the state of the fit are in one file; in a folder beside it every shard writes its own part (see
shard_log.py), whoever holds it. The file says which fit and which of its runs it belongs to, and every run has a folder of its
own for its logs, named after both; what is found in other folders belongs to fits and runs that are over, and is removed.

A run that begins is written down before the logs of the one before it go. So whatever moment a process is killed at, the file
and the logs that it names belong together, and the fit goes on as if nothing had happened.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import uuid
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphmeans.array_file import Arrays, read_array_file, sync_folder, write_array_file
from graphmeans.cluster.data.dataset import Dataset
from graphmeans.cluster.persistence.lock import FileLock
from graphmeans.file_schema import BEGUN, FACTS
from graphmeans.files import blaming
from graphmeans.graphs.errors import GraphError
from graphmeans.schema import check

#: Of the file's layout; a file of another version is refused.
VERSION = 4


@dataclass(frozen=True)
class Checkpoint:
    """What a file holds: facts that JSON knows, and arrays."""

    facts: dict[str, Any]
    arrays: Arrays

    @property
    def has_begun_only(self) -> bool:
        """Whether its run has made no iteration yet, and starts anew."""
        return "checkpoint_id" not in self.facts


class CheckpointFile:
    """A file that holds the state of a fit. It is replaced in one step, and removed when the fit is done.

    Parameters
    ----------
    path : path
    fingerprint : str
        Of the collection and the settings. The file of another fit is refused, never overwritten.
    """

    def __init__(self, path: str | os.PathLike[str], fingerprint: str) -> None:
        self.path, self.fingerprint = Path(path), fingerprint
        if self.path.is_dir() or not self.path.absolute().parent.is_dir():
            raise GraphError(f"checkpoint={str(path)!r}: not a file in an existing folder")
        self._folder = self.path.with_name(self.path.name + ".shards")
        #: Where the shards of the present run write their logs.
        self.log_dir = self._folder
        #: What every checkpoint also holds: which run this is, and the best one before it.
        self.common = Checkpoint({}, {})
        self._fit = uuid.uuid4().hex
        self._lock = FileLock(self.path)

    def open(self) -> None:
        """Take the lock: nobody else may write this file."""
        self._lock.acquire()

    def close(self) -> None:
        """Let go of the lock."""
        self._lock.release()

    def begin_run(self, common: Checkpoint, resumed: bool) -> None:
        """A run begins, or goes on: its logs get a folder of their own, and those of other runs and fits are removed.

        Before that the file says that it has begun, unless it is the first run, which needs no file to begin anew, or one that
        goes on, of which the file knows more.
        """
        self.common = Checkpoint({"fit": self._fit, **common.facts}, common.arrays)
        self.log_dir = self._folder / f"{self._fit}-{common.facts['run']}"
        try:
            self.log_dir.mkdir(parents=True, exist_ok=True)
            sync_folder(self._folder)
        except OSError as error:
            raise GraphError(f"{self.log_dir}: cannot be made ({error.strerror})") from None
        if common.facts["run"] and not resumed:
            self.write({}, {})
        for other in self._folder.iterdir():
            if other != self.log_dir:
                shutil.rmtree(other, ignore_errors=True) if other.is_dir() else other.unlink(missing_ok=True)

    def write(self, facts: dict[str, Any], arrays: Arrays) -> None:
        """Replace the file: the new one is complete before the old one goes."""
        head = {"version": VERSION, "fingerprint": self.fingerprint, **self.common.facts, **facts}
        try:
            write_array_file(self.path, "checkpoint", head, {**self.common.arrays, **arrays}, sync=True)
        except OSError as error:
            raise GraphError(f"{self.path}: cannot be written ({error.strerror}); the last checkpoint is kept") from None

    def read(self) -> Checkpoint | None:
        """What was written last; None if there is no file. What it says of itself is checked, its arrays are not yet."""
        if not self.path.exists():
            return None
        try:
            head, arrays = read_array_file(self.path, "checkpoint")
            version, fingerprint = head["version"], head["fingerprint"]
        except (GraphError, KeyError) as error:
            reason = str(error).removeprefix(f"{self.path}: ")
            raise GraphError(f"{self.path}: not a checkpoint, or a damaged one ({reason})") from None
        if version != VERSION:
            raise GraphError(f"{self.path}: a checkpoint of version {version}, this is {VERSION}: finish it where it was begun")
        if fingerprint != self.fingerprint:
            raise GraphError(f"{self.path}: the checkpoint of another collection or other settings: remove it or name another")
        with blaming(self.path):
            check(FACTS if "checkpoint_id" in head else BEGUN, head, "its state")
        if not re.fullmatch("[0-9a-f]{32}", head["fit"]):
            raise GraphError(f"{self.path}: not a checkpoint, or a damaged one ({head['fit'][:40]!r} names no fit)")
        self._fit = head["fit"]
        return Checkpoint(head, arrays)

    def remove(self) -> None:
        """The fit is done."""
        self.path.unlink(missing_ok=True)
        shutil.rmtree(self._folder, ignore_errors=True)


def fit_fingerprint(data: Dataset, settings: dict[str, Any]) -> str:
    """A hash that differs between different fits: of the graphs, and of the settings that the result depends on."""
    digest = hashlib.sha256(repr(sorted((name, repr(value)) for name, value in settings.items())).encode())
    for part in data.fingerprint():
        digest.update(part)
    return digest.hexdigest()


def prefixed(name: str, arrays: Arrays) -> Arrays:
    """Arrays with this before their names."""
    return {f"{name}/{key}": array for key, array in arrays.items()}


def without_prefix(name: str, arrays: Arrays) -> Arrays:
    """The arrays that have this before their names."""
    return {key[len(name) + 1 :]: array for key, array in arrays.items() if key.startswith(name + "/")}
