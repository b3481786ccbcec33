/* See cold.h.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "host/tools/bench/cold.h"

#include "host/tools/verify/case.h"

#include <stdint.h>
#include <stdlib.h>

/* Of the last-level cache, read and once more written; and where a device does not tell its cache, or less than it shares. */
#define TIMES 4
#define LEAST (INT64_C(64) << 20)

/* There are three at once, beside what is measured: a process of 32 bits has no addresses for more. */
#define MOST ((uint64_t)(SIZE_MAX / 8 / 64 * 64))

bool bench_cold_open(bench_cold *cold, clmove_device *device, const clmove_device_info *info, clmove_error *error) {
    clmove_map map;
    int64_t bytes = (int64_t)info->cache_bytes * TIMES;
    bytes = bytes < LEAST ? LEAST : bytes;
    if (info->max_alloc_bytes > 0 && (uint64_t)bytes > info->max_alloc_bytes)
        bytes = (int64_t)(info->max_alloc_bytes / 64 * 64);
    bytes = (uint64_t)bytes > MOST ? (int64_t)MOST : bytes;
    unsigned char *noise = malloc((size_t)bytes);
    if (!noise) {
        *error = (clmove_error){.status = CLMOVE_OUT_OF_MEMORY, .text = "there is no memory to flush the caches with"};
        return false;
    }
    verify_noise(noise, (size_t)bytes, 4);
    bool done = clmove_map_init(&map, 8, 1, &bytes, error) == CLMOVE_OK &&
                clmove_plan_create(device, &map, NULL, &cold->plan, error) == CLMOVE_OK &&
                clmove_buffer_create(device, (size_t)bytes, &cold->src, error) == CLMOVE_OK &&
                clmove_buffer_create(device, (size_t)bytes, &cold->dst, error) == CLMOVE_OK &&
                clmove_buffer_write(cold->src, 0, noise, (size_t)bytes, error) == CLMOVE_OK;
    free(noise);
    return done;
}

void bench_cold_close(bench_cold *cold) {
    clmove_plan_destroy(&cold->plan);
    clmove_buffer_destroy(&cold->src);
    clmove_buffer_destroy(&cold->dst);
}

bool bench_cold_flush(const bench_cold *cold, clmove_error *error) {
    clmove_times unused = {.struct_size = sizeof unused};
    return !cold->plan || clmove_measure(cold->plan, clmove_buffer_view(cold->src, 0), clmove_buffer_view(cold->dst, 0), &unused,
                                         error) == CLMOVE_OK;
}
