// The search for a good mapping of one pair, as in kernels/search.py without the starts of Frank-Wolfe: the assignment of the root
// bound (and the warm mapping, if there is one), mappings grown from one pair of nodes that look alike, then parts of the best one
// freed, seeded differently and grown together again. Each is polished by exchanges.
#pragma once
#include "grow.cuh"
#include "root.cuh"

#define DEPTH 2
// Trials beyond those of the effort, in place of the starts of Frank-Wolfe.
#define MORE 2
// A cost meets a lower bound, or another cost, up to this factor.
#define MET (1.0f + 1e-6f)

template <class P> FN void copy_columns(const P &pair, const Byte *from, Byte *to) {
    sync_lanes();
    for (int i = lane(); i < pair.rows; i += LANES) to[i] = from[i];
    sync_lanes();
}

// The best permutation found is left in pair.best. pair.columns holds the root assignment, `low` its bound of D^2.
template <class P> STEP void search(P &pair, float low, const short *warm, const Settings &settings, const float *table) {
    typedef typename P::Set Set;
    const int rows = pair.rows, nx = pair.nx;
    const Set all = below<Set>(rows);
    const float tolerance = ROUNDING * pair.edge_squares, negligible = 1e-12f * pair.norms;
    const int a_round = settings.growths + settings.regrowths * rows;
    const int trials = nx && pair.ny && settings.effort > 0.0f ? (int)ceilf(settings.effort * (float)a_round) + MORE : 0;
    float best = INFINITE, walk = INFINITE;  // the costs of pair.best, and of pair.kept, which is as good but need not be the same
    // Trial -2 is the root assignment, trial -1 the warm mapping.
    for (int trial = -2, at = 0; trial < trials; trial++) {
        bool from_best = false;
        Set fresh = all;
        if (trial == -1) {
            if (!warm) continue;
            complete(pair, warm);
        } else if (trial >= 0) {
            if (best <= fmaxf(low * MET, negligible)) return;
            if (trial == 0)
                for (int d = 0; d < DEPTH; d++) deepen(pair);
            const float first = table[at], second = table[at + 1], third = table[at + 2];
            at = at + 6 <= settings.table_size ? at + 3 : 0;
            const int center = (int)(first * nx) < nx ? (int)(first * nx) : nx - 1;
            from_best = trial % a_round >= settings.growths;
            Set open = all, mine = 0;
            if (from_best) {  // free a part of the best, to be seeded differently
                if (walk > best) {
                    walk = best;
                    copy_columns(pair, pair.best(), pair.kept());
                }
                const int count = (int)((0.1f + 0.8f * second) * rows);
                open = release(pair, center, count < 3 ? 3 : count);
            }
            sync_lanes();
            EACH(s, i, rows) {
                const int column = has(open, i) ? rows : pair.kept()[i];
                pair.columns()[i] = (Byte)column;
                if (!has(open, i)) mine |= bit<Set>(column);
            }
            Set untaken = all & ~either_lane(mine);
            const int column = seed_column(pair, center, (int)(third * third * (from_best ? 5.0f : 6.0f)), untaken);
            sync_lanes();
            if (column >= 0) {
                open &= ~bit<Set>(center);
                untaken &= ~bit<Set>(column);
                if (lane() == 0) pair.columns()[center] = (Byte)column;
                sync_lanes();
            }
            grow(pair, open, untaken, settings.n_roles == 1);
            if (from_best) {
                fresh = 0;
#pragma unroll
                for (int s = 0; s < P::COLS; s++) {
                    const int i = lane() + s * LANES, inside = i < rows ? i : 0;
                    fresh |= (Set)lanes_with(i < rows && pair.columns()[inside] != pair.kept()[inside]) << (s * LANES);
                }
                if (!fresh) continue;  // it has grown together as it was
            }
        }
        const float value = exchange_descent(pair, fresh);
        if (from_best && value <= best * MET + tolerance) {  // another as good will do
            walk = fminf(value, best);
            copy_columns(pair, pair.columns(), pair.kept());
        }
        if (value < best) {
            best = value;
            copy_columns(pair, pair.columns(), pair.best());
        }
    }
}
