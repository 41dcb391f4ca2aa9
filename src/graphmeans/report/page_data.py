"""The data that the script of the page works with, as JSON that cannot end its script element."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from graphmeans.plots.positions import own_positions
from graphmeans.report.evidence import Evidence
from graphmeans.report.pictures import MOST_VALUES, ClusterPictures, column_names, node_table
from graphmeans.report.report_graphs import ReportGraphs
from graphmeans.report.summary import ClusteringSummary
from graphmeans.report.words import significant

#: If all names together have at most this many letters, the page can find every graph, and not only those it shows.
MOST_LETTERS = 3_000_000


def page_data(
    pictures: ClusterPictures, graphs: ReportGraphs, summary: ClusteringSummary, evidence: Evidence, places: Any
) -> dict[str, Any]:
    """Everything that is searched, drawn and opened on the page. `places` are those of the sampled graphs on the map."""
    labels, distances, classes = summary.labels, summary.distances, summary.classes
    members = zip(evidence.sample, evidence.mappings, strict=True)
    drawings = [pictures.member(graphs[i], int(labels[i]), mapping) for i, mapping in members]
    shared = all(own_positions(c.mean) is not None for c in summary.clusters)
    shown = _shown_in_frame(summary, evidence)
    for n, picture in enumerate(drawings):
        if shared and shown[n]:
            pictures.widen(int(labels[evidence.sample[n]]), picture)
    pictures.choose_windows()
    kinds = sorted(set(classes)) if classes is not None else []
    place_of = {kind: n for n, kind in enumerate(kinds)}
    columns = column_names(graphs[int(evidence.sample[0])]) if len(evidence.sample) else []
    values = sum(graphs[i].n_nodes for i in evidence.sample) * len(columns)
    names = graphs.names(evidence.sample)
    rows = []
    for n, i in enumerate(evidence.sample):
        label = int(labels[i])
        row: dict[str, Any] = {
            "i": int(i), "c": label, "r": significant(distances[i], 4), "x": int(places[n, 0]), "y": int(places[n, 1]),
            "name": names[n],
        }  # fmt: skip
        if classes is not None:
            row["k"] = place_of[classes[i]]
        if evidence.second[n] >= 0:
            row["c2"], row["r2"] = int(evidence.second[n]), significant(evidence.second_distance[n], 4)
        if summary.proven_margins is not None:
            least = float(summary.proven_margins[i])
            row["pm"] = -1 if np.isnan(least) else np.floor(least * 1e4) / 1e4
        row.update(pictures.member_data(graphs[i], drawings[n], label, evidence.mappings[n]))
        if 0 < values <= MOST_VALUES:
            row["a"] = node_table(graphs[i])
        rows.append(row)
    data: dict[str, Any] = {
        "graphs": rows,
        "classes": kinds,
        "shared": int(shared),
        "columns": columns if 0 < values <= MOST_VALUES else [],
        "clusters": [
            {**pictures.mean_data(c.label), "size": c.size, "name": c.name, "a": node_table(c.mean)}
            for c in summary.clusters
        ],
        "labels": list(pictures.labels),
    }
    for row, c in zip(data["clusters"], summary.clusters, strict=True):
        if c.majority in place_of:
            row.update(k=place_of[c.majority], mix=[place_of[name] for name, _ in c.mixture])
    for (at, other), mapping in evidence.neighbour_mappings.items():
        data["clusters"][at].update(other=other, into=[int(j) for j in mapping])
    sampled = len(evidence.sample) < len(graphs)
    everyone = graphs.all_names(MOST_LETTERS) if sampled else None
    if everyone is None:
        data["unnamed"] = int(sampled)  # then the page must not claim that no graph has a certain name
    else:
        data["everyone"] = {"names": everyone, "labels": [int(label) for label in labels]}
    return data


def script_json(data: Any) -> str:
    """JSON for a script element: no `<`, `>` or `&`, so that no name can end it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _shown_in_frame(summary: ClusteringSummary, evidence: Evidence) -> list[bool]:
    """Which members decide the frame of their cluster: all but the most distant tenth, which may run out of it."""
    own, of = summary.distances[evidence.sample], summary.labels[evidence.sample]
    limit = {label: np.quantile(own[of == label], 0.9) for label in np.unique(of)}
    return [bool(d <= limit[label]) for d, label in zip(own, of, strict=True)]
