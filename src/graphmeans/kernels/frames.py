"""Frames: the dense arrays in which aligned graphs are added up. There is one frame for each center."""

from __future__ import annotations

import numpy as np

from graphmeans.kernels.jit import inner, kernel
from graphmeans.kernels.pair import SMALLEST


@inner
def other_channel(c, channels, directed):
    """Where channel c stands when an edge is read from its other end."""
    half = channels // 2
    if not directed:
        return c
    return c - half if c >= half else c + half


@inner
def free_slot(role, f_roles, first, last, taken):
    """The first slot of this role from `first` on that is not among `taken`; `last`, a new one, if there is none."""
    for slot in range(first, last):
        if f_roles[slot] != role:
            continue
        free = True
        for other in taken:
            if other == slot:
                free = False
        if free:
            return slot
    return last


@kernel
def add_graphs(
    node_ptr, nodes, roles, edge_ptr, ends, values, directed, which, frame, weight, mappings, mapping_ptr,
    f_size, f_roles, f_nodes, f_edges, f_node_weight, f_edge_weight, f_total,
):  # fmt: skip
    """Add graphs which[p], times weight[p], into frame[p], each along its mapping.

    mappings (in, out): a node that is mapped to -1 takes a slot behind those that the frame had when the call began
    (they were null nodes, and the graphs of one call share them), written back. Everything beginning with f_ (in, out)
    belongs to the frames.
    """
    channels = values.shape[1]
    old_size = f_size.copy()
    for p in range(len(which)):
        g, k, w = which[p], frame[p], weight[p]
        at = mapping_ptr[p]
        start = node_ptr[g]
        n = node_ptr[g + 1] - start
        f_total[k] += w
        for i in range(n):
            slot = mappings[at + i]
            if slot < 0:
                slot = free_slot(roles[start + i], f_roles[k], old_size[k], f_size[k], mappings[at : at + n])
                if slot == f_size[k]:
                    f_size[k] += 1
                    f_roles[k, slot] = roles[start + i]
                mappings[at + i] = slot
            f_node_weight[k, slot] += w
            for d in range(nodes.shape[1]):
                f_nodes[k, slot, d] += w * nodes[start + i, d]
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            i, j = mappings[at + ends[e, 0]], mappings[at + ends[e, 1]]
            forth, back = not directed, not directed
            for c in range(channels):
                f_edges[k, i, j, c] += w * values[e, c]
                f_edges[k, j, i, other_channel(c, channels, directed)] += w * values[e, c]
                if directed and values[e, c] != 0.0:
                    if c < channels // 2:
                        forth = True
                    else:
                        back = True
            if forth:
                f_edge_weight[k, i, j] += w
            if back:
                f_edge_weight[k, j, i] += w


@kernel
def count_edges(f_size, f_edge_weight):
    """Edges of each frame: pairs of slots that some member connects."""
    counts = np.zeros(len(f_size), np.int64)
    for k in range(len(f_size)):
        for i in range(f_size[k]):
            for j in range(i + 1, f_size[k]):
                if f_edge_weight[k, i, j] > 0.0 or f_edge_weight[k, j, i] > 0.0:
                    counts[k] += 1
    return counts


@kernel
def write_centers(
    f_size, f_roles, f_nodes, f_edges, f_node_weight, f_edge_weight, f_total, directed,
    nodes, roles, ends, values, node_support, edge_support,
):  # fmt: skip
    """The frames' averages in the form of a GraphBatch (out), with the shares of members behind each node and edge."""
    node, edge = 0, 0
    for k in range(len(f_size)):
        total = f_total[k]
        for i in range(f_size[k]):
            roles[node] = f_roles[k, i]
            node_support[node] = min(1.0, f_node_weight[k, i] / total)
            for d in range(nodes.shape[1]):
                nodes[node, d] = f_nodes[k, i, d] / total
            node += 1
            for j in range(i + 1, f_size[k]):
                if f_edge_weight[k, i, j] > 0.0 or f_edge_weight[k, j, i] > 0.0:
                    ends[edge, 0], ends[edge, 1] = i, j
                    edge_support[edge, 0] = min(1.0, f_edge_weight[k, i, j] / total)
                    if directed:
                        edge_support[edge, 1] = min(1.0, f_edge_weight[k, j, i] / total)
                    for c in range(values.shape[1]):
                        values[edge, c] = f_edges[k, i, j, c] / total
                    edge += 1


@inner
def has_values(row):
    for value in row:
        if value != 0.0:
            return True
    return False


@inner
def has_rows(values, count):
    for i in range(count):
        if has_values(values[i]):
            return True
    return False


