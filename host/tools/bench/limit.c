/* See limit.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/limit.h"

#include "host/tools/verify/case.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LINE = 64, PAGE = 4096 }; /* bytes; what does not fill a line is left out, so that nothing is moved in small units */

/* ---- the kinds of stores ---- */

/* How a processor's work is cut here, and a GPU's; and a kind of stores. */
#define CPU_TUNING "segment_bytes=65536,item_min_bytes=32768,items_per_worker=16,stream_min_bytes="
#define GPU_TUNING "segment_bytes=1,max_items=4194304"

typedef struct stores {
    const char *name, *tuning;
} stores;

/* The ways of a device that has no kinds of stores know one. */
static const stores on_processors[] = {{", ordinary stores", CPU_TUNING "9223372036854775807"},
                                       {", non-temporal stores", CPU_TUNING "1"}};
static const stores on_others[] = {{"", GPU_TUNING}};

static bool has_kinds_of_stores(clmove_device *device) {
    enum { MOST = 64 };
    clmove_tuning_value values[MOST];
    int64_t count = 0;
    clmove_error error;
    values[0].struct_size = sizeof *values;
    if (clmove_device_get_tuning(device, values, MOST, &count, &error) != CLMOVE_OK)
        return false;
    for (int64_t i = 0; i < count && i < MOST; i++)
        if (strcmp(values[i].key, "stream_min_bytes") == 0)
            return true;
    return false;
}

/* ---- the parts ---- */

static bool plan(const bench_limit *limit, const clmove_map *map, clmove_plan **made, clmove_error *error) {
    const clmove_plan_params params = {.struct_size = sizeof params, .tuning = limit->tuning};
    return clmove_plan_create(limit->subject->device, map, &params, made, error) == CLMOVE_OK;
}

/* The first bytes of the source to the first of the destination, read in turn from one or two places, a page at a time. Two
 * streams of reading and one of writing: with POCL on 2 cores of an AMD EPYC (Zen 5) that is 12 to 18 % faster than one of each
 * for 96 MiB, 2026-11-21. */
static bool plan_copy(const bench_limit *limit, int64_t places, int64_t bytes, clmove_plan **made, clmove_error *error) {
    clmove_map map;
    const int64_t page = places > 1 ? PAGE : bytes;
    const int64_t dims[] = {places, bytes / (places * page), page}, order[] = {1, 0, 2};
    return clmove_map_init(&map, 8, 3, dims, error) == CLMOVE_OK && clmove_map_permute(&map, 3, order, error) == CLMOVE_OK &&
           plan(limit, &map, made, error);
}

/* The first `units` units of `width` bytes, several times, from byte `start` of the destination on. */
static bool plan_repeat(const bench_limit *limit, int64_t width, int64_t units, int64_t times, int64_t start, clmove_plan **made,
                        clmove_error *error) {
    clmove_map map;
    const int64_t source[] = {1, units}, target[] = {times, units}, strides[] = {units, 1};
    return clmove_map_init(&map, (uint32_t)width * 8, 2, source, error) == CLMOVE_OK &&
           clmove_map_expand(&map, 2, target, CLMOVE_RULES_OPENVINO, error) == CLMOVE_OK &&
           (start == 0 || clmove_map_view_dst(&map, strides, start / width, error) == CLMOVE_OK) &&
           plan(limit, &map, made, error);
}

/* ---- the ways ---- */

/* Copies `copied` bytes from so many places, 0: from host memory; and fills the rest by a pattern of a width. */
static bool add_way(bench_limit *limit, const char *name, int64_t places, int64_t copied, int64_t width, clmove_error *error) {
    bench_way *way = &limit->ways[limit->count++];
    const int64_t start = (copied + LINE - 1) / LINE * LINE, count = (limit->subject->info.written_bytes - start) / width;
    *way = (bench_way){.kind = limit->kind, .host_bytes = places == 0 ? (size_t)copied : 0};
    if (places > 0 && !plan_copy(limit, places, copied, &way->copy, error))
        return false;
    if (count > 0 && !plan_repeat(limit, width, 1, count, start, &way->fill, error))
        return false;
    if (way->fill)
        snprintf(way->name, sizeof way->name, "%s, fill by %d bytes", name, (int)width);
    else
        snprintf(way->name, sizeof way->name, "%s", name);
    return true;
}

