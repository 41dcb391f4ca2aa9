"""The centers of a run that move: rows where alignments are fixed, else frames."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray

from graphmeans.cluster.centers.frame_centers import FrameCenters
from graphmeans.cluster.centers.vector_centers import MovingCenters, VectorCenters
from graphmeans.cluster.context import FitContext
from graphmeans.graphs.batch import GraphBatch


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
