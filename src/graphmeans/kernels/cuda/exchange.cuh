// Exchanges: the columns of two rows change places, as long as that lowers the cost, as in kernels/exchange.py. A lane has some of
// the partners of a row. What the edges of each row have in common with those they lie on is kept up to date: then the change of an
// exchange needs only what the two rows would have, not what they have.
#pragma once
#include "pair.cuh"

// What rounding may make of a change in single precision, as a share of the costs that change and of all squared edges.
#define ROUNDING 1e-6f

// What four edges of a row would have in common with those of Y if the row had column q: sums of <x_kb, y_p(k)q>.
template <class P> FN float in_common(const P &pair, const Quad &near, int q) {
    float found[4];
#pragma unroll
    for (int t = 0; t < 4; t++)
        found[t] = pair.product()[(near.entry[t] >> 8) * pair.values_of_y +
                                pair.code()[pair.columns()[near.entry[t] & 255] * pair.stride + q]];
    return (found[0] + found[1]) + (found[2] + found[3]);
}

// The same of all edges of a row but the first four, which its lane has at hand.
template <class P> FN float more_in_common(const P &pair, int begin, int end, int q) {
    float total = 0.0f;
    for (int e = begin + 1; e < end; e++) total += in_common(pair, pair.x_quads()[e], q);
    return total;
}

// Exchange columns until no exchange of a row in `fresh` with another pays. Returns the cost of pair.columns.
template <class P> STEP float exchange_descent(P &pair, typename P::Set fresh) {
    typedef typename P::Set Set;
    const int rows = pair.rows, stride = pair.stride, nx = pair.nx, ny = pair.ny;
    const float tolerance = ROUNDING * pair.edge_squares;
    float common[P::COLS], here[P::COLS];
    int column[P::COLS], begin[P::COLS], end[P::COLS];
    Quad near[P::COLS];
    const Quad none = {{(unsigned)rows, (unsigned)rows, (unsigned)rows, (unsigned)rows}};
    EACH(s, b, rows) {
        begin[s] = pair.x_start()[b], end[s] = pair.x_start()[b + 1];
        near[s] = begin[s] < end[s] ? pair.x_quads()[begin[s]] : none;
        column[s] = pair.columns()[b];
        here[s] = pair.linear()[b * stride + column[s]];
        common[s] = in_common(pair, near[s], column[s]) + more_in_common(pair, begin[s], end[s], column[s]);
        pair.u()[b] = common[s];  // for all lanes to read
    }
    sync_lanes();
    for (int from = 0; fresh;) {
        const Set later = fresh & ~below<Set>(from);
        const int a = first_of(later ? later : fresh);
        from = a + 1;
        fresh &= ~bit<Set>(a);
        const int p = pair.columns()[a], a_begin = pair.x_start()[a], a_end = pair.x_start()[a + 1];
        const float here_a = pair.linear()[a * stride + p], common_a = pair.u()[a];
        const Set allowed = pair.allowed()[a], near_a = pair.x_near()[a];
        float best = 0.0f;
        int at = 64;
        EACH(s, b, rows) {
            const int q = column[s];
            if (b == a || !has(allowed, q) || (a >= nx && b >= nx) || (p >= ny && q >= ny)) continue;
            float linear = pair.linear()[a * stride + q] + pair.linear()[b * stride + p] - here_a - here[s];
            float gained = in_common(pair, near[s], p) + more_in_common(pair, begin[s], end[s], p) - common_a - common[s];
            for (int e = a_begin; e < a_end; e++) gained += in_common(pair, pair.x_quads()[e], q);
            if (has(near_a, b)) {  // the edge between the two, which lies on the same two nodes before and after, the other way round
                for (int e = a_begin; e < a_end; e++)
                    for (int t = 0; t < 4; t++) {
                        const unsigned entry = pair.x_quads()[e].entry[t];
                        if ((int)(entry & 255) == b)
                            gained += pair.product()[(entry >> 8) * pair.values_of_y + pair.code()[p * stride + q]] +
                                      pair.product()[(entry >> 8) * pair.values_of_y + pair.code()[q * stride + p]];
                    }
            }
            const float change = linear - 4.0f * gained;
            if (change < best && change < -tolerance - ROUNDING * (here_a + here[s])) best = change, at = b;
        }
        best = least_over_lanes(best, at);
        if (!(best < 0.0f)) continue;
        const int b = at, q = pair.columns()[b];
        sync_lanes();
        if (lane() == 0) pair.columns()[a] = (Byte)q, pair.columns()[b] = (Byte)p;
        sync_lanes();
        const Set changed = near_a | pair.x_near()[b] | bit<Set>(a) | bit<Set>(b);
        fresh |= changed;
        EACH(s, i, rows) {
            if (!has(changed, i)) continue;
            column[s] = pair.columns()[i];
            here[s] = pair.linear()[i * stride + column[s]];
            common[s] = in_common(pair, near[s], column[s]) + more_in_common(pair, begin[s], end[s], column[s]);
            pair.u()[i] = common[s];
        }
        sync_lanes();
    }
    float total = 0.0f;
    EACH(s, i, rows) total += here[s] - 2.0f * common[s];
    return fmaxf(0.0f, pair.edge_squares + sum_over_lanes(total));
}
