/* The operators by their definitions: Tile walks the result and takes indices modulo the source's dimensions, SpaceToDepth and
 * DepthToSpace are the specification's reshape, transpose, reshape. Odometers keep it quick enough for 100 MiB.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "tests/oracle/oracle.h"

#include <string.h>

/* The reshaped form of a rank-32 tensor has one more dimension for each spatial one. */
#define MAX_LOOPS (2 * CLMOVE_MAX_RANK)

typedef struct loop {
    /* The extent of the result. */
    int64_t extent;
    /* Source elements between neighbours in this dimension. */
    int64_t step;
    int64_t index;
} loop;

/* ---- single elements ---- */

static unsigned get_bits(uint32_t bits, const uint8_t *memory, int64_t element) {
    int64_t first = element * (int64_t)bits;
    unsigned within = (unsigned)(first % 8);
    unsigned shift = bits == 1 ? 7 - within : within;
    return ((unsigned)memory[first / 8] >> shift) & ((1U << bits) - 1);
}

static void put_bits(uint32_t bits, uint8_t *memory, int64_t element, unsigned value) {
    int64_t first = element * (int64_t)bits;
    unsigned within = (unsigned)(first % 8);
    unsigned shift = bits == 1 ? 7 - within : within;
    unsigned mask = ((1U << bits) - 1) << shift;
    memory[first / 8] = (uint8_t)(((unsigned)memory[first / 8] & ~mask) | (value << shift));
}

/* One row of the result: count elements from src_at on, step apart. */
static void gather_row(uint32_t element_bits, const uint8_t *src, int64_t src_at, int64_t step, uint8_t *dst, int64_t dst_at,
                       int64_t count) {
    if (element_bits % 8 != 0) {
        for (int64_t i = 0; i < count; ++i)
            put_bits(element_bits, dst, dst_at + i, get_bits(element_bits, src, src_at + i * step));
        return;
    }
    int64_t width = element_bits / 8;
    const uint8_t *from = src + src_at * width;
    uint8_t *to = dst + dst_at * width;
    switch (step == 1 ? 0 : width) {
    case 0:
        memcpy(to, from, (size_t)(count * width));
        break;
#define CASE_OF_WIDTH(n)                                                                                                         \
    case n:                                                                                                                      \
        for (int64_t i = 0; i < count; ++i)                                                                                      \
            memcpy(to + i * (n), from + i * step * (n), n);                                                                      \
        break;
        CASE_OF_WIDTH(1)
        CASE_OF_WIDTH(2)
        CASE_OF_WIDTH(4)
        CASE_OF_WIDTH(8)
        CASE_OF_WIDTH(16)
#undef CASE_OF_WIDTH
    default:
        for (int64_t i = 0; i < count; ++i)
            memcpy(to + i * width, from + i * step * width, (size_t)width);
    }
}

/* ---- transpose ---- */

static int64_t product(int32_t rank, const int64_t *dims) {
    int64_t total = 1;
    for (int32_t i = 0; i < rank; ++i)
        total *= dims[i];
    return total;
}

/* Dimension i of the result is dimension order[i] of the source. */
static void transpose(uint32_t element_bits, int32_t rank, const int64_t *dims, const int32_t *order, const uint8_t *src,
                      uint8_t *dst) {
    loop loops[MAX_LOOPS] = {{1, 1, 0}}; /* rank 0 is a row of one element */
    for (int32_t i = 0; i < rank; ++i)
        loops[i] = (loop){dims[order[i]], product(rank - order[i] - 1, dims + order[i] + 1), 0};
    if (rank == 0)
        rank = 1;
    int64_t total = 1;
    for (int32_t i = 0; i < rank; ++i)
        total *= loops[i].extent;

    loop row = loops[rank - 1];
    int64_t src_at = 0;
    for (int64_t dst_at = 0; dst_at < total; dst_at += row.extent) {
        gather_row(element_bits, src, src_at, row.step, dst, dst_at, row.extent);
        for (int32_t i = rank - 2; i >= 0; --i) {
            src_at += loops[i].step;
            if (++loops[i].index < loops[i].extent)
                break;
            src_at -= loops[i].step * loops[i].extent;
            loops[i].index = 0;
        }
    }
}

bool oracle_permute(uint32_t element_bits, int32_t rank, const int64_t *dims, const int32_t *order, const void *src, void *dst) {
    transpose(element_bits, rank, dims, order, src, dst);
    return true;
}

/* reshape [N, C, D1 .. DK] to [N, C, D1 / b, b, .. DK / b, b]; bring the b's beside C; reshape. */
bool oracle_space_to_depth(uint32_t element_bits, int32_t rank, const int64_t *dims, int64_t block_size, clmove_mode mode,
                           const void *src, void *dst) {
    int32_t spatial = rank - 2;
    int64_t reshaped[MAX_LOOPS] = {dims[0], dims[1]};
    int32_t order[MAX_LOOPS] = {0};
    int32_t channel_place = mode == CLMOVE_BLOCKS_FIRST ? 1 + spatial : 1;
    int32_t first_block_place = mode == CLMOVE_BLOCKS_FIRST ? 1 : 2;
    order[channel_place] = 1;
    for (int32_t k = 0; k < spatial; ++k) {
        reshaped[2 + 2 * k] = dims[2 + k] / block_size;
        reshaped[3 + 2 * k] = block_size;
        order[first_block_place + k] = 3 + 2 * k;
        order[2 + spatial + k] = 2 + 2 * k;
    }
    transpose(element_bits, 2 + 2 * spatial, reshaped, order, src, dst);
    return true;
}

