"""What deserves a look in a collection, each with the option that mends it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmeans.graphs.convert.molecule_options import PRESET_ATOMS, PRESET_BONDS
from graphmeans.graphs.encoding.molecules import are_molecules
from graphmeans.graphs.graph import LOOP, LOOP_PREFIX, Graph
from graphmeans.graphs.labelled import ignored_identities
from graphmeans.graphs.values import missing_in

if TYPE_CHECKING:
    from graphmeans.evaluation.inspecting import Inspection
    from graphmeans.graphs.encoding.encoder import ColumnSummary

#: Above this share of the distance a column is said to dominate.
DOMINATES = 0.8
#: An attribute that a larger share of the nodes (edges) lacks is rare.
RARE = 0.5
#: What angles are called, with a number behind it or not.
_NAMES = "angle|orient|orientation|direction|theta|phi|azimuth|bearing|heading|dihedral|torsion"
ANGLE = re.compile(rf"(.*[\W_])?({_NAMES})[\W_]?\d*", re.IGNORECASE)
#: A whole turn in radians, with room for rounding; and in degrees.
_TURN, _DEGREES = 2 * np.pi + 0.01, 360.5


def remarks(found: Inspection, graphs: Sequence[Graph], given: Any) -> list[str]:
    """Sentences about a collection; `given` is what the caller called it with, before it was converted."""
    notes = [said] if (said := ignored_identities(given, lambda: graphs)) is not None else []
    if are_molecules(graphs) and {column.name for column in found.columns} <= {*PRESET_ATOMS, *PRESET_BONDS}:
        notes.append(
            "molecules are compared atom by atom, so that size counts; encoder=\"series\" (--encoder series) compares what atoms "
            "are part of, too, and groups by ring systems and common substructures"
        )
    used = [column for column in found.columns if column.share > 0]
    most = max(used, key=lambda column: column.share, default=None)
    if most is not None and most.share > DOMINATES and _can_be_damped(most, used):
        notes.append(_dominates(most))
    for column in found.columns:
        if column.values and column.missing > RARE * column.values:
            notes.append(
                f"{column.part} attribute {column.name!r} is there on {column.values - column.missing:,} of {column.values:,} "
                f"{column.part}s only, and counts as average elsewhere; "
                + _option("weights", {_full_name(column): 0}, "leaves it out")
            )
        if unit := _looks_like_an_angle(column, graphs):
            turned = _option("directions", [_full_name(column)], "makes it a point on a circle", angle_unit=unit)
            notes.append(
                f"{column.part} attribute {column.name!r} looks like an angle, of which the ends of the range are neighbors; "
                f"{turned}; orientations in place of directions if half a turn makes no difference"
            )
    if found.n_empty:
        notes.append(f"{found.n_empty} of {found.n_graphs} graphs have no nodes")
    if found.copies and found.copies > 0.1 * found.n_graphs:
        notes.append(f"{found.copies} graphs are copies of others; a list is fitted without them, with their weights added")
    if found.nodes[3] > 10 * max(found.nodes[1], 1):
        notes.append(
            f"the largest graph has {found.nodes[3]:.0f} nodes, the median {found.nodes[1]:.0f}: "
            "everything is compared in a space of that order; without the largest a fit is faster"
        )
    return notes


def _can_be_damped(column: ColumnSummary, used: Sequence[ColumnSummary]) -> bool:
    """Whether something else would count more if this column counted less: an only attribute is what graphs are about.

    Loops have the attributes of edges, as columns of the nodes.
    """
    others = [other for other in used if other is not column and other.name not in (LOOP, f"{LOOP_PREFIX}{column.name}")]
    if _has_no_weight(column):  # nodes (edges) are damped as a whole
        return any(other.part != column.part for other in others)
    return any(not other.name.startswith("(") for other in others)


def _has_no_weight(column: ColumnSummary) -> bool:
    """Whether a column has no name by which an encoder weighs it: bare numbers, and presence."""
    return not column.name or column.name.startswith("(")


def _dominates(column: ColumnSummary) -> str:
    said = f"{column.part} attribute {column.name!r} makes {column.share:.0%} of the distance; "
    half = column.weight * (1 - column.share) / column.share  # what would make it about half of the distance
    if _has_no_weight(column):
        return said + f"--{column.part}-weight {half:.2g} ({column.part}_weight={half:.2g}) would make it about half"
    return said + _option("weights", {_full_name(column): float(f"{half:.2g}")}, "would make it about half")


def _option(name: str, value: Any, does: str, angle_unit: str = "radians") -> str:
    """What to pass to `GraphEncoder`, in Python and in commands."""
    import json

    options = {name: value, **({} if angle_unit == "radians" else {"angle_unit": angle_unit})}
    python = ", ".join(f"{key}={given!r}" for key, given in options.items())
    return f"GraphEncoder({python}) {does} (--encoder '{json.dumps(options)}')"


def _full_name(column: ColumnSummary) -> str:
    return f"{column.part}s.{column.name}"


def _looks_like_an_angle(column: ColumnSummary, graphs: Sequence[Graph]) -> str | None:
    """The unit of a column of numbers that is called like an angle and has values like one; None if it is none."""
    treated_as_number = column.treatment in ("standardised", "robustly scaled", "kept as it is")
    if column.kind != "a number" or not treated_as_number or not ANGLE.fullmatch(column.name):
        return None
    most = 0.0
    for graph in graphs:
        values = (graph.nodes if column.part == "node" else graph.edge_attributes).get(column.name)
        if values is not None and values.dtype.kind == "f":
            most = max(most, float(np.abs(np.ma.getdata(values)[~missing_in(values)]).max(initial=0.0)))
    return "radians" if 0 < most <= _TURN else "degrees" if 0 < most <= _DEGREES else None
