/* SPDX-License-Identifier: Apache-2.0 */
#include "host/tools/tune/maps.h"

#include "host/tools/bench/subject.h"
#include "host/tools/common/message.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 5, SIZES = 5 };
_Static_assert(KINDS *SIZES == TUNE_MAPS, "one map for each kind and size");
#define KIB INT64_C(1024)
#define MIB (KIB * KIB)

/* The cache whose size decides is at least and at most this, so that all maps together fit in a small memory. */
#define LEAST_CACHE MIB
#define USUAL_CACHE (8 * MIB)
#define MOST_CACHE (64 * MIB)

/* A kind grows along one dimension of its source, which is 0 here. */
static const struct {
    const char *name;
    int32_t rank;
    int64_t dims[4];
    operation op;
    int grows;
    int64_t step;       /* it is a multiple of this */
    int64_t step_bytes; /* of the destination, for each step */
} kinds[KINDS] = {
    {.name = "rows", /* 1000 bytes, each written 4 times */
     .rank = 2,
     .dims = {0, 250},
     .op = {.kind = OPERATION_TILE, .count = 2, .values = {1, 4}},
     .grows = 0,
     .step = 1,
     .step_bytes = 4000},
    {.name = "deinterleave 2",
     .rank = 4,
     .dims = {1, 3, 0, 512},
     .op = {.kind = OPERATION_SPACE_TO_DEPTH, .block_size = 2, .mode = CLMOVE_DEPTH_FIRST},
     .grows = 2,
     .step = 2,
     .step_bytes = 3 * 2 * 512 * 4},
    {.name = "deinterleave 8",
     .rank = 4,
     .dims = {1, 3, 0, 512},
     .op = {.kind = OPERATION_SPACE_TO_DEPTH, .block_size = 8, .mode = CLMOVE_DEPTH_FIRST},
     .grows = 2,
     .step = 8,
     .step_bytes = 3 * 8 * 512 * 4},
    {.name = "interleave 2",
     .rank = 4,
     .dims = {1, 12, 0, 256},
     .op = {.kind = OPERATION_DEPTH_TO_SPACE, .block_size = 2, .mode = CLMOVE_BLOCKS_FIRST},
     .grows = 2,
     .step = 1,
     .step_bytes = 12 * 256 * 4},
    {.name = "repeat", /* 12 bytes, each written 8 times */
     .rank = 2,
     .dims = {0, 3},
     .op = {.kind = OPERATION_TILE, .count = 2, .values = {1, 8}},
     .grows = 0,
     .step = 1,
     .step_bytes = 96},
};

static void make(bench_case *one, int kind, int64_t bytes) {
    int64_t steps = bytes / kinds[kind].step_bytes;
    one->what = (task){.element_bits = 32, .rank = kinds[kind].rank, .op = kinds[kind].op};
    memcpy(one->what.dims, kinds[kind].dims, sizeof kinds[kind].dims);
    one->what.dims[kinds[kind].grows] = (steps > 0 ? steps : 1) * kinds[kind].step;
    bool is_large = bytes >= 10 * MIB;
    snprintf(one->name, sizeof one->name, "%s, %" PRId64 " %s", kinds[kind].name, bytes / (is_large ? MIB : KIB),
             is_large ? "MiB" : "KiB");
}

bool tune_maps_make(bench_list *list, const clmove_device_info *device, int *left_out) {
    int64_t cache = device->cache_bytes > INT64_MAX ? MOST_CACHE : (int64_t)device->cache_bytes;
    cache = cache == 0 ? USUAL_CACHE : cache < LEAST_CACHE ? LEAST_CACHE : cache > MOST_CACHE ? MOST_CACHE : cache;
    /* Halving and doubling the cache's size as a threshold each changes something. */
    const int64_t sizes[SIZES] = {16 * KIB, 384 * KIB, cache * 3 / 8, cache * 3 / 4, cache * 3 / 2};
    uint64_t room = bench_room(device, 2), taken = 0; /* all maps are in memory at once, source and destination */
    list->count = 0;
    *left_out = 0;
    list->cases = malloc(KINDS * SIZES * sizeof *list->cases);
    if (!list->cases) {
        failed("there is no memory for the list of maps");
        return false;
    }
    for (int size = 0; size < SIZES; size++) {
        taken += 2 * KINDS * (uint64_t)sizes[size];
        for (int kind = 0; kind < KINDS; kind++)
            if (taken <= room)
                make(&list->cases[list->count++], kind, sizes[size]);
            else
                ++*left_out;
    }
    if (list->count > 0)
        return true;
    free(list->cases);
    failed("there is not enough memory to measure anything");
    return false;
}
