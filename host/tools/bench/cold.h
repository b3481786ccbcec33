/* Caches that hold nothing of use: flushed by a pass over memory several times their size.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_BENCH_COLD_H
#define CLMOVE_HOST_TOOLS_BENCH_COLD_H

#include <clmove/clmove.h>

/* Starts as {0}, and then flushes nothing. */
typedef struct bench_cold {
    clmove_plan *plan;
    clmove_buffer *src, *dst;
} bench_cold;

/* Makes the memory. On false, here and below, *error says why. It is to be closed in any case. */
bool bench_cold_open(bench_cold *cold, clmove_device *device, const clmove_device_info *info, clmove_error *error);

void bench_cold_close(bench_cold *cold);

/* Flushes, and returns when it is done. */
bool bench_cold_flush(const bench_cold *cold, clmove_error *error);

#endif
