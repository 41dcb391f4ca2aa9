"""Displays in the manner of scikit-learn (`from_estimator` computes, `plot` draws), and the curves of `choose_k`."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from graphmeans.evaluation.choosing import KChoice
from graphmeans.evaluation.fitted import fitted_labels, points_of, spread_sample
from graphmeans.evaluation.measures import silhouette, silhouette_widths, standard_matchings
from graphmeans.graphs.batch import GraphBatch, IntArray
from graphmeans.graphs.errors import GraphError
from graphmeans.plots.axes import EXTRA, INK, MEAN_INK, new_axes
from graphmeans.plots.pen import COLOURS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Display:
    """What all displays share: they draw on the axes they are given, or on those of a new figure, and keep them."""

    ax_: Axes
    figure_: Any

    def _begin(self, ax: Axes | None, size: tuple[float, float], **labels: str) -> Axes:
        ax = ax if ax is not None else new_axes(size, layout="constrained")
        ax.spines[["top", "right"]].set_visible(False)
        ax.set(**labels)
        self.ax_, self.figure_ = ax, ax.get_figure()
        return ax


def sampled_points(estimator: Any, graphs: Any, most: int, random_state: int) -> tuple[GraphBatch, IntArray]:
    """A sample of the graphs of a fitted estimator, spread over its clusters: points of its space, and labels."""
    check_is_fitted(estimator)
    labels = fitted_labels(estimator, graphs)
    chosen = spread_sample(labels, most, random_state)
    return points_of(estimator, [graphs[i] for i in chosen]), labels[chosen]


class SilhouetteDisplay(Display):
    """Silhouette widths, cluster by cluster: how much nearer a graph is to its own cluster than to the next one.

    Parameters
    ----------
    widths : array of shape (graphs,)
        The silhouette width of each graph.
    labels : array of shape (graphs,)
        The cluster of each graph.
    index : float
        The paper's silhouette index, the mean over clusters of their mean widths.
    n_graphs : int, optional
        Size of the collection; more than ``len(widths)`` if a sample was taken.

    See Also
    --------
    evaluation.silhouette : The index alone.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, _ = gm.datasets.make_letters(60, random_state=0)
    >>> km = gm.GraphKMeans(15, algorithm="interval", n_init=1, random_state=0).fit(graphs)
    >>> display = gm.plots.SilhouetteDisplay.from_estimator(km, graphs)
    >>> len(display.widths)
    60
    """

    def __init__(self, widths: ArrayLike, labels: ArrayLike, index: float, n_graphs: int | None = None) -> None:
        self.widths = np.asarray(widths, dtype=np.float64)
        self.labels = np.asarray(labels, dtype=np.int64)
        self.index = float(index)
        self.n_graphs = len(self.widths) if n_graphs is None else int(n_graphs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, graphs: Any, *, sample_size: int = 300, random_state: int = 0, ax: Axes | None = None,
        **style: Any,
    ) -> SilhouetteDisplay:  # fmt: skip
        """Match a sample of the graphs with each other, in the estimator's metric, and draw.

        Parameters
        ----------
        estimator : GraphKMeans
            Fitted to these graphs.
        graphs : collection of graphs
            The graphs, as objects of one kind.
        sample_size : int, default=300
            The largest number of graphs; they are spread over the clusters, and all their pairs are matched.
        random_state : int, default=0
            Seed of the sample.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        **style
            Passed on to `plot`.

        Returns
        -------
        SilhouetteDisplay
            The display, drawn.
        """
        points, labels = sampled_points(estimator, graphs, sample_size, random_state)
        distances = estimator.space_.distances(points)
        widths, index = silhouette_widths(distances, labels), silhouette(distances, labels)
        return cls(widths, labels, index, len(graphs)).plot(ax, **style)

    def plot(self, ax: Axes | None = None, *, colors: Sequence[str] = COLOURS) -> SilhouetteDisplay:
        """Draw one bar for each graph, sorted by width within the clusters.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        colors : sequence of str, default=COLOURS
            The colours of the clusters, taken in turn.

        Returns
        -------
        SilhouetteDisplay
            The display itself; `ax_` and `figure_` are there afterwards.
        """
        ax = self._begin(ax, (5.0, 4.2), xlabel="silhouette width", ylabel="cluster")
        start, ticks = 0, []
        clusters = np.unique(self.labels)
        gap = max(1, len(self.labels) // 120)
        for n, label in enumerate(clusters):
            widths = np.sort(self.widths[self.labels == label])
            ax.barh(start + np.arange(len(widths)), widths, height=1.0, color=colors[n % len(colors)], linewidth=0)
            ticks.append(start + len(widths) / 2)
            start += len(widths) + gap
        ax.axvline(self.index, color=INK, linewidth=1.2, linestyle=(0, (4, 3)))
        ax.set_yticks(ticks[:: max(1, len(ticks) // 25)], [str(c) for c in clusters[:: max(1, len(ticks) // 25)]])
        ax.set_ylim(start, -gap)
        of = "" if self.n_graphs == len(self.widths) else f"; {len(self.widths)} of {self.n_graphs} graphs"
        ax.set_title(f"silhouette index {self.index:.2f}{of}", fontsize=10, color=INK)
        return self


class ConvergenceDisplay(Display):
    """How a run went: the objective by iteration, and the matchings each iteration took.

    Parameters
    ----------
    iterations : array of int
        The numbers of the iterations.
    inertia : array
        The objective in each iteration.
    matchings : array
        The matchings that each iteration took.
    standard : float, optional
        Matchings that a standard k-means takes in one iteration, for comparison.

    See Also
    --------
    ElbowDisplay : The objective for several numbers of clusters.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, _ = gm.datasets.make_letters(60, random_state=0)
    >>> km = gm.GraphKMeans(15, n_init=1, random_state=0).fit(graphs)
    >>> display = gm.plots.ConvergenceDisplay.from_estimator(km)
    >>> len(display.inertia) == len(km.trace_)
    True
    """

    def __init__(
        self, iterations: ArrayLike, inertia: ArrayLike, matchings: ArrayLike, standard: float | None = None
    ) -> None:
        self.iterations = np.asarray(iterations)
        self.inertia = np.asarray(inertia, dtype=np.float64)
        self.matchings = np.asarray(matchings, dtype=np.float64)
        self.standard = standard

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None, **style: Any) -> ConvergenceDisplay:
        """Draw the trace of a fitted estimator.

        Parameters
        ----------
        estimator : GraphKMeans
            A fitted estimator.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        **style
            Passed on to `plot`.

        Returns
        -------
        ConvergenceDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        trace = estimator.trace_
        standard = float(standard_matchings(len(estimator.labels_), estimator.n_clusters))
        return cls(trace["iteration"], trace["inertia"], trace["matchings"], standard).plot(ax, **style)

    def plot(self, ax: Axes | None = None, *, color: str = MEAN_INK, bar_color: str = "#e0b48a") -> ConvergenceDisplay:
        """Draw the objective as a line over the matchings as bars.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        color : str, default=MEAN_INK
            The colour of the ink.
        bar_color : str, default="#e0b48a"
            The colour of the bars.

        Returns
        -------
        ConvergenceDisplay
            The display itself; `ax_` and `figure_` are there afterwards.
        """
        ax = self._begin(ax, (5.0, 3.2), xlabel="iteration", ylabel="objective")
        other = ax.twinx()
        other.bar(self.iterations, self.matchings, width=0.7, color=bar_color, zorder=0)
        other.set_ylabel("matchings", color="#9a6a35")
        other.tick_params(axis="y", colors="#9a6a35")
        other.spines["top"].set_visible(False)
        other.set_ylim(0, 2.2 * max(float(self.matchings.max(initial=0.0)), 1.0))
        ax.set_zorder(other.get_zorder() + 1)
        ax.patch.set_visible(False)
        ax.plot(self.iterations, self.inertia, color=color, marker="o", markersize=3.5, linewidth=1.8)
        if len(self.inertia):
            best = int(np.argmin(self.inertia))
            ax.plot(self.iterations[best], self.inertia[best], "o", markersize=9, markerfacecolor="none", color=color)
        ax.locator_params(axis="x", integer=True)
        if self.standard is not None:
            standard = f"standard k-means {self.standard * len(self.matchings):,.0f}"
            ax.set_title(f"{self.matchings.sum():,.0f} matchings; {standard}", fontsize=10, color=INK)
        self.matchings_ax_ = other
        return self


