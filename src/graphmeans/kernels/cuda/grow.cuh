// Mappings that grow along the edges, as `grow`, `seed_column` and `release` of kernels/search.py; `deepen` of kernels/context.py
// says where they look first.
#pragma once
#include "exchange.cuh"

// Make pair.context compare the surroundings of two nodes one step wider: how unlike they are with their neighbours matched as the
// context before liked best, neighbours at half weight. Rows are replaced one after the other.
template <class P> STEP void deepen(P &pair) {
    const int rows = pair.rows, stride = pair.stride;
    for (int i = 0; i < rows; i++) {
        const int x_begin = 4 * pair.x_start()[i], degree = count_of(pair.x_near()[i]);
        const unsigned *x_list = pair.x_quads()[0].entry + x_begin;
        EACH(s, j, rows) {
            const int y_begin = pair.y_start()[j], y_end = pair.y_start()[j + 1];
            float there = 0.0f, back = 0.0f;
            if (degree && y_begin < y_end) {
                for (int e = 0; e < degree; e++) {
                    const unsigned x_entry = x_list[e];
                    const Look *near = pair.context() + (x_entry & 255) * stride;
                    const float *products = pair.product() + (x_entry >> 8) * pair.values_of_y + 1;
                    float least = INFINITE;
                    for (int f = y_begin; f < y_end; f++) {
                        const unsigned y_entry = pair.y_list()[f];
                        const float edges = pair.y_squares()[y_entry >> 8] - 2.0f * products[y_entry >> 8];
                        least = fminf(least, 0.5f * from_look(near[y_entry & 255]) + edges);
                    }
                    there += least + pair.x_squares()[x_entry >> 8];
                }
                for (int f = y_begin; f < y_end; f++) {
                    const unsigned y_entry = pair.y_list()[f];
                    float least = INFINITE;
                    for (int e = 0; e < degree; e++) {
                        const unsigned x_entry = x_list[e];
                        const float edges = pair.x_squares()[x_entry >> 8] -
                                            2.0f * pair.product()[(x_entry >> 8) * pair.values_of_y + 1 + (y_entry >> 8)];
                        least = fminf(least, 0.5f * from_look(pair.context()[(x_entry & 255) * stride + (y_entry & 255)]) + edges);
                    }
                    back += least + pair.y_squares()[y_entry >> 8];
                }
            }
            pair.context()[i * stride + j] = to_look(pair.linear()[i * stride + j] + fmaxf(there, back));
        }
        sync_lanes();
    }
}

// Write the members of a set down, in their order; returns how many they are.
template <class P> FN int list_set(typename P::Set set, int rows, Byte *list) {
    typedef typename P::Set Set;
    sync_lanes();
    EACH(s, i, rows) if (has(set, i)) list[count_of(set & below<Set>(i))] = (Byte)i;
    sync_lanes();
    return count_of(set);
}

// Complete the partial permutation pair.columns along the edges, from the rows in `open`, whose column is the one after the last.
//
// The next pair is the one that adds most, among neighbours of what is matched on both sides as long as there are any. When the
// real rows or the real columns are used up, what is left costs the same however it is matched.
template <class P> STEP void grow(P &pair, typename P::Set open, typename P::Set untaken, bool one_role) {
    typedef typename P::Set Set;
    const int rows = pair.rows, stride = pair.stride;
    const Set x_real = below<Set>(pair.nx), y_real = below<Set>(pair.ny), matched = below<Set>(rows) & ~open;
    Set x_front = 0, y_front = 0;
#pragma unroll
    for (int s = 0; s < P::COLS; s++) {
        const int i = lane() + s * LANES, inside = i < rows ? i : 0;
        x_front |= (Set)lanes_with(i < rows && has(open, i) && (pair.x_near()[inside] & matched)) << (s * LANES);
        y_front |= (Set)lanes_with(i < rows && has(untaken, i) && (pair.y_near()[inside] & ~untaken)) << (s * LANES);
    }
    while ((open & x_real) && (untaken & y_real)) {
        float best = INFINITE;
        int at = 4096;
        Set sources = x_front, targets = y_front;
        for (int attempt = 0; attempt < 2; attempt++) {
            // All pairs of a source and a target are spread over the lanes.
            const int n_sources = list_set<P>(sources, rows, pair.before()), n_targets = list_set<P>(targets, rows, pair.inverse());
            const unsigned share = n_targets ? (1u << 20) / n_targets + 1 : 0;  // t * share >> 20 is t / n_targets
            for (int t = lane(); t < n_sources * n_targets; t += LANES) {
                const int s = (int)((t * share) >> 20), i = pair.before()[s], j = pair.inverse()[t - s * n_targets];
                if (!has(pair.allowed()[i], j)) continue;
                float cost = pair.linear()[i * stride + j] + 1e-3f * from_look(pair.context()[i * stride + j]);
                for (int e = pair.x_start()[i]; e < pair.x_start()[i + 1]; e++) cost -= 4.0f * in_common(pair, pair.x_quads()[e], j);
                if (cost < best) best = cost, at = i * 64 + j;
            }
            best = least_over_lanes(best, at);
            if (at < 4096) break;
            // No neighbours: any pair, where one null row stands for all of its role.
            const Set null = open & ~x_real;
            sources = (open & x_real) | (one_role ? null & (~null + 1) : null);
            targets = untaken;
        }
        if (at >= 4096) break;  // only costs that are no numbers come here
        const int row = at >> 6, column = at & 63;
        open &= ~bit<Set>(row);
        untaken &= ~bit<Set>(column);
        x_front = (x_front | pair.x_near()[row]) & open;
        y_front = (y_front | pair.y_near()[column]) & untaken;
        sync_lanes();
        if (lane() == 0) pair.columns()[row] = (Byte)column;
        sync_lanes();
    }
    for (; open; open &= open - 1) {
        const int i = first_of(open);
        const Set possible = untaken & pair.allowed()[i];
        const int column = first_of(possible ? possible : untaken);
        untaken &= ~bit<Set>(column);
        if (lane() == 0) pair.columns()[i] = (Byte)column;
    }
    sync_lanes();
}

// The rank-th nearest column of a row, by context, among the real ones in `untaken`; -1 if there is none.
template <class P> FN int seed_column(const P &pair, int row, int rank, typename P::Set untaken) {
    typedef typename P::Set Set;
    Set possible = untaken & pair.allowed()[row] & below<Set>(pair.ny);
    int column = -1;
    for (; rank >= 0 && possible; rank--) {
        float best = INFINITE;
        int at = 64;
        EACH(s, j, pair.rows) {
            const float unlike = from_look(pair.context()[row * pair.stride + j]);
            if (has(possible, j) && (unlike < best || at == 64)) best = unlike, at = j;
        }
        least_over_lanes(best, at);
        if (at >= 64) break;
        column = at;
        possible &= ~bit<Set>(column);
    }
    return column;
}

// Null rows and about `count` real rows around a center, breadth first.
template <class P> FN typename P::Set release(const P &pair, int center, int count) {
    typedef typename P::Set Set;
    Set freed = bit<Set>(center), front = freed;
    while (front && count_of(freed) < count) {
        Set next = 0;
        for (; front; front &= front - 1) next |= pair.x_near()[first_of(front)];
        next &= ~freed;
        while (next && count_of(freed) + count_of(next) > count) {  // the last ring: those after the center first
            const Set before = next & below<Set>(center);
            next &= before ? ~(before & (~before + 1)) : next - 1;
        }
        freed |= next;
        front = next;
    }
    return freed | (below<Set>(pair.rows) & ~below<Set>(pair.nx));
}
