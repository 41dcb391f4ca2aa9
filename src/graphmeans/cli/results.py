"""The files that a clustering is written to, and the lines that the command prints about it."""

from __future__ import annotations

import csv
import logging
import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.table import Table

from graphmeans.cli.label_files import label_file, write_label_file
from graphmeans.cli.molecule_files import files_of_molecules, write_back
from graphmeans.cli.output import plain_table, safe_markup, say
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.io.collection import write_graph
from graphmeans.io.formats.molecule_table import MoleculeTable
from graphmeans.io.parquet.collection import Collection
from graphmeans.plots.positions import y_down as drawn_downwards
from graphmeans.plots.svg import draw_svg
from graphmeans.report.report import write_report
from graphmeans.report.summary import ClusteringSummary, summarize_clustering
from graphmeans.report.words import counted, duration, number, percent

logger = logging.getLogger("graphmeans")

#: The page in a folder of results.
REPORT = "report.html"
#: What else is in it, by the names that scripts know.
_FILES = {"trace": "trace.csv", "centroids": "centroids", "model": "model.gmz", "report": REPORT}
_MOST_ROWS = 40


def write_results(
    directory: Path, *, estimator: Any, graphs: Sequence[Graph] | Collection, classes: Sequence[object] | None,
    title: str, arguments: Sequence[str] | None, seconds: float, y_down: bool = False, table: MoleculeTable | None = None,
) -> ClusteringSummary:  # fmt: skip
    """Write labels, trace.csv, centroids/, model.gmz and report.html; return the summary that they show."""
    directory.mkdir(parents=True, exist_ok=True)
    logger.info("writing the labels")
    write_label_file(directory, estimator, graphs, classes)  # before the summary, which fetches labels from workers
    write_back(directory, estimator, table)
    summary = summarize_clustering(estimator, classes)
    _write_trace(directory / "trace.csv", estimator.trace_)
    with drawn_downwards(y_down):
        _write_centroids(directory / "centroids", [cluster.mean for cluster in summary.clusters])
    estimator.save(directory / "model.gmz")
    logger.info("making the report")
    write_report(
        directory / REPORT, estimator=estimator, graphs=graphs, classes=classes, title=title, seconds=seconds,
        command=None if arguments is None else shlex.join(["graphmeans", *arguments]), y_down=y_down, summary=summary,
    )  # fmt: skip
    return summary


def show_results(summary: ClusteringSummary, directory: Path, seconds: float, *, quiet: bool) -> None:
    """Print the results; if `quiet`, only the path of the report."""
    if quiet:
        say(safe_markup(directory / REPORT))
        return
    say(_table(summary))
    graphs, clusters = counted(summary.n_graphs, "graph"), counted(len(summary.clusters), "cluster")
    say(
        f"[bold]{graphs}[/bold] in [bold]{clusters}[/bold], "
        f"objective {number(summary.inertia)}, {counted(summary.n_iter, 'iteration')}, {duration(seconds)}"
    )
    compared = f" ({summary.saving:.1f} times as many)" if summary.saves else ""
    needed = f"a standard k-means would have needed {number(summary.standard)}{compared}"
    say(f"{counted(summary.matchings, 'matching')}; {needed}")
    if summary.accuracy is not None:
        say(f"[bold]{percent(summary.accuracy)}[/bold] of the graphs are of the class most frequent in their cluster")
    if summary.hint is not None:
        say(f"[yellow]hint[/yellow] {safe_markup(summary.hint)}")
    labels = label_file(directory)
    back = "".join(f"{path.name}, " for path in files_of_molecules(directory))
    files = f"{labels.name}{'/' * labels.is_dir()}, {back}trace.csv, centroids/, model.gmz"
    say(f"\n{safe_markup(directory)}: {files}")
    say(f"[bold green]report[/bold green] {safe_markup(directory / REPORT)}")


def as_dict(estimator: Any, summary: ClusteringSummary, directory: Path, seconds: float) -> dict[str, Any]:
    """The results, for scripts."""
    others = {name: str(directory / file) for name, file in _FILES.items()}
    back = {path.stem: str(path) for path in files_of_molecules(directory)}
    return {
        "graphs": summary.n_graphs,
        "inertia": summary.inertia,
        "iterations": summary.n_iter,
        "matchings": int(estimator.n_matchings_),
        "seeding_matchings": int(estimator.n_seeding_matchings_),
        "certified_fraction": float(estimator.certified_fraction_),
        "accuracy": summary.accuracy,
        "hint": summary.hint,
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
        "files": {"labels": str(label_file(directory)), **others, **back},
    }


def _write_trace(path: Path, trace: Any) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file)
        table.writerow(trace.dtype.names)
        table.writerows(row.tolist() for row in trace)


def _write_centroids(directory: Path, means: Sequence[MeanGraph]) -> None:
    directory.mkdir(exist_ok=True)
    for old in directory.iterdir():  # they may be from an earlier run with more clusters
        if re.fullmatch(r"cluster_\d+\.(svg|graphml)", old.name):
            old.unlink()
    digits = max(2, len(str(len(means) - 1)))
    for label, mean in enumerate(means):
        stem = directory / f"cluster_{label:0{digits}d}"
        write_graph(mean, stem.with_suffix(".graphml"))
        picture = draw_svg(mean, size=400, color="#17508f", title=f"Mean graph of cluster {label}")
        stem.with_suffix(".svg").write_text(picture, encoding="utf-8")


def _table(summary: ClusteringSummary) -> Table:
    classes = summary.accuracy is not None
    table = plain_table(right=("cluster", "graphs"))
    for name in ("mean graph", "distance", "class", "share")[: 4 if classes else 2]:
        table.add_column(name, justify="right" if name in ("distance", "share") else "left")
    for cluster in summary.in_reading_order()[:_MOST_ROWS]:
        core = cluster.mean.cut(0.5)
        known = [safe_markup(cluster.majority or "", 40), percent(cluster.purity) if cluster.purity else ""]
        typical = number(float(cluster.distances.mean())) if cluster.size else ""
        shape = f"{counted(core.n_nodes, 'node')}, {counted(core.n_edges, 'edge')}"
        table.add_row(str(cluster.label), number(cluster.size), shape, typical, *(known if classes else ()))
    if len(summary.clusters) > _MOST_ROWS:
        table.add_row("…", "", f"and {len(summary.clusters) - _MOST_ROWS} more in the report")
    return table