class ElbowDisplay(Display):
    """The objective for several numbers of clusters; beyond its bend, more clusters lower it only a little.

    Parameters
    ----------
    n_clusters : array of int
        The numbers of clusters.
    inertia : array
        The objective for each.

    See Also
    --------
    draw_choice : Also silhouettes and stability.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, _ = gm.datasets.make_letters(60, random_state=0)
    >>> km = gm.GraphKMeans(15, n_init=1, random_state=0).fit(graphs)
    >>> display = gm.plots.ElbowDisplay.from_estimator(km, graphs, n_clusters=[2, 5, 10])
    >>> display.inertia.shape
    (3,)
    """

    def __init__(self, n_clusters: ArrayLike, inertia: ArrayLike) -> None:
        ks, values = np.asarray(n_clusters, dtype=np.int64), np.asarray(inertia, dtype=np.float64)
        if ks.shape != values.shape:
            raise GraphError(f"{len(ks)} numbers of clusters, but {len(values)} objectives")
        order = np.argsort(ks)
        self.n_clusters, self.inertia = ks[order], values[order]

    @classmethod
    def from_estimator(
        cls, estimator: Any, graphs: Any, *, n_clusters: Iterable[int] = (2, 4, 8, 16, 32), ax: Axes | None = None,
        **style: Any,
    ) -> ElbowDisplay:  # fmt: skip
        """Fit a clone of the estimator for each number of clusters, and draw.

        Parameters
        ----------
        estimator : GraphKMeans
            What is cloned; it need not be fitted.
        graphs : collection of graphs
            The graphs, as objects of one kind.
        n_clusters : iterable of int, default=(2, 4, 8, 16, 32)
            The numbers of clusters.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        **style
            Passed on to `plot`.

        Returns
        -------
        ElbowDisplay
            The display, drawn.
        """
        ks = [k for k in n_clusters if k <= len(graphs)]
        if not ks:
            raise GraphError(f"no number of clusters among those asked for suits {len(graphs)} graphs")
        fits = [clone(estimator).set_params(n_clusters=int(k)).fit(graphs) for k in ks]
        return cls(ks, [fit.inertia_ for fit in fits]).plot(ax, **style)

    @property
    def bend(self) -> int | None:
        """The number of clusters farthest below the straight line from the first to the last; None for fewer than 3."""
        if len(self.n_clusters) < 3 or np.ptp(self.inertia) <= 0:
            return None
        x = (self.n_clusters - self.n_clusters[0]) / np.ptp(self.n_clusters)
        y = (self.inertia - self.inertia[-1]) / (self.inertia[0] - self.inertia[-1])
        below = 1 - x - y
        return int(self.n_clusters[int(np.argmax(below))]) if below.max() > 0 else None

    def plot(self, ax: Axes | None = None, *, color: str = MEAN_INK) -> ElbowDisplay:
        """Draw the curve and mark its bend.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        color : str, default=MEAN_INK
            The colour of the ink.

        Returns
        -------
        ElbowDisplay
            The display itself; `ax_` and `figure_` are there afterwards.
        """
        ax = self._begin(ax, (4.6, 3.2), xlabel="number of clusters", ylabel="objective")
        ax.plot(self.n_clusters, self.inertia, color=color, marker="o", markersize=4, linewidth=1.8)
        if self.bend is not None:
            at = float(self.inertia[self.n_clusters == self.bend][0])
            ax.plot(self.bend, at, "o", markersize=11, markerfacecolor="none", color=EXTRA, markeredgewidth=1.8)
            ax.annotate(f"k = {self.bend}", (self.bend, at), xytext=(10, 8), textcoords="offset points", color=EXTRA)
        ax.set_xticks(self.n_clusters)
        ax.set_ylim(bottom=0)
        return self


