"""`Aligned`: some graphs with their labels and alignments, and what can be said of them without matching anything."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from graphmeans.cluster.centers.frame_centers import MovingCenters
from graphmeans.cluster.counters import Matchings
from graphmeans.cluster.shards.bounds import Bounds
from graphmeans.cluster.shards.known import FloatArray, IntArray, Known
from graphmeans.cluster.shards.reductions import Farthest, Sample
from graphmeans.graphs.batch import GraphBatch, row_ranges
from graphmeans.matching.match import Matches
from graphmeans.means.frames import Frames

#: What marks the graphs of which something has changed.
FLAGS = ("touched", "shifted", "learnt")


class Aligned(Known):
    """Some graphs of a collection, from number `first` on.

    For each graph: its label, its alignment to the label's center (a place for every node), u = |x - y| along it, and what is
    known of the other centers (`Known`).

    The alignment was sought at the time `matched_at`. The distance was at least `lower` then, and that of any other alignment
    at least `rival`; now they are at least that less the distance the center has moved. As long as u is below the latter, the
    alignment is the best one and nothing needs to be matched.
    """

    #: What the next iteration depends on: of each graph, and of each node.
    OF_GRAPHS = ("labels", "upper", "matched_at", "fresh_at", "lower", "rival", "others", "others_at", "doubtful")
    OF_NODES = ("flat",)

    def __init__(
        self, batch: GraphBatch, weights: FloatArray, first: int, matchings: Matchings, order: IntArray
    ) -> None:
        super().__init__(batch, matchings, order)
        self.weights, self.first = weights, first

    def forget(self) -> None:
        """Nothing is known: other centers are to come."""
        super().forget()
        n = len(self.batch)
        self.flat = np.full(self.batch.node_ptr[-1], -1, dtype=np.int64)
        self.matched_at = np.full(n, -1)  # -1: never
        self.fresh_at = np.full(n, -1)
        self.lower, self.rival = np.zeros(n), np.zeros(n)
        self.doubtful = np.zeros(n, dtype=bool)  # an exact matcher with a limit did not finish some pair
        self.followed = 0  # the time of the centers to which u is the distance
        self._offers: tuple[IntArray, IntArray, Matches] | None = None
        self._remembered: dict[str, NDArray[Any]] | None = None

    # -- answers -----------------------------------------------------------------------------------

    def sums(self, centers: MovingCenters) -> Frames:
        """The aligned graphs, added up in the centers' frames."""
        frames = centers.empty_frames()
        everybody = np.arange(len(self))
        frames.add(self.batch, everybody, self.labels, self.flat, self.batch.node_ptr, self.weights)
        return frames

    def follow(self, centers: MovingCenters) -> None:
        """After the centers moved: u = |x - y| along the stored alignments, at no matching."""
        if self.followed < centers.now:
            x = np.flatnonzero((centers.drift[self.followed, self.labels] > 0) & np.isfinite(self.upper))
            rows, ptr = row_ranges(self.batch.node_ptr, x)
            self.upper[x] = centers.frames.aligned_distances(self.batch, x, self.labels[x], self.flat[rows], ptr)
            self.shifted[x] = True
            self.followed = centers.now

    def inertia(self) -> float:
        """Weighted sum of u^2."""
        return float(self.weights @ self.upper**2)

    def loss(self, centers: MovingCenters) -> FloatArray:
        """What each center would be missed by: how much farther its members are at least from all others."""
        with np.errstate(invalid="ignore"):
            second = np.nan_to_num(self.others - self._others_moved(centers), nan=0.0, neginf=0.0, posinf=0.0)
        more = self.weights * np.maximum(second**2 - self.upper**2, 0.0)
        return np.bincount(self.labels, weights=more, minlength=centers.k).astype(np.float64)

    def assignment(self) -> tuple[IntArray, FloatArray]:
        """Labels and distances."""
        return self.labels, self.upper

    def sizes(self, k: int) -> IntArray:
        """Graphs with weight in each cluster."""
        return np.bincount(self.labels[self.weights > 0], minlength=k)

    def members(self, k: int) -> IntArray:
        """Graphs in each cluster."""
        return np.bincount(self.labels, minlength=k)

    def mass(self, k: int) -> FloatArray:
        """Weight of each cluster."""
        return np.bincount(self.labels, weights=self.weights, minlength=k).astype(np.float64)

    def draw(self, target: float) -> Sample:
        """The graph at which the running sum of weighted squared distances exceeds the target."""
        mass = self.weights * self.upper**2
        x = int(np.searchsorted(np.cumsum(mass), target, side="right"))
        return self._sample(np.array([min(x, int(np.flatnonzero(mass)[-1]))]))

    def draw_some(self, share: float, seed: list[int]) -> Sample:
        """Each graph with the probability share times its weighted squared distance."""
        random = np.random.RandomState([*seed, self.first])
        return self._sample(np.flatnonzero(random.uniform(size=len(self)) < share * self.weights * self.upper**2))

    def pick(self, numbers: IntArray) -> Sample:
        """Those of these graphs that are here."""
        return self._sample(np.sort(numbers[(numbers >= self.first) & (numbers < self.first + len(self))]) - self.first)

    def weight(self, without: IntArray, even: bool = False) -> float:
        """Weight of the graphs other than these numbers; `even`: each counts 1."""
        return float(self._weight(without, even).sum())

    def draw_by_weight(self, target: float, without: IntArray, even: bool = False) -> Sample:
        """The graph at which the running sum of these weights exceeds the target."""
        mass = self._weight(without, even)
        x = int(np.searchsorted(np.cumsum(mass), target, side="right"))
        return self._sample(np.array([min(x, int(np.flatnonzero(mass)[-1]))]))

    def _weight(self, without: IntArray, even: bool) -> FloatArray:
        mass = np.ones(len(self)) if even else self.weights.copy()
        mass[without[(without >= self.first) & (without < self.first + len(self))] - self.first] = 0.0
        return mass

    def _sample(self, x: IntArray) -> Sample:
        return Sample(x + self.first, self.labels[x], self.weights[x], self.batch.take(x))

    def farthest(self, count: int) -> Farthest:
        """The graphs with weight that are farthest from their centers."""
        usable = np.flatnonzero((self.weights > 0) & (self.upper > 0))
        x = usable[np.argsort(-self.upper[usable], kind="stable")[:count]]
        return Farthest(count, x + self.first, self.labels[x], self.upper[x]).first()

    # -- going back --------------------------------------------------------------------------------

    def remember(self) -> None:
        """Keep the state, to come back to it."""
        self._remembered = {name: array.copy() for name, array in self.state().items()}

    def recall(self) -> None:
        """Back to what was remembered. Nothing was left behind in the meantime, so what was touched remains so."""
        assert self._remembered is not None, "nothing was remembered"
        self.restore({name: array.copy() for name, array in self._remembered.items()})

    def packed(self) -> dict[str, NDArray[Any]]:
        """Everything that is not in the collection, for a shard that has to make room: `unpack` takes it in again."""
        then = {f"then_{name}": array for name, array in (self._remembered or {}).items()}
        offers: dict[str, NDArray[Any]] = {}
        if self._offers is not None:
            x, y, found = self._offers
            offers = {"x": x, "y": y} | {name: value for name, value in vars(found).items() if isinstance(value, np.ndarray)}
        flags = {name: getattr(self, name) for name in FLAGS}
        return self.state() | flags | then | {f"offer_{name}": array for name, array in offers.items()}

    def unpack(self, arrays: dict[str, NDArray[Any]]) -> None:
        """The way back."""
        self.restore(arrays)
        for name in FLAGS:
            setattr(self, name, arrays[name])
        then, offers = ({n.removeprefix(p): a for n, a in arrays.items() if n.startswith(p)} for p in ("then_", "offer_"))
        self._remembered = then or None
        if offers:
            self._offers = offers.pop("x"), offers.pop("y"), Matches(**offers)

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that the next iteration depends on, not copied."""
        own = {name: getattr(self, name) for name in (*self.OF_GRAPHS, *self.OF_NODES)}
        own |= {f"bounds_{name}": getattr(self.bounds, name) for name in Bounds.ARRAYS}
        return own | {"followed": np.array([self.followed])}

    def restore(self, state: dict[str, NDArray[Any]]) -> None:
        """Go back to what `state` gave; it must not be changed by others from now on."""
        for name in (*self.OF_GRAPHS, *self.OF_NODES):
            setattr(self, name, state[name])
        for name in Bounds.ARRAYS:
            setattr(self.bounds, name, state[f"bounds_{name}"])
        self.followed = int(state["followed"][0])
