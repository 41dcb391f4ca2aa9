"""How alike two nodes are, judged by what surrounds them: where the search looks first."""

from __future__ import annotations

import numpy as np

from graphmeans.kernels.jit import inner


@inner
def deepen(linear, x, y, rows, context, out):
    """out (out): how unlike two nodes are with their neighbours matched as `context` likes best, neighbours at half weight.

    Applied n times it compares the surroundings of two nodes n steps wide. A heuristic: it only says where to look first.
    """
    x_edges, x_degree, x_neighbour = x.edges, x.degree, x.neighbour
    y_edges, y_degree, y_neighbour = y.edges, y.degree, y.neighbour
    channels = x_edges.shape[2]
    for i in range(rows):
        for j in range(rows):
            there, back = 0.0, 0.0
            for t in range(x_degree[i]):
                k = x_neighbour[i, t]
                least = 0.0 if y_degree[j] == 0 else np.inf
                for s in range(y_degree[j]):
                    p = y_neighbour[j, s]
                    total = 0.5 * context[k, p]
                    for c in range(channels):
                        total += (x_edges[i, k, c] - y_edges[j, p, c]) ** 2
                    least = min(least, total)
                there += least
            for s in range(y_degree[j]):
                p = y_neighbour[j, s]
                least = 0.0 if x_degree[i] == 0 else np.inf
                for t in range(x_degree[i]):
                    k = x_neighbour[i, t]
                    total = 0.5 * context[k, p]
                    for c in range(channels):
                        total += (x_edges[i, k, c] - y_edges[j, p, c]) ** 2
                    least = min(least, total)
                back += least
            out[i, j] = linear[i, j] + max(there, back)
