/* The arguments of every kernel, one struct by value, shared by the host's C and OpenCL C; and, for the kernels, what they share.
 *
 * There are two sets of kernels, and each has a file for each memory pattern. gpu/ is OpenCL C 1.2 and nothing else: every
 * conforming compiler takes it. cpu/ is for compilers known to be clang for a processor (host/opencl/dialect.c): an item is a
 * long run, what it moves are vectors of 64 bytes (cpu/lanes.h), stores go through a write-combining buffer (cpu/wc_buffer.h),
 * and memory, being the caller's own, may lie anywhere.
 *
 * A kernel file is compiled after this one, and in cpu/ after the headers there, with
 *     -D UNIT_BITS=8|16|32|64|128    bits moved at once (1|2|4 for bits.cl)
 *     -D INDEX_BITS=32|64            width of all index arithmetic
 *     -D BLOCK=NUMBER                1 to 16: m of the nest; for cpu/bits.cl the case; for gpu/local_tiles.cl
 *                                the words; else 1
 *     -D CLANG_KERNELS               for the files of cpu/
 * host/plan/launch_plan.h says what rows, n, m, segments and jobs are. Every number counts units.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_MOVE_H
#define CLMOVE_MOVE_H

#define MOVE_STREAMS_IN_STRIPS 2
#define MOVE_STREAMS_IN_ROOMS 3
#define MOVE_STREAMS_IN_WIDE_STRIPS 4

/* Outer axes in one launch, those of tiles included, with indices of 32 and of 64 bits. All arguments fit in 1024 bytes, the
 * least CL_DEVICE_MAX_PARAMETER_SIZE. */
#define MOVE_OUTER_32 33
#define MOVE_OUTER_64 15

/* Of tiles: the most columns and rows; the bytes of the rows side by side in the source; and whether rows that follow each other
 * in the destination are put together before they are written, because each would end within a line. */
#define TILE_COLUMNS 1024
#define TILE_ROWS 4096
#define TILE_ROW_BYTES 4096
#define TILE_MOST_JOINED 1024
/* Of tiles of runs that are contiguous on both sides: the most bytes of a run, since longer ones are copied as well where they
 * are; from how many bytes on a run goes straight to its lines, the bytes of a column that are then read at once, and the most
 * rows; the most bytes of a tile's columns side by side where runs are shorter; the most bytes of joined rows, of short runs and
 * of others; and how many of them are put together at once: 16, of short rows so many bytes, of long ones no more than a room
 * has. Of streaming copies on 2 cores of an Intel Xeon at 2.8 GHz, runs of 72, 100, 128, 256, 300, 512 and 1000 bytes by one row
 * at a time: 0.25, 0.20, 0.38, 0.58, 0.70, 0.90, 0.97; by as many rows as have about 1 KiB: 0.68, 0.63, 0.67, 0.79, 0.91, 0.82,
 * 0.87.
 */
#define TILE_MOST_RUN 320
#define TILE_DIRECT_RUN 64
#define TILE_DIRECT_BYTES 1024
#define TILE_DIRECT_ROWS 32
#define TILE_RUN_COLUMNS 896
#define TILE_MOST_JOINED_SHORT 2048
#define TILE_MOST_JOINED_RUNS 4096
#define TILE_RUN_ROWS 2048
#define TILE_RUN_ROOM 32768
#define TILE_ROWS_AT_ONCE(row_bytes)                                                                                             \
    ((row_bytes) < TILE_RUN_ROWS / 16   ? TILE_RUN_ROWS / (row_bytes)                                                            \
     : (row_bytes) < TILE_RUN_ROOM / 16 ? 16                                                                                     \
                                        : TILE_RUN_ROOM / (row_bytes))
#define TILE_MOST_JOINED_OF(run_units, run_bytes)                                                                                \
    ((run_units) == 1 ? TILE_MOST_JOINED : (run_bytes) > 16 ? TILE_MOST_JOINED_RUNS : TILE_MOST_JOINED_SHORT)
#define TILE_IS_JOINED(row_bytes, run_units, run_bytes)                                                                          \
    ((row_bytes) <= TILE_MOST_JOINED_OF(run_units, run_bytes) && (row_bytes) % 64 != 0)

/* Of tiles that go through local memory: the bytes of the slots, the most runs on either side, and the units of longer runs are
 * not in a table; twice as many are if the other side needs none. */
