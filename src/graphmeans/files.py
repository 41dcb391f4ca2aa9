"""Read and write bytes: folders and zip files through one interface, limits on what is unpacked, and errors of one line."""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import io
import json
import os
import re
import stat
import struct
import time
import zipfile
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any, Union

from graphmeans import budget
from graphmeans.graphs.errors import GraphError

#: The largest single text file (XML, JSON) that is read, in a folder or unpacked from a zip.
MAX_FILE = 64 * 2**20
#: A zip file may always unpack to this many bytes.
FREE_TOTAL = 64 * 2**20
#: A larger one may unpack to this many times its own size. Deflate reaches 1000; text and attributes stay far below 200.
MAX_RATIO = 200
#: Graphs are looked for in folders down to this depth.
MAX_DEPTH = 3

PathLike = Union[str, "os.PathLike[str]"]

#: What content that is not sound raises where it is put together.
DAMAGE = (ValueError, TypeError, KeyError, IndexError, AttributeError, OverflowError, RecursionError, MemoryError)
_UNPACKING = (zipfile.BadZipFile, zlib.error, struct.error, EOFError, MemoryError, OSError, ValueError, RuntimeError,
              LookupError)  # fmt: skip
_NO_ACCESS = (OSError, ValueError)


def fail(where: object, problem: object) -> GraphError:
    """Return the error to raise: one printable line that starts with the file."""
    text = str(problem)
    line = " ".join(f"{where}: {text if len(text) <= 400 else text[:399] + '…'}".split())
    if not line.isprintable():
        line = "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in line)
    return GraphError(line)


def called(name: str | None) -> str:
    """Return what messages call a graph."""
    return "graph" if name is None else f"graph {name!r}"


@contextlib.contextmanager
def refusing(where: object, problem: str, kinds: tuple[type[BaseException], ...]) -> Iterator[None]:
    """Turn errors of these kinds into one that names the file and the problem. A `GraphError` stays as it is."""
    try:
        yield
    except GraphError:
        raise
    except kinds as error:
        raise fail(where, f"{problem} ({_reason(error)})") from None


@contextlib.contextmanager
def blaming(where: object, problem: str = "") -> Iterator[None]:
    """Let every `GraphError` begin with the file; given a `problem`, other errors become one that tells it."""
    try:
        with refusing(where, problem, DAMAGE if problem else ()):
            yield
    except GraphError as error:
        raise error if str(error).startswith(str(fail(where, ""))) else fail(where, error) from None


def regular_size(path: PathLike) -> int:
    """Return the size of an ordinary file. Anything else is refused before it is opened: a pipe or a device may never end.

    A link that the caller names is followed. Links inside a folder are followed as long as they stay in it; see `Folder`.
    """
    with refusing(path, "cannot be read", _NO_ACCESS):
        status = os.stat(path)
        if stat.S_ISDIR(status.st_mode):
            raise fail(path, "is a folder, not a file")
        if not stat.S_ISREG(status.st_mode):
            raise fail(path, "is not an ordinary file but a pipe, a socket or a device")
        return status.st_size


def read_file(path: PathLike, limit: int | None = MAX_FILE) -> bytes:
    """Return the bytes of an ordinary file, which must not be larger than `limit`."""
    size = regular_size(path)
    if limit is not None and size > limit:
        raise fail(path, f"is larger than {limit >> 20} MiB, the most that is read")
    budget.opened(path, size)
    budget.charge(path, size=size)
    with refusing(path, "cannot be read", _NO_ACCESS):
        return Path(path).read_bytes()


def unpacked(data: bytes, where: object) -> bytes:
    """Return what is packed by gzip; refused if that is far more than its own size."""
    limit = max(FREE_TOTAL, MAX_RATIO * len(data))
    parts, total = [], 0
    with refusing(where, "cannot be unpacked", _UNPACKING), gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
        while part := packed.read(1 << 20):
            total += len(part)
            budget.charge(where, size=len(part))
            if total > limit:
                raise fail(where, f"would unpack to more than {MAX_RATIO} times its size; refused")
            parts.append(part)
    return b"".join(parts)


def named_content(path_or_bytes: PathLike | bytes, kind: str) -> tuple[bytes, str | None, str]:
    """Return the bytes of a file, its name without the ending, and what messages call it.

    Bytes that are given have no name; messages call them by `kind`.
    """
    if isinstance(path_or_bytes, bytes):
        return path_or_bytes, None, kind
    return read_file(path_or_bytes), Path(path_or_bytes).stem, str(path_or_bytes)


