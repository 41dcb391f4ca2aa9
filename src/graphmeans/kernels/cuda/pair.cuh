// One pair of graphs laid out for matching, as in kernels/pair.py: real nodes first, then null nodes.
//
// Edge values are looked up in dictionaries, because a pair needs little else of them than inner products: `code(p, q)` is the
// number of the value of the edge from p to q of Y, 0 for none, and `product` holds the inner products of all values of X with all
// values of Y. What a pair needs lies in fast memory, one float or byte an entry.
#pragma once
#include "lanes.cuh"

// The arrays of a batch. An edge is listed at both of its ends, with the code of its value as seen from the other end.
struct Batch {
    const long long *node_ptr;     // graphs + 1
    const double *nodes;           // nodes x width
    const int *roles;              // nodes
    const int *role_counts;        // graphs x n_roles
    const long long *row_ptr;      // nodes + 1: where the edges of a node are listed
    const unsigned short *near;    // the other end, counted within the graph
    const unsigned short *inward;  // the code of the value from the other end to this one
    const double *values;          // the dictionary: entries x channels
    const long long *first_value;  // graphs: where the dictionary of a graph begins
    const int *n_values;           // graphs
    const double *sorted;          // keys x listed edges: the values of each row, positive ones down, then negative ones up
    const double *tail;            // the same: sums of squares from each on, within the positive or the negative ones
    const unsigned short *n_high;  // keys x nodes
    const unsigned short *n_low;   // keys x nodes
    const double *squares;         // graphs x 2: |nodes|^2 and |edges|^2, in which an edge counts twice
    long long width, channels, n_nodes, n_near;
};

// Where things lie in fast memory, in bytes; `stride` is the row length of all matrices.
struct Layout {
    int stride, linear, context, code, x_quads, x_start, y_start, y_list, x_squares, y_squares, product, x_near, y_near, allowed,
        floats, bytes, total, product_outside, rows, unused;
};

// How pairs are to be searched.
struct Settings {
    int n_roles;
    float effort;
    int growths, regrowths, table_size, unused;
};

// Four entries of a list of neighbours: the neighbour in the lowest 8 bits, the code of the edge from there above them.
struct alignas(16) Quad {
    unsigned entry[4];
};

// A pair in fast memory. The lists of X are filled up to multiples of four by entries that lead to the row after the last one, whose
// column is the row after the last one of `code`: nothing is there, so that they add nothing. Rows that have no column have it, too.
//
// Everything is found by its offset and not by a pointer, so that the compiler knows that it lies in fast memory. Only the table of
// products may lie OUTSIDE, where it is too large.
template <int COLS_, class Code_, bool OUTSIDE> struct Pair {
    enum : int { COLS = COLS_ };
    typedef Code_ Code;
    typedef typename SetOf<COLS_>::type Set;
    float *outside;
    FAST_BASE
    int rows, nx, ny, stride, values_of_y;
    float norms, edge_squares;
    int bytes_at;

    template <class T> MEMBER T *in_fast(int offset) const { return (T *)(FAST + offset); }
    MEMBER float *linear() const { return in_fast<float>(linear_at); }
    MEMBER float *product() const { return OUTSIDE ? outside : in_fast<float>(product_at); }
    MEMBER float *x_squares() const { return in_fast<float>(x_squares_at); }
    MEMBER float *y_squares() const { return in_fast<float>(y_squares_at); }
    MEMBER float *u() const { return in_fast<float>(floats_at); }
    MEMBER float *v() const { return in_fast<float>(floats_at) + stride; }
    MEMBER Look *context() const { return in_fast<Look>(context_at); }  // how unlike two nodes look; see `to_look`
    MEMBER Code *code() const { return in_fast<Code>(code_at); }
    MEMBER Quad *x_quads() const { return in_fast<Quad>(x_quads_at); }
    MEMBER unsigned *y_list() const { return in_fast<unsigned>(y_list_at); }
    MEMBER Short *x_start() const { return in_fast<Short>(x_start_at); }  // in quads
    MEMBER Short *y_start() const { return in_fast<Short>(y_start_at); }  // in entries
    MEMBER Set *x_near() const { return in_fast<Set>(x_near_at); }
    MEMBER Set *y_near() const { return in_fast<Set>(y_near_at); }
    MEMBER Set *allowed() const { return in_fast<Set>(allowed_at); }
    MEMBER Byte *columns() const { return in_fast<Byte>(bytes_at); }
    MEMBER Byte *best() const { return in_fast<Byte>(bytes_at + 4 + stride); }
    MEMBER Byte *kept() const { return in_fast<Byte>(bytes_at + 4 + 2 * stride); }
    MEMBER Byte *inverse() const { return in_fast<Byte>(bytes_at + 4 + 3 * stride); }
    MEMBER Byte *before() const { return in_fast<Byte>(bytes_at + 4 + 4 * stride); }

    int linear_at, context_at, code_at, x_quads_at, x_start_at, y_start_at, y_list_at, x_squares_at, y_squares_at, product_at,
        x_near_at, y_near_at, allowed_at, floats_at;
};

