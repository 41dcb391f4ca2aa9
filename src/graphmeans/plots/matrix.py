"""Matrices as heat maps: the mean matrices of networks on named nodes, and how each differs from the mean of all."""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b64encode
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from graphmeans.graphs.batch import FloatArray
from graphmeans.graphs.errors import GraphError
from graphmeans.graphs.graph import BARE, Graph
from graphmeans.graphs.mean_graph import MeanGraph
from graphmeans.plots.axes import INK
from graphmeans.plots.network import is_labelled
from graphmeans.plots.text import plain_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Colours from little to much, an ink that no difference is drawn in, and from less than usual over as usual to more.
RISING = ("#f7f6f3", "#d3d1cd", "#9b9a98", "#5b5c5f", "#16181c")
DIVERGING = ("#2166ac", "#92c5de", "#f6f6f6", "#f4a582", "#b2182b")
#: The largest entries do not decide the scale: this share of the entries lies within it.
WITHIN = 0.995
#: Names that are written along an axis at most.
MOST_NAMES = 30


@dataclass(frozen=True)
class MeanMatrices:
    """The mean matrices of clusters of networks, all in one order of the nodes.

    Parameters
    ----------
    names : list
        The names of the nodes, in the order of rows and columns.
    means : array of shape (k, n, n)
    sizes : array of shape (k,)
        How many networks each cluster has.
    directed : bool
    """

    names: list[Hashable]
    means: FloatArray
    sizes: FloatArray
    directed: bool

    @classmethod
    def of_means(
        cls, means: Sequence[Graph], sizes: ArrayLike, weight: str | None = None, order: Sequence[Hashable] | None = None
    ) -> MeanMatrices | None:
        """The matrices of mean graphs; None if these are no networks on named nodes.

        Rows come as `order` says, or by their names: "area 2" before "area 10".
        """
        filled = [mean for mean in means if mean.n_edges]
        if not filled or not all(is_labelled(mean) for mean in filled):
            return None
        every = dict.fromkeys(role for mean in filled for role in mean.roles or ())
        first = [name for name in order or () if name in every]
        names = first + sorted(every.keys() - set(first), key=_natural)
        place = {name: i for i, name in enumerate(names)}
        found = np.zeros((len(means), len(names), len(names)))
        for c, mean in enumerate(means):
            if mean.n_edges:
                at = np.array([place[role] for role in mean.roles or ()])
                i, j = at[mean.edges].T
                found[c, i, j] = _entries(mean, weight)
                if not mean.directed:
                    found[c, j, i] = found[c, i, j]
        return cls(names, found, np.asarray(sizes, dtype=np.float64), filled[0].directed)

    @property
    def mean_of_all(self) -> FloatArray:
        """The mean of all networks together."""
        total = self.sizes.sum()
        return np.tensordot(self.sizes / total, self.means, axes=1) if total > 0 else self.means.mean(axis=0)

    @property
    def differences(self) -> FloatArray:
        """What each cluster has more than the mean of all networks."""
        return self.means - self.mean_of_all

    def largest_differences(self, cluster: int, count: int) -> list[tuple[Hashable, Hashable, float, float]]:
        """The entries in which a cluster differs most: two names, its own mean, and the mean of all."""
        apart = np.abs(self.means[cluster] - self.mean_of_all)
        np.fill_diagonal(apart, 0.0)
        if not self.directed:
            apart = np.triu(apart)
        rows = [divmod(int(flat), len(self.names)) for flat in np.argsort(-apart, axis=None, kind="stable")[:count]]
        return [
            (self.names[i], self.names[j], float(self.means[cluster, i, j]), float(self.mean_of_all[i, j]))
            for i, j in rows
            if apart[i, j] > 0
        ]


