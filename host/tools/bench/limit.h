/* The limit: one sequential pass over the operation's own buffers that reads as many bytes as the operation, each once, and
 * writes as many. Several passes are measured, on processors with ordinary and with non-temporal stores. The limit is the one
 * that is fastest on this device at this size. Their work is cut by values of their own, so that no tuning changes the limit.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_BENCH_LIMIT_H
#define CLMOVE_HOST_TOOLS_BENCH_LIMIT_H

#include "host/tools/bench/subject.h"
#include "host/tools/measured/statistics.h"

enum { BENCH_WAYS = 12, BENCH_WAY_NAME = 128, BENCH_KINDS = 3 };

/* One way: up to two parts that are enqueued together and waited for once. */
typedef struct bench_way {
    char name[BENCH_WAY_NAME];
    /* Which kind of stores it has, counted from 0. The last kind is what the library or the driver copies with. */
    int kind;
    /* The bytes of the subject's noise that are copied from host memory. 0: a plan copies instead. */
    size_t host_bytes;
    /* Either may be NULL. */
    clmove_plan *copy, *fill;
    /* Seconds of the runs that choose among the ways. The caller fills them. */
    bench_series trials;
} bench_way;

typedef struct bench_limit {
    const bench_subject *subject;
    /* What is stored where the destination has more than the source. */
    clmove_buffer *pattern;
    /* The tuning of the plans that are being made, and the kind of their stores. */
    const char *tuning;
    int kind;
    bench_way ways[BENCH_WAYS];
    int count;
} bench_limit;

/* Plans all ways. On false, here and below, *error says why. The limit is to be closed in any case. The subject must outlive it.
 */
bool bench_limit_open(bench_limit *limit, const bench_subject *subject, const clmove_device_info *device, clmove_error *error);

void bench_limit_close(bench_limit *limit);

/* Makes the pass once, and says how long it took. */
bool bench_limit_run(const bench_limit *limit, const bench_way *way, double *seconds, clmove_error *error);

#endif
