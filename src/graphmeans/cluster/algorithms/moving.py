"""The centers of a run that move: rows where alignments are fixed, else frames."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.centers.vector_centers import MovingCenters, VectorCenters
from graphmeans.cluster.context import FitContext
from graphmeans.file_schema import FRAMES, ROWS
from graphmeans.graphs.batch import GraphBatch
from graphmeans.schema import check


def no_centers(context: FitContext, k: int) -> MovingCenters:
    """Room for k seeds, which are to be appended."""
    layout = context.space.layout
    return FrameCenters(context.order, context.data.like, k) if layout is None else VectorCenters(layout, k)


def centers_of_graphs(context: FitContext, graphs: GraphBatch) -> MovingCenters:
    """Graphs as seeds, in their order."""
    layout = context.space.layout
    return FrameCenters.from_graphs(context.order, graphs) if layout is None else VectorCenters.from_graphs(layout, graphs)


def centers_of_arrays(context: FitContext, arrays: dict[str, NDArray[Any]]) -> MovingCenters:
    """The centers that a checkpoint holds."""
    layout = context.space.layout
    if layout is not None:
        return VectorCenters.from_arrays(layout, arrays)
    return FrameCenters.from_arrays(context.bounded_order(), context.data.like, arrays)


def check_centers(context: FitContext, arrays: dict[str, NDArray[Any]], k: int) -> None:
    """Raise a `GraphError` if the arrays of a checkpoint are not k centers of this space."""
    layout, like = context.space.layout, context.data.like
    if layout is not None:
        check(ROWS, arrays, "its centers", k=k, width=layout.width)
        return
    capacity = max(1, int(context.bounded_order().sum()))
    check(FRAMES, arrays, "its centers", k=k, capacity=capacity, dv=like.nodes.shape[1], de=like.edge_values.shape[1])
