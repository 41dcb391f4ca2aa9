"""What the page shows of networks on named nodes: heat maps of mean matrices and of differences, and the names of connections."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup, escape

from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.matrix import RISING, MeanMatrices, heat_map, scale_of, shown_ticks
from graphmeans.plots.network import MANY, NAMED
from graphmeans.plots.positions import own_positions
from graphmeans.plots.text import plain_text
from graphmeans.report.cards.connection_groups import group_contrasts
from graphmeans.report.facts.evidence import Evidence
from graphmeans.report.facts.shares import DistanceShares
from graphmeans.report.facts.summary import ClusteringSummary
from graphmeans.report.sentences.contrasts import Contrast
from graphmeans.report.words import number, significant

#: Connections that a card names, and the table of a member's view; letters of a name, and along an axis.
NAMED_EDGES, MEMBER_EDGES, LETTERS, AXIS = 8, 60, 40, 32
#: What stands between the names of two regions: of arcs, and of edges.
WAY, BOTH_WAYS = " → ", " – "
#: A small picture of a matrix has so many rows at most.
SMALL = 48
#: Members have matrices if these have no more entries than this in all.
MOST_ENTRIES = 30_000_000
#: Larger matrices would be larger than a screen.
LARGEST = 1000
#: Side of the picture of a matrix, and what is left free for names.
SIDE = 300
#: Room beside the matrix for a letter of a name, and for what is between name and matrix.
LETTER, GAP = 6.1, 6
#: Names along an axis at most, and the height of one.
MOST_NAMES, HEIGHT = 24, 11.5
#: A group of connections is told if it differs by so much of how far the clusters differ from each other.
MATTERS = 0.3
#: What the tile of the central cluster says; of two clusters the larger one is that.
CENTRAL, OF_TWO = "Central: nearest to all others, which are compared with it", "The other cluster is compared with it"
#: A scale ends at the largest entry if that is at most so many times as large as what it would else end at.
STRETCHED = 1.15
#: Words that blocks of rows share are sought among those that at most this share of names have; blocks must cover so much.
FREQUENT, COVERED = (1.0, 0.6, 0.4, 0.25, 0.15, 0.1), 0.8


class NetworkCards:
    """The mean matrices of all clusters, drawn to one scale and in one order."""

    def __init__(self, summary: ClusteringSummary, found: MeanMatrices) -> None:
        self.found = found
        self._graphs = [c.mean for c in summary.clusters]
        self.labels = [c.label for c in summary.clusters if c.size]
        self.names = [plain_text(name, LETTERS) for name in found.names]
        self._differences = found.differences
        self._means = _scale(found.means, diverging=False)
        self._apart = _scale(self._differences, diverging=True)
        self._placed = all(own_positions(c.mean) is not None for c in summary.clusters if c.size)
        dense = max(c.mean.n_edges for c in summary.clusters) > MANY  # then not all are drawn
        # Lines between so many nodes, or so many lines, would say less than the matrix.
        self.leads = not self._placed and (len(found.names) > NAMED or dense)

    def card(self, label: int) -> dict[str, Any] | None:
        """What the card of a cluster says of its matrix."""
        if label not in self.labels:
            return None
        said, central, several = self._said(label), self._is_central(label), len(self.labels) > 2
        title = f"Difference from cluster {self.found.central}"
        return {
            "central": self.found.central if len(self.labels) > 1 else None, "is_central": central,
            "several": several,
            "mean": self._picture(self.found.means[label], self._means, "Mean matrix", label),
            "apart": None if central else self._picture(self._differences[label], self._apart, title, label),
            "scale": _ends(self.found.means, self._means), "apart_scale": _ends(self._differences, self._apart),
            "signed": self._means[0] < 0, "leads": self.leads, "said": said,
            "caption": [CENTRAL if several else OF_TWO, *_caption(said, None)] if central else _caption(said, self.found.central),
            "edges": self._beyond_others(label) if central and several else [
                {"names": connection(a, b, self.found.directed), "here": number(float(f"{here:.3g}")),
                 "there": number(float(f"{there:.3g}")), "more": here > there}
                for a, b, here, there in self.found.largest_differences(label, NAMED_EDGES)
                if f"{here:.3g}" != f"{there:.3g}"
            ],
        }  # fmt: skip

    def _beyond_others(self, label: int) -> list[dict[str, Any]]:
        """The connections of a cluster that are farthest from those of every other cluster, with the values of these."""
        own, others = self.found.means[label], self.found.means[[c for c in self.labels if c != label]]
        low, high = others.min(axis=0), others.max(axis=0)
        beyond = np.maximum(own - high, low - own)
        if not self.found.directed:
            beyond = np.triu(beyond)
        lines = []
        for at in np.argsort(-beyond, axis=None, kind="stable")[:NAMED_EDGES].tolist():
            i, j = divmod(at, len(self.names))
            here, ends = _signed(float(own[i, j]), 3), sorted(others[:, i, j].tolist())
            if beyond[i, j] > 0 and here not in (_signed(ends[0], 3), _signed(ends[-1], 3)):
                named = connection(self.found.names[i], self.found.names[j], self.found.directed)
                lines.append({"names": named, "here": here, "there": _between(ends, 3), "more": bool(own[i, j] > high[i, j])})
        return lines

    def _is_central(self, label: int) -> bool:
        """Whether the others are compared with this cluster."""
        return len(self.labels) > 1 and label == self.found.central

    def symbols(self) -> Markup:
        """The pictures of the clusters, where lines would be a tangle: matrices of differences, of the central one its own."""
        if not self.leads:
            return Markup()
        values = {c: (self.found.means[c], self._means) for c in self.labels if self._is_central(c) or len(self.labels) == 1}
        return Markup("".join(
            self._symbol(f"m{label}", *values.get(label, (self._differences[label], self._apart))) for label in self.labels
        ))  # fmt: skip

    def merged_symbol(self, name: str, labels: Sequence[int]) -> str:
        """The picture of merged clusters: how their common mean differs from the central cluster."""
        sizes = self.found.sizes[list(labels)]
        return self._symbol(name, np.tensordot(sizes / sizes.sum(), self._differences[list(labels)], axes=1), self._apart)

    def _symbol(self, name: str, values: FloatArray, scale: tuple[float, float, tuple[str, ...]]) -> str:
        image, ink = heat_map(_coarse(values), *scale), " ink" if scale[2] == RISING else ""
        inner = f'<image href="{image}" x="10" y="10" width="280" height="280" class="pixels{ink}" preserveAspectRatio="none"/>'
        return f'<symbol id="{name}" viewBox="0 0 300 300">{inner}</symbol>'

    def shows_members(self, count: int) -> bool:
        """Whether the matrices of so many members are shown."""
        return count * len(self.names) ** 2 <= MOST_ENTRIES

    def add_members(self, data: dict[str, Any], graphs: Sequence[Graph], evidence: Evidence) -> None:
        """Add to the data of members a picture of their matrix, and the connections in which they differ most from their mean.

        The picture shows the difference from the central cluster, as that of their cluster does. Of each connection the
        share of the squared distance is told, in thousandths.
        """
        data["regions"] = self.names
        data["way"] = WAY if self.found.directed else BOTH_WAYS
        data["pooled"] = int(self.found.directed and any(len(graphs[i].edge_attributes) > 1 for i in evidence.sample.tolist()))
        place = {name: n for n, name in enumerate(self.found.names)}
        total = evidence.shares.totals
        for n, (row, i) in enumerate(zip(data["graphs"], evidence.sample.tolist(), strict=True)):
            own = MeanMatrices.of_means([graphs[i]], [1.0], order=self.found.names)
            if own is None or own.names != self.found.names:
                continue
            pair = np.stack([own.means[0], self.found.means[row["c"]]])
            both = MeanMatrices(own.names, pair, np.array([0.0, 1.0]), own.directed)
            if self.leads:
                row["im"] = heat_map(_coarse(own.means[0] - self.found.means[self.found.central]), *self._apart)
            roles = [np.array([place[role] for role in graph.roles or ()]) for graph in (graphs[i], self._graphs[row["c"]])]
            shares = _between_nodes(evidence.shares, n, roles[0], roles[1], len(place)) * (1000.0 / total[n] if total[n] else 0.0)
            if own.directed and len(graphs[i].edge_attributes) == 1:  # what each direction adds follows from its weight
                squares = (pair[0] - pair[1]) ** 2
                both_ways = np.where(np.eye(len(squares), dtype=bool), squares, squares + squares.T)
                shares *= np.divide(squares, both_ways, out=np.zeros_like(squares), where=both_ways > 0)
            row["top"] = [
                [place[a], place[b], float(f"{here:.3g}"), float(f"{there:.3g}"), round(float(shares[place[a], place[b]]))]
                for a, b, here, there in both.largest_differences(0, MEMBER_EDGES)
                if f"{here:.3g}" != f"{there:.3g}"
            ]
    def _said(self, label: int) -> list[dict[str, Any]]:
        """What sets the cluster apart, group of connections by group: in what it differs from the central cluster.

        By how much is seen beside how far the clusters differ from each other. Of the central cluster, which is compared with
        the others together, that is told in which it is beyond each of them.
        """
        names, said, central = [str(name) for name in self.found.names], list[dict[str, Any]](), self._is_central(label)
        there = self.found.others_of_central if central else self.found.means[self.found.central]
        differences = self.found.means[label] - there
        if len(self.labels) < 2:
            return []
        for one in group_contrasts(names, differences, self.found.directed, there):
            means = {c: float(self.found.means[c][one.where].mean()) for c in self.labels}
            here, others = means[label], sorted(mean for c, mean in means.items() if c != label)
            span = max(here, *others) - min(here, *others)
            beyond = max(others[0] - here, here - others[-1]) if central else abs(float(differences[one.where].mean()))
            if beyond < MATTERS * span:
                continue
            digits = 2 if _signed(here) not in (_signed(others[0]), _signed(others[-1])) else 3
            beside = others if central else sorted(mean for c, mean in means.items() if c not in (label, self.found.central))
            told = {"here": _signed(here, digits), "others": _between(beside, digits), "stronger": one.difference > 0}
            told["there"] = told["others"] if central else _signed(means[self.found.central], digits)
            if told["here"] == told["there"]:
                continue
            these = "those" if said else "connections"
            said.append(told | {"short": one.all_of or one.between, "what": one.all_of or f"{these} {one.between}"})
        return said

    def _picture(self, values: Any, scale: Any, what: str, label: int) -> Markup:
        """The matrix with the names of its rows."""
        count = len(self.names)
        step = SIDE / count
        blocks = row_blocks([str(name) for name in self.found.names], HEIGHT / step) if count > MOST_NAMES else []
        rows = blocks or [Block(i, i + 1, str(self.found.names[i])) for i in shown_ticks(count, MOST_NAMES)]
        rows = sorted(rows, key=lambda one: one.first - one.end)  # the largest first: there may be no room for all names
        names: dict[float, str] = {}
        for one in rows:
            y = step * (one.first + one.end) / 2
            if not blocks or all(abs(y - other) >= HEIGHT for other in names):
                names[y] = plain_text(one.name, AXIS)
        free = round(LETTER * max(map(len, names.values()))) + GAP
        written = [
            f'<text x="{free - 5}" y="{y:.1f}" text-anchor="end" dominant-baseline="central">{escape(names[y])}</text>'
            for y in sorted(names)
        ]
        if blocks:
            sides = "".join(f"M{free - 2} {one.first * step + 1:.1f}V{one.end * step - 1:.1f}" for one in blocks)
            written.append(f'<path d="{sides}" stroke="currentColor"/>')
        said = f"{what} of cluster {label}, {count} by {count}, rows and columns in the order of the nodes"
        image = heat_map(np.asarray(values), *scale)
        return Markup(
            f'<svg class="matrix" viewBox="0 -6 {free + SIDE} {SIDE + 12}" role="img" aria-label="{said}" data-rows="{count}">'
            f'{"".join(written)}<image href="{image}" x="{free}" y="0" width="{SIDE}" height="{SIDE}" '
            f'class="pixels{" ink" if scale[2] == RISING else ""}" preserveAspectRatio="none"/></svg>'
        )


def connection(one: Any, other: Any, directed: bool) -> str:
    """What a connection is called.

    Examples
    --------
    >>> connection("a", "b", False), connection("a", "b", True), connection("a", "a", False)
    ('a – b', 'a → b', 'a itself')
    """
    names = [plain_text(name, LETTERS) for name in (one, other)]
    return f"{names[0]} itself" if one == other else (WAY if directed else BOTH_WAYS).join(names)


def _between_nodes(shares: DistanceShares, member: int, own: IntArray, mean: IntArray, count: int) -> FloatArray:
    """What is between each two nodes of the squared distance of a member, as a matrix; `own` and `mean` are their rows."""
    found = np.zeros((count, count))
    for part, rows in ((shares.edges, own), (shares.missing_edges, mean)):
        some = slice(part.ptr[member], part.ptr[member + 1])
        a, b = rows[part.places[some]].T
        found[a, b] = found[b, a] = part.shares[some]
    for part, rows in ((shares.nodes, own), (shares.missing_nodes, mean)):
        some = slice(part.ptr[member], part.ptr[member + 1])
        found[rows[part.places[some]], rows[part.places[some]]] = part.shares[some]
    return found


class Block(NamedTuple):
    """Neighbouring rows of a matrix, from the first to before the end, and what they are called."""

    first: int
    end: int
    name: str


def row_blocks(names: Sequence[str], least: float = 0.0) -> list[Block]:
    """Blocks of neighbouring rows whose names share words, and these words; none if few rows are in such blocks.

    Every row of a large matrix cannot be named, and of rows that are named by turns only one side may be told. Blocks of at
    least so many rows have room for a name: the more of these the better.

    Examples
    --------
    >>> lobes = ["left frontal pole", "right frontal pole", "left frontal gyrus", "left parietal lobule", "right parietal lobule"]
    >>> [tuple(block) for block in row_blocks(lobes)]
    [(0, 3, 'frontal'), (3, 5, 'parietal lobule')]
    """
    words = [re.findall(r"[^\W\d_]+", name) for name in names]
    counts = Counter(word for some in words for word in set(some))
    best: list[Block] = []
    most = 0
    for share in FREQUENT:
        usable = {word for word, count in counts.items() if count <= share * len(names)}
        blocks, first = [], 0
        while first < len(names):
            end, common = first + 1, set(words[first])
            while end < len(names) and common & usable & set(words[end]):
                common &= set(words[end])
                end += 1
            if end > first + 1:
                blocks.append(Block(first, end, " ".join(word for word in dict.fromkeys(words[first]) if word in common)))
            first = end
        covers = sum(block.end - block.first for block in blocks) >= COVERED * len(names)
        roomy = sum(block.end - block.first >= least for block in blocks)
        if covers and most < roomy <= MOST_NAMES and roomy > 1:
            best, most = blocks, roomy
    return best


def _coarse(values: FloatArray) -> FloatArray:
    """The matrix with fewer rows and columns, if it has many: blocks of entries become their means."""
    each = -(-len(values) // SMALL)
    if each == 1:
        return np.asarray(values)
    starts = np.arange(0, len(values), each)
    counts = np.diff(np.append(starts, len(values))).astype(np.float64)
    sums = np.add.reduceat(np.add.reduceat(values, starts, axis=0), starts, axis=1)
    return np.asarray(sums / np.outer(counts, counts))


def _signed(value: float, digits: int = 2) -> str:
    """A short number with a proper minus sign."""
    return number(significant(value, digits)).replace("-", "−")


def _scale(values: FloatArray, *, diverging: bool) -> tuple[float, float, tuple[str, ...]]:
    """The scale of some matrices. It ends at a short number, and holds all entries where none is far beyond the others."""
    least, most, colours = scale_of(values, diverging=diverging)
    largest = float(np.abs(values).max(initial=0.0))
    end = largest if most < largest <= STRETCHED * most else most
    unit = 10.0 ** (np.floor(np.log10(end)) - 1)
    end = float(np.ceil(end / unit - 1e-9) * unit)
    return (-end if least < 0 else 0.0), end, colours


def _ends(values: FloatArray, scale: tuple[float, float, tuple[str, ...]]) -> list[str]:
    """What is written at the ends of a scale."""
    low, high = _signed(scale[0]), _signed(scale[1])
    return [f"{low} and less" if values.min() < scale[0] < 0 else low, f"{high} and more" if values.max() > scale[1] else high]


def _between(values: Sequence[float], digits: int) -> str:
    """Values of other clusters, which are sorted: both of two, and of more the least and the largest; "" if there are none."""
    if not values:
        return ""
    ends = _signed(values[0], digits), _signed(values[-1], digits)
    return ends[0] if ends[0] == ends[1] else f"{ends[0]} {'and' if len(values) == 2 else 'to'} {ends[1]}"


def _caption(said: Sequence[Mapping[str, Any]], central: int | None) -> list[str]:
    """What a tile says: the first of these groups of connections, and one that differs the other way, or else the second."""
    other = [one for one in said[1:] if one["stronger"] != said[0]["stronger"]]
    shown = [*said[:1], *(other or said[1:])[:1]]
    lines = []
    for one in shown:
        what = one["short"].removeprefix("of ")
        way = "stronger" if one["stronger"] else "weaker"
        there = f"others {one['others']}" if central is None else f"{one['there']} in cluster {central}"
        lines.append(f"{what[0].upper()}{what[1:]}: {way}, {one['here']} ({there})")
    return lines


def connection_contrasts(mean: MeanGraph, other: MeanGraph) -> list[Contrast]:
    """The connections in which two clusters of networks on named nodes differ most; `Contrast` of other graphs is by numbers."""
    found = MeanMatrices.of_means([mean, other], [0.0, 1.0])  # the other one is central
    if found is None:
        return []
    lines = []
    for a, b, here, there in found.largest_differences(0, NAMED_EDGES):
        values = [number(float(f"{value:.3g}")) for value in (here, there)]
        lines.append(Contrast(connection(a, b, found.directed), values[0], values[1], abs(here - there)))
    return [line for line in lines if line.here != line.there]


def network_cards(summary: ClusteringSummary, graphs: Sequence[Graph]) -> NetworkCards | None:
    """The cards of networks on named nodes, in the order of the first one; None if the clusters hold other graphs."""
    order = graphs[0].node_ids if len(graphs) else None
    found = MeanMatrices.of_means([c.mean for c in summary.clusters], [c.size for c in summary.clusters], order=order)
    if found is None or not 3 < len(found.names) <= LARGEST:
        return None
    return NetworkCards(summary, found)