@inner
def list_average(k, f_size, f_nodes, f_edges, f_total, node_row, edge_row, y_nodes, y_edges):
    """The average of frame k as lists (out) of its nodes and edges i < j that are not zero, and where in them each stands.

    Returns how many there are of either.
    """
    size, total = f_size[k], f_total[k]
    n_nodes, n_edges = 0, 0
    for i in range(size):
        if has_values(f_nodes[k, i]):
            node_row[i] = n_nodes
            for d in range(f_nodes.shape[2]):
                y_nodes[n_nodes, d] = f_nodes[k, i, d] / total
            n_nodes += 1
        for j in range(i + 1, size):
            if has_values(f_edges[k, i, j]):
                edge_row[i, j] = n_edges
                for c in range(f_edges.shape[3]):
                    y_edges[n_edges, c] = f_edges[k, i, j, c] / total
                n_edges += 1
    return n_nodes, n_edges


@inner
def sum_of_squares(values, count):
    result = 0.0
    for i in range(count):
        for d in range(values.shape[1]):
            result += values[i, d] * values[i, d]
    return result


@inner
def by_frame(frame, count):
    """The positions of all pairs, those of a frame one after the other, in their order (counting sort)."""
    order, start = np.empty(len(frame), np.int64), np.zeros(count + 1, np.int64)
    for k in frame:
        start[k + 1] += 1
    for k in range(count):
        start[k + 1] += start[k]
    for p in range(len(frame)):
        order[start[frame[p]]] = p
        start[frame[p]] += 1
    return order


@kernel
def aligned_squares(
    node_ptr, nodes, edge_ptr, ends, values, directed, which, frame, mappings, mapping_ptr,
    f_size, f_nodes, f_edges, f_total, squares,
):  # fmt: skip
    """squares (out): |x - y|^2 of graph which[p] along its mapping and the average of frame[p], as a sum of squares.

    Frame by frame: what a graph takes depends on its own nodes and edges and those of the average, not on the slots.
    """
    channels, dv = values.shape[1], nodes.shape[1]
    capacity = f_nodes.shape[1]
    node_row = np.full(capacity, -1, np.int64)
    edge_row = np.full((capacity, capacity), -1, np.int64)
    most = max(1, capacity * (capacity - 1) // 2)
    y_nodes, y_edges = np.empty((capacity, dv)), np.empty((most, channels))
    work_nodes, work_edges = np.empty((capacity, dv)), np.empty((most, channels))
    n_nodes, n_edges, loaded = 0, 0, -1
    for p in by_frame(frame, len(f_size)):
        g, k = which[p], frame[p]
        if k != loaded:
            node_row[:] = -1
            edge_row[:] = -1
            n_nodes, n_edges = list_average(k, f_size, f_nodes, f_edges, f_total, node_row, edge_row, y_nodes, y_edges)
            loaded = k
        at, start = mapping_ptr[p], node_ptr[g]
        work_nodes[:n_nodes] = y_nodes[:n_nodes]
        work_edges[:n_edges] = y_edges[:n_edges]
        of_nodes, of_edges, apart = 0.0, 0.0, False
        for i in range(node_ptr[g + 1] - start):
            slot = mappings[at + i]
            row = node_row[slot] if slot >= 0 else -1
            for d in range(dv):
                if row < 0:
                    of_nodes += nodes[start + i, d] * nodes[start + i, d]
                    apart = apart or nodes[start + i, d] != 0.0
                else:
                    work_nodes[row, d] -= nodes[start + i, d]
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            i, j = mappings[at + ends[e, 0]], mappings[at + ends[e, 1]]
            row = edge_row[min(i, j), max(i, j)] if i >= 0 and j >= 0 else -1
            for c in range(channels):
                if row < 0:
                    of_edges += values[e, c] * values[e, c]
                    apart = apart or values[e, c] != 0.0
                else:
                    work_edges[row, c if i < j else other_channel(c, channels, directed)] -= values[e, c]
        of_nodes += sum_of_squares(work_nodes, n_nodes)
        of_edges += sum_of_squares(work_edges, n_edges)
        squares[p] = of_nodes + 2.0 * of_edges
        if squares[p] < SMALLEST and (apart or has_rows(work_nodes, n_nodes) or has_rows(work_edges, n_edges)):
            squares[p] = SMALLEST


@kernel
def fill_slots(node_ptr, roles, which, frame, mappings, mapping_ptr, slot_roles, used):
    """Give unmatched nodes (-1 in mappings, in, out) the first null slots of their role: used (k, slots) are not null.

    Each graph is treated by itself, so the result does not depend on what else is in the batch.
    """
    taken = np.empty(len(slot_roles), np.bool_)
    for p in range(len(which)):
        start, at, k = node_ptr[which[p]], mapping_ptr[p], frame[p]
        n = node_ptr[which[p] + 1] - start
        for slot in range(len(slot_roles)):
            taken[slot] = used[k, slot]
        for i in range(n):
            if mappings[at + i] >= 0:
                taken[mappings[at + i]] = True
        for i in range(n):
            if mappings[at + i] >= 0:
                continue
            for slot in range(len(slot_roles)):
                if not taken[slot] and slot_roles[slot] == roles[start + i]:
                    mappings[at + i] = slot
                    taken[slot] = True
                    break
