/* SpaceToDepth and its inverse: blocks of the spatial dimensions are moved into depth and back.
 *
 * They do not use reshape and permute of the public header, because the shape between has rank 2 + 2K. This may exceed
 * CLMOVE_MAX_RANK although the shapes on both sides do not.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/checked.h"
#include "host/map/map.h"

#include <inttypes.h>

#define CROSSES                                                                                                                  \
    "dimension %" PRId32 " (%" PRId64 ") cannot be cut into blocks of %" PRId64 ": earlier steps left runs of %" PRId64          \
    " elements apart, and no single map can express it; run the map up to here and start another"

/* Loads the map too. */
static clmove_status check_arguments(const clmove_map *given, clm_map *map, int64_t block_size, clmove_mode mode,
                                     clmove_rules rules, clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    TRY(clm_map_open(given, map, error));
    REQUIRE(mode == CLMOVE_BLOCKS_FIRST || mode == CLMOVE_DEPTH_FIRST, INVALID_ARGUMENT, "unknown mode %d", (int)mode);
    REQUIRE(rules == CLMOVE_RULES_OPENVINO || rules == CLMOVE_RULES_ONNX, INVALID_ARGUMENT, "unknown rules %d", (int)rules);
    REQUIRE(block_size >= 1, BAD_SHAPE, "the block size is %" PRId64 ", it must be greater than 0", block_size);
    REQUIRE(map->rank >= 3, BAD_SHAPE,
            "a tensor of rank %" PRId32
            " has no spatial dimensions: rank lower than 3 is not supported, the shape is [N, C, D1 .. DK]",
            map->rank);
    REQUIRE(rules != CLMOVE_RULES_ONNX || map->rank == 4, BAD_SHAPE,
            "a tensor of rank %" PRId32 ": ONNX requires rank 4, [N, C, H, W]", map->rank);
out:
    return status;
}

/* block_size^K, or 0 when it is no int64_t. */
static int64_t block_volume(int64_t block_size, int32_t spatial) {
    int64_t volume = 1;
    for (int32_t i = 0; i < spatial; i++)
        if (!clm_mul(volume, block_size, &volume))
            return 0;
    return volume;
}

clmove_status clmove_map_space_to_depth(clmove_map *given, int64_t block_size, clmove_mode mode, clmove_rules rules,
                                        clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_map now, next, *map = &now;
    clm_axis_list batch, depth, grid, block, grids = {0}, blocks = {0};
    int64_t dims[CLMOVE_MAX_RANK], run;
    TRY(check_arguments(given, map, block_size, mode, rules, error));
    REQUIRE(rules != CLMOVE_RULES_ONNX || mode == CLMOVE_BLOCKS_FIRST, BAD_SHAPE,
            "ONNX SpaceToDepth has no mode: its order is blocks_first");
    for (int32_t i = 2; i < map->rank; i++) {
        REQUIRE(map->dims[i] % block_size == 0, BAD_SHAPE,
                "dimension %" PRId32 " is %" PRId64 ", not a multiple of block size %" PRId64, i, map->dims[i], block_size);
        dims[i] = map->dims[i] / block_size;
    }
    int64_t volume = block_volume(block_size, map->rank - 2);
    dims[0] = map->dims[0];
    REQUIRE(map->dims[1] == 0 || (volume > 0 && clm_mul(map->dims[1], volume, &dims[1])), OVERFLOW,
            "dimension 1: %" PRId64 " times block size %" PRId64 "^%" PRId32 " is more than %" PRId64, map->dims[1], block_size,
            map->rank - 2, INT64_MAX);
    if (map->dims[1] == 0)
        dims[1] = 0;
    TRY(clm_map_begin(map, map->rank, dims, &next, error));
    if (!clm_map_is_empty(map)) {
        for (int32_t i = 2; i < map->rank; i++) {
            clm_map_take(map, i, &grid);
            REQUIRE(clm_list_split(&grid, block_size, &block, &run), UNSUPPORTED, CROSSES, i, map->dims[i], block_size, run);
            clm_list_keep(&grids, i, &grid);
            clm_list_keep(&blocks, i, &block);
        }
        clm_map_take(map, 0, &batch);
        clm_map_take(map, 1, &depth);
        clm_map_append_list(&next, 0, &batch);
        if (mode == CLMOVE_DEPTH_FIRST)
            clm_map_append_list(&next, 1, &depth);
        for (int32_t i = 2; i < map->rank; i++)
            clm_map_append_kept(&next, 1, &blocks, i);
        if (mode == CLMOVE_BLOCKS_FIRST)
            clm_map_append_list(&next, 1, &depth);
        for (int32_t i = 2; i < map->rank; i++)
            clm_map_append_kept(&next, i, &grids, i);
    }
    clm_map_store(&next, given);
out:
    return status;
}

clmove_status clmove_map_depth_to_space(clmove_map *given, int64_t block_size, clmove_mode mode, clmove_rules rules,
                                        clmove_error *error) {
    clmove_status status = CLMOVE_OK;
    clm_map now, next, *map = &now;
    clm_axis_list list, depth, block, blocks = {0};
    int64_t dims[CLMOVE_MAX_RANK], run;
    TRY(check_arguments(given, map, block_size, mode, rules, error));
    int64_t volume = block_volume(block_size, map->rank - 2);
    REQUIRE(map->dims[1] == 0 || volume > 0, BAD_SHAPE,
            "dimension 1 is %" PRId64 ", not a multiple of block size %" PRId64 "^%" PRId32, map->dims[1], block_size,
            map->rank - 2);
    REQUIRE(map->dims[1] == 0 || map->dims[1] % volume == 0, BAD_SHAPE,
            "dimension 1 is %" PRId64 ", not a multiple of %" PRId64 " (block size %" PRId64 "^%" PRId32 ")", map->dims[1],
            volume, block_size, map->rank - 2);
    dims[0] = map->dims[0];
    dims[1] = map->dims[1] == 0 ? 0 : map->dims[1] / volume;
    for (int32_t i = 2; i < map->rank; i++)
        REQUIRE(clm_mul(map->dims[i], block_size, &dims[i]), OVERFLOW,
                "dimension %" PRId32 ": %" PRId64 " times block size %" PRId64 " is more than %" PRId64, i, map->dims[i],
                block_size, INT64_MAX);
    TRY(clm_map_begin(map, map->rank, dims, &next, error));
    if (!clm_map_is_empty(map)) {
        /* Depth from the inside out: blocks_first is [block ..., C], depth_first is [C, block ...]. */
        clm_map_take(map, 1, &depth);
        if (mode == CLMOVE_BLOCKS_FIRST) {
            REQUIRE(clm_list_split(&depth, dims[1], &list, &run), UNSUPPORTED, CROSSES, 1, map->dims[1], dims[1], run);
        }
        for (int32_t i = map->rank - 1; i >= 2; i--) {
            REQUIRE(clm_list_split(&depth, block_size, &block, &run), UNSUPPORTED, CROSSES, 1, map->dims[1], block_size, run);
            clm_list_keep(&blocks, i, &block);
        }
        if (mode != CLMOVE_BLOCKS_FIRST)
            list = depth;
        clm_axis_list grid;
        clm_map_take(map, 0, &grid);
        clm_map_append_list(&next, 0, &grid);
        clm_map_append_list(&next, 1, &list);
        for (int32_t i = 2; i < map->rank; i++) {
            clm_map_take(map, i, &grid);
            clm_map_append_list(&next, i, &grid);
            clm_map_append_kept(&next, i, &blocks, i);
        }
    }
    clm_map_store(&next, given);
out:
    return status;
}
