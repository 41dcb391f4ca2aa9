"""Long runs: what the next iteration depends on, written after each one, so that a killed process can go on.

The centers and the state of the fit are in one file; in a folder beside it every shard writes its own part (see
shard_log.py), whoever holds it. The file says which checkpoint of theirs belongs to it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from graphmeans.array_file import Arrays, read_array_file, write_array_file
from graphmeans.cluster.data.dataset import Dataset
from graphmeans.graphs.errors import GraphError

#: Of the file's layout; a file of another version is refused.
VERSION = 3



@dataclass(frozen=True)
class Checkpoint:
    """What a file holds: facts that JSON knows, and arrays."""

    facts: dict[str, Any]
    arrays: Arrays


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
        self.log_dir = self.path.with_name(self.path.name + ".shards")
        #: What every checkpoint also holds: which run this is, and the best one before it.
        self.common = Checkpoint({}, {})

    def prepare(self) -> None:
        """Make the folder in which shards write their logs."""
        try:
            self.log_dir.mkdir(exist_ok=True)
        except OSError as error:
            raise GraphError(f"{self.log_dir}: cannot be made ({error.strerror})") from None

    def write(self, facts: dict[str, Any], arrays: Arrays) -> None:
        """Replace the file: the new one is complete before the old one goes."""
        head = {"version": VERSION, "fingerprint": self.fingerprint, **self.common.facts, **facts}
        try:
            write_array_file(self.path, "checkpoint", head, {**self.common.arrays, **arrays}, sync=True)
        except OSError as error:
            raise GraphError(f"{self.path}: cannot be written ({error.strerror}); the last checkpoint is kept") from None

    def read(self) -> Checkpoint | None:
        """What was written last; None if there is no file."""
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
        return Checkpoint(head, arrays)

    def remove(self) -> None:
        """The fit is done."""
        self.path.unlink(missing_ok=True)
        shutil.rmtree(self.log_dir, ignore_errors=True)


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
