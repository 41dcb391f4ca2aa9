"""Many graphs on one sheet: any graphs, all mean graphs, or a mean with its members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.errors import GraphError
from graphmeans.plots.axes import draw
from graphmeans.plots.drawing import drawing
from graphmeans.plots.frames import draw_member, frame_positions, joined
from graphmeans.plots.positions import layout, viewport
from graphmeans.plots.space import align_to_own

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Side of one picture, in inches, where the sheet makes its own figure.
CELL = 1.35


def contact_sheet(
    graphs: Iterable[Any],
    ax: Axes | None = None,
    *,
    columns: int = 6,
    titles: Sequence[str] | None = None,
    one_scale: bool = True,
    palette: Mapping[str, str] | None = None,
) -> Axes:
    """Draw graphs in rows.

    Parameters
    ----------
    graphs : collection of graphs
    ax : matplotlib axes, optional
        The pictures become inset axes of these.
    columns : int
    titles : one string a graph, optional
        By default their names.
    one_scale : bool
        Whether graphs with positions of their own are drawn to one scale.
    palette : mapping of node label to colour, optional

    Returns
    -------
    matplotlib.axes.Axes
        The outer axes; ``ax.child_axes`` are those of the pictures.
    """
    listed = to_graphs(graphs)
    said = [graph.name or "" for graph in listed] if titles is None else list(titles)
    if len(said) != len(listed):
        raise GraphError(f"{len(said)} titles for {len(listed)} graphs")
    window = viewport(listed) if one_scale else None
    outer, cells = grid(len(listed), columns, ax)
    for graph, title, cell in zip(listed, said, cells, strict=True):
        draw(graph, cell, viewport=window, palette=palette, title=title)
    return outer


def draw_cluster(
    estimator: Any,
    graphs: Iterable[Any],
    label: int,
    ax: Axes | None = None,
    *,
    n_members: int = 11,
    columns: int = 6,
) -> Axes:
    """The contact sheet of a cluster: its mean, then members from the nearest to the farthest, in the frame of the mean.

    Parameters
    ----------
    estimator : GraphKMeans
        Fitted to these graphs.
    graphs : collection of graphs
    label : int
        Which cluster.
    ax : matplotlib axes, optional
    n_members : int
        How many members, spread evenly over the distances to the mean.
    columns : int

    Returns
    -------
    matplotlib.axes.Axes
        The outer axes; ``ax.child_axes`` are those of the pictures, the mean first.
    """
    listed = to_graphs(graphs)
    if len(listed) != len(estimator.labels_):
        raise GraphError(f"the estimator was fitted to {len(estimator.labels_)} graphs, not to {len(listed)}")
    if not 0 <= label < estimator.n_clusters:
        raise GraphError(f"there is no cluster {label!r}; labels run from 0 to {estimator.n_clusters - 1}")
    members = np.flatnonzero(estimator.labels_ == label)
    members = members[np.argsort(estimator.distances_[members], kind="stable")]
    chosen = members[np.unique(np.linspace(0, len(members) - 1, min(n_members, len(members))).astype(int))]
    mean = estimator.centroids(kind="graph")[label]
    shown = [listed[i] for i in chosen]
    ways = align_to_own(estimator, shown, np.full(len(chosen), label))
    places = layout(mean)
    boxes = [drawing(mean, positions=places).box()]
    boxes += [
        drawing(g, positions=frame_positions(g, mean, way, places)).box() for g, way in zip(shown, ways, strict=True)
    ]
    window = joined(*boxes)
    outer, cells = grid(1 + len(shown), columns, ax)
    draw(mean, cells[0], viewport=window, title=f"mean of {len(members)}")
    for i, graph, way, cell in zip(chosen, shown, ways, cells[1:], strict=True):
        title = f"{graph.name or i}  {estimator.distances_[i]:.2f}"
        draw_member(graph, mean, way, cell, viewport=window, title=title)
    return outer


def grid(count: int, columns: int, ax: Axes | None = None) -> tuple[Axes, list[Axes]]:
    """Inset axes in rows inside the axes given, or inside those of a new figure of a fitting size."""
    if columns < 1:
        raise GraphError(f"columns must be at least 1, got {columns!r}")
    columns = max(1, min(columns, count))
    rows = max(1, -(-count // columns))
    if ax is None:
        from matplotlib import pyplot as plt

        figure = plt.figure(figsize=(columns * CELL, rows * CELL * 1.12))
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    ax.set_axis_off()
    cells = []
    for n in range(count):
        row, column = divmod(n, columns)
        wide, high = 1 / columns, 1 / rows
        cells.append(ax.inset_axes((column * wide, 1 - (row + 1) * high, wide, high * 0.84)))
    return ax, cells
