// Lanes: one pair of graphs is solved by one group of lanes that run in step. On a GPU that is a warp; compiled for the host it
// is a single lane, and the same source is an ordinary sequential program. Everything that differs between the two is here.
#pragma once

typedef unsigned char Byte;
typedef unsigned short Short;
typedef unsigned long long Wide;

#if defined(__CUDACC__)
#define LANES 32
#define FN static __device__ __forceinline__
#define STEP static __device__ __forceinline__
#define MEMBER __device__ __forceinline__
extern __shared__ __align__(16) char fast_memory[];
#define FAST fast_memory
#define FAST_BASE
#define SET_FAST_BASE(pair, fast) (void)fast;
#define INFINITE __int_as_float(0x7f800000)

FN int lane() { return threadIdx.x & 31; }
FN void sync_lanes() { __syncwarp(); }
FN unsigned bits_of(float value) { return __float_as_uint(value); }
FN float float_of(unsigned bits) { return __uint_as_float(bits); }
FN float sum_over_lanes(float value) {
    for (int step = 16; step; step >>= 1) value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}
FN double sum_over_lanes(double value) {
    for (int step = 16; step; step >>= 1) value += __shfl_xor_sync(0xffffffffu, value, step);
    return value;
}
// The least value of all lanes, and the least index that has it.
FN float least_over_lanes(float value, int &index) {
    unsigned bits = bits_of(value), key = bits & 0x80000000u ? ~bits : bits | 0x80000000u;  // in the order of the floats
    unsigned least = __reduce_min_sync(0xffffffffu, key);
    index = (int)__reduce_min_sync(0xffffffffu, key == least ? (unsigned)index : 0xffffffffu);
    return float_of(least & 0x80000000u ? least & 0x7fffffffu : ~least);
}
FN bool any_lane(bool value) { return __any_sync(0xffffffffu, value); }
FN unsigned lanes_with(bool value) { return __ballot_sync(0xffffffffu, value); }
FN unsigned either_lane(unsigned mask) { return __reduce_or_sync(0xffffffffu, mask); }
FN Wide either_lane(Wide mask) { return ((Wide)either_lane((unsigned)(mask >> 32)) << 32) | either_lane((unsigned)mask); }
FN float round_down(double value) { return __double2float_rd(value); }
FN int first_of(unsigned mask) { return __ffs((int)mask) - 1; }
FN int first_of(Wide mask) { return __ffsll((long long)mask) - 1; }
FN int count_of(unsigned mask) { return __popc(mask); }
FN int count_of(Wide mask) { return __popcll(mask); }
#else
#include <cmath>
#include <cstring>
#define LANES 1
#define FN static inline
#define STEP static
#define MEMBER inline
#define FAST base
#define FAST_BASE char *base;
#define SET_FAST_BASE(pair, fast) pair.base = fast;
#define INFINITE __builtin_inff()

FN int lane() { return 0; }
FN void sync_lanes() {}
FN unsigned bits_of(float value) {
    unsigned bits;
    std::memcpy(&bits, &value, 4);
    return bits;
}
FN float float_of(unsigned bits) {
    float value;
    std::memcpy(&value, &bits, 4);
    return value;
}
FN float sum_over_lanes(float value) { return value; }
FN double sum_over_lanes(double value) { return value; }
FN float least_over_lanes(float value, int &) { return value; }
FN bool any_lane(bool value) { return value; }
FN unsigned lanes_with(bool value) { return value; }
FN Wide either_lane(Wide mask) { return mask; }
FN float round_down(double value) {
    float near = (float)value;
    return (double)near > value ? std::nextafterf(near, -INFINITE) : near;
}
FN int first_of(Wide mask) { return __builtin_ctzll(mask); }
FN int count_of(Wide mask) { return __builtin_popcountll(mask); }
using std::fabs;
using std::fmax;
using std::fmin;
using std::sqrt;
#endif

// Sets of rows or of columns, one bit each: 32 bits where each lane of a warp has one column, else 64.
template <int COLS> struct SetOf { typedef Wide type; };
#if LANES == 32
template <> struct SetOf<1> { typedef unsigned type; };
#endif
template <class Set> FN bool has(Set set, int i) { return (set >> i) & 1; }
template <class Set> FN Set bit(int i) { return (Set)1 << i; }
template <class Set> FN Set below(int n) { return n >= (int)(8 * sizeof(Set)) ? ~(Set)0 : ((Set)1 << n) - 1; }

// A float in 16 bits, its least significant ones cut off: enough to say what looks better.
typedef Short Look;
FN Look to_look(float value) { return (Look)(bits_of(value) >> 16); }
FN float from_look(Look value) { return float_of((unsigned)value << 16); }

// A lane has the columns lane, lane + LANES, ...: COLS of them, which is known to the compiler, so that what it keeps of them stays
// in registers. `EACH` goes through those below `count`.
#define EACH(slot, j, count)                                      \
    _Pragma("unroll") for (int slot = 0; slot < P::COLS; slot++)  \
        if (int j = lane() + slot * LANES; j < (count))