static bool add_copies(bench_limit *limit, const char *kind, int64_t width, clmove_error *error) {
    const int64_t read = limit->subject->info.src_bytes, written = limit->subject->info.written_bytes;
    const int64_t common = read < written ? read : written, pages = common / (2 * PAGE) * (2 * PAGE);
    char name[BENCH_WAY_NAME / 2], turns[BENCH_WAY_NAME / 2];
    snprintf(name, sizeof name, "copy%s", kind);
    snprintf(turns, sizeof turns, "copy from two places in turn%s", kind);
    return add_way(limit, name, 1, common < LINE ? common : common / LINE * LINE, width, error) &&
           (common < 128 * PAGE || /* so that the rest, which is not read, does not count */
            add_way(limit, turns, 2, pages, width, error));
}

/* From host memory only where the device shares the host's memory, else that would measure the bus between host and device. */
static bool add_copy_from_host(bench_limit *limit, const clmove_device_info *device, int64_t width, clmove_error *error) {
    const int64_t read = limit->subject->info.src_bytes, written = limit->subject->info.written_bytes;
    const char *name = device->type == CLMOVE_DEVICE_HOST ? "the library's copy" : "the driver's copy";
    return !device->host_unified || add_way(limit, name, 0, read < written ? read : written, width, error);
}

/* The whole source, several times: one launch, where copy and fill are two. */
static bool add_repeat(bench_limit *limit, const char *kind, int64_t read, int64_t written, clmove_error *error) {
    bench_way *way = &limit->ways[limit->count++];
    *way = (bench_way){.kind = limit->kind};
    snprintf(way->name, sizeof way->name, "copy several times%s", kind);
    return plan_repeat(limit, LINE, read / LINE, written / read, 0, &way->copy, error);
}

bool bench_limit_open(bench_limit *limit, const bench_subject *subject, const clmove_device_info *device, clmove_error *error) {
    unsigned char noise[LINE];
    *limit = (bench_limit){.subject = subject};
    const int64_t read = subject->info.src_bytes, written = subject->info.written_bytes;
    const bool is_multiple = written > read && written % read == 0 && read % LINE == 0;
    verify_noise(noise, sizeof noise, 3);
    if (clmove_buffer_create(subject->device, sizeof noise, &limit->pattern, error) != CLMOVE_OK ||
        clmove_buffer_write(limit->pattern, 0, noise, sizeof noise, error) != CLMOVE_OK)
        return false;
    const bool kinds = has_kinds_of_stores(subject->device), fills = written >= read + LINE;
    const stores *const each = kinds ? on_processors : on_others;
    for (size_t i = 0; i < (kinds ? sizeof on_processors : sizeof on_others) / sizeof *each; i++) {
        limit->tuning = each[i].tuning;
        limit->kind = (int)i;
        if (!add_copies(limit, each[i].name, LINE, error) || (fills && !add_copies(limit, each[i].name, 16, error)) ||
            (is_multiple && !add_repeat(limit, each[i].name, read, written, error)))
            return false;
    }
    limit->kind = BENCH_KINDS - 1;
    return add_copy_from_host(limit, device, LINE, error) && (!fills || add_copy_from_host(limit, device, 16, error));
}

void bench_limit_close(bench_limit *limit) {
    for (int i = 0; i < limit->count; i++) {
        clmove_plan_destroy(&limit->ways[i].copy);
        clmove_plan_destroy(&limit->ways[i].fill);
        free(limit->ways[i].trials.values);
    }
    clmove_buffer_destroy(&limit->pattern);
    *limit = (bench_limit){0};
}

bool bench_limit_run(const bench_limit *limit, const bench_way *way, double *seconds, clmove_error *error) {
    const bench_subject *subject = limit->subject;
    if (clmove_device_finish(subject->device, error) != CLMOVE_OK)
        return false;
    double start = bench_now();
    if (way->host_bytes && clmove_buffer_write(subject->dst, 0, subject->noise, way->host_bytes, error) != CLMOVE_OK)
        return false;
    if (way->copy && clmove_enqueue(way->copy, clmove_buffer_view(subject->src, 0), clmove_buffer_view(subject->dst, 0), NULL,
                                    error) != CLMOVE_OK)
        return false;
    if (way->fill && clmove_enqueue(way->fill, clmove_buffer_view(limit->pattern, 0), clmove_buffer_view(subject->dst, 0), NULL,
                                    error) != CLMOVE_OK)
        return false;
    if (clmove_device_finish(subject->device, error) != CLMOVE_OK)
        return false;
    *seconds = bench_now() - start;
    return true;
}
