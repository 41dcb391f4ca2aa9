"""Arrays in a file: they come back as they were, and a file that is not sound is refused in one line."""

from __future__ import annotations

import json
import zipfile

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.array_file import read_array_file, seal, write_array_file

ARRAYS = {
    "numbers": np.arange(12.0).reshape(3, 4),
    "turned": np.asfortranarray(np.arange(6).reshape(2, 3)),
    "every second": np.arange(10, dtype=np.int32)[::2],
    "nothing": np.zeros((0, 3), dtype=np.float32),
    "one": np.array(2.5),
    "flags/of a group": np.array([True, False]),
    "rows": np.array([(1, 0.5), (2, 1.5)], dtype=[("number", np.int64), ("value", np.float64)]),
}
ABOUT = {"version": 7, "name": "ä\ud800", "least": float("inf")}


def sealed(path, files, digest="sha256"):
    """A zip of these files whose checksum is right."""
    with path.open("w+b") as stream:
        with zipfile.ZipFile(stream, "w") as archive:
            for name, data in files.items():
                archive.writestr(name, data)
            archive.comment = f"graphmeans {digest} {'0' * (64 if digest == 'sha256' else 8)}".encode()
        seal(stream, digest)
    return path


@pytest.mark.parametrize("digest", ["sha256", "crc32"])
def test_arrays_come_back_and_may_be_written_to(digest, tmp_path):
    path = tmp_path / "file"
    write_array_file(path, "thing", ABOUT, ARRAYS, digest=digest, sync=True)
    about, arrays = read_array_file(path, "thing", digest=digest)
    assert about == ABOUT
    assert list(arrays) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert arrays[name].dtype == array.dtype
        np.testing.assert_array_equal(arrays[name], array)
        assert arrays[name].shape == array.shape
        assert arrays[name].flags.writeable
        assert arrays[name].flags.c_contiguous
        assert arrays[name].flags.aligned
    assert list(tmp_path.iterdir()) == [path]


def test_the_same_content_makes_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        write_array_file(tmp_path / name, "thing", ABOUT, ARRAYS)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    with zipfile.ZipFile(tmp_path / "a") as archive:
        assert all(info.compress_type == zipfile.ZIP_STORED for info in archive.infolist())


@pytest.mark.parametrize("digest", ["sha256", "crc32"])
def test_a_byte_that_changed_is_noticed(digest, tmp_path):
    """Every byte is under the checksum: also the dates, versions and attributes in the headers of the zip."""
    path = tmp_path / "file"
    write_array_file(path, "thing", {"version": 1}, ARRAYS, digest=digest)
    whole, said = path.read_bytes(), set()
    for at in range(len(whole)):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ (1 << at % 8)]) + whole[at + 1 :])
        with pytest.raises(gm.GraphError) as caught:
            read_array_file(path, "thing", digest=digest)
        said.add(str(caught.value))
    assert all(line.startswith(str(path)) and "\n" not in line for line in said)


@pytest.mark.parametrize("digest", ["sha256", "crc32"])
def test_a_lost_end_is_noticed(digest, tmp_path):
    path = tmp_path / "file"
    write_array_file(path, "thing", {}, ARRAYS, digest=digest)
    whole = path.read_bytes()
    for length in range(0, len(whole), 7):
        path.write_bytes(whole[:length])
        with pytest.raises(gm.GraphError, match=r"is not a readable zip file|its end is damaged"):
            read_array_file(path, "thing", digest=digest)


def test_a_file_of_another_kind_is_refused(tmp_path):
    path = tmp_path / "file"
    write_array_file(path, "thing", {}, ARRAYS, digest="crc32")
    for kind, digest in (("other", "crc32"), ("thing", "sha256")):
        with pytest.raises(gm.GraphError, match=f"is not a {kind} that graphmeans saved"):
            read_array_file(path, kind, digest=digest)
    with pytest.raises(gm.GraphError, match="No such file"):
        read_array_file(tmp_path / "nowhere", "thing")


def test_the_description_is_checked_before_arrays_are_read(tmp_path):
    path = tmp_path / "file"
    write_array_file(path, "thing", {"version": 2}, ARRAYS)

    def check(about):
        raise gm.GraphError(f"has version {about['version']}")

    with pytest.raises(gm.GraphError, match=f"^{path}: has version 2$"):
        read_array_file(path, "thing", check=check)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[]", "is not a thing"),
        ("{}", "not consistent"),
        ('{"arrays": 3}', "not consistent"),
        ('{"arrays": {"a": []}}', "not consistent"),
        ('{"arrays": {"a": "../b"}}', "is not in the zip"),
        ('{"arrays": {"a": "thing.json"}}', "unreadable header"),
        ('{"arrays": {"a": "thing.json", "b": "thing.json"}}', "larger than the file"),
        ("{", "is not valid JSON"),
    ],
)
def test_descriptions_that_are_no_good(text, said, tmp_path):
    path = sealed(tmp_path / "file", {"thing.json": text.encode()})
    with pytest.raises(gm.GraphError, match=said) as caught:
        read_array_file(path, "thing")
    assert str(caught.value).startswith(str(path))


def test_a_header_is_not_believed(tmp_path):
    path = tmp_path / "file"
    write_array_file(path, "thing", {}, {"a": np.arange(3)}, digest="crc32")
    with zipfile.ZipFile(path) as archive:
        members = {name: archive.read(name) for name in archive.namelist()}
    for old, new, said in (
        (b"(3,)", b"(9,)", "do not fit its shape"),
        (b"'<i8'", b"'|O8'", "Python objects"),
        (b"{'", b"#'", "unreadable header"),
    ):
        arrays = {name: data.replace(old, new.ljust(len(old))) for name, data in members.items() if name.endswith(".npy")}
        sealed(path, members | arrays, "crc32")
        with pytest.raises(gm.GraphError, match=said):
            read_array_file(path, "thing", digest="crc32")


def test_objects_are_not_written_and_a_failure_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "file"
    write_array_file(path, "thing", {"old": True}, {})
    with pytest.raises(ValueError, match="holds object, not numbers"):
        write_array_file(path, "thing", {}, {"a": np.array([{}], dtype=object)})

    def full(*_):
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(zipfile.ZipFile, "writestr", full)
        with pytest.raises(OSError, match="No space left"):
            write_array_file(path, "thing", {}, ARRAYS)
    assert read_array_file(path, "thing") == ({"old": True}, {})
    assert list(tmp_path.iterdir()) == [path]
    with zipfile.ZipFile(path) as archive:
        assert json.loads(archive.read("thing.json")) == {"old": True, "arrays": {}}
