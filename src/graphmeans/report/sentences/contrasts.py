"""What sets a cluster apart from its nearest neighbour, in terms of the user's own attributes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.graph import BARE, Columns, Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.graphs.values import join_columns, unknown_type
from graphmeans.plots.members import edge_key
from graphmeans.plots.positions import node_kinds
from graphmeans.plots.text import plain_text
from graphmeans.report.sentences.known_values import KNOWN
from graphmeans.report.words import is_long, number, percent, significant

#: The largest number of contrasts; and from how many standard deviations, or which share, a difference counts.
MOST_LINES, WORTH, WORTH_SHARE = 5, 0.25, 0.08
#: How large graphs are, in profiles.
NODES, EDGES = "nodes in a graph", "edges in a graph"
#: What fewer members have is not named by its kind in their cluster, if more of the other have it.
RARE = 0.1


class Contrast(NamedTuple):
    """One difference between two clusters: what it is about, its value here and there, and its weight for sorting."""

    what: str
    here: str
    there: str
    weight: float


def profile_contrasts(here: dict[str, float], there: dict[str, float], spread: dict[str, float]) -> list[Contrast]:
    """How the graphs of two clusters differ on the whole, by their profiles: sizes, averages of numbers, shares of strings."""
    lines = []
    for key in here.keys() & there.keys():
        a, b = here[key], there[key]
        if key.startswith("share of "):
            if abs(a - b) >= WORTH_SHARE:
                lines.append(Contrast(key, percent(a), percent(b), abs(a - b) / 0.5))
        elif abs(a - b) >= WORTH * spread.get(key, np.inf):
            lines.append(Contrast(key, _number(a), _number(b), abs(a - b) / max(spread[key], 1e-12)))
    for key in here.keys() ^ there.keys():
        share = here.get(key, 0.0), there.get(key, 0.0)
        if key.startswith("share of ") and max(share) >= WORTH_SHARE:
            lines.append(Contrast(key, percent(share[0]), percent(share[1]), max(share) / 0.5))
    return _largest(lines)


def spreads(graphs: Sequence[Graph]) -> dict[str, float]:
    """The standard deviation over graphs of what `profile_contrasts` compares."""
    rows: dict[str, list[float]] = {
        NODES: [graph.n_nodes for graph in graphs], EDGES: [graph.n_edges for graph in graphs]
    }  # fmt: skip
    for what, key, parts in _columns(graphs):
        alike: dict[Any, list[NDArray[Any]]] = {}
        for part in parts:
            alike.setdefault((part.dtype.kind, part.shape[1:]), []).append(part)
        for some in alike.values():
            for name, values in _column_profiles(what, key, some).items():
                rows.setdefault(name, []).extend(values)
    found = {key: float(np.std(values)) for key, values in rows.items() if values}
    return {key: spread for key, spread in found.items() if spread > 0}


def mean_contrasts(mean: MeanGraph, other: MeanGraph, into: IntArray, names: Sequence[str]) -> list[Contrast]:
    """How two mean graphs differ, node by node and edge by edge along their alignment; the largest differences first.

    Nodes without a name are not told of. Nodes and edges are told with the kinds that they have, in both clusters if they differ.
    """
    kinds = _Kinds(mean, other, into)
    return _largest([*_node_lines(mean, other, into, names, kinds), *_edge_lines(mean, other, into, names, kinds)])


def _largest(lines: list[Contrast]) -> list[Contrast]:
    told = (line for line in lines if line.here != line.there)  # what reads alike is no difference to a reader
    return sorted(told, key=lambda line: (-line.weight, line.what))[:MOST_LINES]


class _Kinds:
    """The kinds of nodes of two means, for lines that name nodes by numbers: a number alone must be looked up in a picture."""

    def __init__(self, mean: MeanGraph, other: MeanGraph, into: IntArray) -> None:
        here, there = ([plain_text(kind, 24) for kind in node_kinds(one) or ()] for one in (mean, other))
        self._here = here or [""] * mean.n_nodes
        self._there = [there[j] if there and j >= 0 else "" for j in into.tolist()]

    def __call__(self, nodes: Sequence[int], here: float, there: float) -> str:
        """What stands behind the numbers of these nodes of the mean, if these shares of members have what is told of."""
        own, theirs = ([kinds[i] for i in nodes] for kinds in (self._here, self._there))
        said = {"here": "–".join(own) if all(own) else "", "there": "–".join(theirs) if all(theirs) else ""}
        if said["here"] == said["there"] or not said["there"] or there < min(RARE, here):
            return f" ({said['here']})" if said["here"] else ""
        if here < min(RARE, there):
            return f" ({said['there']} there)"
        return f" ({', '.join(f'{kind} {where}' for where, kind in said.items() if kind)})"


def _support_line(what: str, here: float, there: float) -> Contrast:
    return Contrast(what, f"{percent(here)} have it", f"{percent(there)} have it", abs(here - there))


def _node_lines(
    mean: MeanGraph, other: MeanGraph, into: IntArray, names: Sequence[str], kinds: _Kinds
) -> list[Contrast]:  # fmt: skip
    lines = []
    columns = list(_in_both(mean.nodes, other.nodes))
    for i, j in enumerate(into.tolist()):
        here = float(mean.node_support[i])
        there = float(other.node_support[j]) if j >= 0 else 0.0
        if max(here, there) < 0.3 or not names[i]:
            continue
        what, kind = f"node {names[i]}", kinds([i], here, there)
        if abs(here - there) >= 0.3:
            lines.append(_support_line(what + kind, here, there))
        elif j >= 0:
            lines += _changed(what, kind, columns, i, j)
    return lines


def _edge_lines(
    mean: MeanGraph, other: MeanGraph, into: IntArray, names: Sequence[str], kinds: _Kinds
) -> list[Contrast]:  # fmt: skip
    lines = []
    columns = list(_in_both(mean.edge_attributes, other.edge_attributes))
    goes, ends, other_ends = into.tolist(), mean.edges.tolist(), other.edges.tolist()
    theirs = {edge_key(i, j, other.directed): e for e, (i, j) in enumerate(other_ends)}
    back = {j: i for i, j in enumerate(goes) if j >= 0}
    seen = set()
    told: set[tuple[int, int]] = set()  # an edge that runs both ways is told once
    for e, (i, j) in enumerate(ends):
        if (j, i) in told:
            continue
        told.add((i, j))
        key = edge_key(goes[i], goes[j], other.directed)
        f = theirs.get(key) if min(key) >= 0 else None
        if f is not None:
            seen.add(f)
        if not (names[i] and names[j]):
            continue
        here = float(mean.edge_support[e])
        there = float(other.edge_support[f]) if f is not None else 0.0
        what = f"edge {names[i]}–{names[j]}"
        if abs(here - there) >= 0.3:
            lines.append(_support_line(what + kinds([i, j], here, there), here, there))
        elif f is not None and min(here, there) >= 0.3:
            lines += _changed(what, kinds([i, j], here, there), columns, e, f)
    for f, (i, j) in enumerate(other_ends):
        there = float(other.edge_support[f])
        if f not in seen and there >= 0.3 and i in back and j in back:
            here_ends = back[i], back[j]
            if here_ends in told or here_ends[::-1] in told:
                continue
            told.add(here_ends)
            one, two = (names[i] for i in here_ends)
            if one and two:
                lines.append(_support_line(f"edge {one}–{two}{kinds(here_ends, 0.0, there)}", 0.0, there))
    return lines


def _in_both(columns: Columns, others: Columns) -> Iterator[tuple[str, NDArray[Any], NDArray[Any], NDArray[Any]]]:
    """The columns that two means have in common, of numbers as rows of vectors, with the ranges of their components."""
    for key, column in columns.items():
        other = others.get(key)
        if other is None or other.ndim != column.ndim or not (len(column) and len(other)) or is_long(column):
            continue
        if column.dtype.kind == "f":
            column, other = column.reshape(len(column), -1), other.reshape(len(other), -1)
            yield key, column, other, np.ma.filled(np.ptp(np.ma.concatenate([column, other]), axis=0), 0.0)
        else:
            yield key, column, other, np.zeros(0)


def _changed(what: str, kind: str, columns: Sequence[tuple[str, Any, Any, Any]], i: int, j: int) -> list[Contrast]:
    """Attributes of a node or edge that differ; the weight grows with the share of the column's range."""
    found = []
    for key, column, other, reach in columns:
        a, b = column[i], other[j]
        if np.ma.getmaskarray(a).any() or np.ma.getmaskarray(b).any():
            continue  # one of them was filled in
        if column.dtype.kind == "f":
            share = np.abs(a - b) / np.where(reach > 0, reach, np.inf)
            for d in np.flatnonzero(share >= 0.12):
                name = key if len(a) == 1 else f"{key or 'value'} {d + 1}"
                weight = 0.9 * float(share[d])
                found.append(Contrast(f"{_called(name)} of {what}{kind}", _number(a[d]), _number(b[d]), weight))
        elif str(a) != str(b):
            values = plain_text(a, 24), plain_text(b, 24)
            again = kind == f" ({values[0]} here, {values[1]} there)"  # the row is about the kinds themselves
            found.append(Contrast(f"{_called(key)} of {what}{'' if again else kind}", *values, 0.9 * 0.6))
    return found


