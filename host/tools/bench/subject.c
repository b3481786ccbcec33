/* See subject.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/subject.h"

#include "host/tools/verify/case.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t available_memory(void) {
    uint64_t available = UINT64_MAX;
    char line[128];
    FILE *file = fopen("/proc/meminfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (sscanf(line, "MemAvailable: %" SCNu64 " kB", &available) == 1)
            available *= 1024;
    if (file)
        fclose(file);
    return available;
}

bool bench_has_memory(uint64_t bytes, char *why) {
    uint64_t available = available_memory();
    if (bytes <= available)
        return true;
    snprintf(why, BENCH_WHY, "it takes %" PRIu64 " bytes of memory, and %" PRIu64 " are available", bytes, available);
    return false;
}

uint64_t bench_room(const clmove_device_info *device, int copies) {
    uint64_t room = available_memory() / (uint64_t)copies;
    if (device->max_alloc_bytes > 0 && room > device->max_alloc_bytes)
        room = device->max_alloc_bytes;
    if (device->memory_bytes > 0 && room > device->memory_bytes)
        room = device->memory_bytes;
    return room;
}

bench_outcome bench_failed(char *why, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, BENCH_WHY, format, arguments);
    va_end(arguments);
    return BENCH_FAILED;
}

/* ---- plans ---- */

static bool make_plan(const chosen_device *who, const clmove_map *map, clmove_plan **plan, double *seconds, clmove_error *error) {
    double start = bench_now();
    clmove_status status = chosen_device_plan(who, map, plan, error);
    *seconds = bench_now() - start;
    return status == CLMOVE_OK;
}

bool bench_subject_check(bench_subject *subject, clmove_error *error) {
    clmove_device_info device = {.struct_size = sizeof device};
    if (clmove_device_get_info(subject->device, &device, error) != CLMOVE_OK ||
        clmove_plan_get_info(subject->plan, &subject->info, error) != CLMOVE_OK)
        return false;
    if (device.type == CLMOVE_DEVICE_HOST || subject->info.executor == CLMOVE_EXECUTOR_OPENCL)
        return true;
    error->status = CLMOVE_DEVICE_FAILED;
    snprintf(error->text, sizeof error->text, "the host took over: %.480s", subject->info.fallback);
    return false;
}

/* ---- memory ---- */

static bool fill_buffers(bench_subject *subject, clmove_error *error) {
    size_t src_bytes = (size_t)subject->info.src_bytes, dst_bytes = (size_t)subject->info.dst_bytes;
    return clmove_buffer_create(subject->device, src_bytes, &subject->src, error) == CLMOVE_OK &&
           clmove_buffer_create(subject->device, dst_bytes, &subject->dst, error) == CLMOVE_OK &&
           clmove_buffer_write(subject->src, 0, subject->noise, src_bytes, error) == CLMOVE_OK &&
           clmove_buffer_write(subject->dst, 0, subject->expected, dst_bytes, error) == CLMOVE_OK;
}

static bench_outcome compare(const bench_subject *subject, size_t at, const unsigned char *got, size_t count, char *why) {
    const unsigned char *expected = subject->expected + at;
    size_t i = 0;
    if (memcmp(got, expected, count) == 0)
        return BENCH_DONE;
    while (got[i] == expected[i])
        i++;
    snprintf(why, BENCH_WHY, "byte %zu of %" PRId64 " of the result is 0x%02x and must be 0x%02x", at + i,
             subject->info.dst_bytes, got[i], expected[i]);
    return BENCH_WRONG;
}

bench_outcome bench_subject_compare_memory(const bench_subject *subject, const unsigned char *dst, char *why) {
    return compare(subject, 0, dst, (size_t)subject->info.dst_bytes, why);
}

bench_outcome bench_subject_compare(const bench_subject *subject, clmove_buffer *dst, char *why) {
    enum { CHUNK = 1 << 20 };
    clmove_error error;
    bench_outcome outcome = BENCH_DONE;
    size_t bytes = (size_t)subject->info.dst_bytes;
    unsigned char *got = malloc(CHUNK);
    if (!got)
        return bench_failed(why, "there is no memory to compare its result in");
    for (size_t at = 0; at < bytes && outcome == BENCH_DONE; at += CHUNK) {
        size_t count = bytes - at < CHUNK ? bytes - at : CHUNK;
        if (clmove_buffer_read(dst, at, got, count, &error) != CLMOVE_OK)
            outcome = bench_failed(why, "%s", error.text);
        else
            outcome = compare(subject, at, got, count, why);
    }
    free(got);
    return outcome;
}

static bench_outcome verify(bench_subject *subject, char *why) {
    clmove_error error;
    clmove_times first = {.struct_size = sizeof first};
    size_t src_bytes = (size_t)subject->info.src_bytes, dst_bytes = (size_t)subject->info.dst_bytes;
    subject->expected = malloc(dst_bytes);
    subject->noise = malloc(src_bytes);
    if (!subject->expected || !subject->noise)
        return bench_failed(why, "there is no memory for its %zu + %zu bytes", src_bytes, dst_bytes);
    verify_noise(subject->noise, src_bytes, 1);
    verify_noise(subject->expected, dst_bytes, 2);
    if (!fill_buffers(subject, &error) ||
        clmove_measure(subject->plan, clmove_buffer_view(subject->src, 0), clmove_buffer_view(subject->dst, 0), &first, &error) !=
            CLMOVE_OK ||
        !bench_subject_check(subject, &error))
        return bench_failed(why, "%s", error.text);
    subject->first_run_seconds = first.host_seconds;
    if (task_compute(&subject->of->what, subject->noise, subject->expected))
        return bench_subject_compare(subject, subject->dst, why);
    return bench_failed(why, "there is no memory to compute what must come out");
}

bench_outcome bench_subject_open(bench_subject *subject, const chosen_device *who, const bench_case *one, char *why) {
    clmove_error error;
    clmove_map map;
    clmove_plan *again = NULL;
    *subject = (bench_subject){.of = one, .device = who->device, .info.struct_size = sizeof subject->info};
    if (task_describe(&one->what, &map, &error) != CLMOVE_OK ||
        !make_plan(who, &map, &subject->plan, &subject->plan_seconds, &error) || !bench_subject_check(subject, &error)) {
        bool is_forced = who->variant || who->index_bits;
        bench_failed(why, "%s", error.text);
        return error.status == CLMOVE_UNSUPPORTED && is_forced ? BENCH_SKIPPED : BENCH_FAILED;
    }
    if (subject->info.written_bytes == 0)
        return bench_failed(why, "it moves nothing, so there is nothing to measure");
    /* source and destination in host memory, to verify, and in the device's, which may be the same memory */
    const uint64_t src_bytes = (uint64_t)subject->info.src_bytes, dst_bytes = (uint64_t)subject->info.dst_bytes;
    if (!bench_has_memory(2 * (src_bytes + dst_bytes) + task_compute_bytes(&one->what, src_bytes, dst_bytes), why))
        return BENCH_FAILED;
    bench_outcome outcome = verify(subject, why);
    if (outcome == BENCH_DONE && !make_plan(who, &map, &again, &subject->plan_again_seconds, &error))
        outcome = bench_failed(why, "%s", error.text);
    clmove_plan_destroy(&again);
    return outcome;
}

void bench_subject_close(bench_subject *subject) {
    clmove_plan_destroy(&subject->plan);
    clmove_buffer_destroy(&subject->src);
    clmove_buffer_destroy(&subject->dst);
    free(subject->noise);
    free(subject->expected);
    *subject = (bench_subject){0};
}