/* reshape [N, C, D1 .. DK] to [N, b, .. b, C / b^K, D1 .. DK] or [N, C / b^K, b, .. b, D1 .. DK]; bring each b behind its
 * dimension; reshape. */
bool oracle_depth_to_space(uint32_t element_bits, int32_t rank, const int64_t *dims, int64_t block_size, clmove_mode mode,
                           const void *src, void *dst) {
    int32_t spatial = rank - 2;
    int64_t reshaped[MAX_LOOPS] = {dims[0]};
    int32_t order[MAX_LOOPS] = {0};
    int32_t channel_place = mode == CLMOVE_BLOCKS_FIRST ? 1 + spatial : 1;
    int32_t first_block_place = mode == CLMOVE_BLOCKS_FIRST ? 1 : 2;
    int64_t channels = dims[1];
    order[1] = channel_place;
    for (int32_t k = 0; k < spatial; ++k) {
        channels /= block_size;
        reshaped[first_block_place + k] = block_size;
        reshaped[2 + spatial + k] = dims[2 + k];
        order[2 + 2 * k] = 2 + spatial + k;
        order[3 + 2 * k] = first_block_place + k;
    }
    reshaped[channel_place] = channels;
    transpose(element_bits, 2 + 2 * spatial, reshaped, order, src, dst);
    return true;
}

/* ---- repetition ---- */

/* The first count elements of dst's row at dst_at stand there already; completes the row with copies of them. */
static void repeat_row(uint32_t element_bits, uint8_t *dst, int64_t dst_at, int64_t count, int64_t row) {
    if (element_bits % 8 != 0) {
        gather_row(element_bits, dst, dst_at, 1, dst, dst_at + count, row - count); /* element by element: overlap is wanted */
        return;
    }
    int64_t width = element_bits / 8;
    uint8_t *begin = dst + dst_at * width;
    for (int64_t done = count; done < row;) {
        int64_t more = done < row - done ? done : row - done;
        memcpy(begin + done * width, begin, (size_t)(more * width));
        done += more;
    }
}

/* Element i of the result is element i % dims of the source, in each dimension. rank is at least 1. */
static void tile(uint32_t element_bits, int32_t rank, const int64_t *dims, const int64_t *repeats, const uint8_t *src,
                 uint8_t *dst) {
    int64_t index[CLMOVE_MAX_RANK] = {0};
    int64_t width = dims[rank - 1];
    int64_t row = width * repeats[rank - 1];
    int64_t total = row;
    for (int32_t i = 0; i < rank - 1; ++i)
        total *= dims[i] * repeats[i];

    for (int64_t dst_at = 0; dst_at < total; dst_at += row) {
        int64_t src_row = 0;
        for (int32_t i = 0; i < rank - 1; ++i)
            src_row = src_row * dims[i] + index[i] % dims[i];
        gather_row(element_bits, src, src_row * width, 1, dst, dst_at, width);
        repeat_row(element_bits, dst, dst_at, width, row);
        for (int32_t i = rank - 2; i >= 0; --i) {
            if (++index[i] < dims[i] * repeats[i])
                break;
            index[i] = 0;
        }
    }
}

bool oracle_tile(uint32_t element_bits, int32_t rank, const int64_t *dims, int32_t count, const int64_t *repeats, const void *src,
                 void *dst) {
    int64_t promoted_dims[CLMOVE_MAX_RANK] = {0};
    int64_t promoted_repeats[CLMOVE_MAX_RANK] = {0};
    int32_t promoted = rank > count ? rank : count;
    for (int32_t i = 0; i < promoted; ++i) {
        int32_t in_dims = i - (promoted - rank);
        int32_t in_repeats = i - (promoted - count);
        int64_t repeat = in_repeats < 0 ? 1 : repeats[in_repeats];
        promoted_dims[i] = in_dims < 0 ? 1 : dims[in_dims];
        promoted_repeats[i] = repeat < 0 ? 0 : repeat;
    }
    if (promoted == 0)
        promoted_dims[0] = promoted_repeats[0] = promoted = 1;
    tile(element_bits, promoted, promoted_dims, promoted_repeats, src, dst);
    return true;
}

/* Broadcasting a dimension of 1 is repeating it. */
bool oracle_expand(uint32_t element_bits, int32_t rank, const int64_t *dims, int32_t target_rank, const int64_t *target,
                   const void *src, void *dst) {
    int64_t repeats[CLMOVE_MAX_RANK];
    for (int32_t i = 0; i < target_rank; ++i) {
        int32_t in_dims = i - (target_rank - rank);
        repeats[i] = in_dims < 0 || dims[in_dims] == 1 ? target[i] : 1;
    }
    return oracle_tile(element_bits, rank, dims, target_rank, repeats, src, dst);
}
