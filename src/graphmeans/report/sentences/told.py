"""One sentence about a cluster: in what its graphs differ most from those of all other clusters together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from math import isfinite, isnan, nan
from typing import NamedTuple

import numpy as np

from graphmeans.evaluation.remarks import ANGLE
from graphmeans.graphs.batch import offsets
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.trees import DEPTH
from graphmeans.plots.positions import draws_down
from graphmeans.plots.text import plain_text
from graphmeans.report.sentences.known_values import KNOWN
from graphmeans.report.sentences.outlines import BELOW, Branches
from graphmeans.report.sentences.shapes import (
    ACROSS,
    CYCLES,
    DEGREE,
    HEIGHT,
    HUB,
    PIECES,
    RUNS,
    UP,
    WIDTH,
    Joined,
    shapes,
)  # fmt: skip
from graphmeans.report.words import in_percent, natural_key, number, significant

#: How many things are told; from how many standard deviations, or which share, a difference is worth telling.
MOST, WORTH, WORTH_SHARE = 3, 0.5, 0.1
#: If such a share of the others have something, it is told which share has none of it.
NEARLY_ALL = 0.95
#: What graphs lack says less of them than what they have: so many times.
LACKING = 0.7
#: From how many nodes of a kind on average they are counted; of fewer it is told which share of the graphs has any.
SEVERAL = 1.5
#: The depth of nodes mostly follows from how many there are, and nobody sees it.
DEEP = 0.5
#: Differences of sizes and numbers that are smaller than such a share of them are no differences to a reader.
VISIBLE = 0.1
#: Differences of shares, of nodes and of graphs, that are worth as much as one standard deviation.
SHARE, SHARE_OF_GRAPHS = 0.25, 0.4
#: Places in a plane are seen in pictures.
_PLACE = re.compile(r"mean ([xyXY]|value \d+) of nodes")
_TURN = re.compile(rf"mean (?:{ANGLE.pattern}) of (?:node|edge)s", re.IGNORECASE)
_MEAN, _KIND = re.compile(r"mean (.+) of (node|edge)s"), re.compile(r"share of (node|edge)s with (.+)")
_HAVE = "graphs that have "
#: How many nodes or edges of a kind graphs have, on average.
_NODES = "nodes in a graph"
_COUNTS = "count of "
_COUNT = re.compile(rf"{_COUNTS}(node|edge)s with (.+)")
_WITH = re.compile(r"(node|edge)s with (.+)")
_DEPTH = f"mean {DEPTH} of nodes"
_EMPTY = f"{_HAVE}no nodes"
#: What is said of graphs that are empty, in shares.
EMPTY_WORDS = "have no nodes"
_SIZES = (WIDTH, HEIGHT, PIECES, CYCLES, HUB, DEGREE, _COUNTS, _NODES, "edges in a graph")
_ALL = {"0%": "none", "100%": "all"}
#: Columns whose values are what nodes are called.
_NAMING = ("label", "kind", "type", "symbol", "element", "chem", "atom")
#: How far, in shares of their extent, drawings lie from the others if it is told.
AWAY = 0.5
#: How differences of shapes begin, of more and of less; the words that follow.
_SHAPES = {
    PIECES: ("more pieces", "fewer pieces", ", {} on average"), CYCLES: ("more cycles", "fewer cycles", ", {} on average"),
    WIDTH: ("wider", "narrower", ", {} on average"), HEIGHT: ("taller", "less tall", ", {} on average"),
    ACROSS: ("further to the right", "further to the left", ", x {} on average"),
    UP: ("higher up", "lower down", ", y {} on average"),
}  # fmt: skip


class Told(NamedTuple):
    """What is true of a cluster, with its value, the value in the other clusters, and the feature that it is about."""

    what: str
    there: str
    key: str


def features(
    graphs: Sequence[Graph], profile: Mapping[str, float], shape: Mapping[str, float], below: Sequence[Branches] | None = None,
    kinds: Sequence[Counter[str]] | None = None,
) -> dict[str, float]:  # fmt: skip
    """What sentences are about: the profile of these graphs, which share of them has nodes or edges of some kind, and how many.

    `shape` is as in `mean_shapes`, `kinds` as by `kinds_of`. Of trees it is also known which share of them has a node of some
    kind `below` one of another.
    """
    found = {**profile, **shape}
    kinds = list(map(kinds_of, graphs)) if kinds is None else kinds
    if below is not None:
        found.pop("edges in a graph", None)  # there is one for each node but the root
    counts: Counter[str] = Counter()
    for graph, own in zip(graphs, kinds, strict=True):
        if not graph.n_nodes:
            counts[_EMPTY] += 1
        for what, columns in (("node", graph.nodes), ("edge", graph.edge_attributes)):
            for key, column in columns.items():
                if column.dtype.kind == "b":
                    mean = f"mean {plain_text(key, 24)} of {what}s"
                    if mean in found:
                        found[f"share of {what}s with {plain_text(key, 24)}"] = found.pop(mean)
        for kind, count in own.items():
            counts[f"{_HAVE}{kind}"] += 1
            counts[f"{_COUNTS}{kind}"] += count
    for pairs in below or ():
        counts.update(f"{_HAVE}{over}{BELOW}{under}" for over, under in pairs)
    return found | {key: count / len(graphs) for key, count in counts.items()}


def kinds_of(graph: Graph) -> Counter[str]:
    """How many nodes and edges of each kind a graph has, for each of their columns of words."""
    found: Counter[str] = Counter()
    for what, columns in (("node", graph.nodes), ("edge", graph.edge_attributes)):
        for key, column in columns.items():
            if column.dtype.kind == "O" and column.ndim == 1:
                known = Counter(value for value in column.tolist() if value is not None and value is not np.ma.masked)
                for value, count in known.items():
                    found[f"{what}s with {plain_text(key, 24)} {plain_text(value, 24)}"] += count
    return found


def count_spreads(kinds: Sequence[Counter[str]]) -> dict[str, float]:
    """How much the number of nodes and edges of each kind varies over graphs, of which these are the `kinds_of`.

    Examples
    --------
    >>> count_spreads([Counter({"nodes with kind a": 2}), Counter({"nodes with kind a": 4}), Counter()])
    {'count of nodes with kind a': 1.632993161855452}
    """
    sums, squares = Counter[str](), Counter[str]()
    for own in kinds:
        for kind, count in own.items():
            sums[kind] += count
            squares[kind] += count * count
    variance = {kind: squares[kind] / len(kinds) - (sums[kind] / len(kinds)) ** 2 for kind in sums}
    return {f"{_COUNTS}{kind}": float(np.sqrt(value)) for kind, value in variance.items() if value > 1e-12}


def mean_shapes(
    groups: Sequence[Sequence[Graph]], joined: Joined | None = None
) -> tuple[list[dict[str, float]], dict[str, float]]:
    """What `shapes` says of each group of graphs on average, where at least half of them know it; and its spread over all."""
    found = shapes([graph for graphs in groups for graph in graphs], joined)
    ptr = offsets(np.array([len(graphs) for graphs in groups]))
    means: list[dict[str, float]] = [{} for _ in groups]
    spread = {}
    for key, values in found.items():
        known = np.isfinite(values)
        spread[key] = float(np.std(values[known])) if known.any() else 0.0
        sums, counts = (np.append(0.0, np.cumsum(part)) for part in (np.where(known, values, 0.0), known))
        for row, a, b in zip(means, ptr[:-1].tolist(), ptr[1:].tolist(), strict=True):
            if (count := counts[b] - counts[a]) >= max(KNOWN * (b - a), 1):
                row[key] = float((sums[b] - sums[a]) / count)
    return means, {key: value for key, value in spread.items() if value > 0}


def told(
    here: Mapping[str, float], others: Sequence[Mapping[str, float]], sizes: Sequence[int], spread: Mapping[str, float],
    names: Mapping[str, str], most: int | None = MOST,
) -> list[Told]:  # fmt: skip
    """In what the `features` of a cluster differ most from those of the others; `names` says what nodes and edges are called.

    At most so many differences are told, with None all that are worth it.

    Examples
    --------
    >>> here, there = {"nodes in a graph": 4.0}, {"nodes in a graph": 9.0}
    >>> told(here, [there], [10], {"nodes in a graph": 2.0}, {"node": "atom", "edge": "bond"})
    [Told(what='fewer atoms, 4 on average', there='9', key='nodes in a graph')]
    """
    found: list[tuple[float, bool, str, Told]] = []
    pairs = [(other, size) for other, size in zip(others, sizes, strict=True) if other and size]
    least = max(0.5 * sum(sizes), 1)
    every = set(here).union(*others)
    several = _several(every)
    for key in every:
        share, counted = key.startswith(("share of ", _HAVE)), key.startswith(_COUNTS)
        nothing = 0.0 if counted or (share and not key.startswith(RUNS)) else nan  # what is not told of a cluster that has none
        if _PLACE.fullmatch(key) or _TURN.fullmatch(key) or (isnan(nothing) and key not in here):
            continue
        total, of = 0.0, 0
        for other, size in pairs:
            value = other.get(key, nothing)
            if isfinite(value):
                total += value * size
                of += size
        if of < least:
            continue  # most of the others have no such value: there is nothing to compare with
        there = total / of
        own = here.get(key, 0.0)
        if key == _EMPTY and own < there:
            continue  # that graphs have nodes is nothing special
        if key in (ACROSS, UP) and abs(own - there) < AWAY * max(here[WIDTH], here[HEIGHT]):
            continue
        if key.startswith(_SIZES) and abs(own - there) < VISIBLE * max(abs(own), abs(there)):
            continue
        lacks = key.startswith(_HAVE) and NEARLY_ALL <= there > own > 0
        unit = SHARE_OF_GRAPHS if key.startswith(_HAVE) else SHARE if share else max(spread.get(key, np.inf), 1e-12)
        apart: float = abs(own - there)
        if counted:  # what follows from the sizes of graphs is nothing of its own
            ratio = here[_NODES] / max(_mean_of(_NODES, pairs), 1e-12)
            apart = min(apart, abs(own - ratio * there)) if max(own, there) >= SEVERAL else 0.0
        weight = apart / unit * (LACKING if (share or counted) and own < there else 1.0)
        if key == _DEPTH:
            weight *= DEEP
        if weight >= (WORTH_SHARE / SHARE if share else WORTH):
            sign = -1.0 if key == UP and draws_down() else 1.0  # pictures have y upwards, whatever the numbers of the user
            values = (1.0 - own, 1.0 - there) if lacks else (own, there)
            shown = [in_percent(v) if share else number(significant(sign * v, 3)).replace("-", "−") for v in values]
            line = Told(_what(key, shown[0], own > there, names, several, lacks), shown[1], key)
            found.append((-round(weight, 6), own < there, key, line))
    found.sort(key=lambda row: row[:3])  # of two that weigh the same first what graphs have, and not what they lack
    kept: list[Told] = []
    seen: Counter[str] = Counter()
    either = _either_or(every)
    for *_, key, line in found:
        column, kinds = _topic(key)
        if not any(seen[kind] for kind in kinds) and seen[column] < (1 if column in either else 2):
            kept.append(line)
            seen.update({column, *kinds})
    return kept[:most]


def _mean_of(key: str, pairs: Sequence[tuple[Mapping[str, float], int]]) -> float:
    """The mean of a feature over clusters, by their sizes."""
    return sum(other.get(key, 0.0) * size for other, size in pairs) / max(sum(size for _, size in pairs), 1)


def topics(key: str) -> set[str]:
    """What a feature is about: of two that share something one says enough.

    Examples
    --------
    >>> sorted(topics("count of nodes with label If") & topics("graphs that have nodes with label If"))
    ['kind If']
    """
    return set(_topic(key)[1])


def _topic(key: str) -> tuple[str, list[str]]:
    """What a feature is about; of one topic two things are told, of one kind of thing one."""
    if key.endswith(" in a graph") or key == _EMPTY:  # the number of edges mostly follows from that of nodes
        return "size", ["kind graph"]
    if key.startswith(DEGREE):
        return "degree", [f"kind {key}"]
    if key.startswith(RUNS) or key.endswith((" of a graph", " one node")):
        return key.split(" ")[0], [f"kind {key}"]
    if BELOW in key:
        return "below", [f"kind {word.split(' ')[-1]}" for word in key.removeprefix(_HAVE).split(BELOW)]
    about = key.split(" with ")[-1]
    return about.split(" ")[0], [f"kind {about.split(' ')[-1]}"]


def _either_or(keys: Iterable[str]) -> set[str]:
    """The columns that have two values: the share of one is what the other leaves."""
    values: dict[str, set[str]] = {}
    for key in keys:
        if _KIND.fullmatch(key):
            column, kinds = _topic(key)
            values.setdefault(column, set()).update(kinds)
    return {column for column, kinds in values.items() if len(kinds) == 2}


def _several(keys: Iterable[str]) -> set[str]:
    """Columns whose names are those of others but for a number at their end, without the first: they are told in full."""
    found = sorted({hit[2].split(" ")[0] for key in keys if (hit := _WITH.search(key))}, key=natural_key)
    stems = [column.rstrip("0123456789") for column in found]
    return {column for n, (column, stem) in enumerate(zip(found, stems, strict=True)) if stem in stems[:n]}


def _what(key: str, value: str, more: bool, names: Mapping[str, str], several: Set[str], lacks: bool) -> str:
    have = "have no" if lacks else "have"
    mean, kind = _MEAN.fullmatch(key), _KIND.fullmatch(key)
    if key == _EMPTY:
        return f"{_ALL.get(value, value)} have no {names['node']}s"
    if BELOW in key:
        return f"{_ALL.get(value, value)} {have} {key.removeprefix(_HAVE)}"
    if key.startswith(_HAVE):
        what, having = key.removeprefix(_HAVE).split("s with ", 1)
        return f"{_ALL.get(value, value)} {have} {_of_kind(names[what], having, several)}"
    if (each := _COUNT.fullmatch(key)) is not None:
        return f"{'no' if value == '0' else value} {_of_kind(names[each[1]], each[2], several)}{'' if value == '0' else ' each'}"
    if key.startswith(RUNS):
        return f"{value} of the length of lines is {key.removeprefix(RUNS)}"
    if key.startswith(DEGREE):
        return f"{key.removeprefix(DEGREE)} {names['node']}s have {value} {names['edge']}s on average"
    if key.startswith(HUB):
        return f"{value} edges {key.removeprefix(HUB).replace('one', 'the busiest')}, on average"
    if key in _SHAPES:
        return _SHAPES[key][0 if more else 1] + _SHAPES[key][2].format(value)
    if kind is not None:
        what = _are(names[kind[1]], kind[2], several)
        return f"{_ALL.get(value, f'{value} of the')} {names[kind[1]]}s {what}".replace("none ", "no ")
    if key == _DEPTH:
        return f"{names['node']}s lie {value} levels below the root, on average"
    if mean is not None:
        return f"{mean[1]} of the {names[mean[2]]}s {value} on average"
    return f"{'more' if more else 'fewer'} {names[key.split('s in a graph')[0]]}s, {value} on average"


def _of_kind(what: str, having: str, several: Set[str]) -> str:
    """ "aromatic bonds", as the column is called as the things are, "For nodes", "arc edges", else "edges with color red"."""
    column, _, kind = having.partition(" ")
    naming = column == what or _stem(column, several) in _NAMING
    return f"{kind} {what}s" if kind and naming else f"{what}s with {having}"


def _stem(column: str, several: Set[str]) -> str:
    """The name of a column without a number at its end, but where another is called so."""
    return column if column in several else column.rstrip("0123456789")


def _are(what: str, having: str, several: Set[str]) -> str:
    if having == "ring":
        return "are in rings"
    column, _, kind = having.partition(" ")
    if _stem(column, several) in ("kind", "type"):
        return f"are of {_stem(column, several)} {kind}"
    return f"are {having.removeprefix(what + ' ')}" if having.startswith(f"{what} ") or " " not in having else f"have {having}"