def draw_choice(choice: KChoice, figure: Figure | None = None) -> Figure:
    """Draw silhouette, objective and stability over the number of clusters, with the recommended number marked.

    Parameters
    ----------
    choice : KChoice
        What `graphmeans.evaluation.choose_k` returned.
    figure : matplotlib figure, optional
        Where to draw; a new figure by default.

    Returns
    -------
    matplotlib.figure.Figure
        The figure.

    See Also
    --------
    evaluation.choose_k : Tries the numbers.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs = [gm.Graph([[x + 0.1 * i]]) for x in (0.0, 5.0, 20.0) for i in range(6)]
    >>> figure = gm.plots.draw_choice(gm.evaluation.choose_k(graphs, range(2, 6), random_state=0))
    >>> len(figure.axes)
    3
    """
    if figure is None:
        from matplotlib.figure import Figure as NewFigure

        figure = NewFigure(figsize=(9.0, 3.0), layout="constrained")
    ks = [row.n_clusters for row in choice.tried]
    curves = (
        ("silhouette", "silhouette index", None),
        ("inertia", "objective", choice.elbow),
        ("stability", "agreement of runs (ARI)", None),
    )
    for ax, (name, label, bend) in zip(figure.subplots(1, 3), curves, strict=True):
        values = [getattr(row, name) for row in choice.tried]
        ax.plot(ks, values, color=MEAN_INK, marker="o", markersize=3.5, linewidth=1.6)
        ax.axvline(choice.recommended, color=EXTRA, linewidth=1.2, linestyle=(0, (4, 3)))
        if bend is not None:
            ax.plot(bend, values[ks.index(bend)], "o", markersize=10, markerfacecolor="none", color=MEAN_INK)
            ax.annotate("bend", (bend, values[ks.index(bend)]), xytext=(8, 8), textcoords="offset points", color=INK)
        ax.set_xlabel("number of clusters")
        ax.set_title(label, fontsize=10, color=INK)
        ax.locator_params(axis="x", integer=True)
        ax.set_ylim(min(0.0, *values), 1.05 * max(1.0 if name == "stability" else 0.0, *values))
        ax.spines[["top", "right"]].set_visible(False)
    figure.suptitle(f"{choice.recommended} clusters recommended", fontsize=11, color=EXTRA)
    return figure
