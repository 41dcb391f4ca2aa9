"""A language in which is declared what a file may hold, and the check of what it does hold.

A declaration says what each value must be: its kind, its range, and for arrays their type, shape and range. Lengths have names:
the first array that mentions ``"nodes"`` says how many nodes there are, and all others must agree. What one value says about
another, such as offsets that end where an array does, is a `Rule`. Nothing is built before everything has been checked. The
declarations themselves are in `graphmeans.file_schema`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from graphmeans.graphs.errors import GraphError

#: The length of an axis: a number, a name, or a name and one more ("graphs+1"); None for any.
Length = int | str | None


@dataclass(frozen=True)
class Described:
    """An object as a file describes it, before it is made: the name of its class, and its fields."""

    name: str
    fields: dict[str, Any]


class Lengths(dict[str, int]):
    """What is known of lengths so far, by name."""

    def fit(self, length: Length, found: int) -> bool:
        """Whether an axis may have this length; a name that is not known yet is known from now on."""
        if length is None or isinstance(length, int):
            return length is None or length == found
        name, _, more = length.partition("+")
        return self.setdefault(name, found - int(more or 0)) == found - int(more or 0)

    def of(self, length: float | str) -> float:
        """The number that a name stands for."""
        return self[length] if isinstance(length, str) else length


def unsound(where: str, why: str) -> GraphError:
    """The error to raise: what of the file cannot be right."""
    return GraphError(f"is not consistent in itself: {where} cannot be right ({why})")


class Spec:
    """What a value must be."""

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        """Raise a `GraphError` that says where and why, unless the value is what it must be."""
        raise NotImplementedError

    def __or__(self, other: Spec) -> Spec:
        return Either(self, other)


@dataclass(frozen=True)
class Nothing(Spec):
    """No value."""

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        if value is not None:
            raise unsound(where, "it must be null")


@dataclass(frozen=True)
class Flag(Spec):
    """True or false."""

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        if not isinstance(value, bool):
            raise unsound(where, "it must be true or false")


@dataclass(frozen=True)
class Whole(Spec):
    """A whole number in a range whose ends belong to it; `besides` are numbers in it that are not allowed."""

    least: float = 0
    most: float = 2**62
    besides: tuple[int, ...] = ()

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        if type(value) is not int or not self.least <= value <= self.most or value in self.besides:
            raise unsound(where, f"it must be a whole number from {self.least} to {self.most}")


@dataclass(frozen=True)
class Number(Spec):
    """A number in a range whose ends belong to it; finite, unless `special` numbers are allowed by name."""

    least: float = -math.inf
    most: float = math.inf
    special: tuple[str, ...] = ()

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        if isinstance(value, float) and repr(value) in self.special:
            return
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not number or not math.isfinite(float(value)) or not self.least <= value <= self.most:
            raise unsound(where, f"it must be a number from {self.least:g} to {self.most:g}")


@dataclass(frozen=True)
class Text(Spec):
    """A text: any, or one of some words."""

    words: tuple[str, ...] = ()

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        if not isinstance(value, str) or (self.words and value not in self.words):
            raise unsound(where, f"it must be one of {', '.join(self.words)}" if self.words else "it must be a text")


@dataclass(frozen=True)
class Label(Spec):
    """What can be a role, a node id or a class: a text, a number, a tuple of them, or nothing."""

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        if isinstance(value, tuple):
            for item in value:
                self.check(item, where, lengths)
        elif not (value is None or isinstance(value, (str, int, float))):
            raise unsound(where, "it must be a text or a number")


class Either(Spec):
    """One of several things."""

    def __init__(self, *specs: Spec) -> None:
        self.specs = specs

    def __or__(self, other: Spec) -> Spec:
        return Either(*self.specs, other)

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        errors = []
        for spec in self.specs:
            tried = Lengths(lengths)
            try:
                spec.check(value, where, tried)
            except GraphError as error:
                errors.append(error)
                continue
            lengths.update(tried)
            return
        raise errors[-1]


@dataclass(frozen=True)
class Many(Spec):
    """A list, tuple or set of things that are alike."""

    item: Spec
    kind: type = list
    length: Length = None
    least: int = 0

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        if not isinstance(value, (list, tuple, frozenset)) or not isinstance(value, self.kind):
            raise unsound(where, f"it must be a {self.kind.__name__}")
        if len(value) < self.least or not lengths.fit(self.length, len(value)):
            raise unsound(where, f"it has {len(value)} entries")
        for i, item in enumerate(value):
            self.item.check(item, f"{where}/{i}", lengths)


@dataclass(frozen=True)
class Table(Spec):
    """A mapping from keys to things that are alike."""

    key: Spec
    item: Spec

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        if not isinstance(value, dict):
            raise unsound(where, "it must be a mapping")
        for key, item in value.items():
            self.key.check(key, where, lengths)
            self.item.check(item, f"{where}/{key}", lengths)


@dataclass(frozen=True)
class Array(Spec):
    """An array of numbers.

    Parameters
    ----------
    dtype : str
        As NumPy abbreviates it; several, if any of them may be.
    shape : tuple
        A length for each axis.
    least, most : number or name of a length, optional
        The range; `most` belongs to it.
    below : number or name of a length, optional
        Every number must be less: what indexes something must be less than its length.
    special : bool
        Whether infinities may be in it. NaN never may, unless `nan`.
    offsets : str, optional
        The numbers rise from 0 to the length of this name.
    rising : bool
        Every number is larger than the one before.
    sorted : bool
        No number is smaller than the one before.
    """

    dtype: str
    shape: tuple[Length, ...]
    least: float | str | None = None
    most: float | str | None = None
    below: int | str | None = None
    special: bool = False
    nan: bool = False
    offsets: str | None = None
    rising: bool = False
    sorted: bool = False

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        if not isinstance(value, np.ndarray) or isinstance(value, np.ma.MaskedArray):
            raise unsound(where, "it must be an array of numbers")
        if value.dtype not in [np.dtype(name) for name in self.dtype.split()]:
            raise unsound(where, f"it holds {value.dtype}, not {self.dtype}")
        if value.ndim != len(self.shape) or not all(map(lengths.fit, self.shape, value.shape)):
            raise unsound(where, f"its shape is {value.shape}")
        if not value.size:
            if self.offsets is not None:
                raise unsound(where, "it has no offsets")
            return
        self._check_numbers(value, where, lengths)

    def _check_numbers(self, value: Any, where: str, lengths: Lengths) -> None:
        if value.dtype.kind == "f":
            strange = (not self.special and np.isinf(value).any()) or (not self.nan and np.isnan(value).any())
            if strange:
                raise unsound(where, "some number is not finite")
        if value.dtype.kind in "iuf" and not np.isnan(value).all():
            least, most = np.nanmin(value), np.nanmax(value)
            for ok in (
                self.least is None or least >= lengths.of(self.least),
                self.most is None or most <= lengths.of(self.most),
                self.below is None or most < lengths.of(self.below),
            ):
                if not ok:
                    raise unsound(where, f"its numbers go from {least} to {most}")
        if self.offsets is not None and (value[0] != 0 or not lengths.fit(self.offsets, int(value[-1])) or _falls(value)):
            raise unsound(where, f"offsets must rise from 0 to the number of {self.offsets}")
        if (self.rising and (value[1:] <= value[:-1]).any()) or (self.sorted and _falls(value)):
            raise unsound(where, "its numbers must rise")


def _falls(values: Any) -> bool:
    return bool((values[1:] < values[:-1]).any())


@dataclass(frozen=True)
class Rule:
    """What several fields say about each other: a function of the fields and the lengths that is true, and in words."""

    words: str
    holds: Callable[[Mapping[str, Any], Lengths], Any]


@dataclass(frozen=True)
class Record(Spec):
    """An object of a class, or a mapping, with these fields and no others.

    Parameters
    ----------
    name : str or None
        The class; None for a mapping.
    fields : mapping
    optional : mapping
        Fields that may also be absent.
    rules : tuple of Rule
        Asked when all fields are what they must be.
    own : bool
        Whether names of lengths are its own, so that two records of this kind need not agree.
    """

    name: str | None
    fields: Mapping[str, Spec]
    optional: Mapping[str, Spec] = field(default_factory=dict)
    rules: tuple[Rule, ...] = ()
    own: bool = False

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        lengths = Lengths() if self.own else lengths
        if self.name is None:
            if not isinstance(value, dict):
                raise unsound(where, "it must be a mapping")
            found = value
        else:
            if not isinstance(value, Described) or value.name != self.name:
                raise unsound(where, f"it must be a {self.name}")
            found = value.fields
        for key in found:
            if key not in self.fields and key not in self.optional:
                raise unsound(where, f"{str(key)[:60]!r} is no part of it")
        for key, spec in self.fields.items():
            if key not in found:
                raise unsound(where, f"{key!r} is missing")
            spec.check(found[key], f"{where}/{key}", lengths)
        for key, spec in self.optional.items():
            if key in found:
                spec.check(found[key], f"{where}/{key}", lengths)
        for rule in self.rules:
            if not rule.holds(found, lengths):
                raise unsound(where, rule.words)


class OneOf(Spec):
    """An object of one of several classes, each with its own declaration."""

    def __init__(self, *records: Record) -> None:
        self.records = {record.name: record for record in records}

    def check(self, value: Any, where: str, lengths: Lengths) -> None:
        name = value.name if isinstance(value, Described) else None
        if name not in self.records:
            raise unsound(where, f"it must be one of {', '.join(map(str, self.records))}")
        self.records[name].check(value, where, lengths)


def check(spec: Spec, value: Any, where: str, **lengths: int) -> Lengths:
    """Raise a `GraphError` unless a value is what is declared; the lengths that are known beforehand have names."""
    known = Lengths(lengths)
    spec.check(value, where, known)
    return known
