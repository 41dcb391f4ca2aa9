"""The map of the page: all graphs as dots, all mean graphs as small pictures."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from markupsafe import Markup, escape

from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.plots.colours import COLOURS, hues
from graphmeans.plots.svg import rounded, shapes
from graphmeans.report.evidence import Evidence
from graphmeans.report.pictures import ClusterPictures
from graphmeans.report.summary import ClusteringSummary
from graphmeans.report.words import counted

#: Size of the map in its own units; and the number of clusters, the largest, that are drawn as pictures.
MAP_WIDTH, MAP_HEIGHT, MOST_THUMBS = 1000, 640, 60


def symbols(pictures: ClusterPictures, palette: Mapping[str, str], n_clusters: int) -> Markup:
    """The pictures of the mean graphs. Each is written once, and the page refers to it by its id."""
    ink = 'viewBox="0 0 300 300" fill="currentColor" stroke="none"'
    return Markup(
        "".join(f'<symbol id="m{c}" {ink}>{shapes(pictures.pen(c), palette)}</symbol>' for c in range(n_clusters))
    )


def map_places(evidence: Evidence) -> tuple[IntArray, IntArray]:
    """Where the graphs and the centers stand on the map, in its own units."""
    points, centers = evidence.map.points, evidence.map.centers
    every = np.concatenate([points, centers])
    # A few odd graphs far away must not squeeze all the others together, so they are drawn at the rim.
    low = np.minimum(np.quantile(every, 0.02, axis=0), centers.min(axis=0))
    high = np.maximum(np.quantile(every, 0.98, axis=0), centers.max(axis=0))
    span = np.maximum(high - low, 1e-9)
    margin = 46.0
    scale = min((MAP_WIDTH - 2 * margin) / span[0], (MAP_HEIGHT - 2 * margin) / span[1])
    middle = (low + high) / 2

    def sheet(points: FloatArray) -> IntArray:
        x = MAP_WIDTH / 2 + (points[:, 0] - middle[0]) * scale
        y = MAP_HEIGHT / 2 - (points[:, 1] - middle[1]) * scale
        inner = np.column_stack([np.clip(x, 8, MAP_WIDTH - 8), np.clip(y, 8, MAP_HEIGHT - 8)])
        return np.round(inner).astype(np.int64)

    return sheet(points), sheet(centers)


def map_svg(summary: ClusteringSummary, evidence: Evidence, places: tuple[IntArray, IntArray]) -> Markup:
    """The map: a dot for each graph, and a picture or a number for each cluster, which is a link to its card."""
    dots, centers = places
    colours = hues(evidence.map.centers, len(COLOURS))
    of = summary.labels[evidence.sample]
    parts = []
    radius = rounded(float(np.clip(60 / np.sqrt(max(len(dots), 1)), 2.2, 4.5)))
    for c in summary.clusters:
        rows = np.flatnonzero(of == c.label)
        inner = "".join(f'<circle cx="{dots[n, 0]}" cy="{dots[n, 1]}" r="{radius}" data-g="{n}"/>' for n in rows)
        parts.append(f'<g class="h{colours[c.label]}" data-c="{c.label}">{inner}</g>')
    links = []
    pictured = {c.label for c in sorted(summary.clusters, key=lambda c: (-c.size, c.label))[:MOST_THUMBS]}
    side = float(np.clip(280 / np.sqrt(max(len(summary.clusters), 1)), 34, 60))
    for c in sorted(summary.clusters, key=lambda c: (c.size, c.label)):
        x, y = centers[c.label]
        said = escape(f"{c.name}: {counted(c.size, 'graph')}")
        if c.label in pictured:
            at = f'x="{rounded(x - side / 2)}" y="{rounded(y - side / 2)}" width="{rounded(side)}" height="{rounded(side)}"'
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
