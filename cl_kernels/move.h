/* The arguments of every kernel, one struct by value, shared by the host's C and OpenCL C; and, for the kernels, what they share.
 *
 * A kernel file is compiled after this one and sink.h, with
 *     -D UNIT_BITS=8|16|32|64|128    bits moved at once (1|2|4 for bits.cl)
 *     -D INDEX_BITS=32|64            width of all index arithmetic
 *     -D BLOCK=1..16                 m of the nest, for the files whose first comment says so
 *     -D LONG_RUNS                   CPU-like devices: an item is a long run, stores go through a sink (sink.h), and memory,
 * being the caller's own, may lie anywhere host/plan/movement.h says what rows, n, m, segments and jobs are. Every number counts
 * units.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_MOVE_H
#define CLMOVE_MOVE_H

/* Outer axes in one launch. 16 keep the 64-bit struct under 1024 bytes, the least CL_DEVICE_MAX_PARAMETER_SIZE. */
#define MOVE_OUTER 16

/* A divisor d >= 2 as a multiplication, exact for dividends below half the range of the type:
 * x / d == mul_hi(x, magic) >> shift. d == 1 has magic 0 and is left out. */
#define MOVE_STRUCTS(index, sindex, width)                                                                                       \
    typedef struct {                                                                                                             \
        index divisor, magic, shift;                                                                                             \
    } move_divisor_##width;                                                                                                      \
    typedef struct {                                                                                                             \
        index extent;                                                                                                            \
        move_divisor_##width by; /* the extent; for bits.cl the destination stride */                                            \
        sindex src, dst;                                                                                                         \
    } move_axis_##width;                                                                                                         \
    typedef struct {                                                                                                             \
        sindex src_offset, dst_offset;                                                                                           \
        index src_end; /* past the last unit that is read: up to here, reading is safe */                                        \
        index jobs, run, items;                                                                                                  \
        index neighbours; /* 1: an item's jobs lie `items` apart; 0: side by side */                                             \
        index stream;     /* 1: stores may bypass the cache */                                                                   \
        move_divisor_##width segments;                                                                                           \
        index segment, q, n, m;                                                                                                  \
        sindex q_src, q_dst, n_src, n_dst, m_src, m_dst;                                                                         \
        index outer_rank;                                                                                                        \
        move_axis_##width outer[MOVE_OUTER];                                                                                     \
    } move_args_##width;

#if !defined(__OPENCL_VERSION__) && !defined(__OPENCL_C_VERSION__) /* clang alone defines only the second */

#include <stdint.h>
MOVE_STRUCTS(uint32_t, int32_t, 32)
MOVE_STRUCTS(uint64_t, int64_t, 64)
_Static_assert(sizeof(move_args_32) == 4 * (22 + 6 * MOVE_OUTER), "no padding, so that every compiler lays it out alike");
_Static_assert(sizeof(move_args_64) == 8 * (22 + 6 * MOVE_OUTER), "no padding, so that every compiler lays it out alike");
_Static_assert(sizeof(move_args_64) <= 1024, "the least CL_DEVICE_MAX_PARAMETER_SIZE");

#else

MOVE_STRUCTS(uint, int, 32)
MOVE_STRUCTS(ulong, long, 64)

#ifndef UNIT_BITS
#define UNIT_BITS 32
#endif
#ifndef INDEX_BITS
#define INDEX_BITS 32
#endif
#ifndef BLOCK
#define BLOCK 2
#endif

#if INDEX_BITS == 32
typedef uint index_t;
typedef int sindex_t;
typedef move_args_32 move_args;
typedef move_divisor_32 move_divisor;
#else
typedef ulong index_t;
typedef long sindex_t;
typedef move_args_64 move_args;
typedef move_divisor_64 move_divisor;
#endif

#if UNIT_BITS <= 8
typedef uchar value_t;
#elif UNIT_BITS == 16
typedef ushort value_t;
#elif UNIT_BITS == 32
typedef uint value_t;
#elif UNIT_BITS == 64
typedef ulong value_t;
#else
typedef uint4 value_t;
#endif

/* A value in memory. Kernels take pointers to bytes, because compilers believe that a kernel's pointer is aligned to its type. */
#ifdef LONG_RUNS
typedef value_t unit_t __attribute__((aligned(1)));
#else
typedef value_t unit_t;
#endif

/* LANES units that move as one vector. OpenCL's vectors have 16 units at most; compilers for processors, which are clang's kin,
 * know longer ones. Elsewhere a 16-byte unit is a vector already. */
#if defined(LONG_RUNS)
#define LANES (512 / (UNIT_BITS < 8 ? 8 : UNIT_BITS))
#elif UNIT_BITS > 64
#define LANES 1
#elif UNIT_BITS == 64
#define LANES 8
#else
#define LANES 16
#endif

