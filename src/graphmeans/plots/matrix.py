"""Matrices as heat maps: the mean matrices of networks on named nodes, and how each differs from the central one."""

from __future__ import annotations

import re
import struct
import zlib
from base64 import b64encode
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
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
                found[c, at, at] = _loops(mean)
        return cls(names, found, np.asarray(sizes, dtype=np.float64), filled[0].directed)

    @cached_property
    def central(self) -> int:
        """The cluster that is nearest to all others, each of which weighs as much as it has networks: they are compared with it.

        In a mean of all networks what one cluster has less would be more in all others.
        """
        flat = self.means.reshape(len(self.means), -1)
        squares = np.einsum("ij,ij->i", flat, flat)
        far = squares[:, None] + squares[None] - 2.0 * (flat @ flat.T)
        filled = self.sizes > 0 if (self.sizes > 0).any() else np.ones(len(self.sizes), dtype=bool)
        return int(np.where(filled, np.round(far @ self.sizes, 9), np.inf).argmin())

    @cached_property
    def differences(self) -> FloatArray:
        """What each cluster has more than the central one."""
        return np.asarray(self.means - self.means[self.central])

    @cached_property
    def others_of_central(self) -> FloatArray:
        """The mean of all networks that are not in the central cluster."""
        weights = self.sizes.copy()
        weights[self.central] = 0.0
        return np.tensordot(weights / weights.sum(), self.means, axes=1) if weights.sum() > 0 else self.means[self.central]

    def largest_differences(self, cluster: int, count: int) -> list[tuple[Hashable, Hashable, float, float]]:
        """The entries in which a cluster differs most: two names, its own mean, and that of the central cluster.

        The central cluster is compared with all others together.
        """
        there = self.others_of_central if cluster == self.central else self.means[self.central]
        apart = np.abs(self.means[cluster] - there)
        if not self.directed:
            apart = np.triu(apart)
        flat = apart.ravel()
        if count < len(flat):  # those that may be among the largest; all that are as large as the last of them
            some = np.flatnonzero(flat >= np.partition(flat, len(flat) - count)[len(flat) - count])
        else:
            some = np.arange(len(flat))
        rows = [divmod(int(at), len(self.names)) for at in some[np.argsort(-flat[some], kind="stable")[:count]]]
        return [
            (self.names[i], self.names[j], float(self.means[cluster, i, j]), float(there[i, j]))
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
        The means themselves, or what each cluster has more than the central one, which is nearest to all others and is drawn as
        it is. All clusters share one scale.
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
    central = found.central if kind == "difference" and len(means) > 1 else None
    for c, ax in enumerate(axes):
        own = (least, most, colours) if c != central else scale_of(found.means[c], diverging=False)
        ramp = LinearSegmentedColormap.from_list("matrix", own[2])
        values = shown[c] if c != central else found.means[c]
        drawn = ax.imshow(values, vmin=own[0], vmax=own[1], cmap=ramp, interpolation="nearest")
        if c != central or not c:
            image = drawn
        ax.set_xticks(ticks, names, rotation=90, fontsize=6.5, color=INK)
        ax.set_yticks(ticks, names if c == 0 else [], fontsize=6.5, color=INK)
        ax.tick_params(length=0)
        of = f"cluster {c}, {int(sizes[c])} networks" if fitted else means[c].name or f"mean {c}"
        ax.set_title(of if c != central else f"{of}, as it is", fontsize=8.5, color=INK)
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


def _loops(mean: Graph) -> FloatArray:
    """What stands on the diagonal: the bare number of each node, which is its connection with itself; 0 where there is none."""
    own = mean.nodes.get(BARE)
    if own is None or own.dtype.kind != "f" or own.size != mean.n_nodes:
        return np.zeros(mean.n_nodes)
    values = np.ma.filled(own, 0.0).reshape(mean.n_nodes)
    return np.asarray(values * mean.node_support if isinstance(mean, MeanGraph) and mean.damped else values)


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
