"""What a shard writes to disk, so that it can be built again: its state, then only what has changed since.

A file holds arrays and nothing else (no pickle), with a checksum, and appears under its name when it is complete. Files are
named after the shard and the checkpoint, whose number grows each time that all shards have written their logs; the folder is
named after the run. All three are also in the file, so that none is taken for another.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from graphmeans import file_schema
from graphmeans.array_file import Arrays, read_array_file, write_array_file
from graphmeans.cluster.shards.state import ShardState
from graphmeans.files import blaming
from graphmeans.graphs.errors import GraphError
from graphmeans.schema import check

#: Kinds of files: a whole state, or what has changed since the file before.
WHOLE, CHANGES = "whole", "changes"


class ShardLog:
    """The files of one shard in a folder.

    Parameters
    ----------
    folder : Path
    number : int
    durable : bool
        Whether a file shall outlast the machine, not only the process: then the disk is waited for.
    """

    def __init__(self, folder: Path, number: int, durable: bool = False) -> None:
        self.folder, self.number, self.durable = folder, number, durable
        self._files: list[tuple[int, str]] = []  # checkpoint and kind of those that are there
        self._written = 0  # bytes of changes since the whole state was written
        self._size = 0  # bytes of the whole state

    def write(self, state: ShardState, checkpoint_id: int, confirmed: int) -> None:
        """Write what has changed since the last time, or everything.

        A file that nobody needs any more, once all shards have written the checkpoint `confirmed`, is removed.
        """
        changes = state.changes()
        more = _bytes_in(changes)
        if not self._size or self._written + more > self._size:
            kind, arrays = WHOLE, state.to_arrays()
            self._size, self._written = _bytes_in(arrays), 0
        else:
            kind, arrays = CHANGES, changes
            self._written += more
        write_arrays(self._path(checkpoint_id, kind), arrays, self.durable, **self._about(checkpoint_id, kind))
        self._files.append((checkpoint_id, kind))
        state.mark_written()
        self._clear(confirmed)

    def read(self, state: ShardState, checkpoint_id: int, **lengths: int) -> None:
        """Put a state back to what was written for this checkpoint, after it was checked; `lengths` are those that are known.

        Files of later checkpoints, which were never confirmed, are removed.
        """
        found = self._found()
        for file in [file for file in found if file[0] > checkpoint_id]:
            self._path(*file).unlink(missing_ok=True)
        self._files = [file for file in found if file[0] <= checkpoint_id]
        start = max((number for number, kind in self._files if kind == WHOLE), default=0)
        if not start or [n for n, kind in self._files if n > start or kind == WHOLE][-1:] != [checkpoint_id]:
            raise GraphError(f"{self.folder}: holds nothing of checkpoint {checkpoint_id} of shard {self.number}")
        arrays = self._read(start, WHOLE, **lengths)
        self._size, self._written = _bytes_in(arrays), 0
        for number in range(start + 1, checkpoint_id + 1):
            changes = self._read(number, CHANGES, **lengths)
            self._written += _bytes_in(changes)
            state.apply_changes(arrays, changes)
        with blaming(self._path(checkpoint_id, "*")):
            check(file_schema.WHOLE, arrays, "its state", **lengths)
        state.load_arrays(arrays)
        state.mark_written()

    def _about(self, checkpoint_id: int, kind: str) -> dict[str, Any]:
        return {"run": self.folder.name, "shard": self.number, "checkpoint_id": checkpoint_id, "kind": kind}

    def _read(self, checkpoint_id: int, kind: str, **lengths: int) -> Arrays:
        path = self._path(checkpoint_id, kind)
        about, arrays = _read_log(path)
        with blaming(path):
            check(file_schema.LOG, about, "its description")
            if about != self._about(checkpoint_id, kind):
                raise GraphError(f"is the log of shard {about['shard']} at checkpoint {about['checkpoint_id']} of another run")
            declared = file_schema.WHOLE if kind == WHOLE else file_schema.CHANGES
            check(declared, arrays, "its state", **lengths)
        return arrays

    def _path(self, checkpoint_id: int, kind: str) -> Path:
        return self.folder / f"{self.number:07d}.{checkpoint_id:09d}.{kind}"

    def _found(self) -> list[tuple[int, str]]:
        names = [path.name.split(".", 2) for path in self.folder.glob(f"{self.number:07d}.*")]
        return sorted((int(number), kind) for _, number, kind in names if kind in (WHOLE, CHANGES))  # no partial ones

    def _clear(self, confirmed: int) -> None:
        """Remove what nobody will ask for: files before the last whole state that is confirmed."""
        last = max((number for number, kind in self._files if kind == WHOLE and number <= confirmed), default=0)
        for file in [file for file in self._files if file[0] < last]:
            self._path(*file).unlink(missing_ok=True)
            self._files.remove(file)


def _bytes_in(arrays: Arrays) -> int:
    return sum(array.nbytes for array in arrays.values())


def write_arrays(path: Path, arrays: Arrays, durable: bool = False, **about: Any) -> None:
    """Write arrays in one go; the file is there when it is complete."""
    write_array_file(path, "shard", about, arrays, digest="crc32", sync=durable)


def read_arrays(path: Path) -> Arrays:
    """What `write_arrays` wrote."""
    return _read_log(path)[1]


def _read_log(path: Path) -> tuple[dict[str, Any], Arrays]:
    try:
        return read_array_file(path, "shard", digest="crc32")
    except GraphError as error:
        raise GraphError(f"{path}: cannot be read ({str(error).removeprefix(f'{path}: ')})") from None
