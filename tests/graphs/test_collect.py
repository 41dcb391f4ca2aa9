"""Graphs in other containers than lists: batches, data sets and loaders of PyTorch Geometric, generators, any iterable."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

import graphmeans as gm
from graphmeans.graphs.convert import collect


def paths():
    return [gm.Graph([[float(i % 2)]] * (2 + i % 2), [(0, 1)]) for i in range(8)]


CONTAINERS = {
    "generator": lambda graphs: (graph for graph in graphs), "deque": deque, "map": lambda graphs: (one for one in graphs),
    "values": lambda graphs: dict(enumerate(graphs)).values(), "object array": lambda graphs: _array(graphs),
}  # fmt: skip


def _array(graphs):
    made = np.empty(len(graphs), dtype=object)
    made[:] = graphs
    return made


@pytest.mark.parametrize("container", CONTAINERS)
def test_every_iterable_of_graphs_is_a_collection(container):
    graphs, make = paths(), CONTAINERS[container]
    usual = gm.GraphKMeans(2, random_state=0).fit(graphs)
    same = gm.GraphKMeans(2, random_state=0).fit(make(graphs))
    np.testing.assert_array_equal(same.labels_, usual.labels_)
    np.testing.assert_array_equal(same.predict(make(graphs)), usual.labels_)
    np.testing.assert_allclose(gm.GraphKMeans(2, random_state=0).fit_transform(make(graphs)), usual.transform(graphs))
    y = np.arange(8) % 2
    for estimator in (gm.GraphNearestCentroid(random_state=0), gm.GraphKNeighborsClassifier(1)):
        assert estimator.fit(make(graphs), y).score(make(graphs), y) == 1.0
    assert gm.GraphKMedoids(2, random_state=0).fit(make(graphs)).labels_.shape == (8,)
    assert gm.MiniBatchGraphKMeans(2, random_state=0).partial_fit(make(graphs)).partial_fit(make(graphs)).labels_ is not None
    index = gm.GraphIndex().fit(make(graphs))
    assert index.add(make(graphs)).tolist() == list(range(8, 16))
    assert gm.pairwise_distances(make(graphs), make(graphs)).shape == (8, 8)
    assert gm.mean(make(graphs), random_state=0).n_nodes > 0


def test_what_holds_no_graphs_is_left_alone():
    for thing in ([[1.0, 2.0]], np.zeros((2, 2)), "CCO", {"a": 1}, range(3), gm.Graph(1), 7):
        assert collect(thing) is thing
    with pytest.raises(gm.GraphError, match="put it into a list"):
        gm.GraphKMeans(1).fit(gm.Graph(2))


@pytest.fixture(scope="module")
def pyg():
    pytest.importorskip("torch", reason="torch is not installed")
    return pytest.importorskip("torch_geometric", reason="PyTorch Geometric is not installed: pip install 'graphmeans[pyg]'")


@pytest.fixture(scope="module")
def molecules(pyg):
    """Paths and rings of three to eight nodes, with their class."""
    import torch

    made = []
    for n in [3, 4, 5, 6, 7, 8] * 3:
        ring = len(made) % 2
        ends = [(i, i + 1) for i in range(n - 1)] + [(n - 1, 0)] * ring
        edges = torch.tensor(ends + [(j, i) for i, j in ends]).T.contiguous()
        made.append(pyg.data.Data(x=torch.ones(n, 2), edge_index=edges, y=torch.tensor([ring])))
    return made


def data_set(pyg, molecules):
    class Molecules(pyg.data.InMemoryDataset):
        def __init__(self):
            super().__init__(None)
            self.data, self.slices = self.collate(molecules)

    return Molecules()


def test_collections_of_pytorch_geometric(pyg, molecules):
    import torch
    from torch_geometric.loader import DataLoader

    whole = data_set(pyg, molecules)
    usual = gm.GraphKMeans(3, random_state=0).fit(molecules)
    ways = {
        "data set": whole, "batch": pyg.data.Batch.from_data_list(molecules), "loader": DataLoader(whole, batch_size=5),
        "batches": list(DataLoader(whole, batch_size=7)), "subset": torch.utils.data.Subset(molecules, range(18)),
        "generator": (one for one in whole),
    }  # fmt: skip
    for way, graphs in ways.items():
        same = gm.GraphKMeans(3, random_state=0).fit(graphs)
        np.testing.assert_array_equal(same.labels_, usual.labels_, err_msg=way)
        if way != "generator":
            np.testing.assert_array_equal(same.predict(graphs), usual.labels_, err_msg=way)
        if way in ("data set", "batch", "batches"):
            assert gm.from_pyg(graphs) == gm.from_pyg(molecules)
    assert gm.GraphKMeans(2, random_state=0).fit(whole[:6]).labels_.shape == (6,)
    assert usual.centroids("pyg")[0].num_nodes > 0


def test_classes_of_a_data_set_are_learned(pyg, molecules):
    whole = data_set(pyg, molecules)
    clf = gm.GraphKNeighborsClassifier(1).fit(whole, whole.y)
    assert clf.classes_.tolist() == [0, 1]
    assert clf.score(whole, whole.y) == 1.0
    assert gm.GraphNearestCentroid(random_state=0).fit(whole, whole.y).predict_proba(whole).shape == (18, 2)


def test_one_graph_of_pytorch_geometric_is_one_graph(pyg, molecules):
    with pytest.raises(gm.GraphError, match="put it into a list"):
        gm.GraphKMeans(1).fit(molecules[0])
    assert gm.distance(molecules[0], molecules[0]) == 0.0