#define LOCAL_BYTES 18432
#define LOCAL_RUNS 512
#define LOCAL_UNITS 512
/* Runs of the source that have fewer units of 1 or 2 bytes are read unit by unit. */
#define LOCAL_SHORT 8
/* What the smaller tiles at the end of n or m have less of: the units of a run, or the number of runs. */
#define LOCAL_CUTS_SRC_RUN 1
#define LOCAL_CUTS_SRC_RUNS 2
#define LOCAL_CUTS_DST_RUN 4
#define LOCAL_CUTS_DST_RUNS 8
#define LOCAL_N_CUTS 0
#define LOCAL_M_CUTS 4
/* Beside what they have less of: the units of a run have slots side by side, all of them. */
#define LOCAL_DENSE_SRC 256
#define LOCAL_DENSE_DST 512
/* Or, of units below 32 bits, as many slots apart as the side's innermost axis says; skewed: and some more after each end of that
 * axis, as the next one says. */
#define LOCAL_EVEN_SRC 1024
#define LOCAL_EVEN_DST 2048
#define LOCAL_SKEWED_SRC 4096
#define LOCAL_SKEWED_DST 8192
/* Of blocks: their most bytes, and the most places of the source that they are made of. */
#define PERIOD_BYTES 24576
#define PERIOD_PIECES 1024
/* Of shuffles: the steps that a table has room for, and how long one takes with a window of a line, and with a window of 16 bytes
 * for each piece of the line. */
#define SHUFFLE_STEPS 1024
#define STEP_OF_LINE 2
#define STEP_OF_PIECES 3
/* Whether what an axis repeats is copied rather than made again: what was stored a moment ago is slow to load. */
#define PERIOD_IS_PART(bytes, times) ((bytes) >= 256 || ((bytes) >= 64 && (times) >= 4))

/* A divisor d >= 2 as a multiplication, exact for dividends below half the range of the type:
 * x / d == mul_hi(x, magic) >> shift. d == 1 has magic 0 and is left out. */
#define MOVE_STRUCTS(index, sindex, width, most_outer)                                                                           \
    typedef struct {                                                                                                             \
        index divisor, magic, shift;                                                                                             \
    } move_divisor_##width;                                                                                                      \
    typedef struct {                                                                                                             \
        index extent;                                                                                                            \
        /* The extent; for bits.cl the destination stride. */                                                                    \
        move_divisor_##width by;                                                                                                 \
        sindex src, dst;                                                                                                         \
    } move_axis_##width;                                                                                                         \
    typedef struct {                                                                                                             \
        sindex src_offset, dst_offset;                                                                                           \
        /* The place past the last unit that is read: up to here, reading is safe. */                                            \
        index src_end;                                                                                                           \
        index jobs, item_jobs, items;                                                                                            \
        /* 1: an item's jobs lie `items` apart; 0: side by side. */                                                              \
        index neighbours;                                                                                                        \
        /* 1: stores may bypass the cache; MOVE_STREAMS_IN_...: and move rows in turn, and tiles in rooms or wide strips, as     \
         * clm_launch_plan says. */                                                                                              \
        index stream;                                                                                                            \
        move_divisor_##width segments;                                                                                           \
        index segment, q, n, m;                                                                                                  \
        /* Of tiles. */                                                                                                          \
        index band, n_rank, m_rank, run_units;                                                                                   \
        /* Of tiles in local memory. Of kernels for processors, src_run and src_runs are frame_part and frame_ahead, and of a    \
         * shuffle blocks_together and window. */                                                                                \
        index src_run, src_runs, src_lanes, dst_run, dst_runs, dst_lanes, cuts;                                                  \
        sindex q_src, q_dst, n_src, n_dst, m_src, m_dst;                                                                         \
        index outer_rank, turn_rank;                                                                                             \
        move_axis_##width outer[most_outer];                                                                                     \
    } move_args_##width;

#if !defined(__OPENCL_VERSION__) && !defined(__OPENCL_C_VERSION__) /* clang alone defines only the second */

#include <stdint.h>
MOVE_STRUCTS(uint32_t, int32_t, 32, MOVE_OUTER_32)
MOVE_STRUCTS(uint64_t, int64_t, 64, MOVE_OUTER_64)
_Static_assert(sizeof(move_args_32) == 4 * (34 + 6 * MOVE_OUTER_32), "no padding, so that every compiler lays it out alike");
_Static_assert(sizeof(move_args_64) == 8 * (34 + 6 * MOVE_OUTER_64), "no padding, so that every compiler lays it out alike");
_Static_assert(sizeof(move_args_32) + 4 * 8 <= 1024 && sizeof(move_args_64) + 4 * 8 <= 1024, "the least that devices take");

#else

