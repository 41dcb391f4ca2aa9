"""The report: one HTML file with the means and their members, a map, what sets clusters apart, and how the run went."""

from __future__ import annotations

import sys
from base64 import b64encode
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import Markup
from threadpoolctl import ThreadpoolController

import graphmeans
from graphmeans.chemistry.drawing import style_sheet
from graphmeans.cluster.estimators.inputs import is_lazy
from graphmeans.evaluation.fitted import graphs_as_fitted
from graphmeans.evaluation.measures import standard_matchings
from graphmeans.graphs.batch import FloatArray, IntArray
from graphmeans.graphs.graph import Graph
from graphmeans.plots import positions
from graphmeans.plots.drawing import node_kinds
from graphmeans.plots.molecule import is_molecule
from graphmeans.plots.network import is_labelled
from graphmeans.plots.text import plain_text
from graphmeans.report.cards.cards import CardMaker
from graphmeans.report.cards.distinctions import distinctions
from graphmeans.report.cards.molecule_cards import molecule_cards
from graphmeans.report.cards.networks import network_cards
from graphmeans.report.cards.typical import class_examples, such_as, typical_members
from graphmeans.report.data.page_data import page_data, script_json, split_by_cluster
from graphmeans.report.facts.evidence import gather
from graphmeans.report.facts.report_graphs import ReportGraphs
from graphmeans.report.facts.summary import ClusteringSummary, plain_iterations, summarize_clustering
from graphmeans.report.pictures.chart import (
    bar_chart,
    example_symbol,
    line_chart,
    map_places,
    map_svg,
    silhouette_chart,
    symbols,
    tree_symbol,
)
from graphmeans.report.pictures.cluster_pictures import LABEL, ClusterPictures
from graphmeans.report.pictures.hierarchy import cluster_tree, inner_nodes, tree_rows
from graphmeans.report.pictures.kind_support import means_by_kinds
from graphmeans.report.sentences.headline import figures, headline, seen_words
from graphmeans.report.sentences.known_values import means_as_known
from graphmeans.report.words import PAGE, counted, duration, number, page_template

#: The scripts of the page, in the order in which they come.
SCRIPTS = ("draw", "members", "map", "page")
#: So many tiles stand in one row, up to `FEW_TILES` in two, and of `SOME_TILES` with something to read this many in each.
IN_ONE_ROW, FEW_TILES, IN_ROWS, SOME_TILES = 5, 8, 6, 16
#: How many kinds of nodes have a colour of their own: --k0, ... in page.css. Others are grey; orange is none.
_COLOURS = 6
#: Of more kinds those have colours that tell clusters apart, of those that at least this share of the graphs have.
_USUAL = 0.1


def write_report(
    path: str | Path, *, estimator: Any, graphs: Iterable[Any], classes: Sequence[object] | None = None,
    title: str = "Graph clusters", command: str | None = None, seconds: float | None = None,
    y_down: bool | None = None, summary: ClusteringSummary | None = None, members: int | str | None = None,
) -> Path:  # fmt: skip
    """Write a page that shows a clustering: every mean graph, its members, what sets it apart, and how the run went.

    The page is one file; nothing is loaded from elsewhere. Large collections are shown by a sample, and the page says so.

    Parameters
    ----------
    path : str or Path
        The HTML file to write.
    estimator : GraphKMeans
        A fitted estimator.
    graphs : collection of graphs
        The graphs that it was fitted to, in the same order. Of a `Collection` on disk only what is shown is read.
    classes : sequence, optional
        The known class of each graph. The page counts them; the clustering has not seen them.
    title : str, default="Graph clusters"
        The title of the page.
    command : str, optional
        The command that made the page, shown at its end.
    seconds : float, optional
        How long the whole run took; by default the time that the iterations took.
    y_down : bool, optional
        Whether y grows downwards in the positions of the graphs, as in images; the page then says so among its settings.
        By default as `plots.y_down` says.
    summary : ClusteringSummary, optional
        The summary of this estimator and these classes, where the caller has it: the mean graphs are not decoded again.
    members : int or "all", optional
        How many graphs are drawn on the page; by default as many as a fifth of the cost of the fit pays for, at most 4,000.
        The nearest and the farthest of each cluster are always among them. The others are dots on the map, and are found by name.

    Returns
    -------
    Path
        The file written.

    See Also
    --------
    GraphKMeans : What is shown.
    plots.EmbeddingDisplay : The map alone.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, _ = gm.datasets.make_letters(60, random_state=0)
    >>> km = gm.GraphKMeans(15, n_init=1, random_state=0).fit(graphs)
    >>> import tempfile
    >>> from pathlib import Path
    >>> from graphmeans.report import write_report
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_report(Path(folder) / "report.html", estimator=km, graphs=graphs).name
    'report.html'
    """
    target = Path(path)
    wanted = _wanted(members)
    if summary is None:
        summary = summarize_clustering(estimator, classes)
    # The matrices of a page are small: more threads would only wait for each other, and busily.
    down = positions.draws_down() if y_down is None else y_down
    with _linear_algebra().limit(limits=1, user_api="blas"), positions.y_down(down):
        target.write_text(_page(estimator, graphs, summary, title, command, seconds, wanted), encoding="utf-8")
    return target


