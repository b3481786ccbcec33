/* How groups of up to 16 units are deinterleaved and interleaved: the factors of the block, the tables for the odd one, and how
 * far ahead is asked for. Included by the files of one level only (level.inc).
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_NATIVE_BLOCKS_H
#define CLMOVE_HOST_NATIVE_BLOCKS_H

#include "host/native/bundles.h"
#include "host/native/weave.h"
#include "host/plan/launch_plan.h"

#include <stdbool.h>

#define MAX_BLOCK 16

/* m and its factors: 2^passes * odd. */
#define FOR_EACH_BLOCK(X)                                                                                                        \
    X(2, 1, 1)                                                                                                                   \
    X(3, 0, 3)                                                                                                                   \
    X(4, 2, 1)                                                                                                                   \
    X(5, 0, 5)                                                                                                                   \
    X(6, 1, 3)                                                                                                                   \
    X(7, 0, 7)                                                                                                                   \
    X(8, 3, 1)                                                                                                                   \
    X(9, 0, 9)                                                                                                                   \
    X(10, 1, 5)                                                                                                                  \
    X(11, 0, 11)                                                                                                                 \
    X(12, 2, 3)                                                                                                                  \
    X(13, 0, 13)                                                                                                                 \
    X(14, 1, 7)                                                                                                                  \
    X(15, 0, 15)                                                                                                                 \
    X(16, 4, 1)

/* Bytes from what deinterleave reads to what is asked for, which may be in the next row. f32 by blocks of 2 to 4 on 2 cores of an
 * Intel Xeon at 2.8 GHz: 0.74 to 0.89 of the limit with 512 to 2048, 0.68 to 0.74 with none. */
#define NEAR_AHEAD 1024
/* The same of what comes from memory, into the second-level cache, but not beyond the next row, nor for rows that are apart and
 * short, of which some are asked for by rows (below). Nor by 2, which falls from 53 to 50 GB/s. 2 cores of an AMD EPYC (model
 * 17), 160 MB by 3 to 12: 1.14 times as fast as with 1024, and 1.04 times with 8192; of 24 MB 1.04 times. */
#define FAR_AHEAD 4096
#define LEAST_FAR 2048
/* Rows of at most so many bytes that are apart are asked for so many rows ahead at least. By 6 to 16 in rows of 1248 to 7092
 * bytes on 2 cores of an Intel Xeon (model 167): 1.07 times as fast as one row ahead, with rows of 1248 and 5016 bytes 1.13
 * times; by 2 as fast. */
#define MOST_APART 8192
#define LEAST_ROWS_AHEAD 2

/* How groups of m units are deinterleaved and interleaved. */
typedef struct clm_blocks {
    int m, passes, odd;
    /* Units of each group, from the first on, that are split; the others lie between groups. */
    int rows;
    /* What the tables are for. */
    int width;
    bool joins;
    /* What deinterleave asks for is so many bytes ahead; if rows_ahead is not 0, so many rows instead. */
    int64_t ahead, rows_ahead;
#if CLM_CHUNK == 64
    /* See bundles.h. */
    _Alignas(CLM_VECTOR) unsigned char bundle[CLM_VECTOR];
#endif
#if CLM_LOOKUP
    clm_mix mixes[CLM_MOST_MIXED];
#endif
} clm_blocks;

/* Whether groups of m units are deinterleaved, and interleaved, in pieces of 16 bytes, which are unpacked. A group has 8 bytes at
 * least: of a shorter one, the last piece but one would reach behind the panel. A group of
 * less is a piece with a part of the next one; of more, the last piece overlaps the one before. Where chunks have 16 bytes, a
 * table takes as many lookups for a vector as the odd factor says. 2 cores of an AMD EPYC (model 17, without AVX-512), GB/s by
 * tables and by pieces: f32 by 14 deinterleaved 23, 38, interleaved 15, 28; f64 by 14 22, 36 and 17, 54; f16 by 14 16, 29 and 13,
 * 21, but by 12 33, 28 and 31, 22. Where they have 64, a table takes half as many, but each with a mask from memory. One core of
 * an Intel Xeon (model 167), deinterleaved in the cache: f16 by 7 27, 39, by 13 16, 34, by 14 28, 55; f32 by 9 29, 42, by 15 20,
 * 40; f64 by 7 37, 47; but f16 by 3 52, 37, and f32 by 3 59, 56. f64 by 7 joined 39, 41. f16 by powers of two, parted by three
 * instructions a vector, past the cache on 2 cores of another (model 207): by 8 56, 62, by 16 46, 56. bundles.h has the rest. */
