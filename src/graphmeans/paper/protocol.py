"""Which runs there are: the paper's three experiments, in its protocol, at the size that fits the time.

Furthest-first starts, three iterations without improvement, exact matching on letters and graduated assignment on the
others. The paper takes the best of 5 runs (Table 2) and the mean of 10 (Tables 3 and 4). Letters are quick, so they get 10
runs each. Where graduated assignment is slow the default is fewer: `runs` asks for as many as you like.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace

from graphmeans.graphs.errors import GraphError

#: The experiments, by the table they fill.
FOUR_SETS, LETTERS_BY_K, FINGERPRINTS_BY_K = "table 2", "table 3", "table 4"
PAPER_ALGORITHMS = ("lloyd", "elkan", "gvr", "interval")
DATASETS = ("letter", "grec", "fingerprint", "molecules")
STANDARDISED, RAW, ONE_HOT = "standardised", "raw", "1-of-k"

#: The paper's values of theta, in units of the encoding used; it gives none for fingerprints.
THETA = {"letter": 0.05, "grec": 0.5, "molecules": 0.75}
#: Runs of each algorithm on the whole of a data set (Table 2), in the encodings that are compared: how the paper scales
#: positions it does not say, and that decides how well clusters are told apart.
RUNS = {
    ("letter", STANDARDISED): {"lloyd": 10, "elkan": 10, "gvr": 10, "interval": 10},
    ("letter", RAW): {"lloyd": 10, "elkan": 10, "gvr": 10, "interval": 10},
    ("grec", STANDARDISED): {"lloyd": 1, "elkan": 2, "gvr": 2, "interval": 5},
    ("grec", RAW): {"lloyd": 5, "elkan": 5, "gvr": 5, "interval": 5},
    ("fingerprint", STANDARDISED): {"lloyd": 0, "elkan": 1, "gvr": 1, "interval": 3},
    ("fingerprint", RAW): {"lloyd": 5, "elkan": 5, "gvr": 5, "interval": 5},
    ("molecules", ONE_HOT): {"lloyd": 2, "elkan": 3, "gvr": 3, "interval": 5},
}
#: Raw positions lie far from the origin, and graduated assignment, as published, does not tell them apart. They outweigh
#: the edges by far, so search finds the best alignment from its first start.
RAW_MATCHER, RAW_EFFORT = "search", 0.0
#: Runs, and the encoding, of Tables 3 and 4.
RUNS_BY_K = {"letter": (10, STANDARDISED), "fingerprint": (10, RAW)}


@dataclass(frozen=True)
class Sizes:
    """How much of the data is taken, and how many clusters are sought."""

    clusters: dict[str, int]
    per_class: dict[str, int | None]  # graphs of each class, None for all
    letters: Sequence[int]  # numbers of clusters of Table 3
    fingerprints: Sequence[int]  # of Table 4
    letters_per_class: int | None
    fingerprints_per_class: int

    def by_k(self) -> dict[str, tuple[str, int | None, Sequence[int]]]:
        """Data set, graphs of each class and numbers of clusters of Tables 3 and 4."""
        return {
            LETTERS_BY_K: ("letter", self.letters_per_class, self.letters),
            FINGERPRINTS_BY_K: ("fingerprint", self.fingerprints_per_class, self.fingerprints),
        }


PAPER_SIZES = Sizes(
    clusters={"letter": 30, "grec": 33, "fingerprint": 60, "molecules": 10},
    per_class={"letter": None, "grec": None, "fingerprint": 300, "molecules": 50}, letters=(4, 8, 12, 16),
    fingerprints=(3, 15), letters_per_class=None, fingerprints_per_class=100,
)  # fmt: skip
#: A sixth of the data and of the clusters, for a look within a minute.
QUICK_SIZES = Sizes(
    clusters={"letter": 30, "grec": 11, "fingerprint": 15, "molecules": 4},
    per_class={"letter": None, "grec": 4, "fingerprint": 30, "molecules": 10}, letters=(4, 16), fingerprints=(3, 10),
    letters_per_class=None, fingerprints_per_class=20,
)  # fmt: skip


@dataclass(frozen=True)
class RunSetting:
    """One run: everything that its result depends on."""

    experiment: str
    dataset: str
    encoding: str
    per_class: int | None
    k: int
    algorithm: str
    theta: float
    matcher: str
    effort: float
    init: str
    n_iter_no_change: int
    max_iter: int
    seed: int

    def __str__(self) -> str:
        theta = f" {self.theta:g}" if self.algorithm == "gvr" else ""
        what = f"{self.dataset} (raw)" if self.encoding == RAW else self.dataset
        return f"{self.experiment}, {what}, k = {self.k}, {self.algorithm}{theta}, seed {self.seed}"

    def as_row(self) -> dict[str, str]:
        """The settings as text, as in results.csv."""
        return {name: "" if value is None else str(value) for name, value in asdict(self).items()}


SETTING_FIELDS = [field.name for field in fields(RunSetting)]


class Watcher:
    """Is told how far the runs are; this one shows nothing."""

    def started(self, setting: RunSetting) -> None:
        """A run begins, on the thread that calls."""

    def finished(self, setting: RunSetting) -> None:
        """Its row is written."""


def settings(
    *, quick: bool = False, runs: int | None = None, first_seed: int = 0, matcher: str | None = None,
    algorithms: Iterable[str] = PAPER_ALGORITHMS, datasets: Iterable[str] = DATASETS,
) -> list[RunSetting]:  # fmt: skip
    """All runs of the three experiments.

    Parameters
    ----------
    quick : bool
        One run of everything on a part of the data.
    runs : int, optional
        Runs of each algorithm everywhere, in place of `RUNS` and `RUNS_BY_K`.
    first_seed : int
        Runs take this seed and those that follow it.
    matcher : str, optional
        For the collections that are not letters, in place of graduated assignment.
    algorithms, datasets : names
    """
    algorithms, datasets = _known(algorithms, PAPER_ALGORITHMS, "algorithm"), _known(datasets, DATASETS, "data set")
    sizes = QUICK_SIZES if quick else PAPER_SIZES
    found: list[RunSetting] = []
    for (dataset, encoding), counts in RUNS.items():
        base = _base(FOUR_SETS, dataset, encoding, sizes.per_class[dataset], sizes.clusters[dataset], matcher)
        for algorithm in algorithms if dataset in datasets else ():
            count = runs or (min(1, counts[algorithm]) if quick else counts[algorithm])
            found += _repeated(replace(base, algorithm=algorithm), first_seed, count, THETA.get(dataset, 0.0))
    for experiment, (dataset, per_class, clusters) in sizes.by_k().items():
        usual, encoding = RUNS_BY_K[dataset]
        for k in clusters if dataset in datasets else ():
            base = _base(experiment, dataset, encoding, per_class, k, matcher)
            for algorithm in algorithms:
                found += _repeated(replace(base, algorithm=algorithm), first_seed, runs or (1 if quick else usual), 0.0)
    return found


def _base(experiment: str, dataset: str, encoding: str, per_class: int | None, k: int, matcher: str | None) -> RunSetting:
    chosen, effort = matcher_of(dataset, encoding, matcher)
    return RunSetting(experiment, dataset, encoding, per_class, k, "", 0.0, chosen, effort, "furthest-first", 3, 100, 0)


def matcher_of(dataset: str, encoding: str, matcher: str | None) -> tuple[str, float]:
    """Matcher and effort: letters are matched exactly, the others as asked where that works."""
    if dataset == "letter":
        return "exact", 1.0
    return (RAW_MATCHER, RAW_EFFORT) if encoding == RAW else (matcher or "graduated", 1.0)


def belongs(row: Mapping[str, str], quick: bool, matcher: str | None) -> bool:
    """Whether a row of results.csv is of this protocol, whatever its seed: a folder may hold those of others too."""
    sizes = QUICK_SIZES if quick else PAPER_SIZES
    dataset = row["dataset"]
    whole = dataset, sizes.per_class[dataset], (sizes.clusters[dataset],)
    _, per_class, clusters = sizes.by_k().get(row["experiment"], whole)
    fits = row["per_class"] == ("" if per_class is None else str(per_class)) and int(row["k"]) in clusters
    return fits and (row["matcher"], float(row["effort"])) == matcher_of(dataset, row["encoding"], matcher)


def _repeated(setting: RunSetting, first_seed: int, count: int, theta: float) -> Iterator[RunSetting]:
    thetas = (0.0, theta) if setting.algorithm == "gvr" and theta else (0.0,)
    for value in thetas:
        for seed in range(first_seed, first_seed + count):
            yield replace(setting, theta=value, seed=seed)


def _known(chosen: Iterable[str], known: Sequence[str], what: str) -> list[str]:
    wanted = list(chosen)
    for name in wanted:
        if name not in known:
            raise GraphError(f"no {what} is called {name!r}; there are {', '.join(known)}")
    return [name for name in known if name in wanted]
