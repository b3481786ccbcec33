/* See calibrate_maps.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/advice/calibrate_maps.h"

enum { LINE = 64 };

clmove_status clm_calibrate_copy_map(clmove_map *map, int64_t bytes, clmove_error *error) {
    return clmove_map_init(map, 8, 1, &bytes, error);
}

clmove_status clm_calibrate_fill_map(clmove_map *map, int64_t bytes, clmove_error *error) {
    const int64_t one = 1, lines = bytes / LINE;
    clmove_status status = CLMOVE_OK;
    TRY(clmove_map_init(map, LINE * 8, 1, &one, error));
    TRY(clmove_map_expand(map, 1, &lines, CLMOVE_RULES_OPENVINO, error));
out:
    return status;
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
    clmove_status status = CLMOVE_OK;
    int64_t wide;
    switch (pattern) {
    case CLM_PATTERN_COPY:
        TRY(clm_calibrate_copy_map(map, bytes / 2, error));
        break;
    case CLM_PATTERN_REPEAT: /* 12 bytes, 8 times */
        TRY(clmove_map_init(map, 32, 2, (int64_t[]){steps(bytes, 12 + 96), 3}, error));
        TRY(clmove_map_tile(map, 2, (int64_t[]){1, 8}, CLMOVE_RULES_OPENVINO, error));
        break;
    case CLM_PATTERN_ROWS: /* 1000 bytes, 4 times */
        TRY(clmove_map_init(map, 32, 2, (int64_t[]){steps(bytes, 5000), 250}, error));
        TRY(clmove_map_tile(map, 2, (int64_t[]){1, 4}, CLMOVE_RULES_OPENVINO, error));
        break;
    case CLM_PATTERN_DEINTERLEAVE:
        wide = columns(bytes, 2 * 3 * 2 * 4, 2, 512);
        TRY(clmove_map_init(map, 32, 4, (int64_t[]){1, 3, 2 * steps(bytes, 2 * 3 * 2 * 4 * wide), wide}, error));
        TRY(clmove_map_space_to_depth(map, 2, CLMOVE_DEPTH_FIRST, CLMOVE_RULES_OPENVINO, error));
        break;
    case CLM_PATTERN_DEINTERLEAVE_WIDE: /* images of 384 x 384 in patches of 16 x 16, or a part of one */
        wide = columns(bytes, 2 * 3 * 16 * 4, 16, 384);
        TRY(clmove_map_init(map, 32, 4, (int64_t[]){1, 3, 16 * steps(bytes, 2 * 3 * 16 * 4 * wide), wide}, error));
        TRY(clmove_map_space_to_depth(map, 16, CLMOVE_BLOCKS_FIRST, CLMOVE_RULES_OPENVINO, error));
        break;
    case CLM_PATTERN_INTERLEAVE:
        wide = columns(bytes, 2 * 12 * 4, 1, 256);
        TRY(clmove_map_init(map, 32, 4, (int64_t[]){1, 12, steps(bytes, 2 * 12 * 4 * wide), wide}, error));
        TRY(clmove_map_depth_to_space(map, 2, CLMOVE_BLOCKS_FIRST, CLMOVE_RULES_OPENVINO, error));
        break;
    case CLM_PATTERN_BITS: /* 101 bits, 3 times */
        TRY(clmove_map_init(map, 1, 2, (int64_t[]){steps(bytes * 8, 404), 101}, error));
        TRY(clmove_map_tile(map, 2, (int64_t[]){1, 3}, CLMOVE_RULES_OPENVINO, error));
        break;
    default: /* gather: a prime number of columns become rows */
        TRY(clmove_map_init(map, 32, 2, (int64_t[]){steps(bytes, 2 * 31 * 4), 31}, error));
        TRY(clmove_map_permute(map, 2, (int64_t[]){1, 0}, error));
        break;
    }
out:
    return status;
}