CLM_INLINE bool splits_pieces(int m, int width) {
    const int odd = odd_factor(m);
#if CLM_CHUNK == 64
    return width == 1 ? m > 8 : width < 16 && m > 4 && (odd > 1 || width == 2);
#elif !CLM_LOOKUP
    return width < 16 && m * width >= 8 && odd > 1;
#else
    return width == 1 ? m > 8 : width < 16 && m > 4 && odd > (width == 2 ? 3 : 1);
#endif
}

CLM_INLINE bool joins_pieces(int m, int width) {
#if CLM_CHUNK == 64
    return width == 8 && odd_factor(m) > 5;
#elif !CLM_LOOKUP
    return splits_pieces(m, width);
#else
    return splits_pieces(m, width) && odd_factor(m) > (width == 1 ? 3 : 1);
#endif
}

/* Whether vectors can handle an odd factor of m: by a table, or because a unit is a whole chunk. */
#define CAN_MIX(odd, width) ((odd) == 1 || CLM_LOOKUP || (width) == CLM_CHUNK)

static int64_t at_most(int64_t a, int64_t most) {
    return a < most ? a : most;
}

static int64_t at_least(int64_t a, int64_t least) {
    return a > least ? a : least;
}

CLM_INLINE int reversed(int bits, int count) {
    int all = 0;
    for (int i = 0; i < count; i++)
        all |= (bits >> i & 1) << (count - 1 - i);
    return all;
}

CLM_INLINE clm_vector mix(const clm_blocks *blocks, int which, const clm_vector *v, int odd, int width) {
#if CLM_LOOKUP
    if (width < CLM_CHUNK)
        return clm_mix_apply(&blocks->mixes[which], v, odd, width);
#else
    (void)blocks;
    (void)odd;
#endif
    (void)width;
    return v[which];
}

/* How far ahead deinterleave asks. */
static int64_t find_ahead(const clm_launch_plan *launch_plan, int m, int width) {
    const int64_t row = launch_plan->n * m, at_once = launch_plan->q_src == row ? FAR_AHEAD : row * width;
    return launch_plan->stream && at_once >= LEAST_FAR ? at_most(FAR_AHEAD, at_once) : NEAR_AHEAD;
}

/* How many rows ahead. 0: it asks for the same row, and for the one that follows. */
static int64_t find_rows_ahead(const clm_launch_plan *launch_plan, int m, int width) {
    const int64_t row = launch_plan->n * m, bytes = row * width;
    if (!launch_plan->stream || m < 3 || launch_plan->q == 1 || launch_plan->q_src == row || launch_plan->n_src != m ||
        bytes > MOST_APART)
        return 0;
    return at_least((FAR_AHEAD + bytes - 1) / bytes, LEAST_ROWS_AHEAD);
}

/* Which = t of a split is unit t of each group; which = j of a join is the j-th chunk of groups. Blocks that were started for the
 * same are left as they are: a worker starts both of two passes for every few KiB. */
static void start_blocks(clm_blocks *blocks, int m, int width, bool joins) {
    if (blocks->m == m && blocks->width == width && blocks->joins == joins)
        return;
    blocks->m = m;
    blocks->width = width;
    blocks->joins = joins;
    blocks->passes = __builtin_ctz((unsigned)m);
    blocks->odd = m >> blocks->passes;
#if CLM_CHUNK == 64
    if (joins ? joins_bundles(m, width) : splits_bundles(m, width)) {
        clm_index_bundle(blocks->bundle, m, width, joins);
        return;
    }
#endif
#if CLM_LOOKUP
    const int odd = blocks->odd;
    if (odd == 1 || width >= CLM_CHUNK || (joins ? joins_pieces(m, width) : splits_pieces(m, width)))
        return;
    for (int which = 0; which < odd; which++)
        clm_mix_clear(&blocks->mixes[which], odd);
    /* The unit at byte i of a panel in groups is unit `row` of group `group`. */
    for (int i = 0, row = 0, group = 0; i < odd * CLM_CHUNK; i += width) {
        const int in_rows = row * CLM_CHUNK + group * width;
        if (joins)
            clm_mix_set(&blocks->mixes[i / CLM_CHUNK], i % CLM_CHUNK, in_rows, width);
        else
            clm_mix_set(&blocks->mixes[row], group * width, i, width);
        if (++row == odd) {
            row = 0;
            group++;
        }
    }
#endif
}

#endif
