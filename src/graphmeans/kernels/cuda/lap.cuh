// Linear assignment by shortest augmenting paths, with its dual variables, as in kernels/lap.py. A lane has some of the columns.
#pragma once
#include "pair.cuh"

// Assign rows to columns of `cost`: pair.columns; pair.u and pair.v are the duals. Returns whether the costs were numbers.
template <class P> STEP bool solve_lap(P &pair, const float *cost) {
    typedef typename P::Set Set;
    const int n = pair.rows, stride = pair.stride;
    Byte *col_of_row = pair.columns(), *row_of_col = pair.inverse(), *before = pair.before();
    float *u = pair.u(), v[P::COLS], shortest[P::COLS];
    Set taken = 0;
    EACH(s, j, n) {
        float least = cost[j];
        for (int i = 1; i < n; i++) least = fminf(least, cost[i * stride + j]);
        v[s] = least;
    }
    // A greedy start on the column-reduced costs assigns most rows; the others are augmented one by one.
    Set open = 0;
    for (int i = 0; i < n; i++) {
        float least = INFINITE;
        int at = 128;
        EACH(s, j, n) {
            float reduced = cost[i * stride + j] - v[s];
            int rank = has(taken, j) ? j + 64 : j;  // a free column is taken first among equals
            if (reduced < least || (reduced == least && rank < at)) least = reduced, at = rank;
        }
        least = least_over_lanes(least, at);
        bool assigned = at < 64;
        if (lane() == 0) {
            u[i] = least;
            if (assigned) row_of_col[at] = (Byte)i, col_of_row[i] = (Byte)at;
        }
        if (assigned)
            taken |= bit<Set>(at);
        else
            open |= bit<Set>(i);
    }
    sync_lanes();
    for (; open; open &= open - 1) {
        const int start = first_of(open);
        Set done = 0;
        EACH(s, j, n) shortest[s] = INFINITE;
        int row = start, sink = -1;
        float reach = 0.0f;
        while (sink < 0) {
            float offset = reach - u[row], best = INFINITE;
            int at = 128;
            EACH(s, j, n) {
                if (has(done, j)) continue;
                float length = offset + (cost[row * stride + j] - v[s]);
                if (length < shortest[s]) shortest[s] = length, before[j] = (Byte)row;
                int rank = has(taken, j) ? j + 64 : j;
                if (shortest[s] < best || (shortest[s] == best && rank < at)) best = shortest[s], at = rank;
            }
            best = least_over_lanes(best, at);
            if (!(best < INFINITE)) return false;
            int column = at & 63;
            done |= bit<Set>(column);
            reach = best;
            if (at < 64)
                sink = column;
            else
                row = row_of_col[column];
        }
        sync_lanes();
        EACH(s, j, n) {
            if (has(done, j) && j != sink) {
                float slack = reach - shortest[s];
                v[s] -= slack;
                u[row_of_col[j]] += slack;
            }
        }
        sync_lanes();
        if (lane() == 0) {
            u[start] += reach;
            for (int column = sink;;) {
                int above = before[column];
                row_of_col[column] = (Byte)above;
                int following = col_of_row[above];
                col_of_row[above] = (Byte)column;
                if (above == start) break;
                column = following;
            }
        }
        taken |= bit<Set>(sink);
        sync_lanes();
    }
    EACH(s, j, n) pair.v()[j] = v[s];
    sync_lanes();
    return true;
}

// A lower bound of all assignments by weak duality: the sum of the least reduced costs of the rows and of the column duals. Any
// duals make it true, so it does not rest on single precision; what rounding of these sums may have added is taken off.
template <class P> STEP double dual_bound(const P &pair, const float *cost) {
    double total = 0.0, largest = 0.0;
    for (int i = lane(); i < pair.rows; i += LANES) {
        double least = (double)cost[i * pair.stride + i] - pair.v()[i];
        for (int t = 1, j = i; t < pair.rows; t++) {  // each lane begins elsewhere: their banks differ
            j = j + 1 < pair.rows ? j + 1 : 0;
            least = fmin(least, (double)cost[i * pair.stride + j] - pair.v()[j]);
        }
        total += least + pair.v()[i];
        largest += fabs(least) + fabs((double)pair.v()[i]);
    }
    total = sum_over_lanes(total);
    largest = sum_over_lanes(largest);
    return fmax(0.0, total - 4.0 * (pair.rows + 8) * 2.220446049250313e-16 * largest);
}