#define MOVE_JOIN_(a, b) a##b
#define MOVE_JOIN(a, b) MOVE_JOIN_(a, b)
#if LANES > 1
#ifdef LONG_RUNS
#if UNIT_BITS == 128
typedef uint16 lanes_t;
#else
typedef value_t lanes_t __attribute__((ext_vector_type(LANES)));
#endif
typedef lanes_t lanes_anywhere_t __attribute__((aligned(1)));
#define LOAD_LANES(place) (*(const global lanes_anywhere_t *)(place))
#else
#if UNIT_BITS <= 8
#define VECTOR_OF(lanes) MOVE_JOIN(uchar, lanes)
#elif UNIT_BITS == 16
#define VECTOR_OF(lanes) MOVE_JOIN(ushort, lanes)
#elif UNIT_BITS == 32
#define VECTOR_OF(lanes) MOVE_JOIN(uint, lanes)
#else
#define VECTOR_OF(lanes) MOVE_JOIN(ulong, lanes)
#endif
typedef VECTOR_OF(LANES) lanes_t;
#define LOAD_LANES(place) MOVE_JOIN(vload, LANES)(0, place)
#define STORE_LANES(value, place) MOVE_JOIN(vstore, LANES)(value, 0, place)
#endif
#endif

/* Of two vectors side by side: the even units, the odd units, the units of the first halves in turn, those of the second. */
#if LANES > 1 && UNIT_BITS == 128
#define EVEN_UNITS(a, b) ((lanes_t)((a).lo.lo, (a).hi.lo, (b).lo.lo, (b).hi.lo))
#define ODD_UNITS(a, b) ((lanes_t)((a).lo.hi, (a).hi.hi, (b).lo.hi, (b).hi.hi))
#define WEAVE_LOW(a, b) ((lanes_t)((a).lo.lo, (b).lo.lo, (a).lo.hi, (b).lo.hi))
#define WEAVE_HIGH(a, b) ((lanes_t)((a).hi.lo, (b).hi.lo, (a).hi.hi, (b).hi.hi))
#elif LANES > 1
#define EVEN_UNITS(a, b) ((lanes_t)((a).even, (b).even))
#define ODD_UNITS(a, b) ((lanes_t)((a).odd, (b).odd))
static inline __attribute__((always_inline)) lanes_t weave_low(lanes_t a, lanes_t b) {
    lanes_t woven;
    woven.even = a.lo;
    woven.odd = b.lo;
    return woven;
}
static inline __attribute__((always_inline)) lanes_t weave_high(lanes_t a, lanes_t b) {
    lanes_t woven;
    woven.even = a.hi;
    woven.odd = b.hi;
    return woven;
}
#define WEAVE_LOW weave_low
#define WEAVE_HIGH weave_high
#endif

/* A store that does not pull its line into the cache, where the compiler has one. The place must be aligned to the type. */
#ifdef __has_builtin
#if __has_builtin(__builtin_nontemporal_store)
#define STORE_STREAM(value, place) __builtin_nontemporal_store(value, place)
#endif
#endif
#ifndef STORE_STREAM
#define STORE_STREAM(value, place) (*(place) = (value))
#endif
/* Never choose between the two within a loop: LLVM 15 merges them into one store, which does not stream. */
#define STORE_CACHED(value, place) (*(place) = (value))

static inline __attribute__((always_inline)) index_t divide(index_t x, const move_divisor *by) {
    return by->magic ? mul_hi(x, by->magic) >> by->shift : x;
}

/* What a job does: q rows, each q_src and q_dst after the one before, and n of each, from these places on. */
typedef struct {
    sindex_t src, dst;
    index_t q, n;
} move_place;

static inline __attribute__((always_inline)) move_place find_place(const move_args *args, index_t job) {
    index_t row = divide(job, &args->segments);
    index_t first = (job - row * args->segments.divisor) * args->segment;
    move_place place = {args->src_offset, args->dst_offset, 1, args->n};
    if (args->q > 1) {
        place.q = min(args->segment, args->q - first);
        place.src += (sindex_t)first * args->q_src;
        place.dst += (sindex_t)first * args->q_dst;
    } else {
        place.n = min(args->segment, args->n - first);
        place.src += (sindex_t)first * args->n_src;
        place.dst += (sindex_t)first * args->n_dst;
    }
    for (index_t i = args->outer_rank; i-- > 0;) {
        index_t rest = divide(row, &args->outer[i].by);
        sindex_t step = (sindex_t)(row - rest * args->outer[i].extent);
        place.src += step * args->outer[i].src;
        place.dst += step * args->outer[i].dst;
        row = rest;
    }
    return place;
}

/* Whether `units` from `from` on may be read, though not all of them are moved. */
static inline __attribute__((always_inline)) bool may_read(const move_args *args, const global uchar *src,
                                                           const global unit_t *from, index_t units) {
    return (size_t)((const global uchar *)from - src) / sizeof(unit_t) + units <= args->src_end;
}

/* What every kernel takes. The bases are in bytes, and of any size whatever the width of indices: where in its memory a tensor
 * begins. */
#define KERNEL_PARAMETERS                                                                                                        \
    const global uchar *src, global uchar *dst, const move_args args, const ulong src_base, const ulong dst_base

/* Runs the statement that follows once for each job of this work-item. */
#define FOR_EACH_JOB(args, job)                                                                                                  \
    for (index_t item = (index_t)get_global_id(0), left = item < (args)->items ? (args)->run : 0,                                \
                 job = (args)->neighbours ? item : item * (args)->run;                                                           \
         left > 0 && job < (args)->jobs; left--, job += (args)->neighbours ? (args)->items : 1)

#endif
#endif