def profile(graphs: Sequence[Graph]) -> dict[str, float]:
    """Sizes, averages and shares over the graphs, by a name that says what they are."""
    if not graphs:
        return {}
    profile = {
        NODES: sum(graph.n_nodes for graph in graphs) / len(graphs),
        EDGES: sum(graph.n_edges for graph in graphs) / len(graphs),
    }
    for what, key, parts in _columns(graphs):
        if len(parts) < KNOWN * len(graphs):
            continue  # most of the graphs have no such node or edge at all
        if _alike(parts):
            profile.update((name, value) for name, (value,) in _column_profiles(what, key, [join_columns(parts)]).items())
    return profile


def _columns(graphs: Sequence[Graph]) -> Iterator[tuple[str, str, list[NDArray[Any]]]]:
    """Each column of nodes or edges, with the values of all graphs that have some in it."""
    for what, columns in (("node", "nodes"), ("edge", "edge_attributes")):
        rows: dict[str, list[NDArray[Any]]] = {}
        for graph in graphs:
            for key, column in getattr(graph, columns).items():
                if len(column):
                    rows.setdefault(key, []).append(column)
        yield from ((what, key, parts) for key, parts in rows.items())


def _alike(parts: Sequence[NDArray[Any]]) -> bool:
    """Whether columns of several graphs are of one kind, so that they can be joined; that is quick where there are no gaps."""
    if {type(part) for part in parts} == {np.ndarray} and len({(part.dtype, part.ndim) for part in parts}) == 1 == parts[0].ndim:
        return True
    return len({(part.dtype.kind, part.shape[1:]) for part in parts if not unknown_type(part)}) == 1