MOVE_STRUCTS(uint, int, 32, MOVE_OUTER_32)
MOVE_STRUCTS(ulong, long, 64, MOVE_OUTER_64)

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
#define MOVE_OUTER MOVE_OUTER_32
typedef uint index_t;
typedef int sindex_t;
typedef move_args_32 move_args;
typedef move_divisor_32 move_divisor;
typedef move_axis_32 move_axis;
#else
#define MOVE_OUTER MOVE_OUTER_64
typedef ulong index_t;
typedef long sindex_t;
typedef move_args_64 move_args;
typedef move_divisor_64 move_divisor;
typedef move_axis_64 move_axis;
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

/* Functions of kernels. Plain OpenCL C has only the first of the three words, and its compilers inline as they see fit. */
#ifdef CLANG_KERNELS
#define MOVE_FUNCTION static inline __attribute__((always_inline))
#else
#define MOVE_FUNCTION static
#endif

/* A value in memory. Kernels take pointers to bytes, because compilers believe that a kernel's pointer is aligned to its type. */
#ifdef CLANG_KERNELS
typedef value_t unit_t __attribute__((aligned(1)));
#else
typedef value_t unit_t;
#endif

MOVE_FUNCTION index_t divide(index_t x, const move_divisor *by) {
    return by->magic ? mul_hi(x, by->magic) >> by->shift : x;
}

/* What a job does: q rows, each q_src and q_dst after the one before, and n of each, from these places on. It is this segment. */
typedef struct {
    sindex_t src, dst;
    index_t q, n, segment;
} move_place;

/* Moves the place along outer axes, from the one before `from` down to `to`. Returns the number that is left of `row`. */
MOVE_FUNCTION index_t step_along(const move_args *args, index_t from, index_t to, index_t row, move_place *place) {
    for (index_t i = from; i-- > to;) {
        index_t rest = divide(row, &args->outer[i].by);
        sindex_t step = (sindex_t)(row - rest * args->outer[i].extent);
        place->src += step * args->outer[i].src;
        place->dst += step * args->outer[i].dst;
        row = rest;
    }
    return row;
}

MOVE_FUNCTION move_place find_place(const move_args *args, index_t job) {
    move_place place = {args->src_offset, args->dst_offset, 1, args->n, 0};
#ifdef CLANG_KERNELS
    const index_t turn = args->outer_rank - args->turn_rank;
    job = step_along(args, args->outer_rank, turn, job, &place);
#else
    const index_t turn = args->outer_rank;
#endif
    index_t row = divide(job, &args->segments);
    place.segment = job - row * args->segments.divisor;
    index_t first = place.segment * args->segment;
    if (args->q > 1) {
        place.q = min(args->segment, args->q - first);
        place.src += (sindex_t)first * args->q_src;
        place.dst += (sindex_t)first * args->q_dst;
    } else {
        place.n = min(args->segment, args->n - first);
        place.src += (sindex_t)first * args->n_src;
        place.dst += (sindex_t)first * args->n_dst;
    }
    step_along(args, turn, 0, row, &place);
    return place;
}

/* What every kernel takes. The bases are in bytes, and of any size whatever the width of indices: where in its memory a tensor
 * begins. */
#define KERNEL_PARAMETERS                                                                                                        \
    const global uchar *src, global uchar *dst, const move_args args, const ulong src_base, const ulong dst_base

/* A kernel of cpu/ calls a function for each work-item, and has no body of its own: POCL compiles a kernel three times, as it is
 * and in two loops over the work-items of a group. What runs once for many bytes is compiled for size. On an AMD EPYC, POCL 3.1
 * builds `transpose` of 32 bits in 0.53 s instead of 0.73, and `deinterleave` of bytes by 8 in 0.46 s instead of 0.62. */
#ifdef CLANG_KERNELS
#define MOVE_CALLED static __attribute__((noinline))
#define MOVE_SELDOM static __attribute__((noinline, minsize))
#define MOVE_PARAMETERS const global uchar *src, global uchar *dst, const move_args args, index_t work_item
#define MOVE_BY(function) function(src + src_base, dst + dst_base, args, (index_t)get_global_id(0))
#define WORK_ITEM work_item

/* find_place for kernels that call it of the next job as well. */
MOVE_SELDOM __attribute__((unused)) move_place find_job(const move_args *args, index_t job) {
    return find_place(args, job);
}
#else
#define WORK_ITEM ((index_t)get_global_id(0))
#endif

/* Runs the statement that follows once for each job of this work-item. */
#define FOR_EACH_JOB(args, job)                                                                                                  \
    for (index_t item = WORK_ITEM, left = item < (args)->items ? (args)->item_jobs : 0,                                          \
                 job = (args)->neighbours ? item : item * (args)->item_jobs;                                                     \
         left > 0 && job < (args)->jobs; left--, job += (args)->neighbours ? (args)->items : 1)

#endif
#endif
