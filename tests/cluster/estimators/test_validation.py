"""Parameters are checked in one way, before anything is done, with one kind of message."""

from __future__ import annotations

import numpy as np
import pytest

import graphmeans as gm

GRAPHS, _ = gm.datasets.make_letters(12, random_state=0)
CLASSES = np.arange(12) % 2

#: For each parameter some values that it must not have.
WRONG = {
    "n_clusters": [0, 2.0, True, "3", None],
    "n_prototypes": [0, 1.5, True],
    "min_support": [-0.1, 1.0, "0.5", None],
    "n_neighbors": [0, 1.5, "3", None],
    "weights": ["equal", 3, None],
    "algorithm": ["kmeans", None, 3],
    "init": ["best", 7, None],
    "n_init": [0, "all", 1.5, True],
    "mean": ["median", 3, None],
    "matcher": ["hungarian", 1, gm.Exact],
    "effort": [-1, "high", None, np.nan, np.inf, True],
    "certify": [1, "yes", None],
    "encoder": ["none", 3, gm.Exact()],
    "node_weight": [0, -1.0, "1", np.inf, None, True],
    "edge_weight": [0, -1.0, "1", np.nan, None],
    "order": ["all", 1.5, -1],
    "max_iter": [0, 2.5, "9"],
    "tol": [-0.1, 1.0, "0", None],
    "n_iter_no_change": [0, 1.5],
    "theta": [-1, "0", None],
    "batch_size": [0, 1.5, "many"],
    "reassignment_ratio": [-0.1, 1, None],
    "engine": ["cluster", 3, None],
    "device": ["gpu", 0, None],
    "n_jobs": [0, "2", 1.5, True],
    "random_state": ["0", -1, 1.5],
    "verbose": ["x", -1, None],
    "checkpoint": [3, True],
    "warm_start": [1, None],
}
ESTIMATORS = [
    gm.GraphKMeans, gm.MiniBatchGraphKMeans, gm.GraphKMedoids, gm.GraphNearestCentroid, gm.GraphKNeighborsClassifier
]  # fmt: skip
CASES = [(kind, name, value) for kind in ESTIMATORS for name in kind().get_params(deep=False) for value in WRONG[name]]


@pytest.mark.parametrize(("kind", "name", "value"), CASES, ids=lambda item: getattr(item, "__name__", repr(item)))
def test_what_a_parameter_must_be_is_said_in_one_line(kind, name, value):
    with pytest.raises(gm.GraphError) as said:
        kind(**{name: value}).fit(GRAPHS, CLASSES)
    message = str(said.value)
    assert "\n" not in message
    assert message.startswith(f"{name} must be ")
    assert message.endswith(f", got {value!r}")


@pytest.mark.parametrize("kind", ESTIMATORS)
def test_every_parameter_says_what_it_is_what_it_does_and_its_default(kind):
    lines = kind.__doc__.splitlines()
    for name, default in kind().get_params(deep=False).items():
        (at,) = [i for i, line in enumerate(lines) if line.startswith(f"    {name} : ")]
        shown = f'"{default}"' if isinstance(default, str) else repr(default)
        assert lines[at].endswith(f", default={shown}"), lines[at]
        sentence = lines[at + 1].strip()
        assert sentence[0].isupper(), sentence


def test_mini_batches_have_no_parameter_that_is_fixed():
    assert not issubclass(gm.MiniBatchGraphKMeans, gm.GraphKMeans)
    fixed = {"algorithm", "mean", "n_init", "theta", "certify", "checkpoint", "warm_start"}
    assert not fixed & {name for name in dir(gm.MiniBatchGraphKMeans) if not name.startswith("_")}


def test_labels_are_plain_attributes_after_a_fit_on_this_machine():
    km = gm.GraphKMeans(2, random_state=0).fit(GRAPHS)
    assert {"labels_", "distances_"} <= set(vars(km))
