// The entry points: many pairs in one call. On a GPU each block is one group of lanes that takes the next pair until none is left.
#include "search.cuh"

// What both kernels do with pair number p; `mappings` is null where only a lower bound is wanted.
template <class P>
FN void solve_pair(const Batch &x, const Batch &y, const Layout &at, const Settings &settings, const long long *pairs,
                   const int *rows, const int *need, const float *table, const long long *mapping_ptr, const short *warm,
                   double *lower, double *upper, short *mappings, int *errors, char *fast, float *outside, long long p) {
    P pair = place_pair<P>(at, fast, outside);
    const long long gx = pairs[2 * p], gy = pairs[2 * p + 1];
    sync_lanes();  // of the pair before
    load_pair(pair, x, gx, y, gy, rows[p], need + p * settings.n_roles, settings.n_roles);
    double low = root_bound(pair, x, gx, y, gy, !mappings);
    if (low < 0.0) {
        if (lane() == 0) *errors = 1;
        return;
    }
    const double smallest = 1.0261342003245941e-289;
    if (!mappings) {
        if (lane() == 0) lower[p] = low > smallest ? sqrt(low) : 0.0;
        return;
    }
    const long long begin = mapping_ptr[p];
    search(pair, (float)low, warm ? warm + begin : (const short *)0, settings, table);
    double high = sqrt(permutation_cost(pair, x, gx, y, gy));
    if (lane() == 0) {
        upper[p] = high;
        lower[p] = low > smallest ? fmin(sqrt(low), high) : 0.0;
    }
    for (int i = lane(); i < pair.nx; i += LANES) mappings[begin + i] = pair.best()[i] < pair.ny ? (short)pair.best()[i] : (short)-1;
}

#define ARGUMENTS                                                                                                                  \
    const Batch *x, const Batch *y, const Layout at, const Settings settings, long long first, long long last,                     \
        const long long *pairs, const int *rows, const int *need, const float *table, const long long *mapping_ptr,                \
        const short *warm, double *lower, double *upper, short *mappings, int *errors, int *next, float *outside

#if defined(__CUDACC__)
// The last number is how many blocks are to fit on a multiprocessor, which limits their registers.
#define SOLVE_PAIRS(name, cols, code_type, outside_fast, blocks)                                                                   \
    extern "C" __global__ void __launch_bounds__(32, blocks) name(ARGUMENTS) {                                                     \
        float *mine = outside + (long long)blockIdx.x * at.product_outside;                                                        \
        for (;;) {                                                                                                                 \
            int taken = 0;                                                                                                         \
            if (lane() == 0) taken = atomicAdd(next, 1);                                                                           \
            long long p = first + __shfl_sync(0xffffffffu, taken, 0);                                                              \
            if (p >= last) return;                                                                                                 \
            solve_pair<Pair<cols, code_type, outside_fast> >(*x, *y, at, settings, pairs, rows, need, table, mapping_ptr, warm,    \
                                                             lower, upper, mappings, errors, fast_memory, mine, p);                \
        }                                                                                                                          \
    }
SOLVE_PAIRS(solve_pairs_1_byte, 1, Byte, false, 24)
SOLVE_PAIRS(solve_pairs_1_short, 1, Short, false, 24)
SOLVE_PAIRS(solve_pairs_2_byte, 2, Byte, false, 16)
SOLVE_PAIRS(solve_pairs_2_short, 2, Short, false, 16)
SOLVE_PAIRS(solve_pairs_2_outside, 2, Short, true, 16)

extern "C" __global__ void sort_rows(const Batch *batch, const int *graph_of_node, double *sorted, double *tail,
                                     unsigned short *n_high, unsigned short *n_low) {
    long long node = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (node < batch->n_nodes) sort_row(*batch, graph_of_node, sorted, tail, n_high, n_low, node);
}
#else
template <class Code, bool OUTSIDE> static void solve_pairs(ARGUMENTS) {
    char *fast = new char[at.total + 64];
    for (long long p = first; p < last; p++)
        solve_pair<Pair<64, Code, OUTSIDE> >(*x, *y, at, settings, pairs, rows, need, table, mapping_ptr, warm, lower, upper, mappings, errors,
                             fast, outside, p);
    delete[] fast;
    (void)next;
}
#define HOST_ENTRY(name, code_type, outside_fast)                                                                                  \
    extern "C" void name(const Batch *x, const Batch *y, const Layout *at, const Settings *settings, long long first,              \
                         long long last, const long long *pairs, const int *rows, const int *need, const float *table,             \
                         const long long *mapping_ptr, const short *warm, double *lower, double *upper, short *mappings,           \
                         int *errors, int *next, float *outside) {                                                                 \
        solve_pairs<code_type, outside_fast>(x, y, *at, *settings, first, last, pairs, rows, need, table, mapping_ptr, warm,       \
                                             lower, upper, mappings, errors, next, outside);                                       \
    }
HOST_ENTRY(solve_pairs_byte, Byte, false)
HOST_ENTRY(solve_pairs_short, Short, false)
HOST_ENTRY(solve_pairs_outside, Short, true)
extern "C" void sort_rows(const Batch *batch, const int *graph_of_node, double *sorted, double *tail, unsigned short *n_high,
                          unsigned short *n_low) {
    for (long long node = 0; node < batch->n_nodes; node++)
        sort_row(*batch, graph_of_node, sorted, tail, n_high, n_low, node);
}
#endif
