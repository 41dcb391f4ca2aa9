"""The files that a clustering leaves behind, and the lines that sum it up."""

from __future__ import annotations

import csv
import logging
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from graphmeans.cli.labels import labels_of, write_labels
from graphmeans.graphs.graph import Graph
from graphmeans.io.graph_files import write_graph
from graphmeans.io.parquet.collection import Collection
from graphmeans.plots.positions import y_down as drawn_downwards
from graphmeans.plots.svg import draw_svg
from graphmeans.plots.text import plain_text
from graphmeans.report.report import write_report
from graphmeans.report.summary import Summary, summarise
from graphmeans.report.words import counted, duration, number, percent

logger = logging.getLogger("graphmeans")

_MOST_ROWS = 40


def write_results(
    directory: Path,
    *,
    estimator: Any,
    graphs: Sequence[Graph] | Collection,
    classes: Sequence[object] | None,
    title: str,
    arguments: Sequence[str] | None,
    seconds: float,
    y_down: bool = False,
) -> Path:
    """Write labels, trace.csv, centroids/, model.gmz and report.html; the path of the report."""
    directory.mkdir(parents=True, exist_ok=True)
    logger.info("writing the labels")
    write_labels(directory, estimator, graphs, classes)
    _write_trace(directory / "trace.csv", estimator.trace_)
    with drawn_downwards(y_down):
        _write_centroids(directory / "centroids", estimator)
    estimator.save(directory / "model.gmz")
    logger.info("making the report")
    return write_report(
        directory / "report.html",
        estimator=estimator,
        graphs=graphs,
        classes=classes,
        title=title,
        command=None if arguments is None else shlex.join(["graphmeans", *arguments]),
        seconds=seconds,
        y_down=y_down,
    )


def show_results(
    estimator: Any, classes: Sequence[object] | None, report: Path, seconds: float, *, quiet: bool
) -> None:
    """Print what came out; only where the report lies if `quiet`."""
    console = Console(highlight=False)
    if quiet:
        console.print(plain_text(report), markup=False, soft_wrap=True)
        return
    summary = summarise(estimator, classes)
    console.print(_table(summary))
    graphs, clusters = counted(summary.n_graphs, "graph"), counted(len(summary.clusters), "cluster")
    console.print(
        f"[bold]{graphs}[/bold] in [bold]{clusters}[/bold], "
        f"objective {number(summary.inertia)}, {counted(summary.n_iter, 'iteration')}, {duration(seconds)}",
        soft_wrap=True,
    )
    compared = f" ({summary.saving:.1f} times as many)" if summary.saves else ""
    console.print(
        f"{counted(summary.matchings, 'matching')}; "
        f"a standard k-means would have needed {number(summary.standard)}{compared}",
        soft_wrap=True,
    )
    if summary.accuracy is not None:
        right = f"[bold]{percent(summary.accuracy)}[/bold]"
        console.print(f"{right} of the graphs are of the class most frequent in their cluster", soft_wrap=True)
    labels = labels_of(report.parent)
    files = f"{labels.name}{'/' * labels.is_dir()}, trace.csv, centroids/, model.gmz"
    console.print(f"\n{escape(plain_text(report.parent))}: {files}", soft_wrap=True)
    console.print(f"[bold green]report[/bold green] {escape(plain_text(report))}", soft_wrap=True)


def as_dict(estimator: Any, classes: Sequence[object] | None, report: Path, seconds: float) -> dict[str, Any]:
    """What came out, for scripts."""
    summary = summarise(estimator, classes)
    return {
        "graphs": summary.n_graphs,
        "inertia": summary.inertia,
        "iterations": summary.n_iter,
        "matchings": int(estimator.n_matchings_),
        "seeding_matchings": int(estimator.n_seeding_matchings_),
        "certified_fraction": float(estimator.certified_fraction_),
        "accuracy": summary.accuracy,
        "seconds": seconds,
        "clusters": [
            {
                "label": cluster.label,
                "size": cluster.size,
                "mean_distance": float(cluster.distances.mean()) if cluster.size else None,
                "majority": cluster.majority,
                "purity": cluster.purity,
            }
            for cluster in summary.clusters
        ],
        "files": {
            "labels": str(labels_of(report.parent)),
            "trace": str(report.parent / "trace.csv"),
            "centroids": str(report.parent / "centroids"),
            "model": str(report.parent / "model.gmz"),
            "report": str(report),
        },
    }


def _write_trace(path: Path, trace: Any) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(trace.dtype.names)
        table.writerows(row.tolist() for row in trace)


def _write_centroids(directory: Path, estimator: Any) -> None:
    directory.mkdir(exist_ok=True)
    for old in directory.iterdir():  # of an earlier run with more clusters
        if re.fullmatch(r"cluster_\d+\.(svg|graphml)", old.name):
            old.unlink()
    means = estimator.centroids()
    digits = max(2, len(str(len(means) - 1)))
    for label, mean in enumerate(means):
        stem = directory / f"cluster_{label:0{digits}d}"
        write_graph(mean, stem.with_suffix(".graphml"))
        picture = draw_svg(mean, size=400, color="#17508f", title=f"Mean graph of cluster {label}")
        stem.with_suffix(".svg").write_text(picture, encoding="utf-8")


def _table(summary: Summary) -> Table:
    table = Table(box=None, header_style="bold", pad_edge=False, padding=(0, 3, 0, 0))
    table.add_column("cluster", justify="right")
    table.add_column("graphs", justify="right")
    table.add_column("mean graph")
    table.add_column("distance", justify="right")
    if summary.accuracy is not None:
        table.add_column("class")
        table.add_column("share", justify="right")
    for cluster in summary.in_reading_order()[:_MOST_ROWS]:
        core = cluster.mean.cut(0.5)
        known = []
        if summary.accuracy is not None:
            known = [escape(plain_text(cluster.majority or "", 40)), percent(cluster.purity) if cluster.purity else ""]
        typical = number(float(cluster.distances.mean())) if cluster.size else ""
        shape = f"{counted(core.n_nodes, 'node')}, {counted(core.n_edges, 'edge')}"
        table.add_row(str(cluster.label), number(cluster.size), shape, typical, *known)
    if len(summary.clusters) > _MOST_ROWS:
        table.add_row("…", "", f"and {len(summary.clusters) - _MOST_ROWS} more in the report")
    return table
