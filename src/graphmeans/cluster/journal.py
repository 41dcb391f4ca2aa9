"""What a shard leaves behind on disk, so that it can be built again: its state, then only what has changed since.

A file holds arrays and nothing else (no pickle), with a checksum, and appears under its name when it is complete. Files are
named after the shard and the generation, a number that grows with each time that all shards left something behind.
"""

from __future__ import annotations

import json
import zlib
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.bounds import FREE
from graphmeans.cluster.shard import Shard
from graphmeans.graphs.batch import row_ranges
from graphmeans.graphs.errors import GraphError

Arrays = dict[str, NDArray[Any]]
IntArray = NDArray[np.int64]

WHOLE, CHANGES = "whole", "changes"
#: What changes more often than the rest.
APART = frozenset({"upper", "followed"})


class Journal:
    """The files of one shard in a folder."""

    def __init__(self, folder: Path, number: int) -> None:
        self.folder, self.number = folder, number
        self._files: list[tuple[int, str]] = []  # generation and kind of those that are there
        self._written = 0  # bytes of changes since the whole was written
        self._size = 0  # of the whole

    def write(self, shard: Shard, generation: int, confirmed: int) -> None:
        """Leave behind what has changed since the last time, or everything. Files that `confirmed` makes useless go."""
        touched, shifted = np.flatnonzero(shard.touched), np.flatnonzero(shard.touched | shard.shifted)
        arrays = shard.state()
        per_graph = sum(array.nbytes for array in arrays.values()) / max(1, len(shard))
        more = int(per_graph * len(touched)) + 16 * len(shifted)
        if not self._size or self._written + more > self._size:
            kind, self._size, self._written = WHOLE, int(per_graph * len(shard)), 0
        else:
            kind, self._written = CHANGES, self._written + more
            arrays = _changes(shard, arrays, touched, shifted)
        write_arrays(self._path(generation, kind), arrays)
        self._files.append((generation, kind))
        shard.touched[:] = shard.shifted[:] = False
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
        shard.touched[:] = shard.shifted[:] = False

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


def _changes(shard: Shard, arrays: Arrays, touched: IntArray, shifted: IntArray) -> Arrays:
    """The rows of some graphs, and of more only u, which changes whenever their centre moves."""
    nodes, _ = row_ranges(shard.batch.node_ptr, touched)
    rows = {name: nodes if name in Shard.OF_NODES else touched for name in arrays if name not in APART}
    result = {name: arrays[name][which] for name, which in rows.items()}
    own = {"upper": arrays["upper"][shifted], "followed": arrays["followed"]}
    return result | own | {"touched": touched.astype(np.int32), "shifted": shifted.astype(np.int32)}


def _apply(shard: Shard, state: Arrays, changes: Arrays) -> None:
    touched = changes["touched"].astype(np.int64)
    nodes, _ = row_ranges(shard.batch.node_ptr, touched)
    state["upper"][changes["shifted"]], state["followed"] = changes["upper"], changes["followed"]
    for name in state.keys() - APART:
        more = changes[name].shape[1:2] > state[name].shape[1:2]
        if more:  # the table of bounds has grown
            room = [(0, wide - narrow) for wide, narrow in zip(changes[name].shape[1:], state[name].shape[1:], strict=True)]
            state[name] = np.pad(state[name], [(0, 0), *room], constant_values=FREE if name == "bounds_centre" else 0)
        state[name] = state[name].astype(changes[name].dtype, copy=False)
        state[name][nodes if name in Shard.OF_NODES else touched] = changes[name]


def write_arrays(path: Path, arrays: Arrays) -> None:
    """Write arrays in one go; the file is there when it is complete."""
    arrays = {name: np.ascontiguousarray(array) for name, array in arrays.items()}
    check = 0
    for array in arrays.values():
        check = zlib.crc32(_bytes(array), check)
    layout = [[name, array.dtype.str, array.shape] for name, array in arrays.items()]
    head = json.dumps({"arrays": layout, "crc": check}).encode()
    partial = path.with_name(path.name + ".partial")
    with partial.open("wb") as stream:
        stream.write(len(head).to_bytes(8, "little") + head)
        for array in arrays.values():
            stream.write(_bytes(array))
    partial.replace(path)


def _bytes(array: NDArray[Any]) -> Any:
    return array.reshape(-1).view(np.uint8).data


def read_arrays(path: Path) -> Arrays:
    """What `write_arrays` wrote."""
    try:
        content = bytearray(path.read_bytes())
        length = int.from_bytes(content[:8], "little")
        head = json.loads(bytes(content[8 : 8 + length]))
        at, result = 8 + length, {}
        if zlib.crc32(memoryview(content)[at:]) != head["crc"]:
            raise ValueError("its checksum is wrong")
        for name, dtype, shape in head["arrays"]:
            count = int(np.prod(shape))
            result[name] = np.frombuffer(content, np.dtype(dtype), count, at).reshape(shape).copy()
            at += result[name].nbytes
        return result
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise GraphError(f"{path}: cannot be read ({error})") from None
