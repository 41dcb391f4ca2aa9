"""`Drawing`: what a picture of a graph consists of, before pixels, points or colours are decided.

SVG files, matplotlib axes and the report's page all draw from it, so that a graph looks the same in all three.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cache
from statistics import median
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.graphs.trees import DEPTH
from graphmeans.plots.molecule import is_molecule, skeletal
from graphmeans.plots.network import NAME, NAMED, is_labelled, thinned
from graphmeans.plots.positions import FAINT, Positions, Viewport, framed, has_positions, layout, node_kinds, visible
from graphmeans.plots.text import plain_text
from graphmeans.plots.tree_layout import LETTER, forest_of, label_length, letters_with_room

#: The largest number of nodes that are drawn with their labels; more would be a blur.
MOST_LABELS = 60


@dataclass(frozen=True, eq=False, slots=True)
class Drawing:
    """Nodes at points of the plane (y upwards) and the strokes between them.

    A stroke runs between two nodes. `bend` makes it an arc: its height over its length, positive to the left of the way
    from its start to its end. `shift` sets it off to that side, for the lines of a double bond, and `inset` shortens it at
    both ends; both are shares of the usual stroke.
    """

    points: Positions
    strength: FloatArray  # of the nodes: 1 for a graph, the support for a mean; 0 is not drawn
    labels: list[str]  # written at the node; "" is a dot
    dots: NDArray[np.bool_]  # whether a node without a label is a dot, or nothing but where strokes meet
    kinds: list[str]  # the string attribute that colours the node
    ends: IntArray
    stroke_strength: FloatArray
    edge: IntArray  # which edge of the graph a stroke belongs to
    bend: FloatArray
    shift: FloatArray
    inset: FloatArray
    sides: IntArray  # where a label runs from its node: 1 to the right, -1 to the left, 0 about it
    heads: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))  # strokes that end in an arrow head
    em: float = 0.0  # how high letters may be at most, in the plane, so that they keep clear of each other; 0 if any height does
    letters: int = 6  # of a label that are written
    wide: IntArray = field(default_factory=lambda: np.zeros(0, np.int64))  # the same of each, where there is room for more
    rings: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))  # nodes that are small circles
    core: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, bool))  # nodes that decide the frame

    @property
    def directed(self) -> bool:
        """Whether a stroke has an arrow head."""
        return bool(np.count_nonzero(self.heads))

    def written(self, i: int) -> str:
        """What is written at a node."""
        return plain_text(self.labels[i], int(self.wide[i]) if len(self.wide) else self.letters)

    @property
    def names_beside(self) -> bool:
        """Whether labels stand beside dots, and not in place of them."""
        return self.em > 0 and bool(self.sides.any())

    @property
    def drawn(self) -> IntArray:
        """The nodes that are drawn, the weak ones first."""
        which = np.flatnonzero(self.strength > 0)
        return which[np.argsort(self.strength[which], kind="stable")]

    @property
    def strokes(self) -> IntArray:
        """The strokes that are drawn, the weak ones first, so that the strong ones lie on top."""
        which = np.flatnonzero(self.stroke_strength > 0)
        return which[np.argsort(self.stroke_strength[which], kind="stable")]

    @property
    def usual_length(self) -> float:
        """The median length of the strokes; 0 if there are none."""
        if not len(self.strokes):
            return 0.0
        a, b = self.points[self.ends[self.strokes]].transpose(1, 0, 2)
        return median(np.linalg.norm(a - b, axis=1).tolist())

    def _label_ends(self) -> Positions:
        """How far labels reach to the left and to the right, where the layout has kept room for them."""
        ends = []
        for i in np.flatnonzero(self.core & (self.strength > 0)):
            wide = LETTER * self.em * len(self.written(int(i)))
            reach = {0: (-wide / 2, wide / 2), 1: (0.0, wide + self.em), -1: (-wide - self.em, 0.0)}[int(self.sides[i])]
            ends += [self.points[i] + [x, 0.0] for x in reach]
        return np.array(ends, dtype=np.float64).reshape(-1, 2)

    def outline(self, *, labels: bool = True) -> Positions:
        """The points that decide the frame, with or without labels."""
        points = [self.points[self.core & (self.strength > 0)]]
        if np.count_nonzero(self.bend):
            strong = self.core[self.ends].all(axis=1)
            for s in np.flatnonzero((self.bend != 0) & (self.stroke_strength > 0) & strong):
                start, end = self.points[self.ends[s]]
                points.append(arc_points(start, end, float(self.bend[s]), 8))
        if self.em and labels:
            points.append(self._label_ends())
        return np.concatenate(points) if len(points) > 1 else points[0]

    def box(self, *, labels: bool = True) -> Viewport | None:
        """Left, bottom, right, top of what decides the frame, with or without labels; None if nothing does."""
        return box_about(self.outline(labels=labels))


def box_about(points: Positions) -> Viewport | None:
    """Left, bottom, right, top of points; None if there are none."""
    if not len(points):
        return None
    low, high = points.min(axis=0), points.max(axis=0)
    return float(low[0]), float(low[1]), float(high[0]), float(high[1])


class _Blank(NamedTuple):
    """Arrays of one length that say nothing in particular; read-only, since drawings share them."""

    true: NDArray[np.bool_]
    false: NDArray[np.bool_]
    ones: FloatArray
    zeros: FloatArray
    none: IntArray
    numbers: IntArray


def _blank(count: int) -> _Blank:
    """What the nodes or the edges of a plain graph have in common; of small graphs, which are many, it is kept."""
    return _kept_blank(count) if count <= MOST_LABELS else _new_blank(count)


def _new_blank(count: int) -> _Blank:
    made = _Blank(
        np.ones(count, bool), np.zeros(count, bool), np.ones(count), np.zeros(count), np.zeros(count, np.int64), np.arange(count)
    )  # fmt: skip
    for array in made:
        array.flags.writeable = False
    return made


_kept_blank = cache(_new_blank)


def drawing(
    graph: Graph, *, positions: ArrayLike | None = None, labels: bool | None = None, faint: float = FAINT
) -> Drawing:
    """What a picture of this graph consists of."""
    n, m = graph.n_nodes, graph.n_edges
    of_nodes, of_edges = _blank(n), _blank(m)
    shown_nodes, shown_edges = of_nodes.true, of_edges.true
    strength, along = of_nodes.ones, of_edges.ones
    if isinstance(graph, MeanGraph):
        shown_nodes, shown_edges = visible(graph, faint)
        strength, along = shown_nodes * graph.node_support, shown_edges * graph.edge_support
    tree = forest_of(graph, shown_nodes, shown_edges) is not None and not has_positions(graph)
    kept, ends = of_edges.numbers, graph.edges
    named = node_kinds(graph)
    kinds = [""] * n if named is None else named
    molecule = named is not None and is_molecule(graph)
    if not tree and not molecule:
        stronger = thinned(graph, along)
        if stronger is not along:
            kept, along = np.flatnonzero(stronger), stronger[stronger > 0]
            ends, of_edges = ends[kept], _blank(len(kept))
    points = layout(graph) if positions is None else np.asarray(positions, dtype=np.float64).reshape(n, 2)
    written = labels is not False
    rings = of_nodes.false if named is None else np.array([kind == "circle" for kind in named], dtype=bool)
    plain = Drawing(
        points=points, strength=strength, labels=kinds if written else [""] * n, dots=of_nodes.true, kinds=kinds,
        ends=ends, stroke_strength=along, edge=kept, bend=of_edges.zeros, shift=of_edges.zeros,
        inset=of_edges.zeros, sides=of_nodes.none, rings=rings, core=framed(graph, shown_nodes),
        heads=of_edges.true if graph.directed and DEPTH not in graph.nodes else of_edges.false,
    )  # fmt: skip
    if molecule:
        return _molecule(graph, plain, written=written)
    if tree:
        limit = label_length(int(shown_nodes.sum()))
        wide = letters_with_room(points, plain.labels, limit, np.flatnonzero(shown_nodes))
        return replace(plain, em=1.0, letters=limit, wide=wide)
    if is_labelled(graph) and written and not any(kinds):
        plain = _with_names(graph, plain)
    plain = _with_arcs(graph, plain)
    return _one_line_each(plain) if graph.directed else plain


def arc_points(start: Positions, end: Positions, bend: float, count: int = 24) -> Positions:
    """Points along the arc of a circle from start to end that rises `bend` chord lengths over its chord."""
    chord = end - start
    if abs(bend) < 1e-9:
        return np.array([start, end])
    left = np.array([-chord[1], chord[0]])
    center = (start + end) / 2 + left * (bend - (1 + 4 * bend**2) / (8 * bend))
    opening = 4 * np.arctan(2 * bend)  # of the whole arc, signed
    turn = np.linspace(0.0, -opening, count)
    spoke = start - center
    return np.asarray(center + np.outer(np.cos(turn), spoke) + np.outer(np.sin(turn), np.array([-spoke[1], spoke[0]])))


def _one_line_each(plain: Drawing) -> Drawing:
    """Two opposite arcs become one line without arrow heads, which would say nothing there."""
    if not plain.directed:
        return plain
    opposite = {(int(i), int(j)): s for s, (i, j) in enumerate(plain.ends) if plain.stroke_strength[s] > 0}
    other = np.array([opposite.get((int(j), int(i)), -1) for i, j in plain.ends])
    other[plain.stroke_strength <= 0] = -1
    first = (other < 0) | (np.arange(len(other)) < other)
    both = other >= 0
    strength = np.where(both, np.maximum(plain.stroke_strength, plain.stroke_strength[other]), plain.stroke_strength)
    parts = {name: getattr(plain, name)[first] for name in ("ends", "edge", "bend", "shift", "inset")}
    return replace(plain, stroke_strength=strength[first], heads=(plain.heads & ~both)[first], **parts)


def _with_names(graph: Graph, plain: Drawing) -> Drawing:
    """The names of a few nodes, written outwards around a circle, or at the places that the nodes have."""
    if not 0 < len(plain.drawn) <= NAMED:
        return plain
    points = plain.points
    sides = np.where(points[:, 0] >= points[:, 0].mean() - 1e-9, 1, -1)
    span = float(np.ptp(points, axis=0).max(initial=0.0))
    gaps = np.concatenate([np.diff(np.sort(points[sides == side, 1])) for side in (-1, 1)])
    em = min(0.8 * float(gaps.min(initial=span)), 0.08 * span)
    names = [plain_text(node, NAME) for node in graph.node_ids]
    return replace(plain, labels=names, sides=sides, em=max(em, 1e-9), letters=NAME)


def _molecule(graph: Graph, plain: Drawing, *, written: bool) -> Drawing:
    """Lines for bonds, letters for all atoms but carbon, hydrogens beside the letter of their atom."""
    formula = skeletal(graph, plain.points, plain.strength, plain.stroke_strength)
    hidden = formula.hidden
    if isinstance(graph, MeanGraph):  # hide atoms whose bonds most members do not have
        bound = np.zeros(graph.n_nodes, bool)
        bound[graph.edges[formula.edge].reshape(-1)] = True
        hidden = hidden | (~bound & (graph.node_support < 0.5))
    return replace(
        plain, strength=np.where(hidden, 0.0, plain.strength),
        labels=formula.labels if written else [""] * graph.n_nodes,
        dots=np.array([bool(label) for label in formula.labels]) & ~hidden, ends=graph.edges[formula.edge],
        stroke_strength=plain.stroke_strength[formula.edge], edge=formula.edge,
        heads=np.zeros(len(formula.edge), bool), bend=np.zeros(len(formula.edge)),
        shift=formula.shift, inset=formula.inset, sides=formula.sides, core=plain.core & ~hidden,
    )  # fmt: skip


def _with_arcs(graph: Graph, plain: Drawing) -> Drawing:
    """Draw those edges as arcs whose attributes say that they are arcs, and of which diameter.

    Technical drawings (the IAM symbols) have a column `type` with the value "arc", and the diameter in a column `angle` or
    `diameter`. An edge that stands for two has columns whose names end in 0 and 1, and a `frequency` of 2; in a mean, where
    what no member has is filled in with an average, this says whether there is a second one. Which way an arc bends is not
    stored: it is drawn away from the rest of the drawing. Nodes of the kind "circle" are small circles.
    """
    columns = graph.edge_attributes
    layers = [end for end in ("", "0", "1") if f"type{end}" in columns and columns[f"type{end}"].dtype == object]
    if not layers or not graph.n_edges:
        return plain
    middle = plain.points[plain.core].mean(axis=0) if plain.core.any() else np.zeros(2)
    strokes: list[tuple[int, float]] = []
    often = columns.get("frequency")
    single = np.zeros(graph.n_edges, bool) if often is None or often.dtype.kind != "f" else np.ma.filled(often, 2.0) < 1.5
    for e in plain.edge.tolist():
        start, end = plain.points[graph.edges[e]]
        for layer in layers:
            if layer == "1" and single[e]:
                continue
            kind = "" if columns[f"type{layer}"][e] is np.ma.masked else str(columns[f"type{layer}"][e])
            size = columns.get(f"diameter{layer}", columns.get(f"angle{layer}"))
            if kind == "arc" and size is not None and size.dtype.kind == "f" and size.ndim == 1 and not np.ma.is_masked(size[e]):
                strokes.append((e, _bend(start, end, float(size[e]), middle)))
            elif kind or layer != "1":
                strokes.append((e, 0.0))
    which = np.array([e for e, _ in strokes], dtype=np.int64)
    at = np.searchsorted(plain.edge, which)
    return replace(
        plain, labels=[""] * graph.n_nodes,  # corners and crossings are seen, not read
        ends=graph.edges[which], stroke_strength=plain.stroke_strength[at], edge=which, heads=plain.heads[at],
        bend=np.array([bend for _, bend in strokes]), shift=np.zeros(len(which)), inset=np.zeros(len(which)),
    )  # fmt: skip


def _bend(start: Positions, end: Positions, diameter: float, middle: Positions) -> float:
    chord = float(np.linalg.norm(end - start))
    if chord <= 0 or diameter <= 0:
        return 0.0
    across = min(chord / diameter, 1.0)  # the sine of half the opening
    size = np.tan(np.arcsin(across) / 2) / 2
    left = np.array([start[1] - end[1], end[0] - start[0]])
    return float(-size if left @ (middle - (start + end) / 2) > 0 else size)
