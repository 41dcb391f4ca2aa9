"""A map of graphs: points of the plane whose distances are like those of the graphs, from the distances to landmarks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from graphmeans.graphs.batch import FloatArray, GraphBatch, IntArray
from graphmeans.plots.positions import lying
from graphmeans.space import GraphSpace

_STEPS = 120


@dataclass(frozen=True)
class Map:
    """Where the graphs and the centers stand, and how true the map is."""

    points: FloatArray  # (graphs, 2)
    centers: FloatArray  # (k, 2)
    landmarks: IntArray  # the centers whose distances were used
    to_landmarks: FloatArray  # (graphs, landmarks)
    fidelity: float  # correlation of distances on the map with true ones


def landmark_map(space: GraphSpace, points: GraphBatch, centers: GraphBatch, n_landmarks: int = 32) -> Map:
    """Place graphs and centers by their distances to landmarks, which are centers spread over all of them.

    Matchings: at most those between landmarks, and from every graph and every other center to every landmark.
    """
    chosen = np.arange(len(centers)) if len(centers) <= n_landmarks else _spread(space, centers, n_landmarks)
    among = space.distances(centers.take(chosen))
    frame = scaled_plane(among)
    far = space.distances(points, centers.take(chosen)) if len(points) else np.zeros((0, len(chosen)))
    place = Placer(among, frame, far)
    others = np.setdiff1d(np.arange(len(centers)), chosen)
    from_centers = np.zeros((len(centers), len(chosen)))
    from_centers[chosen] = among
    if len(others):
        from_centers[others] = space.distances(centers.take(others), centers.take(chosen))
    middle, places = place(from_centers), place(far)
    shown = np.linalg.norm(places[:, None] - middle[None, chosen], axis=2)
    varied = far.size > 2 and far.std() and shown.std()
    fidelity = float(np.corrcoef(far.ravel(), shown.ravel())[0, 1]) if varied else 1.0
    return Map(places, middle, chosen, far, fidelity)


def scaled_plane(distances: FloatArray) -> FloatArray:
    """Points of the plane with distances like these: classical scaling, then least squares stress (SMACOF)."""
    n = len(distances)
    if n < 2:
        return np.zeros((n, 2))
    values, vectors = _principal_axes(distances)
    top = np.argsort(-values)[:2]
    points = np.zeros((n, 2))
    points[:, : len(top)] = vectors[:, top] * np.sqrt(np.maximum(values[top], 0.0))
    points += 1e-6 * np.column_stack([np.cos(np.arange(n)), np.sin(np.arange(n))])  # no two on one spot
    itself = np.arange(n)
    for _ in range(_STEPS):
        x, y = points.T
        apart = np.sqrt((x[:, None] - x) ** 2 + (y[:, None] - y) ** 2)
        ratio = np.divide(distances, apart, out=np.zeros_like(apart), where=apart > 1e-12)
        guide = -ratio
        guide[itself, itself] = ratio.sum(axis=1)
        points = guide @ points / n
    return lying(points - points.mean(axis=0))


def _principal_axes(distances: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvalues and eigenvectors of the inner products that belong to these distances (classical scaling)."""
    centered = np.eye(len(distances)) - 1 / len(distances)
    return np.linalg.eigh(-0.5 * centered @ distances**2 @ centered)


class Placer:
    """The linear map that takes every landmark to its place, for graphs known by their distances to the landmarks.

    Squared distances to the landmarks, less what they have in common, are linear in where a graph stands among them
    (de Silva & Tenenbaum's triangulation). What is peculiar to the graph alone adds to all of them alike and drops out: a
    graph half-way between two centers is drawn half-way, however odd it is otherwise. Directions in which graphs scatter
    about their centers more than the centers differ are damped (ridge regression): they would only blur the map.
    """

    def __init__(self, among: FloatArray, frame: FloatArray, far: FloatArray) -> None:
        n = len(among)
        self.base = (among**2).mean(axis=1)
        values, vectors = _principal_axes(among)
        kept = values > max(values.max(initial=0.0), 1e-12) * 1e-3
        self.back = vectors[:, kept] / np.sqrt(values[kept])  # triangulation: -1/2 (d^2 - base) @ back
        own = self._among(among)
        scatter = self._among(far) - own[far.argmin(axis=1)] if len(far) else np.zeros((1, own.shape[1]))
        # 0.455 is the median of the square of a standard normal variable.
        noise = np.median(scatter**2, axis=0).sum() / max(own.shape[1], 1) / 0.455
        damping = (n * noise + 1e-9 * np.trace(own.T @ own)) * np.eye(own.shape[1])
        self.turn = np.linalg.solve(own.T @ own + damping, own.T @ (frame - frame.mean(axis=0)))
        self.middle = frame.mean(axis=0)

    def _among(self, distances: FloatArray) -> FloatArray:
        return np.asarray(-0.5 * (distances**2 - self.base) @ self.back)

    def __call__(self, distances: FloatArray) -> FloatArray:
        among = self._among(distances)
        places = among @ self.turn + self.middle
        if self.back.shape[1] < 2 and len(distances):  # on a line: how far off the line makes the second coordinate
            off = distances.min(axis=1) ** 2
            places = np.column_stack([places[:, 0], np.sqrt(np.maximum(off - off.min(), 0.0)) * 0.5])
        return np.asarray(places)


def _spread(space: GraphSpace, centers: GraphBatch, count: int) -> IntArray:
    """Landmarks, drawn one by one with a probability that grows with the distance to those before."""
    random = np.random.RandomState(0)
    chosen = [0]
    nearest = space.distances(centers, centers.take([0]))[:, 0]
    while len(chosen) < count:
        nearest[chosen] = 0.0
        rest = np.setdiff1d(np.arange(len(centers)), chosen)
        share = nearest[rest] + 1e-12
        chosen.append(int(random.choice(rest, p=share / share.sum())))
        nearest = np.minimum(nearest, space.distances(centers, centers.take(chosen[-1:]))[:, 0])
    return np.sort(np.array(chosen))
