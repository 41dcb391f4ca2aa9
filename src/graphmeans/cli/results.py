"""The files that a clustering is written to, and the lines that the command prints about it."""

from __future__ import annotations

import csv
import logging
import re
import shlex
import warnings
from collections.abc import Sequence
from html import unescape
from pathlib import Path
from typing import Any

from rich.table import Table

from graphmeans.cli.how_read import FILE, HowRead
from graphmeans.cli.label_files import label_file, named_labels, safe_cell, write_label_file
from graphmeans.cli.molecule_files import files_of_molecules, write_back
from graphmeans.cli.output import plain_table, safe_markup, say
from graphmeans.graphs.graph import Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.io.collection import write_graph
from graphmeans.io.formats.molecule_table import MoleculeTable
from graphmeans.io.parquet.collection import Collection
from graphmeans.io.storage.model import load
from graphmeans.plots.positions import y_down as drawn_downwards
from graphmeans.plots.svg import draw_svg
from graphmeans.report.facts.summary import ClusteringSummary, summarize_clustering
from graphmeans.report.report import write_report
from graphmeans.report.words import counted, duration, number, percent

logger = logging.getLogger("graphmeans")

#: The page in a folder of results.
REPORT = "report.html"
#: What else is in it, by the names that scripts know.
_FILES = {"trace": "trace.csv", "centroids": "centroids", "model": "model.gmz", "reading": FILE, "report": REPORT}
_MOST_ROWS = 40


def write_results(
    directory: Path, *, estimator: Any, graphs: Sequence[Graph] | Collection, classes: Sequence[object] | None,
    title: str, arguments: Sequence[str] | None, seconds: float | None, y_down: bool = False, members: str | None = None,
    table: MoleculeTable | None = None, how_read: HowRead | None = None,
) -> ClusteringSummary:  # fmt: skip
    """Write labels, trace.csv, centroids/, model.gmz, reading.json and report.html; return the summary that they show.

    `seconds` is how long everything took; None if a part of it was done before, by a run that this one has continued.
    """
    directory.mkdir(parents=True, exist_ok=True)
    logger.info("writing the labels")
    write_label_file(directory, estimator, graphs, classes)  # before the summary, which fetches labels from workers
    write_back(directory, estimator, table)
    summary = summarize_clustering(estimator, classes)
    _write_trace(directory / "trace.csv", estimator.trace_)
    with drawn_downwards(y_down):
        _write_centroids(directory / "centroids", [cluster.mean for cluster in summary.clusters])
    estimator.save(directory / "model.gmz")
    (HowRead() if how_read is None else how_read).remember(directory)
    logger.info("making the report")
    try:
        write_report(
            directory / REPORT, estimator=estimator, graphs=graphs, classes=classes, title=title, seconds=seconds,
            command=None if arguments is None else shlex.join(["graphmeans", *arguments]), y_down=y_down, summary=summary,
            members=members_wanted(members),
        )  # fmt: skip
    except Exception:
        warnings.warn(
            f"{directory}: the page could not be made, but labels, model and all other files are there; "
            "`graphmeans report` makes it from them", stacklevel=2
        )  # fmt: skip
        raise
    return summary


def members_wanted(text: str | None) -> int | str | None:
    """What the option --members says, for `write_report`."""
    return text if text is None or text == "all" else int(text)


def rewrite_report(
    path: Path, model: Path, graphs: Sequence[Graph] | Collection, classes: Sequence[object] | None, *, title: str,
    members: str | None, y_down: bool,
) -> Path:  # fmt: skip
    """Make the page of a model and the graphs that it was fitted to; they are compared with the labels beside the model."""
    estimator = load(model)
    if not hasattr(estimator, "trace_") or not hasattr(estimator, "labels_"):
        raise ValueError(f"{model}: is not a model of k-means with the labels of its graphs")
    if len(estimator.labels_) != len(graphs):
        raise ValueError(f"{model}: was fitted to {len(estimator.labels_)} graphs, but there are {len(graphs)}")
    if (model.parent / "labels.csv").is_file() and not isinstance(graphs, Collection):
        for i, (name, label) in enumerate(named_labels(model.parent)):
            known = graphs[i].name
            own = str(i) if known is None else safe_cell(known)
            if name != own:
                raise ValueError(f"{model.parent / 'labels.csv'}: graph {i} is {name!r} there, and {own!r} in the input")
            if label != int(estimator.labels_[i]):
                raise ValueError(f"{model.parent / 'labels.csv'}: is not of this model: graph {i} is in another cluster")
    command = _command_of(model.parent / REPORT)
    return write_report(
        path, estimator=estimator, graphs=graphs, classes=classes, title=title, command=command, y_down=y_down,
        members=members_wanted(members),
    )  # fmt: skip


