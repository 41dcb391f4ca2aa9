"""What a shard leaves behind on disk, so that it can be built again: its state, then only what has changed since.

A file holds arrays and nothing else (no pickle), with a checksum, and appears under its name when it is complete. Files are
named after the shard and the generation, a number that grows with each time that all shards left something behind.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from graphmeans.array_file import Arrays, read_array_file, write_array_file
from graphmeans.cluster.shards.aligned import FLAGS
from graphmeans.cluster.shards.bounds import FREE
from graphmeans.cluster.shards.shard import Shard
from graphmeans.graphs.batch import row_ranges
from graphmeans.graphs.errors import GraphError

WHOLE, CHANGES = "whole", "changes"


class Journal:
    """The files of one shard in a folder."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder, self.number = folder, number
        self._files: list[tuple[int, str]] = []  # generation and kind of those that are there
        self._written = 0  # bytes of changes since the whole was written
        self._size = 0  # of the whole

    def write(self, shard: Shard, generation: int, confirmed: int) -> None:
        """Leave behind what has changed since the last time, or everything. Files that `confirmed` makes useless go."""
        arrays = shard.state()
        size = sum(array.nbytes for array in arrays.values())
        changes = _changes(shard, arrays)
        more = sum(array.nbytes for array in changes.values())
        if not self._size or self._written + more > self._size:
            kind, self._size, self._written = WHOLE, size, 0
        else:
            kind, self._written, arrays = CHANGES, self._written + more, changes
        write_arrays(self._path(generation, kind), arrays)
        self._files.append((generation, kind))
        _forget_changes(shard)
        self._clear(confirmed)

    def read(self, shard: Shard, generation: int) -> None:
        """Put a shard into the state that it left behind in this generation."""
        self._files = self._found()
        files = [(g, kind) for g, kind in self._files if g <= generation]
        starts = [i for i, (_, kind) in enumerate(files) if kind == WHOLE]
        if not starts or files[-1][0] != generation:
            raise GraphError(f"{self.folder}: holds nothing of generation {generation} of shard {self.number}")
        state = read_arrays(self._path(*files[starts[-1]]))
        self._size, self._written = sum(array.nbytes for array in state.values()), 0
        for file in files[starts[-1] + 1 :]:
            changes = read_arrays(self._path(*file))
            self._written += sum(array.nbytes for array in changes.values())
            _apply(shard, state, changes)
        shard.restore(state)
        _forget_changes(shard)

    def _path(self, generation: int, kind: str) -> Path:
        return self.folder / f"{self.number:07d}.{generation:09d}.{kind}"

    def _found(self) -> list[tuple[int, str]]:
        names = [path.name.split(".", 2) for path in self.folder.glob(f"{self.number:07d}.*")]
        return sorted((int(generation), kind) for _, generation, kind in names if kind in (WHOLE, CHANGES))  # no partial ones

    def _clear(self, confirmed: int) -> None:
        """Remove what nobody will ask for: files before the last whole that is confirmed."""
        last = max((g for g, kind in self._files if kind == WHOLE and g <= confirmed), default=0)
        for file in [file for file in self._files if file[0] < last]:
            self._path(*file).unlink(missing_ok=True)
            self._files.remove(file)


def _flag(name: str) -> str:
    """Which mark says of which graphs an array has changed."""
    return "learnt" if name.startswith("bounds_") else "shifted" if name == "upper" else "touched"


def _changes(shard: Shard, arrays: Arrays) -> Arrays:
    """The rows of those graphs of which something has changed."""
    rows = {flag: np.flatnonzero(getattr(shard, flag)) for flag in FLAGS}
    result = {f"rows_{flag}": which.astype(np.int32) for flag, which in rows.items()}
    nodes, _ = row_ranges(shard.batch.node_ptr, rows["touched"])
    for name, array in arrays.items():
        result[name] = array if name == "followed" else array[nodes if name in Shard.OF_NODES else rows[_flag(name)]]
    return result


def _apply(shard: Shard, state: Arrays, changes: Arrays) -> None:
    rows = {flag: changes[f"rows_{flag}"].astype(np.int64) for flag in FLAGS}
    nodes, _ = row_ranges(shard.batch.node_ptr, rows["touched"])
    for name, array in state.items():
        new = changes[name]
        if name == "followed":
            state[name] = new
            continue
        if new.shape[1:2] > array.shape[1:2]:  # the table of bounds has grown
            room = [(0, wide - narrow) for wide, narrow in zip(new.shape[1:], array.shape[1:], strict=True)]
            array = np.pad(array, [(0, 0), *room], constant_values=FREE if name == "bounds_center" else 0)
        state[name] = array.astype(new.dtype, copy=False)
        state[name][nodes if name in Shard.OF_NODES else rows[_flag(name)]] = new


def _forget_changes(shard: Shard) -> None:
    for flag in FLAGS:
        getattr(shard, flag)[:] = False


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays in one go; the file is there when it is complete."""
    write_array_file(path, "shard", {}, arrays, digest="crc32")


def read_arrays(path: Path) -> Arrays:
    """What `write_arrays` wrote."""
    try:
        return read_array_file(path, "shard", digest="crc32")[1]
    except GraphError as error:
        raise GraphError(f"{path}: cannot be read ({str(error).removeprefix(f'{path}: ')})") from None
