"""What most members of a cluster are, where that has a name: stars, chains, rings, single lines, several pieces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from graphmeans.graphs.graph import Graph
from graphmeans.report.sentences.shapes import ARMS, CHAIN, EMPTY, LINE, LOOSE, NODE, PARTS, RING, STAR
from graphmeans.report.words import in_percent

#: The share of members that must have one form for a sentence to say so.
MOST_OF = 0.6
#: What is said of graphs in several pieces.
PIECES_WORDS = "separate pieces each"
#: What members of one form are called in short; pieces are seen.
FORM_NAMES = {
    EMPTY: "Empty, without nodes", NODE: "Single nodes", LINE: "Single lines", STAR: "Stars", ARMS: "Stars with arms",
    CHAIN: "Chains", RING: "Rings", LOOSE: "Without any edges",
}  # fmt: skip


def main_form(named: Sequence[str]) -> tuple[str, float]:
    """The form that most of these graphs have, and the share that has it; "" if there is none.

    Examples
    --------
    >>> main_form(["star", "star", "star", "node"]), main_form(["star", "node"])
    (('star', 0.75), ('', 0.0))
    """
    form, count = Counter(named).most_common(1)[0] if named else ("", 0)
    return (form, count / len(named)) if form and count >= MOST_OF * len(named) else ("", 0.0)


def form_in_short(form: str, share: float) -> str:
    """What most members are, for the caption of a small picture; "" for forms that pictures show.

    Examples
    --------
    >>> form_in_short("star", 0.75), form_in_short("chain", 1.0)
    ('75% stars', 'Chains')
    """
    word = FORM_NAMES.get(form, "")
    if form == LOOSE and share < 1:
        return f"{in_percent(share)} have no edges"
    return word if share >= 1 or not word else f"{in_percent(share)} {word[0].lower()}{word[1:]}"


def form_words(graphs: Sequence[Graph], named: Sequence[str], pieces: Sequence[float], two_way: bool = False) -> str:
    """One sentence on what members are, if most of these graphs have one form: `named` as by `forms`, in so many pieces.

    If arcs are `two_way`, two of them are an edge.

    Examples
    --------
    >>> form_words([Graph(4, [(0, 1), (0, 2), (0, 3)])] * 3 + [Graph(1)], ["star"] * 3 + ["node"], [1] * 4)
    '75% of the members are stars: one node is in all 3 edges.'
    """
    form, part = main_form(named)
    if form == PARTS:  # nodes without edges are pieces, too
        named = [PARTS if of == LOOSE else of for of in named]
        form, part = main_form(named)
    if not form:
        return ""
    alike = [(graph, int(parts)) for graph, of, parts in zip(graphs, named, pieces, strict=True) if of == form]
    share = "All members" if part >= 1 else f"{in_percent(part)} of the members"

    def between(values: Sequence[int]) -> str:
        least, most = min(values), max(values)
        return f"{least:,}" if least == most else f"{least:,} to {most:,}"

    nodes = between([graph.n_nodes for graph, _ in alike])
    edges = between([graph.n_edges // (2 if two_way else 1) for graph, _ in alike])
    parts = [parts for _, parts in alike]
    half = f", half of them into at most {sorted(parts)[(len(parts) - 1) // 2]:,}" if min(parts) < max(parts) else ""
    said = {
        EMPTY: "are empty: they have no nodes", NODE: "are a single node", LINE: "are a single line: two nodes and an edge",
        STAR: f"are stars: one node is in all {edges} edges",
        CHAIN: f"are chains of {nodes} nodes", RING: f"are rings of {nodes} nodes",
        ARMS: f"are stars with longer arms: {between([graph.n_nodes - 1 for graph, _ in alike])} nodes around one, in lines",
        LOOSE: f"are {nodes} nodes without edges", PARTS: f"fall into {between(parts)} {PIECES_WORDS}{half}",
    }  # fmt: skip
    return f"{share} {said[form]}."