def _command_of(page: Path) -> str | None:
    """The command that an earlier page of the same results says it was made by."""
    if not page.is_file():
        return None
    found = re.search(r'<code id="command">(.*?)</code>', page.read_text(encoding="utf-8", errors="replace"), re.DOTALL)
    return None if found is None else unescape(found.group(1))


def show_results(
    estimator: Any, summary: ClusteringSummary, directory: Path, seconds: float, *, quiet: bool, resumed: bool = False
) -> None:
    """Print the results; if `quiet`, only the path of the report. A `resumed` run took `seconds` since it went on."""
    if quiet:
        say(safe_markup(directory / REPORT))
        return
    say(_table(summary))
    graphs, clusters = counted(summary.n_graphs, "graph"), counted(len(summary.clusters), "cluster")
    say(
        f"[bold]{graphs}[/bold] in [bold]{clusters}[/bold], "
        f"objective {number(summary.inertia)}, {counted(summary.n_iter, 'iteration')}, "
        + (f"{duration(_iterating(estimator))} for these, {duration(seconds)} since it went on" if resumed else duration(seconds))
    )
    say(f"{counted(summary.matchings, 'matching')} in all{_compared(summary)}")
    if summary.accuracy is not None:
        say(f"[bold]{percent(summary.accuracy)}[/bold] of the graphs are of the class most frequent in their cluster")
    if summary.hint is not None:
        say(f"[yellow]hint[/yellow] {safe_markup(summary.hint)}")
    labels = label_file(directory)
    back = "".join(f"{path.name}, " for path in files_of_molecules(directory))
    files = f"{labels.name}{'/' * labels.is_dir()}, {back}trace.csv, centroids/, model.gmz, {FILE}"
    say(f"\n{safe_markup(directory)}: {files}")
    say(f"[bold green]report[/bold green] {safe_markup(directory / REPORT)}")


def _compared(summary: ClusteringSummary) -> str:
    """How the matchings compare with those of a standard k-means; nothing where alignments are fixed."""
    if summary.standard is None:
        return ""
    fewer = f"{summary.saving:,.1f} times fewer than" if summary.saves else "beside"
    return f", {fewer} the {number(summary.standard)} of a standard k-means"


def _iterating(estimator: Any) -> float:
    """The seconds of all iterations of the best run, also of those before it was interrupted."""
    return float(estimator.trace_["seconds"].sum())


def as_dict(
    estimator: Any, summary: ClusteringSummary, directory: Path, seconds: float, resumed: bool = False
) -> dict[str, Any]:
    """The results, for scripts. A `resumed` run took `seconds` since it went on."""
    others = {name: str(directory / file) for name, file in _FILES.items()}
    back = {path.stem: str(path) for path in files_of_molecules(directory)}
    return {
        "graphs": summary.n_graphs,
        "inertia": summary.inertia,
        "iterations": summary.n_iter,
        "interrupted": summary.interrupted,
        "matchings": int(estimator.n_matchings_),
        "seeding_matchings": int(estimator.n_seeding_matchings_),
        "all_matchings": summary.matchings,
        "standard_matchings": summary.standard,
        "times_fewer_matchings": summary.saving,
        "certified_fraction": float(estimator.certified_fraction_),
        "accuracy": summary.accuracy,
        "hint": summary.hint,
        "seconds": seconds,
        "resumed": resumed,
        "seconds_of_iterations": _iterating(estimator),
        "clusters": [
            {
                "label": cluster.label,
                "size": cluster.size,
                "rms_distance": cluster.rms_distance,
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
    for name in ("mean graph", "rms distance", "class", "share")[: 4 if classes else 2]:
        table.add_column(name, justify="right" if name in ("rms distance", "share") else "left")
    for cluster in summary.in_reading_order()[:_MOST_ROWS]:
        core = cluster.mean.cut(0.5)
        known = [safe_markup(cluster.majority or "", 40), percent(cluster.purity) if cluster.purity else ""]
        typical = "" if cluster.rms_distance is None else number(cluster.rms_distance)
        shape = f"{counted(core.n_nodes, 'node')}, {counted(core.n_edges, 'edge')}"
        table.add_row(str(cluster.label), number(cluster.size), shape, typical, *(known if classes else ()))
    if len(summary.clusters) > _MOST_ROWS:
        table.add_row("…", "", f"and {len(summary.clusters) - _MOST_ROWS} more in the report")
    return table
