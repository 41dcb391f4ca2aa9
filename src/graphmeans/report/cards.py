"""What the page says about each cluster: one card with its facts, its members, and what sets it apart."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from graphmeans.evaluation.fitted import members_by_distance
from graphmeans.graphs.graph import Graph
from graphmeans.report.contrasts import mean_contrasts, profile_contrasts, spreads
from graphmeans.report.evidence import Evidence
from graphmeans.report.pictures import ClusterPictures, node_numbers
from graphmeans.report.summary import ClusteringSummary, ClusterSummary
from graphmeans.report.words import counted, number, percent

#: How many members of each sort a card shows; half as many where there are many clusters.
TYPICAL, ODD, DOUBTFUL = 8, 6, 6


def cards(
    summary: ClusteringSummary, evidence: Evidence, graphs: Sequence[Graph], pictures: ClusterPictures
) -> list[dict[str, Any]]:
    """One card for each cluster, in reading order."""
    inside = _members_in_sample(summary, evidence)
    looked = {label: [graphs[evidence.sample[n]] for n in rows[:200]] for label, rows in inside.items()}
    spread = spreads([graphs[i] for i in evidence.sample[:: max(1, len(evidence.sample) // 600)]])
    tightness = {c.label: _spread(c) for c in summary.clusters}
    known = [value for value in tightness.values() if value is not None]
    usual = float(np.median(known)) if known else 0.0
    by_label = {c.label: c for c in summary.clusters}
    return [
        _card(c, by_label, evidence, inside, looked, spread, tightness[c.label], usual, pictures)
        for c in summary.in_reading_order()
    ]


def _card(
    cluster: ClusterSummary, by_label: Mapping[int, ClusterSummary], evidence: Evidence, inside: Mapping[int, list[int]],
    looked: Mapping[int, list[Graph]], spread: dict[str, float], tight: float | None, usual: float, pictures: ClusterPictures,
) -> dict[str, Any]:  # fmt: skip
    label = cluster.label
    few = len(by_label) > 60
    typical, odd, doubtful = _chosen(evidence, inside[label], few)
    core = cluster.mean.cut(0.5)
    near: list[dict[str, Any]] = [
        {"label": int(c), "name": by_label[int(c)].name, "distance": number(float(d))}
        for c, d in zip(evidence.neighbours[label], evidence.neighbour_distances[label], strict=True)
        if c >= 0
    ]
    apart: list[Any] = []
    if near and cluster.size and by_label[near[0]["label"]].size:
        other = near[0]["label"]
        names = [str(n) if n else "?" for n in node_numbers(pictures.pen(label).drawing)]
        apart = mean_contrasts(cluster.mean, by_label[other].mean, evidence.neighbour_mappings[label, other], names)
        apart = [line for line in apart if "?" not in line.what]
        apart += profile_contrasts(looked[label], looked[other], spread)
    return {
        "label": label,
        "name": cluster.name,
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


def _members_in_sample(summary: ClusteringSummary, evidence: Evidence) -> dict[int, list[int]]:
    """Rows of the sample by cluster, the nearest to the mean first."""
    labels = summary.labels[evidence.sample]
    return {c.label: members_by_distance(labels, evidence.own_distance, c.label).tolist() for c in summary.clusters}


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
    """The most frequent classes with their counts, and the rest together as "others"."""
    rows = list(cluster.mixture[:most])
    rest = sum(count for _, count in cluster.mixture[most:])
    if rest:
        rows.append(("others", rest))
    return [{"name": name, "count": count, "share": count / cluster.size} for name, count in rows]
