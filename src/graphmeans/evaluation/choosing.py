"""How many clusters: silhouettes, the bend of the objective, and whether different starts agree."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score
from sklearn.utils import check_random_state

from graphmeans.cluster.estimators.inputs import ARRAY, is_lazy, kind_of
from graphmeans.cluster.estimators.kmeans import GraphKMeans
from graphmeans.evaluation.fitted import points_of
from graphmeans.evaluation.measures import silhouette
from graphmeans.graphs.batch import FloatArray
from graphmeans.graphs.convert import collect, to_graphs
from graphmeans.graphs.errors import GraphError

logger = logging.getLogger("graphmeans")

#: Numbers of clusters that are tried first; then all numbers around the best of them.
FIRST = (2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30)
#: A number of clusters is ruled out if its stability is less than this share of the highest stability.
LESS_STABLE = 0.5
#: Silhouettes of at least this share of the widest are nearly as wide; between them the objective decides.
NEARLY_WIDEST = 0.9
#: Below this silhouette index there are hardly any groups.
NO_GROUPS = 0.1
#: A sample that is clustered has at least so many graphs for each cluster.
PER_CLUSTER = 20


class Tried(NamedTuple):
    """What was found for one number of clusters."""

    n_clusters: int
    inertia: float  # of the best run; of a sample extrapolated to all graphs
    silhouette: float  # the index (mean over clusters of the mean width) over a sample of graphs, of the best run
    stability: float  # mean adjusted Rand index of two runs from different starts
    smallest: int  # graphs in the smallest cluster of the best run; of a sample extrapolated to all graphs


@dataclass(frozen=True)
class KChoice:
    """What was found for each number of clusters, and what it suggests.

    Parameters
    ----------
    tried : list of Tried
        By number of clusters: objective, silhouette, stability, size of the smallest cluster.
    recommended : int
        The number of clusters that all curves together recommend.
    elbow : int or None
        Where the objective bends most sharply, whatever the silhouettes.
    reason : str
        Why, in one sentence.
    clear : bool
        False if there are hardly any groups: all silhouettes are below 0.1.
    n_sample : int
        The number of graphs that the silhouettes were computed for.
    n_fitted : int, default=0
        The number of graphs that were clustered: all of them, or a sample. 0 if that is not known.

    See Also
    --------
    choose_k : Makes one.
    plots.draw_choice : Draws it.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs = [gm.Graph([[x + 0.1 * i]]) for x in (0.0, 5.0, 20.0) for i in range(6)]
    >>> choice = gm.evaluation.choose_k(graphs, range(2, 6), random_state=0)
    >>> [line.n_clusters for line in choice.tried], choice.clear
    ([2, 3, 4, 5], True)
    """

    tried: list[Tried]
    recommended: int
    elbow: int | None
    reason: str
    clear: bool
    n_sample: int
    n_fitted: int = 0

    def to_pandas(self) -> Any:
        """Make a table with one row for each number of clusters.

        Returns
        -------
        DataFrame
            The table.
        """
        try:
            import pandas
        except ImportError:
            raise ImportError("to_pandas needs pandas: pip install 'graphmeans[pandas]'") from None
        return pandas.DataFrame(self.tried).set_index("n_clusters")

    def as_dict(self) -> dict[str, Any]:
        """Give everything as a dictionary, for JSON.

        Returns
        -------
        dict
            Strings, numbers, lists and dictionaries only.
        """
        return {
            "recommended": self.recommended, "reason": self.reason, "clear": self.clear, "elbow": self.elbow,
            "n_sample": self.n_sample, "n_fitted": self.n_fitted, "tried": [row._asdict() for row in self.tried],
        }  # fmt: skip


def choose_k(
    graphs: Any, n_clusters: Iterable[int] | None = None, *, n_seeds: int = 3, sample_size: int = 300, fit_size: int | None = 600,
    random_state: int | np.random.RandomState | None = None, on_tried: Callable[[Tried], None] | None = None,
    **options: Any,
) -> KChoice:  # fmt: skip
    """Try numbers of clusters and recommend one.

    For each number GraphKMeans runs from several starts, on a sample of a large collection: once thoroughly, and then, to see
    whether it ends in the same clusters, with ``n_init=1``, unless `n_init` says otherwise. Numbers whose runs disagree are
    ruled out; of the others those are kept whose silhouette index is nearly the widest (nine tenths); of these the one is
    recommended at which the objective bends most sharply (`bends`): up to it another cluster lowers the objective far more
    than after it.

    Silhouettes alone do not say: they grow slowly as long as subgroups are split off, and lose little when two groups that
    are near each other are merged. Bends alone do not, either: there may be sharper ones where large groups are told apart.

    Parameters
    ----------
    graphs : collection of graphs, or array
        A `Collection` on disk need not fit into memory.
    n_clusters : numbers, optional
        At least 2 and less than the number of graphs. By default a dozen up to 30, then those around the best. The numbers
        just outside are run, too, as nothing could be said of a bend at the ends without them.
    n_seeds : int, default=3
        Runs for each number; at least 2.
    sample_size : int, default=300
        The largest number of graphs that are matched with each other for the silhouettes.
    fit_size : int or None, default=600
        The largest number of graphs that are clustered, but at least 20 for each cluster; of a larger collection a random
        sample is. None clusters all graphs.
    random_state : int, RandomState or None, optional
        The seed of everything that is drawn.
    on_tried : callable, optional
        Called with each `Tried`, for progress.
    **options
        Of `GraphKMeans`. With ``n_init=1`` it takes a third of the time, but runs that end in poor optima blur the bend.

    Returns
    -------
    KChoice
        What was found for each number, the recommended number and the reason.

    See Also
    --------
    plots.draw_choice : Draws the three curves.
    inspect : What is in a collection.

    Examples
    --------
    >>> import graphmeans as gm
    >>> graphs = [gm.Graph([[x + 0.1 * i]]) for x in (0.0, 5.0, 20.0) for i in range(6)]
    >>> gm.evaluation.choose_k(graphs, range(2, 6), random_state=0).recommended
    3
    """
    if n_seeds < 2:
        raise GraphError(f"n_seeds must be at least 2 to compare runs, got {n_seeds}")
    if sample_size < 10:
        raise GraphError(f"sample_size must be at least 10, got {sample_size}")
    if fit_size is not None and fit_size < 10:
        raise GraphError(f"fit_size must be at least 10, got {fit_size}")
    graphs = collect(graphs)
    kind = kind_of(graphs)
    items: Any = graphs if is_lazy(graphs) else np.asarray(graphs) if kind == ARRAY else to_graphs(graphs)
    if len(items) < 3:
        raise GraphError(f"choosing a number of clusters needs at least 3 graphs, got {len(items)}")
    random = check_random_state(random_state)
    numbers = None if n_clusters is None else _checked(n_clusters, len(items))
    most = max(FIRST) if numbers is None else numbers[-1] + 1
    size = len(items) if fit_size is None else min(len(items), max(fit_size, PER_CLUSTER * most))
    trial = _Trial(items, size, options, n_seeds, sample_size, random)
    tried: dict[int, Tried] = {}

    def run(numbers: Sequence[int]) -> None:
        for k in numbers:
            if k not in tried:
                tried[k] = trial(k)
                if on_tried is not None:
                    on_tried(tried[k])

    if numbers is None:
        first = [k for k in FIRST if k < len(items)]
        run(first)
        outside = [trial(1)]
        at = first.index(_recommended(list(tried.values()), outside))
        run(range(first[max(0, at - 1)], first[min(len(first) - 1, at + 1)] + 1))
    else:
        run(numbers)
        outside = [trial(k) for k in (numbers[0] - 1, numbers[-1] + 1) if k < len(items)] if len(numbers) > 1 else []
    rows = [tried[k] for k in sorted(tried)]
    return _choice(rows, outside, len(trial.sample), size)


class _Trial:
    """Runs GraphKMeans for a number of clusters. The graphs of the sample are matched with each other only once.

    Parameters
    ----------
    items : the graphs
    size : int
        How many of them are clustered.
    options : dict
        Of GraphKMeans.
    """

    def __init__(
        self, items: Any, size: int, options: dict[str, Any], n_seeds: int, sample_size: int, random: np.random.RandomState
    ) -> None:
        thorough = GraphKMeans(**options)
        quick = clone(thorough) if "n_init" in options else clone(thorough).set_params(n_init=1)
        seeds = random.randint(np.iinfo(np.int32).max, size=n_seeds).tolist()
        self.runs = [clone(quick if n else thorough).set_params(random_state=seed) for n, seed in enumerate(seeds)]
        self.grows = len(items) / size
        self.items = items
        if size < len(items):
            self.items = _taken(items, np.sort(random.choice(len(items), size=size, replace=False)))
        self.sample = np.sort(random.choice(size, size=min(sample_size, size), replace=False))
        self.distances: FloatArray | None = None

    def __call__(self, k: int) -> Tried:
        with warnings.catch_warnings():
            if self.distances is not None:  # what there is to warn of was said the first time
                warnings.simplefilter("ignore")
            runs = [clone(run).set_params(n_clusters=k).fit(self.items) for run in self.runs]
        best = min(runs, key=lambda run: run.inertia_)
        if self.distances is None:
            self.distances = best.space_.distances(points_of(best, _taken(self.items, self.sample)))
        agreement = [adjusted_rand_score(a.labels_, b.labels_) for a, b in combinations(runs, 2)]
        width = _silhouette(self.distances, best.labels_[self.sample])
        smallest = round(self.grows * int(np.bincount(best.labels_, minlength=k).min()))
        return Tried(k, self.grows * float(best.inertia_), width, float(np.mean(agreement)), smallest)


def _taken(items: Any, rows: NDArray[np.int64]) -> Any:
    """Some of the graphs; those of a collection on disk are read."""
    if is_lazy(items):
        return items.take(rows)
    return items[rows] if isinstance(items, np.ndarray) else [items[i] for i in rows]


def _checked(n_clusters: Iterable[int], count: int) -> list[int]:
    numbers = sorted({int(k) for k in n_clusters})
    if not numbers:
        raise GraphError("no number of clusters to try")
    if numbers[0] < 2 or numbers[-1] >= count:
        wrong = numbers[0] if numbers[0] < 2 else numbers[-1]
        raise GraphError(f"{wrong} clusters cannot be tried: 2 to {count - 1} of {count} graphs can")
    return numbers


def _silhouette(distances: FloatArray, labels: NDArray[Any]) -> float:
    if not 2 <= len(np.unique(labels)) < len(labels):
        return 0.0  # silhouettes are not defined for one cluster, nor if every graph is alone
    return silhouette(distances, labels)


def _recommended(rows: Sequence[Tried], outside: Sequence[Tried] = ()) -> int:
    most = max(row.stability for row in rows)
    stable = [row for row in rows if row.stability >= LESS_STABLE * most]
    widest = max(row.silhouette for row in stable)
    close = [row.n_clusters for row in stable if row.silhouette >= min(widest, NEARLY_WIDEST * widest)]
    bend = _bends([*rows, *outside])
    return max(close, key=lambda k: (bend.get(k, 1.0), -k))


def bends(n_clusters: Sequence[int], inertia: Sequence[float]) -> dict[int, float]:
    """How many times steeper the objective falls before a number of clusters than after it, where it bends.

    Both on logarithmic scales: without groups the objective falls as a power of the number of clusters, a straight line that
    bends nowhere, however the numbers are spaced. Only corners of the lower convex hull of the curve are bends, so that a
    number whose runs ended in poor optima does not make its neighbour look like one.

    Examples
    --------
    >>> bends([1, 2, 4, 8], [80.0, 40.0, 5.0, 2.5])
    {4: 2.0}
    """
    values = np.asarray(inertia, dtype=np.float64)
    floor = max(values.max(initial=0.0) * 1e-12, np.finfo(np.float64).tiny)  # the objective is 0 where all members are copies
    points = sorted(zip(np.log(n_clusters).tolist(), np.log(np.maximum(values, floor)).tolist(), n_clusters, strict=True))
    hull: list[tuple[float, float, int]] = []
    for point in points:
        while len(hull) > 1 and _fall(hull[-2], hull[-1]) <= _fall(hull[-1], point):
            hull.pop()
        hull.append(point)
    found = {}
    for before, corner, after in zip(hull, hull[1:], hull[2:], strict=False):
        if (then := _fall(corner, after)) > 0:
            found[corner[2]] = round(_fall(before, corner) / then, 9)
        elif _fall(before, corner) > 0:
            found[corner[2]] = float("inf")
    return found


def _fall(a: tuple[float, float, int], b: tuple[float, float, int]) -> float:
    return (a[1] - b[1]) / (b[0] - a[0])


def _bends(rows: Sequence[Tried]) -> dict[int, float]:
    return bends([row.n_clusters for row in rows], [row.inertia for row in rows])


def _choice(rows: list[Tried], outside: Sequence[Tried], n_sample: int, n_fitted: int = 0) -> KChoice:
    k = _recommended(rows, outside)
    row = next(row for row in rows if row.n_clusters == k)
    bend = _bends([*rows, *outside])
    elbow = max((row.n_clusters for row in rows if row.n_clusters in bend), key=lambda n: (bend[n], -n), default=None)
    widest = max(rows, key=lambda row: row.silhouette)
    clear = widest.silhouette >= NO_GROUPS
    words = [f"silhouette index {row.silhouette:.2f}", f"runs agree to {row.stability:.2f}"]
    words[0] += ", the widest" if row is widest else f" ({widest.silhouette:.2f} at {widest.n_clusters})"
    if elbow == k:
        words.append("the objective bends most sharply there")
    elif k in bend:
        words.append(f"of such silhouettes the one where the objective bends most sharply (still more so at {elbow})")
    elif elbow is not None:
        words.append(f"the objective bends at {elbow}")
    elif len(rows) > 1:
        words.append("the objective bends nowhere")
    if k == rows[-1].n_clusters and len(rows) > 1:
        words.append("it is the largest number tried, so try more")
    if not clear:
        words.append("but there are hardly any groups in these graphs, so no number stands out")
    return KChoice(rows, k, elbow, f"{k} clusters: {'; '.join(words)}", clear, n_sample, n_fitted)