template <class P> FN P place_pair(const Layout &at, char *fast, float *outside) {
    P pair;
    pair.stride = at.stride, pair.outside = outside;
    pair.linear_at = at.linear, pair.context_at = at.context, pair.code_at = at.code, pair.x_quads_at = at.x_quads;
    pair.x_start_at = at.x_start, pair.y_start_at = at.y_start, pair.y_list_at = at.y_list, pair.x_squares_at = at.x_squares;
    pair.y_squares_at = at.y_squares, pair.product_at = at.product, pair.x_near_at = at.x_near, pair.y_near_at = at.y_near;
    pair.allowed_at = at.allowed, pair.floats_at = at.floats, pair.bytes_at = at.bytes;
    SET_FAST_BASE(pair, fast)
    return pair;
}

// The role of a row: that of its node, or for null rows, which follow in the order of the roles, the one they are needed for.
FN int role_of(const Batch &batch, long long graph, const int *need, int n_roles, int n, int row) {
    if (row < n) return batch.roles[batch.node_ptr[graph] + row];
    int left = row - n;
    for (int r = 0; r < n_roles; r++) {
        left -= need[r] - batch.role_counts[graph * n_roles + r];
        if (left < 0) return r;
    }
    return n_roles;
}

FN void load_squares(const Batch &batch, long long graph, float *squares) {
    const double *values = batch.values + batch.first_value[graph] * batch.channels;
    for (int e = lane(); e < batch.n_values[graph]; e += LANES) {
        double total = 0.0;
        for (int c = 0; c < batch.channels; c++) total += values[e * batch.channels + c] * values[e * batch.channels + c];
        squares[e] = (float)total;
    }
}

// Lay graphs gx and gy out; `need` is the number of rows of each role, `rows` their sum.
template <class P>
STEP void load_pair(P &pair, const Batch &x, long long gx, const Batch &y, long long gy, int rows, const int *need, int n_roles) {
    typedef typename P::Set Set;
    const long long x_first = x.node_ptr[gx], y_first = y.node_ptr[gy], y_begin = y.row_ptr[y_first];
    const int nx = (int)(x.node_ptr[gx + 1] - x_first), ny = (int)(y.node_ptr[gy + 1] - y_first), stride = pair.stride;
    pair.rows = rows, pair.nx = nx, pair.ny = ny;
    pair.edge_squares = (float)(x.squares[2 * gx + 1] + y.squares[2 * gy + 1]);
    pair.norms = (float)(x.squares[2 * gx] + y.squares[2 * gy]) + pair.edge_squares;
    pair.values_of_y = y.n_values[gy] + 1;
    // Lists of X, in quads: first how long they are, then where they begin.
    for (int i = lane(); i <= rows; i += LANES) {
        pair.x_start()[i] = i < nx ? (Short)((x.row_ptr[x_first + i + 1] - x.row_ptr[x_first + i] + 3) / 4) : 0;
        pair.y_start()[i] = (Short)(y.row_ptr[y_first + (i < ny ? i : ny)] - y_begin);
    }
    for (int e = lane(); e < (rows + 1) * stride; e += LANES) pair.code()[e] = 0;
    sync_lanes();
    if (lane() == 0) {
        int at = 0;
        for (int i = 0; i <= rows; i++) {
            int length = pair.x_start()[i];
            pair.x_start()[i] = (Short)at;
            at += length;
        }
        pair.columns()[rows] = (Byte)rows;
    }
    sync_lanes();
    for (int i = lane(); i < rows; i += LANES) {
        Set near = 0;
        long long e = i < nx ? x.row_ptr[x_first + i] : 0, end = i < nx ? x.row_ptr[x_first + i + 1] : 0;
        for (int q = pair.x_start()[i]; q < pair.x_start()[i + 1]; q++)
            for (int t = 0; t < 4; t++, e++) {
                pair.x_quads()[q].entry[t] = e < end ? x.near[e] | ((unsigned)x.inward[e] << 8) : (unsigned)rows;
                if (e < end) near |= bit<Set>(x.near[e]);
            }
        pair.x_near()[i] = near;
        near = 0;
        if (i < ny)
            for (long long f = y.row_ptr[y_first + i]; f < y.row_ptr[y_first + i + 1]; f++) {
                near |= bit<Set>(y.near[f]);
                pair.y_list()[f - y_begin] = y.near[f] | ((unsigned)y.inward[f] << 8);
                pair.code()[y.near[f] * stride + i] = (typename P::Code)(y.inward[f] + 1);
            }
        pair.y_near()[i] = near;
        // Which columns a row may take: those of its role.
        Set same = below<Set>(rows);
        if (n_roles > 1) {
            int role = role_of(x, gx, need, n_roles, nx, i);
            same = 0;
            for (int j = 0; j < rows; j++)
                if (role_of(y, gy, need, n_roles, ny, j) == role) same |= bit<Set>(j);
        }
        pair.allowed()[i] = same;
    }
    load_squares(x, gx, pair.x_squares());
    load_squares(y, gy, pair.y_squares());
    const double *xv = x.values + x.first_value[gx] * x.channels, *yv = y.values + y.first_value[gy] * y.channels;
    for (int a = 0; a < x.n_values[gx]; a++)
        for (int b = lane(); b < pair.values_of_y; b += LANES) {
            double total = 0.0;
            if (b > 0)
                for (int c = 0; c < x.channels; c++) total += xv[a * x.channels + c] * yv[(b - 1) * x.channels + c];
            pair.product()[a * pair.values_of_y + b] = (float)total;
        }
    // Without any edge of X nothing is looked up but the first entry.
    if (lane() == 0 && x.n_values[gx] == 0) pair.product()[0] = 0.0f;
    sync_lanes();
}

