"""What notebooks show of a graph, an alignment and a fitted estimator: `_repr_html_`.

The classes load this module by its name when they are shown, because it belongs to a layer above theirs.
"""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from graphmeans.common.molecules import is_molecule
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.atom_map import draw_atom_map
from graphmeans.plots.positions import viewport
from graphmeans.plots.svg import draw_svg, picture_title
from graphmeans.plots.text import plain_text

#: The largest number of pictures and of rows that are shown.
MOST_MEANS, MOST_ROWS = 30, 24
#: An alignment of larger graphs is not drawn.
MOST_DRAWN = 80
_MEAN_INK = "#3d7ec2"  # legible on white and on black


def graph_html(graph: Graph) -> str:
    """A picture of the graph, and the names of its attributes."""
    said = f"<b>{_text(graph.name)}</b>, " if graph.name is not None else ""
    mean = "; strength shows the share of members" if isinstance(graph, MeanGraph) else ""
    sizes = picture_title(graph).split(": ")[-1]
    ink = _MEAN_INK if isinstance(graph, MeanGraph) else "currentColor"
    return (
        f'<figure style="display:inline-block;margin:0">{draw_svg(graph, size=220, color=ink)}'
        f"<figcaption>{said}{sizes}{mean}{_columns(graph)}</figcaption></figure>"
    )


def match_html(match: Any) -> str:
    """The interval that the distance lies in, and which nodes are aligned."""
    rows = "".join(
        f"<tr><td>{_text(node)}</td><td>{'–' if other is None else _text(other)}</td></tr>"
        for node, other in list(match.mapping.items())[:MOST_ROWS]
    )
    more = f"<p>and {len(match.mapping) - MOST_ROWS} more nodes</p>" if len(match.mapping) > MOST_ROWS else ""
    picture = draw_atom_map(match) if _are_molecules(match.x, match.y) else _alignment_svg(match)
    distance = f"{match.upper:.4g}" if match.certified else f"between {match.lower:.4g} and {match.upper:.4g}"
    how = "proven optimal" if match.certified else "the best found"
    return (
        f"<div>{picture}<p>distance {distance}; alignment by {_text(match.matcher)}, {how}</p>"
        f"<table><thead><tr><th>node of x</th><th>node of y</th></tr></thead><tbody>{rows}</tbody></table>{more}</div>"
    )


def _alignment_svg(match: Any) -> str:
    """The two graphs side by side, where they are known and not too large to be looked at."""
    if match.x is None or match.y is None or max(match.x.n_nodes, match.y.n_nodes) > MOST_DRAWN:
        return ""
    from io import StringIO

    from matplotlib.figure import Figure

    from graphmeans.plots.members import draw_alignment

    figure = Figure(figsize=(6.4, 3.2))
    draw_alignment(match.x, match.y, match.indices, figure.add_subplot())
    made = StringIO()
    figure.savefig(made, format="svg", bbox_inches="tight")
    text = made.getvalue()
    return text[text.index("<svg") :]


def trace_html(trace: Any) -> str:
    """The last rows of a trace, in its columns that are not all 0."""
    names = [name for name in trace.dtype.names or () if np.asarray(trace[name]).any()]
    head = "".join(f"<th>{_text(name)}</th>" for name in names)
    rows = "".join(
        "<tr>" + "".join(f"<td>{_text(f'{row[name]:.6g}')}</td>" for name in names) + "</tr>"
        for row in np.asarray(trace)[-MOST_ROWS:]
    )
    more = f"<p>and {len(trace) - MOST_ROWS} iterations before</p>" if len(trace) > MOST_ROWS else ""
    return f"<div><p>{_text(repr(trace))}</p>{more}<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"


