/* See calibrate_maps.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/calibrate_maps.h"

enum { LINE = 64 };

/* The destination's dims, and how far apart the elements of each are in the source. */
static clmove_status make(clmove_map *map, uint32_t bits, int64_t rank, const int64_t *dims, const int64_t *strides,
                          clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clmove_map_init(map, bits, rank, dims, error));
    TRY(clmove_map_view_src(map, strides, 0, error));
out:
    return status;
}

clmove_status clm_calibrate_copy_map(clmove_map *map, int64_t bytes, clmove_error *error) {
    return clmove_map_init(map, 8, 1, &bytes, error);
}

clmove_status clm_calibrate_fill_map(clmove_map *map, int64_t bytes, clmove_error *error) {
    return make(map, LINE * 8, 1, (int64_t[]){bytes / LINE}, (int64_t[]){0}, error);
}

/* How many steps of `each` bytes fit. */
static int64_t steps(int64_t bytes, int64_t each) {
    return bytes < each ? 1 : bytes / each;
}

/* How many columns of `each` bytes fit in a step, in whole blocks, up to a limit. */
static int64_t columns(int64_t bytes, int64_t each, int64_t block, int64_t most) {
    int64_t fit = bytes / each / block * block;
    return fit < block ? block : fit < most ? fit : most;
}

clmove_status clm_calibrate_pattern_map(clmove_map *map, clm_pattern pattern, int64_t bytes, clmove_error *error) {
    int64_t wide, high, plane;
    switch (pattern) {
    case CLM_PATTERN_COPY:
        return clm_calibrate_copy_map(map, bytes / 2, error);
    case CLM_PATTERN_REPEAT: /* 12 bytes, 8 times */
        return make(map, 32, 3, (int64_t[]){steps(bytes, 12 + 96), 8, 3}, (int64_t[]){3, 0, 1}, error);
    case CLM_PATTERN_ROWS: /* 1000 bytes, 4 times */
        return make(map, 32, 3, (int64_t[]){steps(bytes, 5000), 4, 250}, (int64_t[]){250, 0, 1}, error);
    case CLM_PATTERN_DEINTERLEAVE: /* 3 channels, of which each block of 2 x 2 becomes 4 */
        wide = columns(bytes, 2 * 3 * 2 * 4, 2, 512);
        high = 2 * steps(bytes, 2 * 3 * 2 * 4 * wide);
        return make(map, 32, 5, (int64_t[]){3, 2, 2, high / 2, wide / 2}, (int64_t[]){high * wide, wide, 1, 2 * wide, 2}, error);
    case CLM_PATTERN_DEINTERLEAVE_WIDE: /* images of 384 x 384 in patches of 16 x 16, or a part of one */
        wide = columns(bytes, 2 * 3 * 16 * 4, 16, 384);
        high = 16 * steps(bytes, 2 * 3 * 16 * 4 * wide);
        return make(map, 32, 5, (int64_t[]){16, 16, 3, high / 16, wide / 16}, (int64_t[]){wide, 1, high * wide, 16 * wide, 16},
                    error);
    case CLM_PATTERN_INTERLEAVE: /* 12 channels, of which 4 become a block of 2 x 2 */
        wide = columns(bytes, 2 * 12 * 4, 1, 256);
        high = steps(bytes, 2 * 12 * 4 * wide);
        plane = high * wide;
        return make(map, 32, 5, (int64_t[]){3, high, 2, wide, 2}, (int64_t[]){plane, wide, 6 * plane, 1, 3 * plane}, error);
    case CLM_PATTERN_BITS: /* 101 bits, 3 times */
        return make(map, 1, 3, (int64_t[]){steps(bytes * 8, 404), 3, 101}, (int64_t[]){101, 0, 1}, error);
    default: /* gather: a prime number of columns become rows */
        return make(map, 32, 2, (int64_t[]){31, steps(bytes, 2 * 31 * 4)}, (int64_t[]){1, 31}, error);
    }
}
