"""A page with queries beside the graphs that are nearest to them, drawn in one frame so that they can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from markupsafe import Markup

import graphmeans
from graphmeans.graphs.graph import Graph
from graphmeans.plots.drawing import drawing
from graphmeans.plots.members import frame_positions, union_box
from graphmeans.plots.positions import layout
from graphmeans.plots.svg import draw_svg
from graphmeans.plots.text import plain_text
from graphmeans.report.words import PAGE, counted, number, page_template
from graphmeans.search.answers import Answer, Neighbor

#: Most queries on a page; the table of the command lists all of them.
MOST_QUERIES = 200


class Picture(NamedTuple):
    """A graph on the page, and what is said below it."""

    svg: Markup
    name: str
    said: str
    proven: bool


def write_search_page(
    path: Path, answers: Sequence[Answer], *, title: str, searched: int, matchings: float, names: Sequence[str]
) -> None:
    """Write the page.

    Parameters
    ----------
    path : Path
    answers : sequence of Answer
    title : str
    searched : int
        How many graphs the index holds.
    matchings : float
        How many of them were matched for a query, on average.
    names : sequence of str
        What the queries are called.
    """
    rows = [
        (_query(answer, name), [_neighbor(answer, neighbor) for neighbor in answer])
        for answer, name in zip(answers[:MOST_QUERIES], names, strict=False)
    ]
    proven: list[float] = [neighbor.certified for answer in answers for neighbor in answer]
    page = page_template(PAGE, "search.html").render(
        title=plain_text(title), rows=rows, left_out=max(0, len(answers) - MOST_QUERIES), searched=counted(searched, "graph"),
        queries=counted(len(answers), "query", "queries"), matchings=number(round(matchings, 1)),
        all_proven=all(proven), share=f"{100 * float(np.mean(proven or [1.0])):.3g}%", version=graphmeans.__version__,
        style=Markup((PAGE / "page.css").read_text(encoding="utf-8")),
    )  # fmt: skip
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(page, encoding="utf-8")


def _query(answer: Answer, name: str) -> Picture:
    said = f"{counted(answer.query.n_nodes, 'node')}, {counted(answer.query.n_edges, 'edge')}"
    return Picture(_drawn(answer.query, layout(answer.query), answer), plain_text(name, 60), said, True)


def _neighbor(answer: Answer, neighbor: Neighbor) -> Picture:
    into = np.full(neighbor.graph.n_nodes, -1, dtype=np.int64)
    matched = np.flatnonzero(neighbor.match.indices >= 0)
    into[neighbor.match.indices[matched]] = matched
    places = frame_positions(neighbor.graph, answer.query, into)
    name = plain_text(str(neighbor.index) if neighbor.name is None else neighbor.name, 60)
    return Picture(_drawn(neighbor.graph, places, answer), name, f"{neighbor.distance:.4g}", neighbor.certified)


def _drawn(graph: Graph, places: Any, answer: Answer) -> Markup:
    """A picture in a window that has room for the query and for this graph, in the same place in all pictures of a row."""
    query = layout(answer.query)
    window = union_box(drawing(answer.query, positions=query).box(), drawing(graph, positions=places).box())
    return Markup(draw_svg(graph, size=170, positions=places, viewport=window))
