"""Graphs of every kind that a file must carry, and ways to spoil a file."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

import graphmeans as gm

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)
ANY_TEXT = st.text(max_size=6)
# What XML can hold: no control characters but these, no surrogates, not the two non-characters.
XML_TEXT = st.text(
    st.one_of(
        st.sampled_from("\t\n\r&<>\"' 1.ä"),
        st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="\ufffe\uffff"),
    ),
    max_size=6,
)


@st.composite
def _columns(draw, n, text):
    """Named columns of every type, and names that a format may want for itself."""
    claimed = st.sampled_from(["id", "source", "value", "role", "support", "pos_0", "pos", "key"])
    names = draw(st.lists(st.one_of(text.filter(bool), claimed), min_size=1, max_size=3, unique=True))
    width = draw(st.integers(1, 3))
    kinds = [NUMBERS, st.booleans(), st.one_of(text, st.sampled_from(["1", "-.5", "a"]))]
    columns = {}
    for name in names:
        kind = draw(st.integers(0, 3))
        if kind == 3:
            flat = draw(st.lists(NUMBERS, min_size=n * width, max_size=n * width))
            columns[name] = np.array(flat, float).reshape(n, width)
            if draw(st.booleans()):
                mask = np.array(draw(st.lists(st.booleans(), min_size=n * width, max_size=n * width)), bool)
                columns[name] = np.ma.MaskedArray(columns[name], mask=mask.reshape(n, width))
        else:
            value = draw(st.sampled_from([kinds[kind], st.one_of(st.none(), kinds[kind])]))
            columns[name] = draw(st.lists(value, min_size=n, max_size=n))
    return columns


@st.composite
def any_graphs(draw, text=XML_TEXT, bare=None, mean=None):
    """A graph or mean graph: bare or named columns of every type, ids and roles of every type, any size from none."""
    n = draw(st.integers(0, 4))
    directed = draw(st.booleans())
    pairs = [(i, j) for i in range(n) for j in range(n) if i < j or (directed and i > j)]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    m = len(edges)
    bare = draw(st.booleans()) if bare is None else bare
    if bare:
        dv, de = draw(st.integers(0, 3)), draw(st.integers(1, 2))
        nodes = np.array(draw(st.lists(NUMBERS, min_size=n * dv, max_size=n * dv)), float).reshape(n, dv)
        values = np.array(draw(st.lists(NUMBERS.filter(bool), min_size=m * de, max_size=m * de)), float).reshape(m, de)
        attributes = draw(st.sampled_from([None, values]))
    else:
        nodes = draw(_columns(n, text))
        attributes = draw(st.one_of(st.none(), _columns(m, text)))
    labels = st.one_of(
        st.lists(text, min_size=n, max_size=n, unique=True),
        st.lists(st.integers(), min_size=n, max_size=n, unique=True),
        st.lists(st.tuples(st.integers(), st.tuples(text)), min_size=n, max_size=n, unique=True),
    )
    arguments = {
        "directed": directed,
        "node_ids": draw(st.one_of(st.none(), labels)),
        "roles": draw(st.one_of(st.none(), labels, st.just([None] * n))),
        "name": draw(st.one_of(st.none(), text.filter(bool), st.just("a name"))),
    }
    if draw(st.booleans()) if mean is None else mean:
        return gm.MeanGraph(
            nodes, edges, attributes, **arguments,
            node_support=draw(st.lists(st.floats(0, 1), min_size=n, max_size=n)),
            edge_support=draw(st.lists(st.floats(0, 1), min_size=m, max_size=m)),
            objective=draw(st.one_of(st.none(), st.floats(0, 1e9))),
        )  # fmt: skip
    return gm.Graph(nodes, edges, attributes, **arguments)


def assert_same(found, expected, named=None):
    """Everything that a file keeps is the same, bit for bit; a graph without a name may be called like its file."""
    assert type(found) is type(expected)
    assert found.name == (named if expected.name is None else expected.name)
    assert (found.directed, found.roles, found.node_ids) == (expected.directed, expected.roles, expected.node_ids)
    assert np.array_equal(found.edges, expected.edges)
    for ours, theirs in ((found.nodes, expected.nodes), (found.edge_attributes, expected.edge_attributes)):
        assert list(ours) == list(theirs)
        for key, column in theirs.items():
            assert ours[key].dtype == column.dtype
            assert ours[key].shape == column.shape
            assert type(ours[key]) is type(column)  # masked, or not
            assert ours[key].tolist() == column.tolist()
    if isinstance(expected, gm.MeanGraph):
        assert found.node_support.tolist() == expected.node_support.tolist()
        assert found.edge_support.tolist() == expected.edge_support.tolist()
        assert found.objective == expected.objective


def corruptions(data, rng, count):
    """The same bytes with some flipped, cut out, doubled or cut off."""
    for i in range(count):
        spoilt = bytearray(data)
        at, length = int(rng.integers(len(data))), int(rng.integers(1, 20))
        if i % 4 == 0:
            for place in rng.integers(len(data), size=int(rng.integers(1, 6))):
                spoilt[place] = int(rng.integers(256))
        elif i % 4 == 1:
            del spoilt[at:]
        elif i % 4 == 2:
            del spoilt[at : at + length]
        else:
            spoilt[at:at] = spoilt[at : at + length]
        yield bytes(spoilt)


def only_graph_errors(read, *arguments):
    """Call it: success, or a GraphError of one printable line. Anything else is raised."""
    try:
        return read(*arguments)
    except gm.GraphError as error:
        message = str(error)
        assert message.isprintable()
        assert len(message) < 1000
        return message