// |x_i - y_j|^2 in double precision; a null node is 0.
FN double node_cost(const Batch &x, long long xi, bool x_real, const Batch &y, long long yj, bool y_real) {
    double total = 0.0;
    for (int d = 0; d < x.width; d++) {
        double difference = (x_real ? x.nodes[xi * x.width + d] : 0.0) - (y_real ? y.nodes[yj * x.width + d] : 0.0);
        total += difference * difference;
    }
    return total;
}

// |X - P.Y|^2 of pair.best in double precision, a sum of squared differences only; pair.inverse is work.
template <class P> STEP double permutation_cost(P &pair, const Batch &x, long long gx, const Batch &y, long long gy) {
    const long long x_first = x.node_ptr[gx], y_first = y.node_ptr[gy];
    const int channels = (int)x.channels, width = (int)x.width;
    const double *xv = x.values + x.first_value[gx] * channels, *yv = y.values + y.first_value[gy] * channels;
    sync_lanes();
    for (int i = lane(); i < pair.rows; i += LANES) pair.inverse()[pair.best()[i]] = (Byte)i;
    sync_lanes();
    double total = 0.0;
    bool differs = false;
    for (int i = lane(); i < pair.rows; i += LANES) {
        const int p = pair.best()[i];
        for (int d = 0; d < width; d++) {
            double difference = (i < pair.nx ? x.nodes[(x_first + i) * width + d] : 0.0) -
                                (p < pair.ny ? y.nodes[(y_first + p) * width + d] : 0.0);
            total += difference * difference;
            differs |= difference != 0.0;
        }
        if (i < pair.nx)  // edges of X, with those of Y under them
            for (long long e = x.row_ptr[x_first + i]; e < x.row_ptr[x_first + i + 1]; e++) {
                const int a = x.inward[e], b = pair.code()[pair.best()[x.near[e]] * pair.stride + p];
                for (int c = 0; c < channels; c++) {
                    double difference = xv[a * channels + c] - (b ? yv[(b - 1) * channels + c] : 0.0);
                    total += difference * difference;
                    differs |= difference != 0.0;
                }
            }
        for (int e = pair.y_start()[p]; e < pair.y_start()[p + 1]; e++) {  // edges of Y that lie on none of X
            const int q = pair.y_list()[e] & 255, b = pair.y_list()[e] >> 8;
            if (has(pair.x_near()[i], pair.inverse()[q])) continue;
            for (int c = 0; c < channels; c++) {
                total += yv[b * channels + c] * yv[b * channels + c];
                differs |= yv[b * channels + c] != 0.0;
            }
        }
    }
    total = sum_over_lanes(total);
    const double smallest = 1.0261342003245941e-289;  // 2^-960: see kernels/pair.py
    return any_lane(differs) && total < smallest ? smallest : total;
}

// The permutation of a mapping of the real rows, -1 for unmatched: others take free columns of their role, real rows null columns
// first.
template <class P> FN void complete(P &pair, const short *warm) {
    typedef typename P::Set Set;
    Set untaken = below<Set>(pair.rows), open = 0;
    sync_lanes();
    for (int i = 0; i < pair.rows; i++) {
        int column = i < pair.nx ? warm[i] : -1;
        if (column < 0) {
            open |= bit<Set>(i);
        } else {
            untaken &= ~bit<Set>(column);
            if (lane() == 0) pair.columns()[i] = (Byte)column;
        }
    }
    for (; open; open &= open - 1) {
        const int i = first_of(open);
        const Set possible = untaken & pair.allowed()[i], null = possible & ~below<Set>(pair.ny);
        const int column = first_of(null ? null : possible);
        untaken &= ~bit<Set>(column);
        if (lane() == 0) pair.columns()[i] = (Byte)column;
    }
    sync_lanes();
}
