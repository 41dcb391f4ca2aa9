"""What the page shows of networks on named nodes: heat maps of mean matrices and of differences, and the names of connections."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from markupsafe import Markup, escape

from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.matrix import MeanMatrices, heat_map, scale_of, shown_ticks
from graphmeans.plots.network import NAMED
from graphmeans.plots.positions import own_positions
from graphmeans.plots.text import plain_text
from graphmeans.report.contrasts import Contrast
from graphmeans.report.summary import ClusteringSummary
from graphmeans.report.words import number

#: Connections that a card names; letters of a name, and along an axis.
NAMED_EDGES, LETTERS, AXIS = 8, 40, 18
#: Larger matrices would be larger than a screen.
LARGEST = 1000
#: Side of the picture of a matrix, and what is left free for names.
SIDE = 300
#: Room beside the matrix for a letter of a name, and for what is between name and matrix.
LETTER, GAP = 6.1, 6


class NetworkCards:
    """The mean matrices of all clusters, drawn to one scale and in one order."""

    def __init__(self, summary: ClusteringSummary, found: MeanMatrices) -> None:
        self.found = found
        self.labels = [c.label for c in summary.clusters if c.size]
        self.names = [plain_text(name, LETTERS) for name in found.names]
        self._differences = found.differences
        self._means = scale_of(found.means, diverging=False)
        self._apart = scale_of(self._differences, diverging=True)
        placed = all(own_positions(c.mean) is not None for c in summary.clusters if c.size)
        self.leads = not placed and len(found.names) > NAMED  # lines between so many nodes would say less than the matrix

    def card(self, label: int) -> dict[str, Any] | None:
        """What the card of a cluster says of its matrix."""
        if label not in self.labels:
            return None
        return {
            "mean": self._picture(self.found.means[label], self._means, "Mean matrix", label),
            "apart": self._picture(self._differences[label], self._apart, "Difference from the mean of all networks", label),
            "scale": [number(float(f"{end:.2g}")) for end in self._means[:2]],
            "apart_scale": [number(float(f"{end:.2g}")) for end in self._apart[:2]],
            "signed": self._means[0] < 0,
            "edges": [
                {"names": f"{plain_text(a, LETTERS)} – {plain_text(b, LETTERS)}", "here": number(float(f"{here:.3g}")),
                 "all": number(float(f"{there:.3g}")), "more": here > there}
                for a, b, here, there in self.found.largest_differences(label, NAMED_EDGES)
            ],
        }  # fmt: skip

    def symbols(self, means: Markup) -> Markup:
        """The pictures that the page refers to; where lines would be a tangle, matrices of differences."""
        if not self.leads:
            return means
        found = str(means)
        for label in self.labels:
            found = found.replace(f'id="m{label}"', f'id="mean{label}"')
            image = heat_map(self._differences[label], *self._apart)
            inner = f'<image href="{image}" x="10" y="10" width="280" height="280" class="pixels" preserveAspectRatio="none"/>'
            found += f'<symbol id="m{label}" viewBox="0 0 300 300">{inner}</symbol>'
        return Markup(found)

    def _picture(self, values: Any, scale: Any, what: str, label: int) -> Markup:
        """The matrix with the names of its rows."""
        count = len(self.names)
        step = SIDE / count
        names = {i: plain_text(self.found.names[i], AXIS) for i in shown_ticks(count, 24)}
        free = round(LETTER * max(map(len, names.values()))) + GAP
        written = [
            f'<text x="{free - 4}" y="{(i + 0.5) * step:.1f}" text-anchor="end" dominant-baseline="central">{escape(name)}</text>'
            for i, name in names.items()
        ]
        said = f"{what} of cluster {label}, {count} by {count}, rows and columns in the order of the nodes"
        image = heat_map(np.asarray(values), *scale)
        return Markup(
            f'<svg class="matrix" viewBox="0 -6 {free + SIDE} {SIDE + 12}" role="img" aria-label="{said}" data-rows="{count}">'
            f'{"".join(written)}<image href="{image}" x="{free}" y="0" width="{SIDE}" height="{SIDE}" '
            'class="pixels" preserveAspectRatio="none"/></svg>'
        )


def connection_contrasts(mean: MeanGraph, other: MeanGraph) -> list[Contrast]:
    """The connections in which two clusters of networks on named nodes differ most; `Contrast` of other graphs is by numbers."""
    found = MeanMatrices.of_means([mean, other], [1.0, 1.0])
    if found is None:
        return []
    lines = []
    for a, b, here, both in found.largest_differences(0, NAMED_EDGES):
        there = 2 * both - here
        what = f"{plain_text(a, LETTERS)} – {plain_text(b, LETTERS)}"
        lines.append(Contrast(what, number(float(f"{here:.3g}")), number(float(f"{there:.3g}")), abs(here - there)))
    return lines


def network_cards(summary: ClusteringSummary, graphs: Sequence[Graph]) -> NetworkCards | None:
    """The cards of networks on named nodes, in the order of the first one; None if the clusters hold other graphs."""
    order = graphs[0].node_ids if len(graphs) else None
    found = MeanMatrices.of_means([c.mean for c in summary.clusters], [c.size for c in summary.clusters], order=order)
    if found is None or not 3 < len(found.names) <= LARGEST:
        return None
    return NetworkCards(summary, found)
