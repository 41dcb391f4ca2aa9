"""The data that the script of the page works with, as JSON that cannot end its script element."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import numpy as np

from graphmeans.plots.positions import own_positions
from graphmeans.report.dots import graph_attributes, undrawn
from graphmeans.report.evidence import Evidence
from graphmeans.report.pictures import (
    MOST_VALUES,
    ClusterPictures,
    column_names,
    edge_column_names,
    edge_table,
    node_table,
)
from graphmeans.report.report_graphs import ReportGraphs, is_on_disk
from graphmeans.report.shares import MemberShares, largest_shares
from graphmeans.report.summary import ClusteringSummary
from graphmeans.report.words import natural_key, significant

#: If all names together have at most this many letters, the page can find every graph, and not only those it shows.
MOST_LETTERS = 3_000_000
#: Edges of a mean that are listed; those of a large dense network are told by its matrix.
MOST_EDGES = 6000
#: What the page knows of a graph at once; all else about it is read when it is drawn.
LIGHT = frozenset({"i", "c", "r", "x", "y", "name", "k", "c2", "r2", "u", "pm"})


def page_data(
    pictures: ClusterPictures, graphs: ReportGraphs, summary: ClusteringSummary, evidence: Evidence, places: Any,
    shape: Callable[[int], Any] | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Everything that is searched, drawn and opened on the page. `places` are those of the graphs on the map.

    First those of the sampled graphs, then of the others, where they have places. `shape` knows how molecules are laid out.
    """
    labels, distances, classes = summary.labels, summary.distances, summary.classes
    members = zip(evidence.sample, evidence.mappings, strict=True)
    drawings = [
        pictures.member(graphs[i], int(labels[i]), mapping, None if shape is None else shape(int(i))) for i, mapping in members
    ]
    shared = all(own_positions(c.mean) is not None for c in summary.clusters)
    shown = _shown_in_frame(summary, evidence)
    for n, picture in enumerate(drawings):
        if shared and shown[n]:
            pictures.widen(int(labels[evidence.sample[n]]), picture)
    pictures.choose_windows()
    kinds = sorted(set(classes), key=natural_key) if classes is not None else []
    place_of = {kind: n for n, kind in enumerate(kinds)}
    columns = column_names(graphs[int(evidence.sample[0])]) if len(evidence.sample) else []
    values = sum(graphs[i].n_nodes for i in evidence.sample) * len(columns)
    listed = 0 < values <= MOST_VALUES
    edge_columns = edge_column_names(graphs[int(evidence.sample[0])]) if len(evidence.sample) and listed else []
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
            if not evidence.second_matched[n]:
                row["u"] = 1  # it is at most that far away
        if summary.proven_margins is not None:
            least = float(summary.proven_margins[i])
            row["pm"] = -1 if np.isnan(least) else np.floor(least * 1e4) / 1e4
        row.update(pictures.member_data(graphs[i], drawings[n], label, evidence.mappings[n]))
        shares, total = largest_shares(evidence.shares[n])
        row.update(_shares(shares, total))
        if listed:
            row["a"] = node_table(graphs[i])
            row["ea"] = edge_table(graphs[i], shares.edges) if edge_columns else []
        rows.append(row)
    data: dict[str, Any] = {
        "graphs": rows,
        "total": len(graphs),
        "classes": kinds,
        "shared": int(shared),
        "columns": columns if listed else [], "edge_columns": edge_columns,
        "clusters": [
            {
                **pictures.mean_data(c.label), "size": c.size, "name": c.name, "a": node_table(c.mean),
                **_mean_edges(c.mean, edge_columns),
            }
            for c in summary.clusters
        ],
        "labels": list(pictures.labels),
    }
    for row, c in zip(data["clusters"], summary.clusters, strict=True):
        if c.majority in place_of:
            row.update(k=place_of[c.majority], mix=[place_of[name] for name, _ in c.mixture])
    for at, near in enumerate(evidence.ways.neighbours.tolist()):
        if near:
            mapping = evidence.ways.mappings[at, near[0]]
            data["clusters"][at].update(other=near[0], into=[int(j) for j in mapping])
    sampled = len(evidence.sample) < len(graphs)
    dots = evidence.sample
    if evidence.rest is not None:
        rest = np.setdiff1d(np.arange(len(graphs)), evidence.sample)
        codes = None if classes is None else [place_of[kind] for kind in classes]
        data["rest"] = undrawn(rest, places[len(evidence.sample) :], labels, distances, codes, summary.proven_margins)
        dots = np.concatenate([evidence.sample, rest])
    if not is_on_disk(graphs) or not sampled:
        data["attributes"] = graph_attributes([graphs[i] for i in dots])
    everyone = graphs.all_names(MOST_LETTERS) if sampled else None
    if everyone is None:
        data["unnamed"] = int(sampled)  # then the page must not claim that no graph has a certain name
    else:
        data["everyone"] = {"names": everyone, "labels": [int(label) for label in labels]}
    return data


def split_by_cluster(data: dict[str, Any]) -> tuple[dict[str, Any], list[list[dict[str, Any]]]]:
    """What a page reads at once; and for each cluster what it reads when members are drawn, in their order."""
    light = [{key: value for key, value in row.items() if key in LIGHT} for row in data["graphs"]]
    heavy: list[list[dict[str, Any]]] = [[] for _ in data["clusters"]]
    for row in data["graphs"]:
        heavy[row["c"]].append({key: value for key, value in row.items() if key not in LIGHT})
    return {**data, "graphs": light}, heavy


def _shares(shares: MemberShares, total: float) -> dict[str, Any]:
    """Parts of the squared distance in thousandths, of the nodes and edges, and of what is missing, where that is not little."""
    lists = [part.tolist() for part in (shares.nodes, shares.of_edges, shares.of_missing_nodes, shares.of_missing_edges)]
    scale = 1000.0 / total if total > 0 else 0.0
    nodes, edges, missing_nodes, missing_edges = ([round(scale * value) for value in part] for part in lists)
    ends = zip(shares.edges.tolist(), edges, strict=True)
    row: dict[str, Any] = {"dn": nodes, "de": [number for (i, j), share in ends for number in (i, j, share)]}
    if any(missing_nodes):
        pairs = zip(shares.missing_nodes.tolist(), missing_nodes, strict=True)
        row["mn"] = [number for j, share in pairs if share for number in (j, share)]
    if any(missing_edges):
        triples = zip(shares.missing_edges.tolist(), missing_edges, strict=True)
        row["me"] = [number for (i, j), share in triples if share for number in (i, j, share)]
    return row


def _mean_edges(mean: Any, columns: list[str]) -> dict[str, Any]:
    """The edges of a mean with their support, and their attributes where these are listed."""
    if mean.n_edges > MOST_EDGES:
        return {"e": [], "ef": [], **({"ea": []} if columns else {})}
    found: dict[str, Any] = {"e": mean.edges.ravel().tolist(), "ef": [round(100 * float(s)) for s in mean.edge_support]}
    if columns:
        found["ea"] = edge_table(mean, mean.edges)
    return found


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
