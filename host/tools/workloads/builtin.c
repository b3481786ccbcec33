/* The built-in list of the benchmark: each memory pattern and width that matters, at sizes that no cache holds.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/message.h"
#include "host/tools/workloads/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A case of the list: its operation is no move, which has steps. */
typedef struct row {
    const char *name;
    uint32_t bits;
    int32_t rank;
    int64_t dims[6];
    operation op;
} row;

/* clang-format off */
#define DIMS(...) {__VA_ARGS__}
#define TILE(called, width, order, shape, times)                                                                                 \
    {.name = called, .bits = width, .rank = order, .dims = shape,                                                                \
     .op = {.kind = OPERATION_TILE, .count = order, .values = times}}
#define BLOCKS(what_kind, called, width, order, shape, size, what_mode)                                                          \
    {.name = called, .bits = width, .rank = order, .dims = shape,                                                                \
     .op = {.kind = OPERATION_##what_kind, .block_size = size, .mode = CLMOVE_##what_mode}}

/* name, bits of an element, rank, shape, repeats or block size and mode */
static const row LIST[] = {
    TILE("tile_batch_f32", 32, 4, DIMS(1, 3, 512, 512), DIMS(32, 1, 1, 1)),
    TILE("tile_middle_f32", 32, 4, DIMS(64, 1, 64, 1024), DIMS(1, 8, 1, 1)),
    TILE("tile_2d_f32", 32, 2, DIMS(1024, 1024), DIMS(4, 4)),
    TILE("tile_2d_u8", 8, 2, DIMS(2048, 2048), DIMS(4, 4)),
    TILE("tile_row3_f32", 32, 2, DIMS(1048576, 3), DIMS(1, 8)),
    TILE("tile_row3_u8", 8, 2, DIMS(2097152, 3), DIMS(1, 8)),
    TILE("tile_lastaxis1_f32", 32, 2, DIMS(1048576, 1), DIMS(1, 32)),
    TILE("tile_lastaxis1_f16", 16, 2, DIMS(1048576, 1), DIMS(1, 32)),
    TILE("tile_6d_f32", 32, 6, DIMS(4, 3, 8, 5, 16, 32), DIMS(2, 3, 2, 3, 2, 2)),
    TILE("tile_odd_u8", 8, 3, DIMS(127, 257, 5), DIMS(7, 9, 11)),
    BLOCKS(SPACE_TO_DEPTH, "s2d_blocks_f32_b2", 32, 4, DIMS(8, 3, 1024, 1024), 2, BLOCKS_FIRST),
    BLOCKS(SPACE_TO_DEPTH, "s2d_depth_f32_b2", 32, 4, DIMS(8, 3, 1024, 1024), 2, DEPTH_FIRST),
    BLOCKS(SPACE_TO_DEPTH, "s2d_depth_u8_b2", 8, 4, DIMS(8, 3, 2048, 2048), 2, DEPTH_FIRST),
    BLOCKS(SPACE_TO_DEPTH, "s2d_blocks_f16_b2", 16, 4, DIMS(8, 3, 1024, 2048), 2, BLOCKS_FIRST),
    BLOCKS(SPACE_TO_DEPTH, "s2d_depth_f32_b4", 32, 4, DIMS(1, 16, 1024, 1024), 4, DEPTH_FIRST),
    BLOCKS(SPACE_TO_DEPTH, "s2d_blocks_f32_b3", 32, 4, DIMS(4, 4, 1023, 1023), 3, BLOCKS_FIRST),
    BLOCKS(SPACE_TO_DEPTH, "s2d_patch16_f32", 32, 4, DIMS(32, 3, 448, 448), 16, BLOCKS_FIRST),
    BLOCKS(SPACE_TO_DEPTH, "s2d_3d_f32_b2", 32, 5, DIMS(1, 4, 64, 256, 256), 2, BLOCKS_FIRST),
    BLOCKS(SPACE_TO_DEPTH, "s2d_1d_f32_b4", 32, 3, DIMS(16, 64, 16384), 4, DEPTH_FIRST),
    BLOCKS(SPACE_TO_DEPTH, "s2d_focus_u8", 8, 4, DIMS(1, 3, 640, 640), 2, BLOCKS_FIRST),
    BLOCKS(DEPTH_TO_SPACE, "d2s_blocks_f32_b2", 32, 4, DIMS(8, 12, 512, 512), 2, BLOCKS_FIRST),
    BLOCKS(DEPTH_TO_SPACE, "d2s_depth_f32_b2", 32, 4, DIMS(8, 12, 512, 512), 2, DEPTH_FIRST),
    BLOCKS(DEPTH_TO_SPACE, "d2s_depth_u8_b4", 8, 4, DIMS(8, 48, 512, 512), 4, DEPTH_FIRST),
    TILE("tile_batch_c128", 128, 3, DIMS(1, 512, 512), DIMS(24, 1, 1)),
};
/* clang-format on */

bool bench_list_reserve(bench_list *list, size_t count) {
    list->cases = calloc(count, sizeof *list->cases);
    list->count = count;
    return list->cases || refused("there is no memory for a list of %zu cases", count);
}

bool bench_list_builtin(bench_list *list) {
    if (!bench_list_reserve(list, sizeof LIST / sizeof LIST[0]))
        return false;
    for (size_t i = 0; i < list->count; i++) {
        bench_case *one = &list->cases[i];
        snprintf(one->name, sizeof one->name, "%s", LIST[i].name);
        one->what = (task){.element_bits = LIST[i].bits, .rank = LIST[i].rank, .op = LIST[i].op};
        memcpy(one->what.dims, LIST[i].dims, sizeof LIST[i].dims);
    }
    return true;
}

bool bench_list_single(bench_list *list, const bench_case *one) {
    if (!bench_list_reserve(list, 1))
        return false;
    list->cases[0] = *one;
    return true;
}
