/* See bench_subject.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "bench_subject.h"

#include "verify_case.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

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

/* Source and destination in host memory, to verify, and in the device's, which may be the same memory. Some drivers end the
 * process when memory runs out, and some systems another one, so that is seen before. */
static bool has_memory(uint64_t both, char *why) {
    uint64_t available = available_memory();
    if (2 * both <= available)
        return true;
    snprintf(why, BENCH_WHY, "it takes %" PRIu64 " bytes of memory, and %" PRIu64 " are available", 2 * both, available);
    return false;
}

uint64_t bench_room(const clmove_device_info *device) {
    uint64_t room = available_memory() / 2;
    if (device->max_alloc_bytes > 0 && room > device->max_alloc_bytes)
        room = device->max_alloc_bytes;
    if (device->memory_bytes > 0 && room > device->memory_bytes)
        room = device->memory_bytes;
    return room;
}

/* ---- plans ---- */

static clmove_status make_plan(bench_subject *subject, const executor *who, const clmove_map *map, clmove_error *error) {
    double start = bench_now();
    clmove_status status = executor_plan(who, map, &subject->plan, error);
    subject->plan_seconds = bench_now() - start;
    if (status == CLMOVE_OK)
        status = clmove_plan_get_info(subject->plan, &subject->info, error);
    return status;
}

static clmove_status make_another_plan(bench_subject *subject, const executor *who, const clmove_map *map, clmove_error *error) {
    clmove_plan *plan = NULL;
    double start = bench_now();
    clmove_status status = executor_plan(who, map, &plan, error);
    subject->plan_again_seconds = bench_now() - start;
    clmove_plan_destroy(&plan);
    return status;
}

clmove_status bench_subject_check(bench_subject *subject, clmove_error *error) {
    clmove_device_info device;
    clmove_status status = clmove_device_get_info(subject->device, &device, error);
    if (status == CLMOVE_OK)
        status = clmove_plan_get_info(subject->plan, &subject->info, error);
    if (status != CLMOVE_OK || device.type == CLMOVE_DEVICE_HOST || strcmp(subject->info.executor, "opencl") == 0)
        return status;
    error->status = CLMOVE_DEVICE_FAILED;
    snprintf(error->text, sizeof error->text, "the host took over: %.480s", subject->info.fallback);
    return CLMOVE_DEVICE_FAILED;
}

/* ---- memory ---- */

static clmove_status fill_buffers(bench_subject *subject, const unsigned char *poison, clmove_error *error) {
    size_t src_bytes = (size_t)subject->info.src_bytes, dst_bytes = (size_t)subject->info.dst_bytes;
    clmove_status status = clmove_buffer_create(subject->device, src_bytes, &subject->src, error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_create(subject->device, dst_bytes, &subject->dst, error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_write(subject->src, 0, subject->noise, src_bytes, error);
    if (status == CLMOVE_OK)
        status = clmove_buffer_write(subject->dst, 0, poison, dst_bytes, error);
    return status;
}

static bench_outcome compare(bench_subject *subject, const unsigned char *expected, char *why) {
    enum { CHUNK = 1 << 20 };
    clmove_error error;
    bench_outcome outcome = BENCH_DONE;
    size_t bytes = (size_t)subject->info.dst_bytes;
    unsigned char *got = malloc(CHUNK);
    if (!got) {
        snprintf(why, BENCH_WHY, "there is no memory to compare its result in");
        return BENCH_FAILED;
    }
    for (size_t at = 0; at < bytes && outcome == BENCH_DONE; at += CHUNK) {
        size_t count = bytes - at < CHUNK ? bytes - at : CHUNK, i = 0;
        if (clmove_buffer_read(subject->dst, at, got, count, &error) != CLMOVE_OK) {
            snprintf(why, BENCH_WHY, "%s", error.text);
            outcome = BENCH_FAILED;
        } else if (memcmp(got, expected + at, count) != 0) {
            while (got[i] == expected[at + i])
                i++;
            snprintf(why, BENCH_WHY, "byte %zu of %zu of the result is 0x%02x and must be 0x%02x", at + i, bytes, got[i],
                     expected[at + i]);
            outcome = BENCH_WRONG;
        }
    }
    free(got);
    return outcome;
}

static bench_outcome verify(bench_subject *subject, const task *what, char *why) {
    clmove_error error;
    clmove_times first;
    bench_outcome outcome = BENCH_FAILED;
    size_t src_bytes = (size_t)subject->info.src_bytes, dst_bytes = (size_t)subject->info.dst_bytes;
    unsigned char *expected = malloc(dst_bytes);
    subject->noise = malloc(src_bytes);
    if (!expected || !subject->noise) {
        snprintf(why, BENCH_WHY, "there is no memory for its %zu + %zu bytes", src_bytes, dst_bytes);
        goto out;
    }
    verify_noise(subject->noise, src_bytes, 1);
    verify_noise(expected, dst_bytes, 2);
    if (fill_buffers(subject, expected, &error) != CLMOVE_OK ||
        clmove_measure(subject->plan, subject->src, subject->dst, &first, &error) != CLMOVE_OK ||
        bench_subject_check(subject, &error) != CLMOVE_OK) {
        snprintf(why, BENCH_WHY, "%s", error.text);
        goto out;
    }
    subject->first_run_seconds = first.host_seconds;
    if (task_compute(what, subject->noise, expected))
        outcome = compare(subject, expected, why);
    else
        snprintf(why, BENCH_WHY, "there is no memory to compute what must come out");
out:
    free(expected);
    return outcome;
}

bench_outcome bench_subject_open(bench_subject *subject, const executor *who, const bench_case *one, char *why) {
    clmove_error error;
    clmove_map map;
    *subject = (bench_subject){.device = who->device};
    clmove_status status = task_describe(&one->what, &map, &error);
    if (status == CLMOVE_OK)
        status = make_plan(subject, who, &map, &error);
    if (status == CLMOVE_OK)
        status = bench_subject_check(subject, &error);
    if (status != CLMOVE_OK) {
        snprintf(why, BENCH_WHY, "%s", error.text);
        return status == CLMOVE_UNSUPPORTED && (who->variant || who->index_bits) ? BENCH_SKIPPED : BENCH_FAILED;
    }
    if (subject->info.written_bytes == 0) {
        snprintf(why, BENCH_WHY, "it moves nothing, so there is nothing to measure");
        return BENCH_FAILED;
    }
    subject->bytes_read = subject->info.src_bytes; /* no operation here leaves elements out, unless nothing is written */
    subject->bytes_written = subject->info.written_bytes;
    uint64_t both = (uint64_t)subject->info.src_bytes + (uint64_t)subject->info.dst_bytes;
    if (!has_memory(both, why))
        return BENCH_FAILED;
    bench_outcome outcome = verify(subject, &one->what, why);
    if (outcome == BENCH_DONE && make_another_plan(subject, who, &map, &error) != CLMOVE_OK) {
        snprintf(why, BENCH_WHY, "%s", error.text);
        outcome = BENCH_FAILED;
    }
    return outcome;
}

void bench_subject_close(bench_subject *subject) {
    clmove_plan_destroy(&subject->plan);
    clmove_buffer_destroy(&subject->src);
    clmove_buffer_destroy(&subject->dst);
    free(subject->noise);
    *subject = (bench_subject){0};
}