def write_file(path: PathLike, data: bytes) -> None:
    """Write a file, and make its folder if there is none."""
    with refusing(path, "cannot be written", _NO_ACCESS):
        Path(path).parent.mkdir(parents=True, exist_ok=True)
        Path(path).write_bytes(data)


def decoded(data: bytes, where: str) -> str:
    """Return the text of a file in UTF-8."""
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise fail(where, f"is not UTF-8 ({error.reason} at byte {error.start})") from None


def parse_json(text: str, where: str) -> Any:
    """Parse JSON. Whatever is wrong with it becomes an error of one line; what it will take is charged before."""
    lists = text.count("[") + text.count("{")
    budget.charge(where, rows=lists, values=text.count(",") + text.count(":") - lists, size=len(text))
    with blaming(where, "is not valid JSON"):
        return json.loads(text)


def natural_key(name: str) -> list[tuple[int, str]]:
    """Return a key for sorting that puts ``g2`` before ``g10``."""
    parts = re.split(r"([0-9]+)", name)
    return [(len(part.lstrip("0")), part.lstrip("0")) if i % 2 else (-1, part) for i, part in enumerate(parts)]


def stems(names: Iterable[str | None]) -> list[str]:
    """Return a file name for each graph: its own name if that is unique and safe, otherwise one such as ``graph_00012``."""
    taken: set[str] = set()
    result = []
    for i, name in enumerate(names):
        stem = name if name is not None and _FIT.fullmatch(name) and name.lower() not in taken else f"graph_{i:05d}"
        while stem.lower() in taken:
            stem += "_"
        taken.add(stem.lower())
        result.append(stem)
    return result


# A name that is safe on every system: it is not hidden, has no separator, ends in no blank or dot, and is no device of Windows.
_FIT = re.compile(
    r"(?!(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$))[^\W_][\w\-+()=, .]{0,98}(?<![ .])", re.IGNORECASE | re.ASCII
)


def inside(root: Path, name: str) -> Path:
    """Return the path of a file in a folder, where it must lie even after links are followed."""
    path = root / name
    with refusing(path, "cannot be read", (*_NO_ACCESS, RuntimeError)):
        within = path.resolve().is_relative_to(root.resolve())
    if not within:
        raise fail(root, f"{name!r} leads out of the folder")
    return path


