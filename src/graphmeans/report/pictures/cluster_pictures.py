"""Graphs as small lists of whole numbers, for the script of the page to draw."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from graphmeans.graphs.batch import IntArray, offsets
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.drawing import Drawing, box_about, drawing
from graphmeans.plots.layers import leads_down
from graphmeans.plots.members import frame_positions, union_box
from graphmeans.plots.molecule import is_molecule
from graphmeans.plots.network import is_labelled, sequence_places
from graphmeans.plots.pen import Pen
from graphmeans.plots.positions import (
    Viewport,
    common_layouts,
    is_tree,
    layers_beside,
    layout,
    own_positions,
    square,
    tree_beside,
)
from graphmeans.plots.text import plain_text
from graphmeans.report.pictures.flat_drawings import FlatDrawings, places_in
from graphmeans.report.pictures.oddities import unusual

#: Side of the sheet that the numbers refer to.
SHEET = 1000
#: Clusters are drawn to one scale unless one would come out this many times smaller than another; scales differ by no more.
SCALES_APART = 3.0
#: Letters of a label that the page knows; fewer are written at a node.
LABEL = 24


class ClusterPictures:
    """Draws the mean and the members of every cluster, all pictures of a cluster in one frame.

    `means` are drawn; `places` are the same means with the support of nodes of any kind, by which members have something unusual.
    """

    def __init__(self, means: Sequence[MeanGraph], places: Sequence[MeanGraph] | None = None) -> None:
        self.means, self.places = means, means if places is None else places
        self.layouts = common_layouts(self.places)
        for label, (mean, whole) in enumerate(zip(means, self.places, strict=True)):
            if mean is not whole and is_tree(mean) and not is_tree(whole):  # it has fewer edges, and is drawn as a tree
                self.layouts[label] = layout(mean)
        self.drawings = [drawing(mean, positions=places) for mean, places in zip(means, self.layouts, strict=True)]
        self._on_plane = [own_positions(mean) is not None for mean in means]
        #: Which means are drawn as trees, with words at their nodes.
        self.is_tree = [picture.em > 0 and not picture.names_beside for picture in self.drawings]
        self._leads_down = [leads_down(mean) for mean in means]
        self._drawn = [picture.strength > 0 for picture in self.drawings]
        self.boxes: list[Viewport | None] = [picture.box() for picture in self.drawings]
        #: What part of the plane the pictures of means show; on one scale also those of merged means.
        self.frames = self._squares(self.boxes)
        known = {frame[2] - frame[0] for frame, box in zip(self.frames, self.boxes, strict=True) if box is not None}
        self.one_scale = all(self._on_plane) and max(known, default=0.0) <= (1 + 1e-9) * min(known, default=0.0)
        self.shown: dict[int, Drawing] = {}
        self._words: dict[int, bool] = {}
        self.labels: dict[str, int] = {}  # numbers for labels, so that each is written into the page only once

    @property
    def are_trees(self) -> bool:
        """Whether all means that have nodes are drawn as trees."""
        return any(self.is_tree) and all(tree or not mean.n_edges for tree, mean in zip(self.is_tree, self.means, strict=True))

    @property
    def sequences(self) -> bool:
        """Whether all means are sequences."""
        return all(sequence_places(mean) is not None for mean in self.means)

    @property
    def one_line(self) -> bool:
        """Whether all means are sequences in one line, which needs no square."""
        return self.sequences and all(np.ptp(places[:, 1]) == 0.0 for places in self.layouts if len(places))

    def member(self, graph: Graph, label: int, mapping: Any, shape: Any = None) -> Drawing:
        """The drawing of a member in the frame of its mean; the shape of a molecule may be known.

        A tree is drawn as a tree, with its branches in the order of the mean: in the places of the mean branches would cross.
        For the same reason a directed graph has layers of its own.
        """
        own = own_positions(graph) if self._on_plane[label] else None  # then member and mean share the plane
        if own is None and self.is_tree[label]:
            own = tree_beside(graph, self._order(label, mapping))
        elif own is None and self._leads_down[label]:
            own = layers_beside(graph, self._order(label, mapping))
        if own is None:
            own = frame_positions(graph, self.means[label], mapping, self.layouts[label], self._drawn[label], shape)
        return drawing(graph, positions=own)

    def _order(self, label: int, mapping: Any) -> list[float]:
        """Where the nodes of a member stand from left to right in the mean; in the middle if they are not aligned to a node."""
        across = self.layouts[label][:, 0]
        middle = float(across.mean()) if len(across) else 0.0
        return [float(across[j]) if j >= 0 else middle for j in mapping.tolist()]

    def widen(self, label: int, drawn: FlatDrawings, rows: IntArray) -> None:
        """Widen the frame of a cluster so that it holds these of the drawings."""
        self.boxes[label] = union_box(self.boxes[label], box_about(drawn.outlines(rows)))

    def choose_windows(self) -> None:
        """Choose what part of the plane is shown of each cluster with its members: `windows`."""
        self.windows = self._squares(self.boxes)

    def _squares(self, boxes: Sequence[Viewport | None]) -> list[Viewport]:
        """Squares that hold these boxes: of one side if the graphs have positions of their own and are of similar size.

        Of those that are not, the smallest are enlarged, but not to the size of the largest.
        """
        empty = union_box(*boxes) or (0.0, 0.0, 1.0, 1.0)  # where there is nothing to see in a mean, as much as of all others
        squares = [square(box or (empty if all(self._on_plane) else (0.0, 0.0, 1.0, 1.0))) for box in boxes]
        spans = [one[2] - one[0] for one, box in zip(squares, boxes, strict=True) if box is not None]
        if not spans or not all(self._on_plane):
            return squares
        least = max(spans) if max(spans) <= SCALES_APART * min(spans) else max(spans) / SCALES_APART
        return [square(one, max(one[2] - one[0], least)) for one in squares]

    def scale_of(self, label: int) -> float:
        """How much of the plane the picture of a mean shows, where members lie in the same plane; else 0."""
        frame = self.frames[label]
        return frame[2] - frame[0] if self._on_plane[label] else 0.0

    def pen(self, label: int, size: int = 300) -> Pen:
        """The pen that draws the mean graph of a cluster. Members may need a wider window: the mean fills its picture."""
        return Pen(self.drawings[label], size, self.frames[label])

    def show(self, label: int, member: Drawing) -> None:
        """Show this member where there is little room, in place of the mean of its cluster."""
        self.shown[label] = member

    def small_pen(self, label: int, size: int = 300) -> Pen:
        """For a small picture: of the member that is shown, or of a mean that is a tree; no words, but letters of atoms."""
        picture, letters = self.shown.get(label, self.drawings[label]), is_molecule(self.means[label])
        own = self.is_tree[label] or label in self.shown
        return Pen(picture, size, picture.box(labels=letters) if own else self.frames[label], labels=letters)

    def small(self, label: int) -> str:
        """The id of the picture of a cluster where there is little room, and where words could not be read."""
        return f"s{label}" if self.is_tree[label] or label in self.shown or self._has_words(label) else f"m{label}"

    def _has_words(self, label: int) -> bool:
        """Whether the picture of a mean has words in place of its nodes, and not only letters."""
        if label not in self._words:
            picture = self.drawings[label]
            some = not picture.em and not is_molecule(self.means[label]) and any(len(text) > 1 for text in picture.labels)
            self._words[label] = some and bool(self.pen(label).written)
        return self._words[label]

    def mean_data(self) -> list[dict[str, Any]]:
        """The pictures of the means as numbers."""
        rows = self._numbers(FlatDrawings(self.drawings), np.arange(len(self.means)))
        for data, picture, mean in zip(rows, self.drawings, self.means, strict=True):
            drawn, strokes, support = (
                [round(100 * share) for share in shares.tolist()]
                for shares in (picture.strength, picture.stroke_strength, mean.node_support)
            )
            data.update(ns=drawn, ss=strokes, n=node_names(mean, picture), f=support)
        return rows

    def member_data(
        self, graphs: Sequence[Graph], drawn: FlatDrawings, labels: IntArray, mappings: Sequence[IntArray]
    ) -> list[dict[str, Any]]:
        """The pictures of members as numbers, each with what is not usual in its cluster."""
        rows = self._numbers(drawn, labels)
        edge_ptr = offsets(np.array([graph.n_edges for graph in graphs]))
        extra_nodes, extra_edges = unusual(graphs, self.places, labels, mappings)
        odd_nodes, odd_edges = places_in(extra_nodes, drawn.node_ptr), places_in(extra_edges, edge_ptr)
        odd_strokes = places_in(extra_edges[np.repeat(edge_ptr[:-1], np.diff(drawn.stroke_ptr)) + drawn.edge], drawn.stroke_ptr)
        pale = places_in(drawn.stroke_strength < 1, drawn.stroke_ptr)
        hidden = places_in(drawn.strength <= 0, drawn.node_ptr)
        for n, data in enumerate(rows):
            data["m"] = tuple(mappings[n].tolist())
            if n in odd_nodes:
                data["xn"] = odd_nodes[n]
            if n in odd_edges:
                data["xs"] = odd_strokes.get(n, [])
            if n in pale:  # of many edges only the strongest are drawn, these more or less so
                data["ss"] = [round(100 * share) for share in drawn.drawings[n].stroke_strength.tolist()]
            if n in hidden:
                data["h"] = hidden[n]
        return rows

    def _numbers(self, drawn: FlatDrawings, labels: IntArray) -> list[dict[str, Any]]:
        """Pictures of graphs in clusters as whole numbers, in tuples: lists would be gone through by every garbage collection."""
        windows = np.array(self.windows)[labels]
        scale = SHEET / (windows[:, 2] - windows[:, 0])
        of_node = np.repeat(np.arange(len(labels)), np.diff(drawn.node_ptr))
        placed = np.round((drawn.points - windows[:, [0, 3]][of_node]) * np.stack([scale, -scale], axis=1)[of_node])
        points, ends = tuple(placed.astype(int).ravel().tolist()), tuple(drawn.ends.ravel().tolist())
        bent = places_in((drawn.bend != 0) | (drawn.shift != 0), drawn.stroke_ptr)
        parts = (np.round(1000 * part) for part in (drawn.bend, drawn.shift, drawn.inset))
        turns = tuple(np.column_stack([drawn.ends, *parts]).astype(int).ravel().tolist()) if bent else ()
        aside, rings = places_in(drawn.sides != 0, drawn.node_ptr), places_in(drawn.rings, drawn.node_ptr)
        bare = places_in(~drawn.dots, drawn.node_ptr)
        dots = places_in(drawn.dots, drawn.node_ptr) if bare else {}
        heads = places_in(drawn.heads, drawn.stroke_ptr)
        node_ptr, stroke_ptr = drawn.node_ptr.tolist(), drawn.stroke_ptr.tolist()
        rows = []
        for n, picture in enumerate(drawn.drawings):
            a, b, c, d = node_ptr[n], node_ptr[n + 1], stroke_ptr[n], stroke_ptr[n + 1]
            data: dict[str, Any] = {"p": points[2 * a : 2 * b]}
            if n in bent:
                data["t"] = turns[5 * c : 5 * d]
            else:
                data["s"] = ends[2 * c : 2 * d]
            if any(picture.labels):
                if picture.em:
                    data["lt"] = picture.letters
                    if (picture.wide > picture.letters).any():
                        data["lc"] = picture.wide.tolist()
                shown = [plain_text(text, LABEL) for text in picture.labels]
                data["l"] = [self.labels.setdefault(text, len(self.labels)) for text in shown]
                if n in aside:
                    data["d"] = picture.sides.tolist()
            elif any(picture.kinds) and bool(picture.dots.all()):  # no words are written, but kinds have colours
                data["kd"] = [self.labels.setdefault(plain_text(text, LABEL), len(self.labels)) for text in picture.kinds]
            if n in bare:
                data["o"] = dots.get(n, [])
            if n in rings:
                data["q"] = rings[n]
            if n in heads:
                data["w"] = heads[n]
            if picture.em:
                data["em"] = max(1, round(picture.em * float(scale[n])))
            rows.append(data)
        return rows


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