def _column_profiles(what: str, key: str, parts: Sequence[NDArray[Any]]) -> dict[str, list[float]]:
    """Averages of numbers or shares of strings in a column, each over the parts in which there is something to tell.

    Numbers are averaged where at least half of the rows have one. Shares are of all rows, with those that have no value.
    """
    values = np.concatenate([np.asarray(part) for part in parts])
    rows = np.array([len(part) for part in parts])
    of = np.repeat(np.arange(len(parts)), rows)
    if values.ndim == 1 and any(isinstance(part, np.ma.MaskedArray) for part in parts):
        known = ~np.concatenate([np.ma.getmaskarray(part) for part in parts])
        values, of = values[known], of[known]
    counts = np.bincount(of, minlength=len(parts))
    if values.dtype.kind not in "fb":
        return _word_shares(f"share of {what}s with {_called(key)}", values.tolist(), of.tolist(), rows.tolist())
    numbers = (values if values.ndim > 1 else values[:, None]).astype(np.float64)
    if not numbers.shape[1] or is_long(numbers):
        return {}
    told = (counts > 0) & (counts >= KNOWN * rows)
    if key == BARE and what == "edge":  # where every edge has the weight 1, that tells nothing
        told &= np.bincount(of, ~np.isclose(numbers, 1.0).all(axis=1), minlength=len(parts)) > 0
    called = [f"mean {_called(key)} of {what}s"]
    if numbers.shape[1] != 1:
        called = [f"mean {key or 'value'} {d + 1} of {what}s" for d in range(numbers.shape[1])]
    sums = (np.bincount(of, column, minlength=len(parts)) for column in numbers.T)
    return {name: (total[told] / counts[told]).tolist() for name, total in zip(called, sums, strict=True) if told.any()}


def _word_shares(called: str, words: list[Any], of: list[int], counts: list[int]) -> dict[str, list[float]]:
    """The share of each string in the parts that have it."""
    found = Counter((plain_text(word, 24), n) for word, n in zip(words, of, strict=True))
    shares: dict[str, list[float]] = {}
    for (kind, n), count in sorted(found.items()):
        shares.setdefault(f"{called} {kind}", []).append(count / counts[n])
    return shares


def _called(key: str) -> str:
    return plain_text(key, 24) or "value"


def _number(value: float) -> str:
    return number(significant(value, 3))
