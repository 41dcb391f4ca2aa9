"""What the caller of `GraphEncoder` chose for each column, by name.

A name stands for the node column and the edge column called so; ``nodes.x`` and ``edges.x`` stand for one of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from graphmeans.graphs.errors import GraphError

SCALINGS = ("standardise", "robust", "keep")
_UNITS = {"radians": 2 * np.pi, "degrees": 360.0}


class Choices:
    """The checked options of an encoder; asked for one column after the other, it knows which were never asked for."""

    def __init__(
        self, numbers: Any, weights: Any, categories: Any, directions: Any, orientations: Any, angle_unit: str,
        optional: frozenset[str] = frozenset(),
    ) -> None:  # fmt: skip
        if angle_unit not in _UNITS:
            raise GraphError(f"angle_unit must be 'radians' or 'degrees', got {angle_unit!r}")
        self._turn = _UNITS[angle_unit]
        self._said: dict[str, Any] = {"numbers": _scalings(numbers), "weights": _weights(weights)}
        lists = {"categories": categories, "directions": directions, "orientations": orientations}
        self._said |= {option: _names(names, option) for option, names in lists.items()}
        both = self._said["directions"] & self._said["orientations"]
        if both:
            raise GraphError(f"attribute {min(both)!r} is among the directions and among the orientations")
        if angle_unit != "radians" and not (self._said["directions"] or self._said["orientations"]):
            raise GraphError(f"angle_unit={angle_unit!r} has no effect without directions or orientations")
        self._used: set[str] = set()
        self._optional = optional  # names that no column needs to have

    def scaling(self, part: str, name: str) -> str:
        """What happens to a column of numbers."""
        return str(self._said["numbers"][self._find("numbers", part, name) or ""])

    def weight(self, part: str, name: str) -> float | None:
        """What squared differences are multiplied by; None if nothing was said."""
        key = self._find("weights", part, name)
        return None if key is None else float(self._said["weights"][key])

    def is_category(self, part: str, name: str) -> bool:
        """Whether numbers are to be read as names of categories."""
        return self._find("categories", part, name) is not None

    def period(self, part: str, name: str) -> float | None:
        """The period of a column of angles, None for other columns."""
        if self._find("directions", part, name) is not None:
            return self._turn
        return self._turn / 2 if self._find("orientations", part, name) is not None else None

    def check_used(self) -> None:
        """Refuse names that no column has."""
        for option, names in self._said.items():
            unused = sorted(set(names) - self._used - self._optional - {""})
            if unused:
                raise GraphError(f"{option} names the attribute {unused[0]!r}, which no node and no edge has")

    def _find(self, option: str, part: str, name: str) -> str | None:
        """The key under which an option speaks of a column, None if it does not."""
        for key in (f"{part}s.{name}", name) if self._said[option] else ():
            if key in self._said[option]:
                self._used.add(key)
                return key
        return None


def _scalings(numbers: Any) -> dict[str, str]:
    table = {"": numbers} if isinstance(numbers, str) else numbers
    if not isinstance(table, Mapping) or not all(scaling in SCALINGS for scaling in table.values()):
        said = ", ".join(map(repr, SCALINGS))
        raise GraphError(f"numbers must be one of {said}, or a mapping from attributes to them, got {numbers!r}")
    return {"": "standardise", **table}


def _weights(weights: Any) -> dict[str, float]:
    if weights is None:
        return {}
    if not isinstance(weights, Mapping):
        raise GraphError(f"weights must be a mapping from attributes to numbers, got {weights!r}")
    for name, weight in weights.items():
        try:
            usable = not isinstance(weight, (str, bool)) and np.isfinite(weight) and weight >= 0
        except TypeError:
            usable = False
        if not usable:
            raise GraphError(f"the weight of attribute {name!r} must be a number of at least 0, got {weight!r}")
    return {str(name): float(weight) for name, weight in weights.items()}


def _names(names: Any, option: str) -> set[str]:
    if isinstance(names, str) or not all(isinstance(name, str) for name in names):
        raise GraphError(f"{option} must be a list of attributes, got {names!r}")
    return set(names)