def draw_matrices(
    estimator: Any, axes: Sequence[Axes] | None = None, *, kind: str = "mean", order: Sequence[Hashable] | None = None,
    weight: str | None = None,
) -> list[Axes]:  # fmt: skip
    """Draw the mean matrices of clusters of networks on named nodes, as heat maps in one order of the nodes.

    Parameters
    ----------
    estimator : GraphKMeans or sequence of MeanGraph
        A fitted estimator, or mean graphs.
    axes : sequence of matplotlib axes, optional
        One for each cluster; a new figure by default.
    kind : {"mean", "difference"}, default="mean"
        The means themselves, or what each cluster has more than the mean of all networks. All clusters share one scale.
    order : sequence of names, optional
        The order of the rows; by default that of the names, in which "area 2" comes before "area 10".
    weight : str, optional
        The edge attribute; may be left out if there is only one that is a number.

    Returns
    -------
    list of matplotlib.axes.Axes
        One for each cluster.

    See Also
    --------
    structures.labelled_networks : Makes such networks.
    draw : One network as nodes and edges.

    Examples
    --------
    >>> import numpy as np, graphmeans as gm
    >>> rng = np.random.default_rng(0)
    >>> matrices = [np.corrcoef(rng.normal(size=(5, 20))) for _ in range(8)]
    >>> networks = gm.structures.labelled_networks(matrices, labels=list("abcde"))
    >>> km = gm.GraphKMeans(2, random_state=0).fit(networks)
    >>> len(gm.plots.draw_matrices(km, kind="difference"))
    2
    """
    if kind not in ("mean", "difference"):
        raise GraphError(f"kind must be 'mean' or 'difference', got {kind!r}")
    fitted = hasattr(estimator, "centroids")
    means = estimator.centroids("graph") if fitted else list(estimator)
    sizes = np.bincount(estimator.labels_, minlength=len(means)) if fitted else np.ones(len(means))
    found = MeanMatrices.of_means(means, sizes, weight, order)
    if found is None:
        raise GraphError("matrices are drawn of networks on named nodes: see gm.structures.labelled_networks")
    shown = found.means if kind == "mean" else found.differences
    least, most, colours = scale_of(shown, diverging=kind == "difference")
    if axes is None:
        from matplotlib import pyplot as plt

        wide = 3.1 * len(means) + 0.6
        axes = list(plt.subplots(1, len(means), figsize=(wide, 3.4), layout="constrained", squeeze=False)[1][0])
    from matplotlib.colors import LinearSegmentedColormap

    ticks = shown_ticks(len(found.names))
    names = [plain_text(found.names[i], 16) for i in ticks]
    for c, ax in enumerate(axes):
        image = ax.imshow(
            shown[c], vmin=least, vmax=most, cmap=LinearSegmentedColormap.from_list("matrix", colours), interpolation="nearest"
        )
        ax.set_xticks(ticks, names, rotation=90, fontsize=6.5, color=INK)
        ax.set_yticks(ticks, names if c == 0 else [], fontsize=6.5, color=INK)
        ax.tick_params(length=0)
        of = f"cluster {c}, {int(sizes[c])} networks" if fitted else means[c].name or f"mean {c}"
        ax.set_title(of, fontsize=8.5, color=INK)
    axes[-1].figure.colorbar(image, ax=list(axes), shrink=0.8, aspect=30).ax.tick_params(labelsize=6.5)
    return list(axes)


def scale_of(values: FloatArray, *, diverging: bool) -> tuple[float, float, tuple[str, ...]]:
    """Where the colours begin and end, and which they are: values of both signs are drawn from blue over white to red."""
    most = float(np.quantile(np.abs(values), WITHIN)) or float(np.abs(values).max(initial=0.0)) or 1.0
    if diverging or float(np.quantile(values, 1 - WITHIN)) < -0.1 * most:
        return -most, most, DIVERGING
    return 0.0, most, RISING


def shown_ticks(count: int, most: int = MOST_NAMES) -> list[int]:
    """Which rows have their names written: all of them, or evenly spread ones, of pairs of a left and a right one both sides."""
    return list(range(0, count, -(-count // most) | 1))


def heat_map(values: FloatArray, least: float, most: float, colours: Sequence[str]) -> str:
    """A matrix as a PNG image, one pixel an entry, written as a data address."""
    table = _table(colours)
    levels = np.clip((values - least) / (most - least) * (len(table) - 1), 0, len(table) - 1).round().astype(np.uint8)
    rows = np.hstack([np.zeros((len(levels), 1), dtype=np.uint8), levels])
    height, width = values.shape
    parts = [
        (b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)), (b"PLTE", table.tobytes()),
        (b"IDAT", zlib.compress(rows.tobytes(), 9)), (b"IEND", b""),
    ]  # fmt: skip
    chunks = (struct.pack(">I", len(d)) + t + d + struct.pack(">I", zlib.crc32(t + d)) for t, d in parts)
    return "data:image/png;base64," + b64encode(b"\x89PNG\r\n\x1a\n" + b"".join(chunks)).decode()


def _natural(name: Hashable) -> list[tuple[int, int, str]]:
    """A key that sorts names with numbers in them by these numbers."""
    return [(0, int(part), "") if part.isdigit() else (1, 0, part) for part in re.findall(r"\d+|\D+", str(name))]


def _table(colours: Sequence[str], count: int = 64) -> NDArray[np.uint8]:
    """So many colours, evenly spread along the way from the first to the last; few, so that images stay small."""
    corners = np.array([[int(colour[n : n + 2], 16) for n in (1, 3, 5)] for colour in colours], dtype=np.float64)
    at = np.linspace(0, len(corners) - 1, count)
    return np.stack([np.interp(at, np.arange(len(corners)), part) for part in corners.T], axis=1).round().astype(np.uint8)


def _entries(mean: Graph, weight: str | None) -> FloatArray:
    """The mean entry of each edge: its value times its support."""
    columns = {key: c for key, c in mean.edge_attributes.items() if c.dtype.kind == "f"}
    usual = [name for name in (BARE, "weight", *columns) if name in columns]
    name = weight if weight is not None or not usual else usual[0]
    if name is None:
        values = np.ones(mean.n_edges)
    elif name in columns:
        values = np.ma.filled(columns[name], 0.0).reshape(mean.n_edges, -1)[:, 0]
    else:
        raise GraphError(f"there is no numeric edge attribute {weight!r}")
    return values * mean.edge_support if isinstance(mean, MeanGraph) and mean.damped else values
