/* The maps that tuning is measured on: the memory patterns that cut work differently, each from a few KiB to what no cache holds.
 * Not the list of the benchmark, which would then judge itself.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/common/message.h"
#include "host/tools/tune/trial.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KINDS = 7, SIZES = 5 };
_Static_assert(KINDS *SIZES == TUNE_MAPS, "one map for each kind and size");
#define KIB INT64_C(1024)
#define MIB (KIB * KIB)

/* The cache whose size decides is at least and at most this, so that all maps together fit in a small memory. */
#define LEAST_CACHE MIB
#define USUAL_CACHE (8 * MIB)
#define MOST_CACHE (64 * MIB)

/* The cache as the present stream_min_bytes has it, which is 5/4 of the workers' share of the cache unless it was set. Of a large
 * cache that many processors share, that is a small part. A device without the key has the cache that it reports. */
static int64_t find_cache(const tuning_view *now) {
    uint64_t cache = now->device.cache_bytes;
    for (int64_t i = 0; i < now->count; i++)
        if (strcmp(now->values[i].key, "stream_min_bytes") == 0)
            cache = (uint64_t)now->values[i].value / 5 * 4;
    if (cache == 0)
        return USUAL_CACHE;
    return cache < LEAST_CACHE ? LEAST_CACHE : cache > MOST_CACHE ? MOST_CACHE : (int64_t)cache;
}

#define TILE(times)                                                                                                              \
    {                                                                                                                            \
        .kind = OPERATION_TILE, .count = 2, .values = { 1, times }                                                               \
    }
#define BLOCKS(what, size, order)                                                                                                \
    { .kind = OPERATION_##what, .block_size = size, .mode = CLMOVE_##order }

#define TURN                                                                                                                     \
    {                                                                                                                            \
        .kind = OPERATION_PERMUTE, .count = 2, .values = { 1, 0 }                                                                \
    }

/* A kind grows along the dimension of its source that is 0 here. */
static const struct {
    const char *name;
    int32_t rank;
    int64_t dims[4];
    operation op;
    /* The dimension is a multiple of this. */
    int64_t step;
    /* The bytes of the destination for each step. */
    int64_t step_bytes;
} kinds[KINDS] = {
    {"rows", 2, {0, 250}, TILE(4), 1, 4000}, /* 1000 bytes, each written 4 times */
    {"deinterleave 2", 4, {1, 3, 0, 512}, BLOCKS(SPACE_TO_DEPTH, 2, DEPTH_FIRST), 2, 3 * 2 * 512 * 4},
    {"deinterleave 8", 4, {1, 3, 0, 512}, BLOCKS(SPACE_TO_DEPTH, 8, DEPTH_FIRST), 8, 3 * 8 * 512 * 4},
    {"interleave 2", 4, {1, 12, 0, 256}, BLOCKS(DEPTH_TO_SPACE, 2, BLOCKS_FIRST), 1, 12 * 256 * 4},
    {"repeat", 2, {0, 3}, TILE(8), 1, 96},           /* 12 bytes, each written 8 times */
    {"transpose", 2, {0, 240}, TURN, 16, 15360},     /* the destination's rows begin at lines */
    {"transpose 256", 2, {0, 256}, TURN, 16, 16384}, /* large ones have rows a multiple of 512 bytes apart */
};

static void make(bench_case *one, int kind, int64_t bytes) {
    int64_t steps = bytes / kinds[kind].step_bytes;
    bool is_large = bytes >= 10 * MIB;
    int grows = 0;
    while (kinds[kind].dims[grows] != 0)
        grows++;
    one->what = (task){.element_bits = 32, .rank = kinds[kind].rank, .op = kinds[kind].op};
    memcpy(one->what.dims, kinds[kind].dims, sizeof kinds[kind].dims);
    one->what.dims[grows] = (steps > 0 ? steps : 1) * kinds[kind].step;
    snprintf(one->name, sizeof one->name, "%s, %" PRId64 " %s", kinds[kind].name, bytes / (is_large ? MIB : KIB),
             is_large ? "MiB" : "KiB");
}

static bool open_map(tune_bench *bench, int kind, int64_t bytes) {
    tune_subject *subject = &bench->subjects[bench->count++];
    char why[BENCH_WHY];
    make(&subject->of, kind, bytes);
    bench_outcome outcome = bench_subject_open(&subject->it, bench->who, &subject->of, why);
    bench->deadline += subject->it.plan_seconds + subject->it.first_run_seconds; /* programs are built */
    free(subject->it.noise);
    subject->it.noise = NULL;
    return outcome == BENCH_DONE ||
           refused("%s %s: %s", subject->of.name, outcome == BENCH_WRONG ? "is wrong" : "cannot be measured", why);
}

bool tune_bench_open(tune_bench *bench) {
    const clmove_device_info *device = &bench->now.device;
    const int64_t cache = find_cache(&bench->now);
    /* Half and twice the present stream_min_bytes each change the stores of some maps. */
    const int64_t sizes[SIZES] = {16 * KIB, 384 * KIB, cache * 3 / 8, cache * 3 / 4, cache * 3 / 2};
    uint64_t room = bench_room(device, 2), taken = 0; /* all maps are in memory at once, source and destination */
    int fitting = 0;
    for (; fitting < SIZES && taken + 2 * KINDS * (uint64_t)sizes[fitting] <= room; fitting++)
        taken += 2 * KINDS * (uint64_t)sizes[fitting];
    if (fitting == 0)
        return refused("there is not enough memory to measure anything");
    for (int i = 0; i < fitting * KINDS; i++)
        if (!open_map(bench, i % KINDS, sizes[i / KINDS]))
            return false;
    if (fitting < SIZES)
        report("note: %d maps are left out, since there is not enough memory for them", (SIZES - fitting) * KINDS);
    return true;
}

void tune_bench_close(tune_bench *bench) {
    for (size_t i = 0; i < bench->count; i++)
        bench_subject_close(&bench->subjects[i].it);
}
