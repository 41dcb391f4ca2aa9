"""Ways to spoil a file: bytes, numbers in its text, lines and structure."""

from __future__ import annotations

import re

import numpy as np

#: Numbers and words that readers may stumble over.
ODD = (
    b"-1", b"0", b"1e308", b"1e999", b"nan", b"inf", b"-inf", b"99999999999999999999", b"4294967296", b"2147483648", b"1000000",
    b"", b"\x00", b"\xff\xfe", b"\xed\xa0\x80", b"true", b"null", b"\"", b"[", b"]", b"{", b"}", b"<", b">", b"&", b"'",
)  # fmt: skip


def mutated(data: bytes, rng: np.random.Generator) -> bytes:
    """The same file with one to three changes."""
    for _ in range(int(rng.integers(1, 4))):
        data = MUTATIONS[int(rng.integers(len(MUTATIONS)))](data, rng)
    return data


def _flip(data: bytes, rng: np.random.Generator) -> bytes:
    changed = bytearray(data)
    for place in rng.integers(max(len(data), 1), size=int(rng.integers(1, 9))) if data else ():
        changed[place] = int(rng.integers(256))
    return bytes(changed)


def _cut(data: bytes, rng: np.random.Generator) -> bytes:
    return data[: int(rng.integers(len(data) + 1))]


def _remove(data: bytes, rng: np.random.Generator) -> bytes:
    at, length = int(rng.integers(len(data) + 1)), int(rng.integers(1, 200))
    return data[:at] + data[at + length :]


def _repeat(data: bytes, rng: np.random.Generator) -> bytes:
    at, length, times = int(rng.integers(len(data) + 1)), int(rng.integers(1, 400)), int(rng.choice([2, 2, 10, 500]))
    return data[:at] + data[at : at + length] * times + data[at + length :]


def _number(data: bytes, rng: np.random.Generator) -> bytes:
    """Another number in place of one that stands in the text."""
    found = list(re.finditer(rb"-?[0-9]+(?:\.[0-9]+)?", data[:200_000]))
    if not found:
        return _flip(data, rng)
    one = found[int(rng.integers(len(found)))]
    return data[: one.start()] + ODD[int(rng.integers(len(ODD)))] + data[one.end() :]


def _word(data: bytes, rng: np.random.Generator) -> bytes:
    """Another word in place of one that stands in the text."""
    found = list(re.finditer(rb"[A-Za-z_.]{2,30}", data[:200_000]))
    if len(found) < 2:
        return _flip(data, rng)
    one, other = (found[int(rng.integers(len(found)))] for _ in range(2))
    return data[: one.start()] + other.group() + data[one.end() :]


def _insert(data: bytes, rng: np.random.Generator) -> bytes:
    at = int(rng.integers(len(data) + 1))
    return data[:at] + ODD[int(rng.integers(len(ODD)))] * int(rng.choice([1, 1, 3, 5000])) + data[at:]


def _swap(data: bytes, rng: np.random.Generator) -> bytes:
    a, b, length = int(rng.integers(len(data) + 1)), int(rng.integers(len(data) + 1)), int(rng.integers(1, 64))
    a, b = min(a, b), max(a, b)
    return data[:a] + data[b : b + length] + data[a + length : b] + data[a : a + length] + data[b + length :]


MUTATIONS = (_flip, _flip, _cut, _remove, _repeat, _number, _number, _word, _insert, _swap)
