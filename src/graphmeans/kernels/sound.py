"""Is what other kernels index by in range? They do not check it, so this is asked once, where arrays come from elsewhere."""

from __future__ import annotations

import numpy as np

from graphmeans.kernels.jit import inner, kernel

#: What may be wrong with a batch of graphs.
SOUND, OFFSETS, ROLES, ENDS, NUMBERS = 0, 1, 2, 3, 4
#: What may be wrong with a mapping.
FITS, RANGE, TWICE, OTHER_ROLE = 0, 1, 2, 3


@inner
def largest_of(values):
    """The largest absolute value; not finite if one of them is not."""
    largest = 0.0
    for row in range(values.shape[0]):
        for column in range(values.shape[1]):
            size = abs(values[row, column])
            if not size <= largest:
                largest = size
                if not np.isfinite(size):
                    return size
    return largest


@inner
def are_offsets(ptr, total):
    """Whether ptr rises from 0 to `total`."""
    if ptr[0] != 0 or ptr[-1] != total:
        return False
    for g in range(len(ptr) - 1):
        if ptr[g + 1] < ptr[g]:
            return False
    return True


@kernel
def batch_fault(node_ptr, nodes, roles, edge_ptr, ends, values, n_roles):
    """What is wrong with the packed arrays of graphs, and with which graph; and the largest number in them.

    Their lengths must be those of a batch.
    """
    if not are_offsets(node_ptr, len(nodes)) or not are_offsets(edge_ptr, len(ends)):
        return OFFSETS, 0, 0.0
    for g in range(len(node_ptr) - 1):
        for i in range(node_ptr[g], node_ptr[g + 1]):
            if roles[i] < 0 or roles[i] >= n_roles:
                return ROLES, g, 0.0
        size = node_ptr[g + 1] - node_ptr[g]
        for e in range(edge_ptr[g], edge_ptr[g + 1]):
            if ends[e, 0] < 0 or ends[e, 0] >= ends[e, 1] or ends[e, 1] >= size:
                return ENDS, g, 0.0
    of_nodes, of_edges = largest_of(nodes), largest_of(values)
    if not (np.isfinite(of_nodes) and np.isfinite(of_edges)):
        return NUMBERS, 0, 0.0
    return SOUND, 0, max(of_nodes, of_edges)


@kernel
def mapping_fault(x_node_ptr, x_roles, y_node_ptr, y_roles, pairs, ptr, flat):
    """What is wrong with the mappings of pairs of sound graphs, laid out one after the other as `ptr` says, and with which.

    A node of X goes to one of Y that has its role and that no other goes to, or nowhere (-1).
    """
    largest = 0
    for p in range(len(pairs)):
        largest = max(largest, y_node_ptr[pairs[p, 1] + 1] - y_node_ptr[pairs[p, 1]])
    taken = np.full(largest, -1, np.int64)
    for p in range(len(pairs)):
        x_start, y_start = x_node_ptr[pairs[p, 0]], y_node_ptr[pairs[p, 1]]
        size = y_node_ptr[pairs[p, 1] + 1] - y_start
        for i in range(ptr[p + 1] - ptr[p]):
            j = flat[ptr[p] + i]
            if j == -1:
                continue
            if j < 0 or j >= size:
                return RANGE, p
            if taken[j] == p:
                return TWICE, p
            if x_roles[x_start + i] != y_roles[y_start + j]:
                return OTHER_ROLE, p
            taken[j] = p
    return FITS, 0