def common_html(found: Any) -> str:
    """What two or more graphs have in common, how much that is, and what is proven."""
    unit, most = found.maximize, f"{found.upper:,}"
    proven = "proven to be the largest" if found.certified else f"the best found; at most {most} {unit} are possible"
    kind = "connected common subgraph" if found.connected else "common subgraph"
    said = f"{kind} of {len(found.graphs)} graphs: {found.graph.n_nodes} nodes, {found.graph.n_edges} edges, {proven}"
    if _are_molecules(*found.graphs):
        smarts = f"<p><code>{_text(found.smarts())}</code></p>" if "element" in found.graph.nodes else ""
        return f"<div><p>{said}</p>{draw_atom_map(found)}{smarts}</div>"
    return f"<div><p>{said}</p>{draw_svg(found.graph, size=220)}</div>"


def _are_molecules(*graphs: Graph | None) -> bool:
    known = [graph for graph in graphs if graph is not None]
    return len(known) == len(graphs) and all(is_molecule(graph) and not isinstance(graph, MeanGraph) for graph in known)


def estimator_html(estimator: Any) -> str:
    """The mean graphs of a fitted estimator with their sizes; scikit-learn's diagram for one that is not fitted."""
    from sklearn.utils import estimator_html_repr

    diagram = str(estimator_html_repr(estimator))
    centers = getattr(estimator, "cluster_centers_", None)
    if centers is None or isinstance(centers, np.ndarray):
        return diagram
    means = estimator.centroids(kind="graph")
    labels = getattr(estimator, "labels_", None)  # a classifier has none
    sizes = np.zeros(len(means), dtype=np.int64) if labels is None else np.bincount(labels, minlength=len(means))
    order = np.argsort(-sizes, kind="stable")
    window = viewport(means)
    cells = "".join(
        '<figure style="display:inline-block;margin:4px;text-align:center">'
        f"{draw_svg(means[c], size=96, viewport=window, color=_MEAN_INK, title=f'Mean graph of cluster {c}')}"
        f"<figcaption>{_text(means[c].name) if labels is None else f'{c}: {sizes[c]:,}'}</figcaption></figure>"
        for c in order[:MOST_MEANS]
    )
    more = f"<p>and {len(means) - MOST_MEANS} more</p>" if len(means) > MOST_MEANS else ""
    facts = [f"{len(means)} mean graphs"] if labels is None else [f"{len(labels):,} graphs", f"{len(means)} clusters"]
    for name, said in (("inertia_", "objective {:.5g}"), ("n_iter_", "{} iterations"), ("n_matchings_", "{:,} matchings")):
        if hasattr(estimator, name):
            facts.append(said.format(getattr(estimator, name)))
    if np.isfinite(getattr(estimator, "certified_fraction_", np.nan)):
        facts.append(f"{100 * estimator.certified_fraction_:.4g}% certified")
    return f"<div><p>{', '.join(facts)}</p>{cells}{more}</div>{diagram}"


def answer_html(answer: Any) -> str:
    """A query and its neighbors with their distances; what is not proven to be among the nearest says so."""
    window = viewport([answer.query, *(neighbor.graph for neighbor in answer)])

    def cell(graph: Graph, said: str, ink: str) -> str:
        return (
            '<figure style="display:inline-block;margin:4px;text-align:center">'
            f"{draw_svg(graph, size=110, viewport=window, color=ink)}<figcaption>{said}</figcaption></figure>"
        )

    cells = [cell(answer.query, f"<b>{_text(answer.query.name or 'query')}</b>", "currentColor")]
    for neighbor in answer:
        proven = "" if neighbor.certified else "<br>not proven"
        name = _text(neighbor.name if neighbor.name is not None else neighbor.index)
        cells.append(cell(neighbor.graph, f"{name}<br>{neighbor.distance:.4g}{proven}", _MEAN_INK))
    return f"<div>{''.join(cells)}</div>"


def _columns(graph: Graph) -> str:
    named = ("nodes", [*filter(None, graph.nodes)]), ("edges", [*filter(None, graph.edge_attributes)])
    parts = [f"{what}: {', '.join(map(_text, names))}" for what, names in named if names]
    return f"<br>{'; '.join(parts)}" if parts else ""


def _text(value: object) -> str:
    return escape(plain_text(value, 80))
