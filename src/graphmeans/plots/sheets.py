"""Many graphs on one sheet: a list of graphs, or a mean graph with its members."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from graphmeans.evaluation.fitted import align_as_fitted, centers_of, fitted_labels, members_by_distance, points_of
from graphmeans.graphs.batch import IntArray
from graphmeans.graphs.convert import to_graphs
from graphmeans.graphs.errors import GraphError
from graphmeans.plots.axes import draw
from graphmeans.plots.drawing import drawing
from graphmeans.plots.members import draw_member, frame_positions, union_box
from graphmeans.plots.positions import layout, viewport

if TYPE_CHECKING:
    from matplotlib.axes import Axes

#: Side of one picture in inches, where the sheet makes a new figure.
CELL = 1.35


def contact_sheet(
    graphs: Iterable[Any], ax: Axes | None = None, *, columns: int = 6, titles: Sequence[str] | None = None,
    one_scale: bool = True, palette: Mapping[str, str] | None = None,
) -> Axes:  # fmt: skip
    """Draw graphs in rows.

    Parameters
    ----------
    graphs : collection of graphs
        The graphs, as objects of one kind.
    ax : matplotlib axes, optional
        The pictures become inset axes of these.
    columns : int, default=6
        The number of pictures in a row.
    titles : sequence of str, optional
        One for each graph; their names by default.
    one_scale : bool, default=True
        Whether graphs with positions of their own are drawn to one scale.
    palette : mapping of node label to colour, optional
        Colours of nodes by their string attribute.

    Returns
    -------
    matplotlib.axes.Axes
        The outer axes; ``ax.child_axes`` are those of the pictures.

    See Also
    --------
    draw : One graph.
    draw_cluster : A mean with its members.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, _ = gm.datasets.make_letters(6, random_state=0)
    >>> ax = gm.plots.contact_sheet(graphs, columns=3)
    >>> len(ax.child_axes)
    6
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
    estimator: Any, graphs: Iterable[Any], label: int, ax: Axes | None = None, *, n_members: int = 11,
    columns: int = 6,
) -> Axes:  # fmt: skip
    """Draw the mean of a cluster, then members from the nearest to the farthest, in the frame of the mean.

    Parameters
    ----------
    estimator : GraphKMeans
        Fitted to these graphs.
    graphs : collection of graphs
        The graphs, as objects of one kind.
    label : int
        Which cluster.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    n_members : int, default=11
        How many members, spread evenly over the distances to the mean.
    columns : int, default=6
        The number of pictures in a row.

    Returns
    -------
    matplotlib.axes.Axes
        The outer axes; ``ax.child_axes`` are those of the pictures, the mean first.

    See Also
    --------
    PrototypeDisplay : The means of all clusters.
    draw_member : One member over its mean.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs, _ = gm.datasets.make_letters(60, random_state=0)
    >>> km = gm.GraphKMeans(15, n_init=1, random_state=0).fit(graphs)
    >>> ax = gm.plots.draw_cluster(km, graphs, 0, n_members=2)
    >>> len(ax.child_axes)
    3
    """
    listed = to_graphs(graphs)
    labels = fitted_labels(estimator, listed)
    if not 0 <= label < estimator.n_clusters:
        raise GraphError(f"there is no cluster {label!r}; labels run from 0 to {estimator.n_clusters - 1}")
    members = members_by_distance(labels, estimator.distances_, label)
    chosen = members[np.unique(np.linspace(0, len(members) - 1, min(n_members, len(members))).astype(int))]
    mean = estimator.centroids(kind="graph")[label]
    shown = [listed[i] for i in chosen]
    mappings: list[IntArray] = []
    if shown:
        points, centers = points_of(estimator, shown), centers_of(estimator)
        found, _ = align_as_fitted(estimator, estimator.space_, points, centers, chosen)
        mappings = [found.mapping(p) for p in range(len(shown))]
    places = layout(mean)
    drawings = [drawing(mean, positions=places)]
    for graph, mapping in zip(shown, mappings, strict=True):
        drawings.append(drawing(graph, positions=frame_positions(graph, mean, mapping, places)))
    window = union_box(*(picture.box() for picture in drawings))
    outer, cells = grid(1 + len(shown), columns, ax)
    draw(mean, cells[0], viewport=window, title=f"mean of {len(members)}")
    for i, graph, mapping, cell in zip(chosen, shown, mappings, cells[1:], strict=True):
        title = f"{graph.name or i}  {estimator.distances_[i]:.2f}"
        draw_member(graph, mean, mapping, cell, viewport=window, title=title)
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
    wide, high = 1 / columns, 1 / rows
    places = [divmod(n, columns) for n in range(count)]
    return ax, [ax.inset_axes((column * wide, 1 - (row + 1) * high, wide, high * 0.84)) for row, column in places]
