"""Graphs as small lists of whole numbers, for the script of the page to draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.drawing import Drawing, drawing
from graphmeans.plots.members import USUAL, differences, edge_key, frame_positions, union_box
from graphmeans.plots.network import is_labelled
from graphmeans.plots.pen import Pen
from graphmeans.plots.positions import Viewport, common_layouts, own_positions, square
from graphmeans.plots.text import plain_text
from graphmeans.report.words import significant

#: Side of the sheet that the numbers refer to.
SHEET = 1000
#: Clusters are drawn to one scale unless one would come out this much smaller than another.
SCALES_APART = 3.0
#: Letters of a label that the page knows; fewer are written at a node.
LABEL = 24
#: Up to so many edges are compared with those of a mean one by one, more of them as arrays.
FEW_EDGES = 200
#: Attributes of nodes are listed in the page if there are no more values than this.
MOST_VALUES = 240_000


class ClusterPictures:
    """Draws the mean and the members of every cluster, all pictures of a cluster in one frame."""

    def __init__(self, means: Sequence[MeanGraph]) -> None:
        self.means = means
        self.layouts = common_layouts(means)
        self.drawings = [drawing(mean, positions=places) for mean, places in zip(means, self.layouts, strict=True)]
        self._on_plane = [own_positions(mean) is not None for mean in means]
        self._drawn = [picture.strength > 0 for picture in self.drawings]
        self._usual = [UsualParts(mean) for mean in means]
        self.boxes: list[Viewport | None] = [picture.box() for picture in self.drawings]
        self.labels: dict[str, int] = {}  # numbers for labels, so that each is written into the page only once

    def member(self, graph: Graph, label: int, mapping: Any, shape: Any = None) -> Drawing:
        """The drawing of a member in the frame of its mean; the shape of a molecule may be known."""
        own = own_positions(graph) if self._on_plane[label] else None  # then member and mean share the plane
        if own is None:
            own = frame_positions(graph, self.means[label], mapping, self.layouts[label], self._drawn[label], shape)
        return drawing(graph, positions=own)

    def widen(self, label: int, picture: Drawing) -> None:
        """Widen the frame of a cluster so that it holds a picture."""
        self.boxes[label] = union_box(self.boxes[label], picture.box())

    def choose_windows(self) -> None:
        """Choose what part of the plane is shown for each cluster.

        All clusters are drawn to one scale where the graphs have positions of their own and are of similar size.
        """
        squares = [square(box or (0.0, 0.0, 1.0, 1.0)) for box in self.boxes]
        spans = [box[2] - box[0] for box in squares]
        alike = all(own_positions(mean) is not None for mean in self.means) and max(spans) <= SCALES_APART * min(spans)
        self.one_scale = alike
        self.windows: list[Viewport] = [square(box, max(spans)) for box in squares] if alike else squares

    def pen(self, label: int, size: int = 300) -> Pen:
        """The pen that draws the mean graph of a cluster."""
        return Pen(self.drawings[label], size, self.windows[label])

    def mean_data(self, label: int) -> dict[str, Any]:
        """The picture of a mean as numbers."""
        picture = self.drawings[label]
        drawn, strokes, support = (
            [round(100 * float(s)) for s in shares]
            for shares in (picture.strength, picture.stroke_strength, self.means[label].node_support)
        )
        names = node_names(self.means[label], picture)
        return {**self._numbers(picture, label), "ns": drawn, "ss": strokes, "n": names, "f": support}

    def member_data(self, graph: Graph, picture: Drawing, label: int, mapping: Any) -> dict[str, Any]:
        """The picture of a member as numbers, with what is not usual in its cluster."""
        data = self._numbers(picture, label)
        data["m"] = mapping.tolist()
        extra_nodes, extra_edges = self._usual[label].lacks(graph, data["m"])
        if extra_nodes:
            data["xn"] = extra_nodes
        if extra_edges:
            odd = set(extra_edges)
            data["xs"] = [s for s, e in enumerate(picture.edge.tolist()) if e in odd]
        if (picture.stroke_strength < 1).any():  # of many edges only the strongest are drawn, these more or less so
            data["ss"] = [round(100 * share) for share in picture.stroke_strength.tolist()]
        if not picture.strength.all():
            data["h"] = np.flatnonzero(picture.strength <= 0).tolist()
        return data

    def _numbers(self, picture: Drawing, label: int) -> dict[str, Any]:
        left, _, right, top = self.windows[label]
        scale = SHEET / (right - left)
        placed = np.round((picture.points - [left, top]) * [scale, -scale])
        data: dict[str, Any] = {"p": placed.astype(int).ravel().tolist()}
        if picture.bend.any() or picture.shift.any():
            parts = (np.round(1000 * part) for part in (picture.bend, picture.shift, picture.inset))
            data["t"] = np.column_stack([picture.ends, *parts]).astype(int).ravel().tolist()
        else:
            data["s"] = picture.ends.ravel().tolist()
        if any(picture.labels):
            if picture.em:
                data["lt"] = picture.letters
            shown = [plain_text(text, LABEL) for text in picture.labels]
            data["l"] = [self.labels.setdefault(text, len(self.labels)) for text in shown]
            if picture.sides.any():
                data["d"] = picture.sides.tolist()
        if not picture.dots.all():
            data["o"] = np.flatnonzero(picture.dots).tolist()
        if picture.rings.any():
            data["q"] = np.flatnonzero(picture.rings).tolist()
        if picture.directed:
            data["w"] = np.flatnonzero(picture.heads).tolist()
        if picture.em:
            data["em"] = max(1, round(picture.em * scale))
        return data


class UsualParts:
    """The nodes and edges that most members of a cluster have; for many small members this is quicker than `differences`."""

    def __init__(self, mean: MeanGraph) -> None:
        self._mean = mean
        self._nodes = {i for i, share in enumerate(mean.node_support.tolist()) if share >= USUAL}
        pairs = zip(mean.edges.tolist(), mean.edge_support.tolist(), strict=True)
        self._edges = {edge_key(i, j, mean.directed) for (i, j), share in pairs if share >= USUAL}
        self._directed = mean.directed

    def lacks(self, member: Graph, into: list[int]) -> tuple[list[int], list[int]]:
        """The nodes and edges of a member, which is aligned in this way, that are not among them."""
        if member.n_edges > FEW_EDGES:
            differs = differences(member, self._mean, into)
            return differs.extra_nodes.tolist(), differs.extra_edges.tolist()
        nodes = [i for i, j in enumerate(into) if j not in self._nodes]
        ends = ((into[i], into[j]) for i, j in member.edges.tolist())
        return nodes, [e for e, (a, b) in enumerate(ends) if edge_key(a, b, self._directed) not in self._edges]


def node_names(mean: MeanGraph, picture: Drawing) -> list[Any]:
    """What the page calls the nodes of a mean: by their own names where they have some, else by numbers."""
    return [plain_text(node, 24) for node in mean.node_ids] if is_labelled(mean) else node_numbers(picture)


def node_numbers(picture: Drawing) -> list[int]:
    """Numbers for the nodes that are drawn, in reading order; 0 for the others."""
    drawn = np.flatnonzero(picture.strength > 0)
    span = max(float(np.ptp(picture.points[drawn], axis=0).max(initial=0.0)), 1e-9) if len(drawn) else 1.0
    rows = np.round(-picture.points[:, 1] / span * 6)
    numbers = [0] * len(picture.points)
    for n, i in enumerate(sorted(drawn.tolist(), key=lambda i: (rows[i], picture.points[i, 0], i)), 1):
        numbers[i] = n
    return numbers


def node_table(graph: Graph) -> list[list[Any]]:
    """The values of each node column in short; a column of vectors becomes a column for each component."""
    columns = []
    for _, values in sorted(graph.nodes.items()):
        if values.ndim == 2:
            columns += [_short(part) for part in values.T]
        else:
            columns.append(_short(values))
    return columns


def column_names(graph: Graph) -> list[str]:
    """The names of the columns that `node_table` lists."""
    names = []
    for key, values in sorted(graph.nodes.items()):
        if values.ndim == 2:
            names += [f"{plain_text(key, 24) or 'value'} {d + 1}" for d in range(values.shape[1])]
        else:
            names.append(plain_text(key, 24) or "value" if key != BARE else "value")
    return names


def edge_table(graph: Graph, edges: Any) -> list[list[Any]]:
    """The values of each edge column in short, in the order of these edges; None where the graph has no such edge."""
    wanted, own = np.asarray(edges).reshape(-1, 2).tolist(), graph.edges.tolist()
    rows: list[int | None] = list(range(len(own)))
    if wanted != own:
        place = {edge_key(i, j, False): e for e, (i, j) in enumerate(own)} | {(i, j): e for e, (i, j) in enumerate(own)}
        rows = [place.get((i, j), place.get(edge_key(i, j, False))) for i, j in wanted]
    columns = []
    for _, values in sorted(graph.edge_attributes.items()):
        if values.ndim == 1:
            short = _short(values)
            columns.append([None if e is None else short[e] for e in rows])
        else:
            for part in values.T:
                short = _short(part)
                columns.append([None if e is None else short[e] for e in rows])
    return columns


def edge_column_names(graph: Graph) -> list[str]:
    """The names of the columns that `edge_table` lists."""
    names = []
    for key, values in sorted(graph.edge_attributes.items()):
        called = plain_text(key, 24) or "value"
        names += [called] if values.ndim == 1 or values.shape[1] == 1 else [f"{called} {d + 1}" for d in range(values.shape[1])]
    return names


def _short(values: Any) -> list[Any]:
    if values.dtype.kind == "f" and not isinstance(values, np.ma.MaskedArray):
        return [_trim(value) for value in values.tolist()]
    if values.dtype.kind == "f":
        both = zip(np.ma.getdata(values).tolist(), np.ma.getmaskarray(values).tolist(), strict=True)
        return [None if gone else _trim(value) for value, gone in both]
    return [plain_text(value, 24) for value in values]


def _trim(value: float) -> float | int:
    short = significant(value, 4)
    return int(short) if short == int(short) and abs(short) < 1e15 else short
