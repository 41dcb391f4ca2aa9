"""One sentence about a cluster: in what its graphs differ most from those of all other clusters together."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from graphmeans.graphs.graph import Graph
from graphmeans.plots.text import plain_text
from graphmeans.report.words import number, percent, significant

#: How many things are told; from how many standard deviations, or which share, a difference is worth telling.
MOST, WORTH, WORTH_SHARE = 3, 0.5, 0.1
#: Differences of shares, of nodes and of graphs, that are worth as much as one standard deviation.
SHARE, SHARE_OF_GRAPHS = 0.25, 0.4
#: Places in a plane are seen in pictures.
_PLACE = re.compile(r"mean ([xyXY]|value \d+) of nodes")
_MEAN, _KIND = re.compile(r"mean (.+) of (node|edge)s"), re.compile(r"share of (node|edge)s with (.+)")
_HAVE = "graphs that have "
_EMPTY = f"{_HAVE}no nodes"
_ALL = {"0%": "none", "100%": "all"}


class Told(NamedTuple):
    """What is true of a cluster, with its value, and the value in the other clusters."""

    what: str
    there: str


def features(graphs: Sequence[Graph], profile: Mapping[str, float]) -> dict[str, float]:
    """What sentences are about: the profile of these graphs, and which share of them has a node or an edge of some kind."""
    found = dict(profile)
    counts: Counter[str] = Counter()
    for graph in graphs:
        if not graph.n_nodes:
            counts[_EMPTY] += 1
        for what, columns in (("node", graph.nodes), ("edge", graph.edge_attributes)):
            for key, column in columns.items():
                if column.dtype == object and column.ndim == 1:
                    known = [value for value in column.tolist() if value is not None and value is not np.ma.masked]
                    kinds = {plain_text(value, 24) for value in known}
                    counts.update(f"{_HAVE}{what}s with {plain_text(key, 24)} {kind}" for kind in kinds)
                elif column.dtype.kind == "b":
                    mean = f"mean {plain_text(key, 24)} of {what}s"
                    if mean in found:
                        found[f"share of {what}s with {plain_text(key, 24)}"] = found.pop(mean)
    return found | {key: count / len(graphs) for key, count in counts.items()}


def told(
    here: Mapping[str, float], others: Sequence[Mapping[str, float]], sizes: Sequence[int], spread: Mapping[str, float],
    names: Mapping[str, str],
) -> list[Told]:  # fmt: skip
    """In what the `features` of a cluster differ most from those of the others; `names` says what nodes and edges are called.

    Examples
    --------
    >>> here, there = {"nodes in a graph": 4.0}, {"nodes in a graph": 9.0}
    >>> told(here, [there], [10], {"nodes in a graph": 2.0}, {"node": "atom", "edge": "bond"})
    [Told(what='fewer atoms, 4 on average', there='9')]
    """
    found: list[tuple[float, str, Told]] = []
    for key in {*here, *(key for other in others for key in other)}:
        share = key.startswith(("share of ", _HAVE))
        if _PLACE.fullmatch(key) or (not share and key not in here):
            continue
        rows = [(other.get(key, 0.0 if share else np.nan), size) for other, size in zip(others, sizes, strict=True) if other]
        known = [(value, size) for value, size in rows if size and np.isfinite(value)]
        if not known or sum(size for _, size in known) < 0.5 * sum(sizes):
            continue  # most of the others have no such value: there is nothing to compare with
        there = float(np.average([value for value, _ in known], weights=[size for _, size in known]))
        own = here.get(key, 0.0)
        unit = SHARE_OF_GRAPHS if key.startswith(_HAVE) else SHARE if share else max(spread.get(key, np.inf), 1e-12)
        weight = abs(own - there) / unit
        if weight >= (WORTH_SHARE / SHARE if share else WORTH):
            shown = [_percent(v) if share else number(significant(v, 3)).replace("-", "−") for v in (own, there)]
            found.append((weight, key, Told(_what(key, shown[0], own > there, names), shown[1])))
    found.sort(key=lambda row: (-row[0], row[1]))
    kept: list[Told] = []
    seen: Counter[str] = Counter()
    for _, key, line in found:
        # The number of edges mostly follows from that of nodes, and of two kinds one is what the other is not.
        about = "size" if key.endswith(" in a graph") or key == _EMPTY else key.split(" with ")[-1]
        column, kind = about.split(" ")[0], f"kind {about.split(' ')[-1]}"
        if not seen[kind] and seen[column] < 2:
            kept.append(line)
            seen.update({column, kind})
    return kept[:MOST]


def _what(key: str, value: str, more: bool, names: Mapping[str, str]) -> str:
    mean, kind = _MEAN.fullmatch(key), _KIND.fullmatch(key)
    if key == _EMPTY:
        return f"{_ALL.get(value, value)} have no {names['node']}s"
    if key.startswith(_HAVE):
        what, having = key.removeprefix(_HAVE).split("s with ", 1)
        return f"{_ALL.get(value, value)} have {_of_kind(names[what], having)}"
    if kind is not None:
        return f"{_ALL.get(value, f'{value} of the')} {names[kind[1]]}s {_are(names[kind[1]], kind[2])}".replace("none ", "no ")
    if mean is not None:
        return f"{mean[1]} of the {names[mean[2]]}s {value} on average"
    return f"{'more' if more else 'fewer'} {names[key.split('s in a graph')[0]]}s, {value} on average"


def _of_kind(what: str, having: str) -> str:
    """ "aromatic bonds", as the column is called as the things are, else "nodes with label For"."""
    return f"{having.removeprefix(what + ' ')} {what}s" if having.startswith(f"{what} ") else f"{what}s with {having}"


def _are(what: str, having: str) -> str:
    if having == "ring":
        return "are in rings"
    return f"are {having.removeprefix(what + ' ')}" if having.startswith(f"{what} ") or " " not in having else f"have {having}"


def _percent(share: float) -> str:
    """A share in whole per cent; what is rare is not nothing, and what nearly all have is not all."""
    return percent(share) if share in (0.0, 1.0) else f"{min(max(round(100 * share), 1), 99)}%"
