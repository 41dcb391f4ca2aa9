"""How many times fewer matchings than standard k-means: against k, against cluster structure, against dimension."""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import matplotlib
from matplotlib import ticker
from matplotlib.figure import Figure

from graphmeans.paper.protocol import FOUR_SETS, RAW
from graphmeans.paper.published import NAMES, SPEEDUPS, TABLE_2
from graphmeans.paper.results_csv import ResultRow
from graphmeans.paper.tables import BY_K, Group, groups

#: Legible on white and, with the page's filter for dark screens, on black; told apart by shape as well.
ALGORITHM_COLOURS = {"elkan": "#17508f", "gvr": "#2f8f6b", "interval": "#c0392b"}
MARKERS = {"letter": "o", "grec": "s", "fingerprint": "^", "molecules": "D"}
STYLE: Any = {
    "svg.fonttype": "none", "svg.hashsalt": "graphmeans", "font.family": "sans-serif", "font.size": 10,
    "axes.spines.top": False, "axes.spines.right": False, "axes.grid": True, "grid.color": "#e3e3e3",
}  # fmt: skip


def all_figures(rows: Sequence[ResultRow]) -> dict[str, str]:
    """The pictures that there are rows for: name -> SVG."""
    with matplotlib.rc_context(STYLE):
        figures = {"speedup_k": speedup_by_k(rows), **speedup_by_structure(rows)}
        return {name: _svg(figure) for name, figure in figures.items() if figure is not None}


def speedup_by_k(rows: Sequence[ResultRow]) -> Figure | None:
    """Tables 3 and 4: one line for each algorithm, and the paper's elk dashed."""
    found = {experiment: groups(rows, experiment) for experiment in BY_K}
    shown = {experiment: some for experiment, some in found.items() if len({g.k for g in some}) > 1}
    if not shown:
        return None
    figure = Figure(figsize=(4.4 * len(shown), 3.4), layout="constrained")
    for place, (experiment, some) in enumerate(shown.items(), 1):
        axes = figure.add_subplot(1, len(shown), place)
        for algorithm, colour in ALGORITHM_COLOURS.items():
            line = [(g.k, _times_fewer(g)) for g in some if g.algorithm == algorithm and g.theta == 0]
            if line:
                axes.plot(*zip(*line, strict=True), "o-", color=colour, label=NAMES[algorithm])
        printed = SPEEDUPS[BY_K[experiment]]
        axes.plot(list(printed), list(printed.values()), "o--", color="#888888", mfc="white", label="elk, the paper")
        axes.set(title=BY_K[experiment], xlabel="clusters k", yscale="log", ylabel="times fewer matchings an iteration")
        _plain_ticks(axes)
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, frameon=False, loc="outside lower center", ncols=4)
    return figure


def speedup_by_structure(rows: Sequence[ResultRow]) -> dict[str, Figure | None]:
    """Table 2: a point for each data set and algorithm, against the silhouette index and against the dimension."""
    four = [g for g in groups(rows, FOUR_SETS) if g.algorithm != "lloyd" and g.theta == 0]
    if len({g.dataset for g in four}) < 2:
        return {}
    return {
        "speedup_silhouette": _scatter(four, "silhouette", "silhouette index", printed=True),
        "speedup_dimension": _scatter(four, "dimension", "dimension of the space", printed=False),
    }


def _scatter(four: Sequence[Group], name: str, label: str, printed: bool) -> Figure:
    figure = Figure(figsize=(5.2, 3.6), layout="constrained")
    axes = figure.add_subplot()
    for group in four:
        axes.plot(float(group.best[name]), _times_fewer(group), MARKERS[group.dataset], color=ALGORITHM_COLOURS[group.algorithm],
                  fillstyle="none" if group.encoding == RAW else "full", ms=7)  # fmt: skip
    if printed:
        for dataset in {group.dataset for group in four}:
            std, elk = TABLE_2[dataset]["lloyd", 0.0], TABLE_2[dataset]["elkan", 0.0]
            if std.matchings and std.iterations and elk.matchings and elk.iterations and elk.silhouette:
                fewer = (std.matchings / std.iterations) / (elk.matchings / elk.iterations)
                axes.plot(elk.silhouette, fewer, MARKERS[dataset], color="#888888", mfc="white", ms=7)
    handles: list[Any] = []
    for algorithm, colour in ALGORITHM_COLOURS.items():
        if any(group.algorithm == algorithm for group in four):
            handles += axes.plot([], [], "-", color=colour, lw=4, label=NAMES[algorithm])
    if printed:
        handles += axes.plot([], [], "-", color="#888888", lw=4, label="elk, the paper")
    for dataset, marker in MARKERS.items():
        if any(group.dataset == dataset for group in four):
            handles += axes.plot([], [], marker, color="#444444", label=dataset)
    if any(group.encoding == RAW for group in four):
        handles += axes.plot([], [], "o", color="#444444", fillstyle="none", label="raw positions")
    axes.set(xlabel=label, yscale="log", ylabel="times fewer matchings an iteration")
    if name == "dimension":
        axes.set_xscale("log")
        _plain_ticks(axes, "x")
    _plain_ticks(axes)
    figure.legend(handles=handles, frameon=False, loc="outside right upper")
    return figure


def _times_fewer(group: Group) -> float:
    """(k + 1) N, the matchings of one iteration of std, over our mean."""
    return (group.k + 1) * float(group.best["graphs"]) / group.per_iteration()


def _plain_ticks(axes: Any, which: str = "y") -> None:
    axis = axes.yaxis if which == "y" else axes.xaxis
    low, high = axis.get_view_interval()
    axis.set_major_locator(ticker.LogLocator(subs=(1, 2, 5) if high <= 200 * low else (1,)))
    axis.set_major_formatter(ticker.StrMethodFormatter("{x:g}"))
    axis.set_minor_formatter(ticker.NullFormatter())


def _svg(figure: Figure) -> str:
    target = io.StringIO()
    figure.savefig(target, format="svg", metadata={"Date": None, "Creator": None})
    text = target.getvalue()
    return text[text.index("<svg") :]  # without the XML declaration, so that it can be put into a page