@cache
def _linear_algebra() -> ThreadpoolController:
    """The libraries whose threads can be limited: those that this package has loaded. To look for them takes a while."""
    return ThreadpoolController()


def _wanted(members: int | str | None) -> int | None:
    """The number of graphs to draw that was asked for."""
    if members is None:
        return None
    if members == "all":
        return sys.maxsize
    if isinstance(members, str) or members < 1:
        raise ValueError(f'members must be "all" or at least 1, got {members!r}')
    return int(members)


def _page(
    estimator: Any, graphs: Iterable[Any], summary: ClusteringSummary, title: str, command: str | None,
    seconds: float | None, members: int | None,
) -> str:  # fmt: skip
    collection = ReportGraphs(graphs if is_lazy(graphs) else graphs_as_fitted(estimator, graphs))
    if len(collection) != summary.n_graphs:
        raise ValueError(f"the estimator was fitted to {summary.n_graphs} graphs, not to {len(collection)}")
    evidence = gather(estimator, collection, members)
    sample = [collection[i] for i in evidence.sample.tolist()]
    whole, of = [c.mean for c in summary.clusters], summary.labels[evidence.sample]
    means_told = means_by_kinds(whole, sample, of, evidence.mappings)
    known = means_as_known(means_told, sample, of, evidence.mappings)
    pictures = ClusterPictures(means_told, whole)
    collection.noun = noun = "tree" if pictures.are_trees else _noun(whole)
    places, centers = map_places(evidence)
    molecules = molecule_cards(estimator, summary, evidence, collection)
    shape = None if molecules is None else molecules.shape
    networks = network_cards(summary, collection)
    leads = networks is not None and networks.leads
    matrices = networks is not None and networks.shows_members(len(sample))
    data = page_data(pictures, collection, summary, evidence, places, known, shape, leads and matrices)
    some = slice(None, None, max(1, len(sample) // 500))
    palette, more_kinds = _palette(sample[some], of[some])
    if palette:
        data["palette"] = {plain_text(name, LABEL): colour for name, colour in palette.items()}
    spent = float(np.sum(estimator.trace_["seconds"])) if seconds is None else seconds
    typical = typical_members(pictures, summary, evidence, collection, molecules is not None)
    examples_of = class_examples(pictures, summary, evidence, collection)
    maker = CardMaker(summary, evidence, collection, pictures, known)
    shown = [
        maker.card(cluster, None if networks is None else networks.card(cluster.label)) for cluster in summary.in_reading_order()
    ]
    of_matrices = networks.labels if networks is not None and leads else []
    means = symbols(pictures, palette, [c.label for c in summary.clusters if c.label not in of_matrices])
    style, script = _asset("page.css"), "".join(_asset(f"{name}.js") for name in SCRIPTS)
    if molecules is not None:
        molecules.add_members(data)
        means = molecules.symbols(means)
        style += _asset("molecules.css") + style_sheet()
        script = _asset("molecules.js") + script
    if networks is not None:
        if matrices:
            networks.add_members(data, collection, evidence)
        means += networks.symbols()
        style += _asset("networks.css")
        script = _asset("networks.js") + script
    told_by_names = not typical and molecules is None and not leads and any(graph.name for graph in sample[:20])
    examples = such_as(summary, evidence, [row["name"] for row in data["graphs"]]) if told_by_names else {}
    means += Markup("".join(
        example_symbol(f"e{label}-{n}", picture, palette, pictures.scale_of(label))
        for label, chosen in examples_of.items() for n, (_, _, picture) in enumerate(chosen)
    ))  # fmt: skip
    for card in shown:
        chosen = examples_of.get(card["label"], [])
        card["examples"] = [name for name, *_ in chosen]
        if chosen:
            each = {"what": "Classes", "why": "the nearest member of each", "members": [n for _, n, _ in chosen]}
            card["groups"] = [each, *card["groups"]]
        card["typical"] = typical.get(card["label"])
        if card["label"] in examples:
            card["caption"] = [*card["caption"], f"Such as {examples[card['label']]}"]
        card["molecule"] = None if molecules is None else molecules.card(card["label"])
        card["facts"], card["broad"] = [], False
        if card["molecule"] is not None:
            card["caption"] = [card["molecule"]["title"]] if card["molecule"]["title"] else []
            card["facts"], card["broad"] = card["molecule"]["facts"], card["molecule"]["broad"]
            if molecules is not None and card["near"]:
                card["apart"] = molecules.apart(card["label"], card["near"][0]["label"], card["apart"])
    tree = cluster_tree(estimator, summary, evidence, merged=molecules is None and not leads)
    merged = {}
    for n, node in enumerate(inner_nodes(tree)):
        if networks is not None and leads:
            merged[n] = networks.merged_symbol(f"t{n}", node.labels)
        elif node.mean is not None:
            merged[n] = tree_symbol(pictures, node.mean, n, node.labels[0], palette)
    means += Markup("".join(merged.values()))
    map_links, data["hues"] = map_svg(summary, evidence, places, centers, pictures.small)
    one_line = pictures.one_line and networks is None
    sheet = "0 0 300 210" if molecules is not None else "0 105 300 90" if one_line else "0 0 300 300"
    light, heavy = split_by_cluster(data)
    features, rows = distinctions(maker.profiles, [c.size for c in summary.clusters], maker.spread)
    return page_template(PAGE).render(
        title=plain_text(title),
        summary=summary,
        headline=headline(summary, evidence, noun),
        noun=noun,
        seen=seen_words(
            molecules is not None, leads, bool(typical), any(card["sequence"] for card in shown),
            any(mean.n_edges for mean in whole), bool(examples_of),
        ),
        figures=figures(summary, evidence, duration(spent), seconds is not None),
        cards=shown,
        order=summary.order_in_words,
        by_size=summary.by_size_in_words,
        across=tiles_across(len(shown), any(card["caption"] for card in shown)),
        small={card["label"]: card["small"] for card in shown},
        molecules=molecules is not None,
        typical=bool(typical),
        titles={card["label"]: card["molecule"]["title"] if card["molecule"] else "" for card in shown},
        matrices=leads,
        symbols=means,
        map=map_links,
        evidence=evidence,
        dots=len(places),
        together=len(np.unique(places, axis=0)) < 0.9 * len(places),
        fidelity=f"{evidence.map.fidelity:.2f}",
        rest_fidelity=f"{evidence.rest_fidelity:.2f}",
        classes=data["classes"],
        attributes=[row["name"] for row in data.get("attributes", ())],
        certified=summary.proven_margins is not None,
        palette={plain_text(name, 24): colour for name, colour in palette.items()},
        more_kinds=more_kinds,
        sheet=sheet,
        lines=any(part.get("s") or part.get("t") for part in data["members"]),
        odd=any("xn" in part or "xs" in part for part in data["members"]),
        ghost=bool(data["shared"]) and molecules is None and not leads,
        profile=silhouette_chart(summary, evidence),
        tree=None if tree is None else tree_rows(tree, summary, merged),
        tree_bounded=not evidence.ways.matched.all(),
        features=features,
        distinctions=[(c, rows[c.label]) for c in summary.in_reading_order()],
        charts=_charts(estimator, summary),
        settings=_settings(estimator),
        counts=_counts(estimator, summary, evidence.matchings + (0 if molecules is None else molecules.matchings)),
        command=None if command is None else plain_text(command),
        duration=duration(spent),
        whole_time=seconds is not None,
        version=graphmeans.__version__,
        data=Markup(script_json(light)),
        members=[Markup(script_json(part)) for part in heavy],
        style=Markup(style),
        script=Markup(script),
        # The page runs this script and no other, whatever a name may contain.
        script_hash=b64encode(sha256(script.encode()).digest()).decode(),
    )


def tiles_across(count: int, captions: bool) -> int:
    """How many tiles stand in a row on a wide screen, so that rows are full, or nearly so; 0 if as many as there is room for.

    Examples
    --------
    >>> [tiles_across(count, True) for count in (1, 3, 5, 6, 8, 10, 12, 15, 16, 17)]
    [1, 3, 5, 3, 4, 5, 6, 5, 6, 0]
    """
    if count <= FEW_TILES:
        return count if count <= IN_ONE_ROW else -(-count // 2)
    rows = -(-count // IN_ROWS)
    return -(-count // rows) if captions and count <= SOME_TILES else 0


@cache
def _asset(name: str) -> str:
    return (PAGE / name).read_text(encoding="utf-8")


def _noun(means: Sequence[Graph]) -> str:
    """What a graph is called on the page."""
    if any(map(is_molecule, means)):
        return "molecule"
    labelled = [is_labelled(mean) for mean in means if mean.n_nodes]
    return "network" if labelled and all(labelled) else "graph"


def _palette(graphs: Sequence[Graph], labels: IntArray) -> tuple[dict[str, str], bool]:
    """A colour for each of some values of the nodes' first string attribute, and whether there are more values.

    If there are too many, those have colours whose number differs most between clusters, beside how much it varies within
    them: what is as frequent everywhere tells nothing. Formulas are drawn in one ink.
    """
    found: list[Counter[str]] = []
    for graph in graphs:
        kinds = node_kinds(graph)
        if kinds is not None and is_molecule(graph):
            return {}, False
        found.append(Counter(kinds or ()))
    total = sum(found, Counter[str]())
    if len(total) < 2:
        return {}, False
    frequent = [value for value, _ in sorted(total.items(), key=lambda item: (-item[1], item[0])) if value]
    chosen = frequent[:_COLOURS]
    if len(frequent) > _COLOURS:
        usual = [value for value in frequent if sum(value in one for one in found) >= _USUAL * len(found)]
        counts = np.array([[one[value] for value in usual] for one in found], dtype=np.float64).reshape(len(found), -1)
        telling = dict(zip(usual, _between(counts, labels).tolist(), strict=True))
        best = set(sorted(usual, key=lambda value: (-telling[value], value))[:_COLOURS])
        chosen = [value for value in frequent if value in best] if len(best) == _COLOURS else chosen
    return {value: f"var(--k{n})" for n, value in enumerate(chosen)}, len(frequent) > _COLOURS


def _between(values: FloatArray, labels: IntArray) -> FloatArray:
    """For each column by how much its means differ between clusters, beside how much it varies within them."""
    size = np.bincount(labels).astype(np.float64)
    sums = np.stack([np.bincount(labels, column, minlength=len(size)) for column in values.T], axis=1)
    means = np.divide(sums, size[:, None], out=np.zeros_like(sums), where=size[:, None] > 0)
    within = ((values - means[labels]) ** 2).mean(axis=0)
    between = ((means[labels] - values.mean(axis=0)) ** 2).mean(axis=0)
    return np.asarray(between / np.maximum(within, 1e-9))


def _charts(estimator: Any, summary: ClusteringSummary) -> dict[str, Markup] | None:
    trace = estimator.trace_
    if not len(trace):
        return None
    iterations = [int(i) for i in trace["iteration"]]
    fixed = summary.standard is None
    reference = None if fixed else standard_matchings(summary.n_graphs, len(summary.clusters))
    matchings = [float(m) for m in trace["matchings"]]
    return {
        "objective": Markup(line_chart(iterations, [float(v) for v in trace["inertia"]], label="objective")),
        "matchings": Markup(bar_chart(iterations, matchings, reference, label="distances" if fixed else "matchings")),
    }


def _counts(estimator: Any, summary: ClusteringSummary, for_page: int) -> list[tuple[str, str]]:
    what = "matchings" if summary.standard is not None else "distances to centers"  # alignments may be fixed
    rows = [
        ("objective: sum of squared distances to the means", number(summary.inertia)),
        (f"{what} of the run that is shown", number(int(np.sum(estimator.trace_["matchings"])))),
        (f"{what} of all runs", number(estimator.n_matchings_)),
    ]
    if estimator.n_seeding_matchings_:  # for a start that the caller gave there are none
        rows.append((f"{what} to find where to start", number(estimator.n_seeding_matchings_)))
    if estimator.n_evaluation_matchings_:
        rows.append((f"{what} to know the objective", number(estimator.n_evaluation_matchings_)))
    rows.append((f"{what} in all", number(summary.matchings)))
    if summary.standard is not None:
        plain = plain_iterations(estimator.trace_, summary.n_graphs)
        what_counts = "iterations without those after swaps of centers; of one that looks at some of the graphs their share"
        rows.append((what_counts, number(round(plain, 1))))
        rows.append(("a standard k-means: (k + 1) N in each of these", number(summary.standard)))
    rows.append((f"{'matchings' if summary.standard is not None else 'distances'} for this page", number(for_page)))
    return rows


def _settings(estimator: Any) -> list[tuple[str, str]]:
    """The parameters that were asked for, in the order of the constructor's names."""
    rows = []
    for key, value in estimator.get_params(deep=False).items():
        if isinstance(value, (list, tuple)):
            shown = counted(len(value), "given graph")
        elif isinstance(value, (str, bool, type(None), int, float)):
            shown = str(value)
        elif key == "engine":  # a Client
            shown = f"dask, {counted(len(value.nthreads()), 'worker')}"
        else:
            shown = getattr(value, "__name__", None) or repr(value)
        rows.append((key, plain_text(shown, 160)))
    if positions.draws_down():
        rows.append(("y in pictures", "downwards"))
    return rows
