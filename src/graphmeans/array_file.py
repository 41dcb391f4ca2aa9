"""Arrays in one file: a zip of .npy members with a description in JSON, and never pickle.

Fitted models, checkpoints and the logs of shards are such files. A file of kind ``model`` holds

- ``model.json``: the description that the caller gives, and under ``arrays`` the member of each array,
- ``arrays/0.npy``, ``arrays/1.npy``, ...: the arrays, uncompressed,
- a comment at its end, the seal: the digest of every byte before it.

Members have a fixed date, so the same content makes the same bytes. A file gets its name when it is complete. What is read
is not trusted: a byte that changed anywhere breaks the seal, no member is packed, all members together are no larger than the
file, and the header of an array is checked against the number of bytes before the array is made. What the arrays must be is
declared in `graphmeans.file_schema`.

The seal is a SHA-256, or a CRC-32, which takes less than half the time and suits files that are written after every iteration
and read only by the fit that wrote them. Models of earlier versions have no seal, but a SHA-256 of each member.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import struct
import zipfile
import zlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, BinaryIO, Literal

import numpy as np
from numpy.typing import NDArray

from graphmeans.files import Archive, PathLike, blaming, parse_json, replace_file
from graphmeans.graphs.errors import GraphError

Arrays = dict[str, NDArray[Any]]
Digest = Literal["sha256", "crc32"]

#: The member that held the digest of the description, before files had seals.
CHECKSUM = "checksum"
#: Arrays of at most this many bytes are read even where others stay in the file.
SMALL = 1 << 16
#: Where the numbers of an array begin in the file is a multiple of this, so that they can be mapped; and the mark of the filling.
ALIGNMENT, FILLING = 64, 0xD935
#: The largest description that is read. The numbers are not in it.
MAX_DESCRIPTION = 16 * 2**20


def write_array_file(
    path: PathLike, kind: str, about: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], *,
    digest: Digest = "sha256", sync: bool = False,
) -> None:  # fmt: skip
    """Write arrays of numbers with a description. The new file takes the place of an old one when it is complete.

    Parameters
    ----------
    path : path
        In a folder that exists.
    kind : str
        What the file is, such as ``"model"``. Only a reader that expects the same kind accepts it.
    about : mapping
        The description, as JSON knows it. The key ``arrays`` is not free.
    arrays : mapping of arrays of numbers by name
    digest : {"sha256", "crc32"}
        What the file is sealed with.
    sync : bool
        Whether to wait until the disk has the file before it takes the old one's place, and then until it has that, too.

    Raises
    ------
    OSError
        If it cannot be written. The old file is then still there.
    """
    path = Path(path)
    partial = path.with_name(path.name + ".partial")
    try:
        with partial.open("w+b") as stream:
            with zipfile.ZipFile(stream, "w") as archive:
                listed = {}
                for i, (name, array) in enumerate(arrays.items()):
                    listed[name] = f"arrays/{i}.npy"
                    write_npy(archive, listed[name], array)
                text = json.dumps({**about, "arrays": listed}, ensure_ascii=False).encode("utf-8", "surrogatepass")
                archive.writestr(zipfile.ZipInfo(f"{kind}.json"), text)
                archive.comment = _comment(digest, bytes(SIZES[digest]))
            seal(stream, digest)
            if sync:
                stream.flush()
                os.fsync(stream.fileno())
        replace_file(partial, path)
    except BaseException:
        partial.unlink(missing_ok=True)
        raise
    if sync:
        sync_folder(path.parent)


def sync_folder(folder: Path) -> None:
    """Wait until the disk has the names in a folder. Windows opens no folders, and some file systems cannot do this."""
    with contextlib.suppress(OSError):
        opened = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(opened)
        finally:
            os.close(opened)


def read_array_file(
    path: PathLike, kind: str, *, digest: Digest = "sha256", check: Callable[[dict[str, Any]], None] | None = None,
    mapped: Callable[[dict[str, Any]], bool] | None = None, unsealed: Callable[[dict[str, Any]], bool] | None = None,
) -> tuple[dict[str, Any], Arrays]:  # fmt: skip
    """The description and the arrays that `write_array_file` wrote. The arrays may be written to.

    Parameters
    ----------
    path : path
    kind : str
        What the file must be.
    digest : {"sha256", "crc32"}
        With which it was sealed.
    check : callable, optional
        Is called with the description before any array is read, and raises a `GraphError` if it is of no use.
    mapped : callable, optional
        Is called with the description, and says whether large arrays stay in the file: then they are mapped into memory and
        cannot be written to.
    unsealed : callable, optional
        Is called with the description of a file without a seal, and says whether that is one of the versions that had none.

    Raises
    ------
    GraphError
        One line that begins with the path, if the file is not sound.
    """
    with contextlib.closing(Archive(Path(path))) as archive, blaming(path, "is not consistent in itself"):
        return _read(archive, kind, digest, check, mapped, unsealed)


def _read(
    archive: Archive, kind: str, digest: Digest, check: Callable[[dict[str, Any]], None] | None,
    mapped: Callable[[dict[str, Any]], bool] | None, unsealed: Callable[[dict[str, Any]], bool] | None,
) -> tuple[dict[str, Any], Arrays]:
    described = f"{kind}.json"
    members = set(archive.names())
    if described not in members:
        raise GraphError(f"is not a {kind} that graphmeans saved")
    sealed = is_sealed(archive.path, digest)
    if not sealed and unsealed is None:
        raise GraphError(f"is not a {kind} that graphmeans saved, or its end is damaged")
    text = archive.read(described, limit=MAX_DESCRIPTION)
    about = parse_json(text.decode("utf-8", "surrogatepass"), described)
    if not isinstance(about, dict):
        raise GraphError(f"is not a {kind} that graphmeans saved")
    if check is not None:
        check(about)
    if not sealed and unsealed is not None and not unsealed(about):
        raise GraphError("is damaged: it does not have its seal")
    listed = about.pop("arrays")
    if not sealed:
        listed = _earlier(archive, described, text, listed)
    strange = sorted(members - {described} - ({CHECKSUM} if not sealed else set()) - set(listed.values()))
    if strange:
        raise GraphError(f"holds {strange[0]!r}, which is no part of a {kind}")
    if sum(map(archive.size, listed.values())) > archive.path.stat().st_size or len(set(listed.values())) < len(listed):
        raise GraphError("is not consistent in itself: its arrays are larger than the file")
    stays = mapped is not None and mapped(about)
    arrays: Arrays = {}
    for name, member in listed.items():
        archive.place(member)  # an error if it is packed
        large = stays and archive.size(member) > SMALL
        arrays[name] = _mapped_npy(archive, member, name) if large else read_npy(archive.read(member, limit=None), name)
    return about, arrays


def _earlier(archive: Archive, described: str, text: bytes, listed: dict[str, Any]) -> dict[str, str]:
    """The members of the arrays in a file of an earlier version, which lists a digest with each; all must be right."""
    if CHECKSUM not in archive.names() or archive.read(CHECKSUM, limit=1024).strip() != hashlib.sha256(text).hexdigest().encode():
        raise GraphError(f"is damaged: {described} does not have its checksum")
    for name, (member, expected) in listed.items():
        if archive.sha256(member) != expected:
            raise GraphError(f"is damaged: array {name!r} does not have its checksum")
    return {name: member for name, (member, _) in listed.items()}


# -- the seal --------------------------------------------------------------------------------------

#: Bytes of a digest.
SIZES: dict[str, int] = {"sha256": 32, "crc32": 4}


def _comment(digest: str, found: bytes) -> bytes:
    return f"graphmeans {digest} {found.hex()}".encode()


def _digest(stream: BinaryIO, digest: str, size: int) -> bytes:
    """The digest of the first bytes of a stream."""
    stream.seek(0)
    hashed, crc, left = hashlib.sha256(), 0, size
    while left and (part := stream.read(min(left, 1 << 20))):
        left -= len(part)
        if digest == "sha256":
            hashed.update(part)
        else:
            crc = zlib.crc32(part, crc)
    return hashed.digest() if digest == "sha256" else crc.to_bytes(4, "big")


def seal(stream: BinaryIO, digest: Digest = "sha256") -> None:
    """Write the digest of everything before it over the comment at the end of a zip, which must be as long as a seal."""
    length = len(_comment(digest, bytes(SIZES[digest])))
    size = stream.seek(0, os.SEEK_END) - length
    comment = _comment(digest, _digest(stream, digest, size))
    stream.seek(size)
    stream.write(comment)


def is_sealed(path: Path, digest: Digest) -> bool:
    """Whether a file has a seal of this kind; a `GraphError` if it is broken."""
    with path.open("rb") as stream:
        length = len(_comment(digest, bytes(SIZES[digest])))
        size = stream.seek(0, os.SEEK_END) - length
        stream.seek(max(size, 0))
        comment = stream.read(length)
        if size < 0 or not comment.startswith(f"graphmeans {digest} ".encode()):
            return False
        if _comment(digest, _digest(stream, digest, size)) != comment:
            raise GraphError("is damaged: its bytes do not have their checksum")
        return True


# -- one array as a member of a zip ----------------------------------------------------------------


def write_npy(archive: zipfile.ZipFile, member: str, array: NDArray[Any]) -> None:
    """Add an array of numbers to a zip, uncompressed and with a fixed date."""
    array = np.asarray(array, order="C")
    if not _numeric(array.dtype):
        raise ValueError(f"array {member!r} holds {array.dtype}, not numbers")
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, np.lib.format.header_data_from_array_1_0(array))
    parts = (header.getbuffer(), array.reshape(-1).view(np.uint8).data)
    info = zipfile.ZipInfo(member)
    info.extra = _filling(archive, member) if array.nbytes > SMALL else b""
    info.file_size = sum(part.nbytes for part in parts)  # so that the zip knows beforehand whether it is a large one
    with archive.open(info, "w") as stream:
        for part in parts:
            stream.write(part)


def _filling(archive: zipfile.ZipFile, member: str) -> bytes:
    """An extra field of a length that lets the next member begin at a multiple of the alignment."""
    assert archive.fp is not None
    begins = archive.fp.tell() + 30 + len(member.encode()) + 4
    count = -begins % ALIGNMENT
    return struct.pack("<HH", FILLING, count) + bytes(count)


def read_npy(data: bytes, name: str, *, strings: bool = False) -> NDArray[Any]:
    """The array in the bytes of a .npy member, after its shape has been checked against their number.

    It holds numbers, or `strings` where these are expected.
    """
    shape, fortran, found, start = _header(io.BytesIO(data), name, len(data), strings)
    return np.frombuffer(data, found, offset=start).reshape(shape, order="F" if fortran else "C").copy()


def _mapped_npy(archive: Archive, member: str, name: str) -> NDArray[Any]:
    """The array in an uncompressed .npy member, mapped into memory."""
    where, size = archive.place(member)
    with archive.path.open("rb") as file:
        file.seek(where)
        shape, fortran, found, start = _header(io.BytesIO(file.read(min(size, 4096))), name, size)
    if fortran and len(shape) > 1:
        raise GraphError(f"array {name!r} is not stored row by row")
    return np.memmap(archive.path, found, "r", where + start, shape).view(np.ndarray)


def _header(
    stream: io.BytesIO, name: str, size: int, strings: bool = False
) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """Shape, order and type of the array in a .npy member of this size, and where its numbers begin."""
    try:
        version = np.lib.format.read_magic(stream)
        header = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, found = header(stream)
    except Exception as error:  # the header is a Python literal: malformed, it fails in a dozen ways
        raise GraphError(f"array {name!r} has an unreadable header ({error})") from None
    if found.hasobject:
        raise GraphError(f"array {name!r} holds Python objects, which are never read")
    if strings and (found.kind not in "US" or not found.itemsize):
        raise GraphError(f"array {name!r} holds {found}, not strings")
    if not strings and not _numeric(found):
        raise GraphError(f"array {name!r} holds {found}, not numbers")
    count, start = int(np.prod([int(length) for length in shape], dtype=object)), stream.tell()
    if min(shape, default=0) < 0 or count * found.itemsize != size - start:
        raise GraphError(f"array {name!r} has {size - start} bytes, which do not fit its shape {shape}")
    return shape, fortran, found, start


def _numeric(dtype: np.dtype[Any]) -> bool:
    """Whether values are numbers, or rows of named numbers."""
    if dtype.fields is not None:
        return all(field.kind in "biuf" for field, *_ in dtype.fields.values())
    return dtype.kind in "biuf"
