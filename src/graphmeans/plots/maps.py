"""Displays of all clusters at once: the map of the graphs, and the mean graphs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from graphmeans.evaluation.fitted import centers_of
from graphmeans.graphs.graph import Graph
from graphmeans.plots.axes import MEAN_INK, draw
from graphmeans.plots.displays import Display, sampled_points
from graphmeans.plots.embedding import landmark_map
from graphmeans.plots.pen import COLOURS, SOFT, darker, hues
from graphmeans.plots.positions import viewport
from graphmeans.plots.sheets import grid

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class EmbeddingDisplay(Display):
    """A map of the graphs and their centers: distances on it are like those of the metric, as far as a plane allows.

    Parameters
    ----------
    points : array of shape (graphs, 2)
        Where the graphs are.
    labels : array of shape (graphs,)
        Their clusters.
    centers : array of shape (k, 2)
        Where the centers are.
    means : sequence of MeanGraph, optional
        Drawn at their places; numbers otherwise.
    fidelity : float, default=float("nan")
        Correlation of the distances on the map with the true ones.
    n_graphs : int, optional
        Size of the collection; more than ``len(points)`` if a sample was taken.

    See Also
    --------
    PrototypeDisplay : The mean graphs alone.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, _ = gm.datasets.make_letters(60, random_state=0)
    >>> km = gm.GraphKMeans(15, n_init=1, random_state=0).fit(graphs)
    >>> display = gm.plots.EmbeddingDisplay.from_estimator(km, graphs)
    >>> display.points.shape
    (60, 2)
    """

    def __init__(
        self, points: ArrayLike, labels: ArrayLike, centers: ArrayLike, means: Sequence[Graph] | None = None,
        fidelity: float = float("nan"), n_graphs: int | None = None,
    ) -> None:  # fmt: skip
        self.points = np.asarray(points, dtype=np.float64).reshape(-1, 2)
        self.labels = np.asarray(labels, dtype=np.int64)
        self.centers = np.asarray(centers, dtype=np.float64).reshape(-1, 2)
        self.means = means
        self.fidelity = float(fidelity)
        self.n_graphs = len(self.points) if n_graphs is None else int(n_graphs)

    @classmethod
    def from_estimator(
        cls, estimator: Any, graphs: Any, *, max_graphs: int = 2000, n_landmarks: int = 32, pictures: bool = True,
        random_state: int = 0, ax: Axes | None = None, **style: Any,
    ) -> EmbeddingDisplay:  # fmt: skip
        """Match a sample of the graphs with the landmarks, which are centers, and draw the map.

        Parameters
        ----------
        estimator : GraphKMeans
            Fitted to these graphs.
        graphs : collection of graphs
            The graphs, as objects of one kind.
        max_graphs : int, default=2000
            The largest number of graphs on the map; they are spread over the clusters.
        n_landmarks : int, default=32
            The largest number of centers that are landmarks.
        pictures : bool, default=True
            Whether mean graphs are drawn at their places, where there are not too many.
        random_state : int, default=0
            Seed of the sample.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        **style
            Passed on to `plot`.

        Returns
        -------
        EmbeddingDisplay
            The display, drawn.
        """
        points, labels = sampled_points(estimator, graphs, max_graphs, random_state)
        found = landmark_map(estimator.space_, points, centers_of(estimator), n_landmarks)
        drawable = pictures and not isinstance(estimator.cluster_centers_, np.ndarray) and estimator.n_clusters <= 40
        means = estimator.centroids(kind="graph") if drawable else None
        return cls(found.points, labels, found.centers, means, found.fidelity, len(graphs)).plot(ax, **style)

    def plot(
        self, ax: Axes | None = None, *, colors: Sequence[str] = COLOURS, size: float = 9.0, picture_size: float = 0.085
    ) -> EmbeddingDisplay:
        """Draw the graphs as dots and the centers as pictures or numbers.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        colors : sequence of str, default=COLOURS
            The colours of the clusters, taken in turn.
        size : float, default=9.0
            The size of the dots in points.
        picture_size : float, default=0.085
            The side of a picture, as a share of the map.

        Returns
        -------
        EmbeddingDisplay
            The display itself; `ax_` and `figure_` are there afterwards.
        """
        ax = self._begin(ax, (6.4, 5.2))
        ax.set_axis_off()
        inks = [colors[n % len(colors)] for n in hues(self.centers, len(colors))]
        shades = [inks[label] for label in self.labels]
        ax.scatter(self.points[:, 0], self.points[:, 1], s=size, c=shades, alpha=0.55, linewidths=0)
        everything = np.concatenate([self.points, self.centers])
        low, high = everything.min(axis=0), everything.max(axis=0)
        margin = max(float((high - low).max()) * (picture_size if self.means is not None else 0.04), 1e-9)
        ax.set_xlim(low[0] - margin, high[0] + margin)
        ax.set_ylim(low[1] - margin, high[1] + margin)
        ax.set_aspect("equal", adjustable="box")
        wide = picture_size * float((high - low).max())
        for label, (x, y) in enumerate(self.centers):
            if self.means is not None:
                cell = ax.inset_axes((x - wide / 2, y - wide / 2, wide, wide), transform=ax.transData, zorder=5)
                draw(self.means[label], cell, color=darker(inks[label]), labels=False)
            else:
                ax.text(
                    x, y, str(label), ha="center", va="center", fontsize=8, fontweight="bold", color="white", zorder=5,
                    bbox={"boxstyle": "circle,pad=0.25", "facecolor": darker(inks[label]), "linewidth": 0},
                )  # fmt: skip
        of = "" if self.n_graphs == len(self.points) else f"{len(self.points):,} of {self.n_graphs:,} graphs; "
        if np.isfinite(self.fidelity):
            said = f"{of}distances on the map correlate {self.fidelity:.2f} with true ones"
            ax.set_title(said, fontsize=9, color=SOFT)
        return self


class PrototypeDisplay(Display):
    """The mean graphs, the largest cluster first.

    Parameters
    ----------
    means : sequence of MeanGraph
        The mean graphs.
    sizes : sequence of int
        The sizes of the clusters.
    labels : sequence of int, optional
        The numbers of the clusters; 0, 1, ... by default.

    See Also
    --------
    contact_sheet : Any graphs.
    draw_cluster : A mean with its members.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, _ = gm.datasets.make_letters(60, random_state=0)
    >>> km = gm.GraphKMeans(15, n_init=1, random_state=0).fit(graphs)
    >>> display = gm.plots.PrototypeDisplay.from_estimator(km)
    >>> len(display.means)
    15
    """

    def __init__(self, means: Sequence[Graph], sizes: Sequence[int], labels: Sequence[int] | None = None) -> None:
        self.means = list(means)
        self.sizes = [int(size) for size in sizes]
        self.labels = list(range(len(self.means))) if labels is None else [int(label) for label in labels]

    @classmethod
    def from_estimator(cls, estimator: Any, *, ax: Axes | None = None, **style: Any) -> PrototypeDisplay:
        """Draw the mean graphs of a fitted estimator.

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
        PrototypeDisplay
            The display, drawn.
        """
        check_is_fitted(estimator)
        sizes = np.bincount(estimator.labels_, minlength=estimator.n_clusters)
        order = np.argsort(-sizes, kind="stable")
        means = estimator.centroids(kind="graph")
        return cls([means[c] for c in order], sizes[order].tolist(), order.tolist()).plot(ax, **style)

    def plot(self, ax: Axes | None = None, *, columns: int = 6, color: str = MEAN_INK) -> PrototypeDisplay:
        """Draw one picture for each cluster, to one scale where the graphs have positions of their own.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        columns : int, default=6
            The number of pictures in a row.
        color : str, default=MEAN_INK
            The colour of the ink.

        Returns
        -------
        PrototypeDisplay
            The display itself; `ax_` and `figure_` are there afterwards.
        """
        outer, cells = grid(len(self.means), columns, ax)
        window = viewport(self.means)
        for mean, size, label, cell in zip(self.means, self.sizes, self.labels, cells, strict=True):
            draw(mean, cell, viewport=window, color=color, title=f"{label}: {size}")
        self.ax_, self.figure_, self.axes_ = outer, outer.get_figure(), cells
        return self
