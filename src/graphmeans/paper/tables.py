"""The paper's tables, ours beside the paper's: "ours (paper)". Every cell comes from rows of results.csv."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from graphmeans.paper.protocol import FINGERPRINTS_BY_K, FOUR_SETS, LETTERS_BY_K, RAW
from graphmeans.paper.published import NAMES, SPEEDUPS, TABLE_1, TABLE_2, PublishedColumn
from graphmeans.paper.results_csv import ResultRow, numbers

#: Experiments of Tables 3 and 4: what the paper's numbers are called.
BY_K = {LETTERS_BY_K: "letters A, E, F, H", FINGERPRINTS_BY_K: "300 fingerprints"}


@dataclass(frozen=True)
class PaperTable:
    """Text in rows and columns, with a title and an explanation."""

    key: str
    title: str
    note: str
    header: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Group:
    """Runs that differ only in their seed."""

    dataset: str
    encoding: str
    k: int
    algorithm: str
    theta: float
    rows: list[ResultRow]

    @property
    def best(self) -> ResultRow:
        """The run with the lowest objective."""
        return min(self.rows, key=lambda row: float(row["objective"]))

    @property
    def name(self) -> str:
        """The paper's name of the algorithm."""
        return _name(self.algorithm, self.theta)

    @property
    def data(self) -> str:
        """The data set, and its encoding where there are two."""
        return f"{self.dataset}, raw" if self.encoding == RAW else self.dataset

    def mean(self, name: str) -> float:
        """Mean over all runs."""
        return float(np.mean(numbers(self.rows, name)))

    def per_iteration(self) -> float:
        """Mean over the runs of the matchings per iteration, by the paper's count."""
        total, iterations = numbers(self.rows, "matchings_paper"), numbers(self.rows, "iterations")
        return float(np.mean(np.array(total) / np.array(iterations)))


def groups(rows: Sequence[ResultRow], experiment: str) -> list[Group]:
    """The runs of an experiment by everything but their seed, in the order of the paper."""
    found: dict[tuple[str, str, int, str, float], list[ResultRow]] = {}
    for row in rows:
        if row["experiment"] == experiment:
            key = (row["dataset"], row["encoding"], int(row["k"]), row["algorithm"], float(row["theta"]))
            found.setdefault(key, []).append(row)
    datasets, algorithms = list(TABLE_1), list(NAMES)
    order = sorted(found, key=lambda g: (datasets.index(g[0]), g[1] == RAW, g[2], algorithms.index(g[3]), g[4]))
    return [Group(*key, sorted(found[key], key=lambda row: int(row["seed"]))) for key in order]


def all_tables(rows: Sequence[ResultRow]) -> list[PaperTable]:
    """Every table that there are rows for."""
    four = groups(rows, FOUR_SETS)
    by_k = [table_by_k(groups(rows, one), name, number) for number, (one, name) in enumerate(BY_K.items(), 3)]
    tables = [table_1(four), table_2(four), table_2_by_our_count(four), *by_k, against_the_best(rows)]
    return [table for table in tables if table.rows]


def table_1(four: Sequence[Group]) -> PaperTable:
    """Characteristics of the data."""
    rows = []
    for dataset, paper in TABLE_1.items():
        row = next((group.rows[0] for group in four if group.dataset == dataset), None)
        if row is None:
            continue
        cells = [f"{row['graphs']} ({paper.graphs})", f"{row['classes']} ({paper.classes})"]
        for name in ("nodes_avg", "nodes_max", "edges_avg", "edges_max"):
            ours, theirs = float(row[name]), getattr(paper, name)
            cells.append(f"{ours:.2f} ({theirs})" if name.endswith("avg") else f"{ours:.0f} ({theirs})")
        rows.append([dataset, *cells, row["dimension"]])
    header = ["data", "graphs", "classes", "nodes avg", "nodes max", "edges avg", "edges max", "dimension"]
    note = "Fingerprint edges are the stored arcs, two an edge. Dimension: numbers of a graph padded to the largest order."
    return PaperTable("table1", "Table 1: characteristics of the data", note, header, rows)


