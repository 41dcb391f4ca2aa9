"""The report: one HTML file with pictures of the means and their members, and how the run went."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from markupsafe import Markup

import graphmeans
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.graph import Graph
from graphmeans.plots.layout import Viewport, square, viewport
from graphmeans.plots.svg import draw_svg
from graphmeans.plots.text import plain_text
from graphmeans.report.chart import bar_chart, line_chart
from graphmeans.report.summary import ClusterSummary, Summary, standard_matchings, summarise
from graphmeans.report.words import counted, duration, number, percent

_MEAN_SIZE, _TILE_SIZE, _MEMBER_SIZE = 300, 120, 72
#: Members shown for a cluster, and altogether (a page of thousands of pictures opens slowly).
_MOST_MEMBERS, _MOST_PICTURES = 24, 2400
#: Clusters are drawn to one scale unless one would come out this much smaller than another.
_SCALES_APART = 3.0
#: Node colours by string attribute, legible on light and dark. The most frequent value keeps the colour of the ink.
_COLOURS = ("#d1495b", "#8a63d2", "#c47a00", "#2f8f6b", "#b8527f", "#1b93ab", "#7b8a2a")


def write_report(
    path: str | Path,
    *,
    estimator: Any,
    graphs: Iterable[Any],
    classes: Sequence[object] | None = None,
    title: str = "Graph clusters",
    command: str | None = None,
    seconds: float | None = None,
) -> Path:
    """Write a page that shows a clustering: every mean graph, its members, and how the run went.

    The page is one file without scripts; nothing is loaded from elsewhere.

    Parameters
    ----------
    path : str or Path
        The HTML file to write.
    estimator : GraphKMeans
        A fitted estimator.
    graphs : collection of graphs
        The graphs that it was fitted to, in the same order.
    classes : sequence, optional
        The known class of each graph. The page counts them; the clustering has not seen them.
    title : str
    command : str, optional
        The command that made the page, shown at its end.
    seconds : float, optional
        How long the whole run took; by default the time that the iterations took.

    Returns
    -------
    Path
        The file written.
    """
    collection = to_graphs(graphs)
    summary = summarise(estimator, classes)
    if len(collection) != summary.n_graphs:
        raise ValueError(f"the estimator was fitted to {summary.n_graphs} graphs, not to {len(collection)}")
    palette = _palette(collection)
    names = None if classes is None else [plain_text(c) for c in classes]
    frames = _frames(summary, collection)
    n = len(summary.clusters)
    cards = [_card(c, collection, names, frames[c.label], palette, n) for c in summary.in_reading_order()]
    spent = float(np.sum(estimator.trace_["seconds"])) if seconds is None else seconds
    html = _template().render(
        title=plain_text(title),
        summary=summary,
        duration=duration(spent),
        cards=cards,
        example=next((card for card in cards if card["spectrum"]), None),
        palette=palette,
        one_scale=all(frame is not None for frame in frames.values()),
        charts=_charts(estimator, summary),
        settings=_settings(estimator),
        counts=_counts(estimator, summary),
        command=None if command is None else plain_text(command),
        version=graphmeans.__version__,
    )
    target = Path(path)
    target.write_text(html, encoding="utf-8")
    return target


def _template() -> Template:
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(number=number, percent=percent, counted=counted)
    return environment.get_template("page.html")


def _card(
    cluster: ClusterSummary,
    graphs: Sequence[Graph],
    classes: Sequence[str] | None,
    frame: Viewport | None,
    palette: Mapping[str, str],
    n_clusters: int,
) -> dict[str, Any]:
    """What the template shows of one cluster."""

    def picture(place: int) -> dict[str, Any]:
        i = int(cluster.members[place])
        name = plain_text(graphs[i].name if graphs[i].name is not None else f"graph {i}", 120)
        known = None if classes is None else classes[i]
        said = f"{name}, distance {number(cluster.distances[place])}" + ("" if known is None else f", class {known}")
        drawn = Markup(draw_svg(graphs[i], size=_MEMBER_SIZE, viewport=frame, palette=palette, title=said))
        return {"picture": drawn, "said": said, "other": known if known != cluster.majority else None}

    near, far = _shown(cluster, n_clusters)
    core = cluster.mean.cut(0.5)
    said = f"Mean graph of cluster {cluster.label}"
    return {
        "label": cluster.label,
        "size": cluster.size,
        "majority": cluster.majority,
        "purity": cluster.purity,
        "mixture": _shares(cluster),
        "mean": Markup(draw_svg(cluster.mean, size=_MEAN_SIZE, viewport=frame, palette=palette, title=said)),
        "tile": Markup(draw_svg(cluster.mean, size=_TILE_SIZE, viewport=frame, palette=palette, title=said)),
        "near": [picture(place) for place in near],
        "far": [picture(place) for place in far],
        "spectrum": [picture(place) for place in _spectrum(cluster)],
        "core": f"{counted(core.n_nodes, 'node')} and {counted(core.n_edges, 'edge')}",
        "spread": float(np.sqrt(np.mean(cluster.distances**2))) if cluster.size else 0.0,
    }


def _shown(cluster: ClusterSummary, n_clusters: int) -> tuple[range, range]:
    """Which members a card shows: all, or the nearest and some of the farthest, where the doubtful ones are."""
    most = min(_MOST_MEMBERS, max(8, _MOST_PICTURES // n_clusters))
    if cluster.size <= most:
        return range(cluster.size), range(0)
    return range(most - most // 4), range(cluster.size - most // 4, cluster.size)


def _spectrum(cluster: ClusterSummary, count: int = 9) -> list[int]:
    """Members from the nearest to nearly the farthest, for the picture that opens the page."""
    if cluster.size < count:
        return []
    return [int(place) for place in np.linspace(0, 0.95 * (cluster.size - 1), count)]


def _shares(cluster: ClusterSummary, most: int = 6) -> list[dict[str, Any]]:
    """Classes with their counts; the rare ones beyond `most` together."""
    rows = list(cluster.mixture[:most])
    rest = sum(count for _, count in cluster.mixture[most:])
    if rest:
        rows.append(("others", rest))
    return [{"name": name, "count": count, "share": count / cluster.size} for name, count in rows]


def _frames(summary: Summary, graphs: Sequence[Graph]) -> dict[int, Viewport | None]:
    """The part of the plane in which each cluster is drawn: its mean and the members shown, to one scale."""
    n = len(summary.clusters)
    boxes = {}
    for cluster in summary.clusters:
        near, far = _shown(cluster, n)
        boxes[cluster.label] = viewport([cluster.mean, *(graphs[cluster.members[i]] for i in (*near, *far))])
    spans = [box[2] - box[0] for box in boxes.values() if box is not None]
    if not spans or max(spans) > _SCALES_APART * min(spans):
        return boxes
    return {label: None if box is None else square(box, max(spans)) for label, box in boxes.items()}


def _palette(graphs: Sequence[Graph]) -> dict[str, str]:
    """A colour for each of the frequent values of the nodes' first string attribute."""
    counts: Counter[str] = Counter()
    for graph in graphs[:2000]:
        column = next((c for c in graph.nodes.values() if c.dtype == object), None)
        if column is not None:
            counts.update(str(value) for value in column)
    if len(counts) < 2:
        return {}
    frequent = [value for value, _ in sorted(counts.items(), key=lambda item: (-item[1], item[0]))]
    return {frequent[0]: "currentColor", **dict(zip(frequent[1:], _COLOURS, strict=False))}


