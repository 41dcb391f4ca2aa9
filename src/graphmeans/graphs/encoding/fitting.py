"""How each column of a collection is encoded is decided from a summary of the collection.

The summary is made in one pass, and the summaries of parts of a collection add up.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.encoding import schema
from graphmeans.graphs.encoding.columns import Column, as_is
from graphmeans.graphs.encoding.flat import Flat, GraphList
from graphmeans.graphs.encoding.options import Choices
from graphmeans.graphs.encoding.schema import AttributeRows, attribute, is_loop, lacking
from graphmeans.graphs.encoding.statistics import Tally
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, is_silent
from graphmeans.graphs.values import join_columns, kind_in_words, missing_in, unknown_type

#: A column with more categories than this is refused unless it is named: every node would need so many numbers.
MOST_CATEGORIES = 1000
#: Strings are taken for names if there are more different ones than this, and ...
FEW_NAMES = 50
#: ... more than this share of all strings are different.
NAMES_SHARE = 0.9

#: A graph's place in the collection and what messages call it.
Place = tuple[int, str]


@dataclass
class PartSummary:
    """The nodes, or the edges, of some graphs."""

    label: str = ""
    rows: int = 0
    roles: frozenset[Any] | None = None  # the roles of its nodes
    silent: bool = False  # whether it has only the bare arrays of graphs without attributes
    columns: dict[str, Tally] = field(default_factory=dict)


@dataclass
class CollectionSummary:
    """What an encoder must know of a collection. Summaries of parts are merged in the order of the parts."""

    part: dict[str, PartSummary]
    graphs: int = 0
    directed: dict[bool, Place] = field(default_factory=dict)  # the first graph with edges that is, or is not
    any_directed: bool = False
    roles: set[Hashable] = field(default_factory=set)
    has_roles: dict[bool, Place] = field(default_factory=dict)  # the first graph with nodes that has, or has not

    @classmethod
    def of(cls, graphs: GraphList | Flat, choices: Choices, missing: str, start: int = 0) -> CollectionSummary:
        """The summary of some graphs, of which the first has the place `start` in the collection."""
        parts = {part: _part(graphs.rows(part), part, choices, missing) for part in ("node", "edge")}
        summary = cls(parts, len(graphs), any_directed=bool(graphs.shape.directed.any()))
        said: list[tuple[Place, Any, bool, Any, tuple[Hashable, ...] | None]]
        if isinstance(graphs, Flat):
            place, (nodes, edges, *_) = (start, f"a graph from {start} on"), graphs.shape
            said = [(place, edges.any(), summary.any_directed, nodes.any(), graphs.role_names)]
        else:
            each = zip(enumerate(graphs.labels, start), graphs.graphs, strict=True)
            said = [(place, graph.n_edges, graph.directed, graph.n_nodes, graph.roles) for place, graph in each]
        for place, n_edges, directed, n_nodes, roles in said:
            if n_edges:
                summary.directed.setdefault(directed, place)
            if n_nodes:
                summary.has_roles.setdefault(roles is not None, place)
                summary.roles.update(roles or ())
        return summary

    def merge(self, other: CollectionSummary, choices: Choices, missing: str) -> None:
        """Add the graphs of another summary, which come later."""
        self.graphs += other.graphs
        self.any_directed |= other.any_directed
        self.roles |= other.roles
        for mine, theirs in ((self.directed, other.directed), (self.has_roles, other.has_roles)):
            for key, place in theirs.items():
                mine[key] = min(place, mine.get(key, place))
        for part in ("node", "edge"):
            self.part[part] = _merged(self.part[part], other.part[part], part, choices, fill=missing == "columns")

    def direction(self) -> bool:
        """Whether edges are directed, which all graphs that have edges must agree on."""
        if len(self.directed) == 2:
            (directed, first), (_, then) = sorted(self.directed.items(), key=lambda item: item[1])
            is_, was = ("undirected", "directed") if directed else ("directed", "undirected")
            raise GraphError(
                f"{then[1]} is {is_} but {first[1]} is {was}; GraphEncoder(directed=...) takes both as one kind"
            )
        return next(iter(self.directed)) if self.directed else self.any_directed

    def role_names(self) -> tuple[Hashable, ...]:
        """The roles in sorted order; all graphs that have nodes must have roles, or none."""
        if len(self.has_roles) == 2:
            raise GraphError(f"{self.has_roles[False][1]} has no roles while others have")
        if True not in self.has_roles:
            return (None,)
        return tuple(sorted(self.roles, key=lambda role: (type(role).__name__, repr(role))))

    def never_zero(self, columns: Sequence[Column]) -> bool:
        """Whether these edge columns alone make sure that no mean of codes is zero; False if that is not known."""
        tallies = self.part["edge"].columns
        pairs = [(column, tallies[column.name]) for column in columns if column.name in tallies]
        return any(own.one_sign or (own.counts and getattr(column, "blank", "") is None) for column, own in pairs)


def fit_columns(summary: CollectionSummary, part: str, choices: Choices) -> tuple[list[Column], list[str]]:
    """The encodings of all node (edge) columns, and the names of the columns that are left out."""
    found = summary.part[part]
    if not found.rows:
        # There are only empty (edgeless) graphs. An edge that comes later has the weight 1.
        return [as_is(BARE, 0 if part == "node" else 1)], []
    if BARE in found.columns:
        return [as_is(BARE, found.columns[BARE].like.shape[1])], []
    fitted: list[Column] = []
    left_out: list[str] = []
    for name, tally in sorted(found.columns.items()):
        column = _fit_column(name, tally, part, choices)
        if column is None:
            left_out.append(name)
            continue
        if tally.gone and found.roles is not None:
            column = replace(column, not_of=frozenset(summary.roles - tally.having))
        fitted.append(column)
    return fitted, left_out


# -- summaries of parts ----------------------------------------------------------------------------


def _part(rows: Sequence[AttributeRows], part: str, choices: Choices, missing: str) -> PartSummary:
    if not rows:
        return PartSummary()
    columns = schema.common_columns(rows, part, fill=missing == "columns")
    roles = None if rows[0].roles is None else [role for row in rows for role in row.roles or ()]
    found = PartSummary(rows[0].label, sum(row.size for row in rows), None if roles is None else frozenset(roles))
    for name, parts in columns.items():
        if missing == "refuse":
            schema.refuse_missing(name, parts, rows, part)
        typed = next((own for own in parts if own is not None and not unknown_type(own)), np.zeros(0))
        values = join_columns([
            lacking(name, row.size, typed, part) if own is None else own for own, row in zip(parts, rows, strict=True)
        ])  # fmt: skip
        found.silent = is_silent({name: values}, part)
        found.columns[name] = _tally(name, part, choices, values, roles)
    return found


def _tally(name: str, part: str, choices: Choices, values: NDArray[Any], roles: Sequence[Any] | None) -> Tally:
    period = choices.period(part, name)
    if name == BARE:
        purpose = "numbers"
    elif period is not None:
        purpose = "angles"
    elif choices.is_category(part, name):
        purpose = "categories"
    else:
        purpose = "robust" if choices.scaling(part, name) == "robust" else "numbers"
        if is_loop(name) and values.dtype.kind == "f":
            # Loops are scaled as edges are, by the loops there are; a node without one is zero.
            tally = Tally(purpose)
            tally.add(np.ma.masked_equal(values, 0.0))
            tally.gone = False
            tally.add_roles(missing_in(values), roles)
            return tally
    tally = Tally(purpose, period or 0.0)
    tally.add(values, roles)
    return tally


def _merged(mine: PartSummary, theirs: PartSummary, part: str, choices: Choices, fill: bool) -> PartSummary:
    if not theirs.rows or not mine.rows:
        return mine if mine.rows else theirs
    # The bare arrays of graphs without attributes are not a column where other graphs have named ones.
    if (BARE in mine.columns) != (BARE in theirs.columns):
        mine = replace(mine, columns={}) if mine.silent else mine
        theirs = replace(theirs, columns={}) if theirs.silent else theirs
    schema.check_names(theirs, mine, part, fill)
    for name in mine.columns.keys() & theirs.columns.keys():
        both = [(side.label, side.columns[name]) for side in (mine, theirs)]
        schema.check_types(name, part, [(label, tally.like) for label, tally in both if tally.typed])
    roles = None if mine.roles is None or theirs.roles is None else mine.roles | theirs.roles
    result = PartSummary(mine.label, mine.rows + theirs.rows, roles, mine.silent and theirs.silent)
    for name in sorted(mine.columns.keys() | theirs.columns.keys()):
        like = (mine.columns.get(name) or theirs.columns[name]).like
        tally = mine.columns.get(name) or _absent(name, part, choices, mine, like)
        tally.merge(theirs.columns.get(name) or _absent(name, part, choices, theirs, like))
        result.columns[name] = tally
    return result


def _absent(name: str, part: str, choices: Choices, side: PartSummary, like: NDArray[Any]) -> Tally:
    """The tally of a column that none of these graphs has."""
    tally = _tally(name, part, choices, lacking(name, side.rows, like, part), None)
    if not tally.gone:
        tally.having |= side.roles or frozenset()
    return tally


# -- decisions -------------------------------------------------------------------------------------


def _fit_column(name: str, tally: Tally, part: str, choices: Choices) -> Column | None:
    """The encoding of a column, or None if it is left out."""
    period, category = choices.period(part, name), choices.is_category(part, name)
    scaling, weight = choices.scaling(part, name), choices.weight(part, name)
    if weight == 0:
        return None
    column: Column
    if period is not None:
        if tally.like.dtype.kind != "f" or tally.like.ndim != 1:
            raise GraphError(f"{attribute(part, name)} is {kind_in_words(tally.like)}, but an angle is a number")
        column = tally.angles(name)
    elif tally.like.dtype.kind == "f" and not category:
        column = tally.numbers(name, scaling, centered=part == "node" and not is_loop(name))
        column = replace(column, average=np.zeros(column.width)) if is_loop(name) else column
    else:
        chosen = category or weight is not None
        if tally.like.dtype.kind == "O" and not chosen and _are_names(tally, attribute(part, name)):
            return None
        column = _fit_categories(name, tally, part, chosen)
    return column if weight is None else replace(column, factor=float(np.sqrt(weight)))


def _fit_categories(name: str, tally: Tally, part: str, chosen: bool) -> Column:
    what = attribute(part, name)
    if tally.like.ndim != 1:
        raise GraphError(f"{what} is {kind_in_words(tally.like)}, which cannot be a category")
    column = tally.categories(name, "" if is_loop(name) and tally.like.dtype.kind == "O" else None)
    if column.width > MOST_CATEGORIES and not chosen:
        raise GraphError(
            f"{what} has {column.width} different values; leave it out with GraphEncoder(weights={{{name!r}: 0}}), "
            f"or say categories=[{name!r}]"
        )
    return column


def _are_names(tally: Tally, what: str) -> bool:
    """Strings that hardly ever repeat are names, not categories; says so in a warning."""
    different, known = len(tally.counts), sum(tally.counts.values())
    if different <= FEW_NAMES or different <= NAMES_SHARE * known:
        return False
    warnings.warn(
        f"{what} is left out: its {different} different strings in {known} values are names rather than categories; "
        "GraphEncoder(weights=...) with a weight for it brings it in",
        stacklevel=8,
    )
    return True
