"""What a user waits for: a pair, a mean, a fit, a prediction, a search. Kernels are compiled before the clock starts.

    pip install asv virtualenv && asv run HEAD^! && asv publish
"""

from __future__ import annotations

from typing import Any

import graphmeans as gm


class Letters:
    """Small graphs, which are matched exactly."""

    params = [200, 1000]  # noqa: RUF012 - as asv wants it
    param_names = ["graphs"]  # noqa: RUF012
    timeout = 600

    def setup(self, count: int) -> None:
        self.graphs = gm.datasets.make_letters(count, random_state=0)[0]
        self.km = self.fit("interval", self.graphs[:60])
        self.index = gm.GraphIndex().fit(self.graphs)
        gm.mean(self.graphs[:5])
        gm.distance(*self.graphs[:2])

    def fit(self, algorithm: str, graphs: list[gm.Graph]) -> Any:
        return gm.GraphKMeans(15, algorithm=algorithm, n_init=1, random_state=0, n_jobs=1).fit(graphs)

    def time_fit(self, count: int) -> None:
        self.fit("interval", self.graphs)

    def track_matchings(self, count: int) -> int:
        return int(self.fit("interval", self.graphs).n_matchings_)

    def track_objective(self, count: int) -> float:
        return float(self.fit("interval", self.graphs).inertia_)

    def time_elkan(self, count: int) -> None:
        self.fit("elkan", self.graphs[:200])

    def time_predict(self, count: int) -> None:
        self.km.predict(self.graphs)

    def time_neighbors(self, count: int) -> None:
        self.index.kneighbors(self.graphs[:20], n_neighbors=5)

    def time_encode(self, count: int) -> None:
        gm.GraphEncoder().fit_transform(self.graphs)

    def time_mean(self, count: int) -> None:
        gm.mean(self.graphs[:20], random_state=0)

    def peakmem_fit(self, count: int) -> None:
        self.fit("interval", self.graphs)


class Trees:
    """Larger graphs with roles: rooted trees of about 26 nodes."""

    def setup(self) -> None:
        self.trees = gm.structures.trees([self.tree(seed) for seed in range(30)])
        gm.distance(*self.trees[:2])

    def tree(self, seed: int) -> Any:
        grown = [(f"n{(seed + i) % 4}", [f"n{(seed * i) % 3}" for _ in range(1 + (seed + i) % 4)]) for i in range(7)]
        return ("root", grown)

    def time_pairwise(self) -> None:
        gm.pairwise_distances(self.trees, n_jobs=1)

    def track_certified(self) -> float:
        pairs = [(i, i + 1) for i in range(29)]
        return sum(gm.match(self.trees[i], self.trees[j]).certified for i, j in pairs) / len(pairs)
