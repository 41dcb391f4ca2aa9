"""Check that a loaded estimator is consistent in itself, because kernels do not check the arrays that they are given."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.graphs.batch import GraphBatch
from graphmeans.graphs.encoding.columns import Angles, Categories, Column, Numbers
from graphmeans.graphs.encoding.encoder import GraphEncoder
from graphmeans.graphs.errors import GraphError
from graphmeans.matching.match import Matcher
from graphmeans.matching.pairs import UNBOUNDED
from graphmeans.means.frames import Centers
from graphmeans.nearest.points import AXES, Axes, Points, plain_sketches
from graphmeans.nearest.sketches import Sketches
from graphmeans.search.names import NameTable
from graphmeans.space import GraphSpace

#: The largest order of a space, number of threads and effort that a file may ask for, because they cost memory and time.
MAX_ORDER, MAX_THREADS, MAX_EFFORT = 1 << 15, 4096, 1e4
#: A share may exceed 1 by this much, because of rounding.
_ROUNDING = 1e-9
#: Graphs of an index that are sketched again to see that its sketches are theirs.
SKETCHES_CHECKED = 200


def check_model(estimator: Any) -> None:
    """Raise a `GraphError` unless the parts of an estimator fit together."""
    encoder, space, centers = estimator.encoder_, estimator.space_, estimator._centers
    _expect(isinstance(encoder, GraphEncoder), "its encoder")
    _expect(isinstance(space, GraphSpace), "its space")
    _expect(isinstance(centers, Centers) and isinstance(centers.batch, GraphBatch), "its centers")
    check_encoder(encoder)
    check_space(space, encoder)
    check_batch(centers.batch, encoder)
    _check_centers(centers, space)
    _check_fitted(estimator, len(centers))
    width = centers.batch.nodes.shape[1]
    _expect(estimator._kind != "array" or getattr(estimator, "n_features_in_", None) == width, "its number of features")
    estimator.centroids("graph")  # decoding checks the values themselves


def check_index(index: Any) -> None:
    """Raise a `GraphError` unless the parts of an index fit together.

    What is searched is as large as the file, so no more than a sample of the sketches is made again.
    """
    encoder, space, points, names = index.encoder_, index.space_, index._points_in, index.names_
    _expect(isinstance(encoder, GraphEncoder), "its encoder")
    _expect(isinstance(space, GraphSpace), "its space")
    _expect(isinstance(points, Points) and isinstance(points.batch, GraphBatch), "its graphs")
    _expect(isinstance(points.axes, Axes) and isinstance(points.sketches, Sketches), "its sketches")
    check_encoder(encoder)
    check_space(space, encoder)
    batch, count = points.batch, len(points.batch)
    check_batch(batch, encoder)
    _expect(count > 0 and bool((batch.role_counts <= space.order).all()), "its order")
    numbers = index.indices_
    _expect(_whole(numbers, np.int64) and numbers.shape == (count,) and bool((np.diff(numbers) > 0).all()), "its numbers")
    _expect(type(index.n_seen_) is int and numbers[0] >= 0 and bool(numbers[-1] < index.n_seen_), "its numbers")
    _expect(isinstance(names, NameTable) and _whole(names.present, np.bool_) and names.present.shape == (count,), "its names")
    _expect(_whole(names.letters, np.uint8) and names.letters.ndim == 1 and len(names.ptr) == count + 1, "its names")
    _check_offsets(names.ptr, len(names.letters))
    _check_sketches(points)


def _check_sketches(points: Points) -> None:
    axes, sketches, count = points.axes, points.sketches, len(points.batch)
    _expect(_floats(axes.mean, 1) and _floats(axes.directions, 2), "its sketches")
    dim, along = axes.directions.shape
    _expect(axes.mean.shape == (dim,) and dim <= MAX_ORDER**2 and along <= AXES + 1, "its sketches")
    values, norms = sketches.values, sketches.norms
    _expect(values.dtype == np.float32 and values.shape == (count, along + (along < dim)), "its sketches")
    _expect(_floats(norms, 1) and norms.shape == (count,) and bool(np.isfinite(values).all()), "its sketches")
    some = np.unique(np.linspace(0, count - 1, min(count, SKETCHES_CHECKED)).astype(np.int64))
    _expect(plain_sketches(points.batch.take(some[:1]), points.order).shape[1] == dim, "its sketches")
    again = points.sketch(points.batch.take(some))
    close = np.allclose(again.values, values[some], rtol=0, atol=1e-4 * max(float(norms.max()), 1e-300))
    _expect(close and np.allclose(again.norms, norms[some]), "its sketches, which may be those of another release,")


def check_encoder(encoder: GraphEncoder) -> None:
    """Raise unless the options and columns of an encoder have the types and shapes that encoding expects."""
    encoder._choices()
    for columns in (encoder.node_columns_, encoder.edge_columns_):
        _expect(isinstance(columns, list) and all(isinstance(column, Column) for column in columns), "its columns")
        for column in columns:
            _check_column(column)
    _expect(isinstance(encoder.roles_, tuple) and len(encoder.roles_) > 0, "its roles")
    _expect(isinstance(encoder.directed_, bool), "its direction")
    _expect(isinstance(encoder.edge_presence_, (int, float)) and np.isfinite(encoder.edge_presence_), "its edge presence")
    left_out = encoder.left_out_
    _expect(isinstance(left_out, dict) and all(isinstance(left_out.get(p), list) for p in ("node", "edge")), "its columns")


def _check_column(column: Column) -> None:
    what = f"column {column.name!r}"
    _expect(isinstance(column.name, str) and isinstance(column.not_of, frozenset), what)
    _expect(_number(column.factor) and column.factor > 0, what)
    if isinstance(column, Numbers):
        _expect(_floats(column.center, 1) and _floats(column.scale, 1), what)
        _expect(column.center.shape == column.scale.shape and bool((column.scale > 0).all()), what)
        _expect(isinstance(column.scalar, bool) and column.scaling in ("standardise", "robust", "keep"), what)
        _expect(not column.scalar or column.width == 1, what)
    elif isinstance(column, Categories):
        kinds = {type(value) for value in column.categories}
        _expect(isinstance(column.categories, tuple) and len(kinds) <= 1 and kinds <= {bool, float, str}, what)
        _expect(column.blank is None or isinstance(column.blank, str), what)
    elif isinstance(column, Angles):
        _expect(_number(column.period) and column.period > 0 and _number(column.low), what)
    _expect(_floats(column.average, 1) and column.average.shape == (column.width,), what)


def check_space(space: GraphSpace, encoder: GraphEncoder) -> None:
    """Raise unless a space has a valid order, weights, and a matcher that accepts its own parameters."""
    order = space.order
    _expect(isinstance(order, np.ndarray) and order.dtype == np.int64 and order.ndim == 1, "its order")
    _expect(isinstance(space.roles, tuple) and space.roles == encoder.roles_ and len(order) == len(space.roles), "its roles")
    _expect(bool(((order >= 0) & (order <= UNBOUNDED)).all()), "its order")
    _expect(bool(order[order < UNBOUNDED].sum() <= MAX_ORDER), "its order")
    _expect(isinstance(space.matcher, Matcher), "its matcher")
    effort = space.matcher.get_params().get("effort", 1.0)
    _expect(_number(effort) and effort <= MAX_EFFORT, "its effort")
    dv = sum(column.width for column in encoder.node_columns_) + bool(encoder.presence)
    _expect(space.shift is None or (_floats(space.shift, 1) and space.shift.shape == (dv,)), "its shift")
    jobs = space.n_jobs
    _expect(jobs is None or (type(jobs) is int and 0 < abs(jobs) <= MAX_THREADS), "its number of threads")
    nothing = _nothing(encoder)
    space.match(nothing, nothing, np.zeros((0, 2), dtype=np.int64))


def check_batch(batch: GraphBatch, encoder: GraphEncoder) -> None:
    """Raise unless offsets, end nodes and roles are in range, widths are those of the encoder, and values are finite."""
    dv = sum(column.width for column in encoder.node_columns_) + bool(encoder.presence)
    de = (sum(column.width for column in encoder.edge_columns_) + bool(encoder.edge_presence_)) * (1 + encoder.directed_)
    _expect(_floats(batch.nodes, 2) and batch.nodes.shape[1] == dv, "its nodes")
    _expect(_floats(batch.edge_values, 2) and batch.edge_values.shape[1] == de, "its edges")
    _expect(batch.directed == encoder.directed_ and batch.role_names == encoder.roles_, "its centers")
    _check_offsets(batch.node_ptr, len(batch.nodes))
    _check_offsets(batch.edge_ptr, len(batch.edge_values))
    _expect(len(batch.node_ptr) == len(batch.edge_ptr), "its centers")
    roles, ends = batch.roles, batch.ends
    _expect(_whole(roles, np.int32) and roles.shape == (len(batch.nodes),), "its roles")
    _expect(bool(((roles >= 0) & (roles < len(batch.role_names))).all()), "its roles")
    _expect(_whole(ends, np.int32) and ends.shape == (len(batch.edge_values), 2), "its edges")
    size = np.repeat(batch.sizes, np.diff(batch.edge_ptr))
    _expect(bool(((ends[:, 0] >= 0) & (ends[:, 0] < ends[:, 1]) & (ends[:, 1] < size)).all()), "its edges")
    owner = np.repeat(np.arange(len(batch)), np.diff(batch.edge_ptr))
    _expect(len(np.unique(np.column_stack([owner, ends]), axis=0)) == len(ends), "its edges")


def _check_centers(centers: Centers, space: GraphSpace) -> None:
    batch = centers.batch
    _expect(len(batch) > 0, "its centers")
    _expect(bool((batch.role_counts <= space.order).all()), "its order")
    _expect(isinstance(centers.damped, bool), "its support")
    node, edge = centers.node_support, centers.edge_support
    _expect(_floats(node, 1) and node.shape == (len(batch.nodes),), "its support")
    _expect(_floats(edge, 2) and edge.shape == (len(batch.ends), 1 + batch.directed), "its support")
    _expect(bool(((node > 0) & (node <= 1 + _ROUNDING)).all()), "its support")
    _expect(bool(((edge >= 0) & (edge <= 1 + _ROUNDING)).all()), "its support")


def _check_fitted(estimator: Any, k: int) -> None:
    n_clusters = getattr(estimator, "n_clusters", k)
    _expect(type(n_clusters) is int and n_clusters == k, "its number of clusters")
    counts = getattr(estimator, "counts_", None)
    _expect(counts is None or (_floats(counts, 1) and len(counts) == k and bool((counts >= 0).all())), "its counts")
    labels = getattr(estimator, "labels_", None)
    if labels is not None:
        _expect(_whole(labels, np.int32) and labels.ndim == 1, "its labels")
        _expect(bool(((labels >= 0) & (labels < k)).all()), "its labels")
        _expect(_floats(estimator.distances_, 1) and len(estimator.distances_) == len(labels), "its distances")
        proven = getattr(estimator, "certified_", None)
        if proven is not None:
            _expect(_whole(proven, np.bool_) and proven.shape == labels.shape, "its certificates")
            margins = estimator.certified_margins_
            _expect(_floats(margins, 1) and margins.shape == labels.shape, "its certificates")
            _expect(bool(((margins >= 0) & (margins <= 1)).all()), "its certificates")


def _nothing(encoder: GraphEncoder) -> GraphBatch:
    """Return an empty batch of graphs of this encoder."""
    ptr, values = np.zeros(1, np.int64), np.zeros((0, 1))
    roles, ends = np.zeros(0, np.int32), np.zeros((0, 2), np.int32)
    return GraphBatch(ptr, values, roles, ptr, ends, values, encoder.directed_, encoder.roles_)


def _check_offsets(ptr: Any, total: int) -> None:
    _expect(_whole(ptr, np.int64) and ptr.ndim == 1 and len(ptr) > 0, "its offsets")
    _expect(bool(ptr[0] == 0 and ptr[-1] == total and (np.diff(ptr) >= 0).all()), "its offsets")


def _floats(array: Any, ndim: int) -> bool:
    numeric = isinstance(array, np.ndarray) and array.dtype == np.float64 and array.ndim == ndim
    return numeric and bool(np.isfinite(array).all())


def _whole(array: NDArray[Any], kind: Any) -> bool:
    return isinstance(array, np.ndarray) and array.dtype == kind


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and bool(np.isfinite(value))


def _expect(fits: bool, what: str) -> None:
    if not fits:
        raise GraphError(f"is not consistent in itself: {what} cannot be right")