class Folder:
    """The files below a folder, by their names relative to it."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def where(self, name: str = "") -> str:
        """Return the name by which messages call a file."""
        return str(self.root / name)

    def levels(self) -> Iterator[list[str]]:
        """Yield the names of the files in the folder, then of those one folder below, and so on. Hidden files are left out."""
        folders = [""]
        for _ in range(MAX_DEPTH + 1):
            files: list[str] = []
            below: list[str] = []
            for folder in folders:
                self._list(folder, files, below)
            yield files
            folders = below

    def _list(self, folder: str, files: list[str], below: list[str]) -> None:
        with refusing(self.where(folder), "cannot be read", _NO_ACCESS), os.scandir(self.root / folder) as entries:
            for entry in entries:
                if not _hidden(entry.name) and not entry.is_dir():
                    files.append(folder + entry.name)
                elif not _hidden(entry.name) and not entry.is_symlink():
                    below.append(f"{folder}{entry.name}/")

    def read(self, name: str, limit: int | None = MAX_FILE) -> bytes:
        """Return the bytes of one file, which must lie inside the folder even after links are followed."""
        return read_file(inside(self.root, name), limit)

    def close(self) -> None:
        """Do nothing: a folder is not held open."""


class Archive:
    """The files in a zip (below `inside`), refused as a whole if it would unpack to far more than its own size."""

    def __init__(self, path: Path, inside: str = "", data: bytes | None = None) -> None:
        self.path = path  # if the bytes are given, this is only a name in messages
        self._prefix = f"{inside.strip('/')}/" if inside.strip("/") else ""
        packed = regular_size(path) if data is None else len(data)
        budget.opened(path, packed)
        with refusing(path, "is not a readable zip file", _UNPACKING):
            self._zip = zipfile.ZipFile(path if data is None else io.BytesIO(data))
        self._infos = {info.filename: info for info in self._zip.infolist() if not info.filename.endswith("/")}
        total = sum(info.file_size for info in self._infos.values())
        if total > FREE_TOTAL and total > MAX_RATIO * packed:
            self.close()
            raise fail(path, f"would unpack to {total} bytes, more than {MAX_RATIO} times its size; refused")

    def where(self, name: str = "") -> str:
        """Return the name by which messages call a member."""
        return f"{self.path}/{self._prefix}{name}".rstrip("/")

    def levels(self) -> Iterator[list[str]]:
        """Yield the names of the members below `inside`, by the number of folders they lie in. Hidden ones are left out."""
        below = [name[len(self._prefix) :] for name in self._infos if name.startswith(self._prefix)]
        shown = [name for name in below if not any(map(_hidden, name.split("/")))]
        for depth in range(MAX_DEPTH + 1):
            yield [name for name in shown if name.count("/") == depth]

    def names(self) -> list[str]:
        """Return the names of all members."""
        return list(self._infos)

    def size(self, name: str) -> int:
        """Return the number of bytes of one member."""
        info = self._infos.get(self._prefix + name)
        if info is None:
            raise fail(self.where(name), "is not in the zip")
        return info.file_size

    def sha256(self, name: str) -> str:
        """Return the digest of one member, which is not held in memory."""
        digest = hashlib.sha256()
        with refusing(self.where(name), "cannot be unpacked", _UNPACKING), self._zip.open(self._prefix + name) as member:
            while part := member.read(1 << 20):
                digest.update(part)
        return digest.hexdigest()

    def place(self, name: str) -> tuple[int, int]:
        """Return where in the file the bytes of an uncompressed member begin, and how many there are."""
        info = self._infos[self._prefix + name]
        if info.compress_type != zipfile.ZIP_STORED or info.flag_bits & 0x1:
            raise fail(self.where(name), "is compressed, where it must not be")
        with self.path.open("rb") as file:
            file.seek(info.header_offset + 26)
            name_length, extra_length = struct.unpack("<HH", file.read(4))
        return info.header_offset + 30 + name_length + extra_length, info.file_size

    def read(self, name: str, limit: int | None = MAX_FILE) -> bytes:
        """Return the bytes of one member."""
        info = self._infos.get(self._prefix + name)
        if info is None:
            raise fail(self.where(name), "is not in the zip")
        if limit is not None and info.file_size > limit:
            raise fail(self.where(name), f"is larger than {limit >> 20} MiB, the most that is read")
        if info.flag_bits & 0x1:
            raise fail(self.where(name), "is encrypted")
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            raise fail(self.where(name), "is packed with a method other than deflate")
        budget.charge(self.where(name), size=info.file_size)
        with refusing(self.where(name), "cannot be unpacked", _UNPACKING), self._zip.open(info) as member:
            data = member.read(info.file_size + 1)
        if len(data) != info.file_size:
            raise fail(self.where(name), f"has {len(data)} bytes instead of {info.file_size}")
        return data

    def close(self) -> None:
        """Close the zip file."""
        self._zip.close()


#: A folder or a zip: both list their files by level and read one by its name.
FileTree = Union[Folder, Archive]


@contextlib.contextmanager
def opened(path: PathLike) -> Iterator[FileTree]:
    """Open a folder, a zip, or a folder inside a zip (``Letter.zip/Letter/LOW``), and close it at the end of the ``with``."""
    with contextlib.closing(_open(Path(path))) as source:
        yield source


def topmost(source: FileTree, suffixes: Iterable[str]) -> list[str]:
    """Return the files with one of these endings, in natural order, from the folder nearest the top that holds any."""
    wanted = tuple(suffixes)
    for names in source.levels():
        found = sorted((name for name in names if name.lower().endswith(wanted)), key=natural_key)
        folders = list(dict.fromkeys(str(PurePosixPath(name).parent) for name in found))
        if len(folders) > 1:
            said = ", ".join(folders[:4]) + (", ..." if len(folders) > 4 else "")
            raise fail(source.where(), f"has graphs in {len(folders)} folders ({said}); add the one you want to the path")
        if found:
            return found
    return []


def replace_file(source: Path, target: Path, patience: float = 2.0) -> None:
    """Put a file (or a new folder) in the place of another, all at once.

    On Windows that fails while somebody, often a virus scanner, has the other one open: then it is tried again for a while.
    """
    given_up = time.monotonic() + patience
    while True:
        try:
            os.replace(source, target)
            return
        except PermissionError:
            if os.name != "nt" or time.monotonic() > given_up:
                raise
            time.sleep(0.05)


def _open(path: Path) -> FileTree:
    with refusing(path, "cannot be read", _NO_ACCESS):
        if path.is_dir():
            return Folder(path)
        for base in (path, *path.parents):
            if base.is_dir():
                break  # nothing above a folder can be a zip
            if base.is_file():
                return Archive(base, path.relative_to(base).as_posix().replace(".", "", base == path))
    raise fail(path, "no such file or folder")


def _hidden(name: str) -> bool:
    return name.startswith(".") or name == "__MACOSX"


def _reason(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
