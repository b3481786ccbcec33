/* See limit.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/limit.h"

#include "host/tools/verify/case.h"

#include <stdio.h>
#include <stdlib.h>

enum { LINE = 64, PAGE = 4096 }; /* bytes; what does not fill a line is left out, so that nothing is moved in small units */

/* ---- the parts ---- */

/* The first bytes of the source to the first of the destination, read in turn from one or two places, a page at a time. Two
 * streams of reading and one of writing: with POCL on 2 cores of an AMD EPYC (Zen 5) that is 12 to 18 % faster than one of each
 * for 96 MiB, 2026-11-21. */
static bool plan_copy(const bench_stream *stream, int64_t places, int64_t bytes, clmove_plan **made, clmove_error *error) {
    clmove_map map;
    const int64_t page = places > 1 ? PAGE : bytes;
    const int64_t dims[] = {places, bytes / (places * page), page}, order[] = {1, 0, 2};
    return clmove_map_init(&map, 8, 3, dims, error) == CLMOVE_OK && clmove_map_permute(&map, 3, order, error) == CLMOVE_OK &&
           clmove_plan_create(stream->subject->device, &map, NULL, made, error) == CLMOVE_OK;
}

/* The first `units` units of `width` bytes, several times, from byte `start` of the destination on. */
static bool plan_repeat(const bench_stream *stream, int64_t width, int64_t units, int64_t times, int64_t start,
                        clmove_plan **made, clmove_error *error) {
    clmove_map map;
    const int64_t source[] = {1, units}, target[] = {times, units}, strides[] = {units, 1};
    return clmove_map_init(&map, (uint32_t)width * 8, 2, source, error) == CLMOVE_OK &&
           clmove_map_expand(&map, 2, target, CLMOVE_RULES_OPENVINO, error) == CLMOVE_OK &&
           (start == 0 || clmove_map_view_dst(&map, strides, start / width, error) == CLMOVE_OK) &&
           clmove_plan_create(stream->subject->device, &map, NULL, made, error) == CLMOVE_OK;
}

/* ---- the ways ---- */

/* Copies `copied` bytes from so many places, 0: from host memory; and fills the rest by a pattern of a width. */
static bool add_way(bench_stream *stream, const char *name, int64_t places, int64_t copied, int64_t width, clmove_error *error) {
    bench_way *way = &stream->ways[stream->count++];
    const int64_t start = (copied + LINE - 1) / LINE * LINE, count = (stream->subject->info.written_bytes - start) / width;
    *way = (bench_way){.host_bytes = places == 0 ? (size_t)copied : 0};
    if (places > 0 && !plan_copy(stream, places, copied, &way->copy, error))
        return false;
    if (count > 0 && !plan_repeat(stream, width, 1, count, start, &way->fill, error))
        return false;
    if (way->fill)
        snprintf(way->name, sizeof way->name, "%s, fill by %d bytes", name, (int)width);
    else
        snprintf(way->name, sizeof way->name, "%s", name);
    return true;
}

/* From host memory only where the device shares the host's memory, else that would measure the bus between host and device. */
static bool add_ways(bench_stream *stream, const clmove_device_info *device, int64_t width, clmove_error *error) {
    const int64_t read = stream->subject->info.src_bytes, written = stream->subject->info.written_bytes;
    const int64_t common = read < written ? read : written;
    const int64_t pages = common / (2 * PAGE) * (2 * PAGE);
    const char *from_host = device->type == CLMOVE_DEVICE_HOST ? "the library's copy" : "the driver's copy";
    return add_way(stream, "copy", 1, common < LINE ? common : common / LINE * LINE, width, error) &&
           (common < 128 * PAGE || /* so that the rest, which is not read, does not count */
            add_way(stream, "copy from two places in turn", 2, pages, width, error)) &&
           (!device->host_unified || add_way(stream, from_host, 0, common, width, error));
}

/* The whole source, several times: one launch, where copy and fill are two. */
static bool add_repeat(bench_stream *stream, int64_t read, int64_t written, clmove_error *error) {
    bench_way *way = &stream->ways[stream->count++];
    *way = (bench_way){.name = "copy several times"};
    return plan_repeat(stream, LINE, read / LINE, written / read, 0, &way->copy, error);
}

bool bench_stream_open(bench_stream *stream, const bench_subject *subject, const clmove_device_info *device,
                       clmove_error *error) {
    unsigned char noise[LINE];
    *stream = (bench_stream){.subject = subject};
    const int64_t read = subject->info.src_bytes, written = subject->info.written_bytes;
    const bool is_multiple = written > read && written % read == 0 && read % LINE == 0;
    verify_noise(noise, sizeof noise, 3);
    return clmove_buffer_create(subject->device, sizeof noise, &stream->pattern, error) == CLMOVE_OK &&
           clmove_buffer_write(stream->pattern, 0, noise, sizeof noise, error) == CLMOVE_OK &&
           add_ways(stream, device, LINE, error) && (written < read + LINE || add_ways(stream, device, 16, error)) &&
           (!is_multiple || add_repeat(stream, read, written, error));
}

void bench_stream_close(bench_stream *stream) {
    for (int i = 0; i < stream->count; i++) {
        clmove_plan_destroy(&stream->ways[i].copy);
        clmove_plan_destroy(&stream->ways[i].fill);
        free(stream->ways[i].trials.values);
    }
    clmove_buffer_destroy(&stream->pattern);
    *stream = (bench_stream){0};
}

bool bench_stream_run(const bench_stream *stream, const bench_way *way, double *seconds, clmove_error *error) {
    const bench_subject *subject = stream->subject;
    if (clmove_device_finish(subject->device, error) != CLMOVE_OK)
        return false;
    double start = bench_now();
    if (way->host_bytes && clmove_buffer_write(subject->dst, 0, subject->noise, way->host_bytes, error) != CLMOVE_OK)
        return false;
    if (way->copy && clmove_enqueue(way->copy, subject->src, subject->dst, error) != CLMOVE_OK)
        return false;
    if (way->fill && clmove_enqueue(way->fill, stream->pattern, subject->dst, error) != CLMOVE_OK)
        return false;
    if (clmove_device_finish(subject->device, error) != CLMOVE_OK)
        return false;
    *seconds = bench_now() - start;
    return true;
}
