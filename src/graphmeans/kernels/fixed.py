"""Distances of graphs that can be aligned in one way only, since each role occurs at most once: arithmetic, for many pairs."""

from __future__ import annotations

import numpy as np

from graphmeans.kernels.jit import inner, kernel
from graphmeans.kernels.pair import SMALLEST


@inner
def load_fixed(packed, g, node_of_role, edge_between):
    """node_of_role (out): where in the batch the node of each role is. edge_between (out): the edge of any two roles."""
    start = packed.node_ptr[g]
    for i in range(start, packed.node_ptr[g + 1]):
        node_of_role[packed.roles[i]] = i
    for e in range(packed.edge_ptr[g], packed.edge_ptr[g + 1]):
        a, b = packed.roles[start + packed.ends[e, 0]], packed.roles[start + packed.ends[e, 1]]
        edge_between[a, b] = e
        edge_between[b, a] = e


@inner
def unload_fixed(packed, g, node_of_role, edge_between):
    """Undo `load_fixed`: -1 everywhere."""
    start = packed.node_ptr[g]
    for i in range(start, packed.node_ptr[g + 1]):
        node_of_role[packed.roles[i]] = -1
    for e in range(packed.edge_ptr[g], packed.edge_ptr[g + 1]):
        a, b = packed.roles[start + packed.ends[e, 0]], packed.roles[start + packed.ends[e, 1]]
        edge_between[a, b] = -1
        edge_between[b, a] = -1


@inner
def add_square(total, apart, difference):
    """The sum of squares with one more, and whether any difference was not 0."""
    return total + difference * difference, apart or difference != 0.0


@kernel
def fixed_pairs(x_packed, y_packed, directed, n_roles, pairs, first, last, mapping_ptr, upper, mappings):
    """Align pairs[first:last], role by role. upper (out): distances; mappings (out): nodes of Y, -1 for none."""
    dv, channels = x_packed.nodes.shape[1], x_packed.values.shape[1]
    half = channels // 2
    node_of_role, edge_between = np.full(n_roles, -1, np.int64), np.full((n_roles, n_roles), -1, np.int64)
    met_node = np.full(n_roles, -1, np.int64)
    met_edge = np.full(len(y_packed.ends), -1, np.int64)
    loaded = -1
    # Center by center: what is known of one is laid out once.
    for p in first + np.argsort(pairs[first:last, 1], kind="mergesort"):
        gx, gy = pairs[p, 0], pairs[p, 1]
        if gy != loaded:
            if loaded >= 0:
                unload_fixed(y_packed, loaded, node_of_role, edge_between)
            load_fixed(y_packed, gy, node_of_role, edge_between)
            loaded = gy
        x_start, y_start, at = x_packed.node_ptr[gx], y_packed.node_ptr[gy], mapping_ptr[p]
        of_nodes, of_edges, apart = 0.0, 0.0, False
        for i in range(x_start, x_packed.node_ptr[gx + 1]):
            j = node_of_role[x_packed.roles[i]]
            mappings[at + i - x_start] = j - y_start if j >= 0 else -1
            if j >= 0:
                met_node[y_packed.roles[j]] = p
            for d in range(dv):
                of_nodes, apart = add_square(
                    of_nodes, apart, x_packed.nodes[i, d] - (y_packed.nodes[j, d] if j >= 0 else 0.0)
                )
        for j in range(y_start, y_packed.node_ptr[gy + 1]):
            if met_node[y_packed.roles[j]] != p:
                for d in range(dv):
                    of_nodes, apart = add_square(of_nodes, apart, y_packed.nodes[j, d])
        for e in range(x_packed.edge_ptr[gx], x_packed.edge_ptr[gx + 1]):
            a = x_packed.roles[x_start + x_packed.ends[e, 0]]
            f = edge_between[a, x_packed.roles[x_start + x_packed.ends[e, 1]]]
            turned = directed and f >= 0 and y_packed.roles[y_start + y_packed.ends[f, 0]] != a
            if f >= 0:
                met_edge[f] = p
            for c in range(channels):
                other = c
                if turned:
                    other = c - half if c >= half else c + half
                of_edges, apart = add_square(
                    of_edges, apart, x_packed.values[e, c] - (y_packed.values[f, other] if f >= 0 else 0.0)
                )
        for f in range(y_packed.edge_ptr[gy], y_packed.edge_ptr[gy + 1]):
            if met_edge[f] != p:
                for c in range(channels):
                    of_edges, apart = add_square(of_edges, apart, y_packed.values[f, c])
        total = of_nodes + 2.0 * of_edges
        upper[p] = np.sqrt(max(total, SMALLEST) if apart else total)