def _charts(estimator: Any, summary: Summary) -> dict[str, Markup] | None:
    trace = estimator.trace_
    if not len(trace):
        return None
    iterations = [int(i) for i in trace["iteration"]]
    reference = standard_matchings(summary.n_graphs, len(summary.clusters))
    matchings = [float(m) for m in trace["matchings"]]
    return {
        "objective": Markup(line_chart(iterations, [float(v) for v in trace["inertia"]], label="objective")),
        "matchings": Markup(bar_chart(iterations, matchings, reference, label="matchings")),
    }


def _counts(estimator: Any, summary: Summary) -> list[tuple[str, str]]:
    several = summary.matchings_of_all_runs != summary.matchings
    rows = [
        ("matchings of the best run" if several else "matchings", number(summary.matchings)),
        ("a standard k-means for as many iterations", number(summary.standard)),
    ]
    if several:
        rows.append(("matchings of all runs", number(summary.matchings_of_all_runs)))
    if estimator.n_seeding_matchings_:  # a start that the caller has made is not known here
        rows.append(("matchings to find where to start", number(estimator.n_seeding_matchings_)))
    if estimator.n_evaluation_matchings_:
        rows.append(("matchings to know the objective", number(estimator.n_evaluation_matchings_)))
    return rows


def _settings(estimator: Any) -> list[tuple[str, str]]:
    """The parameters that were asked for, in the order of the constructor's names."""
    rows = []
    for key, value in estimator.get_params(deep=False).items():
        if isinstance(value, (list, tuple)):
            shown = counted(len(value), "given graph")
        elif isinstance(value, (str, bool, type(None), int, float)):
            shown = str(value)
        else:
            shown = getattr(value, "__name__", None) or repr(value)
        rows.append((key, plain_text(shown, 160)))
    return rows
