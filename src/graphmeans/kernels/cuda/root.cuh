// The bound of one linear assignment, as in kernels/root.py and `row_terms` of kernels/pair.py, and the sorted rows it needs.
#pragma once
#include "lap.cuh"

// The sorted edge values of one row for one key.
struct Row {
    const double *high, *high_tail, *low, *low_tail;
    int n_high, n_low;
};

FN Row sorted_row(const Batch &batch, long long node, bool real, int key) {
    Row row = {};
    if (!real) return row;
    long long begin = batch.row_ptr[node];
    row.n_high = batch.n_high[key * batch.n_nodes + node];
    row.n_low = batch.n_low[key * batch.n_nodes + node];
    row.high = batch.sorted + key * batch.n_near + begin;
    row.high_tail = batch.tail + key * batch.n_near + begin;
    row.low = row.high + row.n_high;
    row.low_tail = row.high_tail + row.n_high;
    return row;
}

FN double edge_key(const Batch &batch, const double *values, long long e, int key) {
    const double *value = values + batch.inward[e] * batch.channels;
    if (key < batch.channels) return value[key];
    double squares = 0.0;
    for (int c = 0; c < batch.channels; c++) squares += value[c] * value[c];
    return sqrt(squares);
}

// Sort the values of a row, for each channel and, with several channels, for the norms: see `sort_rows` of kernels/pair.py.
FN void sort_row(const Batch &batch, const int *graph_of_node, double *sorted, double *tail, unsigned short *n_high,
                 unsigned short *n_low, long long node) {
    long long graph = graph_of_node[node], begin = batch.row_ptr[node], end = batch.row_ptr[node + 1];
    const double *values = batch.values + batch.first_value[graph] * batch.channels;
    int keys = batch.channels == 1 ? 1 : (int)batch.channels + 1;
    for (int key = 0; key < keys; key++) {
        double *out = sorted + key * batch.n_near + begin, *tails = tail + key * batch.n_near + begin;
        int high = 0, low = 0;
        for (long long e = begin; e < end; e++) high += edge_key(batch, values, e, key) > 0.0;
        double *under = out + high;
        int filled = 0;
        for (long long e = begin; e < end; e++) {
            double number = edge_key(batch, values, e, key);
            if (number > 0.0) {
                int at = filled++;
                for (; at > 0 && out[at - 1] < number; at--) out[at] = out[at - 1];
                out[at] = number;
            } else if (number < 0.0) {
                int at = low++;
                for (; at > 0 && under[at - 1] > number; at--) under[at] = under[at - 1];
                under[at] = number;
            }
        }
        n_high[key * batch.n_nodes + node] = (unsigned short)high;
        n_low[key * batch.n_nodes + node] = (unsigned short)low;
        double total = 0.0;
        for (int t = low - 1; t >= 0; t--) tails[high + t] = total += under[t] * under[t];
        total = 0.0;
        for (int t = high - 1; t >= 0; t--) tails[t] = total += out[t] * out[t];
    }
}

// The sum of squared differences of two sorted lists that begin at the same end of their rows.
FN double distance_of_ends(const double *x, int nx, const double *x_tail, const double *y, int ny, const double *y_tail) {
    int both = nx < ny ? nx : ny;
    double total = both < nx ? x_tail[both] : both < ny ? y_tail[both] : 0.0;
    for (int t = 0; t < both; t++) total += (x[t] - y[t]) * (x[t] - y[t]);
    return total;
}

// The same of norms, which are rounded: each difference may be less by this share of the two.
FN double distance_of_norms(const double *x, int nx, const double *x_tail, const double *y, int ny, const double *y_tail,
                            double rounding) {
    int both = nx < ny ? nx : ny;
    double total = both < nx ? x_tail[both] : both < ny ? y_tail[both] : 0.0;
    for (int t = 0; t < both; t++) {
        double difference = fabs(x[t] - y[t]) - rounding * (x[t] + y[t]);
        if (difference > 0.0) total += difference * difference;
    }
    return total;
}

// |a - b|^2 of two sorted rows where negative values of one meet positive ones of the other.
FN double crossed_rows(const Row &x, const Row &y, int length) {
    double total = 0.0;
    for (int t = 0; t < length; t++) {
        double difference = 0.0;
        if (t < x.n_low)
            difference = x.low[t];
        else if (t >= length - x.n_high)
            difference = x.high[length - 1 - t];
        if (t < y.n_low)
            difference -= y.low[t];
        else if (t >= length - y.n_high)
            difference -= y.high[length - 1 - t];
        total += difference * difference;
    }
    return total;
}

// How far a row of edges of X and one of Y lie apart at least, however their entries are arranged.
FN double row_term(const Batch &x, long long xi, bool x_real, const Batch &y, long long yj, bool y_real, int rows) {
    double term = 0.0;
    const int channels = (int)x.channels, length = rows - 1;
    for (int key = 0; key < channels; key++) {
        Row a = sorted_row(x, xi, x_real, key), b = sorted_row(y, yj, y_real, key);
        if (a.n_low + b.n_low > 0 && (a.n_low + b.n_high > length || b.n_low + a.n_high > length)) {
            term += crossed_rows(a, b, length);
        } else {
            term += distance_of_ends(a.high, a.n_high, a.high_tail, b.high, b.n_high, b.high_tail);
            if (a.n_low + b.n_low > 0) term += distance_of_ends(a.low, a.n_low, a.low_tail, b.low, b.n_low, b.low_tail);
        }
    }
    if (channels == 1) return term;
    Row a = sorted_row(x, xi, x_real, channels), b = sorted_row(y, yj, y_real, channels);
    double rounding = (channels + 4.0) * 2.220446049250313e-16;
    return fmax(term, distance_of_norms(a.high, a.n_high, a.high_tail, b.high, b.n_high, b.high_tail, rounding));
}

// A lower bound of D^2: one assignment of all rows with node costs plus sorted-row terms, rounded down. pair.columns, pair.context
// (the costs of the assignment) and pair.linear (the node costs) are filled. Negative if the costs are no numbers.
template <class P> STEP double root_bound(P &pair, const Batch &x, long long gx, const Batch &y, long long gy, bool bound_only) {
    typedef typename P::Set Set;
    const int rows = pair.rows, nx = pair.nx, ny = pair.ny, stride = pair.stride;
    const long long x_first = x.node_ptr[gx], y_first = y.node_ptr[gy];
    const float forbidden = 4.0f * pair.norms + 1.0f;
    for (int i = 0; i < rows; i++) {
        const Set allowed = pair.allowed()[i];
        EACH(s, j, rows) {
            float cost = forbidden;
            if (has(allowed, j))
                cost = round_down(node_cost(x, x_first + i, i < nx, y, y_first + j, j < ny) +
                                  row_term(x, x_first + i, i < nx, y, y_first + j, j < ny, rows));
            pair.linear()[i * stride + j] = cost;
        }
    }
    sync_lanes();
    if (!solve_lap(pair, pair.linear())) return -1.0;
    const double low = dual_bound(pair, pair.linear());
    sync_lanes();
    if (bound_only) return low;
    for (int i = 0; i < rows; i++) {
        const Set allowed = pair.allowed()[i];
        EACH(s, j, rows) {
            pair.context()[i * stride + j] = to_look(pair.linear()[i * stride + j]);
            if (has(allowed, j))
                pair.linear()[i * stride + j] = (float)node_cost(x, x_first + i, i < nx, y, y_first + j, j < ny);
        }
    }
    sync_lanes();
    return low;
}
