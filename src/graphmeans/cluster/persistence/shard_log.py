"""What a shard writes to disk, so that it can be built again: its state, then only what has changed since.

A file holds arrays and nothing else (no pickle), with a checksum, and appears under its name when it is complete. Files are
named after the shard and the checkpoint, whose number grows each time that all shards have written their logs.
"""

from __future__ import annotations

from pathlib import Path

from graphmeans.array_file import Arrays, read_array_file, write_array_file
from graphmeans.cluster.shards.state import ShardState
from graphmeans.graphs.errors import GraphError

#: Kinds of files: a whole state, or what has changed since the file before.
WHOLE, CHANGES = "whole", "changes"


class ShardLog:
    """The files of one shard in a folder."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder, self.number = folder, number
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
        write_arrays(self._path(checkpoint_id, kind), arrays)
        self._files.append((checkpoint_id, kind))
        state.mark_written()
        self._clear(confirmed)

    def read(self, state: ShardState, checkpoint_id: int) -> None:
        """Put a state back to what was written for this checkpoint."""
        self._files = self._found()
        files = [(number, kind) for number, kind in self._files if number <= checkpoint_id]
        starts = [i for i, (_, kind) in enumerate(files) if kind == WHOLE]
        if not starts or files[-1][0] != checkpoint_id:
            raise GraphError(f"{self.folder}: holds nothing of checkpoint {checkpoint_id} of shard {self.number}")
        arrays = read_arrays(self._path(*files[starts[-1]]))
        self._size, self._written = _bytes_in(arrays), 0
        for file in files[starts[-1] + 1 :]:
            changes = read_arrays(self._path(*file))
            self._written += _bytes_in(changes)
            state.apply_changes(arrays, changes)
        state.load_arrays(arrays)
        state.mark_written()

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


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays in one go; the file is there when it is complete."""
    write_array_file(path, "shard", {}, arrays, digest="crc32")


def read_arrays(path: Path) -> Arrays:
    """What `write_arrays` wrote."""
    try:
        return read_array_file(path, "shard", digest="crc32")[1]
    except GraphError as error:
        raise GraphError(f"{path}: cannot be read ({str(error).removeprefix(f'{path}: ')})") from None
