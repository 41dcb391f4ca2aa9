"""What the page says of each cluster, and the map of all of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from markupsafe import Markup, escape
from numpy.typing import NDArray

from graphmeans.graphs.graph import Graph
from graphmeans.plots.colours import COLOURS, hues
from graphmeans.plots.svg import number as pixel
from graphmeans.plots.svg import shapes
from graphmeans.report.apart import mean_lines, profile_lines, spreads
from graphmeans.report.data import cluster_name
from graphmeans.report.evidence import Evidence
from graphmeans.report.pictures import Studio, node_numbers
from graphmeans.report.summary import ClusterSummary, Summary
from graphmeans.report.words import counted, number, percent

#: Members of each sort that a card shows; fewer where there are many clusters.
TYPICAL, ODD, DOUBTFUL = 8, 6, 6
#: Size of the map, in its own units; centers drawn as pictures up to so many.
MAP_WIDTH, MAP_HEIGHT, MOST_THUMBS = 1000, 640, 60


def cards(
    summary: Summary, evidence: Evidence, graphs: Sequence[Graph], studio: Studio, labels: NDArray[np.int64]
) -> list[dict[str, Any]]:
    """One card a cluster, in reading order."""
    inside = _members_in_sample(evidence, labels, len(summary.clusters))
    looked = {label: [graphs[evidence.sample[n]] for n in rows[:200]] for label, rows in inside.items()}
    spread = spreads([graphs[i] for i in evidence.sample[:: max(1, len(evidence.sample) // 600)]])
    tightness = {c.label: _spread(c) for c in summary.clusters}
    known = [value for value in tightness.values() if value is not None]
    usual = float(np.median(known)) if known else 0.0
    by_label = {c.label: c for c in summary.clusters}
    return [
        _card(c, by_label, evidence, inside, looked, spread, tightness[c.label], usual, studio)
        for c in summary.in_reading_order()
    ]


def symbols(studio: Studio, palette: Mapping[str, str], n_clusters: int) -> Markup:
    """The pictures of the means, once: the page refers to them by name."""
    ink = 'viewBox="0 0 300 300" fill="currentColor" stroke="none"'
    return Markup(
        "".join(f'<symbol id="m{c}" {ink}>{shapes(studio.symbol(c), palette)}</symbol>' for c in range(n_clusters))
    )


def map_places(evidence: Evidence) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Places of the graphs and of the centers on the sheet of the map, in its units."""
    points, centers = evidence.map.points, evidence.map.centers
    every = np.concatenate([points, centers])
    # A few odd graphs far away must not press all others together: they are drawn at the rim.
    low = np.minimum(np.quantile(every, 0.02, axis=0), centers.min(axis=0))
    high = np.maximum(np.quantile(every, 0.98, axis=0), centers.max(axis=0))
    span = np.maximum(high - low, 1e-9)
    margin = 46.0
    scale = min((MAP_WIDTH - 2 * margin) / span[0], (MAP_HEIGHT - 2 * margin) / span[1])
    middle = (low + high) / 2

    def sheet(points: NDArray[np.float64]) -> NDArray[np.int64]:
        x = MAP_WIDTH / 2 + (points[:, 0] - middle[0]) * scale
        y = MAP_HEIGHT / 2 - (points[:, 1] - middle[1]) * scale
        inner = np.column_stack([np.clip(x, 8, MAP_WIDTH - 8), np.clip(y, 8, MAP_HEIGHT - 8)])
        return np.round(inner).astype(np.int64)

    return sheet(points), sheet(centers)


def map_svg(summary: Summary, evidence: Evidence, labels: NDArray[np.int64], places: Any) -> Markup:
    """The map: a dot a graph, a picture or a number a cluster, each a link to its card."""
    dots, centers = places
    colours = hues(evidence.map.centers, len(COLOURS))
    of = labels[evidence.sample]
    parts = []
    radius = pixel(float(np.clip(60 / np.sqrt(max(len(dots), 1)), 2.2, 4.5)))
    for c in summary.clusters:
        rows = np.flatnonzero(of == c.label)
        inner = "".join(f'<circle cx="{dots[n, 0]}" cy="{dots[n, 1]}" r="{radius}" data-g="{n}"/>' for n in rows)
        parts.append(f'<g class="h{colours[c.label]}" data-c="{c.label}">{inner}</g>')
    links = []
    pictured = {c.label for c in sorted(summary.clusters, key=lambda c: (-c.size, c.label))[:MOST_THUMBS]}
    side = float(np.clip(280 / np.sqrt(max(len(summary.clusters), 1)), 34, 60))
    for c in sorted(summary.clusters, key=lambda c: (c.size, c.label)):
        x, y = centers[c.label]
        said = escape(f"{cluster_name(c.label, c.majority)}: {counted(c.size, 'graph')}")
        if c.label in pictured:
            at = f'x="{pixel(x - side / 2)}" y="{pixel(y - side / 2)}" width="{pixel(side)}" height="{pixel(side)}"'
            look = f'<rect {at} rx="9"/><use href="#m{c.label}" {at}/>'
        else:
            look = (
                f'<rect x="{x - 12}" y="{y - 8}" width="24" height="16" rx="8"/><text x="{x}" y="{y}">{c.label}</text>'
            )
        link = f'href="#cluster-{c.label}" class="h{colours[c.label]}" data-c="{c.label}" aria-label="{said}"'
        links.append(f"<a {link}><title>{said}</title>{look}</a>")
    return Markup(
        f'<svg class="map" viewBox="0 0 {MAP_WIDTH} {MAP_HEIGHT}" role="group" aria-label="Map of the graphs and clusters">'
        f'<g class="dots" aria-hidden="true">{"".join(parts)}</g><g class="centers">{"".join(links)}</g></svg>'
    )


