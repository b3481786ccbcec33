/* Measures a case: verified first, then in turn with the limit, until the figures stand still or the time is up.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#ifndef CLMOVE_HOST_TOOLS_BENCH_MEASURE_H
#define CLMOVE_HOST_TOOLS_BENCH_MEASURE_H

#include "host/tools/bench/limit.h"
#include "host/tools/bench/rounds.h"

typedef struct bench_result {
    const char *variant;
    char stream[BENCH_WAY_NAME]; /* how the limit was made */
    int64_t bytes_read, bytes_written;
    size_t runs;
    bench_summary operation, device, limit; /* device: by the device's clock; negative when not known */
    double plan_seconds, plan_again_seconds, first_run_seconds;
} bench_result;

/* BENCH_DONE, and fewer than BENCH_LEAST runs: it was ended before there was something to report. Otherwise as
 * bench_subject_open. */
bench_outcome bench_measure(const executor *who, const bench_case *one, const bench_settings *settings, bench_result *result,
                            char *why);

#endif
