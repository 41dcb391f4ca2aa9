"""The data that the script of the page works with, as JSON that cannot end its script element."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from graphmeans.graphs.batch import IntArray, offsets
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.positions import own_positions
from graphmeans.report.data.dots import graph_attributes, undrawn
from graphmeans.report.data.rounding import rounded_to
from graphmeans.report.data.tables import MOST_VALUES, Table, column_names, edge_column_names, edge_tables, node_tables
from graphmeans.report.facts.evidence import Evidence
from graphmeans.report.facts.report_graphs import ReportGraphs, is_on_disk
from graphmeans.report.facts.shares import DistanceShares, Parts
from graphmeans.report.facts.summary import ClusteringSummary
from graphmeans.report.pictures.cluster_pictures import ClusterPictures
from graphmeans.report.pictures.flat_drawings import FlatDrawings
from graphmeans.report.sentences.shapes import join_graphs
from graphmeans.report.words import natural_key

#: If all names together have at most this many letters, the page can find every graph, and not only those it shows.
MOST_LETTERS = 3_000_000
#: Edges of a mean that are listed; those of a large dense network are told by its matrix.
MOST_EDGES = 6000
#: So many graphs tell whether arcs always have their opposite.
LOOKED = 1000
#: Edges of a member whose shares of the distance are listed at most.
LISTED = 400


def page_data(
    pictures: ClusterPictures, graphs: ReportGraphs, summary: ClusteringSummary, evidence: Evidence, places: Any,
    means: Sequence[MeanGraph], shape: Callable[[int], Any] | None = None, matrices: bool = False,
) -> dict[str, Any]:  # fmt: skip
    """Everything that is searched, drawn and opened on the page. `places` are those of the graphs on the map.

    What is known of the sampled graphs at once is under "graphs", what is read when they are drawn under "members". `means`
    are those of the clusters without what was filled in, for tables. `places` are
    first those of the sampled graphs, then of the others, where they have places. `shape` knows how molecules are laid out.
    Networks that the page shows as `matrices` are not drawn, and their tables are made elsewhere.
    """
    labels, distances, classes = summary.labels, summary.distances, summary.classes
    sample = evidence.sample.tolist()
    shown = [graphs[i] for i in sample]
    kinds = sorted(set(classes), key=natural_key) if classes is not None else []
    place_of = {kind: n for n, kind in enumerate(kinds)}
    data: dict[str, Any] = {
        "graphs": _known_at_once(graphs, summary, evidence, places, place_of),
        "total": len(graphs),
        "classes": kinds,
    }  # fmt: skip
    if matrices:
        data.update(members=[{"p": []} for _ in shown], shared=0, columns=[], edge_columns=[], labels=[])
        data["clusters"] = [{"p": [], "n": [], "f": [], "size": c.size, "name": c.name} for c in summary.clusters]
    else:
        data.update(_drawn(pictures, shown, summary, evidence, means, shape))
    for row, c in zip(data["clusters"], summary.clusters, strict=True):
        if c.majority in place_of:
            row.update(named=[place_of[name] for name in c.named_after], mix=[place_of[name] for name, _ in c.mixture])
    sampled = len(evidence.sample) < len(graphs)
    dots = shown
    if evidence.rest is not None:
        rest = np.setdiff1d(np.arange(len(graphs)), evidence.sample)
        codes = None if classes is None else [place_of[kind] for kind in classes]
        data["rest"] = undrawn(rest, places[len(evidence.sample) :], labels, distances, codes, summary.proven_margins)
        dots = shown + [graphs[i] for i in rest.tolist()]
    if not is_on_disk(graphs) or not sampled:
        two_way = bool(dots) and dots[0].directed and join_graphs(dots[:LOOKED]).two_way
        data["attributes"] = graph_attributes(dots, two_way)
    everyone = graphs.all_names(MOST_LETTERS) if sampled else None
    if everyone is None:
        data["unnamed"] = int(sampled)  # then the page must not claim that no graph has a certain name
    else:
        data["everyone"] = {"names": everyone, "labels": [int(label) for label in labels]}
    return data


def _drawn(
    pictures: ClusterPictures, shown: Sequence[Graph], summary: ClusteringSummary, evidence: Evidence,
    means: Sequence[MeanGraph], shape: Callable[[int], Any] | None,
) -> dict[str, Any]:  # fmt: skip
    """The pictures of the sampled graphs and of the means, with tables of their attributes and of their shares of distances."""
    sample, of = evidence.sample.tolist(), summary.labels[evidence.sample]
    drawn = FlatDrawings([
        pictures.member(graph, label, mapping, None if shape is None else shape(i))
        for i, graph, label, mapping in zip(sample, shown, of.tolist(), evidence.mappings, strict=True)
    ])  # fmt: skip
    shared = all(own_positions(c.mean) is not None for c in summary.clusters)
    if shared:
        for label, deciding in _deciding(summary, evidence).items():
            pictures.widen(label, drawn, deciding)
    pictures.choose_windows()
    columns = column_names(shown[0]) if shown else []
    listed = 0 < sum(graph.n_nodes for graph in shown) * len(columns) <= MOST_VALUES
    edge_columns = edge_column_names(shown[0]) if listed else []
    edges = evidence.shares.edges.largest(LISTED)
    members = pictures.member_data(shown, drawn, of, evidence.mappings)
    _add_shares(members, evidence.shares, edges)
    if listed:
        attributes = edge_tables(shown, edges.places, edges.ptr) if edge_columns else [()] * len(shown)
        for row, of_nodes, of_edges in zip(members, node_tables(shown), attributes, strict=True):
            row["a"], row["ea"] = of_nodes, of_edges
    data: dict[str, Any] = {
        "members": members,
        "shared": int(shared), "sequences": int(pictures.sequences),
        "columns": columns if listed else [], "edge_columns": edge_columns,
        "clusters": [
            {**picture, "size": c.size, "name": c.name, "a": table, **of_edges}
            for c, picture, table, of_edges in zip(
                summary.clusters, pictures.mean_data(), node_tables(means), _mean_edges(means, edge_columns), strict=True
            )
        ],
        "labels": list(pictures.labels),
    }  # fmt: skip
    for at, near in enumerate(evidence.ways.neighbours.tolist()):
        if near:
            mapping = evidence.ways.mappings[at, near[0]]
            data["clusters"][at].update(other=near[0], into=[int(j) for j in mapping])
    return data


def split_by_cluster(data: dict[str, Any]) -> tuple[dict[str, Any], list[list[dict[str, Any]]]]:
    """What a page reads at once; and for each cluster what it reads when members are drawn, in their order."""
    late: list[list[dict[str, Any]]] = [[] for _ in data["clusters"]]
    for row, member in zip(data["graphs"], data["members"], strict=True):
        late[row["c"]].append(member)
    return {key: value for key, value in data.items() if key != "members"}, late


def _known_at_once(
    graphs: ReportGraphs, summary: ClusteringSummary, evidence: Evidence, places: Any, place_of: dict[str, int]
) -> list[dict[str, Any]]:
    """What the page knows of each graph of the sample at once: its name, where it is, and which clusters it is near to."""
    sample = evidence.sample
    rows: list[dict[str, Any]] = [
        {"i": i, "c": label, "r": distance, "x": x, "y": y, "name": name}
        for i, label, distance, (x, y), name in zip(
            sample.tolist(), summary.labels[sample].tolist(), rounded_to(summary.distances[sample], 4).tolist(),
            places[: len(sample)].tolist(), graphs.names(sample), strict=True,
        )
    ]  # fmt: skip
    if summary.classes is not None:
        for row in rows:
            row["k"] = place_of[summary.classes[row["i"]]]
    second, matched = evidence.second.tolist(), evidence.second_matched.tolist()
    for row, other, distance, known in zip(rows, second, rounded_to(evidence.second_distance, 4).tolist(), matched, strict=True):
        if other >= 0:
            row["c2"], row["r2"] = other, distance
            if not known:
                row["u"] = 1  # it is at most that far away
    for n in np.flatnonzero(evidence.doubtful).tolist():
        rows[n]["b"] = 1
    if summary.proven_margins is not None:
        least = summary.proven_margins[sample]
        for row, margin in zip(rows, (np.floor(least * 1e4) / 1e4).tolist(), strict=True):
            row["pm"] = -1 if np.isnan(margin) else margin
    return rows


def _add_shares(members: list[dict[str, Any]], shares: DistanceShares, edges: Parts) -> None:
    """Add the parts of squared distances in thousandths: of nodes, of these edges, and of what is missing if it is not little."""
    totals = shares.totals
    scale = np.divide(1000.0, totals, out=np.zeros_like(totals), where=totals > 0)

    def thousandths(part: Parts) -> IntArray:
        return np.round(part.shares * scale[part.of]).astype(np.int64)

    nodes = tuple(thousandths(shares.nodes).tolist())
    ends = tuple(np.column_stack([edges.places, thousandths(edges)]).ravel().tolist())
    cuts = zip(pairwise(shares.nodes.ptr.tolist()), pairwise((3 * edges.ptr).tolist()), strict=True)
    for row, ((a, b), (c, d)) in zip(members, cuts, strict=True):
        row["dn"], row["de"] = nodes[a:b], ends[c:d]
    for key, part in (("mn", shares.missing_nodes), ("me", shares.missing_edges.largest(LISTED))):
        share = thousandths(part)
        told = np.column_stack([part.places, share])[share != 0]
        ptr = told.shape[1] * offsets(np.bincount(part.of[share != 0], minlength=len(members)))
        numbers = tuple(told.ravel().tolist())
        for row, (a, b) in zip(members, pairwise(ptr.tolist()), strict=True):
            if a < b:
                row[key] = numbers[a:b]


def _mean_edges(means: Sequence[MeanGraph], columns: list[str]) -> list[dict[str, Any]]:
    """The edges of each mean with their support, and their attributes where these are listed; none of one with too many."""
    listed = [mean for mean in means if mean.n_edges <= MOST_EDGES]
    tables: Iterator[Table] = iter(())
    if columns and listed:
        ends, ptr = np.concatenate([mean.edges for mean in listed]), offsets(np.array([mean.n_edges for mean in listed]))
        tables = iter(edge_tables(listed, ends, ptr))
    found: list[dict[str, Any]] = []
    for mean in means:
        told = mean.n_edges <= MOST_EDGES
        row: dict[str, Any] = {
            "e": mean.edges.ravel().tolist() if told else [],
            "ef": [round(100 * share) for share in mean.edge_support.tolist()] if told else [],
        }
        if columns:
            row["ea"] = next(tables) if told else []
        found.append(row)
    return found


def script_json(data: Any) -> str:
    """JSON for a script element: no `<`, `>` or `&`, so that no name can end it."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False)
    for sign in "<>&\u2028\u2029":
        text = text.replace(sign, f"\\u{ord(sign):04x}")
    return text


def _deciding(summary: ClusteringSummary, evidence: Evidence) -> dict[int, IntArray]:
    """The members that decide the frame of each cluster: all but the most distant tenth, which may run out of it."""
    own, of = summary.distances[evidence.sample], summary.labels[evidence.sample]
    members = {int(label): np.flatnonzero(of == label) for label in np.unique(of)}
    return {label: rows[own[rows] <= np.quantile(own[rows], 0.9)] for label, rows in members.items()}