def table_2(four: Sequence[Group]) -> PaperTable:
    """The four data sets: the best run of each algorithm, by the paper's count of matchings."""
    rows = []
    for group in four:
        best, printed = group.best, TABLE_2[group.dataset].get((group.algorithm, group.theta), PublishedColumn())
        standard = _standard(four, group)
        std_per = (group.k + 1) * float(best["graphs"])
        printed_std = TABLE_2[group.dataset][("lloyd", 0.0)]
        total = float(best["matchings_paper"])
        per = total / float(best["iterations"])
        rows.append([
            group.data, group.name,
            _both(float(best["error"]), printed.error, 2),
            _both(float(best["accuracy"]), printed.accuracy, 2),
            _both(float(best["silhouette"]), printed.silhouette, 2),
            _both(float(best["iterations"]), printed.iterations, 0),
            _both(per / 1000, _per(printed), 2),
            _both(total / 1000, printed.matchings, 1),
            _both(std_per / per, _ratio(_per(printed_std), _per(printed)), 1),
            _both(_ratio(standard, total), _ratio(printed_std.matchings, printed.matchings), 1),
            f"{float(best['outside_share']):.0%}", best["seed"], str(len(group.rows)),
        ])  # fmt: skip
    header = ["data", "algorithm", "error", "accuracy", "silhouette", "iterations", "matchings an iteration (10³)",
              "matchings (10³)", "times fewer an iteration", "times fewer in all", "outside matching", "seed",
              "best of"]  # fmt: skip
    note = (
        "Ours (the paper). The run with the lowest objective; seed names its row in results.csv. Error: mean squared "
        "distance to the own center. Matchings by the paper's count: t (k + 1) N for std, no seeding, no evaluation. Times "
        "fewer: than std. Outside matching: share of the iterations' seconds. Raw positions are matched exactly (letter) or "
        "by search, the others exactly or by graduated assignment. The paper's gvr columns are unpublished."
    )
    return PaperTable("table2", "Table 2: four data sets", note, header, rows)


def table_2_by_our_count(four: Sequence[Group]) -> PaperTable:
    """The same runs: all matchings, the error by one evaluator for all algorithms, time, and the spread over the runs."""
    rows = []
    for group in four:
        best = group.best
        spent = [float(best[name]) for name in ("matchings", "seeding_matchings", "evaluation_matchings")]
        certified = float(best["certified"] or "nan")
        rows.append([
            group.data, group.name, *(f"{value:,.0f}" for value in (*spent, sum(spent))), f"{float(best['error_common']):.3f}",
            _spread(group, "error_common", 2), _spread(group, "accuracy", 3), _spread(group, "silhouette", 2),
            "" if math.isnan(certified) else f"{certified:.0%}", f"{float(best['cpu_seconds']):.1f}", str(len(group.rows)),
        ])  # fmt: skip
    header = ["data", "algorithm", "by the algorithm", "by seeding", "to know J", "matchings in all", "error, one evaluator",
              "error, all runs", "accuracy, all runs", "silhouette, all runs", "certified", "CPU seconds", "runs"]  # fmt: skip
    note = (
        "The same runs. One evaluator: the better of the stored alignment and a fresh one, for every algorithm. All runs: mean ± "
        "standard deviation over the seeds. Certified: labels proven nearest. CPU seconds of one thread, seeding included."
    )
    return PaperTable("table2_ours", "Table 2, by our count", note, header, rows)


def table_by_k(found: Sequence[Group], name: str, number: int) -> PaperTable:
    """Matchings against the number of clusters: means over all runs."""
    rows = []
    for group in found:
        n = float(group.best["graphs"])
        standard = next((g.mean("matchings_paper") for g in found if g.k == group.k and g.algorithm == "lloyd"), None)
        printed = SPEEDUPS[name].get(group.k) if group.algorithm == "elkan" else 1.0 if group.algorithm == "lloyd" else None
        rows.append([
            str(group.k), group.name, f"{group.mean('error_common'):.2f}", f"{group.mean('accuracy'):.2f}",
            f"{group.mean('iterations'):.1f}", f"{group.per_iteration() / 1000:.2f}",
            f"{group.mean('matchings_paper') / 1000:.2f}", f"{(group.k + 1) * n / group.per_iteration():.1f}",
            _both(_ratio(standard, group.mean("matchings_paper")), printed, 1),
            f"{group.mean('matchings') + group.mean('seeding_matchings') + group.mean('evaluation_matchings'):,.0f}",
            f"{group.mean('outside_share'):.0%}", str(len(group.rows)),
        ])  # fmt: skip
    header = ["k", "algorithm", "error", "accuracy", "iterations", "matchings an iteration (10³)", "matchings (10³)",
              "times fewer an iteration", "times fewer in all", "all, by our count", "outside matching", "runs"]  # fmt: skip
    note = "Means over the runs; ours (the paper). Columns as in Table 2; the error is that of the one evaluator."
    return PaperTable(f"table{number}", f"Table {number}: {name}, against the number of clusters", note, header, rows)