def _card(
    cluster: ClusterSummary, by_label: Mapping[int, ClusterSummary], evidence: Evidence, inside: Mapping[int, list[int]],
    looked: Mapping[int, list[Graph]], spread: dict[str, float], tight: float | None, usual: float, studio: Studio,
) -> dict[str, Any]:  # fmt: skip
    label = cluster.label
    few = len(by_label) > 60
    typical, odd, doubtful = _chosen(evidence, inside[label], few)
    core = cluster.mean.cut(0.5)
    near: list[dict[str, Any]] = [
        {"label": int(c), "name": cluster_name(int(c), by_label[int(c)].majority), "distance": number(float(d))}
        for c, d in zip(evidence.neighbours[label], evidence.neighbour_distances[label], strict=True)
        if c >= 0
    ]
    apart: list[Any] = []
    if near and cluster.size and by_label[near[0]["label"]].size:
        other = near[0]["label"]
        names = [str(n) if n else "?" for n in node_numbers(studio.symbol(label).drawing)]
        apart = mean_lines(cluster.mean, by_label[other].mean, evidence.neighbour_mappings[label, other], names)
        apart = [line for line in apart if "?" not in line.what]
        apart += profile_lines(looked[label], looked[other], spread)
    return {
        "label": label,
        "name": cluster_name(label, cluster.majority),
        "size": cluster.size,
        "sampled": len(inside[label]),
        "majority": cluster.majority,
        "purity": cluster.purity,
        "mixture": _shares(cluster),
        "core": f"{counted(core.n_nodes, 'node')} and {counted(core.n_edges, 'edge')}",
        "tight": tight,
        "tight_said": _tight_words(tight, usual, cluster.size),
        "near": near,
        "apart": apart,
        "groups": [
            group
            for group in (
                {"what": "Typical", "why": "nearest to the mean", "members": typical},
                {"what": "Odd", "why": "farthest from the mean", "members": odd},
                {"what": "Doubtful", "why": "nearly in another cluster", "members": doubtful},
            )
            if group["members"]
        ],
    }


def _chosen(evidence: Evidence, rows: list[int], few: bool) -> tuple[list[int], list[int], list[int]]:
    """Members of a card, as rows of the sample: nearest, farthest, and nearest to another cluster than their own."""
    typical, odd, doubtful = (n // 2 if few else n for n in (TYPICAL, ODD, DOUBTFUL))
    near = rows[:typical]
    far = [n for n in rows[::-1][:odd] if n not in near]
    own = {n: place for place, n in enumerate(rows)}
    margin = sorted(rows, key=lambda n: (evidence.margins[n], own[n]))
    nearly = [n for n in margin[: doubtful * 3] if evidence.margins[n] < 0.25][:doubtful]
    return near, far, nearly


def _members_in_sample(evidence: Evidence, labels: NDArray[np.int64], k: int) -> dict[int, list[int]]:
    """Rows of the sample by cluster, the nearest to the mean first."""
    order = np.argsort(evidence.own_distance, kind="stable")
    of = labels[evidence.sample][order]
    return {c: order[of == c].tolist() for c in range(k)}


def _spread(cluster: ClusterSummary) -> float | None:
    return float(np.sqrt(np.mean(cluster.distances**2))) if cluster.size else None


def _tight_words(tight: float | None, usual: float, size: int) -> str:
    if tight is None:
        return ""
    if size == 1:
        return "the only member"
    if usual <= 0 or abs(tight / usual - 1) < 0.15:
        return "as tight as most clusters"
    return f"{percent(abs(tight / usual - 1))} {'tighter' if tight < usual else 'looser'} than the median cluster"


def _shares(cluster: ClusterSummary, most: int = 6) -> list[dict[str, Any]]:
    """Classes with their counts; the rare ones beyond `most` together."""
    rows = list(cluster.mixture[:most])
    rest = sum(count for _, count in cluster.mixture[most:])
    if rest:
        rows.append(("others", rest))
    return [{"name": name, "count": count, "share": count / cluster.size} for name, count in rows]
