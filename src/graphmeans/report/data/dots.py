"""The dots of the map: those of graphs that are not drawn as short columns, and by what all of them may be coloured."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Sequence
from typing import Any

import numpy as np

from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.values import unknown_type
from graphmeans.plots.text import plain_text
from graphmeans.report.words import natural_key, significant

#: Attributes that the map can be coloured by: with many graphs each takes its room.
MOST_ATTRIBUTES, FEW_ATTRIBUTES, MANY_GRAPHS = 16, 5, 20_000
#: Words of nodes and edges are counted if there are no more of them than this; and so many different ones have a colour.
MOST_WORDS, MOST_KINDS = 300_000, 10


def packed(values: Any, kind: str) -> str:
    """Numbers as base64 of little-endian numbers of this kind (u1, u2, i2, u4 or f4)."""
    return b64encode(np.asarray(values).astype(f"<{kind}").tobytes()).decode()


def graph_attributes(graphs: Sequence[Graph], two_way: bool = False) -> list[dict[str, Any]]:
    """Numbers and words of whole graphs, by which dots are coloured: sizes, means of columns, most frequent words.

    What is the same in all graphs is left out. If arcs are `two_way`, two of them are an edge.
    """
    most = FEW_ATTRIBUTES if len(graphs) > MANY_GRAPHS else MOST_ATTRIBUTES
    sizes, edges = (np.array([getattr(graph, key) for graph in graphs], dtype=np.float64) for key in ("n_nodes", "n_edges"))
    if two_way:
        edges /= 2
    found = [
        _numbers(name, values)
        for name, values in (("number of nodes", sizes), ("number of edges", edges))
        if len(values) and np.ptp(values) > 0
    ]
    for what, columns in (("nodes", "nodes"), ("edges", "edge_attributes")):
        tables = [getattr(graph, columns) for graph in graphs]
        for key in sorted({key for table in tables[:1000] for key in table}, key=natural_key):
            parts = [None if (part := table.get(key)) is None or unknown_type(part) else part for table in tables]
            if any(part is not None and part.ndim > 1 and part.shape[1] > 3 for part in parts[:1000]):
                continue
            called = plain_text(key, 24) or "value"
            kinds = {part.dtype.kind for part in parts if part is not None and len(part)}
            if kinds <= {"f", "b"} and kinds:
                found += _means(called if key != BARE else "value", what, parts)
            elif kinds == {"O"}:
                found += _words(called, what, parts)
            if len(found) >= most:
                return found[:most]
    return found


def _means(called: str, what: str, parts: list[Any]) -> list[dict[str, Any]]:
    """The mean of a column in each graph, of what is not missing; a column of vectors has a mean for each component."""
    width = next((1 if part.ndim == 1 else part.shape[1] for part in parts if part is not None and len(part)), 0)
    filled = [n for n, part in enumerate(parts) if part is not None and len(part) and (part.ndim == 1 or part.shape[1] == width)]
    alike = all(parts[n].ndim == 1 for n in filled)
    columns = [np.asarray(parts[n]) if alike else np.asarray(parts[n]).reshape(len(parts[n]), width) for n in filled]
    values = np.concatenate(columns).astype(np.float64)
    values = values.reshape(len(values), width)
    if any(isinstance(parts[n], np.ma.MaskedArray) for n in filled):
        hidden = np.concatenate([np.ma.getmaskarray(parts[n]).reshape(len(parts[n]), width) for n in filled])
        values = np.where(hidden, np.nan, values)
    first = np.concatenate([[0], np.cumsum([len(parts[n]) for n in filled])[:-1]])
    known = np.isfinite(values)
    with np.errstate(invalid="ignore", divide="ignore"):
        found = np.add.reduceat(np.where(known, values, 0.0), first) / np.add.reduceat(known.astype(np.float64), first)
    made = []
    for d in range(width):
        means = np.full(len(parts), np.nan)
        means[filled] = found[:, d]
        if np.isfinite(means).any() and np.nanmax(means) > np.nanmin(means):
            made.append(_numbers(f"mean {called}{f' {d + 1}' if width > 1 else ''} of {what}", means))
    return made


def _words(called: str, what: str, parts: list[Any]) -> list[dict[str, Any]]:
    if sum(len(part) for part in parts if part is not None) > MOST_WORDS:
        return []
    usual = []
    for part in parts:
        known = [] if part is None else [str(value) for value in part.tolist() if value is not None]  # None is missing
        values, counts = np.unique(known, return_counts=True)
        usual.append(plain_text(str(values[counts.argmax()]), 24) if len(values) else "")
    kinds, counts = np.unique(usual, return_counts=True)
    if len(kinds) < 2:
        return []
    named = [str(k) for k in kinds[np.argsort(-counts, kind="stable")][:MOST_KINDS] if str(k)]
    place = {kind: n for n, kind in enumerate(named)}
    codes = [place.get(word, 255) for word in usual]
    return [{"name": f"most frequent {called} of {what}", "kinds": named, "v": packed(codes, "u1")}]


def _numbers(name: str, values: FloatArray) -> dict[str, Any]:
    """Numbers in 255 steps; 255 itself stands for none."""
    known = np.isfinite(values)
    low, high = (float(values[known].min()), float(values[known].max())) if known.any() else (0.0, 0.0)
    steps = np.full(len(values), 255)
    steps[known] = np.round((values[known] - low) / max(high - low, 1e-300) * 254)
    return {"name": name, "low": significant(low, 4), "high": significant(high, 4), "v": packed(steps, "u1")}


def undrawn(
    rows: IntArray, places: IntArray, labels: IntArray, distances: FloatArray, classes: list[int] | None,
    margins: FloatArray | None,
) -> dict[str, Any]:  # fmt: skip
    """The columns of the graphs at these positions, which are dots and nothing else."""
    most = float(distances[rows].max(initial=0.0))
    data = {
        "i": packed(rows, "u4"), "x": packed(np.clip(places[:, 0], -32768, 32767), "i2"),
        "y": packed(np.clip(places[:, 1], -32768, 32767), "i2"), "c": packed(labels[rows], "u2"),
        "most": most, "r": packed(np.round(distances[rows] / max(most, 1e-300) * 65535), "u2"),
    }  # fmt: skip
    if classes is not None:
        data["k"] = packed(np.asarray(classes)[rows], "u2")
    if margins is not None:
        data["pm"] = packed(np.where(np.isnan(margins[rows]), -1, np.floor(np.nan_to_num(margins[rows]) * 1e4)), "i2")
    return data