def against_the_best(rows: Sequence[ResultRow]) -> PaperTable:
    """By how much interval beats the best of the paper's columns, printed and run here, wherever it was run."""
    lines = []
    for experiment in (FOUR_SETS, *BY_K):
        found = groups(rows, experiment)
        for ours in (group for group in found if group.algorithm == "interval"):
            rivals = [g for g in found if (g.dataset, g.encoding, g.k) == (ours.dataset, ours.encoding, ours.k) and g is not ours]
            if not rivals:
                continue
            best, least, quickest = (min(rivals, key=cost) for cost in (_spent, _everything, _cpu))
            printed = _printed_best(experiment, ours)
            lines.append([
                ours.data if experiment == FOUR_SETS else BY_K[experiment], str(ours.k), f"{_spent(ours):,.0f}",
                "" if printed is None else f"{printed[1]:,.0f} ({printed[0]})",
                "" if printed is None else f"{printed[1] / _spent(ours):.1f}",
                f"{_spent(best):,.0f} ({best.name})", f"{_spent(best) / _spent(ours):.1f}",
                f"{_everything(ours):,.0f}", f"{_everything(least):,.0f} ({least.name})",
                f"{_everything(least) / _everything(ours):.1f}",
                f"{_cpu(quickest) / _cpu(ours):.1f} ({quickest.name})",
            ])  # fmt: skip
    header = ["data", "k", "interval", "the paper's best column", "times fewer", "our best of its columns", "times fewer",
              "interval, all", "our best, all", "times fewer", "times less CPU"]  # fmt: skip
    note = (
        "Matchings of the best run (Table 2) or mean over the runs (Tables 3 and 4): by the paper's count, then all of them, "
        "seeding and evaluation included. gvr with theta > 0, which trades quality for matchings, counts as a column too."
    )
    return PaperTable("interval", "interval against the best of the others", note, header, lines)


def _printed_best(experiment: str, group: Group) -> tuple[str, float] | None:
    """The paper's column with the fewest matchings, which it prints only for the four data sets."""
    if experiment != FOUR_SETS:
        return None
    columns = {key: c.matchings for key, c in TABLE_2[group.dataset].items() if c.matchings is not None}
    (algorithm, theta), total = min(columns.items(), key=lambda item: item[1])
    return _name(algorithm, theta), 1000 * total


def _of(group: Group, *names: str) -> float:
    """The sum of these values of the best run in Table 2, else of their means over all runs."""
    in_table_2 = group.rows[0]["experiment"] == FOUR_SETS
    return sum(float(group.best[name]) if in_table_2 else group.mean(name) for name in names)


def _spent(group: Group) -> float:
    return _of(group, "matchings_paper")


def _cpu(group: Group) -> float:
    return _of(group, "cpu_seconds")


def _everything(group: Group) -> float:
    return _of(group, "matchings", "seeding_matchings", "evaluation_matchings")


def _standard(four: Sequence[Group], group: Group) -> float | None:
    found = next((g for g in four if g.data == group.data and g.algorithm == "lloyd"), None)
    return None if found is None else float(found.best["matchings_paper"])


def _per(column: PublishedColumn) -> float | None:
    return _ratio(column.matchings, column.iterations)


def _ratio(a: float | None, b: float | None) -> float | None:
    return None if a is None or not b else a / b


def _both(ours: float | None, paper: float | None, digits: int) -> str:
    """Ours, and the paper's in brackets where it has one."""
    mine = "" if ours is None or math.isnan(ours) else f"{ours:.{digits}f}"
    theirs = "" if paper is None else f" ({paper:.{digits}f})"
    return (mine + theirs).strip()


def _spread(group: Group, name: str, digits: int) -> str:
    values = np.array(numbers(group.rows, name))
    spread = f" ± {values.std(ddof=1):.{digits}f}" if len(values) > 1 else ""
    return f"{values.mean():.{digits}f}{spread}"


def _name(algorithm: str, theta: float) -> str:
    """The paper's name of an algorithm, for gvr with its theta: "gvr 0", "gvr .05"."""
    short = "0" if theta == 0 else f"{theta:g}".removeprefix("0")
    return f"gvr {short}" if algorithm == "gvr" else NAMES[algorithm]
