/* See bench_stream.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/limit.h"

#include "host/tools/verify/case.h"

#include <stdio.h>

enum { LINE = 64, PAGE = 4096 }; /* bytes; what does not fill a line is left out, so that nothing is moved in small units */

static clmove_status plan(const bench_stream *stream, const clmove_map *map, clmove_plan **made, clmove_error *error) {
    return clmove_plan_create(stream->subject->device, map, NULL, made, error);
}

/* ---- the parts ---- */

/* The first bytes of the source to the first of the destination. */
static clmove_status plan_copy(const bench_stream *stream, int64_t bytes, clmove_plan **made, clmove_error *error) {
    clmove_map map;
    clmove_status status = clmove_map_init(&map, 8, 1, &bytes, error);
    return status == CLMOVE_OK ? plan(stream, &map, made, error) : status;
}

/* The same bytes, read in turn from two places, a page at a time: two streams of reading and one of writing. With POCL on 2 cores
 * of an AMD EPYC (Zen 5) that is 12 to 18 % faster than one of each for 96 MiB, 2026-11-21. */
static clmove_status plan_two_places(const bench_stream *stream, int64_t bytes, clmove_plan **made, clmove_error *error) {
    clmove_map map;
    const int64_t dims[] = {2, bytes / (2 * PAGE), PAGE};
    const int64_t order[] = {1, 0, 2};
    clmove_status status = clmove_map_init(&map, 8, 3, dims, error);
    if (status == CLMOVE_OK)
        status = clmove_map_permute(&map, 3, order, error);
    return status == CLMOVE_OK ? plan(stream, &map, made, error) : status;
}

/* The whole source, several times: one launch, where copy and fill are two. */
static clmove_status plan_several_times(const bench_stream *stream, clmove_plan **made, clmove_error *error) {
    clmove_map map;
    const int64_t read = stream->subject->bytes_read, written = stream->subject->bytes_written;
    const int64_t source[] = {1, read / LINE}, target[] = {written / read, read / LINE};
    clmove_status status = clmove_map_init(&map, LINE * 8, 2, source, error);
    if (status == CLMOVE_OK)
        status = clmove_map_expand(&map, 2, target, CLMOVE_RULES_OPENVINO, error);
    return status == CLMOVE_OK ? plan(stream, &map, made, error) : status;
}

/* `width` bytes of the pattern, over and over, from byte `start` to the end of the destination. */
static clmove_status plan_fill(const bench_stream *stream, int64_t width, int64_t start, clmove_plan **made,
                               clmove_error *error) {
    clmove_map map;
    const int64_t one = 1, count = (stream->subject->bytes_written - start) / width;
    if (count <= 0)
        return CLMOVE_OK;
    clmove_status status = clmove_map_init(&map, (uint32_t)width * 8, 1, &one, error);
    if (status == CLMOVE_OK)
        status = clmove_map_expand(&map, 1, &count, CLMOVE_RULES_OPENVINO, error);
    if (status == CLMOVE_OK && start > 0)
        status = clmove_map_view_dst(&map, &one, start / width, error);
    return status == CLMOVE_OK ? plan(stream, &map, made, error) : status;
}

/* ---- the ways ---- */

typedef enum way_kind { PLAIN, TWO_PLACES, DRIVER, WAY_KINDS } way_kind;

/* Copies `copied` bytes in one of the ways, and fills the rest by a pattern of a width. */
static clmove_status add_way(bench_stream *stream, way_kind kind, int64_t copied, int64_t width, clmove_error *error) {
    static const char *const names[WAY_KINDS] = {"copy", "copy from two places in turn", "the driver's copy"};
    clmove_status status = CLMOVE_OK;
    bench_way *way = &stream->ways[stream->count++];
    *way = (bench_way){0};
    if (kind == PLAIN)
        status = plan_copy(stream, copied, &way->copy, error);
    else if (kind == TWO_PLACES)
        status = plan_two_places(stream, copied, &way->copy, error);
    else
        way->host_bytes = (size_t)copied;
    if (status == CLMOVE_OK)
        status = plan_fill(stream, width, (copied + LINE - 1) / LINE * LINE, &way->fill, error);
    if (way->fill)
        snprintf(way->name, sizeof way->name, "%s, fill by %d bytes", names[kind], (int)width);
    else
        snprintf(way->name, sizeof way->name, "%s", names[kind]);
    return status;
}

static clmove_status add_ways(bench_stream *stream, bool is_unified, int64_t width, clmove_error *error) {
    const int64_t read = stream->subject->bytes_read, written = stream->subject->bytes_written;
    const int64_t common = read < written ? read : written;
    clmove_status status = add_way(stream, PLAIN, common < LINE ? common : common / LINE * LINE, width, error);
    if (status == CLMOVE_OK && common >= 128 * PAGE) /* so that the rest, which is not read, does not count */
        status = add_way(stream, TWO_PLACES, common / (2 * PAGE) * (2 * PAGE), width, error);
    if (status == CLMOVE_OK && is_unified) /* else it would measure the bus between host and device */
        status = add_way(stream, DRIVER, common, width, error);
    return status;
}

clmove_status bench_stream_open(bench_stream *stream, const bench_subject *subject, clmove_error *error) {
    unsigned char noise[LINE];
    clmove_device_info device = {.struct_size = sizeof device};
    *stream = (bench_stream){.subject = subject};
    const int64_t read = subject->bytes_read, written = subject->bytes_written;
    verify_noise(noise, sizeof noise, 3);
    clmove_status status = clmove_buffer_create(subject->device, sizeof noise, &stream->pattern, error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_write(stream->pattern, 0, noise, sizeof noise, error);
    if (status == CLMOVE_OK)
        status = clmove_device_get_info(subject->device, &device, error);
    if (status == CLMOVE_OK)
        status = add_ways(stream, device.host_unified, LINE, error);
    if (status == CLMOVE_OK && written >= read + LINE)
        status = add_ways(stream, device.host_unified, 16, error);
    if (status == CLMOVE_OK && written > read && written % read == 0 && read % LINE == 0) {
        bench_way *way = &stream->ways[stream->count++];
        *way = (bench_way){.name = "copy several times"};
        status = plan_several_times(stream, &way->copy, error);
    }
    return status;
}

void bench_stream_close(bench_stream *stream) {
    for (int i = 0; i < stream->count; i++) {
        clmove_plan_destroy(&stream->ways[i].copy);
        clmove_plan_destroy(&stream->ways[i].fill);
    }
    clmove_buffer_destroy(&stream->pattern);
    *stream = (bench_stream){0};
}

clmove_status bench_stream_run(const bench_stream *stream, const bench_way *way, double *seconds, clmove_error *error) {
    const bench_subject *subject = stream->subject;
    clmove_status status = clmove_device_finish(subject->device, error);
    double start = bench_now();
    if (status == CLMOVE_OK && way->host_bytes)
        status = clmove_buffer_write(subject->dst, 0, subject->noise, way->host_bytes, error);
    if (status == CLMOVE_OK && way->copy)
        status = clmove_enqueue(way->copy, subject->src, subject->dst, error);
    if (status == CLMOVE_OK && way->fill)
        status = clmove_enqueue(way->fill, stream->pattern, subject->dst, error);
    if (status == CLMOVE_OK)
        status = clmove_device_finish(subject->device, error);
    *seconds = bench_now() - start;
    return status;
}
