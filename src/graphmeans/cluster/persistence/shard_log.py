"""What a shard writes to disk, so that it can be built again: its state, then only what has changed since.

A file holds arrays and nothing else (no pickle), with a checksum, and appears under its name when it is complete. Files are
named after the shard and the checkpoint, whose number grows each time that all shards have written their logs.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.shards.state import ShardState
from graphmeans.graphs.errors import GraphError

Arrays = dict[str, NDArray[Any]]

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
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    check = 0
    for array in arrays.values():
        check = checksum(_bytes(array), check)
    layout = [[name, array.dtype.str, array.shape] for name, array in arrays.items()]
    head = json.dumps({"arrays": layout, "check": check}).encode()
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as stream:
        stream.write(len(head).to_bytes(8, "little") + head)
        for array in arrays.values():
            stream.write(_bytes(array))
    partial.replace(path)


def checksum(data: Any, before: int) -> int:
    """Of bytes that follow others: a sum of words, each as fast as it can be read."""
    words = np.frombuffer(data, np.uint64, len(data) // 8)
    rest = int.from_bytes(bytes(data[len(words) * 8 :]), "little")
    return (before * 31 + int(np.add.reduce(words)) + rest + len(data)) % 2**64


def _bytes(array: NDArray[Any]) -> Any:
    return array.reshape(-1).view(np.uint8).data


def read_arrays(path: Path) -> Arrays:
    """What `write_arrays` wrote."""
    try:
        content = bytearray(path.read_bytes())
        length = int.from_bytes(content[:8], "little")
        head = json.loads(bytes(content[8 : 8 + length]))
        at, result = 8 + length, {}
        check = 0
        for name, dtype, shape in head["arrays"]:
            count = int(np.prod(shape))
            result[name] = np.frombuffer(content, np.dtype(dtype), count, at).reshape(shape).copy()
            at += result[name].nbytes
            check = checksum(_bytes(result[name]), check)
        if check != head["check"] or at != len(content):
            raise ValueError("its checksum is wrong")
        return result
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise GraphError(f"{path}: cannot be read ({error})") from None
